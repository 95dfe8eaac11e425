//! Attributes of complex types, declared globally, in groups or where they are used.

use std::rc::Rc;

use super::{Component, DEEPEST, Place, Reader, attribute, children};
use crate::xml::schema::{Attribute, Complex, Name, simple};
use crate::xml::tree::{NodeId, Tree, XML_NAMESPACE};

impl Reader<'_> {
    pub(super) fn global_attribute(&mut self, name: &Name) -> Option<Rc<Attribute>> {
        let place = *self.components.get(&(Component::Attribute, name.clone()))?;
        if let Some(known) = self.attributes.get(&place) {
            return Some(known.clone());
        }
        let document = self.document(place);
        let read = Rc::new(self.attribute(place, &document.read(), name.clone()));
        self.attributes.insert(place, read.clone());
        Some(read)
    }

    fn attribute(&mut self, place: Place, tree: &Tree, name: Name) -> Attribute {
        let kind = self.type_of_attribute(place).or_else(|| {
            let inner = self.child_named(tree, place.1, &[b"simpleType"])?;
            Some(self.anonymous_type((place.0, inner)))
        });
        let usage = attribute(tree, place.1, b"use");
        Attribute {
            name,
            kind: kind.unwrap_or(simple::ANY_VALUE),
            is_required: usage.as_deref() == Some(b"required"),
            is_prohibited: usage.as_deref() == Some(b"prohibited"),
            default: attribute(tree, place.1, b"default"),
            fixed: attribute(tree, place.1, b"fixed"),
        }
    }

    /// Adds the attributes among the children of an element; later ones replace others.
    pub(super) fn attributes_in(
        &mut self,
        place: Place,
        tree: &Tree,
        id: NodeId,
        complex: &mut Complex,
    ) {
        for child in children(tree, id) {
            let at = (place.0, child);
            match &*tree[child].name {
                b"attribute" => {
                    let Some(read) = self.attribute_use(at, tree) else {
                        continue;
                    };
                    complex.attributes.retain(|known| known.name != read.name);
                    complex.attributes.push(read);
                }
                b"attributeGroup" => {
                    let Some(value) = attribute(tree, child, b"ref") else {
                        continue;
                    };
                    let name = self.resolve(at, &value);
                    let group = self
                        .components
                        .get(&(Component::AttributeGroup, name.clone()));
                    let Some(&group) = group else {
                        self.missing(at, "ref", &name, "attribute group definition");
                        continue;
                    };
                    self.depth += 1;
                    if self.depth > DEEPEST {
                        self.refuse("so deep a schema");
                    } else {
                        let document = self.document(group);
                        self.attributes_in(group, &document.read(), group.1, complex);
                    }
                    self.depth -= 1;
                }
                b"anyAttribute" => complex.others = Some(self.wildcard(at, tree)),
                _ => {}
            }
        }
    }

    fn attribute_use(&mut self, at: Place, tree: &Tree) -> Option<Rc<Attribute>> {
        let Some(value) = attribute(tree, at.1, b"ref") else {
            let name = attribute(tree, at.1, b"name")?;
            let name = (
                self.own_namespace(at, tree, b"attributeFormDefault"),
                name.into(),
            );
            return Some(Rc::new(self.attribute(at, tree, name)));
        };
        let name = self.resolve(at, &value);
        let here = self.attribute(at, tree, name.clone());
        if let Some(global) = self.global_attribute(&name) {
            return Some(Rc::new(Attribute {
                kind: global.kind,
                default: here.default.or_else(|| global.default.clone()),
                fixed: here.fixed.or_else(|| global.fixed.clone()),
                ..here
            }));
        }
        // Attributes like xml:lang are known without their schema.
        if name.0.as_deref() != Some(XML_NAMESPACE) {
            self.missing(at, "ref", &name, "attribute declaration");
            return None;
        }
        Some(Rc::new(here))
    }
}
