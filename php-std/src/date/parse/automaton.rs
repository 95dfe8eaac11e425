//! Finds which of many patterns matches most of a text, in one pass over it.
//!
//! The patterns become one nondeterministic automaton; the deterministic one is made of it state by state, as far as
//! texts lead. What the groups of a pattern hold is not known here.

use std::collections::{HashMap, HashSet};

/// A set of bytes.
type Bytes = [u64; 4];

fn add(set: &mut Bytes, byte: u8) {
    set[usize::from(byte >> 6)] |= 1 << (byte & 63);
}

fn has(set: &Bytes, byte: u8) -> bool {
    set[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0
}

/// A state of the nondeterministic automaton.
#[derive(Debug, Clone, Copy)]
enum Node {
    /// One byte of a set, then the next node.
    Byte(Bytes, usize),
    Split(usize, usize),
    /// The end of the text, then the next node.
    End(usize),
    /// A pattern has matched.
    Match(usize),
}

/// What a pattern is made of.
#[derive(Debug, Clone)]
enum Part {
    Byte(Bytes),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    Repeated(Box<Part>, usize, Option<usize>),
    End,
}

/// Reads a pattern: letters, classes, groups, choices and repetitions.
struct Reader<'p> {
    pattern: &'p [u8],
    at: usize,
    ignores_case: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.pattern.get(self.at).copied()
    }

    fn accept(&mut self, text: &[u8]) -> bool {
        let found = self.pattern[self.at..].starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn choice(&mut self) -> Part {
        let mut ways = vec![self.sequence()];
        while self.accept(b"|") {
            ways.push(self.sequence());
        }
        match ways.len() {
            1 => ways.remove(0),
            _ => Part::Choice(ways),
        }
    }

    fn sequence(&mut self) -> Part {
        let mut parts = Vec::new();
        while !matches!(self.peek(), None | Some(b'|' | b')')) {
            let part = self.item();
            let (least, most) = match self.peek() {
                Some(b'?') => (0, Some(1)),
                Some(b'*') => (0, None),
                Some(b'+') => (1, None),
                Some(b'{') => {
                    self.at += 1;
                    let least = self.number();
                    let most = match self.accept(b",") {
                        true => self.number(),
                        false => least,
                    };
                    (least, Some(most))
                }
                _ => {
                    parts.push(part);
                    continue;
                }
            };
            self.at += 1;
            parts.push(Part::Repeated(Box::new(part), least, most));
        }
        Part::Sequence(parts)
    }

    fn number(&mut self) -> usize {
        let mut number = 0;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number * 10 + usize::from(digit - b'0');
            self.at += 1;
        }
        number
    }

    fn item(&mut self) -> Part {
        let byte = self.peek().unwrap_or_default();
        self.at += 1;
        match byte {
            b'(' => self.group(),
            b'[' => self.class(),
            b'\\' => {
                let escaped = self.peek().unwrap_or_default();
                self.at += 1;
                match escaped {
                    b'z' => Part::End,
                    b't' => self.letter(b'\t'),
                    other => self.letter(other),
                }
            }
            byte => self.letter(byte),
        }
    }

    fn group(&mut self) -> Part {
        let outer = self.ignores_case;
        if self.accept(b"?i:") {
            self.ignores_case = true;
        } else if self.accept(b"?<") {
            while self.peek() != Some(b'>') {
                self.at += 1;
            }
            self.at += 1;
        } else {
            self.accept(b"?:");
        }
        let part = self.choice();
        self.accept(b")");
        self.ignores_case = outer;
        part
    }

    fn class(&mut self) -> Part {
        let mut set = Bytes::default();
        while let Some(byte) = self.peek() {
            self.at += 1;
            let first = match byte {
                b']' => break,
                b'\\' => {
                    let escaped = self.peek().unwrap_or_default();
                    self.at += 1;
                    if escaped == b't' { b'\t' } else { escaped }
                }
                byte => byte,
            };
            let is_range = self.peek() == Some(b'-')
                && self
                    .pattern
                    .get(self.at + 1)
                    .is_some_and(|&end| end != b']');
            let mut last = first;
            if is_range {
                last = self.pattern[self.at + 1];
                self.at += 2;
            }
            (first..=last).for_each(|byte| add(&mut set, byte));
        }
        Part::Byte(set)
    }

    fn letter(&self, byte: u8) -> Part {
        let mut set = Bytes::default();
        add(&mut set, byte);
        if self.ignores_case {
            add(&mut set, byte.to_ascii_lowercase());
            add(&mut set, byte.to_ascii_uppercase());
        }
        Part::Byte(set)
    }
}

