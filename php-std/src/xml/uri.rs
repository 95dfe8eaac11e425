//! References to URIs, and the names of files that they stand for.

use std::borrow::Cow;

use crate::standard::strings::encode::{UrlStyle, decode_url};

/// True for what may be a reference to a URI: all characters may stand where they do.
pub(crate) fn is_uri(uri: &[u8]) -> bool {
    let is_escape = |rest: &[u8]| match rest {
        [first, second, ..] => first.is_ascii_hexdigit() && second.is_ascii_hexdigit(),
        _ => false,
    };
    let is_character = |at: usize, byte: u8| match byte {
        b'%' => is_escape(&uri[at + 1..]),
        b'#' => !uri[..at].contains(&b'#'),
        _ => byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=".contains(&byte),
    };
    if !uri
        .iter()
        .enumerate()
        .all(|(at, &byte)| is_character(at, byte))
    {
        return false;
    }
    // Brackets stand around the number of a host, and anywhere behind `#`.
    let has_bracket = |part: &[u8]| part.iter().any(|byte| b"[]".contains(byte));
    let rest = match has_scheme(uri) {
        true => &uri[memchr::memchr(b':', uri).map_or(0, |at| at + 1)..],
        false => uri,
    };
    let end = |text: &[u8], marks: &[u8]| {
        let found = text.iter().position(|byte| marks.contains(byte));
        found.unwrap_or(text.len())
    };
    let Some(behind) = rest.strip_prefix(b"//") else {
        // The first part of a relative path would be taken for a scheme.
        return !has_bracket(&rest[..end(rest, b"#")])
            && (rest.len() < uri.len() || !rest[..end(rest, b"/?#")].contains(&b':'));
    };
    let (authority, path) = behind.split_at(end(behind, b"/?#"));
    if has_bracket(&path[..end(path, b"#")]) {
        return false;
    }
    let host = authority.iter().rposition(|&byte| byte == b'@');
    let host = &authority[host.map_or(0, |at| at + 1)..];
    let port = match host.first() {
        Some(b'[') => match memchr::memchr(b']', host) {
            Some(close) => &host[close + 1..],
            None => return false,
        },
        _ => &host[end(host, b":")..],
    };
    match port.split_first() {
        None => true,
        Some((b':', digits)) => digits.iter().all(u8::is_ascii_digit),
        Some(_) => false,
    }
}

/// True for a URI that does not depend on where it stands.
pub(crate) fn has_scheme(uri: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', uri) else {
        return false;
    };
    let scheme = &uri[..colon];
    scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
}

/// The file that a reference names: what stands for bytes by their numbers is one of them, if it is a path or one of
/// `file:`. What is no reference is a name as it stands.
pub(crate) fn file_of(uri: &[u8]) -> Cow<'_, [u8]> {
    let is_local = !has_scheme(uri) || uri.starts_with(b"file:");
    if !is_local || !uri.contains(&b'%') || !is_uri(uri) {
        return Cow::Borrowed(uri);
    }
    let file = decode_url(uri, UrlStyle::Raw);
    match file.contains(&0) {
        true => Cow::Borrowed(uri),
        false => Cow::Owned(file),
    }
}

/// The reference that names a file: the name itself if it is one.
pub(crate) fn of_file(name: &[u8]) -> Vec<u8> {
    if is_uri(name) {
        return name.to_vec();
    }
    let mut uri = Vec::with_capacity(name.len());
    for &byte in name {
        let is_plain = byte.is_ascii_alphanumeric() || b"-_.!~*'()/?;:@&=+$,".contains(&byte);
        if is_plain {
            uri.push(byte);
        } else {
            uri.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
    uri
}
