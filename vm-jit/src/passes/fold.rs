//! What is known when compiling is not computed when running.

use vm_def::ir::layout::Start;
use vm_def::ir::{BinaryOperation, OverflowOperation, UnaryOperation};

use super::rewrite;
use crate::graph::{Graph, Operation, Replacements, Slot, Table, Terminator, Value};

/// Folds operations on constants, and branches and guards on known truth values.
pub fn run(graph: &mut Graph) {
    let mut folder = Folder {
        constants: Table::with_room(graph.types.len()),
        ..Folder::default()
    };
    for id in graph.order() {
        let mut instructions = std::mem::take(&mut graph.at_mut(id).instructions);
        instructions.retain_mut(|instruction| {
            let replaced = &folder.replaced;
            if !replaced.is_empty() {
                instruction
                    .operation
                    .map_operands(|value| replaced.current(value));
            }
            folder.fold(graph, &mut instruction.operation);
            if let Operation::Guard(value, _) = instruction.operation
                && folder.truth(value) == Some(true)
            {
                return false;
            }
            if let (Some(output), Some(same)) =
                (instruction.output, folder.same_as(&instruction.operation))
            {
                folder.replaced.insert(output, same);
                return false;
            }
            if let Some(output) = instruction.output {
                folder.note(output, &instruction.operation);
            }
            true
        });
        let block = graph.at_mut(id);
        block.instructions = instructions;
        if let Terminator::Branch {
            condition,
            then,
            otherwise,
        } = &block.terminator
        {
            let condition = folder.replaced.current(*condition);
            let taken = folder.truth(condition).map(|truth| match truth {
                true => then.clone(),
                false => otherwise.clone(),
            });
            if let Some(taken) = taken {
                block.terminator = Terminator::Jump(taken);
            }
        }
    }
    let replaced = folder.replaced;
    if !replaced.is_empty() {
        rewrite(graph, |value| replaced.current(value));
    }
}

/// A value that is known when compiling.
#[derive(Debug, Clone, Copy)]
enum Constant {
    Long(i64),
    Double(u64),
    Bool(bool),
    Literal(u64),
    SlotAddress(Slot),
}

impl Constant {
    fn of(operation: &Operation) -> Option<Constant> {
        Some(match *operation {
            Operation::Long(value) => Constant::Long(value),
            Operation::Double(bits) => Constant::Double(bits),
            Operation::Bool(value) => Constant::Bool(value),
            Operation::Literal(address) => Constant::Literal(address),
            Operation::SlotAddress(slot) => Constant::SlotAddress(slot),
            _ => return None,
        })
    }

    fn operation(self) -> Operation {
        match self {
            Constant::Long(value) => Operation::Long(value),
            Constant::Double(bits) => Operation::Double(bits),
            Constant::Bool(value) => Operation::Bool(value),
            Constant::Literal(address) => Operation::Literal(address),
            Constant::SlotAddress(slot) => Operation::SlotAddress(slot),
        }
    }
}

/// What is known of values.
#[derive(Debug, Default)]
pub struct Folder {
    constants: Table<Value, Constant>,
    /// Addresses by the integers that they became.
    addresses: Table<Value, Value>,
    replaced: Replacements,
}

impl Folder {
    /// Notes what defines a value.
    pub fn note(&mut self, output: Value, operation: &Operation) {
        if let Some(constant) = Constant::of(operation) {
            self.constants.insert(output, constant);
        }
        if let Operation::Unary(UnaryOperation::PointerToLong, address) = operation {
            self.addresses.insert(output, *address);
        }
    }

    /// What a value is known to be.
    pub fn constant(&self, value: Value) -> Option<Operation> {
        self.constants
            .get(value)
            .map(|constant| constant.operation())
    }

    /// The integer that a value is known to be.
    pub fn long(&self, value: Value) -> Option<i64> {
        match self.constants.get(value)? {
            Constant::Long(value) => Some(*value),
            _ => None,
        }
    }

