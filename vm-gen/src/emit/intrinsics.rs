//! Functions with a C signature for the intrinsics: for machine code, which cannot call the runtime's own.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use vm_def::ir::layout::Structure;
use vm_def::ir::{Argument, Intrinsic, Output, Representation};

use super::layout::path;

/// The functions, and what tells their addresses.
pub(super) fn module() -> TokenStream {
    let functions = Intrinsic::ALL.iter().map(|intrinsic| function(*intrinsic));
    let addresses = Intrinsic::ALL.iter().map(|intrinsic| {
        let (variant, name) = (
            format_ident!("{intrinsic:?}"),
            format_ident!("{}", intrinsic.name()),
        );
        quote!(vm_def::ir::Intrinsic::#variant => #name as *const () as usize)
    });
    quote! {
        #(#functions)*

        /// The address of a function with a C signature that does what an intrinsic does. Its arguments stand behind
        /// a frame that it does not look at.
        pub fn address(intrinsic: vm_def::ir::Intrinsic) -> usize {
            match intrinsic {
                #(#addresses,)*
            }
        }
    }
}

fn function(intrinsic: Intrinsic) -> TokenStream {
    let name = format_ident!("{}", intrinsic.name());
    let arguments: Vec<_> = (0..intrinsic.arguments().len())
        .map(|number| format_ident!("argument_{number}"))
        .collect();
    let types = intrinsic.arguments().iter().map(|argument| match argument {
        Argument::Plain(representation) => plain(*representation),
        Argument::Typed(_) => pointer(Structure::Slot),
        Argument::To(structure) => pointer(*structure),
    });
    let call = quote!(crate::interpreter::intrinsics::#name(#(#arguments),*));
    let (result, call) = match intrinsic.output() {
        Output::Nothing => (None, call),
        Output::Plain(Representation::Bool) => {
            (Some(plain(Representation::Bool)), quote!(u64::from(#call)))
        }
        Output::Plain(representation) => (Some(plain(representation)), call),
        Output::Slot => (Some(pointer(Structure::Slot)), call),
        Output::To(structure) => (Some(pointer(structure)), call),
    };
    let result = result.map(|result| quote!(-> #result));
    quote! {
        unsafe extern "C-unwind" fn #name(
            _: *mut crate::frame::Frame,
            #(#arguments: #types),*
        ) #result {
            unsafe { #call }
        }
    }
}

fn pointer(structure: Structure) -> TokenStream {
    let path = path(structure);
    quote!(*mut #path)
}

/// Truth values fill a register, as numbers do.
fn plain(representation: Representation) -> TokenStream {
    match representation {
        Representation::Bool => quote!(u64),
        Representation::Double => quote!(f64),
        _ => quote!(i64),
    }
}
