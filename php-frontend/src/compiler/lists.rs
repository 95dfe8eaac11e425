//! Destructuring: `[$a, 'k' => [$b]] = $c`.

use vm_runtime::generated::Opcode;

use crate::ast::{ArrayLiteral, ArraySyntax, ExprKind, ExprRef};

use super::assignments::Source;
use super::context::OpRef;
use super::operand::{Constant, Operand};
use super::variables::{self, is_simple_variable};
use super::{Compiler, Fetch, Result};

const EMPTY_KEYED: &str = "Cannot use empty array entries in keyed array assignment";

/// Whether a pattern takes anything by reference.
pub(crate) fn has_references(pattern: &ArrayLiteral<'_>) -> bool {
    pattern.items.iter().flatten().any(|item| {
        item.by_ref || matches!(item.value.kind, ExprKind::Array(inner) if has_references(&inner))
    })
}

impl<'a> Compiler<'a, '_> {
    pub fn compile_destructuring(
        &mut self,
        pattern: &ArrayLiteral<'a>,
        source: Source<'a>,
    ) -> Result<Operand<'a>> {
        let value = match source {
            Source::Value(value) => value,
            Source::Expr(expr) if has_references(pattern) => {
                if !variables::is_variable(expr) && !variables::is_call(expr) {
                    return self.fail("Cannot assign reference to non referenceable value");
                }
                self.check_not_short_circuited(expr)?;
                let value = self.compile_var(expr, Fetch::Write, true)?.value;
                self.emit_var(Opcode::MAKE_REF, value, Operand::NONE)
            }
            Source::Expr(expr) if is_simple_variable(expr) => self.copy_variable(expr)?,
            Source::Expr(expr) => self.compile_expr(expr)?,
        };
        self.compile_list(pattern, value)?;
        Ok(value)
    }

    fn check_list_target(&mut self, target: ExprRef<'a>, syntax: ArraySyntax) -> Result<()> {
        if let ExprKind::Array(inner) = target.kind {
            if inner.syntax == ArraySyntax::Long {
                return self.fail("Cannot assign to array(), use [] instead");
            }
            if inner.syntax != syntax {
                return self.fail("Cannot mix [] and list()");
            }
        } else if !variables::can_write(target) && !variables::is_reached_by_call(target) {
            return self.fail("Assignments can only happen to writable values");
        }
        Ok(())
    }

    /// Assigns the elements of `value`, which is kept.
    pub fn compile_list(&mut self, pattern: &ArrayLiteral<'a>, value: Operand<'a>) -> Result<()> {
        self.enter()?;
        let is_keyed = matches!(pattern.items.first(), Some(Some(item)) if item.key.is_some());
        let mut has_elements = false;
        let mut has_empty = false;
        for (position, item) in pattern.items.iter().enumerate() {
            let Some(item) = item else {
                if is_keyed {
                    return self.fail(EMPTY_KEYED);
                }
                has_empty = true;
                continue;
            };
            if item.spread {
                return self.fail("Spread operator is not supported in assignments");
            }
            has_elements = true;
            if is_keyed != item.key.is_some() {
                if has_empty {
                    return self.fail(EMPTY_KEYED);
                }
                return self.fail("Cannot mix keyed and unkeyed array entries in assignments");
            }
            let dim = match item.key {
                Some(key) => self.compile_expr(key)?,
                None => Operand::Const(Constant::Long(position as i64)),
            };
            self.check_list_target(item.value, pattern.syntax)?;
            let inner = match item.value.kind {
                ExprKind::Array(inner) => Some(inner),
                _ => None,
            };
            let by_ref = item.by_ref || inner.is_some_and(|inner| has_references(&inner));
            let opcode = match (by_ref, value) {
                (true, Operand::Cv(_)) => Opcode::FETCH_DIM_W,
                (true, _) => Opcode::FETCH_LIST_W,
                (false, _) => Opcode::FETCH_LIST_R,
            };
            let mut element = self.emit_var(opcode, value, dim);
            let number = self.last() as usize;
            self.numeric_dim(OpRef::Emitted(number), dim);
            if by_ref {
                element = self.emit_var(Opcode::MAKE_REF, element, Operand::NONE);
            }
            match inner {
                Some(inner) => {
                    self.compile_list(&inner, element)?;
                    self.free(element);
                }
                None if by_ref => self.assign_ref_value(item.value, element)?,
                None => self.assign_value(item.value, element)?,
            }
        }
        if !has_elements {
            return self.fail("Cannot use empty list");
        }
        Ok(())
    }
}
