//! The class `PDOStatement`: parameters, execution, what is known of columns.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use vm_runtime::array::KeyRef;
use vm_runtime::class::{NativeHandlers, PropertyHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::value::{ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::connection::{attribute, connection};
use super::errors::{self, LastError, Mode};
use super::fetch::FetchMode;
use super::parameters::{Parameter, bind_all, put, with_colon};
use crate::spl::this;
use crate::sqlite::{Code, Statement, sys};
use crate::support::{Append, hold, new_list, string_of, take_where};

/// Kinds of parameters and columns.
pub(super) mod kind {
    pub(crate) const NULL: i64 = 0;
    pub(crate) const INTEGER: i64 = 1;
    pub(crate) const STRING: i64 = 2;
    pub(crate) const LOB: i64 = 3;
    pub(crate) const BOOL: i64 = 5;
    /// Flags besides.
    pub(crate) const MASK: i64 = 0xffff;
}

/// A variable that gets a column's value.
#[derive(Clone)]
pub(super) struct BoundColumn {
    pub(super) name: Option<Vec<u8>>,
    pub(super) number: i64,
    pub(super) kind: i64,
    pub(super) variable: Value,
}

/// The native part of a PDOStatement.
#[derive(Default)]
pub(super) struct Prepared {
    /// The object of the connection.
    pub(super) connection: Option<ObjectHandle>,
    /// None for a text without a statement.
    statement: Option<Rc<RefCell<Statement>>>,
    sql: Vec<u8>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) columns: Vec<BoundColumn>,
    /// Names of the result's columns, once it was executed.
    pub(super) names: Vec<Vec<u8>>,
    pub(super) is_executed: bool,
    /// It stands at a row that was not fetched yet.
    has_row: bool,
    is_done: bool,
    row_count: i64,
    pub(super) mode: FetchMode,
    pub(super) error: LastError,
}

impl Prepared {
    pub(super) fn new(
        statement: Option<Statement>,
        connection: ObjectHandle,
        sql: &[u8],
    ) -> Prepared {
        Prepared {
            connection: Some(connection),
            statement: statement.map(|statement| Rc::new(RefCell::new(statement))),
            sql: sql.to_vec(),
            ..Prepared::default()
        }
    }
}

impl NativeData for Prepared {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some(connection) = &self.connection {
            visitor(&Zval::from_object(connection.as_ptr()));
        }
        for parameter in &self.parameters {
            visitor(&parameter.value);
        }
        for column in &self.columns {
            visitor(&column.variable);
        }
        self.mode.visit(visitor);
    }
}

/// The text of the statement cannot be changed.
pub(super) const HANDLERS: NativeHandlers = NativeHandlers {
    // Nothing is like it.
    compare_with: Some(|_, _, _| Ok(None)),
    properties_by_code: Some(&PropertyHandlers {
        read: |_, _, _, _| Ok(None),
        write: |vm, object, name, _| refuse_change(vm, object, name.as_bytes()),
        has: |_, _, _, _| Ok(None),
        unset: |vm, object, name| refuse_change(vm, object, name.as_bytes()),
    }),
    ..NativeHandlers::STANDARD
};

fn refuse_change(vm: &mut Vm, object: &ObjectHandle, name: &[u8]) -> PhpResult<bool> {
    if name != b"queryString" || prepared(object).connection.is_none() {
        return Ok(false);
    }
    let message = "Property queryString is read only";
    Err(vm.throw_error(KnownClass::Error, message))
}

pub(super) fn prepared(object: &PhpObject) -> &mut Prepared {
    object.native::<Prepared>().expect("made with the object")
}

/// The object, which belongs to a connection. The last error is forgotten.
pub(super) fn opened(call: &mut Call<'_>) -> PhpResult<ObjectHandle> {
    let object = this(call);
    if prepared(&object).connection.is_none() {
        let message = format!("{} object is uninitialized", object.class().display_name());
        return Err(call.vm.throw_error(KnownClass::Error, message));
    }
    Ok(object)
}

