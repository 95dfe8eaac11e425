//! The extension `posix`: what the operating system tells of processes, users and files.

mod table;

use std::ffi::{CStr, CString};

use vm_runtime::function::{Call, Type, type_mask};
use vm_runtime::limits;
use vm_runtime::types::{TypeContext, coerce};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{define, list, text};

/// The number of the last error of this extension.
#[derive(Debug, Default)]
struct State {
    error: i32,
}

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(table::FUNCTIONS);
    define(vm, table::CONSTANTS);
}

fn state(vm: &mut Vm) -> &mut State {
    vm.extensions.state()
}

/// `true`, or `false` after noting the system's error.
fn done(vm: &mut Vm, outcome: libc::c_int) -> PhpResult<Value> {
    if outcome >= 0 {
        return Ok(true.into());
    }
    note(vm);
    Ok(false.into())
}

/// As [`done`], for a process that may be somebody else's now: what it could read it is to ask for again.
fn as_somebody_else(vm: &mut Vm, outcome: libc::c_int) -> PhpResult<Value> {
    let result = done(vm, outcome);
    vm.kept_code.clear();
    result
}

/// Notes the system's error.
fn note(vm: &mut Vm) {
    let error = std::io::Error::last_os_error().raw_os_error();
    state(vm).error = error.unwrap_or(0);
}

/// A number, or `false` after noting the system's error.
fn number(vm: &mut Vm, number: i64) -> PhpResult<Value> {
    if number < 0 {
        note(vm);
        return Ok(false.into());
    }
    Ok(number.into())
}

/// A text of the system.
///
/// # Safety
/// `pointer` is null or a text that ends with NUL.
unsafe fn owned(pointer: *const libc::c_char) -> Vec<u8> {
    if pointer.is_null() {
        return Vec::new();
    }
    // SAFETY: by the caller.
    unsafe { CStr::from_ptr(pointer) }.to_bytes().to_vec()
}

/// The path in an argument.
fn path(call: &mut Call<'_>, index: usize) -> PhpResult<CString> {
    match CString::new(call.bytes(index)) {
        Ok(path) => Ok(path),
        Err(_) => Err(call.value_error(index, "must not contain any null bytes")),
    }
}

/// Sets entries of a table that are texts.
fn set_text(vm: &mut Vm, table: &mut vm_runtime::value::ArrayHandle, name: &str, text: Vec<u8>) {
    let text = vm.string(text).into();
    table.make_mut(vm).set_bytes(name.as_bytes(), text);
}

fn uname(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: the system fills the structure, whose fields end with NUL.
    let parts = unsafe {
        let mut names: libc::utsname = std::mem::zeroed();
        libc::uname(&mut names);
        [
            ("sysname", owned(names.sysname.as_ptr())),
            ("nodename", owned(names.nodename.as_ptr())),
            ("release", owned(names.release.as_ptr())),
            ("version", owned(names.version.as_ptr())),
            ("machine", owned(names.machine.as_ptr())),
            ("domainname", owned(names.domainname.as_ptr())),
        ]
    };
    let mut table = call.vm.new_array();
    for (name, part) in parts {
        set_text(call.vm, &mut table, name, part);
    }
    Ok(table.into())
}

fn times(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: the system fills the structure.
    let (ticks, times) = unsafe {
        let mut times: libc::tms = std::mem::zeroed();
        (libc::times(&mut times), times)
    };
    let mut table = call.vm.new_array();
    for (name, value) in [
        ("ticks", ticks),
        ("utime", times.tms_utime),
        ("stime", times.tms_stime),
        ("cutime", times.tms_cutime),
        ("cstime", times.tms_cstime),
    ] {
        table
            .make_mut(call.vm)
            .set_bytes(name.as_bytes(), value.into());
    }
    Ok(table.into())
}

fn groups(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut groups = vec![0; 65536];
    // SAFETY: the buffer holds as many groups as are told.
    let count = unsafe { libc::getgroups(groups.len() as libc::c_int, groups.as_mut_ptr()) };
    let Ok(count) = usize::try_from(count) else {
        note(call.vm);
        return Ok(false.into());
    };
    let groups: Vec<Value> = groups[..count]
        .iter()
        .map(|&group| i64::from(group).into())
        .collect();
    Ok(list(call.vm, groups))
}

