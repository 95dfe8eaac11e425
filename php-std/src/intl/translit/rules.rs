//! Rules that replace what they match.

use std::collections::HashMap;
use std::rc::Rc;

use super::Transliterator;
use super::text::{Position, Text};
use crate::intl::set::{END, Set};

/// A part of what a rule matches.
#[derive(Debug, Clone)]
pub(super) enum Element {
    Character(char),
    Set(Rc<Set>),
    /// A group that the replacement refers to by its number.
    Segment(usize, Vec<Element>),
    Repeated {
        what: Vec<Element>,
        least: usize,
        most: usize,
    },
}

/// A part of a replacement.
#[derive(Debug)]
pub(super) enum Replacement {
    Character(char),
    Segment(usize),
    Function(Rc<Transliterator>, Vec<Replacement>),
}

/// Where a replacement leaves off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cursor {
    End,
    /// Behind so many parts of the replacement, or so far in front of or behind it.
    At {
        parts: usize,
        offset: isize,
    },
}

#[derive(Debug)]
pub(super) struct Rule {
    pub(super) before: Vec<Element>,
    pub(super) key: Vec<Element>,
    pub(super) behind: Vec<Element>,
    pub(super) is_at_start: bool,
    pub(super) is_at_end: bool,
    pub(super) replacement: Vec<Replacement>,
    pub(super) cursor: Cursor,
    pub(super) segments: usize,
}

/// What the groups of a rule have matched.
type Segments = Vec<Option<(usize, usize)>>;

/// Rules in their order.
#[derive(Debug, Default)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    /// Those whose key begins with a character.
    by_character: HashMap<char, Vec<usize>>,
    /// The others.
    others: Vec<usize>,
}

impl Rules {
    pub(super) fn new(rules: Vec<Rule>) -> Rules {
        let mut by_character: HashMap<char, Vec<usize>> = HashMap::new();
        let mut others = Vec::new();
        for (number, rule) in rules.iter().enumerate() {
            match rule.key.iter().chain(&rule.behind).next() {
                Some(Element::Character(character)) => {
                    by_character.entry(*character).or_default().push(number)
                }
                _ => others.push(number),
            }
        }
        Rules {
            rules,
            by_character,
            others,
        }
    }

    /// The numbers of rules that may match at a character, in their order.
    fn candidates(&self, character: char) -> impl Iterator<Item = usize> {
        let mut own = self
            .by_character
            .get(&character)
            .into_iter()
            .flatten()
            .copied()
            .peekable();
        let mut others = self.others.iter().copied().peekable();
        std::iter::from_fn(move || match (own.peek(), others.peek()) {
            (Some(one), Some(other)) if one < other => own.next(),
            (_, Some(_)) => others.next(),
            (_, None) => own.next(),
        })
    }

    pub(super) fn transliterate(&self, text: &mut Text, position: &mut Position) {
        // Rules may go on for ever: a text has so many turns.
        let mut turns = (position.limit - position.start).saturating_mul(16);
        while position.start < position.limit && turns > 0 {
            vm_runtime::limits::poll();
            turns -= 1;
            let character = text[position.start];
            let applied = self
                .candidates(character)
                .any(|number| self.rules[number].apply(text, position));
            if !applied {
                position.start += 1;
            }
        }
    }
}

/// Matches forward from `at` and gives where the match ends.
fn matched(
    elements: &[Element],
    text: &Text,
    at: usize,
    limit: usize,
    segments: &mut Segments,
) -> Option<usize> {
    elements.iter().try_fold(at, |at, element| {
        match_one(element, text, at, limit, segments)
    })
}

fn match_one(
    element: &Element,
    text: &Text,
    at: usize,
    limit: usize,
    segments: &mut Segments,
) -> Option<usize> {
    match element {
        Element::Character(character) => (at < limit && text[at] == *character).then_some(at + 1),
        Element::Set(set) => {
            if at >= limit {
                return set.contains(END).then_some(at);
            }
            let mut longest = set.contains(text[at].into()).then_some(at + 1);
            for string in set.strings() {
                let end = at + string.len();
                if end <= limit
                    && text[at..end] == **string
                    && longest.is_none_or(|longest| end > longest)
                {
                    longest = Some(end);
                }
            }
            longest
        }
        Element::Segment(number, inner) => {
            let end = matched(inner, text, at, limit, segments)?;
            segments[*number] = Some((at, end));
            Some(end)
        }
        Element::Repeated { what, least, most } => repeated(at, *least, *most, |at| {
            matched(what, text, at, limit, segments)
        }),
    }
}

