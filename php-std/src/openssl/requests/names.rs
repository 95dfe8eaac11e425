//! Names that are put together of what a script and a configuration say.

use crate::openssl::der;
use crate::openssl::x509::objects;

/// What a part of a name may be: how long, in which types of texts.
struct Rule {
    identifier: &'static str,
    /// OpenSSL's number, which messages show.
    number: i64,
    least: usize,
    most: usize,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Whatever the mask allows.
    Any,
    Printable,
    Ascii,
}

const fn rule(identifier: &'static str, number: i64, least: usize, most: usize) -> Rule {
    Rule {
        identifier,
        number,
        least,
        most,
        kind: Kind::Any,
    }
}

const fn limited(kind: Kind, rule: Rule) -> Rule {
    Rule { kind, ..rule }
}

static RULES: &[Rule] = &[
    rule("2.5.4.3", 13, 1, 64),
    limited(Kind::Printable, rule("2.5.4.6", 14, 2, 2)),
    rule("2.5.4.7", 15, 1, 128),
    rule("2.5.4.8", 16, 1, 128),
    rule("2.5.4.10", 17, 1, 64),
    rule("2.5.4.11", 18, 1, 64),
    limited(Kind::Ascii, rule("1.2.840.113549.1.9.1", 48, 1, 128)),
    rule("1.2.840.113549.1.9.2", 49, 1, usize::MAX),
    rule("1.2.840.113549.1.9.7", 54, 1, usize::MAX),
    rule("2.5.4.42", 99, 1, 32768),
    rule("2.5.4.4", 100, 1, 32768),
    rule("2.5.4.43", 101, 1, 32768),
    limited(Kind::Printable, rule("2.5.4.5", 105, 1, 64)),
    rule("2.5.4.12", 106, 1, 64),
    rule("2.5.4.41", 173, 1, 32768),
    limited(Kind::Printable, rule("2.5.4.46", 174, 0, usize::MAX)),
    limited(
        Kind::Ascii,
        rule("0.9.2342.19200300.100.1.25", 391, 1, usize::MAX),
    ),
];

/// Bits of a mask of types.
mod mask {
    pub(super) const PRINTABLE: u32 = 0x2;
    pub(super) const TELETEX: u32 = 0x4;
    pub(super) const ASCII: u32 = 0x10;
    pub(super) const BMP: u32 = 0x800;
    pub(super) const UTF8: u32 = 0x2000;
}

/// Which types of texts are used, as `string_mask` says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mask(u32);

impl Mask {
    /// Nothing if there is no such mask.
    pub(super) fn of(text: Option<&str>) -> Option<Mask> {
        Some(Mask(match text {
            None | Some("utf8only") => mask::UTF8,
            Some("default") => u32::MAX,
            Some("nombstr") => !(mask::BMP | mask::UTF8),
            Some("pkix") => !mask::TELETEX,
            Some(other) => {
                let number = other.strip_prefix("MASK:")?;
                match number.strip_prefix("0x") {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => number.parse().ok()?,
                }
            }
        }))
    }
}

/// Why a part does not become one of a name.
pub(super) enum Wrong {
    Unknown,
    /// OpenSSL's number of it, and what OpenSSL says.
    Refused(i64, &'static str),
}

const TOO_LONG: &str = "06800097:asn1 encoding routines::string too long";
const TOO_SHORT: &str = "06800098:asn1 encoding routines::string too short";
const ILLEGAL: &str = "0680007C:asn1 encoding routines::illegal characters";
const INVALID: &str = "0680008B:asn1 encoding routines::invalid utf8string";

/// The identifier of a part, by its name or its numbers.
pub(super) fn identifier(name: &str) -> Option<String> {
    if let Some(known) = objects::named(name) {
        return Some(known.identifier.to_owned());
    }
    let is_numbers = name.contains('.')
        && name
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    is_numbers.then(|| name.to_owned())
}

/// A text as an element of the type that it needs.
pub(super) fn text(identifier: &str, value: &[u8], allowed: Mask) -> Result<Vec<u8>, Wrong> {
    let rule = RULES.iter().find(|rule| rule.identifier == identifier);
    let number = rule.map_or(0, |rule| rule.number);
    let refuse = |reason| Err(Wrong::Refused(number, reason));
    let Ok(letters) = std::str::from_utf8(value) else {
        return refuse(INVALID);
    };
    let length = letters.chars().count();
    if let Some(rule) = rule {
        if length < rule.least {
            return refuse(TOO_SHORT);
        }
        if length > rule.most {
            return refuse(TOO_LONG);
        }
    }
    let is_printable = value
        .iter()
        .all(|&byte| byte.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(&byte));
    let kind = rule.map_or(Kind::Any, |rule| rule.kind);
    let tag = match kind {
        Kind::Printable if is_printable => 0x13,
        Kind::Ascii if value.is_ascii() => 0x16,
        Kind::Printable | Kind::Ascii => return refuse(ILLEGAL),
        Kind::Any if is_printable && allowed.0 & mask::PRINTABLE != 0 => 0x13,
        Kind::Any if value.is_ascii() && allowed.0 & mask::ASCII != 0 && number == 49 => 0x16,
        Kind::Any
            if allowed.0 & mask::TELETEX != 0 && letters.chars().all(|one| one <= '\u{ff}') =>
        {
            let bytes: Vec<u8> = letters.chars().map(|letter| letter as u8).collect();
            return Ok(der::element(der::TELETEX_STRING, &[&bytes]));
        }
        Kind::Any if allowed.0 & mask::UTF8 != 0 => 0x0c,
        Kind::Any => return refuse(ILLEGAL),
    };
    Ok(der::element(tag, &[value]))
}

/// A name that grows.
#[derive(Debug, Default)]
pub(super) struct Name {
    parts: Vec<(String, Vec<u8>)>,
}

impl Name {
    pub(super) fn has(&self, identifier: &str) -> bool {
        self.parts.iter().any(|(known, _)| known == identifier)
    }

    pub(super) fn add(&mut self, name: &str, value: &[u8], allowed: Mask) -> Result<(), Wrong> {
        let identifier = identifier(name).ok_or(Wrong::Unknown)?;
        let text = text(&identifier, value, allowed)?;
        self.parts.push((identifier, text));
        Ok(())
    }

    pub(super) fn written(&self) -> Vec<u8> {
        let sets = self.parts.iter().flat_map(|(identifier, text)| {
            let pair = der::sequence(&[&der::identifier(identifier), text]);
            der::element(der::SET, &[&pair])
        });
        der::sequence(&[&sets.collect::<Vec<u8>>()])
    }
}
