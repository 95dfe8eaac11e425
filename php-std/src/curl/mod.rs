//! The extension `curl`, over a libcurl that was compiled from C without TLS: `https` gives libcurl's
//! own error.
//!
//! Transfers run in pieces, between which the limits of the script are looked at; nothing unwinds
//! through libcurl (`handle::guarded`), and its memory counts (`memory`).

mod callbacks;
mod constants;
mod file;
mod form;
mod handle;
mod info;
mod memory;
mod multi;
mod options;
mod share;
mod sys;

use std::ffi::{c_char, c_int};

use vm_runtime::class::{NativeClass, NativeHandlers, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::PhpObject;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use handle::{Sink, of, text};

use crate::support::functions;

functions! {
    "curl_close(CurlHandle $handle): void" => close,
    "curl_copy_handle(CurlHandle $handle): CurlHandle|false" => copy_handle,
    "curl_errno(CurlHandle $handle): int" => errno,
    "curl_error(CurlHandle $handle): string" => error,
    "curl_escape(CurlHandle $handle, string $string): string|false" => escape,
    "curl_unescape(CurlHandle $handle, string $string): string|false" => unescape,
    "curl_multi_setopt(CurlMultiHandle $multi_handle, int $option, mixed $value): bool" => multi::set,
    "curl_exec(CurlHandle $handle): string|bool" => exec,
    "curl_file_create(path $filename, ?string $mime_type = null, ?string $posted_filename = null): CURLFile" => file::create,
    "curl_getinfo(CurlHandle $handle, ?int $option = null): mixed" => info::info,
    "curl_init(?string $url = null): CurlHandle|false" => init,
    "curl_upkeep(CurlHandle $handle): bool" => upkeep,
    "curl_multi_add_handle(CurlMultiHandle $multi_handle, CurlHandle $handle): int" => multi::add,
    "curl_multi_close(CurlMultiHandle $multi_handle): void" => multi::close,
    "curl_multi_errno(CurlMultiHandle $multi_handle): int" => multi::error,
    "curl_multi_exec(CurlMultiHandle $multi_handle, &$still_running): int" => multi::perform,
    "curl_multi_getcontent(CurlHandle $handle): ?string" => multi::content,
    "curl_multi_info_read(CurlMultiHandle $multi_handle, &$queued_messages = null): array|false" => multi::read_info,
    "curl_multi_init(): CurlMultiHandle" => multi::init,
    "curl_multi_remove_handle(CurlMultiHandle $multi_handle, CurlHandle $handle): int" => multi::remove,
    "curl_multi_select(CurlMultiHandle $multi_handle, float $timeout = 1.0): int" => multi::select,
    "curl_multi_strerror(int $error_code): ?string" => multi::error_text,
    "curl_pause(CurlHandle $handle, int $flags): int" => pause,
    "curl_reset(CurlHandle $handle): void" => reset,
    "curl_setopt_array(CurlHandle $handle, array $options): bool" => options::set_many,
    "curl_setopt(CurlHandle $handle, int $option, mixed $value): bool" => options::set_one,
    "curl_share_close(CurlShareHandle $share_handle): void" => nothing,
    "curl_share_errno(CurlShareHandle $share_handle): int" => share::error,
    "curl_share_init(): CurlShareHandle" => share::init,
    "curl_share_setopt(CurlShareHandle $share_handle, int $option, mixed $value): bool" => share::set,
    "curl_share_strerror(int $error_code): ?string" => share_strerror,
    "curl_strerror(int $error_code): ?string" => strerror,
    "curl_version(): array|false" => version,
}

const FLAGS: u32 = class_flags::NO_DYNAMIC_PROPERTIES | class_flags::NOT_SERIALIZABLE;

static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("final class CurlHandle")
        .flags(FLAGS)
        .handlers(&NativeHandlers {
            made_by: Some("curl_init()"),
            cast: Some(as_number),
            ..NativeHandlers::STANDARD
        })
        .create_native(|_, _| Some(Box::<handle::Native>::default())),
    &NativeClass::new("final class CurlMultiHandle")
        .flags(FLAGS | class_flags::NOT_CLONEABLE)
        .handlers(&NativeHandlers {
            made_by: Some("curl_multi_init()"),
            ..NativeHandlers::STANDARD
        })
        .create_native(|_, _| Some(Box::<multi::Native>::default())),
    &NativeClass::new("final class CurlShareHandle")
        .flags(FLAGS | class_flags::NOT_CLONEABLE)
        .handlers(&NativeHandlers {
            made_by: Some("curl_share_init()"),
            ..NativeHandlers::STANDARD
        })
        .create_native(|_, _| Some(Box::<share::Native>::default())),
    &NativeClass::new("class CURLFile")
        .flags(class_flags::NOT_SERIALIZABLE)
        .properties(&[
            "public string $name = ''",
            "public string $mime = ''",
            "public string $postname = ''",
        ])
        .methods(&[
            method("public function __construct(path $filename, ?string $mime_type = null, ?string $posted_filename = null)", file::construct),
            method("tentative public function getFilename(): string", file::file_name),
            method("tentative public function getMimeType(): string", file::mime_type),
            method("tentative public function getPostFilename(): string", file::post_name),
            method("tentative public function setMimeType(string $mime_type): void", file::set_mime_type),
            method("tentative public function setPostFilename(string $posted_filename): void", file::set_post_name),
        ]),
    &NativeClass::new("class CURLStringFile")
        .properties(&[
            "public string $data",
            "public string $postname",
            "public string $mime",
        ])
        .methods(&[method(
            "public function __construct(string $data, string $postname, string $mime = \"application/octet-stream\")",
            file::construct_string,
        )]),
];

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(CLASSES);
    crate::support::define(vm, constants::CONSTANTS);
    vm.deprecated_constants.push("CURLOPT_BINARYTRANSFER");
}

