//! Output of scripts: a sink, and in front of it the stack of output buffers.
//!
//! Without buffers, bytes are collected in a small block and written when it is full, when someone
//! asks for a flush, and before anything else of the process writes or waits; or, for the command,
//! they are written at once.

mod buffers;

pub use buffers::{Buffer, NativeHandler, buffer_flags};

use std::io::Write;

use crate::heap::bail_out;
use crate::value::StringHandle;
use crate::vm::Vm;

/// Bytes collected before they are written.
const BLOCK: usize = 32 * 1024;

/// Where output goes in the end.
pub enum Sink {
    /// The process's standard output.
    Stdout,
    /// Memory; see [`Output::take_captured`].
    Capture(Vec<u8>),
    /// Anything else.
    Writer(Box<dyn Write + Send>),
}

impl std::fmt::Debug for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Sink::Stdout => "Stdout",
            Sink::Capture(_) => "Capture",
            Sink::Writer(_) => "Writer",
        })
    }
}

/// Output state of a VM.
#[derive(Debug)]
pub struct Output {
    sink: Sink,
    pending: Vec<u8>,
    /// Output buffers, the outermost first.
    pub(crate) buffers: Vec<Buffer>,
    /// Buffers that ended when it was not safe to release their callbacks.
    discarded: Vec<Buffer>,
    /// Set while a buffer's callback runs.
    pub(crate) running: bool,
    /// A callback did what it must not: buffers are given up for good.
    pub(crate) unbuffered: bool,
    /// Every write goes out at once (`ob_implicit_flush`, terminals).
    pub implicit_flush: bool,
    /// Nothing is collected, whatever [`Output::implicit_flush`] says: what was written is not lost
    /// if the process is killed. The command writes so.
    pub direct: bool,
    /// Runs before the first output that goes past the buffers: sends what comes before it.
    pub before_first: Option<fn(&mut Vm)>,
    /// File and line of the first output that went past the buffers.
    pub started: Option<(StringHandle, u32)>,
    /// The reader is gone; nothing is written any more.
    broken: bool,
}

impl Default for Output {
    fn default() -> Output {
        Output::new(Sink::Stdout)
    }
}

impl Output {
    /// Output into a sink.
    pub fn new(sink: Sink) -> Output {
        let terminal = matches!(sink, Sink::Stdout)
            // SAFETY: asking about a file descriptor has no preconditions.
            && unsafe { libc::isatty(libc::STDOUT_FILENO) } == 1;
        Output {
            sink,
            pending: Vec::new(),
            buffers: Vec::new(),
            discarded: Vec::new(),
            running: false,
            unbuffered: false,
            implicit_flush: terminal,
            direct: false,
            before_first: None,
            started: None,
            broken: false,
        }
    }

    /// Changes the sink; what was written before goes to the old one.
    pub fn set_sink(&mut self, sink: Sink) {
        self.flush();
        let mut fresh = Output::new(sink);
        fresh.buffers = std::mem::take(&mut self.buffers);
        fresh.discarded = std::mem::take(&mut self.discarded);
        fresh.started = self.started.take();
        *self = fresh;
    }

    /// What was captured so far, if the sink captures.
    pub fn take_captured(&mut self) -> Vec<u8> {
        self.flush();
        match &mut self.sink {
            Sink::Capture(bytes) => std::mem::take(bytes),
            _ => Vec::new(),
        }
    }

    /// Writes what is pending to standard output, if that is the sink: the process is about to end.
    pub(crate) fn send_pending(&self) {
        if matches!(self.sink, Sink::Stdout) && !self.broken {
            // There is nowhere to report a failure to.
            let _ = write_descriptor(libc::STDOUT_FILENO, &self.pending);
        }
    }

    /// Writes past the buffers.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        if self.direct {
            return self.send(bytes);
        }
        if self.pending.len() + bytes.len() > BLOCK {
            self.flush();
            if bytes.len() > BLOCK {
                self.send(bytes);
                return;
            }
        }
        self.pending.extend_from_slice(bytes);
        if self.implicit_flush {
            self.flush();
        }
    }

    /// Sends what was collected on its way.
    pub fn flush(&mut self) {
        if !self.pending.is_empty() {
            let pending = std::mem::take(&mut self.pending);
            self.send(&pending);
            self.pending = pending;
            self.pending.clear();
        }
    }

    fn send(&mut self, bytes: &[u8]) {
        if self.broken {
            return;
        }
        let written = match &mut self.sink {
            Sink::Stdout => write_descriptor(libc::STDOUT_FILENO, bytes),
            Sink::Capture(captured) => {
                captured.extend_from_slice(bytes);
                Ok(())
            }
            Sink::Writer(writer) => writer.write_all(bytes).and_then(|()| writer.flush()),
        };
        self.broken = written.is_err();
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.flush();
    }
}

/// Writes all bytes without a buffer of the process in between, which another VM might share.
pub(crate) fn write_descriptor(descriptor: i32, mut bytes: &[u8]) -> std::io::Result<()> {
    while !bytes.is_empty() {
        // SAFETY: the pointer and the length are those of a slice.
        let written = unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
        if written < 0 {
            let error = std::io::Error::last_os_error();
            match error.kind() {
                std::io::ErrorKind::Interrupted => continue,
                std::io::ErrorKind::WouldBlock => std::thread::yield_now(),
                _ => return Err(error),
            }
        } else {
            bytes = &bytes[written as usize..];
        }
    }
    Ok(())
}

/// Writes to the process's standard error.
pub fn write_stderr(bytes: &[u8]) {
    // There is nowhere to report a failure to.
    let _ = write_descriptor(libc::STDERR_FILENO, bytes);
}

impl Vm {
    /// Writes output of the script (`echo`).
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) {
        if self.output.buffers.is_empty() {
            if self.output.started.is_none() {
                self.note_output_start(bytes);
            }
            self.output.put(bytes);
            if self.output.broken {
                self.reader_gone();
            }
        } else {
            self.write_buffered(bytes);
        }
    }

    /// Remembers where output began: from there on no headers can be sent.
    #[cold]
    pub(super) fn note_output_start(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            let file = self.current_file();
            self.output.started = Some((file, self.current_line()));
            if let Some(before_first) = self.output.before_first.take() {
                before_first(self);
            }
        }
    }

    /// Whoever read the output closed it: the script ends quietly.
    #[cold]
    fn reader_gone(&mut self) {
        self.exit_status = 255;
        if !self.current_frame.is_null() {
            bail_out();
        }
    }

    /// Writes to standard error, after what the script wrote before.
    pub fn write_error(&mut self, bytes: &[u8]) {
        self.output.flush();
        write_stderr(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captured_output_is_complete() {
        let mut vm = Vm::new(16 << 20);
        vm.output.set_sink(Sink::Capture(Vec::new()));
        let mut expected = Vec::new();
        for index in 0..5000 {
            let line = format!("line {index}\n");
            expected.extend_from_slice(line.as_bytes());
            vm.write(line.as_bytes());
        }
        let long = vec![b'x'; 100_000];
        vm.write(&long);
        expected.extend_from_slice(&long);
        assert!(vm.output.take_captured() == expected);
    }
}
