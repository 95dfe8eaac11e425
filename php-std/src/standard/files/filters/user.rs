//! Filters that classes of the script are: `php_user_filter`, and the buckets they work on.

use std::collections::VecDeque;

use vm_runtime::class::{NativeClass, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::Access;
use vm_runtime::object::instantiate;
use vm_runtime::object::read::{Question, has_property, read_property};
use vm_runtime::object::write::write_property;
use vm_runtime::operators::to_long;
use vm_runtime::value::{
    ObjectHandle, PhpReference, PhpResource, ResourceHandle, Value, ValueKind,
};
use vm_runtime::vm::{PhpResult, Vm};

use super::{Buckets, Status, StreamFilter};
use crate::standard::files::open::new_resource;
use crate::support::{define, functions, string_of};

functions! {
    "stream_filter_register(string $filter_name, string $class): bool" => stream_filter_register,
    "stream_bucket_make_writeable(resource $brigade): ?StreamBucket" => stream_bucket_make_writeable,
    "stream_bucket_append(resource $brigade, StreamBucket $bucket): void" => stream_bucket_append,
    "stream_bucket_prepend(resource $brigade, StreamBucket $bucket): void" => stream_bucket_prepend,
    "stream_bucket_new($stream, string $buffer): StreamBucket" => stream_bucket_new,
}

const FATAL: i64 = 0;
const FEED_ME: i64 = 1;
const PASS_ON: i64 = 2;

static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class php_user_filter")
        .properties(&[
            "public string $filtername = \"\"",
            "public mixed $params = \"\"",
            "public $stream = null",
        ])
        .methods(&[
            method(
                "tentative public function filter($in, $out, &$consumed, bool $closing): int",
                |_| Ok(FATAL.into()),
            ),
            method("tentative public function onCreate(): bool", |_| {
                Ok(true.into())
            }),
            method("tentative public function onClose(): void", |_| {
                Ok(Value::NULL)
            }),
        ]),
    &NativeClass::new("final class StreamBucket").properties(&[
        "public $bucket",
        "public string $data",
        "public int $datalen",
        "public int $dataLength",
    ]),
];

/// Registers functions, classes and constants.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(CLASSES);
    define(
        vm,
        &[
            ("PSFS_ERR_FATAL", FATAL),
            ("PSFS_FEED_ME", FEED_ME),
            ("PSFS_PASS_ON", PASS_ON),
            ("PSFS_FLAG_NORMAL", 0),
            ("PSFS_FLAG_FLUSH_INC", 1),
            ("PSFS_FLAG_FLUSH_CLOSE", 2),
        ],
    );
}

/// Names of filters, and of the classes that make them.
#[derive(Debug, Default)]
pub(super) struct Registered {
    pub(super) filters: Vec<(Vec<u8>, Vec<u8>)>,
}

fn stream_filter_register(call: &mut Call<'_>) -> PhpResult<Value> {
    for index in 0..2 {
        if call.bytes(index).is_empty() {
            return Err(call.value_error(index, "must be a non-empty string"));
        }
    }
    let (name, class) = (call.bytes(0), call.bytes(1));
    let registered = call.vm.extensions.state::<Registered>();
    let mut known = registered.filters.iter();
    let is_native = super::functions::NATIVE
        .iter()
        .any(|native| native.as_bytes() == name);
    if is_native || known.any(|(known, _)| known == name) {
        return Ok(false.into());
    }
    registered.filters.push((name.to_vec(), class.to_vec()));
    Ok(true.into())
}

/// The class for a filter: registered under its name, or under `start.*`, the longest first.
pub(super) fn find(vm: &mut Vm, name: &[u8]) -> Option<Vec<u8>> {
    let registered = vm.extensions.state::<Registered>();
    let class_of = |wanted: &[u8]| {
        let mut known = registered.filters.iter();
        let found = known.find(|(known, _)| known == wanted);
        found.map(|(_, class)| class.clone())
    };
    if let Some(class) = class_of(name) {
        return Some(class);
    }
    let mut start = name;
    while let Some(dot) = memchr::memrchr(b'.', start) {
        start = &start[..dot];
        if let Some(class) = class_of(&[start, b".*"].concat()) {
            return Some(class);
        }
    }
    None
}

fn set(vm: &mut Vm, object: &ObjectHandle, name: &str, value: Value) -> PhpResult<()> {
    let name = vm.string(name);
    write_property(vm, object.as_ptr(), &name, value, std::ptr::null()).map(drop)
}

/// Calls a method that classes may leave out unless they extend `php_user_filter`.
fn call_if_there(vm: &mut Vm, object: &ObjectHandle, lowercase: &[u8]) -> PhpResult<Value> {
    match object.class().methods.get(lowercase) {
        Some(_) => vm.call_method(object, lowercase, Vec::new()),
        None => Ok(Value::NULL),
    }
}

