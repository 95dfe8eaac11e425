//! What is known of a function's execution: which oplines it has come to, and with which types.

use hashbrown::HashMap;
use vm_def::types::TypeMask;
use vm_runtime::frame::Frame;
use vm_runtime::function::{Function, SharedFunction};
use vm_runtime::op::Op;
use vm_runtime::value::REFCOUNTED;
use vm_runtime::vm::Vm;

use super::body::operand_slot;
use super::trial::{self, Answers};
use crate::graph::Slot;

/// Which operand of an opline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    /// The first.
    Op1,
    /// The second.
    Op2,
}

/// What the infos of frames have in common.
#[derive(Clone, Copy, Debug)]
struct Info {
    /// Bits that some of them have, and those that all have.
    any: u32,
    all: u32,
}

impl Default for Info {
    fn default() -> Info {
        Info {
            any: 0,
            all: u32::MAX,
        }
    }
}

/// What is known of an opline.
#[derive(Clone, Debug, Default)]
struct Site {
    /// The types that its operands had.
    op1: TypeMask,
    op2: TypeMask,
    /// What its clauses met.
    answers: Answers,
    /// It was executed while somebody looked.
    is_seen: bool,
    /// It had been when the function was compiled last.
    is_compiled: bool,
    /// Where a loop begins: variables that had no value yet ([`bit_of`]).
    undefined: u64,
    /// Guards left there though the types were the expected ones.
    is_weak: bool,
}

/// What was seen of a function.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// By slot: what the frame held when the function was compiled, and for variables what they
    /// held as operands. A temporary still shows what it held last.
    slots: Vec<TypeMask>,
    /// By slot: the payload of what the frame held that was not counted and is somewhere else, a string or an array.
    uncounted: Vec<Option<u64>>,
    /// What the infos of its frames were.
    info: Info,
    /// By opline; empty until something is known of one.
    sites: Vec<Site>,
    /// Somebody has looked at what is executed: the rest is not worth compiling.
    is_observed: bool,
    /// What was not seen is compiled as well, each way of doing it.
    is_complete: bool,
    /// What oplines have called.
    callees: HashMap<u32, Callee>,
    /// Keeps what closures that were called are copies of, and with it the code that may be inlined.
    prototypes: Vec<SharedFunction>,
}

/// What an opline has called.
#[derive(Clone, Copy, Debug)]
enum Callee {
    /// Always this one.
    Only(Called),
    /// Several functions.
    Several,
}

/// A function that was called.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Called {
    /// The function; of closures that which they are copies of.
    pub function: *const Function,
    /// Its frame began so many slots behind the caller's.
    pub distance: u32,
    /// Of closures: the info of their frames.
    pub closure: Option<u32>,
}

/// What may be a literal and is not in the slot itself.
const ELSEWHERE: TypeMask = TypeMask(TypeMask::STRING.0 | TypeMask::ARRAY.0);

/// The bit of a variable, if there is one for it.
fn bit_of(slot: Slot) -> u64 {
    1u64.checked_shl(slot.0).unwrap_or_default()
}

/// The type that a slot of a frame holds; none for what is no value.
///
/// # Safety
/// The frame is live and has the slot (I4).
unsafe fn type_of(frame: *const Frame, slot: Slot) -> TypeMask {
    // SAFETY: by the caller.
    let kind = unsafe { (*(*frame).slot(slot.0)).kind() };
    match kind {
        // A rope's parts, or what is left of another frame.
        13.. => TypeMask::NONE,
        kind => TypeMask(1 << kind),
    }
}

impl Profile {
    /// Adds what the slots of a frame hold.
    ///
    /// # Safety
    /// The frame is live and has so many slots (I4). Slots of temporaries may hold what was
    /// moved away; only their type is looked at.
    pub unsafe fn see_frame(&mut self, frame: *const Frame, slots: u32) {
        // SAFETY: by the caller.
        self.see_info(unsafe { (*frame).this.type_info });
        self.uncounted.resize(slots as usize, None);
        for number in 0..slots {
            // SAFETY: by the caller.
            let types = unsafe { type_of(frame, Slot(number)) };
            self.see_slot(Slot(number), types);
            // SAFETY: by the caller.
            let value = unsafe { &*(*frame).slot(number) };
            let is_elsewhere = types.intersects(ELSEWHERE) && value.type_info & REFCOUNTED == 0;
            self.uncounted[number as usize] = is_elsewhere.then(|| value.long() as u64);
        }
    }

