//! Operators, casts and the conditional forms.

use vm_runtime::generated::Opcode;
use vm_runtime::op::IS_TMP_VAR;
use vm_runtime::value;

use crate::ast::{BinaryOperator, CastKind, ExprKind, ExprRef, UnaryOperator};

use super::fold::{self, Chain};
use super::operand::{Constant, Operand};
use super::{Compiler, Fetch, Result};

/// Type mask of every value.
pub(crate) const MAY_BE_ANY: u32 = 0x3fe;

/// The opcode of an operator; `>` and `>=` are `<` and `<=` with the sides swapped.
pub(crate) fn binary_opcode(operator: BinaryOperator) -> Opcode {
    match operator {
        BinaryOperator::Add => Opcode::ADD,
        BinaryOperator::Sub => Opcode::SUB,
        BinaryOperator::Mul => Opcode::MUL,
        BinaryOperator::Div => Opcode::DIV,
        BinaryOperator::Mod => Opcode::MOD,
        BinaryOperator::Pow => Opcode::POW,
        BinaryOperator::Concat => Opcode::CONCAT,
        BinaryOperator::ShiftLeft => Opcode::SL,
        BinaryOperator::ShiftRight => Opcode::SR,
        BinaryOperator::BitOr => Opcode::BW_OR,
        BinaryOperator::BitAnd => Opcode::BW_AND,
        BinaryOperator::BitXor => Opcode::BW_XOR,
        BinaryOperator::Xor => Opcode::BOOL_XOR,
        BinaryOperator::Identical => Opcode::IS_IDENTICAL,
        BinaryOperator::NotIdentical => Opcode::IS_NOT_IDENTICAL,
        BinaryOperator::Equal => Opcode::IS_EQUAL,
        BinaryOperator::NotEqual => Opcode::IS_NOT_EQUAL,
        BinaryOperator::Less | BinaryOperator::Greater => Opcode::IS_SMALLER,
        BinaryOperator::LessEqual | BinaryOperator::GreaterEqual => Opcode::IS_SMALLER_OR_EQUAL,
        BinaryOperator::Spaceship => Opcode::SPACESHIP,
    }
}

/// The type number of null, false or true.
fn singleton_type(constant: Constant<'_>) -> Option<u8> {
    match constant {
        Constant::Null => Some(value::NULL),
        Constant::Bool(false) => Some(value::FALSE),
        Constant::Bool(true) => Some(value::TRUE),
        _ => None,
    }
}

