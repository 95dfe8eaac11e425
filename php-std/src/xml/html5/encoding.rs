//! The encoding of an HTML document: its mark, what it says in its head, and how it is written.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// How far a `meta` element that tells the encoding is looked for.
const PRESCAN: usize = 1024;

/// A document as text, and the encoding it was in.
pub(crate) fn decode(
    bytes: &[u8],
    forced: Option<&'static Encoding>,
) -> (String, &'static Encoding) {
    let marked = Encoding::for_bom(bytes);
    let encoding = forced
        .or(marked.map(|(encoding, _)| encoding))
        .or_else(|| prescan(&bytes[..bytes.len().min(PRESCAN)]))
        .unwrap_or(UTF_8);
    let bytes = match marked {
        Some((_, length)) => &bytes[length..],
        None => bytes,
    };
    let text = encoding.decode_without_bom_handling(bytes).0.into_owned();
    (text, encoding)
}

/// Text of a document in its encoding.
pub(crate) fn encode(text: Vec<u8>, name: Option<&[u8]>) -> Vec<u8> {
    let encoding = name.and_then(Encoding::for_label).unwrap_or(UTF_8);
    let text = match String::from_utf8(text) {
        Ok(text) if encoding == UTF_8 => return text.into_bytes(),
        Ok(text) => text,
        Err(broken) => String::from_utf8_lossy(broken.as_bytes()).into_owned(),
    };
    if encoding == UTF_16LE {
        return text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    }
    if encoding == UTF_16BE {
        return text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    }
    let mut output = Vec::with_capacity(text.len());
    let mut encoder = encoding.new_encoder();
    let mut rest = text.as_str();
    loop {
        let mut part = vec![
            0;
            encoder
                .max_buffer_length_from_utf8_without_replacement(rest.len())
                .unwrap_or(rest.len() * 4 + 16)
        ];
        let (result, read, written) =
            encoder.encode_from_utf8_without_replacement(rest, &mut part, true);
        output.extend_from_slice(&part[..written]);
        rest = &rest[read..];
        match result {
            encoding_rs::EncoderResult::InputEmpty => return output,
            encoding_rs::EncoderResult::Unmappable(_) => output.push(b'?'),
            encoding_rs::EncoderResult::OutputFull => {}
        }
    }
}

/// The encoding that a `meta` element tells.
fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut rest = bytes;
    loop {
        let start = memchr::memchr(b'<', rest)?;
        rest = &rest[start..];
        if rest.starts_with(b"<!--") {
            let end = memchr::memmem::find(&rest[2..], b"-->")?;
            rest = &rest[end + 5..];
            continue;
        }
        let is_meta = rest.len() > 5
            && rest[1..5].eq_ignore_ascii_case(b"meta")
            && matches!(rest[5], b' ' | b'\t' | b'\n' | b'\x0c' | b'\r' | b'/');
        if !is_meta {
            rest = &rest[1..];
            continue;
        }
        rest = &rest[5..];
        let (mut charset, mut content, mut is_type) = (None, None, false);
        while let Some((name, value, behind)) = attribute(rest) {
            rest = behind;
            match name.as_slice() {
                b"charset" => charset = charset.or_else(|| Encoding::for_label(&value)),
                b"http-equiv" => is_type |= value.eq_ignore_ascii_case(b"content-type"),
                b"content" => content = content.or_else(|| charset_of(&value)),
                _ => {}
            }
        }
        if let Some(found) = charset.or(content.filter(|_| is_type)) {
            // A document in UTF-16 could not have been read up to here.
            let is_wide = found == UTF_16LE || found == UTF_16BE;
            return Some(if is_wide { UTF_8 } else { found });
        }
    }
}

/// `charset=...` in the content of a `meta` element.
fn charset_of(content: &[u8]) -> Option<&'static Encoding> {
    let lowercase = content.to_ascii_lowercase();
    let at = memchr::memmem::find(&lowercase, b"charset")? + 7;
    let rest = lowercase[at..].trim_ascii_start().strip_prefix(b"=")?;
    let rest = rest.trim_ascii_start();
    let label = match rest.first()? {
        quote @ (b'"' | b'\'') => rest[1..].split(|byte| byte == quote).next()?,
        _ => rest
            .split(|byte| byte.is_ascii_whitespace() || *byte == b';')
            .next()?,
    };
    Encoding::for_label(label)
}

/// The next attribute of a tag: name, value and what is behind it.
fn attribute(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>, &[u8])> {
    let skip = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'/';
    let start = text.iter().position(|byte| !skip(byte))?;
    let text = &text[start..];
    if text[0] == b'>' {
        return None;
    }
    let end = text
        .iter()
        .position(|byte| matches!(byte, b'=' | b'>') || skip(byte))
        .unwrap_or(text.len());
    let name = text[..end].to_ascii_lowercase();
    let behind = text[end..].trim_ascii_start();
    let Some(value) = behind.strip_prefix(b"=") else {
        return Some((name, Vec::new(), behind));
    };
    let value = value.trim_ascii_start();
    match value.first() {
        Some(quote @ (b'"' | b'\'')) => {
            let end = value[1..].iter().position(|byte| byte == quote)?;
            Some((name, value[1..=end].to_vec(), &value[end + 2..]))
        }
        _ => {
            let end = value
                .iter()
                .position(|byte| *byte == b'>' || byte.is_ascii_whitespace())
                .unwrap_or(value.len());
            Some((name, value[..end].to_vec(), &value[end..]))
        }
    }
}
