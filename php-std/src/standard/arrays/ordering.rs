//! The sorting algorithm, and the comparisons that the `SORT_*` flags choose.
//!
//! PHP sorts with an insertion sort up to 16 elements and a quick sort above, made stable by
//! comparing original positions last. The same algorithm is used wherever the comparison may run
//! user code or is not a total order, so that the sequence of comparisons is PHP's own.

use vm_runtime::array::{Key, PhpArray};
use vm_runtime::function::class_flags;
use vm_runtime::limits;
use vm_runtime::operators;
use vm_runtime::value::{ARRAY, DOUBLE, LONG, NULL, OBJECT, STRING, StringHandle, Value, Zval};
use vm_runtime::vm::Vm;

use crate::standard::strings::compare::{binary_compare, case_compare, natural_compare};
use crate::support::string_of;

/// Compare as `<=>` does.
pub(crate) const REGULAR: i64 = 0;
/// Compare as floats.
pub(crate) const NUMERIC: i64 = 1;
/// Compare as strings.
pub(crate) const STRINGS: i64 = 2;
/// Compare as strings of the locale.
pub(crate) const LOCALE: i64 = 5;
/// Compare in natural order.
pub(crate) const NATURAL: i64 = 6;
/// Added to a flag: letter case does not count.
pub(crate) const FOLD_CASE: i64 = 8;

/// An element being sorted.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Its key.
    pub(crate) key: Key,
    /// Its value, references kept.
    pub(crate) value: Value,
    /// Where it stood.
    pub(crate) order: u32,
}

/// The elements of an array, references kept.
pub(crate) fn entries(array: &PhpArray) -> Vec<Entry> {
    limits::reserve(array.len() * size_of::<Entry>());
    array
        .iter()
        .enumerate()
        .map(|(order, (key, value))| Entry {
            key: key.to_key(),
            value: operators::convert::share_element(value),
            order: order as u32,
        })
        .collect()
}

/// Sorts by a comparison that may be inconsistent; elements that are equal keep their order.
pub(crate) fn sort(entries: &mut [Entry], mut compare: impl FnMut(&Entry, &Entry) -> i32) {
    hybrid_sort(entries, &mut |a, b| match compare(a, b) {
        0 => a.order.cmp(&b.order) as i32,
        order => order,
    });
}

/// As [`sort`], of the values of a list where they are.
pub(crate) fn sort_list(values: &mut [Zval], mut compare: impl FnMut(&Zval, &Zval) -> i32) {
    // What containers may use for themselves tells where a value stood.
    for (order, value) in (0..).zip(&mut *values) {
        value.extra = order;
    }
    hybrid_sort(values, &mut |a: &Zval, b: &Zval| match compare(a, b) {
        0 => a.extra.cmp(&b.extra) as i32,
        order => order,
    });
    for value in values {
        value.extra = 0;
    }
}

/// As [`sort`], but equal elements end up in any order.
pub(crate) fn sort_unstable(entries: &mut [Entry], mut compare: impl FnMut(&Entry, &Entry) -> i32) {
    hybrid_sort(entries, &mut compare);
}

/// True if comparing values as `flags` say runs no code of the script, which errors about them would.
pub(crate) fn is_plain(value: &Zval, flags: i64) -> bool {
    let is_scalar = |value: &Zval| (NULL..=STRING).contains(&value.kind());
    match value.kind() {
        ARRAY if flags == REGULAR => {
            // SAFETY: I3: an array payload is live.
            let array = unsafe { &*value.array() };
            array.live_values().all(is_scalar)
        }
        _ => is_scalar(value),
    }
}

/// How texts compare by their bytes, whatever these are, where all values are texts.
pub(crate) fn texts<'a>(
    mut values: impl Iterator<Item = &'a Zval>,
    flags: i64,
) -> Option<impl Fn(&Zval, &Zval) -> i32> {
    let (kind, fold) = (flags & !FOLD_CASE, flags & FOLD_CASE != 0);
    let is_text = matches!(kind, STRINGS | LOCALE | NATURAL);
    (is_text && values.all(|value| value.kind() == STRING)).then_some(move |a: &Zval, b: &Zval| {
        limits::poll();
        let (a, b) = (a.as_bytes(), b.as_bytes());
        compare_bytes(a.unwrap_or_default(), b.unwrap_or_default(), kind, fold)
    })
}

