//! Small outputs: lowerings, disassembler, examples.

use proc_macro2::TokenStream;
use quote::quote;

use super::Lowerings;
use super::selection::sorted;
use crate::model::Definitions;

/// The lowerings in their text form, which the JIT reads once.
pub(super) fn lowering(definitions: &Definitions, lowerings: &Lowerings) -> TokenStream {
    let opcodes = sorted(definitions);
    let count = opcodes.len();
    let texts = opcodes.iter().map(|opcode| {
        let source = opcode
            .alias
            .as_ref()
            .map_or(&opcode.name.value, |alias| &alias.value);
        match lowerings.get(source) {
            Some(lowering) => lowering.to_string(),
            None => "interp_one\n".to_owned(),
        }
    });
    quote! {
        use vm_def::ir::Lowering;

        use super::opcode::Opcode;

        /// The lowering of each opcode in text form, by position.
        pub static TEXTS: [&str; #count] = [#(#texts),*];

        /// The lowering of an opcode. One without clauses is only interpreted.
        pub fn lowering(opcode: Opcode) -> Lowering {
            Lowering::parse(TEXTS[opcode.position()]).unwrap_or_else(|_| Lowering {
                opcode: opcode.name().to_owned(),
                clauses: Vec::new(),
            })
        }
    }
}

/// The bridge from oplines to the disassembler of vm-def.
pub(super) fn disassembler() -> TokenStream {
    quote! {
        use vm_def::disassembly::{self, OperandPrinter, OplineView};

        use super::opcode::Opcode;
        use crate::op::Op;

        /// The text of an opline as in opcache's dumps, without its number.
        pub fn print(op: &Op, printer: &dyn OperandPrinter) -> String {
            let Some(opcode) = Opcode::from_number(op.opcode) else {
                return format!("??? {}", op.opcode);
            };
            let view = OplineView {
                facts: opcode.facts(),
                op1: op.op1,
                op2: op.op2,
                result: op.result,
                extended: op.extended_value,
                op1_type: op.op1_type,
                op2_type: op.op2_type,
                result_type: op.result_type,
            };
            disassembly::print(&view, printer)
        }
    }
}

/// The PHP examples.
pub(super) fn examples(definitions: &Definitions) -> TokenStream {
    let examples = definitions.opcodes.iter().flat_map(|opcode| {
        let name = &opcode.name.value;
        opcode.documentation.examples.iter().map(move |example| {
            let (code, expected) = (&example.code, &example.expected);
            quote!(Example { opcode: #name, code: #code, expected: #expected })
        })
    });
    quote! {
        /// A PHP example of a definition.
        #[derive(Clone, Copy, Debug)]
        pub struct Example {
            /// The opcode that it shows.
            pub opcode: &'static str,
            /// The code, without the opening tag.
            pub code: &'static str,
            /// What it prints. White space is not significant: an example shows the lines of one
            /// statement behind it.
            pub expected: &'static str,
        }

        /// Every example, in the order of the definitions.
        pub static EXAMPLES: &[Example] = &[#(#examples),*];
    }
}
