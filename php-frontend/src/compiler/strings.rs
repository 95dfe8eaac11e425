//! Interpolated strings and the ropes they compile to.

use vm_runtime::generated::Opcode;
use vm_runtime::op::{IS_CONST, IS_TMP_VAR, Op};
use vm_runtime::value;

use crate::ast::{Arg, Args, ExprRef, StringPart, StringPartSyntax};

use super::operand::{Constant, Operand};
use super::{Compiler, Result, Severity, fold};

/// Number of a rope's temporary while it isn't known.
const NO_ROPE: u32 = u32::MAX;

/// A rope being built.
pub(crate) struct Rope {
    /// Its first opline.
    first: u32,
    /// Elements so far.
    pub elements: u32,
    /// Its last opline.
    last: u32,
}

impl Rope {
    pub fn new() -> Self {
        Rope {
            first: 0,
            elements: 0,
            last: 0,
        }
    }
}

impl<'a> Compiler<'a, '_> {
    fn fill_rope_op(&mut self, number: u32, element: u32, value: Operand<'a>) {
        let parts = match value {
            Operand::Const(constant) => (IS_CONST, self.add_literal(constant)),
            other => other.parts(),
        };
        let op = self.op(number);
        op.opcode = if element == 0 {
            Opcode::ROPE_INIT as u8
        } else {
            Opcode::ROPE_ADD as u8
        };
        if element > 0 {
            op.op1_type = IS_TMP_VAR;
            op.op1 = NO_ROPE;
        }
        (op.op2_type, op.op2) = parts;
        op.result_type = IS_TMP_VAR;
        op.result = NO_ROPE;
        op.extended_value = element;
    }

    /// Adds an element to a rope, as a new opline or in place of a reserved one.
    pub fn rope_add(&mut self, rope: &mut Rope, value: Operand<'a>, reserved: Option<u32>) {
        let number = match reserved {
            Some(number) => number,
            None => self.emit_plain(Opcode::NOP),
        };
        if rope.elements == 0 {
            rope.first = number;
        }
        self.fill_rope_op(number, rope.elements, value);
        rope.elements += 1;
        rope.last = number;
    }

    /// Ends a rope of at least one element.
    pub fn rope_end(&mut self, rope: &Rope) -> Operand<'a> {
        let last = rope.last;
        match rope.elements {
            1 => {
                let op = *self.op(last);
                let op = Op {
                    opcode: Opcode::CAST as u8,
                    ..op
                };
                *self.op(last) = Op {
                    op1_type: op.op2_type,
                    op1: op.op2,
                    op2_type: 0,
                    op2: 0,
                    extended_value: u32::from(value::STRING),
                    ..op
                };
                self.make_result(last, IS_TMP_VAR)
            }
            2 => {
                let first = *self.op(rope.first);
                let op = self.op(last);
                op.opcode = Opcode::FAST_CONCAT as u8;
                op.extended_value = 0;
                op.op1_type = first.op2_type;
                op.op1 = first.op2;
                let result = self.make_result(last, IS_TMP_VAR);
                self.make_nop(rope.first);
                result
            }
            elements => {
                self.op(rope.first).extended_value = elements;
                self.op(last).opcode = Opcode::ROPE_END as u8;
                let result = self.make_result(last, IS_TMP_VAR);
                let variable = self.function.temporary();
                self.op(last).op1 = variable;
                // Two string pointers fit in a temporary.
                for _ in 1..elements.div_ceil(2) {
                    self.function.temporary();
                }
                for number in (rope.first..last).rev() {
                    let op = self.op(number);
                    if op.result != NO_ROPE {
                        continue;
                    }
                    if op.opcode == Opcode::ROPE_ADD as u8 {
                        op.op1 = variable;
                        op.result = variable;
                    } else if op.opcode == Opcode::ROPE_INIT as u8 {
                        op.result = variable;
                    }
                }
                result
            }
        }
    }

    pub fn compile_interpolated(&mut self, parts: &'a [StringPart<'a>]) -> Result<Operand<'a>> {
        let mut rope = Rope::new();
        // The constant part not yet added, and the opline reserved for it.
        let mut pending: Option<(&'a [u8], u32)> = None;
        for part in parts {
            self.report_interpolation(part);
            let value = self.compile_expr(part.expr)?;
            if let Operand::Const(constant) = value {
                let bytes = fold::to_string(self.arena, constant, self.options.precision);
                if bytes.is_empty() {
                    continue;
                }
                pending = Some(match pending {
                    Some((before, reserved)) => {
                        let mut joined = before.to_vec();
                        joined.extend_from_slice(bytes);
                        (self.intern(&joined), reserved)
                    }
                    None => (bytes, self.emit_plain(Opcode::NOP)),
                });
                continue;
            }
            if let Some((bytes, reserved)) = pending.take() {
                let bytes = Operand::Const(Constant::String(bytes));
                self.rope_add(&mut rope, bytes, Some(reserved));
            }
            self.rope_add(&mut rope, value, None);
        }
        if rope.elements == 0 {
            let bytes = match pending {
                Some((bytes, reserved)) => {
                    self.function.draft.ops.truncate(reserved as usize);
                    bytes
                }
                None => b"",
            };
            return Ok(Operand::Const(Constant::String(bytes)));
        }
        if let Some((bytes, reserved)) = pending {
            let bytes = Operand::Const(Constant::String(bytes));
            self.rope_add(&mut rope, bytes, Some(reserved));
        }
        Ok(self.rope_end(&rope))
    }

    fn report_interpolation(&mut self, part: &StringPart<'a>) {
        let text = match part.syntax {
            StringPartSyntax::DollarBrace => {
                "Using ${var} in strings is deprecated, use {$var} instead"
            }
            StringPartSyntax::DollarBraceExpression => {
                "Using ${expr} (variable variables) in strings is deprecated, use {${expr}} instead"
            }
            _ => return,
        };
        self.line = part.expr.line;
        self.report(Severity::Deprecated, text);
    }

    /// `` `command` `` is a call of `shell_exec`.
    pub fn compile_shell_exec(
        &mut self,
        expr: ExprRef<'a>,
        parts: &'a [StringPart<'a>],
    ) -> Result<Operand<'a>> {
        use crate::ast::{Expr, ExprKind};
        let kind = match parts {
            [] => ExprKind::String(b""),
            [
                StringPart {
                    expr:
                        Expr {
                            kind: ExprKind::String(bytes),
                            ..
                        },
                    ..
                },
            ] => ExprKind::String(bytes),
            _ => ExprKind::Interpolated(parts),
        };
        let value = self.arena.alloc(Expr {
            kind,
            line: expr.line,
            parenthesized: false,
        });
        let arg = Arg {
            value,
            name: None,
            spread: false,
            line: expr.line,
        };
        let args = self.arena.alloc(Args {
            items: self.arena.alloc_slice_copy(&[arg]),
            line: expr.line,
            first_class_callable: false,
        });
        self.call_named(b"shell_exec", args, expr.line)
    }
}
