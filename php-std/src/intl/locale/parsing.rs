//! Taking names of locales apart, and putting them together.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::{checked, is_grandfathered};
use crate::intl::errors::{self, ILLEGAL_ARGUMENT};
use crate::intl::ident::Ident;
use crate::support::{list, text};

/// Where the first part of one letter stands, behind which there are extensions.
fn first_singleton(name: &str) -> Option<usize> {
    let bytes = name.as_bytes();
    let is_separator = |byte: u8| matches!(byte, b'_' | b'-');
    if bytes.len() > 1 && is_separator(bytes[1]) {
        return Some(0);
    }
    (0..bytes.len().saturating_sub(2))
        .find(|&at| is_separator(bytes[at]) && is_separator(bytes[at + 2]))
        .map(|at| at + 1)
}

/// One part of a name; nothing for names of languages as a whole.
fn part(call: &mut Call<'_>, choose: fn(Ident) -> String) -> PhpResult<Value> {
    let Some(name) = checked(call, 0) else {
        return Ok(Value::NULL);
    };
    if is_grandfathered(&name) {
        return Ok(Value::NULL);
    }
    text(call.vm, choose(Ident::of(&name)))
}

pub(super) fn primary_language(call: &mut Call<'_>) -> PhpResult<Value> {
    match checked(call, 0) {
        None => Ok(Value::NULL),
        Some(name) if is_grandfathered(&name) => text(call.vm, name),
        Some(name) => text(call.vm, Ident::of(&name).language),
    }
}

pub(super) fn script(call: &mut Call<'_>) -> PhpResult<Value> {
    part(call, |ident| ident.script)
}

pub(super) fn region(call: &mut Call<'_>) -> PhpResult<Value> {
    part(call, |ident| ident.region)
}

/// True if something behind `@` is no setting.
pub(in crate::intl) fn is_malformed(name: &str) -> bool {
    let Some((_, settings)) = name.split_once('@') else {
        return false;
    };
    settings.split(';').any(|setting| {
        !setting.is_empty()
            && setting
                .split_once('=')
                .is_none_or(|(key, value)| key.trim().is_empty() || value.trim().is_empty())
    })
}

pub(super) fn keywords(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(name) = checked(call, 0) else {
        return Ok(Value::NULL);
    };
    let keywords = Ident::settings_of(&name);
    if keywords.is_empty() || is_malformed(&name) {
        return Ok(Value::NULL);
    }
    let mut result = call.vm.new_array();
    for (key, value) in keywords {
        let value = text(call.vm, value)?;
        result.make_mut(call.vm).set_bytes(key.as_bytes(), value);
    }
    Ok(result.into())
}

pub(super) fn canonicalize(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(name) = checked(call, 0) else {
        return Ok(Value::NULL);
    };
    match canonical(&name) {
        Some(name) => text(call.vm, name),
        None => Ok(Value::NULL),
    }
}

/// The one way to write the name of a locale.
pub(in crate::intl) fn canonical(name: &str) -> Option<String> {
    if name == "art-lojban" || name == "art_lojban" {
        return Some("jbo".to_owned());
    }
    // Behind `@` POSIX has a variant.
    if let Some((base, variant)) = name.split_once('@')
        && !variant.contains('=')
        && !variant.is_empty()
    {
        let mut ident = Ident::of(base);
        ident.variants.push(variant.to_ascii_uppercase());
        return Some(ident.name());
    }
    (!is_malformed(name)).then(|| Ident::of_tag(name).name())
}

pub(super) fn all_variants(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(name) = checked(call, 0) else {
        return Ok(Value::NULL);
    };
    if is_grandfathered(&name) {
        return Ok(list(call.vm, []));
    }
    let variants = variants(&Ident::of(&name));
    texts(call.vm, variants)
}

/// The variants up to the first extension.
fn variants(ident: &Ident) -> Vec<String> {
    let mut variants = ident.variants.iter();
    let first = variants.next();
    let rest = variants.take_while(|variant| variant.len() > 1);
    first.into_iter().chain(rest).cloned().collect()
}

fn texts(vm: &mut Vm, texts: Vec<String>) -> PhpResult<Value> {
    let values: Vec<Value> = texts
        .into_iter()
        .map(|text| vm.string(text).into())
        .collect();
    Ok(list(vm, values))
}

