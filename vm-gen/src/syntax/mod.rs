//! Reads definition files. A mistake in one statement does not hide those after it.

mod documentation;
mod fast;
mod items;
mod operands;

use std::str::FromStr;
use std::sync::Arc;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::parse::Parser;

use crate::diagnostics::{Diagnostics, Location};
use crate::model::{Definitions, Documentation, Family};
use crate::sources::Source;
use crate::suggest::suggestion;

/// What the readers of statements share.
pub(crate) struct Context<'a> {
    pub source: Arc<Source>,
    pub diagnostics: &'a mut Diagnostics,
}

impl Context<'_> {
    pub fn at(&self, span: Span) -> Location {
        Location {
            source: self.source.clone(),
            span,
        }
    }

    /// Runs a parser on tokens; an error is reported and gives `None`.
    pub fn parse<T>(&mut self, parser: impl Parser<Output = T>, tokens: TokenStream) -> Option<T> {
        match parser.parse2(tokens) {
            Ok(value) => Some(value),
            Err(error) => {
                self.diagnostics.report_syntax(&self.source, &error);
                None
            }
        }
    }

    /// Reports a word that is not in its table.
    pub fn unknown_word(&mut self, span: Span, what: &str, word: &str, known: &[&str]) {
        let location = self.at(span);
        let diagnostic = self.diagnostics.report(
            &location,
            format!("unknown {what} `{word}`"),
            format!("not {} {what}", article(what)),
        );
        diagnostic.note(suggestion(word, known));
    }
}

/// Reads one file into the definitions.
pub(crate) fn read_file(
    source: Source,
    definitions: &mut Definitions,
    diagnostics: &mut Diagnostics,
) {
    let source = Arc::new(source);
    let tokens = match TokenStream::from_str(&source.text) {
        Ok(tokens) => tokens,
        Err(error) => {
            let location = Location {
                source: source.clone(),
                span: error.span(),
            };
            diagnostics.report(
                &location,
                "the text is not made of tokens",
                "unbalanced or malformed",
            );
            return;
        }
    };
    let mut context = Context {
        source,
        diagnostics,
    };
    read_items(&mut context, tokens, definitions);
}

fn read_items(context: &mut Context<'_>, tokens: TokenStream, definitions: &mut Definitions) {
    let family = context.source.name.clone();
    let mut head = Vec::new();
    let mut comment = Vec::new();
    let mut item: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if item.is_empty() && is_punctuation(&token, '#') {
            let inner = tokens.peek().is_some_and(|next| is_punctuation(next, '!'));
            if inner {
                tokens.next();
            }
            if let Some(TokenTree::Group(group)) = tokens.next() {
                let lines = if inner { &mut head } else { &mut comment };
                lines.extend(documentation::doc_text(&group));
            }
            continue;
        }
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let documentation = documentation::read(std::mem::take(&mut comment));
                read_item(
                    context,
                    &std::mem::take(&mut item),
                    &group,
                    documentation,
                    definitions,
                );
            }
            token => item.push(token),
        }
    }
    if let Some(token) = item.first() {
        let location = context.at(token.span());
        context
            .diagnostics
            .report(&location, "an item without a body", "expected `{ … }`");
    }
    definitions.families.push(Family {
        name: family,
        documentation: head,
    });
}

fn read_item(
    context: &mut Context<'_>,
    head: &[TokenTree],
    body: &Group,
    documentation: Documentation,
    definitions: &mut Definitions,
) {
    let word = head.first().map(ToString::to_string).unwrap_or_default();
    let tokens: TokenStream = head.iter().skip(1).cloned().collect();
    match word.as_str() {
        "handler" => {
            if let Some(opcode) = items::read_handler(context, tokens, body, documentation) {
                definitions.opcodes.push(opcode);
            }
        }
        "helper" => {
            if let Some(helper) = items::read_helper(context, tokens, body, documentation) {
                definitions.helpers.push(helper);
            }
        }
        "clause" => {
            let whole = tokens.into_iter().chain([TokenTree::Group(body.clone())]);
            let shared = fast::read_shared(context, whole.collect(), documentation);
            definitions.shared.extend(shared);
        }
        _ => {
            let span = head.first().map_or(body.span(), TokenTree::span);
            context.unknown_word(span, "item", &word, &["handler", "helper", "clause"]);
        }
    }
}

/// Cuts a body into statements: up to `;`, or up to the braces after `fast` and `middle`.
pub(crate) fn statements(body: &Group) -> Vec<Vec<TokenTree>> {
    let mut statements = Vec::new();
    let mut current: Vec<TokenTree> = Vec::new();
    for token in body.stream() {
        if is_punctuation(&token, ';') {
            if !current.is_empty() {
                statements.push(std::mem::take(&mut current));
            }
            continue;
        }
        let braces =
            matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        current.push(token);
        if braces {
            statements.push(std::mem::take(&mut current));
        }
    }
    if !current.is_empty() {
        statements.push(current);
    }
    statements
}

pub(crate) fn is_punctuation(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punctuation) if punctuation.as_char() == character)
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    }
}
