//! The handler functions: a module for each family, and the table of all.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use vm_def::ir::Clause;

use super::search::{self, Searches};
use super::{clause, count, function_head, slow};
use crate::model::{Definitions, Helper, Opcode};
use crate::plan::{Plan, Planned};
use crate::specialise::Variant;

/// One entry of the handler table.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub family: String,
    pub function: String,
    /// The lowering as bytes.
    pub lowering: Vec<u8>,
}

/// The handlers of an opcode, generic or for a clause.
pub(crate) struct Slots {
    /// The clause whose types are proven.
    pub clause: Option<usize>,
    /// For each slot of the layout the index in the table.
    pub handlers: Vec<Option<usize>>,
}

/// All handlers in the order of the table, where the slots of each opcode point, and the code.
#[derive(Default)]
pub(crate) struct Index {
    pub entries: Vec<Entry>,
    /// For each opcode its generic handlers, then those of each named clause.
    pub slots: BTreeMap<String, Vec<Slots>>,
    /// The specialised functions of each opcode.
    pub functions: BTreeMap<String, TokenStream>,
}

impl Index {
    /// Expands and numbers the handlers of all opcodes. Variants of an opcode that have the same code
    /// share one function, and one that only goes to the slow path is the slow path.
    pub fn of(definitions: &Definitions, plan: &Plan) -> Index {
        let mut index = Index::default();
        for opcode in &definitions.opcodes {
            if opcode.define_only || opcode.alias.is_some() {
                continue;
            }
            index.add_opcode(opcode, plan);
        }
        index
    }

    fn add_opcode(&mut self, opcode: &Opcode, plan: &Plan) {
        let slow = format!("{}__slow", opcode.function_name());
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let mut functions = TokenStream::new();
        let mut middle = MiddlePaths::default();
        let searches = search::Functions::default();
        let mut blocks = Vec::new();
        for block in plan.blocks(&opcode.name.value) {
            let mut handlers = Vec::new();
            for planned in &block.slots {
                let Some(planned) = planned else {
                    handlers.push(None);
                    continue;
                };
                let body = if opcode.is_specialised() {
                    body(opcode, planned, &mut middle, &searches)
                } else {
                    go_to(&slow)
                };
                let text = body.to_string();
                let variant = &planned.variant;
                let number = *known.entry(text.clone()).or_insert_with(|| {
                    let elsewhere = std::iter::once(&slow)
                        .chain(middle.known.values())
                        .find(|function| text == go_to(function).to_string());
                    let function = match elsewhere {
                        Some(function) => function.clone(),
                        None => {
                            functions.extend(function_of(opcode, variant, &body));
                            variant.function_name(opcode)
                        }
                    };
                    self.entries.push(Entry {
                        family: opcode.family.clone(),
                        function,
                        lowering: planned.lowering.to_bytes(),
                    });
                    self.entries.len() - 1
                });
                handlers.push(Some(number));
            }
            blocks.push(Slots {
                clause: block.clause,
                handlers,
            });
        }
        functions.extend(middle.functions);
        functions.extend(searches.code.into_inner());
        self.slots.insert(opcode.name.value.clone(), blocks);
        self.functions.insert(opcode.name.value.clone(), functions);
    }
}

/// The middle paths of an opcode: functions of their own, shared by variants with the same code.
#[derive(Default)]
struct MiddlePaths {
    known: BTreeMap<String, String>,
    functions: TokenStream,
}

impl MiddlePaths {
    /// The function with this body, added if it is new.
    fn function(&mut self, opcode: &Opcode, variant: &Variant, body: &TokenStream) -> String {
        let name = format!("{}__middle", variant.function_name(opcode));
        let known = self.known.entry(body.to_string());
        known
            .or_insert_with(|| {
                let head = function_head(&name);
                let documentation = format!(" `{}`, middle path.", opcode.name.value);
                let count = count("Middle");
                self.functions.extend(quote! {
                    #[doc = #documentation]
                    #[inline(never)]
                    #head {
                        unsafe { #count #body }
                    }
                });
                name
            })
            .clone()
    }
}

/// The handlers of one family.
pub(super) fn family(definitions: &Definitions, index: &Index, family: &str) -> TokenStream {
    let mut functions = TokenStream::new();
    for opcode in definitions
        .opcodes
        .iter()
        .filter(|opcode| opcode.family == family)
    {
        if let Some(specialised) = index.functions.get(&opcode.name.value) {
            functions.extend(specialised.clone());
            functions.extend(slow::opcode(opcode));
        }
    }
    quote! {
        use crate::frame::Frame;
        use crate::interpreter::operand;
        use crate::op::Op;
        use crate::value::Zval;
        use crate::vm::Vm;
        use super::support::*;

        #functions
    }
}

