//! The formats of dates and times that `strtotime()` knows.
//!
//! At each place of a text the format that matches the most of it is taken, the earlier one of two
//! that match the same. A format is a pattern with named groups; the groups say what is set.

use std::cell::Cell;

use vm_runtime::vm::Vm;

use super::automaton::Automaton;
use crate::pcre::{Machine, Regex};

/// What a format means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Yesterday,
    Now,
    Noon,
    Midnight,
    Tomorrow,
    Timestamp,
    MonthEnd,
    BackOf,
    FrontOf,
    WeekdayOf,
    /// A time, and perhaps a zone.
    Time,
    /// Four digits that are a time, or a year if there is a time already.
    TimeOrYear,
    Date,
    DateAndTime,
    DayOfYear,
    IsoWeek,
    Year,
    Ago,
    Weekday,
    RelativeWeek,
    RelativeText,
    Zone,
    Relative,
    Separator,
}

/// Parts of the patterns.
const PARTS: &[(&str, &str)] = &[
    ("space", r"(?:[ \t]+)"),
    ("hour24", r"(?<h>2[0-4]|[01]?[0-9])"),
    ("hour24lz", r"(?<h>2[0-4]|[01][0-9])"),
    ("hour12", r"(?<h>1[0-2]|0?[1-9])"),
    ("minute", r"(?<i>[0-5]?[0-9])"),
    ("minutelz", r"(?<i>[0-5][0-9])"),
    ("second", r"(?<s>60|[0-5]?[0-9])"),
    ("secondlz", r"(?<s>60|[0-5][0-9])"),
    ("fraction", r"[.,](?<f>[0-9]+)"),
    ("meridian", r"(?<meridian>[AaPp])\.?[Mm]\.?(?:[\t ]|\z)"),
    ("t", r"[Tt]?"),
    (
        "zone",
        r"(?<zone>[A-Z][a-z]+(?:[_/-][A-Za-z]+)+|{correction}|\(?[A-Za-z]{1,6}\)?)",
    ),
    (
        "correction",
        r"(?:GMT)?[+-](?:(?:2[0-4]|[01][0-9]):[0-5][0-9]:(?:60|[0-5][0-9])|(?:2[0-4]|[01][0-9])[0-5][0-9](?:60|[0-5][0-9])|(?:2[0-4]|[01]?[0-9])(?::?[0-5]?[0-9])?)",
    ),
    ("month", r"(?<m>1[0-2]|0?[0-9])"),
    ("monthlz", r"(?<m>1[0-2]|0[0-9])"),
    ("day", r"(?<d>3[01]|[0-2]?[0-9])(?:st|nd|rd|th)?"),
    ("daylz", r"(?<d>3[01]|[0-2][0-9])"),
    ("year", r"(?<y>[0-9]{1,4})"),
    ("year2", r"(?<y>[0-9]{2})"),
    ("year4", r"(?<y>[0-9]{4})"),
    ("signedyear4", r"(?<y>[+-]?[0-9]{4})"),
    ("longyear", r"(?<y>[+-][0-9]{5,19})"),
    (
        "monthabbr",
        r"(?<month>(?i:jan|feb|mar|apr|may|jun|jul|aug|sept|sep|oct|nov|dec))",
    ),
    (
        "monthname",
        r"(?<month>(?i:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec))",
    ),
    (
        "monthtext",
        r"(?<month>(?i:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)|IV|IX|I{1,3}|VI{0,3}|XI{0,2})",
    ),
    (
        "dayname",
        r"(?i:sundays?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sun|mon|tue|wed|thu|fri|sat)",
    ),
    (
        "ordinal",
        r"(?i:first|second|third|fourth|fifth|sixth|seventh|eighth?|ninth|tenth|eleventh|twelfth)",
    ),
    ("direction", r"(?i:next|last|previous|this)"),
    (
        "unit",
        r"(?i:(?:msec|millisecond|µs|microsecond|usec|second|sec|minute|min|hour|day|fortnight|forthnight|month|year)s?|ms|weeks|weekdays?|{dayname})",
    ),
    (
        "datenoyear",
        r"{monthtext}[ .\t-]*{day}(?:[,.stndrh\t ]+|\z)",
    ),
];

