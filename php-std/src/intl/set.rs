//! Sets of characters in ICU's notation: `[a-z[:Latin:]-[aeiou]{ch}]`.

use vm_runtime::limits;

use super::character::data::{LAST, Table, property, property_named, value_named};

/// What a set contains at the end of a text.
pub(super) const END: u32 = 0xffff;

/// A set of characters and strings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Set {
    /// Where it begins and ends to contain characters, in turn.
    edges: Vec<u32>,
    strings: Vec<Vec<char>>,
}

/// What a variable stands for in a set.
pub(super) enum Variable {
    Set(Set),
    Text(Vec<char>),
}

/// Looks up variables, where there may be any.
pub(super) type Variables<'v> = Option<&'v dyn Fn(&str) -> Option<Variable>>;

/// How deep sets are nested at most.
const DEEPEST: usize = 100;

impl Set {
    pub(super) fn contains(&self, character: u32) -> bool {
        self.edges.partition_point(|&edge| edge <= character) % 2 == 1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.strings.is_empty()
    }

    pub(super) fn strings(&self) -> &[Vec<char>] {
        &self.strings
    }

    pub(super) fn of_range(first: u32, last: u32) -> Set {
        Set {
            edges: vec![first, last + 1],
            strings: Vec::new(),
        }
    }

    fn of_ranges(ranges: impl Iterator<Item = (u32, u32)>) -> Set {
        let mut edges: Vec<u32> = Vec::new();
        for (first, last) in ranges {
            match edges.last_mut() {
                Some(end) if *end == first => *end = last + 1,
                _ => edges.extend([first, last + 1]),
            }
        }
        Set {
            edges,
            strings: Vec::new(),
        }
    }

    /// The characters that are in one or both, as `keep` says.
    fn merged(&self, other: &Set, keep: fn(bool, bool) -> bool) -> Vec<u32> {
        let mut all: Vec<u32> = self.edges.iter().chain(&other.edges).copied().collect();
        all.sort_unstable();
        all.dedup();
        let mut edges = Vec::new();
        for edge in all {
            let is_in = keep(self.contains(edge), other.contains(edge));
            if is_in != (edges.len() % 2 == 1) {
                edges.push(edge);
            }
        }
        edges
    }

    pub(super) fn add(&mut self, other: &Set) {
        self.edges = self.merged(other, |own, other| own || other);
        self.strings.extend(other.strings.iter().cloned());
    }

    /// Adds ranges, which are then no more.
    fn add_ranges(&mut self, ranges: &mut Vec<(u32, u32)>) {
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (first, last) in ranges.drain(..) {
            match merged.last_mut() {
                Some((_, end)) if first <= *end + 1 => *end = last.max(*end),
                _ => merged.push((first, last)),
            }
        }
        if !merged.is_empty() {
            self.add(&Set::of_ranges(merged.into_iter()));
        }
    }

    fn remove(&mut self, other: &Set) {
        self.edges = self.merged(other, |own, other| own && !other);
        self.strings.retain(|string| !other.has_string(string));
    }

    fn retain(&mut self, other: &Set) {
        self.edges = self.merged(other, |own, other| own && other);
        self.strings.retain(|string| other.has_string(string));
    }

    fn has_string(&self, string: &Vec<char>) -> bool {
        limits::poll();
        self.strings.contains(string)
    }

    fn complement(&mut self) {
        let all = Set::of_range(0, LAST);
        self.edges = all.merged(self, |all, own| all && !own);
    }

    /// Reads a set from where a text has one; gives it, and where it ends.
    pub(super) fn parse(
        text: &[char],
        at: usize,
        variables: Variables<'_>,
    ) -> Option<(Set, usize)> {
        let mut reader = Reader {
            text,
            at,
            variables,
            depth: 0,
        };
        let set = reader.set()?;
        Some((set, reader.at))
    }
}

/// True if a set begins here.
pub(super) fn begins(text: &[char], at: usize) -> bool {
    match text.get(at) {
        Some('[') => true,
        Some('\\') => matches!(text.get(at + 1), Some('p' | 'P' | 'N')),
        _ => false,
    }
}

/// True for what patterns and rules take for white space.
pub(super) fn is_space(character: char) -> bool {
    matches!(
        character,
        '\t'..='\r' | ' ' | '\u{85}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}'
    )
}

