//! The ways of fetching rows.

use vm_runtime::array::integer_key;
use vm_runtime::class::Class;
use vm_runtime::class::lookup::constructor_for_new;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeIterator, internal_iterator, new_object};
use vm_runtime::operators::{to_bool, to_long, to_string, value_name};
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::connection::{connection, values};
use super::lazy_row::Row;
use super::statement::{advance, complain, complain_again, kind, opened, prepared, with};
use crate::sqlite::Column;
use crate::support::{Append, hold, new_list};

pub(super) const LAZY: i64 = 1;
pub(super) const NUMBERS: i64 = 3;
pub(super) const BOTH: i64 = 4;
pub(super) const OBJECT: i64 = 5;
pub(super) const BOUND: i64 = 6;
pub(super) const COLUMN: i64 = 7;
pub(super) const CLASS: i64 = 8;
pub(super) const INTO: i64 = 9;
pub(super) const FUNCTION: i64 = 10;
pub(super) const NAMED: i64 = 11;
pub(super) const KEY_PAIR: i64 = 12;
/// Flags besides.
const FLAGS: i64 = 0xffff_0000;
const GROUP: i64 = 0x1_0000;
const UNIQUE: i64 = 0x3_0000;
const CLASS_TYPE: i64 = 0x4_0000;
const SERIALIZE: i64 = 0x8_0000;
const PROPERTIES_LATE: i64 = 0x10_0000;

/// How a statement's rows are fetched.
#[derive(Clone)]
pub(super) struct FetchMode {
    /// 0: as the connection says.
    number: i64,
    column: i64,
    class: *mut Class,
    /// Arguments of the constructor, or the object that is filled, or the function.
    more: Value,
}

impl Default for FetchMode {
    fn default() -> FetchMode {
        FetchMode {
            number: 0,
            column: 0,
            class: std::ptr::null_mut(),
            more: Value::NULL,
        }
    }
}

impl FetchMode {
    pub(super) fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(&self.more);
    }

    fn kind(&self) -> i64 {
        self.number & !FLAGS
    }

    fn has(&self, flag: i64) -> bool {
        self.number & flag == flag
    }
}

/// The value of a column in the row that the statement stands at.
pub(super) fn cell(vm: &mut Vm, object: &ObjectHandle, number: usize) -> PhpResult<Value> {
    let cell = with(vm, object, |_, statement| Ok(statement.cell(number)))?;
    let Some(cell) = cell else {
        return Ok(Value::NULL);
    };
    let connected = prepared(object).connection.clone();
    let (stringifies, nulls) = match &connected {
        Some(object) => (connection(object).stringifies, connection(object).nulls),
        None => (false, 0),
    };
    let is_number = matches!(cell, Column::Integer(_) | Column::Float(_));
    let value = cell.into_value(vm);
    if is_number && stringifies {
        return Ok(to_string(vm, &value)?.into());
    }
    if nulls == 1 && value.as_bytes().is_some_and(<[u8]>::is_empty) {
        return Ok(Value::NULL);
    }
    if nulls == 2 && value.is_null() {
        return Ok(vm.string("").into());
    }
    Ok(value)
}

