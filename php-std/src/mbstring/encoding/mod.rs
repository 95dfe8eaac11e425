//! Character encodings: their names, decoding to characters and encoding of characters.

mod double_byte;
mod lengths;
mod list;
mod names;
mod single_byte;
mod stateful;
mod transfer;
mod unicode_forms;

use std::sync::OnceLock;

use self::double_byte::{DoubleByte, Pictures, Sequences};
pub(crate) use self::lengths::Lengths;
pub(crate) use self::list::ENCODINGS;
pub(crate) use self::names::find;
use self::single_byte::SingleByte;
use crate::support::utf8;

/// What stands for bytes that are no character.
pub(crate) const BAD: u32 = u32::MAX;

/// The order of the bytes of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Big,
    Little,
    /// By the byte order mark in front, big if there is none.
    Detect,
}

/// The encodings built on ISO 2022 for Japanese.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Japanese {
    Jis,
    Iso,
    Microsoft,
    Cp50220,
    Cp50221,
    Cp50222,
    /// With JIS X 0213.
    Jis2004,
    /// With the pictures of a mobile operator.
    Kddi,
}

/// How an encoding works.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Base64,
    Uuencode,
    Html,
    QuotedPrintable,
    SevenBit,
    EightBit,
    Ascii,
    Ucs4(Order),
    Ucs2(Order),
    Utf32(Order),
    Utf16(Order),
    Utf8,
    /// UTF-8 with a mobile operator's pictures in private characters; the number of its table.
    Pictures(usize),
    Utf7,
    Utf7Imap,
    /// The number of its table.
    SingleByte(usize),
    /// The number of its table, and the lengths of characters.
    DoubleByte(usize, &'static Lengths),
    Gb18030,
    /// With the characters that were private in GB 18030-2005.
    Gb18030Of2022,
    Iso2022Jp(Japanese),
    Iso2022Kr,
    Hz,
}

/// An encoding.
#[derive(Debug)]
pub(crate) struct Encoding {
    /// The name by which PHP calls it.
    pub(crate) name: &'static str,
    /// Its name in MIME headers.
    pub(crate) mime: Option<&'static str>,
    /// Further names.
    pub(crate) aliases: &'static [&'static str],
    pub(crate) kind: Kind,
}

impl PartialEq for Encoding {
    fn eq(&self, other: &Encoding) -> bool {
        std::ptr::eq(self, other)
    }
}

/// What is written for a character that an encoding does not have, or for bytes that are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Substitute {
    /// Nothing.
    None,
    /// This character, or `?` if the encoding does not have it either.
    Character(u32),
    /// `U+XXXX`; this character for bytes that are none.
    Long(u32),
    /// `&#xXXXX;`; this character for bytes that are none.
    Entity(u32),
}

/// An encoding that is known to exist.
fn known(name: &str) -> &'static Encoding {
    find(name.as_bytes()).unwrap_or(&ENCODINGS[0])
}

/// UTF-8.
pub(crate) fn utf8_encoding() -> &'static Encoding {
    static FOUND: OnceLock<&Encoding> = OnceLock::new();
    FOUND.get_or_init(|| known("UTF-8"))
}

static SINGLE_BYTE: [OnceLock<SingleByte>; list::SINGLE_BYTE_TABLES] =
    [const { OnceLock::new() }; list::SINGLE_BYTE_TABLES];
static PICTURES: [OnceLock<Pictures>; list::PICTURE_TABLES] =
    [const { OnceLock::new() }; list::PICTURE_TABLES];
/// The table of ISO-2022-JP with the pictures of KDDI.
static KDDI: OnceLock<DoubleByte> = OnceLock::new();
static DOUBLE_BYTE: [OnceLock<DoubleByte>; list::DOUBLE_BYTE_TABLES] =
    [const { OnceLock::new() }; list::DOUBLE_BYTE_TABLES];

/// The table of an encoding that others are built on.
fn table_of(name: &str) -> &'static DoubleByte {
    match known(name).kind {
        Kind::DoubleByte(number, _) => DOUBLE_BYTE[number].get_or_init(|| DoubleByte::new(name)),
        _ => unreachable!("{name} has a table"),
    }
}

