//! Runs a clause on abstract values.

use super::intrinsics::Intrinsic;
use super::model::{
    BinaryOperation, Clause, Number, Operation, OverflowOperation, Place, Representation,
    Terminator, UnaryOperation,
};
use crate::grammar::OplineField;
use crate::types::TypeMask;

/// A PHP value without identity.
#[derive(Clone, Debug, PartialEq, Default)]
#[allow(missing_docs, reason = "the names are PHP's types")]
pub enum AbstractValue {
    #[default]
    Undef,
    Null,
    Bool(bool),
    Long(i64),
    Double(f64),
    String(Vec<u8>),
    /// A packed array.
    Array(Vec<AbstractValue>),
    /// An object, a resource or a reference; only its type number matters.
    Opaque(u8),
}

/// The slots that a clause may touch.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Machine {
    /// The first operand.
    pub op1: AbstractValue,
    /// The second operand.
    pub op2: AbstractValue,
    /// The result.
    pub result: AbstractValue,
    /// `extended_value`.
    pub extended: u32,
}

/// How a clause ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Some guard failed; nothing was written.
    Exit,
    /// Goes on with the next opline.
    Next,
    /// The result is this truth value (smart branch, or stored in the result).
    Decided(bool),
    /// Jumps.
    Jumped(OplineField),
}

#[derive(Clone, Debug)]
enum Unboxed {
    Long(i64),
    Double(f64),
    Bool(bool),
    Boxed(AbstractValue),
}

impl AbstractValue {
    /// The type number.
    pub fn kind(&self) -> u8 {
        match self {
            AbstractValue::Undef => 0,
            AbstractValue::Null => 1,
            AbstractValue::Bool(false) => 2,
            AbstractValue::Bool(true) => 3,
            AbstractValue::Long(_) => 4,
            AbstractValue::Double(_) => 5,
            AbstractValue::String(_) => 6,
            AbstractValue::Array(_) => 7,
            AbstractValue::Opaque(kind) => *kind,
        }
    }

    /// Equal in every bit: NaN is equal to itself, 0.0 is not -0.0.
    pub fn same(&self, other: &AbstractValue) -> bool {
        match (self, other) {
            (AbstractValue::Double(left), AbstractValue::Double(right)) => {
                left.to_bits() == right.to_bits() || (left.is_nan() && right.is_nan())
            }
            (AbstractValue::Array(left), AbstractValue::Array(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(a, b)| a.same(b))
            }
            _ => self == other,
        }
    }
}

impl Machine {
    /// Runs the clause. One that is malformed (a value used before it is defined, a value of the wrong
    /// representation) or looks at memory, which an abstract value does not have, gives `None`.
    pub fn run(&mut self, clause: &Clause) -> Option<Outcome> {
        let mut values: Vec<Option<Unboxed>> = Vec::new();
        let mut block = clause.blocks.first()?;
        loop {
            for instruction in &block.instructions {
                let Some(output) = self.step(&instruction.operation, &values)? else {
                    return Some(Outcome::Exit);
                };
                if let Some(value) = instruction.output {
                    define(&mut values, value.0, output);
                }
            }
            let next = match &block.terminator {
                Terminator::Next => return Some(Outcome::Next),
                Terminator::Decide(value) => {
                    return Some(Outcome::Decided(as_bool(&values, value.0)?));
                }
                Terminator::Jump(field) => return Some(Outcome::Jumped(*field)),
                Terminator::Goto(_) | Terminator::Switch { .. } | Terminator::Helper(_) => {
                    return None;
                }
                Terminator::Branch {
                    condition,
                    then,
                    otherwise,
                } => {
                    if as_bool(&values, condition.0)? {
                        *then
                    } else {
                        *otherwise
                    }
                }
                Terminator::Overflow {
                    operation,
                    output,
                    left,
                    right,
                    exact,
                    overflow,
                } => {
                    let (left, right) = (as_long(&values, left.0)?, as_long(&values, right.0)?);
                    let sum = match operation {
                        OverflowOperation::Add => left.checked_add(right),
                        OverflowOperation::Sub => left.checked_sub(right),
                        OverflowOperation::Mul => left.checked_mul(right),
                    };
                    match sum {
                        Some(sum) => {
                            define(&mut values, output.0, Unboxed::Long(sum));
                            *exact
                        }
                        None => *overflow,
                    }
                }
            };
            block = clause.blocks.get(next.0 as usize)?;
        }
    }

