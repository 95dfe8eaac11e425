//! Writes to array elements, string offsets and ArrayAccess: FETCH_DIM_W and its kin,
//! FETCH_LIST_W, ASSIGN_DIM, ASSIGN_DIM_OP, UNSET_DIM.

use crate::array::{KeyRef, PhpArray};
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::generated::Opcode;
use crate::interpreter::array_keys::{KeyUse, array_key, next_key_taken, undefined_key};
use crate::interpreter::assign::{
    assign_with_result, compound_assign, finish_assignment, free_write_operand, is_undefined,
    take_data, with_held_place,
};
use crate::interpreter::dimensions::{fetch_dim_value, read_dimension, read_offset};
use crate::interpreter::operand::*;
use crate::interpreter::string_offsets::{assign_string_offset, string_offset};
use crate::interpreter::variables::{FetchMode, fetch_mode};
use crate::object::array_access;
use crate::op::{IS_CONST, IS_CV, IS_UNUSED, IS_VAR, Op};
use crate::value::{
    ARRAY, FALSE, INDIRECT, LONG, NULL, OBJECT, ObjectHandle, REFERENCE, STRING, UNDEF, Value,
    Zval, release, release_temporary,
};
use crate::vm::{PhpResult, Thrown, Vm};

/// Makes the array in `container` writable: duplicates it if it has other owners.
#[inline]
pub unsafe fn separate_array(vm: *mut Vm, container: *mut Zval) {
    let array = (*container).array();
    if (*array).header.is_immutable() || (*array).header.refcount > 1 {
        let copy = (*array).duplicate(&mut (*vm).heap);
        (*container).set(Zval::from_array(copy.into_raw()));
        // Others keep it: the collector is not told, as in PHP.
        if !(*array).header.is_immutable() {
            (*array).header.refcount -= 1;
        }
    }
}

/// Checks that an array may come to be inside of a reference that typed properties are bound to.
unsafe fn reference_takes_array(
    vm: &mut Vm,
    reference: &crate::value::PhpReference,
) -> PhpResult<()> {
    for &info in &(*reference.sources).properties {
        property_takes_array(vm, &*info, "a reference held by property")?;
    }
    Ok(())
}

/// Checks that an array may come to be inside of a typed property.
pub unsafe fn property_takes_array(
    vm: &mut Vm,
    info: &crate::class::PropertyInfo,
    what: &str,
) -> PhpResult<()> {
    use crate::function::type_mask::{ARRAY, ITERABLE};
    match &info.declared {
        Some(declared) if declared.mask & (ARRAY | ITERABLE) == 0 => {
            let text = crate::object::access::full_name(info);
            Err(vm.throw_error(
                KnownClass::TypeError,
                format!("Cannot auto-initialize an array inside {what} {text} of type {declared}"),
            ))
        }
        _ => Ok(()),
    }
}

/// What a write fetch found.
enum WriteTarget {
    /// A slot to write to.
    Slot(*mut Zval),
    /// A value of its own (from `offsetGet`), or `null` after an error.
    Value(Zval),
}

/// The offset operand of a write, `[]` if the opline has none. An undefined variable is warned about
/// when the operand is read; that may run user code, which may take the variable that is written
/// away. So the container is held before: nothing but the array, object or string in it is looked
/// at afterwards.
#[derive(Clone, Copy)]
struct Offset {
    frame: *mut Frame,
    opline: *const Op,
}

impl Offset {
    unsafe fn is_append(self) -> bool {
        (*self.opline).op2_type == IS_UNUSED
    }

    /// True if reading and converting it cannot run user code.
    unsafe fn is_simple(self) -> bool {
        matches!(
            (*deref(raw_op2(self.frame, self.opline))).kind(),
            LONG | STRING
        )
    }

    unsafe fn read(self, vm: *mut Vm, container_kind: u8) -> *const Zval {
        read_offset(self.frame, self.opline, vm, container_kind)
    }

    /// Reads it for an object; None for `[]`.
    unsafe fn share(self, vm: *mut Vm) -> Option<Value> {
        (!self.is_append()).then(|| Value::share(&*self.read(vm, OBJECT)))
    }

