//! The encoding of a document.

/// Text in UTF-8, and the name of the encoding that it was in.
pub(super) type Decoded = (Vec<u8>, Option<Vec<u8>>);

/// The document in UTF-8, the encoding it says it has, and if that is known.
pub(super) fn decoded(bytes: &[u8], forced: Option<&[u8]>) -> Result<Decoded, Vec<u8>> {
    let convert = |encoding: &'static encoding_rs::Encoding, bytes: &[u8]| {
        encoding
            .decode_with_bom_removal(bytes)
            .0
            .into_owned()
            .into_bytes()
    };
    if let Some(name) = forced {
        return match encoding_rs::Encoding::for_label(name) {
            Some(encoding) if encoding != encoding_rs::UTF_8 => {
                Ok((convert(encoding, bytes), None))
            }
            _ => Ok((bytes.to_vec(), None)),
        };
    }
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => return Ok((rest.to_vec(), None)),
        [0xff, 0xfe, ..] | [b'<', 0, _, 0, ..] => {
            return Ok((
                convert(encoding_rs::UTF_16LE, bytes),
                Some(b"UTF-16".to_vec()),
            ));
        }
        [0xfe, 0xff, ..] | [0, b'<', 0, _, ..] => {
            return Ok((
                convert(encoding_rs::UTF_16BE, bytes),
                Some(b"UTF-16".to_vec()),
            ));
        }
        _ => {}
    }
    let Some(end) = bytes
        .strip_prefix(b"<?xml")
        .and_then(|rest| memchr::memchr(b'>', rest))
    else {
        return Ok((bytes.to_vec(), None));
    };
    let head = &bytes[5..5 + end];
    let Some(place) = memchr::memmem::find(head, b"encoding") else {
        return Ok((bytes.to_vec(), None));
    };
    let rest = head[place + 8..].trim_ascii_start();
    let rest = rest.strip_prefix(b"=").unwrap_or(rest).trim_ascii_start();
    let Some((&quote, rest)) = rest.split_first() else {
        return Ok((bytes.to_vec(), None));
    };
    let name = &rest[..memchr::memchr(quote, rest).unwrap_or(rest.len())];
    let known = match name.to_ascii_uppercase().as_slice() {
        b"UTF-8" | b"UTF8" | b"US-ASCII" | b"ASCII" => Some(encoding_rs::UTF_8),
        b"UTF-16" => Some(encoding_rs::UTF_8),
        b"ISO-8859-1" | b"LATIN1" | b"ISO-LATIN-1" => {
            return Ok((
                bytes
                    .iter()
                    .map(|&byte| byte as char)
                    .collect::<String>()
                    .into_bytes(),
                None,
            ));
        }
        _ => encoding_rs::Encoding::for_label(name),
    };
    match known {
        Some(encoding) if encoding == encoding_rs::UTF_8 => Ok((bytes.to_vec(), None)),
        Some(encoding) => Ok((convert(encoding, bytes), None)),
        None => Err(name.to_vec()),
    }
}
