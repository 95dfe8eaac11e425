//! Expressions: what kind compiles where, and the small ones.

use vm_runtime::generated::Opcode;

use crate::ast::{Expr, ExprKind, ExprRef, IncludeKind, UnaryOperator};

use super::names::{FETCH_EXCEPTION, FETCH_NO_AUTOLOAD, FETCH_SILENT};
use super::operand::{Constant, Operand};
use super::variables::{self, address, is_call, is_variable};
use super::{Compiler, Fetch, Memoize, Result};

/// JMP_NULL: the chain is in an isset().
const CHAIN_ISSET: u32 = 1;
/// JMP_NULL: the chain is in an empty().
const CHAIN_EMPTY: u32 = 2;
/// ISSET_ISEMPTY_*: this is an empty().
const IS_EMPTY: u32 = 1;

impl<'a> Compiler<'a, '_> {
    /// Compiles an expression that is read.
    pub fn compile_expr(&mut self, expr: ExprRef<'a>) -> Result<Operand<'a>> {
        self.line = expr.line;
        if self.memoize != Memoize::None {
            return self.compile_memoized(expr);
        }
        match expr.kind {
            ExprKind::Int(value) => return Ok(Operand::Const(Constant::Long(value))),
            ExprKind::Float(value) => return Ok(Operand::Const(Constant::Double(value))),
            ExprKind::String(bytes) => return Ok(Operand::Const(Constant::String(bytes))),
            ExprKind::Variable(_) => return Ok(self.compile_var(expr, Fetch::Read, false)?.value),
            _ => {}
        }
        self.enter()?;
        let checkpoint = self.short_circuits.len();
        let inner = self.is_marked_inner(expr);
        let value = self.compile_expr_inner(expr)?;
        match expr.kind {
            ExprKind::Isset(_) => self.commit_short_circuits(checkpoint, value, CHAIN_ISSET),
            ExprKind::Empty(_) => self.commit_short_circuits(checkpoint, value, CHAIN_EMPTY),
            ExprKind::ClassConst { .. } if !inner => {
                self.commit_short_circuits(checkpoint, value, 0);
            }
            _ => {}
        }
        Ok(value)
    }

    fn compile_expr_inner(&mut self, expr: ExprRef<'a>) -> Result<Operand<'a>> {
        match expr.kind {
            ExprKind::Int(value) => Ok(Operand::Const(Constant::Long(value))),
            ExprKind::Float(value) => Ok(Operand::Const(Constant::Double(value))),
            ExprKind::String(bytes) => Ok(Operand::Const(Constant::String(bytes))),
            ExprKind::Name(name) => Ok(Operand::Const(Constant::String(name.bytes))),
            ExprKind::StaticClass => Ok(Operand::Const(Constant::String(b"static"))),
            ExprKind::Variable(_)
            | ExprKind::VariableVariable(_)
            | ExprKind::Dim { .. }
            | ExprKind::Prop { .. }
            | ExprKind::StaticProp { .. }
            | ExprKind::Call { .. }
            | ExprKind::MethodCall { .. }
            | ExprKind::StaticCall { .. } => Ok(self.compile_var(expr, Fetch::Read, false)?.value),
            ExprKind::Interpolated(parts) => self.compile_interpolated(parts),
            ExprKind::ShellExec(parts) => self.compile_shell_exec(expr, parts),
            ExprKind::Const(name) => self.compile_constant(&name),
            ExprKind::MagicConst(constant) => self.compile_magic_constant(constant, expr.line),
            ExprKind::Array(literal) => self.compile_array(&literal),
            ExprKind::ClassConst { class, name } => self.compile_class_constant(class, name),
            ExprKind::ClassName { class } => self.compile_class_name(class),
            ExprKind::New { class, args } => self.compile_new(expr, class, args),
            ExprKind::NewAnonymous { class, args } => self.compile_new_anonymous(expr, class, args),
            ExprKind::Unary { operator, operand } => self.compile_unary(operator, operand),
            ExprKind::Binary {
                operator,
                left,
                right,
            } => self.compile_binary(operator, left, right),
            ExprKind::And { left, right } => self.compile_logical(Opcode::JMPZ_EX, left, right),
            ExprKind::Or { left, right } => self.compile_logical(Opcode::JMPNZ_EX, left, right),
            ExprKind::Coalesce { left, right } => self.compile_coalesce(left, right),
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => self.compile_conditional(condition, then, otherwise),
            ExprKind::Assign { target, value } => {
                self.compile_assign(target, super::assignments::Source::Expr(value))
            }
            ExprKind::AssignRef { target, value } => {
                self.compile_assign_ref(target, super::assignments::Source::Expr(value))
            }
            ExprKind::AssignOp {
                operator,
                target,
                value,
            } => self.compile_assign_op(operator, target, value),
            ExprKind::AssignCoalesce { target, value } => {
                self.compile_assign_coalesce(target, value)
            }
            ExprKind::IncDec { operator, target } => self.compile_increment(operator, target),
            ExprKind::Cast { kind, operand } => self.compile_cast(kind, operand),
            ExprKind::Isset(variable) => self.compile_isset(variable, false),
            ExprKind::Empty(variable) => self.compile_isset(variable, true),
            ExprKind::Include { kind, operand } => self.compile_include(kind, operand),
            ExprKind::Print(value) => {
                let value = self.compile_expr(value)?;
                let number = self.emit(Opcode::ECHO, value, Operand::NONE);
                self.op(number).extended_value = 1;
                Ok(Operand::Const(Constant::Long(1)))
            }
            ExprKind::Clone(value) => {
                let value = self.compile_expr(value)?;
                Ok(self.emit_tmp(Opcode::CLONE, value, Operand::NONE))
            }
            ExprKind::Silence(value) => self.compile_silence(value),
            ExprKind::InstanceOf { value, class } => self.compile_instanceof(value, class),
            ExprKind::Yield { key, value } => self.compile_yield(key, value),
            ExprKind::YieldFrom(value) => self.compile_yield_from(value),
            ExprKind::Throw(value) => {
                self.compile_throw(value, true)?;
                Ok(Operand::TRUE)
            }
            ExprKind::Match { subject, arms } => self.compile_match(subject, arms),
            ExprKind::Closure(function) => self.compile_closure(function),
            ExprKind::ArrowFunction(function) => self.compile_closure(function),
        }
    }

    /// Compiles an expression for `??=`: once for the test, and again from what was remembered.
    pub fn compile_memoized(&mut self, expr: ExprRef<'a>) -> Result<Operand<'a>> {
        let key = address(expr);
        if self.memoize == Memoize::Fetch {
            let found = self.memoized.iter().rev().find(|entry| entry.0 == key);
            if let Some(entry) = found {
                return Ok(entry.1);
            }
            self.memoize = Memoize::None;
            let value = self.compile_expr(expr);
            self.memoize = Memoize::Fetch;
            return value;
        }
        self.memoize = Memoize::None;
        let value = if is_call(expr) {
            self.compile_var(expr, Fetch::Write, false)?.value
        } else {
            self.compile_expr(expr)?
        };
        self.memoize = Memoize::Compile;
        let copy = match value {
            Operand::Var(_) => self.emit_var(Opcode::COPY_TMP, value, Operand::NONE),
            Operand::Tmp(_) => self.emit_tmp(Opcode::COPY_TMP, value, Operand::NONE),
            other => other,
        };
        self.memoized.push((key, copy));
        Ok(value)
    }

    /// Emits a THROW.
    pub fn compile_throw(&mut self, value: ExprRef<'a>, is_expression: bool) -> Result<()> {
        let value = self.compile_expr(value)?;
        let number = self.emit(Opcode::THROW, value, Operand::NONE);
        if is_expression {
            self.op(number).extended_value = 1;
        }
        Ok(())
    }

    fn compile_silence(&mut self, value: ExprRef<'a>) -> Result<Operand<'a>> {
        let silence = self.emit_tmp(Opcode::BEGIN_SILENCE, Operand::NONE, Operand::NONE);
        let result = if variables::is_simple_variable(value) {
            // A CV would be read outside of the silenced part.
            self.compile_named_variable(value, Fetch::Read, false, true)?
                .value
        } else {
            self.compile_expr(value)?
        };
        self.emit(Opcode::END_SILENCE, silence, Operand::NONE);
        Ok(result)
    }

    fn compile_include(&mut self, kind: IncludeKind, path: ExprRef<'a>) -> Result<Operand<'a>> {
        let path = self.compile_expr(path)?;
        let result = self.emit_var(Opcode::INCLUDE_OR_EVAL, path, Operand::NONE);
        let number = self.last();
        self.op(number).extended_value = match kind {
            IncludeKind::Eval => 1,
            IncludeKind::Include => 2,
            IncludeKind::IncludeOnce => 4,
            IncludeKind::Require => 8,
            IncludeKind::RequireOnce => 16,
        };
        Ok(result)
    }

    fn compile_instanceof(
        &mut self,
        value: ExprRef<'a>,
        class: ExprRef<'a>,
    ) -> Result<Operand<'a>> {
        let value = self.compile_expr(value)?;
        if matches!(value, Operand::Const(_)) {
            return Ok(Operand::Const(Constant::Bool(false)));
        }
        let flags = FETCH_NO_AUTOLOAD | FETCH_EXCEPTION | FETCH_SILENT;
        let class = self.compile_class_ref(class, flags)?;
        let result = self.emit_tmp(Opcode::INSTANCEOF, value, Operand::NONE);
        let number = self.last();
        if let Operand::Const(Constant::String(name)) = class {
            let literal = self.add_class_name(name);
            let slots = self.alloc_cache_slots(1);
            let op = self.op(number);
            op.op2_type = vm_runtime::op::IS_CONST;
            op.op2 = literal;
            op.extended_value = slots;
        } else {
            let parts = class.parts();
            let op = self.op(number);
            (op.op2_type, op.op2) = parts;
        }
        Ok(result)
    }

    fn compile_isset(&mut self, variable: ExprRef<'a>, empty: bool) -> Result<Operand<'a>> {
        if !is_variable(variable) {
            if empty {
                return self.compile_unary(UnaryOperator::Not, variable);
            }
            return self.fail(
                "Cannot use isset() on the result of an expression (you can use \"null !== \
                 expression\" instead)",
            );
        }
        if variables::is_globals(variable) {
            return Ok(Operand::Const(Constant::Bool(!empty)));
        }
        let empty_flag = if empty { IS_EMPTY } else { 0 };
        if variables::is_global_variable(variable) {
            let ExprKind::Dim {
                index: Some(index), ..
            } = variable.kind
            else {
                return self.fail("Cannot use [] for reading");
            };
            let name = self.compile_expr(index)?;
            let name = self.constant_to_string(name);
            let result = self.emit_tmp(Opcode::ISSET_ISEMPTY_VAR, name, Operand::NONE);
            let number = self.last();
            self.op(number).extended_value = variables::FETCH_GLOBAL | empty_flag;
            return Ok(result);
        }
        self.mark_inner(variable);
        let (opcode, fetched) = match variable.kind {
            ExprKind::Variable(_) | ExprKind::VariableVariable(_) => {
                if variables::is_this(variable) {
                    self.function.draft.flags |= vm_runtime::function::flags::USES_THIS;
                    let value =
                        self.emit_tmp(Opcode::ISSET_ISEMPTY_THIS, Operand::NONE, Operand::NONE);
                    (None, value)
                } else if let Some(cv) = self.try_cv(variable) {
                    (
                        None,
                        self.emit_tmp(Opcode::ISSET_ISEMPTY_CV, cv, Operand::NONE),
                    )
                } else {
                    let fetched =
                        self.compile_named_variable(variable, Fetch::Isset, false, true)?;
                    (Some(Opcode::ISSET_ISEMPTY_VAR), fetched.value)
                }
            }
            ExprKind::Dim { .. } => {
                let fetched = self.compile_var(variable, Fetch::Isset, false)?;
                (Some(Opcode::ISSET_ISEMPTY_DIM_OBJ), fetched.value)
            }
            ExprKind::StaticProp { .. } => {
                let fetched = self.compile_static_property(variable, Fetch::Isset, false, false)?;
                (Some(Opcode::ISSET_ISEMPTY_STATIC_PROP), fetched.value)
            }
            _ => {
                let fetched = self.compile_var(variable, Fetch::Isset, false)?;
                (Some(Opcode::ISSET_ISEMPTY_PROP_OBJ), fetched.value)
            }
        };
        let number = self.last();
        let op = self.op(number);
        if let Some(opcode) = opcode {
            op.opcode = opcode as u8;
        }
        op.extended_value |= empty_flag;
        Ok(fetched)
    }

    fn compile_yield(
        &mut self,
        key: Option<ExprRef<'a>>,
        value: Option<ExprRef<'a>>,
    ) -> Result<Operand<'a>> {
        self.check_generator()?;
        let by_ref = self.function.draft.flags & vm_runtime::function::flags::RETURN_REFERENCE != 0;
        let key = match key {
            Some(key) => self.compile_expr(key)?,
            None => Operand::NONE,
        };
        let mut is_function = false;
        let value = match value {
            Some(value) if by_ref && is_variable(value) => {
                self.check_not_short_circuited(value)?;
                self.compile_var(value, Fetch::Write, true)?.value
            }
            Some(value) => {
                is_function = by_ref && is_call(value);
                self.compile_expr(value)?
            }
            None => Operand::NONE,
        };
        let result = self.emit_var(Opcode::YIELD, value, key);
        if is_function {
            let number = self.last();
            self.op(number).extended_value = 1;
        }
        Ok(result)
    }

    fn compile_yield_from(&mut self, value: ExprRef<'a>) -> Result<Operand<'a>> {
        self.check_generator()?;
        if self.function.draft.flags & vm_runtime::function::flags::RETURN_REFERENCE != 0 {
            return self.fail("Cannot use \"yield from\" inside a by-reference generator");
        }
        let value = self.compile_expr(value)?;
        Ok(self.emit_tmp(Opcode::YIELD_FROM, value, Operand::NONE))
    }

    fn check_generator(&mut self) -> Result<()> {
        if self.function.name.is_none() {
            return self.fail("The \"yield\" expression can only be used inside a function");
        }
        Ok(())
    }

    /// A reference can't be taken of what `?->` may skip.
    pub fn check_not_short_circuited(&mut self, expr: &Expr<'a>) -> Result<()> {
        if variables::is_short_circuited(expr) {
            return self.fail("Cannot take reference of a nullsafe chain");
        }
        Ok(())
    }
}