/// PHP's algorithm: as long as the comparison is consistent, it says which of two come first.
pub(crate) fn hybrid_sort<T>(mut items: &mut [T], compare: &mut impl FnMut(&T, &T) -> i32) {
    while items.len() > 16 {
        let length = items.len();
        let middle = length / 2;
        if length >= 1024 {
            let quarter = middle / 2;
            sort_five(
                items,
                [0, quarter, middle, middle + quarter, length - 1],
                compare,
            );
        } else {
            sort_three(items, [0, middle, length - 1], compare);
        }
        items.swap(1, middle);
        let split = partition(items, compare);
        items.swap(1, split - 1);
        let (left, right) = items.split_at_mut(split);
        let left = &mut left[..split - 1];
        // The smaller part first, the larger in this loop: the depth stays logarithmic.
        if left.len() < right.len() {
            hybrid_sort(left, compare);
            items = right;
        } else {
            hybrid_sort(right, compare);
            items = left;
        }
    }
    insertion_sort(items, compare);
}

/// Divides the elements from 2 on by the pivot at 1; gives the start of the upper part.
fn partition<T>(items: &mut [T], compare: &mut impl FnMut(&T, &T) -> i32) -> usize {
    let (mut low, mut high) = (2, items.len() - 1);
    loop {
        while compare(&items[1], &items[low]) > 0 {
            low += 1;
            if low == high {
                return low;
            }
        }
        high -= 1;
        if high == low {
            return low;
        }
        while compare(&items[high], &items[1]) > 0 {
            high -= 1;
            if high == low {
                return low;
            }
        }
        items.swap(low, high);
        low += 1;
        if low == high {
            return low;
        }
    }
}

fn sort_two<T>(items: &mut [T], [a, b]: [usize; 2], compare: &mut impl FnMut(&T, &T) -> i32) {
    if compare(&items[a], &items[b]) > 0 {
        items.swap(a, b);
    }
}

fn sort_three<T>(items: &mut [T], [a, b, c]: [usize; 3], compare: &mut impl FnMut(&T, &T) -> i32) {
    if compare(&items[a], &items[b]) <= 0 {
        if compare(&items[b], &items[c]) <= 0 {
            return;
        }
        items.swap(b, c);
        sort_two(items, [a, b], compare);
    } else if compare(&items[c], &items[b]) <= 0 {
        items.swap(a, c);
    } else {
        items.swap(a, b);
        sort_two(items, [b, c], compare);
    }
}

/// Lets the last of some places, whose others are in order, sink to where it belongs.
fn sink<T>(items: &mut [T], places: &[usize], compare: &mut impl FnMut(&T, &T) -> i32) {
    for pair in places.windows(2).rev() {
        if compare(&items[pair[0]], &items[pair[1]]) <= 0 {
            return;
        }
        items.swap(pair[0], pair[1]);
    }
}

fn sort_four<T>(items: &mut [T], places: [usize; 4], compare: &mut impl FnMut(&T, &T) -> i32) {
    sort_three(items, [places[0], places[1], places[2]], compare);
    sink(items, &places, compare);
}

fn sort_five<T>(items: &mut [T], places: [usize; 5], compare: &mut impl FnMut(&T, &T) -> i32) {
    sort_four(items, [places[0], places[1], places[2], places[3]], compare);
    sink(items, &places, compare);
}

fn insertion_sort<T>(items: &mut [T], compare: &mut impl FnMut(&T, &T) -> i32) {
    match items.len() {
        0 | 1 => {}
        2 => sort_two(items, [0, 1], compare),
        3 => sort_three(items, [0, 1, 2], compare),
        4 => sort_four(items, [0, 1, 2, 3], compare),
        5 => sort_five(items, [0, 1, 2, 3, 4], compare),
        length => {
            for index in 1..length {
                if compare(&items[index - 1], &items[index]) <= 0 {
                    continue;
                }
                let place = if index < 6 {
                    place_by_one(items, index, compare)
                } else {
                    place_by_two(items, index, compare)
                };
                items[place..=index].rotate_right(1);
            }
        }
    }
}

/// Where element `index`, which is smaller than the one before it, belongs.
fn place_by_one<T>(items: &[T], index: usize, compare: &mut impl FnMut(&T, &T) -> i32) -> usize {
    let mut place = index - 1;
    while place > 0 {
        if compare(&items[place - 1], &items[index]) <= 0 {
            return place;
        }
        place -= 1;
    }
    place
}

