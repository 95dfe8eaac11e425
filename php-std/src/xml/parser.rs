//! A parser of XML 1.0 with namespaces that tells errors as libxml2 2.9 does.
//!
//! No crate does that: what scripts see of libxml2 are its texts, codes, lines and columns, and
//! how it goes on behind an error.

use std::collections::HashSet;

use super::error::{XmlError, level};
use super::tree::{Doctype, XML_NAMESPACE, split_name};

/// What a parser is to do; the numbers are libxml2's.
pub(crate) mod options {
    pub(crate) const RECOVER: i64 = 1;
    pub(crate) const NOENT: i64 = 2;
    pub(crate) const DTDLOAD: i64 = 4;
    pub(crate) const DTDATTR: i64 = 8;
    pub(crate) const DTDVALID: i64 = 16;
    pub(crate) const NOERROR: i64 = 32;
    pub(crate) const NOWARNING: i64 = 64;
    pub(crate) const PEDANTIC: i64 = 128;
    pub(crate) const NOBLANKS: i64 = 256;
    pub(crate) const XINCLUDE: i64 = 1024;
    pub(crate) const NONET: i64 = 2048;
    pub(crate) const NSCLEAN: i64 = 8192;
    pub(crate) const NOCDATA: i64 = 16384;
    pub(crate) const COMPACT: i64 = 65536;
    pub(crate) const PARSEHUGE: i64 = 524_288;
    pub(crate) const BIGLINES: i64 = 4_194_304;
}

/// The deepest nesting without [`options::PARSEHUGE`].
const DEEPEST: usize = 256;
/// How much longer than the document entities may make it.
const AMPLIFICATION: usize = 10_000_000;

/// An attribute of a start tag.
#[derive(Debug, Clone)]
pub(crate) struct Attribute {
    pub(crate) prefix: Option<Vec<u8>>,
    pub(crate) name: Vec<u8>,
    pub(crate) namespace: Option<Vec<u8>>,
    pub(crate) value: Vec<u8>,
    /// What the value is made of, if references to entities in it are kept.
    pub(crate) parts: Vec<ValuePart>,
    pub(crate) is_id: bool,
}

/// A part of an attribute's value.
#[derive(Debug, Clone)]
pub(crate) enum ValuePart {
    Text(Vec<u8>),
    /// The name of an entity.
    Reference(Vec<u8>),
}

/// A namespace that a start tag declares.
#[derive(Debug, Clone)]
pub(crate) struct Declared {
    pub(crate) prefix: Option<Vec<u8>>,
    pub(crate) uri: Vec<u8>,
    /// The number of attributes in front of it.
    pub(crate) place: usize,
}

/// A start tag.
#[derive(Debug, Clone)]
pub(crate) struct StartTag {
    pub(crate) prefix: Option<Vec<u8>>,
    pub(crate) name: Vec<u8>,
    pub(crate) namespace: Option<Vec<u8>>,
    pub(crate) declarations: Vec<Declared>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) line: u32,
    /// `<a/>`
    pub(crate) is_empty: bool,
}

/// The XML declaration.
#[derive(Debug, Clone, Default)]
pub(crate) struct Declaration {
    pub(crate) version: Option<Vec<u8>>,
    pub(crate) encoding: Option<Vec<u8>>,
    pub(crate) standalone: Option<bool>,
}

/// How a text stands in the document.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TextSource<'a> {
    /// The text itself, with its references.
    pub(crate) written: &'a [u8],
    /// What follows it.
    pub(crate) behind: &'a [u8],
}

