//! Calling back into user code.

use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

/// A callable argument, to be called many times.
#[derive(Debug)]
pub(crate) struct Callback {
    callable: Value,
}

impl Callback {
    /// A callback of a checked `callable` argument.
    pub(crate) fn new(callable: Value) -> Callback {
        Callback { callable }
    }

    /// Calls it.
    #[inline]
    pub(crate) fn call<const N: usize>(
        &self,
        vm: &mut Vm,
        arguments: [Value; N],
    ) -> PhpResult<Value> {
        vm.call(&self.callable, arguments.into())
    }

    /// Calls it with any number of arguments.
    pub(crate) fn call_all(&self, vm: &mut Vm, arguments: Vec<Value>) -> PhpResult<Value> {
        vm.call(&self.callable, arguments)
    }
}
