//! The command line: what to run, and how.

mod arguments;
mod inspect;
mod lines;
mod script;
mod server;
mod shell;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use arguments::{Action, Arguments};

/// Tells something on standard error, if anybody listens there.
fn tell(message: std::fmt::Arguments<'_>) {
    // There is nowhere to report a failure to.
    let _ = writeln!(std::io::stderr(), "{message}");
}

const USAGE: &str = "\
Usage: opline [options] [-f] <file> [--] [args...]
   opline [options] -r <code> [--] [args...]
   opline [options] [-B <begin_code>] -R <code> [-E <end_code>] [--] [args...]
   opline [options] [-B <begin_code>] -F <file> [-E <end_code>] [--] [args...]
   opline [options] -S <addr>:<port> [-t docroot] [router]
   opline [options] -- [args...]
   opline [options] -a
   opline dump [--ir | --asm] <file>

  -a               Run as interactive shell
  -c <path>|<file> Look for php.ini file in this directory
  -n               No configuration (ini) files will be used
  -d foo[=bar]     Define INI entry foo with value 'bar'
  -e               Generate extended information for debugger/profiler
  -f <file>        Parse and execute <file>.
  -h               This help
  -i               PHP information
  -l               Syntax check only (lint)
  -m               Show compiled in modules
  -r <code>        Run PHP <code> without using script tags <?..?>
  -B <begin_code>  Run PHP <begin_code> before processing input lines
  -R <code>        Run PHP <code> for every input line
  -F <file>        Parse and execute <file> for every input line
  -E <end_code>    Run PHP <end_code> after processing all input lines
  -H               Hide any passed arguments from external tools.
  -S <addr>:<port> Run with built-in web server.
  -t <docroot>     Specify document root <docroot> for built-in web server.
  -s               Output HTML syntax highlighted source.
  -v               Version number
  -w               Output source with stripped comments and whitespace.
  -z <file>        Load Zend extension <file>.

  args...          Arguments passed to script. Use -- args when first argument
                   starts with - or script is read from stdin

  --ini            Show configuration file names

  --rf <name>      Show information about function <name>.
  --rc <name>      Show information about class <name>.
  --re <name>      Show information about extension <name>.
  --rz <name>      Show information about Zend extension <name>.
  --ri <name>      Show configuration for extension <name>.

  dump <file>      Print the op arrays of <file> as opcache's debug dumps do;
                   with --ir or --asm what hot functions are compiled to

";

/// Runs the command with its arguments (the program's name left out).
pub fn run(words: Vec<OsString>) -> ExitCode {
    let mut arguments = match Arguments::parse(words) {
        Ok(arguments) => arguments,
        Err(problem) => {
            let usage = if problem.shows_usage() { USAGE } else { "" };
            print(usage);
            let _ = writeln!(std::io::stderr(), "{problem}");
            return ExitCode::from(1);
        }
    };
    let action = std::mem::replace(&mut arguments.action, Action::Help);
    match action {
        Action::Help => {
            print(USAGE);
            ExitCode::SUCCESS
        }
        Action::Version => {
            print(&format!(
                "PHP {} (cli) (built: Opline {}) (NTS)\nOpline {}, an engine of its own\n",
                opline::PHP_VERSION,
                env!("CARGO_PKG_VERSION"),
                env!("CARGO_PKG_VERSION"),
            ));
            ExitCode::SUCCESS
        }
        Action::Run(source) => script::execute(&arguments, &source),
        Action::RunForLines(program) => lines::execute(&arguments, &program),
        Action::Lint(sources) => script::lint(&arguments, &sources),
        Action::Highlight(source) => script::transform(&arguments, &source, "highlight_file"),
        Action::Strip(source) => script::transform(&arguments, &source, "php_strip_whitespace"),
        Action::Show(subject) => inspect::show(&arguments, &subject),
        Action::Interactive => shell::execute(&arguments),
        Action::Serve { address, root } => server::serve(arguments, &address, root),
        Action::Dump(path, form) => script::dump(&path, form),
    }
}

/// Writes to standard output; a closed pipe is not our problem.
pub(crate) fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
