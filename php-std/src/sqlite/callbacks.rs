//! Functions of the script that SQLite calls.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::rc::Rc;

use vm_runtime::operators::{to_long, to_string};
use vm_runtime::value::{PhpReference, Value, ValueKind, Zval};
use vm_runtime::vm::Vm;

use super::statement::Cell;
use super::{Database, owned, sys};

/// What a function of the script is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Function,
    /// Two functions: one for each row, one for the result.
    Aggregate,
    /// As an aggregate; the second function is told how often there was a call.
    CountedAggregate,
    Collation,
    /// As a collation whose function gives nothing but integers.
    StrictCollation,
}

/// Functions of the script under one name.
pub(super) struct Callback {
    /// The database that has the function, which lives as long as it does.
    database: *const Database,
    callables: RefCell<Vec<Value>>,
    kind: Kind,
}

impl Callback {
    pub(super) fn new(database: &Rc<Database>, kind: Kind, callables: Vec<Value>) -> Callback {
        Callback {
            database: Rc::as_ptr(database),
            callables: RefCell::new(callables),
            kind,
        }
    }

    pub(super) fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        for callable in self.callables.borrow().iter() {
            visitor(callable);
        }
    }

    pub(super) fn forget(&self) {
        let callables = std::mem::take(&mut *self.callables.borrow_mut());
        drop(callables);
    }

    /// Calls one of the functions; None if that failed, or nothing is there to be called.
    fn call(&self, number: usize, arguments: impl FnOnce(&mut Vm) -> Vec<Value>) -> Option<Value> {
        let callable = self.callables.borrow().get(number).cloned()?;
        // SAFETY: the database lives as long as its functions.
        let database = unsafe { &*self.database };
        database.call_script(|vm| {
            vm.check().ok()?;
            let arguments = arguments(vm);
            vm.call(&callable, arguments).ok()
        })?
    }

    /// The order that a collation's function said; None if it threw while that was converted.
    fn order(&self, vm: &mut Vm, said: &Value) -> Option<i64> {
        if matches!(self.kind, Kind::StrictCollation) && !matches!(said.view(), ValueKind::Long(_))
        {
            vm.function_warning(
                "An error occurred while invoking the compare callback (invalid return type).  Collation behaviour is \
                 undefined.",
            );
            return None;
        }
        Some(to_long(vm, said))
    }

    fn vm<T>(&self, body: impl FnOnce(&mut Vm) -> T) -> Option<T> {
        // SAFETY: as above.
        unsafe { &*self.database }.guarded(body)
    }
}

/// Whether `open_basedir` lets the script at a file that is to be attached.
///
/// # Safety
/// `name` is null or ends with NUL.
unsafe fn may_attach(vm: &mut Vm, name: *const c_char) -> bool {
    if vm.ini.text("open_basedir").is_empty() {
        return true;
    }
    if name.is_null() {
        // It is not known yet what it will be.
        return false;
    }
    // SAFETY: by the caller.
    let name = unsafe { owned(name) };
    match name.as_slice() {
        b"" | b":memory:" => true,
        // What such a name means is SQLite's to say.
        name if name.starts_with(b"file:") => false,
        name => vm_runtime::limits::directories::lies_within(vm, name),
    }
}

/// Tells SQLite of a function.
pub(super) fn register(
    handle: *mut sys::sqlite3,
    kind: Kind,
    name: &CStr,
    arguments: i64,
    flags: i64,
    data: *mut c_void,
) -> c_int {
    let (name, arguments) = (name.as_ptr(), arguments as c_int);
    let form = sys::SQLITE_UTF8 | flags as c_int;
    // SAFETY: the data is a `Callback` that lives as long as the database.
    unsafe {
        match kind {
            Kind::Function => sys::sqlite3_create_function_v2(
                handle,
                name,
                arguments,
                form,
                data,
                Some(function),
                None,
                None,
                None,
            ),
            Kind::Aggregate | Kind::CountedAggregate => sys::sqlite3_create_function_v2(
                handle,
                name,
                arguments,
                form,
                data,
                None,
                Some(step),
                Some(finish),
                None,
            ),
            Kind::Collation | Kind::StrictCollation => {
                let text = sys::SQLITE_UTF8;
                sys::sqlite3_create_collation_v2(handle, name, text, data, Some(collate), None)
            }
        }
    }
}

