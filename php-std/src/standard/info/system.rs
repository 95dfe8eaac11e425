//! The process and the machine it runs on.

use std::collections::HashMap;
use std::ffi::{CStr, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{direct, functions, list, text};

functions! {
    "getenv(?string $name = null, bool $local_only = false): array|string|false" => getenv | getenv_directly,
    "putenv(string $assignment): bool" => putenv,
    "getmypid(): int|false" => getmypid,
    "getmyuid(): int|false" => getmyuid,
    "getmygid(): int|false" => getmygid,
    "getmyinode(): int|false" => getmyinode,
    "getlastmod(): int|false" => getlastmod,
    "get_current_user(): string" => get_current_user,
    "gethostname(): string|false" => gethostname,
    "php_uname(string $mode = \"a\"): string" => php_uname,
    "sys_getloadavg(): array|false" => sys_getloadavg,
    "sys_get_temp_dir(): string" => sys_get_temp_dir | sys_get_temp_dir_directly,
    "set_time_limit(int $seconds): bool" => set_time_limit,
    "ignore_user_abort(?bool $enable = null): int" => ignore_user_abort,
    "connection_status(): int" => zero,
    "connection_aborted(): int" => zero,
}

/// Environment variables that a script set or unset. The process's own are left alone: other
/// threads may read them.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    changes: HashMap<OsString, Option<OsString>, foldhash::fast::FixedState>,
}

impl Environment {
    /// A variable's value.
    pub(crate) fn get(&self, name: &OsStr) -> Option<OsString> {
        match self.changes.get(name) {
            Some(change) => change.clone(),
            None => std::env::var_os(name),
        }
    }

    /// All variables, for a child process.
    pub(crate) fn all(&self) -> Vec<(OsString, OsString)> {
        let kept = std::env::vars_os().filter(|(name, _)| !self.changes.contains_key(name));
        let set = self.changes.iter().filter_map(|(name, change)| {
            change.as_ref().map(|value| (name.clone(), value.clone()))
        });
        kept.chain(set).collect()
    }
}

fn getenv(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.optional_bytes(0);
    let Some(name) = name else {
        let all = call.vm.extensions.state::<Environment>().all();
        let mut result = call.vm.new_array();
        for (name, value) in all {
            let name = call.vm.string(name.as_bytes());
            let value = call.vm.string(value.as_bytes());
            result.make_mut(call.vm).set_symbol(&name, value.into());
        }
        return Ok(result.into());
    };
    Ok(variable(call.vm, name))
}

/// An environment variable, or `false`.
fn variable(vm: &mut Vm, name: &[u8]) -> Value {
    if name.is_empty() || name.contains(&0) || name.contains(&b'=') {
        return false.into();
    }
    let environment = vm.extensions.state::<Environment>();
    match environment.get(OsStr::from_bytes(name)) {
        Some(value) => vm.string(value.as_bytes()).into(),
        None => false.into(),
    }
}

direct! {
    fn getenv_directly(vm; name: &[u8]; _local_only: bool = false) { variable(vm, name) }
    fn sys_get_temp_dir_directly(vm;) {
        let folder = temporary_folder(vm);
        vm.string(folder)
    }
}

fn putenv(call: &mut Call<'_>) -> PhpResult<Value> {
    let assignment = call.bytes(0);
    if assignment.is_empty() || assignment[0] == b'=' {
        return Err(call.value_error(0, "must have a valid syntax"));
    }
    let equals = memchr::memchr(b'=', assignment);
    let name = &assignment[..equals.unwrap_or(assignment.len())];
    let value = equals.map(|equals| OsString::from_vec(assignment[equals + 1..].to_vec()));
    let environment = call.vm.extensions.state::<Environment>();
    environment
        .changes
        .insert(OsString::from_vec(name.to_vec()), value);
    Ok(true.into())
}

fn getmypid(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((std::process::id() as i64).into())
}

/// The status of the main script's file.
fn script_metadata(call: &mut Call<'_>) -> Option<std::fs::Metadata> {
    let script = call.vm.current_file();
    std::fs::metadata(OsStr::from_bytes(&script)).ok()
}

fn getmyuid(call: &mut Call<'_>) -> PhpResult<Value> {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: always succeeds.
    let own = unsafe { libc::getuid() };
    Ok((script_metadata(call).map_or(own, |status| status.uid()) as i64).into())
}

fn getmygid(call: &mut Call<'_>) -> PhpResult<Value> {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: always succeeds.
    let own = unsafe { libc::getgid() };
    Ok((script_metadata(call).map_or(own, |status| status.gid()) as i64).into())
}

