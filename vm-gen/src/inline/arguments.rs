//! The macros of inline bodies and their arguments.

use proc_macro2::{Span, TokenStream};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Token};

use super::Mistake;
use crate::emit::Which;

/// The macros that end a path.
pub(crate) const CONTINUATIONS: &[&str] = &[
    "next",
    "jump",
    "branch",
    "slow",
    "helper",
    "continue_at",
    "enter",
    "halt",
];

/// The macros that give operands and the like.
pub(crate) const ACCESSORS: &[&str] = &["op1", "op2", "op_data", "result", "extended", "free"];

/// The macros that the specialisation answers.
pub(crate) const QUESTIONS: &[&str] = &[
    "result_used",
    "is_const",
    "is_tmp",
    "is_var",
    "is_cv",
    "is_unused",
    "quick_arg",
    "isset",
    "is_empty",
];

/// The name of a macro, if it is one of the language.
pub(super) fn language_macro(path: &syn::Path) -> Option<String> {
    let name = path.get_ident()?.to_string();
    all().contains(&name.as_str()).then_some(name)
}

/// Every macro of the language.
pub(super) fn all() -> Vec<&'static str> {
    [CONTINUATIONS, ACCESSORS, QUESTIONS].concat()
}

/// The arguments as expressions.
pub(super) fn expressions(tokens: &TokenStream) -> syn::Result<Vec<Expr>> {
    let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
    Ok(parser.parse2(tokens.clone())?.into_iter().collect())
}

/// The argument as a word; empty if there is none.
pub(super) fn word(tokens: &TokenStream) -> String {
    tokens.to_string()
}

/// The operand that a word names.
pub(super) fn operand(tokens: &TokenStream, span: Span) -> Result<Which, Mistake> {
    match word(tokens).as_str() {
        "op1" => Ok(Which::Op1),
        "op2" => Ok(Which::Op2),
        "op_data" => Ok(Which::Data),
        other => Err(Mistake {
            location: if tokens.is_empty() {
                span
            } else {
                tokens.span()
            },
            message: format!("unknown operand `{other}`"),
            label: "expected `op1`, `op2` or `op_data`".into(),
            note: None,
        }),
    }
}
