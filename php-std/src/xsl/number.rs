//! `xsl:number` and `format-number()`.

use vm_runtime::vm::PhpResult;

use super::messages;
use super::pattern::Pattern;
use super::run::{Done, Run};
use super::stylesheet::{DecimalFormat, Level, Number};
use crate::xml::tree::{Kind as NodeKind, NodeId};
use crate::xml::xpath::{Item, value_number};

/// The most digits that a format may ask for.
const MOST_DIGITS: usize = 200;

impl Run<'_> {
    /// `xsl:number`
    pub(super) fn number(&mut self, number: &Number) -> Done {
        let format = match &number.format {
            Some(format) => self.template(format)?.unwrap_or_default(),
            None => b"1".to_vec(),
        };
        let separator = match &number.separator {
            Some(separator) => self.template(separator)?.unwrap_or_default(),
            None => Vec::new(),
        };
        let size = match &number.size {
            Some(size) => {
                let size = self.template(size)?.unwrap_or_default();
                String::from_utf8_lossy(&size).trim().parse().unwrap_or(0)
            }
            None => 0,
        };
        let numbers = match &number.value {
            Some(select) => {
                let value = match self.evaluate(select)? {
                    Some(value) => value_number(&self.document, &value),
                    None => return Ok(()),
                };
                vec![value]
            }
            None => {
                let Item::Node(id) = self.node else {
                    return Ok(());
                };
                self.counted(number, id)?
            }
        };
        let mut text = Vec::new();
        let tokens = tokens(&format);
        text.extend_from_slice(&tokens.start);
        for (index, &value) in numbers.iter().enumerate() {
            let token = tokens.list.get(index).or(tokens.list.last());
            if index > 0 {
                let between = tokens
                    .list
                    .get(index)
                    .map_or(&tokens.last_separator, |token| &token.separator);
                text.extend_from_slice(between);
            }
            let style = token.map_or(&b"1"[..], |token| &token.style);
            self.numeral(value, style, (&separator, size), &mut text)?;
        }
        text.extend_from_slice(&tokens.end);
        self.add_text(&text, false, true);
        Ok(())
    }

    /// A number as a token of a format writes it.
    fn numeral(
        &mut self,
        value: f64,
        style: &[u8],
        (separator, size): (&[u8], usize),
        text: &mut Vec<u8>,
    ) -> PhpResult<()> {
        if value.is_nan() {
            text.extend_from_slice(b"NaN");
            return Ok(());
        }
        let value = (value + 0.5).floor();
        if value.is_infinite() {
            if value < 0.0 {
                text.push(b'-');
            }
            text.extend_from_slice(b"Infinity");
            return Ok(());
        }
        if value < 0.0 {
            messages::tell(self.vm, "error")?;
            messages::tell(self.vm, "xsl-number : negative value")?;
        }
        let is_letters = matches!(style, b"a" | b"A");
        let is_roman = matches!(style, b"i" | b"I");
        let is_upper = style.first().is_some_and(u8::is_ascii_uppercase);
        if is_letters && value >= 1.0 {
            text.extend(letters(value, is_upper));
        } else if is_roman && (1.0..=5000.0).contains(&value) {
            text.extend(roman(value as u32, is_upper));
        } else if value < 0.0 {
            text.push(b'0');
        } else {
            let width = if is_letters || is_roman {
                1
            } else {
                style.len()
            };
            text.extend(grouped(value, width.min(MOST_DIGITS), separator, size));
        }
        Ok(())
    }

    /// True if a node is one of those that are counted.
    fn counts(&mut self, count: Option<&Pattern>, like: NodeId, id: NodeId) -> Done<bool> {
        if let Some(pattern) = count {
            return self.matches(pattern, &Item::Node(id));
        }
        let tree = self.document.read();
        let (node, like) = (&tree[id], &tree[like]);
        Ok(node.kind == like.kind && node.name == like.name && node.namespace == like.namespace)
    }

    /// The place of a node among its siblings that count.
    fn place(&mut self, count: Option<&Pattern>, like: NodeId, id: NodeId) -> Done<f64> {
        let mut place = 1.0;
        let mut at = self.document.read()[id].previous;
        while let Some(node) = at {
            vm_runtime::limits::poll();
            if self.counts(count, like, node)? {
                place += 1.0;
            }
            at = self.document.read()[node].previous;
        }
        Ok(place)
    }

    fn is_start(&mut self, number: &Number, id: NodeId) -> Done<bool> {
        match &number.from {
            Some(pattern) => self.matches(pattern, &Item::Node(id)),
            None => Ok(false),
        }
    }

    /// The numbers of a node.
    fn counted(&mut self, number: &Number, id: NodeId) -> Done<Vec<f64>> {
        let count = number.count.as_ref();
        let mut found = Vec::new();
        match number.level {
            Level::Any => {
                let mut total = 0.0;
                let mut at = Some(id);
                while let Some(node) = at {
                    vm_runtime::limits::poll();
                    if self.counts(count, id, node)? {
                        total += 1.0;
                    }
                    if self.is_start(number, node)? {
                        break;
                    }
                    let tree = self.document.read();
                    // The node in front of it in the document.
                    at = match tree[node].previous {
                        _ if tree[node].kind == NodeKind::Attribute => tree[node].parent,
                        None => tree[node].parent,
                        Some(mut before) => {
                            while let Some(last) = tree[before].last {
                                before = last;
                            }
                            Some(before)
                        }
                    };
                    if at.is_some_and(|at| super::pattern::is_root(&tree, at)) {
                        break;
                    }
                }
                found.push(total);
            }
            Level::Single | Level::Multiple => {
                let mut at = Some(id);
                while let Some(node) = at {
                    if super::run::is_document(self, node) {
                        break;
                    }
                    if node != id && self.is_start(number, node)? {
                        break;
                    }
                    if self.counts(count, id, node)? {
                        let place = self.place(count, id, node)?;
                        found.insert(0, place);
                        if number.level == Level::Single {
                            break;
                        }
                    }
                    at = self.document.read()[node].parent;
                }
            }
        }
        Ok(found)
    }

    /// `format-number()`
    pub(super) fn format_number(
        &mut self,
        number: f64,
        pattern: &[u8],
        format: &DecimalFormat,
    ) -> PhpResult<Vec<u8>> {
        if pattern.is_empty() {
            messages::tell(self.vm, "error")?;
            messages::tell(
                self.vm,
                "xsltFormatNumberConversion : Invalid format (0-length)",
            )?;
        }
        if number.is_nan() {
            return Ok(format.nan.clone());
        }
        let text = String::from_utf8_lossy(pattern).into_owned();
        let mut parsed = parse_pattern(&text, format);
        if parsed.is_none() && !pattern.is_empty() {
            messages::tell(self.vm, "error")?;
            let message = format!(
                "xsltFormatNumberConversion : error in format string '{text}', using default"
            );
            messages::tell(self.vm, &message)?;
        }
        let mut negative = None;
        if let Some((_, rest)) = &parsed
            && let Some(rest) = rest
        {
            negative = parse_pattern(rest, format).map(|(shape, _)| shape);
        }
        let shape = match parsed.take() {
            Some((shape, _)) => shape,
            None => Shape {
                least_whole: 1,
                least_fraction: usize::from(!pattern.is_empty()),
                most_fraction: if pattern.is_empty() { 0 } else { 5 },
                ..Shape::default()
            },
        };
        let mut output = Vec::new();
        let is_negative = number < 0.0;
        if number.is_infinite() {
            if is_negative {
                output.extend_from_slice(&format.minus);
            }
            output.extend_from_slice(&format.infinity);
            return Ok(output);
        }
        let chosen = match (&negative, is_negative) {
            (Some(negative), true) => {
                output.extend_from_slice(negative.prefix.as_bytes());
                negative
            }
            (None, true) => {
                output.extend_from_slice(&format.minus);
                output.extend_from_slice(shape.prefix.as_bytes());
                &shape
            }
            _ => {
                output.extend_from_slice(shape.prefix.as_bytes());
                &shape
            }
        };
        output.extend(digits(number.abs() * shape.multiplier, &shape, format));
        output.extend_from_slice(chosen.suffix.as_bytes());
        Ok(output)
    }
}

