//! Control structures, each in its two syntaxes.

use super::{Parser, Result, T};
use crate::ast::{
    Catch, ConstItem, ExprKind as E, ExprRef, For, Foreach, IfArm, Stmt, StmtKind as S, SwitchCase,
    Try,
};

impl<'a> Parser<'a, '_> {
    /// `if`, with every `elseif`, `else if` and `else` that belongs to it.
    ///
    /// `else if` is read as an arm of the same statement, so that a long chain does not nest.
    pub(super) fn if_statement(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        let condition = self.condition()?;
        let line = condition.line;
        if self.kind() == T::Colon {
            let arms = self.if_block_arms(condition)?;
            return Ok(Stmt {
                kind: S::If(arms),
                line,
            });
        }
        let body = self.body()?;
        let mut arms = vec![IfArm {
            condition: Some(condition),
            body,
            line,
        }];
        loop {
            match self.kind() {
                T::Elseif => {
                    self.bump();
                }
                T::Else if self.next_kind() == T::If => {
                    self.bump();
                    self.bump();
                }
                T::Else => {
                    self.bump();
                    let body = self.body()?;
                    arms.push(IfArm {
                        condition: None,
                        body,
                        line: body.line,
                    });
                    break;
                }
                _ => break,
            }
            let written_elseif = self.tokens[self.index - 1].kind == T::Elseif;
            let condition = self.condition()?;
            if self.kind() == T::Colon && !written_elseif {
                let arms_of_else = self.if_block_arms(condition)?;
                let line = condition.line;
                let body = self.arena.alloc(Stmt {
                    kind: S::If(arms_of_else),
                    line,
                });
                arms.push(IfArm {
                    condition: None,
                    body,
                    line,
                });
                break;
            }
            let body = self.body()?;
            arms.push(IfArm {
                condition: Some(condition),
                body,
                line: condition.line,
            });
        }
        Ok(Stmt {
            kind: S::If(self.arena.alloc_slice_copy(&arms)),
            line,
        })
    }

    /// `: ... elseif (...): ... else: ... endif;` after the first condition.
    fn if_block_arms(&mut self, first: ExprRef<'a>) -> Result<&'a [IfArm<'a>]> {
        let ends = |kind| matches!(kind, T::Elseif | T::Else | T::Endif);
        let mut arms = Vec::new();
        let mut condition = Some(first);
        loop {
            let body = self.block(ends)?;
            let line = condition.map_or(body.line, |condition| condition.line);
            arms.push(IfArm {
                condition,
                body,
                line,
            });
            if condition.is_none() || self.kind() == T::Endif {
                self.expect(T::Endif)?;
                self.expect(T::Semicolon)?;
                return Ok(self.arena.alloc_slice_copy(&arms));
            }
            condition = match self.bump().kind {
                T::Elseif => Some(self.condition()?),
                _ => None,
            };
        }
    }

    /// `:` and the statements up to a token that ends them, as one statement.
    fn block(&mut self, ends: impl Fn(T) -> bool) -> Result<&'a Stmt<'a>> {
        let line = self.expect(T::Colon)?.line;
        let statements = self.statements_until(ends)?;
        Ok(self.arena.alloc(Stmt {
            kind: S::Block(statements),
            line,
        }))
    }

    /// A statement as the body of another.
    fn body(&mut self) -> Result<&'a Stmt<'a>> {
        let statement = self.nested(Self::statement)?;
        Ok(self.arena.alloc(statement))
    }

    /// The body of a loop: a statement, or `: ... end;`.
    fn loop_body(&mut self, end: T) -> Result<&'a Stmt<'a>> {
        if self.kind() != T::Colon {
            return self.body();
        }
        let body = self.block(|kind| kind == end)?;
        self.expect(end)?;
        self.expect(T::Semicolon)?;
        Ok(body)
    }

    pub(super) fn while_statement(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        let condition = self.condition()?;
        let body = self.loop_body(T::Endwhile)?;
        Ok(Stmt {
            kind: S::While { condition, body },
            line: condition.line,
        })
    }

    pub(super) fn do_while(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        let body = self.body()?;
        self.expect(T::While)?;
        let condition = self.condition()?;
        self.expect(T::Semicolon)?;
        Ok(Stmt {
            kind: S::DoWhile { body, condition },
            line: body.line,
        })
    }

    pub(super) fn for_statement(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        self.expect(T::OpenParen)?;
        let init = self.expressions_before(T::Semicolon)?;
        self.expect(T::Semicolon)?;
        let condition = self.expressions_before(T::Semicolon)?;
        self.expect(T::Semicolon)?;
        let step = self.expressions_before(T::CloseParen)?;
        self.expect(T::CloseParen)?;
        let body = self.loop_body(T::Endfor)?;
        let line = [init, condition, step]
            .iter()
            .find_map(|list| list.first())
            .map_or(body.line, |first| first.line);
        let parts = self.arena.alloc(For {
            init,
            condition,
            step,
            body,
        });
        Ok(Stmt {
            kind: S::For(parts),
            line,
        })
    }

    pub(super) fn foreach(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        self.expect(T::OpenParen)?;
        let subject = self.expression()?;
        self.expect(T::As)?;
        let (mut by_ref, mut value) = self.foreach_target()?;
        let mut key = None;
        if self.kind() == T::DoubleArrow {
            // Zend's grammar takes any target as the key; this tree has no place for such a `&`.
            if by_ref {
                self.defer("Key element cannot be a reference", value.line);
            }
            self.bump();
            key = Some(value);
            (by_ref, value) = self.foreach_target()?;
        }
        self.expect(T::CloseParen)?;
        let body = self.loop_body(T::Endforeach)?;
        let parts = self.arena.alloc(Foreach {
            subject,
            key,
            value,
            by_ref,
            body,
        });
        Ok(Stmt {
            kind: S::Foreach(parts),
            line: subject.line,
        })
    }

    pub(super) fn switch(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        let subject = self.condition()?;
        let end = match self.kind() {
            T::OpenBrace => T::CloseBrace,
            T::Colon => T::Endswitch,
            _ => return self.syntax(),
        };
        self.bump();
        // One `;` may stand before the first case.
        self.eat(T::Semicolon);
        let mut cases = Vec::new();
        while self.kind() != end {
            cases.push(self.switch_case(end)?);
        }
        self.bump();
        if end == T::Endswitch {
            self.expect(T::Semicolon)?;
        }
        let cases = self.arena.alloc_slice_copy(&cases);
        Ok(Stmt {
            kind: S::Switch { subject, cases },
            line: subject.line,
        })
    }

    fn switch_case(&mut self, end: T) -> Result<SwitchCase<'a>> {
        let condition = match self.kind() {
            T::Case => {
                self.bump();
                Some(self.expression()?)
            }
            T::Default => {
                self.bump();
                None
            }
            _ => return self.syntax(),
        };
        if !self.eat(T::Colon) {
            self.expect(T::Semicolon)?;
        }
        let separator = self.previous_line();
        let body =
            self.statements_until(|kind| matches!(kind, T::Case | T::Default) || kind == end)?;
        let line = condition.map_or(separator, |condition| condition.line);
        Ok(SwitchCase {
            condition,
            body,
            line,
        })
    }

    pub(super) fn try_statement(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        let line = self.line();
        let body = self.braced_statements()?;
        let mut catches = Vec::new();
        while self.eat(T::Catch) {
            catches.push(self.catch()?);
        }
        let mut finally = None;
        let mut finally_line = 0;
        if self.eat(T::Finally) {
            finally_line = self.line();
            finally = Some(self.braced_statements()?);
        }
        let catches = self.arena.alloc_slice_copy(&catches);
        let parts = self.arena.alloc(Try {
            body,
            catches,
            finally,
            finally_line,
        });
        Ok(Stmt {
            kind: S::Try(parts),
            line,
        })
    }

    fn catch(&mut self) -> Result<Catch<'a>> {
        self.expect(T::OpenParen)?;
        let mut classes = vec![self.class_name()?];
        while self.eat(T::Pipe) {
            classes.push(self.class_name()?);
        }
        let variable = match self.kind() {
            T::Variable => Some(self.variable_name()?.bytes),
            _ => None,
        };
        self.expect(T::CloseParen)?;
        let body = self.braced_statements()?;
        let classes = self.arena.alloc_slice_copy(&classes);
        Ok(Catch {
            classes,
            variable,
            body,
            line: classes[0].line,
        })
    }

    /// `declare(ticks=1);`, `declare(ticks=1) { ... }`, `declare(ticks=1): ... enddeclare;`
    pub(super) fn declare(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        self.expect(T::OpenParen)?;
        let directives = self.const_items()?;
        self.expect(T::CloseParen)?;
        self.check_encoding(directives)?;
        let body = if self.eat(T::Semicolon) {
            None
        } else {
            Some(self.loop_body(T::Enddeclare)?)
        };
        let line = directives[0].line;
        Ok(Stmt {
            kind: S::Declare { directives, body },
            line,
        })
    }

    /// An encoding takes effect at once in Zend, so its errors come while it parses.
    fn check_encoding(&mut self, directives: &[ConstItem<'a>]) -> Result<()> {
        for directive in directives {
            if !directive.name.eq_ignore_ascii_case(b"encoding") {
                continue;
            }
            let line = self.previous_line();
            if !matches!(directive.value.kind, E::Int(_) | E::Float(_) | E::String(_)) {
                return self.fatal("Encoding must be a literal", line);
            }
            let Some(multibyte) = self.multibyte else {
                let message = "declare(encoding=...) ignored because Zend multibyte feature is \
                               turned off by settings";
                self.warn(message, line);
                continue;
            };
            let name = match directive.value.kind {
                E::Int(value) => value.to_string(),
                E::Float(value) => crate::compiler::numbers::double_to_string(value, 14),
                E::String(name) => String::from_utf8_lossy(name).into_owned(),
                _ => continue,
            };
            if !(multibyte.knows)(name.as_bytes()) {
                self.warn(format!("Unsupported encoding [{name}]"), line);
            }
        }
        Ok(())
    }
}
