//! What the command line shows of an opcode.

use std::fmt::Write;
use std::path::Path;

use quote::ToTokens;

use crate::Analysis;
use crate::emit::handlers::Index;
use crate::emit::single_facts;
use crate::machine_code;
use crate::model::Opcode;
use crate::outputs::pretty;
use crate::plan::Planned;
use crate::suggest::suggestion;

/// What of an opcode is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View<'a> {
    /// Definition, handlers, facts and lowering.
    Everything,
    /// The lowering alone.
    Lowering,
    /// The machine code of the handlers in an optimised binary.
    MachineCode(&'a Path),
}

/// Shows an opcode, or one of its specialisations: `cv_const`, or `add__cv_const`, the name of its
/// handler.
///
/// # Errors
///
/// Says that there is no such opcode or specialisation, or why there is no machine code.
pub fn explain(
    analysis: &Analysis,
    name: &str,
    variant: Option<&str>,
    view: View<'_>,
) -> Result<String, String> {
    let opcodes = &analysis.definitions.opcodes;
    let Some(opcode) = opcodes.iter().find(|opcode| opcode.name.value == name) else {
        let known: Vec<&str> = opcodes
            .iter()
            .map(|opcode| opcode.name.value.as_str())
            .collect();
        let near = suggestion(name, &known);
        let near = if near.starts_with("did") {
            near
        } else {
            "see `vm-gen list`".to_owned()
        };
        return Err(format!("there is no opcode {name}: {near}"));
    };
    if let Some(alias) = &opcode.alias {
        let head = format!("{name} has the code of {}.\n\n", alias.value);
        return Ok(head + &explain(analysis, &alias.value, variant, view)?);
    }
    let index = Index::of(&analysis.definitions, &analysis.plan);
    let shown = specialisations(analysis, &index, opcode, variant)?;
    let mut text = String::new();
    match view {
        View::Lowering => {}
        View::MachineCode(binary) => {
            let mut functions: Vec<&str> = shown.iter().map(|(_, function)| *function).collect();
            functions.sort_unstable();
            functions.dedup();
            return machine_code::of(binary, &functions);
        }
        View::Everything => {
            definition(&mut text, opcode);
            handlers(
                &mut text,
                opcode,
                &index,
                variant.is_some().then_some(&shown),
            );
            let _ = writeln!(text, "== facts\n\n{}", single_facts(analysis, opcode));
            text.push_str("== lowering\n");
        }
    }
    for (planned, function) in shown
        .iter()
        .filter(|(planned, _)| variant.is_some() || planned.variant.clause.is_none())
    {
        let own = planned.variant.function_name(opcode);
        let shared = if own == **function {
            String::new()
        } else {
            format!(" (code: {function})")
        };
        let _ = write!(text, "\n{own}{shared}\n{}", planned.lowering);
    }
    Ok(text)
}

/// The specialisations with the names of their functions, which some of them share.
fn specialisations<'a>(
    analysis: &'a Analysis,
    index: &'a Index,
    opcode: &Opcode,
    variant: Option<&str>,
) -> Result<Vec<(&'a Planned, &'a str)>, String> {
    let name = &opcode.name.value;
    let blocks = analysis.plan.blocks(name);
    let numbers = index.slots.get(name).into_iter().flatten();
    let mut all = Vec::new();
    for (block, slots) in blocks.iter().zip(numbers) {
        for (planned, number) in block.slots.iter().zip(&slots.handlers) {
            if let (Some(planned), Some(number)) = (planned, number) {
                all.push((planned, index.entries[*number].function.as_str()));
            }
        }
    }
    let Some(variant) = variant else {
        return Ok(all);
    };
    let short = |planned: &Planned| {
        let own = planned.variant.function_name(opcode);
        let prefix = format!("{}__", opcode.function_name());
        own.strip_prefix(&prefix).unwrap_or(&own).to_owned()
    };
    let wanted = variant.to_lowercase();
    let is_it = |planned: &Planned| {
        short(planned) == wanted || planned.variant.function_name(opcode) == wanted
    };
    let found: Vec<_> = all
        .iter()
        .filter(|(planned, _)| is_it(planned))
        .copied()
        .collect();
    if found.is_empty() {
        let known: Vec<String> = all.iter().map(|(planned, _)| short(planned)).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let near = suggestion(&wanted, &known);
        return Err(format!("{name} has no specialisation {variant}: {near}"));
    }
    Ok(found)
}

/// The doc comment and the item.
fn definition(text: &mut String, opcode: &Opcode) {
    let location = &opcode.name.location;
    let _ = writeln!(
        text,
        "== definition ({}:{})\n",
        location.source.path,
        location.line()
    );
    for line in definition_lines(&location.source.text, location.line()) {
        let _ = writeln!(text, "{line}");
    }
}

/// The functions of an opcode, or only those of some specialisations and their middle paths.
fn handlers(
    text: &mut String,
    opcode: &Opcode,
    index: &Index,
    only: Option<&Vec<(&Planned, &str)>>,
) {
    let Some(tokens) = index.functions.get(&opcode.name.value) else {
        return;
    };
    let mut tokens = tokens.clone();
    if let (Some(only), Ok(file)) = (only, syn::parse2::<syn::File>(tokens.clone())) {
        let name = |item: &syn::Item| match item {
            syn::Item::Fn(function) => function.sig.ident.to_string(),
            _ => String::new(),
        };
        let is_shown = |item: &&syn::Item| only.iter().any(|(_, shown)| *shown == name(item));
        let shown: Vec<String> = file
            .items
            .iter()
            .filter(is_shown)
            .map(|item| item.to_token_stream().to_string())
            .collect();
        let needed = |item: &&syn::Item| {
            let middle = name(item).ends_with("__middle");
            is_shown(item) || middle && shown.iter().any(|code| code.contains(&name(item)))
        };
        tokens = file
            .items
            .iter()
            .filter(needed)
            .map(ToTokens::to_token_stream)
            .collect();
    }
    if !tokens.is_empty() {
        let functions = pretty(&tokens).replace("\n///", "\n\n///");
        let _ = writeln!(text, "\n== handlers\n\n{functions}");
    }
}

/// The doc comment above a line, and the item that starts there.
fn definition_lines(text: &str, line: usize) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let head = line - 1;
    let start = lines[..head]
        .iter()
        .rposition(|line| !line.starts_with("///"))
        .map_or(0, |before| before + 1);
    let end = lines[head..]
        .iter()
        .position(|line| *line == "}")
        .map_or(lines.len(), |end| head + end + 1);
    lines[start..end].to_vec()
}
