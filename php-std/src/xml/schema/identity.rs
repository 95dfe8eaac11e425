//! Identity constraints: `unique`, `key` and `keyref`. Their paths are a small part of XPath: children, and at the end of a
//! field an attribute.

use std::collections::{HashMap, HashSet};

use super::lexical::{Decimal, Lexical, normalized};
use super::simple::Variety;
use super::{ElementId, Name, Schema, TypeId};
use crate::xml::tree::{Kind, NodeId, Text, Tree};

/// What a constraint asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Demand {
    Unique,
    Key,
    Reference,
}

impl Demand {
    /// As messages name it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Demand::Unique => "unique",
            Demand::Key => "key",
            Demand::Reference => "keyref",
        }
    }
}

/// The number of a constraint in its schema.
pub(super) type ConstraintId = usize;

#[derive(Debug)]
pub(super) struct Constraint {
    pub(super) demand: Demand,
    pub(super) name: Name,
    pub(super) selector: Vec<Path>,
    pub(super) fields: Vec<Field>,
    /// The constraint that a reference refers to.
    pub(super) referred: Option<ConstraintId>,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) source: Vec<u8>,
    pub(super) paths: Vec<Path>,
}

/// A test of a name; None is `*`, and a namespace without a name is all of that namespace.
#[derive(Debug, Clone)]
struct Test {
    namespace: Option<Option<Text>>,
    local: Option<Text>,
}

impl Test {
    fn takes(&self, (namespace, local): &Name) -> bool {
        self.namespace.as_ref().is_none_or(|own| own == namespace)
            && self.local.as_ref().is_none_or(|own| own == local)
    }
}

#[derive(Debug)]
pub(super) struct Path {
    /// It begins with `.//`.
    is_anywhere: bool,
    steps: Vec<Test>,
    attribute: Option<Test>,
}

/// Reads alternatives of paths; None if that is none of the kind. Prefixes are looked up by `namespace`.
pub(super) fn paths(
    source: &[u8],
    may_end_with_attribute: bool,
    namespace: &dyn Fn(&[u8]) -> Option<Text>,
) -> Option<Vec<Path>> {
    let source = std::str::from_utf8(source).ok()?;
    let paths = source
        .split('|')
        .map(|path| path_of(path.trim(), namespace));
    let paths = paths.collect::<Option<Vec<Path>>>()?;
    let has_attribute = paths.iter().any(|path| path.attribute.is_some());
    (may_end_with_attribute || !has_attribute).then_some(paths)
}

fn path_of(source: &str, namespace: &dyn Fn(&[u8]) -> Option<Text>) -> Option<Path> {
    let mut path = Path {
        is_anywhere: false,
        steps: Vec::new(),
        attribute: None,
    };
    let source = match source.strip_prefix('.').map(str::trim_start) {
        Some(rest) if rest.starts_with("//") => {
            path.is_anywhere = true;
            &rest[2..]
        }
        _ => source,
    };
    let mut steps = source.split('/').map(str::trim).peekable();
    while let Some(step) = steps.next() {
        let attribute = step
            .strip_prefix('@')
            .or_else(|| after_axis(step, "attribute"));
        match attribute {
            // Only the last step is an attribute.
            Some(name) if steps.peek().is_none() => {
                path.attribute = Some(test_of(name.trim(), namespace)?)
            }
            Some(_) => return None,
            None if step == "." => {}
            None => {
                let name = after_axis(step, "child").unwrap_or(step);
                path.steps.push(test_of(name.trim(), namespace)?);
            }
        }
    }
    Some(path)
}

fn after_axis<'s>(step: &'s str, axis: &str) -> Option<&'s str> {
    step.strip_prefix(axis)?.trim_start().strip_prefix("::")
}

fn test_of(name: &str, namespace: &dyn Fn(&[u8]) -> Option<Text>) -> Option<Test> {
    if name == "*" {
        return Some(Test {
            namespace: None,
            local: None,
        });
    }
    let (space, local) = match name.split_once(':') {
        Some((prefix, local)) => (Some(namespace(prefix.as_bytes())?), local),
        // Without a prefix it is a name without a namespace.
        None => (None, name),
    };
    let is_any = local == "*" && space.is_some();
    if !is_any && !crate::xml::parser::is_name(local.as_bytes()) {
        return None;
    }
    Some(Test {
        namespace: Some(space),
        local: (!is_any).then(|| local.as_bytes().into()),
    })
}

