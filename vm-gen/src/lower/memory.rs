//! Pointers, fields and slots.

use vm_def::ir::{
    BinaryOperation, Field, FieldKind, Operation, Place, Reason, Representation, Sequence,
    Structure, UnaryOperation, Value,
};
use vm_def::types::TypeMask;

use super::{Lowerer, State, Typed};
use crate::diagnostics::Location;
use crate::suggest::suggestion;

/// The payloads that values of a type point to.
const PAYLOADS: &[(TypeMask, Structure)] = &[
    (TypeMask::STRING, Structure::String),
    (TypeMask::ARRAY, Structure::Array),
    (TypeMask::OBJECT, Structure::Object),
    (TypeMask::REFERENCE, Structure::Reference),
];

impl Lowerer<'_> {
    /// The types that a value may have here.
    pub(super) fn shown(state: &State, types: TypeMask, place: Place) -> TypeMask {
        let shown = state.shown.get(&place).copied().unwrap_or(TypeMask::ANY);
        TypeMask(types.0 & shown.0)
    }

    /// Leaves the clause unless the slot's type is in the set.
    pub(super) fn guard_type(&mut self, state: &mut State, place: Place, types: TypeMask) {
        if types == TypeMask::ANY {
            return;
        }
        self.builder.push(state, Operation::GuardType(place, types));
        let shown = state.shown.entry(place).or_insert(TypeMask::ANY);
        *shown = TypeMask(shown.0 & types.0);
    }

    /// The payload of a borrowed value whose type is known to have one.
    pub(super) fn payload(
        &mut self,
        state: &State,
        types: TypeMask,
        place: Place,
    ) -> Option<(Structure, Value)> {
        let types = Self::shown(state, types, place);
        let (_, structure) = PAYLOADS
            .iter()
            .find(|(payload, _)| types != TypeMask::NONE && types.is_subset_of(*payload))?;
        let load = Operation::Load(place, Representation::Pointer);
        Some((*structure, self.builder.define(state, load)))
    }

    /// The address of a value.
    pub(super) fn address(&mut self, state: &State, place: Place) -> Value {
        match place {
            Place::At(value) => value,
            place => {
                let load = Operation::Load(place, Representation::Boxed);
                self.builder.define(state, load)
            }
        }
    }

    /// The structure that an expression leads to: a pointer, the payload of a value, or, for its
    /// own fields, the slot of a value.
    fn base(
        &mut self,
        state: &State,
        location: &Location,
        base: Option<Typed>,
        has: impl Fn(Structure) -> bool,
    ) -> Option<(Structure, Value)> {
        let found = match base {
            Some(Typed::Pointer(structure, value)) => Some((structure, value)),
            Some(Typed::Boxed(_, place)) if has(Structure::Slot) => {
                Some((Structure::Slot, self.address(state, place)))
            }
            Some(Typed::Boxed(types, place)) => self.payload(state, types, place),
            _ => None,
        };
        if found.is_none() {
            self.mismatch(location, "a pointer to a structure", base);
        }
        found
    }

    fn find_field(
        &mut self,
        state: &State,
        location: &Location,
        base: Option<Typed>,
        name: &str,
    ) -> Option<(Field, Value)> {
        let has = |structure| Field::find(structure, name).is_some();
        let (structure, value) = self.base(state, location, base, has)?;
        let field = Field::find(structure, name);
        if field.is_none() {
            let known: Vec<&str> = vm_def::ir::layout::FIELDS
                .iter()
                .filter(|facts| facts.structure == structure)
                .map(|facts| facts.name)
                .collect();
            let diagnostic = self.diagnostics.report(
                location,
                format!("{} has no field `{name}`", structure.name()),
                "not in the table of fields",
            );
            diagnostic.note(suggestion(name, &known));
        }
        Some((field?, value))
    }

    /// `base.name`
    pub(super) fn field(
        &mut self,
        state: &State,
        location: &Location,
        base: Option<Typed>,
        name: &str,
    ) -> Option<Typed> {
        let (field, base) = self.find_field(state, location, base, name)?;
        let value = self
            .builder
            .define(state, Operation::LoadField(field, base));
        Some(match field.facts().kind {
            FieldKind::Pointer(Structure::Slot) => Typed::Pointer(Structure::Slot, value),
            FieldKind::Pointer(structure) => Typed::Pointer(structure, value),
            FieldKind::Value => Typed::Boxed(TypeMask::ANY, Place::At(value)),
            kind => Typed::Unboxed(kind.representation(), value),
        })
    }

    /// `base.name = value;`
    pub(super) fn assign_field(
        &mut self,
        state: &mut State,
        location: &Location,
        base: Option<Typed>,
        name: &str,
        value: Option<Typed>,
    ) {
        let Some((field, base)) = self.find_field(state, location, base, name) else {
            return;
        };
        let representation = field.facts().kind.representation();
        let Some(value) = self.expect(location, value, representation) else {
            return;
        };
        self.builder
            .push(state, Operation::StoreField(field, base, value));
        state.written = true;
    }

    /// `base.name(index)`
    pub(super) fn element(
        &mut self,
        state: &State,
        location: &Location,
        base: Option<Typed>,
        name: &str,
        index: Option<Typed>,
    ) -> Option<Typed> {
        let has = |structure| Sequence::find(structure, name).is_some();
        let (structure, base) = self.base(state, location, base, has)?;
        let Some(sequence) = Sequence::find(structure, name) else {
            let known: Vec<&str> = vm_def::ir::layout::SEQUENCES
                .iter()
                .filter(|facts| facts.structure == structure)
                .map(|facts| facts.name)
                .collect();
            let diagnostic = self.diagnostics.report(
                location,
                format!("{} has no elements `{name}`", structure.name()),
                "not in the table of sequences",
            );
            diagnostic.note(suggestion(name, &known));
            return None;
        };
        let index = self.expect(location, index, Representation::Long)?;
        let operation = Operation::Element(sequence, base, index);
        let value = self.builder.define(state, operation);
        Some(match sequence.facts().element {
            Some(element) => Typed::Pointer(element, value),
            None => Typed::Boxed(TypeMask::ANY, Place::At(value)),
        })
    }

    /// `value as Structure`
    pub(super) fn cast(
        &mut self,
        state: &State,
        location: &Location,
        typed: Option<Typed>,
        structure: Structure,
    ) -> Option<Typed> {
        match typed {
            Some(Typed::Unboxed(Representation::Long, value)) => {
                let cast = Operation::Unary(UnaryOperation::LongToPointer, value);
                let value = self.builder.define(state, cast);
                Some(Typed::Pointer(structure, value))
            }
            Some(Typed::Pointer(_, value)) => Some(Typed::Pointer(structure, value)),
            Some(Typed::Boxed(_, place)) if structure == Structure::Slot => {
                Some(Typed::Pointer(structure, self.address(state, place)))
            }
            // What no value of PHP's types shows: the class in `this`, say.
            Some(Typed::Boxed(_, place)) if structure == Structure::Header => {
                let load = Operation::Load(place, Representation::Pointer);
                Some(Typed::Pointer(structure, self.builder.define(state, load)))
            }
            Some(Typed::Boxed(types, place)) => {
                let payload = self.payload(state, types, place);
                match payload {
                    Some((found, value)) if found == structure => {
                        Some(Typed::Pointer(structure, value))
                    }
                    _ => {
                        self.mismatch(location, structure.name(), typed);
                        None
                    }
                }
            }
            _ => {
                self.mismatch(location, structure.name(), typed);
                None
            }
        }
    }

    /// A slot that an expression stands for, to be written or given back.
    pub(super) fn slot(&mut self, location: &Location, typed: Option<Typed>) -> Option<Place> {
        match typed {
            Some(Typed::Boxed(_, place)) => Some(place),
            Some(Typed::Pointer(Structure::Slot, value)) => Some(Place::At(value)),
            _ => {
                self.mismatch(location, "a slot", typed);
                None
            }
        }
    }

    /// Writes a value into a slot.
    pub(super) fn store(&mut self, state: &mut State, place: Place, typed: Typed) {
        let operation = match typed {
            Typed::Unboxed(representation, value) => Operation::Store(place, representation, value),
            Typed::Boxed(_, source) => {
                let value = self.address(state, source);
                Operation::Store(place, Representation::Boxed, value)
            }
            Typed::Taken(source) => {
                let value = self.address(state, source);
                Operation::Move(place, value)
            }
            Typed::Made(word, value) => Operation::StoreTyped(place, word, value),
            Typed::SharedString(value) => Operation::StoreString(place, value),
            Typed::Null => Operation::StoreNull(place),
            Typed::Undef => Operation::StoreUndef(place),
            Typed::Known(known) => {
                let value = self.builder.define(state, Operation::ConstantBool(known));
                Operation::Store(place, Representation::Bool, value)
            }
            // What a pointer becomes as a value has to be said.
            Typed::Pointer(..) => return,
        };
        self.builder.push(state, operation);
        state.written = true;
    }

    /// Leaves the clause unless the value is true.
    pub(super) fn guard(&mut self, state: &State, value: Value, reason: Reason) {
        self.builder.push(state, Operation::Guard(value, reason));
    }

    /// `flags & bits != 0` of a slot's type word.
    pub(super) fn is_counted(&mut self, state: &State, place: Place) -> Value {
        const REFCOUNTED: i64 = 1 << 8;
        let word = self.builder.define(state, Operation::TypeWord(place));
        let bit = self
            .builder
            .define(state, Operation::ConstantLong(REFCOUNTED));
        let and = Operation::Binary(BinaryOperation::AndLong, word, bit);
        let masked = self.builder.define(state, and);
        let zero = self.builder.define(state, Operation::ConstantLong(0));
        let test = Operation::Binary(BinaryOperation::NeLong, masked, zero);
        self.builder.define(state, test)
    }
}
