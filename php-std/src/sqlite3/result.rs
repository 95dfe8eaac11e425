//! The class `SQLite3Result`: the rows of a statement.

use std::any::Any;
use std::rc::Rc;

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::{Slot, complain, not_initialised, with};
use crate::spl::this;
use crate::sqlite::{Statement, sys};
use crate::support::text;

/// What rows are fetched as: by name, by number, or both.
pub(super) const ASSOC: i64 = 1;
const NUMBERS: i64 = 2;

/// The native part of a SQLite3Result.
#[derive(Default)]
pub(super) struct Rows {
    slot: Option<Rc<Slot>>,
    /// The object of the statement.
    statement: Value,
    /// The script prepared the statement itself, and goes on with it.
    is_prepared: bool,
    names: Option<Vec<Vec<u8>>>,
}

impl Rows {
    pub(super) fn new(slot: Rc<Slot>, statement: Value, is_prepared: bool) -> Rows {
        Rows {
            slot: Some(slot),
            statement,
            is_prepared,
            names: None,
        }
    }
}

impl NativeData for Rows {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(&self.statement);
    }
}

impl Drop for Rows {
    /// Whoever goes on with the statement finds it at its start.
    fn drop(&mut self) {
        if let Some(slot) = &self.slot
            && self.is_prepared
            && let Ok(statement) = slot.try_borrow_mut()
            && let Some(statement) = &*statement
        {
            statement.reset();
        }
    }
}

fn rows(object: &PhpObject) -> &mut Rows {
    object.native::<Rows>().expect("made with the object")
}

/// The names of the columns.
pub(super) fn names(statement: &Statement) -> Vec<Vec<u8>> {
    (0..statement.columns())
        .map(|column| statement.column_name(column))
        .collect()
}

/// The row that a statement stands at.
pub(super) fn row(
    vm: &mut Vm,
    statement: &Statement,
    names: &[Vec<u8>],
    mode: i64,
) -> PhpResult<Value> {
    let mut row = vm.new_array();
    for column in 0..statement.row_columns() {
        let value = statement.cell(column).into_value(vm);
        if mode & NUMBERS != 0 {
            row.make_mut(vm).set_long(column as i64, value.clone());
        }
        if mode & ASSOC != 0
            && let Some(name) = names.get(column)
        {
            let name = vm.string(name);
            row.make_mut(vm).set_symbol(&name, value);
        }
    }
    Ok(row.into())
}

fn opened(call: &mut Call<'_>) -> PhpResult<(vm_runtime::value::ObjectHandle, Rc<Slot>)> {
    let object = this(call);
    match rows(&object).slot.clone() {
        Some(slot) if slot.try_borrow().is_ok_and(|slot| slot.is_some()) => Ok((object, slot)),
        Some(slot) if slot.try_borrow().is_err() => Ok((object, slot)),
        _ => Err(not_initialised(call.vm, "SQLite3Result")),
    }
}

pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let message = "SQLite3Result cannot be directly instantiated";
    Err(call.vm.throw_error(KnownClass::Error, message))
}

pub(super) fn num_columns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, slot) = opened(call)?;
    with(call.vm, &slot, "SQLite3Result", |_, statement| {
        Ok(statement.columns().into())
    })
}

pub(super) fn column_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, slot) = opened(call)?;
    let column = call.long(0);
    let name = with(call.vm, &slot, "SQLite3Result", |_, statement| {
        let column = usize::try_from(column).ok();
        let column = column.filter(|&column| column < statement.columns());
        Ok(column.map(|column| statement.column_name(column)))
    })?;
    match name {
        Some(name) => text(call.vm, name),
        None => Ok(false.into()),
    }
}

pub(super) fn column_type(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, slot) = opened(call)?;
    let column = call.long(0);
    with(call.vm, &slot, "SQLite3Result", |_, statement| {
        if statement.row_columns() == 0 {
            return Ok(false.into());
        }
        let column = usize::try_from(column).unwrap_or(usize::MAX >> 33);
        Ok(i64::from(statement.column_type(column)).into())
    })
}

pub(super) fn fetch_array(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, slot) = opened(call)?;
    let mode = call.long(0);
    let stepped = with(call.vm, &slot, "SQLite3Result", |vm, statement| {
        let code = statement.step();
        if matches!(code, sys::SQLITE_ROW | sys::SQLITE_DONE) {
            vm.check()?;
        }
        Ok(code)
    })?;
    match stepped {
        sys::SQLITE_ROW => with(call.vm, &slot, "SQLite3Result", |vm, statement| {
            let known = rows(&object)
                .names
                .get_or_insert_with(|| names(statement))
                .clone();
            row(vm, statement, &known, mode)
        }),
        sys::SQLITE_DONE => Ok(false.into()),
        code => with(call.vm, &slot, "SQLite3Result", |vm, statement| {
            let database = &statement.database;
            let message = format!("Unable to execute statement: {}", database.message());
            complain(vm, database.throws.get(), i64::from(code), &message)
        }),
    }
}

pub(super) fn reset(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, slot) = opened(call)?;
    rows(&object).names = None;
    with(call.vm, &slot, "SQLite3Result", |_, statement| {
        Ok((statement.reset() == sys::SQLITE_OK).into())
    })
}

pub(super) fn finalize(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, slot) = opened(call)?;
    let rows = rows(&object);
    if rows.is_prepared {
        with(call.vm, &slot, "SQLite3Result", |_, statement| {
            statement.reset();
            Ok(())
        })?;
    } else if let Ok(mut statement) = slot.try_borrow_mut() {
        *statement = None;
    }
    rows.slot = None;
    Ok(true.into())
}
