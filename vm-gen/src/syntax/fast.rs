//! Fast clauses: their heads and their little language.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, Lit, Token, braced, parenthesized};
use vm_def::grammar::{JumpField, TypeName};
use vm_def::ir::{OverflowOperation, Place, Representation};
use vm_def::types::TypeMask;

use super::Context;
use crate::diagnostics::Location;
use crate::model::{
    BinaryOperator, FastBlock, FastClause, FastExpression, FastExpressionKind, FastStatement,
    Parameter, Spanned, UnaryOperator,
};

/// Reads `[NAME] (a: Type, b: Type) { … }`.
pub(super) fn read_clause(
    context: &mut Context<'_>,
    span: Span,
    tokens: TokenStream,
) -> Option<FastClause> {
    let source = tokens.clone();
    let at = context.at(span);
    let locate = |span: Span| Location {
        source: at.source.clone(),
        span,
    };
    let parser = |input: ParseStream<'_>| {
        let name: Option<Ident> = input.parse()?;
        let content;
        parenthesized!(content in input);
        let mut parameters = Vec::new();
        while !content.is_empty() {
            let name: Ident = content.parse()?;
            content.parse::<Token![:]>()?;
            let mut types = vec![content.call(Ident::parse_any)?];
            while content.parse::<Option<Token![|]>>()?.is_some() {
                types.push(content.call(Ident::parse_any)?);
            }
            parameters.push((name, types));
            content.parse::<Option<Token![,]>>()?;
        }
        let body = Reader { locate: &locate }.block(input)?;
        Ok((name, parameters, body))
    };
    let (name, words, body) = context.parse(parser, tokens)?;
    let mut parameters = Vec::new();
    for (name, types) in words {
        let mut mask = TypeMask::NONE;
        for word in types {
            match TypeName::from_word(&word.to_string()) {
                Some(name) => mask = mask.union(name.mask()),
                None => {
                    let known: Vec<&str> = TypeName::ALL.iter().map(|name| name.word()).collect();
                    context.unknown_word(word.span(), "type", &word.to_string(), &known);
                }
            }
        }
        let location = context.at(name.span());
        parameters.push(Parameter {
            name: Spanned {
                value: name.to_string(),
                location,
            },
            types: mask,
        });
    }
    let name = name.map(|name| Spanned {
        value: name.to_string(),
        location: context.at(name.span()),
    });
    Some(FastClause {
        location: at,
        name,
        parameters,
        body,
        tokens: source,
    })
}

struct Reader<'a> {
    locate: &'a dyn Fn(Span) -> Location,
}

