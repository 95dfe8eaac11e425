//! `curl_setopt()`

use std::ffi::{CString, c_long, c_void};
use std::rc::Rc;

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::to_bool;
use vm_runtime::value::{Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::callbacks::{self, text_of};
use super::constants::CONSTANTS;
use super::handle::{Handle, List, Sink, of};
use super::{form, share, sys};
use crate::standard::files::stream_in;

/// Options of PHP's own, and those that are more than a value for libcurl.
mod numbers {
    pub(super) const SAFE_UPLOAD: i64 = -1;
    pub(super) const HEADER_OUT: i64 = 2;
    pub(super) const BINARYTRANSFER: i64 = 19914;
    pub(super) const RETURNTRANSFER: i64 = 19913;
    pub(super) const VERBOSE: i64 = 41;
    pub(super) const SSL_VERIFYHOST: i64 = 81;
    pub(super) const DNS_USE_GLOBAL_CACHE: i64 = 91;
    pub(super) const PROTOCOLS: i64 = 181;
    pub(super) const REDIR_PROTOCOLS: i64 = 182;
    pub(super) const FILE: i64 = 10001;
    pub(super) const URL: i64 = 10002;
    pub(super) const INFILE: i64 = 10009;
    pub(super) const POSTFIELDS: i64 = 10015;
    pub(super) const COPYPOSTFIELDS: i64 = 10165;
    pub(super) const WRITEHEADER: i64 = 10029;
    pub(super) const STDERR: i64 = 10037;
    pub(super) const SHARE: i64 = 10100;
    pub(super) const PRIVATE: i64 = 10103;
    pub(super) const PROTOCOLS_STR: i64 = 10318;
    pub(super) const REDIR_PROTOCOLS_STR: i64 = 10319;
    pub(super) const WRITEFUNCTION: i64 = 20011;
    pub(super) const READFUNCTION: i64 = 20012;
    pub(super) const PROGRESSFUNCTION: i64 = 20056;
    pub(super) const HEADERFUNCTION: i64 = 20079;
    pub(super) const DEBUGFUNCTION: i64 = 20094;
    pub(super) const FNMATCH_FUNCTION: i64 = 20200;
    pub(super) const XFERINFOFUNCTION: i64 = 20219;
    pub(super) const PREREQFUNCTION: i64 = 20312;
    pub(super) const SSH_HOSTKEYFUNCTION: i64 = 20316;
}

/// Options whose value is a list of texts.
const LISTS: [i64; 10] = [
    10023, 10028, 10039, 10070, 10093, 10104, 10187, 10203, 10228, 10243,
];

/// Options with text for which null means that there is none.
const NULLABLE: [i64; 21] = [
    10036, 10102, 10017, 10007, 10063, 10134, 10191, 10192, 10193, 10231, 10264, 10279, 10205,
    10209, 10210, 10211, 10239, 10240, 10266, 10300, 10244,
];

/// Options with names of files, which `open_basedir` limits.
const FILES: [i64; 9] = [
    10025, 10026, 10027, 10031, 10065, 10077, 10082, 10087, 10152,
];

/// The bit of the protocol `file`.
const PROTOCOL_FILE: i64 = 1 << 10;

/// The name of an option.
fn name_of(option: i64) -> Option<&'static str> {
    let found = CONSTANTS
        .iter()
        .find(|(name, value)| *value == option && name.starts_with("CURLOPT_"));
    found.map(|(name, _)| *name)
}

/// Where the value stands in the call, for errors.
#[derive(Clone, Copy)]
enum Form {
    One,
    Many,
}

pub(super) fn set_one(call: &mut Call<'_>) -> PhpResult<Value> {
    let option = call.long(1);
    if option != numbers::SAFE_UPLOAD && option != numbers::HEADER_OUT && name_of(option).is_none()
    {
        return Err(call.value_error(1, "is not a valid cURL option"));
    }
    let value = call.value(2);
    set(call, option, &value, Form::One).map(Into::into)
}

pub(super) fn set_many(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = call.array(1);
    for (key, value) in options.iter() {
        let ValueKind::Long(option) = key.to_value().view() else {
            return Err(call.value_error(1, "contains an invalid cURL option"));
        };
        let is_known = option == numbers::SAFE_UPLOAD
            || option == numbers::HEADER_OUT
            || name_of(option).is_some();
        if !is_known {
            return Err(call.value_error(1, "must contain only valid cURL options"));
        }
        let value = crate::support::hold(value);
        if !set(call, option, &value, Form::Many)? {
            return Ok(false.into());
        }
    }
    Ok(true.into())
}

