//! The functions of the runtime that compiled code calls, with a C signature.
//!
//! Which of them may run code of the script or throw the table of intrinsics tells; any may end in a
//! bailout, which unwinds. The first argument is the frame, which is in its register anyway.

use vm_def::ir::Intrinsic;
use vm_runtime::array::PhpArray;
use vm_runtime::class::Class;
use vm_runtime::frame::Frame;
use vm_runtime::function::Function;
use vm_runtime::generated::handlers::helpers;
use vm_runtime::generated::table::SLOW_PATHS;
use vm_runtime::interpreter::{intrinsics, returns};
use vm_runtime::object::PhpObject;
use vm_runtime::op::{Handler, Op};
use vm_runtime::string::PhpString;
use vm_runtime::value::Zval;
use vm_runtime::vm::Vm;

use crate::graph::Released;

/// The address of a function that takes its arguments behind the frame.
type Address = usize;

macro_rules! functions {
    ($($variant:ident $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(
            unsafe extern "C-unwind" fn $name(_: *mut Frame, $($argument: $type),*) -> $result {
                // SAFETY: compiled code passes what the clause would have passed.
                unsafe { intrinsics::$name($($argument),*) as $result }
            }
        )*

        /// The address of the function for an intrinsic, if compiled code can call it.
        pub fn function(intrinsic: Intrinsic) -> Option<Address> {
            match intrinsic {
                $(Intrinsic::$variant => Some($name as *const () as Address),)*
                _ => None,
            }
        }
    };
}

functions! {
    EqualText equal_text(a: *const Zval, b: *const Zval) -> u64;
    NotBothNumbers not_both_numbers(a: *const Zval, b: *const Zval) -> u64;
    CompareStrings compare_strings(a: *const Zval, b: *const Zval) -> i64;
    FindLong find_long(array: *mut PhpArray, key: i64) -> *mut Zval;
    FindSameKey find_same_key(array: *mut PhpArray, key: *mut PhpString) -> *mut Zval;
    FindPlainKey find_plain_key(array: *mut PhpArray, key: *mut PhpString) -> *mut Zval;
    FindKey find_key(array: *mut PhpArray, key: *mut PhpString) -> *mut Zval;
    PushInPlace push_in_place(array: *mut PhpArray) -> *mut Zval;
    StringByte string_byte(string: *mut PhpString, index: i64) -> i64;
    SingleByte single_byte(byte: i64) -> *mut PhpString;
    FrameBytes frame_bytes(function: *mut Function, count: i64) -> i64;
    ClearVariables clear_variables(frame: *mut Frame, count: i64) -> ();
    VariablesNeedRelease variables_need_release(frame: *mut Frame, except: *const Zval) -> u64;
    PassedClass passed_class(frame: *mut Frame, word: i64) -> *mut Class;
    GlobalVariable global_variable(vm: *mut Vm, name: *const Zval) -> *mut Zval;
    StringIsFalsy string_is_falsy(string: *mut PhpString) -> u64;
    OwnArray own_array(vm: *mut Vm, slot: *mut Zval) -> *mut PhpArray;
    SlotLong slot_long(array: *mut PhpArray, key: i64) -> *mut Zval;
    SlotKey slot_key(array: *mut PhpArray, key: *mut PhpString) -> *mut Zval;
    SlotNext slot_next(array: *mut PhpArray) -> *mut Zval;
    Replace replace(slot: *mut Zval, value: *const Zval) -> ();
    Clear clear(slot: *mut Zval) -> ();
    Concatenate concatenate(vm: *mut Vm, target: *mut Zval, a: *const Zval, b: *const Zval) -> ();
    Append append(vm: *mut Vm, target: *mut Zval, right: *const Zval) -> ();
    Extended extended(vm: *mut Vm, left: *const Zval, right: *const Zval) -> *mut PhpString;
    SetRopePart set_rope_part(rope: *mut Zval, number: i64, part: *mut PhpString) -> ();
    JoinedRope joined_rope(vm: *mut Vm, rope: *mut Zval, last: i64) -> *mut PhpString;
    NewArray new_array(vm: *mut Vm, size: i64) -> *mut PhpArray;
    RemoveLong remove_long(array: *mut PhpArray, key: i64) -> ();
    RemoveKey remove_key(array: *mut PhpArray, key: *mut PhpString) -> ();
    MakeReference make_reference(vm: *mut Vm, slot: *mut Zval) -> ();
    GlobalEntry global_entry(vm: *mut Vm, name: *const Zval) -> *mut Zval;
    IsInstance is_instance(object: *mut PhpObject, class: *mut Class) -> u64;
    Echo echo(vm: *mut Vm, string: *const Zval) -> ();
    CallFrameless0 call_frameless_0(frame: *mut Frame, vm: *mut Vm) -> ();
    CallFrameless1 call_frameless_1(frame: *mut Frame, vm: *mut Vm, a: *const Zval) -> ();
    CallFrameless2 call_frameless_2(frame: *mut Frame, vm: *mut Vm, a: *const Zval, b: *const Zval) -> ();
    CallFrameless3 call_frameless_3(frame: *mut Frame, vm: *mut Vm, a: *const Zval, b: *const Zval, c: *const Zval) -> ();
    CallNative call_native(frame: *mut Frame, opline: *mut Op, vm: *mut Vm) -> ();
}

/// The function that executes an opline with this opcode without any fast path.
pub fn slow_path(opcode: u8) -> Option<u64> {
    SLOW_PATHS[usize::from(opcode)].map(|function| function as usize as u64)
}

unsafe extern "C-unwind" fn release_temporary(_: *mut Frame, value: *const Zval) {
    // SAFETY: compiled code gives back a share that it has.
    unsafe { vm_runtime::value::release_temporary(value) }
}

unsafe extern "C-unwind" fn release_shared(_: *mut Frame, value: *const Zval) {
    // SAFETY: as above.
    unsafe { vm_runtime::value::release(value) }
}

/// The function that gives back what stands at an address.
pub fn release(released: Released) -> Address {
    match released {
        Released::Temporary => release_temporary as *const () as Address,
        Released::Shared => release_shared as *const () as Address,
    }
}

/// What does an opline, or the rest of it: gives the opline to go on with.
pub type Executed = unsafe extern "C-unwind" fn(*mut Frame, *const Op, *mut Vm) -> *const Op;

/// A helper of the definitions.
#[derive(Clone, Copy, Debug)]
pub struct Helper {
    /// It goes on with what follows.
    pub handler: Handler,
    /// It comes back.
    pub function: Executed,
}

macro_rules! helpers {
    ($($name:ident)*) => {
        /// The helper of this name.
        pub fn helper(name: &str) -> Option<Helper> {
            $(
                unsafe extern "C-unwind" fn $name(
                    frame: *mut Frame,
                    opline: *const Op,
                    vm: *mut Vm,
                ) -> *const Op {
                    // SAFETY: compiled code passes the frame that it runs.
                    unsafe { returns::$name(frame, opline, vm) }
                }
            )*
            Some(match name {
                $(stringify!($name) => Helper {
                    handler: helpers::$name,
                    function: $name,
                },)*
                _ => return None,
            })
        }
    };
}

helpers! { leave_owners leave_frame }
