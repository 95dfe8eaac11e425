//! A transformation: its state, variables, templates.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::messages;
use super::pattern::{self, Judge, Pattern, is_root};
use super::stylesheet::*;
use crate::dom::callbacks::Callbacks;
use crate::xml::tree::{Document, Kind as NodeKind, Node, NodeId, ROOT};
use crate::xml::xpath::{self, Context, Expression, Item, Order, Problem, Step, Value};

/// Why a transformation does not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// An exception of the script.
    Thrown,
    /// An error, which was told.
    Failed,
}

impl From<Thrown> for Stop {
    fn from(_: Thrown) -> Stop {
        Stop::Thrown
    }
}

pub(super) type Done<T = ()> = Result<T, Stop>;

/// How a variable came to its value: for the list that is shown when there are too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Variable,
    Parameter,
    Given,
}

/// A variable of the whole stylesheet.
enum Global {
    Busy,
    Failed,
    Known(Value),
}

/// Where what is made goes to.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) document: Document,
    pub(super) parent: NodeId,
    pub(super) is_result: bool,
}

/// How a template is left: its rule and how long it took, for the profile.
#[derive(Default)]
pub(super) struct Profile {
    pub(super) calls: u64,
    pub(super) time: std::time::Duration,
}

/// A transformation.
pub(super) struct Run<'a> {
    pub(super) vm: &'a mut Vm,
    pub(super) sheet: Rc<Stylesheet>,
    /// All that is read stands in one tree: the source, other documents, and what variables hold.
    pub(super) document: Document,
    pub(super) callbacks: Callbacks,
    pub(super) parameters: Vec<(Vec<u8>, Vec<u8>)>,
    pub(super) node: Item,
    pub(super) position: usize,
    pub(super) size: usize,
    /// What `current()` gives.
    pub(super) current: Item,
    pub(super) namespaces: Namespaces,
    pub(super) origin: Rc<Origin>,
    pub(super) rule: Option<Rc<Rule>>,
    pub(super) mode: Option<Name>,
    pub(super) variables: Vec<(Name, Value, Bound)>,
    pub(super) base: usize,
    globals: HashMap<Name, Global>,
    pub(super) templates: Vec<Rc<Rule>>,
    pub(super) depth: usize,
    pub(super) deepest: i64,
    pub(super) most_variables: i64,
    pub(super) has_failed: bool,
    pub(super) keys: HashMap<(Name, NodeId), HashMap<Vec<u8>, Vec<NodeId>>>,
    order: Option<Order>,
    /// Documents by their addresses; none for those that could not be read.
    pub(super) documents: HashMap<Vec<u8>, Option<NodeId>>,
    pub(super) addresses: HashMap<NodeId, Vec<u8>>,
    pub(super) trees: HashSet<NodeId>,
    pub(super) target: Target,
    pub(super) forbidden: i64,
    pub(super) includes: bool,
    /// How often functions of the script were called.
    pub(super) script_calls: usize,
    /// What `func:result` gave.
    pub(super) returned: Option<Value>,
    pub(super) profile: Option<HashMap<*const Rule, Profile>>,
    /// Attributes that are there already stay as they are.
    pub(super) keeps_attributes: bool,
}

/// What a transformation is given.
pub(super) struct Request<'a> {
    pub(super) vm: &'a mut Vm,
    pub(super) sheet: Rc<Stylesheet>,
    pub(super) document: Document,
    pub(super) result: Document,
    pub(super) callbacks: Callbacks,
    pub(super) parameters: Vec<(Vec<u8>, Vec<u8>)>,
    pub(super) deepest: i64,
    pub(super) most_variables: i64,
    pub(super) forbidden: i64,
    pub(super) includes: bool,
    pub(super) profiles: bool,
}

