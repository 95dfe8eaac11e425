//! The calls for what the parser finds, and the lists of `xml_parse_into_struct()`.

use vm_runtime::value::{ArrayHandle, ObjectHandle, Value};
use vm_runtime::vm::Vm;

use super::{Handler, State};
use crate::support::Append;
use crate::xml::parser::{Attribute, Declared, Sink, StartTag, TextSource};
use crate::xml::tree::{Doctype, Entity};

/// Where a line and a column are in text.
pub(super) fn offset(text: &[u8], line: u32, column: u32) -> usize {
    let mut lines = text.split(|&byte| byte == b'\n');
    let before: usize = lines
        .by_ref()
        .take(line as usize - 1)
        .map(|line| line.len() + 1)
        .sum();
    before + column as usize - 1
}

/// Makes the calls.
pub(super) struct Events<'a> {
    pub(super) vm: &'a mut Vm,
    pub(super) parser: ObjectHandle,
    pub(super) structure: Option<&'a mut Structure>,
    pub(super) has_thrown: bool,
    /// Events that were told already, when the text had not come in full.
    pub(super) told: usize,
    /// Events so far.
    pub(super) count: usize,
    /// External entities of the document type.
    pub(super) entities: Vec<(Vec<u8>, Entity)>,
    /// A handler of external entities was not content.
    pub(super) is_refused: bool,
    /// Names of the open elements.
    pub(super) open: Vec<Vec<u8>>,
    /// The start tag that is told next, as it was written.
    pub(super) source: Vec<u8>,
    /// References go to the default handler as they are.
    pub(super) keeps_references: bool,
}

impl Events<'_> {
    fn state(&self) -> &mut State {
        super::state(&self.parser)
    }

    /// The handler of a kind; the name of a method is one of the present object.
    fn handler(&mut self, handler: Handler) -> Option<Value> {
        let state = self.state();
        let found = state.handlers[handler as usize].clone()?;
        if !state.are_methods[handler as usize] {
            return Some(found);
        }
        let object = state.object.clone()?;
        Some(crate::support::list(self.vm, [object, found]))
    }

    /// Counts an event; true if it was told before.
    fn is_told(&mut self) -> bool {
        self.count += 1;
        self.count <= self.told
    }

    /// Text in the encoding that the script wants; what that does not have is a question mark.
    fn encoded(&mut self, text: &[u8]) -> Value {
        let most = match self.state().target.as_str() {
            "ISO-8859-1" => 0xff,
            "US-ASCII" => 0x7f,
            _ => return self.vm.string(text).into(),
        };
        let bytes: Vec<u8> = String::from_utf8_lossy(text)
            .chars()
            .map(|character| match character as u32 {
                number if number <= most => number as u8,
                _ => b'?',
            })
            .collect();
        self.vm.string(bytes).into()
    }

    fn handler_of_entities(&self) -> Option<Value> {
        let state = self.state();
        let handler = Handler::ExternalEntity as usize;
        let found = state.handlers[handler].clone()?;
        (!state.are_methods[handler]).then_some(found)
    }

    /// Calls a handler with the parser and further arguments; false if there is none.
    fn call(&mut self, handler: Handler, arguments: Vec<Value>) -> bool {
        let Some(callable) = self.handler(handler) else {
            return false;
        };
        if self.has_thrown || self.count <= self.told {
            return true;
        }
        let mut all = vec![Value::from(self.parser.clone())];
        all.extend(arguments);
        self.has_thrown = self.vm.call(&callable, all).is_err();
        true
    }

    /// A name as scripts see it: in upper case if that is wanted.
    fn shown(&self, name: &[u8]) -> Vec<u8> {
        if self.state().keeps_case {
            return name.to_vec();
        }
        String::from_utf8_lossy(name)
            .to_ascii_uppercase()
            .into_bytes()
    }

    /// The name of an element or attribute, with its namespace if the parser has them.
    fn full_name(&self, prefix: Option<&[u8]>, name: &[u8], namespace: Option<&[u8]>) -> Vec<u8> {
        let full = match (&self.state().separator, namespace, prefix) {
            (Some(separator), Some(uri), _) => [uri, separator, name].concat(),
            (Some(_), None, _) => name.to_vec(),
            (None, _, Some(prefix)) => [prefix, b":", name].concat(),
            (None, _, None) => name.to_vec(),
        };
        self.shown(&full)
    }

    fn without_start(&self, name: &[u8]) -> Vec<u8> {
        name[self.state().skipped_start.min(name.len())..].to_vec()
    }

    /// Hands the text of something to the default handler.
    fn default(&mut self, text: &[u8]) {
        let text = self.encoded(text);
        self.call(Handler::Default, vec![text]);
    }

    fn attributes(&mut self, tag: &StartTag) -> ArrayHandle {
        let mut table = self.vm.new_array();
        // To a parser without namespaces declarations are attributes among the others.
        let mut declarations = match self.state().separator {
            Some(_) => [].iter(),
            None => tag.declarations.iter(),
        }
        .peekable();
        let last = tag.attributes.len();
        for place in 0..=last {
            while let Some(declared) = declarations.next_if(|declared| declared.place == place) {
                let name = match &declared.prefix {
                    Some(prefix) => [&b"xmlns:"[..], prefix].concat(),
                    None => b"xmlns".to_vec(),
                };
                let (name, value) = (self.shown(&name), self.encoded(&declared.uri));
                table.make_mut(self.vm).set_bytes(&name, value);
            }
            let Some(attribute) = tag.attributes.get(place) else {
                break;
            };
            let Attribute {
                prefix,
                name,
                namespace,
                value,
                ..
            } = attribute;
            let name = self.full_name(prefix.as_deref(), name, namespace.as_deref());
            let value = self.encoded(value);
            table.make_mut(self.vm).set_bytes(&name, value);
        }
        table
    }
}

