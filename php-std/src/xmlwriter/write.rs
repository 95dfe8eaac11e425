//! What is written.

use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::encoding::Encoding;
use super::{Open, Target, Writer, writer};
use crate::libxml;
use crate::xml::parser::is_name;

/// Text as it stands between tags.
fn escape_text(text: &[u8], output: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'<' => output.extend_from_slice(b"&lt;"),
            b'>' => output.extend_from_slice(b"&gt;"),
            b'&' => output.extend_from_slice(b"&amp;"),
            b'"' => output.extend_from_slice(b"&quot;"),
            b'\r' => output.extend_from_slice(b"&#13;"),
            _ => output.push(byte),
        }
    }
}

/// Text as it stands in an attribute, in ASCII if it must be. False if some bytes are no characters.
fn escape_attribute(text: &[u8], in_ascii: bool, output: &mut Vec<u8>) -> bool {
    let mut is_whole = true;
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        match byte {
            b'<' => output.extend_from_slice(b"&lt;"),
            b'>' => output.extend_from_slice(b"&gt;"),
            b'&' => output.extend_from_slice(b"&amp;"),
            b'"' => output.extend_from_slice(b"&quot;"),
            b'\n' => output.extend_from_slice(b"&#10;"),
            b'\t' => output.extend_from_slice(b"&#9;"),
            b'\r' => output.extend_from_slice(b"&#13;"),
            // The last byte of a text is no character that libxml would look at.
            0x80.. if in_ascii && !behind.is_empty() => {
                let from = &text[text.len() - behind.len() - 1..];
                let first = from.utf8_chunks().next();
                let number = match first.and_then(|chunk| chunk.valid().chars().next()) {
                    Some(character) => {
                        rest = &from[character.len_utf8()..];
                        u32::from(character)
                    }
                    None => {
                        is_whole = false;
                        u32::from(byte)
                    }
                };
                output.extend_from_slice(format!("&#x{number:X};").as_bytes());
            }
            _ => output.push(byte),
        }
    }
    is_whole
}

impl Writer {
    fn push(&mut self, text: &[u8]) {
        self.buffer.extend_from_slice(text);
    }

    fn push_attribute(&mut self, value: &[u8]) {
        let is_whole = escape_attribute(value, !self.has_encoding, &mut self.buffer);
        self.has_broken_text |= !is_whole;
    }

    /// All that was written since it was taken away, in the document's encoding.
    fn encode(&mut self) -> &mut Vec<u8> {
        match &mut self.encoder {
            Some(encoder) => {
                encoder.append(&self.buffer, &mut self.encoded);
                self.buffer.clear();
            }
            None if self.encoded.is_empty() => std::mem::swap(&mut self.encoded, &mut self.buffer),
            None => self.encoded.append(&mut self.buffer),
        }
        &mut self.encoded
    }

    /// Deep documents are mostly indentation: the memory for it is asked for before any is taken.
    fn indent(&mut self, depth: usize) {
        let length = self.buffer.len() + depth * self.indentation.len();
        if length > self.buffer.capacity() {
            limits::reserve(length.max(2 * self.buffer.capacity()));
        }
        for _ in 0..depth {
            self.buffer.extend_from_slice(&self.indentation);
        }
    }

    fn new_line(&mut self) {
        if self.indents {
            self.push(b"\n");
        }
    }

    fn declare(&mut self) {
        // The last one that was needed stands first.
        for (name, uri) in std::mem::take(&mut self.declarations).into_iter().rev() {
            self.push(b" ");
            self.push(&name);
            self.push(b"=\"");
            self.push_attribute(&uri);
            self.push(b"\"");
        }
    }

    /// Ends the start tag that is open, if one is; true if there was one.
    fn close_tag(&mut self) -> bool {
        if self.open.last() == Some(&Open::Attribute) {
            self.end_attribute();
        }
        let Some(Open::Tag(name)) = self.open.last().cloned() else {
            return false;
        };
        self.declare();
        self.push(b">");
        self.open.pop();
        self.open.push(Open::Content(name));
        true
    }

