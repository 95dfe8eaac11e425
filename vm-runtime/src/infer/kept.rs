//! Calls for whose time a variable keeps the object that they are made on.
//!
//! The frame of a method needs no share of its object where the caller's variable holds one until it has returned.
//! Nobody else gets at a variable that has no name and is no reference, so only the oplines up to the call count.

use vm_def::facts::TypeFacts;
use vm_def::types::TypeMask;

use super::{facts, is_data_read, is_read};
use crate::generated::Opcode;
use crate::op::{IS_CV, Op};
use crate::op_array::Draft;

/// A call that is being prepared.
struct Prepared {
    opline: u32,
    /// The variable with its object, as long as that is kept.
    kept: Option<u32>,
}

/// The oplines of a draft that prepare calls on what a variable keeps until they have been made, given what is proven
/// for the operands of each.
pub fn calls_on_kept(draft: &Draft, types: &[TypeFacts]) -> Vec<u32> {
    let mut prepared: Vec<Prepared> = Vec::new();
    let mut found = Vec::new();
    for (number, op) in draft.ops.iter().enumerate() {
        let Some(facts) = facts(op) else {
            return Vec::new();
        };
        for call in &mut prepared {
            let stays = |variable: &u32| !changes(&draft.ops, number, *variable);
            call.kept = call.kept.filter(stays);
        }
        if facts.effects.opens_call {
            let is_kept = facts.spec.kept_op1
                && op.op1_type == IS_CV
                && !types[number].op1.intersects(TypeMask::REFERENCE);
            prepared.push(Prepared {
                opline: number as u32,
                kept: is_kept.then_some(op.op1),
            });
        }
        if facts.effects.closes_call
            && let Some(Prepared {
                opline,
                kept: Some(_),
            }) = prepared.pop()
        {
            found.push(opline);
        }
    }
    found
}

/// Whether an opline may do more with a variable than read it.
fn changes(ops: &[Op], number: usize, variable: u32) -> bool {
    let op = &ops[number];
    let is_it = |kind: u8, operand: u32| kind & 15 == IS_CV && operand == variable;
    let Some(known) = facts(op) else {
        return true;
    };
    if op.opcode == Opcode::OP_DATA as u8 {
        return is_it(op.op1_type, op.op1) && !is_data_read(ops, number);
    }
    is_it(op.op1_type, op.op1) && !is_read(op, known, &known.op1)
        || is_it(op.op2_type, op.op2) && !known.op2.read
        || is_it(op.result_type, op.result)
}