impl Path {
    /// Whether this leads to an element, of which the names from below the first element on are given.
    fn leads_to(&self, names: &[Name]) -> bool {
        let fits = match self.is_anywhere {
            true => self.steps.len() <= names.len(),
            false => self.steps.len() == names.len(),
        };
        let mut last = names.iter().rev().zip(self.steps.iter().rev());
        fits && last.all(|(name, step)| step.takes(name))
    }

    /// The nodes that this leads to from an element: elements, each with the name of an attribute if that is meant.
    fn follow(&self, document: &Identified<'_>, from: NodeId) -> Vec<Place> {
        let tree = document.tree;
        let elements = |id| {
            tree.children(id)
                .filter(|&id| tree[id].kind == Kind::Element)
        };
        let mut found = vec![from];
        if self.is_anywhere {
            let mut at = 0;
            while let Some(&id) = found.get(at) {
                found.extend(elements(id));
                at += 1;
            }
        }
        for step in &self.steps {
            let below = found.iter().flat_map(|&id| elements(id));
            found = below.filter(|&id| step.takes(&name_of(tree, id))).collect();
        }
        let Some(attribute) = &self.attribute else {
            return found.into_iter().map(|id| (id, None)).collect();
        };
        let mut places = Vec::new();
        for id in found {
            let written = tree[id].attributes.iter().map(|&id| name_of(tree, id));
            let defaults = document.defaults.get(&id).into_iter().flatten().cloned();
            let names = written.chain(defaults).filter(|name| attribute.takes(name));
            places.extend(names.map(|name| (id, Some(name))));
        }
        places
    }
}

fn name_of(tree: &Tree, id: NodeId) -> Name {
    (tree[id].namespace.clone(), tree[id].name.clone())
}

/// An element, or one of its attributes.
pub(super) type Place = (NodeId, Option<Name>);

/// What an element or attribute of a simple type has.
#[derive(Debug)]
pub(super) enum Known {
    Value(TypeId, Vec<u8>),
    /// It is nil, or its value is wrong.
    Nothing,
}

/// A value to be compared, and as messages show it.
#[derive(Debug, Clone)]
struct Value {
    key: Vec<u8>,
    shown: String,
}

impl Schema {
    /// Values are compared as values of their type: numbers have no zeros in front.
    fn identity_of(&self, kind: TypeId, value: &[u8]) -> Value {
        let simple = self.simple(kind);
        let text = normalized(value, simple.space);
        let shown = String::from_utf8_lossy(&text).into_owned();
        if let Variety::Atomic(lexical @ (Lexical::Decimal | Lexical::Integer(..))) = simple.variety
            && let Some(number) = Decimal::read(&text)
        {
            let sign = if number.is_negative() { "-" } else { "" };
            let part = |digits: &[u8]| match digits {
                [] => "0".to_owned(),
                digits => String::from_utf8_lossy(digits).into_owned(),
            };
            let whole = format!("{sign}{}", part(number.whole));
            let decimal = format!("{whole}.{}", part(number.fraction));
            let key = format!("number {decimal}").into_bytes();
            let shown = if lexical == Lexical::Decimal {
                decimal
            } else {
                whole
            };
            return Value { key, shown };
        }
        let key = [b"text ", &*text].concat();
        Value { key, shown }
    }
}

/// What the constraints of an open element have found below it.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// Sequences of values of its own constraints.
    own: HashMap<ConstraintId, HashSet<Vec<Vec<u8>>>>,
    /// Those of constraints of elements in it, which references may lead to.
    below: HashMap<ConstraintId, HashSet<Vec<Vec<u8>>>>,
    references: Vec<(ConstraintId, NodeId, Vec<Vec<u8>>, String)>,
}

/// Something that a constraint has against a document: where, and what.
pub(super) type Objection = (Place, String);

