//! Patterns of messages: texts with arguments in braces.

use crate::intl::number;
use crate::intl::pack::{Node, root};

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Text(String),
    /// The number that a plural is chosen by.
    Number,
    Argument(String, Kind),
}

/// Messages by what they are for.
pub(super) type Cases = Vec<(String, Vec<Part>)>;

/// What is done with an argument.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// It is shown as what it is.
    Plain,
    /// A simple type and its style.
    Simple(Simple, String),
    /// By how many: what is taken away first, and messages by what they are for.
    Plural {
        ordinal: bool,
        offset: f64,
        cases: Cases,
    },
    Select(Cases),
    /// By ranges of numbers: where each begins, whether it includes that, and its message.
    Choice(Vec<(f64, bool, Vec<Part>)>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Simple {
    Number,
    Date,
    Time,
    /// Numbers by rules: in words, as ranks or as spans of time.
    ByRules(i64),
}

/// A pattern that cannot be understood.
#[derive(Debug)]
pub(super) enum Malformed {
    /// Somewhere, in UTF-16 and bytes.
    Syntax(usize),
    Unmatched,
    /// What only says that it was no good.
    Other,
}

struct Reader<'p> {
    text: &'p str,
    at: usize,
}

/// The parts of a pattern.
pub(super) fn parts(pattern: &str) -> Result<Vec<Part>, Malformed> {
    let mut reader = Reader {
        text: pattern,
        at: 0,
    };
    let parts = reader.message(0, false)?;
    match reader.at == pattern.len() {
        true => Ok(parts),
        false => Err(Malformed::Unmatched),
    }
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next();
        }
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.next();
        }
        found
    }

    /// A text up to a character that is not part of it.
    fn word(&mut self) -> String {
        self.skip_space();
        let start = self.at;
        while self
            .peek()
            .is_some_and(|next| !next.is_whitespace() && !",{}#|<≤=".contains(next))
        {
            self.next();
        }
        self.text[start..self.at].to_owned()
    }

    /// A message up to its end, or to a closing brace if it is inside of another one.
    fn message(&mut self, depth: usize, in_plural: bool) -> Result<Vec<Part>, Malformed> {
        if depth > 64 {
            return Err(Malformed::Other);
        }
        let mut parts: Vec<Part> = Vec::new();
        let push = |parts: &mut Vec<Part>, next: char| match parts.last_mut() {
            Some(Part::Text(text)) => text.push(next),
            _ => parts.push(Part::Text(next.to_string())),
        };
        while let Some(next) = self.peek() {
            match next {
                '\'' => {
                    self.next();
                    match self.peek() {
                        Some('\'') => {
                            self.next();
                            push(&mut parts, '\'');
                        }
                        Some(quoted) if "{}".contains(quoted) || in_plural && quoted == '#' => {
                            self.quoted(&mut |next| push(&mut parts, next));
                        }
                        _ => push(&mut parts, '\''),
                    }
                }
                '{' => {
                    self.next();
                    parts.push(self.argument(depth)?);
                }
                '}' if depth > 0 => return Ok(parts),
                '#' if in_plural => {
                    self.next();
                    parts.push(Part::Number);
                }
                '|' if depth > 0 && in_plural => return Ok(parts),
                next => {
                    self.next();
                    push(&mut parts, next);
                }
            }
        }
        match depth {
            0 => Ok(parts),
            _ => Err(Malformed::Unmatched),
        }
    }

    /// What stands between quotes.
    fn quoted(&mut self, push: &mut dyn FnMut(char)) {
        while let Some(next) = self.next() {
            if next != '\'' {
                push(next);
            } else if self.take('\'') {
                push('\'');
            } else {
                return;
            }
        }
    }

    fn argument(&mut self, depth: usize) -> Result<Part, Malformed> {
        let start = self.at;
        let name = self.word();
        self.skip_space();
        let is_part = |next: char| next.is_alphanumeric() || next == '_' || !next.is_ascii();
        if name.is_empty() || !name.chars().all(is_part) {
            return match self.peek() {
                None if name.is_empty() => Err(Malformed::Unmatched),
                _ => Err(Malformed::Syntax(start)),
            };
        }
        // A number has no noughts in front.
        if name.bytes().all(|byte| byte.is_ascii_digit()) && name.len() > 1 && name.starts_with('0')
        {
            return Err(Malformed::Syntax(start));
        }
        if self.take('}') {
            return Ok(Part::Argument(name, Kind::Plain));
        }
        if !self.take(',') {
            return match self.peek() {
                None => Err(Malformed::Unmatched),
                Some(_) => Err(Malformed::Syntax(start)),
            };
        }
        let kind = self.word();
        self.skip_space();
        let is_complex = matches!(
            kind.as_str(),
            "plural" | "selectordinal" | "select" | "choice"
        );
        if is_complex {
            if !self.take(',') {
                return match self.peek() {
                    None => Err(Malformed::Unmatched),
                    Some(_) => Err(Malformed::Syntax(start)),
                };
            }
            let kind = match kind.as_str() {
                "select" => Kind::Select(self.cases(depth, false)?.1),
                "choice" => Kind::Choice(self.choices(depth)?),
                kind => {
                    let (offset, cases) = self.cases(depth, true)?;
                    Kind::Plural {
                        ordinal: kind == "selectordinal",
                        offset,
                        cases,
                    }
                }
            };
            return match self.take('}') {
                true => Ok(Part::Argument(name, kind)),
                false => Err(Malformed::Unmatched),
            };
        }
        let simple = match kind.as_str() {
            "number" => Simple::Number,
            "date" => Simple::Date,
            "time" => Simple::Time,
            "spellout" => Simple::ByRules(number::SPELLOUT),
            "ordinal" => Simple::ByRules(number::ORDINAL),
            "duration" => Simple::ByRules(number::DURATION),
            _ => return Err(Malformed::Other),
        };
        let style = match self.take(',') {
            true => self.style()?,
            false => String::new(),
        };
        match self.take('}') {
            true => Ok(Part::Argument(name, Kind::Simple(simple, style))),
            false => Err(Malformed::Unmatched),
        }
    }

    /// The style of a simple type, as it stands: braces in it belong together, and quotes stay.
    fn style(&mut self) -> Result<String, Malformed> {
        let start = self.at;
        let mut depth = 0;
        while let Some(next) = self.peek() {
            match next {
                '\'' => {
                    self.next();
                    while self.peek().is_some_and(|next| next != '\'') {
                        self.next();
                    }
                }
                '{' => depth += 1,
                '}' if depth == 0 => return Ok(self.text[start..self.at].trim().to_owned()),
                '}' => depth -= 1,
                _ => {}
            }
            self.next();
        }
        Err(Malformed::Unmatched)
    }

    fn cases(&mut self, depth: usize, is_plural: bool) -> Result<(f64, Cases), Malformed> {
        let mut offset = 0.0;
        let mut cases = Vec::new();
        loop {
            self.skip_space();
            if matches!(self.peek(), None | Some('}')) {
                break;
            }
            let start = self.at;
            let mut name = match is_plural && self.take('=') {
                true => format!("={}", self.word()),
                false => self.word(),
            };
            if is_plural && let Some(number) = name.strip_prefix("offset:") {
                let number = if number.is_empty() {
                    self.word()
                } else {
                    number.to_owned()
                };
                offset = number.parse().map_err(|_| Malformed::Syntax(start))?;
                continue;
            }
            name = name.trim().to_owned();
            self.skip_space();
            if name.is_empty() || !self.take('{') {
                return Err(Malformed::Syntax(start));
            }
            let message = self.message(depth + 1, is_plural)?;
            if !self.take('}') {
                return Err(Malformed::Unmatched);
            }
            cases.push((name, message));
        }
        match cases.iter().any(|(name, _)| name == "other") {
            true => Ok((offset, cases)),
            false => Err(Malformed::Other),
        }
    }

    fn choices(&mut self, depth: usize) -> Result<Vec<(f64, bool, Vec<Part>)>, Malformed> {
        let mut choices = Vec::new();
        loop {
            let start = self.at;
            let number = self.word();
            let number = match number.as_str() {
                "∞" => f64::INFINITY,
                "-∞" => f64::NEG_INFINITY,
                number => number.parse().map_err(|_| Malformed::Syntax(start))?,
            };
            self.skip_space();
            let includes = match self.next() {
                Some('#' | '≤') => true,
                Some('<') => false,
                _ => return Err(Malformed::Syntax(start)),
            };
            choices.push((number, includes, self.message(depth + 1, true)?));
            if !self.take('|') {
                return Ok(choices);
            }
        }
    }
}

