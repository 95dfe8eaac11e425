//! What zones are called in a language.

use vm_runtime::vm::Vm;

use super::{IcuZone, ids};
use crate::intl::ident::{Ident, available, resource_text};
use crate::intl::locale::default_locale;
use crate::intl::number;
use crate::intl::pack::{Node, root};

/// How a zone is named, by ICU's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::intl) enum Style {
    Short,
    Long,
    ShortGeneric,
    LongGeneric,
    ShortGmt,
    LongGmt,
    ShortCommonlyUsed,
    GenericLocation,
}

impl Style {
    pub(super) fn of(number: i64) -> Option<Style> {
        Some(match number {
            1 => Style::Short,
            2 => Style::Long,
            3 => Style::ShortGeneric,
            4 => Style::LongGeneric,
            5 => Style::ShortGmt,
            6 => Style::LongGmt,
            7 => Style::ShortCommonlyUsed,
            8 => Style::GenericLocation,
            _ => return None,
        })
    }
}

/// A locale whose resources are used, and its nought.
#[derive(Debug, Clone)]
pub(in crate::intl) struct Language {
    pub(in crate::intl) locale: String,
    pub(in crate::intl) zero: char,
}

/// The locale of a name, or the default one.
pub(in crate::intl) fn locale(vm: &Vm, name: &str) -> Language {
    let ident = Ident::of_tag(name);
    let locale = available(&ident.base())
        .or_else(|| available(&Ident::of_tag(&default_locale(vm)).base()))
        .unwrap_or_else(|| "root".to_owned());
    let zero = number::zero_digit(&ident, &locale);
    Language { locale, zero }
}

fn text_of(language: &Language, path: &[&str]) -> Option<&'static str> {
    let path = [&["zoneStrings"], path].concat();
    resource_text("zone", &language.locale, &path)
}

/// The zones that share their names at a time.
fn metazone(id: &str, time: f64) -> Option<&'static str> {
    let key = ids::canonical(id)?.replace('/', ":");
    let spans = root().find(&["metaZones", "metazoneInfo", &key])?;
    // Times are as text: `1970-01-01 00:00`.
    let minutes = (time / 60_000.0).floor() as i64;
    let days = minutes.div_euclid(24 * 60);
    let (year, month, day) = crate::date::date_from_days(days);
    let rest = minutes.rem_euclid(24 * 60);
    let now = format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}",
        rest / 60,
        rest % 60
    );
    spans.items().find_map(|span| {
        let part = |index| span.at(index).and_then(Node::text);
        let name = part(0)?;
        let from = part(1).unwrap_or("1970-01-01 00:00");
        let until = part(2).unwrap_or("9999-12-31 23:59");
        (from <= now.as_str() && now.as_str() < until).then_some(name)
    })
}

/// A name of a zone, or of those that share its names.
fn name(id: &str, language: &Language, kind: &str, time: f64) -> Option<&'static str> {
    let key = ids::canonical(id)?.replace('/', ":");
    let own = text_of(language, &[&key, kind]);
    own.filter(|name| *name != "∅∅∅").or_else(|| {
        let shared = format!("meta:{}", metazone(id, time)?);
        text_of(language, &[&shared, kind]).filter(|name| *name != "∅∅∅")
    })
}

fn digits(language: &Language, text: &str) -> String {
    let shown = |character: char| match character.to_digit(10) {
        Some(digit) => char::from_u32(language.zero as u32 + digit).unwrap_or(character),
        None => character,
    };
    text.chars().map(shown).collect()
}

/// `GMT+01:00`, or `GMT+1`.
pub(in crate::intl) fn gmt(language: &Language, offset: i64, is_short: bool) -> String {
    if offset == 0 {
        return text_of(language, &["gmtZeroFormat"])
            .unwrap_or("GMT")
            .to_owned();
    }
    let formats = text_of(language, &["hourFormat"]).unwrap_or("+HH:mm;-HH:mm");
    let (positive, negative) = formats.split_once(';').unwrap_or((formats, formats));
    let format = if offset < 0 { negative } else { positive };
    let seconds = offset.abs() / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    // Between hours and minutes stands what the format has there.
    let separator = format
        .split("HH")
        .nth(1)
        .or_else(|| format.split('H').nth(1))
        .unwrap_or(":mm");
    let separator = separator.split('m').next().unwrap_or(":");
    let sign = format.split('H').next().unwrap_or("+");
    let mut shown = sign.to_owned();
    if is_short {
        shown.push_str(&digits(language, &hours.to_string()));
    } else {
        shown.push_str(&digits(language, &format!("{hours:02}")));
    }
    if !is_short || minutes > 0 || seconds > 0 {
        shown.push_str(separator);
        shown.push_str(&digits(language, &format!("{minutes:02}")));
    }
    if seconds > 0 {
        shown.push_str(separator);
        shown.push_str(&digits(language, &format!("{seconds:02}")));
    }
    let pattern = text_of(language, &["gmtFormat"]).unwrap_or("GMT{0}");
    pattern.replace("{0}", &shown)
}

