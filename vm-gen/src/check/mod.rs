//! Rules that the definitions must follow. What lowering finds is reported there.

mod clauses;
mod declarations;
mod effects;
mod names;
pub(crate) mod runtime;

use crate::diagnostics::Diagnostics;
use crate::model::Definitions;
use crate::plan::Plan;

/// Gives aliases the declarations of what they stand for, as far as they have none of their own.
pub(crate) fn resolve_aliases(definitions: &mut Definitions) {
    for index in 0..definitions.opcodes.len() {
        let Some(alias) = &definitions.opcodes[index].alias else {
            continue;
        };
        let find = |name: &str| {
            definitions
                .opcodes
                .iter()
                .position(|opcode| opcode.name.value == name)
        };
        let Some(target) = find(&alias.value).filter(|target| *target != index) else {
            continue;
        };
        let source = &definitions.opcodes[target];
        let (op1, op2, data) = (source.op1.clone(), source.op2.clone(), source.data.clone());
        let (result, spec) = (source.result.clone(), source.spec.clone());
        let (extended, slots) = (source.extended.clone(), source.extended_cache_slots);
        let effects = source.effects.clone();
        let opcode = &mut definitions.opcodes[index];
        let bare = !opcode.op1.declared && !opcode.op2.declared && opcode.result.is_none();
        if bare {
            (opcode.op1, opcode.op2, opcode.data, opcode.result) = (op1, op2, data, result);
            (opcode.extended, opcode.extended_cache_slots) = (extended, slots);
            (opcode.spec, opcode.effects) = (spec, effects);
        }
    }
}

/// Checks all definitions.
pub(crate) fn check(definitions: &Definitions, plan: &Plan, diagnostics: &mut Diagnostics) {
    names::check(definitions, diagnostics);
    for opcode in &definitions.opcodes {
        declarations::check(opcode, diagnostics);
        clauses::check_clauses(opcode, plan, diagnostics);
        effects::check(opcode, plan, diagnostics);
    }
}
