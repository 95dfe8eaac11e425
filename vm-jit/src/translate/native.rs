//! Calls of native functions by their direct entries: no frame, no opline between preparing and making the call.
//!
//! That takes a function that is known, or a method of the class that the call has met, and arguments that are only
//! sent. They are put where nobody looks, behind the top of the VM stack, the object first, and stay whose they are.
//! What the entry leaves to the function itself is done by the interpreter, from where the call begins.

use vm_def::facts::{ResultPlace, kind_bits};
use vm_def::grammar::ExtendedMeaning;
use vm_def::ir::{BinaryOperation, Field, Intrinsic, Sequence, Structure, UnaryOperation};
use vm_def::types::TypeMask;
use vm_runtime::class::Class;
use vm_runtime::frame::HEADER_SLOTS;
use vm_runtime::function::{Function, flags, type_mask};
use vm_runtime::generated::Opcode;
use vm_runtime::op::{IS_CONST, IS_UNUSED};
use vm_runtime::value::{STRING, Zval, release};

use super::state::{SlotState, UNKNOWN};
use super::{Operand, Position, Translator, known, unread};
use crate::graph::{
    Arguments, Held, Operation, Place, Released, Slot, SnapshotId, Terminator, Type, Value,
};

/// Calls with more arguments are made with a frame.
const MOST_SENT: usize = 6;
/// What may be sent as it is.
const PLAIN: TypeMask = TypeMask(TypeMask::ANY.0 & !TypeMask::UNDEF.0 & !TypeMask::REFERENCE.0);
/// What is given back without running code of the script.
const HARMLESS: TypeMask = TypeMask(PLAIN.0 & !TypeMask::COUNTED.0 | TypeMask::STRING.0);

/// A call that needs no frame.
struct Direct {
    function: *const Function,
    /// The class of the object that a method is called on.
    class: Option<*const Class>,
    /// What is sent, in order: the object of a method, then its arguments.
    sent: Vec<Operand>,
    /// Where the result goes, if somebody wants it.
    result: Option<Slot>,
    /// The opline that makes the call.
    made: u32,
}

/// The call that begins at an opline, translated as a whole if it can be. Gives where to go on.
pub fn call(translator: &mut Translator<'_>, at: &mut Position) -> Option<u32> {
    let direct = find(translator, at.opline)?;
    if let Some(result) = direct.result
        && let Some(held) = outcome_of_known(translator, at, &direct)
    {
        at.state.set(result, SlotState::Held { held, dirty: true });
        return Some(translator.request.code.following(direct.made));
    }
    let arguments = accept(translator, at, &direct)?;
    make(translator, at, &direct, &arguments)
}

/// The direct call that begins at an opline.
fn find(translator: &Translator<'_>, number: u32) -> Option<Direct> {
    let code = translator.request.code;
    if code.is_weak(number) || code.prepares(number).is_some() {
        return None;
    }
    let op = code.op(number);
    let opcode = Opcode::from_number(op.opcode)?;
    let facts = opcode.facts();
    if facts.effects.opens_call {
        return match facts.result.place {
            // The word of the cache that it has is for a function by its name.
            ResultPlace::CacheSlots(1) => {
                let function = known_function(translator, number, op.result)?;
                sent_to(translator, number, function, None)
            }
            // Two words are for a class and its method by its name: that of an object, if it may be a variable.
            ResultPlace::CacheSlots(2)
                if op.op2_type == IS_CONST && facts.op1.kinds & kind_bits::CV != 0 =>
            {
                let class = cached(translator, number, op.result)?.cast();
                let word = op.result + size_of::<usize>() as u32;
                let method = known_function(translator, number, word)?;
                // SAFETY: I4: functions live.
                let is_static = unsafe { (*method).flags & flags::STATIC != 0 };
                let Operand::Slot(object) = code.op1(number) else {
                    return None;
                };
                let receiver = (!is_static).then_some((class, object));
                sent_to(translator, number, method, Some(receiver?))
            }
            _ => None,
        };
    }
    if !facts.extended_is(ExtendedMeaning::Frameless) {
        return None;
    }
    // What it calls takes what it has.
    let mut sent = Vec::new();
    for (takes, operand) in [
        (facts.op1.may_be_value(), code.op1(number)),
        (facts.op2.may_be_value(), code.op2(number)),
    ] {
        sent.extend(takes.then_some(operand));
    }
    if facts.data.is_some() {
        sent.push(code.data(number));
    }
    let function = known_function(translator, number, op.extended_value)?;
    let Operand::Slot(result) = code.result(number) else {
        return None;
    };
    Some(Direct {
        function,
        class: None,
        sent,
        result: Some(result),
        made: number,
    })
}

