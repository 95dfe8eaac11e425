//! The global constants.
//!
//! Extensions define thousands of which a script asks for a few: their lists are static data, and are
//! put into a table by name when the first constant is asked for.

use std::borrow::Cow;
use std::cell::OnceCell;

use hashbrown::HashMap;

use crate::value::Value;

/// Constants by name. Names are compared exactly.
#[derive(Debug, Default)]
pub struct Constants {
    /// What was registered, in order, with the number of its extension.
    registered: Vec<(usize, Registered)>,
    /// Made on the first look-up, of what was registered by then.
    table: OnceCell<Table>,
}

type Table = HashMap<Cow<'static, [u8]>, Value, foldhash::fast::FixedState>;

/// Constants of an extension.
#[derive(Debug)]
enum Registered {
    Integers(&'static [(&'static str, i64)]),
    Floats(&'static [(&'static str, f64)]),
    Booleans(&'static [(&'static str, bool)]),
    One(&'static str, Value),
}

impl Registered {
    fn len(&self) -> usize {
        match self {
            Registered::Integers(list) => list.len(),
            Registered::Floats(list) => list.len(),
            Registered::Booleans(list) => list.len(),
            Registered::One(..) => 1,
        }
    }

    fn at(&self, index: usize) -> (&'static str, Value) {
        match self {
            Registered::Integers(list) => (list[index].0, list[index].1.into()),
            Registered::Floats(list) => (list[index].0, list[index].1.into()),
            Registered::Booleans(list) => (list[index].0, list[index].1.into()),
            Registered::One(name, value) => (name, value.clone()),
        }
    }

    fn entries(&self) -> impl Iterator<Item = (&'static str, Value)> {
        (0..self.len()).map(|index| self.at(index))
    }
}

/// What stands in the lists of constants: integers, floats, booleans.
pub trait Constant: Sized {
    #[doc(hidden)]
    fn register(constants: &mut Constants, extension: usize, list: &'static [(&'static str, Self)]);
}

impl Constant for i64 {
    fn register(constants: &mut Constants, extension: usize, list: &'static [(&'static str, i64)]) {
        constants.add(extension, Registered::Integers(list));
    }
}

impl Constant for f64 {
    fn register(constants: &mut Constants, extension: usize, list: &'static [(&'static str, f64)]) {
        constants.add(extension, Registered::Floats(list));
    }
}

impl Constant for bool {
    fn register(
        constants: &mut Constants,
        extension: usize,
        list: &'static [(&'static str, bool)],
    ) {
        constants.add(extension, Registered::Booleans(list));
    }
}

impl Constants {
    /// Constants of the extension with this number.
    pub(crate) fn register<T: Constant>(
        &mut self,
        extension: usize,
        list: &'static [(&'static str, T)],
    ) {
        T::register(self, extension, list);
    }

    /// One constant of the extension with this number.
    pub(crate) fn register_one(&mut self, extension: usize, name: &'static str, value: Value) {
        self.add(extension, Registered::One(name, value));
    }

    fn add(&mut self, extension: usize, registered: Registered) {
        if let Some(table) = self.table.get_mut() {
            for (name, value) in registered.entries() {
                table.insert(name.as_bytes().into(), value);
            }
        }
        self.registered.push((extension, registered));
    }

    /// Names of the constants that were registered for an extension, in order.
    pub(crate) fn names_of(&self, extension: usize) -> impl Iterator<Item = &'static str> {
        self.registered
            .iter()
            .filter(move |(owner, _)| *owner == extension)
            .flat_map(|(_, registered)| registered.entries().map(|(name, _)| name))
    }

    #[inline]
    fn table(&self) -> &Table {
        self.table.get_or_init(|| self.filled())
    }

    #[inline]
    fn table_mut(&mut self) -> &mut Table {
        self.table();
        self.table.get_mut().expect("it was made above")
    }

    #[cold]
    fn filled(&self) -> Table {
        let count = self.registered.iter().map(|(_, list)| list.len()).sum();
        let mut table = Table::with_capacity_and_hasher(count, Default::default());
        for (_, registered) in &self.registered {
            for (name, value) in registered.entries() {
                table.insert(name.as_bytes().into(), value);
            }
        }
        table
    }

    /// The value of a constant, without making the table for it: start-up asks for very few.
    pub(crate) fn early(&self, name: &[u8]) -> Option<Value> {
        if let Some(table) = self.table.get() {
            return table.get(name).cloned();
        }
        let mut all = self.registered.iter().flat_map(|(_, list)| list.entries());
        all.find(|(known, _)| known.as_bytes() == name)
            .map(|(_, value)| value)
    }

    /// The value of a constant.
    pub fn get(&self, name: &[u8]) -> Option<&Value> {
        self.table().get(name)
    }

    /// The value of a constant, and its name: it is borrowed if an extension defined it.
    pub fn get_key_value(&self, name: &[u8]) -> Option<(&Cow<'static, [u8]>, &Value)> {
        self.table().get_key_value(name)
    }

    /// True if there is this constant.
    pub fn contains_key(&self, name: &[u8]) -> bool {
        self.table().contains_key(name)
    }

    /// How many there are. It grows with each that is defined.
    pub fn count(&self) -> usize {
        self.table().len()
    }

    /// The names, in no order.
    pub fn keys(&self) -> impl Iterator<Item = &Cow<'static, [u8]>> {
        self.table().keys()
    }

    /// Defines a constant, or gives it another value.
    pub fn insert(&mut self, name: Cow<'static, [u8]>, value: Value) {
        let table = self.table_mut();
        crate::limits::grow_table(table);
        table.insert(name, value);
    }

    /// Takes a constant away.
    pub fn remove(&mut self, name: &[u8]) -> Option<Value> {
        self.table_mut().remove(name)
    }
}
