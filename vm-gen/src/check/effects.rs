//! Effects: what a slow path says it does not do, against what the opcode does.
//!
//! A slow path does whatever the clauses in front of it left over, and machine code may take it in their
//! place. So it cannot do less than they do.

use vm_def::ir::{Clause, IntrinsicEffect, Operation, Place};
use vm_def::types::TypeMask;

use crate::diagnostics::Diagnostics;
use crate::model::{Access, FastClause, Opcode, SlowForm};
use crate::plan::Plan;

pub(super) fn check(opcode: &Opcode, plan: &Plan, diagnostics: &mut Diagnostics) {
    check_read(opcode, plan, diagnostics);
    let Some(slow) = &opcode.slow else { return };
    let Some(class) = &slow.class else { return };
    let name = &opcode.name.value;
    let word = class.value.word();
    // What the generated code around a function on values does.
    if slow.form != SlowForm::Handler {
        let diagnostic = diagnostics.report(
            &class.location,
            format!("the slow path of `{name}` is `{word}`, but its operands are not"),
            "fetching an undefined variable warns, freeing an object destroys it",
        );
        diagnostic.note("both may run code of the script; only a `slow handler` can promise more");
        return;
    }
    let Some((clause, reason)) = reentering(opcode, plan) else {
        return;
    };
    let place = clause.map_or_else(String::new, |clause| {
        format!("the clause in line {}: ", clause.location.line())
    });
    let diagnostic = diagnostics.report(
        &class.location,
        format!("the slow path of `{name}` is `{word}`, but a clause may run code of the script"),
        format!("{place}{reason}"),
    );
    diagnostic.note("the slow path does what the clauses leave over: it does no less than they");
}

/// What is said to be read must not be assigned to.
fn check_read(opcode: &Opcode, plan: &Plan, diagnostics: &mut Diagnostics) {
    for (operand, place) in [(&opcode.op1, Place::Op1), (&opcode.op2, Place::Op2)] {
        let mut clauses = plan.clauses(&opcode.name.value);
        if operand.access == Some(Access::Read) && clauses.any(|clause| clause.writes(place)) {
            diagnostics.report(
                &operand.location,
                format!(
                    "an operand of `{}` is `read`, but a clause writes to it",
                    opcode.name.value
                ),
                "remove `read`, or the assignment",
            );
        }
    }
}

/// A clause that may run code of the script, if it can be told which, and what in it does.
fn reentering<'a>(opcode: &'a Opcode, plan: &Plan) -> Option<(Option<&'a FastClause>, String)> {
    plan.generic(&opcode.name.value).find_map(|planned| {
        let takes = |position| planned.variant.takes_clause(opcode, position);
        let own = opcode.fast.iter().enumerate();
        let mut own: Vec<&FastClause> = own
            .filter(|(position, clause)| !clause.compound && !clause.typed && takes(*position))
            .map(|(_, clause)| clause)
            .collect();
        own.sort_by_key(|clause| clause.middle);
        let lowered = &planned.lowering.clauses;
        let is_told = own.len() == lowered.len();
        let mut clauses = lowered.iter().enumerate();
        clauses.find_map(|(position, clause)| {
            let own = own.get(position).copied().filter(|_| is_told);
            Some((own, reason(clause)?))
        })
    })
}

/// Whether what stands behind an operand is known to be nothing whose end the script would see.
fn is_harmless(clause: &Clause, operand: Place) -> bool {
    const HARMLESS: TypeMask = TypeMask(
        TypeMask::NULL.0
            | TypeMask::BOOL.0
            | TypeMask::LONG.0
            | TypeMask::DOUBLE.0
            | TypeMask::STRING.0,
    );
    let mut instructions = clause.instructions();
    let behind = instructions.find(|it| it.operation == Operation::Deref(operand));
    let Some(behind) = behind.and_then(|it| it.output).map(Place::At) else {
        return false;
    };
    clause.instructions().any(|instruction| {
        matches!(instruction.operation, Operation::GuardType(place, types)
            if place == behind && types.is_subset_of(HARMLESS))
    })
}

/// What in a clause may run code of the script.
fn reason(clause: &Clause) -> Option<String> {
    clause
        .instructions()
        .find_map(|instruction| match &instruction.operation {
            Operation::Release(_) => Some("it releases a value".to_owned()),
            Operation::Free(place) if !is_harmless(clause, *place) => {
                Some("it frees an operand that may be destroyed".to_owned())
            }
            Operation::Intrinsic(intrinsic, _)
                if intrinsic.effect() == IntrinsicEffect::Reenters =>
            {
                Some(format!("it calls `{}`", intrinsic.name()))
            }
            _ => None,
        })
}
