//! Trying rules on bytes: groups of them, where they look, and what they print.

use super::format::{self, Shown, described, printable};
use super::pattern;
use super::values::{
    Seen, View, changed, extended, flipped, holds, number, seven_bits, text, value_of,
};
use super::{Database, Group, Indirect, Rule, kind};

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::fileinfo) enum Wanted {
    Description,
    MediaType,
    Extensions,
}

/// What is known of bytes before rules are tried.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::fileinfo) struct Facts {
    /// They come from a file, whose end is known.
    pub(in crate::fileinfo) is_file: bool,
    /// A file that may be executed.
    pub(in crate::fileinfo) is_executable: bool,
    /// They look like text.
    pub(in crate::fileinfo) is_text: bool,
}

/// How deep rules may refer to others, and how often in all.
const DEEPEST: usize = 15;
const MOST_USES: usize = 1000;

/// Where a rule above ended, and whether one of its level has matched.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    end: i64,
    has_match: bool,
}

/// A group's turn is over, or all is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    On,
    Done,
}

/// A search for rules that match.
pub(in crate::fileinfo) struct Search<'a> {
    database: &'a Database,
    wanted: Wanted,
    facts: Facts,
    goes_on: bool,
    pub(in crate::fileinfo) output: Vec<u8>,
    /// A blank is due in front of the next description.
    needs_blank: bool,
    has_printed: bool,
    has_answer: bool,
    is_first: bool,
    depth: usize,
    uses: usize,
}

impl<'a> Search<'a> {
    pub(in crate::fileinfo) fn new(
        database: &'a Database,
        wanted: Wanted,
        facts: Facts,
        goes_on: bool,
    ) -> Self {
        Search {
            database,
            wanted,
            facts,
            goes_on,
            output: Vec::new(),
            needs_blank: false,
            has_printed: false,
            has_answer: false,
            is_first: true,
            depth: 0,
            uses: 0,
        }
    }

    /// Tries all rules for text, or all others; true if they have an answer.
    pub(in crate::fileinfo) fn run(&mut self, bytes: &[u8], is_for_text: bool) -> bool {
        (self.needs_blank, self.has_printed, self.has_answer) = (false, false, false);
        let database = self.database;
        let view = View {
            bytes,
            base: 0,
            is_flipped: false,
        };
        for group in &database.groups {
            if group.is_for_text != is_for_text {
                continue;
            }
            vm_runtime::limits::poll();
            if self.group(group, view) == Progress::Done {
                break;
            }
            if self.has_printed {
                self.is_first = false;
                self.has_answer |= self.wanted == Wanted::Description;
                if !self.goes_on {
                    break;
                }
            }
        }
        self.has_answer
    }

    /// In front of a further answer.
    fn divide(&mut self) {
        if !self.is_first && self.wanted == Wanted::Description {
            self.output.extend_from_slice(b"\\012- ");
            self.needs_blank = false;
            self.is_first = true;
        }
    }

    /// Tells what a rule says of types or names of files; true if that was asked for.
    fn annotate(&mut self, rule: &Rule) -> bool {
        let text = match self.wanted {
            Wanted::Description => return false,
            Wanted::MediaType => &rule.media_type,
            Wanted::Extensions => &rule.extensions,
        };
        if text.is_empty() {
            return false;
        }
        let text = format::chosen(text, self.facts.is_executable);
        self.output.extend_from_slice(&text);
        (self.needs_blank, self.has_printed, self.has_answer) = (true, true, true);
        true
    }

    fn describe(&mut self, rule: &Rule, shown: &Shown) {
        let is_told = !matches!(rule.kind.kind, kind::USE | kind::INDIRECT);
        if self.wanted == Wanted::Description && is_told {
            let description = format::chosen(&rule.description, self.facts.is_executable);
            self.output.extend(described(&description, shown));
        }
    }

