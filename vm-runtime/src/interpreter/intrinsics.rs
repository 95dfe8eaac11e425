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

/// Copies a value with a share of its own.
#[inline(always)]
pub unsafe fn copy(target: *mut Zval, source: *const Zval) {
    *target = (*source).share();
}
