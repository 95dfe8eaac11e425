//! What is known when compiling is not computed when running.

use vm_def::ir::layout::Start;
use vm_def::ir::{BinaryOperation, OverflowOperation, UnaryOperation};

use super::rewrite;
use crate::graph::{Graph, Instruction, Operation, Replacements, Table, Terminator, Value};

/// Folds operations on constants, and branches and guards on known truth values.
pub fn run(graph: &mut Graph) {
    let (mut folder, mut replaced) = (Folder::default(), Replacements::default());
    for id in graph.order() {
        let mut instructions = std::mem::take(&mut graph.at_mut(id).instructions);
        instructions.retain_mut(|instruction| {
            if !replaced.is_empty() {
                instruction
                    .operation
                    .map_operands(|value| replaced.current(value));
            }
            if folder.replaces(graph, instruction, &mut replaced) {
                return false;
            }
            let condition = match instruction.operation {
                Operation::Guard(condition, _) => graph.truth(condition),
                _ => None,
            };
            condition != Some(true)
        });
        graph.at_mut(id).instructions = instructions;
        if let Terminator::Branch {
            condition,
            then,
            otherwise,
        } = &graph.at(id).terminator
            && let Some(truth) = graph.truth(replaced.current(*condition))
        {
            let taken = if truth { then } else { otherwise };
            graph.at_mut(id).terminator = Terminator::Jump(taken.clone());
        }
    }
    if !replaced.is_empty() {
        rewrite(graph, |value| replaced.current(value));
    }
}

/// What is known of values that are no constants.
#[derive(Debug, Default)]
pub struct Folder {
    /// Addresses by the integers that they became.
    addresses: Table<Value, Value>,
}

impl Folder {
    /// Folds an instruction. Whether another value stands for what it gives, which is noted as its replacement.
    pub fn replaces(
        &mut self,
        graph: &mut Graph,
        instruction: &mut Instruction,
        replaced: &mut Replacements,
    ) -> bool {
        let operation = &mut instruction.operation;
        fold(graph, operation);
        let Some(output) = instruction.output else {
            return false;
        };
        let same = match operation.is_constant() {
            true => Some(graph.constant(*operation)),
            false => self.same_as(graph, operation),
        };
        match same {
            Some(same) => replaced.insert(output, same),
            None => self.note(output, operation),
        }
        same.is_some()
    }

    /// Notes what defines a value.
    pub fn note(&mut self, output: Value, operation: &Operation) {
        if let Operation::Unary(UnaryOperation::PointerToLong, address) = operation {
            self.addresses.insert(output, *address);
        }
    }

    /// The value that an operation gives again.
    pub fn same_as(&self, graph: &Graph, operation: &Operation) -> Option<Value> {
        use BinaryOperation::*;
        if let Operation::Unary(UnaryOperation::LongToPointer, value) = operation {
            return self.addresses.get(*value).copied();
        }
        let Operation::Binary(operation, left, right) = operation else {
            return None;
        };
        if graph.known(*left).is_none() && graph.known(*right).is_none() {
            return None;
        }
        match operation {
            AddLong | SubLong | OrLong | XorLong | ShlLong | ShrLong => {
                (graph.long(*right) == Some(0)).then_some(*left)
            }
            MulLong | DivLong => (graph.long(*right) == Some(1)).then_some(*left),
            AndLong => (graph.long(*right) == Some(-1)).then_some(*left),
            MulDouble | DivDouble => (graph.double(*right) == Some(1.0)).then_some(*left),
            AndBool if graph.truth(*left) == Some(true) => Some(*right),
            AndBool => (graph.truth(*right) == Some(true)).then_some(*left),
            OrBool if graph.truth(*left) == Some(false) => Some(*right),
            OrBool => (graph.truth(*right) == Some(false)).then_some(*left),
            _ => None,
        }
    }
}

/// Replaces an operation whose value is known by a constant.
pub fn fold(graph: &Graph, operation: &mut Operation) {
    let folded = match operation {
        Operation::Unary(unary, value) => unary_constant(graph, *unary, *value),
        Operation::Binary(binary, left, right) => binary_constant(graph, *binary, *left, *right),
        Operation::LoadField(field, base) => graph
            .address(*base)
            .and_then(|address| graph.fact(*field, address)),
        Operation::Element(sequence, base, index) => {
            let facts = sequence.facts();
            match (graph.address(*base), graph.long(*index), facts.start) {
                (Some(address), Some(index), Start::Here) => {
                    let offset = index.wrapping_mul(i64::from(facts.stride));
                    Some(Operation::Literal(address.wrapping_add_signed(offset)))
                }
                _ => None,
            }
        }
        Operation::Checked(checked, left, right, _) => {
            match (graph.long(*left), graph.long(*right)) {
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

fn unary_constant(graph: &Graph, operation: UnaryOperation, value: Value) -> Option<Operation> {
    Some(match operation {
        UnaryOperation::NegateLong => Operation::Long(graph.long(value)?.wrapping_neg()),
        UnaryOperation::NotLong => Operation::Long(!graph.long(value)?),
        UnaryOperation::NegateDouble => Operation::Double((-graph.double(value)?).to_bits()),
        UnaryOperation::NotBool => Operation::Bool(!graph.truth(value)?),
        UnaryOperation::LongToDouble => Operation::Double((graph.long(value)? as f64).to_bits()),
        UnaryOperation::BoolToLong => Operation::Long(i64::from(graph.truth(value)?)),
        UnaryOperation::LongToPointer => Operation::Literal(graph.long(value)? as u64),
        UnaryOperation::IsNull => match graph.known(value)? {
            Operation::Literal(address) => Operation::Bool(*address == 0),
            Operation::SlotAddress(_) | Operation::Frame => Operation::Bool(false),
            _ => return None,
        },
        UnaryOperation::PointerToLong => match graph.known(value)? {
            Operation::Literal(address) => Operation::Long(*address as i64),
            _ => return None,
        },
    })
}

fn binary_constant(
    graph: &Graph,
    operation: BinaryOperation,
    left: Value,
    right: Value,
) -> Option<Operation> {
    use BinaryOperation::*;
    if graph.known(left).is_none() && graph.known(right).is_none() {
        return None;
    }
    if let (Some(left), Some(right)) = (graph.long(left), graph.long(right)) {
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
    if let Some(known) = graph.long(left)
        && let Some(mirrored) = mirrored(operation, known)
    {
        return Some(Operation::Binary(mirrored, right, left));
    }
    if let (Some(left), Some(right)) = (graph.double(left), graph.double(right)) {
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
    if let (Some(Operation::Literal(left)), Some(Operation::Literal(right))) =
        (graph.known(left), graph.known(right))
    {
        return match operation {
            EqPointer => Some(Operation::Bool(left == right)),
            NePointer => Some(Operation::Bool(left != right)),
            _ => None,
        };
    }
    let known = [graph.truth(left), graph.truth(right)];
    if operation == AndBool && known.contains(&Some(false)) {
        return Some(Operation::Bool(false));
    }
    if operation == OrBool && known.contains(&Some(true)) {
        return Some(Operation::Bool(true));
    }
    if let (Some(left), Some(right)) = (graph.truth(left), graph.truth(right)) {
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
