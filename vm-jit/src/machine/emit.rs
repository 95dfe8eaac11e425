//! Instructions with registers to bytes.
#![allow(
    clippy::useless_conversion,
    reason = "what the assembler's macro expands to"
)]

use hashbrown::HashMap;

use dynasmrt::x64::X64Relocation;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, VecAssembler, dynasm};
use regalloc2::{Allocation, Block, Edit, Function, Inst, InstOrEdit, Output, RegClass};
use vm_def::ir::{
    BinaryOperation, Field, FieldKind, Intrinsic, OverflowOperation, Sequence, UnaryOperation,
};
use vm_def::types::TypeMask;
use vm_runtime::frame::HEADER_SLOTS;
use vm_runtime::generated::layout::{FIELD_OFFSETS, SEQUENCE_STARTS};
use vm_runtime::layout;
use vm_runtime::value::{
    DOUBLE, FALSE, HEADER_IMMUTABLE, LONG, REFCOUNTED, REFERENCE, STRING_COUNTED, STRING_INTERNED,
    Zval,
};

use super::frame::{self, PROLOGUE, SAVED_FRAME};
use super::lower::{Code, Condition, Exit, Kind, Memory, Right, Saved, Test};
use super::registers::{RAX, SCRATCH, SCRATCH_DOUBLE};
use crate::graph::{Slot, Type};

/// What compiled code knows of the world around it.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings {
    /// The VM.
    pub vm: u64,
    /// Its interrupt word.
    pub interrupt: u64,
    /// The first opline of the VM's copy.
    pub ops: u64,
    /// A counter for each opline: exits that guards may take before someone looks at them.
    pub counters: u64,
    /// Where guards go whose counter has run out: as a handler.
    pub exhausted: u64,
    /// Where code goes that follows an opline into the current frame; it keeps its native frame.
    pub follow: u64,
    /// Where compiled code begins.
    pub start: u64,
    /// Bytes that are set aside for compiled code.
    pub size: u32,
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

/// Emits code that will stand at `base`. `handler` gives the interpreter's handler of an opline.
pub fn emit(
    code: &Code,
    output: &Output,
    base: usize,
    surroundings: Surroundings,
    handler: &dyn Fn(u32) -> u64,
) -> Option<Emitted> {
    if output.num_spillslots > frame::SPILLS {
        return None;
    }
    let mut assembler = VecAssembler::new(base);
    let labels = (0..code.block_count())
        .map(|_| assembler.new_dynamic_label())
        .collect();
    let mut emitter = Emitter {
        code,
        output,
        assembler,
        labels,
        surroundings,
        exits: Vec::new(),
        doubles: HashMap::new(),
    };
    emitter.run(handler)
}

type Assembler = VecAssembler<X64Relocation>;

/// An exit whose code has yet to be emitted.
struct PendingExit {
    label: DynamicLabel,
    opline: u32,
    slots: Vec<(Slot, Location)>,
    /// Guards count how often they leave.
    counted: bool,
}

/// Where a value is.
#[derive(Clone, Copy, PartialEq)]
enum Location {
    Allocated(Type, Allocation),
    Constant(Type, u64),
    Bare(u8),
    Copied(Allocation),
    CopiedConstant(u64),
}

/// A base register and an offset.
#[derive(Clone, Copy)]
struct Address {
    base: u8,
    offset: i32,
}

/// The register of the frame.
const FRAME: u8 = 7;

struct Emitter<'a> {
    code: &'a Code,
    output: &'a Output,
    assembler: Assembler,
    labels: Vec<DynamicLabel>,
    surroundings: Surroundings,
    exits: Vec<PendingExit>,
    /// Float constants, which stand behind the code.
    doubles: HashMap<u64, DynamicLabel>,
}

/// The register of an allocation.
fn number(allocation: Allocation) -> u8 {
    match allocation.as_reg() {
        Some(register) => register.hw_enc() as u8,
        None => unreachable!("the operand was asked for in a register"),
    }
}

/// Offset of a slot from the frame.
fn offset(slot: Slot) -> i32 {
    ((HEADER_SLOTS + slot.0) as usize * size_of::<Zval>()) as i32
}

impl Address {
    /// Where the type word of the value is.
    fn kind(self) -> i32 {
        self.offset + layout::TYPE as i32
    }
}

