//! Values that are known before the code runs, or cost nothing where they are used
//! ([`Operation::is_constant`]). They stand outside of blocks, each once.

use hashbrown::HashMap;

use super::model::{BlockId, Graph, Operation, Value};
use super::table::Table;

/// The constants of a graph.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    /// In the order in which they were made.
    all: Vec<(Value, Operation)>,
    /// By value: the position in `all`.
    positions: Table<Value, u32>,
    values: HashMap<Operation, Value>,
}

impl PartialEq for Constants {
    fn eq(&self, other: &Constants) -> bool {
        self.all == other.all
    }
}

impl Constants {
    /// What a value is known to be.
    pub fn get(&self, value: Value) -> Option<&Operation> {
        let position = *self.positions.get(value)?;
        Some(&self.all[position as usize].1)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (Value, &Operation)> {
        self.all
            .iter()
            .map(|(value, operation)| (*value, operation))
    }

    /// Says what a value is.
    pub fn insert(&mut self, value: Value, operation: Operation) {
        self.positions.insert(value, self.all.len() as u32);
        self.all.push((value, operation));
        self.values.insert(operation, value);
    }
}

impl Graph {
    /// The value that a constant operation gives.
    pub fn constant(&mut self, operation: Operation) -> Value {
        debug_assert!(operation.is_constant());
        if let Some(&value) = self.constants.values.get(&operation) {
            return value;
        }
        let Some(of) = operation.result_type() else {
            unreachable!("a constant has a value");
        };
        let value = self.value(of);
        self.constants.insert(value, operation);
        value
    }

    /// What defines each value that is no parameter, in the blocks that are given.
    pub fn definitions(&self, order: &[BlockId]) -> Table<Value, Operation> {
        let mut definitions = Table::with_room(self.types.len());
        for (value, operation) in self.constants.iter() {
            definitions.insert(value, *operation);
        }
        for &id in order {
            for instruction in &self.at(id).instructions {
                if let Some(output) = instruction.output {
                    definitions.insert(output, instruction.operation);
                }
            }
        }
        definitions
    }

    /// What a value is, if it is a constant.
    pub fn known(&self, value: Value) -> Option<&Operation> {
        self.constants.get(value)
    }

    /// The integer that a value is known to be.
    pub fn long(&self, value: Value) -> Option<i64> {
        match self.known(value)? {
            Operation::Long(value) => Some(*value),
            _ => None,
        }
    }

    /// The float that a value is known to be.
    pub fn double(&self, value: Value) -> Option<f64> {
        match self.known(value)? {
            Operation::Double(bits) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    /// The truth value that a value is known to have.
    pub fn truth(&self, value: Value) -> Option<bool> {
        match self.known(value)? {
            Operation::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The address that a value is known to be.
    pub fn address(&self, value: Value) -> Option<u64> {
        match self.known(value)? {
            Operation::Literal(address) => Some(*address),
            _ => None,
        }
    }
}
