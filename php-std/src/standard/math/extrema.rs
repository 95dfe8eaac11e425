//! `max` and `min`.

use std::cmp::Ordering;

use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::operators::{compare, value_name};
use vm_runtime::value::{ARRAY, DOUBLE, LONG, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{Outcome, Plain, functions};

functions! {
    "#[Frameless(2)] max(mixed $value, mixed ...$values): mixed" => max | max_directly,
    "#[Frameless(2)] min(mixed $value, mixed ...$values): mixed" => min | min_directly,
}

fn as_double(value: &Zval) -> Option<f64> {
    match value.kind() {
        LONG => Some(value.long() as f64),
        DOUBLE => Some(value.double()),
        _ => None,
    }
}

/// Direct calls with two arguments have rules of their own, as PHP compiles them on their own. Of
/// these two the right one is taken over unless the left one is better; equal ones count
/// as better for `max` only. (NAN is never better among numbers.)
fn left_wins(vm: &mut Vm, left: &Zval, right: &Zval, maximum: bool) -> bool {
    if let (LONG, LONG) = (left.kind(), right.kind()) {
        return if maximum {
            left.long() >= right.long()
        } else {
            left.long() < right.long()
        };
    }
    if let (Some(left), Some(right)) = (as_double(left), as_double(right)) {
        return if maximum { left >= right } else { left < right };
    }
    let order = compare(vm, left, right);
    if maximum { order >= 0 } else { order < 0 }
}

/// Of more arguments a later one is taken over if it is better.
fn is_better(vm: &mut Vm, candidate: &Zval, best: &Zval, maximum: bool) -> bool {
    if let (Some(candidate), Some(best)) = (as_double(candidate), as_double(best))
        && (candidate.is_nan() || best.is_nan())
    {
        return false;
    }
    let order = compare(vm, candidate, best);
    if maximum { order > 0 } else { order < 0 }
}

fn max_directly(_vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    extremum_directly(arguments, true).store(result)
}

fn min_directly(_vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    extremum_directly(arguments, false).store(result)
}

/// The extremum of numbers, as arguments or in an array.
#[inline]
fn extremum_directly(arguments: &[Zval], maximum: bool) -> Option<Value> {
    match arguments {
        [array] => {
            let array = <&PhpArray>::of(array)?;
            match array.packed() {
                Some(values) => extremum_of_numbers(values.iter(), maximum),
                None => extremum_of_numbers(array.iter().map(|(_, value)| value), maximum),
            }
        }
        [left, right] => match (left.kind(), right.kind()) {
            (LONG, LONG) => extremum_of_longs([left, right].into_iter(), maximum),
            // Which of two equal ones it is depends on how the function was called.
            _ => match order_of_numbers(left, right)? {
                Ordering::Equal => None,
                order => {
                    let left_wins = (order == Ordering::Greater) == maximum;
                    Some(Value::share(if left_wins { left } else { right }))
                }
            },
        },
        several => extremum_of_numbers(several.iter(), maximum),
    }
}

/// How two numbers compare; None if one of them is none, or NAN.
#[inline]
fn order_of_numbers(left: &Zval, right: &Zval) -> Option<Ordering> {
    match (left.kind(), right.kind()) {
        (LONG, LONG) => Some(left.long().cmp(&right.long())),
        _ => as_double(left)?.partial_cmp(&as_double(right)?),
    }
}

/// The first extremum of values that all are numbers; None if there are others, or no values.
#[inline]
fn extremum_of_numbers<'a>(
    mut values: impl Iterator<Item = &'a Zval> + Clone,
    maximum: bool,
) -> Option<Value> {
    if let Some(best) = extremum_of_longs(values.clone(), maximum) {
        return Some(best);
    }
    let better = match maximum {
        true => Ordering::Greater,
        false => Ordering::Less,
    };
    let mut best = values.next()?;
    as_double(best)?;
    for value in values {
        if order_of_numbers(value, best)? == better {
            best = value;
        }
    }
    Some(Value::share(best))
}

/// The extremum of values that all are integers; None if there are others, or no values.
#[inline]
fn extremum_of_longs<'a>(
    mut values: impl Iterator<Item = &'a Zval>,
    maximum: bool,
) -> Option<Value> {
    let mut best = i64::of(values.next()?)?;
    for value in values {
        let value = i64::of(value)?;
        best = if maximum {
            best.max(value)
        } else {
            best.min(value)
        };
    }
    Some(best.into())
}

fn extremum(call: &mut Call<'_>, maximum: bool) -> PhpResult<Value> {
    match call.count() {
        1 => of_array(call, maximum),
        2 if !call.is_dynamic() => {
            let (left, right) = (call.value(0), call.value(1));
            let left_wins = left_wins(call.vm, &left, &right, maximum);
            call.vm.check()?;
            Ok(if left_wins { left } else { right })
        }
        count => {
            let mut best = call.value(0);
            for index in 1..count {
                call.vm.poll();
                let candidate = call.value(index);
                if is_better(call.vm, &candidate, &best, maximum) {
                    best = candidate;
                }
                call.vm.check()?;
            }
            Ok(best)
        }
    }
}

fn of_array(call: &mut Call<'_>, maximum: bool) -> PhpResult<Value> {
    let argument = call.value(0);
    if argument.deref().kind() != ARRAY {
        let problem = format!("must be of type array, {} given", value_name(&argument));
        return Err(call.type_error(0, &problem));
    }
    let array = call.array(0);
    let mut values = array.iter().map(|(_, value)| Value::share(value));
    let Some(mut best) = values.next() else {
        return Err(call.value_error(0, "must contain at least one element"));
    };
    for candidate in values {
        call.vm.poll();
        let order = compare(call.vm, &best, &candidate);
        call.vm.check()?;
        if if maximum { order < 0 } else { order > 0 } {
            best = candidate;
        }
    }
    Ok(best)
}

fn max(call: &mut Call<'_>) -> PhpResult<Value> {
    extremum(call, true)
}

fn min(call: &mut Call<'_>) -> PhpResult<Value> {
    extremum(call, false)
}
