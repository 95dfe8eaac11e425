//! What locales are called in the language of a locale.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::parsing::is_malformed;
use super::{default_locale, is_grandfathered, named, too_long};
use crate::intl::errors::{self, INVALID_FORMAT};
use crate::intl::ident::{Ident, available, resource, resource_text};
use crate::support::text;

/// Old names of languages as a whole, and the ones that are used now.
const PREFERRED: &[(&str, &str)] = &[
    ("art-lojban", "jbo"),
    ("i-klingon", "tlh"),
    ("i-lux", "lb"),
    ("i-navajo", "nv"),
    ("no-bok", "nb"),
    ("no-nyn", "nn"),
    ("i-ami", "ami"),
    ("i-bnn", "bnn"),
    ("i-hak", "hak"),
    ("i-pwn", "pwn"),
    ("i-tao", "tao"),
    ("i-tay", "tay"),
    ("i-tsu", "tsu"),
    ("zh-guoyu", "cmn"),
    ("zh-hakka", "hak"),
    ("zh-xiang", "hsn"),
    ("sgn-BE-fr", "sfb"),
    ("sgn-BE-nl", "vgt"),
    ("sgn-CH-de", "sgg"),
];

/// Regions that there are no more, and which are there now.
const REPLACED: &[(&str, &str)] = &[
    ("AN", "CW"),
    ("BU", "MM"),
    ("CS", "RS"),
    ("DD", "DE"),
    ("DY", "BJ"),
    ("FX", "FR"),
    ("HV", "BF"),
    ("NH", "VU"),
    ("RH", "ZW"),
    ("SU", "RU"),
    ("TP", "TL"),
    ("UK", "GB"),
    ("VD", "VN"),
    ("YD", "YE"),
    ("YU", "RS"),
    ("ZR", "CD"),
];

/// Whose resources say what things are called.
struct Shown {
    locale: String,
    /// The locale that was asked for is not known.
    is_default: bool,
}

impl Shown {
    fn of(vm: &Vm, name: &str) -> Shown {
        let known = available(&Ident::of_tag(name).base());
        let is_default = known.is_none();
        let locale = known
            .or_else(|| available(&Ident::of_tag(&default_locale(vm)).base()))
            .unwrap_or_else(|| "root".to_owned());
        Shown { locale, is_default }
    }

    fn language(&self, code: &str) -> String {
        let code = if code.is_empty() { "und" } else { code };
        let name = resource_text("lang", &self.locale, &["Languages", code]);
        name.unwrap_or(code).to_owned()
    }

    fn script(&self, code: &str, is_alone: bool) -> String {
        let alone = (is_alone && !self.is_default)
            .then(|| resource_text("lang", &self.locale, &["Scripts%stand-alone", code]))
            .flatten();
        let name = alone.or_else(|| resource_text("lang", &self.locale, &["Scripts", code]));
        name.unwrap_or(code).to_owned()
    }

    fn region(&self, code: &str) -> String {
        let replaced = REPLACED.iter().find(|(old, _)| *old == code);
        let current = replaced.map_or(code, |(_, current)| current);
        let name = resource_text("region", &self.locale, &["Countries", current]);
        name.unwrap_or(code).to_owned()
    }

    fn variant(&self, ident: &Ident) -> String {
        let code = ident.variants.join("_");
        let name = resource_text("lang", &self.locale, &["Variants", &code]);
        name.map_or(code, str::to_owned)
    }

    fn setting(&self, key: &str, value: &str) -> String {
        let name = resource_text("lang", &self.locale, &["Keys", key]).unwrap_or(key);
        let shown = match key {
            "currency" => resource("curr", &self.locale, &["Currencies", value])
                .and_then(|currency| currency.at(1)?.text()),
            key => resource_text("lang", &self.locale, &["Types", key, value]),
        };
        format!("{name}={}", shown.unwrap_or(value))
    }

