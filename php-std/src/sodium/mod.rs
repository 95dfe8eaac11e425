//! The extension `sodium`: libsodium's functions, with the crates of RustCrypto and dalek.
//!
//! What libsodium composes of ciphers, authenticators and curves is put together here, as its documentation says;
//! lengths are checked in the order in which PHP checks them.

mod aead;
mod authenticator;
mod blake2b;
mod boxes;
mod constants;
mod exchange;
mod hashes;
mod passwords;
mod points;
mod secretstream;
mod signatures;
mod streams;
mod texts;

use vm_runtime::class::NativeClass;
use vm_runtime::exceptions::{set_slot, slot, slots};
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::support::text;

static CLASSES: &[&NativeClass] = &[&NativeClass::new("class SodiumException extends Exception")];

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    constants::register(vm);
    for functions in [
        aead::FUNCTIONS,
        boxes::FUNCTIONS,
        exchange::FUNCTIONS,
        hashes::FUNCTIONS,
        passwords::FUNCTIONS,
        points::FUNCTIONS,
        secretstream::FUNCTIONS,
        signatures::FUNCTIONS,
        streams::FUNCTIONS,
        texts::FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
    vm.register_classes(CLASSES);
}

/// Throws a SodiumException, in whose trace no arguments stand: they may be keys.
#[cold]
fn problem(vm: &mut Vm, message: &str) -> Thrown {
    let Some(class) = vm.linked_class(b"sodiumexception") else {
        return Thrown;
    };
    let object = vm.new_throwable(class, message, 0);
    let mut trace = Value::share(slot(&object, slots::TRACE));
    set_slot(&object, slots::TRACE, Value::NULL);
    remove_arguments(vm, &mut trace);
    set_slot(&object, slots::TRACE, trace);
    vm.throw_object(object)
}

/// Takes the arguments out of a trace.
fn remove_arguments(vm: &mut Vm, trace: &mut Value) {
    let ValueKind::Array(calls) = trace.view() else {
        return;
    };
    let key = vm.string("args");
    let mut stripped = Vec::with_capacity(calls.len());
    for (_, call) in calls.iter() {
        let mut call = Value::share(call);
        if let ValueKind::Array(_) = call.view() {
            let mut entry = crate::support::take_array(call.as_zval_mut());
            entry.make_mut(vm).remove_string(&key);
            call = entry.into();
        }
        stripped.push(call);
    }
    *trace = crate::support::list(vm, stripped);
}

/// Throws `f(): Argument #N ($name) <problem>`, a SodiumException; `index` is 0-based.
#[cold]
fn argument_problem(call: &mut Call<'_>, index: usize, what: &str) -> Thrown {
    // SAFETY: I4: the function outlives its frames.
    let function = unsafe { &*(*call.frame).function };
    let name = match function.parameter_name(index as u32) {
        Some(name) => format!(" (${name})"),
        None => String::new(),
    };
    let shown = function.display_name();
    let message = format!("{shown}(): Argument #{}{name} {what}", index + 1);
    problem(call.vm, &message)
}

/// A `string` argument that has as many bytes as the constant says.
fn fixed<'c, const LENGTH: usize>(
    call: &mut Call<'c>,
    index: usize,
    constant: &str,
) -> PhpResult<&'c [u8; LENGTH]> {
    let bytes = call.bytes(index);
    match bytes.try_into() {
        Ok(bytes) => Ok(bytes),
        Err(_) => Err(wrong_length(call, index, constant)),
    }
}

#[cold]
fn wrong_length(call: &mut Call<'_>, index: usize, constant: &str) -> Thrown {
    let what = format!("must be {constant} bytes long");
    argument_problem(call, index, &what)
}

/// What libsodium refuses without saying why.
#[cold]
fn internal_error(vm: &mut Vm) -> Thrown {
    problem(vm, "internal error")
}

/// Bytes that nobody can predict.
fn random<const LENGTH: usize>() -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    crate::random::fill_secure(&mut bytes).expect("the system's random numbers");
    bytes
}

/// A new key of so many bytes.
fn new_key<const LENGTH: usize>(call: &mut Call<'_>) -> PhpResult<Value> {
    text(call.vm, random::<LENGTH>())
}

/// The bytes of a parameter that is passed by reference and must be a string.
fn referenced(call: &Call<'_>, index: usize) -> Option<Vec<u8>> {
    match call.value(index).view() {
        ValueKind::String(bytes) => Some(bytes.to_vec()),
        _ => None,
    }
}

/// True if both are equal, which takes as long whether they are or not.
fn equal(one: &[u8], two: &[u8]) -> bool {
    let difference = one
        .iter()
        .zip(two)
        .fold(0, |all, (one, two)| all | (one ^ two));
    one.len() == two.len() && std::hint::black_box(difference) == 0
}
