//! WeakReference and WeakMap.

mod map;
mod order;
mod reference;

use crate::class::NativeClass;
use crate::function::class_flags;
use crate::object::PhpObject;
use crate::vm::Vm;

pub(crate) use map::entries_of;

/// Header flag of objects: someone holds it weakly.
pub(crate) const HEADER_WEAKLY_HELD: u32 = 1 << 13;

/// The WeakMaps of an object: one, as a rule, which takes no memory of its own.
type Holders = smallvec::SmallVec<[*mut PhpObject; 1]>;

/// Who holds objects weakly.
#[derive(Debug, Default)]
pub struct WeakTable {
    /// The WeakReference of each object.
    references: hashbrown::HashMap<usize, *mut PhpObject, foldhash::fast::FixedState>,
    /// The WeakMaps that have an object as key.
    maps: hashbrown::HashMap<usize, Holders, foldhash::fast::FixedState>,
}

pub(crate) static CLASSES: &[&NativeClass] = &[&reference::CLASS, &map::CLASS];

const CLASS_FLAGS: u32 = class_flags::NO_DYNAMIC_PROPERTIES | class_flags::NOT_SERIALIZABLE;

impl Vm {
    /// Clears weak references to an object that is being freed.
    pub fn forget_weak_references(&mut self, object: *mut PhpObject) {
        // SAFETY: I3: the object is being freed and still there.
        if unsafe { (*object).header.type_info & HEADER_WEAKLY_HELD == 0 } {
            return;
        }
        if let Some(reference) = self.weak.references.remove(&(object as usize)) {
            reference::clear(reference);
        }
        for map in self
            .weak
            .maps
            .remove(&(object as usize))
            .unwrap_or_default()
        {
            map::forget_key(map, object);
        }
    }
}

fn mark(object: *mut PhpObject) {
    // SAFETY: I3: the caller holds the object.
    unsafe { (*object).header.type_info |= HEADER_WEAKLY_HELD };
}
