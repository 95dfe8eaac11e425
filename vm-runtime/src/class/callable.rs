//! Callables: strings, arrays and objects that can be called.

mod dynamic;
mod kept;
mod magic;
mod name;
mod resolve;

pub use dynamic::for_dynamic_call;
pub use kept::Autoloader;
pub(crate) use magic::call_magic_closure;
pub use name::callable_name;

use crate::function::Function;
use crate::interpreter::callback::Callee;

/// Where the last `::` of a name stands.
fn find_double_colon(bytes: &[u8]) -> Option<usize> {
    bytes.windows(2).rposition(|pair| pair == b"::")
}

/// A function that is no method, as what is called.
fn free_function(function: *const Function) -> Callee {
    Callee {
        function,
        this: None,
        called_class: std::ptr::null_mut(),
        closure: None,
    }
}
