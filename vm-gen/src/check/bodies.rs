//! Fast clauses and inline bodies.

use std::collections::BTreeSet;

use vm_def::grammar::OperandKind;
use vm_def::ir::Lowering;
use vm_def::types::TypeMask;

use crate::diagnostics::{Diagnostics, Location};
use crate::emit::handlers::variants;
use crate::inline::{self, Mistake, Surface};
use crate::model::{FastClause, Helper, InlineBody, Opcode};

pub(super) fn check_fast(opcode: &Opcode, lowering: &Lowering, diagnostics: &mut Diagnostics) {
    let mut names = BTreeSet::new();
    let mut reaches = true;
    for (clause, lowered) in opcode.fast.iter().zip(&lowering.clauses) {
        if let Some(name) = &clause.name
            && !names.insert(&name.value)
        {
            diagnostics.report(
                &name.location,
                format!("two fast clauses are named `{}`", name.value),
                "here again",
            );
        }
        if clause.parameters.len() > 2 {
            diagnostics.report(
                &clause.parameters[2].name.location,
                "a fast clause with more than two parameters",
                "the first stands for op1, the second for op2",
            );
        }
        for (parameter, (operand, name)) in clause
            .parameters
            .iter()
            .zip([(&opcode.op1, "op1"), (&opcode.op2, "op2")])
        {
            if !operand.may_be_value() || operand.has_kind(OperandKind::Any) {
                let what = if operand.may_be_value() {
                    "may be"
                } else {
                    "is"
                };
                diagnostics.report(
                    &parameter.name.location,
                    format!("parameter `{}` does not fit {name}", parameter.name.value),
                    format!("{name} {what} UNUSED({})", operand.meaning.word()),
                );
            }
            if parameter.types == TypeMask::NONE
                && !diagnostics.has_on_line(&parameter.name.location)
            {
                diagnostics.report(
                    &parameter.name.location,
                    format!("parameter `{}` has no type", parameter.name.value),
                    "name at least one",
                );
            }
        }
        if !reaches {
            diagnostics.report(
                &clause.location,
                "a fast clause that is never reached",
                "the clause before it always applies",
            );
        }
        reaches &= lowered.may_exit() || clause_may_be_skipped(opcode, clause);
    }
    // Guards that only some variants have (a counted operand, an old value) also need a way on.
    if !opcode.fast.is_empty() && reaches && opcode.slow.is_none() && opcode.inline.is_none() {
        let location = opcode.fast.last().map(|clause| &clause.location);
        let diagnostic = diagnostics.report(
            location.unwrap_or(&opcode.name.location),
            "the slow path is missing",
            "this clause may not apply",
        );
        diagnostic.note("add `slow …;`, or a clause that takes everything");
    }
}

/// Whether some variant does without the clause because an operand is not a value there.
fn clause_may_be_skipped(opcode: &Opcode, clause: &FastClause) -> bool {
    let operands = [&opcode.op1, &opcode.op2];
    clause
        .parameters
        .iter()
        .zip(operands)
        .any(|(_, operand)| operand.has_kind(OperandKind::Unused))
}

pub(super) fn check_inline(opcode: &Opcode, helpers: &[String], diagnostics: &mut Diagnostics) {
    let Some(inline) = &opcode.inline else { return };
    let generic = variants(opcode).into_iter().next().map(|(_, slots)| slots);
    for variant in generic.into_iter().flatten().flatten() {
        let surface = Surface::of_opcode(opcode, &variant, helpers);
        check_body(inline, &surface, diagnostics);
    }
    let uses_data = mentions(inline, "op_data");
    if let (Some(data), false, None) = (&opcode.data, uses_data, &opcode.slow) {
        diagnostics.report(
            &data.location,
            "data is declared but never used",
            "the body has no `op_data!()`",
        );
    }
}

pub(super) fn check_helper(helper: &Helper, helpers: &[String], diagnostics: &mut Diagnostics) {
    if let Some(inline) = &helper.inline {
        check_body(inline, &Surface::of_helper(helper, helpers), diagnostics);
    }
}

fn check_body(inline: &InlineBody, surface: &Surface<'_>, diagnostics: &mut Diagnostics) {
    let mut mistakes = Vec::new();
    let folded = inline::fold(&inline.block, surface, &mut mistakes);
    inline::check(&folded, surface, &mut mistakes);
    inline::expand(&folded, surface, &mut mistakes);
    for Mistake {
        location: span,
        message,
        label,
        note,
    } in mistakes
    {
        let location = Location {
            source: inline.location.source.clone(),
            span,
        };
        let diagnostic = diagnostics.report(&location, message, label);
        // The first specialisation in which it shows is enough.
        if diagnostic.note.is_none()
            && let Some(note) = note
        {
            diagnostic.note(note);
        }
    }
}

fn mentions(inline: &InlineBody, name: &str) -> bool {
    use quote::ToTokens;
    inline
        .block
        .to_token_stream()
        .to_string()
        .contains(&format!("{name} !"))
}
