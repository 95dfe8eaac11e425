//! Parts of arrays: `array_slice`, `array_splice`, `array_chunk`, `array_pad`, `array_column`, ...

use foldhash::fast::RandomState;
use hashbrown::HashSet;
use vm_runtime::array::{Key, KeyRef, PhpArray, integer_key};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::operators::{self, convert::share_element};
use vm_runtime::string::are_equal;
use vm_runtime::value::{
    ARRAY, ArrayHandle, DOUBLE, FALSE, LONG, NULL, OBJECT, STRING, TRUE, Value, ValueKind, Zval,
};
use vm_runtime::vm::{PhpResult, Vm};

use super::super::strings::substring::select;
use super::ordering::{self, compare_values};
use crate::support::{Append, Outcome, Plain, direct, functions, hold, new_list};

functions! {
    "array_slice(array $array, int $offset, ?int $length = null, bool $preserve_keys = false): array" => array_slice | array_slice_directly,
    "array_splice(array &$array, int $offset, ?int $length = null, mixed $replacement = []): array" => array_splice,
    "array_chunk(array $array, int $length, bool $preserve_keys = false): array" => array_chunk,
    "array_pad(array $array, int $length, mixed $value): array" => array_pad | array_pad_directly,
    "array_column(array $array, int|string|null $column_key, int|string|null $index_key = null): array" => array_column,
    "array_unique(array $array, int $flags = SORT_STRING): array" => array_unique,
}

/// Appends an element: a string key stays, which is new, an `int` key too if `keep`.
#[inline]
fn add(target: &mut PhpArray, key: KeyRef<'_>, value: Value, keep: bool) {
    match key {
        KeyRef::Long(_) if !keep => target.append(value),
        key => target.set_new(key, value),
    }
}

fn array_slice(call: &mut Call<'_>) -> PhpResult<Value> {
    let (whole, length, keep) = (
        call.argument(0).deref(),
        call.optional_long(2),
        call.bool(3),
    );
    let (array, offset) = (call.elements(0), call.long(1));
    let range = select(array.len(), offset, length);
    let whole = Value::share(whole);
    Ok(part_of(call.vm, &whole, array, range, keep))
}

fn array_slice_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let (whole, offset, length) = match arguments {
        [whole, offset] => (whole, i64::of(offset), Some(None)),
        [whole, offset, length] => (whole, i64::of(offset), i64::of(length).map(Some)),
        _ => return false,
    };
    let (Some(array), Some(offset), Some(length)) = (<&PhpArray>::of(whole), offset, length) else {
        return false;
    };
    let range = select(array.len(), offset, length);
    part_of(vm, whole, array, range, false).store(result)
}

/// Some of the elements of an array, `whole`.
#[inline]
fn part_of(
    vm: &mut Vm,
    whole: &Zval,
    array: &PhpArray,
    range: std::ops::Range<usize>,
    keep: bool,
) -> Value {
    // The same array, unless it has references, which are elements' values in the copy.
    // And the place of `current()`, which is the first one there.
    if range.len() == array.len()
        && (keep || array.packed().is_some())
        && array.internal_position() == 0
        && array.has_fresh_next_key()
        && !array.iter().any(|(_, value)| value.is_reference())
    {
        return Value::share(whole);
    }
    let mut result = new_list(vm, range.len());
    let target = result.make_mut(vm);
    if let Some(values) = array.packed() {
        let part = &values[range.clone()];
        if !keep {
            target.extend_shared(part.iter());
            return result.into();
        }
        for (index, value) in part.iter().enumerate() {
            target.set_long((range.start + index) as i64, share_element(value));
        }
        return result.into();
    }
    for (key, value) in array.iter().skip(range.start).take(range.len()) {
        add(target, key, share_element(value), keep);
    }
    result.into()
}

