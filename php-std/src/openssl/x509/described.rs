//! Extensions in words, as `openssl_x509_parse()` shows them.

use super::general_names::{self, one_line};
use super::objects::long_name;
use super::parts::Extension;
use super::purposes::{bits, identifiers};
use crate::openssl::der::{self, Reader};
use crate::openssl::digits::{decimal, with_colons};

/// Names of the bits of `keyUsage`.
const USAGES: [(u16, &str); 9] = [
    (0x80, "Digital Signature"),
    (0x40, "Non Repudiation"),
    (0x20, "Key Encipherment"),
    (0x10, "Data Encipherment"),
    (0x08, "Key Agreement"),
    (0x04, "Certificate Sign"),
    (0x02, "CRL Sign"),
    (0x01, "Encipher Only"),
    (0x8000, "Decipher Only"),
];

/// Names of Netscape's types.
const TYPES: [(u16, &str); 8] = [
    (0x80, "SSL Client"),
    (0x40, "SSL Server"),
    (0x20, "S/MIME"),
    (0x10, "Object Signing"),
    (0x08, "Unused"),
    (0x04, "SSL CA"),
    (0x02, "S/MIME CA"),
    (0x01, "Object Signing CA"),
];

/// An extension in words; its bytes if nobody knows what it means.
pub(super) fn described(extension: &Extension<'_>) -> Vec<u8> {
    let value = extension.value;
    let words = match extension.identifier.as_str() {
        "2.5.29.14" => Reader(value).expect(der::OCTET_STRING).map(with_colons),
        "2.5.29.15" => bits(value).map(|bits| flags(bits, &USAGES)),
        "2.16.840.1.113730.1.1" => bits(value).map(|bits| flags(bits, &TYPES)),
        "2.5.29.17" | "2.5.29.18" => Reader(value).expect(der::SEQUENCE).map(general_names::list),
        "2.5.29.19" => basic_constraints(value),
        "2.5.29.30" => name_constraints(value),
        "2.5.29.31" => distribution_points(value),
        "2.5.29.32" => policies(value),
        "2.5.29.35" => authority_key(value),
        "2.5.29.36" => policy_constraints(value),
        "2.5.29.37" => identifiers(value).map(|all| {
            let names: Vec<String> = all.iter().map(|one| long_name(one)).collect();
            names.join(", ")
        }),
        "1.3.6.1.5.5.7.1.1" => access(value),
        "1.3.6.1.5.5.7.1.24" => features(value),
        _ => None,
    };
    match words {
        Some(words) => words.into_bytes(),
        // Netscape's are texts.
        None => match Reader(value).next() {
            Some(text) if extension.identifier.starts_with("2.16.840.1.113730.1.") => {
                text.content.to_vec()
            }
            _ => value.to_vec(),
        },
    }
}

fn flags(bits: u16, names: &[(u16, &str)]) -> String {
    let set = names.iter().filter(|(bit, _)| bits & bit != 0);
    set.map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
}

fn basic_constraints(value: &[u8]) -> Option<String> {
    let mut reader = Reader(value).sequence()?;
    let is_authority = reader.expect(der::BOOLEAN).is_some_and(|flag| flag != [0]);
    let mut words = format!("CA:{}", if is_authority { "TRUE" } else { "FALSE" });
    if let Some(length) = reader.integer() {
        words.push_str(&format!(", pathlen:{}", decimal(length)));
    }
    Some(words)
}

fn name_constraints(value: &[u8]) -> Option<String> {
    let mut reader = Reader(value).sequence()?;
    let mut lines = Vec::new();
    for (tag, title) in [(0xa0, "Permitted:"), (0xa1, "Excluded:")] {
        let Some(mut trees) = reader.expect(tag).map(Reader) else {
            continue;
        };
        lines.push(title.to_owned());
        while let Some(mut tree) = trees.sequence() {
            let name = tree.next()?;
            let shown = match (name.tag, name.content.len()) {
                (0x87, 8 | 32) => {
                    let (address, mask) = name.content.split_at(name.content.len() / 2);
                    let part = |bytes: &[u8]| -> String {
                        match bytes.len() {
                            4 => bytes
                                .iter()
                                .map(u8::to_string)
                                .collect::<Vec<_>>()
                                .join("."),
                            _ => bytes
                                .chunks(2)
                                .map(|pair| format!("{:X}", u16::from_be_bytes([pair[0], pair[1]])))
                                .collect::<Vec<_>>()
                                .join(":"),
                        }
                    };
                    format!("IP:{}/{}", part(address), part(mask))
                }
                _ => general_names::shown(&name),
            };
            lines.push(format!("  {shown}"));
        }
    }
    Some(lines.join("\n"))
}

/// Reasons for which a list revokes, by bits.
const REASONS: [(u16, &str); 9] = [
    (0x80, "Unused"),
    (0x40, "Key Compromise"),
    (0x20, "CA Compromise"),
    (0x10, "Affiliation Changed"),
    (0x08, "Superseded"),
    (0x04, "Cessation Of Operation"),
    (0x02, "Certificate Hold"),
    (0x01, "Privilege Withdrawn"),
    (0x8000, "AA Compromise"),
];

