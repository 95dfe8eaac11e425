//! Graphs to instructions with operands for the register allocator.

use regalloc2::{Block, Inst, InstRange, Operand, OperandConstraint, OperandKind, OperandPos};
use regalloc2::{PRegSet, RegClass, VReg};
use smallvec::SmallVec;
use vm_def::ir::{BinaryOperation, Intrinsic, UnaryOperation};

use vm_runtime::value::{NULL, UNDEF};

use super::addresses::{Addresses, Root};
use super::instruction::{Condition, Exit, Kind, Memory, Right, Saved, Test};
use super::reach::Reach;
use super::registers::{ARGUMENTS, RAX, RCX, RDX, caller_saved, general, general_caller_saved};
use super::survey::{FieldTest, Survey};
use crate::graph::{
    BlockId, Graph, Held, Operation, Place, SnapshotId, Table, Target, Terminator, Type, Value,
    Written,
};

/// Code whose registers are not chosen yet.
#[derive(Debug, Default)]
pub struct Code {
    /// The instructions, block by block.
    pub instructions: Vec<Kind>,
    operands: Vec<Operand>,
    operand_ends: Vec<u32>,
    /// By instruction, in their order.
    clobbers: Vec<(u32, PRegSet)>,
    blocks: Vec<Lowered>,
    values: usize,
    /// Blocks from this one on only lead from a branch to a target.
    pub first_edge: usize,
    /// The block of each entry, by opline.
    pub entries: Vec<(u32, Block)>,
}

#[derive(Debug, Default)]
struct Lowered {
    instructions: (u32, u32),
    successors: SmallVec<[Block; 2]>,
    predecessors: SmallVec<[Block; 4]>,
    parameters: Vec<VReg>,
    arguments: Vec<VReg>,
}

/// Lowers a graph.
pub fn lower(graph: &Graph, reach: Reach) -> Code {
    let order = graph.order();
    let instructions = order.iter().map(|id| graph.at(*id).instructions.len());
    let likely = instructions.sum::<usize>() + 2 * order.len();
    let mut lowering = Lowering {
        graph,
        code: Code {
            first_edge: order.len() + 1,
            instructions: Vec::with_capacity(likely),
            operands: Vec::with_capacity(2 * likely),
            operand_ends: Vec::with_capacity(likely),
            ..Code::default()
        },
        survey: Survey::of(graph, &order),
        addresses: Addresses::of(graph, &order, reach),
        numbers: Table::with_room(graph.blocks.len()),
        registers: Table::with_room(graph.types.len()),
        current: Vec::new(),
        split: Vec::new(),
        ways: graph.predecessor_counts(),
        next_block: order.len() + 1,
        called: match graph.types.contains(&Type::Double) {
            true => caller_saved(),
            false => general_caller_saved(),
        },
    };
    for (position, block) in order.iter().enumerate() {
        lowering.numbers.insert(*block, Block::new(position + 1));
    }
    lowering.entries();
    for &block in &order {
        lowering.block(block);
    }
    lowering.edges();
    lowering.code.find_predecessors();
    lowering.code
}

struct Lowering<'g> {
    graph: &'g Graph,
    code: Code,
    survey: Survey<'g>,
    addresses: Addresses,
    numbers: Table<BlockId, Block>,
    registers: Table<Value, u32>,
    /// Operands of the instruction that is being made.
    current: Vec<Operand>,
    /// Blocks to put between a branch and a target.
    split: Vec<(Block, &'g Target)>,
    /// How many ways lead to each block.
    ways: Vec<u32>,
    next_block: usize,
    /// What calls do not leave alone. The allocator makes an entry for each call and register, so float registers are
    /// named only where there are floats.
    called: PRegSet,
}

impl<'g> Lowering<'g> {
    fn number(&self, block: BlockId) -> Block {
        match self.numbers.get(block) {
            Some(number) => *number,
            None => unreachable!("blocks are numbered before anything leads to them"),
        }
    }

