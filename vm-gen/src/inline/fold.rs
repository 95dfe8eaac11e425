//! Replaces what the specialisation answers, and removes the arms that it excludes.

use quote::quote;
use syn::visit_mut::{VisitMut, visit_expr_mut};
use syn::{BinOp, Block, Expr, ExprLit, Lit, LitBool, Stmt, UnOp, parse_quote};
use vm_def::grammar::OperandKind;

use super::arguments::{self, language_macro};
use super::{Mistake, Surface, flag_option};
use crate::emit::{Which, is_kind};
use crate::specialise::{Flag, ResultForm};

/// Folds a body for a specialisation.
pub(crate) fn fold(block: &Block, surface: &Surface<'_>, mistakes: &mut Vec<Mistake>) -> Block {
    let mut block = block.clone();
    Folder { surface, mistakes }.visit_block_mut(&mut block);
    block
}

struct Folder<'s, 'm> {
    surface: &'s Surface<'s>,
    mistakes: &'m mut Vec<Mistake>,
}

fn literal(value: bool, span: proc_macro2::Span) -> Expr {
    Expr::Lit(ExprLit {
        attrs: Vec::new(),
        lit: Lit::Bool(LitBool::new(value, span)),
    })
}

fn as_literal(expression: &Expr) -> Option<bool> {
    match expression {
        Expr::Lit(ExprLit {
            lit: Lit::Bool(value),
            ..
        }) => Some(value.value),
        Expr::Paren(inner) => as_literal(&inner.expr),
        _ => None,
    }
}

impl VisitMut for Folder<'_, '_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut folded = Vec::new();
        for mut statement in std::mem::take(&mut block.stmts) {
            if let Stmt::Macro(found) = &statement
                && language_macro(&found.mac.path).is_some()
            {
                let mac = found.mac.clone();
                let expression = Expr::Macro(syn::ExprMacro {
                    attrs: Vec::new(),
                    mac,
                });
                statement = Stmt::Expr(expression, found.semi_token);
            }
            self.visit_stmt_mut(&mut statement);
            let ends = ends_path(&statement);
            match statement {
                // An arm that was chosen becomes part of the block, unless its names could clash.
                Stmt::Expr(Expr::Block(inner), _)
                    if inner.label.is_none() && (ends || !has_bindings(&inner.block)) =>
                {
                    folded.extend(inner.block.stmts);
                }
                statement => folded.push(statement),
            }
            // What comes after a continuation is not reached in this specialisation.
            if ends {
                break;
            }
        }
        // A tail that is no tail any more.
        let last = folded.len().saturating_sub(1);
        for statement in &mut folded[..last] {
            if let Stmt::Expr(expression, semicolon @ None) = statement
                && !is_block_like(expression)
            {
                *semicolon = Some(Default::default());
            }
        }
        block.stmts = folded;
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Macro(found) => {
                let Some(name) = language_macro(&found.mac.path) else {
                    return;
                };
                if arguments::QUESTIONS.contains(&name.as_str()) {
                    match self.answer(&name, &found.mac) {
                        Ok(answer) => *expression = answer,
                        Err(mistake) => self.mistakes.push(mistake),
                    }
                } else if let Ok(mut list) = arguments::expressions(&found.mac.tokens) {
                    list.iter_mut()
                        .for_each(|argument| self.visit_expr_mut(argument));
                    found.mac.tokens = quote!(#(#list),*);
                }
            }
            Expr::If(conditional) => {
                self.visit_expr_mut(&mut conditional.cond);
                match as_literal(&conditional.cond) {
                    Some(true) => {
                        let mut block = conditional.then_branch.clone();
                        self.visit_block_mut(&mut block);
                        *expression = parse_quote!(#block);
                    }
                    Some(false) => {
                        let mut rest = match conditional.else_branch.take() {
                            Some((_, rest)) => *rest,
                            None => parse_quote!({}),
                        };
                        self.visit_expr_mut(&mut rest);
                        *expression = rest;
                    }
                    None => {
                        self.visit_block_mut(&mut conditional.then_branch);
                        if let Some((_, rest)) = &mut conditional.else_branch {
                            self.visit_expr_mut(rest);
                        }
                    }
                }
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) => {
                self.visit_expr_mut(&mut binary.left);
                let decides = matches!(binary.op, BinOp::Or(_));
                match as_literal(&binary.left) {
                    Some(left) if left == decides => *expression = (*binary.left).clone(),
                    Some(_) => {
                        let mut right = (*binary.right).clone();
                        self.visit_expr_mut(&mut right);
                        *expression = right;
                    }
                    None => self.visit_expr_mut(&mut binary.right),
                }
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                self.visit_expr_mut(&mut unary.expr);
                if let Some(value) = as_literal(&unary.expr) {
                    *expression = literal(!value, proc_macro2::Span::call_site());
                }
            }
            Expr::Paren(inner) => {
                self.visit_expr_mut(&mut inner.expr);
                if let Some(value) = as_literal(&inner.expr) {
                    *expression = literal(value, proc_macro2::Span::call_site());
                }
            }
            _ => visit_expr_mut(self, expression),
        }
    }
}

