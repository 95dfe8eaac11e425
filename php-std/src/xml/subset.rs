//! The internal subset of a document type as libxml2 writes it: from what was declared, not as it was
//! written.

use std::collections::HashSet;

use super::tree::Doctype;
use super::validate::normal_element;

/// What stands between `[` and `]` where a document is written.
pub(crate) fn written(doctype: &Doctype) -> Option<Vec<u8>> {
    let mut output = Vec::new();
    for (name, public, system) in &doctype.notations {
        let mut push =
            |parts: &[&[u8]]| parts.iter().for_each(|part| output.extend_from_slice(part));
        push(&[b"<!NOTATION ", name]);
        match (public, system) {
            (Some(public), Some(system)) => {
                push(&[b" PUBLIC ", &quoted(public), b" ", &quoted(system)]);
            }
            (Some(public), None) => push(&[b" PUBLIC ", &quoted(public)]),
            (None, system) => {
                push(&[b" SYSTEM ", &quoted(system.as_deref().unwrap_or_default())]);
            }
        }
        push(&[b" >\n"]);
    }
    output.extend(declarations(doctype).unwrap_or_default());
    (!output.is_empty()).then_some(output)
}

/// The declarations that a script sees: libxml2 keeps notations apart.
pub(crate) fn declarations(doctype: &Doctype) -> Option<Vec<u8>> {
    let mut reader = Reader {
        rest: doctype.subset.as_deref()?.trim_ascii(),
    };
    let mut output = Vec::new();
    let mut known: Vec<(bool, Vec<u8>)> = Vec::new();
    let mut known_attributes: HashSet<(Vec<u8>, Vec<u8>)> = HashSet::new();
    while !reader.rest.is_empty() {
        let text = reader.declaration();
        if text.starts_with(b"<!--") {
            output.extend_from_slice(text);
        } else if let Some(inner) = text.strip_prefix(b"<?") {
            output.extend(instruction(inner));
        } else if let Some(inner) = text.strip_prefix(b"<!ENTITY") {
            output.extend(entity(inner, &mut known));
        } else if let Some(inner) = text.strip_prefix(b"<!ATTLIST") {
            output.extend(attributes(inner, &mut known_attributes));
        } else if text.starts_with(b"<!ELEMENT") {
            output.extend(normal_element(text).unwrap_or_else(|| single_blanks(text)));
            output.push(b'\n');
        }
        reader.blanks();
    }
    (!output.is_empty()).then_some(output)
}

/// Text in quotation marks that it does not have itself.
fn quoted(text: &[u8]) -> Vec<u8> {
    if !text.contains(&b'"') {
        return [b"\"", text, b"\""].concat();
    }
    if !text.contains(&b'\'') {
        return [b"'", text, b"'"].concat();
    }
    let mut output = vec![b'"'];
    for &byte in text {
        match byte {
            b'"' => output.extend_from_slice(b"&quot;"),
            _ => output.push(byte),
        }
    }
    output.push(b'"');
    output
}

/// A processing instruction with one blank behind its target.
fn instruction(inner: &[u8]) -> Vec<u8> {
    let inner = inner.strip_suffix(b"?>").unwrap_or(inner);
    let mut reader = Reader { rest: inner };
    let target = reader.word();
    reader.blanks();
    match reader.rest.is_empty() {
        true => [b"<?", target, b"?>"].concat(),
        false => [b"<?", target, b" ", reader.rest, b"?>"].concat(),
    }
}

/// An entity; the first declaration of a name counts.
fn entity(inner: &[u8], known: &mut Vec<(bool, Vec<u8>)>) -> Vec<u8> {
    let mut reader = Reader { rest: inner };
    reader.blanks();
    let is_parameter = reader.accept(b"%");
    reader.blanks();
    let name = reader.word();
    let key = (is_parameter, name.to_vec());
    if known.contains(&key) {
        return Vec::new();
    }
    known.push(key);
    let mark: &[u8] = if is_parameter { b"% " } else { b"" };
    let mut output = [b"<!ENTITY ", mark, name].concat();
    loop {
        reader.blanks();
        let part = match reader.literal() {
            Some(literal) => quoted(literal),
            None => match reader.word() {
                b"" => break,
                word => word.to_vec(),
            },
        };
        output.push(b' ');
        output.extend(part);
    }
    output.extend_from_slice(b">\n");
    output
}

