//! Walks a document and says what a schema has against it.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::content::{Found, Progress};
use super::identity::{Identified, Known, Place, Scope};
use super::lexical::{Space, normalized};
use super::read::ANY_TYPE;
use super::simple::Surroundings;
use super::{
    Attribute, Complex, Content, ElementId, INSTANCE, Name, Processing, Schema, Type, TypeId, shown,
};
use crate::pcre::Machine;
use crate::xml::error::{XmlError, level};
use crate::xml::tree::{Kind, Node, NodeId, ROOT, Tree};

/// An attribute that the schema gives an element: its name and value.
pub(crate) struct Added {
    pub(crate) element: NodeId,
    pub(crate) namespace: Option<Vec<u8>>,
    pub(crate) name: Vec<u8>,
    pub(crate) value: Vec<u8>,
}

/// What is wrong with a document, and the attributes that it should have by default.
pub(crate) fn check(schema: &Schema, tree: &Tree) -> (Vec<XmlError>, Vec<Added>) {
    let mut checker = Checker {
        schema,
        tree,
        machine: Machine::default(),
        identifiers: HashSet::new(),
        known: HashMap::new(),
        defaults: HashMap::new(),
        errors: Vec::new(),
        added: Vec::new(),
    };
    checker.run();
    (checker.errors, checker.added)
}

struct Checker<'s> {
    schema: &'s Schema,
    tree: &'s Tree,
    machine: Machine,
    identifiers: HashSet<Vec<u8>>,
    /// Values for identity constraints, if there are any.
    known: HashMap<Place, Known>,
    /// Attributes that elements have by default, for the same.
    defaults: HashMap<NodeId, Vec<Name>>,
    errors: Vec<XmlError>,
    added: Vec<Added>,
}

/// An element whose children are being looked at.
struct Open {
    node: NodeId,
    element: Option<ElementId>,
    kind: TypeId,
    complex: Option<Rc<Complex>>,
    progress: Progress,
    next: Option<NodeId>,
    /// Its children or its text are wrong: there is no more to say of them.
    has_failed: bool,
    is_nil: bool,
    /// What its identity constraints have found.
    scope: Scope,
}

fn name_of(node: &Node) -> Name {
    (node.namespace.clone(), node.name.clone())
}

