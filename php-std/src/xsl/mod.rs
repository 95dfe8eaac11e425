//! The extension `xsl`: transformations of documents by XSLT 1.0, with most of EXSLT.
//!
//! `compile` and `instructions` make a [`stylesheet::Stylesheet`] of a document; `run` and `execute`
//! apply it. All nodes that are read (the source, other documents, what variables hold) stand in one
//! tree with several roots, so that XPath's engine works on them as it does for documents.

mod class;
mod compile;
mod execute;
mod exslt;
mod functions;
mod instructions;
mod messages;
mod number;
mod output;
mod pattern;
mod run;
mod sort;
mod stylesheet;

use vm_runtime::vm::Vm;

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_classes(class::CLASSES);
    crate::support::define(vm, class::CONSTANTS);
    for (name, version) in [
        ("LIBXSLT_DOTTED_VERSION", "1.1.35"),
        ("LIBEXSLT_DOTTED_VERSION", "0.8.20"),
    ] {
        let version = vm.string(version);
        crate::support::define_one(vm, name, version.into());
    }
}
