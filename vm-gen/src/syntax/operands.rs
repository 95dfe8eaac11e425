//! `op1:`, `op2:`, `data:`, `result:` and `extended:`.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Ident, LitInt, Token, parenthesized};
use vm_def::grammar::{
    CheckSubject, ExtendedMeaning, OperandKind, OplineField, ResultKind, TypeName, UnusedMeaning,
    Unwinding,
};
use vm_def::types::TypeMask;

use super::Context;
use crate::model::{Access, CheckDefinition, Operand, ResultDefinition, Spanned};
use crate::words::{OPERAND_FLAGS, RESULT_FLAGS, SMALL};

/// A word with what stands in its parentheses.
struct Word {
    name: Ident,
    argument: Option<TokenStream>,
    optional: bool,
}

fn words(input: ParseStream<'_>) -> syn::Result<Vec<Word>> {
    let mut words = Vec::new();
    while !input.is_empty() {
        let name = input.call(Ident::parse_any)?;
        let argument = if input.peek(syn::token::Paren) {
            let content;
            parenthesized!(content in input);
            Some(content.parse()?)
        } else {
            None
        };
        let optional = input.parse::<Option<Token![?]>>()?.is_some();
        words.push(Word {
            name,
            argument,
            optional,
        });
        if !input.is_empty() && input.peek(Token![|]) {
            input.parse::<Token![|]>()?;
        }
    }
    Ok(words)
}

/// Reads `KIND | KIND(MEANING) … keep def read ref`.
pub(super) fn read_operand(
    context: &mut Context<'_>,
    span: Span,
    tokens: TokenStream,
) -> Option<Operand> {
    let words = context.parse(words, tokens)?;
    let mut operand = Operand {
        location: context.at(span),
        kinds: Vec::new(),
        meaning: UnusedMeaning::None,
        keep: false,
        define: false,
        access: None,
        declared: true,
    };
    for word in words {
        let text = word.name.to_string();
        match text.as_str() {
            "keep" => operand.keep = true,
            "def" => operand.define = true,
            "read" => operand.access = Some(Access::Read),
            "ref" => operand.access = Some(Access::Reference),
            _ => match OperandKind::from_word(&text) {
                Some(kind) => {
                    let location = context.at(word.name.span());
                    if operand.has_kind(kind) {
                        context.diagnostics.report(
                            &location,
                            format!("operand kind `{text}` is given twice"),
                            "here again",
                        );
                    }
                    operand.kinds.push(Spanned {
                        value: kind,
                        location,
                    });
                    if let Some(argument) = word.argument {
                        operand.meaning = meaning(context, kind, word.name.span(), &argument);
                    }
                }
                None => {
                    let mut known: Vec<&str> =
                        OperandKind::ALL.iter().map(|kind| kind.word()).collect();
                    known.extend(OPERAND_FLAGS);
                    context.unknown_word(word.name.span(), "operand kind", &text, &known);
                }
            },
        }
    }
    Some(operand)
}

fn meaning(
    context: &mut Context<'_>,
    kind: OperandKind,
    span: Span,
    argument: &TokenStream,
) -> UnusedMeaning {
    let text = argument.to_string();
    if !matches!(kind, OperandKind::Unused | OperandKind::Any) {
        let location = context.at(span);
        context.diagnostics.report(
            &location,
            format!("operand kind `{}` takes no meaning", kind.word()),
            "only UNUSED and ANY have one",
        );
    }
    let first = argument.clone().into_iter().next();
    UnusedMeaning::from_word(&text).unwrap_or_else(|| {
        let known: Vec<&str> = UnusedMeaning::ALL
            .iter()
            .map(|meaning| meaning.word())
            .collect();
        let span = first.map_or(span, |token| token.span());
        context.unknown_word(span, "operand meaning", &text, &known);
        UnusedMeaning::None
    })
}

