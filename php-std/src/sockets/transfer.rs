//! Making sockets and moving data.

use std::os::raw::c_int;

use socket2::SockAddr;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::PhpResult;

use super::addresses::{address, port, tell};
use super::{Descriptor, complain, make, native, note, opened, system_error};
use crate::support::{list, text};

/// The request that asks for the mark of urgent data, as Linux numbers it.
const SIOCATMARK: libc::Ioctl = 0x8905;

/// How `socket_read()` reads.
const LINES: i64 = 1;

/// Checks domain and type of a new socket.
fn check_kind(call: &mut Call<'_>) -> PhpResult<(c_int, c_int, c_int)> {
    let (domain, kind, protocol) = (call.long(0), call.long(1), call.long(2));
    if ![libc::AF_UNIX, libc::AF_INET, libc::AF_INET6].contains(&(domain as c_int)) {
        let problem = "must be one of AF_UNIX, AF_INET6, or AF_INET";
        return Err(call.value_error(0, problem));
    }
    let plain = kind as c_int & !(libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK);
    if !(0..=10).contains(&plain) {
        let problem = "must be one of SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_RAW, or \
                       SOCK_RDM optionally OR'ed with SOCK_CLOEXEC, SOCK_NONBLOCK";
        return Err(call.value_error(1, problem));
    }
    Ok((domain as c_int, kind as c_int, protocol as c_int))
}

pub(super) fn create(call: &mut Call<'_>) -> PhpResult<Value> {
    let (domain, kind, protocol) = check_kind(call)?;
    // SAFETY: asks for a new descriptor.
    let descriptor = unsafe { libc::socket(domain, kind, protocol) };
    if descriptor < 0 {
        let error = system_error();
        return complain(call.vm, None, "Unable to create socket", error);
    }
    make(call.vm, descriptor, domain)
}

pub(super) fn create_pair(call: &mut Call<'_>) -> PhpResult<Value> {
    let (domain, kind, protocol) = check_kind(call)?;
    let mut pair = [0; 2];
    // SAFETY: the system fills both places.
    if unsafe { libc::socketpair(domain, kind, protocol, pair.as_mut_ptr()) } < 0 {
        let error = system_error();
        return complain(call.vm, None, "Unable to create socket pair", error);
    }
    let first = make(call.vm, pair[0], domain)?;
    let second = make(call.vm, pair[1], domain)?;
    let both = list(call.vm, [first, second]);
    call.assign(3, both);
    Ok(true.into())
}

pub(super) fn accept(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    if listens(descriptor) {
        wait(call, &object, descriptor);
    }
    // SAFETY: the descriptor is open; nobody wants to know the address.
    let accepted = unsafe {
        libc::accept4(
            descriptor,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            libc::SOCK_CLOEXEC,
        )
    };
    if accepted < 0 {
        let error = system_error();
        return complain(
            call.vm,
            Some(&object),
            "unable to accept incoming connection",
            error,
        );
    }
    let family = native(&object).family;
    make(call.vm, accepted, family)
}

/// True if connections come in: there is nothing else to be read.
fn listens(descriptor: c_int) -> bool {
    number_of(descriptor, libc::SO_ACCEPTCONN) != 0
}

/// A number that the system knows of a socket; 0 if there is none.
pub(super) fn number_of(descriptor: c_int, option: c_int) -> c_int {
    let mut answer: c_int = 0;
    let mut length = size_of::<c_int>() as libc::socklen_t;
    let place = (&raw mut answer).cast();
    // SAFETY: the system writes no more than there is room for.
    unsafe { libc::getsockopt(descriptor, libc::SOL_SOCKET, option, place, &mut length) };
    answer
}

/// The flags of a socket's descriptor, and whether the option limits how long it waits.
fn waiting(descriptor: c_int, option: c_int) -> (c_int, bool) {
    // SAFETY: zeros are a value of the structure; the system fills it. The flags are only read.
    unsafe {
        let mut limit: libc::timeval = std::mem::zeroed();
        let mut length = size_of::<libc::timeval>() as libc::socklen_t;
        let place = (&raw mut limit).cast();
        libc::getsockopt(descriptor, libc::SOL_SOCKET, option, place, &mut length);
        let is_limited = limit.tv_sec != 0 || limit.tv_usec != 0;
        (libc::fcntl(descriptor, libc::F_GETFL), is_limited)
    }
}

/// Waits until there is something to read, if the socket waits: the limits of the script hold.
pub(super) fn wait(call: &mut Call<'_>, object: &ObjectHandle, descriptor: c_int) {
    call.vm.output.flush();
    let (flags, limited) = waiting(descriptor, libc::SO_RCVTIMEO);
    if flags & libc::O_NONBLOCK != 0 || limited || !native(object).is_blocking {
        return;
    }
    wait_for(descriptor, libc::POLLIN);
}

