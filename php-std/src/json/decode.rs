//! JSON to values. Nesting is kept on a stack of its own, so that depth costs no native stack.

use vm_runtime::array::{PhpArray, integer_key};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::object::{self, PhpObject};
use vm_runtime::value::{ArrayHandle, ObjectHandle, StringHandle, Value};
use vm_runtime::vm::Vm;

use super::{
    BIGINT_AS_STRING, INVALID_UTF8_IGNORE, INVALID_UTF8_SUBSTITUTE, JsonError, OBJECT_AS_ARRAY,
};
use crate::support::{Append, new_list, utf8};

/// Reads one value that is the whole text.
pub(super) fn decode(
    vm: &mut Vm,
    json: &[u8],
    flags: i64,
    depth: usize,
) -> Result<Value, JsonError> {
    let mut parser = Parser {
        json,
        at: 0,
        flags,
        scratch: Vec::new(),
    };
    let value = parser.document(vm, depth)?;
    parser.space();
    if parser.at < json.len() {
        Err(parser.unexpected())
    } else {
        Ok(value)
    }
}

/// An array or object that is being read.
enum Container {
    List(ArrayHandle),
    Map(ArrayHandle, StringHandle),
    /// The object is made when its first member is known, so the numbers of objects rise from the inside out.
    Object(Option<ObjectHandle>, StringHandle),
}

