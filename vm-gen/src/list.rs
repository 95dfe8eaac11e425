//! Lists of opcodes for the command line.

use std::fmt::Write;

use crate::Analysis;
use crate::model::Opcode;

/// A line for each opcode: number, name, variants, family.
pub fn all(analysis: &Analysis) -> String {
    let mut text = String::new();
    let mut total = 0;
    let opcodes = by_number(analysis);
    for opcode in &opcodes {
        let count = variants(analysis, opcode);
        total += count;
        let (number, name) = (opcode.number.value, &opcode.name.value);
        let _ = writeln!(text, "{number:3} {name:31} {count:4} {}", opcode.family);
    }
    let _ = writeln!(text, "{} opcodes, {total} variants", opcodes.len());
    text
}

/// The numbers that no opcode has, as ranges.
pub fn free(analysis: &Analysis) -> String {
    let mut taken = [false; 256];
    for opcode in &analysis.definitions.opcodes {
        taken[opcode.number.value as usize] = true;
    }
    let mut text = String::new();
    let mut number = 0;
    while let Some(start) = (number..256).find(|number| !taken[*number]) {
        let end = (start..256).find(|number| taken[*number]).unwrap_or(256);
        let _ = match end - start {
            1 => writeln!(text, "{start}"),
            _ => writeln!(text, "{start}-{}", end - 1),
        };
        number = end;
    }
    text
}

/// The opcodes of which no generic specialisation has a clause: a JIT can only interpret them.
pub fn missing_lowering(analysis: &Analysis) -> Vec<&Opcode> {
    let has_code = |opcode: &&Opcode| !opcode.define_only;
    by_number(analysis)
        .into_iter()
        .filter(has_code)
        .filter(|opcode| analysis.plan.clauses(&opcode.name.value).next().is_none())
        .collect()
}

/// The opcodes that no PHP code compiles to, as their doc comments say. A test of the engine holds
/// them to it: every other opcode is seen in the op array of its example.
pub fn never_emitted(analysis: &Analysis) -> Vec<&Opcode> {
    by_number(analysis)
        .into_iter()
        .filter(|opcode| opcode.documentation.is_internal())
        .collect()
}

/// A line for each: number, name, family; and how many of all they are.
pub fn some(analysis: &Analysis, opcodes: &[&Opcode]) -> String {
    let mut text = String::new();
    for opcode in opcodes {
        let (number, name) = (opcode.number.value, &opcode.name.value);
        let _ = writeln!(text, "{number:3} {name:31} {}", opcode.family);
    }
    let all = analysis.definitions.opcodes.len();
    let _ = writeln!(text, "{} of {all} opcodes", opcodes.len());
    text
}

/// The number of specialisations that an opcode has of its own.
fn variants(analysis: &Analysis, opcode: &Opcode) -> usize {
    if opcode.alias.is_some() || opcode.define_only {
        return 0;
    }
    let blocks = analysis.plan.blocks(&opcode.name.value).iter();
    blocks
        .map(|block| block.slots.iter().flatten().count())
        .sum()
}

fn by_number(analysis: &Analysis) -> Vec<&Opcode> {
    let mut opcodes: Vec<&Opcode> = analysis.definitions.opcodes.iter().collect();
    opcodes.sort_by_key(|opcode| opcode.number.value);
    opcodes
}
