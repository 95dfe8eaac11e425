//! The extension `phar`: archives of programs, which run as they are, and tar and zip archives.

mod archive;
mod classes;
mod compression;
mod convert;
mod entries;
mod extract;
mod file_info;
mod flush;
mod format;
mod names;
mod run;
mod signature;
mod source;
mod table;
mod web;
mod wrapper;

use vm_runtime::ini::{IniDefinition, access};
use vm_runtime::vm::Vm;

pub use run::code_of;
pub(crate) use run::{intercepted, intercepted_directory};
pub(crate) use wrapper::PharWrapper;

/// A setting that scripts can make stricter only.
const fn guarded(name: &'static str) -> IniDefinition {
    IniDefinition {
        name,
        default: Some("1"),
        access: access::ALL,
        on_change: None,
    }
}

static SETTINGS: &[IniDefinition] = &[
    IniDefinition {
        name: "phar.cache_list",
        default: Some(""),
        access: access::SYSTEM,
        on_change: None,
    },
    IniDefinition {
        on_change: Some(|vm, value| may_change(vm, "phar.readonly", value)),
        ..guarded("phar.readonly")
    },
    IniDefinition {
        on_change: Some(|vm, value| may_change(vm, "phar.require_hash", value)),
        ..guarded("phar.require_hash")
    },
];

/// What the configuration turned on, scripts cannot turn off.
fn may_change(vm: &mut Vm, name: &str, value: Option<&[u8]>) -> bool {
    let value = value.unwrap_or_default();
    let is_on = value.eq_ignore_ascii_case(b"on")
        || value.eq_ignore_ascii_case(b"yes")
        || value.eq_ignore_ascii_case(b"true")
        || value
            .first()
            .is_some_and(|byte| (b'1'..=b'9').contains(byte));
    if is_on || vm.ini.is_starting() {
        return true;
    }
    let configured = vm.ini.configured(name.as_bytes());
    configured
        .is_some_and(|configured| configured != b"1" && !configured.eq_ignore_ascii_case(b"on"))
}

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    vm.register_classes(classes::CLASSES);
    vm.register_classes(file_info::CLASSES);
    vm.path_resolver = Some(run::resolve);
}
