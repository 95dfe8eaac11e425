//! Directories: `scandir`, `opendir` and its kin, and the class `Directory`.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::object::instantiate;
use vm_runtime::object::write::write_storage;
use vm_runtime::value::{ObjectHandle, ResourceHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::context::context_argument;
use super::open::{check_path, stream_in, stream_value};
use super::stream::{Backend, Stream};
use super::wrappers::{label, list as open_listing, without_credentials};
use crate::support::{Append, functions, new_list, text};

functions! {
    "scandir(path $directory, int $sorting_order = SCANDIR_SORT_ASCENDING, $context = null): array|false" => scandir,
    "opendir(string $directory, $context = null)" => opendir,
    "dir(string $directory, $context = null): Directory|false" => dir,
    "readdir($dir_handle = null): string|false" => readdir,
    "closedir($dir_handle = null): void" => closedir,
    "rewinddir($dir_handle = null): void" => rewinddir,
}

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class Directory")
    .properties(&[
        "public readonly string $path",
        "public readonly mixed $handle",
    ])
    .methods(&[
        method("tentative public function close(): void", |call| {
            let directory = of_object(call)?;
            close(call.vm, &directory);
            Ok(Value::NULL)
        }),
        method("tentative public function rewind(): void", |call| {
            let directory = of_object(call)?;
            with_directory(&directory, |directory| directory.rewind());
            call.vm.check()?;
            Ok(Value::NULL)
        }),
        method("tentative public function read(): string|false", |call| {
            let directory = of_object(call)?;
            read(call.vm, &directory)
        }),
    ])];

/// What lists the names of an open directory, one after the other.
pub(crate) trait Listing: std::fmt::Debug {
    /// The next name; `None` at the end.
    fn next(&mut self) -> Option<Vec<u8>>;
    /// Starts again.
    fn rewind(&mut self);
    /// Whether the last name is that of a directory, if that was told with it.
    fn is_directory(&self) -> Option<bool> {
        None
    }
}

/// Names that are all known when the directory is opened.
#[derive(Debug)]
pub(crate) struct Names {
    names: Vec<Vec<u8>>,
    next: usize,
}

impl Names {
    /// Lists these.
    pub(crate) fn new(names: Vec<Vec<u8>>) -> Names {
        Names { names, next: 0 }
    }
}

impl Listing for Names {
    fn next(&mut self) -> Option<Vec<u8>> {
        let name = self.names.get(self.next)?;
        self.next += 1;
        Some(name.clone())
    }

    fn rewind(&mut self) {
        self.next = 0;
    }
}

/// Opens the directory in argument #1, or warns why it cannot be opened.
fn open(call: &mut Call<'_>, context: usize) -> PhpResult<Option<Box<dyn Listing>>> {
    check_path(call, 0)?;
    let name = call.function().display_name();
    // `scandir()` does without the default context.
    let context = match name == "scandir" && !call.has(context) {
        true => None,
        false => Some(context_argument(call, context)?),
    };
    let directory = call.bytes(0);
    if directory.is_empty() {
        return Ok(None);
    }
    let error = match open_listing(call.vm, directory, context.as_ref())? {
        Ok(listing) => return Ok(Some(listing)),
        Err(error) => error,
    };
    let shown = without_credentials(directory);
    let shown = vm_runtime::message::text(&shown).into_owned();
    let reason = os_error_text(&error);
    call.vm.warning(format!(
        "{name}({shown}): Failed to open directory: {reason}"
    ));
    call.vm.check()?;
    if name == "scandir" {
        let number = error.raw_os_error().unwrap_or(0);
        let reason = os_error_text(&std::io::Error::from_raw_os_error(number));
        call.vm
            .warning(format!("{name}(): (errno {number}): {reason}"));
        call.vm.check()?;
    }
    Ok(None)
}

pub(super) fn string_list(vm: &mut Vm, names: Vec<Vec<u8>>) -> Value {
    let mut result = new_list(vm, names.len());
    let array = result.make_mut(vm);
    for name in names {
        array.append(vm.string(name).into());
    }
    result.into()
}

fn scandir(call: &mut Call<'_>) -> PhpResult<Value> {
    let order = call.long(1);
    if call.has(2) {
        context_argument(call, 2)?;
    }
    if call.bytes(0).is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let Some(mut listing) = open(call, 2)? else {
        return Ok(false.into());
    };
    let mut names: Vec<Vec<u8>> = std::iter::from_fn(|| listing.next()).collect();
    drop(listing);
    call.vm.check()?;
    match order {
        0 => names.sort(),
        2 => {}
        _ => names.sort_by(|a, b| b.cmp(a)),
    }
    Ok(string_list(call.vm, names))
}

/// The directory that was opened last, for calls without an argument.
#[derive(Debug, Default)]
struct LastDirectory(Option<Value>);

fn opendir(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(listing) = open(call, 1)? else {
        return Ok(false.into());
    };
    let mut stream = Stream::new(Backend::Directory(listing), true, false);
    (stream.wrapper, stream.kind) = (label(call.vm, call.bytes(0))?, "dir");
    stream.mode = b"r".to_vec();
    let value = stream_value(call.vm, stream);
    let last = &mut call.vm.extensions.state::<LastDirectory>().0;
    drop(last.replace(value.clone()));
    Ok(value)
}

