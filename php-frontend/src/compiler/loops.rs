//! Loops.

use vm_runtime::generated::Opcode;
use vm_runtime::op::{IS_TMP_VAR, IS_VAR};

use crate::ast::{ExprKind, ExprRef, For, Foreach, Stmt};

use super::context::{BreakContinue, LoopVariable};
use super::lists::has_references;
use super::operand::Operand;
use super::variables::{can_write, is_simple_variable, is_this, is_variable};
use super::{Compiler, Fetch, Result};

impl<'a> Compiler<'a, '_> {
    /// Begins a loop or switch whose `value`, if it is a temporary, leaving it releases.
    pub fn begin_loop(&mut self, free: Opcode, value: Operand<'a>, is_switch: bool) {
        let (kind, variable) = value.parts();
        let has_variable = kind == IS_VAR || kind == IS_TMP_VAR;
        let number = self.function.loops.len() as u32;
        let parent = self.function.current_loop.replace(number);
        self.function.loops.push(BreakContinue {
            parent,
            is_switch,
            has_variable,
            continue_target: 0,
            break_target: 0,
        });
        self.function.loop_variables.push(if has_variable {
            LoopVariable::Free {
                opcode: free,
                kind,
                variable,
            }
        } else {
            LoopVariable::Plain
        });
    }

    /// Ends the innermost loop: `break` goes to the next opline.
    pub fn end_loop(&mut self, continue_target: u32) {
        let end = self.next();
        if let Some(number) = self.function.current_loop {
            let element = &mut self.function.loops[number as usize];
            element.continue_target = continue_target;
            element.break_target = end;
            self.function.current_loop = element.parent;
        }
        self.function.loop_variables.pop();
    }

    pub fn compile_while(&mut self, condition: ExprRef<'a>, body: &'a Stmt<'a>) -> Result<()> {
        let to_condition = self.emit_jump(0);
        self.begin_loop(Opcode::NOP, Operand::NONE, false);
        let start = self.next();
        self.compile_statement(body)?;
        let condition_start = self.next();
        self.set_jump_target(to_condition, condition_start);
        let condition = self.compile_expr(condition)?;
        self.emit_condition(Opcode::JMPNZ, condition, start);
        self.end_loop(condition_start);
        Ok(())
    }

    pub fn compile_do_while(&mut self, body: &'a Stmt<'a>, condition: ExprRef<'a>) -> Result<()> {
        self.begin_loop(Opcode::NOP, Operand::NONE, false);
        let start = self.next();
        self.compile_statement(body)?;
        let condition_start = self.next();
        let condition = self.compile_expr(condition)?;
        self.emit_condition(Opcode::JMPNZ, condition, start);
        self.end_loop(condition_start);
        Ok(())
    }

    fn compile_for_list(&mut self, list: &'a [ExprRef<'a>]) -> Result<Operand<'a>> {
        let mut value = Operand::TRUE;
        for expr in list {
            self.free(value);
            value = self.compile_expr(expr)?;
        }
        Ok(value)
    }

    pub fn compile_for(&mut self, statement: &'a For<'a>) -> Result<()> {
        let value = self.compile_for_list(statement.init)?;
        self.free(value);
        let to_condition = self.emit_jump(0);
        self.begin_loop(Opcode::NOP, Operand::NONE, false);
        let start = self.next();
        self.compile_statement(statement.body)?;
        let step = self.next();
        let value = self.compile_for_list(statement.step)?;
        self.free(value);
        self.jump_here(to_condition);
        let condition = self.compile_for_list(statement.condition)?;
        self.emit_condition(Opcode::JMPNZ, condition, start);
        self.end_loop(step);
        Ok(())
    }

    pub fn compile_foreach(&mut self, statement: &'a Foreach<'a>) -> Result<()> {
        let line = self.line;
        let (subject, target) = (statement.subject, statement.value);
        if let Some(key) = statement.key
            && matches!(key.kind, ExprKind::Array(_))
        {
            return self.fail("Cannot use list as key element");
        }
        let pattern = match target.kind {
            ExprKind::Array(pattern) => Some(pattern),
            _ => None,
        };
        let by_ref = statement.by_ref || pattern.is_some_and(|pattern| has_references(&pattern));
        let value = if by_ref && is_variable(subject) && can_write(subject) {
            self.compile_var(subject, Fetch::Write, true)?.value
        } else {
            self.compile_expr(subject)?
        };
        if by_ref {
            self.separate_if_call(value, subject, Fetch::Write)?;
        }
        let (reset_opcode, fetch_opcode) = if by_ref {
            (Opcode::FE_RESET_RW, Opcode::FE_FETCH_RW)
        } else {
            (Opcode::FE_RESET_R, Opcode::FE_FETCH_R)
        };
        let iterator = self.emit_var(reset_opcode, value, Operand::NONE);
        let reset = self.last();
        self.begin_loop(Opcode::FE_FREE, iterator, false);
        let fetch = self.emit(fetch_opcode, iterator, Operand::NONE);
        if is_this(target) {
            return self.fail("Cannot re-assign $this");
        }
        let cv = if is_simple_variable(target) {
            self.try_cv(target)
        } else {
            None
        };
        let element = match cv {
            Some(cv) => cv,
            None => Operand::Var(self.function.temporary()),
        };
        let parts = element.parts();
        let op = self.op(fetch);
        (op.op2_type, op.op2) = parts;
        if cv.is_none() {
            if let Some(pattern) = pattern {
                self.compile_list(&pattern, element)?;
                self.free(element);
            } else if by_ref {
                self.assign_ref_value(target, element)?;
            } else {
                self.assign_value(target, element)?;
            }
        }
        if let Some(key) = statement.key {
            let key_value = self.make_result(fetch, IS_TMP_VAR);
            self.assign_value(key, key_value)?;
        }
        self.compile_statement(statement.body)?;
        // The line of the end isn't known; the one of the start is better than that of the body.
        self.line = line;
        self.emit_jump(fetch);
        let end = self.next();
        self.op(reset).op2 = end;
        self.op(fetch).extended_value = end;
        self.end_loop(fetch);
        self.emit(Opcode::FE_FREE, iterator, Operand::NONE);
        Ok(())
    }
}
