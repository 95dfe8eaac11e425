//! The functions of the runtime that compiled code calls, with a C signature.
//!
//! Which of them may run code of the script or throw the table of intrinsics tells; any may end in a
//! bailout, which unwinds. The first argument is the frame, which is in its register anyway.

use std::sync::OnceLock;

use vm_def::ir::Intrinsic;
use vm_runtime::frame::Frame;
use vm_runtime::generated::handlers::helpers;
use vm_runtime::generated::intrinsics;
use vm_runtime::generated::table::SLOW_PATHS;
use vm_runtime::interpreter::{generators, returns};
use vm_runtime::op::{Handler, Op};
use vm_runtime::value::Zval;
use vm_runtime::vm::Vm;

use crate::graph::Released;

/// The address of a function that takes its arguments behind the frame.
type Address = usize;

/// The address of the function for an intrinsic, if compiled code calls one and has no instructions for it.
pub fn function(intrinsic: Intrinsic) -> Option<Address> {
    use Intrinsic::{KindOf, SingleByte, StringByte};
    let is_inline = matches!(intrinsic, KindOf | SingleByte | StringByte);
    (!is_inline).then(|| intrinsics::address(intrinsic))
}

/// The address of a table of the interned strings of one byte, by that. It stays.
pub fn single_bytes() -> Address {
    static MADE: OnceLock<[Address; 256]> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        std::array::from_fn(|byte| vm_runtime::string::single_byte(byte as u8) as Address)
    });
    made.as_ptr() as Address
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
    ($($name:ident $path:path;)*) => {
        /// The helper of this name.
        pub fn helper(name: &str) -> Option<Helper> {
            $(
                unsafe extern "C-unwind" fn $name(
                    frame: *mut Frame,
                    opline: *const Op,
                    vm: *mut Vm,
                ) -> *const Op {
                    // SAFETY: compiled code passes the frame that it runs.
                    unsafe { $path(frame, opline, vm) }
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

helpers! {
    leave_owners returns::leave_owners;
    leave_frame returns::leave_frame;
    suspend generators::suspend;
    finish_generator generators::finish;
}