/// The formats, in order.
const FORMATS: &[(&str, Meaning)] = &[
    ("(?i:yesterday)", Meaning::Yesterday),
    ("(?i:now)", Meaning::Now),
    ("(?i:noon)", Meaning::Noon),
    ("(?i:midnight|today)", Meaning::Midnight),
    ("(?i:tomorrow)", Meaning::Tomorrow),
    (
        r"@(?<number>-?[0-9]+)(?:\.(?<f>[0-9]{0,6}))?",
        Meaning::Timestamp,
    ),
    (r"(?<end>(?i:first|last))(?i: day of)", Meaning::MonthEnd),
    (
        r"(?i:back of ){hour24}(?:{space}?{meridian})?",
        Meaning::BackOf,
    ),
    (
        r"(?i:front of ){hour24}(?:{space}?{meridian})?",
        Meaning::FrontOf,
    ),
    (
        r"(?<text>{ordinal}|{direction}){space}(?<name>{dayname}){space}(?i:of)",
        Meaning::WeekdayOf,
    ),
    (r"{hour12}{space}?{meridian}", Meaning::Time),
    (r"{hour12}[:.]{minutelz}{space}?{meridian}", Meaning::Time),
    (
        r"{hour12}[:.]{minute}[:.]{secondlz}{space}?{meridian}",
        Meaning::Time,
    ),
    (
        r"{hour12}:{minutelz}:{secondlz}[:.](?<f>[0-9]+){meridian}",
        Meaning::Time,
    ),
    (r"[Tt]{hour24}", Meaning::Time),
    (r"{t}{hour24}[:.]{minute}", Meaning::Time),
    (r"{t}{hour24}[:.]{minute}[:.]{second}", Meaning::Time),
    (
        r"{t}{hour24}[:.]{minute}[:.]{second}{fraction}",
        Meaning::Time,
    ),
    (r"{t}{hour24lz}{minutelz}", Meaning::TimeOrYear),
    (r"{t}{hour24lz}{minutelz}{secondlz}", Meaning::Time),
    (r"{month}/{day}(?:/{year})?", Meaning::Date),
    (r"{year4}/{monthlz}/{daylz}/?", Meaning::Date),
    (r"{year4}/{month}/{day}", Meaning::Date),
    (r"{signedyear4}-{monthlz}-{daylz}", Meaning::Date),
    (r"{year2}-{monthlz}-{daylz}", Meaning::Date),
    (r"{longyear}-{monthlz}-{daylz}", Meaning::Date),
    (r"{year4}-{month}", Meaning::Date),
    (r"{year}-{month}-{day}", Meaning::Date),
    (r"{day}[ \t.-]*{monthtext}[ \t.-]*{year}", Meaning::Date),
    (r"{day}[.\t-]{month}[.-]{year4}", Meaning::Date),
    (r"{day}[.\t]{month}\.{year2}", Meaning::Date),
    (r"{monthtext}[ .\t-]*{year4}", Meaning::Date),
    (r"{year4}[ .\t-]*{monthtext}", Meaning::Date),
    (
        r"{monthtext}[ .\t-]*{day}[,.stndrh\t ]+{year}",
        Meaning::Date,
    ),
    (r"{datenoyear}", Meaning::Date),
    (r"{day}[ .\t-]*{monthtext}", Meaning::Date),
    (r"{year4}{monthlz}{daylz}", Meaning::Date),
    (
        r"{year4}{monthlz}{daylz}[Tt]{hour24}:{minutelz}:{secondlz}",
        Meaning::DateAndTime,
    ),
    (
        r"{year4}{monthlz}{daylz}[Tt]{hour24}{minutelz}{secondlz}",
        Meaning::DateAndTime,
    ),
    (
        r"{year4}-{monthlz}-{daylz}T{hour24lz}:{minutelz}:{secondlz}{fraction}(?<zone>{correction})?",
        Meaning::DateAndTime,
    ),
    (
        r"{year4}-{month}-{day}T{hour24}:{minute}:{second}",
        Meaning::DateAndTime,
    ),
    (
        r"{year4}:{monthlz}:{daylz} {hour24lz}:{minutelz}:{secondlz}",
        Meaning::DateAndTime,
    ),
    (
        r"{year4}[.-]?(?<d>00[1-9]|0[1-9][0-9]|[12][0-9][0-9]|3[0-5][0-9]|36[0-6])",
        Meaning::DayOfYear,
    ),
    (
        r"{year4}-?W(?<week>0[1-9]|[1-4][0-9]|5[0-3])(?:-?(?<d>[0-7]))?",
        Meaning::IsoWeek,
    ),
    (r"{monthabbr}-{daylz}-{year}", Meaning::Date),
    (r"{year}-{monthabbr}-{daylz}", Meaning::Date),
    (
        r"{day}/{monthabbr}/{year4}:{hour24lz}:{minutelz}:{secondlz}{space}(?<zone>{correction})",
        Meaning::DateAndTime,
    ),
    (r"{year4}", Meaning::Year),
    ("(?i:ago)", Meaning::Ago),
    (r"(?<name>{dayname}|(?i:weekdays?))", Meaning::Weekday),
    (
        r"(?<text>{direction}){space}(?i:week)",
        Meaning::RelativeWeek,
    ),
    (
        r"(?<text>{ordinal}|{direction}){space}(?<unit>{unit})",
        Meaning::RelativeText,
    ),
    (r"{monthname}", Meaning::Date),
    (r"{zone}", Meaning::Zone),
    (
        r"{datenoyear}{hour12}[:.]{minutelz}{space}?{meridian}",
        Meaning::DateAndTime,
    ),
    (
        r"{datenoyear}{hour12}[:.]{minute}[:.]{secondlz}{space}?{meridian}",
        Meaning::DateAndTime,
    ),
    (r"{datenoyear}{t}{hour24}[:.]{minute}", Meaning::DateAndTime),
    (
        r"{datenoyear}{t}{hour24}[:.]{minute}[:.]{second}(?:{fraction})?",
        Meaning::DateAndTime,
    ),
    (
        r"{datenoyear}{t}{hour24}[:.]{minute}[:.]{secondlz}{space}?{zone}",
        Meaning::DateAndTime,
    ),
    (
        r"(?<number>[+-]*[ \t]*[0-9]{1,13}){space}?(?<unit>{unit}|(?i:week))",
        Meaning::Relative,
    ),
    (r"[ .,\t]", Meaning::Separator),
];

