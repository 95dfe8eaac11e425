//! Functions, classes and their members as source text again.

use super::Printer;
use crate::ast::{
    AttributeGroup, ClassConstants, ClassDecl, ClassKind, ConstItem, EnumCase, ExprRef,
    FunctionBody, FunctionDecl, Member, MemberKind, Modifiers, Name, Param, Properties,
    TraitAdaptationKind, TraitUse, Type,
};

impl Printer<'_> {
    fn modifiers(&mut self, modifiers: Modifiers) {
        for word in modifiers.words() {
            self.push(word);
            self.push(" ");
        }
    }

    /// The modifiers of a member, which is public if nothing else is written.
    fn member_modifiers(&mut self, modifiers: Modifiers) {
        let visible = modifiers.intersects(Modifiers::VISIBILITY);
        self.modifiers(match visible {
            true => modifiers,
            false => modifiers.union(Modifiers::PUBLIC),
        });
    }

    /// Attributes on lines of their own, or in the same line.
    pub(super) fn attributes(&mut self, groups: &[AttributeGroup<'_>], lines: bool) {
        for group in groups {
            self.push("#[");
            self.list(group.attributes, |printer, attribute| {
                printer.name(&attribute.name);
                if let Some(args) = attribute.args {
                    printer.args(args);
                }
            });
            self.push("]");
            if lines {
                self.push("\n");
                self.indentation();
            } else {
                self.push(" ");
            }
        }
    }

    /// ` = value`, if there is one.
    pub(super) fn default(&mut self, value: Option<ExprRef<'_>>) {
        if let Some(value) = value {
            self.push(" = ");
            self.expr(value, 0);
        }
    }

    pub(super) fn constants(&mut self, items: &[ConstItem<'_>]) {
        self.list(items, |printer, item| {
            printer.push(item.name);
            printer.default(Some(item.value));
        });
    }

    fn type_before(&mut self, declared: Option<&Type<'_>>) {
        if let Some(declared) = declared {
            self.declared(declared);
            self.push(" ");
        }
    }

    fn names(&mut self, word: &str, names: &[Name<'_>]) {
        if !names.is_empty() {
            self.push(word);
            self.list(names, |printer, name| printer.name(name));
        }
    }

    /// `&name(parameters): type`
    fn signature(&mut self, function: &FunctionDecl<'_>, name: &[u8]) {
        if function.returns_ref {
            self.push("&");
        }
        self.push(name);
        self.push("(");
        self.list(function.params.unwrap_or(&[]), |printer, parameter| {
            printer.parameter(parameter);
        });
        self.push(")");
        if !function.uses.is_empty() {
            self.push(" use(");
            self.list(function.uses, |printer, variable| {
                printer.push(if variable.by_ref { "&$" } else { "$" });
                printer.push(variable.name);
            });
            self.push(")");
        }
        if let Some(declared) = function.return_type {
            self.push(": ");
            self.declared(declared);
        }
    }

    fn function_body(&mut self, body: &FunctionBody<'_>) {
        match body {
            FunctionBody::Expr(value) => {
                self.push(" => ");
                self.expr(value, 0);
            }
            FunctionBody::Block(statements) => {
                self.push(" ");
                self.block(statements);
            }
            FunctionBody::None => self.push(";"),
        }
    }

    pub(super) fn closure(&mut self, function: &FunctionDecl<'_>) {
        self.attributes(function.attributes, false);
        self.modifiers(function.modifiers);
        let is_arrow = function.kind == crate::ast::FunctionKind::ArrowFunction;
        self.push(if is_arrow { "fn" } else { "function " });
        self.signature(function, b"");
        self.function_body(&function.body);
    }

    fn parameter(&mut self, parameter: &Param<'_>) {
        self.attributes(parameter.attributes, false);
        self.modifiers(parameter.modifiers);
        self.type_before(parameter.declared_type);
        if parameter.by_ref {
            self.push("&");
        }
        if parameter.variadic {
            self.push("...");
        }
        self.push("$");
        self.push(parameter.name);
        self.default(parameter.default);
        if let Some(hooks) = parameter.hooks {
            self.hooks(hooks);
        }
    }

    fn hooks(&mut self, hooks: &[FunctionDecl<'_>]) {
        self.push(" {\n");
        self.indented(|printer| {
            for hook in hooks {
                printer.indentation();
                printer.modifiers(hook.modifiers);
                if hook.returns_ref {
                    printer.push("&");
                }
                printer.push(hook.name);
                printer.function_body(&hook.body);
                if matches!(hook.body, FunctionBody::Expr(_)) {
                    printer.push(";");
                }
                printer.push("\n");
            }
        });
        self.indentation();
        self.push("}");
    }

    /// A named function among statements, and an empty line.
    pub(super) fn declared_function(&mut self, function: &FunctionDecl<'_>) {
        self.indentation();
        self.attributes(function.attributes, true);
        self.push("function ");
        self.signature(function, function.name);
        self.function_body(&function.body);
        self.push("\n\n");
    }

    /// A named class among statements, and an empty line.
    pub(super) fn declared_class(&mut self, class: &ClassDecl<'_>) {
        self.indentation();
        self.attributes(class.attributes, true);
        match class.kind {
            ClassKind::Class => {
                for word in [Modifiers::ABSTRACT, Modifiers::FINAL, Modifiers::READONLY] {
                    if class.modifiers.intersects(word) {
                        self.modifiers(word);
                    }
                }
                self.push("class ");
            }
            ClassKind::Interface => self.push("interface "),
            ClassKind::Trait => self.push("trait "),
            ClassKind::Enum => self.push("enum "),
        }
        if let Some(name) = class.name {
            self.push(name.bytes);
        }
        if let Some(backing) = class.enum_type {
            self.push(": ");
            self.declared(backing);
        }
        self.class_rest(class);
        self.push("\n\n");
    }

    /// What follows the name of a class, or `class` and its arguments.
    pub(super) fn class_rest(&mut self, class: &ClassDecl<'_>) {
        if let Some(parent) = &class.extends {
            self.push(" extends ");
            self.name(parent);
        }
        self.names(" implements ", class.implements);
        self.push(" {\n");
        self.indented(|printer| {
            for member in class.members {
                printer.indentation();
                printer.class_member(member);
                printer.push("\n");
            }
        });
        self.indentation();
        self.push("}");
    }

    fn class_member(&mut self, member: &Member<'_>) {
        match member.kind {
            MemberKind::Constants(constants) => self.class_constants(constants),
            MemberKind::Properties(properties) => self.properties(properties),
            MemberKind::Method(method) => {
                self.attributes(method.attributes, true);
                self.member_modifiers(method.modifiers);
                self.push("function ");
                self.signature(method, method.name);
                self.function_body(&method.body);
                self.push("\n");
            }
            MemberKind::TraitUse(used) => self.trait_use(used),
            MemberKind::EnumCase(case) => self.enum_case(case),
        }
    }

    fn class_constants(&mut self, constants: &ClassConstants<'_>) {
        self.attributes(constants.attributes, true);
        // PHP leaves `final` out.
        let visibility = Modifiers(constants.modifiers.0 & Modifiers::VISIBILITY.0);
        self.member_modifiers(visibility);
        self.push("const ");
        self.type_before(constants.declared_type);
        self.constants(constants.items);
        self.push(";");
    }

    fn properties(&mut self, properties: &Properties<'_>) {
        self.attributes(properties.attributes, true);
        self.member_modifiers(properties.modifiers);
        self.type_before(properties.declared_type);
        self.list(properties.items, |printer, item| {
            printer.push("$");
            printer.push(item.name);
            printer.default(item.default);
            if let Some(hooks) = item.hooks {
                printer.hooks(hooks);
            }
        });
        if properties.items.iter().all(|item| item.hooks.is_none()) {
            self.push(";");
        }
    }

    fn enum_case(&mut self, case: &EnumCase<'_>) {
        self.attributes(case.attributes, true);
        self.push("case ");
        self.push(case.name);
        self.default(case.value);
        self.push(";");
    }

    fn trait_use(&mut self, used: &TraitUse<'_>) {
        self.names("use ", used.traits);
        if used.adaptations.is_empty() {
            return self.push(";");
        }
        self.push(" {\n");
        self.indented(|printer| {
            for adaptation in used.adaptations {
                printer.indentation();
                printer.adaptation(&adaptation.kind);
                printer.push(";\n");
            }
        });
        self.indentation();
        self.push("}");
    }

    fn adaptation(&mut self, kind: &TraitAdaptationKind<'_>) {
        match kind {
            TraitAdaptationKind::Precedence {
                class,
                method,
                insteadof,
            } => {
                self.name(class);
                self.push("::");
                self.push(method.bytes);
                self.names(" insteadof ", insteadof);
            }
            TraitAdaptationKind::Alias {
                class,
                method,
                modifiers,
                alias,
            } => {
                if let Some(class) = class {
                    self.name(class);
                    self.push("::");
                }
                self.push(method.bytes);
                self.push(" as");
                if !modifiers.is_empty() {
                    self.push(" ");
                    self.modifiers(*modifiers);
                    // The last modifier's space is the alias's.
                    self.text.pop();
                }
                if let Some(alias) = alias {
                    self.push(" ");
                    self.push(alias.bytes);
                }
            }
        }
    }
}
