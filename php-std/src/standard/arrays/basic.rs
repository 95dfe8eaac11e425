//! Counting, searching, keys and values.

use smallvec::SmallVec;
use vm_runtime::array::{KeyRef, PhpArray};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::operators::{self, convert::share_element};
use vm_runtime::string::are_equal;
use vm_runtime::value::{ARRAY, DOUBLE, FALSE, LONG, NULL, RESOURCE, STRING, TRUE, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{
    Append, Outcome, Plain, StringBuilder, define, direct, functions, hold, new_list, string_of,
};

functions! {
    "#[Unchecked(1)] count(Countable|array $value, int $mode = COUNT_NORMAL): int" => count,
    "#[Unchecked(1)] sizeof(Countable|array $value, int $mode = COUNT_NORMAL): int" => count,
    "#[Frameless(2, 3)] in_array(mixed $needle, array $haystack, bool $strict = false): bool" => in_array | in_array_directly,
    "array_search(mixed $needle, array $haystack, bool $strict = false): string|int|false" => array_search | array_search_directly,
    "array_keys(array $array, mixed $filter_value = UNKNOWN, bool $strict = false): array" => array_keys | array_keys_directly,
    "array_values(array $array): array" => array_values | array_values_directly,
    "array_key_exists($key, array $array): bool" => array_key_exists,
    "key_exists($key, array $array): bool" => array_key_exists,
    "array_key_first(array $array): string|int|null" => array_key_first | array_key_first_directly,
    "array_key_last(array $array): string|int|null" => array_key_last | array_key_last_directly,
    "array_is_list(array $array): bool" => array_is_list | array_is_list_directly,
    "array_flip(array $array): array" => array_flip | array_flip_directly,
    "array_combine(array $keys, array $values): array" => array_combine | array_combine_directly,
    "array_fill(int $start_index, int $count, mixed $value): array" => array_fill | array_fill_directly,
    "array_fill_keys(array $keys, mixed $value): array" => array_fill_keys | array_fill_keys_directly,
    "array_count_values(array $array): array" => array_count_values,
    "array_change_key_case(array $array, int $case = CASE_LOWER): array" => array_change_key_case,
    "array_reverse(array $array, bool $preserve_keys = false): array" => array_reverse | array_reverse_directly,
}

#[cold]
pub(crate) fn register(vm: &mut Vm) {
    define(
        vm,
        &[
            ("COUNT_NORMAL", 0i64),
            ("COUNT_RECURSIVE", 1),
            ("CASE_LOWER", 0),
            ("CASE_UPPER", 1),
        ],
    );
    vm.register_functions(FUNCTIONS);
}

fn count(call: &mut Call<'_>) -> PhpResult<Value> {
    let mode = call.long(1);
    if !matches!(mode, 0 | 1) {
        return Err(call.value_error(1, "must be either COUNT_NORMAL or COUNT_RECURSIVE"));
    }
    let value = call.argument(0).deref();
    if value.kind() == ARRAY {
        let array = call.elements(0);
        let count = if mode == 0 {
            array.len()
        } else {
            let mut left = FEW;
            match count_few(array, SHALLOW, &mut left) {
                Some(count) => count,
                None => count_nested(call.vm, array, &mut SmallVec::new())?,
            }
        };
        return Ok(count.into());
    }
    let class = call.vm.known_class(KnownClass::Countable);
    let countable = (call.value(0).object()).filter(|object| object.class().is_subclass_of(class));
    let Some(object) = countable else {
        let given = operators::value_name(value);
        return Err(call.type_error(
            0,
            &format!("must be of type Countable|array, {given} given"),
        ));
    };
    let result = call.vm.call_method(&object, b"count", Vec::new())?;
    Ok(operators::to_long(call.vm, &result).into())
}

/// Arrays that are counted without a look at limits.
const FEW: usize = 1000;
/// How deep these may be nested.
const SHALLOW: usize = 16;

/// How many elements there are in an array and those in it, if they are few and nested a little: none of them is in itself
/// then.
fn count_few(array: &PhpArray, depth: usize, left: &mut usize) -> Option<usize> {
    *left = left.checked_sub(1)?;
    let mut count = array.len();
    for value in array.live_values() {
        if let Some(inner) = <&PhpArray>::of(value.deref()) {
            count += count_few(inner, depth.checked_sub(1)?, left)?;
        }
    }
    Some(count)
}

fn count_nested(
    vm: &mut Vm,
    array: &PhpArray,
    above: &mut SmallVec<[*const PhpArray; 16]>,
) -> PhpResult<usize> {
    let address: *const PhpArray = array;
    if above.contains(&address) {
        vm.warning("count(): Recursion detected");
        return Ok(0);
    }
    vm.check_native_stack()?;
    vm.poll();
    above.push(address);
    let mut count = array.len();
    for value in array.live_values() {
        if value.deref().kind() == ARRAY
            && let Some(inner) = hold(value).array()
        {
            count += count_nested(vm, &inner, above)?;
        }
    }
    above.pop();
    Ok(count)
}

/// Position and key of the first element that equals the needle.
fn find<'a>(
    vm: &mut Vm,
    haystack: &'a PhpArray,
    needle: &Zval,
    strict: bool,
) -> Option<KeyRef<'a>> {
    let needle = needle.deref();
    // The common cases compare without a call.
    if let Some(bytes) = needle.as_bytes().filter(|_| strict) {
        return haystack
            .iter()
            .find(|(_, value)| is_text(value, bytes))
            .map(|(key, _)| key);
    }
    if needle.kind() == LONG {
        let number = needle.long();
        let equal = |value: &Zval| value.kind() == LONG && value.long() == number;
        if let Some(values) = haystack.packed()
            && (strict || values.iter().all(|value| value.kind() == LONG))
        {
            let found = values.iter().position(|value| equal(value.deref()));
            return found.map(|index| KeyRef::Long(index as i64));
        }
    }
    // A string that is no number equals its likes only, if there are but strings.
    if let Some(bytes) = needle.as_bytes()
        && bytes.first().is_some_and(|&first| first > b'9')
    {
        let mut strings = haystack.iter();
        let told = strings.find(|(_, value)| value.kind() != STRING || is_text(value, bytes));
        match told {
            Some((key, value)) if value.kind() == STRING => return Some(key),
            None => return None,
            Some(_) => {}
        }
    }
    for (key, value) in haystack.iter() {
        vm.poll();
        let value = value.deref();
        let equal = if strict {
            operators::is_identical(vm, value, needle)
        } else if value.kind() == LONG && needle.kind() == LONG {
            value.long() == needle.long()
        } else {
            let held = hold(value);
            operators::is_equal(vm, &held, needle)
        };
        if equal {
            return Some(key);
        }
        if !vm.exception.is_null() {
            return None;
        }
    }
    None
}