    /// True if the opline fetches from a variable that is a reference. PHP does not complain then
    /// about `false` that becomes an array.
    unsafe fn is_fetch_from_reference(self, variable: *const Zval) -> bool {
        let opcode = (*self.opline).opcode;
        let assigns = opcode == Opcode::ASSIGN_DIM as u8 || opcode == Opcode::ASSIGN_DIM_OP as u8;
        !assigns && (*variable).is_reference()
    }

    /// Reads it only for the warning.
    unsafe fn warn(self, vm: *mut Vm) {
        if !self.is_append() {
            self.read(vm, NULL);
        }
    }
}

/// Makes what a variable holds an array that may be written to; it holds one, or nothing yet. None
/// if a type forbids it, or if user code that heard of it took the array away. With `silent`, it does
/// not hear that `false` becomes an array.
unsafe fn make_array(vm: &mut Vm, variable: *mut Zval, silent: bool) -> Option<*mut PhpArray> {
    let container = deref(variable);
    let kind = (*container).kind();
    if kind == ARRAY {
        separate_array(vm, container);
        return Some((*container).array());
    }
    if super::assign::is_typed_reference(variable) {
        reference_takes_array(vm, &*(*variable).reference()).ok()?;
    }
    let array = vm.new_array().into_raw();
    (*container).set(Zval::from_array(array));
    if kind == FALSE && !silent {
        (*array).header.refcount += 1;
        vm.deprecated("Automatic conversion of false to array is deprecated");
        if !survives(array) {
            return None;
        }
    }
    Some(array)
}

/// What there is to write to after an error, or after user code took it away.
fn nothing_to_write(vm: &Vm) -> WriteTarget {
    WriteTarget::Value(if vm.exception.is_null() {
        Zval::NULL
    } else {
        Zval::UNDEF
    })
}

/// `container[offset]` for writing. The container is a variable's slot.
unsafe fn write_dimension(
    vm: *mut Vm,
    container: *mut Zval,
    offset: Offset,
    mode: FetchMode,
    extended: u32,
) -> WriteTarget {
    let vm = &mut *vm;
    let variable = container;
    let container = deref(container);
    match (*container).kind() {
        UNDEF | NULL | FALSE if mode == FetchMode::Unset => {
            if (*container).kind() == FALSE && !offset.is_fetch_from_reference(variable) {
                vm.deprecated("Automatic conversion of false to array is deprecated");
            }
            offset.warn(vm);
            return WriteTarget::Value(Zval::NULL);
        }
        ARRAY | UNDEF | NULL | FALSE => {
            let silent = offset.is_fetch_from_reference(variable);
            return match make_array(vm, variable, silent) {
                Some(array) => write_array(vm, array, offset, mode),
                None => nothing_to_write(vm),
            };
        }
        OBJECT => {
            let object = ObjectHandle::share_raw((*container).object());
            let offset = offset.share(vm);
            let key = offset.as_ref().map(Value::as_zval);
            match array_access::pointer(vm, &object, key, mode.access()) {
                Some(Ok(slot)) if !slot.is_null() => {
                    // User code may have dropped the object: its element must outlive it.
                    return match object.header.refcount == 1 {
                        true => WriteTarget::Value((*slot).share()),
                        false => WriteTarget::Slot(slot),
                    };
                }
                Some(Err(Thrown)) => return WriteTarget::Value(Zval::UNDEF),
                Some(Ok(_)) if mode == FetchMode::Unset => {
                    let class = object.class().display_name();
                    vm.notice(format!(
                        "Indirect modification of overloaded element of {class} has no effect"
                    ));
                    return WriteTarget::Value(Zval::NULL);
                }
                _ => {}
            }
            let found = match offset {
                Some(offset) => array_access::get_for(vm, &object, &offset, mode.access()),
                None => array_access::get_appended(vm, &object),
            };
            return match found {
                Ok(value) => {
                    let kind = value.as_zval().kind();
                    if kind != REFERENCE && kind != OBJECT && vm.exception.is_null() {
                        let class = object.class().display_name();
                        vm.notice(format!(
                            "Indirect modification of overloaded element of {class} has no effect"
                        ));
                    }
                    WriteTarget::Value(value.into_zval())
                }
                Err(Thrown) => WriteTarget::Value(Zval::UNDEF),
            };
        }
        STRING => {
            if offset.is_append() {
                vm.throw_error(KnownClass::Error, "[] operator not supported for strings");
            } else {
                let offset = offset.read(vm, STRING);
                let purpose = match mode {
                    FetchMode::Unset => KeyUse::Unset,
                    _ => KeyUse::Access,
                };
                if vm.exception.is_null() && string_offset(vm, &*offset, purpose).is_some() {
                    let text = match extended & 7 {
                        1 => "Cannot create references to/from string offsets",
                        2 => "Cannot use string offset as an array",
                        3 => "Cannot use string offset as an object",
                        4 => "Cannot increment/decrement string offsets",
                        _ => "Cannot use string offset as an array",
                    };
                    vm.throw_error(KnownClass::Error, text);
                }
            }
        }
        _ => {
            let text = match mode {
                FetchMode::Unset => "Cannot unset offset in a non-array variable",
                _ => "Cannot use a scalar value as an array",
            };
            vm.throw_error(KnownClass::Error, text);
        }
    }
    WriteTarget::Value(Zval::UNDEF)
}

