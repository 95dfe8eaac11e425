//! Small pieces of machine code that all units share.
#![allow(
    clippy::useless_conversion,
    reason = "what the assembler's macro expands to"
)]

use dynasmrt::x64::X64Relocation;
use dynasmrt::{DynasmApi, DynasmLabelApi, VecAssembler, dynasm};
use vm_runtime::frame::Frame;
use vm_runtime::layout;
use vm_runtime::op::{Handler, Op};
use vm_runtime::vm::Vm;

use super::copy::{ARRIVALS, COUNTER, ENTRIES, ENTRY_WEIGHT, TO_ORIGINAL};
use crate::machine::{Arena, ArenaError, Reach, frame, go};

/// What counting code and exits call: gives the handler to go on with.
pub type Called = unsafe extern "C" fn(*mut Frame, *const Op, *mut Vm) -> Handler;

/// What exits call whose counter has run out: the unit and the opline's number in it are told.
pub type Exhausted = unsafe extern "C" fn(*mut Frame, *const Op, *mut Vm, u64, u64) -> Handler;

/// Handlers that all units share.
#[derive(Debug, Clone, Copy)]
pub struct Stubs {
    /// Counts the entry of a function, then does what the opline does.
    pub entry: Handler,
    /// Notes the entry of a function whose loops alone are counted, then does what the opline does.
    pub arrival: Handler,
    /// Counts a jump back.
    pub back_edge: Handler,
    /// Where guards go that left too often.
    pub exhausted: Handler,
    /// Notes that the opline is executed, then does what it does.
    pub observe: Handler,
    /// Goes on with an opline in the VM's current frame. No handler: compiled code jumps here with
    /// its native frame in place.
    pub follow: u64,
    /// Where compiled code stands: behind the stubs.
    pub reach: Reach,
}

impl Stubs {
    /// Makes the stubs.
    pub fn new(
        arena: &mut Arena,
        vm: *mut Vm,
        hot: Called,
        exhausted: Exhausted,
        observe: Called,
    ) -> Result<Stubs, ArenaError> {
        let entry = place(arena, &counting(Some(ENTRIES), ENTRY_WEIGHT, hot as usize))?;
        let arrival = place(arena, &counting(Some(ARRIVALS), 0, hot as usize))?;
        let back_edge = place(arena, &counting(None, 1, hot as usize))?;
        let exhausted = place(arena, &calling(exhausted as usize))?;
        let observe = place(arena, &calling(observe as usize))?;
        let start = arena.next();
        let (all, bytes) = arena.mapping().range();
        let reach = Reach {
            start: start as u64,
            size: (bytes - (start as usize - all as usize)) as u32,
        };
        let follow = arena.place(&following(vm, reach, start as usize))?;
        Ok(Stubs {
            entry,
            arrival,
            back_edge,
            exhausted,
            observe,
            follow: follow as u64,
            reach,
        })
    }
}

fn place(arena: &mut Arena, code: &[u8]) -> Result<Handler, ArenaError> {
    let start = arena.place(code)?;
    // SAFETY: the code has the signature of handlers: it takes its arguments in their registers
    // and ends by jumping to another handler.
    Ok(unsafe { std::mem::transmute::<*const u8, Handler>(start) })
}

type Assembler = VecAssembler<X64Relocation>;

/// Counts up what is noted and counts down; while the counter is not below zero, goes on with the opline's own
/// handler.
fn counting(noted: Option<i32>, weight: i32, hot: usize) -> Vec<u8> {
    let mut ops = Assembler::new(0);
    let (function, first) = (layout::FRAME_FUNCTION as i32, layout::FUNCTION_OPS as i32);
    dynasm!(ops
        ; .arch x64
        ; mov rax, [rdi + function]
        ; mov rax, [rax + first]
    );
    if let Some(noted) = noted {
        dynasm!(ops ; .arch x64 ; inc DWORD [rax + noted]);
    }
    if weight > 0 {
        dynasm!(ops ; .arch x64 ; sub DWORD [rax + COUNTER], weight ; js >hot);
    }
    dynasm!(ops
        ; .arch x64
        ; mov rax, [rax + TO_ORIGINAL]
        ; jmp QWORD [rax + rsi]
        ; hot:
    );
    if weight > 0 {
        call(&mut ops, hot);
    }
    ops.finalize().unwrap_or_default()
}

/// Goes on with the opline in `rsi`, or back to whoever entered the interpreter if there is none.
/// It stands at `place`.
fn following(vm: *mut Vm, reach: Reach, place: usize) -> Vec<u8> {
    let mut ops = Assembler::new(place);
    let current = layout::VM_FRAME as i32;
    dynasm!(ops
        ; .arch x64
        ; test rsi, rsi
        ; jz >finished
        ; mov rdx, QWORD vm as i64
        ; mov rdi, [rdx + current]
    );
    go(&mut ops, reach);
    dynasm!(ops ; .arch x64 ; finished:);
    frame::epilogue(&mut ops);
    dynasm!(ops ; .arch x64 ; xor eax, eax ; ret);
    ops.finalize().unwrap_or_default()
}

fn calling(called: usize) -> Vec<u8> {
    let mut ops = Assembler::new(0);
    call(&mut ops, called);
    ops.finalize().unwrap_or_default()
}

/// Calls the native code at an address and jumps to the handler that it gives. The stack is aligned as at
/// the start of a function, so three pushes align it for the call.
fn call(ops: &mut Assembler, called: usize) {
    let called = called as i64;
    dynasm!(ops
        ; .arch x64
        ; push rdi
        ; push rsi
        ; push rdx
        ; mov rax, QWORD called
        ; call rax
        ; pop rdx
        ; pop rsi
        ; pop rdi
        ; jmp rax
    );
}
