//! Reading rules.

use std::collections::HashMap;

use vm_runtime::limits;

use super::{Piece, Rule, RuleSet, Rules, Share, Target, exponent_of, usual_of};
use crate::intl::number::format::Format;
use crate::intl::number::pattern::Settings;
use crate::intl::number::symbols::DECIMAL;

/// The set that says how lenient reading is, which is no set of rules.
const LENIENT: &str = "%%lenient-parse:";

/// What places for parts of a number begin with.
const OPENINGS: &[&str] = &[
    "<<", "<%", "<#", "<0", ">>", ">%", ">#", ">0", "=%", "=#", "=0",
];

/// What a rule is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Numbers(i64),
    /// The numbers behind those of the rule in front.
    Next,
    Negative,
    Improper,
    Proper,
    Any,
    Infinity,
    NotANumber,
}

/// The part of the description that names no lenience.
fn without_lenience(description: &str) -> String {
    let found = description
        .match_indices(LENIENT)
        .map(|(at, _)| at)
        .find(|&at| at == 0 || description[..at].trim_end().ends_with(';'));
    let Some(start) = found else {
        return description.to_owned();
    };
    let rest = &description[start..];
    let end = next_set(rest).unwrap_or(rest.len());
    description[..start].to_owned() + &rest[end..]
}

/// Where the next set begins in a text.
fn next_set(text: &str) -> Option<usize> {
    let is_start = |at: &usize| text[at + 1..].trim_start().starts_with('%');
    let at = text.match_indices(';').map(|(at, _)| at).find(is_start)?;
    Some(text.len() - text[at + 1..].trim_start().len())
}

/// The sets of a description: names and rules. Rules without a name are a set of their own.
fn sets_of(description: &str) -> Option<Vec<(String, &str)>> {
    let mut sets = Vec::new();
    let mut rest = description.trim_start();
    while !rest.is_empty() {
        let end = next_set(rest).unwrap_or(rest.len());
        let (set, after) = rest.split_at(end);
        rest = after;
        sets.push(match set.starts_with('%') {
            true => {
                let (name, rules) = set.split_once(':')?;
                let name = name.strip_suffix("@noparse").unwrap_or(name);
                (name.to_owned(), rules)
            }
            false => ("%default".to_owned(), set),
        });
    }
    (!sets.is_empty()).then_some(sets)
}

pub(super) fn read(description: &str, locale: &str, usual: &Format) -> Option<Rules> {
    let plain = without_lenience(description);
    let texts = sets_of(&plain)?;
    let names: Vec<&str> = texts.iter().map(|(name, _)| name.as_str()).collect();
    // Of sets with the same name the first one is meant.
    let numbers = names.iter().enumerate().rev();
    let mut reader = Reader {
        usual_set: usual_of(names.iter().copied()),
        fractions: vec![false; names.len()],
        numbers: numbers.map(|(number, &name)| (name, number)).collect(),
        names,
        usual,
        patterns: Vec::new(),
        pattern_texts: Vec::new(),
        known_patterns: HashMap::new(),
    };
    // Which sets are for fractions is said by rules of other sets.
    for (own, (_, text)) in texts.iter().enumerate() {
        reader.set(own, text)?;
    }
    reader.patterns.clear();
    reader.pattern_texts.clear();
    reader.known_patterns.clear();
    let mut sets = Vec::new();
    for (own, (_, text)) in texts.iter().enumerate() {
        sets.push(reader.set(own, text)?);
    }
    Some(Rules {
        sets,
        chosen: 0,
        patterns: reader.patterns,
        pattern_texts: reader.pattern_texts,
        usual: usual.clone(),
        locale: locale.to_owned(),
    })
}

struct Reader<'r> {
    names: Vec<&'r str>,
    /// The number of a set by its name.
    numbers: HashMap<&'r str, usize>,
    usual_set: usize,
    /// Which sets are for fractions.
    fractions: Vec<bool>,
    usual: &'r Format,
    patterns: Vec<Format>,
    pattern_texts: Vec<String>,
    /// The number of a pattern by its text.
    known_patterns: HashMap<String, usize>,
}

/// Divides what a descriptor says: what the rule is for, its radix, and how much less its exponent is.
fn descriptor(text: &str) -> Option<(For, i64, u32, char)> {
    let text = text.trim();
    let characters: Vec<char> = text.chars().collect();
    let kind = match characters.as_slice() {
        ['-', 'x'] => For::Negative,
        ['I', 'n', 'f'] => For::Infinity,
        ['N', 'a', 'N'] => For::NotANumber,
        ['x', _, 'x'] => For::Improper,
        ['0', _, 'x'] => For::Proper,
        ['x', _, '0'] => For::Any,
        [first, ..] if first.is_ascii_digit() => {
            let plain = text.trim_end_matches('>');
            let less = (text.len() - plain.len()) as u32;
            let (base, radix) = plain.split_once('/').unwrap_or((plain, "10"));
            let number = |text: &str| {
                let digits: String = text
                    .chars()
                    .filter(|character| {
                        !matches!(character, ',' | '.') && !character.is_whitespace()
                    })
                    .collect();
                digits.parse::<i64>().ok()
            };
            return Some((For::Numbers(number(base)?), number(radix)?, less, '.'));
        }
        _ => return None,
    };
    Some((kind, 10, 0, characters.get(1).copied().unwrap_or('.')))
}

