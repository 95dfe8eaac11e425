//! `shmop`: segments as bytes.

use std::any::Any;

use vm_runtime::class::{NativeClass, NativeHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::NativeData;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::memory::{Segment, find_or_make, size_of};
use super::{FLAGS, error_text, make, native};
use crate::support::{functions, text};

functions! {
    "shmop_open(int $key, string $mode, int $permissions, int $size): Shmop|false" => open,
    "shmop_read(Shmop $shmop, int $offset, int $size): string" => read,
    "#[Deprecated(\"8.0\", \"as Shmop objects are freed automatically\")] shmop_close(Shmop $shmop): void" => close,
    "shmop_size(Shmop $shmop): int" => size,
    "shmop_write(Shmop $shmop, string $data, int $offset): int" => write,
    "shmop_delete(Shmop $shmop): bool" => delete,
}

#[derive(Default)]
struct State {
    segment: Option<Segment>,
    is_read_only: bool,
}

impl NativeData for State {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, _visitor: &mut dyn FnMut(&Zval)) {}
}

static CLASSES: &[&NativeClass] = &[&NativeClass::new("final class Shmop")
    .flags(FLAGS)
    .handlers(&NativeHandlers {
        made_by: Some("shmop_open()"),
        ..NativeHandlers::STANDARD
    })
    .create_native(|_, _| Some(Box::<State>::default()))];

/// Registers the extension.
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(CLASSES);
}

fn open(call: &mut Call<'_>) -> PhpResult<Value> {
    let (flags, is_read_only) = match call.bytes(1) {
        b"a" => (0, true),
        b"c" => (libc::IPC_CREAT, false),
        b"n" => (libc::IPC_CREAT | libc::IPC_EXCL, false),
        b"w" => (0, false),
        _ => return Err(call.value_error(1, "must be a valid access mode")),
    };
    let size = if flags == 0 { 0 } else { call.long(3) };
    if flags != 0 && size <= 0 {
        let problem = "must be greater than 0 for the \"c\" and \"n\" access modes";
        return Err(call.value_error(3, problem));
    }
    let (key, permissions) = (call.long(0) as i32, call.long(2) as i32);
    let vm = &mut *call.vm;
    let found = match find_or_make(vm, key, size as usize, permissions | flags) {
        Err(error) => Err((error, "attach or create")),
        Ok(id) => size_of(id).map_err(|error| (error, "get")).and_then(|_| {
            Segment::attach(vm, id, is_read_only).map_err(|error| (error, "attach to"))
        }),
    };
    let segment = match found {
        Ok(segment) => segment,
        Err((error, what)) => {
            let what = match what {
                "get" => "get shared memory segment information".to_owned(),
                what => format!("{what} shared memory segment"),
            };
            let error = error_text(error);
            call.vm
                .function_warning(format!("Unable to {what} \"{error}\""));
            return Ok(false.into());
        }
    };
    let object = make(call.vm, b"shmop")?;
    let state: &mut State = native(&object);
    (state.segment, state.is_read_only) = (Some(segment), is_read_only);
    Ok(object.into())
}

/// The segment in the first argument, and whether it is only for reading.
fn segment(object: &vm_runtime::value::ObjectHandle) -> (&mut Segment, bool) {
    let state: &mut State = native(object);
    let is_read_only = state.is_read_only;
    (
        state.segment.as_mut().expect("opened when it was made"),
        is_read_only,
    )
}

fn read(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, offset, count) = (call.object(0), call.long(1), call.long(2));
    let size = segment(&object).0.size() as i64;
    if !(0..=size).contains(&offset) {
        return Err(call.value_error(1, "must be between 0 and the segment size"));
    }
    if count < 0 || count > size - offset {
        return Err(call.value_error(2, "is out of range"));
    }
    // Everything that is left.
    let count = if count == 0 { size - offset } else { count };
    let bytes = segment(&object).0.read(offset as usize, count as usize);
    text(call.vm, bytes.unwrap_or_default())
}

fn close(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(Value::NULL)
}

fn size(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    Ok((segment(&object).0.size() as i64).into())
}

fn write(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, bytes, offset) = (call.object(0), call.bytes(1), call.long(2));
    let (segment, is_read_only) = segment(&object);
    if is_read_only {
        let message = "Read-only segment cannot be written";
        return Err(call.vm.throw_error(KnownClass::Error, message));
    }
    if !(0..=segment.size() as i64).contains(&offset) {
        return Err(call.value_error(2, "is out of range"));
    }
    let count = bytes.len().min(segment.size() - offset as usize);
    segment.write(offset as usize, &bytes[..count]);
    Ok((count as i64).into())
}

fn delete(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    if segment(&object).0.remove(call.vm).is_err() {
        call.vm
            .function_warning("Can't mark segment for deletion (are you the owner?)");
        return Ok(false.into());
    }
    Ok(true.into())
}
