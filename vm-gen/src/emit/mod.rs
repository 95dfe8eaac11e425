//! Emits the outputs: one module here for each.

mod accessor;
pub(crate) mod continuation;
mod fast;
pub(crate) mod handlers;
mod root;
mod selection;
mod slow;
mod tables;

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use vm_def::ir::Lowering;

use crate::{Analysis, Kind, Outputs};

pub(crate) use accessor::{Which, dereferenced, free, is_kind, value, variable};
pub(crate) use fast::decide;

/// The lowerings by opcode name.
pub(crate) type Lowerings = BTreeMap<String, Lowering>;

/// Emits every file.
pub(crate) fn emit(analysis: &Analysis, kind: Kind) -> Outputs {
    let definitions = &analysis.definitions;
    let index = handlers::Index::of(definitions);
    let mut outputs = Outputs::new(analysis.hash, kind);
    outputs.add("opcode.rs", &tables::opcodes(definitions));
    outputs.add("facts.rs", &tables::facts(definitions, &analysis.lowerings));
    outputs.add("table.rs", &handlers::table(&index));
    outputs.add("selection.rs", &selection::module(definitions, &index));
    outputs.add("support.rs", &slow::support(kind));
    outputs.add("helpers.rs", &handlers::helpers(definitions));
    for family in &definitions.families {
        let name = format!("handlers_{}.rs", family.name);
        let module = handlers::family(definitions, &analysis.lowerings, &family.name);
        outputs.add(&name, &module);
    }
    outputs.add("generated.rs", &root::module(definitions));
    outputs
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
