//! From the elements of a template to instructions.

use std::rc::Rc;

use vm_runtime::vm::PhpResult;

use super::compile::{Compiler, attribute, is_qualified, is_xsl, is_xsl_named};
use super::stylesheet::*;
use crate::libxml;
use crate::xml::tree::{Declaration, Kind as NodeKind, NodeId, Tree};
use crate::xml::xpath;

/// Namespaces whose element `document` writes a document of its own, with the name it has there.
const DOCUMENTS: [(&[u8], &[u8]); 4] = [
    (b"http://exslt.org/common", b"document"),
    (b"http://icl.com/saxon", b"output"),
    (b"http://www.jclark.com/xt", b"document"),
    (b"org.apache.xalan.xslt.extensions.Redirect", b"write"),
];

impl Compiler<'_> {
    /// The instructions in an element.
    pub(super) fn body(&mut self, tree: &Tree, id: NodeId) -> PhpResult<Body> {
        self.vm.check_native_stack()?;
        let mut body = Vec::new();
        for child in tree.children(id) {
            body.extend(self.instruction(tree, child)?);
        }
        Ok(Rc::new(body))
    }

    /// True if white space counts at a place.
    fn keeps_space(&self, tree: &Tree, id: NodeId) -> bool {
        let said = std::iter::once(id)
            .chain(tree.ancestors(id))
            .find_map(|node| tree.attribute(node, b"xml:space"));
        said.is_some_and(|attribute| tree[attribute].value == b"preserve")
    }

    /// What a node of a template does; nothing for comments and the like.
    pub(super) fn instruction(
        &mut self,
        tree: &Tree,
        id: NodeId,
    ) -> PhpResult<Option<Instruction>> {
        let node = &tree[id];
        let kind = match node.kind {
            NodeKind::Text | NodeKind::CData => {
                let is_blank = node.kind == NodeKind::Text && node.is_blank();
                if is_blank && !self.keeps_space(tree, node.parent.unwrap_or(id)) {
                    return Ok(None);
                }
                Kind::Text {
                    text: node.value.clone(),
                    is_raw: false,
                    is_cdata: node.kind == NodeKind::CData,
                }
            }
            NodeKind::Element if is_xsl(tree, id) => match self.xsl(tree, id)? {
                Some(kind) => kind,
                None => return Ok(None),
            },
            NodeKind::Element => self.literal_or_extension(tree, id)?,
            _ => return Ok(None),
        };
        let origin = self.origin(tree, id);
        Ok(Some(Instruction { kind, origin }))
    }

    fn literal_or_extension(&mut self, tree: &Tree, id: NodeId) -> PhpResult<Kind> {
        let namespace = tree[id].namespace.clone().unwrap_or_default();
        let name = tree[id].name.clone();
        if *namespace == *b"http://exslt.org/functions" && &*name == b"result" {
            let origin = self.origin(tree, id);
            let select = match attribute(tree, id, b"select") {
                Some(text) => match self.expression(tree, id, &text)? {
                    Some(select) => Some(select),
                    None => {
                        self.errors += 1;
                        return Ok(Kind::Nothing);
                    }
                },
                None => None,
            };
            let body = self.body(tree, id)?;
            return Ok(Kind::Result(Variable {
                name: Name::new(None, b""),
                select,
                body,
                origin,
            }));
        }
        if DOCUMENTS
            .iter()
            .any(|(uri, element)| **uri == *namespace && **element == *name)
            && self.extensions.iter().any(|known| **known == *namespace)
        {
            return self.document(tree, id);
        }
        let mark = (self.excluded.len(), self.extensions.len());
        self.note_prefixes(tree, id);
        let is_extension = self.extensions.iter().any(|known| **known == *namespace);
        let kind = if is_extension {
            let shown = String::from_utf8_lossy(&name).into_owned();
            Kind::Fails {
                context: Some(self.origin(tree, id)),
                message: format!("xsltApplySequenceConstructor: failed to find extension {shown}"),
                stops: false,
                fallback: self.fallback(tree, id)?,
            }
        } else {
            Kind::Literal(self.literal(tree, id)?)
        };
        self.excluded.truncate(mark.0);
        self.extensions.truncate(mark.1);
        Ok(kind)
    }

    fn fallback(&mut self, tree: &Tree, id: NodeId) -> PhpResult<Option<Body>> {
        let mut found: Option<Vec<Instruction>> = None;
        for child in tree.children(id) {
            if is_xsl_named(tree, child, b"fallback") {
                let list = found.get_or_insert_with(Vec::new);
                for inner in tree.children(child) {
                    list.extend(self.instruction(tree, inner)?);
                }
            }
        }
        Ok(found.map(Rc::new))
    }

    fn document(&mut self, tree: &Tree, id: NodeId) -> PhpResult<Kind> {
        let name = match attribute(tree, id, b"file") {
            Some(_) => b"file".as_slice(),
            None => b"href",
        };
        let href = match self.optional_template(tree, id, name)? {
            Some(href) => href,
            None => {
                let select = attribute(tree, id, b"select").unwrap_or_default();
                match self.expression(tree, id, &select)? {
                    Some(select) => Template::Parts(vec![Part::Select(select)]),
                    None => Template::Broken,
                }
            }
        };
        Ok(Kind::Document {
            href,
            method: self.optional_template(tree, id, b"method")?,
            body: self.body(tree, id)?,
        })
    }

    fn literal(&mut self, tree: &Tree, id: NodeId) -> PhpResult<Literal> {
        let mut sets = Vec::new();
        let mut attributes = Vec::new();
        for &own in &tree[id].attributes {
            if tree[own].declares().is_some() {
                continue;
            }
            if tree[own].namespace.as_deref() == Some(XSL) {
                if &*tree[own].name == b"use-attribute-sets" {
                    sets = self.names(tree, id, &tree[own].value.clone());
                }
                continue;
            }
            attributes.push(LiteralAttribute {
                name: tree[own].name.clone(),
                prefix: tree[own].prefix.clone(),
                namespace: tree[own].namespace.clone(),
                value: self.template_value(tree, id, &tree[own].name, &tree[own].value)?,
            });
        }
        let declarations: Vec<Declaration> = tree
            .declarations_of(id)
            .iter()
            .filter(|declaration| !self.is_excluded(&declaration.uri))
            .cloned()
            .collect();
        Ok(Literal {
            name: tree[id].name.clone(),
            prefix: tree[id].prefix.clone(),
            namespace: tree[id].namespace.clone(),
            declarations,
            sets,
            attributes,
            body: self.body(tree, id)?,
        })
    }

    /// An attribute value template, compiled.
    fn template_value(
        &mut self,
        tree: &Tree,
        id: NodeId,
        name: &[u8],
        text: &[u8],
    ) -> PhpResult<Template> {
        if !text.contains(&b'{') && !text.contains(&b'}') {
            return Ok(Template::Fixed(text.to_vec()));
        }
        let origin = self.origin(tree, id);
        let shown = String::from_utf8_lossy(name).into_owned();
        let mut parts = Vec::new();
        let mut plain = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let byte = text[at];
            if matches!(byte, b'{' | b'}') && text.get(at + 1) == Some(&byte) {
                plain.push(byte);
                at += 2;
                continue;
            }
            if byte == b'}' {
                let message = format!("Attribute '{shown}': The AVT has an unmatched '}}'.");
                self.warning(&origin, &message)?;
                return Ok(Template::Broken);
            }
            if byte != b'{' {
                plain.push(byte);
                at += 1;
                continue;
            }
            let mut end = at + 1;
            let mut quote = None;
            while let Some(&byte) = text.get(end) {
                match quote {
                    Some(mark) if byte == mark => quote = None,
                    None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
                    None if byte == b'}' => break,
                    _ => {}
                }
                end += 1;
            }
            if end >= text.len() {
                let message = format!("Attribute '{shown}': The AVT has an unmatched '{{'.");
                self.error(&origin, &message)?;
                return Ok(Template::Broken);
            }
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            let expression = &text[at + 1..end];
            match self.expression(tree, id, expression)? {
                Some(select) => parts.push(Part::Select(select)),
                None => {
                    let expression = String::from_utf8_lossy(expression).into_owned();
                    let message = format!(
                        "Attribute '{shown}': Failed to compile the expression '{expression}' in the AVT."
                    );
                    self.error(&origin, &message)?;
                    return Ok(Template::Broken);
                }
            }
            at = end + 1;
        }
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Template::Parts(parts))
    }

    fn optional_template(
        &mut self,
        tree: &Tree,
        id: NodeId,
        name: &[u8],
    ) -> PhpResult<Option<Template>> {
        match attribute(tree, id, name) {
            Some(text) => self.template_value(tree, id, name, &text).map(Some),
            None => Ok(None),
        }
    }

    /// An expression in an attribute that must be there; none after warnings.
    fn needed(
        &mut self,
        tree: &Tree,
        id: NodeId,
        name: &str,
        missing: &str,
    ) -> PhpResult<Option<Select>> {
        let origin = self.origin(tree, id);
        let element = String::from_utf8_lossy(&tree[id].name).into_owned();
        let Some(text) = attribute(tree, id, name.as_bytes()) else {
            self.error(&origin, &format!("xsl:{element} : {missing}"))?;
            return Ok(None);
        };
        let select = self.expression(tree, id, &text)?;
        if select.is_none() {
            let shown = String::from_utf8_lossy(&text).into_owned();
            self.error(
                &origin,
                &format!("xsl:{element} : could not compile {name} expression '{shown}'"),
            )?;
        }
        Ok(select)
    }

    /// A variable, a parameter or what is given for one; none after warnings.
    pub(super) fn variable(&mut self, tree: &Tree, id: NodeId) -> PhpResult<Option<Variable>> {
        let origin = self.origin(tree, id);
        let element = String::from_utf8_lossy(&tree[id].name).into_owned();
        let Some(given) = attribute(tree, id, b"name") else {
            self.error(&origin, "The attribute 'name' is missing.")?;
            return Ok(None);
        };
        if !is_qualified(&given) {
            let shown = String::from_utf8_lossy(&given).into_owned();
            let message =
                format!("The value '{shown}' of the attribute 'name' is not a valid QName.");
            self.error(&origin, &message)?;
            return Ok(None);
        }
        let Some(name) = self.name(tree, id, &given) else {
            return Ok(None);
        };
        let mut select = None;
        if let Some(text) = attribute(tree, id, b"select") {
            select = self.expression(tree, id, &text)?;
            if select.is_none() {
                let shown = String::from_utf8_lossy(&text).into_owned();
                let message =
                    format!("XSLT-{element}: Failed to compile the XPath expression '{shown}'.");
                self.error(&origin, &message)?;
                return Ok(None);
            }
        }
        if select.is_some() && tree[id].first.is_some() {
            let message = format!(
                "XSLT-{element}: There must be no child nodes, since the attribute 'select' was specified."
            );
            self.error(&origin, &message)?;
        }
        let body = self.body(tree, id)?;
        Ok(Some(Variable {
            name,
            select,
            body,
            origin,
        }))
    }

    fn sorts(&mut self, tree: &Tree, id: NodeId) -> PhpResult<Vec<Sort>> {
        let mut sorts = Vec::new();
        for child in tree.children(id) {
            if !is_xsl_named(tree, child, b"sort") {
                continue;
            }
            let select = match attribute(tree, child, b"select") {
                Some(text) => {
                    let select = self.expression(tree, child, &text)?;
                    if select.is_none() {
                        let origin = self.origin(tree, child);
                        let shown = String::from_utf8_lossy(&text).into_owned();
                        let message =
                            format!("xsl:sort : could not compile select expression '{shown}'");
                        self.error(&origin, &message)?;
                    }
                    select
                }
                None => None,
            };
            sorts.push(Sort {
                select,
                order: self.optional_template(tree, child, b"order")?,
                data_type: self.optional_template(tree, child, b"data-type")?,
                case_order: self.optional_template(tree, child, b"case-order")?,
                origin: self.origin(tree, child),
            });
        }
        Ok(sorts)
    }

    fn given(&mut self, tree: &Tree, id: NodeId) -> PhpResult<Vec<Variable>> {
        let mut given = Vec::new();
        for child in tree.children(id) {
            if is_xsl_named(tree, child, b"with-param") {
                given.extend(self.variable(tree, child)?);
            }
        }
        Ok(given)
    }

    fn mode(&mut self, tree: &Tree, id: NodeId) -> Option<Name> {
        let mode = attribute(tree, id, b"mode")?;
        self.name(tree, id, &mode)
    }

    /// `xsl:for-each` and others without their sorting criteria.
    fn body_behind_sorts(&mut self, tree: &Tree, id: NodeId) -> PhpResult<Body> {
        let mut body = Vec::new();
        for child in tree.children(id) {
            if !is_xsl_named(tree, child, b"sort") {
                body.extend(self.instruction(tree, child)?);
            }
        }
        Ok(Rc::new(body))
    }

    fn made(&mut self, tree: &Tree, id: NodeId) -> PhpResult<Option<Made>> {
        let origin = self.origin(tree, id);
        let element = String::from_utf8_lossy(&tree[id].name).into_owned();
        let Some(name) = attribute(tree, id, b"name") else {
            let message = format!("xsl:{element}: The attribute 'name' is missing.");
            self.error(&origin, &message)?;
            return Ok(None);
        };
        let namespace = self.optional_template(tree, id, b"namespace")?;
        if !name.contains(&b'{') {
            let shown = String::from_utf8_lossy(&name).into_owned();
            if !is_qualified(&name) {
                let message = format!(
                    "xsl:{element}: The value '{shown}' of the attribute 'name' is not a valid QName."
                );
                self.error(&origin, &message)?;
                return Ok(None);
            }
            if element == "attribute" && name == b"xmlns" {
                let message = "xsl:attribute: The attribute name 'xmlns' is not allowed.";
                self.error(&origin, message)?;
                return Ok(None);
            }
            if namespace.is_none() && self.name(tree, id, &name).is_none() {
                let message = format!(
                    "xsl:{element}: The prefixed QName '{shown}' has no namespace binding in scope in the stylesheet; this is an error, since the namespace was not specified by the instruction itself."
                );
                self.error(&origin, &message)?;
                return Ok(None);
            }
        }
        let sets = attribute(tree, id, b"use-attribute-sets").unwrap_or_default();
        Ok(Some(Made {
            name: self.template_value(tree, id, b"name", &name)?,
            namespace,
            namespaces: self.namespaces(tree, id),
            sets: self.names(tree, id, &sets),
            body: self.body(tree, id)?,
        }))
    }

    /// An element of XSLT; nothing for what is read by the element around it.
    fn xsl(&mut self, tree: &Tree, id: NodeId) -> PhpResult<Option<Kind>> {
        let origin = self.origin(tree, id);
        let name = tree[id].name.clone();
        Ok(Some(match &*name {
            b"text" => {
                let mut text = Vec::new();
                for child in tree.children(id) {
                    if !tree[child].is_text() && tree[child].kind == NodeKind::Element {
                        self.error(&origin, "xsl:text content problem")?;
                        break;
                    }
                    text.extend_from_slice(&tree[child].value);
                }
                let is_raw =
                    attribute(tree, id, b"disable-output-escaping").as_deref() == Some(b"yes");
                if tree[id].first.is_none() {
                    return Ok(None);
                }
                Kind::Text {
                    text,
                    is_raw,
                    is_cdata: false,
                }
            }
            b"value-of" => {
                let is_raw =
                    attribute(tree, id, b"disable-output-escaping").as_deref() == Some(b"yes");
                match self.needed(tree, id, "select", "select is missing")? {
                    Some(select) => Kind::ValueOf { select, is_raw },
                    None => return Ok(None),
                }
            }
            b"copy-of" => match self.needed(tree, id, "select", "select is missing")? {
                Some(select) => Kind::CopyOf(select),
                None => return Ok(None),
            },
            b"copy" => {
                let sets = attribute(tree, id, b"use-attribute-sets").unwrap_or_default();
                Kind::Copy {
                    sets: self.names(tree, id, &sets),
                    body: self.body(tree, id)?,
                }
            }
            b"if" => match self.needed(tree, id, "test", "test is not defined")? {
                Some(test) => Kind::If(test, self.body(tree, id)?),
                None => return Ok(None),
            },
            b"choose" => self.choose(tree, id)?,
            b"for-each" => match self.needed(tree, id, "select", "select is missing")? {
                Some(select) => Kind::ForEach {
                    select,
                    sorts: self.sorts(tree, id)?,
                    body: self.body_behind_sorts(tree, id)?,
                },
                None => return Ok(None),
            },
            b"apply-templates" => {
                let select = match attribute(tree, id, b"select") {
                    Some(text) => match self.expression(tree, id, &text)? {
                        Some(select) => Some(select),
                        None => {
                            let shown = String::from_utf8_lossy(&text).into_owned();
                            let message = format!(
                                "XSLT-apply-templates: could not compile select expression '{shown}'"
                            );
                            self.error(&origin, &message)?;
                            return Ok(None);
                        }
                    },
                    None => None,
                };
                Kind::ApplyTemplates {
                    select,
                    mode: self.mode(tree, id),
                    sorts: self.sorts(tree, id)?,
                    given: self.given(tree, id)?,
                }
            }
            b"apply-imports" => Kind::ApplyImports(self.given(tree, id)?),
            b"call-template" => {
                let Some(given) = attribute(tree, id, b"name") else {
                    self.error(&origin, "The attribute 'name' is missing.")?;
                    return Ok(None);
                };
                if !is_qualified(&given) {
                    let shown = String::from_utf8_lossy(&given).into_owned();
                    let message = format!(
                        "The value '{shown}' of the attribute 'name' is not a valid QName."
                    );
                    self.error(&origin, &message)?;
                    return Ok(None);
                }
                let Some(target) = self.name(tree, id, &given) else {
                    return Ok(None);
                };
                Kind::CallTemplate(target, self.given(tree, id)?)
            }
            b"variable" => match self.variable(tree, id)? {
                Some(variable) => Kind::Variable(variable),
                None => return Ok(None),
            },
            b"param" => match self.variable(tree, id)? {
                Some(variable) => Kind::Parameter(variable),
                None => return Ok(None),
            },
            b"element" => match self.made(tree, id)? {
                Some(made) => Kind::Element(made),
                None => return Ok(None),
            },
            b"attribute" => match self.made(tree, id)? {
                Some(made) => Kind::Attribute(made),
                None => return Ok(None),
            },
            b"comment" => Kind::Comment(self.body(tree, id)?),
            b"processing-instruction" => match self.optional_template(tree, id, b"name")? {
                Some(target) => Kind::Instruction(target, self.body(tree, id)?),
                None => Kind::Nothing,
            },
            b"message" => Kind::Message {
                terminates: attribute(tree, id, b"terminate").as_deref() == Some(b"yes"),
                body: self.body(tree, id)?,
            },
            b"number" => self.number(tree, id)?,
            b"fallback" | b"sort" => return Ok(None),
            b"document" => self.document(tree, id)?,
            b"with-param" | b"when" | b"otherwise" => {
                let shown = String::from_utf8_lossy(&name).into_owned();
                let message = format!("element {shown} is not allowed within that context");
                self.error(&origin, &message)?;
                return Ok(None);
            }
            _ => {
                let shown = String::from_utf8_lossy(&name).into_owned();
                self.warning(
                    &origin,
                    &format!("xsltStylePreCompute: unknown xsl:{shown}"),
                )?;
                Kind::Fails {
                    context: None,
                    message: format!("xsltApplySequenceConstructor: {shown} was not compiled"),
                    stops: false,
                    fallback: self.fallback(tree, id)?,
                }
            }
        }))
    }

    fn choose(&mut self, tree: &Tree, id: NodeId) -> PhpResult<Kind> {
        let origin = self.origin(tree, id);
        let mut whens = Vec::new();
        let mut otherwise = None;
        let mut wrong = None;
        for child in tree.children(id) {
            let node = &tree[child];
            if is_xsl_named(tree, child, b"when") && otherwise.is_none() {
                if let Some(test) = self.needed(tree, child, "test", "test is not defined")? {
                    whens.push((test, self.body(tree, child)?, self.origin(tree, child)));
                }
            } else if is_xsl_named(tree, child, b"otherwise") {
                otherwise = Some(self.body(tree, child)?);
            } else if node.kind == NodeKind::Element || node.is_text() && !node.is_blank() {
                wrong.get_or_insert(whens.is_empty());
            }
        }
        let message = match wrong {
            Some(true) => "xsl:choose: xsl:when expected first",
            Some(false) => "xsl:choose: unexpected content",
            None if whens.is_empty() && self.errors == 0 => "xsl:choose: xsl:when expected first",
            None => return Ok(Kind::Choose { whens, otherwise }),
        };
        Ok(Kind::Fails {
            context: Some(origin),
            message: message.to_owned(),
            stops: false,
            fallback: None,
        })
    }

    fn number(&mut self, tree: &Tree, id: NodeId) -> PhpResult<Kind> {
        let origin = self.origin(tree, id);
        let level = match attribute(tree, id, b"level").as_deref() {
            None | Some(b"single") => Level::Single,
            Some(b"multiple") => Level::Multiple,
            Some(b"any") => Level::Any,
            Some(other) => {
                let shown = String::from_utf8_lossy(other).into_owned();
                let message = format!("xsl:number : invalid value {shown} for level");
                self.warning(&origin, &message)?;
                Level::Single
            }
        };
        let mut patterns = [None, None];
        for (slot, name) in patterns.iter_mut().zip([&b"count"[..], b"from"]) {
            if let Some(text) = attribute(tree, id, name) {
                *slot = self.pattern(tree, id, &text)?;
            }
        }
        let [count, from] = patterns;
        let value = match attribute(tree, id, b"value") {
            Some(text) => match xpath::parse(&text) {
                Ok(expression) => Some(Select {
                    expression,
                    namespaces: self.namespaces(tree, id),
                }),
                Err(_) => {
                    libxml::report_plain(self.vm, 1207, "Invalid expression")?;
                    let shown = String::from_utf8_lossy(&text).into_owned();
                    let message =
                        format!("xsl:number : could not compile value expression '{shown}'");
                    self.error(&origin, &message)?;
                    None
                }
            },
            None => None,
        };
        Ok(Kind::Number(Box::new(Number {
            level,
            count,
            from,
            value,
            format: self.optional_template(tree, id, b"format")?,
            separator: self.optional_template(tree, id, b"grouping-separator")?,
            size: self.optional_template(tree, id, b"grouping-size")?,
        })))
    }
}
