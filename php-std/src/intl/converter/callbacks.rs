//! Conversions, and how classes that extend UConverter are asked about what cannot be converted.

use vm_runtime::object::PhpObject;
use vm_runtime::value::{ObjectHandle, PhpReference, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::codec::{Part, Problem, Writer, decode};
use super::{End, conversion, fail};
use crate::intl::errors::{ILLEGAL_ARGUMENT, INVALID_CHARACTER};
use crate::intl::normalizer::is_ignorable;
use crate::support::{list, utf8};

/// The names of the reasons, in their order.
pub(super) const REASONS: [&str; 6] = [
    "REASON_UNASSIGNED",
    "REASON_ILLEGAL",
    "REASON_IRREGULAR",
    "REASON_RESET",
    "REASON_CLOSE",
    "REASON_CLONE",
];
const UNASSIGNED: i64 = 0;
const ILLEGAL: i64 = 1;
const RESET: i64 = 3;
const CLOSE: i64 = 4;

const TRUNCATED_CHARACTER: i64 = 11;
const ILLEGAL_CHARACTER: i64 = 12;

/// What stands for bytes that are no character.
const REPLACEMENT: u32 = 0xfffd;

/// What came of a conversion: the text, or a code of what was wrong.
type Outcome<T> = Result<T, i64>;

/// How often ICU goes through a text: first only to see how long the result is.
const PASSES: usize = 2;

/// A method that is asked.
#[derive(Debug, Clone, Copy)]
struct Callback {
    method: &'static [u8],
    /// Its name in messages.
    name: &'static str,
}

const TO_CHARACTERS: Callback = Callback {
    method: b"toucallback",
    name: "toUCallback",
};
const FROM_CHARACTERS: Callback = Callback {
    method: b"fromucallback",
    name: "fromUCallback",
};

impl Callback {
    /// Asks; gives the answer, and the code of what is still wrong then.
    fn ask(
        self,
        vm: &mut Vm,
        object: &ObjectHandle,
        reason: i64,
        about: [Value; 2],
        code: i64,
    ) -> PhpResult<(Value, i64)> {
        let error = PhpReference::allocate(&mut vm.heap, Value::from(code).into_zval());
        let error = error.into_value();
        let [rest, unit] = about;
        let arguments = vec![reason.into(), rest, unit, error.clone()];
        let answer = vm.call_method(object, self.method, arguments)?;
        let code = match error.as_zval().deref().view() {
            ValueKind::Long(code) => code,
            _ => code,
        };
        Ok((answer, code))
    }

    /// Tells what is about the whole conversion.
    fn tell(self, vm: &mut Vm, object: &ObjectHandle, reason: i64) -> PhpResult<()> {
        let nothing: [Value; 2] = match self.method {
            b"toucallback" => [vm.string("").into(), vm.string("").into()],
            _ => [vm.new_array().into(), 0i64.into()],
        };
        self.ask(vm, object, reason, nothing, 0).map(drop)
    }

    /// Goes through an answer: nothing, a number, a text, or a list of these.
    fn take(
        self,
        vm: &mut Vm,
        object: &ObjectHandle,
        answer: &Value,
        put: &mut dyn FnMut(Piece<'_>) -> bool,
    ) -> PhpResult<()> {
        match answer.as_zval().deref().view() {
            ValueKind::Null => Ok(()),
            ValueKind::Long(number) if put(Piece::Number(number)) => Ok(()),
            ValueKind::Long(number) => {
                let message = format!("Invalid codepoint U+{number:04x}");
                fail(vm, object, ILLEGAL_ARGUMENT, &message)
            }
            ValueKind::String(bytes) => {
                put(Piece::Bytes(bytes));
                Ok(())
            }
            ValueKind::Array(parts) => {
                vm.check_native_stack()?;
                let parts: Vec<Value> = parts.iter().map(|(_, part)| Value::share(part)).collect();
                parts
                    .iter()
                    .try_for_each(|part| self.take(vm, object, part, put))
            }
            _ => {
                let message = format!(
                    "{}() specified illegal type for substitution character",
                    self.name
                );
                fail(vm, object, ILLEGAL_ARGUMENT, &message)
            }
        }
    }
}

/// A part of an answer.
#[derive(Debug, Clone, Copy)]
enum Piece<'a> {
    Number(i64),
    Bytes(&'a [u8]),
}

/// Whether the class of an object may want to know what happens.
pub(super) fn is_told(vm: &mut Vm, object: &PhpObject) -> bool {
    let own = vm.linked_class(b"uconverter");
    own.is_some_and(|own| !std::ptr::eq(own, object.class))
}

/// The characters of a text. An object of the script is asked about bytes that are none.
pub(super) fn to_characters(
    vm: &mut Vm,
    end: &End,
    bytes: &[u8],
    told: Option<&ObjectHandle>,
) -> PhpResult<Outcome<Vec<u32>>> {
    let parts = decode(&end.converter, bytes);
    let Some(object) = told else {
        let plain = parts.iter().map(|part| match part {
            Part::Character(character) => *character,
            Part::Bad { .. } => REPLACEMENT,
        });
        return Ok(Ok(plain.collect()));
    };
    let mut characters = Vec::with_capacity(parts.len());
    for _ in 0..PASSES {
        characters.clear();
        TO_CHARACTERS.tell(vm, object, RESET)?;
        for part in &parts {
            let (start, end, problem) = match *part {
                Part::Character(character) => {
                    characters.push(character);
                    continue;
                }
                Part::Bad {
                    start,
                    end,
                    problem,
                } => (start, end, problem),
            };
            let (reason, code) = match problem {
                Problem::Unassigned => (UNASSIGNED, INVALID_CHARACTER),
                Problem::Illegal => (ILLEGAL, ILLEGAL_CHARACTER),
                Problem::Truncated => (ILLEGAL, TRUNCATED_CHARACTER),
            };
            let about = [
                vm.string(&bytes[end..]).into(),
                vm.string(&bytes[start..end]).into(),
            ];
            let (answer, code) = TO_CHARACTERS.ask(vm, object, reason, about, code)?;
            TO_CHARACTERS.take(vm, object, &answer, &mut |piece| {
                put_characters(piece, &mut characters)
            })?;
            if code > 0 {
                return Ok(Err(code));
            }
        }
    }
    Ok(Ok(characters))
}

/// Adds what an answer says to characters; false for a number that is none.
fn put_characters(piece: Piece<'_>, characters: &mut Vec<u32>) -> bool {
    match piece {
        Piece::Number(number) => match u32::try_from(number) {
            Ok(character @ 0..=0x10_ffff) => characters.push(character),
            _ => return false,
        },
        Piece::Bytes(mut rest) => {
            while !rest.is_empty() {
                let (character, length) = utf8::decode(rest);
                characters.push(character.unwrap_or(REPLACEMENT));
                rest = &rest[length..];
            }
        }
    }
    true
}

/// The bytes of a text. An object of the script is asked about characters that the encoding does not have.
pub(super) fn from_characters(
    vm: &mut Vm,
    end: &End,
    characters: &[u32],
    told: Option<&ObjectHandle>,
) -> PhpResult<Outcome<Vec<u8>>> {
    vm_runtime::limits::poll();
    let Some(object) = told else {
        let mut writer = Writer::new(&end.converter, characters.is_empty());
        for &character in characters {
            // What is not seen is not missed.
            if !writer.put(character) && !char::from_u32(character).is_some_and(is_ignorable) {
                writer.output.extend_from_slice(&end.substitute);
            }
        }
        return Ok(Ok(writer.finish()));
    };
    let mut written = Vec::new();
    for _ in 0..PASSES {
        FROM_CHARACTERS.tell(vm, object, RESET)?;
        let mut writer = Writer::new(&end.converter, characters.is_empty());
        for &character in characters {
            if writer.put(character) {
                continue;
            }
            let number = Value::from(i64::from(character));
            let source = list(vm, vec![number.clone()]);
            let about = [source, number];
            let (answer, code) =
                FROM_CHARACTERS.ask(vm, object, UNASSIGNED, about, INVALID_CHARACTER)?;
            FROM_CHARACTERS.take(vm, object, &answer, &mut |piece| {
                match piece {
                    // As much of it as a byte holds.
                    Piece::Number(number) => writer.output.push(number as u8),
                    Piece::Bytes(bytes) => writer.output.extend_from_slice(bytes),
                }
                true
            })?;
            if code > 0 {
                return Ok(Err(code));
            }
        }
        written = writer.finish();
    }
    Ok(Ok(written))
}

/// Tells that one end was closed.
pub(super) fn close_end(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<()> {
    if !is_told(vm, object) {
        return Ok(());
    }
    TO_CHARACTERS.tell(vm, object, CLOSE)?;
    FROM_CHARACTERS.tell(vm, object, CLOSE)
}

/// Tells that both ends are closed, where the object goes.
pub(super) fn close(vm: &mut Vm, object: *mut PhpObject) {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { ObjectHandle::share_raw(object) };
    let state = conversion(&object);
    for end in [state.source.take(), state.target.take()] {
        // What is thrown waits for whoever let the object go.
        if end.is_some() && vm.check().is_ok() {
            let _ = close_end(vm, &object);
        }
    }
}