/// The character behind a backslash that stands at `at`, and where it ends.
pub(super) fn unescaped(text: &[char], at: usize) -> Option<(char, usize)> {
    let first = *text.get(at)?;
    let digits = |from: usize, least: usize, most: usize, base: u32| {
        let digits = text[from..]
            .iter()
            .take(most)
            .take_while(|digit| digit.is_digit(base))
            .count();
        let number: String = text[from..from + digits].iter().collect();
        let character = u32::from_str_radix(&number, base)
            .ok()
            .and_then(char::from_u32)?;
        (digits >= least).then_some((character, from + digits))
    };
    match first {
        'u' => digits(at + 1, 4, 4, 16),
        'U' => digits(at + 1, 8, 8, 16),
        'x' if text.get(at + 1) == Some(&'{') => {
            let (character, end) = digits(at + 2, 1, 8, 16)?;
            (text.get(end) == Some(&'}')).then_some((character, end + 1))
        }
        'x' => digits(at + 1, 1, 2, 16),
        '0'..='7' => digits(at, 1, 3, 8),
        'a' => Some(('\u{7}', at + 1)),
        'b' => Some(('\u{8}', at + 1)),
        'e' => Some(('\u{1b}', at + 1)),
        'f' => Some(('\u{c}', at + 1)),
        'n' => Some(('\n', at + 1)),
        'r' => Some(('\r', at + 1)),
        't' => Some(('\t', at + 1)),
        'v' => Some(('\u{b}', at + 1)),
        other => Some((other, at + 1)),
    }
}

struct Reader<'t> {
    text: &'t [char],
    at: usize,
    variables: Variables<'t>,
    depth: usize,
}

/// What is done with the next set of a set.
#[derive(Clone, Copy)]
enum Operation {
    Add,
    Remove,
    Retain,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn starts_with(&self, start: &str) -> bool {
        let rest = self.text[self.at..].iter().copied();
        rest.take(start.len()).eq(start.chars())
    }

    fn set(&mut self) -> Option<Set> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let set = match self.starts_with("[:") || self.peek() == Some('\\') {
            true => self.property(),
            false => self.bracketed(),
        };
        self.depth -= 1;
        set
    }

    fn bracketed(&mut self) -> Option<Set> {
        if self.peek() != Some('[') {
            return None;
        }
        self.at += 1;
        let mut set = Set::default();
        // Characters and ranges, which are added all at once.
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        self.skip_spaces();
        let is_complement = self.peek() == Some('^');
        if is_complement {
            self.at += 1;
        }
        let mut operation = Operation::Add;
        // A character that may begin a range.
        let mut last: Option<char> = None;
        let mut is_range = false;
        loop {
            limits::poll();
            self.skip_spaces();
            let next = self.peek()?;
            if next == ']' {
                self.at += 1;
                break;
            }
            let nested = match next {
                '[' | '\\' if begins(self.text, self.at) => Some(self.set()?),
                '$' => match self.variable() {
                    Some(Variable::Set(set)) => Some(set),
                    Some(Variable::Text(text)) => {
                        // Its text stands here as it is written.
                        let mut pattern = vec!['['];
                        pattern.extend(text);
                        pattern.push(']');
                        let single = match pattern.as_slice() {
                            [_, single, _] => Some(*single),
                            _ => None,
                        };
                        match (single, last.filter(|_| is_range)) {
                            (Some(single), Some(first)) => {
                                ranges.push((first.into(), single.into()));
                                (last, is_range) = (None, false);
                                continue;
                            }
                            (Some(single), None) => last = Some(single),
                            (None, _) => {}
                        }
                        // No variable is looked for in it, which may be called like this one.
                        let no_variables: Variables<'_> = Some(&|_| None);
                        Some(Set::parse(&pattern, 0, no_variables)?.0)
                    }
                    // At the end it is the end of the text, else itself if there are no variables.
                    None => {
                        self.at += 1;
                        self.skip_spaces();
                        match self.peek()? {
                            ']' => Some(Set::of_range(END, END)),
                            _ if self.variables.is_none() => {
                                Some(Set::of_range('$'.into(), '$'.into()))
                            }
                            _ => return None,
                        }
                    }
                },
                '{' => Some(self.string()?),
                _ => None,
            };
            if let Some(nested) = nested {
                if is_range {
                    // A minus in front of a set takes away.
                    operation = Operation::Remove;
                    is_range = false;
                }
                set.add_ranges(&mut ranges);
                match operation {
                    Operation::Add => set.add(&nested),
                    Operation::Remove => set.remove(&nested),
                    Operation::Retain => set.retain(&nested),
                }
                operation = Operation::Add;
                if next != '$' {
                    last = None;
                }
                continue;
            }
            match next {
                '-' if !is_range => {
                    self.at += 1;
                    self.skip_spaces();
                    match self.peek()? {
                        // At the end it is itself.
                        ']' => ranges.push(('-'.into(), '-'.into())),
                        '[' => operation = Operation::Remove,
                        '\\' if begins(self.text, self.at) => operation = Operation::Remove,
                        _ if last.is_some() => is_range = true,
                        '$' => operation = Operation::Remove,
                        _ => ranges.push(('-'.into(), '-'.into())),
                    }
                    continue;
                }
                '&' if last.is_none() || self.text.get(self.at + 1) == Some(&'[') => {
                    self.at += 1;
                    operation = Operation::Retain;
                    continue;
                }
                _ => {}
            }
            let character = self.character()?;
            match last.filter(|_| is_range) {
                Some(first) if first <= character => {
                    ranges.push((first.into(), character.into()));
                    last = None;
                }
                Some(_) => return None,
                None => {
                    ranges.push((character.into(), character.into()));
                    last = Some(character);
                }
            }
            is_range = false;
        }
        set.add_ranges(&mut ranges);
        if is_complement {
            set.complement();
        }
        Some(set)
    }

    /// A variable behind `$`; nothing is read if there is none.
    fn variable(&mut self) -> Option<Variable> {
        let name = name_at(self.text, self.at + 1);
        let found = self.variables?(&name).filter(|_| !name.is_empty())?;
        self.at += 1 + name.chars().count();
        Some(found)
    }

    fn character(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += 1;
        match character {
            '\\' => {
                let (character, end) = unescaped(self.text, self.at)?;
                self.at = end;
                Some(character)
            }
            other => Some(other),
        }
    }

    /// A string in braces; a single character is one.
    fn string(&mut self) -> Option<Set> {
        self.at += 1;
        let mut string = Vec::new();
        loop {
            self.skip_spaces();
            match self.peek()? {
                '}' => break,
                _ => string.push(self.character()?),
            }
        }
        self.at += 1;
        Some(match string.as_slice() {
            [single] => Set::of_range((*single).into(), (*single).into()),
            _ => Set {
                edges: Vec::new(),
                strings: vec![string],
            },
        })
    }

    /// `[:name=value:]`, `\p{name=value}`, `\P{...}`.
    fn property(&mut self) -> Option<Set> {
        let (end, mut is_complement) = match self.starts_with("[:") {
            true => (":]", false),
            false => ("}", self.text.get(self.at + 1) == Some(&'P')),
        };
        self.at += 2;
        if end == "}" {
            self.skip_spaces();
            (self.peek() == Some('{')).then(|| self.at += 1)?;
        }
        self.skip_spaces();
        if self.peek() == Some('^') {
            self.at += 1;
            is_complement = !is_complement;
        }
        let mut body = String::new();
        while !self.starts_with(end) {
            body.push(self.peek()?);
            self.at += 1;
        }
        self.at += end.len();
        let mut set = match body.split_once(['=', '≠']) {
            Some((name, value)) => {
                is_complement ^= body.contains('≠');
                of_property(property_named(name)?, value.trim())?
            }
            None => of_name(body.trim())?,
        };
        if is_complement {
            set.complement();
        }
        Some(set)
    }
}