/// What happens when something fails.
pub(super) fn mode(object: &PhpObject) -> Mode {
    let connection_of = prepared(object).connection.as_ref();
    connection_of.map_or(Mode::Exception, |object| connection(object).mode)
}

/// Runs something on the statement, unless it is running already.
pub(super) fn with<T>(
    vm: &mut Vm,
    object: &PhpObject,
    run: impl FnOnce(&mut Vm, &Statement) -> PhpResult<T>,
) -> PhpResult<Option<T>> {
    let Some(statement) = prepared(object).statement.clone() else {
        return Ok(None);
    };
    let Ok(statement) = statement.try_borrow_mut() else {
        let message = "The statement is being executed";
        return Err(vm.throw_error(KnownClass::Error, message));
    };
    run(vm, &statement).map(Some)
}

/// Says what SQLite's last error was.
fn failed(vm: &mut Vm, object: &PhpObject, code: Code) -> PhpResult<Value> {
    let mode = mode(object);
    let text = with(vm, object, |_, statement| Ok(statement.database.message()))?;
    let state = prepared(object);
    errors::of_number(vm, mode, code, text.unwrap_or_default(), &mut state.error)
}

/// Says something of PDO's own.
pub(super) fn complain(vm: &mut Vm, object: &PhpObject, what: &str) -> PhpResult<Value> {
    let mode = mode(object);
    errors::of_pdo(vm, mode, "HY000", what, &mut prepared(object).error)
}

/// What is told behind [`complain`] where fetching failed.
pub(super) fn complain_again(vm: &mut Vm, object: &PhpObject) -> PhpResult<()> {
    let last = prepared(object).error.clone();
    errors::of_pdo_again(vm, mode(object), &last)
}

fn unsupported(call: &mut Call<'_>, what: &str) -> PhpResult<Value> {
    let object = opened(call)?;
    let mode = mode(&object);
    errors::of_pdo(call.vm, mode, "IM001", what, &mut prepared(&object).error)
}

/// The name or number in argument #1.
pub(super) fn place(call: &mut Call<'_>) -> PhpResult<(Option<Vec<u8>>, i64)> {
    let value = call.value(0);
    match value.view() {
        ValueKind::Long(number) if number < 1 => {
            Err(call.value_error(0, "must be greater than or equal to 1"))
        }
        ValueKind::Long(number) => Ok((None, number - 1)),
        _ => {
            let name = string_of(call.vm, &value)?.to_vec();
            if name.is_empty() {
                return Err(call.value_error(0, "must not be empty"));
            }
            Ok((Some(name), -1))
        }
    }
}

pub(super) fn bind_column(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    let (name, mut number) = place(call)?;
    let kind = call.long(2);
    // SAFETY: I3: the share belongs to the new value.
    let mut variable = unsafe { Value::from_zval(call.argument(1).share()) };
    let held = Value::share(&variable);
    if kind & kind::MASK == kind::STRING && call.long(3) <= 0 && !held.is_null() {
        let text = string_of(call.vm, &held)?;
        put(&mut variable, text.into());
    }
    let state = prepared(&object);
    if let Some(name) = &name
        && state.is_executed
    {
        let found = state.names.iter().position(|known| known == name);
        match found {
            Some(found) => number = found as i64,
            None => {
                let shown = vm_runtime::message::text(name).into_owned();
                let what = format!(
                    "Did not find column name '{shown}' in the defined columns; it will not be \
                     bound"
                );
                return complain(call.vm, &object, &what);
            }
        }
    }
    let column = BoundColumn {
        name,
        number,
        kind,
        variable,
    };
    let columns = &mut prepared(&object).columns;
    let gone = take_where(columns, |known| {
        known.name == column.name && known.number == column.number
    });
    columns.push(column);
    drop(gone);
    Ok(true.into())
}