impl Sink for Events<'_> {
    fn wants_pieces(&self) -> bool {
        true
    }

    fn wants_plain_references(&self) -> bool {
        self.keeps_references
    }

    fn source(&mut self, text: &[u8]) {
        text.clone_into(&mut self.source);
    }

    fn place(&mut self, line: u32, column: u32, offset: usize) {
        let state = self.state();
        (state.line, state.column, state.offset) = (line, column, offset);
    }

    fn doctype(&mut self, _name: &[u8], doctype: &Doctype, _line: u32) {
        let external = doctype.entities.iter();
        let external = external.filter(|(_, entity)| entity.content.is_none());
        self.entities = external.cloned().collect();
        self.is_told();
        let optional = |events: &mut Self, text: &Option<Vec<u8>>| match text {
            Some(text) => events.encoded(text),
            None => false.into(),
        };
        for (name, public, system) in &doctype.notations {
            let name = self.encoded(name);
            let (public, system) = (optional(self, public), optional(self, system));
            self.call(Handler::Notation, vec![name, false.into(), system, public]);
        }
        for (name, entity) in &doctype.entities {
            if let Some(notation) = &entity.notation {
                let (name, notation) = (self.encoded(name), self.encoded(notation));
                let (public, system) = (
                    optional(self, &entity.public),
                    optional(self, &entity.system),
                );
                self.call(
                    Handler::UnparsedEntity,
                    vec![name, false.into(), system, public, notation],
                );
            }
        }
    }

    fn start(&mut self, tag: StartTag) {
        self.is_told();
        let full = self.full_name(tag.prefix.as_deref(), &tag.name, tag.namespace.as_deref());
        if self.state().separator.is_some() {
            for Declared { prefix, uri, .. } in &tag.declarations {
                let shown = match prefix {
                    Some(prefix) => self.encoded(prefix),
                    None => false.into(),
                };
                let uri = self.encoded(uri);
                self.call(Handler::StartNamespace, vec![shown, uri]);
            }
        }
        let attributes = self.attributes(&tag);
        let name = self.without_start(&full);
        if let Some(structure) = &mut self.structure {
            structure.start(self.vm, &name, attributes.clone());
        }
        let has_handler = self.handler(Handler::Start).is_some();
        if has_handler {
            let shown = self.encoded(&name);
            self.call(Handler::Start, vec![shown, attributes.into()]);
        } else if !self.state().knows_elements && self.handler(Handler::Default).is_some() {
            let mut text = std::mem::take(&mut self.source);
            text.push(b'>');
            self.default(&text);
        }
        self.open.push(full);
    }

    fn end(&mut self, qualified: &[u8]) {
        self.is_told();
        let Some(full) = self.open.pop() else {
            return;
        };
        let name = self.without_start(&full);
        if let Some(structure) = &mut self.structure {
            structure.end(self.vm, &name);
        }
        if self.handler(Handler::End).is_some() {
            let shown = self.encoded(&name);
            self.call(Handler::End, vec![shown]);
        } else if !self.state().knows_elements {
            let text = [&b"</"[..], qualified, b">"].concat();
            self.default(&text);
        }
    }

    fn text(&mut self, text: &[u8], _source: TextSource<'_>, _line: u32) {
        self.is_told();
        let skips = self.state().skips_white;
        let parent = self.open.last().cloned();
        let parent = parent.map(|name| self.without_start(&name));
        if let Some(structure) = &mut self.structure {
            structure.text(self.vm, parent.as_deref().unwrap_or_default(), text, skips);
        }
        let value = self.encoded(text);
        if !self.call(Handler::CharacterData, vec![value]) {
            self.default(text);
        }
    }

    fn cdata(&mut self, text: &[u8], line: u32) {
        self.text(text, TextSource::default(), line);
    }

    fn comment(&mut self, text: &[u8], _line: u32) {
        self.is_told();
        let text = [&b"<!--"[..], text, b"-->"].concat();
        self.default(&text);
    }

    fn instruction(&mut self, target: &[u8], data: &[u8], _line: u32) {
        self.is_told();
        let (name, value) = (self.encoded(target), self.encoded(data));
        if !self.call(Handler::Instruction, vec![name, value]) {
            let text = [&b"<?"[..], target, b" ", data, b"?>"].concat();
            self.default(&text);
        }
    }

    fn reference(&mut self, name: &[u8], _line: u32) {
        let is_told = self.is_told();
        let external = self.entities.iter().find(|known| known.0 == name);
        let external = external.map(|(_, entity)| entity.clone());
        if let Some(entity) = external
            && let Some(callable) = self.handler_of_entities()
        {
            if is_told || self.has_thrown {
                return;
            }
            let shown = self.encoded(name);
            let optional = |events: &mut Self, text: &Option<Vec<u8>>| match text {
                Some(text) => events.encoded(text),
                None => false.into(),
            };
            let system = optional(self, &entity.system);
            let public = optional(self, &entity.public);
            let parser = Value::from(self.parser.clone());
            let base = self.vm.string("").into();
            let arguments = vec![parser, shown, base, system, public];
            match self.vm.call(&callable, arguments) {
                Ok(answer) => self.is_refused |= !vm_runtime::operators::to_bool(&answer),
                Err(_) => self.has_thrown = true,
            }
            return;
        }
        let is_predefined = crate::xml::tree::predefined(name).is_some();
        if is_predefined || !self.entities.iter().any(|known| known.0 == name) {
            self.undefined(name);
        }
    }

    /// Whoever takes all that nobody else takes gets the reference, others what it stands for, as text.
    fn takes_entity(&mut self, name: &[u8], content: &[u8]) -> bool {
        let shown = self.encoded(&[&b"&"[..], name, b";"].concat());
        self.is_told();
        if !self.call(Handler::Default, vec![shown]) {
            self.text(content, TextSource::default(), 0);
        }
        true
    }

    fn undefined(&mut self, name: &[u8]) {
        self.default(&[&b"&"[..], name, b";"].concat());
    }

    fn is_done(&self) -> bool {
        self.has_thrown || self.is_refused
    }
}