fn distribution_points(value: &[u8]) -> Option<String> {
    let mut points = Reader(value).sequence()?;
    let mut words = String::new();
    let mut is_first = true;
    while let Some(mut point) = points.sequence() {
        if !std::mem::take(&mut is_first) {
            words.push('\n');
        }
        if let Some(place) = point.expect(0xa0) {
            let mut place = Reader(place);
            if let Some(names) = place.expect(0xa0) {
                words.push_str("Full Name:\n");
                let mut names = Reader(names);
                while let Some(name) = names.next() {
                    words.push_str(&format!("  {}\n", general_names::shown(&name)));
                }
            } else if let Some(relative) = place.expect(0xa1) {
                let relative = der::element(der::SET, &[relative]);
                words.push_str(&format!("Relative Name:\n  {}\n", one_line(&relative)));
            }
        }
        if let Some(reasons) = point.expect(0x81) {
            let first = reasons.get(1).copied().unwrap_or(0);
            let second = reasons.get(2).copied().unwrap_or(0);
            let reasons = flags(u16::from(first) | u16::from(second) << 8, &REASONS);
            words.push_str(&format!("Reasons:\n  {reasons}\n"));
        }
        if let Some(issuer) = point.expect(0xa2) {
            words.push_str("CRL Issuer:\n");
            let mut names = Reader(issuer);
            while let Some(name) = names.next() {
                words.push_str(&format!("  {}\n", general_names::shown(&name)));
            }
        }
    }
    Some(words)
}

fn policies(value: &[u8]) -> Option<String> {
    let mut policies = Reader(value).sequence()?;
    let mut lines = Vec::new();
    while let Some(mut policy) = policies.sequence() {
        lines.push(format!("Policy: {}", long_name(&policy.identifier()?)));
        let mut qualifiers = policy.sequence().unwrap_or(Reader(&[]));
        while let Some(mut qualifier) = qualifiers.sequence() {
            match qualifier.identifier()?.as_str() {
                "1.3.6.1.5.5.7.2.1" => {
                    let place = qualifier.next()?;
                    let place = String::from_utf8_lossy(place.content).into_owned();
                    lines.push(format!("  CPS: {place}"));
                }
                "1.3.6.1.5.5.7.2.2" => {
                    lines.push("  User Notice:".to_owned());
                    lines.extend(notice(qualifier.sequence()?));
                }
                other => lines.push(format!("  Unknown Qualifier: {other}")),
            }
        }
    }
    Some(lines.join("\n"))
}

fn notice(mut notice: Reader<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(mut reference) = notice.sequence() {
        if let Some(organization) = reference.next() {
            let name = String::from_utf8_lossy(organization.content).into_owned();
            lines.push(format!("    Organization: {name}"));
        }
        let mut numbers = reference.sequence().unwrap_or(Reader(&[]));
        let mut shown = Vec::new();
        while let Some(number) = numbers.integer() {
            shown.push(decimal(number));
        }
        let title = if shown.len() > 1 { "Numbers" } else { "Number" };
        lines.push(format!("    {title}: {}", shown.join(", ")));
    }
    if let Some(text) = notice.next() {
        let text = String::from_utf8_lossy(&super::text_in(&text)).into_owned();
        lines.push(format!("    Explicit Text: {text}"));
    }
    lines
}

fn authority_key(value: &[u8]) -> Option<String> {
    let mut reader = Reader(value).sequence()?;
    let key = reader.expect(0x80);
    let issuer = reader.expect(0xa1);
    let serial = reader.expect(0x82);
    let mut lines = Vec::new();
    if let Some(key) = key {
        // Alone it needs no title.
        let title = match issuer.is_some() || serial.is_some() {
            true => "keyid:",
            false => "",
        };
        lines.push(format!("{title}{}", with_colons(key)));
    }
    if let Some(issuer) = issuer {
        let mut names = Reader(issuer);
        while let Some(name) = names.next() {
            let shown = match name.tag {
                0xa4 => {
                    let inner = Reader(name.content).expect(der::SEQUENCE)?;
                    format!("DirName:{}", one_line(inner))
                }
                _ => general_names::shown(&name),
            };
            lines.push(shown);
        }
    }
    if let Some(serial) = serial {
        let digits = serial.strip_prefix(&[0]).unwrap_or(serial);
        lines.push(format!("serial:{}", with_colons(digits)));
    }
    Some(lines.join("\n"))
}

fn policy_constraints(value: &[u8]) -> Option<String> {
    let mut reader = Reader(value).sequence()?;
    let mut parts = Vec::new();
    for (tag, title) in [
        (0x80, "Require Explicit Policy"),
        (0x81, "Inhibit Policy Mapping"),
    ] {
        if let Some(number) = reader.expect(tag) {
            parts.push(format!("{title}:{}", decimal(number)));
        }
    }
    Some(parts.join(", "))
}

fn access(value: &[u8]) -> Option<String> {
    let mut reader = Reader(value).sequence()?;
    let mut lines = Vec::new();
    while let Some(mut description) = reader.sequence() {
        let method = long_name(&description.identifier()?);
        let place = general_names::shown(&description.next()?);
        lines.push(format!("{method} - {place}"));
    }
    Some(lines.join("\n"))
}

fn features(value: &[u8]) -> Option<String> {
    let mut reader = Reader(value).sequence()?;
    let mut names = Vec::new();
    while let Some(number) = reader.integer() {
        names.push(match number {
            [5] => "status_request".to_owned(),
            [17] => "status_request_v2".to_owned(),
            other => decimal(other),
        });
    }
    Some(names.join(", "))
}
