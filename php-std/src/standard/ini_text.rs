//! Texts of settings: `parse_ini_string()` and `parse_ini_file()`.

use vm_runtime::array::{PhpArray, integer_key};
use vm_runtime::function::Call;
use vm_runtime::ini::{Word, parse_word};
use vm_runtime::operators::to_string;
use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::files::{check_path, open_as_source};
use crate::support::{Append, define, functions};

functions! {
    "parse_ini_string(string $ini_string, bool $process_sections = false, int $scanner_mode = INI_SCANNER_NORMAL): array|false" => parse_ini_string,
    "parse_ini_file(path $filename, bool $process_sections = false, int $scanner_mode = INI_SCANNER_NORMAL): array|false" => parse_ini_file,
}

/// How values are read: as PHP's own settings are, as they stand, or with types.
const NORMAL: i64 = 0;
const RAW: i64 = 1;
const TYPED: i64 = 2;

/// What may stand behind an operand in brackets.
const BEHIND_OPERAND: &str = "'^' or '|' or '&' or ')'";

/// Registers functions and constants.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    define(
        vm,
        &[
            ("INI_SCANNER_NORMAL", NORMAL),
            ("INI_SCANNER_RAW", RAW),
            ("INI_SCANNER_TYPED", TYPED),
        ],
    );
    vm.register_functions(FUNCTIONS);
}

/// What a text does not go on with.
struct SyntaxError {
    unexpected: String,
    line: usize,
}

type Scanned<T> = Result<T, SyntaxError>;

/// A value before it is one of the script's.
#[derive(Clone, PartialEq)]
enum Scalar {
    Text(Vec<u8>),
    /// Digits without quotes.
    Number(Vec<u8>),
    Bool(bool),
    Null,
}

impl Scalar {
    fn is_blank(&self) -> bool {
        matches!(self, Scalar::Text(text) if text.iter().all(|&byte| is_blank(byte)))
    }

    fn text(self) -> Vec<u8> {
        match self {
            Scalar::Text(text) | Scalar::Number(text) => text,
            Scalar::Bool(true) => b"1".to_vec(),
            Scalar::Bool(false) | Scalar::Null => Vec::new(),
        }
    }
}

