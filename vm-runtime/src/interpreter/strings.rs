//! String building and output: ROPE_*, FAST_CONCAT, ECHO, CAST, STRLEN.

use crate::frame::Frame;
use crate::generated::Opcode;
use crate::interpreter::operand::*;
use crate::op::Op;
use crate::string::{PhpString, copy_bytes};
use crate::value::{
    ARRAY, BOOL, DOUBLE, FALSE, LONG, NULL, OBJECT, STRING, StringHandle, TRUE, Zval, release,
};
use crate::vm::{Thrown, Vm};

/// Converts an operand to a string that the result owns; undefined if that threw.
unsafe fn operand_string(frame: *mut Frame, opline: *const Op, vm: *mut Vm, second: bool) -> Zval {
    let op = &*opline;
    let (kind, operand) = if second {
        (op.op2_type, op.op2)
    } else {
        (op.op1_type, op.op1)
    };
    let value = fetch_read(frame, opline, vm, kind, operand);
    let string = if (*value).kind() == STRING {
        (*value).share()
    } else if (*value).kind() == OBJECT && !(*vm).exception.is_null() {
        // The first operand of FAST_CONCAT threw: no code runs for the second one.
        Zval::UNDEF
    } else {
        match crate::operators::to_string(&mut *vm, &*value) {
            Ok(string) => string.into_value().into_zval(),
            Err(Thrown) => Zval::UNDEF,
        }
    };
    free_operand(frame, kind, operand);
    string
}

/// FAST_CONCAT: `"$left$right"`. The second operand is read when the first one is a string.
pub unsafe fn fast_concat(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let left = operand_string(frame, opline, vm, false);
    let right = operand_string(frame, opline, vm, true);
    let target = &mut *result(frame, opline);
    if (*vm).exception.is_null() {
        crate::operators::concat_strings(&mut *vm, target, &left, &right);
    } else {
        target.set_undef();
    }
    release(&left);
    release(&right);
    next(frame)
}

/// ROPE_INIT: the first part. Parts stand in consecutive slots of 8 bytes.
pub unsafe fn rope_init(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let rope = result(frame, opline).cast::<*mut PhpString>();
    *rope = rope_part(frame, opline, vm);
    next(frame)
}

