//! Reading rules for breaks.

use std::collections::HashMap;

use vm_runtime::limits;

use super::{Place, Rule, Rules};
use crate::intl::set::{Set, Variable, unescaped};

/// What is wrong with rules, by ICU's codes, with the line and the place in it.
#[derive(Debug)]
pub(in crate::intl::breaks) struct Problem {
    pub(in crate::intl::breaks) code: i64,
    pub(in crate::intl::breaks) line: usize,
    pub(in crate::intl::breaks) offset: usize,
}

const MALFORMED_SET: i64 = 65538;
const SYNTAX: i64 = 66051;
const REDEFINITION: i64 = 66054;
const MISMATCHED_PARENTHESIS: i64 = 66055;
const NEW_LINE_IN_QUOTES: i64 = 66056;
const UNDEFINED: i64 = 66057;
const EMPTY_SET: i64 = 66059;
const UNKNOWN_OPTION: i64 = 66060;
const MALFORMED_TAG: i64 = 66061;

/// The deepest nesting of parentheses.
const DEEPEST: usize = 100;

/// What a rule says.
#[derive(Debug, Clone)]
enum Expression {
    Set(Set),
    Sequence(Vec<Expression>),
    Either(Vec<Expression>),
    /// Repeated: at least once or not, more than once or not.
    Repeated(Box<Expression>, bool, bool),
    /// What a variable stands for, by its number: an expression may be there very often.
    Variable(usize),
    Mark,
}

/// The text without spaces and comments, but for what stands in quotes.
fn stripped(text: &str) -> String {
    let mut stripped = String::new();
    let mut characters = text.chars().peekable();
    let mut is_quoted = false;
    while let Some(character) = characters.next() {
        match character {
            '\'' => is_quoted = !is_quoted,
            '#' if !is_quoted => {
                while characters
                    .peek()
                    .is_some_and(|next| !matches!(next, '\n' | '\r'))
                {
                    characters.next();
                }
                continue;
            }
            '\\' => {
                stripped.push(character);
                if let Some(next) = characters.next() {
                    stripped.push(next);
                }
                continue;
            }
            space if !is_quoted && space.is_whitespace() => continue,
            _ => {}
        }
        stripped.push(character);
    }
    stripped
}

/// Characters that stand for themselves: letters, digits, and what is neither ASCII nor a space.
fn is_plain(character: char) -> bool {
    character.is_alphanumeric() || !character.is_ascii() && !character.is_whitespace()
}

struct Reader {
    text: Vec<char>,
    at: usize,
    /// The numbers of variables, by their names.
    names: HashMap<String, usize>,
    variables: Vec<Expression>,
}