/// Takes what the parser finds.
pub(crate) trait Sink {
    fn declaration(&mut self, _declaration: Declaration) {}
    fn doctype(&mut self, _name: &[u8], _doctype: &Doctype, _line: u32) {}
    fn start(&mut self, tag: StartTag);
    fn end(&mut self, name: &[u8]);
    /// Text, and how it was written.
    fn text(&mut self, text: &[u8], source: TextSource<'_>, line: u32);
    fn cdata(&mut self, text: &[u8], line: u32);
    fn comment(&mut self, text: &[u8], line: u32);
    fn instruction(&mut self, target: &[u8], data: &[u8], line: u32);
    /// The text of an external entity, if it is to be loaded.
    fn external(&mut self, _public: Option<&[u8]>, _system: &[u8]) -> Option<Vec<u8>> {
        None
    }
    /// A reference to a declared entity that is not replaced.
    fn reference(&mut self, name: &[u8], line: u32);
    /// True if text is wanted in pieces, as references divide it, and start tags as they were written.
    fn wants_pieces(&self) -> bool {
        false
    }
    /// True if the five references that need no declaration are wanted as references.
    fn wants_plain_references(&self) -> bool {
        false
    }
    /// A start tag that is about to be told, as it was written, without its end.
    fn source(&mut self, _text: &[u8]) {}
    /// Where the parser is: line, column and byte.
    fn place(&mut self, _line: u32, _column: u32, _offset: usize) {}
    /// Takes what an entity stands for as it is; false if markup is to be looked for in it.
    fn takes_entity(&mut self, _name: &[u8], _content: &[u8]) -> bool {
        false
    }
    /// A reference to what nobody declares, which is an error.
    fn undefined(&mut self, _name: &[u8]) {}
    /// True if nothing more is wanted.
    fn is_done(&self) -> bool {
        false
    }
}

/// A parser of one document.
pub(crate) struct Parser<'a> {
    text: Vec<u8>,
    at: usize,
    line: u32,
    line_start: usize,
    options: i64,
    sink: &'a mut dyn Sink,
    file: Vec<u8>,
    pub(crate) errors: Vec<XmlError>,
    is_well_formed: bool,
    open: Vec<Open>,
    /// Prefixes in force: prefix and URI.
    namespaces: Vec<(Option<Vec<u8>>, Vec<u8>)>,
    doctype: Doctype,
    has_external: bool,
    standalone: bool,
    /// Entities that are being replaced.
    replacing: Vec<Vec<u8>>,
    replaced: usize,
    references_are_kept: HashSet<Vec<u8>>,
    /// What entities contain is looked at by the parser of the document that refers to them.
    entities_are_checked: bool,
    /// IDs of elements so far.
    ids: HashSet<Vec<u8>>,
}

/// An element that is open.
struct Open {
    qualified: Vec<u8>,
    line: u32,
    namespaces: usize,
}

/// A place where parsing cannot go on.
struct Stop;

type Parsed<T> = Result<T, Stop>;

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// True if a name may start with this character.
pub(crate) fn is_name_start(character: char) -> bool {
    character.is_ascii_alphabetic()
        || matches!(character, '_' | ':' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}'
            | '\u{f8}'..='\u{2ff}' | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}'
            | '\u{200c}'..='\u{200d}' | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}'
            | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}'
            | '\u{10000}'..='\u{effff}')
}