    /// Gets ready for something on a line of its own; false where nothing can be.
    fn prepare(&mut self) -> bool {
        if self.close_tag() {
            self.new_line();
        }
        matches!(self.open.last(), None | Some(Open::Content(_)))
    }

    fn start_element(&mut self, name: &[u8]) -> bool {
        // Only instructions keep elements out: what they do to comments, sections and declarations is
        // the script's affair.
        if matches!(self.open.last(), Some(Open::Instruction(_))) {
            return false;
        }
        self.prepare();
        if self.indents {
            self.indent(self.open.len());
        }
        self.push(b"<");
        self.push(name);
        self.open.push(Open::Tag(name.to_vec()));
        true
    }

    fn end_element(&mut self, is_full: bool) -> bool {
        if self.open.last() == Some(&Open::Attribute) {
            self.end_attribute();
        }
        match self.open.last().cloned() {
            Some(Open::Tag(name)) => {
                self.declare();
                if is_full {
                    self.push(b"></");
                    self.push(&name);
                    self.push(b">");
                } else {
                    self.push(b"/>");
                }
            }
            Some(Open::Content(name)) => {
                if self.indents && self.is_on_new_line {
                    self.indent(self.open.len() - 1);
                }
                self.push(b"</");
                self.push(&name);
                self.push(b">");
            }
            _ => return false,
        }
        self.is_on_new_line = true;
        self.open.pop();
        self.new_line();
        true
    }

    fn start_attribute(&mut self, name: &[u8]) -> bool {
        if self.open.last() == Some(&Open::Attribute) {
            self.end_attribute();
        }
        if !matches!(self.open.last(), Some(Open::Tag(_))) {
            return false;
        }
        self.push(b" ");
        self.push(name);
        self.push(b"=\"");
        self.open.push(Open::Attribute);
        true
    }

    fn end_attribute(&mut self) -> bool {
        if self.open.last() != Some(&Open::Attribute) {
            return false;
        }
        self.open.pop();
        self.push(b"\"");
        true
    }

    /// Notes a namespace that the open tag must declare; false if its prefix is another's there.
    fn need_namespace(&mut self, prefix: Option<&[u8]>, uri: &[u8]) -> bool {
        let name = match prefix.filter(|prefix| !prefix.is_empty()) {
            Some(prefix) => [b"xmlns:", prefix].concat(),
            None => b"xmlns".to_vec(),
        };
        match self.declarations.iter().find(|known| known.0 == name) {
            Some((_, known)) => known == uri,
            None => {
                self.declarations.push((name, uri.to_vec()));
                true
            }
        }
    }

    fn text(&mut self, text: &[u8], is_raw: bool) -> bool {
        match self.open.last().cloned() {
            Some(Open::Attribute) => {
                if is_raw {
                    self.push(text);
                } else {
                    self.push_attribute(text);
                }
                return true;
            }
            Some(Open::Comment | Open::CData) => {
                self.push(text);
                return true;
            }
            Some(Open::Instruction(has_data)) => {
                if !has_data {
                    self.push(b" ");
                    self.open.pop();
                    self.open.push(Open::Instruction(true));
                }
                self.push(text);
                return true;
            }
            Some(Open::Doctype(is_open)) => {
                if !is_open {
                    self.push(b" [");
                    self.open.pop();
                    self.open.push(Open::Doctype(true));
                }
                self.push(text);
                return true;
            }
            Some(Open::Declaration(has_content, kind)) => {
                if !has_content {
                    self.push(if kind == b"ENTITY" { b" \"" } else { b" " });
                    self.open.pop();
                    self.open.push(Open::Declaration(true, kind));
                }
                self.push(text);
                return true;
            }
            _ => {}
        }
        // Outside of elements nothing is escaped.
        let is_raw = is_raw || self.open.is_empty();
        self.close_tag();
        self.is_on_new_line = false;
        if is_raw {
            self.push(text);
        } else {
            escape_text(text, &mut self.buffer);
        }
        true
    }

    fn start_comment(&mut self) -> bool {
        if self.open.last() == Some(&Open::Attribute) || !self.prepare() {
            return false;
        }
        if self.indents {
            self.indent(self.open.len());
        }
        self.push(b"<!--");
        self.open.push(Open::Comment);
        true
    }

