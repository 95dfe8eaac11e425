//! Calls, and the ways out of compiled code.
#![allow(
    clippy::useless_conversion,
    reason = "what the assembler's macro expands to"
)]

use dynasmrt::x64::X64Relocation;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, VecAssembler, dynasm};
use hashbrown::HashMap;
use regalloc2::{Allocation, Inst};
use vm_runtime::layout;
use vm_runtime::value::{COLLECTABLE, REFCOUNTED, REFERENCE};

use super::super::addresses::offset;
use super::super::frame::{self, PROLOGUE, SAVED_FRAME};
use super::super::instruction::{Exit, Memory, Right};
use super::super::reach::Reach;
use super::super::registers::{RAX, RCX, RDX, RSI, SCRATCH};
use super::super::runtime;
use super::super::stress::StressedCode;
use super::{Address, Base, Emitter, Location, PendingExit, Placed, WaysOut, number};
use crate::graph::{Released, Slot, Where, Write, Written};

impl Emitter<'_> {
    /// The frame waits in the native frame, where entries have put it.
    pub(super) fn call(&mut self, function: u64) {
        match self.surroundings.reach.is_near(function) {
            true => dynasm!(self.assembler ; .arch x64 ; call extern function as usize),
            false => dynasm!(self.assembler
                ; .arch x64
                ; mov rax, QWORD function as i64
                ; call rax
            ),
        }
        near!(self.assembler, Base::Stack, SAVED_FRAME; mov rdi, @);
    }

    /// Gives back a value: at once if others have a share in it and the collector need not be told.
    pub(super) fn release(&mut self, of: Address, released: Released) {
        let done = self.assembler.new_dynamic_label();
        let called = self.assembler.new_dynamic_label();
        self.jump_if_last(of, released, done, called);
        dynasm!(self.assembler
            ; .arch x64
            ; dec DWORD [r11]
            ; jmp =>done
            ; =>called
        );
        self.distance(RSI as u8, of.base, of.offset);
        self.call(runtime::release(released) as u64);
        dynasm!(self.assembler ; .arch x64 ; =>done);
    }

    /// Whether [`Emitter::release`] would have nothing to call. The register is written last: it may be that of the
    /// address.
    pub(super) fn is_kept(&mut self, of: Address, target: u8) {
        let kept = self.assembler.new_dynamic_label();
        let last = self.assembler.new_dynamic_label();
        let done = self.assembler.new_dynamic_label();
        self.jump_if_last(of, Released::Shared, kept, last);
        dynasm!(self.assembler
            ; .arch x64
            ; =>kept
            ; mov Rd(target), 1
            ; jmp =>done
            ; =>last
            ; xor Rd(target), Rd(target)
            ; =>done
        );
    }

    /// Jumps if [`Emitter::is_kept`] would say so.
    pub(super) fn jump_if_kept(&mut self, of: Address, expected: bool, label: DynamicLabel) {
        let other = self.assembler.new_dynamic_label();
        if expected {
            self.jump_if_last(of, Released::Shared, label, other);
            dynasm!(self.assembler ; .arch x64 ; jmp =>label);
        } else {
            self.jump_if_last(of, Released::Shared, other, label);
        }
        dynasm!(self.assembler ; .arch x64 ; =>other);
    }

    /// Jumps if a value is not counted, or if giving back a share of it takes more than counting: it is the last one, or the
    /// collector has to be told, of a reference about what it holds (`vm_runtime::collector::possible_root`). Behind this
    /// `r11` holds the address of what is counted.
    fn jump_if_last(
        &mut self,
        of: Address,
        released: Released,
        uncounted: DynamicLabel,
        last: DynamicLabel,
    ) {
        let (base, offset, flags) = (of.base, of.offset, of.kind() + 1);
        near!(self.assembler, base, flags; test BYTE @, (REFCOUNTED >> 8) as i8);
        dynasm!(self.assembler ; .arch x64 ; jz =>uncounted);
        near!(self.assembler, base, offset; mov r11, @);
        dynasm!(self.assembler
            ; .arch x64
            ; cmp DWORD [r11], 1
            ; jbe =>last
        );
        if released == Released::Shared {
            let plain = self.assembler.new_dynamic_label();
            near!(self.assembler, base, flags; test BYTE @, (COLLECTABLE >> 8) as i8);
            dynasm!(self.assembler
                ; .arch x64
                ; jz =>plain
                ; test DWORD [r11 + layout::HEADER_FLAGS as i32], layout::NOTED as i32
                ; jnz =>plain
            );
            let inside = layout::REFERENCE_VALUE as i32;
            near!(self.assembler, base, of.kind(); cmp BYTE @, REFERENCE as i8);
            dynasm!(self.assembler
                ; .arch x64
                ; jne =>last
                ; test BYTE [r11 + inside + layout::TYPE as i32 + 1], (COLLECTABLE >> 8) as i8
                ; jz =>plain
                ; mov r11, [r11 + inside]
                ; test DWORD [r11 + layout::HEADER_FLAGS as i32], layout::NOTED as i32
                ; jz =>last
            );
            near!(self.assembler, base, offset; mov r11, @);
            dynasm!(self.assembler ; .arch x64 ; =>plain);
        }
    }

    pub(super) fn execute(&mut self, opline: u32, function: u64) {
        self.turn_to_frame(opline);
        self.load_address(RSI as u8, self.opline_address(opline));
        dynasm!(self.assembler ; .arch x64 ; mov [rdi], rsi);
        self.load_address(RDX as u8, self.surroundings.vm);
        self.call(function);
    }

    pub(super) fn leave_for(&mut self, helper: u64, exit: &Exit, instruction: Inst) {
        for (slot, saved) in &exit.slots {
            let to = self.address(Memory::slot(*slot), instruction);
            let location = self.location(*saved, instruction);
            self.store(to, location);
        }
        self.turn_to_frame(exit.opline);
        self.load_address(RSI as u8, self.opline_address(exit.opline));
        self.load_address(RAX as u8, helper);
        let way_out = self.ways_out.plain;
        dynasm!(self.assembler ; .arch x64 ; jmp =>way_out);
    }

    /// The function that an opline belongs to.
    fn body(&self, opline: u32) -> Placed {
        let bodies = &self.surroundings.bodies;
        bodies[bodies.partition_point(|body| body.first <= opline) - 1]
    }

    pub(super) fn opline_address(&self, opline: u32) -> u64 {
        let body = self.body(opline);
        body.ops + u64::from(opline - body.first) * size_of::<vm_runtime::op::Op>() as u64
    }

    /// Makes the frame of an opline the one in the register.
    fn turn_to_frame(&mut self, opline: u32) {
        let offset = self.body(opline).frame;
        if offset != 0 {
            short!(self.assembler, offset; add rdi);
        }
    }

    /// Leaves for another frame.
    pub(super) fn switch(&mut self, exit: &Exit, frame: u8, opline: u8, instruction: Inst) {
        for (slot, saved) in &exit.slots {
            let to = self.address(Memory::slot(*slot), instruction);
            let location = self.location(*saved, instruction);
            self.store(to, location);
        }
        // All other registers are free now; the two may be each other's targets.
        dynasm!(self.assembler
            ; .arch x64
            ; mov r11, Rq(opline)
            ; mov rdi, Rq(frame)
            ; mov rsi, r11
        );
        let vm = self.known_address(Where::Address(self.surroundings.vm));
        let current = vm.offset + layout::VM_FRAME as i32;
        near!(self.assembler, vm.base, current; mov @, rdi);
        let way_out = self.ways_out.plain;
        stay(&mut self.assembler, self.surroundings.reach);
        dynasm!(self.assembler ; .arch x64 ; jmp =>way_out);
    }

    /// Notes an exit, whose code stands behind all else; gives its label.
    pub(super) fn pend(&mut self, exit: &Exit, instruction: Inst, counted: bool) -> DynamicLabel {
        let slots: Vec<(Slot, Location)> = exit
            .slots
            .iter()
            .map(|(slot, saved)| (*slot, self.location(*saved, instruction)))
            .collect();
        let writes = exit.writes.iter().map(|(write, index)| {
            let allocation = index.map(|index| self.operand(instruction, index));
            (*write, allocation)
        });
        let writes: Vec<(Write, Option<Allocation>)> = writes.collect();
        let same = self.exits.iter().find(|known| {
            known.opline == exit.opline
                && known.counted == counted
                && known.slots == slots
                && known.writes == writes
        });
        if let Some(known) = same {
            return known.label;
        }
        let label = self.assembler.new_dynamic_label();
        self.exits.push(PendingExit {
            label,
            opline: exit.opline,
            slots,
            writes,
            counted,
        });
        label
    }

    /// Leaves now and then for no reason, if that is wanted.
    pub(super) fn stress(&mut self, exit: DynamicLabel) {
        if let Some((counter, mask)) = self.stress.as_mut().map(StressedCode::next) {
            dynasm!(self.assembler
                ; .arch x64
                ; mov r11, QWORD counter as i64
                ; inc DWORD [r11]
                ; test DWORD [r11], mask
                ; jz =>exit
            );
        }
    }

    /// Goes on with the opline that is so many behind the one in a register.
    pub(super) fn follow(&mut self, opline: u8, behind: u32) {
        let distance = behind as i32 * size_of::<vm_runtime::op::Op>() as i32;
        near!(self.assembler, Base::Register(opline), distance; lea rsi, @);
        self.load_address(RAX as u8, self.surroundings.follow);
        dynasm!(self.assembler ; .arch x64 ; jmp rax);
    }

    /// Goes on elsewhere unless the opline in a register has this address.
    pub(super) fn onward(&mut self, opline: u8, address: u64, behind: u32) {
        let assembler = &mut self.assembler;
        let elsewhere = self.follows.entry((opline, behind));
        let elsewhere = *elsewhere.or_insert_with(|| assembler.new_dynamic_label());
        self.load_address(SCRATCH, address);
        dynasm!(self.assembler ; .arch x64 ; cmp Rq(opline), r11 ; jne =>elsewhere);
    }

    /// Where [`Emitter::onward`] leads: one place for each register.
    pub(super) fn elsewhere(&mut self) {
        for ((opline, behind), label) in std::mem::take(&mut self.follows) {
            dynasm!(self.assembler ; .arch x64 ; =>label);
            self.follow(opline, behind);
        }
    }

    pub(super) fn exits(&mut self) {
        let mut tails: HashMap<(u32, bool, Vec<Write>), DynamicLabel> = HashMap::new();
        for exit in std::mem::take(&mut self.exits) {
            let label = exit.label;
            dynasm!(self.assembler ; .arch x64 ; =>label);
            for (slot, location) in exit.slots {
                let to = Address {
                    base: Base::Frame,
                    offset: offset(slot),
                };
                self.store(to, location);
            }
            let mut known = Vec::new();
            for (write, allocation) in exit.writes {
                match allocation {
                    Some(allocation) => self.write(write, allocation),
                    None => known.push(write),
                }
            }
            let key = (exit.opline, exit.counted, known);
            if let Some(tail) = tails.get(&key) {
                let tail = *tail;
                dynasm!(self.assembler ; .arch x64 ; jmp =>tail);
                continue;
            }
            let tail = self.assembler.new_dynamic_label();
            dynasm!(self.assembler ; .arch x64 ; =>tail);
            // All registers are free now.
            for write in &key.2 {
                self.write_known(*write);
            }
            tails.insert(key, tail);
            let handler = self.surroundings.handlers[exit.opline as usize];
            self.tail(exit.opline, exit.counted, handler);
        }
    }

    /// Writes a field of a frame with what is in a register or was spilled.
    fn write(&mut self, write: Write, allocation: Allocation) {
        let source = match self.spill(allocation) {
            Some(at) => {
                near!(self.assembler, Base::Stack, at; mov r11, @);
                SCRATCH
            }
            None => number(allocation),
        };
        let base = self.known_address(write.base);
        self.store_field(write.field, base, Right::Register(source.into()));
    }

    /// Writes a field with what is known, where all registers are free.
    fn write_known(&mut self, write: Write) {
        match write.value {
            Written::Long(value) => self.load_long(SCRATCH, value),
            Written::Where(place) => {
                let Address { base, offset } = self.known_address(place);
                near!(self.assembler, base, offset; lea r11, @);
            }
            Written::Value(_) => unreachable!("it is in a register"),
        }
        let base = self.known_address(write.base);
        self.store_field(write.field, base, Right::Register(SCRATCH.into()));
    }

    /// An address that is known; one outside of frames is put into a register.
    fn known_address(&mut self, place: Where) -> Address {
        match place {
            Where::Frame => Address {
                base: Base::Frame,
                offset: 0,
            },
            Where::Slot(slot, behind) => Address {
                base: Base::Frame,
                offset: offset(slot) + behind,
            },
            Where::Address(address) if self.surroundings.reach.is_near(address) => Address {
                base: Base::Near(address),
                offset: 0,
            },
            Where::Address(address) => {
                self.load_address(RAX as u8, address);
                Address {
                    base: Base::Register(RAX as u8),
                    offset: 0,
                }
            }
        }
    }

    /// Leaves for a handler: everything is in the frame.
    pub(super) fn tail(&mut self, opline: u32, counted: bool, handler: u64) {
        self.turn_to_frame(opline);
        self.load_address(RSI as u8, self.opline_address(opline));
        self.load_address(RAX as u8, handler);
        let way_out = match counted {
            true => {
                dynasm!(self.assembler ; .arch x64 ; mov r8d, opline as i32);
                self.ways_out.counted
            }
            false => self.ways_out.plain,
        };
        dynasm!(self.assembler ; .arch x64 ; jmp =>way_out);
    }

    /// What all ways out of the code end with: frame and opline are in their registers, and `rax` has what comes next.
    /// Those that count have the opline's number in `r8`.
    pub(super) fn end_ways_out(&mut self) {
        let WaysOut { plain, counted } = self.ways_out;
        let unit = self.surroundings.unit as i32;
        dynasm!(self.assembler ; .arch x64 ; =>counted);
        self.load_address(RCX as u8, self.surroundings.counters);
        dynasm!(self.assembler
            ; .arch x64
            ; dec DWORD [rcx + 4 * r8]
            ; jns =>plain
            ; mov ecx, unit
        );
        self.load_address(RAX as u8, self.surroundings.exhausted);
        dynasm!(self.assembler ; .arch x64 ; =>plain);
        self.load_address(RDX as u8, self.surroundings.vm);
        frame::epilogue(&mut self.assembler);
        dynasm!(self.assembler ; .arch x64 ; jmp rax);
    }

    pub(super) fn entries(&mut self) -> Vec<(u32, usize)> {
        let mut entries = Vec::new();
        for (opline, block) in self.code.entries.clone() {
            entries.push((opline, self.assembler.offset().0));
            frame::prologue(&mut self.assembler);
            let label = self.label(block);
            near!(self.assembler, Base::Stack, SAVED_FRAME; mov @, rdi);
            dynasm!(self.assembler ; .arch x64 ; jmp =>label);
        }
        entries
    }
}

/// Goes on with the opline in `rsi`; frame and VM are in their registers. Compiled code is entered
/// behind the making of the native frame, which is there.
pub fn go(ops: &mut VecAssembler<X64Relocation>, reach: Reach) {
    stay(ops, reach);
    frame::epilogue(ops);
    dynasm!(ops ; .arch x64 ; jmp rax);
}

/// As [`go`], if that is compiled code. Behind it `rax` has where to go otherwise, without the native frame.
fn stay(ops: &mut VecAssembler<X64Relocation>, reach: Reach) {
    let Reach { start, size } = reach;
    dynasm!(ops ; .arch x64 ; mov rax, [rsi]);
    match reach.is_near(start) {
        true => dynasm!(ops ; .arch x64 ; lea rcx, [extern start as usize]),
        false => dynasm!(ops ; .arch x64 ; mov rcx, QWORD start as i64),
    }
    dynasm!(ops
        ; .arch x64
        ; mov r8, rax
        ; sub r8, rcx
        ; cmp r8, size as i32
        ; jae >leave
        ; add rax, BYTE PROLOGUE as i8
        ; jmp rax
        ; leave:
    );
}
