//! What is still alive when a VM ends, told on standard error by debug builds.

use std::cell::Cell;
use std::collections::HashSet;

use super::{CHUNK_SIZE, CLASS_SIZE, ChunkHeader, Heap, PAGE_LARGE, PAGE_SIZE, PAGE_SMALL, PAGES};
use crate::array::PhpArray;
use crate::object::PhpObject;
use crate::string::PhpString;
use crate::value::{ARRAY, Header, OBJECT, REFERENCE, RESOURCE, STRING};

/// Allocations that are told one by one.
const SHOWN: usize = 20;

thread_local! {
    static LEFT: Cell<usize> = const { Cell::new(0) };
}

/// How many allocations VMs of this thread have left behind.
pub fn left_alive() -> usize {
    LEFT.get()
}

/// Tells what was not freed, unless a fatal error left it behind.
pub(super) fn report(heap: &Heap) {
    // Literals of scripts have a heap without VM, which always goes as a whole.
    if heap.live == 0 || heap.is_abandoned() || heap.vm.is_null() {
        return;
    }
    LEFT.set(LEFT.get() + heap.live);
    let living = living(heap);
    for &(address, size) in living.iter().take(SHOWN) {
        eprintln!(
            "alive: {address:#x} ({size} bytes) {}",
            describe(address, size)
        );
    }
    eprintln!("=== {} allocations are still alive ===", heap.live);
}

/// Address and size of every allocation that was not freed, huge ones left out.
fn living(heap: &Heap) -> Vec<(usize, usize)> {
    let mut free: HashSet<usize> = heap.quarantine.waiting().collect();
    for &list in &heap.free {
        let mut element = list;
        while !element.is_null() {
            free.insert(element as usize);
            // SAFETY: I2: elements of the free list are unused memory of this heap.
            element = unsafe { (*element).next };
        }
    }
    let mut living = Vec::new();
    let mut chunk = heap.chunks;
    while !chunk.is_null() {
        // SAFETY: I2: the chunk list holds mapped chunks of this heap.
        let header: &ChunkHeader = unsafe { &*chunk };
        let mut page = 1;
        while page < PAGES {
            let start = chunk as usize + page * PAGE_SIZE;
            match header.page[page] {
                PAGE_LARGE => living.push((start, header.run_length[page] as usize * PAGE_SIZE)),
                kind if kind >= PAGE_SMALL => {
                    let size = CLASS_SIZE[(kind - PAGE_SMALL) as usize] as usize;
                    let pages = header.run_length[page].max(1) as usize;
                    for index in 0..pages * PAGE_SIZE / size {
                        let address = start + index * size;
                        if !free.contains(&address) {
                            living.push((address, size));
                        }
                    }
                    page += pages;
                    continue;
                }
                _ => {}
            }
            page += 1;
        }
        chunk = header.next;
    }
    debug_assert!(
        living
            .iter()
            .all(|&(address, _)| address % CHUNK_SIZE >= PAGE_SIZE)
    );
    living
}

/// What an allocation looks like.
fn describe(address: usize, size: usize) -> String {
    // SAFETY: I2: the allocation is live memory of at least a header. Whether it is a value at all
    // is a guess, so nothing that it would point to is looked at.
    unsafe {
        let header = &*(address as *const Header);
        let count = header.refcount;
        if count == 0 || count > 1 << 20 {
            return String::from("?");
        }
        match header.type_info as u8 {
            STRING if size >= 24 => {
                let string = &*(address as *const PhpString);
                let shown = string.len().min(40).min(size - 24);
                let text = String::from_utf8_lossy(&string.as_bytes()[..shown]).into_owned();
                format!("string? count {count}: {text:?}")
            }
            ARRAY if size >= size_of::<PhpArray>() => {
                let array = &*(address as *const PhpArray);
                let text = match array.len() {
                    1..=20 => format!(
                        "{:?}",
                        array
                            .iter()
                            .map(|(key, value)| (format!("{key:?}"), *value))
                            .collect::<Vec<_>>()
                    ),
                    _ => String::new(),
                };
                format!("array? count {count}, {} elements {text}", array.len())
            }
            OBJECT if size >= size_of::<PhpObject>() => {
                let object = &*(address as *const PhpObject);
                format!(
                    "object? count {count}, #{}, {} slots",
                    object.id, object.slot_count
                )
            }
            REFERENCE => format!("reference? count {count}"),
            RESOURCE => format!("resource? count {count}"),
            _ => String::from("?"),
        }
    }
}
