//! What reflection sees of a generator.

use crate::frame::Frame;
use crate::function::Function;
use crate::interpreter::generators::state::{Generator, data};
use crate::value::ObjectHandle;

/// A look at a Generator object.
#[derive(Debug)]
pub struct Inspection {
    /// The function, which lives as long as the generator.
    pub function: *const Function,
    /// The closure that the function belongs to.
    pub closure: Option<ObjectHandle>,
    /// `$this`
    pub this: Option<ObjectHandle>,
    /// The generator that `yield from` has led to.
    pub executing: ObjectHandle,
    /// The frames of the generators from that one outwards; none if the generator has ended.
    pub frames: Vec<*mut Frame>,
}

/// Looks at a Generator object.
pub fn inspect(object: &ObjectHandle) -> Inspection {
    // SAFETY: I3: the object is live, and so are the generators it has handed over to.
    unsafe {
        let outer: *mut Generator = data(object.as_ptr());
        let mut frames = Vec::new();
        let mut executing = object.clone();
        let mut node = outer;
        while !(*node).frame.is_null() {
            frames.insert(0, (*node).frame);
            let Some(delegate) = &(*node).delegate else {
                break;
            };
            let below = data(delegate.as_ptr());
            if (*below).frame.is_null() {
                break;
            }
            executing = delegate.clone();
            node = below;
        }
        let this = frames.last().and_then(|&frame| {
            (*frame)
                .has_this()
                .then(|| ObjectHandle::share_raw((*frame).this.object()))
        });
        Inspection {
            function: (*outer).function,
            closure: (*outer).closure.clone(),
            this,
            executing,
            frames,
        }
    }
}
