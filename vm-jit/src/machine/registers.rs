//! The registers of x86-64 and what they are for.
//!
//! `rdi` holds the frame, as handlers have it. `r11` and `xmm15` are scratch. The opline and the VM
//! are constants of compiled code; they are put into their registers where it leaves.

use regalloc2::{MachineEnv, PReg, PRegSet, RegClass};

use crate::graph::MOST_ARGUMENTS;

/// Numbers of registers that instructions need by name.
pub const RAX: usize = 0;
/// See [`RAX`].
pub const RCX: usize = 1;
/// See [`RAX`].
pub const RDX: usize = 2;
/// See [`RAX`].
pub const RSI: usize = 6;
/// See [`RAX`].
pub const SCRATCH: u8 = 11;
/// The scratch register for floats.
pub const SCRATCH_DOUBLE: u8 = 15;

/// Registers that may be used without saving them.
const FREE: [usize; 7] = [RAX, RCX, RDX, RSI, 8, 9, 10];
/// Registers that belong to the caller.
pub const SAVED: [usize; 6] = [3, 5, 12, 13, 14, 15];

/// Where arguments of calls stand, behind the frame.
pub const ARGUMENTS: [usize; MOST_ARGUMENTS] = [RSI, RDX, RCX, 8, 9];

/// The registers that a call does not leave alone, scratch registers aside.
pub fn caller_saved() -> PRegSet {
    (0..15)
        .map(float)
        .fold(general_caller_saved(), PRegSet::with)
}

/// Those of them that do not hold floats.
pub fn general_caller_saved() -> PRegSet {
    FREE.into_iter()
        .map(general)
        .fold(PRegSet::empty(), PRegSet::with)
}

/// A general register.
pub const fn general(number: usize) -> PReg {
    PReg::new(number, RegClass::Int)
}

/// A float register.
pub const fn float(number: usize) -> PReg {
    PReg::new(number, RegClass::Float)
}

/// What the register allocator may use.
pub fn environment() -> MachineEnv {
    let set =
        |registers: &mut dyn Iterator<Item = PReg>| registers.fold(PRegSet::empty(), PRegSet::with);
    let none = PRegSet::empty();
    MachineEnv {
        preferred_regs_by_class: [
            set(&mut FREE.into_iter().map(general)),
            set(&mut (0..15).map(float)),
            none,
        ],
        non_preferred_regs_by_class: [set(&mut SAVED.into_iter().map(general)), none, none],
        scratch_by_class: [
            Some(general(SCRATCH as usize)),
            Some(float(SCRATCH_DOUBLE as usize)),
            None,
        ],
        fixed_stack_slots: Vec::new(),
    }
}
