//! Texts that say a date and a time, in whatever way: what `strtotime()` reads.

mod automaton;
mod formats;
mod plain;
mod words;

use vm_runtime::vm::Vm;

use self::formats::{Matched, Meaning, longest};
use self::words::{Unit, ordinal, unit};
use super::calendar::{days_from_iso_week, is_valid_date};
use super::time::{MonthEnd, Relative, Special, Time, WeekdayRule};
use super::zone::Zone;

pub(crate) use words::{MONTHS, WEEKDAYS};
pub(super) use words::{english_month, english_weekday, month_number, weekday_number};

/// A problem and where it is.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) position: usize,
    /// The byte there, or zero.
    pub(crate) character: u8,
    pub(crate) message: &'static str,
}

/// What a text says. Parts that it doesn't say are `None`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parsed {
    pub(crate) year: Option<i64>,
    pub(crate) month: Option<i64>,
    pub(crate) day: Option<i64>,
    pub(crate) hour: Option<i64>,
    pub(crate) minute: Option<i64>,
    pub(crate) second: Option<i64>,
    pub(crate) micro: Option<i64>,
    pub(crate) zone: Option<Zone>,
    /// It names a zone that nobody knows.
    pub(crate) zone_unknown: bool,
    pub(crate) relative: Relative,
    pub(crate) has_date: bool,
    pub(crate) has_time: bool,
    pub(crate) has_relative: bool,
    pub(crate) warnings: Vec<Problem>,
    pub(crate) errors: Vec<Problem>,
}

impl Parsed {
    /// Sets a time of the day.
    pub(super) fn set_time(&mut self, hour: i64, minute: i64, second: i64, micro: i64) {
        self.hour = Some(hour);
        self.minute = Some(minute);
        self.second = Some(second);
        self.micro = Some(micro);
    }

    /// Whether the time, if it is complete, is one of a day.
    pub(super) fn has_valid_time(&self) -> bool {
        let (Some(hour), Some(minute), Some(second)) = (self.hour, self.minute, self.second) else {
            return true;
        };
        (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second)
    }

    /// Whether the date, if it is complete, is one of the calendar.
    pub(super) fn has_valid_date(&self) -> bool {
        let (Some(year), Some(month), Some(day)) = (self.year, self.month, self.day) else {
            return true;
        };
        is_valid_date(year, month, day)
    }

    /// The point of time it says, what it leaves out taken from `now`. With `keep_time` a date
    /// without a time has the time of `now`, else it begins at midnight. `None` if out of range.
    pub(crate) fn resolve(&self, now: &Time, keep_time: bool) -> Option<Time> {
        let mut parsed = self.clone();
        if !keep_time && parsed.has_date && !parsed.has_time {
            parsed.set_time(0, 0, 0, 0);
        }
        let says_something = [
            parsed.year,
            parsed.month,
            parsed.day,
            parsed.hour,
            parsed.minute,
            parsed.second,
        ]
        .iter()
        .any(Option::is_some);
        let micro = match says_something {
            true => 0,
            false => now.micro,
        };
        let mut time = Time {
            year: parsed.year.unwrap_or(now.year),
            month: parsed.month.unwrap_or(now.month),
            day: parsed.day.unwrap_or(now.day),
            hour: parsed.hour.unwrap_or(now.hour),
            minute: parsed.minute.unwrap_or(now.minute),
            second: parsed.second.unwrap_or(now.second),
            micro: parsed.micro.unwrap_or(micro),
            zone: parsed.zone.clone().unwrap_or_else(|| now.zone.clone()),
            state: now.state,
            stamp: 0,
        };
        // A time that comes twice is the one it is now, if the text says nothing of the clock, and the first in a
        // region that the text names.
        let hint = match parsed.zone {
            Some(Zone::Region(_)) => Some(true),
            None if parsed.hour.is_none() => Some(now.state.is_dst),
            _ => None,
        };
        time.resolve(&parsed.relative, hint).then_some(time)
    }
}

