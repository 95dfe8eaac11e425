//! `handler` and `helper` items and their statements.

use proc_macro2::{Group, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Ident, LitInt, Token, parenthesized};
use vm_def::grammar::{Effect, OperandKind, OplineField, SlowClass, SpecOption, UnusedMeaning};

use super::{Context, fast, operands, statements};
use crate::diagnostics::Location;
use crate::model::{Documentation, Helper, Opcode, Operand, SlowForm, SlowPath, Spanned};
use crate::words::STATEMENTS;

/// Reads `NAME = NUMBER { … }`.
pub(super) fn read_handler(
    context: &mut Context<'_>,
    head: TokenStream,
    body: &Group,
    documentation: Documentation,
) -> Option<Opcode> {
    let parser = |input: ParseStream<'_>| {
        let name: Ident = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        Ok((name, input.parse::<LitInt>()?))
    };
    let (name, number) = context.parse(parser, head)?;
    let location = context.at(name.span());
    let absent = Operand {
        location: location.clone(),
        kinds: vec![Spanned {
            value: OperandKind::Unused,
            location: location.clone(),
        }],
        meaning: UnusedMeaning::None,
        keep: false,
        define: false,
        access: None,
        declared: false,
    };
    let value = number.base10_parse::<u32>().unwrap_or(u32::MAX);
    let mut opcode = Opcode {
        family: context.source.name.clone(),
        name: Spanned {
            value: name.to_string(),
            location,
        },
        number: Spanned {
            value,
            location: context.at(number.span()),
        },
        documentation,
        op1: absent.clone(),
        op2: absent,
        data: None,
        result: None,
        extended: Vec::new(),
        extended_cache_slots: 0,
        checks: None,
        spec: Vec::new(),
        effects: Vec::new(),
        jumps: Vec::new(),
        alias: None,
        define_only: false,
        fast: Vec::new(),
        slow: None,
    };
    for statement in statements(body) {
        read_statement(context, &statement, &mut opcode);
    }
    Some(opcode)
}

