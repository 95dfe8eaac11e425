//! Work in vain: what only computes for variables that nobody reads is left out.
//!
//! Such a variable becomes null instead: the assignment still gives up what was there before, once.

use vm_def::ir::Intrinsic;
use vm_def::types::TypeMask;
use vm_runtime::generated::Opcode;
use vm_runtime::op::{IS_CV, IS_UNUSED};
use vm_runtime::value::Zval;

use super::body::KIND;
use super::state::{SlotState, State, UNKNOWN};
use super::unread::{KEY, SCALAR, Use, assigned_at, computes};
use super::{Code, Operand, Position, Translator};
use crate::graph::{Arguments, Held, Operation, Place, Released, Slot, SnapshotId, Type};

/// What elements can be assigned to, and what that is made of without a word.
const FILLABLE: TypeMask = TypeMask(EMPTY.0 | TypeMask::ARRAY.0);
/// What an array is made of where an element is assigned to.
const EMPTY: TypeMask = TypeMask(TypeMask::UNDEF.0 | TypeMask::NULL.0);

/// Whether an opline assigns to a variable, and what is done with that.
fn assigned(code: &Code<'_>, number: u32) -> Option<Use> {
    let op = code.op(number);
    let is_plain = op.opcode == Opcode::ASSIGN as u8
        && op.op1_type == IS_CV
        && op.result_type & KIND == IS_UNUSED;
    match code.op1(number) {
        Operand::Slot(variable) if is_plain => Some(code.use_of(variable, number)),
        _ => None,
    }
}

/// Whether an opline is likely to assign to a variable that nobody reads: compiled code leaves null there, whatever was
/// seen.
pub fn is_in_vain(code: &Code<'_>, number: u32) -> bool {
    let Some(of) = assigned(code, number) else {
        return false;
    };
    let types = match code.op2(number) {
        Operand::None => TypeMask::NONE,
        Operand::Literal(literal) => Code::literal_types(literal),
        Operand::Slot(slot) => code.seen(number, slot),
    };
    is_nothing(of, types)
}

/// What stands for op2 of an opline that assigns to a variable that nobody reads, if it need not be looked at.
pub fn stand_in(code: &Code<'_>, state: &State, number: u32) -> Option<*const Zval> {
    let taken = match assigned(code, number)? {
        Use::Read => return None,
        Use::Assigned => TypeMask(TypeMask::ANY.0 & !TypeMask::UNDEF.0),
        Use::Filled => TypeMask(TypeMask::NULL.0 | TypeMask::ARRAY.0),
    };
    let fits = match code.op2(number) {
        Operand::None => false,
        Operand::Literal(literal) => Code::literal_types(literal).is_subset_of(taken),
        Operand::Slot(slot) => {
            let value = state.at(slot);
            value.types().is_subset_of(taken) && is_free(code, value, slot, number)
        }
    };
    let null: &'static Zval = &Zval::NULL;
    fits.then_some(null as *const Zval)
}

/// Whether nobody notices that a value is not kept: nothing is destroyed earlier for it, nor has to be given back.
fn is_free(code: &Code<'_>, value: SlotState, slot: Slot, number: u32) -> bool {
    let is_plain = value.types().is_subset_of(SCALAR) && !code.is_temporary(slot, number);
    value.is_uncounted() || is_plain
}

/// What nobody reads is null where ways meet: values would make versions of what follows.
pub fn forget(code: &Code<'_>, state: &mut State, opline: u32) {
    let is_held = |state| matches!(state, SlotState::Held { held, .. } if !matches!(held, Held::Null | Held::Undef));
    for slot in state.such(is_held) {
        if is_nothing(code.use_of(slot, opline), state.at(slot).types()) {
            state.set(slot, nothing());
        }
    }
}

/// Whether it makes no difference that a variable of these types is null, given what is done with it.
pub fn is_nothing(of: Use, types: TypeMask) -> bool {
    match of {
        Use::Read => false,
        Use::Assigned => true,
        Use::Filled => types.is_subset_of(FILLABLE),
    }
}

/// What a variable holds that nobody reads.
pub fn nothing() -> SlotState {
    let held = Held::Null;
    SlotState::Held { held, dirty: true }
}

