//! RecursiveIteratorIterator: a walk over a tree.

use std::any::Any;

use vm_runtime::class::{Class, Fetched, NativeClass, NativeHandlers, Step, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::interpreter::iteration::fetch_element;
use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::operators::to_bool;
use vm_runtime::value::{ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::spl::{this, throw};

const LEAVES_ONLY: i64 = 0;
const SELF_FIRST: i64 = 1;
const CHILD_FIRST: i64 = 2;
const CATCH_GET_CHILD: i64 = 16;

/// What is to be done with the iterator of a level next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Next,
    Test,
    Own,
    Child,
    Start,
}

struct Level {
    iterator: ObjectHandle,
    state: State,
}

/// The native part.
pub(super) struct Walk {
    levels: Vec<Level>,
    mode: i64,
    flags: i64,
    max_depth: i64,
    in_iteration: bool,
    /// RecursiveTreeIterator: its own flags and the parts of the prefix.
    pub(super) tree: super::tree::Tree,
}

impl NativeData for Walk {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        for level in &self.levels {
            visitor(&Zval::from_object(level.iterator.as_ptr()));
        }
    }
}

pub(super) fn create(vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::new(Walk {
        levels: Vec::new(),
        mode: LEAVES_ONLY,
        flags: 0,
        max_depth: -1,
        in_iteration: false,
        tree: super::tree::Tree::new(vm),
    }))
}

pub(super) fn walk(object: &PhpObject) -> &mut Walk {
    object.native::<Walk>().expect("made with the object")
}

pub(super) const HANDLERS: NativeHandlers = NativeHandlers {
    delegate: Some(|object| match walk(object).levels.last() {
        Some(level) => level.iterator.as_ptr(),
        None => std::ptr::null_mut(),
    }),
    step: Some(step),
    fetch: Some(fetch),
    ..NativeHandlers::STANDARD
};

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new(
    "class RecursiveIteratorIterator implements OuterIterator",
)
.flags(class_flags::NOT_CLONEABLE)
.constants(&[
    "int LEAVES_ONLY = 0",
    "int SELF_FIRST = 1",
    "int CHILD_FIRST = 2",
    "int CATCH_GET_CHILD = 16",
])
.create_native(create)
.handlers(&HANDLERS)
.methods(&[
    method(
        "#[Unchecked(1, 2, 3)] public function __construct(Traversable $iterator, int $mode = RecursiveIteratorIterator::LEAVES_ONLY, int $flags = 0)",
        |call| {
            let root = root(call)?;
            let (mode, flags) = (call.long(1), call.long(2));
            construct(call, root, mode, flags)
        },
    ),
    method("tentative public function rewind(): void", |call| {
        let object = this(call);
        rewind(call.vm, &object)?;
        Ok(Value::NULL)
    }),
    method("tentative public function valid(): bool", |call| {
        let object = this(call);
        Ok(valid(call.vm, &object)?.into())
    }),
    method("tentative public function key(): mixed", |call| {
        let iterator = top(call)?;
        call.vm.call_iterator(&iterator, Step::Key)
    }),
    method("tentative public function current(): mixed", |call| {
        let iterator = top(call)?;
        call.vm.call_iterator(&iterator, Step::Current)
    }),
    method("tentative public function next(): void", |call| {
        let object = this(call);
        top(call)?;
        advance(call.vm, &object)?;
        Ok(Value::NULL)
    }),
    method("tentative public function getDepth(): int", |call| {
        top(call)?;
        Ok(Value::from(walk(&this(call)).levels.len() - 1))
    }),
    method(
        "tentative public function getSubIterator(?int $level = null): ?RecursiveIterator",
        |call| {
            top(call)?;
            let object = this(call);
            let levels = &walk(&object).levels;
            let wanted = call.optional_long(0).unwrap_or(levels.len() as i64 - 1);
            let found = usize::try_from(wanted)
                .ok()
                .and_then(|wanted| levels.get(wanted));
            Ok(found.map(|level| level.iterator.clone()).into())
        },
    ),
    method(
        "tentative public function getInnerIterator(): RecursiveIterator",
        |call| Ok(top(call)?.into()),
    ),
    method("tentative public function beginIteration(): void", |_| {
        Ok(Value::NULL)
    }),
    method("tentative public function endIteration(): void", |_| {
        Ok(Value::NULL)
    }),
    method(
        "tentative public function callHasChildren(): bool",
        |call| {
            let object = this(call);
            let Some(iterator) = walk(&object)
                .levels
                .last()
                .map(|level| level.iterator.clone())
            else {
                return Err(uninitialised(call.vm));
            };
            call.vm.call_method(&iterator, b"haschildren", Vec::new())
        },
    ),
    method(
        "tentative public function callGetChildren(): ?RecursiveIterator",
        |call| {
            let iterator = top(call)?;
            call.vm.call_method(&iterator, b"getchildren", Vec::new())
        },
    ),
    method("tentative public function beginChildren(): void", |_| {
        Ok(Value::NULL)
    }),
    method("tentative public function endChildren(): void", |_| {
        Ok(Value::NULL)
    }),
    method("tentative public function nextElement(): void", |_| {
        Ok(Value::NULL)
    }),
    method(
        "tentative public function setMaxDepth(int $maxDepth = -1): void",
        |call| {
            let depth = call.long(0);
            if depth < -1 {
                return Err(call.value_error(0, "must be greater than or equal to -1"));
            }
            walk(&this(call)).max_depth = depth;
            Ok(Value::NULL)
        },
    ),
    method(
        "tentative public function getMaxDepth(): int|false",
        |call| {
            let depth = walk(&this(call)).max_depth;
            Ok(if depth == -1 {
                Value::from(false)
            } else {
                depth.into()
            })
        },
    ),
])];

