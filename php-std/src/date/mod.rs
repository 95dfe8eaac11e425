//! The extension `date`: dates, times, time zones and spans of time.

mod by_format;
mod calendar;
mod classes;
mod format;
mod functions;
mod interval;
mod parse;
mod settings;
mod strftime;
mod time;
mod zone;

use vm_runtime::vm::Vm;

/// Registers the extension.
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(settings::SETTINGS);
    vm.register_functions(functions::FUNCTIONS);
    classes::register(vm);
    // The formats of DateTimeInterface are constants of their own, too.
    for declaration in classes::FORMATS {
        let parts = declaration.trim_start_matches("string ").split_once(" = ");
        let (name, format) = parts.expect("a name and a text");
        let format = vm.string(format.trim_matches('"')).into();
        vm.constants
            .insert(format!("DATE_{name}").as_bytes().into(), format);
    }
    crate::support::define(
        vm,
        &[
            ("SUNFUNCS_RET_TIMESTAMP", 0i64),
            ("SUNFUNCS_RET_STRING", 1),
            ("SUNFUNCS_RET_DOUBLE", 2),
        ],
    );
}
