//! RecursiveTreeIterator: a tree as ASCII art.

use vm_runtime::class::{NativeClass, NativeHandlers, method};
use vm_runtime::function::Call;
use vm_runtime::object::{PhpObject, new_object};
use vm_runtime::operators::{to_bool, to_string};
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::recursive::{HANDLERS, construct, levels, top, walk};
use crate::spl::this;

const BYPASS_CURRENT: i64 = 4;
const BYPASS_KEY: i64 = 8;

/// What the tree form adds.
pub(super) struct Tree {
    flags: i64,
    parts: [Vec<u8>; 6],
    postfix: Vec<u8>,
}

impl Tree {
    pub(super) fn new(_vm: &mut Vm) -> Tree {
        let parts = ["", "| ", "  ", "|-", "\\-", ""].map(|part| part.as_bytes().to_vec());
        Tree {
            flags: BYPASS_KEY,
            parts,
            postfix: Vec::new(),
        }
    }
}

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new(
    "class RecursiveTreeIterator extends RecursiveIteratorIterator",
)
.constants(&[
    "int BYPASS_CURRENT = 4",
    "int BYPASS_KEY = 8",
    "int PREFIX_LEFT = 0",
    "int PREFIX_MID_HAS_NEXT = 1",
    "int PREFIX_MID_LAST = 2",
    "int PREFIX_END_HAS_NEXT = 3",
    "int PREFIX_END_LAST = 4",
    "int PREFIX_RIGHT = 5",
])
.handlers(&NativeHandlers {
    // Its elements and keys are its own.
    fetch: None,
    ..HANDLERS
})
.methods(&[
    method(
        "#[Unchecked(1, 2, 3, 4)] public function __construct($iterator, int $flags = RecursiveTreeIterator::BYPASS_KEY, int $cachingIteratorFlags = CachingIterator::CATCH_GET_CHILD, int $mode = RecursiveTreeIterator::SELF_FIRST)",
        construct_tree,
    ),
    method("tentative public function key(): mixed", |call| {
        let object = this(call);
        let iterator = top(call)?;
        let key = call.vm.call_method(&iterator, b"key", Vec::new())?;
        if walk(&object).tree.flags & BYPASS_KEY != 0 {
            return Ok(key);
        }
        let key = to_string(call.vm, &key)?;
        let mut text = prefix(call.vm, &object)?;
        text.extend_from_slice(key.as_bytes());
        text.extend_from_slice(&walk(&object).tree.postfix);
        Ok(call.vm.string(text).into())
    }),
    method("tentative public function current(): mixed", |call| {
        let object = this(call);
        let iterator = top(call)?;
        if walk(&object).tree.flags & BYPASS_CURRENT != 0 {
            return call.vm.call_method(&iterator, b"current", Vec::new());
        }
        let Some(entry) = entry(call.vm, &iterator)? else { return Ok(Value::NULL) };
        let mut text = prefix(call.vm, &object)?;
        text.extend_from_slice(&entry);
        text.extend_from_slice(&walk(&object).tree.postfix);
        Ok(call.vm.string(text).into())
    }),
    method("tentative public function getPrefix(): string", |call| {
        let object = this(call);
        top(call)?;
        let text = prefix(call.vm, &object)?;
        Ok(call.vm.string(text).into())
    }),
    method("tentative public function setPostfix(string $postfix): void", |call| {
        let postfix = call.bytes(0).to_vec();
        walk(&this(call)).tree.postfix = postfix;
        Ok(Value::NULL)
    }),
    method("tentative public function setPrefixPart(int $part, string $value): void", |call| {
        let (part, value) = (call.long(0), call.bytes(1).to_vec());
        if !(0..=5).contains(&part) {
            return Err(call.value_error(0, "must be a RecursiveTreeIterator::PREFIX_* constant"));
        }
        walk(&this(call)).tree.parts[part as usize] = value;
        Ok(Value::NULL)
    }),
    method("tentative public function getEntry(): string", |call| {
        let iterator = top(call)?;
        let entry = entry(call.vm, &iterator)?.unwrap_or_default();
        Ok(call.vm.string(entry).into())
    }),
    method("tentative public function getPostfix(): string", |call| {
        let object = this(call);
        top(call)?;
        let postfix = walk(&object).tree.postfix.clone();
        Ok(call.vm.string(postfix).into())
    }),
])];

/// Wraps the root in a RecursiveCachingIterator, so that each level knows whether more follows.
fn construct_tree(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let given = super::recursive::root(call)?;
    let (flags, caching_flags, mode) = (call.long(1), call.long(2), call.long(3));
    let aggregate = call
        .vm
        .known_class(vm_runtime::exceptions::KnownClass::IteratorAggregate);
    let root = match given.class().is_subclass_of(aggregate) {
        true => call.vm.call_method(&given, b"getiterator", Vec::new())?,
        false => given.into(),
    };
    let Some(class) = call.vm.linked_class(b"recursivecachingiterator") else {
        return Ok(Value::NULL);
    };
    let caching = new_object(call.vm, class)?;
    let constructor = caching.class().magic.construct;
    call.vm.call_function(
        constructor,
        Some(caching.clone()),
        class,
        vec![root, caching_flags.into()],
    )?;
    construct(call, caching, mode, flags)?;
    walk(&object).tree.flags = flags;
    Ok(Value::NULL)
}

/// The art in front of an element.
fn prefix(vm: &mut Vm, object: &PhpObject) -> PhpResult<Vec<u8>> {
    let parts = walk(object).tree.parts.clone();
    let levels: Vec<ObjectHandle> = levels(object);
    let mut text = parts[0].clone();
    for (index, level) in levels.iter().enumerate() {
        let more = vm.call_method(level, b"hasnext", Vec::new())?;
        let last = index + 1 == levels.len();
        let part = match (last, to_bool(&more)) {
            (false, true) => 1,
            (false, false) => 2,
            (true, true) => 3,
            (true, false) => 4,
        };
        text.extend_from_slice(&parts[part]);
    }
    text.extend_from_slice(&parts[5]);
    Ok(text)
}

/// The current element as text; arrays are `Array` without the usual warning.
fn entry(vm: &mut Vm, iterator: &ObjectHandle) -> PhpResult<Option<Vec<u8>>> {
    let value = vm.call_method(iterator, b"current", Vec::new())?;
    if value.is_undef() {
        return Ok(None);
    }
    if value.kind() == vm_runtime::value::ARRAY {
        return Ok(Some(b"Array".to_vec()));
    }
    let text = to_string(vm, &value)?;
    vm.check()?;
    Ok(Some(text.as_bytes().to_vec()))
}
