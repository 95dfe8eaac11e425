//! The functions and constants of the extension.

use vm_runtime::class::method;
use vm_runtime::function::NativeDefinition;

use super::{
    as_somebody_else, descriptor_setting, done, get_limits, group, groups, is_terminal, login,
    make_node, note, number, owned, path, path_setting, set_limit, state, terminal_name, times,
    uname, user,
};
use crate::support::text;

/// The functions.
pub(super) static FUNCTIONS: &[NativeDefinition] = &[
    method("posix_kill(int $process_id, int $signal): bool", |call| {
        // SAFETY: the system checks the numbers.
        let outcome = unsafe { libc::kill(call.long(0) as i32, call.long(1) as i32) };
        // It may have been for this process.
        call.vm.run_signals()?;
        done(call.vm, outcome)
    }),
    method("posix_getpid(): int", |_| {
        // SAFETY: the call has no arguments.
        Ok(i64::from(unsafe { libc::getpid() }).into())
    }),
    method("posix_getppid(): int", |_| {
        // SAFETY: the call has no arguments.
        Ok(i64::from(unsafe { libc::getppid() }).into())
    }),
    method("posix_getuid(): int", |_| {
        // SAFETY: the call has no arguments.
        Ok(i64::from(unsafe { libc::getuid() }).into())
    }),
    method("posix_setuid(int $user_id): bool", |call| {
        // SAFETY: the system checks the number.
        let outcome = unsafe { libc::setuid(call.long(0) as libc::uid_t) };
        as_somebody_else(call.vm, outcome)
    }),
    method("posix_geteuid(): int", |_| {
        // SAFETY: the call has no arguments.
        Ok(i64::from(unsafe { libc::geteuid() }).into())
    }),
    method("posix_seteuid(int $user_id): bool", |call| {
        // SAFETY: the system checks the number.
        let outcome = unsafe { libc::seteuid(call.long(0) as libc::uid_t) };
        as_somebody_else(call.vm, outcome)
    }),
    method("posix_getgid(): int", |_| {
        // SAFETY: the call has no arguments.
        Ok(i64::from(unsafe { libc::getgid() }).into())
    }),
    method("posix_setgid(int $group_id): bool", |call| {
        // SAFETY: the system checks the number.
        let outcome = unsafe { libc::setgid(call.long(0) as libc::gid_t) };
        as_somebody_else(call.vm, outcome)
    }),
    method("posix_getegid(): int", |_| {
        // SAFETY: the call has no arguments.
        Ok(i64::from(unsafe { libc::getegid() }).into())
    }),
    method("posix_setegid(int $group_id): bool", |call| {
        // SAFETY: the system checks the number.
        let outcome = unsafe { libc::setegid(call.long(0) as libc::gid_t) };
        as_somebody_else(call.vm, outcome)
    }),
    method("posix_getgroups(): array|false", groups),
    method("posix_getlogin(): string|false", login),
    method("posix_getpgrp(): int", |_| {
        // SAFETY: the call has no arguments.
        Ok(i64::from(unsafe { libc::getpgrp() }).into())
    }),
    method("posix_setsid(): int", |_| {
        // SAFETY: the call has no arguments.
        Ok(i64::from(unsafe { libc::setsid() }).into())
    }),
    method(
        "posix_setpgid(int $process_id, int $process_group_id): bool",
        |call| {
            // SAFETY: the system checks the numbers.
            let outcome = unsafe { libc::setpgid(call.long(0) as i32, call.long(1) as i32) };
            done(call.vm, outcome)
        },
    ),
    method("posix_getpgid(int $process_id): int|false", |call| {
        // SAFETY: the system checks the number.
        let group = unsafe { libc::getpgid(call.long(0) as i32) };
        number(call.vm, i64::from(group))
    }),
    method("posix_getsid(int $process_id): int|false", |call| {
        // SAFETY: the system checks the number.
        let session = unsafe { libc::getsid(call.long(0) as i32) };
        number(call.vm, i64::from(session))
    }),
    method("posix_uname(): array|false", uname),
    method("posix_times(): array|false", times),
    method("posix_ctermid(): string|false", |call| {
        text(call.vm, "/dev/tty")
    }),
    method(
        "posix_ttyname($file_descriptor): string|false",
        terminal_name,
    ),
    method("posix_isatty($file_descriptor): bool", is_terminal),
    method(
        "posix_getcwd(): string|false",
        |call| match std::env::current_dir() {
            Ok(folder) => text(call.vm, folder.as_os_str().as_encoded_bytes()),
            Err(_) => {
                note(call.vm);
                Ok(false.into())
            }
        },
    ),
    method(
        "posix_mkfifo(path $filename, int $permissions): bool",
        |call| {
            let path = path(call, 0)?;
            // SAFETY: the path ends with NUL.
            let outcome = unsafe { libc::mkfifo(path.as_ptr(), call.long(1) as libc::mode_t) };
            done(call.vm, outcome)
        },
    ),
    method(
        "posix_mknod(path $filename, int $flags, int $major = 0, int $minor = 0): bool",
        make_node,
    ),
    method(
        "posix_access(path $filename, int $flags = 0): bool",
        |call| {
            let path = path(call, 0)?;
            // SAFETY: the path ends with NUL.
            let outcome = unsafe { libc::access(path.as_ptr(), call.long(1) as i32) };
            done(call.vm, outcome)
        },
    ),
    method(
        "posix_eaccess(path $filename, int $flags = 0): bool",
        |call| {
            let path = path(call, 0)?;
            // A path that is too long once the working directory stands in front counts as none.
            let folder = std::env::current_dir().map_or(0, |folder| folder.as_os_str().len());
            let is_absolute = path.as_bytes().starts_with(b"/");
            let length = path.count_bytes() + if is_absolute { 0 } else { folder + 1 };
            if path.is_empty() || length >= libc::PATH_MAX as usize {
                return Err(call.value_error(0, "must not be empty"));
            }
            // SAFETY: the path ends with NUL.
            let outcome = unsafe { libc::eaccess(path.as_ptr(), call.long(1) as i32) };
            done(call.vm, outcome)
        },
    ),
    method("posix_getgrnam(string $name): array|false", |call| {
        let name = path(call, 0)?;
        // SAFETY: the name ends with NUL; the answer is read at once.
        unsafe { group(call.vm, libc::getgrnam(name.as_ptr())) }
    }),
    method("posix_getgrgid(int $group_id): array|false", |call| {
        // SAFETY: the answer is read at once.
        unsafe { group(call.vm, libc::getgrgid(call.long(0) as libc::gid_t)) }
    }),
    method("posix_getpwnam(string $username): array|false", |call| {
        let name = path(call, 0)?;
        // SAFETY: the name ends with NUL; the answer is read at once.
        unsafe { user(call.vm, libc::getpwnam(name.as_ptr())) }
    }),
    method("posix_getpwuid(int $user_id): array|false", |call| {
        // SAFETY: the answer is read at once.
        unsafe { user(call.vm, libc::getpwuid(call.long(0) as libc::uid_t)) }
    }),
    method(
        "posix_getrlimit(?int $resource = null): array|false",
        get_limits,
    ),
    method(
        "posix_setrlimit(int $resource, int $soft_limit, int $hard_limit): bool",
        set_limit,
    ),
    method("posix_get_last_error(): int", |call| {
        Ok(i64::from(state(call.vm).error).into())
    }),
    method("posix_errno(): int", |call| {
        Ok(i64::from(state(call.vm).error).into())
    }),
    method("posix_strerror(int $error_code): string", |call| {
        // SAFETY: the system gives a text for every number.
        let message = unsafe { owned(libc::strerror(call.long(0) as i32)) };
        text(call.vm, message)
    }),
    method(
        "posix_initgroups(string $username, int $group_id): bool",
        |call| {
            let name = path(call, 0)?;
            // SAFETY: the name ends with NUL.
            let outcome = unsafe { libc::initgroups(name.as_ptr(), call.long(1) as libc::gid_t) };
            call.vm.kept_code.clear();
            Ok((!name.is_empty() && outcome == 0).into())
        },
    ),
    method("posix_sysconf(int $conf_id): int", |call| {
        // SAFETY: the system checks the number.
        Ok(unsafe { libc::sysconf(call.long(0) as i32) }.into())
    }),
    method(
        "posix_pathconf(path $path, int $name): int|false",
        path_setting,
    ),
    method(
        "posix_fpathconf($file_descriptor, int $name): int|false",
        descriptor_setting,
    ),
];