/// One specialised handler.
fn function_of(opcode: &Opcode, variant: &Variant, body: &TokenStream) -> TokenStream {
    let head = function_head(&variant.function_name(opcode));
    let line = opcode.name.location.line();
    let documentation = format!(" `{}`. {}.vmdef:{line}", opcode.name.value, opcode.family);
    let count = count(if variant.clause.is_some() {
        "Types"
    } else {
        "Operands"
    });
    quote! {
        #[doc = #documentation]
        #head {
            unsafe { #count #body }
        }
    }
}

/// The code of one variant: its fast clauses, then its middle path, then what comes after.
fn body(
    opcode: &Opcode,
    planned: &Planned,
    middle: &mut MiddlePaths,
    functions: &search::Functions,
) -> TokenStream {
    let variant = &planned.variant;
    let clauses = &planned.lowering.clauses;
    let first_middle = clauses.iter().position(|clause| clause.middle);
    let (fast, slower) = clauses.split_at(first_middle.unwrap_or(clauses.len()));
    let slow = go_to(&format!("{}__slow", opcode.function_name()));
    let otherwise = if slower.is_empty() || !fast.iter().all(Clause::may_exit) {
        slow
    } else {
        let path = clause_bodies(opcode, variant, slower, None, &slow);
        let path = quote! {
            (*frame).opline = opline;
            #path
        };
        go_to(&middle.function(opcode, variant, &path))
    };
    clause_bodies(opcode, variant, fast, Some(functions), &otherwise)
}

/// The code of some clauses, and of what comes behind them if none applies. What all of them begin with is done once.
fn clause_bodies(
    opcode: &Opcode,
    variant: &Variant,
    clauses: &[Clause],
    functions: Option<&search::Functions>,
    otherwise: &TokenStream,
) -> TokenStream {
    let start = clause::common_start(clauses);
    let alternatives = clause::Alternatives {
        opcode,
        variant,
        start,
    };
    let mut bodies: Vec<clause::Expanded> = Vec::new();
    // From the last one on: a clause that does not apply once it has searched goes on with those behind it.
    for (position, clause) in clauses.iter().enumerate().rev() {
        let label = format!("'clause{position}");
        let later = clauses[position + 1..].iter().zip(bodies.iter().rev());
        let later: Vec<_> = later
            .filter(|(later, _)| later.may_follow(clause))
            .collect();
        let functions = functions.filter(|_| search::has_parts(clause));
        let searches = functions.map(|functions| Searches {
            functions,
            otherwise: match later.is_empty() {
                true => otherwise.clone(),
                false => {
                    let body = alternatives.expand(&later, otherwise);
                    functions.go_on(opcode, variant, &body)
                }
            },
        });
        let expansion = clause::Expansion {
            opcode,
            variant,
            clause,
            label: syn::Lifetime::new(&label, proc_macro2::Span::call_site()),
            searches: searches.as_ref(),
        };
        bodies.push(expansion.expand(start));
    }
    let bodies: Vec<_> = clauses.iter().zip(bodies.iter().rev()).collect();
    alternatives.expand(&bodies, otherwise)
}

/// Goes on with a function of the family.
fn go_to(function: &str) -> TokenStream {
    let function = format_ident!("{function}");
    quote!(return #function(frame, opline, vm);)
}

/// The helpers.
pub(super) fn helpers(definitions: &Definitions) -> TokenStream {
    let functions = definitions.helpers.iter().map(one_helper);
    quote! {
        use crate::frame::Frame;
        use crate::op::Op;
        use crate::vm::Vm;
        use super::support::*;

        #(#functions)*
    }
}

fn one_helper(helper: &Helper) -> TokenStream {
    let line = helper.name.location.line();
    let documentation = format!(" Helper. {}.vmdef:{line}", helper.family);
    let slow = helper.slow.as_ref();
    slow.map(|slow| slow::handler(&helper.name.value, &documentation, slow))
        .unwrap_or_default()
}

/// The table of all handlers.
pub(super) fn table(index: &Index) -> TokenStream {
    let count = index.entries.len();
    let paths = index.entries.iter().map(|entry| {
        let family = super::module_name(&entry.family);
        let function = format_ident!("{}", entry.function);
        quote!(super::handlers::#family::#function)
    });
    let names = index.entries.iter().map(|entry| &entry.function);
    quote! {
        use crate::op::Handler;

        /// Every handler, at its index.
        pub static HANDLERS: [Handler; #count] = [#(#paths),*];

        /// The names of the handlers, at the same indices.
        pub static HANDLER_NAMES: [&str; #count] = [#(#names),*];
    }
}
