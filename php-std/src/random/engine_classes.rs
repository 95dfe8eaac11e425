//! The classes of the generators: `Random\Engine\Mt19937` and the others.

use std::any::Any;

use vm_runtime::array::PhpArray;
use vm_runtime::class::{NativeClass, declare, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::operators::convert::property_table;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::engines::{Pcg, Xoshiro};
use super::fill_secure;
use super::generator::{Generator, Source};
use super::randomizer::fail;
use super::twister::Twister;
use crate::spl::this;
use crate::support::{Append, new_list, text};

/// The native part of an engine.
#[derive(Debug, Clone)]
pub(super) struct Engine(pub(super) Generator);

impl NativeData for Engine {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(self.clone()))
    }
}

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("interface Random\\Engine")
        .methods(&[declare("public function generate(): string")]),
    &NativeClass::new("interface Random\\CryptoSafeEngine extends Random\\Engine"),
    &NativeClass::new("final class Random\\Engine\\Mt19937 implements Random\\Engine")
        .flags(class_flags::NO_DYNAMIC_PROPERTIES)
        .create_native(|_, _| engine(Generator::Twister(Box::new(Twister::new(0, false)))))
        .methods(&[
            method(
                "public function __construct(?int $seed = null, int $mode = MT_RAND_MT19937)",
                construct_twister,
            ),
            method("public function generate(): string", generate),
            method("public function __serialize(): array", serialize),
            method(
                "public function __unserialize(array $data): void",
                unserialize,
            ),
            method("public function __debugInfo(): array", debug_info),
        ]),
    &NativeClass::new("final class Random\\Engine\\PcgOneseq128XslRr64 implements Random\\Engine")
        .flags(class_flags::NO_DYNAMIC_PROPERTIES)
        .create_native(|_, _| engine(Generator::Pcg(Pcg::new(0))))
        .methods(&[
            method(
                "public function __construct(string|int|null $seed = null)",
                construct_pcg,
            ),
            method("public function generate(): string", generate),
            method("public function jump(int $advance): void", jump_pcg),
            method("public function __serialize(): array", serialize),
            method(
                "public function __unserialize(array $data): void",
                unserialize,
            ),
            method("public function __debugInfo(): array", debug_info),
        ]),
    &NativeClass::new("final class Random\\Engine\\Xoshiro256StarStar implements Random\\Engine")
        .flags(class_flags::NO_DYNAMIC_PROPERTIES)
        .create_native(|_, _| engine(Generator::Xoshiro(Xoshiro::new(0))))
        .methods(&[
            method(
                "public function __construct(string|int|null $seed = null)",
                construct_xoshiro,
            ),
            method("public function generate(): string", generate),
            method("public function jump(): void", |call| {
                jump_xoshiro(call, Xoshiro::jump)
            }),
            method("public function jumpLong(): void", |call| {
                jump_xoshiro(call, Xoshiro::jump_long)
            }),
            method("public function __serialize(): array", serialize),
            method(
                "public function __unserialize(array $data): void",
                unserialize,
            ),
            method("public function __debugInfo(): array", debug_info),
        ]),
    &NativeClass::new("final class Random\\Engine\\Secure implements Random\\CryptoSafeEngine")
        .flags(
            class_flags::NO_DYNAMIC_PROPERTIES
                | class_flags::NOT_SERIALIZABLE
                | class_flags::NOT_CLONEABLE,
        )
        .create_native(|_, _| engine(Generator::Secure))
        .methods(&[method("public function generate(): string", generate)]),
];

fn engine(generator: Generator) -> Option<Box<dyn NativeData>> {
    Some(Box::new(Engine(generator)))
}

fn generator(object: &PhpObject) -> &mut Generator {
    &mut object.native::<Engine>().expect("made with the object").0
}

/// Random bytes for a seed.
fn random_seed<const LENGTH: usize>(vm: &mut Vm) -> PhpResult<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    match fill_secure(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(_) => Err(super::classes::throw(
            vm,
            "random\\randomexception",
            "Failed to generate a random seed",
        )),
    }
}

