//! The second tier: what turns hot functions into machine code, as the runtime sees it.
//!
//! The op arrays of scripts are never written. A tier gives each function that is called a copy of
//! its oplines and literals, which belongs to the VM, and replaces handler words there: compiled
//! code *is* a handler. Oplines of both blocks may stand in frames at the same time, so the number
//! of an opline is asked of the function ([`Function::index_of`]).

use crate::frame::Frame;
use crate::function::Function;
use crate::op::Op;
use crate::vm::Vm;

/// What a VM calls so that functions can be watched and compiled.
pub trait Tier: std::fmt::Debug {
    /// The function is about to be called for the first time, or was made from another one: its
    /// [`Function::ops`] may be pointed at the VM's own copy.
    fn prepare(&mut self, function: &mut Function);

    /// The function of a frame is found running, about to go on at an opline; gives that opline, or
    /// the same one in the VM's own copy.
    ///
    /// # Safety
    /// The frame is live and runs the opline (I4).
    unsafe fn sample(&mut self, frame: *mut Frame, opline: *const Op) -> *const Op;

    /// Tells on standard error what was counted, if that is wanted and was not told yet.
    fn tell(&mut self);

    /// Itself, for code that was made by it.
    fn as_any(&mut self) -> &mut dyn std::any::Any;
}

impl Vm {
    /// Lets the tier, if there is one, see a function before its first call.
    #[inline]
    pub fn prepare_function(&mut self, function: &mut Function) {
        if let Some(tier) = &mut self.tier {
            tier.prepare(function);
        }
    }
}

impl Function {
    /// Number of an opline of this function, in the op array's block or the VM's copy of it.
    pub fn index_of(&self, opline: *const Op) -> usize {
        match self.find(opline) {
            Some(number) => number,
            None => (opline as usize).wrapping_sub(self.ops as usize) / size_of::<Op>(),
        }
    }

    /// As [`Function::index_of`]; None for an opline of elsewhere, such as the one that a frame
    /// stands at while an exception is on its way.
    pub fn find(&self, opline: *const Op) -> Option<usize> {
        // SAFETY: I4: the op array lives as long as the function.
        let code = unsafe { &*self.op_array };
        let number = (opline as usize).wrapping_sub(self.ops as usize) / size_of::<Op>();
        match code.find(opline) {
            None if number < code.len() => Some(number),
            found => found,
        }
    }
}
