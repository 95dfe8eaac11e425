//! `++` and `--` on variables.

use super::arithmetic::overloaded;
use super::numeric_string::{self, Number};
use super::type_names::value_name;
use crate::exceptions::KnownClass;
use crate::string::{KnownString, PhpString};
use crate::value::{
    DOUBLE, FALSE, LONG, NULL, STRING, StringHandle, TRUE, UNDEF, Value, Zval, release,
};
use crate::vm::{PhpResult, Vm};

static ONE: KnownString = KnownString::new(b"1");

/// Overwrites a variable and gives the old value back.
///
/// # Safety
/// `variable` is live.
unsafe fn replace(variable: *mut Zval, value: Zval) {
    // SAFETY: by the caller; I3: the variable's old share is given up.
    unsafe {
        let old = *variable;
        (*variable).set(value);
        release(&old);
    }
}

/// Warns about a variable that keeps its value, even if an error handler assigns to it.
///
/// # Safety
/// `variable` is live.
unsafe fn warn_and_keep(vm: &mut Vm, variable: *mut Zval, warn: impl FnOnce(&mut Vm)) {
    // SAFETY: by the caller; I3: the kept share goes back into the variable.
    unsafe {
        let kept = Value::from_zval((*variable).share());
        warn(vm);
        replace(variable, kept.into_zval());
    }
}

/// The value inside a reference, or the variable itself.
///
/// # Safety
/// `variable` is live.
unsafe fn target_of(variable: *mut Zval) -> *mut Zval {
    // SAFETY: by the caller; I3: a reference payload is live.
    unsafe {
        if (*variable).is_reference() {
            &raw mut (*(*variable).reference()).value
        } else {
            variable
        }
    }
}

/// `++$variable`; references are followed. (A pointer: user handlers may write to the variable.)
///
/// # Safety
/// `variable` is live, and stays so while user code runs.
#[inline]
pub unsafe fn increment(vm: &mut Vm, variable: *mut Zval) {
    // SAFETY: by the caller.
    unsafe { increment_value(vm, target_of(variable)) }
}

unsafe fn increment_value(vm: &mut Vm, variable: *mut Zval) {
    // SAFETY: by the caller; I3: a string payload is live, and held across handlers.
    unsafe {
        match (*variable).kind() {
            LONG => match (*variable).long().checked_add(1) {
                Some(value) => (*variable).set_long(value),
                None => (*variable).set_double(9223372036854775808.0),
            },
            DOUBLE => (*variable).set_double((*variable).double() + 1.0),
            UNDEF | NULL => (*variable).set_long(1),
            FALSE | TRUE => warn_and_keep(vm, variable, |vm| {
                vm.warning(
                    "Increment on type bool has no effect, \
                 this will change in the next major version of PHP",
                );
            }),
            STRING => {
                let string = StringHandle::share_raw((*variable).string());
                match numeric_string::parse_whole(&string) {
                    Some(Number::Long(i64::MAX)) => {
                        replace(variable, Zval::from_double(9223372036854775808.0));
                    }
                    Some(Number::Long(value)) => replace(variable, Zval::from_long(value + 1)),
                    Some(Number::Double(value)) => {
                        replace(variable, Zval::from_double(value + 1.0))
                    }
                    None => {
                        if let Ok(next) = increment_string(vm, string) {
                            replace(variable, next.into_value().into_zval());
                        }
                    }
                }
            }
            _ => {
                let one = Zval::from_long(1);
                match overloaded(vm, &*variable, &one, "+") {
                    Some(Ok(value)) => return replace(variable, value),
                    Some(Err(_)) => return,
                    None => {}
                }
                let message = format!("Cannot increment {}", value_name(&*variable));
                vm.throw_error(KnownClass::TypeError, message);
            }
        }
    }
}