/// Of how many bytes on a comparison of texts is long enough to look at the limits.
const LONG_TEXT: usize = 4096;

/// True if a value is this text.
#[inline]
fn is_text(value: &Zval, text: &[u8]) -> bool {
    if text.len() >= LONG_TEXT {
        limits::poll();
    }
    value.as_bytes().is_some_and(|value| are_equal(value, text))
}

/// True if a value that is a string is this text.
#[inline(always)]
fn is_string(value: &Zval, text: &[u8]) -> bool {
    // SAFETY: I3: a string payload is live.
    let bytes = unsafe { (*value.string()).as_bytes() };
    bytes.len() == text.len() && are_equal(bytes, text)
}

/// Looks for a scalar among scalars: no comparison of these says anything. None if there are others.
#[inline]
fn find_scalar<'a>(
    vm: &mut Vm,
    arguments: &'a [Zval],
) -> Option<(&'a PhpArray, Option<KeyRef<'a>>)> {
    let (needle, haystack, strict) = match arguments {
        [needle, haystack] => (needle, haystack, false),
        [needle, haystack, strict] => (needle, haystack, bool::of(strict)?),
        _ => return None,
    };
    let is_scalar = |value: &Zval| !value.is_undef() && value.kind() <= STRING;
    let haystack = <&PhpArray>::of(haystack).filter(|_| is_scalar(needle))?;
    // A text that is no number and another that differs from it are not equal.
    let word = needle
        .as_bytes()
        .filter(|bytes| strict || bytes.first().is_some_and(|&first| first > b'9'));
    if let (Some(word), Some(values)) = (word, haystack.packed())
        && word.len() < LONG_TEXT
    {
        let told = values
            .iter()
            .position(|value| value.kind() != STRING || is_string(value, word));
        match told {
            None => return Some((haystack, None)),
            Some(index) if values[index].kind() == STRING => {
                return Some((haystack, Some(KeyRef::Long(index as i64))));
            }
            Some(_) => {}
        }
    }
    if let (LONG, Some(values)) = (needle.kind(), haystack.packed()) {
        let number = needle.long();
        let told = values
            .iter()
            .position(|value| value.kind() != LONG || value.long() == number);
        match told {
            None => return Some((haystack, None)),
            Some(index) if values[index].kind() == LONG => {
                return Some((haystack, Some(KeyRef::Long(index as i64))));
            }
            Some(_) => {}
        }
    }
    let mut equals = |value: &Zval| match (value.kind(), needle.kind()) {
        (LONG, LONG) => Some(value.long() == needle.long()),
        (STRING, STRING) if word.is_some() => Some(word.is_some_and(|word| is_text(value, word))),
        _ if !is_scalar(value) => None,
        _ => {
            vm.poll();
            Some(match strict {
                true => operators::is_identical(vm, value, needle),
                false => operators::is_equal(vm, value, needle),
            })
        }
    };
    // The first that is equal or cannot be compared here decides.
    let found = match haystack.packed() {
        Some(values) => values
            .iter()
            .enumerate()
            .map(|(index, value)| (KeyRef::Long(index as i64), equals(value)))
            .find(|(_, equal)| *equal != Some(false)),
        None => haystack
            .iter()
            .map(|(key, value)| (key, equals(value)))
            .find(|(_, equal)| *equal != Some(false)),
    };
    match found {
        Some((_, None)) => None,
        found => Some((haystack, found.map(|(key, _)| key))),
    }
}

