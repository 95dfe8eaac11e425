//! What an opline makes of the types of its operands: where its definition does not say what its result is
//! (`result: …: TYPES`), or what it says depends on them.

use super::{Pass, Types};
use crate::generated::Opcode;
use crate::op::{IS_CONST, Op};
use crate::value::LONG;

/// What is written by an opline.
pub(super) struct Outcome {
    /// The result.
    pub(super) result: Types,
    /// What the variable in op1 becomes, if that is known.
    pub(super) variable: Option<Types>,
}

impl Outcome {
    const UNKNOWN: Outcome = Outcome::of(Types::ANY);

    const fn of(result: Types) -> Outcome {
        Outcome {
            result,
            variable: None,
        }
    }

    fn both(result: Types, variable: Types) -> Outcome {
        Outcome {
            result,
            variable: Some(variable),
        }
    }
}

impl Pass<'_> {
    pub(super) fn outcome(&self, op: &Op, left: Types, right: Types) -> Outcome {
        use Opcode as O;
        let Some(opcode) = Opcode::from_number(op.opcode) else {
            return Outcome::UNKNOWN;
        };
        let declared = Types::of_result(&opcode.facts().result);
        match opcode {
            O::ADD
            | O::SUB
            | O::MUL
            | O::DIV
            | O::MOD
            | O::POW
            | O::SL
            | O::SR
            | O::BW_OR
            | O::BW_AND
            | O::BW_XOR
            | O::CONCAT => Outcome::of(self.operator(opcode, op, left, right)),
            O::BW_NOT if left == Types::NONE => Outcome::of(left),
            O::BW_NOT if left.is_only(Types::SMALL) => Outcome::of(left),
            O::BW_NOT if left.is_only(Types::SMALL.union(Types::NUMBER)) => {
                Outcome::of(Types::LONG)
            }
            O::COUNT if left.is_only(Types::ARRAY) => Outcome::of(Types::SMALL),
            O::CAST => Outcome::of(cast(op.extended_value, left)),
            O::RECV => Outcome::of(self.parameter(op.op1)),
            O::RECV_INIT => Outcome::of(self.parameter(op.op1).union(defined(right))),
            O::PRE_INC | O::PRE_DEC => {
                let stepped = step(left, opcode == O::PRE_INC);
                Outcome::both(stepped, stepped)
            }
            O::POST_INC | O::POST_DEC => {
                let stepped = step(left, opcode == O::POST_INC);
                Outcome::both(defined(left), stepped)
            }
            // A reference may convert it, by its type.
            O::ASSIGN if left.has(Types::REFERENCE) => Outcome::both(Types::VALUE, Types::VALUE),
            O::ASSIGN => {
                let value = defined(right);
                Outcome::both(value, value)
            }
            O::ASSIGN_OP => {
                let operator = u8::try_from(op.extended_value)
                    .ok()
                    .and_then(O::from_number);
                match operator {
                    Some(operator) if !left.has(Types::REFERENCE) => {
                        let value = self.operator(operator, op, defined(left), right);
                        Outcome::both(value, value)
                    }
                    _ => Outcome::both(Types::VALUE, Types::VALUE),
                }
            }
            O::UNSET_CV => Outcome::both(Types::ANY, Types::UNDEF),
            O::ASSIGN_DIM | O::ASSIGN_DIM_OP | O::FETCH_DIM_W | O::FETCH_DIM_RW => Outcome {
                result: Types::ANY,
                variable: Some(container(left)),
            },
            O::UNSET_DIM => Outcome {
                result: Types::ANY,
                variable: Some(left),
            },
            _ => Outcome::of(declared),
        }
    }

    /// The result of a binary operator. Nothing comes of nothing: the other operand is not known yet.
    fn operator(&self, opcode: Opcode, op: &Op, left: Types, right: Types) -> Types {
        use Opcode as O;
        if left == Types::NONE || right == Types::NONE {
            return Types::NONE;
        }
        if opcode == O::CONCAT {
            return Types::STRING;
        }
        if opcode == O::ADD && left.is_only(Types::ARRAY) && right.is_only(Types::ARRAY) {
            return Types::ARRAY;
        }
        let (Some(left), Some(right)) = (numeric(left), numeric(right)) else {
            return Types::VALUE;
        };
        let longs = Types::LONG.union(Types::SMALL);
        let is_small = |types: Types| !types.has(Types::LONG);
        let both_small = is_small(left) && is_small(right);
        // Bits are taken from integers; what is no integer becomes any.
        let bits = |small: bool| match small && !left.union(right).has(Types::DOUBLE) {
            true => Types::SMALL,
            false => Types::LONG,
        };
        match opcode {
            O::SL => return Types::LONG,
            O::SR => return bits(is_small(left)),
            O::MOD => return bits(is_small(left) || is_small(right)),
            O::BW_AND if self.is_mask(op) => return Types::SMALL,
            O::BW_AND | O::BW_OR | O::BW_XOR => return bits(both_small),
            _ => {}
        }
        let mut result = Types::NONE;
        if left.has(Types::DOUBLE) || right.has(Types::DOUBLE) {
            result = result.union(Types::DOUBLE);
        }
        if left.has(longs) && right.has(longs) {
            let exact = match opcode {
                O::ADD | O::SUB if both_small && self.is_step(op) => Types::SMALL,
                O::ADD | O::SUB if both_small => Types::LONG,
                _ => Types::NUMBER,
            };
            result = result.union(exact);
        }
        result
    }

    /// Whether an operand is an integer of at most 16.
    fn is_step(&self, op: &Op) -> bool {
        self.has_literal(op, |value| (-16..=16).contains(&value))
    }

    /// Whether an operand has small bits and no sign, and so has what is left of the other one.
    fn is_mask(&self, op: &Op) -> bool {
        self.has_literal(op, |value| (0..1 << 60).contains(&value))
    }

    fn has_literal(&self, op: &Op, is_it: impl Fn(i64) -> bool) -> bool {
        let is_such = |kind: u8, operand: u32| {
            let literals = &self.draft.literals;
            let literal = literals.get(operand as usize).filter(|_| kind == IS_CONST);
            literal.is_some_and(|it| it.kind() == LONG && is_it(it.long()))
        };
        is_such(op.op2_type, op.op2) || is_such(op.op1_type, op.op1)
    }
}

