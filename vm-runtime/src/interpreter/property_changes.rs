//! What operators make of properties: ASSIGN_OBJ_OP, `++` and `--`.

use crate::class::{Class, PropertyInfo};
use crate::frame::Frame;
use crate::function::flags;
use crate::generated::Opcode;
use crate::interpreter::assign::{
    binary_operator, compound_assign, finish_assignment, is_undefined, outcome_of, step,
    step_value, take_data,
};
use crate::interpreter::operand::*;
use crate::interpreter::properties::{
    CACHE_FLAGS, container, name, name_from, not_an_object, scope,
};
use crate::interpreter::property_cache::declared_property;
use crate::object::access::{Access, Lookup, has_set_access, property_offset};
use crate::object::lazy;
use crate::object::magic::{Magic, is_guarded};
use crate::object::read::read_property;
use crate::object::write::{PropertyPointer, property_pointer, write_property, write_slot};
use crate::op::{IS_UNUSED, Op};
use crate::string::PhpString;
use crate::value::{LONG, OBJECT, ObjectHandle, Value, Zval, release};
use crate::vm::{PhpResult, Thrown, Vm};

/// ASSIGN_OBJ_OP.
pub unsafe fn assign_obj_op(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let held = Value::share(&*container(frame, opline));
    let mut assigned = Zval::UNDEF;
    let name = Value::share(&*read_op2(frame, opline, vm));
    let right = take_data(frame, opline, vm);
    if let Some(object) = held.object() {
        if let Some(name) = name_from(vm, name.as_zval()) {
            let _ = declared_property(
                frame,
                opline,
                vm,
                (*opline.add(1)).extended_value & !CACHE_FLAGS,
                object.as_ptr(),
                &name,
            );
            assigned = operate(
                frame,
                vm,
                &object,
                &name,
                &|current| outcome_of(op.extended_value, current, &right),
                &mut |vm, variable, result| {
                    compound_assign(vm, variable, op.extended_value, &right, result);
                },
                &mut |vm, current| {
                    let mut value = Zval::UNDEF;
                    binary_operator(vm, op.extended_value, &mut value, current, &right);
                    Value::from_zval(value)
                },
            );
        }
    } else {
        no_object_to_change(frame, opline, vm, &held, &name);
    }
    finish_assignment(frame, opline, assigned);
    // Destructors may throw.
    drop((right, name, held));
    next2(frame)
}

/// Complains that what an operator is to change is a property of something else than an object.
#[cold]
unsafe fn no_object_to_change(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    value: &Zval,
    name: &Zval,
) {
    let op = &*opline;
    if op.op1_type == IS_UNUSED {
        return crate::interpreter::assign::no_this(vm);
    }
    if is_undefined(frame, op.op1_type, op.op1) {
        undefined_variable(vm, frame, op.op1);
    }
    not_an_object(vm, value, name, opline);
}

/// True if a property takes whatever an operator makes: `outcome` is the mask of the types that its
/// result can have, 0 if it is not known.
pub(super) fn takes_outcome(info: &PropertyInfo, outcome: u32) -> bool {
    let declared = info.declared.as_ref();
    outcome != 0 && declared.is_some_and(|declared| declared.mask & outcome == outcome)
}

/// How an operator changes a property.
enum Change {
    /// In its place, which nothing checks but the reference in it.
    InPlace(*mut Zval),
    /// In the reference that native code gave.
    InReference(Value),
    /// By computing a value that its type checks.
    Typed,
    /// By reading and writing, which may both run user code.
    ReadAndWrite,
}

/// How the property is to be changed; a missing one is created first and complained about then.
/// `outcome` gives the mask of the types that the operator's result can have, 0 if it is not known.
unsafe fn way_of_change(
    vm: *mut Vm,
    object: &ObjectHandle,
    name: &PhpString,
    running: *mut Class,
    outcome: &dyn Fn(&Zval) -> u32,
) -> PhpResult<Change> {
    let vm = &mut *vm;
    let exists = match property_offset(vm, object.class, name, running, true) {
        Ok(Lookup::Slot { index, info }) => {
            let exists = !(*object.slot(index)).is_undef();
            let is_checked =
                (*info).flags & flags::READONLY != 0 || !has_set_access(&*info, running);
            if is_checked {
                return Ok(Change::ReadAndWrite);
            }
            if (*info).declared.is_some() {
                let place = object.slot(index);
                return Ok(match exists {
                    true if (*place).is_reference() => Change::InPlace(place),
                    true if takes_outcome(&*info, outcome(&*place)) => Change::InPlace(place),
                    true => Change::Typed,
                    false => Change::ReadAndWrite,
                });
            }
            exists
        }
        Ok(Lookup::Dynamic) => {
            !object.dynamic.is_null() && (*object.dynamic).get_string(name).is_some()
        }
        _ => return Ok(Change::ReadAndWrite),
    };
    let has_getter = !(*object.class).magic.get.is_null();
    if !exists && has_getter && !is_guarded(vm, object.as_ptr(), name, Magic::Get) {
        return Ok(Change::ReadAndWrite);
    }
    match property_pointer(vm, object.as_ptr(), name, running, Access::ReadWrite, 2)? {
        PropertyPointer::Slot { slot, .. } => Ok(Change::InPlace(slot)),
        PropertyPointer::Value(value) if value.as_zval().is_reference() => {
            Ok(Change::InReference(value))
        }
        PropertyPointer::Value(_) => Ok(Change::ReadAndWrite),
    }
}

