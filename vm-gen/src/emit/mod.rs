//! Emits the outputs: one module here for each.

mod accessor;
mod bridges;
mod clause;
pub(crate) mod continuation;
pub(crate) mod handlers;
mod intrinsics;
mod layout;
pub(crate) mod reference;
mod root;
mod search;
mod selection;
mod slow;
mod tables;
mod tests;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::model::Opcode;
use crate::{Analysis, Kind, Outputs};

/// Emits every file.
pub(crate) fn emit(analysis: &Analysis, kind: Kind) -> Outputs {
    let definitions = &analysis.definitions;
    let index = handlers::Index::of(definitions, &analysis.plan);
    let mut outputs = Outputs::new(analysis.hash, kind);
    outputs.add("opcode.rs", &tables::opcodes(definitions));
    outputs.add("facts.rs", &tables::facts(definitions, &analysis.plan));
    let mut table = handlers::table(&index);
    table.extend(slow::table(definitions));
    outputs.add("table.rs", &table);
    outputs.add("selection.rs", &selection::module(definitions, &index));
    outputs.add("lowering.rs", &bridges::lowering(&index));
    outputs.add("layout.rs", &layout::module());
    outputs.add("intrinsics.rs", &intrinsics::module());
    outputs.add("disassembler.rs", &bridges::disassembler());
    outputs.add("examples.rs", &bridges::examples(definitions));
    outputs.add("tests.rs", &tests::module(definitions, &analysis.plan));
    outputs.add("support.rs", &slow::support(kind));
    outputs.add("helpers.rs", &handlers::helpers(definitions));
    for family in &definitions.families {
        let name = format!("handlers_{}.rs", family.name);
        let module = handlers::family(definitions, &index, &family.name);
        outputs.add(&name, &module);
    }
    outputs.add("generated.rs", &root::module(definitions));
    outputs
}

/// The name of a family's module; a keyword is escaped.
fn module_name(family: &str) -> proc_macro2::Ident {
    syn::parse_str(family).unwrap_or_else(|_| format_ident!("r#{family}"))
}

/// The facts of one opcode, as text.
pub(crate) fn single_facts(analysis: &Analysis, opcode: &Opcode) -> String {
    let entry = tables::entry(opcode, &analysis.plan);
    crate::outputs::pretty(&quote!(const FACTS: OpcodeFacts = #entry;))
}

/// Counts the entry into a path, in builds that measure.
fn count(path: &str) -> TokenStream {
    let path = format_ident!("{path}");
    quote! {
        #[cfg(any(feature = "counters", debug_assertions))]
        crate::counters::enter(crate::counters::Path::#path, frame, opline);
    }
}

/// `pub unsafe extern "C-unwind" fn NAME(frame, opline, vm) -> *const Op`
fn function_head(name: &str) -> TokenStream {
    let name = format_ident!("{name}");
    quote! {
        pub unsafe extern "C-unwind" fn #name(
            frame: *mut Frame,
            opline: *const Op,
            vm: *mut Vm,
        ) -> *const Op
    }
}
