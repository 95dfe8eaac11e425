//! Who does the work of an opline, as its lowering tells: what a tier wants to know of code before it looks at
//! any clause.

use super::{Clause, IntrinsicEffect, Lowering, Operation, Terminator, Way};

/// Who does most of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worker {
    /// Instructions of the processor.
    Processor,
    /// The same, as long as what a runtime cache remembers holds.
    Cache,
    /// Functions of the runtime, or the interpreter.
    Runtime,
}

/// What a lowering tells of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Who does it in the first clause, unless that is one of the middle path.
    pub worker: Worker,
    /// Some clause enters another function's frame.
    pub enters: bool,
    /// There are clauses.
    pub is_lowered: bool,
    /// Instructions of the largest clause, with those that end its blocks.
    pub size: u16,
}

impl Lowering {
    /// Who does the work.
    pub fn work(&self) -> Work {
        let mut blocks = self.clauses.iter().flat_map(|clause| &clause.blocks);
        let enters = blocks.any(|block| {
            let terminator = &block.terminator;
            matches!(
                terminator,
                Terminator::Switch {
                    way: Way::Enter,
                    ..
                }
            )
        });
        Work {
            worker: self.worker(),
            enters,
            is_lowered: !self.clauses.is_empty(),
            size: self.size(),
        }
    }

    fn size(&self) -> u16 {
        let sizes = self
            .clauses
            .iter()
            .map(|clause| clause.instructions().count() + clause.blocks.len());
        u16::try_from(sizes.max().unwrap_or_default()).unwrap_or(u16::MAX)
    }

    fn worker(&self) -> Worker {
        let mut instructions = self.clauses.iter().flat_map(Clause::instructions);
        if instructions.any(|instruction| {
            matches!(instruction.operation, Operation::Intrinsic(intrinsic, _) if intrinsic.calls_native())
        }) {
            // Compiled code calls the function's direct entry, without a frame.
            return Worker::Cache;
        }
        let Some(first) = self.clauses.iter().find(|clause| !clause.middle) else {
            return Worker::Runtime;
        };
        let mut worker = Worker::Processor;
        for instruction in first.instructions() {
            match &instruction.operation {
                Operation::Intrinsic(intrinsic, _)
                    if intrinsic.is_call() && intrinsic.effect() != IntrinsicEffect::Pure =>
                {
                    return Worker::Runtime;
                }
                Operation::Release(_) => return Worker::Runtime,
                Operation::CacheWord(..) => worker = Worker::Cache,
                _ => {}
            }
        }
        worker
    }
}
