//! The native frame of compiled code. All code uses the same one, so that compiled functions go on in
//! each other without leaving it, and one entry for the unwinder describes it: fatal errors unwind
//! the native stack through compiled code.
#![allow(
    clippy::useless_conversion,
    reason = "what the assembler's macro expands to"
)]

use dynasmrt::x64::X64Relocation;
use dynasmrt::{DynasmApi, VecAssembler, dynasm};

use super::registers::SAVED;

/// Code that needs to spill more values than this is not compiled.
pub const SPILLS: usize = 256;
/// Where the PHP frame waits during calls, from `rsp`.
pub const SAVED_FRAME: i32 = 0;
/// Where spilled values stand.
pub const FIRST_SPILL: i32 = 8;
/// Bytes below the saved registers. The stack is then aligned for calls: code is entered as a
/// function is, 8 bytes off, and saves an even number of registers.
const BYTES: i32 = FIRST_SPILL + SPILLS as i32 * 8;
/// Bytes of the code that makes the frame. Whoever has it already enters behind that.
pub const PROLOGUE: i32 = 19;

const _: () = assert!(SAVED.len().is_multiple_of(2) && BYTES % 16 == 8);

/// Makes the frame.
pub fn prologue(ops: &mut VecAssembler<X64Relocation>) {
    let start = ops.offset().0;
    for register in SAVED {
        let register = register as u8;
        dynasm!(ops ; .arch x64 ; push Rq(register));
    }
    dynasm!(ops ; .arch x64 ; sub rsp, BYTES);
    debug_assert_eq!(ops.offset().0 - start, PROLOGUE as usize);
}

/// Takes the frame away.
pub fn epilogue(ops: &mut VecAssembler<X64Relocation>) {
    dynasm!(ops ; .arch x64 ; add rsp, BYTES);
    for register in SAVED.into_iter().rev() {
        let register = register as u8;
        dynasm!(ops ; .arch x64 ; pop Rq(register));
    }
}

unsafe extern "C" {
    fn __register_frame(begin: *const u8);
    fn __deregister_frame(begin: *const u8);
}

/// What the unwinder knows of a range of compiled code.
#[derive(Debug)]
pub struct Unwinding {
    table: Box<[u64]>,
}

impl Unwinding {
    /// Tells the unwinder of `bytes` of code, all of which use the frame.
    pub fn register(start: *const u8, bytes: usize) -> Unwinding {
        let table = words(&table(start as u64, bytes as u64));
        // SAFETY: the table is well formed, ends with a zero length, and stays until it is taken back.
        unsafe { __register_frame(table.as_ptr().cast()) };
        Unwinding { table }
    }
}

impl Drop for Unwinding {
    fn drop(&mut self) {
        // SAFETY: it was registered with this address.
        unsafe { __deregister_frame(self.table.as_ptr().cast()) };
    }
}

fn words(bytes: &[u8]) -> Box<[u64]> {
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    });
    words.collect()
}

/// Unwind information in the form of `.eh_frame`: what is common, the range, the end.
fn table(start: u64, bytes: u64) -> Vec<u8> {
    const DEFINE_CFA: u8 = 0x0c;
    const OFFSET: u8 = 0x80;
    const STACK_POINTER: u8 = 7;
    const RETURN_ADDRESS: u8 = 16;
    let mut common = Vec::new();
    common.extend(0u32.to_ne_bytes());
    // Version, no augmentation, units of code and of data (-8), the column of the return address.
    common.extend([1, 0, 1, 0x78, RETURN_ADDRESS]);
    common.extend([DEFINE_CFA, STACK_POINTER]);
    unsigned(&mut common, BYTES as u64 + SAVED.len() as u64 * 8 + 8);
    common.extend([OFFSET | RETURN_ADDRESS, 1]);
    for (position, register) in SAVED.into_iter().enumerate() {
        common.extend([OFFSET | column(register), position as u8 + 2]);
    }
    let mut table = Vec::new();
    entry(&mut table, &common);
    let mut range = Vec::new();
    range.extend((table.len() as u32 + 4).to_ne_bytes());
    range.extend(start.to_ne_bytes());
    range.extend(bytes.to_ne_bytes());
    entry(&mut table, &range);
    table.extend([0; 8]);
    table
}

/// Adds an entry with its length, filled up with instructions that do nothing.
fn entry(table: &mut Vec<u8>, content: &[u8]) {
    let length = (content.len() + 4).next_multiple_of(8) - 4;
    table.extend((length as u32).to_ne_bytes());
    table.extend(content);
    table.resize(table.len() + length - content.len(), 0);
}

/// The unwinder's number of a register.
fn column(register: usize) -> u8 {
    match register {
        3 => 3,
        5 => 6,
        other => other as u8,
    }
}

fn unsigned(bytes: &mut Vec<u8>, mut value: u64) {
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}
