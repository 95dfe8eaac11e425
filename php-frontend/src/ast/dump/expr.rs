//! Expressions as text.

use super::Printer;
use crate::ast::{Args, ArrayItem, Expr, ExprKind as E, ExprRef, MatchArm, StringPart};

impl Printer {
    pub(super) fn expr(&mut self, expr: ExprRef<'_>) {
        self.text(" ");
        if expr.parenthesized {
            self.text("paren");
        }
        let line = expr.line;
        match expr.kind {
            E::Int(value) => self.node("int", line, |p| p.word(&value.to_string())),
            E::Float(value) => self.node("float", line, |p| p.word(&format!("{value:?}"))),
            E::String(bytes) => self.node("string", line, |p| p.quoted(bytes)),
            E::Interpolated(parts) => self.node("interpolated", line, |p| p.parts(parts)),
            E::ShellExec(parts) => self.node("shell-exec", line, |p| p.parts(parts)),
            E::Name(name) => self.node("name", line, |p| p.name(name)),
            E::StaticClass => self.node("static", line, |_| {}),
            E::Const(name) => self.node("const", line, |p| p.name(name)),
            E::MagicConst(constant) => {
                self.node("magic", line, |p| p.word(&format!("{constant:?}")));
            }
            E::Variable(name) => self.node("var", line, |p| p.bytes(name)),
            E::VariableVariable(name) => self.node("var-var", line, |p| p.expr(name)),
            E::Array(array) => {
                let head = format!("{:?}-array", array.syntax).to_lowercase();
                self.node(&head, line, |p| {
                    array.items.iter().for_each(|item| p.item(*item))
                });
            }
            E::Dim { base, index } => self.node("dim", line, |p| {
                p.expr(base);
                p.optional_expr(index);
            }),
            E::Prop {
                object,
                name,
                nullsafe,
            } => {
                let head = if nullsafe { "nullsafe-prop" } else { "prop" };
                self.pair(head, line, object, name);
            }
            E::StaticProp { class, name } => self.pair("static-prop", line, class, name),
            E::ClassConst { class, name } => self.pair("class-const", line, class, name),
            E::ClassName { class } => self.node("class-name", line, |p| p.expr(class)),
            E::Call { callee, args } => self.node("call", line, |p| {
                p.expr(callee);
                p.args(args);
            }),
            E::MethodCall {
                object,
                name,
                args,
                nullsafe,
            } => {
                let head = if nullsafe {
                    "nullsafe-method-call"
                } else {
                    "method-call"
                };
                self.node(head, line, |p| {
                    p.expr(object);
                    p.expr(name);
                    p.args(args);
                });
            }
            E::StaticCall { class, name, args } => self.node("static-call", line, |p| {
                p.expr(class);
                p.expr(name);
                p.args(args);
            }),
            E::New { class, args } => self.node("new", line, |p| {
                p.expr(class);
                p.args(args);
            }),
            E::NewAnonymous { class, args } => self.node("new-anonymous", line, |p| {
                p.args(args);
                p.text(" ");
                p.class(class);
            }),
            E::Unary { operator, operand } => self.node("unary", line, |p| {
                p.word(&format!("{operator:?}"));
                p.expr(operand);
            }),
            E::Binary {
                operator,
                left,
                right,
            } => {
                self.pair(&format!("{operator:?}"), line, left, right);
            }
            E::And { left, right } => self.pair("and", line, left, right),
            E::Or { left, right } => self.pair("or", line, left, right),
            E::Coalesce { left, right } => self.pair("coalesce", line, left, right),
            E::Conditional {
                condition,
                then,
                otherwise,
            } => self.node("conditional", line, |p| {
                p.expr(condition);
                p.optional_expr(then);
                p.expr(otherwise);
            }),
            E::Assign { target, value } => self.pair("assign", line, target, value),
            E::AssignRef { target, value } => self.pair("assign-ref", line, target, value),
            E::AssignOp {
                operator,
                target,
                value,
            } => {
                self.pair(&format!("assign-{operator:?}"), line, target, value);
            }
            E::AssignCoalesce { target, value } => {
                self.pair("assign-coalesce", line, target, value);
            }
            E::IncDec { operator, target } => {
                self.node(&format!("{operator:?}"), line, |p| p.expr(target));
            }
            E::Cast { kind, operand } => {
                self.node(&format!("cast-{kind:?}"), line, |p| p.expr(operand));
            }
            E::Isset(operand) => self.node("isset", line, |p| p.expr(operand)),
            E::Empty(operand) => self.node("empty", line, |p| p.expr(operand)),
            E::Include { kind, operand } => {
                self.node(&format!("{kind:?}"), line, |p| p.expr(operand));
            }
            E::Print(operand) => self.node("print", line, |p| p.expr(operand)),
            E::Clone(operand) => self.node("clone", line, |p| p.expr(operand)),
            E::Silence(operand) => self.node("silence", line, |p| p.expr(operand)),
            E::InstanceOf { value, class } => self.pair("instanceof", line, value, class),
            E::Yield { key, value } => self.node("yield", line, |p| {
                if key.is_some() {
                    p.optional_expr(key);
                }
                p.optional_expr(value);
            }),
            E::YieldFrom(operand) => self.node("yield-from", line, |p| p.expr(operand)),
            E::Throw(operand) => self.node("throw", line, |p| p.expr(operand)),
            E::Match { subject, arms } => self.node("match", line, |p| {
                p.expr(subject);
                arms.iter().for_each(|arm| p.match_arm(arm));
            }),
            E::Closure(function) | E::ArrowFunction(function) => self.function(function),
        }
    }

    /// An expression, or `-` where there is none.
    pub(super) fn optional_expr(&mut self, expr: Option<&Expr<'_>>) {
        match expr {
            Some(expr) => self.expr(expr),
            None => self.word("-"),
        }
    }

    fn pair(&mut self, head: &str, line: u32, first: ExprRef<'_>, second: ExprRef<'_>) {
        self.node(head, line, |p| {
            p.expr(first);
            p.expr(second);
        });
    }

    fn parts(&mut self, parts: &[StringPart<'_>]) {
        for part in parts {
            let head = format!("{:?}", part.syntax).to_lowercase();
            self.group(&head, |p| p.expr(part.expr));
        }
    }

    fn item(&mut self, item: Option<ArrayItem<'_>>) {
        let Some(item) = item else {
            return self.word("-");
        };
        self.text(" ");
        self.node("item", item.line, |p| {
            p.flag(item.by_ref, "&");
            p.flag(item.spread, "...");
            if item.key.is_some() {
                p.optional_expr(item.key);
            }
            p.expr(item.value);
        });
    }

    pub(super) fn args(&mut self, args: &Args<'_>) {
        self.text(" ");
        self.node("args", args.line, |p| {
            p.flag(args.first_class_callable, "...");
            for arg in args.items {
                p.flag(arg.spread, "...");
                if let Some(name) = arg.name {
                    p.bytes(name);
                    p.text(":");
                }
                p.expr(arg.value);
            }
        });
    }

    fn match_arm(&mut self, arm: &MatchArm<'_>) {
        self.text(" ");
        self.node("arm", arm.line, |p| {
            match arm.conditions {
                Some(conditions) => conditions.iter().for_each(|condition| p.expr(condition)),
                None => p.word("default"),
            }
            p.word("=>");
            p.expr(arm.body);
        });
    }
}
