//! What is said of results, against what the clauses write there.

use vm_def::ir::{Operation, Place, Representation};
use vm_def::types::TypeMask;

use crate::diagnostics::Diagnostics;
use crate::model::{Opcode, SlowForm};
use crate::plan::Plan;

pub(super) fn check(opcode: &Opcode, plan: &Plan, diagnostics: &mut Diagnostics) {
    let Some(result) = &opcode.result else { return };
    if result.small && !opcode.result_types().intersects(TypeMask::LONG) {
        diagnostics.report(
            &result.location,
            "a result that is `small`, but no integer",
            "remove `small`, or add `Long`",
        );
    }
    let Some(types) = result.types else { return };
    let slow = opcode.slow.as_ref();
    if slow.is_some_and(|slow| matches!(slow.form, SlowForm::Condition { .. })) {
        diagnostics.report(
            &result.location,
            "types of a result that the slow path tells",
            "what ends in `-> bool` gives a truth value: remove them",
        );
    }
    let clauses = plan.clauses(&opcode.name.value);
    let mut written = clauses
        .flat_map(|clause| clause.instructions())
        .filter_map(|instruction| written_type(&instruction.operation));
    if let Some(other) = written.find(|written| !types.intersects(*written)) {
        diagnostics.report(
            &result.location,
            format!(
                "the result of `{}` is {types}, but a clause writes {other}",
                opcode.name.value
            ),
            "the forward pass over the types of operands believes this",
        );
    }
}

/// The type that an operation writes to the result, if that is told by the operation.
fn written_type(operation: &Operation) -> Option<TypeMask> {
    match operation {
        Operation::Store(Place::Result, representation, _) => match representation {
            Representation::Long => Some(TypeMask::LONG),
            Representation::Double => Some(TypeMask::DOUBLE),
            Representation::Bool => Some(TypeMask::BOOL),
            Representation::Boxed | Representation::Pointer => None,
        },
        Operation::StoreNull(Place::Result) => Some(TypeMask::NULL),
        Operation::StoreString(Place::Result, _) => Some(TypeMask::STRING),
        _ => None,
    }
}