fn in_array_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let found = find_scalar(vm, arguments);
    found.map(|(_, key)| key.is_some()).store(result)
}

fn array_search_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let found = find_scalar(vm, arguments);
    let key = found.map(|(_, key)| key.map_or(false.into(), KeyRef::to_value));
    key.store(result)
}

fn in_array(call: &mut Call<'_>) -> PhpResult<Value> {
    let (needle, strict) = (call.value(0), call.bool(2));
    let haystack = call.elements(1);
    Ok(find(call.vm, haystack, &needle, strict).is_some().into())
}

fn array_search(call: &mut Call<'_>) -> PhpResult<Value> {
    let (needle, strict) = (call.value(0), call.bool(2));
    let haystack = call.elements(1);
    Ok(find(call.vm, haystack, &needle, strict).map_or(false.into(), KeyRef::to_value))
}

fn array_keys(call: &mut Call<'_>) -> PhpResult<Value> {
    let array = call.elements(0);
    if call.argument(1).is_undef() {
        return Ok(keys_of(call.vm, array));
    }
    let (needle, strict) = (call.value(1), call.bool(2));
    let mut result = new_list(call.vm, 0);
    for (key, value) in array.iter() {
        call.vm.poll();
        let value = hold(value);
        let equal = if strict {
            operators::is_identical(call.vm, &value, &needle)
        } else {
            operators::is_equal(call.vm, &value, &needle)
        };
        call.vm.check()?;
        if equal {
            result.make_mut(call.vm).append(key.to_value());
        }
    }
    Ok(result.into())
}

/// All keys.
fn keys_of(vm: &mut Vm, array: &PhpArray) -> Value {
    let mut result = new_list(vm, array.len());
    let target = result.make_mut(vm);
    if array.packed().is_some() {
        target.extend_with(array.len(), Value::from);
    } else {
        let mut keys = array.iter().map(|(key, _)| key.to_value());
        target.extend_with(array.len(), |_| keys.next().unwrap_or_default());
    }
    result.into()
}

