//! Functions, closures, arrow functions and their parameters.

use super::modifiers::Target;
use super::names::is_name;
use super::{Parser, Result, T};
use crate::ast::{
    Attributes, ClosureUse, ExprKind as E, ExprRef, FunctionBody, FunctionDecl, FunctionKind,
    Modifiers, Param, Stmt,
};

impl<'a> Parser<'a, '_> {
    /// Whether `function` begins a declaration and not a closure.
    pub(super) fn at_function_declaration(&self) -> bool {
        let by_ref = matches!(self.next_kind(), T::Ampersand | T::AmpersandFollowed);
        matches!(
            self.kind_at(1 + usize::from(by_ref)),
            T::Identifier | T::Readonly
        )
    }

    /// `function name(...) { ... }`
    pub(super) fn function_declaration(
        &mut self,
        attributes: Attributes<'a>,
    ) -> Result<&'a FunctionDecl<'a>> {
        let start_line = self.bump().line;
        let returns_ref = self.eat_ampersand();
        let doc_comment = self.take_doc_comment(self.index);
        let name = match self.kind() {
            T::Readonly => self.identifier()?,
            _ => self.plain_identifier()?,
        };
        let params = Some(self.parameters()?);
        let return_type = self.return_type()?;
        let (body, is_generator) = self.function_body()?;
        Ok(self.arena.alloc(FunctionDecl {
            kind: FunctionKind::Function,
            name: name.bytes,
            modifiers: Modifiers::NONE,
            returns_ref,
            is_generator,
            params,
            uses: &[],
            return_type,
            body: FunctionBody::Block(body),
            attributes,
            doc_comment,
            start_line,
            end_line: self.previous_line(),
        }))
    }

    /// `{ ... }` of a function, and whether a `yield` makes it a generator.
    pub(super) fn function_body(&mut self) -> Result<(&'a [Stmt<'a>], bool)> {
        let outer = std::mem::replace(&mut self.saw_yield, false);
        let body = self.braced_statements()?;
        let is_generator = std::mem::replace(&mut self.saw_yield, outer);
        Ok((body, is_generator))
    }

    /// An expression as a function's body.
    pub(super) fn function_expression(&mut self) -> Result<(ExprRef<'a>, bool)> {
        let outer = std::mem::replace(&mut self.saw_yield, false);
        let body = self.expression()?;
        let is_generator = std::mem::replace(&mut self.saw_yield, outer);
        Ok((body, is_generator))
    }

    /// A closure or arrow function, with the attributes and the `static` before it.
    pub(super) fn closure(&mut self) -> Result<ExprRef<'a>> {
        let attributes = self.attributes()?;
        self.closure_after(attributes)
    }

    /// A closure or arrow function after its attributes.
    pub(super) fn closure_after(&mut self, attributes: Attributes<'a>) -> Result<ExprRef<'a>> {
        let modifiers = if self.eat(T::Static) {
            Modifiers::STATIC
        } else {
            Modifiers::NONE
        };
        match self.kind() {
            T::Function => self.closure_function(attributes, modifiers),
            T::Fn => self.arrow_function(attributes, modifiers),
            _ => self.syntax(),
        }
    }

    /// The `&` and the doc comment after `function` or `fn`. Bison looks for a `&` one token ahead,
    /// and a doc comment before that token counts; after a `&` it has no need to look.
    fn closure_start(&mut self) -> (bool, Option<&'a [u8]>) {
        let returns_ref = self.eat_ampersand();
        let doc_comment = self.take_doc_comment(self.index - usize::from(returns_ref));
        (returns_ref, doc_comment)
    }

    fn closure_function(
        &mut self,
        attributes: Attributes<'a>,
        modifiers: Modifiers,
    ) -> Result<ExprRef<'a>> {
        let start_line = self.bump().line;
        let (returns_ref, doc_comment) = self.closure_start();
        let params = Some(self.parameters()?);
        let uses = self.closure_uses()?;
        let return_type = self.return_type()?;
        let (body, is_generator) = self.function_body()?;
        let declaration = self.arena.alloc(FunctionDecl {
            kind: FunctionKind::Closure,
            name: b"{closure}",
            modifiers,
            returns_ref,
            is_generator,
            params,
            uses,
            return_type,
            body: FunctionBody::Block(body),
            attributes,
            doc_comment,
            start_line,
            end_line: self.previous_line(),
        });
        Ok(self.make(E::Closure(declaration), start_line))
    }

    fn arrow_function(
        &mut self,
        attributes: Attributes<'a>,
        modifiers: Modifiers,
    ) -> Result<ExprRef<'a>> {
        let start_line = self.bump().line;
        let (returns_ref, doc_comment) = self.closure_start();
        let params = Some(self.parameters()?);
        let return_type = self.return_type()?;
        self.expect(T::DoubleArrow)?;
        let (body, is_generator) = self.function_expression()?;
        let declaration = self.arena.alloc(FunctionDecl {
            kind: FunctionKind::ArrowFunction,
            name: b"{closure}",
            modifiers,
            returns_ref,
            is_generator,
            params,
            uses: &[],
            return_type,
            body: FunctionBody::Expr(body),
            attributes,
            doc_comment,
            start_line,
            // The end of an expression is known only with the token after it.
            end_line: self.line(),
        });
        Ok(self.make(E::ArrowFunction(declaration), start_line))
    }

    /// `use ($a, &$b)`
    fn closure_uses(&mut self) -> Result<&'a [ClosureUse<'a>]> {
        if !self.eat(T::Use) {
            return Ok(&[]);
        }
        self.expect(T::OpenParen)?;
        let mut uses = Vec::new();
        loop {
            let by_ref = self.eat_ampersand();
            let name = self.variable_name()?;
            uses.push(ClosureUse {
                name: name.bytes,
                by_ref,
                line: name.line,
            });
            if !self.eat(T::Comma) || self.kind() == T::CloseParen {
                break;
            }
        }
        self.expect(T::CloseParen)?;
        Ok(self.arena.alloc_slice_copy(&uses))
    }

    /// `(T $a, &...$b)`
    pub(super) fn parameters(&mut self) -> Result<&'a [Param<'a>]> {
        self.expect(T::OpenParen)?;
        let mut params = Vec::new();
        while self.kind() != T::CloseParen {
            params.push(self.parameter()?);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.expect(T::CloseParen)?;
        Ok(self.arena.alloc_slice_copy(&params))
    }

    fn parameter(&mut self) -> Result<Param<'a>> {
        let attributes = self.attributes()?;
        let modifiers = self.member_modifiers()?;
        let modifiers = self.check_modifiers(&modifiers, Target::Parameter)?;
        let declared_type = match self.kind() {
            T::Variable => None,
            T::Question | T::Array | T::Callable | T::OpenParen => self.optional_type(false)?,
            kind if is_name(kind) => self.optional_type(false)?,
            _ => None,
        };
        let by_ref = self.eat(T::AmpersandFollowed);
        let variadic = self.eat(T::Ellipsis);
        let name = self.variable_name()?;
        let doc_comment = self.take_doc_comment(self.index - 1);
        let default = if self.eat(T::Equals) {
            Some(self.expression()?)
        } else {
            None
        };
        let hooks = match self.kind() {
            T::OpenBrace => Some(self.property_hooks()?),
            _ => None,
        };
        Ok(Param {
            name: name.bytes,
            declared_type,
            default,
            by_ref,
            variadic,
            modifiers,
            hooks,
            attributes,
            doc_comment,
            line: declared_type.map_or(name.line, |declared| declared.line),
        })
    }
}
