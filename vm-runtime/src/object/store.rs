//! The table of objects by id.

use crate::object::PhpObject;

/// Objects by id; ids are given again, lowest last freed first, as PHP does.
#[derive(Debug, Default)]
pub struct ObjectStore {
    /// Place of each id; id 0 is never used.
    entries: Vec<Entry>,
    /// The id that was freed last; 0 for none.
    free: u32,
    /// Ids are no longer given again.
    ending: bool,
    /// The VM goes: no code of the script runs any more, for what it needs may be gone.
    pub(crate) ended: bool,
}

/// An object, null for an id that something else has taken (an iterator), or with the lowest bit
/// set the id that was freed before this one.
#[derive(Debug, Clone, Copy)]
struct Entry(usize);

impl Entry {
    const FREE: usize = 1;

    fn free(next: u32) -> Entry {
        Entry((next as usize) << 1 | Entry::FREE)
    }

    fn object(self) -> Option<*mut PhpObject> {
        (self.0 & Entry::FREE == 0 && self.0 != 0).then_some(self.0 as *mut PhpObject)
    }
}

impl ObjectStore {
    /// Gives an object its id; null for what only takes an id.
    #[inline(always)]
    pub fn register(&mut self, object: *mut PhpObject) -> u32 {
        let id = self.free;
        if id == 0 {
            return self.append(object);
        }
        let entry = &mut self.entries[id as usize];
        self.free = (entry.0 >> 1) as u32;
        *entry = Entry(object as usize);
        id
    }

    #[cold]
    #[inline(never)]
    fn append(&mut self, object: *mut PhpObject) -> u32 {
        if self.entries.is_empty() {
            self.entries.push(Entry::free(0));
        }
        self.entries.push(Entry(object as usize));
        self.entries.len() as u32 - 1
    }

    /// Takes an id back.
    #[inline(always)]
    pub fn release(&mut self, id: u32) {
        self.entries[id as usize] = Entry::free(self.free);
        if !self.ending {
            self.free = id;
        }
    }

    /// One past the highest id that was ever given.
    pub fn end(&self) -> u32 {
        self.entries.len() as u32
    }

    /// The live object with this id.
    pub fn get(&self, id: u32) -> Option<*mut PhpObject> {
        self.entries.get(id as usize)?.object()
    }

    /// The live objects by id.
    pub fn iter(&self) -> impl Iterator<Item = *mut PhpObject> {
        self.entries.iter().filter_map(|entry| entry.object())
    }

    /// Gives ids again, lowest first.
    pub fn restart_reuse(&mut self) {
        self.ending = false;
        self.free = 0;
        for id in (1..self.entries.len()).rev() {
            if self.entries[id].object().is_none() {
                // Whatever took an id without being an object is gone by now.
                self.entries[id] = Entry::free(self.free);
                self.free = id as u32;
            }
        }
    }

    /// From now on every new object gets an id above all others, so that those who go through the
    /// objects come to it.
    pub fn stop_reuse(&mut self) {
        self.ending = true;
        self.free = 0;
    }
}
