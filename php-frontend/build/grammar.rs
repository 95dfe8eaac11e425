//! Reads the grammar file.

use std::collections::HashMap;

use crate::tokens::TokenKind;

/// How an operator's conflict with itself is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Associativity {
    Left,
    Right,
    Never,
    /// Only a level; there can be no conflict at the same level.
    None,
}

/// A level and its associativity.
pub type Precedence = (u32, Associativity);

/// A symbol by its number: terminals first, `0` being the end of the file, then rules.
pub type Symbol = usize;

/// One alternative of a rule.
#[derive(Debug)]
pub struct Production {
    pub left: Symbol,
    pub right: Vec<Symbol>,
    pub precedence: Option<Precedence>,
}

/// The whole grammar. Production 0 is `$accept: start end-of-file`.
#[derive(Debug)]
pub struct Grammar {
    /// The token kind of each terminal, in message order.
    pub terminals: Vec<TokenKind>,
    pub names: Vec<String>,
    pub productions: Vec<Production>,
    /// The level of each terminal that has one.
    pub precedence: Vec<Option<Precedence>>,
}

impl Grammar {
    pub fn is_terminal(&self, symbol: Symbol) -> bool {
        symbol < self.terminals.len()
    }
}

/// Reads the text form; the error says what is wrong.
pub fn parse(text: &str) -> Result<Grammar, String> {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .collect();
    let (directives, rules): (Vec<&str>, Vec<&str>) =
        lines.into_iter().partition(|line| line.starts_with('%'));
    let mut terminals = vec![TokenKind::EndOfFile];
    let mut levels: HashMap<String, Precedence> = HashMap::new();
    let mut level = 0;
    let held_back: Vec<String> = directives
        .iter()
        .filter_map(|line| line.strip_prefix("%last"))
        .flat_map(|words| words.split_whitespace().map(str::to_owned))
        .collect();
    for line in directives {
        let mut words = line.split_whitespace();
        let directive = words.next().unwrap_or_default();
        let associativity = match directive {
            "%left" => Some(Associativity::Left),
            "%right" => Some(Associativity::Right),
            "%never" => Some(Associativity::Never),
            "%none" => Some(Associativity::None),
            "%tokens" | "%last" => None,
            _ => return Err(format!("unknown directive {directive}")),
        };
        level += u32::from(associativity.is_some());
        for word in join_quoted(words) {
            if let Some(associativity) = associativity {
                levels.insert(word.clone(), (level, associativity));
            }
            if let Some(kind) = token(&word)?
                && (directive == "%last" || !held_back.contains(&word))
            {
                intern(&mut terminals, kind);
            }
        }
    }
    let words = join_quoted(rules.iter().flat_map(|line| line.split_whitespace()));
    for word in &words {
        if let Some(kind) = token(word)? {
            intern(&mut terminals, kind);
        }
    }
    let mut names: Vec<String> = terminals
        .iter()
        .map(|kind| kind.text().to_owned())
        .collect();
    names.push("$accept".to_owned());
    for word in &words {
        if let Some(name) = word.strip_suffix(':') {
            names.push(name.to_owned());
        }
    }
    let first_rule = terminals.len();
    let rule_numbers: HashMap<&str, Symbol> = names
        .iter()
        .enumerate()
        .skip(first_rule)
        .map(|(at, name)| (name.as_str(), at))
        .collect();
    let symbol = |word: &str| -> Result<Symbol, String> {
        if let Some(kind) = token(word)? {
            return terminals
                .iter()
                .position(|&terminal| terminal == kind)
                .ok_or_else(|| format!("lost token {word}"));
        }
        rule_numbers
            .get(word)
            .copied()
            .ok_or_else(|| format!("unknown rule {word}"))
    };
    let precedence: Vec<Option<Precedence>> = terminals
        .iter()
        .map(|&kind| {
            levels
                .iter()
                .find(|(word, _)| matches!(token(word), Ok(Some(other)) if other == kind))
                .map(|(_, &precedence)| precedence)
        })
        .collect();
    let mut productions = vec![Production {
        left: first_rule,
        right: vec![symbol("start")?, 0],
        precedence: None,
    }];
    let mut left = None;
    let mut right: Option<Vec<Symbol>> = None;
    let mut explicit = None;
    let mut at = 0;
    while at <= words.len() {
        let word = words.get(at).map(String::as_str);
        let ends = word.is_none_or(|word| word == "|" || is_rule_start(word));
        if ends && let (Some(left), Some(right)) = (left, right.take()) {
            let last = right.iter().rev().find(|&&symbol| symbol < first_rule);
            let own = last.and_then(|&symbol| precedence[symbol]);
            productions.push(Production {
                left,
                right,
                precedence: explicit.take().or(own),
            });
        }
        match word {
            None => break,
            Some("|") => right = Some(Vec::new()),
            Some("=") => {
                at += 1;
                let name = words.get(at).ok_or("nothing after =")?;
                explicit = Some(*levels.get(name).ok_or(format!("no level for {name}"))?);
            }
            Some("-") => {}
            Some(word) if is_rule_start(word) => {
                left = Some(symbol(word.trim_end_matches(':'))?);
                right = Some(Vec::new());
            }
            Some(word) => {
                let number = symbol(word)?;
                right
                    .as_mut()
                    .ok_or_else(|| format!("{word} outside of a rule"))?
                    .push(number);
            }
        }
        at += 1;
    }
    Ok(Grammar {
        terminals,
        names,
        productions,
        precedence,
    })
}

fn is_rule_start(word: &str) -> bool {
    word.ends_with(':') && !word.starts_with('\'')
}

fn intern(terminals: &mut Vec<TokenKind>, kind: TokenKind) {
    if !terminals.contains(&kind) {
        terminals.push(kind);
    }
}

/// Puts quoted words with a space in them together again.
fn join_quoted<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for word in words {
        match joined.last_mut() {
            Some(last) if last.starts_with('\'') && (last.len() < 2 || !last.ends_with('\'')) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => joined.push(word.to_owned()),
        }
    }
    joined
}

/// The token a word names; `None` for rules and punctuation of the file.
fn token(word: &str) -> Result<Option<TokenKind>, String> {
    let find = |test: &dyn Fn(TokenKind) -> bool| {
        TokenKind::ALL
            .iter()
            .copied()
            .find(|&kind| test(kind))
            .map(Some)
            .ok_or_else(|| format!("unknown token {word}"))
    };
    if let Some(text) = word.strip_prefix('\'') {
        let text = text.trim_end_matches('\'').replace("\\\\", "\\");
        return find(&|kind| kind.is_quoted() && kind.text() == text);
    }
    if word.starts_with(|first: char| first.is_ascii_uppercase()) {
        return find(&|kind| format!("{kind:?}") == word);
    }
    Ok(None)
}
