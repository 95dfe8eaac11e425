//! What is wrong with a document, named as PHP's parser names it, and where.
//!
//! html5ever tells lines only. So the text is fed in pieces that end where something can be wrong,
//! and the place is that of the last piece.

use std::cell::{Cell, RefCell};

use html5ever::tokenizer::{TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;

use super::super::error::{XmlError, level};
use super::super::tree::NodeId;
use super::sink::Sink;
use super::{Explicit, Request};

const FORMATTING: [&str; 14] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// The last token: where it starts, its length, and whether it is an end tag.
#[derive(Clone, Copy, Default)]
struct Place {
    start: usize,
    length: usize,
    is_end: bool,
    /// Nothing more is told: one error a token is enough, and the end of the text is none.
    is_told: bool,
}

/// How far the text was read, and what was wrong up to there.
pub(super) struct Position<'a> {
    text: &'a str,
    request: Request<'a>,
    /// Bytes that were fed.
    read: Cell<usize>,
    /// Where the markup starts that is being read.
    markup: Cell<usize>,
    token: Cell<Place>,
    /// Where the text starts that only the end of the input ends: nothing is told of it.
    tail: usize,
    is_over: Cell<bool>,
    /// Starts of lines; found when the first error is told.
    lines: RefCell<Vec<usize>>,
    tokenizer: RefCell<Vec<XmlError>>,
    tree: RefCell<Vec<XmlError>>,
}

impl<'a> Position<'a> {
    pub(super) fn new(text: &'a str, request: Request<'a>) -> Position<'a> {
        Position {
            text,
            request,
            read: Cell::new(0),
            markup: Cell::new(0),
            token: Cell::default(),
            tail: tail(text.as_bytes()),
            is_over: Cell::new(false),
            lines: RefCell::default(),
            tokenizer: RefCell::default(),
            tree: RefCell::default(),
        }
    }

    /// The length of the next piece: up to where markup or a reference starts, and inside of those
    /// a single character.
    pub(super) fn piece(&self, rest: &str) -> usize {
        let first = rest.chars().next().map_or(0, char::len_utf8);
        if rest.starts_with('<') {
            self.markup.set(self.read.get());
            return first;
        }
        let done = &self.text.as_bytes()[self.markup.get()..self.read.get()];
        let is_in_markup = done.first() == Some(&b'<') && done.last() != Some(&b'>');
        if is_in_markup || rest.starts_with(['&', '\0']) || done.ends_with(b"&") {
            return first;
        }
        let is_reference = done
            .iter()
            .rev()
            .take(40)
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#' || **byte == b'&')
            .any(|&byte| byte == b'&');
        if is_reference {
            return first;
        }
        let end = rest.find(['<', '&', '\0', '>']).unwrap_or(rest.len());
        end.max(first)
    }

    /// All was fed: what comes now comes of the end itself, of which nothing is told.
    pub(super) fn end(&self) {
        self.is_over.set(true);
    }

    pub(super) fn fed(&self, length: usize) {
        self.read.set(self.read.get() + length);
    }

    /// Line and column of a byte; columns count characters.
    fn place(&self, offset: usize) -> (u32, u32) {
        let mut lines = self.lines.borrow_mut();
        if lines.is_empty() {
            lines.push(0);
            lines.extend(memchr::memchr_iter(b'\n', self.text.as_bytes()).map(|at| at + 1));
        }
        let line = lines.partition_point(|&start| start <= offset);
        let start = lines[line - 1];
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let column = self.text[start..end].chars().count() + 1;
        (line as u32, column as u32)
    }

    fn error(&self, kind: &str, name: &str, offset: usize, length: usize) -> XmlError {
        let (line, column) = self.place(offset);
        let file = if self.request.file.is_empty() {
            "Entity".into()
        } else {
            String::from_utf8_lossy(self.request.file)
        };
        let end = if length > 1 {
            format!("-{}", column as usize + length - 1)
        } else {
            String::new()
        };
        XmlError {
            level: level::ERROR,
            code: 1,
            line,
            column,
            message: format!("{kind} error {name} in {file}, line: {line}, column: {column}{end}")
                .into_bytes(),
            file: self.request.file.to_vec(),
        }
    }

    fn tokenizer_error(&self, message: &str) {
        if !self.request.tells_errors || self.is_over.get() {
            return;
        }
        let at = self.read.get().saturating_sub(1);
        let text = self.text.as_bytes();
        let Some((name, back)) = tokenizer_error_name(message, text, at) else {
            return;
        };
        let error = self.error("tokenizer", name, at.saturating_sub(back), 1);
        self.tokenizer.borrow_mut().push(error);
    }

    pub(super) fn tree_error(&self, message: &str) {
        if !self.request.tells_errors || self.read.get() > self.tail {
            return;
        }
        let mut token = self.token.get();
        if token.is_told {
            return;
        }
        token.is_told = true;
        self.token.set(token);
        if let Some(name) = tree_error_name(message, token.is_end) {
            let error = self.error("tree", name, token.start, token.length);
            self.tree.borrow_mut().push(error);
        }
    }

    /// Notes where the token is that is being told.
    fn note(&self, token: &Token) {
        let read = self.read.get();
        let markup = self.markup.get();
        let place = match token {
            Token::TagToken(tag) => {
                let is_end = tag.kind == TagKind::EndTag;
                Place {
                    start: markup + 1 + usize::from(is_end),
                    length: tag.name.len(),
                    is_end,
                    // End tags of formatting elements are ignored in silence, and `</br>` is taken for `<br>`.
                    is_told: is_end && (FORMATTING.contains(&&*tag.name) || &*tag.name == "br"),
                }
            }
            Token::DoctypeToken(_) => Place {
                start: markup + 2,
                length: 7,
                is_end: false,
                is_told: matches!(token, Token::EOFToken),
            },
            Token::CharacterTokens(text) => Place {
                start: read.saturating_sub(text.len()),
                length: text.len(),
                is_end: false,
                is_told: matches!(token, Token::EOFToken),
            },
            _ => Place {
                start: read.min(self.text.len()),
                length: 1,
                is_end: false,
                is_told: matches!(token, Token::EOFToken),
            },
        };
        self.token.set(place);
    }

    /// What was wrong: with tokens first, then with their order.
    pub(super) fn into_errors(self) -> Vec<XmlError> {
        let mut errors = self.tokenizer.into_inner();
        errors.append(&mut self.tree.into_inner());
        errors
    }
}