/// Waits for an event. Whatever else comes, what follows will meet it.
pub(super) fn wait_for(descriptor: c_int, events: i16) {
    let mut polled = libc::pollfd {
        fd: descriptor,
        events,
        revents: 0,
    };
    limits::wait_until(|slice| {
        // SAFETY: one structure, as is told.
        let ready = unsafe { libc::poll(&mut polled, 1, slice.as_millis() as c_int) };
        (ready != 0).then_some(())
    });
}

/// Sends with `send`, which is given what is left and the flags; if the socket waits until there is room, as
/// long as the limits of the script let it. None if nothing could be sent.
fn send_all(
    object: &ObjectHandle,
    descriptor: c_int,
    flags: c_int,
    data: &[u8],
    send: impl Fn(&[u8], c_int) -> isize,
) -> Option<i64> {
    let (status, limited) = waiting(descriptor, libc::SO_SNDTIMEO);
    let waits = (status | flags) & (libc::O_NONBLOCK | libc::MSG_DONTWAIT) == 0
        && !limited
        && native(object).is_blocking;
    if !waits {
        let sent = send(data, flags);
        return (sent >= 0).then_some(sent as i64);
    }
    let mut all = 0;
    loop {
        match send(&data[all..], flags | libc::MSG_DONTWAIT) {
            0.. if all == data.len() => return Some(all as i64),
            sent @ 0.. => all += sent as usize,
            _ if system_error() == libc::EAGAIN => wait_for(descriptor, libc::POLLOUT),
            _ if all > 0 => return Some(all as i64),
            _ => return None,
        }
        if all == data.len() {
            return Some(all as i64);
        }
    }
}

pub(super) fn listen(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    // SAFETY: the descriptor is open.
    if unsafe { libc::listen(descriptor, call.long(1) as c_int) } == 0 {
        return Ok(true.into());
    }
    let error = system_error();
    complain(call.vm, Some(&object), "unable to listen on socket", error)
}

pub(super) fn close(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, _) = opened(call, 0)?;
    let socket = native(&object);
    socket.descriptor = Descriptor::Closed;
    let stream = std::mem::take(&mut socket.stream);
    crate::standard::files::close_value(&stream);
    Ok(Value::NULL)
}

/// Reads up to `length` bytes by `read`; gives what came, or the error.
fn read_with(length: usize, read: impl FnOnce(*mut u8, usize) -> isize) -> Result<Vec<u8>, i32> {
    let mut buffer: Vec<u8> = Vec::new();
    limits::reserve(length);
    if buffer.try_reserve_exact(length).is_err() {
        return Err(libc::ENOMEM);
    }
    let got = read(buffer.as_mut_ptr(), length);
    match usize::try_from(got) {
        Ok(got) => {
            // SAFETY: the system wrote this many bytes, and no more than there is room for.
            unsafe { buffer.set_len(got.min(length)) };
            Ok(buffer)
        }
        Err(_) => Err(system_error()),
    }
}

pub(super) fn write(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let mut data = call.bytes(1);
    if let Some(length) = call.optional_long(2) {
        if length < 0 {
            return Err(call.value_error(2, "must be greater than or equal to 0"));
        }
        data = &data[..data.len().min(length as usize)];
    }
    let flags = libc::MSG_NOSIGNAL;
    let written = send_all(&object, descriptor, flags, data, |data, flags| {
        // SAFETY: pointer and length are those of a slice.
        unsafe { libc::send(descriptor, data.as_ptr().cast(), data.len(), flags) }
    });
    let Some(written) = written else {
        let error = system_error();
        return complain(call.vm, Some(&object), "unable to write to socket", error);
    };
    Ok(written.into())
}

pub(super) fn read(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let (length, mode) = (call.long(1), call.long(2));
    if length < 1 {
        return Ok(false.into());
    }
    let length = length as usize;
    let outcome = match mode {
        LINES => read_line(call, &object, descriptor, length),
        _ => {
            if !listens(descriptor) {
                wait(call, &object, descriptor);
            }
            read_with(length, |buffer, room| {
                // SAFETY: the buffer has this much room.
                unsafe { libc::recv(descriptor, buffer.cast(), room, 0) }
            })
        }
    };
    match outcome {
        Ok(bytes) => text(call.vm, bytes),
        Err(error) => complain(call.vm, Some(&object), "unable to read from socket", error),
    }
}

/// Reads up to the end of a line, which is part of it.
fn read_line(
    call: &mut Call<'_>,
    object: &ObjectHandle,
    descriptor: c_int,
    length: usize,
) -> Result<Vec<u8>, i32> {
    let mut line = Vec::new();
    while line.len() < length {
        limits::poll();
        wait(call, object, descriptor);
        let byte = read_with(1, |buffer, room| {
            // SAFETY: the buffer has this much room.
            unsafe { libc::recv(descriptor, buffer.cast(), room, 0) }
        });
        match byte {
            Ok(byte) if byte.is_empty() => break,
            Ok(byte) => line.extend_from_slice(&byte),
            Err(libc::EAGAIN) if !line.is_empty() => break,
            Err(error) => return Err(error),
        }
        if matches!(line.last(), Some(b'\n' | b'\r')) {
            break;
        }
    }
    Ok(line)
}