    fn end_comment(&mut self) -> bool {
        if self.open.last() != Some(&Open::Comment) {
            return false;
        }
        self.open.pop();
        self.push(b"-->");
        self.new_line();
        true
    }

    fn start_instruction(&mut self, target: &[u8]) -> bool {
        self.close_tag();
        if matches!(
            self.open.last(),
            Some(Open::Comment | Open::CData | Open::Instruction(_) | Open::Declaration(..))
        ) {
            return false;
        }
        self.push(b"<?");
        self.push(target);
        self.open.push(Open::Instruction(false));
        true
    }

    fn end_instruction(&mut self) -> bool {
        match self.open.last() {
            Some(Open::Instruction(_)) => {}
            // Nothing is open: nothing went wrong.
            None => return true,
            Some(_) => return false,
        }
        self.open.pop();
        self.push(b"?>");
        self.new_line();
        true
    }

    fn start_cdata(&mut self) -> bool {
        self.close_tag();
        if matches!(
            self.open.last(),
            Some(Open::Comment | Open::CData | Open::Doctype(_) | Open::Declaration(..))
        ) {
            return false;
        }
        self.is_on_new_line = false;
        self.push(b"<![CDATA[");
        self.open.push(Open::CData);
        true
    }

    fn end_cdata(&mut self) -> bool {
        if self.open.last() != Some(&Open::CData) {
            return false;
        }
        self.open.pop();
        self.push(b"]]>");
        true
    }

    fn start_doctype(
        &mut self,
        name: &[u8],
        public: Option<&[u8]>,
        system: Option<&[u8]>,
    ) -> Result<bool, Unnamed> {
        if !self.open.is_empty() || name.is_empty() {
            return Ok(false);
        }
        self.push(b"<!DOCTYPE ");
        self.push(name);
        if public.is_some() && system.is_none() {
            return Err(Unnamed);
        }
        if let Some(public) = public {
            self.push(if self.indents { b"\n" } else { b" " });
            self.push(b"PUBLIC \"");
            self.push(public);
            self.push(b"\"");
        }
        if let Some(system) = system {
            if public.is_none() {
                self.push(if self.indents { b"\n" } else { b" " });
                self.push(b"SYSTEM ");
            } else {
                self.push(if self.indents { b"\n       " } else { b" " });
            }
            self.push(b"\"");
            self.push(system);
            self.push(b"\"");
        }
        self.open.push(Open::Doctype(false));
        Ok(true)
    }

    fn end_doctype(&mut self) -> bool {
        match self.open.last() {
            Some(Open::Declaration(..)) => _ = self.end_declaration(),
            Some(Open::Comment) => _ = self.end_comment(),
            _ => {}
        }
        // Another thing that is open stays so, and nobody complains.
        let Some(&Open::Doctype(is_open)) = self.open.last() else {
            return true;
        };
        self.open.pop();
        self.push(if is_open { b"]>" } else { b">" });
        self.new_line();
        true
    }

    fn start_declaration(&mut self, kind: &'static [u8], name: &[u8], is_parameter: bool) -> bool {
        match self.open.last() {
            Some(Open::Doctype(false)) => {
                self.push(b" [");
                self.new_line();
                self.open.pop();
                self.open.push(Open::Doctype(true));
            }
            Some(Open::Doctype(true)) | None => {}
            _ => return false,
        }
        if self.indents {
            self.indent(self.open.len());
        }
        self.push(b"<!");
        self.push(kind);
        self.push(b" ");
        if is_parameter {
            self.push(b"% ");
        }
        self.push(name);
        self.open.push(Open::Declaration(false, kind));
        true
    }

    fn end_element_declaration(&mut self) -> bool {
        self.is_declaring(b"ELEMENT") && self.end_declaration()
    }

    fn end_attributes_declaration(&mut self) -> bool {
        self.is_declaring(b"ATTLIST") && self.end_declaration()
    }

    fn end_entity_declaration(&mut self) -> bool {
        self.is_declaring(b"ENTITY") && self.end_declaration()
    }

