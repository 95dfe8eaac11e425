//! Spans of time: reading them, adding them, and what lies between two points.

use std::sync::Arc;

use super::calendar::{DAY, days_from_date, days_in_month};
use super::time::{MICROS, MonthEnd, Relative, Special, Time};
use super::zone::Zone;

/// A span of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Interval {
    pub(crate) years: i64,
    pub(crate) months: i64,
    pub(crate) days: i64,
    pub(crate) hours: i64,
    pub(crate) minutes: i64,
    pub(crate) seconds: i64,
    pub(crate) micros: i64,
    /// Whether it leads back: anything but zero, as scripts write it.
    pub(crate) invert: i64,
    /// All days, where it was found between two dates.
    pub(crate) total_days: Option<i64>,
    /// Hours and less are added to the time itself, not to what clocks show.
    pub(crate) by_time: bool,
    /// What a text said that these numbers cannot hold.
    pub(crate) special: Option<Box<Relative>>,
}

impl Interval {
    /// What a text said.
    pub(crate) fn from_relative(relative: &Relative) -> Interval {
        Interval {
            years: relative.years,
            months: relative.months,
            days: relative.days,
            hours: relative.hours,
            minutes: relative.minutes,
            seconds: relative.seconds,
            micros: relative.micros,
            special: Some(Box::new(*relative)),
            ..Interval::default()
        }
    }

    /// What adding it adds, or subtracting it if `negative`.
    pub(crate) fn relative(&self, negative: bool) -> Relative {
        let sign = if negative != (self.invert != 0) {
            -1
        } else {
            1
        };
        let part = |number: i64| number.saturating_mul(sign);
        let special = self.special.as_deref().copied().unwrap_or_default();
        Relative {
            years: part(self.years),
            months: part(self.months),
            days: part(self.days),
            hours: part(self.hours),
            minutes: part(self.minutes),
            seconds: part(self.seconds),
            micros: part(self.micros),
            weekday: special.weekday,
            special: special.special,
            month_end: special.month_end,
        }
    }

    /// One step of a `DatePeriod`, to which it does not matter that the interval is inverted.
    pub(crate) fn step(&self) -> Relative {
        self.relative(self.invert != 0)
    }

    /// Whether it counts days from Monday to Friday, leads to a weekday and the like, which can't be subtracted.
    pub(crate) fn is_special(&self) -> bool {
        let special = self.special.as_deref().copied().unwrap_or_default();
        special.special.is_some() || special.weekday.is_some()
    }

    /// By ISO 8601: `P1Y2M3DT4H5M6S`, `P2W` or `P0001-02-03T04:05:06`.
    pub(crate) fn parse(text: &[u8]) -> Option<Interval> {
        let rest = text.strip_prefix(b"P")?;
        let interval = Interval::parse_units(rest).or_else(|| Interval::parse_combined(rest))?;
        Some(Interval {
            by_time: true,
            ..interval
        })
    }

