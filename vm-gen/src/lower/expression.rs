//! Expressions.

use vm_def::ir::{
    Argument, BinaryOperation, Intrinsic, Operation, Place, Representation, Terminator,
    UnaryOperation, Value,
};
use vm_def::types::TypeMask;

use super::builder::block_id;
use super::{Continuation, Lowerer, State, Typed};
use crate::diagnostics::Location;
use crate::model::{BinaryOperator, FastExpression, FastExpressionKind, UnaryOperator};

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
                    if lowerer.expect(location, typed, *wanted).is_some() {
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
                let Some(intrinsic) = Intrinsic::from_name(name) else {
                    let known: Vec<&str> = Intrinsic::ALL
                        .iter()
                        .map(|intrinsic| intrinsic.name())
                        .collect();
                    let diagnostic = self.diagnostics.report(
                        location,
                        format!("unknown intrinsic `{name}`"),
                        "not in the table of intrinsics",
                    );
                    diagnostic.note(format!("known are: {}", known.join(", ")));
                    return;
                };
                if intrinsic.may_exit() && state.written {
                    self.diagnostics.report(
                        location,
                        "an exit after a write",
                        "the next clause would start from a changed state",
                    );
                }
                if intrinsic.arguments().len() != arguments.len() {
                    let count = intrinsic.arguments().len();
                    self.diagnostics.report(
                        location,
                        format!("`{name}` takes {count} arguments"),
                        format!("{} given", arguments.len()),
                    );
                    return;
                }
                self.call(state, intrinsic, arguments, Vec::new(), then);
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
            if lowerer
                .expect(&expression.location, typed, Representation::Bool)
                .is_some()
            {
                then(lowerer, state, typed);
            }
        });
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
        match name {
            "extended" => {
                let value = self.builder.define(state, Operation::LoadExtended);
                Some(Typed::Unboxed(Representation::Long, value))
            }
            _ => {
                let known: Vec<&str> = state.names.keys().map(String::as_str).collect();
                let diagnostic = self.diagnostics.report(
                    location,
                    format!("unknown name `{name}`"),
                    "not a parameter, and not bound by `let`",
                );
                diagnostic.note(format!("known are: {}, extended", known.join(", ")));
                None
            }
        }
    }

    fn expect(
        &mut self,
        location: &Location,
        typed: Option<Typed>,
        wanted: Representation,
    ) -> Option<Value> {
        match typed {
            Some(Typed::Unboxed(representation, value)) if representation == wanted => Some(value),
            Some(Typed::Boxed(_, value)) if wanted == Representation::Boxed => Some(value),
            _ => {
                let found = typed.map_or("nothing".to_owned(), |typed| {
                    Self::types_of(typed).to_string()
                });
                let wanted = wanted.word();
                self.diagnostics.report(
                    location,
                    "mismatched types",
                    format!("expected {wanted}, found {found}"),
                );
                None
            }
        }
    }

    fn convert(
        &mut self,
        state: State,
        location: &Location,
        value: &FastExpression,
        target: Representation,
        then: &Continuation<'_>,
    ) {
        self.expression(state, value, &|lowerer, state, typed| {
            let (source, operation) = match (target, typed) {
                (Representation::Double, _) => (Representation::Long, UnaryOperation::LongToDouble),
                _ => (Representation::Bool, UnaryOperation::BoolToLong),
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
        let representation = match left {
            Some(Typed::Unboxed(representation, _)) => representation,
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

    fn call(
        &mut self,
        state: State,
        intrinsic: Intrinsic,
        arguments: &[FastExpression],
        values: Vec<Value>,
        then: &Continuation<'_>,
    ) {
        let Some(argument) = arguments.get(values.len()) else {
            let operation = Operation::Intrinsic(intrinsic, values);
            let output = self.builder.define(&state, operation);
            let typed = match intrinsic.result() {
                Representation::Boxed => Typed::Boxed(TypeMask::ANY, output),
                representation => Typed::Unboxed(representation, output),
            };
            return then(self, state, Some(typed));
        };
        let wanted = intrinsic.arguments()[values.len()];
        self.expression(state, argument, &|lowerer, state, typed| {
            let value = match (wanted, typed) {
                (Argument::Plain(representation), _) => {
                    lowerer.expect(&argument.location, typed, representation)
                }
                (Argument::Typed(types), Some(Typed::Boxed(given, value)))
                    if given.is_subset_of(types) =>
                {
                    Some(value)
                }
                // A parameter that is held unboxed is still in its slot.
                (Argument::Typed(TypeMask::ANY), _) => lowerer.reload(&state, argument),
                (Argument::Typed(types), typed) => {
                    let found = typed.map_or("nothing".to_owned(), |typed| {
                        Self::types_of(typed).to_string()
                    });
                    lowerer.diagnostics.report(
                        &argument.location,
                        "mismatched types",
                        format!("expected {types}, found {found}"),
                    );
                    None
                }
            };
            if let Some(value) = value {
                let mut values = values.clone();
                values.push(value);
                lowerer.call(state, intrinsic, arguments, values, then);
            }
        });
    }

    /// The slot of an unboxed parameter.
    fn reload(&mut self, state: &State, argument: &FastExpression) -> Option<Value> {
        let FastExpressionKind::Name(name) = &argument.kind else {
            return None;
        };
        let position = self.opcode.fast.iter().find_map(|clause| {
            clause
                .parameters
                .iter()
                .position(|parameter| parameter.name.value == *name)
        })?;
        let place = if position == 0 {
            Place::Op1
        } else {
            Place::Op2
        };
        Some(
            self.builder
                .define(state, Operation::Load(place, Representation::Boxed)),
        )
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
