//! SQLite, for the extensions `sqlite3` and `pdo_sqlite`: databases, statements, and functions of the
//! script that SQLite calls.

mod blob;
mod callbacks;
mod memory;
mod statement;
mod waiting;

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::null_mut;
use std::rc::Rc;

pub(crate) use libsqlite3_sys as sys;
use vm_runtime::limits::{self, Waits};
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::Vm;

pub(crate) use blob::open_blob;
pub(crate) use callbacks::Kind;
pub(crate) use statement::{Cell as Column, Statement};

use callbacks::Callback;

/// The number of a result; 0 is none of an error.
pub(crate) type Code = c_int;

/// What unwinds through SQLite: it waits until SQLite has returned.
type Payload = Box<dyn std::any::Any + Send>;

/// An open database. Statements share it.
pub(crate) struct Database {
    handle: *mut sys::sqlite3,
    /// The VM, which never moves and outlives its databases.
    vm: *mut Vm,
    /// Functions of the script. SQLite has pointers to them, so they stay where they are; their
    /// callables go when the object of the database does.
    #[expect(clippy::vec_box, reason = "SQLite has pointers to them")]
    callbacks: RefCell<Vec<Box<Callback>>>,
    /// What the script has to say to what statements do.
    authorizer: RefCell<Option<Rc<Callback>>>,
    /// Errors of the authorizer are exceptions.
    pub(crate) throws: Cell<bool>,
    /// What a function of the script threw natively.
    unwinding: Cell<Option<Payload>>,
    closed: Cell<bool>,
    /// How many functions of the script SQLite is waiting for.
    calling: Cell<u32>,
    /// Since SQLite was asked to work: it may wait for files.
    pub(super) waits: Cell<Option<Waits>>,
    /// How long to wait for others, in milliseconds.
    timeout: Cell<i64>,
    /// The script ends, and so it waits no longer.
    hurried: Cell<bool>,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Database")
    }
}

/// A text of SQLite's.
///
/// # Safety
/// `text` is null or ends with NUL.
unsafe fn owned(text: *const c_char) -> Vec<u8> {
    if text.is_null() {
        return Vec::new();
    }
    // SAFETY: by the caller.
    unsafe { CStr::from_ptr(text) }.to_bytes().to_vec()
}