/// Executes the statement; false if that failed, which was said.
pub(super) fn run(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<bool> {
    prepared(object).error.clear();
    let reset = with(vm, object, |_, statement| {
        statement.reset();
        Ok(())
    })?;
    if reset.is_none() {
        prepared(object).is_executed = true;
        prepared(object).is_done = true;
        return Ok(true);
    }
    if !bind_all(vm, object)? {
        return Ok(false);
    }
    let folding = prepared(object)
        .connection
        .as_ref()
        .map_or(0, |object| connection(object).case);
    let stepped = with(vm, object, |vm, statement| {
        let code = statement.step();
        vm.check()?;
        let names = (0..statement.columns())
            .map(|column| {
                let name = statement.column_name(column);
                match folding {
                    1 => name.to_ascii_uppercase(),
                    2 => name.to_ascii_lowercase(),
                    _ => name,
                }
            })
            .collect();
        let changes = statement.database.changes();
        if code != sys::SQLITE_ROW {
            statement.reset();
        }
        Ok((code, names, changes))
    })?;
    let Some((code, names, changes)): Option<(Code, Vec<Vec<u8>>, i64)> = stepped else {
        return Ok(false);
    };
    let state = prepared(object);
    match code {
        sys::SQLITE_ROW | sys::SQLITE_DONE => {
            state.is_executed = true;
            state.has_row = code == sys::SQLITE_ROW;
            state.is_done = !state.has_row;
            if state.is_done {
                state.row_count = changes;
            }
            state.names = names;
            for column in &mut state.columns {
                if let Some(name) = &column.name
                    && let Some(found) = state.names.iter().position(|known| known == name)
                {
                    column.number = found as i64;
                }
            }
            Ok(true)
        }
        code => {
            failed(vm, object, code)?;
            Ok(false)
        }
    }
}

/// Goes to the next row; false if there is none.
pub(super) fn advance(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<bool> {
    let state = prepared(object);
    if !state.is_executed {
        return Ok(false);
    }
    if std::mem::take(&mut state.has_row) {
        return Ok(true);
    }
    if state.is_done {
        return Ok(false);
    }
    let stepped = with(vm, object, |vm, statement| {
        let code = statement.step();
        vm.check()?;
        if code != sys::SQLITE_ROW {
            statement.reset();
        }
        Ok(code)
    })?;
    match stepped {
        Some(sys::SQLITE_ROW) => Ok(true),
        Some(sys::SQLITE_DONE) | None => {
            prepared(object).is_done = true;
            Ok(false)
        }
        Some(code) => {
            prepared(object).is_done = true;
            failed(vm, object, code)?;
            Ok(false)
        }
    }
}

pub(super) fn execute(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    if call.has(0) {
        let mut parameters = Vec::new();
        for (key, value) in call.elements(0).iter() {
            let (name, number) = match key {
                KeyRef::Long(number) => (None, number),
                KeyRef::String(name) => (Some(with_colon(name.as_bytes().to_vec())), -1),
            };
            let mut value = hold(value);
            if !value.is_null() {
                value = string_of(call.vm, &value)?.into();
            }
            parameters.push(Parameter {
                name,
                number,
                kind: kind::STRING,
                value,
            });
        }
        let before = std::mem::replace(&mut prepared(&object).parameters, parameters);
        drop(before);
    }
    Ok(run(call.vm, &object)?.into())
}

pub(super) fn close_cursor(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    with(call.vm, &object, |_, statement| {
        statement.reset();
        Ok(())
    })?;
    let state = prepared(&object);
    (state.is_executed, state.has_row, state.is_done) = (false, false, true);
    Ok(true.into())
}

pub(super) fn column_count(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    Ok(prepared(&object).names.len().into())
}

pub(super) fn row_count(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    Ok(prepared(&object).row_count.into())
}

pub(super) fn error_code(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    Ok(prepared(&object).error.code(call.vm))
}

pub(super) fn error_info(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    Ok(prepared(&object).error.info(call.vm))
}

pub(super) fn next_rowset(call: &mut Call<'_>) -> PhpResult<Value> {
    unsupported(call, "driver does not support multiple rowsets")
}

pub(super) fn get_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.long(0) == attribute::READ_ONLY_STATEMENT {
        let object = opened(call)?;
        let only_reads = with(
            call.vm,
            &object,
            |_, statement| Ok(statement.is_read_only()),
        )?;
        return Ok(only_reads.unwrap_or(true).into());
    }
    unsupported(call, "driver doesn't support getting that attribute")
}

pub(super) fn set_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    unsupported(call, "This driver doesn't support setting attributes")
}