    fn begin(&mut self) {
        let start = self.code.instructions.len() as u32;
        self.code.blocks.push(Lowered {
            instructions: (start, start),
            ..Lowered::default()
        });
    }

    fn end(&mut self) {
        let end = self.code.instructions.len() as u32;
        if let Some(block) = self.code.blocks.last_mut() {
            block.instructions.1 = end;
        }
    }

    fn push(&mut self, kind: Kind) {
        self.code.push(kind, self.current.drain(..));
    }

    fn entries(&mut self) {
        self.begin();
        for entry in &self.graph.entries {
            let block = self.number(entry.block);
            self.code.entries.push((entry.opline, block));
            self.code.blocks[0].successors.push(block);
        }
        self.push(Kind::Entries);
        self.end();
    }

    /// The register of a value. Few of a graph's values get one: they are numbered anew.
    fn register(&mut self, value: Value) -> VReg {
        let class = class(self.graph.type_of(value));
        if let Some(&number) = self.registers.get(value) {
            return VReg::new(number as usize, class);
        }
        let register = self.fresh(class);
        self.registers.insert(value, register.vreg() as u32);
        register
    }

    fn fresh(&mut self, class: RegClass) -> VReg {
        self.code.values += 1;
        VReg::new(self.code.values - 1, class)
    }

    /// The bits of a constant that is known before the code runs.
    fn constant(&self, value: Value) -> Option<u64> {
        Some(match self.graph.known(value)? {
            Operation::Long(value) => *value as u64,
            Operation::Double(bits) => *bits,
            Operation::Bool(value) => u64::from(*value),
            Operation::Literal(address) => *address,
            _ => return None,
        })
    }

    /// The register of a value; a constant gets a new one.
    fn materialise(&mut self, value: Value) -> VReg {
        let kind = match (self.graph.known(value), self.constant(value)) {
            (Some(Operation::SlotAddress(slot)), _) => Kind::Address(Memory::slot(*slot)),
            (Some(Operation::Frame), _) => Kind::Address(Memory::Frame(0)),
            (Some(Operation::Double(bits)), _) => Kind::Double(*bits),
            (_, Some(bits)) => Kind::Long(bits as i64),
            _ => return self.register(value),
        };
        let register = self.fresh(class(self.graph.type_of(value)));
        // In front of the instruction that is being made.
        self.code.push(kind, [Operand::reg_def(register)]);
        register
    }

    /// Adds a use of a register and gives its index.
    fn using(&mut self, value: Value) -> usize {
        let register = self.materialise(value);
        self.current.push(Operand::reg_use(register));
        self.current.len() - 1
    }

    fn memory(&mut self, place: Place) -> Memory {
        match place {
            Place::Slot(slot) => Memory::slot(slot),
            Place::At(value) => self.memory_at(value),
        }
    }

    /// Where an address leads.
    fn memory_at(&mut self, address: Value) -> Memory {
        match self.addresses.get(address) {
            Some((Root::Frame, offset)) => Memory::Frame(offset),
            Some((Root::Near(address), offset)) => {
                Memory::Near(address.wrapping_add_signed(offset.into()))
            }
            Some((Root::Value(base), offset)) => Memory::At(self.using(base), offset),
            None => Memory::At(self.using(address), 0),
        }
    }

    fn right(&mut self, value: Value) -> Right {
        match self.constant(value) {
            Some(bits) if self.graph.type_of(value) == Type::Double => Right::Constant(bits),
            Some(bits) if i32::try_from(bits as i64).is_ok() => Right::Immediate(bits as i32),
            _ => Right::Register(self.using(value)),
        }
    }

