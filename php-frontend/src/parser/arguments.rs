//! Argument lists and attributes.

use super::names::is_identifier;
use super::{Parser, Result, T};
use crate::ast::{Arg, Args, Attribute, AttributeGroup, Attributes};

impl<'a> Parser<'a, '_> {
    /// `(a, ...b, c: d)` or `(...)`
    pub(super) fn arguments(&mut self) -> Result<&'a Args<'a>> {
        self.expect(T::OpenParen)?;
        if self.kind() == T::Ellipsis && self.next_kind() == T::CloseParen {
            self.bump();
            let line = self.bump().line;
            return Ok(self.arena.alloc(Args {
                items: &[],
                line,
                first_class_callable: true,
            }));
        }
        let mark = self.arguments.len();
        while self.kind() != T::CloseParen {
            let argument = self.argument()?;
            self.arguments.push(argument);
            if !self.eat(T::Comma) {
                break;
            }
        }
        let close = self.expect(T::CloseParen)?;
        let line = self
            .arguments
            .get(mark)
            .map_or(close.line, |first| first.line);
        let items = self.arena.alloc_slice_copy(&self.arguments[mark..]);
        self.arguments.truncate(mark);
        Ok(self.arena.alloc(Args {
            items,
            line,
            first_class_callable: false,
        }))
    }

    fn argument(&mut self) -> Result<Arg<'a>> {
        if self.eat(T::Ellipsis) {
            let value = self.expression()?;
            return Ok(Arg {
                value,
                name: None,
                spread: true,
                line: value.line,
            });
        }
        if self.next_kind() == T::Colon && is_identifier(self.kind()) {
            let name = self.identifier()?;
            self.bump();
            let value = self.expression()?;
            return Ok(Arg {
                value,
                name: Some(name.bytes),
                spread: false,
                line: name.line,
            });
        }
        let value = self.expression()?;
        Ok(Arg {
            value,
            name: None,
            spread: false,
            line: value.line,
        })
    }

    /// `#[A, B(1)] #[C]`, as many groups as there are.
    pub(super) fn attributes(&mut self) -> Result<Attributes<'a>> {
        if self.kind() != T::AttributeStart {
            return Ok(&[]);
        }
        self.nested(Self::attribute_groups)
    }

    fn attribute_groups(&mut self) -> Result<Attributes<'a>> {
        let mut groups = Vec::new();
        while self.eat(T::AttributeStart) {
            let mut attributes = Vec::new();
            loop {
                attributes.push(self.attribute()?);
                if !self.eat(T::Comma) || self.kind() == T::CloseBracket {
                    break;
                }
            }
            self.expect(T::CloseBracket)?;
            let attributes = self.arena.alloc_slice_copy(&attributes);
            groups.push(AttributeGroup { attributes });
        }
        Ok(self.arena.alloc_slice_copy(&groups))
    }

    fn attribute(&mut self) -> Result<Attribute<'a>> {
        let name = self.class_name()?;
        let args = match self.kind() {
            T::OpenParen => Some(self.arguments()?),
            _ => None,
        };
        Ok(Attribute {
            name,
            args,
            line: name.line,
        })
    }
}