struct Scanner<'v, 's> {
    vm: &'v mut Vm,
    text: &'s [u8],
    position: usize,
    line: usize,
    mode: i64,
    /// An operator or a bracket asks for a value.
    in_expression: bool,
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn trim_end(text: &[u8]) -> &[u8] {
    text.trim_ascii_end()
}

/// Whether a word is a number as settings have them.
fn is_number(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    let points = digits.iter().filter(|&&byte| byte == b'.').count();
    points <= 1
        && digits.iter().any(u8::is_ascii_digit)
        && digits
            .iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

/// Whether a word may be the name of a constant.
fn is_name(word: &[u8]) -> bool {
    let is_letter = |byte: u8| byte == b'_' || byte.is_ascii_alphabetic();
    word.first().is_some_and(|&byte| is_letter(byte))
        && word
            .iter()
            .all(|&byte| is_letter(byte) || byte.is_ascii_digit())
}

/// What messages call a word that is a value.
fn token(word: Word) -> &'static str {
    match word {
        Word::Yes => "BOOL_TRUE",
        Word::No => "BOOL_FALSE",
        Word::Null => "NULL_NULL",
    }
}

impl Scanner<'_, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.position).copied()
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.position..]
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.position += 1;
        }
    }

    fn at_line_end(&self) -> bool {
        matches!(self.peek(), None | Some(b'\n' | b'\r' | b';'))
    }

    /// Moves behind the end of the line.
    fn next_line(&mut self) {
        let end = memchr::memchr(b'\n', self.rest());
        self.position = end.map_or(self.text.len(), |end| self.position + end + 1);
        self.line += 1;
    }

    fn unexpected(&self) -> SyntaxError {
        let unexpected = match self.peek() {
            None => "end of file".to_owned(),
            Some(b'\n' | b'\r') => "END_OF_LINE".to_owned(),
            Some(byte) => format!("'{}'", char::from(byte)),
        };
        let at_line_end = matches!(self.peek(), Some(b'\n' | b'\r'));
        SyntaxError {
            unexpected,
            line: self.line + usize::from(at_line_end),
        }
    }

    /// The error that the text does not go on with `wanted`.
    fn expected(&self, wanted: &str) -> SyntaxError {
        let error = self.unexpected();
        SyntaxError {
            unexpected: format!("{}, expecting {wanted}", error.unexpected),
            ..error
        }
    }

    /// `${NAME}`: a setting, or a variable of the environment, or what stands behind `:-`.
    fn variable(&mut self) -> Scanned<Vec<u8>> {
        let Some(end) = memchr::memchr(b'}', self.rest()) else {
            let has_fallback = memchr::memmem::find(self.rest(), b":-").is_some();
            self.position = self.text.len();
            return Err(self.expected(match has_fallback {
                true => "'}'",
                false => "TC_FALLBACK or '}'",
            }));
        };
        let inside = self.rest()[2..end].to_vec();
        self.position += end + 1;
        let (name, otherwise) = match memchr::memmem::find(&inside, b":-") {
            Some(at) => (&inside[..at], &inside[at + 2..]),
            None => (&inside[..], &b""[..]),
        };
        if let Some(value) = self.vm.ini.get(name).flatten() {
            return Ok(value.to_vec());
        }
        use std::os::unix::ffi::{OsStrExt, OsStringExt};
        let found = std::env::var_os(std::ffi::OsStr::from_bytes(name));
        Ok(found.map_or_else(|| otherwise.to_vec(), OsStringExt::into_vec))
    }

    /// The text between double quotes; only quotes and backslashes can be escaped.
    fn double_quoted(&mut self) -> Scanned<Vec<u8>> {
        let mut text = Vec::new();
        self.position += 1;
        loop {
            match self.peek() {
                None => {
                    return Err(self.expected("TC_DOLLAR_CURLY or TC_QUOTED_STRING or '\"'"));
                }
                Some(b'"') => break,
                Some(b'\\') => {
                    match self.rest().get(1) {
                        Some(&byte @ (b'"' | b'\\' | b'\'')) => text.push(byte),
                        Some(&byte) => text.extend_from_slice(&[b'\\', byte]),
                        None => text.push(b'\\'),
                    }
                    self.position += 2.min(self.rest().len());
                }
                Some(b'$') if self.rest().starts_with(b"${") => text.extend(self.variable()?),
                Some(byte) => {
                    self.line += usize::from(byte == b'\n');
                    text.push(byte);
                    self.position += 1;
                }
            }
        }
        self.position += 1;
        Ok(text)
    }

    fn single_quoted(&mut self) -> Option<Vec<u8>> {
        let end = memchr::memchr(b'\'', &self.rest()[1..])?;
        let text = self.rest()[1..=end].to_vec();
        self.line += memchr::memchr_iter(b'\n', &text).count();
        self.position += end + 2;
        Some(text)
    }

    /// A value up to the end of its line.
    fn value(&mut self) -> Scanned<Scalar> {
        self.skip_blanks();
        if self.mode == RAW {
            return Ok(Scalar::Text(self.raw_value()));
        }
        self.in_expression = false;
        let value = self.alternatives()?;
        self.skip_blanks();
        if self.at_line_end() {
            return Ok(value);
        }
        Err(self.unexpected())
    }

    /// The rest of the line as it stands, without a comment and without double quotes around it.
    fn raw_value(&mut self) -> Vec<u8> {
        let rest = self.rest();
        let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        // A comment begins behind the last double quote, if the value begins with one.
        let quotes = if line.starts_with(b"\"") {
            memchr::memrchr(b'"', line).unwrap_or(0)
        } else {
            0
        };
        let comment = memchr::memchr(b';', &line[quotes..]).map_or(end, |at| quotes + at);
        let text = trim_end(&line[..comment]);
        let inside = text
            .strip_prefix(b"\"")
            .and_then(|text| text.strip_suffix(b"\""));
        let text = inside.unwrap_or(text).to_vec();
        self.position += end;
        text
    }

    /// Numbers joined by `|`, `&` and `^`, or one value.
    fn alternatives(&mut self) -> Scanned<Scalar> {
        self.skip_blanks();
        if matches!(self.peek(), Some(b'|' | b'&' | b'^')) {
            return Err(self.unexpected());
        }
        let mut value = self.unary()?;
        loop {
            self.skip_blanks();
            let operator = match self.peek() {
                Some(byte @ (b'|' | b'&' | b'^')) => byte,
                _ => return Ok(value),
            };
            self.position += 1;
            self.in_expression = true;
            let (one, other) = (long(&value.text()), long(&self.unary()?.text()));
            let number = match operator {
                b'|' => one | other,
                b'&' => one & other,
                _ => one ^ other,
            };
            value = Scalar::Number(number.to_string().into_bytes());
        }
    }

    fn unary(&mut self) -> Scanned<Scalar> {
        if self.vm.native_stack_is_low() {
            // As a parser that has no room for more.
            return Err(self.unexpected());
        }
        self.skip_blanks();
        let number = match self.peek() {
            Some(b'~') => {
                self.position += 1;
                self.in_expression = true;
                !long(&self.unary()?.text())
            }
            Some(b'!') => {
                self.position += 1;
                self.in_expression = true;
                i64::from(long(&self.unary()?.text()) == 0)
            }
            Some(b'(') => {
                self.position += 1;
                self.in_expression = true;
                let inside = self.alternatives()?;
                self.skip_blanks();
                if self.peek() != Some(b')') {
                    return Err(match self.peek() {
                        None => SyntaxError {
                            unexpected: format!("END_OF_LINE, expecting {BEHIND_OPERAND}"),
                            line: self.line,
                        },
                        Some(_) => self.unexpected(),
                    });
                }
                self.position += 1;
                return Ok(inside);
            }
            _ => return self.pieces(),
        };
        Ok(Scalar::Number(number.to_string().into_bytes()))
    }

    /// Words, quoted texts and variables, joined.
    fn pieces(&mut self) -> Scanned<Scalar> {
        let mut pieces: Vec<Scalar> = Vec::new();
        loop {
            let start = self.position;
            let piece = match self.peek() {
                None
                | Some(b'\n' | b'\r' | b';' | b'|' | b'&' | b'^' | b'~' | b'(' | b')' | b'!') => {
                    break;
                }
                Some(b'=') => return Err(self.unexpected()),
                Some(byte) if is_blank(byte) => {
                    self.skip_blanks();
                    Scalar::Text(self.text[start..self.position].to_vec())
                }
                Some(b'"') => {
                    // White space around the quotes doesn't count.
                    if pieces.last().is_some_and(Scalar::is_blank) {
                        pieces.pop();
                    }
                    let text = self.double_quoted()?;
                    self.skip_blanks();
                    Scalar::Text(text)
                }
                Some(b'\'') => match self.single_quoted() {
                    Some(text) => Scalar::Text(text),
                    // A quote that nothing closes ends the whole text.
                    None => {
                        self.position = self.text.len();
                        if pieces.is_empty() {
                            return Err(self.unexpected());
                        }
                        break;
                    }
                },
                Some(b'$') if self.rest().starts_with(b"${") => Scalar::Text(self.variable()?),
                Some(b'$') => {
                    self.position += 1;
                    Scalar::Text(self.text[start..self.position].to_vec())
                }
                Some(_) => self.word(pieces.is_empty())?,
            };
            pieces.push(piece);
        }
        // White space at the end belongs to the line, if it ends.
        if self.peek().is_some() && pieces.last().is_some_and(Scalar::is_blank) {
            pieces.pop();
        }
        if pieces.is_empty() && self.in_expression {
            return Err(self.unexpected());
        }
        if pieces.len() == 1 {
            return Ok(pieces.remove(0));
        }
        Ok(Scalar::Text(
            pieces.into_iter().flat_map(Scalar::text).collect(),
        ))
    }

    /// A word without quotes: a number, a name of a constant, or itself.
    fn word(&mut self, is_first: bool) -> Scanned<Scalar> {
        let word = self.next_word().to_vec();
        self.position += word.len();
        if let Some(found) = parse_word(&word) {
            return self.alone(found, is_first);
        }
        if is_number(&word) {
            return Ok(Scalar::Number(word));
        }
        if is_name(&word)
            && let Some(value) = self.vm.find_constant_bytes(&word)
        {
            // Numbers of constants are texts, too.
            let value = Value::share(value);
            if let Ok(text) = to_string(self.vm, &value) {
                return Ok(Scalar::Text(text.to_vec()));
            }
        }
        Ok(Scalar::Text(word))
    }

    /// What stands here up to a blank or something that is no part of a word.
    fn next_word(&self) -> &[u8] {
        let rest = self.rest();
        let ends = |byte: &u8| b" \t\n\r;&|^~()!\"'$=".contains(byte);
        &rest[..rest.iter().position(ends).unwrap_or(rest.len())]
    }

    /// The value of a word that is a whole value: nothing can be joined to it.
    fn alone(&mut self, found: Word, is_first: bool) -> Scanned<Scalar> {
        if self.in_expression || !is_first {
            return Err(SyntaxError {
                unexpected: token(found).to_owned(),
                line: self.line,
            });
        }
        self.skip_blanks();
        // A quote that nothing closes ends the text.
        let is_open = self.peek() == Some(b'\'') && !self.rest()[1..].contains(&b'\'');
        if !self.at_line_end() && !is_open {
            return Err(self.unexpected_piece());
        }
        Ok(match found {
            Word::Yes => Scalar::Bool(true),
            Word::No => Scalar::Bool(false),
            Word::Null => Scalar::Null,
        })
    }

    /// The error that a piece of a value stands where its end is expected.
    fn unexpected_piece(&self) -> SyntaxError {
        let word = self.next_word();
        let kind = match self.peek() {
            Some(b'\'') => "TC_RAW",
            Some(b'$') if self.rest().starts_with(b"${") => "TC_DOLLAR_CURLY",
            Some(b'$') => "TC_STRING",
            _ if word.is_empty() => return self.unexpected(),
            _ => match parse_word(word) {
                Some(found) => token(found),
                None if is_number(word) => "TC_NUMBER",
                None if is_name(word) => "TC_CONSTANT",
                None => "TC_STRING",
            },
        };
        SyntaxError {
            unexpected: kind.to_owned(),
            line: self.line,
        }
    }

    /// `[section]`
    fn section(&mut self) -> Scanned<Vec<u8>> {
        self.position += 1;
        let name = self.bracketed()?;
        self.next_line();
        Ok(name)
    }

    /// Text up to `]`, with quotes and variables.
    fn bracketed(&mut self) -> Scanned<Vec<u8>> {
        let mut name = Vec::new();
        loop {
            match self.peek() {
                Some(b']') => break,
                None | Some(b'\n' | b'\r') => {
                    self.position = self.text.len();
                    return Err(self.expected("']'"));
                }
                Some(b'"') if self.mode != RAW => name.extend(self.double_quoted()?),
                Some(b'\'') => match self.single_quoted() {
                    Some(text) => name.extend(text),
                    None => return Err(self.unexpected()),
                },
                Some(b'$') if self.mode != RAW && self.rest().starts_with(b"${") => {
                    name.extend(self.variable()?);
                }
                Some(byte) => {
                    name.push(byte);
                    self.position += 1;
                }
            }
        }
        self.position += 1;
        if self.mode == RAW && name.len() >= 2 && name[0] == b'"' && name.ends_with(b"\"") {
            name.pop();
            name.remove(0);
        }
        Ok(name)
    }
}

