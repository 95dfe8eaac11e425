//! `sysvshm`: values by numbers, serialised into a segment, in the form in which PHP has them there.
//!
//! A segment begins with a head: a mark, where the first entry starts, where the last one ends, how much is free, and how
//! much there is. An entry is its key, the length of its text, the distance to the next one, and the text.

use std::any::Any;

use vm_runtime::class::{NativeClass, NativeHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::NativeData;
use vm_runtime::value::{ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::memory::{Segment, find_or_make};
use super::{FLAGS, error_text, make, native};
use crate::standard::variables::{serialize::serialized, unserialize::unserialized};
use crate::support::functions;

functions! {
    "shm_attach(int $key, ?int $size = null, int $permissions = 0666): SysvSharedMemory|false" => attach,
    "shm_detach(SysvSharedMemory $shm): bool" => detach,
    "shm_has_var(SysvSharedMemory $shm, int $key): bool" => has,
    "shm_remove(SysvSharedMemory $shm): bool" => remove,
    "shm_put_var(SysvSharedMemory $shm, int $key, mixed $value): bool" => put,
    "shm_get_var(SysvSharedMemory $shm, int $key): mixed" => get,
    "shm_remove_var(SysvSharedMemory $shm, int $key): bool" => remove_variable,
}

const MARK: &[u8; 8] = b"PHP_SM\0\0";
/// Size of the head.
const HEAD: usize = 40;
/// Where the end, what is free, and the total stand.
const END: usize = 16;
const FREE: usize = 24;
const TOTAL: usize = 32;
/// Size of what stands before the text of an entry.
const ENTRY: usize = 24;

#[derive(Default)]
struct State {
    segment: Option<Segment>,
}

impl NativeData for State {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, _visitor: &mut dyn FnMut(&Zval)) {}
}

static CLASSES: &[&NativeClass] = &[&NativeClass::new("final class SysvSharedMemory")
    .flags(FLAGS)
    .handlers(&NativeHandlers {
        made_by: Some("shm_attach()"),
        ..NativeHandlers::STANDARD
    })
    .create_native(|_, _| Some(Box::<State>::default()))];

/// The size of segments that nobody asked a size for.
const DEFAULT_SIZE: i64 = 10_000;

/// Registers the extension.
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(CLASSES);
}

fn attach(call: &mut Call<'_>) -> PhpResult<Value> {
    let size = call.optional_long(1).unwrap_or(DEFAULT_SIZE);
    if size <= 0 {
        return Err(call.value_error(1, "must be greater than 0"));
    }
    let (key, permissions) = (call.long(0) as i32, call.long(2) as i32);
    let mut id = find_or_make(call.vm, key, 0, 0);
    if id.is_err() {
        if size < (HEAD + ENTRY) as i64 {
            let key = key as u32;
            call.vm
                .function_warning(format!("Failed for key 0x{key:x}: memorysize too small"));
            return Ok(false.into());
        }
        let flags = permissions | libc::IPC_CREAT | libc::IPC_EXCL;
        id = find_or_make(call.vm, key, size as usize, flags);
    }
    let segment = id.and_then(|id| Segment::attach(call.vm, id, false));
    let mut segment = match segment {
        Ok(segment) => segment,
        Err(error) => {
            let (key, error) = (key as u32, error_text(error));
            call.vm
                .function_warning(format!("Failed for key 0x{key:x}: {error}"));
            return Ok(false.into());
        }
    };
    if segment.read(0, MARK.len()).is_none_or(|mark| mark != MARK) {
        let total = segment.size() as i64;
        segment.write(0, MARK);
        for (at, number) in [
            (8, HEAD as i64),
            (END, HEAD as i64),
            (FREE, total - HEAD as i64),
            (TOTAL, total),
        ] {
            segment.write(at, &number.to_ne_bytes());
        }
    }
    let object = make(call.vm, b"sysvsharedmemory")?;
    native::<State>(&object).segment = Some(segment);
    Ok(object.into())
}

/// The segment of an object, if it is still attached.
fn attached<'a>(vm: &mut Vm, object: &'a ObjectHandle) -> PhpResult<&'a mut Segment> {
    match &mut native::<State>(object).segment {
        Some(segment) => Ok(segment),
        None => {
            let message = "Shared memory block has already been destroyed";
            Err(vm.throw_error(KnownClass::Error, message))
        }
    }
}

