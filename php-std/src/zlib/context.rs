//! Compression and decompression step by step: `deflate_init()`, `inflate_init()` and what goes with them.

use std::any::Any;

use libz_sys as z;
use vm_runtime::class::{NativeClass, NativeHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::limits;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::operators::to_long;
use vm_runtime::value::{ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::codec::{Deflater, Flush, Inflater, Parameters, Status, status_text};
use super::{DEFLATE, FORMATS, GZIP, RAW};
use crate::support::{functions, hold, string_of, text};

functions! {
    "deflate_init(int $encoding, object|array $options = []): DeflateContext|false" => deflate_init,
    "deflate_add(DeflateContext $context, string $data, int $flush_mode = ZLIB_SYNC_FLUSH): string|false" => deflate_add,
    "inflate_init(int $encoding, object|array $options = []): InflateContext|false" => inflate_init,
    "inflate_add(InflateContext $context, string $data, int $flush_mode = ZLIB_SYNC_FLUSH): string|false" => inflate_add,
    "inflate_get_status(InflateContext $context): int" => inflate_get_status,
    "inflate_get_read_len(InflateContext $context): int" => inflate_get_read_len,
}

/// The native part of a DeflateContext.
#[derive(Default)]
struct Deflate(Option<Deflater>);

/// The native part of an InflateContext.
#[derive(Default)]
struct Inflate {
    inflater: Option<Inflater>,
    dictionary: Vec<u8>,
    /// The dictionary is set before the data, which does not ask for it.
    is_raw: bool,
    status: Status,
    /// Bytes of input that were used.
    read: u64,
}

impl NativeData for Deflate {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl NativeData for Inflate {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

const FLAGS: u32 =
    class_flags::NO_DYNAMIC_PROPERTIES | class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE;

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("final class InflateContext")
        .flags(FLAGS)
        .handlers(&NativeHandlers {
            made_by: Some("inflate_init()"),
            ..NativeHandlers::STANDARD
        })
        .create_native(|_, _| Some(Box::<Inflate>::default())),
    &NativeClass::new("final class DeflateContext")
        .flags(FLAGS)
        .handlers(&NativeHandlers {
            made_by: Some("deflate_init()"),
            ..NativeHandlers::STANDARD
        })
        .create_native(|_, _| Some(Box::<Deflate>::default())),
];

fn make<T: NativeData>(vm: &mut Vm, class: &[u8], native: T) -> PhpResult<Value> {
    let class = vm.linked_class(class).unwrap_or(std::ptr::null_mut());
    let object = new_object(vm, class)?;
    *native_of::<T>(&object) = native;
    Ok(object.into())
}

fn native_of<T: NativeData>(object: &PhpObject) -> &mut T {
    object.native::<T>().expect("made with the object")
}

/// An entry of the options, which are an array or an object.
fn option(call: &mut Call<'_>, name: &str) -> PhpResult<Option<Value>> {
    let options = call.value(1);
    match options.view() {
        ValueKind::Array(options) => Ok(options.get_bytes(name.as_bytes()).map(hold)),
        ValueKind::Object(_) => {
            let object: ObjectHandle = call.object(1);
            let name = call.vm.string(name);
            crate::support::property(call.vm, &object, &name)
        }
        _ => Ok(None),
    }
}

/// A number among the options.
fn number(call: &mut Call<'_>, name: &str, default: i64) -> PhpResult<i64> {
    match option(call, name)? {
        Some(value) => Ok(to_long(call.vm, &value)),
        None => Ok(default),
    }
}

/// As [`number`], within bounds.
fn bounded(
    call: &mut Call<'_>,
    name: &str,
    default: i64,
    bounds: std::ops::RangeInclusive<i64>,
) -> PhpResult<i64> {
    let value = number(call, name, default)?;
    if bounds.contains(&value) {
        return Ok(value);
    }
    let function = call.function().display_name();
    let message = format!(
        "{function}(): \"{name}\" option must be between {} and {}",
        bounds.start(),
        bounds.end()
    );
    Err(call.vm.throw_error(KnownClass::ValueError, message))
}

/// The option `dictionary`: a string, or strings that are ended by NUL.
fn dictionary(call: &mut Call<'_>) -> PhpResult<Vec<u8>> {
    let Some(value) = option(call, "dictionary")? else {
        return Ok(Vec::new());
    };
    match value.view() {
        ValueKind::String(text) => Ok(text.as_bytes().to_vec()),
        ValueKind::Array(strings) => {
            let mut dictionary = Vec::new();
            for (_, string) in strings.iter() {
                let string = string_of(call.vm, &hold(string))?;
                if string.is_empty() {
                    return Err(call.value_error(1, "must not contain empty strings"));
                }
                if memchr::memchr(0, &string).is_some() {
                    return Err(call.value_error(1, "must not contain strings with null bytes"));
                }
                dictionary.extend_from_slice(&string);
                dictionary.push(0);
            }
            Ok(dictionary)
        }
        _ => {
            let kind = vm_runtime::operators::value_name(&value);
            let problem = format!("must be of type zero-terminated string or array, {kind} given");
            Err(call.type_error(1, &problem))
        }
    }
}

fn deflate_init(call: &mut Call<'_>) -> PhpResult<Value> {
    let format = call.long(0);
    let level = bounded(call, "level", -1, -1..=9)?;
    let memory = bounded(call, "memory", 8, 1..=9)?;
    let window = bounded(call, "window", 15, 8..=15)?;
    let strategy = number(call, "strategy", 0)?;
    if !(0..=4).contains(&strategy) {
        let message = "deflate_init(): \"strategy\" option must be one of ZLIB_FILTERED, \
                       ZLIB_HUFFMAN_ONLY, ZLIB_RLE, ZLIB_FIXED, or ZLIB_DEFAULT_STRATEGY";
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    let dictionary = dictionary(call)?;
    if !matches!(format, RAW | GZIP | DEFLATE) {
        return Err(call.value_error(0, FORMATS));
    }
    let parameters = Parameters {
        level,
        // zlib has no raw data with the smallest window.
        window: match format {
            RAW => -window.max(9),
            GZIP => window + 16,
            _ => window,
        },
        memory,
        strategy,
    };
    let Some(mut deflater) = Deflater::new(parameters) else {
        call.vm
            .function_warning("Failed allocating zlib.deflate context");
        return Ok(false.into());
    };
    if !dictionary.is_empty() && !deflater.set_dictionary(&dictionary) {
        call.vm.function_warning("Failed to set dictionary");
    }
    make(call.vm, b"deflatecontext", Deflate(Some(deflater)))
}

fn flush_mode(call: &mut Call<'_>) -> PhpResult<Flush> {
    match call.long(2) {
        mode @ 0..=5 => Ok(mode as Flush),
        _ => Err(call.value_error(
            2,
            "must be one of ZLIB_NO_FLUSH, ZLIB_PARTIAL_FLUSH, ZLIB_SYNC_FLUSH, \
             ZLIB_FULL_FLUSH, ZLIB_BLOCK, or ZLIB_FINISH",
        )),
    }
}

fn deflate_add(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, data) = (call.object(0), call.bytes(1));
    let flush = flush_mode(call)?;
    let Some(deflater) = &mut native_of::<Deflate>(&object).0 else {
        return Ok(false.into());
    };
    if data.is_empty() && flush != z::Z_FINISH {
        return text(call.vm, "");
    }
    let guess = ((data.len() as f64 * 1.015) as usize + 23).max(64);
    let mut output = Vec::new();
    match deflater.run_from(data, &mut output, guess, flush) {
        z::Z_OK | z::Z_BUF_ERROR => {}
        z::Z_STREAM_END => deflater.reset(),
        status => {
            let message = format!("zlib error ({})", status_text(status));
            call.vm.function_warning(message);
            call.vm.check()?;
            return Ok(false.into());
        }
    }
    text(call.vm, output)
}

fn inflate_init(call: &mut Call<'_>) -> PhpResult<Value> {
    let format = call.long(0);
    let window = number(call, "window", 15)?;
    if !(8..=15).contains(&window) {
        let message = format!("zlib window size (logarithm) ({window}) must be within 8..15");
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    let dictionary = dictionary(call)?;
    let window = match format {
        RAW => -window,
        GZIP => window + 16,
        DEFLATE => window,
        _ => {
            let message = "Encoding mode must be ZLIB_ENCODING_RAW, ZLIB_ENCODING_GZIP or \
                           ZLIB_ENCODING_DEFLATE";
            return Err(call.vm.throw_error(KnownClass::ValueError, message));
        }
    };
    let Some(mut inflater) = Inflater::new(window) else {
        call.vm
            .function_warning("Failed allocating zlib.inflate context");
        return Ok(false.into());
    };
    if format == RAW && !dictionary.is_empty() && inflater.set_dictionary(&dictionary) != z::Z_OK {
        call.vm.function_warning(
            "Dictionary does not match expected dictionary (incorrect adler32 hash)",
        );
    }
    let context = Inflate {
        inflater: Some(inflater),
        dictionary,
        is_raw: format == RAW,
        ..Inflate::default()
    };
    make(call.vm, b"inflatecontext", context)
}

fn inflate_add(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, data) = (call.object(0), call.bytes(1));
    let flush = flush_mode(call)?;
    let context = native_of::<Inflate>(&object);
    let Some(inflater) = &mut context.inflater else {
        return Ok(false.into());
    };
    if context.status == z::Z_STREAM_END {
        context.status = z::Z_OK;
        context.read = 0;
        inflater.reset();
    }
    if data.is_empty() && flush != z::Z_FINISH {
        return text(call.vm, "");
    }
    let mut output = Vec::new();
    let mut left = data;
    let mut room = 8192;
    let problem = loop {
        limits::poll();
        let before = output.len();
        let (taken, status) = inflater.step(left, &mut output, room, flush);
        left = &left[taken..];
        context.status = status;
        context.read += taken as u64;
        let is_full = output.len() - before == room;
        match status {
            z::Z_OK if is_full || !left.is_empty() => {}
            z::Z_OK | z::Z_STREAM_END => break None,
            z::Z_BUF_ERROR if flush == z::Z_FINISH && is_full => {}
            z::Z_BUF_ERROR => break None,
            z::Z_NEED_DICT if context.dictionary.is_empty() || context.is_raw => {
                break Some(
                    "Inflating this data requires a preset dictionary, please specify it in the \
                     options array of inflate_init()",
                );
            }
            z::Z_NEED_DICT => match inflater.set_dictionary(&context.dictionary) {
                z::Z_OK => {}
                _ => {
                    break Some(
                        "Dictionary does not match expected dictionary (incorrect adler32 hash)",
                    );
                }
            },
            status => break Some(status_text(status)),
        }
        room = output.len().clamp(8192, 1 << 20);
    };
    if let Some(problem) = problem {
        call.vm.function_warning(problem);
        call.vm.check()?;
        return Ok(false.into());
    }
    text(call.vm, output)
}

fn inflate_get_status(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    Ok(i64::from(native_of::<Inflate>(&object).status).into())
}

fn inflate_get_read_len(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    Ok((native_of::<Inflate>(&object).read as i64).into())
}
