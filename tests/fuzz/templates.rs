//! Programs from templates in which `§` and a letter stand for a part that is chosen at random: a kind of random
//! program says what the letters stand for and what it is made of. `§#` is a number of the template's own, `§n` a small one.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

use super::random::Random;

/// What a letter stands for.
#[derive(Debug)]
pub struct Part {
    letter: char,
    from: Vec<String>,
    form: Form,
    /// No part of it can lead to itself: so it is chosen where a program has to come to an end.
    is_flat: bool,
}

/// How a chosen template is written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Plain,
    Parenthesised,
    /// One or two, with a space behind each.
    Several,
}

/// A letter for one of the templates of some lists.
pub fn part(letter: char, from: &[&[&str]]) -> Part {
    Part {
        letter,
        from: from.concat().into_iter().map(str::to_owned).collect(),
        form: Form::Plain,
        is_flat: false,
    }
}

impl Part {
    /// The same in parentheses.
    pub fn parenthesised(self) -> Part {
        Part {
            form: Form::Parenthesised,
            ..self
        }
    }

    /// One or two of them: statements.
    pub fn several(self) -> Part {
        Part {
            form: Form::Several,
            ..self
        }
    }
}

/// Writes the text of a program.
#[derive(Debug)]
pub struct Templates {
    pub random: Random,
    pub text: String,
    parts: HashMap<char, Part>,
    small: Range<usize>,
    /// Templates that may still be filled in.
    budget: i32,
    /// Numbers that were given to what needs a name of its own.
    numbers: u32,
}

impl Templates {
    /// For the program of a number, and what its letters stand for; `§n` is in the range.
    pub fn new(number: u64, small: Range<usize>, parts: Vec<Part>) -> Templates {
        let mut parts: HashMap<char, Part> =
            parts.into_iter().map(|part| (part.letter, part)).collect();
        loop {
            let is_flat = |part: &&Part| part.from.iter().all(|text| is_flat(&parts, text));
            let more = parts.values().filter(|part| !part.is_flat).find(is_flat);
            let Some(letter) = more.map(|part| part.letter) else {
                break;
            };
            parts.entry(letter).and_modify(|part| part.is_flat = true);
        }
        Templates {
            random: Random::of_case(number),
            text: String::from("<?php"),
            parts,
            small,
            budget: 0,
            numbers: 0,
        }
    }

    /// Writes text as it is.
    pub fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// One of some texts.
    pub fn one_of(&mut self, from: &[&'static str]) -> &'static str {
        let &chosen = self.random.choose(from);
        chosen
    }

    /// One more thing that a letter stands for.
    pub fn add(&mut self, letter: char, text: String) {
        self.parts
            .entry(letter)
            .and_modify(|part| part.from.push(text));
    }

    /// Writes a template with up to about `budget` others in it, `depth` deep.
    pub fn write(&mut self, template: &str, budget: i32, depth: u32) {
        self.budget = budget;
        self.fill(template, depth);
    }

    /// Writes a template with its parts filled in.
    fn fill(&mut self, template: &str, depth: u32) {
        let mut parts = template.split('§');
        self.text.push_str(parts.next().unwrap_or_default());
        let own = self.numbers;
        if template.contains("§#") {
            self.numbers += 1;
        }
        for part in parts {
            let letter = part.chars().next().unwrap_or_default();
            // Writing to a string does not fail.
            match letter {
                '#' => _ = write!(self.text, "{own}"),
                'n' => {
                    let number = self.small.start + self.random.below(self.small.len());
                    _ = write!(self.text, "{number}");
                }
                _ => self.choose(letter, depth),
            }
            self.text.push_str(&part[letter.len_utf8()..]);
        }
    }

    /// What a letter stands for; near the end something that has an end itself.
    fn choose(&mut self, letter: char, depth: u32) {
        let form = self.parts[&letter].form;
        let times = match form {
            Form::Several => 1 + self.random.below(2),
            _ => 1,
        };
        for _ in 0..times {
            self.budget -= 1;
            let from = &self.parts[&letter].from;
            let mut chosen = self.random.choose(from).clone();
            if depth == 0 || self.budget < 0 {
                let flat = from.iter().filter(|text| is_flat(&self.parts, text));
                let flat: Vec<&String> = flat.collect();
                assert!(!flat.is_empty(), "§{letter} has no end");
                chosen = (*self.random.choose(&flat)).clone();
            }
            let (before, behind) = match form {
                Form::Plain => ("", ""),
                Form::Parenthesised => ("(", ")"),
                Form::Several => ("", " "),
            };
            self.put(before);
            self.fill(&chosen, depth.saturating_sub(1));
            self.put(behind);
        }
    }
}

/// Whether a template has no part that can lead to itself.
fn is_flat(parts: &HashMap<char, Part>, template: &str) -> bool {
    let mut letters = template
        .split('§')
        .skip(1)
        .filter_map(|part| part.chars().next());
    letters.all(|letter| match letter {
        '#' | 'n' => true,
        _ => {
            parts
                .get(&letter)
                .unwrap_or_else(|| panic!("§{letter} in {template}"))
                .is_flat
        }
    })
}
