//! Encodings with shifts (ISO-2022-JP and its kin, ISO-2022-KR, HZ, the writing of UTF-7), and
//! GB18030.

use super::{BAD, Japanese, Kind, table_of, unicode_forms};

/// The character sets that a shifted text can be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Set {
    #[default]
    Ascii,
    /// JIS X 0201, Latin half.
    Roman,
    /// JIS X 0201, Katakana half.
    Kana,
    /// Katakana behind a shift-out.
    ShiftedKana,
    /// JIS X 0208
    Kanji,
    /// JIS X 0212
    Supplement,
    /// The planes of JIS X 0213
    Plane1,
    Plane2,
    /// The characters of one's own in ISO-2022-JP-MS.
    Own,
    /// The double-byte set of ISO-2022-KR and HZ.
    Double,
}

/// What an encoder is shifted to.
#[derive(Debug, Default)]
pub(super) struct State {
    set: Set,
    /// Bits of base 64 that are not written yet.
    bits: u32,
    count: u32,
    is_shifted: bool,
    /// Half-width Katakana that waits for a mark behind it (CP50220).
    waiting: Option<u32>,
}

/// True if the bytes that shift to Katakana and back only stand where they mean that: to it from
/// ASCII, and back from there.
pub(super) fn shifts_fit(bytes: &[u8]) -> bool {
    const ESCAPE: u8 = 0x1b;
    const SHIFT_OUT: u8 = 0x0e;
    const SHIFT_IN: u8 = 0x0f;
    let (mut in_ascii, mut is_shifted) = (true, false);
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            ESCAPE => {
                in_ascii = bytes[at..].starts_with(b"\x1b(B");
                is_shifted = false;
            }
            SHIFT_OUT if in_ascii && !is_shifted => is_shifted = true,
            SHIFT_IN if is_shifted => is_shifted = false,
            SHIFT_OUT | SHIFT_IN => return false,
            _ => {}
        }
    }
    true
}

/// The last set of escape sequences is the ASCII one, as a valid text must end.
pub(super) fn ends_in_ascii(kind: Kind, bytes: &[u8]) -> bool {
    match kind {
        Kind::Iso2022Jp(Japanese::Iso) if has_more_than_iso(bytes) => false,
        Kind::Iso2022Jp(Japanese::Jis | Japanese::Iso | Japanese::Microsoft) => {
            let last = bytes.iter().rposition(|&byte| byte == 0x1b);
            last.is_none_or(|at| matches!(bytes.get(at + 1..at + 3), Some(b"(B" | b"(H")))
                && has_paired_shifts(bytes)
        }
        _ => true,
    }
}

/// True if as many shifts lead out as back.
fn has_paired_shifts(bytes: &[u8]) -> bool {
    let count = |wanted: u8| bytes.iter().filter(|&&byte| byte == wanted).count();
    count(0x0e) == count(0x0f)
}

/// True for text with sets that ISO-2022-JP itself does not have. It is converted all the same.
fn has_more_than_iso(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .any(|byte| matches!(byte, 0x0e | 0x0f | 0x80..))
        || [&b"\x1b(I"[..], b"\x1b$(D", b"\x1b(H"]
            .iter()
            .any(|escape| memchr::memmem::find(bytes, escape).is_some())
}

/// The escape sequences for Japanese sets; ISO-2022-JP with pictures has those in front of the last two.
const ESCAPES: [(&[u8], Set); 8] = [
    (b"(B", Set::Ascii),
    (b"(J", Set::Roman),
    (b"(I", Set::Kana),
    (b"$@", Set::Kanji),
    (b"$B", Set::Kanji),
    (b"$(B", Set::Kanji),
    (b"$(D", Set::Supplement),
    (b"(H", Set::Ascii),
];

/// The escape sequence of what ISO-2022-JP-MS has besides: characters of one's own, from U+E000 on.
const OWN: (&[u8], Set) = (b"$(?", Set::Own);

/// Characters of one's own in ISO-2022-JP-MS.
const OWN_CHARACTERS: std::ops::Range<u32> = 0xe000..0xe000 + 20 * 94;

/// The escape sequences of ISO-2022-JP-2004.
const ESCAPES_OF_2004: [(&[u8], Set); 4] = [
    (b"(B", Set::Ascii),
    (b"$B", Set::Kanji),
    (b"$(Q", Set::Plane1),
    (b"$(P", Set::Plane2),
];

