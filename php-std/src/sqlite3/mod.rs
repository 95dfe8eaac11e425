//! The extension `sqlite3`.

mod connection;
mod result;
mod statement;
mod table;

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use vm_runtime::exceptions::KnownClass;
use vm_runtime::ini::{IniDefinition, access};
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::sqlite::{Database, Statement};
use crate::support::define;

static SETTINGS: &[IniDefinition] = &[
    IniDefinition {
        name: "sqlite3.defensive",
        default: Some("1"),
        access: access::USER,
        on_change: None,
    },
    IniDefinition {
        name: "sqlite3.extension_dir",
        default: None,
        access: access::SYSTEM,
        on_change: None,
    },
];

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    vm.register_classes(table::CLASSES);
    define(vm, table::CONSTANTS);
}

/// A statement, until it or its database is closed.
type Slot = RefCell<Option<Statement>>;

/// What objects of the extension share of a database.
#[derive(Debug, Default)]
struct Open {
    database: Option<Rc<Database>>,
    /// Statements, which are closed with the database.
    statements: Vec<Weak<Slot>>,
    /// Errors are exceptions.
    throws: bool,
}

impl Open {
    /// Takes a statement in.
    fn adopt(&mut self, statement: Statement) -> Rc<Slot> {
        let slot = Rc::new(RefCell::new(Some(statement)));
        self.statements.retain(|known| known.strong_count() > 0);
        self.statements.push(Rc::downgrade(&slot));
        slot
    }

    /// Closes the database and its statements, but for one that is running.
    fn close(&mut self) {
        for slot in std::mem::take(&mut self.statements) {
            if let Some(slot) = slot.upgrade()
                && let Ok(mut statement) = slot.try_borrow_mut()
            {
                *statement = None;
            }
        }
        if let Some(database) = self.database.take() {
            database.forget_callables();
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.close();
    }
}

/// Says that something failed: as a warning, or as an exception if the script wants these.
fn complain(vm: &mut Vm, throws: bool, code: i64, message: &str) -> PhpResult<Value> {
    if throws {
        let class = vm.linked_class(b"sqlite3exception");
        let class = class.unwrap_or(std::ptr::null_mut());
        let exception = vm.new_throwable(class, message, code);
        return Err(vm.throw_object(exception));
    }
    vm.function_warning(message);
    vm.check()?;
    Ok(false.into())
}

fn not_initialised(vm: &mut Vm, class: &str) -> Thrown {
    let message =
        format!("The {class} object has not been correctly initialised or is already closed");
    vm.throw_error(KnownClass::Error, message)
}

/// Runs something on a statement, unless it is running already.
fn with<T>(
    vm: &mut Vm,
    slot: &Rc<Slot>,
    class: &str,
    run: impl FnOnce(&mut Vm, &Statement) -> PhpResult<T>,
) -> PhpResult<T> {
    let Ok(statement) = slot.try_borrow_mut() else {
        let message = "The statement is being executed";
        return Err(vm.throw_error(KnownClass::Error, message));
    };
    match &*statement {
        Some(statement) => run(vm, statement),
        None => Err(not_initialised(vm, class)),
    }
}
