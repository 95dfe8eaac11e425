//! Checks that a graph is well formed. Run after each pass in debug builds.

use hashbrown::HashSet;

use super::dominators::Dominators;
use super::model::{BlockId, Graph, Held, Operation, SnapshotId, Terminator, Type, Value, Written};

/// The first thing that is wrong with a graph, if anything is.
pub fn verify(graph: &Graph) -> Result<(), String> {
    let order = graph.order();
    let dominators = Dominators::of(graph, &order);
    let mut defined_in: Vec<Option<BlockId>> = vec![None; graph.types.len()];
    for (value, operation) in graph.constants.iter() {
        if !operation.is_constant() {
            return Err(format!("v{} is no constant", value.0));
        }
    }
    for &block in &order {
        let parameters = graph.at(block).parameters.iter().copied();
        let outputs = graph.at(block).instructions.iter();
        for value in parameters.chain(outputs.filter_map(|instruction| instruction.output)) {
            let is_known = graph.known(value).is_some();
            if is_known || defined_in[value.0 as usize].replace(block).is_some() {
                return Err(format!("v{} is defined twice", value.0));
            }
        }
    }
    for entry in &graph.entries {
        if !graph.at(entry.block).parameters.is_empty() {
            return Err(format!("entry block{} has parameters", entry.block.0));
        }
    }
    for &block in &order {
        let checker = Checker {
            graph,
            block,
            dominators: &dominators,
            defined_in: &defined_in,
        };
        checker.check()?;
    }
    Ok(())
}

struct Checker<'a> {
    graph: &'a Graph,
    block: BlockId,
    dominators: &'a Dominators,
    defined_in: &'a [Option<BlockId>],
}

impl Checker<'_> {
    fn check(&self) -> Result<(), String> {
        let mut here: HashSet<Value> = HashSet::new();
        here.extend(&self.graph.at(self.block).parameters);
        for instruction in &self.graph.at(self.block).instructions {
            if instruction.operation.is_constant() {
                return Err(format!("{:?} is in a block", instruction.operation));
            }
            self.signature(&instruction.operation)?;
            let mut missing = None;
            instruction.operation.for_operands(|value| {
                if !self.is_defined(value, &here) {
                    missing = Some(value);
                }
            });
            if let Some(value) = missing {
                return Err(self.undefined(value));
            }
            if let Some(snapshot) = instruction.operation.snapshot() {
                self.snapshot(snapshot, &here)?;
            }
            let given = instruction.output.map(|value| self.graph.type_of(value));
            if given != instruction.operation.result_type() {
                return Err(format!("{:?} gives another type", instruction.operation));
            }
            here.extend(instruction.output);
        }
        let terminator = &self.graph.at(self.block).terminator;
        if let Some(snapshot) = terminator.snapshot() {
            self.snapshot(snapshot, &here)?;
        }
        let mut wrong = None;
        terminator.for_operands(|value| {
            let of = match terminator {
                Terminator::Branch { .. } => Type::Bool,
                _ => Type::Address,
            };
            if let Err(problem) = self.expect(value, of, &here) {
                wrong = Some(problem);
            }
        });
        if let Some(problem) = wrong {
            return Err(problem);
        }
        for target in self.graph.at(self.block).terminator.targets() {
            let parameters = &self.graph.at(target.block).parameters;
            if parameters.len() != target.arguments.len() {
                return Err(format!(
                    "block{} gives {} arguments to block{}, which takes {}",
                    self.block.0,
                    target.arguments.len(),
                    target.block.0,
                    parameters.len()
                ));
            }
            for (parameter, argument) in parameters.iter().zip(&target.arguments) {
                self.expect(*argument, self.graph.type_of(*parameter), &here)?;
            }
        }
        Ok(())
    }

    fn undefined(&self, value: Value) -> String {
        format!("v{} is not defined in block{}", value.0, self.block.0)
    }

    fn is_defined(&self, value: Value, here: &HashSet<Value>) -> bool {
        match self.defined_in.get(value.0 as usize).copied().flatten() {
            Some(block) if block == self.block => here.contains(&value),
            Some(block) => self.dominators.dominates(block, self.block),
            None => self.graph.known(value).is_some(),
        }
    }

    fn expect(&self, value: Value, of: Type, here: &HashSet<Value>) -> Result<(), String> {
        if !self.is_defined(value, here) {
            return Err(self.undefined(value));
        }
        if self.graph.type_of(value) != of {
            return Err(format!(
                "v{} is no {of:?} in block{}",
                value.0, self.block.0
            ));
        }
        Ok(())
    }

    fn held(&self, held: Held, here: &HashSet<Value>) -> Result<(), String> {
        match held {
            Held::Long(value) => self.expect(value, Type::Long, here),
            Held::Double(value) => self.expect(value, Type::Double, here),
            Held::Bool(value) => self.expect(value, Type::Bool, here),
            Held::Copied(value) => self.expect(value, Type::Address, here),
            Held::Null | Held::Undef | Held::Constant(_) => Ok(()),
        }
    }

    fn snapshot(&self, snapshot: SnapshotId, here: &HashSet<Value>) -> Result<(), String> {
        let Some(snapshot) = self.graph.snapshots.get(snapshot.0 as usize) else {
            return Err(format!("block{} leaves without a snapshot", self.block.0));
        };
        let mut slots = snapshot.slots.iter();
        slots.try_for_each(|(_, held)| self.held(*held, here))?;
        snapshot.writes.iter().try_for_each(|write| {
            let of = Type::of(write.field.facts().kind.representation());
            match write.value {
                Written::Value(value) => self.expect(value, of, here),
                Written::Where(_) | Written::Long(_) => Ok(()),
            }
        })
    }

    /// The operands have the types that the operation takes.
    fn signature(&self, operation: &Operation) -> Result<(), String> {
        use vm_def::ir::UnaryOperation;
        let type_of = |value: &Value| self.graph.type_of(*value);
        let fits = match operation {
            Operation::Unary(operation, value) => {
                type_of(value)
                    == match operation {
                        UnaryOperation::NegateLong
                        | UnaryOperation::NotLong
                        | UnaryOperation::LongToPointer
                        | UnaryOperation::LongToDouble => Type::Long,
                        UnaryOperation::NegateDouble => Type::Double,
                        UnaryOperation::NotBool | UnaryOperation::BoolToLong => Type::Bool,
                        UnaryOperation::PointerToLong | UnaryOperation::IsNull => Type::Address,
                    }
            }
            Operation::Binary(operation, left, right) => {
                let expected = Type::of(operation.signature().0);
                type_of(left) == expected && type_of(right) == expected
            }
            Operation::LoadField(_, base) | Operation::LoadWord(base, ..) => {
                type_of(base) == Type::Address
            }
            Operation::Element(_, base, index) => {
                type_of(base) == Type::Address && type_of(index) == Type::Long
            }
            Operation::StoreField(field, base, value) => {
                let expected = Type::of(field.facts().kind.representation());
                type_of(base) == Type::Address && type_of(value) == expected
            }
            Operation::Checked(_, left, right, _) => {
                type_of(left) == Type::Long && type_of(right) == Type::Long
            }
            Operation::Guard(value, _) => type_of(value) == Type::Bool,
            _ => true,
        };
        match fits {
            true => Ok(()),
            false => Err(format!("{operation:?} has operands of other types")),
        }
    }
}