#[cold]
fn uninitialised(vm: &mut Vm) -> Thrown {
    vm.throw_error(KnownClass::Error, "Object is not initialized")
}

/// What a loop fetches: elements and keys of the iterator of the present level.
fn fetch(
    vm: &mut Vm,
    object: &ObjectHandle,
    goes_on: bool,
    wants_key: bool,
) -> PhpResult<Option<Fetched>> {
    if goes_on {
        step(vm, object, Step::Next)?;
        if !valid(vm, object)? {
            return Ok(None);
        }
    }
    match walk(object).levels.last() {
        Some(level) => {
            let iterator = level.iterator.clone();
            fetch_element(vm, &iterator, false, wants_key)
        }
        None => Err(uninitialised(vm)),
    }
}

/// A step of a loop. Elements and keys are asked of the method, for RecursiveTreeIterator has its own.
fn step(vm: &mut Vm, object: &ObjectHandle, step: Step) -> PhpResult<Value> {
    match step {
        Step::Rewind => rewind(vm, object)?,
        Step::Valid => return Ok(valid(vm, object)?.into()),
        Step::Next => {
            if walk(object).levels.is_empty() {
                return Err(uninitialised(vm));
            }
            advance(vm, object)?;
        }
        Step::Current | Step::Key => {
            let method = object.class().magic.iterator[step as usize];
            return vm.call_plain_method(method, object, []);
        }
    }
    Ok(Value::NULL)
}

/// The iterator of the current level.
pub(super) fn top(call: &mut Call<'_>) -> PhpResult<ObjectHandle> {
    let object = this(call);
    match walk(&object).levels.last() {
        Some(level) => Ok(level.iterator.clone()),
        None => Err(uninitialised(call.vm)),
    }
}

/// The object that is iterated; the other arguments are looked at, too, before what it is.
pub(super) fn root(call: &mut Call<'_>) -> PhpResult<ObjectHandle> {
    let Some(root) = call.value(0).object() else {
        let given = vm_runtime::operators::value_name(call.argument(0));
        return Err(call.type_error(0, &format!("must be of type object, {given} given")));
    };
    call.check_from(1)?;
    Ok(root)
}

