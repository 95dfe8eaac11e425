//! Instructions with registers to bytes.
#![allow(
    clippy::useless_conversion,
    reason = "what the assembler's macro expands to"
)]

/// One instruction with a place in memory, `@`: a base and an offset, which takes one byte if it is small. The frame
/// has the shortest form, and what is near the code has neither register nor offset.
macro_rules! near {
    ($ops:expr, $base:expr, $offset:expr; $($text:tt)*) => {{
        let (base, far): (Base, i32) = (Base::from($base), $offset);
        match (base, i8::try_from(far)) {
            (Base::Frame, Ok(0)) => near!(emit $ops, [] [rdi]; $($text)*),
            (Base::Frame, Ok(close)) => near!(emit $ops, [] [BYTE rdi + close]; $($text)*),
            (Base::Frame, Err(_)) => near!(emit $ops, [] [DWORD rdi + far]; $($text)*),
            (Base::Stack, Ok(close)) => near!(emit $ops, [] [BYTE rsp + close]; $($text)*),
            (Base::Stack, Err(_)) => near!(emit $ops, [] [DWORD rsp + far]; $($text)*),
            (Base::Register(base), Ok(close)) => {
                near!(emit $ops, [] [BYTE Rq(base) + close]; $($text)*);
            }
            (Base::Register(base), Err(_)) => {
                near!(emit $ops, [] [DWORD Rq(base) + far]; $($text)*);
            }
            (Base::Near(base), _) => {
                let place = base.wrapping_add_signed(far.into()) as usize;
                near!(emit $ops, [] [extern place]; $($text)*);
            }
        }
    }};
    (emit $ops:expr, [$($done:tt)*] $place:tt; @ $($rest:tt)*) => {
        dynasm!($ops ; .arch x64 ; $($done)* $place $($rest)*)
    };
    (emit $ops:expr, [$($done:tt)*] $place:tt; $next:tt $($rest:tt)*) => {
        near!(emit $ops, [$($done)* $next] $place; $($rest)*)
    };
}

/// One instruction whose last operand is a number, which takes one byte if it is small.
macro_rules! short {
    ($ops:expr, $value:expr; $($text:tt)*) => {
        match i8::try_from($value) {
            Ok(close) => dynasm!($ops ; .arch x64 ; $($text)*, BYTE close),
            Err(_) => dynasm!($ops ; .arch x64 ; $($text)*, DWORD $value),
        }
    };
}

mod arithmetic;
mod conditions;
mod leaving;
mod order;
mod values;

pub use leaving::go;

use hashbrown::HashMap;

use dynasmrt::x64::X64Relocation;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, VecAssembler, dynasm};
use regalloc2::{Allocation, Block, Edit, Inst, InstOrEdit, Output, RegClass};
use vm_def::ir::Intrinsic;
use vm_runtime::layout;
use vm_runtime::string::STRING_HEADER;

use super::frame;
use super::instruction::{Condition, Kind};
use super::lower::Code;
use super::reach::Reach;
use super::registers::SCRATCH;
use super::runtime;
use super::stress::StressedCode;
use crate::graph::{Slot, Type, Write};

/// The oplines of a function that is part of a unit.
#[derive(Debug, Clone, Copy)]
pub struct Placed {
    /// The number of the first one in the unit.
    pub first: u32,
    /// Its address, in the VM's copy.
    pub ops: u64,
    /// Where the function's frame begins: bytes from the frame of the unit.
    pub frame: i32,
}

/// What compiled code knows of the world around it.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The VM.
    pub vm: u64,
    /// Its interrupt word.
    pub interrupt: u64,
    /// The functions, by their first oplines.
    pub bodies: Vec<Placed>,
    /// The interpreter's handler of each opline.
    pub handlers: Vec<u64>,
    /// The number of the unit in its tier.
    pub unit: u32,
    /// A counter for each opline: exits that guards may take before someone looks at them.
    pub counters: u64,
    /// Where guards go whose counter has run out: as a handler.
    pub exhausted: u64,
    /// Where code goes that follows an opline into the current frame; it keeps its native frame.
    pub follow: u64,
    /// Where compiled code may stand.
    pub reach: Reach,
    /// What has guards leave for no reason.
    pub stress: Option<StressedCode>,
}

/// Bytes of code and where it is entered.
#[derive(Debug)]
pub struct Emitted {
    /// The code.
    pub bytes: Vec<u8>,
    /// Offset of the entry of each opline.
    pub entries: Vec<(u32, usize)>,
    /// Where the code of guards' exits begins; before it is what runs when all goes well.
    pub cold: usize,
}

