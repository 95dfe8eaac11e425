//! An ordered map by name: the properties, methods and constants of a class.

use hashbrown::HashTable;

use crate::string::{PhpString, are_equal, hash_bytes};

/// An ordered map by (lower-cased or exact) name.
#[derive(Debug)]
pub struct NameTable<T> {
    entries: Vec<(Box<[u8]>, T)>,
    /// Places of the entries, by the hash that strings keep.
    index: HashTable<u32>,
}

impl<T> Default for NameTable<T> {
    fn default() -> Self {
        NameTable {
            entries: Vec::new(),
            index: HashTable::new(),
        }
    }
}

/// The hash of a string as the index wants it, with the differences in its upper bits, too.
fn spread(hash: u64) -> u64 {
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl<T> NameTable<T> {
    fn position(&self, hash: u64, name: &[u8]) -> Option<usize> {
        let is_it = |&position: &u32| are_equal(&self.entries[position as usize].0, name);
        let found = self.index.find(spread(hash), is_it)?;
        Some(*found as usize)
    }

    /// The entry with this name.
    pub fn get(&self, name: &[u8]) -> Option<&T> {
        let position = self.position(hash_bytes(name), name)?;
        Some(&self.entries[position].1)
    }

    /// As [`NameTable::get`], with the hash that the string may have computed before.
    pub fn get_string(&self, name: &PhpString) -> Option<&T> {
        let position = self.position(name.hash(), name.as_bytes())?;
        Some(&self.entries[position].1)
    }

    /// As [`NameTable::get`], with the hash of the name.
    pub fn get_hashed(&self, hash: u64, name: &[u8]) -> Option<&T> {
        let position = self.position(hash, name)?;
        Some(&self.entries[position].1)
    }

    /// The entry with this name, for writing.
    pub fn get_mut(&mut self, name: &[u8]) -> Option<&mut T> {
        let position = self.position(hash_bytes(name), name)?;
        Some(&mut self.entries[position].1)
    }

    /// Adds or replaces; a replaced entry keeps its place.
    pub fn insert(&mut self, name: &[u8], value: T) {
        let hash = hash_bytes(name);
        match self.position(hash, name) {
            Some(position) => self.entries[position].1 = value,
            None => {
                let rehash = |&position: &u32| {
                    let name: &[u8] = &self.entries[position as usize].0;
                    spread(hash_bytes(name))
                };
                let position = self.entries.len() as u32;
                self.index.insert_unique(spread(hash), position, rehash);
                self.entries.push((name.into(), value));
            }
        }
    }

    /// Entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&[u8], &T)> {
        self.entries.iter().map(|(name, value)| (&**name, value))
    }

    /// Entries in order, for writing.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&[u8], &mut T)> {
        self.entries
            .iter_mut()
            .map(|(name, value)| (&**name, value))
    }

    /// Takes the table apart.
    pub fn into_entries(self) -> Vec<(Box<[u8]>, T)> {
        self.entries
    }

    /// The entry at a place in order.
    pub fn at(&self, position: usize) -> Option<(&[u8], &T)> {
        self.entries
            .get(position)
            .map(|(name, value)| (&**name, value))
    }

    /// True if there is an entry with this name.
    pub fn contains(&self, name: &[u8]) -> bool {
        self.position(hash_bytes(name), name).is_some()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
