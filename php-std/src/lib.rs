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

/// Registers everything in a VM.
pub fn register(vm: &mut Vm) {
    random::register(vm);
    standard::register(vm);
    hash::register(vm);
    ctype::register(vm);
    date::register(vm);
    json::register(vm);
    pcre::register(vm);
    core::register(vm);
    spl::register(vm);
    tokenizer::register(vm);
    reflection::register(vm);
}
