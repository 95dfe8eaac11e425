//! Running, checking and dumping a script from the command line.

use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use opline::{Engine, Error, Vm};
use vm_runtime::diagnostics::level;

use super::arguments::{Arguments, Source};
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
            script: b"Standard input code".to_vec(),
            is_bare: true,
        }),
        Source::Input => {
            let mut text = Vec::new();
            if std::io::stdin().read_to_end(&mut text).is_err() {
                text.clear();
            }
            let name = b"Standard input code".to_vec();
            Ok(Code {
                text,
                script: name.clone(),
                name,
                is_bare: false,
            })
        }
        Source::File(path) => match std::fs::read(path) {
            Ok(text) => Ok(Code {
                text,
                name: absolute(path).as_os_str().as_bytes().to_vec(),
                script: path.as_os_str().as_bytes().to_vec(),
                is_bare: false,
            }),
            Err(_) => {
                eprintln!("Could not open input file: {}", path.display());
                Err(ExitCode::from(1))
            }
        },
    }
}

/// The path from the root, with `.` and `..` resolved by name; links stay as they are.
fn absolute(path: &Path) -> PathBuf {
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

fn prepare(arguments: &Arguments) -> Vm {
    let mut vm = Engine::vm_alone();
    for (name, value) in &arguments.settings {
        vm.set_ini(name, value);
    }
    vm
}

/// Runs a script and gives its exit status.
pub fn execute(arguments: &Arguments, source: &Source) -> ExitCode {
    let code = match read(source) {
        Ok(code) => code,
        Err(status) => return status,
    };
    let mut vm = prepare(arguments);
    vm.set_command_line(&code.script, &arguments.rest);
    let status = vm.run_main(&code.text, &code.name, code.is_bare);
    if cfg!(debug_assertions) {
        // Tells what was not freed.
        drop(vm);
    }
    // The process ends here: the system takes the memory back faster than the VM could.
    std::process::exit(status & 255)
}

/// Checks a script's syntax.
pub fn lint(arguments: &Arguments, source: &Source) -> ExitCode {
    let code = match read(source) {
        Ok(code) => code,
        Err(status) => return status,
    };
    let mut vm = prepare(arguments);
    // Messages name the file as the command line does.
    let name = if code.is_bare {
        &code.name
    } else {
        &code.script
    };
    match vm.check(&code.text, name, code.is_bare) {
        Ok(()) => {
            vm.isolate().output.flush();
            let name = String::from_utf8_lossy(&code.script).into_owned();
            print(&format!("No syntax errors detected in {name}\n"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            report(&mut vm, error);
            print(&format!(
                "Errors parsing {}\n",
                String::from_utf8_lossy(&code.script)
            ));
            ExitCode::from(255)
        }
    }
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
    vm.isolate()
        .report_at(level, message, file.as_bytes(), line);
    vm.isolate().output.flush();
}

/// Prints a file's op arrays.
pub fn dump(path: &Path) -> ExitCode {
    let code = match read(&Source::File(path.to_path_buf())) {
        Ok(code) => code,
        Err(status) => return status,
    };
    let engine = Engine::new();
    match engine.compile(&code.text, &String::from_utf8_lossy(&code.name)) {
        Ok(script) => {
            print(&script.dump());
            ExitCode::SUCCESS
        }
        Err(error) => {
            print(&format!("{error}\n"));
            ExitCode::from(255)
        }
    }
}