fn construct_twister(call: &mut Call<'_>) -> PhpResult<Value> {
    let mode = call.long(1);
    if !(0..=1).contains(&mode) {
        return Err(call.value_error(1, "must be either MT_RAND_MT19937 or MT_RAND_PHP"));
    }
    if mode == 1 {
        call.vm
            .deprecated("The MT_RAND_PHP variant of Mt19937 is deprecated");
        call.vm.check()?;
    }
    let seed = match call.optional_long(0) {
        Some(seed) => seed as u32,
        None => u32::from_ne_bytes(random_seed(call.vm)?),
    };
    *generator(&this(call)) = Generator::Twister(Box::new(Twister::new(seed, mode == 1)));
    Ok(Value::NULL)
}

/// The seed in argument 0: a number, or so many bytes.
fn seed_argument<const LENGTH: usize>(call: &mut Call<'_>) -> PhpResult<Result<u64, [u8; LENGTH]>> {
    let seed = call.value(0);
    match seed.view() {
        ValueKind::Long(seed) => Ok(Ok(seed as u64)),
        ValueKind::String(seed) => match <[u8; LENGTH]>::try_from(seed.as_bytes()) {
            Ok(seed) => Ok(Err(seed)),
            Err(_) => {
                let bits = LENGTH * 8;
                let problem = format!("must be a {LENGTH} byte ({bits} bit) string");
                Err(call.value_error(0, &problem))
            }
        },
        _ => Ok(Err(random_seed(call.vm)?)),
    }
}

/// A word of eight bytes, the lowest first.
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[..8]);
    u64::from_le_bytes(word)
}

fn construct_pcg(call: &mut Call<'_>) -> PhpResult<Value> {
    let seed = match seed_argument::<16>(call)? {
        Ok(number) => number.into(),
        Err(bytes) => u128::from(word(&bytes)) << 64 | u128::from(word(&bytes[8..])),
    };
    *generator(&this(call)) = Generator::Pcg(Pcg::new(seed));
    Ok(Value::NULL)
}

fn construct_xoshiro(call: &mut Call<'_>) -> PhpResult<Value> {
    let xoshiro = match seed_argument::<32>(call)? {
        Ok(number) => Xoshiro::new(number),
        Err(bytes) if bytes == [0; 32] => {
            return Err(call.value_error(0, "must not consist entirely of NUL bytes"));
        }
        Err(bytes) => Xoshiro {
            state: [0, 8, 16, 24].map(|at| word(&bytes[at..])),
        },
    };
    *generator(&this(call)) = Generator::Xoshiro(xoshiro);
    Ok(Value::NULL)
}

fn generate(call: &mut Call<'_>) -> PhpResult<Value> {
    match generator(&this(call)).bits() {
        Ok(bits) => text(call.vm, &bits.value.to_le_bytes()[..bits.bytes as usize]),
        Err(failure) => Err(fail(call.vm, failure)),
    }
}

fn jump_pcg(call: &mut Call<'_>) -> PhpResult<Value> {
    let Ok(count) = u64::try_from(call.long(0)) else {
        return Err(call.value_error(0, "must be greater than or equal to 0"));
    };
    if let Generator::Pcg(pcg) = generator(&this(call)) {
        pcg.jump(count);
    }
    Ok(Value::NULL)
}

fn jump_xoshiro(call: &mut Call<'_>, jump: fn(&mut Xoshiro)) -> PhpResult<Value> {
    if let Generator::Xoshiro(xoshiro) = generator(&this(call)) {
        jump(xoshiro);
    }
    Ok(Value::NULL)
}

fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    crate::standard::strings::encode::hexadecimal(bytes)
}