/// The number in a text: signs and other characters before it may be anything.
fn number(text: &[u8]) -> i64 {
    let mut negative = false;
    let mut number = 0i128;
    for &byte in text {
        match byte {
            b'-' => negative = !negative,
            b'0'..=b'9' => {
                number = number
                    .saturating_mul(10)
                    .saturating_add(i128::from(byte - b'0'));
            }
            _ => {}
        }
    }
    let number = if negative { -number } else { number };
    number.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// A year of one to three digits is one near 2000.
fn complete_year(text: &[u8]) -> i64 {
    let year = number(text);
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    match year {
        _ if digits >= 4 => year,
        0..70 => year + 2000,
        70..100 => year + 1900,
        _ => year,
    }
}

/// Digits after a point as microseconds.
pub(super) fn fraction(digits: &[u8]) -> i64 {
    let mut micros = 0;
    for place in 0..6 {
        let digit = digits
            .get(place)
            .filter(|byte| byte.is_ascii_digit())
            .map_or(0, |byte| i64::from(byte - b'0'));
        micros = micros * 10 + digit;
    }
    micros
}

/// 12 hours with `a` or `p` as 24.
pub(super) fn apply_meridian(hour: i64, meridian: u8) -> i64 {
    match (meridian.to_ascii_lowercase(), hour) {
        (b'a', 12) => 0,
        (b'p', hour) if hour != 12 => hour + 12,
        _ => hour,
    }
}

struct Parser<'s> {
    text: &'s [u8],
    position: usize,
    parsed: Parsed,
    zones: u32,
    /// Something said which week: names of weekdays mean days of it.
    of_week: bool,
    /// Behind a time there were four digits, which are a year.
    has_year_for_time: bool,
}

/// Reads a text.
pub(crate) fn parse(vm: &mut Vm, text: &[u8]) -> Parsed {
    parse_text(vm, text, true)
}

/// Reads a text by the formats alone.
#[cfg(test)]
fn parse_by_formats(vm: &mut Vm, text: &[u8]) -> Parsed {
    parse_text(vm, text, false)
}

fn parse_text(vm: &mut Vm, text: &[u8], plain: bool) -> Parsed {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c);
    let start = text.iter().position(|byte| !is_space(byte));
    let end = text.iter().rposition(|byte| !is_space(byte));
    let (Some(start), Some(end)) = (start, end) else {
        let empty = Problem {
            position: 0,
            character: b' ',
            message: "Empty string",
        };
        return Parsed {
            errors: vec![empty],
            ..Parsed::default()
        };
    };
    let mut parser = Parser {
        text: &text[start..=end],
        position: 0,
        parsed: Parsed::default(),
        zones: 0,
        of_week: false,
        has_year_for_time: false,
    };
    if !(plain && parser.read_plain()) {
        parser.run(vm);
    }
    parser.finish();
    parser.parsed
}

