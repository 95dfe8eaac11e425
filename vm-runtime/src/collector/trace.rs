//! Trial deletion: which values have owners outside.
//!
//! An entry of a WeakMap is held by its map *and* its key: its value has one share from it, which
//! counts as taken away as soon as one of the two is grey, and is given back when both are black.

use crate::collector::node::{Colour, Edge, colour, edges, set_colour};
use crate::collector::roots::Place;
use crate::object::weak;
use crate::value::Header;
use crate::vm::Vm;

/// The values still to be looked at.
pub(super) type Work = Vec<*mut Header>;

/// The roots that are what `wanted` says.
unsafe fn roots(vm: *mut Vm, wanted: Colour) -> Vec<*mut Header> {
    let roots = &(*vm).heap.collector.roots;
    (1..roots.end())
        .filter_map(|place| match roots.at(place) {
            Place::Root(node) if colour(node) == wanted => Some(node),
            _ => None,
        })
        .collect()
}

/// Paints everything that the roots lead to grey, and takes away the shares from inside.
pub(super) unsafe fn mark(vm: *mut Vm, work: &mut Work) {
    for root in roots(vm, Colour::Purple) {
        if colour(root) != Colour::Purple {
            continue;
        }
        set_colour(root, Colour::Grey);
        work.push(root);
        while let Some(node) = work.pop() {
            edges(node, |edge| take_share(edge.target, work));
            weak::entries_of(vm, node, |_, entry| {
                if !entry.taken.replace(true)
                    && let Some(target) = entry.collectable()
                {
                    take_share(target, work);
                }
            });
        }
    }
}

unsafe fn take_share(target: *mut Header, work: &mut Work) {
    (*target).refcount -= 1;
    if colour(target) != Colour::Grey {
        set_colour(target, Colour::Grey);
        work.push(target);
    }
}

/// Paints grey values white, or black if they have owners outside.
pub(super) unsafe fn scan(vm: *mut Vm, work: &mut Work) {
    let mut living = Vec::new();
    for root in roots(vm, Colour::Grey) {
        scan_node(vm, root, work, &mut living);
        while let Some(node) = work.pop() {
            if colour(node) != Colour::White {
                // Something that lives led to it meanwhile.
                continue;
            }
            edges(node, |edge| scan_node(vm, edge.target, work, &mut living));
            weak::entries_of(vm, node, |_, entry| {
                if let Some(target) = entry.collectable() {
                    scan_node(vm, target, work, &mut living);
                }
            });
        }
    }
}

unsafe fn scan_node(vm: *mut Vm, node: *mut Header, work: &mut Work, living: &mut Work) {
    if colour(node) != Colour::Grey {
        return;
    }
    if (*node).refcount > 0 {
        revive(vm, node, living);
    } else {
        set_colour(node, Colour::White);
        work.push(node);
    }
}

/// Paints a value and everything it leads to black, and gives back the shares.
unsafe fn revive(vm: *mut Vm, node: *mut Header, work: &mut Work) {
    set_colour(node, Colour::Black);
    work.push(node);
    while let Some(node) = work.pop() {
        edges(node, |edge| give_share(edge.target, work));
        weak::entries_of(vm, node, |other, entry| {
            if entry.taken.get() && colour(other) == Colour::Black {
                entry.taken.set(false);
                if let Some(target) = entry.collectable() {
                    give_share(target, work);
                }
            }
        });
    }
}

unsafe fn give_share(target: *mut Header, work: &mut Work) {
    (*target).refcount += 1;
    if colour(target) != Colour::Black {
        set_colour(target, Colour::Black);
        work.push(target);
    }
}

/// Paints a white value and all that it leads to black again, and gives back the shares. Calls
/// `each` with every value found; `true` says that it is the table of an object.
pub(super) unsafe fn gather(
    vm: *mut Vm,
    root: *mut Header,
    work: &mut Vec<Edge>,
    mut each: impl FnMut(*mut Header, bool),
) {
    set_colour(root, Colour::Black);
    work.push(Edge {
        target: root,
        table: false,
    });
    while let Some(node) = work.pop() {
        each(node.target, node.table);
        let mut give_back = |edge: Edge| {
            (*edge.target).refcount += 1;
            if colour(edge.target) == Colour::White {
                set_colour(edge.target, Colour::Black);
                work.push(edge);
            }
        };
        edges(node.target, &mut give_back);
        weak::entries_of(vm, node.target, |_, entry| {
            if entry.taken.replace(false)
                && let Some(target) = entry.collectable()
            {
                give_back(Edge {
                    target,
                    table: false,
                });
            }
        });
    }
}
