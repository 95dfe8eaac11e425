//! Options of sockets, their errors, and streams of them.

use std::os::fd::AsRawFd;
use std::os::raw::{c_int, c_void};

use vm_runtime::function::Call;
use vm_runtime::object::new_object;
use vm_runtime::operators::{to_double, to_long, value_name};
use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::PhpResult;

use super::messages::{packet_info_option, report};
use super::multicast;
use super::{Descriptor, LastError, complain, error_text, native, note, opened, system_error};
use crate::standard::files::{Stream, stream, stream_value};
use crate::standard::network::sockets::stream_of;
use crate::support::{hold, string_of, text};

fn set_blocking(call: &mut Call<'_>, blocks: bool) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    // SAFETY: the descriptor is open.
    let outcome = unsafe {
        let flags = libc::fcntl(descriptor, libc::F_GETFL);
        let flags = match blocks {
            true => flags & !libc::O_NONBLOCK,
            false => flags | libc::O_NONBLOCK,
        };
        libc::fcntl(descriptor, libc::F_SETFL, flags)
    };
    if outcome < 0 {
        let error = system_error();
        let what = match blocks {
            true => "unable to set blocking mode",
            false => "unable to set nonblocking mode",
        };
        return complain(call.vm, Some(&object), what, error);
    }
    native(&object).is_blocking = blocks;
    Ok(true.into())
}

pub(super) fn set_nonblock(call: &mut Call<'_>) -> PhpResult<Value> {
    set_blocking(call, false)
}

pub(super) fn set_block(call: &mut Call<'_>) -> PhpResult<Value> {
    set_blocking(call, true)
}

pub(super) fn last_error(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.has(0) {
        let (object, _) = opened(call, 0)?;
        return Ok(i64::from(native(&object).error).into());
    }
    Ok(i64::from(call.vm.extensions.state::<LastError>().0).into())
}

pub(super) fn clear_error(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.has(0) {
        let (object, _) = opened(call, 0)?;
        native(&object).error = 0;
    } else {
        call.vm.extensions.state::<LastError>().0 = 0;
    }
    Ok(Value::NULL)
}

pub(super) fn strerror(call: &mut Call<'_>) -> PhpResult<Value> {
    match i32::try_from(call.long(0)) {
        Ok(error) => text(call.vm, error_text(error)),
        Err(_) => {
            let problem = format!("must be between {} and {}", i32::MIN, i32::MAX);
            Err(call.value_error(0, &problem))
        }
    }
}

/// Asks the system for an option as a structure.
fn ask<T: Copy>(descriptor: c_int, level: c_int, option: c_int, value: &mut T) -> Option<usize> {
    let mut length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the system writes no more than there is room for.
    let outcome = unsafe {
        let place: *mut c_void = std::ptr::from_mut(value).cast();
        libc::getsockopt(descriptor, level, option, place, &mut length)
    };
    (outcome == 0).then_some(length as usize)
}

/// Tells the system an option.
pub(super) fn tell<T: Copy>(descriptor: c_int, level: c_int, option: c_int, value: &T) -> bool {
    // SAFETY: pointer and length belong together.
    unsafe {
        let place: *const c_void = std::ptr::from_ref(value).cast();
        let length = size_of::<T>() as libc::socklen_t;
        libc::setsockopt(descriptor, level, option, place, length) == 0
    }
}

fn table(call: &mut Call<'_>, entries: [(&str, i64); 2]) -> Value {
    let mut table = call.vm.new_array();
    for (name, value) in entries {
        table
            .make_mut(call.vm)
            .set_bytes(name.as_bytes(), value.into());
    }
    table.into()
}

const NOT_RETRIEVED: &str = "Unable to retrieve socket option";
const NOT_SET: &str = "Unable to set socket option";

