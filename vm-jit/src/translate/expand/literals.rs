//! What is read of literals when code is made: neither they nor the arrays in them ever change. Nor do constants of the
//! script, which count as literals unless their values are counted.

use vm_def::ir::layout::FieldKind;
use vm_def::ir::{Field, Intrinsic, Structure};
use vm_runtime::array::PhpArray;
use vm_runtime::generated::layout::FIELD_OFFSETS;
use vm_runtime::interpreter::intrinsics;
use vm_runtime::string::PhpString;
use vm_runtime::value::{ARRAY_IMMUTABLE, TRUE, Zval};

use super::{Expansion, Position};
use crate::graph::{Operation, Type, Value};
use crate::translate::Code;

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
