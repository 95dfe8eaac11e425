//! The class `SQLite3`: a database.

use std::any::Any;
use std::rc::Rc;

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::limits::directories::is_allowed;
use vm_runtime::message::Message;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::{ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::result::{self, Rows};
use super::statement::Prepared;
use super::{Open, complain, not_initialised};
use crate::spl::this;
use crate::sqlite::{
    Database, Kind, Statement, open_blob as open_value, sys, version as sqlite_version,
};
use crate::standard::files::stream_value;
use crate::support::{kept_callable, text};

/// The native part of a SQLite3.
#[derive(Default)]
pub(super) struct Connection {
    pub(super) open: Open,
}

impl NativeData for Connection {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some(database) = &self.open.database {
            database.visit(visitor);
        }
    }
}

pub(super) fn connection(object: &PhpObject) -> &mut Connection {
    object.native::<Connection>().expect("made with the object")
}

/// The object and its database, which is open.
fn opened(call: &mut Call<'_>) -> PhpResult<(ObjectHandle, Rc<Database>)> {
    let object = this(call);
    match connection(&object).open.database.clone() {
        Some(database) => Ok((object, database)),
        None => Err(not_initialised(call.vm, "SQLite3")),
    }
}

/// Says what the database's last error was.
pub(super) fn failed(
    vm: &mut Vm,
    object: &PhpObject,
    database: &Database,
    what: &str,
) -> PhpResult<Value> {
    let message = format!("{what}{}", database.message());
    let code = i64::from(database.code());
    complain(vm, connection(object).open.throws, code, &message)
}

pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    if connection(&object).open.database.is_some() {
        let message = "Already initialised DB Object";
        return Err(call.vm.throw_error(KnownClass::Exception, message));
    }
    let (name, flags) = (call.bytes(0), call.long(1));
    if name.contains(&0) {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    let mut name = name.to_vec();
    let is_file = !name.is_empty() && name != b":memory:" && !name.starts_with(b"file:");
    if is_file {
        let function = call.function().display_name();
        if !is_allowed(call.vm, &name, &function)? {
            let shown = vm_runtime::message::text(&name);
            let message = format!("open_basedir prohibits opening {shown}");
            return Err(call.vm.throw_error(KnownClass::Exception, message));
        }
        if let Ok(absolute) = std::path::absolute(crate::standard::files::path(&name)) {
            name = absolute.into_os_string().into_encoded_bytes();
        }
    }
    match Database::open(call.vm, &name, flags) {
        Ok(database) => {
            if call.vm.ini.bool("sqlite3.defensive") {
                database.set_defensive();
            }
            let open = &mut connection(&object).open;
            database.throws.set(open.throws);
            open.database = Some(database);
            Ok(Value::NULL)
        }
        Err((_, message)) => {
            let message = format!("Unable to open database: {message}");
            Err(call.vm.throw_error(KnownClass::Exception, message))
        }
    }
}

pub(super) fn open(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    construct(call)
}

pub(super) fn close(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let open = &mut connection(&object).open;
    if open
        .database
        .as_ref()
        .is_some_and(|database| database.is_calling())
    {
        return Err(call.vm.throw_error(
            KnownClass::Error,
            "Cannot close SQLite3 database while inside a callback",
        ));
    }
    open.close();
    Ok(true.into())
}

pub(super) fn version(call: &mut Call<'_>) -> PhpResult<Value> {
    let (text, number) = sqlite_version();
    let mut table = call.vm.new_array();
    let text = call.vm.string(text).into();
    table.make_mut(call.vm).set_bytes(b"versionString", text);
    table
        .make_mut(call.vm)
        .set_bytes(b"versionNumber", number.into());
    Ok(table.into())
}

pub(super) fn last_insert_row_id(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(opened(call)?.1.last_insert_row().into())
}

pub(super) fn last_error_code(call: &mut Call<'_>) -> PhpResult<Value> {
    // There may be no database: then there is no error either.
    let object = this(call);
    let database = connection(&object).open.database.clone();
    Ok(i64::from(database.map_or(0, |database| database.code())).into())
}

pub(super) fn last_extended_error_code(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(i64::from(opened(call)?.1.extended_code()).into())
}

