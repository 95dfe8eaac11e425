//! Where an operand lies, by kind.

use proc_macro2::TokenStream;
use quote::quote;
use vm_def::grammar::{OperandKind, UnusedMeaning};

use crate::model::Operand;

/// Which operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
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
    fn field(self) -> TokenStream {
        match self {
            Which::Op1 => quote!((*opline).op1),
            Which::Op2 => quote!((*opline).op2),
            Which::Data => quote!((*opline.add(1)).op1),
        }
    }

    /// The field of its kind.
    pub(super) fn kind_field(self) -> TokenStream {
        match self {
            Which::Op1 => quote!((*opline).op1_type),
            Which::Op2 => quote!((*opline).op2_type),
            Which::Data => quote!((*opline.add(1)).op1_type),
        }
    }

    /// The name in definitions.
    pub(super) fn word(self) -> &'static str {
        match self {
            Which::Op1 => "op1",
            Which::Op2 => "op2",
            Which::Data => "op_data",
        }
    }
}

/// The address of the operand's value. `Err` tells why there is none.
pub(super) fn value(
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