/// A declaration for each attribute; the first one of a name counts.
fn attributes(inner: &[u8], known: &mut HashSet<(Vec<u8>, Vec<u8>)>) -> Vec<u8> {
    let mut reader = Reader { rest: inner };
    reader.blanks();
    let element = reader.word();
    let mut output = Vec::new();
    loop {
        reader.blanks();
        let name = reader.word();
        if name.is_empty() {
            return output;
        }
        let mut line = [b"<!ATTLIST ", element, b" ", name].concat();
        // The type, the default's kind and the default, as far as they are there.
        reader.blanks();
        if !reader.rest.starts_with(b"(") {
            line.push(b' ');
            line.extend_from_slice(reader.word());
            reader.blanks();
        }
        if let Some(list) = reader.list() {
            line.extend_from_slice(b" (");
            let values: Vec<&[u8]> = list
                .split(|&byte| byte == b'|')
                .map(<[u8]>::trim_ascii)
                .collect();
            line.extend(values.join(&b" | "[..]));
            line.push(b')');
        }
        reader.blanks();
        if reader.rest.starts_with(b"#") {
            line.push(b' ');
            line.extend_from_slice(reader.word());
            reader.blanks();
        }
        if let Some(default) = reader.literal() {
            line.push(b' ');
            line.extend(quoted(default));
        }
        if known.insert((element.to_vec(), name.to_vec())) {
            output.extend(line);
            output.extend_from_slice(b">\n");
        }
    }
}

/// A declaration as it was written, with single blanks.
fn single_blanks(text: &[u8]) -> Vec<u8> {
    let words = text
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let text = words.collect::<Vec<_>>().join(&b' ');
    match text.strip_suffix(b" >") {
        Some(start) => [start, b">"].concat(),
        None => text,
    }
}

/// Reads the parts of declarations.
struct Reader<'t> {
    rest: &'t [u8],
}

impl<'t> Reader<'t> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn take(&mut self, length: usize) -> &'t [u8] {
        let (part, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        part
    }

    fn accept(&mut self, text: &[u8]) -> bool {
        let found = self.rest.starts_with(text);
        if found {
            self.take(text.len());
        }
        found
    }

    /// What goes on until a blank, a quotation mark or the end of the declaration.
    fn word(&mut self) -> &'t [u8] {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'>()".contains(byte);
        let length = self.rest.iter().position(ends);
        self.take(length.unwrap_or(self.rest.len()))
    }

    /// Text in quotation marks.
    fn literal(&mut self) -> Option<&'t [u8]> {
        let quote = self
            .rest
            .first()
            .copied()
            .filter(|byte| b"\"'".contains(byte))?;
        let length = memchr::memchr(quote, &self.rest[1..])?;
        Some(&self.take(length + 2)[1..=length])
    }

    /// What stands in parentheses.
    fn list(&mut self) -> Option<&'t [u8]> {
        let length = memchr::memchr(b')', self.rest).filter(|_| self.rest.starts_with(b"("))?;
        Some(&self.take(length + 1)[1..length])
    }

    /// A declaration, comment, instruction or reference to a parameter entity.
    fn declaration(&mut self) -> &'t [u8] {
        let rest = self.rest;
        let through = |end: &[u8]| memchr::memmem::find(rest, end).map(|at| at + end.len());
        let length = if rest.starts_with(b"<!--") {
            through(b"-->")
        } else if rest.starts_with(b"<?") {
            through(b"?>")
        } else if rest.starts_with(b"%") {
            through(b";")
        } else {
            let mut quote = None;
            let end = rest.iter().position(|&byte| {
                match quote {
                    Some(open) if open == byte => quote = None,
                    None if b"\"'".contains(&byte) => quote = Some(byte),
                    _ => {}
                }
                quote.is_none() && byte == b'>'
            });
            end.map(|end| end + 1)
        };
        self.take(length.unwrap_or(rest.len()))
    }
}