/// The state as a list of hexadecimal texts, lowest bytes first; numbers after them.
fn state(vm: &mut Vm, generator: &Generator) -> Value {
    let (words, numbers): (Vec<Vec<u8>>, Vec<i64>) = match generator {
        Generator::Twister(twister) => {
            let (state, position, legacy) = twister.parts();
            let words = state.iter().map(|word| hexadecimal(&word.to_le_bytes()));
            (words.collect(), vec![position as i64, i64::from(legacy)])
        }
        Generator::Pcg(pcg) => {
            let halves = [(pcg.state >> 64) as u64, pcg.state as u64];
            let words = halves.map(|word| hexadecimal(&word.to_le_bytes()));
            (words.to_vec(), Vec::new())
        }
        Generator::Xoshiro(xoshiro) => {
            let words = xoshiro.state.map(|word| hexadecimal(&word.to_le_bytes()));
            (words.to_vec(), Vec::new())
        }
        Generator::Secure => (Vec::new(), Vec::new()),
    };
    let mut list = new_list(vm, words.len() + numbers.len());
    for word in words {
        let word = vm.string(word).into();
        list.make_mut(vm).append(word);
    }
    for number in numbers {
        list.make_mut(vm).append(number.into());
    }
    list.into()
}

fn serialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let members = property_table(call.vm, &object).into();
    let state = state(call.vm, generator(&object));
    Ok(crate::support::list(call.vm, [members, state]))
}

fn debug_info(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let mut table = property_table(call.vm, &object);
    let state = state(call.vm, generator(&object));
    table.make_mut(call.vm).set_bytes(b"__states", state);
    Ok(table.into())
}

/// The bytes of the hexadecimal text at an index.
fn word_at<const LENGTH: usize>(list: &PhpArray, index: usize) -> Option<[u8; LENGTH]> {
    let value = list.get_long(index as i64)?.deref();
    let ValueKind::String(digits) = value.view() else {
        return None;
    };
    let digits = std::str::from_utf8(digits.as_bytes()).ok()?;
    if digits.len() != LENGTH * 2 {
        return None;
    }
    let mut bytes = [0; LENGTH];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}

fn long_at(list: &PhpArray, index: usize) -> Option<i64> {
    match list.get_long(index as i64)?.deref().view() {
        ValueKind::Long(number) => Some(number),
        _ => None,
    }
}

/// A generator of the same kind with a state that was serialised.
fn restored(generator: &Generator, list: &PhpArray) -> Option<Generator> {
    let wide = |index| word_at::<8>(list, index).map(u64::from_le_bytes);
    match generator {
        Generator::Twister(_) => {
            let count = Twister::LENGTH;
            let narrow = |index| word_at::<4>(list, index).map(u32::from_le_bytes);
            let state: Option<Vec<u32>> = (0..count).map(narrow).collect();
            let position = usize::try_from(long_at(list, count)?).ok()?;
            let legacy = long_at(list, count + 1)?;
            if list.len() != count + 2 || !(0..=1).contains(&legacy) {
                return None;
            }
            let twister = Twister::from_parts(&state?, position, legacy == 1)?;
            Some(Generator::Twister(Box::new(twister)))
        }
        Generator::Pcg(_) if list.len() == 2 => Some(Generator::Pcg(Pcg {
            state: u128::from(wide(0)?) << 64 | u128::from(wide(1)?),
        })),
        Generator::Xoshiro(_) if list.len() == 4 => {
            let state = [wide(0)?, wide(1)?, wide(2)?, wide(3)?];
            (state != [0; 4]).then_some(Generator::Xoshiro(Xoshiro { state }))
        }
        _ => None,
    }
}

fn invalid(call: &mut Call<'_>, object: &PhpObject) -> Thrown {
    let class = object.class().display_name();
    let message = format!("Invalid serialization data for {class} object");
    call.vm.throw_error(KnownClass::Exception, message)
}

fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, data) = (this(call), call.array(0));
    let element = |index: i64| {
        data.get_long(index)
            .map(|value| Value::share(value.deref()))
    };
    let members = element(0).and_then(|value| value.array());
    let state = element(1).and_then(|value| value.array());
    let found = match (members, state, data.len()) {
        (Some(members), Some(state), 2) if members.is_empty() => {
            restored(generator(&object), &state)
        }
        _ => None,
    };
    let Some(found) = found else {
        return Err(invalid(call, &object));
    };
    *generator(&object) = found;
    Ok(Value::NULL)
}