/// The descriptor that an argument names: a stream or a number. What is neither is an error if
/// `is_strict`, else a warning; with `tells_range` so is a number that cannot be one.
fn descriptor(call: &mut Call<'_>, is_strict: bool, tells_range: bool) -> PhpResult<Option<i32>> {
    let index = 0;
    let value = call.value(index);
    if matches!(value.view(), ValueKind::Resource(_)) {
        use std::os::fd::AsRawFd;
        let stream = crate::standard::files::stream(call, index)?;
        let descriptor = stream.file().map(AsRawFd::as_raw_fd);
        let kind = stream.kind;
        if descriptor.is_none() {
            call.vm
                .function_warning(format!("Could not use stream of type '{kind}'"));
            call.vm.check()?;
        }
        return Ok(descriptor);
    }
    let mut number = call.value(index);
    if number.is_null() {
        let name = crate::support::current_function(call.vm);
        call.vm.deprecated(format!(
            "{name}(): Passing null to parameter #1 ($file_descriptor) of type int is deprecated"
        ));
        call.vm.check()?;
        number = 0i64.into();
    }
    let int = Type {
        mask: type_mask::LONG,
        classes: Vec::new(),
    };
    let is_number = coerce(
        call.vm,
        number.as_zval_mut(),
        &int,
        false,
        TypeContext::NONE,
    );
    call.vm.check()?;
    if !is_number {
        let kind = vm_runtime::operators::value_name(&value);
        let problem = format!("must be of type int|resource, {kind} given");
        if is_strict {
            return Err(call.type_error(index, &problem));
        }
        call.vm
            .function_warning(format!("Argument #1 ($file_descriptor) {problem}"));
        call.vm.check()?;
        return Ok(None);
    }
    let number = number.to_long(call.vm);
    let descriptor = i32::try_from(number).ok().filter(|&number| number >= 0);
    if descriptor.is_none() {
        if tells_range {
            call.vm.function_warning(
                "Argument #1 ($file_descriptor) must be between 0 and 2147483647",
            );
            call.vm.check()?;
        }
        state(call.vm).error = libc::EBADF;
    }
    Ok(descriptor)
}

fn is_terminal(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(descriptor) = descriptor(call, false, false)? else {
        return Ok(false.into());
    };
    // SAFETY: the system checks the number.
    Ok((unsafe { libc::isatty(descriptor) } == 1).into())
}

fn terminal_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(descriptor) = descriptor(call, false, true)? else {
        return Ok(false.into());
    };
    let mut buffer = [0 as libc::c_char; 1024];
    // SAFETY: the buffer is as long as is told.
    let error = unsafe { libc::ttyname_r(descriptor, buffer.as_mut_ptr(), buffer.len()) };
    if error != 0 {
        state(call.vm).error = error;
        return Ok(false.into());
    }
    // SAFETY: the name ends with NUL.
    let name = unsafe { owned(buffer.as_ptr()) };
    text(call.vm, name)
}

/// A group as a table.
///
/// # Safety
/// `group` is null or what the system gave just now.
unsafe fn group(vm: &mut Vm, group: *const libc::group) -> PhpResult<Value> {
    if group.is_null() {
        note(vm);
        return Ok(false.into());
    }
    // SAFETY: by the caller; the list of members ends with a null pointer.
    let (name, password, members, id) = unsafe {
        let group = &*group;
        let mut members = Vec::new();
        let mut member = group.gr_mem;
        while !member.is_null() && !(*member).is_null() {
            members.push(owned(*member));
            member = member.add(1);
        }
        (
            owned(group.gr_name),
            owned(group.gr_passwd),
            members,
            group.gr_gid,
        )
    };
    let mut table = vm.new_array();
    set_text(vm, &mut table, "name", name);
    set_text(vm, &mut table, "passwd", password);
    let members: Vec<Value> = members
        .into_iter()
        .map(|name| vm.string(name).into())
        .collect();
    let members = list(vm, members);
    table.make_mut(vm).set_bytes(b"members", members);
    table.make_mut(vm).set_bytes(b"gid", i64::from(id).into());
    Ok(table.into())
}

/// A user as a table.
///
/// # Safety
/// `user` is null or what the system gave just now.
unsafe fn user(vm: &mut Vm, user: *const libc::passwd) -> PhpResult<Value> {
    if user.is_null() {
        note(vm);
        return Ok(false.into());
    }
    // SAFETY: by the caller.
    let (texts, ids) = unsafe {
        let user = &*user;
        (
            [
                owned(user.pw_name),
                owned(user.pw_passwd),
                owned(user.pw_gecos),
                owned(user.pw_dir),
                owned(user.pw_shell),
            ],
            (user.pw_uid, user.pw_gid),
        )
    };
    let [name, password, comment, folder, shell] = texts;
    let mut table = vm.new_array();
    set_text(vm, &mut table, "name", name);
    set_text(vm, &mut table, "passwd", password);
    table
        .make_mut(vm)
        .set_bytes(b"uid", i64::from(ids.0).into());
    table
        .make_mut(vm)
        .set_bytes(b"gid", i64::from(ids.1).into());
    set_text(vm, &mut table, "gecos", comment);
    set_text(vm, &mut table, "dir", folder);
    set_text(vm, &mut table, "shell", shell);
    Ok(table.into())
}

