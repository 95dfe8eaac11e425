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

/// Values that are on their way while colours are decided.
#[derive(Default)]
struct Lists {
    /// What was found to live and has not been followed.
    living: Work,
    /// Values of entries of which one of map and key lives. That is no way to them as long as the other does not,
    /// and there may be no other way from a root.
    half: Work,
}

/// Paints grey values white, or black if they have owners outside. Gives what may be white without being led to
/// by something white.
pub(super) unsafe fn scan(vm: *mut Vm, work: &mut Work) -> Work {
    let mut lists = Lists::default();
    for root in roots(vm, Colour::Grey) {
        scan_from(vm, root, work, &mut lists);
    }
    let mut next = 0;
    while let Some(&target) = lists.half.get(next) {
        scan_from(vm, target, work, &mut lists);
        next += 1;
    }
    lists.half
}

/// Decides the colour of a grey value and of all it leads to.
unsafe fn scan_from(vm: *mut Vm, start: *mut Header, work: &mut Work, lists: &mut Lists) {
    scan_node(vm, start, work, lists);
    while let Some(node) = work.pop() {
        if colour(node) != Colour::White {
            // Something that lives led to it meanwhile.
            continue;
        }
        edges(node, |edge| scan_node(vm, edge.target, work, lists));
        weak::entries_of(vm, node, |_, entry| {
            if let Some(target) = entry.collectable() {
                scan_node(vm, target, work, lists);
            }
        });
    }
}

unsafe fn scan_node(vm: *mut Vm, node: *mut Header, work: &mut Work, lists: &mut Lists) {
    if colour(node) != Colour::Grey {
        return;
    }
    if (*node).refcount > 0 {
        revive(vm, node, lists);
    } else {
        set_colour(node, Colour::White);
        work.push(node);
    }
}

/// Paints a value and everything it leads to black, and gives back the shares.
unsafe fn revive(vm: *mut Vm, node: *mut Header, lists: &mut Lists) {
    set_colour(node, Colour::Black);
    lists.living.push(node);
    while let Some(node) = lists.living.pop() {
        edges(node, |edge| give_share(edge.target, &mut lists.living));
        weak::entries_of(vm, node, |other, entry| {
            if !entry.taken.get() {
                return;
            }
            let lives = colour(other) == Colour::Black;
            if lives {
                entry.taken.set(false);
            }
            match entry.collectable() {
                Some(target) if lives => give_share(target, &mut lists.living),
                Some(target) => lists.half.push(target),
                None => {}
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
