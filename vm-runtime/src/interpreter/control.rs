//! Branches that need more than a type test: JMP_SET, COALESCE, JMP_NULL, SWITCH_*, MATCH, and
//! the interrupt poll.

use std::sync::atomic::Ordering;

use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::function::class_flags;
use crate::generated::Opcode;
use crate::interpreter::assign::take_operand;
use crate::interpreter::operand::*;
use crate::op::{IS_CV, IS_VAR, Op};
use crate::value::{INDIRECT, LONG, NULL, STRING, ValueKind, Zval};
use crate::vm::Vm;

/// Called at a poll point when the interrupt word is set; `opline` is where to go on.
pub unsafe fn interrupt(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    use super::state::interrupt::{SAMPLE, SIGNAL as signal};
    let taken = signal | SAMPLE;
    let word = (*vm).interrupt.fetch_and(!taken, Ordering::Relaxed);
    (*vm).handle_interrupt();
    if word & signal != 0 && (*vm).exception.is_null() {
        (*vm).interrupt.fetch_or(signal, Ordering::Relaxed);
        // What is thrown is looked at below.
        let _ = (*vm).run_signals();
    }
    if (*vm).exception.is_null() {
        return match &mut (*vm).tier {
            Some(tier) if word & SAMPLE != 0 => tier.sample(frame, opline),
            _ => opline,
        };
    }
    // Something was thrown: the opline that is about to run has no result yet.
    let op = &*opline;
    if op.result_type & 6 != 0 && (*frame).opline != opline {
        (*result(frame, opline)).set_undef();
    }
    (*frame).opline
}

/// JMP_SET: `a ?: b`.
pub unsafe fn jmp_set(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let value = read_op1(frame, opline, vm);
    let truth = crate::operators::to_bool(&*value);
    if !(*vm).exception.is_null() {
        free_op1(frame, opline);
        (*result(frame, opline)).set_undef();
        return next(frame);
    }
    if truth {
        *result(frame, opline) = take_operand(frame, opline, vm, op.op1_type, op.op1);
        return jump_target(opline, op.op2);
    }
    free_op1(frame, opline);
    next(frame)
}

/// COALESCE: `a ?? b`.
pub unsafe fn coalesce(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let mut raw = raw_op1(frame, opline);
    if op.op1_type == IS_VAR && (*raw).kind() == INDIRECT {
        raw = (*raw).indirect();
    }
    if (*deref(raw)).kind() > NULL {
        *result(frame, opline) = take_operand(frame, opline, vm, op.op1_type, op.op1);
        return jump_target(opline, op.op2);
    }
    free_op1(frame, opline);
    next(frame)
}

/// The bits of JMP_NULL's extended value that say what the chain is a part of.
pub const CHAIN: u32 = 3;
/// An expression, which is null.
pub const CHAIN_EXPRESSION: u32 = 0;
/// `empty()`, which is true; `isset()` is false.
pub const CHAIN_EMPTY: u32 = 2;

/// JMP_NULL: `?->` on null skips the chain.
pub unsafe fn jmp_null(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    const IS_MODE: u32 = 4;
    let raw = raw_op1(frame, opline);
    let value = deref(raw);
    if (*value).kind() > NULL {
        return opline.add(1);
    }
    let chain = op.extended_value & CHAIN;
    if chain == CHAIN_EXPRESSION
        && op.op1_type == IS_CV
        && (*value).is_undef()
        && op.extended_value & IS_MODE == 0
    {
        undefined_variable(vm, frame, op.op1);
        if !(*vm).exception.is_null() {
            (*result(frame, opline)).set_undef();
            return next(frame);
        }
    }
    *result(frame, opline) = match chain {
        CHAIN_EXPRESSION => Zval::NULL,
        other => Zval::from_bool(other == CHAIN_EMPTY),
    };
    free_op1(frame, opline);
    jump_target(opline, op.op2)
}

/// SWITCH_LONG, SWITCH_STRING and MATCH: jump tables. The operand stays.
pub unsafe fn switch(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let raw = raw_op1(frame, opline);
    let value = deref(raw);
    let table = (*constant(opline, op.op2)).array();
    let found = match (*value).kind() {
        LONG if op.opcode != Opcode::SWITCH_STRING as u8 => (*table).get_long((*value).long()),
        STRING if op.opcode != Opcode::SWITCH_LONG as u8 => {
            (*table).get_string(&*(*value).string())
        }
        kind => {
            if op.opcode == Opcode::MATCH as u8 {
                if kind == 0 && op.op1_type == IS_CV {
                    undefined_variable(vm, frame, op.op1);
                    if !(*vm).exception.is_null() {
                        return next(frame);
                    }
                }
                None
            } else {
                // Another type: the comparisons behind decide.
                return opline.add(1);
            }
        }
    };
    match found {
        Some(target) => jump_target(opline, target.long() as u32),
        None => jump_target(opline, op.extended_value),
    }
}

/// MATCH_ERROR.
pub unsafe fn match_error(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    // Comparing it has said already that it is not defined.
    let value: *const Zval = match (*raw_op1(frame, opline)).is_undef() {
        true => &Zval::NULL,
        false => read_op1(frame, opline, vm),
    };
    let is_case = match (*value).view() {
        ValueKind::Object(object) => object.class().flags & class_flags::ENUM != 0,
        _ => false,
    };
    // As in PHP, what stands behind a reference is not shown.
    let is_reference = (*raw_op1(frame, opline)).is_reference();
    let shown = match (*value).kind() {
        // Values are as confidential as arguments.
        _ if is_reference => {
            format!("of type {}", crate::operators::class_or_type_name(&*value))
        }
        kind if (kind <= STRING || is_case) && !(*vm).ini.exception_ignore_arguments => {
            crate::exceptions::argument_text(&mut *vm, &*value)
        }
        _ => format!("of type {}", crate::operators::class_or_type_name(&*value)),
    };
    (*vm).throw_error(
        KnownClass::UnhandledMatchError,
        format!("Unhandled match case {shown}"),
    );
    next(frame)
}

/// CASE and CASE_STRICT in full: comparisons that keep op1.
pub unsafe fn case(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let (left, right, held) = read_both(frame, opline, vm);
    let strict = (*opline).opcode == Opcode::CASE_STRICT as u8;
    let equal = if strict {
        crate::operators::is_identical(&mut *vm, &*left, &*right)
    } else {
        crate::operators::is_equal(&mut *vm, &*left, &*right)
    };
    drop(held);
    free_op2(frame, opline);
    super::variables::finish_boolean(frame, opline, equal)
}

/// ASSERT_CHECK: skips an assertion that is switched off.
pub unsafe fn assert_check(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    if (*vm).assertions_active() {
        return opline.add(1);
    }
    if result_used(opline) {
        *result(frame, opline) = Zval::from_bool(true);
    }
    jump_target(opline, (*opline).op2)
}

/// TICKS.
pub unsafe fn ticks(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    (*vm).tick((*opline).extended_value);
    next(frame)
}

/// Opcodes that only debuggers or later work need.
pub unsafe fn not_built(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let name = crate::generated::opcode_name((*opline).opcode);
    (*vm).fatal_error(&format!(
        "Opcode {name} is not supported by this version of Opline"
    ))
}
