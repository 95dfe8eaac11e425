//! Live ranges: where temporaries hold values, so that an exception can release them.
//!
//! One backward scan over the oplines of a draft, as Zend's pass two does it: the last use of a
//! temporary ends its range, the definition before it begins it. Ranges that end right behind
//! their definition are not stored.

use vm_def::facts::EffectFacts;
use vm_def::grammar::Unwinding;

use crate::generated::Opcode;
use crate::op::{IS_TMP_VAR, IS_VAR, Op};
use crate::op_array::{Draft, LiveKind, LiveRange};

const NOT_USED: u32 = u32::MAX;
const FREE_ON_RETURN: u32 = 1;

/// Gives each free on the way out of a loop the distance to the free that ends the loop, to which
/// an exception that it throws belongs.
pub fn mark_loop_ends(draft: &mut Draft) {
    if !draft.ops.iter().any(is_free_on_return) {
        return;
    }
    let mut last_use = vec![NOT_USED; draft.temporaries as usize];
    for number in (0..draft.ops.len()).rev() {
        let op = draft.ops[number];
        if !is_free(&op) || op.op1_type & (IS_TMP_VAR | IS_VAR) == 0 {
            continue;
        }
        let next = std::mem::replace(&mut last_use[op.op1 as usize], number as u32);
        if is_free_on_return(&op) && next != NOT_USED {
            let after = draft.ops[next as usize];
            let further = if is_free_on_return(&after) {
                after.op2
            } else {
                0
            };
            draft.ops[number].op2 = next - number as u32 + further;
        }
    }
}

struct Scan<'a> {
    ops: &'a [Op],
    /// Number of the opline that consumes a temporary, seen from the current one.
    last_use: Vec<u32>,
    ranges: Vec<LiveRange>,
}

/// The live ranges of a draft, sorted by start.
pub fn compute(draft: &Draft) -> Vec<LiveRange> {
    let mut scan = Scan {
        ops: &draft.ops,
        last_use: vec![NOT_USED; draft.temporaries as usize],
        ranges: Vec::new(),
    };
    for number in (0..draft.ops.len() as u32).rev() {
        scan.visit(number);
    }
    scan.ranges.reverse();
    scan.ranges.sort_by_key(|range| range.start);
    scan.ranges
}

fn is(op: &Op, opcode: Opcode) -> bool {
    op.opcode == opcode as u8
}

fn is_free(op: &Op) -> bool {
    is(op, Opcode::FREE) || is(op, Opcode::FE_FREE)
}

fn is_free_on_return(op: &Op) -> bool {
    is_free(op) && op.extended_value & FREE_ON_RETURN != 0
}

/// What the definition says of the opline's opcode; nothing for a number without one.
fn effects(op: &Op) -> EffectFacts {
    Opcode::from_number(op.opcode).map_or(EffectFacts::NONE, |opcode| opcode.facts().effects)
}

impl Scan<'_> {
    fn visit(&mut self, number: u32) {
        let op = &self.ops[number as usize];
        let Some(opcode) = Opcode::from_number(op.opcode) else {
            return;
        };
        let facts = opcode.facts();
        let temporary = |kind: u8| kind & (IS_TMP_VAR | IS_VAR) != 0;
        // SEPARATE gives a temporary back to itself.
        let is_same = facts.result.same_as_before || opcode == Opcode::SEPARATE;
        if temporary(op.result_type) && !is_same {
            self.define(op.result, number);
        }
        if temporary(op.op1_type) {
            let variable = op.op1 as usize;
            if self.last_use[variable] == NOT_USED {
                if facts.op1.consumed {
                    // OP_DATA belongs to the opline before it.
                    self.last_use[variable] = number - is(op, Opcode::OP_DATA) as u32;
                }
            } else if is_free_on_return(op) {
                let mut skipped = 1;
                while is_free_on_return(&self.ops[(number + skipped) as usize]) {
                    skipped += 1;
                }
                let kind = if is(op, Opcode::FE_FREE) {
                    LiveKind::Loop
                } else {
                    LiveKind::Temporary
                };
                self.emit(op.op1, kind, number + skipped + 1, self.last_use[variable]);
                self.last_use[variable] = number;
            }
        }
        if temporary(op.op2_type) {
            if facts.op2.defined {
                self.define(op.op2, number);
            } else if self.last_use[op.op2 as usize] == NOT_USED {
                self.last_use[op.op2 as usize] = number;
            }
        }
    }

    fn define(&mut self, variable: u32, number: u32) {
        let end = self.last_use[variable as usize];
        if end == NOT_USED {
            // Not used, or another definition of the same temporary begins the range.
            return;
        }
        self.last_use[variable as usize] = NOT_USED;
        if number + 1 != end {
            self.emit_from(variable, number, end);
        }
    }

    fn emit(&mut self, variable: u32, kind: LiveKind, start: u32, end: u32) {
        if start < end {
            self.ranges.push(LiveRange {
                variable,
                kind,
                start,
                end,
            });
        }
    }

    /// Stores the range of a temporary that opline `number` defines.
    fn emit_from(&mut self, variable: u32, number: u32, end: u32) {
        let op = &self.ops[number as usize];
        let Some(opcode) = Opcode::from_number(op.opcode) else {
            return;
        };
        match opcode.facts().result.unwound {
            Unwinding::Nothing => {}
            Unwinding::Silence => self.emit(variable, LiveKind::Silence, number + 1, end),
            // A rope owns its first part once ROPE_INIT has run.
            Unwinding::Rope => self.emit(variable, LiveKind::Rope, number, end),
            Unwinding::Loop => self.emit(variable, LiveKind::Loop, number + 1, end),
            Unwinding::Object => self.emit_new(variable, number, end),
            Unwinding::Copy => self.emit_copy(variable, number, end),
            Unwinding::Value => self.emit(variable, LiveKind::Temporary, number + 1, end),
        }
    }

    /// An object is under construction until its constructor's DO_FCALL, then an ordinary value.
    fn emit_new(&mut self, variable: u32, number: u32, end: u32) {
        let mut level = 0;
        let mut done = number;
        while done + 1 < end {
            done += 1;
            let op = &self.ops[done as usize];
            if effects(op).opens_call {
                level += 1;
            } else if effects(op).closes_call {
                if level == 0 {
                    break;
                }
                level -= 1;
            }
        }
        self.emit(variable, LiveKind::New, number + 1, done + 1);
        if done + 1 != end {
            self.emit(variable, LiveKind::Temporary, done + 1, end);
        }
    }

    /// The copy for `??=` lives to its use on the null branch, and to its FREE on the other.
    fn emit_copy(&mut self, variable: u32, number: u32, end: u32) {
        let kind = LiveKind::Temporary;
        if !is(&self.ops[end as usize], Opcode::FREE) {
            self.emit(variable, kind, number + 1, end);
            return;
        }
        let mut block = end;
        while is(&self.ops[block as usize - 1], Opcode::FREE) {
            block -= 1;
        }
        if block != end {
            self.emit(variable, kind, block, end);
        }
        let mut usage = end;
        loop {
            usage -= 1;
            let op = &self.ops[usage as usize];
            if usage == number {
                // The use was optimized away.
                return;
            }
            let uses =
                |kind: u8, operand: u32| kind & (IS_TMP_VAR | IS_VAR) != 0 && operand == variable;
            if uses(op.op1_type, op.op1) || uses(op.op2_type, op.op2) {
                break;
            }
        }
        self.emit(variable, kind, number + 1, usage);
    }
}
