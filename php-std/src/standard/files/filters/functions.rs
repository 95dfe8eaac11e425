//! Adding filters to streams and taking them away; `php://filter`.

use std::cell::Cell;
use std::rc::Rc;

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::{PhpResource, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::{Attached, make, user};
use crate::standard::files::open::{new_resource, stream, stream_in};
use crate::standard::files::stream::Stream;
use crate::standard::strings::encode::{UrlStyle, decode_url};
use crate::support::{define, functions, list};

functions! {
    "stream_filter_append(resource $stream, string $filter_name, int $mode = 0, mixed $params = UNKNOWN)" => stream_filter_append,
    "stream_filter_prepend(resource $stream, string $filter_name, int $mode = 0, mixed $params = UNKNOWN)" => stream_filter_prepend,
    "stream_filter_remove($stream_filter): bool" => stream_filter_remove,
    "stream_get_filters(): array" => stream_get_filters,
}

const READ: i64 = 1;
const WRITE: i64 = 2;

/// Filters that PHP has itself.
pub(super) const NATIVE: &[&str] = &[
    #[cfg(feature = "zlib")]
    "zlib.*",
    "string.rot13",
    "string.toupper",
    "string.tolower",
    "convert.*",
    "consumed",
    "dechunk",
    #[cfg(feature = "bz2")]
    "bzip2.*",
    "convert.iconv.*",
];

/// Registers functions and constants.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    define(
        vm,
        &[
            ("STREAM_FILTER_READ", READ),
            ("STREAM_FILTER_WRITE", WRITE),
            ("STREAM_FILTER_ALL", READ | WRITE),
        ],
    );
}

fn stream_get_filters(call: &mut Call<'_>) -> PhpResult<Value> {
    let registered = call.vm.extensions.state::<user::Registered>();
    let mut names: Vec<Vec<u8>> = NATIVE.iter().map(|name| name.as_bytes().to_vec()).collect();
    names.extend(registered.filters.iter().map(|(name, _)| name.clone()));
    let names: Vec<Value> = names
        .iter()
        .map(|name| call.vm.string(name).into())
        .collect();
    Ok(list(call.vm, names))
}

/// What the resource of a filter refers to.
struct Handle {
    stream: *mut PhpResource,
    number: u64,
    detached: Rc<Cell<bool>>,
}

fn stream_filter_append(call: &mut Call<'_>) -> PhpResult<Value> {
    attach(call, false)
}

fn stream_filter_prepend(call: &mut Call<'_>) -> PhpResult<Value> {
    attach(call, true)
}

/// The chains that a stream's mode has use for.
fn chains_of_mode(mode: &[u8]) -> i64 {
    let reads = mode.iter().any(|byte| matches!(byte, b'r' | b'+'));
    let writes = mode.iter().any(|byte| matches!(byte, b'w' | b'+' | b'a'));
    (reads as i64 * READ) | (writes as i64 * WRITE)
}

fn attach(call: &mut Call<'_>, first: bool) -> PhpResult<Value> {
    let name = call.bytes(1);
    let params = match call.argument(3).is_undef() {
        true => Value::NULL,
        false => call.value(3),
    };
    let mut chains = call.long(2) & (READ | WRITE);
    if chains == 0 {
        chains = chains_of_mode(&stream(call, 0)?.mode);
    } else {
        stream(call, 0)?;
    }
    let resource = call.argument(0).deref().resource();
    let mut last = Value::from(false);
    for chain in [READ, WRITE] {
        if chains & chain == 0 {
            continue;
        }
        let Some(attached) = make(call.vm, name, &params)? else {
            return Ok(false.into());
        };
        let handle = Handle {
            stream: resource,
            number: attached.number,
            detached: attached.detached.clone(),
        };
        let target = stream(call, 0)?;
        if !add(call.vm, target, attached, chain, first) {
            call.vm
                .function_warning("Filter failed to process pre-buffered data");
            return Ok(false.into());
        }
        last = new_resource(call.vm, "stream filter", Box::new(handle));
    }
    Ok(last)
}

/// Adds a filter to a chain. False if what was read ahead does not go through it.
fn add(vm: &mut Vm, target: &mut Stream, attached: Attached, chain: i64, first: bool) -> bool {
    target.filters.vm = vm;
    let list = match chain {
        READ => &mut target.filters.read,
        _ => &mut target.filters.write,
    };
    let at = if first { 0 } else { list.len() };
    list.insert(at, attached);
    if chain == READ && !target.filter_buffered(at) {
        target.filters.read.remove(at);
        return false;
    }
    true
}

fn stream_filter_remove(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.argument(0).deref();
    let ValueKind::Resource(_) = value.view() else {
        let kind = vm_runtime::operators::value_name(value);
        let problem = format!("must be of type resource, {kind} given");
        return Err(call.type_error(0, &problem));
    };
    // SAFETY: I3: the argument keeps the resource alive.
    let payload = unsafe { (*value.resource()).payload.as_mut() };
    let handle = payload.and_then(|payload| payload.downcast_mut::<Handle>());
    let Some(handle) = handle.filter(|handle| !handle.detached.get()) else {
        return Err(call.vm.throw_error(
            KnownClass::TypeError,
            "stream_filter_remove(): supplied resource is not a valid stream filter resource",
        ));
    };
    let (resource, number) = (handle.stream, handle.number);
    // SAFETY: I3: the filter is attached, so its stream is open.
    let target = unsafe { stream_in(&Zval::from_resource(resource)) };
    if let Some(target) = target {
        drop(target.remove_filter(number));
    }
    crate::standard::files::close_stream(call, 0);
    call.vm.check()?;
    Ok(true.into())
}

/// The parts of a URL behind `php://filter/`, and what it filters. None if it names nothing.
pub(in crate::standard::files) fn find_names(url: &[u8]) -> Option<(&[u8], &[u8])> {
    const RESOURCE: &[u8] = b"/resource=";
    let at = memchr::memmem::find(url, RESOURCE)?;
    Some((&url[..at], &url[at + RESOURCE.len()..]))
}

/// Adds the filters that a `php://filter` URL names: `read=a|b`, `write=a|b`, or `a|b` for both.
pub(in crate::standard::files) fn add_from_url(
    vm: &mut Vm,
    target: &mut Stream,
    names: &[u8],
    mode: &[u8],
) -> PhpResult<()> {
    let wanted = chains_of_mode(mode);
    for part in names
        .split(|&byte| byte == b'/')
        .filter(|part| !part.is_empty())
    {
        let (chains, filters) = if let Some(filters) = part.strip_prefix(b"read=") {
            (wanted & READ, filters)
        } else if let Some(filters) = part.strip_prefix(b"write=") {
            (wanted & WRITE, filters)
        } else {
            (wanted, part)
        };
        for name in filters.split(|&byte| byte == b'|') {
            let name = decode_url(name, UrlStyle::Form);
            for chain in [READ, WRITE] {
                if chains & chain == 0 {
                    continue;
                }
                let made = make(vm, &name, &Value::NULL);
                if let Ok(Some(attached)) = made {
                    add(vm, target, attached, chain, false);
                    continue;
                }
                let shown = vm_runtime::message::text(&name).into_owned();
                vm.function_warning(format!("Unable to create filter ({shown})"));
                made?;
                vm.check()?;
            }
        }
    }
    Ok(())
}