fn make_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let path = path(call, 0)?;
    let (flags, major, minor) = (call.long(1), call.long(2), call.long(3));
    let kind = flags as u32 & libc::S_IFMT;
    let mut device = 0;
    if kind == libc::S_IFCHR || kind == libc::S_IFBLK {
        if call.count() < 3 || major == 0 {
            return Err(call.value_error(
                2,
                "cannot be 0 for the POSIX_S_IFCHR and POSIX_S_IFBLK modes",
            ));
        }
        device = libc::makedev(major as u32, minor as u32);
    }
    // SAFETY: the path ends with NUL.
    let outcome = unsafe { libc::mknod(path.as_ptr(), flags as libc::mode_t, device) };
    done(call.vm, outcome)
}

/// The limits by their names in `posix_getrlimit()`.
const LIMITS: [(&str, u32); 10] = [
    ("core", libc::RLIMIT_CORE),
    ("data", libc::RLIMIT_DATA),
    ("stack", libc::RLIMIT_STACK),
    ("totalmem", libc::RLIMIT_AS),
    ("rss", libc::RLIMIT_RSS),
    ("maxproc", libc::RLIMIT_NPROC),
    ("memlock", libc::RLIMIT_MEMLOCK),
    ("cpu", libc::RLIMIT_CPU),
    ("filesize", libc::RLIMIT_FSIZE),
    ("openfiles", libc::RLIMIT_NOFILE),
];

fn shown_limit(vm: &mut Vm, limit: libc::rlim_t) -> Value {
    if limit == libc::RLIM_INFINITY {
        vm.string("unlimited").into()
    } else {
        (limit as i64).into()
    }
}

fn limit(resource: u32) -> Option<libc::rlimit> {
    // SAFETY: the system fills the structure.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        (libc::getrlimit(resource, &mut limit) == 0).then_some(limit)
    }
}

fn get_limits(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut table = call.vm.new_array();
    if let Some(resource) = call.optional_long(0) {
        let Some(limit) = u32::try_from(resource).ok().and_then(limit) else {
            note(call.vm);
            return Ok(false.into());
        };
        for value in [limit.rlim_cur, limit.rlim_max] {
            let shown = shown_limit(call.vm, value);
            use crate::support::Append;
            table.make_mut(call.vm).append(shown);
        }
        return Ok(table.into());
    }
    for (name, resource) in &LIMITS {
        let Some(limit) = limit(*resource) else {
            note(call.vm);
            return Ok(false.into());
        };
        for (kind, value) in [("soft", limit.rlim_cur), ("hard", limit.rlim_max)] {
            let shown = shown_limit(call.vm, value);
            table
                .make_mut(call.vm)
                .set_bytes(format!("{kind} {name}").as_bytes(), shown);
        }
    }
    Ok(table.into())
}

fn set_limit(call: &mut Call<'_>) -> PhpResult<Value> {
    let (resource, soft, hard) = (call.long(0), call.long(1), call.long(2));
    let limit = libc::rlimit {
        rlim_cur: soft as libc::rlim_t,
        rlim_max: hard as libc::rlim_t,
    };
    if resource == libc::RLIMIT_FSIZE as i64 {
        limits::survive_large_files();
    }
    // SAFETY: the structure is filled.
    let outcome = unsafe { libc::setrlimit(resource as u32, &limit) };
    done(call.vm, outcome)
}

fn path_setting(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.bytes(0).is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let path = path(call, 0)?;
    // SAFETY: the path ends with NUL.
    let value = unsafe { libc::pathconf(path.as_ptr(), call.long(1) as libc::c_int) };
    number(call.vm, value)
}

fn descriptor_setting(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(descriptor) = descriptor(call, true, false)? else {
        return Ok(false.into());
    };
    // SAFETY: the system checks the number.
    let value = unsafe { libc::fpathconf(descriptor, call.long(1) as libc::c_int) };
    number(call.vm, value)
}

fn login(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: the system gives null or a text.
    let name = unsafe { libc::getlogin() };
    if name.is_null() {
        note(call.vm);
        return Ok(false.into());
    }
    // SAFETY: as above.
    let name = unsafe { owned(name) };
    text(call.vm, name)
}