/// All values; the array itself if it is nothing else.
fn values_of(vm: &mut Vm, value: &Zval, array: &PhpArray) -> Value {
    if array.packed().is_some() && array.next_free_key() == Some(array.len() as i64) {
        return Value::share(value);
    }
    let mut result = new_list(vm, array.len());
    let target = result.make_mut(vm);
    match array.packed() {
        Some(values) => target.extend_shared(values.iter()),
        None => {
            let mut values = array.live_values();
            target.extend_with(array.len(), |_| match values.next() {
                Some(value) => share_element(value),
                None => Value::NULL,
            });
        }
    }
    result.into()
}

/// All keys, or those of the elements that an integer equals, or that an integer or a text is.
fn array_keys_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let (array, needle, is_strict) = match arguments {
        [array] => (array, None, false),
        [array, needle] => (array, Some(needle), false),
        [array, needle, strict] if strict.kind() == TRUE => (array, Some(needle), true),
        _ => return false,
    };
    let Some(array) = <&PhpArray>::of(array) else {
        return false;
    };
    let Some(needle) = needle else {
        return keys_of(vm, array).store(result);
    };
    if !(needle.kind() == LONG || is_strict && needle.kind() == STRING) {
        return false;
    }
    let mut keys = new_list(vm, 0);
    for (key, value) in array.iter() {
        let value = value.deref();
        let is_it = match (value.kind(), needle.kind()) {
            (LONG, LONG) => value.long() == needle.long(),
            (STRING, STRING) => value.as_bytes() == needle.as_bytes(),
            _ if is_strict => false,
            // Converting may need the script.
            _ => return false,
        };
        if is_it {
            vm.poll();
            keys.make_mut(vm).append(key.to_value());
        }
    }
    Value::from(keys).store(result)
}

direct! {
    fn array_flip_directly(vm; array: &PhpArray) {
        keyed(vm, array.len(), array.iter().map(|(key, value)| (value, key.to_value())))
    }

    fn array_fill_keys_directly(vm; keys: &PhpArray, value: &Zval) {
        keyed(vm, keys.len(), keys.live_values().map(|key| (key, Value::share(value))))
    }

    fn array_combine_directly(vm; keys: &PhpArray, values: &PhpArray) {
        if keys.len() != values.len() {
            return None;
        }
        let values = values.live_values().map(share_element);
        keyed(vm, keys.len(), keys.live_values().zip(values))
    }
}

/// An array of these keys and values, if all keys are integers or strings.
#[inline]
fn keyed<'a>(
    vm: &mut Vm,
    count: usize,
    entries: impl Iterator<Item = (&'a Zval, Value)>,
) -> Option<Value> {
    let mut result = new_list(vm, count);
    let array = result.make_mut(vm);
    for (key, value) in entries {
        if !set_by_value(array, key, value) {
            return None;
        }
    }
    Some(result.into())
}

fn array_values_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let [value] = arguments else {
        return false;
    };
    <&PhpArray>::of(value).is_some_and(|array| values_of(vm, value, array).store(result))
}

fn array_values(call: &mut Call<'_>) -> PhpResult<Value> {
    let array = call.elements(0);
    let value = call.value(0);
    Ok(values_of(call.vm, &value, array))
}

fn array_key_exists(call: &mut Call<'_>) -> PhpResult<Value> {
    let (key, array) = (call.value(0), call.elements(1));
    let found = match key.kind() {
        STRING => {
            let string = call.string(0);
            match vm_runtime::array::integer_key(&string) {
                Some(number) => array.get_long(number),
                None => array.get_string(&string),
            }
        }
        LONG => array.get_long(key.long()),
        NULL => array.get_bytes(b""),
        FALSE => array.get_long(0),
        TRUE => array.get_long(1),
        DOUBLE => {
            let double = key.double();
            let number = operators::double_to_long(double);
            if number as f64 != double {
                operators::convert::lost_precision(call.vm, double)?;
            }
            array.get_long(number)
        }
        RESOURCE => {
            let number = operators::to_long(call.vm, &key);
            call.vm.warning(format!(
                "Resource ID#{number} used as offset, casting to integer ({number})"
            ));
            array.get_long(number)
        }
        _ => {
            return Err(call.type_error(0, "must be a valid array offset type"));
        }
    };
    Ok(found.is_some().into())
}

