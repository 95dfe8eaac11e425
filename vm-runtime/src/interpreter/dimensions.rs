//! Reads of array elements, string offsets and ArrayAccess: FETCH_DIM_R, FETCH_DIM_IS,
//! FETCH_LIST_R, ISSET_ISEMPTY_DIM_OBJ.

use crate::array::KeyRef;
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::generated::Opcode;
use crate::interpreter::array_keys::{KeyUse, array_key, undefined_key};
use crate::interpreter::operand::*;
use crate::interpreter::string_offsets::{byte_at, isset_string_offset, read_string_offset};
use crate::interpreter::variables::{finish_boolean, is_set};
use crate::object::array_access;
use crate::op::{IS_CONST, IS_CV, Op};
use crate::value::{ARRAY, LONG, OBJECT, ObjectHandle, STRING, Value, Zval, release_temporary};
use crate::vm::{Thrown, Vm};

/// In `extra` of a number that is an offset: behind it stands the string that was written.
const WRITTEN_AS_STRING: u32 = 1;

/// The offset operand. Objects get a numeric literal as the string that was written.
pub(super) unsafe fn read_offset(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    container_kind: u8,
) -> *const Zval {
    let offset = read_op2(frame, opline, vm);
    let is_number = (*opline).op2_type == IS_CONST
        && (*offset).kind() == LONG
        && (*offset).extra == WRITTEN_AS_STRING;
    if is_number && container_kind == OBJECT {
        offset.add(1)
    } else {
        offset
    }
}

/// `container[offset]` for reading; the result is owned.
pub unsafe fn read_dimension(
    vm: *mut Vm,
    container: *const Zval,
    offset: *const Zval,
    silent: bool,
) -> Zval {
    let vm = &mut *vm;
    match (*container).kind() {
        ARRAY => {
            let array = (*container).array();
            // The conversion may run user code: hold the array.
            let simple = matches!((*offset).kind(), LONG | STRING);
            let held = if simple {
                None
            } else {
                Some(Value::share(&*container))
            };
            let key = match array_key(vm, &*offset, KeyUse::Access) {
                Ok(key) => key,
                Err(Thrown) => return Zval::UNDEF,
            };
            let found = (*array).get(key).map(|value| value.share_deref());
            drop(held);
            match found {
                Some(value) => value,
                None => {
                    if !silent {
                        undefined_key(vm, key);
                    }
                    Zval::NULL
                }
            }
        }
        STRING => read_string_offset(vm, &*container, &*offset, silent),
        OBJECT => {
            let object = ObjectHandle::share_raw((*container).object());
            let offset = Value::share(&*offset);
            let found = match silent {
                true => array_access::get_if_set(vm, &object, &offset),
                false => array_access::get(vm, &object, &offset),
            };
            match found {
                Ok(value) => value.into_zval().into_read(),
                Err(Thrown) => Zval::UNDEF,
            }
        }
        _ => {
            if !silent {
                let kind = crate::operators::value_name(&*container);
                vm.warning(format!("Trying to access array offset on {kind}"));
            }
            Zval::NULL
        }
    }
}

impl Zval {
    /// An owned value with its reference resolved.
    #[inline(always)]
    pub(crate) fn into_read(self) -> Zval {
        if !self.is_reference() {
            return self.copy();
        }
        let value = self.share_deref();
        // SAFETY: I3: the share moves from the reference to its value.
        unsafe { release_temporary(&self) };
        value
    }
}

/// FETCH_DIM_R and FETCH_DIM_IS in full.
pub unsafe fn fetch_dim_r(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let silent = op.opcode == Opcode::FETCH_DIM_IS as u8;
    fetch_dim_value(frame, opline, vm, silent);
    next(frame)
}