/// `(int) $handle`: scripts have used it as a key since handles were resources.
fn as_number(_: &mut Vm, object: *mut PhpObject, kind: u8) -> PhpResult<Option<Value>> {
    // SAFETY: I3: the caller keeps the object alive.
    let id = unsafe { (*object).id };
    Ok((kind == vm_runtime::value::LONG).then(|| Value::from(i64::from(id))))
}

fn nothing(_: &mut Call<'_>) -> PhpResult<Value> {
    Ok(Value::NULL)
}

fn init(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(object) = handle::create(call.vm)? else {
        return Ok(false.into());
    };
    if call.has(0) && !call.value(0).is_null() {
        let url = call.value(0);
        if !options::set_url(call.vm, of(&object), &url)? {
            return Ok(false.into());
        }
    }
    Ok(object.into())
}

fn copy_handle(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let Some(copy) = of(&object).copy() else {
        return Ok(false.into());
    };
    let copy = handle::wrap(call.vm, copy)?;
    form::attach(call.vm, of(&copy))?;
    Ok(copy.into())
}

fn close(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    if of(&object).running > 0 {
        let message = "curl_close(): Attempt to close cURL handle from a callback";
        return Err(call.vm.throw_error(KnownClass::Error, message));
    }
    Ok(Value::NULL)
}

fn reset(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    if of(&object).running > 0 {
        let message = "curl_reset(): Attempt to reset cURL handle from a callback";
        return Err(call.vm.throw_error(KnownClass::Error, message));
    }
    of(&object).reset();
    Ok(Value::NULL)
}

fn exec(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let handle = of(&object);
    if handle.running > 0 {
        handle.code = 93;
        return Ok(false.into());
    }
    options::check_streams(call.vm, handle)?;
    handle.begin();
    let code = multi::transfer(call, handle)?;
    handle.code = code;
    if let Sink::File(file) = &handle.write {
        // SAFETY: I3: the value is held; nobody else has the stream now.
        if let Some(stream) = unsafe { crate::standard::files::stream_in(file) } {
            stream.flush();
        }
    }
    if code != 0 && code != sys::CURLE_PARTIAL_FILE {
        handle.received = Vec::new();
        return Ok(false.into());
    }
    Ok(match handle.write {
        Sink::Kept => call.vm.string(&handle.received).into(),
        _ => true.into(),
    })
}

fn errno(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    Ok(i64::from(of(&object).code).into())
}

fn error(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let message = of(&object).error();
    Ok(call.vm.string(message).into())
}

fn escape(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, given) = (call.object(0), call.bytes(1));
    let Ok(length) = c_int::try_from(given.len()) else {
        return Ok(false.into());
    };
    if given.is_empty() {
        return Ok(call.vm.string(b"").into());
    }
    // SAFETY: the handle is live; what libcurl gives is ours to free.
    let escaped = unsafe {
        let escaped = sys::curl_easy_escape(of(&object).easy, given.as_ptr().cast(), length);
        let found = text(escaped);
        sys::curl_free(escaped.cast());
        found
    };
    Ok(match escaped {
        Some(escaped) => call.vm.string(escaped).into(),
        None => false.into(),
    })
}

fn unescape(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, given) = (call.object(0), call.bytes(1));
    let Ok(length) = c_int::try_from(given.len()) else {
        return Ok(false.into());
    };
    if given.is_empty() {
        return Ok(call.vm.string(b"").into());
    }
    let mut found: c_int = 0;
    // SAFETY: the handle is live; what libcurl gives has that length, and is ours to free.
    let plain = unsafe {
        let plain: *mut c_char = sys::curl_easy_unescape(
            of(&object).easy,
            given.as_ptr().cast(),
            length,
            &raw mut found,
        );
        let copy = (!plain.is_null())
            .then(|| std::slice::from_raw_parts(plain.cast::<u8>(), found as usize).to_vec());
        sys::curl_free(plain.cast());
        copy
    };
    Ok(match plain {
        Some(plain) => call.vm.string(plain).into(),
        None => false.into(),
    })
}

