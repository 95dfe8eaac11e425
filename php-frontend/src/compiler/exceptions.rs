//! `try`, `catch`, `finally`.

use vm_runtime::function::flags;
use vm_runtime::generated::Opcode;
use vm_runtime::op::{IS_CONST, IS_CV};
use vm_runtime::op_array::TryCatch;

use crate::ast::{Catch, Try};

use super::context::LoopVariable;
use super::names::{ClassFetch, class_fetch};
use super::operand::Operand;
use super::{Compiler, Result};

/// CATCH: there is no further one.
const LAST_CATCH: u32 = 1;

impl<'a> Compiler<'a, '_> {
    pub fn compile_try(&mut self, statement: &'a Try<'a>) -> Result<()> {
        let outer_fast_call = self.function.fast_call_variable;
        let outer_try = self.function.try_catch;
        if statement.catches.is_empty() && statement.finally.is_none() {
            return self.fail("Cannot use try without catch or finally");
        }
        // `label: try {}` must not be the same as `try { label: }`.
        if self.function.last_label == Some(self.next()) {
            self.emit_plain(Opcode::NOP);
        }
        let number = self.function.draft.try_catch.len() as u32;
        let try_op = self.next();
        self.function.draft.try_catch.push(TryCatch {
            try_op,
            ..TryCatch::default()
        });
        if statement.finally.is_some() {
            self.function.draft.flags |= flags::HAS_FINALLY_BLOCK;
            let variable = self.function.temporary();
            self.function.fast_call_variable = variable;
            self.function.loop_variables.push(LoopVariable::FastCall {
                variable,
                try_catch: number,
            });
        }
        self.function.try_catch = number;
        self.compile_block(statement.body)?;
        let mut to_end = Vec::new();
        if !statement.catches.is_empty() {
            to_end.push(self.emit_jump(0));
        }
        for (position, clause) in statement.catches.iter().enumerate() {
            let is_last = position + 1 == statement.catches.len();
            let catch = self.compile_catch(clause, number, is_last)?;
            self.compile_block(clause.body)?;
            if !is_last {
                to_end.push(self.emit_jump(0));
                let next = self.next();
                self.op(catch).op2 = next;
            }
        }
        for jump in to_end {
            self.jump_here(jump);
        }
        if let Some(finally) = statement.finally {
            let variable = self.function.fast_call_variable;
            self.function.loop_variables.pop();
            self.function
                .loop_variables
                .push(LoopVariable::DiscardException { variable });
            self.line = statement.finally_line;
            let fast_call = Operand::Tmp(variable);
            self.emit_into(
                fast_call,
                Opcode::FAST_CALL,
                Operand::Unused(number),
                Operand::NONE,
            );
            let to_end = self.emit_jump(0);
            let start = self.next();
            self.function.draft.try_catch[number as usize].finally_op = start;
            self.compile_block(finally)?;
            let end = self.emit(Opcode::FAST_RET, fast_call, Operand::Unused(outer_try));
            self.function.draft.try_catch[number as usize].finally_end = end;
            self.jump_here(to_end);
            self.function.fast_call_variable = outer_fast_call;
            self.function.loop_variables.pop();
        }
        self.function.try_catch = outer_try;
        Ok(())
    }

    /// Emits the CATCHes of a clause; gives the last one's number.
    fn compile_catch(
        &mut self,
        clause: &'a Catch<'a>,
        try_catch: u32,
        is_last: bool,
    ) -> Result<u32> {
        self.line = clause.line;
        let mut to_body = Vec::new();
        let mut catch = 0;
        for (position, class) in clause.classes.iter().enumerate() {
            let is_last_class = position + 1 == clause.classes.len();
            if class_fetch(class.bytes) != ClassFetch::Default {
                return self.fail("Bad class name in the catch statement");
            }
            catch = self.emit_plain(Opcode::CATCH);
            let element = &mut self.function.draft.try_catch[try_catch as usize];
            if element.catch_op == 0 {
                element.catch_op = catch;
            }
            let name = self.resolve_class_name(class)?;
            let literal = self.add_class_name(name);
            let slots = self.alloc_cache_slots(1);
            if clause.variable == Some(b"this") {
                return self.fail("Cannot re-assign $this");
            }
            let variable = clause.variable.map(|variable| self.lookup_cv(variable));
            let op = self.op(catch);
            (op.op1_type, op.op1) = (IS_CONST, literal);
            op.extended_value = slots;
            if let Some(variable) = variable {
                (op.result_type, op.result) = (IS_CV, variable);
            }
            if is_last && is_last_class {
                op.extended_value |= LAST_CATCH;
            }
            if !is_last_class {
                to_body.push(self.emit_jump(0));
                let next = self.next();
                self.op(catch).op2 = next;
            }
        }
        for jump in to_body {
            self.jump_here(jump);
        }
        Ok(catch)
    }
}
