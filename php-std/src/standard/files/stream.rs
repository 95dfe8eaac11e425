//! Streams: files, memory, the script's own input and output, with a read buffer.

mod chains;

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;

use vm_runtime::limits;
use vm_runtime::value::{PhpResource, Value};
use vm_runtime::vm::Vm;

use self::chains::Side;
use super::busy::Busy;
use super::directory::Listing;
use super::filters::{Chains, Status};
use super::wrappers::UserStream;
use crate::standard::network::sockets::{Arrived, Socket};

/// Bytes read from a file at once.
const CHUNK: usize = 8192;

/// What is behind a stream.
#[derive(Debug)]
pub(crate) enum Backend {
    /// A file or another descriptor.
    File(File),
    /// A standard descriptor, which is not closed with the stream.
    Standard(std::mem::ManuallyDrop<File>),
    /// `php://memory`, `php://temp`, `data:`.
    Memory {
        /// The contents.
        data: Vec<u8>,
        /// Where reading and writing goes on.
        position: usize,
    },
    /// `php://output`
    Output,
    /// A connection, or what waits for some.
    Socket(Box<Socket>),
    /// An object of the script.
    User(UserStream),
    /// What an extension has.
    Channel(Box<dyn Channel>),
    /// A directory, which is not read as other streams are.
    Directory(Box<dyn Listing>),
}

/// What extensions put behind streams.
pub(crate) trait Channel: std::fmt::Debug {
    /// Appends up to `most` bytes to a buffer; true if the end was met.
    fn read(&mut self, buffer: &mut Vec<u8>, most: usize) -> io::Result<bool>;
    /// Takes bytes; gives how many.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
    /// Moves the position; gives the new one.
    fn seek(&mut self, _offset: i64, _whence: i64) -> Option<u64> {
        None
    }
    /// Sends on what was written.
    fn flush(&mut self) -> bool {
        true
    }
    /// Nothing follows.
    fn close(&mut self) {}
    /// Bytes in it, if that is known.
    fn size(&self) -> Option<u64> {
        None
    }
    /// What is known of what is behind it.
    fn status(&self) -> Option<super::status::Status> {
        None
    }
    /// Cuts or extends; None if that is not possible at all.
    fn truncate(&mut self, _length: u64) -> Option<bool> {
        None
    }
    /// The number of what went wrong last, if it numbers that.
    fn last_error(&self) -> Option<i64> {
        None
    }
    /// Whether a read met something wrong where it told of the end, so that what came before is not lost.
    fn has_failed(&self) -> bool {
        false
    }
}

/// What goes with a stream, and is told when that is closed.
pub(crate) trait Companion: std::fmt::Debug {
    /// The stream was closed.
    fn closed(&mut self);
}

/// An open stream.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) backend: Backend,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    /// Every write goes to the end.
    pub(crate) append: bool,
    pub(crate) seekable: bool,
    /// A read found nothing more.
    pub(crate) end: bool,
    pub(crate) uri: Vec<u8>,
    pub(crate) mode: Vec<u8>,
    /// `plainfile`, `PHP`, `RFC2397`
    pub(crate) wrapper: &'static str,
    /// `STDIO`, `MEMORY`, ...
    pub(crate) kind: &'static str,
    /// Bytes read ahead, from `start` on.
    buffer: Vec<u8>,
    start: usize,
    /// Position as the script sees it.
    position: u64,
    /// What is read and written goes through these.
    pub(super) filters: Chains,
    /// A filter or what is behind the stream is at work: it must not be closed.
    pub(super) busy: Busy,
    /// The resource that holds the stream; null before there is one.
    pub(super) resource: *mut PhpResource,
    /// The program at the other end, which is waited for when the stream is closed.
    pub(crate) program: Option<std::process::Child>,
    /// What is told when the stream is closed.
    pub(crate) companion: Option<Box<dyn Companion>>,
    /// An object of ours closes it, and no script.
    pub(crate) belongs_to_object: bool,
    /// Delete the file when the stream is closed.
    pub(crate) temporary: Option<std::path::PathBuf>,
    /// False if a read does not wait for more to come.
    pub(crate) blocking: bool,
    /// The last read waited as long as it may.
    pub(crate) timed_out: bool,
    /// Bytes asked of what is behind it at once, and given to an object of the script.
    pub(crate) chunk: usize,
    /// What was read ahead was so in search of the end of a line.
    is_filled_for_line: bool,
    /// The number that its resource will have; 0 if none was reserved.
    pub(crate) number: i64,
    /// What is behind it was told that nothing follows.
    closed: bool,
    /// The context it was opened with.
    pub(crate) context: Option<Value>,
    /// What its wrapper adds to `stream_get_meta_data()`.
    pub(crate) described: Vec<(Vec<u8>, Value)>,
}

