//! What an expression compiles to: the operands of oplines.

use bumpalo::Bump;
use vm_runtime::op::{IS_CONST, IS_CV, IS_TMP_VAR, IS_UNUSED, IS_VAR};

/// A value known while compiling. Strings and arrays live in the arena of the syntax tree.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Constant<'a> {
    Null,
    Bool(bool),
    Long(i64),
    Double(f64),
    String(&'a [u8]),
    Array(&'a ConstantArray<'a>),
}

/// A constant array: entries in order, keys unique. All of it lies in the arena, which drops nothing.
#[derive(Debug)]
pub(crate) struct ConstantArray<'a> {
    pub entries: bumpalo::collections::Vec<'a, (ConstantKey<'a>, Constant<'a>)>,
    /// The key of the next append, the least integer as long as there is no integer key; `None` when no further key is
    /// left.
    pub next: Option<i64>,
    index: Option<Index<'a>>,
}

/// A key of a constant array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ConstantKey<'a> {
    Long(i64),
    String(&'a [u8]),
}

type Index<'a> = hashbrown::HashMap<ConstantKey<'a>, usize, foldhash::fast::FixedState, &'a Bump>;

/// Arrays up to this length are searched without an index.
const LINEAR_LIMIT: usize = 8;

impl<'a> ConstantArray<'a> {
    /// An empty array.
    pub fn new_in(arena: &'a Bump) -> Self {
        ConstantArray {
            entries: bumpalo::collections::Vec::new_in(arena),
            next: Some(i64::MIN),
            index: None,
        }
    }

    fn position(&mut self, key: ConstantKey<'a>) -> Option<usize> {
        if self.entries.len() <= LINEAR_LIMIT {
            return self.entries.iter().position(|entry| entry.0 == key);
        }
        let entries = &self.entries;
        let index = self.index.get_or_insert_with(|| {
            let mut index = Index::with_hasher_in(Default::default(), entries.bump());
            let keys = entries.iter().map(|entry| entry.0);
            index.extend(keys.zip(0..));
            index
        });
        index.get(&key).copied()
    }

    /// The value at `key`.
    pub fn get(&self, key: ConstantKey<'a>) -> Option<Constant<'a>> {
        let position = match &self.index {
            Some(index) => index.get(&key).copied(),
            None => self.entries.iter().position(|entry| entry.0 == key),
        };
        position.map(|position| self.entries[position].1)
    }

    /// Sets the value at `key`.
    pub fn update(&mut self, key: ConstantKey<'a>, value: Constant<'a>) {
        if let Some(position) = self.position(key) {
            self.entries[position].1 = value;
            return;
        }
        if let Some(index) = &mut self.index {
            index.insert(key, self.entries.len());
        }
        self.entries.push((key, value));
        if let (ConstantKey::Long(key), Some(next)) = (key, self.next)
            && key >= next
        {
            self.next = key.checked_add(1);
        }
    }

    /// Appends; false when no key is left.
    pub fn push(&mut self, value: Constant<'a>) -> bool {
        let Some(next) = self.next else {
            return false;
        };
        let next = if next == i64::MIN { 0 } else { next };
        self.update(ConstantKey::Long(next), value);
        true
    }
}

/// An operand of an opline.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand<'a> {
    /// None, or an immediate number.
    Unused(u32),
    Const(Constant<'a>),
    Tmp(u32),
    Var(u32),
    Cv(u32),
}

impl<'a> Operand<'a> {
    /// No operand.
    pub const NONE: Self = Operand::Unused(0);

    /// The operand of a kind byte and a number that is no literal.
    pub fn from_parts(kind: u8, number: u32) -> Self {
        match kind {
            IS_TMP_VAR => Operand::Tmp(number),
            IS_VAR => Operand::Var(number),
            IS_CV => Operand::Cv(number),
            _ => Operand::Unused(number),
        }
    }

    /// Kind byte and number; a literal has number 0 until it is added to the op array.
    pub fn parts(self) -> (u8, u32) {
        match self {
            Operand::Unused(number) => (IS_UNUSED, number),
            Operand::Const(_) => (IS_CONST, 0),
            Operand::Tmp(number) => (IS_TMP_VAR, number),
            Operand::Var(number) => (IS_VAR, number),
            Operand::Cv(number) => (IS_CV, number),
        }
    }

    pub fn is_temporary(self) -> bool {
        matches!(self, Operand::Tmp(_) | Operand::Var(_))
    }

    pub const TRUE: Self = Operand::Const(Constant::Bool(true));
    pub const NULL: Self = Operand::Const(Constant::Null);
}
