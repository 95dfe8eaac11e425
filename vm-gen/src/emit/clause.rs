//! Clauses as Rust, from their micro-operations.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use vm_def::grammar::{OperandKind, OplineField, ResultKind, SlowClass};
use vm_def::ir::layout::{NUMBERS, Start};
use vm_def::ir::{
    Argument, BinaryOperation, Block, BlockId, Clause, Field, FieldKind, Instruction, Intrinsic,
    IntrinsicEffect, Number, Operation, Output, OverflowOperation, Place, Register, Representation,
    Sequence, Structure, Terminator, UnaryOperation, Value, Way,
};
use vm_def::types::TypeMask;

use super::accessor::{self, Which};
use super::search::{self, Searches};
use super::{continuation, layout, slow};
use crate::model::Opcode;
use crate::specialise::{ResultForm, Variant};

/// What the code of a clause depends on.
pub(super) struct Expansion<'a> {
    pub opcode: &'a Opcode,
    pub variant: &'a Variant,
    pub clause: &'a Clause,
    pub label: syn::Lifetime,
    /// Where the functions go that search on behalf of a fast path; the middle path searches itself.
    pub searches: Option<&'a Searches<'a>>,
}

/// The code of a clause, or of a part of it.
pub(super) struct Expanded {
    pub code: TokenStream,
    /// Some way leaves it: the clause does not apply.
    pub exits: bool,
}

/// A part of a clause that becomes one piece of code.
#[derive(Default)]
struct Piece {
    /// Its ways with a truth value meet.
    meets: bool,
    /// It is the function that searches.
    searches: bool,
    exits: std::cell::Cell<bool>,
}

/// How many instructions several clauses have in common at their beginning.
pub(super) fn common_start(clauses: &[Clause]) -> usize {
    let [first, others @ ..] = clauses else {
        return 0;
    };
    if others.is_empty() {
        return 0;
    }
    let instructions = first.blocks[0].instructions.iter().enumerate();
    let is_common = |(position, instruction): &(usize, &Instruction)| {
        let mut others = others.iter();
        !instruction.operation.has_effect()
            && !matches!(
                instruction.operation,
                Operation::Intrinsic(..) | Operation::Apart
            )
            && others.all(|other| other.blocks[0].instructions.get(*position) == Some(instruction))
    };
    instructions.take_while(is_common).count()
}

/// Clauses of one variant that are tried in their order.
pub(super) struct Alternatives<'a> {
    pub opcode: &'a Opcode,
    pub variant: &'a Variant,
    /// So many instructions all of them have in common.
    pub start: usize,
}

impl Alternatives<'_> {
    /// The clauses one behind the other, and what comes after them unless one of them always applies.
    pub fn expand(&self, bodies: &[(&Clause, &Expanded)], otherwise: &TokenStream) -> TokenStream {
        let clauses = bodies.iter().map(|(clause, _)| *clause);
        let mut code = bindings(self.opcode, self.variant, clauses);
        let mut inner = TokenStream::new();
        let mut exits = true;
        let start = Piece::default();
        if let Some((clause, _)) = bodies.first().filter(|_| self.start > 0) {
            let expansion = Expansion {
                opcode: self.opcode,
                variant: self.variant,
                clause,
                label: syn::Lifetime::new("'start", proc_macro2::Span::call_site()),
                searches: None,
            };
            inner.extend(expansion.start(self.start, &start));
        }
        for (_, body) in bodies {
            inner.extend(body.code.clone());
            exits = body.exits;
            if !exits {
                break;
            }
        }
        code.extend(match start.exits.get() {
            true => quote! { 'start: { #inner } },
            false => inner,
        });
        if exits || start.exits.get() {
            code.extend(otherwise.clone());
        }
        code
    }
}

