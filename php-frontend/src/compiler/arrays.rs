//! Array literals.

use vm_runtime::generated::Opcode;

use crate::ast::{ArrayLiteral, ArraySyntax, ExprRef};

use super::operand::{Constant, Operand};
use super::{Compiler, Fetch, Result, numbers};

/// INIT_ARRAY: the size stands above these bits.
const SIZE_SHIFT: u32 = 2;
/// INIT_ARRAY: some key is a string.
const NOT_PACKED: u32 = 2;
/// INIT_ARRAY, ADD_ARRAY_ELEMENT: the element is a reference.
const BY_REF: u32 = 1;

impl<'a> Compiler<'a, '_> {
    /// Compiles an expression that Zend evaluates in the tree first.
    pub fn compile_folded(&mut self, expr: ExprRef<'a>) -> Result<Operand<'a>> {
        if let Some(constant) = self.fold(expr)? {
            self.line = expr.line;
            return Ok(Operand::Const(constant));
        }
        self.compile_expr(expr)
    }

    pub fn compile_array(&mut self, literal: &ArrayLiteral<'a>) -> Result<Operand<'a>> {
        if literal.syntax == ArraySyntax::List {
            return self.fail("Cannot use list() as standalone expression");
        }
        if let Some(constant) = self.fold_array(literal)? {
            return Ok(Operand::Const(constant));
        }
        let mut result = Operand::NONE;
        let mut first = None;
        let mut packed = true;
        for item in literal.items.iter().flatten() {
            if item.spread {
                let value = self.compile_folded(item.value)?;
                if first.is_none() {
                    result = self.emit_tmp(Opcode::INIT_ARRAY, Operand::NONE, Operand::NONE);
                    first = Some(self.last());
                }
                self.emit_into(result, Opcode::ADD_ARRAY_UNPACK, value, Operand::NONE);
                continue;
            }
            let mut key = Operand::NONE;
            if let Some(expr) = item.key {
                key = self.compile_folded(expr)?;
                if let Operand::Const(Constant::String(bytes)) = key {
                    match numbers::integer_key(bytes) {
                        Some(integer) => key = Operand::Const(Constant::Long(integer)),
                        None => packed = false,
                    }
                }
            }
            let value = if item.by_ref {
                self.ensure_writable(item.value)?;
                self.compile_var(item.value, Fetch::Write, true)?.value
            } else {
                self.compile_folded(item.value)?
            };
            let number = if first.is_none() {
                result = self.emit_tmp(Opcode::INIT_ARRAY, value, key);
                let number = self.last();
                self.op(number).extended_value = (literal.items.len() as u32) << SIZE_SHIFT;
                first = Some(number);
                number
            } else {
                self.emit_into(result, Opcode::ADD_ARRAY_ELEMENT, value, key)
            };
            if item.by_ref {
                self.op(number).extended_value |= BY_REF;
            }
        }
        if let (false, Some(first)) = (packed, first) {
            self.op(first).extended_value |= NOT_PACKED;
        }
        Ok(result)
    }
}
