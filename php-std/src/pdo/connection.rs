//! The class `PDO`: a connection.

use std::any::Any;
use std::rc::Rc;

use vm_runtime::array::KeyRef;
use vm_runtime::class::{Class, NativeHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, flags};
use vm_runtime::limits::directories::lies_within;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::operators::{to_bool, to_long, value_name};
use vm_runtime::value::{ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::errors::{self, LastError, Mode};
use super::fetch;
use super::statement::Prepared;
use crate::spl::this;
use crate::sqlite::{Database, Statement, sys, version};
use crate::support::{hold, list, text};

pub(super) use super::sqlite_class::{create_aggregate, create_collation, create_function};

/// Attributes, by their numbers in PDO.
pub(super) mod attribute {
    pub(crate) const TIMEOUT: i64 = 2;
    pub(crate) const ERROR_MODE: i64 = 3;
    pub(crate) const SERVER_VERSION: i64 = 4;
    pub(crate) const CLIENT_VERSION: i64 = 5;
    pub(crate) const CASE: i64 = 8;
    pub(crate) const NULLS: i64 = 11;
    pub(crate) const PERSISTENT: i64 = 12;
    pub(crate) const STATEMENT_CLASS: i64 = 13;
    pub(crate) const DRIVER_NAME: i64 = 16;
    pub(crate) const STRINGIFY: i64 = 17;
    pub(crate) const FETCH_MODE: i64 = 19;
    pub(crate) const STRING_PARAMETER: i64 = 21;
    pub(crate) const OPEN_FLAGS: i64 = 1000;
    pub(crate) const READ_ONLY_STATEMENT: i64 = 1001;
    pub(crate) const EXTENDED_CODES: i64 = 1002;
}

/// The native part of a PDO.
pub(super) struct Connection {
    pub(super) database: Option<Rc<Database>>,
    pub(super) mode: Mode,
    /// How names of columns are shown: as they are, upper or lower case.
    pub(super) case: i64,
    /// What becomes of nulls and empty strings.
    pub(super) nulls: i64,
    /// Numbers are given as strings.
    pub(super) stringifies: bool,
    pub(super) fetch_mode: i64,
    /// The class of statements, if it is not PDOStatement, and arguments of its constructor.
    statement_class: Option<(*mut Class, Value)>,
    pub(super) error: LastError,
}

impl Default for Connection {
    fn default() -> Connection {
        Connection {
            database: None,
            mode: Mode::Exception,
            case: 0,
            nulls: 0,
            stringifies: false,
            fetch_mode: fetch::BOTH,
            statement_class: None,
            error: LastError::default(),
        }
    }
}

impl NativeData for Connection {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some(database) = &self.database {
            database.visit(visitor);
        }
        if let Some((_, arguments)) = &self.statement_class {
            visitor(arguments);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(database) = &self.database {
            database.forget_callables();
        }
    }
}

/// All as usual.
pub(super) const HANDLERS: NativeHandlers = NativeHandlers {
    // Nothing is like it.
    compare_with: Some(|_, _, _| Ok(None)),
    ..NativeHandlers::STANDARD
};

pub(super) fn connection(object: &PhpObject) -> &mut Connection {
    object.native::<Connection>().expect("made with the object")
}

/// The object and its database. The last error is forgotten.
pub(super) fn opened(call: &mut Call<'_>) -> PhpResult<(ObjectHandle, Rc<Database>)> {
    let object = this(call);
    match connection(&object).database.clone() {
        Some(database) => Ok((object, database)),
        None => {
            let message = format!("{} object is uninitialized", object.class().display_name());
            Err(call.vm.throw_error(KnownClass::Error, message))
        }
    }
}

/// Says what SQLite's last error was.
fn failed(vm: &mut Vm, object: &PhpObject, database: &Database) -> PhpResult<Value> {
    let state = connection(object);
    errors::of_database(vm, state.mode, database, &mut state.error)
}

/// The part of a data source name behind the driver's; a driver that there is.
fn source(call: &mut Call<'_>, name: &[u8]) -> PhpResult<Vec<u8>> {
    let mut name = name.to_vec();
    if let Some(file) = name.strip_prefix(b"uri:") {
        let file = file.to_vec();
        let read = crate::standard::files::open(call.vm, &file, b"rb")?;
        let line = read.and_then(|mut stream| stream.read_line(b'\n', 512).ok().flatten());
        let Some(line) = line else {
            let message = "PDO::__construct(): Argument #1 ($dsn) must be a valid data source URI";
            return Err(errors::throw_plain(call.vm, message));
        };
        name = line.trim_ascii_end().to_vec();
    }
    let Some(colon) = memchr::memchr(b':', &name) else {
        let function = call.function().display_name();
        let message = format!("{function}(): Argument #1 ($dsn) must be a valid data source name");
        return Err(errors::throw_plain(call.vm, &message));
    };
    if &name[..colon] != b"sqlite" {
        return Err(errors::throw_plain(call.vm, "could not find driver"));
    }
    Ok(name[colon + 1..].to_vec())
}

/// Opens the database that the arguments name.
fn open(call: &mut Call<'_>, object: &ObjectHandle) -> PhpResult<()> {
    let source = source(call, call.bytes(0))?;
    let options = match call.has(3) {
        true => Some(call.array(3)),
        false => None,
    };
    let number = |name: i64| {
        let value = options.as_ref()?.get_long(name)?;
        Some(hold(value))
    };
    let wanted = number(attribute::OPEN_FLAGS);
    let wanted = wanted.map(|flags| to_long(call.vm, &flags));
    let access = wanted.unwrap_or(i64::from(
        sys::SQLITE_OPEN_READWRITE | sys::SQLITE_OPEN_CREATE,
    ));
    let mut path = source.clone();
    let is_uri = path.starts_with(b"file:");
    if !path.is_empty() && path != b":memory:" {
        let function = call.function().display_name();
        let bare = match is_uri {
            true => path["file:".len()..].split(|&byte| byte == b'?').next(),
            false => Some(path.as_slice()),
        };
        let bare = bare.unwrap_or_default().to_vec();
        if !bare.is_empty() && bare != b":memory:" && !lies_within(call.vm, &bare) {
            let file = vm_runtime::message::text(&bare);
            let allowed = vm_runtime::message::text(call.vm.ini.text("open_basedir"));
            let first = format!(
                "{function}(): open_basedir restriction in effect. File({file}) is not within the \
                 allowed path(s): ({allowed})"
            );
            let shown = vm_runtime::message::text(&source);
            let second = format!("open_basedir prohibits opening {shown}");
            return Err(errors::throw_both(call.vm, &first, &second));
        }
        if !is_uri && let Ok(full) = std::path::absolute(crate::standard::files::path(&path)) {
            path = full.into_os_string().into_encoded_bytes();
        }
    }
    let access = access
        | if is_uri {
            i64::from(sys::SQLITE_OPEN_URI)
        } else {
            0
        };
    let database = match Database::open(call.vm, &path, access) {
        Ok(database) => database,
        Err((code, message)) => {
            let text = format!("SQLSTATE[HY000] [{code}] {message}");
            let state = call.vm.string("HY000").into();
            let message = call.vm.string(message).into();
            let info = list(call.vm, [state, i64::from(code).into(), message]);
            let code: Value = i64::from(code).into();
            return Err(errors::throw(call.vm, &text, Some(code), Some(info)));
        }
    };
    database.set_timeout(60_000);
    // Destructors of the functions of an old one find the new one.
    drop(connection(object).database.replace(database));
    if let Some(options) = options {
        for (key, value) in options.iter() {
            if let KeyRef::Long(name) = key
                && !matches!(name, attribute::PERSISTENT | attribute::OPEN_FLAGS)
            {
                set(call.vm, object, name, &hold(value))?;
            }
        }
    }
    Ok(())
}

pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    open(call, &object)?;
    Ok(Value::NULL)
}

