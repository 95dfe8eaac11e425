//! Receiving arguments: RECV*, FUNC_NUM_ARGS, FUNC_GET_ARGS.

use crate::exceptions::KnownClass;
use crate::frame::{Frame, call_info};
use crate::function::{class_flags, flags};
use crate::generated::Opcode;
use crate::interpreter::intrinsics::known_default;
use crate::interpreter::operand::*;
use crate::op::{IS_CONST, Op};
use crate::op_array::OpArray;
use crate::value::{ArrayHandle, CONSTANT_EXPRESSION, OBJECT, UNDEF, Value, Zval, release};
use crate::vm::{PhpResult, Vm};

/// RECV in full: missing argument, or a type that has to be checked.
pub unsafe fn recv(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let number = (*opline).op1;
    if number > (*frame).argument_count() {
        (*(result(frame, opline))).set_undef();
        missing_argument(vm, frame);
        return next(frame);
    }
    let _ = crate::types::verify_argument(
        &mut *vm,
        &*(*frame).function,
        number - 1,
        result(frame, opline),
        (*opline).extended_value,
    );
    next(frame)
}

unsafe fn missing_argument(vm: *mut Vm, frame: *mut Frame) {
    let function = (*frame).function;
    let given = (*frame).argument_count();
    let required = (*function).required_count;
    // What takes the rest does not count.
    let bound = if (*function).parameter_count == required {
        "exactly"
    } else {
        "at least"
    };
    let caller = (*frame).previous;
    let place = if !caller.is_null() && (*caller).is_user() {
        let op_array = &*(*(*caller).function).op_array;
        format!(
            " in {} on line {}",
            (*op_array.draft.filename).to_text(),
            (*(*caller).opline).lineno
        )
    } else {
        String::new()
    };
    (*vm).throw_error(
        KnownClass::ArgumentCountError,
        format!(
            "Too few arguments to function {}(), {given} passed{place} and {bound} {required} expected",
            (*function).display_name()
        ),
    );
}

/// RECV_INIT in full.
pub unsafe fn recv_init(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let number = (*opline).op1;
    let slot = result(frame, opline);
    let function = (*frame).function;
    if number > (*frame).argument_count() || (*slot).is_undef() {
        let default = constant(opline, (*opline).op2);
        if (*default).kind() == CONSTANT_EXPRESSION {
            (*slot).set_undef();
            let word = (*opline).extended_value >> crate::types::ACCEPTED_BITS;
            match evaluate_default(vm, frame, &*(*default).expression(), word) {
                Ok(value) => *slot = value.into_zval(),
                Err(_) => return next(frame),
            }
        } else {
            *slot = (*default).share();
        }
    }
    if (*function).flags & flags::HAS_TYPE_HINTS != 0 {
        let _ = crate::types::verify_argument(
            &mut *vm,
            &*function,
            number - 1,
            slot,
            (*opline).extended_value >> crate::types::ACCEPTED_BITS,
        );
    }
    next(frame)
}

/// The value of a default that is an expression. As in PHP it is remembered unless it is counted or the expression makes
/// an object, whose code may do anything; PHP forgets cases of enums as well, which stay. `word` is the number of the first cache word of the parameter's type; 0 if it has none.
unsafe fn evaluate_default(
    vm: *mut Vm,
    frame: *mut Frame,
    expression: &OpArray,
    word: u32,
) -> PhpResult<Value> {
    let known = (word != 0).then(|| known_default(frame, i64::from(word)));
    if let Some(known) = known
        && !(*known).is_undef()
    {
        return Ok(Value::share(&*known));
    }
    let value = (*vm).evaluate_constant(expression, (*(*frame).function).scope)?;
    let zval = value.as_zval();
    let ops = std::slice::from_raw_parts(expression.ops(), expression.len());
    let is_pure = ops.iter().all(|op| op.opcode != Opcode::NEW as u8);
    let is_case = zval.kind() == OBJECT && (*(*zval.object()).class).flags & class_flags::ENUM != 0;
    // While constants are being evaluated, one may be so a second time, and have another value then.
    let is_settled = (*vm).class_state.evaluating == 0;
    if let Some(known) = known
        && is_settled
        && is_pure
        && (is_case || !zval.is_refcounted())
    {
        *known = zval.copy();
    }
    Ok(value)
}

/// RECV_VARIADIC: collects the rest.
pub unsafe fn recv_variadic(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let first = (*opline).op1 - 1;
    let count = (*frame).argument_count();
    let function = (*frame).function;
    let slot = result(frame, opline);
    if (*function).flags & flags::HAS_TYPE_HINTS != 0 {
        for number in first..count {
            let argument = super::calls::argument_slot(frame, number);
            if crate::types::verify_argument(&mut *vm, &*function, number, argument, 0).is_err() {
                *slot = (*vm).new_array().into_value().into_zval();
                return next(frame);
            }
        }
    }
    let mut rest = more_arguments(frame, vm, first);
    if (*frame).call_info() & call_info::HAS_EXTRA_NAMED != 0 {
        // In errors they all have the number behind the last positional one.
        let number = count.max(first);
        let before = ArrayHandle::share_raw((*frame).extra_named);
        for (key, given) in before.iter() {
            let mut value = given.share();
            if (*function).flags & flags::HAS_TYPE_HINTS != 0
                && crate::types::verify_argument(&mut *vm, &*function, number, &mut value, 0)
                    .is_err()
            {
                release(&value);
                break;
            }
            if value.kind() != given.kind() {
                // Traces show what was made of it.
                let mut named = Zval::from_array((*frame).extra_named);
                super::dimension_writes::separate_array(vm, &raw mut named);
                (*named.array()).set(key, Value::share(&value));
                (*frame).extra_named = named.array();
            }
            rest.make_mut(&mut *vm).set(key, Value::from_zval(value));
        }
    }
    *slot = rest.into_value().into_zval();
    next(frame)
}

/// The arguments of a running frame from this one on, which stand behind its declared parameters.
pub unsafe fn more_arguments(frame: *mut Frame, vm: *mut Vm, first: u32) -> ArrayHandle {
    debug_assert!(first >= (*(*frame).function).parameter_count);
    let given = super::calls::argument_slot(frame, first);
    let count = (*frame).argument_count().saturating_sub(first) as usize;
    crate::array::PhpArray::packed_with(&mut (*vm).heap, count, |index| (*given.add(index)).share())
}

/// FUNC_NUM_ARGS.
pub unsafe fn func_num_args(frame: *mut Frame, opline: *const Op, _vm: *mut Vm) -> *const Op {
    *result(frame, opline) = Zval::from_long((*frame).argument_count() as i64);
    opline.add(1)
}

/// FUNC_GET_ARGS.
pub unsafe fn func_get_args(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let skip = match (*opline).op1_type {
        IS_CONST => (*constant(opline, (*opline).op1)).long() as u32,
        _ => 0,
    };
    let count = (*frame).argument_count();
    let declared = (*(*frame).function).parameter_count;
    let rest = count.saturating_sub(skip) as usize;
    // Arguments behind the declared ones lie elsewhere.
    let first = (*frame).slot(skip);
    let extra = super::calls::argument_slot(frame, skip.max(declared));
    let near = declared.saturating_sub(skip) as usize;
    let list = crate::array::PhpArray::packed_with(&mut (*vm).heap, rest, |index| {
        let argument = if index < near {
            first.add(index)
        } else {
            extra.add(index - near)
        };
        match (*argument).kind() {
            UNDEF => Zval::NULL,
            _ => (*argument).share_deref(),
        }
    });
    *result(frame, opline) = list.into_value().into_zval();
    next(frame)
}
