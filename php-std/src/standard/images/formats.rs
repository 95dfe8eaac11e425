//! The headers of the formats, but JPEG's.

use super::Size;

pub(super) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

const GIF: i64 = 1;
pub(super) const JPEG: i64 = 2;
const PNG_FILE: i64 = 3;
const SWF: i64 = 4;
const PSD: i64 = 5;
const BMP: i64 = 6;
const TIFF_II: i64 = 7;
const TIFF_MM: i64 = 8;
const JPC: i64 = 9;
const JP2: i64 = 10;
pub(super) const SWC: i64 = 13;
const IFF: i64 = 14;
const WBMP: i64 = 15;
const XBM: i64 = 16;
const ICO: i64 = 17;
const WEBP: i64 = 18;
const AVIF: i64 = 19;

/// What each format begins with.
const SIGNATURES: [(&[u8], i64); 14] = [
    (b"GIF", GIF),
    (b"\xff\xd8\xff", JPEG),
    (PNG, PNG_FILE),
    (b"FWS", SWF),
    (b"CWS", SWC),
    (b"8BP", PSD),
    (b"BM", BMP),
    (b"\xff\x4f\xff", JPC),
    (b"II\x2a\x00", TIFF_II),
    (b"MM\x00\x2a", TIFF_MM),
    (b"FORM", IFF),
    (b"\x00\x00\x01\x00", ICO),
    (b"\x00\x00\x00\x0cjP  \r\n\x87\n", JP2),
    (b"#define", XBM),
];

/// The number of a file's format.
pub(super) fn detect(data: &[u8]) -> Option<i64> {
    let found = SIGNATURES
        .iter()
        .find(|(signature, _)| data.starts_with(signature));
    match found {
        Some(&(_, XBM)) => {}
        Some(&(_, number)) => return Some(number),
        None => {}
    }
    if data.starts_with(b"RIFF") && data.get(8..12) == Some(b"WEBP") {
        return Some(WEBP);
    }
    if is_avif(data) {
        return Some(AVIF);
    }
    if wbmp(data).is_some() {
        return Some(WBMP);
    }
    xbm(data).map(|_| XBM)
}

/// What the header of a file of this format says.
pub(super) fn size(number: i64, data: &[u8]) -> Option<Size> {
    match number {
        GIF => gif(data),
        PNG_FILE => png(data),
        SWF => swf(data),
        PSD => psd(data),
        BMP => bmp(data),
        TIFF_II => tiff(data, false),
        TIFF_MM => tiff(data, true),
        JPC => jpc(data),
        JP2 => jp2(data),
        IFF => iff(data),
        WBMP => wbmp(data),
        XBM => xbm(data),
        ICO => ico(data),
        WEBP => webp(data),
        AVIF => avif(data),
        _ => None,
    }
}

/// A number of `length` bytes at `at`.
fn number(data: &[u8], at: usize, length: usize, big: bool) -> Option<u64> {
    let bytes = data.get(at..at.checked_add(length)?)?;
    let add = |sum: u64, &byte: &u8| sum << 8 | byte as u64;
    Some(match big {
        true => bytes.iter().fold(0, add),
        false => bytes.iter().rev().fold(0, add),
    })
}

fn be(data: &[u8], at: usize, length: usize) -> Option<u64> {
    number(data, at, length, true)
}

fn le(data: &[u8], at: usize, length: usize) -> Option<u64> {
    number(data, at, length, false)
}

fn gif(data: &[u8]) -> Option<Size> {
    let flags = le(data, 10, 1)?;
    Some(Size {
        width: le(data, 6, 2)?,
        height: le(data, 8, 2)?,
        bits: if flags & 0x80 != 0 {
            (flags & 7) + 1
        } else {
            0
        },
        channels: 3,
    })
}

fn png(data: &[u8]) -> Option<Size> {
    Some(Size {
        width: be(data, 16, 4)?,
        height: be(data, 20, 4)?,
        bits: be(data, 24, 1)?,
        channels: 0,
    })
}

/// A rectangle in twips, of five bits for the length of its numbers, and those.
/// A Flash file whose contents are compressed, all but the first eight bytes.
#[cfg(feature = "zlib")]
pub(super) fn compressed_flash(data: &[u8]) -> Option<Size> {
    let start = crate::zlib::inflate_start(data.get(8..)?, 64)?;
    swf(&[&data[..8], &start].concat())
}