/// `array[offset]` for writing; the array has one owner.
unsafe fn write_array(
    vm: &mut Vm,
    array: *mut PhpArray,
    offset: Offset,
    mode: FetchMode,
) -> WriteTarget {
    if offset.is_append() {
        return match (*array).slot_next() {
            Some(slot) => WriteTarget::Slot(slot),
            None => {
                next_key_taken(vm);
                WriteTarget::Value(Zval::UNDEF)
            }
        };
    }
    let Some(key) = key_while_held(vm, array, offset, KeyUse::Access) else {
        return nothing_to_write(vm);
    };
    if mode == FetchMode::Write {
        return WriteTarget::Slot((*array).slot(key));
    }
    if let Some(position) = (*array).position_of(key) {
        let slot = (*array).value_at(position);
        if (*slot).kind() != INDIRECT {
            return WriteTarget::Slot(slot);
        }
        let target = (*slot).indirect();
        if (*target).kind() != UNDEF {
            return WriteTarget::Slot(target);
        }
    }
    if mode == FetchMode::Unset {
        return WriteTarget::Value(Zval::NULL);
    }
    (*array).header.refcount += 1;
    // An error handler may change the variable that the key comes from.
    let key = key.to_key();
    undefined_key(vm, key.as_ref());
    if !survives(array) || !vm.exception.is_null() {
        return WriteTarget::Value(Zval::NULL);
    }
    WriteTarget::Slot((*array).slot(key.as_ref()))
}

/// The key that an offset means. None if reading or converting it threw or took the array away.
unsafe fn key_while_held<'a>(
    vm: &mut Vm,
    array: *mut PhpArray,
    offset: Offset,
    purpose: KeyUse,
) -> Option<KeyRef<'a>> {
    if offset.is_simple() {
        let value = offset.read(vm, ARRAY);
        return array_key(vm, &*value, purpose).ok();
    }
    (*array).header.refcount += 1;
    let had_thrown = !vm.exception.is_null();
    let value = offset.read(vm, ARRAY);
    // What cannot be a key is an error even if somebody who heard of the container has thrown.
    let is_never_key = matches!((*deref(value.cast_mut())).kind(), ARRAY | OBJECT);
    let key = if vm.exception.is_null() || had_thrown && is_never_key {
        array_key(vm, &*value, purpose).ok()
    } else {
        None
    };
    if survives(array) { key } else { None }
}

/// Gives back a protecting share; false if that was the last or the array has other owners now.
unsafe fn survives(array: *mut PhpArray) -> bool {
    (*array).header.refcount -= 1;
    if (*array).header.refcount == 0 {
        crate::value::destroy(array.cast(), ARRAY);
        return false;
    }
    (*array).header.refcount == 1
}

