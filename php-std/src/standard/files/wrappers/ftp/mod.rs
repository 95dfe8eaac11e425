//! `ftp://` and `ftps://`: files and directories of FTP servers.

mod control;

use vm_runtime::operators::to_bool;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::super::context::context_option;
use super::super::directory::{Listing, Names};
use super::super::path::base_name;
use super::super::status::Status;
use super::super::stream::{Companion, Stream};
use super::{Change, OPERATION_FAILED, Opened, Request, Wrapper};
use control::{Control, Place, Problem, is_done};

/// The schemes `ftp` and `ftps`.
#[derive(Debug)]
pub(super) struct FtpWrapper;

/// What is to be done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Read,
    Write,
    Append,
}

impl Purpose {
    fn of(mode: &[u8]) -> Result<Purpose, &'static str> {
        if mode.contains(&b'+') {
            return Err("FTP does not support simultaneous read/write connections");
        }
        match mode.first() {
            Some(b'r') => Ok(Purpose::Read),
            Some(b'w') => Ok(Purpose::Write),
            Some(b'a') => Ok(Purpose::Append),
            _ => Err("Unknown file open mode"),
        }
    }
}

/// The control connection of an open file, which is told that this is closed.
#[derive(Debug)]
struct Farewell {
    control: Control,
    vm: *mut Vm,
    writes: bool,
}

impl Companion for Farewell {
    fn closed(&mut self) {
        // SAFETY: I1: the VM never moves, and outlives its streams.
        let vm = unsafe { &mut *self.vm };
        if self.writes && !matches!(self.control.answer(), 226 | 250) {
            let last = &self.control.last;
            let number: String = last.iter().take(3).map(|&byte| char::from(byte)).collect();
            let text = vm_runtime::message::text(last).into_owned();
            let number = if number.is_empty() { "0" } else { &number };
            vm.function_warning(format!("FTP server error {number}:{text}"));
        }
        self.control.tell(vm, &[b"QUIT"]);
    }
}

/// A control connection, or why there is none. Warns of what keeps it from being made.
fn connect(
    vm: &mut Vm,
    place: &Place,
    context: Option<&Value>,
    is_quiet: bool,
) -> PhpResult<Result<Control, Problem>> {
    Ok(match Control::open(vm, place, context)? {
        Err(Some(reason))
            if reason.starts_with("connect()") || reason.starts_with("php_network") =>
        {
            if !is_quiet {
                vm.function_warning(reason);
                vm.check()?;
            }
            Err(None)
        }
        outcome => outcome,
    })
}

fn option(request: &Request<'_>, name: &[u8]) -> Option<Value> {
    context_option(request.context?, b"ftp", name)
}

/// Opens a file, or says why not.
fn open(vm: &mut Vm, request: &Request<'_>) -> PhpResult<Result<Stream, Problem>> {
    let purpose = match Purpose::of(request.mode) {
        Ok(purpose) => purpose,
        Err(reason) => return Ok(Err(Some(reason.into()))),
    };
    if option(request, b"proxy").is_some() {
        let reason = "FTP through a proxy is not supported by this engine";
        return Ok(Err(Some(reason.into())));
    }
    let place = Place::of(request.name);
    let Some(place) = place.filter(|place| place.path.is_some()) else {
        return Ok(Err(None));
    };
    let mut control = match connect(vm, &place, request.context, false)? {
        Ok(control) => control,
        Err(problem) => return Ok(Err(problem)),
    };
    if !is_done(control.ask(vm, &[b"TYPE I"])) {
        return Ok(Err(control.reason()));
    }
    let Some(path) = &place.path else {
        return Ok(Err(None));
    };
    let is_there = is_done(control.ask(vm, &[b"SIZE ", path]));
    match purpose {
        Purpose::Read if !is_there => return Ok(Err(control.reason())),
        Purpose::Write if is_there => {
            if !option(request, b"overwrite").is_some_and(|value| to_bool(&value)) {
                let mut reason =
                    "Remote file already exists and overwrite context option not specified"
                        .to_owned();
                if let Some(more) = control.reason() {
                    reason.push('\n');
                    reason.push_str(&more);
                }
                return Ok(Err(Some(reason)));
            }
            if !is_done(control.ask(vm, &[b"DELE ", path])) {
                return Ok(Err(control.reason()));
            }
        }
        _ => {}
    }
    let resumed = match option(request, b"resume_pos")
        .as_ref()
        .map(|value| value.view())
    {
        Some(ValueKind::Long(position)) if purpose == Purpose::Read && position > 0 => {
            Some(position)
        }
        _ => None,
    };
    let command: &[u8] = match purpose {
        Purpose::Read => b"RETR ",
        Purpose::Write => b"STOR ",
        Purpose::Append => b"APPE ",
    };
    let transferred = control.transfer(vm, resumed, &[command, path], &[150, 125])?;
    Ok(transferred.map(|mut stream| {
        let writes = purpose != Purpose::Read;
        stream.readable = !writes;
        stream.writable = writes;
        stream.companion = Some(Box::new(Farewell {
            control,
            vm,
            writes,
        }));
        stream
    }))
}