impl Expansion<'_> {
    /// The first instructions.
    fn start(&self, count: usize, piece: &Piece) -> TokenStream {
        let mut guards = Vec::new();
        let mut code = TokenStream::new();
        for instruction in &self.clause.blocks[0].instructions[..count] {
            if let Operation::GuardType(place, types) = &instruction.operation {
                if *types != TypeMask::ANY {
                    guards.push(self.type_test(*place, *types));
                }
            } else {
                code.extend(self.flush(&mut guards, piece));
                code.extend(self.instruction(instruction, piece));
            }
        }
        code.extend(self.flush(&mut guards, piece));
        code
    }

    /// The clause from an instruction of its first block on, as a labelled block; leaving it means that the
    /// clause does not apply.
    pub fn expand(&self, from: usize) -> Expanded {
        self.piece(BlockId(0), from, false)
    }

    /// The part from an instruction of a block on.
    fn piece(&self, id: BlockId, from: usize, searches: bool) -> Expanded {
        let mut piece = Piece {
            searches,
            ..Piece::default()
        };
        let mut ends = Vec::new();
        self.ends(id, from, &piece, &mut ends);
        piece.meets = ends.len() > 1 && !ends.contains(&false);
        let label = &self.label;
        let mut body = self.rest(id, from, &piece);
        if piece.meets {
            let decided = self.decided();
            let decide = self.decide(&quote!(decision));
            body = quote! {
                let decision: bool = #decided: { #body };
                #decide
            };
        }
        let exits = piece.exits.get();
        Expanded {
            code: if exits {
                quote! { #label: { #body } }
            } else {
                body
            },
            exits,
        }
    }

    /// For each way through a piece that ends in it, whether it ends with a truth value. If all do they
    /// meet, so that the handler branches and goes on in one place: more copies would make calls of what
    /// LLVM turns into jumps one by one.
    fn ends(&self, id: BlockId, from: usize, piece: &Piece, ends: &mut Vec<bool>) {
        let block: &Block = &self.clause.blocks[id.0 as usize];
        let mut rest = from..block.instructions.len();
        if rest.any(|position| self.leaves_to_search(id, position, piece)) {
            return;
        }
        match block.terminator {
            Terminator::Branch {
                then, otherwise, ..
            } => {
                self.ends(then, 0, piece, ends);
                self.ends(otherwise, 0, piece, ends);
            }
            Terminator::Overflow {
                exact, overflow, ..
            } => {
                self.ends(exact, 0, piece, ends);
                self.ends(overflow, 0, piece, ends);
            }
            Terminator::Decide(_) => ends.push(true),
            _ => ends.push(false),
        }
    }

    /// Whether the piece ends at this instruction, and a function of its own goes on.
    fn leaves_to_search(&self, id: BlockId, position: usize, piece: &Piece) -> bool {
        if piece.searches || self.searches.is_none() {
            return false;
        }
        let block = &self.clause.blocks[id.0 as usize];
        search::starts_part(&block.instructions[position].operation)
            && search::Part::of(self.clause, id, position).fits()
    }

    /// Goes on with the function that searches, which has the rest of the clause.
    fn leave_to_search(&self, id: BlockId, from: usize) -> TokenStream {
        let Some(searches) = self.searches else {
            return quote!();
        };
        let part = search::Part::of(self.clause, id, from);
        let mut made = TokenStream::new();
        for instruction in part.made_again() {
            made.extend(self.instruction(instruction, &Piece::default()));
        }
        let bindings = bindings_of(self.opcode, self.variant, |place| part.uses(place));
        let Expanded { code, exits } = self.piece(id, from, true);
        let otherwise = exits.then_some(&searches.otherwise);
        let body = quote! { #bindings #made #code #otherwise };
        searches.call(self.opcode, self.variant, &part, &body)
    }

    fn decided(&self) -> syn::Lifetime {
        syn::Lifetime::new("'decided", proc_macro2::Span::call_site())
    }

    /// Goes on with a truth value.
    fn decide(&self, value: &TokenStream) -> TokenStream {
        let decide = decide(self.variant.form, value, self.opcode.width());
        let check = self.check_thrown();
        quote! { #check #decide }
    }

    /// Goes on with an exception that a middle path may have thrown.
    fn check_thrown(&self) -> Option<TokenStream> {
        let checked = self.clause.may_throw() || self.frees();
        (self.clause.middle && checked).then(|| {
            let thrown = continuation::next_checked(1);
            quote! { if !core::ptr::eq((*frame).opline, opline) { #thrown; } }
        })
    }

    /// A block from an instruction on, and what follows it.
    fn rest(&self, id: BlockId, from: usize, piece: &Piece) -> TokenStream {
        let block: &Block = &self.clause.blocks[id.0 as usize];
        let mut guards = Vec::new();
        let mut code = TokenStream::new();
        let mut freed = Vec::new();
        for (position, instruction) in block.instructions.iter().enumerate().skip(from) {
            match &instruction.operation {
                Operation::Intrinsic(..) | Operation::Apart
                    if self.leaves_to_search(id, position, piece) =>
                {
                    code.extend(self.flush(&mut guards, piece));
                    code.extend(self.leave_to_search(id, position));
                    return code;
                }
                Operation::GuardType(place, types) => {
                    if *types != TypeMask::ANY {
                        guards.push(self.type_test(*place, *types));
                    }
                }
                Operation::Free(place) if !self.clause.middle => freed.push(*place),
                _ => {
                    code.extend(self.flush(&mut guards, piece));
                    code.extend(self.instruction(instruction, piece));
                }
            }
        }
        code.extend(self.flush(&mut guards, piece));
        code.extend(self.free_at_end(&freed));
        code.extend(self.terminator(&block.terminator, piece));
        code
    }

    /// Leaves the clause: it does not apply.
    fn exit(&self, piece: &Piece) -> TokenStream {
        piece.exits.set(true);
        let label = &self.label;
        quote!(break #label;)
    }

    /// A fast path leaves for a shared function that frees what is counted and goes on.
    fn free_at_end(&self, freed: &[Place]) -> TokenStream {
        if freed.is_empty() {
            return quote!();
        }
        let names = freed.iter().map(|place| self.place(*place));
        let has = |place| freed.contains(&place);
        let which = (has(Place::Op1), has(Place::Op2), has(Place::Data));
        let helper = slow::free_name(which, self.skip());
        quote! {
            if #((*#names).is_refcounted())||* {
                return #helper(frame, opline, vm);
            }
        }
    }

    /// The type guards at the front of a block, as one test.
    fn flush(&self, guards: &mut Vec<TokenStream>, piece: &Piece) -> TokenStream {
        if guards.is_empty() {
            return quote!();
        }
        let guards = std::mem::take(guards);
        let exit = self.exit(piece);
        quote! { if !(#(#guards)&&*) { #exit } }
    }

    fn type_test(&self, place: Place, types: TypeMask) -> TokenStream {
        let name = self.place(place);
        if let Some(number) = types.single() {
            let number_literal = Literal::u32_unsuffixed(u32::from(number));
            // Types without a count have no flags in their type word.
            return if types.intersects(TypeMask::COUNTED) {
                quote!(((*#name).kind() == #number_literal))
            } else {
                quote!(((*#name).type_info() == #number_literal))
            };
        }
        let numbers: Vec<u8> = types.numbers().collect();
        let (low, high) = (numbers[0], numbers[numbers.len() - 1]);
        let low_literal = Literal::u8_unsuffixed(low);
        let high_literal = Literal::u8_unsuffixed(high);
        if usize::from(high - low) + 1 == numbers.len() {
            return if low == 0 {
                quote!(((*#name).kind() <= #high_literal))
            } else {
                quote!(((*#name).kind().wrapping_sub(#low_literal) <= #high_literal - #low_literal))
            };
        }
        // All but a few: those are tested.
        let others = TypeMask(TypeMask::ANY.0 & !types.0);
        if let Some(number) = others.single() {
            let number = Literal::u8_unsuffixed(number);
            return quote!(((*#name).kind() != #number));
        }
        let mask = Literal::u32_unsuffixed(types.0);
        quote!((((#mask as u32) >> (*#name).kind()) & 1 != 0))
    }

    fn instruction(&self, instruction: &Instruction, piece: &Piece) -> TokenStream {
        let value = match &instruction.operation {
            Operation::GuardType(..) => return quote!(),
            Operation::Guard(value, _) => {
                let (value, exit) = (value_name(*value), self.exit(piece));
                return quote! { if !#value { #exit } };
            }
            Operation::GuardUncounted(place) => {
                let (name, exit) = (self.place(*place), self.exit(piece));
                return quote! { if (*#name).is_refcounted() { #exit } };
            }
            Operation::TestType(place, types) => self.type_test(*place, *types),
            Operation::TypeWord(place) => {
                let name = self.place(*place);
                quote!(i64::from((*#name).type_info()))
            }
            Operation::Load(place, representation) => load(&self.place(*place), *representation),
            Operation::Deref(place) => {
                let name = self.place(*place);
                quote!(operand::deref(#name))
            }
            Operation::Indirect(place) => {
                let name = self.place(*place);
                quote!((*#name).indirect())
            }
            Operation::Number(number) => {
                let number = opline_field(*number);
                quote!(i64::from(#number))
            }
            Operation::Target(field) => {
                let target = jump_target(*field);
                quote!((#target as *const ()))
            }
            Operation::Register(register) => match register {
                Register::Frame => quote!((frame as *const ())),
                Register::Opline => quote!((opline as *const ())),
                Register::Vm => quote!((vm as *const ())),
            },
            Operation::CacheWord(base, index, representation) => {
                cache_word(*base, *index, *representation)
            }
            Operation::LoadField(field, base) => load_field(*field, value_name(*base)),
            Operation::StoreField(field, base, value) => {
                return store_field(*field, value_name(*base), value_name(*value));
            }
            Operation::Element(sequence, base, index) => {
                element(*sequence, value_name(*base), value_name(*index))
            }
            Operation::ConstantLong(value) => {
                let literal = Literal::i64_suffixed(*value);
                quote!(#literal)
            }
            Operation::ConstantDouble(value) => {
                let literal = Literal::f64_suffixed(*value);
                quote!(#literal)
            }
            Operation::ConstantBool(value) => quote!(#value),
            Operation::Named(index) => {
                let path = layout::tokens(NUMBERS[usize::from(*index)].1);
                quote!((#path as i64))
            }
            Operation::Unary(operation, value) => unary(*operation, value_name(*value)),
            Operation::Binary(operation, left, right) => {
                binary(*operation, value_name(*left), value_name(*right))
            }
            Operation::Intrinsic(intrinsic, arguments) => {
                let call = call(*intrinsic, arguments);
                if intrinsic.may_exit() {
                    let output = instruction
                        .output
                        .map_or_else(|| format_ident!("_none"), value_name);
                    let exit = self.exit(piece);
                    return quote! {
                        let #output = #call;
                        if #output.is_null() { #exit }
                    };
                }
                if intrinsic.output() == Output::Nothing {
                    return quote! { #call; };
                }
                call
            }
            Operation::Store(place, representation, value) => {
                let (target, value) = (self.place(*place), value_name(*value));
                let store = match representation {
                    Representation::Long => quote! { (*#target).set_long(#value); },
                    Representation::Double => quote! { (*#target).set_double(#value); },
                    Representation::Bool => quote! { (*#target).set_bool(#value); },
                    Representation::Boxed | Representation::Pointer => {
                        quote! { (*#target).set((*(#value as *mut Zval)).share()); }
                    }
                };
                return self.optional(*place, store);
            }
            Operation::StoreNull(place) => {
                let target = self.place(*place);
                return self.optional(*place, quote! { (*#target).set_null(); });
            }
            Operation::StoreUndef(place) => {
                let target = self.place(*place);
                return self.optional(*place, quote! { (*#target).set_undef(); });
            }
            Operation::StoreTyped(place, word, value) => {
                let (target, value) = (self.place(*place), value_name(*value));
                let word = Literal::u32_unsuffixed(*word);
                let store = quote! {
                    (*#target).payload.pointer = #value as *mut ();
                    (*#target).type_info = #word;
                };
                return self.optional(*place, store);
            }
            Operation::StoreString(place, value) => {
                let (target, value) = (self.place(*place), value_name(*value));
                let store = quote! {
                    (*#target).set(Zval::from_string(#value as *mut crate::string::PhpString).share());
                };
                return self.optional(*place, store);
            }
            Operation::Move(place, value) => {
                let (target, value) = (self.place(*place), value_name(*value));
                return self.optional(
                    *place,
                    quote! { (*#target).set((*(#value as *mut Zval)).copy()); },
                );
            }
            Operation::Retain(place) => {
                let name = self.place(*place);
                return quote! { (*#name).add_reference(); };
            }
            Operation::DropShare(place) => {
                let name = self.place(*place);
                return quote! { crate::interpreter::intrinsics::drop_share(#name); };
            }
            Operation::Apart => return quote!(),
            Operation::Release(place) => {
                let name = self.place(*place);
                return quote! { crate::value::release(#name); };
            }
            Operation::Free(place) => {
                let name = self.place(*place);
                let (which, kind) = match place {
                    Place::Op1 => (Which::Op1, Some(self.variant.op1)),
                    Place::Op2 => (Which::Op2, Some(self.variant.op2)),
                    _ => (Which::Data, self.variant.data),
                };
                if kind != Some(OperandKind::TmpVarCv) {
                    return quote! { operand::free(vm, #name); };
                }
                let field = which.kind_field();
                return quote! {
                    if #field != crate::op::IS_CV { operand::free(vm, #name); }
                };
            }
        };
        let output = instruction.output.map(value_name);
        quote! { let #output = #value; }
    }

    /// What goes to a result that the opline may do without.
    fn optional(&self, place: Place, store: TokenStream) -> TokenStream {
        let optional = self
            .opcode
            .result
            .as_ref()
            .is_some_and(|result| result.optional);
        match (place, self.variant.form) {
            (Place::Result, ResultForm::Unused) => quote!(),
            (Place::Result, ResultForm::Plain) if optional => {
                quote! { if (*opline).result_type != crate::op::IS_UNUSED { #store } }
            }
            _ => store,
        }
    }

    /// The address of a place, as an expression without effect.
    fn place(&self, place: Place) -> TokenStream {
        let name = match place {
            Place::At(value) => return zval(value),
            Place::Op1 => format_ident!("op1"),
            Place::Op2 => format_ident!("op2"),
            Place::Data => format_ident!("op_data"),
            Place::Result => {
                let is_argument = self
                    .opcode
                    .result
                    .as_ref()
                    .is_some_and(|result| result.kinds.contains(&ResultKind::Arg));
                return if is_argument {
                    quote!(operand::argument(frame, (*opline).result))
                } else {
                    quote!(operand::slot(frame, (*opline).result))
                };
            }
        };
        quote!(#name)
    }

    fn terminator(&self, terminator: &Terminator, piece: &Piece) -> TokenStream {
        match terminator {
            Terminator::Next => self.next(),
            Terminator::Decide(value) => {
                let value = value_name(*value);
                if piece.meets {
                    let decided = self.decided();
                    return quote! { break #decided #value; };
                }
                self.decide(&quote!(#value))
            }
            Terminator::Goto(target) => {
                let target = value_name(*target);
                let go = continuation::dispatch(&quote!(#target.cast::<Op>()));
                quote! { #go; }
            }
            Terminator::Switch { frame, opline, way } => {
                let (frame, opline) = (value_name(*frame), value_name(*opline));
                let go = continuation::continue_at(
                    &quote!(#frame.cast::<Frame>().cast_mut()),
                    &quote!(#opline.cast::<Op>()),
                    *way != Way::Leave,
                );
                quote! { #go; }
            }
            Terminator::Helper(name) => {
                let helper = format_ident!("{name}");
                quote! { return super::helpers::#helper(frame, opline, vm); }
            }
            Terminator::Jump(field) => {
                let jump = continuation::jump(&jump_target(*field));
                let check = self.check_thrown();
                quote!(#check #jump;)
            }
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                let condition = value_name(*condition);
                let (then, otherwise) =
                    (self.rest(*then, 0, piece), self.rest(*otherwise, 0, piece));
                quote! { if #condition { #then } else { #otherwise } }
            }
            Terminator::Overflow {
                operation,
                output,
                left,
                right,
                exact,
                overflow,
            } => {
                let method = format_ident!(
                    "{}",
                    match operation {
                        OverflowOperation::Add => "checked_add",
                        OverflowOperation::Sub => "checked_sub",
                        OverflowOperation::Mul => "checked_mul",
                    }
                );
                let (left, right) = (value_name(*left), value_name(*right));
                let output = value_name(*output);
                let (exact, overflow) =
                    (self.rest(*exact, 0, piece), self.rest(*overflow, 0, piece));
                quote! {
                    if let Some(#output) = i64::#method(#left, #right) {
                        #exact
                    } else {
                        #overflow
                    }
                }
            }
        }
    }

    fn next(&self) -> TokenStream {
        let go = if self.clause.middle && (self.clause.may_throw() || self.frees()) {
            continuation::next_checked(self.skip())
        } else {
            continuation::next(self.skip())
        };
        quote!(#go;)
    }

    /// How many oplines further the next one is: a result that is a CV stands for the ASSIGN that
    /// follows, too.
    fn skip(&self) -> usize {
        self.opcode.width() + usize::from(self.variant.form == ResultForm::Cv)
    }

    /// Whether the middle path gives back an operand, which may run a destructor.
    fn frees(&self) -> bool {
        self.clause
            .instructions()
            .any(|instruction| matches!(instruction.operation, Operation::Free(_)))
    }
}

/// Binds `op1`, `op2` and `op_data` as far as the clauses use them.
pub(super) fn bindings<'a>(
    opcode: &Opcode,
    variant: &Variant,
    clauses: impl Iterator<Item = &'a Clause> + Clone,
) -> TokenStream {
    bindings_of(opcode, variant, |place| {
        let mut instructions = clauses.clone().flat_map(Clause::instructions);
        instructions.any(|instruction| instruction.operation.place() == Some(place))
    })
}

/// Binds those operands.
fn bindings_of(opcode: &Opcode, variant: &Variant, is_used: impl Fn(Place) -> bool) -> TokenStream {
    let mut code = TokenStream::new();
    let data = opcode.data.as_ref().zip(variant.data);
    let operands = [
        (Which::Op1, Place::Op1, Some((&opcode.op1, variant.op1))),
        (Which::Op2, Place::Op2, Some((&opcode.op2, variant.op2))),
        (Which::Data, Place::Data, data),
    ];
    for (which, place, operand) in operands {
        let Some((operand, kind)) = operand.filter(|_| is_used(place)) else {
            continue;
        };
        let name = format_ident!("{}", which.word());
        // The check refuses clauses on operands without a value.
        if let Ok(address) = accessor::value(which, operand, kind) {
            code.extend(quote! { let #name: *mut Zval = #address; });
        }
    }
    code
}

/// Ends with a truth value: the smart branch, or the result and the next opline.
fn decide(form: ResultForm, value: &TokenStream, width: usize) -> TokenStream {
    let fall = continuation::next(width + 1);
    let jump = continuation::jump(&continuation::smart_target());
    let next = continuation::next(width + usize::from(form == ResultForm::Cv));
    match form {
        ResultForm::Jmpz => quote! { if #value { #fall; } else { #jump; } },
        ResultForm::Jmpnz => quote! { if #value { #jump; } else { #fall; } },
        ResultForm::Unused => quote! { let _ = #value; #next; },
        ResultForm::Plain | ResultForm::Used | ResultForm::Cv => quote! {
            (*operand::slot(frame, (*opline).result)).set_bool(#value);
            #next;
        },
    }
}

/// The target of a jump.
pub(super) fn jump_target(field: OplineField) -> TokenStream {
    match field {
        OplineField::Op1 => quote!(operand::jump_target(opline, (*opline).op1)),
        OplineField::Op2 => quote!(operand::jump_target(opline, (*opline).op2)),
        OplineField::Extended => quote!(operand::jump_target(opline, (*opline).extended_value)),
    }
}

/// An address as that of a slot.
fn zval(value: Value) -> TokenStream {
    let name = value_name(value);
    quote!((#name as *mut Zval))
}

pub(super) fn value_name(value: Value) -> Ident {
    format_ident!("v{}", value.0)
}

/// The call of a runtime function.
fn call(intrinsic: Intrinsic, arguments: &[Value]) -> TokenStream {
    let function = format_ident!("{}", intrinsic.name());
    let arguments = intrinsic
        .arguments()
        .iter()
        .zip(arguments)
        .map(|(wanted, argument)| {
            let argument = value_name(*argument);
            match wanted {
                Argument::To(structure) => {
                    let structure = layout::path(*structure);
                    quote!((#argument as *mut #structure))
                }
                Argument::Typed(_) => quote!((#argument as *mut Zval)),
                Argument::Plain(_) => quote!(#argument),
            }
        });
    let call = quote!(crate::interpreter::intrinsics::#function(#(#arguments),*));
    let call = match intrinsic.output() {
        Output::To(_) => quote!((#call as *const ())),
        _ => call,
    };
    if !intrinsic.is_call() || intrinsic.effect() == IntrinsicEffect::Reenters {
        return call;
    }
    let trap = slow::trap(intrinsic.name(), SlowClass::Throws);
    quote! {{
        #trap
        #call
    }}
}

fn load(name: &TokenStream, representation: Representation) -> TokenStream {
    match representation {
        Representation::Long => quote!((*#name).long()),
        Representation::Double => quote!((*#name).double()),
        Representation::Bool => quote!(((*#name).type_info() == 3)),
        Representation::Boxed => quote!(#name),
        Representation::Pointer => quote!((*#name).payload.pointer.cast_const()),
    }
}

fn opline_field(number: Number) -> TokenStream {
    match number {
        Number::Op1 => quote!((*opline).op1),
        Number::Op2 => quote!((*opline).op2),
        Number::Result => quote!((*opline).result),
        Number::Extended => quote!((*opline).extended_value),
        Number::DataExtended => quote!((*opline.add(1)).extended_value),
    }
}

/// A word of the runtime cache. The offsets in `extended_value` share it with flags.
fn cache_word(base: Number, index: u8, representation: Representation) -> TokenStream {
    let field = opline_field(base);
    let offset = match base {
        Number::Extended | Number::DataExtended => quote!((#field & !7)),
        _ => field,
    };
    let index = Literal::usize_unsuffixed(usize::from(index));
    match representation {
        Representation::Long => quote!((*operand::cache::<()>(frame, #offset).add(#index)) as i64),
        _ => quote!((*operand::cache::<()>(frame, #offset).add(#index)).cast_const()),
    }
}

fn load_field(field: Field, base: Ident) -> TokenStream {
    let facts = field.facts();
    let (structure, path) = (layout::path(facts.structure), layout::tokens(facts.path));
    let read = quote!((*(#base as *const #structure)).#path);
    match facts.kind {
        FieldKind::Bool => read,
        FieldKind::Byte | FieldKind::Unsigned => quote!(i64::from(#read)),
        FieldKind::Word => quote!(raw_word(&raw const #read)),
        FieldKind::Pointer(_) => quote!((#read as *const ())),
        FieldKind::Value => quote!((&raw mut (*(#base as *mut #structure)).#path)),
    }
}

fn store_field(field: Field, base: Ident, value: Ident) -> TokenStream {
    let facts = field.facts();
    let (structure, path) = (layout::path(facts.structure), layout::tokens(facts.path));
    let target = quote!((*(#base as *mut #structure)).#path);
    match facts.kind {
        FieldKind::Bool => quote! { #target = #value; },
        FieldKind::Byte => quote! { #target = #value as u8; },
        FieldKind::Unsigned => quote! { #target = #value as u32; },
        FieldKind::Word => quote! { set_raw_word(&raw mut #target, #value); },
        FieldKind::Pointer(_) => {
            quote! { set_raw_pointer(&raw mut #target, #value as *const ()); }
        }
        FieldKind::Value => quote! { #target.set(*#value); },
    }
}

fn element(sequence: Sequence, base: Ident, index: Ident) -> TokenStream {
    let facts = sequence.facts();
    let structure = layout::path(facts.structure);
    let element = match facts.element {
        None => layout::path(Structure::Slot),
        Some(element) => layout::path(element),
    };
    let first = match facts.start {
        Start::Behind => quote!((#base as *const #structure).add(1).cast::<#element>()),
        Start::Here => quote!((#base as *const #element)),
        Start::Through(field) => {
            let field = layout::tokens(field);
            quote!(((*(#base as *const #structure)).#field as *const #element))
        }
    };
    match facts.element {
        None => quote!(#first.cast_mut().add(#index as usize)),
        Some(_) => quote!(#first.add(#index as usize).cast::<()>()),
    }
}

fn unary(operation: UnaryOperation, value: Ident) -> TokenStream {
    match operation {
        UnaryOperation::NegateLong => quote!(i64::wrapping_neg(#value)),
        UnaryOperation::NotLong | UnaryOperation::NotBool => quote!(!#value),
        UnaryOperation::NegateDouble => quote!(-#value),
        UnaryOperation::LongToDouble => quote!(#value as f64),
        UnaryOperation::BoolToLong => quote!(i64::from(#value)),
        UnaryOperation::LongToPointer => quote!((#value as usize as *const ())),
        UnaryOperation::PointerToLong => quote!((#value as usize as i64)),
        UnaryOperation::IsNull => quote!(#value.is_null()),
    }
}

fn binary(operation: BinaryOperation, left: Ident, right: Ident) -> TokenStream {
    use BinaryOperation::*;
    match operation {
        AddLong => quote!(i64::wrapping_add(#left, #right)),
        SubLong => quote!(i64::wrapping_sub(#left, #right)),
        MulLong => quote!(i64::wrapping_mul(#left, #right)),
        DivLong => quote!(i64::wrapping_div(#left, #right)),
        RemLong => quote!(i64::wrapping_rem(#left, #right)),
        ShlLong => quote!(i64::wrapping_shl(#left, #right as u32)),
        ShrLong => quote!(i64::wrapping_shr(#left, #right as u32)),
        AndLong | AndBool => quote!(#left & #right),
        OrLong | OrBool => quote!(#left | #right),
        XorLong | XorBool => quote!(#left ^ #right),
        AddDouble => quote!(#left + #right),
        SubDouble => quote!(#left - #right),
        MulDouble => quote!(#left * #right),
        DivDouble => quote!(#left / #right),
        EqLong | EqDouble | EqBool => quote!(#left == #right),
        NeLong | NeDouble | NeBool => quote!(#left != #right),
        LtLong | LtDouble => quote!(#left < #right),
        LeLong | LeDouble => quote!(#left <= #right),
        GtLong | GtDouble => quote!(#left > #right),
        GeLong | GeDouble => quote!(#left >= #right),
        WithinLong => quote!((#left as u64) < #right as u64),
        EqPointer => quote!(core::ptr::addr_eq(#left, #right)),
        NePointer => quote!(!core::ptr::addr_eq(#left, #right)),
    }
}
