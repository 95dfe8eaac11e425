//! Static properties: FETCH_STATIC_PROP_*, ASSIGN_STATIC_PROP*, increments, ISSET.

use crate::class::{Class, PropertyInfo};
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::generated::Opcode;
use crate::interpreter::assign::{
    assign_with_result, binary_operator, compound_assign, outcome_of, step, step_value,
    store_result, take_data,
};
use crate::interpreter::classes::{FETCH_MASK, FETCH_STATIC};
use crate::interpreter::operand::*;
use crate::interpreter::properties::{bind_property, takes_no_null};
use crate::interpreter::property_changes::{overflow_error, takes_outcome};
use crate::interpreter::variables::{FetchMode, finish_boolean, is_set, mode_by_number};
use crate::object::access::Access;
use crate::object::write::make_property_reference;
use crate::op::{IS_CONST, IS_UNUSED, IS_VAR, Op};
use crate::value::{INDIRECT, LONG, REFERENCE, Value, Zval, release};
use crate::vm::Vm;

/// A static member and its declaration. None after an error (or, if `silent`, if there is none).
unsafe fn member(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    silent: bool,
) -> Option<(*mut Zval, *const PropertyInfo)> {
    let op = &*opline;
    let is_known = op.op1_type == IS_CONST && !is_of_static(op);
    if is_known && op.opcode != Opcode::UNSET_STATIC_PROP as u8 {
        let offset = if op.opcode == Opcode::ASSIGN_STATIC_PROP_OP as u8 {
            (*opline.add(1)).extended_value & !7
        } else {
            op.extended_value & !7
        };
        let known = *cache::<Zval>(frame, offset).add(1);
        if !known.is_null() {
            return Some((known, *cache::<PropertyInfo>(frame, offset)));
        }
    }
    let Some(class) = super::classes::class_of_operand(vm, frame, opline, op.op2_type, op.op2)
    else {
        free_op1(frame, opline);
        return None;
    };
    let value = read_op1(frame, opline, vm);
    let name = crate::operators::to_string(&mut *vm, &*value);
    free_op1(frame, opline);
    let name = name.ok()?;
    let scope = (*(*frame).function).scope;
    let access = if silent { Access::Isset } else { Access::Write };
    let found = (*vm).static_property(class, &name, scope, access).ok()?;
    if found.slot.is_null() {
        return None;
    }
    fill_cache(frame, opline, class, found.slot, found.info);
    Some((found.slot, found.info))
}

/// True if `static` is the class of an opline that names a static member.
fn is_of_static(op: &Op) -> bool {
    op.op2_type == IS_UNUSED && op.op2 & FETCH_MASK == FETCH_STATIC
}

/// Notes a member in the runtime cache: declaration, member, and a mark if writing it needs a check.
/// Only where the name is the same each time and the class is too, or `static`: that stands in the place of the
/// declaration then.
unsafe fn fill_cache(
    frame: *mut Frame,
    opline: *const Op,
    class: *mut Class,
    member: *mut Zval,
    info: *const PropertyInfo,
) {
    let op = &*opline;
    // A member of a trait is told about each time.
    let of_trait = (*(*info).class).flags & crate::function::class_flags::TRAIT != 0;
    let fixed = op.op2_type == IS_CONST || op.op2_type == IS_UNUSED;
    if op.op1_type != IS_CONST || !fixed || of_trait {
        return;
    }
    let offset = if op.opcode == Opcode::ASSIGN_STATIC_PROP_OP as u8 {
        (*opline.add(1)).extended_value
    } else if op.opcode == Opcode::UNSET_STATIC_PROP as u8 {
        return;
    } else {
        op.extended_value
    };
    let cached = cache::<PropertyInfo>(frame, offset & !7);
    *cached = match is_of_static(op) {
        true => class.cast(),
        false => info.cast_mut(),
    };
    *cached.add(1).cast::<*mut Zval>() = member;
    *cached.add(2).cast::<usize>() = (*info).declared.is_some() as usize;
}