impl<'a> Run<'a> {
    pub(super) fn new(request: Request<'a>) -> Run<'a> {
        let root = Item::Node(ROOT);
        let mut addresses = HashMap::new();
        if let Some(uri) = &request.document.read().uri {
            addresses.insert(ROOT, uri.clone());
        }
        Run {
            vm: request.vm,
            sheet: request.sheet,
            document: request.document,
            callbacks: request.callbacks,
            parameters: request.parameters,
            node: root.clone(),
            position: 1,
            size: 1,
            current: root,
            namespaces: Rc::default(),
            origin: Rc::default(),
            rule: None,
            mode: None,
            variables: Vec::new(),
            base: 0,
            globals: HashMap::new(),
            templates: Vec::new(),
            depth: 0,
            deepest: request.deepest,
            most_variables: request.most_variables,
            has_failed: false,
            keys: HashMap::new(),
            order: None,
            documents: HashMap::new(),
            addresses,
            trees: HashSet::new(),
            target: Target {
                document: request.result,
                parent: ROOT,
                is_result: true,
            },
            forbidden: request.forbidden,
            includes: request.includes,
            script_calls: 0,
            returned: None,
            profile: request.profiles.then(HashMap::new),
            keeps_attributes: false,
        }
    }

    /// The whole transformation.
    pub(super) fn run(&mut self) -> Done {
        self.strip_spaces();
        let sheet = self.sheet.clone();
        for (name, value) in self.parameters.clone() {
            vm_runtime::limits::poll();
            let name = parameter_name(&name);
            let is_variable = sheet
                .globals
                .iter()
                .any(|(known, is_parameter)| known.name == name && !is_parameter);
            if !is_variable {
                self.globals.insert(name, Global::Known(Value::Text(value)));
            }
        }
        let mut stopped = false;
        for (variable, _) in &sheet.globals {
            match self.global(&variable.name) {
                Ok(_) => {}
                Err(Stop::Failed) => stopped = true,
                Err(Stop::Thrown) => return Err(Stop::Thrown),
            }
        }
        if stopped {
            return Err(Stop::Failed);
        }
        self.apply(vec![Item::Node(ROOT)], None, &Rc::default(), usize::MAX)?;
        match self.has_failed {
            true => Err(Stop::Failed),
            false => Ok(()),
        }
    }

    /// Tells of an error; the transformation goes on, but gives nothing.
    pub(super) fn fail(&mut self, origin: &Origin, message: &str) -> PhpResult<()> {
        self.has_failed = true;
        messages::at(self.vm, "runtime error", origin)?;
        messages::tell(self.vm, message)
    }

    /// Tells of an error at the present instruction.
    pub(super) fn fail_here(&mut self, message: &str) -> PhpResult<()> {
        let origin = self.origin.clone();
        self.fail(&origin, message)
    }

    /// Tells of an error that ends the transformation.
    pub(super) fn stop<T>(&mut self, origin: &Origin, message: &str) -> Done<T> {
        self.fail(origin, message)?;
        Err(Stop::Failed)
    }

    /// Calls code with a place at which expressions are evaluated.
    pub(super) fn at<T>(
        &mut self,
        (node, position, size): (Item, usize, usize),
        namespaces: &Namespaces,
        code: impl FnOnce(&mut Context<'_>) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let document = self.document.clone();
        let order = self.order.take();
        let calls = self.script_calls;
        let old = std::mem::replace(&mut self.namespaces, namespaces.clone());
        let mut context = Context {
            document: &document,
            node,
            position,
            size,
            host: &mut *self,
            order,
        };
        let outcome = code(&mut context);
        let order = context.order.take();
        self.namespaces = old;
        // What the script does to the document changes the order.
        self.order = match self.script_calls == calls {
            true => order,
            false => None,
        };
        outcome
    }

    /// The value of an expression at the present node; none after libxml2's words.
    pub(super) fn evaluate(&mut self, select: &Select) -> Done<Option<Value>> {
        self.vm.check_native_stack()?;
        vm_runtime::limits::poll();
        let place = (self.node.clone(), self.position, self.size);
        let outcome = self.at(place, &select.namespaces, |context| {
            xpath::evaluate(&select.expression, context)
        });
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(problem) => {
                self.tell(&problem)?;
                Ok(None)
            }
        }
    }

    /// Tells why an expression has no value.
    pub(super) fn tell(&mut self, problem: &Problem) -> Done {
        self.has_failed = true;
        self.vm.check()?;
        crate::dom::tell(self.vm, problem)?;
        Ok(())
    }

    /// The text of a value.
    pub(super) fn text(&self, value: &Value) -> Vec<u8> {
        xpath::value_text(&self.document, value)
    }

    /// The value of an attribute value template; none after warnings.
    pub(super) fn template(&mut self, template: &Template) -> Done<Option<Vec<u8>>> {
        match template {
            Template::Fixed(text) => Ok(Some(text.clone())),
            Template::Broken => Ok(None),
            Template::Parts(parts) => {
                let mut text = Vec::new();
                for part in parts {
                    match part {
                        Part::Text(plain) => text.extend_from_slice(plain),
                        Part::Select(select) => match self.evaluate(select)? {
                            Some(value) => text.extend(self.text(&value)),
                            None => return Ok(None),
                        },
                    }
                }
                Ok(Some(text))
            }
        }
    }

    /// What instructions make, as a tree of its own.
    pub(super) fn tree(&mut self, body: &Body) -> Done<NodeId> {
        let root = self
            .document
            .write()
            .add(Node::new(NodeKind::Document, b"#document"));
        self.trees.insert(root);
        let target = Target {
            document: self.document.clone(),
            parent: root,
            is_result: false,
        };
        let old = std::mem::replace(&mut self.target, target);
        let done = self.sequence(body);
        self.target = old;
        done?;
        Ok(root)
    }

    /// The text that instructions make.
    pub(super) fn text_of(&mut self, body: &Body) -> Done<Vec<u8>> {
        if let [
            Instruction {
                kind: Kind::Text { text, .. },
                ..
            },
        ] = body.as_slice()
        {
            return Ok(text.clone());
        }
        if body.is_empty() {
            return Ok(Vec::new());
        }
        let tree = self.tree(body)?;
        Ok(self.document.read().text_content(tree))
    }

    /// The value of a variable.
    pub(super) fn bound_value(&mut self, variable: &Variable) -> Done<Value> {
        match &variable.select {
            Some(select) => match self.evaluate(select)? {
                Some(value) => Ok(value),
                None => {
                    let message = format!(
                        "Failed to evaluate the expression of variable '{}'.",
                        variable.name.shown()
                    );
                    self.stop(&variable.origin, &message)
                }
            },
            None if variable.body.is_empty() => Ok(Value::Text(Vec::new())),
            None => Ok(Value::Tree(self.tree(&variable.body)?)),
        }
    }

    /// A variable of the whole stylesheet.
    fn global(&mut self, name: &Name) -> Done<Option<Value>> {
        match self.globals.get(name) {
            Some(Global::Known(value)) => return Ok(Some(value.clone())),
            Some(Global::Failed) => return Ok(None),
            Some(Global::Busy) => {
                let sheet = self.sheet.clone();
                let found = sheet.globals.iter().find(|(known, _)| known.name == *name);
                if let Some((variable, _)) = found {
                    let message = format!("Recursive definition of {}", name.shown());
                    self.fail(&variable.origin, &message)?;
                }
                return Ok(None);
            }
            None => {}
        }
        let sheet = self.sheet.clone();
        let found = sheet.globals.iter().find(|(known, _)| known.name == *name);
        let Some((variable, _)) = found else {
            return Ok(None);
        };
        self.globals.insert(name.clone(), Global::Busy);
        let root = Item::Node(ROOT);
        let place = (
            std::mem::replace(&mut self.node, root.clone()),
            std::mem::replace(&mut self.current, root),
            std::mem::replace(&mut self.position, 1),
            std::mem::replace(&mut self.size, 1),
            std::mem::replace(&mut self.base, self.variables.len()),
            std::mem::replace(&mut self.origin, variable.origin.clone()),
        );
        let value = match &variable.select {
            Some(select) => match self.evaluate(select) {
                Ok(Some(value)) => Ok(Some(value)),
                Ok(None) => {
                    let message = "Evaluating global variable  var/param being computed failed";
                    let told = self.fail(&variable.origin, message);
                    told.map(|()| None).map_err(Stop::from)
                }
                Err(stop) => Err(stop),
            },
            None => self.bound_value(variable).map(Some),
        };
        (
            self.node,
            self.current,
            self.position,
            self.size,
            self.base,
            self.origin,
        ) = place;
        match value {
            Ok(Some(value)) => {
                self.globals
                    .insert(name.clone(), Global::Known(value.clone()));
                Ok(Some(value))
            }
            Ok(None) => {
                self.globals.insert(name.clone(), Global::Failed);
                Ok(None)
            }
            Err(stop) => {
                self.globals.insert(name.clone(), Global::Failed);
                Err(stop)
            }
        }
    }

    /// A variable by its name.
    pub(super) fn lookup(&mut self, name: &Name) -> Result<Value, Problem> {
        let local = self.variables[self.base..].iter().rev();
        if let Some((_, value, _)) = { local }.find(|(known, ..)| known == name) {
            return Ok(value.clone());
        }
        match self.global(name) {
            Ok(Some(value)) => Ok(value),
            Err(Stop::Thrown) => Err(Problem::Told),
            Ok(None) | Err(Stop::Failed) => {
                let message = format!("Variable '{}' has not been declared.", name.shown());
                match self.fail_here(&message) {
                    Ok(()) => Err(Problem::UndefinedVariable),
                    Err(Thrown) => Err(Problem::Told),
                }
            }
        }
    }

    /// Executes the templates for nodes. `bound` counts as what is given to them; with `below`, only
    /// templates of a lower precedence count.
    pub(super) fn apply(
        &mut self,
        nodes: Vec<Item>,
        mode: Option<&Name>,
        given: &Rc<Vec<(Name, Value)>>,
        below: usize,
    ) -> Done {
        let size = nodes.len();
        let old = (self.node.clone(), self.current.clone());
        let place = (self.position, self.size);
        for (index, node) in nodes.into_iter().enumerate() {
            (self.position, self.size) = (index + 1, size);
            self.current = node.clone();
            self.node = node;
            self.apply_one(mode, given, (0, below))?;
        }
        (self.node, self.current) = old;
        (self.position, self.size) = place;
        Ok(())
    }

    /// Executes the template for the present node, one whose precedence is in a range.
    pub(super) fn apply_one(
        &mut self,
        mode: Option<&Name>,
        given: &Rc<Vec<(Name, Value)>>,
        precedences: (usize, usize),
    ) -> Done {
        self.vm.check_native_stack()?;
        vm_runtime::limits::poll();
        if let Some(rule) = self.find(mode, precedences)? {
            let old_mode = std::mem::replace(&mut self.mode, mode.cloned());
            let done = self.call_rule(&rule, given);
            self.mode = old_mode;
            return done;
        }
        let Item::Node(id) = self.node else {
            return Ok(());
        };
        let kind = self.document.read()[id].kind;
        match kind {
            NodeKind::Text | NodeKind::CData | NodeKind::Attribute => {
                let text = self.document.read().text_content(id);
                self.add_text(&text, false, false);
                Ok(())
            }
            NodeKind::Element
            | NodeKind::Document
            | NodeKind::HtmlDocument
            | NodeKind::Fragment => {
                let children = self.children(id);
                let old = std::mem::replace(&mut self.mode, mode.cloned());
                let done = self.apply(children, mode, &Rc::default(), usize::MAX);
                self.mode = old;
                done
            }
            _ => Ok(()),
        }
    }

    /// The children that templates are applied to.
    pub(super) fn children(&self, id: NodeId) -> Vec<Item> {
        let tree = self.document.read();
        tree.children(id)
            .filter(|&child| tree[child].kind != NodeKind::DocumentType)
            .map(Item::Node)
            .collect()
    }

    /// The template for the present node.
    fn find(
        &mut self,
        mode: Option<&Name>,
        (lowest, below): (usize, usize),
    ) -> Done<Option<Rc<Rule>>> {
        let sheet = self.sheet.clone();
        let Some(matchers) = sheet.matchers.get(&mode.cloned()) else {
            return Ok(None);
        };
        let item = self.node.clone();
        for matcher in matchers {
            let precedence = matcher.rule.precedence.0;
            if precedence >= below || precedence < lowest {
                continue;
            }
            if !matcher.pattern.may_match(&self.document.read(), &item) {
                continue;
            }
            match pattern::matches_alternative(self, &matcher.pattern, &item) {
                Ok(true) => return Ok(Some(matcher.rule.clone())),
                Ok(false) => {}
                Err(problem) => self.tell(&problem)?,
            }
        }
        Ok(None)
    }

    /// True if a node matches a pattern.
    pub(super) fn matches(&mut self, pattern: &Pattern, item: &Item) -> Done<bool> {
        match pattern::matches(self, pattern, item) {
            Ok(found) => Ok(found),
            Err(problem) => {
                self.tell(&problem)?;
                Ok(false)
            }
        }
    }

    /// Executes a template with what it is given.
    pub(super) fn call_rule(&mut self, rule: &Rc<Rule>, given: &Rc<Vec<(Name, Value)>>) -> Done {
        let base = std::mem::replace(&mut self.base, self.variables.len());
        let old_rule = self.rule.replace(rule.clone());
        self.templates.push(rule.clone());
        for (name, value) in given.iter() {
            // Only what the template asks for is taken.
            let is_asked = rule.body.iter().any(|instruction| {
                matches!(&instruction.kind, Kind::Parameter(known) if known.name == *name)
            });
            if is_asked {
                let bound = (name.clone(), value.clone(), Bound::Given);
                self.variables.push(bound);
            }
        }
        let started = self.profile.is_some().then(std::time::Instant::now);
        let done = self.template_body(rule);
        if let (Some(started), Some(profile)) = (started, &mut self.profile) {
            let entry = profile.entry(Rc::as_ptr(rule)).or_default();
            entry.calls += 1;
            entry.time += started.elapsed();
        }
        self.templates.pop();
        self.variables.truncate(self.base);
        self.base = base;
        self.rule = old_rule;
        done
    }

    fn template_body(&mut self, rule: &Rc<Rule>) -> Done {
        if self.variables.len() as i64 >= self.most_variables
            && let Some(first) = rule.body.first()
        {
            let message = format!(
                "xsltApplyXSLTTemplate: A potential infinite template recursion was detected.\nYou can adjust $maxTemplateVars in order to raise the maximum number of variables/params (currently set to {}).",
                self.most_variables
            );
            self.fail(&first.origin, &message)?;
            self.show_stack()?;
            return Err(Stop::Failed);
        }
        let parameters = rule
            .body
            .iter()
            .take_while(|instruction| matches!(instruction.kind, Kind::Parameter(_)))
            .count();
        for instruction in &rule.body[..parameters] {
            self.execute(instruction)?;
        }
        self.instructions(&rule.body, parameters, Some(rule))
    }

    /// Shows the templates on the way and their variables.
    pub(super) fn show_stack(&mut self) -> PhpResult<()> {
        messages::tell(self.vm, "Templates:")?;
        let mut lines = Vec::new();
        for (number, rule) in self.templates.iter().rev().take(15).enumerate() {
            let mut line = format!("#{number} ");
            let shown = |text: &[u8]| format!("name {} ", String::from_utf8_lossy(text));
            if let Some(name) = &rule.name {
                line.push_str(&shown(&name.local));
            }
            if let Some(text) = &rule.shown_match {
                line.push_str(&shown(text));
            }
            if let Some(mode) = &rule.mode {
                line.push_str(&shown(&mode.local));
            }
            lines.push(line);
        }
        lines.push("Variables:".to_owned());
        for (number, (name, _, bound)) in self.variables.iter().rev().take(15).enumerate() {
            lines.push(format!("#{number}"));
            let kind = match bound {
                Bound::Variable => "var ",
                Bound::Parameter => "param ",
                Bound::Given => "",
            };
            lines.push(format!("{kind}{} ", name.shown()));
        }
        for line in lines {
            messages::tell(self.vm, &line)?;
        }
        Ok(())
    }

    /// Takes away the white space that `xsl:strip-space` names.
    pub(super) fn strip_spaces(&mut self) {
        self.strip_below(ROOT);
    }

    /// The same in one of the documents.
    pub(super) fn strip_below(&mut self, top: NodeId) {
        if !self.sheet.spaces.iter().any(|space| space.strips) {
            return;
        }
        let sheet = self.sheet.clone();
        let mut tree = self.document.write();
        let mut found = Vec::new();
        for id in tree.descendants(top) {
            let Some(parent) = tree[id].parent else {
                continue;
            };
            if tree[id].kind != NodeKind::Text
                || !tree[id].is_blank()
                || tree[parent].kind != NodeKind::Element
            {
                continue;
            }
            let node = &tree[parent];
            let rank = |space: &Space| match &space.name {
                None => Some(0),
                Some((namespace, None)) => (*namespace == node.namespace).then_some(1),
                Some((namespace, Some(local))) => {
                    (*namespace == node.namespace && *local == node.name).then_some(2)
                }
            };
            let said = sheet
                .spaces
                .iter()
                .filter_map(|space| Some((space.precedence, rank(space)?, space.strips)))
                .max_by_key(|&(precedence, rank, strips)| (rank, precedence, !strips));
            if matches!(said, Some((_, _, true))) {
                found.push(id);
            }
        }
        for id in found {
            tree.detach(id);
        }
    }

    /// The address of the document that a node is in.
    pub(super) fn base_of(&self, item: &Item) -> Option<Vec<u8>> {
        let (Item::Node(id) | Item::Namespace(id, ..)) = item;
        let root = self.document.read().root_of(*id);
        self.addresses.get(&root).cloned()
    }

    /// Reads another document into the tree; nothing after warnings.
    pub(super) fn load(&mut self, uri: &[u8]) -> Done<Option<NodeId>> {
        if let Some(known) = self.documents.get(uri) {
            return Ok(*known);
        }
        if let Some(network) = self.refuses(uri, 2, 16) {
            let shown = String::from_utf8_lossy(uri).into_owned();
            let what = if network { "Network" } else { "Local" };
            self.fail_here(&format!("{what} file read for {shown} refused"))?;
            let message = format!("xsltLoadDocument: read rights for {shown} denied");
            self.fail_here(&message)?;
            return Ok(None);
        }
        let is_folder = uri.ends_with(b"/");
        let loaded = match is_folder {
            true => None,
            false => super::compile::read_document(self.vm, uri)?,
        };
        let root = match loaded {
            Some(loaded) => {
                if self.includes {
                    crate::dom::include_all(self.vm, &loaded)?;
                }
                let mut tree = self.document.write();
                let root = tree.copy_from(Some(&loaded.read()), ROOT, true);
                drop(tree);
                self.addresses.insert(root, uri.to_vec());
                self.strip_below(root);
                Some(root)
            }
            None => None,
        };
        self.documents.insert(uri.to_vec(), root);
        Ok(root)
    }

    /// Whether security settings forbid a file or an address: true for an address.
    pub(super) fn refuses(&self, uri: &[u8], file: i64, network: i64) -> Option<bool> {
        let is_network = memchr::memmem::find(uri, b"://").is_some() && !uri.starts_with(b"file:");
        let bit = if is_network { network } else { file };
        (self.forbidden & bit != 0).then_some(is_network)
    }
}

/// A parameter's name: local, or with its namespace in braces.
fn parameter_name(text: &[u8]) -> Name {
    if let Some(rest) = text.strip_prefix(b"{")
        && let Some(end) = memchr::memchr(b'}', rest)
    {
        return Name::new(Some(&rest[..end]), &rest[end + 1..]);
    }
    Name::new(None, text)
}

impl Judge for Run<'_> {
    fn document(&self) -> Document {
        self.document.clone()
    }