/// Which form a number has in a language: `one`, `few`, ...
pub(in crate::intl) fn plural_form(locale: &str, ordinal: bool, number: &str) -> &'static str {
    let form = || {
        let plurals = root().get("plurals")?;
        let table = if ordinal {
            "locales_ordinals"
        } else {
            "locales"
        };
        let language = locale.split('_').next().unwrap_or_default();
        let of = |name| plurals.find(&[table, name]).and_then(Node::text);
        let rules = plurals.find(&["rules", of(locale).or_else(|| of(language))?])?;
        let operands = Operands::of(number);
        rules.entries().find_map(|(form, rule)| {
            let fits = form != "other" && operands.fit(rule.text()?);
            fits.then_some(form)
        })
    };
    form().unwrap_or("other")
}

/// What rules look at: the number, its whole part, and the digits behind the point with and without noughts at the end.
struct Operands {
    n: f64,
    i: f64,
    v: f64,
    w: f64,
    f: f64,
    t: f64,
}

impl Operands {
    fn of(number: &str) -> Operands {
        let number = number.trim_start_matches('-');
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let short = fraction.trim_end_matches('0');
        let value = |text: &str| text.parse().unwrap_or(0.0);
        Operands {
            n: value(number),
            i: value(whole),
            v: fraction.len() as f64,
            w: short.len() as f64,
            f: value(fraction),
            t: value(short),
        }
    }