fn array_splice(call: &mut Call<'_>) -> PhpResult<Value> {
    let replacement = call.value(3);
    let replacement = match replacement.array() {
        Some(array) => array,
        None => operators::to_array(call.vm, &replacement),
    };
    let (offset, length) = (call.long(1), call.optional_long(2));
    let is_used = call.is_result_used();
    let mut array = call.take_array(0);
    let range = select(array.len(), offset, length);
    let mut removed = new_list(call.vm, range.len());
    let mut result = new_list(call.vm, array.len() - range.len() + replacement.len());
    let (taken, kept) = (removed.make_mut(call.vm), result.make_mut(call.vm));
    let insert = |kept: &mut PhpArray| match replacement.packed() {
        Some(values) => kept.extend_shared(values.iter()),
        None => {
            for (_, value) in replacement.iter() {
                kept.append(share_element(value));
            }
        }
    };
    if let Some(values) = array.packed() {
        taken.extend_shared(values[range.clone()].iter());
        kept.extend_shared(values[..range.start].iter());
        insert(kept);
        kept.extend_shared(values[range.end..].iter());
    } else {
        splice(&array, &range, insert, kept, taken);
    }
    if array.has_iterators() {
        let vm = &mut *call.vm;
        let (array, kept) = (array.make_mut(vm), result.make_mut(vm));
        // What is taken counts as if it were still there, as in PHP, if somebody gets it.
        let removed = if is_used { 0 } else { range.len() };
        let by = replacement.len() as i64 - removed as i64;
        move_loops(array, kept, &range, by);
    }
    drop(array);
    let runs_code =
        |value: &Zval| !matches!(value.kind(), NULL | FALSE | TRUE | LONG | DOUBLE | STRING);
    if is_used || !removed.live_values().any(runs_code) {
        call.assign(0, result.into());
        return Ok(removed.into());
    }
    // What is removed is destroyed before the variable is written, if nobody takes it.
    // Whether destructors write the variable, too, shows by what stands there meanwhile.
    let mark = new_list(call.vm, 1);
    // A share of its own, so that no other array has its address.
    call.assign(0, mark.clone().into());
    drop(removed);
    let is_untouched = match call.argument(0).deref().view() {
        ValueKind::Array(array) => std::ptr::eq(array, &raw const *mark),
        _ => false,
    };
    if !is_untouched {
        return Err(call.vm.throw_error(
            KnownClass::Error,
            "Array was modified during array_splice operation",
        ));
    }
    call.assign(0, result.into());
    Ok(Value::NULL)
}

/// Parts an array that is no list: what is in the range, and the rest with what is inserted there.
fn splice(
    array: &PhpArray,
    range: &std::ops::Range<usize>,
    insert: impl Fn(&mut PhpArray),
    kept: &mut PhpArray,
    taken: &mut PhpArray,
) {
    for (index, (key, value)) in array.iter().enumerate() {
        if index == range.start {
            insert(kept);
        }
        let target = if range.contains(&index) {
            &mut *taken
        } else {
            &mut *kept
        };
        add(target, key, share_element(value), false);
    }
    if range.start >= array.len() {
        insert(kept);
    }
}

/// Loops by reference over an array go on in the one that takes its place. Each element that stays takes those along
/// that stand at its position, one after the other, even if an earlier one has brought them there; those behind what
/// is removed go on `by` elements further on.
fn move_loops(
    array: &mut PhpArray,
    result: &mut PhpArray,
    removed: &std::ops::Range<usize>,
    by: i64,
) {
    if !array.has_iterators() {
        return;
    }
    result.take_iterators(array, |_, at| at);
    let mut moves = Vec::with_capacity(array.len());
    let mut position = 0;
    for index in 0..array.len() {
        position = array.next_position(position);
        let next = array.next_position(position + 1);
        let target = match index {
            _ if removed.contains(&index) => next,
            _ if index < removed.start => index as u32,
            _ => (index as i64 + by) as u32,
        };
        moves.push((position, target));
        position = next;
    }
    result.move_iterators(&moves);
    if !removed.is_empty() && removed.end == array.len() {
        // At the end they go on with what is put there.
        result.clamp_iterators(removed.start as u32);
    }
}

fn array_chunk(call: &mut Call<'_>) -> PhpResult<Value> {
    let (array, size, keep) = (call.elements(0), call.long(1), call.bool(2));
    if size < 1 {
        return Err(call.value_error(1, "must be greater than 0"));
    }
    let size = (size as usize).min(array.len().max(1));
    let mut result = new_list(call.vm, array.len().div_ceil(size));
    let mut chunk: Option<ArrayHandle> = None;
    for (key, value) in array.iter() {
        let vm = &mut *call.vm;
        let target = chunk.get_or_insert_with(|| new_list(vm, size));
        let target_array = target.make_mut(call.vm);
        if keep {
            target_array.set_new(key, share_element(value));
        } else {
            target_array.append(share_element(value));
        }
        if target.len() == size
            && let Some(full) = chunk.take()
        {
            result.make_mut(call.vm).append(full.into());
        }
    }
    if let Some(rest) = chunk {
        result.make_mut(call.vm).append(rest.into());
    }
    Ok(result.into())
}

fn array_pad(call: &mut Call<'_>) -> PhpResult<Value> {
    let (whole, value) = (call.value(0), call.value(2));
    match padded(call.vm, &whole, call.elements(0), call.long(1), &value) {
        Some(padded) => Ok(padded),
        None => Err(call.value_error(1, "must not exceed the maximum allowed array size")),
    }
}

direct! {
    fn array_pad_directly(vm; whole: &Zval, length: i64, value: &Zval) {
        padded(vm, whole, <&PhpArray>::of(whole)?, length, &Value::share(value))
    }
}

