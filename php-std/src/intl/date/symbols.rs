//! Patterns of dates and times of a locale, and the names that stand in dates.

use crate::intl::ident::{parent, resource};
use crate::intl::pack::{Node, root};

/// How long a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Wide,
    Abbreviated,
    Narrow,
    Short,
}

impl Width {
    fn name(self) -> &'static str {
        match self {
            Width::Wide => "wide",
            Width::Abbreviated => "abbreviated",
            Width::Narrow => "narrow",
            Width::Short => "short",
        }
    }

    /// By how often a letter stands in a pattern.
    pub(super) fn of_count(count: usize) -> Width {
        match count {
            4 => Width::Wide,
            5 => Width::Narrow,
            6 => Width::Short,
            _ => Width::Abbreviated,
        }
    }
}

/// A part of what a locale says of Gregory's calendar.
fn part(locale: &str, path: &[&str]) -> Option<Node> {
    let path = [&["calendar", "gregorian"], path].concat();
    resource("main", locale, &path)
}

/// The text of a part of a list; some have a numbering system beside it.
fn item(list: Node, index: usize) -> Option<&'static str> {
    let node = list.at(index)?;
    node.text().or_else(|| node.at(0)?.text())
}

/// Names of a kind: those that stand alone or in a date. What is not said is what a longer name or the other use says.
fn names(locale: &str, kind: &str, alone: bool, width: Width) -> Option<Node> {
    let uses = |alone: bool| if alone { "stand-alone" } else { "format" };
    let mut tried = vec![(alone, width)];
    match width {
        Width::Narrow => tried.extend([(!alone, Width::Narrow), (false, Width::Abbreviated)]),
        Width::Short => tried.extend([(!alone, Width::Short), (alone, Width::Abbreviated)]),
        Width::Abbreviated | Width::Wide => {}
    }
    tried.extend([
        (false, width),
        (false, Width::Abbreviated),
        (false, Width::Wide),
    ]);
    // Names that hold for all languages come last.
    let own =
        |(alone, width): &(bool, Width)| own_part(locale, &[kind, uses(*alone), width.name()]);
    let found = tried.iter().find_map(own);
    found.or_else(|| {
        tried
            .iter()
            .find_map(|(alone, width)| part(locale, &[kind, uses(*alone), width.name()]))
    })
}

pub(super) fn month(locale: &str, alone: bool, width: Width, month: i64) -> String {
    let name =
        names(locale, "monthNames", alone, width).and_then(|names| item(names, month as usize));
    name.unwrap_or_default().to_owned()
}

/// A day of the week, of which 1 is Sunday.
pub(super) fn weekday(locale: &str, alone: bool, width: Width, day: i64) -> String {
    let name =
        names(locale, "dayNames", alone, width).and_then(|names| item(names, day as usize - 1));
    name.unwrap_or_default().to_owned()
}

pub(super) fn quarter(locale: &str, alone: bool, width: Width, quarter: i64) -> String {
    let name =
        names(locale, "quarters", alone, width).and_then(|names| item(names, quarter as usize));
    name.unwrap_or_default().to_owned()
}

pub(super) fn era(locale: &str, width: Width, era: i64) -> String {
    let of = |width: Width| {
        part(locale, &["eras", width.name()]).and_then(|names| item(names, era as usize))
    };
    let name = of(width).or_else(|| of(Width::Abbreviated));
    name.unwrap_or_default().to_owned()
}

/// What a locale itself says, not what holds for all.
fn own_part(locale: &str, path: &[&str]) -> Option<Node> {
    let path = [&["calendar", "gregorian"], path].concat();
    let main = root().get("main")?;
    let mut name = locale;
    while name != "root" {
        if let Some(found) = main.get(name).and_then(|own| own.find(&path)) {
            return Some(found);
        }
        name = parent(name)?;
    }
    None
}

/// Before noon or after it.
pub(super) fn half_day(locale: &str, width: Width, half: i64) -> String {
    let key = match width {
        Width::Wide => "AmPmMarkers",
        Width::Narrow => "AmPmMarkersNarrow",
        _ => "AmPmMarkersAbbr",
    };
    let keys = [key, "AmPmMarkers", "AmPmMarkersAbbr"];
    let own = keys.iter().find_map(|key| own_part(locale, &[key]));
    let names = own.or_else(|| keys.iter().find_map(|key| part(locale, &[key])));
    let name = names.and_then(|names| item(names, half as usize));
    name.unwrap_or_default().to_owned()
}

