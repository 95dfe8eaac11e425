//! The `vm-gen` command line.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use vm_gen::explain::{self, View};
use vm_gen::model::Opcode;
use vm_gen::{Analysis, Kind, Options, Source, analyse, check_runtime, list, reference, sources};

const USAGE: &str = "\
usage: vm-gen COMMAND
  check [DIR]           read and check the definitions; with the sources of the runtime next to
                        them (DIR/../../vm-runtime/src) the functions of slow paths, too
  list [WHICH]          list the opcodes with the number of their variants, or only
      --free                the numbers that are free
      --missing-lowering    the opcodes of which no specialisation has a clause;
                            with --at-most N it is an error if there are more
      --never-emitted       the opcodes that no PHP code compiles to
  explain OPCODE [VARIANT] [--lowering | --asm]
                        show a definition, its handlers, facts and lowering; the lowering alone; or
                        the machine code in target/release/opline (or OPLINE_BINARY)
  emit DIR [tail|call]  write the generated files to a directory
  docs [FILE]           write the opcode reference (docs/opcodes.md)

Definitions are read from vm-def/definitions below the current directory, if it is there; else they
are those that were built in.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("{}", text.trim_end());
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<String, String> {
    match arguments {
        ["check"] => check(Path::new(sources::DIRECTORY)),
        ["check", directory] => check(Path::new(directory)),
        ["list"] => Ok(list::all(&standard()?)),
        ["list", "--free"] => Ok(list::free(&standard()?)),
        ["list", "--never-emitted"] => some(list::never_emitted),
        ["list", "--missing-lowering"] => some(list::missing_lowering),
        ["list", "--missing-lowering", "--at-most", number] => {
            let limit: usize = number
                .parse()
                .map_err(|_| format!("{number} is no number"))?;
            at_most(limit)
        }
        ["explain", opcode, rest @ ..] => explain(opcode, rest),
        ["emit", directory] => emit(directory, Kind::Tail),
        ["emit", directory, "tail"] => emit(directory, Kind::Tail),
        ["emit", directory, "call"] => emit(directory, Kind::Call),
        ["docs"] => docs("docs/opcodes.md"),
        ["docs", file] => docs(file),
        _ => Err(USAGE.to_owned()),
    }
}

/// The definitions below the current directory, or those that were built in.
fn standard_sources() -> Result<Vec<Source>, String> {
    let directory = Path::new(sources::DIRECTORY);
    if directory.is_dir() {
        read(directory)
    } else {
        Ok(sources::standard())
    }
}

fn read(directory: &Path) -> Result<Vec<Source>, String> {
    sources::directory(directory).map_err(|error| format!("{}: {error}", directory.display()))
}

fn standard() -> Result<Analysis, String> {
    analyse(&standard_sources()?).map_err(|diagnostics| diagnostics.to_string())
}

fn check(directory: &Path) -> Result<String, String> {
    let sources = read(directory)?;
    let analysis = analyse(&sources).map_err(|diagnostics| diagnostics.to_string())?;
    let root = directory.ancestors().nth(2).unwrap_or(directory);
    let runtime = root.join("vm-runtime/src");
    let mut text = String::new();
    if runtime.join("lib.rs").exists() {
        check_runtime(&analysis, &runtime).map_err(|diagnostics| diagnostics.to_string())?;
    } else {
        text.push_str("no runtime here: the functions of slow paths were not looked for\n");
    }
    for source in sources {
        if !vm_def::FILES.iter().any(|file| file.name == source.name) {
            let family = source.name;
            text +=
                &format!("note: {family} is not in vm-def/src/files.rs: it would not be built\n");
        }
    }
    let opcodes = analysis.definitions.opcodes.len();
    let helpers = analysis.definitions.helpers.len();
    Ok(format!(
        "{text}{opcodes} opcodes and {helpers} helpers: no errors\n"
    ))
}

fn some(which: fn(&Analysis) -> Vec<&Opcode>) -> Result<String, String> {
    let analysis = standard()?;
    Ok(list::some(&analysis, &which(&analysis)))
}

fn at_most(limit: usize) -> Result<String, String> {
    let analysis = standard()?;
    let missing = list::missing_lowering(&analysis);
    let text = list::some(&analysis, &missing);
    match missing.len().cmp(&limit) {
        std::cmp::Ordering::Greater => Err(format!("{text}more than {limit}")),
        std::cmp::Ordering::Less => Ok(format!("{text}fewer than {limit}: lower the limit\n")),
        std::cmp::Ordering::Equal => Ok(text),
    }
}

fn explain(opcode: &str, rest: &[&str]) -> Result<String, String> {
    let (options, variants): (Vec<&str>, Vec<&str>) =
        rest.iter().partition(|word| word.starts_with("--"));
    let binary = std::env::var_os("OPLINE_BINARY");
    let binary = binary.map_or_else(|| PathBuf::from("target/release/opline"), PathBuf::from);
    let view = match options.as_slice() {
        [] => View::Everything,
        ["--lowering"] => View::Lowering,
        ["--asm"] => View::MachineCode(&binary),
        _ => return Err(USAGE.to_owned()),
    };
    let variant = match variants.as_slice() {
        [] => None,
        [variant] => Some(*variant),
        _ => return Err(USAGE.to_owned()),
    };
    explain::explain(&standard()?, &opcode.to_uppercase(), variant, view)
}

fn emit(directory: &str, kind: Kind) -> Result<String, String> {
    let options = Options {
        kind,
        sources: standard_sources()?,
    };
    let outputs = vm_gen::generate(&options).map_err(|diagnostics| diagnostics.to_string())?;
    outputs
        .write_to(Path::new(directory))
        .map_err(|error| format!("{directory}: {error}"))?;
    let lines: usize = outputs
        .files
        .iter()
        .map(|file| file.text.lines().count())
        .sum();
    Ok(format!(
        "{} files, {lines} lines in {directory}\n",
        outputs.files.len()
    ))
}

fn docs(file: &str) -> Result<String, String> {
    std::fs::write(file, reference(&standard()?)).map_err(|error| format!("{file}: {error}"))?;
    Ok(format!("{file} written\n"))
}
