//! Running, checking and dumping a script from the command line.

use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use opline::{Argument, Engine, Error, Vm};
use php_std::configuration::{self, Search};
use vm_runtime::diagnostics::level;

use vm_jit::inspect::Form;

use super::arguments::{Arguments, Dump, Source};
use super::print;

/// The source text with its name.
struct Code {
    text: Vec<u8>,
    /// What `__FILE__` and messages call it.
    name: Vec<u8>,
    /// `$argv[0]`
    script: Vec<u8>,
    /// The argument of `-r`: no opening tag.
    is_bare: bool,
}

fn read(source: &Source) -> Result<Code, ExitCode> {
    match source {
        Source::Code(text) => Ok(Code {
            text: text.clone(),
            name: b"Command line code".to_vec(),
            script: opline::STANDARD_INPUT.to_vec(),
            is_bare: true,
        }),
        Source::Input => {
            let mut text = Vec::new();
            if std::io::stdin().read_to_end(&mut text).is_err() {
                text.clear();
            }
            let name = opline::STANDARD_INPUT.to_vec();
            Ok(Code {
                text,
                script: name.clone(),
                name,
                is_bare: false,
            })
        }
        Source::File(path) => {
            let mut text = Vec::new();
            // A directory can be opened, and has nothing in it.
            let _ = open_input(path)?.read_to_end(&mut text);
            Ok(Code {
                text,
                name: absolute(path).as_os_str().as_bytes().to_vec(),
                script: path.as_os_str().as_bytes().to_vec(),
                is_bare: false,
            })
        }
    }
}

pub fn open_input(path: &Path) -> Result<std::fs::File, ExitCode> {
    std::fs::File::open(path).map_err(|_| {
        super::tell(format_args!(
            "Could not open input file: {}",
            path.display()
        ));
        ExitCode::from(1)
    })
}

/// The path from the root, links resolved; by name alone if that is not possible.
pub fn absolute(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    let full = std::env::current_dir().unwrap_or_default().join(path);
    let mut result = PathBuf::new();
    for component in full.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

/// A VM with the settings of the configuration files and of the command line.
pub fn prepare(arguments: &Arguments) -> Result<Vm, ExitCode> {
    let mut vm = Engine::vm_alone();
    vm.runtime().output.direct = true;
    let search = Search {
        place: arguments.configuration.clone(),
        nowhere: arguments.no_configuration,
    };
    // What a command compiles costs nobody else anything; hosts decide for themselves.
    vm.runtime().ini_configure(b"opline.jit", b"on");
    configuration::load(vm.runtime(), &search, &arguments.settings);
    Ok(vm)
}

/// Ends the process with the status of a script.
pub fn finish(mut vm: Vm, status: i32) -> ExitCode {
    if let Some(tier) = &mut vm.runtime().tier {
        tier.tell();
    }
    if cfg!(debug_assertions) {
        // Tells what was not freed.
        drop(vm);
    } else {
        vm.runtime().end_with_process();
    }
    std::process::exit(status & 255)
}

/// Runs a script and gives its exit status.
pub fn execute(arguments: &Arguments, source: &Source) -> ExitCode {
    let code = match read(source) {
        Ok(code) => code,
        Err(status) => return status,
    };
    let mut vm = match prepare(arguments) {
        Ok(vm) => vm,
        Err(status) => return status,
    };
    vm.set_command_line(&code.script, &arguments.rest);
    let status = vm.run_main(&code.text, &code.name, code.is_bare);
    finish(vm, status)
}

/// Checks the syntax of scripts; the status is that of the last that is wrong.
pub fn lint(arguments: &Arguments, sources: &[Source]) -> ExitCode {
    let mut vm = match prepare(arguments) {
        Ok(vm) => vm,
        Err(status) => return status,
    };
    let mut status = ExitCode::SUCCESS;
    for source in sources {
        if let Err(wrong) = lint_one(&mut vm, source) {
            status = wrong;
        }
    }
    status
}

fn lint_one(vm: &mut Vm, source: &Source) -> Result<(), ExitCode> {
    let code = read(source)?;
    // Messages name the file as the command line does.
    let name = if code.is_bare {
        &code.name
    } else {
        &code.script
    };
    let shown = String::from_utf8_lossy(&code.script);
    match vm.check(&code.text, name, code.is_bare) {
        Ok(()) => {
            vm.flush_output();
            print(&format!("No syntax errors detected in {shown}\n"));
            Ok(())
        }
        Err(error) => {
            report(vm, error);
            print(&format!("Errors parsing {shown}\n"));
            Err(ExitCode::from(255))
        }
    }
}

/// Prints a file as a function of PHP shows it.
pub fn transform(arguments: &Arguments, source: &Source, function: &str) -> ExitCode {
    let name = match source {
        Source::File(path) => path.as_os_str().as_bytes().to_vec(),
        Source::Input => b"php://stdin".to_vec(),
        Source::Code(_) => return ExitCode::from(1),
    };
    if let Source::File(path) = source
        && let Err(status) = open_input(path)
    {
        return status;
    }
    let mut vm = match prepare(arguments) {
        Ok(vm) => vm,
        Err(status) => return status,
    };
    vm.set_command_line(&name, &arguments.rest);
    if vm.set_global("file", Argument::Text(name)).is_err() {
        return ExitCode::from(255);
    }
    let program = match function {
        "highlight_file" => "highlight_file($file);".to_string(),
        _ => format!("echo {function}($file);"),
    };
    let status = vm.run_main(program.as_bytes(), b"Command line code", true);
    finish(vm, status)
}

fn report(vm: &mut Vm, error: Error) {
    let (level, message, file, line) = match error {
        Error::Parse {
            message,
            file,
            line,
        } => (level::PARSE, message, file, line),
        Error::Compile {
            message,
            file,
            line,
        } => (level::COMPILE_ERROR, message, file, line),
        other => (level::ERROR, other.to_string(), String::new(), 0),
    };
    vm.report(level, &message, &file, line);
}

/// Prints a file's op arrays.
pub fn dump(path: &Path, form: Dump) -> ExitCode {
    let code = match read(&Source::File(path.to_path_buf())) {
        Ok(code) => code,
        Err(status) => return status,
    };
    let engine = Engine::new();
    match engine.compile(&code.text, &String::from_utf8_lossy(&code.name)) {
        Ok(script) => {
            print(&match form {
                Dump::Oplines => script.dump(),
                Dump::Graph => script.dump_compiled(Form::Graph),
                Dump::Machine => script.dump_compiled(Form::Machine),
            });
            ExitCode::SUCCESS
        }
        Err(error) => {
            print(&format!("{error}\n"));
            ExitCode::from(255)
        }
    }
}