/// The part of a day that a time of it, in seconds, is in, as people call it.
pub(super) fn day_period(
    locale: &str,
    width: Width,
    seconds: i64,
    only_points: bool,
) -> Option<&'static str> {
    let periods = root().get("dayPeriods")?;
    let language = locale.split('_').next().unwrap_or_default();
    let set = periods
        .find(&["locales", locale])
        .or_else(|| periods.find(&["locales", language]))?;
    let rules = periods.find(&["rules", set.text()?])?;
    let minutes = |text: &str| {
        let (hours, minutes) = text.split_once(':')?;
        Some(hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?)
    };
    let now = seconds / 60;
    let time_of = |rule: Node, key| rule.get(key).and_then(Node::text).and_then(minutes);
    let is_now = |rule: Node| {
        if let Some(at) = time_of(rule, "at") {
            // Midnight, which may be the beginning of a day or its end, is not named.
            return at % 1440 != 0 && at * 60 == seconds;
        }
        match (time_of(rule, "from"), time_of(rule, "before")) {
            _ if only_points => false,
            (Some(from), Some(before)) if from < before => (from..before).contains(&now),
            (Some(from), Some(before)) => now >= from || now < before,
            _ => false,
        }
    };
    // Points of a day go before parts of it.
    let is_point = |rule: Node| rule.get("at").is_some();
    let found = rules.entries().filter(|(_, rule)| is_now(*rule));
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(_, rule)| !is_point(*rule));
    let name_of = |name: &str| {
        let of = |width: Width| {
            part(locale, &["dayPeriod", "format", width.name(), name]).and_then(Node::text)
        };
        of(width)
            .or_else(|| of(Width::Abbreviated))
            .or_else(|| of(Width::Wide))
    };
    found.into_iter().find_map(|(name, _)| name_of(name))
}

/// The pattern of dates or times in a style: 0 is the longest.
fn style(locale: &str, first: usize, style: i64) -> &'static str {
    let patterns = part(locale, &["DateTimePatterns"]);
    patterns
        .and_then(|patterns| item(patterns, first + style as usize))
        .unwrap_or_default()
}

/// What puts a date and a time together.
pub(in crate::intl) fn glue(locale: &str, date_style: i64) -> &'static str {
    let at_time = part(locale, &["DateTimePatterns%atTime"])
        .and_then(|patterns| item(patterns, date_style as usize));
    let usual = || {
        part(locale, &["DateTimePatterns"])
            .and_then(|patterns| item(patterns, 9 + date_style as usize))
    };
    at_time.or_else(usual).unwrap_or("{1} {0}")
}

/// The pattern of a locale for styles of date and time, none if that is negative.
pub(in crate::intl) fn pattern(locale: &str, date: i64, time: i64) -> String {
    match (date, time) {
        (0.., 0..) => {
            let (date_pattern, time_pattern) = (style(locale, 4, date), style(locale, 0, time));
            glue(locale, date)
                .replace("{1}", date_pattern)
                .replace("{0}", time_pattern)
        }
        (0.., _) => style(locale, 4, date).to_owned(),
        (_, 0..) => style(locale, 0, time).to_owned(),
        _ => "yyyyMMdd hh:mm a".to_owned(),
    }
}

/// A day by how far it is from today.
pub(super) fn relative_day(locale: &str, days: i64) -> Option<&'static str> {
    resource(
        "main",
        locale,
        &["fields", "day", "relative", &days.to_string()],
    )?
    .text()
}

/// The locale whose resources say how dates are written.
pub(super) fn actual_locale(locale: &str) -> String {
    let path = ["calendar", "gregorian", "DateTimePatterns"];
    let mut name = locale;
    loop {
        if root()
            .find(&["main", name])
            .is_some_and(|own| own.find(&path).is_some())
        {
            return name.to_owned();
        }
        match parent(name) {
            Some(next) => name = next,
            None => return "root".to_owned(),
        }
    }
}