    /// The float that a value is known to be.
    pub fn double(&self, value: Value) -> Option<f64> {
        match self.constants.get(value)? {
            Constant::Double(bits) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    /// The truth value that a value is known to have.
    pub fn truth(&self, value: Value) -> Option<bool> {
        match self.constants.get(value)? {
            Constant::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The value that an operation gives again.
    pub fn same_as(&self, operation: &Operation) -> Option<Value> {
        use BinaryOperation::*;
        if let Operation::Unary(UnaryOperation::LongToPointer, value) = operation {
            return self.addresses.get(*value).copied();
        }
        let Operation::Binary(operation, left, right) = operation else {
            return None;
        };
        match operation {
            AddLong | SubLong | OrLong | XorLong | ShlLong | ShrLong => {
                (self.long(*right) == Some(0)).then_some(*left)
            }
            MulLong | DivLong => (self.long(*right) == Some(1)).then_some(*left),
            AndLong => (self.long(*right) == Some(-1)).then_some(*left),
            MulDouble | DivDouble => (self.double(*right) == Some(1.0)).then_some(*left),
            AndBool if self.truth(*left) == Some(true) => Some(*right),
            AndBool => (self.truth(*right) == Some(true)).then_some(*left),
            OrBool if self.truth(*left) == Some(false) => Some(*right),
            OrBool => (self.truth(*right) == Some(false)).then_some(*left),
            _ => None,
        }
    }

    /// The address that a value is known to be.
    pub fn address(&self, value: Value) -> Option<u64> {
        match self.constants.get(value)? {
            Constant::Literal(address) => Some(*address),
            _ => None,
        }
    }

    /// Replaces an operation whose value is known by a constant.
    pub fn fold(&self, graph: &Graph, operation: &mut Operation) {
        let folded = match operation {
            Operation::Unary(unary, value) => self.unary(*unary, *value),
            Operation::Binary(binary, left, right) => self.binary(*binary, *left, *right),
            Operation::LoadField(field, base) => self
                .address(*base)
                .and_then(|address| graph.fact(*field, address)),
            Operation::Element(sequence, base, index) => {
                let facts = sequence.facts();
                match (self.address(*base), self.long(*index), facts.start) {
                    (Some(address), Some(index), Start::Here) => {
                        let offset = index.wrapping_mul(i64::from(facts.stride));
                        Some(Operation::Literal(address.wrapping_add_signed(offset)))
                    }
                    _ => None,
                }
            }
            Operation::Checked(checked, left, right, _) => {
                match (self.long(*left), self.long(*right)) {
                    (Some(left), Some(right)) => match checked {
                        OverflowOperation::Add => left.checked_add(right),
                        OverflowOperation::Sub => left.checked_sub(right),
                        OverflowOperation::Mul => left.checked_mul(right),
                    }
                    .map(Operation::Long),
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some(folded) = folded {
            *operation = folded;
        }
    }

    fn unary(&self, operation: UnaryOperation, value: Value) -> Option<Operation> {
        Some(match operation {
            UnaryOperation::NegateLong => Operation::Long(self.long(value)?.wrapping_neg()),
            UnaryOperation::NotLong => Operation::Long(!self.long(value)?),
            UnaryOperation::NegateDouble => Operation::Double((-self.double(value)?).to_bits()),
            UnaryOperation::NotBool => Operation::Bool(!self.truth(value)?),
            UnaryOperation::LongToDouble => Operation::Double((self.long(value)? as f64).to_bits()),
            UnaryOperation::BoolToLong => Operation::Long(i64::from(self.truth(value)?)),
            UnaryOperation::LongToPointer => Operation::Literal(self.long(value)? as u64),
            UnaryOperation::IsNull => match self.constants.get(value)? {
                Constant::Literal(address) => Operation::Bool(*address == 0),
                Constant::SlotAddress(_) => Operation::Bool(false),
                _ => return None,
            },
            UnaryOperation::PointerToLong => match self.constants.get(value)? {
                Constant::Literal(address) => Operation::Long(*address as i64),
                _ => return None,
            },
        })
    }

    fn binary(&self, operation: BinaryOperation, left: Value, right: Value) -> Option<Operation> {
        use BinaryOperation::*;
        if let (Some(left), Some(right)) = (self.long(left), self.long(right)) {
            return Some(match operation {
                AddLong => Operation::Long(left.wrapping_add(right)),
                SubLong => Operation::Long(left.wrapping_sub(right)),
                MulLong => Operation::Long(left.wrapping_mul(right)),
                DivLong if right != 0 => Operation::Long(left.wrapping_div(right)),
                RemLong if right != 0 => Operation::Long(left.wrapping_rem(right)),
                AndLong => Operation::Long(left & right),
                OrLong => Operation::Long(left | right),
                XorLong => Operation::Long(left ^ right),
                ShlLong => Operation::Long(left.wrapping_shl(right as u32)),
                ShrLong => Operation::Long(left.wrapping_shr(right as u32)),
                EqLong => Operation::Bool(left == right),
                NeLong => Operation::Bool(left != right),
                LtLong => Operation::Bool(left < right),
                LeLong => Operation::Bool(left <= right),
                GtLong => Operation::Bool(left > right),
                GeLong => Operation::Bool(left >= right),
                WithinLong => Operation::Bool((left as u64) < right as u64),
                _ => return None,
            });
        }
        // What is known stands on the right: there it needs no register.
        if let Some(known) = self.long(left)
            && let Some(mirrored) = mirrored(operation, known)
        {
            return Some(Operation::Binary(mirrored, right, left));
        }
        if let (Some(left), Some(right)) = (self.double(left), self.double(right)) {
            let double = |value: f64| Some(Operation::Double(value.to_bits()));
            return match operation {
                AddDouble => double(left + right),
                SubDouble => double(left - right),
                MulDouble => double(left * right),
                DivDouble => double(left / right),
                EqDouble => Some(Operation::Bool(left == right)),
                NeDouble => Some(Operation::Bool(left != right)),
                LtDouble => Some(Operation::Bool(left < right)),
                LeDouble => Some(Operation::Bool(left <= right)),
                GtDouble => Some(Operation::Bool(left > right)),
                GeDouble => Some(Operation::Bool(left >= right)),
                _ => None,
            };
        }
        if let (Some(Constant::Literal(left)), Some(Constant::Literal(right))) =
            (self.constants.get(left), self.constants.get(right))
        {
            return match operation {
                EqPointer => Some(Operation::Bool(left == right)),
                NePointer => Some(Operation::Bool(left != right)),
                _ => None,
            };
        }
        let known = [self.truth(left), self.truth(right)];
        if operation == AndBool && known.contains(&Some(false)) {
            return Some(Operation::Bool(false));
        }
        if operation == OrBool && known.contains(&Some(true)) {
            return Some(Operation::Bool(true));
        }
        if let (Some(left), Some(right)) = (self.truth(left), self.truth(right)) {
            return Some(Operation::Bool(match operation {
                AndBool => left && right,
                OrBool => left || right,
                XorBool | NeBool => left != right,
                EqBool => left == right,
                _ => return None,
            }));
        }
        None
    }
}

/// The operation that gives the same with its operands exchanged, of which the left one is this number.
fn mirrored(operation: BinaryOperation, left: i64) -> Option<BinaryOperation> {
    use BinaryOperation::*;
    Some(match operation {
        AddLong | MulLong | AndLong | OrLong | XorLong | EqLong | NeLong => operation,
        LtLong => GtLong,
        LeLong => GeLong,
        GtLong => LtLong,
        GeLong => LeLong,
        // The count is not negative.
        WithinLong if left >= 0 => GtLong,
        _ => return None,
    })
}
