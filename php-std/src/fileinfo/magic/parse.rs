//! Reading rules.

use std::cell::OnceCell;

use super::{Flags, Form, Group, Indirect, Operand, Order, Place, Rule, Type, kind};

/// Reads rules line by line.
#[derive(Default)]
pub(in crate::fileinfo) struct Reader {
    pub(in crate::fileinfo) groups: Vec<Group>,
    /// What is wrong with lines, as far as it is told.
    pub(in crate::fileinfo) problems: Vec<String>,
    pub(in crate::fileinfo) has_failed: bool,
}

/// A line that cannot be read; the text is told, if there is one.
struct Refusal(Option<String>);

type Parsed<T> = Result<T, Refusal>;

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

impl Reader {
    /// Reads all lines of a file.
    pub(in crate::fileinfo) fn read(&mut self, text: &[u8]) {
        let start = self.groups.len();
        for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
            let line = &line[..memchr::memchr(0, line).unwrap_or(line.len())];
            let read = match line {
                [] | [b'#', ..] => Ok(()),
                [b'!', b':', rest @ ..] => self.remark(rest),
                _ if line.iter().all(|&byte| is_blank(byte)) => Ok(()),
                _ => self.rule(line, number + 1),
            };
            if let Err(Refusal(problem)) = read {
                self.has_failed = true;
                self.problems.extend(problem);
            }
        }
        for group in &mut self.groups[start..] {
            group.is_for_text = group.rules[0].is_for_text();
        }
    }

    /// What a line with `!:` says of the rule above.
    fn remark(&mut self, line: &[u8]) -> Parsed<()> {
        let end = line.iter().position(|&byte| is_blank(byte));
        let (name, rest) = line.split_at(end.unwrap_or(line.len()));
        let rest = rest.trim_ascii();
        let Some(rule) = self
            .groups
            .last_mut()
            .and_then(|group| group.rules.last_mut())
        else {
            return Err(Refusal(None));
        };
        match name {
            b"mime" => rule.media_type = rest.to_vec(),
            b"ext" => rule.extensions = rest.to_vec(),
            b"strength" => {
                let mut cursor = Cursor { rest };
                let operator = cursor.take_one(b"+-*/").unwrap_or(b'+');
                cursor.blanks();
                rule.factor = Some((operator, cursor.number().unwrap_or(0)));
            }
            _ => {}
        }
        Ok(())
    }

    fn rule(&mut self, line: &[u8], number: usize) -> Parsed<()> {
        let level = line.iter().take_while(|&&byte| byte == b'>').count();
        let last = self.groups.last().and_then(|group| group.rules.last());
        if level > 0 && last.is_none_or(|last| level > last.level + 1) {
            return Err(Refusal(None));
        }
        let mut cursor = Cursor {
            rest: &line[level..],
        };
        let place = cursor.place()?;
        cursor.blanks();
        let (is_unsigned, own) = cursor.kind()?;
        let mut rule = Rule {
            level,
            place,
            kind: own,
            is_unsigned,
            mask: None,
            is_inverted: cursor.take_one(b"~").is_some(),
            flags: Flags::default(),
            range: 0,
            relation: b'=',
            operand: Operand::Number(0),
            description: Vec::new(),
            is_joined: false,
            media_type: Vec::new(),
            extensions: Vec::new(),
            factor: None,
            line: number,
            regex: OnceCell::new(),
        };
        cursor.modifiers(&mut rule)?;
        cursor.blanks();
        cursor.test(&mut rule)?;
        cursor.blanks();
        let mut description = cursor.rest;
        for mark in [&b"\\b"[..], b"\x08"] {
            if let Some(rest) = description.strip_prefix(mark) {
                rule.is_joined = true;
                description = rest;
                break;
            }
        }
        rule.description = description.trim_ascii_end().to_vec();
        match (level, self.groups.last_mut()) {
            (1.., Some(group)) => group.rules.push(rule),
            _ => self.groups.push(Group {
                rules: vec![rule],
                is_for_text: false,
            }),
        }
        Ok(())
    }
}

/// The rest of a line.
struct Cursor<'t> {
    rest: &'t [u8],
}

