//! Looks at the ways through a folded body.

use syn::{Block, Expr, Macro, Stmt};

use super::arguments::{CONTINUATIONS, language_macro};
use super::{Mistake, Surface};

/// What is known at a place in the body.
#[derive(Clone, Copy)]
struct Way {
    /// Control gets here.
    reached: bool,
    /// The result has been written on every way that gets here.
    result: bool,
}

impl Way {
    const DEAD: Way = Way {
        reached: false,
        result: true,
    };

    fn join(self, other: Way) -> Way {
        Way {
            reached: self.reached || other.reached,
            result: (self.result || !self.reached) && (other.result || !other.reached),
        }
    }
}

/// Checks a folded body: each way ends in a continuation, and a continuation to the next opline comes
/// only after the result was written.
pub(crate) fn check(block: &Block, surface: &Surface<'_>, mistakes: &mut Vec<Mistake>) {
    use crate::specialise::ResultForm;
    let wants_result = surface.has_result
        && !surface.title.starts_with("helper ")
        && surface.variant.form != ResultForm::Unused
        // A result that is only wanted sometimes is tested at run time.
        && !(surface.result_is_optional && surface.variant.form == ResultForm::Plain)
        && !surface.result_is_argument;
    let mut flow = Flow {
        wants_result,
        mistakes,
    };
    let end = flow.block(
        block,
        Way {
            reached: true,
            result: false,
        },
    );
    if end.reached {
        mistakes.push(Mistake {
            location: block.brace_token.span.close(),
            message: "an inline path does not end in a continuation".into(),
            label: "control gets here".into(),
            note: Some(
                "end each path with `next!()`, `jump!(…)`, `slow!()`, `helper!(…)` …".into(),
            ),
        });
    }
}

struct Flow<'m> {
    wants_result: bool,
    mistakes: &'m mut Vec<Mistake>,
}

impl Flow<'_> {
    fn block(&mut self, block: &Block, mut way: Way) -> Way {
        for statement in &block.stmts {
            way = match statement {
                Stmt::Local(local) => match &local.init {
                    Some(init) => {
                        let after = self.expression(&init.expr, way);
                        if let Some((_, diverge)) = &init.diverge {
                            self.expression(diverge, after);
                        }
                        after
                    }
                    None => way,
                },
                Stmt::Expr(expression, _) => self.expression(expression, way),
                Stmt::Macro(statement) => self.macro_call(&statement.mac, way),
                Stmt::Item(_) => way,
            };
        }
        way
    }

    fn expression(&mut self, expression: &Expr, way: Way) -> Way {
        match expression {
            Expr::Macro(found) => self.macro_call(&found.mac, way),
            Expr::Block(block) => self.block(&block.block, way),
            Expr::Unsafe(block) => self.block(&block.block, way),
            Expr::If(conditional) => {
                let way = self.expression(&conditional.cond, way);
                let yes = self.block(&conditional.then_branch, way);
                let no = match &conditional.else_branch {
                    Some((_, rest)) => self.expression(rest, way),
                    None => way,
                };
                yes.join(no)
            }
            Expr::Match(matching) => {
                let way = self.expression(&matching.expr, way);
                let arms: Vec<Way> = matching
                    .arms
                    .iter()
                    .map(|arm| self.expression(&arm.body, way))
                    .collect();
                arms.into_iter().fold(Way::DEAD, Way::join)
            }
            Expr::While(looping) => {
                let way = self.expression(&looping.cond, way);
                self.block(&looping.body, way);
                way
            }
            Expr::ForLoop(looping) => {
                let way = self.expression(&looping.expr, way);
                self.block(&looping.body, way);
                way
            }
            Expr::Loop(looping) => {
                let body = self.block(&looping.body, way);
                if has_break(&looping.body) {
                    Way {
                        reached: way.reached,
                        ..body
                    }
                } else {
                    Way::DEAD
                }
            }
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => Way::DEAD,
            _ => {
                // Other expressions are evaluated as a whole.
                let mut after = way;
                let mut operands = Operands(Vec::new());
                syn::visit::visit_expr(&mut operands, expression);
                for operand in operands.0 {
                    after = self.expression(&operand, after);
                }
                after
            }
        }
    }

    fn macro_call(&mut self, found: &Macro, way: Way) -> Way {
        let Some(name) = language_macro(&found.path) else {
            let diverges = ["unreachable", "panic", "todo"]
                .iter()
                .any(|name| found.path.is_ident(name));
            return if diverges {
                Way::DEAD
            } else {
                self.mention(found, way)
            };
        };
        let mut way = self.mention(found, way);
        if name == "result" {
            way.result = true;
        }
        if !CONTINUATIONS.contains(&name.as_str()) {
            return way;
        }
        if name == "next" && way.reached && self.wants_result && !way.result {
            self.mistakes.push(Mistake {
                location: found.path.segments[0].ident.span(),
                message: "the result is not written on this path".into(),
                label: "the next opline may read it".into(),
                note: Some("write `result!()` first".into()),
            });
        }
        Way::DEAD
    }

    /// Whether the tokens of a macro mention the result.
    fn mention(&self, found: &Macro, way: Way) -> Way {
        let text = found.tokens.to_string();
        Way {
            result: way.result || text.contains("result ! ("),
            ..way
        }
    }
}

/// The expressions directly inside of an expression.
struct Operands(Vec<Expr>);

impl<'ast> syn::visit::Visit<'ast> for Operands {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        self.0.push(expression.clone());
    }
}

fn has_break(block: &Block) -> bool {
    struct Finder(bool);
    impl<'ast> syn::visit::Visit<'ast> for Finder {
        fn visit_expr_break(&mut self, _: &'ast syn::ExprBreak) {
            self.0 = true;
        }
    }
    let mut finder = Finder(false);
    syn::visit::Visit::visit_block(&mut finder, block);
    finder.0
}