impl Reader<'_> {
    fn set(&mut self, own: usize, text: &str) -> Option<RuleSet> {
        let mut set = RuleSet {
            name: self.names[own].to_owned(),
            is_fraction: self.fractions[own],
            ..RuleSet::default()
        };
        let mut next_base = 0;
        for rule in text.split(';') {
            limits::poll();
            let rule = rule.trim_start();
            if !rule.is_empty() {
                self.rule(own, rule, &mut set, &mut next_base)?;
            }
        }
        Some(set)
    }

    /// Reads a rule, which may stand for two: one for numbers that its divisor goes into, without what stands in
    /// brackets, and one for the others.
    fn rule(
        &mut self,
        own: usize,
        rule: &str,
        set: &mut RuleSet,
        next_base: &mut i64,
    ) -> Option<()> {
        let described = rule
            .split_once(':')
            .and_then(|(head, text)| Some((descriptor(head)?, text.trim_start())));
        let ((kind, radix, less, point), text) =
            described.unwrap_or(((For::Next, 10, 0, '.'), rule));
        let text = text.strip_prefix('\'').unwrap_or(text);
        let base = match kind {
            For::Numbers(base) if base < *next_base && !set.is_fraction => return None,
            For::Numbers(base) => base,
            For::Next => *next_base,
            _ => 0,
        };
        let is_numeric = matches!(kind, For::Numbers(_) | For::Next);
        let exponent = exponent_of(base, radix).saturating_sub(less);
        let predecessor = set.rules.len().checked_sub(1);
        let mut read = |text: &str, kind: For| {
            let pieces = self.pieces(own, text, kind, set.is_fraction, predecessor)?;
            Some(Rule {
                base,
                radix,
                exponent,
                pieces,
            })
        };
        let brackets = text.find('[').zip(text.find(']'));
        let brackets = brackets.filter(|(open, close)| {
            open < close
                && !matches!(
                    kind,
                    For::Proper | For::Negative | For::Infinity | For::NotANumber
                )
        });
        let Some((open, close)) = brackets else {
            let rule = read(text, kind)?;
            self.keep(set, rule, kind, point);
            *next_base = next_after(is_numeric, base, set, *next_base);
            return Some(());
        };
        let (inside, instead) = text[open + 1..close]
            .split_once('|')
            .unwrap_or((&text[open + 1..close], ""));
        let (front, behind) = (&text[..open], &text[close + 1..]);
        let is_divided = is_numeric
            && base > 0
            && radix
                .checked_pow(exponent)
                .is_some_and(|divisor| divisor != 0 && base % divisor == 0);
        let mut kept_base = base;
        if is_divided || matches!(kind, For::Improper | For::Any) {
            let short_kind = if kind == For::Improper {
                For::Proper
            } else {
                kind
            };
            let short = read(&format!("{front}{instead}{behind}"), short_kind)?;
            self.keep(set, short, short_kind, point);
            if is_numeric && !set.is_fraction {
                kept_base += 1;
            }
        }
        let long_kind = if kind == For::Any {
            For::Improper
        } else {
            kind
        };
        let mut read_long = || {
            let pieces = self.pieces(
                own,
                &format!("{front}{inside}{behind}"),
                long_kind,
                set.is_fraction,
                predecessor,
            )?;
            Some(Rule {
                base: kept_base,
                radix,
                exponent,
                pieces,
            })
        };
        let long = read_long()?;
        self.keep(set, long, long_kind, point);
        *next_base = next_after(is_numeric, kept_base, set, *next_base);
        Some(())
    }

    fn keep(&self, set: &mut RuleSet, rule: Rule, kind: For, point: char) {
        let place = match kind {
            For::Numbers(_) | For::Next => return set.rules.push(rule),
            For::Negative => &mut set.negative,
            For::Improper => &mut set.improper,
            For::Proper => &mut set.proper,
            For::Any => &mut set.any,
            For::Infinity => &mut set.infinite,
            For::NotANumber => &mut set.not_a_number,
        };
        // Of rules for several decimal points that of the locale counts.
        if place.is_none() || self.usual.symbols[DECIMAL].starts_with(point) {
            *place = Some(rule);
        }
    }

    /// The pieces of what a rule says, at most two of which are parts of the number.
    fn pieces(
        &mut self,
        own: usize,
        text: &str,
        kind: For,
        is_fraction: bool,
        predecessor: Option<usize>,
    ) -> Option<Vec<Piece>> {
        let mut pieces = Vec::new();
        let mut rest = text;
        for _ in 0..2 {
            let Some((start, end)) = place_in(rest) else {
                break;
            };
            add_text(&rest[..start], &mut pieces)?;
            let place = &rest[start..end];
            pieces.push(self.part(own, place, kind, is_fraction, predecessor)?);
            rest = &rest[end..];
        }
        add_text(rest, &mut pieces)?;
        Some(pieces)
    }

    fn part(
        &mut self,
        own: usize,
        place: &str,
        kind: For,
        is_fraction: bool,
        predecessor: Option<usize>,
    ) -> Option<Piece> {
        let opening = place.chars().next()?;
        let zeros = opening == '<' && place.len() > 2 && place.ends_with("<<");
        let inside = place[1..].strip_suffix(opening)?;
        let inside = if zeros {
            inside.strip_suffix('<')?
        } else {
            inside
        };
        let has_point = matches!(kind, For::Improper | For::Proper | For::Any);
        let is_numerator = opening == '<' && !has_point && is_fraction;
        let target = match inside.chars().next() {
            None if is_numerator => Target::Set(self.usual_set),
            None | Some('>') => Target::Set(own),
            Some('%') => Target::Set(*self.numbers.get(inside)?),
            Some('#' | '0') => Target::Pattern(self.pattern(inside)?),
            Some(_) => return None,
        };
        let share = match opening {
            '=' => Share::Same,
            '<' if kind == For::Negative => return None,
            '<' if has_point => Share::Whole,
            '<' if is_fraction => Share::Numerator { zeros },
            '<' => Share::Quotient,
            _ if kind == For::Negative => Share::Absolute,
            _ if has_point => match target {
                Target::Set(set) if set == own => Share::Digits {
                    spaced: inside != ">",
                },
                Target::Set(set) => {
                    self.fractions[set] = true;
                    Share::Fraction
                }
                Target::Pattern(_) => Share::Fraction,
            },
            _ if is_fraction => return None,
            _ if inside == ">" => Share::Remainder(predecessor),
            _ => Share::Remainder(None),
        };
        Some(Piece::Part(share, target))
    }

    /// The number of a pattern.
    fn pattern(&mut self, text: &str) -> Option<usize> {
        if let Some(&known) = self.known_patterns.get(text) {
            return Some(known);
        }
        let mut format = self.usual.clone();
        format.settings = Settings::of(text).ok()?;
        self.patterns.push(format);
        self.pattern_texts.push(text.to_owned());
        let number = self.patterns.len() - 1;
        self.known_patterns.insert(text.to_owned(), number);
        Some(number)
    }
}

