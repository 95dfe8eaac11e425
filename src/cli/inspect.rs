//! `-m`, `-i`, `--ini`, `--rf` and their like: what the engine knows of itself.
//!
//! Most of it is what Reflection says, so small PHP programs say it.

use std::process::ExitCode;

use opline::Argument;
use php_std::configuration;

use super::arguments::{Arguments, Subject};
use super::print;
use super::script::{finish, prepare};

const MODULES: &str = "
$names = get_loaded_extensions();
natcasesort($names);
echo \"[PHP Modules]\\n\", implode(\"\\n\", $names), \"\\n\\n[Zend Modules]\\n\\n\";
";

const REFLECTED: &str = "
try {
    echo new $class($name), \"\\n\";
} catch (Exception $exception) {
    echo 'Exception: ', $exception->getMessage(), \"\\n\";
    exit(1);
}
";

const CONFIGURATION: &str = "
if (!extension_loaded($name)) {
    echo \"Extension '$name' not present.\\n\";
    exit(1);
}
echo \"\\n\";
(new ReflectionExtension($name))->info();
";

/// Prints what is known of a subject.
pub fn show(arguments: &Arguments, subject: &Subject) -> ExitCode {
    let mut vm = match prepare(arguments) {
        Ok(vm) => vm,
        Err(status) => return status,
    };
    let (program, class, name): (&str, &str, &[u8]) = match subject {
        Subject::ConfigurationFiles => {
            print(&configuration::describe(vm.runtime()));
            return ExitCode::SUCCESS;
        }
        Subject::Modules => (MODULES, "", b""),
        Subject::Information => ("phpinfo();", "", b""),
        Subject::Function(name) => (REFLECTED, "ReflectionFunction", name),
        Subject::Class(name) => (REFLECTED, "ReflectionClass", name),
        Subject::Extension(name) => (REFLECTED, "ReflectionExtension", name),
        Subject::ZendExtension(name) => (REFLECTED, "ReflectionZendExtension", name),
        Subject::Configuration(name) => (CONFIGURATION, "", name),
    };
    vm.set_command_line(b"", &arguments.rest);
    let set = vm
        .set_global("class", Argument::Text(class.as_bytes().to_vec()))
        .and_then(|()| vm.set_global("name", Argument::Text(name.to_vec())));
    if set.is_err() {
        return ExitCode::from(255);
    }
    let status = vm.run_main(program.as_bytes(), b"Command line code", true);
    finish(vm, status)
}
