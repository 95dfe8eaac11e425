//! Where operands are, and what is known of that.

use vm_def::ir::layout::Structure;
use vm_def::ir::{self};
use vm_def::types::TypeMask;
use vm_runtime::op::IS_UNUSED;
use vm_runtime::value::OBJECT;

use super::super::state::{SlotState, UNKNOWN};
use super::super::{Operand, Position};
use super::{Expansion, Origin};
use crate::graph::{Held, Operation, Place, Slot, Value};

/// The byte of a type word that is the type.
const KIND: i64 = 255;

impl Expansion<'_, '_, '_> {
    pub(super) fn operand(&self, place: ir::Place) -> Operand {
        let code = self.translator.request.code;
        match place {
            ir::Place::Op1 => self.constant_or(0, code.op1(self.opline)),
            ir::Place::Op2 => self.constant_or(1, code.op2(self.opline)),
            ir::Place::Data => self.constant_or(2, code.data(self.opline)),
            ir::Place::Result => code.result(self.opline),
            ir::Place::At(value) => match self.found.origins.get(&self.value(value)) {
                Some(Origin::Slot(slot)) => Operand::Slot(*slot),
                _ => Operand::None,
            },
        }
    }

    fn constant_or(&self, number: usize, operand: Operand) -> Operand {
        self.found.constants[number].map_or(operand, Operand::Literal)
    }

    /// Where a place is in memory, for looking at it or writing it there. None if it is nowhere:
    /// a result that nobody wants.
    pub(super) fn memory(&mut self, place: ir::Place, at: &mut Position) -> Option<Place> {
        match self.operand(place) {
            Operand::Slot(slot) => {
                if let SlotState::Borrowed { address, .. } = at.state.at(slot) {
                    return Some(Place::At(address));
                }
                self.translator.save(at, slot);
                Some(Place::Slot(slot))
            }
            Operand::Literal(literal) => {
                let address = self.push(at, Operation::Literal(literal as u64))?;
                Some(Place::At(address))
            }
            Operand::None => match place {
                ir::Place::At(value) => {
                    let value = self.value(value);
                    self.before_access(value, at);
                    Some(Place::At(value))
                }
                ir::Place::Result => None,
                _ => {
                    let this = self.field_of_this("this", place, at)?;
                    Some(Place::At(this))
                }
            },
        }
    }

    /// Whether a place is `$this` of a frame: it is read by the fields of the frame's head. An operand that is not
    /// used stands for that of the running frame.
    pub(super) fn is_this(&self, place: ir::Place) -> bool {
        match place {
            ir::Place::Result => false,
            ir::Place::At(value) => self.found.frames_of.contains_key(&self.value(value)),
            _ => matches!(self.operand(place), Operand::None),
        }
    }

    fn field_of_this(&mut self, name: &str, place: ir::Place, at: &Position) -> Option<Value> {
        let frame = match place {
            ir::Place::At(value) => *self.found.frames_of.get(&self.value(value))?,
            _ => self.frame(at)?,
        };
        let field = ir::Field::find(Structure::Frame, name)?;
        self.push(at, Operation::LoadField(field, frame))
    }

    /// The object that `$this` is.
    pub(super) fn load_this(&mut self, place: ir::Place, at: &Position) -> Option<Value> {
        let pointer = self.field_of_this("this_pointer", place, at)?;
        let pointer = Operation::Unary(ir::UnaryOperation::LongToPointer, pointer);
        self.push(at, pointer)
    }

    /// What is known of the type of `$this`.
    pub(super) fn type_of_this(&self, place: ir::Place) -> Option<TypeMask> {
        let part = match place {
            ir::Place::At(value) => *self
                .found
                .frames
                .get(self.found.frames_of.get(&self.value(value))?)?,
            _ => self.translator.request.code.local(self.opline).0,
        };
        let field = ir::Field::find(Structure::Frame, "info")?;
        match self.translator.head(part, field) {
            Some(Operation::Long(info)) => Some(TypeMask(1 << (info & KIND))),
            None => match self.translator.request.code.body(part).has_this()? {
                true => Some(TypeMask::OBJECT),
                false => Some(TypeMask(TypeMask::ANY.0 & !TypeMask::OBJECT.0)),
            },
            _ => None,
        }
    }

    /// Goes on only if `$this` is an object.
    pub(super) fn guard_this(&mut self, place: ir::Place, at: &mut Position) {
        use ir::BinaryOperation::{AndLong, EqLong};
        let is_object = (|| {
            let info = self.field_of_this("info", place, at)?;
            let mask = self.push(at, Operation::Long(KIND))?;
            let kind = self.push(at, Operation::Binary(AndLong, info, mask))?;
            let object = self.push(at, Operation::Long(i64::from(OBJECT)))?;
            self.push(at, Operation::Binary(EqLong, kind, object))
        })();
        if let Some(is_object) = is_object {
            self.guard(is_object, ir::Reason::Type, at);
        }
    }

    /// Where a place is in memory, for writing all of it.
    pub(super) fn destination(&mut self, place: ir::Place, at: &mut Position) -> Option<Place> {
        match self.operand(place) {
            Operand::Slot(slot) => Some(Place::Slot(slot)),
            _ => self.memory(place, at),
        }
    }

    /// Makes sure that what an address may lead to is in memory.
    pub(super) fn before_access(&mut self, address: Value, at: &mut Position) {
        match self.found.origins.get(&address) {
            Some(Origin::Slot(slot) | Origin::Behind(slot)) => {
                let slot = *slot;
                self.translator.save(at, slot);
            }
            Some(Origin::Anywhere) => self.translator.save_variables(at),
            None => {}
        }
    }

    /// Forgets what a write through an address may have changed.
    pub(super) fn after_write(&mut self, place: Place, types: Option<TypeMask>, at: &mut Position) {
        let written = |types: Option<TypeMask>| match types {
            Some(types) => SlotState::Memory {
                types,
                uncounted: false,
            },
            None => UNKNOWN,
        };
        match place {
            Place::Slot(slot) => at.state.set(slot, written(types)),
            Place::At(address) => {
                match self.found.origins.get(&address) {
                    Some(Origin::Slot(slot)) => at.state.set(*slot, written(types)),
                    Some(Origin::Behind(slot)) => at.state.set(*slot, UNKNOWN),
                    Some(Origin::Anywhere) => self.translator.forget_variables(at),
                    None => {}
                }
                // Other addresses may lead to the same place.
                self.forget_types_at();
                self.found
                    .types_at
                    .extend(types.map(|types| (address, types)));
            }
        }
    }

    /// Forgets what was found at addresses: something is written that may be there.
    pub(super) fn forget_types_at(&mut self) {
        self.found.types_at.clear();
        self.found.tests.clear();
    }

    /// The types that were seen in a slot.
    pub(super) fn seen(&self, slot: Slot) -> TypeMask {
        self.translator.request.code.seen(self.opline, slot)
    }

    pub(super) fn has_result(&self) -> bool {
        self.translator.request.code.op(self.opline).result_type & 15 != IS_UNUSED
    }

    /// Writes a number, a truth value, null or nothing.
    pub(super) fn store(&mut self, place: ir::Place, held: Held, at: &mut Position) {
        if let Operand::Slot(slot) = self.operand(place) {
            let dirty = true;
            at.state.set(slot, SlotState::Held { held, dirty });
        } else if let Some(place) = self.memory(place, at) {
            self.push(at, Operation::Store(place, held));
            self.after_write(place, Some(held.types()), at);
        }
    }
}
