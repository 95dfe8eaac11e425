//! Pass two: a finished draft becomes an op array that handlers can execute.
//!
//! Operand numbers become offsets: of literals from the opline, of slots from the frame, of jump
//! targets from the opline. Handlers are selected by operand kinds and literal types.

use std::collections::HashMap;
use std::sync::Arc;

use vm_def::facts::OpcodeFacts;
use vm_def::grammar::{CheckSubject, ExtendedMeaning, OplineField};

use crate::frame::HEADER_SLOTS;
use crate::function::{Type, flags, type_mask};
use crate::generated::{Opcode, selection};
use crate::infer;
use crate::live_ranges;
use crate::op::{IS_CONST, IS_CV, IS_TMP_VAR, IS_UNUSED, IS_VAR, KEPT_OP1, Op};
use crate::op_array::{Draft, LiteralKey, LiteralPool, LiveRange, OpArray};
use crate::unpacked_lists;
use crate::value::{ARRAY, CONSTANT_EXPRESSION, Zval};

/// A draft that cannot be executed: a defect of the compiler that made it, or hostile bytecode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// No handler takes these operand kinds.
    #[error("opline {number}: invalid opcode {opcode}/{op1_type}/{op2_type}")]
    InvalidOpline {
        /// Number of the opline.
        number: usize,
        /// Its opcode.
        opcode: u8,
        /// Kind of op1.
        op1_type: u8,
        /// Kind of op2.
        op2_type: u8,
    },
    /// An operand or a jump leads outside of the op array.
    #[error("opline {number}: operand out of range")]
    OutOfRange {
        /// Number of the opline.
        number: usize,
    },
}

impl Draft {
    /// Completes a draft whose oplines are all emitted: swaps the operands of commutative oplines
    /// into the order that handlers have, resolves FAST_CALLs and computes the live ranges. The
    /// result is what a dump shows.
    pub fn finish(&mut self) {
        let generator = self.flags & flags::GENERATOR != 0;
        for op in &mut self.ops {
            selection::normalise(op);
            if generator
                && (op.opcode == Opcode::RETURN as u8 || op.opcode == Opcode::RETURN_BY_REF as u8)
            {
                op.opcode = Opcode::GENERATOR_RETURN as u8;
            }
        }
        for op in &mut self.ops {
            if op.opcode == Opcode::FAST_CALL as u8
                && let Some(element) = self.try_catch.get(op.op1 as usize)
            {
                op.op1 = element.finally_op;
            }
        }
        self.live_ranges = live_ranges::compute(self);
        live_ranges::mark_loop_ends(self);
    }

    /// Publishes a finished draft. Jump tables are rewritten into `pool`.
    pub fn publish(mut self, pool: &mut LiteralPool) -> Result<OpArray, PublishError> {
        let compiled = unpacked_lists::unpack(&mut self);
        let count = self.ops.len();
        let bytes = count * size_of::<Op>() + self.literals.len() * size_of::<Zval>();
        let mut block = Box::<[u128]>::new_uninit_slice(bytes.div_ceil(16));
        // SAFETY: the block is large enough for both, 16-byte aligned, and freshly allocated; both
        // fill it, as their sizes are multiples of 16.
        let (block, ops, literals) = unsafe {
            let base = block.as_mut_ptr().cast::<Op>();
            std::ptr::copy_nonoverlapping(self.ops.as_ptr(), base, count);
            let behind = base.add(count).cast::<Zval>();
            std::ptr::copy_nonoverlapping(self.literals.as_ptr(), behind, self.literals.len());
            let block = block.assume_init();
            (
                block,
                std::slice::from_raw_parts_mut(base, count),
                std::slice::from_raw_parts_mut(behind, self.literals.len()),
            )
        };
        let types = infer::operand_types(&self);
        for number in infer::calls_on_kept(&self, &types) {
            ops[number as usize].result_type |= KEPT_OP1;
        }
        fuse_assignments(ops);
        for number in 0..count {
            let data = ops.get(number + 1).copied();
            let op = &mut ops[number];
            let facts = opcode_facts(op).ok_or_else(|| invalid(number, op))?;
            note_accepted_types(op, facts, &self);
            if facts.extended_is(ExtendedMeaning::Frameless)
                || facts.extended_is(ExtendedMeaning::FunctionSlot)
            {
                op.extended_value = self.cache_size;
                self.cache_size += size_of::<usize>() as u32;
            }
            if !facts.define_only {
                op.handler = selection::select(op, data.as_ref(), types[number])
                    .ok_or_else(|| invalid(number, op))?;
            }
            rewrite_jump_table(op, facts, number, literals, pool);
            relocate(op, facts, number, &self)?;
        }
        let variables = self.variables.len() as u32;
        let relocated = |range: &LiveRange| LiveRange {
            variable: slot_offset(variables + range.variable),
            ..*range
        };
        let live_ranges = match compiled {
            None => self.live_ranges.iter().map(relocated).collect(),
            Some(compiled) => {
                let ranges = live_ranges::compute(&self);
                self.ops = compiled;
                ranges.iter().map(relocated).collect()
            }
        };
        let variable_index = HashMap::new();
        Ok(OpArray {
            block,
            live_ranges,
            parameters: Arc::from(self.parameters.clone()),
            variable_index,
            draft: self,
            owned: Some(Arc::clone(pool.owned())),
        })
    }
}

