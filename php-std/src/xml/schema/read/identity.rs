//! Reads identity constraints.

use super::super::identity::{Constraint, ConstraintId, Demand, Field, paths};
use super::{Place, Reader, attribute, children, element_name};
use crate::xml::schema::{Name, shown};
use crate::xml::tree::{NodeId, Tree};

/// A reference whose constraint is looked for when all are known.
pub(super) struct Referring {
    from: ConstraintId,
    place: Place,
    to: Name,
}

impl Reader<'_> {
    /// The constraints of an element's declaration.
    pub(super) fn constraints(&mut self, place: Place, tree: &Tree) -> Vec<ConstraintId> {
        let mut found = Vec::new();
        for child in children(tree, place.1) {
            let demand = match &*tree[child].name {
                b"unique" => Demand::Unique,
                b"key" => Demand::Key,
                b"keyref" => Demand::Reference,
                _ => continue,
            };
            found.extend(self.constraint((place.0, child), tree, demand));
        }
        found
    }

    fn constraint(&mut self, place: Place, tree: &Tree, demand: Demand) -> Option<ConstraintId> {
        let subject = format!("Element '{}'", element_name(tree, place.1));
        let Some(name) = attribute(tree, place.1, b"name") else {
            let message = "The attribute 'name' is required but missing.";
            self.error(place, 3036, &subject, message);
            return None;
        };
        let name: Name = (self.sources[place.0].target.clone(), name.as_slice().into());
        let same = |known: &Constraint| known.demand == demand && known.name == name;
        if self.schema.constraints.iter().any(same) {
            let message = format!(
                "A global {} identity-constraint '{}' does already exist.",
                demand.word(),
                shown(&name)
            );
            self.error(place, 1761, &subject, &message);
            return None;
        }
        let mut parts = children(tree, place.1).filter(|&id| *tree[id].name != *b"annotation");
        let selector = parts.next().filter(|&id| *tree[id].name == *b"selector");
        let fields: Vec<NodeId> = parts.collect();
        let (Some(selector), false) = (selector, fields.is_empty()) else {
            let expected = "annotation?, (selector, field+)";
            self.content_error(place, place.1, expected, 3033);
            return None;
        };
        let selector = self.constraint_paths((place.0, selector), tree, false)?.1;
        let mut read = Vec::new();
        for field in fields {
            let (source, paths) = self.constraint_paths((place.0, field), tree, true)?;
            read.push(Field { source, paths });
        }
        let id = self.schema.constraints.len();
        if demand == Demand::Reference {
            let to = attribute(tree, place.1, b"refer").unwrap_or_default();
            let to = self.resolve(place, &to);
            self.referring.push(Referring {
                from: id,
                place,
                to,
            });
        }
        self.schema.constraints.push(Constraint {
            demand,
            name,
            selector,
            fields: read,
            referred: None,
        });
        Some(id)
    }

    /// The paths of a selector or field, as they are written and read.
    fn constraint_paths(
        &mut self,
        place: Place,
        tree: &Tree,
        is_field: bool,
    ) -> Option<(Vec<u8>, Vec<super::super::identity::Path>)> {
        let source = attribute(tree, place.1, b"xpath").unwrap_or_default();
        let namespace = |prefix: &[u8]| tree.find_namespace(place.1, Some(prefix));
        let found = paths(&source, is_field, &namespace);
        if found.is_none() {
            let subject = format!(
                "Element '{}', attribute 'xpath'",
                element_name(tree, place.1)
            );
            let message = format!(
                "The XPath expression '{}' could not be compiled.",
                String::from_utf8_lossy(&source)
            );
            self.error(place, 3037, &subject, &message);
        }
        found.map(|paths| (source, paths))
    }

    /// Looks up what references refer to, when all constraints are known.
    pub(super) fn resolve_constraints(&mut self) {
        for Referring { from, place, to } in std::mem::take(&mut self.referring) {
            let constraints = &self.schema.constraints;
            let own = String::from_utf8_lossy(&constraints[from].name.1).into_owned();
            let is_meant =
                |known: &Constraint| known.demand != Demand::Reference && known.name == to;
            let Some(referred) = constraints.iter().position(is_meant) else {
                let subject = format!("keyRef '{own}', attribute 'refer'");
                let message = format!(
                    "The QName value '{}' does not resolve to a(n) key identity-constraint.",
                    shown(&to)
                );
                self.error(place, 3004, &subject, &message);
                continue;
            };
            if constraints[referred].fields.len() != constraints[from].fields.len() {
                let message = format!(
                    "The cardinality of the keyref differs from the cardinality of the referenced key/unique '{}'.",
                    shown(&to)
                );
                self.error(place, 3080, &format!("keyRef '{own}'"), &message);
            }
            self.schema.constraints[from].referred = Some(referred);
        }
    }
}