/// ISO-2022-JP-2004 and that with pictures.
fn decode_later_japanese(variant: Japanese, bytes: &[u8], output: &mut Vec<u32>) {
    let is_2004 = variant == Japanese::Jis2004;
    let (table, escapes) = match is_2004 {
        true => (table_of("EUC-JP-2004"), &ESCAPES_OF_2004[..]),
        false => (super::kddi_table(), &ESCAPES[..6]),
    };
    let mut set = Set::Ascii;
    let mut rest = bytes;
    while let [byte, after @ ..] = rest {
        rest = after;
        match byte {
            0x1b => {
                let found = escapes.iter().find(|(known, _)| rest.starts_with(known));
                let length = match found {
                    Some((sequence, new)) => {
                        set = *new;
                        sequence.len()
                    }
                    None => {
                        output.push(BAD);
                        match rest {
                            [b'$', b'(', ..] => 3,
                            [b'$' | b'(', ..] => 2,
                            _ => 1,
                        }
                    }
                };
                rest = &rest[length.min(rest.len())..];
            }
            0x21..=0x7e if matches!(set, Set::Kanji | Set::Plane1 | Set::Plane2) => {
                let second = rest.first().copied();
                rest = &rest[1.min(rest.len())..];
                let second = second.filter(|second| (0x21..=0x7e).contains(second));
                let code = second.map(|second| 0x8080 | u32::from(*byte) << 8 | u32::from(second));
                let code = match set {
                    Set::Plane2 => code.map(|code| 0x8f_0000 | code),
                    // What JIS X 0208 has, not more.
                    Set::Kanji if is_2004 => {
                        code.filter(|&code| table_of("EUC-JP").character(code).is_some())
                    }
                    _ => code,
                };
                if !code.is_some_and(|code| table.put_characters(code, output)) {
                    output.push(BAD);
                }
            }
            0x21..=0x5f if set == Set::Kana => output.push(0xff40 + u32::from(*byte)),
            0..=0x7f => output.push((*byte).into()),
            0xa1..=0xdf if !is_2004 => output.push(0xfec0 + u32::from(*byte)),
            _ => output.push(BAD),
        }
    }
}

pub(super) fn decode_japanese(variant: Japanese, bytes: &[u8], output: &mut Vec<u32>) {
    if matches!(variant, Japanese::Jis2004 | Japanese::Kddi) {
        return decode_later_japanese(variant, bytes, output);
    }
    let table = table_of(if variant == Japanese::Iso || variant == Japanese::Jis {
        "EUC-JP"
    } else {
        "eucJP-win"
    });
    let takes_nec = !matches!(variant, Japanese::Iso | Japanese::Jis);
    let mut set = Set::Ascii;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        match byte {
            0x1b => {
                let rest = &bytes[at..];
                let is_microsoft = variant == Japanese::Microsoft;
                let found = ESCAPES
                    .iter()
                    .chain(is_microsoft.then_some(&OWN))
                    .find(|(sequence, _)| rest.starts_with(sequence))
                    .filter(|known| !is_microsoft || known.0 != b"(H");
                match found {
                    Some((sequence, new)) => {
                        set = *new;
                        at += sequence.len();
                    }
                    None => {
                        output.push(BAD);
                        // What follows stands for itself; Microsoft leaves it out.
                        let length = match rest {
                            [b'$', b'(', ..] => 2,
                            [b'$' | b'(', ..] => 1,
                            _ => 0,
                        };
                        if variant == Japanese::Microsoft {
                            at = bytes.len().min(at + length + 1);
                        } else {
                            output.extend(rest[..length].iter().map(|&byte| u32::from(byte)));
                            at += length;
                        }
                    }
                }
            }
            0x0e if variant != Japanese::Microsoft => set = Set::Kana,
            0x0f if variant != Japanese::Microsoft => set = Set::Ascii,
            0x21..=0x7e if matches!(set, Set::Kanji | Set::Supplement | Set::Own) => {
                let Some(&second) = bytes.get(at) else {
                    output.push(BAD);
                    break;
                };
                if second < 0x21 || second == 0x7f || second >= 0x80 {
                    output.push(BAD);
                    if second != 0x1b {
                        at += 1;
                    }
                    continue;
                }
                at += 1;
                if set == Set::Own {
                    let number = u32::from(byte - 0x21) * 94 + u32::from(second - 0x21);
                    let character = OWN_CHARACTERS.start + number;
                    let is_known = OWN_CHARACTERS.contains(&character);
                    output.push(if is_known { character } else { BAD });
                    continue;
                }
                let code = 0x8080 | (byte as u32) << 8 | second as u32;
                let code = match set {
                    Set::Supplement => 0x8f_0000 | code,
                    _ => code,
                };
                // What IBM added stands where NEC has it.
                let of_nec = takes_nec && (0xf9a1..=0xfcfe).contains(&code);
                let table = if of_nec { table_of("CP51932") } else { table };
                let character = table.character(code);
                output.push(character.unwrap_or(BAD));
            }
            0x21..=0x5f if matches!(set, Set::Kana) => output.push(0xff40 + byte as u32),
            0x5c if set == Set::Roman => output.push(0xa5),
            0x7e if set == Set::Roman => output.push(0x203e),
            0..=0x7f if !matches!(set, Set::Kanji | Set::Supplement | Set::Own) || byte <= 0x20 => {
                output.push(byte as u32);
            }
            0xa1..=0xdf => output.push(0xfec0 + byte as u32),
            _ => output.push(BAD),
        }
    }
}