fn number(segment: &Segment, at: usize) -> Option<i64> {
    let bytes = segment.read(at, 8)?;
    Some(i64::from_ne_bytes(bytes.try_into().ok()?))
}

/// Where entries end.
fn end(segment: &Segment) -> usize {
    let end = number(segment, END).and_then(|end| usize::try_from(end).ok());
    end.unwrap_or(0).min(segment.size())
}

/// Where an entry stands, and its size.
fn find(segment: &Segment, key: i64) -> Option<(usize, usize)> {
    let (mut at, end) = (HEAD, end(segment));
    while at < end {
        vm_runtime::limits::poll();
        // Whatever another process wrote: it goes on, and ends.
        let size = usize::try_from(number(segment, at + 16)?)
            .ok()
            .filter(|&size| size >= ENTRY)?;
        if number(segment, at)? == key {
            return (at + size <= end).then_some((at, size));
        }
        at = at.checked_add(size)?;
    }
    None
}

/// Takes an entry out; those behind it move up.
fn take_out(segment: &mut Segment, at: usize, size: usize) {
    let end = end(segment);
    if let Some(rest) = segment.read(at + size, end - at - size) {
        segment.write(at, &rest);
    }
    let free = number(segment, FREE)
        .unwrap_or(0)
        .saturating_add(size as i64);
    segment.write(FREE, &free.to_ne_bytes());
    segment.write(END, &((end - size) as i64).to_ne_bytes());
}

fn detach(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    attached(call.vm, &object)?;
    native::<State>(&object).segment = None;
    Ok(true.into())
}

fn has(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, key) = (call.object(0), call.long(1));
    let segment = attached(call.vm, &object)?;
    Ok(find(segment, key).is_some().into())
}

fn remove(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let segment = attached(call.vm, &object)?;
    let id = segment.id;
    if let Err(error) = segment.remove(call.vm) {
        let error = error_text(error);
        call.vm
            .function_warning(format!("Failed for key 0x0, id {id}: {error}"));
        return Ok(false.into());
    }
    Ok(true.into())
}

fn put(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, key) = (call.object(0), call.long(1));
    attached(call.vm, &object)?;
    let value = call.value(2);
    let text = serialized(call.vm, &value)?;
    let bytes = text.as_bytes();
    let Some(segment) = &mut native::<State>(&object).segment else {
        let message = "Shared memory block has been destroyed by the serialization function";
        return Err(call.vm.throw_error(KnownClass::Error, message));
    };
    if let Some((at, size)) = find(segment, key) {
        take_out(segment, at, size);
    }
    // As PHP counts: whole words, and always some bytes more than the text.
    let size = (bytes.len() + 31) / 8 * 8 + 8;
    let (end, free) = (end(segment), number(segment, FREE).unwrap_or(0));
    let fits = free >= size as i64 && end + size <= segment.size();
    if !fits {
        call.vm.function_warning("Not enough shared memory left");
        return Ok(false.into());
    }
    for (index, number) in [key, bytes.len() as i64, size as i64]
        .into_iter()
        .enumerate()
    {
        segment.write(end + index * 8, &number.to_ne_bytes());
    }
    segment.write(end + ENTRY, bytes);
    segment.write(END, &((end + size) as i64).to_ne_bytes());
    segment.write(FREE, &(free - size as i64).to_ne_bytes());
    Ok(true.into())
}

/// Warns that there is no such entry.
fn missing(call: &mut Call<'_>, key: i64) -> PhpResult<Value> {
    call.vm
        .function_warning(format!("Variable key {key} doesn't exist"));
    Ok(false.into())
}

fn get(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, key) = (call.object(0), call.long(1));
    let segment = attached(call.vm, &object)?;
    let Some((at, size)) = find(segment, key) else {
        return missing(call, key);
    };
    let length = number(segment, at + 8).and_then(|length| usize::try_from(length).ok());
    let bytes = length
        .filter(|&length| length <= size - ENTRY)
        .and_then(|length| segment.read(at + ENTRY, length));
    match bytes {
        Some(bytes) => unserialized(call.vm, &bytes),
        None => {
            call.vm
                .function_warning("Variable data in shared memory is corrupted");
            Ok(false.into())
        }
    }
}

fn remove_variable(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, key) = (call.object(0), call.long(1));
    let segment = attached(call.vm, &object)?;
    match find(segment, key) {
        Some((at, size)) => {
            take_out(segment, at, size);
            Ok(true.into())
        }
        None => missing(call, key),
    }
}
