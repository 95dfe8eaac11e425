//! Messages as mail carries them (S/MIME).

use super::{Family, flags};
use crate::openssl::pem;
use crate::standard::strings::encode::{decode_base64, encode_base64, hexadecimal};

/// A message that was read: its bytes, and the content that stands beside them.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) message: Vec<u8>,
    pub(super) content: Option<Vec<u8>>,
}

/// The lines of a text without their ends; the last one is empty if the text ends with a line.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// A content as it is signed and encrypted: with the line ends of mail, unless it is binary.
pub(super) fn canonical(content: &[u8], given: i64) -> Vec<u8> {
    if given & flags::BINARY != 0 {
        return content.to_vec();
    }
    let mut result = Vec::with_capacity(content.len() + 64);
    if given & flags::TEXT != 0 {
        result.extend_from_slice(b"Content-Type: text/plain\r\n\r\n");
    }
    let mut is_first = true;
    for line in lines(content) {
        if !std::mem::take(&mut is_first) {
            result.extend_from_slice(b"\r\n");
        }
        result.extend_from_slice(line);
    }
    result
}

/// A content without the header of a plain text; nothing if it has none.
pub(super) fn plain_text(content: &[u8]) -> Option<&[u8]> {
    let (headers, body) = split(content)?;
    value_of(&headers, "content-type")?
        .trim_ascii_start()
        .to_ascii_lowercase()
        .starts_with(b"text/plain")
        .then_some(body)
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for line in encode_base64(bytes).chunks(64) {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    text
}

/// What the type of a message is called: the old name, unless flags say otherwise.
fn prefix(family: Family, given: i64) -> &'static str {
    let is_old = match family {
        Family::Pkcs7 => given & flags::NO_OLD_TYPE == 0,
        // What is a wish for the new name there is one for the old name here.
        Family::Cms => given & flags::NO_OLD_TYPE != 0,
    };
    if is_old {
        "application/x-pkcs7-"
    } else {
        "application/pkcs7-"
    }
}

/// A message with its signature beside it.
pub(super) fn detached(family: Family, message: &[u8], content: &[u8], given: i64) -> Vec<u8> {
    let mut random = [0; 16];
    crate::openssl::random_bytes(&mut random);
    let boundary = hexadecimal(&random).to_ascii_uppercase();
    let boundary = String::from_utf8_lossy(&boundary).into_owned();
    let prefix = prefix(family, given);
    let mut text = format!(
        "MIME-Version: 1.0\nContent-Type: multipart/signed; protocol=\"{prefix}signature\"; micalg=\"sha-256\"; \
         boundary=\"----{boundary}\"\n\nThis is an S/MIME signed message\n\n------{boundary}\n"
    )
    .into_bytes();
    text.extend_from_slice(content);
    text.extend_from_slice(
        format!(
            "\n------{boundary}\nContent-Type: {prefix}signature; name=\"smime.p7s\"\n\
             Content-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=\"smime.p7s\"\n\n"
        )
        .as_bytes(),
    );
    text.extend(base64(message));
    text.extend_from_slice(format!("\n------{boundary}--\n\n").as_bytes());
    text
}

/// A message that is alone.
pub(super) fn alone(family: Family, message: &[u8], kind: &str, given: i64) -> Vec<u8> {
    let prefix = prefix(family, given);
    let mut text = format!(
        "MIME-Version: 1.0\nContent-Disposition: attachment; filename=\"smime.p7m\"\n\
         Content-Type: {prefix}mime; smime-type={kind}; name=\"smime.p7m\"\nContent-Transfer-Encoding: base64\n\n"
    )
    .into_bytes();
    text.extend(base64(message));
    text.push(b'\n');
    text
}

/// A header: names in small letters, and values.
type Headers = Vec<(String, Vec<u8>)>;

fn value_of<'a>(headers: &'a Headers, name: &str) -> Option<&'a [u8]> {
    let mut all = headers.iter();
    all.find(|(known, _)| known == name)
        .map(|(_, value)| value.as_slice())
}

/// Splits a text into its header and what follows.
fn split(text: &[u8]) -> Option<(Headers, &[u8])> {
    let mut headers = Headers::new();
    let mut rest = text;
    loop {
        let end = memchr::memchr(b'\n', rest)?;
        let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
        rest = &rest[end + 1..];
        if line.is_empty() {
            return Some((headers, rest));
        }
        match (line[0], headers.last_mut(), memchr::memchr(b':', line)) {
            (b' ' | b'\t', Some((_, value)), _) => value.extend_from_slice(line),
            (_, _, Some(colon)) => {
                let name = String::from_utf8_lossy(&line[..colon]).to_ascii_lowercase();
                headers.push((name, line[colon + 1..].trim_ascii().to_vec()));
            }
            _ => {}
        }
    }
}

/// A parameter of a header's value.
fn parameter(value: &[u8], name: &str) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(value).into_owned();
    text.split(';').skip(1).find_map(|part| {
        let (known, value) = part.split_once('=')?;
        let value = value.trim().trim_matches('"');
        known
            .trim()
            .eq_ignore_ascii_case(name)
            .then(|| value.as_bytes().to_vec())
    })
}

/// The bytes in a body of base64.
fn body(text: &[u8]) -> Option<Vec<u8>> {
    let text: Vec<u8> = text
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    decode_base64(&text, true)
}

/// Reads a message of mail.
pub(super) fn read(text: &[u8]) -> Option<Read> {
    let (headers, rest) = split(text)?;
    let kind = value_of(&headers, "content-type")?;
    let lower = kind.to_ascii_lowercase();
    if !lower.starts_with(b"multipart/signed") {
        let is_message = lower.starts_with(b"application/x-pkcs7-mime")
            || lower.starts_with(b"application/pkcs7-mime");
        return Some(Read {
            message: body(rest).filter(|_| is_message)?,
            content: None,
        });
    }
    let mark = [b"--".as_slice(), &parameter(kind, "boundary")?].concat();
    let mut parts: Vec<Vec<&[u8]>> = Vec::new();
    for line in lines(rest) {
        if line.starts_with(&mark) {
            if line[mark.len()..].starts_with(b"--") {
                break;
            }
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(line);
        }
    }
    let [content, signature] = parts.as_slice() else {
        return None;
    };
    let signature = signature.join(&b'\n');
    let (headers, rest) = split(&signature)?;
    let kind = value_of(&headers, "content-type")?.to_ascii_lowercase();
    let is_signature = kind.starts_with(b"application/x-pkcs7-signature")
        || kind.starts_with(b"application/pkcs7-signature");
    Some(Read {
        message: body(rest).filter(|_| is_signature)?,
        content: Some(content.join(b"\r\n".as_slice())),
    })
}

/// Reads a message in armour.
pub(super) fn read_armoured(text: &[u8]) -> Option<Vec<u8>> {
    let blocks = pem::blocks(text);
    let known = |label: &str| matches!(label, "PKCS7" | "CMS" | "PKCS #7 SIGNED DATA");
    let block = blocks.iter().find(|block| known(&block.label))?;
    block.bytes(b"")
}
