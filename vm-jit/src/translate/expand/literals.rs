//! What is read of literals when code is made: neither they nor the arrays in them ever change. Nor do constants of the
//! script, which count as literals unless their values are counted.

use vm_def::ir::layout::FieldKind;
use vm_def::ir::{BinaryOperation, Field, Intrinsic, Structure};
use vm_runtime::array::PhpArray;
use vm_runtime::generated::layout::FIELD_OFFSETS;
use vm_runtime::interpreter::intrinsics;
use vm_runtime::string::{PhpString, STRING_HEADER};
use vm_runtime::value::{ARRAY_IMMUTABLE, STRING, TRUE, Zval};

use super::{Expansion, Position};
use crate::graph::{Operation, Place, Type, Value};
use crate::translate::Code;

/// The bytes of a word.
const WORD: usize = size_of::<u64>();

const _: () = assert!(
    STRING_HEADER.is_multiple_of(WORD),
    "a string's bytes begin at a word"
);

impl Expansion<'_, '_, '_> {
    /// The payload of a literal.
    pub(super) fn load_literal(
        &mut self,
        literal: *const Zval,
        of: Type,
        at: &Position,
    ) -> Option<Value> {
        // SAFETY: I4: the address is that of a literal of a live block.
        let literal = unsafe { &*literal };
        let payload = self.push(
            at,
            match of {
                Type::Double => Operation::Double(literal.double().to_bits()),
                Type::Bool => Operation::Bool(literal.kind() == TRUE),
                Type::Address => Operation::Literal(literal.long() as u64),
                Type::Long => Operation::Long(literal.long()),
            },
        )?;
        if literal.type_info == ARRAY_IMMUTABLE {
            self.found.literal_arrays.insert(payload);
        }
        Some(payload)
    }

    /// Notes that a constant is at an address, if that is known.
    pub(super) fn note_constant(&mut self, address: Value) {
        let Some(known) = self.translator.graph.address(address) else {
            return;
        };
        let literal = known as *const Zval;
        if Code::constant(literal).is_some() {
            self.found.literals.insert(address, literal);
        }
    }

    /// Where an array that is part of a literal has the element of a key that is known.
    pub(super) fn element_of_literal(
        &mut self,
        intrinsic: Intrinsic,
        given: &[Value],
        at: &Position,
    ) -> Option<Value> {
        let &[array, key] = given else { return None };
        if !self.found.literal_arrays.contains(&array) {
            return None;
        }
        let graph = &self.translator.graph;
        let array = graph.address(array)? as *mut PhpArray;
        let text = || Some(graph.address(key)? as *mut PhpString);
        // SAFETY: I3: an immutable array lives as long as its literal, and so does a string whose address is known;
        // nothing is written.
        let found = unsafe {
            match intrinsic {
                Intrinsic::FindLong => intrinsics::find_long(array, graph.long(key)?),
                Intrinsic::FindKey => intrinsics::find_key(array, text()?),
                // Who asks for this very string looks at others if it is not there.
                Intrinsic::FindSameKey => (&raw const *(*array).get_string(&*text()?)?).cast_mut(),
                _ => return None,
            }
        };
        let address = self.push(at, Operation::Literal(found as u64))?;
        if !found.is_null() {
            self.note_constant(address);
        }
        Some(address)
    }

    /// Whether a string has the bytes of a literal that has few of them: these are compared as a word. The bytes of a
    /// string begin at a word and a NUL is behind them: the word can be read, and what is not the string's is masked.
    pub(super) fn equals_literal(
        &mut self,
        intrinsic: Intrinsic,
        given: &[Value],
        at: &mut Position,
    ) -> Option<Value> {
        use BinaryOperation::{AndBool, AndLong, EqLong};
        let (Intrinsic::EqualText, &[left, right]) = (intrinsic, given) else {
            return None;
        };
        let literals = &self.found.literals;
        let (literal, other) = match (literals.get(&left), literals.get(&right)) {
            (_, Some(literal)) => (*literal, left),
            (Some(literal), None) => (*literal, right),
            (None, None) => return None,
        };
        // SAFETY: I4: the address is that of a literal of a live block; I3: its string is live.
        let bytes = unsafe {
            let literal = &*literal;
            if literal.kind() != STRING {
                return None;
            }
            (*literal.string()).as_bytes()
        };
        let mut word = [0; WORD];
        word.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let mut mask = [0; WORD];
        mask[..bytes.len()].fill(0xff);
        self.before_access(other, at);
        let string = self.push(at, Operation::Load(Place::At(other), Type::Address))?;
        let length = Field::find(Structure::String, "length")?;
        let length = self.push(at, Operation::LoadField(length, string))?;
        let expected = self.push(at, Operation::Long(bytes.len() as i64))?;
        let is_as_long = self.push(at, Operation::Binary(EqLong, length, expected))?;
        if bytes.is_empty() {
            return Some(is_as_long);
        }
        let read = Operation::LoadWord(string, STRING_HEADER as u32, Type::Long);
        let mut read = self.push(at, read)?;
        if bytes.len() < WORD {
            let mask = self.push(at, Operation::Long(i64::from_le_bytes(mask)))?;
            read = self.push(at, Operation::Binary(AndLong, read, mask))?;
        }
        let word = self.push(at, Operation::Long(i64::from_le_bytes(word)))?;
        let is_same = self.push(at, Operation::Binary(EqLong, read, word))?;
        self.push(at, Operation::Binary(AndBool, is_as_long, is_same))
    }

    /// What a field of an array holds that is part of a literal.
    pub(super) fn field_of_literal(&self, field: Field, base: Value) -> Option<Operation> {
        let facts = field.facts();
        let is_known = facts.structure == Structure::Array && facts.name != "refcount";
        if !is_known || !self.found.literal_arrays.contains(&base) {
            return None;
        }
        let address = self.translator.graph.address(base)? as *const PhpArray;
        let offset = FIELD_OFFSETS[usize::from(field.0)] as usize;
        let is_word = facts.kind == FieldKind::Word;
        // SAFETY: I3: an immutable array lives as long as its literal; the table of offsets and the kinds of its
        // fields agree with its layout, which is asserted.
        let value = unsafe {
            let field = address.cast::<u8>().add(offset);
            match is_word {
                true => field.cast::<i64>().read(),
                false => i64::from(field.cast::<u32>().read()),
            }
        };
        Some(Operation::Long(value))
    }
}