/// As [`place_by_one`], in steps of two.
fn place_by_two<T>(items: &[T], index: usize, compare: &mut impl FnMut(&T, &T) -> i32) -> usize {
    let mut place = index - 1;
    loop {
        place -= 2;
        if compare(&items[place], &items[index]) <= 0 {
            let next = place + 1;
            return if compare(&items[next], &items[index]) <= 0 {
                next + 1
            } else {
                next
            };
        }
        if place == 0 {
            return 0;
        }
        if place == 1 {
            return if compare(&items[index], &items[0]) > 0 {
                1
            } else {
                0
            };
        }
    }
}

/// Compares two values as `flags` say.
pub(crate) fn compare_values(vm: &mut Vm, a: &Zval, b: &Zval, flags: i64) -> i32 {
    vm.poll();
    let fold = flags & FOLD_CASE != 0;
    match flags & !FOLD_CASE {
        NUMERIC => {
            let (a, b) = (operators::to_double(vm, a), operators::to_double(vm, b));
            if a == b {
                0
            } else if a < b {
                -1
            } else {
                1
            }
        }
        kind @ (STRINGS | LOCALE | NATURAL) => {
            if let (Some(a), Some(b)) = (a.as_bytes(), b.as_bytes()) {
                return compare_bytes(a, b, kind, fold);
            }
            let (a, b) = (sorted_text(vm, a), sorted_text(vm, b));
            compare_bytes(&a, &b, kind, fold)
        }
        _ => match (is_case(a), is_case(b)) {
            (true, true) => {
                let (a, b) = (a.object(), b.object());
                a.cmp(&b) as i32
            }
            (false, true) => -1,
            _ => operators::compare(vm, a, b),
        },
    }
}

/// A value as a string. Sorting goes on after an exception, in which no code of the script runs any more.
fn sorted_text(vm: &mut Vm, value: &Zval) -> StringHandle {
    if (vm.exception.is_null() || value.kind() != OBJECT)
        && let Ok(text) = string_of(vm, value)
    {
        return text;
    }
    let text: &[u8] = if value.kind() == ARRAY { b"Array" } else { b"" };
    vm.string(text)
}

/// Cases of enums cannot be compared: sorting puts the same ones side by side, and behind the rest.
fn is_case(value: &Zval) -> bool {
    // SAFETY: I3: an object payload is live.
    value.kind() == OBJECT && unsafe { (*value.object()).class().flags & class_flags::ENUM != 0 }
}

fn compare_bytes(a: &[u8], b: &[u8], kind: i64, fold: bool) -> i32 {
    match (kind, fold) {
        (NATURAL, _) => natural_compare(a, b, fold),
        (STRINGS, true) => case_compare(a, b),
        _ => binary_compare(a, b),
    }
}

/// How values can be sorted fast, without PHP's own algorithm: their order is total and comparing
/// runs no user code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Uniform {
    /// All are `int`.
    Longs,
    /// All are `float`, none is NaN.
    Doubles,
    /// All are strings that compare by their bytes.
    Strings,
}

/// What all values have in common, if that allows to sort them fast by these flags.
pub(crate) fn uniform<'a>(values: impl Iterator<Item = &'a Zval>, flags: i64) -> Option<Uniform> {
    let mut values = values.peekable();
    let kind = values.peek()?.kind();
    match (kind, flags) {
        (LONG, REGULAR) => values
            .all(|value| value.kind() == LONG)
            .then_some(Uniform::Longs),
        (DOUBLE, REGULAR | NUMERIC) => values
            .all(|value| value.kind() == DOUBLE && !value.double().is_nan())
            .then_some(Uniform::Doubles),
        (STRING, STRINGS | LOCALE) => values
            .all(|value| value.kind() == STRING)
            .then_some(Uniform::Strings),
        (STRING, REGULAR) => values
            .all(|value| value.kind() == STRING && value.as_bytes().is_some_and(cannot_be_numeric))
            .then_some(Uniform::Strings),
        _ => None,
    }
}

/// True if a string does not start like a number, so that it compares by its bytes.
fn cannot_be_numeric(bytes: &[u8]) -> bool {
    !matches!(
        bytes.first(),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b' ' | 0x09..=0x0d)
    )
}

/// Compares two values of a uniform kind.
#[inline]
pub(crate) fn compare_uniform(kind: Uniform, a: &Zval, b: &Zval) -> std::cmp::Ordering {
    limits::poll();
    match kind {
        Uniform::Longs => a.long().cmp(&b.long()),
        Uniform::Doubles => a
            .double()
            .partial_cmp(&b.double())
            .unwrap_or(std::cmp::Ordering::Equal),
        Uniform::Strings => a.as_bytes().cmp(&b.as_bytes()),
    }
}
