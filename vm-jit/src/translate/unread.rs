//! Which variables nobody reads, and which oplines only compute what is assigned to them.
//!
//! A variable is unread if its function does nothing with it but assign to it, or to elements of it, and has nothing
//! that gets at variables by their names. What is left out is said by [`super::vain`].

use vm_def::facts::OpcodeFacts;
use vm_def::grammar::ExtendedMeaning;
use vm_def::types::TypeMask;
use vm_runtime::frame::HEADER_SLOTS;
use vm_runtime::generated::Opcode;
use vm_runtime::generated::lowering::of_opline;
use vm_runtime::infer;
use vm_runtime::op::{IS_CONST, IS_CV, IS_TMP_VAR, IS_UNUSED, IS_VAR, Op};
use vm_runtime::value::{LONG, Zval};

use super::body::{KIND, literal};

/// What opcodes that only compute take.
pub const SCALAR: TypeMask = TypeMask(
    TypeMask::NULL.0
        | TypeMask::BOOL.0
        | TypeMask::LONG.0
        | TypeMask::DOUBLE.0
        | TypeMask::STRING.0,
);
/// What keys of arrays are without a conversion that warns.
pub const KEY: TypeMask = TypeMask(SCALAR.0 & !TypeMask::DOUBLE.0);
/// What keys of array literals are without a conversion.
const LITERAL_KEY: TypeMask = TypeMask(TypeMask::LONG.0 | TypeMask::STRING.0);

/// What a function does with a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It looks at it.
    Read,
    /// It only assigns to it.
    Assigned,
    /// It only assigns to it and to its elements, so that it must not be made what elements cannot be assigned to.
    Filled,
}

/// Assigned to elements.
const FILLS: u8 = 1;
/// Assigned what is not an array.
const COMPUTES: u8 = 2;
/// Anything else.
const READS: u8 = 4;

fn facts(op: &Op) -> Option<&'static OpcodeFacts> {
    Opcode::from_number(op.opcode).map(Opcode::facts)
}

fn is_temporary(kind: u8) -> bool {
    matches!(kind & KIND, IS_TMP_VAR | IS_VAR)
}

/// Whether the result goes to the variable of the ASSIGN that follows, which is skipped.
pub fn is_fused(op: &Op) -> bool {
    op.result_type & KIND == IS_CV && facts(op).is_some_and(|facts| facts.spec.result_cv)
}

/// Whether a function has something that gets at its variables by their names.
fn names_variables(op: &Op) -> bool {
    // SAFETY: I4: the offset of a CONST operand leads to a literal.
    infer::names_variables(op, |offset| Some(unsafe { &*literal(op, offset) }))
}

/// What an opline does with the variable of op1, if that is one.
fn done_to_op1(op: &Op) -> u8 {
    let has_result = op.result_type & KIND != IS_UNUSED;
    match Opcode::from_number(op.opcode) {
        Some(Opcode::ASSIGN) if !has_result => 0,
        // Behind the largest key nothing can be appended.
        Some(Opcode::ASSIGN_DIM) if !has_result && op.op2_type != IS_UNUSED => FILLS,
        _ => READS,
    }
}

/// What the oplines of a function do with each of its variables, at which nothing gets by their names.
pub fn uses(ops: &[Op], variables: u32) -> Vec<Use> {
    let mut done = vec![0u8; variables as usize];
    let mut note = |kind: u8, field: u32, what: u8| {
        let slot = (field / size_of::<Zval>() as u32).wrapping_sub(HEADER_SLOTS);
        if kind & KIND == IS_CV
            && let Some(done) = done.get_mut(slot as usize)
        {
            *done |= what;
        }
    };
    for op in ops {
        note(op.op1_type, op.op1, done_to_op1(op));
        note(op.op2_type, op.op2, READS);
        let what = if is_fused(op) { COMPUTES } else { READS };
        note(op.result_type, op.result, what);
    }
    let use_of = |done: u8| match done {
        0 | COMPUTES => Use::Assigned,
        FILLS => Use::Filled,
        _ => Use::Read,
    };
    done.into_iter().map(use_of).collect()
}

/// The use of one variable, given by its operand.
fn use_of(ops: &[Op], variable: u32) -> Use {
    if ops.iter().any(names_variables) {
        return Use::Read;
    }
    let slot = variable / size_of::<Zval>() as u32 - HEADER_SLOTS;
    let uses = uses(ops, slot + 1);
    uses[slot as usize]
}

