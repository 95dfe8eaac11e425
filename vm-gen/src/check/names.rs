//! Names, numbers and doc comments.

use std::collections::BTreeMap;

use crate::diagnostics::Diagnostics;
use crate::model::{Definitions, Opcode};

pub(super) fn check(definitions: &Definitions, diagnostics: &mut Diagnostics) {
    let mut names = BTreeMap::new();
    let mut numbers = BTreeMap::new();
    for opcode in &definitions.opcodes {
        let (name, number) = (&opcode.name, &opcode.number);
        if let Some(first) = names.insert(name.value.as_str(), opcode) {
            let diagnostic = diagnostics.report(
                &name.location,
                format!("opcode `{}` is defined twice", name.value),
                "here again",
            );
            diagnostic.note(format!("first in {:?}", first.name.location));
        }
        if let Some(first) = numbers.insert(number.value, opcode) {
            let diagnostic = diagnostics.report(
                &number.location,
                format!("opcode number {} is used twice", number.value),
                "here again",
            );
            diagnostic.note(format!(
                "first for {} in {:?}",
                first.name.value, first.name.location
            ));
        }
        if number.value > 255 {
            diagnostics.report(
                &number.location,
                "an opcode number above 255",
                "an opline has one byte for it",
            );
        }
        if name.value != name.value.to_uppercase() {
            diagnostics.report(
                &name.location,
                format!("opcode `{}` is not in capitals", name.value),
                format!("write `{}`", name.value.to_uppercase()),
            );
        }
        check_documentation(opcode, diagnostics);
        check_alias(opcode, definitions, diagnostics);
    }
    check_helpers(definitions, diagnostics);
}

fn check_documentation(opcode: &Opcode, diagnostics: &mut Diagnostics) {
    let documentation = &opcode.documentation;
    let location = &opcode.name.location;
    let name = &opcode.name.value;
    if documentation.lines.iter().all(|line| line.is_empty()) {
        let diagnostic = diagnostics.report(
            location,
            format!("opcode `{name}` has no doc comment"),
            "say what it does",
        );
        diagnostic.note("start with `/// …` and a PHP example in a ```php block");
        return;
    }
    if documentation.examples.is_empty() && !documentation.is_internal() && !opcode.define_only {
        let diagnostic = diagnostics.report(
            location,
            format!("opcode `{name}` has no PHP example"),
            "show it at work in a ```php block",
        );
        diagnostic.note(
            "an opcode that no PHP code compiles to says so in a line that starts with `Internal`",
        );
    }
    for example in &documentation.examples {
        if example.expected.is_empty() {
            let diagnostic = diagnostics.report(
                location,
                format!("the PHP example of `{name}` shows no output"),
                "this opcode's example",
            );
            diagnostic.note("write what a statement prints behind it: `echo 1; // 1`");
        }
    }
}

fn check_alias(opcode: &Opcode, definitions: &Definitions, diagnostics: &mut Diagnostics) {
    let Some(alias) = &opcode.alias else { return };
    let target = definitions
        .opcodes
        .iter()
        .find(|other| other.name.value == alias.value);
    match target {
        None => {
            diagnostics.report(
                &alias.location,
                format!("alias of unknown opcode `{}`", alias.value),
                "not defined",
            );
        }
        Some(target) if target.alias.is_some() || target.define_only => {
            diagnostics.report(
                &alias.location,
                format!("alias of `{}`, which has no code", alias.value),
                "an alias needs an opcode with a handler",
            );
        }
        Some(_) => {}
    }
}

fn check_helpers(definitions: &Definitions, diagnostics: &mut Diagnostics) {
    let mut names = BTreeMap::new();
    for helper in &definitions.helpers {
        let name = &helper.name;
        if names.insert(name.value.as_str(), helper).is_some() {
            diagnostics.report(
                &name.location,
                format!("helper `{}` is defined twice", name.value),
                "here again",
            );
        }
        if helper.slow.is_none() {
            diagnostics.report(
                &name.location,
                format!("helper `{}` has no code", name.value),
                "needs `slow handler …;`",
            );
        }
        if helper.documentation.lines.is_empty() {
            diagnostics.report(
                &name.location,
                format!("helper `{}` has no doc comment", name.value),
                "say what it does",
            );
        }
    }
    let polls = definitions
        .opcodes
        .iter()
        .find(|opcode| opcode.is_specialised());
    if let (Some(opcode), false) = (polls, names.contains_key("interrupt_helper")) {
        diagnostics.report(
            &opcode.name.location,
            "helper `interrupt_helper` is not defined",
            "handlers that jump go there when the interrupt flag is set",
        );
    }
}