impl<'t> Cursor<'t> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn skip(&mut self, count: usize) {
        self.rest = &self.rest[count.min(self.rest.len())..];
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.skip(1);
        }
    }

    fn take_one(&mut self, of: &[u8]) -> Option<u8> {
        let found = self.peek().filter(|byte| of.contains(byte))?;
        self.skip(1);
        Some(found)
    }

    fn word(&mut self) -> &'t [u8] {
        let end = self.rest.iter().position(|&byte| is_blank(byte));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    /// A number as C writes it.
    fn number(&mut self) -> Option<i64> {
        let before = self.rest;
        let is_negative = match self.take_one(b"+-") {
            Some(sign) => sign == b'-',
            None => false,
        };
        let (radix, skipped) = match self.rest {
            [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => (16, 2),
            [b'0', ..] => (8, 0),
            _ => (10, 0),
        };
        self.skip(skipped);
        let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
        let count = self.rest.iter().take_while(is_digit).count();
        if count == 0 {
            self.rest = before;
            return None;
        }
        let mut value: u64 = 0;
        for &byte in &self.rest[..count] {
            let digit = char::from(byte).to_digit(radix).unwrap_or(0);
            value = value.wrapping_mul(radix.into()).wrapping_add(digit.into());
        }
        self.skip(count);
        let value = value as i64;
        Some(if is_negative {
            value.wrapping_neg()
        } else {
            value
        })
    }

    /// The letters behind a number that say how long it is in C.
    fn suffixes(&mut self) {
        self.take_one(b"uU");
        self.take_one(b"lLsShHbBcC");
    }

    fn place(&mut self) -> Parsed<Place> {
        let line = self.rest;
        let mut place = Place {
            is_relative: self.take_one(b"&").is_some(),
            ..Place::default()
        };
        let is_indirect = self.take_one(b"(").is_some();
        if is_indirect {
            place.result_is_relative = std::mem::take(&mut place.is_relative);
            place.is_relative = self.take_one(b"&").is_some();
        }
        let is_plain = !place.is_relative && !place.result_is_relative;
        if is_plain && self.take_one(b"-").is_some() {
            place.from_end = true;
        }
        let Some(offset) = self.number() else {
            return Err(Refusal(Some(format!("offset `{}' invalid", shown(line)))));
        };
        place.offset = offset;
        if !is_indirect {
            return Ok(place);
        }
        place.indirect = Some(self.indirect()?);
        Ok(place)
    }

    fn indirect(&mut self) -> Parsed<Indirect> {
        let mut indirect = Indirect {
            size: 4,
            order: Order::Little,
            is_signed: false,
            operation: None,
            is_nested: false,
            is_id3: false,
            is_octal: false,
        };
        if let Some(mark) = self.take_one(b".,") {
            indirect.is_signed = mark == b',';
            let Some(letter) = self.peek() else {
                return Err(Refusal(None));
            };
            self.skip(1);
            let big = letter.is_ascii_uppercase();
            (indirect.size, indirect.is_id3) = match letter.to_ascii_lowercase() {
                b'b' | b'c' => (1, false),
                b's' | b'h' => (2, false),
                b'l' | b'm' => (4, false),
                b'q' | b'e' | b'f' | b'g' => (8, false),
                b'i' => (4, true),
                b'o' => (8, false),
                _ => return Err(Refusal(None)),
            };
            indirect.is_octal = letter == b'o';
            indirect.order = match letter {
                b'm' => Order::Middle,
                _ if big => Order::Big,
                _ => Order::Little,
            };
        }
        self.take_one(b"~");
        if let Some(operator) = self.take_one(b"&|^+-*/%") {
            indirect.is_nested = self.take_one(b"(").is_some();
            let Some(number) = self.number() else {
                return Err(Refusal(None));
            };
            indirect.operation = Some((operator, number));
            if indirect.is_nested {
                self.take_one(b")");
            }
        }
        match self.take_one(b")") {
            Some(_) => Ok(indirect),
            None => Err(Refusal(None)),
        }
    }

    fn kind(&mut self) -> Parsed<(bool, Type)> {
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric();
        let line = self.rest;
        let count = self.rest.iter().take_while(is_part).count();
        let name = shown(&self.rest[..count]);
        self.skip(count);
        if let Some(kind) = kind_named(&name) {
            return Ok((kind.form != Form::Integer, kind));
        }
        match name.strip_prefix('u').and_then(kind_named) {
            Some(kind) => Ok((true, kind)),
            None => Err(Refusal(Some(format!("type `{}' invalid", shown(line))))),
        }
    }

    /// What stands behind the type without a blank.
    fn modifiers(&mut self, rule: &mut Rule) -> Parsed<()> {
        let takes_text = is_of_text(rule.kind.kind) || rule.kind.kind == kind::INDIRECT;
        if rule.kind.kind == kind::PASCAL {
            rule.flags.length = (1, None, false);
        }
        if takes_text {
            if self.take_one(b"/").is_some() {
                self.text_modifiers(rule)?;
            }
            return Ok(());
        }
        if let Some(operator) = self.take_one(b"&|^+-*/%") {
            let number = self.number().ok_or(Refusal(None))?;
            rule.mask = Some((operator, number as u64));
            self.suffixes();
        }
        Ok(())
    }

    fn text_modifiers(&mut self, rule: &mut Rule) -> Parsed<()> {
        let flags = &mut rule.flags;
        while let Some(byte) = self.peek().filter(|&byte| !is_blank(byte)) {
            if byte.is_ascii_digit() {
                rule.range = self.number().unwrap_or(0) as usize;
                continue;
            }
            self.skip(1);
            let is_pascal = rule.kind.kind == kind::PASCAL;
            match byte {
                b'/' => {}
                b'W' => flags.compacts_blanks = true,
                b'w' => flags.ignores_blanks = true,
                b'c' => flags.ignores_lower = true,
                b'C' => flags.ignores_upper = true,
                b't' => flags.is_for_text = true,
                b'b' => flags.is_for_binary = true,
                b'T' => flags.is_trimmed = true,
                b'f' => flags.is_word = true,
                b's' => flags.stays_at_start = true,
                b'B' if is_pascal => flags.length.0 = 1,
                b'H' if is_pascal => flags.length = (2, Some(Order::Big), flags.length.2),
                b'h' if is_pascal => flags.length = (2, Some(Order::Little), flags.length.2),
                b'L' if is_pascal => flags.length = (4, Some(Order::Big), flags.length.2),
                b'l' if is_pascal => flags.length = (4, Some(Order::Little), flags.length.2),
                b'J' if is_pascal => flags.length.2 = true,
                b'l' if rule.kind.kind == kind::REGEX => flags.counts_lines = true,
                b'r' if rule.kind.kind == kind::INDIRECT => {}
                _ => return Err(Refusal(None)),
            }
        }
        Ok(())
    }

    /// Relation and operand.
    fn test(&mut self, rule: &mut Rule) -> Parsed<()> {
        match self.rest {
            [b'x'] => {
                self.skip(1);
                rule.relation = b'x';
            }
            [b'x', byte, ..] if is_blank(*byte) => {
                self.skip(1);
                rule.relation = b'x';
            }
            _ => {
                if let Some(relation) = self.take_one(b"><&^=!") {
                    rule.relation = relation;
                    if matches!(relation, b'&' | b'^' | b'=') {
                        self.take_one(b"=");
                    }
                    if rule.kind.size > 0 {
                        self.blanks();
                    }
                }
            }
        }
        if rule.relation == b'x' {
            rule.operand = match rule.kind.size {
                0 => Operand::Text(Vec::new()),
                _ => Operand::Number(0),
            };
            return Ok(());
        }
        rule.operand = match rule.kind.kind {
            of if is_of_text(of) => Operand::Text(self.text()),
            kind::GUID => Operand::Text(guid(self.word()).ok_or(Refusal(None))?),
            kind::DER => Operand::Text(self.word().to_vec()),
            kind::CLEAR | kind::DEFAULT => Operand::Text(self.word().to_vec()),
            kind::INDIRECT => {
                let text = "Expected numeric type got `indirect'";
                return Err(Refusal(Some(text.to_owned())));
            }
            _ if rule.kind.form == Form::Real => {
                let number = shown(self.word()).parse().map_err(|_| Refusal(None))?;
                Operand::Real(number)
            }
            _ => {
                let number = self.number().ok_or(Refusal(None))?;
                self.suffixes();
                Operand::Number(number as u64)
            }
        };
        Ok(())
    }

    /// Text up to a blank, with escapes.
    fn text(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        while let Some(byte) = self.peek().filter(|&byte| !is_blank(byte)) {
            self.skip(1);
            if byte != b'\\' {
                text.push(byte);
                continue;
            }
            let Some(escaped) = self.peek() else {
                text.push(b'\\');
                break;
            };
            self.skip(1);
            text.push(match escaped {
                b'a' => 7,
                b'b' => 8,
                b'f' => 12,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'v' => 11,
                b'0'..=b'7' => self.digits(escaped - b'0', 8, 2),
                b'x' => match self.peek().filter(u8::is_ascii_hexdigit) {
                    Some(_) => self.digits(0, 16, 2),
                    None => b'x',
                },
                other => other,
            });
        }
        text
    }

    fn digits(&mut self, start: u8, radix: u32, most: usize) -> u8 {
        let mut value = u32::from(start);
        for _ in 0..most {
            let Some(digit) = self
                .peek()
                .and_then(|byte| char::from(byte).to_digit(radix))
            else {
                break;
            };
            value = value * radix + digit;
            self.skip(1);
        }
        value as u8
    }
}