/// The lists of `xml_parse_into_struct()`.
#[derive(Default)]
pub(super) struct Structure {
    entries: Vec<ArrayHandle>,
    /// Names and the numbers of their entries.
    index: Vec<(Vec<u8>, Vec<usize>)>,
    level: usize,
    /// The last entry is an element without anything in it so far.
    last_is_open: bool,
    was_too_deep: bool,
}

/// The deepest elements that are noted.
const DEEPEST: usize = 255;

impl Structure {
    fn add(&mut self, name: &[u8], entry: ArrayHandle) {
        let number = self.entries.len();
        match self.index.iter_mut().find(|known| known.0 == name) {
            Some((_, numbers)) => numbers.push(number),
            None => self.index.push((name.to_vec(), vec![number])),
        }
        self.entries.push(entry);
    }

    fn entry(&self, vm: &mut Vm, name: &[u8], kind: &str) -> ArrayHandle {
        let mut entry = vm.new_array();
        let (name, kind) = (vm.string(name).into(), vm.string(kind).into());
        entry.make_mut(vm).set_bytes(b"tag", name);
        entry.make_mut(vm).set_bytes(b"type", kind);
        entry.make_mut(vm).set_bytes(b"level", self.level.into());
        entry
    }

    /// True if there were elements too deep to be noted.
    pub(super) fn is_too_deep(&self) -> bool {
        self.was_too_deep
    }

