//! `===`.

use crate::array::PhpArray;
use crate::exceptions::KnownClass;
use crate::operators::comparison::{ARRAYS_TOO_DEEP, is_visited, walk_protected};
use crate::value::{
    ARRAY, ArrayHandle, DOUBLE, FALSE, LONG, NULL, OBJECT, RESOURCE, STRING, TRUE, UNDEF, Zval,
};
use crate::vm::Vm;

/// `$left === $right`. Throws for arrays that contain themselves.
#[inline]
pub fn is_identical(vm: &mut Vm, left: &Zval, right: &Zval) -> bool {
    let (left, right) = (left.deref(), right.deref());
    if left.kind() != right.kind() {
        return left.kind() <= NULL && right.kind() <= NULL;
    }
    match left.kind() {
        UNDEF | NULL | FALSE | TRUE => true,
        LONG => left.long() == right.long(),
        DOUBLE => left.double() == right.double(),
        // SAFETY: I3: string payloads are live.
        STRING => unsafe { (*left.string()).equals(&*right.string()) },
        OBJECT => left.object() == right.object(),
        RESOURCE => left.resource() == right.resource(),
        ARRAY => {
            // SAFETY: I3: array payloads are live.
            let (left, right) = unsafe {
                (
                    ArrayHandle::share_raw(left.array()),
                    ArrayHandle::share_raw(right.array()),
                )
            };
            arrays_are_identical(vm, &left, &right)
        }
        _ => false,
    }
}

/// True if both have the same keys in the same order, and identical values.
fn arrays_are_identical(vm: &mut Vm, left: &PhpArray, right: &PhpArray) -> bool {
    if std::ptr::eq(left, right) {
        return true;
    }
    if left.len() != right.len() && !is_visited(left) {
        return false;
    }
    let compared = walk_protected(vm, left, ARRAYS_TOO_DEEP, |vm| {
        left.iter()
            .zip(right.iter())
            .all(|((left_key, left), (right_key, right))| {
                vm.poll();
                left_key == right_key && is_identical(vm, left, right)
            })
    });
    compared.unwrap_or(false)
}

/// The error for a comparison that meets a value again inside itself.
#[cold]
pub(super) fn throw_recursive(vm: &mut Vm) {
    vm.throw_error(
        KnownClass::Error,
        "Nesting level too deep - recursive dependency?",
    );
}
