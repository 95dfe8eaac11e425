//! Expressions.

use vm_def::ir::layout::NUMBERS;
use vm_def::ir::{
    BinaryOperation, Number, Operation, Register, Representation, Structure, Terminator,
    UnaryOperation, Value,
};
use vm_def::types::TypeMask;

use super::builder::block_id;
use super::{Continuation, Lowerer, State, Typed};
use crate::diagnostics::Location;
use crate::model::{BinaryOperator, FastExpression, FastExpressionKind, UnaryOperator};
use crate::suggest::closest;
use crate::words::NAMES;

impl Lowerer<'_> {
    /// Lowers an expression; the continuation gets its value, once for each way through it.
    pub(super) fn expression(
        &mut self,
        state: State,
        expression: &FastExpression,
        then: &Continuation<'_>,
    ) {
        let location = &expression.location;
        match &expression.kind {
            FastExpressionKind::Integer(value) => {
                let value = self.builder.define(&state, Operation::ConstantLong(*value));
                then(
                    self,
                    state,
                    Some(Typed::Unboxed(Representation::Long, value)),
                );
            }
            FastExpressionKind::Float(value) => {
                let value = self
                    .builder
                    .define(&state, Operation::ConstantDouble(*value));
                then(
                    self,
                    state,
                    Some(Typed::Unboxed(Representation::Double, value)),
                );
            }
            FastExpressionKind::Bool(value) => {
                let value = self.builder.define(&state, Operation::ConstantBool(*value));
                then(
                    self,
                    state,
                    Some(Typed::Unboxed(Representation::Bool, value)),
                );
            }
            FastExpressionKind::Null => then(self, state, Some(Typed::Null)),
            FastExpressionKind::Undef => then(self, state, Some(Typed::Undef)),
            FastExpressionKind::Name(name) => {
                let typed = self.name(&state, location, name);
                if typed.is_some() {
                    then(self, state, typed);
                }
            }
            FastExpressionKind::Unary(operator, value) => {
                self.expression(state, value, &|lowerer, state, typed| {
                    if let Some(typed) = lowerer.unary(&state, location, *operator, typed) {
                        then(lowerer, state, Some(typed));
                    }
                });
            }
            FastExpressionKind::Binary(operator, left, right) => {
                self.expression(state, left, &|lowerer, state, left_typed| {
                    lowerer.expression(state, right, &|lowerer, state, right_typed| {
                        let operands = (left_typed, right_typed);
                        let typed = lowerer.binary(&state, location, *operator, operands);
                        if typed.is_some() {
                            then(lowerer, state, typed);
                        }
                    });
                });
            }
            FastExpressionKind::AsDouble(value) => {
                self.convert(state, location, value, Representation::Double, then);
            }
            FastExpressionKind::AsLong(value) => {
                self.convert(state, location, value, Representation::Long, then);
            }
            FastExpressionKind::Construct(wanted, value) => {
                self.expression(state, value, &|lowerer, state, typed| {
                    let copied =
                        *wanted == Representation::Boxed && matches!(typed, Some(Typed::Boxed(..)));
                    if copied || lowerer.expect(location, typed, *wanted).is_some() {
                        then(lowerer, state, typed);
                    }
                });
            }
            FastExpressionKind::If(condition, yes, no) => {
                self.choose(state, condition, yes, no, then);
            }
            FastExpressionKind::Checked(operation, left, right, otherwise) => {
                self.expression(state, left, &|lowerer, state, left| {
                    lowerer.expression(state, right, &|lowerer, state, right| {
                        let operands = (
                            lowerer.expect(location, left, Representation::Long),
                            lowerer.expect(location, right, Representation::Long),
                        );
                        let (Some(left), Some(right)) = operands else {
                            return;
                        };
                        let output = lowerer.builder.fresh_value();
                        let (mut exact, mut overflow) = (state.clone(), state.clone());
                        exact.block = lowerer.builder.open_block();
                        let exact_block = exact.block;
                        let typed = Typed::Unboxed(Representation::Long, output);
                        then(lowerer, exact, Some(typed));
                        overflow.block = lowerer.builder.open_block();
                        let overflow_block = overflow.block;
                        lowerer.expression(overflow, otherwise, then);
                        let terminator = Terminator::Overflow {
                            operation: *operation,
                            output,
                            left,
                            right,
                            exact: block_id(exact_block),
                            overflow: block_id(overflow_block),
                        };
                        lowerer.builder.terminate(state.block, terminator);
                    });
                });
            }
            FastExpressionKind::Call(name, arguments) => {
                self.call(state, location, name, arguments, then);
            }
            FastExpressionKind::Field(base, name) => {
                self.expression(state, base, &|lowerer, state, base| {
                    let typed = lowerer.field(&state, location, base, name);
                    if typed.is_some() {
                        then(lowerer, state, typed);
                    }
                });
            }
            FastExpressionKind::Element(base, name, index) => {
                self.expression(state, base, &|lowerer, state, base| {
                    lowerer.expression(state, index, &|lowerer, state, index| {
                        let typed = lowerer.element(&state, location, base, name, index);
                        if typed.is_some() {
                            then(lowerer, state, typed);
                        }
                    });
                });
            }
            FastExpressionKind::Cast(value, structure) => {
                self.expression(state, value, &|lowerer, state, typed| {
                    let typed = lowerer.cast(&state, location, typed, *structure);
                    if typed.is_some() {
                        then(lowerer, state, typed);
                    }
                });
            }
            FastExpressionKind::Is(value, types) => {
                self.expression(state, value, &|lowerer, state, typed| {
                    let Some(Typed::Boxed(given, place)) = typed else {
                        return lowerer.mismatch(location, "a value", typed);
                    };
                    // What guards have shown already need not be tested.
                    let shown = Self::shown(&state, given, place);
                    if shown.is_subset_of(*types) || !shown.intersects(*types) {
                        let known = Typed::Known(shown.intersects(*types));
                        return then(lowerer, state, Some(known));
                    }
                    let test = Operation::TestType(place, *types);
                    let value = lowerer.builder.define(&state, test);
                    then(
                        lowerer,
                        state,
                        Some(Typed::Unboxed(Representation::Bool, value)),
                    );
                });
            }
        }
    }

    /// Lowers an expression that must be a truth value.
    pub(super) fn condition(
        &mut self,
        state: State,
        expression: &FastExpression,
        then: &Continuation<'_>,
    ) {
        self.expression(state, expression, &|lowerer, state, typed| {
            let known = matches!(typed, Some(Typed::Known(_)));
            if known
                || lowerer
                    .expect(&expression.location, typed, Representation::Bool)
                    .is_some()
            {
                then(lowerer, state, typed);
            }
        });
    }

    /// What a condition tells about the slots that it tests.
    pub(super) fn learn_types(&self, state: &mut State, condition: &FastExpression, holds: bool) {
        match &condition.kind {
            FastExpressionKind::Binary(BinaryOperator::And, left, right) if holds => {
                self.learn_types(state, left, true);
                self.learn_types(state, right, true);
            }
            FastExpressionKind::Is(value, types) => {
                let FastExpressionKind::Name(name) = &value.kind else {
                    return;
                };
                let Some(Typed::Boxed(_, place)) = state.names.get(name).copied() else {
                    return;
                };
                let types = if holds { types.0 } else { !types.0 };
                let shown = state.shown.entry(place).or_insert(TypeMask::ANY);
                *shown = TypeMask(shown.0 & types);
            }
            _ => {}
        }
    }

    /// What `value != 0` or `value == 0` tells about a divisor.
    pub(super) fn learn_nonzero(&self, state: &mut State, condition: &FastExpression, holds: bool) {
        let FastExpressionKind::Binary(operator, left, right) = &condition.kind else {
            return;
        };
        if *operator == BinaryOperator::And && holds {
            self.learn_nonzero(state, left, true);
            self.learn_nonzero(state, right, true);
        }
        let wanted = if holds {
            BinaryOperator::NotEqual
        } else {
            BinaryOperator::Equal
        };
        let zero = match right.kind {
            FastExpressionKind::Integer(value) => value == 0,
            FastExpressionKind::Float(value) => value == 0.0,
            _ => false,
        };
        if let (true, true, FastExpressionKind::Name(name)) =
            (*operator == wanted, zero, &left.kind)
            && let Some(Typed::Unboxed(_, value)) = state.names.get(name)
        {
            state.nonzero.insert(*value);
        }
    }

    fn name(&mut self, state: &State, location: &Location, name: &str) -> Option<Typed> {
        if let Some(typed) = state.names.get(name) {
            return Some(*typed);
        }
        let register = |name: &str| match name {
            "frame" => Some((Register::Frame, Structure::Frame)),
            "opline" => Some((Register::Opline, Structure::Opline)),
            "vm" => Some((Register::Vm, Structure::Vm)),
            _ => None,
        };
        if name == "extended" {
            let operation = Operation::Number(Number::Extended);
            let value = self.builder.define(state, operation);
            return Some(Typed::Unboxed(Representation::Long, value));
        }
        if let Some((register, structure)) = register(name) {
            let value = self.builder.define(state, Operation::Register(register));
            return Some(Typed::Pointer(structure, value));
        }
        if let Some(index) = NUMBERS.iter().position(|(known, _)| *known == name) {
            let value = self.builder.define(state, Operation::Named(index as u16));
            return Some(Typed::Unboxed(Representation::Long, value));
        }
        let bound = state.names.keys().map(String::as_str);
        let numbers = NUMBERS.iter().map(|(known, _)| *known);
        let known: Vec<&str> = bound.chain(NAMES.iter().copied()).collect();
        let all: Vec<&str> = known.iter().copied().chain(numbers).collect();
        let note = match closest(name, &all) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "known are: {}, and the numbers of the runtime",
                known.join(", ")
            ),
        };
        let diagnostic = self.diagnostics.report(
            location,
            format!("unknown name `{name}`"),
            "not a parameter, and not bound by `let`",
        );
        diagnostic.note(note);
        None
    }

    pub(super) fn expect(
        &mut self,
        location: &Location,
        typed: Option<Typed>,
        wanted: Representation,
    ) -> Option<Value> {
        match typed {
            Some(Typed::Unboxed(representation, value)) if representation == wanted => Some(value),
            Some(Typed::Pointer(_, value)) if wanted == Representation::Pointer => Some(value),
            _ => {
                self.mismatch(location, wanted.word(), typed);
                None
            }
        }
    }

    /// Reports a value of the wrong type.
    pub(super) fn mismatch(&mut self, location: &Location, wanted: &str, typed: Option<Typed>) {
        let found = match typed {
            None => "nothing".to_owned(),
            Some(Typed::Pointer(structure, _)) => format!("a pointer to {}", structure.name()),
            Some(Typed::Undef) => "undef".to_owned(),
            Some(Typed::Known(_)) => "what the specialisation decides".to_owned(),
            Some(typed) => Self::types_of(typed).to_string(),
        };
        self.diagnostics.report(
            location,
            "mismatched types",
            format!("expected {wanted}, found {found}"),
        );
    }

    fn convert(
        &mut self,
        state: State,
        location: &Location,
        value: &FastExpression,
        target: Representation,
        then: &Continuation<'_>,
    ) {
        use Representation::{Bool, Double, Long, Pointer};
        self.expression(state, value, &|lowerer, state, typed| {
            let (source, operation) = match (target, typed) {
                (Double, _) => (Long, UnaryOperation::LongToDouble),
                (_, Some(Typed::Pointer(..))) => (Pointer, UnaryOperation::PointerToLong),
                _ => (Bool, UnaryOperation::BoolToLong),
            };
            if let Some(value) = lowerer.expect(location, typed, source) {
                let output = lowerer
                    .builder
                    .define(&state, Operation::Unary(operation, value));
                then(lowerer, state, Some(Typed::Unboxed(target, output)));
            }
        });
    }

    fn unary(
        &mut self,
        state: &State,
        location: &Location,
        operator: UnaryOperator,
        typed: Option<Typed>,
    ) -> Option<Typed> {
        use Representation::{Bool, Double, Long};
        if let (UnaryOperator::Not, Some(Typed::Known(known))) = (operator, typed) {
            return Some(Typed::Known(!known));
        }
        let (representation, operation) = match (operator, typed) {
            (UnaryOperator::Negate, Some(Typed::Unboxed(Long, _))) => {
                (Long, UnaryOperation::NegateLong)
            }
            (UnaryOperator::Negate, _) => (Double, UnaryOperation::NegateDouble),
            (UnaryOperator::Not, Some(Typed::Unboxed(Long, _))) => (Long, UnaryOperation::NotLong),
            (UnaryOperator::Not, _) => (Bool, UnaryOperation::NotBool),
        };
        let value = self.expect(location, typed, representation)?;
        let output = self
            .builder
            .define(state, Operation::Unary(operation, value));
        Some(Typed::Unboxed(representation, output))
    }

    fn binary(
        &mut self,
        state: &State,
        location: &Location,
        operator: BinaryOperator,
        (left, right): (Option<Typed>, Option<Typed>),
    ) -> Option<Typed> {
        if let Some(known) = fold_known(operator, left, right) {
            return Some(known);
        }
        let representation = match left {
            Some(Typed::Unboxed(representation, _)) => representation,
            Some(Typed::Pointer(..)) => Representation::Pointer,
            _ => Representation::Long,
        };
        let left = self.expect(location, left, representation)?;
        let right = self.expect(location, right, representation)?;
        let Some(operation) = binary_operation(operator, representation) else {
            let word = representation.word();
            self.diagnostics.report(
                location,
                format!("no such operator for {word}"),
                "the operands have the wrong type",
            );
            return None;
        };
        if matches!(
            operation,
            BinaryOperation::DivLong | BinaryOperation::RemLong
        ) {
            self.check_divisor(state, location, right);
        }
        let output = self
            .builder
            .define(state, Operation::Binary(operation, left, right));
        Some(Typed::Unboxed(operation.signature().1, output))
    }

    fn check_divisor(&mut self, state: &State, location: &Location, divisor: Value) {
        if !state.nonzero.contains(&divisor) {
            let diagnostic = self.diagnostics.report(
                location,
                "a division by what may be zero",
                "this would be a fault",
            );
            diagnostic.note("put `guard(divisor != 0);` in front");
        }
    }
}