impl<'a> Compiler<'a, '_> {
    /// A literal operand as a string; other operands are left alone.
    pub fn constant_to_string(&mut self, operand: Operand<'a>) -> Operand<'a> {
        match operand {
            Operand::Const(Constant::String(_)) => operand,
            Operand::Const(constant) => Operand::Const(Constant::String(fold::to_string(
                self.arena,
                constant,
                self.options.precision,
            ))),
            other => other,
        }
    }

    pub fn compile_binary(
        &mut self,
        operator: BinaryOperator,
        left: ExprRef<'a>,
        right: ExprRef<'a>,
    ) -> Result<Operand<'a>> {
        if !matches!(left.kind, ExprKind::Binary { .. }) {
            let left = self.compile_expr(left)?;
            let right = self.compile_expr(right)?;
            return self.binary_operation(operator, left, right);
        }
        // Long chains are deep on the left: no recursion there.
        let mut links = vec![(operator, right)];
        let mut first = left;
        while let ExprKind::Binary {
            operator,
            left,
            right,
        } = first.kind
        {
            links.push((operator, right));
            first = left;
        }
        let mut value = self.compile_expr(first)?;
        let mut chain = None;
        while let Some((operator, right)) = links.pop() {
            let right = self.compile_expr(right)?;
            if let Operand::Const(left) = value {
                let chain = chain.get_or_insert(Chain::Constant(left));
                let precision = self.options.precision;
                if let Operand::Const(right) = right
                    && chain.apply(self.arena, operator, right, precision)
                {
                    continue;
                }
                value = Operand::Const(chain.settle(self.arena));
            }
            value = self.binary_operation(operator, value, right)?;
            chain = None;
        }
        Ok(match chain {
            Some(chain) => Operand::Const(chain.finish(self.arena)),
            None => value,
        })
    }

    fn binary_operation(
        &mut self,
        operator: BinaryOperator,
        left: Operand<'a>,
        right: Operand<'a>,
    ) -> Result<Operand<'a>> {
        if let (Operand::Const(a), Operand::Const(b)) = (left, right)
            && let Some(result) = fold::binary(self.arena, operator, a, b, self.options.precision)
        {
            return Ok(Operand::Const(result));
        }
        let opcode = binary_opcode(operator);
        match operator {
            BinaryOperator::Greater | BinaryOperator::GreaterEqual => {
                return Ok(self.emit_tmp(opcode, right, left));
            }
            BinaryOperator::Equal | BinaryOperator::NotEqual => {
                for (constant, other) in [(left, right), (right, left)] {
                    if let Operand::Const(constant) = constant {
                        if let Constant::Bool(value) = constant {
                            let same = value == (operator == BinaryOperator::Equal);
                            let opcode = if same { Opcode::BOOL } else { Opcode::BOOL_NOT };
                            return Ok(self.emit_tmp(opcode, other, Operand::NONE));
                        }
                        break;
                    }
                }
            }
            BinaryOperator::Identical | BinaryOperator::NotIdentical => {
                for (constant, other) in [(left, right), (right, left)] {
                    if let Operand::Const(constant) = constant {
                        if let Some(kind) = singleton_type(constant) {
                            let result = self.emit_tmp(Opcode::TYPE_CHECK, other, Operand::NONE);
                            let number = self.last();
                            self.op(number).extended_value =
                                if operator == BinaryOperator::Identical {
                                    1 << kind
                                } else {
                                    MAY_BE_ANY & !(1 << kind)
                                };
                            return Ok(result);
                        }
                        break;
                    }
                }
            }
            BinaryOperator::Concat => {
                let left = self.concat_operand(left);
                let right = self.concat_operand(right);
                let both = matches!((left, right), (Operand::Const(_), Operand::Const(_)));
                let opcode = if both {
                    Opcode::FAST_CONCAT
                } else {
                    Opcode::CONCAT
                };
                return Ok(self.emit_tmp(opcode, left, right));
            }
            _ => {}
        }
        Ok(self.emit_tmp(opcode, left, right))
    }

    /// A literal to be concatenated becomes a string; an array does so, with its warning, at run
    /// time.
    pub fn concat_operand(&mut self, operand: Operand<'a>) -> Operand<'a> {
        if let Operand::Const(Constant::Array(_)) = operand {
            let result = self.emit_tmp(Opcode::CAST, operand, Operand::NONE);
            let number = self.last();
            self.op(number).extended_value = u32::from(value::STRING);
            return result;
        }
        self.constant_to_string(operand)
    }

    pub fn compile_unary(
        &mut self,
        operator: UnaryOperator,
        operand: ExprRef<'a>,
    ) -> Result<Operand<'a>> {
        let value = self.compile_expr(operand)?;
        if let Operand::Const(constant) = value
            && let Some(result) =
                fold::unary(self.arena, operator, constant, self.options.precision)
        {
            return Ok(Operand::Const(result));
        }
        let minus_one = Operand::Const(Constant::Long(-1));
        let one = Operand::Const(Constant::Long(1));
        Ok(match operator {
            UnaryOperator::Not => self.emit_tmp(Opcode::BOOL_NOT, value, Operand::NONE),
            UnaryOperator::BitNot => self.emit_tmp(Opcode::BW_NOT, value, Operand::NONE),
            // Which of the two it is shows in errors.
            UnaryOperator::Plus if self.function.is_constant_expression => {
                self.emit_tmp(Opcode::ADD, Operand::Const(Constant::Long(0)), value)
            }
            UnaryOperator::Plus => self.emit_tmp(Opcode::MUL, value, one),
            UnaryOperator::Minus => self.emit_tmp(Opcode::MUL, value, minus_one),
        })
    }

    /// `&&` by JMPZ_EX, `||` by JMPNZ_EX.
    pub fn compile_logical(
        &mut self,
        opcode: Opcode,
        left: ExprRef<'a>,
        right: ExprRef<'a>,
    ) -> Result<Operand<'a>> {
        if !matches!(left.kind, ExprKind::And { .. } | ExprKind::Or { .. }) {
            let left = self.compile_expr(left)?;
            return self.logical_link(opcode, left, right);
        }
        let mut links = vec![(opcode, right)];
        let mut first = left;
        loop {
            first = match first.kind {
                ExprKind::And { left, right } => {
                    links.push((Opcode::JMPZ_EX, right));
                    left
                }
                ExprKind::Or { left, right } => {
                    links.push((Opcode::JMPNZ_EX, right));
                    left
                }
                _ => break,
            };
        }
        let mut value = self.compile_expr(first)?;
        while let Some((opcode, right)) = links.pop() {
            value = self.logical_link(opcode, value, right)?;
        }
        Ok(value)
    }

    fn logical_link(
        &mut self,
        opcode: Opcode,
        left: Operand<'a>,
        right: ExprRef<'a>,
    ) -> Result<Operand<'a>> {
        if let Operand::Const(constant) = left {
            let is_true = fold::to_bool(constant);
            if is_true == (opcode == Opcode::JMPNZ_EX) {
                return Ok(Operand::Const(Constant::Bool(is_true)));
            }
            let right = self.compile_expr(right)?;
            if let Operand::Const(constant) = right {
                return Ok(Operand::Const(Constant::Bool(fold::to_bool(constant))));
            }
            return Ok(self.emit_tmp(Opcode::BOOL, right, Operand::NONE));
        }
        let jump = self.emit(opcode, left, Operand::NONE);
        let result = if let Operand::Tmp(_) = left {
            self.set_result(jump, left);
            left
        } else {
            self.make_result(jump, IS_TMP_VAR)
        };
        let right = self.compile_expr(right)?;
        self.emit_into(result, Opcode::BOOL, right, Operand::NONE);
        self.jump_here(jump);
        Ok(result)
    }

    pub fn compile_coalesce(
        &mut self,
        left: ExprRef<'a>,
        right: ExprRef<'a>,
    ) -> Result<Operand<'a>> {
        let value = self.compile_var(left, Fetch::Isset, false)?.value;
        let result = self.emit_tmp(Opcode::COALESCE, value, Operand::NONE);
        let jump = self.last();
        let default = self.compile_expr(right)?;
        self.emit_into(result, Opcode::QM_ASSIGN, default, Operand::NONE);
        self.jump_here(jump);
        Ok(result)
    }

    pub fn compile_conditional(
        &mut self,
        condition: ExprRef<'a>,
        then: Option<ExprRef<'a>>,
        otherwise: ExprRef<'a>,
    ) -> Result<Operand<'a>> {
        if let ExprKind::Conditional { then: inner, .. } = condition.kind
            && !condition.parenthesized
        {
            match (inner.is_some(), then.is_some()) {
                (true, true) => {
                    return self.fail(
                        "Unparenthesized `a ? b : c ? d : e` is not supported. Use either \
                             `(a ? b : c) ? d : e` or `a ? b : (c ? d : e)`",
                    );
                }
                (true, false) => {
                    return self.fail(
                        "Unparenthesized `a ? b : c ?: d` is not supported. Use either \
                             `(a ? b : c) ?: d` or `a ? b : (c ?: d)`",
                    );
                }
                (false, true) => {
                    return self.fail(
                        "Unparenthesized `a ?: b ? c : d` is not supported. Use either \
                             `(a ?: b) ? c : d` or `a ?: (b ? c : d)`",
                    );
                }
                (false, false) => {}
            }
        }
        let condition = self.compile_expr(condition)?;
        let Some(then) = then else {
            let result = self.emit_tmp(Opcode::JMP_SET, condition, Operand::NONE);
            let jump = self.last();
            let otherwise = self.compile_expr(otherwise)?;
            self.emit_into(result, Opcode::QM_ASSIGN, otherwise, Operand::NONE);
            self.jump_here(jump);
            return Ok(result);
        };
        let to_otherwise = self.emit_condition(Opcode::JMPZ, condition, 0);
        let then = self.compile_expr(then)?;
        let result = self.emit_tmp(Opcode::QM_ASSIGN, then, Operand::NONE);
        let to_end = self.emit_jump(0);
        self.jump_here(to_otherwise);
        let otherwise = self.compile_expr(otherwise)?;
        self.emit_into(result, Opcode::QM_ASSIGN, otherwise, Operand::NONE);
        self.jump_here(to_end);
        Ok(result)
    }

    pub fn compile_cast(&mut self, kind: CastKind, operand: ExprRef<'a>) -> Result<Operand<'a>> {
        let value = self.compile_expr(operand)?;
        let target = match kind {
            CastKind::Bool => return Ok(self.emit_tmp(Opcode::BOOL, value, Operand::NONE)),
            CastKind::Int => value::LONG,
            CastKind::Float => value::DOUBLE,
            CastKind::String => value::STRING,
            CastKind::Array => value::ARRAY,
            CastKind::Object => value::OBJECT,
            CastKind::Unset => return self.fail("The (unset) cast is no longer supported"),
        };
        let result = self.emit_tmp(Opcode::CAST, value, Operand::NONE);
        let number = self.last();
        self.op(number).extended_value = u32::from(target);
        Ok(result)
    }
}