/// Reads `NAME { slow handler PATH; }`.
pub(super) fn read_helper(
    context: &mut Context<'_>,
    head: TokenStream,
    body: &Group,
    documentation: Documentation,
) -> Option<Helper> {
    let name = context.parse(|input: ParseStream<'_>| input.parse::<Ident>(), head)?;
    let mut helper = Helper {
        family: context.source.name.clone(),
        name: Spanned {
            value: name.to_string(),
            location: context.at(name.span()),
        },
        documentation,
        slow: None,
    };
    for statement in statements(body) {
        let rest = statement.iter().skip(1);
        match word(&statement).as_str() {
            "slow" => helper.slow = read_slow(context, &statement[0], rest.cloned().collect()),
            other => {
                context.unknown_word(statement[0].span(), "helper statement", other, &["slow"]);
            }
        }
    }
    Some(helper)
}

fn word(statement: &[TokenTree]) -> String {
    statement
        .first()
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn read_statement(context: &mut Context<'_>, statement: &[TokenTree], opcode: &mut Opcode) {
    let first = &statement[0];
    let span = first.span();
    let word = word(statement);
    check_order(context, &context.at(span), &word, opcode);
    let has_colon = matches!(
        word.as_str(),
        "op1" | "op2" | "data" | "result" | "extended" | "checks" | "spec" | "effects"
    );
    let mut rest = statement.iter().skip(1).cloned().peekable();
    if has_colon {
        if rest
            .peek()
            .is_some_and(|token| super::is_punctuation(token, ':'))
        {
            rest.next();
        } else {
            let location = context.at(span);
            context.diagnostics.report(
                &location,
                format!("`{word}` needs a colon"),
                "expected `:`",
            );
        }
    }
    let rest: TokenStream = rest.collect();
    match word.as_str() {
        "op1" => {
            if let Some(operand) = operands::read_operand(context, span, rest) {
                opcode.op1 = operand;
            }
        }
        "op2" => {
            if let Some(operand) = operands::read_operand(context, span, rest) {
                opcode.op2 = operand;
            }
        }
        "data" => opcode.data = operands::read_operand(context, span, rest),
        "result" => opcode.result = operands::read_result(context, span, rest),
        "extended" => {
            if let Some((meanings, slots)) = operands::read_extended(context, rest) {
                (opcode.extended, opcode.extended_cache_slots) = (meanings, slots);
            }
        }
        "checks" => opcode.checks = operands::read_checks(context, rest),
        "spec" => read_spec(context, rest, opcode),
        "effects" => read_effects(context, rest, opcode),
        "alias" => {
            let name = context.parse(|input: ParseStream<'_>| input.parse::<Ident>(), rest);
            opcode.alias = name.map(|name| Spanned {
                value: name.to_string(),
                location: context.at(name.span()),
            });
        }
        "define_only" => opcode.define_only = true,
        "fast" | "middle" => {
            let middle = word == "middle";
            opcode
                .fast
                .extend(fast::read_clause(context, span, rest, middle));
        }
        "slow" => opcode.slow = read_slow(context, first, rest),
        _ => context.unknown_word(span, "statement", &word, STATEMENTS),
    }
}

/// The slow path is the last statement; what has a body comes after the declarations.
fn check_order(context: &mut Context<'_>, location: &Location, word: &str, opcode: &Opcode) {
    if opcode.slow.is_some() {
        let diagnostic = context.diagnostics.report(
            location,
            "the slow path is not the last statement",
            format!("`{word}` after `slow`"),
        );
        diagnostic
            .note("the clauses are tried in the order of the text; the slow path takes the rest");
    }
    let declares = !matches!(word, "fast" | "middle" | "slow");
    if declares && !opcode.fast.is_empty() {
        context.diagnostics.report(
            location,
            format!("`{word}` after a body"),
            "declarations come before the bodies",
        );
    }
}

fn read_spec(context: &mut Context<'_>, tokens: TokenStream, opcode: &mut Opcode) {
    let parser = Punctuated::<Ident, Token![,]>::parse_terminated;
    for word in context.parse(parser, tokens).unwrap_or_default() {
        let text = word.to_string();
        match SpecOption::from_word(&text) {
            Some(value) => {
                opcode.spec.push(Spanned {
                    value,
                    location: context.at(word.span()),
                });
            }
            None => {
                let known: Vec<&str> = SpecOption::ALL.iter().map(|option| option.word()).collect();
                context.unknown_word(word.span(), "spec option", &text, &known);
            }
        }
    }
}

fn read_effects(context: &mut Context<'_>, tokens: TokenStream, opcode: &mut Opcode) {
    let parser = |input: ParseStream<'_>| {
        let mut words = Vec::new();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            let mut fields = Vec::new();
            if input.peek(syn::token::Paren) {
                let content;
                parenthesized!(content in input);
                while !content.is_empty() {
                    fields.push(content.parse::<Ident>()?);
                    if !content.is_empty() && content.parse::<Token![,]>().is_err() {
                        content.parse::<Token![|]>()?;
                    }
                }
            }
            words.push((name, fields));
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(words)
    };
    for (name, fields) in context.parse(parser, tokens).unwrap_or_default() {
        let text = name.to_string();
        if text == "jumps" {
            for field in fields {
                if let Some(value) = opline_field(context, &field) {
                    let location = context.at(field.span());
                    opcode.jumps.push(Spanned { value, location });
                }
            }
            continue;
        }
        match Effect::from_word(&text) {
            Some(value) => {
                opcode.effects.push(Spanned {
                    value,
                    location: context.at(name.span()),
                });
            }
            None => {
                let mut known: Vec<&str> = Effect::ALL.iter().map(|effect| effect.word()).collect();
                known.push("jumps");
                context.unknown_word(name.span(), "effect", &text, &known);
            }
        }
    }
}

pub(super) fn opline_field(context: &mut Context<'_>, field: &Ident) -> Option<OplineField> {
    let text = field.to_string();
    let value = OplineField::from_word(&text);
    if value.is_none() {
        let known: Vec<&str> = OplineField::ALL.iter().map(|field| field.word()).collect();
        context.unknown_word(field.span(), "field of the opline", &text, &known);
    }
    value
}

/// Takes the class off the front of a slow path: a word that another word or `crate` stands behind.
fn read_class(
    context: &mut Context<'_>,
    tokens: TokenStream,
) -> (Option<Spanned<SlowClass>>, TokenStream) {
    let mut rest = tokens.clone().into_iter();
    let (Some(TokenTree::Ident(word)), Some(behind)) = (rest.next(), rest.clone().next()) else {
        return (None, tokens);
    };
    let is_class = match &behind {
        TokenTree::Ident(_) => word != "handler",
        other => super::is_punctuation(other, '!'),
    };
    if !is_class {
        return (None, tokens);
    }
    let text = word.to_string();
    let class = SlowClass::from_word(&text);
    if class.is_none() {
        let known: Vec<&str> = SlowClass::ALL.iter().map(|class| class.word()).collect();
        context.unknown_word(word.span(), "class of a slow path", &text, &known);
    }
    let location = context.at(word.span());
    let class = class.map(|value| Spanned { value, location });
    (class, rest.collect())
}

/// Reads `handler PATH`, `PATH(op1, op2)`, `[!]PATH(op1, op2) -> bool [jump(op2) if false]`.
fn read_slow(
    context: &mut Context<'_>,
    first: &TokenTree,
    tokens: TokenStream,
) -> Option<SlowPath> {
    let location = context.at(first.span());
    let (class, tokens) = read_class(context, tokens);
    let parser = |input: ParseStream<'_>| {
        let ahead = input.fork();
        if ahead.parse::<Ident>().is_ok_and(|word| word == "handler")
            && !ahead.peek(Token![::])
            && !ahead.peek(syn::token::Paren)
        {
            input.parse::<Ident>()?;
            return Ok((input.parse::<syn::Path>()?, SlowForm::Handler, None));
        }
        let negated = input.parse::<Option<Token![!]>>()?.is_some();
        let path: syn::Path = input.parse()?;
        let content;
        parenthesized!(content in input);
        let span = content.span();
        let arguments = Punctuated::<Ident, Token![,]>::parse_terminated(&content)?;
        let names: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let binary = match names
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .as_slice()
        {
            ["op1"] => false,
            ["op1", "op2"] => true,
            _ => {
                let span = arguments.first().map_or(span, Ident::span);
                return Err(syn::Error::new(
                    span,
                    "a slow function takes `op1` or `op1, op2`",
                ));
            }
        };
        if !input.peek(Token![->]) {
            if negated {
                return Err(input.error("`!` needs the form `-> bool`"));
            }
            return Ok((path, SlowForm::Value { binary }, None));
        }
        input.parse::<Token![->]>()?;
        let output: Ident = input.parse()?;
        if output != "bool" {
            return Err(syn::Error::new(
                output.span(),
                "a slow function gives `bool` or nothing",
            ));
        }
        let mut jump = None;
        if !input.is_empty() {
            let word: Ident = input.parse()?;
            if word != "jump" {
                return Err(syn::Error::new(word.span(), "expected `jump(…) if …`"));
            }
            let content;
            parenthesized!(content in input);
            let field: Ident = content.parse()?;
            input.parse::<Token![if]>()?;
            jump = Some((field, input.parse::<syn::LitBool>()?.value));
        }
        Ok((
            path,
            SlowForm::Condition {
                binary,
                negated,
                jump: None,
            },
            jump,
        ))
    };
    let (path, mut form, jump_word) = context.parse(parser, tokens)?;
    if let (SlowForm::Condition { jump, .. }, Some((field, when))) = (&mut form, jump_word) {
        *jump = opline_field(context, &field).map(|field| (field, when));
    }
    Some(SlowPath {
        location,
        path,
        form,
        class,
    })
}
