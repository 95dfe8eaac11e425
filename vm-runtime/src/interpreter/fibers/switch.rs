//! Starting, resuming and suspending fibers.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::{null, null_mut};

use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::exceptions::KnownClass;
use crate::frame::{Frame, VmStack};
use crate::interpreter::callback::Callee;
use crate::interpreter::fibers::state::{Arguments, Context, Fiber, Outcome, Status, Transfer};
use crate::limits;
use crate::object::PhpObject;
use crate::value::{ObjectHandle, Value};
use crate::vm::{PhpResult, Thrown, Vm};

/// Bytes of a fiber's native stack if `fiber.stack_size` does not say otherwise.
const NATIVE_STACK: usize = 2 * 1024 * 1024;
/// The least that `fiber.stack_size` may say.
const SMALLEST_SETTING: i64 = 8 * 1024;
/// The least that a fiber gets: less is not enough for the engine itself.
const SMALLEST_STACK: usize = 512 * 1024;
/// Bytes of the first page of a fiber's VM stack.
const VM_STACK: usize = 16 * 1024;
/// Native stacks kept for later fibers.
const SPARE_STACKS: usize = 16;
/// Bytes of its native stack that a fiber that does little uses, by measurement.
const USED_STACK: usize = 12 * 1024;

/// The native part of a Fiber object.
pub unsafe fn data(object: *mut PhpObject) -> *mut Fiber {
    let native: *mut dyn crate::object::NativeData =
        &raw mut **(*object).native.as_mut().unwrap_unchecked();
    native.cast()
}

/// Bytes of a new fiber's native stack.
unsafe fn stack_size(vm: *mut Vm) -> PhpResult<usize> {
    let Some(setting) = (*vm).ini.get(b"fiber.stack_size").flatten() else {
        return Ok(NATIVE_STACK);
    };
    let (size, _) = crate::ini::parse_quantity(setting);
    if size < SMALLEST_SETTING {
        return Err((*vm).throw_error(
            KnownClass::Exception,
            format!(
                "Fiber stack size is too small, it needs to be at least {SMALLEST_SETTING} bytes"
            ),
        ));
    }
    Ok((size as usize).clamp(SMALLEST_STACK, 1 << 46))
}

#[cold]
unsafe fn no_stack(vm: *mut Vm, error: &std::io::Error) -> Thrown {
    let code = error.raw_os_error().unwrap_or_default();
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    (*vm).throw_error(
        KnownClass::Exception,
        format!("Fiber stack allocate failed: mmap failed: {text} ({code})"),
    )
}

/// Gives a fiber its stacks. It runs when it is first resumed.
pub unsafe fn prepare(vm: *mut Vm, fiber: *mut Fiber) -> PhpResult<()> {
    let size = stack_size(vm)?;
    let native = match size == NATIVE_STACK {
        true => (*vm).fiber_stacks.0.pop(),
        false => None,
    };
    let native = match native {
        Some(stack) => stack,
        None => DefaultStack::new(size).map_err(|error| no_stack(vm, &error))?,
    };
    let memory = (*vm).heap.allocate(VM_STACK);
    (*fiber).memory = Some(memory);
    let mut stack = VmStack::on(memory.as_ptr(), VM_STACK);
    let bottom = stack.top.cast::<Frame>();
    stack.top = bottom.add(1).cast();
    bottom.write_bytes(0, 1);
    (*bottom).function = (*vm).fiber_function();
    (*fiber).bottom = bottom;
    (*fiber).context = Some(Context {
        frame: bottom,
        stack,
        reporting: (*vm).configured_reporting(),
        destroy_depth: 0,
        stack_limit: limits::limit_of_stack(native.limit().get(), size),
    });
    let coroutine = Coroutine::with_stack(native, move |yielder: &Yielder<(), ()>, ()| {
        // SAFETY: I1: the VM and the fiber outlive the coroutine, which the fiber owns.
        unsafe { run(vm, fiber, yielder) }
    });
    (*fiber).coroutine = Some(coroutine);
    (*fiber).stack_memory = Some(limits::Foreign::new(USED_STACK));
    Ok(())
}

/// What runs on the fiber's native stack.
unsafe fn run(vm: *mut Vm, fiber: *mut Fiber, yielder: &Yielder<(), ()>) {
    (*fiber).yielder = yielder;
    let (Some(callee), Some(arguments)) = ((*fiber).callee.take(), (*fiber).arguments.take())
    else {
        return;
    };
    let result = (*vm).call_callee(callee, arguments.positional, arguments.named);
    drop(std::mem::replace(&mut (*fiber).callable, Value::NULL));
    match result {
        Ok(value) => {
            (*fiber).outcome = Outcome::Returned;
            (*fiber).returned = value;
            (*fiber).transfer = Transfer::Value(Value::NULL);
        }
        Err(Thrown) => {
            let exception = (*vm).take_exception();
            (*fiber).transfer = Transfer::Value(Value::NULL);
            match exception {
                Some(exception)
                    if !((*fiber).destroyed && crate::exceptions::is_unwinding(&exception)) =>
                {
                    (*fiber).outcome = Outcome::Threw;
                    (*fiber).transfer = Transfer::Exception(exception);
                }
                _ => {}
            }
        }
    }
}

