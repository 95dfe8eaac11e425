//! Look-ups on the fast path. A loop over memory needs more registers than a handler may use without a
//! prologue, so the handler jumps to a function that searches and does the rest of the clause; what the
//! clause has calculated so far are further arguments.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use vm_def::ir::{
    BinaryOperation, Block, BlockId, Clause, FieldKind, Instruction, Operation, Output, Place,
    Representation, Terminator, UnaryOperation, Value,
};

use super::clause::value_name;
use crate::model::Opcode;
use crate::specialise::Variant;

/// How many arguments beside frame, opline and VM are passed in registers. With more, a jump would be a call.
const PASSED: usize = 3;

/// Whether what follows an instruction is a function of its own, on a fast path.
pub(super) fn starts_part(operation: &Operation) -> bool {
    match operation {
        Operation::Apart => true,
        Operation::Intrinsic(intrinsic, _) => intrinsic.searches(),
        _ => false,
    }
}

/// Whether a clause has such an instruction.
pub(super) fn has_parts(clause: &Clause) -> bool {
    let mut instructions = clause.instructions();
    instructions.any(|instruction| starts_part(&instruction.operation))
}

/// The functions that search on behalf of one opcode's handlers, shared by variants with the same code.
#[derive(Default)]
pub(super) struct Functions {
    known: RefCell<BTreeMap<String, Ident>>,
    pub code: RefCell<TokenStream>,
}

/// What the clauses of one variant need to leave for such a function.
pub(super) struct Searches<'a> {
    pub functions: &'a Functions,
    /// What the function goes on with if the clause does not apply.
    pub otherwise: TokenStream,
}

