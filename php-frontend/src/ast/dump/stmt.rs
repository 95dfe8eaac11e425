//! Statements as text.

use super::Printer;
use crate::ast::{ConstItem, ExprRef, Stmt, StmtKind as S, Use};

impl Printer {
    /// Statements, each on a line of its own.
    pub(super) fn statements(&mut self, statements: &[Stmt<'_>]) {
        for statement in statements {
            self.line();
            self.stmt(statement);
        }
    }

    /// Statements one step further in.
    pub(super) fn block(&mut self, statements: &[Stmt<'_>]) {
        self.indentation += 1;
        self.statements(statements);
        self.indentation -= 1;
    }

    /// A statement as the body of another.
    fn body(&mut self, statement: &Stmt<'_>) {
        self.block(std::slice::from_ref(statement));
    }

    fn exprs(&mut self, expressions: &[ExprRef<'_>]) {
        expressions.iter().for_each(|expr| self.expr(expr));
    }

    pub(super) fn const_items(&mut self, items: &[ConstItem<'_>]) {
        for item in items {
            self.text(" ");
            self.node("item", item.line, |p| {
                p.bytes(item.name);
                p.doc_comment(item.doc_comment);
                p.expr(item.value);
            });
        }
    }

    fn stmt(&mut self, statement: &Stmt<'_>) {
        let line = statement.line;
        match statement.kind {
            S::Nop => self.node("nop", line, |_| {}),
            S::Expr(expr) => self.node("expr", line, |p| p.expr(expr)),
            S::Echo(values) => self.node("echo", line, |p| p.exprs(values)),
            S::InlineHtml(bytes) => self.node("html", line, |p| p.quoted(bytes)),
            S::Block(statements) => self.node("block", line, |p| p.block(statements)),
            S::If(arms) => self.node("if", line, |p| {
                for arm in arms {
                    p.text(" ");
                    p.node("arm", arm.line, |p| {
                        p.optional_expr(arm.condition);
                        p.body(arm.body);
                    });
                }
            }),
            S::While { condition, body } => self.node("while", line, |p| {
                p.expr(condition);
                p.body(body);
            }),
            S::DoWhile { body, condition } => self.node("do-while", line, |p| {
                p.expr(condition);
                p.body(body);
            }),
            S::For(parts) => self.node("for", line, |p| {
                p.group("init", |p| p.exprs(parts.init));
                p.group("condition", |p| p.exprs(parts.condition));
                p.group("step", |p| p.exprs(parts.step));
                p.body(parts.body);
            }),
            S::Foreach(parts) => self.node("foreach", line, |p| {
                p.expr(parts.subject);
                p.optional_expr(parts.key);
                p.flag(parts.by_ref, "&");
                p.expr(parts.value);
                p.body(parts.body);
            }),
            S::Switch { subject, cases } => self.node("switch", line, |p| {
                p.expr(subject);
                for case in cases {
                    p.text(" ");
                    p.node("case", case.line, |p| {
                        p.optional_expr(case.condition);
                        p.block(case.body);
                    });
                }
            }),
            S::Break(level) => self.node("break", line, |p| p.optional_expr(level)),
            S::Continue(level) => self.node("continue", line, |p| p.optional_expr(level)),
            S::Return(value) => self.node("return", line, |p| p.optional_expr(value)),
            S::Global(variables) => self.node("global", line, |p| p.exprs(variables)),
            S::StaticVars(variables) => self.node("static", line, |p| {
                for variable in variables {
                    p.text(" ");
                    p.node("item", variable.line, |p| {
                        p.bytes(variable.name);
                        p.optional_expr(variable.default);
                    });
                }
            }),
            S::Unset(variables) => self.node("unset", line, |p| p.exprs(variables)),
            S::Try(parts) => self.node("try", line, |p| {
                p.block(parts.body);
                for catch in parts.catches {
                    p.text(" ");
                    p.node("catch", catch.line, |p| {
                        p.names("classes", catch.classes);
                        p.bytes(catch.variable.unwrap_or(b"-"));
                        p.block(catch.body);
                    });
                }
                if let Some(finally) = parts.finally {
                    p.text(" ");
                    p.node("finally", parts.finally_line, |p| p.block(finally));
                }
            }),
            S::Goto(label) => self.node("goto", line, |p| p.bytes(label.bytes)),
            S::Label(label) => self.node("label", line, |p| p.bytes(label.bytes)),
            S::Declare { directives, body } => self.node("declare", line, |p| {
                p.const_items(directives);
                if let Some(body) = body {
                    p.body(body);
                }
            }),
            S::Namespace { name, body } => self.node("namespace", line, |p| {
                if let Some(name) = name {
                    p.name(name);
                }
                if let Some(body) = body {
                    p.block(body);
                }
            }),
            S::Use(import) => self.node("use", line, |p| p.import(import)),
            S::Const(items) => self.node("const", line, |p| p.const_items(items)),
            S::Function(function) => self.function(function),
            S::Class(class) => self.class(class),
            S::HaltCompiler { offset } => {
                self.node("halt-compiler", line, |p| p.word(&offset.to_string()));
            }
        }
    }

    fn import(&mut self, import: &Use<'_>) {
        self.word(&format!("{:?}", import.kind).to_lowercase());
        if let Some(prefix) = import.prefix {
            self.group("prefix", |p| p.name(prefix));
        }
        for item in import.items {
            self.text(" ");
            self.node("item", item.line, |p| {
                if let Some(kind) = item.kind {
                    p.word(&format!("{kind:?}").to_lowercase());
                }
                p.name(item.name);
                if let Some(alias) = item.alias {
                    p.word("as");
                    p.bytes(alias);
                }
            });
        }
    }
}
