//! `next!()`, `jump!(…)`, `branch!(…)` and the other ends of paths.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::Expr;
use vm_def::grammar::UnusedMeaning;

use super::accessors::mistake;
use super::expand::Expander;
use super::{Mistake, arguments};
use crate::emit::continuation;
use crate::suggest::suggestion;

impl Expander<'_, '_> {
    pub(super) fn continuation(
        &mut self,
        name: &str,
        tokens: &TokenStream,
        span: Span,
    ) -> Result<TokenStream, Mistake> {
        match name {
            "next" => self.next(tokens, span),
            "jump" => self.jump(tokens, span),
            "branch" => {
                if !self.surface.has_result {
                    return Err(mistake(
                        span,
                        "`branch!` without a result",
                        "needs `result: TMP;`",
                    ));
                }
                let [condition] = self.values(name, tokens, span)?;
                let form = self.surface.variant.form;
                let width = self.surface.width;
                let code = crate::emit::decide(form, &quote!(decision), width);
                Ok(quote! {{ let decision: bool = #condition; #code }})
            }
            "slow" => match &self.surface.slow {
                Some(slow) => {
                    let slow = format_ident!("{slow}");
                    Ok(quote!(return #slow(frame, opline, vm)))
                }
                None => Err(mistake(
                    span,
                    "`slow!()` without a slow path",
                    "needs `slow …;`",
                )),
            },
            "helper" => {
                let helper = arguments::word(tokens);
                if !self.surface.helpers.contains(&helper) {
                    let known: Vec<&str> =
                        self.surface.helpers.iter().map(String::as_str).collect();
                    let note = suggestion(&helper, &known);
                    let mut mistake =
                        mistake(span, format!("unknown helper `{helper}`"), "not defined");
                    mistake.note = Some(note);
                    return Err(mistake);
                }
                let helper = format_ident!("{helper}");
                Ok(quote!(return super::helpers::#helper(frame, opline, vm)))
            }
            "halt" => Ok(quote!(return ::core::ptr::null())),
            _ => {
                let [frame, opline] = self.values(name, tokens, span)?;
                Ok(continuation::continue_at(&frame, &opline, name == "enter"))
            }
        }
    }

    /// Reads a fixed number of values.
    fn values<const COUNT: usize>(
        &mut self,
        name: &str,
        tokens: &TokenStream,
        span: Span,
    ) -> Result<[TokenStream; COUNT], Mistake> {
        let wrong = || mistake(span, format!("`{name}!` takes {COUNT} values"), "");
        let list = arguments::expressions(tokens).map_err(|_| wrong())?;
        let list: Vec<TokenStream> = list
            .into_iter()
            .map(|expression| self.argument(expression))
            .collect();
        <[TokenStream; COUNT]>::try_from(list).map_err(|_| wrong())
    }

    /// `next!()`, `next!(2)`, `next!(checked)`, `next!(checked, 2)`.
    fn next(&self, tokens: &TokenStream, span: Span) -> Result<TokenStream, Mistake> {
        let list = arguments::expressions(tokens).unwrap_or_default();
        let mut checked = false;
        let mut skip = 1;
        for expression in &list {
            match expression {
                Expr::Path(path) if path.path.is_ident("checked") => checked = true,
                Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Int(count),
                    ..
                }) => {
                    skip = count.base10_parse().unwrap_or(1);
                }
                _ => {
                    return Err(mistake(
                        span,
                        "malformed `next!`",
                        "expected nothing, a number, `checked` or `checked, number`",
                    ));
                }
            }
        }
        if skip < self.surface.width && self.surface.slow_helper_is_opcode() {
            return Err(mistake(
                span,
                "`next!()` would execute OP_DATA",
                "use `next!(2)`: the opline that follows is data",
            ));
        }
        Ok(if checked {
            continuation::next_checked(skip)
        } else {
            continuation::next(skip)
        })
    }

    /// `jump!(op1)`, `jump!(op2)`, `jump!(extended)`, `jump!(pointer)`.
    fn jump(&mut self, tokens: &TokenStream, span: Span) -> Result<TokenStream, Mistake> {
        let target = match arguments::word(tokens).as_str() {
            word @ ("op1" | "op2" | "extended") => {
                let declared = match word {
                    "op1" => self.surface.op1.meaning == UnusedMeaning::JmpAddr,
                    "op2" => self.surface.op2.meaning == UnusedMeaning::JmpAddr,
                    _ => self.surface.extended_is_jump,
                };
                if !declared {
                    return Err(mistake(
                        span,
                        format!("`{word}` is no jump target"),
                        format!("{word} is not declared as JMP_ADDR"),
                    ));
                }
                let name = if word == "extended" {
                    "extended_value"
                } else {
                    word
                };
                let field = format_ident!("{name}");
                quote!(operand::jump_target(opline, (*opline).#field))
            }
            _ => {
                let [target] = self.values("jump", tokens, span)?;
                target
            }
        };
        Ok(continuation::jump(&target))
    }
}

impl super::Surface<'_> {
    /// A helper does not know the width of the opline it is reached from.
    fn slow_helper_is_opcode(&self) -> bool {
        !self.title.starts_with("helper ")
    }
}
