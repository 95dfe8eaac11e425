//! Operands, result, options and effects: what must fit together.

use vm_def::grammar::{
    Effect, ExtendedMeaning, OperandKind, OplineField, ResultKind, SpecOption, UnusedMeaning,
};

use crate::diagnostics::Diagnostics;
use crate::model::{Opcode, Operand, SlowForm};

pub(super) fn check(opcode: &Opcode, diagnostics: &mut Diagnostics) {
    check_operands(opcode, diagnostics);
    check_options(opcode, diagnostics);
    check_jumps(opcode, diagnostics);
    check_code(opcode, diagnostics);
    check_slow(opcode, diagnostics);
}

fn check_operands(opcode: &Opcode, diagnostics: &mut Diagnostics) {
    let operands = [Some(&opcode.op1), Some(&opcode.op2), opcode.data.as_ref()];
    for operand in operands.into_iter().flatten() {
        if operand.kinds.is_empty() && !diagnostics.has_on_line(&operand.location) {
            diagnostics.report(
                &operand.location,
                "an operand without kinds",
                "name at least one",
            );
        }
        let mut seen: Vec<(OperandKind, u8)> = Vec::new();
        for kind in &operand.kinds {
            for code in kind.value.codes() {
                let other = seen
                    .iter()
                    .find(|(_, known)| known == code)
                    .map(|(kind, _)| *kind);
                if let Some(other) = other.filter(|other| *other != kind.value) {
                    diagnostics.report(
                        &kind.location,
                        format!(
                            "operand kinds `{}` and `{}` overlap",
                            other.word(),
                            kind.value.word()
                        ),
                        "one opline would have two handlers",
                    );
                    break;
                }
                seen.push((kind.value, *code));
            }
        }
    }
    if let Some(result) = &opcode.result
        && result.kinds.is_empty()
        && !diagnostics.has_on_line(&result.location)
    {
        diagnostics.report(
            &result.location,
            "a result without kinds",
            "name at least one",
        );
    }
}

fn check_options(opcode: &Opcode, diagnostics: &mut Diagnostics) {
    let is_tmp = opcode
        .result
        .as_ref()
        .is_some_and(|result| result.kinds.contains(&ResultKind::Tmp));
    let optional = opcode.result.as_ref().is_some_and(|result| result.optional);
    for option in &opcode.spec {
        let missing = match option.value {
            SpecOption::Retval if !optional => Some("needs an optional result: `result: TMP?;`"),
            SpecOption::OpData if opcode.data.is_none() => Some("needs `data: …;`"),
            SpecOption::SmartBranch if !is_tmp => Some("needs `result: TMP;`"),
            SpecOption::ResultCv if !is_tmp => Some("needs `result: TMP;`"),
            SpecOption::Commutative if !same_kinds(&opcode.op1, &opcode.op2) => {
                Some("needs the same kinds for op1 and op2")
            }
            SpecOption::QuickArg if opcode.op2.meaning != UnusedMeaning::Num => {
                Some("needs `op2: … UNUSED(NUM);`")
            }
            SpecOption::KeptOp1
                if !opcode.op1.has_kind(OperandKind::Cv)
                    || !opcode.has_effect(Effect::OpensCall) =>
            {
                Some("needs `op1: … CV;` and `effects: opens_call;`")
            }
            SpecOption::Isset if !has_extended(opcode, ExtendedMeaning::Isset) => {
                Some("needs `extended: ISSET;`")
            }
            SpecOption::NoConstConst
                if !opcode.op1.has_kind(OperandKind::Const)
                    || !opcode.op2.has_kind(OperandKind::Const) =>
            {
                Some("needs CONST among the kinds of op1 and op2")
            }
            _ => None,
        };
        if let Some(missing) = missing {
            let word = option.value.word();
            diagnostics.report(
                &option.location,
                format!("spec option `{word}` does not fit"),
                missing,
            );
        }
    }
    let flags: Vec<_> = opcode
        .spec
        .iter()
        .filter(|option| {
            matches!(
                option.value,
                SpecOption::QuickArg | SpecOption::Isset | SpecOption::KeptOp1
            )
        })
        .collect();
    if let [first, second, ..] = flags.as_slice() {
        diagnostics.report(
            &second.location,
            format!(
                "{} and {} together",
                first.value.word(),
                second.value.word()
            ),
            "an opcode has one of them",
        );
    }
}

fn same_kinds(op1: &Operand, op2: &Operand) -> bool {
    let kinds = |operand: &Operand| {
        operand
            .kinds
            .iter()
            .map(|kind| kind.value)
            .collect::<std::collections::BTreeSet<_>>()
    };
    kinds(op1) == kinds(op2)
}

fn has_extended(opcode: &Opcode, meaning: ExtendedMeaning) -> bool {
    opcode.extended.iter().any(|known| known.value == meaning)
}

fn check_jumps(opcode: &Opcode, diagnostics: &mut Diagnostics) {
    for jump in &opcode.jumps {
        let declared = match jump.value {
            OplineField::Op1 => opcode.op1.meaning == UnusedMeaning::JmpAddr,
            OplineField::Op2 => opcode.op2.meaning == UnusedMeaning::JmpAddr,
            OplineField::Extended => has_extended(opcode, ExtendedMeaning::JmpAddr),
        };
        if !declared {
            let word = jump.value.word();
            diagnostics.report(
                &jump.location,
                format!("`{word}` is no jump target"),
                format!("{word} is not declared as JMP_ADDR"),
            );
        }
    }
}

fn check_code(opcode: &Opcode, diagnostics: &mut Diagnostics) {
    let has_code = opcode.is_specialised() || opcode.slow.is_some();
    let location = &opcode.name.location;
    if opcode.define_only && has_code {
        diagnostics.report(
            location,
            "a `define_only` opcode with code",
            "remove one of them",
        );
    }
    if !opcode.define_only && !has_code && opcode.alias.is_none() {
        diagnostics.report(
            location,
            format!("opcode `{}` has no code", opcode.name.value),
            "needs `fast`, `middle` or `slow`",
        );
    }
}

fn check_slow(opcode: &Opcode, diagnostics: &mut Diagnostics) {
    let Some(slow) = &opcode.slow else { return };
    let binary = match &slow.form {
        SlowForm::Handler => return,
        SlowForm::Value { binary } => {
            if !opcode.has_result_slot() {
                diagnostics.report(
                    &slow.location,
                    "a slow path with a result though none is declared",
                    "add `result: …;` or use `slow handler`",
                );
            }
            *binary
        }
        SlowForm::Condition { binary, jump, .. } => {
            if !opcode.has_result_slot() && jump.is_none() {
                diagnostics.report(
                    &slow.location,
                    "a slow path with a truth value that nothing uses",
                    "add `result: TMP;`, or `jump(…) if …`",
                );
            }
            *binary
        }
    };
    for (operand, name) in [(&opcode.op1, "op1"), (&opcode.op2, "op2")] {
        if (name == "op1" || binary) && !operand.may_be_value() {
            diagnostics.report(
                &slow.location,
                format!("the slow path takes {name}, which is never a value"),
                format!("{name} is UNUSED({})", operand.meaning.word()),
            );
        }
    }
}