/// `&&` and `||` with a side that the specialisation decides.
fn fold_known(
    operator: BinaryOperator,
    left: Option<Typed>,
    right: Option<Typed>,
) -> Option<Typed> {
    let (known, other) = match (left, right) {
        (Some(Typed::Known(known)), other) => (known, other?),
        (other, Some(Typed::Known(known))) => (known, other?),
        _ => return None,
    };
    match (operator, known) {
        (BinaryOperator::And, true) | (BinaryOperator::Or, false) => Some(other),
        (BinaryOperator::And, false) => Some(Typed::Known(false)),
        (BinaryOperator::Or, true) => Some(Typed::Known(true)),
        _ => None,
    }
}

fn binary_operation(
    operator: BinaryOperator,
    representation: Representation,
) -> Option<BinaryOperation> {
    let name = match operator {
        BinaryOperator::Or | BinaryOperator::BitOr => "or",
        BinaryOperator::And | BinaryOperator::BitAnd => "and",
        BinaryOperator::BitXor => "xor",
        BinaryOperator::Equal => "eq",
        BinaryOperator::NotEqual => "ne",
        BinaryOperator::Less => "lt",
        BinaryOperator::LessOrEqual => "le",
        BinaryOperator::Greater => "gt",
        BinaryOperator::GreaterOrEqual => "ge",
        BinaryOperator::ShiftLeft => "shl",
        BinaryOperator::ShiftRight => "shr",
        BinaryOperator::Add => "add",
        BinaryOperator::Subtract => "sub",
        BinaryOperator::Multiply => "mul",
        BinaryOperator::Divide => "div",
        BinaryOperator::Remainder => "rem",
    };
    let logical = matches!(operator, BinaryOperator::Or | BinaryOperator::And);
    if logical && representation != Representation::Bool {
        return None;
    }
    BinaryOperation::from_word(&format!("{name}_{}", representation.word()))
}
