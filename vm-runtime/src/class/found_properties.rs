//! What was found out about a property of a name that stays, for oplines that see objects of many classes or many
//! names.

use super::Class;
use crate::string::PhpString;

/// The second level of the runtime caches of properties: what stands behind the class in a cache, by
/// class, name and running scope. What is found never changes, so nothing is ever taken out, only
/// replaced. A name stands for itself by its address: only strings that are never freed come in.
#[derive(Debug)]
pub(crate) struct FoundProperties {
    entries: Box<[Entry; FoundProperties::SIZE]>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    class: *const Class,
    scope: *const Class,
    name: *const PhpString,
    words: [usize; 2],
}

impl Default for FoundProperties {
    fn default() -> FoundProperties {
        const NONE: Entry = Entry {
            class: std::ptr::null(),
            scope: std::ptr::null(),
            name: std::ptr::null(),
            words: [0; 2],
        };
        FoundProperties {
            entries: Box::new([NONE; FoundProperties::SIZE]),
        }
    }
}

impl FoundProperties {
    const SIZE: usize = 512;

    fn index(class: *const Class, name: *const PhpString) -> usize {
        let (class, name) = (class as usize, name as usize);
        (class >> 4 ^ class >> 13 ^ name >> 4 ^ name >> 12) % FoundProperties::SIZE
    }

    /// The words behind the class in a runtime cache, if they were noted.
    #[inline]
    pub fn get(
        &self,
        class: *const Class,
        scope: *const Class,
        name: *const PhpString,
    ) -> Option<[usize; 2]> {
        let entry = &self.entries[FoundProperties::index(class, name)];
        let is_it = entry.class == class && entry.scope == scope && entry.name == name;
        is_it.then_some(entry.words)
    }

    /// Notes the words for a property, if the name is immutable.
    pub fn note(
        &mut self,
        class: *const Class,
        scope: *const Class,
        name: &PhpString,
        words: [usize; 2],
    ) {
        if name.header.is_immutable() {
            self.entries[FoundProperties::index(class, name)] = Entry {
                class,
                scope,
                name,
                words,
            };
        }
    }
}
