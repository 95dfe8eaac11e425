//! Variables by name and by number: FETCH_*, UNSET_*, ISSET_*, BIND_*, symbol tables.

use crate::array::{HAS_INDIRECT, PhpArray};
use crate::frame::{Frame, call_info};
use crate::generated::Opcode;
use crate::infer;
use crate::interpreter::assign::bind_reference;
use crate::interpreter::operand::*;
use crate::object::Access;
use crate::op::{IS_CV, IS_UNUSED, Op};
use crate::string::PhpString;
use crate::value::{
    CONSTANT_EXPRESSION, INDIRECT, NULL, REFERENCE, StringHandle, UNDEF, Zval, make_reference,
    release,
};
use crate::vm::Vm;

/// Flag of FETCH_*: a global variable, whatever the scope.
pub const FETCH_GLOBAL: u32 = 1 << 1;
const FETCH_LOCAL: u32 = 1 << 2;
const FETCH_GLOBAL_LOCK: u32 = 1 << 3;
/// In extended_value: `empty()`, and not `isset()`.
pub const IS_EMPTY: u32 = 1;

/// The variables of a user frame by name: made when first asked for, its CV entries INDIRECT.
pub unsafe fn symbol_table(vm: *mut Vm, frame: *mut Frame) -> *mut PhpArray {
    if (*frame).call_info() & call_info::HAS_SYMBOL_TABLE != 0 {
        return (*frame).symbol_table;
    }
    let table = (*vm).new_array().into_raw();
    let op_array = &*(*(*frame).function).op_array;
    for (number, &name) in op_array.draft.variables.iter().enumerate() {
        attach(table, &*name, (*frame).slot(number as u32));
    }
    (*frame).symbol_table = table;
    (*frame).add_call_info(call_info::HAS_SYMBOL_TABLE);
    table
}

unsafe fn attach(table: *mut PhpArray, name: &PhpString, variable: *mut Zval) {
    let slot = (*table).slot_string(name);
    (*slot).set(Zval::from_indirect(variable));
    (*table).flags |= HAS_INDIRECT;
}

/// Binds the CVs of top-level code to a symbol table: values move into the CVs.
pub unsafe fn attach_symbol_table(frame: *mut Frame, table: *mut PhpArray) {
    let op_array = &*(*(*frame).function).op_array;
    for (number, &name) in op_array.draft.variables.iter().enumerate() {
        let variable = (*frame).slot(number as u32);
        match (*table).find_entry(&*name) {
            Some(entry) if (*entry).kind() == INDIRECT => *variable = *(*entry).indirect(),
            Some(entry) => *variable = Zval { extra: 0, ..*entry },
            None => (*variable).set_undef(),
        }
        let known = (*table).find_entry(&*name);
        let entry = match known {
            Some(entry) => entry,
            None => (*table).slot_string_raw(&*name),
        };
        (*entry).set(Zval::from_indirect(variable));
    }
    (*table).flags |= HAS_INDIRECT;
}

/// Moves the CVs of top-level code back into the symbol table.
pub unsafe fn detach_symbol_table(frame: *mut Frame, table: *mut PhpArray) {
    let op_array = &*(*(*frame).function).op_array;
    for (number, &name) in op_array.draft.variables.iter().enumerate() {
        let variable = (*frame).slot(number as u32);
        if (*variable).kind() == UNDEF {
            if let Some(position) = (*table).find_string(&*name) {
                let entry = (*table).value_at(position);
                (*entry).set_null();
                (*table).remove_at(position);
            }
        } else if let Some(entry) = (*table).find_entry(&*name) {
            (*entry).set(*variable);
            (*variable).set_undef();
        }
    }
}

/// Frees the symbol table of a function frame; its CVs have been released.
pub unsafe fn drop_symbol_table(_vm: *mut Vm, frame: *mut Frame) {
    let table = (*frame).symbol_table;
    for position in 0..(*table).positions() {
        let entry = (*table).value_at(position);
        if (*entry).kind() == INDIRECT {
            (*entry).set_null();
        }
    }
    release(&Zval::from_array(table));
}

impl PhpArray {
    /// The entry of a string key as it is stored, INDIRECT not followed.
    pub(crate) fn find_entry(&self, name: &PhpString) -> Option<*mut Zval> {
        if self.is_packed() {
            return None;
        }
        // SAFETY: I5: `find_string` gives an initialised entry.
        self.find_string(name)
            .map(|position| unsafe { self.value_at(position) })
    }

    /// The slot of a new string key.
    pub(crate) fn slot_string_raw(&mut self, name: &PhpString) -> *mut Zval {
        self.slot_string(name)
    }
}

