//! `.` and `.=`.

use super::convert::to_string;
use super::float_text::{Text, integer};
use super::store;
use crate::heap::Heap;
use crate::string::{MAXIMUM_LENGTH, PhpString, STRING_HEADER, copy_bytes};
use crate::value::{FALSE, LONG, NULL, STRING, StringHandle, TRUE, Value, Zval, release};
use crate::vm::{PhpResult, Vm};

/// `$left . $right`
pub fn concat(vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    let (left, right) = (left.deref(), right.deref());
    if left.kind() == STRING && right.kind() == STRING {
        // SAFETY: I3: string payloads are live.
        return unsafe { concat_strings(vm, result, left, right) };
    }
    let value = converted(vm, left, right);
    store(result, value);
}

/// The text of an operand whose conversion neither fails nor runs code, without a string of its own: of what is never empty.
#[inline]
fn plain_text(value: &Zval, text: &mut Option<Text>) -> Option<&'static [u8]> {
    match value.kind() {
        LONG => {
            *text = Some(integer(value.long()));
            Some(b"")
        }
        TRUE => Some(b"1"),
        _ => None,
    }
}

fn converted(vm: &mut Vm, left: &Zval, right: &Zval) -> PhpResult<Zval> {
    match (left.kind(), right.kind()) {
        (STRING, NULL | FALSE) => return Ok(left.share()),
        (NULL | FALSE, STRING) => return Ok(right.share()),
        _ => {}
    }
    let mut text = None;
    if left.kind() == STRING
        && let Some(plain) = plain_text(right, &mut text)
    {
        // SAFETY: I3: a string payload is live.
        let left = unsafe { &*left.string() };
        let right = text.as_ref().map_or(plain, Text::as_bytes);
        return Ok(joined(vm, left, right));
    }
    if right.kind() == STRING
        && let Some(plain) = plain_text(left, &mut text)
    {
        // SAFETY: I3: a string payload is live.
        let right = unsafe { &*right.string() };
        let left = text.as_ref().map_or(plain, Text::as_bytes);
        return Ok(joined(vm, left, right));
    }
    // What the conversion of the left operand runs may change the right one's variable.
    let right = Value::share(right);
    let left = to_string(vm, left)?;
    let right = to_string(vm, &right)?;
    vm.check()?;
    join(vm, left, right)
}

/// `$left . $right` of strings; `target` is written without a look at what it held.
///
/// # Safety
/// Both are live strings.
#[inline]
pub(crate) unsafe fn concat_strings(vm: &mut Vm, target: &mut Zval, left: &Zval, right: &Zval) {
    // SAFETY: by the caller.
    let (a, b) = unsafe { (&*left.string(), &*right.string()) };
    target.set(if b.is_empty() {
        left.share()
    } else if a.is_empty() {
        right.share()
    } else {
        joined(vm, a, b)
    });
}

/// Two pieces of text as one string.
#[inline]
pub(crate) fn joined(vm: &mut Vm, left: &[u8], right: &[u8]) -> Zval {
    check_length(vm, left.len(), right.len());
    PhpString::joined(&mut vm.heap, left, right)
        .into_value()
        .into_zval()
}

fn join(vm: &mut Vm, left: StringHandle, right: StringHandle) -> PhpResult<Zval> {
    if right.is_empty() {
        return Ok(left.into_value().into_zval());
    }
    if left.is_empty() {
        return Ok(right.into_value().into_zval());
    }
    check_length(vm, left.len(), right.len());
    let joined = PhpString::from_parts(&mut vm.heap, &[&left, &right]);
    Ok(joined.into_value().into_zval())
}

#[inline(always)]
fn check_length(vm: &mut Vm, left: usize, right: usize) {
    if right > MAXIMUM_LENGTH - left {
        vm.fatal_error("String size overflow");
    }
}

/// `$target .= $right`: a string with one owner grows in place, in amortised constant time. The
/// target is the variable itself, dereferenced; it is unchanged if this throws. (A pointer: user
/// handlers may write to the variable.)
///
/// # Safety
/// `target` is live, and stays so while user code runs.
pub unsafe fn concat_assign(vm: &mut Vm, target: *mut Zval, right: &Zval) {
    let right = right.deref();
    // SAFETY: by the caller; I3: string payloads are live; the extra share keeps `$a .= $a` right.
    unsafe {
        if (*target).kind() == STRING && right.kind() == STRING {
            let right = StringHandle::share_raw(right.string());
            append(vm, &mut *target, &right);
            return;
        }
        assign_converted(vm, target, right);
    }
}