    /// `None`: malformed; `Some(None)`: exit.
    fn step(
        &mut self,
        operation: &Operation,
        values: &[Option<Unboxed>],
    ) -> Option<Option<Unboxed>> {
        let unit = Unboxed::Bool(true);
        Some(Some(match operation {
            Operation::GuardType(place, types) => {
                if !types.has_number(self.place(*place)?.kind()) {
                    return Some(None);
                }
                unit
            }
            Operation::TestType(place, types) => {
                Unboxed::Bool(types.has_number(self.place(*place)?.kind()))
            }
            // Abstract values are not counted: they have no identity.
            Operation::GuardUncounted(_) | Operation::Free(_) | Operation::Apart => unit,
            Operation::Guard(value, _) => {
                if !as_bool(values, value.0)? {
                    return Some(None);
                }
                unit
            }
            Operation::Load(place, representation) => match (representation, self.place(*place)?) {
                (Representation::Long, AbstractValue::Long(value)) => Unboxed::Long(*value),
                (Representation::Double, AbstractValue::Double(value)) => Unboxed::Double(*value),
                (Representation::Bool, AbstractValue::Bool(value)) => Unboxed::Bool(*value),
                (Representation::Boxed | Representation::Pointer, value) => {
                    Unboxed::Boxed(value.clone())
                }
                _ => return None,
            },
            Operation::Number(Number::Extended) => Unboxed::Long(i64::from(self.extended)),
            Operation::LoadField(field, base) => match (get(values, base.0)?, field.facts().name) {
                (Unboxed::Boxed(AbstractValue::Array(array)), "count") => {
                    Unboxed::Long(array.len() as i64)
                }
                (Unboxed::Boxed(AbstractValue::String(string)), "length") => {
                    Unboxed::Long(string.len() as i64)
                }
                _ => return None,
            },
            Operation::ConstantLong(value) => Unboxed::Long(*value),
            Operation::ConstantDouble(value) => Unboxed::Double(*value),
            Operation::ConstantBool(value) => Unboxed::Bool(*value),
            Operation::Unary(operation, value) => unary(*operation, get(values, value.0)?)?,
            Operation::Binary(operation, left, right) => {
                binary(*operation, get(values, left.0)?, get(values, right.0)?)?
            }
            Operation::Intrinsic(intrinsic, arguments) => {
                let arguments: Option<Vec<&Unboxed>> =
                    arguments.iter().map(|value| get(values, value.0)).collect();
                return call(*intrinsic, &arguments?);
            }
            Operation::Store(place, representation, value) => {
                let boxed = match (representation, get(values, value.0)?) {
                    (Representation::Long, Unboxed::Long(value)) => AbstractValue::Long(*value),
                    (Representation::Double, Unboxed::Double(value)) => {
                        AbstractValue::Double(*value)
                    }
                    (Representation::Bool, Unboxed::Bool(value)) => AbstractValue::Bool(*value),
                    (Representation::Boxed, Unboxed::Boxed(value)) => value.clone(),
                    _ => return None,
                };
                *self.place_mut(*place)? = boxed;
                unit
            }
            Operation::StoreNull(place) => {
                *self.place_mut(*place)? = AbstractValue::Null;
                unit
            }
            _ => return None,
        }))
    }

    fn place(&self, place: Place) -> Option<&AbstractValue> {
        match place {
            Place::Op1 => Some(&self.op1),
            Place::Op2 => Some(&self.op2),
            Place::Result => Some(&self.result),
            Place::Data | Place::At(_) => None,
        }
    }

    fn place_mut(&mut self, place: Place) -> Option<&mut AbstractValue> {
        match place {
            Place::Op1 => Some(&mut self.op1),
            Place::Op2 => Some(&mut self.op2),
            Place::Result => Some(&mut self.result),
            Place::Data | Place::At(_) => None,
        }
    }
}

fn define(values: &mut Vec<Option<Unboxed>>, index: u32, value: Unboxed) {
    let index = index as usize;
    if values.len() <= index {
        values.resize(index + 1, None);
    }
    values[index] = Some(value);
}

fn get(values: &[Option<Unboxed>], index: u32) -> Option<&Unboxed> {
    values.get(index as usize)?.as_ref()
}

fn as_bool(values: &[Option<Unboxed>], index: u32) -> Option<bool> {
    match get(values, index)? {
        Unboxed::Bool(value) => Some(*value),
        _ => None,
    }
}

fn as_long(values: &[Option<Unboxed>], index: u32) -> Option<i64> {
    match get(values, index)? {
        Unboxed::Long(value) => Some(*value),
        _ => None,
    }
}

