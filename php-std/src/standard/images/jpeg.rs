//! JPEG files: segments between markers.

use super::Size;

const START_OF_SCAN: u8 = 0xda;
const END_OF_IMAGE: u8 = 0xd9;

/// The size that the first frame header tells; and the application segments, if they are wanted, up to the
/// scan.
pub(super) fn size<'a>(
    data: &'a [u8],
    mut segments: Option<&mut Vec<(u8, &'a [u8])>>,
) -> Option<Size> {
    let mut found = None;
    let mut rest = data.get(2..)?;
    loop {
        // Fill bytes may stand before a marker.
        let start = rest.iter().position(|&byte| byte == 0xff);
        let Some(start) = start else { return found };
        rest = &rest[start..];
        let Some(at) = rest.iter().position(|&byte| byte != 0xff) else {
            return found;
        };
        let marker = rest[at];
        rest = &rest[at + 1..];
        if matches!(marker, START_OF_SCAN | END_OF_IMAGE) {
            return found;
        }
        let Some(length) = be16(rest).filter(|&length| length >= 2) else {
            return found;
        };
        let Some(contents) = rest.get(2..length) else {
            return found;
        };
        rest = &rest[length..];
        match marker {
            // Frame headers; the numbers left out are tables.
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) && found.is_none() => {
                found = frame(contents);
                if found.is_none() || segments.is_none() {
                    return found;
                }
            }
            0xe0..=0xef => {
                if let Some(segments) = &mut segments {
                    segments.push((marker - 0xe0, contents));
                }
            }
            _ => {}
        }
    }
}

fn frame(contents: &[u8]) -> Option<Size> {
    Some(Size {
        bits: *contents.first()? as u64,
        height: be16(contents.get(1..)?)? as u64,
        width: be16(contents.get(3..)?)? as u64,
        channels: *contents.get(5)? as u64,
    })
}

fn be16(data: &[u8]) -> Option<usize> {
    Some(u16::from_be_bytes(*data.first_chunk()?) as usize)
}