pub(super) unsafe fn fetch_dim_value(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    silent: bool,
) {
    let op = &*opline;
    // The frequent case behind the inline ones: a fresh string finds an element of an array.
    let (array, key) = (deref(raw_op1(frame, opline)), raw_op2(frame, opline));
    if (*array).kind() == ARRAY && (*key).kind() == STRING {
        let key = KeyRef::of_text(&*(*key).string());
        if let Some(element) = (*(*array).array()).get(key) {
            let value = element.share_deref();
            free_op2(frame, opline);
            free_op1(frame, opline);
            *result(frame, opline) = value;
            return;
        }
    }
    if (*array).kind() == OBJECT && !silent && !(*(*frame).function).is_expression() {
        let method = array_access::reader_of_user((*array).object());
        if !method.is_null() && !(*key).is_undef() {
            let offset = read_offset(frame, opline, vm, OBJECT);
            let value = array_access::read_by_user(&mut *vm, method, (*array).object(), &*offset);
            free_op2(frame, opline);
            free_op1(frame, opline);
            *result(frame, opline) = value;
            return;
        }
        let place = array_access::place((*array).object(), &*deref(key), false);
        if !place.is_null() {
            let value = (*place).share_deref();
            free_op2(frame, opline);
            free_op1(frame, opline);
            *result(frame, opline) = value;
            return;
        }
    }
    let is_literal_number = op.op2_type == IS_CONST && (*key).kind() == LONG;
    if (*array).kind() == OBJECT
        && !silent
        && (!is_literal_number || (*key).extra != WRITTEN_AS_STRING)
        && matches!((*deref(key)).kind(), LONG | STRING | OBJECT)
        && !(*(*frame).function).is_expression()
    {
        // What is asked may run user code that drops both.
        let object = ObjectHandle::share_raw((*array).object());
        let held = Value::share(&*key);
        if let Some(found) = array_access::get_natively(&mut *vm, object.as_ptr(), &held) {
            drop(held);
            drop(object);
            free_op2(frame, opline);
            free_op1(frame, opline);
            *result(frame, opline) = match found {
                Ok(value) => value.into_zval().into_read(),
                Err(Thrown) => Zval::UNDEF,
            };
            return;
        }
    }
    let mut container = if silent {
        fetch_silent(frame, opline, op.op1_type, op.op1)
    } else {
        fetch_read(frame, opline, vm, op.op1_type, op.op1)
    };
    // A warning about the offset may run user code that drops the container.
    let mut held = Value::UNDEF;
    if op.op2_type == IS_CV && (*raw_op2(frame, opline)).is_undef() {
        held = Value::share(&*container);
        container = held.as_zval();
    }
    let offset = read_offset(frame, opline, vm, (*container).kind());
    let value = if (*container).kind() == OBJECT && (*(*frame).function).is_expression() {
        (*vm).throw_error(
            KnownClass::Error,
            "Cannot use [] on objects in constant expression",
        );
        Zval::UNDEF
    } else {
        read_dimension(vm, container, offset, silent)
    };
    drop(held);
    free_op2(frame, opline);
    free_op1(frame, opline);
    *result(frame, opline) = value;
}

/// FETCH_LIST_R: an element for destructuring; the container stays.
pub unsafe fn fetch_list_r(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let container = read_op1(frame, opline, vm);
    // A warning about the offset may run code of the script that unsets the container.
    let held = hold_reference(raw_op1(frame, opline));
    let offset = read_offset(frame, opline, vm, (*container).kind());
    let value = match (*container).kind() {
        ARRAY | OBJECT => read_dimension(vm, container, offset, false),
        _ => Zval::NULL,
    };
    drop(held);
    free_op2(frame, opline);
    *result(frame, opline) = value;
    next(frame)
}

/// ISSET_ISEMPTY_DIM_OBJ in full.
pub unsafe fn isset_isempty_dim_obj(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let empty = op.extended_value & 1 != 0;
    let container = fetch_silent(frame, opline, op.op1_type, op.op1);
    let value = if matches!((*deref(raw_op2(frame, opline))).kind(), LONG | STRING) {
        let offset = read_offset(frame, opline, vm, (*container).kind());
        isset_dimension(vm, container, offset, empty)
    } else {
        // Warnings about the offset may run user code that drops the container.
        let held = Value::share(&*container);
        let offset = read_offset(frame, opline, vm, (*container).kind());
        isset_dimension(vm, held.as_zval(), offset, empty)
    };
    free_op2(frame, opline);
    free_op1(frame, opline);
    finish_boolean(frame, opline, value)
}

unsafe fn isset_dimension(
    vm: *mut Vm,
    container: *const Zval,
    offset: *const Zval,
    empty: bool,
) -> bool {
    match (*container).kind() {
        ARRAY => {
            let Ok(key) = array_key(&mut *vm, &*offset, KeyUse::Isset) else {
                return empty;
            };
            match (*(*container).array()).get(key) {
                None => empty,
                Some(value) if empty => !crate::operators::to_bool(value.deref()),
                Some(value) => is_set(value),
            }
        }
        OBJECT => {
            let object = ObjectHandle::share_raw((*container).object());
            let offset = Value::share(&*offset);
            match array_access::exists(&mut *vm, &object, &offset, empty) {
                Ok(found) => found != empty,
                Err(Thrown) => false,
            }
        }
        STRING => {
            let held = Value::share(&*container);
            let byte = isset_string_offset(&mut *vm, &*offset).and_then(|index| {
                held.string()
                    .and_then(|string| byte_at(string.as_bytes(), index))
            });
            match byte {
                None => empty,
                Some(byte) if empty => byte == b'0',
                Some(_) => true,
            }
        }
        _ => empty,
    }
}
