//! `sort` and its family.

use std::cmp::Ordering;

use vm_runtime::array::{Key, KeyRef, PhpArray, SortedEntry};
use vm_runtime::function::Call;
use vm_runtime::operators::{self, convert::share_element};
use vm_runtime::value::{ARRAY, ArrayHandle, FALSE, TRUE, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::ordering::{self, Entry, compare_uniform, compare_values, entries, is_plain, uniform};
use crate::support::{Append, Callback, define, functions, new_list};

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

#[cold]
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
    if keep_keys {
        let mut result = PhpArray::keyed(&mut vm.heap, entries.len());
        let array = result.make_mut(vm);
        for entry in entries {
            array.set_new(entry.key.as_ref(), entry.value);
        }
        return result;
    }
    let mut result = new_list(vm, entries.len());
    let array = result.make_mut(vm);
    for entry in entries {
        array.append(entry.value);
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
fn sort_packed(vm: &mut Vm, array: &mut PhpArray, flags: i64, reverse: bool) -> bool {
    let Some(values) = array.packed_mut() else {
        return false;
    };
    match uniform(values.iter(), flags) {
        Some(ordering::Uniform::Longs) if reverse => {
            values.sort_unstable_by_key(|value| !value.long())
        }
        Some(ordering::Uniform::Longs) => values.sort_unstable_by_key(Zval::long),
        Some(kind) => values.sort_by(|a, b| directed(compare_uniform(kind, a, b), reverse)),
        None if values.iter().all(|value| is_plain(value, flags)) => {
            ordering::sort_list(values, |a, b| {
                let order = compare_values(vm, a, b, flags);
                if reverse { -order } else { order }
            });
        }
        None => return false,
    }
    let count = array.len();
    array.set_next_free_key(count as i64);
    true
}

/// Sorts the entries of the first argument where they are, if that is possible.
fn sort_in_place(
    call: &mut Call<'_>,
    compare: impl FnMut((KeyRef<'_>, &Zval), (KeyRef<'_>, &Zval)) -> Ordering,
) -> bool {
    let mut array = call.take_array(0);
    let done = array.make_mut(call.vm).sort_entries(compare);
    call.assign(0, array.into());
    done
}

/// As [`sort_in_place`], by PHP's algorithm.
fn sort_entries(
    call: &mut Call<'_>,
    reverse: bool,
    compare: impl Fn(&mut Vm, &SortedEntry, &SortedEntry) -> i32,
) -> bool {
    let mut array = call.take_array(0);
    let vm = &mut *call.vm;
    let done = array.make_mut(vm).sort_entries_by(|entries| {
        ordering::hybrid_sort(entries, &mut |a, b| {
            let order = compare(vm, a, b);
            match if reverse { -order } else { order } {
                0 => a.order().cmp(&b.order()) as i32,
                order => order,
            }
        });
    });
    call.assign(0, array.into());
    done
}

fn sort_values(
    call: &mut Call<'_>,
    flags: i64,
    reverse: bool,
    keep_keys: bool,
) -> PhpResult<Value> {
    // One element alone may get another key, and `[]` the next one.
    let least = if keep_keys { 2 } else { 1 };
    if call.array(0).len() < least {
        return Ok(true.into());
    }
    if !keep_keys {
        let mut array = call.take_array(0);
        let target = array.make_mut(call.vm);
        let done = sort_packed(call.vm, target, flags, reverse);
        array.make_mut(call.vm).set_internal_position(0);
        call.assign(0, array.into());
        if done {
            return Ok(true.into());
        }
    }
    if keep_keys
        && let Some(kind) = uniform(call.elements(0).iter().map(|(_, value)| value), flags)
        && sort_in_place(call, |a, b| {
            directed(compare_uniform(kind, a.1, b.1), reverse)
        })
    {
        return Ok(true.into());
    }
    if keep_keys
        && let Some(compare) =
            ordering::texts(call.elements(0).iter().map(|(_, value)| value), flags)
        && sort_entries(call, reverse, |_, a, b| compare(a.value(), b.value()))
    {
        return Ok(true.into());
    }
    let mut elements = call.elements(0).live_values();
    if keep_keys
        && elements.all(|value| is_plain(value, flags))
        && sort_entries(call, reverse, |vm, a, b| {
            compare_values(vm, a.value(), b.value(), flags)
        })
    {
        return Ok(true.into());
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
    if is_unchanged(call, 0, array) {
        put_back(call, list, keep_keys);
    }
    Ok(true.into())
}

/// Whether an argument still holds the array that was sorted: what `__toString()` has put there instead, or has made of it,
/// stays.
pub(super) fn is_unchanged(call: &Call<'_>, argument: usize, sorted: ArrayHandle) -> bool {
    let now = call.argument(argument).deref();
    now.kind() == ARRAY && std::ptr::eq(now.array(), sorted.as_ptr())
}

/// Puts sorted elements into the array in argument 0, which remains the one that loops go over.
fn put_back(call: &mut Call<'_>, list: Vec<Entry>, keep_keys: bool) {
    let mut result = rebuilt(call.vm, list, keep_keys);
    // What user code has put into the variable instead stays there, unless it is an array.
    if call.argument(0).deref().kind() == ARRAY {
        let mut array = call.take_array(0);
        let target = array.make_mut(call.vm);
        if target.is_packed() {
            target.squeeze_iterators();
        }
        let sorted = result.make_mut(call.vm);
        if keep_keys {
            sorted.keep_next_key_of(target);
        }
        target.exchange(sorted);
        call.assign(0, array.into());
    }
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

/// True if all keys are integers, or strings that compare by their bytes.
fn has_uniform_keys(array: &PhpArray, flags: i64) -> bool {
    let mut keys = array.iter().map(|(key, _)| key);
    match flags {
        ordering::REGULAR if matches!(keys.clone().next(), Some(KeyRef::String(_))) => {
            // Strings that begin like this are no numbers.
            let is_word = |key: &[u8]| key.first().is_some_and(|&first| first > b'9');
            keys.all(|key| matches!(key, KeyRef::String(key) if is_word(key.as_bytes())))
        }
        ordering::REGULAR | ordering::NUMERIC => keys.all(|key| matches!(key, KeyRef::Long(_))),
        ordering::STRINGS => keys.all(|key| matches!(key, KeyRef::String(_))),
        _ => false,
    }
}

/// The order of two keys of one kind.
fn compare_keys(a: KeyRef<'_>, b: KeyRef<'_>) -> Ordering {
    match (a, b) {
        (KeyRef::Long(a), KeyRef::Long(b)) => a.cmp(&b),
        (KeyRef::String(a), KeyRef::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        _ => Ordering::Equal,
    }
}

fn sort_keys(call: &mut Call<'_>, reverse: bool) -> PhpResult<Value> {
    let flags = call.long(1);
    let array = call.array(0);
    if array.len() < 2 {
        return Ok(true.into());
    }
    let is_in_order = !reverse && flags == ordering::REGULAR && array.packed().is_some();
    let is_uniform = has_uniform_keys(&array, flags);
    drop(array);
    if is_in_order {
        let mut array = call.take_array(0);
        array.make_mut(call.vm).set_internal_position(0);
        call.assign(0, array.into());
        return Ok(true.into());
    }
    if is_uniform && sort_in_place(call, |a, b| directed(compare_keys(a.0, b.0), reverse)) {
        return Ok(true.into());
    }
    sort_keys_by_values(call, flags, reverse)
}

/// Sorts by keys as the values that they are.
fn sort_keys_by_values(call: &mut Call<'_>, flags: i64, reverse: bool) -> PhpResult<Value> {
    // Comparing keys runs no code of the script.
    if sort_entries(call, reverse, |vm, a, b| {
        compare_values(vm, &a.key().to_value(), &b.key().to_value(), flags)
    }) {
        return Ok(true.into());
    }
    let array = call.array(0);
    let mut list = entries(&array);
    let vm = &mut *call.vm;
    ordering::sort(&mut list, |a, b| {
        let order = compare_values(vm, &key_value(&a.key), &key_value(&b.key), flags);
        if reverse { -order } else { order }
    });
    drop(array);
    put_back(call, list, true);
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
    a: &Zval,
    b: &Zval,
    warned: &mut bool,
) -> i32 {
    if !vm.exception.is_null() {
        return 0;
    }
    let Ok(result) = callback.call(vm, [share_element(a), share_element(b)]) else {
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
            let Ok(result) = callback.call(vm, [share_element(b), share_element(a)]) else {
                return 0;
            };
            return -operators::to_long(vm, &result).signum() as i32;
        }
    }
    operators::to_long(vm, &result).signum() as i32
}

/// What is compared: value and key of an element.
type Compared<'a> = (&'a Zval, KeyRef<'a>);

/// A sorted copy of an array; the script, whose code compares, goes on with the array meanwhile.
fn sorted_copy(
    vm: &mut Vm,
    array: &ArrayHandle,
    keep_keys: bool,
    mut compare: impl FnMut(&mut Vm, Compared<'_>, Compared<'_>) -> i32,
) -> ArrayHandle {
    if !keep_keys {
        let mut copy = new_list(vm, array.len());
        let list = copy.make_mut(vm);
        for value in array.live_values() {
            list.append(share_element(value));
        }
        // Where there are no keys, none is compared.
        let key = KeyRef::Long(0);
        let values = list.packed_mut().unwrap_or_default();
        ordering::sort_list(values, |a, b| compare(vm, (a, key), (b, key)));
        return copy;
    }
    if !array.has_iterators() {
        let mut copy = array.duplicate(&mut vm.heap);
        let target = copy.make_mut(vm);
        let is_sorted = target.sort_entries_by(|entries| {
            ordering::hybrid_sort(entries, &mut |a, b| match compare(
                vm,
                (a.value(), a.key()),
                (b.value(), b.key()),
            ) {
                0 => a.order().cmp(&b.order()) as i32,
                order => order,
            });
        });
        if is_sorted {
            return copy;
        }
    }
    let mut list = entries(array);
    ordering::sort(&mut list, |a, b| {
        compare(vm, (&a.value, a.key.as_ref()), (&b.value, b.key.as_ref()))
    });
    rebuilt(vm, list, true)
}

fn user_sort(
    call: &mut Call<'_>,
    keep_keys: bool,
    compare: impl Fn(&mut Vm, &Callback, Compared<'_>, Compared<'_>, &mut bool) -> i32,
) -> PhpResult<Value> {
    let array = call.array(0);
    if array.is_empty() {
        return Ok(true.into());
    }
    let callback = Callback::new(call.vm, call.value(1));
    let mut warned = false;
    let mut result = sorted_copy(call.vm, &array, keep_keys, |vm, a, b| {
        compare(vm, &callback, a, b, &mut warned)
    });
    if keep_keys {
        result.make_mut(call.vm).keep_next_key_of(&array);
    }
    drop(array);
    if call.argument(0).deref().kind() == ARRAY {
        let mut old = call.take_array(0);
        if old.has_iterators() {
            old.make_mut(call.vm).squeeze_iterators();
        }
        call.assign(0, old.into());
    }
    crate::support::replace_array(call, 0, result);
    call.vm.check()?;
    Ok(true.into())
}

fn compare_entries(
    vm: &mut Vm,
    callback: &Callback,
    a: Compared<'_>,
    b: Compared<'_>,
    warned: &mut bool,
) -> i32 {
    user_compare(vm, callback, a.0, b.0, warned)
}

fn usort(call: &mut Call<'_>) -> PhpResult<Value> {
    user_sort(call, false, compare_entries)
}

fn uasort(call: &mut Call<'_>) -> PhpResult<Value> {
    user_sort(call, true, compare_entries)
}

fn uksort(call: &mut Call<'_>) -> PhpResult<Value> {
    user_sort(call, true, |vm, callback, a, b, warned| {
        user_compare(vm, callback, &a.1.to_value(), &b.1.to_value(), warned)
    })
}