    /// What decides, if that is whether a value is true, or false if that is asked.
    fn condition(&mut self, value: Value, negated: bool) -> Condition {
        if let Some(&FieldTest {
            field,
            base,
            of,
            negated: is_not,
        }) = self.survey.fields.get(value)
        {
            let test = Test::Field(field, self.memory_at(base), of);
            return Condition::Test(test, negated != is_not);
        }
        use BinaryOperation::{AndBool, OrBool};
        let test = match self.survey.fused.get(value) {
            Some(Operation::Binary(operation @ (AndBool | OrBool), left, right)) => {
                let sides = Box::new([
                    self.condition(*left, negated),
                    self.condition(*right, negated),
                ]);
                // Not both is either not.
                return match (*operation == AndBool) != negated {
                    true => Condition::Both(sides),
                    false => Condition::Either(sides),
                };
            }
            Some(Operation::Binary(operation, left, right)) => {
                if let Some((bits, mask)) = self.survey.bits(*left) {
                    let test = Test::Bits(self.using(bits), mask);
                    return Condition::Test(
                        test,
                        negated != (*operation == BinaryOperation::EqLong),
                    );
                }
                self.comparison(*operation, *left, *right)
            }
            Some(Operation::IsType(place, types)) => {
                let (place, types) = (*place, *types);
                Test::Type(self.memory(place), types)
            }
            Some(Operation::IsKept(place)) => {
                return Condition::Kept(self.memory(*place), negated);
            }
            Some(Operation::Unary(UnaryOperation::NotBool, value)) => {
                return self.condition(*value, !negated);
            }
            Some(Operation::Unary(_, value)) => {
                let index = self.using(*value);
                Test::Long(BinaryOperation::EqLong, index, Right::Immediate(0))
            }
            _ => Test::Bool(self.using(value)),
        };
        Condition::Test(test, negated)
    }

    fn comparison(&mut self, operation: BinaryOperation, left: Value, right: Value) -> Test {
        let double = self.graph.type_of(left) == Type::Double;
        let left = self.using(left);
        let right = self.right(right);
        match double {
            true => Test::Double(operation, left, right),
            false => Test::Long(operation, left, right),
        }
    }

    fn saved(&mut self, held: Held, position: OperandPos) -> Saved {
        let (Some(value), of) = (held.value(), held_type(held)) else {
            return match held {
                Held::Constant(constant) => Saved::Whole(constant.word, constant.payload),
                Held::Undef => Saved::Bare(UNDEF),
                _ => Saved::Bare(NULL),
            };
        };
        if let Some(bits) = self.constant(value) {
            return match held {
                Held::Copied(_) => Saved::CopiedConstant(bits),
                _ => Saved::Constant(of, bits),
            };
        }
        let index = self.anywhere(value, position);
        match held {
            Held::Copied(_) => Saved::Copied(index),
            _ => Saved::Operand(of, index),
        }
    }

    fn exit(&mut self, snapshot: SnapshotId, position: OperandPos) -> Exit {
        let graph = self.graph;
        let snapshot = &graph.snapshots[snapshot.0 as usize];
        let slots = snapshot.slots.iter();
        let slots = slots.map(|(slot, held)| (*slot, self.saved(*held, position)));
        let slots = slots.collect();
        let writes = snapshot.writes.iter().map(|write| match write.value {
            Written::Value(value) => (*write, Some(self.anywhere(value, position))),
            Written::Where(_) | Written::Long(_) => (*write, None),
        });
        Exit {
            opline: snapshot.opline,
            slots,
            writes: writes.collect(),
        }
    }

    /// Adds a use of a value wherever it is, and gives its index.
    fn anywhere(&mut self, value: Value, position: OperandPos) -> usize {
        let register = self.materialise(value);
        self.current.push(Operand::new(
            register,
            OperandConstraint::Any,
            OperandKind::Use,
            position,
        ));
        self.current.len() - 1
    }

    fn block(&mut self, id: BlockId) {
        self.begin();
        let graph = self.graph;
        let block = graph.at(id);
        let parameters = block.parameters.iter();
        let parameters = parameters.map(|value| self.register(*value)).collect();
        if let Some(lowered) = self.code.blocks.last_mut() {
            lowered.parameters = parameters;
        }
        for instruction in &block.instructions {
            self.instruction(instruction.output, &instruction.operation);
        }
        self.terminator(&block.terminator);
        self.end();
    }

