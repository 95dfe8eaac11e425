//! Makes a schema of its documents.

mod attributes;
mod identity;

use std::collections::HashMap;
use std::rc::Rc;

use super::content::Automaton;
use super::lexical::{BUILT_IN, BUILT_IN_LISTS, Lexical, Space, normalized, space_of};
use super::simple::{Facet, Simple, Variety, compiled_pattern};
use super::{
    Attribute, Complex, Content, Element, Name, Namespaces, Particle, Processing, Schema, Term,
    Type, TypeId, Wildcard, XSD, shown,
};
use crate::xml::error::{XmlError, level};
use crate::xml::tree::{Document, Kind, NodeId, ROOT, Text, Tree, split_name};

/// The number of the type that everything is of.
pub(super) const ANY_TYPE: TypeId = 0;

/// How deep definitions may refer to each other.
const DEEPEST: usize = 200;
/// The most documents of a schema.
const MOST_DOCUMENTS: usize = 200;

/// Why there is no schema.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Something in it is wrong.
    Invalid(Vec<XmlError>),
    /// It uses what is not built.
    NotBuilt(String),
}

/// What a name at the top of a schema stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Component {
    Type,
    Element,
    Attribute,
    Group,
    AttributeGroup,
}

/// A document of the schema.
struct Source {
    document: Document,
    file: Vec<u8>,
    /// The namespace of what it declares.
    target: Option<Text>,
}

/// A place in the documents.
type Place = (usize, NodeId);

/// Loads a document that another one refers to, by its address.
type Load<'l> = &'l mut dyn FnMut(&[u8]) -> Option<(Vec<u8>, Document)>;

pub(crate) struct Reader<'l> {
    sources: Vec<Source>,
    components: HashMap<(Component, Name), Place>,
    schema: Schema,
    attributes: HashMap<Place, Rc<Attribute>>,
    errors: Vec<XmlError>,
    not_built: Option<String>,
    depth: usize,
    /// Named types that are to be read when nothing else is being read.
    waiting: Vec<(TypeId, Place, Name)>,
    referring: Vec<identity::Referring>,
    load: Load<'l>,
}

