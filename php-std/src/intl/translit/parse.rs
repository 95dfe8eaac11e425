//! Reads rules: statements that end with a semicolon.

use std::collections::HashMap;
use std::rc::Rc;

use super::registry::{self, Direction};
use super::rules::{Cursor, Element, Replacement, Rule, Rules};
use super::{Library, Part, Transliterator};
use crate::intl::set::{Set, Variable, begins, is_space, name_at, unescaped};

/// What is wrong with rules, by ICU's codes, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) code: i64,
    pub(super) at: usize,
}

const BAD_VARIABLE_DEFINITION: i64 = 0x10000;
const MALFORMED_RULE: i64 = 0x10001;
const MALFORMED_SET: i64 = 0x10002;
const MALFORMED_UNICODE_ESCAPE: i64 = 0x10004;
const MISPLACED_ANCHOR_START: i64 = 0x10008;
const MISPLACED_CURSOR_OFFSET: i64 = 0x10009;
const MISPLACED_QUANTIFIER: i64 = 0x1000a;
const MISSING_OPERATOR: i64 = 0x1000b;
const MULTIPLE_ANTE_CONTEXTS: i64 = 0x1000d;
const MULTIPLE_CURSORS: i64 = 0x1000e;
const MULTIPLE_POST_CONTEXTS: i64 = 0x1000f;
const TRAILING_BACKSLASH: i64 = 0x10010;
const UNDEFINED_VARIABLE: i64 = 0x10012;
const UNTERMINATED_QUOTE: i64 = 0x10014;
const UNCLOSED_SEGMENT: i64 = 0x1001c;
const INVALID_ID: i64 = 0x10021;
const INVALID_FUNCTION: i64 = 0x10023;
/// Not ICU's: a statement that an engine reads over.
const MOST_STATEMENTS: usize = 1 << 20;

/// How deep groups and functions stand in each other.
const DEEPEST: usize = 50;

/// A part of one side of a rule.
#[derive(Debug, Clone)]
enum Item {
    Element(Element),
    /// `$1`
    Reference(usize),
    Function(Rc<Transliterator>, Vec<Item>),
}

/// One side of a rule.
#[derive(Debug, Default)]
struct Half {
    items: Vec<Item>,
    before_ends: Option<usize>,
    behind_begins: Option<usize>,
    cursor: Option<usize>,
    cursor_offset: isize,
    /// Where what moves the cursor on stands.
    cursor_offset_at: usize,
    is_at_start: bool,
    is_at_end: bool,
    segments: usize,
}

struct Parser<'t> {
    library: &'t Library,
    text: &'t [char],
    at: usize,
    direction: Direction,
    variables: HashMap<String, Vec<Item>>,
    parts: Vec<Part>,
    rules: Vec<Rule>,
    filter: Option<Rc<Set>>,
    depth: usize,
}

type Parsed<T> = Result<T, Problem>;

