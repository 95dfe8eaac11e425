//! What the document is encoded in.

use crate::iconv::{Converter, Problem};

/// The encodings that libxml knows by itself, as it writes their names.
const OWN: [(&[u8], &[u8]); 8] = [
    (b"UTF-8", b"UTF-8"),
    (b"UTF-16", b"UTF-16"),
    (b"UTF-16LE", b"UTF-16LE"),
    (b"UTF-16BE", b"UTF-16BE"),
    (b"ISO-8859-1", b"ISO-8859-1"),
    (b"ISO-LATIN-1", b"ISO-8859-1"),
    (b"US-ASCII", b"US-ASCII"),
    (b"ASCII", b"ASCII"),
];

/// An encoding by its name.
pub(super) struct Encoding {
    /// As documents say it.
    pub(super) name: Vec<u8>,
    /// None for UTF-8, in which texts are given.
    pub(super) encoder: Option<Encoder>,
}

impl Encoding {
    /// None if there is no such encoding.
    pub(super) fn named(name: &[u8]) -> Option<Encoding> {
        let own = OWN.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        let written = own.map_or(name, |(_, written)| written);
        let encoder = match written.to_ascii_uppercase().as_slice() {
            b"" => return None,
            b"UTF-8" | b"UTF8" => None,
            // Only these of the system's names mean a mark of the order of bytes, which is the machine's.
            b"UTF-16" | b"UTF16" => Some(Encoder::open(b"UTF-16LE", b"\xff\xfe")?),
            _ => Some(Encoder::open(written, b"")?),
        };
        Some(Encoding {
            name: written.to_vec(),
            encoder,
        })
    }
}

/// Writes UTF-8 in another encoding.
pub(super) struct Encoder {
    converter: Converter,
    /// What the document begins with.
    pub(super) mark: &'static [u8],
}

impl Encoder {
    fn open(name: &[u8], mark: &'static [u8]) -> Option<Encoder> {
        Some(Encoder {
            converter: Converter::open(b"UTF-8", name)?,
            mark,
        })
    }

    /// Appends a text; what the encoding does not have becomes references. What is not UTF-8 ends it.
    pub(super) fn append(&mut self, text: &[u8], output: &mut Vec<u8>) {
        let mut rest = text;
        while !rest.is_empty() {
            let (taken, problem) = self.converter.run(Some(rest), output);
            rest = &rest[taken..];
            let character = rest
                .utf8_chunks()
                .next()
                .and_then(|chunk| chunk.valid().chars().next());
            let (Some(Problem::Illegal), Some(character)) = (problem, character) else {
                return;
            };
            let reference = format!("&#{};", u32::from(character));
            self.converter.run(Some(reference.as_bytes()), output);
            rest = &rest[character.len_utf8()..];
        }
    }
}
