//! Classes, interfaces, traits and enums.

use super::modifiers::{Target, modifier};
use super::{Parser, Result, T};
use crate::ast::{
    Args, Attributes, ClassDecl, ClassKind, Identifier, Member, Modifiers, Name, Type,
};

/// The parts of a class-like declaration before its body.
struct Head<'a> {
    kind: ClassKind,
    modifiers: Modifiers,
    name: Option<Identifier<'a>>,
    extends: Option<Name<'a>>,
    implements: &'a [Name<'a>],
    enum_type: Option<&'a Type<'a>>,
    attributes: Attributes<'a>,
    start_line: u32,
}

impl<'a> Parser<'a, '_> {
    /// A named class-like declaration, at its first modifier or keyword.
    pub(super) fn class_declaration(
        &mut self,
        attributes: Attributes<'a>,
    ) -> Result<&'a ClassDecl<'a>> {
        let modifiers = self.class_modifiers(Target::Class)?;
        let start_line = self.line();
        let kind = match self.kind() {
            T::Class => ClassKind::Class,
            T::Interface if modifiers.is_empty() => ClassKind::Interface,
            T::Trait if modifiers.is_empty() => ClassKind::Trait,
            T::Enum if modifiers.is_empty() => ClassKind::Enum,
            _ => return self.syntax(),
        };
        self.bump();
        let name = Some(self.plain_identifier()?);
        let mut enum_type = None;
        if kind == ClassKind::Enum && self.eat(T::Colon) {
            enum_type = Some(self.type_expression(true)?);
        }
        let mut extends = None;
        let mut implements: &[_] = &[];
        match kind {
            ClassKind::Interface => {
                if self.eat(T::Extends) {
                    implements = self.class_names()?;
                }
            }
            ClassKind::Trait => {}
            ClassKind::Class | ClassKind::Enum => {
                if kind == ClassKind::Class && self.eat(T::Extends) {
                    extends = Some(self.class_name()?);
                }
                if self.eat(T::Implements) {
                    implements = self.class_names()?;
                }
            }
        }
        let head = Head {
            kind,
            modifiers,
            name,
            extends,
            implements,
            enum_type,
            attributes,
            start_line,
        };
        self.class_body(head)
    }

    /// `class(...) extends A { ... }` after `new` and its attributes.
    pub(super) fn anonymous_class(
        &mut self,
        attributes: Attributes<'a>,
    ) -> Result<(&'a ClassDecl<'a>, &'a Args<'a>)> {
        let modifiers = self.class_modifiers(Target::AnonymousClass)?;
        let start_line = self.expect(T::Class)?.line;
        let (args, _) = self.constructor_arguments()?;
        let extends = if self.eat(T::Extends) {
            Some(self.class_name()?)
        } else {
            None
        };
        let implements = if self.eat(T::Implements) {
            self.class_names()?
        } else {
            &[]
        };
        let class = self.class_body(Head {
            kind: ClassKind::Class,
            modifiers,
            name: None,
            extends,
            implements,
            enum_type: None,
            attributes,
            start_line,
        })?;
        Ok((class, args))
    }

    fn class_modifiers(&mut self, target: Target) -> Result<Modifiers> {
        let mut modifiers = Modifiers::NONE;
        while matches!(self.kind(), T::Abstract | T::Final | T::Readonly) {
            debug_assert!(modifier(self.kind()).is_some());
            modifiers = self.add_modifier(modifiers, self.kind(), target)?;
            self.bump();
        }
        Ok(modifiers)
    }

    fn class_body(&mut self, head: Head<'a>) -> Result<&'a ClassDecl<'a>> {
        let doc_comment = self.take_doc_comment(self.index);
        let members = self.nested(Self::members)?;
        let Head {
            kind,
            modifiers,
            name,
            extends,
            implements,
            enum_type,
            attributes,
            start_line,
        } = head;
        Ok(self.arena.alloc(ClassDecl {
            kind,
            modifiers,
            name,
            extends,
            implements,
            enum_type,
            members,
            attributes,
            doc_comment,
            start_line,
            end_line: self.previous_line(),
        }))
    }

    fn members(&mut self) -> Result<&'a [Member<'a>]> {
        self.expect(T::OpenBrace)?;
        let mut members = Vec::new();
        while self.kind() != T::CloseBrace {
            members.push(self.member()?);
        }
        self.bump();
        Ok(self.arena.alloc_slice_copy(&members))
    }
}
