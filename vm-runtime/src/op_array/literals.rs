//! Literals: interned strings, immutable arrays, constant expressions.
//!
//! Strings and arrays get into values of every kind, which do not count them. So they stay as long as
//! their store does: that of a script, or, for what `include` and `eval` compile, that of the VM. There
//! the same text is always the same string, so that code which comes again brings nothing new.
//! Constant expressions and jump tables are seen by the code alone, and go with it.

use std::hash::{BuildHasher, Hash, Hasher};
use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{LiteralKey, OpArray};
use crate::array::{Key, KeyRef, LiteralHeap, PhpArray};
use crate::string::PhpString;
use crate::value::{ARRAY, STRING, StringHandle, Zval};

/// Interned strings and immutable arrays, each once.
#[derive(Debug, Default)]
pub struct LiteralStore(Mutex<Stored>);

#[derive(Debug, Default)]
struct Stored {
    strings: hashbrown::HashTable<*mut PhpString>,
    /// Memory of the strings, and how much of the last chunk is free.
    chunks: Vec<Box<[MaybeUninit<u64>]>>,
    free: usize,
    arrays: hashbrown::HashTable<*mut PhpArray>,
    heap: Option<LiteralHeap>,
}

// SAFETY: what is in the store is immutable; the tables are behind a lock.
unsafe impl Send for Stored {}

/// What belongs to the code of one compiled file: it goes when none of the code is left.
#[derive(Debug, Default)]
pub struct Owned(Mutex<OwnedParts>);

#[derive(Debug, Default)]
struct OwnedParts {
    expressions: Vec<Arc<OpArray>>,
    tables: Option<LiteralHeap>,
}

// A thread that panics leaves both tables whole: each is changed by one call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stored {
    fn string(&mut self, bytes: &[u8]) -> *mut PhpString {
        let hash = crate::string::hash_bytes(bytes);
        // SAFETY: strings of the store are live as long as it is.
        let found = self
            .strings
            .find(hash, |string| unsafe { (**string).as_bytes() == bytes });
        if let Some(string) = found {
            return *string;
        }
        let string = self.write_string(bytes, hash);
        // SAFETY: as above.
        self.strings
            .insert_unique(hash, string, |string| unsafe { (**string).hash() });
        string
    }

    /// Makes a string in the store's own memory: it is never freed alone.
    fn write_string(&mut self, bytes: &[u8], hash: u64) -> *mut PhpString {
        const SMALLEST_CHUNK: usize = 128;
        const LARGEST_CHUNK: usize = 4096;
        let words = PhpString::immutable_size(bytes.len()).div_ceil(8);
        if words > self.free {
            let usual = (SMALLEST_CHUNK << self.chunks.len().min(5)).min(LARGEST_CHUNK);
            let size = words.max(usual);
            self.chunks.push(Box::new_uninit_slice(size));
            self.free = size;
        }
        let Some(chunk) = self.chunks.last_mut() else {
            unreachable!("a chunk was added above")
        };
        let start = chunk.len() - self.free;
        self.free -= words;
        let memory = chunk[start..start + words].as_mut_ptr().cast::<u8>();
        // SAFETY: `words` words of the chunk are free, aligned to 8 and never move.
        unsafe { PhpString::write_immutable(memory, bytes, hash) }
    }

    fn array(&mut self, entries: &[(LiteralKey, Zval)]) -> *mut PhpArray {
        let hash = hash_entries(entries.iter().copied());
        // SAFETY: arrays of the store are live as long as it is.
        let found = self.arrays.find(hash, |array| unsafe {
            (**array).len() == entries.len()
                && entries_of(&**array)
                    .zip(entries)
                    .all(|(one, other)| is_same_entry(one, *other))
        });
        if let Some(array) = found {
            return *array;
        }
        let array = write_array(&mut self.heap, entries);
        // SAFETY: as above.
        self.arrays.insert_unique(hash, array, |array| unsafe {
            hash_entries(entries_of(&**array))
        });
        array
    }
}

/// Makes an array that is never freed alone. String keys are taken as they are.
fn write_array(heap: &mut Option<LiteralHeap>, entries: &[(LiteralKey, Zval)]) -> *mut PhpArray {
    let entries: Vec<(Key, Zval)> = entries
        .iter()
        .map(|(key, value)| {
            let key = match key {
                LiteralKey::Long(key) => Key::Long(*key),
                // SAFETY: a literal string is live and not counted.
                LiteralKey::String(key) => Key::String(unsafe { StringHandle::share_raw(*key) }),
            };
            (key, *value)
        })
        .collect();
    heap.get_or_insert_with(LiteralHeap::new).array(&entries)
}