    fn terminator(&mut self, terminator: &'g Terminator) {
        match terminator {
            Terminator::Helper(address, snapshot) => {
                let exit = self.exit(*snapshot, OperandPos::Early);
                self.push(Kind::Helper(*address, exit));
            }
            Terminator::Follow(opline) => {
                self.using(*opline);
                self.push(Kind::Follow);
            }
            Terminator::Leave(snapshot) => {
                let exit = self.exit(*snapshot, OperandPos::Early);
                self.push(Kind::Leave(exit, false));
            }
            Terminator::Unseen(snapshot) => {
                let exit = self.exit(*snapshot, OperandPos::Early);
                self.push(Kind::Leave(exit, true));
            }
            Terminator::Switch {
                frame,
                opline,
                snapshot,
            } => {
                self.using(*frame);
                self.using(*opline);
                let exit = self.exit(*snapshot, OperandPos::Early);
                self.push(Kind::Switch(exit));
            }
            Terminator::Jump(target) => self.jump(target),
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.condition(*condition, false);
                let (yes, no) = (self.between(then), self.between(otherwise));
                self.push(Kind::Branch(condition, yes, no));
                if let Some(block) = self.code.blocks.last_mut() {
                    block.successors.extend([yes, no]);
                }
            }
        }
    }

    fn jump(&mut self, target: &Target) {
        let arguments = target.arguments.iter();
        let arguments = arguments.map(|value| self.materialise(*value)).collect();
        let block = self.number(target.block);
        self.push(Kind::Jump(block));
        if let Some(lowered) = self.code.blocks.last_mut() {
            lowered.successors.push(block);
            lowered.arguments = arguments;
        }
    }

    /// Where a branch goes in order to reach a target: if others lead there as well, to a block of
    /// its own, where moves can stand.
    fn between(&mut self, target: &'g Target) -> Block {
        if self.ways[target.block.0 as usize] == 1 && target.arguments.is_empty() {
            return self.number(target.block);
        }
        let block = Block::new(self.next_block);
        self.next_block += 1;
        self.split.push((block, target));
        block
    }

    fn edges(&mut self) {
        for (_, target) in std::mem::take(&mut self.split) {
            self.begin();
            self.jump(target);
            self.end();
        }
    }

    fn define(&mut self, output: Option<Value>) {
        if let Some(value) = output {
            let register = self.register(value);
            self.current.push(Operand::reg_def(register));
        }
    }

    fn define_over(&mut self, output: Option<Value>) {
        if let Some(value) = output {
            let register = self.register(value);
            self.current.push(Operand::reg_reuse_def(register, 1));
        }
    }

    fn instruction(&mut self, output: Option<Value>, operation: &Operation) {
        if let Some(output) = output
            && (self.survey.is_made_where_needed(output) || self.addresses.is_only_accessed(output))
        {
            return;
        }
        if let Some(value) = output
            && self.addresses.get(value).is_some()
        {
            self.define(output);
            let memory = self.memory_at(value);
            self.push(Kind::Address(memory));
            return;
        }
        match operation {
            Operation::Long(_)
            | Operation::Double(_)
            | Operation::Bool(_)
            | Operation::Literal(_)
            | Operation::SlotAddress(_)
            | Operation::Frame => unreachable!("constants stand outside of blocks"),
            Operation::Unary(unary, value) => {
                match unary {
                    UnaryOperation::LongToDouble
                    | UnaryOperation::BoolToLong
                    | UnaryOperation::LongToPointer
                    | UnaryOperation::PointerToLong
                    | UnaryOperation::IsNull => {
                        self.define(output);
                    }
                    _ => self.define_over(output),
                }
                self.using(*value);
                self.push(Kind::Unary(*unary));
            }
            Operation::Binary(binary, left, right) => self.binary(output, *binary, *left, *right),
            Operation::Checked(checked, left, right, snapshot) => {
                self.define_over(output);
                self.using(*left);
                let right = self.right(*right);
                let exit = self.exit(*snapshot, OperandPos::Late);
                self.push(Kind::Checked(*checked, right, exit));
            }
            Operation::Intrinsic(intrinsic, arguments)
                if super::runtime::function(*intrinsic).is_some() =>
            {
                self.call(output, *intrinsic, arguments.as_slice());
            }
            Operation::Intrinsic(intrinsic, arguments) => {
                self.define(output);
                for argument in arguments.as_slice() {
                    self.using(*argument);
                }
                self.push(Kind::Intrinsic(*intrinsic));
            }
            Operation::Deref(value) => {
                self.define_over(output);
                self.using(*value);
                self.push(Kind::Deref);
            }
            Operation::Load(place, of) => {
                self.define(output);
                let memory = self.memory(*place);
                self.push(Kind::Load(memory, *of));
            }
            Operation::TypeWord(place) => {
                self.define(output);
                let memory = self.memory(*place);
                self.push(Kind::TypeWord(memory));
            }
            Operation::IsKept(place) => {
                self.define(output);
                let memory = self.memory(*place);
                self.push(Kind::IsKept(memory));
            }
            Operation::IsType(place, types) => {
                self.define(output);
                let test = Test::Type(self.memory(*place), *types);
                self.push(Kind::Set(test));
            }
            Operation::LoadField(field, base) => {
                self.define(output);
                let memory = self.memory_at(*base);
                self.push(Kind::LoadField(*field, memory));
            }
            Operation::StoreField(field, base, value) => {
                let memory = self.memory_at(*base);
                let right = self.right(*value);
                self.push(Kind::StoreField(*field, memory, right));
            }
            // It has said what it has to say to the passes.
            Operation::LeaveHead(_) => {}
            Operation::LoadWord(base, offset, of) => {
                self.define(output);
                let memory = self.memory_at(*base);
                self.push(Kind::LoadWord(memory, *offset, *of));
            }
            Operation::Element(sequence, base, index) => {
                // Computed in two steps: what it defines must not be what it reads.
                if let Some(value) = output {
                    let register = self.register(value);
                    self.current.push(Operand::reg_def_at_start(register));
                }
                let base = self.materialise(*base);
                self.current.push(Operand::reg_use_at_end(base));
                let right = match self.constant(*index) {
                    Some(bits) if (0..1 << 20).contains(&(bits as i64)) => {
                        Right::Immediate(bits as i32)
                    }
                    _ => {
                        let index = self.materialise(*index);
                        self.current.push(Operand::reg_use_at_end(index));
                        Right::Register(2)
                    }
                };
                self.push(Kind::Element(*sequence, right));
            }
            Operation::Store(place, held) => {
                let memory = self.memory(*place);
                let saved = self.saved(*held, OperandPos::Early);
                self.push(Kind::Store(memory, saved));
            }
            Operation::StoreTyped(place, word, value) => {
                let memory = self.memory(*place);
                let index = self.using(*value);
                self.push(Kind::StoreTyped(memory, *word, index));
            }
            Operation::StoreString(place, value) => {
                let memory = self.memory(*place);
                let index = self.using(*value);
                self.push(Kind::StoreString(memory, index));
            }
            Operation::Copy(place, value, retains) => {
                let memory = self.memory(*place);
                let index = self.using(*value);
                self.push(Kind::Copy(memory, index, *retains));
            }
            Operation::Retain(place) => {
                let memory = self.memory(*place);
                self.push(Kind::Retain(memory));
            }
            Operation::DropShare(place) => {
                let memory = self.memory(*place);
                self.push(Kind::DropShare(memory));
            }
            Operation::Release(place, released) => {
                let memory = match place {
                    Place::Slot(slot) => Memory::slot(*slot),
                    Place::At(value) => {
                        let register = self.materialise(*value);
                        self.current
                            .push(Operand::reg_fixed_use(register, general(ARGUMENTS[0])));
                        Memory::At(0, 0)
                    }
                };
                self.push_call(Kind::Release(memory, *released), self.called);
            }
            Operation::Execute(opline, function) => {
                let mut clobbers = self.called;
                if let Some(value) = output {
                    let register = self.register(value);
                    self.current
                        .push(Operand::reg_fixed_def(register, general(RAX)));
                    clobbers.remove(general(RAX));
                }
                self.push_call(Kind::Execute(*opline, *function), clobbers);
            }
            Operation::GuardType(place, types, snapshot) => {
                let test = Test::Type(self.memory(*place), *types);
                let exit = self.exit(*snapshot, OperandPos::Early);
                self.push(Kind::Guard(Condition::Test(test, false), exit));
            }
            Operation::GuardUncounted(place, snapshot) => {
                let memory = self.memory(*place);
                let exit = self.exit(*snapshot, OperandPos::Early);
                self.push(Kind::GuardUncounted(memory, exit));
            }
            Operation::Guard(value, snapshot) => {
                let condition = self.condition(*value, false);
                let exit = self.exit(*snapshot, OperandPos::Early);
                self.push(Kind::Guard(condition, exit));
            }
            Operation::Onward(value, address, behind) => {
                self.using(*value);
                self.push(Kind::Onward(*address, *behind));
            }
            // Only passes look at it.
            Operation::Loop(_) => {}
            Operation::Interrupt => {
                self.define(output);
                self.push(Kind::Interrupt);
            }
            Operation::Poll(word, snapshot) => {
                let memory = self.memory_at(*word);
                let exit = self.exit(*snapshot, OperandPos::Early);
                self.push(Kind::Poll(memory, exit));
            }
        }
    }

    /// A call: the frame stays in its register, arguments stand behind it.
    fn call(&mut self, output: Option<Value>, intrinsic: Intrinsic, arguments: &[Value]) {
        let Some(function) = super::runtime::function(intrinsic) else {
            return;
        };
        let mut clobbers = self.called;
        if let Some(value) = output {
            let register = self.register(value);
            self.current
                .push(Operand::reg_fixed_def(register, general(RAX)));
            clobbers.remove(general(RAX));
        }
        for (argument, number) in arguments.iter().zip(ARGUMENTS) {
            let register = self.materialise(*argument);
            self.current
                .push(Operand::reg_fixed_use(register, general(number)));
        }
        self.push_call(Kind::Call(function), clobbers);
    }

    /// Adds an instruction that calls.
    fn push_call(&mut self, kind: Kind, clobbers: PRegSet) {
        let instruction = self.code.instructions.len() as u32;
        self.code.clobbers.push((instruction, clobbers));
        self.push(kind);
    }

    fn binary(
        &mut self,
        output: Option<Value>,
        operation: BinaryOperation,
        left: Value,
        right: Value,
    ) {
        use BinaryOperation::{DivLong, RemLong, ShlLong, ShrLong};
        let compares = output.is_some_and(|value| self.graph.type_of(value) == Type::Bool)
            && !operation.word().ends_with("_bool");
        if compares || matches!(operation, BinaryOperation::EqBool | BinaryOperation::NeBool) {
            self.define(output);
            let test = self.comparison(operation, left, right);
            self.push(Kind::Set(test));
            return;
        }
        match operation {
            DivLong | RemLong => {
                let (result, other) = match operation {
                    DivLong => (RAX, RDX),
                    _ => (RDX, RAX),
                };
                if let Some(value) = output {
                    let register = self.register(value);
                    let fixed = Operand::reg_fixed_def(register, general(result));
                    self.current.push(fixed);
                }
                let left = self.materialise(left);
                self.current
                    .push(Operand::reg_fixed_use(left, general(RAX)));
                // Not one of the two registers that division takes: late, so that it is neither.
                let right = self.materialise(right);
                self.current.push(Operand::reg_use_at_end(right));
                let instruction = self.code.instructions.len() as u32;
                let clobbers = PRegSet::empty().with(general(other));
                self.code.clobbers.push((instruction, clobbers));
                self.push(Kind::Binary(operation, Right::Register(2)));
            }
            ShlLong | ShrLong if self.constant(right).is_none() => {
                self.define_over(output);
                self.using(left);
                let right = self.materialise(right);
                self.current
                    .push(Operand::reg_fixed_use(right, general(RCX)));
                self.push(Kind::Binary(operation, Right::Register(2)));
            }
            _ => {
                self.define_over(output);
                self.using(left);
                let right = self.right(right);
                self.push(Kind::Binary(operation, right));
            }
        }
    }
}

