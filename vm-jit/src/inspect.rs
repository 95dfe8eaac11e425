//! Graphs and machine code for people to read.

use std::fmt::Write as _;

use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter};
use vm_runtime::op_array::{OpArray, Script};

use crate::graph::Graph;
use crate::machine::{self, Emitted, Placed, Reach, Surroundings, Workshop};
use crate::tier::{Clock, Mode, graph_of};
use crate::translate::{Code, Profile};

/// What to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The optimised graph.
    Graph,
    /// The machine code.
    Machine,
}

/// What the functions of a script are compiled to when nothing is known of their types.
pub fn script(script: &Script, form: Form) -> String {
    let mut text = String::new();
    array(&script.main, form, &mut text);
    text
}

fn array(code: &OpArray, form: Form, text: &mut String) {
    // SAFETY: an op array begins with its oplines.
    let ops = unsafe { std::slice::from_raw_parts(code.ops(), code.len()) };
    let name = String::from_utf8_lossy(&code.draft.display_name);
    let _ = writeln!(text, "\n{name}:");
    let profile = Profile::default();
    let view = Code::new(code, ops, &profile, std::ptr::null());
    match graph_of(&view, 0, Mode::On) {
        None => text.push_str("nothing to compile\n"),
        Some(graph) => text.push_str(&unit(&graph, code.len(), form)),
    }
    let methods = code.draft.classes.iter().flat_map(|class| &class.methods);
    for nested in code.draft.functions.iter().chain(methods) {
        array(nested, form, text);
    }
}

fn unit(graph: &Graph, oplines: usize, form: Form) -> String {
    if form == Form::Graph {
        return graph.to_string();
    }
    let body = Placed {
        first: 0,
        ops: 0,
        frame: 0,
    };
    let nowhere = Surroundings {
        vm: 0,
        interrupt: 0,
        bodies: vec![body],
        handlers: vec![0; oplines],
        unit: 0,
        counters: 0,
        exhausted: 0,
        follow: 0,
        reach: Reach::default(),
        stress: None,
    };
    match machine::compile(
        graph,
        &nowhere,
        &mut Workshop::default(),
        &mut Clock::start(),
        0,
        |_| Some(0),
    ) {
        Some((_, emitted)) => disassemble(&emitted, 0),
        None => String::from("no machine code\n"),
    }
}

/// The text of machine code that stands at `base`.
pub fn disassemble(emitted: &Emitted, base: u64) -> String {
    let mut text = String::new();
    let mut decoder = Decoder::with_ip(64, &emitted.bytes, base, DecoderOptions::NONE);
    let mut formatter = IntelFormatter::new();
    let mut line = String::new();
    for instruction in &mut decoder {
        let offset = (instruction.ip() - base) as usize;
        if offset == emitted.cold {
            text.push_str("; exits\n");
        }
        for (opline, at) in &emitted.entries {
            if *at == offset {
                let _ = writeln!(text, "; entry {opline:04}");
            }
        }
        line.clear();
        formatter.format(&instruction, &mut line);
        let _ = writeln!(text, "{offset:6x}  {line}");
    }
    text
}
