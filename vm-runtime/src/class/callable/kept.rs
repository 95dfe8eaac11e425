//! Callables that are kept to be called later, and told apart.

use super::find_double_colon;
use crate::function::{Function, flags};
use crate::interpreter::callback::Callee;
use crate::object::closure;
use crate::value::{Value, ValueKind};
use crate::vm::Vm;

/// An autoloader.
#[derive(Debug, Clone)]
pub struct Autoloader {
    /// As it is listed and told apart from others.
    pub listed: Value,
    /// What is called: [`Vm::kept_callable`].
    pub called: Value,
}

impl Vm {
    /// A callable that will be called later, from anywhere. PHP looks such callables up where they are
    /// given, so a method that only the code there reaches becomes a closure of itself.
    pub fn kept_callable(&mut self, callable: Value) -> Value {
        let names_method = match callable.view() {
            ValueKind::String(name) => find_double_colon(name.as_bytes()).is_some(),
            ValueKind::Array(_) => true,
            _ => false,
        };
        if !names_method {
            return callable;
        }
        let Ok(callee) = self.resolve_callable(callable.as_zval()) else {
            return callable;
        };
        // SAFETY: I4: the callee keeps its function alive.
        let flags = unsafe { (*callee.function).flags };
        if flags & (flags::PRIVATE | flags::PROTECTED) == 0 && !is_relative(&callable) {
            return callable;
        }
        closure::from_function(
            self,
            callee.function,
            callee.this.clone(),
            callee.called_class,
        )
        .into()
    }

    /// True if two callables call the same function, of the same object if it has one.
    pub fn call_the_same(&mut self, one: &Value, other: &Value) -> bool {
        if crate::operators::is_identical(self, one, other) {
            return true;
        }
        let mut callee = |callable: &Value| self.resolve_callable(callable.as_zval().deref());
        let (Ok(one), Ok(other)) = (callee(one), callee(other)) else {
            return false;
        };
        let this = |callee: &Callee| callee.this.as_ref().map(|this| this.as_ptr());
        // SAFETY: I4: callees keep their functions alive, and these their names.
        unsafe {
            let (function, known) = (&*one.function, &*other.function);
            let is_closure = |function: &Function| {
                function.flags & (flags::CLOSURE | flags::FAKE_CLOSURE) == flags::CLOSURE
            };
            !is_closure(function)
                && function.scope == known.scope
                && (*function.name).as_bytes() == (*known.name).as_bytes()
                && this(&one) == this(&other)
        }
    }
}

/// True if a callable names a class by `self`, `parent` or `static`.
fn is_relative(callable: &Value) -> bool {
    let is_relative_name = |name: &[u8]| {
        ["self", "parent", "static"]
            .iter()
            .any(|word| name.eq_ignore_ascii_case(word.as_bytes()))
    };
    let named = |name: &[u8]| {
        find_double_colon(name).is_some_and(|position| is_relative_name(&name[..position]))
    };
    match callable.view() {
        ValueKind::String(name) => named(name.as_bytes()),
        ValueKind::Array(pair) => {
            let part = |number| {
                pair.get_long(number)
                    .and_then(|part| part.deref().as_bytes())
            };
            part(0).is_some_and(is_relative_name) || part(1).is_some_and(named)
        }
        _ => false,
    }
}
