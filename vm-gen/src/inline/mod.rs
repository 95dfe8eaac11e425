//! Inline bodies: Rust with accessor macros, expanded once for each specialisation.
//!
//! Expansion has two steps. [`fold`] replaces the questions that the specialisation answers
//! (`is_const!(op1)`, `quick_arg!()` …) by literals and removes the arms that they exclude. Then
//! [`expand`] replaces the accessors and continuations that are left. [`flow`] looks at the folded
//! body in between: whether each way ends in a continuation, and whether the result is written.

mod accessors;
pub(crate) mod arguments;
mod continuations;
mod expand;
mod flow;
mod fold;

use vm_def::grammar::{OperandKind, ResultKind, SpecOption, UnusedMeaning};

use crate::diagnostics::Location;
use crate::model::{Helper, Opcode, Operand};
use crate::specialise::{Flag, ResultForm, Variant};

pub(crate) use expand::expand;
pub(crate) use flow::check;
pub(crate) use fold::fold;

/// What an inline body may refer to.
#[derive(Clone)]
pub(crate) struct Surface<'a> {
    pub op1: Operand,
    pub op2: Operand,
    pub data: Option<Operand>,
    pub variant: Variant,
    /// The result is a slot.
    pub has_result: bool,
    /// The result is an argument slot of the callee.
    pub result_is_argument: bool,
    /// The result is a number.
    pub result_is_number: bool,
    pub result_is_optional: bool,
    pub extended_is_jump: bool,
    /// The function that `slow!()` goes to.
    pub slow: Option<String>,
    pub helpers: &'a [String],
    pub width: usize,
    /// Names the specialisation in messages.
    pub title: String,
}

/// A mistake in a body.
pub(crate) struct Mistake {
    pub location: proc_macro2::Span,
    pub message: String,
    pub label: String,
    pub note: Option<String>,
}

impl<'a> Surface<'a> {
    /// What an opcode's body may refer to in one variant.
    pub fn of_opcode(opcode: &Opcode, variant: &Variant, helpers: &'a [String]) -> Surface<'a> {
        let result_is = |kind: ResultKind| {
            opcode
                .result
                .as_ref()
                .is_some_and(|result| result.kinds.contains(&kind))
        };
        let slow = format!("{}__slow", opcode.function_name());
        Surface {
            op1: opcode.op1.clone(),
            op2: opcode.op2.clone(),
            data: opcode.data.clone(),
            variant: variant.clone(),
            has_result: opcode
                .result
                .as_ref()
                .is_some_and(|result| result.kinds.iter().any(|kind| *kind != ResultKind::Slot)),
            result_is_argument: result_is(ResultKind::Arg),
            result_is_number: result_is(ResultKind::Slot),
            result_is_optional: opcode.result.as_ref().is_some_and(|result| result.optional),
            extended_is_jump: opcode
                .extended
                .iter()
                .any(|meaning| meaning.value == vm_def::grammar::ExtendedMeaning::JmpAddr),
            slow: opcode.slow.is_some().then_some(slow),
            helpers,
            width: opcode.width(),
            title: variant.function_name(opcode),
        }
    }

    /// What a helper may refer to: operands of any kind.
    pub fn of_helper(helper: &Helper, helpers: &'a [String]) -> Surface<'a> {
        let location: &Location = &helper.name.location;
        let any = Operand {
            location: location.clone(),
            kinds: vec![crate::model::Spanned {
                value: OperandKind::Any,
                location: location.clone(),
            }],
            meaning: UnusedMeaning::None,
            keep: false,
            define: false,
            declared: true,
        };
        Surface {
            op1: any.clone(),
            op2: any.clone(),
            data: Some(any),
            variant: Variant {
                op1: OperandKind::Any,
                op2: OperandKind::Any,
                data: Some(OperandKind::Any),
                form: ResultForm::Plain,
                flag: Flag::None,
                clause: None,
            },
            has_result: true,
            result_is_argument: false,
            result_is_number: true,
            result_is_optional: true,
            extended_is_jump: true,
            slow: helper
                .slow
                .is_some()
                .then(|| format!("{}__slow", helper.name.value)),
            helpers,
            width: 1,
            title: format!("helper {}", helper.name.value),
        }
    }
}

/// Whether the opcode lets the body ask this question.
fn flag_option(name: &str) -> Option<SpecOption> {
    match name {
        "quick_arg" => Some(SpecOption::QuickArg),
        "isset" | "is_empty" => Some(SpecOption::Isset),
        _ => None,
    }
}