pub(super) fn connect(call: &mut Call<'_>) -> PhpResult<Value> {
    // Who asks PDO gets the driver's own class.
    let base = call.vm.linked_class(b"pdo");
    let mut class = called_class(call);
    let driver = call.vm.linked_class(b"pdo\\sqlite");
    // SAFETY: I4: classes live until the VM ends.
    let is_drivers = unsafe { driver.is_some_and(|driver| (*class).is_subclass_of(driver)) };
    if Some(class) != base && Some(class) != driver && !is_drivers {
        source(call, call.bytes(0))?;
        // SAFETY: I4: as above.
        let name = unsafe { (*class).display_name() };
        let message = format!(
            "{name}::connect() cannot be used for connecting to the \"sqlite\" driver, either call \
             Pdo\\Sqlite::connect() or PDO::connect() instead"
        );
        return Err(errors::throw_plain(call.vm, &message));
    }
    if Some(class) == base {
        source(call, call.bytes(0))?;
        class = call.vm.linked_class(b"pdo\\sqlite").unwrap_or(class);
    }
    let object = new_object(call.vm, class)?;
    open(call, &object)?;
    Ok(object.into())
}

/// The class that a static method was called on.
fn called_class(call: &mut Call<'_>) -> *mut Class {
    // SAFETY: I4: the frame of a native call is live; in a static method it names the class.
    unsafe { (*call.frame).called_class() }
}

