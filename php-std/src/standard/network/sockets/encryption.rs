//! Sockets that are encrypted: agreeing on keys, reading and writing, `stream_socket_enable_crypto()`.

use std::io;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::to_long;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::address::Transport;
use super::{Arrived, Socket, wait_for_event};
use crate::standard::files::{Backend, Stream, context_option, stream, stream_in};
use crate::tls::{Session, Settings, Side, Taken, approve, complain};

/// The encryption of a socket.
#[derive(Debug)]
pub(crate) struct Encryption {
    pub(crate) session: Session,
    /// Until both ends have agreed: what was wished for.
    settings: Option<Settings>,
}

/// How a connection is to be encrypted.
pub(crate) struct Wish<'a> {
    pub(crate) side: Side,
    /// The versions of the protocol, unless the context names others: bits of a `crypto_method`.
    pub(crate) method: i64,
    /// The method is what the script says now, not what a transport stands for.
    pub(crate) is_explicit: bool,
    /// How long both ends may take to agree.
    pub(crate) timeout: Duration,
    /// A connection whose session is to be continued.
    pub(crate) other: Option<&'a Session>,
    /// Whom to expect, instead of the address of the stream.
    pub(crate) address: Option<&'a [u8]>,
}

impl Wish<'_> {
    pub(crate) fn of(side: Side, method: i64) -> Wish<'static> {
        Wish {
            side,
            method,
            is_explicit: false,
            timeout: Duration::from_secs(60),
            other: None,
            address: None,
        }
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Enabled {
    Done,
    /// The stream does not wait: it has to be asked again.
    Later,
    /// A warning said why not.
    Refused,
}

/// Encrypts a stream from now on.
pub(crate) fn enable(vm: &mut Vm, stream: &mut Stream, wish: &Wish<'_>) -> PhpResult<Enabled> {
    let context = stream.context.clone();
    let Backend::Socket(socket) = &mut stream.backend else {
        vm.function_warning("This stream does not support SSL/crypto");
        return Ok(Enabled::Refused);
    };
    if socket.transport != Some(Transport::Tcp) {
        vm.function_warning("This stream does not support SSL/crypto");
        return Ok(Enabled::Refused);
    }
    if socket.encryption.is_none() {
        let option = context
            .as_ref()
            .filter(|_| !wish.is_explicit)
            .and_then(|context| context_option(context, b"ssl", b"crypto_method"));
        let method = option.map_or(wish.method, |method| to_long(vm, &method));
        let Some(mut settings) = Settings::read(vm, context.as_ref(), wish.side, method)? else {
            return Ok(Enabled::Refused);
        };
        settings.expect(wish.address.unwrap_or(&stream.uri));
        let Some(session) = Session::new(vm, &settings, wish.other) else {
            vm.check()?;
            return Ok(Enabled::Refused);
        };
        socket.encryption = Some(Box::new(Encryption {
            session,
            settings: Some(settings),
        }));
    }
    let outcome = socket.agree(vm, wish.timeout);
    if outcome == Enabled::Later {
        return Ok(outcome);
    }
    let settings = socket
        .encryption
        .as_mut()
        .and_then(|encryption| encryption.settings.take());
    if outcome == Enabled::Done
        && let (Some(encryption), Some(settings)) = (&socket.encryption, settings)
        && approve(vm, &settings, &encryption.session, context.as_ref())?
    {
        return Ok(Enabled::Done);
    }
    socket.end_encryption();
    vm.check()?;
    Ok(Enabled::Refused)
}

