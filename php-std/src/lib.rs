//! PHP's standard library for Opline: native functions and classes, one folder an extension.
//!
//! A native function states its signature once, in PHP's own syntax; the runtime checks and
//! converts arguments by it before the code runs (see `vm_runtime::types`).

pub mod core;
mod ctype;
mod date;
mod hash;
mod json;
mod pcre;
pub mod random;
pub mod reflection;
pub mod spl;
pub mod standard;
mod support;
mod tokenizer;

use vm_runtime::vm::Vm;

/// What adds the functions, classes and constants of an extension.
type Register = fn(&mut Vm);

/// The extensions, in the order in which they are registered.
const EXTENSIONS: &[(&str, Register)] = &[
    ("random", random::register),
    ("standard", standard::register),
    ("hash", hash::register),
    ("ctype", ctype::register),
    ("date", date::register),
    ("json", json::register),
    ("pcre", pcre::register),
    ("Core", core::register),
    ("SPL", spl::register),
    ("tokenizer", tokenizer::register),
    ("Reflection", reflection::register),
];

/// Registers everything in a VM.
pub fn register(vm: &mut Vm) {
    for &(name, register) in EXTENSIONS {
        vm.begin_extension(name);
        register(vm);
    }
}
