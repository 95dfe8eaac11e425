//! `if`, `return`, `break`, `continue`, `goto`, and unwinding loops and `finally` blocks.

use vm_runtime::function::{flags, type_mask};
use vm_runtime::generated::Opcode;
use vm_runtime::op::{IS_TMP_VAR, IS_UNUSED};

use crate::ast::{ExprKind, ExprRef, IfArm};

use super::assignments::RETURNS_FUNCTION;
use super::context::{Label, LoopVariable, PendingJump};
use super::errors::message;
use super::operand::{Constant, Operand};
use super::variables::{is_call, is_short_circuited, is_variable};
use super::{Compiler, Fetch, Result, Severity};

/// FREE, FE_FREE: the loop is left by a jump.
pub(crate) const FREE_ON_RETURN: u32 = 1;
/// RETURN_BY_REF: the value is no variable.
const RETURNS_VALUE: u32 = 2;

impl<'a> Compiler<'a, '_> {
    pub fn compile_if(&mut self, arms: &'a [IfArm<'a>]) -> Result<()> {
        let mut to_end = Vec::new();
        for (position, arm) in arms.iter().enumerate() {
            let Some(condition) = arm.condition else {
                self.compile_statement(arm.body)?;
                continue;
            };
            if position > 0 {
                self.line = condition.line;
            }
            let condition = self.compile_expr(condition)?;
            let to_next = self.emit_condition(Opcode::JMPZ, condition, 0);
            self.compile_statement(arm.body)?;
            if position + 1 != arms.len() {
                self.line = arm.line;
                to_end.push(self.emit_jump(0));
            }
            self.jump_here(to_next);
        }
        for jump in to_end {
            self.jump_here(jump);
        }
        Ok(())
    }

    /// Emits what leaving `depth` loops needs: values released, `finally` blocks called. False if
    /// there aren't as many.
    fn unwind(&mut self, depth: Option<u64>, returned: Option<Operand<'a>>) -> bool {
        let mut depth = depth;
        for position in (0..self.function.loop_variables.len()).rev() {
            match self.function.loop_variables[position] {
                LoopVariable::FastCall {
                    variable,
                    try_catch,
                } => {
                    let op2 = returned.unwrap_or(Operand::NONE);
                    let number = self.emit(Opcode::FAST_CALL, Operand::Unused(try_catch), op2);
                    self.set_result(number, Operand::Tmp(variable));
                    continue;
                }
                LoopVariable::DiscardException { variable } => {
                    let variable = Operand::Tmp(variable);
                    self.emit(Opcode::DISCARD_EXCEPTION, variable, Operand::NONE);
                    continue;
                }
                _ => {}
            }
            if let Some(depth) = &mut depth {
                if *depth <= 1 {
                    return true;
                }
                *depth -= 1;
            }
            if let LoopVariable::Free {
                opcode,
                kind,
                variable,
            } = self.function.loop_variables[position]
            {
                let value = Operand::from_parts(kind, variable);
                let number = self.emit(opcode, value, Operand::NONE);
                self.op(number).extended_value = FREE_ON_RETURN;
            }
        }
        depth.is_none()
    }

    fn has_finally(&self) -> bool {
        self.function
            .loop_variables
            .iter()
            .any(|variable| matches!(variable, LoopVariable::FastCall { .. }))
    }

    pub fn compile_return(&mut self, value: Option<ExprRef<'a>>) -> Result<()> {
        let function_flags = self.function.draft.flags;
        let is_generator = function_flags & flags::GENERATOR != 0;
        let by_ref = !is_generator && function_flags & flags::RETURN_REFERENCE != 0;
        let has_type = !is_generator && function_flags & flags::HAS_RETURN_TYPE != 0;
        let mut operand = match value {
            None => Operand::NULL,
            Some(value) if by_ref && is_variable(value) => {
                self.check_not_short_circuited(value)?;
                self.compile_var(value, Fetch::Write, true)?.value
            }
            Some(value) => self.compile_expr(value)?,
        };
        if function_flags & flags::HAS_FINALLY_BLOCK != 0 && self.has_finally() {
            match operand {
                Operand::Cv(_) if by_ref => {
                    operand = self.emit_var(Opcode::MAKE_REF, operand, Operand::NONE);
                }
                Operand::Var(_) if by_ref => {
                    operand = self.emit_var(Opcode::MAKE_REF, operand, Operand::NONE);
                }
                Operand::Cv(_) => {
                    operand = self.emit_tmp(Opcode::QM_ASSIGN, operand, Operand::NONE);
                }
                _ => {}
            }
        }
        if has_type {
            operand = self
                .check_return_type(value.map(|_| operand), false)?
                .unwrap_or(operand);
        }
        let before = self.next();
        self.unwind(None, Some(operand).filter(|operand| operand.is_temporary()));
        if by_ref && has_type && before != self.next() {
            operand = self
                .check_return_type(value.map(|_| operand), false)?
                .unwrap_or(operand);
        }
        let opcode = if by_ref {
            Opcode::RETURN_BY_REF
        } else {
            Opcode::RETURN
        };
        let number = self.emit(opcode, operand, Operand::NONE);
        if let Some(value) = value {
            if is_call(value) {
                self.op(number).extended_value = RETURNS_FUNCTION;
            } else if by_ref && (!is_variable(value) || is_short_circuited(value)) {
                self.op(number).extended_value = RETURNS_VALUE;
            }
        }
        Ok(())
    }

    fn function_word(&self) -> &'static str {
        if self.class.is_some() {
            "method"
        } else {
            "function"
        }
    }

    /// Emits the check of a returned value; gives the value checked where that is a new one.
    pub fn check_return_type(
        &mut self,
        value: Option<Operand<'a>>,
        implicit: bool,
    ) -> Result<Option<Operand<'a>>> {
        let Some(declared) = &self.function.draft.return_type else {
            return Ok(None);
        };
        let mask = declared.mask;
        let classes = super::types::cache_slots(declared);
        let only_any = mask == type_mask::ANY & !type_mask::RESOURCE || mask == type_mask::ANY;
        if mask & type_mask::VOID != 0 {
            let word = self.function_word();
            return match value {
                Some(Operand::Const(Constant::Null)) => self.fail(message!(
                    "A void ",
                    word,
                    " must not return a value (did you mean \"return;\" instead of \"return \
                     null;\"?)"
                )),
                Some(_) => self.fail(message!("A void ", word, " must not return a value")),
                None => Ok(None),
            };
        }
        if mask & type_mask::NEVER != 0 {
            let word = self.function_word();
            return self.fail(message!("A never-returning ", word, " must not return"));
        }
        if value.is_none() && !implicit {
            let word = self.function_word();
            if mask & type_mask::NULL != 0 {
                return self.fail(message!(
                    "A ",
                    word,
                    " with return type must return a value (did you mean \"return null;\" instead \
                     of \"return;\"?)"
                ));
            }
            return self.fail(message!(
                "A ",
                word,
                " with return type must return a value"
            ));
        }
        if let Some(value) = value {
            if only_any {
                return Ok(None);
            }
            if let Operand::Const(constant) = value
                && mask & super::types::type_bit(constant) != 0
            {
                return Ok(None);
            }
        }
        let operand = value.unwrap_or(Operand::NONE);
        let number = self.emit(Opcode::VERIFY_RETURN_TYPE, operand, Operand::NONE);
        let mut checked = None;
        if let Operand::Const(_) = operand {
            checked = Some(self.make_result(number, IS_TMP_VAR));
        }
        let slots = self.alloc_cache_slots(classes);
        let op = self.op(number);
        op.op2_type = IS_UNUSED;
        op.op2 = slots;
        Ok(checked)
    }

    /// `break` and `continue`.
    pub fn compile_break(&mut self, level: Option<ExprRef<'a>>, is_continue: bool) -> Result<()> {
        let word = if is_continue { "continue" } else { "break" };
        let depth = match level {
            None => 1,
            Some(level) => match level.kind {
                ExprKind::Int(depth) if depth > 0 => depth as u64,
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::String(_) => {
                    return self.fail(message!(
                        "'",
                        word,
                        "' operator accepts only positive integers"
                    ));
                }
                _ => {
                    return self.fail(message!(
                        "'",
                        word,
                        "' operator with non-integer operand is no longer supported"
                    ));
                }
            },
        };
        let Some(element) = self.function.current_loop else {
            return self.fail(message!(
                "'",
                word,
                "' not in the 'loop' or 'switch' context"
            ));
        };
        let mut nesting = 0;
        let mut current = Some(element);
        while let Some(number) = current {
            nesting += 1;
            current = self.function.loops[number as usize].parent;
        }
        if !self.unwind(Some(depth), None) || depth > nesting {
            let plural = if depth == 1 { "" } else { "s" };
            return self.fail(message!(
                "Cannot '",
                word,
                "' ",
                depth.to_string(),
                " level",
                plural
            ));
        }
        if is_continue {
            self.warn_continue_switch(element, depth);
        }
        let opline = self.emit_jump(0);
        let depth = depth as u32;
        self.function.pending.push(if is_continue {
            PendingJump::Continue {
                opline,
                element,
                depth,
            }
        } else {
            PendingJump::Break {
                opline,
                element,
                depth,
            }
        });
        Ok(())
    }

    fn warn_continue_switch(&mut self, element: u32, depth: u64) {
        let mut number = element;
        for _ in 1..depth {
            number = self.function.loops[number as usize]
                .parent
                .unwrap_or(number);
        }
        let target = self.function.loops[number as usize];
        if !target.is_switch {
            return;
        }
        let mut text = if depth == 1 {
            String::from("\"continue\" targeting switch is equivalent to \"break\"")
        } else {
            format!("\"continue {depth}\" targeting switch is equivalent to \"break {depth}\"")
        };
        if target.parent.is_some() {
            text.push_str(&format!(
                ". Did you mean to use \"continue {}\"?",
                depth + 1
            ));
        }
        self.report(Severity::Warning, text);
    }

    pub fn compile_goto(&mut self, label: &'a [u8]) -> Result<()> {
        let start = self.next();
        self.unwind(None, None);
        let opline = self.emit_jump(0);
        let cleanup = opline - start;
        let element = self.function.current_loop;
        self.function.pending.push(PendingJump::Goto {
            opline,
            label,
            element,
            cleanup,
        });
        Ok(())
    }

    pub fn compile_label(&mut self, name: &'a [u8]) -> Result<()> {
        let opline = self.next();
        let label = Label {
            element: self.function.current_loop,
            opline,
        };
        if self.function.labels.contains_key(name) {
            return self.fail(message!("Label '", name, "' already defined"));
        }
        self.function.labels.insert(name, label);
        self.function.last_label = Some(opline);
        Ok(())
    }
}
