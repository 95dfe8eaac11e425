//! XPath's own functions.

use std::collections::HashMap;

use vm_runtime::limits;

use super::evaluate::{Context, boolean, call_host, number, sorted, string_of, text};
use super::{Item, Problem, Value};
use crate::xml::tree::{Kind, NodeId};

/// Calls a function of the core library.
pub(super) fn call_core(
    name: &[u8],
    mut arguments: Vec<Value>,
    context: &mut Context<'_>,
) -> Result<Value, Problem> {
    let document = context.document;
    let (least, most) = match name {
        b"last" | b"position" | b"true" | b"false" => (0, 0),
        b"count" | b"id" | b"boolean" | b"not" | b"lang" | b"sum" | b"floor" | b"ceiling"
        | b"round" => (1, 1),
        b"local-name" | b"namespace-uri" | b"name" | b"string" | b"string-length"
        | b"normalize-space" | b"number" => (0, 1),
        b"starts-with" | b"contains" | b"substring-before" | b"substring-after" => (2, 2),
        b"translate" => (3, 3),
        b"substring" => (2, 3),
        b"concat" => (2, usize::MAX),
        _ => return call_host(context, b"", name, arguments),
    };
    if arguments.len() < least || arguments.len() > most {
        return Err(Problem::WrongArguments);
    }
    // Left out, the context node stands for it.
    if arguments.is_empty() && most == 1 {
        arguments.push(Value::Nodes(vec![context.node.clone()]));
    }
    let text_at = |index: usize| text(document, &arguments[index]);
    let number_at = |index: usize| number(document, &arguments[index]);
    Ok(match name {
        b"last" if context.size == 0 => return Err(Problem::NoSize),
        b"last" => Value::Number(context.size as f64),
        b"position" if context.position == 0 => return Err(Problem::NoPosition),
        b"position" => Value::Number(context.position as f64),
        b"true" => Value::Bool(true),
        b"false" => Value::Bool(false),
        b"count" => match &arguments[0] {
            Value::Nodes(nodes) => Value::Number(nodes.len() as f64),
            Value::Tree(_) => Value::Number(1.0),
            _ => return Err(Problem::InvalidType),
        },
        b"sum" => match &arguments[0] {
            Value::Nodes(nodes) => Value::Number(
                nodes
                    .iter()
                    .map(|node| number(document, &Value::Text(string_of(document, node))))
                    .sum(),
            ),
            _ => return Err(Problem::InvalidType),
        },
        b"id" => {
            let names: Vec<Vec<u8>> = match &arguments[0] {
                Value::Nodes(nodes) => nodes.iter().map(|node| string_of(document, node)).collect(),
                value => vec![text(document, value)],
            };
            let mut found: Vec<Item> = Vec::new();
            {
                let tree = document.read();
                let top = match &context.node {
                    Item::Node(id) | Item::Namespace(id, ..) if context.host.is_forest() => {
                        tree.root_of(*id)
                    }
                    _ => crate::xml::tree::ROOT,
                };
                for name in names
                    .iter()
                    .flat_map(|names| names.split(u8::is_ascii_whitespace))
                {
                    found.extend(tree.element_by_id_below(top, name).map(Item::Node));
                }
            }
            Value::Nodes(sorted(found, context))
        }
        b"boolean" => Value::Bool(boolean(&arguments[0])),
        b"not" => Value::Bool(!boolean(&arguments[0])),
        b"number" => Value::Number(number_at(0)),
        b"string" => Value::Text(text_at(0)),
        b"floor" => Value::Number(number_at(0).floor()),
        b"ceiling" => Value::Number(number_at(0).ceil()),
        b"round" => {
            let number = number_at(0);
            Value::Number((number + 0.5).floor())
        }
        b"local-name" | b"namespace-uri" | b"name" => {
            let Value::Nodes(nodes) = &arguments[0] else {
                return Err(Problem::InvalidType);
            };
            Value::Text(
                nodes
                    .first()
                    .map_or(Vec::new(), |item| name_of(context, item, name)),
            )
        }
        b"lang" => Value::Bool(is_in_language(context, &text_at(0))),
        b"string-length" => {
            let text = text_at(0);
            Value::Number(String::from_utf8_lossy(&text).chars().count() as f64)
        }
        b"normalize-space" => {
            let text = text_at(0);
            let words: Vec<&[u8]> = text
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty())
                .collect();
            Value::Text(words.join(&b' '))
        }
        b"starts-with" => Value::Bool(text_at(0).starts_with(&text_at(1))),
        b"contains" => Value::Bool(memchr::memmem::find(&text_at(0), &text_at(1)).is_some()),
        b"substring-before" => {
            let (text, mark) = (text_at(0), text_at(1));
            let end = memchr::memmem::find(&text, &mark).unwrap_or(0);
            Value::Text(text[..end].to_vec())
        }
        b"substring-after" => {
            let (text, mark) = (text_at(0), text_at(1));
            let start = memchr::memmem::find(&text, &mark).map(|at| at + mark.len());
            Value::Text(start.map_or(Vec::new(), |start| text[start..].to_vec()))
        }
        b"substring" => {
            let text = text_at(0);
            let text = String::from_utf8_lossy(&text);
            let start = (number_at(1) + 0.5).floor();
            let end = match arguments.len() {
                3 => start + (number_at(2) + 0.5).floor(),
                _ => f64::INFINITY,
            };
            let part: String = text
                .chars()
                .enumerate()
                .filter(|(index, _)| {
                    let place = (*index + 1) as f64;
                    place >= start && place < end
                })
                .map(|(_, character)| character)
                .collect();
            Value::Text(part.into_bytes())
        }
        b"translate" => {
            let (text, from, to) = (text_at(0), text_at(1), text_at(2));
            let (text, from, to) = (
                String::from_utf8_lossy(&text),
                String::from_utf8_lossy(&from),
                String::from_utf8_lossy(&to),
            );
            let mut table: HashMap<char, Option<char>> = HashMap::new();
            let mut to = to.chars();
            for character in from.chars() {
                let wanted = to.next();
                // The first of the same ones counts.
                table.entry(character).or_insert(wanted);
            }
            let changed: String = text
                .chars()
                .inspect(|_| limits::poll())
                .filter_map(|character| match table.get(&character) {
                    Some(wanted) => *wanted,
                    None => Some(character),
                })
                .collect();
            Value::Text(changed.into_bytes())
        }
        _ => Value::Text(
            arguments
                .iter()
                .flat_map(|argument| text(document, argument))
                .collect(),
        ),
    })
}

