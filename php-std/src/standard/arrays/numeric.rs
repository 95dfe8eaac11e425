//! `array_sum`, `array_product`, `array_rand`, `shuffle`.

use vm_runtime::array::PhpArray;
use vm_runtime::exceptions::is_exit;
use vm_runtime::function::Call;
use vm_runtime::operators::{self, numeric_string};
use vm_runtime::value::{
    ARRAY, ArrayHandle, DOUBLE, LONG, OBJECT, ObjectHandle, RESOURCE, STRING, Value, ValueKind,
    Zval,
};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{Append, Plain, direct, functions, hold, new_list, random_range};

functions! {
    "array_sum(array $array): int|float" => array_sum | array_sum_directly,
    "array_product(array $array): int|float" => array_product | array_product_directly,
    "array_rand(array $array, int $num = 1): int|string|array" => array_rand | array_rand_directly,
    "shuffle(array &$array): true" => shuffle,
}

type Operator = fn(&mut Vm, &mut Zval, &Zval, &Zval);

/// What was thrown just now, else what was before. Nothing comes after `exit`.
fn later(vm: &mut Vm, before: Option<ObjectHandle>) -> Option<ObjectHandle> {
    let now = vm.take_exception();
    match before {
        Some(before) if is_exit(&before) => Some(before),
        before => now.or(before),
    }
}

/// True if a whole text is a number.
fn is_whole_number(value: &Value) -> bool {
    value
        .as_bytes()
        .is_some_and(|bytes| numeric_string::parse_whole(bytes).is_some())
}

/// Folds the elements; what is no number is complained about and counts as its numeric value.
fn fold(call: &mut Call<'_>, start: i64, what: &str, operator: Operator) -> PhpResult<Value> {
    let array = call.elements(0);
    let mut total = Value::from(start);
    // The last that was thrown: the others are forgotten, as PHP goes on.
    let mut thrown: Option<ObjectHandle> = None;
    for (_, value) in array.iter() {
        // All of them may be the same long number.
        call.vm.poll();
        let is_reference = value.is_reference();
        let value = hold(value);
        let numeric = match value.kind() {
            STRING => value
                .as_bytes()
                .is_some_and(|bytes| numeric_string::parse(bytes).is_some()),
            ARRAY | OBJECT | RESOURCE => false,
            _ => true,
        };
        let mut operand = value.clone();
        let mut numeric = numeric;
        if let ValueKind::Object(object) = value.view()
            && let Ok(Some(number)) = operators::convert::object_to_number(call.vm, object)
        {
            (operand, numeric) = (number, true);
        }
        if !numeric && thrown.is_some() && value.kind() == OBJECT {
            continue;
        }
        // A number with more behind it is warned about. If that throws, or something was thrown before, it is none.
        let is_whole = value.kind() != STRING || is_whole_number(&value);
        if numeric && (is_whole || thrown.is_none()) {
            let mut result = Value::UNDEF;
            operator(call.vm, result.as_zval_mut(), &total, &operand);
            thrown = later(call.vm, thrown);
            if is_whole || thrown.is_none() {
                total = result;
                continue;
            }
        }
        // What the operator throws is thrown away, and what was thrown before with it.
        thrown = thrown.filter(|thrown| is_exit(thrown));
        let name = call.function().display_name();
        call.vm.warning(format!(
            "{name}(): {what} is not supported on type {}",
            operators::value_name(&value)
        ));
        thrown = later(call.vm, thrown);
        // PHP does not look behind references here.
        if matches!(value.kind(), ARRAY | OBJECT) || is_reference {
            continue;
        }
        operand = match value.kind() {
            STRING => Value::from(0i64),
            _ => operators::to_long(call.vm, &value).into(),
        };
        let mut result = Value::UNDEF;
        operator(call.vm, result.as_zval_mut(), &total, &operand);
        thrown = later(call.vm, thrown);
        total = result;
    }
    match thrown {
        Some(exception) => Err(call.vm.throw_object(exception)),
        None => Ok(total),
    }
}

/// Folds elements that all are numbers. None if others are among them.
#[inline]
fn fold_numbers<'a>(
    start: i64,
    values: impl Iterator<Item = &'a Zval>,
    longs: impl Fn(i64, i64) -> Option<i64>,
    doubles: impl Fn(f64, f64) -> f64,
) -> Option<Value> {
    let mut total = start;
    let mut values = values.map(Zval::deref);
    let mut inexact = loop {
        match values.next() {
            None => return Some(total.into()),
            Some(value) if value.kind() == LONG => match longs(total, value.long()) {
                Some(sum) => total = sum,
                None => break doubles(total as f64, value.long() as f64),
            },
            Some(value) if value.kind() == DOUBLE => break doubles(total as f64, value.double()),
            Some(_) => return None,
        }
    };
    for value in values {
        inexact = doubles(inexact, f64::of(value)?);
    }
    Some(inexact.into())
}

/// As [`fold_numbers`], of an array.
#[inline]
fn fold_array(
    start: i64,
    array: &PhpArray,
    longs: fn(i64, i64) -> Option<i64>,
    doubles: fn(f64, f64) -> f64,
) -> Option<Value> {
    match array.packed() {
        Some(values) => fold_numbers(start, values.iter(), longs, doubles),
        None => fold_numbers(start, array.iter().map(|(_, value)| value), longs, doubles),
    }
}