/// Sets a property as the object itself would.
fn set_own(vm: &mut Vm, object: &ObjectHandle, name: &str, value: Value) -> PhpResult<()> {
    let name = vm.string(name);
    write_property(vm, object.as_ptr(), &name, value, object.class).map(drop)
}

/// An instance of a filter; None if its class does not want to be one.
pub(super) fn make(
    vm: &mut Vm,
    name: &[u8],
    class_name: &[u8],
    params: &Value,
) -> PhpResult<Option<Box<dyn StreamFilter>>> {
    let Some(class) = vm.class_by_name(class_name, true)? else {
        let name = vm_runtime::message::text(name).into_owned();
        let class = vm_runtime::message::text(class_name).into_owned();
        vm.function_warning(format!(
            "User-filter \"{name}\" requires class \"{class}\", but that class is not defined"
        ));
        vm.check()?;
        return Ok(None);
    };
    let object = instantiate(vm, class)?;
    let name = vm.string(name).into();
    set(vm, &object, "filtername", name)?;
    set(vm, &object, "params", params.clone())?;
    let created = call_if_there(vm, &object, b"oncreate")?;
    if created.deref().kind() == vm_runtime::value::FALSE {
        return Ok(None);
    }
    Ok(Some(Box::new(UserFilter { vm, object })))
}

#[derive(Debug)]
struct UserFilter {
    /// The VM, which never moves and outlives its streams.
    vm: *mut Vm,
    object: ObjectHandle,
}

impl UserFilter {
    fn call(
        &mut self,
        vm: &mut Vm,
        input: Buckets,
        closing: bool,
        stream: *mut PhpResource,
    ) -> PhpResult<(Status, Buckets, usize)> {
        // The filter is told of its stream if it has a place for that.
        let name = vm.string("stream");
        let pointer = self.object.as_ptr();
        let has_place = has_property(vm, pointer, &name, self.object.class, Question::Exists)?;
        if has_place && !stream.is_null() {
            // SAFETY: I3: the stream that is being filtered is live.
            let stream = unsafe { ResourceHandle::share_raw(stream) };
            if let Err(thrown) = set_own(vm, &self.object, "stream", stream.into_value()) {
                if !input.is_empty() {
                    vm.function_warning("Unprocessed filter buckets remaining on input brigade");
                }
                return Err(thrown);
            }
        }
        let input = input
            .into_iter()
            .map(|data| bucket_resource(vm, data))
            .collect();
        let source = brigade(vm, input);
        let target = brigade(vm, VecDeque::new());
        let consumed: Value =
            PhpReference::allocate(&mut vm.heap, Value::from(0i64).into_zval()).into_value();
        let arguments = vec![
            source.clone(),
            target.clone(),
            consumed.clone(),
            closing.into(),
        ];
        let verdict = vm.call_method(&self.object, b"filter", arguments);
        let left = with_brigade(&source, |brigade| brigade.len()).unwrap_or(0);
        if has_place {
            set_own(vm, &self.object, "stream", Value::NULL)?;
        }
        if verdict.is_err() && left > 0 {
            vm.function_warning("Unprocessed filter buckets remaining on input brigade");
        }
        let status = match to_long(vm, &*verdict?) {
            PASS_ON => Status::PassOn,
            FATAL => Status::Fatal,
            // Any other answer is as if it needed more.
            _ => Status::FeedMe,
        };
        if left > 0 {
            vm.function_warning("Unprocessed filter buckets remaining on input brigade");
            vm.check()?;
        }
        let output = with_brigade(&target, std::mem::take).unwrap_or_default();
        let output = output.iter().map(bucket_contents).collect();
        let consumed = to_long(vm, consumed.deref());
        Ok((status, output, consumed.max(0) as usize))
    }
}

impl StreamFilter for UserFilter {
    fn filter(
        &mut self,
        input: Buckets,
        closing: bool,
        stream: *mut PhpResource,
    ) -> (Status, Buckets, usize) {
        // SAFETY: I1: the VM never moves, and outlives its streams.
        let vm = unsafe { &mut *self.vm };
        self.call(vm, input, closing, stream)
            .unwrap_or((Status::Fatal, Vec::new(), 0))
    }

    fn flush(&mut self, stream: *mut PhpResource) -> Vec<u8> {
        match self.filter(Vec::new(), false, stream) {
            (Status::PassOn, output, _) => output.concat(),
            _ => Vec::new(),
        }
    }
}

