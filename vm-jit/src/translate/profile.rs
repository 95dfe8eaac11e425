//! What is known of the types that a function has seen.

use hashbrown::{HashMap, HashSet};

use vm_def::types::TypeMask;
use vm_runtime::frame::Frame;

use crate::graph::Slot;

/// Which operand of an opline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    /// The first.
    Op1,
    /// The second.
    Op2,
}

/// Types seen in a function.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// By slot: what the frame held when the function was compiled. A temporary still shows what
    /// it held last.
    slots: Vec<TypeMask>,
    /// By operand: what was there when compiled code had to leave.
    sites: HashMap<(u32, Which), TypeMask>,
    /// Oplines whose guards left though the types were the expected ones.
    weak: HashSet<u32>,
}

impl Profile {
    /// Adds what the slots of a frame hold.
    ///
    /// # Safety
    /// The frame is live and has so many slots (I4). Slots of temporaries may hold what was
    /// moved away; only their type is looked at.
    pub unsafe fn see_frame(&mut self, frame: *const Frame, slots: u32) {
        self.slots.resize(slots as usize, TypeMask::NONE);
        for number in 0..slots {
            // SAFETY: by the caller.
            let kind = unsafe { (*(*frame).slot(number)).kind() };
            // Nothing was there yet, or what is left of another frame.
            if kind == 0 || kind > 12 {
                continue;
            }
            let seen = &mut self.slots[number as usize];
            *seen = seen.union(TypeMask(1 << kind));
        }
    }

    /// Adds a type that an operand had.
    pub fn see_operand(&mut self, opline: u32, which: Which, types: TypeMask) {
        let seen = self.sites.entry((opline, which)).or_default();
        *seen = seen.union(types);
    }

    /// Notes that more than types keeps compiled code from staying at an opline.
    pub fn note_weak(&mut self, opline: u32) {
        self.weak.insert(opline);
    }

    /// Whether each way of doing the opline has to be compiled.
    pub fn is_weak(&self, opline: u32) -> bool {
        self.weak.contains(&opline)
    }

    /// The types that an operand is likely to have; none if nobody knows.
    pub fn operand(&self, opline: u32, which: Which, slot: Slot) -> TypeMask {
        match self.sites.get(&(opline, which)) {
            Some(types) => types.union(self.slot(slot)),
            None => self.slot(slot),
        }
    }

    /// The types that were seen in a slot.
    pub fn slot(&self, slot: Slot) -> TypeMask {
        let seen = self.slots.get(slot.0 as usize);
        seen.copied().unwrap_or(TypeMask::NONE)
    }
}