fn class(of: Type) -> RegClass {
    match of {
        Type::Double => RegClass::Float,
        Type::Long | Type::Bool | Type::Address => RegClass::Int,
    }
}

fn held_type(held: Held) -> Type {
    match held {
        Held::Double(_) => Type::Double,
        Held::Bool(_) => Type::Bool,
        Held::Copied(_) => Type::Address,
        Held::Long(_) | Held::Null | Held::Undef | Held::Constant(_) => Type::Long,
    }
}

impl Code {
    fn push(&mut self, kind: Kind, operands: impl IntoIterator<Item = Operand>) {
        self.instructions.push(kind);
        self.operands.extend(operands);
        self.operand_ends.push(self.operands.len() as u32);
    }

    fn find_predecessors(&mut self) {
        for index in 0..self.blocks.len() {
            for way in 0..self.blocks[index].successors.len() {
                let successor = self.blocks[index].successors[way];
                let predecessors = &mut self.blocks[successor.index()].predecessors;
                predecessors.push(Block::new(index));
            }
        }
    }

    /// Blocks in the order of their numbers.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    fn at(&self, block: Block) -> &Lowered {
        &self.blocks[block.index()]
    }
}

impl regalloc2::Function for Code {
    fn num_insts(&self) -> usize {
        self.instructions.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> Block {
        Block::new(0)
    }

    fn block_insns(&self, block: Block) -> InstRange {
        let (start, end) = self.at(block).instructions;
        InstRange::new(Inst::new(start as usize), Inst::new(end as usize))
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        &self.at(block).successors
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        &self.at(block).predecessors
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        &self.at(block).parameters
    }

    fn is_ret(&self, instruction: Inst) -> bool {
        matches!(
            self.instructions[instruction.index()],
            Kind::Leave(..) | Kind::Follow | Kind::Helper(..) | Kind::Switch(_)
        )
    }

    fn is_branch(&self, instruction: Inst) -> bool {
        matches!(
            self.instructions[instruction.index()],
            Kind::Entries | Kind::Jump(_) | Kind::Branch(..)
        )
    }

    fn branch_blockparams(&self, block: Block, _: Inst, _: usize) -> &[VReg] {
        &self.at(block).arguments
    }

    fn inst_operands(&self, instruction: Inst) -> &[Operand] {
        let index = instruction.index();
        let start = match index {
            0 => 0,
            _ => self.operand_ends[index - 1],
        };
        &self.operands[start as usize..self.operand_ends[index] as usize]
    }

    fn inst_clobbers(&self, instruction: Inst) -> PRegSet {
        if !self.instructions[instruction.index()].clobbers() {
            return PRegSet::empty();
        }
        let number = instruction.index() as u32;
        let found = self
            .clobbers
            .binary_search_by_key(&number, |&(instruction, _)| instruction);
        found.map_or_else(|_| PRegSet::empty(), |index| self.clobbers[index].1)
    }

    fn num_vregs(&self) -> usize {
        self.values
    }

    fn spillslot_size(&self, _: RegClass) -> usize {
        1
    }
}