fn entries_of(array: &PhpArray) -> impl Iterator<Item = (LiteralKey, Zval)> {
    array.iter().map(|(key, value)| {
        let key = match key {
            KeyRef::Long(key) => LiteralKey::Long(key),
            KeyRef::String(key) => LiteralKey::String((&raw const *key).cast_mut()),
        };
        (key, *value)
    })
}

/// Literals are the same if their bits are: strings and arrays inside are interned, too.
fn bits_of((key, value): (LiteralKey, Zval)) -> (bool, u64, u32, u64) {
    let (is_string, key) = match key {
        LiteralKey::Long(key) => (false, key as u64),
        LiteralKey::String(key) => (true, key as u64),
    };
    (is_string, key, value.type_info, value.long() as u64)
}

fn is_same_entry(one: (LiteralKey, Zval), other: (LiteralKey, Zval)) -> bool {
    bits_of(one) == bits_of(other)
}

fn hash_entries(entries: impl Iterator<Item = (LiteralKey, Zval)>) -> u64 {
    let mut hasher = foldhash::fast::FixedState::default().build_hasher();
    for entry in entries {
        bits_of(entry).hash(&mut hasher);
    }
    hasher.finish()
}

/// The literals of code that is being compiled.
#[derive(Debug, Default)]
pub struct LiteralPool {
    store: Arc<LiteralStore>,
    owned: Arc<Owned>,
}

impl LiteralPool {
    /// An empty pool with a store of its own.
    pub fn new() -> LiteralPool {
        LiteralPool::default()
    }

    /// A pool that puts its strings and arrays into an existing store.
    pub fn with_store(store: Arc<LiteralStore>) -> LiteralPool {
        LiteralPool {
            store,
            owned: Arc::default(),
        }
    }

    /// Where its strings and arrays are.
    pub fn store(&self) -> &Arc<LiteralStore> {
        &self.store
    }

    /// Its constant expressions and jump tables, for whoever refers to them.
    pub fn owned(&self) -> &Arc<Owned> {
        &self.owned
    }

    /// The interned string with these bytes.
    pub fn string(&mut self, bytes: &[u8]) -> *mut PhpString {
        match bytes {
            [] => crate::string::empty(),
            [byte] => crate::string::single_byte(*byte),
            _ => lock(&self.store.0).string(bytes),
        }
    }

    /// A string literal.
    pub fn string_value(&mut self, bytes: &[u8]) -> Zval {
        Zval::from_string(self.string(bytes))
    }

    /// An array literal. Keys and values must be literals of this pool or plain values; string
    /// keys are taken as they are.
    pub fn array_value(&mut self, entries: &[(LiteralKey, Zval)]) -> Zval {
        if entries.is_empty() {
            return Zval::from_any_array(crate::array::empty_array());
        }
        Zval::from_any_array(lock(&self.store.0).array(entries))
    }

    /// A value that is not counted and the same as this one: strings and arrays are copied into the pool. None for an
    /// object, a resource or a reference, and for what is larger than literals usually are.
    pub fn copied_value(&mut self, value: &Zval) -> Option<Zval> {
        const MOST_BYTES: usize = 1 << 12;
        const MOST_ELEMENTS: usize = 64;
        Some(match value.kind() {
            STRING => self.string_value(value.as_bytes().filter(|text| text.len() <= MOST_BYTES)?),
            ARRAY => {
                // SAFETY: I3: the payload of an array is live as long as the value.
                let array = unsafe { &*value.array() };
                if array.len() > MOST_ELEMENTS {
                    return None;
                }
                let mut entries = Vec::with_capacity(array.len());
                for (key, value) in array.iter() {
                    let key = match key {
                        KeyRef::Long(number) => LiteralKey::Long(number),
                        KeyRef::String(text) => LiteralKey::String(self.string(text.as_bytes())),
                    };
                    entries.push((key, self.copied_value(value)?));
                }
                self.array_value(&entries)
            }
            kind if kind < STRING => *value,
            _ => return None,
        })
    }

    /// A jump table: an array that no value ever gets hold of.
    pub fn jump_table(&mut self, entries: &[(LiteralKey, Zval)]) -> Zval {
        if entries.is_empty() {
            return Zval::from_any_array(crate::array::empty_array());
        }
        Zval::from_any_array(write_array(&mut lock(&self.owned.0).tables, entries))
    }

    /// A constant expression, compiled to an op array that returns its value.
    pub fn expression_value(&mut self, mut expression: Arc<OpArray>) -> Zval {
        // It would hold itself. Nobody else has it yet.
        if let Some(expression) = Arc::get_mut(&mut expression) {
            expression.owned = None;
        }
        let value = Zval::from_expression(&*expression);
        lock(&self.owned.0).expressions.push(expression);
        value
    }
}
