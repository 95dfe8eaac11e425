//! Running top-level code: of the main script, of included files and of `eval`.

use std::sync::Arc;

use crate::frame::{Frame, call_info};
use crate::function::Function;
use crate::interpreter::calls::{initialise_frame, pop_frame, push_frame};
use crate::interpreter::kept_code::{self, Code};
use crate::op::Op;
use crate::op_array::Script;
use crate::value::{Value, Zval, release};
use crate::vm::{PhpResult, Thrown, Vm};

/// Pushes and enters a frame for top-level code called from `caller` (null: from native code,
/// with the global variables). None if declaring what it hoists threw.
pub(crate) unsafe fn enter_code(
    vm: &mut Vm,
    caller: *mut Frame,
    code: Code,
    target: *mut Zval,
) -> Option<*const Op> {
    let Code {
        script,
        is_kept,
        function,
    } = code;
    vm.make_late_globals(script.late_globals);
    if !Arc::ptr_eq(script.pool.store(), vm.names.store()) {
        // Values may refer to its literals as long as the VM is there.
        vm.scripts.push(script.clone());
    }
    let scope = if caller.is_null() {
        std::ptr::null_mut()
    } else {
        (*(*caller).function).scope
    };
    // In another scope what its runtime cache knows does not hold.
    let function = match function.filter(|function| function.scope == scope) {
        Some(function) => function,
        None => {
            let mut function = Box::new(Function::for_code(&script.main, scope));
            if is_kept {
                kept_code::mark(&mut function);
            }
            vm.prepare_function(&mut function);
            function.make_run_time_cache();
            function
        }
    };
    let function = Box::into_raw(function);
    vm.code_functions.insert(function);
    let (this, table) = if caller.is_null() {
        (Zval::UNDEF, vm.globals.as_ptr())
    } else {
        let this = Zval {
            extra: 0,
            type_info: (*caller).this.type_info & call_info::THIS_TYPE,
            ..(*caller).this
        };
        (this, super::variables::symbol_table(vm, caller))
    };
    let info = call_info::CODE | call_info::HAS_SYMBOL_TABLE;
    let info = if caller.is_null() {
        info | call_info::TOP
    } else {
        info
    };
    let frame = push_frame(vm, function, 0, info, this);
    (*frame).previous = if caller.is_null() {
        vm.current_frame
    } else {
        caller
    };
    initialise_frame(frame, target);
    (*frame).symbol_table = table;
    super::variables::attach_symbol_table(frame, table);
    vm.current_frame = frame;
    if super::classes::declare_early(vm, frame, &script.main).is_err() {
        return Some((*frame).opline);
    }
    Some((*frame).opline)
}

/// Leaves top-level code: variables move back into the symbol table.
pub unsafe fn leave_code(vm: *mut Vm, frame: *mut Frame) -> *const Op {
    super::variables::detach_symbol_table(frame, (*frame).symbol_table);
    let info = (*frame).call_info();
    let previous = (*frame).previous;
    let function = (*frame).function.cast_mut();
    (*vm).current_frame = previous;
    pop_frame(vm, frame);
    let is_top = info & call_info::TOP != 0;
    if !is_top {
        // The caller's CVs get their values back from the table.
        super::variables::attach_symbol_table(previous, (*previous).symbol_table);
    }
    // The code goes, but for what was declared or made by it and lives on.
    if (*vm).code_functions.remove(&function) {
        let function = Box::from_raw(function);
        if kept_code::is_marked(&function) {
            (*vm).kept_code.give_back(function);
        }
    }
    if is_top {
        return std::ptr::null();
    }
    if !(*vm).exception.is_null() {
        (*vm).redirect_to_exception_handler();
        return (*previous).opline;
    }
    (*previous).opline.add(1)
}

impl Vm {
    /// Runs a script's top-level code with the global variables. An exception that nothing caught
    /// is left in [`Vm::exception`].
    pub fn run_script(&mut self, script: &Script) -> PhpResult<Value> {
        self.run_code(Code::once(script.clone()))
    }

    /// As [`Vm::run_script`].
    pub(crate) fn run_code(&mut self, code: Code) -> PhpResult<Value> {
        // SAFETY: I4: the script stays loaded; the frame is left before this returns.
        unsafe {
            let mut result = Zval::UNDEF;
            let caller = self.current_frame;
            if let Some(opline) = enter_code(self, std::ptr::null_mut(), code, &mut result) {
                let frame = self.current_frame;
                (*frame).opline = opline;
                super::dispatch::execute(self, frame);
            }
            self.current_frame = caller;
            if !self.exception.is_null() {
                release(&result);
                return Err(Thrown);
            }
            Ok(Value::from_zval(result))
        }
    }
}