/// Where the text behind the last markup starts.
fn tail(text: &[u8]) -> usize {
    match memchr::memrchr(b'<', text) {
        Some(start) => memchr::memchr(b'>', &text[start..]).map_or(start, |end| start + end + 1),
        None => 0,
    }
}

/// Stands between tokenizer and tree builder.
pub(super) struct Watch<'t, 'p> {
    builder: TreeBuilder<NodeId, Sink<'t, 'p>>,
    position: &'p Position<'p>,
    pub(super) explicit: Cell<Explicit>,
    /// Something else than comments and white space came already.
    is_begun: Cell<bool>,
}

impl<'t, 'p> Watch<'t, 'p> {
    pub(super) fn new(
        builder: TreeBuilder<NodeId, Sink<'t, 'p>>,
        position: &'p Position<'p>,
    ) -> Self {
        Watch {
            builder,
            position,
            explicit: Cell::default(),
            is_begun: Cell::new(false),
        }
    }
}

impl TokenSink for Watch<'_, '_> {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        match &token {
            Token::ParseError(message) => {
                self.position.tokenizer_error(message);
                return TokenSinkResult::Continue;
            }
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                let place = ["html", "head", "body"]
                    .iter()
                    .position(|name| **name == *tag.name);
                if let Some(place) = place
                    && !self.builder.sink.has(&tag.name)
                {
                    let mut explicit = self.explicit.get();
                    explicit[place] = true;
                    self.explicit.set(explicit);
                }
            }
            _ => {}
        }
        if self.position.request.tells_errors {
            self.position.note(&token);
        }
        if let Token::DoctypeToken(doctype) = &token
            && !self.is_begun.get()
        {
            let is_plain = doctype.name.as_deref() == Some("html")
                && doctype.public_id.is_none()
                && doctype
                    .system_id
                    .as_deref()
                    .is_none_or(|system| system == "about:legacy-compat");
            if !is_plain {
                self.position.tree_error("Bad DOCTYPE");
            }
        }
        let is_nothing = match &token {
            Token::CommentToken(_) => true,
            Token::CharacterTokens(text) => text.bytes().all(|byte| byte.is_ascii_whitespace()),
            _ => false,
        };
        if !is_nothing {
            self.is_begun.set(true);
        }
        // Text is told when its end was seen.
        let line = match &token {
            Token::CharacterTokens(text) => {
                line - memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
            }
            _ => line,
        };
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// The name of an error of the tokenizer, and how many bytes in front of the last one it is.
/// html5ever says which character it saw in which state.
fn tokenizer_error_name(message: &str, text: &[u8], at: usize) -> Option<(&'static str, usize)> {
    let Some((saw, state)) = message
        .strip_prefix("Saw ")
        .and_then(|rest| rest.split_once(" in state "))
    else {
        let back = || {
            let start = memchr::memrchr(b'&', &text[..=at.min(text.len() - 1)]).unwrap_or(at);
            at.saturating_sub(start + 1)
        };
        return Some(match message {
            "Self-closing end tag" => ("end-tag-with-trailing-solidus", 1),
            "Attributes on an end tag" => {
                ("end-tag-with-attributes", at - last_attribute(text, at))
            }
            _ if message.starts_with("Invalid character reference") => {
                ("unknown-named-character-reference", 0)
            }
            _ if message.starts_with("Numeric character reference without digits") => {
                ("absence-of-digits-in-numeric-character-reference", 0)
            }
            _ if message.starts_with("Semicolon missing")
                || message.starts_with("Character reference does not end with semicolon") =>
            {
                ("missing-semicolon-after-character-reference", 0)
            }
            _ if message.starts_with("Invalid numeric character reference") => {
                (number_problem(text, at)?, back())
            }
            _ => return None,
        });
    };
    let name = match (state, saw) {
        ("Data" | "TagName" | "BogusComment" | "Comment" | "DoctypeName" | "Plaintext", "\0") => {
            "unexpected-null-character"
        }
        (_, "\0") => "unexpected-null-character",
        ("TagOpen", "?") => "unexpected-question-mark-instead-of-tag-name",
        ("TagOpen", "EOF") => return None,
        ("TagOpen", _) => "invalid-first-character-of-tag-name",
        ("EndTagOpen", ">") => "missing-end-tag-name",
        ("EndTagOpen", "EOF") => return None,
        ("EndTagOpen", _) => "invalid-first-character-of-tag-name",
        ("BeforeAttributeName", "=") => "unexpected-equals-sign-before-attribute-name",
        ("BeforeAttributeName" | "AttributeName" | "AfterAttributeName", "EOF") => "eof-in-tag",
        ("BeforeAttributeName" | "AttributeName" | "AfterAttributeName", _) => {
            "unexpected-character-in-attribute-name"
        }
        ("BeforeAttributeValue", ">") => "missing-attribute-value",
        ("AttributeValue(Unquoted)", "EOF") => "eof-in-tag",
        ("AttributeValue(Unquoted)", _) => "unexpected-character-in-unquoted-attribute-value",
        ("AfterAttributeValueQuoted", "EOF") => "eof-in-tag",
        ("AfterAttributeValueQuoted", _) => "missing-whitespace-between-attributes",
        ("SelfClosingStartTag", "EOF") => "eof-in-tag",
        ("SelfClosingStartTag", _) => "unexpected-solidus-in-tag",
        ("MarkupDeclarationOpen", _) => "incorrectly-opened-comment",
        ("CommentStart" | "CommentStartDash", ">") => "abrupt-closing-of-empty-comment",
        ("CommentLessThanSignBangDashDash", _) => "nested-comment",
        ("CommentEndBang", ">") => "incorrectly-closed-comment",
        ("Doctype", _) => "missing-whitespace-before-doctype-name",
        ("BeforeDoctypeName", ">") => "missing-doctype-name",
        ("AfterDoctypeName", _) => "invalid-character-sequence-after-doctype-name",
        ("AfterDoctypeKeyword(Public)", "\"" | "'") => {
            "missing-whitespace-after-doctype-public-keyword"
        }
        ("AfterDoctypeKeyword(System)", "\"" | "'") => {
            "missing-whitespace-after-doctype-system-keyword"
        }
        (_, "EOF") if state.starts_with("Comment") => "eof-in-comment",
        (_, "EOF") if state.contains("Doctype") => "eof-in-doctype",
        (_, "EOF") if state.starts_with("Cdata") => "eof-in-cdata",
        (_, "EOF") if state.starts_with("Script") => "eof-in-script-html-comment-like-text",
        (_, "EOF") => "eof-in-tag",
        _ => return None,
    };
    // An opened comment is told at the character behind `<!`.
    let back = match name {
        "incorrectly-opened-comment" => {
            let start = memchr::memmem::rfind(&text[..=at], b"<!").unwrap_or(at);
            at.saturating_sub(start + 2)
        }
        _ => 0,
    };
    Some((name, back))
}