fn upkeep(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let handle = of(&object);
    // SAFETY: the handle is live.
    handle.code = handle::run(|| unsafe { sys::curl_easy_upkeep(handle.easy) });
    Ok((handle.code == 0).into())
}

fn pause(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let flags = call.long(1) as c_int;
    let easy = of(&object).easy;
    // SAFETY: the handle is live.
    let code = handle::run(|| unsafe { sys::curl_easy_pause(easy, flags) });
    call.vm.check()?;
    Ok(i64::from(code).into())
}

fn strerror(call: &mut Call<'_>) -> PhpResult<Value> {
    let code = call.long(0) as u32;
    // SAFETY: libcurl gives a constant text for each number.
    let found = unsafe { text(sys::curl_easy_strerror(code)) };
    Ok(match found {
        Some(found) => call.vm.string(found).into(),
        None => Value::NULL,
    })
}

fn share_strerror(call: &mut Call<'_>) -> PhpResult<Value> {
    let code = call.long(0) as u32;
    // SAFETY: as above.
    let found = unsafe { text(sys::curl_share_strerror(code)) };
    Ok(match found {
        Some(found) => call.vm.string(found).into(),
        None => Value::NULL,
    })
}

/// Features with their bits, in PHP's order.
const FEATURES: [(&str, u32); 29] = [
    ("AsynchDNS", 7),
    ("CharConv", 12),
    ("Debug", 6),
    ("GSS-Negotiate", 5),
    ("IDN", 10),
    ("IPv6", 0),
    ("krb4", 1),
    ("Largefile", 9),
    ("libz", 3),
    ("NTLM", 4),
    ("NTLMWB", 15),
    ("SPNEGO", 8),
    ("SSL", 2),
    ("SSPI", 11),
    ("TLS-SRP", 14),
    ("HTTP2", 16),
    ("GSSAPI", 17),
    ("KERBEROS5", 18),
    ("UNIX_SOCKETS", 19),
    ("PSL", 20),
    ("HTTPS_PROXY", 21),
    ("MULTI_SSL", 22),
    ("BROTLI", 23),
    ("ALTSVC", 24),
    ("HTTP3", 25),
    ("UNICODE", 27),
    ("ZSTD", 26),
    ("HSTS", 28),
    ("GSASL", 29),
];

fn version(call: &mut Call<'_>) -> PhpResult<Value> {
    memory::install();
    // SAFETY: libcurl gives a structure that stays.
    let info = unsafe { &*sys::curl_version_info(sys::CURLVERSION_NOW) };
    let vm = &mut *call.vm;
    let mut list = vm.new_array();
    for (name, bit) in FEATURES {
        let is_there = info.features as u32 >> bit & 1 != 0;
        list.make_mut(vm)
            .set_bytes(name.as_bytes(), is_there.into());
    }
    let mut protocols = Vec::new();
    let mut at = info.protocols;
    // SAFETY: the list ends with null, and its texts with NUL.
    unsafe {
        while let Some(name) = text(*at) {
            protocols.push(vm.string(name).into());
            at = at.add(1);
        }
    }
    let protocols = crate::support::list(vm, protocols);
    let mut string = |pointer: *const c_char| -> Value {
        // SAFETY: null or a text that ends with NUL.
        let found = unsafe { text(pointer) };
        vm.string(found.unwrap_or_default()).into()
    };
    let fields: Vec<(&str, Value)> = vec![
        ("version_number", i64::from(info.version_num).into()),
        ("age", i64::from(info.age).into()),
        ("features", i64::from(info.features).into()),
        ("feature_list", list.into()),
        ("ssl_version_number", (info.ssl_version_num as i64).into()),
        ("version", string(info.version)),
        ("host", string(info.host)),
        ("ssl_version", string(info.ssl_version)),
        ("libz_version", string(info.libz_version)),
        ("protocols", protocols),
        ("ares", string(info.ares)),
        ("ares_num", i64::from(info.ares_num).into()),
        ("libidn", string(info.libidn)),
        ("iconv_ver_num", i64::from(info.iconv_ver_num).into()),
        ("libssh_version", string(info.libssh_version)),
        ("brotli_ver_num", i64::from(info.brotli_ver_num).into()),
        ("brotli_version", string(info.brotli_version)),
    ];
    let mut array = vm.new_array();
    for (name, value) in fields {
        array.make_mut(vm).set_bytes(name.as_bytes(), value);
    }
    Ok(array.into())
}
