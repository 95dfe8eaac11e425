//! The heap of debug builds makes use after free show: small allocations that are freed are
//! overwritten and wait before they are used again, and whoever wrote to one meanwhile is found when
//! that happens.

use super::{CLASS_SIZE, CLASSES, FreeElement};

/// What freed memory is filled with: as a pointer it leads nowhere, as a type it is none.
const POISON: u8 = 0xa5;
/// Freed allocations of a class that wait.
const LENGTH: usize = 64;

/// The allocations of each class that were freed last.
#[derive(Debug)]
pub(super) struct Quarantine {
    waiting: Box<[[*mut FreeElement; LENGTH]; CLASSES]>,
    next: [usize; CLASSES],
}

impl Default for Quarantine {
    fn default() -> Quarantine {
        Quarantine {
            waiting: Box::new([[std::ptr::null_mut(); LENGTH]; CLASSES]),
            next: [0; CLASSES],
        }
    }
}

impl Quarantine {
    /// Takes in a freed allocation and gives the one that has waited longest, or null.
    ///
    /// # Safety
    /// `element` is unused memory of this class (invariant I2).
    pub(super) unsafe fn exchange(
        &mut self,
        element: *mut FreeElement,
        class: usize,
    ) -> *mut FreeElement {
        // SAFETY: by the caller.
        unsafe { fill(element.cast(), CLASS_SIZE[class] as usize) };
        let place = self.next[class] % LENGTH;
        self.next[class] += 1;
        std::mem::replace(&mut self.waiting[class][place], element)
    }

    /// The allocations that wait: they are free.
    pub(super) fn waiting(&self) -> impl Iterator<Item = usize> {
        let all = self.waiting.iter().flatten();
        all.filter(|element| !element.is_null())
            .map(|element| element.addr())
    }
}

/// Overwrites unused memory.
///
/// # Safety
/// Nobody uses the memory.
pub(super) unsafe fn fill(memory: *mut u8, size: usize) {
    // SAFETY: by the caller.
    unsafe { memory.write_bytes(POISON, size) };
}

/// Fails if someone wrote to memory after it was freed. The link to the next free element lies in
/// its first word.
///
/// # Safety
/// The memory was filled, and is in no list any more.
pub(super) unsafe fn check(memory: *const u8, size: usize) {
    let link = size_of::<FreeElement>();
    // SAFETY: by the caller.
    let rest = unsafe { std::slice::from_raw_parts(memory.add(link), size - link) };
    if let Some(place) = rest.iter().position(|&byte| byte != POISON) {
        let offset = place + link;
        panic!(
            "{offset} bytes into a freed allocation of {size} bytes at {memory:p}, something was written"
        );
    }
}