/// Reads `TMP`, `TMP?`, `TMP | VAR`, `ARG`, `SLOT(2)`, `TMP SAME`, `TMP ROPE`, and types behind a colon.
pub(super) fn read_result(
    context: &mut Context<'_>,
    span: Span,
    tokens: TokenStream,
) -> Option<ResultDefinition> {
    let mut parts = tokens.into_iter();
    let kinds = parts.by_ref();
    let kinds = kinds.take_while(|token| !super::is_punctuation(token, ':'));
    let words_of_kinds = context.parse(words, kinds.collect())?;
    let words_of_types = context.parse(words, parts.collect())?;
    let mut result = ResultDefinition {
        location: context.at(span),
        kinds: Vec::new(),
        optional: false,
        same: false,
        unwound: Unwinding::Value,
        types: None,
        small: false,
        slots: 0,
    };
    for word in words_of_types {
        let text = word.name.to_string();
        if text == SMALL {
            result.small = true;
        } else if let Some(name) = TypeName::from_word(&text) {
            let types = result.types.unwrap_or(TypeMask::NONE);
            result.types = Some(types.union(name.mask()));
        } else {
            let mut known: Vec<&str> = TypeName::ALL.iter().map(|name| name.word()).collect();
            known.push(SMALL);
            context.unknown_word(word.name.span(), "type", &text, &known);
        }
    }
    for word in words_of_kinds {
        let text = word.name.to_string();
        if RESULT_FLAGS.contains(&text.as_str()) {
            result.same = true;
            continue;
        }
        if let Some(unwound) = Unwinding::from_word(&text) {
            result.unwound = unwound;
            continue;
        }
        let Some(kind) = ResultKind::from_word(&text) else {
            let mut known: Vec<&str> = ResultKind::ALL.iter().map(|kind| kind.word()).collect();
            known.extend(Unwinding::ALL.iter().map(|word| word.word()));
            known.extend(RESULT_FLAGS);
            context.unknown_word(word.name.span(), "result kind", &text, &known);
            continue;
        };
        result.kinds.push(kind);
        result.optional |= word.optional;
        if let Some(argument) = word.argument {
            result.slots = slots(context, argument).unwrap_or(0);
        }
    }
    Some(result)
}

/// Reads `PARAMETER(op2, extended)`: what is checked, and where a published opline has what it must know.
pub(super) fn read_checks(
    context: &mut Context<'_>,
    tokens: TokenStream,
) -> Option<CheckDefinition> {
    let parser = |input: ParseStream<'_>| {
        let subject: Ident = input.parse()?;
        let content;
        parenthesized!(content in input);
        let fields = Punctuated::<Ident, Token![,]>::parse_terminated(&content)?;
        let mut fields = fields.into_iter();
        match (fields.next(), fields.next(), fields.next()) {
            (Some(accepted), Some(cache), None) => Ok((subject, accepted, cache)),
            _ => Err(syn::Error::new(
                subject.span(),
                "expected two fields: for the mask, and for the number of the cache word",
            )),
        }
    };
    let (subject, accepted, cache) = context.parse(parser, tokens)?;
    let text = subject.to_string();
    let Some(value) = CheckSubject::from_word(&text) else {
        let known: Vec<&str> = CheckSubject::ALL.iter().map(|word| word.word()).collect();
        context.unknown_word(subject.span(), "subject of a check", &text, &known);
        return None;
    };
    let mut field =
        |name: &Ident| -> Option<OplineField> { super::items::opline_field(context, name) };
    let (accepted, cache) = (field(&accepted)?, field(&cache)?);
    Some(CheckDefinition {
        subject: Spanned {
            value,
            location: context.at(subject.span()),
        },
        accepted,
        cache,
    })
}

/// Reads the meanings of `extended_value`; `CACHE_SLOT(n)` also tells the number of slots.
pub(super) fn read_extended(
    context: &mut Context<'_>,
    tokens: TokenStream,
) -> Option<(Vec<Spanned<ExtendedMeaning>>, u8)> {
    let words = context.parse(words, tokens)?;
    let mut meanings = Vec::new();
    let mut cache_slots = 0;
    for word in words {
        let text = word.name.to_string();
        match ExtendedMeaning::from_word(&text) {
            Some(value) => {
                meanings.push(Spanned {
                    value,
                    location: context.at(word.name.span()),
                });
                if value == ExtendedMeaning::CacheSlot {
                    cache_slots = 1;
                }
                if let Some(argument) = word.argument {
                    cache_slots = slots(context, argument).unwrap_or(1);
                }
            }
            None => {
                let known: Vec<&str> = ExtendedMeaning::ALL
                    .iter()
                    .map(|meaning| meaning.word())
                    .collect();
                context.unknown_word(word.name.span(), "extended_value meaning", &text, &known);
            }
        }
    }
    Some((meanings, cache_slots))
}

fn slots(context: &mut Context<'_>, argument: TokenStream) -> Option<u8> {
    let parser = |input: ParseStream<'_>| input.parse::<LitInt>()?.base10_parse::<u8>();
    context.parse(parser, argument)
}
