//! Connections that are there for whoever asks again: `pfsockopen()` and `STREAM_CLIENT_PERSISTENT`.

use std::collections::HashMap;

use vm_runtime::value::Value;
use vm_runtime::vm::Vm;

use crate::standard::files::{Stream, close_value, stream_in, stream_value};

/// The connections, by what they were asked for by.
#[derive(Default)]
struct Kept(HashMap<Vec<u8>, Value>);

/// The connection of this name, if it still stands.
pub(super) fn find(vm: &mut Vm, name: &[u8]) -> Option<Value> {
    let kept = &mut vm.extensions.state::<Kept>().0;
    // SAFETY: I3: the value keeps the resource alive, and nobody else looks at its stream meanwhile.
    let stream = unsafe { stream_in(kept.get(name)?) };
    match stream.is_some_and(|stream| !stream.check_end()) {
        true => kept.get(name).cloned(),
        false => {
            // Whoever still has it sees that it is closed.
            if let Some(gone) = kept.remove(name) {
                close_value(&gone);
            }
            None
        }
    }
}

/// Keeps a connection that was just made.
pub(super) fn keep(vm: &mut Vm, name: Vec<u8>, stream: Stream) -> Value {
    let value = stream_value(vm, stream);
    // SAFETY: I3: the resource is new and ours.
    unsafe { (*value.resource()).type_name = "persistent stream" };
    let kept = &mut vm.extensions.state::<Kept>().0;
    let old = kept.insert(name, value.clone());
    drop(old);
    value
}
