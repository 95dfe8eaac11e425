//! The parser of expressions.

use vm_runtime::limits::stack_is_low;

use super::{Axis, Expression, Operator, Problem, Step, Test};
use crate::xml::parser::{is_name_character, is_name_start};

/// The deepest nesting.
const DEEPEST: usize = 500;

#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// A name, with a prefix if there is one; `*` as local part for `p:*`.
    Name(Option<Vec<u8>>, Vec<u8>),
    Literal(Vec<u8>),
    Number(f64),
    Variable(Option<Vec<u8>>, Vec<u8>),
    Sign(&'static str),
}

/// Signs, the longer ones first.
const SIGNS: [&str; 22] = [
    "::", "//", "..", "!=", "<=", ">=", "(", ")", "[", "]", ".", "@", ",", "/", "|", "+", "-", "=",
    "<", ">", "*", "$",
];

/// The exponent behind the digits of a number, and the length of what stands for it: XPath has none, libxml2 has.
fn exponent_at(rest: &str) -> (&str, usize) {
    if !rest.starts_with(['e', 'E']) {
        return ("", 0);
    }
    let signed = &rest[1..];
    let unsigned = signed.strip_prefix(['+', '-']).unwrap_or(signed);
    let count = unsigned
        .find(|next: char| !next.is_ascii_digit())
        .unwrap_or(unsigned.len());
    let length = rest.len() - unsigned.len() + count;
    match count {
        0 => ("", length),
        _ => (&rest[..length], length),
    }
}

fn name_at(text: &str) -> usize {
    let mut length = 0;
    for character in text.chars() {
        let fits = if length == 0 {
            is_name_start(character) && character != ':'
        } else {
            is_name_character(character) && character != ':'
        };
        if !fits {
            break;
        }
        length += character.len_utf8();
    }
    length
}

fn tokens(text: &str) -> Result<Vec<Token>, Problem> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let Some(first) = rest.chars().next() else {
            return Ok(tokens);
        };
        if matches!(first, '"' | '\'') {
            let end = rest[1..].find(first).ok_or(Problem::Syntax)?;
            tokens.push(Token::Literal(rest.as_bytes()[1..=end].to_vec()));
            rest = &rest[end + 2..];
            continue;
        }
        let is_fraction = first == '.' && rest[1..].starts_with(|next: char| next.is_ascii_digit());
        if first.is_ascii_digit() || is_fraction {
            let end = rest
                .find(|next: char| !next.is_ascii_digit() && next != '.')
                .unwrap_or(rest.len());
            let mut digits = &rest[..end];
            if let Some(point) = digits.find('.')
                && let Some(second) = digits[point + 1..].find('.')
            {
                digits = &digits[..point + 1 + second];
            }
            let (exponent, length) = exponent_at(&rest[digits.len()..]);
            let number = format!("{}{exponent}", digits.trim_end_matches('.'));
            let number = number.parse().map_err(|_| Problem::Syntax)?;
            tokens.push(Token::Number(number));
            rest = &rest[digits.len() + length..];
            continue;
        }
        let length = name_at(rest);
        if length > 0 {
            let name = rest.as_bytes()[..length].to_vec();
            let behind = &rest[length..];
            if let Some(local) = behind
                .strip_prefix(':')
                .filter(|local| !local.starts_with(':'))
            {
                if let Some(after) = local.strip_prefix('*') {
                    tokens.push(Token::Name(Some(name), b"*".to_vec()));
                    rest = after;
                    continue;
                }
                let length = name_at(local);
                if length == 0 {
                    return Err(Problem::Syntax);
                }
                tokens.push(Token::Name(Some(name), local.as_bytes()[..length].to_vec()));
                rest = &local[length..];
                continue;
            }
            tokens.push(Token::Name(None, name));
            rest = behind;
            continue;
        }
        let sign = SIGNS
            .iter()
            .find(|sign| rest.starts_with(**sign))
            .ok_or(Problem::Syntax)?;
        rest = &rest[sign.len()..];
        if *sign == "$" {
            let length = name_at(rest);
            if length == 0 {
                return Err(Problem::Syntax);
            }
            let mut name = rest.as_bytes()[..length].to_vec();
            let mut prefix = None;
            rest = &rest[length..];
            if let Some(local) = rest.strip_prefix(':') {
                let length = name_at(local);
                if length == 0 {
                    return Err(Problem::Syntax);
                }
                prefix = Some(name);
                name = local.as_bytes()[..length].to_vec();
                rest = &local[length..];
            }
            tokens.push(Token::Variable(prefix, name));
        } else {
            tokens.push(Token::Sign(sign));
        }
    }
}

