//! Operand access, by kind.

use proc_macro2::TokenStream;
use quote::quote;
use vm_def::grammar::{OperandKind, UnusedMeaning};

use crate::model::Operand;

/// Which operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Op1,
    Op2,
    Data,
}

impl Which {
    /// The opline that holds it.
    fn opline(self) -> TokenStream {
        match self {
            Which::Data => quote!(opline.add(1)),
            _ => quote!(opline),
        }
    }

    /// Its field.
    pub fn field(self) -> TokenStream {
        match self {
            Which::Op1 => quote!((*opline).op1),
            Which::Op2 => quote!((*opline).op2),
            Which::Data => quote!((*opline.add(1)).op1),
        }
    }

    /// The field of its kind.
    pub fn kind_field(self) -> TokenStream {
        match self {
            Which::Op1 => quote!((*opline).op1_type),
            Which::Op2 => quote!((*opline).op2_type),
            Which::Data => quote!((*opline.add(1)).op1_type),
        }
    }

    /// The name in definitions.
    pub fn word(self) -> &'static str {
        match self {
            Which::Op1 => "op1",
            Which::Op2 => "op2",
            Which::Data => "op_data",
        }
    }
}

/// The address of the operand's value. `Err` tells why there is none.
pub(crate) fn value(
    which: Which,
    operand: &Operand,
    kind: OperandKind,
) -> Result<TokenStream, String> {
    let (opline, field) = (which.opline(), which.field());
    Ok(match kind {
        OperandKind::Const => quote!(operand::constant(#opline, #field)),
        OperandKind::Tmp
        | OperandKind::Var
        | OperandKind::Cv
        | OperandKind::TmpVar
        | OperandKind::TmpVarCv => quote!(operand::slot(frame, #field)),
        OperandKind::Unused if operand.meaning == UnusedMeaning::This => {
            quote!((&raw mut (*frame).this))
        }
        OperandKind::Unused => {
            let meaning = operand.meaning.word();
            return Err(format!("UNUSED({meaning}) is no value"));
        }
        OperandKind::Any => {
            let kind = which.kind_field();
            quote! {
                (if #kind == crate::op::IS_CONST {
                    operand::constant(#opline, #field)
                } else {
                    operand::slot(frame, #field)
                })
            }
        }
    })
}

/// The address after following a reference.
pub(crate) fn dereferenced(
    which: Which,
    operand: &Operand,
    kind: OperandKind,
) -> Result<TokenStream, String> {
    let plain = value(which, operand, kind)?;
    Ok(match kind {
        OperandKind::Const | OperandKind::Tmp | OperandKind::Unused => plain,
        _ => quote!(operand::deref(#plain)),
    })
}

/// The address of the variable that is written to: an INDIRECT in a VAR is followed.
pub(crate) fn variable(
    which: Which,
    operand: &Operand,
    kind: OperandKind,
) -> Result<TokenStream, String> {
    let plain = value(which, operand, kind)?;
    match kind {
        OperandKind::Var => Ok(quote!(operand::indirect(#plain))),
        OperandKind::Cv | OperandKind::Unused => Ok(plain),
        OperandKind::Any | OperandKind::TmpVar | OperandKind::TmpVarCv => {
            Ok(quote!(operand::indirect(#plain)))
        }
        OperandKind::Const | OperandKind::Tmp => {
            Err(format!("{} is never a variable", kind.word()))
        }
    }
}

/// Frees the operand if the instruction consumes it; empty if there is nothing to do.
pub(crate) fn free(which: Which, kind: OperandKind) -> TokenStream {
    let field = which.field();
    match kind {
        OperandKind::Const | OperandKind::Cv | OperandKind::Unused => quote!(()),
        OperandKind::Tmp | OperandKind::Var | OperandKind::TmpVar => {
            quote!(operand::free(vm, operand::slot(frame, #field)))
        }
        OperandKind::TmpVarCv | OperandKind::Any => {
            let kind = which.kind_field();
            quote! {
                if #kind & (crate::op::IS_TMP_VAR | crate::op::IS_VAR) != 0 {
                    operand::free(vm, operand::slot(frame, #field));
                }
            }
        }
    }
}

/// Whether an operand of this kind can be this single kind; `None` if only the opline knows.
pub(crate) fn is_kind(kind: OperandKind, tested: OperandKind) -> Option<bool> {
    let codes = kind.codes();
    let code = tested.codes()[0];
    if !codes.contains(&code) {
        return Some(false);
    }
    if codes.len() == 1 { Some(true) } else { None }
}
