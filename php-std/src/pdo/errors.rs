//! Errors of PDO: kept, warned of, or thrown.

use vm_runtime::exceptions::{KnownClass, slots};
use vm_runtime::message::Message;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::sqlite::{Code, Database, sys};
use crate::support::{Append, new_list};

/// What happens when something fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Mode {
    Silent,
    Warning,
    #[default]
    Exception,
}

/// The last error of an object.
#[derive(Debug, Clone, Default)]
pub(super) struct LastError {
    /// The state; empty while nothing was done.
    pub(super) state: &'static str,
    /// The driver's number and text.
    pub(super) native: Option<(i64, String)>,
}

impl LastError {
    /// What everything starts with.
    pub(super) fn clear(&mut self) {
        *self = LastError {
            state: "00000",
            native: None,
        };
    }

    /// `errorCode()`
    pub(super) fn code(&self, vm: &mut Vm) -> Value {
        match self.state {
            "" => Value::NULL,
            state => vm.string(state).into(),
        }
    }

    /// `errorInfo()`
    pub(super) fn info(&self, vm: &mut Vm) -> Value {
        let mut info = new_list(vm, 3);
        let (number, text) = match &self.native {
            Some((number, text)) => ((*number).into(), vm.string(text).into()),
            None => (Value::NULL, Value::NULL),
        };
        let state = vm.string(self.state).into();
        let array = info.make_mut(vm);
        array.append(state);
        array.append(number);
        array.append(text);
        info.into()
    }
}

/// What a state means.
fn meaning(state: &str) -> &'static str {
    match state {
        "00000" => "No error",
        "01002" => "Disconnect error",
        "22001" => "String data, right truncated",
        "23000" => "Integrity constraint violation",
        "42S02" => "Base table or view not found",
        "HY093" => "Invalid parameter number",
        "HYC00" => "Optional feature not implemented",
        "IM001" => "Driver does not support this function",
        _ => "General error",
    }
}

/// The state for a number of SQLite's.
fn state_of(code: Code) -> &'static str {
    match code {
        sys::SQLITE_NOTFOUND => "42S02",
        sys::SQLITE_INTERRUPT => "01002",
        sys::SQLITE_NOLFS => "HYC00",
        sys::SQLITE_TOOBIG => "22001",
        sys::SQLITE_CONSTRAINT => "23000",
        _ => "HY000",
    }
}

/// An exception with this message, number and information.
pub(super) fn throw(
    vm: &mut Vm,
    message: &str,
    code: Option<Value>,
    info: Option<Value>,
) -> Thrown {
    let class = vm.linked_class(b"pdoexception");
    let class = class.unwrap_or_else(|| vm.class_of(KnownClass::Exception));
    let exception = vm.new_throwable(class, message, 0);
    if let Some(code) = code {
        vm_runtime::exceptions::set_slot(&exception, slots::CODE, code);
    }
    if let Some(info) = info {
        let name = vm.string("errorInfo");
        let scope = exception.class;
        // A declared property that takes every array.
        let _ =
            vm_runtime::object::write::write_property(vm, exception.as_ptr(), &name, info, scope);
    }
    vm.throw_object(exception)
}

/// As [`throw_plain`], two exceptions, the first being why there is the second.
pub(super) fn throw_both(vm: &mut Vm, first: &str, second: &str) -> Thrown {
    let class = vm.linked_class(b"pdoexception");
    let class = class.unwrap_or_else(|| vm.class_of(KnownClass::Exception));
    let first = vm.new_throwable(class, first, 0);
    let second = vm.new_throwable(class, second, 0);
    vm_runtime::exceptions::set_previous(vm, second.as_ptr(), first);
    vm.throw_object(second)
}

/// As [`throw`], an exception with a message alone.
pub(super) fn throw_plain(vm: &mut Vm, message: &str) -> Thrown {
    throw(vm, message, None, None)
}

/// Warns or throws, as the mode says. Gives `false` to go on with.
fn report(
    vm: &mut Vm,
    mode: Mode,
    state: &str,
    message: &str,
    native: Option<&(i64, String)>,
) -> PhpResult<Value> {
    vm.check()?;
    match mode {
        Mode::Silent => Ok(false.into()),
        Mode::Warning => {
            vm.function_warning(message);
            vm.check()?;
            Ok(false.into())
        }
        Mode::Exception => {
            let mut info = new_list(vm, 3);
            let code: Value = vm.string(state).into();
            let number = native.map_or(0, |(number, _)| *number);
            let text = native.map(|(_, text)| vm.string(text.message()).into());
            let array = info.make_mut(vm);
            array.append(code.clone());
            array.append(number.into());
            if let Some(text) = text {
                array.append(text);
            }
            Err(throw(vm, message, Some(code), Some(info.into())))
        }
    }
}

/// Something that SQLite reported.
pub(super) fn of_database(
    vm: &mut Vm,
    mode: Mode,
    database: &Database,
    last: &mut LastError,
) -> PhpResult<Value> {
    let code = database.code();
    of_number(vm, mode, code, database.message(), last)
}

/// A number and a text of SQLite's.
pub(super) fn of_number(
    vm: &mut Vm,
    mode: Mode,
    code: Code,
    text: String,
    last: &mut LastError,
) -> PhpResult<Value> {
    let state = state_of(code);
    let message = format!("SQLSTATE[{state}]: {}: {code} {text}", meaning(state));
    let native = (i64::from(code), text);
    *last = LastError {
        state,
        native: Some(native.clone()),
    };
    report(vm, mode, state, &message, Some(&native))
}

/// Warns once more of what PDO itself had to say: where fetching failed PHP tells that by the state alone, too.
pub(super) fn of_pdo_again(vm: &mut Vm, mode: Mode, last: &LastError) -> PhpResult<()> {
    let is_own = !matches!(last.state, "" | "00000") && last.native.is_none();
    if is_own && mode == Mode::Warning {
        let message = format!("SQLSTATE[{}]: {}", last.state, meaning(last.state));
        report(vm, mode, last.state, &message, None)?;
    }
    Ok(())
}

/// Something that PDO itself has to say, which is a warning where errors are to be silent, too.
pub(super) fn of_pdo(
    vm: &mut Vm,
    mode: Mode,
    state: &'static str,
    what: &str,
    last: &mut LastError,
) -> PhpResult<Value> {
    *last = LastError {
        state,
        native: None,
    };
    let mode = match mode {
        Mode::Silent => Mode::Warning,
        mode => mode,
    };
    let message = match what {
        "" => format!("SQLSTATE[{state}]: {}", meaning(state)),
        what => format!("SQLSTATE[{state}]: {}: {what}", meaning(state)),
    };
    report(vm, mode, state, &message, None)
}
