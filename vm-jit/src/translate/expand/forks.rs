//! Clauses that begin alike are translated once as far as they do: where a guard fails that they have in common none
//! of them applies, and where one fails behind that the next clause goes on from there.

use vm_def::ir::{BlockId as ClauseBlock, Clause, IntrinsicEffect, Operation as Micro};

use super::{Expanded, Expansion, Findings};
use crate::graph::BlockId;
use crate::translate::Position;
use crate::translate::clause::Candidate;
use crate::translate::state::State;

/// Where clauses go on otherwise than the one that is being translated.
pub(super) struct Fork<'c> {
    /// The instructions that they have in common.
    shared: usize,
    /// The clauses, in order.
    candidates: &'c [Candidate],
    /// What was found by those instructions.
    found: Findings,
    state: State,
    way: Parting,
}

/// Where a fork begins, and what guards in front of it lead to.
enum Parting {
    /// Here. In front of it they lead to the block that comes second, if they do not leave.
    At(BlockId, Option<BlockId>),
    /// Where guards lead whose failing is no surprise, if there is such a one. In front of it they lead to this
    /// block.
    IfUsual(Option<BlockId>),
}

/// Whether two clauses may be translated as one as far as they are the same.
pub fn begin_alike(first: &Candidate, second: &Candidate) -> bool {
    first.not == second.not
        && first.traits.frees == second.traits.frees
        && first.traits.enters_frame == second.traits.enters_frame
        && in_common(first.clause, second.clause) > 0
}

/// How many instructions two clauses begin with that are the same and change nothing.
fn in_common(first: &Clause, second: &Clause) -> usize {
    let (first, second) = (
        &first.blocks[0].instructions,
        &second.blocks[0].instructions,
    );
    let is_pure = |operation: &Micro| match operation {
        Micro::Intrinsic(intrinsic, _) => intrinsic.effect() == IntrinsicEffect::Pure,
        operation => !operation.has_effect(),
    };
    let both = first.iter().zip(second);
    both.take_while(|(one, other)| one == other && is_pure(&one.operation))
        .count()
}

impl<'c> Expansion<'_, '_, 'c> {
    /// Notes which clauses are the same as the one that is translated, up to where the first of them parts.
    pub(super) fn go_on_with(&mut self, alike: &'c [Candidate]) {
        let shared = alike
            .iter()
            .map(|other| in_common(self.clause, other.clause));
        (self.alike, self.parting) = (alike, shared.min().unwrap_or(usize::MAX));
    }

    /// In front of an instruction of the first block, or of its end: clauses that go on otherwise part here.
    pub(super) fn part(&mut self, number: usize, at: &Position) {
        if self.block != ClauseBlock(0) || number < self.parting {
            return;
        }
        let goes_on = |other: &&Candidate| in_common(self.clause, other.clause) > number;
        let together = self.alike.iter().take_while(goes_on).count();
        let (alike, candidates) = self.alike.split_at(together);
        let Some(first) = candidates.first() else {
            return;
        };
        self.go_on_with(alike);
        let way = match first.stands_in && self.fallback.is_none() {
            true => Parting::IfUsual(self.otherwise.take()),
            false => {
                let block = self.translator.graph.block(self.opline);
                Parting::At(block, self.fallback.replace(block))
            }
        };
        self.forks.push(Fork {
            shared: number,
            candidates,
            found: self.found.clone(),
            state: at.state.clone(),
            way,
        });
    }

    /// Behind the first clause: translates the others, each from where it goes on otherwise.
    pub(super) fn go_otherwise(mut self, mut next: Option<Position>) -> Expanded {
        while let Some(fork) = self.forks.pop() {
            let block = match fork.way {
                Parting::At(block, fallback) => {
                    self.fallback = fallback;
                    Some(block)
                }
                Parting::IfUsual(otherwise) => std::mem::replace(&mut self.otherwise, otherwise),
            };
            let (Some(block), Some((first, alike))) = (block, fork.candidates.split_first()) else {
                continue;
            };
            (self.clause, self.number) = (first.clause, first.number);
            self.go_on_with(alike);
            self.found = fork.found;
            let here = Position {
                block,
                state: fork.state,
                opline: self.opline,
            };
            let last = self.block_from(ClauseBlock(0), fork.shared, here);
            for next in next.take().into_iter().chain(last) {
                self.translator.go(next.block, next.state, next.opline);
            }
        }
        Expanded {
            next,
            otherwise: self.otherwise,
        }
    }
}
