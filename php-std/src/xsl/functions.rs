//! Functions that expressions in stylesheets may call.

use std::collections::HashMap;

use super::exslt;
use super::run::{Done, Run, Stop, wrong_use};
use super::stylesheet::{Kind, Name, Namespaces, XSL};
use crate::dom::callbacks;
use crate::xml::tree::{Kind as NodeKind, NodeId, split_name};
use crate::xml::xpath::{self, Host, Item, Place, Problem, Value};

/// The namespace of functions of the script.
pub(super) const PHP: &[u8] = b"http://php.net/xsl";

/// XPath's own functions, for `function-available()`.
const CORE: [&str; 27] = [
    "last",
    "position",
    "count",
    "id",
    "local-name",
    "namespace-uri",
    "name",
    "string",
    "concat",
    "starts-with",
    "contains",
    "substring-before",
    "substring-after",
    "substring",
    "string-length",
    "normalize-space",
    "translate",
    "boolean",
    "not",
    "true",
    "false",
    "lang",
    "number",
    "sum",
    "floor",
    "ceiling",
    "round",
];

/// XSLT's own functions.
const OWN: [&str; 9] = [
    "document",
    "key",
    "current",
    "generate-id",
    "format-number",
    "system-property",
    "unparsed-entity-uri",
    "element-available",
    "function-available",
];

/// Instructions, for `element-available()`.
const ELEMENTS: [&str; 17] = [
    "apply-imports",
    "apply-templates",
    "attribute",
    "call-template",
    "choose",
    "comment",
    "copy",
    "copy-of",
    "element",
    "fallback",
    "for-each",
    "if",
    "message",
    "number",
    "processing-instruction",
    "text",
    "value-of",
];

impl Host for Run<'_> {
    fn namespace(&self, prefix: &[u8]) -> Option<Vec<u8>> {
        let found = self.namespaces.iter().find(|(known, _)| known == prefix);
        found.map(|(_, uri)| uri.clone())
    }

    fn call(
        &mut self,
        namespace: &[u8],
        name: &[u8],
        arguments: Vec<Value>,
        place: Place<'_>,
    ) -> Result<Value, Problem> {
        vm_runtime::limits::poll();
        if namespace.is_empty() {
            return self.own_function(name, arguments, place);
        }
        if namespace == PHP || self.callbacks.has_own(namespace, name) {
            return self.script_function(namespace, name, arguments);
        }
        let function = Name::new(Some(namespace), name);
        if let Some(function) = self.sheet.functions.get(&function).cloned() {
            return self.sheet_function(&function.body, arguments, place);
        }
        exslt::call(self, namespace, name, arguments, place)
    }

    fn variable(&mut self, namespace: Option<&[u8]>, name: &[u8]) -> Result<Value, Problem> {
        self.lookup(&Name::new(namespace, name))
    }

    fn unbound(&mut self, prefix: &[u8], name: &[u8]) -> Problem {
        let message = format!(
            "xmlXPathCompOpEval: function {} bound to undefined prefix {}",
            String::from_utf8_lossy(name),
            String::from_utf8_lossy(prefix)
        );
        let _ = super::messages::tell(self.vm, &message);
        Problem::Told
    }

    fn is_forest(&self) -> bool {
        true
    }
}

