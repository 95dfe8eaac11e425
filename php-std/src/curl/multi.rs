//! Multi handles: several transfers at once.

use std::any::Any;
use std::cell::Cell;
use std::ffi::{c_int, c_long};
use std::ptr::null_mut;
use std::rc::Rc;
use std::time::Instant;

use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::{Value, ValueKind, Zval};
use vm_runtime::vm::PhpResult;

use super::handle::{Handle, Shared, of, run, text};
use super::{memory, options, sys};

/// How long libcurl waits before limits are looked at, in milliseconds.
const SLICE: f64 = 50.0;

/// The native part of a `CurlMultiHandle`.
pub(super) struct Native {
    multi: *mut sys::CURLM,
    /// The same, for the handles that were added.
    shared: Shared,
    /// The objects of the handles that were added.
    handles: Vec<Value>,
    push: Option<Value>,
    code: i64,
}

impl Default for Native {
    fn default() -> Native {
        Native {
            multi: null_mut(),
            shared: Rc::new(Cell::new(null_mut())),
            handles: Vec::new(),
            push: None,
            code: 0,
        }
    }
}

impl NativeData for Native {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        self.handles.iter().for_each(|value| visitor(value));
        self.push.iter().for_each(|value| visitor(value));
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        if self.multi.is_null() {
            return;
        }
        self.shared.set(null_mut());
        // SAFETY: the handle is live; libcurl takes out the handles that are still in it.
        unsafe { sys::curl_multi_cleanup(self.multi) };
    }
}

fn native(object: &PhpObject) -> &mut Native {
    object.native::<Native>().expect("made with the object")
}

pub(super) fn init(call: &mut Call<'_>) -> PhpResult<Value> {
    memory::install();
    let Some(class) = call.vm.linked_class(b"curlmultihandle") else {
        return Ok(Value::NULL);
    };
    let object = new_object(call.vm, class)?;
    // SAFETY: libcurl is prepared.
    let multi = unsafe { sys::curl_multi_init() };
    native(&object).multi = multi;
    native(&object).shared.set(multi);
    Ok(object.into())
}

pub(super) fn add(call: &mut Call<'_>) -> PhpResult<Value> {
    let (multi, object) = (call.object(0), call.object(1));
    let handle = of(&object);
    options::check_streams(call.vm, handle)?;
    let native = native(&multi);
    // SAFETY: both handles are live.
    let code = run(|| unsafe { sys::curl_multi_add_handle(native.multi, handle.easy) });
    if code == 0 {
        handle.begin();
        handle.set_multi(Some(native.shared.clone()));
        native.handles.push(object.into());
    }
    native.code = i64::from(code);
    Ok(i64::from(code).into())
}

pub(super) fn remove(call: &mut Call<'_>) -> PhpResult<Value> {
    let (multi, object) = (call.object(0), call.object(1));
    let native = native(&multi);
    // SAFETY: both handles are live.
    let code = run(|| unsafe { sys::curl_multi_remove_handle(native.multi, of(&object).easy) });
    native.code = i64::from(code);
    let place = native.handles.iter().position(|value| {
        matches!(value.view(), ValueKind::Object(known) if std::ptr::eq(known, object.as_ptr()))
    });
    let held = match (code, place) {
        (0, Some(place)) => {
            of(&object).set_multi(None);
            Some(native.handles.remove(place))
        }
        _ => None,
    };
    drop(held);
    Ok(i64::from(code).into())
}

pub(super) fn perform(call: &mut Call<'_>) -> PhpResult<Value> {
    let multi = call.object(0);
    // What is added stays as long as libcurl may call for it.
    let held = native(&multi).handles.clone();
    for value in &held {
        if let ValueKind::Object(object) = value.view() {
            options::check_streams(call.vm, of(object))?;
        }
    }
    let mut running: c_int = 0;
    let pointer = native(&multi).multi;
    call.vm.poll();
    // SAFETY: the handle is live.
    let code = run(|| unsafe { sys::curl_multi_perform(pointer, &raw mut running) });
    native(&multi).code = i64::from(code);
    call.vm.check()?;
    call.assign(1, i64::from(running).into());
    Ok(i64::from(code).into())
}

/// Waits for transfers until something happens, at most for some seconds.
pub(super) fn select(call: &mut Call<'_>) -> PhpResult<Value> {
    let seconds = call.double(1);
    let milliseconds = seconds * 1000.0;
    if !(0.0..=f64::from(c_int::MAX)).contains(&milliseconds) {
        let most = f64::from(c_int::MAX) / 1000.0;
        let problem = format!("must be between 0 and {}", most as i64);
        return Err(call.value_error(1, &problem));
    }
    let multi = call.object(0);
    let pointer = native(&multi).multi;
    let started = Instant::now();
    loop {
        let left = milliseconds - started.elapsed().as_secs_f64() * 1000.0;
        let slice = left.clamp(0.0, SLICE);
        let mut found: c_int = 0;
        let waits = limits::Waits::begin();
        // SAFETY: the handle is live.
        let code = run(|| unsafe {
            sys::curl_multi_wait(pointer, null_mut(), 0, slice as c_int, &raw mut found)
        });
        waits.end();
        call.vm.poll();
        if code != 0 {
            native(&multi).code = i64::from(code);
            return Ok((-1i64).into());
        }
        // Without transfers libcurl does not wait.
        if found > 0 || left <= SLICE || native(&multi).handles.is_empty() {
            return Ok(i64::from(found).into());
        }
    }
}

pub(super) fn content(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let handle = of(&object);
    Ok(match &handle.write {
        super::handle::Sink::Kept => call.vm.string(&handle.received).into(),
        _ => Value::NULL,
    })
}

