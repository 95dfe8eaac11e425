//! Waiting that limits can end.

use std::cell::Cell;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::memory::{count_wait, reserve, wait_readable, wait_until};
use crate::limits::start_thread;
use crate::vm::Vm;
use crate::vm::file_identity::FileIdentity;

/// How long native code waits before it looks at the interrupt word again.
const SLICE: Duration = Duration::from_millis(10);

impl Vm {
    /// Waits for a time. What the script has written goes out before.
    pub fn wait(&mut self, time: Duration) {
        let started = Instant::now();
        self.wait_until(|_, slice| {
            let left = time.saturating_sub(started.elapsed());
            std::thread::sleep(left.min(slice));
            (left <= slice).then_some(())
        });
    }

    /// Waits until a descriptor can be read from, or is closed at its other end.
    pub fn wait_readable(&mut self, descriptor: RawFd) {
        self.wait_until(|_, slice| is_ready(descriptor, libc::POLLIN, slice).then_some(()));
    }

    /// Calls `step`, which waits for at most the time it is given, until it gives something. Limits end
    /// the script in between, and the time spent counts.
    pub fn wait_until<T>(&mut self, mut step: impl FnMut(&mut Vm, Duration) -> Option<T>) -> T {
        if let Some(result) = step(self, Duration::ZERO) {
            return result;
        }
        self.output.flush();
        loop {
            self.poll();
            let started = Instant::now();
            let result = step(self, SLICE);
            self.timer.count_wait(started.elapsed());
            if let Some(result) = result {
                return result;
            }
        }
    }
}

/// Looks at how long work takes that is done by the system, which may wait for a disk: that is neither
/// processor time nor does anybody say that he waits.
#[derive(Debug)]
pub struct Waits {
    since: Instant,
    /// What the thread had run, and been ready to run, until then.
    other: Option<Duration>,
}

impl Waits {
    /// From now on.
    pub fn begin() -> Waits {
        Waits {
            since: Instant::now(),
            other: ran_or_ready(),
        }
    }

    /// What was waited counts.
    pub fn end(self) {
        if let (Some(before), Some(after)) = (self.other, ran_or_ready()) {
            let passed = self.since.elapsed();
            count_wait(passed.saturating_sub(after.saturating_sub(before)));
        }
    }

    /// Limits end the script here; what it waited counts.
    pub fn poll(&mut self) {
        let passed = self.since.elapsed();
        if passed >= SLICE {
            std::mem::replace(self, Waits::begin()).end();
        }
        super::memory::poll();
    }
}

/// How long this thread has run, or could have while others ran.
fn ran_or_ready() -> Option<Duration> {
    let figures = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let mut figures = figures.split_whitespace();
    let mut next = || figures.next()?.parse().ok().map(Duration::from_nanos);
    Some(next()? + next()?)
}

/// Waits for an event of a descriptor, for so long.
fn is_ready(descriptor: RawFd, events: libc::c_short, time: Duration) -> bool {
    let mut entry = libc::pollfd {
        fd: descriptor,
        events,
        revents: 0,
    };
    // SAFETY: one entry, which the call writes to.
    let ready = unsafe { libc::poll(&mut entry, 1, time.as_millis() as libc::c_int) };
    let interrupted = ready < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted;
    ready != 0 && !interrupted
}

/// The other end of a FIFO that a thread opens: if nobody waits for it any more, it must not wait either.
struct OtherEnd<'p>(Option<&'p Path>);

impl Drop for OtherEnd<'_> {
    fn drop(&mut self) {
        if let Some(path) = self.0 {
            let mut both = OpenOptions::new();
            both.read(true).write(true).custom_flags(libc::O_NONBLOCK);
            // If the FIFO is gone the thread waits on; it holds nothing else.
            drop(both.open(path));
        }
    }
}

fn is_fifo(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

thread_local! {
    /// How often files of the system were opened, read or written on this thread. Each thread counts in a range of its
    /// own, so that a VM that has moved to another one does not take what it knows for new.
    static FILE_ACCESSES: Cell<u64> = {
        static THREADS: AtomicU64 = AtomicU64::new(0);
        Cell::new(THREADS.fetch_add(1, Ordering::Relaxed) << 40)
    };
}

/// Notes that a file of the system was opened, read or written: what was known of files before may be wrong.
pub fn note_file_access() {
    FILE_ACCESSES.set(FILE_ACCESSES.get() + 1);
}

/// Another number after each [`note_file_access`].
pub fn file_accesses() -> u64 {
    FILE_ACCESSES.get()
}

/// Opens a file. That may take as long as nobody opens the other end of a FIFO: limits end it.
pub fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    let opened = open_or_wait(options, path);
    if opened.is_ok() {
        note_file_access();
    }
    opened
}

