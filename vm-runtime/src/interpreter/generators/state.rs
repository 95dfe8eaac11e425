//! What a Generator object holds.

use std::any::Any;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use foldhash::fast::FixedState;
use hashbrown::HashSet;

use crate::frame::Frame;
use crate::function::Function;
use crate::heap::Heap;
use crate::interpreter::generators::{delegation, frame};
use crate::object::{NativeData, PhpObject};
use crate::value::{ArrayHandle, ObjectHandle, Zval, release};

/// What `yield from` takes values from, other generators apart.
pub enum Source {
    /// An array.
    Array {
        /// The array.
        array: ArrayHandle,
        /// Where the next element is looked for.
        position: u32,
    },
    /// An object whose class has hooks: its properties.
    Properties {
        /// The object.
        object: ObjectHandle,
        /// Where the next property is looked for.
        position: u32,
    },
    /// An object that implements Iterator.
    Iterator {
        /// The iterator, rewound.
        iterator: ObjectHandle,
        /// True once its first element was fetched.
        started: bool,
    },
}

/// A call that was being prepared when its generator was suspended: its frame as it stood on the
/// VM stack.
pub type FrozenCall = Box<[MaybeUninit<Zval>]>;

/// The generators that delegate to a generator.
#[derive(Default)]
pub enum Consumers {
    /// None.
    #[default]
    None,
    /// One, as nearly always.
    One(*mut Generator),
    /// Several, which share its values: there may be very many, and each goes by itself.
    Many(HashSet<*mut Generator, FixedState>),
}

impl Consumers {
    /// Adds one.
    pub fn add(&mut self, consumer: *mut Generator) {
        match self {
            Consumers::None => *self = Consumers::One(consumer),
            Consumers::One(first) => {
                *self = Consumers::Many([*first, consumer].into_iter().collect())
            }
            Consumers::Many(set) => {
                set.insert(consumer);
            }
        }
    }

    /// Removes one.
    pub fn remove(&mut self, consumer: *mut Generator) {
        match self {
            Consumers::None => {}
            Consumers::One(_) => *self = Consumers::None,
            Consumers::Many(set) => {
                set.remove(&consumer);
                if let (1, Some(&last)) = (set.len(), set.iter().next()) {
                    *self = Consumers::One(last);
                }
            }
        }
    }
}

/// The native part of a Generator object. It is referred to by address: it never moves.
pub struct Generator {
    /// The object this is part of.
    pub object: *mut PhpObject,
    /// The frame, null once the generator has ended.
    pub frame: *mut Frame,
    /// Calls being prepared while it is suspended, innermost first.
    pub frozen: Vec<FrozenCall>,
    /// The current value; undefined before the first one.
    pub value: Zval,
    /// The current key.
    pub key: Zval,
    /// The value returned; undefined before.
    pub returned: Zval,
    /// Where `send()` puts its value, or null.
    pub send_target: *mut Zval,
    /// The largest integer key so far; automatic keys follow it.
    pub largest_key: i64,
    /// What `yield from` is iterating over.
    pub source: Option<Source>,
    /// The generator that `yield from` has handed over to.
    pub delegate: Option<ObjectHandle>,
    /// The generators that have handed over to this one.
    pub consumers: Consumers,
    /// The end of the chain of delegates, as last found; null if not known. Its `outer` is this.
    pub leaf: *mut Generator,
    /// The generator whose `leaf` this is, or null.
    pub outer: *mut Generator,
    /// Being executed.
    pub running: bool,
    /// It has come to `yield from` another generator but not been resumed itself since.
    pub handed_over: bool,
    /// Suspended where it stopped first: it may be rewound.
    pub at_first_yield: bool,
    /// Being destroyed: its finally blocks run, but it cannot be suspended any more.
    pub forced_close: bool,
    /// The function.
    pub function: *const Function,
    /// The closure that the function belongs to.
    pub closure: Option<ObjectHandle>,
}

impl Generator {
    /// Whether its values are its own, and those of no other generator.
    pub fn stands_alone(&self) -> bool {
        self.leaf.is_null() && self.outer.is_null() && self.delegate.is_none()
    }

    /// Whether it has come to a value of its own, and nothing has to be done but to go on in its frame for the
    /// next one.
    pub fn is_suspended(&self) -> bool {
        !self.frame.is_null()
            && !self.running
            && !self.value.is_undef()
            && self.stands_alone()
            && self.source.is_none()
            && self.frozen.is_empty()
    }

    /// A generator that has not started.
    pub fn new(
        object: *mut PhpObject,
        frame: *mut Frame,
        closure: Option<ObjectHandle>,
    ) -> Generator {
        Generator {
            object,
            frame,
            frozen: Vec::new(),
            value: Zval::UNDEF,
            key: Zval::UNDEF,
            returned: Zval::UNDEF,
            send_target: null_mut(),
            largest_key: -1,
            source: None,
            delegate: None,
            consumers: Consumers::None,
            leaf: null_mut(),
            outer: null_mut(),
            running: false,
            handed_over: false,
            at_first_yield: false,
            forced_close: false,
            // SAFETY: I4: the frame is live.
            function: unsafe { (*frame).function },
            closure,
        }
    }

    /// Drops the current value and key.
    #[inline]
    pub unsafe fn release_yielded(&mut self) {
        let (value, key) = (self.value.copy(), self.key.copy());
        self.value.set_undef();
        self.key.set_undef();
        release(&value);
        release(&key);
    }
}

impl NativeData for Generator {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(&self.value);
        visitor(&self.key);
        visitor(&self.returned);
        match &self.source {
            Some(Source::Array { array, .. }) => visitor(&Zval::from_any_array(array.as_ptr())),
            Some(Source::Properties { object, .. }) => visitor(&Zval::from_object(object.as_ptr())),
            Some(Source::Iterator { iterator, .. }) => {
                visitor(&Zval::from_object(iterator.as_ptr()))
            }
            None => {}
        }
        if let Some(closure) = &self.closure {
            visitor(&Zval::from_object(closure.as_ptr()));
        }
        if let Some(delegate) = &self.delegate {
            visitor(&Zval::from_object(delegate.as_ptr()));
        }
        if !self.frame.is_null() && !self.running {
            // SAFETY: I4: the generator owns its frame.
            unsafe { frame::visit(self, visitor) };
        }
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        if self.running || std::thread::panicking() {
            // A fatal error left it in the middle, and its frame may be out of order; or it ended the
            // script, and the frame goes with the heap.
            return;
        }
        // SAFETY: I1 and I3: the object is going away; nobody else refers to the generator.
        unsafe {
            delegation::unlink(self);
            self.source = None;
            if !self.frame.is_null() {
                let vm = Heap::of(self.frame).vm;
                frame::close(vm, self, false);
            }
            self.release_yielded();
            release(&self.returned);
        }
    }
}

/// The native part of a Generator object.
#[inline(always)]
pub unsafe fn data(object: *mut PhpObject) -> *mut Generator {
    let native: *mut dyn NativeData = &raw mut **(*object).native.as_mut().unwrap_unchecked();
    native.cast()
}

/// The generator that a generator's frame belongs to.
#[inline(always)]
pub unsafe fn of_frame(frame: *mut Frame) -> *mut Generator {
    data((*frame).return_value.cast())
}
