//! Writes to array elements, string offsets and ArrayAccess: FETCH_DIM_W and its kin,
//! FETCH_LIST_W, ASSIGN_DIM, ASSIGN_DIM_OP, UNSET_DIM.

use crate::array::{KeyRef, PhpArray};
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::generated::Opcode;
use crate::interpreter::array_keys::{KeyUse, array_key, next_key_taken, undefined_key};
use crate::interpreter::assign::{
    assign_variable, assign_with_result, compound_assign, free_write_operand, take_data,
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
        let old = *container;
        (*container).set(Zval::from_array(copy.into_raw()));
        release(&old);
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

/// The offset operand of a write, None for `[]`. That of an undefined variable stays UNDEF: what
/// is written to must be protected before user code hears of it.
pub(super) unsafe fn write_offset(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    container: *const Zval,
) -> Option<*const Zval> {
    match (*opline).op2_type {
        IS_UNUSED => None,
        IS_CV if (*raw_op2(frame, opline)).is_undef() => Some(raw_op2(frame, opline)),
        _ => Some(read_offset(frame, opline, vm, container)),
    }
}

/// The offset that an undefined variable stands for.
const NULL_OFFSET: &Zval = &Zval::NULL;

/// What an offset of [`write_offset`] stands for: `null`, after a warning, for an undefined
/// variable of the running frame.
pub(super) unsafe fn defined_offset(vm: *mut Vm, offset: *const Zval) -> PhpResult<*const Zval> {
    if !(*offset).is_undef() {
        return Ok(offset);
    }
    let frame = (*vm).current_frame;
    undefined_variable(vm, frame, offset.byte_offset_from(frame) as u32);
    (*vm).check()?;
    Ok(NULL_OFFSET)
}

/// Makes what a variable holds an array that may be written to; it holds one, or nothing yet.
unsafe fn make_array(vm: &mut Vm, variable: *mut Zval) -> PhpResult<()> {
    let container = deref(variable);
    if (*container).kind() == ARRAY {
        separate_array(vm, container);
        return Ok(());
    }
    if (*container).kind() == FALSE {
        vm.deprecated("Automatic conversion of false to array is deprecated");
        vm.check()?;
    }
    if super::assign::is_typed_reference(variable) {
        reference_takes_array(vm, &*(*variable).reference())?;
    }
    let array = vm.new_array();
    let old = *container;
    (*container).set(array.into_value().into_zval());
    release(&old);
    Ok(())
}

/// `container[offset]` for writing, with an offset of [`write_offset`]. The container is a
/// variable's slot.
unsafe fn write_dimension(
    vm: *mut Vm,
    container: *mut Zval,
    offset: Option<*const Zval>,
    mode: FetchMode,
    extended: u32,
) -> WriteTarget {
    let vm = &mut *vm;
    let variable = container;
    let container = deref(container);
    match (*container).kind() {
        UNDEF | NULL | FALSE if mode == FetchMode::Unset => {
            if (*container).kind() == FALSE {
                vm.deprecated("Automatic conversion of false to array is deprecated");
            }
            if let Some(offset) = offset {
                let _ = defined_offset(vm, offset);
            }
            return WriteTarget::Value(Zval::NULL);
        }
        ARRAY | UNDEF | NULL | FALSE => {
            return match make_array(vm, variable) {
                Ok(()) => write_array(vm, container, offset, mode),
                Err(Thrown) => WriteTarget::Value(Zval::UNDEF),
            };
        }
        OBJECT => {
            let object = ObjectHandle::share_raw((*container).object());
            let Ok(offset) = offset.map(|offset| defined_offset(vm, offset)).transpose() else {
                return WriteTarget::Value(Zval::UNDEF);
            };
            match array_access::pointer(vm, &object, offset.map(|offset| &*offset)) {
                Some(Ok(slot)) if !slot.is_null() => {
                    // User code may have dropped the object: its element must outlive it.
                    let is_last = object.header.refcount == 1;
                    return match is_last {
                        true => WriteTarget::Value((*slot).share()),
                        false => WriteTarget::Slot(slot),
                    };
                }
                Some(Err(Thrown)) => return WriteTarget::Value(Zval::UNDEF),
                _ => {}
            }
            let offset = offset.map_or(Value::NULL, |offset| Value::share(&*offset));
            return match array_access::get(vm, &object, &offset) {
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
            if let Some(offset) = offset {
                let Ok(offset) = defined_offset(vm, offset) else {
                    return WriteTarget::Value(Zval::UNDEF);
                };
                if string_offset(vm, &*offset, key_use(mode)).is_some() {
                    let text = match extended & 7 {
                        1 => "Cannot create references to/from string offsets",
                        2 => "Cannot use string offset as an array",
                        3 => "Cannot use string offset as an object",
                        4 => "Cannot increment/decrement string offsets",
                        _ => "Cannot use string offset as an array",
                    };
                    vm.throw_error(KnownClass::Error, text);
                }
            } else {
                vm.throw_error(KnownClass::Error, "[] operator not supported for strings");
            }
        }
        _ if mode == FetchMode::Unset => {
            vm.throw_error(
                KnownClass::Error,
                "Cannot unset offset in a non-array variable",
            );
        }
        _ => {
            vm.throw_error(KnownClass::Error, "Cannot use a scalar value as an array");
        }
    }
    WriteTarget::Value(Zval::UNDEF)
}

fn key_use(mode: FetchMode) -> KeyUse {
    match mode {
        FetchMode::Unset => KeyUse::Unset,
        _ => KeyUse::Access,
    }
}

unsafe fn write_array(
    vm: &mut Vm,
    container: *mut Zval,
    offset: Option<*const Zval>,
    mode: FetchMode,
) -> WriteTarget {
    let array = (*container).array();
    let Some(offset) = offset else {
        return match (*array).slot_next() {
            Some(slot) => WriteTarget::Slot(slot),
            None => {
                next_key_taken(vm);
                WriteTarget::Value(Zval::UNDEF)
            }
        };
    };
    let simple = matches!((*offset).kind(), LONG | STRING);
    if !simple {
        // A warning about the offset may run user code that drops the array.
        (*array).header.refcount += 1;
    }
    let key = defined_offset(vm, offset).and_then(|offset| array_key(vm, &*offset, key_use(mode)));
    if !simple && !survives(array) {
        return WriteTarget::Value(Zval::NULL);
    }
    let Ok(key) = key else {
        return WriteTarget::Value(Zval::UNDEF);
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

/// Gives back a protecting share; false if that was the last or the array has other owners now.
unsafe fn survives(array: *mut PhpArray) -> bool {
    (*array).header.refcount -= 1;
    if (*array).header.refcount == 0 {
        crate::value::destroy(array.cast(), ARRAY);
        return false;
    }
    (*array).header.refcount == 1
}

/// `$variable[] = $undefined`: the warning comes before the element, and user code that hears of it
/// may drop the array. False if nothing is to be appended then.
unsafe fn warn_before_append(
    frame: *mut Frame,
    vm: *mut Vm,
    variable: *mut Zval,
    undefined: u32,
) -> bool {
    let container = deref(variable);
    if !matches!((*container).kind(), ARRAY | UNDEF | NULL | FALSE) {
        return true;
    }
    if make_array(&mut *vm, variable).is_err() {
        return false;
    }
    let array = (*container).array();
    (*array).header.refcount += 1;
    undefined_variable(vm, frame, undefined);
    survives(array)
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
    if mode != FetchMode::Write && op.op1_type == IS_CV && (*container).is_undef() {
        undefined_variable(vm, frame, op.op1);
    }
    let offset = write_offset(frame, opline, vm, deref(container));
    let extended = match mode {
        FetchMode::Unset => unset_use(opline),
        _ => op.extended_value,
    };
    let found = if (*vm).exception.is_null() {
        write_dimension(vm, container, offset, mode, extended)
    } else {
        WriteTarget::Value(Zval::UNDEF)
    };
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
    let offset = read_offset(frame, opline, vm, deref(container));
    let target = result(frame, opline);
    if (*raw).kind() != INDIRECT && !(*raw).is_reference() {
        (*vm).notice("Attempting to set reference to non referenceable value");
        let value = read_dimension(vm, deref(container), offset, false);
        free_op2(frame, opline);
        *target = value;
        return next(frame);
    }
    let found = write_dimension(vm, container, Some(offset), FetchMode::Write, 1);
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

/// The offset of a write to an object, held while user code runs; `null` for `[]`.
unsafe fn held_offset(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    container: *mut Zval,
) -> Value {
    if (*opline).op2_type == IS_UNUSED {
        return Value::NULL;
    }
    Value::share(&*read_offset(frame, opline, vm, container))
}

/// ASSIGN_DIM in full.
pub unsafe fn assign_dim(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    if assign_plain_element(frame, opline) {
        return next2(frame);
    }
    let op = &*opline;
    let data = &*opline.add(1);
    let variable = write_op1(frame, opline);
    let container = deref(variable);
    let kind = (*container).kind();
    let mut assigned = Zval::NULL;
    if kind == OBJECT {
        let object = ObjectHandle::share_raw((*container).object());
        let offset = held_offset(frame, opline, vm, container);
        let value = take_data(frame, opline, vm);
        if (*vm).exception.is_null() {
            assigned = value.as_zval().share();
            let append = op.op2_type == IS_UNUSED;
            if array_access::set(
                &mut *vm,
                &object,
                if append { None } else { Some(&offset) },
                value,
            )
            .is_err()
            {
                release(&assigned);
                assigned = Zval::UNDEF;
            }
        }
    } else if kind == STRING {
        assigned = assign_string_offset(frame, opline, vm, container);
    } else {
        let offset = write_offset(frame, opline, vm, container);
        let undefined = data.op1_type == IS_CV && (*slot(frame, data.op1)).is_undef();
        let found = if undefined
            && offset.is_none()
            && !warn_before_append(frame, vm, variable, data.op1)
        {
            WriteTarget::Value(Zval::NULL)
        } else {
            write_dimension(vm, variable, offset, FetchMode::Write, 2)
        };
        match (found, offset) {
            (WriteTarget::Slot(element), None) if undefined => {
                assign_variable(vm, element, Zval::NULL);
            }
            (WriteTarget::Slot(_), Some(offset)) if undefined => {
                undefined_variable(vm, frame, data.op1);
                // The warning may run user code: find the element again afterwards.
                let known = match (*offset).is_undef() {
                    true => std::ptr::from_ref(NULL_OFFSET),
                    false => offset,
                };
                if (*vm).exception.is_null()
                    && let WriteTarget::Slot(slot) =
                        write_dimension(vm, variable, Some(known), FetchMode::Write, 2)
                {
                    assign_variable(vm, slot, Zval::NULL);
                }
            }
            (WriteTarget::Slot(element), _) => {
                let value = take_data(frame, opline, vm).into_zval();
                let target = if result_used(opline) {
                    &raw mut assigned
                } else {
                    std::ptr::null_mut()
                };
                assign_with_result(vm, element, value, target);
            }
            (WriteTarget::Value(value), _) => {
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
    if result_used(opline) {
        *result(frame, opline) = assigned;
    } else {
        release(&assigned);
    }
    free_op2(frame, opline);
    if op.op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    next2(frame)
}

/// ASSIGN_DIM_OP in full.
pub unsafe fn assign_dim_op(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let data = &*opline.add(1);
    let variable = write_op1(frame, opline);
    let container = deref(variable);
    let mut assigned = Zval::NULL;
    match (*container).kind() {
        OBJECT => {
            let object = ObjectHandle::share_raw((*container).object());
            let offset = held_offset(frame, opline, vm, container);
            let right = take_data(frame, opline, vm);
            assigned = match operate_offset(vm, &object, &offset, op, &right) {
                Ok(value) => value.into_zval(),
                Err(Thrown) => Zval::UNDEF,
            };
        }
        ARRAY | UNDEF | NULL | FALSE => {
            if op.op1_type == IS_CV && (*container).is_undef() {
                undefined_variable(vm, frame, op.op1);
            }
            let offset = write_offset(frame, opline, vm, container);
            match write_dimension(vm, variable, offset, FetchMode::ReadWrite, 2) {
                WriteTarget::Slot(element) => {
                    let array = (*container).array();
                    (*array).header.refcount += 1;
                    let right = take_data(frame, opline, vm);
                    (*array).header.refcount -= 1;
                    if (*array).header.refcount == 0 {
                        (*array).header.refcount = 1;
                        release(&Zval::from_array(array));
                        assigned = Zval::UNDEF;
                    } else {
                        compound_assign(vm, element, op.extended_value, &right);
                        if result_used(opline) && (*vm).exception.is_null() {
                            assigned = (*element).share_deref();
                        }
                    }
                }
                WriteTarget::Value(value) => {
                    release(&value);
                    free_operand(frame, data.op1_type, data.op1);
                }
            }
        }
        _ => {
            let offset = (op.op2_type != IS_UNUSED).then(|| read_op2(frame, opline, vm));
            // The warning about an undefined offset may have run user code.
            if (*deref(variable)).kind() != STRING {
                (*vm).throw_error(KnownClass::Error, "Cannot use a scalar value as an array");
            } else if let Some(offset) = offset {
                if string_offset(&mut *vm, &*offset, KeyUse::Access).is_some() {
                    (*vm).throw_error(
                        KnownClass::Error,
                        "Cannot use assign-op operators with string offsets",
                    );
                }
            } else {
                (*vm).throw_error(KnownClass::Error, "[] operator not supported for strings");
            }
            free_operand(frame, data.op1_type, data.op1);
            assigned = Zval::UNDEF;
        }
    }
    if result_used(opline) {
        *result(frame, opline) = assigned;
    } else {
        release(&assigned);
    }
    free_op2(frame, opline);
    if op.op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    next2(frame)
}

unsafe fn operate_offset(
    vm: *mut Vm,
    object: &ObjectHandle,
    offset: &Value,
    op: &Op,
    right: &Value,
) -> PhpResult<Value> {
    let current = array_access::get(&mut *vm, object, offset)?;
    let current = Value::from_zval(current.into_zval().into_read());
    let mut value = Zval::UNDEF;
    super::assign::binary_operator(vm, op.extended_value, &mut value, &current, right);
    let value = Value::from_zval(value);
    (*vm).check()?;
    let append = op.op2_type == IS_UNUSED;
    array_access::set(
        &mut *vm,
        object,
        if append { None } else { Some(offset) },
        value.clone(),
    )?;
    Ok(value)
}

/// UNSET_DIM.
pub unsafe fn unset_dim(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let variable = write_op1(frame, opline);
    let container = deref(variable);
    if let Some(offset) = write_offset(frame, opline, vm, container) {
        unset_element(frame, opline, vm, container, offset);
    }
    free_op2(frame, opline);
    if op.op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    next(frame)
}

unsafe fn unset_element(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    container: *mut Zval,
    offset: *const Zval,
) {
    let vm = &mut *vm;
    if (*container).kind() == ARRAY {
        let Ok(offset) = defined_offset(vm, offset) else {
            return;
        };
        let held = Value::share(&*offset);
        if let Ok(key) = array_key(vm, &held, KeyUse::Unset)
            && (*container).kind() == ARRAY
        {
            separate_array(vm, container);
            (*(*container).array()).remove(key);
        }
        return;
    }
    if (*opline).op1_type == IS_CV && (*container).is_undef() {
        undefined_variable(vm, frame, (*opline).op1);
    }
    let held = Value::share(&*container);
    let Ok(offset) = defined_offset(vm, offset) else {
        return;
    };
    match held.as_zval().kind() {
        OBJECT => {
            let object = ObjectHandle::share_raw(held.as_zval().object());
            let offset = Value::share(&*offset);
            let _ = array_access::unset(vm, &object, &offset);
        }
        STRING => {
            vm.throw_error(KnownClass::Error, "Cannot unset string offsets");
        }
        UNDEF | NULL => {}
        FALSE => vm.deprecated("Automatic conversion of false to array is deprecated"),
        _ => {
            vm.throw_error(
                KnownClass::Error,
                "Cannot unset offset in a non-array variable",
            );
        }
    }
}