impl Wrapper for FtpWrapper {
    fn is_url(&self) -> bool {
        true
    }

    fn label(&self) -> &'static str {
        "ftp"
    }

    fn open(&self, vm: &mut Vm, request: &Request<'_>) -> PhpResult<Opened> {
        let opened = open(vm, request)?;
        Ok(opened.map_err(|problem| problem.unwrap_or_else(|| OPERATION_FAILED.into())))
    }

    fn status(&self, vm: &mut Vm, name: &[u8], _flags: i64) -> PhpResult<Option<Status>> {
        let Some(place) = Place::of(name) else {
            return Ok(None);
        };
        let Some(path) = &place.path else {
            return Ok(None);
        };
        let Ok(mut control) = connect(vm, &place, None, true)? else {
            return Ok(None);
        };
        let is_directory = is_done(control.ask(vm, &[b"CWD ", path]));
        if !is_done(control.ask(vm, &[b"TYPE I"])) {
            return Ok(None);
        }
        let size = match is_done(control.ask(vm, &[b"SIZE ", path])) {
            true => number(control.last.get(4..).unwrap_or_default()),
            false if is_directory => 0,
            false => return Ok(None),
        };
        let time = match control.ask(vm, &[b"MDTM ", path]) {
            213 => modified(&control.last).unwrap_or(-1),
            _ => -1,
        };
        let mode = match is_directory {
            true => libc::S_IFDIR | 0o755,
            false => libc::S_IFREG | 0o644,
        };
        let mut status = Status::default();
        for (field, value) in [
            ("mode", i64::from(mode)),
            ("nlink", 1),
            ("rdev", -1),
            ("size", size),
            ("atime", -1),
            ("mtime", time),
            ("ctime", -1),
            ("blksize", 4096),
            ("blocks", size.saturating_add(4095) / 4096),
        ] {
            status.set(field, value);
        }
        Ok(Some(status))
    }

    fn can_change(&self) -> bool {
        true
    }

    fn change(&self, vm: &mut Vm, change: Change<'_>) -> PhpResult<Option<bool>> {
        let name = match change {
            Change::Unlink(name) | Change::Rename(name, _) | Change::RemoveDirectory(name) => name,
            Change::MakeDirectory { name, .. } => name,
        };
        let warns = matches!(change, Change::Unlink(_) | Change::RemoveDirectory(_));
        let shown = vm_runtime::message::text(name).into_owned();
        let place = Place::of(name);
        if let (Change::Rename(_, to), Some(place)) = (change, &place)
            && !Place::of(to).is_some_and(|other| place.is_beside(&other))
        {
            return Ok(Some(false));
        }
        let control = match &place {
            Some(place) => connect(vm, place, None, !warns)?.ok(),
            None => None,
        };
        let (Some(mut control), Some(place)) = (control, place) else {
            if warns {
                vm.function_warning(format!("Unable to connect to {shown}"));
                vm.check()?;
            }
            return Ok(Some(false));
        };
        let Some(path) = place.path else {
            if warns {
                vm.function_warning(format!("Invalid path provided in {shown}"));
                vm.check()?;
            }
            return Ok(Some(false));
        };
        let (is_done, introduction) = match change {
            Change::Unlink(_) => (
                is_done(control.ask(vm, &[b"DELE ", &path])),
                "Error Deleting file: ",
            ),
            Change::RemoveDirectory(_) => (is_done(control.ask(vm, &[b"RMD ", &path])), ""),
            Change::MakeDirectory { is_deep, .. } => {
                (make_directory(vm, &mut control, &path, is_deep), "")
            }
            Change::Rename(_, to) => {
                let to = Place::of(to).and_then(|other| other.path);
                let is_known = (300..400).contains(&control.ask(vm, &[b"RNFR ", &path]));
                (
                    is_known && to.is_some_and(|to| is_done(control.ask(vm, &[b"RNTO ", &to]))),
                    "",
                )
            }
        };
        if !is_done && warns {
            let last = vm_runtime::message::text(&control.last);
            vm.function_warning(format!("{introduction}{last}"));
            vm.check()?;
        }
        Ok(Some(is_done))
    }

    fn list(
        &self,
        vm: &mut Vm,
        name: &[u8],
        context: Option<&Value>,
    ) -> PhpResult<Result<Box<dyn Listing>, std::io::Error>> {
        match names(vm, name, context)? {
            Ok(names) => Ok(Ok(Box::new(Names::new(names)))),
            Err(problem) => {
                let problem = problem.unwrap_or_else(|| OPERATION_FAILED.into());
                Ok(Err(std::io::Error::other(problem)))
            }
        }
    }
}