    fn start(&mut self, vm: &mut Vm, name: &[u8], attributes: ArrayHandle) {
        self.level += 1;
        if self.level > DEEPEST {
            self.was_too_deep = true;
            return;
        }
        let mut entry = self.entry(vm, name, "open");
        if !attributes.is_empty() {
            entry
                .make_mut(vm)
                .set_bytes(b"attributes", attributes.into());
        }
        self.add(name, entry);
        self.last_is_open = true;
    }

    fn end(&mut self, vm: &mut Vm, name: &[u8]) {
        if self.level > DEEPEST {
            self.level -= 1;
            return;
        }
        if self.last_is_open {
            let kind = vm.string("complete").into();
            if let Some(entry) = self.entries.last_mut() {
                entry.make_mut(vm).set_bytes(b"type", kind);
            }
        } else {
            let entry = self.entry(vm, name, "close");
            self.add(name, entry);
        }
        self.last_is_open = false;
        self.level -= 1;
    }

    fn text(&mut self, vm: &mut Vm, parent: &[u8], text: &[u8], skips_white: bool) {
        let is_white = text.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
        // White space that belongs to a text stays.
        let is_alone = self.entries.last().is_none_or(|entry| {
            let is_text =
                entry.get_bytes(b"type").and_then(|kind| kind.as_bytes()) == Some(b"cdata");
            !(self.last_is_open || is_text) || entry.get_bytes(b"value").is_none()
        });
        if is_white && skips_white && is_alone || self.level > DEEPEST {
            return;
        }
        if let Some(entry) = self.entries.last_mut() {
            let old = entry.get_bytes(b"value").map(Value::share);
            let is_text =
                entry.get_bytes(b"type").and_then(|kind| kind.as_bytes()) == Some(b"cdata");
            if self.last_is_open || is_text {
                let mut all = old
                    .and_then(|old| old.string())
                    .map_or(Vec::new(), |old| old.to_vec());
                all.extend_from_slice(text);
                let all = vm.string(all).into();
                entry.make_mut(vm).set_bytes(b"value", all);
                return;
            }
        }
        let mut entry = vm.new_array();
        let (name, value) = (vm.string(parent).into(), vm.string(text).into());
        let kind = vm.string("cdata").into();
        entry.make_mut(vm).set_bytes(b"tag", name);
        entry.make_mut(vm).set_bytes(b"value", value);
        entry.make_mut(vm).set_bytes(b"type", kind);
        entry.make_mut(vm).set_bytes(b"level", self.level.into());
        self.add(parent, entry);
    }

    /// Entries and index.
    pub(super) fn finish(self, vm: &mut Vm) -> (Value, Value) {
        let values = crate::support::list(vm, self.entries.into_iter().map(Value::from));
        let mut index = vm.new_array();
        for (name, numbers) in self.index {
            let mut list = vm.new_array();
            for number in numbers {
                list.make_mut(vm).append(number.into());
            }
            index.make_mut(vm).set_bytes(&name, list.into());
        }
        (values, index.into())
    }
}
