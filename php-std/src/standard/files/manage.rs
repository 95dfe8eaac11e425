//! Changing the file system: `unlink`, `rename`, `mkdir`, ...

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};

use vm_runtime::function::Call;
use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::context::context_argument;
use super::known_status::{forget_relative_status, forget_status};
use super::open::{check_path, create_temporary, path};
use super::wrappers::{
    Change, Request, Responsible, open_request, operate, options, responsible, status,
};
use crate::standard::info::temporary_folder;
use crate::support::{functions, random_range, text};
use vm_runtime::limits::directories::is_allowed;

functions! {
    "unlink(string $filename, $context = null): bool" => unlink,
    "rename(path $from, path $to, $context = null): bool" => rename,
    "copy(path $from, path $to, $context = null): bool" => copy,
    "mkdir(path $directory, int $permissions = 0777, bool $recursive = false, $context = null): bool" => mkdir,
    "rmdir(string $directory, $context = null): bool" => rmdir,
    "touch(path $filename, ?int $mtime = null, ?int $atime = null): bool" => touch,
    "chmod(path $filename, int $permissions): bool" => chmod,
    "chown(path $filename, string|int $user): bool" => chown,
    "chgrp(path $filename, string|int $group): bool" => chgrp,
    "lchown(path $filename, string|int $user): bool" => lchown,
    "lchgrp(path $filename, string|int $group): bool" => lchgrp,
    "umask(?int $mask = null): int" => umask,
    "symlink(path $target, string $link): bool" => symlink,
    "link(path $target, string $link): bool" => link,
    "readlink(string $path): string|false" => readlink,
    "linkinfo(string $path): int|false" => linkinfo,
    "ftok(path $filename, string $project_id): int" => ftok,
    "tempnam(path $directory, string $prefix): string|false" => tempnam,
    "getcwd(): string|false" => getcwd,
    "chdir(string $directory): bool" => chdir,
    "chroot(string $directory): bool" => chroot,
    "disk_free_space(string $directory): float|false" => disk_free_space,
    "diskfreespace(string $directory): float|false" => disk_free_space,
    "disk_total_space(string $directory): float|false" => disk_total_space,
}

/// `true`, or `false` after a warning that says why, with `introduction` before it.
fn done_as(call: &mut Call<'_>, outcome: io::Result<()>, introduction: &str) -> PhpResult<Value> {
    let Err(error) = outcome else {
        return Ok(true.into());
    };
    let reason = os_error_text(&error);
    call.vm.function_warning(format!("{introduction}{reason}"));
    call.vm.check()?;
    Ok(false.into())
}

/// `true`, or `false` after a warning that shows `subject`.
fn done(call: &mut Call<'_>, outcome: io::Result<()>, subject: &[&[u8]]) -> PhpResult<Value> {
    let Err(error) = outcome else {
        // What has a name now had another one, or has none any more.
        if !subject.is_empty() {
            call.vm.forget_real_paths(None);
            forget_status(call.vm);
        }
        return Ok(true.into());
    };
    let name = call.function().display_name();
    let subject: Vec<_> = subject
        .iter()
        .map(|part| vm_runtime::message::text(part))
        .collect();
    call.vm.warning(format!(
        "{name}({}): {}",
        subject.join(","),
        os_error_text(&error)
    ));
    call.vm.check()?;
    Ok(false.into())
}

/// Forgets what is known of files if what `stat()` says of one has changed.
fn note_change(call: &mut Call<'_>, outcome: &io::Result<()>) {
    if outcome.is_ok() {
        forget_status(call.vm);
    }
}

/// Who is responsible for argument #1, if not the system: what was done instead. `None` for a file,
/// which the setting `open_basedir` lets the script at (otherwise that, too, is done with).
fn elsewhere(
    call: &mut Call<'_>,
    context: Option<&Value>,
    method: &str,
    arguments: Vec<Value>,
    refusal: Option<&str>,
) -> PhpResult<Option<Value>> {
    match responsible(call.vm, call.bytes(0), true)? {
        Responsible::User(_) => {
            forget_status(call.vm);
            operate(call, context, method, arguments)
        }
        Responsible::Native(wrapper) => {
            forget_status(call.vm);
            let name = call.bytes(0);
            let change = match method {
                "unlink" => Some(Change::Unlink(name)),
                "mkdir" => Some(Change::MakeDirectory {
                    name,
                    is_deep: call.bool(2),
                }),
                "rmdir" => Some(Change::RemoveDirectory(name)),
                _ => None,
            };
            if let Some(change) = change
                && let Some(done) = wrapper.change(call.vm, change)?
            {
                return Ok(Some(done.into()));
            }
            if let Some(refusal) = refusal {
                let label = wrapper.label();
                call.vm.function_warning(format!("{label} {refusal}"));
                call.vm.check()?;
            }
            Ok(Some(false.into()))
        }
        Responsible::File => {
            let name = call.function().display_name();
            let allowed = is_allowed(call.vm, call.bytes(0), &name)?;
            Ok((!allowed).then(|| false.into()))
        }
    }
}