/// The table a FETCH_* looks in.
unsafe fn table_of(vm: *mut Vm, frame: *mut Frame, extended: u32) -> *mut PhpArray {
    if extended & (FETCH_GLOBAL | FETCH_GLOBAL_LOCK) != 0 {
        (*vm).globals.as_ptr()
    } else {
        symbol_table(vm, frame)
    }
}

/// The name operand as a string. None if converting it threw.
unsafe fn name_operand(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> Option<StringHandle> {
    let value = read_op1(frame, opline, vm);
    if !(*vm).exception.is_null() {
        return None;
    }
    crate::operators::to_string(&mut *vm, &*value).ok()
}

/// The live slot of a variable, or None.
unsafe fn find_variable(table: *mut PhpArray, name: &PhpString) -> Option<*mut Zval> {
    let mut entry = (*table).find_entry(name)?;
    if (*entry).kind() == INDIRECT {
        entry = (*entry).indirect();
    }
    ((*entry).kind() != UNDEF).then_some(entry)
}

/// FETCH_R, FETCH_W, FETCH_RW, FETCH_IS, FETCH_FUNC_ARG, FETCH_UNSET: a variable by name.
pub unsafe fn fetch(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let target = result(frame, opline);
    let Some(name) = name_operand(frame, opline, vm) else {
        (*target).set_undef();
        free_op1(frame, opline);
        return next(frame);
    };
    let mode = fetch_mode(frame, op.opcode, Opcode::FETCH_R as u8);
    let found = if name.as_bytes() == b"this" && op.extended_value & FETCH_LOCAL != 0 {
        fetch_this_by_name(vm, frame, mode, target)
    } else {
        let table = table_of(vm, frame, op.extended_value);
        fetch_by_name(vm, table, &name, mode, op.extended_value)
    };
    if let Some(variable) = found {
        match mode {
            FetchMode::Read | FetchMode::Isset => *target = (*variable).share_deref(),
            _ => *target = Zval::from_indirect(variable),
        }
    }
    if op.extended_value & FETCH_GLOBAL_LOCK == 0 {
        free_op1(frame, opline);
    }
    next(frame)
}

/// How a fetch is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchMode {
    /// For reading, with warnings.
    Read,
    /// For writing.
    Write,
    /// For reading and writing.
    ReadWrite,
    /// Silently, for `isset`, `empty` and `??`.
    Isset,
    /// For `unset`.
    Unset,
}

impl FetchMode {
    /// What a property or element is fetched for.
    pub fn access(self) -> Access {
        match self {
            FetchMode::Read => Access::Read,
            FetchMode::Write => Access::Write,
            FetchMode::ReadWrite => Access::ReadWrite,
            FetchMode::Isset => Access::Isset,
            FetchMode::Unset => Access::Unset,
        }
    }
}

/// The mode of a fetch opcode of a family of six, `first` being its read form. FUNC_ARG reads the
/// flag that CHECK_FUNC_ARG left.
pub unsafe fn fetch_mode(frame: *mut Frame, opcode: u8, first: u8) -> FetchMode {
    mode_by_number(frame, (opcode - first) / 3)
}

/// The mode with this number in the order R, W, RW, IS, FUNC_ARG, UNSET.
pub unsafe fn mode_by_number(frame: *mut Frame, number: u8) -> FetchMode {
    match number {
        0 => FetchMode::Read,
        1 => FetchMode::Write,
        2 => FetchMode::ReadWrite,
        3 => FetchMode::Isset,
        4 if (*(*frame).call).call_info() & call_info::SEND_BY_REFERENCE != 0 => FetchMode::Write,
        4 => FetchMode::Read,
        _ => FetchMode::Unset,
    }
}

unsafe fn fetch_this_by_name(
    vm: *mut Vm,
    frame: *mut Frame,
    mode: FetchMode,
    target: *mut Zval,
) -> Option<*mut Zval> {
    use crate::exceptions::KnownClass::Error;
    match mode {
        FetchMode::Read | FetchMode::Isset => {
            if (*frame).has_this() {
                *target = Zval::from_object((*frame).this.object()).share();
            } else {
                *target = Zval::NULL;
                if mode == FetchMode::Read {
                    (*vm).warning("Undefined variable $this");
                }
            }
        }
        FetchMode::Unset => {
            (*target).set_undef();
            (*vm).throw_error(Error, "Cannot unset $this");
        }
        _ => {
            (*target).set_undef();
            (*vm).throw_error(Error, "Cannot re-assign $this");
        }
    }
    None
}

/// Shared `null` for reads of missing variables; never written, as reads do not write.
static READ_NULL: ReadNull = ReadNull(Zval::NULL);
struct ReadNull(Zval);
// SAFETY: only read.
unsafe impl Sync for ReadNull {}