pub(super) fn decode_korean(bytes: &[u8], output: &mut Vec<u32>) {
    let table = table_of("EUC-KR");
    let mut is_shifted = false;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        match byte {
            0x1b if bytes[at..].starts_with(b"$)C") => at += 3,
            0x1b => {
                output.push(BAD);
                let length = match bytes.get(at..) {
                    Some([b'$', b')', ..]) => 3,
                    Some([b'$', ..]) => 2,
                    _ => 1,
                };
                at = bytes.len().min(at + length);
            }
            0x0e => is_shifted = true,
            0x0f => is_shifted = false,
            0x21..=0x7e if is_shifted => {
                let second = bytes.get(at).copied();
                at += 1;
                let code = second.map(|second| 0x8080 | (byte as u32) << 8 | second as u32);
                output.push(code.and_then(|code| table.character(code)).unwrap_or(BAD));
            }
            0..=0x7f => output.push(byte as u32),
            _ => output.push(BAD),
        }
    }
}

pub(super) fn decode_hz(bytes: &[u8], output: &mut Vec<u32>) {
    let table = table_of("EUC-CN");
    let mut is_shifted = false;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        match byte {
            b'~' => {
                match bytes.get(at) {
                    Some(b'{') if !is_shifted => is_shifted = true,
                    Some(b'}') if is_shifted => is_shifted = false,
                    Some(b'~') if !is_shifted => output.push(u32::from(b'~')),
                    Some(b'\n') => {}
                    _ => output.push(BAD),
                }
                at += 1;
            }
            0x21..=0x7d if is_shifted => {
                let second = bytes.get(at).copied();
                at += 1;
                let code = second.map(|second| 0x8080 | (byte as u32) << 8 | second as u32);
                output.push(code.and_then(|code| table.character(code)).unwrap_or(BAD));
            }
            0..=0x7f => output.push(byte as u32),
            _ => output.push(BAD),
        }
    }
}

/// The characters beyond the Basic Multilingual Plane start at this number of four bytes.
const GB18030_SUPPLEMENT: u32 = 189_000;

fn number_of_four(bytes: &[u8]) -> Option<u32> {
    let [
        a @ 0x81..=0xfe,
        b @ 0x30..=0x39,
        c @ 0x81..=0xfe,
        d @ 0x30..=0x39,
    ] = *bytes
    else {
        return None;
    };
    let digit = |byte: u8, base: u8| (byte - base) as u32;
    Some(((digit(a, 0x81) * 10 + digit(b, 0x30)) * 126 + digit(c, 0x81)) * 10 + digit(d, 0x30))
}

