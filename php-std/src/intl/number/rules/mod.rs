//! Formatters by rules: numbers in words, as ranks and as spans of time, and whatever rules of one's own say.
//!
//! Rules stand in sets; each is for the numbers from its base on, as far as the base of the next one. What a rule says is
//! text with places where parts of the number are written, by another set, by the same one or by a pattern.

mod describe;
mod read;
mod write;

use super::format::{Format, Number};
use crate::intl::ident::resource;
use crate::intl::pack::Node;

/// What a part of a number is written by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    /// A set of rules.
    Set(usize),
    /// A pattern.
    Pattern(usize),
}

/// Which part of a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Share {
    /// All of it.
    Same,
    /// How often the divisor of the rule goes into it.
    Quotient,
    /// What is left over then; by a certain rule of the set if there is one.
    Remainder(Option<usize>),
    /// What stands in front of the point.
    Whole,
    /// What stands behind the point, as a number.
    Fraction,
    /// The same digit by digit, with spaces between them or without.
    Digits { spaced: bool },
    /// The number without its sign.
    Absolute,
    /// How many parts of the size that the base of the rule says, with noughts in front or without.
    Numerator { zeros: bool },
}

/// A piece of what a rule says.
#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    /// Texts by the forms that languages have for numbers.
    Plural {
        ordinal: bool,
        cases: Vec<(String, String)>,
    },
    Part(Share, Target),
}

/// A rule.
#[derive(Debug, Clone)]
struct Rule {
    base: i64,
    radix: i64,
    exponent: u32,
    pieces: Vec<Piece>,
}

/// Rules that belong together.
#[derive(Debug, Clone, Default)]
struct RuleSet {
    /// With the signs of percent in front.
    name: String,
    /// In the order of their bases.
    rules: Vec<Rule>,
    negative: Option<Rule>,
    /// For numbers with fractions: from one on, below one, and all.
    improper: Option<Rule>,
    proper: Option<Rule>,
    any: Option<Rule>,
    infinite: Option<Rule>,
    not_a_number: Option<Rule>,
    /// The rules are for fractions, and their bases are denominators.
    is_fraction: bool,
}

impl RuleSet {
    /// Whether scripts may ask for it.
    fn is_public(&self) -> bool {
        !self.name.starts_with("%%")
    }
}

/// A formatter by rules.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    sets: Vec<RuleSet>,
    /// The set that numbers are written by.
    chosen: usize,
    patterns: Vec<Format>,
    pattern_texts: Vec<String>,
    /// How numbers are written that no rule is for.
    usual: Format,
    /// The locale whose forms numbers have.
    locale: String,
}

/// The sets that are taken if there are sets of these names.
const USUAL: &[&str] = &["%spellout-numbering", "%digits-ordinal", "%duration"];

impl Rules {
    /// The rules of a locale by the name that its resources have for them.
    pub(super) fn of_locale(kind: &str, locale: &str, usual: &Format) -> Option<Rules> {
        let lines = resource("rbnf", locale, &["RBNFRules", kind])?;
        let description: String = lines.items().filter_map(Node::text).collect();
        Rules::of(&description, locale, usual)
    }

    /// Rules by their description; nothing if that is no good. Patterns in it are written with the symbols of a format.
    pub(super) fn of(description: &str, locale: &str, usual: &Format) -> Option<Rules> {
        let mut rules = read::read(description, locale, usual)?;
        rules.choose_usual();
        Some(rules)
    }

    /// Goes back to the set that is taken if nobody asks for another one.
    fn choose_usual(&mut self) {
        self.chosen = usual_of(self.sets.iter().map(|set| set.name.as_str()));
    }

    /// The name of the set that numbers are written by.
    pub(super) fn chosen(&self) -> &str {
        &self.sets[self.chosen].name
    }

    /// Takes another set; false if there is none of that name.
    pub(super) fn choose(&mut self, name: &str) -> bool {
        if name.is_empty() {
            self.choose_usual();
            return true;
        }
        let found = self
            .sets
            .iter()
            .position(|set| set.name == name && set.is_public());
        self.chosen = found.unwrap_or(self.chosen);
        found.is_some()
    }

    /// The names of all sets that scripts may ask for.
    pub(super) fn names(&self) -> String {
        let public = self.sets.iter().filter(|set| set.is_public());
        public.map(|set| format!("{};", set.name)).collect()
    }

    /// A description that they could have been made of.
    pub(super) fn description(&self) -> String {
        describe::described(self)
    }

    /// A number by the rules.
    pub(super) fn write(&self, number: &Number) -> String {
        write::written(self, number)
    }
}

/// The highest power of a radix that is not above a base.
fn exponent_of(base: i64, radix: i64) -> u32 {
    match base >= 1 && radix >= 2 {
        true => base.ilog(radix),
        false => 0,
    }
}

/// Which of some sets is taken if nobody asks for one.
fn usual_of<'n>(
    names: impl DoubleEndedIterator<Item = &'n str> + ExactSizeIterator + Clone,
) -> usize {
    let of_name = |wanted: &&str| names.clone().position(|name| name == *wanted);
    let public = || names.clone().rposition(|name| !name.starts_with("%%"));
    USUAL
        .iter()
        .find_map(of_name)
        .or_else(public)
        .unwrap_or(names.len() - 1)
}
