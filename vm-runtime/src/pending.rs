//! Stand-ins for what the interpreter provides, so that the rooms below it compile and can be
//! tested. The interpreter replaces each of them; this file goes away with the last one.

use crate::class::Class;
use crate::exceptions::KnownClass;
use crate::function::Function;
use crate::value::{ObjectHandle, StringHandle, Value, Zval};
use crate::vm::{PhpResult, Vm};

impl Vm {
    /// Calls a value.
    pub fn call(&mut self, _callable: &Zval, _arguments: Vec<Value>) -> PhpResult<Value> {
        Err(self.throw_error(KnownClass::Error, "No interpreter"))
    }

    /// Calls a function.
    pub fn call_function(
        &mut self,
        _function: *const Function,
        _this: Option<ObjectHandle>,
        _called_scope: *mut Class,
        _arguments: Vec<Value>,
    ) -> PhpResult<Value> {
        Err(self.throw_error(KnownClass::Error, "No interpreter"))
    }

    /// Finds out what a callable value calls, or why it cannot be called.
    pub fn resolve_callable(&mut self, _callable: &Zval) -> Result<(), String> {
        Ok(())
    }

    /// Calls a method of an object by its lower-cased name.
    pub fn call_method(
        &mut self,
        _object: &ObjectHandle,
        _name: &[u8],
        _arguments: Vec<Value>,
    ) -> PhpResult<Value> {
        Err(self.throw_error(KnownClass::Error, "No interpreter"))
    }

    /// The scope of the innermost user code, or null.
    pub fn current_scope(&self) -> *mut Class {
        std::ptr::null_mut()
    }

    /// A class by name.
    pub fn class_by_name(&mut self, name: &[u8], _autoload: bool) -> PhpResult<Option<*mut Class>> {
        Ok(self.classes.get(name.to_ascii_lowercase().as_slice()).copied())
    }

    /// The line being executed.
    pub fn current_line(&self) -> u32 {
        0
    }

    /// The file being executed.
    pub fn current_file(&mut self) -> StringHandle {
        self.string("")
    }
}