/// Lets `T = OP` that an `ASSIGN CV, T` follows write the CV itself. The ASSIGN stays, because
/// something may jump to it, but is skipped.
fn fuse_assignments(ops: &mut [Op]) {
    for number in 1..ops.len() {
        let assign = ops[number];
        let before = &mut ops[number - 1];
        if assign.opcode == Opcode::ASSIGN as u8
            && assign.op1_type == IS_CV
            && assign.op2_type == IS_TMP_VAR
            && assign.result_type == IS_UNUSED
            && before.result_type == IS_TMP_VAR
            && before.result == assign.op2
            && opcode_facts(before).is_some_and(|facts| facts.spec.result_cv)
        {
            before.result_type = IS_CV;
            before.result = assign.op1;
        }
    }
}

fn invalid(number: usize, op: &Op) -> PublishError {
    PublishError::InvalidOpline {
        number,
        opcode: op.opcode,
        op1_type: op.op1_type,
        op2_type: op.op2_type,
    }
}

fn opcode_facts(op: &Op) -> Option<&'static OpcodeFacts> {
    Opcode::from_number(op.opcode).map(Opcode::facts)
}

fn slot_offset(number: u32) -> u32 {
    (HEADER_SLOTS + number) * size_of::<Zval>() as u32
}

/// Puts into a check of an argument or a return value what it accepts without a look at the
/// declaration, where its definition says (`checks:`): a mask by type number, and the number of the cache word
/// that keeps the class which passed last ([`crate::types::passes_cached`]), behind whose words the value of a default
/// that is an expression stands; both in one field if it names one.
fn note_accepted_types(op: &mut Op, facts: &OpcodeFacts, draft: &Draft) {
    let Some(checks) = facts.checks else { return };
    let declared = match checks.subject {
        CheckSubject::Parameter => {
            let parameter = draft.parameters.get(op.op1 as usize - 1);
            parameter.and_then(|parameter| parameter.declared.as_ref())
        }
        CheckSubject::Return => draft.return_type.as_ref(),
    };
    // The value of a default that is an expression stands behind the words of the type, also of one without classes.
    let has_value = op.opcode == Opcode::RECV_INIT as u8
        && op.op2_type == IS_CONST
        && draft
            .literals
            .get(op.op2 as usize)
            .is_some_and(|default| default.kind() == CONSTANT_EXPRESSION);
    // Where the number will be the compiler has put the first cache slot of the type.
    let check = TypeCheck::new(declared, *field(op, checks.cache), has_value);
    if checks.accepted == checks.cache {
        *field(op, checks.accepted) = check.packed();
    } else {
        *field(op, checks.accepted) = check.accepted;
        *field(op, checks.cache) = check.cache;
    }
}

fn field(op: &mut Op, field: OplineField) -> &mut u32 {
    match field {
        OplineField::Op1 => &mut op.op1,
        OplineField::Op2 => &mut op.op2,
        OplineField::Extended => &mut op.extended_value,
    }
}

/// What an opline knows of the type it checks.
struct TypeCheck {
    /// Kinds that pass as they are, by type number, and whether the type says `static`.
    accepted: u32,
    /// Number of the cache word for the class that passed last, counted from 1; 0 if none
    /// does by its class and no value stands behind it.
    cache: u32,
}

