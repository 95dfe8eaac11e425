//! Methods and functions that calls have found: behind the runtime caches of call oplines, which know
//! one class, and for names that are known only at run time.

use crate::class::Class;
use crate::function::{Function, flags};
use crate::string::PhpString;

/// Methods by class, scope of the caller and literal name; functions by null and name. What is found never changes, so
/// nothing is ever taken out, only replaced. A name stands for itself by its address: only strings that
/// are never freed come in.
#[derive(Debug)]
pub(crate) struct FoundMethods {
    entries: Box<[Entry; FoundMethods::SIZE]>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    class: *const Class,
    /// The scope of the code that calls; null if every code calls the same.
    scope: *const Class,
    name: *const PhpString,
    method: *const Function,
}

impl Default for FoundMethods {
    fn default() -> FoundMethods {
        const NONE: Entry = Entry {
            class: std::ptr::null(),
            scope: std::ptr::null(),
            name: std::ptr::null(),
            method: std::ptr::null(),
        };
        FoundMethods {
            entries: Box::new([NONE; FoundMethods::SIZE]),
        }
    }
}

impl FoundMethods {
    const SIZE: usize = 512;

    fn index(class: *const Class, name: *const PhpString) -> usize {
        let (class, name) = (class as usize, name as usize);
        (class >> 4 ^ class >> 13 ^ name >> 4 ^ name >> 12) % FoundMethods::SIZE
    }

    /// The method that code of this scope calls by this name, if it was noted. For null it is one that every scope calls.
    #[inline]
    pub fn get(
        &self,
        class: *const Class,
        scope: *const Class,
        name: *const PhpString,
    ) -> Option<*const Function> {
        let entry = &self.entries[FoundMethods::index(class, name)];
        let is_it = entry.class == class && entry.name == name && !name.is_null();
        (is_it && (entry.scope.is_null() || entry.scope == scope)).then_some(entry.method)
    }

    /// Notes a method or function that code of this scope has found, if the name, which may be null, is immutable. Where
    /// the scope is null it is noted only if it is the same for every scope.
    pub fn note(
        &mut self,
        class: *const Class,
        scope: *const Class,
        name: *const PhpString,
        method: *const Function,
    ) {
        // SAFETY: I4: methods and classes live until the VM ends; I3: the name is null or live.
        let (flags, lasts, handlers) = unsafe {
            (
                (*method).flags,
                name.as_ref().is_some_and(|name| name.header.is_immutable()),
                class.as_ref().and_then(|class| class.handlers),
            )
        };
        // Calls with an object and calls by the class have different methods of one name there.
        if handlers.is_some_and(|handlers| handlers.instance_method.is_some()) {
            return;
        }
        let for_all = class.is_null() || flags & (flags::PUBLIC | flags::CHANGED) == flags::PUBLIC;
        if lasts && (for_all || !scope.is_null()) {
            let entry = Entry {
                class,
                scope: if for_all { std::ptr::null() } else { scope },
                name,
                method,
            };
            self.entries[FoundMethods::index(class, name)] = entry;
        }
    }
}