/// Takes the root: a RecursiveIterator, or what an IteratorAggregate gives as one.
pub(super) fn construct(
    call: &mut Call<'_>,
    given: ObjectHandle,
    mode: i64,
    flags: i64,
) -> PhpResult<Value> {
    let object = this(call);
    let aggregate = call.vm.known_class(KnownClass::IteratorAggregate);
    let root = if given.class().is_subclass_of(aggregate) {
        let made = call.vm.call_method(&given, b"getiterator", Vec::new())?;
        made.object().unwrap_or(given)
    } else {
        given
    };
    let recursive = call.vm.linked_class(b"recursiveiterator");
    if !recursive.is_some_and(|recursive| root.class().is_subclass_of(recursive)) {
        return Err(throw(
            call.vm,
            "InvalidArgumentException",
            "An instance of RecursiveIterator or IteratorAggregate creating it is required",
        ));
    }
    let walk = walk(&object);
    let first = Level {
        iterator: root,
        state: State::Start,
    };
    let old = std::mem::replace(&mut walk.levels, vec![first]);
    walk.mode = mode;
    walk.flags = flags;
    drop(old);
    Ok(Value::NULL)
}

fn overrides(object: &PhpObject, name: &[u8]) -> bool {
    object.class().flags & class_flags::INTERNAL == 0
        && object.class().methods.get(name).is_some_and(|&method| {
            // SAFETY: I4: methods live as long as their class.
            unsafe { (*method).is_user }
        })
}

/// Asks the object by a method that a class may override, or the iterator of the present level itself.
fn ask(vm: &mut Vm, object: &ObjectHandle, overridden: &[u8], name: &[u8]) -> PhpResult<Value> {
    if overrides(object, overridden) {
        return vm.call_method(object, overridden, Vec::new());
    }
    // Steps that were just taken may have changed the level.
    match walk(object).levels.last() {
        Some(level) => {
            let iterator = level.iterator.clone();
            vm.call_method(&iterator, name, Vec::new())
        }
        None => Err(uninitialised(vm)),
    }
}

/// Calls a hook method of the object, if a class overrides it. CATCH_GET_CHILD is for those that belong to an element
/// or a level.
fn call_hook(
    vm: &mut Vm,
    object: &ObjectHandle,
    name: &[u8],
    may_be_caught: bool,
) -> PhpResult<()> {
    if !overrides(object, name) {
        return Ok(());
    }
    match vm.call_method(object, name, Vec::new()) {
        Err(Thrown) if may_be_caught && walk(object).flags & CATCH_GET_CHILD != 0 => {
            drop(vm.take_exception());
            Ok(())
        }
        result => result.map(drop),
    }
}

fn depth(object: &PhpObject) -> usize {
    walk(object).levels.len() - 1
}

fn set_state(object: &PhpObject, state: State) {
    if let Some(level) = walk(object).levels.last_mut() {
        level.state = state;
    }
}