/// The number at the start of a text.
fn long(text: &[u8]) -> i64 {
    let (negative, digits) = match text.trim_ascii() {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let number = digits.fold(0i64, |number, byte| {
        number
            .saturating_mul(10)
            .saturating_add(i64::from(byte - b'0'))
    });
    if negative { -number } else { number }
}

/// The script's value.
fn finished(vm: &mut Vm, scalar: Scalar, mode: i64) -> Value {
    if mode != TYPED {
        let text = scalar.text();
        return vm.string(text).into();
    }
    match scalar {
        Scalar::Bool(value) => value.into(),
        Scalar::Null => Value::NULL,
        Scalar::Text(text) => vm.string(text).into(),
        Scalar::Number(text) => {
            let shown = vm_runtime::message::text(&text).into_owned();
            match (shown.parse::<i64>(), shown.parse::<f64>()) {
                (Ok(number), _) => number.into(),
                (Err(_), Ok(number)) if shown.contains('.') => number.into(),
                _ => vm.string(text).into(),
            }
        }
    }
}

fn set(array: &mut PhpArray, key: &[u8], value: Value) {
    match integer_key(key) {
        Some(number) => array.set_long(number, value),
        None => array.set_bytes(key, value),
    }
}

fn get(array: &PhpArray, key: &[u8]) -> Option<Value> {
    let found = match integer_key(key) {
        Some(number) => array.get_long(number),
        None => array.get_bytes(key),
    };
    found.map(Value::share)
}

/// Reads a text into an array; a syntax error is a warning.
fn parse(
    vm: &mut Vm,
    text: &[u8],
    file: &str,
    sections: bool,
    mode: i64,
) -> PhpResult<Option<ArrayHandle>> {
    if !(NORMAL..=TYPED).contains(&mode) {
        vm.warning("Invalid scanner mode");
        vm.check()?;
        return Ok(None);
    }
    let (whole, error) = read_all(vm, text, sections, mode);
    if let Some(SyntaxError { unexpected, line }) = error {
        vm.warning(format!(
            "syntax error, unexpected {unexpected} in {file} on line {line}\n"
        ));
        vm.check()?;
        return Ok(None);
    }
    Ok(Some(whole))
}

/// Reads a text into an array, up to a syntax error.
fn read_all(
    vm: &mut Vm,
    text: &[u8],
    sections: bool,
    mode: i64,
) -> (ArrayHandle, Option<SyntaxError>) {
    let mut whole = vm.new_array();
    let mut current: Option<(Vec<u8>, ArrayHandle)> = None;
    let mut scanner = Scanner {
        vm,
        text: text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text),
        position: 0,
        line: 1,
        mode,
        in_expression: false,
    };
    let outcome = (|| -> Scanned<()> {
        loop {
            let start = scanner.position;
            scanner.skip_blanks();
            let blanks = &scanner.text[start..scanner.position];
            let is_led_by_spaces = !blanks.is_empty() && !blanks.contains(&b'\t');
            let Some(byte) = scanner.peek() else { break };
            match byte {
                b'\n' | b'\r' => scanner.next_line(),
                b';' => scanner.next_line(),
                b'[' => {
                    let name = scanner.section()?;
                    if sections {
                        close_section(scanner.vm, &mut whole, current.take());
                        current = Some((name, scanner.vm.new_array()));
                    }
                }
                _ => {
                    let Some((key, offset, value)) = entry(&mut scanner, is_led_by_spaces)? else {
                        continue;
                    };
                    let value = finished(scanner.vm, value, mode);
                    let table = match &mut current {
                        Some((_, table)) => table,
                        None => &mut whole,
                    };
                    store(scanner.vm, table, &key, offset, value);
                }
            }
        }
        Ok(())
    })();
    close_section(vm, &mut whole, current.take());
    (whole, outcome.err())
}