/// The types of op1 and op2 for which an opline does nothing but give its result, one choice behind the other.
pub fn computes(op: &Op, next: Option<&Op>) -> Vec<[TypeMask; 2]> {
    let Some(facts) = facts(op) else {
        return Vec::new();
    };
    if facts.effects.computes {
        let types = if facts.extended_is(ExtendedMeaning::Ref) {
            match op.extended_value & 1 {
                0 => [SCALAR, LITERAL_KEY],
                _ => return Vec::new(),
            }
        } else if facts.extended_is(ExtendedMeaning::Isset) {
            [SCALAR.union(TypeMask::ARRAY), KEY]
        } else {
            [SCALAR, SCALAR]
        };
        return vec![types];
    }
    let clauses = of_opline(op, next).map_or(&[][..], |lowering| &lowering.traits);
    let pure = clauses.iter().filter(|clause| clause.is_pure);
    pure.map(|clause| {
        [clause.op1, clause.op2].map(|taking| {
            let taken = taking.types.unwrap_or(TypeMask::PLAIN);
            TypeMask(taken.0 & TypeMask::PLAIN.0)
        })
    })
    .collect()
}

/// Whether an opline only computes a temporary, or what is assigned to a variable with the ASSIGN behind it.
fn only_computes(op: &Op, next: Option<&Op>) -> bool {
    (is_temporary(op.result_type) || is_fused(op)) && !computes(op, next).is_empty()
}

/// Whether an element without a key is sure to find one behind the element that an opline adds to an array literal.
fn leaves_room(op: &Op) -> bool {
    match op.op2_type {
        IS_UNUSED => true,
        IS_CONST => {
            // SAFETY: I4: the offset of a CONST operand leads to a literal.
            let key = unsafe { &*literal(op, op.op2) };
            key.kind() != LONG || key.long() != i64::MAX
        }
        _ => false,
    }
}

/// Whether an opline assigns a temporary to a variable that nobody reads, or uses it as an element or key of one.
fn assigns_in_vain(ops: &[Op], number: u32, temporary: u32) -> bool {
    let (op, next) = (&ops[number as usize], ops.get(number as usize + 1));
    if op.op1_type != IS_CV || op.result_type & KIND != IS_UNUSED {
        return false;
    }
    let is_it = |kind: u8, field: u32| is_temporary(kind) && field == temporary;
    let takes_it = is_it(op.op2_type, op.op2);
    match Opcode::from_number(op.opcode) {
        Some(Opcode::ASSIGN) => takes_it && use_of(ops, op.op1) == Use::Assigned,
        Some(Opcode::ASSIGN_DIM) => {
            let is_data = next.is_some_and(|data| is_it(data.op1_type, data.op1));
            (takes_it || is_data) && use_of(ops, op.op1) == Use::Filled
        }
        _ => false,
    }
}

/// Whether the result of an opline is only assigned, by the next one, to a variable that nobody reads.
pub fn is_unread(ops: &[Op], number: u32) -> bool {
    let [op, next] = match ops.get(number as usize..number as usize + 2) {
        Some([op, next]) => [op, next],
        _ => return false,
    };
    // Who assigns to an element may be an object's.
    let is_variable = next.opcode == Opcode::ASSIGN as u8;
    is_variable && is_temporary(op.result_type) && assigns_in_vain(ops, number + 1, op.result)
}

/// The opline that assigns to a variable that nobody reads what the oplines from this one up to it do nothing but
/// compute.
pub fn assigned_at(ops: &[Op], number: u32) -> Option<u32> {
    let first = ops.get(number as usize)?;
    // What goes on with an array or a rope goes on with one that was begun here.
    let goes_on = |op: &Op| facts(op).is_some_and(|facts| facts.result.same_as_before);
    let next = |number: u32| ops.get(number as usize + 1);
    if !only_computes(first, next(number)) || goes_on(first) {
        return None;
    }
    let mut result = first.result;
    let mut last = first;
    let mut has_room = leaves_room(first);
    for (number, op) in (number + 1..).zip(&ops[number as usize + 1..]) {
        if is_fused(last) {
            return assigns_in_vain(ops, number, op.op2).then_some(number);
        }
        if !only_computes(op, next(number)) {
            return assigns_in_vain(ops, number, result).then_some(number);
        }
        let is_operand = |kind: u8, field: u32| is_temporary(kind) && field == result;
        let takes_it = match goes_on(op) {
            true => is_operand(op.result_type, op.result),
            false => is_operand(op.op1_type, op.op1) || is_operand(op.op2_type, op.op2),
        };
        let is_refused = goes_on(op) && op.op2_type == IS_UNUSED && !has_room;
        if !takes_it || is_refused {
            return None;
        }
        has_room = leaves_room(op) && (has_room || !goes_on(op));
        (result, last) = (op.result, op);
    }
    None
}