pub(super) fn begin_transaction(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, database) = opened(call)?;
    if !database.is_autocommit() {
        let message = "There is already an active transaction";
        return Err(errors::throw_plain(call.vm, message));
    }
    command(call, &object, &database, b"BEGIN")
}

fn command(
    call: &mut Call<'_>,
    object: &ObjectHandle,
    database: &Rc<Database>,
    sql: &[u8],
) -> PhpResult<Value> {
    match database.execute(sql) {
        Ok(()) => {
            connection(object).error.clear();
            Ok(true.into())
        }
        Err(_) => failed(call.vm, object, database),
    }
}

fn end_transaction(call: &mut Call<'_>, sql: &[u8]) -> PhpResult<Value> {
    let (object, database) = opened(call)?;
    if database.is_autocommit() {
        return Err(errors::throw_plain(
            call.vm,
            "There is no active transaction",
        ));
    }
    command(call, &object, &database, sql)
}

pub(super) fn commit(call: &mut Call<'_>) -> PhpResult<Value> {
    end_transaction(call, b"COMMIT")
}

pub(super) fn roll_back(call: &mut Call<'_>) -> PhpResult<Value> {
    end_transaction(call, b"ROLLBACK")
}

pub(super) fn in_transaction(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, database) = opened(call)?;
    Ok((!database.is_autocommit()).into())
}

pub(super) fn error_code(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, _) = opened(call)?;
    Ok(connection(&object).error.code(call.vm))
}

pub(super) fn error_info(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, _) = opened(call)?;
    Ok(connection(&object).error.info(call.vm))
}

pub(super) fn exec(call: &mut Call<'_>) -> PhpResult<Value> {
    let sql = call.bytes(0);
    if sql.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let (object, database) = opened(call)?;
    match database.execute(sql) {
        Ok(()) => {
            call.vm.check()?;
            connection(&object).error.clear();
            Ok(database.changes().into())
        }
        Err(_) => failed(call.vm, &object, &database),
    }
}

pub(super) fn last_insert_id(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, database) = opened(call)?;
    let row = database.last_insert_row().to_string();
    text(call.vm, row)
}

pub(super) fn quote(call: &mut Call<'_>) -> PhpResult<Value> {
    opened(call)?;
    let given = call.bytes(0);
    let end = memchr::memchr(0, given).unwrap_or(given.len());
    let mut quoted = vec![b'\''];
    for &byte in &given[..end] {
        if byte == b'\'' {
            quoted.push(byte);
        }
        quoted.push(byte);
    }
    quoted.push(b'\'');
    text(call.vm, quoted)
}

/// Prepares a statement as an object. `Err` holds what the method gives instead.
fn prepared(
    call: &mut Call<'_>,
    class: Option<(*mut Class, Value)>,
) -> PhpResult<Result<ObjectHandle, Value>> {
    let sql = call.bytes(0);
    if sql.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let (object, database) = opened(call)?;
    let statement = Statement::prepare(&database, sql);
    call.vm.check()?;
    let statement = match statement {
        Ok(statement) => statement,
        Err(_) => return failed(call.vm, &object, &database).map(Err),
    };
    connection(&object).error.clear();
    let class = class.or_else(|| connection(&object).statement_class.clone());
    let (class, arguments) = match class {
        Some((class, arguments)) => (class, arguments),
        None => {
            let class = call.vm.linked_class(b"pdostatement");
            (class.unwrap_or(std::ptr::null_mut()), Value::NULL)
        }
    };
    let made = new_object(call.vm, class)?;
    if let Some(native) = made.native::<Prepared>() {
        *native = Prepared::new(statement, object, sql);
    }
    let query = call.string(0);
    // SAFETY: I3: the object is new, and its first slot is the declared property.
    unsafe { (*made.slot(0)).set(Value::from(query).into_zval()) };
    // SAFETY: I4: methods are null or live.
    let constructor = unsafe { (*class).magic.construct };
    if !constructor.is_null() {
        let arguments = values(&arguments);
        call.vm
            .call_function(constructor, Some(made.clone()), class, arguments)?;
    }
    Ok(Ok(made))
}

