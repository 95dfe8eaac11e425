//! Assignments of every kind, increments, and `unset`.

use vm_runtime::generated::Opcode;
use vm_runtime::op::{IS_TMP_VAR, IS_UNUSED};

use crate::ast::{BinaryOperator, ExprKind, ExprRef, IncDecOperator};

use super::operand::Operand;
use super::variables::{
    self, FETCH_DIM_INCDEC, FETCH_REF, direct_name, is_call, is_simple_variable, is_this,
};
use super::{Compiler, Fetch, Memoize, Result, operators};

/// ASSIGN_REF, SEND_*: the value is what a function returned.
pub(crate) const RETURNS_FUNCTION: u32 = 1;

/// What is assigned: an expression, or a value that is compiled already.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Expr(ExprRef<'a>),
    Value(Operand<'a>),
}

/// What an assignment is made to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Variable,
    Dim,
    Property,
    StaticProperty,
    Other,
}

fn target_kind(target: ExprRef<'_>) -> Target {
    match target.kind {
        ExprKind::Variable(_) | ExprKind::VariableVariable(_) => Target::Variable,
        ExprKind::Dim { .. } if variables::is_global_variable(target) => Target::Variable,
        ExprKind::Dim { .. } => Target::Dim,
        ExprKind::Prop { .. } => Target::Property,
        ExprKind::StaticProp { .. } => Target::StaticProperty,
        _ => Target::Other,
    }
}

/// `$a[0] = $a`: the value is the variable that is written.
fn is_assign_to_self(value: ExprRef<'_>, target: ExprRef<'_>) -> bool {
    let Some(value) = direct_name(value) else {
        return false;
    };
    let mut target = target;
    loop {
        target = match target.kind {
            ExprKind::Dim { base, .. } => base,
            ExprKind::Prop { object, .. } => object,
            ExprKind::StaticProp { class, .. } => class,
            _ => return direct_name(target) == Some(value),
        };
    }
}

