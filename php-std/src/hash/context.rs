//! Digests step by step: `hash_init()`, `hash_update()`, `hash_final()`.

use std::any::Any;

use vm_runtime::array::KeyRef;
use vm_runtime::class::{NativeClass, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject, clone_object, new_object};
use vm_runtime::value::{ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::algorithms::{Algorithm, State};
use super::kept;
use super::{algorithm_named, hmac_pad, options, shown};
use crate::spl::this;
use crate::standard::files::{check_path, open, stream};
use crate::support::{functions, hold, list};

functions! {
    "hash_init(string $algo, int $flags = 0, #[SensitiveParameter] string $key = \"\", array $options = []): HashContext" => hash_init,
    "hash_update(HashContext $context, string $data): true" => hash_update,
    "hash_update_stream(HashContext $context, resource $stream, int $length = -1): int" => hash_update_stream,
    "hash_update_file(HashContext $context, string $filename, $stream_context = null): bool" => hash_update_file,
    "hash_final(HashContext $context, bool $binary = false): string" => hash_final,
    "hash_copy(HashContext $context): HashContext" => hash_copy,
}

/// Bytes read of a stream at once.
const PIECE: usize = 64 * 1024;
/// Flag: a keyed digest.
pub(super) const HMAC: i64 = 1;

/// The native part of a HashContext.
struct Context {
    algorithm: Option<&'static Algorithm>,
    /// `None` once the digest was given.
    state: Option<Box<dyn State>>,
    /// The key of an HMAC, as long as a block.
    key: Option<Vec<u8>>,
}

impl NativeData for Context {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(Context {
            algorithm: self.algorithm,
            state: self.state.as_ref().map(|state| state.duplicate()),
            key: self.key.clone(),
        }))
    }
}

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("final class HashContext")
    .create_native(|_, _| {
        Some(Box::new(Context {
            algorithm: None,
            state: None,
            key: None,
        }))
    })
    .methods(&[
        method("private function __construct()", |call| {
            let message = "Illegal call to private/final constructor";
            Err(call.vm.throw_error(KnownClass::Error, message))
        }),
        method("public function __serialize(): array", serialize),
        method(
            "public function __unserialize(array $data): void",
            unserialize,
        ),
        method("public function __debugInfo(): array", debug_info),
    ])];

fn context(object: &PhpObject) -> &mut Context {
    object.native::<Context>().expect("made with the object")
}

/// The context in argument #1, unless its digest was given already.
fn open_context(call: &mut Call<'_>) -> PhpResult<ObjectHandle> {
    let object = call.object(0);
    if context(&object).state.is_none() {
        return Err(call.type_error(0, "must be a valid, non-finalized HashContext"));
    }
    Ok(object)
}

fn hash_init(call: &mut Call<'_>) -> PhpResult<Value> {
    let is_keyed = call.long(1) & HMAC != 0;
    let algorithm = match algorithm_named(call.bytes(0)) {
        None => return Err(call.value_error(0, "must be a valid hashing algorithm")),
        Some(algorithm) if is_keyed && algorithm.block == 0 => {
            let problem = "must be a cryptographic hashing algorithm if HMAC is requested";
            return Err(call.value_error(0, problem));
        }
        Some(algorithm) => algorithm,
    };
    let key = call.bytes(2);
    if is_keyed && key.is_empty() {
        return Err(call.value_error(2, "must not be empty when HMAC is requested"));
    }
    let options = options(call, algorithm, 3)?;
    let mut state = (algorithm.start)(&options);
    let key = is_keyed.then(|| hmac_pad(algorithm, key).into_vec());
    if let Some(key) = &key {
        state.update(&key.iter().map(|byte| byte ^ 0x36).collect::<Vec<u8>>());
    }
    let class = call
        .vm
        .linked_class(b"hashcontext")
        .unwrap_or(std::ptr::null_mut());
    let object = new_object(call.vm, class)?;
    *context(&object) = Context {
        algorithm: Some(algorithm),
        state: Some(state),
        key,
    };
    Ok(object.into())
}

fn update(object: &PhpObject, data: &[u8]) {
    if let Some(state) = &mut context(object).state {
        super::algorithms::take(&mut **state, data);
    }
}

fn hash_update(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = open_context(call)?;
    update(&object, call.bytes(1));
    Ok(true.into())
}

fn hash_update_stream(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = open_context(call)?;
    let length = call.long(2);
    stream(call, 1)?;
    let mut left = usize::try_from(length).unwrap_or(usize::MAX);
    let mut taken = 0usize;
    while left > 0 {
        let piece = stream(call, 1)?.read(left.min(PIECE)).unwrap_or_default();
        if piece.is_empty() {
            break;
        }
        update(&object, &piece);
        taken += piece.len();
        left -= piece.len();
    }
    Ok(taken.into())
}

