//! Statements that are not control structures.

use super::{Parser, Result, T};
use crate::ast::{ExprRef, StaticVar, Stmt, StmtKind as S};

impl<'a> Parser<'a, '_> {
    /// Statements up to a token that ends them, which is not taken.
    pub(super) fn statements_until(&mut self, ends: impl Fn(T) -> bool) -> Result<&'a [Stmt<'a>]> {
        let mark = self.statements.len();
        while !ends(self.kind()) {
            let statement = self.inner_statement()?;
            self.statements.push(statement);
        }
        Ok(self.take_statements(mark))
    }

    pub(super) fn take_statements(&mut self, mark: usize) -> &'a [Stmt<'a>] {
        let statements = self.arena.alloc_slice_copy(&self.statements[mark..]);
        self.statements.truncate(mark);
        statements
    }

    /// `{ ... }`
    pub(super) fn braced_statements(&mut self) -> Result<&'a [Stmt<'a>]> {
        self.nested(|parser| {
            parser.expect(T::OpenBrace)?;
            let statements = parser.statements_until(|kind| kind == T::CloseBrace)?;
            parser.bump();
            Ok(statements)
        })
    }

    /// A statement inside a block.
    fn inner_statement(&mut self) -> Result<Stmt<'a>> {
        if self.kind() == T::HaltCompiler {
            self.bump();
            self.expect(T::OpenParen)?;
            self.expect(T::CloseParen)?;
            self.expect(T::Semicolon)?;
            let message = "__HALT_COMPILER() can only be used from the outermost scope";
            return self.fatal(message, self.previous_line());
        }
        self.statement_or_declaration()
    }

    /// A statement, or a function or class.
    pub(super) fn statement_or_declaration(&mut self) -> Result<Stmt<'a>> {
        match self.kind() {
            T::Function if self.at_function_declaration() => self.function_statement(&[]),
            T::Readonly if self.next_kind() == T::OpenParen => self.statement(),
            T::Abstract | T::Final | T::Readonly | T::Class | T::Interface | T::Trait | T::Enum => {
                self.class_statement(&[])
            }
            T::AttributeStart => {
                let attributes = self.attributes()?;
                match self.kind() {
                    T::Function if self.at_function_declaration() => {
                        self.function_statement(attributes)
                    }
                    T::Abstract
                    | T::Final
                    | T::Readonly
                    | T::Class
                    | T::Interface
                    | T::Trait
                    | T::Enum => self.class_statement(attributes),
                    _ => {
                        let closure = self.closure_after(attributes)?;
                        let expr = self.continue_expression(closure)?;
                        self.expression_end(expr)
                    }
                }
            }
            _ => self.statement(),
        }
    }

    fn function_statement(&mut self, attributes: crate::ast::Attributes<'a>) -> Result<Stmt<'a>> {
        let function = self.function_declaration(attributes)?;
        Ok(Stmt {
            kind: S::Function(function),
            line: function.start_line,
        })
    }

    fn class_statement(&mut self, attributes: crate::ast::Attributes<'a>) -> Result<Stmt<'a>> {
        let class = self.class_declaration(attributes)?;
        Ok(Stmt {
            kind: S::Class(class),
            line: class.start_line,
        })
    }

    /// A statement that is the body of another, or stands in a block.
    pub(super) fn statement(&mut self) -> Result<Stmt<'a>> {
        let line = self.line();
        match self.kind() {
            T::Variable => self.expression_statement(),
            T::OpenBrace => {
                let statements = self.braced_statements()?;
                Ok(Stmt {
                    kind: S::Block(statements),
                    line,
                })
            }
            T::If => self.nested(Self::if_statement),
            T::While => self.nested(Self::while_statement),
            T::Do => self.nested(Self::do_while),
            T::For => self.nested(Self::for_statement),
            T::Foreach => self.nested(Self::foreach),
            T::Switch => self.nested(Self::switch),
            T::Try => self.nested(Self::try_statement),
            T::Declare => self.nested(Self::declare),
            T::Break => self.jump(S::Break),
            T::Continue => self.jump(S::Continue),
            T::Return => self.jump(S::Return),
            T::Echo => self.echo(),
            T::InlineHtml => {
                let token = self.bump();
                let line = self.start_line(token);
                Ok(Stmt {
                    kind: S::InlineHtml(self.literal(self.text(token))),
                    line,
                })
            }
            T::Global => self.global(),
            T::Static if self.next_kind() == T::Variable => self.static_variables(),
            T::Unset => self.unset(),
            T::Goto => {
                self.bump();
                let label = self.plain_identifier()?;
                self.expect(T::Semicolon)?;
                Ok(Stmt {
                    kind: S::Goto(label),
                    line: label.line,
                })
            }
            T::Semicolon => {
                self.bump();
                Ok(Stmt { kind: S::Nop, line })
            }
            T::Identifier if self.next_kind() == T::Colon => {
                let label = self.plain_identifier()?;
                self.bump();
                Ok(Stmt {
                    kind: S::Label(label),
                    line: label.line,
                })
            }
            _ => self.expression_statement(),
        }
    }

    fn expression_statement(&mut self) -> Result<Stmt<'a>> {
        let expr = self.expression()?;
        self.expression_end(expr)
    }

    fn expression_end(&mut self, expr: ExprRef<'a>) -> Result<Stmt<'a>> {
        self.expect(T::Semicolon)?;
        Ok(Stmt {
            kind: S::Expr(expr),
            line: expr.line,
        })
    }

    /// `break`, `continue` and `return`: a value or none.
    fn jump(&mut self, kind: fn(Option<ExprRef<'a>>) -> S<'a>) -> Result<Stmt<'a>> {
        self.bump();
        let value = if self.kind() == T::Semicolon {
            None
        } else {
            Some(self.expression()?)
        };
        let end = self.expect(T::Semicolon)?;
        Ok(Stmt {
            kind: kind(value),
            line: value.map_or(end.line, |value| value.line),
        })
    }

    /// Items with commas between them.
    fn separated(
        &mut self,
        item: impl Fn(&mut Self) -> Result<ExprRef<'a>>,
    ) -> Result<&'a [ExprRef<'a>]> {
        let mark = self.expressions.len();
        loop {
            let expr = item(self)?;
            self.expressions.push(expr);
            if !self.eat(T::Comma) {
                return Ok(self.take_expressions(mark));
            }
        }
    }

    pub(super) fn take_expressions(&mut self, mark: usize) -> &'a [ExprRef<'a>] {
        let expressions = self.arena.alloc_slice_copy(&self.expressions[mark..]);
        self.expressions.truncate(mark);
        expressions
    }

    /// Expressions with commas between them, or none before the token given.
    pub(super) fn expressions_before(&mut self, end: T) -> Result<&'a [ExprRef<'a>]> {
        if self.kind() == end {
            Ok(&[])
        } else {
            self.separated(Self::expression)
        }
    }

    fn echo(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        let values = self.separated(Self::expression)?;
        self.expect(T::Semicolon)?;
        Ok(Stmt {
            kind: S::Echo(values),
            line: values[0].line,
        })
    }

    fn global(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        let variables = self.separated(|parser| match parser.kind() {
            T::Variable | T::Dollar => parser.simple_variable(),
            _ => parser.syntax(),
        })?;
        self.expect(T::Semicolon)?;
        Ok(Stmt {
            kind: S::Global(variables),
            line: variables[0].line,
        })
    }

    fn static_variables(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        let mut variables = Vec::new();
        loop {
            let name = self.variable_name()?;
            let default = if self.eat(T::Equals) {
                Some(self.expression()?)
            } else {
                None
            };
            variables.push(StaticVar {
                name: name.bytes,
                default,
                line: name.line,
            });
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.expect(T::Semicolon)?;
        let variables = self.arena.alloc_slice_copy(&variables);
        Ok(Stmt {
            kind: S::StaticVars(variables),
            line: variables[0].line,
        })
    }

    fn unset(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        self.expect(T::OpenParen)?;
        let mark = self.expressions.len();
        loop {
            let variable = self.variable()?;
            self.expressions.push(variable);
            if !self.eat(T::Comma) || self.kind() == T::CloseParen {
                break;
            }
        }
        self.expect(T::CloseParen)?;
        self.expect(T::Semicolon)?;
        let variables = self.take_expressions(mark);
        Ok(Stmt {
            kind: S::Unset(variables),
            line: variables[0].line,
        })
    }

    /// Whether a loop's value target is written with `&`, and the target.
    pub(super) fn foreach_target(&mut self) -> Result<(bool, ExprRef<'a>)> {
        if self.eat_ampersand() {
            return Ok((true, self.variable()?));
        }
        let target = match self.kind() {
            T::List => self.list()?,
            T::OpenBracket => {
                let array = self.nested(Self::foreach_array)?;
                return Ok((false, array));
            }
            _ => self.variable()?,
        };
        Ok((false, target))
    }

    /// A pattern, or a variable that begins with an array literal.
    fn foreach_array(&mut self) -> Result<ExprRef<'a>> {
        let array = self.short_array()?;
        match self.kind() {
            T::CloseParen | T::DoubleArrow => Ok(array),
            _ => self.expression_from_array(array),
        }
    }
}