/// FETCH_DIM_W, FETCH_DIM_RW, FETCH_DIM_UNSET, FETCH_DIM_FUNC_ARG in full.
pub unsafe fn fetch_dim_w(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let mode = fetch_mode(frame, op.opcode, Opcode::FETCH_DIM_R as u8);
    if mode == FetchMode::Read {
        if op.op2_type == IS_UNUSED {
            (*result(frame, opline)).set_undef();
            (*vm).throw_error(KnownClass::Error, "Cannot use [] for reading");
            free_op1(frame, opline);
            return next(frame);
        }
        fetch_dim_value(frame, opline, vm, false);
        return next(frame);
    }
    if op.op1_type & (IS_CONST | 2) != 0 {
        (*result(frame, opline)).set_undef();
        (*vm).throw_error(
            KnownClass::Error,
            "Cannot use temporary expression in write context",
        );
        free_op1(frame, opline);
        free_op2(frame, opline);
        return next(frame);
    }
    let container = write_op1(frame, opline);
    if mode != FetchMode::Write && is_undefined(frame, op.op1_type, op.op1) {
        undefined_variable(vm, frame, op.op1);
    }
    let extended = match mode {
        FetchMode::Unset => unset_use(opline),
        _ => op.extended_value,
    };
    let found = write_dimension(vm, container, Offset { frame, opline }, mode, extended);
    free_op2(frame, opline);
    finish_write_fetch(frame, opline, found);
    next(frame)
}

/// What an element fetched to unset something in it is used as, in the terms of `extended_value`.
unsafe fn unset_use(opline: *const Op) -> u32 {
    const AS_ARRAY: u32 = 2;
    const AS_OBJECT: u32 = 3;
    let following = (*opline.add(1)).opcode;
    if following == Opcode::UNSET_OBJ as u8 || following == Opcode::FETCH_OBJ_UNSET as u8 {
        AS_OBJECT
    } else {
        AS_ARRAY
    }
}

unsafe fn finish_write_fetch(frame: *mut Frame, opline: *const Op, found: WriteTarget) {
    let target = result(frame, opline);
    let op = &*opline;
    let container = slot(frame, op.op1);
    match found {
        WriteTarget::Slot(slot) => {
            if op.op1_type == IS_VAR
                && (*container).kind() != INDIRECT
                && (*container).is_refcounted()
            {
                // The container is a temporary: if it goes now, the element must outlive it.
                if (*(*container).counted()).refcount == 1 {
                    let value = (*slot).share();
                    release_temporary(container);
                    *target = value;
                } else {
                    *target = Zval::from_indirect(slot);
                    release_temporary(container);
                }
                return;
            }
            *target = Zval::from_indirect(slot);
        }
        WriteTarget::Value(value) => {
            if op.op1_type == IS_VAR {
                free_write_operand(frame, opline);
            }
            *target = value;
        }
    }
}

/// FETCH_LIST_W: an element for destructuring by reference; the container stays.
pub unsafe fn fetch_list_w(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let raw = slot(frame, (*opline).op1);
    let container = indirect(raw);
    let target = result(frame, opline);
    if (*raw).kind() != INDIRECT && !(*raw).is_reference() {
        let offset = read_offset(frame, opline, vm, (*container).kind());
        (*vm).notice("Attempting to set reference to non referenceable value");
        let value = read_dimension(vm, deref(container), offset, false);
        free_op2(frame, opline);
        *target = value;
        return next(frame);
    }
    let offset = Offset { frame, opline };
    let found = write_dimension(vm, container, offset, FetchMode::Write, 1);
    free_op2(frame, opline);
    *target = match found {
        WriteTarget::Slot(slot) => Zval::from_indirect(slot),
        WriteTarget::Value(value) => value,
    };
    next(frame)
}

/// The frequent case of ASSIGN_DIM behind the inline ones: a CV with an array that has one owner,
/// a plain key, a value that needs no care, and no result. False if there is more to it.
#[inline]
unsafe fn assign_plain_element(frame: *mut Frame, opline: *const Op) -> bool {
    let (op, data) = (&*opline, &*opline.add(1));
    let container = deref(raw_op1(frame, opline));
    if op.op1_type != IS_CV
        || result_used(opline)
        || (*container).type_info() != crate::value::ARRAY_COUNTED
    {
        return false;
    }
    let array = (*container).array();
    let value = raw(frame, opline.add(1), data.op1_type, data.op1);
    if (*array).header.refcount != 1 || matches!((*value).kind(), UNDEF | REFERENCE | INDIRECT) {
        return false;
    }
    let element = if op.op2_type == IS_UNUSED {
        match (*array).slot_next() {
            Some(slot) => slot,
            None => return false,
        }
    } else {
        let offset = deref(raw_op2(frame, opline));
        match (*offset).kind() {
            LONG => (*array).slot_long((*offset).long()),
            STRING => (*array).slot(KeyRef::of_text(&*(*offset).string())),
            _ => return false,
        }
    };
    if (*element).is_reference() {
        return false;
    }
    if data.op1_type & (IS_CONST | IS_CV) != 0 {
        (*value).add_reference();
    }
    let old = (*element).copy();
    (*element).set(*value);
    free_op2(frame, opline);
    release(&old);
    true
}

