//! What is known where compiled code is entered.
//!
//! Behind a call it is entered with the frame as it is in memory. Where that call stood between the arguments of another
//! one, that other call is being prepared: its function and the place of its frame are tested once, so that the code
//! behind is that of a call which is known.

use vm_def::ir::{BinaryOperation, Field, Structure};
use vm_def::types::TypeMask;

use super::state::{Callee, Prepared, SlotState, State};
use super::{Call, Translator};
use crate::graph::{BlockId, Operation, Slot, SnapshotId, Value};

impl Translator<'_> {
    /// What is known where compiled code is entered: where a call begins and nothing leads back to, only arguments
    /// are set.
    pub(super) fn state_of_entry(&mut self, block: BlockId, opline: u32) -> State {
        let body = self.request.code.body(0);
        let mut state = State::default();
        if opline <= body.entry() && !body.is_leader(opline) && body.is_function() {
            for variable in body.entry()..body.variables() {
                let unset = SlotState::Memory {
                    types: TypeMask::UNDEF,
                    uncounted: true,
                };
                state.set(Slot(variable), unset);
            }
        }
        if !self.request.code.is_weak(opline) && !self.is_crowded() {
            self.expect_calls(block, &mut state, opline);
        }
        state
    }

    /// Leaves unless the calls that are being prepared are those that are inlined here, or else the innermost one is of
    /// the function that was always called.
    fn expect_calls(&mut self, block: BlockId, state: &mut State, opline: u32) -> Option<()> {
        let code = self.request.code;
        let exit = self.snapshot(state, opline);
        let calls = code.body(0).calls().iter();
        let calls: Vec<_> = calls
            .filter(|(opened, made)| *opened < opline && opline <= *made)
            .map(|(opened, made)| (*opened, code.makes(*made)))
            .collect();
        let &(opened, _) = calls.iter().max_by_key(|(opened, _)| *opened)?;
        let inlined: Option<Vec<_>> = calls
            .iter()
            .map(|(_, part)| self.expected_head((*part)?))
            .collect();
        let frame = self.push(block, Operation::Frame)?;
        if let Some(mut inlined) = inlined {
            // Outer calls are prepared before inner ones.
            inlined.sort_unstable_by_key(|(call, _)| std::cmp::Reverse(call.prepared));
            let (mut before, mut field) = (frame, "call");
            for (call, info) in &inlined {
                let found = self.field(block, field, before)?;
                let head = Operation::SlotAddress(call.frame);
                let head = self.push(block, head)?;
                self.expect(block, (BinaryOperation::EqPointer, found, head), exit)?;
                let callee = (call.function as u64, call.arguments);
                self.expect_callee(block, head, callee, exit)?;
                let found = self.field(block, "info", head)?;
                let info = self.push(block, *info)?;
                self.expect(block, (BinaryOperation::EqLong, found, info), exit)?;
                (before, field) = (head, "previous");
            }
            state.frames = inlined.len() as u32;
        } else {
            let call = self.callees.get(&opened).copied().flatten()?;
            let frame = self.field(block, "call", frame)?;
            let callee = (call.function, call.arguments);
            self.expect_callee(block, frame, callee, exit)?;
            state.calls.push(Prepared { frame, call });
        }
        Some(())
    }

    /// An inlined call with the info of its frame, if that is known before.
    fn expected_head(&self, part: usize) -> Option<(Call, Operation)> {
        let call = *self.request.code.call(part)?;
        let info = Field::find(Structure::Frame, "info")?;
        call.closure.is_none().then_some(())?;
        Some((call, self.head(part, info)?))
    }

    /// Notes what an opline was seen to call, unless that differs.
    pub(super) fn note_callee(&mut self, call: Callee) {
        let known = self.callees.entry(call.opened).or_insert(Some(call));
        if *known != Some(call) {
            *known = None;
        }
    }

    fn expect_callee(
        &mut self,
        block: BlockId,
        frame: Value,
        (function, arguments): (u64, u32),
        exit: SnapshotId,
    ) -> Option<()> {
        let found = self.field(block, "function", frame)?;
        let function = self.push(block, Operation::Literal(function))?;
        self.expect(block, (BinaryOperation::EqPointer, found, function), exit)?;
        let found = self.field(block, "argument_count", frame)?;
        let arguments = self.push(block, Operation::Long(arguments.into()))?;
        self.expect(block, (BinaryOperation::EqLong, found, arguments), exit)
    }

    fn field(&mut self, block: BlockId, name: &str, frame: Value) -> Option<Value> {
        let field = Field::find(Structure::Frame, name)?;
        self.push(block, Operation::LoadField(field, frame))
    }

    fn expect(
        &mut self,
        block: BlockId,
        (same, found, expected): (BinaryOperation, Value, Value),
        exit: SnapshotId,
    ) -> Option<()> {
        let same = self.push(block, Operation::Binary(same, found, expected))?;
        self.push(block, Operation::Guard(same, exit));
        Some(())
    }
}