/// What a part of a pattern of `format-number()` says.
#[derive(Debug)]
struct Shape {
    prefix: String,
    suffix: String,
    least_whole: usize,
    least_fraction: usize,
    most_fraction: usize,
    /// Digits between separators; none for 0.
    group: usize,
    has_point: bool,
    multiplier: f64,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape {
            prefix: String::new(),
            suffix: String::new(),
            least_whole: 0,
            least_fraction: 0,
            most_fraction: 0,
            group: 0,
            has_point: false,
            multiplier: 1.0,
        }
    }
}

fn sign(text: &[u8]) -> char {
    String::from_utf8_lossy(text).chars().next().unwrap_or('\0')
}

/// A part of a pattern, and what stands behind the separator of parts.
fn parse_pattern(text: &str, format: &DecimalFormat) -> Option<(Shape, Option<String>)> {
    let mut shape = Shape::default();
    let (zero, digit) = (sign(&format.zero), sign(&format.digit));
    let (point, group) = (sign(&format.decimal), sign(&format.grouping));
    let (percent, mille) = (sign(&format.percent), sign(&format.per_mille));
    let separator = sign(&format.separator);
    let special = |character: char| [zero, digit, point, group, separator].contains(&character);
    let mut characters = text.chars().peekable();
    let fix = |characters: &mut std::iter::Peekable<std::str::Chars<'_>>,
               multiplier: &mut f64|
     -> Option<String> {
        let mut found = String::new();
        while let Some(&character) = characters.peek() {
            if character == '\'' {
                // The next character stands for itself.
                characters.next();
                found.push(characters.next()?);
                continue;
            }
            if special(character) {
                break;
            }
            characters.next();
            if character == percent || character == mille {
                if *multiplier != 1.0 {
                    return None;
                }
                *multiplier = if character == percent { 100.0 } else { 1000.0 };
            }
            found.push(character);
        }
        Some(found)
    };
    shape.prefix = fix(&mut characters, &mut shape.multiplier)?;
    let mut since_group = None;
    while let Some(&character) = characters.peek() {
        if character == digit {
            if shape.least_whole > 0 {
                return None;
            }
            since_group = since_group.map(|count| count + 1);
        } else if character == zero {
            shape.least_whole += 1;
            since_group = since_group.map(|count| count + 1);
        } else if character == group {
            since_group = Some(0);
        } else {
            break;
        }
        characters.next();
    }
    shape.group = since_group.unwrap_or(0);
    if characters.peek() == Some(&point) {
        shape.has_point = true;
        characters.next();
        let mut optional = 0;
        while let Some(&character) = characters.peek() {
            if character == zero {
                if optional > 0 {
                    return None;
                }
                shape.least_fraction += 1;
            } else if character == digit {
                optional += 1;
            } else if character == group {
            } else {
                break;
            }
            characters.next();
        }
        shape.most_fraction = shape.least_fraction + optional;
    }
    shape.suffix = fix(&mut characters, &mut shape.multiplier)?;
    match characters.next() {
        None => Some((shape, None)),
        Some(character) if character == separator => Some((shape, Some(characters.collect()))),
        Some(_) => None,
    }
}