fn unlink(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let (context, arguments) = (context_argument(call, 1)?, vec![call.value(0)]);
    let refusal = Some("does not allow unlinking");
    if let Some(done) = elsewhere(call, Some(&context), "unlink", arguments, refusal)? {
        return Ok(done);
    }
    let name = call.bytes(0);
    let target = path(name);
    let outcome = match std::fs::symlink_metadata(&target) {
        Ok(metadata) if metadata.is_dir() => Err(io::Error::from_raw_os_error(libc::EISDIR)),
        _ => std::fs::remove_file(target),
    };
    done(call, outcome, &[name])
}

fn rename(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    check_path(call, 1)?;
    let context = context_argument(call, 2)?;
    let (from, to) = (call.bytes(0), call.bytes(1));
    let source = responsible(call.vm, from, true)?;
    if let Responsible::Native(wrapper) = source {
        if wrapper.can_change() && !source.is_same(&responsible(call.vm, to, false)?) {
            call.vm
                .function_warning("Cannot rename a file across wrapper types");
            return Ok(false.into());
        }
        if let Some(done) = wrapper.change(call.vm, Change::Rename(from, to))? {
            return Ok(done.into());
        }
        let label = wrapper.label();
        call.vm
            .function_warning(format!("{label} wrapper does not support renaming"));
        return Ok(false.into());
    }
    if !source.is_same(&responsible(call.vm, to, false)?) {
        call.vm
            .function_warning("Cannot rename a file across wrapper types");
        return Ok(false.into());
    }
    let arguments = vec![call.value(0), call.value(1)];
    if let Some(done) = elsewhere(call, Some(&context), "rename", arguments, None)? {
        return Ok(done);
    }
    if !is_allowed(call.vm, to, "rename")? {
        return Ok(false.into());
    }
    let mut outcome = std::fs::rename(path(from), path(to));
    if let Err(error) = &outcome
        && error.raw_os_error() == Some(libc::EXDEV)
    {
        // To another file system: copied, then removed.
        outcome = limits::copy_file(&path(from), &path(to))
            .and_then(|()| std::fs::remove_file(path(from)));
    }
    done(call, outcome, &[from, to])
}

fn copy(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    check_path(call, 1)?;
    let context = context_argument(call, 2)?;
    let (from, to) = (call.bytes(0), call.bytes(1));
    for (name, which, flags) in [(from, "first", 0), (to, "second", options::STAT_QUIET)] {
        let found = status(call.vm, name, flags)?;
        if found.is_none() {
            // What is not known may be opened all the same.
            break;
        }
        if found.is_some_and(|status| status.is(libc::S_IFDIR)) {
            call.vm.function_warning(format!(
                "The {which} argument to copy() function cannot be a directory"
            ));
            return Ok(false.into());
        }
    }
    if is_same_file(from, to) {
        return Ok(false.into());
    }
    let request = |name, mode| Request {
        name,
        mode,
        options: 0,
        context: Some(&context),
        function: "copy",
    };
    let Some(mut source) = open_request(call.vm, &request(from, b"rb"))? else {
        return Ok(false.into());
    };
    let Some(mut target) = open_request(call.vm, &request(to, b"wb"))? else {
        return Ok(false.into());
    };
    if !target.writable {
        call.vm.function_notice("Stream is not writable");
        return Ok(false.into());
    }
    loop {
        let copied = match source.read_piece() {
            Ok(Some(piece)) => target.write(call.vm, &piece).is_ok(),
            Ok(None) => return Ok((!source.has_failed()).into()),
            Err(_) => false,
        };
        call.vm.check()?;
        if !copied {
            return Ok(false.into());
        }
    }
}

/// True if two names are one file.
fn is_same_file(one: &[u8], other: &[u8]) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |name| {
        let metadata = std::fs::metadata(path(name)).ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    identity(one).is_some_and(|found| identity(other) == Some(found))
}