fn close_section(vm: &mut Vm, whole: &mut ArrayHandle, section: Option<(Vec<u8>, ArrayHandle)>) {
    if let Some((name, table)) = section {
        set(whole.make_mut(vm), &name, table.into());
    }
}

/// A line's key, its offset in brackets, and its value.
type Entry = (Vec<u8>, Option<Vec<u8>>, Scalar);

/// An entry; `None` for a key without a value. Nothing but spaces may stand in front of the key.
fn entry(scanner: &mut Scanner<'_, '_>, is_led_by_spaces: bool) -> Scanned<Option<Entry>> {
    let ends = |byte: &u8| b"=\n\r;&|^$~(){}!\"[".contains(byte);
    let length = scanner.rest().iter().position(ends);
    let length = length.unwrap_or(scanner.rest().len());
    let key = trim_end(&scanner.rest()[..length]).to_vec();
    scanner.position += length;
    if key.is_empty() {
        return Err(scanner.unexpected());
    }
    if !is_led_by_spaces
        && scanner.peek() != Some(b'[')
        && let Some(word) = parse_word(&key)
    {
        // Words that are values are no keys, unless spaces in front make a longer word of them.
        return Err(SyntaxError {
            unexpected: token(word).to_owned(),
            line: scanner.line,
        });
    }
    let mut offset = None;
    if scanner.peek() == Some(b'[') {
        scanner.position += 1;
        offset = Some(scanner.bracketed()?);
        scanner.skip_blanks();
    }
    match scanner.peek() {
        Some(b'=') => scanner.position += 1,
        None | Some(b'\n' | b'\r' | b';') => {
            scanner.next_line();
            return Ok(None);
        }
        Some(_) => return Err(scanner.unexpected()),
    }
    let value = scanner.value()?;
    scanner.next_line();
    Ok(Some((key, offset, value)))
}