impl Reader<'_> {
    fn block(&self, input: ParseStream<'_>) -> syn::Result<FastBlock> {
        let content;
        let brace = braced!(content in input);
        let location = (self.locate)(brace.span.open());
        let mut statements = Vec::new();
        while !content.is_empty() {
            statements.push(self.statement(&content)?);
        }
        Ok(FastBlock {
            location,
            statements,
        })
    }

    fn statement(&self, input: ParseStream<'_>) -> syn::Result<FastStatement> {
        if input.parse::<Option<Token![let]>>()?.is_some() {
            let name: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            let value = self.expression(input, 0)?;
            input.parse::<Token![;]>()?;
            return Ok(FastStatement::Let(name.to_string(), value));
        }
        if input.peek(Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
            let name: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            let Some(place) = Place::from_word(&name.to_string()) else {
                let message = "only `op1`, `op2` and `result` can be assigned";
                return Err(syn::Error::new(name.span(), message));
            };
            let place = Spanned {
                value: place,
                location: (self.locate)(name.span()),
            };
            let value = self.expression(input, 0)?;
            input.parse::<Token![;]>()?;
            return Ok(FastStatement::Assign(place, value));
        }
        if input.peek(Ident) && input.peek2(syn::token::Paren) {
            let name: Ident = input.fork().parse()?;
            if name == "guard" || name == "jump" {
                return self.guard_or_jump(input);
            }
        }
        let expression = self.expression(input, 0)?;
        if input.is_empty() {
            return Ok(FastStatement::Tail(expression));
        }
        match expression.kind {
            FastExpressionKind::If(condition, then, otherwise) => {
                Ok(FastStatement::If(*condition, then, otherwise))
            }
            _ => Err(syn::Error::new(
                expression.location.span,
                "an expression whose value is dropped",
            )),
        }
    }

    fn guard_or_jump(&self, input: ParseStream<'_>) -> syn::Result<FastStatement> {
        let name: Ident = input.parse()?;
        let content;
        parenthesized!(content in input);
        let statement = if name == "guard" {
            FastStatement::Guard(self.expression(&content, 0)?)
        } else {
            let field: Ident = content.parse()?;
            let Some(value) = JumpField::from_word(&field.to_string()) else {
                return Err(syn::Error::new(
                    field.span(),
                    "expected `op1`, `op2` or `extended`",
                ));
            };
            FastStatement::Jump(Spanned {
                value,
                location: (self.locate)(name.span()),
            })
        };
        if !content.is_empty() {
            return Err(content.error("unexpected token"));
        }
        input.parse::<Option<Token![;]>>()?;
        Ok(statement)
    }

    /// An expression whose operators bind at least as strongly as `floor`.
    fn expression(&self, input: ParseStream<'_>, floor: u8) -> syn::Result<FastExpression> {
        let mut left = self.unary(input)?;
        loop {
            if input.peek(Token![as]) {
                left = self.cast(input, left)?;
                continue;
            }
            let Some((operator, strength, width)) = operator(input) else {
                return Ok(left);
            };
            if strength < floor {
                return Ok(left);
            }
            let mut span = input.span();
            for _ in 0..width {
                span = input.parse::<proc_macro2::Punct>()?.span();
            }
            let right = self.expression(input, strength + 1)?;
            left = FastExpression {
                location: (self.locate)(span),
                kind: FastExpressionKind::Binary(operator, Box::new(left), Box::new(right)),
            };
        }
    }

    fn cast(&self, input: ParseStream<'_>, value: FastExpression) -> syn::Result<FastExpression> {
        input.parse::<Token![as]>()?;
        let target: Ident = input.parse()?;
        let value = Box::new(value);
        let kind = match target.to_string().as_str() {
            "f64" => FastExpressionKind::AsDouble(value),
            "i64" => FastExpressionKind::AsLong(value),
            _ => return Err(syn::Error::new(target.span(), "expected `f64` or `i64`")),
        };
        Ok(FastExpression {
            location: (self.locate)(target.span()),
            kind,
        })
    }

    fn unary(&self, input: ParseStream<'_>) -> syn::Result<FastExpression> {
        let span = input.span();
        let operator = if input.parse::<Option<Token![-]>>()?.is_some() {
            UnaryOperator::Negate
        } else if input.parse::<Option<Token![!]>>()?.is_some() {
            UnaryOperator::Not
        } else {
            return self.postfix(input);
        };
        let value = self.unary(input)?;
        let kind = match (operator, &value.kind) {
            (UnaryOperator::Negate, FastExpressionKind::Integer(value)) => {
                FastExpressionKind::Integer(-value)
            }
            (UnaryOperator::Negate, FastExpressionKind::Float(value)) => {
                FastExpressionKind::Float(-value)
            }
            _ => FastExpressionKind::Unary(operator, Box::new(value)),
        };
        Ok(FastExpression {
            location: (self.locate)(span),
            kind,
        })
    }

    /// `a.checked_add(b) else …`
    fn postfix(&self, input: ParseStream<'_>) -> syn::Result<FastExpression> {
        let value = self.primary(input)?;
        if !input.peek(Token![.]) {
            return Ok(value);
        }
        input.parse::<Token![.]>()?;
        let name: Ident = input.parse()?;
        let operation = match name.to_string().as_str() {
            "checked_add" => OverflowOperation::Add,
            "checked_sub" => OverflowOperation::Sub,
            "checked_mul" => OverflowOperation::Mul,
            _ => {
                let message = "expected `checked_add`, `checked_sub` or `checked_mul`";
                return Err(syn::Error::new(name.span(), message));
            }
        };
        let content;
        parenthesized!(content in input);
        let right = self.expression(&content, 0)?;
        if !input.peek(Token![else]) {
            return Err(syn::Error::new(
                name.span(),
                "a checked operation without `else`",
            ));
        }
        input.parse::<Token![else]>()?;
        let otherwise = self.expression(input, 0)?;
        Ok(FastExpression {
            location: (self.locate)(name.span()),
            kind: FastExpressionKind::Checked(
                operation,
                Box::new(value),
                Box::new(right),
                Box::new(otherwise),
            ),
        })
    }

    fn primary(&self, input: ParseStream<'_>) -> syn::Result<FastExpression> {
        let span = input.span();
        let at = |kind| FastExpression {
            location: (self.locate)(span),
            kind,
        };
        if input.peek(syn::token::Paren) {
            let content;
            parenthesized!(content in input);
            return self.expression(&content, 0);
        }
        if input.peek(Token![if]) {
            return self.conditional(input);
        }
        if input.peek(Lit) {
            return match input.parse::<Lit>()? {
                Lit::Int(value) => Ok(at(FastExpressionKind::Integer(value.base10_parse()?))),
                Lit::Float(value) => Ok(at(FastExpressionKind::Float(value.base10_parse()?))),
                Lit::Bool(value) => Ok(at(FastExpressionKind::Bool(value.value))),
                other => Err(syn::Error::new(
                    other.span(),
                    "expected a number or a truth value",
                )),
            };
        }
        let name: Ident = input.parse()?;
        let text = name.to_string();
        if !input.peek(syn::token::Paren) {
            return Ok(at(match text.as_str() {
                "Null" => FastExpressionKind::Null,
                _ => FastExpressionKind::Name(text),
            }));
        }
        let content;
        parenthesized!(content in input);
        let mut arguments = Vec::new();
        while !content.is_empty() {
            arguments.push(self.expression(&content, 0)?);
            content.parse::<Option<Token![,]>>()?;
        }
        let representation = match text.as_str() {
            "Long" => Representation::Long,
            "Double" => Representation::Double,
            "Bool" => Representation::Bool,
            "copy" => Representation::Boxed,
            _ => return Ok(at(FastExpressionKind::Call(text, arguments))),
        };
        match <[FastExpression; 1]>::try_from(arguments) {
            Ok([value]) => Ok(at(FastExpressionKind::Construct(
                representation,
                Box::new(value),
            ))),
            Err(_) => Err(syn::Error::new(span, format!("`{text}` takes one value"))),
        }
    }

    fn conditional(&self, input: ParseStream<'_>) -> syn::Result<FastExpression> {
        let word: Token![if] = input.parse()?;
        let location = (self.locate)(word.span);
        let condition = self.expression(input, 0)?;
        let then = self.block(input)?;
        let mut otherwise = FastBlock {
            location: location.clone(),
            statements: Vec::new(),
        };
        if input.parse::<Option<Token![else]>>()?.is_some() {
            otherwise = if input.peek(Token![if]) {
                let nested = self.conditional(input)?;
                FastBlock {
                    location: nested.location.clone(),
                    statements: vec![FastStatement::Tail(nested)],
                }
            } else {
                self.block(input)?
            };
        }
        let kind = FastExpressionKind::If(Box::new(condition), then, otherwise);
        Ok(FastExpression { location, kind })
    }
}

/// The operator at the front, how strongly it binds, and of how many characters it is made.
fn operator(input: ParseStream<'_>) -> Option<(BinaryOperator, u8, usize)> {
    use BinaryOperator::*;
    macro_rules! table {
        ($(($token:tt, $operator:expr, $strength:expr, $width:expr)),* $(,)?) => {
            $(if input.peek(Token![$token]) { return Some(($operator, $strength, $width)); })*
        };
    }
    table! {
        (||, Or, 1, 2), (&&, And, 2, 2),
        (==, Equal, 3, 2), (!=, NotEqual, 3, 2), (<=, LessOrEqual, 3, 2), (>=, GreaterOrEqual, 3, 2),
        (<<, ShiftLeft, 7, 2), (>>, ShiftRight, 7, 2),
        (<, Less, 3, 1), (>, Greater, 3, 1),
        (|, BitOr, 4, 1), (^, BitXor, 5, 1), (&, BitAnd, 6, 1),
        (+, Add, 8, 1), (-, Subtract, 8, 1),
        (*, Multiply, 9, 1), (/, Divide, 9, 1), (%, Remainder, 9, 1),
    }
    None
}