    /// True if a declaration of this kind is open.
    fn is_declaring(&self, wanted: &[u8]) -> bool {
        matches!(self.open.last(), Some(Open::Declaration(_, kind)) if *kind == wanted)
    }

    fn end_declaration(&mut self) -> bool {
        let Some(Open::Declaration(has_content, kind)) = self.open.last().cloned() else {
            return false;
        };
        self.open.pop();
        self.push(if has_content && kind == b"ENTITY" {
            b"\">"
        } else {
            b">"
        });
        self.new_line();
        true
    }

    fn end_document(&mut self) -> bool {
        while let Some(open) = self.open.last().cloned() {
            match open {
                Open::Tag(_) | Open::Content(_) => self.end_element(false),
                Open::Attribute => self.end_attribute(),
                Open::Comment => self.end_comment(),
                Open::Instruction(_) => self.end_instruction(),
                Open::CData => self.end_cdata(),
                Open::Doctype(_) => self.end_doctype(),
                Open::Declaration(..) => self.end_declaration(),
            };
        }
        if !self.indents {
            self.push(b"\n");
        }
        true
    }
}

/// Checks the name in an argument. Messages count arguments as the functions have them, even those
/// of methods.
fn name<'a>(call: &mut Call<'a>, index: usize, what: &str) -> PhpResult<&'a [u8]> {
    let name = call.bytes(index);
    if is_name(name) {
        return Ok(name);
    }
    let shown = vm_runtime::message::text(name).into_owned();
    let first = usize::from(call.this().is_none());
    Err(call.value_error(
        index - first + 1,
        &format!("must be a valid {what}, \"{shown}\" given"),
    ))
}

fn answer(done: bool) -> PhpResult<Value> {
    Ok(done.into())
}

/// What needs no arguments.
macro_rules! acts {
    ($($name:ident => $method:ident,)*) => {
        $(pub(super) fn $name(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
            answer(writer(call, first)?.1.$method())
        })*
    };
}

acts! {
    start_comment => start_comment,
    end_comment => end_comment,
    end_attribute => end_attribute,
    end_pi => end_instruction,
    end_cdata => end_cdata,
    end_dtd => end_doctype,
    end_dtd_element => end_element_declaration,
    end_dtd_attlist => end_attributes_declaration,
    end_dtd_entity => end_entity_declaration,
}

pub(super) fn set_indent(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let indents = call.bool(first);
    writer(call, first)?.1.indents = indents;
    Ok(true.into())
}

pub(super) fn set_indent_string(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let text = call.bytes(first);
    writer(call, first)?.1.indentation = text.to_vec();
    Ok(true.into())
}

pub(super) fn write_comment(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let text = call.bytes(first);
    let (_object, writer) = writer(call, first)?;
    answer(writer.start_comment() && writer.text(text, true) && writer.end_comment())
}

pub(super) fn start_attribute(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let name = name(call, first, "attribute name")?;
    answer(writer(call, first)?.1.start_attribute(name))
}

pub(super) fn write_attribute(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let name = name(call, first, "attribute name")?;
    let value = call.bytes(first + 1);
    let (_object, writer) = writer(call, first)?;
    let done = writer.start_attribute(name) && writer.text(value, false) && writer.end_attribute();
    tell_broken_text(call, first, done)
}

/// The answer of what may have written an attribute: that some bytes were no characters is told.
fn tell_broken_text(call: &mut Call<'_>, first: usize, done: bool) -> PhpResult<Value> {
    let (_object, writer) = writer(call, first)?;
    if std::mem::take(&mut writer.has_broken_text) {
        libxml::report_plain(call.vm, 1401, "invalid character value")?;
    }
    answer(done)
}

/// A name with its prefix.
fn qualified(prefix: Option<&[u8]>, name: &[u8]) -> Vec<u8> {
    match prefix.filter(|prefix| !prefix.is_empty()) {
        Some(prefix) => [prefix, b":", name].concat(),
        None => name.to_vec(),
    }
}

