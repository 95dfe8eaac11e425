//! What is written as a call: the words of the language, shared clauses, the operator of a compound
//! assignment, and the intrinsics of the runtime.

use vm_def::grammar::{OperandKind, OplineField, SpecOption};
use vm_def::ir::{
    Argument, BinaryOperation, Intrinsic, IntrinsicEffect, Number, Operation, Output, Place,
    Representation, Structure, UnaryOperation, Value,
};
use vm_def::types::TypeMask;

use super::{Continuation, Lowerer, State, Typed, representation};
use crate::diagnostics::Location;
use crate::model::{FastExpression, FastExpressionKind};
use crate::specialise::{Flag, ResultForm};
use crate::suggest::closest;
use crate::words as language;

/// Type words of values that clauses make.
mod words {
    pub const STRING_COUNTED: u32 = 6 | 1 << 8;
    pub const STRING_INTERNED: u32 = 6;
    pub const ARRAY_COUNTED: u32 = 7 | 1 << 8 | 1 << 9;
    pub const OBJECT_COUNTED: u32 = 8 | 1 << 8 | 1 << 9;
    pub const INDIRECT: u32 = 12;
    pub const POINTER: u32 = 13;
}

/// How deep shared clauses may stand in each other.
const DEPTH: usize = 16;

impl Lowerer<'_> {
    /// Lowers `name(arguments)`.
    pub(super) fn call(
        &mut self,
        state: State,
        location: &Location,
        name: &str,
        arguments: &[FastExpression],
        then: &Continuation<'_>,
    ) {
        if language::SPECIALISATION.contains(&name)
            && self.word_of_specialisation(&state, name, arguments, location, then)
        {
            return;
        }
        let definitions = self.definitions;
        if let Some(shared) = definitions.shared(name) {
            if self.depth == DEPTH {
                let message = format!("clause `{name}` stands for itself");
                self.diagnostics.report(location, message, "a circle");
                return;
            }
            if shared.parameters.len() != arguments.len() {
                let count = shared.parameters.len();
                self.wrong_count(location, name, count, arguments.len());
                return;
            }
            return self.arguments(state, arguments, Vec::new(), &|lowerer, state, values| {
                lowerer.shared(state, name, values, then);
            });
        }
        if name == language::APPLY {
            return self.arguments(state, arguments, Vec::new(), &|lowerer, state, values| {
                lowerer.apply(state, location, values, then);
            });
        }
        if language::VALUES.contains(&name) {
            return self.arguments(state, arguments, Vec::new(), &|lowerer, state, values| {
                lowerer.word(state, location, name, values, then);
            });
        }
        let Some(intrinsic) = Intrinsic::from_name(name) else {
            self.unknown(location, name);
            return;
        };
        self.check_intrinsic(&state, location, intrinsic);
        if intrinsic.arguments().len() != arguments.len() {
            let count = intrinsic.arguments().len();
            self.wrong_count(location, name, count, arguments.len());
            return;
        }
        self.arguments(state, arguments, Vec::new(), &|lowerer, state, values| {
            lowerer.intrinsic(state, location, intrinsic, values, then);
        });
    }

    /// Lowers the body of a shared clause.
    pub(super) fn shared(
        &mut self,
        mut state: State,
        name: &str,
        values: &[Typed],
        then: &Continuation<'_>,
    ) {
        let Some(shared) = self.definitions.shared(name) else {
            let location = self.end.clone();
            return self.unknown(&location, name);
        };
        self.depth += 1;
        let outer = std::mem::take(&mut state.names);
        for (parameter, value) in shared.parameters.iter().zip(values) {
            state.names.insert(parameter.clone(), *value);
        }
        self.block(state, &shared.body, &|lowerer, mut state, value| {
            state.names.clone_from(&outer);
            then(lowerer, state, value);
        });
        self.depth -= 1;
    }

    /// Lowers arguments from left to right.
    fn arguments(
        &mut self,
        state: State,
        arguments: &[FastExpression],
        values: Vec<Typed>,
        then: &dyn Fn(&mut Lowerer<'_>, State, &[Typed]),
    ) {
        let Some(argument) = arguments.get(values.len()) else {
            return then(self, state, &values);
        };
        self.expression(state, argument, &|lowerer, state, typed| {
            let Some(typed) = typed else {
                let location = &argument.location;
                return lowerer.mismatch(location, "a value", None);
            };
            let mut values = values.clone();
            values.push(typed);
            lowerer.arguments(state, arguments, values, then);
        });
    }

    /// `is_const(op1)`, `take(op2)`, `number(op1)`, …: words about operands. False if it is none.
    fn word_of_specialisation(
        &mut self,
        state: &State,
        name: &str,
        arguments: &[FastExpression],
        location: &Location,
        then: &Continuation<'_>,
    ) -> bool {
        let operand = match arguments {
            [
                FastExpression {
                    kind: FastExpressionKind::Name(operand),
                    ..
                },
            ] => operand.as_str(),
            [
                FastExpression {
                    kind: FastExpressionKind::Integer(index),
                    ..
                },
            ] if name == "cache" => {
                self.cache(state.clone(), location, *index, then);
                return true;
            }
            [] => {
                if name == "no_result" {
                    let mut state = state.clone();
                    state.result_written = true;
                    then(self, state, None);
                    return true;
                }
                if name == "name_cache" {
                    let typed = self.name_cache(state);
                    then(self, state.clone(), Some(typed));
                    return true;
                }
                if name == "apart" {
                    self.builder.push(state, Operation::Apart);
                    then(self, state.clone(), None);
                    return true;
                }
                let Some(typed) = self.word_of_variant(state, name) else {
                    return false;
                };
                self.check_word_of_variant(location, name);
                then(self, state.clone(), Some(typed));
                return true;
            }
            _ => return false,
        };
        let place = match operand {
            "op1" => Place::Op1,
            "op2" => Place::Op2,
            "data" => Place::Data,
            "result" => Place::Result,
            "extended" if matches!(name, "number" | "target") => Place::Result,
            _ if name == "is_operator" => Place::Result,
            _ => return false,
        };
        let kind = self.operand(place).map(|(_, kind)| kind);
        let is = |wanted: OperandKind| Typed::Known(kind == Some(wanted));
        let typed = match name {
            "is_operator" => {
                let number = self.definitions.number(operand);
                Typed::Known(number.is_some() && number == self.variant.operator())
            }
            "is_const" => is(OperandKind::Const),
            "is_cv" => is(OperandKind::Cv),
            "is_unused" => is(OperandKind::Unused),
            "is_consumed" => Typed::Known(self.gives_up_value(place)),
            "number" => {
                let field = match operand {
                    "op1" => Number::Op1,
                    "op2" => Number::Op2,
                    "result" => Number::Result,
                    "extended" => Number::Extended,
                    _ => Number::DataExtended,
                };
                let value = self.builder.define(state, Operation::Number(field));
                Typed::Unboxed(Representation::Long, value)
            }
            "target" => {
                let field = OplineField::from_word(operand).unwrap_or(OplineField::Extended);
                let value = self.builder.define(state, Operation::Target(field));
                Typed::Pointer(Structure::Opline, value)
            }
            "operand" => Typed::Boxed(TypeMask::ANY, self.builder.located(place)),
            "stays" => {
                let mut state = state.clone();
                state.settled.insert(place);
                then(self, state, None);
                return true;
            }
            "take" => {
                if matches!(kind, Some(OperandKind::TmpVarCv | OperandKind::Any)) {
                    let message = format!("`{operand}` may be a variable");
                    let label = "only a temporary is taken: declare `TMPVAR | CV`";
                    self.diagnostics.report(location, message, label);
                }
                let mut state = state.clone();
                state.settled.insert(place);
                then(self, state, Some(Typed::Taken(place)));
                return true;
            }
            _ => return false,
        };
        then(self, state.clone(), Some(typed));
        true
    }

    /// `result_used()`, `result_address()`, `isset()`, `quick_arg()`, `kept_op1()`: words about the specialisation.
    fn word_of_variant(&mut self, state: &State, name: &str) -> Option<Typed> {
        let unused = self.variant.form == ResultForm::Unused;
        Some(match name {
            "result_used" => Typed::Known(!unused),
            "isset" => Typed::Known(self.variant.flag == Flag::Isset(true)),
            "quick_arg" => Typed::Known(self.variant.flag == Flag::QuickArg(true)),
            "kept_op1" => Typed::Known(self.variant.flag == Flag::KeptOp1(true)),
            "result_address" if unused => {
                let zero = self.builder.define(state, Operation::ConstantLong(0));
                let null = Operation::Unary(UnaryOperation::LongToPointer, zero);
                Typed::Pointer(Structure::Slot, self.builder.define(state, null))
            }
            "result_address" => {
                let address = self.address(state, Place::Result);
                Typed::Pointer(Structure::Slot, address)
            }
            _ => return None,
        })
    }

    /// A word about a choice between variants needs the spec option that makes them.
    fn check_word_of_variant(&mut self, location: &Location, name: &str) {
        let option = match name {
            "isset" => SpecOption::Isset,
            "quick_arg" => SpecOption::QuickArg,
            "kept_op1" => SpecOption::KeptOp1,
            _ => return,
        };
        if !self.opcode.has_spec(option) {
            let message = format!("`{name}()` without its spec option");
            let label = format!("needs `spec: {};`", option.word());
            self.diagnostics.report(location, message, label);
        }
    }

    /// `cache(2)`: a word of the opline's runtime cache.
    fn cache(&mut self, state: State, location: &Location, index: i64, then: &Continuation<'_>) {
        let Some(base) = self.cache_base() else {
            self.diagnostics.report(
                location,
                "the opline has no runtime cache",
                "declare a CACHE_SLOT or a result SLOT",
            );
            return;
        };
        let operation = Operation::CacheWord(base, index as u8, Representation::Long);
        let value = self.builder.define(&state, operation);
        then(
            self,
            state,
            Some(Typed::Unboxed(Representation::Long, value)),
        );
    }

    /// `name_cache()`: the offset of the runtime cache that the opline has for a literal name; negative for other
    /// names.
    fn name_cache(&mut self, state: &State) -> Typed {
        let is_literal = self
            .operand(Place::Op2)
            .is_some_and(|(_, kind)| kind == OperandKind::Const);
        let base = self.cache_base().filter(|_| is_literal);
        let Some(base) = base else {
            let none = self.builder.define(state, Operation::ConstantLong(-1));
            return Typed::Unboxed(Representation::Long, none);
        };
        let word = self.builder.define(state, Operation::Number(base));
        // The low bits are flags.
        let bits = self.builder.define(state, Operation::ConstantLong(!7));
        let offset = Operation::Binary(BinaryOperation::AndLong, word, bits);
        Typed::Unboxed(Representation::Long, self.builder.define(state, offset))
    }

    /// The words of the language that take values.
    fn word(
        &mut self,
        mut state: State,
        location: &Location,
        name: &str,
        values: &[Typed],
        then: &Continuation<'_>,
    ) {
        let first = values.first().copied();
        let typed = match name {
            "deref" => {
                let Some(place) = self.slot(location, first) else {
                    return;
                };
                let value = self.builder.define(&state, Operation::Deref(place));
                Some(Typed::Boxed(TypeMask::ANY, Place::At(value)))
            }
            "counted" => {
                let Some(place) = self.slot(location, first) else {
                    return;
                };
                let value = self.is_counted(&state, place);
                Some(Typed::Unboxed(Representation::Bool, value))
            }
            "type_word" => {
                let Some(place) = self.slot(location, first) else {
                    return;
                };
                let value = self.builder.define(&state, Operation::TypeWord(place));
                Some(Typed::Unboxed(Representation::Long, value))
            }
            "long" | "double" | "boolean" => {
                let Some(place) = self.slot(location, first) else {
                    return;
                };
                let held = match name {
                    "long" => Representation::Long,
                    "double" => Representation::Double,
                    _ => Representation::Bool,
                };
                let value = self.builder.define(&state, Operation::Load(place, held));
                Some(Typed::Unboxed(held, value))
            }
            "value" => {
                let Some(place) = self.slot(location, first) else {
                    return;
                };
                Some(Typed::Boxed(TypeMask::ANY, place))
            }
            "taken" => {
                let Some(place) = self.slot(location, first) else {
                    return;
                };
                Some(Typed::Taken(place))
            }
            "type_number" => {
                let number = match first {
                    Some(Typed::Unboxed(Representation::Long, _)) => 4,
                    Some(Typed::Unboxed(Representation::Double, _)) => 5,
                    _ => return self.mismatch(location, "a number", first),
                };
                let constant = Operation::ConstantLong(number);
                let value = self.builder.define(&state, constant);
                Some(Typed::Unboxed(Representation::Long, value))
            }
            "is_null" => {
                let Some(value) = self.expect(location, first, Representation::Pointer) else {
                    return;
                };
                let operation = Operation::Unary(UnaryOperation::IsNull, value);
                let value = self.builder.define(&state, operation);
                Some(Typed::Unboxed(Representation::Bool, value))
            }
            "within" => {
                let long = Representation::Long;
                let second = values.get(1).copied();
                let (Some(index), Some(count)) = (
                    self.expect(location, first, long),
                    self.expect(location, second, long),
                ) else {
                    return;
                };
                let operation = Operation::Binary(BinaryOperation::WithinLong, index, count);
                let value = self.builder.define(&state, operation);
                Some(Typed::Unboxed(Representation::Bool, value))
            }
            "has_bit" => {
                let long = Representation::Long;
                let second = values.get(1).copied();
                let (Some(mask), Some(number)) = (
                    self.expect(location, first, long),
                    self.expect(location, second, long),
                ) else {
                    return;
                };
                let mut define = |operation| self.builder.define(&state, operation);
                let shifted = define(Operation::Binary(BinaryOperation::ShrLong, mask, number));
                let one = define(Operation::ConstantLong(1));
                let bit = define(Operation::Binary(BinaryOperation::AndLong, shifted, one));
                let zero = define(Operation::ConstantLong(0));
                let value = define(Operation::Binary(BinaryOperation::NeLong, bit, zero));
                Some(Typed::Unboxed(Representation::Bool, value))
            }
            "retain" | "drop_share" | "release" => {
                let Some(place) = self.slot(location, first) else {
                    return;
                };
                if name == "release" {
                    self.needs_middle(location, "`release` may destroy a value");
                }
                let operation = match name {
                    "retain" => Operation::Retain(place),
                    "drop_share" => Operation::DropShare(place),
                    _ => Operation::Release(place),
                };
                self.builder.push(&state, operation);
                state.written = true;
                None
            }
            "Indirect" => {
                let Some(place) = self.slot(location, first) else {
                    return;
                };
                let address = self.address(&state, place);
                Some(Typed::Made(words::INDIRECT, address))
            }
            _ => {
                let Some(pointer) = self.expect(location, first, Representation::Pointer) else {
                    return;
                };
                let word = match name {
                    "SharedString" => {
                        return then(self, state, Some(Typed::SharedString(pointer)));
                    }
                    "CountedString" => words::STRING_COUNTED,
                    "InternedString" => words::STRING_INTERNED,
                    "NewArray" => words::ARRAY_COUNTED,
                    "NewObject" => words::OBJECT_COUNTED,
                    _ => words::POINTER,
                };
                Some(Typed::Made(word, pointer))
            }
        };
        then(self, state, typed);
    }

    /// `apply(a, b)`: the body of the operator's clause, on these values.
    fn apply(
        &mut self,
        mut state: State,
        location: &Location,
        values: &[Typed],
        then: &Continuation<'_>,
    ) {
        let Some(operator) = self.operator else {
            self.diagnostics.report(
                location,
                "`apply` without an operator",
                "only a `compound` clause has one",
            );
            return;
        };
        let mut places = Vec::new();
        for (value, parameter) in values.iter().zip(&operator.parameters) {
            let Some(place) = self.slot(location, Some(*value)) else {
                return;
            };
            if !Self::shown(&state, TypeMask::ANY, place).is_subset_of(parameter.types) {
                self.guard_type(&mut state, place, parameter.types);
            }
            places.push(place);
        }
        let outer = std::mem::take(&mut state.names);
        for (place, parameter) in places.iter().zip(&operator.parameters) {
            let typed = match representation(parameter.types) {
                Representation::Boxed => Typed::Boxed(parameter.types, *place),
                held => {
                    let load = Operation::Load(*place, held);
                    Typed::Unboxed(held, self.builder.define(&state, load))
                }
            };
            state.names.insert(parameter.name.value.clone(), typed);
        }
        self.block(state, &operator.body, &|lowerer, mut state, value| {
            state.names.clone_from(&outer);
            then(lowerer, state, value);
        });
    }

    fn intrinsic(
        &mut self,
        mut state: State,
        location: &Location,
        intrinsic: Intrinsic,
        values: &[Typed],
        then: &Continuation<'_>,
    ) {
        let mut arguments: Vec<Value> = Vec::new();
        for (wanted, typed) in intrinsic.arguments().iter().zip(values) {
            let value = match (*wanted, *typed) {
                (Argument::Plain(held), typed) => self.expect(location, Some(typed), held),
                (Argument::To(structure), Typed::Pointer(found, value)) if found == structure => {
                    Some(value)
                }
                (Argument::To(Structure::Slot), typed) => {
                    let place = self.slot(location, Some(typed));
                    place.map(|place| self.address(&state, place))
                }
                (Argument::Typed(TypeMask::ANY), Typed::Taken(place)) => {
                    Some(self.address(&state, place))
                }
                (Argument::To(structure), Typed::Boxed(types, place)) => {
                    match self.payload(&state, types, place) {
                        Some((found, value)) if found == structure => Some(value),
                        _ => None,
                    }
                }
                (Argument::Typed(types), Typed::Boxed(given, place))
                    if Self::shown(&state, given, place).is_subset_of(types) =>
                {
                    Some(self.address(&state, place))
                }
                _ => None,
            };
            let Some(value) = value else {
                let wanted = match wanted {
                    Argument::Plain(held) => held.word().to_owned(),
                    Argument::To(structure) => format!("a pointer to {}", structure.name()),
                    Argument::Typed(types) => types.to_string(),
                };
                return self.mismatch(location, &wanted, Some(*typed));
            };
            arguments.push(value);
        }
        let operation = Operation::Intrinsic(intrinsic, arguments);
        if intrinsic.effect() != IntrinsicEffect::Pure {
            state.written = true;
        }
        let typed = match intrinsic.output() {
            Output::Nothing => {
                self.builder.push(&state, operation);
                None
            }
            Output::Plain(held) => {
                let value = self.builder.define(&state, operation);
                Some(Typed::Unboxed(held, value))
            }
            Output::Slot => {
                let value = self.builder.define(&state, operation);
                Some(Typed::Boxed(TypeMask::ANY, Place::At(value)))
            }
            Output::To(structure) => {
                let value = self.builder.define(&state, operation);
                Some(Typed::Pointer(structure, value))
            }
        };
        then(self, state, typed);
    }

    fn check_intrinsic(&mut self, state: &State, location: &Location, intrinsic: Intrinsic) {
        if intrinsic.may_exit() && state.written {
            self.diagnostics.report(
                location,
                "an exit after a write",
                "the next clause would start from a changed state",
            );
        }
        if intrinsic.is_call() {
            let name = intrinsic.name();
            self.needs_middle(location, &format!("`{name}` is a call"));
        }
    }

    fn needs_middle(&mut self, location: &Location, what: &str) {
        if !self.clause.middle {
            let diagnostic = self.diagnostics.report(
                location,
                "a call on the fast path",
                format!("{what}: it needs a native frame"),
            );
            diagnostic.note("put it into a `middle` clause");
        }
    }

    fn wrong_count(&mut self, location: &Location, name: &str, wanted: usize, given: usize) {
        self.diagnostics.report(
            location,
            format!("`{name}` takes {wanted} arguments"),
            format!("{given} given"),
        );
    }

    fn unknown(&mut self, location: &Location, name: &str) {
        let shared = self
            .definitions
            .shared
            .iter()
            .map(|shared| shared.name.value.as_str());
        let known: Vec<&str> = Intrinsic::ALL
            .iter()
            .map(|intrinsic| intrinsic.name())
            .chain(language::VALUES.iter().copied())
            .chain(language::SPECIALISATION.iter().copied())
            .chain(language::CONSTRUCTORS.iter().copied())
            .chain(language::CONTROL.iter().copied())
            .chain(shared)
            .collect();
        let diagnostic = self.diagnostics.report(
            location,
            format!("unknown intrinsic `{name}`"),
            "neither a word of the language, nor a clause, nor in the table of intrinsics",
        );
        diagnostic.note(match closest(name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "docs/definition-language.md lists them".to_owned(),
        });
    }
}