/// The values that SQLite hands over.
///
/// # Safety
/// `values` points to `count` values.
unsafe fn cells(count: c_int, values: *mut *mut sys::sqlite3_value) -> Vec<Cell> {
    (0..count as usize)
        .map(|index| {
            // SAFETY: by the caller; texts are copied before the next call.
            unsafe {
                let value = *values.add(index);
                let bytes = |start: *const u8| {
                    let length = sys::sqlite3_value_bytes(value) as usize;
                    match start.is_null() {
                        true => Vec::new(),
                        false => std::slice::from_raw_parts(start, length).to_vec(),
                    }
                };
                match sys::sqlite3_value_type(value) {
                    sys::SQLITE_INTEGER => Cell::Integer(sys::sqlite3_value_int64(value)),
                    sys::SQLITE_FLOAT => Cell::Float(sys::sqlite3_value_double(value)),
                    sys::SQLITE_NULL => Cell::Null,
                    sys::SQLITE_BLOB => Cell::Blob(bytes(sys::sqlite3_value_blob(value).cast())),
                    _ => Cell::Text(bytes(sys::sqlite3_value_text(value))),
                }
            }
        })
        .collect()
}

/// What SQLite gave with the function that it calls.
///
/// # Safety
/// The context is that of a call of a function of ours.
unsafe fn callback<'a>(context: *mut sys::sqlite3_context) -> &'a Callback {
    // SAFETY: by the caller.
    unsafe { &*sys::sqlite3_user_data(context).cast::<Callback>() }
}

/// All that a function does, down to letting go of what the script gave, whose destructors may end it: nothing
/// unwinds through SQLite.
///
/// # Safety
/// The context is that of the call.
unsafe fn whole(context: *mut sys::sqlite3_context, callback: &Callback, body: impl FnOnce()) {
    if callback.vm(|_| body()).is_none() {
        // SAFETY: by the caller.
        unsafe { give(context, callback, None) };
    }
}

/// Gives SQLite the result of a function.
///
/// # Safety
/// The context is that of the call.
unsafe fn give(context: *mut sys::sqlite3_context, callback: &Callback, value: Option<Value>) {
    let Some(value) = value else {
        // SAFETY: of an empty text nothing is read. What was thrown says what is wrong.
        unsafe {
            sys::sqlite3_result_error(context, c"".as_ptr(), 0);
        }
        return;
    };
    // SAFETY: by the caller; texts are copied.
    unsafe {
        match value.view() {
            ValueKind::Null => sys::sqlite3_result_null(context),
            ValueKind::Long(number) => sys::sqlite3_result_int64(context, number),
            ValueKind::Double(number) => sys::sqlite3_result_double(context, number),
            _ => {
                let text = callback.vm(|vm| to_string(vm, &value).ok()).flatten();
                let Some(text) = text else {
                    return give(context, callback, None);
                };
                sys::sqlite3_result_text64(
                    context,
                    text.as_bytes().as_ptr().cast(),
                    text.len() as u64,
                    sys::SQLITE_TRANSIENT(),
                    sys::SQLITE_UTF8 as u8,
                );
            }
        }
    }
}

unsafe extern "C" fn function(
    context: *mut sys::sqlite3_context,
    count: c_int,
    values: *mut *mut sys::sqlite3_value,
) {
    // SAFETY: SQLite calls what was registered, with its values.
    unsafe {
        let callback = callback(context);
        let body = || {
            let cells = cells(count, values);
            let result = callback.call(0, |vm| {
                cells.into_iter().map(|cell| cell.into_value(vm)).collect()
            });
            give(context, callback, result);
        };
        whole(context, callback, body);
    }
}