/// The element of `$variable[] = $undefined`: the warning comes before it.
unsafe fn append_undefined(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    variable: *mut Zval,
) -> WriteTarget {
    let Some(array) = make_array(&mut *vm, variable, false) else {
        return nothing_to_write(&*vm);
    };
    (*array).header.refcount += 1;
    undefined_variable(vm, frame, (*opline.add(1)).op1);
    if !survives(array) {
        return nothing_to_write(&*vm);
    }
    write_array(&mut *vm, array, Offset { frame, opline }, FetchMode::Write)
}

/// ASSIGN_DIM in full.
pub unsafe fn assign_dim(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    if assign_plain_element(frame, opline) {
        return next2(frame);
    }
    let data = &*opline.add(1);
    let variable = write_op1(frame, opline);
    let container = deref(variable);
    let kind = (*container).kind();
    let offset = Offset { frame, opline };
    let mut assigned = Zval::NULL;
    if kind == OBJECT
        && !offset.is_append()
        && !is_undefined(frame, data.op1_type, data.op1)
        && let place =
            array_access::place((*container).object(), &*deref(raw_op2(frame, opline)), true)
        && !place.is_null()
        && !(*place).is_refcounted()
    {
        (*place).set(take_data(frame, opline, vm).into_zval());
        assigned = match result_used(opline) {
            true => (*place).share(),
            false => Zval::NULL,
        };
    } else if kind == OBJECT {
        let object = ObjectHandle::share_raw((*container).object());
        let key = offset.share(vm);
        let value = take_data(frame, opline, vm);
        assigned = value.as_zval().share();
        if array_access::set(&mut *vm, &object, key.as_ref(), value).is_err() {
            release(&assigned);
            assigned = Zval::UNDEF;
        }
    } else if kind == STRING {
        assigned = assign_string_offset(frame, opline, vm, variable);
    } else {
        let undefined = is_undefined(frame, data.op1_type, data.op1);
        let found =
            if undefined && offset.is_append() && matches!(kind, ARRAY | UNDEF | NULL | FALSE) {
                append_undefined(frame, opline, vm, variable)
            } else {
                write_dimension(vm, variable, offset, FetchMode::Write, 2)
            };
        match found {
            WriteTarget::Slot(element) => {
                let target = if result_used(opline) {
                    &raw mut assigned
                } else {
                    std::ptr::null_mut()
                };
                let assign_to = |element| {
                    let value = match undefined && offset.is_append() {
                        true => Zval::NULL,
                        false => take_data(frame, opline, vm).into_zval(),
                    };
                    assign_with_result(vm, element, value, target);
                };
                if undefined && !offset.is_append() {
                    with_held_place(vm, element, assign_to);
                } else {
                    assign_to(element);
                }
            }
            WriteTarget::Value(value) => {
                release(&value);
                free_operand(frame, data.op1_type, data.op1);
                assigned = if (*vm).exception.is_null() {
                    Zval::NULL
                } else {
                    Zval::UNDEF
                };
            }
        }
    }
    finish_assignment(frame, opline, assigned);
    next2(frame)
}