/// An array, `whole`, made this long; none if that is too long.
fn padded(
    vm: &mut Vm,
    whole: &Zval,
    array: &PhpArray,
    length: i64,
    value: &Value,
) -> Option<Value> {
    let wanted = length.unsigned_abs() as usize;
    if wanted >= 0x4000_0000 {
        return None;
    }
    if wanted <= array.len() {
        return Some(Value::share(whole));
    }
    let missing = wanted - array.len();
    let mut result = new_list(vm, wanted);
    let target = result.make_mut(vm);
    let pad = |target: &mut PhpArray| target.extend_with(missing, |_| value.clone());
    if length < 0 {
        pad(target);
    }
    match array.packed() {
        Some(values) => target.extend_shared(values.iter()),
        None => {
            for (key, value) in array.iter() {
                add(target, key, share_element(value), false);
            }
        }
    }
    if length > 0 {
        pad(target);
    }
    Some(result.into())
}

/// A column of rows.
struct Column<'a> {
    name: &'a Value,
    /// What it is called in rows that are arrays.
    key: Option<KeyRef<'a>>,
}

impl Column<'_> {
    /// The column of this name; none if there is no name.
    fn of(name: &Value) -> Option<Column<'_>> {
        let key = match name.view() {
            ValueKind::Null => return None,
            ValueKind::Long(number) => Some(KeyRef::Long(number)),
            ValueKind::String(name) => Some(KeyRef::of_text(name)),
            _ => None,
        };
        Some(Column { name, key })
    }

    /// Its value in one row: an element, or an accessible property.
    #[inline]
    fn in_row(&self, vm: &mut Vm, row: &Zval) -> PhpResult<Option<Value>> {
        let row = row.deref();
        if let Some(array) = <&PhpArray>::of(row) {
            return Ok(self.key.and_then(|key| array.get(key)).map(hold));
        }
        let Some(object) = hold(row).object() else {
            return Ok(None);
        };
        let name = crate::support::string_of(vm, self.name)?;
        crate::support::property(vm, &object, &name)
    }
}

/// Adds the columns of a row that is an array, unless its key needs more than a look; false then.
#[inline]
fn add_plainly(
    vm: &mut Vm,
    row: &Zval,
    column: Option<&Column<'_>>,
    index: Option<&Column<'_>>,
    result: &mut ArrayHandle,
) -> bool {
    let (Some(row), Some(key)) = (
        <&PhpArray>::of(row.deref()),
        column.and_then(|column| column.key),
    ) else {
        return false;
    };
    let Some(value) = row.get(key) else {
        return true;
    };
    let at = match index.map(|index| index.key) {
        None => None,
        Some(Some(key)) => row.get(key),
        Some(None) => return false,
    };
    match at {
        None => result.make_mut(vm).append(hold(value)),
        Some(at) => {
            let at = at.deref();
            if !matches!(at.kind(), LONG | STRING) {
                return false;
            }
            super::basic::set_by_value(result.make_mut(vm), at, hold(value));
        }
    }
    true
}

fn array_column(call: &mut Call<'_>) -> PhpResult<Value> {
    let rows = call.elements(0);
    let (column, index) = (call.value(1), call.value(2));
    let (column, index) = (Column::of(&column), Column::of(&index));
    let mut result = new_list(call.vm, rows.len());
    let mut rows = rows.iter();
    if let (Some(key), None) = (column.as_ref().and_then(|column| column.key), &index) {
        // As long as rows are arrays nothing but a look is needed.
        let target = result.make_mut(call.vm);
        let mut next = rows.clone();
        while let Some(row) = next
            .next()
            .and_then(|(_, row)| <&PhpArray>::of(row.deref()))
        {
            if let Some(value) = row.get(key) {
                target.append(hold(value));
            }
            rows = next.clone();
        }
    }
    for (_, row) in rows {
        if add_plainly(call.vm, row, column.as_ref(), index.as_ref(), &mut result) {
            continue;
        }
        let value = match &column {
            None => Some(hold(row)),
            Some(column) => column.in_row(call.vm, row)?,
        };
        let Some(value) = value else { continue };
        let key = match &index {
            None => None,
            Some(index) => index.in_row(call.vm, row)?,
        };
        match key {
            Some(key) => set_by_offset(call.vm, &mut result, &key, value)?,
            None => result.make_mut(call.vm).append(value),
        }
    }
    Ok(result.into())
}