pub(super) fn get_column_meta(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    let number = call.long(0);
    if number < 0 {
        return Err(call.value_error(0, "must be greater than or equal to 0"));
    }
    let number = number as usize;
    let state = prepared(&object);
    let (is_executed, has_name) = (state.is_executed, state.names.get(number).cloned());
    let Some(name) = has_name.filter(|_| is_executed) else {
        return Ok(false.into());
    };
    let known = with(call.vm, &object, |_, statement| {
        Ok((
            statement.column_type(number),
            statement.column_declaration(number),
            statement.column_table(number),
        ))
    })?;
    let Some((code, declaration, table)) = known else {
        return Ok(false.into());
    };
    let (type_name, kind) = match code {
        sys::SQLITE_INTEGER => ("integer", kind::INTEGER),
        sys::SQLITE_FLOAT => ("double", kind::STRING),
        sys::SQLITE_NULL => ("null", kind::NULL),
        _ => ("string", kind::STRING),
    };
    let mut meta = call.vm.new_array();
    let mut add = |vm: &mut Vm, name: &str, value: Value| {
        meta.make_mut(vm).set_bytes(name.as_bytes(), value);
    };
    let vm = &mut *call.vm;
    let type_name = vm.string(type_name).into();
    add(vm, "native_type", type_name);
    add(vm, "pdo_type", kind.into());
    if let Some(declaration) = declaration {
        let declaration = vm.string(declaration).into();
        add(vm, "sqlite:decl_type", declaration);
    }
    if !table.is_empty() {
        let table = vm.string(table).into();
        add(vm, "table", table);
    }
    let mut attributes = new_list(vm, 0);
    if code == sys::SQLITE_BLOB {
        let blob = vm.string("blob").into();
        attributes.make_mut(vm).append(blob);
    }
    add(vm, "flags", attributes.into());
    let name = vm.string(name).into();
    add(vm, "name", name);
    add(vm, "len", (-1i64).into());
    add(vm, "precision", 0i64.into());
    Ok(meta.into())
}

pub(super) fn debug_dump_params(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    let state = prepared(&object);
    let mut text = format!("SQL: [{}] ", state.sql.len()).into_bytes();
    text.extend_from_slice(&state.sql);
    text.extend_from_slice(format!("\nParams:  {}\n", state.parameters.len()).as_bytes());
    for parameter in &state.parameters {
        let name = parameter.name.clone().unwrap_or_default();
        let shown = vm_runtime::message::text(&name);
        match &parameter.name {
            Some(_) => {
                text.extend_from_slice(format!("Key: Name: [{}] {shown}\n", name.len()).as_bytes())
            }
            None => {
                text.extend_from_slice(format!("Key: Position #{}:\n", parameter.number).as_bytes())
            }
        }
        text.extend_from_slice(
            format!(
                "paramno={}\nname=[{}] \"{shown}\"\nis_param=1\nparam_type={}\n",
                parameter.number,
                name.len(),
                parameter.kind
            )
            .as_bytes(),
        );
    }
    call.vm.write(&text);
    Ok(Value::NULL)
}
