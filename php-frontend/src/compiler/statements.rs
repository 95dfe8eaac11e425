//! Statements: what kind compiles where, and the small ones.

use vm_runtime::generated::Opcode;

use crate::ast::{ExprKind, Stmt, StmtKind};

use super::operand::{Constant, Operand};
use super::{Compiler, Result};

impl<'a> Compiler<'a, '_> {
    /// Compiles the statements of a file, where functions and classes are declared at once.
    pub fn top_statements(&mut self, statements: &'a [Stmt<'a>]) -> Result<()> {
        statements
            .iter()
            .try_for_each(|statement| self.top_statement(statement))
    }

    fn top_statement(&mut self, statement: &'a Stmt<'a>) -> Result<()> {
        match statement.kind {
            StmtKind::Block(statements) => {
                self.enter()?;
                self.top_statements(statements)?;
                return Ok(());
            }
            StmtKind::Function(function) => {
                self.line = statement.line;
                self.compile_function(function, true)?;
                self.line = function.end_line;
            }
            StmtKind::Class(class) => {
                self.line = statement.line;
                self.compile_class(class, true)?;
                self.line = class.end_line;
            }
            _ => self.compile_statement(statement)?,
        }
        let is_declare = matches!(statement.kind, StmtKind::Declare { .. } | StmtKind::Nop);
        let is_html = matches!(statement.kind, StmtKind::HaltCompiler { .. });
        self.file.first_statement_passed |= !is_declare && !is_html;
        if !matches!(
            statement.kind,
            StmtKind::Namespace { .. } | StmtKind::HaltCompiler { .. }
        ) && !matches!(statement.kind, StmtKind::Nop)
        {
            self.verify_namespace()?;
        }
        Ok(())
    }

    pub fn compile_block(&mut self, statements: &'a [Stmt<'a>]) -> Result<()> {
        statements
            .iter()
            .try_for_each(|statement| self.compile_statement(statement))
    }

    /// Compiles a statement inside of a function or of another statement.
    pub fn compile_statement(&mut self, statement: &'a Stmt<'a>) -> Result<()> {
        self.enter()?;
        self.line = statement.line;
        self.compile_statement_kind(statement)?;
        if self.file.ticks != 0 && is_tickable(&statement.kind) {
            self.emit_ticks();
        }
        Ok(())
    }

    fn compile_statement_kind(&mut self, statement: &'a Stmt<'a>) -> Result<()> {
        match statement.kind {
            StmtKind::Nop => {}
            StmtKind::Expr(expr) => {
                if let ExprKind::Throw(value) = expr.kind {
                    return self.compile_throw(value, false);
                }
                let value = self.compile_expr(expr)?;
                self.free(value);
            }
            StmtKind::Echo(values) => {
                for value in values {
                    self.line = value.line;
                    let value = self.compile_expr(value)?;
                    let number = self.emit(Opcode::ECHO, value, Operand::NONE);
                    self.op(number).extended_value = 0;
                }
            }
            StmtKind::InlineHtml(text) => {
                let text = Operand::Const(Constant::String(text));
                self.emit(Opcode::ECHO, text, Operand::NONE);
            }
            StmtKind::Block(statements) => self.compile_block(statements)?,
            StmtKind::If(arms) => self.compile_if(arms)?,
            StmtKind::While { condition, body } => self.compile_while(condition, body)?,
            StmtKind::DoWhile { body, condition } => self.compile_do_while(body, condition)?,
            StmtKind::For(statement) => self.compile_for(statement)?,
            StmtKind::Foreach(statement) => self.compile_foreach(statement)?,
            StmtKind::Switch { subject, cases } => self.compile_switch(subject, cases)?,
            StmtKind::Break(level) => self.compile_break(level, false)?,
            StmtKind::Continue(level) => self.compile_break(level, true)?,
            StmtKind::Return(value) => self.compile_return(value)?,
            StmtKind::Global(variables) => self.compile_global(variables)?,
            StmtKind::StaticVars(variables) => self.compile_static_variables(variables)?,
            StmtKind::Unset(variables) => {
                for variable in variables {
                    self.compile_unset(variable)?;
                }
            }
            StmtKind::Try(statement) => self.compile_try(statement)?,
            StmtKind::Goto(label) => self.compile_goto(label.bytes)?,
            StmtKind::Label(label) => self.compile_label(label.bytes)?,
            StmtKind::Declare { directives, body } => self.compile_declare(directives, body)?,
            StmtKind::Namespace { name, body } => {
                self.begin_namespace(name.as_ref(), body.is_some())?;
                if let Some(body) = body {
                    self.top_statements(body)?;
                    self.end_namespace();
                }
            }
            StmtKind::Use(import) => self.compile_use(import)?,
            StmtKind::Const(items) => self.compile_constants(items)?,
            StmtKind::Function(function) => self.compile_function(function, false)?,
            StmtKind::Class(class) => self.compile_class(class, false)?,
            StmtKind::HaltCompiler { .. } => {
                if self.file.has_bracketed_namespaces && self.file.in_namespace {
                    return self
                        .fail("__HALT_COMPILER() can only be used from the outermost scope");
                }
            }
        }
        Ok(())
    }

    fn emit_ticks(&mut self) {
        if self.last_op_is(Opcode::TICKS) {
            return;
        }
        let number = self.emit_plain(Opcode::TICKS);
        self.op(number).extended_value = self.file.ticks as u32;
    }
}

/// Whether `declare(ticks)` counts a statement.
fn is_tickable(kind: &StmtKind<'_>) -> bool {
    !matches!(
        kind,
        StmtKind::Nop
            | StmtKind::Block(_)
            | StmtKind::Label(_)
            | StmtKind::Function(_)
            | StmtKind::Class(_)
            | StmtKind::Namespace { .. }
            | StmtKind::Use(_)
            | StmtKind::HaltCompiler { .. }
    )
}