/// `+0100`, or with a colon; seconds if there are any.
pub(in crate::intl) fn basic(offset: i64, colon: bool) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let seconds = offset.abs() / 1000;
    let between = if colon { ":" } else { "" };
    let mut shown = format!(
        "{sign}{:02}{between}{:02}",
        seconds / 3600,
        seconds / 60 % 60
    );
    if seconds % 60 > 0 {
        shown.push_str(&format!("{between}{:02}", seconds % 60));
    }
    shown
}

/// The city that stands for a zone.
pub(in crate::intl) fn city(id: &str, language: &Language) -> String {
    let canonical = ids::canonical(id).unwrap_or_else(|| id.to_owned());
    let key = canonical.replace('/', ":");
    let name = text_of(language, &[&key, "ec"]);
    let last = || {
        canonical
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .replace('_', " ")
    };
    let unknown = || {
        text_of(language, &["Etc:Unknown", "ec"])
            .unwrap_or("Unknown Location")
            .to_owned()
    };
    match name {
        Some(name) => name.to_owned(),
        None if canonical.starts_with("Etc/") || !canonical.contains('/') => unknown(),
        None => last(),
    }
}

/// The place that a zone is named by: its country if that has no other, else its city.
fn location(id: &str, language: &Language) -> Option<String> {
    let canonical = ids::canonical(id)?;
    let region = ids::region_of(&canonical).filter(|region| *region != "001")?;
    let primary = root()
        .find(&["metaZones", "primaryZones", region])
        .and_then(Node::text);
    let is_alone = || ids::is_alone_in(region, &canonical);
    let place = match primary == Some(&canonical) || is_alone() {
        true => resource_text("region", &language.locale, &["Countries", region])?.to_owned(),
        false => city(&canonical, language),
    };
    let pattern = text_of(language, &["regionFormat"]).unwrap_or("{0}");
    Some(pattern.replace("{0}", &place))
}

/// The name of a zone in a style.
pub(in crate::intl) fn display_name(
    zone: &IcuZone,
    language: &Language,
    style: Style,
    is_summer: bool,
    time: f64,
) -> String {
    let mut offset = zone.at(time).raw;
    if is_summer {
        offset += summer_offset(zone, time);
    }
    let id = zone.id.as_str();
    match style {
        Style::ShortGmt => basic(offset, false),
        Style::LongGmt => gmt(language, offset, false),
        Style::Long => {
            let kind = if is_summer { "ld" } else { "ls" };
            let known = name(id, language, kind, time);
            known.map_or_else(|| gmt(language, offset, false), str::to_owned)
        }
        Style::Short | Style::ShortCommonlyUsed => {
            let kind = if is_summer { "sd" } else { "ss" };
            let known = name(id, language, kind, time);
            known.map_or_else(|| gmt(language, offset, true), str::to_owned)
        }
        Style::LongGeneric => {
            let shared = |kind| {
                let shared = format!("meta:{}", metazone(id, time)?);
                text_of(language, &[&shared, kind])
            };
            let known = name(id, language, "lg", time).or_else(|| shared("ls"));
            known
                .map(str::to_owned)
                .or_else(|| location(id, language))
                .unwrap_or_else(|| gmt(language, offset, false))
        }
        Style::ShortGeneric => name(id, language, "sg", time)
            .map(str::to_owned)
            .or_else(|| location(id, language))
            .unwrap_or_else(|| gmt(language, offset, true)),
        Style::GenericLocation => {
            location(id, language).unwrap_or_else(|| gmt(language, offset, false))
        }
    }
}

/// What summer adds in a zone, in the year of a time.
fn summer_offset(zone: &IcuZone, time: f64) -> i64 {
    const MONTH: f64 = 30.0 * 86_400_000.0;
    let found = (0..13)
        .map(|month| zone.at(time + MONTH * f64::from(month)).summer)
        .find(|&summer| summer != 0);
    found.unwrap_or(0)
}

/// The zone whose name a text begins with, its length, and whether it is that of summer: of the zone that is used, or
/// else of any that share their names.
pub(in crate::intl) fn find(
    text: &str,
    own: &IcuZone,
    language: &Language,
) -> Option<(usize, IcuZone, bool)> {
    const KINDS: [(&str, bool); 6] = [
        ("ls", false),
        ("ld", true),
        ("lg", false),
        ("ss", false),
        ("sd", true),
        ("sg", false),
    ];
    let time = super::now();
    let longest = |found: Option<(usize, IcuZone, bool)>, next: (usize, IcuZone, bool)| match found
    {
        Some(known) if known.0 >= next.0 => Some(known),
        _ => Some(next),
    };
    let mut found = None;
    for (kind, is_summer) in KINDS {
        let name = name(&own.id, language, kind, time).filter(|name| text.starts_with(name));
        if let Some(name) = name {
            found = longest(found, (name.len(), own.clone(), is_summer));
        }
    }
    if found.is_some() {
        return found;
    }
    let zones = root().find(&["metaZones", "mapTimezones"])?;
    for (shared, places) in zones.entries() {
        for (kind, is_summer) in KINDS {
            let name = text_of(language, &[shared, kind]).filter(|name| text.starts_with(name));
            let id = places.get("001").and_then(Node::text);
            if let (Some(name), Some(id)) = (name, id) {
                found = longest(found, (name.len(), IcuZone::of(id), is_summer));
            }
        }
    }
    found
}
