//! The end of a function: jumps that waited for it, and publishing.

use std::sync::Arc;

use vm_runtime::function::flags;
use vm_runtime::generated::Opcode;
use vm_runtime::op_array::OpArray;

use super::context::PendingJump;
use super::errors::message;
use super::{Compiler, Result};

impl<'a> Compiler<'a, '_> {
    /// Resolves what is open in the function being compiled, and publishes it.
    pub fn finish_function(&mut self) -> Result<Arc<OpArray>> {
        for jump in std::mem::take(&mut self.function.pending) {
            match jump {
                PendingJump::Break {
                    opline,
                    element,
                    depth,
                } => {
                    let target = self.loop_at(element, depth).1;
                    self.finish_jump(opline, target)?;
                }
                PendingJump::Continue {
                    opline,
                    element,
                    depth,
                } => {
                    let target = self.loop_at(element, depth).0;
                    self.finish_jump(opline, target)?;
                }
                PendingJump::Goto {
                    opline,
                    label,
                    element,
                    cleanup,
                } => {
                    self.finish_goto(opline, label, element, cleanup)?;
                }
            }
        }
        self.publish_function()
    }

    /// Publishes the function being compiled, leaving an empty one.
    pub fn publish_function(&mut self) -> Result<Arc<OpArray>> {
        let empty = vm_runtime::op_array::Draft::new(self.filename_string);
        let mut draft = std::mem::replace(&mut self.function.draft, empty);
        // The op array gets exact copies; the vectors that grew are used again.
        let mut ops = draft.ops;
        let mut literals = draft.literals;
        draft.ops = ops.clone();
        draft.literals = literals.clone();
        ops.clear();
        literals.clear();
        self.spare.push((ops, literals));
        draft.functions = self.function.functions.drain(..).flatten().collect();
        for function in self.function.early_functions.drain(..) {
            draft.early_functions.push(draft.functions.len() as u32);
            draft.functions.push(function);
        }
        draft.finish();
        match draft.publish(&mut self.pool) {
            Ok(op_array) => Ok(Arc::new(op_array)),
            Err(error) => self.fail(format!("Internal error: {error}")),
        }
    }

    fn loop_at(&self, element: u32, depth: u32) -> (u32, u32) {
        let mut element = &self.function.loops[element as usize];
        for _ in 1..depth {
            match element.parent {
                Some(parent) => element = &self.function.loops[parent as usize],
                None => break,
            }
        }
        (element.continue_target, element.break_target)
    }

    fn finish_jump(&mut self, opline: u32, target: u32) -> Result<()> {
        self.op(opline).op1 = target;
        if self.function.draft.flags & flags::HAS_FINALLY_BLOCK != 0 {
            self.check_finally(opline, target)?;
        }
        Ok(())
    }

    /// A jump may neither leave nor enter a `finally` block.
    fn check_finally(&mut self, opline: u32, target: u32) -> Result<()> {
        for element in &self.function.draft.try_catch {
            let (start, end) = (element.finally_op, element.finally_end);
            if start == 0 {
                continue;
            }
            if (opline < start || opline >= end) && target >= start && target <= end {
                self.line = self.function.draft.ops[opline as usize].lineno;
                return self.fail("jump into a finally block is disallowed");
            }
            if opline >= start && opline <= end && (target > end || target < start) {
                self.line = self.function.draft.ops[opline as usize].lineno;
                return self.fail("jump out of a finally block is disallowed");
            }
        }
        Ok(())
    }

    fn finish_goto(
        &mut self,
        opline: u32,
        label: &'a [u8],
        element: Option<u32>,
        cleanup: u32,
    ) -> Result<()> {
        let line = self.function.draft.ops[opline as usize].lineno;
        let Some(target) = self.function.labels.get(label).copied() else {
            self.line = line;
            return self.fail(message!("'goto' to undefined label '", label, "'"));
        };
        let mut superfluous = cleanup;
        let mut current = element;
        while current != target.element {
            let Some(number) = current else {
                self.line = line;
                return self.fail("'goto' into loop or switch statement is disallowed");
            };
            let element = &self.function.loops[number as usize];
            if element.has_variable {
                superfluous = superfluous.saturating_sub(1);
            }
            current = element.parent;
        }
        for element in &self.function.draft.try_catch {
            if element.try_op > opline {
                break;
            }
            if element.finally_op != 0
                && opline + 1 < element.finally_op
                && (target.opline > element.finally_end || target.opline < element.try_op)
            {
                superfluous = superfluous.saturating_sub(1);
            }
        }
        for number in opline.saturating_sub(superfluous)..opline {
            self.make_nop(number);
        }
        debug_assert_eq!(self.op(opline).opcode, Opcode::JMP as u8);
        self.finish_jump(opline, target.opline)
    }
}
