//! A connection that is being encrypted: bytes go in and out of it, and over a descriptor.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::mem::MaybeUninit;

use rustls::client::Resumption;
use rustls::{Connection, Error};
use socket2::SockRef;
use vm_runtime::vm::Vm;

use super::configuration::connection;
use super::problems;
use super::settings::Settings;

/// The encryption of a connection.
#[derive(Debug)]
pub(crate) struct Session {
    pub(super) connection: Connection,
    /// Bytes that arrived and were not taken yet.
    ahead: usize,
    /// Nothing more arrives.
    is_over: bool,
    /// Where sessions are remembered, for other connections that are to continue this one.
    remembered: Resumption,
}

/// What came of taking bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    Bytes(usize),
    /// More has to arrive first.
    Nothing,
    /// The other end said that nothing follows.
    End,
}

/// The descriptor, which never waits: whoever uses it does, where limits end the script.
struct Wire<'a>(&'a File);

impl Read for Wire<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the call only writes bytes that were read, so that what is there stays initialised.
        let room = unsafe { &mut *(std::ptr::from_mut(buffer) as *mut [MaybeUninit<u8>]) };
        SockRef::from(self.0).recv_with_flags(room, libc::MSG_DONTWAIT)
    }
}

impl Write for Wire<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        SockRef::from(self.0).send_with_flags(bytes, libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Why a connection cannot be encrypted.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The other end does not speak the language, or should not be spoken to.
    Protocol(Error),
    /// The other end went away; the system may say how.
    Gone(Option<io::Error>),
}

impl Session {
    /// The beginning of one; nothing, after a warning, if the settings do not allow it.
    pub(crate) fn new(
        vm: &mut Vm,
        settings: &Settings,
        other: Option<&Session>,
    ) -> Option<Session> {
        let remembered = other.map(|other| other.remembered.clone());
        let (connection, remembered) = connection(vm, settings, remembered)?;
        Some(Session {
            connection,
            ahead: 0,
            is_over: false,
            remembered,
        })
    }

    /// True until both ends have agreed.
    pub(crate) fn is_agreeing(&self) -> bool {
        self.connection.is_handshaking()
    }

    /// True if there is something to send.
    pub(crate) fn has_to_send(&self) -> bool {
        self.connection.wants_write()
    }

    /// Bytes that arrived and were not taken yet.
    pub(crate) fn ahead(&self) -> usize {
        self.ahead
    }

    /// True if nothing more arrives.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Sends what is waiting, as far as it goes.
    pub(crate) fn send(&mut self, file: &File) -> io::Result<()> {
        while self.connection.wants_write() {
            match self.connection.write_tls(&mut Wire(file)) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Takes what has arrived at the descriptor; false if that is nothing.
    pub(crate) fn receive(&mut self, file: &File) -> Result<bool, Broken> {
        let read = loop {
            match self.connection.read_tls(&mut Wire(file)) {
                Ok(read) => break read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                // What arrived before has to be taken first.
                Err(error) if error.kind() == ErrorKind::Other => return Ok(true),
                Err(error) => return Err(Broken::Gone(Some(error))),
            }
        };
        let outcome = self.connection.process_new_packets();
        // Answers, and in the end the reason why there is no connection. Who does not listen is found out later.
        let _ = self.send(file);
        let state = outcome.map_err(Broken::Protocol)?;
        self.ahead = state.plaintext_bytes_to_read();
        self.is_over |= read == 0 || state.peer_has_closed();
        if read == 0 && self.is_agreeing() {
            return Err(Broken::Gone(None));
        }
        Ok(true)
    }

    /// Takes up to `length` bytes that arrived.
    pub(crate) fn take(&mut self, buffer: &mut Vec<u8>, length: usize) -> io::Result<Taken> {
        let length = match self.ahead {
            0 => length.min(1),
            ahead => length.min(ahead),
        };
        let before = buffer.len();
        buffer.resize(before + length, 0);
        let outcome = self.connection.reader().read(&mut buffer[before..]);
        let read = *outcome.as_ref().unwrap_or(&0);
        buffer.truncate(before + read);
        self.ahead = self.ahead.saturating_sub(read);
        match outcome {
            Ok(0) => Ok(Taken::End),
            Ok(read) => Ok(Taken::Bytes(read)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(Taken::Nothing),
            // Closed without saying so, which is as good an end for PHP.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(Taken::End),
            Err(error) => Err(error),
        }
    }

    /// Puts bytes where they wait to be sent; gives how many there was room for.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.connection.writer().write(bytes)
    }

    /// Says that nothing follows, if that goes without waiting.
    pub(crate) fn close(&mut self, file: &File) {
        self.connection.send_close_notify();
        // Nobody is told if that fails.
        let _ = self.send(file);
        // What arrived and is not read would have the system break the connection, and what was sent be lost.
        while self.ahead == 0 && matches!(self.receive(file), Ok(true)) && !self.is_over {}
    }
}

/// Warns of why a connection cannot be encrypted, in OpenSSL's words.
pub(crate) fn complain(vm: &mut Vm, broken: &Broken) {
    match broken {
        Broken::Protocol(Error::General(reason))
            if reason == "no server certificate chain resolved" =>
        {
            vm.function_warning("SSL_R_NO_SHARED_CIPHER: no suitable shared cipher could be used.  This could be because the server is missing an SSL certificate (local_cert context option)");
        }
        Broken::Protocol(error) => {
            let words = problems::words(error);
            vm.function_warning(format!(
                "SSL operation failed with code 1. OpenSSL Error messages:\nerror:{words}"
            ));
        }
        Broken::Gone(Some(error)) => {
            let text = vm_runtime::interpreter::include::os_error_text(error);
            vm.function_warning(format!("SSL: {text}"));
        }
        Broken::Gone(None) => {}
    }
}