fn hash_update_file(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::standard::files::context_argument(call, 2)?;
    let object = open_context(call)?;
    check_path(call, 1)?;
    let Some(mut source) = open(call.vm, call.bytes(1), b"rb")? else {
        return Ok(false.into());
    };
    loop {
        match source.read_piece() {
            Ok(Some(piece)) => update(&object, &piece),
            Ok(None) => return Ok(true.into()),
            Err(error) => {
                crate::standard::files::contents::read_failed(call.vm, &error)?;
                return Ok(false.into());
            }
        }
    }
}

fn hash_final(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = open_context(call)?;
    let binary = call.bool(1);
    let context = context(&object);
    let (Some(state), Some(algorithm)) = (context.state.take(), context.algorithm) else {
        return Ok(false.into());
    };
    let mut digest = state.finish();
    if let Some(key) = context.key.take() {
        let mut outer: Vec<u8> = key.iter().map(|byte| byte ^ 0x5c).collect();
        outer.append(&mut digest);
        digest = algorithm.digest(&outer);
    }
    shown(call.vm, &digest, binary)
}

fn hash_copy(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = open_context(call)?;
    Ok(clone_object(call.vm, &object, object.class)?.into())
}

fn debug_info(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let mut table = call.vm.new_array();
    let name = context(&object).algorithm.map(|algorithm| algorithm.name);
    let name = match name {
        Some(name) => call.vm.string(name).into(),
        None => Value::NULL,
    };
    table.make_mut(call.vm).set_bytes(b"algo", name);
    Ok(table.into())
}

fn refuse(call: &mut Call<'_>, message: &str) -> Thrown {
    call.vm.throw_error(KnownClass::Exception, message)
}

fn serialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let context = context(&object);
    let Some(algorithm) = context.algorithm else {
        return Err(refuse(call, "HashContext is already finalized"));
    };
    if context.key.is_some() {
        let message = "HashContext with HASH_HMAC option cannot be serialized";
        return Err(refuse(call, message));
    }
    let state = context.state.as_ref().and_then(|state| state.save());
    let (Some(kept), Some(state)) = (&algorithm.kept, state) else {
        let message = format!(
            "HashContext for algorithm \"{}\" cannot be serialized",
            algorithm.name
        );
        return Err(refuse(call, &message));
    };
    let state = kept.shown(call.vm, &state).into();
    let name = call.vm.string(algorithm.name).into();
    let members = call.vm.new_array().into();
    let entries = [name, 0i64.into(), state, KEPT.into(), members];
    Ok(list(call.vm, entries))
}

/// The number that says how a state is kept.
const KEPT: i64 = 2;

fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    const MALFORMED: &str = "Incomplete or ill-formed serialization data";
    let object = this(call);
    if context(&object).algorithm.is_some() {
        let message = "HashContext::__unserialize called on initialized object";
        return Err(refuse(call, message));
    }
    let data = call.array(0);
    let entry = |index: i64| data.get(KeyRef::Long(index)).map(hold);
    let (name, flags) = (entry(0), entry(1));
    let (state, number, members) = (entry(2), entry(3), entry(4));
    let long = |value: &Option<Value>| match value.as_ref().map(|value| value.view()) {
        Some(ValueKind::Long(number)) => Some(number),
        _ => None,
    };
    let name = name.as_ref().and_then(|name| name.as_bytes());
    let is_whole = state.is_some() && members.is_some_and(|members| members.array().is_some());
    let (Some(name), Some(flags), Some(number), true) =
        (name, long(&flags), long(&number), is_whole)
    else {
        return Err(refuse(call, MALFORMED));
    };
    if flags & HMAC != 0 {
        let message = "HashContext with HASH_HMAC option cannot be serialized";
        return Err(refuse(call, message));
    }
    let Some(algorithm) = algorithm_named(name) else {
        return Err(refuse(call, "Unknown hash algorithm"));
    };
    let Some(kept) = &algorithm.kept else {
        let message = format!(
            "Hash algorithm \"{}\" cannot be unserialized",
            algorithm.name
        );
        return Err(refuse(call, &message));
    };
    let state = match state.and_then(|state| state.array()) {
        Some(state) if number == KEPT => kept.loaded(&state),
        _ => Err(kept::MALFORMED),
    };
    match state {
        Ok(state) => {
            *context(&object) = Context {
                algorithm: Some(algorithm),
                state: Some(state),
                key: None,
            };
            Ok(Value::NULL)
        }
        Err(code) => {
            let message = format!("{MALFORMED} (\"{}\" code {code})", algorithm.name);
            Err(refuse(call, &message))
        }
    }
}