/// Where the last attribute starts of the end tag that ends at a byte.
fn last_attribute(text: &[u8], at: usize) -> usize {
    let start = memchr::memmem::rfind(&text[..at], b"</").unwrap_or(at);
    let (mut quote, mut last) = (None, at);
    for index in start..at {
        let byte = text[index];
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None if byte.is_ascii_whitespace() && !text[index + 1].is_ascii_whitespace() => {
                last = if index + 1 < at { index + 1 } else { last };
            }
            None => {}
        }
    }
    last
}

/// What is wrong with the number of the reference that ends at a byte.
fn number_problem(text: &[u8], at: usize) -> Option<&'static str> {
    let start = memchr::memrchr(b'&', &text[..=at])?;
    let digits = text.get(start + 2..)?;
    let (digits, radix) = match digits.first() {
        Some(b'x' | b'X') => (&digits[1..], 16),
        _ => (digits, 10),
    };
    let number = digits
        .iter()
        .map_while(|&byte| (byte as char).to_digit(radix))
        .fold(0u32, |number, digit| {
            number.saturating_mul(radix).saturating_add(digit)
        });
    Some(match number {
        0 => "null-character-reference",
        0xd800..=0xdfff => "surrogate-character-reference",
        0x11_0000.. => "character-reference-outside-unicode-range",
        0xfdd0..=0xfdef => "noncharacter-character-reference",
        _ if number & 0xfffe == 0xfffe => "noncharacter-character-reference",
        _ => "control-character-reference",
    })
}

