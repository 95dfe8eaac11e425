//! Names of entries: UTF-8, or the code page of old PCs.

use std::borrow::Cow;

use super::archive::flags as wanted;
use super::format;
use super::problem::{Problem, code};

/// The characters from 128 on.
const CP437: [char; 128] = [
    'Ç', 'ü', 'é', 'â', 'ä', 'à', 'å', 'ç', 'ê', 'ë', 'è', 'ï', 'î', 'ì', 'Ä', 'Å', 'É', 'æ', 'Æ',
    'ô', 'ö', 'ò', 'û', 'ù', 'ÿ', 'Ö', 'Ü', '¢', '£', '¥', '₧', 'ƒ', 'á', 'í', 'ó', 'ú', 'ñ', 'Ñ',
    'ª', 'º', '¿', '⌐', '¬', '½', '¼', '¡', '«', '»', '░', '▒', '▓', '│', '┤', '╡', '╢', '╖', '╕',
    '╣', '║', '╗', '╝', '╜', '╛', '┐', '└', '┴', '┬', '├', '─', '┼', '╞', '╟', '╚', '╔', '╩', '╦',
    '╠', '═', '╬', '╧', '╨', '╤', '╥', '╙', '╘', '╒', '╓', '╫', '╪', '┘', '┌', '█', '▄', '▌', '▐',
    '▀', 'α', 'ß', 'Γ', 'π', 'Σ', 'σ', 'µ', 'τ', 'Φ', 'Θ', 'Ω', 'δ', '∞', 'φ', 'ε', '∩', '≡', '±',
    '≥', '≤', '⌠', '⌡', '÷', '≈', '°', '∙', '·', '√', 'ⁿ', '²', '■', '\u{a0}',
];

/// A name or comment as scripts see it.
pub(super) fn shown(bytes: &[u8], flags: u16, how: i64) -> Cow<'_, [u8]> {
    let is_utf8 = flags & format::UTF8 != 0
        || how & wanted::STRICT == 0 && std::str::from_utf8(bytes).is_ok();
    if how & wanted::RAW != 0 || is_utf8 || bytes.is_ascii() {
        return bytes.into();
    }
    let mut text = String::new();
    for &byte in bytes {
        match byte {
            0..=127 => text.push(byte as char),
            _ => text.push(CP437[usize::from(byte - 128)]),
        }
    }
    text.into_bytes().into()
}

/// The flags that an entry has for its name.
pub(super) fn flags(name: &[u8], how: i64) -> Result<u16, Problem> {
    let is_utf8 = std::str::from_utf8(name).is_ok();
    if how & wanted::UTF8 != 0 && !is_utf8 || name.len() > 0xffff {
        return Err(code::INVAL.into());
    }
    let is_marked = is_utf8 && !name.is_ascii() && how & wanted::CP437 == 0;
    Ok(if is_marked { format::UTF8 } else { 0 })
}

/// A path from the root, with `.` and `..` taken away; links stay.
pub(super) fn expand(name: &[u8]) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    let full = std::env::current_dir().unwrap_or_default();
    let full = full.join(crate::standard::files::path(name));
    let mut result = std::path::PathBuf::new();
    for component in full.components() {
        match component {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => drop(result.pop()),
            other => result.push(other),
        }
    }
    result.as_os_str().as_bytes().to_vec()
}

/// The name that an entry has as a file: from the root of the folder it is extracted to, where
/// `..` leads no higher.
pub(super) fn inside(name: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in name.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join(&b"/"[..])
}
