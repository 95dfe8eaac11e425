//! Clauses: their parameters, and that each is reached.

use std::collections::BTreeSet;

use vm_def::grammar::{OperandKind, SpecOption};
use vm_def::types::TypeMask;

use crate::diagnostics::Diagnostics;
use crate::model::{FastClause, Opcode};
use crate::plan::Plan;

pub(super) fn check_clauses(opcode: &Opcode, plan: &Plan, diagnostics: &mut Diagnostics) {
    let mut names = BTreeSet::new();
    for (position, clause) in opcode.fast.iter().enumerate() {
        if let Some(name) = &clause.name
            && !names.insert(&name.value)
        {
            diagnostics.report(
                &name.location,
                format!("two fast clauses are named `{}`", name.value),
                "here again",
            );
        }
        check_parameters(opcode, clause, diagnostics);
        let is_taken = plan
            .generic(&opcode.name.value)
            .any(|planned| planned.variant.takes_clause(opcode, position));
        if !is_taken && !diagnostics.has_on_line(&clause.location) {
            diagnostics.report(
                &clause.location,
                "a clause that no specialisation takes",
                "its kinds are not those of the operands",
            );
        }
    }
    check_reached(opcode, plan, diagnostics);
}

fn check_parameters(opcode: &Opcode, clause: &FastClause, diagnostics: &mut Diagnostics) {
    let operands = [
        (Some(&opcode.op1), "op1"),
        (Some(&opcode.op2), "op2"),
        (opcode.data.as_ref(), "data"),
    ];
    if let Some(parameter) = clause.parameters.get(operands.len()) {
        diagnostics.report(
            &parameter.name.location,
            "a clause with more than three parameters",
            "they stand for op1, op2 and data",
        );
    }
    for (parameter, (operand, name)) in clause.parameters.iter().zip(operands) {
        if parameter.name.value.is_empty() {
            continue;
        }
        let fits = operand
            .is_some_and(|operand| operand.may_be_value() && !operand.has_kind(OperandKind::Any));
        if !fits {
            let label = match operand {
                None => format!("there is no {name}"),
                Some(operand) => {
                    let what = if operand.may_be_value() {
                        "may be"
                    } else {
                        "is"
                    };
                    format!("{name} {what} UNUSED({})", operand.meaning.word())
                }
            };
            diagnostics.report(
                &parameter.name.location,
                format!("parameter `{}` does not fit {name}", parameter.name.value),
                label,
            );
        }
        if fits && name == "data" && !opcode.has_spec(SpecOption::OpData) {
            diagnostics.report(
                &parameter.name.location,
                format!("parameter `{}` is of any kind", parameter.name.value),
                "nobody would give the data back: needs `spec: OP_DATA;`",
            );
        }
        if parameter.types == TypeMask::NONE && !diagnostics.has_on_line(&parameter.name.location) {
            diagnostics.report(
                &parameter.name.location,
                format!("parameter `{}` has no type", parameter.name.value),
                "name at least one",
            );
        }
    }
}

/// In no specialisation may a clause stand behind one that always applies, nor may the last one leave
/// something over if there is no slow path.
fn check_reached(opcode: &Opcode, plan: &Plan, diagnostics: &mut Diagnostics) {
    let goes_on = opcode.slow.is_some();
    for planned in plan.generic(&opcode.name.value) {
        let applying: Vec<&FastClause> = opcode
            .fast
            .iter()
            .enumerate()
            .filter(|(position, clause)| {
                !clause.compound && !clause.typed && planned.variant.takes_clause(opcode, *position)
            })
            .map(|(_, clause)| clause)
            .collect();
        if applying.len() != planned.lowering.clauses.len() {
            continue;
        }
        let mut reaches = true;
        for (clause, lowered) in applying.iter().zip(&planned.lowering.clauses) {
            if !reaches && !clause.middle {
                diagnostics.report(
                    &clause.location,
                    "a fast clause that is never reached",
                    "the clause before it always applies",
                );
            }
            reaches &= lowered.may_exit();
        }
        if let (Some(last), true, false) = (applying.last(), reaches, goes_on) {
            let diagnostic = diagnostics.report(
                &last.location,
                "the slow path is missing",
                "this clause may not apply",
            );
            diagnostic.note("add `slow …;`, or a clause that takes everything");
        }
    }
}
