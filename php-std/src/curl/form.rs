//! What is sent as a form: fields and files.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::rc::Rc;

use vm_runtime::object::PhpObject;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::callbacks::text_of;
use super::handle::{Handle, guarded};
use super::sys;
use crate::standard::files::Stream;

/// A form that a handle sends.
pub(super) struct Form {
    mime: *mut sys::Mime,
    /// What its parts are read from; libcurl owns a share of each.
    sources: Vec<Rc<Source>>,
}

impl Form {
    /// Each part is about to be copied, with what it is read from.
    pub(super) fn share(&self) {
        for source in &self.sources {
            let _ = Rc::into_raw(source.clone());
        }
    }
}

impl Drop for Form {
    fn drop(&mut self) {
        // SAFETY: the form is ours; its handle is told of another one first, or goes.
        unsafe { sys::curl_mime_free(self.mime) };
    }
}

/// A file whose contents are a part of a form.
struct Source {
    vm: *mut Vm,
    stream: RefCell<Stream>,
}

unsafe extern "C" fn read(
    buffer: *mut c_char,
    size: usize,
    count: usize,
    data: *mut c_void,
) -> usize {
    // SAFETY: libcurl hands over the source it was given.
    let source = unsafe { &*data.cast::<Source>() };
    let room = size * count;
    let found = guarded(source.vm, |vm| {
        vm.poll();
        source.stream.try_borrow_mut().ok()?.read(room).ok()
    });
    match found.flatten() {
        Some(found) => {
            let length = found.len().min(room);
            // SAFETY: the buffer has that much room.
            unsafe { std::ptr::copy_nonoverlapping(found.as_ptr(), buffer.cast(), length) };
            length
        }
        None => 0x1000_0000,
    }
}

unsafe extern "C" fn seek(data: *mut c_void, offset: i64, whence: c_int) -> c_int {
    // SAFETY: as in `read`.
    let source = unsafe { &*data.cast::<Source>() };
    let done = guarded(source.vm, |_| {
        let stream = source.stream.try_borrow_mut();
        stream.is_ok_and(|mut stream| stream.seek(offset, i64::from(whence)))
    });
    // 2: cannot seek.
    if done == Some(true) { 0 } else { 2 }
}

unsafe extern "C" fn free(data: *mut c_void) {
    // SAFETY: libcurl gives each share back once; a stream that runs code of the script when it is
    // closed must not unwind.
    let source = unsafe { Rc::from_raw(data.cast::<Source>()) };
    let vm = source.vm;
    guarded(vm, |_| drop(source));
}