fn open_or_wait(options: &OpenOptions, path: &Path) -> io::Result<File> {
    if !is_fifo(path) {
        return options.open(path);
    }
    let (sender, receiver) = channel();
    let (options_of_thread, file) = (options.clone(), PathBuf::from(path));
    // Nobody listens any more if the script was ended.
    let work = move || drop(sender.send(options_of_thread.open(file)));
    if !start_thread(c"opline-open", work) {
        return Err(io::Error::from_raw_os_error(libc::EAGAIN));
    }
    let mut other_end = OtherEnd(Some(path));
    let opened = wait_until(|slice| match receiver.recv_timeout(slice) {
        Ok(opened) => Some(opened),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Err(io::Error::other("the thread ended"))),
    });
    other_end.0 = None;
    opened
}

/// Writes all of it. What is no file may wait for somebody to read: limits end that.
pub fn write_all(mut file: &File, bytes: &[u8], is_regular: bool) -> io::Result<()> {
    let descriptor = file.as_raw_fd();
    note_file_access();
    if is_regular {
        return file.write_all(bytes);
    }
    // SAFETY: the descriptor is open as long as the file.
    let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFL) };
    if flags < 0 || flags & libc::O_NONBLOCK != 0 {
        return file.write_all(bytes);
    }
    // As much as there is room for whenever there is any.
    for piece in bytes.chunks(libc::PIPE_BUF) {
        wait_until(|slice| is_ready(descriptor, libc::POLLOUT, slice).then_some(()));
        file.write_all(piece)?;
    }
    Ok(())
}

/// Makes a file of these bytes, or replaces what is in it.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let file = open(options.write(true).create(true).truncate(true), path)?;
    let is_regular = file.metadata()?.is_file();
    write_all(&file, bytes, is_regular)
}

/// Copies a file, its permissions too. Refuses FIFOs, at which that would wait without end.
pub fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    if is_fifo(from) || is_fifo(to) {
        return Err(io::Error::from_raw_os_error(libc::EXDEV));
    }
    std::fs::copy(from, to).map(drop)
}

/// Locks or unlocks a file (`flock`); waits if `flags` do not say otherwise.
pub fn lock(file: &impl AsRawFd, flags: libc::c_int) -> io::Result<()> {
    let descriptor = file.as_raw_fd();
    wait_until(|slice| {
        // SAFETY: the descriptor is open as long as the file.
        let locked = unsafe { libc::flock(descriptor, flags | libc::LOCK_NB) } == 0;
        let error = io::Error::last_os_error();
        if locked {
            return Some(Ok(()));
        }
        if error.kind() != io::ErrorKind::WouldBlock || flags & libc::LOCK_NB != 0 {
            return Some(Err(error));
        }
        std::thread::sleep(slice / 4);
        None
    })
}

/// Opens a file to read it, and tells what it is. Regular files, nearly all, need no look before they are opened.
fn open_for_reading(path: &Path) -> io::Result<(File, Metadata)> {
    let mut at_once = OpenOptions::new();
    at_once.read(true).custom_flags(libc::O_NONBLOCK);
    let first = at_once.open(path);
    if let Ok(file) = &first {
        let found = file.metadata()?;
        if found.is_file() {
            return first.map(|file| (file, found));
        }
    }
    // The first stays open meanwhile: who writes to a FIFO is not to find it without a reader.
    let file = open(OpenOptions::new().read(true), path)?;
    let found = file.metadata()?;
    Ok((file, found))
}

/// Reads a file whole: devices and FIFOs, too, as far as memory goes.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let (file, found) = open_for_reading(path)?;
    read_whole(file, &found)
}

/// As [`read_file`]; tells besides by what the file is recognised from now on, if it can be.
pub(crate) fn read_identified(path: &Path) -> io::Result<(Vec<u8>, Option<FileIdentity>)> {
    let (file, found) = open_for_reading(path)?;
    // Before it is read: what is changed meanwhile will look otherwise.
    let identity = FileIdentity::settled(&found);
    Ok((read_whole(file, &found)?, identity))
}

fn read_whole(mut file: File, found: &Metadata) -> io::Result<Vec<u8>> {
    note_file_access();
    /// Bytes that are read at once.
    const PIECE: usize = 64 * 1024;
    let mut contents = Vec::new();
    let mut wanted = match found.is_file() {
        // To notice the end as well.
        true => usize::try_from(found.len()).unwrap_or(usize::MAX - 1) + 1,
        false => PIECE,
    };
    loop {
        reserve(wanted);
        let before = contents.len();
        contents.resize(before + wanted, 0);
        if !found.is_file() {
            wait_readable(file.as_raw_fd());
        }
        let read = match file.read(&mut contents[before..]) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                contents.truncate(before);
                continue;
            }
            Err(error) => return Err(error),
        };
        contents.truncate(before + read);
        // A file that gave all that it said, and not the one byte more that was asked for, is at its end.
        let is_whole = found.is_file() && read as u64 == found.len() && read < wanted;
        if read == 0 || is_whole {
            return Ok(contents);
        }
        super::memory::poll();
        // The rest of the room first: that shows the end of most files.
        wanted = match contents.capacity() - contents.len() {
            0 => PIECE,
            room => room.min(PIECE),
        };
    }
}
