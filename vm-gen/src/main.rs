//! The `vm-gen` command line.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use vm_gen::{Analysis, Kind, Options, analyse, explain, generate, reference, standard_sources};

const USAGE: &str = "\
usage: vm-gen COMMAND
  check                 read and check the definitions
  list                  list the opcodes with the number of their variants
  explain OPCODE        show a definition, its handlers, tables and lowering
  emit DIR [tail|call]  write the generated files to a directory
  docs [FILE]           write the opcode reference (docs/opcodes.md)
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
        ["check"] => {
            let analysis = standard()?;
            let opcodes = analysis.definitions.opcodes.len();
            let helpers = analysis.definitions.helpers.len();
            Ok(format!(
                "{opcodes} opcodes and {helpers} helpers: no errors\n"
            ))
        }
        ["list"] => Ok(explain::list(&standard()?)),
        ["explain", opcode] => {
            let analysis = standard()?;
            explain::explain(&analysis, &opcode.to_uppercase())
                .ok_or_else(|| format!("there is no opcode {opcode}"))
        }
        ["emit", directory] => emit(directory, Kind::Tail),
        ["emit", directory, "tail"] => emit(directory, Kind::Tail),
        ["emit", directory, "call"] => emit(directory, Kind::Call),
        ["docs"] => docs("docs/opcodes.md"),
        ["docs", file] => docs(file),
        _ => Err(USAGE.to_owned()),
    }
}

fn standard() -> Result<Analysis, String> {
    analyse(&standard_sources()).map_err(|diagnostics| diagnostics.to_string())
}

fn emit(directory: &str, kind: Kind) -> Result<String, String> {
    let outputs = generate(&Options::new(kind)).map_err(|diagnostics| diagnostics.to_string())?;
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