fn attribute_in(call: &mut Call<'_>, first: usize) -> PhpResult<bool> {
    let prefix = call.optional_bytes(first);
    let name = name(call, first + 1, "attribute name")?;
    let uri = call.optional_bytes(first + 2);
    let (_object, writer) = writer(call, first)?;
    if writer.open.last() == Some(&Open::Attribute) {
        writer.end_attribute();
    }
    if let Some(uri) = uri
        && !writer.need_namespace(prefix, uri)
    {
        return Ok(false);
    }
    Ok(writer.start_attribute(&qualified(prefix, name)))
}

pub(super) fn start_attribute_ns(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    answer(attribute_in(call, first)?)
}

pub(super) fn write_attribute_ns(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let value = call.bytes(first + 3);
    let is_started = attribute_in(call, first)?;
    let (_object, writer) = writer(call, first)?;
    let done = is_started && writer.text(value, false) && writer.end_attribute();
    tell_broken_text(call, first, done)
}

pub(super) fn start_element(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let name = name(call, first, "element name")?;
    answer(writer(call, first)?.1.start_element(name))
}

fn element_in(call: &mut Call<'_>, first: usize) -> PhpResult<bool> {
    let prefix = call.optional_bytes(first);
    let name = name(call, first + 1, "element name")?;
    let uri = call.optional_bytes(first + 2);
    let (_object, writer) = writer(call, first)?;
    let is_started = writer.start_element(&qualified(prefix, name));
    if let Some(uri) = uri.filter(|_| is_started) {
        writer.need_namespace(prefix, uri);
    }
    Ok(is_started)
}

pub(super) fn start_element_ns(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    answer(element_in(call, first)?)
}

pub(super) fn end_element(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    answer(writer(call, first)?.1.end_element(false))
}

pub(super) fn full_end_element(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    answer(writer(call, first)?.1.end_element(true))
}

pub(super) fn write_element(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let name = name(call, first, "element name")?;
    let content = call.optional_bytes(first + 1);
    let (_object, writer) = writer(call, first)?;
    let is_started = writer.start_element(name);
    if let Some(content) = content.filter(|_| is_started) {
        writer.text(content, false);
    }
    answer(is_started && writer.end_element(false))
}

pub(super) fn write_element_ns(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let content = call.optional_bytes(first + 3);
    let is_started = element_in(call, first)?;
    let (_object, writer) = writer(call, first)?;
    if let Some(content) = content.filter(|_| is_started) {
        writer.text(content, false);
    }
    answer(is_started && writer.end_element(false))
}

pub(super) fn start_pi(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let target = name(call, first, "PI target")?;
    if !may_instruct(call, first, target)? {
        return answer(false);
    }
    answer(writer(call, first)?.1.start_instruction(target))
}

pub(super) fn write_pi(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let target = name(call, first, "PI target")?;
    let content = call.bytes(first + 1);
    if !may_instruct(call, first, target)? {
        return answer(false);
    }
    let (_object, writer) = writer(call, first)?;
    answer(
        writer.start_instruction(target) && writer.text(content, true) && writer.end_instruction(),
    )
}

pub(super) fn start_cdata(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    if !may_have_section(call, first)? {
        return answer(false);
    }
    answer(writer(call, first)?.1.start_cdata())
}

pub(super) fn write_cdata(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let content = call.bytes(first);
    if !may_have_section(call, first)? {
        return answer(false);
    }
    let (_object, writer) = writer(call, first)?;
    answer(writer.start_cdata() && writer.text(content, true) && writer.end_cdata())
}

pub(super) fn text(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let content = call.bytes(first);
    let done = writer(call, first)?.1.text(content, false);
    tell_broken_text(call, first, done)
}

pub(super) fn write_raw(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let content = call.bytes(first);
    answer(writer(call, first)?.1.text(content, true))
}

