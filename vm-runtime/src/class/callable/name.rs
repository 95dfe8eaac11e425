//! How callables are shown.

use crate::message::Message;
use crate::value::{Value, ValueKind};

/// What a callable is called: `strlen`, `A::b`, `Closure::__invoke`.
pub fn callable_name(callable: &Value) -> Vec<u8> {
    match callable.view() {
        ValueKind::String(name) => name.to_vec(),
        ValueKind::Object(object) => {
            let mut name = object.class().display_name().message().into_owned();
            name.extend_from_slice(b"::__invoke");
            name
        }
        ValueKind::Array(pair) if pair.len() != 2 => b"Array".to_vec(),
        ValueKind::Array(pair) => {
            let mut name = match pair.get_long(0).map(|owner| owner.view()) {
                Some(ValueKind::Object(object)) => {
                    object.class().display_name().message().into_owned()
                }
                Some(ValueKind::String(class)) => class.to_vec(),
                _ => Vec::new(),
            };
            name.extend_from_slice(b"::");
            name.extend_from_slice(
                pair.get_long(1)
                    .and_then(|m| m.as_bytes())
                    .unwrap_or_default(),
            );
            name
        }
        _ => Vec::new(),
    }
}