/// What an aggregate has gathered.
struct Gathered {
    value: Value,
    rows: i64,
}

/// The place where SQLite keeps what an aggregate has gathered; zero at first.
///
/// # Safety
/// The context is that of an aggregate of ours.
unsafe fn gathered(context: *mut sys::sqlite3_context) -> *mut *mut Gathered {
    // SAFETY: by the caller; SQLite gives zeroed memory of this size, the same for all rows.
    unsafe { sys::sqlite3_aggregate_context(context, size_of::<*mut Gathered>() as c_int).cast() }
}

/// A share of a value, a reference as such.
fn share(value: &Zval) -> Value {
    // SAFETY: I3: the share belongs to the new value.
    unsafe { Value::from_zval(value.share()) }
}

/// A new reference to null.
fn new_reference(vm: &mut Vm) -> Value {
    let reference = PhpReference::allocate(&mut vm.heap, Zval::NULL);
    // SAFETY: I3: the reference's one share becomes the value's.
    unsafe { Value::from_zval(Zval::from_reference(reference.into_raw())) }
}

/// Gives a reference another value.
fn replace(reference: &Value, value: Value) {
    let value = Value::share(&value);
    // SAFETY: I3: the share keeps the reference alive; its value is replaced as a whole.
    unsafe {
        let target = &mut (*reference.reference()).value;
        let old = *target;
        target.set(value.into_zval());
        vm_runtime::value::release(&old);
    }
}

unsafe extern "C" fn step(
    context: *mut sys::sqlite3_context,
    count: c_int,
    values: *mut *mut sys::sqlite3_value,
) {
    // SAFETY: SQLite calls what was registered, with its values.
    unsafe {
        let callback = callback(context);
        whole(context, callback, || {
            gather(context, callback, cells(count, values))
        });
    }
}

/// Has the script's function gather what is in a row.
///
/// # Safety
/// The context is that of the call.
unsafe fn gather(context: *mut sys::sqlite3_context, callback: &Callback, cells: Vec<Cell>) {
    // SAFETY: by the caller; what was gathered stays where it is until the aggregate is finished.
    unsafe {
        let place = gathered(context);
        if place.is_null() {
            return;
        }
        if (*place).is_null() {
            let fresh = Gathered {
                value: Value::NULL,
                rows: 0,
            };
            *place = Box::into_raw(Box::new(fresh));
        }
        let gathered = &mut **place;
        gathered.rows += 1;
        // The function may take what was gathered by reference.
        let before = match gathered.value.is_reference() {
            true => share(&gathered.value),
            false => match callback.vm(new_reference) {
                Some(reference) => reference,
                None => return,
            },
        };
        let context_value = share(&before);
        gathered.value = context_value;
        let rows = gathered.rows;
        let result = callback.call(0, |vm| {
            let mut arguments = vec![before, rows.into()];
            arguments.extend(cells.into_iter().map(|cell| cell.into_value(vm)));
            arguments
        });
        match result {
            // The reference stays, with another value.
            Some(value) => callback
                .vm(|_| replace(&gathered.value, value))
                .unwrap_or(()),
            None => give(context, callback, None),
        }
    }
}

unsafe extern "C" fn finish(context: *mut sys::sqlite3_context) {
    // SAFETY: SQLite calls what was registered; what was gathered is taken back once.
    unsafe {
        let callback = callback(context);
        let place = gathered(context);
        let gathered = match place.is_null() || (*place).is_null() {
            true => Gathered {
                value: Value::NULL,
                rows: 0,
            },
            false => *Box::from_raw(std::mem::replace(&mut *place, std::ptr::null_mut())),
        };
        let rows = match callback.kind {
            Kind::CountedAggregate => gathered.rows + 1,
            _ => 0,
        };
        let mut gathered = Some(gathered.value);
        let body = || {
            let value = gathered.take().filter(|value| !value.is_null());
            let result = callback.call(1, |vm| {
                vec![value.unwrap_or_else(|| new_reference(vm)), rows.into()]
            });
            give(context, callback, result);
        };
        whole(context, callback, body);
        // What ends the script leaves values behind.
        std::mem::forget(gathered);
    }
}