fn getmyinode(call: &mut Call<'_>) -> PhpResult<Value> {
    use std::os::unix::fs::MetadataExt;
    let inode = script_metadata(call).map(|status| status.ino() as i64);
    Ok(inode.map_or(false.into(), Value::from))
}

fn getlastmod(call: &mut Call<'_>) -> PhpResult<Value> {
    use std::os::unix::fs::MetadataExt;
    let time = script_metadata(call).map(|status| status.mtime());
    Ok(time.map_or(false.into(), Value::from))
}

fn get_current_user(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: the entry is copied before anything else of this thread could overwrite it.
    let name = unsafe {
        let entry = libc::getpwuid(libc::getuid());
        if entry.is_null() {
            Vec::new()
        } else {
            CStr::from_ptr((*entry).pw_name).to_bytes().to_vec()
        }
    };
    text(call.vm, name)
}

/// System name, host name, release, version and machine.
fn uname() -> [Vec<u8>; 5] {
    // SAFETY: all fields are byte arrays, for which zero is valid; `uname` terminates them.
    unsafe {
        let mut name: libc::utsname = std::mem::zeroed();
        libc::uname(&mut name);
        [
            &name.sysname,
            &name.nodename,
            &name.release,
            &name.version,
            &name.machine,
        ]
        .map(|field| CStr::from_ptr(field.as_ptr()).to_bytes().to_vec())
    }
}

fn gethostname(call: &mut Call<'_>) -> PhpResult<Value> {
    let [_, host, ..] = uname();
    text(call.vm, host)
}

fn php_uname(call: &mut Call<'_>) -> PhpResult<Value> {
    let [system, host, release, version, machine] = uname();
    let name = match call.bytes(0) {
        b"s" => system,
        b"n" => host,
        b"r" => release,
        b"v" => version,
        b"m" => machine,
        b"a" => [system, host, release, version, machine].join(&b' '),
        mode if mode.len() != 1 => {
            return Err(call.value_error(0, "must be a single character"));
        }
        _ => {
            let problem = r#"must be one of "a", "m", "n", "r", "s", or "v""#;
            return Err(call.value_error(0, problem));
        }
    };
    text(call.vm, name)
}

fn sys_getloadavg(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut averages = [0f64; 3];
    // SAFETY: the array has room for three numbers.
    if unsafe { libc::getloadavg(averages.as_mut_ptr(), 3) } == -1 {
        return Ok(false.into());
    }
    Ok(list(call.vm, averages.map(Value::from)))
}

/// The folder of files that are needed for a while. What it was at first it stays, whatever the environment says later.
#[derive(Debug, Default)]
struct TemporaryFolder(Option<Vec<u8>>);

/// See [`TemporaryFolder`].
pub(crate) fn temporary_folder(vm: &mut Vm) -> Vec<u8> {
    known_temporary_folder(vm).to_vec()
}

fn known_temporary_folder(vm: &mut Vm) -> &[u8] {
    if vm.extensions.state::<TemporaryFolder>().0.is_none() {
        let folder = named_temporary_folder(vm);
        vm.extensions.state::<TemporaryFolder>().0 = Some(folder);
    }
    let known = &vm.extensions.state::<TemporaryFolder>().0;
    known.as_deref().unwrap_or_default()
}

fn named_temporary_folder(vm: &mut Vm) -> Vec<u8> {
    let mut folder = vm.ini.text("sys_temp_dir").to_vec();
    if folder.is_empty() {
        let environment = vm.extensions.state::<Environment>();
        let named = environment.get(OsStr::new("TMPDIR"));
        folder = named.unwrap_or_else(|| "/tmp".into()).into_vec();
    }
    if folder.len() > 1 {
        folder.pop_if(|last| *last == b'/');
    }
    folder
}

fn sys_get_temp_dir(call: &mut Call<'_>) -> PhpResult<Value> {
    let folder = temporary_folder(call.vm);
    text(call.vm, folder)
}

/// Sets `max_execution_time`: the time counts anew.
fn set_time_limit(call: &mut Call<'_>) -> PhpResult<Value> {
    let seconds = call.long(0).to_string();
    Ok(call
        .vm
        .ini_set("max_execution_time", seconds.as_bytes())
        .is_ok()
        .into())
}

fn ignore_user_abort(call: &mut Call<'_>) -> PhpResult<Value> {
    let before = call.vm.ini.bool("ignore_user_abort");
    if call.has(0) {
        let value = if call.bool(0) { b"1" } else { b"0" };
        // Everyone may set it, and it takes any value.
        let _ = call.vm.ini_set("ignore_user_abort", value);
    }
    Ok((before as i64).into())
}

fn zero(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(0i64.into())
}
