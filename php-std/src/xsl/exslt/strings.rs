//! Strings.

use super::super::run::Run;
use super::nodes_of;
use crate::xml::tree::{Kind, Node};
use crate::xml::xpath::{self, Item, Problem, Value};

pub(super) fn call(
    run: &mut Run<'_>,
    name: &[u8],
    arguments: Vec<Value>,
) -> Result<Value, Problem> {
    let count = arguments.len();
    let text_at = |index: usize| -> String {
        let text = arguments.get(index).map(|value| run.text(value));
        String::from_utf8_lossy(&text.unwrap_or_default()).into_owned()
    };
    let (least, most) = match name {
        b"concat" => (1, 1),
        b"tokenize" | b"split" | b"padding" => (1, 2),
        b"encode-uri" => (2, 3),
        b"decode-uri" => (1, 2),
        b"replace" => (3, 3),
        _ => (2, 3),
    };
    if count < least || count > most {
        return Err(Problem::WrongArguments);
    }
    match name {
        b"concat" => {
            let nodes = nodes_of(arguments.into_iter().next().ok_or(Problem::Stack)?)?;
            let mut text = Vec::new();
            for node in nodes {
                text.extend(xpath::string_of(&run.document, &node));
            }
            Ok(Value::Text(text))
        }
        b"tokenize" => {
            let marks = match count {
                2 => text_at(1),
                _ => "\t\r\n ".to_owned(),
            };
            let text = text_at(0);
            let pieces: Vec<String> = match marks.is_empty() {
                true => text.chars().map(String::from).collect(),
                false => text
                    .split(|character| marks.contains(character))
                    .filter(|piece| !piece.is_empty())
                    .map(str::to_owned)
                    .collect(),
            };
            Ok(tokens(run, pieces))
        }
        b"split" => {
            let mark = match count {
                2 => text_at(1),
                _ => " ".to_owned(),
            };
            let text = text_at(0);
            let pieces: Vec<String> = match mark.is_empty() {
                true => text.chars().map(String::from).collect(),
                false => text
                    .split(mark.as_str())
                    .filter(|piece| !piece.is_empty())
                    .map(str::to_owned)
                    .collect(),
            };
            Ok(tokens(run, pieces))
        }
        b"encode-uri" => {
            let escapes_reserved = xpath::truth(&arguments[1]);
            let mut output = Vec::new();
            for byte in text_at(0).bytes() {
                let is_plain = byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte);
                let is_reserved = b";/?:@&=+$,[]".contains(&byte);
                if is_plain || is_reserved && !escapes_reserved {
                    output.push(byte);
                } else {
                    output.extend_from_slice(format!("%{byte:02X}").as_bytes());
                }
            }
            Ok(Value::Text(output))
        }
        b"decode-uri" => {
            let text = text_at(0).into_bytes();
            let mut output = Vec::new();
            let mut at = 0;
            while at < text.len() {
                let code = text
                    .get(at + 1..at + 3)
                    .filter(|_| text[at] == b'%')
                    .and_then(|digits| std::str::from_utf8(digits).ok())
                    .and_then(|digits| u8::from_str_radix(digits, 16).ok());
                match code {
                    Some(byte) => {
                        output.push(byte);
                        at += 3;
                    }
                    None => {
                        output.push(text[at]);
                        at += 1;
                    }
                }
            }
            let is_text = std::str::from_utf8(&output).is_ok();
            Ok(Value::Text(if is_text { output } else { Vec::new() }))
        }
        b"padding" => {
            let length = xpath::value_number(&run.document, &arguments[0]);
            let unit = match count {
                2 => text_at(1),
                _ => " ".to_owned(),
            };
            // libexslt has this limit, too.
            let length = if (0.0..=100_000.0).contains(&length) {
                length as usize
            } else {
                0
            };
            if unit.is_empty() {
                return Ok(Value::Text(Vec::new()));
            }
            let text: String = unit.chars().cycle().take(length).collect();
            Ok(Value::Text(text.into_bytes()))
        }
        b"align" => {
            let (text, padding) = (text_at(0), text_at(1));
            let how = text_at(2);
            let text: Vec<char> = text.chars().collect();
            let padding: Vec<char> = padding.chars().collect();
            let aligned: String = if text.len() >= padding.len() {
                text[..padding.len()].iter().collect()
            } else {
                let start = match how.as_str() {
                    "right" => padding.len() - text.len(),
                    "center" => (padding.len() - text.len()) / 2,
                    _ => 0,
                };
                let before = &padding[..start];
                let behind = &padding[start + text.len()..];
                before.iter().chain(&text).chain(behind).collect()
            };
            Ok(Value::Text(aligned.into_bytes()))
        }
        _ => replace(run, arguments),
    }
}

/// `str:replace()`: the longest of several searches counts first.
fn replace(run: &mut Run<'_>, arguments: Vec<Value>) -> Result<Value, Problem> {
    let texts = |value: &Value| -> Vec<Vec<u8>> {
        match value {
            Value::Nodes(nodes) => nodes
                .iter()
                .map(|node| xpath::string_of(&run.document, node))
                .collect(),
            value => vec![run.text(value)],
        }
    };
    let text = run.text(&arguments[0]);
    let searches = texts(&arguments[1]);
    let replacements = texts(&arguments[2]);
    let mut output = Vec::new();
    let mut at = 0;
    while at < text.len() {
        vm_runtime::limits::poll();
        let found = searches
            .iter()
            .enumerate()
            .filter(|(_, search)| !search.is_empty() && text[at..].starts_with(search))
            .max_by_key(|(_, search)| search.len());
        match found {
            Some((index, search)) => {
                if let Some(replacement) = replacements.get(index) {
                    output.extend_from_slice(replacement);
                }
                at += search.len();
            }
            None => {
                output.push(text[at]);
                at += 1;
            }
        }
    }
    Ok(Value::Text(output))
}

/// Elements `token` for pieces of text.
fn tokens(run: &mut Run<'_>, pieces: Vec<String>) -> Value {
    let mut tree = run.document.write();
    let root = tree.add(Node::new(Kind::Document, b"#document"));
    let mut found = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let token = tree.add(Node::new(Kind::Element, b"token"));
        let text = tree.add_text(Kind::Text, piece.as_bytes());
        tree.append(token, text);
        tree.append(root, token);
        found.push(Item::Node(token));
    }
    Value::Nodes(found)
}
