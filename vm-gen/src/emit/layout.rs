//! Offsets of the fields that clauses name, from the runtime's own structures.

use proc_macro2::TokenStream;
use quote::quote;
use vm_def::ir::layout::{FIELDS, FieldKind, NUMBERS, SEQUENCES, Start, Structure};

/// The path of a structure's type.
pub(super) fn path(structure: Structure) -> TokenStream {
    tokens(structure.path())
}

pub(super) fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

/// The tables.
pub(super) fn module() -> TokenStream {
    let field_count = FIELDS.len();
    let fields = FIELDS.iter().map(|facts| {
        let (structure, field) = (path(facts.structure), tokens(facts.path));
        quote!(core::mem::offset_of!(#structure, #field) as u32)
    });
    // A field that is no wider than the definitions say, and no narrower.
    let checks = FIELDS.iter().map(|facts| {
        let (structure, field) = (path(facts.structure), tokens(facts.path));
        let size: usize = match facts.kind {
            FieldKind::Bool | FieldKind::Byte => 1,
            FieldKind::Unsigned => 4,
            FieldKind::Word | FieldKind::Pointer(_) => 8,
            FieldKind::Value => 16,
        };
        quote! {
            assert!(width(|base: *const #structure| unsafe { &raw const (*base).#field }) == #size);
        }
    });
    let sequence_count = SEQUENCES.len();
    let sequences = SEQUENCES.iter().map(|facts| {
        let structure = path(facts.structure);
        match facts.start {
            Start::Behind => quote!((core::mem::size_of::<#structure>() as u32, false)),
            Start::Here => quote!((0, false)),
            Start::Through(field) => {
                let field = tokens(field);
                quote!((core::mem::offset_of!(#structure, #field) as u32, true))
            }
        }
    });
    let number_count = NUMBERS.len();
    let numbers = NUMBERS.iter().map(|(_, path)| {
        let path = tokens(path);
        quote!(#path as i64)
    });
    quote! {
        /// The offset of each field of `vm_def::ir::layout::FIELDS` in its structure.
        pub static FIELD_OFFSETS: [u32; #field_count] = [#(#fields),*];

        /// For each of `vm_def::ir::layout::SEQUENCES` the offset of its first element, or of the
        /// pointer that leads there.
        pub static SEQUENCE_STARTS: [(u32, bool); #sequence_count] = [#(#sequences),*];

        /// The value of each of `vm_def::ir::layout::NUMBERS`.
        #[allow(clippy::unnecessary_cast, reason = "some are such numbers already")]
        pub static NUMBER_VALUES: [i64; #number_count] = [#(#numbers),*];

        const fn width<S, T>(_: fn(*const S) -> *const T) -> usize {
            core::mem::size_of::<T>()
        }

        #[allow(clippy::undocumented_unsafe_blocks, reason = "addresses only; nothing is read")]
        const _: () = {
            #(#checks)*
        };
    }
}
