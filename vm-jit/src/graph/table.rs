//! Maps from values that are as dense as the values themselves.

use std::marker::PhantomData;

use super::model::{BlockId, Value};

/// What is numbered from 0 without large holes.
pub trait Numbered: Copy {
    /// Its number.
    fn number(self) -> usize;
}

impl Numbered for Value {
    fn number(self) -> usize {
        self.0 as usize
    }
}

impl Numbered for BlockId {
    fn number(self) -> usize {
        self.0 as usize
    }
}

impl Numbered for vm_def::ir::Value {
    fn number(self) -> usize {
        self.0 as usize
    }
}

/// A map from what is numbered.
#[derive(Clone, Debug)]
pub struct Table<K, T> {
    entries: Vec<Option<T>>,
    key: PhantomData<K>,
}

impl<K, T> Default for Table<K, T> {
    fn default() -> Table<K, T> {
        Table {
            entries: Vec::new(),
            key: PhantomData,
        }
    }
}

impl<K: Numbered, T> Table<K, T> {
    /// A map with room for so many keys.
    pub fn with_room(keys: usize) -> Table<K, T> {
        Table {
            entries: Vec::with_capacity(keys),
            key: PhantomData,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// What stands at a key.
    pub fn get(&self, key: K) -> Option<&T> {
        self.entries.get(key.number())?.as_ref()
    }

    /// Whether something stands at a key.
    pub fn contains(&self, key: K) -> bool {
        self.get(key).is_some()
    }

    /// The place of a key.
    pub fn slot(&mut self, key: K) -> &mut Option<T> {
        let number = key.number();
        let length = self.entries.len();
        if number == length {
            self.entries.push(None);
        } else if number > length {
            self.entries.resize_with(number + 1, || None);
        }
        &mut self.entries[number]
    }

    /// Puts something at a key.
    pub fn insert(&mut self, key: K, value: T) {
        *self.slot(key) = Some(value);
    }

    /// Takes away what stands at a key.
    pub fn remove(&mut self, key: K) {
        *self.slot(key) = None;
    }
}

/// Replacements of values.
#[derive(Debug, Default)]
pub struct Replacements {
    table: Table<Value, Value>,
    any: bool,
}

impl Replacements {
    /// Replaces a value by another one that is not replaced.
    pub fn insert(&mut self, value: Value, by: Value) {
        self.table.insert(value, by);
        self.any = true;
    }

    /// What a value is replaced by, or itself.
    pub fn current(&self, value: Value) -> Value {
        self.table.get(value).copied().unwrap_or(value)
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// As [`Replacements::current`], where what it is replaced by may be replaced itself. Chains end:
    /// a value that leads back to itself stays.
    pub fn last(&self, value: Value) -> Value {
        let mut at = value;
        while let Some(&by) = self.table.get(at) {
            at = by;
            if at == value {
                break;
            }
        }
        at
    }
}