/// The parts of a transliterator by its rules, and which characters it changes.
pub(super) fn parse(
    library: &Library,
    text: &[char],
    direction: Direction,
    depth: usize,
) -> Parsed<Transliterator> {
    let mut parser = Parser {
        library,
        text,
        at: 0,
        direction,
        variables: HashMap::new(),
        parts: Vec::new(),
        rules: Vec::new(),
        filter: None,
        depth,
    };
    for _ in 0..MOST_STATEMENTS {
        parser.skip();
        if parser.at >= text.len() {
            break;
        }
        parser.statement()?;
    }
    parser.end_rules();
    Ok(Transliterator {
        parts: parser.parts,
        filter: parser.filter,
    })
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// Reads over white space, comments and empty statements.
    fn skip(&mut self) {
        while let Some(next) = self.peek() {
            match next {
                '#' => {
                    while self.peek().is_some_and(|next| !matches!(next, '\n' | '\r')) {
                        self.at += 1;
                    }
                }
                next if is_space(next) || next == ';' => self.at += 1,
                _ => break,
            }
        }
    }

    fn problem<T>(&self, code: i64, at: usize) -> Parsed<T> {
        Err(Problem { code, at })
    }

    fn statement(&mut self) -> Parsed<()> {
        let start = self.at;
        if self.text[start..].starts_with(&[':', ':']) {
            self.at += 2;
            return self.identifier(start);
        }
        let word: String = self.text[start..].iter().take(4).collect();
        if word == "use " {
            // What ICU is told of its own variables.
            self.at = self.end_of_statement(start);
            return Ok(());
        }
        self.rule(start)
    }

    fn end_of_statement(&self, from: usize) -> usize {
        let rest = self.text[from..].iter();
        from + rest.take_while(|&&next| next != ';').count()
    }

    /// `::ID(inverse);` or a filter of all.
    fn identifier(&mut self, start: usize) -> Parsed<()> {
        let mut at = self.at;
        if let Some((filter, is_inverse, end)) = registry::global_filter(self.text, at) {
            self.at = end;
            if is_inverse == (self.direction == Direction::Reverse) {
                self.filter = Some(Rc::new(filter));
            }
            return Ok(());
        }
        let Some(single) = registry::single(self.text, &mut at, self.direction) else {
            return self.problem(INVALID_ID, start);
        };
        self.at = at;
        let Some(part) = registry::part_of(self.library, &single, self.depth + 1) else {
            return self.problem(INVALID_ID, start);
        };
        self.end_rules();
        self.add_part(part);
        Ok(())
    }

    fn add_part(&mut self, part: Part) {
        match self.direction {
            Direction::Forward => self.parts.push(part),
            Direction::Reverse => self.parts.insert(0, part),
        }
    }

    /// What was read of rules is one pass.
    fn end_rules(&mut self) {
        if !self.rules.is_empty() {
            let rules = Rules::new(std::mem::take(&mut self.rules));
            self.add_part(Part::rules(rules));
        }
    }

    fn rule(&mut self, start: usize) -> Parsed<()> {
        let left = self.half(start, 0)?;
        let operator = match self.peek() {
            Some('=') => '=',
            Some('>' | '→') => '>',
            Some('<') if self.text.get(self.at + 1) == Some(&'>') => {
                self.at += 1;
                '~'
            }
            Some('<' | '←') => '<',
            Some('↔') => '~',
            _ => return self.problem(MISSING_OPERATOR, start),
        };
        self.at += 1;
        if operator == '=' {
            return self.definition(start, &left);
        }
        let right = self.half(start, 0)?;
        match self.peek() {
            None => {}
            Some(';') => self.at += 1,
            Some(_) => return self.problem(MALFORMED_RULE, start),
        }
        let is_wrong = |from: &Half, to: &Half| {
            let mut items = to.items.iter();
            items.any(|item| matches!(item, Item::Reference(number) if *number > from.segments))
        };
        let is_wrong = match operator {
            '>' => is_wrong(&left, &right),
            '<' => is_wrong(&right, &left),
            _ if self.direction == Direction::Forward => is_wrong(&left, &right),
            _ => is_wrong(&right, &left),
        };
        if is_wrong {
            return self.problem(MALFORMED_RULE, start);
        }
        let (input, output) = match (operator, self.direction) {
            ('>' | '~', Direction::Forward) => (left, right),
            ('<' | '~', Direction::Reverse) => (right, left),
            _ => return Ok(()),
        };
        let rule = self.made(start, input, output, operator == '~')?;
        self.rules.push(rule);
        Ok(())
    }

    /// `$name = value;`
    fn definition(&mut self, start: usize, left: &Half) -> Parsed<()> {
        let name = match left.items.as_slice() {
            [] if self.text[start] == '$' => name_at(self.text, start + 1),
            _ => String::new(),
        };
        if name.is_empty() {
            return self.problem(BAD_VARIABLE_DEFINITION, start);
        }
        let value = self.half(start, 0)?;
        if self.peek() == Some(';') {
            self.at += 1;
        }
        self.variables.insert(name, value.items);
        Ok(())
    }

    fn made(&self, start: usize, input: Half, output: Half, is_both_ways: bool) -> Parsed<Rule> {
        let behind_begins = input.behind_begins.unwrap_or(input.items.len());
        let before_ends = input.before_ends.unwrap_or(0).min(behind_begins);
        let mut elements = Vec::new();
        for item in input.items {
            match item {
                Item::Element(element) => elements.push(element),
                _ => return self.problem(MALFORMED_RULE, start),
            }
        }
        let behind = elements.split_off(behind_begins);
        let key = elements.split_off(before_ends);
        // A rule for both ways has the contexts and the cursor of each side for itself.
        let kept = match is_both_ways {
            true => {
                let end = output.behind_begins.unwrap_or(output.items.len());
                output.before_ends.unwrap_or(0).min(end)..end
            }
            false => 0..output.items.len(),
        };
        let cursor = match (is_both_ways, output.cursor) {
            (true, _) | (false, None) => Cursor::End,
            (false, Some(parts)) => {
                let (place, end) = (
                    parts as isize + output.cursor_offset,
                    output.items.len() as isize,
                );
                match place {
                    ..0 => Cursor::At {
                        parts: 0,
                        offset: place,
                    },
                    place if place > end => Cursor::At {
                        parts: 0,
                        offset: place - end,
                    },
                    place => Cursor::At {
                        parts: place as usize,
                        offset: 0,
                    },
                }
            }
        };
        let replacement = self.replacements(start, &output.items[kept], input.segments)?;
        Ok(Rule {
            before: elements,
            key,
            behind,
            is_at_start: input.is_at_start,
            is_at_end: input.is_at_end,
            replacement,
            cursor,
            segments: input.segments,
        })
    }

    fn replacements(
        &self,
        start: usize,
        items: &[Item],
        segments: usize,
    ) -> Parsed<Vec<Replacement>> {
        items
            .iter()
            .map(|item| match item {
                Item::Element(Element::Character(character)) => {
                    Ok(Replacement::Character(*character))
                }
                Item::Reference(number) if *number <= segments => {
                    Ok(Replacement::Segment(number - 1))
                }
                Item::Function(function, argument) => {
                    let argument = self.replacements(start, argument, segments)?;
                    Ok(Replacement::Function(function.clone(), argument))
                }
                Item::Element(_) | Item::Reference(_) => self.problem(MALFORMED_RULE, start),
            })
            .collect()
    }

    /// One side of a rule, up to an operator or the end of the statement.
    fn half(&mut self, start: usize, depth: usize) -> Parsed<Half> {
        let mut half = Half::default();
        self.items(&mut half, start, depth, None)?;
        if half.cursor_offset > 0 && half.cursor != Some(half.cursor_offset_at) {
            return self.problem(MISPLACED_CURSOR_OFFSET, start);
        }
        Ok(half)
    }

    fn items(
        &mut self,
        half: &mut Half,
        start: usize,
        depth: usize,
        end: Option<char>,
    ) -> Parsed<()> {
        if depth > DEEPEST {
            return self.problem(MALFORMED_RULE, start);
        }
        // Where what a quantifier belongs to begins: a quoted text is one thing.
        let mut last: Option<usize> = None;
        while let Some(next) = self.peek() {
            if is_space(next) {
                self.at += 1;
                continue;
            }
            if Some(next) == end {
                self.at += 1;
                return Ok(());
            }
            let count = half.items.len();
            if begins(self.text, self.at) {
                let set = self.set(start)?;
                half.items.push(Item::Element(Element::Set(set)));
                last = Some(count);
                continue;
            }
            match next {
                '=' | '<' | '>' | '→' | '←' | '↔' | ';' if end.is_none() => return Ok(()),
                ';' => break,
                '\\' => {
                    self.at += 1;
                    if self.at >= self.text.len() {
                        return self.problem(TRAILING_BACKSLASH, start);
                    }
                    let Some((character, behind)) = unescaped(self.text, self.at) else {
                        return self.problem(MALFORMED_UNICODE_ESCAPE, start);
                    };
                    self.at = behind;
                    half.items
                        .push(Item::Element(Element::Character(character)));
                }
                '\'' => self.quoted(half)?,
                '^' if half.items.is_empty() && !half.is_at_start => {
                    self.at += 1;
                    half.is_at_start = true;
                    continue;
                }
                '^' => return self.problem(MISPLACED_ANCHOR_START, start),
                '$' => {
                    self.dollar(half, start)?;
                }
                '.' => {
                    self.at += 1;
                    half.items
                        .push(Item::Element(Element::Set(any_of_a_line())));
                }
                '*' | '+' | '?' => {
                    self.at += 1;
                    // Where nothing goes together it is the last character.
                    let Some(from) = last.or_else(|| count.checked_sub(1)) else {
                        return self.problem(MISPLACED_QUANTIFIER, start);
                    };
                    let mut what = Vec::new();
                    for item in half.items.drain(from..) {
                        match item {
                            Item::Element(element) => what.push(element),
                            _ => {
                                return Err(Problem {
                                    code: MISPLACED_QUANTIFIER,
                                    at: start,
                                });
                            }
                        }
                    }
                    let (least, most) = match next {
                        '*' => (0, usize::MAX),
                        '+' => (1, usize::MAX),
                        _ => (0, 1),
                    };
                    half.items
                        .push(Item::Element(Element::Repeated { what, least, most }));
                    last = None;
                    continue;
                }
                '(' => {
                    self.at += 1;
                    let number = half.segments;
                    half.segments += 1;
                    let mut inner = Half {
                        segments: half.segments,
                        ..Half::default()
                    };
                    self.items(&mut inner, start, depth + 1, Some(')'))?;
                    half.segments = inner.segments;
                    let mut elements = Vec::new();
                    for item in inner.items {
                        match item {
                            Item::Element(element) => elements.push(element),
                            _ => return self.problem(MALFORMED_RULE, start),
                        }
                    }
                    half.items
                        .push(Item::Element(Element::Segment(number, elements)));
                }
                '&' | '∆' => {
                    let item = self.function(half, start, depth)?;
                    half.items.push(item);
                }
                '{' => {
                    self.at += 1;
                    if half.before_ends.replace(count).is_some() {
                        return self.problem(MULTIPLE_ANTE_CONTEXTS, start);
                    }
                }
                '}' => {
                    self.at += 1;
                    if half.behind_begins.replace(count).is_some() {
                        return self.problem(MULTIPLE_POST_CONTEXTS, start);
                    }
                }
                '|' => {
                    self.at += 1;
                    if half.cursor.replace(count).is_some() {
                        return self.problem(MULTIPLE_CURSORS, start);
                    }
                }
                '@' => {
                    self.at += 1;
                    half.cursor_offset += match (half.cursor, half.cursor_offset) {
                        (Some(0), ..=0) if count == 0 => -1,
                        (None, 0) => {
                            half.cursor_offset_at = count;
                            1
                        }
                        (None, 1..) if half.cursor_offset_at == count => 1,
                        _ => return self.problem(MISPLACED_CURSOR_OFFSET, start),
                    };
                }
                next => {
                    self.at += 1;
                    half.items.push(Item::Element(Element::Character(next)));
                }
            }
            last = (half.items.len() > count).then_some(count);
        }
        match end {
            None => Ok(()),
            Some(_) => self.problem(UNCLOSED_SEGMENT, start),
        }
    }

    /// Text between quotes; two of them are one.
    fn quoted(&mut self, half: &mut Half) -> Parsed<()> {
        let start = self.at;
        self.at += 1;
        if self.peek() == Some('\'') {
            self.at += 1;
            half.items.push(Item::Element(Element::Character('\'')));
            return Ok(());
        }
        loop {
            match self.peek() {
                Some('\'') if self.text.get(self.at + 1) == Some(&'\'') => self.at += 1,
                Some('\'') => break,
                Some(_) => {}
                // It points in front of the quote.
                None => return self.problem(UNTERMINATED_QUOTE, start.saturating_sub(1)),
            }
            let character = self.text[self.at];
            half.items
                .push(Item::Element(Element::Character(character)));
            self.at += 1;
        }
        self.at += 1;
        Ok(())
    }

    /// A variable, a reference to a group, or the end of the text.
    fn dollar(&mut self, half: &mut Half, start: usize) -> Parsed<()> {
        self.at += 1;
        let digits = self.text[self.at..]
            .iter()
            .take_while(|next| next.is_ascii_digit());
        let digits: String = digits.collect();
        if !digits.is_empty() {
            self.at += digits.len();
            let number = digits.parse().unwrap_or(usize::MAX);
            if number == 0 {
                return self.problem(MALFORMED_RULE, start);
            }
            half.items.push(Item::Reference(number));
            return Ok(());
        }
        let name = name_at(self.text, self.at);
        if name.is_empty() {
            half.is_at_end = true;
            return Ok(());
        }
        self.at += name.chars().count();
        match self.variables.get(&name) {
            Some(value) => {
                half.items.extend(value.iter().cloned());
                Ok(())
            }
            // What is being defined has no value yet.
            None if half.items.is_empty() && self.is_definition() => Ok(()),
            None => self.problem(UNDEFINED_VARIABLE, start),
        }
    }

    fn is_definition(&self) -> bool {
        let mut rest = self.text[self.at..].iter().filter(|&&next| !is_space(next));
        rest.next() == Some(&'=')
    }

    /// `&ID( argument )`
    fn function(&mut self, half: &mut Half, start: usize, depth: usize) -> Parsed<Item> {
        self.at += 1;
        let mut at = self.at;
        let single = registry::function(self.text, &mut at);
        let open = self.text.get(at) == Some(&'(');
        let (Some(single), true) = (single, open) else {
            return self.problem(INVALID_FUNCTION, start);
        };
        self.at = at + 1;
        let Some(part) = registry::part_of(self.library, &single, self.depth + 1) else {
            return self.problem(INVALID_FUNCTION, start);
        };
        let mut inner = Half {
            segments: half.segments,
            ..Half::default()
        };
        self.items(&mut inner, start, depth + 1, Some(')'))?;
        let function = Transliterator {
            parts: vec![part],
            filter: None,
        };
        Ok(Item::Function(Rc::new(function), inner.items))
    }

    fn set(&mut self, start: usize) -> Parsed<Rc<Set>> {
        let variables = |name: &str| {
            let items = self.variables.get(name)?;
            let is_set = |item: &Item| matches!(item, Item::Element(Element::Set(_)));
            if items.iter().any(is_set) {
                // All that it contains, as if it stood there.
                let mut all = Set::default();
                for item in items {
                    match item {
                        Item::Element(Element::Set(set)) => all.add(set),
                        Item::Element(Element::Character(character)) => {
                            all.add(&Set::of_range((*character).into(), (*character).into()));
                        }
                        _ => return None,
                    }
                }
                return Some(Variable::Set(all));
            }
            let text = items.iter().map(|item| match item {
                Item::Element(Element::Character(character)) => Some(*character),
                _ => None,
            });
            text.collect::<Option<Vec<char>>>().map(Variable::Text)
        };
        match Set::parse(self.text, self.at, Some(&variables)) {
            Some((set, end)) => {
                self.at = end;
                Ok(Rc::new(set))
            }
            None => self.problem(MALFORMED_SET, start),
        }
    }
}

/// What a dot matches.
fn any_of_a_line() -> Rc<Set> {
    let pattern: Vec<char> = r"[^[:Zp:][:Zl:]\r\n$]".chars().collect();
    let set = Set::parse(&pattern, 0, None);
    Rc::new(set.map_or_else(Set::default, |(set, _)| set))
}
