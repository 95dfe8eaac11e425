//! `sort` and its family.

use std::cmp::Ordering;

use vm_runtime::array::{Key, KeyRef, PhpArray};
use vm_runtime::function::Call;
use vm_runtime::operators;
use vm_runtime::value::{ArrayHandle, FALSE, TRUE, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::ordering::{self, Entry, compare_uniform, compare_values, entries, uniform};
use crate::support::{Append, Callback, define, functions, hold, new_list};

functions! {
    "sort(array &$array, int $flags = SORT_REGULAR): true" => sort,
    "rsort(array &$array, int $flags = SORT_REGULAR): true" => rsort,
    "asort(array &$array, int $flags = SORT_REGULAR): true" => asort,
    "arsort(array &$array, int $flags = SORT_REGULAR): true" => arsort,
    "ksort(array &$array, int $flags = SORT_REGULAR): true" => ksort,
    "krsort(array &$array, int $flags = SORT_REGULAR): true" => krsort,
    "usort(array &$array, callable $callback): true" => usort,
    "uasort(array &$array, callable $callback): true" => uasort,
    "uksort(array &$array, callable $callback): true" => uksort,
    "natsort(array &$array): true" => natsort,
    "natcasesort(array &$array): true" => natcasesort,
}

pub(crate) fn register(vm: &mut Vm) {
    define(
        vm,
        &[
            ("SORT_ASC", 4i64),
            ("SORT_DESC", 3),
            ("SORT_REGULAR", ordering::REGULAR),
            ("SORT_NUMERIC", ordering::NUMERIC),
            ("SORT_STRING", ordering::STRINGS),
            ("SORT_LOCALE_STRING", ordering::LOCALE),
            ("SORT_NATURAL", ordering::NATURAL),
            ("SORT_FLAG_CASE", ordering::FOLD_CASE),
        ],
    );
    vm.register_functions(FUNCTIONS);
}

/// An array with the values of `entries`, and their keys or new ones.
fn rebuilt(vm: &mut Vm, entries: Vec<Entry>, keep_keys: bool) -> ArrayHandle {
    let mut result = new_list(vm, entries.len());
    let array = result.make_mut(vm);
    for entry in entries {
        if keep_keys {
            array.set(entry.key.as_ref(), entry.value);
        } else {
            array.append(entry.value);
        }
    }
    result
}

fn directed(ordering: Ordering, reverse: bool) -> Ordering {
    if reverse {
        ordering.reverse()
    } else {
        ordering
    }
}

/// Sorts a packed array in place if its values allow it.
fn sort_packed(array: &mut PhpArray, flags: i64, reverse: bool) -> bool {
    let Some(values) = array.packed_mut() else {
        return false;
    };
    match uniform(values.iter(), flags) {
        Some(ordering::Uniform::Longs) if reverse => {
            values.sort_unstable_by_key(|value| !value.long())
        }
        Some(ordering::Uniform::Longs) => values.sort_unstable_by_key(Zval::long),
        Some(kind) => values.sort_by(|a, b| directed(compare_uniform(kind, a, b), reverse)),
        None => return false,
    }
    true
}

fn sort_values(
    call: &mut Call<'_>,
    flags: i64,
    reverse: bool,
    keep_keys: bool,
) -> PhpResult<Value> {
    if call.array(0).len() < 2 && (keep_keys || call.array(0).is_list()) {
        return Ok(true.into());
    }
    if !keep_keys {
        let mut array = call.take_array(0);
        let done = sort_packed(array.make_mut(call.vm), flags, reverse);
        array.make_mut(call.vm).set_internal_position(0);
        call.assign(0, array.into());
        if done {
            return Ok(true.into());
        }
    }
    let array = call.array(0);
    let mut list = entries(&array);
    match uniform(list.iter().map(|entry| &*entry.value), flags) {
        Some(kind) => {
            list.sort_by(|a, b| directed(compare_uniform(kind, &a.value, &b.value), reverse));
        }
        None => {
            let vm = &mut *call.vm;
            ordering::sort(&mut list, |a, b| {
                let order = compare_values(vm, a.value.deref(), b.value.deref(), flags);
                if reverse { -order } else { order }
            });
        }
    }
    let result = rebuilt(call.vm, list, keep_keys);
    drop(array);
    call.assign(0, result.into());
    Ok(true.into())
}

fn sort(call: &mut Call<'_>) -> PhpResult<Value> {
    sort_values(call, call.long(1), false, false)
}

fn rsort(call: &mut Call<'_>) -> PhpResult<Value> {
    sort_values(call, call.long(1), true, false)
}

fn asort(call: &mut Call<'_>) -> PhpResult<Value> {
    sort_values(call, call.long(1), false, true)
}

fn arsort(call: &mut Call<'_>) -> PhpResult<Value> {
    sort_values(call, call.long(1), true, true)
}

fn natsort(call: &mut Call<'_>) -> PhpResult<Value> {
    sort_values(call, ordering::NATURAL, false, true)
}

fn natcasesort(call: &mut Call<'_>) -> PhpResult<Value> {
    sort_values(call, ordering::NATURAL | ordering::FOLD_CASE, false, true)
}

/// A key as a value, without a share of its own.
fn key_value(key: &Key) -> Value {
    key.as_ref().to_value()
}

fn sort_keys(call: &mut Call<'_>, reverse: bool) -> PhpResult<Value> {
    let flags = call.long(1);
    let array = call.array(0);
    if array.len() < 2 || !reverse && flags == ordering::REGULAR && array.packed().is_some() {
        return Ok(true.into());
    }
    let mut list = entries(&array);
    let all_longs = list.iter().all(|entry| matches!(entry.key, Key::Long(_)));
    if all_longs && matches!(flags, ordering::REGULAR | ordering::NUMERIC) {
        let number = |entry: &Entry| match entry.key {
            Key::Long(number) => number,
            Key::String(_) => 0,
        };
        list.sort_by(|a, b| directed(number(a).cmp(&number(b)), reverse));
    } else {
        let vm = &mut *call.vm;
        ordering::sort(&mut list, |a, b| {
            let order = compare_values(vm, &key_value(&a.key), &key_value(&b.key), flags);
            if reverse { -order } else { order }
        });
    }
    let result = rebuilt(call.vm, list, true);
    drop(array);
    call.assign(0, result.into());
    Ok(true.into())
}

fn ksort(call: &mut Call<'_>) -> PhpResult<Value> {
    sort_keys(call, false)
}

fn krsort(call: &mut Call<'_>) -> PhpResult<Value> {
    sort_keys(call, true)
}

/// What a user comparison says of two values: negative, 0 or positive. A function that returns
/// `bool` is asked the other way round too.
pub(crate) fn user_compare(
    vm: &mut Vm,
    callback: &Callback,
    a: Value,
    b: Value,
    warned: &mut bool,
) -> i32 {
    if !vm.exception.is_null() {
        return 0;
    }
    let Ok(result) = callback.call(vm, [a.clone(), b.clone()]) else {
        return 0;
    };
    let kind = result.deref().kind();
    if matches!(kind, FALSE | TRUE) {
        if !*warned {
            *warned = true;
            vm.deprecated(format!(
                "{}(): Returning bool from comparison function is deprecated, return an integer less than, equal to, or greater than zero",
                crate::support::current_function(vm)
            ));
        }
        if kind == FALSE {
            let Ok(result) = callback.call(vm, [b, a]) else {
                return 0;
            };
            return -operators::to_long(vm, &result).signum() as i32;
        }
    }
    operators::to_long(vm, &result).signum() as i32
}

fn user_sort(
    call: &mut Call<'_>,
    keep_keys: bool,
    of: impl Fn(&Entry) -> Value,
) -> PhpResult<Value> {
    let array = call.array(0);
    if array.is_empty() {
        return Ok(true.into());
    }
    let callback = Callback::new(call.vm, call.value(1));
    let mut list = entries(&array);
    let mut warned = false;
    let vm = &mut *call.vm;
    ordering::sort(&mut list, |a, b| {
        user_compare(vm, &callback, of(a), of(b), &mut warned)
    });
    let result = rebuilt(call.vm, list, keep_keys);
    drop(array);
    call.assign(0, result.into());
    call.vm.check()?;
    Ok(true.into())
}

fn usort(call: &mut Call<'_>) -> PhpResult<Value> {
    user_sort(call, false, |entry| hold(&entry.value))
}

fn uasort(call: &mut Call<'_>) -> PhpResult<Value> {
    user_sort(call, true, |entry| hold(&entry.value))
}

fn uksort(call: &mut Call<'_>) -> PhpResult<Value> {
    user_sort(call, true, |entry| KeyRef::to_value(entry.key.as_ref()))
}