/// Leaves out the opline that is next, and others, if all they do is compute what nobody reads. Gives where to go on.
pub fn leave_out(translator: &mut Translator<'_>, at: &mut Position) -> Option<u32> {
    let code = translator.request.code;
    if !code.has_unread(at.opline) {
        return None;
    }
    assignment(code, at)
        .or_else(|| element(translator, at))
        .or_else(|| computation(translator, at))
}

/// An assignment to a variable that nobody reads, where there is nothing to be given up.
fn assignment(code: &Code<'_>, at: &mut Position) -> Option<u32> {
    let Operand::Slot(variable) = code.op1(at.opline) else {
        return None;
    };
    stand_in(code, &at.state, at.opline)?;
    if !at.state.at(variable).is_uncounted() {
        return None;
    }
    at.state.set(variable, nothing());
    Some(code.following(at.opline))
}

/// An assignment to an element of a variable that nobody reads.
fn element(translator: &mut Translator<'_>, at: &mut Position) -> Option<u32> {
    let code = translator.request.code;
    let op = code.op(at.opline);
    let is_plain = op.opcode == Opcode::ASSIGN_DIM as u8
        && op.op1_type == IS_CV
        && op.result_type & KIND == IS_UNUSED;
    let Operand::Slot(variable) = code.op1(at.opline) else {
        return None;
    };
    if !is_plain || code.is_weak(at.opline) || code.use_of(variable, at.opline) != Use::Filled {
        return None;
    }
    let mut tests = Tests::default();
    tests.fill(code, at, variable)?;
    for (operand, taken) in [(code.op2(at.opline), KEY), (code.data(at.opline), SCALAR)] {
        match operand {
            Operand::Slot(slot) => tests.take(translator, at, at.opline, (slot, taken))?,
            // An element may be anything that needs no share.
            Operand::Literal(literal) if taken == KEY => {
                Code::literal_types(literal)
                    .is_subset_of(KEY)
                    .then_some(())?;
            }
            Operand::Literal(_) => {}
            Operand::None => return None,
        }
    }
    let next = code.following(at.opline);
    tests.make(translator, at, next);
    Some(next)
}

/// Oplines that only compute something for such an assignment.
fn computation(translator: &mut Translator<'_>, at: &mut Position) -> Option<u32> {
    let code = translator.request.code;
    if code.is_weak(at.opline) {
        return None;
    }
    let (ops, first) = code.local_ops(at.opline);
    let end = assigned_at(ops, first)?;
    let end = at.opline + (end - first);
    let mut tests = Tests::default();
    if code.op(end).opcode == Opcode::ASSIGN_DIM as u8
        && let Operand::Slot(variable) = code.op1(end)
    {
        tests.fill(code, at, variable)?;
    }
    let mut result = None;
    for number in at.opline..end {
        if number > at.opline && code.is_leader(number) {
            return None;
        }
        let choices = computes(code.op(number), Some(code.op(number + 1)));
        let operands = [code.op1(number), code.op2(number)];
        let chosen = choices.into_iter().find_map(|taken| {
            let mut tests = tests.clone();
            for (operand, taken) in operands.into_iter().zip(taken) {
                match operand {
                    Operand::Slot(slot) if Some(slot) != result => {
                        tests.take(translator, at, number, (slot, taken))?;
                    }
                    Operand::Literal(literal) => {
                        Code::literal_types(literal)
                            .is_subset_of(taken)
                            .then_some(())?;
                    }
                    _ => {}
                }
            }
            Some(tests)
        });
        tests = chosen?;
        let Operand::Slot(slot) = code.result(number) else {
            return None;
        };
        result = Some(slot);
    }
    let result = result?;
    let is_assigned = code.is_fused(end - 1);
    if is_assigned && !at.state.at(result).is_uncounted() {
        return None;
    }
    let next = end + u32::from(is_assigned);
    tests.make(translator, at, next);
    at.state.set(result, nothing());
    Some(next)
}

/// What only stands for something elsewhere and would have been taken by the oplines that are left out, up to the next
/// one, is forgotten: a copy of it would be nobody's.
fn forget_borrowed(code: &Code<'_>, at: &mut Position, next: u32) {
    for slot in at.state.such(SlotState::is_borrowed) {
        if !code.is_live(slot, next) {
            at.state.set(slot, UNKNOWN);
        }
    }
}

