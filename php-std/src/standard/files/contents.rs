//! Whole files: `file_get_contents`, `file_put_contents`, `file`, `readfile`.

use vm_runtime::function::Call;
use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::value::{ARRAY, OBJECT, RESOURCE, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::open::{check_path, open_argument, stream};
use crate::support::{Append, functions, hold, new_list, string_of, text};

functions! {
    "file_get_contents(string $filename, bool $use_include_path = false, $context = null, int $offset = 0, ?int $length = null): string|false" => file_get_contents,
    "file_put_contents(string $filename, mixed $data, int $flags = 0, $context = null): int|false" => file_put_contents,
    "file(string $filename, int $flags = 0, $context = null): array|false" => file,
    "readfile(string $filename, bool $use_include_path = false, $context = null): int|false" => readfile,
}

functions! { CORE_FUNCTIONS:
    "get_included_files(): array" => get_included_files,
    "get_required_files(): array" => get_included_files,
}

pub(super) const USE_INCLUDE_PATH: i64 = 1;
pub(super) const IGNORE_NEW_LINES: i64 = 2;
pub(super) const SKIP_EMPTY_LINES: i64 = 4;
pub(super) const FILE_APPEND: i64 = 8;
pub(super) const LOCK_EX: i64 = 2;

fn read_failed(vm: &mut Vm, error: &std::io::Error) -> PhpResult<()> {
    let Some(number) = error.raw_os_error() else {
        // Not the system: what failed said so itself.
        return Ok(());
    };
    let name = crate::support::current_function(vm);
    vm.notice(format!(
        "{name}(): Read of 8192 bytes failed with errno={number} {}",
        os_error_text(error)
    ));
    vm.check()
}

fn file_get_contents(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = call.optional_long(4);
    if length.is_some_and(|length| length < 0) {
        return Err(call.value_error(4, "must be greater than or equal to 0"));
    }
    let along_path = call.bool(1);
    let Some(mut source) = open_argument(call, b"rb", along_path, 2)? else {
        return Ok(false.into());
    };
    let offset = call.long(3);
    if offset != 0 && !source.seek(offset, if offset > 0 { 0 } else { 2 }) {
        call.vm.warning(format!(
            "file_get_contents(): Failed to seek to position {offset} in the stream"
        ));
        return Ok(false.into());
    }
    let contents = match length {
        Some(length) => source.read(length as usize),
        None => source.read_all(),
    };
    match contents {
        Ok(contents) => text(call.vm, contents),
        Err(error) => {
            read_failed(call.vm, &error)?;
            text(call.vm, "")
        }
    }
}

/// True if an object can be converted to a string.
fn has_text(value: &Value) -> bool {
    let object = value.object();
    object.is_some_and(|object| object.class().methods.get(b"__tostring").is_some())
}

fn file_put_contents(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let flags = call.long(2);
    let data = call.value(1);
    let bytes = match data.kind() {
        RESOURCE => stream(call, 1)?.read_all().unwrap_or_default(),
        ARRAY => {
            let mut all = Vec::new();
            if let Some(array) = data.array() {
                for (_, value) in array.iter() {
                    all.extend_from_slice(&string_of(call.vm, &hold(value))?);
                }
            }
            all
        }
        OBJECT if !has_text(&data) => return Ok(false.into()),
        _ => string_of(call.vm, &data)?.to_vec(),
    };
    let mode: &[u8] = match flags {
        flags if flags & FILE_APPEND != 0 => b"ab",
        flags if flags & LOCK_EX != 0 => b"cb",
        _ => b"wb",
    };
    let Some(mut target) = open_argument(call, mode, flags & USE_INCLUDE_PATH != 0, 3)? else {
        return Ok(false.into());
    };
    if mode == b"cb" {
        target.truncate(0);
    }
    let outcome = target.write(call.vm, &bytes);
    call.vm.check()?;
    let problem = match outcome {
        Ok(taken) if taken == bytes.len() => return Ok(taken.into()),
        Ok(taken) => format!(
            "Only {taken} of {} bytes written, possibly out of free disk space",
            bytes.len()
        ),
        Err(error) => {
            if let Some(number) = error.raw_os_error() {
                call.vm.notice(format!(
                    "file_put_contents(): Write of {} bytes failed with errno={number} {}",
                    bytes.len(),
                    os_error_text(&error)
                ));
                call.vm.check()?;
            }
            return Ok(false.into());
        }
    };
    call.vm.function_warning(problem);
    call.vm.check()?;
    Ok(false.into())
}

fn file(call: &mut Call<'_>) -> PhpResult<Value> {
    let flags = call.long(1);
    const NO_DEFAULT_CONTEXT: i64 = 16;
    let known = USE_INCLUDE_PATH | IGNORE_NEW_LINES | SKIP_EMPTY_LINES | NO_DEFAULT_CONTEXT;
    if flags & !known != 0 {
        return Err(call.value_error(1, "must be a valid flag value"));
    }
    let Some(mut source) = open_argument(call, b"rb", flags & USE_INCLUDE_PATH != 0, 2)? else {
        return Ok(false.into());
    };
    let contents = match source.read_all() {
        Ok(contents) => contents,
        Err(error) => {
            read_failed(call.vm, &error)?;
            Vec::new()
        }
    };
    let mut result = new_list(call.vm, 16);
    let array = result.make_mut(call.vm);
    for line in contents.split_inclusive(|&byte| byte == b'\n') {
        let mut line = line;
        if flags & IGNORE_NEW_LINES != 0 {
            line = line.strip_suffix(b"\n").unwrap_or(line);
            line = line.strip_suffix(b"\r").unwrap_or(line);
            if flags & SKIP_EMPTY_LINES != 0 && line.is_empty() {
                continue;
            }
        }
        array.append(call.vm.string(line).into());
    }
    Ok(result.into())
}

fn readfile(call: &mut Call<'_>) -> PhpResult<Value> {
    let along_path = call.bool(1);
    let Some(mut source) = open_argument(call, b"rb", along_path, 2)? else {
        return Ok(false.into());
    };
    let mut written = 0usize;
    loop {
        match source.read_piece() {
            Ok(Some(piece)) => {
                call.vm.write(&piece);
                written += piece.len();
            }
            Ok(None) => return Ok(written.into()),
            Err(error) => {
                read_failed(call.vm, &error)?;
                return Ok(written.into());
            }
        }
    }
}

fn get_included_files(call: &mut Call<'_>) -> PhpResult<Value> {
    let files: Vec<Vec<u8>> = call.vm.included_files.paths().map(<[u8]>::to_vec).collect();
    let mut result = new_list(call.vm, files.len());
    for file in files {
        let file = call.vm.string(file).into();
        result.make_mut(call.vm).append(file);
    }
    Ok(result.into())
}