unsafe fn rope_part(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *mut PhpString {
    let part = operand_string(frame, opline, vm, true);
    if part.is_undef() {
        crate::string::empty()
    } else {
        part.string()
    }
}

/// ROPE_ADD: a further part.
pub unsafe fn rope_add(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let rope = slot(frame, (*opline).op1).cast::<*mut PhpString>();
    *rope.add((*opline).extended_value as usize) = rope_part(frame, opline, vm);
    next(frame)
}

/// ROPE_END: joins all parts in one allocation.
pub unsafe fn rope_end(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let rope = slot(frame, (*opline).op1).cast::<*mut PhpString>();
    let last = (*opline).extended_value as usize;
    *rope.add(last) = rope_part(frame, opline, vm);
    if !(*vm).exception.is_null() {
        release_parts(std::slice::from_raw_parts(rope, last + 1));
        (*result(frame, opline)).set_undef();
        return next(frame);
    }
    let joined = join_rope(vm, rope.cast(), last);
    (*result(frame, opline)).set(Zval::from_string(joined));
    next(frame)
}

/// The string made of the parts of a rope up to `last`, in one allocation; they are given back.
pub unsafe fn join_rope(vm: *mut Vm, rope: *mut Zval, last: usize) -> *mut PhpString {
    let parts = std::slice::from_raw_parts(rope.cast::<*mut PhpString>(), last + 1);
    let length: usize = parts.iter().map(|&part| (*part).len()).sum();
    let string = PhpString::allocate(&mut (*vm).heap, length);
    let mut target = (*string.as_ptr()).data();
    for &part in parts {
        copy_bytes((*part).as_bytes(), target);
        target = target.add((*part).len());
    }
    release_parts(parts);
    string.into_raw()
}

unsafe fn release_parts(parts: &[*mut PhpString]) {
    for &part in parts {
        drop(StringHandle::from_raw(part));
    }
}

/// The slot of the rope that an opline begins or adds to, and the number of the part; none if it does neither.
pub fn rope_of(op: &Op) -> Option<(u32, u32)> {
    const INIT: u8 = Opcode::ROPE_INIT as u8;
    const ADD: u8 = Opcode::ROPE_ADD as u8;
    match op.opcode {
        INIT => Some((op.result, 0)),
        ADD => Some((op.result, op.extended_value)),
        _ => None,
    }
}

/// Makes the part empty that an opline was about to add to a rope when it was given up. Where it throws instead, it
/// adds an empty one by itself: parts are released up to it.
pub unsafe fn end_part(frame: *mut Frame, opline: *const Op) {
    if let Some((rope, index)) = rope_of(&*opline) {
        let parts = slot(frame, rope).cast::<*mut PhpString>();
        *parts.add(index as usize) = crate::string::empty();
    }
}

/// Releases the parts of a rope that an exception interrupted: all up to `last`.
pub unsafe fn release_rope(rope: *mut Zval, last: u32) {
    release_parts(std::slice::from_raw_parts(
        rope.cast::<*mut PhpString>(),
        last as usize + 1,
    ));
}

/// ECHO in full.
pub unsafe fn echo(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let value = read_op1(frame, opline, vm);
    let is_array = (*value).kind() == ARRAY;
    if (*value).kind() == STRING {
        let string = StringHandle::share_raw((*value).string());
        (*vm).write(string.as_bytes());
    } else if let Ok(string) = crate::operators::to_string(&mut *vm, &*value) {
        (*vm).write(string.as_bytes());
    } else if is_array {
        // It is printed even if the warning about it throws.
        (*vm).write(b"Array");
    }
    free_op1(frame, opline);
    next(frame)
}

/// CAST in full.
pub unsafe fn cast(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let value = read_op1(frame, opline, vm);
    let target = result(frame, opline);
    let vm_ref = &mut *vm;
    let converted = match op.extended_value as u8 {
        kind if kind == (*value).kind() => (*value).share(),
        NULL => Zval::NULL,
        FALSE | TRUE | BOOL => Zval::from_bool(crate::operators::to_bool(&*value)),
        LONG => Zval::from_long(crate::operators::to_long(vm_ref, &*value)),
        DOUBLE => Zval::from_double(crate::operators::to_double(vm_ref, &*value)),
        STRING => match crate::operators::to_string(vm_ref, &*value) {
            Ok(string) => string.into_value().into_zval(),
            Err(Thrown) => Zval::UNDEF,
        },
        ARRAY => crate::operators::to_array(vm_ref, &*value)
            .into_value()
            .into_zval(),
        OBJECT => crate::operators::to_object(vm_ref, &*value)
            .into_value()
            .into_zval(),
        _ => (*value).share(),
    };
    free_op1(frame, opline);
    *target = converted;
    next(frame)
}

/// True if objects of its class become strings, by a method or natively.
fn has_text(object: &crate::object::PhpObject) -> bool {
    let class = object.class();
    !class.magic.to_string.is_null()
        || (class.handlers).is_some_and(|handlers| handlers.cast.is_some())
}

/// STRLEN in full.
pub unsafe fn strlen(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let value = read_op1(frame, opline, vm);
    let target = result(frame, opline);
    let strict = (*(*frame).function).flags & crate::function::flags::STRICT_TYPES != 0;
    match (*value).kind() {
        STRING => *target = Zval::from_long((*(*value).string()).len() as i64),
        kind => {
            let mut length = None;
            if (*vm).exception.is_null() {
                if kind == NULL && !strict {
                    (*vm).deprecated(
                        "strlen(): Passing null to parameter #1 ($string) of type string is deprecated",
                    );
                    length = Some(0);
                } else if kind < STRING && !strict
                    || kind == OBJECT && !strict && has_text(&*(*value).object())
                {
                    length = crate::operators::to_string(&mut *vm, &*value)
                        .ok()
                        .map(|string| string.len());
                } else {
                    let name = crate::operators::value_name(&*value);
                    (*vm).throw_error(
                        crate::exceptions::KnownClass::TypeError,
                        format!(
                            "strlen(): Argument #1 ($string) must be of type string, {name} given"
                        ),
                    );
                }
            }
            *target = match length {
                Some(length) => Zval::from_long(length as i64),
                None => Zval::UNDEF,
            };
        }
    }
    free_op1(frame, opline);
    next(frame)
}

/// TYPE_CHECK in full.
pub unsafe fn type_check(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let value = read_op1(frame, opline, vm);
    let mask = (*opline).extended_value;
    let mut found = mask >> (*value).kind() & 1 != 0;
    if found && (*value).kind() == crate::value::RESOURCE {
        found = !(&*(*value).resource()).type_name.is_empty();
    }
    free_op1(frame, opline);
    super::variables::finish_boolean(frame, opline, found)
}

/// GET_TYPE.
pub unsafe fn get_type(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let value = read_op1(frame, opline, vm);
    let name = crate::operators::legacy_type_name(&*value);
    let string = (*vm).string(name);
    *result(frame, opline) = string.into_value().into_zval();
    free_op1(frame, opline);
    next(frame)
}
