//! Loops over the properties of objects: which of them are under way, for what must not happen meanwhile.

use hashbrown::HashMap;

use crate::class::Class;
use crate::exceptions::KnownClass;
use crate::frame::{Frame, call_info};
use crate::interpreter::iteration::goes_through;
use crate::interpreter::operand::slot;
use crate::interpreter::{fibers, generators};
use crate::object::PhpObject;
use crate::op_array::LiveKind;
use crate::value::HEADER_FREED;
use crate::vm::Vm;

/// Notes that `frame` begins a loop over the properties of an instance of the class.
pub(super) unsafe fn note(vm: *mut Vm, frame: *mut Frame, class: *mut Class) {
    if (*frame).call_info() & call_info::GENERATOR != 0 || !(*vm).fiber.is_null() {
        (*class).suspends_loops = true;
    }
}

/// How many native loops go through the properties of objects, by their addresses.
#[derive(Debug, Default)]
struct NativeLoops(HashMap<usize, u32, foldhash::fast::FixedState>);

/// Native code begins to go through the object's properties, while code of the script may run.
pub fn begin(vm: &mut Vm, object: *const PhpObject) {
    let loops = vm.extensions.state::<NativeLoops>();
    *loops.0.entry(object as usize).or_default() += 1;
}

/// It has come to its end. The object may be gone.
pub fn end(vm: &mut Vm, object: *const PhpObject) {
    let loops = vm.extensions.state::<NativeLoops>();
    if let hashbrown::hash_map::Entry::Occupied(mut count) = loops.0.entry(object as usize) {
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }
}

/// True if code that runs or is suspended goes through the object's properties.
pub(crate) fn is_gone_through(vm: &mut Vm, object: &PhpObject) -> bool {
    let loops = vm.extensions.state::<NativeLoops>();
    if loops.0.contains_key(&(&raw const *object as usize)) {
        return true;
    }
    // SAFETY: I4: frames from the current one on are live, and so are those of generators and fibers.
    unsafe {
        if stack_goes_through(vm.current_frame, std::ptr::null_mut(), object) {
            return true;
        }
        // Most loops end before anything else happens to their objects; looking at all objects takes its time.
        object.class().suspends_loops
            && vm
                .objects
                .iter()
                .any(|other| suspended_goes_through(vm, other, object))
    }
}

/// True if a suspended generator or fiber goes through the object's properties.
unsafe fn suspended_goes_through(vm: &Vm, other: *mut PhpObject, object: &PhpObject) -> bool {
    if (*other).header.type_info & HEADER_FREED != 0 || (*other).native.is_none() {
        return false;
    }
    if generators::is_generator(vm, &*other) {
        let frame = (*generators::data(other)).frame;
        return !frame.is_null() && frame_goes_through(frame, object);
    }
    if (*other).class != vm.known_class(KnownClass::Fiber) {
        return false;
    }
    let frames = fibers::inspect::suspended_frames(&*other);
    frames.is_some_and(|(innermost, bottom)| stack_goes_through(innermost, bottom, object))
}

/// True if one of the frames from `innermost` down to `bottom` goes through the object's properties.
unsafe fn stack_goes_through(
    innermost: *mut Frame,
    bottom: *mut Frame,
    object: &PhpObject,
) -> bool {
    let mut frame = innermost;
    while !frame.is_null() && frame != bottom {
        if (*frame).is_user() && frame_goes_through(frame, object) {
            return true;
        }
        frame = (*frame).previous;
    }
    false
}

unsafe fn frame_goes_through(frame: *mut Frame, object: &PhpObject) -> bool {
    let function = &*(*frame).function;
    let Some(number) = function.find((*frame).opline) else {
        return false;
    };
    let number = number as u32;
    let ranges = &(*function.op_array).live_ranges;
    ranges
        .iter()
        .filter(|range| range.kind == LiveKind::Loop)
        .filter(|range| range.start <= number && number < range.end)
        .any(|range| goes_through(&*slot(frame, range.variable), object))
}
