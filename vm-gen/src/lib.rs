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
pub mod list;
mod lower;
mod machine_code;
pub mod model;
mod outputs;
pub mod plan;
pub mod sources;
pub mod specialise;
mod suggest;
mod syntax;
pub mod words;

pub use diagnostics::{Diagnostic, Diagnostics};
pub use outputs::{OutputFile, Outputs};
pub use sources::Source;

use std::path::Path;

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
    /// The definition files.
    pub sources: Vec<Source>,
}

impl Options {
    /// The definitions of vm-def for a dispatch kind.
    pub fn new(kind: Kind) -> Options {
        Options {
            kind,
            sources: sources::standard(),
        }
    }
}

/// Definitions that were read, checked and lowered.
#[derive(Debug)]
pub struct Analysis {
    /// What was read.
    pub definitions: model::Definitions,
    /// The handlers of each opcode, with their lowered clauses.
    pub plan: plan::Plan,
    /// A hash of the sources, for the headers of the outputs.
    pub hash: u64,
}

/// Reads, checks and lowers definitions.
///
/// # Errors
///
/// Gives all mistakes of all files.
pub fn analyse(sources: &[Source]) -> Result<Analysis, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let mut definitions = model::Definitions::default();
    for source in sources {
        syntax::read_file(source.clone(), &mut definitions, &mut diagnostics);
    }
    check::resolve_aliases(&mut definitions, &mut diagnostics);
    let plan = plan::Plan::of(&definitions, &mut diagnostics);
    check::check(&definitions, &plan, &mut diagnostics);
    diagnostics.sort();
    if diagnostics.is_empty() {
        Ok(Analysis {
            definitions,
            plan,
            hash: outputs::hash(sources),
        })
    } else {
        Err(diagnostics)
    }
}

/// Checks that the functions which slow paths name are in the runtime whose `lib.rs` is in a directory,
/// and take what the generated code gives them.
///
/// # Errors
///
/// Gives all that are not.
pub fn check_runtime(analysis: &Analysis, directory: &Path) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    check::runtime::check(&analysis.definitions, directory, &mut diagnostics);
    diagnostics.sort();
    if diagnostics.is_empty() {
        Ok(())
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
    Ok(emit::emit(&analyse(&options.sources)?, options.kind))
}

/// The opcode reference in Markdown.
pub fn reference(analysis: &Analysis) -> String {
    emit::reference::text(analysis)
}