    fn name(&self, ident: &Ident) -> String {
        let part = |part: &str| {
            let path = ["localeDisplayPattern", part];
            resource_text("lang", &self.locale, &path)
        };
        let separator = part("separator")
            .unwrap_or("{0}, {1}")
            .replace("{0}", "")
            .replace("{1}", "");
        let mut parts = Vec::new();
        if !ident.script.is_empty() {
            parts.push(self.script(&ident.script, false));
        }
        if !ident.region.is_empty() {
            parts.push(self.region(&ident.region));
        }
        if !ident.variants.is_empty() {
            parts.push(self.variant(ident));
        }
        for (key, value) in &ident.keywords {
            parts.push(self.setting(key, value));
        }
        let language = self.language(&ident.language);
        if parts.is_empty() {
            return language;
        }
        let pattern = part("pattern").unwrap_or("{0} ({1})");
        let (open, close) = if pattern.contains('（') {
            (['（', '）'], ['［', '］'])
        } else {
            (['(', ')'], ['[', ']'])
        };
        let parts: Vec<String> = parts
            .into_iter()
            .map(|part| {
                part.replace(open[0], &close[0].to_string())
                    .replace(open[1], &close[1].to_string())
            })
            .collect();
        pattern
            .replace("{0}", &language)
            .replace("{1}", &parts.join(&separator))
    }
}

/// The locale to speak of and the one whose language is used; nothing after an error.
fn arguments(call: &mut Call<'_>, function: &str) -> Option<(String, Shown)> {
    errors::clear(call.vm);
    if too_long(call, 0).is_some() {
        let problem = format!("{function} : name too long");
        errors::set(call.vm, errors::ILLEGAL_ARGUMENT, &problem);
        return None;
    }
    let name = named(call, 0);
    let shown = match call.has(1) {
        true => named(call, 1),
        false => default_locale(call.vm),
    };
    let shown = Shown::of(call.vm, &shown);
    Some((name, shown))
}

fn part(
    call: &mut Call<'_>,
    function: &str,
    what: fn(&Shown, &Ident) -> String,
) -> PhpResult<Value> {
    match arguments(call, function) {
        Some((name, shown)) if !is_grandfathered(&name) => {
            text(call.vm, what(&shown, &Ident::of(&name)))
        }
        _ => Ok(false.into()),
    }
}

pub(super) fn language(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some((name, shown)) = arguments(call, "locale_get_display_language") else {
        return Ok(false.into());
    };
    let preferred = PREFERRED.iter().find(|(old, _)| *old == name);
    let name = preferred.map_or(name.as_str(), |(_, preferred)| preferred);
    text(call.vm, shown.language(&Ident::of(name).language))
}

pub(super) fn script(call: &mut Call<'_>) -> PhpResult<Value> {
    part(
        call,
        "locale_get_display_script",
        |shown, ident| match ident.script.as_str() {
            "" => String::new(),
            script => shown.script(script, true),
        },
    )
}

pub(super) fn region(call: &mut Call<'_>) -> PhpResult<Value> {
    part(
        call,
        "locale_get_display_region",
        |shown, ident| match ident.region.as_str() {
            "" => String::new(),
            region => shown.region(region),
        },
    )
}

pub(super) fn variant(call: &mut Call<'_>) -> PhpResult<Value> {
    part(
        call,
        "locale_get_display_variant",
        |shown, ident| match ident.variants.is_empty() {
            true => String::new(),
            false => shown.variant(ident),
        },
    )
}

pub(super) fn name(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some((name, shown)) = arguments(call, "locale_get_display_name") else {
        return Ok(false.into());
    };
    if is_malformed(&name) {
        let problem = "locale_get_display_name : unable to get locale name";
        return errors::failed(call.vm, INVALID_FORMAT, problem, false.into());
    }
    // Language, script and region are taken from the name as it stands, settings from all ways to write them.
    let mut ident = Ident::of(&name);
    ident.keywords = Ident::settings_of(&name);
    text(call.vm, shown.name(&ident))
}