pub(super) fn decode_gb18030(bytes: &[u8], is_2022: bool, output: &mut Vec<u32>) {
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        if *first < 0x80 {
            output.push(*first as u32);
            rest = after;
            continue;
        }
        let length = match after {
            _ if matches!(first, 0x80 | 0xff) => 1,
            [0x30..=0x39, ..] if !matches!(first, 0x81..=0x84 | 0x90..=0xe3) => 2,
            [0x30..=0x39, third, ..] if !matches!(third, 0x81..=0xfe) => 3,
            [0x30..=0x39, ..] => 4,
            _ => 2,
        };
        let taken = &rest[..length.min(rest.len())];
        let text = encoding_rs::GB18030.decode_without_bom_handling_and_without_replacement(taken);
        let character = match length {
            4 => match number_of_four(taken) {
                Some(number) if number >= GB18030_SUPPLEMENT => {
                    Some(number - GB18030_SUPPLEMENT + 0x1_0000).filter(|&c| c <= 0x10_ffff)
                }
                _ => text.and_then(|text| text.chars().next()).map(u32::from),
            },
            _ if *first == 0x80 => None,
            _ => text.and_then(|text| text.chars().next()).map(u32::from),
        };
        let character = character.map(|one| of_edition(one, length == 2, is_2022));
        output.push(character.unwrap_or(BAD));
        rest = &rest[taken.len()..];
    }
}

pub(super) fn encode_gb18030(character: u32, is_2022: bool, output: &mut Vec<u8>) -> bool {
    let mut character = character;
    for (private, later, code) in OF_2022 {
        if character == private || character == later {
            if (character == later) != is_2022 {
                output.extend_from_slice(&u32::to_be_bytes(code));
                return true;
            }
            // The table of two bytes has the later ones.
            character = later;
        }
    }
    let Some(letter) = char::from_u32(character) else {
        return false;
    };
    let mut text = [0; 4];
    let (bytes, _, is_lossy) = encoding_rs::GB18030.encode(letter.encode_utf8(&mut text));
    if is_lossy {
        return false;
    }
    output.extend_from_slice(&bytes);
    true
}

/// Private characters of GB 18030-2005 in two bytes, those that GB 18030-2022 has there, and the
/// four bytes of the other of both.
const OF_2022: [(u32, u32, u32); 19] = [
    (0xe78d, 0xfe10, 0x84318236),
    (0xe78e, 0xfe12, 0x84318238),
    (0xe78f, 0xfe11, 0x84318237),
    (0xe790, 0xfe13, 0x84318239),
    (0xe791, 0xfe14, 0x84318330),
    (0xe792, 0xfe15, 0x84318331),
    (0xe793, 0xfe16, 0x84318332),
    (0xe794, 0xfe17, 0x84318333),
    (0xe795, 0xfe18, 0x84318334),
    (0xe796, 0xfe19, 0x84318335),
    (0xe7c7, 0x1e3f, 0x8135f437),
    (0xe81e, 0x9fb4, 0x82359037),
    (0xe826, 0x9fb5, 0x82359038),
    (0xe82b, 0x9fb6, 0x82359039),
    (0xe82c, 0x9fb7, 0x82359130),
    (0xe832, 0x9fb8, 0x82359131),
    (0xe843, 0x9fb9, 0x82359132),
    (0xe854, 0x9fba, 0x82359133),
    (0xe864, 0x9fbb, 0x82359134),
];

/// Which of the pair of a private character and a later one a code of two bytes, or of four, is: the
/// editions differ in that alone.
fn of_edition(character: u32, is_short: bool, is_2022: bool) -> u32 {
    let pair = OF_2022
        .iter()
        .find(|known| known.0 == character || known.1 == character);
    match pair {
        Some(pair) if is_short == is_2022 => pair.1,
        Some(pair) => pair.0,
        None => character,
    }
}

/// The digits of base 64, without the last.
const DIGITS: &[u8; 63] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";

impl State {
    fn put_digit(&self, digit: u32, is_imap: bool, output: &mut Vec<u8>) {
        let last = if is_imap { b',' } else { b'/' };
        output.push(*DIGITS.get(digit as usize & 63).unwrap_or(&last));
    }

    pub(super) fn put_utf7(&mut self, character: u32, is_imap: bool, output: &mut Vec<u8>) {
        let mark = if is_imap { b'&' } else { b'+' };
        if unicode_forms::is_plain_in_utf7(character, is_imap) {
            if self.is_shifted {
                self.end_utf7(is_imap, output);
                // Only what would be read as a digit needs an end.
                let byte = character as u8;
                if is_imap || byte == b'-' || unicode_forms::base64_value(byte, b'/').is_some() {
                    output.push(b'-');
                }
            }
            output.push(character as u8);
            return;
        }
        if is_imap && character == u32::from(b'&') {
            if self.is_shifted {
                self.end_utf7(is_imap, output);
                output.push(b'-');
            }
            output.extend_from_slice(b"&-");
            return;
        }
        if !self.is_shifted {
            output.push(mark);
            self.is_shifted = true;
        }
        let Some(letter) = char::from_u32(character) else {
            return;
        };
        for &unit in &*letter.encode_utf16(&mut [0; 2]) {
            self.bits = self.bits << 16 | unit as u32;
            self.count += 16;
            while self.count >= 6 {
                self.count -= 6;
                self.put_digit(self.bits >> self.count, is_imap, output);
                self.bits &= (1 << self.count) - 1;
            }
        }
    }