fn dir(call: &mut Call<'_>) -> PhpResult<Value> {
    let handle = opendir(call)?;
    if handle.as_zval().kind() == vm_runtime::value::FALSE {
        return Ok(handle);
    }
    let Some(class) = call.vm.linked_class(b"directory") else {
        return Ok(false.into());
    };
    let object = instantiate(call.vm, class)?;
    for (name, value) in [("path", call.value(0)), ("handle", handle)] {
        let name = call.vm.string(name);
        write_storage(call.vm, object.as_ptr(), &name, value)?;
    }
    Ok(object.into())
}

/// The directory of a `Directory` object.
fn of_object(call: &mut Call<'_>) -> PhpResult<ResourceHandle> {
    let object: ObjectHandle = crate::spl::this(call);
    let name = call.vm.string("handle");
    match crate::support::property(call.vm, &object, &name)? {
        Some(value) => check(call, &value),
        None => {
            let message = "Unable to find my handle property";
            Err(call.vm.throw_error(KnownClass::Error, message))
        }
    }
}

/// The directory that a value is; a `TypeError` if it was closed or is another resource.
fn check(call: &mut Call<'_>, value: &Value) -> PhpResult<ResourceHandle> {
    if let ValueKind::Resource(resource) = value.view() {
        let payload = resource.payload.as_ref();
        if let Some(stream) = payload.and_then(|payload| payload.downcast_ref::<Stream>()) {
            if !matches!(stream.backend, Backend::Directory(_)) {
                return Err(call.type_error(0, "must be a valid Directory resource"));
            }
            // SAFETY: I3: the resource is live.
            return Ok(unsafe { ResourceHandle::share_raw((&raw const *resource).cast_mut()) });
        }
        let name = call.function().display_name();
        let message = format!("{name}(): supplied resource is not a valid Directory resource");
        return Err(call.vm.throw_error(KnownClass::TypeError, message));
    }
    let name = vm_runtime::operators::value_name(value);
    Err(call.type_error(
        0,
        &format!("must be of type resource or null, {name} given"),
    ))
}

/// The directory that a call means; the handle keeps it alive.
fn handle(call: &mut Call<'_>) -> PhpResult<ResourceHandle> {
    let value = match call.has(0) {
        true => Some(call.value(0)),
        false => call.vm.extensions.state::<LastDirectory>().0.clone(),
    };
    match value {
        Some(value) => check(call, &value),
        None => Err(call
            .vm
            .throw_error(KnownClass::TypeError, "No resource supplied")),
    }
}

fn with_directory<T>(
    handle: &ResourceHandle,
    change: impl FnOnce(&mut dyn Listing) -> T,
) -> Option<T> {
    // SAFETY: I3: the handle keeps the resource alive; natives of one VM run on one thread.
    let resource = unsafe { &mut *handle.as_ptr() };
    let payload = resource.payload.as_mut()?;
    let stream = payload.downcast_mut::<Stream>()?;
    let _at_work = stream.busy.enter();
    match &mut stream.backend {
        Backend::Directory(listing) => Some(change(&mut **listing)),
        _ => None,
    }
}

fn read(vm: &mut Vm, directory: &ResourceHandle) -> PhpResult<Value> {
    let name = with_directory(directory, |directory| directory.next());
    vm.check()?;
    match name.flatten() {
        Some(name) => text(vm, name),
        None => Ok(false.into()),
    }
}

fn close(vm: &mut Vm, directory: &ResourceHandle) {
    // SAFETY: I3: the handle keeps the resource alive.
    let stream = unsafe { stream_in(&Zval::from_resource(directory.as_ptr())) };
    if stream.is_some_and(|stream| stream.is_busy()) {
        // SAFETY: I3: as above.
        let number = unsafe { (*directory.as_ptr()).id };
        return vm.function_warning(format!("{number} is not a valid stream resource"));
    }
    let last = &mut vm.extensions.state::<LastDirectory>().0;
    if last
        .as_ref()
        .is_some_and(|last| last.resource() == directory.as_ptr())
    {
        *last = None;
    }
    // SAFETY: I3: the handle keeps the resource alive.
    unsafe {
        let resource = &mut *directory.as_ptr();
        resource.type_name = "";
        drop(resource.payload.take());
    }
}

fn readdir(call: &mut Call<'_>) -> PhpResult<Value> {
    let handle = handle(call)?;
    read(call.vm, &handle)
}

fn closedir(call: &mut Call<'_>) -> PhpResult<Value> {
    let handle = handle(call)?;
    close(call.vm, &handle);
    call.vm.check()?;
    Ok(Value::NULL)
}

fn rewinddir(call: &mut Call<'_>) -> PhpResult<Value> {
    let handle = handle(call)?;
    with_directory(&handle, |directory| directory.rewind());
    call.vm.check()?;
    Ok(Value::NULL)
}
