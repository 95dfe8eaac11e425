//! Statements and the ends of clauses.

use vm_def::grammar::{OperandKind, OplineField, ResultKind, SpecOption, UnusedMeaning};
use vm_def::ir::{Operation, Place, Representation, Terminator};
use vm_def::types::TypeMask;

use super::builder::block_id;
use super::{Continuation, Lowerer, State, Typed};
use crate::diagnostics::Location;
use crate::model::{FastBlock, FastExpression, FastStatement, Spanned};
use crate::specialise::ResultForm;
use crate::suggest::suggestion;

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
            FastStatement::AssignAt(target, value) => {
                self.expression(state, target, &|lowerer, state, slot| {
                    let Some(place) = lowerer.slot(&target.location, slot) else {
                        return;
                    };
                    lowerer.expression(state, value, &|lowerer, mut state, typed| {
                        let Some(typed) = lowerer.require_value(value, typed) else {
                            return;
                        };
                        lowerer.store(&mut state, place, typed);
                        lowerer.statements(state, rest, then);
                    });
                });
            }
            FastStatement::AssignField(base, name, value) => {
                self.expression(state, base, &|lowerer, state, base_value| {
                    lowerer.expression(state, value, &|lowerer, mut state, typed| {
                        let location = &base.location;
                        lowerer.assign_field(&mut state, location, base_value, name, typed);
                        lowerer.statements(state, rest, then);
                    });
                });
            }
            FastStatement::Guard(condition, reason) => {
                if state.written {
                    let diagnostic = self.diagnostics.report(
                        &condition.location,
                        "a guard after a write",
                        "the next clause would start from a changed state",
                    );
                    diagnostic.note("test everything first, then write");
                }
                self.condition(state, condition, &|lowerer, mut state, typed| {
                    match typed {
                        Some(Typed::Known(true)) => {}
                        Some(Typed::Known(false)) => {
                            lowerer.never |= state.block == 0;
                            let never = Operation::ConstantBool(false);
                            let value = lowerer.builder.define(&state, never);
                            lowerer.guard(&state, value, *reason);
                            return lowerer.builder.terminate(state.block, Terminator::Next);
                        }
                        Some(Typed::Unboxed(_, value)) => lowerer.guard(&state, value, *reason),
                        _ => return,
                    }
                    lowerer.learn_nonzero(&mut state, condition, true);
                    lowerer.learn_types(&mut state, condition, true);
                    lowerer.statements(state, rest, then);
                });
            }
            FastStatement::Switch(frame, opline, way) => {
                self.expression(state, frame, &|lowerer, state, frame_value| {
                    lowerer.expression(state, opline, &|lowerer, state, opline_value| {
                        let pointer = Representation::Pointer;
                        let values = (
                            lowerer.expect(&frame.location, frame_value, pointer),
                            lowerer.expect(&opline.location, opline_value, pointer),
                        );
                        let (Some(frame), Some(opline)) = values else {
                            return;
                        };
                        let terminator = Terminator::Switch {
                            frame,
                            opline,
                            way: *way,
                        };
                        lowerer.leave_owed(&state);
                        lowerer.builder.terminate(state.block, terminator);
                    });
                });
            }
            FastStatement::Goto(opline) => {
                self.expression(state, opline, &|lowerer, state, typed| {
                    let pointer = Representation::Pointer;
                    if let Some(target) = lowerer.expect(&opline.location, typed, pointer) {
                        // Where a loop ends there is no result.
                        let result = lowerer.opcode.result.as_ref();
                        if result.is_some_and(|result| !result.optional) {
                            lowerer.check_result(&state);
                        }
                        lowerer.leave_owed(&state);
                        lowerer
                            .builder
                            .terminate(state.block, Terminator::Goto(target));
                    }
                });
            }
            FastStatement::Helper(name) => {
                let known = self
                    .definitions
                    .helpers
                    .iter()
                    .any(|helper| helper.name.value == name.value);
                if !known {
                    let helpers = self.definitions.helpers.iter();
                    let names: Vec<&str> =
                        helpers.map(|helper| helper.name.value.as_str()).collect();
                    let diagnostic = self.diagnostics.report(
                        &name.location,
                        format!("unknown helper `{}`", name.value),
                        "not defined",
                    );
                    diagnostic.note(suggestion(&name.value, &names));
                }
                self.leave_owed(&state);
                let terminator = Terminator::Helper(name.value.clone());
                self.builder.terminate(state.block, terminator);
            }
            FastStatement::Effect(call) => {
                self.expression(state, call, &|lowerer, state, _| {
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
            if let Some(Typed::Known(known)) = typed {
                let taken = if known { yes } else { no };
                return lowerer.block(state, taken, then);
            }
            let Some(Typed::Unboxed(_, value)) = typed else {
                return;
            };
            let (mut first, mut second) = (state.clone(), state.clone());
            first.block = lowerer.builder.open_block();
            lowerer.learn_nonzero(&mut first, condition, true);
            lowerer.learn_types(&mut first, condition, true);
            let first_block = first.block;
            lowerer.block(first, yes, then);
            second.block = lowerer.builder.open_block();
            lowerer.learn_nonzero(&mut second, condition, false);
            lowerer.learn_types(&mut second, condition, false);
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
                let writable = self.operand(target).is_some_and(|(operand, kind)| {
                    matches!(kind, OperandKind::Cv | OperandKind::Var) || operand.define
                });
                if !writable {
                    let word = target.to_string();
                    let diagnostic = self.diagnostics.report(
                        &place.location,
                        format!("`{word}` can't be assigned"),
                        format!("{word} allows kinds other than VAR and CV"),
                    );
                    diagnostic.note("only a variable can be written to");
                }
                let variable = self.builder.located(target);
                self.store(state, variable, typed);
            }
        }
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
                Typed::Known(known) => {
                    let value = self.builder.define(state, Operation::ConstantBool(known));
                    state.decision = Some(value);
                }
                _ => {
                    self.diagnostics.report(
                        location,
                        "the result of a smart branch is not a truth value",
                        "expected a Bool",
                    );
                }
            }
        } else if let Typed::Pointer(..) = typed {
            self.mismatch(location, "a value", Some(typed));
        } else if self.variant.form != ResultForm::Unused {
            self.store(state, state.result, typed);
        }
        state.result_written = true;
    }

    pub(super) fn check_result(&mut self, state: &State) {
        let unused = self.variant.form == ResultForm::Unused
            && !self.opcode.has_spec(SpecOption::SmartBranch);
        // An array or rope that goes on, an argument, and a variable that was received are there
        // already, or are written as what they are.
        let there = self.opcode.result.as_ref().is_some_and(|result| {
            let elsewhere = |kind: &ResultKind| matches!(kind, ResultKind::Arg | ResultKind::Cv);
            result.same || result.kinds.iter().any(elsewhere)
        });
        if self.opcode.has_result_slot() && !state.result_written && !unused && !there {
            let location = self.end.clone();
            self.diagnostics.report(
                &location,
                "a fast clause yields no result",
                "some way through this clause ends without one",
            );
        }
    }

    fn jump(&mut self, state: &mut State, field: &Spanned<OplineField>) {
        let declared = match field.value {
            OplineField::Op1 => self.opcode.op1.meaning == UnusedMeaning::JmpAddr,
            OplineField::Op2 => self.opcode.op2.meaning == UnusedMeaning::JmpAddr,
            OplineField::Extended => self
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
        self.settle_accounts(state);
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
            Some(value) => {
                self.settle_accounts(&state);
                Terminator::Decide(value)
            }
            None => {
                self.give_back_owed(&state);
                Terminator::Next
            }
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
            Typed::Known(_) => TypeMask::BOOL,
            Typed::Undef => TypeMask::UNDEF,
            Typed::SharedString(_) => TypeMask::STRING,
            Typed::Pointer(..) | Typed::Taken(_) | Typed::Made(..) => TypeMask::ANY,
        }
    }
}
