//! `socket_select()`: waiting for sockets.

use vm_runtime::array::Key;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::value_name;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::{complain, descriptor, system_error};
use crate::support::hold;

/// A socket that is waited for.
struct Waiting {
    key: Key,
    value: Value,
    descriptor: i32,
}

/// The sockets in an argument.
fn sockets(call: &mut Call<'_>, index: usize) -> PhpResult<Option<Vec<Waiting>>> {
    let Some(array) = call.value(index).array() else {
        return Ok(None);
    };
    let class = call.vm.linked_class(b"socket");
    let mut sockets = Vec::with_capacity(array.len());
    for (key, value) in array.iter() {
        let value = hold(value);
        let object = match value.view() {
            ValueKind::Object(_) => value.object(),
            _ => None,
        };
        let Some(object) = object.filter(|object| Some(object.class) == class) else {
            let given = value_name(&value);
            let problem = format!("must only have elements of type Socket, {given} given");
            return Err(call.type_error(index, &problem));
        };
        let Some(descriptor) = descriptor(&object) else {
            return Err(call.type_error(index, "contains a closed socket"));
        };
        sockets.push(Waiting {
            key: key.to_key(),
            value,
            descriptor,
        });
    }
    Ok(Some(sockets))
}

pub(super) fn select(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut lists = Vec::with_capacity(3);
    for index in 0..3 {
        lists.push(sockets(call, index)?);
    }
    if lists.iter().flatten().all(Vec::is_empty) {
        let message = "socket_select(): At least one array argument must be passed";
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    let events = [libc::POLLIN, libc::POLLOUT, libc::POLLPRI];
    let mut polled: Vec<libc::pollfd> = Vec::new();
    for (list, events) in lists.iter().zip(events) {
        for waiting in list.iter().flatten() {
            polled.push(libc::pollfd {
                fd: waiting.descriptor,
                events,
                revents: 0,
            });
        }
    }
    let limit = match call.optional_long(3) {
        Some(seconds) if seconds < 0 || call.long(4) < 0 => {
            return complain(call.vm, None, "Unable to select", libc::EINVAL);
        }
        Some(seconds) => Some(
            std::time::Duration::from_secs(seconds as u64)
                + std::time::Duration::from_micros(call.long(4) as u64),
        ),
        None => None,
    };
    let start = std::time::Instant::now();
    let error = call.vm.wait_until(|_, slice| {
        let left = limit.map(|limit| limit.saturating_sub(start.elapsed()));
        let wait = left.map_or(slice, |left| left.min(slice));
        let wait = wait.as_micros().div_ceil(1000) as i32;
        // SAFETY: the list is as long as is told.
        let ready = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, wait) };
        if ready < 0 {
            return Some(Some(system_error()));
        }
        (ready > 0 || left.is_some_and(|left| left.is_zero())).then_some(None)
    });
    if let Some(error) = error {
        return complain(call.vm, None, "Unable to select", error);
    }
    let mut results = polled.iter();
    let mut count = 0i64;
    for (index, list) in lists.into_iter().enumerate() {
        let Some(list) = list else {
            continue;
        };
        let wanted = match index {
            0 => libc::POLLIN | libc::POLLHUP | libc::POLLERR,
            1 => libc::POLLOUT | libc::POLLERR,
            _ => libc::POLLPRI,
        };
        let mut ready = call.vm.new_array();
        for waiting in list {
            let is_ready = results
                .next()
                .is_some_and(|polled| polled.revents & wanted != 0);
            if is_ready {
                count += 1;
                ready
                    .make_mut(call.vm)
                    .set(waiting.key.as_ref(), waiting.value);
            }
        }
        call.assign(index, ready.into());
    }
    Ok(count.into())
}
