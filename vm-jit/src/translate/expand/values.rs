//! Values of slots: their types, loads, copies and what becomes of them.

use vm_def::ir::{self, Representation};
use vm_def::types::TypeMask;
use vm_runtime::op::{IS_CONST, IS_CV};

use super::super::state::{SlotState, UNKNOWN};
use super::super::trial;
use super::super::{Code, Operand, Position};
use super::{Expansion, Origin};
use crate::graph::{Held, Operation, Place, Released, Slot, Type, Value};

impl Expansion<'_, '_, '_> {
    /// Whether the opline gives the operand back: variables and literals stay.
    pub(super) fn is_consumed(&self, place: ir::Place) -> bool {
        let code = self.translator.request.code;
        let kind = match place {
            ir::Place::Op1 => code.op(self.opline).op1_type,
            ir::Place::Op2 => code.op(self.opline).op2_type,
            _ => code.op(self.opline + 1).op1_type,
        };
        kind & (IS_CONST | IS_CV) == 0
    }

    /// Gives back an operand that the opline consumes.
    pub(super) fn free(&mut self, place: ir::Place, at: &mut Position) {
        if !self.is_consumed(place) {
            return;
        }
        let Operand::Slot(slot) = self.operand(place) else {
            return;
        };
        let state = at.state.at(slot);
        if let SlotState::Borrowed { .. } = state {
            at.state.set(slot, UNKNOWN);
            return;
        }
        if state.is_uncounted() {
            return;
        }
        // Giving back a string runs no code of the script.
        let others = TypeMask(TypeMask::COUNTED.0 & !TypeMask::STRING.0);
        if state.types().intersects(others) {
            self.tell_opline(at);
            self.before_reentering(at);
        } else {
            self.translator.settle(at.block, &mut at.state);
        }
        let temporary = Released::Temporary;
        self.push(at, Operation::Release(Place::Slot(slot), temporary));
        at.state.set(slot, UNKNOWN);
    }

    pub(super) fn store_value(
        &mut self,
        place: ir::Place,
        representation: Representation,
        value: ir::Value,
        at: &mut Position,
    ) {
        let held = match representation {
            Representation::Long => Held::Long(self.value(value)),
            Representation::Double => Held::Double(self.value(value)),
            Representation::Bool => Held::Bool(self.value(value)),
            Representation::Boxed | Representation::Pointer => {
                return self.copy(place, value, true, at);
            }
        };
        self.store(place, held, at);
    }

    /// Copies the value at an address.
    pub(super) fn copy(
        &mut self,
        place: ir::Place,
        from: ir::Value,
        retains: bool,
        at: &mut Position,
    ) {
        let from = self.value(from);
        if place == ir::Place::Result && !self.has_result() {
            return;
        }
        if let Some(Origin::Slot(slot)) = self.found.origins.get(&from)
            && let SlotState::Held { held, .. } = at.state.at(*slot)
        {
            return self.store(place, held, at);
        }
        if let Some(held) = self.constant_at(from, at) {
            return self.store(place, held, at);
        }
        self.before_access(from, at);
        let types = match self.found.origins.get(&from) {
            Some(Origin::Slot(slot)) => Some(at.state.at(*slot).types()),
            Some(_) => None,
            None => self.found.types_at.get(&from).copied(),
        };
        // A number needs no memory.
        if let Operand::Slot(slot) = self.operand(place)
            && !self.found.origins.contains_key(&from)
            && let Some(of) = types.and_then(Type::holding)
        {
            return self.translator.load_borrowed(slot, from, of, at);
        }
        if retains
            && let Operand::Slot(slot) = self.operand(place)
            && self.translator.request.code.is_temporary(slot, self.opline)
            && !self.found.origins.contains_key(&from)
        {
            let (address, types) = (from, types.unwrap_or(TypeMask::ANY));
            at.state.set(slot, SlotState::Borrowed { address, types });
            return;
        }
        if let Some(place) = self.destination(place, at) {
            self.push(at, Operation::Copy(place, from, retains));
            self.after_write(place, types, at);
        }
    }

    /// What a literal at an address is, if it needs no memory.
    pub(super) fn constant_at(&mut self, address: Value, at: &Position) -> Option<Held> {
        let literal = self.found.literals.get(&address).copied()?;
        // SAFETY: I4: the address is that of a literal of a live block.
        let value = unsafe { &*literal };
        use vm_runtime::value::{DOUBLE, FALSE, LONG, TRUE};
        Some(match value.kind() {
            LONG => Held::Long(self.push(at, Operation::Long(value.long()))?),
            DOUBLE => Held::Double(self.push(at, Operation::Double(value.double().to_bits()))?),
            FALSE => Held::Bool(self.push(at, Operation::Bool(false))?),
            TRUE => Held::Bool(self.push(at, Operation::Bool(true))?),
            vm_runtime::value::NULL => Held::Null,
            _ => Held::Constant(Code::constant(literal)?),
        })
    }

    pub(super) fn known(&self, place: ir::Place, at: &Position) -> Option<TypeMask> {
        match self.operand(place) {
            Operand::Slot(slot) => Some(at.state.at(slot).types()),
            Operand::Literal(literal) => Some(Code::literal_types(literal)),
            Operand::None => match place {
                ir::Place::Result => None,
                ir::Place::At(value) if !self.is_this(place) => {
                    let value = self.value(value);
                    match self.found.literals.get(&value) {
                        Some(literal) => Some(Code::literal_types(*literal)),
                        None => self.found.types_at.get(&value).copied(),
                    }
                }
                _ => self.type_of_this(place),
            },
        }
    }

    pub(super) fn is_known_uncounted(&self, place: ir::Place, at: &Position) -> bool {
        match self.operand(place) {
            Operand::Slot(slot) => at.state.at(slot).is_uncounted(),
            Operand::Literal(_) => true,
            Operand::None => false,
        }
    }

    pub(super) fn guard_type(&mut self, place: ir::Place, types: TypeMask, at: &mut Position) {
        let types = self.likely_types(place, types);
        let known = self.known(place, at).unwrap_or(TypeMask::ANY);
        if known.is_subset_of(types) {
            return;
        }
        if self.is_this(place) && types == TypeMask::OBJECT {
            return self.guard_this(place, at);
        }
        let Some(memory) = self.memory(place, at) else {
            return;
        };
        self.guard_place(memory, types, at);
        if let Operand::Slot(slot) = self.operand(place) {
            self.narrow(slot, types, at);
        }
    }

    /// What is likely to stand at an address, if that is one of these types and of a single one.
    fn likely_types(&self, place: ir::Place, types: TypeMask) -> TypeMask {
        let ir::Place::At(value) = place else {
            return types;
        };
        if self.found.progress.has_effect {
            return types;
        }
        let seen = TypeMask(self.answer(trial::Question::Types(self.number, value)));
        if seen == TypeMask::NONE || !seen.is_subset_of(types) {
            return types;
        }
        if seen.is_subset_of(TypeMask::BOOL) {
            TypeMask(TypeMask::BOOL.0 & types.0)
        } else if seen.single().is_some() {
            seen
        } else {
            types
        }
    }

    pub(super) fn narrow(&mut self, slot: Slot, types: TypeMask, at: &mut Position) {
        if let SlotState::Memory {
            types: known,
            uncounted,
        } = at.state.at(slot)
        {
            let types = TypeMask(types.0 & known.0);
            at.state.set(slot, SlotState::Memory { types, uncounted });
        } else if let SlotState::Borrowed {
            address,
            types: known,
        } = at.state.at(slot)
        {
            let types = TypeMask(types.0 & known.0);
            at.state.set(slot, SlotState::Borrowed { address, types });
        }
    }

    pub(super) fn guard_uncounted(&mut self, place: ir::Place, at: &mut Position) {
        if self.is_known_uncounted(place, at) {
            return;
        }
        let Some(memory) = self.memory(place, at) else {
            return;
        };
        self.guard_place_uncounted(memory, at);
        self.note_uncounted(place, at);
    }

    /// What is in a place is known not to be counted.
    pub(super) fn note_uncounted(&mut self, place: ir::Place, at: &mut Position) {
        if let Operand::Slot(slot) = self.operand(place)
            && let SlotState::Memory { types, .. } = at.state.at(slot)
        {
            let uncounted = true;
            at.state.set(slot, SlotState::Memory { types, uncounted });
        }
    }

    pub(super) fn test_type(
        &mut self,
        place: ir::Place,
        types: TypeMask,
        at: &mut Position,
    ) -> Option<Value> {
        if let Operand::Slot(slot) = self.operand(place) {
            self.speculate(slot, types, at);
        }
        let likely = self.likely_types(place, TypeMask::ANY);
        if likely != TypeMask::ANY {
            self.guard_type(place, likely, at);
        }
        if let Some(known) = self.known(place, at) {
            if known.is_subset_of(types) {
                return self.push(at, Operation::Bool(true));
            }
            if !known.intersects(types) {
                return self.push(at, Operation::Bool(false));
            }
        }
        let place = self.memory(place, at)?;
        let test = self.push(at, Operation::IsType(place, types))?;
        if let Place::At(address) = place {
            self.found.tests.insert(test, (address, types));
        }
        Some(test)
    }

    /// Before a question about a slot's type: leaves if the answer is not the one that the profile
    /// expects. References are not expected where nothing is known.
    pub(super) fn speculate(&mut self, slot: Slot, types: TypeMask, at: &mut Position) {
        let known = at.state.at(slot).types();
        if self.found.progress.has_effect || known.is_subset_of(types) || !known.intersects(types) {
            return;
        }
        let seen = self.seen(slot);
        let others = TypeMask(known.0 & !types.0);
        let expected = if seen == TypeMask::NONE {
            if !types.is_subset_of(TypeMask::REFERENCE) {
                return;
            }
            others
        } else if !seen.intersects(types) {
            others
        } else if seen.is_subset_of(types) {
            types
        } else {
            return;
        };
        self.guard_slot(slot, expected, at);
    }

    pub(super) fn guard_slot(&mut self, slot: Slot, types: TypeMask, at: &mut Position) {
        let memory = match at.state.at(slot) {
            SlotState::Borrowed { address, .. } => Place::At(address),
            _ => Place::Slot(slot),
        };
        self.guard_place(memory, types, at);
        self.narrow(slot, types, at);
    }

    /// The type word of a value; often only asked for whether the value is counted.
    pub(super) fn type_word(&mut self, place: ir::Place, at: &mut Position) -> Option<Value> {
        if let Operand::Slot(slot) = self.operand(place) {
            if let SlotState::Held {
                held: Held::Constant(constant),
                ..
            } = at.state.at(slot)
            {
                return self.push(at, Operation::Long(i64::from(constant.word)));
            }
            if !self.found.progress.has_effect && !at.state.at(slot).is_uncounted() {
                self.expect_uncounted(slot, at);
            }
            let types = at.state.at(slot).types();
            if at.state.at(slot).is_uncounted() {
                let single = types
                    .single()
                    .filter(|kind| *kind < vm_runtime::value::STRING);
                let value = match single {
                    Some(kind) => self.push(at, Operation::Long(i64::from(kind)))?,
                    None => {
                        let place = self.memory(place, at)?;
                        let value = self.push(at, Operation::TypeWord(place))?;
                        self.found.uncounted_words.insert(value);
                        value
                    }
                };
                return Some(value);
            }
        }
        if let Some(word) = self.known_word(place) {
            return self.push(at, Operation::Long(i64::from(word)));
        }
        let place = self.memory(place, at)?;
        self.push(at, Operation::TypeWord(place))
    }

    /// The type word of what is not in a slot, if it is known: that of a literal, or of what is not counted.
    fn known_word(&self, place: ir::Place) -> Option<u32> {
        let literal = match (self.operand(place), place) {
            (Operand::Literal(literal), _) => Some(literal),
            (Operand::None, ir::Place::At(value)) => {
                self.found.literals.get(&self.value(value)).copied()
            }
            _ => return None,
        };
        if let Some(literal) = literal {
            // SAFETY: I4: the address is that of a literal of a live block.
            return Some(unsafe { (*literal).type_info });
        }
        let ir::Place::At(value) = place else {
            return None;
        };
        let kind = self.found.types_at.get(&self.value(value))?.single()?;
        (kind < vm_runtime::value::STRING).then(|| u32::from(kind))
    }

    /// Leaves if a slot holds something counted, unless the profile has seen that.
    pub(super) fn expect_uncounted(&mut self, slot: Slot, at: &mut Position) {
        let known = at.state.at(slot).types();
        let seen = TypeMask(self.seen(slot).0 & known.0);
        if seen.intersects(TypeMask::COUNTED) {
            return;
        }
        if seen.single().is_some() || Type::holding(seen).is_some() {
            return self.guard_slot(slot, seen, at);
        }
        if let SlotState::Borrowed { .. } = at.state.at(slot) {
            return;
        }
        self.guard_place_uncounted(Place::Slot(slot), at);
        if let SlotState::Memory { types, .. } = at.state.at(slot) {
            let uncounted = true;
            at.state.set(slot, SlotState::Memory { types, uncounted });
        }
    }

    pub(super) fn deref(&mut self, place: ir::Place, at: &mut Position) -> Option<Value> {
        let slot = match self.operand(place) {
            Operand::Slot(slot) => slot,
            Operand::Literal(literal) => {
                let address = self.push(at, Operation::Literal(literal as u64))?;
                self.found.literals.insert(address, literal);
                return Some(address);
            }
            Operand::None => {
                let address = self.address(place, at)?;
                return self.push(at, Operation::Deref(address));
            }
        };
        if let SlotState::Borrowed { address, types } = at.state.at(slot) {
            self.found.types_at.insert(address, types);
            return match types.intersects(TypeMask::REFERENCE) {
                true => self.push(at, Operation::Deref(address)),
                false => Some(address),
            };
        }
        if at.state.at(slot).types().intersects(TypeMask::REFERENCE) {
            if self.seen(slot).intersects(TypeMask::REFERENCE) {
                let address = self.push(at, Operation::SlotAddress(slot))?;
                let address = self.push(at, Operation::Deref(address))?;
                self.found.origins.insert(address, Origin::Behind(slot));
                return Some(address);
            }
            let types = TypeMask(TypeMask::ANY.0 & !TypeMask::REFERENCE.0);
            let seen = self.seen(slot);
            // The only type is asked for sooner or later.
            let types = match seen.single() {
                Some(_) if seen.intersects(types) => seen,
                _ => types,
            };
            self.guard_slot(slot, types, at);
        }
        self.slot_address(slot, at)
    }

    pub(super) fn slot_address(&mut self, slot: Slot, at: &Position) -> Option<Value> {
        let address = self.push(at, Operation::SlotAddress(slot))?;
        self.found.origins.insert(address, Origin::Slot(slot));
        Some(address)
    }

    /// The address of a place.
    pub(super) fn address(&mut self, place: ir::Place, at: &mut Position) -> Option<Value> {
        match self.memory(place, at)? {
            Place::Slot(slot) => self.slot_address(slot, at),
            Place::At(address) => Some(address),
        }
    }

    pub(super) fn load(
        &mut self,
        place: ir::Place,
        representation: Representation,
        at: &mut Position,
    ) -> Option<Value> {
        if representation == Representation::Boxed {
            return match self.operand(place) {
                Operand::Slot(slot) => match at.state.at(slot) {
                    SlotState::Borrowed { .. } if place == ir::Place::Result => {
                        self.translator.save(at, slot);
                        self.slot_address(slot, at)
                    }
                    SlotState::Borrowed { address, types } => {
                        self.found.types_at.insert(address, types);
                        Some(address)
                    }
                    _ => self.slot_address(slot, at),
                },
                Operand::Literal(literal) => {
                    let address = self.push(at, Operation::Literal(literal as u64))?;
                    self.found.literals.insert(address, literal);
                    Some(address)
                }
                _ => self.address(place, at),
            };
        }
        let of = Type::of(representation);
        match self.operand(place) {
            Operand::Slot(slot) if of != Type::Address => {
                match at.state.at(slot) {
                    SlotState::Memory { .. } => {
                        self.translator.load(at.block, &mut at.state, slot, of);
                    }
                    SlotState::Borrowed { address, .. } => {
                        self.translator.load_borrowed(slot, address, of, at);
                    }
                    SlotState::Held { .. } => {}
                }
                match at.state.at(slot) {
                    SlotState::Held { held, .. } => held.value(),
                    SlotState::Memory { .. } | SlotState::Borrowed { .. } => None,
                }
            }
            Operand::Literal(literal) => self.load_literal(literal, of, at),
            Operand::None if of == Type::Address && self.is_this(place) => {
                self.load_this(place, at)
            }
            _ => {
                if let ir::Place::At(address) = place
                    && let Some(literal) = self.found.literals.get(&self.value(address)).copied()
                {
                    return self.load_literal(literal, of, at);
                }
                let place = self.memory(place, at)?;
                self.push(at, Operation::Load(place, of))
            }
        }
    }
}