/// The name of an error of the tree builder.
fn tree_error_name(message: &str, is_end: bool) -> Option<&'static str> {
    if message.starts_with("Bad DOCTYPE") {
        return Some("bad-doctype-token-in-initial-mode");
    }
    if let Some(mode) = message.strip_prefix("DOCTYPE in insertion mode ") {
        return Some(match mode {
            "BeforeHtml" => "doctype-token-in-before-html-mode",
            "BeforeHead" => "doctype-token-in-before-head-mode",
            "InHead" => "doctype-token-in-head-mode",
            "InHeadNoscript" => "doctype-token-in-head-noscript-mode",
            "AfterHead" => "doctype-token-after-head-mode",
            "InBody" => "doctype-token-in-body-mode",
            "InTable" => "doctype-token-in-table-mode",
            "InColumnGroup" => "doctype-token-in-column-group-mode",
            "InFrameset" => "doctype-token-in-frameset-mode",
            "AfterFrameset" => "doctype-token-after-frameset-mode",
            "InTemplate" => "doctype-token-in-body-mode",
            "AfterBody" => "doctype-token-after-body-mode",
            _ => "doctype-token-in-foreign-content-mode",
        });
    }
    if message.starts_with("Unexpected characters") || message.starts_with("Non-space") {
        return Some("characters-in-table-text");
    }
    if message.starts_with("Unexpected open element while closing") {
        return Some("unexpected-element-in-open-elements-stack");
    }
    if message.starts_with("Unexpected open element") {
        return Some("open-elements-is-wrong");
    }
    // Elements that close themselves are none to PHP, and no error.
    if message == "Unacknowledged self-closing tag" {
        return None;
    }
    let mode = message
        .starts_with("Unexpected token")
        .then(|| message.rsplit(' ').next())
        .flatten();
    Some(match mode {
        Some("Initial") => "unexpected-token-in-initial-mode",
        Some("BeforeHtml") if is_end => "unexpected-closed-token-in-before-html-mode",
        Some("BeforeHead") if is_end => "unexpected-closed-token-in-before-head-mode",
        Some("InHead") if is_end => "unexpected-closed-token-in-head-mode",
        Some("InHead") => "head-token-in-head-mode",
        _ if is_end => "unexpected-closed-token",
        _ => "unexpected-token",
    })
}
