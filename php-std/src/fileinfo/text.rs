//! Whether bytes are text, in which encoding, and what its lines are like.

/// Text in an encoding.
pub(super) struct Encoding {
    /// What a description calls it.
    pub(super) name: &'static str,
    /// What a MIME type calls it.
    pub(super) label: &'static str,
    /// The characters; none if a number among them is none.
    pub(super) characters: Option<Vec<u32>>,
}

/// How a byte is used in text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Never,
    Ascii,
    Latin,
    /// In sets of characters that extend Latin 1.
    Extended,
}

fn use_of(byte: u8) -> Use {
    match byte {
        7..=13 | 27 | b' '..=b'~' | 0x85 => Use::Ascii,
        0xa0.. => Use::Latin,
        0x80.. => Use::Extended,
        _ => Use::Never,
    }
}

/// True for ASCII or UTF-8 without control characters.
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    utf8(bytes).is_some()
}

/// The characters of UTF-8, the last of which may be cut off if another one shows what it is.
fn utf8(bytes: &[u8]) -> Option<Vec<u32>> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            let whole = std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?;
            (!whole.is_ascii()).then_some(whole)?
        }
        Err(_) => return None,
    };
    let is_text = |character: char| {
        let byte = u8::try_from(u32::from(character)).unwrap_or(0x85);
        byte >= 0x80 || use_of(byte) == Use::Ascii
    };
    text.chars()
        .all(is_text)
        .then(|| text.chars().map(u32::from).collect())
}

