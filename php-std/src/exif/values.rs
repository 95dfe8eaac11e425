//! Values of entries: numbers, fractions and text.

use super::picture::{Data, until_nul};
use crate::mbstring::encoding::{Encoding, Substitute, find};

/// The order of bytes in a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    /// The order that this is not.
    pub(super) fn other(self) -> Order {
        match self {
            Order::Little => Order::Big,
            Order::Big => Order::Little,
        }
    }

    /// The number that bytes begin with; what is missing is 0.
    pub(super) fn u16(self, bytes: &[u8]) -> u16 {
        let bytes = bytes.first_chunk().copied().unwrap_or_default();
        match self {
            Order::Little => u16::from_le_bytes(bytes),
            Order::Big => u16::from_be_bytes(bytes),
        }
    }

    /// As [`Order::u16`].
    pub(super) fn u32(self, bytes: &[u8]) -> u32 {
        let bytes = bytes.first_chunk().copied().unwrap_or_default();
        match self {
            Order::Little => u32::from_le_bytes(bytes),
            Order::Big => u32::from_be_bytes(bytes),
        }
    }
}

/// What an entry's bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Byte = 1,
    Text,
    UnsignedShort,
    UnsignedLong,
    UnsignedFraction,
    SignedByte,
    Undefined,
    SignedShort,
    SignedLong,
    SignedFraction,
    Single,
    Double,
    Directory,
}

impl Format {
    const ALL: [Format; 13] = [
        Format::Byte,
        Format::Text,
        Format::UnsignedShort,
        Format::UnsignedLong,
        Format::UnsignedFraction,
        Format::SignedByte,
        Format::Undefined,
        Format::SignedShort,
        Format::SignedLong,
        Format::SignedFraction,
        Format::Single,
        Format::Double,
        Format::Directory,
    ];

    /// The format of a number, from 1 on.
    pub(super) fn of(number: u16) -> Option<Format> {
        Format::ALL
            .get(usize::from(number).wrapping_sub(1))
            .copied()
    }

    /// Bytes of one value.
    pub(super) fn size(self) -> usize {
        match self {
            Format::Byte | Format::Text | Format::SignedByte | Format::Undefined => 1,
            Format::UnsignedShort | Format::SignedShort => 2,
            Format::UnsignedFraction | Format::SignedFraction | Format::Double => 8,
            _ => 4,
        }
    }
}

/// The value of so many elements.
pub(super) fn data(format: Format, order: Order, count: usize, bytes: &[u8]) -> Data {
    match format {
        Format::Text => return Data::Bytes(until_nul(bytes).to_vec()),
        _ if count == 0 => return Data::Nothing,
        Format::Byte | Format::SignedByte | Format::Undefined => {
            return Data::Bytes(bytes.to_vec());
        }
        _ => {}
    }
    let mut elements = bytes.chunks_exact(format.size()).map(|bytes| match format {
        Format::UnsignedShort => Data::Long(order.u16(bytes).into()),
        Format::SignedShort => Data::Long((order.u16(bytes) as i16).into()),
        Format::UnsignedLong | Format::Directory => Data::Long(order.u32(bytes).into()),
        Format::SignedLong => Data::Long((order.u32(bytes) as i32).into()),
        Format::UnsignedFraction => {
            Data::Text(format!("{}/{}", order.u32(bytes), order.u32(&bytes[4..])))
        }
        Format::SignedFraction => Data::Text(format!(
            "{}/{}",
            order.u32(bytes) as i32,
            order.u32(&bytes[4..]) as i32
        )),
        // PHP takes these as the machine has them, whatever the order of the file is.
        Format::Single => {
            let bytes = bytes.first_chunk().copied().unwrap_or_default();
            Data::Double(f32::from_le_bytes(bytes).into())
        }
        _ => {
            let bytes = bytes.first_chunk().copied().unwrap_or_default();
            Data::Double(f64::from_le_bytes(bytes))
        }
    });
    match count {
        1 => elements.next().unwrap_or(Data::Nothing),
        _ => Data::List(elements.collect()),
    }
}