fn name_of(context: &Context<'_>, item: &Item, what: &[u8]) -> Vec<u8> {
    let tree = context.document.read();
    let Item::Node(id) = *item else {
        return match item {
            Item::Namespace(_, prefix, _) if what != b"namespace-uri" => prefix.clone(),
            _ => Vec::new(),
        };
    };
    let node = &tree[id];
    if !matches!(
        node.kind,
        Kind::Element | Kind::Attribute | Kind::ProcessingInstruction
    ) {
        return Vec::new();
    }
    match what {
        b"local-name" => node.name.to_vec(),
        b"namespace-uri" => node.namespace.as_deref().unwrap_or_default().to_vec(),
        _ => node.qualified_name(),
    }
}

/// True if `xml:lang` says that the context node is in a language, or in a kind of it.
fn is_in_language(context: &Context<'_>, wanted: &[u8]) -> bool {
    let tree = context.document.read();
    let Item::Node(id) = context.node else {
        return false;
    };
    let mut at: Option<NodeId> = Some(id);
    while let Some(node) = at {
        if let Some(attribute) = tree.attribute(node, b"xml:lang") {
            let language = &tree[attribute].value;
            return language.len() >= wanted.len()
                && language[..wanted.len()].eq_ignore_ascii_case(wanted)
                && matches!(language.get(wanted.len()), None | Some(b'-'));
        }
        at = tree[node].parent;
    }
    false
}
