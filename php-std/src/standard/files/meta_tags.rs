//! `get_meta_tags`: what the `meta` elements of a page say, read up to the end of its head.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::open::open_argument;
use crate::support::functions;

functions! {
    "get_meta_tags(path $filename, bool $use_include_path = false): array|false" => get_meta_tags,
}

/// A piece of a page.
#[derive(Debug, PartialEq, Clone, Copy)]
enum Token<'a> {
    Open,
    Close,
    Slash,
    Equals,
    Space,
    /// Letters and digits, then also `-`, `_`, `.` and `:`.
    Word(&'a [u8]),
    /// What stands in quotation marks, which also ends at a NUL byte and in front of `<` and `>`.
    Quoted(&'a [u8]),
    Other,
}

/// The first piece, and what comes behind it.
fn token(page: &[u8]) -> Option<(Token<'_>, &[u8])> {
    let (&first, rest) = page.split_first()?;
    let token = match first {
        b'<' => Token::Open,
        b'>' => Token::Close,
        b'/' => Token::Slash,
        b'=' => Token::Equals,
        b' ' | b'\t' | b'\n' | b'\r' => Token::Space,
        b'"' | b'\'' => {
            let ends = |&byte: &u8| byte == first || matches!(byte, 0 | b'<' | b'>');
            let end = rest.iter().position(ends).unwrap_or(rest.len());
            let skipped = usize::from(
                rest.get(end)
                    .is_some_and(|&byte| byte == first || byte == 0),
            );
            return Some((Token::Quoted(&rest[..end]), &rest[end + skipped..]));
        }
        _ if first.is_ascii_alphanumeric() => {
            let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte);
            let end = page.iter().position(|byte| !belongs(byte));
            let (word, rest) = page.split_at(end.unwrap_or(page.len()));
            return Some((Token::Word(word), rest));
        }
        _ => Token::Other,
    };
    Some((token, rest))
}

/// Which attribute the next value belongs to.
#[derive(Clone, Copy)]
enum Attribute {
    Name,
    Content,
}

/// Names and contents of the `meta` elements, in their order.
fn tags(mut page: &[u8]) -> Vec<(Vec<u8>, &[u8])> {
    let mut found = Vec::new();
    let mut previous = Token::Other;
    let mut is_meta = false;
    let (mut attribute, mut name, mut content) = (None, None, None);
    while let Some((token, rest)) = token(page) {
        page = rest;
        match (previous, token, attribute) {
            (Token::Equals, Token::Word(text) | Token::Quoted(text), Some(known)) if is_meta => {
                match known {
                    Attribute::Name => name = Some(key(text)),
                    Attribute::Content => content = Some(text),
                }
                attribute = None;
            }
            (Token::Open, Token::Word(word), _) => is_meta = word.eq_ignore_ascii_case(b"meta"),
            (Token::Slash, Token::Word(word), _) if word.eq_ignore_ascii_case(b"head") => break,
            (_, Token::Word(word), _) if is_meta => {
                if word.eq_ignore_ascii_case(b"name") {
                    attribute = Some(Attribute::Name);
                } else if word.eq_ignore_ascii_case(b"content") {
                    attribute = Some(Attribute::Content);
                }
            }
            (_, Token::Open, _) => attribute = None,
            (_, Token::Close, _) => {
                if let Some(name) = name.take() {
                    found.push((name, content.unwrap_or_default()));
                }
                (is_meta, attribute, content) = (false, None, None);
            }
            _ => {}
        }
        previous = token;
    }
    found
}

/// The key of a name: in lower case, with `_` for what means something in regular expressions.
fn key(name: &[u8]) -> Vec<u8> {
    let changed = name.iter().map(|&byte| match byte {
        b' ' | b'$' | b'(' | b')' | b'*' | b'+' | b'.' | b'?' | b'[' | b'\\' | b']' | b'^' => b'_',
        byte => byte.to_ascii_lowercase(),
    });
    changed.collect()
}

fn get_meta_tags(call: &mut Call<'_>) -> PhpResult<Value> {
    let along_path = call.bool(1);
    let Some(mut page) = open_argument(call, b"rb", along_path, 2)? else {
        return Ok(false.into());
    };
    let page = match page.read_all() {
        Ok(page) => page,
        Err(error) => {
            super::contents::read_failed(call.vm, &error)?;
            Vec::new()
        }
    };
    let mut table = call.vm.new_array();
    for (name, content) in tags(&page) {
        let content = call.vm.string(content).into();
        let name = call.vm.string(name);
        let key = vm_runtime::array::KeyRef::of_text(&name);
        table.make_mut(call.vm).set(key, content);
    }
    Ok(table.into())
}