/// The table of ISO-2022-JP with pictures.
fn kddi_table() -> &'static DoubleByte {
    KDDI.get_or_init(|| DoubleByte::new("ISO-2022-JP-MOBILE#KDDI"))
}

/// Looks at the limits now and then.
fn poll_at(index: usize) {
    if index.is_multiple_of(65_536) {
        vm_runtime::limits::poll();
    }
}

impl Encoding {
    fn pictures(&self, number: usize) -> &'static Pictures {
        PICTURES[number].get_or_init(|| Pictures::new(self.name))
    }

    /// The characters that are one code only together.
    fn sequences(&self) -> Option<&'static Sequences> {
        match self.kind {
            Kind::DoubleByte(number, _) => Some(&self.double_byte(number).sequences),
            Kind::Pictures(number) => Some(&self.pictures(number).sequences),
            Kind::Iso2022Jp(Japanese::Jis2004) => Some(&table_of("EUC-JP-2004").sequences),
            Kind::Iso2022Jp(Japanese::Kddi) => Some(&kddi_table().sequences),
            _ => None,
        }
    }

    fn single_byte(&self, number: usize) -> &'static SingleByte {
        SINGLE_BYTE[number].get_or_init(|| SingleByte::new(self.name))
    }

    fn double_byte(&self, number: usize) -> &'static DoubleByte {
        DOUBLE_BYTE[number].get_or_init(|| DoubleByte::new(self.name))
    }

    /// How many bytes each character has, where that needs no decoding.
    pub(crate) fn lengths(&self) -> Option<&'static [u8; 256]> {
        match self.kind {
            Kind::DoubleByte(_, lengths) if lengths.tells_all => Some(&lengths.bytes),
            _ => None,
        }
    }

    /// How many bytes each character has for `mb_strcut()` and `mb_str_split()`, which look at first bytes alone.
    pub(crate) fn cut_lengths(&self) -> Option<&'static [u8; 256]> {
        match self.kind {
            Kind::DoubleByte(_, lengths) => Some(lengths.for_cuts.unwrap_or(&lengths.bytes)),
            _ => None,
        }
    }

    /// The bytes of every character, if they are always as many.
    pub(crate) fn unit(&self) -> Option<usize> {
        match self.kind {
            Kind::SevenBit | Kind::EightBit | Kind::Ascii | Kind::SingleByte(_) => Some(1),
            Kind::Ucs2(_) => Some(2),
            Kind::Ucs4(_) | Kind::Utf32(_) => Some(4),
            _ => None,
        }
    }

    /// True for UTF-8.
    pub(crate) fn is_utf8(&self) -> bool {
        matches!(self.kind, Kind::Utf8)
    }

    /// True for what bytes, not characters, are sent as.
    pub(crate) fn sends_bytes(&self) -> bool {
        matches!(
            self.kind,
            Kind::Base64 | Kind::Uuencode | Kind::QuotedPrintable
        )
    }

    /// True for what takes the bytes of any text. Uuencode takes the last byte of each character.
    pub(crate) fn takes_bytes(&self) -> bool {
        matches!(self.kind, Kind::Base64 | Kind::QuotedPrintable)
    }

    /// True for what codes bytes rather than characters.
    pub(crate) fn is_transfer(&self) -> bool {
        matches!(
            self.kind,
            Kind::Base64 | Kind::Uuencode | Kind::Html | Kind::QuotedPrintable
        )
    }

    /// The characters of a text; [`BAD`] for bytes that are none.
    pub(crate) fn decode(&self, bytes: &[u8]) -> Vec<u32> {
        vm_runtime::limits::poll();
        vm_runtime::limits::reserve(bytes.len() * size_of::<u32>());
        let mut output = Vec::with_capacity(bytes.len());
        match self.kind {
            Kind::Utf8 => {
                let mut rest = bytes;
                if let Some(text) = utf8::valid(bytes) {
                    output.extend(text.chars().map(u32::from));
                    rest = &[];
                }
                while !rest.is_empty() {
                    let (character, length) = utf8::decode(rest);
                    output.push(character.unwrap_or(BAD));
                    rest = &rest[length..];
                }
            }
            Kind::Pictures(number) => {
                let (table, mut rest) = (self.pictures(number), bytes);
                while !rest.is_empty() {
                    let (character, length) = utf8::decode(rest);
                    match character {
                        Some(character) => table.put_characters(character, &mut output),
                        None => output.push(BAD),
                    }
                    rest = &rest[length..];
                }
            }
            Kind::EightBit => output.extend(bytes.iter().map(|&byte| byte as u32)),
            Kind::Ascii | Kind::SevenBit => {
                let decode = |&byte: &u8| if byte < 0x80 { byte as u32 } else { BAD };
                output.extend(bytes.iter().map(decode));
            }
            Kind::SingleByte(number) => {
                let table = self.single_byte(number);
                output.extend(bytes.iter().map(|&byte| table.decode(byte).unwrap_or(BAD)));
            }
            Kind::DoubleByte(number, lengths) => {
                let table = self.double_byte(number);
                table.decode(bytes, lengths, &mut output);
            }
            Kind::Ucs2(order) => unicode_forms::decode_units::<2>(bytes, order, &mut output),
            Kind::Ucs4(order) => unicode_forms::decode_units::<4>(bytes, order, &mut output),
            Kind::Utf32(order) => {
                unicode_forms::decode_units::<4>(bytes, order, &mut output);
                for character in &mut output {
                    if char::from_u32(*character).is_none() {
                        *character = BAD;
                    }
                }
            }
            Kind::Utf16(order) => unicode_forms::decode_utf16(bytes, order, &mut output),
            Kind::Utf7 => unicode_forms::decode_utf7(bytes, &mut output),
            Kind::Utf7Imap => unicode_forms::decode_utf7_imap(bytes, &mut output),
            Kind::Gb18030 => stateful::decode_gb18030(bytes, false, &mut output),
            Kind::Gb18030Of2022 => stateful::decode_gb18030(bytes, true, &mut output),
            Kind::Iso2022Jp(variant) => stateful::decode_japanese(variant, bytes, &mut output),
            Kind::Iso2022Kr => stateful::decode_korean(bytes, &mut output),
            Kind::Hz => stateful::decode_hz(bytes, &mut output),
            Kind::Base64 => transfer::decode_base64(bytes, &mut output),
            Kind::QuotedPrintable => transfer::decode_quoted_printable(bytes, &mut output),
            Kind::Uuencode => transfer::decode_uuencode(bytes, &mut output),
            Kind::Html => transfer::decode_html(bytes, &mut output),
        }
        output
    }

    /// Passes on the characters of a text, as [`Encoding::decode`] gives them.
    pub(crate) fn each_character(&self, bytes: &[u8], mut each: impl FnMut(u32)) {
        match (self.kind, utf8::valid(bytes)) {
            (Kind::Utf8, Some(text)) => {
                for (index, letter) in text.chars().enumerate() {
                    poll_at(index);
                    each(letter.into());
                }
            }
            (Kind::SingleByte(number), _) => {
                let table = self.single_byte(number);
                for (index, &byte) in bytes.iter().enumerate() {
                    poll_at(index);
                    each(table.decode(byte).unwrap_or(BAD));
                }
            }
            _ => {
                for (index, character) in self.decode(bytes).into_iter().enumerate() {
                    poll_at(index);
                    each(character);
                }
            }
        }
    }

    /// Whether it has a table of one byte a character.
    pub(crate) fn has_single_bytes(&self) -> bool {
        matches!(self.kind, Kind::SingleByte(_))
    }

    /// Passes on the bytes of a text in this encoding, which has one byte a character. None where it does not have one.
    pub(crate) fn encode_utf8(&self, text: &str, mut put: impl FnMut(u8)) -> Option<()> {
        let Kind::SingleByte(number) = self.kind else {
            return None;
        };
        vm_runtime::limits::poll();
        let table = self.single_byte(number);
        for letter in text.chars() {
            put(table.encode(letter.into())?);
        }
        Some(())
    }

    /// Encodes characters; gives the bytes and how many characters were substituted.
    pub(crate) fn encode(&self, characters: &[u32], substitute: Substitute) -> (Vec<u8>, usize) {
        vm_runtime::limits::poll();
        // Where the encoding has all characters, nothing is to be remembered between them.
        let plain: Option<Vec<u8>> = match self.kind {
            Kind::Utf8 => {
                let letters = characters
                    .iter()
                    .map(|&character| char::from_u32(character));
                letters.collect::<Option<String>>().map(String::into_bytes)
            }
            Kind::SingleByte(number) => {
                let table = self.single_byte(number);
                let bytes = characters.iter().map(|&character| table.encode(character));
                bytes.collect()
            }
            _ => None,
        };
        if let Some(bytes) = plain.filter(|_| self.sequences().is_none()) {
            return (bytes, 0);
        }
        let mut encoder = Encoder::new(self, substitute);
        if !characters.is_empty() {
            encoder.start();
        }
        for &character in characters {
            encoder.push(character);
        }
        encoder.finish()
    }

    /// True if every byte belongs to a character.
    pub(crate) fn is_valid(&self, bytes: &[u8]) -> bool {
        vm_runtime::limits::poll();
        match self.kind {
            Kind::Utf8 => utf8::valid(bytes).is_some(),
            Kind::EightBit => true,
            Kind::Utf7
                if unicode_forms::has_empty_shift(bytes)
                    || bytes
                        .iter()
                        .any(|byte| unicode_forms::is_never_in_utf7(*byte)) =>
            {
                false
            }
            Kind::Iso2022Jp(_) | Kind::Iso2022Kr | Kind::Hz | Kind::Utf7 | Kind::Utf7Imap => {
                let characters = self.decode(bytes);
                !characters.contains(&BAD)
                    && stateful::ends_in_ascii(self.kind, bytes)
                    && (self.name != "JIS" || stateful::shifts_fit(bytes))
            }
            _ => !self.decode(bytes).contains(&BAD),
        }
    }
}