/// `--$variable`; references are followed.
///
/// # Safety
/// As for [`increment`].
#[inline]
pub unsafe fn decrement(vm: &mut Vm, variable: *mut Zval) {
    // SAFETY: by the caller.
    unsafe { decrement_value(vm, target_of(variable)) }
}

unsafe fn decrement_value(vm: &mut Vm, variable: *mut Zval) {
    // SAFETY: by the caller; I3: a string payload is live, and held across handlers.
    unsafe {
        match (*variable).kind() {
            LONG => match (*variable).long().checked_sub(1) {
                Some(value) => (*variable).set_long(value),
                None => (*variable).set_double(-9223372036854775809.0),
            },
            DOUBLE => (*variable).set_double((*variable).double() - 1.0),
            UNDEF | NULL => {
                (*variable).set_null();
                warn_and_keep(vm, variable, |vm| {
                    vm.warning(
                        "Decrement on type null has no effect, \
                     this will change in the next major version of PHP",
                    );
                });
            }
            FALSE | TRUE => warn_and_keep(vm, variable, |vm| {
                vm.warning(
                    "Decrement on type bool has no effect, \
                 this will change in the next major version of PHP",
                );
            }),
            STRING => decrement_string(vm, variable),
            _ => {
                let one = Zval::from_long(1);
                match overloaded(vm, &*variable, &one, "-") {
                    Some(Ok(value)) => return replace(variable, value),
                    Some(Err(_)) => return,
                    None => {}
                }
                let message = format!("Cannot decrement {}", value_name(&*variable));
                vm.throw_error(KnownClass::TypeError, message);
            }
        }
    }
}

unsafe fn decrement_string(vm: &mut Vm, variable: *mut Zval) {
    // SAFETY: by the caller; I3: a string payload is live, and held across handlers.
    unsafe {
        let string = StringHandle::share_raw((*variable).string());
        if string.is_empty() {
            vm.deprecated("Decrement on empty string is deprecated as non-numeric");
            if vm.check().is_ok() {
                replace(variable, Zval::from_long(-1));
            }
            return;
        }
        match numeric_string::parse_whole(&string) {
            Some(Number::Long(value)) => match value.checked_sub(1) {
                Some(value) => replace(variable, Zval::from_long(value)),
                None => replace(variable, Zval::from_double(-9223372036854775809.0)),
            },
            Some(Number::Double(value)) => replace(variable, Zval::from_double(value - 1.0)),
            None => warn_and_keep(vm, variable, |vm| {
                vm.deprecated("Decrement on non-numeric string has no effect and is deprecated");
            }),
        }
    }
}

/// The next string in Perl's order: `a`, ..., `z`, `aa`, ...; `Zz9` becomes `AAa0`.
fn increment_string(vm: &mut Vm, string: StringHandle) -> PhpResult<StringHandle> {
    if !string.iter().all(u8::is_ascii_alphanumeric) || string.is_empty() {
        vm.deprecated("Increment on non-alphanumeric string is deprecated");
        vm.check()?;
    }
    if string.is_empty() {
        return Ok(ONE.handle());
    }
    Ok(successor(vm, &string))
}

/// As `++` has it, without its deprecation (`str_increment` checks its argument first).
pub fn successor(vm: &mut Vm, string: &PhpString) -> StringHandle {
    let mut bytes = string.as_bytes().to_vec();
    let mut carry = None;
    for byte in bytes.iter_mut().rev() {
        (*byte, carry) = match *byte {
            b'z' => (b'a', Some(b'a')),
            b'Z' => (b'A', Some(b'A')),
            b'9' => (b'0', Some(b'1')),
            b'a'..=b'y' | b'A'..=b'Y' | b'0'..=b'8' => (*byte + 1, None),
            other => (other, None),
        };
        if carry.is_none() {
            break;
        }
    }
    match carry {
        Some(first) => PhpString::from_parts(&mut vm.heap, &[&[first], &bytes]),
        None => vm.string(bytes),
    }
}