pub(super) fn read_info(call: &mut Call<'_>) -> PhpResult<Value> {
    let multi = call.object(0);
    let native = native(&multi);
    let mut left: c_int = 0;
    // SAFETY: the handle is live.
    let message = unsafe { sys::curl_multi_info_read(native.multi, &raw mut left) };
    if message.is_null() {
        return Ok(false.into());
    }
    call.assign(1, i64::from(left).into());
    // SAFETY: libcurl keeps the message until it is called again; for this kind its data is a number.
    let (kind, easy, code) = unsafe {
        let message = &*message;
        (
            message.msg,
            message.easy_handle,
            message.data as usize as u32,
        )
    };
    let mut array = call.vm.new_array();
    let set = array.make_mut(call.vm);
    set.set_bytes(b"msg", i64::from(kind).into());
    set.set_bytes(b"result", i64::from(code as i32).into());
    let found = native
        .handles
        .iter()
        .find(|value| matches!(value.view(), ValueKind::Object(object) if of(object).easy == easy));
    if let Some(value) = found {
        if let ValueKind::Object(object) = value.view() {
            of(object).code = code;
        }
        let value = value.clone();
        array.make_mut(call.vm).set_bytes(b"handle", value);
    }
    Ok(array.into())
}

pub(super) fn close(call: &mut Call<'_>) -> PhpResult<Value> {
    let multi = call.object(0);
    let native = native(&multi);
    let handles = std::mem::take(&mut native.handles);
    for value in &handles {
        if let ValueKind::Object(object) = value.view() {
            // SAFETY: both handles are live.
            let code =
                run(|| unsafe { sys::curl_multi_remove_handle(native.multi, of(object).easy) });
            if code == 0 {
                of(object).set_multi(None);
            }
        }
    }
    drop(handles);
    Ok(Value::NULL)
}

/// Options that are numbers.
const NUMBERS: [i64; 9] = [3, 6, 7, 8, 13, 16, 30009, 30010, 10];

pub(super) fn set(call: &mut Call<'_>) -> PhpResult<Value> {
    let multi = call.object(0);
    let option = call.long(1);
    let value = call.value(2);
    if option == 20014 {
        // Servers push by HTTP/2 alone, which this libcurl was built without.
        if let Err(reason) = call.vm.check_callable(&value) {
            call.vm.check()?;
            let problem =
                format!("must be a valid callback for option CURLMOPT_PUSHFUNCTION, {reason}");
            return Err(call.type_error(1, &problem));
        }
        let push = call.vm.kept_callable(value);
        drop(native(&multi).push.replace(push));
        return Ok(true.into());
    }
    if !NUMBERS.contains(&option) {
        return Err(call.value_error(1, "is not a valid cURL multi option"));
    }
    let number = value.to_long(call.vm);
    let native = native(&multi);
    // SAFETY: the handle is live.
    let code = unsafe {
        sys::curl_multi_setopt(native.multi, option as sys::CURLMoption, number as c_long)
    };
    native.code = i64::from(code);
    Ok((code == 0).into())
}

pub(super) fn error(call: &mut Call<'_>) -> PhpResult<Value> {
    let multi = call.object(0);
    Ok(native(&multi).code.into())
}

pub(super) fn error_text(call: &mut Call<'_>) -> PhpResult<Value> {
    let code = call.long(0) as c_int;
    // SAFETY: libcurl gives a constant text for each number.
    let found = unsafe { text(sys::curl_multi_strerror(code)) };
    Ok(match found {
        Some(found) => call.vm.string(found).into(),
        None => Value::NULL,
    })
}

/// `curl_exec()`: a transfer from its start to its end.
pub(super) fn transfer(call: &mut Call<'_>, handle: &mut Handle) -> PhpResult<sys::CURLcode> {
    if handle.own_multi.is_null() {
        // SAFETY: libcurl is prepared.
        handle.own_multi = unsafe { sys::curl_multi_init() };
    }
    let (multi, easy) = (handle.own_multi, handle.easy);
    // SAFETY: both handles are live.
    if unsafe { sys::curl_multi_add_handle(multi, easy) } != 0 {
        return Ok(2);
    }
    let added = Added(multi, easy);
    handle.set_multi(Some(Rc::new(Cell::new(multi))));
    let mut result = 0;
    loop {
        let mut running: c_int = 0;
        // SAFETY: the handle is live.
        let code = run(|| unsafe { sys::curl_multi_perform(multi, &raw mut running) });
        call.vm.poll();
        if code != 0 {
            result = 2;
            break;
        }
        if running == 0 {
            break;
        }
        let waits = limits::Waits::begin();
        // SAFETY: the handle is live.
        run(|| unsafe { sys::curl_multi_poll(multi, null_mut(), 0, SLICE as c_int, null_mut()) });
        waits.end();
        call.vm.poll();
    }
    let mut left: c_int = 0;
    loop {
        // SAFETY: the handle is live, and keeps a message until it is called again.
        let message = unsafe { sys::curl_multi_info_read(multi, &raw mut left) };
        if message.is_null() {
            break;
        }
        // SAFETY: as above.
        unsafe {
            if (*message).easy_handle == easy {
                result = (*message).data as usize as u32;
            }
        }
    }
    drop(added);
    handle.set_multi(None);
    call.vm.check()?;
    Ok(result)
}

/// A handle in the multi handle of its own: it is taken out also where the script ends.
struct Added(*mut sys::CURLM, *mut sys::CURL);

impl Drop for Added {
    fn drop(&mut self) {
        // SAFETY: both handles are live as long as the call.
        unsafe { sys::curl_multi_remove_handle(self.0, self.1) };
    }
}
