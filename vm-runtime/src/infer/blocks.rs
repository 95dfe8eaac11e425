//! The blocks of a function and what is known where they begin.

use super::{Pass, Types, facts};
use crate::generated::Opcode;
use crate::op::{IS_CONST, IS_UNUSED, Op};
use crate::op_array::Draft;
use crate::value::ARRAY;

/// More than so many sets of types (blocks times variables) are not kept.
const MOST_SETS: usize = 1 << 16;

/// How often a block is gone through on average before all is given up.
const VISITS: usize = 16;

/// The blocks of a function.
pub(super) struct Blocks {
    /// For each opline the number of the block that begins there, from 1.
    block_at: Vec<u32>,
    /// The first opline of each block.
    first: Vec<usize>,
    /// The types of the variables where each block begins.
    starts: Vec<Types>,
    /// Blocks that are to be gone through.
    waiting: Vec<bool>,
    width: usize,
}

/// What is known where blocks begin.
pub(super) struct Starts(Blocks);

impl Starts {
    /// The types of the variables at an opline with which a block begins. In one that is never reached there are
    /// none.
    pub(super) fn at(&self, number: usize) -> Option<&[Types]> {
        let block = self.0.block(number)?;
        Some(self.0.start(block))
    }
}

impl Blocks {
    /// Finds the blocks. `None` if there is nothing to be known, or too much.
    pub(super) fn of(draft: &Draft) -> Option<Blocks> {
        let width = draft.variables.len();
        let count = draft.ops.len();
        let mut block_at = vec![0; count + 1];
        block_at[0] = 1;
        for (number, op) in draft.ops.iter().enumerate() {
            let mut jumps = false;
            for_each_target(draft, op, |target| {
                jumps = true;
                if let Some(mark) = block_at.get_mut(target) {
                    *mark = 1;
                }
            });
            if jumps {
                block_at[number + 1] = 1;
            }
        }
        for element in &draft.try_catch {
            for number in [element.try_op, element.catch_op] {
                *block_at.get_mut(number as usize)? = 1;
            }
        }
        block_at.truncate(count);
        let mut first = Vec::new();
        for (number, mark) in block_at.iter_mut().enumerate() {
            if *mark != 0 {
                first.push(number);
                *mark = first.len() as u32;
            }
        }
        if width == 0 || count == 0 || first.len() * width > MOST_SETS {
            return None;
        }
        let mut starts = vec![Types::NONE; first.len() * width];
        starts[..width].fill(Types::UNDEF);
        let passed = draft.parameters.len().min(width);
        starts[..passed].fill(Types::ANY);
        let waiting = vec![false; first.len()];
        Some(Blocks {
            block_at,
            first,
            starts,
            waiting,
            width,
        })
    }

    /// Goes through the blocks until nothing changes. `None` if that takes too long.
    pub(super) fn settle(mut self, pass: &mut Pass<'_>) -> Option<Starts> {
        let mut left = self.first.len() * VISITS;
        self.waiting[0] = true;
        let mut next = 0;
        while let Some(block) = (next..self.first.len()).find(|block| self.waiting[*block]) {
            left = left.checked_sub(1)?;
            self.waiting[block] = false;
            let lowest = self.visit(pass, block);
            next = lowest.min(block);
        }
        Some(Starts(self))
    }

    fn block(&self, number: usize) -> Option<usize> {
        let mark = *self.block_at.get(number)?;
        (mark as usize).checked_sub(1)
    }

    fn start(&self, block: usize) -> &[Types] {
        &self.starts[block * self.width..][..self.width]
    }

    /// Goes through a block. Gives the lowest block that has to be gone through because of that.
    fn visit(&mut self, pass: &mut Pass<'_>, block: usize) -> usize {
        let draft = pass.draft;
        let mut lowest = usize::MAX;
        pass.enter(&self.starts[block * self.width..][..self.width]);
        let first = self.first[block];
        self.meet_handlers(draft, first, &pass.variables, &mut lowest);
        for (number, op) in draft.ops.iter().enumerate().skip(first) {
            if number != first && self.block(number).is_some() {
                self.meet(number, &pass.variables, &mut lowest);
                break;
            }
            // What an iteration or a `catch` sets is not set where it jumps to.
            for_each_target(draft, op, |target| {
                self.meet(target, &pass.variables, &mut lowest)
            });
            pass.execute(number, op);
            self.meet_handlers(draft, number, &pass.variables, &mut lowest);
            if !goes_on(op) {
                break;
            }
        }
        lowest
    }

    /// Whatever throws at an opline in a `try` leads to its first `catch`.
    fn meet_handlers(
        &mut self,
        draft: &Draft,
        number: usize,
        variables: &[Types],
        lowest: &mut usize,
    ) {
        for element in &draft.try_catch {
            let tried = element.try_op as usize..element.catch_op as usize;
            if tried.contains(&number) {
                self.meet(element.catch_op as usize, variables, lowest);
            }
        }
    }

    /// A way leads to an opline.
    fn meet(&mut self, number: usize, variables: &[Types], lowest: &mut usize) {
        let Some(block) = self.block(number) else {
            return;
        };
        let start = &mut self.starts[block * self.width..][..self.width];
        let mut changed = false;
        for (known, types) in start.iter_mut().zip(variables) {
            let both = known.union(*types);
            changed |= both != *known;
            *known = both;
        }
        if changed {
            self.waiting[block] = true;
            *lowest = block.min(*lowest);
        }
    }
}

/// Whether the next opline may follow. A generator goes on behind where it was made.
fn goes_on(op: &Op) -> bool {
    let is_terminal = facts(op).is_some_and(|facts| facts.effects.terminal);
    let is_left = is_terminal && op.opcode != Opcode::GENERATOR_CREATE as u8;
    !is_left && op.opcode != Opcode::JMP as u8
}

/// For each opline of a draft whether something jumps there, or from the one before it, or it begins or ends what an
/// exception leaves.
pub fn landings(draft: &Draft) -> Vec<bool> {
    let mut landings = vec![false; draft.ops.len() + 1];
    let mut mark = |number: usize| {
        if let Some(landing) = landings.get_mut(number) {
            *landing = true;
        }
    };
    for (number, op) in draft.ops.iter().enumerate() {
        for_each_target(draft, op, |target| {
            mark(target);
            mark(number + 1);
        });
        if facts(op).is_none_or(|facts| facts.effects.terminal) {
            mark(number + 1);
        }
    }
    for element in &draft.try_catch {
        for number in [
            element.try_op,
            element.catch_op,
            element.finally_op,
            element.finally_end,
        ] {
            mark(number as usize);
        }
    }
    landings
}

/// The oplines that one may jump to.
fn for_each_target(draft: &Draft, op: &Op, mut visit: impl FnMut(usize)) {
    let Some(facts) = facts(op) else { return };
    let effects = facts.effects;
    if effects.jumps_op1 && op.op1_type == IS_UNUSED {
        visit(op.op1 as usize);
    }
    if effects.jumps_op2 && op.op2_type == IS_UNUSED {
        visit(op.op2 as usize);
    }
    if !effects.jumps_extended {
        return;
    }
    visit(op.extended_value as usize);
    let literal = draft.literals.get(op.op2 as usize);
    let Some(table) = literal.filter(|it| op.op2_type == IS_CONST && it.kind() == ARRAY) else {
        return;
    };
    // SAFETY: I3: the literals of a draft are live.
    for (_, target) in unsafe { (*table.array()).iter() } {
        visit(target.long() as usize);
    }
}