/// Makes a directory, and those around it that are missing if that is wanted.
fn make_directory(vm: &mut Vm, control: &mut Control, path: &[u8], is_deep: bool) -> bool {
    if !is_deep {
        return is_done(control.ask(vm, &[b"MKD ", path]));
    }
    // Where the names of the directories end, the outermost first.
    let path = path.strip_suffix(b"/").unwrap_or(path);
    let mut ends: Vec<usize> = memchr::memchr_iter(b'/', path).collect();
    let mut missing = vec![path.len()];
    while let Some(end) = ends.pop() {
        // The outermost of all is there, whatever the server says.
        if is_done(control.ask(vm, &[b"CWD ", &path[..end.max(1)]])) || end == 0 {
            break;
        }
        missing.push(end);
    }
    let mut ends = missing.into_iter().rev();
    ends.all(|end| is_done(control.ask(vm, &[b"MKD ", &path[..end]])))
}

/// The names in a directory.
fn names(
    vm: &mut Vm,
    name: &[u8],
    context: Option<&Value>,
) -> PhpResult<Result<Vec<Vec<u8>>, Problem>> {
    let Some(place) = Place::of(name) else {
        return Ok(Err(None));
    };
    let mut control = match connect(vm, &place, context, false)? {
        Ok(control) => control,
        Err(problem) => return Ok(Err(problem)),
    };
    if !is_done(control.ask(vm, &[b"TYPE A"])) {
        return Ok(Err(control.reason()));
    }
    let path = place.path.as_deref().unwrap_or(b"/");
    let command: [&[u8]; 2] = [b"NLST ", path];
    let mut stream = match control.transfer(vm, None, &command, &[150, 125, 250, 226])? {
        Ok(stream) => stream,
        Err(problem) => return Ok(Err(problem)),
    };
    let text = stream.read_all().unwrap_or_default();
    let lines = text
        .split(|&byte| byte == b'\n')
        .map(|line| line.trim_ascii_end());
    Ok(Ok(lines
        .filter(|line| !line.is_empty())
        .map(|line| base_name(line).to_vec())
        .collect()))
}

/// The number that a text begins with.
fn number(text: &[u8]) -> i64 {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0i64, |number, digit| {
        number
            .saturating_mul(10)
            .saturating_add(i64::from(digit - b'0'))
    })
}

/// The time in an answer like `213 20240102030405`.
fn modified(answer: &[u8]) -> Option<i64> {
    let digits = answer.get(4..18)?;
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let part = |from: usize, to: usize| number(&digits[from..to]) as i32;
    // SAFETY: all zeros is such a structure.
    let mut time: libc::tm = unsafe { std::mem::zeroed() };
    time.tm_year = part(0, 4) - 1900;
    time.tm_mon = part(4, 6) - 1;
    time.tm_mday = part(6, 8);
    time.tm_hour = part(8, 10);
    time.tm_min = part(10, 12);
    time.tm_sec = part(12, 14);
    // SAFETY: the call reads and writes the structure alone.
    Some(unsafe { libc::timegm(&mut time) })
}
