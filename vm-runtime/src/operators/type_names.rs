//! The names of types in messages.

use std::borrow::Cow;

use crate::value::{ARRAY, DOUBLE, FALSE, LONG, NULL, OBJECT, RESOURCE, STRING, TRUE, UNDEF, Zval};

/// The type as messages name it: `int`, `array`, `null`; `bool` for both truth values.
pub fn type_name(value: &Zval) -> &'static str {
    match value.deref().kind() {
        UNDEF | NULL => "null",
        FALSE | TRUE => "bool",
        LONG => "int",
        DOUBLE => "float",
        STRING => "string",
        ARRAY => "array",
        OBJECT => "object",
        RESOURCE => "resource",
        _ => "mixed",
    }
}

/// As [`type_name`], but an object is named by its class: `int`, `Closure`, ...
pub fn class_or_type_name(value: &Zval) -> Cow<'static, str> {
    let value = value.deref();
    if value.kind() == OBJECT {
        // SAFETY: I3: an object payload is live.
        return Cow::Owned(unsafe { (*value.object()).class().display_name() });
    }
    Cow::Borrowed(type_name(value))
}

/// The value as messages name it: as [`class_or_type_name`], but `true` and `false` apart.
pub fn value_name(value: &Zval) -> Cow<'static, str> {
    match value.deref().kind() {
        FALSE => Cow::Borrowed("false"),
        TRUE => Cow::Borrowed("true"),
        _ => class_or_type_name(value),
    }
}

/// What `gettype()` gives.
pub fn legacy_type_name(value: &Zval) -> &'static str {
    let value = value.deref();
    match value.kind() {
        FALSE | TRUE => "boolean",
        LONG => "integer",
        DOUBLE => "double",
        STRING => "string",
        ARRAY => "array",
        OBJECT => "object",
        RESOURCE => {
            // SAFETY: I3: a resource payload is live.
            let name = unsafe { (*value.resource()).type_name };
            if name.is_empty() {
                "resource (closed)"
            } else {
                "resource"
            }
        }
        _ => "NULL",
    }
}

/// What `get_debug_type()` gives.
pub fn debug_type_name(value: &Zval) -> Cow<'static, str> {
    let value = value.deref();
    match value.kind() {
        RESOURCE => {
            // SAFETY: I3: a resource payload is live.
            match unsafe { (*value.resource()).type_name } {
                "" => Cow::Borrowed("resource (closed)"),
                name => Cow::Owned(format!("resource ({name})")),
            }
        }
        OBJECT => {
            // SAFETY: I3 and I4: an object payload and its class are live.
            let class = unsafe { (*value.object()).class() };
            if class.flags & crate::function::class_flags::ANONYMOUS == 0 {
                return class_or_type_name(value);
            }
            // The name of an anonymous class starts with its parent's or first interface's name.
            Cow::Owned(class.display_name())
        }
        _ => Cow::Borrowed(type_name(value)),
    }
}
