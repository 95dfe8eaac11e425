//! Rules that the definitions must follow. What lowering finds is reported there.

mod clauses;
mod declarations;
mod effects;
mod names;
mod results;
pub(crate) mod runtime;

use crate::diagnostics::Diagnostics;
use crate::model::Definitions;
use crate::plan::Plan;

/// Gives aliases the code of what they stand for, and its declarations as far as they have none of their own.
pub(crate) fn resolve_aliases(definitions: &mut Definitions, diagnostics: &mut Diagnostics) {
    for index in 0..definitions.opcodes.len() {
        let opcode = &definitions.opcodes[index];
        let Some(alias) = &opcode.alias else {
            continue;
        };
        if opcode.is_specialised() || opcode.slow.is_some() {
            diagnostics.report(
                &alias.location,
                "an alias with code of its own",
                "remove the bodies or the alias",
            );
        }
        let find = |name: &str| {
            let mut opcodes = definitions.opcodes.iter();
            opcodes.position(|opcode| opcode.name.value == name && opcode.alias.is_none())
        };
        let Some(target) = find(&alias.value) else {
            continue;
        };
        let source = &definitions.opcodes[target];
        let (fast, slow) = (source.fast.clone(), source.slow.clone());
        let (op1, op2, data) = (source.op1.clone(), source.op2.clone(), source.data.clone());
        let (result, spec) = (source.result.clone(), source.spec.clone());
        let (extended, slots) = (source.extended.clone(), source.extended_cache_slots);
        let (effects, jumps) = (source.effects.clone(), source.jumps.clone());
        let checks = source.checks.clone();
        let opcode = &mut definitions.opcodes[index];
        let bare = !opcode.op1.declared && !opcode.op2.declared && opcode.result.is_none();
        if bare {
            (opcode.op1, opcode.op2, opcode.data, opcode.result) = (op1, op2, data, result);
            (opcode.extended, opcode.extended_cache_slots) = (extended, slots);
            (opcode.spec, opcode.effects, opcode.jumps) = (spec, effects, jumps);
            opcode.checks = checks;
        }
        (opcode.fast, opcode.slow) = (fast, slow);
    }
}

/// Checks all definitions.
pub(crate) fn check(definitions: &Definitions, plan: &Plan, diagnostics: &mut Diagnostics) {
    names::check(definitions, diagnostics);
    for opcode in &definitions.opcodes {
        declarations::check(opcode, diagnostics);
        clauses::check_clauses(opcode, plan, diagnostics);
        effects::check(opcode, plan, diagnostics);
        results::check(opcode, plan, diagnostics);
    }
}
