//! User error and exception handlers.

use super::level;
use crate::value::{FALSE, ObjectHandle, StringHandle, Value};
use crate::vm::Vm;

/// A handler and the ones it replaced, for `restore_error_handler` and its sibling.
#[derive(Debug, Default)]
pub struct Handlers {
    /// The handler in force, and the levels it wants.
    pub current: Option<(Value, u32)>,
    replaced: Vec<Option<(Value, u32)>>,
}

impl Handlers {
    /// Puts a handler in force, or none; returns the one before.
    pub fn set(&mut self, handler: Option<(Value, u32)>) -> Option<Value> {
        let before = std::mem::replace(&mut self.current, handler);
        let callable = before.as_ref().map(|(callable, _)| callable.clone());
        self.replaced.push(before);
        callable
    }

    /// Puts the handler before the current one in force again; returns the one that was.
    pub fn restore(&mut self) -> Option<(Value, u32)> {
        let before = self.replaced.pop().flatten();
        std::mem::replace(&mut self.current, before)
    }

    /// Forgets all handlers.
    pub fn clear(&mut self) {
        drop(std::mem::take(self));
    }
}

impl Vm {
    /// Calls the user error handler, if there is one for this level; true if it took care of the
    /// error.
    pub(super) fn call_error_handler(
        &mut self,
        level: u32,
        message: &[u8],
        file: &StringHandle,
        line: u32,
    ) -> bool {
        match &self.errors.error_handlers.current {
            Some((_, levels)) if levels & level != 0 => {}
            _ => return false,
        }
        if !self.exception.is_null() {
            // No code can run while an exception is on its way.
            return true;
        }
        // The handler does not handle what it raises itself.
        let Some((callable, levels)) = self.errors.error_handlers.current.take() else {
            return false;
        };
        let arguments = vec![
            (level as i64).into(),
            self.string(message).into(),
            match file.is_empty() {
                true => self.string("Unknown").into(),
                false => file.clone().into(),
            },
            (line as i64).into(),
        ];
        let replaced = self.errors.error_handlers.replaced.len();
        let returned = self.call(&callable, arguments);
        let handlers = &mut self.errors.error_handlers;
        // It may have put the one before itself in force again.
        if handlers.current.is_none() && handlers.replaced.len() >= replaced {
            handlers.current = Some((callable, levels));
        }
        match returned {
            Ok(returned) => returned.deref().kind() != FALSE,
            Err(_) => true,
        }
    }

    /// Hands an exception to the handler in force; false if there is none. What the handler throws
    /// stays pending if it put another one in force, else it is uncaught.
    pub(crate) fn call_exception_handler(&mut self, exception: &ObjectHandle) -> bool {
        if self.errors.exception_handlers.current.is_none() {
            return false;
        }
        let Some(handler) = self.errors.exception_handlers.set(None) else {
            return false;
        };
        let _ = self.call(&handler, vec![exception.clone().into_value()]);
        let handlers = &mut self.errors.exception_handlers;
        if handlers.current.is_none() {
            handlers.restore();
            if let Some(thrown) = self.take_exception() {
                self.report_uncaught(&thrown);
            }
        }
        true
    }

    /// `set_error_handler`; returns the handler before.
    pub fn set_error_handler(&mut self, handler: Option<Value>, levels: u32) -> Option<Value> {
        self.errors
            .error_handlers
            .set(handler.map(|handler| (handler, levels)))
    }

    /// `set_exception_handler`; returns the handler before.
    pub fn set_exception_handler(&mut self, handler: Option<Value>) -> Option<Value> {
        self.errors
            .exception_handlers
            .set(handler.map(|handler| (handler, level::ALL)))
    }
}
