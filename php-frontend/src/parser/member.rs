//! Members of classes: constants, properties with hooks, methods, trait uses, enum cases.

use super::modifiers::{Target, modifier};
use super::names::is_identifier;
use super::{Parser, Result, T};
use crate::ast::{
    Attributes, ClassConstants, ConstItem, EnumCase, FunctionBody, FunctionDecl, FunctionKind,
    Identifier, Member, MemberKind, Modifiers, Name, Properties, PropertyItem, TraitAdaptation,
    TraitAdaptationKind, TraitUse,
};

impl<'a> Parser<'a, '_> {
    /// One member.
    pub(super) fn member(&mut self) -> Result<Member<'a>> {
        if self.kind() == T::Use {
            return self.trait_use();
        }
        let attributes = self.attributes()?;
        if self.kind() == T::Case {
            return self.enum_case(attributes);
        }
        if self.eat(T::Var) {
            return self.properties(Modifiers::PUBLIC, attributes);
        }
        let modifiers = self.member_modifiers()?;
        match self.kind() {
            T::Const => {
                let modifiers = self.check_modifiers(&modifiers, Target::Constant)?;
                self.class_constants(modifiers, attributes)
            }
            T::Function => {
                let modifiers = self.check_modifiers(&modifiers, Target::Method)?;
                self.method(modifiers, attributes)
            }
            _ if modifiers.is_empty() => self.syntax(),
            _ => {
                let modifiers = self.check_modifiers(&modifiers, Target::Property)?;
                self.properties(modifiers, attributes)
            }
        }
    }

    /// `const T A = 1, B = 2;`
    fn class_constants(
        &mut self,
        modifiers: Modifiers,
        attributes: Attributes<'a>,
    ) -> Result<Member<'a>> {
        self.bump();
        let declared_type = match self.next_kind() {
            T::Equals => None,
            _ => Some(self.type_expression(true)?),
        };
        let mut items = Vec::new();
        loop {
            let name = self.identifier()?;
            items.push(self.const_item(name)?);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.expect(T::Semicolon)?;
        let items = self.arena.alloc_slice_copy(&items);
        let line = items[0].line;
        let constants = ClassConstants {
            modifiers,
            declared_type,
            items,
            attributes,
        };
        Ok(Member {
            kind: MemberKind::Constants(self.arena.alloc(constants)),
            line,
        })
    }

    /// `= value` after a constant's name.
    pub(super) fn const_item(&mut self, name: Identifier<'a>) -> Result<ConstItem<'a>> {
        self.expect(T::Equals)?;
        let value = self.expression()?;
        let doc_comment = self.take_doc_comment(self.index);
        Ok(ConstItem {
            name: name.bytes,
            value,
            doc_comment,
            line: name.line,
        })
    }

    /// `T $a = 1, $b;` or `T $a { hooks }`
    fn properties(
        &mut self,
        modifiers: Modifiers,
        attributes: Attributes<'a>,
    ) -> Result<Member<'a>> {
        let declared_type = self.optional_type(false)?;
        let mut items = Vec::new();
        loop {
            let name = self.variable_name()?;
            let default = if self.eat(T::Equals) {
                Some(self.expression()?)
            } else {
                None
            };
            let doc_comment = self.take_doc_comment(self.index);
            let mut item = PropertyItem {
                name: name.bytes,
                default,
                hooks: None,
                doc_comment,
                line: name.line,
            };
            // Hooks end the declaration, and only a single property may have them.
            if self.kind() == T::OpenBrace && items.is_empty() {
                item.hooks = Some(self.property_hooks()?);
                items.push(item);
                break;
            }
            items.push(item);
            if !self.eat(T::Comma) {
                self.expect(T::Semicolon)?;
                break;
            }
        }
        let items = self.arena.alloc_slice_copy(&items);
        let line = declared_type.map_or(items[0].line, |declared| declared.line);
        let properties = Properties {
            modifiers,
            declared_type,
            items,
            attributes,
        };
        Ok(Member {
            kind: MemberKind::Properties(self.arena.alloc(properties)),
            line,
        })
    }

    /// `{ get => 1; final set(T $value) { ... } }`
    pub(super) fn property_hooks(&mut self) -> Result<&'a [FunctionDecl<'a>]> {
        self.nested(|parser| {
            parser.expect(T::OpenBrace)?;
            let mut hooks = Vec::new();
            while parser.kind() != T::CloseBrace {
                hooks.push(parser.property_hook()?);
            }
            parser.bump();
            Ok(&*parser.arena.alloc_slice_copy(&hooks))
        })
    }

    fn property_hook(&mut self) -> Result<FunctionDecl<'a>> {
        let attributes = self.attributes()?;
        let modifiers = self.member_modifiers()?;
        let modifiers = self.check_modifiers(&modifiers, Target::PropertyHook)?;
        let returns_ref = self.eat_ampersand();
        let name = self.plain_identifier()?;
        let doc_comment = self.take_doc_comment(self.index - 1);
        let params = match self.kind() {
            T::OpenParen => Some(self.parameters()?),
            _ => None,
        };
        let (body, is_generator) = match self.kind() {
            T::Semicolon => {
                self.bump();
                (FunctionBody::None, false)
            }
            T::DoubleArrow => {
                self.bump();
                let (body, is_generator) = self.function_expression()?;
                self.expect(T::Semicolon)?;
                (FunctionBody::Expr(body), is_generator)
            }
            _ => {
                let (body, is_generator) = self.function_body()?;
                (FunctionBody::Block(body), is_generator)
            }
        };
        Ok(FunctionDecl {
            kind: FunctionKind::PropertyHook,
            name: name.bytes,
            modifiers,
            returns_ref,
            is_generator,
            params,
            uses: &[],
            return_type: None,
            body,
            attributes,
            doc_comment,
            start_line: name.line,
            end_line: self.previous_line(),
        })
    }

    fn method(&mut self, modifiers: Modifiers, attributes: Attributes<'a>) -> Result<Member<'a>> {
        let start_line = self.bump().line;
        let returns_ref = self.eat_ampersand();
        let name = self.identifier()?;
        let doc_comment = self.take_doc_comment(self.index - 1);
        let params = Some(self.parameters()?);
        let return_type = self.return_type()?;
        let (body, is_generator) = if self.eat(T::Semicolon) {
            (FunctionBody::None, false)
        } else {
            let (body, is_generator) = self.function_body()?;
            (FunctionBody::Block(body), is_generator)
        };
        let method = self.arena.alloc(FunctionDecl {
            kind: FunctionKind::Method,
            name: name.bytes,
            modifiers,
            returns_ref,
            is_generator,
            params,
            uses: &[],
            return_type,
            body,
            attributes,
            doc_comment,
            start_line,
            end_line: self.previous_line(),
        });
        Ok(Member {
            kind: MemberKind::Method(method),
            line: start_line,
        })
    }

    /// `case A = 1;`
    fn enum_case(&mut self, attributes: Attributes<'a>) -> Result<Member<'a>> {
        self.bump();
        let doc_comment = self.take_doc_comment(self.index - 1);
        let name = self.identifier()?;
        let value = if self.eat(T::Equals) {
            Some(self.expression()?)
        } else {
            None
        };
        self.expect(T::Semicolon)?;
        let case = EnumCase {
            name: name.bytes,
            value,
            doc_comment,
            attributes,
        };
        Ok(Member {
            kind: MemberKind::EnumCase(self.arena.alloc(case)),
            line: name.line,
        })
    }

    /// `use A, B;`, `use A { ... }`
    fn trait_use(&mut self) -> Result<Member<'a>> {
        self.bump();
        let traits = self.class_names()?;
        let line = traits[0].line;
        let mut adaptations = Vec::new();
        if !self.eat(T::Semicolon) {
            self.expect(T::OpenBrace)?;
            while self.kind() != T::CloseBrace {
                adaptations.push(self.trait_adaptation()?);
                self.expect(T::Semicolon)?;
            }
            self.bump();
        }
        let adaptations = self.arena.alloc_slice_copy(&adaptations);
        let trait_use = self.arena.alloc(TraitUse {
            traits,
            adaptations,
        });
        Ok(Member {
            kind: MemberKind::TraitUse(trait_use),
            line,
        })
    }

    /// `A::f insteadof B`, `f as protected g`
    fn trait_adaptation(&mut self) -> Result<TraitAdaptation<'a>> {
        let mut class = None;
        if self.next_kind() == T::DoubleColon || !is_identifier(self.kind()) {
            class = Some(self.class_name()?);
            self.expect(T::DoubleColon)?;
        }
        let method = self.identifier()?;
        let line = class.map_or(method.line, |class: Name<'_>| class.line);
        if let Some(class) = class
            && self.eat(T::Insteadof)
        {
            let insteadof = self.class_names()?;
            let kind = TraitAdaptationKind::Precedence {
                class,
                method,
                insteadof,
            };
            return Ok(TraitAdaptation { kind, line });
        }
        self.expect(T::As)?;
        let mut modifiers = Modifiers::NONE;
        if modifier(self.kind()).is_some() {
            let kind = self.bump().kind;
            modifiers = self.add_modifier(modifiers, kind, Target::Method)?;
        }
        let alias = if self.kind() == T::Semicolon && !modifiers.is_empty() {
            None
        } else {
            Some(self.identifier()?)
        };
        let kind = TraitAdaptationKind::Alias {
            class,
            method,
            modifiers,
            alias,
        };
        Ok(TraitAdaptation { kind, line })
    }
}