/// A state of the deterministic automaton.
#[derive(Debug)]
struct State {
    nodes: Box<[usize]>,
    /// The first pattern that has matched, and the first one if the text ends here.
    found: Option<usize>,
    found_at_end: Option<usize>,
}

/// States of which the automaton is made at most; it begins anew with more.
const MOST_STATES: usize = 1024;
const UNKNOWN: u32 = u32::MAX;
/// Nothing can match any more.
const DEAD: u32 = u32::MAX - 1;

/// The automaton.
#[derive(Debug)]
pub(super) struct Automaton {
    nodes: Vec<Node>,
    start: Vec<usize>,
    /// Bytes that no pattern tells apart are of one kind.
    kinds: Box<[u8; 256]>,
    kind_count: usize,
    states: Vec<State>,
    numbers: HashMap<Box<[usize]>, u32>,
    /// For each state and each kind of bytes the next state.
    next: Vec<u32>,
}

impl Automaton {
    pub(super) fn new<'p>(patterns: impl Iterator<Item = &'p [u8]>) -> Automaton {
        let mut automaton = Automaton {
            nodes: Vec::new(),
            start: Vec::new(),
            kinds: Box::new([0; 256]),
            kind_count: 0,
            states: Vec::new(),
            numbers: HashMap::new(),
            next: Vec::new(),
        };
        for (number, pattern) in patterns.enumerate() {
            let mut reader = Reader {
                pattern,
                at: 0,
                ignores_case: false,
            };
            let part = reader.choice();
            debug_assert_eq!(reader.at, pattern.len());
            let end = automaton.node(Node::Match(number));
            let start = automaton.put(&part, end);
            automaton.start.push(start);
        }
        automaton.find_kinds();
        automaton.state(automaton.start.clone());
        automaton
    }

    fn node(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The node where a part begins that goes on at `then`.
    fn put(&mut self, part: &Part, then: usize) -> usize {
        match part {
            Part::Byte(set) => self.node(Node::Byte(*set, then)),
            Part::End => self.node(Node::End(then)),
            Part::Sequence(parts) => parts
                .iter()
                .rev()
                .fold(then, |then, part| self.put(part, then)),
            Part::Choice(ways) => {
                let starts: Vec<usize> = ways.iter().map(|way| self.put(way, then)).collect();
                starts
                    .into_iter()
                    .reduce(|one, other| self.node(Node::Split(one, other)))
                    .unwrap_or(then)
            }
            Part::Repeated(part, least, most) => {
                let mut start = then;
                match most {
                    Some(most) => {
                        for _ in *least..*most {
                            let once = self.put(part, start);
                            start = self.node(Node::Split(once, then));
                        }
                    }
                    None => {
                        let again = self.node(Node::Split(then, then));
                        let once = self.put(part, again);
                        self.nodes[again] = Node::Split(once, then);
                        start = again;
                    }
                }
                for _ in 0..*least {
                    start = self.put(part, start);
                }
                start
            }
        }
    }

    fn find_kinds(&mut self) {
        let sets: HashSet<Bytes> = self
            .nodes
            .iter()
            .filter_map(|node| match node {
                Node::Byte(set, _) => Some(*set),
                _ => None,
            })
            .collect();
        let mut known: HashMap<Vec<bool>, u8> = HashMap::new();
        for byte in 0..=255 {
            let count = known.len() as u8;
            let kind = sets.iter().map(|set| has(set, byte)).collect();
            self.kinds[usize::from(byte)] = *known.entry(kind).or_insert(count);
        }
        self.kind_count = known.len();
    }

    /// The state of some nodes and those that follow without a byte.
    fn state(&mut self, from: Vec<usize>) -> u32 {
        let mut found = (None, None);
        let mut reached = Vec::new();
        // Those behind the end of the text tell what has matched there, and lead nowhere.
        for is_end in [false, true] {
            let mut seen = vec![false; self.nodes.len()];
            let mut open = from.clone();
            while let Some(node) = open.pop() {
                if std::mem::replace(&mut seen[node], true) {
                    continue;
                }
                match self.nodes[node] {
                    Node::Split(one, other) => open.extend([one, other]),
                    Node::End(then) if is_end => open.push(then),
                    Node::End(_) => reached.push(node),
                    Node::Byte(..) if is_end => {}
                    Node::Byte(..) => reached.push(node),
                    Node::Match(pattern) => {
                        let first = if is_end { &mut found.1 } else { &mut found.0 };
                        *first = Some(first.map_or(pattern, |known: usize| known.min(pattern)));
                    }
                }
            }
        }
        if reached.is_empty() && found == (None, None) {
            return DEAD;
        }
        reached.sort_unstable();
        reached.dedup();
        // What has matched is told apart, too.
        let mut key = reached.clone();
        key.push(found.0.unwrap_or(usize::MAX));
        if let Some(&number) = self.numbers.get(&key[..]) {
            return number;
        }
        let number = self.states.len() as u32;
        self.states.push(State {
            nodes: reached.into(),
            found: found.0,
            found_at_end: found.1,
        });
        self.next.resize(self.next.len() + self.kind_count, UNKNOWN);
        self.numbers.insert(key.into(), number);
        number
    }

    /// The state behind a byte, made if it is not there yet.
    #[cold]
    fn make_next(&mut self, state: u32, byte: u8) -> u32 {
        let behind = |&node: &usize| match self.nodes[node] {
            Node::Byte(set, then) if has(&set, byte) => Some(then),
            _ => None,
        };
        let nodes = &self.states[state as usize].nodes;
        let from: Vec<usize> = nodes.iter().filter_map(behind).collect();
        let next = self.state(from);
        let place = state as usize * self.kind_count + usize::from(self.kinds[usize::from(byte)]);
        self.next[place] = next;
        next
    }

    /// The pattern that matches most at the start of a text, the first of those that match the same, and how much.
    pub(super) fn longest(&mut self, text: &[u8]) -> Option<(usize, usize)> {
        if self.states.len() > MOST_STATES {
            self.states.clear();
            self.numbers.clear();
            self.next.clear();
            self.state(self.start.clone());
        }
        let mut state = 0;
        let mut best = None;
        for (at, &byte) in text.iter().enumerate() {
            let kind = usize::from(self.kinds[usize::from(byte)]);
            let mut next = self.next[state as usize * self.kind_count + kind];
            if next == UNKNOWN {
                next = self.make_next(state, byte);
            }
            if next == DEAD {
                return best;
            }
            state = next;
            let reached = &self.states[state as usize];
            let found = match at + 1 == text.len() {
                true => reached.found_at_end,
                false => reached.found,
            };
            if let Some(pattern) = found {
                best = Some((pattern, at + 1));
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::Automaton;

    #[test]
    fn the_longest_match_of_the_first_pattern_is_found() {
        let patterns: [&[u8]; 5] = [
            br"(?<h>2[0-4]|[01]?[0-9]):(?<i>[0-5][0-9])",
            br"(?i:mon|monday)",
            br"[0-9]{2,4}",
            br"a(?:[ \t]|\z)",
            br"[A-Za-z]+\.?",
        ];
        let mut automaton = Automaton::new(patterns.into_iter());
        for (text, found) in [
            ("9:30 x", Some((0, 4))),
            ("24:59", Some((0, 5))),
            ("25:59", Some((2, 2))),
            ("MonDay", Some((1, 6))),
            ("mond", Some((4, 4))),
            ("mon.", Some((4, 4))),
            ("12345", Some((2, 4))),
            ("1", None),
            ("a", Some((3, 1))),
            ("a b", Some((3, 2))),
            ("ab", Some((4, 2))),
            ("", None),
            (" ", None),
        ] {
            assert_eq!(automaton.longest(text.as_bytes()), found, "{text}");
        }
    }
}