impl Searches<'_> {
    /// Goes on with the function that has this body.
    pub fn call(
        &self,
        opcode: &Opcode,
        variant: &Variant,
        part: &Part<'_>,
        body: &TokenStream,
    ) -> TokenStream {
        let (mut names, mut types, mut arguments) = (Vec::new(), Vec::new(), Vec::new());
        for (value, held) in part.passed() {
            let name = value_name(value);
            types.push(held.rust());
            arguments.push(match held {
                Held::Pointer => quote!(#name as *const ()),
                _ => quote!(#name),
            });
            names.push(name);
        }
        let parameters = quote!(#(#names: #types),*);
        let function = self.functions.function(opcode, variant, &parameters, body);
        quote! { return #function(frame, opline, vm, #(#arguments),*); }
    }
}

impl Functions {
    /// The function with these parameters and this body, added if it is new.
    fn function(
        &self,
        opcode: &Opcode,
        variant: &Variant,
        parameters: &TokenStream,
        body: &TokenStream,
    ) -> Ident {
        let mut numbers = BTreeMap::new();
        let parameters = renumbered(parameters.clone(), &mut numbers);
        let body = renumbered(body.clone(), &mut numbers);
        let mut known = self.known.borrow_mut();
        let count = known.len();
        let key = format!("{parameters} {body}");
        let add = || {
            let name = format_ident!("{}__part{count}", variant.function_name(opcode));
            let documentation = format!(" `{}`: the rest of a fast path.", opcode.name.value);
            self.code.borrow_mut().extend(quote! {
                #[doc = #documentation]
                #[inline(never)]
                pub unsafe extern "C-unwind" fn #name(
                    frame: *mut Frame,
                    opline: *const Op,
                    vm: *mut Vm,
                    #parameters
                ) -> *const Op {
                    unsafe { #body }
                }
            });
            name
        };
        known.entry(key).or_insert_with(add).clone()
    }

    /// Goes on with a function that has this body.
    pub fn go_on(&self, opcode: &Opcode, variant: &Variant, body: &TokenStream) -> TokenStream {
        let function = self.function(opcode, variant, &quote!(), body);
        quote! { return #function(frame, opline, vm); }
    }
}

/// The same code with values and labels numbered as they come: the same part of other clauses looks alike.
fn renumbered(code: TokenStream, numbers: &mut BTreeMap<String, usize>) -> TokenStream {
    let mut renumber = |tree| match tree {
        TokenTree::Group(group) => {
            let inner = renumbered(group.stream(), numbers);
            TokenTree::Group(Group::new(group.delimiter(), inner))
        }
        TokenTree::Ident(name) => {
            let text = name.to_string();
            let number = |kind| {
                let rest: &str = text.strip_prefix(kind)?;
                rest.parse::<usize>().ok()
            };
            if number("v").is_some() || number("clause").is_some() {
                let kind = text.trim_end_matches(|digit: char| digit.is_ascii_digit());
                let next = numbers.len();
                let number = *numbers.entry(text.clone()).or_insert(next);
                TokenTree::Ident(format_ident!("{kind}{number}"))
            } else {
                TokenTree::Ident(name)
            }
        }
        other => other,
    };
    code.into_iter().map(&mut renumber).collect()
}

/// The part of a clause from an instruction on.
pub(super) struct Part<'a> {
    clause: &'a Clause,
    used: BTreeSet<Value>,
    made: BTreeSet<Value>,
    places: BTreeSet<Place>,
    again: Vec<&'a Instruction>,
}

impl<'a> Part<'a> {
    pub fn of(clause: &'a Clause, id: BlockId, from: usize) -> Part<'a> {
        let mut part = Part {
            clause,
            used: BTreeSet::new(),
            made: BTreeSet::new(),
            places: BTreeSet::new(),
            again: Vec::new(),
        };
        part.add(id, from);
        part.add_what_is_made_again();
        part
    }

    fn add(&mut self, id: BlockId, from: usize) {
        let clause = self.clause;
        let block: &Block = &clause.blocks[id.0 as usize];
        for instruction in &block.instructions[from..] {
            self.note(instruction);
            self.made.extend(instruction.output);
        }
        block.terminator.for_each_use(|value| {
            self.used.insert(value);
        });
        match block.terminator {
            Terminator::Branch {
                then, otherwise, ..
            } => {
                self.add(then, 0);
                self.add(otherwise, 0);
            }
            Terminator::Overflow {
                output,
                exact,
                overflow,
                ..
            } => {
                self.made.insert(output);
                self.add(exact, 0);
                self.add(overflow, 0);
            }
            _ => {}
        }
    }

    fn note(&mut self, instruction: &Instruction) {
        instruction.operation.for_each_use(|value| {
            self.used.insert(value);
        });
        self.places.extend(instruction.operation.place());
    }

    /// Whether it looks at an operand.
    pub fn uses(&self, place: Place) -> bool {
        self.places.contains(&place)
    }

    /// The values that the part takes, in the order of their numbers.
    fn taken(&self) -> impl Iterator<Item = Value> {
        self.used.difference(&self.made).copied()
    }

    /// What costs nothing to make again is not passed, nor what is at hand in an operand once there are more
    /// values than registers.
    fn add_what_is_made_again(&mut self) {
        let clause = self.clause;
        for instruction in clause.instructions() {
            let is_taken = instruction
                .output
                .is_some_and(|output| self.taken().any(|taken| taken == output));
            let is_cheap = match instruction.operation {
                Operation::ConstantLong(_)
                | Operation::ConstantDouble(_)
                | Operation::ConstantBool(_)
                | Operation::Named(_)
                | Operation::Number(_)
                | Operation::Target(_)
                | Operation::Register(_)
                | Operation::Load(
                    Place::Op1 | Place::Op2 | Place::Data | Place::Result,
                    Representation::Boxed,
                ) => true,
                Operation::Load(Place::Op1 | Place::Op2 | Place::Data, _) => {
                    self.taken().count() > PASSED
                }
                _ => false,
            };
            if is_taken && is_cheap {
                self.note(instruction);
                self.made.extend(instruction.output);
                self.again.push(instruction);
            }
        }
    }

    /// The instructions in front of the part that it repeats.
    pub fn made_again(&self) -> &[&'a Instruction] {
        &self.again
    }

    /// Whether all that is passed has a register.
    pub fn fits(&self) -> bool {
        let passed = self.passed();
        let integers = passed.iter().filter(|(_, held)| *held != Held::Double);
        integers.count() <= PASSED
    }

    /// The values that are passed, and how.
    fn passed(&self) -> Vec<(Value, Held)> {
        let held = |value| (value, Held::of(self.clause, value));
        self.taken().map(held).collect()
    }
}

/// How a value is held in Rust.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    Long,
    Double,
    Bool,
    Pointer,
}

impl Held {
    fn rust(self) -> TokenStream {
        match self {
            Held::Long => quote!(i64),
            Held::Double => quote!(f64),
            Held::Bool => quote!(bool),
            Held::Pointer => quote!(*const ()),
        }
    }

    fn of_representation(representation: Representation) -> Held {
        match representation {
            Representation::Long => Held::Long,
            Representation::Double => Held::Double,
            Representation::Bool => Held::Bool,
            Representation::Boxed | Representation::Pointer => Held::Pointer,
        }
    }

    /// What no instruction makes is the outcome of an operation that may overflow.
    fn of(clause: &Clause, value: Value) -> Held {
        let mut instructions = clause.instructions();
        let made = instructions.find(|instruction| instruction.output == Some(value));
        made.map_or(Held::Long, |made| Held::of_operation(&made.operation))
    }

    fn of_operation(operation: &Operation) -> Held {
        match operation {
            Operation::TestType(..) | Operation::ConstantBool(_) => Held::Bool,
            Operation::ConstantDouble(_) => Held::Double,
            Operation::TypeWord(_)
            | Operation::Number(_)
            | Operation::ConstantLong(_)
            | Operation::Named(_) => Held::Long,
            Operation::Load(_, representation) | Operation::CacheWord(_, _, representation) => {
                Held::of_representation(*representation)
            }
            Operation::LoadField(field, _) => match field.facts().kind {
                FieldKind::Pointer(_) | FieldKind::Value => Held::Pointer,
                kind => Held::of_representation(kind.representation()),
            },
            Operation::Unary(operation, _) => Held::of_unary(*operation),
            Operation::Binary(operation, ..) => Held::of_binary(*operation),
            Operation::Intrinsic(intrinsic, _) => match intrinsic.output() {
                Output::Plain(representation) => Held::of_representation(representation),
                _ => Held::Pointer,
            },
            _ => Held::Pointer,
        }
    }

    fn of_unary(operation: UnaryOperation) -> Held {
        use UnaryOperation::*;
        match operation {
            NegateLong | NotLong | BoolToLong | PointerToLong => Held::Long,
            NegateDouble | LongToDouble => Held::Double,
            NotBool | IsNull => Held::Bool,
            LongToPointer => Held::Pointer,
        }
    }

    fn of_binary(operation: BinaryOperation) -> Held {
        use BinaryOperation::*;
        match operation {
            AddLong | SubLong | MulLong | DivLong | RemLong | AndLong | OrLong | XorLong
            | ShlLong | ShrLong => Held::Long,
            AddDouble | SubDouble | MulDouble | DivDouble => Held::Double,
            _ => Held::Bool,
        }
    }
}