/// Parses an expression, which ends at a zero byte.
pub(crate) fn parse(text: &[u8]) -> Result<Expression, Problem> {
    let text = &text[..memchr::memchr(0, text).unwrap_or(text.len())];
    let text = std::str::from_utf8(text).map_err(|_| Problem::Encoding)?;
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        depth: 0,
    };
    let expression = parser.expression(0)?;
    if parser.at < parser.tokens.len() {
        return Err(Problem::Syntax);
    }
    Ok(expression)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

/// Operators by how strongly they bind, the weakest first.
const LEVELS: [&[(&str, Operator)]; 7] = [
    &[("or", Operator::Or)],
    &[("and", Operator::And)],
    &[("=", Operator::Equal), ("!=", Operator::NotEqual)],
    &[
        ("<=", Operator::LessEqual),
        ("<", Operator::Less),
        (">=", Operator::GreaterEqual),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Plus), ("-", Operator::Minus)],
    &[
        ("*", Operator::Times),
        ("div", Operator::Divide),
        ("mod", Operator::Modulo),
    ],
    &[("|", Operator::Union)],
];

/// The level of the union, which a minus sign stands in front of.
const UNION: usize = 6;

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(found)) if *found == sign)
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Problem> {
        if self.accept(sign) {
            Ok(())
        } else {
            Err(Problem::Syntax)
        }
    }

    /// The operator of a level at the present place.
    fn operator(&self, level: usize) -> Option<Operator> {
        let spelling = match self.peek()? {
            Token::Sign(sign) => sign,
            Token::Name(None, name) => std::str::from_utf8(name).ok()?,
            _ => return None,
        };
        let found = LEVELS[level].iter().find(|(known, _)| *known == spelling);
        found.map(|(_, operator)| *operator)
    }

    fn expression(&mut self, level: usize) -> Result<Expression, Problem> {
        if level == 0 {
            self.depth += 1;
            // A fiber's native stack may be small.
            if self.depth > DEEPEST || stack_is_low() {
                return Err(Problem::Syntax);
            }
        }
        let first = self.operand(level)?;
        let mut rest = Vec::new();
        while let Some(operator) = self.operator(level) {
            self.at += 1;
            rest.push((operator, self.operand(level)?));
        }
        if level == 0 {
            self.depth -= 1;
        }
        Ok(match rest.is_empty() {
            true => first,
            false => Expression::Chain(Box::new(first), rest),
        })
    }

    fn operand(&mut self, level: usize) -> Result<Expression, Problem> {
        if level + 1 == UNION {
            let mut count = 0;
            while self.accept("-") {
                count += 1;
            }
            let operand = self.expression(UNION)?;
            return Ok(match count {
                0 => operand,
                _ if count % 2 == 1 => Expression::Negate(Box::new(operand)),
                _ => Expression::Negate(Box::new(Expression::Negate(Box::new(operand)))),
            });
        }
        if level == UNION {
            return self.path();
        }
        self.expression(level + 1)
    }

    /// True if a name in front of `(` is a function and not a test of nodes.
    fn is_function(&self) -> bool {
        let Some(Token::Name(prefix, name)) = self.peek() else {
            return false;
        };
        let is_open = matches!(self.tokens.get(self.at + 1), Some(Token::Sign("(")));
        let is_test = prefix.is_none()
            && matches!(
                name.as_slice(),
                b"node" | b"text" | b"comment" | b"processing-instruction"
            );
        is_open && !is_test
    }

    fn path(&mut self) -> Result<Expression, Problem> {
        let starts_with_value = match self.peek() {
            Some(Token::Literal(_) | Token::Number(_) | Token::Variable(..)) => true,
            Some(Token::Sign("(")) => true,
            _ => self.is_function(),
        };
        if !starts_with_value {
            let mut steps = Vec::new();
            let mut is_absolute = false;
            if self.accept("//") {
                is_absolute = true;
                steps.push(any_descendant());
                steps.push(self.step()?);
            } else if self.accept("/") {
                is_absolute = true;
                if self.starts_step() {
                    steps.push(self.step()?);
                }
            } else {
                steps.push(self.step()?);
            }
            if !steps.is_empty() {
                self.steps(&mut steps)?;
            }
            return Ok(Expression::Path {
                start: None,
                predicates: Vec::new(),
                is_absolute,
                steps,
            });
        }
        let value = self.primary()?;
        let predicates = self.predicates()?;
        let mut steps = Vec::new();
        self.steps(&mut steps)?;
        if predicates.is_empty() && steps.is_empty() {
            return Ok(value);
        }
        Ok(Expression::Path {
            start: Some(Box::new(value)),
            predicates,
            is_absolute: false,
            steps,
        })
    }

    fn steps(&mut self, steps: &mut Vec<Step>) -> Result<(), Problem> {
        loop {
            if self.accept("//") {
                steps.push(any_descendant());
            } else if !self.accept("/") {
                return Ok(());
            }
            steps.push(self.step()?);
        }
    }

    fn starts_step(&self) -> bool {
        matches!(
            self.peek(),
            Some(Token::Name(..) | Token::Sign("." | ".." | "@" | "*"))
        )
    }

    fn primary(&mut self) -> Result<Expression, Problem> {
        let token = self.peek().cloned().ok_or(Problem::Syntax)?;
        self.at += 1;
        Ok(match token {
            Token::Literal(text) => Expression::Literal(text),
            Token::Number(number) => Expression::Number(number),
            Token::Variable(prefix, name) => Expression::Variable(prefix, name),
            Token::Sign("(") => {
                let inner = self.expression(0)?;
                self.expect(")")?;
                inner
            }
            Token::Name(prefix, name) => {
                self.expect("(")?;
                let mut arguments = Vec::new();
                // libxml2 lets the end of the expression close the call here.
                if !self.accept(")") && self.peek().is_some() {
                    loop {
                        arguments.push(self.expression(0)?);
                        if !self.accept(",") {
                            self.expect(")")?;
                            break;
                        }
                        if self.peek().is_none() {
                            break;
                        }
                    }
                }
                Expression::Call(prefix, name, arguments)
            }
            Token::Sign(_) => return Err(Problem::Syntax),
        })
    }

    fn predicates(&mut self) -> Result<Vec<Expression>, Problem> {
        let mut predicates = Vec::new();
        while self.accept("[") {
            predicates.push(self.expression(0)?);
            self.expect("]")?;
        }
        Ok(predicates)
    }

    fn step(&mut self) -> Result<Step, Problem> {
        let plain = |axis| Step {
            axis,
            test: Test::Node,
            predicates: Vec::new(),
        };
        if self.accept("..") {
            return Ok(plain(Axis::Parent));
        }
        if self.accept(".") {
            return Ok(plain(Axis::Own));
        }
        let mut axis = Axis::Child;
        if self.accept("@") {
            axis = Axis::Attribute;
        } else if matches!(self.tokens.get(self.at + 1), Some(Token::Sign("::"))) {
            axis = match self.peek() {
                Some(Token::Name(None, name)) => axis_named(name).ok_or(Problem::Syntax)?,
                _ => return Err(Problem::Syntax),
            };
            self.at += 2;
        }
        let test = self.test()?;
        let predicates = self.predicates()?;
        Ok(Step {
            axis,
            test,
            predicates,
        })
    }

    fn test(&mut self) -> Result<Test, Problem> {
        if self.accept("*") {
            return Ok(Test::Any);
        }
        let Some(Token::Name(prefix, name)) = self.peek().cloned() else {
            return Err(Problem::Syntax);
        };
        self.at += 1;
        if prefix.is_some() && name == b"*" {
            return Ok(Test::AnyIn(prefix.unwrap_or_default()));
        }
        if prefix.is_some() || !self.is_sign("(") {
            return Ok(Test::Name(prefix, name));
        }
        self.at += 1;
        let mut literal = None;
        if let Some(Token::Literal(text)) = self.peek() {
            literal = Some(text.clone());
            self.at += 1;
        }
        self.expect(")")?;
        match (name.as_slice(), literal) {
            (b"node", None) => Ok(Test::Node),
            (b"text", None) => Ok(Test::Text),
            (b"comment", None) => Ok(Test::Comment),
            (b"processing-instruction", target) => Ok(Test::Instruction(target)),
            _ => Err(Problem::Syntax),
        }
    }
}

/// `descendant-or-self::node()`
fn any_descendant() -> Step {
    Step {
        axis: Axis::DescendantOrSelf,
        test: Test::Node,
        predicates: Vec::new(),
    }
}

fn axis_named(name: &[u8]) -> Option<Axis> {
    Some(match name {
        b"ancestor" => Axis::Ancestor,
        b"ancestor-or-self" => Axis::AncestorOrSelf,
        b"attribute" => Axis::Attribute,
        b"child" => Axis::Child,
        b"descendant" => Axis::Descendant,
        b"descendant-or-self" => Axis::DescendantOrSelf,
        b"following" => Axis::Following,
        b"following-sibling" => Axis::FollowingSibling,
        b"namespace" => Axis::Namespace,
        b"parent" => Axis::Parent,
        b"preceding" => Axis::Preceding,
        b"preceding-sibling" => Axis::PrecedingSibling,
        b"self" => Axis::Own,
        _ => return None,
    })
}