unsafe fn fetch_by_name(
    vm: *mut Vm,
    table: *mut PhpArray,
    name: &StringHandle,
    mode: FetchMode,
    extended: u32,
) -> Option<*mut Zval> {
    if let Some(variable) = find_variable(table, name) {
        return Some(variable);
    }
    let null = (&raw const READ_NULL.0).cast_mut();
    match mode {
        FetchMode::Isset | FetchMode::Unset => Some(null),
        FetchMode::Read => {
            let global = if extended & FETCH_GLOBAL != 0 {
                "global "
            } else {
                ""
            };
            (*vm).warning(format!("Undefined {global}variable ${}", name.to_text()));
            Some(null)
        }
        FetchMode::ReadWrite => {
            let global = if extended & FETCH_GLOBAL != 0 {
                "global "
            } else {
                ""
            };
            (*vm).warning(format!("Undefined {global}variable ${}", name.to_text()));
            if !(*vm).exception.is_null() {
                return Some(null);
            }
            Some((*table).slot_string(name))
        }
        FetchMode::Write => Some((*table).slot_string(name)),
    }
}

/// UNSET_VAR.
pub unsafe fn unset_var(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    if let Some(name) = name_operand(frame, opline, vm) {
        let table = table_of(vm, frame, (*opline).extended_value);
        (*table).remove_string(&name);
    }
    free_op1(frame, opline);
    next(frame)
}

/// UNSET_CV in full.
pub unsafe fn unset_cv(frame: *mut Frame, opline: *const Op, _vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let variable = slot(frame, (*opline).op1);
    let value = *variable;
    (*variable).set_undef();
    release(&value);
    next(frame)
}

/// Stores a boolean result, or takes the branch it is fused with.
pub unsafe fn finish_boolean(frame: *mut Frame, opline: *const Op, value: bool) -> *const Op {
    use crate::op::{IS_SMART_BRANCH_JMPNZ, IS_SMART_BRANCH_JMPZ};
    // An exception has redirected the frame: the result is not looked at.
    let following = next(frame);
    if following != opline.add(1) {
        return following;
    }
    let flags = (*opline).result_type;
    if flags & (IS_SMART_BRANCH_JMPZ | IS_SMART_BRANCH_JMPNZ) != 0 {
        let taken = if flags & IS_SMART_BRANCH_JMPZ != 0 {
            !value
        } else {
            value
        };
        let jump = opline.add(1);
        return if taken {
            jump_target(jump, (*jump).op2)
        } else {
            opline.add(2)
        };
    }
    (*result(frame, opline)).set_bool(value);
    opline.add(1)
}

/// True if a value counts as set.
#[inline(always)]
pub unsafe fn is_set(value: *const Zval) -> bool {
    (*(*value).deref()).kind() > NULL
}

/// ISSET_ISEMPTY_VAR.
pub unsafe fn isset_isempty_var(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let Some(name) = name_operand(frame, opline, vm) else {
        free_op1(frame, opline);
        return next(frame);
    };
    let table = table_of(vm, frame, (*opline).extended_value);
    let found = if name.as_bytes() == b"this" && (*frame).has_this() {
        Some(&raw mut (*frame).this)
    } else {
        find_variable(table, &name)
    };
    let empty = (*opline).extended_value & IS_EMPTY != 0;
    let value = match found {
        None => empty,
        Some(variable) if empty => !crate::operators::to_bool((*variable).deref()),
        Some(variable) => is_set(variable),
    };
    free_op1(frame, opline);
    finish_boolean(frame, opline, value)
}

/// ISSET_ISEMPTY_CV in full.
pub unsafe fn isset_isempty_cv(frame: *mut Frame, opline: *const Op, _vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let variable = slot(frame, (*opline).op1);
    let value = if (*opline).extended_value & IS_EMPTY != 0 {
        !crate::operators::to_bool((*variable).deref())
    } else {
        is_set(variable)
    };
    finish_boolean(frame, opline, value)
}

/// ISSET_ISEMPTY_THIS.
pub unsafe fn isset_isempty_this(frame: *mut Frame, opline: *const Op, _vm: *mut Vm) -> *const Op {
    let empty = (*opline).extended_value & IS_EMPTY != 0;
    *result(frame, opline) = Zval::from_bool((*frame).has_this() != empty);
    opline.add(1)
}

/// FETCH_THIS.
pub unsafe fn fetch_this(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    if (*frame).has_this() {
        *result(frame, opline) = Zval::from_object((*frame).this.object()).share();
        return opline.add(1);
    }
    (*result(frame, opline)).set_undef();
    super::assign::no_this(vm);
    next(frame)
}

/// FETCH_GLOBALS: a copy of the global variables.
pub unsafe fn fetch_globals(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let copy = (*(*vm).globals.as_ptr()).duplicate(&mut (*vm).heap);
    *result(frame, opline) = copy.into_value().into_zval();
    next(frame)
}