/// Changes a property: in its place where nothing checks the write, else by reading and writing.
/// Gives what it holds then. `outcome` is as for [`way_of_change`]; `in_place` is given the place and where its new value is wanted.
unsafe fn operate(
    frame: *mut Frame,
    vm: *mut Vm,
    object: &ObjectHandle,
    name: &PhpString,
    outcome: &dyn Fn(&Zval) -> u32,
    in_place: &mut dyn FnMut(*mut Vm, *mut Zval, *mut Zval),
    compute: &mut dyn FnMut(*mut Vm, &Zval) -> Value,
) -> Zval {
    let running = scope(frame);
    let is_typed = match way_of_change(vm, object, name, running, outcome) {
        Ok(Change::InPlace(place)) => {
            let mut changed = Zval::UNDEF;
            in_place(vm, place, &mut changed);
            return changed;
        }
        Ok(Change::InReference(mut reference)) => {
            let mut changed = Zval::UNDEF;
            in_place(vm, reference.as_zval_mut(), &mut changed);
            return changed;
        }
        Ok(way) => matches!(way, Change::Typed),
        Err(Thrown) => return Zval::UNDEF,
    };
    let was_lazy = object.is_uninitialised_lazy();
    let Ok(current) = read_property(&mut *vm, object.as_ptr(), name, running, Access::Read) else {
        return Zval::UNDEF;
    };
    if !is_typed && !(*vm).exception.is_null() {
        return Zval::UNDEF;
    }
    // Here and where this was called from a share of the object is held.
    if was_lazy && lazy::check_held(&mut *vm, object, 2).is_err() {
        return Zval::UNDEF;
    }
    let computed = compute(vm, current.as_zval().deref());
    // A type makes something even of an operation that failed: see `compound_assign`.
    if computed.as_zval().is_undef() && !is_typed {
        return Zval::UNDEF;
    }
    match write_changed(&mut *vm, object, name, computed, running, is_typed) {
        Ok(value) => value.into_zval(),
        Err(Thrown) => Zval::UNDEF,
    }
}

/// Writes what an operator made of a property. Native code that only says what may be assigned to a property, and leaves
/// its value where it stands, is not asked: PHP changes that in its place.
unsafe fn write_changed(
    vm: &mut Vm,
    object: &ObjectHandle,
    name: &PhpString,
    value: Value,
    running: *mut Class,
    is_typed: bool,
) -> PhpResult<Value> {
    let by_code = object
        .class()
        .handlers
        .and_then(|handlers| handlers.properties_by_code);
    if let Some(code) = by_code
        && is_typed
        && (code.read)(vm, object, name, Access::ReadWrite)?.is_none()
        && let Ok(Lookup::Slot { index, info }) =
            property_offset(vm, object.class, name, running, true)
    {
        return write_slot(
            vm,
            object.as_ptr(),
            object.slot(index),
            &*info,
            value,
            running,
        );
    }
    write_property(vm, object.as_ptr(), name, value, running)
}

/// PRE_INC_OBJ, PRE_DEC_OBJ, POST_INC_OBJ, POST_DEC_OBJ.
pub unsafe fn increment_obj(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let up = op.opcode == Opcode::PRE_INC_OBJ as u8 || op.opcode == Opcode::POST_INC_OBJ as u8;
    let before = op.opcode == Opcode::POST_INC_OBJ as u8 || op.opcode == Opcode::POST_DEC_OBJ as u8;
    let held = Value::share(&*container(frame, opline));
    let mut assigned = Zval::UNDEF;
    if held.as_zval().kind() != OBJECT {
        let name = Value::share(&*read_op2(frame, opline, vm));
        no_object_to_change(frame, opline, vm, &held, &name);
    } else {
        let object = ObjectHandle::share_raw(held.as_zval().object());
        if let Some(name) = name(frame, opline, vm) {
            let _ = declared_property(
                frame,
                opline,
                vm,
                op.extended_value & !CACHE_FLAGS,
                object.as_ptr(),
                &name,
            );
            let mut old = Zval::UNDEF;
            let info = match property_offset(&mut *vm, object.class, &name, scope(frame), true) {
                Ok(Lookup::Slot { info, .. }) => info,
                _ => std::ptr::null(),
            };
            let old_slot = &raw mut old;
            let new = operate(
                frame,
                vm,
                &object,
                &name,
                &|_| 0,
                &mut |vm, variable, new| step(vm, variable, up, old_slot, new),
                &mut |vm, current| {
                    *old_slot = current.share();
                    let mut value = current.share();
                    if value.kind() == LONG
                        && !info.is_null()
                        && overflows(&value, up)
                        && overflow_error(&mut *vm, &*info, object.slot((*info).slot), up).is_err()
                    {
                        return Value::from_zval(value);
                    }
                    // What cannot be stepped is written all the same.
                    step_value(vm, &mut value, up);
                    Value::from_zval(value)
                },
            );
            if before {
                release(&new);
                assigned = if (*vm).exception.is_null() {
                    old
                } else {
                    release(&old);
                    Zval::UNDEF
                };
            } else {
                release(&old);
                assigned = new;
            }
        }
    }
    finish_assignment(frame, opline, assigned);
    // Its destructor may throw.
    drop(held);
    next(frame)
}

/// Complains that stepping a property makes its `int` a `float`, if its type has none: the type of
/// the property, or those of the reference in it.
pub unsafe fn overflow_error(
    vm: &mut Vm,
    info: &PropertyInfo,
    place: *const Zval,
    up: bool,
) -> PhpResult<()> {
    let (which, bound) = match up {
        true => ("increment", "maximal"),
        false => ("decrement", "minimal"),
    };
    if (*place).is_reference() && !(*(*place).reference()).sources.is_null() {
        crate::types::reference_overflow(vm, &*(*place).reference(), which, bound)
    } else {
        crate::types::property_overflow(vm, info, which, bound)
    }
}

fn overflows(value: &Zval, up: bool) -> bool {
    value.long() == if up { i64::MAX } else { i64::MIN }
}