/// The base of a rule that names none, behind one that was read.
fn next_after(is_numeric: bool, base: i64, set: &RuleSet, before: i64) -> i64 {
    match (is_numeric, set.is_fraction) {
        (true, false) => base.saturating_add(1),
        (true, true) => base,
        (false, _) => before,
    }
}

/// Where a part of the number stands in a text.
fn place_in(text: &str) -> Option<(usize, usize)> {
    let start = OPENINGS
        .iter()
        .filter_map(|opening| text.find(opening))
        .min()?;
    let rest = &text[start..];
    if rest.starts_with(">>>") {
        return Some((start, start + 3));
    }
    let opening = rest.chars().next()?;
    let mut end = 1 + rest[1..].find(opening)? + 1;
    if opening == '<' && rest[end..].starts_with(opening) {
        end += 1;
    }
    Some((start, start + end))
}

/// Adds text, in which there may be forms for numbers: `$(cardinal,one{...}other{...})$`.
fn add_text(text: &str, pieces: &mut Vec<Piece>) -> Option<()> {
    let mut push = |text: &str| {
        if !text.is_empty() {
            pieces.push(Piece::Text(text.to_owned()));
        }
    };
    let Some((front, rest)) = text.split_once("$(") else {
        push(text);
        return Some(());
    };
    let (forms, behind) = rest.split_once(")$")?;
    push(front);
    let (kind, mut forms) = forms.split_once(',')?;
    let mut cases = Vec::new();
    while let Some((name, after)) = forms.split_once('{') {
        let (own, after) = after.split_once('}')?;
        cases.push((name.trim().to_owned(), own.to_owned()));
        forms = after;
    }
    pieces.push(Piece::Plural {
        ordinal: kind.trim() == "ordinal",
        cases,
    });
    if !behind.is_empty() {
        pieces.push(Piece::Text(behind.to_owned()));
    }
    Some(())
}
