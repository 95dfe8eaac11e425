//! Clauses: their heads and their little language.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, Lit, Token, braced, parenthesized};
use vm_def::grammar::{OperandKind, OplineField, TypeName};
use vm_def::ir::{OverflowOperation, Place, Reason, Representation, Structure};
use vm_def::types::TypeMask;

use super::Context;
use crate::diagnostics::Location;
use crate::model::{
    BinaryOperator, Documentation, FastBlock, FastClause, FastExpression, FastExpressionKind,
    FastStatement, Parameter, SharedClause, Spanned, UnaryOperator,
};
use crate::suggest::suggestion;
use crate::words::{CONTROL, MODIFIERS};

/// A parameter as written: its name, `place`, `ref`, and the words of its types and kinds.
struct Words {
    name: Option<Ident>,
    place: bool,
    follow: bool,
    proven: bool,
    types: Vec<Ident>,
    kinds: Vec<Ident>,
}

/// Reads `[NAME] (a: Type, b: Type) { … }`; `typed` and `compound` may stand in front.
pub(super) fn read_clause(
    context: &mut Context<'_>,
    span: Span,
    tokens: TokenStream,
    middle: bool,
) -> Option<FastClause> {
    let source = tokens.clone();
    let at = context.at(span);
    let locate = |span: Span| Location {
        source: at.source.clone(),
        span,
    };
    let parser = |input: ParseStream<'_>| {
        let mut name: Option<Ident> = input.parse()?;
        let typed = name.as_ref().is_some_and(|name| name == "typed");
        if typed {
            name = Some(input.parse()?);
        }
        let compound = name.as_ref().is_some_and(|name| name == "compound");
        if compound {
            name = input.parse()?;
        }
        let content;
        parenthesized!(content in input);
        let mut parameters = Vec::new();
        while !content.is_empty() {
            parameters.push(parameter(&content)?);
            content.parse::<Option<Token![,]>>()?;
        }
        let body = Reader { locate: &locate }.block(input)?;
        Ok((name, (compound, typed), parameters, body))
    };
    let (name, (compound, typed), words, body) = context.parse(parser, tokens)?;
    let mut parameters = Vec::new();
    for words in words {
        let location = match (&words.name, words.kinds.first()) {
            (Some(name), _) => context.at(name.span()),
            (None, Some(kind)) => context.at(kind.span()),
            (None, None) => at.clone(),
        };
        let types = if words.name.is_some() {
            words.types.iter().fold(TypeMask::NONE, |mask, word| {
                mask.union(type_mask(context, word))
            })
        } else {
            TypeMask::ANY
        };
        let kinds = words.kinds.iter().filter_map(|word| {
            let kind = OperandKind::from_word(&word.to_string());
            if kind.is_none() {
                let known: Vec<&str> = OperandKind::ALL.iter().map(|kind| kind.word()).collect();
                context.unknown_word(word.span(), "operand kind", &word.to_string(), &known);
            }
            kind
        });
        let kinds = kinds.collect();
        parameters.push(Parameter {
            name: Spanned {
                value: words.name.map(|name| name.to_string()).unwrap_or_default(),
                location,
            },
            types,
            place: words.place,
            follow: words.follow,
            proven: words.proven,
            kinds,
        });
    }
    let name = name.map(|name| Spanned {
        value: name.to_string(),
        location: context.at(name.span()),
    });
    Some(FastClause {
        location: at,
        middle,
        compound,
        typed,
        name,
        parameters,
        body,
        tokens: source,
    })
}

/// Reads `a: [proven] [place] [ref] Type | Type [in KIND | KIND]`, or `KIND | KIND` alone.
fn parameter(input: ParseStream<'_>) -> syn::Result<Words> {
    let mut words = Words {
        name: None,
        place: false,
        follow: false,
        proven: false,
        types: Vec::new(),
        kinds: Vec::new(),
    };
    let list = |list: &mut Vec<Ident>| {
        loop {
            list.push(input.call(Ident::parse_any)?);
            if input.parse::<Option<Token![|]>>()?.is_none() {
                return syn::Result::Ok(());
            }
        }
    };
    if !input.peek2(Token![:]) {
        list(&mut words.kinds)?;
        return Ok(words);
    }
    words.name = Some(input.parse()?);
    input.parse::<Token![:]>()?;
    let modifiers = [&mut words.proven, &mut words.place, &mut words.follow];
    for (word, given) in MODIFIERS.iter().zip(modifiers) {
        let mut ahead = input.fork().call(Ident::parse_any).into_iter();
        *given = ahead.any(|next| next == word);
        if *given {
            input.call(Ident::parse_any)?;
        }
    }
    if input.peek(Ident) && (input.peek2(Ident) || input.peek2(Token![ref])) {
        return Err(unknown(&input.parse()?, "modifier", MODIFIERS));
    }
    list(&mut words.types)?;
    if input.parse::<Option<Token![in]>>()?.is_some() {
        list(&mut words.kinds)?;
    }
    Ok(words)
}

