//! The class `SQLite3Stmt`: a prepared statement.

use std::any::Any;
use std::rc::Rc;

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::operators::{to_double, to_long};
use vm_runtime::value::{ObjectHandle, RESOURCE, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::connection::{connection, failed};
use super::result::Rows;
use super::{Slot, complain, not_initialised, with};
use crate::spl::this;
use crate::sqlite::{Column, Statement, sys};
use crate::standard::files::stream_in;
use crate::support::{string_of, take_where, text};

const INTEGER: i64 = 1;
const FLOAT: i64 = 2;
const TEXT: i64 = 3;
const BLOB: i64 = 4;
const NULL: i64 = 5;

/// A parameter that has a value.
struct Bound {
    number: i64,
    kind: i64,
    /// A reference if the script bound a variable.
    value: Value,
}

/// The native part of a SQLite3Stmt.
#[derive(Default)]
pub(super) struct Prepared {
    slot: Option<Rc<Slot>>,
    /// The object of the database.
    database: Option<ObjectHandle>,
    bound: Vec<Bound>,
}

impl Prepared {
    pub(super) fn new(slot: Rc<Slot>, database: ObjectHandle) -> Prepared {
        Prepared {
            slot: Some(slot),
            database: Some(database),
            bound: Vec::new(),
        }
    }
}

impl NativeData for Prepared {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some(database) = &self.database {
            visitor(&Zval::from_object(database.as_ptr()));
        }
        for bound in &self.bound {
            visitor(&bound.value);
        }
    }
}

fn prepared(object: &PhpObject) -> &mut Prepared {
    object.native::<Prepared>().expect("made with the object")
}

/// The object, its statement and the object of its database, all open.
fn opened(call: &mut Call<'_>) -> PhpResult<(ObjectHandle, Rc<Slot>, ObjectHandle)> {
    let object = this(call);
    let state = prepared(&object);
    if let (Some(slot), Some(database)) = (state.slot.clone(), state.database.clone())
        && connection(&database).open.database.is_some()
    {
        return Ok((object, slot, database));
    }
    Err(not_initialised(call.vm, "SQLite3"))
}

pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let message = "SQLite3Stmt cannot be instantiated directly";
    Err(call.vm.throw_error(KnownClass::Error, message))
}

/// The number of the parameter in argument #1; None if there is none.
fn parameter(call: &mut Call<'_>, slot: &Rc<Slot>) -> PhpResult<Option<i64>> {
    let value = call.value(0);
    let number = match value.view() {
        ValueKind::Long(number) => number,
        _ => {
            let name = string_of(call.vm, &value)?.to_vec();
            let name = match name.first() {
                Some(b':' | b'@') => name,
                _ => [b":".as_slice(), &name].concat(),
            };
            with(call.vm, slot, "SQLite3Stmt", |_, statement| {
                Ok(statement.parameter(&name))
            })?
        }
    };
    Ok((number >= 1).then_some(number))
}

/// The type of a value that nobody gave a type.
fn kind_of(value: &Value) -> i64 {
    match value.deref().view() {
        ValueKind::Null => NULL,
        ValueKind::Bool(_) | ValueKind::Long(_) => INTEGER,
        ValueKind::Double(_) => FLOAT,
        _ => TEXT,
    }
}

fn bind(call: &mut Call<'_>, value: Value) -> PhpResult<Value> {
    let (object, slot, _) = opened(call)?;
    let kind = match call.count() {
        0..3 => kind_of(&value),
        _ => call.long(2),
    };
    let Some(number) = parameter(call, &slot)? else {
        return Ok(false.into());
    };
    let bound = &mut prepared(&object).bound;
    let gone = take_where(bound, |known| known.number == number);
    bound.push(Bound {
        number,
        kind,
        value,
    });
    drop(gone);
    Ok(true.into())
}

pub(super) fn bind_param(call: &mut Call<'_>) -> PhpResult<Value> {
    let given = call.argument(1);
    // SAFETY: I3: the share belongs to the new value.
    let value = unsafe { Value::from_zval(given.share()) };
    bind(call, value)
}

pub(super) fn bind_value(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(1);
    bind(call, value)
}

/// What SQLite gets for a parameter.
fn column(vm: &mut Vm, number: i64, kind: i64, value: &Value) -> PhpResult<Option<Column>> {
    let value = Value::share(value);
    if value.is_null() {
        return Ok(Some(Column::Null));
    }
    Ok(Some(match kind {
        INTEGER => Column::Integer(to_long(vm, &value)),
        FLOAT => Column::Float(to_double(vm, &value)),
        TEXT => Column::Text(string_of(vm, &value)?.to_vec()),
        BLOB if value.kind() == RESOURCE => {
            // SAFETY: I3: the value keeps the resource alive; nobody else has the stream now.
            match unsafe { stream_in(&value) } {
                Some(stream) => Column::Blob(stream.read_all().unwrap_or_default()),
                None => {
                    let message = format!("Unable to read stream for parameter {number}");
                    vm.function_warning(message);
                    vm.check()?;
                    return Ok(None);
                }
            }
        }
        BLOB => Column::Blob(string_of(vm, &value)?.to_vec()),
        NULL => Column::Null,
        _ => {
            let message = format!("Unknown parameter type: {kind} for parameter {number}");
            vm.function_warning(message);
            vm.check()?;
            return Ok(None);
        }
    }))
}

