//! Declarations as text.

use super::Printer;
use crate::ast::{
    AttributeGroup, ClassDecl, FunctionBody, FunctionDecl, Member, MemberKind, Modifiers, Param,
    Properties, TraitAdaptation, TraitAdaptationKind, TraitUse,
};

impl Printer {
    fn modifiers(&mut self, modifiers: Modifiers) {
        for word in modifiers.words() {
            self.word(word);
        }
    }

    fn attributes(&mut self, groups: &[AttributeGroup<'_>]) {
        for group in groups {
            self.group("attributes", |p| {
                for attribute in group.attributes {
                    p.text(" ");
                    p.node("attribute", attribute.line, |p| {
                        p.name(attribute.name);
                        if let Some(args) = attribute.args {
                            p.args(args);
                        }
                    });
                }
            });
        }
    }

    pub(super) fn function(&mut self, function: &FunctionDecl<'_>) {
        let head = format!("{:?}", function.kind).to_lowercase();
        let lines = (function.start_line, function.end_line);
        self.text(&format!("({head}:{}-{}", lines.0, lines.1));
        self.bytes(function.name);
        self.modifiers(function.modifiers);
        self.flag(function.returns_ref, "&");
        self.flag(function.is_generator, "generator");
        self.attributes(function.attributes);
        self.doc_comment(function.doc_comment);
        if let Some(params) = function.params {
            self.group("params", |p| params.iter().for_each(|param| p.param(param)));
        }
        for capture in function.uses {
            self.group("use", |p| {
                p.flag(capture.by_ref, "&");
                p.bytes(capture.name);
            });
        }
        self.declared_type(function.return_type);
        match function.body {
            FunctionBody::None => {}
            FunctionBody::Block(statements) => self.block(statements),
            FunctionBody::Expr(expr) => self.expr(expr),
        }
        self.text(")");
    }

    fn param(&mut self, param: &Param<'_>) {
        self.text(" ");
        self.node("param", param.line, |p| {
            p.bytes(param.name);
            p.modifiers(param.modifiers);
            p.attributes(param.attributes);
            p.doc_comment(param.doc_comment);
            p.declared_type(param.declared_type);
            p.flag(param.by_ref, "&");
            p.flag(param.variadic, "...");
            if param.default.is_some() {
                p.optional_expr(param.default);
            }
            p.hooks(param.hooks);
        });
    }

    fn hooks(&mut self, hooks: Option<&[FunctionDecl<'_>]>) {
        let Some(hooks) = hooks else {
            return;
        };
        self.group("hooks", |p| {
            for hook in hooks {
                p.text(" ");
                p.function(hook);
            }
        });
    }

    pub(super) fn class(&mut self, class: &ClassDecl<'_>) {
        let head = format!("{:?}", class.kind).to_lowercase();
        self.text(&format!("({head}:{}-{}", class.start_line, class.end_line));
        self.bytes(class.name.map_or(b"-", |name| name.bytes));
        self.modifiers(class.modifiers);
        self.attributes(class.attributes);
        self.doc_comment(class.doc_comment);
        self.names("extends", class.extends.as_slice());
        self.names("implements", class.implements);
        self.declared_type(class.enum_type);
        self.indentation += 1;
        for member in class.members {
            self.line();
            self.member(member);
        }
        self.indentation -= 1;
        self.text(")");
    }

    fn member(&mut self, member: &Member<'_>) {
        let line = member.line;
        match member.kind {
            MemberKind::Constants(constants) => self.node("constants", line, |p| {
                p.modifiers(constants.modifiers);
                p.attributes(constants.attributes);
                p.declared_type(constants.declared_type);
                p.const_items(constants.items);
            }),
            MemberKind::Properties(properties) => {
                self.node("properties", line, |p| p.properties(properties));
            }
            MemberKind::Method(method) => self.function(method),
            MemberKind::TraitUse(trait_use) => {
                self.node("use", line, |p| p.trait_use(trait_use));
            }
            MemberKind::EnumCase(case) => self.node("case", line, |p| {
                p.bytes(case.name);
                p.attributes(case.attributes);
                p.doc_comment(case.doc_comment);
                if case.value.is_some() {
                    p.optional_expr(case.value);
                }
            }),
        }
    }

    fn properties(&mut self, properties: &Properties<'_>) {
        self.modifiers(properties.modifiers);
        self.attributes(properties.attributes);
        self.declared_type(properties.declared_type);
        for item in properties.items {
            self.text(" ");
            self.node("item", item.line, |p| {
                p.bytes(item.name);
                p.doc_comment(item.doc_comment);
                if item.default.is_some() {
                    p.optional_expr(item.default);
                }
                p.hooks(item.hooks);
            });
        }
    }

    fn trait_use(&mut self, trait_use: &TraitUse<'_>) {
        self.names("traits", trait_use.traits);
        for adaptation in trait_use.adaptations {
            self.text(" ");
            self.adaptation(adaptation);
        }
    }

    fn adaptation(&mut self, adaptation: &TraitAdaptation<'_>) {
        let line = adaptation.line;
        match adaptation.kind {
            TraitAdaptationKind::Precedence {
                class,
                method,
                insteadof,
            } => {
                self.node("precedence", line, |p| {
                    p.name(class);
                    p.bytes(method.bytes);
                    p.names("insteadof", insteadof);
                });
            }
            TraitAdaptationKind::Alias {
                class,
                method,
                modifiers,
                alias,
            } => {
                self.node("alias", line, |p| {
                    if let Some(class) = class {
                        p.name(class);
                    }
                    p.bytes(method.bytes);
                    p.word("as");
                    p.modifiers(modifiers);
                    if let Some(alias) = alias {
                        p.bytes(alias.bytes);
                    }
                });
            }
        }
    }
}
