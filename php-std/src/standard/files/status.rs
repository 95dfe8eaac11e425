//! What the system knows of files: `is_file`, `filesize`, `stat`, ...

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::operators::to_long;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::known_status::known_status;
use super::open::check_path;
use super::open::stream;
use super::stream::Backend;
use super::wrappers::{Responsible, options, path_to_check, responsible, status};
use crate::support::{direct, functions, hold, new_list, text};

functions! {
    "file_exists(string $filename): bool" => file_exists,
    "is_file(string $filename): bool" => is_file | is_file_directly,
    "is_dir(string $filename): bool" => is_dir | is_dir_directly,
    "is_link(string $filename): bool" => is_link,
    "is_readable(string $filename): bool" => is_readable,
    "is_writable(string $filename): bool" => is_writable,
    "is_writeable(string $filename): bool" => is_writable,
    "is_executable(string $filename): bool" => is_executable,
    "filesize(string $filename): int|false" => filesize | filesize_directly,
    "filemtime(string $filename): int|false" => filemtime | filemtime_directly,
    "fileatime(string $filename): int|false" => fileatime,
    "filectime(string $filename): int|false" => filectime,
    "fileperms(string $filename): int|false" => fileperms,
    "fileinode(string $filename): int|false" => fileinode,
    "fileowner(string $filename): int|false" => fileowner,
    "filegroup(string $filename): int|false" => filegroup,
    "filetype(string $filename): string|false" => filetype,
    "stat(string $filename): array|false" => stat,
    "lstat(string $filename): array|false" => lstat,
    "fstat(resource $stream): array|false" => fstat,
    "clearstatcache(bool $clear_realpath_cache = false, string $filename = \"\"): void" => clearstatcache,
}

/// The fields of `stat()`, in its order.
const FIELDS: [&str; 13] = [
    "dev", "ino", "mode", "nlink", "uid", "gid", "rdev", "size", "atime", "mtime", "ctime",
    "blksize", "blocks",
];

/// What is known of a file.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Status {
    /// In the order of [`FIELDS`].
    values: [i64; 13],
}

impl Status {
    /// Of a file of the system.
    pub(crate) fn of(metadata: &Metadata) -> Status {
        Status {
            values: [
                metadata.dev() as i64,
                metadata.ino() as i64,
                metadata.mode() as i64,
                metadata.nlink() as i64,
                metadata.uid() as i64,
                metadata.gid() as i64,
                metadata.rdev() as i64,
                metadata.len() as i64,
                metadata.atime(),
                metadata.mtime(),
                metadata.ctime(),
                metadata.blksize() as i64,
                metadata.blocks() as i64,
            ],
        }
    }

    /// As a class of the script tells: by the fields' names. What it leaves out is 0.
    pub(crate) fn from_array(vm: &mut Vm, array: &PhpArray) -> Status {
        let mut status = Status::default();
        for (value, name) in status.values.iter_mut().zip(FIELDS) {
            let given = array.get_bytes(name.as_bytes()).map(hold);
            *value = given.map_or(0, |given| to_long(vm, &given));
        }
        status
    }

    /// Of `length` bytes in memory.
    fn of_memory(length: u64, is_writable: bool) -> Status {
        let mode = if is_writable { 0o100_666 } else { 0o100_444 };
        Status {
            values: [12, 0, mode, 1, 0, 0, -1, length as i64, 0, 0, 0, -1, -1],
        }
    }

    /// Type and permissions.
    pub(crate) fn mode(&self) -> u32 {
        self.values[2] as u32
    }

    /// True for a file of the type `S_IFREG`, `S_IFDIR`, ...
    pub(crate) fn is(&self, kind: u32) -> bool {
        self.mode() & libc::S_IFMT == kind
    }

    /// The field of a name of [`FIELDS`].
    pub(crate) fn field(&self, name: &str) -> i64 {
        FIELDS
            .iter()
            .position(|known| *known == name)
            .map_or(0, |index| self.values[index])
    }

    /// Sets the field of a name of [`FIELDS`].
    pub(crate) fn set(&mut self, name: &str, value: i64) {
        if let Some(index) = FIELDS.iter().position(|known| *known == name) {
            self.values[index] = value;
        }
    }

