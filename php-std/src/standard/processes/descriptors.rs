//! What the descriptors of a program lead to: the second argument of `proc_open()`.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use vm_runtime::array::PhpArray;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::value::{ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::pipes::pipe_stream;
use crate::standard::files::{Stream, open, stream_in};
use crate::standard::network::pair_stream;
use crate::support::{hold, string_of};

/// What a descriptor of the program becomes.
pub(super) struct Target {
    pub(super) number: RawFd,
    pub(super) theirs: OwnedFd,
    /// The script's end, if it has one.
    pub(super) ours: Option<Ours>,
}

/// The script's end of what leads to a program.
pub(super) enum Ours {
    /// Of a pipe, and whether the script reads from it.
    Pipe(OwnedFd, bool),
    /// Of a pair of sockets.
    Socket(OwnedFd),
    /// The side of a terminal that the program does not see.
    Terminal(OwnedFd),
}

impl Ours {
    /// A stream for the script.
    pub(super) fn into_stream(self, vm: &mut Vm) -> Stream {
        match self {
            Ours::Pipe(end, reads) => pipe_stream(File::from(end), reads),
            Ours::Socket(end) => pair_stream(vm, end),
            Ours::Terminal(end) => {
                let mut stream = pipe_stream(File::from(end), true);
                stream.writable = true;
                stream.mode = b"r+".to_vec();
                stream
            }
        }
    }
}

/// A new terminal: the side that the script has, and that of programs.
pub(super) struct Terminal {
    ours: OwnedFd,
    theirs: OwnedFd,
}

impl Terminal {
    fn open() -> io::Result<Terminal> {
        let (mut ours, mut theirs) = (0, 0);
        // SAFETY: both places are ours; nothing is asked of name, settings and size. On success the
        // descriptors are new and ours.
        unsafe {
            let (name, settings, size) = (std::ptr::null_mut(), std::ptr::null(), std::ptr::null());
            if libc::openpty(&raw mut ours, &raw mut theirs, name, settings, size) != 0 {
                return Err(io::Error::last_os_error());
            }
            let (ours, theirs) = (OwnedFd::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs));
            for end in [&ours, &theirs] {
                libc::fcntl(end.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC);
            }
            Ok(Terminal { ours, theirs })
        }
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for both; on success they are new and ours.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

/// A copy of a descriptor that is out of the way of the numbers programs use.
fn duplicate(descriptor: RawFd) -> io::Result<OwnedFd> {
    const ABOVE: i32 = 64;
    // SAFETY: plain system call; on success the descriptor is new and ours.
    unsafe {
        let copy = libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, ABOVE);
        if copy < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(copy))
    }
}

/// One entry of the descriptor specification. None after a warning.
///
/// All entries of a specification that ask for a terminal have the same one.
pub(super) fn target(
    call: &mut Call<'_>,
    number: RawFd,
    entry: &Zval,
    before: &[Target],
    terminal: &mut Option<Terminal>,
) -> PhpResult<Option<Target>> {
    let vm = &mut *call.vm;
    let (theirs, ours) = match entry.deref().view() {
        ValueKind::Resource(_) => {
            // SAFETY: I3: the specification keeps the resource alive, and nothing else looks at it.
            let stream = unsafe { stream_in(entry.deref()) };
            let descriptor = stream.and_then(|stream| {
                // The program goes on where the script is. What cannot be told so is read as it is.
                let _ = stream.settle();
                stream.file().map(File::as_raw_fd)
            });
            (descriptor.map(duplicate), None)
        }
        ValueKind::Array(parts) => match from_array(vm, parts, before, terminal)? {
            Some(found) => found,
            None => return Ok(None),
        },
        _ => {
            return Err(call.value_error(1, "must only contain arrays and streams"));
        }
    };
    match theirs {
        Some(Ok(theirs)) => Ok(Some(Target {
            number,
            theirs,
            ours,
        })),
        Some(Err(error)) => {
            let reason = os_error_text(&error);
            call.vm
                .function_warning(format!("Failed to dup() for descriptor {number}: {reason}"));
            Ok(None)
        }
        None => Ok(None),
    }
}

