//! Machine code for x86-64.

mod addresses;
mod arena;
mod emit;
pub mod frame;
mod instruction;
mod lower;
mod reach;
mod registers;
mod runtime;
mod stress;
mod survey;

pub use arena::{Arena, ArenaError, Mapping};
pub use emit::{Emitted, Placed, Surroundings, go};
pub use reach::Reach;
pub use runtime::{helper, slow_path};
pub use stress::Stress;

use crate::graph::Graph;
use crate::tier::{Clock, Stage};

/// Room that is kept from one unit to the next.
#[derive(Default)]
pub struct Workshop {
    registers: regalloc2::Ctx,
}

impl std::fmt::Debug for Workshop {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Workshop")
    }
}

/// Makes machine code of a graph. None if there is no place for it, or if the register allocator refuses the code, a
/// defect.
///
/// It is likely to stand at `likely`; `place` is told its length and says where it will. Gives that as well.
pub fn compile(
    graph: &Graph,
    surroundings: &Surroundings,
    workshop: &mut Workshop,
    clock: &mut Clock,
    likely: u64,
    place: impl FnOnce(usize) -> Option<u64>,
) -> Option<(u64, Emitted)> {
    let code = lower::lower(graph, surroundings.reach);
    clock.end(Stage::Lower);
    let options = regalloc2::RegallocOptions {
        verbose_log: false,
        validate_ssa: cfg!(debug_assertions),
        algorithm: regalloc2::Algorithm::Ion,
    };
    let environment = registers::environment();
    let context = &mut workshop.registers;
    let output = match regalloc2::run_with_ctx(&code, &environment, &options, context) {
        Ok(output) => output,
        Err(error) => {
            debug_assert!(false, "registers: {error:?}\n{graph}");
            return None;
        }
    };
    clock.end(Stage::Registers);
    let emitted = emit::emit(&code, output, surroundings, likely)?;
    let start = place(emitted.bytes.len())?;
    let emitted = match start == likely {
        true => Some(emitted),
        false => emit::emit(&code, output, surroundings, start),
    };
    clock.end(Stage::Emit);
    Some((start, emitted?))
}
