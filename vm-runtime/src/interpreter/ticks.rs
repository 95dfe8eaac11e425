//! `declare(ticks=N)`: the functions that run after every N statements.

use crate::exceptions::KnownClass;
use crate::value::Value;
use crate::vm::{PhpResult, Vm};

#[derive(Debug)]
struct TickFunction {
    number: u32,
    callback: Value,
    arguments: Vec<Value>,
    is_running: bool,
}

/// The tick functions of a VM.
#[derive(Debug, Default)]
pub struct Ticks {
    functions: Vec<TickFunction>,
    registered: u32,
    /// Statements since the functions ran.
    statements: u32,
}

impl Ticks {
    /// `register_tick_function`
    pub fn register(&mut self, callback: Value, arguments: Vec<Value>) {
        self.registered += 1;
        self.functions.push(TickFunction {
            number: self.registered,
            callback,
            arguments,
            is_running: false,
        });
    }

    /// The function that was registered first, of those after `number`.
    fn after(&mut self, number: u32) -> Option<&mut TickFunction> {
        self.functions
            .iter_mut()
            .find(|function| function.number > number)
    }
}

impl Vm {
    /// TICKS: counts a statement, and runs the tick functions if it is one of `every`. One that is
    /// running is not run again.
    pub fn tick(&mut self, every: u32) {
        self.ticks.statements += 1;
        if self.ticks.statements < every {
            return;
        }
        self.ticks.statements = 0;
        self.fiber_switch_blocks += 1;
        let mut number = 0;
        while let Some(function) = self.ticks.after(number) {
            number = function.number;
            if std::mem::replace(&mut function.is_running, true) {
                continue;
            }
            let (callback, arguments) = (function.callback.clone(), function.arguments.clone());
            let outcome = self.call(&callback, arguments);
            let functions = &mut self.ticks.functions;
            if let Some(function) = functions.iter_mut().find(|other| other.number == number) {
                function.is_running = false;
            }
            if outcome.is_err() {
                break;
            }
        }
        self.fiber_switch_blocks -= 1;
    }

    /// `unregister_tick_function`: the first of that callback goes.
    pub fn unregister_tick_function(&mut self, callback: &Value) -> PhpResult<()> {
        for index in 0..self.ticks.functions.len() {
            let registered = self.ticks.functions[index].callback.clone();
            if !self.call_the_same(&registered, callback) {
                continue;
            }
            if self.ticks.functions[index].is_running {
                return Err(self.throw_error(
                    KnownClass::Error,
                    "Registered tick function cannot be unregistered while it is being executed",
                ));
            }
            drop(self.ticks.functions.remove(index));
            return Ok(());
        }
        Ok(())
    }
}