/// Puts a value in a table: `key = value`, `key[] = value` or `key[offset] = value`.
fn store(vm: &mut Vm, table: &mut ArrayHandle, key: &[u8], offset: Option<Vec<u8>>, value: Value) {
    let Some(offset) = offset else {
        return set(table.make_mut(vm), key, value);
    };
    let inner = get(table, key).and_then(|value| value.array());
    let mut inner = inner.unwrap_or_else(|| vm.new_array());
    if offset.is_empty() {
        inner.make_mut(vm).append(value);
    } else {
        set(inner.make_mut(vm), &offset, value);
    }
    set(table.make_mut(vm), key, inner.into());
}

/// Reads the text of a configuration file, sections left out. A syntax error is told of on standard
/// error; what stands before it counts.
pub(super) fn parse_configuration(vm: &mut Vm, text: &[u8], file: &str) -> ArrayHandle {
    let (settings, error) = read_all(vm, text, false, NORMAL);
    if let Some(SyntaxError { unexpected, line }) = error {
        let message =
            format!("PHP:  syntax error, unexpected {unexpected} in {file} on line {line}\n");
        vm.write_error(message.as_bytes());
    }
    settings
}

fn or_false(parsed: Option<ArrayHandle>) -> PhpResult<Value> {
    Ok(parsed.map_or(Value::from(false), Value::from))
}

fn parse_ini_string(call: &mut Call<'_>) -> PhpResult<Value> {
    let (text, sections, mode) = (call.bytes(0), call.bool(1), call.long(2));
    or_false(parse(call.vm, text, "Unknown", sections, mode)?)
}

fn parse_ini_file(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.bytes(0).is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    check_path(call, 0)?;
    let (name, sections, mode) = (call.bytes(0), call.bool(1), call.long(2));
    let found = call.vm.resolve_include_path(name);
    let Some(mut stream) = open_as_source(call.vm, found.as_deref().unwrap_or(name))? else {
        return Ok(false.into());
    };
    let text = stream.read_all().unwrap_or_default();
    let name = vm_runtime::message::text(name).into_owned();
    or_false(parse(call.vm, &text, &name, sections, mode)?)
}