impl Backend {
    /// Memory with this in it.
    pub(crate) fn memory(data: Vec<u8>) -> Backend {
        Backend::Memory { data, position: 0 }
    }
}

impl Stream {
    /// A stream of a backend that may be read, written or both.
    pub(crate) fn new(backend: Backend, readable: bool, writable: bool) -> Stream {
        let kind = match &backend {
            Backend::Memory { .. } => "MEMORY",
            Backend::Output => "Output",
            _ => "STDIO",
        };
        Stream {
            backend,
            readable,
            writable,
            append: false,
            seekable: true,
            end: false,
            uri: Vec::new(),
            mode: Vec::new(),
            wrapper: "PHP",
            kind,
            buffer: Vec::new(),
            start: 0,
            position: 0,
            filters: Chains::default(),
            busy: Busy::default(),
            resource: std::ptr::null_mut(),
            program: None,
            companion: None,
            belongs_to_object: false,
            temporary: None,
            blocking: true,
            timed_out: false,
            chunk: CHUNK,
            is_filled_for_line: false,
            number: 0,
            closed: false,
            context: None,
            described: Vec::new(),
        }
    }

    /// Bytes read ahead.
    pub(crate) fn buffered(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// True if its wrapper leads out of the machine, or to what somebody else wrote.
    pub(crate) fn wrapper_is_url(&self) -> bool {
        matches!(self.wrapper, "http" | "https" | "ftp" | "ftps" | "RFC2397")
    }

    /// Sends on what was written; false if that failed.
    pub(crate) fn flush(&mut self) -> bool {
        let _at_work = self.busy.enter();
        self.flush_filters();
        match &mut self.backend {
            Backend::Channel(channel) => channel.flush(),
            Backend::User(user) => user.flush(),
            _ => true,
        }
    }

    /// The descriptor of a file.
    pub(crate) fn descriptor(&self) -> Option<i32> {
        match &self.backend {
            Backend::File(file) => Some(file.as_raw_fd()),
            Backend::Standard(file) => Some(file.as_raw_fd()),
            _ => None,
        }
    }

    /// Starts to count positions here.
    pub(crate) fn restart(&mut self) {
        self.position = 0;
    }

    /// Position as the script sees it.
    pub(crate) fn tell(&self) -> u64 {
        self.position
    }

    /// True if a read found the end and nothing is left in the buffer.
    pub(crate) fn at_end(&self) -> bool {
        self.end && self.buffered().is_empty()
    }

    /// True if an object of the script said that there is no more.
    fn end_of_user(&self) -> bool {
        self.end && matches!(self.backend, Backend::User(_))
    }

    /// True if there is nothing left; an object of the script is asked.
    pub(crate) fn check_end(&mut self) -> bool {
        if self.buffered().is_empty()
            && !self.end
            && let Backend::User(user) = &mut self.backend
        {
            self.end = user.at_end();
        }
        if self.buffered().is_empty()
            && !self.end
            && let Backend::Socket(socket) = &mut self.backend
        {
            self.end = socket.is_closed();
        }
        self.at_end()
    }

    /// True if scripts must not close it.
    pub(super) fn is_busy(&self) -> bool {
        self.belongs_to_object || self.is_at_work()
    }

    /// True while a method of the script's object behind the stream runs, or a filter.
    pub(super) fn is_at_work(&self) -> bool {
        self.busy.is_set() || matches!(&self.backend, Backend::User(user) if user.is_busy())
    }

    /// Reads ahead; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.fill_up_to(self.buffered().len().saturating_add(self.chunk))
    }