/// The rules that are read, and which of them count.
pub(super) fn read(text: &str) -> Result<Rules, Problem> {
    let mut reader = Reader {
        text: text.chars().collect(),
        at: 0,
        names: HashMap::new(),
        variables: Vec::new(),
    };
    let mut rules = Rules {
        places: Vec::new(),
        rules: Vec::new(),
        chained: false,
        text: stripped(text),
    };
    let mut is_forward = true;
    let mut has_rules = false;
    loop {
        reader.skip_space();
        match reader.peek() {
            None => break,
            Some(';') => reader.at += 1,
            Some('!') => {
                let option = reader.option()?;
                match option.as_str() {
                    "chain" => rules.chained = true,
                    "forward" => is_forward = true,
                    "reverse" | "safe_forward" | "safe_reverse" => is_forward = false,
                    _ => {}
                }
            }
            Some(_) => {
                let read = reader.statement()?;
                has_rules |= read.is_some();
                if let Some((expression, status, stands_alone)) = read.filter(|_| is_forward) {
                    rules.add(&expression, &reader.variables, status, stands_alone);
                }
            }
        }
    }
    match has_rules {
        true => Ok(rules),
        false => Err(reader.problem(SYNTAX)),
    }
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn skip_space(&mut self) {
        while let Some(next) = self.peek() {
            match next {
                '#' => {
                    while self.peek().is_some_and(|next| !matches!(next, '\n' | '\r')) {
                        self.at += 1;
                    }
                }
                space if space.is_whitespace() => self.at += 1,
                _ => break,
            }
        }
    }

    /// A problem with what stands at a place, told where that ends.
    fn problem_at(&self, code: i64, at: usize) -> Problem {
        let read = &self.text[..(at + 1).min(self.text.len())];
        let line_start = read.iter().rposition(|&character| character == '\n');
        let units = |part: &[char]| part.iter().map(|character| character.len_utf16()).sum();
        Problem {
            code,
            line: 1 + read.iter().filter(|&&character| character == '\n').count(),
            offset: units(&read[line_start.map_or(0, |start| start + 1)..]),
        }
    }

    fn problem(&self, code: i64) -> Problem {
        self.problem_at(code, self.at)
    }

    /// An option behind two exclamation marks.
    fn option(&mut self) -> Result<String, Problem> {
        self.at += 1;
        if !self.take('!') {
            return Err(self.problem(SYNTAX));
        }
        let option = self.name();
        let known = [
            "chain",
            "forward",
            "reverse",
            "safe_forward",
            "safe_reverse",
            "lookAheadHardBreak",
            "quoted_literals_only",
            "unquoted_literals",
        ];
        self.skip_space();
        if self.peek().is_none() {
            return Err(self.problem(SYNTAX));
        }
        if !known.contains(&option.as_str()) {
            return Err(self.problem(UNKNOWN_OPTION));
        }
        match self.take(';') {
            true => Ok(option),
            false => Err(self.problem(SYNTAX)),
        }
    }

    fn name(&mut self) -> String {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|next| next.is_alphanumeric() || next == '_')
        {
            self.at += 1;
        }
        self.text[start..self.at].iter().collect()
    }

    /// A definition of a variable, or a rule: what it says, its status, and whether it stands alone.
    fn statement(&mut self) -> Result<Option<(Expression, i64, bool)>, Problem> {
        let start = self.at;
        if self.take('$') {
            let name = self.name();
            if name.is_empty() {
                return Err(self.problem(SYNTAX));
            }
            self.skip_space();
            if self.take('=') {
                let expression = self.either(0)?;
                self.skip_space();
                if !matches!(self.peek(), Some(';')) {
                    return Err(self.unexpected());
                }
                if self.names.contains_key(&name) {
                    return Err(self.problem(REDEFINITION));
                }
                self.at += 1;
                self.names.insert(name, self.variables.len());
                self.variables.push(expression);
                return Ok(None);
            }
            self.at = start;
        }
        let stands_alone = self.take('^');
        let expression = self.either(0)?;
        self.skip_space();
        let mut status = 0;
        if self.take('{') {
            status = self.tag()?;
            self.skip_space();
        }
        match self.take(';') {
            true => Ok(Some((expression, status, stands_alone))),
            false => Err(self.unexpected()),
        }
    }

    /// A problem with a character that cannot stand where it does.
    fn unexpected(&self) -> Problem {
        let code = match self.peek() {
            Some(')') => MISMATCHED_PARENTHESIS,
            _ => SYNTAX,
        };
        self.problem(code)
    }

    /// The status that a rule gives.
    fn tag(&mut self) -> Result<i64, Problem> {
        self.skip_space();
        let start = self.at;
        while self.peek().is_some_and(|next| next.is_ascii_digit()) {
            self.at += 1;
        }
        let digits: String = self.text[start..self.at].iter().collect();
        self.skip_space();
        match digits.parse() {
            Ok(status) if self.peek() == Some('}') => {
                self.at += 1;
                Ok(status)
            }
            _ => Err(self.problem(MALFORMED_TAG)),
        }
    }

    fn either(&mut self, depth: usize) -> Result<Expression, Problem> {
        let mut ways = vec![self.sequence(depth)?];
        loop {
            self.skip_space();
            if !self.take('|') {
                break;
            }
            ways.push(self.sequence(depth)?);
        }
        Ok(match ways.len() {
            1 => ways.remove(0),
            _ => Expression::Either(ways),
        })
    }

    fn sequence(&mut self, depth: usize) -> Result<Expression, Problem> {
        let mut parts = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(';' | '|' | ')' | '{' | '=') | None if !parts.is_empty() => break,
                Some('/') if !parts.is_empty() => {
                    self.at += 1;
                    parts.push(Expression::Mark);
                }
                _ => {
                    let term = self.term(depth)?;
                    parts.push(self.repeated(term));
                }
            }
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Expression::Sequence(parts),
        })
    }

    fn repeated(&mut self, term: Expression) -> Expression {
        let (once, more) = match self.peek() {
            Some('*') => (false, true),
            Some('+') => (true, true),
            Some('?') => (false, false),
            _ => return term,
        };
        self.at += 1;
        Expression::Repeated(Box::new(term), once, more)
    }

    fn term(&mut self, depth: usize) -> Result<Expression, Problem> {
        let character = self.peek().ok_or_else(|| self.problem(SYNTAX))?;
        match character {
            '(' if depth < DEEPEST => {
                self.at += 1;
                let inside = self.either(depth + 1)?;
                self.skip_space();
                match self.take(')') {
                    true => Ok(inside),
                    false if self.peek() == Some(';') => Err(self.problem(MISMATCHED_PARENTHESIS)),
                    false => Err(self.problem(SYNTAX)),
                }
            }
            '.' => {
                self.at += 1;
                Ok(Expression::Set(Set::of_range(0, u32::from(char::MAX))))
            }
            '[' => self.set(),
            '$' => {
                self.at += 1;
                let name = self.name();
                if name.is_empty() {
                    return Err(self.problem(SYNTAX));
                }
                let known = self.names.get(&name).copied();
                self.skip_space();
                let number = known.ok_or_else(|| self.problem(UNDEFINED))?;
                Ok(match &self.variables[number] {
                    known @ (Expression::Set(_) | Expression::Variable(_)) => known.clone(),
                    _ => Expression::Variable(number),
                })
            }
            '\'' => self.quoted(),
            '\\' => match unescaped(&self.text, self.at + 1) {
                Some((character, end)) => {
                    self.at = end;
                    Ok(one(character))
                }
                None => Err(self.problem(SYNTAX)),
            },
            character if is_plain(character) => {
                self.at += 1;
                Ok(one(character))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn quoted(&mut self) -> Result<Expression, Problem> {
        let mut parts = Vec::new();
        self.at += 1;
        loop {
            match self.peek() {
                Some('\'') if self.text.get(self.at + 1) == Some(&'\'') => {
                    parts.push(one('\''));
                    self.at += 2;
                }
                Some('\'') => {
                    self.at += 1;
                    return Ok(Expression::Sequence(parts));
                }
                Some('\n') => return Err(self.problem(NEW_LINE_IN_QUOTES)),
                Some(character) => {
                    parts.push(one(character));
                    self.at += 1;
                }
                None => return Err(self.problem(SYNTAX)),
            }
        }
    }

    fn set(&mut self) -> Result<Expression, Problem> {
        let variables = |name: &str| match &self.variables[*self.names.get(name)?] {
            Expression::Set(set) => Some(Variable::Set(set.clone())),
            _ => None,
        };
        let Some((set, end)) = Set::parse(&self.text, self.at, Some(&variables)) else {
            return Err(self.problem(MALFORMED_SET));
        };
        if set.is_empty() {
            return Err(self.problem(EMPTY_SET));
        }
        self.at = end;
        Ok(Expression::Set(set))
    }
}

fn one(character: char) -> Expression {
    Expression::Set(Set::of_range(character.into(), character.into()))
}

/// How an expression can begin and end, and whether it may be empty.
struct Ends {
    first: Vec<usize>,
    last: Vec<usize>,
    is_optional: bool,
}

impl Rules {
    fn add(
        &mut self,
        expression: &Expression,
        variables: &[Expression],
        status: i64,
        stands_alone: bool,
    ) {
        let before = self.places.len();
        let ends = self.places_of(expression, variables);
        for last in ends.last {
            self.places[last].ends = true;
        }
        let has_mark = self.places[before..].iter().any(|place| place.is_mark);
        self.rules.push(Rule {
            first: ends.first,
            status,
            stands_alone,
            has_mark,
        });
    }

    /// Adds the places of an expression. Those that are told are in order, each once.
    fn places_of(&mut self, expression: &Expression, variables: &[Expression]) -> Ends {
        limits::poll();
        limits::need_stack();
        match expression {
            Expression::Set(set) => {
                let place = self.places.len();
                self.places.push(Place {
                    set: set.clone(),
                    next: Vec::new(),
                    ends: false,
                    rule: self.rules.len(),
                    is_mark: false,
                });
                Ends {
                    first: vec![place],
                    last: vec![place],
                    is_optional: false,
                }
            }
            Expression::Sequence(parts) => {
                let mut whole = Ends {
                    first: Vec::new(),
                    last: Vec::new(),
                    is_optional: true,
                };
                for part in parts {
                    if matches!(part, Expression::Mark) {
                        for &last in &whole.last {
                            self.places[last].is_mark = true;
                        }
                        continue;
                    }
                    let own = self.places_of(part, variables);
                    self.connect(&whole.last, &own.first);
                    if whole.is_optional {
                        whole.first.extend(&own.first);
                    }
                    if own.is_optional {
                        whole.last.extend(own.last);
                    } else {
                        whole.last = own.last;
                    }
                    whole.is_optional &= own.is_optional;
                }
                whole
            }
            Expression::Either(ways) => {
                let mut whole = Ends {
                    first: Vec::new(),
                    last: Vec::new(),
                    is_optional: false,
                };
                for way in ways {
                    let own = self.places_of(way, variables);
                    whole.first.extend(own.first);
                    whole.last.extend(own.last);
                    whole.is_optional |= own.is_optional;
                }
                whole
            }
            Expression::Repeated(inside, once, more) => {
                let mut own = self.places_of(inside, variables);
                if *more {
                    self.connect(&own.last, &own.first);
                }
                own.is_optional |= !once;
                own
            }
            Expression::Variable(number) => self.places_of(&variables[*number], variables),
            // What stands alone in a rule marks nothing.
            Expression::Mark => Ends {
                first: Vec::new(),
                last: Vec::new(),
                is_optional: true,
            },
        }
    }

    /// Has places lead on to others; both are in order, and so is what a place leads to.
    fn connect(&mut self, from: &[usize], to: &[usize]) {
        for &place in from {
            limits::poll();
            let next = &mut self.places[place].next;
            let is_behind = next.last() < to.first();
            next.extend_from_slice(to);
            if !is_behind {
                next.sort();
                next.dedup();
            }
        }
    }
}
