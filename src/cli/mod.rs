//! The command line: what to run, and how.

mod arguments;
mod script;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use arguments::{Action, Arguments};

const USAGE: &str = "\
Usage: opline [options] [-f] <file> [--] [args...]
       opline [options] -r <code> [--] [args...]
       opline [options] [--] [args...]
       opline dump <file>

  -d foo[=bar]     Define INI entry foo with value 'bar'
  -f <file>        Parse and execute <file>.
  -h               This help
  -l               Syntax check only (lint)
  -n               No configuration (ini) files will be used
  -r <code>        Run PHP <code> without using script tags <?..?>
  -v               Version number

  args...          Arguments passed to script. Use -- args when first argument
                   starts with - or script is read from stdin
  dump <file>      Print the op arrays of <file> as opcache's debug dumps do
";

/// Runs the command with its arguments (the program's name left out).
pub fn run(words: Vec<OsString>) -> ExitCode {
    let arguments = match Arguments::parse(words) {
        Ok(arguments) => arguments,
        Err(problem) => {
            let _ = writeln!(std::io::stderr(), "{problem}\n{USAGE}");
            return ExitCode::from(1);
        }
    };
    match &arguments.action {
        Action::Help => {
            print(USAGE);
            ExitCode::SUCCESS
        }
        Action::Version => {
            print(&format!(
                "Opline {} (cli), compatible with PHP {}\n",
                env!("CARGO_PKG_VERSION"),
                opline::PHP_VERSION
            ));
            ExitCode::SUCCESS
        }
        Action::Run(source) => script::execute(&arguments, source),
        Action::Lint(source) => script::lint(&arguments, source),
        Action::Dump(path) => script::dump(path),
    }
}

/// Writes to standard output; a closed pipe is not our problem.
pub(crate) fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