/// Takes the same as often as it comes, but no more than `most` times; gives where the last of them ends.
fn repeated(
    mut at: usize,
    least: usize,
    most: usize,
    mut one: impl FnMut(usize) -> Option<usize>,
) -> Option<usize> {
    let mut count = 0;
    while count < most {
        match one(at) {
            // What takes nothing would go on for ever.
            Some(end) if end == at => return Some(at),
            Some(end) => (at, count) = (end, count + 1),
            None => break,
        }
    }
    (count >= least).then_some(at)
}

/// Matches backward, so that the match ends at `end`; gives where it begins.
fn matched_backward(
    elements: &[Element],
    text: &Text,
    end: usize,
    start: usize,
    segments: &mut Segments,
) -> Option<usize> {
    elements
        .iter()
        .rev()
        .try_fold(end, |end, element| match element {
            Element::Character(character) => {
                (end > start && text[end - 1] == *character).then(|| end - 1)
            }
            Element::Set(set) => {
                if end <= start {
                    return set.contains(END).then_some(end);
                }
                let mut first = set.contains(text[end - 1].into()).then(|| end - 1);
                for string in set.strings() {
                    let from = end.checked_sub(string.len()).filter(|from| *from >= start);
                    if let Some(from) = from.filter(|&from| text[from..end] == **string) {
                        first = Some(first.map_or(from, |first| first.min(from)));
                    }
                }
                first
            }
            Element::Segment(number, inner) => {
                let from = matched_backward(inner, text, end, start, segments)?;
                segments[*number] = Some((from, end));
                Some(from)
            }
            Element::Repeated { what, least, most } => repeated(end, *least, *most, |end| {
                matched_backward(what, text, end, start, segments)
            }),
        })
}

impl Rule {
    /// Replaces what stands at the position if this rule matches there.
    fn apply(&self, text: &mut Text, position: &mut Position) -> bool {
        let mut segments: Segments = vec![None; self.segments];
        let (start, limit) = (position.start, position.context_limit);
        let Some(first) = matched_backward(
            &self.before,
            text,
            start,
            position.context_start,
            &mut segments,
        ) else {
            return false;
        };
        if self.is_at_start && first != position.context_start {
            return false;
        }
        let Some(key_end) = matched(&self.key, text, start, limit, &mut segments) else {
            return false;
        };
        let Some(end) = matched(&self.behind, text, key_end, limit, &mut segments) else {
            return false;
        };
        if self.is_at_end && end != limit {
            return false;
        }
        let mut new = Vec::new();
        let mut cursor = None;
        for (number, part) in self.replacement.iter().enumerate() {
            if self.cursor
                == (Cursor::At {
                    parts: number,
                    offset: 0,
                })
            {
                cursor = Some(new.len());
            }
            part.write(text, &segments, &mut new);
        }
        position.replace(text, start, key_end, &new);
        let behind = start + new.len();
        let next = match self.cursor {
            Cursor::End => behind,
            Cursor::At { offset: 0, .. } => start + cursor.unwrap_or(new.len()),
            Cursor::At { offset, .. } if offset < 0 => start.saturating_add_signed(offset),
            Cursor::At { offset, .. } => behind.saturating_add_signed(offset),
        };
        let matched_end = end + new.len() - (key_end - start);
        // What was matched is not left, nor is what is to be changed.
        let next = next.min(matched_end).min(position.limit);
        position.start = next.max(first);
        true
    }
}

impl Replacement {
    fn write(&self, text: &Text, segments: &Segments, new: &mut Vec<char>) {
        match self {
            Replacement::Character(character) => new.push(*character),
            Replacement::Segment(number) => {
                if let Some(Some((start, end))) = segments.get(*number) {
                    new.extend_from_slice(&text[*start..*end]);
                }
            }
            Replacement::Function(function, parts) => {
                let mut argument = Vec::new();
                for part in parts {
                    part.write(text, segments, &mut argument);
                }
                let mut position = Position::all(&argument);
                function.transliterate(&mut argument, &mut position);
                new.extend(argument);
            }
        }
    }
}