pub(super) fn last_error_msg(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let database = connection(&object).open.database.clone();
    let message = database.map_or_else(String::new, |database| database.message());
    text(call.vm, message.message())
}

pub(super) fn changes(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(opened(call)?.1.changes().into())
}

pub(super) fn busy_timeout(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, database) = opened(call)?;
    if database.set_timeout(call.long(0)) != sys::SQLITE_OK {
        return failed(call.vm, &object, &database, "Unable to set busy timeout: ");
    }
    Ok(true.into())
}

pub(super) fn load_extension(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, _) = opened(call)?;
    let throws = connection(&object).open.throws;
    complain(call.vm, throws, 0, "SQLite Extensions are disabled")
}

pub(super) fn backup(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, database) = opened(call)?;
    let target = call.object(0);
    let Some(target) = connection(&target).open.database.clone() else {
        return Err(not_initialised(call.vm, "SQLite3"));
    };
    match database.backup(call.bytes(1), &target, call.bytes(2)) {
        sys::SQLITE_OK => Ok(true.into()),
        code @ (sys::SQLITE_BUSY | sys::SQLITE_LOCKED) => {
            let throws = connection(&object).open.throws;
            let message = "Backup failed: source database is busy";
            complain(call.vm, throws, i64::from(code), message)
        }
        _ => failed(call.vm, &object, &target, "Backup failed: "),
    }
}

pub(super) fn escape_string(call: &mut Call<'_>) -> PhpResult<Value> {
    // What SQLite escapes ends at a zero byte.
    let text_given = call.bytes(0);
    let end = memchr::memchr(0, text_given).unwrap_or(text_given.len());
    let escaped: Vec<u8> = text_given[..end]
        .iter()
        .flat_map(|&byte| std::iter::repeat_n(byte, if byte == b'\'' { 2 } else { 1 }))
        .collect();
    text(call.vm, escaped)
}

/// A new object of one of the extension's classes with its native part.
fn make<T: NativeData>(vm: &mut Vm, class: &[u8], native: T) -> PhpResult<Value> {
    let class = vm.linked_class(class).unwrap_or(std::ptr::null_mut());
    let object = new_object(vm, class)?;
    if let Some(place) = object.native::<T>() {
        *place = native;
    }
    Ok(object.into())
}

/// Prepares a text that is not empty. `Err` holds what the method gives instead.
fn prepared(
    call: &mut Call<'_>,
    object: &ObjectHandle,
    database: &Rc<Database>,
) -> PhpResult<Result<Statement, Value>> {
    let sql = call.bytes(0);
    if sql.is_empty() {
        return Ok(Err(false.into()));
    }
    match Statement::prepare(database, sql) {
        Ok(Some(statement)) => {
            call.vm.check()?;
            Ok(Ok(statement))
        }
        Ok(None) => Ok(Err(false.into())),
        Err(_) => {
            let what = "Unable to prepare statement: ";
            failed(call.vm, object, database, what).map(Err)
        }
    }
}

pub(super) fn prepare(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, database) = opened(call)?;
    let statement = match prepared(call, &object, &database)? {
        Ok(statement) => statement,
        Err(instead) => return Ok(instead),
    };
    let slot = connection(&object).open.adopt(statement);
    make(call.vm, b"sqlite3stmt", Prepared::new(slot, object))
}

pub(super) fn exec(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, database) = opened(call)?;
    match database.execute(call.bytes(0)) {
        Ok(()) => {
            call.vm.check()?;
            Ok(true.into())
        }
        Err((code, message)) => {
            let throws = connection(&object).open.throws;
            complain(call.vm, throws, i64::from(code), &message)
        }
    }
}