/// The first number of a value; a fraction of nothing is 0.
pub(super) fn to_double(data: &Data) -> f64 {
    match data {
        Data::Long(number) => *number as f64,
        Data::Double(number) => *number,
        Data::Text(text) => {
            let parts = text.split_once('/');
            let number = |text: &str| text.parse().unwrap_or(0.0);
            match parts.map(|(one, two)| (number(one), number(two))) {
                Some((_, 0.0)) | None => 0.0,
                Some((one, two)) => one / two,
            }
        }
        Data::List(list) => list.first().map_or(0.0, to_double),
        Data::Bytes(bytes) => bytes.first().copied().unwrap_or(0).into(),
        Data::Nothing => 0.0,
    }
}

/// An offset.
pub(super) fn number(order: Order, bytes: &[u8]) -> usize {
    order.u32(bytes) as usize
}

/// Encodings of a kind of text; one that no setting names leaves text as it is.
pub(super) struct Conversion {
    pub(super) little_endian: Option<&'static Encoding>,
    pub(super) big_endian: Option<&'static Encoding>,
    /// What it is shown in.
    pub(super) shown: Option<&'static Encoding>,
}

impl Conversion {
    /// The encoding in a file of that order.
    fn stored(&self, order: Order) -> Option<&'static Encoding> {
        match order {
            Order::Little => self.little_endian,
            Order::Big => self.big_endian,
        }
    }
}

/// The encodings of text in files.
pub(super) struct Encodings {
    pub(super) unicode: Conversion,
    pub(super) jis: Conversion,
    pub(super) substitute: Substitute,
}

impl Encodings {
    fn convert(
        &self,
        from: Option<&Encoding>,
        to: Option<&Encoding>,
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        let characters = from?.decode(bytes);
        Some(to?.encode(&characters, self.substitute).0)
    }

    /// Text in units of two bytes, in the encoding that it is shown in.
    pub(super) fn unicode(&self, order: Order, bytes: &[u8]) -> Vec<u8> {
        self.convert(self.unicode.stored(order), self.unicode.shown, bytes)
            .unwrap_or_else(|| bytes.to_vec())
    }

    /// The comment of a user, and what its encoding is called.
    pub(super) fn comment(&self, order: Order, bytes: &[u8]) -> (Vec<u8>, Option<&'static str>) {
        let Some((head, text)) = bytes.split_first_chunk::<8>() else {
            return (until_nul(bytes).to_vec(), None);
        };
        let name = match head {
            b"UNICODE\0" => {
                // A mark at the start counts for more than the settings.
                let (from, text) = match text {
                    [0xfe, 0xff, rest @ ..] => (find(b"UCS-2BE"), rest),
                    [0xff, 0xfe, rest @ ..] => (find(b"UCS-2LE"), rest),
                    _ => (self.unicode.stored(order), text),
                };
                let shown = self.convert(from, self.unicode.shown, text);
                return (shown.unwrap_or_else(|| terminated(text)), Some("UNICODE"));
            }
            b"JIS\0\0\0\0\0" => {
                let shown = self.convert(self.jis.stored(order), self.jis.shown, text);
                return (shown.unwrap_or_else(|| terminated(text)), Some("JIS"));
            }
            b"ASCII\0\0\0" => "ASCII",
            b"\0\0\0\0\0\0\0\0" => "UNDEFINED",
            _ => return (until_nul(trimmed(bytes)).to_vec(), None),
        };
        (until_nul(trimmed(text)).to_vec(), Some(name))
    }
}

/// Text that is not converted: PHP shows the NUL behind its copy.
fn terminated(bytes: &[u8]) -> Vec<u8> {
    [bytes, &[0]].concat()
}

/// Without the spaces at the end; a first one stays.
fn trimmed(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte != b' ').unwrap_or(0);
    &bytes[..bytes.len().min(end + 1)]
}