/// The digits of a number that is not negative.
fn digits(number: f64, shape: &Shape, format: &DecimalFormat) -> Vec<u8> {
    let most = shape.most_fraction.min(MOST_DIGITS);
    let scale = 10f64.powi(most as i32);
    let scaled = (number * scale + 0.5).floor();
    let rounded = if scaled.is_finite() && scale < 1e15 {
        scaled / scale
    } else {
        number
    };
    let text = format!("{rounded:.most$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let zero = sign(&format.zero);
    let shown = |byte: u8| -> char {
        char::from_u32(zero as u32 + u32::from(byte - b'0')).unwrap_or(byte as char)
    };
    let whole = whole.trim_start_matches('0');
    let width = shape.least_whole.min(MOST_DIGITS);
    let padded = format!("{whole:0>width$}");
    let mut output = String::new();
    let count = padded.len();
    for (index, byte) in padded.bytes().enumerate() {
        let left = count - index;
        if index > 0 && shape.group > 0 && left % shape.group == 0 {
            output.push_str(&String::from_utf8_lossy(&format.grouping));
        }
        output.push(shown(byte));
    }
    let mut fraction = fraction;
    while fraction.len() > shape.least_fraction && fraction.ends_with('0') {
        fraction = &fraction[..fraction.len() - 1];
    }
    if padded.is_empty() && shape.least_fraction == 0 {
        output.push(zero);
    }
    if !fraction.is_empty() {
        output.push_str(&String::from_utf8_lossy(&format.decimal));
        output.extend(fraction.bytes().map(shown));
    }
    output.into_bytes()
}

/// The tokens of a format of `xsl:number`.
#[derive(Default)]
struct Tokens {
    start: Vec<u8>,
    list: Vec<Token>,
    last_separator: Vec<u8>,
    end: Vec<u8>,
}

struct Token {
    /// What stands in front of it, behind the one before.
    separator: Vec<u8>,
    style: Vec<u8>,
}

fn tokens(format: &[u8]) -> Tokens {
    let text = String::from_utf8_lossy(format).into_owned();
    let mut tokens = Tokens::default();
    let mut rest = text.as_str();
    let run = |rest: &str, letters: bool| {
        rest.find(|character: char| character.is_alphanumeric() != letters)
            .unwrap_or(rest.len())
    };
    let end = run(rest, false);
    tokens.start = rest[..end].into();
    rest = &rest[end..];
    let mut separator: Vec<u8> = b".".to_vec();
    while !rest.is_empty() {
        let end = run(rest, true);
        tokens.list.push(Token {
            separator: separator.clone(),
            style: rest[..end].into(),
        });
        rest = &rest[end..];
        let end = run(rest, false);
        separator = rest[..end].into();
        rest = &rest[end..];
        if rest.is_empty() {
            tokens.end = separator.clone();
        }
    }
    tokens.last_separator = match tokens.list.len() {
        0 | 1 => b".".to_vec(),
        count => tokens.list[count - 1].separator.clone(),
    };
    tokens
}

fn letters(value: f64, is_upper: bool) -> Vec<u8> {
    let first = if is_upper { b'A' } else { b'a' };
    let mut value = value;
    let mut output = Vec::new();
    while value >= 1.0 && output.len() < MOST_DIGITS {
        value -= 1.0;
        output.push(first + (value % 26.0) as u8);
        value = (value / 26.0).floor();
    }
    output.reverse();
    output
}

fn roman(mut value: u32, is_upper: bool) -> Vec<u8> {
    const SIGNS: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut output = String::new();
    for (worth, text) in SIGNS {
        while value >= worth {
            output.push_str(text);
            value -= worth;
        }
    }
    if is_upper {
        output.make_ascii_uppercase();
    }
    output.into_bytes()
}

fn grouped(value: f64, width: usize, separator: &[u8], size: usize) -> Vec<u8> {
    let plain = format!("{value:.0}");
    let plain = format!("{plain:0>width$}");
    let mut output = Vec::new();
    for (index, byte) in plain.bytes().enumerate() {
        let left = plain.len() - index;
        if index > 0 && size > 0 && !separator.is_empty() && left % size == 0 {
            output.extend_from_slice(separator);
        }
        output.push(byte);
    }
    output
}