/// A text for libcurl, which must not contain zero bytes.
fn c_text(vm: &mut Vm, value: &Value) -> PhpResult<CString> {
    let text = text_of(vm, value)?;
    CString::new(text).map_err(|_| {
        let function = crate::support::current_function(vm);
        let message = format!("{function}(): cURL option must not contain any null bytes");
        vm.throw_error(KnownClass::ValueError, message)
    })
}

/// The address that a handle asks for.
pub(super) fn set_url(vm: &mut Vm, handle: &mut Handle, value: &Value) -> PhpResult<bool> {
    let url = c_text(vm, value)?;
    if !vm.ini.text("open_basedir").is_empty() {
        // All but files, which would be read without asking.
        let protocols = CString::new("http,https,ftp,ftps,ws,wss").unwrap_or_default();
        // SAFETY: the handle is live, and the text is copied.
        unsafe { sys::curl_easy_setopt(handle.easy, 10318, protocols.as_ptr()) };
    }
    // SAFETY: the handle is live, and the text is copied.
    let code = unsafe { sys::curl_easy_setopt(handle.easy, sys::CURLOPT_URL, url.as_ptr()) };
    handle.code = code;
    Ok(code == 0)
}

/// Sets an option; false if libcurl does not take it.
fn set(call: &mut Call<'_>, option: i64, value: &Value, place: Form) -> PhpResult<bool> {
    let object = call.object(0);
    let handle = of(&object);
    let code = match option {
        numbers::SAFE_UPLOAD => {
            if !to_bool(value) {
                let function = crate::support::current_function(call.vm);
                let message =
                    format!("{function}(): Disabling safe uploads is no longer supported");
                return Err(call.vm.throw_error(KnownClass::ValueError, message));
            }
            0
        }
        numbers::BINARYTRANSFER | numbers::DNS_USE_GLOBAL_CACHE => 0,
        numbers::RETURNTRANSFER => {
            let write = match to_bool(value) {
                true => Sink::Kept,
                false => Sink::Standard,
            };
            drop(std::mem::replace(&mut handle.write, write));
            0
        }
        numbers::HEADER_OUT => {
            if handle.functions.debug.is_some() {
                let message = "CURLINFO_HEADER_OUT option must not be set when the CURLOPT_DEBUGFUNCTION option is set";
                return Err(call.vm.throw_error(KnownClass::ValueError, message));
            }
            handle.wants_sent = to_bool(value);
            callbacks::connect(handle);
            0
        }
        numbers::VERBOSE => {
            handle.is_verbose = to_bool(value);
            if handle.is_verbose && handle.errors.is_none() && handle.functions.debug.is_none() {
                callbacks::connect(handle);
            }
            callbacks::connect(handle);
            0
        }
        numbers::SSL_VERIFYHOST => {
            let mut number = value.to_long(call.vm);
            if number == 1 {
                let message = "CURLOPT_SSL_VERIFYHOST no longer accepts the value 1, value 2 will be used instead";
                call.vm.function_notice(message);
                call.vm.check()?;
                number = 2;
            }
            // SAFETY: the handle is live.
            unsafe { sys::curl_easy_setopt(handle.easy, 81, number as c_long) }
        }
        numbers::PROTOCOLS | numbers::REDIR_PROTOCOLS => {
            let number = value.to_long(call.vm);
            if number & PROTOCOL_FILE != 0 && !call.vm.ini.text("open_basedir").is_empty() {
                let message = "CURLPROTO_FILE cannot be activated when an open_basedir is set";
                call.vm.function_warning(message);
                call.vm.check()?;
                return Ok(false);
            }
            // SAFETY: the handle is live.
            unsafe { sys::curl_easy_setopt(handle.easy, option as u32, number as c_long) }
        }
        numbers::PROTOCOLS_STR | numbers::REDIR_PROTOCOLS_STR => {
            let text = c_text(call.vm, value)?;
            let names = text.to_string_lossy().to_ascii_lowercase();
            let has_file = names.split(',').any(|name| name == "file" || name == "all");
            if has_file && !call.vm.ini.text("open_basedir").is_empty() {
                let message = "The FILE protocol cannot be activated when an open_basedir is set";
                call.vm.function_warning(message);
                call.vm.check()?;
                return Ok(false);
            }
            // SAFETY: the handle is live, and the text is copied.
            unsafe { sys::curl_easy_setopt(handle.easy, option as u32, text.as_ptr()) }
        }
        numbers::FILE | numbers::INFILE | numbers::WRITEHEADER | numbers::STDERR => {
            set_stream(call, option, value)?;
            0
        }
        numbers::URL => return set_url(call.vm, handle, value),
        numbers::POSTFIELDS | numbers::COPYPOSTFIELDS => set_fields(call, value)?,
        numbers::SHARE => {
            if let ValueKind::Object(given) = value.view()
                && let Some(pointer) = share::pointer(given)
            {
                // SAFETY: both handles are live, and this one holds the other.
                let code = unsafe {
                    sys::curl_easy_setopt(handle.easy, sys::CURLOPT_SHARE, pointer.cast::<c_void>())
                };
                let old = handle.share.replace(value.clone());
                handle.let_go(old);
                code
            } else {
                0
            }
        }
        numbers::PRIVATE => {
            drop(handle.private.replace(value.clone()));
            0
        }
        20000..=29999 => {
            set_function(call, option, value, place)?;
            0
        }
        _ if LISTS.contains(&option) => {
            let ValueKind::Array(array) = value.view() else {
                let function = crate::support::current_function(call.vm);
                let name = name_of(option).unwrap_or_default();
                let message = format!("{function}(): The {name} option must have an array value");
                return Err(call.vm.throw_error(KnownClass::TypeError, message));
            };
            let mut texts = Vec::new();
            for (_, item) in array.iter() {
                let item = crate::support::hold(item);
                let text = text_of(call.vm, &item)?;
                let end = memchr::memchr(0, &text).unwrap_or(text.len());
                texts.push(CString::new(&text[..end]).unwrap_or_default());
            }
            let list = Rc::new(List::new(&texts));
            // SAFETY: the handle is live, and keeps the list as long as libcurl has it.
            let code = unsafe { sys::curl_easy_setopt(handle.easy, option as u32, list.pointer()) };
            let old = handle.lists.insert(option, list);
            handle.let_go(old);
            code
        }
        0..=9999 => {
            let number = value.to_long(call.vm);
            // SAFETY: the handle is live.
            unsafe { sys::curl_easy_setopt(handle.easy, option as u32, number as c_long) }
        }
        30000..=39999 => {
            let number = value.to_long(call.vm);
            // SAFETY: the handle is live.
            unsafe { sys::curl_easy_setopt(handle.easy, option as u32, number) }
        }
        40000.. => {
            let text = text_of(call.vm, value)?;
            let blob = sys::Blob {
                data: text.as_ptr().cast(),
                length: text.len(),
                flags: 1,
            };
            // SAFETY: the handle is live, and the bytes are copied.
            unsafe { sys::curl_easy_setopt(handle.easy, option as u32, &raw const blob) }
        }
        _ if value.is_null() && NULLABLE.contains(&option) => {
            // SAFETY: the handle is live.
            unsafe { sys::curl_easy_setopt(handle.easy, option as u32, std::ptr::null::<c_void>()) }
        }
        _ => {
            let text = c_text(call.vm, value)?;
            if FILES.contains(&option) && !text.is_empty() {
                let function = crate::support::current_function(call.vm);
                let name = text.to_bytes();
                if !vm_runtime::limits::directories::is_allowed(call.vm, name, &function)? {
                    return Ok(false);
                }
            }
            // SAFETY: the handle is live, and the text is copied.
            unsafe { sys::curl_easy_setopt(handle.easy, option as u32, text.as_ptr()) }
        }
    };
    handle.code = code;
    Ok(code == 0)
}