fn mkdir(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let context = context_argument(call, 3)?;
    let (mode, recursive) = (call.long(1), call.bool(2));
    let flags = options::REPORT_ERRORS | recursive as i64;
    let arguments = vec![call.value(0), mode.into(), flags.into()];
    if let Some(done) = elsewhere(call, Some(&context), "mkdir", arguments, None)? {
        return Ok(done);
    }
    let target = path(call.bytes(0));
    let outcome = if recursive && target.exists() {
        Err(io::Error::from_raw_os_error(libc::EEXIST))
    } else {
        std::fs::DirBuilder::new()
            .mode(mode as u32)
            .recursive(recursive)
            .create(target)
    };
    done(call, outcome, &[])
}

fn rmdir(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let context = context_argument(call, 1)?;
    let arguments = vec![call.value(0), options::REPORT_ERRORS.into()];
    if let Some(done) = elsewhere(call, Some(&context), "rmdir", arguments, None)? {
        return Ok(done);
    }
    let name = call.bytes(0);
    let outcome = std::fs::remove_dir(path(name));
    done(call, outcome, &[name])
}

/// What `stream_metadata()` of a wrapper's class is asked to change.
mod metadata {
    pub(super) const TOUCH: i64 = 1;
    pub(super) const OWNER_NAME: i64 = 2;
    pub(super) const OWNER: i64 = 3;
    pub(super) const GROUP_NAME: i64 = 4;
    pub(super) const GROUP: i64 = 5;
    pub(super) const ACCESS: i64 = 6;
}

/// As [`elsewhere`], for what `stream_metadata()` does.
fn change_elsewhere(call: &mut Call<'_>, option: i64, value: Value) -> PhpResult<Option<Value>> {
    if let Responsible::Native(_) = responsible(call.vm, call.bytes(0), false)? {
        let name = call.function().display_name();
        // Without a time the file is only to be there.
        if name != "touch" || call.has(1) {
            call.vm
                .function_warning(format!("Cannot call {name}() for a non-standard stream"));
            return Ok(Some(false.into()));
        }
        let request = Request {
            name: call.bytes(0),
            mode: b"c",
            options: options::REPORT_ERRORS,
            context: None,
            function: "touch",
        };
        return Ok(Some(open_request(call.vm, &request)?.is_some().into()));
    }
    let arguments = vec![call.value(0), option.into(), value];
    elsewhere(call, None, "stream_metadata", arguments, None)
}

fn touch(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let name = call.bytes(0);
    if name.is_empty() {
        return Ok(false.into());
    }
    let modified = call.optional_long(1);
    if call.has(2) && modified.is_none() {
        return Err(call.value_error(1, "cannot be null when argument #3 ($atime) is an integer"));
    }
    let accessed = call.optional_long(2).or(modified);
    let times = modified
        .into_iter()
        .chain(accessed.filter(|_| modified.is_some()));
    let times = crate::support::list(call.vm, times.map(Value::from));
    if let Some(done) = change_elsewhere(call, metadata::TOUCH, times)? {
        return Ok(done);
    }
    let target = path(name);
    if !target.exists()
        && let Err(error) = std::fs::File::create(&target)
    {
        let name = vm_runtime::message::text(name).into_owned();
        call.vm.warning(format!(
            "touch(): Unable to create file {name} because {}",
            os_error_text(&error)
        ));
        return Ok(false.into());
    }
    let time = |seconds: Option<i64>| libc::timespec {
        tv_sec: seconds.unwrap_or(0),
        tv_nsec: if seconds.is_some() {
            0
        } else {
            libc::UTIME_NOW
        },
    };
    let times = [time(accessed), time(modified)];
    let Ok(name) = CString::new(target.as_os_str().as_bytes()) else {
        return Ok(false.into());
    };
    // SAFETY: the name is zero-terminated; two times are passed.
    let changed = unsafe { libc::utimensat(libc::AT_FDCWD, name.as_ptr(), times.as_ptr(), 0) } == 0;
    let outcome = match changed {
        true => Ok(()),
        false => Err(io::Error::last_os_error()),
    };
    note_change(call, &outcome);
    done_as(call, outcome, "Utime failed: ")
}

fn chmod(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let mode = call.value(1);
    if let Some(done) = change_elsewhere(call, metadata::ACCESS, mode)? {
        return Ok(done);
    }
    let permissions = std::fs::Permissions::from_mode(call.long(1) as u32);
    let outcome = std::fs::set_permissions(path(call.bytes(0)), permissions);
    note_change(call, &outcome);
    done(call, outcome, &[])
}

/// Whose a file is to be: an argument that is a number or a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Party {
    User,
    Group,
}

