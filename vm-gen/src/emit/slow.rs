//! Slow paths: one unspecialised function for each opcode.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{continuation, fast, function_head};
use crate::Kind;
use crate::model::{Opcode, SlowForm, SlowPath};

/// The slow function of an opcode.
pub(super) fn opcode(opcode: &Opcode) -> TokenStream {
    let Some(slow) = &opcode.slow else {
        return quote!();
    };
    let name = format!("{}__slow", opcode.function_name());
    let line = slow.location.line();
    let documentation = format!(
        " `{}`, slow path. {}.vmdef:{line}",
        opcode.name.value, opcode.family
    );
    if slow.form == SlowForm::Handler {
        return handler(&name, &documentation, slow);
    }
    let head = function_head(&name);
    let compute = format_ident!("{}__compute", opcode.function_name());
    let body = compute_body(opcode, slow);
    let polls = matches!(slow.form, SlowForm::Condition { .. });
    let poll = polls.then(|| {
        quote! {
            // Not after a throw, which has redirected the frame's opline.
            if crate::interpreter::interrupted(vm) && core::ptr::eq((*frame).opline, opline) {
                return super::helpers::interrupt_helper(frame, next, vm);
            }
        }
    });
    let follow = continuation::follow(&quote!(next));
    quote! {
        #[doc = #documentation]
        #[cold]
        #[inline(never)]
        #head {
            unsafe {
                let next: *const Op = #compute(frame, opline, vm);
                #poll
                #follow;
            }
        }

        #[inline(never)]
        unsafe fn #compute(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
            unsafe { #body }
        }
    }
}