/// Writes characters in an encoding.
pub(crate) struct Encoder<'a> {
    encoding: &'a Encoding,
    substitute: Substitute,
    output: Vec<u8>,
    /// What a shifted encoding is shifted to.
    state: stateful::State,
    substituted: usize,
    sequences: Option<&'static Sequences>,
    /// Characters that may become one code together.
    held: Vec<u32>,
}

impl<'a> Encoder<'a> {
    /// An encoder that has written nothing yet.
    pub(crate) fn new(encoding: &'a Encoding, substitute: Substitute) -> Encoder<'a> {
        Encoder {
            encoding,
            substitute,
            output: Vec::new(),
            state: stateful::State::default(),
            substituted: 0,
            sequences: encoding.sequences(),
            held: Vec::new(),
        }
    }

    /// Writes what stands in front of a text.
    fn start(&mut self) {
        if matches!(self.encoding.kind, Kind::Iso2022Kr) {
            self.output.extend_from_slice(b"\x1b$)C");
        }
    }

    /// Writes a character, or what is substituted for it.
    pub(crate) fn push(&mut self, character: u32) {
        let Some(sequences) = self.sequences else {
            return self.push_one(character);
        };
        self.held.push(character);
        while !self.held.is_empty() && !sequences.start_with(&self.held) {
            self.release(sequences);
        }
    }

    /// Writes what the first of the characters held are.
    fn release(&mut self, sequences: &Sequences) {
        match sequences.longest(&self.held) {
            Some((code, length)) => {
                self.put_code(code);
                self.held.drain(..length);
            }
            None => {
                let first = self.held.remove(0);
                self.push_one(first);
            }
        }
    }

    /// Writes the code of several characters.
    fn put_code(&mut self, code: u32) {
        let output = &mut self.output;
        match self.encoding.kind {
            Kind::Pictures(_) => {
                let letter = char::from_u32(code).unwrap_or('?');
                output.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Kind::Iso2022Jp(variant) => self.state.put_japanese_code(variant, code, output),
            _ => double_byte::put_code(code, output),
        }
    }

    fn push_one(&mut self, character: u32) {
        if self.put(character) {
            return;
        }
        self.substituted += 1;
        let text = match self.substitute {
            Substitute::None => return,
            Substitute::Long(_) if character != BAD => format!("U+{character:X}"),
            Substitute::Entity(_) if character != BAD => format!("&#x{character:X};"),
            Substitute::Character(other) | Substitute::Long(other) | Substitute::Entity(other) => {
                if self.put(other) {
                    return;
                }
                String::from("?")
            }
        };
        for byte in text.bytes() {
            self.put(byte as u32);
        }
    }

    /// Writes a character; false if the encoding does not have it.
    fn put(&mut self, character: u32) -> bool {
        let output = &mut self.output;
        match self.encoding.kind {
            Kind::Utf8 => {
                let Some(letter) = char::from_u32(character) else {
                    return false;
                };
                output.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Kind::Pictures(number) => {
                let character = self.encoding.pictures(number).character(character);
                let Some(letter) = char::from_u32(character) else {
                    return false;
                };
                output.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Kind::Ascii | Kind::SevenBit => {
                if character >= 0x80 {
                    return false;
                }
                output.push(character as u8);
            }
            Kind::Uuencode => output.push(character as u8),
            Kind::EightBit | Kind::Base64 | Kind::QuotedPrintable => {
                if character >= 0x100 {
                    return false;
                }
                output.push(character as u8);
            }
            Kind::SingleByte(number) => {
                let Some(byte) = self.encoding.single_byte(number).encode(character) else {
                    return false;
                };
                output.push(byte);
            }
            Kind::DoubleByte(number, _) => {
                return self.encoding.double_byte(number).encode(character, output);
            }
            Kind::Ucs2(order) => {
                let Ok(unit) = u16::try_from(character) else {
                    return false;
                };
                unicode_forms::put_unit(unit.to_be_bytes(), order, output);
            }
            Kind::Ucs4(order) | Kind::Utf32(order) => {
                if character == BAD
                    || matches!(self.encoding.kind, Kind::Utf32(_)) && character > 0x10_ffff
                {
                    return false;
                }
                unicode_forms::put_unit(character.to_be_bytes(), order, output);
            }
            Kind::Utf16(order) => {
                let Some(letter) = char::from_u32(character) else {
                    return false;
                };
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    unicode_forms::put_unit(unit.to_be_bytes(), order, output);
                }
            }
            Kind::Utf7 | Kind::Utf7Imap => {
                if char::from_u32(character).is_none() {
                    return false;
                }
                let is_imap = matches!(self.encoding.kind, Kind::Utf7Imap);
                self.state.put_utf7(character, is_imap, output);
            }
            Kind::Gb18030 => return stateful::encode_gb18030(character, false, output),
            Kind::Gb18030Of2022 => return stateful::encode_gb18030(character, true, output),
            Kind::Iso2022Jp(variant) => {
                return self.state.put_japanese(variant, character, output);
            }
            Kind::Iso2022Kr => return self.state.put_korean(character, output),
            Kind::Hz => return self.state.put_hz(character, output),
            Kind::Html => return transfer::encode_html(character, output),
        }
        true
    }

    /// What was written so far, without what would end it.
    pub(crate) fn written(&self) -> &[u8] {
        &self.output
    }

    /// Ends the text: its bytes, and how many characters were substituted.
    pub(crate) fn finish(mut self) -> (Vec<u8>, usize) {
        if let Some(sequences) = self.sequences {
            while !self.held.is_empty() {
                self.release(sequences);
            }
        }
        self.state.finish(self.encoding.kind, &mut self.output);
        let output = match self.encoding.kind {
            Kind::Base64 => transfer::encode_base64(&self.output),
            Kind::QuotedPrintable => transfer::encode_quoted_printable(&self.output),
            Kind::Uuencode => transfer::encode_uuencode(&self.output),
            _ => self.output,
        };
        (output, self.substituted)
    }
}
