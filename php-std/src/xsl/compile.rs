//! From the document of a stylesheet to what is executed: modules, top-level elements, templates.

use std::collections::HashMap;
use std::rc::Rc;

use vm_runtime::vm::{PhpResult, Vm};

use super::pattern::{self, Pattern, Wrong};
use super::stylesheet::*;
use crate::libxml;
use crate::xml::parser::{is_name, options};
use crate::xml::tree::{Declaration, Document, Kind as NodeKind, NodeId, ROOT, Text, Tree};
use crate::xml::xpath;

/// The deepest imports and includes.
const DEEPEST: usize = 40;

/// Compiles a stylesheet.
pub(super) struct Compiler<'a> {
    pub(super) vm: &'a mut Vm,
    pub(super) sheet: Stylesheet,
    pub(super) errors: usize,
    /// Files that are being read.
    open: Vec<Vec<u8>>,
    next_precedence: usize,
    pub(super) precedence: (usize, usize),
    number: usize,
    pub(super) file: Option<Text>,
    namespaces: HashMap<NodeId, Namespaces>,
    /// Namespaces that do not get into the result.
    pub(super) excluded: Vec<Vec<u8>>,
    /// Namespaces of elements that are instructions of others.
    pub(super) extensions: Vec<Vec<u8>>,
    output_precedence: HashMap<&'static str, usize>,
    /// Names of templates with the precedence at which they were found.
    named: HashMap<Name, usize>,
    globals: HashMap<Name, usize>,
    functions: HashMap<Name, usize>,
}

/// Top-level elements of a module, those that it includes in their places.
struct Module {
    document: Document,
    file: Option<Text>,
    tops: Vec<NodeId>,
}

/// Compiles the stylesheet that a document is; none after warnings.
pub(super) fn compile(vm: &mut Vm, document: Document) -> PhpResult<Option<Stylesheet>> {
    let file: Option<Text> = document.read().uri.as_deref().map(Into::into);
    let mut compiler = Compiler {
        vm,
        sheet: Stylesheet::default(),
        errors: 0,
        open: Vec::new(),
        next_precedence: 0,
        precedence: (0, 0),
        number: 0,
        file,
        namespaces: HashMap::new(),
        excluded: Vec::new(),
        extensions: Vec::new(),
        output_precedence: HashMap::new(),
        named: HashMap::new(),
        globals: HashMap::new(),
        functions: HashMap::new(),
    };
    compiler.stylesheet(document)?;
    if compiler.errors > 0 {
        return Ok(None);
    }
    for matchers in compiler.sheet.matchers.values_mut() {
        matchers.sort_by(|one, other| {
            let key = |matcher: &Matcher| matcher.rule.precedence.0;
            key(other)
                .cmp(&key(one))
                .then(other.priority.total_cmp(&one.priority))
                .then(other.number.cmp(&one.number))
        });
    }
    compiler
        .sheet
        .spaces
        .sort_by_key(|space| std::cmp::Reverse(space.precedence));
    Ok(Some(compiler.sheet))
}

/// The value of an attribute without a namespace.
pub(super) fn attribute(tree: &Tree, id: NodeId, name: &[u8]) -> Option<Vec<u8>> {
    let found = tree.attribute_in(id, None, name)?;
    Some(tree[found].value.clone())
}

/// True for an element of XSLT.
pub(super) fn is_xsl(tree: &Tree, id: NodeId) -> bool {
    tree[id].kind == NodeKind::Element && tree[id].namespace.as_deref() == Some(XSL)
}

/// True for an element of XSLT of that name.
pub(super) fn is_xsl_named(tree: &Tree, id: NodeId, name: &[u8]) -> bool {
    is_xsl(tree, id) && &*tree[id].name == name
}

fn is_yes(value: &[u8]) -> bool {
    value == b"yes"
}