    /// Writes the bits that are left.
    fn end_utf7(&mut self, is_imap: bool, output: &mut Vec<u8>) {
        if self.count > 0 {
            self.put_digit(self.bits << (6 - self.count), is_imap, output);
        }
        (self.bits, self.count, self.is_shifted) = (0, 0, false);
    }

    fn shift(&mut self, set: Set, output: &mut Vec<u8>) {
        if self.set == set {
            return;
        }
        if self.set == Set::ShiftedKana {
            output.push(0x0f);
        }
        output.extend_from_slice(match set {
            Set::Ascii if self.set == Set::ShiftedKana => b"",
            Set::Ascii => b"\x1b(B",
            Set::Roman => b"\x1b(J",
            Set::Kana => b"\x1b(I",
            Set::ShiftedKana => b"\x0e",
            Set::Kanji => b"\x1b$B",
            Set::Supplement => b"\x1b$(D",
            Set::Own => b"\x1b$(?",
            Set::Plane1 => b"\x1b$(Q",
            Set::Plane2 => b"\x1b$(P",
            Set::Double => b"",
        });
        self.set = set;
    }

    pub(super) fn put_japanese(
        &mut self,
        variant: Japanese,
        character: u32,
        output: &mut Vec<u8>,
    ) -> bool {
        if variant == Japanese::Cp50220 {
            let is_half = (0xff61..=0xff9f).contains(&character);
            if let Some(before) = self.waiting.take() {
                let joined = crate::mbstring::kana::voiced(before, character);
                let full = joined.unwrap_or_else(|| crate::mbstring::kana::full_width(before));
                self.put_plain_japanese(variant, full, output);
                if joined.is_some() {
                    return true;
                }
            }
            if is_half {
                self.waiting = Some(character);
                return true;
            }
        }
        match variant {
            Japanese::Jis2004 | Japanese::Kddi => {
                self.put_later_japanese(variant, character, output)
            }
            _ => self.put_plain_japanese(variant, character, output),
        }
    }

    fn put_later_japanese(
        &mut self,
        variant: Japanese,
        character: u32,
        output: &mut Vec<u8>,
    ) -> bool {
        let is_2004 = variant == Japanese::Jis2004;
        let byte = match character {
            0..=0x7f => Some(character as u8),
            0xa5 if is_2004 => Some(b'\\'),
            0x203e if is_2004 => Some(b'~'),
            _ => None,
        };
        if let Some(byte) = byte {
            self.shift(Set::Ascii, output);
            output.push(byte);
            return true;
        }
        if (0xff61..=0xff9f).contains(&character) {
            if is_2004 {
                return false;
            }
            self.shift(Set::Kana, output);
            output.push((character - 0xff40) as u8);
            return true;
        }
        let table = if is_2004 {
            table_of("EUC-JP-2004")
        } else {
            super::kddi_table()
        };
        let Some(code) = table.code(character).filter(|code| *code > 0x8fff) else {
            return false;
        };
        self.put_japanese_code(variant, code, output);
        true
    }

    /// Writes a code of EUC-JP-2004 or of the table with pictures.
    pub(super) fn put_japanese_code(&mut self, variant: Japanese, code: u32, output: &mut Vec<u8>) {
        let set = match (variant, code) {
            (Japanese::Jis2004, 0x8f_0000..) => Set::Plane2,
            (Japanese::Jis2004, _) => Set::Plane1,
            _ => Set::Kanji,
        };
        self.shift(set, output);
        output.extend_from_slice(&[(code >> 8) as u8 & 0x7f, code as u8 & 0x7f]);
    }

