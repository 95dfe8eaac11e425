//! Statements and the ends of clauses.

use vm_def::grammar::{JumpField, SpecOption, UnusedMeaning};
use vm_def::ir::{Operation, Place, Representation, Terminator};
use vm_def::types::TypeMask;

use super::builder::block_id;
use super::{Continuation, Lowerer, State, Typed};
use crate::diagnostics::Location;
use crate::model::{FastBlock, FastExpression, FastStatement, Spanned};

impl Lowerer<'_> {
    /// Lowers a block; the continuation gets the value of its tail.
    pub(super) fn block(&mut self, state: State, block: &FastBlock, then: &Continuation<'_>) {
        self.statements(state, &block.statements, then);
    }

    fn statements(
        &mut self,
        mut state: State,
        statements: &[FastStatement],
        then: &Continuation<'_>,
    ) {
        let Some((first, rest)) = statements.split_first() else {
            return then(self, state, None);
        };
        match first {
            FastStatement::Let(name, value) => {
                self.expression(state, value, &|lowerer, mut state, typed| {
                    let Some(typed) = lowerer.require_value(value, typed) else {
                        return;
                    };
                    state.names.insert(name.clone(), typed);
                    lowerer.statements(state, rest, then);
                });
            }
            FastStatement::Assign(place, value) => {
                self.expression(state, value, &|lowerer, mut state, typed| {
                    let Some(typed) = lowerer.require_value(value, typed) else {
                        return;
                    };
                    lowerer.assign(&mut state, place, typed);
                    lowerer.statements(state, rest, then);
                });
            }
            FastStatement::Guard(condition) => {
                if state.written {
                    let diagnostic = self.diagnostics.report(
                        &condition.location,
                        "a guard after a write",
                        "the next clause would start from a changed state",
                    );
                    diagnostic.note("test everything first, then write");
                }
                self.condition(state, condition, &|lowerer, mut state, typed| {
                    let Some(Typed::Unboxed(_, value)) = typed else {
                        return;
                    };
                    lowerer.builder.push(&state, Operation::Guard(value));
                    lowerer.learn_nonzero(&mut state, condition, true);
                    lowerer.statements(state, rest, then);
                });
            }
            FastStatement::Jump(field) => {
                if !rest.is_empty() {
                    self.diagnostics.report(
                        &field.location,
                        "statements after `jump`",
                        "control does not come back from here",
                    );
                }
                self.jump(&mut state, field);
            }
            FastStatement::Tail(value) => self.expression(state, value, then),
            FastStatement::If(condition, yes, no) => {
                self.choose(state, condition, yes, no, &|lowerer, state, value| {
                    if value.is_some() {
                        lowerer.diagnostics.report(
                            &condition.location,
                            "an expression whose value is dropped",
                            "this `if` is not the last statement",
                        );
                    }
                    lowerer.statements(state, rest, then);
                });
            }
        }
    }

    /// Lowers an `if`: both ways go on with the continuation.
    pub(super) fn choose(
        &mut self,
        state: State,
        condition: &FastExpression,
        yes: &FastBlock,
        no: &FastBlock,
        then: &Continuation<'_>,
    ) {
        self.condition(state, condition, &|lowerer, state, typed| {
            let Some(Typed::Unboxed(_, value)) = typed else {
                return;
            };
            let (mut first, mut second) = (state.clone(), state.clone());
            first.block = lowerer.builder.open_block();
            lowerer.learn_nonzero(&mut first, condition, true);
            let first_block = first.block;
            lowerer.block(first, yes, then);
            second.block = lowerer.builder.open_block();
            lowerer.learn_nonzero(&mut second, condition, false);
            let second_block = second.block;
            lowerer.block(second, no, then);
            let terminator = Terminator::Branch {
                condition: value,
                then: block_id(first_block),
                otherwise: block_id(second_block),
            };
            lowerer.builder.terminate(state.block, terminator);
        });
    }

    fn require_value(&mut self, value: &FastExpression, typed: Option<Typed>) -> Option<Typed> {
        if typed.is_none() {
            self.diagnostics
                .report(&value.location, "a value is needed here", "this gives none");
        }
        typed
    }

    fn assign(&mut self, state: &mut State, place: &Spanned<Place>, typed: Typed) {
        match place.value {
            Place::Result => self.set_result(state, &place.location, typed),
            target => {
                let operand = self
                    .opcode
                    .operand(if target == Place::Op1 { 1 } else { 2 });
                let writable = operand.kinds.iter().all(|kind| {
                    use vm_def::grammar::OperandKind::{Cv, Var};
                    matches!(kind.value, Cv | Var)
                });
                if !writable {
                    let word = target.word();
                    let diagnostic = self.diagnostics.report(
                        &place.location,
                        format!("`{word}` can't be assigned"),
                        format!("{word} allows kinds other than VAR and CV"),
                    );
                    diagnostic.note("only a variable can be written to");
                }
                self.store(state, target, typed);
            }
        }
    }

    fn store(&mut self, state: &mut State, place: Place, typed: Typed) {
        let operation = match typed {
            Typed::Unboxed(representation, value) => Operation::Store(place, representation, value),
            Typed::Boxed(_, value) => Operation::Store(place, Representation::Boxed, value),
            Typed::Null => Operation::StoreNull(place),
        };
        self.builder.push(state, operation);
        state.written = true;
    }

    fn set_result(&mut self, state: &mut State, location: &Location, typed: Typed) {
        if !self.opcode.has_result_slot() {
            self.diagnostics.report(
                location,
                "the result is written though none is declared",
                "add `result: …;` or remove this",
            );
            return;
        }
        if self.opcode.has_spec(SpecOption::SmartBranch) {
            match typed {
                Typed::Unboxed(Representation::Bool, value) => state.decision = Some(value),
                _ => {
                    self.diagnostics.report(
                        location,
                        "the result of a smart branch is not a truth value",
                        "expected a Bool",
                    );
                }
            }
        } else {
            self.store(state, Place::Result, typed);
        }
        state.result_written = true;
    }

    fn check_result(&mut self, state: &State) {
        if self.opcode.has_result_slot() && !state.result_written {
            let location = self.end.clone();
            self.diagnostics.report(
                &location,
                "a fast clause yields no result",
                "some way through this clause ends without one",
            );
        }
    }

    fn jump(&mut self, state: &mut State, field: &Spanned<JumpField>) {
        let declared = match field.value {
            JumpField::Op1 => self.opcode.op1.meaning == UnusedMeaning::JmpAddr,
            JumpField::Op2 => self.opcode.op2.meaning == UnusedMeaning::JmpAddr,
            JumpField::Extended => self
                .opcode
                .extended
                .iter()
                .any(|meaning| meaning.value == vm_def::grammar::ExtendedMeaning::JmpAddr),
        };
        if !declared {
            let word = field.value.word();
            self.diagnostics.report(
                &field.location,
                format!("`{word}` is no jump target"),
                format!("{word} is not declared as JMP_ADDR"),
            );
        }
        self.check_result(state);
        self.builder
            .terminate(state.block, Terminator::Jump(field.value));
    }

    /// The end of a way through the clause.
    pub(super) fn finish(&mut self, mut state: State, value: Option<Typed>) {
        if let Some(value) = value {
            let location = self.end.clone();
            self.set_result(&mut state, &location, value);
        }
        self.check_result(&state);
        let terminator = match state.decision {
            Some(value) => Terminator::Decide(value),
            None => Terminator::Next,
        };
        self.builder.terminate(state.block, terminator);
    }

    /// The types that a typed value may have.
    pub(super) fn types_of(typed: Typed) -> TypeMask {
        match typed {
            Typed::Unboxed(Representation::Long, _) => TypeMask::LONG,
            Typed::Unboxed(Representation::Double, _) => TypeMask::DOUBLE,
            Typed::Unboxed(..) => TypeMask::BOOL,
            Typed::Boxed(types, _) => types,
            Typed::Null => TypeMask::NULL,
        }
    }
}
