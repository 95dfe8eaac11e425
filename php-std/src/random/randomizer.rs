//! `Random\Randomizer`: numbers, bytes and choices from any generator.

use smallvec::SmallVec;
use vm_runtime::class::{NativeClass, method};
use vm_runtime::exceptions::{KnownClass, set_slot, slot};
use vm_runtime::function::{Call, class_flags};
use vm_runtime::limits;
use vm_runtime::object::new_object;
use vm_runtime::operators::convert::share_element;
use vm_runtime::value::{ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::classes::throw;
use super::engine_classes::Engine;
use super::floats::{Boundary, float_between};
use super::generator::{ATTEMPTS, Bits, Failure, NOT_ACCEPTABLE, Source};
use crate::spl::this;
use crate::standard::arrays::numeric::any_key;
use crate::support::{Append, StringBuilder, hold, list, new_list, text};

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("final class Random\\Randomizer")
    .flags(class_flags::NO_DYNAMIC_PROPERTIES | class_flags::NOT_CLONEABLE)
    .properties(&["public readonly Random\\Engine $engine"])
    .methods(&[
        method(
            "public function __construct(?Random\\Engine $engine = null)",
            construct,
        ),
        method("public function nextInt(): int", next_int),
        method("public function nextFloat(): float", next_float),
        method(
            "public function getFloat(float $min, float $max, Random\\IntervalBoundary $boundary = Random\\IntervalBoundary::ClosedOpen): float",
            get_float,
        ),
        method("public function getInt(int $min, int $max): int", get_int),
        method("public function getBytes(int $length): string", get_bytes),
        method(
            "public function getBytesFromString(string $string, int $length): string",
            get_bytes_from_string,
        ),
        method("public function shuffleArray(array $array): array", shuffle_array),
        method("public function shuffleBytes(string $bytes): string", shuffle_bytes),
        method(
            "public function pickArrayKeys(array $array, int $num): array",
            pick_array_keys,
        ),
        method("public function __serialize(): array", serialize),
        method("public function __unserialize(array $data): void", unserialize),
    ])];

/// The generator behind a Randomizer, native or a user's.
struct EngineSource<'v> {
    vm: &'v mut Vm,
    engine: ObjectHandle,
}

impl Source for EngineSource<'_> {
    fn bits(&mut self) -> Result<Bits, Failure> {
        if let Some(engine) = self.engine.native::<Engine>() {
            return engine.0.bits();
        }
        let generated = self
            .vm
            .call_method(&self.engine, b"generate", Vec::new())
            .map_err(|Thrown| Failure::Thrown)?;
        let bytes = generated.as_bytes().unwrap_or_default();
        if bytes.is_empty() {
            return Err(Failure::Broken(
                "A random engine must return a non-empty string",
            ));
        }
        let used = bytes.len().min(8);
        let mut word = [0; 8];
        word[..used].copy_from_slice(&bytes[..used]);
        Ok(Bits {
            value: u64::from_le_bytes(word),
            bytes: used as u32,
        })
    }

    fn range(&mut self, minimum: i64, maximum: i64) -> Result<i64, Failure> {
        self.vm.poll();
        if let Some(engine) = self.engine.native::<Engine>() {
            return engine.0.range(minimum, maximum);
        }
        let offset = self.below(maximum.wrapping_sub(minimum) as u64)?;
        Ok(minimum.wrapping_add(offset as i64))
    }
}

/// Throws what a failure means.
pub(super) fn fail(vm: &mut Vm, failure: Failure) -> Thrown {
    match failure {
        Failure::Thrown => Thrown,
        Failure::Broken(message) => throw(vm, "random\\brokenrandomengineerror", message),
    }
}

