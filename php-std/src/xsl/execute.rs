//! Executing instructions.

use std::rc::Rc;

use super::messages;
use super::pattern::is_root;
use super::run::{Bound, Done, Run, Stop, Target};
use super::stylesheet::*;
use crate::xml::parser::is_name;
use crate::xml::tree::{Document, Kind as NodeKind, Node, NodeId, ROOT, Text, split_name};
use crate::xml::xpath::{Item, Value, truth, value_text};

/// What stands for the namespace of an instruction: its prefix and address.
type Named = (Option<Text>, Option<Text>, Text);

impl Run<'_> {
    /// Executes the instructions in an element.
    pub(super) fn sequence(&mut self, body: &Body) -> Done {
        self.instructions(body, 0, None)
    }

    /// Executes instructions from one on; those of a template if there is a rule.
    pub(super) fn instructions(
        &mut self,
        body: &Body,
        from: usize,
        rule: Option<&Rc<Rule>>,
    ) -> Done {
        let Some(first) = body.get(from) else {
            return Ok(());
        };
        if self.depth as i64 >= self.deepest {
            let message = format!(
                "xsltApplySequenceConstructor: A potential infinite template recursion was detected.\nYou can adjust $maxTemplateDepth in order to raise the maximum number of nested template calls and variables/params (currently set to {}).",
                self.deepest
            );
            self.fail(&first.origin, &message)?;
            self.show_stack()?;
            return Err(Stop::Failed);
        }
        self.vm.check_native_stack()?;
        vm_runtime::limits::poll();
        self.depth += 1;
        let variables = self.variables.len();
        let origin = self.origin.clone();
        let mut done = Ok(());
        for instruction in &body[from..] {
            done = match (&instruction.kind, rule) {
                (Kind::Literal(literal), Some(rule)) => {
                    self.origin = instruction.origin.clone();
                    self.literal(literal, Some(rule))
                }
                _ => self.execute(instruction),
            };
            if done.is_err() {
                break;
            }
        }
        self.origin = origin;
        if rule.is_none() {
            self.variables.truncate(variables);
        }
        self.depth -= 1;
        done
    }

    /// Executes an instruction.
    pub(super) fn execute(&mut self, instruction: &Instruction) -> Done {
        let origin = &instruction.origin;
        self.origin = origin.clone();
        match &instruction.kind {
            Kind::Nothing => Ok(()),
            Kind::Text {
                text,
                is_raw,
                is_cdata,
            } => {
                let _ = is_cdata;
                self.add_text(text, *is_raw, true);
                Ok(())
            }
            Kind::Literal(literal) => self.literal(literal, None),
            Kind::ValueOf { select, is_raw } => match self.evaluate(select)? {
                Some(value) => {
                    let text = self.text(&value);
                    self.add_text(&text, *is_raw, false);
                    Ok(())
                }
                None => self.stop(origin, "XPath evaluation returned no result."),
            },
            Kind::CopyOf(select) => match self.evaluate(select)? {
                Some(value) => self.copy_value(value),
                None => Err(Stop::Failed),
            },
            Kind::Copy { sets, body } => self.copy(sets, body),
            Kind::If(test, body) => match self.evaluate(test)? {
                Some(value) if truth(&value) => self.sequence(body),
                Some(_) => Ok(()),
                None => Err(Stop::Failed),
            },
            Kind::Choose { whens, otherwise } => {
                for (test, body, origin) in whens {
                    self.origin = origin.clone();
                    match self.evaluate(test)? {
                        Some(value) if truth(&value) => return self.sequence(body),
                        Some(_) => {}
                        None => return Err(Stop::Failed),
                    }
                }
                match otherwise {
                    Some(body) => self.sequence(body),
                    None => Ok(()),
                }
            }
            Kind::ForEach {
                select,
                sorts,
                body,
            } => {
                let nodes = match self.evaluate(select)? {
                    Some(Value::Nodes(nodes)) => nodes,
                    Some(_) => {
                        let message = "The 'select' expression does not evaluate to a node set.";
                        return self.stop(origin, message);
                    }
                    None => {
                        let message = "Failed to evaluate the 'select' expression.";
                        return self.stop(origin, message);
                    }
                };
                let nodes = self.sort(nodes, sorts)?;
                self.each(nodes, body)
            }
            Kind::ApplyTemplates {
                select,
                mode,
                sorts,
                given,
            } => {
                let nodes = match select {
                    Some(select) => match self.evaluate(select)? {
                        Some(Value::Nodes(nodes)) => nodes,
                        Some(_) => {
                            let message = "The 'select' expression did not evaluate to a node set.";
                            return self.stop(origin, message);
                        }
                        None => {
                            let message = "Failed to evaluate the 'select' expression.";
                            return self.stop(origin, message);
                        }
                    },
                    None => match &self.node {
                        Item::Node(id) if self.document.read()[*id].kind != NodeKind::Attribute => {
                            self.children(*id)
                        }
                        _ => Vec::new(),
                    },
                };
                let given = self.given(given)?;
                let nodes = self.sort(nodes, sorts)?;
                self.apply(nodes, mode.as_ref(), &given, usize::MAX)
            }
            Kind::ApplyImports(given) => {
                let given = self.given(given)?;
                let Some(rule) = self.rule.clone() else {
                    return self.stop(origin, "xsltApplyImports: no current template");
                };
                let mode = self.mode.clone();
                self.apply_one(
                    mode.as_ref(),
                    &given,
                    (rule.precedence.1, rule.precedence.0),
                )
            }
            Kind::CallTemplate(name, given) => {
                let sheet = self.sheet.clone();
                let Some(rule) = sheet.named.get(name) else {
                    let message = format!("The called template '{}' was not found.", name.shown());
                    self.fail(origin, &message)?;
                    return Ok(());
                };
                let given = self.given(given)?;
                self.call_rule(rule, &given)
            }
            Kind::Variable(variable) | Kind::Parameter(variable) => {
                let is_parameter = matches!(instruction.kind, Kind::Parameter(_));
                let known = self.variables[self.base..]
                    .iter()
                    .find(|(known, ..)| *known == variable.name);
                match known {
                    Some((.., Bound::Given)) if is_parameter => return Ok(()),
                    Some(_) => {
                        let kind = if is_parameter { "param" } else { "variable" };
                        let message = format!(
                            "XSLT-{kind}: Redefinition of variable '{}'.",
                            variable.name.shown()
                        );
                        self.fail(origin, &message)?;
                        return Ok(());
                    }
                    None => {}
                }
                let value = self.bound_value(variable)?;
                let bound = match is_parameter {
                    true => Bound::Parameter,
                    false => Bound::Variable,
                };
                vm_runtime::limits::grow(&mut self.variables);
                self.variables.push((variable.name.clone(), value, bound));
                Ok(())
            }
            Kind::Element(made) => self.element(made),
            Kind::Attribute(made) => self.attribute(made),
            Kind::Comment(body) => {
                let text = self.text_of(body)?;
                if memchr::memmem::find(&text, b"--").is_some() || text.ends_with(b"-") {
                    self.fail(
                        origin,
                        "xsl:comment : '--' or ending '-' not allowed in comment",
                    )?;
                    return Ok(());
                }
                let mut node = Node::new(NodeKind::Comment, b"#comment");
                node.value = text;
                self.add(node);
                Ok(())
            }
            Kind::Instruction(name, body) => {
                let Some(name) = self.template(name)? else {
                    return Ok(());
                };
                if !is_name(&name) || name.contains(&b':') {
                    let shown = String::from_utf8_lossy(&name).into_owned();
                    let message = format!(
                        "xsl:processing-instruction: The effective name '{shown}' is not a valid NCName."
                    );
                    self.fail(origin, &message)?;
                }
                let text = self.text_of(body)?;
                if memchr::memmem::find(&text, b"?>").is_some() {
                    let message = "xsl:processing-instruction: '?>' not allowed within PI content";
                    self.fail(origin, message)?;
                    return Ok(());
                }
                let mut node = Node::new(NodeKind::ProcessingInstruction, &name);
                node.value = text;
                self.add(node);
                Ok(())
            }
            Kind::Message { terminates, body } => {
                let text = self.text_of(body)?;
                let mut shown = String::from_utf8_lossy(&text).into_owned();
                if shown.ends_with('\n') {
                    shown.pop();
                }
                messages::tell(self.vm, &shown)?;
                match terminates {
                    true => Err(Stop::Failed),
                    false => Ok(()),
                }
            }
            Kind::Number(number) => self.number(number),
            Kind::Document { href, method, body } => {
                self.write_document(href, method.as_ref(), body)
            }
            Kind::Result(variable) => {
                let value = match &variable.select {
                    Some(select) => self.evaluate(select)?,
                    None => Some(self.bound_value(variable)?),
                };
                drop(std::mem::replace(&mut self.returned, value));
                Ok(())
            }
            Kind::Fails {
                context,
                message,
                stops,
                fallback,
            } => {
                if let Some(body) = fallback {
                    return self.sequence(body);
                }
                match context {
                    Some(origin) => self.fail(origin, message)?,
                    None => messages::tell(self.vm, message)?,
                }
                match stops {
                    true => Err(Stop::Failed),
                    false => Ok(()),
                }
            }
        }
    }

    /// Executes instructions for each of some nodes.
    fn each(&mut self, nodes: Vec<Item>, body: &Body) -> Done {
        let size = nodes.len();
        let old = (self.node.clone(), self.current.clone());
        let place = (self.position, self.size);
        let rule = self.rule.take();
        for (index, node) in nodes.into_iter().enumerate() {
            (self.position, self.size) = (index + 1, size);
            self.current = node.clone();
            self.node = node;
            self.sequence(body)?;
        }
        self.rule = rule;
        (self.node, self.current) = old;
        (self.position, self.size) = place;
        Ok(())
    }

    /// The values that are given to a template.
    fn given(&mut self, given: &[Variable]) -> Done<Rc<Vec<(Name, Value)>>> {
        let mut values = Vec::with_capacity(given.len());
        for variable in given {
            let value = self.bound_value(variable)?;
            values.push((variable.name.clone(), value));
        }
        Ok(Rc::new(values))
    }

    /// Adds a node to what is made.
    pub(super) fn add(&mut self, node: Node) -> NodeId {
        let mut tree = self.target.document.write();
        let id = tree.add(node);
        tree.append(self.target.parent, id);
        id
    }

    /// Adds text to what is made, behind text that stands there already. Empty text only counts if it
    /// stands in the stylesheet.
    pub(super) fn add_text(&mut self, text: &[u8], is_raw: bool, is_literal: bool) {
        if text.is_empty() && !is_literal {
            return;
        }
        let parent = self.target.parent;
        let mut tree = self.target.document.write();
        let kind = {
            let node = &tree[parent];
            let is_cdata = self.target.is_result
                && node.kind == NodeKind::Element
                && (self.sheet.output.cdata.iter()).any(|name| {
                    name.local == node.name
                        && *name.namespace == *node.namespace.as_deref().unwrap_or_default()
                });
            if is_cdata {
                NodeKind::CData
            } else {
                NodeKind::Text
            }
        };
        if let Some(last) = tree[parent].last
            && tree[last].kind == kind
            && tree[last].is_bare == is_raw
        {
            tree[last].value.extend_from_slice(text);
            return;
        }
        let id = tree.add_text(kind, text);
        tree[id].is_bare = is_raw;
        tree.append(parent, id);
    }

    /// Executes code whose output goes into a node.
    fn inside(&mut self, id: NodeId, code: impl FnOnce(&mut Self) -> Done) -> Done {
        let parent = std::mem::replace(&mut self.target.parent, id);
        let done = code(self);
        self.target.parent = parent;
        done
    }

    /// What a namespace is called in what is made at an element: declares it if need be.
    fn prefix_at(&mut self, id: NodeId, prefix: Option<&[u8]>, uri: &[u8]) -> Option<Text> {
        let mut tree = self.target.document.write();
        if uri.is_empty() {
            let outer = tree.find_namespace(id, None);
            if outer.is_some_and(|outer| !outer.is_empty()) {
                declare(&mut tree, id, None, b"");
            }
            return None;
        }
        let found = tree.find_namespace(id, prefix);
        if found.as_deref() == Some(uri) {
            return prefix.map(Into::into);
        }
        let is_own = (tree[id].declarations.iter()).any(|own| own.prefix.as_deref() == prefix);
        if !is_own {
            declare(&mut tree, id, prefix, uri);
            return prefix.map(Into::into);
        }
        if let Some(Some(known)) = tree.find_prefix(id, uri) {
            return Some(known);
        }
        let new = new_prefix(&tree, id, prefix);
        declare(&mut tree, id, Some(&new), uri);
        Some(new.as_slice().into())
    }

    /// The namespace that stands in the result for one of the stylesheet.
    fn alias(&self, uri: &[u8]) -> Vec<u8> {
        let found = self.sheet.aliases.iter().find(|(from, _)| from == uri);
        found.map_or_else(|| uri.to_vec(), |(_, to)| to.clone())
    }

    fn literal(&mut self, literal: &Literal, rule: Option<&Rc<Rule>>) -> Done {
        let id = self.add(Node::new(NodeKind::Element, &literal.name));
        for declaration in &literal.declarations {
            let uri = self.alias(&declaration.uri);
            self.declare_once(id, declaration.prefix.as_deref(), &uri);
        }
        let uri = self.alias(literal.namespace.as_deref().unwrap_or_default());
        let prefix = self.prefix_at(id, literal.prefix.as_deref(), &uri);
        {
            let mut tree = self.target.document.write();
            tree[id].prefix = prefix;
            tree[id].namespace = (!uri.is_empty()).then(|| uri.as_slice().into());
        }
        if let Some(rule) = rule {
            for declaration in &rule.inherited {
                let uri = self.alias(&declaration.uri);
                self.declare_once(id, declaration.prefix.as_deref(), &uri);
            }
        }
        self.inside(id, |run| {
            run.attribute_sets(&literal.sets, 0)?;
            for attribute in &literal.attributes {
                let Some(value) = run.template(&attribute.value)? else {
                    let message = format!(
                        "Internal error: Failed to evaluate the AVT of attribute '{}'.",
                        String::from_utf8_lossy(&attribute.name)
                    );
                    return run.stop(&run.origin.clone(), &message);
                };
                let uri = run.alias(attribute.namespace.as_deref().unwrap_or_default());
                let mut prefix = None;
                if attribute.namespace.is_some() && !uri.is_empty() {
                    prefix = run.attribute_prefix(id, attribute.prefix.as_deref(), &uri);
                }
                let uri = (!uri.is_empty()).then(|| uri.as_slice().into());
                run.set_attribute(id, (prefix, uri, attribute.name.clone()), &value);
            }
            run.sequence(&literal.body)
        })
    }

    /// Declares a namespace where it is not in force yet.
    fn declare_once(&mut self, id: NodeId, prefix: Option<&[u8]>, uri: &[u8]) {
        let mut tree = self.target.document.write();
        let known = tree.find_namespace(id, prefix);
        let is_known = match &known {
            Some(known) => **known == *uri,
            None => uri.is_empty() && prefix.is_some(),
        };
        if !is_known {
            declare(&mut tree, id, prefix, uri);
        }
    }

    /// As [`Run::prefix_at`], for attributes, which the default namespace is not for.
    fn attribute_prefix(&mut self, id: NodeId, prefix: Option<&[u8]>, uri: &[u8]) -> Option<Text> {
        if uri == crate::xml::tree::XML_NAMESPACE {
            return Some(b"xml"[..].into());
        }
        if let Some(prefix) = prefix {
            return self.prefix_at(id, Some(prefix), uri);
        }
        let mut tree = self.target.document.write();
        let known = std::iter::once(id)
            .chain(tree.ancestors(id))
            .flat_map(|node| tree[node].declarations.clone())
            .find(|own| own.prefix.is_some() && *own.uri == *uri);
        if let Some(known) = known {
            return known.prefix;
        }
        let new = new_prefix(&tree, id, None);
        declare(&mut tree, id, Some(&new), uri);
        Some(new.as_slice().into())
    }

    /// Gives an element an attribute, in the place of one of the same name.
    fn set_attribute(&mut self, id: NodeId, (prefix, namespace, name): Named, value: &[u8]) {
        let mut tree = self.target.document.write();
        if let Some(known) = tree.attribute_in(id, namespace.as_deref(), &name) {
            if !self.keeps_attributes {
                tree[known].value = value.to_vec();
            }
            return;
        }
        let mut node = Node::new(NodeKind::Attribute, &name);
        node.is_id = prefix.as_deref() == Some(b"xml") && &*name == b"id";
        (node.prefix, node.namespace) = (prefix, namespace);
        node.value = value.to_vec();
        let attribute = tree.add(node);
        tree.add_attribute(id, attribute);
    }

    /// The attributes of sets.
    fn attribute_sets(&mut self, sets: &[Name], depth: usize) -> Done {
        if depth > 100 {
            let origin = self.origin.clone();
            return self.stop(
                &origin,
                "xsl:attribute-set : use-attribute-sets recursion detected",
            );
        }
        let sheet = self.sheet.clone();
        for name in sets {
            let Some(set) = sheet.sets.get(name) else {
                continue;
            };
            for body in &set.body {
                // Attributes of sets see variables of the whole stylesheet alone.
                let base = std::mem::replace(&mut self.base, self.variables.len());
                let done = self.sequence(body);
                self.base = base;
                done?;
            }
            // What a set has itself counts for more than what it uses.
            let keeps = std::mem::replace(&mut self.keeps_attributes, true);
            let done = self.attribute_sets(&set.sets, depth + 1);
            self.keeps_attributes = keeps;
            done?;
        }
        Ok(())
    }

    /// Name, prefix and namespace of something that is made; none after warnings.
    fn made_name(&mut self, made: &Made, what: &str) -> Done<Option<Named>> {
        let origin = self.origin.clone();
        let Some(name) = self.template(&made.name)? else {
            return Ok(None);
        };
        let shown = String::from_utf8_lossy(&name).into_owned();
        if !super::compile::is_qualified(&name) {
            let message = format!("xsl:{what}: The effective name '{shown}' is not a valid QName.");
            self.fail(&origin, &message)?;
            return Ok(None);
        }
        let (prefix, local) = split_name(&name);
        let namespace = match &made.namespace {
            Some(namespace) => match self.template(namespace)? {
                Some(uri) => uri,
                None => return Ok(None),
            },
            None => {
                let wanted = match prefix {
                    None if what == "attribute" => return Ok(Some((None, None, local.into()))),
                    None => b"",
                    Some(prefix) => prefix,
                };
                let found = made.namespaces.iter().find(|(known, _)| known == wanted);
                match found {
                    Some((_, uri)) => uri.clone(),
                    None if prefix.is_none() => Vec::new(),
                    None => {
                        let message = format!(
                            "xsl:{what}: The QName '{shown}' has no namespace binding in scope in the stylesheet; this is an error, since the namespace was not specified by the instruction itself."
                        );
                        self.fail(&origin, &message)?;
                        return Ok(None);
                    }
                }
            }
        };
        let prefix = prefix.filter(|prefix| *prefix != b"xmlns").map(Text::from);
        let uri = (!namespace.is_empty()).then(|| namespace.as_slice().into());
        Ok(Some((prefix, uri, local.into())))
    }

    fn element(&mut self, made: &Made) -> Done {
        let Some((prefix, uri, local)) = self.made_name(made, "element")? else {
            return Ok(());
        };
        let id = self.add(Node::new(NodeKind::Element, &local));
        let prefix = self.prefix_at(id, prefix.as_deref(), uri.as_deref().unwrap_or_default());
        {
            let mut tree = self.target.document.write();
            tree[id].prefix = prefix;
            tree[id].namespace = uri;
        }
        self.inside(id, |run| {
            run.attribute_sets(&made.sets, 0)?;
            run.sequence(&made.body)
        })
    }

    /// False, after a warning if need be, where an attribute cannot be added.
    fn takes_attributes(&mut self) -> Done<bool> {
        let parent = self.target.parent;
        let (is_element, has_children) = {
            let tree = self.target.document.read();
            let node = &tree[parent];
            (node.kind == NodeKind::Element, node.first.is_some())
        };
        if is_element && has_children {
            let message = "xsl:attribute: Cannot add attributes to an element if children have been already added to the element.";
            self.fail_here(message)?;
            return Ok(false);
        }
        Ok(is_element)
    }

    fn attribute(&mut self, made: &Made) -> Done {
        if !self.takes_attributes()? {
            return Ok(());
        }
        let Some((prefix, uri, local)) = self.made_name(made, "attribute")? else {
            return Ok(());
        };
        if prefix.is_none() && uri.is_none() && &*local == b"xmlns" {
            self.fail_here("xsl:attribute: The effective name 'xmlns' is not allowed.")?;
            return Ok(());
        }
        let value = self.text_of(&made.body)?;
        let id = self.target.parent;
        let prefix = match &uri {
            Some(uri) => self.attribute_prefix(id, prefix.as_deref(), uri),
            None => None,
        };
        self.set_attribute(id, (prefix, uri, local), &value);
        Ok(())
    }

    /// `xsl:copy`
    fn copy(&mut self, sets: &[Name], body: &Body) -> Done {
        let Item::Node(id) = self.node.clone() else {
            return self.copy_item(&self.node.clone());
        };
        let kind = self.document.read()[id].kind;
        match kind {
            NodeKind::Element => {
                let copy = self.shallow(id);
                self.inside(copy, |run| {
                    run.attribute_sets(sets, 0)?;
                    run.sequence(body)
                })
            }
            _ if is_root(&self.document.read(), id) => self.sequence(body),
            _ => self.copy_item(&Item::Node(id)),
        }
    }

    /// A copy of an element without attributes and children.
    fn shallow(&mut self, id: NodeId) -> NodeId {
        let (node, declarations) = {
            let tree = self.document.read();
            let source = &tree[id];
            let mut node = Node::new(NodeKind::Element, &source.name);
            (node.prefix, node.namespace) = (source.prefix.clone(), source.namespace.clone());
            (node, tree.declarations_of(id).into_owned())
        };
        let (prefix, uri) = (node.prefix.clone(), node.namespace.clone());
        let copy = self.add(node);
        for declaration in declarations {
            self.declare_once(copy, declaration.prefix.as_deref(), &declaration.uri);
        }
        let prefix = self.prefix_at(copy, prefix.as_deref(), uri.as_deref().unwrap_or_default());
        self.target.document.write()[copy].prefix = prefix;
        copy
    }

    /// `xsl:copy-of`
    fn copy_value(&mut self, value: Value) -> Done {
        match value {
            Value::Nodes(nodes) => {
                for node in nodes {
                    vm_runtime::limits::poll();
                    self.copy_item(&node)?;
                }
                Ok(())
            }
            Value::Tree(root) => self.copy_item(&Item::Node(root)),
            value => {
                let text = value_text(&self.document, &value);
                self.add_text(&text, false, false);
                Ok(())
            }
        }
    }

    /// Copies a node and all below it to what is made.
    fn copy_item(&mut self, item: &Item) -> Done {
        let id = match item {
            Item::Node(id) => *id,
            Item::Namespace(_, prefix, uri) => {
                let parent = self.target.parent;
                if self.target.document.read()[parent].kind == NodeKind::Element {
                    let prefix = (!prefix.is_empty()).then_some(prefix.as_slice());
                    self.declare_once(parent, prefix, uri);
                }
                return Ok(());
            }
        };
        let kind = self.document.read()[id].kind;
        match kind {
            NodeKind::Attribute => {
                let (named, value) = {
                    let tree = self.document.read();
                    let node = &tree[id];
                    let named = (
                        node.prefix.clone(),
                        node.namespace.clone(),
                        node.name.clone(),
                    );
                    (named, node.value.clone())
                };
                let parent = self.target.parent;
                let (is_element, has_children) = {
                    let tree = self.target.document.read();
                    let node = &tree[parent];
                    (node.kind == NodeKind::Element, node.first.is_some())
                };
                if !is_element {
                    self.fail_here("Cannot add an attribute node to a non-element node.")?;
                    return Ok(());
                }
                if has_children {
                    let message = "Adding an attribute node to an element node after other nodes have already been added";
                    self.fail_here(message)?;
                    return Ok(());
                }
                let (prefix, uri, name) = named;
                let prefix = match &uri {
                    Some(uri) => self.attribute_prefix(parent, prefix.as_deref(), uri),
                    None => None,
                };
                self.set_attribute(parent, (prefix, uri, name), &value);
                Ok(())
            }
            NodeKind::Text | NodeKind::CData => {
                let (text, is_raw) = {
                    let tree = self.document.read();
                    (tree[id].value.clone(), tree[id].is_bare)
                };
                self.add_text(&text, is_raw, false);
                Ok(())
            }
            NodeKind::DocumentType => Ok(()),
            NodeKind::Document | NodeKind::HtmlDocument | NodeKind::Fragment => {
                let children: Vec<NodeId> = self.document.read().children(id).collect();
                for child in children {
                    self.copy_item(&Item::Node(child))?;
                }
                Ok(())
            }
            NodeKind::Element => {
                self.copy_element(id);
                Ok(())
            }
            _ => {
                let copy = self.deep_copy(id);
                let mut tree = self.target.document.write();
                tree.append(self.target.parent, copy);
                Ok(())
            }
        }
    }

    /// A copy of a node without a parent.
    fn deep_copy(&mut self, id: NodeId) -> NodeId {
        if self.target.document == self.document {
            return self.document.write().copy_from(None, id, true);
        }
        let source = self.document.read();
        let mut tree = self.target.document.write();
        tree.copy_from(Some(&source), id, true)
    }

    fn copy_element(&mut self, id: NodeId) {
        let in_scope: Vec<(Option<Text>, Text)> = {
            let tree = self.document.read();
            let mut found: Vec<(Option<Text>, Text)> = Vec::new();
            for node in std::iter::once(id).chain(tree.ancestors(id)) {
                for declaration in tree.declarations_of(node).iter() {
                    if !found
                        .iter()
                        .any(|(prefix, _)| *prefix == declaration.prefix)
                    {
                        found.push((declaration.prefix.clone(), declaration.uri.clone()));
                    }
                }
            }
            found
        };
        let is_modern = self.document.read().is_modern;
        let copy = self.deep_copy(id);
        {
            let mut tree = self.target.document.write();
            let nodes: Vec<NodeId> = std::iter::once(copy)
                .chain(tree.descendants(copy))
                .collect();
            for node in nodes {
                if tree[node].kind == NodeKind::CData {
                    // Sections are text for XSLT.
                    tree[node].kind = NodeKind::Text;
                    tree[node].name = b"#text"[..].into();
                }
                if is_modern && !tree.is_modern && tree[node].kind == NodeKind::Element {
                    legacy_declarations(&mut tree, node);
                }
            }
            tree[copy].declarations.clear();
            tree.append(self.target.parent, copy);
        }
        for (prefix, uri) in in_scope {
            self.declare_once(copy, prefix.as_deref(), &uri);
        }
        let (prefix, uri) = {
            let tree = self.target.document.read();
            (tree[copy].prefix.clone(), tree[copy].namespace.clone())
        };
        let prefix = self.prefix_at(copy, prefix.as_deref(), uri.as_deref().unwrap_or_default());
        self.target.document.write()[copy].prefix = prefix;
    }

    /// A document of its own, which is written to a file.
    fn write_document(&mut self, href: &Template, method: Option<&Template>, body: &Body) -> Done {
        let Some(href) = self.template(href)? else {
            return Ok(());
        };
        let href = crate::libxml::resolved(self.origin.file.as_deref(), &href);
        let shown = String::from_utf8_lossy(&href).into_owned();
        if let Some(network) = self.refuses(&href, 4, 32) {
            let what = if network {
                "Network write"
            } else {
                "File write"
            };
            self.fail_here(&format!("{what} for {shown} refused"))?;
            let message = format!("xsltDocumentElem: write rights for {shown} denied");
            self.fail_here(&message)?;
            return Ok(());
        }
        let method = match method {
            Some(method) => self.template(method)?,
            None => None,
        };
        let document = Document::new(NodeKind::Document);
        let target = Target {
            document: document.clone(),
            parent: ROOT,
            is_result: true,
        };
        let old = std::mem::replace(&mut self.target, target);
        let done = self.sequence(body);
        self.target = old;
        done?;
        let mut output = self.sheet.output.clone();
        if method.is_some() {
            output.method = method;
        }
        let text = super::output::serialize(&document, &output);
        super::class::write_file(self.vm, &href, &text)?;
        Ok(())
    }
}

