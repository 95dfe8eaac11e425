//! Outcomes that nobody reads: what only computes them is left out.
//!
//! A variable is unread if its function does nothing with it but assign to it, and has nothing that gets at variables
//! by their names. It becomes null instead: the assignment still gives up what was there before, once.

use vm_def::facts::OpcodeFacts;
use vm_def::grammar::ExtendedMeaning;
use vm_def::types::TypeMask;
use vm_runtime::frame::HEADER_SLOTS;
use vm_runtime::generated::Opcode;
use vm_runtime::infer;
use vm_runtime::op::{IS_CV, IS_TMP_VAR, IS_UNUSED, IS_VAR, Op};
use vm_runtime::value::Zval;

use super::body::{KIND, literal};
use super::state::SlotState;
use super::{Code, Operand, Position, Translator};
use crate::graph::{Held, Operation, Place, Slot};

/// What opcodes that only compute take.
const SCALAR: TypeMask = TypeMask(
    TypeMask::NULL.0
        | TypeMask::BOOL.0
        | TypeMask::LONG.0
        | TypeMask::DOUBLE.0
        | TypeMask::STRING.0,
);
/// What keys of array literals are without a conversion.
const KEY: TypeMask = TypeMask(TypeMask::LONG.0 | TypeMask::STRING.0);

fn facts(op: &Op) -> Option<&'static OpcodeFacts> {
    Opcode::from_number(op.opcode).map(Opcode::facts)
}

/// Whether a function has something that gets at its variables by their names.
fn names_variables(op: &Op) -> bool {
    // SAFETY: I4: the offset of a CONST operand leads to a literal.
    infer::names_variables(op, |offset| Some(unsafe { &*literal(op, offset) }))
}

/// Whether nobody reads a variable, given by its slot.
pub fn is_unread_slot(ops: &[Op], slot: Slot) -> bool {
    let field = (slot.0 + HEADER_SLOTS) * size_of::<Zval>() as u32;
    is_unread_variable(ops, field)
}

/// Whether the oplines of a function do nothing with a variable but assign to it.
fn is_unread_variable(ops: &[Op], variable: u32) -> bool {
    let is_used = |op: &Op| {
        let is_assigned = op.opcode == Opcode::ASSIGN as u8 && op.result_type & KIND == IS_UNUSED;
        op.op1_type == IS_CV && op.op1 == variable && !is_assigned
            || op.op2_type == IS_CV && op.op2 == variable
            || op.result_type & KIND == IS_CV && op.result == variable
    };
    !ops.iter().any(is_used) && !ops.iter().any(names_variables)
}

fn is_temporary(kind: u8) -> bool {
    matches!(kind & KIND, IS_TMP_VAR | IS_VAR)
}

fn only_computes(op: &Op) -> bool {
    facts(op).is_some_and(|facts| facts.effects.computes) && is_temporary(op.result_type)
}

/// Whether an opline assigns a temporary to a variable that nobody reads.
fn assigns_in_vain(ops: &[Op], op: &Op, temporary: u32) -> bool {
    op.opcode == Opcode::ASSIGN as u8
        && op.op1_type == IS_CV
        && op.result_type & KIND == IS_UNUSED
        && is_temporary(op.op2_type)
        && op.op2 == temporary
        && is_unread_variable(ops, op.op1)
}

/// Whether the result of an opline is only assigned, by the next one, to a variable that nobody reads.
pub fn is_unread(ops: &[Op], number: u32) -> bool {
    let [op, next] = match ops.get(number as usize..number as usize + 2) {
        Some([op, next]) => [op, next],
        _ => return false,
    };
    is_temporary(op.result_type) && assigns_in_vain(ops, next, op.result)
}

/// The opline that assigns to a variable that nobody reads what the oplines from this one up to it do nothing but
/// compute.
pub fn assigned_at(ops: &[Op], number: u32) -> Option<u32> {
    let first = ops.get(number as usize)?;
    // What goes on with an array or a rope goes on with one that was begun here.
    let goes_on = |op: &Op| facts(op).is_some_and(|facts| facts.result.same_as_before);
    if !only_computes(first) || goes_on(first) {
        return None;
    }
    let mut result = first.result;
    for (number, op) in (number + 1..).zip(&ops[number as usize + 1..]) {
        if !only_computes(op) {
            return assigns_in_vain(ops, op, result).then_some(number);
        }
        let is_operand = |kind: u8, field: u32| is_temporary(kind) && field == result;
        let takes_it = match goes_on(op) {
            true => is_operand(op.result_type, op.result),
            false => is_operand(op.op1_type, op.op1) || is_operand(op.op2_type, op.op2),
        };
        if !takes_it {
            return None;
        }
        result = op.result;
    }
    None
}

