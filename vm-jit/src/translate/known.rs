//! Operands whose value is known, and oplines whose outcome depends on nothing else: they are executed now.

use vm_runtime::generated::Opcode;
use vm_runtime::interpreter::string_offsets::byte_at;
use vm_runtime::operators::{concat, to_double, to_long};
use vm_runtime::string::single_byte;
use vm_runtime::value::{
    ARRAY, DOUBLE, FALSE, LONG, NULL, REFCOUNTED, STRING, TRUE, Zval, release,
};
use vm_runtime::vm::Vm;

use super::state::SlotState;
use super::{Code, Operand, Position, Translator};
use crate::graph::{Held, Operation};

/// The opline's outcome, if that is known: it is noted. Gives where to go on.
pub fn execute(translator: &mut Translator<'_>, at: &mut Position) -> Option<u32> {
    let code = translator.request.code;
    let op = code.op(at.opline);
    let opcode = Opcode::from_number(op.opcode)?;
    if !matches!(
        opcode,
        Opcode::CAST | Opcode::CONCAT | Opcode::FAST_CONCAT | Opcode::FETCH_DIM_R
    ) {
        return None;
    }
    let Operand::Slot(result) = code.result(at.opline) else {
        return None;
    };
    let left = value(translator, at, code.op1(at.opline))?;
    let vm = vm(translator)?;
    let mut outcome = Zval::UNDEF;
    match opcode {
        // Neither warns of a text that is no number.
        Opcode::CAST if left.kind() <= STRING && op.extended_value == u32::from(LONG) => {
            outcome = Zval::from_long(to_long(vm, &left));
        }
        Opcode::CAST if left.kind() <= STRING && op.extended_value == u32::from(DOUBLE) => {
            outcome = Zval::from_double(to_double(vm, &left));
        }
        Opcode::CONCAT | Opcode::FAST_CONCAT => {
            let right = value(translator, at, code.op2(at.opline))?;
            // How floats are written is a setting, and arrays give a warning.
            let is_plain = |value: &Zval| value.kind() <= STRING && !has_float(value);
            if !is_plain(&left) || !is_plain(&right) {
                return None;
            }
            concat(vm, &mut outcome, &left, &right);
        }
        Opcode::FETCH_DIM_R if left.kind() == STRING => {
            let index = value(translator, at, code.op2(at.opline))?;
            if index.kind() != LONG {
                return None;
            }
            let byte = byte_at(left.as_bytes()?, index.long())?;
            outcome = Zval::from_string(single_byte(byte));
        }
        _ => return None,
    }
    let held = held(translator, at, vm, outcome)?;
    at.state.set(result, SlotState::Held { held, dirty: true });
    Some(code.following(at.opline))
}

/// The VM, to execute something in it.
pub fn vm<'a>(translator: &Translator<'_>) -> Option<&'a mut Vm> {
    let vm = translator.request.vm as *mut Vm;
    // SAFETY: I1: the VM is live while its code is translated, on its own thread, and nothing else refers to it.
    unsafe { vm.as_mut() }
}

/// Whether a value is a float, or an array that may hold one.
pub fn has_float(value: &Zval) -> bool {
    match value.kind() {
        // SAFETY: I3: the payload of an array is live as long as the value.
        ARRAY => unsafe { &*value.array() }
            .iter()
            .any(|(_, element)| matches!(element.kind(), DOUBLE | ARRAY)),
        kind => kind == DOUBLE,
    }
}

/// What is held of an outcome, which is given up for a copy that is kept if it is no number. None if it is too
/// large for that.
pub fn held(
    translator: &mut Translator<'_>,
    at: &Position,
    vm: &mut Vm,
    outcome: Zval,
) -> Option<Held> {
    let kept = vm.names.copied_value(&outcome);
    // SAFETY: I3: the outcome is the caller's own, and not used any more.
    unsafe { release(&outcome) };
    let kept = kept?;
    let kept = translator.request.constants.keep(kept);
    literal(translator, at, kept)
}

/// The value of an operand that is known.
pub fn value(translator: &Translator<'_>, at: &Position, operand: Operand) -> Option<Zval> {
    let literal = match operand {
        Operand::None => return None,
        Operand::Literal(literal) => literal,
        Operand::Slot(slot) => match at.state.at(slot) {
            SlotState::Held { held, .. } => match held {
                Held::Long(value) => return translator.graph.long(value).map(Zval::from_long),
                Held::Double(value) => {
                    return translator.graph.double(value).map(Zval::from_double);
                }
                Held::Bool(value) => return translator.graph.truth(value).map(Zval::from_bool),
                Held::Null => return Some(Zval::NULL),
                Held::Constant(constant) => constant.address as *const Zval,
                Held::Undef | Held::Copied(_) => return None,
            },
            SlotState::Memory { .. } | SlotState::Borrowed { .. } => return None,
        },
    };
    // SAFETY: I4: the address is that of a literal of a live block, or of a constant of the unit.
    let value = unsafe { &*literal };
    (value.type_info & REFCOUNTED == 0 && value.kind() <= ARRAY).then(|| value.copy())
}

/// What is held of a value that is known.
fn literal(translator: &mut Translator<'_>, at: &Position, literal: *const Zval) -> Option<Held> {
    // SAFETY: the constants of the unit stay where they are.
    let value = unsafe { &*literal };
    Some(match value.kind() {
        NULL => Held::Null,
        FALSE | TRUE => {
            let value = Operation::Bool(value.kind() == TRUE);
            Held::Bool(translator.push(at.block, value)?)
        }
        LONG => Held::Long(translator.push(at.block, Operation::Long(value.long()))?),
        DOUBLE => {
            let bits = value.double().to_bits();
            Held::Double(translator.push(at.block, Operation::Double(bits))?)
        }
        _ => Held::Constant(Code::constant(literal)?),
    })
}
