//! The intrinsics that fast clauses may use (`vm_def::ir::Intrinsic`): small, inlined, and without
//! effects.

use crate::value::Zval;

/// Number of elements of an array.
#[inline(always)]
pub unsafe fn array_count(value: *const Zval) -> i64 {
    (*(*value).array()).len() as i64
}

/// Length of a string in bytes.
#[inline(always)]
pub unsafe fn string_length(value: *const Zval) -> i64 {
    (*(*value).string()).len() as i64
}

/// The type number of a value.
#[inline(always)]
pub unsafe fn kind_of(value: *const Zval) -> i64 {
    (*value).kind() as i64
}

/// True if both values hold the very same string.
#[inline(always)]
pub unsafe fn same_string(a: *const Zval, b: *const Zval) -> bool {
    (*a).string() == (*b).string()
}

/// True if both strings have the same bytes.
#[inline(always)]
pub unsafe fn equal_text(a: *const Zval, b: *const Zval) -> bool {
    (*(*a).string()).equals_inline(&*(*b).string())
}

/// True if one of two strings cannot be a number: its first byte is behind `9`. White space, signs
/// and the NUL behind an empty string are below.
#[inline(always)]
pub unsafe fn not_both_numbers(a: *const Zval, b: *const Zval) -> bool {
    let first = |value: *const Zval| *(*(*value).string()).as_bytes().as_ptr();
    first(a) > b'9' || first(b) > b'9'
}

/// Copies a value with a share of its own.
#[inline(always)]
pub unsafe fn copy(target: *mut Zval, source: *const Zval) {
    *target = (*source).share();
}