impl<'a> Compiler<'a, '_> {
    /// Fails if an expression can't be written to.
    pub fn ensure_writable(&mut self, target: ExprRef<'a>) -> Result<()> {
        match target.kind {
            ExprKind::Call { .. } => {
                return self.fail("Can't use function return value in write context");
            }
            ExprKind::MethodCall { .. } | ExprKind::StaticCall { .. } => {
                return self.fail("Can't use method return value in write context");
            }
            _ => {}
        }
        if variables::is_short_circuited(target) {
            return self.fail("Can't use nullsafe operator in write context");
        }
        if variables::is_globals(target) {
            return self
                .fail("$GLOBALS can only be modified using the $GLOBALS[$name] = $value syntax");
        }
        Ok(())
    }

    pub fn compile_source(&mut self, source: Source<'a>) -> Result<Operand<'a>> {
        match source {
            Source::Expr(expr) => self.compile_expr(expr),
            Source::Value(value) => Ok(value),
        }
    }

    /// The value of an assignment to a dimension, read first if it is the variable written.
    fn compile_self_source(
        &mut self,
        source: Source<'a>,
        target: ExprRef<'a>,
    ) -> Result<Operand<'a>> {
        if let Source::Expr(expr) = source
            && is_assign_to_self(expr, target)
            && !is_this(expr)
        {
            return self.copy_variable(expr);
        }
        self.compile_source(source)
    }

    /// A copy of a simple variable.
    pub fn copy_variable(&mut self, variable: ExprRef<'a>) -> Result<Operand<'a>> {
        match self.try_cv(variable) {
            Some(cv) => Ok(self.emit_tmp(Opcode::QM_ASSIGN, cv, Operand::NONE)),
            None => Ok(self
                .compile_named_variable(variable, Fetch::Read, false, true)?
                .value),
        }
    }

    /// Turns the last write fetch into an assignment.
    fn finish_assignment(
        &mut self,
        number: Option<u32>,
        opcode: Opcode,
        value: Operand<'a>,
    ) -> Operand<'a> {
        let number = number.unwrap_or_default();
        let op = self.op(number);
        op.opcode = opcode as u8;
        op.result_type = IS_TMP_VAR;
        let result = Operand::Tmp(op.result);
        self.emit_op_data(value);
        result
    }

    pub fn compile_assign(
        &mut self,
        target: ExprRef<'a>,
        source: Source<'a>,
    ) -> Result<Operand<'a>> {
        if is_this(target) {
            return self.fail("Cannot re-assign $this");
        }
        self.ensure_writable(target)?;
        let start = self.delayed.len();
        match target_kind(target) {
            Target::Variable => {
                let variable = self.delayed_var(target, Fetch::Write, false)?.value;
                let value = self.compile_source(source)?;
                self.flush_delayed(start);
                self.line = target.line;
                Ok(self.emit_tmp(Opcode::ASSIGN, variable, value))
            }
            Target::StaticProperty => {
                self.delayed_var(target, Fetch::Write, false)?;
                let value = self.compile_source(source)?;
                let number = self.flush_delayed(start);
                Ok(self.finish_assignment(number, Opcode::ASSIGN_STATIC_PROP, value))
            }
            Target::Dim => {
                self.delayed_var(target, Fetch::Write, false)?;
                let value = self.compile_self_source(source, target)?;
                let number = self.flush_delayed(start);
                Ok(self.finish_assignment(number, Opcode::ASSIGN_DIM, value))
            }
            Target::Property => {
                self.delayed_property(target, Fetch::Write, true)?;
                let value = self.compile_source(source)?;
                let number = self.flush_delayed(start);
                Ok(self.finish_assignment(number, Opcode::ASSIGN_OBJ, value))
            }
            Target::Other => match target.kind {
                ExprKind::Array(pattern) => self.compile_destructuring(&pattern, source),
                _ => self.fail("Cannot use temporary expression in write context"),
            },
        }
    }

    /// Assigns a value and drops the result.
    pub fn assign_value(&mut self, target: ExprRef<'a>, value: Operand<'a>) -> Result<()> {
        self.line = target.line;
        let result = self.compile_assign(target, Source::Value(value))?;
        self.free(result);
        Ok(())
    }

    /// Assigns a reference and drops the result.
    pub fn assign_ref_value(&mut self, target: ExprRef<'a>, value: Operand<'a>) -> Result<()> {
        self.line = target.line;
        let result = self.compile_assign_ref(target, Source::Value(value))?;
        self.free(result);
        Ok(())
    }

    pub fn compile_assign_ref(
        &mut self,
        target: ExprRef<'a>,
        source: Source<'a>,
    ) -> Result<Operand<'a>> {
        if is_this(target) {
            return self.fail("Cannot re-assign $this");
        }
        self.ensure_writable(target)?;
        if let Source::Expr(value) = source {
            self.check_not_short_circuited(value)?;
            if variables::is_globals(value) {
                return self.fail("Cannot acquire reference to $GLOBALS");
            }
        }
        let start = self.delayed.len();
        let target_value = self.delayed_var(target, Fetch::Write, true)?.value;
        let mut value = match source {
            Source::Expr(expr) => self.compile_var(expr, Fetch::Write, true)?.value,
            Source::Value(value) => value,
        };
        let is_plain_target = is_simple_variable(target) && direct_name(target).is_some();
        let is_expr = matches!(source, Source::Expr(_));
        if !is_plain_target && is_expr && !matches!(value, Operand::Cv(_)) {
            // Evaluating either side may change what the other one points to.
            value = self.emit_var(Opcode::MAKE_REF, value, Operand::NONE);
        }
        let last = self.flush_delayed(start);
        let is_function = matches!(source, Source::Expr(expr) if is_call(expr));
        if is_function && !matches!(value, Operand::Var(_)) {
            return self.fail("Cannot use result of built-in function in write context");
        }
        let flags = if is_function { RETURNS_FUNCTION } else { 0 };
        if let Some(number) = last {
            let op = self.op(number);
            let opcode = match op.opcode {
                opcode if opcode == Opcode::FETCH_OBJ_W as u8 => Some(Opcode::ASSIGN_OBJ_REF),
                opcode if opcode == Opcode::FETCH_STATIC_PROP_W as u8 => {
                    Some(Opcode::ASSIGN_STATIC_PROP_REF)
                }
                _ => None,
            };
            if let Some(opcode) = opcode {
                op.opcode = opcode as u8;
                op.extended_value = op.extended_value & !FETCH_REF | flags;
                self.emit_op_data(value);
                return Ok(target_value);
            }
        }
        let result = self.emit_var(Opcode::ASSIGN_REF, target_value, value);
        let number = self.last();
        self.op(number).extended_value = flags;
        Ok(result)
    }

    pub fn compile_assign_op(
        &mut self,
        operator: BinaryOperator,
        target: ExprRef<'a>,
        value: ExprRef<'a>,
    ) -> Result<Operand<'a>> {
        self.ensure_writable(target)?;
        let operation = operators::binary_opcode(operator) as u32;
        let start = self.delayed.len();
        match target_kind(target) {
            Target::Variable => {
                let variable = self.delayed_var(target, Fetch::ReadWrite, false)?.value;
                let value = self.compile_expr(value)?;
                self.flush_delayed(start);
                let result = self.emit_tmp(Opcode::ASSIGN_OP, variable, value);
                let number = self.last();
                self.op(number).extended_value = operation;
                Ok(result)
            }
            Target::Dim => {
                self.delayed_var(target, Fetch::ReadWrite, false)?;
                let value = self.compile_self_source(Source::Expr(value), target)?;
                let number = self.flush_delayed(start);
                let result = self.finish_assignment(number, Opcode::ASSIGN_DIM_OP, value);
                self.op(number.unwrap_or_default()).extended_value = operation;
                Ok(result)
            }
            kind @ (Target::Property | Target::StaticProperty) => {
                self.delayed_var(target, Fetch::ReadWrite, false)?;
                let value = self.compile_expr(value)?;
                let number = self.flush_delayed(start);
                let opcode = if kind == Target::Property {
                    Opcode::ASSIGN_OBJ_OP
                } else {
                    Opcode::ASSIGN_STATIC_PROP_OP
                };
                let result = self.finish_assignment(number, opcode, value);
                let op = self.op(number.unwrap_or_default());
                let slots = std::mem::replace(&mut op.extended_value, operation);
                let data = self.last();
                self.op(data).extended_value = slots;
                Ok(result)
            }
            Target::Other => self.fail("Cannot use temporary expression in write context"),
        }
    }

    pub fn compile_assign_coalesce(
        &mut self,
        target: ExprRef<'a>,
        default: ExprRef<'a>,
    ) -> Result<Operand<'a>> {
        self.ensure_writable(target)?;
        if is_this(target) {
            return self.fail("Cannot re-assign $this");
        }
        let outer_memoized = std::mem::take(&mut self.memoized);
        let outer_mode = std::mem::replace(&mut self.memoize, Memoize::Compile);

        let current = self.compile_var(target, Fetch::Isset, false)?.value;
        let result = self.emit_tmp(Opcode::COALESCE, current, Operand::NONE);
        let jump = self.last();

        self.memoize = Memoize::None;
        let default = if matches!(target.kind, ExprKind::Dim { .. }) {
            self.compile_self_source(Source::Expr(default), target)?
        } else {
            self.compile_expr(default)?
        };

        self.memoize = Memoize::Fetch;
        let variable = self.compile_var(target, Fetch::Write, false)?.value;
        let last = self.next().checked_sub(1);
        let assigned = match target_kind(target) {
            Target::Variable => self.emit_tmp(Opcode::ASSIGN, variable, default),
            Target::StaticProperty => {
                self.finish_assignment(last, Opcode::ASSIGN_STATIC_PROP, default)
            }
            Target::Dim => self.finish_assignment(last, Opcode::ASSIGN_DIM, default),
            Target::Property => self.finish_assignment(last, Opcode::ASSIGN_OBJ, default),
            Target::Other => {
                return self.fail("Cannot use temporary expression in write context");
            }
        };
        self.emit_into(result, Opcode::QM_ASSIGN, assigned, Operand::NONE);

        let memoized = std::mem::replace(&mut self.memoized, outer_memoized);
        self.memoize = outer_mode;
        if memoized.iter().any(|entry| entry.1.is_temporary()) {
            let to_end = self.emit_jump(0);
            self.jump_here(jump);
            for (_, value) in memoized.iter().filter(|entry| entry.1.is_temporary()) {
                self.emit(Opcode::FREE, *value, Operand::NONE);
            }
            self.jump_here(to_end);
        } else {
            self.jump_here(jump);
        }
        Ok(result)
    }

    pub fn compile_increment(
        &mut self,
        operator: IncDecOperator,
        target: ExprRef<'a>,
    ) -> Result<Operand<'a>> {
        use IncDecOperator as I;
        self.ensure_writable(target)?;
        let (variable, property, static_property) = match operator {
            I::PreInc => (
                Opcode::PRE_INC,
                Opcode::PRE_INC_OBJ,
                Opcode::PRE_INC_STATIC_PROP,
            ),
            I::PreDec => (
                Opcode::PRE_DEC,
                Opcode::PRE_DEC_OBJ,
                Opcode::PRE_DEC_STATIC_PROP,
            ),
            I::PostInc => (
                Opcode::POST_INC,
                Opcode::POST_INC_OBJ,
                Opcode::POST_INC_STATIC_PROP,
            ),
            I::PostDec => (
                Opcode::POST_DEC,
                Opcode::POST_DEC_OBJ,
                Opcode::POST_DEC_STATIC_PROP,
            ),
        };
        match target.kind {
            ExprKind::Prop { .. } => {
                let number = self.compile_operation_fetch(target, Fetch::ReadWrite)?;
                self.op(number).opcode = property as u8;
                Ok(self.make_result(number, IS_TMP_VAR))
            }
            ExprKind::StaticProp { .. } => {
                self.static_property(target, Fetch::ReadWrite, false, false, false)?;
                let number = self.last();
                self.op(number).opcode = static_property as u8;
                Ok(self.make_result(number, IS_TMP_VAR))
            }
            _ => {
                let fetched = self.compile_var(target, Fetch::ReadWrite, false)?;
                if let Some(op) = fetched.op {
                    let op = self.op_ref(op);
                    if op.opcode == Opcode::FETCH_DIM_RW as u8 {
                        op.extended_value = FETCH_DIM_INCDEC;
                    }
                }
                Ok(self.emit_tmp(variable, fetched.value, Operand::NONE))
            }
        }
    }

    /// `unset($a)`
    pub fn compile_unset(&mut self, target: ExprRef<'a>) -> Result<()> {
        self.line = target.line;
        self.ensure_writable(target)?;
        if variables::is_global_variable(target) {
            let ExprKind::Dim {
                index: Some(index), ..
            } = target.kind
            else {
                return self.fail("Cannot use [] for unsetting");
            };
            let name = self.compile_expr(index)?;
            let name = self.constant_to_string(name);
            let number = self.emit(Opcode::UNSET_VAR, name, Operand::NONE);
            self.op(number).extended_value = variables::FETCH_GLOBAL;
            return Ok(());
        }
        let (number, opcode) = match target.kind {
            ExprKind::Variable(_) | ExprKind::VariableVariable(_) => {
                if is_this(target) {
                    return self.fail("Cannot unset $this");
                }
                if let Some(cv) = self.try_cv(target) {
                    self.emit(Opcode::UNSET_CV, cv, Operand::NONE);
                    return Ok(());
                }
                self.compile_named_variable(target, Fetch::Unset, false, false)?;
                (self.last(), Opcode::UNSET_VAR)
            }
            ExprKind::Dim { .. } => (
                self.compile_operation_fetch(target, Fetch::Unset)?,
                Opcode::UNSET_DIM,
            ),
            ExprKind::Prop { .. } => (
                self.compile_operation_fetch(target, Fetch::Unset)?,
                Opcode::UNSET_OBJ,
            ),
            ExprKind::StaticProp { .. } => {
                self.static_property(target, Fetch::Unset, false, false, false)?;
                (self.last(), Opcode::UNSET_STATIC_PROP)
            }
            _ => return self.fail("Cannot use temporary expression in write context"),
        };
        let op = self.op(number);
        op.opcode = opcode as u8;
        op.result_type = IS_UNUSED;
        Ok(())
    }
}