    fn holds(
        &mut self,
        predicate: &Expression,
        item: &Item,
        namespaces: &Namespaces,
    ) -> Result<bool, Problem> {
        let value = self.at((item.clone(), 1, 1), namespaces, |context| {
            xpath::evaluate(predicate, context)
        })?;
        Ok(match value {
            Value::Number(number) => number == 1.0,
            value => xpath::truth(&value),
        })
    }

    fn step(
        &mut self,
        step: &Step,
        item: &Item,
        namespaces: &Namespaces,
    ) -> Result<Vec<Item>, Problem> {
        self.at((item.clone(), 1, 1), namespaces, |context| {
            xpath::take_step(vec![item.clone()], step, context)
        })
    }

    fn found(
        &mut self,
        expression: &Expression,
        item: &Item,
        namespaces: &Namespaces,
    ) -> Result<Vec<Item>, Problem> {
        let value = self.at((item.clone(), 1, 1), namespaces, |context| {
            xpath::evaluate(expression, context)
        })?;
        match value {
            Value::Nodes(nodes) => Ok(nodes),
            _ => Ok(Vec::new()),
        }
    }
}

/// Tells libxml2's words for a function that is asked for in a wrong way.
pub(super) fn wrong_use(run: &mut Run<'_>, message: &str) -> Problem {
    match run.fail_here(message) {
        Ok(()) => Problem::Told,
        Err(Thrown) => Problem::Told,
    }
}

/// Roots are documents of their own.
pub(super) fn is_document(run: &Run<'_>, id: NodeId) -> bool {
    is_root(&run.document.read(), id)
}