/// Gives variables that were bound their values.
fn fill_variables(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<()> {
    let columns = prepared(object).columns.clone();
    for column in columns {
        let Ok(number) = usize::try_from(column.number) else {
            continue;
        };
        if number >= prepared(object).names.len() {
            continue;
        }
        let mut value = cell(vm, object, number)?;
        if !value.is_null() {
            value = match column.kind & kind::MASK {
                kind::INTEGER => to_long(vm, &value).into(),
                kind::BOOL => to_bool(&value).into(),
                kind::LOB => {
                    let bytes = to_string(vm, &value)?.to_vec();
                    let backend = crate::standard::files::Backend::memory(bytes);
                    let mut stream = crate::standard::files::Stream::new(backend, true, false);
                    stream.mode = b"rb".to_vec();
                    crate::standard::files::stream_value(vm, stream)
                }
                kind::STRING => to_string(vm, &value)?.into(),
                _ => value,
            };
        }
        if !column.variable.is_reference() {
            continue;
        }
        // SAFETY: I3: the column's share keeps the reference alive.
        unsafe {
            let reference = column.variable.reference();
            if !(*reference).sources.is_null() {
                vm_runtime::types::verify_reference(vm, &*reference, value.as_zval_mut())?;
            }
            let old = (*reference).value;
            (*reference).value.set(value.into_zval());
            vm_runtime::value::release(&old);
        }
    }
    Ok(())
}

fn set_named(vm: &mut Vm, array: &mut ArrayHandle, name: &[u8], value: Value) {
    let name = vm.string(name);
    array.make_mut(vm).set_symbol(&name, value);
}

/// The row as an array by names, by numbers, or both, from a column on.
fn row(vm: &mut Vm, object: &ObjectHandle, kind: i64, from: usize) -> PhpResult<Value> {
    let names = prepared(object).names.clone();
    let mut row = vm.new_array();
    for (number, name) in names.iter().enumerate().skip(from) {
        let value = cell(vm, object, number)?;
        match kind {
            NUMBERS => {
                row.make_mut(vm).set_long((number - from) as i64, value);
            }
            BOTH => {
                set_named(vm, &mut row, name, value.clone());
                row.make_mut(vm).set_long(number as i64, value);
            }
            NAMED => {
                let known = row.get_bytes(name).map(hold);
                let value = match known {
                    None => value,
                    Some(known) => {
                        let mut several = match known.array() {
                            Some(several) => several,
                            None => {
                                let mut several = new_list(vm, 2);
                                several.make_mut(vm).append(known);
                                several
                            }
                        };
                        several.make_mut(vm).append(value);
                        several.into()
                    }
                };
                set_named(vm, &mut row, name, value);
            }
            _ => set_named(vm, &mut row, name, value),
        }
    }
    Ok(row.into())
}

/// Sets the properties of an object to the columns, from a column on, as code of the `scope` would.
fn fill_object(
    vm: &mut Vm,
    object: &ObjectHandle,
    target: &ObjectHandle,
    from: usize,
    scope: *const Class,
) -> PhpResult<()> {
    let names = prepared(object).names.clone();
    for (number, name) in names.iter().enumerate().skip(from) {
        let value = cell(vm, object, number)?;
        let name = vm.string(name);
        vm_runtime::object::write::write_property(vm, target.as_ptr(), &name, value, scope)?;
    }
    Ok(())
}

fn construct(vm: &mut Vm, target: &ObjectHandle, arguments: &Value) -> PhpResult<()> {
    let class = target.class;
    // SAFETY: I4: classes live until the VM ends.
    let constructor = unsafe { (*class).magic.construct };
    if !constructor.is_null() {
        let arguments = values(arguments);
        vm.call_function(constructor, Some(target.clone()), class, arguments)?;
    }
    Ok(())
}

/// The row that the statement stands at, from a column on.
fn fetched(vm: &mut Vm, object: &ObjectHandle, mode: &FetchMode, from: usize) -> PhpResult<Value> {
    let count = prepared(object).names.len();
    match mode.kind() {
        BOUND => Ok(true.into()),
        COLUMN => {
            let column = mode.column
                + if mode.has(GROUP) && mode.column == 0 {
                    from as i64
                } else {
                    0
                };
            match usize::try_from(column) {
                Ok(column) if column < count => cell(vm, object, column),
                _ => {
                    let message = "Invalid column index";
                    Err(vm.throw_error(KnownClass::ValueError, message))
                }
            }
        }
        OBJECT => {
            let class = vm.class_of(KnownClass::StdClass);
            let target = new_object(vm, class)?;
            fill_object(vm, object, &target, from, target.class)?;
            Ok(target.into())
        }
        CLASS => {
            let mut from = from;
            let mut class = mode.class;
            if mode.has(CLASS_TYPE) {
                let name = cell(vm, object, from)?;
                let name = to_string(vm, &name)?;
                class = match vm.class_by_name(name.as_bytes(), true)? {
                    Some(class) => class,
                    None => vm.class_of(KnownClass::StdClass),
                };
                from += 1;
            }
            if class.is_null() {
                return complain(vm, object, "No fetch class specified");
            }
            // SAFETY: I4: classes live until the VM ends.
            let has_constructor = unsafe { !(*class).magic.construct.is_null() };
            if !has_constructor && mode.more.array().is_some_and(|more| !more.is_empty()) {
                let message = "User-supplied statement does not accept constructor arguments";
                return Err(vm.throw_error(KnownClass::Error, message));
            }
            let target = vm_runtime::object::instantiate(vm, class)?;
            if mode.has(PROPERTIES_LATE) {
                construct(vm, &target, &mode.more)?;
                fill_object(vm, object, &target, from, target.class)?;
            } else {
                fill_object(vm, object, &target, from, target.class)?;
                construct(vm, &target, &mode.more)?;
            }
            // What only a function makes is no object without it.
            constructor_for_new(vm, class, class)?;
            Ok(target.into())
        }
        INTO => match mode.more.object() {
            // By the statement, and not as its own class: what is private or protected stays so.
            Some(target) => {
                fill_object(vm, object, &target, from, object.class)?;
                Ok(target.into())
            }
            None => complain(vm, object, "No fetch-into object specified."),
        },
        FUNCTION => {
            let mut arguments = Vec::with_capacity(count);
            for number in from..count {
                arguments.push(cell(vm, object, number)?);
            }
            vm.call(&mode.more, arguments)
        }
        LAZY => {
            let class = vm.linked_class(b"pdorow").unwrap_or(std::ptr::null_mut());
            let row = new_object(vm, class)?;
            if let Some(native) = row.native::<Row>() {
                native.0 = Some(object.clone());
            }
            Ok(row.into())
        }
        kind => row(vm, object, kind, from),
    }
}

/// The mode in force where one is asked for by its number.
fn mode_of(object: &ObjectHandle, number: i64) -> FetchMode {
    let state = prepared(object);
    let mut mode = state.mode.clone();
    if number & !FLAGS == 0 {
        let default = match mode.number & !FLAGS {
            0 => state
                .connection
                .as_ref()
                .map_or(BOTH, |object| connection(object).fetch_mode),
            _ => mode.number,
        };
        mode.number = default | number & FLAGS;
    } else {
        mode.number = number;
    }
    mode
}

/// Refuses what is no mode.
fn check_mode(call: &mut Call<'_>, number: i64, index: usize, fetches_all: bool) -> PhpResult<()> {
    let kind = number & !FLAGS;
    if number < 0 || kind > KEY_PAIR {
        let problem = "must be a bitmask of PDO::FETCH_* constants";
        return Err(call.value_error(index, problem));
    }
    if kind == FUNCTION && !fetches_all {
        let message = "Can only use PDO::FETCH_FUNC in PDOStatement::fetchAll()";
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    if kind == LAZY && fetches_all {
        let problem = "cannot be PDO::FETCH_LAZY in PDOStatement::fetchAll()";
        return Err(call.value_error(index, problem));
    }
    if number & SERIALIZE != 0 && kind != CLASS {
        let problem = "must use PDO::FETCH_SERIALIZE with PDO::FETCH_CLASS";
        return Err(call.value_error(index, problem));
    }
    if number & CLASS_TYPE != 0 && kind != CLASS {
        let problem = "must use PDO::FETCH_CLASSTYPE with PDO::FETCH_CLASS";
        return Err(call.value_error(index, problem));
    }
    Ok(())
}

/// Fetches a row; `false` at the end.
fn fetch_row(vm: &mut Vm, object: &ObjectHandle, mode: &FetchMode) -> PhpResult<Value> {
    let row = next_row(vm, object, mode)?;
    complain_again(vm, object)?;
    Ok(row.unwrap_or_else(|| false.into()))
}

const NO_PAIR: &str =
    "PDO::FETCH_KEY_PAIR fetch mode requires the result set to contain exactly 2 columns.";

/// As [`fetch_row`]; None behind the last one.
fn next_row(vm: &mut Vm, object: &ObjectHandle, mode: &FetchMode) -> PhpResult<Option<Value>> {
    prepared(object).error.clear();
    if !advance(vm, object)? {
        return Ok(None);
    }
    fill_variables(vm, object)?;
    match mode.kind() {
        KEY_PAIR => {
            if prepared(object).names.len() != 2 {
                return complain(vm, object, NO_PAIR).map(|_| None);
            }
            let mut pair = vm.new_array();
            add_pair(vm, object, &mut pair)?;
            Ok(Some(pair.into()))
        }
        // Groups are made of all rows only: one by itself has all columns.
        _ => fetched(vm, object, mode, 0).map(Some),
    }
}

/// Adds the second column under the first one's name.
fn add_pair(vm: &mut Vm, object: &ObjectHandle, table: &mut ArrayHandle) -> PhpResult<()> {
    let key = cell(vm, object, 0)?;
    let value = cell(vm, object, 1)?;
    set_keyed(vm, table, &key, value)
}

fn set_keyed(vm: &mut Vm, table: &mut ArrayHandle, key: &Value, value: Value) -> PhpResult<()> {
    match key.view() {
        ValueKind::Long(number) => table.make_mut(vm).set_long(number, value),
        _ => {
            let name = to_string(vm, key)?;
            match integer_key(&name) {
                Some(number) => table.make_mut(vm).set_long(number, value),
                None => table.make_mut(vm).set_string(&name, value),
            }
        }
    }
    Ok(())
}

pub(super) fn fetch(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    let number = call.long(0);
    check_mode(call, number, 0, false)?;
    let mode = mode_of(&object, number);
    fetch_row(call.vm, &object, &mode)
}

pub(super) fn fetch_column(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    let column = call.long(0);
    prepared(&object).error.clear();
    if !advance(call.vm, &object)? {
        return Ok(false.into());
    }
    fill_variables(call.vm, &object)?;
    if column < 0 {
        let message = "Column index must be greater than or equal to 0";
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    let mode = FetchMode {
        number: COLUMN,
        column,
        ..FetchMode::default()
    };
    fetched(call.vm, &object, &mode, 0)
}

pub(super) fn fetch_object(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    let class = match call.optional_bytes(0) {
        Some(name) => match call.vm.class_by_name(name, true)? {
            Some(class) => class,
            None => {
                let shown = vm_runtime::message::text(name);
                let problem = format!("must be a valid class name, {shown} given");
                return Err(call.type_error(0, &problem));
            }
        },
        None => call.vm.class_of(KnownClass::StdClass),
    };
    let mode = FetchMode {
        number: CLASS,
        class,
        more: call.value(1),
        ..FetchMode::default()
    };
    fetch_row(call.vm, &object, &mode)
}

/// What `fetchAll()` is told besides the mode.
fn complete_mode(call: &mut Call<'_>, mode: &mut FetchMode) -> PhpResult<()> {
    let count = call.count();
    let refuse = |call: &mut Call<'_>, what: &str| {
        let message = format!("PDOStatement::fetchAll() expects {what}, {count} given");
        Err(call.vm.throw_error(KnownClass::ArgumentCountError, message))
    };
    match mode.kind() {
        CLASS => {
            if count > 3 {
                return refuse(call, "at most 3 arguments for PDO::FETCH_CLASS");
            }
            let stated = count > 0 && call.long(0) & !FLAGS != 0;
            if mode.has(CLASS_TYPE) {
                if count > 1 {
                    return refuse(
                        call,
                        "exactly 1 argument for PDO::FETCH_CLASS | PDO::FETCH_CLASSTYPE",
                    );
                }
            } else if call.has(1) {
                let given = call.value(1);
                let Some(name) = given.as_bytes().map(<[u8]>::to_vec) else {
                    let given = value_name(&given);
                    let problem = format!("must be of type string, {given} given");
                    return Err(argument_error(call, KnownClass::TypeError, 2, &problem));
                };
                match call.vm.class_by_name(&name, true)? {
                    Some(class) => mode.class = class,
                    None => {
                        let shown = vm_runtime::message::text(&name);
                        let message = format!("Class \"{shown}\" not found");
                        return Err(call.vm.throw_error(KnownClass::Error, message));
                    }
                }
            } else if stated {
                mode.class = call.vm.class_of(KnownClass::StdClass);
            }
            if call.has(2) {
                mode.more = call.value(2);
            }
        }
        FUNCTION => {
            if count != 2 {
                return refuse(call, "exactly 2 argument for PDO::FETCH_FUNC");
            }
            let callable = call.value(1);
            if let Err(reason) = call.vm.check_callable(&callable) {
                call.vm.check()?;
                if callable.is_null() {
                    let problem = "must be a callable, null given";
                    return Err(argument_error(call, KnownClass::TypeError, 2, problem));
                }
                // PHP says no more than the reason.
                return Err(call.vm.throw_error(KnownClass::TypeError, reason));
            }
            mode.more = callable;
        }
        COLUMN => {
            if count > 2 {
                return refuse(call, "at most 2 argument for the fetch mode provided");
            }
            if call.has(1) {
                let column = call.value(1);
                match column.view() {
                    ValueKind::Long(number) if number >= 0 => mode.column = number,
                    ValueKind::Long(_) => {
                        let problem = "must be greater than or equal to 0";
                        return Err(argument_error(call, KnownClass::ValueError, 2, problem));
                    }
                    _ => {
                        let given = value_name(&column);
                        let problem = format!("must be of type int, {given} given");
                        return Err(argument_error(call, KnownClass::TypeError, 2, &problem));
                    }
                }
            } else if count > 0 && call.long(0) & !FLAGS != 0 {
                mode.column = 0;
            }
        }
        _ if count > 1 => return refuse(call, "exactly 1 argument for the fetch mode provided"),
        _ => {}
    }
    Ok(())
}

/// An error about an argument behind the mode, which has no name.
fn argument_error(
    call: &mut Call<'_>,
    class: KnownClass,
    number: usize,
    problem: &str,
) -> vm_runtime::vm::Thrown {
    let function = call.function().display_name();
    let message = format!("{function}(): Argument #{number} {problem}");
    call.vm.throw_error(class, message)
}

/// What `fetchAll()` gives where a row could not be made: no rows.
fn failed(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Value> {
    complain_again(vm, object)?;
    Ok(vm.new_array().into())
}

pub(super) fn fetch_all(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    let number = call.long(0);
    check_mode(call, number, 0, true)?;
    let mut mode = mode_of(&object, number);
    // Also as the mode of the statement or the connection.
    check_mode(call, mode.number, 0, true)?;
    complete_mode(call, &mut mode)?;
    let vm = &mut *call.vm;
    prepared(&object).error.clear();
    let mut all = new_list(vm, 16);
    let is_unique = mode.has(UNIQUE);
    let is_grouped = mode.has(GROUP);
    // The function and the object stay where they are while rows are fetched.
    let mode = mode;
    while advance(vm, &object)? {
        vm_runtime::limits::poll();
        fill_variables(vm, &object)?;
        if mode.kind() == KEY_PAIR {
            if prepared(&object).names.len() != 2 {
                complain(vm, &object, NO_PAIR)?;
                return failed(vm, &object);
            }
            add_pair(vm, &object, &mut all)?;
            continue;
        }
        if !is_grouped {
            let is_into = mode.kind() == INTO && mode.more.object().is_none();
            let row = fetched(vm, &object, &mode, 0)?;
            if is_into || mode.kind() == CLASS && row.object().is_none() {
                return failed(vm, &object);
            }
            all.make_mut(vm).append(row);
            continue;
        }
        let key = cell(vm, &object, 0)?;
        let row = fetched(vm, &object, &mode, 1)?;
        let key: Value = to_string(vm, &key)?.into();
        if is_unique {
            set_keyed(vm, &mut all, &key, row)?;
            continue;
        }
        let name = to_string(vm, &key)?;
        let known = match integer_key(&name) {
            Some(number) => all.get_long(number),
            None => all.get_bytes(name.as_bytes()),
        };
        let mut group = match known.map(hold).and_then(|group| group.array()) {
            Some(group) => group,
            None => new_list(vm, 4),
        };
        group.make_mut(vm).append(row);
        set_keyed(vm, &mut all, &key, group.into())?;
    }
    Ok(all.into())
}

/// Sets the mode of a statement to arguments from `at` on.
pub(super) fn set_mode(call: &mut Call<'_>, object: &ObjectHandle, at: usize) -> PhpResult<()> {
    let number = call.long(at);
    let count = call.count();
    check_mode(call, number, at, false)?;
    // What follows the mode is a list of arguments without names.
    let more: Vec<Value> = (at + 1..count).map(|index| call.value(index)).collect();
    let mut mode = FetchMode {
        number,
        ..FetchMode::default()
    };
    let function = call.function().display_name();
    let refuse = |call: &mut Call<'_>, what: &str, needed: usize| {
        let needed = needed + at;
        let message = format!(
            "{function}() expects {what} {needed} arguments for the fetch mode provided, {count} \
             given"
        );
        Err(call.vm.throw_error(KnownClass::ArgumentCountError, message))
    };
    let wrong = |call: &mut Call<'_>, wanted: &str, given: &Value| {
        let given = value_name(given);
        let problem = format!("must be of type {wanted}, {given} given");
        Err(argument_error(
            call,
            KnownClass::TypeError,
            at + 2,
            &problem,
        ))
    };
    match mode.kind() {
        COLUMN => {
            if more.len() != 1 {
                return refuse(call, "exactly", 2);
            }
            match more[0].view() {
                ValueKind::Long(column) if column >= 0 => mode.column = column,
                ValueKind::Long(_) => {
                    let problem = "must be greater than or equal to 0";
                    return Err(argument_error(
                        call,
                        KnownClass::ValueError,
                        at + 2,
                        problem,
                    ));
                }
                _ => return wrong(call, "int", &more[0]),
            }
        }
        CLASS if mode.has(CLASS_TYPE) && !more.is_empty() => return refuse(call, "exactly", 1),
        CLASS if mode.has(CLASS_TYPE) => {}
        CLASS => {
            if more.is_empty() {
                return refuse(call, "at least", 2);
            }
            if more.len() > 2 {
                return refuse(call, "at most", 3);
            }
            let Some(name) = more[0].as_bytes() else {
                return wrong(call, "string", &more[0]);
            };
            match call.vm.class_by_name(name, true)? {
                Some(class) => mode.class = class,
                None => {
                    let problem = "must be a valid class";
                    return Err(argument_error(call, KnownClass::TypeError, at + 2, problem));
                }
            }
            if let Some(arguments) = more.get(1) {
                mode.more = arguments.clone();
            }
        }
        INTO => {
            if more.len() != 1 {
                return refuse(call, "exactly", 2);
            }
            if more[0].object().is_none() {
                return wrong(call, "object", &more[0]);
            }
            mode.more = more[0].clone();
        }
        _ if !more.is_empty() => return refuse(call, "exactly", 1),
        _ => {}
    }
    let before = std::mem::replace(&mut prepared(object).mode, mode);
    drop(before);
    Ok(())
}

pub(super) fn set_fetch_mode(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = opened(call)?;
    set_mode(call, &object, 0)?;
    Ok(true.into())
}

/// The rows of a statement, one after the other.
struct Rows {
    statement: ObjectHandle,
    /// The present one; what could not be fetched is none, but null is.
    row: Option<Value>,
    /// Its number; none where there is no row.
    key: Option<i64>,
    /// How many times it was asked to go on.
    steps: u64,
}

impl Rows {
    fn advance(&mut self, vm: &mut Vm) -> PhpResult<()> {
        let mode = mode_of(&self.statement, 0);
        let row = next_row(vm, &self.statement, &mode)?;
        complain_again(vm, &self.statement)?;
        let row = row.filter(|row| !matches!(row.view(), ValueKind::Bool(false)));
        self.key = row.is_some().then(|| self.key.map_or(0, |key| key + 1));
        let before = std::mem::replace(&mut self.row, row);
        drop(before);
        Ok(())
    }
}

impl NativeIterator for Rows {
    fn current(&mut self, _: &mut Vm) -> PhpResult<Value> {
        Ok(self.row.clone().unwrap_or(Value::NULL))
    }

    fn key(&mut self, _: &mut Vm) -> PhpResult<Value> {
        Ok(self.key.map_or(Value::NULL, Value::from))
    }

    fn next(&mut self, vm: &mut Vm) -> PhpResult<()> {
        self.steps += 1;
        self.advance(vm)
    }

    fn valid(&mut self, _: &mut Vm) -> PhpResult<bool> {
        Ok(self.row.is_some())
    }

    /// Where nobody has gone on it is at its first row already.
    fn rewind(&mut self, vm: &mut Vm) -> PhpResult<()> {
        if self.steps > 0 {
            let message = "Iterator does not support rewinding";
            return Err(vm.throw_error(KnownClass::Error, message));
        }
        Ok(())
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(&Zval::from_object(self.statement.as_ptr()));
        if let Some(row) = &self.row {
            visitor(row);
        }
    }
}

pub(super) fn get_iterator(call: &mut Call<'_>) -> PhpResult<Value> {
    let statement = opened(call)?;
    let mut rows = Rows {
        statement,
        row: None,
        key: None,
        steps: 0,
    };
    rows.advance(call.vm)?;
    Ok(internal_iterator(call.vm, Box::new(rows))?.into())
}
