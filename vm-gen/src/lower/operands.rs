//! The operands of a specialisation: where their values are, and what becomes of their shares.

use vm_def::grammar::{ExtendedMeaning, OperandKind, UnusedMeaning};
use vm_def::ir::{Number, Operation, Place};
use vm_def::types::TypeMask;

use super::{Lowerer, State};
use crate::model::{FastBlock, FastExpressionKind, FastStatement, Operand, Parameter};

impl Lowerer<'_> {
    /// An operand and its kind in this specialisation.
    pub(super) fn operand(&self, place: Place) -> Option<(&Operand, OperandKind)> {
        match place {
            Place::Op1 => Some((&self.opcode.op1, self.variant.op1)),
            Place::Op2 => Some((&self.opcode.op2, self.variant.op2)),
            Place::Data => Some((self.opcode.data.as_ref()?, self.variant.data?)),
            _ => None,
        }
    }

    /// Where a parameter's value is: in the operand, in the variable that an INDIRECT points to, or
    /// in a reference.
    pub(super) fn locate(
        &mut self,
        state: &mut State,
        parameter: &Parameter,
        operand: Place,
    ) -> Place {
        let Some((_, kind)) = self.operand(operand) else {
            return operand;
        };
        let mut place = operand;
        let written = assigns(&self.clause.body, operand);
        if (parameter.place || written) && kind == OperandKind::Var {
            // A VAR that holds no INDIRECT is a value of its own, which has to be given back.
            self.guard_type(state, place, TypeMask::INDIRECT);
            let variable = self.builder.define(state, Operation::Indirect(place));
            state.settled.insert(operand);
            place = Place::At(variable);
        }
        if parameter.follow && may_refer(kind) {
            let value = self.builder.define(state, Operation::Deref(place));
            place = Place::At(value);
        }
        if place != operand {
            self.builder.rename(operand, place);
        }
        place
    }

    /// Whether the instruction gives back the operand's share. An operand that is not specialised is
    /// never one that a clause looks at.
    pub(super) fn is_consumed(&self, place: Place) -> bool {
        self.operand(place).is_some_and(|(operand, kind)| {
            !operand.keep
                && !operand.define
                && matches!(
                    kind,
                    OperandKind::Tmp
                        | OperandKind::Var
                        | OperandKind::TmpVar
                        | OperandKind::TmpVarCv
                )
        })
    }

    /// Whether the share that the instruction gives back is that of the value which the clause sees. Behind a
    /// reference there is another one.
    pub(super) fn gives_up_value(&self, place: Place) -> bool {
        let follows = self
            .parameter(place)
            .is_some_and(|parameter| parameter.follow);
        let kind = self.operand(place).map(|(_, kind)| kind);
        self.is_consumed(place) && !(follows && kind.is_some_and(may_refer))
    }

    fn parameter(&self, place: Place) -> Option<&Parameter> {
        let index = match place {
            Place::Op1 => 0,
            Place::Op2 => 1,
            _ => 2,
        };
        self.clause.parameters.get(index)
    }

    fn declared(&self, place: Place) -> TypeMask {
        self.parameter(place)
            .filter(|parameter| !parameter.follow && !parameter.place)
            .map_or(TypeMask::ANY, |parameter| parameter.types)
    }

    /// The operands that must be given back here.
    pub(super) fn owed(&self, state: &State) -> Vec<Place> {
        [Place::Op1, Place::Op2, Place::Data]
            .into_iter()
            .filter(|place| {
                let shown = state.shown.get(place).copied().unwrap_or(TypeMask::ANY);
                let types = TypeMask(self.declared(*place).0 & shown.0);
                self.is_consumed(*place)
                    && !state.settled.contains(place)
                    && types.intersects(TypeMask::COUNTED)
            })
            .collect()
    }

    /// At the end of a way through the clause that does not come back to give operands back: a clause of the middle
    /// path does it now, one of the fast path leaves them to others.
    pub(super) fn settle_accounts(&mut self, state: &State) {
        match self.clause.middle {
            true => self.give_back_owed(state),
            false => self.leave_owed(state),
        }
    }

    /// Gives back what nothing has been said about.
    pub(super) fn give_back_owed(&mut self, state: &State) {
        for operand in self.owed(state) {
            self.builder.push(state, Operation::Free(operand));
        }
    }

    /// At the end of a way that goes elsewhere: on the middle path the clause says what becomes of all operands, on
    /// the fast path those of which it does not say it are left to others if they have a share in something.
    pub(super) fn leave_owed(&mut self, state: &State) {
        if !self.clause.middle {
            self.left.extend(self.owed(state));
        }
    }

    /// Where the opline keeps the offset of its runtime cache.
    pub(super) fn cache_base(&self) -> Option<Number> {
        let opcode = self.opcode;
        let in_result = opcode
            .result
            .as_ref()
            .is_some_and(|result| result.slots > 0);
        let in_extended = opcode
            .extended
            .iter()
            .any(|meaning| meaning.value == ExtendedMeaning::CacheSlot);
        if in_result {
            Some(Number::Result)
        } else if in_extended {
            Some(Number::Extended)
        } else if opcode.op2.meaning == UnusedMeaning::CacheSlot {
            Some(Number::Op2)
        } else {
            // Where `extended_value` is taken, OP_DATA keeps it.
            opcode.data.as_ref().map(|_| Number::DataExtended)
        }
    }
}

/// Whether some statement assigns the operand.
pub(super) fn assigns(block: &FastBlock, operand: Place) -> bool {
    block.statements.iter().any(|statement| match statement {
        FastStatement::Assign(place, _) => place.value == operand,
        FastStatement::If(_, yes, no) => assigns(yes, operand) || assigns(no, operand),
        FastStatement::Tail(tail) => match &tail.kind {
            FastExpressionKind::If(_, yes, no) => assigns(yes, operand) || assigns(no, operand),
            _ => false,
        },
        _ => false,
    })
}

/// Whether an operand of a kind may hold a reference.
fn may_refer(kind: OperandKind) -> bool {
    !matches!(
        kind,
        OperandKind::Const | OperandKind::Tmp | OperandKind::Unused
    )
}