/// A function that goes on where an ordinary function says.
pub(super) fn handler(name: &str, documentation: &str, slow: &SlowPath) -> TokenStream {
    let head = function_head(name);
    let path = &slow.path;
    let follow = continuation::follow(&quote!(#path(frame, opline, vm)));
    quote! {
        #[doc = #documentation]
        #[inline(never)]
        #head {
            unsafe { #follow; }
        }
    }
}

/// Fetches, calls, stores, frees.
fn compute_body(opcode: &Opcode, slow: &SlowPath) -> TokenStream {
    let path = &slow.path;
    let binary = match slow.form {
        SlowForm::Value { binary } | SlowForm::Condition { binary, .. } => binary,
        SlowForm::Handler => return quote!(),
    };
    let fetch2 = binary.then(|| {
        quote! {
            let op2: *const Zval =
                operand::fetch_read(frame, opline, vm, (*opline).op2_type, (*opline).op2);
        }
    });
    let argument2 = binary.then(|| quote!(, &*op2));
    let free1 = !opcode.op1.keep;
    let free2 = binary && !opcode.op2.keep;
    let width = opcode.width();
    let fetch = quote! {
        (*frame).opline = opline;
        let op1: *const Zval =
            operand::fetch_read(frame, opline, vm, (*opline).op1_type, (*opline).op1);
        #fetch2
    };
    match &slow.form {
        SlowForm::Condition { negated, jump, .. } => {
            let call = quote!(#path(&mut *vm, &*op1 #argument2));
            let call = if *negated { quote!(!#call) } else { call };
            let store = opcode.has_result_slot();
            let finish = match jump {
                None => quote! {
                    finish_condition(frame, opline, vm, decision, #free1, #free2, #width)
                },
                Some((field, when)) => {
                    let target = fast::jump_target(*field);
                    quote! {
                        let target: *const Op =
                            if decision == #when { #target } else { opline.add(#width) };
                        finish_branch(
                            frame, opline, vm, #store, decision, #free1, #free2, target,
                        )
                    }
                }
            };
            quote! {
                #fetch
                let decision: bool = #call;
                #finish
            }
        }
        _ => quote! {
            #fetch
            let mut value = Zval::UNDEF;
            #path(&mut *vm, &mut value, &*op1 #argument2);
            finish(frame, opline, vm, value, #free1, #free2, #width)
        },
    }
}

/// What the slow paths and the fast paths of all opcodes share.
pub(super) fn support(kind: Kind) -> TokenStream {
    let next = continuation::next_checked(1);
    let free = |name: &str, documentation: &str, op1: bool, op2: bool| {
        let head = function_head(name);
        quote! {
            #[doc = #documentation]
            #[inline(never)]
            #head {
                unsafe {
                    (*frame).opline = opline;
                    free_consumed(frame, opline, vm, #op1, #op2);
                    #next;
                }
            }
        }
    };
    let free1 = free("free_op1", " Frees op1 and goes on.", true, false);
    let free2 = free("free_op2", " Frees op2 and goes on.", false, true);
    let free_both = free(
        "free_operands",
        " Frees both operands and goes on.",
        true,
        true,
    );
    let functions = continuation::functions(kind);
    quote! {
        use crate::frame::Frame;
        use crate::interpreter::operand;
        use crate::op::{self, Op};
        use crate::value::Zval;
        use crate::vm::Vm;

        #functions

        #free1
        #free2
        #free_both

        /// Frees the operands that are temporaries.
        ///
        /// # Safety
        /// The opline is being executed in the frame, and does not use the operands any more.
        #[inline(always)]
        unsafe fn free_consumed(
            frame: *mut Frame,
            opline: *const Op,
            vm: *mut Vm,
            op1: bool,
            op2: bool,
        ) {
            unsafe {
                if op1 && (*opline).op1_type & (op::IS_TMP_VAR | op::IS_VAR) != 0 {
                    operand::free(vm, operand::slot(frame, (*opline).op1));
                }
                if op2 && (*opline).op2_type & (op::IS_TMP_VAR | op::IS_VAR) != 0 {
                    operand::free(vm, operand::slot(frame, (*opline).op2));
                }
            }
        }

        /// Stores the result of a slow function, frees the operands, and gives the opline to go on
        /// with: a throw has redirected the frame's.
        ///
        /// # Safety
        /// The opline is being executed in the frame; the value is owned.
        pub(super) unsafe fn finish(
            frame: *mut Frame,
            opline: *const Op,
            vm: *mut Vm,
            value: Zval,
            op1: bool,
            op2: bool,
            width: usize,
        ) -> *const Op {
            unsafe {
                let mut value = value;
                let kind = (*opline).result_type & 0xf;
                if kind == op::IS_TMP_VAR || kind == op::IS_VAR {
                    *operand::slot(frame, (*opline).result) = value;
                    free_consumed(frame, opline, vm, op1, op2);
                } else {
                    free_consumed(frame, opline, vm, op1, op2);
                    // What throws is not assigned.
                    if kind == op::IS_CV && core::ptr::eq((*frame).opline, opline) {
                        let variable = operand::slot(frame, (*opline).result);
                        crate::interpreter::assign_result(vm, variable, value);
                    } else {
                        operand::free(vm, &raw mut value);
                    }
                }
                // A result that is a CV stands for the ASSIGN that follows, too.
                (*frame).opline.add(width + usize::from(kind == op::IS_CV))
            }
        }

        /// As [`finish`] for a truth value: takes the smart branch if the opline has one.
        ///
        /// # Safety
        /// The opline is being executed in the frame.
        pub(super) unsafe fn finish_condition(
            frame: *mut Frame,
            opline: *const Op,
            vm: *mut Vm,
            decision: bool,
            op1: bool,
            op2: bool,
            width: usize,
        ) -> *const Op {
            unsafe {
                let smart = (*opline).result_type & (op::IS_SMART_BRANCH_JMPZ | op::IS_SMART_BRANCH_JMPNZ);
                if smart == 0 {
                    let mut value = Zval::UNDEF;
                    value.set_bool(decision);
                    return finish(frame, opline, vm, value, op1, op2, width);
                }
                free_consumed(frame, opline, vm, op1, op2);
                if !core::ptr::eq((*frame).opline, opline) {
                    return (*frame).opline.add(1);
                }
                if decision == (smart == op::IS_SMART_BRANCH_JMPNZ) {
                    smart_target(opline)
                } else {
                    opline.add(width + 1)
                }
            }
        }

        /// As [`finish`] for a truth value that has chosen where to go on.
        ///
        /// # Safety
        /// The opline is being executed in the frame.
        pub(super) unsafe fn finish_branch(
            frame: *mut Frame,
            opline: *const Op,
            vm: *mut Vm,
            store: bool,
            decision: bool,
            op1: bool,
            op2: bool,
            target: *const Op,
        ) -> *const Op {
            unsafe {
                free_consumed(frame, opline, vm, op1, op2);
                if store {
                    (*operand::slot(frame, (*opline).result)).set_bool(decision);
                }
                if !core::ptr::eq((*frame).opline, opline) {
                    return (*frame).opline.add(1);
                }
                target
            }
        }
    }
}