/// The constants, as Linux has them.
pub(super) static CONSTANTS: &[(&str, i64)] = &[
    ("POSIX_F_OK", 0),
    ("POSIX_X_OK", 1),
    ("POSIX_W_OK", 2),
    ("POSIX_R_OK", 4),
    ("POSIX_S_IFREG", 32768),
    ("POSIX_S_IFCHR", 8192),
    ("POSIX_S_IFBLK", 24576),
    ("POSIX_S_IFIFO", 4096),
    ("POSIX_S_IFSOCK", 49152),
    ("POSIX_RLIMIT_AS", 9),
    ("POSIX_RLIMIT_CORE", 4),
    ("POSIX_RLIMIT_CPU", 0),
    ("POSIX_RLIMIT_DATA", 2),
    ("POSIX_RLIMIT_FSIZE", 1),
    ("POSIX_RLIMIT_LOCKS", 10),
    ("POSIX_RLIMIT_MEMLOCK", 8),
    ("POSIX_RLIMIT_MSGQUEUE", 12),
    ("POSIX_RLIMIT_NICE", 13),
    ("POSIX_RLIMIT_NOFILE", 7),
    ("POSIX_RLIMIT_NPROC", 6),
    ("POSIX_RLIMIT_RSS", 5),
    ("POSIX_RLIMIT_RTPRIO", 14),
    ("POSIX_RLIMIT_RTTIME", 15),
    ("POSIX_RLIMIT_SIGPENDING", 11),
    ("POSIX_RLIMIT_STACK", 3),
    ("POSIX_RLIMIT_INFINITY", -1),
    ("POSIX_SC_ARG_MAX", 0),
    ("POSIX_SC_CHILD_MAX", 1),
    ("POSIX_SC_CLK_TCK", 2),
    ("POSIX_SC_PAGESIZE", 30),
    ("POSIX_SC_NPROCESSORS_CONF", 83),
    ("POSIX_SC_NPROCESSORS_ONLN", 84),
    ("POSIX_PC_LINK_MAX", 0),
    ("POSIX_PC_MAX_CANON", 1),
    ("POSIX_PC_MAX_INPUT", 2),
    ("POSIX_PC_NAME_MAX", 3),
    ("POSIX_PC_PATH_MAX", 4),
    ("POSIX_PC_PIPE_BUF", 5),
    ("POSIX_PC_CHOWN_RESTRICTED", 6),
    ("POSIX_PC_NO_TRUNC", 7),
    ("POSIX_PC_ALLOC_SIZE_MIN", 18),
    ("POSIX_PC_SYMLINK_MAX", 19),
];