/// ASSIGN_DIM_OP in full.
pub unsafe fn assign_dim_op(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let data = &*opline.add(1);
    let variable = write_op1(frame, opline);
    let container = deref(variable);
    let offset = Offset { frame, opline };
    let mut assigned = Zval::NULL;
    match (*container).kind() {
        OBJECT => {
            let object = ObjectHandle::share_raw((*container).object());
            let key = offset.share(vm);
            let right = take_data(frame, opline, vm);
            assigned = match operate_offset(vm, &object, key, op, &right) {
                Ok(value) => value.into_zval(),
                Err(Thrown) => Zval::UNDEF,
            };
        }
        ARRAY | UNDEF | NULL | FALSE => {
            if op.op1_type == IS_CV && (*container).is_undef() {
                undefined_variable(vm, frame, op.op1);
            }
            match write_dimension(vm, variable, offset, FetchMode::ReadWrite, 2) {
                WriteTarget::Slot(element) => {
                    assigned = Zval::UNDEF;
                    let mut operate = |element| {
                        let right = take_data(frame, opline, vm);
                        let opcode = op.extended_value;
                        compound_assign(vm, element, opcode, &right, &mut assigned);
                    };
                    if is_undefined(frame, data.op1_type, data.op1) {
                        with_held_place(vm, element, operate);
                    } else {
                        operate(element);
                    }
                }
                WriteTarget::Value(value) => {
                    release(&value);
                    free_operand(frame, data.op1_type, data.op1);
                }
            }
        }
        _ => {
            with_held_place(vm, variable, |variable| {
                let read = (!offset.is_append()).then(|| offset.read(vm, STRING));
                // The warning about an undefined offset may have run user code.
                let message = if (*deref(variable)).kind() != STRING {
                    "Cannot use a scalar value as an array"
                } else if let Some(offset) = read {
                    if string_offset(&mut *vm, &*offset, KeyUse::Access).is_none() {
                        return;
                    }
                    "Cannot use assign-op operators with string offsets"
                } else {
                    "[] operator not supported for strings"
                };
                (*vm).throw_error(KnownClass::Error, message);
            });
            free_operand(frame, data.op1_type, data.op1);
            assigned = Zval::UNDEF;
        }
    }
    finish_assignment(frame, opline, assigned);
    next2(frame)
}

unsafe fn operate_offset(
    vm: *mut Vm,
    object: &ObjectHandle,
    key: Option<Value>,
    op: &Op,
    right: &Value,
) -> PhpResult<Value> {
    let read = match &key {
        Some(key) => array_access::get(&mut *vm, object, key),
        None => array_access::get_appended(&mut *vm, object),
    };
    let current = match read {
        Ok(current) => current,
        Err(Thrown) if array_access::is_null_if_unreadable(object) => return Err(Thrown),
        // PHP says so whatever it was that went wrong.
        Err(Thrown) => return Err(array_access::not_an_array(&mut *vm, object)),
    };
    let current = Value::from_zval(current.into_zval().into_read());
    let mut value = Zval::UNDEF;
    super::assign::binary_operator(vm, op.extended_value, &mut value, &current, right);
    if value.is_undef() {
        return Err(Thrown);
    }
    let value = Value::from_zval(value);
    array_access::set(&mut *vm, object, key.as_ref(), value.clone())?;
    Ok(value)
}

/// UNSET_DIM.
pub unsafe fn unset_dim(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let variable = write_op1(frame, opline);
    let container = deref(variable);
    let offset = Offset { frame, opline };
    match (*container).kind() {
        ARRAY => {
            separate_array(vm, container);
            let array = (*container).array();
            if let Some(key) = key_while_held(&mut *vm, array, offset, KeyUse::Unset) {
                (*array).remove(key);
            }
        }
        OBJECT => {
            let object = ObjectHandle::share_raw((*container).object());
            if let Some(key) = offset.share(vm) {
                let _ = array_access::unset(&mut *vm, &object, &key);
            }
        }
        STRING => {
            offset.warn(vm);
            (*vm).throw_error(KnownClass::Error, "Cannot unset string offsets");
        }
        kind => {
            if kind == UNDEF && op.op1_type == IS_CV {
                undefined_variable(vm, frame, op.op1);
            }
            offset.warn(vm);
            match kind {
                UNDEF | NULL => {}
                FALSE => (*vm).deprecated("Automatic conversion of false to array is deprecated"),
                _ => {
                    (*vm).throw_error(
                        KnownClass::Error,
                        "Cannot unset offset in a non-array variable",
                    );
                }
            }
        }
    }
    free_op2(frame, opline);
    if op.op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    next(frame)
}