impl Socket {
    /// True if what is read and written is encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.encryption.is_some()
    }

    /// Has both ends agree on keys; says why they did not.
    fn agree(&mut self, vm: &mut Vm, timeout: Duration) -> Enabled {
        let deadline = Instant::now().checked_add(timeout);
        let Some(encryption) = &mut self.encryption else {
            return Enabled::Refused;
        };
        let session = &mut encryption.session;
        loop {
            if session.send(&self.file).is_err() {
                return Enabled::Refused;
            }
            // The last message of this end has to go out as well.
            if !session.is_agreeing() && !session.has_to_send() {
                return Enabled::Done;
            }
            match session.is_agreeing().then(|| session.receive(&self.file)) {
                Some(Ok(true)) => continue,
                Some(Err(broken)) => {
                    complain(vm, &broken);
                    return Enabled::Refused;
                }
                Some(Ok(false)) | None => {}
            }
            if !self.blocking {
                return Enabled::Later;
            }
            let events = match session.has_to_send() {
                true => libc::POLLIN | libc::POLLOUT,
                false => libc::POLLIN,
            };
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if !wait_for_event(self.file.as_raw_fd(), events, left) {
                vm.function_warning("SSL: Handshake timed out");
                return Enabled::Refused;
            }
        }
    }

    /// As [`Socket::read`].
    pub(super) fn read_encrypted(
        &mut self,
        buffer: &mut Vec<u8>,
        length: usize,
    ) -> io::Result<Arrived> {
        let deadline = Instant::now().checked_add(self.timeout);
        let Some(encryption) = &mut self.encryption else {
            return Ok(Arrived::End);
        };
        let session = &mut encryption.session;
        loop {
            match session.take(buffer, length)? {
                Taken::Bytes(read) => return Ok(Arrived::Bytes(read)),
                Taken::End => return Ok(Arrived::End),
                Taken::Nothing => {}
            }
            match session.receive(&self.file) {
                Ok(true) => continue,
                Ok(false) if !self.blocking => return Ok(Arrived::Nothing),
                Ok(false) => {}
                // The other end is gone: PHP says no more than that.
                Err(_) => return Err(io::Error::other("the connection is gone")),
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if !wait_for_event(self.file.as_raw_fd(), libc::POLLIN, left) {
                self.timed_out = true;
                return Ok(Arrived::Nothing);
            }
        }
    }

    /// As [`Socket::write`].
    pub(super) fn write_encrypted(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(encryption) = &mut self.encryption else {
            return Ok(0);
        };
        let session = &mut encryption.session;
        let mut taken = 0;
        loop {
            session.send(&self.file)?;
            if session.has_to_send() {
                if !self.blocking {
                    return Ok(taken);
                }
                wait_for_event(self.file.as_raw_fd(), libc::POLLOUT, None);
                continue;
            }
            if taken == bytes.len() {
                return Ok(taken);
            }
            taken += session.put(&bytes[taken..])?;
        }
    }

    /// As [`Socket::is_closed`]; nothing if the socket is not encrypted.
    pub(super) fn is_encryption_closed(&mut self) -> Option<bool> {
        let session = &mut self.encryption.as_mut()?.session;
        if session.is_agreeing() {
            return Some(false);
        }
        loop {
            if session.ahead() > 0 {
                return Some(false);
            }
            if session.is_over() {
                return Some(true);
            }
            match session.receive(&self.file) {
                Ok(true) => {}
                Ok(false) => return Some(false),
                Err(_) => return Some(true),
            }
        }
    }

    /// Goes on without encryption, after the other end was told.
    pub(super) fn end_encryption(&mut self) {
        if let Some(mut encryption) = self.encryption.take() {
            encryption.session.close(&self.file);
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.end_encryption();
    }
}

/// The bit of a `crypto_method` that is a client's.
const CLIENT: i64 = 1;

pub(super) fn stream_socket_enable_crypto(call: &mut Call<'_>) -> PhpResult<Value> {
    let enables = call.bool(1);
    let other = call.value(3);
    let target = stream(call, 0)?;
    if !enables {
        // PHP gives false here, whatever came of it.
        if let Backend::Socket(socket) = &mut target.backend {
            socket.end_encryption();
        }
        return Ok(false.into());
    }
    let option = || context_option(target.context.as_ref()?, b"ssl", b"crypto_method");
    let method = match call.optional_long(2) {
        Some(method) => method,
        None => match option() {
            Some(method) => to_long(call.vm, &method),
            None => {
                let message = "must be specified when enabling encryption";
                return Err(call.value_error(2, message));
            }
        },
    };
    let other = match super::functions::is_resource(&other) {
        // SAFETY: I3: `other` keeps the resource alive; its session is only looked at.
        true => match unsafe { stream_in(other.deref()) } {
            Some(other) => Some(std::ptr::from_ref(&*other)),
            None => {
                let message = "stream_socket_enable_crypto(): supplied resource is not a valid stream resource";
                return Err(call.vm.throw_error(KnownClass::TypeError, message));
            }
        },
        false => None,
    };
    // SAFETY: I3: as above; it may be the stream itself, which has no session then.
    let other = other.and_then(|other| match unsafe { &(*other).backend } {
        Backend::Socket(socket) if !std::ptr::eq(other, target) => socket.encryption.as_ref(),
        _ => None,
    });
    let timeout = match &target.backend {
        Backend::Socket(socket) => socket.timeout,
        _ => Duration::ZERO,
    };
    let side = match method & CLIENT {
        0 => Side::Server,
        _ => Side::Client,
    };
    let wish = Wish {
        is_explicit: true,
        timeout,
        other: other.map(|other| &other.session),
        ..Wish::of(side, method)
    };
    Ok(match enable(call.vm, target, &wish)? {
        Enabled::Done => true.into(),
        Enabled::Later => 0i64.into(),
        Enabled::Refused => false.into(),
    })
}
