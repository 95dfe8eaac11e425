//! Statements as source text again.

use super::Printer;
use crate::ast::{ExprRef, For, Foreach, IfArm, Stmt, StmtKind, SwitchCase, Try};

impl Printer<'_> {
    /// Goes to the place of the next line's text.
    pub(super) fn indentation(&mut self) {
        for _ in 0..self.indent {
            self.push("    ");
        }
    }

    /// `{`, statements on lines of their own, `}`.
    pub(super) fn block(&mut self, statements: &[Stmt<'_>]) {
        self.push("{\n");
        self.indented(|printer| printer.statements(statements));
        self.indentation();
        self.push("}");
    }

    /// Prints one level further in.
    pub(super) fn indented(&mut self, body: impl FnOnce(&mut Self)) {
        self.indent += 1;
        body(self);
        self.indent -= 1;
    }

    fn statements(&mut self, statements: &[Stmt<'_>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    /// The body of a loop or branch, whatever it is written as.
    fn body(&mut self, body: &Stmt<'_>) {
        self.block(std::slice::from_ref(body));
    }

    /// A statement with its line's indentation and end. Blocks have no braces of their own.
    fn statement(&mut self, statement: &Stmt<'_>) {
        if self.is_too_deep() {
            return;
        }
        self.depth += 1;
        self.statement_kind(statement);
        self.depth -= 1;
    }

    fn statement_kind(&mut self, statement: &Stmt<'_>) {
        use StmtKind as S;
        match statement.kind {
            S::Nop => {}
            S::Block(statements) => self.statements(statements),
            S::Expr(value) => self.line(|printer| printer.expr(value, 0)),
            S::Echo(values) => self.each("echo ", values),
            S::InlineHtml(bytes) => self.line(|printer| {
                printer.push("echo ");
                printer.quoted(bytes);
            }),
            S::If(arms) => self.branches(arms),
            S::While { condition, body } => {
                self.head("while (", condition);
                self.body(body);
                self.push("\n");
            }
            S::DoWhile { body, condition } => {
                self.indentation();
                self.push("do ");
                self.body(body);
                self.push(" while (");
                self.expr(condition, 0);
                self.push(");\n");
            }
            S::For(parts) => self.for_loop(parts),
            S::Foreach(parts) => self.foreach_loop(parts),
            S::Switch { subject, cases } => self.switch(subject, cases),
            S::Break(level) => self.word("break", level),
            S::Continue(level) => self.word("continue", level),
            S::Return(value) => self.word("return", value),
            S::Global(variables) => self.each("global ", variables),
            S::StaticVars(variables) => {
                for variable in variables {
                    self.line(|printer| {
                        printer.push("static $");
                        printer.push(variable.name);
                        printer.default(variable.default);
                    });
                }
            }
            S::Unset(variables) => {
                for variable in variables {
                    self.line(|printer| printer.function("unset", variable));
                }
            }
            S::Try(parts) => self.try_statement(parts),
            S::Goto(label) => self.line(|printer| {
                printer.push("goto ");
                printer.push(label.bytes);
            }),
            S::Label(label) => {
                self.indentation();
                self.push(label.bytes);
                self.push(":\n");
            }
            S::Declare { directives, body } => {
                self.indentation();
                self.push("declare(");
                self.list(directives, |printer, directive| {
                    printer.push(directive.name);
                    printer.push(" = ");
                    printer.expr(directive.value, 80);
                });
                self.push(")");
                match body {
                    Some(body) => {
                        self.push(" ");
                        self.body(body);
                    }
                    None => self.push(";"),
                }
                self.push("\n");
            }
            S::Const(items) => self.line(|printer| {
                printer.push("const ");
                printer.constants(items);
            }),
            S::Function(function) => self.declared_function(function),
            S::Class(class) => self.declared_class(class),
            // They stand only outside of functions, where no assertion reaches.
            S::Namespace { .. } | S::Use(_) | S::HaltCompiler { .. } => {}
        }
    }

    fn line(&mut self, body: impl FnOnce(&mut Self)) {
        self.indentation();
        body(self);
        self.push(";\n");
    }

    /// One statement for each operand.
    fn each(&mut self, word: &str, values: &[ExprRef<'_>]) {
        for value in values {
            self.line(|printer| {
                printer.push(word);
                printer.expr(value, 0);
            });
        }
    }

    fn word(&mut self, word: &str, value: Option<ExprRef<'_>>) {
        self.line(|printer| {
            printer.push(word);
            if let Some(value) = value {
                printer.push(" ");
                printer.expr(value, 0);
            }
        });
    }

    fn head(&mut self, word: &str, value: ExprRef<'_>) {
        self.indentation();
        self.push(word);
        self.expr(value, 0);
        self.push(") ");
    }

    fn branches(&mut self, arms: &[IfArm<'_>]) {
        self.indentation();
        for (position, arm) in arms.iter().enumerate() {
            if position > 0 {
                self.push(" else");
            }
            match arm.condition {
                Some(condition) => {
                    self.push("if (");
                    self.expr(condition, 0);
                    self.push(") ");
                }
                None => self.push(" "),
            }
            self.body(arm.body);
        }
        self.push("\n");
    }

    fn for_loop(&mut self, parts: &For<'_>) {
        self.indentation();
        self.push("for (");
        self.operands(parts.init);
        self.push(";");
        for (operands, end) in [(parts.condition, ";"), (parts.step, ") ")] {
            if !operands.is_empty() {
                self.push(" ");
                self.operands(operands);
            }
            self.push(end);
        }
        self.body(parts.body);
        self.push("\n");
    }

    fn operands(&mut self, operands: &[ExprRef<'_>]) {
        self.list(operands, |printer, operand| printer.expr(operand, 0));
    }

    fn foreach_loop(&mut self, parts: &Foreach<'_>) {
        self.indentation();
        self.push("foreach (");
        self.expr(parts.subject, 0);
        self.push(" as ");
        if let Some(key) = parts.key {
            self.expr(key, 0);
            self.push(" => ");
        }
        if parts.by_ref {
            self.push("&");
        }
        self.expr(parts.value, 0);
        self.push(") ");
        self.body(parts.body);
        self.push("\n");
    }

    fn switch(&mut self, subject: ExprRef<'_>, cases: &[SwitchCase<'_>]) {
        self.head("switch (", subject);
        self.push("{\n");
        self.indented(|printer| {
            for case in cases {
                printer.indentation();
                match case.condition {
                    Some(value) => {
                        printer.push("case ");
                        printer.expr(value, 0);
                        printer.push(":\n");
                    }
                    None => printer.push("default:\n"),
                }
                printer.indented(|printer| printer.statements(case.body));
            }
        });
        self.indentation();
        self.push("}\n");
    }

    fn try_statement(&mut self, parts: &Try<'_>) {
        self.indentation();
        self.push("try ");
        self.block(parts.body);
        for catch in parts.catches {
            self.push(" catch (");
            for (position, class) in catch.classes.iter().enumerate() {
                if position > 0 {
                    self.push("|");
                }
                self.name(class);
            }
            if let Some(variable) = catch.variable {
                self.push(" $");
                self.push(variable);
            }
            self.push(") ");
            self.block(catch.body);
        }
        if let Some(statements) = parts.finally {
            self.push(" finally ");
            self.block(statements);
        }
        self.push("\n");
    }
}