type Ends = (Option<io::Result<OwnedFd>>, Option<Ours>);

fn from_array(
    vm: &mut Vm,
    parts: &PhpArray,
    before: &[Target],
    terminal: &mut Option<Terminal>,
) -> PhpResult<Option<Ends>> {
    let part = |index: i64| parts.get_long(index).map(hold);
    let Some(kind) = part(0) else {
        return value_error(vm, "Missing handle qualifier");
    };
    let kind = string_of(vm, &kind)?;
    let found = match kind.as_bytes() {
        b"pipe" => {
            let Some(mode) = part(1) else {
                return value_error(vm, "Missing mode parameter for 'pipe'");
            };
            let they_read = string_of(vm, &mode)?.as_bytes().first() == Some(&b'r');
            match pipe() {
                Ok((reading, writing)) => {
                    let (theirs, ours) = match they_read {
                        true => (reading, writing),
                        false => (writing, reading),
                    };
                    let theirs = duplicate(theirs.as_raw_fd());
                    (Some(theirs), Some(Ours::Pipe(ours, !they_read)))
                }
                Err(error) => (Some(Err(error)), None),
            }
        }
        b"file" => {
            let Some(name) = part(1) else {
                return value_error(vm, "Missing file name parameter for 'file'");
            };
            let Some(mode) = part(2) else {
                return value_error(vm, "Missing mode parameter for 'file'");
            };
            let (name, mode) = (string_of(vm, &name)?, string_of(vm, &mode)?);
            let Some(stream) = open(vm, name.as_bytes(), mode.as_bytes())? else {
                return Ok(None);
            };
            let descriptor = stream.file().map(File::as_raw_fd);
            (descriptor.map(duplicate), None)
        }
        b"redirect" => {
            let Some(wanted) = part(1) else {
                return value_error(vm, "Missing redirection target");
            };
            let ValueKind::Long(wanted) = wanted.view() else {
                let kind = vm_runtime::operators::value_name(&wanted);
                let message = format!("Redirection target must be of type int, {kind} given");
                return value_error(vm, &message);
            };
            let known = before
                .iter()
                .find(|target| target.number as i64 == wanted)
                .map(|target| target.theirs.as_raw_fd());
            let standard = (0..3).contains(&wanted).then_some(wanted as RawFd);
            let Some(descriptor) = known.or(standard) else {
                vm.function_warning(format!("Redirection target {wanted} not found"));
                return Ok(None);
            };
            (Some(duplicate(descriptor)), None)
        }
        b"socket" => match UnixStream::pair() {
            Ok((ours, theirs)) => {
                let theirs = duplicate(theirs.as_raw_fd());
                (Some(theirs), Some(Ours::Socket(ours.into())))
            }
            Err(error) => (Some(Err(error)), None),
        },
        b"pty" => {
            let opened = match terminal {
                Some(_) => Ok(()),
                None => Terminal::open().map(|opened| *terminal = Some(opened)),
            };
            match (opened, terminal) {
                (Ok(()), Some(Terminal { ours, theirs })) => {
                    let (ours, theirs) = (ours.try_clone(), duplicate(theirs.as_raw_fd()));
                    match ours {
                        Ok(ours) => (Some(theirs), Some(Ours::Terminal(ours))),
                        Err(error) => (Some(Err(error)), None),
                    }
                }
                (opened, _) => (opened.err().map(Err), None),
            }
        }
        b"null" => {
            let null = File::options().read(true).write(true).open("/dev/null");
            let null = null.and_then(|file| duplicate(file.as_raw_fd()));
            (Some(null), None)
        }
        other => {
            let other = String::from_utf8_lossy(other).into_owned();
            vm.function_warning(format!("{other} is not a valid descriptor spec/mode"));
            return Ok(None);
        }
    };
    Ok(Some(found))
}

/// Throws a `ValueError`.
pub(super) fn value_error<T>(vm: &mut Vm, message: &str) -> PhpResult<T> {
    Err(vm.throw_error(KnownClass::ValueError, message))
}