unsafe fn uninitialised(vm: *mut Vm, info: *const PropertyInfo) {
    let text = crate::object::access::full_name(&*info);
    (*vm).throw_error(
        KnownClass::Error,
        format!("Typed static property {text} must not be accessed before initialization"),
    );
}

/// FETCH_STATIC_PROP_*.
pub unsafe fn fetch_static_prop(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let mode = mode_by_number(frame, op.opcode - Opcode::FETCH_STATIC_PROP_R as u8);
    let target = result(frame, opline);
    let silent = mode == FetchMode::Isset;
    let Some((slot, info)) = member(frame, opline, vm, silent) else {
        *target = if silent && (*vm).exception.is_null() {
            Zval::NULL
        } else {
            Zval::UNDEF
        };
        return next(frame);
    };
    match mode {
        FetchMode::Isset => *target = (*slot).share_deref(),
        FetchMode::Read | FetchMode::ReadWrite if (*slot).is_undef() => {
            (*target).set_undef();
            uninitialised(vm, info);
        }
        FetchMode::Read => *target = (*slot).share_deref(),
        _ => {
            const FETCH_REFERENCE: u32 = 1;
            const DIM_WRITE: u32 = 2;
            let wants = op.extended_value & 3;
            if (*info).declared.is_some() {
                if wants == FETCH_REFERENCE {
                    if (*slot).is_undef() && takes_no_null(&mut *vm, &*info) {
                        (*target).set_undef();
                        return next(frame);
                    }
                    make_property_reference(&mut *vm, slot, info);
                } else if wants == DIM_WRITE
                    && (*(*slot).deref()).kind() <= crate::value::FALSE
                    && crate::interpreter::dimension_writes::property_takes_array(
                        &mut *vm, &*info, "property",
                    )
                    .is_err()
                {
                    (*target).set_undef();
                    return next(frame);
                }
            }
            *target = Zval::from_indirect(slot);
        }
    }
    next(frame)
}

/// Stores into a static member with its type check; gives the stored value.
unsafe fn store(vm: *mut Vm, slot: *mut Zval, info: *const PropertyInfo, mut value: Zval) -> Zval {
    if (*info).declared.is_some()
        && crate::types::verify_property(&mut *vm, &*info, &mut value, (*vm).caller_is_strict())
            .is_err()
    {
        release(&value);
        return Zval::UNDEF;
    }
    let mut assigned = Zval::UNDEF;
    assign_with_result(vm, slot, value, &mut assigned);
    assigned
}

/// ASSIGN_STATIC_PROP.
pub unsafe fn assign_static_prop(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let data = opline.add(1);
    let mut assigned = Zval::UNDEF;
    match member(frame, opline, vm, false) {
        Some((slot, info)) => {
            let value = take_data(frame, opline, vm).into_zval();
            if (*vm).exception.is_null() {
                assigned = store(vm, slot, info, value);
            } else {
                release(&value);
            }
        }
        None => free_operand(frame, (*data).op1_type, (*data).op1),
    }
    store_result(frame, opline, assigned);
    next2(frame)
}