direct! {
    fn array_sum_directly(_; array: &PhpArray) {
        fold_array(0, array, i64::checked_add, std::ops::Add::add)
    }

    fn array_product_directly(_; array: &PhpArray) {
        fold_array(1, array, i64::checked_mul, std::ops::Mul::mul)
    }
}

fn array_sum(call: &mut Call<'_>) -> PhpResult<Value> {
    fold(call, 0, "Addition", operators::add)
}

fn array_product(call: &mut Call<'_>) -> PhpResult<Value> {
    fold(call, 1, "Multiplication", operators::mul)
}

direct! {
    fn array_rand_directly(vm; array: &PhpArray) {
        if array.is_empty() { None } else { random_key(vm, array) }
    }
}

fn random_key(vm: &mut Vm, array: &PhpArray) -> Option<Value> {
    let Ok(key) = any_key(array, |last| {
        Ok::<_, std::convert::Infallible>(random_range(vm, 0, last))
    });
    key
}

/// Any key of an array that is not empty, where `draw` gives a number from 0 up to another. Where at least half of the
/// places of the array are in use, numbers of places are drawn until there is something, as PHP does it: a seed leads to
/// the same key.
pub(crate) fn any_key<E>(
    array: &PhpArray,
    mut draw: impl FnMut(i64) -> Result<i64, E>,
) -> Result<Option<Value>, E> {
    let places = array.positions() as usize;
    let is_sparse = array.len() < places - places / 2;
    if is_sparse {
        let chosen = draw(array.len() as i64 - 1)? as usize;
        return Ok(array.iter().nth(chosen).map(|(key, _)| key.to_value()));
    }
    loop {
        let chosen = draw(places as i64 - 1)?;
        if let Some((key, _)) = array.entry_at(chosen as u32) {
            return Ok(Some(key.to_value()));
        }
    }
}

fn array_rand(call: &mut Call<'_>) -> PhpResult<Value> {
    let (array, wanted) = (call.elements(0), call.long(1));
    let count = array.len();
    if count == 0 {
        return Err(call.value_error(0, "must not be empty"));
    }
    if wanted == 1 {
        return Ok(random_key(call.vm, array).into());
    }
    if wanted <= 0 || wanted as usize > count {
        return Err(call.value_error(
            1,
            "must be between 1 and the number of elements in argument #1 ($array)",
        ));
    }
    let wanted = wanted as usize;
    // Draws positions without repetition; of more than half, those that stay out.
    let negative = wanted > count / 2;
    let mut draws = if negative { count - wanted } else { wanted };
    let mut drawn = vec![false; count];
    while draws > 0 {
        let chosen = random_range(call.vm, 0, count as i64 - 1) as usize;
        if !drawn[chosen] {
            drawn[chosen] = true;
            draws -= 1;
        }
    }
    let mut result = new_list(call.vm, wanted);
    let target = result.make_mut(call.vm);
    for ((key, _), drawn) in array.iter().zip(drawn) {
        if drawn != negative {
            target.append(key.to_value());
        }
    }
    Ok(result.into())
}

/// Shuffles a list in its place. False, and nothing happens, if loops by reference go over it or it has references,
/// which may become plain values.
fn shuffle_list(vm: &mut Vm, array: &mut ArrayHandle) -> bool {
    let is_plain = array.next_free_key() == Some(array.len() as i64)
        && !array.has_iterators()
        && array
            .packed()
            .is_some_and(|values| !values.iter().any(Zval::is_reference));
    if !is_plain {
        return false;
    }
    let array = array.make_mut(vm);
    array.set_internal_position(0);
    if let Some(values) = array.packed_mut() {
        for last in (1..values.len()).rev() {
            let target = random_range(vm, 0, last as i64) as usize;
            values.swap(last, target);
        }
    }
    true
}

fn shuffle(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut array = call.take_array(0);
    if shuffle_list(call.vm, &mut array) {
        call.assign(0, array.into());
        return Ok(true.into());
    }
    let mut values: Vec<Value> = array
        .iter()
        .map(|(_, value)| operators::convert::share_element(value))
        .collect();
    // Where loops by reference go on: with the elements that are moved out of the way.
    let is_looped = array.has_iterators();
    let mut moves = Vec::new();
    if is_looped {
        let mut position = 0;
        for index in 0..values.len() as u32 {
            position = array.next_position(position);
            moves.push((position, index));
            position += 1;
        }
    }
    for last in (1..values.len()).rev() {
        let target = random_range(call.vm, 0, last as i64) as usize;
        values.swap(last, target);
        if is_looped {
            moves.push((target as u32, last as u32));
        }
    }
    if is_looped {
        array.make_mut(call.vm).move_iterators(&moves);
    }
    call.assign(0, array.into());
    let mut result = new_list(call.vm, values.len());
    let list = result.make_mut(call.vm);
    values.into_iter().for_each(|value| list.append(value));
    crate::support::replace_array(call, 0, result);
    Ok(true.into())
}