fn type_mask(context: &mut Context<'_>, word: &Ident) -> TypeMask {
    match TypeName::from_word(&word.to_string()) {
        Some(name) => name.mask(),
        None => {
            let known: Vec<&str> = TypeName::ALL.iter().map(|name| name.word()).collect();
            context.unknown_word(word.span(), "type", &word.to_string(), &known);
            TypeMask::NONE
        }
    }
}

/// Reads `NAME(a, b) { … }`.
pub(super) fn read_shared(
    context: &mut Context<'_>,
    tokens: TokenStream,
    documentation: Documentation,
) -> Option<SharedClause> {
    let source = context.source.clone();
    let locate = |span: Span| Location {
        source: source.clone(),
        span,
    };
    let parser = |input: ParseStream<'_>| {
        let name: Ident = input.parse()?;
        let content;
        parenthesized!(content in input);
        let parameters =
            syn::punctuated::Punctuated::<Ident, Token![,]>::parse_terminated(&content)?;
        let body = Reader { locate: &locate }.block(input)?;
        Ok((name, parameters, body))
    };
    let (name, parameters, body) = context.parse(parser, tokens)?;
    Some(SharedClause {
        name: Spanned {
            value: name.to_string(),
            location: context.at(name.span()),
        },
        documentation,
        parameters: parameters.iter().map(ToString::to_string).collect(),
        body,
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
        if input.parse::<Option<Token![*]>>()?.is_some() {
            let target = self.postfix(input)?;
            let value = self.assigned(input)?;
            return Ok(FastStatement::AssignAt(target, value));
        }
        if input.peek(Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
            let name: Ident = input.parse()?;
            let place = match name.to_string().as_str() {
                "op1" => Place::Op1,
                "op2" => Place::Op2,
                "data" => Place::Data,
                "result" => Place::Result,
                _ => {
                    let message = "only `op1`, `op2`, `data` and `result` can be assigned";
                    return Err(syn::Error::new(name.span(), message));
                }
            };
            let place = Spanned {
                value: place,
                location: (self.locate)(name.span()),
            };
            let value = self.assigned(input)?;
            return Ok(FastStatement::Assign(place, value));
        }
        if input.peek(Ident) && input.peek2(syn::token::Paren) {
            let name: Ident = input.fork().parse()?;
            let text = name.to_string();
            if CONTROL.contains(&text.as_str()) {
                return self.control(input, &text);
            }
        }
        let expression = self.expression(input, 0)?;
        if input.peek(Token![=]) && !input.peek(Token![==]) {
            let FastExpressionKind::Field(base, field) = expression.kind else {
                return Err(input.error("this can't be assigned"));
            };
            let value = self.assigned(input)?;
            return Ok(FastStatement::AssignField(*base, field, value));
        }
        if input.is_empty() {
            return Ok(FastStatement::Tail(expression));
        }
        let semicolon = input.parse::<Option<Token![;]>>()?.is_some();
        match expression.kind {
            FastExpressionKind::If(condition, then, otherwise) => {
                Ok(FastStatement::If(*condition, then, otherwise))
            }
            FastExpressionKind::Call(..) if semicolon => Ok(FastStatement::Effect(expression)),
            _ => Err(syn::Error::new(
                expression.location.span,
                "an expression whose value is dropped",
            )),
        }
    }

    /// `= expression;`
    fn assigned(&self, input: ParseStream<'_>) -> syn::Result<FastExpression> {
        input.parse::<Token![=]>()?;
        let value = self.expression(input, 0)?;
        input.parse::<Token![;]>()?;
        Ok(value)
    }

    fn control(&self, input: ParseStream<'_>, word: &str) -> syn::Result<FastStatement> {
        let name: Ident = input.parse()?;
        let content;
        parenthesized!(content in input);
        let statement = match word {
            "guard" => {
                let condition = self.expression(&content, 0)?;
                let mut reason = Reason::Value;
                if content.parse::<Option<Token![,]>>()?.is_some() {
                    let word: Ident = content.parse()?;
                    reason = Reason::from_word(&word.to_string()).ok_or_else(|| {
                        let known: Vec<&str> =
                            Reason::ALL.iter().map(|reason| reason.word()).collect();
                        unknown(&word, "reason", &known)
                    })?;
                }
                FastStatement::Guard(condition, reason)
            }
            "jump" => {
                let field: Ident = content.parse()?;
                let Some(value) = OplineField::from_word(&field.to_string()) else {
                    return Err(syn::Error::new(
                        field.span(),
                        "expected `op1`, `op2` or `extended`",
                    ));
                };
                FastStatement::Jump(Spanned {
                    value,
                    location: (self.locate)(name.span()),
                })
            }
            "goto" => FastStatement::Goto(self.expression(&content, 0)?),
            "helper" => {
                let helper: Ident = content.parse()?;
                FastStatement::Helper(Spanned {
                    value: helper.to_string(),
                    location: (self.locate)(helper.span()),
                })
            }
            _ => {
                let frame = self.expression(&content, 0)?;
                content.parse::<Token![,]>()?;
                let opline = self.expression(&content, 0)?;
                let way = vm_def::ir::Way::from_word(word);
                let way = way.ok_or_else(|| content.error("expected a way into another frame"))?;
                FastStatement::Switch(frame, opline, way)
            }
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
            let is_test =
                input.peek(Ident) && input.fork().parse::<Ident>().is_ok_and(|word| word == "is");
            if is_test && floor <= 3 {
                left = self.type_test(input, left)?;
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
            let is_literal =
                |side: &FastExpression| matches!(side.kind, FastExpressionKind::Integer(_));
            if operator.works_on_bits() && [&left, &right].into_iter().any(is_literal) {
                return Err(syn::Error::new(
                    span,
                    "a mask or a distance without a name: put it among the numbers of the runtime (vm-def/src/ir/layout.rs)",
                ));
            }
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
            word => match Structure::from_name(word) {
                Some(structure) => FastExpressionKind::Cast(value, structure),
                None => {
                    let structures = Structure::ALL.iter().map(|structure| structure.name());
                    let known: Vec<&str> = ["f64", "i64"].into_iter().chain(structures).collect();
                    return Err(unknown(&target, "target of a cast", &known));
                }
            },
        };
        Ok(FastExpression {
            location: (self.locate)(target.span()),
            kind,
        })
    }

    /// `x is Long | Double`, `x is not Undef`
    fn type_test(
        &self,
        input: ParseStream<'_>,
        value: FastExpression,
    ) -> syn::Result<FastExpression> {
        let word: Ident = input.parse()?;
        let negated = input
            .fork()
            .parse::<Ident>()
            .is_ok_and(|word| word == "not");
        if negated {
            input.parse::<Ident>()?;
        }
        let mut types = TypeMask::NONE;
        loop {
            let name: Ident = input.call(Ident::parse_any)?;
            let Some(known) = TypeName::from_word(&name.to_string()) else {
                let known: Vec<&str> = TypeName::ALL.iter().map(|name| name.word()).collect();
                return Err(unknown(&name, "type", &known));
            };
            types = types.union(known.mask());
            if !input.peek(Token![|]) || input.peek(Token![||]) {
                break;
            }
            input.parse::<Token![|]>()?;
        }
        if negated {
            types = TypeMask(TypeMask::ANY.0 & !types.0);
        }
        Ok(FastExpression {
            location: (self.locate)(word.span()),
            kind: FastExpressionKind::Is(Box::new(value), types),
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

    /// `a.checked_add(b) else …`, `call.function`, `object.slot(index)`
    fn postfix(&self, input: ParseStream<'_>) -> syn::Result<FastExpression> {
        let mut value = self.primary(input)?;
        while input.parse::<Option<Token![.]>>()?.is_some() {
            let name: Ident = input.parse()?;
            let location = (self.locate)(name.span());
            let text = name.to_string();
            if !input.peek(syn::token::Paren) {
                let kind = FastExpressionKind::Field(Box::new(value), text);
                value = FastExpression { location, kind };
                continue;
            }
            let content;
            parenthesized!(content in input);
            let argument = self.expression(&content, 0)?;
            let operation = match text.as_str() {
                "checked_add" => OverflowOperation::Add,
                "checked_sub" => OverflowOperation::Sub,
                "checked_mul" => OverflowOperation::Mul,
                _ => {
                    let argument = Box::new(argument);
                    let kind = FastExpressionKind::Element(Box::new(value), text, argument);
                    value = FastExpression { location, kind };
                    continue;
                }
            };
            if !input.peek(Token![else]) {
                let message = "a checked operation without `else`";
                return Err(syn::Error::new(name.span(), message));
            }
            input.parse::<Token![else]>()?;
            let otherwise = self.expression(input, 0)?;
            let kind = FastExpressionKind::Checked(
                operation,
                Box::new(value),
                Box::new(argument),
                Box::new(otherwise),
            );
            value = FastExpression { location, kind };
        }
        Ok(value)
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
                "Undef" => FastExpressionKind::Undef,
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
            "copy" | "share" => Representation::Boxed,
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

/// A word that is not in its table.
fn unknown(word: &Ident, what: &str, known: &[&str]) -> syn::Error {
    let note = suggestion(&word.to_string(), known);
    syn::Error::new(word.span(), format!("unknown {what} `{word}`: {note}"))
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
