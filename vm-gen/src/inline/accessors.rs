//! `op1!()`, `result!()`, `extended!()`, `free!(op1)` and the like.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use vm_def::grammar::{OperandKind, UnusedMeaning};

use super::expand::Expander;
use super::{Mistake, arguments};
use crate::emit::{self, Which};
use crate::model::Operand;

impl Expander<'_, '_> {
    pub(super) fn accessor(
        &mut self,
        name: &str,
        tokens: &TokenStream,
        span: Span,
    ) -> Result<TokenStream, Mistake> {
        let word = arguments::word(tokens);
        match name {
            "op1" => self.operand(Which::Op1, &word, span),
            "op2" => self.operand(Which::Op2, &word, span),
            "op_data" => self.operand(Which::Data, &word, span),
            "result" => self.result(&word, span),
            "extended" => match word.as_str() {
                "" => Ok(quote!((*opline).extended_value)),
                "jump" if self.surface.extended_is_jump => Ok(quote!(operand::jump_target(
                    opline,
                    (*opline).extended_value
                ))),
                "jump" => Err(mistake(
                    span,
                    "`extended_value` is no jump target",
                    "needs `extended: JMP_ADDR;`",
                )),
                _ => Err(unknown_form(
                    span,
                    name,
                    &word,
                    "`extended!()` or `extended!(jump)`",
                )),
            },
            _ => {
                let which = arguments::operand(tokens, span)?;
                let (operand, kind) = self.declared(which, span)?;
                if operand.keep {
                    let word = which.word();
                    return Err(mistake(
                        span,
                        format!("`free!({word})` on an operand that is kept"),
                        format!("{word} is declared with `keep`"),
                    ));
                }
                Ok(emit::free(which, kind))
            }
        }
    }

    /// The operand's declaration and its kind in this specialisation.
    fn declared(&self, which: Which, span: Span) -> Result<(&Operand, OperandKind), Mistake> {
        let surface = self.surface;
        match which {
            Which::Op1 => Ok((&surface.op1, surface.variant.op1)),
            Which::Op2 => Ok((&surface.op2, surface.variant.op2)),
            Which::Data => match &surface.data {
                Some(data) => Ok((data, surface.variant.data.unwrap_or(OperandKind::Any))),
                None => Err(mistake(
                    span,
                    "`op_data!` without data",
                    "this opcode declares no `data: …;`",
                )),
            },
        }
    }

    fn operand(&self, which: Which, word: &str, span: Span) -> Result<TokenStream, Mistake> {
        let (operand, kind) = self.declared(which, span)?;
        let name = which.word();
        let address = match word {
            "" => emit::value(which, operand, kind),
            "deref" => emit::dereferenced(which, operand, kind),
            "indirect" => emit::variable(which, operand, kind),
            "num" => Ok(which.field()),
            "jump" if operand.meaning == UnusedMeaning::JmpAddr => {
                let field = which.field();
                Ok(quote!(operand::jump_target(opline, #field)))
            }
            "jump" => Err(format!("{name} is not declared as UNUSED(JMP_ADDR)")),
            _ => {
                let forms = format!("`{name}!()` with nothing, deref, indirect, num or jump");
                return Err(unknown_form(span, name, word, &forms));
            }
        };
        address.map_err(|reason| {
            let form = if word.is_empty() {
                String::new()
            } else {
                word.to_owned()
            };
            Mistake {
                location: span,
                message: format!("`{name}!({form})` is not allowed here"),
                label: reason,
                note: Some(format!("in the specialisation {}", self.surface.title)),
            }
        })
    }

    fn result(&self, word: &str, span: Span) -> Result<TokenStream, Mistake> {
        let surface = self.surface;
        match word {
            "" if surface.has_result && surface.result_is_argument => {
                Ok(quote!(operand::argument(frame, (*opline).result)))
            }
            "" if surface.has_result => Ok(quote!(operand::slot(frame, (*opline).result))),
            "" if surface.result_is_number => Err(mistake(
                span,
                "the result is a number",
                "use `result!(num)`",
            )),
            "" => Err(mistake(
                span,
                "the result is written though none is declared",
                "add `result: …;` or remove this",
            )),
            "num" => Ok(quote!((*opline).result)),
            _ => Err(unknown_form(
                span,
                "result",
                word,
                "`result!()` or `result!(num)`",
            )),
        }
    }
}

pub(super) fn mistake(
    location: Span,
    message: impl Into<String>,
    label: impl Into<String>,
) -> Mistake {
    Mistake {
        location,
        message: message.into(),
        label: label.into(),
        note: None,
    }
}

fn unknown_form(span: Span, name: &str, word: &str, known: &str) -> Mistake {
    mistake(
        span,
        format!("unknown accessor `{name}!({word})`"),
        format!("expected {known}"),
    )
}