/// `$array[$key] = $value` with all of the language's conversions of keys.
pub(crate) fn set_by_offset(
    vm: &mut Vm,
    array: &mut ArrayHandle,
    key: &Zval,
    value: Value,
) -> PhpResult<()> {
    let number = match key.kind() {
        STRING | LONG => {
            super::basic::set_by_value(array.make_mut(vm), key, value);
            return Ok(());
        }
        NULL => {
            array.make_mut(vm).set_bytes(b"", value);
            return Ok(());
        }
        FALSE => 0,
        TRUE => 1,
        DOUBLE => {
            let number = operators::double_to_long(key.double());
            if number as f64 != key.double() {
                operators::convert::lost_precision(vm, key.double())?;
            }
            number
        }
        ARRAY | OBJECT => {
            let message = format!(
                "Cannot access offset of type {} on array",
                operators::value_name(key)
            );
            return Err(vm.throw_error(KnownClass::TypeError, message));
        }
        _ => {
            let number = operators::to_long(vm, key);
            vm.warning(format!(
                "Resource ID#{number} used as offset, casting to integer ({number})"
            ));
            vm.check()?;
            number
        }
    };
    array.make_mut(vm).set_long(number, value);
    Ok(())
}

fn array_unique(call: &mut Call<'_>) -> PhpResult<Value> {
    let (array, flags) = (call.elements(0), call.long(1));
    if array.len() <= 1 {
        return Ok(call.value(0));
    }
    if flags == ordering::STRINGS {
        return unique_strings(call, array);
    }
    let longs = match flags {
        ordering::REGULAR => repeated_longs(array),
        _ => None,
    };
    let removed = match longs {
        Some(repeated) => repeated,
        None => repeated_values(call, array, flags)?,
    };
    let mut result = call.array(0);
    let target = result.make_mut(call.vm);
    for key in removed {
        target.remove(key.as_ref());
    }
    Ok(result.into())
}

/// The keys of integers that stand further in front, too; None if there are values of other types.
fn repeated_longs(array: &PhpArray) -> Option<Vec<Key>> {
    if array.iter().any(|(_, value)| value.kind() != LONG) {
        return None;
    }
    limits::reserve(array.len() * 2 * size_of::<i64>());
    let mut seen = HashSet::with_capacity_and_hasher(array.len(), RandomState::default());
    let repeated = array.iter().filter(|(_, value)| !seen.insert(value.long()));
    Some(repeated.map(|(key, _)| key.to_key()).collect())
}

/// The keys of values that are equal to one further in front.
fn repeated_values(call: &mut Call<'_>, array: &PhpArray, flags: i64) -> PhpResult<Vec<Key>> {
    // Sorted, equal elements stand side by side; of each group the first in the array stays.
    let mut list = ordering::entries(array);
    let vm = &mut *call.vm;
    ordering::sort_unstable(&mut list, |a, b| {
        compare_values(vm, a.value.deref(), b.value.deref(), flags)
    });
    let mut removed: Vec<Key> = Vec::new();
    let mut last = 0;
    for index in 1..list.len() {
        let (kept, entry) = (&list[last], &list[index]);
        if compare_values(call.vm, kept.value.deref(), entry.value.deref(), flags) != 0 {
            last = index;
        } else if kept.order > entry.order {
            removed.push(kept.key.clone());
            last = index;
        } else {
            removed.push(entry.key.clone());
        }
    }
    drop(list);
    call.vm.check()?;
    Ok(removed)
}

fn unique_strings(call: &mut Call<'_>, array: &PhpArray) -> PhpResult<Value> {
    /// So many strings are compared one by one.
    const FEW: usize = 16;
    let mut result = new_list(call.vm, array.len());
    if array.len() <= FEW && array.iter().all(|(_, value)| value.kind() == STRING) {
        let target = result.make_mut(call.vm);
        let mut seen: [&[u8]; FEW] = [&[]; FEW];
        let mut count = 0;
        for (key, value) in array.iter() {
            let text = value.as_bytes().unwrap_or_default();
            if !seen[..count].iter().any(|known| are_equal(known, text)) {
                seen[count] = text;
                count += 1;
                target.set_new(key, share_element(value));
            }
        }
        return Ok(result.into());
    }
    if array.len() <= FEW && array.iter().all(|(_, value)| value.kind() == LONG) {
        let target = result.make_mut(call.vm);
        let mut seen = [0; FEW];
        let mut count = 0;
        for (key, value) in array.iter() {
            if !seen[..count].contains(&value.long()) {
                seen[count] = value.long();
                count += 1;
                target.set_new(key, share_element(value));
            }
        }
        return Ok(result.into());
    }
    // Texts as keys: those of whole numbers are numbers.
    let mut seen = new_list(call.vm, array.len());
    for (key, value) in array.iter() {
        let string = match value.kind() {
            LONG => None,
            _ => Some(crate::support::element_text(call.vm, value)?),
        };
        let known = seen.make_mut(call.vm);
        let before = known.len();
        match &string {
            None => known.slot_long(value.long()),
            Some(string) => match integer_key(string) {
                Some(number) => known.slot_long(number),
                None => known.slot_string(string),
            },
        };
        if known.len() > before {
            result.make_mut(call.vm).set_new(key, share_element(value));
        }
    }
    Ok(result.into())
}