impl Scope {
    /// An element below was left; `names` are those of the elements that lead to it.
    pub(super) fn leave(
        &mut self,
        document: &Identified<'_>,
        element: ElementId,
        names: &[Name],
        target: NodeId,
        objections: &mut Vec<Objection>,
    ) {
        for &id in &document.schema.elements[element].constraints {
            let constraint = &document.schema.constraints[id];
            for path in &constraint.selector {
                if path.leads_to(names) {
                    self.select(document, id, target, objections);
                }
            }
        }
    }

    fn select(
        &mut self,
        document: &Identified<'_>,
        id: ConstraintId,
        target: NodeId,
        objections: &mut Vec<Objection>,
    ) {
        let constraint = &document.schema.constraints[id];
        let label = format!(
            "{} identity-constraint '{}'",
            constraint.demand.word(),
            super::shown(&constraint.name)
        );
        let fields = constraint.fields.iter();
        let values: Vec<Option<Value>> = fields
            .map(|field| document.field(field, &label, target, objections))
            .collect();
        let Some(values) = values.into_iter().collect::<Option<Vec<Value>>>() else {
            if constraint.demand == Demand::Key {
                objections.push((
                    (target, None),
                    format!("Not all fields of {label} evaluate to a node."),
                ));
            }
            return;
        };
        let shown: Vec<String> = values
            .iter()
            .map(|value| format!("'{}'", value.shown))
            .collect();
        let shown = format!("[{}]", shown.join(", "));
        let sequence = values.into_iter().map(|value| value.key).collect();
        if constraint.demand == Demand::Reference {
            self.references.push((id, target, sequence, shown));
        } else if !self.own.entry(id).or_default().insert(sequence) {
            objections.push((
                (target, None),
                format!("Duplicate key-sequence {shown} in {label}."),
            ));
        }
    }

    /// What references at the end of this element lead to nothing.
    pub(super) fn dangling(&self, schema: &Schema, objections: &mut Vec<Objection>) {
        for (id, target, sequence, shown) in &self.references {
            let constraint = &schema.constraints[*id];
            let has = |found: &HashMap<ConstraintId, HashSet<Vec<Vec<u8>>>>| {
                let referred = constraint
                    .referred
                    .and_then(|referred| found.get(&referred));
                referred.is_some_and(|sequences| sequences.contains(sequence))
            };
            if !has(&self.own) && !has(&self.below) {
                let name = super::shown(&constraint.name);
                let message =
                    format!("No match found for key-sequence {shown} of keyref '{name}'.");
                objections.push(((*target, None), message));
            }
        }
    }

    /// Takes over what an element in this one has found.
    pub(super) fn absorb(&mut self, inner: Scope) {
        for (id, sequences) in inner.own.into_iter().chain(inner.below) {
            self.below.entry(id).or_default().extend(sequences);
        }
    }
}

/// A document whose values are known.
pub(super) struct Identified<'d> {
    pub(super) schema: &'d Schema,
    pub(super) tree: &'d Tree,
    pub(super) known: &'d HashMap<Place, Known>,
    /// The attributes of an element that were added.
    pub(super) defaults: &'d HashMap<NodeId, Vec<Name>>,
}

impl Identified<'_> {
    fn field(
        &self,
        field: &Field,
        label: &str,
        target: NodeId,
        objections: &mut Vec<Objection>,
    ) -> Option<Value> {
        let source = String::from_utf8_lossy(&field.source);
        let mut value = None;
        for path in &field.paths {
            for place in path.follow(self, target) {
                let found = match self.known.get(&place) {
                    Some(Known::Value(kind, value)) => self.schema.identity_of(*kind, value),
                    Some(Known::Nothing) => {
                        let message = "Warning: No precomputed value available, the value was either invalid or something strange happened.";
                        objections.push((place, message.to_owned()));
                        continue;
                    }
                    // An attribute that no type is known of.
                    None if place.1.is_some() => continue,
                    None => {
                        let message = format!(
                            "The XPath '{source}' of a field of {label} does evaluate to a node of non-simple type."
                        );
                        objections.push((place, message));
                        continue;
                    }
                };
                if value.is_some() {
                    let message = format!(
                        "The XPath '{source}' of a field of {label} evaluates to a node-set with more than one member."
                    );
                    objections.push((place, message));
                    continue;
                }
                value = Some(found);
            }
        }
        value
    }
}