/// The value of an operand: null if it is undefined, and what stands in it if it is a reference.
fn defined(types: Types) -> Types {
    let other = Types(!Types::VALUE.union(Types::SMALL).union(Types::UNDEF).0);
    match types.has(other) {
        true => Types::VALUE,
        false if types.has(Types::UNDEF) => types.without(Types::UNDEF).union(Types::NULL),
        false => types,
    }
}

/// The numbers that an operator makes of an operand; none if it may be something with operators of its own.
fn numeric(types: Types) -> Option<Types> {
    let zero = Types::UNDEF.union(Types::NULL).union(Types::BOOL);
    let numbers = Types::NUMBER.union(Types::SMALL);
    if !types.is_only(zero.union(numbers)) {
        return None;
    }
    let converted = match types.has(zero) {
        true => Types::SMALL,
        false => Types::NONE,
    };
    Some(Types(types.0 & numbers.0).union(converted))
}

/// What `++` or `--` makes of a value.
fn step(types: Types, is_up: bool) -> Types {
    let null = Types::UNDEF.union(Types::NULL);
    let known = null.union(Types::NUMBER).union(Types::SMALL);
    if !types.is_only(known) {
        return Types::VALUE;
    }
    let mut result = types.without(null);
    if types.has(Types::LONG) {
        result = result.union(Types::DOUBLE);
    }
    if types.has(null) {
        result = result.union(if is_up { Types::SMALL } else { Types::NULL });
    }
    result
}

/// What a variable is whose element is written.
fn container(types: Types) -> Types {
    let empty = Types::UNDEF.union(Types::NULL);
    match types {
        _ if types == Types::NONE => types,
        _ if types.is_only(empty.union(Types::ARRAY)) => Types::ARRAY,
        _ => Types::VALUE,
    }
}

fn cast(wanted: u32, types: Types) -> Types {
    let numbers = Types::SMALL.union(Types::BOOL).union(Types::NULL);
    match wanted {
        // By type number; an integer of a truth value is small.
        4 if types.is_only(numbers) => Types::SMALL,
        4 => Types::LONG,
        5 => Types::DOUBLE,
        6 => Types::STRING,
        7 => Types::ARRAY,
        _ => Types::ANY,
    }
}
