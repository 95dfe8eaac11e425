//! Offsets of what machine code looks at besides the fields that clauses name (see
//! [`crate::generated::layout`]), in bytes.

use crate::frame::Frame;
use crate::function::Function;
use crate::value::{Header, PhpReference, Zval};
use crate::vm::Vm;

/// The type word in a value.
pub const TYPE: usize = std::mem::offset_of!(Zval, type_info);
/// The flags of something counted.
pub const HEADER_FLAGS: usize = std::mem::offset_of!(Header, type_info);
/// Bits in these flags of what the cycle collector has noted.
pub const NOTED: u32 = crate::collector::GC_INFO;
/// The value in a reference.
pub const REFERENCE_VALUE: usize = std::mem::offset_of!(PhpReference, value);
/// The function of a frame.
pub const FRAME_FUNCTION: usize = std::mem::offset_of!(Frame, function);
/// The runtime cache of a frame.
pub const FRAME_CACHE: usize = std::mem::offset_of!(Frame, run_time_cache);
/// The current frame of a VM.
pub const VM_FRAME: usize = std::mem::offset_of!(Vm, current_frame);
/// The first opline of a function.
pub const FUNCTION_OPS: usize = std::mem::offset_of!(Function, ops);