/// # Safety
/// As for [`concat_assign`].
#[inline(never)]
unsafe fn assign_converted(vm: &mut Vm, target: *mut Zval, right: &Zval) {
    let right = Value::share(right);
    // SAFETY: by the caller; no borrow of the target is held while user code runs.
    unsafe {
        if (*target).kind() != STRING {
            let left = Value::share(&*target);
            // A conversion, other than an operation on numbers, does not go on with an exception.
            let Ok(left) = to_string(vm, &left).and_then(|left| vm.check().map(|()| left)) else {
                return;
            };
            let Ok(right) = to_string(vm, &right) else {
                return;
            };
            let Ok(joined) = join(vm, left, right) else {
                return;
            };
            replace(&mut *target, joined);
            return;
        }
        // An error handler or `__toString` may assign to the variable: what it held before counts.
        let before = Value::share(&*target);
        let Ok(right) = to_string(vm, &right).and_then(|right| vm.check().map(|()| right)) else {
            return;
        };
        if (*target).kind() == STRING && (*target).string() == before.as_zval().string() {
            drop(before);
            append(vm, &mut *target, &right);
        } else {
            let mut grown = before.into_zval();
            append(vm, &mut grown, &right);
            replace(&mut *target, grown);
        }
    }
}

/// `$a .= $a` of what is neither a string nor a reference: it is converted once.
///
/// # Safety
/// As for [`concat_assign`].
pub unsafe fn concat_with_itself(vm: &mut Vm, target: *mut Zval) {
    // SAFETY: by the caller; no borrow of the target is held while user code runs.
    unsafe {
        let before = Value::share(&*target);
        let text = to_string(vm, &before).and_then(|text| vm.check().map(|()| text));
        if let Ok(text) = text
            && let Ok(joined) = join(vm, text.clone(), text)
        {
            replace(&mut *target, joined);
        }
    }
}

fn replace(target: &mut Zval, value: Zval) {
    let old = *target;
    target.set(value);
    // SAFETY: I3: the target's old share is given up.
    unsafe { release(&old) };
}

/// A string with one owner and another one behind it.
pub(crate) fn extended(vm: &mut Vm, left: StringHandle, right: &PhpString) -> StringHandle {
    let (length, added) = (left.len(), right.len());
    check_length(vm, length, added);
    let total = length + added;
    // SAFETY: I2: a string with one owner lives in a heap; there is room for the bytes and the zero.
    unsafe {
        let string = match STRING_HEADER + total < Heap::usable_size(left.as_ptr()) {
            true => left.into_raw(),
            false => left.resize(total).into_raw(),
        };
        copy_bytes(right.as_bytes(), (*string).data().add(length));
        (*string).set_length(total);
        StringHandle::from_raw(string)
    }
}

/// Appends a string to a string value.
#[inline]
fn append(vm: &mut Vm, target: &mut Zval, right: &PhpString) {
    // SAFETY: I3: string payloads are live.
    if unsafe { (*target.string()).is_empty() } {
        // SAFETY: a borrowed string is live.
        let share = unsafe { StringHandle::share_raw((&raw const *right).cast_mut()) };
        replace(target, share.into_value().into_zval());
        return;
    }
    append_slice(vm, target, right.as_bytes());
}

/// Appends bytes to a string value. They must not be those of the target itself, unless it has
/// another owner too.
#[inline]
fn append_slice(vm: &mut Vm, target: &mut Zval, right: &[u8]) {
    let added = right.len();
    if added == 0 {
        return;
    }
    let left = target.string();
    // SAFETY: I3: string payloads are live; only a string with one owner is changed.
    unsafe {
        let length = (*left).len();
        check_length(vm, length, added);
        if (*left).header.is_immutable() || (*left).header.refcount != 1 {
            let joined = PhpString::from_parts(&mut vm.heap, &[&*left, right]);
            replace(target, joined.into_value().into_zval());
            return;
        }
        let total = length + added;
        let string = if STRING_HEADER + total < Heap::usable_size(left) {
            left
        } else {
            // Headroom in proportion makes a long row of appends linear.
            let capacity = total + (total / 4).min(16 << 20);
            let owned = StringHandle::from_raw(left);
            owned.resize(capacity).into_raw()
        };
        let data = (*string).data();
        copy_bytes(right, data.add(length));
        (*string).set_length(total);
        target.set(Zval::from_string(string));
    }
}

/// Appends bytes to a value that holds a string.
pub fn append_bytes(vm: &mut Vm, target: &mut Zval, bytes: &[u8]) {
    debug_assert_eq!(target.kind(), STRING);
    append_slice(vm, target, bytes);
}