impl Run<'_> {
    fn script_function(
        &mut self,
        namespace: &[u8],
        name: &[u8],
        arguments: Vec<Value>,
    ) -> Result<Value, Problem> {
        self.script_calls += 1;
        let callbacks = self.callbacks.clone();
        let document = self.document.clone();
        callbacks::call(
            (self.vm, &document),
            &callbacks,
            PHP,
            (namespace, name),
            arguments,
        )
    }

    /// A function that the stylesheet declares.
    fn sheet_function(
        &mut self,
        body: &super::stylesheet::Body,
        arguments: Vec<Value>,
        place: Place<'_>,
    ) -> Result<Value, Problem> {
        let base = std::mem::replace(&mut self.base, self.variables.len());
        let mut arguments = arguments.into_iter();
        for instruction in body.iter() {
            let Kind::Parameter(parameter) = &instruction.kind else {
                break;
            };
            if let Some(value) = arguments.next() {
                let bound = super::run::Bound::Given;
                self.variables.push((parameter.name.clone(), value, bound));
            }
        }
        let returned = self.returned.take();
        let old = (
            std::mem::replace(&mut self.node, place.node.clone()),
            std::mem::replace(&mut self.position, place.position),
            std::mem::replace(&mut self.size, place.size),
        );
        let namespaces = self.namespaces.clone();
        // What is made is dropped: the result of a function is what func:result gives.
        let done = self.tree(body);
        self.namespaces = namespaces;
        (self.node, self.position, self.size) = old;
        self.variables.truncate(self.base);
        self.base = base;
        let result = std::mem::replace(&mut self.returned, returned);
        match done {
            Ok(_) => Ok(result.unwrap_or(Value::Text(Vec::new()))),
            Err(Stop::Thrown | Stop::Failed) => Err(Problem::Told),
        }
    }

    fn own_function(
        &mut self,
        name: &[u8],
        arguments: Vec<Value>,
        place: Place<'_>,
    ) -> Result<Value, Problem> {
        let count = arguments.len();
        let text_at = |run: &Self, index: usize| {
            arguments
                .get(index)
                .map_or(Vec::new(), |value| run.text(value))
        };
        match name {
            b"current" => match count {
                0 => Ok(Value::Nodes(vec![self.current.clone()])),
                _ => Err(wrong_use(self, "current() : function uses no argument")),
            },
            b"document" => self.document_function(arguments, place),
            b"key" => {
                if count != 2 {
                    return Err(wrong_use(self, "key() : expects two arguments"));
                }
                let given = text_at(self, 0);
                let (prefix, local) = split_name(&given);
                let namespace = match prefix {
                    Some(prefix) => match self.namespace(prefix) {
                        Some(uri) => Some(uri),
                        None => {
                            let shown = String::from_utf8_lossy(prefix).into_owned();
                            let message = format!("key() : prefix {shown} is not bound");
                            return Err(wrong_use(self, &message));
                        }
                    },
                    None => None,
                };
                let name = Name::new(namespace.as_deref(), local);
                self.key_function(&name, &arguments[1], place)
            }
            b"generate-id" => {
                let item = match arguments.first() {
                    None => Some(place.node.clone()),
                    Some(Value::Nodes(nodes)) => nodes.first().cloned(),
                    Some(Value::Tree(root)) => Some(Item::Node(*root)),
                    Some(_) => {
                        return Err(wrong_use(
                            self,
                            "generate-id() : invalid arg expecting a node-set",
                        ));
                    }
                };
                Ok(Value::Text(match item {
                    Some(Item::Node(id)) => format!("idm{id}").into_bytes(),
                    Some(Item::Namespace(id, prefix, _)) => {
                        [format!("idm{id}ns").as_bytes(), &prefix].concat()
                    }
                    None => Vec::new(),
                }))
            }
            b"format-number" => {
                if count != 2 && count != 3 {
                    return Err(Problem::WrongArguments);
                }
                let mut format_name = None;
                if count == 3 {
                    let given = text_at(self, 2);
                    let (prefix, local) = split_name(&given);
                    let namespace = prefix.and_then(|prefix| self.namespace(prefix));
                    format_name = Some(Name::new(namespace.as_deref(), local));
                }
                let sheet = self.sheet.clone();
                let format = match (sheet.formats.get(&format_name), &format_name) {
                    (Some(format), _) => format.clone(),
                    (None, None) => super::stylesheet::DecimalFormat::default(),
                    (None, Some(name)) => {
                        let message = format!(
                            "format-number() : undeclared decimal format '{}'",
                            name.shown()
                        );
                        return match self.fail_here(&message) {
                            Ok(()) => Err(Problem::Stack),
                            Err(_) => Err(Problem::Told),
                        };
                    }
                };
                let number = xpath::value_number(&self.document, &arguments[0]);
                let pattern = text_at(self, 1);
                self.format_number(number, &pattern, &format)
                    .map(Value::Text)
                    .map_err(|_| Problem::Told)
            }
            b"system-property" => {
                let given = text_at(self, 0);
                let (prefix, local) = split_name(&given);
                let namespace = prefix.and_then(|prefix| self.namespace(prefix));
                let value: &[u8] = match (namespace.as_deref(), local) {
                    (Some(XSL), b"version") => b"1.0",
                    (Some(XSL), b"vendor") => b"libxslt",
                    (Some(XSL), b"vendor-url") => b"http://xmlsoft.org/XSLT/",
                    _ => b"",
                };
                Ok(Value::Text(value.to_vec()))
            }
            b"unparsed-entity-uri" => {
                let (Item::Node(id) | Item::Namespace(id, ..)) = place.node;
                let wanted = text_at(self, 0);
                let tree = self.document.read();
                let root = tree.root_of(*id);
                let doctype = tree
                    .children(root)
                    .find(|&child| tree[child].kind == NodeKind::DocumentType);
                let found = doctype
                    .and_then(|id| tree[id].doctype.as_ref())
                    .and_then(|doctype| {
                        doctype
                            .entities
                            .iter()
                            .find(|(name, entity)| *name == wanted && entity.notation.is_some())
                    })
                    .and_then(|(_, entity)| entity.system.clone());
                let base = self.addresses.get(&root);
                Ok(Value::Text(match found {
                    Some(uri) => crate::libxml::resolved(base.map(Vec::as_slice), &uri),
                    None => Vec::new(),
                }))
            }
            b"element-available" => {
                let given = text_at(self, 0);
                let (prefix, local) = split_name(&given);
                let namespace = self.namespace(prefix.unwrap_or_default());
                let is_own = namespace.as_deref() == Some(XSL);
                let is_document = local == b"document"
                    && namespace.as_deref() == Some(b"http://exslt.org/common");
                let is_known =
                    ELEMENTS.iter().any(|known| known.as_bytes() == local) || local == b"variable";
                Ok(Value::Bool(is_own && is_known || is_document))
            }
            b"function-available" => {
                let given = text_at(self, 0);
                let (prefix, local) = split_name(&given);
                let is_known = match prefix {
                    None => CORE
                        .iter()
                        .chain(&OWN)
                        .any(|known| known.as_bytes() == local),
                    Some(prefix) => match self.namespace(prefix) {
                        Some(uri) => {
                            exslt::is_known(&uri, local)
                                || self.callbacks.has_own(&uri, local)
                                || uri == PHP
                                    && (local == b"function" || local == b"functionString")
                                || (self.sheet.functions)
                                    .contains_key(&Name::new(Some(&uri), local))
                        }
                        None => false,
                    },
                };
                Ok(Value::Bool(is_known))
            }
            _ => Err(Problem::UnknownFunction(name.to_vec())),
        }
    }

    fn document_function(
        &mut self,
        arguments: Vec<Value>,
        place: Place<'_>,
    ) -> Result<Value, Problem> {
        let mut arguments = arguments.into_iter();
        let (first, second) = (arguments.next(), arguments.next());
        let Some(first) = first else {
            return Err(wrong_use(
                self,
                "document() : expects one or two string args",
            ));
        };
        let base = match &second {
            Some(Value::Nodes(nodes)) => nodes.first().and_then(|node| self.base_of(node)),
            Some(_) => {
                return Err(wrong_use(
                    self,
                    "document() : invalid arg expecting a nodeset",
                ));
            }
            None => None,
        };
        let _ = place;
        let mut wanted = Vec::new();
        match &first {
            Value::Nodes(nodes) => {
                for node in nodes {
                    let text = xpath::string_of(&self.document, node);
                    let base = match second {
                        Some(_) => base.clone(),
                        None => self.base_of(node),
                    };
                    wanted.push((text, base));
                }
            }
            value => {
                let text = self.text(value);
                let base = match second {
                    Some(_) => base,
                    None => self.origin.file.as_deref().map(<[u8]>::to_vec),
                };
                wanted.push((text, base));
            }
        }
        let mut found = Vec::new();
        for (uri, base) in wanted {
            let uri = match memchr::memchr(b'#', &uri) {
                Some(end) => uri[..end].to_vec(),
                None => uri,
            };
            let uri = match uri.is_empty() {
                true => base.unwrap_or_default(),
                false => crate::libxml::resolved(base.as_deref(), &uri),
            };
            match self.load(&uri) {
                Ok(Some(root)) => {
                    let item = Item::Node(root);
                    if !found.contains(&item) {
                        found.push(item);
                    }
                }
                Ok(None) => {}
                Err(_) => return Err(Problem::Told),
            }
        }
        Ok(Value::Nodes(found))
    }

    fn key_function(
        &mut self,
        name: &Name,
        wanted: &Value,
        place: Place<'_>,
    ) -> Result<Value, Problem> {
        let (Item::Node(id) | Item::Namespace(id, ..)) = place.node;
        let root = self.document.read().root_of(*id);
        let texts: Vec<Vec<u8>> = match wanted {
            Value::Nodes(nodes) => nodes
                .iter()
                .map(|node| xpath::string_of(&self.document, node))
                .collect(),
            value => vec![self.text(value)],
        };
        let known = (name.clone(), root);
        if !self.keys.contains_key(&known) {
            // While it is being made, a key has nothing.
            self.keys.insert(known.clone(), HashMap::new());
            let table = self.key_table(name, root).map_err(|_| Problem::Told)?;
            self.keys.insert(known.clone(), table);
        }
        let mut found: Vec<Item> = Vec::new();
        if let Some(table) = self.keys.get(&known) {
            for text in &texts {
                let nodes = table.get(text).map(Vec::as_slice).unwrap_or_default();
                found.extend(nodes.iter().copied().map(Item::Node));
            }
        }
        if texts.len() < 2 {
            return Ok(Value::Nodes(found));
        }
        let namespaces = self.namespaces.clone();
        self.in_order(found, &namespaces).map(Value::Nodes)
    }

    /// Nodes in the order of the document.
    pub(super) fn in_order(
        &mut self,
        nodes: Vec<Item>,
        namespaces: &Namespaces,
    ) -> Result<Vec<Item>, Problem> {
        let place = (self.node.clone(), 1, 1);
        self.at(place, namespaces, |context| {
            Ok(xpath::sorted(nodes, context))
        })
    }

    /// The nodes of a document by the values of a key.
    fn key_table(&mut self, name: &Name, root: NodeId) -> Done<HashMap<Vec<u8>, Vec<NodeId>>> {
        let sheet = self.sheet.clone();
        let mut table: HashMap<Vec<u8>, Vec<NodeId>> = HashMap::new();
        let nodes: Vec<NodeId> = {
            let tree = self.document.read();
            let mut nodes = vec![root];
            for id in tree.descendants(root) {
                nodes.push(id);
                nodes.extend(tree[id].attributes.iter().copied());
            }
            nodes
        };
        let old = (self.node.clone(), self.current.clone());
        let place = (self.position, self.size);
        (self.position, self.size) = (1, 1);
        for key in sheet.keys.iter().filter(|key| key.name == *name) {
            for &id in &nodes {
                let item = Item::Node(id);
                let may = {
                    let tree = self.document.read();
                    (key.pattern.alternatives.iter()).any(|one| one.may_match(&tree, &item))
                };
                if !may || !self.matches(&key.pattern, &item)? {
                    continue;
                }
                self.node = item.clone();
                self.current = item;
                let texts: Vec<Vec<u8>> = match self.evaluate(&key.select)? {
                    Some(Value::Nodes(nodes)) => nodes
                        .iter()
                        .map(|node| xpath::string_of(&self.document, node))
                        .collect(),
                    Some(value) => vec![self.text(&value)],
                    None => Vec::new(),
                };
                for text in texts {
                    let list = table.entry(text).or_default();
                    if list.last() != Some(&id) {
                        list.push(id);
                    }
                }
            }
        }
        (self.node, self.current) = old;
        (self.position, self.size) = place;
        Ok(table)
    }
}