impl Party {
    /// The number behind a name, if the system knows it.
    fn number(self, name: &[u8]) -> Option<u32> {
        let name = CString::new(name).ok()?;
        // SAFETY: the name is zero-terminated; what is found is read before the next look-up.
        unsafe {
            match self {
                Party::User => libc::getpwnam(name.as_ptr())
                    .as_ref()
                    .map(|user| user.pw_uid),
                Party::Group => libc::getgrnam(name.as_ptr())
                    .as_ref()
                    .map(|group| group.gr_gid),
            }
        }
    }
}

/// `chown`, `chgrp`, and with `links` their forms for links themselves.
fn change_owner(call: &mut Call<'_>, party: Party, links: bool) -> PhpResult<Value> {
    check_path(call, 0)?;
    let given = call.value(1);
    let is_name = given.as_zval().kind() == vm_runtime::value::STRING;
    let option = match (party, is_name) {
        (Party::User, true) => metadata::OWNER_NAME,
        (Party::User, false) => metadata::OWNER,
        (Party::Group, true) => metadata::GROUP_NAME,
        (Party::Group, false) => metadata::GROUP,
    };
    if let Some(done) = change_elsewhere(call, option, given.clone())? {
        return Ok(done);
    }
    let number = if is_name {
        let name = call.bytes(1);
        let Some(number) = party.number(name) else {
            let kind = if party == Party::User { "uid" } else { "gid" };
            let name = vm_runtime::message::text(name).into_owned();
            call.vm
                .function_warning(format!("Unable to find {kind} for {name}"));
            return Ok(false.into());
        };
        number
    } else {
        call.long(1) as u32
    };
    let (user, group) = match party {
        Party::User => (Some(number), None),
        Party::Group => (None, Some(number)),
    };
    let target = path(call.bytes(0));
    let outcome = match links {
        true => std::os::unix::fs::lchown(target, user, group),
        false => std::os::unix::fs::chown(target, user, group),
    };
    note_change(call, &outcome);
    done(call, outcome, &[])
}

fn chown(call: &mut Call<'_>) -> PhpResult<Value> {
    change_owner(call, Party::User, false)
}

fn chgrp(call: &mut Call<'_>) -> PhpResult<Value> {
    change_owner(call, Party::Group, false)
}

fn lchown(call: &mut Call<'_>) -> PhpResult<Value> {
    change_owner(call, Party::User, true)
}

fn lchgrp(call: &mut Call<'_>) -> PhpResult<Value> {
    change_owner(call, Party::Group, true)
}

fn umask(call: &mut Call<'_>) -> PhpResult<Value> {
    let wanted = call.optional_long(0).map(|mask| mask as u32 & 0o777);
    Ok(i64::from(file_mask(wanted)).into())
}

/// The permissions that new files do not get; sets others if they are given.
pub(crate) fn file_mask(wanted: Option<u32>) -> u32 {
    // SAFETY: changing the mask has no preconditions; it is put back if none was given.
    unsafe {
        let old = libc::umask(0o77);
        libc::umask(wanted.unwrap_or(old));
        old
    }
}