fn set_stream(call: &mut Call<'_>, option: i64, value: &Value) -> PhpResult<()> {
    let object = call.object(0);
    let handle = of(&object);
    if value.is_null() {
        match option {
            numbers::FILE => {
                let old = std::mem::take(&mut handle.write);
                drop((old, handle.write_file.take()));
            }
            numbers::WRITEHEADER => drop(std::mem::take(&mut handle.header)),
            numbers::INFILE => drop(handle.input.take()),
            _ => drop(handle.errors.take()),
        }
        callbacks::connect(handle);
        return Ok(());
    }
    let value = Value::share(value.deref());
    // SAFETY: I3: the value is held; nobody else has the stream now.
    let Some(stream) = (unsafe { stream_in(&value) }) else {
        let function = crate::support::current_function(call.vm);
        let message =
            format!("{function}(): supplied argument is not a valid File-Handle resource");
        return Err(call.vm.throw_error(KnownClass::TypeError, message));
    };
    let is_writable = stream.writable;
    if option != numbers::INFILE && option != numbers::STDERR && !is_writable {
        let function = crate::support::current_function(call.vm);
        let message = format!("{function}(): The provided file handle must be writable");
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    match option {
        numbers::FILE => {
            let file = handle.write_file.replace(value.clone());
            let old = std::mem::replace(&mut handle.write, Sink::File(value));
            drop((file, old));
        }
        numbers::WRITEHEADER => drop(std::mem::replace(&mut handle.header, Sink::File(value))),
        numbers::INFILE => drop(handle.input.replace(value)),
        _ => {
            let old = handle.errors.replace(value);
            callbacks::connect(handle);
            drop(old);
        }
    }
    Ok(())
}

/// What is sent with a request: fields of a form, or text.
fn set_fields(call: &mut Call<'_>, value: &Value) -> PhpResult<sys::CURLcode> {
    let object = call.object(0);
    let handle = of(&object);
    if let ValueKind::Array(array) = value.view() {
        if !array.is_empty() {
            return form::set(call.vm, handle, value);
        }
        // SAFETY: the handle is live.
        unsafe {
            sys::curl_easy_setopt(
                handle.easy,
                sys::CURLOPT_MIMEPOST,
                std::ptr::null::<c_void>(),
            );
        }
    }
    let text = match value.view() {
        ValueKind::Array(_) => Vec::new(),
        _ => text_of(call.vm, value)?,
    };
    let old = (handle.fields.take(), handle.form.take());
    handle.let_go(old);
    // SAFETY: the handle is live, and the bytes are copied.
    unsafe {
        sys::curl_easy_setopt(
            handle.easy,
            sys::CURLOPT_POSTFIELDSIZE_LARGE,
            text.len() as i64,
        );
        Ok(sys::curl_easy_setopt(
            handle.easy,
            sys::CURLOPT_COPYPOSTFIELDS,
            text.as_ptr(),
        ))
    }
}

fn set_function(call: &mut Call<'_>, option: i64, value: &Value, place: Form) -> PhpResult<()> {
    let object = call.object(0);
    let mut function = None;
    if !value.is_null() {
        if let Err(reason) = call.vm.check_callable(value) {
            call.vm.check()?;
            let name = name_of(option).unwrap_or_default();
            let index = match place {
                Form::One => 2,
                Form::Many => 1,
            };
            let problem = format!("must be a valid callback for option {name}, {reason}");
            return Err(call.type_error(index, &problem));
        }
        function = Some(call.vm.kept_callable(value.clone()));
    }
    let handle = of(&object);
    let functions = &mut handle.functions;
    let sink = match option {
        numbers::WRITEFUNCTION => Some(&mut handle.write),
        numbers::HEADERFUNCTION => Some(&mut handle.header),
        _ => None,
    };
    if let Some(sink) = sink {
        let old = std::mem::replace(sink, function.map_or(Sink::Standard, Sink::Function));
        callbacks::connect(handle);
        drop(old);
        return Ok(());
    }
    let place = match option {
        numbers::READFUNCTION => &mut functions.read,
        numbers::PROGRESSFUNCTION => {
            functions.asks_progress = true;
            &mut functions.progress
        }
        numbers::XFERINFOFUNCTION => {
            functions.asks_transfer = true;
            &mut functions.transfer
        }
        numbers::FNMATCH_FUNCTION => &mut functions.matches,
        numbers::DEBUGFUNCTION => &mut functions.debug,
        numbers::PREREQFUNCTION => &mut functions.before,
        numbers::SSH_HOSTKEYFUNCTION => &mut functions.host_key,
        _ => return Ok(()),
    };
    let old = std::mem::replace(place, function);
    callbacks::connect(handle);
    drop(old);
    Ok(())
}

/// Streams that were closed since they were set: told of, and forgotten.
pub(super) fn check_streams(vm: &mut Vm, handle: &mut Handle) -> PhpResult<()> {
    let is_closed = |value: &Zval| {
        // SAFETY: I3: the value is held; the stream is only looked at.
        unsafe { stream_in(value) }.is_none()
    };
    let mut gone: Vec<(&str, &str)> = Vec::new();
    if handle.errors.as_ref().is_some_and(|file| is_closed(file)) {
        gone.push(("CURLOPT_STDERR", "stderr"));
        drop(handle.errors.take());
        callbacks::connect(handle);
    }
    if matches!(&handle.header, Sink::File(file) if is_closed(file)) {
        gone.push(("CURLOPT_WRITEHEADER", "default"));
        drop(std::mem::replace(&mut handle.header, Sink::Standard));
    }
    if handle
        .write_file
        .as_ref()
        .is_some_and(|file| is_closed(file))
    {
        gone.push(("CURLOPT_FILE", "default"));
        drop(std::mem::replace(&mut handle.write, Sink::Standard));
        drop(handle.write_file.take());
    }
    if handle.input.as_ref().is_some_and(|file| is_closed(file)) {
        gone.push(("CURLOPT_INFILE", "default"));
        drop(handle.input.take());
    }
    for (name, what) in gone {
        vm.function_warning(format!(
            "{name} resource has gone away, resetting to {what}"
        ));
        vm.check()?;
    }
    Ok(())
}