    /// What a constructor takes: a span, which a start, an end and a number of repetitions may stand
    /// beside, or the two points between which it lies. Else, what the problem is.
    pub(crate) fn from_iso(text: &[u8]) -> Result<Interval, &'static str> {
        let end = text.iter().position(|byte| matches!(byte, 0 | b'\n'));
        let text = &text[..end.unwrap_or(text.len())];
        let (mut span, mut points) = (None, Vec::new());
        for part in text.split(|byte| b" .,\t/".contains(byte)) {
            let known = match part {
                [] => true,
                [b'R', count @ ..] => !count.is_empty() && count.iter().all(u8::is_ascii_digit),
                [b'P', ..] => {
                    span = Interval::parse(part);
                    span.is_some()
                }
                _ => {
                    let point = iso_point(part);
                    let known = point.is_some();
                    points.extend(point);
                    known
                }
            };
            if !known {
                return Err("Unknown or bad format");
            }
        }
        match (span, points.as_slice()) {
            (Some(span), _) => Ok(span),
            (None, [start, end, ..]) => Ok(Interval::between(start, end)),
            // Nothing at all is no interval, but a text that can be read.
            (None, [] | [_]) if text.is_empty() => Err("Unknown or bad format"),
            (None, _) => Err("Failed to parse interval"),
        }
    }

    fn parse_units(text: &[u8]) -> Option<Interval> {
        let mut interval = Interval::default();
        let mut rest = text;
        // Units come in this order; those of the time after a `T`.
        let mut units: &[u8] = b"YMWD";
        let mut in_time = false;
        let mut any = false;
        while let [first, after @ ..] = rest {
            if *first == b'T' && !in_time && !after.is_empty() {
                in_time = true;
                units = b"HMS";
                rest = after;
                continue;
            }
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 || digits > 12 {
                return None;
            }
            let number = std::str::from_utf8(&rest[..digits])
                .ok()?
                .parse::<i64>()
                .ok()?;
            let unit = *rest.get(digits)?;
            let place = units.iter().position(|&known| known == unit)?;
            units = &units[place + 1..];
            let field = match (unit, in_time) {
                (b'Y', _) => &mut interval.years,
                (b'M', false) => &mut interval.months,
                (b'W' | b'D', _) => &mut interval.days,
                (b'H', _) => &mut interval.hours,
                (b'M', true) => &mut interval.minutes,
                _ => &mut interval.seconds,
            };
            *field += if unit == b'W' { number * 7 } else { number };
            rest = &rest[digits + 1..];
            any = true;
        }
        any.then_some(interval)
    }

    fn parse_combined(text: &[u8]) -> Option<Interval> {
        let text = std::str::from_utf8(text).ok()?;
        let (date, time) = text.split_once('T')?;
        let number = |text: &str, digits: usize| {
            let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| text.parse::<i64>().ok()).flatten()
        };
        let mut date = date.split('-');
        let mut time = time.split(':');
        let interval = Interval {
            years: number(date.next()?, 4)?,
            months: number(date.next()?, 2)?,
            days: number(date.next()?, 2)?,
            hours: number(time.next()?, 2)?,
            minutes: number(time.next()?, 2)?,
            seconds: number(time.next()?, 2)?,
            ..Interval::default()
        };
        let over = interval.months > 12
            || interval.days > 31
            || interval.hours > 24
            || interval.minutes > 59
            || interval.seconds > 59;
        (!over && date.next().is_none() && time.next().is_none()).then_some(interval)
    }

    /// What lies between two points of time.
    pub(crate) fn between(one: &Time, other: &Time) -> Interval {
        let invert = (one.stamp, one.micro) > (other.stamp, other.micro);
        let (first, second) = if invert { (other, one) } else { (one, other) };
        let shift = second.state.seconds - first.state.seconds;
        let elapsed = second.stamp.saturating_sub(first.stamp);
        let same_region = match (&first.zone, &second.zone) {
            (Zone::Region(first), Zone::Region(second)) => {
                Arc::ptr_eq(first, second) || first.name == second.name
            }
            _ => false,
        };
        let mut interval = Interval {
            years: second.year.wrapping_sub(first.year),
            months: second.month - first.month,
            days: second.day - first.day,
            hours: second.hour - first.hour,
            minutes: second.minute - first.minute,
            seconds: second.second - first.second,
            micros: second.micro - first.micro,
            invert: invert.into(),
            total_days: Some(total_days(first, second, same_region)),
            by_time: false,
            special: None,
        };
        // Clocks that were set in between count only where less than a day passed on them.
        if !same_region || elapsed.saturating_add(shift) < DAY {
            interval.seconds -= shift;
        }
        let base = if invert { first } else { second };
        interval.normalize(base.year, base.month);
        let was_long = shift < 0 && elapsed.saturating_add(shift) < DAY;
        if same_region && interval.days > 0 && (was_long || (shift == 0 && second.repeats())) {
            // A day that is longer than others, because a clock is set back in it.
            interval.hours += 24;
            interval.days -= 1;
        }
        // A clock set forward in the last of several days: its hour did not pass, and PHP leaves the
        // numbers as they are then.
        if let (true, Zone::Region(region)) = (
            same_region && elapsed.saturating_add(shift) >= DAY,
            &second.zone,
        ) && shift > 0
            && !first.state.is_dst
            && second.state.is_dst
        {
            let rest = elapsed.saturating_add(shift) % DAY;
            let set = region.at(second.stamp).since;
            let next = first.stamp.saturating_add(DAY);
            if set > second.stamp.saturating_sub(rest) && !(set + 1..=set + shift).contains(&next) {
                interval.hours -= shift / 3600;
                interval.minutes -= shift % 3600 / 60;
            }
        }
        interval
    }

    /// Makes each part as small as it can be, borrowing from the larger ones. Months are those
    /// after the given one if inverted, else those before it.
    fn normalize(&mut self, mut year: i64, mut month: i64) {
        let carry = |small: &mut i64, size: i64, large: &mut i64| {
            *large = large.wrapping_add(small.div_euclid(size));
            *small = small.rem_euclid(size);
        };
        carry(&mut self.micros, MICROS, &mut self.seconds);
        carry(&mut self.seconds, 60, &mut self.minutes);
        carry(&mut self.minutes, 60, &mut self.hours);
        carry(&mut self.hours, 24, &mut self.days);
        carry(&mut self.months, 12, &mut self.years);
        while self.days < 0 {
            if self.invert != 0 {
                self.days += days_in_month(year, month);
                month += 1;
            } else {
                month -= 1;
            }
            year += (month - 1).div_euclid(12);
            month = (month - 1).rem_euclid(12) + 1;
            if self.invert == 0 {
                self.days += days_in_month(year, month);
            }
            self.months -= 1;
        }
        carry(&mut self.months, 12, &mut self.years);
    }

    /// By a format of `DateInterval::format()`.
    pub(crate) fn format(&self, format: &[u8]) -> Vec<u8> {
        let mut output = Vec::with_capacity(format.len() * 2);
        let mut characters = format.iter();
        while let Some(&character) = characters.next() {
            if character != b'%' {
                output.push(character);
                continue;
            }
            let Some(&character) = characters.next() else {
                break;
            };
            let text = match character {
                b'Y' => format!("{:02}", self.years),
                b'y' => self.years.to_string(),
                b'M' => format!("{:02}", self.months),
                b'm' => self.months.to_string(),
                b'D' => format!("{:02}", self.days),
                b'd' => self.days.to_string(),
                b'H' => format!("{:02}", self.hours),
                b'h' => self.hours.to_string(),
                b'I' => format!("{:02}", self.minutes),
                b'i' => self.minutes.to_string(),
                b'S' => format!("{:02}", self.seconds),
                b's' => self.seconds.to_string(),
                b'F' => format!("{:06}", self.micros),
                b'f' => self.micros.to_string(),
                b'a' => match self.total_days {
                    Some(days) => days.to_string(),
                    None => "(unknown)".to_owned(),
                },
                b'R' => if self.invert != 0 { "-" } else { "+" }.to_owned(),
                b'r' => if self.invert != 0 { "-" } else { "" }.to_owned(),
                b'%' => "%".to_owned(),
                other => {
                    output.extend_from_slice(&[b'%', other]);
                    continue;
                }
            };
            output.extend_from_slice(text.as_bytes());
        }
        output
    }
}