    /// Adds the types of a frame's variables where a loop begins, in front of its first turn perhaps. Tells whether
    /// one of them was not known.
    ///
    /// # Safety
    /// The frame is live and has so many variables (I4).
    pub unsafe fn see_variables(
        &mut self,
        frame: *const Frame,
        variables: u32,
        header: u32,
    ) -> bool {
        let mut is_new = false;
        for slot in (0..variables).map(Slot) {
            // SAFETY: by the caller.
            let types = unsafe { type_of(frame, slot) };
            if types != TypeMask::UNDEF {
                is_new |= !types.is_subset_of(self.slot(slot));
                self.see_slot(slot, types);
            } else if self.slot(slot) != TypeMask::NONE {
                let undefined = &mut self.site(header).undefined;
                let before = *undefined;
                *undefined |= bit_of(slot);
                is_new |= *undefined != before;
            }
        }
        is_new
    }

    /// Whether a variable had no value where a loop begins, though it has one later.
    pub fn was_undefined(&self, slot: Slot, header: u32) -> bool {
        let site = self.sites.get(header as usize);
        site.is_some_and(|site| site.undefined & bit_of(slot) != 0)
    }

    /// The payload of the string or array that a slot held, if that was not counted.
    pub fn uncounted(&self, slot: Slot) -> Option<u64> {
        *self.uncounted.get(slot.0 as usize)?
    }

    fn see_info(&mut self, info: u32) {
        self.info.any |= info;
        self.info.all &= info;
    }

    /// Of some bits, those that were the same in the infos of all frames, and how they were.
    pub fn common_info(&self, asked: u32) -> (u32, u32) {
        // A bit that all have and none has is one of no frame.
        let same = asked & !(self.info.any ^ self.info.all);
        (same, self.info.all & same)
    }

    /// Adds a type that a slot had. That nothing was there yet tells nothing.
    fn see_slot(&mut self, slot: Slot, types: TypeMask) {
        let index = slot.0 as usize;
        if self.slots.len() <= index {
            self.slots.resize(index + 1, TypeMask::NONE);
        }
        let types = TypeMask(types.0 & !TypeMask::UNDEF.0);
        self.slots[index] = self.slots[index].union(types);
    }

    fn site(&mut self, opline: u32) -> &mut Site {
        let index = opline as usize;
        if self.sites.len() <= index {
            self.sites.resize(index + 1, Site::default());
        }
        &mut self.sites[index]
    }

    /// Adds what an opline finds that is about to be executed; `variables` slots are variables. Tells whether some of
    /// that was not known.
    ///
    /// # Safety
    /// The frame is live and runs the opline (I4), behind which there is another one if it is not
    /// the last; the VM runs it (I1).
    pub unsafe fn observe(
        &mut self,
        frame: *const Frame,
        ops: &[Op],
        opline: u32,
        variables: u32,
        vm: *const Vm,
    ) -> bool {
        self.is_observed = true;
        // SAFETY: by the caller.
        self.see_info(unsafe { (*frame).this.type_info });
        let mut is_new = !std::mem::replace(&mut self.site(opline).is_seen, true);
        // SAFETY: by the caller.
        is_new |= unsafe { self.try_clauses(frame, ops, opline, vm) };
        // The opline behind may be one that only holds another operand.
        for number in [opline, opline + 1] {
            let Some(op) = ops.get(number as usize) else {
                continue;
            };
            if number != opline && op.opcode != vm_runtime::generated::Opcode::OP_DATA as u8 {
                continue;
            }
            let operands = [
                (Which::Op1, operand_slot(op.op1_type, op.op1)),
                (Which::Op2, operand_slot(op.op2_type, op.op2)),
            ];
            for (which, slot) in operands {
                let Some(slot) = slot else { continue };
                // SAFETY: by the caller.
                let types = unsafe { type_of(frame, slot) };
                is_new |= self.see_operand(number, which, types);
                if slot.0 < variables {
                    self.see_slot(slot, types);
                }
            }
        }
        is_new
    }

    /// Adds a type that an operand had. Tells whether it was not known.
    pub fn see_operand(&mut self, opline: u32, which: Which, types: TypeMask) -> bool {
        let site = self.site(opline);
        let seen = match which {
            Which::Op1 => &mut site.op1,
            Which::Op2 => &mut site.op2,
        };
        let is_new = !types.is_subset_of(*seen);
        *seen = seen.union(types);
        is_new
    }

