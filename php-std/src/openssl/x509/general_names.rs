//! Names of hosts, addresses, people and directories, as extensions show them.

use std::fmt::Write;

use super::objects;
use super::parts::{name_parts, text_in};
use crate::openssl::der::{self, Element, Reader, identifier_text};

/// A name in words: `DNS:a.b`.
pub(super) fn shown(name: &Element<'_>) -> String {
    let text = || String::from_utf8_lossy(name.content).into_owned();
    match name.tag {
        0xa0 => shown_other(name.content),
        0x81 => format!("email:{}", text()),
        0x82 => format!("DNS:{}", text()),
        0xa3 => "X400Name:<unsupported>".to_owned(),
        0xa4 => {
            let inner = Reader(name.content)
                .expect(der::SEQUENCE)
                .unwrap_or_default();
            format!("DirName:{}", directory(inner))
        }
        0xa5 => "EdiPartyName:<unsupported>".to_owned(),
        0x86 => format!("URI:{}", text()),
        0x87 => format!("IP Address:{}", address(name.content)),
        0x88 => format!(
            "Registered ID:{}",
            objects::long_name(&identifier_text(name.content))
        ),
        _ => "<unsupported>".to_owned(),
    }
}

/// Names for Kerberos and mail outside of ASCII are the only ones that OpenSSL knows of those made by others.
fn shown_other(content: &[u8]) -> String {
    let mut reader = Reader(content);
    let identifier = reader.identifier();
    let value = reader.expect(0xa0).and_then(|inner| Reader(inner).next());
    let label = match identifier.as_deref() {
        Some("1.3.6.1.5.5.7.8.9") => "SmtpUTF8Mailbox",
        Some("1.3.6.1.5.5.7.8.5") => "XmppAddr",
        Some("1.3.6.1.5.5.7.8.7") => "SRVName",
        Some("1.3.6.1.5.5.7.8.8") => "NAIRealm",
        Some("1.3.6.1.4.1.311.20.2.3") => "UPN",
        _ => return "othername:<unsupported>".to_owned(),
    };
    match value {
        Some(value) => format!(
            "othername:{label}:{}",
            String::from_utf8_lossy(value.content)
        ),
        None => "othername:<unsupported>".to_owned(),
    }
}

fn address(bytes: &[u8]) -> String {
    match bytes.len() {
        4 => bytes
            .iter()
            .map(u8::to_string)
            .collect::<Vec<_>>()
            .join("."),
        16 => {
            let groups = bytes
                .chunks(2)
                .map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            let groups: Vec<String> = groups.map(|group| format!("{group:X}")).collect();
            groups.join(":")
        }
        _ => "<invalid>".to_owned(),
    }
}

/// A distinguished name with its parts between commas.
fn directory(name: &[u8]) -> String {
    let parts = name_parts(name);
    let parts = parts.iter().map(|(identifier, text)| {
        let short =
            objects::identified(identifier).map_or(identifier.as_str(), |known| known.short);
        format!("{short} = {}", String::from_utf8_lossy(&text_in(text)))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// All names in a sequence, between commas.
pub(super) fn list(content: &[u8]) -> String {
    let mut reader = Reader(content);
    let mut names = Vec::new();
    while let Some(name) = reader.next() {
        names.push(shown(&name));
    }
    match names.is_empty() {
        true => "<EMPTY>".to_owned(),
        false => names.join(", "),
    }
}

/// A distinguished name on one line: `/C=DE/O=…`. What is no printable ASCII is shown by numbers.
pub(in crate::openssl) fn one_line(name: &[u8]) -> String {
    let mut line = String::new();
    let mut sets = Reader(name);
    while let Some(set) = sets.next() {
        for (at, (identifier, text)) in name_parts(set.whole).iter().enumerate() {
            let short =
                objects::identified(identifier).map_or(identifier.as_str(), |known| known.short);
            line.push(if at == 0 { '/' } else { '+' });
            line.push_str(short);
            line.push('=');
            for &byte in text.content {
                match byte {
                    b' '..=b'~' => line.push(char::from(byte)),
                    _ => {
                        // A text takes whatever it is given.
                        let _ = write!(line, "\\x{byte:02X}");
                    }
                }
            }
        }
    }
    line
}
