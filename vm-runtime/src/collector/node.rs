//! Values as the collector sees them: colour, and what they hold.

use crate::array::PhpArray;
use crate::object::PhpObject;
use crate::value::{ARRAY, COLLECTABLE, Header, OBJECT, PhpReference, REFERENCE, Zval};

/// Bits of a header that belong to the collector: colour and place among the roots.
pub(crate) const GC_INFO: u32 = COLOURS | ADDRESSES;
const COLOURS: u32 = 0b11 << 14;
const ADDRESSES: u32 = 0xffff << ADDRESS_SHIFT;
const ADDRESS_SHIFT: u32 = 16;

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Colour {
    /// In use, or not looked at.
    Black = 0,
    /// Only held from inside: garbage, unless something else is found.
    White = 1 << 14,
    /// Shares from inside have been taken away.
    Grey = 2 << 14,
    /// A possible root.
    Purple = 3 << 14,
}

pub(super) unsafe fn colour(node: *mut Header) -> Colour {
    match (*node).type_info & COLOURS {
        0 => Colour::Black,
        0x4000 => Colour::White,
        0x8000 => Colour::Grey,
        _ => Colour::Purple,
    }
}

pub(super) unsafe fn set_colour(node: *mut Header, colour: Colour) {
    (*node).type_info = (*node).type_info & !COLOURS | colour as u32;
}

/// The address of a value among the roots, as far as the header has room for it; 0 for none.
pub(super) unsafe fn address(node: *mut Header) -> u32 {
    (*node).type_info >> ADDRESS_SHIFT
}

pub(super) unsafe fn set_address(node: *mut Header, address: u32) {
    (*node).type_info = (*node).type_info & !ADDRESSES | address << ADDRESS_SHIFT;
}

pub(super) unsafe fn kind(node: *mut Header) -> u8 {
    (*node).type_info as u8
}

/// A share that one value has of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    /// The value that is held.
    pub target: *mut Header,
    /// It is an object's table of dynamic properties, which is part of the object.
    pub table: bool,
}

impl Edge {
    #[inline(always)]
    fn of(value: &Zval) -> Option<Edge> {
        (value.type_info & COLLECTABLE != 0).then(|| Edge {
            target: value.counted(),
            table: false,
        })
    }
}

/// Calls `each` with every share that a value has of others that may be part of a cycle.
pub(super) unsafe fn edges(node: *mut Header, mut each: impl FnMut(Edge)) {
    match kind(node) {
        REFERENCE => {
            if let Some(edge) = Edge::of(&(*node.cast::<PhpReference>()).value) {
                each(edge);
            }
        }
        ARRAY => (*node.cast::<PhpArray>()).each_value(|value| {
            if let Some(edge) = Edge::of(value) {
                each(edge);
            }
        }),
        OBJECT => object_edges(node.cast(), each),
        _ => {}
    }
}

unsafe fn object_edges(object: *mut PhpObject, mut each: impl FnMut(Edge)) {
    for index in 0..(*object).slot_count {
        if let Some(edge) = Edge::of(&*(*object).slot(index)) {
            each(edge);
        }
    }
    if !(*object).dynamic.is_null() {
        each(Edge {
            target: (*object).dynamic.cast(),
            table: true,
        });
    }
    let mut visitor = |value: &Zval| {
        if let Some(edge) = Edge::of(value) {
            each(edge);
        }
    };
    if let Some(native) = &(*object).native {
        native.visit(&mut visitor);
    }
    if (*object).is_lazy() {
        crate::object::lazy::visit(&*object, &mut visitor);
    }
}
