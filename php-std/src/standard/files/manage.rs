//! Changing the file system: `unlink`, `rename`, `mkdir`, ...

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};

use vm_runtime::function::Call;
use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::open::{check_path, create_temporary, open, path};
use super::user_wrapper;
use crate::support::{functions, text};

functions! {
    "unlink(string $filename, $context = null): bool" => unlink,
    "rename(string $from, string $to, $context = null): bool" => rename,
    "copy(string $from, string $to, $context = null): bool" => copy,
    "mkdir(string $directory, int $permissions = 0777, bool $recursive = false, $context = null): bool" => mkdir,
    "rmdir(string $directory, $context = null): bool" => rmdir,
    "touch(string $filename, ?int $mtime = null, ?int $atime = null): bool" => touch,
    "chmod(string $filename, int $permissions): bool" => chmod,
    "umask(?int $mask = null): int" => umask,
    "symlink(string $target, string $link): bool" => symlink,
    "link(string $target, string $link): bool" => link,
    "readlink(string $path): string|false" => readlink,
    "tempnam(string $directory, string $prefix): string|false" => tempnam,
    "getcwd(): string|false" => getcwd,
    "chdir(string $directory): bool" => chdir,
    "disk_free_space(string $directory): float|false" => disk_free_space,
    "diskfreespace(string $directory): float|false" => disk_free_space,
    "disk_total_space(string $directory): float|false" => disk_total_space,
}

/// `true`, or `false` after a warning that shows `subject`.
fn done(call: &mut Call<'_>, outcome: io::Result<()>, subject: &[&[u8]]) -> PhpResult<Value> {
    let Err(error) = outcome else {
        return Ok(true.into());
    };
    let name = call.function().display_name();
    let subject: Vec<_> = subject
        .iter()
        .map(|part| String::from_utf8_lossy(part))
        .collect();
    call.vm.warning(format!(
        "{name}({}): {}",
        subject.join(","),
        os_error_text(&error)
    ));
    call.vm.check()?;
    Ok(false.into())
}

fn unlink(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let arguments = vec![call.value(0)];
    if let Some(done) = user_wrapper::operate(call, "unlink", arguments)? {
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
    let arguments = vec![call.value(0), call.value(1)];
    if let Some(done) = user_wrapper::operate(call, "rename", arguments)? {
        return Ok(done);
    }
    let (from, to) = (call.bytes(0), call.bytes(1));
    let outcome = std::fs::rename(path(from), path(to));
    done(call, outcome, &[from, to])
}

fn copy(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    check_path(call, 1)?;
    let (from, to) = (call.bytes(0), call.bytes(1));
    if path(from).is_dir() {
        call.vm
            .warning("copy(): The first argument to copy() function cannot be a directory");
        return Ok(false.into());
    }
    let Some(mut source) = open(call.vm, from, b"rb")? else {
        return Ok(false.into());
    };
    if path(to).is_dir() {
        call.vm
            .warning("copy(): The second argument to copy() function cannot be a directory");
        return Ok(false.into());
    }
    let Some(mut target) = open(call.vm, to, b"wb")? else {
        return Ok(false.into());
    };
    let copied = source
        .read_all()
        .and_then(|contents| target.write(call.vm, &contents));
    Ok(copied.is_ok().into())
}

fn mkdir(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let (mode, recursive) = (call.long(1), call.bool(2));
    let options = user_wrapper::REPORT_ERRORS | recursive as i64;
    let arguments = vec![call.value(0), mode.into(), options.into()];
    if let Some(done) = user_wrapper::operate(call, "mkdir", arguments)? {
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
    let arguments = vec![call.value(0), user_wrapper::REPORT_ERRORS.into()];
    if let Some(done) = user_wrapper::operate(call, "rmdir", arguments)? {
        return Ok(done);
    }
    let name = call.bytes(0);
    let outcome = std::fs::remove_dir(path(name));
    done(call, outcome, &[name])
}

fn touch(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let name = call.bytes(0);
    let modified = call.optional_long(1);
    if call.has(2) && modified.is_none() {
        return Err(call.value_error(1, "cannot be null when argument #3 ($atime) is an integer"));
    }
    let accessed = call.optional_long(2).or(modified);
    let target = path(name);
    if !target.exists()
        && let Err(error) = std::fs::File::create(&target)
    {
        let name = String::from_utf8_lossy(name).into_owned();
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
    Ok(changed.into())
}

fn chmod(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let permissions = std::fs::Permissions::from_mode(call.long(1) as u32);
    let outcome = std::fs::set_permissions(path(call.bytes(0)), permissions);
    done(call, outcome, &[])
}

fn umask(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: changing the mask has no preconditions; it is put back if none was given.
    unsafe {
        let old = libc::umask(0o77);
        libc::umask(
            call.optional_long(0)
                .map_or(old, |mask| mask as u32 & 0o777),
        );
        Ok((old as i64).into())
    }
}

fn symlink(call: &mut Call<'_>) -> PhpResult<Value> {
    let outcome = std::os::unix::fs::symlink(path(call.bytes(0)), path(call.bytes(1)));
    done(call, outcome, &[])
}

fn link(call: &mut Call<'_>) -> PhpResult<Value> {
    let outcome = std::fs::hard_link(path(call.bytes(0)), path(call.bytes(1)));
    done(call, outcome, &[])
}

fn readlink(call: &mut Call<'_>) -> PhpResult<Value> {
    match std::fs::read_link(path(call.bytes(0))) {
        Ok(target) => text(call.vm, target.as_os_str().as_bytes()),
        Err(error) => done(call, Err(error), &[]),
    }
}

fn tempnam(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    check_path(call, 1)?;
    let prefix = super::path::base_name(call.bytes(1));
    let directory = call.bytes(0);
    let created = if directory.is_empty() {
        create_temporary(&std::env::temp_dir(), prefix)
    } else {
        create_temporary(&path(directory), prefix)
    };
    let created = match created {
        Ok(created) => Ok(created),
        Err(_) => {
            call.vm
                .notice("tempnam(): file created in the system's temporary directory");
            call.vm.check()?;
            create_temporary(&std::env::temp_dir(), prefix)
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
    check_path(call, 0)?;
    match std::env::set_current_dir(path(call.bytes(0))) {
        Ok(()) => Ok(true.into()),
        Err(error) => {
            let number = error.raw_os_error().unwrap_or(0);
            call.vm.warning(format!(
                "chdir(): {} (errno {number})",
                os_error_text(&error)
            ));
            Ok(false.into())
        }
    }
}

fn space(call: &mut Call<'_>, of: impl Fn(&libc::statvfs) -> u64) -> PhpResult<Value> {
    check_path(call, 0)?;
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
