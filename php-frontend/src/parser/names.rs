//! Names and identifiers.

use super::{Parser, Result, T};
use crate::ast::{Identifier, Name, NameKind};
use crate::lexer::Token;

/// Whether a keyword can be used as a member name.
pub(super) fn is_identifier(kind: T) -> bool {
    kind == T::Identifier
        || (kind as u8 >= T::Include as u8
            && kind as u8 <= T::MagicNamespace as u8
            && kind != T::HaltCompiler)
}

/// Whether a token is a name, qualified or not.
pub(super) fn is_name(kind: T) -> bool {
    matches!(
        kind,
        T::Identifier | T::NameQualified | T::NameFullyQualified | T::NameRelative
    )
}

impl<'a> Parser<'a, '_> {
    /// A name from a token that [`is_name`] accepts.
    pub(super) fn name_of(&self, token: Token) -> Name<'a> {
        let text = self.text(token);
        let (kind, bytes) = match token.kind {
            T::NameQualified => (NameKind::Qualified, text),
            T::NameFullyQualified => (NameKind::FullyQualified, &text[1..]),
            T::NameRelative => (NameKind::Relative, &text["namespace\\".len()..]),
            _ => (NameKind::Unqualified, text),
        };
        Name {
            bytes,
            line: token.line,
            kind,
        }
    }

    /// A name that has to be there.
    pub(super) fn name(&mut self) -> Result<Name<'a>> {
        if !is_name(self.kind()) {
            return self.syntax();
        }
        let token = self.bump();
        Ok(self.name_of(token))
    }

    /// A class name where `static` is allowed by the grammar (the compiler refuses it).
    pub(super) fn class_name(&mut self) -> Result<Name<'a>> {
        if self.kind() == T::Static {
            let token = self.bump();
            let (bytes, line) = (self.text(token), token.line);
            return Ok(Name {
                bytes,
                line,
                kind: NameKind::Unqualified,
            });
        }
        self.name()
    }

    /// `A, B, C`
    pub(super) fn class_names(&mut self) -> Result<&'a [Name<'a>]> {
        let mut names = vec![self.class_name()?];
        while self.eat(T::Comma) {
            names.push(self.class_name()?);
        }
        Ok(self.arena.alloc_slice_copy(&names))
    }

    /// An identifier that may be a keyword.
    pub(super) fn identifier(&mut self) -> Result<Identifier<'a>> {
        if !is_identifier(self.kind()) {
            return self.syntax();
        }
        let token = self.bump();
        Ok(Identifier {
            bytes: self.text(token),
            line: token.line,
        })
    }

    /// An identifier that may not be a keyword.
    pub(super) fn plain_identifier(&mut self) -> Result<Identifier<'a>> {
        let token = self.expect(T::Identifier)?;
        Ok(Identifier {
            bytes: self.text(token),
            line: token.line,
        })
    }

    /// The name of a `$variable`, without `$`.
    pub(super) fn variable_name(&mut self) -> Result<Identifier<'a>> {
        let token = self.expect(T::Variable)?;
        Ok(Identifier {
            bytes: &self.text(token)[1..],
            line: token.line,
        })
    }
}