/// True if a name may have this character.
pub(crate) fn is_name_character(character: char) -> bool {
    is_name_start(character)
        || character.is_ascii_digit()
        || matches!(character, '-' | '.' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
}

/// True for a name.
pub(crate) fn is_name(name: &[u8]) -> bool {
    let Ok(name) = std::str::from_utf8(name) else {
        return false;
    };
    let mut characters = name.chars();
    characters.next().is_some_and(is_name_start) && characters.all(is_name_character)
}

/// True for text that a document may have.
pub(crate) fn is_xml_text(text: &[u8]) -> bool {
    let is_good = |character: char| is_character(character as u32);
    std::str::from_utf8(text).is_ok_and(|text| text.chars().all(is_good))
}

/// True for a character that a document may have.
pub(super) fn is_character(character: u32) -> bool {
    matches!(character, 0x9 | 0xa | 0xd | 0x20..=0xd7ff | 0xe000..=0xfffd | 0x1_0000..=0x10_ffff)
}

impl<'a> Parser<'a> {
    /// Parses a document; true if it is well-formed. What is wrong is in `errors` afterwards.
    pub(crate) fn parse(
        bytes: &[u8],
        options: i64,
        file: &[u8],
        encoding: Option<&[u8]>,
        sink: &'a mut dyn Sink,
    ) -> (bool, Vec<XmlError>) {
        let mut parser = Parser::new(options, file, sink);
        match decoded(bytes, encoding) {
            Ok((text, _)) => parser.text = text,
            Err(name) => {
                parser.text = bytes.to_vec();
                // It is told behind the closing quotation mark.
                if let Some(place) = memchr::memmem::find(bytes, &name) {
                    parser.skip(place + name.len() + 1);
                }
                let name = String::from_utf8_lossy(&name).into_owned();
                parser.fatal(32, format!("Unsupported encoding {name}"));
                return (false, parser.errors);
            }
        }
        // Lines end with a line feed alone.
        if memchr::memchr(b'\r', &parser.text).is_some() {
            parser.text = without_returns(&parser.text);
        }
        let _ = parser.document();
        (parser.is_well_formed, parser.errors)
    }

    fn new(options: i64, file: &[u8], sink: &'a mut dyn Sink) -> Parser<'a> {
        Parser {
            text: Vec::new(),
            at: 0,
            line: 1,
            line_start: 0,
            options,
            sink,
            file: file.to_vec(),
            errors: Vec::new(),
            is_well_formed: true,
            open: Vec::new(),
            namespaces: Vec::new(),
            doctype: Doctype::default(),
            has_external: false,
            standalone: false,
            replacing: Vec::new(),
            replaced: 0,
            references_are_kept: HashSet::new(),
            entities_are_checked: false,
            ids: HashSet::new(),
        }
    }

    /// Parses content on its own, as of a fragment; true if it is well-formed.
    ///
    /// References are to what `doctype` declares, whose entities are not looked at for errors here.
    pub(crate) fn parse_content(
        bytes: &[u8],
        options: i64,
        doctype: Option<&Doctype>,
        namespaces: Vec<(Option<Vec<u8>>, Vec<u8>)>,
        sink: &'a mut dyn Sink,
    ) -> (bool, Vec<XmlError>) {
        let mut parser = Parser::new(options, b"", sink);
        parser.text = without_returns(bytes);
        parser.namespaces = namespaces;
        parser.entities_are_checked = doctype.is_some();
        parser.doctype = doctype.cloned().unwrap_or_default();
        // Content ends with each element that none is around; here others may follow.
        loop {
            let before = parser.at;
            if parser.content(0).is_err() || parser.at == before {
                break;
            }
        }
        if parser.is_well_formed && parser.at < parser.text.len() {
            parser.fatal(5, "Extra content at the end of the document");
        }
        (parser.is_well_formed, parser.errors)
    }

    fn has(&self, option: i64) -> bool {
        self.options & option != 0
    }

    /// True while the sink is told of what is found.
    fn is_live(&self) -> bool {
        self.is_well_formed || self.has(options::RECOVER)
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at.min(self.text.len())..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn starts(&self, with: &[u8]) -> bool {
        self.rest().starts_with(with)
    }

    /// Goes on by some bytes.
    fn skip(&mut self, count: usize) {
        let end = (self.at + count).min(self.text.len());
        for at in self.at..end {
            if self.text[at] == b'\n' {
                self.line += 1;
                self.line_start = at + 1;
            }
        }
        self.at = end;
    }

    fn accept(&mut self, text: &[u8]) -> bool {
        let found = self.starts(text);
        if found {
            self.skip(text.len());
        }
        found
    }

    /// Skips white space; true if there was some.
    fn blanks(&mut self) -> bool {
        let count = self
            .rest()
            .iter()
            .take_while(|&&byte| is_blank(byte))
            .count();
        self.skip(count);
        count > 0
    }

    fn error_at(&mut self, level: i64, code: i64, message: impl Into<Vec<u8>>, column: u32) {
        if level == level::FATAL {
            self.is_well_formed = false;
        }
        let mut message = message.into();
        message.push(b'\n');
        let error = XmlError {
            level,
            code,
            line: self.line,
            column,
            message,
            file: self.file.clone(),
        };
        self.errors.push(error);
    }

    fn column(&self) -> u32 {
        (self.at - self.line_start) as u32 + 1
    }

    fn error(&mut self, level: i64, code: i64, message: impl Into<Vec<u8>>) {
        let column = self.column();
        self.error_at(level, code, message, column);
    }

    fn fatal(&mut self, code: i64, message: impl Into<Vec<u8>>) {
        self.error(level::FATAL, code, message);
    }

    fn document(&mut self) -> Parsed<()> {
        if matches!(self.text.first(), None | Some(0)) {
            self.fatal(4, "Document is empty");
            return Err(Stop);
        }
        if self.starts(b"<?xml") && self.text.get(5).is_some_and(|&byte| is_blank(byte)) {
            self.xml_declaration()?;
        } else {
            self.sink.declaration(Declaration::default());
        }
        self.miscellaneous()?;
        if self.starts(b"<!DOCTYPE") {
            self.doctype()?;
            self.miscellaneous()?;
        }
        if self.peek() != Some(b'<') {
            self.fatal(4, "Start tag expected, '<' not found");
            return Err(Stop);
        }
        let outcome = self.content_of_root();
        if outcome.is_err() && !self.is_well_formed && self.sink.is_done() {
            return Err(Stop);
        }
        if self.sink.is_done() {
            return Ok(());
        }
        self.miscellaneous()?;
        if self.at < self.text.len() && self.peek() != Some(0) && !self.is_unfinished() {
            self.fatal(5, "Extra content at the end of the document");
        }
        Ok(())
    }

    /// True if the last error was about the end of the document.
    fn is_unfinished(&self) -> bool {
        self.at >= self.text.len()
    }

    fn xml_declaration(&mut self) -> Parsed<()> {
        let mut declaration = Declaration::default();
        self.skip(5);
        self.blanks();
        while !self.starts(b"?>") {
            let start = self.at;
            let name = self
                .rest()
                .iter()
                .take_while(|byte| byte.is_ascii_alphabetic())
                .count();
            let name = self.rest()[..name].to_vec();
            self.skip(name.len());
            self.blanks();
            if !self.accept(b"=") {
                self.at = start;
                self.fatal(57, "parsing XML declaration: '?>' expected");
                return Err(Stop);
            }
            self.blanks();
            let Some(quote @ (b'"' | b'\'')) = self.peek() else {
                self.fatal(33, "String not started expecting ' or \"");
                return Err(Stop);
            };
            self.skip(1);
            let Some(length) = memchr::memchr(quote, self.rest()) else {
                self.fatal(34, "String not closed expecting \" or '");
                return Err(Stop);
            };
            let value = self.rest()[..length].to_vec();
            match name.as_slice() {
                b"version" => {
                    if value != b"1.0" {
                        let shown = String::from_utf8_lossy(&value).into_owned();
                        self.skip(length);
                        if value.starts_with(b"1.") {
                            self.error(
                                level::WARNING,
                                97,
                                format!("Unsupported version '{shown}'"),
                            );
                        } else {
                            self.skip(1);
                            self.fatal(108, format!("Unsupported version '{shown}'"));
                            return Err(Stop);
                        }
                        self.skip(1);
                        self.blanks();
                        declaration.version = Some(value);
                        continue;
                    }
                    declaration.version = Some(value);
                }
                b"encoding" => declaration.encoding = Some(value),
                b"standalone" => match value.as_slice() {
                    b"yes" => declaration.standalone = Some(true),
                    b"no" => declaration.standalone = Some(false),
                    _ => {
                        self.fatal(78, "standalone accepts only 'yes' or 'no'");
                        self.fatal(34, "String not closed expecting \" or '");
                        self.fatal(57, "parsing XML declaration: '?>' expected");
                        return Err(Stop);
                    }
                },
                _ => {
                    self.at = start;
                    self.fatal(57, "parsing XML declaration: '?>' expected");
                    return Err(Stop);
                }
            }
            self.skip(length + 1);
            self.blanks();
        }
        self.skip(2);
        self.standalone = declaration.standalone == Some(true);
        self.sink.declaration(declaration);
        Ok(())
    }

    /// Comments, processing instructions and white space.
    fn miscellaneous(&mut self) -> Parsed<()> {
        loop {
            self.blanks();
            if self.starts(b"<?") {
                self.instruction()?;
            } else if self.starts(b"<!--") {
                self.comment()?;
            } else {
                return Ok(());
            }
        }
    }

    /// A name at the present place; nothing is skipped if there is none.
    fn name(&mut self) -> Option<Vec<u8>> {
        let rest = self.rest();
        let mut length = 0;
        while length < rest.len() {
            let character = if rest[length] < 0x80 {
                rest[length] as char
            } else {
                let (character, _) = crate::support::utf8::decode(&rest[length..]);
                match character.and_then(char::from_u32) {
                    Some(character) => character,
                    None => break,
                }
            };
            let fits = if length == 0 {
                is_name_start(character)
            } else {
                is_name_character(character)
            };
            if !fits {
                break;
            }
            length += character.len_utf8();
        }
        if length == 0 {
            return None;
        }
        let name = rest[..length].to_vec();
        self.at += length;
        Some(name)
    }

    fn instruction(&mut self) -> Parsed<()> {
        let line = self.line;
        self.skip(2);
        let Some(target) = self.name() else {
            self.fatal(46, "xmlParsePI : no target name");
            return Err(Stop);
        };
        if target.eq_ignore_ascii_case(b"xml") {
            self.fatal(
                64,
                "XML declaration allowed only at the start of the document",
            );
            if target != b"xml" {
                return Err(Stop);
            }
        }
        let had_blanks = self.blanks();
        let Some(length) = memchr::memmem::find(self.rest(), b"?>") else {
            let length = self.rest().len();
            self.skip(length);
            let shown = String::from_utf8_lossy(&target).into_owned();
            self.fatal(47, format!("ParsePI: PI {shown} never end ..."));
            return Ok(());
        };
        if !had_blanks && length > 0 {
            let shown = String::from_utf8_lossy(&target).into_owned();
            self.fatal(65, format!("ParsePI: PI {shown} space expected"));
        }
        let data = self.rest()[..length].to_vec();
        self.skip(length + 2);
        if self.is_live() {
            self.at_place();
            self.sink.instruction(&target, &data, line);
        }
        Ok(())
    }

    fn comment(&mut self) -> Parsed<()> {
        let line = self.line;
        self.skip(4);
        let mut searched = 0;
        loop {
            let Some(found) = memchr::memmem::find(&self.rest()[searched..], b"--") else {
                let length = self.rest().len();
                self.skip(length);
                self.fatal(45, "Comment not terminated ");
                if let Some(error) = self.errors.last_mut() {
                    error.message = b"Comment not terminated \n".to_vec();
                    error.message = b"Comment not terminated\n".to_vec();
                }
                return Ok(());
            };
            let end = searched + found;
            if self.rest().get(end + 2) == Some(&b'>') {
                let text = self.rest()[..end].to_vec();
                self.skip(end + 3);
                if self.is_live() {
                    self.at_place();
                    self.sink.comment(&text, line);
                }
                return Ok(());
            }
            let before = self.at;
            self.at += searched + found + 1;
            let text = String::from_utf8_lossy(&self.text[before..before + end]).into_owned();
            let column = (self.at - self.line_start) as u32;
            self.error_at(
                level::FATAL,
                80,
                format!("Double hyphen within comment: <!--{text}"),
                column,
            );
            self.at = before;
            searched = end + 1;
        }
    }

    fn content_of_root(&mut self) -> Parsed<()> {
        self.start_tag()?;
        if !self.open.is_empty() {
            self.content(0)?;
        }
        Ok(())
    }

    /// Content up to the end tag of the element that is open at `depth`.
    fn content(&mut self, depth: usize) -> Parsed<()> {
        loop {
            if self.sink.is_done() {
                return Ok(());
            }
            self.at_place();
            match self.peek() {
                None | Some(0) => {
                    if let Some(open) = self.open.pop() {
                        let (_, local) = split_name(&open.qualified);
                        let name = String::from_utf8_lossy(local).into_owned();
                        self.fatal(
                            77,
                            format!("Premature end of data in tag {name} line {}", open.line),
                        );
                        self.open.clear();
                    }
                    return Err(Stop);
                }
                Some(b'<') if self.starts(b"</") => {
                    if self.open.len() <= depth {
                        return Ok(());
                    }
                    self.end_tag()?;
                    if self.open.is_empty() && depth == 0 && self.replacing.is_empty() {
                        return Ok(());
                    }
                }
                Some(_) => self.piece()?,
            }
        }
    }

    /// Reads a piece of content that is no end tag.
    fn piece(&mut self) -> Parsed<()> {
        match self.peek() {
            Some(b'<') if self.starts(b"<!--") => self.comment(),
            Some(b'<') if self.starts(b"<![CDATA[") => self.cdata(),
            Some(b'<') if self.starts(b"<?") => self.instruction(),
            Some(b'<') => self.start_tag(),
            Some(b'&') if self.starts(b"&#") => self.characters(),
            Some(b'&') if self.is_plain_reference() && self.sink.wants_plain_references() => {
                let line = self.line;
                if let Some(name) = self.entity_name()
                    && self.is_live()
                {
                    self.at_place();
                    self.sink.reference(&name, line);
                }
                Ok(())
            }
            Some(b'&') if self.is_plain_reference() => self.characters(),
            Some(b'&') => self.reference(),
            _ => self.characters(),
        }
    }

    fn cdata(&mut self) -> Parsed<()> {
        let line = self.line;
        self.skip(9);
        let Some(length) = memchr::memmem::find(self.rest(), b"]]>") else {
            let rest = self.rest().to_vec();
            self.skip(rest.len());
            let shown = String::from_utf8_lossy(&rest[..rest.len().saturating_sub(2)]).into_owned();
            self.fatal(63, format!("CData section not finished\n{shown}"));
            return Ok(());
        };
        let text = self.rest()[..length].to_vec();
        // libxml2 tells of a section before it goes over it.
        let start = (self.line, self.column(), self.at);
        self.skip(length + 3);
        if self.is_live() {
            self.sink.place(start.0, start.1, start.2);
            if self.has(options::NOCDATA) {
                self.sink.text(&text, TextSource::default(), line);
            } else {
                self.sink.cdata(&text, line);
            }
        }
        Ok(())
    }

    /// Text up to the next markup, with references to characters.
    fn characters(&mut self) -> Parsed<()> {
        let begin = self.at;
        let mut text = Vec::new();
        // A text has the line on which libxml2 is when it has read the first part of it, which a reference
        // or the first character beyond ASCII ends.
        let mut first_end = None;
        // Where the text behind the last reference begins, and whether it is plain so far.
        let (mut start, mut is_plain) = (0, true);
        while let Some(byte) = self.peek() {
            match byte {
                b'<' | 0 => break,
                b'&' if !text.is_empty() && self.sink.wants_pieces() => break,
                b'&' if self.starts(b"&#") || self.is_plain_reference() => {
                    first_end.get_or_insert(self.line);
                    if self.starts(b"&#") {
                        self.push_character(&mut text);
                    } else {
                        text.push(self.plain_reference());
                    }
                    if self.sink.wants_pieces() {
                        break;
                    }
                    (start, is_plain) = (text.len(), true);
                }
                b'&' => break,
                b']' if self.starts(b"]]>") => {
                    self.fatal(62, "Sequence ']]>' not allowed in content");
                    if is_plain {
                        // What stands in front of it is lost, and its first bracket, which no column counts.
                        text.truncate(start);
                        self.skip(1);
                        self.line_start += 1;
                    } else {
                        text.extend_from_slice(b"]]>");
                        self.skip(3);
                    }
                }
                b'\t' | b'\n' | b' '..=b'\x7f' => {
                    text.push(byte);
                    self.skip(1);
                }
                _ => {
                    if is_plain && !text.is_empty() {
                        first_end.get_or_insert(self.line);
                    }
                    is_plain = false;
                    if !self.other_character(&mut text) {
                        let (_, length) = crate::support::utf8::decode(self.rest());
                        self.skip(length);
                        break;
                    }
                }
            }
        }
        let line = first_end.unwrap_or(self.line);
        self.flush(&text, line, begin);
        Ok(())
    }

    /// Tells where the parser is.
    fn at_place(&mut self) {
        let column = self.column();
        self.sink.place(self.line, column, self.at);
    }

    fn give_up(&mut self) -> Parsed<()> {
        // What follows is not looked at.
        self.at = self.text.len();
        self.open.clear();
        Err(Stop)
    }

    /// Tells of a text that begins at byte `start`.
    fn flush(&mut self, text: &[u8], line: u32, start: usize) {
        if !text.is_empty() && self.is_live() {
            // libxml2 counts the bytes of a plain text when it has told of it, those of others before.
            let is_plain = text.is_ascii() && self.text.get(start) != Some(&b'&');
            let is_told_first = is_plain && !text.iter().copied().all(is_blank);
            let column = self.column();
            let offset = if is_told_first { start } else { self.at };
            self.sink.place(self.line, column, offset);
            let end = self.at.min(self.text.len());
            let behind = &self.text[end..];
            let source = TextSource {
                written: &self.text[start.min(end)..end],
                behind: &behind[..behind.len().min(2)],
            };
            self.sink.text(text, source, line);
        }
    }

    /// A character beyond ASCII; false if it cannot be in a document.
    fn other_character(&mut self, text: &mut Vec<u8>) -> bool {
        let (character, length) = crate::support::utf8::decode(self.rest());
        match character {
            Some(character) if is_character(character) => {
                text.extend_from_slice(&self.text[self.at..self.at + length]);
                self.at += length;
                // Columns count characters.
                self.line_start += length - 1;
                true
            }
            Some(character) => {
                if character >= 0x80 {
                    self.fatal(9, format!("Char 0x{character:X} out of allowed range"));
                }
                self.fatal(9, format!("PCDATA invalid Char value {character}"));
                false
            }
            None => {
                let bytes: Vec<String> = self
                    .rest()
                    .iter()
                    .chain([0, 0, 0].iter())
                    .take(4)
                    .map(|byte| format!("0x{byte:02X}"))
                    .collect();
                let message = format!(
                    "Input is not proper UTF-8, indicate encoding !\nBytes: {}",
                    bytes.join(" ")
                );
                self.fatal(9, message);
                false
            }
        }
    }
}

/// Text whose lines end with a line feed alone.
fn without_returns(text: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = memchr::memchr(b'\r', rest) {
        output.extend_from_slice(&rest[..place]);
        output.push(b'\n');
        rest = &rest[place + 1..];
        rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    }
    output.extend_from_slice(rest);
    output
}

/// Takes nothing.
struct Nothing;

impl Sink for Nothing {
    fn start(&mut self, _tag: StartTag) {}
    fn end(&mut self, _name: &[u8]) {}
    fn text(&mut self, _text: &[u8], _source: TextSource<'_>, _line: u32) {}
    fn cdata(&mut self, _text: &[u8], _line: u32) {}
    fn comment(&mut self, _text: &[u8], _line: u32) {}
    fn instruction(&mut self, _target: &[u8], _data: &[u8], _line: u32) {}
    fn reference(&mut self, _name: &[u8], _line: u32) {}
}

mod decode;
mod doctype;
mod references;
mod tags;

use decode::decoded;

/// The namespace of the prefix `xml`, which needs no declaration.
fn known_namespace(prefix: &[u8]) -> Option<Vec<u8>> {
    (prefix == b"xml").then(|| XML_NAMESPACE.to_vec())
}