/// What a word of the runtime cache has found: it stays, and lives.
fn cached(translator: &Translator<'_>, number: u32, offset: u32) -> Option<*const u8> {
    let cache = translator.request.code.cache(number);
    if cache.is_null() {
        return None;
    }
    // SAFETY: I4: the offset is that of a word in the cache of this function's frames, which is live.
    let found = unsafe { cache.add(offset as usize).cast::<*const u8>().read() };
    (!found.is_null()).then_some(found)
}

/// The native function that a word of the runtime cache names, if it has a direct entry.
fn known_function(
    translator: &Translator<'_>,
    number: u32,
    offset: u32,
) -> Option<*const Function> {
    let function: *const Function = cached(translator, number, offset)?.cast();
    // SAFETY: I4: functions live.
    let known = unsafe { &*function };
    let is_plain = known.flags & (flags::DEPRECATED | flags::ABSTRACT) == 0;
    (known.direct.is_some() && is_plain).then_some(function)
}

/// The call that an opline prepares, if all between it and what makes the call sends values.
fn sent_to(
    translator: &Translator<'_>,
    number: u32,
    function: *const Function,
    receiver: Option<(*const Class, Slot)>,
) -> Option<Direct> {
    let code = translator.request.code;
    let count = code.op(number).extended_value as usize;
    // SAFETY: I4: functions live.
    let by_value = unsafe { (*function).quick_arguments == 0 };
    if count > MOST_SENT || !by_value {
        return None;
    }
    let mut sent = Vec::with_capacity(1 + count);
    sent.extend(receiver.map(|(_, object)| Operand::Slot(object)));
    let mut at = number + 1;
    for _ in 0..count {
        let op = code.op(at);
        let effects = Opcode::from_number(op.opcode)?.facts().effects;
        if !effects.sends_value || op.op2_type != IS_UNUSED || code.is_weak(at) {
            return None;
        }
        sent.push(code.op1(at));
        at += 1;
    }
    let effects = Opcode::from_number(code.op(at).opcode)?.facts().effects;
    let result = match code.result(at) {
        Operand::Slot(result) => Some(result),
        _ if outcome(function).is_subset_of(HARMLESS) => None,
        _ => return None,
    };
    let makes = effects.closes_call && effects.calls;
    let is_made = makes && !code.is_unseen(at) && !code.is_weak(at);
    is_made.then_some(Direct {
        function,
        class: receiver.map(|(class, _)| class),
        sent,
        result,
        made: at,
    })
}

/// What a call gives whose outcome depends on its arguments alone, which are known: it is made now.
fn outcome_of_known(
    translator: &mut Translator<'_>,
    at: &Position,
    direct: &Direct,
) -> Option<Held> {
    let vm = known::vm(translator)?;
    // SAFETY: I4: functions live.
    let function = unsafe { &*direct.function };
    if direct.class.is_some() || !vm.is_pure(function) {
        return None;
    }
    let sent = direct.sent.iter();
    let arguments: Option<Vec<Zval>> = sent
        .map(|operand| known::value(translator, at, *operand))
        .collect();
    let arguments = arguments?;
    let mut outcome = Zval::UNDEF;
    if !function.direct?(vm, &Zval::UNDEF, &arguments, &mut outcome) {
        return None;
    }
    let code = translator.request.code;
    let (ops, made) = code.local_ops(direct.made);
    let is_unread = code.has_unread(direct.made) && unread::is_unread(ops, made);
    // How floats are written is a setting.
    let may_write_float = outcome.kind() == STRING && arguments.iter().any(known::has_float);
    if is_unread || may_write_float {
        // SAFETY: I3: the outcome is this function's own, and not used any more.
        unsafe { release(&outcome) };
        return is_unread.then_some(Held::Null);
    }
    known::held(translator, at, vm, outcome)
}

/// What stands for an argument.
enum Argument {
    /// What is held outside of memory.
    Held(Held),
    /// The value at an address, which keeps it.
    At(Value),
    /// The same of a temporary, which is given back behind the call.
    Taken(Value),
}