/// Hands the values to SQLite.
fn bind_all(
    vm: &mut Vm,
    object: &ObjectHandle,
    slot: &Rc<Slot>,
    database: &ObjectHandle,
) -> PhpResult<()> {
    // Converting values may run user code, which may bind others.
    let values: Vec<(i64, i64, Value)> = prepared(object)
        .bound
        .iter()
        .map(|bound| (bound.number, bound.kind, bound.value.clone()))
        .collect();
    for (number, kind, value) in values {
        let Some(column) = column(vm, number, kind, &value)? else {
            continue;
        };
        let code = with(vm, slot, "SQLite3Stmt", |_, statement| {
            Ok(statement.bind(number, &column))
        })?;
        if code != sys::SQLITE_OK {
            let throws = connection(database).open.throws;
            let message = format!("Unable to bind parameter number {number}");
            complain(vm, throws, i64::from(code), &message)?;
        }
    }
    Ok(())
}

pub(super) fn clear(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, slot, database) = opened(call)?;
    let code = with(call.vm, &slot, "SQLite3Stmt", |_, statement| {
        Ok(statement.clear())
    })?;
    if code != sys::SQLITE_OK {
        return fail(call.vm, &database, "Unable to clear statement: ");
    }
    drop(std::mem::take(&mut prepared(&object).bound));
    Ok(true.into())
}

fn fail(vm: &mut Vm, database: &ObjectHandle, what: &str) -> PhpResult<Value> {
    match connection(database).open.database.clone() {
        Some(open) => failed(vm, database, &open, what),
        None => Ok(false.into()),
    }
}

pub(super) fn close(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, slot, _) = opened(call)?;
    if let Ok(mut statement) = slot.try_borrow_mut() {
        *statement = None;
    }
    prepared(&object).slot = None;
    Ok(true.into())
}

pub(super) fn execute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, slot, database) = opened(call)?;
    with(call.vm, &slot, "SQLite3Stmt", |_, statement| {
        statement.reset();
        Ok(())
    })?;
    bind_all(call.vm, &object, &slot, &database)?;
    let is_done = with(
        call.vm,
        &slot,
        "SQLite3Stmt",
        |vm, statement: &Statement| {
            let stepped = statement.step();
            vm.check()?;
            match stepped {
                sys::SQLITE_ROW | sys::SQLITE_DONE => {
                    statement.reset();
                    Ok(true)
                }
                _ => Ok(false),
            }
        },
    )?;
    if !is_done {
        let given = fail(call.vm, &database, "Unable to execute statement: ");
        if let Ok(statement) = slot.try_borrow()
            && let Some(statement) = &*statement
        {
            statement.reset();
        }
        return given;
    }
    let class = call.vm.linked_class(b"sqlite3result");
    let rows = new_object(call.vm, class.unwrap_or(std::ptr::null_mut()))?;
    if let Some(place) = rows.native::<Rows>() {
        *place = Rows::new(slot, object.into(), true);
    }
    Ok(rows.into())
}

pub(super) fn get_sql(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, slot, database) = opened(call)?;
    bind_all(call.vm, &object, &slot, &database)?;
    let expanded = call.bool(0);
    let sql = with(call.vm, &slot, "SQLite3Stmt", |_, statement| {
        Ok(match expanded {
            true => statement.expanded_sql(),
            false => Some(statement.sql()),
        })
    })?;
    match sql {
        Some(sql) => text(call.vm, sql),
        None => Ok(false.into()),
    }
}

pub(super) fn param_count(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, slot, _) = opened(call)?;
    with(call.vm, &slot, "SQLite3Stmt", |_, statement| {
        Ok(statement.parameters().into())
    })
}

pub(super) fn read_only(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, slot, _) = opened(call)?;
    with(call.vm, &slot, "SQLite3Stmt", |_, statement| {
        Ok(statement.is_read_only().into())
    })
}

pub(super) fn reset(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, slot, database) = opened(call)?;
    let code = with(call.vm, &slot, "SQLite3Stmt", |_, statement| {
        Ok(statement.reset())
    })?;
    if code != sys::SQLITE_OK {
        return fail(call.vm, &database, "Unable to reset statement: ");
    }
    Ok(true.into())
}
