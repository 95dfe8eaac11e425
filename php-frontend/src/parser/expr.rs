//! Operators, by precedence climbing.
//!
//! An assignment binds to the variable on its left whatever stands before it (`!$a = f()`), so
//! [`super::primary`] reads it, not this table.

use super::{Parser, Result, T};
use crate::ast::{
    BinaryOperator as B, CastKind, ExprKind as E, ExprRef, IncludeKind, UnaryOperator,
};

/// Precedence levels, lowest first, as PHP's grammar declares them.
mod level {
    pub(super) const LOWEST: u8 = 0;
    pub(super) const INCLUDE: u8 = 3;
    pub(super) const LOGICAL_OR: u8 = 4;
    pub(super) const LOGICAL_XOR: u8 = 5;
    pub(super) const LOGICAL_AND: u8 = 6;
    pub(super) const PRINT: u8 = 7;
    pub(super) const YIELD: u8 = 8;
    pub(super) const DOUBLE_ARROW: u8 = 9;
    pub(super) const YIELD_FROM: u8 = 10;
    pub(super) const ASSIGN: u8 = 11;
    pub(super) const CONDITIONAL: u8 = 12;
    pub(super) const COALESCE: u8 = 13;
    pub(super) const BOOLEAN_OR: u8 = 14;
    pub(super) const BOOLEAN_AND: u8 = 15;
    pub(super) const BIT_OR: u8 = 16;
    pub(super) const BIT_XOR: u8 = 17;
    pub(super) const BIT_AND: u8 = 18;
    pub(super) const EQUALITY: u8 = 19;
    pub(super) const COMPARISON: u8 = 20;
    pub(super) const CONCAT: u8 = 21;
    pub(super) const SHIFT: u8 = 22;
    pub(super) const ADD: u8 = 23;
    pub(super) const MULTIPLY: u8 = 24;
    pub(super) const NOT: u8 = 25;
    pub(super) const INSTANCEOF: u8 = 26;
    pub(super) const UNARY: u8 = 27;
    pub(super) const POWER: u8 = 28;
    pub(super) const CLONE: u8 = 29;
}

/// What a binary operator's token means.
#[derive(Clone, Copy)]
enum Operator {
    Binary(B),
    And,
    Or,
    Coalesce,
    Conditional,
    InstanceOf,
}

/// Which operand may hold an operator of the same level.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Neither,
}

/// An operator's level (zero when the token is none), associativity and meaning.
#[derive(Clone, Copy)]
struct Infix {
    level: u8,
    side: Side,
    operator: Operator,
}

const NO_INFIX: Infix = Infix {
    level: level::LOWEST,
    side: Side::Left,
    operator: Operator::Conditional,
};

static INFIX: [Infix; 256] = build_infix();

const fn build_infix() -> [Infix; 256] {
    use Operator::Binary;
    use Side::{Left, Neither, Right};
    let list: &[(T, u8, Side, Operator)] = &[
        (T::LogicalOr, level::LOGICAL_OR, Left, Operator::Or),
        (T::LogicalXor, level::LOGICAL_XOR, Left, Binary(B::Xor)),
        (T::LogicalAnd, level::LOGICAL_AND, Left, Operator::And),
        (T::Question, level::CONDITIONAL, Left, Operator::Conditional),
        (T::Coalesce, level::COALESCE, Right, Operator::Coalesce),
        (T::BooleanOr, level::BOOLEAN_OR, Left, Operator::Or),
        (T::BooleanAnd, level::BOOLEAN_AND, Left, Operator::And),
        (T::Pipe, level::BIT_OR, Left, Binary(B::BitOr)),
        (T::Caret, level::BIT_XOR, Left, Binary(B::BitXor)),
        (T::Ampersand, level::BIT_AND, Left, Binary(B::BitAnd)),
        (
            T::AmpersandFollowed,
            level::BIT_AND,
            Left,
            Binary(B::BitAnd),
        ),
        (T::IsEqual, level::EQUALITY, Neither, Binary(B::Equal)),
        (T::IsNotEqual, level::EQUALITY, Neither, Binary(B::NotEqual)),
        (
            T::IsIdentical,
            level::EQUALITY,
            Neither,
            Binary(B::Identical),
        ),
        (
            T::IsNotIdentical,
            level::EQUALITY,
            Neither,
            Binary(B::NotIdentical),
        ),
        (T::Spaceship, level::EQUALITY, Neither, Binary(B::Spaceship)),
        (T::Less, level::COMPARISON, Neither, Binary(B::Less)),
        (
            T::LessEqual,
            level::COMPARISON,
            Neither,
            Binary(B::LessEqual),
        ),
        (T::Greater, level::COMPARISON, Neither, Binary(B::Greater)),
        (
            T::GreaterEqual,
            level::COMPARISON,
            Neither,
            Binary(B::GreaterEqual),
        ),
        (T::Dot, level::CONCAT, Left, Binary(B::Concat)),
        (T::ShiftLeft, level::SHIFT, Left, Binary(B::ShiftLeft)),
        (T::ShiftRight, level::SHIFT, Left, Binary(B::ShiftRight)),
        (T::Plus, level::ADD, Left, Binary(B::Add)),
        (T::Minus, level::ADD, Left, Binary(B::Sub)),
        (T::Star, level::MULTIPLY, Left, Binary(B::Mul)),
        (T::Slash, level::MULTIPLY, Left, Binary(B::Div)),
        (T::Percent, level::MULTIPLY, Left, Binary(B::Mod)),
        (T::Instanceof, level::INSTANCEOF, Left, Operator::InstanceOf),
        (T::Power, level::POWER, Right, Binary(B::Pow)),
    ];
    let mut table = [NO_INFIX; 256];
    let mut index = 0;
    while index < list.len() {
        let (token, level, side, operator) = list[index];
        table[token as usize] = Infix {
            level,
            side,
            operator,
        };
        index += 1;
    }
    table
}