/// BIND_GLOBAL: `global $name;`
pub unsafe fn bind_global(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let name = (*constant(opline, (*opline).op2)).string();
    let table = (*vm).globals.as_ptr();
    let mut entry = (*table).slot_string(&*name);
    if (*entry).kind() == INDIRECT {
        entry = (*entry).indirect();
    }
    if (*entry).kind() == UNDEF {
        (*entry).set_null();
    }
    let variable = slot(frame, (*opline).op1);
    bind_reference(vm, variable, entry);
    if !(*vm).exception.is_null() {
        // The old value's destructor threw.
        let bound = *variable;
        (*variable).set_null();
        release(&bound);
    }
    next(frame)
}

/// In the extended value of a BIND_STATIC: the CV and the static variable become one.
pub const BIND_REFERENCE: u32 = 1;
const BIND_IMPLICIT: u32 = 2;
const BIND_FLAGS: u32 = 7;

/// BIND_STATIC: binds a CV to a static variable, or to a closure's captured variable.
pub unsafe fn bind_static(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let variable = slot(frame, op.op1);
    let stored = static_slot(frame, op.extended_value);
    if op.op2_type != IS_UNUSED {
        // The initialiser ran: its value becomes the variable's, unless a call of the same function
        // in it was first.
        let value = super::assign::take_operand(frame, opline, vm, op.op2_type, op.op2);
        if (*stored).kind() == UNDEF {
            (*stored).set(value);
        } else {
            release(&value);
        }
    }
    if (*stored).kind() == CONSTANT_EXPRESSION {
        let scope = (*(*frame).function).scope;
        match (*vm).evaluate_constant(&*(*stored).expression(), scope) {
            Ok(value) => (*stored).set(value.into_zval()),
            Err(_) => return next(frame),
        }
    }
    if op.extended_value & BIND_REFERENCE != 0 {
        let old = *variable;
        make_reference(&mut (*vm).heap, stored);
        (*variable).set((*stored).share());
        release(&old);
    } else if !((*stored).is_undef() && op.extended_value & BIND_IMPLICIT != 0) {
        let old = *variable;
        (*variable).set((*stored).share_deref());
        release(&old);
    }
    next(frame)
}

/// The storage of a static variable of the frame's function.
pub unsafe fn static_slot(frame: *mut Frame, extended: u32) -> *mut Zval {
    let index =
        (extended & !BIND_FLAGS) as usize / crate::op_array::STATIC_VARIABLE_STRIDE as usize;
    (*(*frame).function).static_variables.add(index)
}

/// BIND_INIT_STATIC_OR_JMP: skips the initialiser of a static variable that has been set.
pub unsafe fn bind_init_static_or_jmp(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let stored = static_slot(frame, op.extended_value);
    if (*stored).kind() == UNDEF {
        return opline.add(1);
    }
    let variable = slot(frame, op.op1);
    make_reference(&mut (*vm).heap, stored);
    let old = *variable;
    (*variable).set((*stored).share());
    release(&old);
    jump_target(opline, op.op2)
}

/// CHECK_VAR: warns about an undefined CV.
pub unsafe fn check_var(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    if (*slot(frame, (*opline).op1)).is_undef() {
        undefined_variable(vm, frame, (*opline).op1);
    }
    next(frame)
}

impl Vm {
    /// The variables of the innermost user frame by name (`compact`, `extract`, ...). A function that asks for them must
    /// be one that [`infer::names_variables`] knows to do so: compiled code relies on it.
    pub fn caller_symbol_table(&mut self) -> Option<&mut PhpArray> {
        // SAFETY: I4: frames on the chain are live.
        unsafe {
            let frame = self.caller_frame()?;
            Some(&mut *symbol_table(self, frame))
        }
    }

    /// The variables of the innermost user frame by name, if there is anything that reads them by name.
    pub fn caller_named_variables(&mut self) -> Option<&mut PhpArray> {
        // SAFETY: I4: frames on the chain are live, and user frames have op arrays.
        unsafe {
            let frame = self.caller_frame()?;
            let has_table = (*frame).call_info() & call_info::SYMBOLS_LEAVE != 0;
            let function = &*(*frame).function;
            let is_named = has_table || infer::has_named_variables(&(*function.op_array).draft);
            is_named.then(|| &mut *symbol_table(self, frame))
        }
    }

    /// The innermost user frame.
    ///
    /// # Safety
    /// Frames on the chain are live (I4).
    unsafe fn caller_frame(&self) -> Option<*mut Frame> {
        let mut frame = self.current_frame;
        while !frame.is_null() && !(*frame).is_user() {
            frame = (*frame).previous;
        }
        (!frame.is_null()).then_some(frame)
    }
}

const _: () = assert!(IS_CV == 8 && REFERENCE == 10);
