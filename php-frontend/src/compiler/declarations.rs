//! `const`, `global`, `static`, `declare`.

use vm_runtime::generated::Opcode;
use vm_runtime::op_array::StaticVariable;
use vm_runtime::value::Zval;

use crate::ast::{ConstItem, ExprKind, ExprRef, StaticVar, Stmt};

use super::constants::special_constant;
use super::errors::message;
use super::operand::{Constant, Operand};
use super::variables::{FETCH_GLOBAL_LOCK, is_this};
use super::{Compiler, Fetch, Result, Severity};

/// BIND_STATIC, BIND_LEXICAL: by reference.
pub(crate) const BIND_REF: u32 = 1;
/// BIND_STATIC: a variable of `use`.
pub(crate) use vm_runtime::op_array::BIND_EXPLICIT;
/// BIND_STATIC, BIND_LEXICAL: a variable an arrow function found by itself.
pub(crate) use vm_runtime::op_array::BIND_IMPLICIT;
/// Bytes between static variables in the offsets that oplines carry.
pub(crate) const STATIC_BYTES: u32 = vm_runtime::op_array::STATIC_VARIABLE_STRIDE;

impl<'a> Compiler<'a, '_> {
    pub fn compile_constants(&mut self, items: &'a [ConstItem<'a>]) -> Result<()> {
        for item in items {
            let (_, value) = self.constant_expression(item.value, true)?;
            if special_constant(item.name).is_some() {
                return self.fail(message!("Cannot redeclare constant '", item.name, "'"));
            }
            let name = self.prefix_with_namespace(item.name);
            self.declare_constant_name(item.name, name)?;
            let number = self.emit(
                Opcode::DECLARE_CONST,
                Operand::Const(Constant::String(name)),
                Operand::NULL,
            );
            let literal = self.op(number).op2 as usize;
            self.function.draft.literals[literal] = value;
        }
        Ok(())
    }

    pub fn compile_global(&mut self, variables: &'a [ExprRef<'a>]) -> Result<()> {
        for variable in variables {
            let name = match variable.kind {
                ExprKind::Variable(name) => Operand::Const(Constant::String(name)),
                ExprKind::VariableVariable(inner) => {
                    let name = self.compile_expr(inner)?;
                    self.constant_to_string(name)
                }
                _ => return self.fail("Cannot use temporary expression in write context"),
            };
            if is_this(variable) {
                return self.fail("Cannot use $this as global variable");
            }
            if let Some(cv) = self.try_cv(variable) {
                let number = self.emit(Opcode::BIND_GLOBAL, cv, name);
                let slots = self.alloc_cache_slots(1);
                self.op(number).extended_value = slots;
                continue;
            }
            let global = self.emit_var(Opcode::FETCH_W, name, Operand::NONE);
            let number = self.last();
            self.op(number).extended_value = FETCH_GLOBAL_LOCK;
            let local = self.fetch_by_name(name, Fetch::Write, false, true)?.value;
            let result = self.emit_var(Opcode::ASSIGN_REF, local, global);
            self.free(result);
        }
        Ok(())
    }

    /// Adds a static variable; gives its offset.
    pub fn add_static(&mut self, name: &'a [u8], initial: Zval) -> u32 {
        let count = self.function.statics.len() as u32;
        let number = *self.function.statics.entry(name).or_insert(count);
        let variable = StaticVariable {
            name: self.pool.string(name),
            initial,
        };
        let variables = &mut self.function.draft.static_variables;
        if number < count {
            variables[number as usize] = variable;
        } else {
            variables.push(variable);
        }
        number * STATIC_BYTES
    }

    /// Adds a static variable and binds its CV to it.
    pub fn bind_static(&mut self, name: &'a [u8], initial: Zval, mode: u32) -> Result<()> {
        let offset = self.add_static(name, initial);
        if name == b"this" {
            return self.fail("Cannot use $this as static variable");
        }
        let number = self.emit_plain(Opcode::BIND_STATIC);
        let cv = self.lookup_cv(name);
        let op = self.op(number);
        (op.op1_type, op.op1) = (vm_runtime::op::IS_CV, cv);
        op.extended_value = offset | mode;
        Ok(())
    }

    pub fn compile_static_variables(&mut self, variables: &'a [StaticVar<'a>]) -> Result<()> {
        for variable in variables {
            self.line = variable.line;
            self.compile_static_variable(variable)?;
        }
        Ok(())
    }

    fn compile_static_variable(&mut self, variable: &'a StaticVar<'a>) -> Result<()> {
        let name = variable.name;
        if name == b"this" {
            return self.fail("Cannot use $this as static variable");
        }
        if self.function.statics.contains_key(name) {
            return self.fail(message!("Duplicate declaration of static variable $", name));
        }
        let Some(default) = variable.default else {
            return self.bind_static(name, Zval::NULL, BIND_REF);
        };
        if let Some(constant) = self.fold(default)? {
            let initial = self.literal_value(constant);
            return self.bind_static(name, initial, BIND_REF);
        }
        let offset = self.add_static(name, Zval::UNDEF);
        let jump = self.emit_plain(Opcode::BIND_INIT_STATIC_OR_JMP);
        let cv = Operand::Cv(self.lookup_cv(name));
        let parts = cv.parts();
        let op = self.op(jump);
        (op.op1_type, op.op1) = parts;
        op.extended_value = offset;
        let default = self.simplify(default)?;
        let value = self.compile_expr(default)?;
        let number = self.emit(Opcode::BIND_STATIC, cv, value);
        self.op(number).extended_value = offset | BIND_REF;
        self.jump_here(jump);
        Ok(())
    }

    pub fn compile_declare(
        &mut self,
        directives: &'a [ConstItem<'a>],
        body: Option<&'a Stmt<'a>>,
    ) -> Result<()> {
        let outer_ticks = self.file.ticks;
        for directive in directives {
            let name = directive.name;
            let value = match directive.value.kind {
                ExprKind::Int(value) => Constant::Long(value),
                ExprKind::Float(value) => Constant::Double(value),
                ExprKind::String(bytes) => Constant::String(bytes),
                _ => {
                    return self.fail(message!("declare(", name, ") value must be a literal"));
                }
            };
            if name.eq_ignore_ascii_case(b"ticks") {
                self.file.ticks = match value {
                    Constant::Long(ticks) => ticks,
                    Constant::Double(ticks) => ticks as i64,
                    _ => 0,
                };
            } else if name.eq_ignore_ascii_case(b"encoding") {
                if self.file.first_statement_passed {
                    return self.fail(
                        "Encoding declaration pragma must be the very first statement in the \
                         script",
                    );
                }
            } else if name.eq_ignore_ascii_case(b"strict_types") {
                if self.file.first_statement_passed || self.function.name.is_some() {
                    return self.fail(
                        "strict_types declaration must be the very first statement in the script",
                    );
                }
                if body.is_some() {
                    return self.fail("strict_types declaration must not use block mode");
                }
                match value {
                    Constant::Long(0) => self.set_strict_types(false),
                    Constant::Long(1) => self.set_strict_types(true),
                    _ => {
                        return self.fail("strict_types declaration must have 0 or 1 as its value");
                    }
                }
            } else {
                self.report(
                    Severity::Warning,
                    message!("Unsupported declare '", name, "'"),
                );
            }
        }
        if let Some(body) = body {
            // What is inside is never the first statement of the script.
            let passed = std::mem::replace(&mut self.file.first_statement_passed, true);
            self.compile_statement(body)?;
            self.file.first_statement_passed = passed;
            self.file.ticks = outer_ticks;
        }
        Ok(())
    }

    fn set_strict_types(&mut self, strict: bool) {
        self.file.strict_types = strict;
        if strict {
            self.function.draft.flags |= vm_runtime::function::flags::STRICT_TYPES;
        }
    }
}