pub(super) fn get_option(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let (level, option) = (call.long(1) as c_int, call.long(2) as c_int);
    let failed = |call: &mut Call<'_>| {
        let error = system_error();
        complain(call.vm, Some(&object), NOT_RETRIEVED, error)
    };
    if level == libc::SOL_SOCKET {
        match option {
            libc::SO_LINGER => {
                let mut linger = libc::linger {
                    l_onoff: 0,
                    l_linger: 0,
                };
                if ask(descriptor, level, option, &mut linger).is_none() {
                    return failed(call);
                }
                let entries = [
                    ("l_onoff", i64::from(linger.l_onoff)),
                    ("l_linger", i64::from(linger.l_linger)),
                ];
                return Ok(table(call, entries));
            }
            libc::SO_RCVTIMEO | libc::SO_SNDTIMEO => {
                let mut time = libc::timeval {
                    tv_sec: 0,
                    tv_usec: 0,
                };
                if ask(descriptor, level, option, &mut time).is_none() {
                    return failed(call);
                }
                return Ok(table(call, [("sec", time.tv_sec), ("usec", time.tv_usec)]));
            }
            libc::SO_BINDTODEVICE => {
                let mut name = [0u8; libc::IFNAMSIZ];
                let Some(length) = ask(descriptor, level, option, &mut name) else {
                    return failed(call);
                };
                let name = &name[..length.min(name.len())];
                let end = memchr::memchr(0, name).unwrap_or(name.len());
                return text(call.vm, &name[..end]);
            }
            libc::SO_MEMINFO => {
                let mut numbers = [0u32; 9];
                let Some(length) = ask(descriptor, level, option, &mut numbers) else {
                    return failed(call);
                };
                let names = [
                    "rmem_alloc",
                    "rcvbuf",
                    "wmem_alloc",
                    "sndbuf",
                    "fwd_alloc",
                    "wmem_queued",
                    "optmem",
                    "backlog",
                    "drops",
                ];
                let mut table = call.vm.new_array();
                for (name, number) in names.iter().zip(&numbers[..length / size_of::<u32>()]) {
                    table
                        .make_mut(call.vm)
                        .set_bytes(name.as_bytes(), i64::from(*number).into());
                }
                return Ok(table.into());
            }
            _ => {}
        }
    }
    if level == libc::IPPROTO_TCP && option == libc::TCP_CONGESTION {
        let mut name = [0u8; 16];
        let Some(length) = ask(descriptor, level, option, &mut name) else {
            return failed(call);
        };
        let name = &name[..length.min(name.len())];
        let end = memchr::memchr(0, name).unwrap_or(name.len());
        let mut table = call.vm.new_array();
        let name = call.vm.string(&name[..end]).into();
        table.make_mut(call.vm).set_bytes(b"name", name);
        return Ok(table.into());
    }
    if level == libc::IPPROTO_IP && option == libc::IP_MULTICAST_IF {
        let mut address = libc::in_addr { s_addr: 0 };
        if ask(descriptor, level, option, &mut address).is_none() {
            return failed(call);
        }
        return Ok(match multicast::interface_with(address) {
            Some(index) => i64::from(index).into(),
            None => false.into(),
        });
    }
    let mut number: c_int = 0;
    match ask(descriptor, level, option, &mut number) {
        Some(1) => Ok(i64::from(number & 0xff).into()),
        Some(_) => Ok(i64::from(number).into()),
        None => failed(call),
    }
}

/// The array that an option takes.
fn array(call: &mut Call<'_>, name: &str) -> PhpResult<ArrayHandle> {
    let value = call.value(3);
    match value.array() {
        Some(array) => Ok(array),
        None => {
            let given = value_name(&value);
            let problem = format!(
                "must be of type array when argument #3 ($option) is {name}, {given} given"
            );
            Err(call.type_error(3, &problem))
        }
    }
}

/// An entry of the array that an option takes.
fn entry(call: &mut Call<'_>, array: &ArrayHandle, name: &str) -> PhpResult<i64> {
    match array.get_bytes(name.as_bytes()).map(hold) {
        Some(value) => Ok(to_long(call.vm, &value)),
        None => Err(call.value_error(3, &format!("must have key \"{name}\""))),
    }
}