impl Checker<'_> {
    fn run(&mut self) {
        let tree = self.tree;
        let mut children = tree.children(ROOT);
        let Some(root) = children.find(|&id| tree[id].kind == Kind::Element) else {
            return;
        };
        let Some(element) = self.schema.global(&name_of(&tree[root])) else {
            let message = "No matching global declaration available for the validation root.";
            return self.error(root, None, 1845, message);
        };
        let mut open: Vec<Open> = self.open(root, Some(element), None).into_iter().collect();
        while let Some(last) = open.last_mut() {
            vm_runtime::limits::poll();
            let Some(child) = last.next else {
                if let Some(done) = open.pop() {
                    self.close(&done);
                    if !self.schema.constraints.is_empty() {
                        self.identify(&mut open, done);
                    }
                }
                continue;
            };
            last.next = tree[child].next;
            match tree[child].kind {
                Kind::Element => {
                    let child = self.child(last, child);
                    open.extend(child);
                }
                Kind::Text | Kind::CData => self.text(last, child),
                _ => {}
            }
        }
    }

    fn error(&mut self, id: NodeId, attribute: Option<&Name>, code: i64, message: &str) {
        let node = &self.tree[id];
        let mut text = format!("Element '{}'", shown(&name_of(node)));
        if let Some(attribute) = attribute {
            text += &format!(", attribute '{}'", shown(attribute));
        }
        self.errors.push(XmlError {
            level: level::ERROR,
            code,
            line: node.line,
            column: 0,
            message: format!("{text}: {message}\n").into_bytes(),
            file: self.tree.uri.clone().unwrap_or_default(),
        });
    }

    /// Looks at an element and its attributes; None if it is not to be gone into.
    fn open(
        &mut self,
        id: NodeId,
        element: Option<ElementId>,
        kind: Option<TypeId>,
    ) -> Option<Open> {
        let (schema, tree) = (self.schema, self.tree);
        let node = &tree[id];
        let declared = element.map(|element| &schema.elements[element]);
        if declared.is_some_and(|declared| declared.is_abstract) {
            self.error(id, None, 1846, "The element declaration is abstract.");
            return None;
        }
        let mut kind = kind
            .or(declared.map(|declared| declared.kind))
            .unwrap_or(ANY_TYPE);
        let instance = |name: &[u8]| {
            let mut attributes = node.attributes.iter().map(|&id| &tree[id]);
            attributes
                .find(|node| *node.name == *name && node.namespace.as_deref() == Some(INSTANCE))
        };
        if let Some(asked) = instance(b"type") {
            let value = normalized(&asked.value, Space::Collapse);
            let (prefix, local) = crate::xml::tree::split_name(&value);
            let name = (tree.find_namespace(id, prefix), local.into());
            match schema.named_types.get(&name) {
                Some(&named) => kind = named,
                None => {
                    let message = format!(
                        "The QName value '{}' of the xsi:type attribute does not resolve to a type definition.",
                        shown(&name)
                    );
                    self.error(id, Some(&name_of(asked)), 1851, &message);
                    return None;
                }
            }
        }
        let mut is_nil = false;
        if let Some(asked) = instance(b"nil") {
            is_nil = matches!(&*normalized(&asked.value, Space::Collapse), b"true" | b"1");
            if is_nil && !declared.is_some_and(|declared| declared.may_be_nil) {
                self.error(id, None, 1847, "The element is not 'nillable'.");
                is_nil = false;
            }
        }
        let complex = match &schema.types[kind] {
            Type::Complex(complex) => Some(complex.clone()),
            _ => None,
        };
        match &complex {
            Some(complex) if complex.is_abstract => {
                self.error(id, None, 1824, "The type definition is abstract.");
                return None;
            }
            Some(complex) => self.attributes(id, complex),
            None => {
                for &attribute in &node.attributes {
                    let name = name_of(&tree[attribute]);
                    if name.0.as_deref() != Some(INSTANCE) {
                        let message = format!("The attribute '{}' is not allowed.", shown(&name));
                        self.error(id, Some(&name), 1827, &message);
                    }
                }
            }
        }
        let progress = match complex.as_ref().map(|complex| &complex.content) {
            Some(Content::Children { automaton, .. }) => automaton.start(),
            _ => Progress::Unordered(Vec::new()),
        };
        let (has_failed, next) = (false, node.first);
        Some(Open {
            node: id,
            element,
            kind,
            complex,
            progress,
            next,
            has_failed,
            is_nil,
            scope: Scope::default(),
        })
    }

    fn attributes(&mut self, id: NodeId, complex: &Complex) {
        let tree = self.tree;
        let node = &tree[id];
        let named = |name: &Name| {
            let mut declared = complex.attributes.iter();
            declared
                .find(|declared| declared.name == *name && !declared.is_prohibited)
                .cloned()
        };
        for &attribute in &node.attributes {
            let name = name_of(&tree[attribute]);
            if name.0.as_deref() == Some(INSTANCE) {
                continue;
            }
            let value = &tree[attribute].value;
            if let Some(declared) = named(&name) {
                self.attribute(id, &declared, value);
                continue;
            }
            let by_wildcard = complex.others.as_ref();
            let by_wildcard = by_wildcard.filter(|others| others.takes(name.0.as_deref()));
            let global = self.schema.global_attributes.get(&name).cloned();
            match (by_wildcard.map(|others| others.how), global) {
                (Some(Processing::Skip), _) | (Some(Processing::Lax), None) => {}
                (Some(_), Some(declared)) => self.attribute(id, &declared, value),
                (Some(Processing::Strict), None) => {
                    let message = "No matching global attribute declaration available, but demanded by the strict wildcard.";
                    self.error(id, Some(&name), 1867, message);
                }
                (None, _) => {
                    let code = if complex.others.is_some() { 1867 } else { 1866 };
                    let message = format!("The attribute '{}' is not allowed.", shown(&name));
                    self.error(id, Some(&name), code, &message);
                }
            }
        }
        for declared in complex
            .attributes
            .iter()
            .filter(|declared| !declared.is_prohibited)
        {
            let has = |&attribute: &NodeId| name_of(&tree[attribute]) == declared.name;
            if node.attributes.iter().any(has) {
                continue;
            }
            if declared.is_required {
                let name = shown(&declared.name);
                let message = format!("The attribute '{name}' is required but missing.");
                self.error(id, None, 1868, &message);
            } else if let Some(value) = declared.default.as_ref().or(declared.fixed.as_ref()) {
                if !self.schema.constraints.is_empty() {
                    let known = Known::Value(declared.kind, value.clone());
                    self.known.insert((id, Some(declared.name.clone())), known);
                    self.defaults
                        .entry(id)
                        .or_default()
                        .push(declared.name.clone());
                }
                self.added.push(Added {
                    element: id,
                    namespace: declared.name.0.as_deref().map(<[u8]>::to_vec),
                    name: declared.name.1.to_vec(),
                    value: value.clone(),
                });
            }
        }
    }

    fn attribute(&mut self, id: NodeId, declared: &Attribute, value: &[u8]) {
        if self.value(id, Some(&declared.name), declared.kind, value)
            && let Some(fixed) = &declared.fixed
        {
            let space = self.schema.simple(declared.kind).space;
            if normalized(value, space) != normalized(fixed, space) {
                let message = format!(
                    "The value '{}' does not match the fixed value constraint '{}'.",
                    String::from_utf8_lossy(value),
                    String::from_utf8_lossy(fixed)
                );
                self.error(id, Some(&declared.name), 1874, &message);
            }
        }
    }

    /// Checks a value by a simple type; false if it is wrong.
    fn value(&mut self, id: NodeId, attribute: Option<&Name>, kind: TypeId, value: &[u8]) -> bool {
        let tree = self.tree;
        let mut around = Surroundings {
            knows_prefix: &|prefix| tree.find_namespace(id, Some(prefix)).is_some(),
            machine: &self.machine,
            note_id: &mut |value| self.identifiers.insert(value.to_vec()),
        };
        let problems = self.schema.problems(kind, value, &mut around);
        let is_right = problems.is_empty();
        for (code, message) in problems {
            self.error(id, attribute, code, &message);
        }
        if !self.schema.constraints.is_empty() {
            let known = match is_right {
                true => Known::Value(kind, value.to_vec()),
                false => Known::Nothing,
            };
            self.known.insert((id, attribute.cloned()), known);
        }
        is_right
    }

    /// Looks at the identity constraints of elements around an element that is done, and at its own.
    fn identify(&mut self, open: &mut [Open], mut done: Open) {
        let (schema, tree) = (self.schema, self.tree);
        let is_simple = !matches!(
            done.complex.as_ref().map(|complex| &complex.content),
            Some(Content::Children { .. } | Content::Empty)
        );
        if is_simple {
            self.known
                .entry((done.node, None))
                .or_insert(Known::Nothing);
        }
        let document = Identified {
            schema,
            tree,
            known: &self.known,
            defaults: &self.defaults,
        };
        let below = open.iter().skip(1).map(|open| open.node);
        let names: Vec<Name> = (below.chain((!open.is_empty()).then_some(done.node)))
            .map(|id| name_of(&tree[id]))
            .collect();
        let mut objections = Vec::new();
        for (depth, scope) in open.iter_mut().enumerate() {
            if let Some(element) = scope.element {
                let names = &names[depth..];
                scope
                    .scope
                    .leave(&document, element, names, done.node, &mut objections);
            }
        }
        if let Some(element) = done.element {
            done.scope
                .leave(&document, element, &[], done.node, &mut objections);
        }
        done.scope.dangling(schema, &mut objections);
        for ((id, attribute), message) in objections {
            self.error(id, attribute.as_ref(), 1877, &message);
        }
        if let Some(parent) = open.last_mut() {
            parent.scope.absorb(done.scope);
        }
    }

    /// Looks at a child element.
    fn child(&mut self, parent: &mut Open, id: NodeId) -> Option<Open> {
        if parent.has_failed {
            return None;
        }
        let refusal = match parent.complex.as_ref().map(|complex| &complex.content) {
            _ if parent.is_nil => (
                1848,
                "Neither character nor element content is allowed because the element is 'nilled'.",
            ),
            None => (
                1828,
                "Element content is not allowed, because the type definition is simple.",
            ),
            Some(Content::Value(_)) => (
                1842,
                "Element content is not allowed, because the content type is a simple type definition.",
            ),
            Some(Content::Empty) => (
                1841,
                "Element content is not allowed, because the content type is empty.",
            ),
            Some(Content::Children { automaton, .. }) => {
                let (schema, name) = (self.schema, name_of(&self.tree[id]));
                let expectation = automaton.expectation(schema, &parent.progress);
                return match automaton.take(schema, &mut parent.progress, &name) {
                    Some(Found::Element(element)) => self.open(id, Some(element), None),
                    Some(Found::Wildcard(Processing::Skip)) => None,
                    Some(Found::Wildcard(how)) => match (schema.global(&name), how) {
                        (Some(element), _) => self.open(id, Some(element), None),
                        (None, Processing::Strict) => {
                            let message = "No matching global element declaration available, but demanded by the strict wildcard.";
                            self.error(id, None, 1845, message);
                            None
                        }
                        (None, _) => self.open(id, None, None),
                    },
                    None => {
                        let message = format!("This element is not expected.{expectation}");
                        self.error(id, None, 1871, &message);
                        parent.has_failed = true;
                        None
                    }
                };
            }
        };
        parent.has_failed = true;
        self.error(parent.node, None, refusal.0, refusal.1);
        None
    }

    /// Looks at text between elements.
    fn text(&mut self, parent: &mut Open, id: NodeId) {
        let node = &self.tree[id];
        if node.value.is_empty()
            || (parent.has_failed && !matches!(parent.progress, Progress::States(_)))
        {
            return;
        }
        let refusal = match parent.complex.as_ref().map(|complex| &complex.content) {
            _ if parent.is_nil => (
                1848,
                "Neither character nor element content is allowed because the element is 'nilled'.",
            ),
            Some(Content::Empty) => (
                1841,
                "Character content is not allowed, because the content type is empty.",
            ),
            Some(Content::Children {
                is_mixed: false, ..
            }) if !node.is_blank() => {
                let message = "Character content other than whitespace is not allowed because the content type is 'element-only'.";
                return self.error(parent.node, None, 1843, message);
            }
            _ => return,
        };
        parent.has_failed = true;
        self.error(parent.node, None, refusal.0, refusal.1);
    }

    /// Looks at an element whose children have been looked at.
    fn close(&mut self, done: &Open) {
        if done.is_nil {
            return;
        }
        let declared = done.element.map(|element| &self.schema.elements[element]);
        let kind = match done.complex.as_ref().map(|complex| &complex.content) {
            None if done.has_failed => return,
            None => done.kind,
            Some(Content::Value(kind)) => *kind,
            Some(Content::Children { automaton, .. }) => {
                if !done.has_failed && !automaton.is_complete(&done.progress) {
                    let expectation = automaton.expectation(self.schema, &done.progress);
                    let message = format!("Missing child element(s).{expectation}");
                    self.error(done.node, None, 1871, &message);
                }
                return;
            }
            Some(Content::Empty) => return,
        };
        let tree = self.tree;
        let texts = tree.children(done.node).filter(|&id| tree[id].is_text());
        let mut value: Vec<u8> = texts
            .flat_map(|id| tree[id].value.iter().copied())
            .collect();
        let (default, fixed) = match declared {
            Some(declared) => (declared.default.as_ref(), declared.fixed.as_ref()),
            None => (None, None),
        };
        if value.is_empty()
            && let Some(given) = default.or(fixed)
        {
            value.clone_from(given);
        }
        if self.value(done.node, None, kind, &value)
            && let Some(fixed) = fixed
        {
            let space = self.schema.simple(kind).space;
            if normalized(&value, space) != normalized(fixed, space) {
                let message = format!(
                    "The actual value '{}' does not match the fixed value constraint '{}'.",
                    String::from_utf8_lossy(&value),
                    String::from_utf8_lossy(fixed)
                );
                self.error(done.node, None, 1858, &message);
            }
        }
    }
}
