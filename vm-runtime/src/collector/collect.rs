//! A run of the collector: from possible roots to free memory.

use std::time::Instant;

use crate::array::PhpArray;
use crate::collector::node::{Colour, address, colour, edges, kind};
use crate::collector::roots::{Place, RootBuffer};
use crate::collector::{destructors, trace};
use crate::heap::Heap;
use crate::object::{self, PhpObject, weak};
use crate::value::{
    ARRAY, HEADER_DESTRUCTOR_CALLED, HEADER_FREED, Header, OBJECT, REFERENCE, destroy,
};
use crate::vm::Vm;

unsafe fn buffer<'a>(vm: *mut Vm) -> &'a mut RootBuffer {
    &mut (*vm).heap.collector.roots
}

/// Frees the garbage that the possible roots lead to. Gives the number of arrays and objects.
///
/// What a destructor is called for is not freed in the same go, for the destructor may have made
/// it reachable. A second go finds out.
pub(super) unsafe fn run(vm: *mut Vm) -> u64 {
    let start = Instant::now();
    let (first, again) = go(vm);
    let mut total = first;
    if again {
        total += go(vm).0;
    }
    (*vm).heap.collector.collecting += start.elapsed();
    total
}

/// One go. Also tells if there were destructors to call.
unsafe fn go(vm: *mut Vm) -> (u64, bool) {
    if buffer(vm).len() == 0 {
        buffer(vm).compact();
        return (0, false);
    }
    let collector = &mut (*vm).heap.collector;
    collector.active = true;
    collector.runs += 1;
    let mut work = std::mem::take(&mut collector.work);
    trace::mark(vm, &mut work);
    let half = trace::scan(vm, &mut work);
    (*vm).heap.collector.work = work;
    forget_living(vm);
    let mut count = gather(vm, &half);
    let mut again = false;
    if buffer(vm).len() > 0 {
        let held_back = destructors::set_apart(vm);
        again = held_back.is_some();
        if let Some(more) = held_back {
            count -= more;
            let start = Instant::now();
            destructors::call(vm);
            (*vm).heap.collector.destructing += start.elapsed();
        }
        let start = Instant::now();
        free(vm);
        (*vm).heap.collector.freeing += start.elapsed();
    }
    buffer(vm).compact();
    let collector = &mut (*vm).heap.collector;
    collector.collected += count;
    collector.active = false;
    (count, again)
}

/// Takes what lives out of the buffer.
unsafe fn forget_living(vm: *mut Vm) {
    for place in 1..buffer(vm).end() {
        if let Place::Root(node) = buffer(vm).at(place)
            && colour(node) == Colour::Black
        {
            buffer(vm).remove(node);
        }
    }
    buffer(vm).compact();
}

/// Puts all garbage that roots and `half` lead to into the buffer, with its counts restored. Gives the number of
/// arrays and objects, tables of dynamic properties not counted but those that were roots.
unsafe fn gather(vm: *mut Vm, half: &[*mut Header]) -> u64 {
    let mut count = 0;
    let mut work = Vec::new();
    let roots = 1..buffer(vm).end();
    let found = roots.clone().map(|place| match buffer(vm).at(place) {
        Place::Root(root) => Some(root),
        _ => None,
    });
    let starts: Vec<*mut Header> = found.flatten().chain(half.iter().copied()).collect();
    for root in starts {
        if colour(root) != Colour::White {
            continue;
        }
        trace::gather(vm, root, &mut work, |node, table| {
            if kind(node) == REFERENCE || table && address(node) == 0 {
                return;
            }
            count += 1;
            if address(node) == 0 {
                buffer(vm).insert_garbage(node);
            }
        });
    }
    for place in roots {
        if let Place::Root(node) = buffer(vm).at(place) {
            buffer(vm).set(place, Place::Garbage(node));
        }
    }
    count
}

/// Frees all garbage in the buffer. First everything is emptied, so that nothing holds anything
/// any more; a share of each keeps them there until all are.
unsafe fn free(vm: *mut Vm) {
    let mut garbage = Vec::with_capacity(buffer(vm).len() as usize);
    for place in 1..buffer(vm).end() {
        if let Place::Garbage(node) = buffer(vm).at(place) {
            (*node).refcount += 1;
            garbage.push(node);
        }
    }
    for &node in &garbage {
        if kind(node) == OBJECT {
            (*node).type_info |= HEADER_DESTRUCTOR_CALLED;
            // No way leads back to it from here on.
            (*vm).forget_weak_references(node.cast());
        }
    }
    for &node in &garbage {
        match kind(node) {
            OBJECT => {
                (*node).type_info |= HEADER_FREED;
                object::release_parts(vm, node.cast());
                (*vm).objects.release((*node.cast::<PhpObject>()).id);
            }
            _ => (*node.cast::<PhpArray>()).clear(),
        }
    }
    for node in garbage {
        buffer(vm).remove(node);
        (*node).refcount -= 1;
        if (*node).refcount == 0 {
            match kind(node) {
                ARRAY => destroy(node, ARRAY),
                _ => Heap::free(node),
            }
        }
    }
}

/// Takes what an object with a destructor leads to out of the garbage. Gives how many values were
/// counted as garbage, the object among them.
pub(super) unsafe fn hold_back(vm: *mut Vm, object: *mut Header) -> u64 {
    let mut count = 1;
    let mut work = vec![object];
    while let Some(node) = work.pop() {
        let mut keep = |target: *mut Header, transparent: bool| {
            if transparent || kind(target) == REFERENCE {
                // A table that an array shared before may have been a root of its own.
                if transparent && address(target) != 0 && colour(target) == Colour::Black {
                    buffer(vm).remove(target);
                    count += 1;
                }
                work.push(target);
            } else if address(target) != 0 && colour(target) == Colour::Black {
                buffer(vm).remove(target);
                count += 1;
                work.push(target);
            }
        };
        edges(node, |edge| keep(edge.target, edge.table));
        weak::entries_of(vm, node, |_, entry| {
            if let Some(target) = entry.collectable() {
                keep(target, false);
            }
        });
    }
    count
}
