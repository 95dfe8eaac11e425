//! The file that includes all others.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::Definitions;

/// `generated.rs`.
pub(super) fn module(definitions: &Definitions) -> TokenStream {
    let families = definitions.families.iter().map(|family| {
        let documentation = format!(" Family `{}`.", family.name);
        let name = super::module_name(&family.name);
        let include = include(&format!("/handlers_{}.rs", family.name));
        quote! { #[doc = #documentation] pub mod #name { #include } }
    });
    let opcode = include("/opcode.rs");
    let facts = include("/facts.rs");
    let table = include("/table.rs");
    let selection = include("/selection.rs");
    let support = include("/support.rs");
    let lowering = include("/lowering.rs");
    let disassembler = include("/disassembler.rs");
    let examples = include("/examples.rs");
    let tests = include("/tests.rs");
    let helpers = include("/helpers.rs");
    quote! {
        #[doc = " The opcodes."]
        #[allow(non_camel_case_types)]
        pub mod opcode { #opcode }
        #[doc = " What is known about each opcode."]
        pub mod facts { #facts }
        #[doc = " The handler table."]
        pub mod table { #table }
        #[doc = " From oplines to handlers."]
        pub mod selection { #selection }
        #[doc = " The clauses as micro-operations."]
        pub mod lowering { #lowering }
        #[doc = " Oplines as text."]
        pub mod disassembler { #disassembler }
        #[doc = " The PHP examples of the definitions."]
        pub mod examples { #examples }
        #[doc = " Every fast clause against its slow path and its lowering."]
        #[cfg(all(test, opline_clause_tests))]
        pub mod tests { #tests }
        #[doc = " The handlers."]
        #[allow(
            clippy::all,
            clippy::undocumented_unsafe_blocks,
            dead_code,
            missing_docs,
            non_snake_case,
            unreachable_code,
            unused_braces,
            unused_imports,
            unused_labels,
            unused_mut,
            unused_parens,
            unused_unsafe,
            unused_variables,
            reason = "written for speed, from definitions that were checked"
        )]
        pub mod handlers {
            #[doc = " What all slow paths share."]
            pub mod support { #support }
            #[doc = " The helpers."]
            pub mod helpers { #helpers }
            #(#families)*
        }
    }
}

fn include(file: &str) -> TokenStream {
    quote! { include!(concat!(env!("OUT_DIR"), #file)); }
}
