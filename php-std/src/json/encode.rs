//! Values to JSON.

use vm_runtime::array::{Key, KeyRef, PhpArray};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::class_flags;
use vm_runtime::object::{self, PhpObject};
use vm_runtime::operators::float_text;
use vm_runtime::operators::numeric_string::{self, Number};
use vm_runtime::value::{ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::{
    INVALID_UTF8_IGNORE, INVALID_UTF8_SUBSTITUTE, JsonError, PARTIAL_OUTPUT, PRETTY_PRINT,
};
use crate::support::{StringBuilder, hold, utf8};

pub(super) const HEX_TAG: i64 = 1;
pub(super) const HEX_AMP: i64 = 2;
pub(super) const HEX_APOS: i64 = 4;
pub(super) const HEX_QUOT: i64 = 8;
pub(super) const FORCE_OBJECT: i64 = 16;
pub(super) const NUMERIC_CHECK: i64 = 32;
pub(super) const UNESCAPED_SLASHES: i64 = 64;
pub(super) const UNESCAPED_UNICODE: i64 = 256;
pub(super) const PRESERVE_ZERO_FRACTION: i64 = 1024;
pub(super) const UNESCAPED_LINE_TERMINATORS: i64 = 2048;

/// Writes a value. The error is the last one; without partial output the text is then of no use.
pub(super) fn encode(
    vm: &mut Vm,
    value: &Value,
    flags: i64,
    maximum_depth: i64,
) -> PhpResult<(StringBuilder, Option<JsonError>)> {
    let out = StringBuilder::new(vm, 64);
    let above = std::mem::take(&mut vm.extensions.state::<Above>().0);
    let outer = above.len();
    let mut encoder = Encoder {
        out,
        flags,
        depth: 0,
        maximum_depth,
        error: None,
        above,
    };
    // Without partial output the first error ends it.
    let outcome = encoder.value(vm, value);
    encoder.above.truncate(outer);
    encoder.lend(vm);
    match outcome {
        Ok(()) | Err(Stop::Error) => Ok((encoder.out, encoder.error)),
        Err(Stop::Thrown) => Err(vm_runtime::vm::Thrown),
    }
}

/// What is being encoded while `jsonSerialize()` runs: that may encode, too.
#[derive(Debug, Default)]
struct Above(Vec<*const ()>);

/// Why encoding ended early.
enum Stop {
    Error,
    Thrown,
}

impl From<vm_runtime::vm::Thrown> for Stop {
    fn from(_: vm_runtime::vm::Thrown) -> Stop {
        Stop::Thrown
    }
}

type Step = Result<(), Stop>;

struct Encoder {
    out: StringBuilder,
    flags: i64,
    depth: i64,
    maximum_depth: i64,
    error: Option<JsonError>,
    /// Addresses of the arrays and objects being encoded.
    above: Vec<*const ()>,
}

impl Encoder {
    fn has(&self, flag: i64) -> bool {
        self.flags & flag != 0
    }

    /// Leaves word of what is being encoded.
    fn lend(&mut self, vm: &mut Vm) {
        vm.extensions.state::<Above>().0 = std::mem::take(&mut self.above);
    }

    /// Notes an error; with partial output `instead` is written and encoding goes on.
    fn fail(&mut self, error: JsonError, instead: &[u8]) -> Step {
        self.error = Some(error);
        if !self.has(PARTIAL_OUTPUT) {
            return Err(Stop::Error);
        }
        self.out.push(instead);
        Ok(())
    }

    fn value(&mut self, vm: &mut Vm, value: &Zval) -> Step {
        match value.view() {
            ValueKind::Null => self.out.push(b"null"),
            ValueKind::Bool(true) => self.out.push(b"true"),
            ValueKind::Bool(false) => self.out.push(b"false"),
            ValueKind::Long(number) => self.out.push_integer(number),
            ValueKind::Double(number) => return self.double(vm, number),
            ValueKind::String(string) => return self.string(vm, string),
            ValueKind::Array(_) => {
                let held = hold(value);
                if let Some(array) = held.array() {
                    return self.array(vm, &array);
                }
            }
            ValueKind::Object(_) => {
                let held = hold(value);
                if let Some(object) = held.object() {
                    return self.object(vm, &object);
                }
            }
            ValueKind::Resource(_) => return self.fail(JsonError::UnsupportedType, b"null"),
        }
        Ok(())
    }

    fn double(&mut self, vm: &mut Vm, number: f64) -> Step {
        if !number.is_finite() {
            return self.fail(JsonError::InfinityOrNan, b"0");
        }
        let precision = vm.ini.long("serialize_precision");
        let digits = float_text::with_exponent(number, precision, b'e');
        self.out.push(digits.as_bytes());
        let integral = digits
            .as_bytes()
            .iter()
            .all(|byte| matches!(byte, b'-' | b'0'..=b'9'));
        if integral && self.has(PRESERVE_ZERO_FRACTION) {
            self.out.push(b".0");
        }
        Ok(())
    }

    /// Starts an array or object; false if it contains itself.
    fn enter(&mut self, vm: &mut Vm, address: *const ()) -> Result<bool, Stop> {
        vm.poll();
        if self.above.contains(&address) {
            self.fail(JsonError::Recursion, b"null")?;
            return Ok(false);
        }
        if vm.native_stack_is_low() {
            // Whatever the depth allowed: there is no going deeper.
            self.error = Some(JsonError::Depth);
            return Err(Stop::Error);
        }
        self.above.push(address);
        self.depth += 1;
        Ok(true)
    }

    fn leave(&mut self) -> Step {
        self.above.pop();
        if self.depth > self.maximum_depth {
            self.error = Some(JsonError::Depth);
            if !self.has(PARTIAL_OUTPUT) {
                return Err(Stop::Error);
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// A line break and the indentation of the current depth.
    fn new_line(&mut self, depth: i64) {
        if self.has(PRETTY_PRINT) {
            self.out.push_byte(b'\n');
            self.out.fill(b' ', 4 * depth.max(0) as usize);
        }
    }

    fn separate(&mut self, first: &mut bool) {
        if !std::mem::take(first) {
            self.out.push_byte(b',');
        }
        self.new_line(self.depth);
    }

    fn colon(&mut self) {
        self.out
            .push(if self.has(PRETTY_PRINT) { b": " } else { b":" });
    }

    fn array(&mut self, vm: &mut Vm, array: &PhpArray) -> Step {
        let as_list = !self.has(FORCE_OBJECT) && array.is_list();
        let (open, close) = if as_list { (b'[', b']') } else { (b'{', b'}') };
        if array.is_empty() {
            self.out.push(&[open, close]);
            return Ok(());
        }
        if !self.enter(vm, (&raw const *array).cast())? {
            return Ok(());
        }
        self.out.push_byte(open);
        let mut first = true;
        for (key, value) in array.iter() {
            self.separate(&mut first);
            if !as_list {
                self.key(key)?;
            }
            self.value(vm, value)?;
        }
        self.close(close)
    }

    fn key(&mut self, key: KeyRef<'_>) -> Step {
        match key {
            KeyRef::Long(number) => {
                self.out.push_byte(b'"');
                self.out.push_integer(number);
                self.out.push_byte(b'"');
            }
            KeyRef::String(name) => {
                let flags = self.flags;
                self.flags &= !NUMERIC_CHECK;
                // Where values are null, names are empty.
                self.text(name, b"\"\"")?;
                self.flags = flags;
            }
        }
        self.colon();
        Ok(())
    }

    fn close(&mut self, close: u8) -> Step {
        self.leave()?;
        self.new_line(self.depth);
        self.out.push_byte(close);
        Ok(())
    }

    fn object(&mut self, vm: &mut Vm, object: &ObjectHandle) -> Step {
        let class = object.class();
        let serializable = vm.known_class(KnownClass::JsonSerializable);
        if !serializable.is_null() && class.is_subclass_of(serializable) {
            return self.serializable(vm, object);
        }
        if class.flags & class_flags::ENUM != 0 {
            if class.backing_type == 0 {
                return self.fail(JsonError::PlainEnum, b"0");
            }
            let value = hold(vm_runtime::exceptions::slot(object, 1));
            return self.value(vm, &value);
        }
        self.properties(vm, object)
    }

    fn serializable(&mut self, vm: &mut Vm, object: &ObjectHandle) -> Step {
        let address: *const PhpObject = object.as_ptr();
        if self.above.contains(&address.cast()) {
            return self.fail(JsonError::Recursion, b"null");
        }
        self.above.push(address.cast());
        let depth = self.above.len();
        self.lend(vm);
        let result = vm.call_method(object, b"jsonserialize", Vec::new());
        self.above = std::mem::take(&mut vm.extensions.state::<Above>().0);
        self.above.truncate(depth - 1);
        let result = result?;
        match result.object() {
            Some(same) if same.same(object) => self.properties(vm, object),
            _ => {
                self.above.push(address.cast());
                self.value(vm, &result)?;
                self.above.pop();
                Ok(())
            }
        }
    }

    fn properties(&mut self, vm: &mut Vm, object: &ObjectHandle) -> Step {
        let mut properties = Vec::new();
        if object
            .class()
            .handlers
            .is_some_and(|own| own.properties.is_some())
        {
            // What a native class shows; mangled names are not public.
            for (key, value) in object::properties_of(vm, object)?.iter() {
                match key {
                    KeyRef::String(name) if name.first() == Some(&0) => {}
                    _ => properties.push((key.to_key(), Value::share(value))),
                }
            }
        } else {
            properties.reserve(object.slot_count as usize);
            let scope = std::ptr::null();
            object::each_visible(vm, object, scope, true, |_, property| {
                // What `unserialize()` took for a private property of some class is none to see.
                if property.name.first() != Some(&0) {
                    properties.push((Key::String(property.name), property.value));
                }
            })?;
        }
        if !self.enter(vm, object.as_ptr().cast_const().cast())? {
            return Ok(());
        }
        if properties.is_empty() {
            self.out.push(b"{}");
            return self.leave();
        }
        self.out.push_byte(b'{');
        let mut first = true;
        for (key, value) in properties {
            self.separate(&mut first);
            self.key(key.as_ref())?;
            self.value(vm, &value)?;
        }
        self.close(b'}')
    }

    fn string(&mut self, vm: &mut Vm, bytes: &[u8]) -> Step {
        if self.has(NUMERIC_CHECK) {
            match numeric_string::parse_whole(bytes) {
                Some(Number::Long(number)) => {
                    self.out.push_integer(number);
                    return Ok(());
                }
                Some(Number::Double(number)) => return self.double(vm, number),
                None => {}
            }
        }
        self.text(bytes, b"null")
    }

    /// A text in quotes; `instead` of one that is no UTF-8.
    fn text(&mut self, bytes: &[u8], instead: &'static [u8]) -> Step {
        let start = self.out.len();
        self.out.reserve(bytes.len() + 2);
        self.out.push_byte(b'"');
        let mut rest = bytes;
        loop {
            let plain = rest
                .iter()
                .position(|&byte| !PLAIN[byte as usize])
                .unwrap_or(rest.len());
            self.out.push(&rest[..plain]);
            rest = &rest[plain..];
            let Some(&byte) = rest.first() else { break };
            if byte < 0x80 {
                self.escape(byte);
                rest = &rest[1..];
                continue;
            }
            let (character, length) = utf8::decode_or_skip(rest);
            match character {
                Some(character) => self.character(character, &rest[..length]),
                None if self.has(INVALID_UTF8_IGNORE) => {}
                None if self.has(INVALID_UTF8_SUBSTITUTE) => {
                    self.character(0xfffd, "\u{fffd}".as_bytes());
                }
                None => {
                    self.out.shorten(start);
                    return self.fail(JsonError::Utf8, instead);
                }
            }
            rest = &rest[length..];
        }
        self.out.push_byte(b'"');
        Ok(())
    }

    fn character(&mut self, character: u32, bytes: &[u8]) {
        let line_end =
            matches!(character, 0x2028 | 0x2029) && !self.has(UNESCAPED_LINE_TERMINATORS);
        if self.has(UNESCAPED_UNICODE) && !line_end {
            self.out.push(bytes);
        } else if character >= 0x10000 {
            let offset = character - 0x10000;
            self.unit(0xd800 + (offset >> 10));
            self.unit(0xdc00 + (offset & 0x3ff));
        } else {
            self.unit(character);
        }
    }

    /// `\uXXXX`
    fn unit(&mut self, unit: u32) {
        let digit = |shift: u32| b"0123456789abcdef"[(unit >> shift & 15) as usize];
        self.out
            .push(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]);
    }

    fn escape(&mut self, byte: u8) {
        let short: &[u8] = match byte {
            b'"' if self.has(HEX_QUOT) => b"\\u0022",
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'/' if !self.has(UNESCAPED_SLASHES) => b"\\/",
            0x08 => b"\\b",
            0x0c => b"\\f",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            b'<' if self.has(HEX_TAG) => b"\\u003C",
            b'>' if self.has(HEX_TAG) => b"\\u003E",
            b'&' if self.has(HEX_AMP) => b"\\u0026",
            b'\'' if self.has(HEX_APOS) => b"\\u0027",
            0..0x20 => return self.unit(byte as u32),
            _ => return self.out.push_byte(byte),
        };
        self.out.push(short);
    }
}

/// Bytes that are always written as they are.
static PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0x20;
    while byte < 0x80 {
        table[byte] = !matches!(byte as u8, b'"' | b'\\' | b'/' | b'<' | b'>' | b'&' | b'\'');
        byte += 1;
    }
    table
};