/// Whether paths hold no zero byte and lie where the setting `open_basedir` lets the script at.
fn may_use(call: &mut Call<'_>, indexes: &[usize]) -> PhpResult<bool> {
    for &index in indexes {
        check_path(call, index)?;
        let name = call.function().display_name();
        if !is_allowed(call.vm, call.bytes(index), &name)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn symlink(call: &mut Call<'_>) -> PhpResult<Value> {
    if !may_use(call, &[0, 1])? {
        return Ok(false.into());
    }
    let outcome = std::os::unix::fs::symlink(path(call.bytes(0)), path(call.bytes(1)));
    done(call, outcome, &[])
}

fn link(call: &mut Call<'_>) -> PhpResult<Value> {
    if !may_use(call, &[0, 1])? {
        return Ok(false.into());
    }
    let outcome = std::fs::hard_link(path(call.bytes(0)), path(call.bytes(1)));
    done(call, outcome, &[])
}

fn readlink(call: &mut Call<'_>) -> PhpResult<Value> {
    if !may_use(call, &[0])? {
        return Ok(false.into());
    }
    match std::fs::read_link(path(call.bytes(0))) {
        Ok(target) => text(call.vm, target.as_os_str().as_bytes()),
        Err(error) => done(call, Err(error), &[]),
    }
}

/// The key of a file for what processes share: of the letter, and of the numbers of its device and of itself.
fn ftok(call: &mut Call<'_>) -> PhpResult<Value> {
    let (name, project) = (call.bytes(0), call.bytes(1));
    check_path(call, 0)?;
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let &[letter] = project else {
        return Err(call.value_error(1, "must be a single character"));
    };
    if !is_allowed(call.vm, name, "ftok")? {
        return Ok((-1i64).into());
    }
    match std::fs::metadata(path(name)) {
        Ok(status) => {
            let device = std::os::unix::fs::MetadataExt::dev(&status) as u32 & 0xff;
            let file = std::os::unix::fs::MetadataExt::ino(&status) as u32 & 0xffff;
            let key = u32::from(letter) << 24 | device << 16 | file;
            Ok(i64::from(key as i32).into())
        }
        Err(error) => {
            let problem = os_error_text(&error);
            call.vm
                .function_warning(format!("ftok() failed - {problem}"));
            call.vm.check()?;
            Ok((-1i64).into())
        }
    }
}

fn linkinfo(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let name = call.bytes(0);
    let directory = super::path::parent(name);
    if !is_allowed(call.vm, directory, "linkinfo")? {
        return Ok((-1i64).into());
    }
    match std::fs::symlink_metadata(path(name)) {
        Ok(status) => Ok((std::os::unix::fs::MetadataExt::dev(&status) as i64).into()),
        Err(error) => {
            call.vm.function_warning(os_error_text(&error));
            call.vm.check()?;
            Ok((-1i64).into())
        }
    }
}

fn tempnam(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 1)?;
    if !may_use(call, &[0])? {
        return Ok(false.into());
    }
    let prefix = super::path::base_name(call.bytes(1));
    // Chance that does not only come from the system's function.
    let mut prefix = prefix[..prefix.len().min(63)].to_vec();
    for _ in 0..13 {
        let digit = random_range(call.vm, 0, 31) as u8;
        prefix.push(b"0123456789abcdefghijklmnopqrstuv"[usize::from(digit)]);
    }
    let general = temporary_folder(call.vm);
    let directory = match call.bytes(0) {
        [] => &general,
        directory => directory,
    };
    let created = create_temporary(&path(directory), &prefix);
    let created = match created {
        Ok(created) => Ok(created),
        Err(_) => {
            call.vm
                .notice("tempnam(): file created in the system's temporary directory");
            call.vm.check()?;
            create_temporary(&path(&general), &prefix)
        }
    };
    match created {
        Ok((_, path)) => text(call.vm, path.as_os_str().as_bytes()),
        Err(_) => Ok(false.into()),
    }
}

fn getcwd(call: &mut Call<'_>) -> PhpResult<Value> {
    match std::env::current_dir() {
        Ok(directory) => text(call.vm, directory.as_os_str().as_bytes()),
        Err(_) => Ok(false.into()),
    }
}

fn chdir(call: &mut Call<'_>) -> PhpResult<Value> {
    if !may_use(call, &[0])? {
        return Ok(false.into());
    }
    let outcome = std::env::set_current_dir(path(call.bytes(0)));
    if outcome.is_ok() {
        forget_relative_status(call.vm);
    }
    done_with_number(call, outcome)
}

/// `true`, or `false` after a warning with the error and its number.
fn done_with_number(call: &mut Call<'_>, outcome: io::Result<()>) -> PhpResult<Value> {
    let Err(error) = outcome else {
        return Ok(true.into());
    };
    let number = error.raw_os_error().unwrap_or(0);
    let problem = os_error_text(&error);
    call.vm
        .function_warning(format!("{problem} (errno {number})"));
    Ok(false.into())
}

fn chroot(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let outcome = std::os::unix::fs::chroot(path(call.bytes(0)));
    let outcome = outcome.and_then(|()| std::env::set_current_dir("/"));
    note_change(call, &outcome);
    done_with_number(call, outcome)
}

fn space(call: &mut Call<'_>, of: impl Fn(&libc::statvfs) -> u64) -> PhpResult<Value> {
    if !may_use(call, &[0])? {
        return Ok(false.into());
    }
    if call.bytes(0).is_empty() {
        return Ok(false.into());
    }
    let Ok(name) = CString::new(call.bytes(0)) else {
        return Ok(false.into());
    };
    // SAFETY: the name is zero-terminated; the result is read only if it was written.
    unsafe {
        let mut found: libc::statvfs = std::mem::zeroed();
        if libc::statvfs(name.as_ptr(), &mut found) != 0 {
            return done(call, Err(io::Error::last_os_error()), &[]);
        }
        Ok((of(&found) as f64 * found.f_frsize as f64).into())
    }
}

fn disk_free_space(call: &mut Call<'_>) -> PhpResult<Value> {
    space(call, |found| found.f_bavail)
}

fn disk_total_space(call: &mut Call<'_>) -> PhpResult<Value> {
    space(call, |found| found.f_blocks)
}