/// The operator of an assignment token such as `+=`.
pub(super) fn assign_operator(kind: T) -> Option<B> {
    Some(match kind {
        T::PlusEqual => B::Add,
        T::MinusEqual => B::Sub,
        T::StarEqual => B::Mul,
        T::SlashEqual => B::Div,
        T::DotEqual => B::Concat,
        T::PercentEqual => B::Mod,
        T::AmpersandEqual => B::BitAnd,
        T::PipeEqual => B::BitOr,
        T::CaretEqual => B::BitXor,
        T::ShiftLeftEqual => B::ShiftLeft,
        T::ShiftRightEqual => B::ShiftRight,
        T::PowerEqual => B::Pow,
        _ => return None,
    })
}

impl<'a> Parser<'a, '_> {
    /// Any expression.
    #[inline]
    pub(super) fn expression(&mut self) -> Result<ExprRef<'a>> {
        self.climb(level::LOWEST + 1)
    }

    /// The operators after an expression that was read another way.
    pub(super) fn continue_expression(&mut self, left: ExprRef<'a>) -> Result<ExprRef<'a>> {
        self.climb_from(left, level::LOWEST + 1)
    }

    /// The value of an assignment.
    pub(super) fn assigned_value(&mut self) -> Result<ExprRef<'a>> {
        self.climb(level::ASSIGN + 1)
    }

    /// An expression of operators of at least that level.
    fn climb(&mut self, least: u8) -> Result<ExprRef<'a>> {
        self.nested(|parser| {
            let left = parser.operand()?;
            parser.climb_from(left, least)
        })
    }

    /// The operators after a left operand.
    fn climb_from(&mut self, mut left: ExprRef<'a>, least: u8) -> Result<ExprRef<'a>> {
        loop {
            let Infix {
                level,
                side,
                operator,
            } = INFIX[self.kind() as usize];
            if level < least {
                return Ok(left);
            }
            self.bump();
            let line = left.line;
            let right_least = if side == Side::Right {
                level
            } else {
                level + 1
            };
            let kind = match operator {
                Operator::Conditional => self.conditional(left)?,
                Operator::InstanceOf => E::InstanceOf {
                    value: left,
                    class: self.class_reference()?,
                },
                Operator::Binary(operator) => E::Binary {
                    operator,
                    left,
                    right: self.climb(right_least)?,
                },
                Operator::And => E::And {
                    left,
                    right: self.climb(right_least)?,
                },
                Operator::Or => E::Or {
                    left,
                    right: self.climb(right_least)?,
                },
                Operator::Coalesce => E::Coalesce {
                    left,
                    right: self.climb(right_least)?,
                },
            };
            if side == Side::Neither && INFIX[self.kind() as usize].level == level {
                return self.syntax();
            }
            left = self.make(kind, line);
        }
    }

    /// `? a : b` and `?: b` after the condition.
    fn conditional(&mut self, condition: ExprRef<'a>) -> Result<E<'a>> {
        let then = if self.kind() == T::Colon {
            None
        } else {
            Some(self.expression()?)
        };
        self.expect(T::Colon)?;
        let otherwise = self.climb(level::CONDITIONAL + 1)?;
        Ok(E::Conditional {
            condition,
            then,
            otherwise,
        })
    }

    /// A prefix operator with its operand, or a primary expression.
    fn operand(&mut self) -> Result<ExprRef<'a>> {
        let unary = match self.kind() {
            T::Variable => return self.primary(),
            T::Bang => return self.unary(UnaryOperator::Not, level::NOT),
            T::Minus => return self.unary(UnaryOperator::Minus, level::UNARY),
            T::Plus => return self.unary(UnaryOperator::Plus, level::UNARY),
            T::Tilde => return self.unary(UnaryOperator::BitNot, level::UNARY),
            T::At => (level::UNARY, E::Silence as fn(ExprRef<'a>) -> E<'a>),
            T::Print => (level::PRINT, E::Print as _),
            T::Clone => (level::CLONE, E::Clone as _),
            T::Throw => (level::LOWEST + 1, E::Throw as _),
            T::IntCast => return self.cast(CastKind::Int),
            T::FloatCast => return self.float_cast(),
            T::StringCast => return self.cast(CastKind::String),
            T::ArrayCast => return self.cast(CastKind::Array),
            T::ObjectCast => return self.cast(CastKind::Object),
            T::BoolCast => return self.cast(CastKind::Bool),
            T::UnsetCast => return self.cast(CastKind::Unset),
            T::Include => return self.include(IncludeKind::Include),
            T::IncludeOnce => return self.include(IncludeKind::IncludeOnce),
            T::Require => return self.include(IncludeKind::Require),
            T::RequireOnce => return self.include(IncludeKind::RequireOnce),
            T::Yield => return self.yield_expression(),
            T::YieldFrom => {
                self.saw_yield = true;
                (level::YIELD_FROM, E::YieldFrom as _)
            }
            _ => return self.primary(),
        };
        self.bump();
        let operand = self.prefix_operand(unary.0)?;
        Ok(self.make(unary.1(operand), operand.line))
    }

    fn unary(&mut self, operator: UnaryOperator, least: u8) -> Result<ExprRef<'a>> {
        self.bump();
        let operand = self.prefix_operand(least)?;
        Ok(self.make(E::Unary { operator, operand }, operand.line))
    }

    /// The operand of a prefix operator holds every operator that binds tighter.
    fn prefix_operand(&mut self, level: u8) -> Result<ExprRef<'a>> {
        self.climb(level + 1)
    }

    fn cast(&mut self, kind: CastKind) -> Result<ExprRef<'a>> {
        self.bump();
        let operand = self.prefix_operand(level::UNARY)?;
        Ok(self.make(E::Cast { kind, operand }, operand.line))
    }

    fn float_cast(&mut self) -> Result<ExprRef<'a>> {
        let text = self.text(self.token());
        if text
            .to_ascii_lowercase()
            .windows(4)
            .any(|word| word == b"real")
        {
            let message = "The (real) cast has been removed, use (float) instead";
            return self.parse_error(message, self.line());
        }
        self.cast(CastKind::Float)
    }

    fn include(&mut self, kind: IncludeKind) -> Result<ExprRef<'a>> {
        self.bump();
        let operand = self.prefix_operand(level::INCLUDE)?;
        Ok(self.make(E::Include { kind, operand }, operand.line))
    }

    /// `yield`, `yield value`, `yield key => value`
    fn yield_expression(&mut self) -> Result<ExprRef<'a>> {
        self.bump();
        self.saw_yield = true;
        if ends_expression(self.kind()) {
            let line = self.line();
            return Ok(self.make(
                E::Yield {
                    key: None,
                    value: None,
                },
                line,
            ));
        }
        let first = self.prefix_operand(level::YIELD)?;
        if !self.eat(T::DoubleArrow) {
            return Ok(self.make(
                E::Yield {
                    key: None,
                    value: Some(first),
                },
                first.line,
            ));
        }
        let value = self.prefix_operand(level::DOUBLE_ARROW)?;
        Ok(self.make(
            E::Yield {
                key: Some(first),
                value: Some(value),
            },
            value.line,
        ))
    }
}

/// Whether an expression cannot go on with this token, so that `yield` has no value.
fn ends_expression(kind: T) -> bool {
    matches!(
        kind,
        T::Semicolon
            | T::CloseParen
            | T::CloseBracket
            | T::CloseBrace
            | T::Comma
            | T::Colon
            | T::DoubleArrow
            | T::Question
            | T::LogicalOr
            | T::LogicalAnd
            | T::LogicalXor
            | T::As
            | T::EndOfFile
    ) || matches!(
        kind,
        // Operators that cannot begin an expression.
        T::Coalesce
            | T::Ampersand
            | T::AmpersandFollowed
            | T::BooleanOr
            | T::BooleanAnd
            | T::Pipe
            | T::Caret
            | T::IsEqual
            | T::IsNotEqual
            | T::IsIdentical
            | T::IsNotIdentical
            | T::Spaceship
            | T::Less
            | T::LessEqual
            | T::Greater
            | T::GreaterEqual
            | T::Dot
            | T::ShiftLeft
            | T::ShiftRight
            | T::Star
            | T::Slash
            | T::Percent
            | T::Power
            | T::Instanceof
    )
}
