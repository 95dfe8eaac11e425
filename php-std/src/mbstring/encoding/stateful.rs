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

/// The last set of escape sequences is the ASCII one, as a valid text must end.
pub(super) fn ends_in_ascii(kind: Kind, bytes: &[u8]) -> bool {
    match kind {
        Kind::Iso2022Jp(_) => {
            let last = bytes.iter().rposition(|&byte| byte == 0x1b);
            last.is_none_or(|at| matches!(bytes.get(at + 1..at + 3), Some(b"(B" | b"(J")))
                && bytes.iter().filter(|&&byte| byte == 0x0e).count()
                    <= bytes.iter().filter(|&&byte| byte == 0x0f).count()
        }
        _ => true,
    }
}

/// The escape sequences for Japanese sets.
const ESCAPES: [(&[u8], Set); 7] = [
    (b"(B", Set::Ascii),
    (b"(J", Set::Roman),
    (b"(I", Set::Kana),
    (b"$@", Set::Kanji),
    (b"$B", Set::Kanji),
    (b"$(B", Set::Kanji),
    (b"$(D", Set::Supplement),
];

pub(super) fn decode_japanese(variant: Japanese, bytes: &[u8], output: &mut Vec<u32>) {
    let table = table_of(if variant == Japanese::Iso || variant == Japanese::Jis {
        "EUC-JP"
    } else {
        "eucJP-win"
    });
    let mut set = Set::Ascii;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        match byte {
            0x1b => {
                let rest = &bytes[at..];
                let found = ESCAPES
                    .iter()
                    .find(|(sequence, _)| rest.starts_with(sequence));
                match found {
                    Some((sequence, new)) => {
                        set = *new;
                        at += sequence.len();
                    }
                    None => output.push(BAD),
                }
            }
            0x0e if variant != Japanese::Microsoft => set = Set::Kana,
            0x0f if variant != Japanese::Microsoft => set = Set::Ascii,
            0x21..=0x7e if matches!(set, Set::Kanji | Set::Supplement) => {
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
                let code = 0x8080 | (byte as u32) << 8 | second as u32;
                let code = match set {
                    Set::Supplement => 0x8f_0000 | code,
                    _ => code,
                };
                output.push(table.character(code).unwrap_or(BAD));
            }
            0x21..=0x5f if matches!(set, Set::Kana) => output.push(0xff40 + byte as u32),
            0x5c if set == Set::Roman => output.push(0xa5),
            0x7e if set == Set::Roman => output.push(0x203e),
            0..=0x7f if matches!(set, Set::Ascii | Set::Roman) || byte <= 0x20 => {
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
                at = bytes.len().min(at + 1);
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

pub(super) fn decode_gb18030(bytes: &[u8], output: &mut Vec<u32>) {
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        if *first < 0x80 {
            output.push(*first as u32);
            rest = after;
            continue;
        }
        let length = match after.first() {
            _ if matches!(first, 0x80 | 0xff) => 1,
            Some(0x30..=0x39) => 4,
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
            _ => text.and_then(|text| text.chars().next()).map(u32::from),
        };
        output.push(character.unwrap_or(BAD));
        rest = &rest[taken.len()..];
    }
}

pub(super) fn encode_gb18030(character: u32, output: &mut Vec<u8>) -> bool {
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
        self.put_plain_japanese(variant, character, output)
    }

    fn put_plain_japanese(
        &mut self,
        variant: Japanese,
        character: u32,
        output: &mut Vec<u8>,
    ) -> bool {
        let takes_roman = !matches!(variant, Japanese::Microsoft);
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
            0xa5 | 0x203e if takes_roman => {
                self.shift(Set::Roman, output);
                output.push(if character == 0xa5 { b'\\' } else { b'~' });
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
            0x203e => 0xffe3,
            _ => character,
        };
        let table = table_of(match variant {
            Japanese::Jis | Japanese::Iso => "EUC-JP",
            Japanese::Microsoft => "eucJP-win",
            _ => "CP51932",
        });
        let Some(code) = table.code(character) else {
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