impl Emitter<'_> {
    fn run(&mut self, handler: &dyn Fn(u32) -> u64) -> Option<Emitted> {
        let mut order: Vec<usize> = (1..self.code.first_edge).collect();
        // What leaves stands behind all else.
        order.sort_by_key(|&block| self.leaves(block));
        let mut outlined = Vec::new();
        for (position, &block) in order.iter().enumerate() {
            let next = order.get(position + 1).copied();
            self.block(block, next, &mut outlined);
        }
        while let Some(block) = outlined.pop() {
            self.block(block, None, &mut outlined);
        }
        let cold = self.assembler.offset().0;
        self.exits(handler);
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

    /// Whether compiled code ends with the block.
    fn leaves(&self, block: usize) -> bool {
        let last = self.code.block_insns(Block::new(block)).last();
        matches!(
            self.code.instructions[last.index()],
            Kind::Leave(..) | Kind::Follow
        )
    }

    /// If a block does nothing but go to another one, that one.
    fn passes_to(&self, block: Block) -> Option<Block> {
        let mut items = self.output.block_insts_and_edits(self.code, block);
        match items.next() {
            Some(InstOrEdit::Inst(instruction)) => {
                match self.code.instructions[instruction.index()] {
                    Kind::Jump(target) => Some(target),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The block to jump to in order to reach a block; none if that is one on the way there, which
    /// does something.
    fn simple(&self, block: Block) -> Option<Block> {
        match self.passes_to(block) {
            None if block.index() < self.code.first_edge => Some(block),
            target => target,
        }
    }

    /// The label to jump to in order to reach a block.
    fn label(&self, block: Block) -> DynamicLabel {
        let block = self.passes_to(block).unwrap_or(block);
        self.labels[block.index()]
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

    fn spill(&self, allocation: Allocation) -> Option<i32> {
        allocation.as_stack().map(|slot| slot.index() as i32 * 8)
    }

    fn transfer(&mut self, from: Allocation, to: Allocation) {
        if from == to {
            return;
        }
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
                let at = to.index() as i32 * 8;
                let source = from.hw_enc() as u8;
                match from.class() {
                    RegClass::Float => dynasm!(ops ; .arch x64 ; movsd [rsp + at], Rx(source)),
                    _ => dynasm!(ops ; .arch x64 ; mov [rsp + at], Rq(source)),
                }
            }
            (None, Some(to)) => {
                let at = from.index() as i32 * 8;
                let target = to.hw_enc() as u8;
                match to.class() {
                    RegClass::Float => dynasm!(ops ; .arch x64 ; movsd Rx(target), [rsp + at]),
                    _ => dynasm!(ops ; .arch x64 ; mov Rq(target), [rsp + at]),
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
            Kind::SlotAddress(slot) => {
                let target = at(self, 0);
                let offset = offset(*slot);
                dynasm!(self.assembler ; .arch x64 ; lea Rq(target), [rdi + offset]);
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
            }
            Kind::Set(condition) => self.set(*condition, at(self, 0), instruction),
            Kind::Frame => {
                let target = at(self, 0);
                dynasm!(self.assembler ; .arch x64 ; mov Rq(target), rdi);
            }
            Kind::Deref => self.deref(at(self, 0)),
            Kind::Load(memory, of) => {
                let from = self.address(*memory, instruction);
                self.load(from, *of, at(self, 0));
            }
            Kind::TypeWord(memory) => {
                let from = self.address(*memory, instruction);
                let (base, kind, target) = (from.base, from.kind(), at(self, 0));
                dynasm!(self.assembler ; .arch x64 ; mov Rd(target), [Rq(base) + kind]);
            }
            Kind::LoadField(field) => self.load_field(*field, at(self, 0), at(self, 1)),
            Kind::StoreField(field, right) => {
                let right = self.right(*right, instruction);
                self.store_field(*field, at(self, 0), right);
            }
            Kind::LoadWord(offset, of) => {
                let (target, base, offset) = (at(self, 0), at(self, 1), *offset as i32);
                debug_assert_ne!(*of, Type::Double, "words are no floats");
                dynasm!(self.assembler ; .arch x64 ; mov Rq(target), [Rq(base) + offset]);
            }
            Kind::Element(sequence, right) => {
                let right = self.right(*right, instruction);
                self.element(*sequence, at(self, 0), at(self, 1), right);
            }
            Kind::StoreTyped(memory, word, index) => {
                let to = self.address(*memory, instruction);
                let (base, offset, kind) = (to.base, to.offset, to.kind());
                let (source, word) = (at(self, *index), *word as i32);
                dynasm!(self.assembler
                    ; .arch x64
                    ; mov [Rq(base) + offset], Rq(source)
                    ; mov DWORD [Rq(base) + kind], word
                );
            }
            Kind::StoreString(memory, index) => {
                let to = self.address(*memory, instruction);
                self.store_string(to, at(self, *index));
            }
            Kind::Call(function) => self.call(*function as u64),
            Kind::Release(memory, function) => {
                let of = self.address(*memory, instruction);
                self.release(of, *function as u64);
            }
            Kind::Execute(opline, function) => self.execute(*opline, *function),
            Kind::Follow => {
                let opline = at(self, 0);
                let follow = self.surroundings.follow as i64;
                dynasm!(self.assembler
                    ; .arch x64
                    ; mov rsi, Rq(opline)
                    ; mov rax, QWORD follow
                    ; jmp rax
                );
            }
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
                self.jump_unless(*condition, exit, instruction);
            }
            Kind::GuardUncounted(memory, exit) => {
                let exit = self.pend(exit, instruction, true);
                let of = self.address(*memory, instruction);
                let (base, flags) = (of.base, of.kind() + 1);
                dynasm!(self.assembler
                    ; .arch x64
                    ; test BYTE [Rq(base) + flags], 1
                    ; jnz =>exit
                );
            }
            Kind::Poll(exit) => {
                let exit = self.pend(exit, instruction, false);
                let word = self.surroundings.interrupt as i64;
                dynasm!(self.assembler
                    ; .arch x64
                    ; mov r11, QWORD word
                    ; cmp DWORD [r11], 0
                    ; jne =>exit
                );
            }
            Kind::Leave(exit, counted) => {
                let exit = self.pend(exit, instruction, *counted);
                dynasm!(self.assembler ; .arch x64 ; jmp =>exit);
            }
            Kind::Switch(exit) => self.switch(exit, at(self, 0), at(self, 1), instruction),
            Kind::Jump(block) => {
                let target = self.passes_to(*block).unwrap_or(*block);
                if next != Some(target.index()) {
                    let label = self.labels[target.index()];
                    dynasm!(self.assembler ; .arch x64 ; jmp =>label);
                }
            }
            Kind::Branch(condition, then, otherwise) => {
                self.branch(*condition, *then, *otherwise, instruction, next, outlined);
            }
        }
    }

    fn branch(
        &mut self,
        condition: Condition,
        then: Block,
        otherwise: Block,
        instruction: Inst,
        next: Option<usize>,
        outlined: &mut Vec<usize>,
    ) {
        let (simple_then, simple_otherwise) = (self.simple(then), self.simple(otherwise));
        let leads_on =
            |target: Option<Block>| target.is_some_and(|target| next == Some(target.index()));
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
            Some(target) if next == Some(target.index()) => {}
            Some(target) => {
                let label = self.labels[target.index()];
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
                Err(_) => dynasm!(ops ; .arch x64 ; mov Rq(target), QWORD value),
            },
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

    fn unary(&mut self, operation: UnaryOperation, target: u8, source: u8) {
        let ops = &mut self.assembler;
        match operation {
            UnaryOperation::NegateLong => dynasm!(ops ; .arch x64 ; neg Rq(target)),
            UnaryOperation::NotLong => dynasm!(ops ; .arch x64 ; not Rq(target)),
            UnaryOperation::NotBool => dynasm!(ops ; .arch x64 ; xor Rd(target), 1),
            UnaryOperation::NegateDouble => {
                let sign = i64::MIN;
                dynasm!(ops
                    ; .arch x64
                    ; mov r11, QWORD sign
                    ; movq Rx(SCRATCH_DOUBLE), r11
                    ; xorpd Rx(target), Rx(SCRATCH_DOUBLE)
                );
            }
            UnaryOperation::LongToDouble => dynasm!(ops
                ; .arch x64
                ; xorps Rx(target), Rx(target)
                ; cvtsi2sd Rx(target), Rq(source)
            ),
            UnaryOperation::BoolToLong => {
                dynasm!(ops ; .arch x64 ; mov Rd(target), Rd(source));
            }
            UnaryOperation::LongToPointer | UnaryOperation::PointerToLong => {
                dynasm!(ops ; .arch x64 ; mov Rq(target), Rq(source));
            }
            UnaryOperation::IsNull => dynasm!(ops
                ; .arch x64
                ; test Rq(source), Rq(source)
                ; sete Rb(target)
                ; movzx Rd(target), Rb(target)
            ),
        }
    }

    /// The register of a right operand; constants stay what they are.
    fn right(&self, right: Right, instruction: Inst) -> Right {
        match right {
            Right::Register(index) => {
                Right::Register(usize::from(number(self.operand(instruction, index))))
            }
            constant => constant,
        }
    }

    fn checked(&mut self, operation: OverflowOperation, target: u8, right: Right) {
        let ops = &mut self.assembler;
        match (operation, right) {
            (OverflowOperation::Add, Right::Register(right)) => {
                dynasm!(ops ; .arch x64 ; add Rq(target), Rq(right as u8));
            }
            (OverflowOperation::Add, Right::Immediate(value)) => {
                dynasm!(ops ; .arch x64 ; add Rq(target), value);
            }
            (OverflowOperation::Sub, Right::Register(right)) => {
                dynasm!(ops ; .arch x64 ; sub Rq(target), Rq(right as u8));
            }
            (OverflowOperation::Sub, Right::Immediate(value)) => {
                dynasm!(ops ; .arch x64 ; sub Rq(target), value);
            }
            (OverflowOperation::Mul, Right::Register(right)) => {
                dynasm!(ops ; .arch x64 ; imul Rq(target), Rq(right as u8));
            }
            (OverflowOperation::Mul, Right::Immediate(value)) => {
                dynasm!(ops ; .arch x64 ; imul Rq(target), Rq(target), value);
            }
            (_, Right::Constant(_)) => unreachable!("integers have no float operands"),
        }
    }

    fn binary(&mut self, operation: BinaryOperation, target: u8, right: Right, instruction: Inst) {
        use BinaryOperation::*;
        let right = self.right(right, instruction);
        match operation {
            AddLong => self.checked(OverflowOperation::Add, target, right),
            SubLong => self.checked(OverflowOperation::Sub, target, right),
            MulLong => self.checked(OverflowOperation::Mul, target, right),
            DivLong | RemLong => self.divide(operation, right),
            AddDouble | SubDouble | MulDouble | DivDouble => {
                self.float(operation, target, right);
            }
            ShlLong | ShrLong => self.shift(operation, target, right),
            _ => self.bits(operation, target, right),
        }
    }

    fn bits(&mut self, operation: BinaryOperation, target: u8, right: Right) {
        use BinaryOperation::*;
        let ops = &mut self.assembler;
        match (operation, right) {
            (AndLong | AndBool, Right::Register(right)) => {
                dynasm!(ops ; .arch x64 ; and Rq(target), Rq(right as u8));
            }
            (AndLong | AndBool, Right::Immediate(value)) => {
                dynasm!(ops ; .arch x64 ; and Rq(target), value);
            }
            (OrLong | OrBool, Right::Register(right)) => {
                dynasm!(ops ; .arch x64 ; or Rq(target), Rq(right as u8));
            }
            (OrLong | OrBool, Right::Immediate(value)) => {
                dynasm!(ops ; .arch x64 ; or Rq(target), value);
            }
            (XorLong | XorBool, Right::Register(right)) => {
                dynasm!(ops ; .arch x64 ; xor Rq(target), Rq(right as u8));
            }
            (XorLong | XorBool, Right::Immediate(value)) => {
                dynasm!(ops ; .arch x64 ; xor Rq(target), value);
            }
            _ => unreachable!("comparisons are tests"),
        }
    }

    fn shift(&mut self, operation: BinaryOperation, target: u8, right: Right) {
        let left = operation == BinaryOperation::ShlLong;
        let ops = &mut self.assembler;
        match (left, right) {
            (true, Right::Immediate(count)) => {
                dynasm!(ops ; .arch x64 ; shl Rq(target), (count & 63) as i8);
            }
            (false, Right::Immediate(count)) => {
                dynasm!(ops ; .arch x64 ; sar Rq(target), (count & 63) as i8);
            }
            (true, _) => dynasm!(ops ; .arch x64 ; shl Rq(target), cl),
            (false, _) => dynasm!(ops ; .arch x64 ; sar Rq(target), cl),
        }
    }

    /// Divides `rax`; the divisor is not zero.
    fn divide(&mut self, operation: BinaryOperation, right: Right) {
        let Right::Register(right) = right else {
            unreachable!("divisors are in registers");
        };
        let right = right as u8;
        let ops = &mut self.assembler;
        // The processor traps where the smallest integer is divided by -1.
        match operation {
            BinaryOperation::DivLong => dynasm!(ops
                ; .arch x64
                ; cmp Rq(right), -1
                ; je >minus
                ; cqo
                ; idiv Rq(right)
                ; jmp >done
                ; minus:
                ; neg rax
                ; done:
            ),
            _ => dynasm!(ops
                ; .arch x64
                ; xor edx, edx
                ; cmp Rq(right), -1
                ; je >done
                ; cqo
                ; idiv Rq(right)
                ; done:
            ),
        }
    }

    fn float(&mut self, operation: BinaryOperation, target: u8, right: Right) {
        use BinaryOperation::*;
        let right = match right {
            Right::Constant(bits) => Err(self.double(bits)),
            Right::Register(right) => Ok(right as u8),
            Right::Immediate(_) => unreachable!("floats have no integer operands"),
        };
        let ops = &mut self.assembler;
        match (operation, right) {
            (AddDouble, Ok(right)) => dynasm!(ops ; .arch x64 ; addsd Rx(target), Rx(right)),
            (AddDouble, Err(label)) => dynasm!(ops ; .arch x64 ; addsd Rx(target), [=>label]),
            (SubDouble, Ok(right)) => dynasm!(ops ; .arch x64 ; subsd Rx(target), Rx(right)),
            (SubDouble, Err(label)) => dynasm!(ops ; .arch x64 ; subsd Rx(target), [=>label]),
            (MulDouble, Ok(right)) => dynasm!(ops ; .arch x64 ; mulsd Rx(target), Rx(right)),
            (MulDouble, Err(label)) => dynasm!(ops ; .arch x64 ; mulsd Rx(target), [=>label]),
            (_, Ok(right)) => dynasm!(ops ; .arch x64 ; divsd Rx(target), Rx(right)),
            (_, Err(label)) => dynasm!(ops ; .arch x64 ; divsd Rx(target), [=>label]),
        }
    }

    /// Where something is in memory.
    fn address(&self, memory: Memory, instruction: Inst) -> Address {
        match memory {
            Memory::Slot(slot) => Address {
                base: FRAME,
                offset: offset(slot),
            },
            Memory::At(index) => Address {
                base: number(self.operand(instruction, index)),
                offset: 0,
            },
        }
    }

    fn load(&mut self, from: Address, of: Type, target: u8) {
        let (base, offset, kind) = (from.base, from.offset, from.kind());
        let ops = &mut self.assembler;
        match of {
            Type::Double => dynasm!(ops ; .arch x64 ; movsd Rx(target), [Rq(base) + offset]),
            Type::Bool => dynasm!(ops
                ; .arch x64
                ; mov Rd(target), [Rq(base) + kind]
                ; and Rd(target), 1
            ),
            Type::Long | Type::Address => {
                dynasm!(ops ; .arch x64 ; mov Rq(target), [Rq(base) + offset]);
            }
        }
    }

    /// Follows a reference in place.
    fn deref(&mut self, target: u8) {
        let kind = layout::TYPE as i32;
        let inside = layout::REFERENCE_VALUE as i32;
        dynasm!(self.assembler
            ; .arch x64
            ; cmp BYTE [Rq(target) + kind], REFERENCE as i8
            ; jne >plain
            ; mov Rq(target), [Rq(target)]
            ; add Rq(target), inside
            ; plain:
        );
    }

    fn load_field(&mut self, field: Field, target: u8, base: u8) {
        let offset = FIELD_OFFSETS[usize::from(field.0)] as i32;
        let ops = &mut self.assembler;
        match field.facts().kind {
            FieldKind::Bool => {
                dynasm!(ops ; .arch x64 ; movzx Rd(target), BYTE [Rq(base) + offset]);
            }
            FieldKind::Unsigned => {
                dynasm!(ops ; .arch x64 ; mov Rd(target), [Rq(base) + offset]);
            }
            FieldKind::Word | FieldKind::Pointer(_) => {
                dynasm!(ops ; .arch x64 ; mov Rq(target), [Rq(base) + offset]);
            }
            FieldKind::Value => {
                dynasm!(ops ; .arch x64 ; lea Rq(target), [Rq(base) + offset]);
            }
        }
    }

    fn store_field(&mut self, field: Field, base: u8, value: Right) {
        let offset = FIELD_OFFSETS[usize::from(field.0)] as i32;
        let kind = field.facts().kind;
        if kind == FieldKind::Value {
            let Right::Register(source) = value else {
                unreachable!("the address of a value is in a register");
            };
            return self.copy(Address { base, offset }, source as u8, false);
        }
        let ops = &mut self.assembler;
        match (kind, value) {
            (FieldKind::Bool, Right::Register(value)) => {
                dynasm!(ops ; .arch x64 ; mov [Rq(base) + offset], Rb(value as u8));
            }
            (FieldKind::Bool, Right::Immediate(value)) => {
                dynasm!(ops ; .arch x64 ; mov BYTE [Rq(base) + offset], value as i8);
            }
            (FieldKind::Unsigned, Right::Register(value)) => {
                dynasm!(ops ; .arch x64 ; mov [Rq(base) + offset], Rd(value as u8));
            }
            (FieldKind::Unsigned, Right::Immediate(value)) => {
                dynasm!(ops ; .arch x64 ; mov DWORD [Rq(base) + offset], value);
            }
            (_, Right::Register(value)) => {
                dynasm!(ops ; .arch x64 ; mov [Rq(base) + offset], Rq(value as u8));
            }
            (_, Right::Immediate(value)) => {
                dynasm!(ops ; .arch x64 ; mov QWORD [Rq(base) + offset], value);
            }
            (_, Right::Constant(_)) => unreachable!("no field is a float"),
        }
    }

    fn element(&mut self, sequence: Sequence, target: u8, base: u8, index: Right) {
        let (start, is_pointer) = SEQUENCE_STARTS[usize::from(sequence.0)];
        let start = start as i32;
        let stride = i32::from(sequence.facts().stride);
        let ops = &mut self.assembler;
        match (index, is_pointer) {
            (Right::Immediate(index), false) => {
                let offset = start + index * stride;
                dynasm!(ops ; .arch x64 ; lea Rq(target), [Rq(base) + offset]);
            }
            (Right::Immediate(index), true) => {
                dynasm!(ops ; .arch x64 ; mov Rq(target), [Rq(base) + start]);
                if index != 0 {
                    dynasm!(ops ; .arch x64 ; add Rq(target), index * stride);
                }
            }
            (Right::Register(index), _) => {
                let shift = stride.trailing_zeros() as i8;
                dynasm!(ops
                    ; .arch x64
                    ; mov Rq(target), Rq(index as u8)
                    ; shl Rq(target), shift
                );
                match is_pointer {
                    true => dynasm!(ops ; .arch x64 ; add Rq(target), [Rq(base) + start]),
                    false => dynasm!(ops
                        ; .arch x64
                        ; lea Rq(target), [Rq(target) + Rq(base) + start]
                    ),
                }
            }
            (Right::Constant(_), _) => unreachable!("an index is an integer"),
        }
    }

    /// Copies payload and type word; what else stands in the slot belongs to its container.
    fn copy(&mut self, to: Address, from: u8, retains: bool) {
        let (base, offset, kind) = (to.base, to.offset, to.kind());
        let source = layout::TYPE as i32;
        let ops = &mut self.assembler;
        dynasm!(ops
            ; .arch x64
            ; mov r11d, [Rq(from) + source]
            ; mov [Rq(base) + kind], r11d
        );
        if retains {
            dynasm!(ops
                ; .arch x64
                ; test r11d, REFCOUNTED as i32
                ; mov r11, [Rq(from)]
                ; jz >uncounted
                ; add DWORD [r11], 1
                ; uncounted:
            );
        } else {
            dynasm!(ops ; .arch x64 ; mov r11, [Rq(from)]);
        }
        dynasm!(ops ; .arch x64 ; mov [Rq(base) + offset], r11);
    }

    /// Writes a string: it is counted unless its header says that it is immutable.
    fn store_string(&mut self, to: Address, source: u8) {
        let (base, offset, kind) = (to.base, to.offset, to.kind());
        let flags = layout::HEADER_FLAGS as i32;
        dynasm!(self.assembler
            ; .arch x64
            ; mov [Rq(base) + offset], Rq(source)
            ; mov DWORD [Rq(base) + kind], STRING_INTERNED as i32
            ; test DWORD [Rq(source) + flags], HEADER_IMMUTABLE as i32
            ; jnz >immutable
            ; mov DWORD [Rq(base) + kind], STRING_COUNTED as i32
            ; add DWORD [Rq(source)], 1
            ; immutable:
        );
    }

    /// The frame waits in the native frame, where entries have put it.
    fn call(&mut self, function: u64) {
        dynasm!(self.assembler
            ; .arch x64
            ; mov rax, QWORD function as i64
            ; call rax
            ; mov rdi, [rsp + SAVED_FRAME]
        );
    }

    fn release(&mut self, of: Address, function: u64) {
        let (base, offset, flags) = (of.base, of.offset, of.kind() + 1);
        let done = self.assembler.new_dynamic_label();
        dynasm!(self.assembler
            ; .arch x64
            ; test BYTE [Rq(base) + flags], (REFCOUNTED >> 8) as i8
            ; jz =>done
            ; lea rsi, [Rq(base) + offset]
        );
        self.call(function);
        dynasm!(self.assembler ; .arch x64 ; =>done);
    }

    fn execute(&mut self, opline: u32, function: u64) {
        let address = self.opline_address(opline);
        let vm = self.surroundings.vm as i64;
        dynasm!(self.assembler
            ; .arch x64
            ; mov rsi, QWORD address
            ; mov [rdi], rsi
            ; mov rdx, QWORD vm
        );
        self.call(function);
    }

    fn leave_for(&mut self, helper: u64, exit: &Exit, instruction: Inst) {
        for (slot, saved) in &exit.slots {
            let to = self.address(Memory::Slot(*slot), instruction);
            let location = self.location(*saved, instruction);
            self.store(to, location);
        }
        self.epilogue();
        let address = self.opline_address(exit.opline);
        let vm = self.surroundings.vm as i64;
        dynasm!(self.assembler
            ; .arch x64
            ; mov rsi, QWORD address
            ; mov rdx, QWORD vm
            ; mov rax, QWORD helper as i64
            ; jmp rax
        );
    }

    fn opline_address(&self, opline: u32) -> i64 {
        let offset = i64::from(opline) * size_of::<vm_runtime::op::Op>() as i64;
        self.surroundings.ops as i64 + offset
    }

    /// One owner more or less of what is counted.
    fn count(&mut self, of: Address, change: i8) {
        let (base, offset, flags) = (of.base, of.offset, of.kind() + 1);
        dynasm!(self.assembler
            ; .arch x64
            ; test BYTE [Rq(base) + flags], 1
            ; jz >uncounted
            ; mov r11, [Rq(base) + offset]
            ; add DWORD [r11], change as i32
            ; uncounted:
        );
    }

    /// Leaves for another frame.
    fn switch(&mut self, exit: &Exit, frame: u8, opline: u8, instruction: Inst) {
        for (slot, saved) in &exit.slots {
            let to = self.address(Memory::Slot(*slot), instruction);
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
        let vm = self.surroundings.vm as i64;
        let current = layout::VM_FRAME as i32;
        dynasm!(self.assembler
            ; .arch x64
            ; mov rdx, QWORD vm
            ; mov [rdx + current], rdi
        );
        go(
            &mut self.assembler,
            self.surroundings.start,
            self.surroundings.size,
        );
    }

    fn location(&self, saved: Saved, instruction: Inst) -> Location {
        match saved {
            Saved::Bare(number) => Location::Bare(number),
            Saved::Constant(of, bits) => Location::Constant(of, bits),
            Saved::Operand(of, index) => Location::Allocated(of, self.operand(instruction, index)),
            Saved::Copied(index) => Location::Copied(self.operand(instruction, index)),
            Saved::CopiedConstant(address) => Location::CopiedConstant(address),
        }
    }

    fn store(&mut self, to: Address, location: Location) {
        let (base, payload, kind) = (to.base, to.offset, to.kind());
        let type_number = match location {
            Location::Copied(allocation) => {
                let Some(at) = self.spill(allocation) else {
                    return self.copy(to, number(allocation), true);
                };
                dynasm!(self.assembler ; .arch x64 ; push rax ; mov rax, [rsp + at + 8]);
                self.copy(to, RAX as u8, true);
                dynasm!(self.assembler ; .arch x64 ; pop rax);
                return;
            }
            Location::CopiedConstant(address) => {
                dynasm!(self.assembler ; .arch x64 ; push rax ; mov rax, QWORD address as i64);
                self.copy(to, RAX as u8, true);
                dynasm!(self.assembler ; .arch x64 ; pop rax);
                return;
            }
            Location::Bare(number) => i32::from(number),
            Location::Constant(Type::Bool, value) => i32::from(FALSE) + value as i32,
            Location::Constant(of, bits) => {
                let ops = &mut self.assembler;
                match i32::try_from(bits as i64) {
                    Ok(value) => dynasm!(ops ; .arch x64 ; mov QWORD [Rq(base) + payload], value),
                    Err(_) => dynasm!(ops
                        ; .arch x64
                        ; mov r11, QWORD bits as i64
                        ; mov [Rq(base) + payload], r11
                    ),
                }
                number_of(of)
            }
            Location::Allocated(Type::Bool, allocation) => {
                let spilled = self.spill(allocation);
                let ops = &mut self.assembler;
                match spilled {
                    Some(at) => dynasm!(ops
                        ; .arch x64
                        ; mov r11d, [rsp + at]
                        ; add r11d, FALSE as i32
                    ),
                    None => {
                        let source = number(allocation);
                        dynasm!(ops ; .arch x64 ; lea Rd(SCRATCH), [Rq(source) + FALSE as i32]);
                    }
                }
                dynasm!(self.assembler ; .arch x64 ; mov [Rq(base) + kind], r11d);
                return;
            }
            Location::Allocated(of, allocation) => {
                let spilled = self.spill(allocation);
                let ops = &mut self.assembler;
                match spilled {
                    Some(at) => dynasm!(ops
                        ; .arch x64
                        ; mov r11, [rsp + at]
                        ; mov [Rq(base) + payload], r11
                    ),
                    None if of == Type::Double => {
                        let source = number(allocation);
                        dynasm!(ops ; .arch x64 ; movsd [Rq(base) + payload], Rx(source));
                    }
                    None => {
                        let source = number(allocation);
                        dynasm!(ops ; .arch x64 ; mov [Rq(base) + payload], Rq(source));
                    }
                }
                number_of(of)
            }
        };
        dynasm!(self.assembler ; .arch x64 ; mov DWORD [Rq(base) + kind], type_number);
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, target: u8, instruction: Inst) {
        let source = number(self.operand(instruction, 1));
        let ops = &mut self.assembler;
        match intrinsic {
            Intrinsic::KindOf => {
                let kind = layout::TYPE as i32;
                dynasm!(ops ; .arch x64 ; movzx Rd(target), BYTE [Rq(source) + kind]);
            }
            _ => unreachable!("has_intrinsic refuses the others"),
        }
    }

    /// Compares, so that the processor's flags answer; gives the code to jump on if the answer is
    /// yes, and whether an unordered comparison of floats has to be looked at.
    fn test(&mut self, test: Test, instruction: Inst) -> Flags {
        match test {
            Test::Bool(index) => {
                let value = number(self.operand(instruction, index));
                dynasm!(self.assembler ; .arch x64 ; test Rb(value), 1);
                Flags::NotEqual
            }
            Test::Long(operation, left, right) => {
                let left = number(self.operand(instruction, left));
                let right = self.right(right, instruction);
                let ops = &mut self.assembler;
                match right {
                    Right::Immediate(0) => dynasm!(ops ; .arch x64 ; test Rq(left), Rq(left)),
                    Right::Immediate(value) => dynasm!(ops ; .arch x64 ; cmp Rq(left), value),
                    Right::Register(right) => {
                        dynasm!(ops ; .arch x64 ; cmp Rq(left), Rq(right as u8));
                    }
                    Right::Constant(_) => unreachable!("integers have no float operands"),
                }
                Flags::of(operation)
            }
            Test::Double(operation, left, right) => {
                let left = number(self.operand(instruction, left));
                let right = match self.right(right, instruction) {
                    Right::Register(right) => right as u8,
                    Right::Constant(bits) => {
                        let label = self.double(bits);
                        dynasm!(self.assembler
                            ; .arch x64
                            ; movsd Rx(SCRATCH_DOUBLE), [=>label]
                        );
                        SCRATCH_DOUBLE
                    }
                    Right::Immediate(_) => unreachable!("floats have no integer operands"),
                };
                use BinaryOperation::{LeDouble, LtDouble};
                // "Less" is asked the other way round: the flags then say no to NaN by themselves.
                let swapped = matches!(operation, LtDouble | LeDouble);
                let (first, second) = if swapped {
                    (right, left)
                } else {
                    (left, right)
                };
                dynasm!(self.assembler ; .arch x64 ; ucomisd Rx(first), Rx(second));
                Flags::of(operation)
            }
            Test::Type(memory, types) => {
                let of = self.address(memory, instruction);
                self.test_type(of, types)
            }
        }
    }

    fn test_type(&mut self, of: Address, types: TypeMask) -> Flags {
        let (base, kind) = (of.base, of.kind());
        let ops = &mut self.assembler;
        if let Some(single) = types.single() {
            // Types without a count have no flags in their type word.
            match types.intersects(TypeMask::COUNTED) {
                true => dynasm!(ops ; .arch x64 ; cmp BYTE [Rq(base) + kind], single as i8),
                false => dynasm!(ops ; .arch x64 ; cmp DWORD [Rq(base) + kind], single as i32),
            }
            return Flags::Equal;
        }
        let low = types.0.trailing_zeros();
        let width = types.0.count_ones();
        dynasm!(ops ; .arch x64 ; movzx r11d, BYTE [Rq(base) + kind]);
        if types.0 >> low == (1 << width) - 1 {
            if low > 0 {
                dynasm!(ops ; .arch x64 ; sub r11d, low as i32);
            }
            dynasm!(ops ; .arch x64 ; cmp r11d, width as i32 - 1);
            return Flags::BelowOrEqual;
        }
        let mask = types.0 as i32;
        dynasm!(ops
            ; .arch x64
            ; mov [rsp - 8], r10
            ; mov r10d, mask
            ; bt r10d, r11d
            ; mov r10, [rsp - 8]
        );
        Flags::Below
    }

    fn set(&mut self, condition: Condition, target: u8, instruction: Inst) {
        let flags = self.test(condition.test, instruction);
        let flags = if condition.negated {
            flags.negated()
        } else {
            flags
        };
        let ops = &mut self.assembler;
        match flags {
            Flags::Equal => dynasm!(ops ; .arch x64 ; sete Rb(target)),
            Flags::NotEqual => dynasm!(ops ; .arch x64 ; setne Rb(target)),
            Flags::Less => dynasm!(ops ; .arch x64 ; setl Rb(target)),
            Flags::LessOrEqual => dynasm!(ops ; .arch x64 ; setle Rb(target)),
            Flags::Greater => dynasm!(ops ; .arch x64 ; setg Rb(target)),
            Flags::GreaterOrEqual => dynasm!(ops ; .arch x64 ; setge Rb(target)),
            Flags::Below => dynasm!(ops ; .arch x64 ; setb Rb(target)),
            Flags::BelowOrEqual => dynasm!(ops ; .arch x64 ; setbe Rb(target)),
            Flags::Above => dynasm!(ops ; .arch x64 ; seta Rb(target)),
            Flags::AboveOrEqual => dynasm!(ops ; .arch x64 ; setae Rb(target)),
            Flags::OrderedEqual => dynasm!(ops
                ; .arch x64
                ; setnp r11b
                ; sete Rb(target)
                ; and Rb(target), r11b
            ),
            Flags::UnorderedOrNotEqual => dynasm!(ops
                ; .arch x64
                ; setp r11b
                ; setne Rb(target)
                ; or Rb(target), r11b
            ),
        }
        dynasm!(ops ; .arch x64 ; movzx Rd(target), Rb(target));
    }

    fn jump_if(&mut self, condition: Condition, label: DynamicLabel, instruction: Inst) {
        let flags = self.test(condition.test, instruction);
        self.jump_on(
            if condition.negated {
                flags.negated()
            } else {
                flags
            },
            label,
        );
    }

    fn jump_unless(&mut self, condition: Condition, label: DynamicLabel, instruction: Inst) {
        let negated = !condition.negated;
        self.jump_if(
            Condition {
                negated,
                ..condition
            },
            label,
            instruction,
        );
    }

    fn jump_on(&mut self, flags: Flags, label: DynamicLabel) {
        let ops = &mut self.assembler;
        match flags {
            Flags::Equal => dynasm!(ops ; .arch x64 ; je =>label),
            Flags::NotEqual => dynasm!(ops ; .arch x64 ; jne =>label),
            Flags::Less => dynasm!(ops ; .arch x64 ; jl =>label),
            Flags::LessOrEqual => dynasm!(ops ; .arch x64 ; jle =>label),
            Flags::Greater => dynasm!(ops ; .arch x64 ; jg =>label),
            Flags::GreaterOrEqual => dynasm!(ops ; .arch x64 ; jge =>label),
            Flags::Below => dynasm!(ops ; .arch x64 ; jb =>label),
            Flags::BelowOrEqual => dynasm!(ops ; .arch x64 ; jbe =>label),
            Flags::Above => dynasm!(ops ; .arch x64 ; ja =>label),
            Flags::AboveOrEqual => dynasm!(ops ; .arch x64 ; jae =>label),
            Flags::OrderedEqual => dynasm!(ops
                ; .arch x64
                ; jp >unordered
                ; je =>label
                ; unordered:
            ),
            Flags::UnorderedOrNotEqual => dynasm!(ops
                ; .arch x64
                ; jp =>label
                ; jne =>label
            ),
        }
    }

    /// Notes an exit, whose code stands behind all else; gives its label.
    fn pend(&mut self, exit: &Exit, instruction: Inst, counted: bool) -> DynamicLabel {
        let slots: Vec<(Slot, Location)> = exit
            .slots
            .iter()
            .map(|(slot, saved)| (*slot, self.location(*saved, instruction)))
            .collect();
        let same = self.exits.iter().find(|known| {
            known.opline == exit.opline && known.counted == counted && known.slots == slots
        });
        if let Some(known) = same {
            return known.label;
        }
        let label = self.assembler.new_dynamic_label();
        self.exits.push(PendingExit {
            label,
            opline: exit.opline,
            slots,
            counted,
        });
        label
    }

    fn exits(&mut self, handler: &dyn Fn(u32) -> u64) {
        let mut tails: HashMap<(u32, bool), DynamicLabel> = HashMap::new();
        for exit in std::mem::take(&mut self.exits) {
            let label = exit.label;
            dynasm!(self.assembler ; .arch x64 ; =>label);
            for (slot, location) in exit.slots {
                let to = Address {
                    base: FRAME,
                    offset: offset(slot),
                };
                self.store(to, location);
            }
            if let Some(tail) = tails.get(&(exit.opline, exit.counted)) {
                let tail = *tail;
                dynasm!(self.assembler ; .arch x64 ; jmp =>tail);
                continue;
            }
            let tail = self.assembler.new_dynamic_label();
            tails.insert((exit.opline, exit.counted), tail);
            dynasm!(self.assembler ; .arch x64 ; =>tail);
            self.tail(exit.opline, exit.counted, handler(exit.opline));
        }
    }

    /// Leaves for a handler: everything is in the frame.
    fn tail(&mut self, opline: u32, counted: bool, handler: u64) {
        self.epilogue();
        let address = self.opline_address(opline);
        let vm = self.surroundings.vm as i64;
        dynasm!(self.assembler
            ; .arch x64
            ; mov rsi, QWORD address
            ; mov rdx, QWORD vm
        );
        if counted {
            let counter = self.surroundings.counters as i64 + i64::from(opline) * 4;
            let exhausted = self.surroundings.exhausted as i64;
            dynasm!(self.assembler
                ; .arch x64
                ; mov rax, QWORD counter
                ; sub DWORD [rax], 1
                ; jns >go
                ; mov rax, QWORD exhausted
                ; jmp rax
                ; go:
            );
        }
        dynasm!(self.assembler
            ; .arch x64
            ; mov rax, QWORD handler as i64
            ; jmp rax
        );
    }

    fn epilogue(&mut self) {
        frame::epilogue(&mut self.assembler);
    }

    fn entries(&mut self) -> Vec<(u32, usize)> {
        let mut entries = Vec::new();
        for (opline, block) in self.code.entries.clone() {
            entries.push((opline, self.assembler.offset().0));
            frame::prologue(&mut self.assembler);
            let label = self.label(block);
            dynasm!(self.assembler
                ; .arch x64
                ; mov [rsp + SAVED_FRAME], rdi
                ; jmp =>label
            );
        }
        entries
    }
}

/// Goes on with the opline in `rsi`; frame and VM are in their registers. Compiled code is entered
/// behind the making of the native frame, which is there.
pub fn go(ops: &mut VecAssembler<X64Relocation>, start: u64, size: u32) {
    dynasm!(ops
        ; .arch x64
        ; mov rax, [rsi]
        ; mov rcx, QWORD start as i64
        ; mov r8, rax
        ; sub r8, rcx
        ; cmp r8, size as i32
        ; jae >leave
        ; add rax, PROLOGUE
        ; jmp rax
        ; leave:
    );
    frame::epilogue(ops);
    dynasm!(ops ; .arch x64 ; jmp rax);
}

/// The type number of values of this type.
fn number_of(of: Type) -> i32 {
    i32::from(match of {
        Type::Double => DOUBLE,
        _ => LONG,
    })
}

/// Answers in the processor's flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flags {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Below,
    BelowOrEqual,
    Above,
    AboveOrEqual,
    OrderedEqual,
    UnorderedOrNotEqual,
}

impl Flags {
    fn of(operation: BinaryOperation) -> Flags {
        use BinaryOperation::*;
        match operation {
            EqLong | EqBool | EqPointer => Flags::Equal,
            NeLong | NeBool | NePointer => Flags::NotEqual,
            LtLong => Flags::Less,
            LeLong => Flags::LessOrEqual,
            GtLong => Flags::Greater,
            GeLong => Flags::GreaterOrEqual,
            EqDouble => Flags::OrderedEqual,
            NeDouble => Flags::UnorderedOrNotEqual,
            LtDouble | GtDouble => Flags::Above,
            LeDouble | GeDouble => Flags::AboveOrEqual,
            _ => unreachable!("{} is no comparison", operation.word()),
        }
    }

    fn negated(self) -> Flags {
        match self {
            Flags::Equal => Flags::NotEqual,
            Flags::NotEqual => Flags::Equal,
            Flags::Less => Flags::GreaterOrEqual,
            Flags::GreaterOrEqual => Flags::Less,
            Flags::LessOrEqual => Flags::Greater,
            Flags::Greater => Flags::LessOrEqual,
            Flags::Below => Flags::AboveOrEqual,
            Flags::AboveOrEqual => Flags::Below,
            Flags::BelowOrEqual => Flags::Above,
            Flags::Above => Flags::BelowOrEqual,
            Flags::OrderedEqual => Flags::UnorderedOrNotEqual,
            Flags::UnorderedOrNotEqual => Flags::OrderedEqual,
        }
    }
}
