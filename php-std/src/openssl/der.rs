//! The distinguished encoding of ASN.1: as much as keys and certificates need.

pub(super) const BOOLEAN: u8 = 0x01;
pub(super) const INTEGER: u8 = 0x02;
pub(super) const BIT_STRING: u8 = 0x03;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const NULL: u8 = 0x05;
pub(super) const IDENTIFIER: u8 = 0x06;
pub(super) const TELETEX_STRING: u8 = 0x14;
pub(super) const UTC_TIME: u8 = 0x17;
pub(super) const GENERALIZED_TIME: u8 = 0x18;
pub(super) const UNIVERSAL_STRING: u8 = 0x1c;
pub(super) const BMP_STRING: u8 = 0x1e;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// An element: its tag, what is in it, and all of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element<'a> {
    pub(super) tag: u8,
    pub(super) content: &'a [u8],
    pub(super) whole: &'a [u8],
}

/// Reads elements one behind the other; what is malformed gives none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    /// The next element.
    pub(super) fn next(&mut self) -> Option<Element<'a>> {
        let bytes = self.0;
        let (&tag, &first) = (bytes.first()?, bytes.get(1)?);
        let (length, start) = match first {
            0..=0x7f => (usize::from(first), 2),
            0x81..=0x84 => {
                let count = usize::from(first & 0x7f);
                let digits = bytes.get(2..2 + count)?;
                let length = digits
                    .iter()
                    .fold(0, |all, &digit| all << 8 | usize::from(digit));
                (length, 2 + count)
            }
            // Without a length, or with one that nothing has.
            _ => return None,
        };
        // Tags of more than one byte are not used here.
        if tag & 0x1f == 0x1f {
            return None;
        }
        let end = start.checked_add(length)?;
        let content = bytes.get(start..end)?;
        self.0 = &bytes[end..];
        Some(Element {
            tag,
            content,
            whole: &bytes[..end],
        })
    }

    /// What is in the next element, which has this tag.
    pub(super) fn expect(&mut self, tag: u8) -> Option<&'a [u8]> {
        let mut ahead = *self;
        let found = ahead.next().filter(|element| element.tag == tag)?;
        *self = ahead;
        Some(found.content)
    }

    /// Reads what is in a sequence.
    pub(super) fn sequence(&mut self) -> Option<Reader<'a>> {
        self.expect(SEQUENCE).map(Reader)
    }

    /// The digits of a number that is not negative, without zeros in front.
    pub(super) fn integer(&mut self) -> Option<&'a [u8]> {
        let digits = self.expect(INTEGER)?;
        if digits.first().is_none_or(|&digit| digit >= 0x80) {
            return None;
        }
        Some(trimmed(digits))
    }

    /// A string of bits that is one of bytes.
    pub(super) fn bits(&mut self) -> Option<&'a [u8]> {
        let content = self.expect(BIT_STRING)?;
        content.strip_prefix(&[0])
    }

    /// An object identifier, as numbers with dots.
    pub(super) fn identifier(&mut self) -> Option<String> {
        self.expect(IDENTIFIER).map(identifier_text)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Digits without zeros in front.
pub(super) fn trimmed(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|&&digit| digit == 0).count();
    &digits[zeros..]
}

pub(super) fn identifier_text(content: &[u8]) -> String {
    let mut parts: Vec<u64> = Vec::new();
    let mut part = 0u64;
    for &byte in content {
        part = part << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            if parts.is_empty() {
                let first = (part / 40).min(2);
                parts.push(first);
                part -= first * 40;
            }
            parts.push(part);
            part = 0;
        }
    }
    let parts: Vec<String> = parts.iter().map(u64::to_string).collect();
    parts.join(".")
}

/// An element of pieces.
pub(super) fn element(tag: u8, pieces: &[&[u8]]) -> Vec<u8> {
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    let mut result = vec![tag];
    if length < 0x80 {
        result.push(length as u8);
    } else {
        let digits = length.to_be_bytes();
        let digits = trimmed(&digits);
        result.push(0x80 | digits.len() as u8);
        result.extend_from_slice(digits);
    }
    pieces
        .iter()
        .for_each(|piece| result.extend_from_slice(piece));
    result
}

pub(super) fn sequence(pieces: &[&[u8]]) -> Vec<u8> {
    element(SEQUENCE, pieces)
}

/// A number of digits that is not negative.
pub(super) fn integer(digits: &[u8]) -> Vec<u8> {
    let digits = trimmed(digits);
    match digits.first() {
        Some(..0x80) => element(INTEGER, &[digits]),
        _ => element(INTEGER, &[&[0], digits]),
    }
}

pub(super) fn bits(content: &[u8]) -> Vec<u8> {
    element(BIT_STRING, &[&[0], content])
}

pub(super) fn octets(content: &[u8]) -> Vec<u8> {
    element(OCTET_STRING, &[content])
}

pub(super) fn null() -> Vec<u8> {
    vec![NULL, 0]
}

/// An object identifier of numbers with dots.
pub(super) fn identifier(text: &str) -> Vec<u8> {
    let parts: Vec<u64> = text
        .split('.')
        .filter_map(|part| part.parse().ok())
        .collect();
    let mut content = Vec::new();
    let first = parts.first().unwrap_or(&0) * 40 + parts.get(1).unwrap_or(&0);
    for part in std::iter::once(first).chain(parts.into_iter().skip(2)) {
        let sevens = (64 - part.leading_zeros()).div_ceil(7).max(1);
        for at in (0..sevens).rev() {
            let more = if at > 0 { 0x80 } else { 0 };
            content.push((part >> (7 * at)) as u8 & 0x7f | more);
        }
    }
    element(IDENTIFIER, &[&content])
}
