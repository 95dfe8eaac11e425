//! Fast clauses as Rust, from their micro-operations.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use vm_def::grammar::{JumpField, OperandKind};
use vm_def::ir::{
    BinaryOperation, Block, BlockId, Clause, Instruction, Operation, OverflowOperation, Place,
    Representation, Terminator, UnaryOperation, Value,
};
use vm_def::types::TypeMask;

use super::accessor::{self, Which};
use super::continuation;
use crate::model::Opcode;
use crate::specialise::{ResultForm, Variant};

/// What the code of a clause depends on.
pub(super) struct Expansion<'a> {
    pub opcode: &'a Opcode,
    pub variant: &'a Variant,
    pub clause: &'a Clause,
    /// The types of the operands are proven: no guards for them.
    pub typed: bool,
    pub label: syn::Lifetime,
}

impl Expansion<'_> {
    /// The clause as a labelled block; leaving it means that the clause does not apply.
    pub fn expand(&self) -> TokenStream {
        let label = &self.label;
        let guards = self.prologue();
        let body = self.block(BlockId(0));
        if self.may_exit() {
            quote! { #label: { #guards #body } }
        } else {
            quote! { #guards #body }
        }
    }

    /// Whether some way leaves the block.
    pub fn may_exit(&self) -> bool {
        let types = if self.typed {
            self.clause.may_exit_when_typed()
        } else {
            self.clause.may_exit()
        };
        types || !self.prologue().is_empty()
    }

    /// Guards that only this expansion needs: an old value that would have to be released, a
    /// consumed operand that would have to be freed where nothing can come after.
    fn prologue(&self) -> TokenStream {
        let mut conditions = Vec::new();
        if self.variant.form == ResultForm::Cv {
            conditions.push(quote!(
                (*operand::slot(frame, (*opline).result)).is_refcounted()
            ));
        }
        if !self.ends_with_next() {
            for which in self.counted_operands() {
                let name = format_ident!("{}", which.word());
                conditions.push(quote!((*#name).is_refcounted()));
            }
        }
        if conditions.is_empty() {
            return quote!();
        }
        let label = &self.label;
        quote! { if #(#conditions)||* { break #label; } }
    }

    /// Whether every way out goes to the next opline, so that operands can be freed on the way.
    fn ends_with_next(&self) -> bool {
        self.clause.blocks.iter().all(|block| {
            !matches!(
                block.terminator,
                Terminator::Decide(_) | Terminator::Jump(_)
            )
        })
    }

    /// The operands that the instruction must free because their type may be counted.
    fn counted_operands(&self) -> Vec<Which> {
        let operands = [
            (
                Which::Op1,
                &self.opcode.op1,
                self.variant.op1,
                self.clause.op1,
            ),
            (
                Which::Op2,
                &self.opcode.op2,
                self.variant.op2,
                self.clause.op2,
            ),
        ];
        let mut counted = Vec::new();
        for (which, operand, kind, types) in operands {
            let consumed = !operand.keep
                && matches!(
                    kind,
                    OperandKind::Tmp
                        | OperandKind::Var
                        | OperandKind::TmpVar
                        | OperandKind::TmpVarCv
                        | OperandKind::Any
                );
            if consumed && types.is_some_and(|types| types.intersects(TypeMask::COUNTED)) {
                counted.push(which);
            }
        }
        counted
    }

    fn block(&self, id: BlockId) -> TokenStream {
        let block: &Block = &self.clause.blocks[id.0 as usize];
        let mut guards = Vec::new();
        let mut code = TokenStream::new();
        for instruction in &block.instructions {
            match &instruction.operation {
                Operation::GuardType(place, types) => {
                    if !self.typed && *types != TypeMask::ANY {
                        guards.push(self.type_test(*place, *types));
                    }
                }
                _ => {
                    code.extend(self.flush(&mut guards));
                    code.extend(self.instruction(instruction));
                }
            }
        }
        code.extend(self.flush(&mut guards));
        code.extend(self.terminator(&block.terminator));
        code
    }

    /// The type guards at the front of a block, as one test.
    fn flush(&self, guards: &mut Vec<TokenStream>) -> TokenStream {
        if guards.is_empty() {
            return quote!();
        }
        let guards = std::mem::take(guards);
        let label = &self.label;
        quote! { if !(#(#guards)&&*) { break #label; } }
    }

    fn type_test(&self, place: Place, types: TypeMask) -> TokenStream {
        let name = place_name(place);
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
        let mask = Literal::u32_unsuffixed(types.0);
        quote!((((#mask as u32) >> (*#name).kind()) & 1 != 0))
    }

    fn instruction(&self, instruction: &Instruction) -> TokenStream {
        let label = &self.label;
        let value = match &instruction.operation {
            Operation::GuardType(..) => return quote!(),
            Operation::Guard(value) => {
                let value = value_name(*value);
                return quote! { if !#value { break #label; } };
            }
            Operation::Load(place, representation) => load(*place, *representation),
            Operation::LoadExtended => quote!(i64::from((*opline).extended_value)),
            Operation::ConstantLong(value) => {
                let literal = Literal::i64_suffixed(*value);
                quote!(#literal)
            }
            Operation::ConstantDouble(value) => {
                let literal = Literal::f64_suffixed(*value);
                quote!(#literal)
            }
            Operation::ConstantBool(value) => quote!(#value),
            Operation::Unary(operation, value) => unary(*operation, value_name(*value)),
            Operation::Binary(operation, left, right) => {
                binary(*operation, value_name(*left), value_name(*right))
            }
            Operation::Intrinsic(intrinsic, arguments) => {
                let function = format_ident!("{}", intrinsic.name());
                let arguments = arguments.iter().map(|argument| value_name(*argument));
                let call = quote!(crate::interpreter::intrinsics::#function(#(#arguments),*));
                if intrinsic.may_exit() {
                    let output = instruction.output.map(value_name);
                    return quote! { let Some(#output) = #call else { break #label; }; };
                }
                call
            }
            Operation::Store(place, representation, value) => {
                return self.store(*place, Some((*representation, value_name(*value))));
            }
            Operation::StoreNull(place) => return self.store(*place, None),
        };
        let output = instruction.output.map(value_name);
        quote! { let #output = #value; }
    }

    fn store(&self, place: Place, value: Option<(Representation, Ident)>) -> TokenStream {
        let target = match place {
            Place::Result => quote!(operand::slot(frame, (*opline).result)),
            _ => {
                let name = place_name(place);
                quote!(#name)
            }
        };
        let store = match value {
            None => quote! { (*#target).set_null(); },
            Some((Representation::Long, value)) => quote! { (*#target).set_long(#value); },
            Some((Representation::Double, value)) => quote! { (*#target).set_double(#value); },
            Some((Representation::Bool, value)) => quote! { (*#target).set_bool(#value); },
            Some((Representation::Boxed, value)) => {
                quote! { crate::interpreter::intrinsics::copy(#target, #value); }
            }
        };
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

    fn terminator(&self, terminator: &Terminator) -> TokenStream {
        match terminator {
            Terminator::Next => self.next(),
            Terminator::Decide(value) => {
                let value = value_name(*value);
                decide(self.variant.form, &quote!(#value), self.opcode.width())
            }
            Terminator::Jump(field) => {
                let target = jump_target(*field);
                {
                    let jump = continuation::jump(&target);
                    quote!(#jump;)
                }
            }
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                let condition = value_name(*condition);
                let (then, otherwise) = (self.block(*then), self.block(*otherwise));
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
                let (exact, overflow) = (self.block(*exact), self.block(*overflow));
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
        // A result that is a CV stands for the ASSIGN that follows, too.
        let fused = usize::from(self.variant.form == ResultForm::Cv);
        let go = continuation::next(self.opcode.width() + fused);
        let go = quote!(#go;);
        let counted = self.counted_operands();
        if counted.is_empty() || !self.ends_with_next() {
            return go;
        }
        let names = counted
            .iter()
            .map(|which| format_ident!("{}", which.word()));
        let helper = match counted.as_slice() {
            [Which::Op1] => format_ident!("free_op1"),
            [Which::Op2] => format_ident!("free_op2"),
            _ => format_ident!("free_operands"),
        };
        quote! {
            if #((*#names).is_refcounted())||* {
                return #helper(frame, opline, vm);
            }
            #go
        }
    }
}

/// Binds `op1` and `op2` as far as the clauses use them.
pub(super) fn bindings(opcode: &Opcode, variant: &Variant, clauses: &[Clause]) -> TokenStream {
    let mut code = TokenStream::new();
    let operands = [
        (Which::Op1, Place::Op1, &opcode.op1, variant.op1),
        (Which::Op2, Place::Op2, &opcode.op2, variant.op2),
    ];
    for (which, place, operand, kind) in operands {
        let used = clauses.iter().any(|clause| {
            clause
                .instructions()
                .any(|instruction| match &instruction.operation {
                    Operation::GuardType(used, _)
                    | Operation::Load(used, _)
                    | Operation::Store(used, ..)
                    | Operation::StoreNull(used) => *used == place,
                    _ => false,
                })
        });
        if !used {
            continue;
        }
        let written = clauses.iter().any(|clause| clause.writes(place));
        let address = if written {
            accessor::variable(which, operand, kind)
        } else {
            accessor::value(which, operand, kind)
        };
        let name = format_ident!("{}", which.word());
        // The check refuses clauses on operands without a value.
        if let Ok(address) = address {
            code.extend(quote! { let #name: *mut Zval = #address; });
        }
    }
    code
}

/// Ends with a truth value: the smart branch, or the result and the next opline.
pub(crate) fn decide(form: ResultForm, value: &TokenStream, width: usize) -> TokenStream {
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
pub(super) fn jump_target(field: JumpField) -> TokenStream {
    match field {
        JumpField::Op1 => quote!(operand::jump_target(opline, (*opline).op1)),
        JumpField::Op2 => quote!(operand::jump_target(opline, (*opline).op2)),
        JumpField::Extended => quote!(operand::jump_target(opline, (*opline).extended_value)),
    }
}

fn value_name(value: Value) -> Ident {
    format_ident!("v{}", value.0)
}

fn place_name(place: Place) -> Ident {
    format_ident!("{}", place.word())
}

fn load(place: Place, representation: Representation) -> TokenStream {
    let name = place_name(place);
    match representation {
        Representation::Long => quote!((*#name).long()),
        Representation::Double => quote!((*#name).double()),
        Representation::Bool => quote!(((*#name).type_info() == 3)),
        Representation::Boxed => quote!(#name.cast_const()),
    }
}

fn unary(operation: UnaryOperation, value: Ident) -> TokenStream {
    match operation {
        UnaryOperation::NegateLong => quote!(i64::wrapping_neg(#value)),
        UnaryOperation::NotLong | UnaryOperation::NotBool => quote!(!#value),
        UnaryOperation::NegateDouble => quote!(-#value),
        UnaryOperation::LongToDouble => quote!(#value as f64),
        UnaryOperation::BoolToLong => quote!(i64::from(#value)),
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
    }
}