/// What must be tested for operands to be of certain types.
#[derive(Clone, Debug, Default)]
struct Tests {
    types: Vec<(Slot, TypeMask)>,
    /// Variables with arrays that are given up: elements were assigned to them before this code was entered.
    given_up: Vec<Slot>,
}

impl Tests {
    /// Assigning to elements of a variable must do nothing else: elements of an array that is there may be references,
    /// or the last to hold what has a destructor. None if it does more, as where it uses up memory, which is what ends a
    /// loop that nothing else does.
    fn fill(&mut self, code: &Code<'_>, at: &Position, variable: Slot) -> Option<()> {
        if code.is_endless(at.opline) {
            return None;
        }
        let state = at.state.at(variable);
        // An array that needs no share is a literal.
        if state.is_uncounted() && state.types().is_subset_of(FILLABLE) {
            return Some(());
        }
        let likely = TypeMask(code.seen(at.opline, variable).0 & state.types().0);
        if likely == TypeMask::NONE || !matches!(state, SlotState::Memory { .. }) {
            return None;
        }
        if likely == TypeMask::ARRAY {
            self.types.push((variable, TypeMask::ARRAY));
            self.given_up.push(variable);
            return Some(());
        }
        likely
            .is_subset_of(EMPTY)
            .then(|| self.types.push((variable, EMPTY)))
    }

    /// An operand must be of certain types. None if it is not likely to be, or would have to be given back.
    fn take(
        &mut self,
        translator: &Translator<'_>,
        at: &Position,
        number: u32,
        (slot, taken): (Slot, TypeMask),
    ) -> Option<()> {
        let code = translator.request.code;
        let state = at.state.at(slot);
        let is_temporary = code.is_temporary(slot, at.opline);
        if is_temporary && !state.is_uncounted() && !state.is_borrowed() {
            return None;
        }
        if state.types().is_subset_of(taken) {
            return Some(());
        }
        let likely = TypeMask(code.seen(number, slot).0 & state.types().0);
        let is_likely = likely != TypeMask::NONE && likely.is_subset_of(taken);
        let is_in_memory = matches!(state, SlotState::Memory { .. });
        (is_likely && is_in_memory).then(|| self.types.push((slot, likely)))
    }

    /// Leaves unless all are what they must be. Else the code goes on at `next`.
    fn make(self, translator: &mut Translator<'_>, at: &mut Position, next: u32) {
        let code = translator.request.code;
        if self.types.is_empty() {
            forget_borrowed(code, at, next);
            return;
        }
        let exit = translator.snapshot(&at.state, at.opline);
        for (slot, types) in self.types {
            let guard = Operation::GuardType(Place::Slot(slot), types, exit);
            translator.push(at.block, guard);
            let uncounted = at.state.at(slot).is_uncounted();
            at.state.set(slot, SlotState::Memory { types, uncounted });
        }
        for &slot in &self.given_up {
            holds_scalars(translator, at, slot, exit);
        }
        // Before what is given up has copies made of it.
        forget_borrowed(code, at, next);
        for slot in self.given_up {
            give_up(translator, at, slot);
        }
    }
}

/// Leaves if an array in a variable has elements that are no scalars.
fn holds_scalars(translator: &mut Translator<'_>, at: &Position, slot: Slot, exit: SnapshotId) {
    let array = Operation::Load(Place::Slot(slot), Type::Address);
    let test = translator
        .push(at.block, array)
        .and_then(|array| Arguments::new(&[array]))
        .and_then(|given| {
            let test = Operation::Intrinsic(Intrinsic::HoldsScalars, given);
            translator.push(at.block, test)
        });
    if let Some(test) = test {
        translator.push(at.block, Operation::Guard(test, exit));
    }
}

/// Gives up an array of scalars, for which nothing runs.
fn give_up(translator: &mut Translator<'_>, at: &mut Position, slot: Slot) {
    translator.settle(at.block, &mut at.state);
    let place = Place::Slot(slot);
    translator.push(at.block, Operation::Release(place, Released::Shared));
    translator.push(at.block, Operation::Store(place, Held::Null));
    let (held, dirty) = (Held::Null, false);
    at.state.set(slot, SlotState::Held { held, dirty });
}