/// Whether control never gets behind a folded statement because it is a continuation, or a block that
/// ends in one.
fn ends_path(statement: &Stmt) -> bool {
    let Stmt::Expr(expression, _) = statement else {
        return false;
    };
    match expression {
        Expr::Macro(found) => language_macro(&found.mac.path)
            .is_some_and(|name| arguments::CONTINUATIONS.contains(&name.as_str())),
        Expr::Block(block) => block.block.stmts.last().is_some_and(ends_path),
        _ => false,
    }
}

fn is_block_like(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::If(_)
            | Expr::Match(_)
            | Expr::Block(_)
            | Expr::Unsafe(_)
            | Expr::While(_)
            | Expr::ForLoop(_)
            | Expr::Loop(_)
    )
}

fn has_bindings(block: &Block) -> bool {
    block
        .stmts
        .iter()
        .any(|statement| matches!(statement, Stmt::Local(_) | Stmt::Item(_)))
}

impl Folder<'_, '_> {
    fn answer(&mut self, name: &str, found: &syn::Macro) -> Result<Expr, Mistake> {
        let span = found.path.segments[0].ident.span();
        let variant = &self.surface.variant;
        if let Some(option) = flag_option(name) {
            let answer = match (name, variant.flag) {
                ("quick_arg", Flag::QuickArg(quick)) => quick,
                ("isset", Flag::Isset(isset)) => isset,
                ("is_empty", Flag::Isset(isset)) => !isset,
                _ => {
                    return Err(Mistake {
                        location: span,
                        message: format!("`{name}!` without its spec option"),
                        label: format!("needs `spec: {};`", option.word()),
                        note: None,
                    });
                }
            };
            return Ok(literal(answer, span));
        }
        if name == "result_used" {
            return Ok(match (variant.form, self.surface.result_is_optional) {
                (ResultForm::Unused, _) => literal(false, span),
                (ResultForm::Plain, true) => {
                    parse_quote!(((*opline).result_type != crate::op::IS_UNUSED))
                }
                _ => literal(true, span),
            });
        }
        let tested = match name {
            "is_const" => OperandKind::Const,
            "is_tmp" => OperandKind::Tmp,
            "is_var" => OperandKind::Var,
            "is_cv" => OperandKind::Cv,
            _ => OperandKind::Unused,
        };
        let which = arguments::operand(&found.tokens, span)?;
        let kind = match which {
            Which::Op1 => variant.op1,
            Which::Op2 => variant.op2,
            Which::Data => variant.data.unwrap_or(OperandKind::Any),
        };
        Ok(match is_kind(kind, tested) {
            Some(answer) => literal(answer, span),
            None => {
                let field = which.kind_field();
                let code = tested.codes()[0];
                parse_quote!((#field == #code))
            }
        })
    }
}