pub(super) fn start_document(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[first + 1])?;
    let version = call.optional_bytes(first).unwrap_or(b"1.0");
    let (encoding, standalone) = (
        call.optional_bytes(first + 1),
        call.optional_bytes(first + 2),
    );
    let (_object, writer) = writer(call, first)?;
    if !writer.open.is_empty() {
        let problem = "xmlTextWriterStartDocument : not allowed in this context!";
        libxml::report_fatal(call.vm, 1, problem)?;
        return answer(false);
    }
    let known = encoding.map(Encoding::named);
    if let Some(None) = known {
        let problem = "xmlTextWriterStartDocument : unsupported encoding";
        libxml::report_fatal(call.vm, 32, problem)?;
        return answer(false);
    }
    let known = known.flatten();
    writer.has_encoding |= known.is_some();
    let (encoding, encoder) = known.map(|known| (known.name, known.encoder)).unzip();
    writer.encoder = encoder.flatten();
    if let Some(encoder) = &writer.encoder {
        writer.encoded.extend_from_slice(encoder.mark);
    }
    writer.push(b"<?xml version=\"");
    writer.push(version);
    writer.push(b"\"");
    for (label, value) in [
        (&b" encoding=\""[..], encoding.as_deref()),
        (b" standalone=\"", standalone),
    ] {
        if let Some(value) = value {
            writer.push(label);
            writer.push(value);
            writer.push(b"\"");
        }
    }
    writer.push(b"?>\n");
    answer(true)
}

pub(super) fn end_document(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, writer) = writer(call, first)?;
    writer.end_document();
    send(call, first)?;
    answer(true)
}

/// A public identifier without one of the system.
struct Unnamed;

/// What is said of [`Unnamed`].
fn unnamed(call: &mut Call<'_>, place: &str) -> PhpResult<Value> {
    let problem = format!("{place} system identifier needed!");
    libxml::report_fatal(call.vm, 1, &problem)?;
    answer(false)
}

/// A document type may only be in front of all else.
fn misplaced_doctype(call: &mut Call<'_>) -> PhpResult<Value> {
    let problem = "xmlTextWriterStartDTD : DTD allowed only in prolog!";
    libxml::report_fatal(call.vm, 1, problem)?;
    answer(false)
}

/// Whether an instruction may begin: that it may not in another one, or for XML itself, is told.
fn may_instruct(call: &mut Call<'_>, first: usize, target: &[u8]) -> PhpResult<bool> {
    let is_nested = matches!(
        writer(call, first)?.1.open.last(),
        Some(Open::Instruction(_))
    );
    let problem = if target.eq_ignore_ascii_case(b"xml") {
        "xmlTextWriterStartPI : target name [Xx][Mm][Ll] is reserved for xml standardization!"
    } else if is_nested {
        "xmlTextWriterStartPI : nested PI!"
    } else {
        return Ok(true);
    };
    libxml::report_fatal(call.vm, 1, problem)?;
    Ok(false)
}

/// Whether a section may begin: that it may not in another one is told.
fn may_have_section(call: &mut Call<'_>, first: usize) -> PhpResult<bool> {
    if writer(call, first)?.1.open.last() != Some(&Open::CData) {
        return Ok(true);
    }
    let problem = "xmlTextWriterStartCDATA : CDATA not allowed in this context!";
    libxml::report_fatal(call.vm, 1, problem)?;
    Ok(false)
}

pub(super) fn start_dtd(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let name = call.bytes(first);
    let (public, system) = (
        call.optional_bytes(first + 1),
        call.optional_bytes(first + 2),
    );
    let (_object, writer) = writer(call, first)?;
    if !writer.open.is_empty() {
        return misplaced_doctype(call);
    }
    match writer.start_doctype(name, public, system) {
        Ok(is_started) => answer(is_started),
        Err(Unnamed) => unnamed(call, "xmlTextWriterStartDTD :"),
    }
}

pub(super) fn write_dtd(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let name = call.bytes(first);
    let (public, system) = (
        call.optional_bytes(first + 1),
        call.optional_bytes(first + 2),
    );
    let content = call.optional_bytes(first + 3);
    let (_object, writer) = writer(call, first)?;
    if !writer.open.is_empty() {
        return misplaced_doctype(call);
    }
    match writer.start_doctype(name, public, system) {
        Ok(true) => {}
        Ok(false) => return answer(false),
        Err(Unnamed) => return unnamed(call, "xmlTextWriterStartDTD :"),
    }
    if let Some(content) = content {
        writer.text(content, true);
    }
    answer(writer.end_doctype())
}