impl Compiler<'_> {
    /// Tells of an error at a place.
    pub(super) fn error(&mut self, origin: &Origin, message: &str) -> PhpResult<()> {
        self.errors += 1;
        self.warning(origin, message)
    }

    /// Tells of something that the stylesheet can be used with.
    pub(super) fn warning(&mut self, origin: &Origin, message: &str) -> PhpResult<()> {
        super::messages::at(self.vm, "compilation error", origin)?;
        super::messages::tell(self.vm, message)
    }

    /// Where a node stands.
    pub(super) fn origin(&self, tree: &Tree, id: NodeId) -> Rc<Origin> {
        let node = &tree[id];
        let element = match node.kind {
            NodeKind::Text => b"text"[..].into(),
            NodeKind::Document | NodeKind::HtmlDocument => b"document"[..].into(),
            _ => node.name.clone(),
        };
        Rc::new(Origin {
            file: self.file.clone(),
            line: match node.kind {
                NodeKind::Element => node.line,
                _ => 0,
            },
            element: Some(element),
        })
    }

    /// What the prefixes at an element stand for.
    pub(super) fn namespaces(&mut self, tree: &Tree, id: NodeId) -> Namespaces {
        if let Some(known) = self.namespaces.get(&id) {
            return known.clone();
        }
        let mut chain = vec![id];
        chain.extend(tree.ancestors(id));
        let mut all: Namespaces = Rc::new(vec![(
            b"xml".to_vec(),
            crate::xml::tree::XML_NAMESPACE.to_vec(),
        )]);
        for node in chain.into_iter().rev() {
            if let Some(known) = self.namespaces.get(&node) {
                all = known.clone();
                continue;
            }
            let own = tree.declarations_of(node);
            if !own.is_empty() {
                let mut list = (*all).clone();
                for declaration in own.iter() {
                    let prefix = declaration.prefix.as_deref().unwrap_or_default();
                    list.retain(|(known, _)| known != prefix);
                    if !declaration.uri.is_empty() {
                        list.push((prefix.to_vec(), declaration.uri.to_vec()));
                    }
                }
                all = Rc::new(list);
            }
            self.namespaces.insert(node, all.clone());
        }
        all
    }

    /// A qualified name; the default namespace does not count. None if the prefix stands for nothing.
    pub(super) fn name(&mut self, tree: &Tree, id: NodeId, text: &[u8]) -> Option<Name> {
        let (prefix, local) = crate::xml::tree::split_name(text);
        let Some(prefix) = prefix else {
            return Some(Name::new(None, local));
        };
        let namespaces = self.namespaces(tree, id);
        let found = namespaces.iter().find(|(known, _)| known == prefix)?;
        Some(Name::new(Some(&found.1), local))
    }

    /// A list of names, for attribute sets and CDATA sections.
    pub(super) fn names(&mut self, tree: &Tree, id: NodeId, text: &[u8]) -> Vec<Name> {
        let words = text
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        words.filter_map(|word| self.name(tree, id, word)).collect()
    }

    /// Compiles an expression; none after libxml2's words.
    pub(super) fn expression(
        &mut self,
        tree: &Tree,
        id: NodeId,
        text: &[u8],
    ) -> PhpResult<Option<Select>> {
        match xpath::parse(text) {
            Ok(expression) => Ok(Some(Select {
                expression,
                namespaces: self.namespaces(tree, id),
            })),
            Err(_) => {
                libxml::report_plain(self.vm, 1207, "Invalid expression")?;
                Ok(None)
            }
        }
    }

    /// Compiles a pattern; none after warnings.
    pub(super) fn pattern(
        &mut self,
        tree: &Tree,
        id: NodeId,
        text: &[u8],
    ) -> PhpResult<Option<Pattern>> {
        let namespaces = self.namespaces(tree, id);
        let origin = self.origin(tree, id);
        if text.is_empty() {
            self.error(&origin, "xsltCompilePattern : NULL pattern")?;
            return Ok(None);
        }
        match pattern::compile(text, &namespaces) {
            Ok(pattern) => Ok(Some(pattern)),
            Err((wrong, part)) => {
                if let Wrong::Prefix(prefix) = wrong {
                    super::messages::tell(self.vm, "error")?;
                    let prefix = String::from_utf8_lossy(&prefix).into_owned();
                    let message =
                        format!("xsltCompileStepPattern : no namespace bound to prefix {prefix}");
                    super::messages::tell(self.vm, &message)?;
                } else if let Some(message) = pattern::complaint(part) {
                    super::messages::tell(self.vm, "error")?;
                    super::messages::tell(self.vm, message)?;
                }
                let shown = String::from_utf8_lossy(part).into_owned();
                self.error(
                    &origin,
                    &format!("xsltCompilePattern : failed to compile '{shown}'"),
                )?;
                Ok(None)
            }
        }
    }

    /// The stylesheet itself.
    fn stylesheet(&mut self, document: Document) -> PhpResult<()> {
        let (root, is_sheet, is_simple) = {
            let tree = document.read();
            let Some(root) = tree.document_element() else {
                drop(tree);
                self.errors += 1;
                return super::messages::tell(
                    self.vm,
                    "xsltParseStylesheetProcess : empty stylesheet",
                );
            };
            let is_sheet =
                is_xsl_named(&tree, root, b"stylesheet") || is_xsl_named(&tree, root, b"transform");
            let is_simple = tree.attribute_in(root, Some(XSL), b"version").is_some();
            (root, is_sheet, is_simple)
        };
        if !is_sheet && !is_simple {
            let origin = self.origin(&document.read(), root);
            let message = "xsltParseStylesheetProcess : document is not a stylesheet";
            return self.error(&origin, message);
        }
        self.module(document, 0)
    }

    /// A stylesheet with those that it includes: what it imports comes before, with a lower precedence.
    fn module(&mut self, document: Document, depth: usize) -> PhpResult<()> {
        let lowest = self.next_precedence;
        let file: Option<Text> = document.read().uri.as_deref().map(Into::into);
        self.file = file;
        let mut modules = Vec::new();
        self.gather(document, &mut modules, depth)?;
        let precedence = self.next_precedence;
        self.next_precedence += 1;
        for module in modules {
            self.file = module.file.clone();
            self.precedence = (precedence, lowest);
            self.namespaces.clear();
            let tree = module.document.read();
            self.excluded.clear();
            self.extensions.clear();
            if let Some(root) = tree.document_element() {
                self.note_prefixes(&tree, root);
            }
            for &top in &module.tops {
                self.top(&tree, top)?;
            }
        }
        Ok(())
    }

    /// Collects the top-level elements of a stylesheet, and compiles what is imported.
    fn gather(
        &mut self,
        document: Document,
        modules: &mut Vec<Module>,
        depth: usize,
    ) -> PhpResult<()> {
        let tree = document.read();
        let Some(root) = tree.document_element() else {
            return Ok(());
        };
        let file = self.file.clone();
        let mut tops = Vec::new();
        if is_xsl(&tree, root) {
            self.space_in_sheet(&tree, root)?;
            for child in tree.children(root) {
                let is_import = is_xsl_named(&tree, child, b"import");
                if !is_import && !is_xsl_named(&tree, child, b"include") {
                    if tree[child].kind == NodeKind::Element {
                        tops.push(child);
                    }
                    continue;
                }
                let what = if is_import { "import" } else { "include" };
                let origin = self.origin(&tree, child);
                let Some(href) = attribute(&tree, child, b"href") else {
                    self.error(&origin, &format!("xsl:{what} : missing href attribute"))?;
                    continue;
                };
                let Some(loaded) = self.load(&origin, what, &href, depth)? else {
                    continue;
                };
                if is_import {
                    let open = self.open.len();
                    self.open
                        .push(loaded.read().uri.clone().unwrap_or_default());
                    self.module(loaded, depth + 1)?;
                    self.open.truncate(open);
                } else {
                    // What was found up to here stands in front of what is included.
                    modules.push(Module {
                        document: document.clone(),
                        file: file.clone(),
                        tops: std::mem::take(&mut tops),
                    });
                    let open = self.open.len();
                    self.open
                        .push(loaded.read().uri.clone().unwrap_or_default());
                    self.file = loaded.read().uri.as_deref().map(Into::into);
                    self.gather(loaded, modules, depth + 1)?;
                    self.open.truncate(open);
                }
                self.file = file.clone();
            }
        } else {
            tops.push(root);
        }
        drop(tree);
        modules.push(Module {
            document,
            file,
            tops,
        });
        Ok(())
    }

    /// Text between top-level elements is wrong.
    fn space_in_sheet(&mut self, tree: &Tree, root: NodeId) -> PhpResult<()> {
        for child in tree.children(root) {
            if tree[child].is_text() && !tree[child].is_blank() {
                let origin = self.origin(tree, child);
                let text = String::from_utf8_lossy(&tree[child].value).into_owned();
                self.error(&origin, &format!("misplaced text node: '{text}'"))?;
            }
        }
        Ok(())
    }

    fn load(
        &mut self,
        origin: &Origin,
        what: &str,
        href: &[u8],
        depth: usize,
    ) -> PhpResult<Option<Document>> {
        let uri = libxml::resolved(self.file.as_deref(), href);
        if depth >= DEEPEST || self.open.contains(&uri) || self.file.as_deref() == Some(&uri) {
            let shown = String::from_utf8_lossy(&uri).into_owned();
            let message = format!("xsl:{what} : recursion detected on imported URL {shown}");
            self.error(origin, &message)?;
            return Ok(None);
        }
        match read_document(self.vm, &uri)? {
            Some(document) => Ok(Some(document)),
            None => {
                let shown = String::from_utf8_lossy(&uri).into_owned();
                self.error(origin, &format!("xsl:{what} : unable to load {shown}"))?;
                Ok(None)
            }
        }
    }

    /// Notes which namespaces an element leaves out of the result and which have instructions.
    pub(super) fn note_prefixes(&mut self, tree: &Tree, id: NodeId) {
        let own = is_xsl(tree, id);
        let value = |name: &[u8]| {
            let namespace = (!own).then_some(XSL);
            let found = tree.attribute_in(id, namespace, name)?;
            Some(tree[found].value.clone())
        };
        let excluded = value(b"exclude-result-prefixes");
        // The attribute is also taken where it stands with a prefix.
        let extensions = value(b"extension-element-prefixes");
        for (text, extends) in [(excluded, false), (extensions, true)] {
            let Some(text) = text else { continue };
            let namespaces = self.namespaces(tree, id);
            for word in text
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty())
            {
                let prefix: &[u8] = if word == b"#default" { b"" } else { word };
                let Some((_, uri)) = namespaces.iter().find(|(known, _)| known == prefix) else {
                    continue;
                };
                self.excluded.push(uri.clone());
                if extends {
                    self.extensions.push(uri.clone());
                }
            }
        }
    }

    /// A top-level element.
    fn top(&mut self, tree: &Tree, id: NodeId) -> PhpResult<()> {
        let origin = self.origin(tree, id);
        if !is_xsl(tree, id) {
            if tree[id].parent == Some(ROOT) {
                return self.simple(tree, id);
            }
            let namespace = tree[id].namespace.as_deref();
            if namespace == Some(b"http://exslt.org/functions") && &*tree[id].name == b"function" {
                return self.function(tree, id);
            }
            if namespace.is_none() {
                let shown = String::from_utf8_lossy(&tree[id].name).into_owned();
                self.errors += 1;
                return super::messages::tell(
                    self.vm,
                    &format!("Found a top-level element {shown} with null namespace URI"),
                );
            }
            return Ok(());
        }
        let name = tree[id].name.clone();
        match &*name {
            b"template" => self.template(tree, id),
            b"variable" | b"param" => {
                let Some(variable) = self.variable(tree, id)? else {
                    return Ok(());
                };
                let precedence = self.precedence.0;
                if self.globals.get(&variable.name) == Some(&precedence) {
                    let shown = variable.name.shown();
                    let message = format!(
                        "xsl:{} : redefining global variable {shown}",
                        String::from_utf8_lossy(&name)
                    );
                    return self.error(&origin, &message);
                }
                self.globals.insert(variable.name.clone(), precedence);
                self.sheet
                    .globals
                    .retain(|(known, _)| known.name != variable.name);
                self.sheet
                    .globals
                    .push((Rc::new(variable), &*name == b"param"));
                Ok(())
            }
            b"key" => self.key(tree, id),
            b"output" => self.output(tree, id),
            b"strip-space" | b"preserve-space" => {
                let Some(elements) = attribute(tree, id, b"elements") else {
                    let shown = String::from_utf8_lossy(&name).into_owned();
                    return self.error(
                        &origin,
                        &format!("xsl:{shown} : missing elements attribute"),
                    );
                };
                for word in elements
                    .split(u8::is_ascii_whitespace)
                    .filter(|word| !word.is_empty())
                {
                    let found = self.name(tree, id, word);
                    let name = match found {
                        _ if word == b"*" => None,
                        Some(found) => Some((
                            (!found.namespace.is_empty()).then_some(found.namespace),
                            (&*found.local != b"*").then_some(found.local),
                        )),
                        None => continue,
                    };
                    self.sheet.spaces.push(Space {
                        strips: &*tree[id].name == b"strip-space",
                        name,
                        precedence: self.precedence.0,
                    });
                }
                Ok(())
            }
            b"decimal-format" => self.decimal_format(tree, id),
            b"attribute-set" => self.attribute_set(tree, id),
            b"namespace-alias" => {
                let mut uri = |name: &[u8]| -> Option<Vec<u8>> {
                    let prefix = attribute(tree, id, name)?;
                    let prefix: &[u8] = if prefix == b"#default" { b"" } else { &prefix };
                    let namespaces = self.namespaces(tree, id);
                    let found = namespaces.iter().find(|(known, _)| known == prefix);
                    Some(found.map_or(Vec::new(), |found| found.1.clone()))
                };
                if let (Some(from), Some(to)) = (uri(b"stylesheet-prefix"), uri(b"result-prefix")) {
                    self.sheet.aliases.retain(|known| known.0 != from);
                    self.sheet.aliases.push((from, to));
                }
                Ok(())
            }
            b"import" | b"include" => Ok(()),
            _ => {
                let shown = String::from_utf8_lossy(&name).into_owned();
                self.error(
                    &origin,
                    &format!("xsltParseStylesheetTop: unknown {shown} element"),
                )
            }
        }
    }

    /// A document whose outermost element is a template.
    fn simple(&mut self, tree: &Tree, id: NodeId) -> PhpResult<()> {
        let instruction = self.instruction(tree, id)?;
        let body = Rc::new(instruction.into_iter().collect());
        let rule = Rc::new(Rule {
            name: None,
            shown_match: Some(b"/".to_vec()),
            mode: None,
            body,
            inherited: Vec::new(),
            precedence: self.precedence,
        });
        if let Some(pattern) = self.pattern(tree, id, b"/")? {
            self.add_matchers(&rule, &pattern, None);
        }
        Ok(())
    }

    fn add_matchers(&mut self, rule: &Rc<Rule>, pattern: &Pattern, priority: Option<f64>) {
        for alternative in &pattern.alternatives {
            self.number += 1;
            let matcher = Matcher {
                priority: priority.unwrap_or_else(|| alternative.priority()),
                pattern: alternative.clone(),
                rule: rule.clone(),
                number: self.number,
            };
            let matchers = self.sheet.matchers.entry(rule.mode.clone()).or_default();
            matchers.push(matcher);
        }
    }

    fn template(&mut self, tree: &Tree, id: NodeId) -> PhpResult<()> {
        let origin = self.origin(tree, id);
        let mark = (self.excluded.len(), self.extensions.len());
        self.note_prefixes(tree, id);
        let given = attribute(tree, id, b"name");
        let mut name = None;
        if let Some(given) = given {
            if !is_qualified(&given) {
                let shown = String::from_utf8_lossy(&given).into_owned();
                return self.error(
                    &origin,
                    &format!("The value '{shown}' of the attribute 'name' is not a valid QName."),
                );
            }
            name = self.name(tree, id, &given);
        }
        let shown_match = attribute(tree, id, b"match");
        if name.is_none() && shown_match.is_none() {
            let message = "xsl:template: need to specify match or name attribute";
            return self.error(&origin, message);
        }
        let mode = attribute(tree, id, b"mode").and_then(|mode| self.name(tree, id, &mode));
        let priority = attribute(tree, id, b"priority")
            .and_then(|text| std::str::from_utf8(&text).ok()?.trim().parse().ok());
        let inherited = self.inherited(tree, id);
        let body = self.body(tree, id)?;
        self.excluded.truncate(mark.0);
        self.extensions.truncate(mark.1);
        let rule = Rc::new(Rule {
            name: name.clone(),
            shown_match: shown_match.clone(),
            mode,
            body,
            inherited,
            precedence: self.precedence,
        });
        if let Some(name) = name {
            let precedence = self.precedence.0;
            if self.named.get(&name) == Some(&precedence) {
                let message = format!("xsl:template: error duplicate name '{}'", name.shown());
                return self.error(&origin, &message);
            }
            self.named.insert(name.clone(), precedence);
            self.sheet.named.insert(name, rule.clone());
        }
        if let Some(text) = shown_match
            && let Some(pattern) = self.pattern(tree, id, &text)?
        {
            self.add_matchers(&rule, &pattern, priority);
        }
        Ok(())
    }

    /// The namespaces at a template that its elements get.
    fn inherited(&mut self, tree: &Tree, id: NodeId) -> Vec<Declaration> {
        let mut found: Vec<Declaration> = Vec::new();
        for element in std::iter::once(id).chain(tree.ancestors(id)) {
            for declaration in tree.declarations_of(element).iter() {
                let is_known = found.iter().any(|known| known.prefix == declaration.prefix);
                let is_out = self.is_excluded(&declaration.uri);
                if !is_known && !is_out && !declaration.uri.is_empty() {
                    found.push(declaration.clone());
                }
            }
        }
        found
    }

    /// True for a namespace that does not get into the result by itself.
    pub(super) fn is_excluded(&self, uri: &[u8]) -> bool {
        uri == XSL || self.excluded.iter().any(|known| known == uri)
    }

    /// `func:function`
    fn function(&mut self, tree: &Tree, id: NodeId) -> PhpResult<()> {
        let origin = self.origin(tree, id);
        let given = attribute(tree, id, b"name").unwrap_or_default();
        let name = self.name(tree, id, &given);
        let Some(name) = name.filter(|name| !name.namespace.is_empty()) else {
            return self.error(&origin, "func:function: not a QName");
        };
        let body = self.body(tree, id)?;
        self.functions.insert(name.clone(), self.precedence.0);
        self.sheet
            .functions
            .insert(name, Rc::new(Function { body }));
        Ok(())
    }

    fn key(&mut self, tree: &Tree, id: NodeId) -> PhpResult<()> {
        let origin = self.origin(tree, id);
        let Some(given) = attribute(tree, id, b"name") else {
            return Ok(());
        };
        let Some(name) = self.name(tree, id, &given) else {
            return Ok(());
        };
        let Some(text) = attribute(tree, id, b"match") else {
            return self.error(&origin, "xsl:key : error missing match expression");
        };
        let Some(usage) = attribute(tree, id, b"use") else {
            return self.error(&origin, "xsl:key : error missing use expression");
        };
        let Some(pattern) = self.pattern(tree, id, &text)? else {
            return Ok(());
        };
        let Some(select) = self.expression(tree, id, &usage)? else {
            let shown = String::from_utf8_lossy(&usage).into_owned();
            let message =
                format!("xsl:key : 'use' attribute value '{shown}' could not be compiled");
            return self.error(&origin, &message);
        };
        self.sheet.keys.push(Rc::new(Key {
            name,
            pattern,
            select,
        }));
        Ok(())
    }

    /// True if a setting of `xsl:output` counts: not if one of a higher precedence was there.
    fn output_counts(&mut self, name: &'static str) -> bool {
        let own = self.precedence.0;
        let known = self.output_precedence.entry(name).or_insert(own);
        let counts = *known <= own;
        *known = own.max(*known);
        counts
    }

    fn output(&mut self, tree: &Tree, id: NodeId) -> PhpResult<()> {
        let origin = self.origin(tree, id);
        let value = |name: &[u8]| attribute(tree, id, name);
        macro_rules! take {
            ($name:literal, $field:ident) => {
                if let Some(value) = value($name.as_bytes())
                    && self.output_counts($name)
                {
                    self.sheet.output.$field = Some(value);
                }
            };
        }
        if let Some(method) = value(b"method")
            && self.output_counts("method")
        {
            let local = crate::xml::tree::split_name(&method);
            if local.0.is_none() && !matches!(method.as_slice(), b"xml" | b"html" | b"text") {
                let shown = String::from_utf8_lossy(&method).into_owned();
                self.warning(&origin, &format!("invalid value for method: {shown}"))?;
            } else {
                self.sheet.output.method = Some(method);
            }
        }
        take!("version", version);
        take!("encoding", encoding);
        take!("media-type", media_type);
        take!("doctype-public", public);
        take!("doctype-system", system);
        macro_rules! decide {
            ($name:literal, $field:ident) => {
                if let Some(value) = value($name.as_bytes())
                    && self.output_counts($name)
                {
                    match value.as_slice() {
                        b"yes" | b"no" => self.sheet.output.$field = Some(is_yes(&value)),
                        _ => {
                            let shown = String::from_utf8_lossy(&value).into_owned();
                            let message =
                                format!(concat!("invalid value for ", $name, ": {}"), shown);
                            self.warning(&origin, &message)?;
                        }
                    }
                }
            };
        }
        decide!("indent", indent);
        decide!("omit-xml-declaration", omits_declaration);
        decide!("standalone", standalone);
        if let Some(value) = value(b"cdata-section-elements") {
            for word in value
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty())
            {
                let mut name = self.name(tree, id, word);
                if !word.contains(&b':') {
                    let namespaces = self.namespaces(tree, id);
                    let default = namespaces.iter().find(|(known, _)| known.is_empty());
                    name = Some(Name::new(default.map(|found| found.1.as_slice()), word));
                }
                self.sheet.output.cdata.extend(name);
            }
        }
        Ok(())
    }

    fn decimal_format(&mut self, tree: &Tree, id: NodeId) -> PhpResult<()> {
        let name = match attribute(tree, id, b"name") {
            Some(name) => match self.name(tree, id, &name) {
                Some(name) => Some(name),
                None => return Ok(()),
            },
            None => None,
        };
        let mut format = DecimalFormat::default();
        let fields: [(&[u8], &mut Vec<u8>); 10] = [
            (b"decimal-separator", &mut format.decimal),
            (b"grouping-separator", &mut format.grouping),
            (b"infinity", &mut format.infinity),
            (b"minus-sign", &mut format.minus),
            (b"NaN", &mut format.nan),
            (b"percent", &mut format.percent),
            (b"per-mille", &mut format.per_mille),
            (b"zero-digit", &mut format.zero),
            (b"digit", &mut format.digit),
            (b"pattern-separator", &mut format.separator),
        ];
        for (attribute_name, field) in fields {
            if let Some(value) = attribute(tree, id, attribute_name) {
                *field = value;
            }
        }
        self.sheet.formats.insert(name, format);
        Ok(())
    }

    fn attribute_set(&mut self, tree: &Tree, id: NodeId) -> PhpResult<()> {
        let origin = self.origin(tree, id);
        let given = attribute(tree, id, b"name").unwrap_or_default();
        if !is_qualified(&given) {
            let shown = String::from_utf8_lossy(&given).into_owned();
            let message = format!("xsl:attribute-set : The name '{shown}' is not a valid QName.");
            return self.error(&origin, &message);
        }
        let Some(name) = self.name(tree, id, &given) else {
            return Ok(());
        };
        let sets = attribute(tree, id, b"use-attribute-sets").unwrap_or_default();
        let sets = self.names(tree, id, &sets);
        for child in tree.children(id) {
            if tree[child].kind == NodeKind::Element && !is_xsl_named(tree, child, b"attribute") {
                let origin = self.origin(tree, child);
                let shown = String::from_utf8_lossy(&tree[child].name).into_owned();
                self.error(
                    &origin,
                    &format!("xsl:attribute-set : unexpected child xsl:{shown}"),
                )?;
                return Ok(());
            }
        }
        let body = self.body(tree, id)?;
        let set = self.sheet.sets.entry(name).or_default();
        set.sets.extend(sets);
        set.body.push(body);
        Ok(())
    }
}

/// True for a name with or without a prefix.
pub(super) fn is_qualified(name: &[u8]) -> bool {
    let (prefix, local) = crate::xml::tree::split_name(name);
    let is_part = |part: &[u8]| is_name(part) && !part.contains(&b':');
    prefix.is_none_or(is_part) && is_part(local)
}

/// Reads a document as stylesheets and `document()` do; none after warnings.
pub(super) fn read_document(vm: &mut Vm, uri: &[u8]) -> PhpResult<Option<Document>> {
    let Some(bytes) = libxml::read_file(vm, uri, 0)? else {
        return Ok(None);
    };
    let options = options::NOENT | options::NOCDATA;
    let (document, errors) = libxml::parse_document(vm, &bytes, options, uri);
    libxml::report_with_context(vm, errors, 0, &bytes)?;
    if let Some(document) = &document {
        document.write().uri = Some(uri.to_vec());
    }
    Ok(document)
}