/// A text without a zero byte.
fn c_text(text: &[u8]) -> CString {
    let end = memchr::memchr(0, text).unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// A property of an object of PHP's own classes.
fn property(vm: &mut Vm, object: &PhpObject, name: &str) -> PhpResult<Option<Vec<u8>>> {
    let table = vm_runtime::operators::convert::property_table(vm, object);
    let found = table.iter().find_map(|(key, value)| {
        let key = key.to_value();
        let is_it = key
            .string()
            .is_some_and(|key| key.as_bytes() == name.as_bytes());
        is_it.then(|| crate::support::hold(value))
    });
    match found {
        Some(value) => Ok(Some(text_of(vm, &value)?)),
        None => Ok(None),
    }
}

/// Makes the form of fields and gives it to a handle: libcurl's number of an error, or 0.
pub(super) fn set(vm: &mut Vm, handle: &mut Handle, fields: &Value) -> PhpResult<sys::CURLcode> {
    // SAFETY: the handle is live.
    let mime = unsafe { sys::curl_mime_init(handle.easy) };
    let mut form = Form {
        mime,
        sources: Vec::new(),
    };
    let mut code = 0;
    if let ValueKind::Array(array) = fields.view() {
        for (key, value) in array.iter() {
            let key = key.to_value();
            let name = text_of(vm, &key)?;
            let value = crate::support::hold(value);
            if let ValueKind::Array(list) = value.view() {
                for (_, value) in list.iter() {
                    let value = crate::support::hold(value);
                    code = part(vm, &mut form, &name, &value)?;
                    if code != 0 {
                        return Ok(code);
                    }
                }
                continue;
            }
            code = part(vm, &mut form, &name, &value)?;
            if code != 0 {
                return Ok(code);
            }
        }
    }
    // SAFETY: handle and form are live; the form that the handle had goes afterwards.
    code =
        code.max(unsafe { sys::curl_easy_setopt(handle.easy, sys::CURLOPT_MIMEPOST, form.mime) });
    let old = (
        handle.form.replace(form),
        handle.fields.replace(fields.clone()),
    );
    handle.let_go(old);
    Ok(code)
}

fn part(vm: &mut Vm, form: &mut Form, name: &[u8], value: &Value) -> PhpResult<sys::CURLcode> {
    let is = |vm: &mut Vm, object: &PhpObject, class: &[u8]| {
        // SAFETY: I4: classes live until the VM ends.
        let class = vm.linked_class(class);
        class.is_some_and(|class| object.class().is_subclass_of(class))
    };
    let name = c_text(name);
    // SAFETY: the form is live.
    let part = unsafe { sys::curl_mime_addpart(form.mime) };
    if part.is_null() {
        return Ok(27);
    }
    // SAFETY: the part is the form's; texts end with NUL and are copied.
    let named = |part| unsafe { sys::curl_mime_name(part, name.as_ptr()) };
    let ValueKind::Object(object) = value.view() else {
        let text = text_of(vm, value)?;
        // SAFETY: as above; the data is copied.
        let code = unsafe { sys::curl_mime_data(part, text.as_ptr().cast(), text.len()) };
        return Ok(code.max(named(part)));
    };
    if is(vm, object, b"curlstringfile") {
        let data = property(vm, object, "data")?.unwrap_or_default();
        let file = c_text(&property(vm, object, "postname")?.unwrap_or_default());
        let kind = c_text(&property(vm, object, "mime")?.unwrap_or_default());
        // SAFETY: as above.
        return Ok(unsafe {
            sys::curl_mime_data(part, data.as_ptr().cast(), data.len())
                .max(named(part))
                .max(sys::curl_mime_filename(part, file.as_ptr()))
                .max(sys::curl_mime_type(part, kind.as_ptr()))
        });
    }
    if !is(vm, object, b"curlfile") {
        let text = text_of(vm, value)?;
        // SAFETY: as above.
        let code = unsafe { sys::curl_mime_data(part, text.as_ptr().cast(), text.len()) };
        return Ok(code.max(named(part)));
    }
    let path = property(vm, object, "name")?.unwrap_or_default();
    let kind = property(vm, object, "mime")?.unwrap_or_default();
    let shown = property(vm, object, "postname")?.unwrap_or_default();
    let function = crate::support::current_function(vm);
    if !vm_runtime::limits::directories::is_allowed(vm, &path, &function)? {
        return Ok(1);
    }
    let kind = match kind.is_empty() {
        true => c_text(b"application/octet-stream"),
        false => c_text(&kind),
    };
    let shown = match shown.is_empty() {
        true => {
            let start = memchr::memrchr(b'/', &path).map_or(0, |at| at + 1);
            c_text(&path[start..])
        }
        false => c_text(&shown),
    };
    let silence = vm.begin_silence();
    let stream = crate::standard::files::open(vm, &path, b"rb");
    vm.end_silence(silence);
    let code = match stream? {
        Some(stream) => {
            let length = stream.length().map_or(-1, |length| length as i64);
            let source = Rc::new(Source {
                vm,
                stream: RefCell::new(stream),
            });
            form.sources.push(source.clone());
            let source = Rc::into_raw(source).cast_mut();
            // SAFETY: libcurl owns the source from here on, and gives it to `free`.
            unsafe {
                sys::curl_mime_data_cb(part, length, read, Some(seek), Some(free), source.cast())
            }
        }
        None => {
            let path = c_text(&path);
            // SAFETY: as above.
            unsafe { sys::curl_mime_filedata(part, path.as_ptr()) }
        }
    };
    // SAFETY: as above.
    Ok(unsafe {
        code.max(named(part))
            .max(sys::curl_mime_filename(part, shown.as_ptr()))
            .max(sys::curl_mime_type(part, kind.as_ptr()))
    })
}

/// Gives a copied handle a form of its own.
pub(super) fn attach(vm: &mut Vm, handle: &mut Handle) -> PhpResult<()> {
    let Some(fields) = handle.fields.clone() else {
        return Ok(());
    };
    let done = set(vm, handle, &fields);
    if handle.form.is_none() {
        // Without one of its own, the copy sends none.
        // SAFETY: the handle is live.
        unsafe {
            sys::curl_easy_setopt(
                handle.easy,
                sys::CURLOPT_MIMEPOST,
                std::ptr::null::<c_void>(),
            );
        }
    }
    done.map(|_| ())
}