fn unary(operation: UnaryOperation, value: &Unboxed) -> Option<Unboxed> {
    Some(match (operation, value) {
        (UnaryOperation::NegateLong, Unboxed::Long(value)) => Unboxed::Long(value.wrapping_neg()),
        (UnaryOperation::NotLong, Unboxed::Long(value)) => Unboxed::Long(!value),
        (UnaryOperation::NegateDouble, Unboxed::Double(value)) => Unboxed::Double(-value),
        (UnaryOperation::NotBool, Unboxed::Bool(value)) => Unboxed::Bool(!value),
        (UnaryOperation::LongToDouble, Unboxed::Long(value)) => Unboxed::Double(*value as f64),
        (UnaryOperation::BoolToLong, Unboxed::Bool(value)) => Unboxed::Long(i64::from(*value)),
        _ => return None,
    })
}

fn binary(operation: BinaryOperation, left: &Unboxed, right: &Unboxed) -> Option<Unboxed> {
    match (left, right) {
        (Unboxed::Long(left), Unboxed::Long(right)) => binary_long(operation, *left, *right),
        (Unboxed::Double(left), Unboxed::Double(right)) => binary_double(operation, *left, *right),
        (Unboxed::Bool(left), Unboxed::Bool(right)) => Some(Unboxed::Bool(match operation {
            BinaryOperation::EqBool => left == right,
            BinaryOperation::NeBool | BinaryOperation::XorBool => left != right,
            BinaryOperation::AndBool => *left && *right,
            BinaryOperation::OrBool => *left || *right,
            _ => return None,
        })),
        // Abstract values have no identity; equal bytes stand for the same allocation.
        (Unboxed::Boxed(left), Unboxed::Boxed(right)) => Some(Unboxed::Bool(match operation {
            BinaryOperation::EqPointer => left == right,
            BinaryOperation::NePointer => left != right,
            _ => return None,
        })),
        _ => None,
    }
}

fn binary_long(operation: BinaryOperation, left: i64, right: i64) -> Option<Unboxed> {
    use BinaryOperation::*;
    Some(match operation {
        AddLong => Unboxed::Long(left.wrapping_add(right)),
        SubLong => Unboxed::Long(left.wrapping_sub(right)),
        MulLong => Unboxed::Long(left.wrapping_mul(right)),
        DivLong if right != 0 => Unboxed::Long(left.wrapping_div(right)),
        RemLong if right != 0 => Unboxed::Long(left.wrapping_rem(right)),
        AndLong => Unboxed::Long(left & right),
        OrLong => Unboxed::Long(left | right),
        XorLong => Unboxed::Long(left ^ right),
        ShlLong => Unboxed::Long(left.wrapping_shl(right as u32)),
        ShrLong => Unboxed::Long(left.wrapping_shr(right as u32)),
        EqLong => Unboxed::Bool(left == right),
        NeLong => Unboxed::Bool(left != right),
        LtLong => Unboxed::Bool(left < right),
        LeLong => Unboxed::Bool(left <= right),
        GtLong => Unboxed::Bool(left > right),
        GeLong => Unboxed::Bool(left >= right),
        WithinLong => Unboxed::Bool((left as u64) < right as u64),
        _ => return None,
    })
}

fn binary_double(operation: BinaryOperation, left: f64, right: f64) -> Option<Unboxed> {
    use BinaryOperation::*;
    Some(match operation {
        AddDouble => Unboxed::Double(left + right),
        SubDouble => Unboxed::Double(left - right),
        MulDouble => Unboxed::Double(left * right),
        DivDouble => Unboxed::Double(left / right),
        EqDouble => Unboxed::Bool(left == right),
        NeDouble => Unboxed::Bool(left != right),
        LtDouble => Unboxed::Bool(left < right),
        LeDouble => Unboxed::Bool(left <= right),
        GtDouble => Unboxed::Bool(left > right),
        GeDouble => Unboxed::Bool(left >= right),
        _ => return None,
    })
}

fn call(intrinsic: Intrinsic, arguments: &[&Unboxed]) -> Option<Option<Unboxed>> {
    use AbstractValue::String;
    use Unboxed::{Bool, Boxed, Long};
    Some(match (intrinsic, arguments) {
        (Intrinsic::EqualText, [Boxed(String(left)), Boxed(String(right))]) => {
            Some(Bool(left == right))
        }
        (Intrinsic::NotBothNumbers, [Boxed(String(left)), Boxed(String(right))]) => {
            let is_no_number = |string: &[u8]| string.first().is_some_and(|byte| *byte > b'9');
            Some(Bool(is_no_number(left) || is_no_number(right)))
        }
        (Intrinsic::KindOf, [Boxed(value)]) => Some(Long(i64::from(value.kind()))),
        _ => return None,
    })
}

impl From<&AbstractValue> for TypeMask {
    fn from(value: &AbstractValue) -> TypeMask {
        TypeMask(1 << value.kind())
    }
}