impl Drop for UserFilter {
    fn drop(&mut self) {
        // A fatal error unwinds to the end of the script: no more of it runs.
        if std::thread::panicking() {
            return;
        }
        // SAFETY: I1: as above. What it throws is pending in the VM.
        let _ = unsafe { call_if_there(&mut *self.vm, &self.object, b"onclose") };
    }
}

/// The buckets that a filter is given, or gives.
struct Brigade(VecDeque<Value>);

/// The data behind a bucket's resource.
struct Bucket(Vec<u8>);

fn brigade(vm: &mut Vm, buckets: VecDeque<Value>) -> Value {
    new_resource(vm, "userfilter.bucket brigade", Box::new(Brigade(buckets)))
}

fn bucket_resource(vm: &mut Vm, data: Vec<u8>) -> Value {
    new_resource(vm, "userfilter.bucket", Box::new(Bucket(data)))
}

fn with_payload<P: 'static, T>(value: &Value, change: impl FnOnce(&mut P) -> T) -> Option<T> {
    let ValueKind::Resource(_) = value.deref().view() else {
        return None;
    };
    // SAFETY: I3: the value keeps the resource alive; no other borrow of the payload is held.
    let payload = unsafe { (*value.deref().resource()).payload.as_mut() }?;
    payload.downcast_mut::<P>().map(change)
}

fn with_brigade<T>(value: &Value, change: impl FnOnce(&mut VecDeque<Value>) -> T) -> Option<T> {
    with_payload(value, |brigade: &mut Brigade| change(&mut brigade.0))
}

fn bucket_contents(value: &Value) -> Vec<u8> {
    with_payload(value, |bucket: &mut Bucket| bucket.0.clone()).unwrap_or_default()
}

fn not_a_brigade(call: &mut Call<'_>) -> vm_runtime::vm::Thrown {
    let name = call.function().display_name();
    let message =
        format!("{name}(): supplied resource is not a valid userfilter.bucket brigade resource");
    call.vm.throw_error(KnownClass::TypeError, message)
}

/// The object that a bucket is for the script.
fn bucket(vm: &mut Vm, resource: Value) -> PhpResult<Value> {
    let Some(class) = vm.linked_class(b"streambucket") else {
        return Ok(Value::NULL);
    };
    let object = instantiate(vm, class)?;
    let data = bucket_contents(&resource);
    set(vm, &object, "bucket", resource)?;
    let text = vm.string(&data).into();
    set(vm, &object, "data", text)?;
    set(vm, &object, "datalen", data.len().into())?;
    set(vm, &object, "dataLength", data.len().into())?;
    Ok(object.into())
}

fn stream_bucket_make_writeable(call: &mut Call<'_>) -> PhpResult<Value> {
    match with_brigade(&call.value(0), VecDeque::pop_front) {
        None => Err(not_a_brigade(call)),
        Some(None) => Ok(Value::NULL),
        Some(Some(resource)) => bucket(call.vm, resource),
    }
}

/// The bucket in argument #2, with the data that its object has now.
fn given_bucket(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(1);
    let scope = std::ptr::null();
    let mut read = |name: &str| {
        let name = call.vm.string(name);
        read_property(call.vm, object.as_ptr(), &name, scope, Access::Read)
    };
    let (resource, data) = (read("bucket")?, read("data")?);
    let data = string_of(call.vm, &data)?.to_vec();
    with_payload(&resource, |bucket: &mut Bucket| bucket.0 = data);
    Ok(resource)
}

/// Adds a bucket to the brigade in argument #1. One that is there already changes its place.
fn add(call: &mut Call<'_>, first: bool) -> PhpResult<Value> {
    let resource = given_bucket(call)?;
    let added = with_brigade(&call.value(0), |brigade| {
        let same = |known: &Value| known.resource() == resource.resource();
        brigade.retain(|known| !same(known));
        match first {
            true => brigade.push_front(resource),
            false => brigade.push_back(resource),
        }
    });
    match added {
        Some(()) => Ok(Value::NULL),
        None => Err(not_a_brigade(call)),
    }
}

fn stream_bucket_append(call: &mut Call<'_>) -> PhpResult<Value> {
    add(call, false)
}

fn stream_bucket_prepend(call: &mut Call<'_>) -> PhpResult<Value> {
    add(call, true)
}

fn stream_bucket_new(call: &mut Call<'_>) -> PhpResult<Value> {
    if !matches!(call.value(0).deref().view(), ValueKind::Resource(_)) {
        let name = call.function().display_name();
        let message = format!("{name}(): supplied argument is not a valid stream resource");
        return Err(call.vm.throw_error(KnownClass::TypeError, message));
    }
    crate::standard::files::stream(call, 0)?;
    let data = call.bytes(1).to_vec();
    let resource = bucket_resource(call.vm, data);
    bucket(call.vm, resource)
}
