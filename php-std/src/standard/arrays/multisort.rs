//! `array_multisort`: several columns sorted by the first, ties by the next.

use vm_runtime::array::Key;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::operators::convert::share_element;
use vm_runtime::value::{ARRAY, ArrayHandle, LONG, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::ordering::{self, compare_values, hybrid_sort};
use super::sort::is_unchanged;
use crate::support::{Append, functions, new_list};

functions! {
    "array_multisort(&?$array, &?...$rest): bool" => array_multisort,
}

const DESCENDING: i64 = 3;
const ASCENDING: i64 = 4;

/// A column: which argument, its elements, and how to compare them.
struct Column {
    argument: usize,
    /// As it is until the rows are sorted: what the script makes of it meanwhile is another array.
    array: Option<ArrayHandle>,
    /// None of a list.
    keys: Vec<Key>,
    values: Vec<Value>,
    flags: i64,
    descending: bool,
}

impl Column {
    /// Compares the elements of two rows.
    fn compare(&self, vm: &mut Vm, one: usize, other: usize) -> i32 {
        let (one, other) = (self.values[one].deref(), self.values[other].deref());
        if self.flags == ordering::REGULAR && one.kind() == LONG && other.kind() == LONG {
            limits::poll();
            return one.long().cmp(&other.long()) as i32;
        }
        compare_values(vm, one, other, self.flags)
    }
}

fn columns(call: &mut Call<'_>) -> PhpResult<Vec<Column>> {
    let mut columns: Vec<Column> = Vec::new();
    // Whether an order or a type may still follow the last array.
    let (mut order_open, mut type_open) = (false, false);
    for argument in 0..call.count() {
        let value = call.value(argument);
        match value.kind() {
            ARRAY => {
                let array = call.array(argument);
                let keys = match array.is_packed() {
                    true => Vec::new(),
                    false => array.iter().map(|(key, _)| key.to_key()).collect(),
                };
                let values = array.live_values().map(share_element).collect();
                columns.push(Column {
                    argument,
                    array: Some(array),
                    keys,
                    values,
                    flags: ordering::REGULAR,
                    descending: false,
                });
                (order_open, type_open) = (true, true);
            }
            LONG => {
                let flag = value.long();
                let open = match flag & !ordering::FOLD_CASE {
                    ASCENDING | DESCENDING => &mut order_open,
                    ordering::REGULAR
                    | ordering::NUMERIC
                    | ordering::STRINGS
                    | ordering::LOCALE
                    | ordering::NATURAL => &mut type_open,
                    _ => return Err(call.value_error(argument, "must be a valid sort flag")),
                };
                let Some(column) = columns.last_mut().filter(|_| *open) else {
                    return Err(call.type_error(
                        argument,
                        "must be an array or a sort flag that has not already been specified",
                    ));
                };
                *open = false;
                match flag & !ordering::FOLD_CASE {
                    DESCENDING => column.descending = true,
                    ASCENDING => column.descending = false,
                    _ => column.flags = flag,
                }
            }
            _ => return Err(call.type_error(argument, "must be an array or a sort flag")),
        }
    }
    Ok(columns)
}

fn array_multisort(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut columns = columns(call)?;
    let Some(first) = columns.first() else {
        return Ok(true.into());
    };
    let rows = first.values.len();
    if columns.iter().any(|column| column.values.len() != rows) {
        return Err(call
            .vm
            .throw_error(KnownClass::ValueError, "Array sizes are inconsistent"));
    }
    let mut order: Vec<u32> = (0..rows as u32).collect();
    let vm = &mut *call.vm;
    hybrid_sort(&mut order, &mut |&one: &u32, &other: &u32| {
        for column in &columns {
            let result = column.compare(vm, one as usize, other as usize);
            if result != 0 {
                return if column.descending { -result } else { result };
            }
        }
        // Rows that are equal keep their order.
        one.cmp(&other) as i32
    });
    let unchanged: Vec<bool> = columns
        .iter_mut()
        .map(|column| {
            let array = column.array.take();
            array.is_some_and(|array| is_unchanged(call, column.argument, array))
        })
        .collect();
    for (column, unchanged) in columns.iter().zip(unchanged) {
        let mut sorted = new_list(call.vm, rows);
        let array = sorted.make_mut(call.vm);
        for &row in &order {
            let value = column.values[row as usize].clone();
            match column.keys.get(row as usize) {
                Some(Key::String(key)) => array.set_string(key, value),
                _ => array.append(value),
            }
        }
        array.set_next_free_key(rows as i64);
        if unchanged && call.argument(column.argument).is_reference() {
            crate::support::replace_array(call, column.argument, sorted);
        }
    }
    call.vm.check()?;
    Ok(true.into())
}
