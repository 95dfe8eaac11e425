//! How a handler goes on: the part that differs between the dispatch kinds.
//!
//! The handlers call small functions that are always inlined, so that they read the same in both kinds;
//! what the functions do is here.

use proc_macro2::TokenStream;
use quote::quote;

use crate::Kind;

/// Goes on with an opline, in the same frame. An expression that does not come back.
pub(crate) fn dispatch(opline: &TokenStream) -> TokenStream {
    quote!(return dispatch(frame, #opline, vm))
}

/// Goes on with the opline after this one (or after its OP_DATA).
pub(crate) fn next(skip: usize) -> TokenStream {
    let skip = proc_macro2::Literal::usize_unsuffixed(skip);
    dispatch(&quote!(opline.add(#skip)))
}

/// As [`next`], but from the frame's opline, which a throw redirects.
pub(crate) fn next_checked(skip: usize) -> TokenStream {
    let skip = proc_macro2::Literal::usize_unsuffixed(skip);
    dispatch(&quote!((*frame).opline.add(#skip)))
}

/// Goes on with an opline after looking at the interrupt flag.
pub(crate) fn jump(target: &TokenStream) -> TokenStream {
    quote!(return jump(frame, #target, vm))
}

/// Goes on in another frame.
pub(crate) fn continue_at(frame: &TokenStream, opline: &TokenStream, polls: bool) -> TokenStream {
    if polls {
        quote!(return enter(#frame, #opline, vm))
    } else {
        quote!(return continue_at(#frame, #opline, vm))
    }
}

/// Goes on where a slow function says.
pub(crate) fn follow(opline: &TokenStream) -> TokenStream {
    quote!(return follow(#opline, vm))
}

/// The target of the jump that follows a smart branch.
pub(crate) fn smart_target() -> TokenStream {
    quote!(smart_target(opline))
}

/// The functions that the above call.
pub(super) fn functions(kind: Kind) -> TokenStream {
    let dispatch = match kind {
        Kind::Tail => quote!(((*opline).handler)(frame, opline, vm)),
        Kind::Call => quote! {
            (*vm).current_frame = frame;
            opline
        },
    };
    let follow = match kind {
        Kind::Tail => quote! {
            if opline.is_null() {
                return opline;
            }
            ((*opline).handler)((*vm).current_frame, opline, vm)
        },
        Kind::Call => quote!(opline),
    };
    quote! {
        /// Goes on with an opline of the same frame.
        ///
        /// # Safety
        /// The opline belongs to the frame's op array.
        #[inline(always)]
        pub(super) unsafe fn dispatch(
            frame: *mut Frame,
            opline: *const Op,
            vm: *mut Vm,
        ) -> *const Op {
            unsafe { #dispatch }
        }

        /// Goes on with an opline after looking at the interrupt flag.
        ///
        /// # Safety
        /// As for [`dispatch`].
        #[inline(always)]
        pub(super) unsafe fn jump(
            frame: *mut Frame,
            opline: *const Op,
            vm: *mut Vm,
        ) -> *const Op {
            unsafe {
                if crate::interpreter::interrupted(vm) {
                    return super::helpers::interrupt_helper(frame, opline, vm);
                }
                dispatch(frame, opline, vm)
            }
        }

        /// Goes on in another frame.
        ///
        /// # Safety
        /// As for [`dispatch`].
        #[inline(always)]
        pub(super) unsafe fn continue_at(
            frame: *mut Frame,
            opline: *const Op,
            vm: *mut Vm,
        ) -> *const Op {
            unsafe {
                (*vm).current_frame = frame;
                dispatch(frame, opline, vm)
            }
        }

        /// Goes on in another frame after looking at the interrupt flag.
        ///
        /// # Safety
        /// As for [`dispatch`].
        #[inline(always)]
        pub(super) unsafe fn enter(
            frame: *mut Frame,
            opline: *const Op,
            vm: *mut Vm,
        ) -> *const Op {
            unsafe {
                (*vm).current_frame = frame;
                jump(frame, opline, vm)
            }
        }

        /// Goes on where a slow function says: in the frame that is current by now. Null ends the
        /// interpreter.
        ///
        /// # Safety
        /// The opline is null or belongs to the current frame's op array.
        #[inline(always)]
        pub(super) unsafe fn follow(opline: *const Op, vm: *mut Vm) -> *const Op {
            unsafe { #follow }
        }

        /// The target of the jump that follows a smart branch.
        ///
        /// # Safety
        /// A JMPZ or JMPNZ follows the opline.
        #[inline(always)]
        pub(super) unsafe fn smart_target(opline: *const Op) -> *const Op {
            unsafe { operand::jump_target(opline.add(1), (*opline.add(1)).op2) }
        }
    }
}
