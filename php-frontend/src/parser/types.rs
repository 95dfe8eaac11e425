//! Type declarations.

use super::names::is_name;
use super::{Parser, Result, T};
use crate::ast::{OptionalType, Type, TypeKind};

impl<'a> Parser<'a, '_> {
    /// A type, if one begins here. `static` is one only where a return type may stand.
    pub(super) fn optional_type(&mut self, allow_static: bool) -> Result<OptionalType<'a>> {
        let begins = match self.kind() {
            T::Question | T::Array | T::Callable | T::OpenParen => true,
            T::Static => allow_static,
            kind => is_name(kind),
        };
        if begins {
            self.type_expression(allow_static).map(Some)
        } else {
            Ok(None)
        }
    }

    /// `: T` after a parameter list.
    pub(super) fn return_type(&mut self) -> Result<OptionalType<'a>> {
        if self.eat(T::Colon) {
            self.type_expression(true).map(Some)
        } else {
            Ok(None)
        }
    }

    /// `T`, `?T`, `A|B`, `A&B`, `(A&B)|C`
    pub(super) fn type_expression(&mut self, allow_static: bool) -> Result<&'a Type<'a>> {
        if self.eat(T::Question) {
            let inner = self.simple_type(allow_static)?;
            let line = inner.line;
            let inner = &*self.arena.alloc(inner);
            return Ok(self.arena.alloc(Type {
                kind: TypeKind::Nullable(inner),
                line,
            }));
        }
        let (first, grouped) = self.union_member(allow_static)?;
        let line = first.line;
        let kind = match self.kind() {
            T::Pipe => {
                let mut members = vec![first];
                while self.eat(T::Pipe) {
                    members.push(self.union_member(allow_static)?.0);
                }
                TypeKind::Union(self.arena.alloc_slice_copy(&members))
            }
            // A group is a member of a union and nothing else.
            _ if grouped => return self.syntax(),
            T::Ampersand => self.intersection(first, allow_static)?,
            _ => return Ok(self.arena.alloc(first)),
        };
        Ok(self.arena.alloc(Type { kind, line }))
    }

    /// A member of a union, and whether it is a group in parentheses.
    fn union_member(&mut self, allow_static: bool) -> Result<(Type<'a>, bool)> {
        if !self.eat(T::OpenParen) {
            return Ok((self.simple_type(allow_static)?, false));
        }
        let first = self.simple_type(allow_static)?;
        if self.kind() != T::Ampersand {
            return self.syntax();
        }
        let kind = self.intersection(first, allow_static)?;
        self.expect(T::CloseParen)?;
        Ok((
            Type {
                kind,
                line: first.line,
            },
            true,
        ))
    }

    /// `& B & C` after the first member. `&` before a variable is no part of the type.
    fn intersection(&mut self, first: Type<'a>, allow_static: bool) -> Result<TypeKind<'a>> {
        let mut members = vec![first];
        while self.eat(T::Ampersand) {
            members.push(self.simple_type(allow_static)?);
        }
        Ok(TypeKind::Intersection(
            self.arena.alloc_slice_copy(&members),
        ))
    }

    fn simple_type(&mut self, allow_static: bool) -> Result<Type<'a>> {
        let line = self.line();
        let kind = match self.kind() {
            T::Array => TypeKind::Array,
            T::Callable => TypeKind::Callable,
            T::Static if allow_static => TypeKind::Static,
            kind if is_name(kind) => {
                return Ok(Type {
                    kind: TypeKind::Named(self.name()?),
                    line,
                });
            }
            _ => return self.syntax(),
        };
        self.bump();
        Ok(Type { kind, line })
    }
}