/// Whether an opline assigns to a variable that nobody reads: compiled code leaves null there, whatever was seen.
pub fn is_in_vain(code: &Code<'_>, number: u32) -> bool {
    let op = code.op(number);
    let is_plain = op.opcode == Opcode::ASSIGN as u8
        && op.op1_type == IS_CV
        && op.result_type & KIND == IS_UNUSED;
    let (ops, _) = code.local_ops(number);
    is_plain && !code.is_top_level() && is_unread_variable(ops, op.op1)
}

/// Leaves out the opline that is next, and others, if all they do is compute what nobody reads. Gives where to go on.
pub fn leave_out(translator: &mut Translator<'_>, at: &mut Position) -> Option<u32> {
    assignment(translator, at).or_else(|| computation(translator, at))
}

/// An assignment to a variable that nobody reads, where there is nothing to be given up.
fn assignment(translator: &mut Translator<'_>, at: &mut Position) -> Option<u32> {
    let code = translator.request.code;
    let Operand::Slot(variable) = code.op1(at.opline) else {
        return None;
    };
    let is_null = matches!(
        at.state.at(variable),
        SlotState::Held {
            held: Held::Null,
            ..
        }
    );
    if !is_null || !is_in_vain(code, at.opline) {
        return None;
    }
    let has_value = match code.op2(at.opline) {
        Operand::None => false,
        Operand::Literal(_) => true,
        Operand::Slot(slot) => {
            let value = at.state.at(slot);
            // A variable without a value gives a warning.
            let is_there = !value.types().intersects(TypeMask::UNDEF);
            is_there && (value.is_uncounted() || !code.is_temporary(slot, at.opline))
        }
    };
    has_value.then(|| code.following(at.opline))
}

/// Oplines that only compute something for such an assignment.
fn computation(translator: &mut Translator<'_>, at: &mut Position) -> Option<u32> {
    let code = translator.request.code;
    if code.is_top_level() || code.is_weak(at.opline) {
        return None;
    }
    let (ops, first) = code.local_ops(at.opline);
    let end = assigned_at(ops, first)?;
    let mut tests = Vec::new();
    let mut computed: Vec<Slot> = Vec::new();
    for number in at.opline..at.opline + (end - first) {
        if number > at.opline && code.is_leader(number) {
            return None;
        }
        let op = code.op(number);
        let facts = code.facts(number)?;
        let is_reference = facts.extended_is(ExtendedMeaning::Ref);
        if is_reference && op.extended_value & 1 != 0 {
            return None;
        }
        let taken_as_key = if is_reference { KEY } else { SCALAR };
        for (operand, taken) in [(code.op1(number), SCALAR), (code.op2(number), taken_as_key)] {
            match operand {
                Operand::Slot(slot) if !computed.contains(&slot) => {
                    tests.extend(test(translator, at, number, slot, taken)?);
                }
                _ => {}
            }
        }
        if let Operand::Slot(result) = code.result(number) {
            computed.push(result);
        }
    }
    let result = *computed.last()?;
    let exit = translator.snapshot(&at.state, at.opline);
    for (slot, types) in tests {
        let guard = Operation::GuardType(Place::Slot(slot), types, exit);
        translator.push(at.block, guard);
        let uncounted = at.state.at(slot).is_uncounted();
        at.state.set(slot, SlotState::Memory { types, uncounted });
    }
    let held = Held::Null;
    at.state.set(result, SlotState::Held { held, dirty: true });
    Some(at.opline + (end - first))
}

/// What must be tested for an operand to be of certain types, if anything. None if it is not likely to be, or would
/// have to be given back.
fn test(
    translator: &Translator<'_>,
    at: &Position,
    number: u32,
    slot: Slot,
    taken: TypeMask,
) -> Option<Option<(Slot, TypeMask)>> {
    let code = translator.request.code;
    let state = at.state.at(slot);
    if code.is_temporary(slot, at.opline) && !state.is_uncounted() && !state.is_borrowed() {
        return None;
    }
    if state.types().is_subset_of(taken) {
        return Some(None);
    }
    let likely = TypeMask(code.seen(number, slot).0 & state.types().0);
    let is_likely = likely != TypeMask::NONE && likely.is_subset_of(taken);
    let is_in_memory = matches!(state, SlotState::Memory { .. });
    (is_likely && is_in_memory).then_some(Some((slot, likely)))
}