impl TypeCheck {
    /// `slot` is the offset of the first cache slot that the compiler gave the type, behind which a value may stand.
    fn new(declared: Option<&Type>, slot: u32, has_value: bool) -> TypeCheck {
        // `static` has a bit that is no type number.
        const SIMPLE: u32 = ((1 << 10) - 1) | type_mask::STATIC;
        // References too, but neither a hole nor a default that is still an expression.
        const ANYTHING: u32 = (1 << 11) - 2;
        let names_class = declared.is_some_and(|declared| {
            !declared.classes.is_empty() || declared.mask & type_mask::CALLABLE != 0
        });
        TypeCheck {
            accepted: declared.map_or(ANYTHING, |declared| declared.mask & SIMPLE),
            cache: if names_class || has_value {
                slot / 8 + 1
            } else {
                0
            },
        }
    }

    /// Both in one word. A cache word beyond its range is done without.
    fn packed(&self) -> u32 {
        const BITS: u32 = crate::types::ACCEPTED_BITS;
        let cache = if self.cache >> (32 - BITS) == 0 {
            self.cache
        } else {
            0
        };
        self.accepted | cache << BITS
    }
}

/// Gives SWITCH_* and MATCH a jump table with offsets in place of opline numbers.
fn rewrite_jump_table(
    op: &Op,
    facts: &OpcodeFacts,
    number: usize,
    literals: &mut [Zval],
    pool: &mut LiteralPool,
) {
    if !facts.effects.jumps_extended || op.op2_type != IS_CONST {
        return;
    }
    let Some(literal) = literals.get_mut(op.op2 as usize) else {
        return;
    };
    if literal.kind() != ARRAY {
        return;
    }
    // SAFETY: I3: a literal array is live as long as its pool.
    let table = unsafe { &*literal.array() };
    let entries: Vec<(LiteralKey, Zval)> = table
        .iter()
        .map(|(key, target)| {
            let key = match key {
                crate::array::KeyRef::Long(key) => LiteralKey::Long(key),
                crate::array::KeyRef::String(key) => {
                    LiteralKey::String((&raw const *key).cast_mut())
                }
            };
            (
                key,
                Zval::from_long(jump_offset(number, target.long() as u32) as i32 as i64),
            )
        })
        .collect();
    *literal = pool.jump_table(&entries);
}

fn jump_offset(from: usize, to: u32) -> u32 {
    ((to as i64 - from as i64) * size_of::<Op>() as i64) as i32 as u32
}

/// Turns the operand numbers of an opline into offsets.
fn relocate(
    op: &mut Op,
    facts: &OpcodeFacts,
    number: usize,
    draft: &Draft,
) -> Result<(), PublishError> {
    let variables = draft.variables.len() as u32;
    let slots = variables + draft.temporaries;
    let out_of_range = PublishError::OutOfRange { number };
    let count = draft.ops.len();
    let operand = |kind: u8, field: u32| -> Result<u32, PublishError> {
        match kind {
            IS_CONST => {
                if field as usize >= draft.literals.len() {
                    return Err(out_of_range.clone());
                }
                let offset =
                    (count - number) * size_of::<Op>() + field as usize * size_of::<Zval>();
                Ok(offset as u32)
            }
            IS_CV if field < variables => Ok(slot_offset(field)),
            IS_TMP_VAR | IS_VAR if variables + field < slots => Ok(slot_offset(variables + field)),
            IS_UNUSED => Ok(field),
            _ => Err(out_of_range.clone()),
        }
    };
    let jump = |field: u32| -> Result<u32, PublishError> {
        if field as usize >= count {
            return Err(out_of_range.clone());
        }
        Ok(jump_offset(number, field))
    };
    const LAST_CATCH: u32 = 1;
    let last_catch = op.opcode == Opcode::CATCH as u8 && op.extended_value & LAST_CATCH != 0;
    op.op1 = if facts.effects.jumps_op1 && op.op1_type == IS_UNUSED {
        jump(op.op1)?
    } else {
        operand(op.op1_type, op.op1)?
    };
    op.op2 = if facts.effects.jumps_op2 && op.op2_type == IS_UNUSED {
        if last_catch { 0 } else { jump(op.op2)? }
    } else {
        operand(op.op2_type, op.op2)?
    };
    if facts.effects.jumps_extended {
        op.extended_value = jump(op.extended_value)?;
    }
    const KIND: u8 = 15;
    if op.result_type & KIND != IS_UNUSED {
        op.result = operand(op.result_type & KIND, op.result)?;
    }
    Ok(())
}