/// A name for SQLite, cut at a NUL.
fn c_text(text: &[u8]) -> CString {
    let end = memchr::memchr(0, text).unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// The version of SQLite, as text and as a number.
pub(crate) fn version() -> (Vec<u8>, i64) {
    // SAFETY: both only read constants.
    unsafe {
        (
            owned(sys::sqlite3_libversion()),
            i64::from(sys::sqlite3_libversion_number()),
        )
    }
}

impl Database {
    /// Opens a database, or says why not.
    pub(crate) fn open(
        vm: &mut Vm,
        name: &[u8],
        flags: i64,
    ) -> Result<Rc<Database>, (Code, String)> {
        memory::install();
        waiting::install();
        let mut handle = null_mut();
        let file = c_text(name);
        // A connection is used by its VM alone, which runs on one thread at a time (I1): nothing has to be locked.
        let mut flags = flags as c_int;
        if flags & sys::SQLITE_OPEN_FULLMUTEX == 0 {
            flags |= sys::SQLITE_OPEN_NOMUTEX;
        }
        // SAFETY: the name ends with NUL; SQLite gives a handle even where it fails.
        let code =
            unsafe { sys::sqlite3_open_v2(file.as_ptr(), &mut handle, flags, std::ptr::null()) };
        let database = Rc::new(Database {
            handle,
            vm,
            callbacks: RefCell::default(),
            authorizer: RefCell::default(),
            throws: Cell::new(false),
            unwinding: Cell::new(None),
            closed: Cell::new(false),
            calling: Cell::new(0),
            waits: Cell::new(None),
            timeout: Cell::new(0),
            hurried: Cell::new(false),
        });
        if code != sys::SQLITE_OK {
            return Err((code, database.message()));
        }
        let data: *mut c_void = Rc::as_ptr(&database).cast_mut().cast();
        // SAFETY: the handle is open, and the database lives as long. Foreign keys are off unless
        // asked for, as SQLite itself has it.
        unsafe {
            sys::sqlite3_progress_handler(handle, 1000, Some(progress), data);
            sys::sqlite3_set_authorizer(handle, Some(callbacks::authorize), data);
            sys::sqlite3_db_config(
                handle,
                sys::SQLITE_DBCONFIG_ENABLE_FKEY,
                0 as c_int,
                null_mut::<c_int>(),
            );
        }
        Ok(database)
    }

    /// The handle for SQLite's functions.
    pub(crate) fn handle(&self) -> *mut sys::sqlite3 {
        self.handle
    }

    /// Calls SQLite; what functions of the script threw natively meanwhile goes on afterwards.
    pub(crate) fn run<T>(&self, call: impl FnOnce(*mut sys::sqlite3) -> T) -> T {
        self.waits.set(None);
        let working = waiting::Working::begin(self);
        let result = call(self.handle);
        drop(working);
        if let Some(payload) = self.unwinding.take() {
            resume_unwind(payload);
        }
        result
    }

    /// Runs code of ours that SQLite calls: nothing unwinds through SQLite. Once something wants to, no more of it runs.
    fn guarded<T>(&self, body: impl FnOnce(&mut Vm) -> T) -> Option<T> {
        if self.is_unwinding() {
            return None;
        }
        // SAFETY: I1: the VM never moves, and outlives its databases.
        let vm = unsafe { &mut *self.vm };
        self.calling.set(self.calling.get() + 1);
        let result = catch_unwind(AssertUnwindSafe(|| body(vm)));
        self.calling.set(self.calling.get() - 1);
        match result {
            Ok(result) => Some(result),
            Err(payload) => {
                self.unwinding.set(Some(payload));
                None
            }
        }
    }

    /// True if something waits for SQLite to return before it unwinds.
    fn is_unwinding(&self) -> bool {
        let payload = self.unwinding.take();
        let is_there = payload.is_some();
        self.unwinding.set(payload);
        is_there
    }

    /// Does what the script's functions do: while they wait, SQLite does not.
    fn call_script<T>(&self, body: impl FnOnce(&mut Vm) -> T) -> Option<T> {
        if let Some(waits) = self.waits.take() {
            waits.end();
        }
        let result = self.guarded(body);
        self.waits.set(None);
        result
    }

    /// True while SQLite waits for a function of the script.
    pub(crate) fn is_calling(&self) -> bool {
        self.calling.get() > 0
    }

    /// The last error.
    pub(crate) fn code(&self) -> Code {
        // SAFETY: the handle is open.
        unsafe { sys::sqlite3_errcode(self.handle) }
    }

    pub(crate) fn extended_code(&self) -> Code {
        // SAFETY: the handle is open.
        unsafe { sys::sqlite3_extended_errcode(self.handle) }
    }

    /// What the last error was.
    pub(crate) fn message(&self) -> String {
        // SAFETY: the handle is open, or null, which SQLite takes for want of memory.
        let message = unsafe { owned(sys::sqlite3_errmsg(self.handle)) };
        vm_runtime::message::text(&message).into_owned()
    }

    /// Runs statements, one after the other, without their results.
    pub(crate) fn execute(&self, sql: &[u8]) -> Result<(), (Code, String)> {
        let sql = c_text(sql);
        self.run(|handle| {
            let mut message: *mut c_char = null_mut();
            // SAFETY: the text ends with NUL; the message is freed below.
            let code =
                unsafe { sys::sqlite3_exec(handle, sql.as_ptr(), None, null_mut(), &mut message) };
            if code == sys::SQLITE_OK {
                return Ok(());
            }
            // SAFETY: null or a text of SQLite's.
            let text = unsafe {
                let text = owned(message);
                sys::sqlite3_free(message.cast());
                text
            };
            Err((code, vm_runtime::message::text(&text).into_owned()))
        })
    }

    /// Rows that the last statement changed.
    pub(crate) fn changes(&self) -> i64 {
        // SAFETY: the handle is open.
        i64::from(unsafe { sys::sqlite3_changes(self.handle) })
    }

    pub(crate) fn last_insert_row(&self) -> i64 {
        // SAFETY: the handle is open.
        unsafe { sys::sqlite3_last_insert_rowid(self.handle) }
    }

    /// True outside of transactions.
    pub(crate) fn is_autocommit(&self) -> bool {
        // SAFETY: the handle is open.
        unsafe { sys::sqlite3_get_autocommit(self.handle) != 0 }
    }

    /// How long to wait for others.
    pub(crate) fn set_timeout(&self, milliseconds: i64) -> Code {
        self.timeout.set(milliseconds);
        // SAFETY: the handle is open.
        unsafe { sys::sqlite3_busy_timeout(self.handle, milliseconds as c_int) }
    }

    /// A pragma is about to say how long to wait: who waited no longer goes back to that.
    fn note_timeout(&self, pragma: &[u8], argument: Option<&[u8]>) {
        if let Some(argument) = argument
            && pragma.eq_ignore_ascii_case(b"busy_timeout")
        {
            // As SQLite reads it: what is no number is none.
            let text = std::str::from_utf8(argument).unwrap_or_default();
            self.timeout.set(text.parse::<i32>().unwrap_or(0).into());
        }
    }

    pub(crate) fn set_extended_codes(&self, on: bool) -> Code {
        // SAFETY: the handle is open.
        unsafe { sys::sqlite3_extended_result_codes(self.handle, on as c_int) }
    }

    /// Forbids what could break the file.
    pub(crate) fn set_defensive(&self) {
        // SAFETY: the handle is open.
        unsafe {
            sys::sqlite3_db_config(
                self.handle,
                sys::SQLITE_DBCONFIG_DEFENSIVE,
                1 as c_int,
                null_mut::<c_int>(),
            );
        }
    }

    /// Copies a database into another one.
    pub(crate) fn backup(&self, from: &[u8], target: &Database, to: &[u8]) -> Code {
        let (from, to) = (c_text(from), c_text(to));
        // Either may have to wait for others.
        self.run(|source| {
            target.run(|handle| {
                // SAFETY: both handles are open; the backup is finished before they may be closed.
                unsafe {
                    let backup =
                        sys::sqlite3_backup_init(handle, to.as_ptr(), source, from.as_ptr());
                    if backup.is_null() {
                        return self.code();
                    }
                    loop {
                        // What ends the script here goes on when the backup is finished.
                        let ends = target.guarded(|_| limits::poll()).is_none();
                        let code = match ends {
                            true => sys::SQLITE_INTERRUPT,
                            false => sys::sqlite3_backup_step(backup, 64),
                        };
                        if code != sys::SQLITE_OK {
                            let finished = sys::sqlite3_backup_finish(backup);
                            return match code {
                                sys::SQLITE_DONE => finished,
                                code => code,
                            };
                        }
                    }
                }
            })
        })
    }

    /// Adds a function of the script, see [`Kind`].
    pub(crate) fn add(
        self: &Rc<Self>,
        kind: Kind,
        name: &[u8],
        arguments: i64,
        flags: i64,
        callables: Vec<Value>,
    ) -> bool {
        let callback = Box::new(Callback::new(self, kind, callables));
        let pointer: *mut c_void = (&raw const *callback).cast_mut().cast();
        let code = callbacks::register(self.handle, kind, &c_text(name), arguments, flags, pointer);
        let done = code == sys::SQLITE_OK;
        if done {
            self.callbacks.borrow_mut().push(callback);
        }
        done
    }

    /// Makes a function of the script the authorizer, or none.
    pub(crate) fn set_authorizer(self: &Rc<Self>, callable: Option<Value>) {
        let callback =
            callable.map(|callable| Rc::new(Callback::new(self, Kind::Function, vec![callable])));
        let before = self.authorizer.replace(callback);
        if let Some(before) = before {
            before.forget();
        }
    }

    /// Values that the functions hold, for the collector: told by the object of the database only.
    pub(crate) fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        for callback in self.callbacks.borrow().iter() {
            callback.visit(visitor);
        }
        if let Some(authorizer) = &*self.authorizer.borrow() {
            authorizer.visit(visitor);
        }
    }

    /// The object of the database goes: functions of the script are not called any more.
    pub(crate) fn forget_callables(&self) {
        for callback in self.callbacks.borrow().iter() {
            callback.forget();
        }
        let authorizer = self.authorizer.take();
        if let Some(authorizer) = authorizer {
            authorizer.forget();
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if !self.closed.replace(true) {
            // SAFETY: opened by `open`, closed once, after all its statements and blobs.
            unsafe { sys::sqlite3_close(self.handle) };
        }
    }
}

/// SQLite works: the limits of the script hold.
unsafe extern "C" fn progress(database: *mut c_void) -> c_int {
    // SAFETY: registered with the database, which lives as long as its handle.
    let database = unsafe { &*database.cast::<Database>() };
    let look = |_: &mut Vm| {
        let mut waits = database.waits.take().unwrap_or_else(Waits::begin);
        waits.poll();
        database.waits.set(Some(waits));
    };
    match database.guarded(look) {
        Some(()) => 0,
        None => 1,
    }
}