pub(super) fn start_dtd_element(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let name = name(call, first, "element name")?;
    answer(
        writer(call, first)?
            .1
            .start_declaration(b"ELEMENT", name, false),
    )
}

/// A whole declaration.
fn declaration(
    call: &mut Call<'_>,
    first: usize,
    kind: &'static [u8],
    name: &[u8],
    content: &[u8],
) -> PhpResult<Value> {
    let (_object, writer) = writer(call, first)?;
    answer(
        writer.start_declaration(kind, name, false)
            && writer.text(content, true)
            && writer.end_declaration(),
    )
}

pub(super) fn write_dtd_element(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let name = name(call, first, "element name")?;
    let content = call.bytes(first + 1);
    declaration(call, first, b"ELEMENT", name, content)
}

pub(super) fn start_dtd_attlist(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let name = name(call, first, "element name")?;
    answer(
        writer(call, first)?
            .1
            .start_declaration(b"ATTLIST", name, false),
    )
}

pub(super) fn write_dtd_attlist(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let name = name(call, first, "element name")?;
    let content = call.bytes(first + 1);
    declaration(call, first, b"ATTLIST", name, content)
}

pub(super) fn start_dtd_entity(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let name = name(call, first, "attribute name")?;
    let is_parameter = call.bool(first + 1);
    answer(
        writer(call, first)?
            .1
            .start_declaration(b"ENTITY", name, is_parameter),
    )
}

pub(super) fn write_dtd_entity(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let name = name(call, first, "element name")?;
    let (content, is_parameter) = (call.bytes(first + 1), call.bool(first + 2));
    let (public, system, notation) = (
        call.optional_bytes(first + 3),
        call.optional_bytes(first + 4),
        call.optional_bytes(first + 5),
    );
    let (_object, writer) = writer(call, first)?;
    if !writer.start_declaration(b"ENTITY", name, is_parameter) {
        return answer(false);
    }
    if public.is_none() && system.is_none() {
        writer.text(content, true);
        return answer(writer.end_declaration());
    }
    if system.is_none() {
        return unnamed(call, "xmlTextWriterWriteDTDExternalEntityContents:");
    }
    if let Some(public) = public {
        writer.push(b" PUBLIC \"");
        writer.push(public);
        writer.push(b"\" \"");
    } else {
        writer.push(b" SYSTEM \"");
    }
    writer.push(system.unwrap_or_default());
    writer.push(b"\"");
    if let Some(notation) = notation {
        writer.push(b" NDATA ");
        writer.push(notation);
    }
    answer(writer.end_declaration())
}

/// Sends what was written to the writer's stream; the number of bytes.
fn send(call: &mut Call<'_>, first: usize) -> PhpResult<i64> {
    let (_object, writer) = writer(call, first)?;
    send_from(call.vm, writer)
}

/// As [`send`], for a writer that goes.
pub(super) fn send_from(vm: &mut Vm, writer: &mut Writer) -> PhpResult<i64> {
    let Target::Stream(stream) = &writer.target else {
        return Ok(0);
    };
    let stream = stream.clone();
    let bytes = std::mem::take(writer.encode());
    let length = bytes.len() as i64;
    if length > 0 {
        let bytes = vm.string(bytes).into();
        crate::support::call_native(vm, "fwrite", vec![stream.clone(), bytes])?;
        crate::support::call_native(vm, "fflush", vec![stream])?;
    }
    Ok(length)
}

pub(super) fn output_memory(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let flushes = call.bool(first);
    let (_object, writer) = writer(call, first)?;
    if !matches!(writer.target, Target::Memory) {
        return Ok(call.vm.string("").into());
    }
    let encoded = writer.encode();
    // PHP takes it for a text that ends at a zero byte.
    let end = memchr::memchr(0, encoded).unwrap_or(encoded.len());
    let bytes = call.vm.string(&encoded[..end]);
    if flushes {
        encoded.clear();
    }
    Ok(bytes.into())
}

pub(super) fn flush(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let is_memory = matches!(writer(call, first)?.1.target, Target::Memory);
    if is_memory {
        return output_memory(call, first);
    }
    Ok(send(call, first)?.into())
}