impl Reader<'_> {
    /// Reads a schema that begins with this document.
    pub(crate) fn read(
        document: Document,
        file: Vec<u8>,
        load: Load<'_>,
    ) -> Result<Schema, Refusal> {
        let mut reader = Reader {
            sources: Vec::new(),
            components: HashMap::new(),
            schema: Schema::default(),
            attributes: HashMap::new(),
            errors: Vec::new(),
            not_built: None,
            depth: 0,
            waiting: Vec::new(),
            referring: Vec::new(),
            load,
        };
        reader.add_built_in();
        reader.add_source(document, file, None);
        reader.read_all();
        reader.resolve_constraints();
        if let Some(what) = reader.not_built {
            return Err(Refusal::NotBuilt(what));
        }
        match reader.errors.is_empty() {
            true => Ok(reader.schema),
            false => Err(Refusal::Invalid(reader.errors)),
        }
    }

    fn add_built_in(&mut self) {
        let any = |least, most| Particle {
            least,
            most,
            term: Term::Any(Wildcard {
                namespaces: Namespaces::Any,
                how: Processing::Lax,
            }),
        };
        let particle = Rc::new(any(0, None));
        let automaton = Automaton::new(&particle).map(Rc::new);
        let content = match automaton {
            Some(automaton) => Content::Children {
                particle,
                automaton,
                is_mixed: true,
            },
            None => Content::Empty,
        };
        let others = Some(Wildcard {
            namespaces: Namespaces::Any,
            how: Processing::Lax,
        });
        let attributes = Vec::new();
        let any_type = Complex {
            content,
            attributes,
            others,
            is_abstract: false,
        };
        self.name_type("anyType", Type::Complex(Rc::new(any_type)));
        for &(name, lexical) in BUILT_IN {
            let simple = built_in(name, Variety::Atomic(lexical));
            self.name_type(name, Type::Simple(simple));
        }
        for &(name, item) in BUILT_IN_LISTS {
            let item = self.schema.named_types[&xsd_name(item)];
            let mut simple = built_in(name, Variety::List(item));
            simple.facets.push(Facet::LeastLength(1));
            self.name_type(name, Type::Simple(simple));
        }
    }

    fn name_type(&mut self, name: &str, kind: Type) {
        let id = self.add_type(kind);
        self.schema.named_types.insert(xsd_name(name), id);
    }

    fn add_type(&mut self, kind: Type) -> TypeId {
        self.schema.types.push(kind);
        self.schema.types.len() - 1
    }

    /// Notes what a document declares, and those that it includes.
    fn add_source(&mut self, document: Document, file: Vec<u8>, including: Option<Option<Text>>) {
        let root = {
            let tree = document.read();
            let mut children = tree.children(ROOT);
            children.find(|&id| tree[id].kind == Kind::Element)
        };
        let is_schema = root.is_some_and(|root| {
            let tree = document.read();
            *tree[root].name == *b"schema" && tree[root].namespace.as_deref() == Some(XSD)
        });
        let (Some(root), true) = (root, is_schema) else {
            let shown = String::from_utf8_lossy(&file);
            let message = format!("The XML document '{shown}' is not a schema document.\n");
            self.errors.push(XmlError {
                level: level::ERROR,
                code: 1772,
                line: 0,
                column: 0,
                message: message.into_bytes(),
                file: Vec::new(),
            });
            return;
        };
        let target = attribute(&document.read(), root, b"targetNamespace");
        // What is included without a namespace gets that of the including document.
        let target = target.map(|target| target.into()).or(including.flatten());
        let number = self.sources.len();
        self.sources.push(Source {
            document: document.clone(),
            file,
            target: target.clone(),
        });
        let tree = document.read();
        for id in children(&tree, root) {
            let node = &tree[id];
            let component = match &*node.name {
                b"simpleType" | b"complexType" => Component::Type,
                b"element" => Component::Element,
                b"attribute" => Component::Attribute,
                b"group" => Component::Group,
                b"attributeGroup" => Component::AttributeGroup,
                b"include" | b"import" => {
                    self.include((number, id), &tree, &target);
                    continue;
                }
                b"redefine" => {
                    self.refuse("redefinitions in a schema");
                    continue;
                }
                b"annotation" | b"notation" => continue,
                _ => {
                    self.content_error((number, id), root, "(include | import | redefine | annotation)*, (((simpleType | complexType | group | attributeGroup) | element | attribute | notation), annotation*)*", 3033);
                    continue;
                }
            };
            match attribute(&tree, id, b"name") {
                Some(name) => {
                    let key = (component, (target.clone(), name.into()));
                    self.components.entry(key).or_insert((number, id));
                }
                None => {
                    let subject = format!("Element '{}'", element_name(&tree, id));
                    let message = "The attribute 'name' is required but missing.";
                    self.error((number, id), 3036, &subject, message);
                }
            }
        }
    }

    fn include(&mut self, (number, id): Place, tree: &Tree, target: &Option<Text>) {
        let Some(location) = attribute(tree, id, b"schemaLocation") else {
            return;
        };
        let base = self.sources[number].file.clone();
        let address = crate::libxml::resolved(Some(&base), &location);
        let is_known = self.sources.iter().any(|source| source.file == address);
        if is_known || self.sources.len() >= MOST_DOCUMENTS {
            return;
        }
        let is_import = *tree[id].name == *b"import";
        match (self.load)(&address) {
            Some((file, document)) => {
                let including = (!is_import).then(|| target.clone());
                self.add_source(document, file, including);
            }
            // What is imported need not be there.
            None if is_import => {}
            None => {
                let shown = String::from_utf8_lossy(&address);
                let message = format!("Failed to load the document '{shown}' for inclusion.");
                let subject = format!("Element '{}'", element_name(tree, id));
                self.error((number, id), 3003, &subject, &message);
            }
        }
    }

    fn read_all(&mut self) {
        let components = self.components.iter();
        let mut places: Vec<_> = components
            .map(|(key, place)| (*place, key.clone()))
            .collect();
        places.sort_by_key(|(place, _)| *place);
        for (_, (component, name)) in places {
            vm_runtime::limits::poll();
            match component {
                Component::Type => {
                    self.named_type(&name);
                }
                Component::Element => {
                    self.global_element(&name);
                }
                Component::Attribute => {
                    let read = self.global_attribute(&name);
                    self.schema
                        .global_attributes
                        .extend(read.map(|read| (name, read)));
                }
                // Groups are read where they are used.
                Component::Group | Component::AttributeGroup => {}
            }
            self.read_waiting();
        }
    }

    fn read_waiting(&mut self) {
        while let Some((id, place, name)) = self.waiting.pop() {
            if matches!(self.schema.types[id], Type::Pending) {
                self.fill_type(id, place, Some(name));
            }
        }
    }

    fn refuse(&mut self, what: &str) {
        self.not_built.get_or_insert_with(|| what.to_owned());
    }

    fn error(&mut self, (number, id): Place, code: i64, subject: &str, message: &str) {
        let source = &self.sources[number];
        let line = source.document.read()[id].line;
        self.errors.push(XmlError {
            level: level::ERROR,
            code,
            line,
            column: 0,
            message: format!("{subject}: {message}\n").into_bytes(),
            file: source.file.clone(),
        });
    }

    fn content_error(&mut self, place: Place, parent: NodeId, expected: &str, code: i64) {
        let subject = {
            let document = &self.sources[place.0].document;
            format!("Element '{}'", element_name(&document.read(), parent))
        };
        let message = format!("The content is not valid. Expected is ({expected}).");
        self.error((place.0, parent), code, &subject, &message);
    }

    /// A document; it is shared, so that what is read can be noted while it is looked at.
    fn document(&self, place: Place) -> Document {
        self.sources[place.0].document.clone()
    }

    /// The name that a value stands for at a place.
    fn resolve(&self, place: Place, value: &[u8]) -> Name {
        let value = normalized(value, Space::Collapse);
        let (prefix, local) = split_name(&value);
        let source = &self.sources[place.0];
        let found = source.document.read().find_namespace(place.1, prefix);
        let own = || prefix.is_none().then(|| source.target.clone()).flatten();
        // A document without a namespace that is included in one with it.
        (found.or_else(own), local.into())
    }

    fn missing(&mut self, place: Place, name: &str, value: &Name, what: &str) {
        let document = self.document(place);
        let tree = document.read();
        let own = attribute(&tree, place.1, b"name");
        let subject = match (&*tree[place.1].name, own) {
            (b"element", Some(own)) => format!("element decl. '{}'", String::from_utf8_lossy(&own)),
            (b"attribute", Some(own)) => {
                format!("attribute decl. '{}'", String::from_utf8_lossy(&own))
            }
            _ => format!("Element '{}'", element_name(&tree, place.1)),
        };
        let message = format!(
            "The QName value '{}' does not resolve to a(n) {what}.",
            shown(value)
        );
        self.error(
            place,
            3004,
            &format!("{subject}, attribute '{name}'"),
            &message,
        );
    }

    /// The number of a named type, which is read later if it isn't yet.
    fn named_type(&mut self, name: &Name) -> Option<TypeId> {
        if let Some(&id) = self.schema.named_types.get(name) {
            return Some(id);
        }
        let place = *self.components.get(&(Component::Type, name.clone()))?;
        let id = self.add_type(Type::Pending);
        self.schema.named_types.insert(name.clone(), id);
        self.waiting.push((id, place, name.clone()));
        Some(id)
    }

    /// A named type that has to be known at once, because another one is made of it.
    fn base_type(&mut self, place: Place, attribute_name: &'static str, value: &[u8]) -> TypeId {
        let name = self.resolve(place, value);
        let Some(id) = self.named_type(&name) else {
            self.missing(place, attribute_name, &name, "type definition");
            return ANY_TYPE;
        };
        let waiting = self.waiting.iter().position(|(waiting, ..)| *waiting == id);
        if let Some(waiting) = waiting {
            let (id, place, name) = self.waiting.remove(waiting);
            self.fill_type(id, place, Some(name));
        }
        if matches!(self.schema.types[id], Type::Pending) {
            let message = "The definition is circular.";
            self.error(
                place,
                3041,
                &format!("type definition '{}'", shown(&name)),
                message,
            );
            return ANY_TYPE;
        }
        id
    }

    fn type_of_attribute(&mut self, place: Place) -> Option<TypeId> {
        let document = self.document(place);
        let value = attribute(&document.read(), place.1, b"type")?;
        let name = self.resolve(place, &value);
        let found = self.named_type(&name);
        if found.is_none() {
            self.missing(place, "type", &name, "type definition");
        }
        Some(found.unwrap_or(ANY_TYPE))
    }

    fn fill_type(&mut self, id: TypeId, place: Place, name: Option<Name>) {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.refuse("so deep a schema");
        }
        let kind = match self.not_built {
            Some(_) => Type::Complex(self.any_complex()),
            None => self.definition(place, name),
        };
        self.schema.types[id] = kind;
        self.depth -= 1;
    }

    fn any_complex(&self) -> Rc<Complex> {
        match &self.schema.types[ANY_TYPE] {
            Type::Complex(complex) => complex.clone(),
            _ => unreachable!("the first type is that of everything"),
        }
    }

    fn anonymous_type(&mut self, place: Place) -> TypeId {
        let id = self.add_type(Type::Pending);
        self.fill_type(id, place, None);
        id
    }

    fn definition(&mut self, place: Place, name: Option<Name>) -> Type {
        let document = self.document(place);
        let tree = document.read();
        match *tree[place.1].name == *b"simpleType" {
            true => Type::Simple(self.simple(place, &tree, name)),
            false => Type::Complex(Rc::new(self.complex(place, &tree))),
        }
    }

    fn child_named(&self, tree: &Tree, id: NodeId, names: &[&[u8]]) -> Option<NodeId> {
        children(tree, id).find(|&child| names.contains(&&*tree[child].name))
    }

    /// The simple type that an element like `restriction` names or has in it.
    fn simple_in(&mut self, place: Place, tree: &Tree, attribute_name: &'static str) -> TypeId {
        let inner = self.child_named(tree, place.1, &[b"simpleType"]);
        match (attribute(tree, place.1, attribute_name.as_bytes()), inner) {
            (Some(value), _) => self.base_type(place, attribute_name, &value),
            (None, Some(inner)) => self.anonymous_type((place.0, inner)),
            (None, None) => super::simple::ANY_VALUE,
        }
    }

    fn simple(&mut self, place: Place, tree: &Tree, name: Option<Name>) -> Simple {
        let any = Variety::Atomic(Lexical::Text);
        let mut simple = Simple {
            name,
            is_built_in: false,
            variety: any,
            facets: Vec::new(),
            space: Space::Collapse,
        };
        let Some(how) = self.child_named(tree, place.1, &[b"restriction", b"list", b"union"])
        else {
            let expected = "annotation?, (restriction | list | union)";
            self.content_error(place, place.1, expected, 3033);
            return simple;
        };
        let at = (place.0, how);
        match &*tree[how].name {
            b"restriction" => {
                let base = self.simple_in(at, tree, "base");
                let base = self.schema.simple(base).clone();
                (simple.variety, simple.space) = (base.variety, base.space);
                simple.facets = base.facets;
                self.facets(at, tree, &mut simple);
            }
            b"list" => simple.variety = Variety::List(self.simple_in(at, tree, "itemType")),
            _ => {
                let mut members = Vec::new();
                let listed = attribute(tree, how, b"memberTypes").unwrap_or_default();
                let listed = normalized(&listed, Space::Collapse);
                for name in listed
                    .split(|&byte| byte == b' ')
                    .filter(|name| !name.is_empty())
                {
                    members.push(self.base_type(at, "memberTypes", name));
                }
                for inner in
                    children(tree, how).filter(|&inner| *tree[inner].name == *b"simpleType")
                {
                    members.push(self.anonymous_type((place.0, inner)));
                }
                simple.variety = Variety::Union(members);
                simple.space = Space::Preserve;
            }
        }
        simple
    }

    /// Adds the facets of a restriction.
    fn facets(&mut self, place: Place, tree: &Tree, simple: &mut Simple) {
        let (mut patterns, mut values) = (Vec::new(), Vec::new());
        for id in children(tree, place.1) {
            let value = attribute(tree, id, b"value").unwrap_or_default();
            let number = || {
                let text = std::str::from_utf8(&value).ok();
                text.and_then(|text| text.trim().parse::<usize>().ok())
                    .unwrap_or(0)
            };
            let facet = match &*tree[id].name {
                b"pattern" => {
                    match compiled_pattern(&value) {
                        Some(regex) => patterns.push((value, Rc::new(regex))),
                        None => self.refuse("a pattern of this kind in a schema"),
                    }
                    continue;
                }
                b"enumeration" => {
                    values.push(normalized(&value, simple.space));
                    continue;
                }
                b"whiteSpace" => {
                    simple.space = match &*value {
                        b"preserve" => Space::Preserve,
                        b"replace" => Space::Replace,
                        _ => Space::Collapse,
                    };
                    continue;
                }
                b"length" => Facet::Length(number()),
                b"minLength" => Facet::LeastLength(number()),
                b"maxLength" => Facet::MostLength(number()),
                b"minInclusive" => Facet::AtLeast(normalized(&value, Space::Collapse), true),
                b"minExclusive" => Facet::AtLeast(normalized(&value, Space::Collapse), false),
                b"maxInclusive" => Facet::AtMost(normalized(&value, Space::Collapse), true),
                b"maxExclusive" => Facet::AtMost(normalized(&value, Space::Collapse), false),
                b"totalDigits" => Facet::Digits(number()),
                b"fractionDigits" => Facet::FractionDigits(number()),
                _ => continue,
            };
            simple.facets.push(facet);
        }
        if !patterns.is_empty() {
            simple.facets.push(Facet::Patterns(patterns));
        }
        if !values.is_empty() {
            simple.facets.push(Facet::OneOf(values));
        }
    }

    fn complex(&mut self, place: Place, tree: &Tree) -> Complex {
        let is_true = |value: Option<Vec<u8>>| matches!(value.as_deref(), Some(b"true" | b"1"));
        let is_abstract = is_true(attribute(tree, place.1, b"abstract"));
        let mut is_mixed = is_true(attribute(tree, place.1, b"mixed"));
        let mut complex = Complex {
            content: Content::Empty,
            attributes: Vec::new(),
            others: None,
            is_abstract,
        };
        let inner = self.child_named(tree, place.1, &[b"simpleContent", b"complexContent"]);
        let Some(inner) = inner else {
            let own = self.particle_in(place, tree, place.1);
            complex.content = self.content(own, is_mixed);
            self.attributes_in(place, tree, place.1, &mut complex);
            return complex;
        };
        is_mixed |= is_true(attribute(tree, inner, b"mixed"));
        let Some(how) = self.child_named(tree, inner, &[b"restriction", b"extension"]) else {
            self.content_error(
                (place.0, inner),
                inner,
                "annotation?, (restriction | extension)",
                3033,
            );
            return complex;
        };
        let at = (place.0, how);
        let value = attribute(tree, how, b"base").unwrap_or_default();
        let base_id = self.base_type(at, "base", &value);
        let base = match &self.schema.types[base_id] {
            Type::Complex(base) => Some(base.clone()),
            _ => None,
        };
        if let Some(base) = &base {
            complex.attributes = base.attributes.clone();
            complex.others = base.others.clone();
        }
        let is_extension = *tree[how].name == *b"extension";
        if *tree[inner].name == *b"simpleContent" {
            let mut kind = match base.as_ref().map(|base| &base.content) {
                Some(Content::Value(kind)) => *kind,
                Some(_) => super::simple::ANY_VALUE,
                None => base_id,
            };
            if !is_extension {
                if let Some(inner) = self.child_named(tree, how, &[b"simpleType"]) {
                    kind = self.anonymous_type((place.0, inner));
                }
                let mut simple = self.schema.simple(kind).clone();
                (simple.name, simple.is_built_in) = (None, false);
                self.facets(at, tree, &mut simple);
                kind = self.add_type(Type::Simple(simple));
            }
            complex.content = Content::Value(kind);
        } else {
            let own = self.particle_in(at, tree, how);
            complex.content = match base.as_ref().map(|base| &base.content) {
                Some(Content::Children {
                    particle,
                    is_mixed: base_mixed,
                    ..
                }) if is_extension => {
                    let whole = match own {
                        Some(own) => Rc::new(once(Term::Sequence(vec![particle.clone(), own]))),
                        None => particle.clone(),
                    };
                    self.content(Some(whole), is_mixed || *base_mixed)
                }
                _ => self.content(own, is_mixed),
            };
            if !is_extension && base_id == ANY_TYPE {
                complex.others = None;
            }
        }
        self.attributes_in(at, tree, how, &mut complex);
        complex
    }

    fn content(&mut self, particle: Option<Rc<Particle>>, is_mixed: bool) -> Content {
        let is_empty = particle
            .as_ref()
            .is_none_or(|particle| match &particle.term {
                Term::Sequence(parts) | Term::All(parts) => parts.is_empty(),
                _ => particle.most == Some(0),
            });
        if is_empty && !is_mixed {
            return Content::Empty;
        }
        let particle = particle.unwrap_or_else(|| Rc::new(once(Term::Sequence(Vec::new()))));
        match Automaton::new(&particle) {
            Some(automaton) => {
                let automaton = Rc::new(automaton);
                Content::Children {
                    particle,
                    automaton,
                    is_mixed,
                }
            }
            None => {
                self.refuse("so large a content model in a schema");
                Content::Empty
            }
        }
    }

    /// The content model among the children of an element.
    fn particle_in(&mut self, place: Place, tree: &Tree, id: NodeId) -> Option<Rc<Particle>> {
        let names: &[&[u8]] = &[b"sequence", b"choice", b"all", b"group"];
        let found = self.child_named(tree, id, names)?;
        self.particle((place.0, found), tree)
    }

    fn particle(&mut self, place: Place, tree: &Tree) -> Option<Rc<Particle>> {
        let number = |name: &[u8]| {
            let value = attribute(tree, place.1, name)?;
            std::str::from_utf8(&value).ok()?.trim().parse::<u32>().ok()
        };
        let is_endless = attribute(tree, place.1, b"maxOccurs").as_deref() == Some(b"unbounded");
        let least = number(b"minOccurs").unwrap_or(1);
        let most = (!is_endless).then(|| number(b"maxOccurs").unwrap_or(1));
        if most == Some(0) {
            return None;
        }
        self.depth += 1;
        let term = match self.depth > DEEPEST {
            true => {
                self.refuse("so deep a schema");
                None
            }
            false => self.term(place, tree),
        };
        self.depth -= 1;
        Some(Rc::new(Particle {
            least,
            most,
            term: term?,
        }))
    }

    fn term(&mut self, place: Place, tree: &Tree) -> Option<Term> {
        let kind = tree[place.1].name.clone();
        match &*kind {
            b"element" => self.local_element(place, tree).map(Term::Element),
            b"any" => Some(Term::Any(self.wildcard(place, tree))),
            b"group" => {
                let value = attribute(tree, place.1, b"ref")?;
                let name = self.resolve(place, &value);
                let Some(&group) = self.components.get(&(Component::Group, name.clone())) else {
                    self.missing(place, "ref", &name, "model group definition");
                    return None;
                };
                let document = self.document(group);
                let inner = self.particle_in(group, &document.read(), group.1)?;
                // The group's own particle comes once.
                Some(Term::Sequence(vec![inner])).map(|term| match term {
                    Term::Sequence(mut parts)
                        if parts.len() == 1 && parts[0].least == 1 && parts[0].most == Some(1) =>
                    {
                        parts
                            .pop()
                            .map_or(Term::Sequence(Vec::new()), |only| only.term.clone())
                    }
                    other => other,
                })
            }
            b"sequence" | b"choice" | b"all" => {
                let mut parts = Vec::new();
                for child in children(tree, place.1) {
                    let names: &[&[u8]] =
                        &[b"element", b"any", b"group", b"sequence", b"choice", b"all"];
                    if names.contains(&&*tree[child].name) {
                        parts.extend(self.particle((place.0, child), tree));
                    }
                }
                Some(match &*kind {
                    b"sequence" => Term::Sequence(parts),
                    b"choice" => Term::Choice(parts),
                    _ => Term::All(parts),
                })
            }
            _ => None,
        }
    }

    fn wildcard(&self, place: Place, tree: &Tree) -> Wildcard {
        let own = self.sources[place.0].target.clone();
        let listed = attribute(tree, place.1, b"namespace");
        let listed = normalized(listed.as_deref().unwrap_or(b"##any"), Space::Collapse);
        let namespaces = match &*listed {
            b"##any" => Namespaces::Any,
            b"##other" => Namespaces::Other(own),
            listed => {
                let words = listed.split(|&byte| byte == b' ');
                Namespaces::Of(
                    words
                        .map(|word| match word {
                            b"##targetNamespace" => own.clone(),
                            b"##local" | b"" => None,
                            name => Some(name.into()),
                        })
                        .collect(),
                )
            }
        };
        let how = match attribute(tree, place.1, b"processContents").as_deref() {
            Some(b"lax") => Processing::Lax,
            Some(b"skip") => Processing::Skip,
            _ => Processing::Strict,
        };
        Wildcard { namespaces, how }
    }

    /// Whether a declaration inside of a type is in the namespace of the document.
    fn own_namespace(&self, place: Place, tree: &Tree, default: &[u8]) -> Option<Text> {
        let form = attribute(tree, place.1, b"form").or_else(|| {
            let root = tree
                .ancestors(place.1)
                .find(|&id| *tree[id].name == *b"schema")?;
            attribute(tree, root, default)
        });
        let is_qualified = form.as_deref() == Some(b"qualified");
        is_qualified
            .then(|| self.sources[place.0].target.clone())
            .flatten()
    }

    fn local_element(&mut self, place: Place, tree: &Tree) -> Option<usize> {
        if let Some(value) = attribute(tree, place.1, b"ref") {
            let name = self.resolve(place, &value);
            let found = self.global_element(&name);
            if found.is_none() {
                self.missing(place, "ref", &name, "element declaration");
            }
            return found;
        }
        let Some(name) = attribute(tree, place.1, b"name") else {
            let subject = format!("Element '{}'", element_name(tree, place.1));
            let message = "One of the attributes 'ref' or 'name' must be present.";
            self.error(place, 3036, &subject, message);
            return None;
        };
        let name = (
            self.own_namespace(place, tree, b"elementFormDefault"),
            name.into(),
        );
        Some(self.declare(place, tree, name, None))
    }

    fn global_element(&mut self, name: &Name) -> Option<usize> {
        if let Some(id) = self.schema.global(name) {
            return Some(id);
        }
        let place = *self.components.get(&(Component::Element, name.clone()))?;
        let document = self.document(place);
        let tree = document.read();
        let id = self.schema.elements.len();
        // It may refer to itself.
        self.schema.global_elements.insert(name.clone(), id);
        self.schema.elements.push(Element {
            name: name.clone(),
            kind: ANY_TYPE,
            default: None,
            fixed: None,
            may_be_nil: false,
            is_abstract: false,
            constraints: Vec::new(),
        });
        let mut head = None;
        if let Some(value) = attribute(&tree, place.1, b"substitutionGroup") {
            let head_name = self.resolve(place, &value);
            head = self.global_element(&head_name);
            match head {
                Some(head) => self.schema.substitutes.entry(head).or_default().push(id),
                None => self.missing(
                    place,
                    "substitutionGroup",
                    &head_name,
                    "element declaration",
                ),
            }
        }
        self.declare(place, &tree, name.clone(), Some(id));
        let is_plain = attribute(&tree, place.1, b"type").is_none()
            && self
                .child_named(&tree, place.1, &[b"simpleType", b"complexType"])
                .is_none();
        if let Some(head) = head.filter(|_| is_plain) {
            self.schema.elements[id].kind = self.schema.elements[head].kind;
        }
        Some(id)
    }

    /// Reads a declaration, to a number if it has one already.
    fn declare(&mut self, place: Place, tree: &Tree, name: Name, id: Option<usize>) -> usize {
        let constraints = self.constraints(place, tree);
        let kind = self.type_of_attribute(place).or_else(|| {
            let inner = self.child_named(tree, place.1, &[b"simpleType", b"complexType"])?;
            Some(self.anonymous_type((place.0, inner)))
        });
        let is_true = |name: &[u8]| {
            matches!(
                attribute(tree, place.1, name).as_deref(),
                Some(b"true" | b"1")
            )
        };
        let element = Element {
            name,
            kind: kind.unwrap_or(ANY_TYPE),
            default: attribute(tree, place.1, b"default"),
            fixed: attribute(tree, place.1, b"fixed"),
            may_be_nil: is_true(b"nillable"),
            is_abstract: is_true(b"abstract"),
            constraints,
        };
        match id {
            Some(id) => {
                self.schema.elements[id] = element;
                id
            }
            None => {
                self.schema.elements.push(element);
                self.schema.elements.len() - 1
            }
        }
    }
}

fn once(term: Term) -> Particle {
    Particle {
        least: 1,
        most: Some(1),
        term,
    }
}

fn xsd_name(name: &str) -> Name {
    (Some(XSD.into()), name.as_bytes().into())
}

fn built_in(name: &str, variety: Variety) -> Simple {
    let space = space_of(name);
    Simple {
        name: Some(xsd_name(name)),
        is_built_in: true,
        variety,
        facets: Vec::new(),
        space,
    }
}

/// The value of an attribute without namespace.
fn attribute(tree: &Tree, id: NodeId, name: &[u8]) -> Option<Vec<u8>> {
    let mut attributes = tree[id].attributes.iter().map(|&id| &tree[id]);
    let found = attributes.find(|node| *node.name == *name && node.namespace.is_none());
    found.map(|node| node.value.clone())
}

/// The children that are elements of a schema.
fn children(tree: &Tree, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let is_xsd = |id: &NodeId| {
        tree[*id].kind == Kind::Element && tree[*id].namespace.as_deref() == Some(XSD)
    };
    tree.children(id).filter(is_xsd)
}

fn element_name(tree: &Tree, id: NodeId) -> String {
    shown(&(tree[id].namespace.clone(), tree[id].name.clone()))
}