/// Runs a fiber that calls the destructors of garbage. False if there can be none. The object is
/// kept for the next time if the fiber came to its end.
pub(crate) unsafe fn run_destructors(vm: *mut Vm) -> bool {
    let class = (*vm).known_class(KnownClass::Fiber);
    let object = match (*vm).destructor_fiber.take() {
        Some(object) => object,
        None => match crate::object::new_object(&mut *vm, class) {
            Ok(object) => object,
            Err(Thrown) => return false,
        },
    };
    let fiber = data(object.as_ptr());
    *fiber = Fiber::new();
    (*fiber).object = object.as_ptr();
    (*fiber).callee = Some(Callee {
        function: (*vm).destructor_function(),
        this: None,
        called_class: null_mut(),
        closure: None,
    });
    (*fiber).arguments = Some(Arguments {
        positional: Vec::new(),
        named: None,
    });
    if prepare(vm, fiber).is_err() {
        return false;
    }
    // What a destructor throws stays pending.
    let _ = resume(vm, fiber, Transfer::Value(Value::NULL));
    if (*fiber).status == Status::Dead && object.refcount() == 1 {
        (*vm).destructor_fiber = Some(object);
    }
    true
}

/// Exchanges what belongs to a stack of calls between the VM and the fiber.
unsafe fn exchange(vm: *mut Vm, fiber: *mut Fiber) {
    let Some(context) = &mut (*fiber).context else {
        return;
    };
    std::mem::swap(&mut (*vm).current_frame, &mut context.frame);
    std::mem::swap(&mut (*vm).stack, &mut context.stack);
    std::mem::swap(&mut (*vm).errors.reporting, &mut context.reporting);
    std::mem::swap(&mut (*vm).heap.destroy_depth, &mut context.destroy_depth);
    context.stack_limit = limits::replace_stack_limit(context.stack_limit);
}

/// Runs a fiber until it suspends or ends, and gives what it gave.
pub unsafe fn resume(vm: *mut Vm, fiber: *mut Fiber, transfer: Transfer) -> PhpResult<Value> {
    // The fiber must outlive its run.
    let held = ObjectHandle::share_raw((*fiber).object);
    if !matches!(transfer, Transfer::Destroy) {
        // Nobody has called for a fiber's destruction: backtraces end in the fiber.
        (*(*fiber).bottom).previous = (*vm).current_frame;
    }
    (*fiber).transfer = transfer;
    (*fiber).status = Status::Running;
    (*fiber).resumer = (*vm).fiber;
    (*vm).fiber = fiber;
    exchange(vm, fiber);
    let coroutine: *mut Coroutine<(), (), (), DefaultStack> =
        (*fiber).coroutine.as_mut().unwrap_unchecked();
    let result = catch_unwind(AssertUnwindSafe(|| (*coroutine).resume(())));
    exchange(vm, fiber);
    (*vm).fiber = (*fiber).resumer;
    (*fiber).resumer = null_mut();
    (*(*fiber).bottom).previous = null_mut();
    match result {
        Ok(CoroutineResult::Yield(())) => {}
        Ok(CoroutineResult::Return(())) => finish(vm, fiber),
        Err(payload) => {
            (*fiber).outcome = Outcome::Aborted;
            finish(vm, fiber);
            resume_unwind(payload);
        }
    }
    let transfer = std::mem::replace(&mut (*fiber).transfer, Transfer::Value(Value::NULL));
    drop(held);
    match transfer {
        Transfer::Value(value) => Ok(value),
        Transfer::Exception(exception) => Err((*vm).throw_object(exception)),
        Transfer::Destroy => Ok(Value::NULL),
    }
}

/// Takes the stacks of a fiber that has ended.
unsafe fn finish(vm: *mut Vm, fiber: *mut Fiber) {
    (*fiber).status = Status::Dead;
    (*fiber).yielder = null();
    (&mut *fiber).free_stack();
    (*fiber).stack_memory = None;
    if let Some(coroutine) = (*fiber).coroutine.take()
        && (*vm).fiber_stacks.0.len() < SPARE_STACKS
    {
        let stack = coroutine.into_stack();
        if stack.base().get() - stack.limit().get() >= NATIVE_STACK {
            (*vm).fiber_stacks.0.push(stack);
        }
    }
}

/// Suspends the running fiber. Comes back when it is resumed.
pub unsafe fn suspend(vm: *mut Vm, fiber: *mut Fiber, value: Value) -> PhpResult<Value> {
    (*fiber).status = Status::Suspended;
    (*fiber).transfer = Transfer::Value(value);
    (*(*fiber).yielder).suspend(());
    let transfer = std::mem::replace(&mut (*fiber).transfer, Transfer::Value(Value::NULL));
    match transfer {
        Transfer::Value(value) => Ok(value),
        Transfer::Exception(exception) => Err((*vm).throw_object(exception)),
        Transfer::Destroy => Err(crate::exceptions::throw_graceful_exit(&mut *vm)),
    }
}

/// The destructor of Fiber objects: a suspended fiber is ended, and its finally blocks run.
pub fn destruct(vm: &mut Vm, object: *mut PhpObject) {
    // SAFETY: the module's contract: the object is a fiber of this VM.
    unsafe {
        let fiber = data(object);
        if (*fiber).status != Status::Suspended || vm.fatal {
            return;
        }
        (*fiber).destroyed = true;
        let _ = resume(vm, fiber, Transfer::Destroy);
    }
}