/// ASSIGN_STATIC_PROP_OP.
pub unsafe fn assign_static_prop_op(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> *const Op {
    (*frame).opline = opline;
    let data = opline.add(1);
    let mut assigned = Zval::UNDEF;
    match member(frame, opline, vm, false) {
        Some((slot, info)) => {
            let right = take_data(frame, opline, vm);
            if (*slot).is_undef() {
                uninitialised(vm, info);
            } else if (*info).declared.is_none()
                // What is bound to it is asked there, and named.
                || (*slot).is_reference()
                || takes_outcome(&*info, outcome_of((*opline).extended_value, &*slot, &right))
            {
                compound_assign(vm, slot, (*opline).extended_value, &right, &mut assigned);
            } else {
                let current = Value::share(&*slot);
                let mut value = Zval::UNDEF;
                binary_operator(vm, (*opline).extended_value, &mut value, &current, &right);
                if (*vm).exception.is_null() {
                    assigned = store(vm, slot, info, value);
                } else {
                    release(&value);
                }
            }
        }
        None => free_operand(frame, (*data).op1_type, (*data).op1),
    }
    store_result(frame, opline, assigned);
    next2(frame)
}

/// ASSIGN_STATIC_PROP_REF.
pub unsafe fn assign_static_prop_ref(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let data = &*opline.add(1);
    let raw = slot(frame, data.op1);
    let mut assigned = Zval::UNDEF;
    if let Some((property, info)) = member(frame, opline, vm, false) {
        let source = if data.op1_type == IS_VAR {
            indirect(raw)
        } else {
            raw
        };
        if data.op1_type == IS_VAR && op.extended_value & 1 != 0 && (*source).kind() != REFERENCE {
            (*vm).notice("Only variables should be assigned by reference");
            let value = (*source).share();
            assigned = store(vm, property, info, value);
        } else {
            let strict = (*vm).caller_is_strict();
            bind_property(vm, property, info, source, strict, &mut assigned);
        }
    }
    if data.op1_type == IS_VAR && (*raw).kind() != INDIRECT {
        release(raw);
    }
    store_result(frame, opline, assigned);
    next2(frame)
}

/// PRE_INC_STATIC_PROP and its siblings.
pub unsafe fn increment_static_prop(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> *const Op {
    (*frame).opline = opline;
    let opcode = (*opline).opcode;
    let up =
        opcode == Opcode::PRE_INC_STATIC_PROP as u8 || opcode == Opcode::POST_INC_STATIC_PROP as u8;
    let before = opcode == Opcode::POST_INC_STATIC_PROP as u8
        || opcode == Opcode::POST_DEC_STATIC_PROP as u8;
    let mut assigned = Zval::UNDEF;
    if let Some((slot, info)) = member(frame, opline, vm, false) {
        let stepped = match (*slot).kind() == LONG {
            true if up => (*slot).long().checked_add(1),
            true => (*slot).long().checked_sub(1),
            false => None,
        };
        if let Some(stepped) = stepped {
            // It stays an `int`: no type has a say.
            assigned = Zval::from_long(if before { (*slot).long() } else { stepped });
            (*slot).set(Zval::from_long(stepped));
        } else if (*slot).is_undef() {
            uninitialised(vm, info);
        } else {
            let mut old = Zval::UNDEF;
            let mut new = Zval::UNDEF;
            if (*info).declared.is_none() {
                step(vm, slot, up, &mut old, &mut new);
            } else {
                old = (*slot).share_deref();
                let at_bound =
                    old.kind() == LONG && old.long() == if up { i64::MAX } else { i64::MIN };
                if !at_bound || overflow_error(&mut *vm, &*info, slot, up).is_ok() {
                    let mut value = old.share();
                    step_value(vm, &mut value, up);
                    new = store(vm, slot, info, value);
                }
            }
            let (kept, dropped) = if before { (old, new) } else { (new, old) };
            release(&dropped);
            assigned = kept;
            if !(*vm).exception.is_null() {
                release(&assigned);
                assigned = Zval::UNDEF;
            }
        }
    }
    store_result(frame, opline, assigned);
    next(frame)
}

/// UNSET_STATIC_PROP: never allowed.
pub unsafe fn unset_static_prop(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let value = read_op1(frame, opline, vm);
    let name = crate::operators::to_string(&mut *vm, &*value);
    free_op1(frame, opline);
    let Ok(name) = name else { return next(frame) };
    if let Some(class) = super::classes::class_of_operand(vm, frame, opline, op.op2_type, op.op2) {
        (*vm).throw_error(
            KnownClass::Error,
            format!(
                "Attempt to unset static property {}::${}",
                (*class).display_name(),
                name.to_text()
            ),
        );
    }
    next(frame)
}

/// ISSET_ISEMPTY_STATIC_PROP.
pub unsafe fn isset_isempty_static_prop(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> *const Op {
    (*frame).opline = opline;
    let empty = (*opline).extended_value & 1 != 0;
    let value = match member(frame, opline, vm, true) {
        None => empty,
        Some((slot, _)) if empty => !crate::operators::to_bool((*slot).deref()),
        Some((slot, _)) => is_set(slot),
    };
    finish_boolean(frame, opline, value)
}