    /// True if a rule such as `n % 10 = 1 and n % 100 != 11 or v = 2..4` holds.
    fn fit(&self, rule: &str) -> bool {
        let condition = rule.split('@').next().unwrap_or_default();
        condition
            .split(" or ")
            .any(|all| all.split(" and ").all(|one| self.holds(one.trim())))
    }

    fn holds(&self, relation: &str) -> bool {
        let (left, is_equal, right) = match relation.split_once("!=") {
            Some((left, right)) => (left, false, right),
            None => match relation.split_once('=') {
                Some((left, right)) => (left, true, right),
                None => return false,
            },
        };
        let (operand, divisor) = match left.split_once('%') {
            Some((operand, divisor)) => (operand.trim(), divisor.trim().parse::<f64>().ok()),
            None => (left.trim(), None),
        };
        let value = match operand {
            "n" => self.n,
            "i" => self.i,
            "v" => self.v,
            "w" => self.w,
            "f" => self.f,
            "t" => self.t,
            // There are no numbers in short forms.
            _ => 0.0,
        };
        let value = divisor.map_or(value, |divisor| value % divisor);
        let is_in = right.split(',').any(|range| {
            let range = range.trim();
            match range.split_once("..") {
                Some((from, to)) => match (from.parse::<f64>(), to.parse::<f64>()) {
                    (Ok(from), Ok(to)) => value >= from && value <= to && value.fract() == 0.0,
                    _ => false,
                },
                None => range.parse() == Ok(value),
            }
        });
        is_in == is_equal
    }
}
