//! Simple types: values, and the facets that restrict them.

use std::cmp::Ordering;

use super::lexical::{Decimal, Lexical, Space, normalized};
use super::{Name, Namespaces, Schema, Type, TypeId, Wildcard, shown};
use crate::pcre::{Machine, Regex};

/// A simple type.
#[derive(Debug, Clone)]
pub(super) struct Simple {
    /// None if it has no name.
    pub(super) name: Option<Name>,
    pub(super) is_built_in: bool,
    pub(super) variety: Variety,
    pub(super) facets: Vec<Facet>,
    pub(super) space: Space,
}

#[derive(Debug, Clone)]
pub(super) enum Variety {
    Atomic(Lexical),
    List(TypeId),
    Union(Vec<TypeId>),
}

/// A restriction of values.
#[derive(Debug, Clone)]
pub(super) enum Facet {
    /// One of several patterns, each as it is written and as it is matched.
    Patterns(Vec<(Vec<u8>, std::rc::Rc<Regex>)>),
    OneOf(Vec<Vec<u8>>),
    Length(usize),
    LeastLength(usize),
    MostLength(usize),
    /// The value itself is allowed if the flag is set.
    AtLeast(Vec<u8>, bool),
    AtMost(Vec<u8>, bool),
    Digits(usize),
    FractionDigits(usize),
}

/// A code of libxml2 and the message behind the name of the element.
pub(super) type Problem = (i64, String);

/// How values are looked at: prefixes that have a meaning, identifiers that are taken.
pub(super) struct Surroundings<'s> {
    pub(super) knows_prefix: &'s dyn Fn(&[u8]) -> bool,
    pub(super) machine: &'s Machine,
    /// Whether an identifier is a new one.
    pub(super) note_id: &'s mut dyn FnMut(&[u8]) -> bool,
}

impl Schema {
    /// A simple type by its number; that of any value for what is none.
    pub(super) fn simple(&self, id: TypeId) -> &Simple {
        match (&self.types[id], &self.types[ANY_VALUE]) {
            (Type::Simple(simple), _) | (_, Type::Simple(simple)) => simple,
            _ => unreachable!("the type of any value comes first"),
        }
    }

    /// What is wrong with a value.
    pub(super) fn problems(
        &self,
        id: TypeId,
        value: &[u8],
        around: &mut Surroundings<'_>,
    ) -> Vec<Problem> {
        let simple = self.simple(id);
        let value = &normalized(value, simple.space);
        let shown_value = String::from_utf8_lossy(value).into_owned();
        let invalid = |code: i64, kind: &str| {
            (
                code,
                format!(
                    "'{shown_value}' is not a valid value of the {}.",
                    simple.description(kind)
                ),
            )
        };
        match &simple.variety {
            Variety::Atomic(lexical) => {
                if !lexical.takes(value) {
                    return vec![invalid(1824, "atomic type")];
                }
                if let (Lexical::QualifiedName, Some(colon)) =
                    (lexical, memchr::memchr(b':', value))
                    && !(around.knows_prefix)(&value[..colon])
                {
                    let message = format!(
                        "The QName value '{shown_value}' has no corresponding namespace declaration in scope."
                    );
                    return vec![(1824, message), invalid(1824, "atomic type")];
                }
                if *lexical == Lexical::Id && !(around.note_id)(value) {
                    return vec![invalid(1824, "atomic type")];
                }
            }
            Variety::List(item) => {
                for word in value
                    .split(|&byte| byte == b' ')
                    .filter(|word| !word.is_empty())
                {
                    let mut problems = self.problems(*item, word, around);
                    if !problems.is_empty() {
                        problems.push(invalid(1825, "list type"));
                        return problems;
                    }
                }
            }
            Variety::Union(members) => {
                let mut fits = |&member: &TypeId| self.problems(member, value, around).is_empty();
                if !members.iter().any(&mut fits) {
                    return vec![invalid(1826, "union type")];
                }
            }
        }
        let broken = simple.facets.iter();
        broken
            .filter_map(|facet| self.broken(simple, facet, value, around.machine))
            .collect()
    }