/// The elements of an array, or nothing.
pub(super) fn values(array: &Value) -> Vec<Value> {
    let array = hold(array).array();
    array.map_or_else(Vec::new, |array| {
        array.iter().map(|(_, value)| hold(value)).collect()
    })
}

pub(super) fn prepare(call: &mut Call<'_>) -> PhpResult<Value> {
    let class = match call.elements(1).get_long(attribute::STATEMENT_CLASS) {
        Some(given) => {
            let given = hold(given);
            Some(statement_class(call.vm, &given)?)
        }
        None => None,
    };
    Ok(match prepared(call, class)? {
        Ok(statement) => statement.into(),
        Err(instead) => instead,
    })
}

pub(super) fn query(call: &mut Call<'_>) -> PhpResult<Value> {
    let statement = match prepared(call, None)? {
        Ok(statement) => statement,
        Err(instead) => return Ok(instead),
    };
    if call.has(1) {
        fetch::set_mode(call, &statement, 1)?;
    }
    if !super::statement::run(call.vm, &statement)? {
        let error = super::statement::prepared(&statement).error.clone();
        connection(&this(call)).error = error;
        return Ok(false.into());
    }
    Ok(statement.into())
}

/// A class for statements, and arguments of its constructor.
fn statement_class(vm: &mut Vm, given: &Value) -> PhpResult<(*mut Class, Value)> {
    let refuse = |vm: &mut Vm, kind, message: &str| Err(vm.throw_error(kind, message));
    let Some(pair) = given.array() else {
        let name = value_name(given);
        let message =
            format!("PDO::ATTR_STATEMENT_CLASS value must be of type array, {name} given");
        return refuse(vm, KnownClass::TypeError, &message);
    };
    let Some(name) = pair.get_long(0).map(hold) else {
        let message = "PDO::ATTR_STATEMENT_CLASS value must be an array with the format \
                       array(classname, constructor_args)";
        return refuse(vm, KnownClass::ValueError, message);
    };
    let class = match name.as_bytes() {
        Some(name) => vm.class_by_name(name, true)?,
        None => None,
    };
    let Some(class) = class else {
        let message = "PDO::ATTR_STATEMENT_CLASS class must be a valid class";
        return refuse(vm, KnownClass::TypeError, message);
    };
    let base = vm.linked_class(b"pdostatement");
    // SAFETY: I4: classes and methods are live.
    let (is_statement, is_public) = unsafe {
        let is_statement = base.is_some_and(|base| (*class).is_subclass_of(base));
        let constructor = (*class).magic.construct.as_ref();
        (
            is_statement,
            constructor.is_some_and(|constructor| constructor.flags & flags::PUBLIC != 0),
        )
    };
    if !is_statement {
        let message = "PDO::ATTR_STATEMENT_CLASS class must be derived from PDOStatement";
        return refuse(vm, KnownClass::TypeError, message);
    }
    if is_public {
        let message = "User-supplied statement class cannot have a public constructor";
        return refuse(vm, KnownClass::TypeError, message);
    }
    let arguments = pair.get_long(1).map(hold).unwrap_or_default();
    if !arguments.is_null() && arguments.array().is_none() {
        let name = value_name(&arguments);
        let message = format!(
            "PDO::ATTR_STATEMENT_CLASS constructor_args must be of type ?array, {name} given"
        );
        return refuse(vm, KnownClass::TypeError, &message);
    }
    Ok((class, arguments))
}

/// The number that an attribute is set to.
fn number(vm: &mut Vm, value: &Value) -> PhpResult<i64> {
    match value.view() {
        ValueKind::Long(_) | ValueKind::Bool(_) => Ok(to_long(vm, value)),
        ValueKind::String(text)
            if vm_runtime::operators::numeric_string::parse_whole(text.as_bytes()).is_some() =>
        {
            Ok(to_long(vm, value))
        }
        _ => {
            let name = value_name(value);
            let message =
                format!("Attribute value must be of type int for selected attribute, {name} given");
            Err(vm.throw_error(KnownClass::TypeError, message))
        }
    }
}