    /// Adds what the clauses of an opline meet that is about to be executed. Tells whether that was not known.
    ///
    /// # Safety
    /// The frame is live and runs the opline, the one with this number (I4); the VM runs it (I1).
    pub unsafe fn try_clauses(
        &mut self,
        frame: *const Frame,
        ops: &[Op],
        opline: u32,
        vm: *const Vm,
    ) -> bool {
        let (op, next) = (&ops[opline as usize], ops.get(opline as usize + 1));
        let answers = &mut self.site(opline).answers;
        // SAFETY: by the caller.
        unsafe { trial::run(answers, frame, op, next, vm) }
    }

    /// What the clauses of an opline met; none if nobody looked, or if it was not so too often.
    pub fn answers(&self, opline: u32) -> Option<&Answers> {
        let site = self.sites.get(opline as usize)?;
        (!site.is_weak).then_some(&site.answers)
    }

    /// Adds that an opline calls a function.
    pub fn see_call(&mut self, opline: u32, called: Called) {
        let seen = self.callees.entry(opline);
        let seen = seen.or_insert(Callee::Only(called));
        if !matches!(seen, Callee::Only(known) if *known == called) {
            *seen = Callee::Several;
        }
    }

    /// As [`see_call`](Self::see_call) for a closure that was made where `prototype` was.
    pub fn see_closure(
        &mut self,
        opline: u32,
        prototype: SharedFunction,
        distance: u32,
        info: u32,
    ) {
        let called = Called {
            function: prototype.as_ptr(),
            distance,
            closure: Some(info),
        };
        // What is not kept yet has not been seen here.
        if !self.callees.contains_key(&opline) {
            self.prototypes.push(prototype);
        }
        self.see_call(opline, called);
    }

    /// The only function that an opline was seen to call.
    pub fn callee(&self, opline: u32) -> Option<Called> {
        match self.callees.get(&opline)? {
            Callee::Only(called) => Some(*called),
            Callee::Several => None,
        }
    }

    /// Whether somebody has looked at what is executed.
    pub fn is_observed(&self) -> bool {
        self.is_observed
    }

    /// Has what was not seen compiled as well: it has turned out too often that it is executed. Tells whether there
    /// is something of the kind.
    pub fn complete(&mut self, oplines: u32) -> bool {
        let is_new = (0..oplines).any(|opline| self.is_unseen(opline));
        self.is_complete = true;
        // Whether they are compiled is noted at each.
        self.sites.resize(oplines as usize, Site::default());
        is_new
    }

    /// Whether an opline is left to the interpreter because execution has not come to it while somebody looked.
    pub fn is_unseen(&self, opline: u32) -> bool {
        self.is_observed && !self.is_complete && !self.is_seen(opline)
    }

    /// Whether execution has come to an opline.
    pub fn is_seen(&self, opline: u32) -> bool {
        let site = self.sites.get(opline as usize);
        site.is_some_and(|site| site.is_seen)
    }

    /// The function is compiled with what is known now.
    pub fn note_compiled(&mut self) {
        for site in &mut self.sites {
            site.is_compiled = site.is_seen || !self.is_observed || self.is_complete;
        }
    }

    /// Whether the opline had been seen when the function was compiled last.
    pub fn is_compiled(&self, opline: u32) -> bool {
        let site = self.sites.get(opline as usize);
        !self.is_observed || site.is_some_and(|site| site.is_compiled)
    }

    /// Notes that more than types keeps compiled code from staying at an opline. Tells whether that was
    /// not known.
    pub fn note_weak(&mut self, opline: u32) -> bool {
        !std::mem::replace(&mut self.site(opline).is_weak, true)
    }

    /// Whether each way of doing the opline has to be compiled.
    pub fn is_weak(&self, opline: u32) -> bool {
        let site = self.sites.get(opline as usize);
        site.is_some_and(|site| site.is_weak) || self.is_complete && !self.is_seen(opline)
    }

    /// Whether no clause of an opline applied, more than once.
    pub fn is_refused(&self, opline: u32) -> bool {
        let site = self.sites.get(opline as usize);
        site.is_some_and(|site| site.answers.are_refused())
    }

    /// The types that an operand is likely to have; none if nobody knows.
    pub fn operand(&self, opline: u32, which: Which, slot: Slot) -> TypeMask {
        let site = self.sites.get(opline as usize);
        let seen = site.map_or(TypeMask::NONE, |site| match which {
            Which::Op1 => site.op1,
            Which::Op2 => site.op2,
        });
        match seen {
            TypeMask::NONE => self.slot(slot),
            seen => seen,
        }
    }

    /// The types that were seen in a slot.
    pub fn slot(&self, slot: Slot) -> TypeMask {
        let seen = self.slots.get(slot.0 as usize);
        seen.copied().unwrap_or(TypeMask::NONE)
    }
}