/// The type of a name, without the `u` of what has no sign.
fn kind_named(name: &str) -> Option<Type> {
    let new = |kind, size, form| Type {
        kind,
        size,
        order: Order::Little,
        form,
    };
    let plain = match name {
        "string" => kind::STRING,
        "pstring" => kind::PASCAL,
        "bestring16" => kind::BIG_STRING16,
        "lestring16" => kind::LITTLE_STRING16,
        "regex" => kind::REGEX,
        "search" => kind::SEARCH,
        "default" => kind::DEFAULT,
        "clear" => kind::CLEAR,
        "indirect" => kind::INDIRECT,
        "name" => kind::NAME,
        "use" => kind::USE,
        "der" => kind::DER,
        "guid" | "leguid" | "beguid" => kind::GUID,
        "offset" => return Some(new(kind::OFFSET, 8, Form::Integer)),
        _ => 0,
    };
    if plain != 0 {
        return Some(new(plain, 0, Form::Integer));
    }
    let (order, rest) = match name.get(..2) {
        Some("be") => (Order::Big, &name[2..]),
        Some("le") => (Order::Little, &name[2..]),
        Some("me") => (Order::Middle, &name[2..]),
        _ => (Order::Little, name),
    };
    let time = |is_local| Form::Time { is_local };
    let (kind, size, form) = match rest {
        "byte" => (kind::BYTE, 1, Form::Integer),
        "short" => (kind::SHORT, 2, Form::Integer),
        "long" => (kind::LONG, 4, Form::Integer),
        "quad" => (kind::QUAD, 8, Form::Integer),
        "float" => (kind::FLOAT, 4, Form::Real),
        "double" => (kind::DOUBLE, 8, Form::Real),
        "date" => (kind::DATE, 4, time(false)),
        "ldate" => (kind::DATE, 4, time(true)),
        "qdate" => (kind::DATE, 8, time(false)),
        "qldate" => (kind::DATE, 8, time(true)),
        "qwdate" => (kind::DATE, 8, Form::WindowsTime),
        "msdosdate" => (kind::DOS_DATE, 2, Form::DosDate),
        "msdostime" => (kind::DOS_DATE, 2, Form::DosTime),
        _ => return None,
    };
    Some(Type {
        order,
        ..new(kind, size, form)
    })
}

/// Whether rules of a type compare with text.
fn is_of_text(of: u8) -> bool {
    use kind::{BIG_STRING16, LITTLE_STRING16, NAME, PASCAL, REGEX, SEARCH, STRING, USE};
    matches!(
        of,
        STRING | PASCAL | REGEX | SEARCH | BIG_STRING16 | LITTLE_STRING16 | NAME | USE
    )
}

/// The bytes of a GUID: the first three numbers have their low bytes first.
fn guid(text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    let parts: Vec<&str> = text.split('-').collect();
    let [first, second, third, fourth, fifth] = parts.as_slice() else {
        return None;
    };
    let mut bytes = u32::from_str_radix(first, 16).ok()?.to_le_bytes().to_vec();
    for part in [second, third] {
        bytes.extend(u16::from_str_radix(part, 16).ok()?.to_le_bytes());
    }
    bytes.extend(u16::from_str_radix(fourth, 16).ok()?.to_be_bytes());
    let last = u64::from_str_radix(fifth, 16).ok()?.to_be_bytes();
    bytes.extend_from_slice(&last[2..]);
    Some(bytes)
}