/// Units of UTF-16 or UTF-32 behind a mark of their order.
fn wide(bytes: &[u8]) -> Option<(&'static str, &'static str, Option<Vec<u32>>)> {
    let (size, is_big, name, label) = match bytes {
        [0xff, 0xfe, 0, 0, ..] => (4, false, "Unicode text, UTF-32, little-endian", "utf-32le"),
        [0, 0, 0xfe, 0xff, ..] => (4, true, "Unicode text, UTF-32, big-endian", "utf-32be"),
        [0xff, 0xfe, ..] => (2, false, "Unicode text, UTF-16, little-endian", "utf-16le"),
        [0xfe, 0xff, ..] => (2, true, "Unicode text, UTF-16, big-endian", "utf-16be"),
        _ => return None,
    };
    let mut characters = Vec::new();
    let mut high = None;
    for unit in bytes[size..].chunks_exact(size) {
        let fold = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        let unit = match is_big {
            true => unit.iter().fold(0, fold),
            false => unit.iter().rev().fold(0, fold),
        };
        let is_control = unit < 0x80 && use_of(unit as u8) != Use::Ascii;
        if unit == 0xfffe || is_control || size == 2 && unit == 0xffff {
            return None;
        }
        match (high.take(), unit) {
            (None, 0xd800..=0xdbff) if size == 2 => high = Some(unit),
            (Some(high), 0xdc00..=0xdfff) => {
                characters.push(0x1_0000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
            }
            (Some(_), _) => return None,
            _ => characters.push(unit),
        }
    }
    let is_good = characters.iter().all(|&character| character <= 0x7fff_ffff);
    Some((name, label, is_good.then_some(characters)))
}

/// EBCDIC as ASCII and Latin 1.
fn from_ebcdic(byte: u8) -> u8 {
    const BELOW: [u8; 64] = [
        0, 1, 2, 3, 156, 9, 134, 127, 151, 141, 142, 11, 12, 13, 14, 15, 16, 17, 18, 19, 157, 133,
        8, 135, 24, 25, 146, 143, 28, 29, 30, 31, 128, 129, 130, 131, 132, 10, 23, 27, 136, 137,
        138, 139, 140, 5, 6, 7, 144, 145, 22, 147, 148, 149, 150, 4, 152, 153, 154, 155, 20, 21,
        158, 26,
    ];
    const SIGNS: &[u8; 64] = b" \xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xd5.<(+|&\xa9\xaa\xab\xac\xad\xae\xaf\xb0\xb1!$*);~-/\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xcb,%_>?\xba\xbb\xbc\xbd\xbe\xbf\xc0\xc1\xc2`:#@'=\"";
    let letter = byte & 0x0f;
    match byte {
        0..=0x3f => BELOW[usize::from(byte)],
        0x40..=0x7f => SIGNS[usize::from(byte - 0x40)],
        0x81..=0x89 => b'a' + letter - 1,
        0x91..=0x99 => b'j' + letter - 1,
        0xa2..=0xa9 => b's' + letter - 2,
        0xc1..=0xc9 => b'A' + letter - 1,
        0xd1..=0xd9 => b'J' + letter - 1,
        0xe2..=0xe9 => b'S' + letter - 2,
        0xf0..=0xf9 => b'0' + letter,
        0x9a => b'^',
        0xad => b'[',
        0xbd => b']',
        0xc0 => b'{',
        0xd0 => b'}',
        0xe0 => b'\\',
        0xe1 => 159,
        // What is left is some letter beyond ASCII.
        _ => 0xc3,
    }
}

/// The encoding of bytes; none if they are no text.
pub(super) fn encoding(bytes: &[u8]) -> Option<Encoding> {
    let new = |name, label, characters| {
        Some(Encoding {
            name,
            label,
            characters: Some(characters),
        })
    };
    let all = |bytes: &[u8], uses: &[Use]| bytes.iter().all(|&byte| uses.contains(&use_of(byte)));
    let same = |bytes: &[u8]| bytes.iter().map(|&byte| byte.into()).collect::<Vec<u32>>();
    if all(bytes, &[Use::Ascii]) {
        return new("ASCII", "us-ascii", same(bytes));
    }
    if let Some(characters) = bytes.strip_prefix(b"\xef\xbb\xbf").and_then(utf8) {
        return new("Unicode text, UTF-8 (with BOM)", "utf-8", characters);
    }
    if let Some(characters) = utf8(bytes) {
        return new("Unicode text, UTF-8", "utf-8", characters);
    }
    if let Some((name, label, characters)) = wide(bytes) {
        return Some(Encoding {
            name,
            label,
            characters,
        });
    }
    if all(bytes, &[Use::Ascii, Use::Latin]) {
        return new("ISO-8859", "iso-8859-1", same(bytes));
    }
    if all(bytes, &[Use::Ascii, Use::Latin, Use::Extended]) {
        return new("Non-ISO extended-ASCII", "unknown-8bit", same(bytes));
    }
    let converted: Vec<u8> = bytes.iter().map(|&byte| from_ebcdic(byte)).collect();
    if all(&converted, &[Use::Ascii]) {
        return new("EBCDIC", "ebcdic", same(&converted));
    }
    if all(&converted, &[Use::Ascii, Use::Latin]) {
        return new("International EBCDIC", "ebcdic", same(&converted));
    }
    None
}

/// Text as UTF-8, for the rules that are for text.
pub(super) fn as_utf8(characters: &[u32]) -> Vec<u8> {
    let mut text = Vec::with_capacity(characters.len());
    for &character in characters {
        let character = char::from_u32(character).unwrap_or(char::REPLACEMENT_CHARACTER);
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    text
}

/// Lines that are longer than this are told.
const LONG: usize = 300;

/// What a description says of lines and of odd characters in them.
pub(super) fn lines(characters: &[u32]) -> String {
    let (mut crlf, mut cr, mut lf, mut nel) = (0, 0, 0, 0);
    let (mut start, mut longest) = (0, 0);
    let mut seen_cr = false;
    for (at, &character) in characters.iter().enumerate() {
        match character {
            10 if seen_cr => crlf += 1,
            10 => lf += 1,
            _ if seen_cr => cr += 1,
            _ => {}
        }
        seen_cr = character == 13;
        nel += usize::from(character == 0x85);
        if matches!(character, 10 | 13 | 0x85) {
            start = at + 1;
        } else {
            longest = longest.max(at + 1 - start);
        }
    }
    cr += usize::from(seen_cr);
    let mut text = String::new();
    if longest > LONG {
        text.push_str(&format!(", with very long lines ({longest})"));
    }
    let ends: Vec<&str> = [(crlf, "CRLF"), (cr, "CR"), (lf, "LF"), (nel, "NEL")]
        .into_iter()
        .filter(|&(count, _)| count > 0)
        .map(|(_, name)| name)
        .collect();
    if ends.is_empty() {
        text.push_str(", with no line terminators");
    } else if ends != ["LF"] {
        text.push_str(&format!(", with {} line terminators", ends.join(", ")));
    }
    if characters.contains(&27) {
        text.push_str(", with escape sequences");
    }
    if characters.contains(&8) {
        text.push_str(", with overstriking");
    }
    text
}

/// True for lines of values between commas, as many on each.
pub(super) fn is_csv(bytes: &[u8]) -> bool {
    const MOST_LINES: usize = 10;
    let (mut fields, mut wanted, mut lines) = (0, 0, 0);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => {
                // Up to the quotation mark that is not doubled.
                while let Some(&byte) = bytes.get(at) {
                    at += 1;
                    if byte == b'"' {
                        if bytes.get(at) != Some(&b'"') {
                            break;
                        }
                        at += 1;
                    }
                }
            }
            b',' => fields += 1,
            b'\n' => {
                lines += 1;
                if lines == MOST_LINES {
                    return wanted != 0 && wanted == fields;
                }
                if wanted == 0 {
                    wanted = fields;
                }
                if fields == 0 || wanted != fields {
                    return false;
                }
                fields = 0;
            }
            _ => {}
        }
    }
    wanted != 0 && lines >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(bytes: &[u8]) -> Option<&'static str> {
        encoding(bytes).map(|encoding| encoding.label)
    }

    #[test]
    fn encodings() {
        assert_eq!(label(b"abc\n"), Some("us-ascii"));
        assert_eq!(label("hé".as_bytes()), Some("utf-8"));
        assert_eq!(label(b"h\xe9"), Some("iso-8859-1"));
        assert_eq!(label(b"h\xc3\xa9\xc3"), Some("utf-8"));
        assert_eq!(label(b"\xff\xfea\0"), Some("utf-16le"));
        assert_eq!(label(b"\x7fELF"), Some("ebcdic"));
        assert_eq!(label(b"\0\x01\x02"), None);
    }

    #[test]
    fn line_ends() {
        let of = |text: &[u8]| lines(&text.iter().map(|&byte| byte.into()).collect::<Vec<u32>>());
        assert_eq!(of(b"a\nb\n"), "");
        assert_eq!(of(b"a"), ", with no line terminators");
        assert_eq!(of(b"a\r\nb\r"), ", with CRLF, CR line terminators");
    }

    #[test]
    fn values() {
        assert!(is_csv(b"a,b\n1,\"2,3\"\n"));
        assert!(!is_csv(b"a,b\n1\n"));
    }
}