fn swf(data: &[u8]) -> Option<Size> {
    let rectangle = data.get(8..)?;
    let bits = |from: usize, count: usize| -> Option<i64> {
        (from..from + count).try_fold(0i64, |sum, at| {
            let byte = *rectangle.get(at / 8)? as i64;
            Some(sum << 1 | byte >> (7 - at % 8) & 1)
        })
    };
    let length = bits(0, 5)? as usize;
    let side = |number: usize| bits(5 + number * length, length);
    let (left, right, top, bottom) = (side(0)?, side(1)?, side(2)?, side(3)?);
    Some(Size::new(
        ((right - left) / 20) as u64,
        ((bottom - top) / 20) as u64,
    ))
}

fn psd(data: &[u8]) -> Option<Size> {
    Some(Size::new(be(data, 18, 4)?, be(data, 14, 4)?))
}

fn bmp(data: &[u8]) -> Option<Size> {
    let header = le(data, 14, 4)?;
    let is_old = header == 12;
    if is_old {
        return Some(Size {
            width: le(data, 18, 2)?,
            height: le(data, 20, 2)?,
            bits: le(data, 24, 2)?,
            channels: 0,
        });
    }
    // Rows from the top down have a negative height.
    let height = le(data, 22, 4)? as u32 as i32;
    (header > 12).then_some(Size {
        width: le(data, 18, 4)?,
        height: height.unsigned_abs() as u64,
        bits: le(data, 28, 2)?,
        channels: 0,
    })
}

fn tiff(data: &[u8], big: bool) -> Option<Size> {
    let read = |at, length| number(data, at, length, big);
    let directory = read(4, 4)? as usize;
    let count = read(directory, 2)? as usize;
    let mut size = Size::default();
    for entry in 0..count {
        let at = directory.checked_add(2 + entry * 12)?;
        let (tag, kind) = (read(at, 2)?, read(at + 2, 2)?);
        let value = match kind {
            // Numbers of one, two and four bytes, with a sign or without.
            1 | 6 => read(at + 8, 1)?,
            3 | 8 => read(at + 8, 2)?,
            4 | 9 => read(at + 8, 4)?,
            _ => continue,
        };
        match tag {
            0x100 => size.width = value,
            0x101 => size.height = value,
            _ => {}
        }
    }
    (size.width != 0 && size.height != 0).then_some(size)
}

/// A JPEG 2000 code stream, from its SIZ marker.
fn jpc(data: &[u8]) -> Option<Size> {
    if data.get(3) != Some(&0x51) {
        return None;
    }
    let channels = be(data, 40, 2)?;
    if channels == 0 && data.len() < 42 || channels > 256 {
        return None;
    }
    let depths = data.get(42..)?;
    let mut bits = 0;
    for component in 0..channels as usize {
        let depth = *depths.get(component * 3)? as u64 + 1;
        bits = bits.max(depth);
    }
    Some(Size {
        width: be(data, 8, 4)?,
        height: be(data, 12, 4)?,
        bits,
        channels,
    })
}

/// A JPEG 2000 file: boxes, one of which is the code stream.
fn jp2(data: &[u8]) -> Option<Size> {
    let mut at = 12;
    loop {
        let length = be(data, at, 4)? as usize;
        if data.get(at + 4..at + 8)? == b"jp2c" {
            return jpc(data.get(at + 8..)?);
        }
        if length < 8 {
            return None;
        }
        at = at.checked_add(length)?;
    }
}

fn iff(data: &[u8]) -> Option<Size> {
    if !matches!(data.get(8..12)?, b"ILBM" | b"PBM ") {
        return None;
    }
    let mut at = 12usize;
    loop {
        let name = data.get(at..at + 4)?;
        let length = be(data, at + 4, 4)? as i32;
        if length < 0 {
            return None;
        }
        let length = length as usize + (length as usize & 1);
        if name == b"BMHD" {
            if length < 9 {
                return None;
            }
            let size = Size {
                width: be(data, at + 8, 2)?,
                height: be(data, at + 10, 2)?,
                bits: be(data, at + 16, 1)? & 0xff,
                channels: 0,
            };
            let is_good = (1..=0x7fff).contains(&size.width)
                && (1..=0x7fff).contains(&size.height)
                && (1..=32).contains(&size.bits);
            return is_good.then_some(size);
        }
        at = at.checked_add(8 + length)?;
    }
}

