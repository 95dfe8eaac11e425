//! Primary expressions: variables, names, calls, member access, assignment, `new`, `match`.

use super::expr::assign_operator;
use super::names::{is_identifier, is_name};
use super::{Parser, Result, T};
use crate::ast::{
    Args, BinaryOperator, Expr, ExprKind as E, ExprRef, IncDecOperator, IncludeKind, MagicConst,
    MatchArm, Name, NameKind,
};

/// What may follow an expression that has been read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A variable, an element or a call: assigned to, called, accessed.
    Variable,
    /// A property: assigned to and accessed; a call of it is a method call, read with it.
    Property,
    /// A value that can be called and accessed, but not assigned to.
    Value,
    /// A class constant: accessed, also by `::`.
    ClassConstant,
    /// A constant: accessed, but not by `::`.
    Constant,
}

impl<'a> Parser<'a, '_> {
    /// An expression without a prefix operator.
    pub(super) fn primary(&mut self) -> Result<ExprRef<'a>> {
        let line = self.line();
        let kind = match self.kind() {
            T::Variable | T::Dollar => {
                let variable = self.simple_variable()?;
                return self.postfix(variable, Form::Variable);
            }
            T::Identifier | T::NameQualified | T::NameFullyQualified | T::NameRelative => {
                return self.name_expression();
            }
            T::Integer | T::Float => return self.number(),
            T::QuotedString => {
                let string = self.quoted_string()?;
                return self.postfix(string, Form::Value);
            }
            T::DoubleQuote => {
                let string = self.interpolated_string()?;
                return self.postfix(string, Form::Value);
            }
            T::HeredocStart => return self.heredoc(),
            T::Backtick => return self.shell_exec(),
            T::OpenParen => return self.parenthesized(),
            T::OpenBracket => {
                let array = self.short_array()?;
                if self.kind() == T::Equals {
                    return self.destructure(array);
                }
                return self.postfix(array, Form::Value);
            }
            T::Array => {
                let array = self.long_array()?;
                return self.postfix(array, Form::Value);
            }
            T::List => {
                let list = self.list()?;
                return self.destructure(list);
            }
            T::New => return self.new_expression(),
            T::Match => return self.match_expression(),
            T::Function | T::Fn | T::AttributeStart => return self.closure(),
            T::Static if self.next_kind() == T::DoubleColon => {
                self.bump();
                let class = self.make(E::StaticClass, line);
                return self.postfix(class, Form::Value);
            }
            T::Static => return self.closure(),
            T::Readonly if self.next_kind() == T::OpenParen => {
                let token = self.bump();
                let name = Name {
                    bytes: self.text(token),
                    line,
                    kind: NameKind::Unqualified,
                };
                return self.named_call(name);
            }
            T::Increment => return self.prefix_step(IncDecOperator::PreInc),
            T::Decrement => return self.prefix_step(IncDecOperator::PreDec),
            T::Isset => return self.isset(),
            T::Empty => E::Empty(self.parenthesized_operand()?),
            T::Eval => E::Include {
                kind: IncludeKind::Eval,
                operand: self.parenthesized_operand()?,
            },
            T::Exit => return self.exit(),
            T::MagicLine => return self.magic(MagicConst::Line),
            T::MagicFile => return self.magic(MagicConst::File),
            T::MagicDir => return self.magic(MagicConst::Dir),
            T::MagicFunction => return self.magic(MagicConst::Function),
            T::MagicMethod => return self.magic(MagicConst::Method),
            T::MagicClass => return self.magic(MagicConst::Class),
            T::MagicNamespace => return self.magic(MagicConst::Namespace),
            T::MagicTrait => return self.magic(MagicConst::Trait),
            T::MagicProperty => return self.magic(MagicConst::Property),
            _ => return self.syntax(),
        };
        let line = match kind {
            E::Empty(operand) | E::Include { operand, .. } => operand.line,
            _ => line,
        };
        Ok(self.make(kind, line))
    }

    fn magic(&mut self, constant: MagicConst) -> Result<ExprRef<'a>> {
        let token = self.bump();
        let constant = self.make(E::MagicConst(constant), token.line);
        self.postfix(constant, Form::Constant)
    }

    /// `(expression)` after a keyword.
    fn parenthesized_operand(&mut self) -> Result<ExprRef<'a>> {
        self.bump();
        self.condition()
    }

    /// `(expression)` where the parentheses are part of the construct.
    pub(super) fn condition(&mut self) -> Result<ExprRef<'a>> {
        self.expect(T::OpenParen)?;
        let operand = self.expression()?;
        self.expect(T::CloseParen)?;
        Ok(operand)
    }

    fn parenthesized(&mut self) -> Result<ExprRef<'a>> {
        let inner = self.condition()?;
        let copy = self.arena.alloc(Expr {
            parenthesized: true,
            ..*inner
        });
        self.postfix(copy, Form::Value)
    }

    /// A name, which is a constant unless `(` or `::` follows.
    fn name_expression(&mut self) -> Result<ExprRef<'a>> {
        let token = self.bump();
        let name = self.name_of(token);
        match self.kind() {
            T::OpenParen => self.named_call(name),
            T::DoubleColon => {
                let class = self.make(E::Name(name), name.line);
                self.postfix(class, Form::Value)
            }
            _ => {
                let constant = self.make(E::Const(name), name.line);
                self.postfix(constant, Form::Constant)
            }
        }
    }

    fn named_call(&mut self, name: Name<'a>) -> Result<ExprRef<'a>> {
        let callee = self.make(E::Name(name), name.line);
        let args = self.arguments()?;
        let call = self.make(E::Call { callee, args }, name.line);
        self.postfix(call, Form::Variable)
    }

    /// A variable where nothing else may stand.
    pub(super) fn variable(&mut self) -> Result<ExprRef<'a>> {
        self.nested(|parser| {
            let (expr, form) = parser.access_chain()?;
            match form {
                Form::Variable | Form::Property => Ok(expr),
                _ => parser.syntax(),
            }
        })
    }

    /// A primary expression with what is accessed through it, without assignment.
    fn access_chain(&mut self) -> Result<(ExprRef<'a>, Form)> {
        let line = self.line();
        let (base, form) = match self.kind() {
            T::Variable | T::Dollar => (self.simple_variable()?, Form::Variable),
            kind if is_name(kind) => {
                let token = self.bump();
                let name = self.name_of(token);
                let callee = self.make(E::Name(name), name.line);
                match self.kind() {
                    T::OpenParen => {
                        let args = self.arguments()?;
                        (
                            self.make(E::Call { callee, args }, name.line),
                            Form::Variable,
                        )
                    }
                    T::DoubleColon => (callee, Form::Value),
                    _ => (self.make(E::Const(name), name.line), Form::Constant),
                }
            }
            T::Static if self.next_kind() == T::DoubleColon => {
                self.bump();
                (self.make(E::StaticClass, line), Form::Value)
            }
            T::QuotedString => (self.quoted_string()?, Form::Value),
            T::DoubleQuote => (self.interpolated_string()?, Form::Value),
            T::OpenBracket => (self.short_array()?, Form::Value),
            T::Array => (self.long_array()?, Form::Value),
            T::OpenParen => {
                let inner = self.condition()?;
                (
                    &*self.arena.alloc(Expr {
                        parenthesized: true,
                        ..*inner
                    }),
                    Form::Value,
                )
            }
            T::New => {
                let (new, has_arguments) = self.new_object()?;
                if !has_arguments {
                    return self.syntax();
                }
                (new, Form::Value)
            }
            T::Readonly if self.next_kind() == T::OpenParen => {
                let token = self.bump();
                let name = Name {
                    bytes: self.text(token),
                    line,
                    kind: NameKind::Unqualified,
                };
                let callee = self.make(E::Name(name), line);
                let args = self.arguments()?;
                (self.make(E::Call { callee, args }, line), Form::Variable)
            }
            _ => return self.syntax(),
        };
        self.accesses(base, form)
    }

    /// Accesses, calls and at last an assignment after a primary expression.
    fn postfix(&mut self, base: ExprRef<'a>, form: Form) -> Result<ExprRef<'a>> {
        let (expr, form) = self.accesses(base, form)?;
        if !matches!(form, Form::Variable | Form::Property) {
            return Ok(expr);
        }
        let operator = match self.kind() {
            T::Equals => return self.assign(expr),
            T::Increment => IncDecOperator::PostInc,
            T::Decrement => IncDecOperator::PostDec,
            T::CoalesceEqual => {
                self.bump();
                let value = self.assigned_value()?;
                return Ok(self.make(
                    E::AssignCoalesce {
                        target: expr,
                        value,
                    },
                    expr.line,
                ));
            }
            kind => {
                let Some(operator) = assign_operator(kind) else {
                    return Ok(expr);
                };
                self.bump();
                let value = self.assigned_value()?;
                return Ok(self.make(
                    E::AssignOp {
                        operator,
                        target: expr,
                        value,
                    },
                    expr.line,
                ));
            }
        };
        self.bump();
        Ok(self.make(
            E::IncDec {
                operator,
                target: expr,
            },
            expr.line,
        ))
    }

    fn assign(&mut self, target: ExprRef<'a>) -> Result<ExprRef<'a>> {
        self.bump();
        let kind = if self.eat_ampersand() {
            E::AssignRef {
                target,
                value: self.variable()?,
            }
        } else {
            E::Assign {
                target,
                value: self.assigned_value()?,
            }
        };
        Ok(self.make(kind, target.line))
    }

    /// A variable that begins with an array literal: `[$a][0]`.
    pub(super) fn expression_from_array(&mut self, array: ExprRef<'a>) -> Result<ExprRef<'a>> {
        let (expr, form) = self.accesses(array, Form::Value)?;
        match form {
            Form::Variable | Form::Property => Ok(expr),
            _ => self.syntax(),
        }
    }

    /// `= value` after an array pattern.
    pub(super) fn destructure(&mut self, target: ExprRef<'a>) -> Result<ExprRef<'a>> {
        self.expect(T::Equals)?;
        let value = self.assigned_value()?;
        Ok(self.make(E::Assign { target, value }, target.line))
    }

    /// `[...]`, `->`, `?->`, `::` and `(...)`, as many as there are.
    fn accesses(&mut self, mut base: ExprRef<'a>, mut form: Form) -> Result<(ExprRef<'a>, Form)> {
        loop {
            let line = base.line;
            match self.kind() {
                T::OpenBracket => {
                    self.bump();
                    let index = match self.kind() {
                        T::CloseBracket => None,
                        _ => Some(self.expression()?),
                    };
                    self.expect(T::CloseBracket)?;
                    base = self.make(E::Dim { base, index }, line);
                    form = Form::Variable;
                }
                T::Arrow | T::NullsafeArrow => {
                    let nullsafe = self.bump().kind == T::NullsafeArrow;
                    let name = self.property_name()?;
                    if self.kind() == T::OpenParen {
                        let args = self.arguments()?;
                        let object = base;
                        base = self.make(
                            E::MethodCall {
                                object,
                                name,
                                args,
                                nullsafe,
                            },
                            line,
                        );
                        form = Form::Variable;
                    } else {
                        base = self.make(
                            E::Prop {
                                object: base,
                                name,
                                nullsafe,
                            },
                            line,
                        );
                        form = Form::Property;
                    }
                }
                T::DoubleColon if form != Form::Constant => {
                    self.bump();
                    (base, form) = self.class_member(base)?;
                }
                T::OpenParen if matches!(form, Form::Variable | Form::Value) => {
                    let line = self.line();
                    let args = self.arguments()?;
                    base = self.make(E::Call { callee: base, args }, line);
                    form = Form::Variable;
                }
                _ => return Ok((base, form)),
            }
        }
    }

    /// What follows `Class::`.
    fn class_member(&mut self, class: ExprRef<'a>) -> Result<(ExprRef<'a>, Form)> {
        let line = class.line;
        let name = match self.kind() {
            T::Variable | T::Dollar => {
                let name = self.variable_name_expression()?;
                if self.kind() != T::OpenParen {
                    return Ok((
                        self.make(E::StaticProp { class, name }, line),
                        Form::Property,
                    ));
                }
                self.variable_named(name)
            }
            T::OpenBrace => {
                let name = self.braced()?;
                if self.kind() != T::OpenParen {
                    let constant = self.make(E::ClassConst { class, name }, line);
                    return Ok((constant, Form::ClassConstant));
                }
                name
            }
            kind if is_identifier(kind) => {
                let token = self.bump();
                let text = self.text(token);
                let name = self.make(E::String(text), token.line);
                if self.kind() != T::OpenParen {
                    let kind = if text.eq_ignore_ascii_case(b"class") {
                        E::ClassName { class }
                    } else {
                        E::ClassConst { class, name }
                    };
                    return Ok((self.make(kind, line), Form::ClassConstant));
                }
                name
            }
            _ => return self.syntax(),
        };
        let args = self.arguments()?;
        Ok((
            self.make(E::StaticCall { class, name, args }, line),
            Form::Variable,
        ))
    }

    /// What follows `->`.
    fn property_name(&mut self) -> Result<ExprRef<'a>> {
        match self.kind() {
            T::Identifier => {
                let token = self.bump();
                Ok(self.make(E::String(self.text(token)), token.line))
            }
            T::OpenBrace => self.braced(),
            T::Variable | T::Dollar => self.simple_variable(),
            _ => self.syntax(),
        }
    }

    /// `{expression}`
    fn braced(&mut self) -> Result<ExprRef<'a>> {
        self.expect(T::OpenBrace)?;
        let inner = self.expression()?;
        self.expect(T::CloseBrace)?;
        Ok(inner)
    }

    /// `$name`, `$$name`, `${expression}`
    pub(super) fn simple_variable(&mut self) -> Result<ExprRef<'a>> {
        if self.kind() == T::Variable {
            let token = self.bump();
            return Ok(self.make(E::Variable(&self.text(token)[1..]), token.line));
        }
        let name = self.variable_name_expression()?;
        Ok(self.variable_named(name))
    }

    pub(super) fn variable_named(&self, name: ExprRef<'a>) -> ExprRef<'a> {
        let kind = match name.kind {
            E::String(bytes) => E::Variable(bytes),
            // PHP joins literals when it parses, so that such a name is known, too.
            E::Binary {
                operator: BinaryOperator::Concat,
                ..
            } => {
                let mut joined = Vec::new();
                match join_literals(name, &mut joined) {
                    true => E::Variable(self.arena.alloc_slice_copy(&joined)),
                    false => E::VariableVariable(name),
                }
            }
            _ => E::VariableVariable(name),
        };
        self.make(kind, name.line)
    }

    /// The name of a variable: a `String` for `$name`, an expression for the other forms.
    fn variable_name_expression(&mut self) -> Result<ExprRef<'a>> {
        if self.kind() == T::Variable {
            let token = self.bump();
            return Ok(self.make(E::String(&self.text(token)[1..]), token.line));
        }
        self.expect(T::Dollar)?;
        if self.kind() == T::OpenBrace {
            // `${'name'}` is the variable itself, as it is in Zend's tree.
            return self.braced();
        }
        self.nested(Self::simple_variable)
    }

    fn prefix_step(&mut self, operator: IncDecOperator) -> Result<ExprRef<'a>> {
        self.bump();
        let target = self.variable()?;
        Ok(self.make(E::IncDec { operator, target }, target.line))
    }

    /// `isset(a, b)` is the `&&` of one `isset` each.
    fn isset(&mut self) -> Result<ExprRef<'a>> {
        self.bump();
        self.expect(T::OpenParen)?;
        let first = self.expression()?;
        let mut all = self.make(E::Isset(first), first.line);
        while self.eat(T::Comma) && self.kind() != T::CloseParen {
            let operand = self.expression()?;
            let right = self.make(E::Isset(operand), operand.line);
            all = self.make(E::And { left: all, right }, all.line);
        }
        self.expect(T::CloseParen)?;
        Ok(all)
    }

    /// `exit` and `die` are calls of a function, with or without parentheses.
    fn exit(&mut self) -> Result<ExprRef<'a>> {
        self.bump();
        let (args, _) = self.constructor_arguments()?;
        let line = args.line;
        let name = Name {
            bytes: b"exit",
            line,
            kind: NameKind::FullyQualified,
        };
        let callee = self.make(E::Name(name), line);
        Ok(self.make(E::Call { callee, args }, line))
    }

    fn new_expression(&mut self) -> Result<ExprRef<'a>> {
        let (new, accessible) = self.new_object()?;
        if accessible {
            self.postfix(new, Form::Value)
        } else {
            Ok(new)
        }
    }

    /// `new`, and whether it can be accessed without parentheses around it.
    fn new_object(&mut self) -> Result<(ExprRef<'a>, bool)> {
        self.bump();
        let attributes = self.attributes()?;
        if matches!(self.kind(), T::Class | T::Abstract | T::Final | T::Readonly) {
            let (class, args) = self.anonymous_class(attributes)?;
            return Ok((
                self.make(E::NewAnonymous { class, args }, class.start_line),
                true,
            ));
        }
        if !attributes.is_empty() {
            return self.syntax();
        }
        let class = self.class_reference()?;
        let (args, written) = self.constructor_arguments()?;
        Ok((self.make(E::New { class, args }, class.line), written))
    }

    /// Arguments that may be left out, and whether they were written.
    pub(super) fn constructor_arguments(&mut self) -> Result<(&'a Args<'a>, bool)> {
        if self.kind() == T::OpenParen {
            return Ok((self.arguments()?, true));
        }
        let line = self.line();
        Ok((
            self.arena.alloc(Args {
                items: &[],
                line,
                first_class_callable: false,
            }),
            false,
        ))
    }

    /// The class of `new` and `instanceof`: a name, or a variable that is not called.
    pub(super) fn class_reference(&mut self) -> Result<ExprRef<'a>> {
        let line = self.line();
        let mut class = match self.kind() {
            T::OpenParen => return self.condition(),
            T::Variable | T::Dollar => self.simple_variable()?,
            T::Static => {
                self.bump();
                self.make(E::StaticClass, line)
            }
            kind if is_name(kind) => {
                let name = self.name()?;
                self.make(E::Name(name), name.line)
            }
            _ => return self.syntax(),
        };
        let named = matches!(class.kind, E::Name(_) | E::StaticClass);
        if named && self.kind() != T::DoubleColon {
            return Ok(class);
        }
        loop {
            let line = class.line;
            let kind = match self.kind() {
                T::OpenBracket => {
                    self.bump();
                    let index = match self.kind() {
                        T::CloseBracket => None,
                        _ => Some(self.expression()?),
                    };
                    self.expect(T::CloseBracket)?;
                    E::Dim { base: class, index }
                }
                T::Arrow | T::NullsafeArrow => {
                    let nullsafe = self.bump().kind == T::NullsafeArrow;
                    E::Prop {
                        object: class,
                        name: self.property_name()?,
                        nullsafe,
                    }
                }
                T::DoubleColon => {
                    self.bump();
                    if !matches!(self.kind(), T::Variable | T::Dollar) {
                        return self.syntax();
                    }
                    E::StaticProp {
                        class,
                        name: self.variable_name_expression()?,
                    }
                }
                _ => return Ok(class),
            };
            class = self.make(kind, line);
        }
    }

    /// `match (subject) { a, b => c, default => d }`
    fn match_expression(&mut self) -> Result<ExprRef<'a>> {
        self.bump();
        let subject = self.condition()?;
        self.expect(T::OpenBrace)?;
        let mut arms = Vec::new();
        while self.kind() != T::CloseBrace {
            arms.push(self.match_arm()?);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.expect(T::CloseBrace)?;
        let arms = self.arena.alloc_slice_copy(&arms);
        Ok(self.make(E::Match { subject, arms }, subject.line))
    }

    fn match_arm(&mut self) -> Result<MatchArm<'a>> {
        let conditions = if self.eat(T::Default) {
            self.eat(T::Comma);
            None
        } else {
            let mut conditions = vec![*self.expression()?];
            while self.eat(T::Comma) && self.kind() != T::DoubleArrow {
                conditions.push(*self.expression()?);
            }
            Some(&*self.arena.alloc_slice_copy(&conditions))
        };
        self.expect(T::DoubleArrow)?;
        let body = self.expression()?;
        let line = conditions.map_or(body.line, |conditions| conditions[0].line);
        Ok(MatchArm {
            conditions,
            body,
            line,
        })
    }
}

/// Joins the texts and numbers of a chain of `.`; false if something else is in it.
fn join_literals(expr: &Expr<'_>, joined: &mut Vec<u8>) -> bool {
    let mut links = Vec::new();
    let mut first = expr;
    while let E::Binary {
        operator: BinaryOperator::Concat,
        left,
        right,
    } = first.kind
    {
        links.push(right);
        first = left;
    }
    let mut join = |part: &Expr<'_>| match part.kind {
        E::String(bytes) => {
            joined.extend_from_slice(bytes);
            true
        }
        E::Int(number) => {
            joined.extend_from_slice(number.to_string().as_bytes());
            true
        }
        E::Binary {
            operator: BinaryOperator::Concat,
            ..
        } => join_literals(part, joined),
        _ => false,
    };
    join(first) && links.into_iter().rev().all(join)
}
