//! Which locale fits what is asked for.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::parsing::canonical;
use super::{LONGEST, checked, named};
use crate::intl::errors::{self, ILLEGAL_ARGUMENT};
use crate::intl::ident::Ident;
use crate::intl::pack;
use crate::support::text;

/// A name as names are compared.
fn comparable(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

pub(super) fn filter_matches(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(mut range) = checked(call, 1) else {
        return Ok(Value::NULL);
    };
    let mut tag = named(call, 0);
    if range == "*" {
        return Ok(true.into());
    }
    if call.bool(2) {
        range = canonical(&range).unwrap_or(range);
        tag = canonical(&tag).unwrap_or(tag);
    }
    let (range, tag) = (comparable(&range), comparable(&tag));
    let rest = tag.strip_prefix(&range);
    let fits = rest.is_some_and(|rest| matches!(rest.as_bytes().first(), None | Some(b'_' | b'@')));
    Ok(fits.into())
}

/// The part of a name before its last separator, and before a single letter in front of that.
fn shorter(name: &str) -> &str {
    let Some(at) = name.rfind('_') else {
        return "";
    };
    let name = &name[..at];
    match name.rfind('_') {
        Some(before) if at - before == 2 => &name[..before],
        _ => name,
    }
}

pub(super) fn lookup(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(mut range) = checked(call, 1) else {
        return Ok(Value::NULL);
    };
    // Who asks for nothing gets what is given for nothing.
    if call.bytes(1).is_empty() && call.has(3) {
        range = named(call, 3);
    }
    if call.elements(0).is_empty() {
        return text(call.vm, "");
    }
    let is_canonical = call.bool(2);
    let mut tags = Vec::new();
    for (_, tag) in call.elements(0).iter() {
        let ValueKind::String(tag) = tag.deref().view() else {
            let function = crate::support::current_function(call.vm);
            let message =
                format!("{function}(): Argument #2 ($locale) must only contain string values");
            return Err(call.vm.throw_error(KnownClass::TypeError, message));
        };
        let tag = String::from_utf8_lossy(tag).into_owned();
        if tag.is_empty() || tag.len() > LONGEST {
            let problem = "lookup_loc_range: unable to canonicalize lang_tag";
            return errors::failed(call.vm, ILLEGAL_ARGUMENT, problem, Value::NULL);
        }
        match is_canonical {
            true => {
                let tag = comparable(&canonical(&tag).unwrap_or(tag));
                tags.push((tag.clone(), tag));
            }
            false => tags.push((comparable(&tag), tag)),
        }
    }
    let range = match is_canonical {
        true => canonical(&range).unwrap_or(range),
        false => range,
    };
    // Further settings do not count.
    let range = comparable(range.split('@').next().unwrap_or_default());
    let mut wanted = range.as_str();
    while !wanted.is_empty() {
        if let Some((_, found)) = tags.iter().find(|(tag, _)| tag == wanted) {
            return text(call.vm, found);
        }
        wanted = shorter(wanted);
    }
    let default = call.optional_bytes(3).unwrap_or_default();
    text(call.vm, default)
}

/// The languages of a header, the most wanted first; nothing if a weight is no number.
fn accepted(header: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for part in header.split(',') {
        let (name, weight) = part.split_once(';').unwrap_or((part, ""));
        let weight = match weight.split_once('=') {
            Some((_, weight)) => weight.trim().parse().ok()?,
            None => 1.0f64,
        };
        if !name.trim().is_empty() {
            found.push((name.trim().to_owned(), weight));
        }
    }
    found.sort_by(|one, other| other.1.total_cmp(&one.1));
    Some(found.into_iter().map(|(name, _)| name).collect())
}

pub(super) fn accept_from_http(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let header = String::from_utf8_lossy(call.bytes(0)).into_owned();
    if header
        .split(',')
        .any(|part| part.split(';').next().unwrap_or_default().len() > LONGEST)
    {
        let problem = "locale_accept_from_http: locale string too long";
        return errors::failed(call.vm, ILLEGAL_ARGUMENT, problem, false.into());
    }
    let Some(wanted) = accepted(&header) else {
        let problem = "locale_accept_from_http: failed to find acceptable locale";
        return errors::failed(call.vm, ILLEGAL_ARGUMENT, problem, false.into());
    };
    let names = pack::root().find(&["names", "locales"]);
    let is_known = |name: &str| {
        names.is_some_and(|names| names.items().any(|known| known.text() == Some(name)))
    };
    for name in wanted {
        let name = Ident::of_tag(&name).base();
        let mut name = name.as_str();
        while !name.is_empty() {
            if is_known(name) {
                return text(call.vm, name);
            }
            name = name.rfind('_').map_or("", |at| &name[..at]);
        }
    }
    Ok(false.into())
}