/// The first key.
fn first_key(array: &PhpArray) -> Option<Value> {
    array
        .entry_at(array.next_position(0))
        .map(|(key, _)| key.to_value())
}

/// The last key.
fn last_key(array: &PhpArray) -> Option<Value> {
    let position = array.previous_position(array.positions())?;
    array.entry_at(position).map(|(key, _)| key.to_value())
}

direct! {
    fn array_key_first_directly(_; array: &PhpArray) { first_key(array).unwrap_or(Value::NULL) }

    fn array_key_last_directly(_; array: &PhpArray) { last_key(array).unwrap_or(Value::NULL) }

    fn array_is_list_directly(_; array: &PhpArray) { array.is_list() }
}

fn array_key_first(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(first_key(call.elements(0)).into())
}

fn array_key_last(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(last_key(call.elements(0)).into())
}

fn array_is_list(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.elements(0).is_list().into())
}

/// Sets `array[key]` where the key is a value: `int`, or string that may stand for one.
#[inline(always)]
pub(crate) fn set_by_value(array: &mut PhpArray, key: &Zval, value: Value) -> bool {
    let key = key.deref();
    match key.kind() {
        LONG => array.set_long(key.long(), value),
        STRING => {
            // SAFETY: I3: a string payload is live.
            array.set_symbol(unsafe { &*key.string() }, value);
        }
        _ => return false,
    }
    true
}

fn array_flip(call: &mut Call<'_>) -> PhpResult<Value> {
    let array = call.elements(0);
    let mut result = new_list(call.vm, array.len());
    for (key, value) in array.iter() {
        if !set_by_value(result.make_mut(call.vm), value, key.to_value()) {
            call.vm
                .warning("array_flip(): Can only flip string and integer values, entry skipped");
            call.vm.check()?;
        }
    }
    Ok(result.into())
}

/// Sets `array[key]`; a key that is no `int` is converted to a string.
fn set_by_any(
    vm: &mut Vm,
    array: &mut vm_runtime::value::ArrayHandle,
    key: &Zval,
    value: Value,
) -> PhpResult<()> {
    let key = key.deref();
    if matches!(key.kind(), LONG | STRING) {
        set_by_value(array.make_mut(vm), key, value);
        return Ok(());
    }
    let key = string_of(vm, &hold(key))?;
    array.make_mut(vm).set_symbol(&key, value);
    Ok(())
}

fn array_combine(call: &mut Call<'_>) -> PhpResult<Value> {
    let (keys, values) = (call.elements(0), call.elements(1));
    if keys.len() != values.len() {
        return Err(call.vm.throw_error(
            KnownClass::ValueError,
            "array_combine(): Argument #1 ($keys) and argument #2 ($values) must have the same number of elements",
        ));
    }
    let mut result = new_list(call.vm, keys.len());
    for ((_, key), (_, value)) in keys.iter().zip(values.iter()) {
        set_by_any(call.vm, &mut result, key, share_element(value))?;
    }
    Ok(result.into())
}

fn array_fill(call: &mut Call<'_>) -> PhpResult<Value> {
    let (start, count, value) = (call.long(0), call.long(1), call.value(2));
    if count < 0 {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    }
    if count >= 0x4000_0000 {
        return Err(call.value_error(1, "is too large"));
    }
    if count > 0 && start > i64::MAX - (count - 1) {
        return Err(call.vm.throw_error(
            KnownClass::Error,
            "Cannot add element to the array as the next element is already occupied",
        ));
    }
    Ok(filled(call.vm, start, count, &value))
}