impl Parser<'_> {
    fn run(&mut self, vm: &mut Vm) {
        while self.position < self.text.len() {
            vm.poll();
            match self.text[self.position] {
                // The end of a line is no end.
                0 | b'\n' => {
                    self.position += 1;
                    continue;
                }
                _ => {}
            }
            let Some(matched) = longest(vm, self.text, self.position) else {
                self.error("Unexpected character");
                self.position += 1;
                continue;
            };
            self.apply(&matched);
            self.position += matched.length;
        }
    }

    /// Looks at what was read as a whole.
    fn finish(&mut self) {
        // These are about the end.
        self.position += 1;
        if self.parsed.has_time && !self.parsed.has_valid_time() {
            self.warning("The parsed time was invalid");
        }
        let lacks_day = self.parsed.month.is_some() && self.parsed.day.is_none();
        if self.parsed.has_date && (lacks_day || !self.parsed.has_valid_date()) {
            self.warning("The parsed date was invalid");
        }
    }

    fn problem(&self, message: &'static str) -> Problem {
        Problem {
            position: self.position,
            character: self.text.get(self.position).copied().unwrap_or(0),
            message,
        }
    }

    fn error(&mut self, message: &'static str) {
        let problem = self.problem(message);
        self.parsed.errors.push(problem);
    }

    fn warning(&mut self, message: &'static str) {
        let problem = self.problem(message);
        self.parsed.warnings.push(problem);
    }

    /// Notes that there is a time; false if there was one.
    fn begin_time(&mut self) -> bool {
        if self.parsed.has_time {
            self.error("Double time specification");
            return false;
        }
        self.parsed.has_time = true;
        self.parsed.set_time(0, 0, 0, 0);
        true
    }

    fn begin_date(&mut self) -> bool {
        if self.parsed.has_date {
            self.error("Double date specification");
            return false;
        }
        self.parsed.has_date = true;
        true
    }

    /// Forgets a time: what follows means the day.
    fn reset_time(&mut self) {
        self.parsed.has_time = false;
        self.has_year_for_time = false;
        self.parsed.set_time(0, 0, 0, 0);
    }

    fn zone(&mut self, text: &[u8]) {
        self.zones += 1;
        match self.zones {
            1 => {}
            2 => return self.warning("Double timezone specification"),
            _ => return self.error("Double timezone specification"),
        }
        self.set_zone(text);
    }

    fn set_zone(&mut self, text: &[u8]) {
        match Zone::parse_prefix(text) {
            Some((zone, _)) => self.parsed.zone = Some(zone),
            None => {
                self.parsed.zone_unknown = true;
                self.error("The timezone could not be found in the database");
            }
        }
    }

    fn set_clock(&mut self, matched: &Matched<'_>) {
        let mut hour = matched.number("h").unwrap_or(0);
        if let Some([meridian, ..]) = matched.text("meridian") {
            hour = apply_meridian(hour, *meridian);
        }
        let micro = matched.text("f").map_or(0, fraction);
        let minute = matched.number("i").unwrap_or(0);
        let second = matched.number("s").unwrap_or(0);
        self.parsed.set_time(hour, minute, second, micro);
    }

    fn set_date(&mut self, matched: &Matched<'_>) {
        let has_year = matched.text("y").is_some();
        if let Some(year) = matched.text("y") {
            self.parsed.year = Some(complete_year(year));
        }
        let month = matched.text("month").and_then(month_number);
        if let Some(month) = month.or_else(|| matched.number("m")) {
            self.parsed.month = Some(month);
        }
        match matched.number("d") {
            Some(day) => self.parsed.day = Some(day),
            None if has_year => self.parsed.day = Some(1),
            None => {}
        }
    }

    fn apply(&mut self, matched: &Matched<'_>) {
        match matched.meaning {
            Meaning::Yesterday => {
                self.relative().days = -1;
                self.reset_time();
            }
            Meaning::Now | Meaning::Separator => {}
            Meaning::Noon => {
                self.reset_time();
                self.begin_time();
                self.parsed.hour = Some(12);
            }
            Meaning::Midnight => self.reset_time(),
            Meaning::Tomorrow => {
                self.relative().days = 1;
                self.reset_time();
            }
            Meaning::Timestamp => self.timestamp(matched),
            Meaning::MonthEnd => {
                let is_last = matches!(matched.text("end"), Some([b'l' | b'L', ..]));
                let end = if is_last {
                    MonthEnd::Last
                } else {
                    MonthEnd::First
                };
                self.relative().month_end = Some(end);
            }
            Meaning::BackOf | Meaning::FrontOf => {
                self.reset_time();
                self.begin_time();
                self.set_clock(matched);
                if matched.meaning == Meaning::BackOf {
                    self.parsed.minute = Some(15);
                } else {
                    self.parsed.hour = self.parsed.hour.map(|hour| hour - 1);
                    self.parsed.minute = Some(45);
                }
            }
            Meaning::WeekdayOf => self.weekday_of(matched),
            Meaning::Time => {
                if self.begin_time() {
                    self.set_clock(matched);
                    if let Some(zone) = matched.text("zone") {
                        self.zone(zone);
                    }
                }
            }
            Meaning::TimeOrYear => {
                if !self.parsed.has_time {
                    let micro = self.parsed.micro;
                    self.begin_time();
                    self.set_clock(matched);
                    self.parsed.micro = micro;
                } else if !self.has_year_for_time {
                    self.has_year_for_time = true;
                    let text = &self.text[self.position..self.position + matched.length];
                    self.parsed.year = Some(number(text));
                } else {
                    self.error("Double time specification");
                }
            }
            Meaning::Date => {
                if self.begin_date() {
                    self.set_date(matched);
                }
            }
            Meaning::DateAndTime => {
                if self.begin_time() && self.begin_date() {
                    self.set_date(matched);
                    self.set_clock(matched);
                    // It counts as none, and takes the place of one.
                    if let Some(zone) = matched.text("zone") {
                        self.set_zone(zone);
                    }
                }
            }
            Meaning::DayOfYear => {
                if self.begin_date() {
                    self.set_date(matched);
                    self.parsed.month = Some(1);
                }
            }
            Meaning::IsoWeek => {
                if self.begin_date() {
                    let year = matched.number("y").unwrap_or(0);
                    let week = matched.number("week").unwrap_or(1);
                    let day = matched.number("d").unwrap_or(1);
                    self.parsed.year = Some(year);
                    (self.parsed.month, self.parsed.day) = (Some(1), Some(1));
                    self.relative().days = days_from_iso_week(year, week, day);
                }
            }
            Meaning::Year => self.parsed.year = matched.number("y"),
            Meaning::Ago => self.ago(),
            Meaning::Weekday => {
                let name = matched.text("name").unwrap_or_default();
                self.relative();
                self.reset_time();
                // `weekday` alone is the first one of a week.
                self.set_weekday(weekday_number(name).unwrap_or(1), WeekdayRule::From);
            }
            Meaning::RelativeWeek => {
                let (amount, _) = ordinal(matched.text("text").unwrap_or_default());
                let relative = self.relative();
                relative.days = relative.days.saturating_add(amount * 7);
                self.of_week = true;
                let monday = (1, WeekdayRule::OfWeek);
                let weekday = self.parsed.relative.weekday.get_or_insert(monday);
                weekday.1 = WeekdayRule::OfWeek;
            }
            Meaning::RelativeText => {
                let (amount, rule) = ordinal(matched.text("text").unwrap_or_default());
                let unit_text = matched.text("unit").unwrap_or_default();
                self.relative();
                self.add(amount, unit_text, rule, true);
            }
            Meaning::Zone => {
                let text = matched.text("zone").unwrap_or_default();
                self.zone(text);
            }
            Meaning::Relative => {
                let amount = matched.number("number").unwrap_or(0);
                let unit_text = matched.text("unit").unwrap_or_default();
                self.relative();
                self.add(amount, unit_text, WeekdayRule::From, false);
            }
        }
    }

    fn relative(&mut self) -> &mut Relative {
        self.parsed.has_relative = true;
        &mut self.parsed.relative
    }

    fn timestamp(&mut self, matched: &Matched<'_>) {
        let text = matched.text("number").unwrap_or_default();
        let seconds = number(text);
        let micros = matched.text("f").map_or(0, fraction);
        let micros = if text.starts_with(b"-") {
            -micros
        } else {
            micros
        };
        self.set_stamp(seconds, micros);
    }

    fn set_stamp(&mut self, seconds: i64, micros: i64) {
        self.parsed.has_date = false;
        self.reset_time();
        self.relative();
        if self.zones > 0 {
            // Nothing is left of either.
            (self.parsed.year, self.parsed.month, self.parsed.day) = (Some(0), Some(0), Some(0));
            return self.zone(b"+00:00");
        }
        let relative = &mut self.parsed.relative;
        relative.seconds = relative.seconds.saturating_add(seconds);
        relative.micros = micros;
        (self.parsed.year, self.parsed.month, self.parsed.day) = (Some(1970), Some(1), Some(1));
        self.zone(b"+00:00");
    }

    fn weekday_of(&mut self, matched: &Matched<'_>) {
        let (amount, _) = ordinal(matched.text("text").unwrap_or_default());
        let Some(day) = matched.text("name").and_then(weekday_number) else {
            return;
        };
        self.reset_time();
        let relative = self.relative();
        if amount > 0 {
            relative.special = Some(Special::InMonth);
            relative.days = relative.days.saturating_add((amount - 1) * 7);
            self.set_weekday(day, WeekdayRule::From);
        } else {
            relative.special = Some(Special::LastInMonth);
            relative.days = relative.days.saturating_add(amount * 7);
            self.set_weekday(day, WeekdayRule::From);
        }
    }

    fn set_weekday(&mut self, day: i64, rule: WeekdayRule) {
        let rule = if self.of_week {
            WeekdayRule::OfWeek
        } else {
            rule
        };
        self.parsed.relative.weekday = Some((day, rule));
    }

    /// Adds so many of a unit. A weekday by text (`next monday`) means the whole day.
    fn add(&mut self, amount: i64, text: &[u8], rule: WeekdayRule, by_text: bool) {
        let Some(unit) = unit(text) else {
            return;
        };
        let relative = &mut self.parsed.relative;
        let add = |field: &mut i64, each: i64| {
            *field = field.saturating_add(amount.saturating_mul(each));
        };
        match unit {
            Unit::Micros(each) => add(&mut relative.micros, each),
            Unit::Second => add(&mut relative.seconds, 1),
            Unit::Minute => add(&mut relative.minutes, 1),
            Unit::Hour => add(&mut relative.hours, 1),
            Unit::Days(each) => add(&mut relative.days, each),
            Unit::Month => add(&mut relative.months, 1),
            Unit::Year => add(&mut relative.years, 1),
            Unit::Weekday(day) => {
                let weeks = if amount > 0 { amount - 1 } else { amount };
                relative.days = relative.days.saturating_add(weeks.saturating_mul(7));
                if by_text {
                    self.reset_time();
                }
                self.set_weekday(day, rule);
            }
            Unit::Weekdays => {
                relative.special = Some(Special::Weekdays(amount));
                if by_text {
                    self.reset_time();
                }
            }
        }
    }

    /// Turns round what was said before.
    fn ago(&mut self) {
        let relative = &mut self.parsed.relative;
        for part in [
            &mut relative.years,
            &mut relative.months,
            &mut relative.days,
            &mut relative.hours,
            &mut relative.minutes,
            &mut relative.seconds,
            &mut relative.micros,
        ] {
            *part = part.saturating_neg();
        }
        if let Some((day, _)) = &mut relative.weekday {
            *day = if *day == 0 { -7 } else { -*day };
        }
        if let Some(Special::Weekdays(count)) = &mut relative.special {
            *count = count.saturating_neg();
        }
    }
}