/// Declares a prefix at an element that does not declare it yet.
fn declare(tree: &mut crate::xml::tree::Tree, id: NodeId, prefix: Option<&[u8]>, uri: &[u8]) {
    let declarations = &mut tree[id].declarations;
    if prefix == Some(b"xml")
        || declarations
            .iter()
            .any(|own| own.prefix.as_deref() == prefix)
    {
        return;
    }
    declarations.push(crate::xml::tree::Declaration {
        prefix: prefix.map(Into::into),
        uri: uri.into(),
    });
}

/// A prefix that nothing is called by at an element.
fn new_prefix(tree: &crate::xml::tree::Tree, id: NodeId, prefix: Option<&[u8]>) -> Vec<u8> {
    let start = prefix.unwrap_or(b"ns");
    let mut number = 1;
    loop {
        let name = [start, b"_", number.to_string().as_bytes()].concat();
        if tree.find_namespace(id, Some(&name)).is_none() {
            return name;
        }
        number += 1;
    }
}

/// Attributes that declare namespaces become declarations.
fn legacy_declarations(tree: &mut crate::xml::tree::Tree, id: NodeId) {
    for attribute in tree[id].attributes.clone() {
        let declared = tree[attribute]
            .declares()
            .map(|(prefix, uri)| (prefix.map(<[u8]>::to_vec), uri.to_vec()));
        if let Some((prefix, uri)) = declared {
            tree.detach(attribute);
            declare(tree, id, prefix.as_deref(), &uri);
        }
    }
}