direct! {
    fn array_fill_directly(vm; start: i64, count: i64, value: &Zval) {
        let fits = (0..0x4000_0000).contains(&count) && start.checked_add(count).is_some();
        fits.then(|| filled(vm, start, count, &Value::share(value)))
    }
}

/// So many elements that are the same, with keys from a start on that do not run out.
fn filled(vm: &mut Vm, start: i64, count: i64, value: &Value) -> Value {
    let mut result = new_list(vm, count as usize);
    let array = result.make_mut(vm);
    if start == 0 {
        array.extend_with(count as usize, |_| value.clone());
        return result.into();
    }
    for index in 0..count {
        array.set_long(start + index, value.clone());
    }
    result.into()
}

fn array_fill_keys(call: &mut Call<'_>) -> PhpResult<Value> {
    let (keys, value) = (call.elements(0), call.value(1));
    let mut result = new_list(call.vm, keys.len());
    for (_, key) in keys.iter() {
        set_by_any(call.vm, &mut result, key, value.clone())?;
    }
    Ok(result.into())
}

fn array_count_values(call: &mut Call<'_>) -> PhpResult<Value> {
    let array = call.elements(0);
    let mut result = new_list(call.vm, 0);
    for (_, value) in array.iter() {
        let value = value.deref();
        let counts = result.make_mut(call.vm);
        let slot = match value.kind() {
            LONG => counts.slot_long(value.long()),
            STRING => {
                // SAFETY: I3: a string payload is live.
                let string = unsafe { &*value.string() };
                match vm_runtime::array::integer_key(string) {
                    Some(number) => counts.slot_long(number),
                    None => counts.slot_string(string),
                }
            }
            _ => {
                call.vm.warning(
                    "array_count_values(): Can only count string and integer values, entry skipped",
                );
                call.vm.check()?;
                continue;
            }
        };
        // SAFETY: I5: a fresh slot holds `null`, others the count so far.
        unsafe {
            let count = if (*slot).is_null() { 0 } else { (*slot).long() };
            (*slot).set_long(count + 1);
        }
    }
    Ok(result.into())
}

fn array_change_key_case(call: &mut Call<'_>) -> PhpResult<Value> {
    let (array, upper) = (call.elements(0), call.long(1) != 0);
    let mut result = new_list(call.vm, array.len());
    for (key, value) in array.iter() {
        let value = share_element(value);
        match key {
            KeyRef::Long(number) => result.make_mut(call.vm).set_long(number, value),
            KeyRef::String(key) => {
                let has_letters = key.iter().any(|byte| match upper {
                    true => byte.is_ascii_lowercase(),
                    false => byte.is_ascii_uppercase(),
                });
                if !has_letters {
                    result.make_mut(call.vm).set_string(key, value);
                    continue;
                }
                let mut changed = StringBuilder::exact(call.vm, key.len());
                changed.push(key);
                match upper {
                    true => changed.as_mut_bytes().make_ascii_uppercase(),
                    false => changed.as_mut_bytes().make_ascii_lowercase(),
                }
                let key = changed.finish(call.vm);
                result.make_mut(call.vm).set_string(&key, value);
            }
        }
    }
    Ok(result.into())
}

fn array_reverse(call: &mut Call<'_>) -> PhpResult<Value> {
    let (array, keep) = (call.elements(0), call.bool(1));
    Ok(reversed(call.vm, array, keep))
}

direct! {
    fn array_reverse_directly(vm; array: &PhpArray) { reversed(vm, array, false) }
}

/// The elements in the opposite order; those with `int` keys are counted anew, unless these are kept.
fn reversed(vm: &mut Vm, array: &PhpArray, keep: bool) -> Value {
    let mut result = new_list(vm, array.len());
    let target = result.make_mut(vm);
    if let Some(values) = array.packed()
        && !keep
    {
        target.extend_shared(values.iter().rev());
        return result.into();
    }
    for (key, value) in array.iter().rev() {
        let value = share_element(value);
        match key {
            KeyRef::Long(_) if !keep => target.append(value),
            key => target.set_new(key, value),
        }
    }
    result.into()
}