/// The arguments, if all may be sent as they are.
fn accept(
    translator: &mut Translator<'_>,
    at: &mut Position,
    direct: &Direct,
) -> Option<Vec<Argument>> {
    let code = translator.request.code;
    // Nothing is tested before it is known that nothing stands in the way.
    for (number, &operand) in direct.sent.iter().enumerate() {
        let Operand::Slot(slot) = operand else {
            continue;
        };
        let state = at.state.at(slot);
        let stays = !code.is_temporary(slot, at.opline);
        let allowed = match stays || state.is_uncounted() || state.is_borrowed() {
            true if direct.class.is_some() && number == 0 => TypeMask::OBJECT,
            true => PLAIN,
            false => HARMLESS,
        };
        let known = state.types();
        let likely = TypeMask(code.seen(at.opline, slot).0 & known.0);
        let is_fine =
            known.is_subset_of(allowed) || likely != TypeMask::NONE && likely.is_subset_of(allowed);
        if !is_fine {
            return None;
        }
    }
    let exit = translator.snapshot(&at.state, at.opline);
    let mut arguments = Vec::with_capacity(direct.sent.len());
    let mut sent = direct.sent.iter();
    if let Some(class) = direct.class {
        arguments.push(receiver(translator, at, *sent.next()?, class, exit)?);
    }
    for operand in sent {
        arguments.push(argument(translator, at, *operand, exit)?);
    }
    Some(arguments)
}

/// The object that a method is called on, which has to be of the class that the call has met.
fn receiver(
    translator: &mut Translator<'_>,
    at: &mut Position,
    operand: Operand,
    class: *const Class,
    exit: SnapshotId,
) -> Option<Argument> {
    let Operand::Slot(slot) = operand else {
        return None;
    };
    let (place, address, known) = match at.state.at(slot) {
        SlotState::Borrowed { address, types } => (Place::At(address), address, types),
        SlotState::Memory { types, .. } => {
            let address = translator.push(at.block, Operation::SlotAddress(slot))?;
            (Place::Slot(slot), address, types)
        }
        SlotState::Held { .. } => return None,
    };
    if !known.is_subset_of(TypeMask::OBJECT) {
        translator.push(
            at.block,
            Operation::GuardType(place, TypeMask::OBJECT, exit),
        );
        if let state @ SlotState::Memory { uncounted, .. } = at.state.at(slot) {
            let types = TypeMask::OBJECT;
            debug_assert!(!state.is_uncounted(), "an object is counted");
            at.state.set(slot, SlotState::Memory { types, uncounted });
        }
    }
    let object = translator.push(at.block, Operation::Load(place, Type::Address))?;
    let field = Field::find(Structure::Object, "class")?;
    let met = translator.push(at.block, Operation::LoadField(field, object))?;
    let class = translator.push(at.block, Operation::Literal(class as u64))?;
    let is_it = Operation::Binary(BinaryOperation::EqPointer, met, class);
    let is_it = translator.push(at.block, is_it)?;
    translator.push(at.block, Operation::Guard(is_it, exit));
    Some(Argument::At(address))
}

fn argument(
    translator: &mut Translator<'_>,
    at: &mut Position,
    operand: Operand,
    exit: SnapshotId,
) -> Option<Argument> {
    let code = translator.request.code;
    let slot = match operand {
        Operand::None => return None,
        Operand::Literal(literal) => {
            let address = translator.push(at.block, Operation::Literal(literal as u64))?;
            return Some(Argument::At(address));
        }
        Operand::Slot(slot) => slot,
    };
    let stays = !code.is_temporary(slot, at.opline);
    if let SlotState::Memory { types: known, .. } = at.state.at(slot) {
        let likely = TypeMask(code.seen(at.opline, slot).0 & known.0);
        let of = Type::holding(likely);
        let allowed = match of {
            Some(of) => of.types(),
            None if stays => PLAIN,
            None => HARMLESS,
        };
        if !known.is_subset_of(allowed) {
            let guard = Operation::GuardType(Place::Slot(slot), allowed, exit);
            translator.push(at.block, guard);
            let types = TypeMask(known.0 & allowed.0);
            let uncounted = at.state.at(slot).is_uncounted();
            at.state.set(slot, SlotState::Memory { types, uncounted });
        }
        if let Some(of) = of {
            translator.load(at.block, &mut at.state, slot, of);
        }
    }
    Some(match at.state.at(slot) {
        SlotState::Held { held, .. } => Argument::Held(held),
        SlotState::Borrowed { address, types } => {
            if !types.is_subset_of(PLAIN) {
                let guard = Operation::GuardType(Place::At(address), PLAIN, exit);
                translator.push(at.block, guard);
            }
            Argument::At(address)
        }
        state @ SlotState::Memory { .. } => {
            let address = translator.push(at.block, Operation::SlotAddress(slot))?;
            match stays || state.is_uncounted() {
                true => Argument::At(address),
                false => Argument::Taken(address),
            }
        }
    })
}

