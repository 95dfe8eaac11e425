//! What a Fiber object holds.

use std::any::Any;
use std::ptr::{NonNull, null, null_mut};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, Yielder};

use crate::frame::{Frame, VmStack};
use crate::heap::Heap;
use crate::interpreter::callback::Callee;
use crate::interpreter::suspended::visit_stack;
use crate::object::{NativeData, PhpObject};
use crate::value::{ArrayHandle, ObjectHandle, Value, Zval};

/// Native stacks of fibers that have ended, for the next ones.
#[derive(Default)]
pub struct SpareStacks(pub Vec<DefaultStack>);

impl std::fmt::Debug for SpareStacks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} spare stacks", self.0.len())
    }
}

/// Where a fiber is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Not started.
    Initial,
    /// Running, or waiting for a fiber that it resumed.
    Running,
    /// Waiting to be resumed.
    Suspended,
    /// Ended.
    Dead,
}

/// How a fiber ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It has not.
    None,
    /// It returned.
    Returned,
    /// It threw.
    Threw,
    /// A fatal error ended the script in it.
    Aborted,
}

/// What goes through a switch.
pub enum Transfer {
    /// A value.
    Value(Value),
    /// An exception.
    Exception(ObjectHandle),
    /// The fiber is being destroyed: it is to end.
    Destroy,
}

/// What the fiber's function is called with.
pub struct Arguments {
    /// By position.
    pub positional: Vec<Value>,
    /// By name.
    pub named: Option<ArrayHandle>,
}

/// What belongs to a stack of calls. While a fiber runs, this is who resumed it; else the fiber.
pub struct Context {
    /// The innermost frame.
    pub frame: *mut Frame,
    /// The VM stack.
    pub stack: VmStack,
    /// The levels that `@` left.
    pub reporting: u32,
    /// Nesting of destruction.
    pub destroy_depth: u32,
    /// Where the native stack counts as used up.
    pub stack_limit: usize,
}

/// The native part of a Fiber object.
pub struct Fiber {
    /// The object this is part of; null before its constructor was called.
    pub object: *mut PhpObject,
    /// Where it is in its life.
    pub status: Status,
    /// How it ended.
    pub outcome: Outcome,
    /// Being destroyed: it may not be suspended again.
    pub destroyed: bool,
    /// The function, kept as long as the fiber.
    pub callable: Value,
    /// What calling it calls, until it is called.
    pub callee: Option<Callee>,
    /// What it is called with, until then.
    pub arguments: Option<Arguments>,
    /// The value or exception on its way in or out.
    pub transfer: Transfer,
    /// What it returned.
    pub returned: Value,
    /// The native stack, once started.
    pub coroutine: Option<Coroutine<(), (), (), DefaultStack>>,
    /// Counts what is used of it.
    pub(crate) stack_memory: Option<crate::limits::Foreign>,
    /// The way back to who resumed it, while it runs.
    pub yielder: *const Yielder<(), ()>,
    /// See [`Context`].
    pub context: Option<Context>,
    /// The outermost frame of its VM stack: it stands for the fiber itself and links to who
    /// resumed it.
    pub bottom: *mut Frame,
    /// Memory of the VM stack's first page.
    pub memory: Option<NonNull<u8>>,
    /// The fiber that was running when this one was resumed, or null.
    pub resumer: *mut Fiber,
}

impl Default for Fiber {
    fn default() -> Fiber {
        Fiber::new()
    }
}

impl Fiber {
    /// A fiber without a function.
    pub fn new() -> Fiber {
        Fiber {
            object: null_mut(),
            status: Status::Initial,
            outcome: Outcome::None,
            destroyed: false,
            callable: Value::UNDEF,
            callee: None,
            arguments: None,
            transfer: Transfer::Value(Value::NULL),
            returned: Value::NULL,
            coroutine: None,
            stack_memory: None,
            yielder: null(),
            context: None,
            bottom: null_mut(),
            memory: None,
            resumer: null_mut(),
        }
    }

    /// Frees the VM stack of a fiber that has ended.
    pub fn free_stack(&mut self) {
        self.context = None;
        self.bottom = null_mut();
        if let Some(memory) = self.memory.take() {
            // SAFETY: I2: allocated when the fiber started; its stack is gone.
            unsafe { Heap::free(memory.as_ptr()) };
        }
    }
}

impl NativeData for Fiber {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(self.callable.as_zval());
        visitor(self.returned.as_zval());
        match &self.transfer {
            Transfer::Value(value) => visitor(value.as_zval()),
            Transfer::Exception(object) => visitor(&Zval::from_object(object.as_ptr())),
            Transfer::Destroy => {}
        }
        if let Some(callee) = &self.callee {
            for object in [&callee.this, &callee.closure].into_iter().flatten() {
                visitor(&Zval::from_object(object.as_ptr()));
            }
        }
        if let Some(arguments) = &self.arguments {
            for value in &arguments.positional {
                visitor(value.as_zval());
            }
            if let Some(named) = &arguments.named {
                visitor(&Zval::from_any_array(named.as_ptr()));
            }
        }
        if self.status == Status::Suspended
            && let Some(context) = &self.context
        {
            // SAFETY: I4: the frames of a suspended fiber are live.
            unsafe { visit_stack(context.frame, self.bottom, visitor) };
        }
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        let Some(coroutine) = &mut self.coroutine else {
            return;
        };
        if coroutine.started() && !coroutine.done() {
            // Only after a fatal error: destructors end fibers otherwise. What is on its stack is
            // lost with the heap.
            // SAFETY: nothing runs on that stack again.
            unsafe { coroutine.force_reset() };
        }
        self.coroutine = None;
        self.stack_memory = None;
        self.free_stack();
    }
}