/// Sets an attribute.
fn set(vm: &mut Vm, object: &ObjectHandle, name: i64, value: &Value) -> PhpResult<bool> {
    let state = connection(object);
    match name {
        attribute::ERROR_MODE => {
            state.mode = match number(vm, value)? {
                0 => Mode::Silent,
                1 => Mode::Warning,
                2 => Mode::Exception,
                _ => {
                    let message = "Error mode must be one of the PDO::ERRMODE_* constants";
                    return Err(vm.throw_error(KnownClass::ValueError, message));
                }
            };
        }
        attribute::CASE => {
            state.case = match number(vm, value)? {
                case @ 0..=2 => case,
                _ => {
                    let message = "Case folding mode must be one of the PDO::CASE_* constants";
                    return Err(vm.throw_error(KnownClass::ValueError, message));
                }
            };
        }
        attribute::NULLS => state.nulls = number(vm, value)?,
        attribute::FETCH_MODE => {
            let mode = match value.array() {
                Some(parts) => {
                    let mode = parts.get_long(0).map(hold).unwrap_or_default();
                    let mode = number(vm, &mode)?;
                    if matches!(mode, fetch::INTO | fetch::CLASS) {
                        let message = "PDO::FETCH_INTO and PDO::FETCH_CLASS cannot be set as the \
                                       default fetch mode";
                        return Err(vm.throw_error(KnownClass::ValueError, message));
                    }
                    mode
                }
                None => number(vm, value)?,
            };
            if mode == 0 {
                let message = "Fetch mode must be a bitmask of PDO::FETCH_* constants";
                return Err(vm.throw_error(KnownClass::ValueError, message));
            }
            state.fetch_mode = mode;
        }
        attribute::STRINGIFY => state.stringifies = to_bool(value),
        attribute::STATEMENT_CLASS => {
            if state.database.is_none() {
                return Ok(false);
            }
            let class = statement_class(vm, value)?;
            drop(connection(object).statement_class.replace(class));
        }
        attribute::TIMEOUT => {
            let seconds = number(vm, value)?;
            if let Some(database) = &state.database {
                database.set_timeout(seconds.saturating_mul(1000));
            }
        }
        attribute::EXTENDED_CODES => {
            let on = number(vm, value)? != 0;
            if let Some(database) = &state.database {
                database.set_extended_codes(on);
            }
        }
        attribute::STRING_PARAMETER => {
            number(vm, value)?;
            return Ok(false);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

pub(super) fn set_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, _) = opened(call)?;
    connection(&object).error.clear();
    let (name, value) = (call.long(0), call.value(1));
    Ok(set(call.vm, &object, name, &value)?.into())
}

pub(super) fn get_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, _) = opened(call)?;
    let state = connection(&object);
    state.error.clear();
    Ok(match call.long(0) {
        attribute::ERROR_MODE => (state.mode as i64).into(),
        attribute::CASE => state.case.into(),
        attribute::NULLS => state.nulls.into(),
        attribute::PERSISTENT => false.into(),
        attribute::SERVER_VERSION | attribute::CLIENT_VERSION => {
            return text(call.vm, version().0);
        }
        attribute::DRIVER_NAME => return text(call.vm, "sqlite"),
        attribute::STRINGIFY => state.stringifies.into(),
        attribute::FETCH_MODE => state.fetch_mode.into(),
        attribute::STATEMENT_CLASS => {
            let (class, arguments) = match state.statement_class.clone() {
                Some((class, arguments)) => {
                    // SAFETY: I4: classes live until the VM ends.
                    (unsafe { (*class).display_name() }, arguments)
                }
                None => ("PDOStatement".into(), Value::NULL),
            };
            let mut parts = vec![call.vm.string(class).into()];
            if !arguments.is_null() {
                parts.push(arguments);
            }
            list(call.vm, parts)
        }
        _ => {
            let what = "driver does not support that attribute";
            let mode = state.mode;
            let error = &mut connection(&object).error;
            return errors::of_pdo(call.vm, mode, "IM001", what, error);
        }
    })
}
