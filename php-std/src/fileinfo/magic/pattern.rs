//! Comparing text, and looking for patterns.

use std::rc::Rc;

use super::{Flags, Rule};
use crate::pcre::{CASELESS, MULTILINE, Machine, Regex};

/// Compares data with the text of a rule, byte by byte as the flags say: what the first difference is.
pub(super) fn compare(text: &[u8], data: &[u8], flags: Flags) -> i32 {
    let at = |bytes: &[u8], place: usize| bytes.get(place).copied().unwrap_or(0);
    let (mut a, mut b) = (0, 0);
    let mut difference = 0;
    while difference == 0 && a < text.len() {
        let (wanted, found) = (text[a], at(data, b));
        let is_blank = wanted.is_ascii_whitespace();
        if flags.ignores_lower && wanted.is_ascii_lowercase() {
            difference = i32::from(found.to_ascii_lowercase()) - i32::from(wanted);
        } else if flags.ignores_upper && wanted.is_ascii_uppercase() {
            difference = i32::from(found.to_ascii_uppercase()) - i32::from(wanted);
        } else if is_blank && (flags.compacts_blanks || flags.ignores_blanks) {
            if flags.compacts_blanks && !found.is_ascii_whitespace() {
                return 1;
            }
            a += 1;
            let goes_on = !text.get(a).is_some_and(u8::is_ascii_whitespace);
            if flags.compacts_blanks {
                b += 1;
            }
            while goes_on && at(data, b).is_ascii_whitespace() {
                b += 1;
            }
            continue;
        } else {
            difference = i32::from(found) - i32::from(wanted);
        }
        (a, b) = (a + 1, b + 1);
    }
    let ends_word = data.get(b).is_none_or(u8::is_ascii_whitespace);
    match difference == 0 && flags.is_word && !ends_word {
        true => 1,
        false => difference,
    }
}

/// Where the text of a rule stands in data, and how long it is there.
pub(super) fn search(rule: &Rule, data: &[u8]) -> Option<(usize, usize)> {
    let text = rule.text();
    if text.is_empty() {
        return Some((0, 0));
    }
    let last = data.len().checked_sub(text.len())?;
    let most = match rule.range {
        0 => last,
        range => last.min(range - 1),
    };
    let flags = rule.flags;
    let is_plain = !(flags.ignores_lower
        || flags.ignores_upper
        || flags.compacts_blanks
        || flags.ignores_blanks
        || flags.is_word);
    if is_plain {
        let found = memchr::memmem::find(&data[..most + text.len()], text);
        return found.map(|at| (at, text.len()));
    }
    let mut places = 0..=most;
    let at = places.find(|&at| compare(text, &data[at..], flags) == 0)?;
    Some((at, text.len()))
}

/// The most of a file that a pattern looks at if nothing is said.
const MOST: usize = 8192;
/// How long a pattern is tried.
const MOST_STEPS: u32 = 1_000_000;

/// Where the pattern of a rule matches in data, and how long the match is.
pub(super) fn matches(rule: &Rule, data: &[u8]) -> Option<(usize, usize)> {
    let compiled = rule.regex.get_or_init(|| {
        let mut flags = MULTILINE;
        if rule.flags.ignores_lower || rule.flags.ignores_upper {
            flags |= CASELESS;
        }
        let regex = Regex::compile(rule.text(), flags, 0, false).ok()?;
        Some(Rc::new(regex))
    });
    let regex = compiled.as_ref()?;
    let mut length = match (rule.flags.counts_lines, rule.range) {
        (_, 0) => MOST,
        (true, lines) => lines.saturating_mul(80),
        (false, range) => range,
    };
    if rule.flags.counts_lines && rule.range > 0 {
        let mut ends = memchr::memchr_iter(b'\n', data);
        length = length.min(ends.nth(rule.range - 1).map_or(data.len(), |end| end + 1));
    }
    let data = &data[..length.min(data.len()).min(MOST)];
    let mut machine = Machine::default();
    machine.set_limits(MOST_STEPS, MOST_STEPS);
    let mut matcher = regex.matcher(&machine, data);
    if !matcher.find(0, false).unwrap_or(false) {
        return None;
    }
    let (start, end) = matcher.whole();
    Some((start, end.saturating_sub(start)))
}
