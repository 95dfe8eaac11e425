//! What an offset means as the key of an array.

use crate::array::KeyRef;
use crate::exceptions::KnownClass;
use crate::string::PhpString;
use crate::value::{DOUBLE, FALSE, LONG, NULL, RESOURCE, STRING, TRUE, UNDEF, Zval};
use crate::vm::{PhpResult, Thrown, Vm};

/// What an array access is for, in the texts of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// Reading or writing.
    Access,
    /// `isset` or `empty`.
    Isset,
    /// `unset`.
    Unset,
}

/// Converts an offset to an array key; strings that are decimal integers become integers.
pub fn array_key<'a>(vm: &mut Vm, offset: &'a Zval, purpose: KeyUse) -> PhpResult<KeyRef<'a>> {
    static EMPTY: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let offset = offset.deref();
    match offset.kind() {
        LONG => Ok(KeyRef::Long(offset.long())),
        STRING => {
            // SAFETY: I3: the payload lives as long as the value.
            let string: &'a PhpString = unsafe { &*offset.string() };
            Ok(KeyRef::of_text(string))
        }
        UNDEF | NULL => {
            let empty = *EMPTY.get_or_init(|| crate::string::empty() as usize) as *const PhpString;
            // SAFETY: the interned empty string lives for ever.
            Ok(KeyRef::String(unsafe { &*empty }))
        }
        FALSE => Ok(KeyRef::Long(0)),
        TRUE => Ok(KeyRef::Long(1)),
        DOUBLE => {
            let number = offset.double();
            match crate::operators::integral(vm, number) {
                // What is thrown of the lost fraction does not keep an element.
                Err(_) if purpose == KeyUse::Unset => {
                    Ok(KeyRef::Long(crate::operators::double_to_long(number)))
                }
                key => key.map(KeyRef::Long),
            }
        }
        RESOURCE => {
            // SAFETY: I3: a resource payload is live.
            let id = unsafe { (*offset.resource()).id };
            vm.warning(format!(
                "Resource ID#{id} used as offset, casting to integer ({id})"
            ));
            if purpose != KeyUse::Unset {
                vm.check()?;
            }
            Ok(KeyRef::Long(id))
        }
        _ => {
            let kind = crate::operators::class_or_type_name(offset);
            Err(vm.throw_error(
                KnownClass::TypeError,
                match purpose {
                    KeyUse::Access => format!("Cannot access offset of type {kind} on array"),
                    KeyUse::Isset => {
                        format!("Cannot access offset of type {kind} in isset or empty")
                    }
                    KeyUse::Unset => format!("Cannot unset offset of type {kind} on array"),
                },
            ))
        }
    }
}

/// Warns about a missing element.
pub fn undefined_key(vm: &mut Vm, key: KeyRef<'_>) {
    match key {
        KeyRef::Long(key) => vm.warning(format!("Undefined array key {key}")),
        KeyRef::String(key) => {
            vm.warning(format!("Undefined array key \"{}\"", key.to_text()));
        }
    }
}

/// Adds an element to an array whose next key is taken.
pub(super) fn next_key_taken(vm: &mut Vm) -> Thrown {
    vm.throw_error(
        KnownClass::Error,
        "Cannot add element to the array as the next element is already occupied",
    )
}