/// Runs `draw` on the generator of `$this`.
fn with_source<T>(
    call: &mut Call<'_>,
    draw: impl FnOnce(&mut EngineSource<'_>) -> Result<T, Failure>,
) -> PhpResult<T> {
    let object = this(call);
    let Some(engine) = hold(slot(&object, 0)).object() else {
        return Err(call.vm.throw_error(
            KnownClass::Error,
            "Typed property Random\\Randomizer::$engine must not be accessed before initialization",
        ));
    };
    let mut source = EngineSource {
        vm: call.vm,
        engine,
    };
    match draw(&mut source) {
        Ok(drawn) => Ok(drawn),
        Err(failure) => Err(fail(call.vm, failure)),
    }
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    if !slot(&object, 0).is_undef() {
        return Err(call.vm.throw_error(
            KnownClass::Error,
            "Cannot modify readonly property Random\\Randomizer::$engine",
        ));
    }
    let engine = match call.value(0).object() {
        Some(engine) => engine,
        None => {
            let class = call.vm.linked_class(b"random\\engine\\secure");
            new_object(call.vm, class.unwrap_or(std::ptr::null_mut()))?
        }
    };
    set_slot(&object, 0, engine.into());
    Ok(Value::NULL)
}

fn next_int(call: &mut Call<'_>) -> PhpResult<Value> {
    let bits = with_source(call, |source| source.bits())?;
    Ok(((bits.value >> 1) as i64).into())
}

fn next_float(call: &mut Call<'_>) -> PhpResult<Value> {
    // As many bits as a float's fraction has.
    let bits = with_source(call, |source| source.wide())?;
    Ok(((bits >> 11) as f64 / (1u64 << 53) as f64).into())
}

fn boundary(call: &Call<'_>) -> Boundary {
    let case = call.value(2).object();
    let name = case.map(|case| hold(slot(&case, 0)));
    match name.as_ref().and_then(|name| name.as_bytes()) {
        Some(b"ClosedClosed") => Boundary::ClosedClosed,
        Some(b"OpenClosed") => Boundary::OpenClosed,
        Some(b"OpenOpen") => Boundary::OpenOpen,
        _ => Boundary::ClosedOpen,
    }
}

fn get_float(call: &mut Call<'_>) -> PhpResult<Value> {
    let (minimum, maximum) = (call.double(0), call.double(1));
    let boundary = if call.has(2) {
        boundary(call)
    } else {
        Boundary::ClosedOpen
    };
    for (index, bound) in [minimum, maximum].into_iter().enumerate() {
        if !bound.is_finite() {
            return Err(call.value_error(index, "must be finite"));
        }
    }
    if boundary == Boundary::ClosedClosed {
        if maximum < minimum {
            let problem = "must be greater than or equal to argument #1 ($min)";
            return Err(call.value_error(1, problem));
        }
    } else if maximum <= minimum {
        return Err(call.value_error(1, "must be greater than argument #1 ($min)"));
    }
    let drawn = with_source(call, |source| {
        float_between(source, minimum, maximum, boundary)
    })?;
    match drawn {
        Some(float) => Ok(float.into()),
        None => Err(call.vm.throw_error(
            KnownClass::ValueError,
            "The given interval is empty, there are no floats between argument #1 ($min) and argument #2 ($max).",
        )),
    }
}

fn get_int(call: &mut Call<'_>) -> PhpResult<Value> {
    let (minimum, maximum) = (call.long(0), call.long(1));
    if maximum < minimum {
        return Err(call.value_error(1, "must be greater than or equal to argument #1 ($min)"));
    }
    let number = with_source(call, |source| source.range(minimum, maximum))?;
    Ok(number.into())
}

/// A length of one or more.
fn length(call: &mut Call<'_>, index: usize) -> PhpResult<usize> {
    match usize::try_from(call.long(index)) {
        Ok(length) if length > 0 => Ok(length),
        _ => Err(call.value_error(index, "must be greater than 0")),
    }
}

fn get_bytes(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = length(call, 0)?;
    let bytes = with_source(call, |source| {
        limits::reserve(length);
        let mut bytes = StringBuilder::exact(source.vm, length);
        while bytes.len() < length {
            limits::poll();
            let bits = source.bits()?;
            let count = (bits.bytes as usize).min(length - bytes.len());
            bytes.push(&bits.value.to_le_bytes()[..count]);
        }
        Ok(bytes)
    })?;
    Ok(bytes.into_value(call.vm))
}

fn get_bytes_from_string(call: &mut Call<'_>) -> PhpResult<Value> {
    let source_bytes = call.bytes(0);
    if source_bytes.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let length = length(call, 1)?;
    let last = source_bytes.len() - 1;
    let bytes = with_source(call, |source| {
        limits::reserve(length);
        let mut bytes = Vec::with_capacity(length);
        if last > 0xff {
            while bytes.len() < length {
                limits::poll();
                let offset = source.range(0, last as i64)?;
                bytes.push(source_bytes[offset as usize]);
            }
            return Ok(bytes);
        }
        // A byte of bits is enough for an offset; those that are too large are left out.
        let mask = (last + 1).next_power_of_two() - 1;
        let mut failures = 0;
        while bytes.len() < length {
            limits::poll();
            let bits = source.bits()?;
            for byte in &bits.value.to_le_bytes()[..bits.bytes as usize] {
                let offset = usize::from(*byte) & mask;
                if offset > last {
                    failures += 1;
                    if failures > ATTEMPTS {
                        return Err(NOT_ACCEPTABLE);
                    }
                    continue;
                }
                failures = 0;
                bytes.push(source_bytes[offset]);
                if bytes.len() >= length {
                    break;
                }
            }
        }
        Ok(bytes)
    })?;
    text(call.vm, bytes)
}

/// Puts elements in random order.
fn shuffle<T>(source: &mut dyn Source, elements: &mut [T]) -> Result<(), Failure> {
    for last in (1..elements.len()).rev() {
        let target = source.range(0, last as i64)?;
        elements.swap(last, target as usize);
    }
    Ok(())
}

fn shuffle_array(call: &mut Call<'_>) -> PhpResult<Value> {
    let array = call.array(0);
    let mut values: SmallVec<[Value; 16]> = SmallVec::with_capacity(array.len());
    values.extend(array.live_values().map(share_element));
    with_source(call, |source| shuffle(source, &mut values))?;
    Ok(list(call.vm, values))
}

fn shuffle_bytes(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut bytes = call.bytes(0).to_vec();
    with_source(call, |source| shuffle(source, &mut bytes))?;
    text(call.vm, bytes)
}

fn pick_array_keys(call: &mut Call<'_>) -> PhpResult<Value> {
    let (array, wanted) = (call.array(0), call.long(1));
    let count = array.len();
    if count == 0 {
        return Err(call.value_error(0, "must not be empty"));
    }
    if wanted <= 0 || wanted as usize > count {
        let problem = "must be between 1 and the number of elements in argument #1 ($array)";
        return Err(call.value_error(1, problem));
    }
    if wanted == 1 {
        let key = with_source(call, |source| any_key(&array, |last| source.range(0, last)))?;
        return Ok(list(call.vm, key));
    }
    let wanted = wanted as usize;
    // Draws positions without repetition; of more than half, those that stay out.
    let negative = wanted > count / 2;
    let drawn = with_source(call, |source| {
        let mut draws = if negative { count - wanted } else { wanted };
        let mut drawn = vec![false; count];
        let mut failures = 0;
        while draws > 0 {
            let chosen = source.range(0, count as i64 - 1)? as usize;
            if !drawn[chosen] {
                drawn[chosen] = true;
                draws -= 1;
                failures = 0;
                continue;
            }
            failures += 1;
            if failures > ATTEMPTS {
                return Err(NOT_ACCEPTABLE);
            }
        }
        Ok(drawn)
    })?;
    let mut result = new_list(call.vm, wanted);
    for ((key, _), drawn) in array.iter().zip(drawn) {
        if drawn != negative {
            result.make_mut(call.vm).append(key.to_value());
        }
    }
    Ok(result.into())
}

fn serialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let members = vm_runtime::operators::convert::property_table(call.vm, &object);
    Ok(list(call.vm, [members.into()]))
}

fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, data) = (this(call), call.array(0));
    let members = data.get_long(0).map(|value| Value::share(value.deref()));
    let engine = members
        .filter(|_| data.len() == 1)
        .and_then(|members| members.array())
        .filter(|members| members.len() == 1)
        .and_then(|members| Some(Value::share(members.get_bytes(b"engine")?.deref())));
    let interface = call.vm.linked_class(b"random\\engine");
    let engine = engine.and_then(|engine| match engine.view() {
        // SAFETY: I4: classes live until the VM ends.
        ValueKind::Object(found) if unsafe { (*found.class).is_subclass_of(interface?) } => {
            engine.object()
        }
        _ => None,
    });
    let Some(engine) = engine else {
        return Err(call.vm.throw_error(
            KnownClass::Exception,
            "Invalid serialization data for Random\\Randomizer object",
        ));
    };
    set_slot(&object, 0, engine.into());
    Ok(Value::NULL)
}