unsafe extern "C" fn collate(
    data: *mut c_void,
    first_length: c_int,
    first: *const c_void,
    second_length: c_int,
    second: *const c_void,
) -> c_int {
    // SAFETY: SQLite gives what was registered, and texts with their lengths.
    unsafe {
        let callback = &*data.cast::<Callback>();
        let bytes = |start: *const c_void, length: c_int| match length {
            ..=0 => Vec::new(),
            length => std::slice::from_raw_parts(start.cast::<u8>(), length as usize).to_vec(),
        };
        let (first, second) = (bytes(first, first_length), bytes(second, second_length));
        // Letting go of what the script gave may end it, too: nothing unwinds through SQLite.
        let order = callback.vm(|_| {
            let result = callback.call(0, |vm| {
                vec![vm.string(first).into(), vm.string(second).into()]
            })?;
            callback.vm(|vm| callback.order(vm, &result)).flatten()
        });
        (order.flatten().unwrap_or(0) as c_int).signum()
    }
}

/// Whether SQLite may do something: files outside of `open_basedir` are left alone, and the script
/// may have a say.
pub(super) unsafe extern "C" fn authorize(
    data: *mut c_void,
    action: c_int,
    first: *const c_char,
    second: *const c_char,
    third: *const c_char,
    fourth: *const c_char,
) -> c_int {
    // SAFETY: SQLite gives what was registered, and texts or null.
    unsafe {
        let database = &*data.cast::<Database>();
        if action == sys::SQLITE_ATTACH
            && database.guarded(|vm| may_attach(vm, first)) != Some(true)
        {
            return sys::SQLITE_DENY;
        }
        if action == sys::SQLITE_PRAGMA {
            database.note_timeout(
                &owned(first),
                (!second.is_null()).then(|| owned(second)).as_deref(),
            );
        }
        let texts = [first, second, third, fourth];
        // Letting go of what the script gave may end it, too: nothing unwinds through SQLite.
        let verdict = database.guarded(|_| ask(database, action, texts));
        verdict.unwrap_or(sys::SQLITE_DENY)
    }
}

/// What the script says of something that SQLite is about to do.
///
/// # Safety
/// The texts end with NUL or are null.
unsafe fn ask(database: &Database, action: c_int, texts: [*const c_char; 4]) -> c_int {
    // SAFETY: by the caller.
    unsafe {
        let authorizer = database.authorizer.borrow().clone();
        let Some(callback) = authorizer.filter(|callback| !callback.callables.borrow().is_empty())
        else {
            return sys::SQLITE_OK;
        };
        let result = callback.call(0, |vm| {
            let mut arguments = vec![i64::from(action).into()];
            for text in texts {
                arguments.push(match text.is_null() {
                    true => Value::NULL,
                    false => vm.string(owned(text)).into(),
                });
            }
            arguments
        });
        let problem = match result.as_ref().map(|result| result.view()) {
            None => "An error occurred while invoking the authorizer callback".into(),
            Some(ValueKind::Long(verdict @ 0..=2)) => return verdict as c_int,
            Some(ValueKind::Long(verdict)) => {
                format!("The authorizer callback returned an invalid value: {verdict}")
            }
            Some(_) => "The authorizer callback returned an invalid type: expected int".into(),
        };
        let throws = database.throws.get();
        callback.vm(|vm| match throws {
            true => {
                let class = vm.linked_class(b"sqlite3exception");
                let class = class.unwrap_or(std::ptr::null_mut());
                let exception = vm.new_throwable(class, problem, 0);
                vm.throw_object(exception);
            }
            false => vm.function_warning(problem),
        });
        sys::SQLITE_DENY
    }
}