    fn put_plain_japanese(
        &mut self,
        variant: Japanese,
        character: u32,
        output: &mut Vec<u8>,
    ) -> bool {
        let is_microsoft = variant == Japanese::Microsoft;
        match character {
            0..=0x7f => {
                // What both halves have in common needs no change.
                if self.set != Set::Roman
                    || matches!(character as u8, b'\\' | b'~' | b'\n' | b'\r')
                    || variant != Japanese::Cp50221 && variant != Japanese::Cp50222
                {
                    self.shift(Set::Ascii, output);
                }
                output.push(character as u8);
                return true;
            }
            0xa5 if !is_microsoft => {
                self.shift(Set::Roman, output);
                output.push(b'\\');
                return true;
            }
            // ISO-2022-JP has no overline of its own: it is that of double width.
            0x203e if !is_microsoft && variant != Japanese::Iso => {
                self.shift(Set::Roman, output);
                output.push(b'~');
                return true;
            }
            0xff61..=0xff9f => {
                let set = match variant {
                    Japanese::Iso => return false,
                    Japanese::Cp50222 => Set::ShiftedKana,
                    _ => Set::Kana,
                };
                self.shift(set, output);
                output.push((character - 0xff40) as u8);
                return true;
            }
            _ => {}
        }
        let character = match character {
            0xa5 => 0xffe5,
            0x203e | 0xaf => 0xffe3,
            0x2014 if is_microsoft => return false,
            _ => character,
        };
        let table = table_of(match variant {
            Japanese::Jis | Japanese::Iso => "EUC-JP",
            Japanese::Microsoft => "eucJP-win",
            _ => "CP51932",
        });
        if is_microsoft && OWN_CHARACTERS.contains(&character) {
            let number = character - OWN_CHARACTERS.start;
            self.shift(Set::Own, output);
            output.extend_from_slice(&[0x21 + (number / 94) as u8, 0x21 + (number % 94) as u8]);
            return true;
        }
        let mut code = table.code(character);
        if is_microsoft && code.is_none_or(|code| code >= 0x8f_0000) {
            code = table_of("CP51932").code(character);
        }
        let Some(code) = code else {
            return false;
        };
        let set = match code {
            0x8f_0000.. if variant == Japanese::Jis => Set::Supplement,
            0x8f_0000.. | 0..=0x8fff => return false,
            _ => Set::Kanji,
        };
        self.shift(set, output);
        output.extend_from_slice(&[(code >> 8) as u8 & 0x7f, code as u8 & 0x7f]);
        true
    }

    pub(super) fn put_korean(&mut self, character: u32, output: &mut Vec<u8>) -> bool {
        if character < 0x80 {
            if self.set == Set::Double {
                output.push(0x0f);
                self.set = Set::Ascii;
            }
            output.push(character as u8);
            return true;
        }
        let Some(code) = table_of("EUC-KR").code(character) else {
            return false;
        };
        if self.set == Set::Ascii {
            output.push(0x0e);
            self.set = Set::Double;
        }
        output.extend_from_slice(&[(code >> 8) as u8 & 0x7f, code as u8 & 0x7f]);
        true
    }

    pub(super) fn put_hz(&mut self, character: u32, output: &mut Vec<u8>) -> bool {
        if character < 0x80 {
            if self.set == Set::Double {
                output.extend_from_slice(b"~}");
                self.set = Set::Ascii;
            }
            if character == u32::from(b'~') {
                output.push(b'~');
            }
            output.push(character as u8);
            return true;
        }
        let Some(code) = table_of("EUC-CN").code(character) else {
            return false;
        };
        if self.set == Set::Ascii {
            output.extend_from_slice(b"~{");
            self.set = Set::Double;
        }
        output.extend_from_slice(&[(code >> 8) as u8 & 0x7f, code as u8 & 0x7f]);
        true
    }

    /// Ends a text.
    pub(super) fn finish(&mut self, kind: Kind, output: &mut Vec<u8>) {
        match kind {
            Kind::Utf7 | Kind::Utf7Imap if self.is_shifted => {
                self.end_utf7(matches!(kind, Kind::Utf7Imap), output);
                output.push(b'-');
            }
            Kind::Iso2022Jp(variant) => {
                if let Some(before) = self.waiting.take() {
                    let full = crate::mbstring::kana::full_width(before);
                    self.put_plain_japanese(variant, full, output);
                }
                self.shift(Set::Ascii, output);
            }
            Kind::Iso2022Kr if self.set == Set::Double => output.push(0x0f),
            Kind::Hz if self.set == Set::Double => output.extend_from_slice(b"~}"),
            _ => {}
        }
    }
}