pub(super) fn query(call: &mut Call<'_>) -> PhpResult<Value> {
    // Where nobody takes the rows, it is `exec()` that gives nothing.
    if !call.is_result_used() && !call.bytes(0).is_empty() {
        exec(call)?;
        return Ok(false.into());
    }
    let (object, database) = opened(call)?;
    let statement = match prepared(call, &object, &database)? {
        Ok(statement) => statement,
        Err(instead) => return Ok(instead),
    };
    match statement.step() {
        sys::SQLITE_ROW | sys::SQLITE_DONE => {
            statement.reset();
            call.vm.check()?;
        }
        _ => {
            // What a function of the script threw says why.
            call.vm.check()?;
            let what = "Unable to execute statement: ";
            return failed(call.vm, &object, &database, what);
        }
    }
    let slot = connection(&object).open.adopt(statement);
    let prepared = make(call.vm, b"sqlite3stmt", Prepared::new(slot.clone(), object))?;
    make(call.vm, b"sqlite3result", Rows::new(slot, prepared, false))
}

pub(super) fn query_single(call: &mut Call<'_>) -> PhpResult<Value> {
    // As of `query()`.
    if !call.is_result_used() && !call.bytes(0).is_empty() {
        exec(call)?;
        return Ok(false.into());
    }
    let (object, database) = opened(call)?;
    let whole = call.bool(1);
    let statement = match prepared(call, &object, &database)? {
        Ok(statement) => statement,
        Err(instead) => return Ok(instead),
    };
    let stepped = statement.step();
    call.vm.check()?;
    match stepped {
        sys::SQLITE_ROW if whole => {
            let names = result::names(&statement);
            result::row(call.vm, &statement, &names, result::ASSOC)
        }
        sys::SQLITE_ROW => Ok(statement.cell(0).into_value(call.vm)),
        sys::SQLITE_DONE if whole => Ok(call.vm.new_array().into()),
        sys::SQLITE_DONE => Ok(Value::NULL),
        sys::SQLITE_AUTH => failed(call.vm, &object, &database, ""),
        _ => failed(call.vm, &object, &database, "Unable to execute statement: "),
    }
}

pub(super) fn create_function(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, database) = opened(call)?;
    let name = call.bytes(0);
    if name.is_empty() {
        return Ok(false.into());
    }
    let callables = vec![kept_callable(call, 1)];
    let (arguments, flags) = (call.long(2), call.long(3));
    Ok(database
        .add(Kind::Function, name, arguments, flags, callables)
        .into())
}

pub(super) fn create_aggregate(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, database) = opened(call)?;
    let name = call.bytes(0);
    if name.is_empty() {
        return Ok(false.into());
    }
    let callables = vec![kept_callable(call, 1), kept_callable(call, 2)];
    Ok(database
        .add(Kind::Aggregate, name, call.long(3), 0, callables)
        .into())
}

pub(super) fn create_collation(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, database) = opened(call)?;
    let name = call.bytes(0);
    if name.is_empty() {
        return Ok(false.into());
    }
    let callables = vec![kept_callable(call, 1)];
    Ok(database
        .add(Kind::StrictCollation, name, 0, 0, callables)
        .into())
}

pub(super) fn open_blob(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[3])?;
    let (object, database) = opened(call)?;
    let place = [call.bytes(3), call.bytes(0), call.bytes(1)];
    let (row, writes) = (call.long(2), call.long(4) & 2 != 0);
    match open_value(call.vm, &database, place, row, writes, "SQLite3") {
        Ok(stream) => Ok(stream_value(call.vm, stream)),
        Err(_) => failed(call.vm, &object, &database, "Unable to open blob: "),
    }
}

pub(super) fn enable_exceptions(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let throws = call.bool(0);
    if !throws {
        call.vm
            .function_deprecated("Use of warnings for SQLite3 is deprecated");
        call.vm.check()?;
    }
    let open = &mut connection(&object).open;
    if let Some(database) = &open.database {
        database.throws.set(throws);
    }
    let before = std::mem::replace(&mut open.throws, throws);
    Ok(before.into())
}

pub(super) fn enable_extended_result_codes(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, database) = opened(call)?;
    if database.set_extended_codes(call.bool(0)) != sys::SQLITE_OK {
        let what = "Unable to set extended result codes: ";
        return failed(call.vm, &object, &database, what);
    }
    Ok(true.into())
}

pub(super) fn set_authorizer(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, database) = opened(call)?;
    let callable = call.has(0).then(|| kept_callable(call, 0));
    database.set_authorizer(callable);
    Ok(true.into())
}
