//! Fibers: functions with a native stack and a VM stack of their own, which can stop anywhere and
//! be resumed from anywhere.
//!
//! Whoever resumes a fiber waits on its own stack until the fiber suspends or ends. Everything in
//! the VM that belongs to a stack of calls changes hands at each switch; see [`switch`].

mod class;
pub mod inspect;
mod state;
mod switch;

pub(crate) use class::CLASSES;
pub use state::{Fiber, SpareStacks};
pub(crate) use switch::run_destructors;