/// A point of time in UTC: `2008-03-01T13:00:00Z` or `20080301T130000Z`.
fn iso_point(text: &[u8]) -> Option<Time> {
    let shape: &[u8] = match text.len() {
        20 => b"0000-00-00T00:00:00Z",
        16 => b"00000000T000000Z",
        _ => return None,
    };
    let fits = |(&byte, &shape): (&u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        _ => byte == shape,
    };
    if !text.iter().zip(shape).all(fits) {
        return None;
    }
    let digits = text.iter().filter(|byte| byte.is_ascii_digit());
    let digits: Vec<i64> = digits.map(|&digit| i64::from(digit - b'0')).collect();
    let number = |from: usize, count: usize| {
        let digits = digits[from..from + count].iter();
        digits.fold(0, |number, digit| number * 10 + digit)
    };
    let mut time = Time::from_stamp(0, 0, Zone::Offset(0));
    (time.year, time.month, time.day) = (number(0, 4), number(4, 2), number(6, 2));
    (time.hour, time.minute, time.second) = (number(8, 2), number(10, 2), number(12, 2));
    time.resolve(&Relative::default(), None).then_some(time)
}

/// Whole days between two points of time; of one region, by its calendar.
fn total_days(first: &Time, second: &Time, same_region: bool) -> i64 {
    if !same_region {
        let micros = i64::from(second.micro < first.micro);
        let elapsed = second.stamp.saturating_sub(first.stamp);
        return elapsed.saturating_sub(micros) / DAY;
    }
    let days = |time: &Time| days_from_date(time.year, time.month, time.day);
    let of_day = |time: &Time| (time.hour, time.minute, time.second, time.micro);
    let between = days(second).saturating_sub(days(first));
    between - i64::from(between > 0 && of_day(second) < of_day(first))
}

impl Time {
    /// Whether clocks will show this time once more.
    fn repeats(&self) -> bool {
        let local = self.stamp.saturating_add(self.state.seconds);
        let again = self.zone.at_local(local, Some(!self.state.is_dst));
        again.seconds < self.state.seconds
    }

    /// Adds an interval. False if the result is out of range; the time is as before then.
    pub(crate) fn add(&mut self, interval: &Interval, negative: bool) -> bool {
        let before = self.clone();
        let mut relative = interval.relative(negative);
        // Without anything that is special the first or last day of a month is not looked at.
        if !interval.is_special() {
            relative.month_end = None;
        }
        let moved = match interval.by_time {
            true => self.add_parts(&relative),
            false => self.resolve(&relative, Some(self.state.is_dst)),
        };
        if !moved {
            *self = before;
        }
        moved
    }

    /// Adds years, months and days by the calendar, and then what is less.
    fn add_parts(&mut self, relative: &Relative) -> bool {
        let date = Relative {
            years: relative.years,
            months: relative.months,
            days: relative.days,
            ..Relative::default()
        };
        let moved = date == Relative::default() || self.resolve(&date, Some(self.state.is_dst));
        moved && self.elapse(relative)
    }
}

/// What `date_parse()` shows of the parts that numbers do not hold.
pub(crate) fn special_parts(relative: &Relative) -> Vec<(&'static str, i64)> {
    let mut parts = Vec::new();
    if let Some((day, _)) = relative.weekday {
        parts.push(("weekday", day));
    }
    if let Some(Special::Weekdays(count)) = relative.special {
        parts.push(("weekdays", count));
    }
    match relative.month_end {
        Some(MonthEnd::First) => parts.push(("first_day_of_month", 1)),
        Some(MonthEnd::Last) => parts.push(("last_day_of_month", 1)),
        None => {}
    }
    parts
}
