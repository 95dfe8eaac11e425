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


    /// The line being executed.
    pub fn current_line(&self) -> u32 {
        0
    }

    /// The file being executed.
    pub fn current_file(&mut self) -> StringHandle {
        self.string("")
    }

    /// The value of a constant expression.
    pub fn evaluate_constant(
        &mut self,
        _expression: &crate::op_array::OpArray,
        _scope: *mut Class,
    ) -> PhpResult<Value> {
        Err(self.throw_error(KnownClass::Error, "No interpreter"))
    }

    /// Makes the current frame, if it is a user frame, continue at the exception handler.
    pub fn redirect_to_exception_handler(&mut self) {}
}
