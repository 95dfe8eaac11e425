//! Sorting arrays in the order of a language.

use std::cmp::Ordering;

use vm_runtime::array::KeyRef;
use vm_runtime::function::Call;
use vm_runtime::operators::compare;
use vm_runtime::operators::numeric_string::{self, parse_whole};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::Order;
use crate::intl::errors::INVALID_CHARACTER;
use crate::intl::native::{failed, held};
use crate::support::string_of;

const SORT_STRING: i64 = 1;
const SORT_NUMERIC: i64 = 2;

/// The entries of an array, as many owners of them.
fn entries(call: &mut Call<'_>, index: usize) -> Vec<(Value, Value)> {
    let array = call.array(index);
    let mut own_key = |key: KeyRef<'_>| match key {
        KeyRef::Long(key) => Value::from(key),
        KeyRef::String(key) => Value::from(call.vm.string(key.as_bytes())),
    };
    array
        .iter()
        .map(|(key, value)| (own_key(key), Value::share(value)))
        .collect()
}

/// Puts entries into the array that was given.
fn put_back(call: &mut Call<'_>, index: usize, entries: Vec<(Value, Value)>, keeps_keys: bool) {
    let mut array = call.vm.new_array();
    let target = array.make_mut(call.vm);
    for (key, value) in entries {
        match key.view() {
            ValueKind::Long(key) if keeps_keys => target.set_long(key, value),
            ValueKind::String(key) if keeps_keys => target.set_bytes(key, value),
            _ => {
                let _ = target.push(value);
            }
        }
    }
    call.assign(index, array.into());
}

fn number(value: &Value) -> Option<f64> {
    match value.view() {
        ValueKind::String(bytes) => parse_whole(bytes).map(|number| match number {
            numeric_string::Number::Long(number) => number as f64,
            numeric_string::Number::Double(number) => number,
        }),
        _ => None,
    }
}

impl Order {
    /// Compares texts, of which those that are numbers are compared as such; other values as PHP does.
    fn compare_values(&self, vm: &mut Vm, flags: i64, one: &Value, two: &Value) -> Ordering {
        let texts = match (one.view(), two.view()) {
            (ValueKind::String(one), ValueKind::String(two)) => Some((one, two)),
            _ => None,
        };
        match (flags, texts) {
            (SORT_NUMERIC, _) => {
                let mut value =
                    |value: &Value| number(value).unwrap_or_else(|| value.to_double(vm));
                value(one).total_cmp(&value(two))
            }
            (SORT_STRING, _) => {
                let text =
                    |vm: &mut Vm, value: &Value| string_of(vm, value).map(|text| text.to_vec());
                match (text(vm, one), text(vm, two)) {
                    (Ok(one), Ok(two)) => self.compare(&one, &two),
                    _ => Ordering::Equal,
                }
            }
            (_, Some((left, right))) => match (number(one), number(two)) {
                (Some(one), Some(two)) => one.total_cmp(&two),
                _ => self.compare(left, right),
            },
            (_, None) => compare(vm, one, two).cmp(&0),
        }
    }
}

fn sorted(call: &mut Call<'_>, first: usize, keeps_keys: bool) -> PhpResult<Value> {
    let (_object, order) = held::<Order>(call, first)?;
    let flags = call.long(first + 1);
    let mut entries = entries(call, first);
    let is_text = |value: &Value| match value.view() {
        ValueKind::String(bytes) => std::str::from_utf8(bytes).is_ok(),
        _ => true,
    };
    if !entries.iter().all(|(_, value)| is_text(value)) {
        let problem = "Error converting hash from UTF-8 to UTF-16";
        return failed(call.vm, order, INVALID_CHARACTER, problem);
    }
    let vm = &mut *call.vm;
    crate::standard::arrays::sort_by(&mut entries, |one, two| {
        order.compare_values(vm, flags, &one.1, &two.1)
    });
    call.vm.check()?;
    put_back(call, first, entries, keeps_keys);
    Ok(true.into())
}

pub(super) fn sort(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    sorted(call, first, false)
}

pub(super) fn asort(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    sorted(call, first, true)
}

/// What is no text counts as an empty one.
pub(super) fn sort_with_keys(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, order) = held::<Order>(call, first)?;
    let mut keyed = Vec::new();
    for entry in entries(call, first) {
        let key = match entry.1.view() {
            ValueKind::String(bytes) => match std::str::from_utf8(bytes) {
                Ok(source) => order.sort_key(source),
                Err(_) => {
                    let problem = "Sort with sort keys failed";
                    return failed(call.vm, order, INVALID_CHARACTER, problem);
                }
            },
            _ => Vec::new(),
        };
        keyed.push((key, entry));
    }
    keyed.sort_by(|one, two| one.0.cmp(&two.0));
    let entries = keyed.into_iter().map(|(_, entry)| entry).collect();
    put_back(call, first, entries, false);
    Ok(true.into())
}