pub(super) fn recv(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let (length, flags) = (call.long(2), call.long(3) as c_int);
    if length < 1 {
        return Ok(false.into());
    }
    if flags & libc::MSG_DONTWAIT == 0 {
        wait(call, &object, descriptor);
    }
    let outcome = read_with(length as usize, |buffer, room| {
        // SAFETY: the buffer has this much room.
        unsafe { libc::recv(descriptor, buffer.cast(), room, flags) }
    });
    match outcome {
        Ok(bytes) if bytes.is_empty() => {
            call.assign(1, Value::NULL);
            Ok(0i64.into())
        }
        Ok(bytes) => {
            let count = bytes.len();
            let data: Value = call.vm.string(bytes).into();
            call.assign(1, data);
            Ok(count.into())
        }
        Err(error) => {
            call.assign(1, Value::NULL);
            complain(call.vm, Some(&object), "Unable to read from socket", error)
        }
    }
}

/// The data of an argument, cut to the length in the next one.
fn data<'a>(call: &mut Call<'a>) -> PhpResult<&'a [u8]> {
    let (data, length) = (call.bytes(1), call.long(2));
    if length < 0 {
        return Err(call.value_error(2, "must be greater than or equal to 0"));
    }
    Ok(&data[..data.len().min(length as usize)])
}

pub(super) fn send(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let data = data(call)?;
    let flags = call.long(3) as c_int | libc::MSG_NOSIGNAL;
    let sent = send_all(&object, descriptor, flags, data, |data, flags| {
        // SAFETY: pointer and length are those of a slice.
        unsafe { libc::send(descriptor, data.as_ptr().cast(), data.len(), flags) }
    });
    let Some(sent) = sent else {
        let error = system_error();
        return complain(call.vm, Some(&object), "Unable to write to socket", error);
    };
    Ok(sent.into())
}

pub(super) fn recvfrom(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let (length, flags) = (call.long(2), call.long(3) as c_int);
    if length < 1 {
        return Ok(false.into());
    }
    if native(&object).family != libc::AF_UNIX && call.count() < 6 {
        let message = "Wrong parameter count for socket_recvfrom()";
        return Err(call.vm.throw_error(KnownClass::ArgumentCountError, message));
    }
    if flags & libc::MSG_DONTWAIT == 0 {
        wait(call, &object, descriptor);
    }
    let mut from = None;
    let outcome = read_with(length as usize, |buffer, room| {
        // SAFETY: the buffer has this much room; the system fills the storage and tells how much
        // of it.
        let received = unsafe {
            SockAddr::try_init(|storage, length| {
                let got = libc::recvfrom(
                    descriptor,
                    buffer.cast(),
                    room,
                    flags,
                    storage.cast(),
                    length,
                );
                match got {
                    0.. => Ok(got),
                    _ => Err(std::io::Error::last_os_error()),
                }
            })
        };
        match received {
            Ok((got, address)) => {
                from = Some(address);
                got
            }
            Err(_) => -1,
        }
    });
    match outcome {
        Ok(bytes) => {
            let count = bytes.len();
            let data: Value = call.vm.string(bytes).into();
            call.assign(1, data);
            if let Some(from) = from {
                tell(call, &from, 4);
            }
            Ok(count.into())
        }
        Err(error) => complain(call.vm, Some(&object), "Unable to recvfrom", error),
    }
}

pub(super) fn sendto(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let data = data(call)?;
    let port = port(call, &object, 5)?;
    let Some(address) = address(call, &object, 4, port)? else {
        return Ok(false.into());
    };
    let flags = call.long(3) as c_int | libc::MSG_NOSIGNAL;
    let sent = send_all(&object, descriptor, flags, data, |data, flags| {
        // SAFETY: pointers and lengths belong together.
        unsafe {
            libc::sendto(
                descriptor,
                data.as_ptr().cast(),
                data.len(),
                flags,
                address.as_ptr().cast(),
                address.len(),
            )
        }
    });
    let Some(sent) = sent else {
        let error = system_error();
        return complain(call.vm, Some(&object), "Unable to write to socket", error);
    };
    Ok(sent.into())
}

pub(super) fn shutdown(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    // SAFETY: the descriptor is open; the system checks the number.
    if unsafe { libc::shutdown(descriptor, call.long(1) as c_int) } == 0 {
        return Ok(true.into());
    }
    let error = system_error();
    complain(call.vm, Some(&object), "Unable to shutdown socket", error)
}

pub(super) fn atmark(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let mut answer: c_int = 0;
    // SAFETY: the descriptor is open; the system fills the place.
    if unsafe { libc::ioctl(descriptor, SIOCATMARK, &mut answer) } < 0 {
        let error = system_error();
        note(call.vm, Some(&object), error);
        return complain(call.vm, Some(&object), "Unable to apply sockmark", error);
    }
    Ok((answer != 0).into())
}
