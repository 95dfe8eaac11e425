//! XML Schema: what elements and attributes a document may have, and which values they take.
//!
//! `read.rs` makes a schema of its documents, `content.rs` decides on the order of elements,
//! `simple.rs` on values, and `check.rs` walks the document that is to be validated. Messages and
//! codes are those of libxml2. `identity.rs` has keys and what refers to them. Redefinitions are not built; a schema that
//! has them is refused.

mod check;
mod content;
mod identity;
mod lexical;
mod read;
mod simple;

use std::collections::HashMap;
use std::rc::Rc;

use super::tree::Text;
use content::Automaton;
use identity::{Constraint, ConstraintId};
use simple::Simple;

pub(crate) use check::check;
pub(crate) use read::{Reader, Refusal};

/// The namespace of schema documents.
pub(crate) const XSD: &[u8] = b"http://www.w3.org/2001/XMLSchema";
/// The namespace of the attributes that steer validation in a document.
const INSTANCE: &[u8] = b"http://www.w3.org/2001/XMLSchema-instance";

/// A namespace, if there is one, and a name in it.
type Name = (Option<Text>, Text);

/// Numbers of types and elements, see [`Schema`].
type TypeId = usize;
type ElementId = usize;

/// A schema with all that it refers to.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    types: Vec<Type>,
    named_types: HashMap<Name, TypeId>,
    elements: Vec<Element>,
    /// Those at the top.
    global_elements: HashMap<Name, ElementId>,
    global_attributes: HashMap<Name, Rc<Attribute>>,
    /// Which elements may stand for another one.
    substitutes: HashMap<ElementId, Vec<ElementId>>,
    constraints: Vec<Constraint>,
}

/// A declaration of an element.
#[derive(Debug)]
struct Element {
    name: Name,
    kind: TypeId,
    default: Option<Vec<u8>>,
    fixed: Option<Vec<u8>>,
    may_be_nil: bool,
    is_abstract: bool,
    constraints: Vec<ConstraintId>,
}

#[derive(Debug)]
enum Type {
    Simple(Simple),
    Complex(Rc<Complex>),
    /// A type whose definition is still being read.
    Pending,
}

/// A type of elements with attributes or children.
#[derive(Debug)]
struct Complex {
    content: Content,
    attributes: Vec<Rc<Attribute>>,
    others: Option<Wildcard>,
    is_abstract: bool,
}

/// What stands between start and end of an element.
#[derive(Debug, Clone)]
enum Content {
    Empty,
    Value(TypeId),
    Children {
        /// Where extensions add to.
        particle: Rc<Particle>,
        automaton: Rc<Automaton>,
        is_mixed: bool,
    },
}

/// An attribute that elements of a type may have.
#[derive(Debug, Clone)]
struct Attribute {
    name: Name,
    kind: TypeId,
    is_required: bool,
    /// It was taken away in a restriction.
    is_prohibited: bool,
    default: Option<Vec<u8>>,
    fixed: Option<Vec<u8>>,
}

/// A part of a content model, and how often it comes; for ever without `most`.
#[derive(Debug, Clone)]
struct Particle {
    least: u32,
    most: Option<u32>,
    term: Term,
}

#[derive(Debug, Clone)]
enum Term {
    Element(ElementId),
    Any(Wildcard),
    Sequence(Vec<Rc<Particle>>),
    Choice(Vec<Rc<Particle>>),
    All(Vec<Rc<Particle>>),
}

/// Elements or attributes of some namespaces.
#[derive(Debug, Clone)]
struct Wildcard {
    namespaces: Namespaces,
    how: Processing,
}

#[derive(Debug, Clone)]
enum Namespaces {
    Any,
    /// Any but this one and none.
    Other(Option<Text>),
    Of(Vec<Option<Text>>),
}

/// How far what matches a wildcard is validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Processing {
    Strict,
    Lax,
    Skip,
}

impl Wildcard {
    fn takes(&self, namespace: Option<&[u8]>) -> bool {
        match &self.namespaces {
            Namespaces::Any => true,
            Namespaces::Other(own) => namespace.is_some() && namespace != own.as_deref(),
            Namespaces::Of(listed) => listed.iter().any(|known| known.as_deref() == namespace),
        }
    }
}

impl Schema {
    /// The element of that name at the top.
    fn global(&self, name: &Name) -> Option<ElementId> {
        self.global_elements.get(name).copied()
    }

    /// An element and those that may stand for it.
    fn with_substitutes(&self, element: ElementId) -> Vec<ElementId> {
        let mut all = vec![element];
        let mut at = 0;
        while let Some(&head) = all.get(at) {
            for &member in self.substitutes.get(&head).into_iter().flatten() {
                if !all.contains(&member) {
                    all.push(member);
                }
            }
            at += 1;
        }
        all
    }
}

/// A name as messages show it.
fn shown(name: &Name) -> String {
    let local = String::from_utf8_lossy(&name.1);
    match &name.0 {
        Some(namespace) => format!("{{{}}}{local}", String::from_utf8_lossy(namespace)),
        None => local.into_owned(),
    }
}
