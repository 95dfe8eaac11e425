//! Statements of the outermost level: namespaces, imports, constants, the end of the code.

use super::names::is_identifier;
use super::{Parser, Result, T};
use crate::ast::{ConstItem, Name, NameKind, Stmt, StmtKind as S, Use, UseItem, UseKind};

impl<'a> Parser<'a, '_> {
    /// Statements up to the end of the file or of a namespace.
    pub(super) fn top_statements(&mut self, end: T) -> Result<&'a [Stmt<'a>]> {
        let mark = self.statements.len();
        while self.kind() != end {
            let statement = self.top_statement()?;
            self.statements.push(statement);
        }
        Ok(self.take_statements(mark))
    }

    fn top_statement(&mut self) -> Result<Stmt<'a>> {
        match self.kind() {
            T::Use => self.use_statement(),
            T::Const => self.const_statement(),
            T::Namespace => self.nested(Self::namespace),
            T::HaltCompiler => self.halt_compiler(),
            _ => self.statement_or_declaration(),
        }
    }

    /// `__halt_compiler();`: the data begins after the `;`, or after a `?>` and its newline.
    fn halt_compiler(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        self.expect(T::OpenParen)?;
        self.expect(T::CloseParen)?;
        let end = self.expect(T::Semicolon)?;
        let offset = end.end as usize;
        self.halt_offset = Some(offset);
        Ok(Stmt {
            kind: S::HaltCompiler { offset },
            line: end.line,
        })
    }

    fn namespace(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        let mut name = None;
        if self.kind() != T::OpenBrace {
            let token = self.token();
            if token.kind != T::NameQualified && !is_identifier(token.kind) {
                return self.syntax();
            }
            let kind = match token.kind {
                T::NameQualified => NameKind::Qualified,
                _ => NameKind::Unqualified,
            };
            self.bump();
            let written = Name {
                bytes: self.text(token),
                line: token.line,
                kind,
            };
            name = Some(written);
            if self.eat(T::Semicolon) {
                return Ok(Stmt {
                    kind: S::Namespace { name, body: None },
                    line: written.line,
                });
            }
        }
        let open = self.expect(T::OpenBrace)?;
        let body = Some(self.top_statements_in_braces()?);
        let line = name.map_or(open.line, |name| name.line);
        Ok(Stmt {
            kind: S::Namespace { name, body },
            line,
        })
    }

    fn top_statements_in_braces(&mut self) -> Result<&'a [Stmt<'a>]> {
        let statements = self.top_statements(T::CloseBrace)?;
        self.bump();
        Ok(statements)
    }

    fn const_statement(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        let items = self.const_items()?;
        self.expect(T::Semicolon)?;
        Ok(Stmt {
            kind: S::Const(items),
            line: items[0].line,
        })
    }

    /// `A = 1, B = 2`
    pub(super) fn const_items(&mut self) -> Result<&'a [ConstItem<'a>]> {
        let mut items = Vec::new();
        loop {
            let name = self.plain_identifier()?;
            items.push(self.const_item(name)?);
            if !self.eat(T::Comma) {
                return Ok(self.arena.alloc_slice_copy(&items));
            }
        }
    }

    fn use_statement(&mut self) -> Result<Stmt<'a>> {
        self.bump();
        let written = self.use_kind();
        let kind = written.unwrap_or(UseKind::Class);
        let first = self.use_name(true)?;
        let line = first.line;
        let mut items = Vec::new();
        let mut prefix = None;
        if self.eat(T::Backslash) {
            prefix = Some(first);
            self.expect(T::OpenBrace)?;
            loop {
                // A group of one kind can not have other kinds in it.
                let kind = if written.is_none() {
                    self.use_kind()
                } else {
                    None
                };
                let name = self.use_name(false)?;
                items.push(self.use_item(kind, name)?);
                if !self.eat(T::Comma) || self.kind() == T::CloseBrace {
                    break;
                }
            }
            self.expect(T::CloseBrace)?;
        } else {
            items.push(self.use_item(None, first)?);
            while self.eat(T::Comma) {
                let name = self.use_name(true)?;
                items.push(self.use_item(None, name)?);
            }
        }
        self.expect(T::Semicolon)?;
        let items = self.arena.alloc_slice_copy(&items);
        Ok(Stmt {
            kind: S::Use(self.arena.alloc(Use {
                kind,
                prefix,
                items,
            })),
            line,
        })
    }

    fn use_kind(&mut self) -> Option<UseKind> {
        if self.eat(T::Function) {
            Some(UseKind::Function)
        } else if self.eat(T::Const) {
            Some(UseKind::Const)
        } else {
            None
        }
    }

    /// A name of an import. A leading backslash changes nothing, and is allowed outside of groups.
    fn use_name(&mut self, allow_leading: bool) -> Result<Name<'a>> {
        match self.kind() {
            T::Identifier | T::NameQualified => self.name(),
            T::NameFullyQualified if allow_leading => self.name(),
            _ => self.syntax(),
        }
    }

    fn use_item(&mut self, kind: Option<UseKind>, name: Name<'a>) -> Result<UseItem<'a>> {
        let alias = if self.eat(T::As) {
            Some(self.plain_identifier()?.bytes)
        } else {
            None
        };
        Ok(UseItem {
            kind,
            name,
            alias,
            line: name.line,
        })
    }
}