/// Emits code that is to stand at an address: what it refers to by distance is part of it, or near. Its length does
/// not depend on where it stands.
pub fn emit(
    code: &Code,
    output: &Output,
    surroundings: &Surroundings,
    start: u64,
) -> Option<Emitted> {
    if output.num_spillslots > frame::SPILLS {
        return None;
    }
    let mut assembler = VecAssembler::new(start as usize);
    let labels = (0..code.block_count())
        .map(|_| assembler.new_dynamic_label())
        .collect();
    let ways_out = WaysOut {
        plain: assembler.new_dynamic_label(),
        counted: assembler.new_dynamic_label(),
    };
    let mut emitter = Emitter {
        code,
        output,
        assembler,
        labels,
        beyond: order::beyond(code, output),
        surroundings,
        stress: surroundings.stress,
        exits: Vec::new(),
        follows: HashMap::new(),
        ways_out,
        doubles: HashMap::new(),
    };
    emitter.run()
}

type Assembler = VecAssembler<X64Relocation>;

/// Where all ways out of the code end.
#[derive(Clone, Copy)]
struct WaysOut {
    plain: DynamicLabel,
    /// Counting how often guards leave.
    counted: DynamicLabel,
}

/// An exit whose code has yet to be emitted.
struct PendingExit {
    label: DynamicLabel,
    opline: u32,
    slots: Vec<(Slot, Location)>,
    /// Fields to write, with where the value is if it is not known.
    writes: Vec<(Write, Option<Allocation>)>,
    /// Guards count how often they leave.
    counted: bool,
}

/// Where a value is.
#[derive(Clone, Copy, PartialEq)]
enum Location {
    Allocated(Type, Allocation),
    Constant(Type, u64),
    Bare(u8),
    Whole(u32, u64),
    Copied(Allocation),
    CopiedConstant(u64),
}

/// A base and an offset.
#[derive(Clone, Copy)]
struct Address {
    base: Base,
    offset: i32,
}

/// What an address is counted from.
#[derive(Clone, Copy, PartialEq)]
enum Base {
    /// The frame, in its register.
    Frame,
    /// The native stack.
    Stack,
    /// Another register.
    Register(u8),
    /// What stands near the code.
    Near(u64),
}

/// The register of the frame.
const FRAME: u8 = 7;

impl From<u8> for Base {
    fn from(register: u8) -> Base {
        match register {
            FRAME => Base::Frame,
            other => Base::Register(other),
        }
    }
}

struct Emitter<'a> {
    code: &'a Code,
    output: &'a Output,
    assembler: Assembler,
    labels: Vec<DynamicLabel>,
    /// Where each block leads that only goes on to another one, as [`order::beyond`] gives it.
    beyond: Vec<usize>,
    surroundings: &'a Surroundings,
    stress: Option<StressedCode>,
    exits: Vec<PendingExit>,
    /// Where the opline in a register, or one so far behind it, goes on.
    follows: HashMap<(u8, u32), DynamicLabel>,
    ways_out: WaysOut,
    /// Float constants, which stand behind the code.
    doubles: HashMap<u64, DynamicLabel>,
}

/// Bytes to a multiple of which the beginnings of innermost loops are moved. Code itself begins at multiples of it.
const LOOP_ALIGNMENT: usize = 32;

/// Instructions of 1 to 9 bytes that do nothing, as the manuals of processors recommend them.
const NOPS: [&[u8]; 9] = [
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
];

/// The register of an allocation.
fn number(allocation: Allocation) -> u8 {
    match allocation.as_reg() {
        Some(register) => register.hw_enc() as u8,
        None => unreachable!("the operand was asked for in a register"),
    }
}

impl Address {
    /// Where the type word of the value is.
    fn kind(self) -> i32 {
        self.offset + layout::TYPE as i32
    }
}

