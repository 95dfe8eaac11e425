//! Trying rules on bytes.

use super::format::{self, Shown, described, printable};
use super::pattern;
use super::{Database, Form, Group, Indirect, Operand, Order, Rule, kind};

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

/// The most of a text that is compared and shown.
const MOST_TEXT: usize = 128;
/// How deep rules may refer to others, and how often in all.
const DEEPEST: usize = 15;
const MOST_USES: usize = 1000;

/// Where a rule above ended, and whether one of its level has matched.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    end: i64,
    has_match: bool,
}

/// What a rule found in its place.
struct Seen {
    is_match: bool,
    /// Where it ends, counted from where the rules of the group count.
    end: i64,
    shown: Shown,
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

/// Where a group looks.
#[derive(Clone, Copy)]
struct View<'b> {
    bytes: &'b [u8],
    /// Where its offsets count from.
    base: i64,
    /// The order of numbers is the other one.
    is_flipped: bool,
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

impl Seen {
    fn nothing(end: i64) -> Seen {
        Seen {
            is_match: true,
            end,
            shown: Shown::Number(0, 4),
        }
    }
}

fn flipped(order: Order) -> Order {
    match order {
        Order::Little => Order::Big,
        Order::Big => Order::Little,
        Order::Middle => Order::Middle,
    }
}

fn value_of(bytes: &[u8], order: Order) -> u64 {
    let joined = |bytes: &mut dyn Iterator<Item = &u8>| {
        bytes.fold(0u64, |value, &byte| value << 8 | u64::from(byte))
    };
    match (order, bytes) {
        (Order::Middle, &[a, b, c, d]) => joined(&mut [b, a, d, c].iter()),
        (Order::Big, _) => joined(&mut bytes.iter()),
        _ => joined(&mut bytes.iter().rev()),
    }
}

/// Four bytes of seven bits each.
fn seven_bits(value: u64) -> i64 {
    let part = |shift: u32| ((value >> shift & 0x7f) as i64) << (shift / 8 * 7);
    part(0) | part(8) | part(16) | part(24)
}

/// A number of so many bytes with its sign.
fn extended(value: u64, size: usize) -> i64 {
    let shift = 64 - 8 * size as u32;
    ((value << shift) as i64) >> shift
}

fn changed(value: i64, operator: u8, operand: i64) -> Option<i64> {
    Some(match operator {
        b'&' => value & operand,
        b'|' => value | operand,
        b'^' => value ^ operand,
        b'+' => value.wrapping_add(operand),
        b'-' => value.wrapping_sub(operand),
        b'*' => value.wrapping_mul(operand),
        b'/' => value.checked_div(operand)?,
        _ => value.checked_rem(operand)?,
    })
}

/// Whether a number is related to the operand of a rule.
fn holds(rule: &Rule, value: u64) -> bool {
    let wanted = match rule.operand {
        Operand::Number(number) => number,
        _ => 0,
    };
    let bits = match rule.kind.size {
        8 => u64::MAX,
        size => (1 << (8 * size)) - 1,
    };
    let (value, wanted) = (value & bits, wanted & bits);
    let size = rule.kind.size;
    match rule.relation {
        b'x' => true,
        b'!' => value != wanted,
        b'=' => value == wanted,
        b'>' if rule.is_unsigned => value > wanted,
        b'<' if rule.is_unsigned => value < wanted,
        b'>' => extended(value, size) > extended(wanted, size),
        b'<' => extended(value, size) < extended(wanted, size),
        b'&' => value & wanted == wanted,
        _ => value & wanted != wanted,
    }
}

fn number(rule: &Rule, data: &[u8], view: View<'_>, end: i64) -> Option<Seen> {
    let size = rule.kind.size;
    let mut padded = [0; 8];
    let present = size.min(data.len());
    padded[..present].copy_from_slice(&data[..present]);
    let bytes = &padded[..size];
    let order = match view.is_flipped {
        true => flipped(rule.kind.order),
        false => rule.kind.order,
    };
    let mut value = value_of(bytes, order);
    if rule.kind.form == Form::Real {
        let found = match size {
            4 => f32::from_bits(value as u32).into(),
            _ => f64::from_bits(value),
        };
        let wanted = match rule.operand {
            Operand::Real(number) => number,
            _ => 0.0,
        };
        let is_match = match rule.relation {
            b'x' => true,
            b'!' => found != wanted,
            b'=' => found == wanted,
            b'>' => found > wanted,
            b'<' => found < wanted,
            _ => false,
        };
        return Some(Seen {
            is_match,
            end,
            shown: Shown::Real(found),
        });
    }
    if let Some((operator, mask)) = rule.mask {
        value = match rule.is_unsigned {
            true if operator == b'/' => value.checked_div(mask)?,
            true if operator == b'%' => value.checked_rem(mask)?,
            _ => changed(extended(value, size), operator, mask as i64)? as u64,
        };
    }
    if rule.is_inverted {
        value = !value;
    }
    let bits = if size == 8 {
        u64::MAX
    } else {
        (1 << (8 * size)) - 1
    };
    value &= bits;
    let shown = match rule.kind.form {
        Form::Time { .. } => Shown::Text(format::time(extended(value, size))),
        // From 1601 on, in tenths of microseconds.
        Form::WindowsTime => {
            Shown::Text(format::time((value / 10_000_000) as i64 - 11_644_473_600))
        }
        Form::DosDate => Shown::Text(format::dos_date(value)),
        Form::DosTime => Shown::Text(format::dos_time(value)),
        _ => Shown::Number(value, size),
    };
    Some(Seen {
        is_match: holds(rule, value),
        end,
        shown,
    })
}

/// A rule for text that stands in its place.
fn text(rule: &Rule, data: &[u8], room: usize, start: i64) -> Option<Seen> {
    let wanted = rule.text();
    let (mut skipped, mut step) = (0, 1);
    let converted;
    let found: &[u8] = match rule.kind.kind {
        kind::PASCAL => {
            let (size, order, counts_itself) = rule.flags.length;
            let length = value_of(data.get(..size)?, order.unwrap_or(Order::Little)) as usize;
            let length = length.saturating_sub(if counts_itself { size } else { 0 });
            skipped = size;
            let rest = &data[size..];
            &rest[..length.min(rest.len()).min(MOST_TEXT)]
        }
        kind::STRING => {
            if room < wanted.len() {
                return None;
            }
            data
        }
        _ => {
            step = 2;
            let is_big = rule.kind.kind == kind::BIG_STRING16;
            let units = data.chunks_exact(2).take(MOST_TEXT).map(|pair| {
                let (low, high) = match is_big {
                    true => (pair[1], pair[0]),
                    false => (pair[0], pair[1]),
                };
                if low == 0 && high != 0 { b' ' } else { low }
            });
            converted = units.take_while(|&byte| byte != 0).collect::<Vec<u8>>();
            &converted
        }
    };
    let difference = pattern::compare(wanted, found, rule.flags);
    let is_match = match rule.relation {
        b'x' => true,
        b'!' => difference != 0,
        b'=' => difference == 0,
        b'>' => difference > 0,
        b'<' => difference < 0,
        _ => false,
    };
    let is_fixed = matches!(rule.relation, b'=' | b'!');
    let (shown, length) = match is_fixed {
        true => (wanted, wanted.len()),
        false => {
            let most = &found[..found.len().min(MOST_TEXT - 1)];
            let end = most
                .iter()
                .position(|&byte| byte == 0 || wanted.is_empty() && matches!(byte, b'\r' | b'\n'));
            let shown = &most[..end.unwrap_or(most.len())];
            (shown, shown.len())
        }
    };
    let shown = match rule.flags.is_trimmed {
        true => shown.trim_ascii(),
        false => shown,
    };
    Some(Seen {
        is_match,
        end: start + (skipped + length * step) as i64,
        shown: Shown::Text(printable(shown)),
    })
}