    fn group(&mut self, group: &Group, view: View<'_>) -> Progress {
        let mut levels = vec![Level::default(); 2];
        let Some((first, rest)) = group.rules.split_first() else {
            return Progress::On;
        };
        match self.look(first, first.place.offset, &levels, view) {
            Some(seen) if !seen.is_match => return Progress::On,
            None if first.relation != b'!' => return Progress::On,
            seen => {
                let seen = seen.unwrap_or(Seen::nothing(first.place.offset));
                if self.annotate(first) {
                    return Progress::Done;
                }
                if !first.description.is_empty() {
                    (self.needs_blank, self.has_printed) = (true, true);
                    self.divide();
                }
                self.describe(first, &seen.shown);
                levels[0].end = seen.end;
            }
        }
        let mut level = 1;
        for rule in rest {
            if level < rule.level {
                continue;
            }
            level = rule.level;
            let mut offset = rule.place.offset;
            if rule.place.is_relative {
                offset = offset.saturating_add(levels[level - 1].end);
            }
            let seen = match self.look(rule, offset, &levels[..level], view) {
                Some(seen) if seen.is_match => seen,
                None if rule.relation == b'!' => Seen::nothing(offset),
                _ => continue,
            };
            if rule.kind.kind == kind::CLEAR {
                levels[level].has_match = false;
            } else if levels[level].has_match {
                if rule.kind.kind == kind::DEFAULT {
                    continue;
                }
            } else {
                levels[level].has_match = true;
            }
            if self.annotate(rule) {
                return Progress::Done;
            }
            if !rule.description.is_empty() {
                if !self.has_printed {
                    self.has_printed = true;
                    self.divide();
                }
                if self.needs_blank && !rule.is_joined {
                    if self.wanted == Wanted::Description {
                        self.output.push(b' ');
                    }
                    self.needs_blank = false;
                }
            }
            self.describe(rule, &seen.shown);
            levels[level].end = seen.end;
            if !rule.description.is_empty() {
                self.needs_blank = true;
            }
            level += 1;
            levels.truncate(level);
            levels.push(Level::default());
        }
        Progress::On
    }

    /// What a rule finds; none if there is nothing in its place.
    fn look(&mut self, rule: &Rule, offset: i64, levels: &[Level], view: View<'_>) -> Option<Seen> {
        let length = view.bytes.len() as i64;
        let is_for_other = match self.facts.is_text {
            true => rule.flags.is_for_binary && !rule.flags.is_for_text,
            false => rule.flags.is_for_text && !rule.flags.is_for_binary,
        };
        if rule.place.from_end && !self.facts.is_file || rule.level == 0 && is_for_other {
            return None;
        }
        let mut place = match rule.place.from_end {
            true => length.checked_sub(offset)?,
            false => offset.checked_add(view.base)?,
        };
        if let Some(indirect) = rule.place.indirect {
            place = self.indirect(indirect, place, view)?;
            // What is read counts from the start of the file, but for groups that are used.
            if rule.place.result_is_relative {
                place = place.checked_add(levels.last()?.end)?;
            }
            if rule.kind.kind == kind::USE || rule.place.result_is_relative {
                place = place.checked_add(view.base)?;
            }
        }
        // libmagic asks whether a place is in the file without what a group's offsets count from, and finds
        // zeros behind the end.
        let asked = match rule.place.indirect {
            Some(_) => place,
            None => place - view.base,
        };
        let start = usize::try_from(place).ok()?;
        if !(0..=length).contains(&asked) || start > view.bytes.len() && view.base == 0 {
            return None;
        }
        let room = (length - asked) as usize;
        let data = view.bytes.get(start..).unwrap_or_default();
        let end = |size: usize| place - view.base + size as i64;
        let seen = |is_match: bool, size: usize, shown: Shown| {
            Some(Seen {
                is_match,
                end: end(size),
                shown,
            })
        };
        match rule.kind.kind {
            kind::DEFAULT | kind::CLEAR | kind::NAME => seen(true, 0, Shown::Nothing),
            kind::OFFSET => {
                let is_match = holds(rule, place as u64);
                seen(is_match, 0, Shown::Number(place as u64, 8))
            }
            kind::STRING | kind::PASCAL | kind::BIG_STRING16 | kind::LITTLE_STRING16 => {
                text(rule, data, room, end(0))
            }
            kind::SEARCH | kind::REGEX => {
                let is_regex = rule.kind.kind == kind::REGEX;
                let found = match is_regex {
                    true => pattern::matches(rule, data),
                    false => pattern::search(rule, data),
                };
                let Some((at, size)) = found else {
                    return seen(rule.relation == b'!', 0, Shown::Nothing);
                };
                let mut text = match is_regex {
                    true => &data[at..at + size],
                    false => rule.text(),
                };
                if rule.flags.is_trimmed {
                    text = text.trim_ascii();
                }
                let end = if rule.flags.stays_at_start {
                    at
                } else {
                    at + size
                };
                let is_match = matches!(rule.relation, b'=' | b'x');
                seen(is_match, end, Shown::Text(printable(text)))
            }
            kind::GUID => {
                let found = data.get(..16)?;
                seen(found == rule.text(), 16, Shown::Nothing)
            }
            kind::USE => self.named(rule, place, view),
            kind::INDIRECT => self.again(rule, data, place - view.base),
            _ if (1..=room).contains(&rule.kind.size) => {
                number(rule, data, view, end(rule.kind.size))
            }
            // Certificates are not looked into.
            _ => None,
        }
    }