/// Goes to the next element that the mode shows.
fn advance(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<()> {
    loop {
        let Some((iterator, state)) = walk(object)
            .levels
            .last()
            .map(|level| (level.iterator.clone(), level.state))
        else {
            return Ok(());
        };
        let catches = walk(object).flags & CATCH_GET_CHILD != 0;
        let mut state = state;
        if state == State::Next {
            match vm.call_iterator(&iterator, Step::Next) {
                Err(Thrown) if catches => drop(vm.take_exception()),
                result => drop(result?),
            }
            state = State::Start;
        }
        if state == State::Start {
            let more = vm.call_iterator(&iterator, Step::Valid)?;
            if !to_bool(&more) {
                // This level is done.
                if walk(object).levels.len() > 1 {
                    // The hook still sees the level.
                    call_hook(vm, object, b"endchildren", true)?;
                    if walk(object).levels.len() > 1 {
                        let done = walk(object).levels.pop();
                        drop(done);
                    }
                    continue;
                }
                return Ok(());
            }
            state = State::Test;
            set_state(object, state);
        }
        if state == State::Test {
            let has = match ask(vm, object, b"callhaschildren", b"haschildren") {
                Ok(has) => to_bool(&has),
                // What cannot be asked is a leaf.
                Err(Thrown) if catches => {
                    drop(vm.take_exception());
                    false
                }
                Err(Thrown) => {
                    set_state(object, State::Next);
                    return Err(Thrown);
                }
            };
            let deeper =
                walk(object).max_depth == -1 || walk(object).max_depth > depth(object) as i64;
            let mode = walk(object).mode;
            if !has {
                call_hook(vm, object, b"nextelement", true)?;
                set_state(object, State::Next);
                return Ok(());
            }
            if !deeper {
                // At the greatest depth, branches are shown like leaves unless only leaves are.
                if mode == LEAVES_ONLY {
                    set_state(object, State::Next);
                    continue;
                }
                call_hook(vm, object, b"nextelement", true)?;
                set_state(object, State::Next);
                return Ok(());
            }
            set_state(
                object,
                if mode == SELF_FIRST {
                    State::Own
                } else {
                    State::Child
                },
            );
            continue;
        }
        if state == State::Own {
            let mode = walk(object).mode;
            set_state(
                object,
                if mode == SELF_FIRST {
                    State::Child
                } else {
                    State::Next
                },
            );
            if mode == SELF_FIRST || mode == CHILD_FIRST {
                call_hook(vm, object, b"nextelement", false)?;
            }
            return Ok(());
        }
        // State::Child
        let children = ask(vm, object, b"callgetchildren", b"getchildren");
        let children = match children {
            Ok(children) => children,
            Err(Thrown) if catches => {
                drop(vm.take_exception());
                set_state(object, State::Next);
                continue;
            }
            Err(Thrown) => return Err(Thrown),
        };
        let recursive = vm.linked_class(b"recursiveiterator");
        let child = match children.view() {
            ValueKind::Object(child)
                if recursive.is_some_and(|class| child.class().is_subclass_of(class)) =>
            {
                children.object()
            }
            _ => None,
        };
        let Some(child) = child else {
            return Err(throw(
                vm,
                "UnexpectedValueException",
                "Objects returned by RecursiveIterator::getChildren() must implement RecursiveIterator",
            ));
        };
        let after = if walk(object).mode == CHILD_FIRST {
            State::Own
        } else {
            State::Next
        };
        set_state(object, after);
        walk(object).levels.push(Level {
            iterator: child.clone(),
            state: State::Start,
        });
        vm.call_iterator(&child, Step::Rewind)?;
        call_hook(vm, object, b"beginchildren", true)?;
    }
}

pub(super) fn rewind(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<()> {
    if walk(object).levels.is_empty() {
        return Err(uninitialised(vm));
    }
    while walk(object).levels.len() > 1 {
        let done = walk(object).levels.pop();
        drop(done);
        call_hook(vm, object, b"endchildren", true)?;
    }
    set_state(object, State::Start);
    let root = walk(object).levels[0].iterator.clone();
    vm.call_iterator(&root, Step::Rewind)?;
    if !walk(object).in_iteration {
        call_hook(vm, object, b"beginiteration", false)?;
    }
    walk(object).in_iteration = true;
    advance(vm, object)
}

fn valid(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<bool> {
    if walk(object).levels.is_empty() {
        return Err(uninitialised(vm));
    }
    for index in (0..walk(object).levels.len()).rev() {
        let Some(iterator) = walk(object)
            .levels
            .get(index)
            .map(|level| level.iterator.clone())
        else {
            continue;
        };
        let more = vm.call_iterator(&iterator, Step::Valid)?;
        if to_bool(&more) {
            return Ok(true);
        }
    }
    if walk(object).in_iteration {
        call_hook(vm, object, b"enditeration", false)?;
        walk(object).in_iteration = false;
    }
    Ok(false)
}

/// The iterators of all levels, the root's first.
pub(super) fn levels(object: &PhpObject) -> Vec<ObjectHandle> {
    walk(object)
        .levels
        .iter()
        .map(|level| level.iterator.clone())
        .collect()
}