    /// Reads ahead; false at the end. Filters are run until there are `wanted` bytes.
    fn fill_up_to(&mut self, wanted: usize) -> io::Result<bool> {
        limits::poll();
        let _at_work = self.busy.enter();
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        if !self.filters.read.is_empty() {
            return self.fill_filtered(wanted);
        }
        // The object's method may read itself, and take what was read ahead.
        if matches!(self.backend, Backend::User(_)) {
            let mut arrived = Vec::new();
            let read = self.read_backend(&mut arrived)?;
            self.buffer.append(&mut arrived);
            return Ok(read > 0);
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let read = self.read_backend(&mut buffer);
        self.buffer = buffer;
        Ok(read? > 0)
    }

    /// Appends what the backend has to `buffer`, and notes if that is its end.
    fn read_backend(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let read = match &mut self.backend {
            Backend::File(file) => {
                let (chunk, waits) = (self.chunk, self.blocking);
                let Some(read) = read_some(file, buffer, chunk, waits, self.seekable)? else {
                    return Ok(0);
                };
                read
            }
            Backend::Standard(file) => {
                let Some(read) = read_some(file, buffer, self.chunk, self.blocking, false)? else {
                    return Ok(0);
                };
                read
            }
            Backend::Memory { data, position } => {
                let rest = data.get(*position..).unwrap_or_default();
                buffer.extend_from_slice(rest);
                *position = (*position).max(data.len());
                rest.len()
            }
            Backend::Output => 0,
            // It has no end, either.
            Backend::Directory(_) => return Err(io::Error::other("a directory")),
            Backend::Socket(socket) => {
                let arrived = socket.read(buffer, self.chunk);
                self.timed_out = socket.timed_out;
                match arrived {
                    Ok(Arrived::Bytes(read)) => read,
                    Ok(Arrived::Nothing) => return Ok(0),
                    Ok(Arrived::End) => 0,
                    Err(error) => {
                        self.end = true;
                        return Err(error);
                    }
                }
            }
            Backend::Channel(channel) => {
                let before = buffer.len();
                limits::reserve(self.chunk);
                let outcome = channel.read(buffer, self.chunk);
                // What numbers its errors gives nothing more after one.
                self.end = match outcome {
                    Ok(end) => end,
                    Err(_) => channel.last_error().is_some(),
                };
                return outcome.map(|_| buffer.len() - before);
            }
            Backend::User(user) => {
                let (bytes, end) = user.read(self.chunk)?;
                buffer.extend_from_slice(&bytes);
                self.end = end;
                bytes.len()
            }
        };
        if read == 0 {
            self.end = true;
        }
        Ok(read)
    }

    /// True if what is behind the stream says that it is at its end when it gives less than it could.
    fn ends_early(&self) -> bool {
        matches!(self.kind, "TEMP" | "RFC2397")
    }

    fn take(&mut self, length: usize) -> Vec<u8> {
        self.pass(length).to_vec()
    }

    /// Goes behind bytes that were read ahead, and gives them.
    fn pass(&mut self, length: usize) -> &[u8] {
        let start = self.start;
        self.start += length;
        self.position += length as u64;
        &self.buffer[start..self.start]
    }

    /// As [`Stream::read`], if all of it was read ahead: then nothing is asked, and nothing else happens.
    pub(super) fn read_at_once(&mut self, length: usize) -> Option<&[u8]> {
        let is_there = self.readable && length > 0 && self.buffered().len() >= length;
        is_there.then(|| self.pass(length))
    }

    /// As [`Stream::read_line`], if the line was read ahead.
    pub(super) fn line_at_once(&mut self, limit: usize) -> Option<&[u8]> {
        if !self.readable || limit == 0 {
            return None;
        }
        let buffered = self.buffered();
        let window = &buffered[..buffered.len().min(limit)];
        let length = match memchr::memchr(b'\n', window) {
            Some(at) => at + 1,
            None if buffered.len() >= limit => limit,
            None => return None,
        };
        Some(self.pass(length))
    }

    /// As [`Stream::write`], where that is memory alone, of which this is the end.
    pub(super) fn write_at_once(&mut self, bytes: &[u8]) -> bool {
        let is_plain = self.writable && self.filters.write.is_empty() && self.buffer.is_empty();
        match &mut self.backend {
            Backend::Memory { data, position } if is_plain && *position == data.len() => {
                limits::reserve(bytes.len());
                data.extend_from_slice(bytes);
                *position += bytes.len();
                self.position += bytes.len() as u64;
                true
            }
            _ => false,
        }
    }

    /// Up to `length` bytes; fewer only at the end, or from a terminal or pipe.
    pub(crate) fn read(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if matches!(self.backend, Backend::Channel(_)) && self.filters.read.is_empty() {
            return self.read_channel(length);
        }
        let greedy =
            !matches!(self.backend, Backend::Standard(_) | Backend::User(_)) && self.seekable;
        // What came over a connection is not held back until there is more.
        if matches!(self.backend, Backend::Socket(_)) && !self.buffered().is_empty() {
            let length = length.min(self.buffered().len());
            return Ok(self.take(length));
        }
        self.is_filled_for_line &= !self.buffered().is_empty();
        while self.buffered().len() < length && self.fill_up_to(length)? {
            if !greedy {
                break;
            }
        }
        let length = length.min(self.buffered().len());
        Ok(self.take(length))
    }

    /// As [`Stream::read`], of what an extension has: no more is read than was asked for.
    fn read_channel(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.buffered().len() < length && !self.end {
            let missing = (length - self.buffered().len()).min(CHUNK);
            let chunk = std::mem::replace(&mut self.chunk, missing);
            let filled = self.fill();
            self.chunk = chunk;
            if !filled? {
                break;
            }
        }
        let length = length.min(self.buffered().len());
        Ok(self.take(length))
    }

    /// The next piece of what is behind the stream; None at its end.
    pub(crate) fn read_piece(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.buffered().is_empty() && (self.end_of_user() || !self.fill()?) {
            return Ok(None);
        }
        let length = self.buffered().len();
        Ok(Some(self.take(length)))
    }

    /// Whether the end that was met is none, but something wrong: copies fail there.
    pub(crate) fn has_failed(&self) -> bool {
        match &self.backend {
            Backend::Channel(channel) => channel.has_failed(),
            _ => false,
        }
    }

    /// Everything up to the end.
    pub(crate) fn read_all(&mut self) -> io::Result<Vec<u8>> {
        const LARGEST_CHUNK: usize = 1 << 20;
        let chunk = self.chunk;
        // A file says how long it is: what is left comes at once, as long as that is not much.
        let length = match &self.backend {
            Backend::File(file) if self.seekable && self.filters.read.is_empty() => {
                file.metadata().map_or(0, |about| about.len())
            }
            _ => 0,
        };
        let rest = length.saturating_sub(self.position) as usize;
        let mut is_guessed = rest > chunk && rest <= LARGEST_CHUNK;
        if is_guessed {
            limits::reserve(rest + chunk);
            self.buffer.reserve(rest + chunk);
            self.chunk = rest;
        }
        // An object of the script is asked once, whatever it has said before.
        let mut asks_again = self.buffered().is_empty();
        let outcome = loop {
            if self.end_of_user() && !std::mem::take(&mut asks_again) {
                break Ok(());
            }
            asks_again = false;
            match self.fill() {
                Ok(true) => {}
                other => break other.map(drop),
            }
            // There is more of a file than was thought.
            if std::mem::take(&mut is_guessed) {
                self.chunk = chunk;
            } else if matches!(self.backend, Backend::File(_)) && self.filters.read.is_empty() {
                self.chunk = (self.chunk * 4).min(LARGEST_CHUNK.max(chunk));
            }
        };
        self.chunk = chunk;
        outcome?;
        if self.start == 0 {
            let all = std::mem::take(&mut self.buffer);
            self.position += all.len() as u64;
            return Ok(all);
        }
        let length = self.buffered().len();
        Ok(self.take(length))
    }

    /// Up to and including the next `delimiter`, at most `limit` bytes; none at the end.
    pub(crate) fn read_line(&mut self, delimiter: u8, limit: usize) -> io::Result<Option<Vec<u8>>> {
        self.read_up_to(delimiter, limit, false)
    }

    /// As [`Stream::read_line`]. Behind the end it is asked whether there is more by now if it `asks_again`.
    pub(crate) fn read_up_to(
        &mut self,
        delimiter: u8,
        limit: usize,
        asks_again: bool,
    ) -> io::Result<Option<Vec<u8>>> {
        let mut searched = 0;
        loop {
            let buffered = self.buffered();
            let window = &buffered[..buffered.len().min(limit)];
            // What fills the buffer may have read of it.
            searched = searched.min(window.len());
            if let Some(at) = memchr::memchr(delimiter, &window[searched..]) {
                return Ok(Some(self.take(searched + at + 1)));
            }
            if buffered.len() >= limit {
                return Ok(Some(self.take(limit)));
            }
            searched = window.len();
            let before = self.buffered().len();
            self.is_filled_for_line = true;
            if self.end && !asks_again || !self.fill()? {
                let length = self.buffered().len();
                return Ok((length > 0).then(|| self.take(length)));
            }
            // Reading less than was asked for is the end of `php://temp`.
            self.end |=
                self.kind == "TEMP" && self.buffered().len().saturating_sub(before) < self.chunk;
        }
    }

    /// Forgets what was read ahead, so that the backend stands where the script thinks it does. What came and cannot come
    /// again is kept.
    pub(crate) fn settle(&mut self) -> io::Result<()> {
        if !self.seekable {
            return Ok(());
        }
        let ahead = self.buffered().len();
        self.buffer.clear();
        self.start = 0;
        if ahead == 0 {
            return Ok(());
        }
        if let Backend::User(user) = &mut self.backend {
            // Its object is told where the script stands, whatever it says to that.
            let _at_work = self.busy.enter();
            let here = i64::try_from(self.position).unwrap_or(i64::MAX);
            if let Some(Some(position)) = user.seek(here, 0) {
                self.position = position.max(0) as u64;
            }
            return Ok(());
        }
        if self.filters.read.is_empty() {
            match &mut self.backend {
                Backend::File(file) => {
                    file.seek(SeekFrom::Current(-(ahead as i64)))?;
                }
                Backend::Standard(file) => {
                    file.seek(SeekFrom::Current(-(ahead as i64)))?;
                }
                Backend::Memory { position, .. } => {
                    // It may have been cut since: PHP goes to where the script stands all the same.
                    *position = self.position as usize;
                    // Memory that goes back is no longer at its end.
                    self.end = false;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes all bytes; gives how many were taken.
    pub(crate) fn write(&mut self, vm: &mut Vm, bytes: &[u8]) -> io::Result<usize> {
        self.settle()?;
        self.filters.vm = vm;
        if self.filters.write.is_empty() {
            return self.write_backend(bytes);
        }
        let (status, output, taken) = self.run_filters(Side::Write, 0, vec![bytes.to_vec()], false);
        match status {
            Status::PassOn => {
                for bucket in output {
                    self.write_backend(&bucket)?;
                }
                Ok(taken)
            }
            Status::FeedMe => Ok(taken),
            Status::Fatal => Err(io::Error::other("a filter failed")),
        }
    }

    /// Hands bytes to the backend.
    fn write_backend(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _at_work = self.busy.enter();
        // SAFETY: I1: set before anything is written; the VM never moves, and outlives its streams.
        let vm = unsafe { &mut *self.filters.vm };
        match &mut self.backend {
            Backend::File(file) => {
                let written = write_some(file, bytes, self.blocking, self.seekable)?;
                self.position += written as u64;
                return Ok(written);
            }
            Backend::Standard(file) => {
                // What the script printed before comes first.
                vm.output.flush();
                let written = write_some(file, bytes, self.blocking, self.seekable)?;
                self.position += written as u64;
                return Ok(written);
            }
            Backend::Memory { data, position } => {
                if self.append {
                    *position = data.len();
                }
                if *position > data.len() {
                    limits::reserve(*position - data.len());
                    data.resize(*position, 0);
                }
                limits::reserve(bytes.len());
                let overlap = bytes.len().min(data.len() - *position);
                data[*position..*position + overlap].copy_from_slice(&bytes[..overlap]);
                data.extend_from_slice(&bytes[overlap..]);
                *position += bytes.len();
            }
            Backend::Output => vm.write(bytes),
            Backend::Socket(socket) => {
                let sent = socket.write(bytes)?;
                self.position += sent as u64;
                return Ok(sent);
            }
            Backend::Directory(_) => return Err(io::Error::from_raw_os_error(libc::EBADF)),
            Backend::Channel(channel) => {
                let written = channel.write(bytes)?;
                self.position += written as u64;
                return Ok(written);
            }
            Backend::User(user) => {
                // It is asked for the rest as long as it takes something.
                let mut taken = 0;
                while taken < bytes.len() {
                    let end = bytes.len().min(taken + self.chunk);
                    match user.write(&bytes[taken..end]) {
                        None if taken == 0 => {
                            return Err(io::Error::other("the wrapper took nothing"));
                        }
                        None | Some(0) => break,
                        Some(more) => {
                            taken += more;
                            self.position += more as u64;
                        }
                    }
                    if vm.check().is_err() {
                        break;
                    }
                }
                return Ok(taken);
            }
        }
        self.position += bytes.len() as u64;
        Ok(bytes.len())
    }

    /// The position as offsets count. Where the object of a stream says that it is may be as far away as they go, and what was
    /// read since is behind that.
    fn here(&self) -> i64 {
        i64::try_from(self.position).unwrap_or(i64::MAX)
    }

    /// Asks the object of a stream where it stands.
    pub(super) fn find_position(&mut self) {
        let _at_work = self.busy.enter();
        if let Backend::User(user) = &mut self.backend
            && user.has("stream_seek")
            && let Some(Some(position)) = user.seek(0, 1)
        {
            self.position = position.max(0) as u64;
        }
    }

    /// Moves the position; false if that is not possible.
    pub(crate) fn seek(&mut self, offset: i64, whence: i64) -> bool {
        let _at_work = self.busy.enter();
        self.flush_filters();
        if !self.seekable {
            return whence == 1 && offset >= 0 && self.readable && self.skip(offset as u64);
        }
        let ahead = self.buffered().len() as i64;
        let here = self.here();
        if let Backend::User(user) = &mut self.backend {
            // The object is told a place from the start: it does not know what was read ahead.
            let (offset, whence) = match whence {
                1 => (here.saturating_add(offset), 0),
                _ => (offset, whence),
            };
            // What was read ahead is not read again.
            if whence == 0 && offset > here && offset - here <= ahead {
                self.start += (offset - here) as usize;
                self.position = offset as u64;
                self.end = false;
                return true;
            }
            let Some(moved) = user.seek(offset, whence) else {
                return false;
            };
            // What was read ahead is forgotten even if the object refused.
            self.buffer.clear();
            self.start = 0;
            let Some(position) = moved else {
                return false;
            };
            self.position = position.max(0) as u64;
            self.end = false;
            return true;
        }
        if let Backend::Channel(channel) = &mut self.backend {
            let (offset, whence) = match whence {
                1 => (here.saturating_add(offset), 0),
                _ => (offset, whence),
            };
            let Some(position) = channel.seek(offset, whence) else {
                return false;
            };
            self.buffer.clear();
            self.start = 0;
            self.position = position;
            self.end = false;
            return true;
        }
        let target = match whence {
            0 => offset,
            1 => here.saturating_add(offset),
            2 => match self.length() {
                Some(length) => (length as i64).saturating_add(offset),
                None => return false,
            },
            _ => return false,
        };
        if target < 0 {
            return false;
        }
        // What was read ahead of a file is not read again.
        let is_ahead = whence != 2 && target > here && target - here <= ahead;
        if is_ahead && matches!(self.backend, Backend::File(_)) && self.filters.read.is_empty() {
            self.pass((target - here) as usize);
            self.end = false;
            return true;
        }
        self.buffer.clear();
        self.start = 0;
        match &mut self.backend {
            Backend::File(file) => {
                if file.seek(SeekFrom::Start(target as u64)).is_err() {
                    return false;
                }
            }
            Backend::Standard(file) => {
                // A device that is no file stays where it is.
                let Ok(position) = file.seek(SeekFrom::Start(target as u64)) else {
                    return false;
                };
                self.position = position;
                self.end = false;
                return true;
            }
            Backend::Memory { position, .. } => *position = target as usize,
            _ => return false,
        }
        self.position = target as u64;
        self.end = false;
        true
    }

    /// Reads what lies between here and a position further on; false if there is less.
    fn skip(&mut self, mut left: u64) -> bool {
        while left > 0 {
            match self.read(left.min(CHUNK as u64) as usize) {
                Ok(piece) if !piece.is_empty() => left -= piece.len() as u64,
                _ => return false,
            }
        }
        true
    }

    /// Length of what is behind the stream, if it has one.
    pub(crate) fn length(&self) -> Option<u64> {
        match &self.backend {
            Backend::File(file) => file.metadata().ok().map(|metadata| metadata.len()),
            Backend::Standard(file) => file.metadata().ok().map(|metadata| metadata.len()),
            Backend::Memory { data, .. } => Some(data.len() as u64),
            Backend::Channel(channel) => channel.size(),
            _ => None,
        }
    }

    /// Cuts or extends; false if that is not possible.
    pub(crate) fn truncate(&mut self, length: u64) -> bool {
        if let Backend::User(user) = &mut self.backend {
            return user.truncate(length);
        }
        if !self.writable {
            return false;
        }
        // What was read ahead of files is still read, as far as it was there then, and of memory what was for a line:
        // for nothing else PHP reads ahead of that.
        let stays = match self.backend {
            Backend::File(_) => true,
            Backend::Memory { .. } => self.is_filled_for_line,
            _ => false,
        };
        if !stays && self.settle().is_err() {
            return false;
        }
        match &mut self.backend {
            Backend::Channel(channel) => channel.truncate(length).unwrap_or(false),
            Backend::File(file) => file.set_len(length).is_ok(),
            Backend::Memory { data, position } => {
                limits::reserve((length as usize).saturating_sub(data.len()));
                data.resize(length as usize, 0);
                *position = (*position).min(data.len());
                true
            }
            _ => false,
        }
    }

    /// Whether what is behind the stream can be cut or extended at all.
    pub(crate) fn can_truncate(&self) -> bool {
        match &self.backend {
            Backend::File(_) => self.seekable,
            Backend::Memory { .. } => true,
            Backend::User(user) => user.has("stream_truncate"),
            _ => false,
        }
    }

    /// The descriptor of the socket behind the stream.
    pub(crate) fn socket_file(&self) -> Option<&File> {
        match &self.backend {
            Backend::Socket(socket) => Some(socket.file()),
            _ => None,
        }
    }

    /// The descriptor behind the stream.
    pub(crate) fn file(&self) -> Option<&File> {
        match &self.backend {
            Backend::File(file) => Some(file),
            Backend::Standard(file) => Some(file),
            Backend::Socket(socket) => Some(socket.file()),
            _ => None,
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.finish();
        if let Some(path) = &self.temporary {
            // It may be gone already.
            let _ = std::fs::remove_file(path);
        }
        if let Some(mut companion) = self.companion.take()
            && !std::thread::panicking()
        {
            // The other end waits for the end of what it is sent, and must have read it when the connection goes.
            if let Backend::Socket(socket) = &mut self.backend {
                socket.end_sending();
            }
            companion.closed();
        }
        if let Some(program) = &mut self.program {
            // Closed first: the program may wait for the end of its input.
            self.backend = Backend::Output;
            crate::standard::processes::wait_without_script(program);
        }
    }
}

/// Writes all of it, or what goes without waiting.
fn write_some(file: &mut File, bytes: &[u8], waits: bool, is_regular: bool) -> io::Result<usize> {
    limits::note_file_access();
    if waits {
        limits::write_all(file, bytes, is_regular)?;
        return Ok(bytes.len());
    }
    let mut written = 0;
    while written < bytes.len() {
        match file.write(&bytes[written..]) {
            Ok(0) => break,
            Ok(more) => written += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            // What went before counts; the next call fails.
            Err(_) if written > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(written)
}

/// Reads once; nothing if that would wait and the stream does not. One that can be sought in always has
/// something, or is at its end.
fn read_some(
    file: &mut File,
    buffer: &mut Vec<u8>,
    chunk: usize,
    waits: bool,
    seekable: bool,
) -> io::Result<Option<usize>> {
    limits::note_file_access();
    buffer.reserve(chunk);
    let room = buffer.spare_capacity_mut();
    let room = &mut room[..chunk];
    loop {
        if waits && !seekable {
            limits::wait_readable(file.as_raw_fd());
        }
        // SAFETY: the kernel writes at most as many bytes as there is room for. (Clearing the room first would
        // take longer than the reading.)
        let read = unsafe { libc::read(file.as_raw_fd(), room.as_mut_ptr().cast(), room.len()) };
        if let Ok(read) = usize::try_from(read) {
            // SAFETY: so many bytes behind the others have been written.
            unsafe { buffer.set_len(buffer.len() + read) };
            return Ok(Some(read));
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock if !waits => return Ok(None),
            _ => return Err(error),
        }
    }
}