    /// What is wrong with a value by one facet.
    fn broken(
        &self,
        simple: &Simple,
        facet: &Facet,
        value: &[u8],
        machine: &Machine,
    ) -> Option<Problem> {
        let shown_value = String::from_utf8_lossy(value);
        let lexical = match simple.variety {
            Variety::Atomic(lexical) => lexical,
            _ => Lexical::Text,
        };
        let length = || match simple.variety {
            Variety::List(_) => value
                .split(|&byte| byte == b' ')
                .filter(|word| !word.is_empty())
                .count(),
            _ => lexical.length(value),
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (code, name, message) = match facet {
            Facet::Patterns(patterns) => {
                let is_match = |(_, regex): &(Vec<u8>, std::rc::Rc<Regex>)| {
                    matches!(regex.matcher(machine, value).find(0, false), Ok(true))
                };
                if patterns.iter().any(is_match) {
                    return None;
                }
                let patterns: Vec<String> =
                    patterns.iter().map(|(source, _)| text(source)).collect();
                let message = format!("is not accepted by the pattern '{}'.", patterns.join("|"));
                (1839, "pattern", message)
            }
            Facet::OneOf(values) => {
                let is_same =
                    |known: &Vec<u8>| lexical.compare(known, value) == Some(Ordering::Equal);
                if values.iter().any(is_same) {
                    return None;
                }
                let values: Vec<String> = values
                    .iter()
                    .map(|value| format!("'{}'", text(value)))
                    .collect();
                (
                    1840,
                    "enumeration",
                    format!("is not an element of the set {{{}}}.", values.join(", ")),
                )
            }
            Facet::Length(wanted) if length() != *wanted => (
                1830,
                "length",
                format!(
                    "has a length of '{}'; this differs from the allowed length of '{wanted}'.",
                    length()
                ),
            ),
            Facet::LeastLength(least) if length() < *least => (
                1831,
                "minLength",
                format!(
                    "has a length of '{}'; this underruns the allowed minimum length of '{least}'.",
                    length()
                ),
            ),
            Facet::MostLength(most) if length() > *most => (
                1832,
                "maxLength",
                format!(
                    "has a length of '{}'; this exceeds the allowed maximum length of '{most}'.",
                    length()
                ),
            ),
            Facet::AtLeast(least, is_inclusive) => {
                match (lexical.compare(value, least)?, is_inclusive) {
                    (Ordering::Greater, _) | (Ordering::Equal, true) => return None,
                    (_, true) => (
                        1833,
                        "minInclusive",
                        format!(
                            "is less than the minimum value allowed ('{}').",
                            text(least)
                        ),
                    ),
                    (_, false) => (
                        1835,
                        "minExclusive",
                        format!("must be greater than '{}'.", text(least)),
                    ),
                }
            }
            Facet::AtMost(most, is_inclusive) => {
                match (lexical.compare(value, most)?, is_inclusive) {
                    (Ordering::Less, _) | (Ordering::Equal, true) => return None,
                    (_, true) => (
                        1834,
                        "maxInclusive",
                        format!(
                            "is greater than the maximum value allowed ('{}').",
                            text(most)
                        ),
                    ),
                    (_, false) => (
                        1836,
                        "maxExclusive",
                        format!("must be less than '{}'.", text(most)),
                    ),
                }
            }
            Facet::Digits(most) => {
                let number = Decimal::read(value)?;
                if number.whole.len() + number.fraction.len() <= *most {
                    return None;
                }
                (
                    1837,
                    "totalDigits",
                    format!("has more digits than are allowed ('{most}')."),
                )
            }
            Facet::FractionDigits(most) => {
                if Decimal::read(value)?.fraction.len() <= *most {
                    return None;
                }
                let message = format!("has more fractional digits than are allowed ('{most}').");
                (1838, "fractionDigits", message)
            }
            _ => return None,
        };
        let shown_name = if name.ends_with("ength") {
            // Of what has a length only that is said.
            format!("[facet '{name}'] The value {message}")
        } else {
            format!("[facet '{name}'] The value '{shown_value}' {message}")
        };
        Some((code, shown_name))
    }
}

/// The number of the type of any value.
pub(super) const ANY_VALUE: TypeId = 1;

impl Simple {
    /// `atomic type 'xs:int'`, `local atomic type`.
    fn description(&self, kind: &str) -> String {
        match &self.name {
            Some(name) if self.is_built_in => {
                format!("{kind} 'xs:{}'", String::from_utf8_lossy(&name.1))
            }
            Some(name) => format!("{kind} '{}'", shown(name)),
            None => format!("local {kind}"),
        }
    }
}

/// A pattern of a schema, which is about the whole value, as one of PCRE.
pub(super) fn compiled_pattern(source: &[u8]) -> Option<Regex> {
    let mut pattern = b"\\A(?:".to_vec();
    let mut class_start = None;
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        at += 1;
        let in_class = class_start.is_some();
        match byte {
            b'\\' => {
                let escaped = *source.get(at)?;
                at += 1;
                let meaning: &[u8] = match (escaped, in_class) {
                    (b'i', true) => b"\\p{L}_:",
                    (b'i', false) => b"[\\p{L}_:]",
                    (b'I', false) => b"[^\\p{L}_:]",
                    (b'c', true) => b"\\p{L}\\p{M}\\p{Nd}._:\\-",
                    (b'c', false) => b"[\\p{L}\\p{M}\\p{Nd}._:\\-]",
                    (b'C', false) => b"[^\\p{L}\\p{M}\\p{Nd}._:\\-]",
                    (b'd', _) => b"\\p{Nd}",
                    (b'D', _) => b"\\P{Nd}",
                    (b'w', true) => b"\\p{L}\\p{M}\\p{N}\\p{S}",
                    (b'w', false) => b"[\\p{L}\\p{M}\\p{N}\\p{S}]",
                    (b'W', true) => b"\\p{P}\\p{Z}\\p{C}",
                    (b'W', false) => b"[\\p{P}\\p{Z}\\p{C}]",
                    (b's', true) => b" \\t\\n\\r",
                    (b's', false) => b"[ \\t\\n\\r]",
                    (b'S', false) => b"[^ \\t\\n\\r]",
                    (b'I' | b'C' | b'S', true) => return None,
                    _ => {
                        pattern.push(b'\\');
                        &source[at - 1..at]
                    }
                };
                pattern.extend_from_slice(meaning);
            }
            b'[' if !in_class => {
                class_start = Some(pattern.len());
                pattern.push(b'[');
                if source.get(at) == Some(&b'^') {
                    at += 1;
                    pattern.push(b'^');
                }
            }
            // What is taken away from a class may not stand there.
            b'-' if in_class && source.get(at) == Some(&b'[') => {
                let end = at + memchr::memmem::find(&source[at..], b"]]")? + 1;
                let class = pattern.split_off(class_start.take()?);
                for part in [b"(?!", &source[at..end], b")", &class, b"]"] {
                    pattern.extend_from_slice(part);
                }
                at = end + 1;
            }
            b']' if in_class => {
                class_start = None;
                pattern.push(b']');
            }
            b'^' | b'$' if !in_class => pattern.extend_from_slice(&[b'\\', byte]),
            b'.' if !in_class => pattern.extend_from_slice(b"[^\\n\\r]"),
            other => pattern.push(other),
        }
    }
    pattern.extend_from_slice(b")\\z");
    Regex::compile(&pattern, crate::pcre::UTF, 0, false).ok()
}

/// How messages show a wildcard.
pub(super) fn wildcard_text(wildcard: &Wildcard) -> String {
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    match &wildcard.namespaces {
        Namespaces::Any => "*".to_owned(),
        Namespaces::Other(Some(own)) => format!("##other{{{}}}*", text(own)),
        Namespaces::Other(None) => "##other*".to_owned(),
        Namespaces::Of(listed) => {
            let shown = |namespace: &Option<super::Text>| match namespace {
                Some(namespace) => format!("{{{}}}*", text(namespace)),
                None => "*".to_owned(),
            };
            listed.iter().map(shown).collect::<Vec<_>>().join(", ")
        }
    }
}