pub(super) fn parse(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(name) = checked(call, 0) else {
        return Ok(Value::NULL);
    };
    let mut parts: Vec<(String, String)> = Vec::new();
    if is_grandfathered(&name) {
        parts.push(("grandfathered".to_owned(), name));
    } else {
        let singleton = first_singleton(&name);
        if singleton != Some(0) {
            let known = singleton.map_or(name.as_str(), |at| &name[..at - 1]);
            let ident = Ident::of(known);
            for (key, value) in [
                ("language", &ident.language),
                ("script", &ident.script),
                ("region", &ident.region),
            ] {
                if !value.is_empty() {
                    parts.push((key.to_owned(), value.clone()));
                }
            }
            for (number, variant) in variants(&ident).into_iter().enumerate() {
                parts.push((format!("variant{number}"), variant));
            }
        }
        let private = private_part(&name).unwrap_or_default();
        let pieces = private.split(['_', '-']).filter(|piece| !piece.is_empty());
        for (number, piece) in pieces.enumerate() {
            parts.push((format!("private{number}"), piece.to_owned()));
        }
    }
    let mut result = call.vm.new_array();
    for (key, value) in parts {
        let value = text(call.vm, value)?;
        result.make_mut(call.vm).set_bytes(key.as_bytes(), value);
    }
    Ok(result.into())
}

/// What stands behind `x`.
fn private_part(name: &str) -> Option<&str> {
    let bytes = name.as_bytes();
    let is_separator = |byte: Option<&u8>| matches!(byte, Some(b'_' | b'-'));
    let at = (0..bytes.len()).find(|&at| {
        matches!(bytes[at], b'x' | b'X')
            && is_separator(bytes.get(at + 1))
            && (at == 0 || is_separator(bytes.get(at - 1)))
    })?;
    Some(&name[at + 2..])
}

/// The text under a key; an error for what is no text.
fn subtag(call: &mut Call<'_>, key: &str) -> PhpResult<Option<String>> {
    match call.elements(0).get_bytes(key.as_bytes()).map(Value::share) {
        None => Ok(None),
        Some(value) => match value.view() {
            ValueKind::String(bytes) => Ok(Some(String::from_utf8_lossy(bytes).into_owned())),
            _ => {
                let problem = "locale_compose: parameter array element is not a string";
                errors::set(call.vm, ILLEGAL_ARGUMENT, problem);
                call.vm.check()?;
                Ok(Some(String::new()))
            }
        },
    }
}

/// The parts under a key: a list of them, or each under the key and a number.
fn subtags(call: &mut Call<'_>, key: &str, most: usize) -> PhpResult<Vec<String>> {
    let whole = call.elements(0).get_bytes(key.as_bytes()).map(Value::share);
    if let Some(whole) = whole {
        if let ValueKind::Array(parts) = whole.view() {
            let parts = parts
                .iter()
                .filter_map(|(_, value)| match value.deref().view() {
                    ValueKind::String(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
                    _ => None,
                });
            return Ok(parts.collect());
        }
        return Ok(subtag(call, key)?.into_iter().collect());
    }
    let mut found = Vec::new();
    for number in 0..most {
        found.extend(subtag(call, &format!("{key}{number}"))?);
    }
    Ok(found)
}

pub(super) fn compose(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    if call.elements(0).is_empty() {
        return Ok(false.into());
    }
    if let Some(name) = subtag(call, "grandfathered")? {
        return text(call.vm, name);
    }
    let Some(language) = subtag(call, "language")? else {
        let function = crate::support::current_function(call.vm);
        let message =
            format!("{function}(): Argument #1 ($subtags) must contain a \"language\" key");
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    };
    let failed = |vm: &mut Vm| vm.extensions.state::<errors::LastError>().code != errors::NO_ERROR;
    if failed(call.vm) {
        return Ok(false.into());
    }
    let mut name = language;
    let mut add = |parts: Vec<String>| {
        for part in parts {
            name.push('_');
            name.push_str(&part);
        }
    };
    add(subtags(call, "extlang", 3)?);
    add(subtag(call, "script")?.into_iter().collect());
    add(subtag(call, "region")?.into_iter().collect());
    add(subtags(call, "variant", 15)?);
    let private = subtags(call, "private", 15)?;
    if !private.is_empty() {
        add(vec!["x".to_owned()]);
        add(private);
    }
    if failed(call.vm) {
        return Ok(false.into());
    }
    text(call.vm, name)
}