struct Parser<'a> {
    json: &'a [u8],
    at: usize,
    flags: i64,
    /// The contents of a string with escapes.
    scratch: Vec<u8>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.json.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// The error of a byte that no value goes on with.
    fn unexpected(&self) -> JsonError {
        match self.peek() {
            Some(byte) if byte < 0x20 => JsonError::ControlCharacter,
            Some(0x80..) if utf8::decode(&self.json[self.at..]).0.is_none() => JsonError::Utf8,
            _ => JsonError::Syntax,
        }
    }

    fn document(&mut self, vm: &mut Vm, maximum_depth: usize) -> Result<Value, JsonError> {
        let mut stack: Vec<Container> = Vec::new();
        loop {
            self.space();
            // A value starts here.
            let mut value = match self.peek() {
                Some(open @ (b'[' | b'{')) => {
                    self.at += 1;
                    if stack.len() + 1 >= maximum_depth {
                        return Err(JsonError::Depth);
                    }
                    match self.open(vm, open)? {
                        Opened::Empty(value) => value,
                        Opened::Container(container) => {
                            stack.push(container);
                            continue;
                        }
                    }
                }
                _ => self.scalar(vm)?,
            };
            // It belongs to the innermost container, which may end with it, and so on.
            loop {
                let Some(container) = stack.last_mut() else {
                    return Ok(value);
                };
                add(vm, container, value)?;
                self.space();
                let is_list = matches!(container, Container::List(_));
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        if !is_list {
                            self.space();
                            let key = self.key(vm)?;
                            match container {
                                Container::Map(_, name) | Container::Object(_, name) => *name = key,
                                Container::List(_) => {}
                            }
                        }
                        break;
                    }
                    Some(b']') if is_list => {}
                    Some(b'}') if !is_list => {}
                    Some(b']' | b'}') => return Err(JsonError::StateMismatch),
                    _ => return Err(self.unexpected()),
                }
                self.at += 1;
                value = match stack.pop() {
                    Some(Container::List(array) | Container::Map(array, _)) => array.into(),
                    Some(Container::Object(object, _)) => {
                        object.map_or_else(|| new_object(vm).into(), Value::from)
                    }
                    None => return Err(JsonError::Syntax),
                };
            }
        }
    }

    fn open(&mut self, vm: &mut Vm, open: u8) -> Result<Opened, JsonError> {
        self.space();
        let as_array = self.flags & OBJECT_AS_ARRAY != 0;
        if open == b'[' {
            return match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    Ok(Opened::Empty(empty_array()))
                }
                Some(b'}') => Err(JsonError::StateMismatch),
                _ => Ok(Opened::Container(Container::List(new_list(vm, 0)))),
            };
        }
        if self.peek() == Some(b'}') {
            self.at += 1;
            let value = if as_array {
                empty_array()
            } else {
                new_object(vm).into()
            };
            return Ok(Opened::Empty(value));
        }
        if self.peek() == Some(b']') {
            return Err(JsonError::StateMismatch);
        }
        let key = self.key(vm)?;
        Ok(Opened::Container(if as_array {
            Container::Map(new_list(vm, 0), key)
        } else {
            Container::Object(None, key)
        }))
    }

    /// `"name" :`
    fn key(&mut self, vm: &mut Vm) -> Result<StringHandle, JsonError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected());
        }
        let key = self.string(vm)?;
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok(key)
    }

    fn scalar(&mut self, vm: &mut Vm) -> Result<Value, JsonError> {
        let rest = &self.json[self.at..];
        match rest.first() {
            Some(b'"') => self.string(vm).map(Value::from),
            Some(b'-' | b'0'..=b'9') => self.number(vm),
            _ => {
                for (word, value) in [
                    (&b"true"[..], Value::from(true)),
                    (b"false", false.into()),
                    (b"null", Value::NULL),
                ] {
                    if rest.len() >= word.len() && rest[..word.len()].eq_ignore_ascii_case(word) {
                        // Only the exact spelling, in spite of the grammar's letter case.
                        if !rest.starts_with(word) {
                            return Err(JsonError::Syntax);
                        }
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(self.unexpected())
            }
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self, vm: &mut Vm) -> Result<Value, JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else if self.digits() == 0 {
            return Err(self.unexpected());
        }
        let mut integral = true;
        if self.peek() == Some(b'.') && matches!(self.json.get(self.at + 1), Some(b'0'..=b'9')) {
            self.at += 1;
            self.digits();
            integral = false;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            let mark = self.at;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                self.at = mark;
            } else {
                integral = false;
            }
        }
        let text = std::str::from_utf8(&self.json[start..self.at]).unwrap_or("0");
        if integral {
            if let Ok(number) = text.parse::<i64>() {
                return Ok(number.into());
            }
            if self.flags & BIGINT_AS_STRING != 0 {
                return Ok(vm.string(text).into());
            }
        }
        Ok(text.parse::<f64>().unwrap_or(0.0).into())
    }

    fn string(&mut self, vm: &mut Vm) -> Result<StringHandle, JsonError> {
        self.at += 1;
        let start = self.at;
        // Most strings have neither escapes nor broken characters and are taken as they are.
        loop {
            match self.peek() {
                Some(b'"') => {
                    let string = vm.string(&self.json[start..self.at]);
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => break,
                Some(0x20..0x80) => self.at += 1,
                Some(0x80..) => match utf8::decode(&self.json[self.at..]) {
                    (Some(_), length) => self.at += length,
                    (None, _) => break,
                },
                _ => return Err(JsonError::ControlCharacter),
            }
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.json[start..self.at]);
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(vm.string(&self.scratch));
                }
                Some(b'\\') => self.escape()?,
                Some(byte @ 0x20..0x80) => {
                    self.scratch.push(byte);
                    self.at += 1;
                }
                Some(0x80..) => {
                    // What is broken is skipped byte by byte.
                    let (character, length) = match utf8::decode(&self.json[self.at..]) {
                        (None, _) => (None, 1),
                        found => found,
                    };
                    if character.is_some() {
                        self.scratch
                            .extend_from_slice(&self.json[self.at..self.at + length]);
                    } else if self.flags & INVALID_UTF8_SUBSTITUTE != 0 {
                        self.scratch.extend_from_slice("\u{fffd}".as_bytes());
                    } else if self.flags & INVALID_UTF8_IGNORE == 0 {
                        return Err(JsonError::Utf8);
                    }
                    self.at += length;
                }
                _ => return Err(JsonError::ControlCharacter),
            }
        }
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        let escaped = self.json.get(self.at + 1).copied();
        self.at += 2;
        self.scratch.push(match escaped {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 8,
            Some(b'f') => 0x0c,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unicode(),
            _ => return Err(JsonError::Syntax),
        });
        Ok(())
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Result<u32, JsonError> {
        let digits = self
            .json
            .get(self.at..self.at + 4)
            .ok_or(JsonError::Syntax)?;
        let mut unit = 0;
        for &digit in digits {
            unit = unit << 4 | (digit as char).to_digit(16).ok_or(JsonError::Syntax)?;
        }
        self.at += 4;
        Ok(unit)
    }

    fn unicode(&mut self) -> Result<(), JsonError> {
        let mut character = self.unit()?;
        if (0xdc00..0xe000).contains(&character) {
            return Err(JsonError::Utf16);
        }
        if (0xd800..0xdc00).contains(&character) {
            if !self.json[self.at..].starts_with(b"\\u") {
                return Err(JsonError::Utf16);
            }
            self.at += 2;
            // The other half is missing, whatever stands there.
            let low = self.unit().map_err(|_| JsonError::Utf16)?;
            if !(0xdc00..0xe000).contains(&low) {
                return Err(JsonError::Utf16);
            }
            character = 0x10000 + ((character & 0x3ff) << 10 | low & 0x3ff);
        }
        let (bytes, length) = utf8::encode(character);
        self.scratch.extend_from_slice(&bytes[..length]);
        Ok(())
    }
}

enum Opened {
    Empty(Value),
    Container(Container),
}

fn empty_array() -> Value {
    // SAFETY: the immutable empty array is always live.
    unsafe { ArrayHandle::share_raw(vm_runtime::array::empty_array()).into() }
}

fn new_object(vm: &mut Vm) -> ObjectHandle {
    let class = vm.known_class(KnownClass::StdClass);
    PhpObject::allocate(vm, class)
}

fn add(vm: &mut Vm, container: &mut Container, value: Value) -> Result<(), JsonError> {
    match container {
        Container::List(array) => array.make_mut(vm).append(value),
        Container::Map(array, name) => set(array.make_mut(vm), name, value),
        Container::Object(object, name) => {
            let object = object.get_or_insert_with(|| new_object(vm));
            if name.first() == Some(&0) {
                return Err(JsonError::PropertyName);
            }
            // SAFETY: I3: the handle keeps the object alive.
            let table = unsafe { object::write::dynamic_table(vm, object.as_ptr()) };
            table.set_string(name, value);
        }
    }
    Ok(())
}

fn set(array: &mut PhpArray, name: &StringHandle, value: Value) {
    match integer_key(name) {
        Some(number) => array.set_long(number, value),
        None => array.set_string(name, value),
    }
}
