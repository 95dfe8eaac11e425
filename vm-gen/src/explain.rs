//! What the command line shows of an opcode.

use std::fmt::Write;

use crate::Analysis;
use crate::emit::handlers::{Index, variants};
use crate::emit::single_facts;
use crate::outputs::pretty;

/// A line for each opcode: number, name, variants, family.
pub fn list(analysis: &Analysis) -> String {
    let mut opcodes: Vec<_> = analysis.definitions.opcodes.iter().collect();
    opcodes.sort_by_key(|opcode| opcode.number.value);
    let mut text = String::new();
    let mut total = 0;
    for opcode in &opcodes {
        let own = opcode.alias.is_none() && !opcode.define_only;
        let count: usize = if own {
            variants(opcode)
                .iter()
                .map(|(_, slots)| slots.iter().flatten().count())
                .sum()
        } else {
            0
        };
        total += count;
        let (number, name) = (opcode.number.value, &opcode.name.value);
        let _ = writeln!(text, "{number:3} {name:28} {count:4} {}", opcode.family);
    }
    let _ = writeln!(text, "{} opcodes, {total} variants", opcodes.len());
    text
}

/// Everything about one opcode: definition, handlers, facts, lowering. `None` if there is none.
pub fn explain(analysis: &Analysis, name: &str) -> Option<String> {
    let definitions = &analysis.definitions;
    let opcode = definitions
        .opcodes
        .iter()
        .find(|opcode| opcode.name.value == name)?;
    let mut text = String::new();
    let location = &opcode.name.location;
    let file = location.source.file_name();
    let _ = writeln!(text, "== definition ({file}:{})\n", location.line());
    for line in definition_lines(&location.source.text, location.line()) {
        let _ = writeln!(text, "{line}");
    }
    if let Some(alias) = &opcode.alias {
        let _ = writeln!(text, "\n== the code is that of {}", alias.value);
    } else if opcode.is_specialised() {
        let index = Index::of(definitions, &analysis.lowerings);
        let functions = pretty(&index.functions[name]).replace("\n///", "\n\n///");
        let _ = writeln!(text, "\n== handlers\n\n{functions}");
    }
    let _ = writeln!(text, "== facts\n\n{}", single_facts(analysis, opcode));
    let _ = write!(text, "== lowering\n\n{}", analysis.lowerings[name]);
    Some(text)
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
