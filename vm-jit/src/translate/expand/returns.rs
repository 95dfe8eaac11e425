//! Giving back the variables of a frame that is left: one by one, as far as others keep what they hold.

use std::iter::once;

use vm_def::ir::{self, BlockId as ClauseBlock};
use vm_def::types::TypeMask;

use super::super::Position;
use super::super::state::{SlotState, UNKNOWN};
use super::Expansion;
use crate::graph::{BlockId, Held, Operation, Place, Released, Slot, Terminator};

/// More variables are left to the helper.
const MOST_GIVEN_BACK: usize = 16;

impl Expansion<'_, '_, '_> {
    /// At the question whether variables of the frame have to be given back, which is `asked`: whether the branch on it
    /// does that itself. Only RETURN asks, and of its own frame.
    pub(super) fn gives_back_variables(
        &mut self,
        asked: Option<ir::Value>,
        at: &mut Position,
    ) -> bool {
        let Some(asked) = asked.filter(|asked| self.is_branched_on(*asked)) else {
            return false;
        };
        let code = self.translator.request.code;
        let (part, _) = code.local(self.opline);
        let variables: Vec<Slot> = code
            .variables_of(part)
            .map(Slot)
            .filter(|slot| !at.state.at(*slot).is_uncounted())
            .collect();
        if variables.len() > MOST_GIVEN_BACK {
            return false;
        }
        for &slot in &variables {
            self.translator.save(at, slot);
        }
        self.found.given_back = Some((asked, variables));
        true
    }

    /// At the beginning of a clause that gives back the frame's variables: leaves unless those hold nothing counted that
    /// never did, so that they need not be looked at behind what cannot be done again.
    pub(super) fn expect_uncounted_variables(&mut self, at: &mut Position) {
        let code = self.translator.request.code;
        if code.is_weak(self.opline) || self.fallback.is_some() {
            return;
        }
        let (part, _) = code.local(self.opline);
        for slot in code.variables_of(part).map(Slot) {
            let seen = code.slot(slot, self.opline);
            let is_expected = seen != TypeMask::NONE && !seen.intersects(TypeMask::COUNTED);
            if let SlotState::Memory { types, .. } = at.state.at(slot)
                && is_expected
                && !at.state.at(slot).is_uncounted()
            {
                let exit = self.exit;
                self.push(at, Operation::GuardUncounted(Place::Slot(slot), exit));
                let uncounted = true;
                at.state.set(slot, SlotState::Memory { types, uncounted });
            }
        }
    }

    /// Whether the block ends with a branch on a value.
    fn is_branched_on(&self, asked: ir::Value) -> bool {
        let block = &self.clause.blocks[self.block.0 as usize];
        let on_it = |condition| condition == asked;
        matches!(block.terminator, ir::Terminator::Branch { condition, .. } if on_it(condition))
    }

    /// The variables that a branch on a value gives back.
    pub(super) fn variables_of(&mut self, asked: ir::Value) -> Option<Vec<Slot>> {
        let (_, variables) = self.found.given_back.take_if(|(of, _)| *of == asked)?;
        Some(variables)
    }

    /// Gives back variables one by one. At the first one behind which something would be destroyed, or the collector would
    /// have to be told, the first way is gone, else the second one. What goes the first way finds those that were given
    /// back undefined.
    pub(super) fn give_back(
        &mut self,
        variables: &[Slot],
        ways: [ClauseBlock; 2],
        mut at: Position,
    ) -> Option<Position> {
        // What was given back cannot be given back again.
        self.found.progress.has_effect |= !variables.is_empty();
        // Where it is the last one, with how many are given back in front of it.
        let mut last: Vec<(BlockId, usize)> = Vec::new();
        for (given, &slot) in variables.iter().enumerate() {
            let place = Place::Slot(slot);
            // Giving back a string runs no code of the script.
            let others = TypeMask(TypeMask::COUNTED.0 & !TypeMask::STRING.0);
            if at.state.at(slot).types().intersects(others) {
                let kept = self.push(&at, Operation::IsKept(place))?;
                let block = self.translator.graph.block(self.opline);
                last.push((block, given));
                self.or_else(kept, block, &mut at);
                self.push(&at, Operation::DropShare(place));
            } else {
                self.push(&at, Operation::Release(place, Released::Shared));
            }
            // Written only for who looks at the variable again.
            let (held, dirty) = (Held::Undef, true);
            at.state.set(slot, SlotState::Held { held, dirty });
        }
        let Some(&(first, _)) = last.first() else {
            return self.block(ways[1], at);
        };
        let mut state = at.state.clone();
        for &slot in variables {
            state.set(slot, UNKNOWN);
        }
        let before = once(None).chain(last.iter().copied().map(Some));
        for (&(block, given), before) in last.iter().zip(before) {
            let (next, kept) = before.unzip();
            let graph = &mut self.translator.graph;
            for &slot in &variables[kept.unwrap_or_default()..given] {
                graph.push(block, Operation::Store(Place::Slot(slot), Held::Undef));
            }
            if let Some(next) = next {
                graph.at_mut(block).terminator = Terminator::jump(next);
            }
        }
        let first = Position {
            block: first,
            state,
            opline: self.opline,
        };
        self.both_ways([(ways[0], first), (ways[1], at)])
    }
}
