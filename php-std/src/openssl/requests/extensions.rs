//! Extensions as a section of a configuration describes them.

use sha1::{Digest, Sha1};

use crate::openssl::configuration::File;
use crate::openssl::der::{self, Reader};
use crate::openssl::keys::Key;
use crate::openssl::x509::{Parts, objects};

/// Whom a certificate is made for, and by whom.
pub(super) struct Subject<'a> {
    pub(super) key: &'a Key,
    /// The issuer's certificate; None for one that vouches for itself, and for requests.
    pub(super) issuer: Option<&'a Parts<'a>>,
    pub(super) issuer_key: &'a Key,
}

/// The digest by which keys are known.
fn key_identifier(key: &Key) -> Vec<u8> {
    let public = key.written_public();
    let bits = Reader(&public).sequence().and_then(|mut parts| {
        parts.next()?;
        parts.bits()
    });
    Sha1::digest(bits.unwrap_or_default()).to_vec()
}

/// The extensions of a section, as elements in a sequence; nothing if one is not known or not well put.
pub(super) fn of_section(file: &File, section: &str, subject: &Subject<'_>) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    for (name, value) in file.section(section)? {
        let (is_critical, value) = match value.strip_prefix("critical") {
            Some(rest) => (
                true,
                rest.trim_start().strip_prefix(',').unwrap_or(rest).trim(),
            ),
            None => (false, value.as_str()),
        };
        let known = objects::named(name)?;
        let Some(content) = content(file, known.identifier, value, subject)? else {
            continue;
        };
        let flag = match is_critical {
            true => der::element(der::BOOLEAN, &[&[0xff]]),
            false => Vec::new(),
        };
        all.extend(der::sequence(&[
            &der::identifier(known.identifier),
            &flag,
            &der::octets(&content),
        ]));
    }
    Some(der::sequence(&[&all]))
}

/// The content of an extension. The inner result is nothing if there is none to be made here.
fn content(
    file: &File,
    identifier: &str,
    value: &str,
    subject: &Subject<'_>,
) -> Option<Option<Vec<u8>>> {
    let words = || value.split(',').map(str::trim);
    Some(Some(match identifier {
        "2.5.29.14" => match value {
            "hash" => der::octets(&key_identifier(subject.key)),
            hex => der::octets(&bytes_of(hex)?),
        },
        "2.5.29.35" => {
            let wants_key = words().any(|word| word.starts_with("keyid"));
            let content = match (wants_key, subject.issuer) {
                (true, Some(issuer)) => {
                    let known = issuer.extension("2.5.29.14");
                    Reader(known?).expect(der::OCTET_STRING)?.to_vec()
                }
                (true, None) => key_identifier(subject.issuer_key),
                _ => return None,
            };
            der::sequence(&[&der::element(0x80, &[&content])])
        }
        "2.5.29.19" => {
            let (mut flag, mut length) = (Vec::new(), Vec::new());
            for word in words() {
                match word.split_once(':')? {
                    ("CA", yes) if yes.eq_ignore_ascii_case("true") => {
                        flag = der::element(der::BOOLEAN, &[&[0xff]]);
                    }
                    ("CA", no) if no.eq_ignore_ascii_case("false") => {}
                    ("pathlen", number) => {
                        length = der::integer(&number.trim().parse::<u32>().ok()?.to_be_bytes());
                    }
                    _ => return None,
                }
            }
            der::sequence(&[&flag, &length])
        }
        "2.5.29.15" => {
            let names = [
                "digitalSignature",
                "nonRepudiation",
                "keyEncipherment",
                "dataEncipherment",
                "keyAgreement",
                "keyCertSign",
                "cRLSign",
                "encipherOnly",
                "decipherOnly",
            ];
            bit_string(words(), &names)?
        }
        "2.16.840.1.113730.1.1" => {
            let names = [
                "client", "server", "email", "objsign", "reserved", "sslCA", "emailCA", "objCA",
            ];
            bit_string(words(), &names)?
        }
        "2.5.29.37" => {
            let mut all = Vec::new();
            for word in words() {
                all.extend(der::identifier(&super::names::identifier(word)?));
            }
            der::sequence(&[&all])
        }
        "2.5.29.17" | "2.5.29.18" => {
            let mut all = Vec::new();
            let entries: Vec<(String, String)> = match value.strip_prefix('@') {
                Some(section) => file.section(section)?.to_vec(),
                None => words()
                    .map(|word| {
                        word.split_once(':')
                            .map(|(kind, name)| (kind.into(), name.into()))
                    })
                    .collect::<Option<_>>()?,
            };
            for (kind, name) in entries {
                let kind = kind.split('.').next().unwrap_or_default().to_owned();
                all.extend(general_name(&kind, name.trim())?);
            }
            der::sequence(&[&all])
        }
        "2.16.840.1.113730.1.13" | "2.16.840.1.113730.1.2" => {
            der::element(0x16, &[value.as_bytes()])
        }
        _ => return None,
    }))
}

fn general_name(kind: &str, name: &str) -> Option<Vec<u8>> {
    Some(match kind {
        "DNS" => der::element(0x82, &[name.as_bytes()]),
        "email" => der::element(0x81, &[name.as_bytes()]),
        "URI" => der::element(0x86, &[name.as_bytes()]),
        "RID" => {
            let identifier = der::identifier(&super::names::identifier(name)?);
            der::element(0x88, &[Reader(&identifier).expect(der::IDENTIFIER)?])
        }
        "IP" => match name.parse().ok()? {
            std::net::IpAddr::V4(address) => der::element(0x87, &[&address.octets()]),
            std::net::IpAddr::V6(address) => der::element(0x87, &[&address.octets()]),
        },
        _ => return None,
    })
}

/// A string of the bits that are named, without zeros at its end.
fn bit_string<'a>(words: impl Iterator<Item = &'a str>, names: &[&str]) -> Option<Vec<u8>> {
    let mut bits = 0u16;
    for word in words {
        bits |= 0x8000 >> names.iter().position(|name| *name == word)?;
    }
    let bytes = bits.to_be_bytes();
    let used = match bytes {
        [0, 0] => 0,
        [_, 0] => 1,
        _ => 2,
    };
    let unused = match used {
        0 => 0,
        used => bytes[used - 1].trailing_zeros() as u8,
    };
    Some(der::element(der::BIT_STRING, &[&[unused], &bytes[..used]]))
}

/// Bytes of hexadecimal digits with colons between them.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b':').collect();
    let pairs = digits.chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(byte).collect()
}