    /// What `filetype()` gives; `None` if there is no name for it.
    pub(crate) fn type_name(&self) -> Option<&'static str> {
        Some(match self.mode() & libc::S_IFMT {
            libc::S_IFLNK => "link",
            libc::S_IFDIR => "dir",
            libc::S_IFREG => "file",
            libc::S_IFIFO => "fifo",
            libc::S_IFCHR => "char",
            libc::S_IFBLK => "block",
            libc::S_IFSOCK => "socket",
            _ => return None,
        })
    }

    /// Whether this process may do what the permission bits of the owner, shifted to others' place,
    /// say: 4 read, 2 write, 1 execute.
    fn permits(&self, wanted: u32) -> bool {
        // SAFETY: asking who the process is has no preconditions.
        let (user, group) = unsafe { (libc::getuid(), libc::getgid()) };
        let shift = if self.field("uid") == user as i64 {
            6
        } else if self.field("gid") == group as i64 {
            3
        } else {
            0
        };
        let wanted = wanted << shift;
        self.mode() & wanted == wanted
    }

    /// The fields by number and by name.
    pub(crate) fn to_array(self, vm: &mut Vm) -> Value {
        let mut result = new_list(vm, 26);
        let array: &mut PhpArray = result.make_mut(vm);
        for (index, value) in self.values.iter().enumerate() {
            array.set_long(index as i64, (*value).into());
        }
        for (name, value) in FIELDS.iter().zip(self.values) {
            array.set_bytes(name.as_bytes(), value.into());
        }
        result.into()
    }
}

/// The status of argument #1 for functions that only say yes or no.
fn quiet(call: &mut Call<'_>, flags: i64) -> PhpResult<Option<Status>> {
    status(
        call.vm,
        call.bytes(0),
        flags | options::STAT_QUIET | options::STAT_CHECKED,
    )
}

fn is_type(call: &mut Call<'_>, kind: u32) -> PhpResult<Value> {
    let found = quiet(call, 0)?;
    Ok(found.is_some_and(|status| status.is(kind)).into())
}

/// What is known of a path, which is none that an archive that runs answers for.
fn known_of_path(vm: &mut Vm, path: &[u8]) -> Option<Status> {
    match path.first() {
        Some(b'/') => known_status(vm, path, false),
        _ => None,
    }
}

direct! {
    fn is_file_directly(vm; path: &[u8]) { Some(known_of_path(vm, path)?.is(libc::S_IFREG)) }
    fn is_dir_directly(vm; path: &[u8]) { Some(known_of_path(vm, path)?.is(libc::S_IFDIR)) }
    fn filesize_directly(vm; path: &[u8]) { Some(known_of_path(vm, path)?.field("size")) }
    fn filemtime_directly(vm; path: &[u8]) { Some(known_of_path(vm, path)?.field("mtime")) }
}

fn file_exists(call: &mut Call<'_>) -> PhpResult<Value> {
    is_permitted(call.vm, call.bytes(0), 0).map(Value::from)
}

fn is_file(call: &mut Call<'_>) -> PhpResult<Value> {
    is_type(call, libc::S_IFREG)
}

fn is_dir(call: &mut Call<'_>) -> PhpResult<Value> {
    is_type(call, libc::S_IFDIR)
}

fn is_link(call: &mut Call<'_>) -> PhpResult<Value> {
    let found = quiet(call, options::STAT_LINK)?;
    Ok(found.is_some_and(|status| status.is(libc::S_IFLNK)).into())
}

/// Whether a file is there and the process may do something with it: 4 read, 2 write, 1 execute.
pub(crate) fn is_permitted(vm: &mut Vm, name: &[u8], wanted: u32) -> PhpResult<bool> {
    let inside = super::wrappers::inside_archive(vm, name);
    let name = inside.as_deref().unwrap_or(name);
    if !matches!(responsible(vm, name, true)?, Responsible::File) {
        let found = status(vm, name, options::STAT_QUIET | options::STAT_CHECKED)?;
        return Ok(found.is_some_and(|status| status.permits(wanted)));
    }
    let function = crate::support::current_function(vm);
    if name.is_empty() || !vm_runtime::limits::directories::is_allowed(vm, name, &function)? {
        return Ok(false);
    }
    use std::os::unix::ffi::OsStrExt;
    let Ok(name) = std::ffi::CString::new(path_to_check(name).as_os_str().as_bytes()) else {
        return Ok(false);
    };
    // SAFETY: the name is zero-terminated.
    Ok(unsafe { libc::access(name.as_ptr(), wanted as i32) } == 0)
}