/// A picture of type 0 for wireless devices: two numbers of seven bits a byte.
pub(super) fn wbmp(data: &[u8]) -> Option<Size> {
    if data.first() != Some(&0) {
        return None;
    }
    let mut rest = data[1..].iter();
    // The header goes on while the highest bit is set.
    while rest.next()? & 0x80 != 0 {}
    let mut number = || {
        let mut sum = 0u64;
        loop {
            let byte = *rest.next()?;
            sum = sum << 7 | (byte & 0x7f) as u64;
            // Larger ones are taken for other files.
            if sum > 2048 {
                return None;
            }
            if byte & 0x80 == 0 {
                return (sum > 0).then_some(sum);
            }
        }
    };
    let (width, height) = (number()?, number()?);
    Some(Size::new(width, height))
}

/// Source text in C, whose definitions have the size.
fn xbm(data: &[u8]) -> Option<Size> {
    let mut size = Size::default();
    for line in data.split(|&byte| byte == b'\n') {
        let mut words = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        if words.next() != Some(b"#define") {
            continue;
        }
        let (Some(name), Some(value)) = (words.next(), words.next()) else {
            continue;
        };
        let digits = value.iter().take_while(|byte| byte.is_ascii_digit());
        let value = digits.fold(0u64, |sum, digit| {
            sum.wrapping_mul(10).wrapping_add((digit - b'0') as u64)
        });
        let last = name.rsplit(|&byte| byte == b'_').next();
        match last {
            Some(b"width") => size.width = value,
            Some(b"height") => size.height = value,
            _ => continue,
        }
        if size.width != 0 && size.height != 0 {
            return Some(size);
        }
    }
    None
}

/// Of the pictures in an icon the one with the most colours.
fn ico(data: &[u8]) -> Option<Size> {
    let count = le(data, 4, 2)?;
    if !(1..=255).contains(&count) {
        return None;
    }
    let whole = |side: u64| if side == 0 { 256 } else { side };
    let mut size = Size::default();
    for entry in 0..count as usize {
        let at = 6 + entry * 16;
        let Some(bits) = le(data, at + 6, 2) else {
            break;
        };
        if bits >= size.bits {
            size = Size {
                width: whole(le(data, at, 1)?),
                height: whole(le(data, at + 1, 1)?),
                bits,
                channels: 0,
            };
        }
    }
    Some(size)
}

fn webp(data: &[u8]) -> Option<Size> {
    let chunk = data.get(12..)?;
    let (width, height) = match chunk.get(..4)? {
        b"VP8 " => (le(chunk, 14, 2)? & 0x3fff, le(chunk, 16, 2)? & 0x3fff),
        b"VP8L" => {
            let sides = le(chunk, 9, 4)?;
            ((sides & 0x3fff) + 1, (sides >> 14 & 0x3fff) + 1)
        }
        b"VP8X" => (le(chunk, 12, 3)? + 1, le(chunk, 15, 3)? + 1),
        _ => return None,
    };
    Some(Size {
        width,
        height,
        bits: 8,
        channels: 0,
    })
}

fn is_avif(data: &[u8]) -> bool {
    let Some(length) = be(data, 0, 4) else {
        return false;
    };
    let brands = data.get(8..(length as usize).min(data.len()));
    data.get(4..8) == Some(b"ftyp")
        && brands.is_some_and(|brands| {
            let mut brands = brands.chunks(4).enumerate();
            // The second is a version.
            brands.any(|(at, brand)| at != 1 && matches!(brand, b"avif" | b"avis"))
        })
}

/// The boxes of a file in the form of MP4: name and contents.
fn boxes(mut data: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    std::iter::from_fn(move || {
        let length = be(data, 0, 4)? as usize;
        let length = if length == 0 { data.len() } else { length };
        let (name, contents) = (data.get(4..8)?, data.get(8..length)?);
        data = &data[length..];
        Some((name, contents))
    })
}

fn child<'a>(data: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    boxes(data)
        .find(|(found, _)| *found == name)
        .map(|(_, contents)| contents)
}

fn avif(data: &[u8]) -> Option<Size> {
    // A version and flags stand before the children of `meta`.
    let meta = child(data, b"meta")?.get(4..)?;
    let properties = child(child(meta, b"iprp")?, b"ipco")?;
    let mut size = Size::default();
    let mut alpha = 0;
    for (name, contents) in boxes(properties) {
        match name {
            b"ispe" if size.width == 0 => {
                (size.width, size.height) = (be(contents, 4, 4)?, be(contents, 8, 4)?);
            }
            b"pixi" if size.channels == 0 => {
                (size.channels, size.bits) = (be(contents, 4, 1)?, be(contents, 5, 1)?);
            }
            b"auxC" if contents.windows(5).any(|word| word == b"alpha") => alpha = 1,
            _ => {}
        }
    }
    size.channels += alpha;
    (size.width != 0 && size.height != 0).then_some(size)
}
