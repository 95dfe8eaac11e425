//! Collects blocks.

use std::collections::BTreeMap;

use vm_def::ir::{Block, BlockId, Instruction, Operation, Place, Terminator, Value};

use super::State;

/// Blocks under construction.
#[derive(Default)]
pub(super) struct Builder {
    blocks: Vec<(Vec<Instruction>, Option<Terminator>)>,
    values: u32,
    /// Where the values of operands were found to be.
    located: BTreeMap<Place, Place>,
}

impl Builder {
    /// Opens an empty block and gives its index.
    pub fn open_block(&mut self) -> usize {
        self.blocks.push((Vec::new(), None));
        self.blocks.len() - 1
    }

    /// Notes where the value of an operand is.
    pub fn rename(&mut self, operand: Place, place: Place) {
        self.located.insert(operand, place);
    }

    /// Where the value of an operand is.
    pub fn located(&self, operand: Place) -> Place {
        self.located.get(&operand).copied().unwrap_or(operand)
    }

    /// A value that a terminator defines.
    pub fn fresh_value(&mut self) -> Value {
        self.values += 1;
        Value(self.values - 1)
    }

    /// Adds an instruction without output.
    pub fn push(&mut self, state: &State, operation: Operation) {
        self.blocks[state.block].0.push(Instruction {
            output: None,
            operation,
        });
    }

    /// Adds an instruction and gives its output.
    pub fn define(&mut self, state: &State, operation: Operation) -> Value {
        let output = self.fresh_value();
        self.blocks[state.block].0.push(Instruction {
            output: Some(output),
            operation,
        });
        output
    }

    /// Closes a block.
    pub fn terminate(&mut self, block: usize, terminator: Terminator) {
        self.blocks[block].1 = Some(terminator);
    }

    /// The finished blocks; one that a mistake left open just goes on.
    pub fn finish(self) -> Vec<Block> {
        self.blocks
            .into_iter()
            .map(|(instructions, terminator)| Block {
                instructions,
                terminator: terminator.unwrap_or(Terminator::Next),
            })
            .collect()
    }
}

/// The index of a block as its name.
pub(super) fn block_id(index: usize) -> BlockId {
    BlockId(index as u32)
}
