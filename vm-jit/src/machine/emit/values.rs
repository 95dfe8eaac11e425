//! Values in memory.
#![allow(
    clippy::useless_conversion,
    reason = "what the assembler's macro expands to"
)]

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use regalloc2::Inst;
use vm_def::ir::{Field, FieldKind, Sequence};
use vm_runtime::generated::layout::{FIELD_OFFSETS, SEQUENCE_STARTS};
use vm_runtime::layout;
use vm_runtime::value::{
    DOUBLE, FALSE, HEADER_IMMUTABLE, LONG, REFCOUNTED, REFERENCE, STRING_COUNTED, STRING_INTERNED,
};

use super::super::instruction::{Memory, Right, Saved};
use super::super::registers::{RAX, SCRATCH};
use super::{Address, Base, Emitter, Location, number};
use crate::graph::Type;

impl Emitter<'_> {
    /// Where something is in memory.
    pub(super) fn address(&self, memory: Memory, instruction: Inst) -> Address {
        match memory {
            Memory::Frame(offset) => Address {
                base: Base::Frame,
                offset,
            },
            Memory::At(index, offset) => Address {
                base: number(self.operand(instruction, index)).into(),
                offset,
            },
            Memory::Near(address) => Address {
                base: Base::Near(address),
                offset: 0,
            },
        }
    }

    /// An address as a value.
    pub(super) fn distance(&mut self, target: u8, base: Base, offset: i32) {
        let ops = &mut self.assembler;
        match (base, offset) {
            (Base::Register(base), 0) if target == base => {}
            (Base::Register(base), 0) => dynasm!(ops ; .arch x64 ; mov Rq(target), Rq(base)),
            (Base::Frame, 0) => dynasm!(ops ; .arch x64 ; mov Rq(target), rdi),
            _ => near!(ops, base, offset; lea Rq(target), @),
        }
    }

    pub(super) fn load(&mut self, from: Address, of: Type, target: u8) {
        let (base, offset, kind) = (from.base, from.offset, from.kind());
        let ops = &mut self.assembler;
        match of {
            Type::Double => near!(ops, base, offset; movsd Rx(target), @),
            Type::Bool => {
                near!(ops, base, kind; mov Rd(target), @);
                dynasm!(ops ; .arch x64 ; and Rd(target), BYTE 1);
            }
            Type::Long | Type::Address => near!(ops, base, offset; mov Rq(target), @),
        }
    }

    /// Follows a reference in place.
    pub(super) fn deref(&mut self, target: u8) {
        let kind = layout::TYPE as i8;
        let inside = layout::REFERENCE_VALUE as i8;
        dynasm!(self.assembler
            ; .arch x64
            ; cmp BYTE [BYTE Rq(target) + kind], REFERENCE as i8
            ; jne >plain
            ; mov Rq(target), [Rq(target)]
            ; add Rq(target), BYTE inside
            ; plain:
        );
    }

    pub(super) fn load_field(&mut self, field: Field, target: u8, of: Address) {
        let base = of.base;
        let offset = of.offset + FIELD_OFFSETS[usize::from(field.0)] as i32;
        let ops = &mut self.assembler;
        match field.facts().kind {
            FieldKind::Bool | FieldKind::Byte => near!(ops, base, offset; movzx Rd(target), BYTE @),
            FieldKind::Unsigned => near!(ops, base, offset; mov Rd(target), @),
            FieldKind::Word | FieldKind::Pointer(_) => near!(ops, base, offset; mov Rq(target), @),
            FieldKind::Value => self.distance(target, base, offset),
        }
    }

    pub(super) fn store_field(&mut self, field: Field, of: Address, value: Right) {
        let base = of.base;
        let offset = of.offset + FIELD_OFFSETS[usize::from(field.0)] as i32;
        let kind = field.facts().kind;
        if kind == FieldKind::Value {
            let Right::Register(source) = value else {
                unreachable!("the address of a value is in a register");
            };
            return self.copy(Address { base, offset }, source as u8, false);
        }
        let ops = &mut self.assembler;
        match (kind, value) {
            (FieldKind::Bool | FieldKind::Byte, Right::Register(value)) => {
                near!(ops, base, offset; mov @, Rb(value as u8));
            }
            (FieldKind::Bool | FieldKind::Byte, Right::Immediate(value)) => {
                near!(ops, base, offset; mov BYTE @, value as i8);
            }
            (FieldKind::Unsigned, Right::Register(value)) => {
                near!(ops, base, offset; mov @, Rd(value as u8));
            }
            (FieldKind::Unsigned, Right::Immediate(value)) => {
                near!(ops, base, offset; mov DWORD @, value);
            }
            (_, Right::Register(value)) => {
                near!(ops, base, offset; mov @, Rq(value as u8));
            }
            (_, Right::Immediate(value)) => {
                near!(ops, base, offset; mov QWORD @, value);
            }
            (_, Right::Constant(_)) => unreachable!("no field is a float"),
        }
    }

    pub(super) fn element(&mut self, sequence: Sequence, target: u8, base: u8, index: Right) {
        let (start, is_pointer) = SEQUENCE_STARTS[usize::from(sequence.0)];
        let start = start as i32;
        let stride = i32::from(sequence.facts().stride);
        let ops = &mut self.assembler;
        match (index, is_pointer) {
            (Right::Immediate(index), false) => {
                near!(ops, base, start + index * stride; lea Rq(target), @);
            }
            (Right::Immediate(index), true) => {
                near!(ops, base, start; mov Rq(target), @);
                if index != 0 {
                    short!(ops, index * stride; add Rq(target));
                }
            }
            (Right::Register(index), _) => {
                let shift = stride.trailing_zeros() as i8;
                dynasm!(ops
                    ; .arch x64
                    ; mov Rq(target), Rq(index as u8)
                    ; shl Rq(target), shift
                );
                match is_pointer {
                    true => near!(ops, base, start; add Rq(target), @),
                    false => dynasm!(ops
                        ; .arch x64
                        ; lea Rq(target), [Rq(target) + Rq(base) + start]
                    ),
                }
            }
            (Right::Constant(_), _) => unreachable!("an index is an integer"),
        }
    }

    /// Copies payload and type word; what else stands in the slot belongs to its container.
    pub(super) fn copy(&mut self, to: Address, from: u8, retains: bool) {
        let (base, offset, kind) = (to.base, to.offset, to.kind());
        let source = layout::TYPE as i32;
        let ops = &mut self.assembler;
        near!(ops, from, source; mov r11d, @);
        near!(ops, base, kind; mov @, r11d);
        if retains {
            dynasm!(ops
                ; .arch x64
                ; test r11d, REFCOUNTED as i32
                ; mov r11, [Rq(from)]
                ; jz >uncounted
                ; inc DWORD [r11]
                ; uncounted:
            );
        } else {
            dynasm!(ops ; .arch x64 ; mov r11, [Rq(from)]);
        }
        near!(ops, base, offset; mov @, r11);
    }

    /// Writes a string: it is counted unless its header says that it is immutable.
    pub(super) fn store_string(&mut self, to: Address, source: u8) {
        let (base, offset, kind) = (to.base, to.offset, to.kind());
        let flags = layout::HEADER_FLAGS as i32;
        let ops = &mut self.assembler;
        near!(ops, base, offset; mov @, Rq(source));
        near!(ops, base, kind; mov DWORD @, STRING_INTERNED as i32);
        near!(ops, source, flags; test DWORD @, HEADER_IMMUTABLE as i32);
        dynasm!(ops ; .arch x64 ; jnz >immutable);
        near!(ops, base, kind; mov DWORD @, STRING_COUNTED as i32);
        dynasm!(ops ; .arch x64 ; inc DWORD [Rq(source)] ; immutable:);
    }

    /// One owner more or less of what is counted.
    pub(super) fn count(&mut self, of: Address, change: i8) {
        let (base, offset, flags) = (of.base, of.offset, of.kind() + 1);
        let ops = &mut self.assembler;
        near!(ops, base, flags; test BYTE @, 1);
        dynasm!(ops ; .arch x64 ; jz >uncounted);
        near!(ops, base, offset; mov r11, @);
        match change > 0 {
            true => dynasm!(ops ; .arch x64 ; inc DWORD [r11]),
            false => dynasm!(ops ; .arch x64 ; dec DWORD [r11]),
        }
        dynasm!(ops ; .arch x64 ; uncounted:);
    }

    pub(super) fn location(&self, saved: Saved, instruction: Inst) -> Location {
        match saved {
            Saved::Bare(number) => Location::Bare(number),
            Saved::Whole(word, payload) => Location::Whole(word, payload),
            Saved::Constant(of, bits) => Location::Constant(of, bits),
            Saved::Operand(of, index) => Location::Allocated(of, self.operand(instruction, index)),
            Saved::Copied(index) => Location::Copied(self.operand(instruction, index)),
            Saved::CopiedConstant(address) => Location::CopiedConstant(address),
        }
    }

    pub(super) fn store(&mut self, to: Address, location: Location) {
        let (base, payload, kind) = (to.base, to.offset, to.kind());
        let type_number = match location {
            Location::Copied(allocation) => {
                let Some(at) = self.spill(allocation) else {
                    return self.copy(to, number(allocation), true);
                };
                dynasm!(self.assembler ; .arch x64 ; push rax ; mov rax, [rsp + at + 8]);
                self.copy(to, RAX as u8, true);
                dynasm!(self.assembler ; .arch x64 ; pop rax);
                return;
            }
            Location::CopiedConstant(address) => {
                dynasm!(self.assembler ; .arch x64 ; push rax);
                self.load_address(RAX as u8, address);
                self.copy(to, RAX as u8, true);
                dynasm!(self.assembler ; .arch x64 ; pop rax);
                return;
            }
            Location::Bare(number) => i32::from(number),
            Location::Whole(word, bits) => {
                self.constant(base, payload, bits);
                word as i32
            }
            Location::Constant(Type::Bool, value) => i32::from(FALSE) + value as i32,
            Location::Constant(of, bits) => {
                self.constant(base, payload, bits);
                number_of(of)
            }
            Location::Allocated(Type::Bool, allocation) => {
                let spilled = self.spill(allocation);
                let ops = &mut self.assembler;
                match spilled {
                    Some(at) => {
                        near!(ops, Base::Stack, at; mov r11d, @);
                        dynasm!(ops ; .arch x64 ; add r11d, BYTE FALSE as i8);
                    }
                    None => {
                        let source = number(allocation);
                        near!(ops, source, i32::from(FALSE); lea Rd(SCRATCH), @);
                    }
                }
                near!(self.assembler, base, kind; mov @, r11d);
                return;
            }
            Location::Allocated(of, allocation) => {
                let spilled = self.spill(allocation);
                let ops = &mut self.assembler;
                match spilled {
                    Some(at) => {
                        near!(ops, Base::Stack, at; mov r11, @);
                        near!(ops, base, payload; mov @, r11);
                    }
                    None if of == Type::Double => {
                        let source = number(allocation);
                        near!(ops, base, payload; movsd @, Rx(source));
                    }
                    None => {
                        let source = number(allocation);
                        near!(ops, base, payload; mov @, Rq(source));
                    }
                }
                number_of(of)
            }
        };
        near!(self.assembler, base, kind; mov DWORD @, type_number);
    }

    /// Writes a word that is known.
    fn constant(&mut self, base: Base, offset: i32, bits: u64) {
        match i32::try_from(bits as i64) {
            Ok(value) => near!(self.assembler, base, offset; mov QWORD @, value),
            Err(_) => {
                self.load_address(SCRATCH, bits);
                near!(self.assembler, base, offset; mov @, r11);
            }
        }
    }
}

/// The type number of values of this type.
fn number_of(of: Type) -> i32 {
    i32::from(match of {
        Type::Double => DOUBLE,
        _ => LONG,
    })
}