impl Emitter<'_> {
    fn run(&mut self) -> Option<Emitted> {
        let order = order::of(self.code, &self.beyond);
        let loops = order::innermost_loops(self.code, &order, &self.beyond);
        let mut outlined = Vec::new();
        for (position, &block) in order.iter().enumerate() {
            let next = order.get(position + 1).copied();
            if loops.contains(&block) {
                self.align_loop();
            }
            self.block(block, next, &mut outlined);
        }
        while let Some(block) = outlined.pop() {
            self.block(block, None, &mut outlined);
        }
        let cold = self.assembler.offset().0;
        self.exits();
        self.elsewhere();
        self.end_ways_out();
        let entries = self.entries();
        self.doubles();
        let taken = std::mem::replace(&mut self.assembler, VecAssembler::new(0));
        let bytes = taken.finalize().ok()?;
        Some(Emitted {
            bytes,
            entries,
            cold,
        })
    }

    /// A short loop is fetched as a whole if it does not begin near the end of what the processor fetches at once.
    fn align_loop(&mut self) {
        let mut missing = self.assembler.offset().0.wrapping_neg() % LOOP_ALIGNMENT;
        while missing > 0 {
            let length = missing.min(NOPS.len());
            self.assembler.extend(NOPS[length - 1]);
            missing -= length;
        }
    }

    /// The block to jump to in order to reach a block; none if an edge on the way there does something.
    fn simple(&self, block: Block) -> Option<usize> {
        let target = self.beyond[block.index()];
        (target < self.code.first_edge).then_some(target)
    }

    /// The label to jump to in order to reach a block.
    fn label(&self, block: Block) -> DynamicLabel {
        self.labels[self.beyond[block.index()]]
    }

    fn block(&mut self, block: usize, next: Option<usize>, outlined: &mut Vec<usize>) {
        let label = self.labels[block];
        dynasm!(self.assembler ; .arch x64 ; =>label);
        let output = self.output;
        for item in output.block_insts_and_edits(self.code, Block::new(block)) {
            match item {
                InstOrEdit::Edit(Edit::Move { from, to }) => self.transfer(*from, *to),
                InstOrEdit::Inst(instruction) => {
                    self.instruction(instruction, next, outlined);
                }
            }
        }
    }

    /// Where a value that was spilled is, from `rsp`.
    fn spill(&self, allocation: Allocation) -> Option<i32> {
        allocation
            .as_stack()
            .map(|slot| frame::FIRST_SPILL + slot.index() as i32 * 8)
    }

    fn transfer(&mut self, from: Allocation, to: Allocation) {
        if from == to {
            return;
        }
        let (spilled, at) = (self.spill(from), self.spill(to));
        let at = at.or(spilled).unwrap_or_default();
        let ops = &mut self.assembler;
        match (from.as_reg(), to.as_reg()) {
            (Some(from), Some(to)) => {
                let (source, target) = (from.hw_enc() as u8, to.hw_enc() as u8);
                match from.class() {
                    RegClass::Float => {
                        dynasm!(ops ; .arch x64 ; movaps Rx(target), Rx(source));
                    }
                    _ => dynasm!(ops ; .arch x64 ; mov Rq(target), Rq(source)),
                }
            }
            (Some(from), None) => {
                let source = from.hw_enc() as u8;
                match from.class() {
                    RegClass::Float => near!(ops, Base::Stack, at; movsd @, Rx(source)),
                    _ => near!(ops, Base::Stack, at; mov @, Rq(source)),
                }
            }
            (None, Some(to)) => {
                let target = to.hw_enc() as u8;
                match to.class() {
                    RegClass::Float => near!(ops, Base::Stack, at; movsd Rx(target), @),
                    _ => near!(ops, Base::Stack, at; mov Rq(target), @),
                }
            }
            (None, None) => unreachable!("moves between stack slots go through a register"),
        }
    }

    fn operand(&self, instruction: Inst, index: usize) -> Allocation {
        self.output.inst_allocs(instruction)[index]
    }

    fn instruction(&mut self, instruction: Inst, next: Option<usize>, outlined: &mut Vec<usize>) {
        let code = self.code;
        let at = |this: &Self, index| number(this.operand(instruction, index));
        match &code.instructions[instruction.index()] {
            Kind::Entries => {}
            Kind::Long(value) => {
                let target = at(self, 0);
                self.load_long(target, *value);
            }
            Kind::Double(bits) => {
                let target = at(self, 0);
                let ops = &mut self.assembler;
                if *bits == 0 {
                    dynasm!(ops ; .arch x64 ; xorps Rx(target), Rx(target));
                } else {
                    let label = self.double(*bits);
                    dynasm!(self.assembler ; .arch x64 ; movsd Rx(target), [=>label]);
                }
            }
            Kind::Address(memory) => {
                let target = at(self, 0);
                let Address { base, offset } = self.address(*memory, instruction);
                self.distance(target, base, offset);
            }
            Kind::Unary(operation) => self.unary(*operation, at(self, 0), at(self, 1)),
            Kind::Binary(operation, right) => {
                self.binary(*operation, at(self, 0), *right, instruction);
            }
            Kind::Checked(operation, right, exit) => {
                let target = at(self, 0);
                let right = self.right(*right, instruction);
                self.checked(*operation, target, right);
                let exit = self.pend(exit, instruction, true);
                dynasm!(self.assembler ; .arch x64 ; jo =>exit);
                self.stress(exit);
            }
            Kind::Set(test) => self.set(*test, at(self, 0), instruction),
            Kind::Deref => self.deref(at(self, 0)),
            Kind::Load(memory, of) => {
                let from = self.address(*memory, instruction);
                self.load(from, *of, at(self, 0));
            }
            Kind::TypeWord(memory) => {
                let from = self.address(*memory, instruction);
                let target = at(self, 0);
                near!(self.assembler, from.base, from.kind(); mov Rd(target), @);
            }
            Kind::IsKept(memory) => {
                let of = self.address(*memory, instruction);
                self.is_kept(of, at(self, 0));
            }
            Kind::LoadField(field, memory) => {
                let from = self.address(*memory, instruction);
                self.load_field(*field, at(self, 0), from);
            }
            Kind::StoreField(field, memory, right) => {
                let right = self.right(*right, instruction);
                let to = self.address(*memory, instruction);
                self.store_field(*field, to, right);
            }
            Kind::LoadWord(memory, offset, of) => {
                let from = self.address(*memory, instruction);
                let (target, offset) = (at(self, 0), from.offset + *offset as i32);
                debug_assert_ne!(*of, Type::Double, "words are no floats");
                near!(self.assembler, from.base, offset; mov Rq(target), @);
            }
            Kind::Element(sequence, right) => {
                let right = self.right(*right, instruction);
                self.element(*sequence, at(self, 0), at(self, 1), right);
            }
            Kind::StoreTyped(memory, word, index) => {
                let to = self.address(*memory, instruction);
                let (base, offset, kind) = (to.base, to.offset, to.kind());
                let (source, word) = (at(self, *index), *word as i32);
                near!(self.assembler, base, offset; mov @, Rq(source));
                near!(self.assembler, base, kind; mov DWORD @, word);
            }
            Kind::StoreString(memory, index) => {
                let to = self.address(*memory, instruction);
                self.store_string(to, at(self, *index));
            }
            Kind::Call(function) => self.call(*function as u64),
            Kind::Release(memory, released) => {
                let of = self.address(*memory, instruction);
                self.release(of, *released);
            }
            Kind::Execute(opline, function) => self.execute(*opline, *function),
            Kind::Follow => self.follow(at(self, 0), 0),
            Kind::Onward(address, behind) => self.onward(at(self, 0), *address, *behind),
            Kind::Helper(address, exit) => self.leave_for(*address, exit, instruction),
            Kind::Copy(memory, index, retains) => {
                let to = self.address(*memory, instruction);
                self.copy(to, at(self, *index), *retains);
            }
            Kind::Retain(memory) => {
                let from = self.address(*memory, instruction);
                self.count(from, 1);
            }
            Kind::DropShare(memory) => {
                let from = self.address(*memory, instruction);
                self.count(from, -1);
            }
            Kind::Store(memory, saved) => {
                let location = self.location(*saved, instruction);
                let to = self.address(*memory, instruction);
                self.store(to, location);
            }
            Kind::Intrinsic(intrinsic) => {
                self.intrinsic(*intrinsic, at(self, 0), instruction);
            }
            Kind::Guard(condition, exit) => {
                let exit = self.pend(exit, instruction, true);
                self.stress(exit);
                self.jump_unless(condition, exit, instruction);
            }
            Kind::GuardUncounted(memory, exit) => {
                let exit = self.pend(exit, instruction, true);
                self.stress(exit);
                let of = self.address(*memory, instruction);
                let (base, flags) = (of.base, of.kind() + 1);
                near!(self.assembler, base, flags; test BYTE @, 1);
                dynasm!(self.assembler ; .arch x64 ; jnz =>exit);
            }
            Kind::Interrupt => self.load_address(at(self, 0), self.surroundings.interrupt),
            Kind::Poll(memory, exit) => {
                let exit = self.pend(exit, instruction, false);
                self.stress(exit);
                let word = self.address(*memory, instruction);
                near!(self.assembler, word.base, word.offset; cmp DWORD @, 0);
                dynasm!(self.assembler ; .arch x64 ; jne =>exit);
            }
            Kind::Leave(exit, counted) => {
                let exit = self.pend(exit, instruction, *counted);
                dynasm!(self.assembler ; .arch x64 ; jmp =>exit);
            }
            Kind::Switch(exit) => self.switch(exit, at(self, 0), at(self, 1), instruction),
            Kind::Jump(block) => {
                if next != Some(self.beyond[block.index()]) {
                    let label = self.label(*block);
                    dynasm!(self.assembler ; .arch x64 ; jmp =>label);
                }
            }
            Kind::Branch(condition, then, otherwise) => {
                self.branch(condition, *then, *otherwise, instruction, next, outlined);
            }
        }
    }

    fn branch(
        &mut self,
        condition: &Condition,
        then: Block,
        otherwise: Block,
        instruction: Inst,
        next: Option<usize>,
        outlined: &mut Vec<usize>,
    ) {
        let (simple_then, simple_otherwise) = (self.simple(then), self.simple(otherwise));
        let leads_on = |target: Option<usize>| target.is_some() && target == next;
        // The way that is not simple, or else the one that stands next, is fallen into.
        let falls_into_then =
            leads_on(simple_then) || simple_then.is_none() && simple_otherwise.is_some();
        let (jumped, fallen) = match falls_into_then {
            true => (otherwise, then),
            false => (then, otherwise),
        };
        if self.simple(jumped).is_none() {
            outlined.push(jumped.index());
        }
        let label = self.label(jumped);
        match falls_into_then {
            true => self.jump_unless(condition, label, instruction),
            false => self.jump_if(condition, label, instruction),
        }
        match self.simple(fallen) {
            Some(target) if next == Some(target) => {}
            Some(target) => {
                let label = self.labels[target];
                dynasm!(self.assembler ; .arch x64 ; jmp =>label);
            }
            None => self.block(fallen.index(), next, outlined),
        }
    }

    fn load_long(&mut self, target: u8, value: i64) {
        let ops = &mut self.assembler;
        match value {
            0 => dynasm!(ops ; .arch x64 ; xor Rd(target), Rd(target)),
            1..=0x7fff_ffff => dynasm!(ops ; .arch x64 ; mov Rd(target), value as i32),
            _ => match i32::try_from(value) {
                Ok(value) => dynasm!(ops ; .arch x64 ; mov Rq(target), value),
                Err(_) => self.load_address(target, value as u64),
            },
        }
    }

    /// Loads an address, by its distance if it is near.
    fn load_address(&mut self, target: u8, address: u64) {
        let ops = &mut self.assembler;
        match self.surroundings.reach.is_near(address) {
            true => dynasm!(ops ; .arch x64 ; lea Rq(target), [extern address as usize]),
            false => dynasm!(ops ; .arch x64 ; mov Rq(target), QWORD address as i64),
        }
    }

    fn double(&mut self, bits: u64) -> DynamicLabel {
        let assembler = &mut self.assembler;
        *self
            .doubles
            .entry(bits)
            .or_insert_with(|| assembler.new_dynamic_label())
    }

    fn doubles(&mut self) {
        let mut doubles: Vec<(u64, DynamicLabel)> = self.doubles.drain().collect();
        doubles.sort_by_key(|(bits, _)| *bits);
        dynasm!(self.assembler ; .arch x64 ; .align 8);
        for (bits, label) in doubles {
            dynasm!(self.assembler ; .arch x64 ; =>label ; .u64 bits);
        }
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, target: u8, instruction: Inst) {
        let source = number(self.operand(instruction, 1));
        match intrinsic {
            Intrinsic::KindOf => {
                let kind = layout::TYPE as i32;
                dynasm!(self.assembler ; .arch x64 ; movzx Rd(target), BYTE [Rq(source) + kind]);
            }
            Intrinsic::StringByte => {
                let index = number(self.operand(instruction, 2));
                let start = STRING_HEADER as i32;
                dynasm!(self.assembler
                    ; .arch x64
                    ; movzx Rd(target), BYTE [Rq(source) + Rq(index) + start]
                );
            }
            Intrinsic::SingleByte => {
                self.load_address(SCRATCH, runtime::single_bytes() as u64);
                dynasm!(self.assembler ; .arch x64 ; mov Rq(target), [r11 + Rq(source) * 8]);
            }
            _ => unreachable!("the others are called"),
        }
    }
}