/// The formats, compiled.
#[derive(Debug)]
pub(super) struct Formats {
    /// Tells which format it is, before its pattern tells what the groups hold.
    automaton: Automaton,
    /// Those that were needed so far.
    compiled: Vec<Option<Format>>,
    machine: Machine,
}

/// A format, compiled.
#[derive(Debug)]
struct Format {
    regex: Regex,
    /// How often it was tried: one that is tried often becomes machine code.
    tried: Cell<u32>,
}

/// Attempts after which a format becomes machine code.
const OFTEN: u32 = 32;

impl Default for Formats {
    fn default() -> Formats {
        let patterns: Vec<String> = FORMATS.iter().map(|(format, _)| expand(format)).collect();
        Formats {
            automaton: Automaton::new(patterns.iter().map(|pattern| pattern.as_bytes())),
            compiled: FORMATS.iter().map(|_| None).collect(),
            machine: Machine::default(),
        }
    }
}

impl Formats {
    fn format(&mut self, index: usize) -> &Format {
        self.compiled[index].get_or_insert_with(|| Format {
            regex: Regex::compile(
                expand(FORMATS[index].0).as_bytes(),
                crate::pcre::DUPLICATE_NAMES | crate::pcre::ANCHORED,
                0,
                false,
            )
            .expect("the formats are patterns"),
            tried: Cell::new(0),
        })
    }
}

/// Puts the parts in.
fn expand(format: &str) -> String {
    let mut pattern = format.to_owned();
    loop {
        let before = pattern.len();
        for (name, part) in PARTS {
            pattern = pattern.replace(&format!("{{{name}}}"), part);
        }
        if pattern.len() == before {
            return pattern;
        }
    }
}

/// A format that matched, and what its groups hold.
#[derive(Debug)]
pub(super) struct Matched<'s> {
    pub(super) meaning: Meaning,
    /// Bytes of the text.
    pub(super) length: usize,
    groups: Vec<(u64, &'s [u8])>,
}

/// The name of a group as a number: it has eight bytes at most.
fn key(name: &[u8]) -> u64 {
    name.iter().fold(0, |sum, &byte| sum << 8 | byte as u64)
}

impl<'s> Matched<'s> {
    /// The text of a group that took part.
    pub(super) fn text(&self, group: &str) -> Option<&'s [u8]> {
        let wanted = key(group.as_bytes());
        // Of several groups with one name that took part the last counts.
        let mut groups = self.groups.iter().rev();
        groups
            .find(|(name, _)| *name == wanted)
            .map(|(_, text)| *text)
    }

    /// The number in a group.
    pub(super) fn number(&self, group: &str) -> Option<i64> {
        self.text(group).map(super::number)
    }
}

/// The format that matches most at `position`.
pub(super) fn longest<'s>(vm: &mut Vm, text: &'s [u8], position: usize) -> Option<Matched<'s>> {
    let formats = vm.extensions.state::<Formats>();
    let (index, length) = formats.automaton.longest(&text[position..])?;
    let format = formats.format(index);
    let regex = &format.regex;
    let tried = format.tried.get() + 1;
    format.tried.set(tried.min(OFTEN + 1));
    if tried == OFTEN {
        regex.compile_further();
    }
    let mut groups = Vec::new();
    // A part that has no groups, or that a pattern would take less of, is as long all the same.
    let formats = &*formats;
    let format = formats.compiled[index].as_ref()?;
    let mut matcher = format.regex.matcher(&formats.machine, text);
    if matcher.find(position, false) == Ok(true) {
        for (number, name) in format.regex.names.iter().enumerate() {
            if let Some(name) = name
                && let Some((start, end)) = matcher.group(number)
            {
                groups.push((key(name), &text[start..end]));
            }
        }
    }
    Some(Matched {
        meaning: FORMATS[index].1,
        length,
        groups,
    })
}