fn is_readable(call: &mut Call<'_>) -> PhpResult<Value> {
    is_permitted(call.vm, call.bytes(0), 4).map(Value::from)
}

fn is_writable(call: &mut Call<'_>) -> PhpResult<Value> {
    is_permitted(call.vm, call.bytes(0), 2).map(Value::from)
}

fn is_executable(call: &mut Call<'_>) -> PhpResult<Value> {
    is_permitted(call.vm, call.bytes(0), 1).map(Value::from)
}

/// The status of argument #1, or a warning that there is none.
fn known(call: &mut Call<'_>, flags: i64) -> PhpResult<Option<Status>> {
    let name = call.bytes(0);
    if memchr::memchr(0, name).is_some() {
        call.vm.function_warning("Filename contains null byte");
        call.vm.check()?;
        return Ok(None);
    }
    let found = status(call.vm, name, flags | options::STAT_CHECKED)?;
    if found.is_none()
        && !name.is_empty()
        && vm_runtime::limits::directories::lies_within(call.vm, name)
    {
        let function = call.function().display_name();
        let what = match flags & options::STAT_LINK {
            0 => "stat",
            _ => "Lstat",
        };
        let file = vm_runtime::message::text(name).into_owned();
        call.vm
            .warning(format!("{function}(): {what} failed for {file}"));
        call.vm.check()?;
    }
    Ok(found)
}

fn number(call: &mut Call<'_>, field: &str) -> PhpResult<Value> {
    let found = known(call, 0)?;
    Ok(found.map_or(Value::from(false), |status| status.field(field).into()))
}

fn filesize(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, "size")
}

fn filemtime(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, "mtime")
}

fn fileatime(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, "atime")
}

fn filectime(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, "ctime")
}

fn fileperms(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, "mode")
}

fn fileinode(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, "ino")
}

fn fileowner(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, "uid")
}

fn filegroup(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, "gid")
}

fn filetype(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(status) = known(call, options::STAT_LINK)? else {
        return Ok(false.into());
    };
    match status.type_name() {
        Some(name) => text(call.vm, name),
        None => {
            let kind = status.mode() & libc::S_IFMT;
            call.vm
                .function_notice(format!("Unknown file type ({kind})"));
            text(call.vm, "unknown")
        }
    }
}

fn stat(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(match known(call, 0)? {
        Some(status) => status.to_array(call.vm),
        None => false.into(),
    })
}

fn lstat(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(match known(call, options::STAT_LINK)? {
        Some(status) => status.to_array(call.vm),
        None => false.into(),
    })
}

fn fstat(call: &mut Call<'_>) -> PhpResult<Value> {
    let found = stream(call, 0)?.status();
    call.vm.check()?;
    Ok(match found {
        Some(status) => status.to_array(call.vm),
        None => false.into(),
    })
}

impl super::Stream {
    /// What is known of the file behind the stream.
    pub(crate) fn status(&mut self) -> Option<Status> {
        if let Backend::User(user) = &mut self.backend {
            return user.status();
        }
        if let Backend::Channel(channel) = &self.backend
            && let Some(status) = channel.status()
        {
            return Some(status);
        }
        if let Some(file) = self.file() {
            return file.metadata().ok().as_ref().map(Status::of);
        }
        self.length()
            .filter(|_| self.kind != "Input")
            .map(|length| Status::of_memory(length, self.writable || self.kind == "RFC2397"))
    }
}

fn clearstatcache(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 1)?;
    super::known_status::forget_status(call.vm);
    if call.bool(0) {
        let name = call.bytes(1);
        let name = (!name.is_empty()).then_some(name);
        call.vm.forget_real_paths(name);
    }
    Ok(Value::NULL)
}
