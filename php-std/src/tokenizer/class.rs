//! The class `PhpToken`.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::exceptions::{set_slot, slot};
use vm_runtime::function::Call;
use vm_runtime::object::instantiate;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::{Token, names, tokenize};
use crate::spl::this;
use crate::support::{Append, hold, new_list, text};

/// Slots of the declared properties.
mod slots {
    pub(super) const ID: u32 = 0;
    pub(super) const TEXT: u32 = 1;
    pub(super) const LINE: u32 = 2;
    pub(super) const POSITION: u32 = 3;
}

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new(
    "class PhpToken implements Stringable",
)
.properties(&[
    "public int $id",
    "public string $text",
    "public int $line",
    "public int $pos",
])
.methods(&[
    method(
        "public static function tokenize(string $code, int $flags = 0): array",
        tokenize_code,
    ),
    method(
        "final public function __construct(int $id, string $text, int $line = -1, int $pos = -1)",
        construct,
    ),
    method("public function is($kind): bool", is),
    method("public function isIgnorable(): bool", is_ignorable),
    method("public function getTokenName(): ?string", get_token_name),
    method("public function __toString(): string", |call| {
        Ok(hold(slot(&this(call), slots::TEXT)))
    }),
])];

fn tokenize_code(call: &mut Call<'_>) -> PhpResult<Value> {
    let (source, flags) = (call.bytes(0), call.long(1));
    // SAFETY: I4: the class a static method was called on is live.
    let class = unsafe { (*call.frame).called_class() };
    let tokens = tokenize(call.vm, source, flags)?;
    let mut result = new_list(call.vm, tokens.len());
    for token in tokens {
        let object = instantiate(call.vm, class)?;
        let Token {
            id, line, position, ..
        } = token;
        let text = call.vm.string(token.text);
        set_slot(&object, slots::ID, id.into());
        set_slot(&object, slots::TEXT, text.into());
        set_slot(&object, slots::LINE, line.into());
        set_slot(&object, slots::POSITION, position.into());
        result.make_mut(call.vm).append(object.into());
    }
    Ok(result.into())
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let text = call.string(1);
    set_slot(&object, slots::ID, call.long(0).into());
    set_slot(&object, slots::TEXT, text.into());
    set_slot(&object, slots::LINE, call.long(2).into());
    set_slot(&object, slots::POSITION, call.long(3).into());
    Ok(Value::NULL)
}

/// The number; an `Error` if the property was not set.
fn id(call: &mut Call<'_>) -> PhpResult<i64> {
    initialized(call, slots::ID, "id").map(|value| match value.view() {
        ValueKind::Long(id) => id,
        _ => 0,
    })
}

fn initialized(call: &mut Call<'_>, index: u32, name: &str) -> PhpResult<Value> {
    let object = this(call);
    let value = slot(&object, index);
    if !value.is_undef() {
        return Ok(hold(value));
    }
    Err(call.vm.throw_error(
        vm_runtime::exceptions::KnownClass::Error,
        format!("Typed property PhpToken::${name} must not be accessed before initialization"),
    ))
}

fn is(call: &mut Call<'_>) -> PhpResult<Value> {
    let kind = call.value(0);
    let is_one = |call: &mut Call<'_>, kind: &Value| match kind.view() {
        ValueKind::Long(wanted) => Ok(Some(id(call)? == wanted)),
        ValueKind::String(wanted) => {
            let text = initialized(call, slots::TEXT, "text")?;
            Ok(Some(text.as_bytes() == Some(wanted)))
        }
        _ => Ok(None),
    };
    if let Some(answer) = is_one(call, &kind)? {
        return Ok(answer.into());
    }
    let Some(kinds) = kind.array() else {
        let problem = format!(
            "must be of type string|int|array, {} given",
            vm_runtime::operators::value_name(&kind)
        );
        return Err(call.type_error(0, &problem));
    };
    for (_, kind) in kinds.iter() {
        match is_one(call, &hold(kind.deref()))? {
            Some(true) => return Ok(true.into()),
            Some(false) => {}
            None => {
                let problem = "must only have elements of type string|int, ".to_owned()
                    + &vm_runtime::operators::value_name(kind.deref())
                    + " given";
                return Err(call.type_error(0, &problem));
            }
        }
    }
    Ok(false.into())
}

fn is_ignorable(call: &mut Call<'_>) -> PhpResult<Value> {
    let ignorable = [
        names::WHITESPACE,
        names::COMMENT,
        names::DOC_COMMENT,
        names::OPEN_TAG,
    ];
    Ok(ignorable.contains(&id(call)?).into())
}

fn get_token_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let id = id(call)?;
    match (u8::try_from(id), names::name_of(id)) {
        (Ok(byte), _) => text(call.vm, [byte]),
        (_, Some(name)) => text(call.vm, name),
        _ => Ok(Value::NULL),
    }
}
