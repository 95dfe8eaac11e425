//! `openssl_x509_parse()` and `openssl_x509_checkpurpose()`.

use sha1::{Digest, Sha1};
use vm_runtime::function::Call;
use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::described::described;
use super::general_names::one_line;
use super::objects;
use super::parts::{Parts, name_parts, seconds, text_in};
use super::purposes::{PURPOSES, Uses};
use crate::openssl::certificates::certificate_in;
use crate::openssl::der::{self, Element, Reader};
use crate::openssl::digits::{decimal, magnitude};
use crate::standard::strings::encode::hexadecimal;
use crate::support::{functions, list};

functions! {
    "openssl_x509_parse(OpenSSLCertificate|string $certificate, bool $short_names = true): array|false" => parse,
}

/// The parts of a name by what they are called; several of one kind are a list.
pub(in crate::openssl) fn name_table(vm: &mut Vm, name: &[u8], short: bool) -> ArrayHandle {
    let mut table = vm.new_array();
    for (identifier, text) in name_parts(name) {
        let known = objects::identified(&identifier);
        let key = match known {
            Some(known) if short => known.short,
            Some(known) => known.long,
            None => &identifier,
        };
        let text = text_in(&text);
        let value: Value = vm.string(text).into();
        let before = table
            .get_bytes(key.as_bytes())
            .map(|known| Value::share(known.deref()));
        let value = match before {
            None => value,
            Some(before) => match before.array() {
                Some(mut all) => {
                    drop(all.make_mut(vm).push(value));
                    all.into()
                }
                None => list(vm, [before, value]),
            },
        };
        table.make_mut(vm).set_bytes(key.as_bytes(), value);
    }
    table
}

/// The number by which OpenSSL finds a certificate in a folder: a digest of its subject, as it is compared.
fn subject_hash(subject: &[u8]) -> String {
    let mut canonical = Vec::new();
    let mut sets = Reader(subject);
    while let Some(set) = sets.next() {
        let mut pairs: Vec<Vec<u8>> = name_parts(set.whole)
            .iter()
            .map(|(identifier, text)| {
                let text = compared(text);
                der::sequence(&[&der::identifier(identifier), &text])
            })
            .collect();
        pairs.sort();
        canonical.extend(der::element(der::SET, &[&pairs.concat()]));
    }
    let digest = Sha1::digest(&canonical);
    let number = u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]);
    format!("{number:08x}")
}

/// A text as names are compared: in small letters, without blanks around it, and one where there are several.
fn compared(text: &Element<'_>) -> Vec<u8> {
    let is_text = matches!(text.tag, 0x0c | 0x13 | 0x14 | 0x16 | 0x1a | 0x1c | 0x1e);
    if !is_text {
        return text.whole.to_vec();
    }
    let plain = text_in(text).to_ascii_lowercase();
    let words = plain.split(u8::is_ascii_whitespace);
    let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
    der::element(0x0c, &[&words.join(&b' ')])
}

fn parse(call: &mut Call<'_>) -> PhpResult<Value> {
    let short = call.bool(1);
    let Some(certificate) = certificate_in(call, 0)? else {
        return Ok(false.into());
    };
    let Some(parts) = Parts::of(&certificate) else {
        return Ok(false.into());
    };
    let vm = &mut *call.vm;
    let mut table = vm.new_array();
    let mut set = |vm: &mut Vm, name: &str, value: Value| {
        table.make_mut(vm).set_bytes(name.as_bytes(), value);
    };
    let subject = parts.subject.content;
    let line = vm.string(one_line(subject)).into();
    set(vm, "name", line);
    let names = name_table(vm, subject, short).into();
    set(vm, "subject", names);
    let hash = vm.string(subject_hash(subject)).into();
    set(vm, "hash", hash);
    let names = name_table(vm, parts.issuer.content, short).into();
    set(vm, "issuer", names);
    set(vm, "version", i64::from(parts.version).into());
    let (is_negative, digits) = magnitude(parts.serial);
    let sign = if is_negative { "-" } else { "" };
    let hex = match digits.as_slice() {
        [] | [0] => "00".to_owned(),
        digits => String::from_utf8_lossy(&hexadecimal(digits).to_ascii_uppercase()).into_owned(),
    };
    // Long numbers are not shown in base ten.
    let is_long = digits.len() > 16 || digits.len() == 16 && digits[0] >= 0x80;
    let serial = match is_long {
        true => format!("{sign}0x{hex}"),
        false => format!("{sign}{}", decimal(&digits)),
    };
    let serial = vm.string(serial).into();
    set(vm, "serialNumber", serial);
    let hex = vm.string(format!("{sign}{hex}")).into();
    set(vm, "serialNumberHex", hex);
    for (name, time) in [("validFrom", &parts.from), ("validTo", &parts.until)] {
        let text = vm.string(time.content).into();
        set(vm, name, text);
    }
    for (name, time) in [
        ("validFrom_time_t", &parts.from),
        ("validTo_time_t", &parts.until),
    ] {
        if time.content.len() < 13 {
            vm.function_warning("Illegal length in timestamp");
            vm.check()?;
        }
        set(vm, name, seconds(time).unwrap_or(-1).into());
    }
    let algorithm = Reader(parts.algorithm).identifier().unwrap_or_default();
    let (short_name, long_name, number) = match objects::signature(&algorithm) {
        Some((known, number)) => (known.short, known.long, *number),
        None => ("UNDEF", "undefined", 0),
    };
    let text = vm.string(short_name).into();
    set(vm, "signatureTypeSN", text);
    let text = vm.string(long_name).into();
    set(vm, "signatureTypeLN", text);
    set(vm, "signatureTypeNID", number.into());
    let uses = Uses::of(&parts);
    let mut purposes = vm.new_array();
    for (purpose, name) in PURPOSES {
        let name = vm.string(name).into();
        let both = [
            uses.allow(purpose, false).into(),
            uses.allow(purpose, true).into(),
            name,
        ];
        let both = list(vm, both);
        purposes.make_mut(vm).set_long(purpose as i64, both);
    }
    set(vm, "purposes", purposes.into());
    let mut extensions = vm.new_array();
    for extension in parts.extensions() {
        let known = objects::identified(&extension.identifier);
        let name = known.map_or(extension.identifier.as_str(), |known| known.short);
        let words = vm.string(described(&extension)).into();
        extensions.make_mut(vm).set_bytes(name.as_bytes(), words);
    }
    set(vm, "extensions", extensions.into());
    Ok(table.into())
}
