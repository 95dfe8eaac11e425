//! What frames own, for the cycle collector.

use crate::frame::{Frame, call_info};
use crate::interpreter::exceptions::sent_arguments;
use crate::interpreter::generators;
use crate::interpreter::operand::slot;
use crate::op::Op;
use crate::op_array::LiveKind;
use crate::value::Zval;

/// Shows what a user frame owns: variables, temporaries, `$this`. Calls that are being prepared are
/// left out. The variables of top-level code belong to a symbol table elsewhere.
pub unsafe fn visit_frame(frame: *mut Frame, visitor: &mut dyn FnMut(&Zval)) {
    let function = (*frame).function;
    let info = (*frame).call_info();
    if info & call_info::CODE == 0 {
        for number in 0..(*function).variables {
            visitor(&*(*frame).slot(number));
        }
        if info & call_info::HAS_SYMBOL_TABLE != 0 {
            visitor(&Zval::from_array((*frame).symbol_table));
        }
    }
    if info & call_info::FREE_EXTRA_ARGUMENTS != 0 {
        for number in (*function).parameter_count..(*frame).argument_count() {
            visitor(&*(*frame).slot(number - (*function).parameter_count + (*function).slots));
        }
    }
    visit_extras(frame, visitor);
    visit_temporaries(frame, visitor);
}

/// Shows the temporaries that live at the opline where a user frame is.
pub unsafe fn visit_temporaries(frame: *mut Frame, visitor: &mut dyn FnMut(&Zval)) {
    let code = &*(*(*frame).function).op_array;
    // What the unwinder is about to release is nobody's: it keeps its owner until then.
    let Some(number) = (*(*frame).function).find((*frame).opline) else {
        return;
    };
    let number = number as u32;
    for range in &code.live_ranges {
        if range.start <= number
            && number < range.end
            && matches!(
                range.kind,
                LiveKind::Temporary | LiveKind::New | LiveKind::Loop
            )
        {
            visitor(&*slot(frame, range.variable));
        }
    }
}

/// Shows what a call that is being prepared owns; `opline` is as for [`sent_arguments`].
pub unsafe fn visit_prepared(
    call: *mut Frame,
    opline: &mut *const Op,
    visitor: &mut dyn FnMut(&Zval),
) {
    for number in 0..sent_arguments(call, opline) {
        visitor(&*(*call).slot(number));
    }
    visit_extras(call, visitor);
}

/// `$this`, the closure being called, and named arguments.
unsafe fn visit_extras(frame: *mut Frame, visitor: &mut dyn FnMut(&Zval)) {
    let info = (*frame).call_info();
    if info & call_info::RELEASE_THIS != 0 && (*frame).has_this() {
        visitor(&Zval::from_object((*frame).this.object()));
    }
    if info & call_info::CLOSURE != 0 {
        visitor(&Zval::from_object((*(*frame).function).closure));
    }
    if info & call_info::HAS_EXTRA_NAMED != 0 && !(*frame).extra_named.is_null() {
        visitor(&Zval::from_array((*frame).extra_named));
    }
}

/// Shows what the frames of a suspended fiber own, from `innermost` down to `bottom`, which owns
/// nothing.
pub unsafe fn visit_stack(
    innermost: *mut Frame,
    bottom: *mut Frame,
    visitor: &mut dyn FnMut(&Zval),
) {
    let mut frame = innermost;
    while !frame.is_null() && frame != bottom {
        if !(*frame).is_user() {
            // As in PHP its arguments are not shown: they seem to have another owner.
            visit_extras(frame, visitor);
        } else if (*frame).call_info() & call_info::GENERATOR == 0
            || (*generators::of_frame(frame)).running
        {
            // A generator shows its frame itself, unless it is being executed.
            visit_frame(frame, visitor);
            let mut opline = (*frame).opline;
            // As for temporaries.
            let mut call = match (*(*frame).function).find(opline) {
                Some(_) => (*frame).call,
                None => std::ptr::null_mut(),
            };
            while !call.is_null() {
                visit_prepared(call, &mut opline, visitor);
                call = (*call).previous;
            }
        }
        frame = (*frame).previous;
    }
}
