//! Replaces the accessors and continuations of a folded body.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit_mut::{VisitMut, visit_block_mut, visit_expr_mut};
use syn::{Block, Expr, Stmt};

use super::arguments::{self, language_macro};
use super::{Mistake, Surface};
use crate::suggest::closest;

/// Macros of Rust whose names are near to those of the language.
const RUST: &[&str] = &[
    "matches",
    "assert",
    "assert_eq",
    "debug_assert",
    "unreachable",
];

/// Expands a folded body.
pub(crate) fn expand(
    block: &Block,
    surface: &Surface<'_>,
    mistakes: &mut Vec<Mistake>,
) -> TokenStream {
    let mut block = block.clone();
    let mut expander = Expander { surface, mistakes };
    expander.visit_block_mut(&mut block);
    let statements = &block.stmts;
    quote!(#(#statements)*)
}

pub(super) struct Expander<'s, 'm> {
    pub surface: &'s Surface<'s>,
    pub mistakes: &'m mut Vec<Mistake>,
}

impl VisitMut for Expander<'_, '_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        for statement in &mut block.stmts {
            if let Stmt::Macro(found) = statement {
                let expression = Expr::Macro(syn::ExprMacro {
                    attrs: Vec::new(),
                    mac: found.mac.clone(),
                });
                if language_macro(&found.mac.path).is_some() {
                    *statement = Stmt::Expr(expression, found.semi_token);
                } else {
                    self.foreign(&mut found.mac);
                }
            }
        }
        visit_block_mut(self, block);
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Macro(found) => match language_macro(&found.mac.path) {
                Some(name) => {
                    let tokens = self.expand_macro(&name, &found.mac);
                    *expression = Expr::Verbatim(tokens);
                }
                None => self.foreign(&mut found.mac),
            },
            Expr::Return(found) => {
                self.mistakes.push(Mistake {
                    location: found.return_token.span,
                    message: "`return` in an inline body".into(),
                    label: "an inline body ends in a continuation".into(),
                    note: Some("use `next!()`, `jump!(…)`, `slow!()`, `helper!(…)` …".into()),
                });
            }
            _ => visit_expr_mut(self, expression),
        }
    }
}

impl Expander<'_, '_> {
    /// Expands one macro; a mistake is recorded and gives something harmless.
    fn expand_macro(&mut self, name: &str, found: &syn::Macro) -> TokenStream {
        let span = found.path.segments[0].ident.span();
        if arguments::QUESTIONS.contains(&name) {
            // Folding has reported why there is no answer.
            return quote!(false);
        }
        let expansion = if arguments::CONTINUATIONS.contains(&name) {
            self.continuation(name, &found.tokens, span)
        } else {
            self.accessor(name, &found.tokens, span)
        };
        expansion.unwrap_or_else(|mistake| {
            self.mistakes.push(mistake);
            quote!(unreachable!())
        })
    }

    /// A macro of Rust: the macros of the language in it are expanded. One that looks like a macro
    /// of the language is taken for a slip.
    fn foreign(&mut self, found: &mut syn::Macro) {
        let name = found.path.get_ident().map(ToString::to_string);
        let known = arguments::all();
        if let Some(name) = name.filter(|name| !RUST.contains(&name.as_str()))
            && let Some(near) = closest(&name, &known)
        {
            self.mistakes.push(Mistake {
                location: found.path.segments[0].ident.span(),
                message: format!("unknown macro `{name}!`"),
                label: "neither an accessor nor a continuation".into(),
                note: Some(format!("did you mean `{near}!`?")),
            });
        }
        found.tokens = self.tokens(found.tokens.clone());
    }

    /// Expands an expression that is the argument of a continuation.
    pub fn argument(&mut self, mut expression: Expr) -> TokenStream {
        self.visit_expr_mut(&mut expression);
        expression.into_token_stream()
    }

    /// Expands the macros of the language in the tokens of another macro.
    fn tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let mut output = TokenStream::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            if let TokenTree::Ident(name) = &token
                && arguments::ACCESSORS.contains(&name.to_string().as_str())
                && tokens
                    .peek()
                    .is_some_and(|next| crate::syntax::is_punctuation(next, '!'))
            {
                tokens.next();
                if let Some(TokenTree::Group(group)) = tokens.next() {
                    let path = syn::Path::from(name.clone());
                    let found = syn::Macro {
                        path,
                        bang_token: Default::default(),
                        delimiter: syn::MacroDelimiter::Paren(Default::default()),
                        tokens: group.stream(),
                    };
                    output.extend(self.expand_macro(&name.to_string(), &found));
                }
                continue;
            }
            match token {
                TokenTree::Group(group) => {
                    let inner = self.tokens(group.stream());
                    let group = proc_macro2::Group::new(group.delimiter(), inner);
                    output.extend([TokenTree::Group(group)]);
                }
                token => output.extend([token]),
            }
        }
        output
    }
}