/// Puts the arguments behind the top of the stack and calls the entry.
fn make(
    translator: &mut Translator<'_>,
    at: &mut Position,
    direct: &Direct,
    arguments: &[Argument],
) -> Option<u32> {
    let code = translator.request.code;
    let exit = translator.snapshot(&at.state, at.opline);
    let block = at.block;
    let vm = translator.push(block, Operation::Literal(translator.request.vm))?;
    let top = Field::find(Structure::Vm, "stack_top")?;
    let top = translator.push(block, Operation::LoadField(top, vm))?;
    let end = Field::find(Structure::Vm, "stack_end")?;
    let end = translator.push(block, Operation::LoadField(end, vm))?;
    let room = translator.push(block, Operation::Binary(BinaryOperation::SubLong, end, top))?;
    let needed = (HEADER_SLOTS as usize + arguments.len()) * size_of::<Zval>();
    let needed = translator.push(block, Operation::Long(needed as i64))?;
    let fits = Operation::Binary(BinaryOperation::GeLong, room, needed);
    let fits = translator.push(block, fits)?;
    translator.push(block, Operation::Guard(fits, exit));
    let behind = Operation::Unary(UnaryOperation::LongToPointer, top);
    let behind = translator.push(block, behind)?;
    let slots = Sequence::find(Structure::Frame, "slot")?;
    let mut places = Vec::with_capacity(arguments.len());
    for (number, argument) in arguments.iter().enumerate() {
        let number = translator.push(block, Operation::Long(number as i64))?;
        let place = translator.push(block, Operation::Element(slots, behind, number))?;
        places.push(place);
        let place = Place::At(place);
        let store = match argument {
            Argument::Held(held) => Operation::Store(place, *held),
            Argument::At(address) | Argument::Taken(address) => {
                Operation::Copy(place, *address, false)
            }
        };
        translator.push(block, store);
    }
    // For the line of what cannot go on.
    let frame = translator.push(block, code.frame(at.opline))?;
    let opline = Field::find(Structure::Frame, "opline")?;
    let address = translator.push(block, Operation::Literal(code.address(direct.made)))?;
    translator.push(block, Operation::StoreField(opline, frame, address));
    let function = translator.push(block, Operation::Literal(direct.function as u64))?;
    let count = translator.push(block, Operation::Long(arguments.len() as i64))?;
    let target = match direct.result {
        Some(slot) => Operation::SlotAddress(slot),
        // A result that nobody wants stands behind what was sent.
        None => Operation::Element(slots, behind, count),
    };
    let target = translator.push(block, target)?;
    let first = *places.first().unwrap_or(&target);
    let calls = match direct.class {
        Some(_) => Intrinsic::CallDirectMethod,
        None => Intrinsic::CallDirect,
    };
    let given = Arguments::new(&[vm, function, target, first, count])?;
    let done = translator.push(block, Operation::Intrinsic(calls, given))?;
    // No guard: one that leaves for no reason would have the call made twice.
    let graph = &mut translator.graph;
    let (behind, refused) = (graph.block(at.opline), graph.block(at.opline));
    graph.at_mut(block).terminator = Terminator::branch(done, behind, refused);
    graph.at_mut(refused).terminator = Terminator::Unseen(exit);
    at.block = behind;
    let block = behind;
    // The temporary's own slot may be that of the result.
    for (argument, place) in arguments.iter().zip(places) {
        if let Argument::Taken(_) = argument {
            let release = Operation::Release(Place::At(place), Released::Temporary);
            translator.push(block, release);
        }
    }
    // The call was to have the temporaries: a copy of what one stands for would be nobody's.
    for &operand in &direct.sent {
        if let Operand::Slot(slot) = operand
            && code.is_temporary(slot, at.opline)
            && !at.state.at(slot).is_uncounted()
        {
            at.state.set(slot, UNKNOWN);
        }
    }
    let types = outcome(direct.function);
    let uncounted = !types.intersects(TypeMask::COUNTED);
    if let Some(result) = direct.result {
        at.state.set(result, SlotState::Memory { types, uncounted });
    } else if !uncounted {
        let release = Operation::Release(Place::At(target), Released::Temporary);
        translator.push(block, release);
    }
    Some(code.following(direct.made))
}

/// The types that a native function gives: it keeps to what it declares.
fn outcome(function: *const Function) -> TypeMask {
    // SAFETY: I4: functions live.
    let declared = unsafe { (*function).return_type.as_ref() };
    match declared {
        Some(declared) if declared.classes.is_empty() => {
            if declared.mask == type_mask::VOID {
                return TypeMask::NULL;
            }
            match TypeMask(declared.mask & PLAIN.0) {
                TypeMask::NONE => PLAIN,
                types => types,
            }
        }
        _ => PLAIN,
    }
}
