//! Classes by the strings that named them, for natives that are given names.

use crate::class::Class;
use crate::string::PhpString;

/// Linked classes by name as it was written. Classes never go, so nothing is ever taken out, only
/// replaced. A name stands for itself by its address: only strings that are never freed come in.
#[derive(Debug)]
pub(crate) struct FoundClasses {
    entries: Box<[(*const PhpString, *mut Class); FoundClasses::SIZE]>,
}

impl Default for FoundClasses {
    fn default() -> FoundClasses {
        FoundClasses {
            entries: Box::new([(std::ptr::null(), std::ptr::null_mut()); FoundClasses::SIZE]),
        }
    }
}

impl FoundClasses {
    const SIZE: usize = 128;

    fn index(name: *const PhpString) -> usize {
        let name = name as usize;
        (name >> 4 ^ name >> 11) % FoundClasses::SIZE
    }

    /// The class of this name, if it was noted.
    #[inline]
    pub fn get(&self, name: &PhpString) -> Option<*mut Class> {
        let (known, class) = self.entries[FoundClasses::index(name)];
        std::ptr::eq(known, name).then_some(class)
    }

    /// Notes a class, if its name lasts.
    pub fn note(&mut self, name: &PhpString, class: *mut Class) {
        if name.header.is_immutable() {
            self.entries[FoundClasses::index(name)] = (name, class);
        }
    }
}
