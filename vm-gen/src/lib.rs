//! Generates the Opline VM from its opcode definitions: parse, check, lower, emit.
//!
//! [`generate`] is for build scripts ([`build_script::run`] does all of it); [`analyse`] stops before
//! emission and is for tools.
#![forbid(unsafe_code)]

pub mod build_script;
mod check;
pub mod diagnostics;
mod emit;
pub mod explain;
mod inline;
mod lower;
pub mod model;
mod outputs;
pub mod specialise;
mod syntax;

use std::collections::BTreeMap;

use vm_def::ir::Lowering;

pub use diagnostics::{Diagnostic, Diagnostics, Source};
pub use outputs::{OutputFile, Outputs};

/// How handlers go on with the next opline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Each handler calls the next one as its last act.
    Tail,
    /// Each handler returns the next opline to a loop.
    Call,
}

/// What is generated.
#[derive(Clone, Debug)]
pub struct Options {
    /// The dispatch kind.
    pub kind: Kind,
    /// The definition files; empty means those of vm-def.
    pub sources: Vec<(String, String)>,
}

impl Options {
    /// The definitions of vm-def for a dispatch kind.
    pub fn new(kind: Kind) -> Options {
        Options {
            kind,
            sources: Vec::new(),
        }
    }
}

/// Definitions that were read, checked and lowered.
#[derive(Debug)]
pub struct Analysis {
    /// What was read.
    pub definitions: model::Definitions,
    /// The lowered fast clauses, by opcode name.
    pub lowerings: BTreeMap<String, Lowering>,
    /// A hash of the sources, for the headers of the outputs.
    pub hash: u64,
}

/// Reads, checks and lowers definitions.
///
/// # Errors
///
/// Gives all mistakes of all files.
pub fn analyse(sources: &[(String, String)]) -> Result<Analysis, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let mut definitions = model::Definitions::default();
    for (name, text) in sources {
        let source = Source {
            name: name.clone(),
            text: text.clone(),
        };
        syntax::read_file(source, &mut definitions, &mut diagnostics);
    }
    check::resolve_aliases(&mut definitions);
    let mut lowerings = BTreeMap::new();
    for opcode in &definitions.opcodes {
        let lowering = lower::lower(opcode, &mut diagnostics);
        lowerings.insert(opcode.name.value.clone(), lowering);
    }
    check::check(&definitions, &lowerings, &mut diagnostics);
    diagnostics.sort();
    if diagnostics.is_empty() {
        Ok(Analysis {
            definitions,
            lowerings,
            hash: outputs::hash(sources),
        })
    } else {
        Err(diagnostics)
    }
}

/// Generates all files.
///
/// # Errors
///
/// Gives all mistakes of all definition files.
pub fn generate(options: &Options) -> Result<Outputs, Diagnostics> {
    let analysis = if options.sources.is_empty() {
        analyse(&standard_sources())?
    } else {
        analyse(&options.sources)?
    };
    Ok(emit::emit(&analysis, options.kind))
}

/// The opcode reference in Markdown.
pub fn reference(analysis: &Analysis) -> String {
    emit::reference::text(analysis)
}

/// The definition files of vm-def, as name and text.
pub fn standard_sources() -> Vec<(String, String)> {
    vm_def::FILES
        .iter()
        .map(|file| (file.name.to_owned(), file.text.to_owned()))
        .collect()
}
