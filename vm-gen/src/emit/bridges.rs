//! Small outputs: lowerings, disassembler, examples.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use vm_def::ir::{Lowering, Work, Worker};

use super::handlers::Index;
use crate::model::Definitions;

/// The lowerings of all handlers as bytes; each is read once, when it is first asked for.
pub(super) fn lowering(index: &Index) -> TokenStream {
    let count = index.entries.len();
    let mut forms: Vec<Literal> = Vec::new();
    let mut works: Vec<TokenStream> = Vec::new();
    let mut known = std::collections::BTreeMap::new();
    let positions: Vec<u16> = index
        .entries
        .iter()
        .map(|entry| {
            *known.entry(entry.lowering.as_slice()).or_insert_with(|| {
                forms.push(Literal::byte_string(&entry.lowering));
                works.push(work(&entry.lowering));
                (forms.len() - 1) as u16
            })
        })
        .collect();
    let form_count = forms.len();
    quote! {
        use std::sync::OnceLock;

        use vm_def::facts::TypeFacts;
        use vm_def::ir::{Lowering, Work, Worker};

        use super::selection::select_index;
        use crate::op::Op;

        /// The lowerings as bytes.
        static FORMS: [&[u8]; #form_count] = [#(#forms),*];

        /// What each of them tells of the work.
        static WORKS: [Work; #form_count] = [#(#works),*];

        /// For each handler the index of its lowering.
        static POSITIONS: [u16; #count] = [#(#positions),*];

        static LOWERINGS: [OnceLock<Lowering>; #form_count] =
            [const { OnceLock::new() }; #form_count];

        /// The lowering of a handler, by its index in the table. One without clauses is only
        /// interpreted.
        pub fn of_handler(index: usize) -> &'static Lowering {
            let position = usize::from(POSITIONS[index]);
            LOWERINGS[position].get_or_init(|| {
                Lowering::from_bytes(FORMS[position]).expect("the generator's own form")
            })
        }

        /// The lowering of an opline with these operand kinds, as published. `data` is the opline that
        /// follows. `None` if there is no such opline.
        pub fn of_opline(op: &Op, data: Option<&Op>) -> Option<&'static Lowering> {
            select_index(op, data, TypeFacts::UNKNOWN).map(of_handler)
        }

        /// Who does the work of such an opline.
        pub fn work_of_opline(op: &Op, data: Option<&Op>) -> Option<Work> {
            let index = select_index(op, data, TypeFacts::UNKNOWN)?;
            Some(WORKS[usize::from(POSITIONS[index])])
        }
    }
}

/// A row of facts about a lowering.
fn work(lowering: &[u8]) -> TokenStream {
    let lowering = Lowering::from_bytes(lowering).expect("the generator's own form");
    let Work {
        worker,
        enters,
        is_lowered,
        size,
    } = lowering.work();
    let worker = match worker {
        Worker::Processor => quote!(Processor),
        Worker::Cache => quote!(Cache),
        Worker::Runtime => quote!(Runtime),
    };
    quote!(Work { worker: Worker::#worker, enters: #enters, is_lowered: #is_lowered, size: #size })
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
        let emitted = !opcode.documentation.is_internal();
        opcode.documentation.examples.iter().map(move |example| {
            let (code, expected) = (&example.code, &example.expected);
            quote! {
                Example { opcode: #name, emitted: #emitted, code: #code, expected: #expected }
            }
        })
    });
    quote! {
        /// A PHP example of a definition.
        #[derive(Clone, Copy, Debug)]
        pub struct Example {
            /// The opcode that it shows.
            pub opcode: &'static str,
            /// The code compiles to the opcode; false for internal ones.
            pub emitted: bool,
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
