//! Slow paths: one unspecialised function for each opcode.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{clause, continuation, count, function_head};
use crate::Kind;
use vm_def::grammar::SlowClass;

use crate::model::{Definitions, Opcode, SlowForm, SlowPath};

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
    let count = count("Slow");
    quote! {
        #[doc = #documentation]
        #[cold]
        #[inline(never)]
        #head {
            unsafe {
                #count
                let next: *const Op = #compute(frame, opline, vm);
                #poll
                #follow;
            }
        }

        #[inline(never)]
        pub unsafe extern "C-unwind" fn #compute(
            frame: *mut Frame,
            opline: *const Op,
            vm: *mut Vm,
        ) -> *const Op {
            unsafe { #body }
        }
    }
}

/// In debug builds holds a function to what it promises, until the end of the block.
pub(super) fn trap(what: &str, class: SlowClass) -> TokenStream {
    let class = format_ident!("{class:?}");
    quote! {
        #[cfg(debug_assertions)]
        let _promise = crate::interpreter::promise::Promise::new(
            vm,
            #what,
            vm_def::grammar::SlowClass::#class,
        );
    }
}

/// A function that goes on where an ordinary function says.
pub(super) fn handler(name: &str, documentation: &str, slow: &SlowPath) -> TokenStream {
    let head = function_head(name);
    let path = &slow.path;
    let compute = format_ident!("{}__compute", name.trim_end_matches("__slow"));
    let follow = continuation::follow(&quote!(#compute(frame, opline, vm)));
    // Helpers are no oplines' own.
    let count = name.ends_with("__slow").then(|| count("Slow"));
    let trap = slow.class().map(|class| trap(name, class));
    quote! {
        #[doc = #documentation]
        #[inline(never)]
        #head {
            unsafe { #count #follow; }
        }

        // A function of its own: its locals must not stand in the way of the tail call.
        #[inline(never)]
        pub unsafe extern "C-unwind" fn #compute(
            frame: *mut Frame,
            opline: *const Op,
            vm: *mut Vm,
        ) -> *const Op {
            unsafe {
                #trap
                #path(frame, opline, vm)
            }
        }
    }
}

/// The slow paths by opcode, for whoever executes an opline without its handler.
pub(super) fn table(definitions: &Definitions) -> TokenStream {
    let mut entries = vec![quote!(None); 256];
    for opcode in &definitions.opcodes {
        let target = match &opcode.alias {
            Some(alias) => definitions
                .opcodes
                .iter()
                .find(|other| other.name.value == alias.value),
            None => Some(opcode),
        };
        let Some(target) = target.filter(|target| target.slow.is_some() && !target.define_only)
        else {
            continue;
        };
        let family = super::module_name(&target.family);
        let name = format_ident!("{}__compute", target.function_name());
        entries[opcode.number.value as usize] =
            quote!(Some(super::handlers::#family::#name as Handler));
    }
    quote! {
        /// For each opcode the function that executes an opline without any fast path and gives the
        /// one to go on with, in the VM's current frame.
        pub static SLOW_PATHS: [Option<Handler>; 256] = [#(#entries),*];
    }
}

/// Fetches, calls, stores, frees.
fn compute_body(opcode: &Opcode, slow: &SlowPath) -> TokenStream {
    let path = &slow.path;
    let binary = match slow.form {
        SlowForm::Value { binary } | SlowForm::Condition { binary, .. } => binary,
        SlowForm::Handler => return quote!(),
    };
    let argument2 = binary.then(|| quote!(, &*op2));
    let free1 = !opcode.op1.keep;
    let free2 = binary && !opcode.op2.keep;
    let width = opcode.width();
    let fetch = match binary {
        true => quote!(let (op1, op2, held) = operand::read_both(frame, opline, vm);),
        false => quote!(let op1: *const Zval = operand::read_op1(frame, opline, vm);),
    };
    let fetch = quote! {
        (*frame).opline = opline;
        #fetch
    };
    // Destructors run before it is asked whether something was thrown.
    let let_go = binary.then(|| quote!(drop(held);));
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
                    let target = clause::jump_target(*field);
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
                #let_go
                #finish
            }
        }
        _ => quote! {
            #fetch
            let mut value = Zval::UNDEF;
            #path(&mut *vm, &mut value, &*op1 #argument2);
            #let_go
            finish(frame, opline, vm, value, #free1, #free2, #width)
        },
    }
}

/// The sets of operands that fast paths leave to a shared function to free: op1, op2, OP_DATA.
const FREED: [(bool, bool, bool); 7] = [
    (true, false, false),
    (false, true, false),
    (true, true, false),
    (false, false, true),
    (true, false, true),
    (false, true, true),
    (true, true, true),
];

/// The function that frees these operands and goes on `skip` oplines further.
pub(super) fn free_name(freed: (bool, bool, bool), skip: usize) -> proc_macro2::Ident {
    let word = |freed: bool, word: &'static str| if freed { word } else { "" };
    format_ident!(
        "free{}{}{}__{skip}",
        word(freed.0, "_op1"),
        word(freed.1, "_op2"),
        word(freed.2, "_data")
    )
}

fn free_function(freed: (bool, bool, bool), skip: usize) -> TokenStream {
    let head = function_head(&free_name(freed, skip).to_string());
    let next = continuation::next_checked(skip);
    let (op1, op2, data) = freed;
    let free_data = data.then(|| {
        quote! {
            let data = opline.add(1);
            operand::free_operand(frame, (*data).op1_type, (*data).op1);
        }
    });
    quote! {
        /// Frees operands and goes on.
        #[inline(never)]
        #head {
            unsafe {
                (*frame).opline = opline;
                free_consumed(frame, opline, vm, #op1, #op2);
                #free_data
                #next;
            }
        }
    }
}

/// What the slow paths and the fast paths of all opcodes share.
pub(super) fn support(kind: Kind) -> TokenStream {
    let frees = FREED
        .iter()
        .flat_map(|freed| (1..=3).map(move |skip| free_function(*freed, skip)));
    let functions = continuation::functions(kind);
    quote! {
        use crate::frame::Frame;
        use crate::interpreter::operand;
        use crate::op::{self, Op};
        use crate::value::Zval;
        use crate::vm::Vm;

        #functions

        #(#frees)*

        /// Reads a field as a word.
        ///
        /// # Safety
        /// The field is live and has 8 bytes.
        #[inline(always)]
        pub(super) unsafe fn raw_word<T>(field: *const T) -> i64 {
            unsafe { *field.cast::<i64>() }
        }

        /// Writes a field as a word.
        ///
        /// # Safety
        /// As for [`raw_word`]; the word is a value of the field's type.
        #[inline(always)]
        pub(super) unsafe fn set_raw_word<T>(field: *mut T, value: i64) {
            unsafe { *field.cast::<i64>() = value }
        }

        /// Writes a field that is a pointer.
        ///
        /// # Safety
        /// As for [`set_raw_word`].
        #[inline(always)]
        pub(super) unsafe fn set_raw_pointer<T>(field: *mut T, value: *const ()) {
            unsafe { *field.cast::<*const ()>() = value }
        }

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