    /// The rules that have a name, for what stands in a place.
    fn named(&mut self, rule: &Rule, place: i64, view: View<'_>) -> Option<Seen> {
        let (name, is_flipped) = match rule.text().strip_prefix(b"^") {
            Some(name) => (name, !view.is_flipped),
            None => (rule.text(), view.is_flipped),
        };
        let database = self.database;
        let found = database.named.iter().find(|(known, _)| known == name);
        let (_, group) = found?;
        self.uses += 1;
        if self.depth >= DEEPEST || self.uses > MOST_USES {
            return None;
        }
        self.depth += 1;
        let needed = self.needs_blank;
        if rule.is_joined {
            self.needs_blank = false;
        }
        let before = self.output.len();
        let inner = View {
            base: place,
            is_flipped,
            ..view
        };
        let progress = self.group(group, inner);
        self.depth -= 1;
        if self.output.len() == before {
            self.needs_blank = needed;
        }
        Some(Seen {
            is_match: progress == Progress::On || self.has_answer,
            end: place - view.base,
            shown: Shown::Nothing,
        })
    }

    /// All rules again, for what begins in a place.
    fn again(&mut self, rule: &Rule, data: &[u8], offset: i64) -> Option<Seen> {
        self.uses += 1;
        if self.depth >= DEEPEST || self.uses > MOST_USES || data.is_empty() {
            return None;
        }
        let mut inner = Search {
            depth: self.depth + 1,
            uses: self.uses,
            ..Search::new(self.database, self.wanted, self.facts, self.goes_on)
        };
        let is_match = inner.run(data, false);
        self.uses = inner.uses;
        if is_match {
            if self.wanted == Wanted::Description {
                let shown = Shown::Number(offset as u64, 8);
                self.output.extend(described(&rule.description, &shown));
                if !rule.description.is_empty() {
                    self.output.push(b' ');
                }
            }
            self.output.extend(inner.output);
            (self.has_answer, self.has_printed) = (true, true);
        }
        Some(Seen {
            is_match,
            end: offset,
            shown: Shown::Nothing,
        })
    }

    fn indirect(&self, indirect: Indirect, place: i64, view: View<'_>) -> Option<i64> {
        let order = match view.is_flipped {
            true => flipped(indirect.order),
            false => indirect.order,
        };
        let read = |place: i64| -> Option<i64> {
            let start = usize::try_from(place).ok()?;
            if indirect.is_octal {
                let digits = view.bytes.get(start..)?.trim_ascii_start();
                let count = digits
                    .iter()
                    .take_while(|byte| (b'0'..=b'7').contains(byte));
                let text = std::str::from_utf8(&digits[..count.count().min(21)]).ok()?;
                return i64::from_str_radix(text, 8).ok();
            }
            let bytes = view.bytes.get(start..start.checked_add(indirect.size)?)?;
            let value = value_of(bytes, order);
            Some(match indirect.is_id3 {
                true => seven_bits(value),
                false if indirect.is_signed => extended(value, indirect.size),
                false => value as i64,
            })
        };
        let value = read(place)?;
        let Some((operator, number)) = indirect.operation else {
            return Some(value);
        };
        let operand = match indirect.is_nested {
            true => read(place.checked_add(number)?)?,
            false => number,
        };
        changed(value, operator, operand)
    }
}