pub(super) fn set_option(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let (level, option) = (call.long(1) as c_int, call.long(2) as c_int);
    note(call.vm, None, 0);
    let done = match (level, option) {
        (libc::SOL_SOCKET, libc::SO_LINGER) => {
            let array = array(call, "SO_LINGER")?;
            let linger = libc::linger {
                l_onoff: entry(call, &array, "l_onoff")? as u16 as c_int,
                l_linger: entry(call, &array, "l_linger")? as u16 as c_int,
            };
            tell(descriptor, level, option, &linger)
        }
        (libc::SOL_SOCKET, libc::SO_RCVTIMEO | libc::SO_SNDTIMEO) => {
            let name = match option {
                libc::SO_RCVTIMEO => "SO_RCVTIMEO",
                _ => "SO_SNDTIMEO",
            };
            let array = array(call, name)?;
            let time = libc::timeval {
                tv_sec: entry(call, &array, "sec")?,
                tv_usec: entry(call, &array, "usec")?,
            };
            tell(descriptor, level, option, &time)
        }
        (libc::SOL_SOCKET, libc::SO_BINDTODEVICE) => {
            let name = string_of(call.vm, &call.value(3))?;
            // SAFETY: pointer and length belong together.
            unsafe {
                let place: *const c_void = name.as_bytes().as_ptr().cast();
                let length = name.len() as libc::socklen_t;
                libc::setsockopt(descriptor, level, option, place, length) == 0
            }
        }
        (libc::IPPROTO_TCP, libc::TCP_CONGESTION) => {
            let name = string_of(call.vm, &call.value(3))?;
            // SAFETY: as above.
            unsafe {
                let place: *const c_void = name.as_bytes().as_ptr().cast();
                let length = name.len() as libc::socklen_t;
                libc::setsockopt(descriptor, level, option, place, length) == 0
            }
        }
        (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) => {
            let value = call.value(3);
            let info = match packet_info_option(call.vm, &value) {
                Ok(info) => info,
                Err(problem) => return report(call.vm, problem),
            };
            // SAFETY: as above.
            unsafe {
                let place: *const c_void = info.as_ptr().cast();
                let length = info.len() as libc::socklen_t;
                libc::setsockopt(descriptor, level, option, place, length) == 0
            }
        }
        (libc::IPPROTO_IP, libc::IP_MULTICAST_TTL) => {
            let number = to_long(call.vm, &call.value(3));
            if !(0..256).contains(&number) {
                return Err(call.value_error(3, "must be between 0 and 255"));
            }
            tell(descriptor, level, option, &(number as u8))
        }
        (libc::IPPROTO_IP | libc::IPPROTO_IPV6, option) if multicast::is_group_option(option) => {
            match multicast::request(call, &object, option)? {
                Some(request) => multicast::tell(descriptor, level, option, &request),
                None => return Ok(false.into()),
            }
        }
        (libc::IPPROTO_IP, libc::IP_MULTICAST_IF) => {
            let value = call.value(3);
            let Some(index) = multicast::interface(call, &value)? else {
                return Ok(false.into());
            };
            match multicast::address_of(call, index)? {
                Some(address) => tell(descriptor, level, option, &address),
                None => return Ok(false.into()),
            }
        }
        (libc::IPPROTO_IPV6, libc::IPV6_MULTICAST_IF) => {
            let value = call.value(3);
            match multicast::interface(call, &value)? {
                Some(index) => tell(descriptor, level, option, &index),
                None => return Ok(false.into()),
            }
        }
        (libc::IPPROTO_IPV6, libc::IPV6_MULTICAST_HOPS) => {
            let number = to_long(call.vm, &call.value(3));
            if !(-1..256).contains(&number) {
                return Err(call.value_error(3, "must be between -1 and 255"));
            }
            tell(descriptor, level, option, &(number as c_int))
        }
        (libc::IPPROTO_IPV6, libc::IPV6_MULTICAST_LOOP) => {
            let on = vm_runtime::operators::to_bool(&call.value(3));
            tell(descriptor, level, option, &c_int::from(on))
        }
        (libc::IPPROTO_IP, libc::IP_MULTICAST_LOOP) => {
            let on = vm_runtime::operators::to_bool(&call.value(3));
            tell(descriptor, level, option, &(on as u8))
        }
        _ => {
            let value = call.value(3);
            if value.array().is_some() {
                let problem = "must be of type int, array given";
                return Err(call.type_error(3, problem));
            }
            let number = match value.kind() {
                vm_runtime::value::DOUBLE => to_double(call.vm, &value) as i64,
                _ => to_long(call.vm, &value),
            };
            tell(descriptor, level, option, &(number as c_int))
        }
    };
    if done {
        return Ok(true.into());
    }
    let error = system_error();
    complain(call.vm, Some(&object), NOT_SET, error)
}

pub(super) fn import_stream(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    let source: &mut Stream = stream(call, 0)?;
    let kind = source.kind;
    let descriptor = source.socket_file().map(AsRawFd::as_raw_fd);
    let Some(descriptor) = descriptor else {
        let message = format!("Cannot represent a stream of type {kind} as a Socket Descriptor");
        call.vm.function_warning(message);
        call.vm.check()?;
        return Ok(false.into());
    };
    let mut family: c_int = 0;
    ask(descriptor, libc::SOL_SOCKET, libc::SO_DOMAIN, &mut family);
    let class = call.vm.linked_class(b"socket");
    let object = new_object(call.vm, class.unwrap_or(std::ptr::null_mut()))?;
    let socket = native(&object);
    socket.descriptor = Descriptor::OfStream(descriptor);
    (socket.family, socket.is_blocking, socket.stream) = (family, true, value);
    Ok(object.into())
}

pub(super) fn export_stream(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let socket = native(&object);
    if !socket.stream.is_null() {
        return Ok(socket.stream.clone());
    }
    // The stream has the descriptor from now on.
    let Descriptor::Own(own) = std::mem::take(&mut socket.descriptor) else {
        return Ok(false.into());
    };
    let mut kind: c_int = 0;
    ask(descriptor, libc::SOL_SOCKET, libc::SO_TYPE, &mut kind);
    let stream = stream_of(call.vm, own, socket.family, kind);
    let value = stream_value(call.vm, stream);
    socket.descriptor = Descriptor::OfStream(descriptor);
    socket.stream = value.clone();
    Ok(value)
}