/// The name of a variable at a place; empty if there is none.
pub(super) fn name_at(text: &[char], at: usize) -> String {
    let is_start = |character: char| character.is_alphabetic() || character == '_';
    let mut characters = text.get(at..).unwrap_or_default().iter().copied();
    match characters.next() {
        Some(first) if is_start(first) => {
            let rest = characters.take_while(|&next| is_start(next) || next.is_numeric());
            std::iter::once(first).chain(rest).collect()
        }
        _ => String::new(),
    }
}

/// What has a value of a property.
fn of_property(number: u32, value: &str) -> Option<Set> {
    match number {
        property::CATEGORY | property::CATEGORY_MASK => {
            of_categories(value_named(property::CATEGORY_MASK, value)?)
        }
        _ if number < 0x1000 => {
            let is_so = matches!(&*value.to_ascii_lowercase(), "y" | "yes" | "t" | "true");
            of_value(number, is_so.into())
        }
        _ => of_value(number, value_named(number, value)?),
    }
}

fn of_value(number: u32, wanted: u32) -> Option<Set> {
    let ranges = Table::of(number)?.ranges();
    let own = ranges.filter(|(_, _, value)| *value == wanted);
    Some(Set::of_ranges(own.map(|(first, last, _)| (first, last))))
}

fn of_categories(mask: u32) -> Option<Set> {
    let ranges = Table::of(property::CATEGORY)?.ranges();
    let own = ranges.filter(|(_, _, value)| mask >> value & 1 != 0);
    Some(Set::of_ranges(own.map(|(first, last, _)| (first, last))))
}

/// What a single name stands for: a category, a script, a property, or a set of its own.
fn of_name(name: &str) -> Option<Set> {
    if let Some(mask) = value_named(property::CATEGORY_MASK, name) {
        return of_categories(mask);
    }
    if let Some(script) = value_named(property::SCRIPT, name) {
        return of_value(property::SCRIPT, script);
    }
    if let Some(own) = property_named(name).filter(|own| *own < 0x1000) {
        return of_value(own, 1);
    }
    match &*name.to_ascii_lowercase() {
        "any" => Some(Set::of_range(0, LAST)),
        "ascii" => Some(Set::of_range(0, 0x7f)),
        "assigned" => of_categories(!1),
        _ => None,
    }
}
