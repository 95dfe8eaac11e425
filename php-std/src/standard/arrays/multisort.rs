//! `array_multisort`: several columns sorted by the first, ties by the next.

use vm_runtime::array::Key;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators;
use vm_runtime::value::{ARRAY, LONG, Value};
use vm_runtime::vm::PhpResult;

use super::ordering::{self, Entry, compare_values};
use crate::support::{Append, functions, new_list};

functions! {
    "array_multisort(&?$array, &?...$rest): bool" => array_multisort,
}

const DESCENDING: i64 = 3;
const ASCENDING: i64 = 4;

/// A column: which argument, its elements, and how to compare them.
struct Column {
    argument: usize,
    keys: Vec<Key>,
    values: Vec<Value>,
    flags: i64,
    descending: bool,
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
                let mut keys = Vec::with_capacity(array.len());
                let mut values = Vec::with_capacity(array.len());
                for (key, value) in array.iter() {
                    keys.push(key.to_key());
                    values.push(operators::convert::share_element(value));
                }
                columns.push(Column {
                    argument,
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
    let columns = columns(call)?;
    let Some(first) = columns.first() else {
        return Ok(true.into());
    };
    let rows = first.values.len();
    if columns.iter().any(|column| column.values.len() != rows) {
        return Err(call
            .vm
            .throw_error(KnownClass::ValueError, "Array sizes are inconsistent"));
    }
    let mut order: Vec<Entry> = (0..rows)
        .map(|row| Entry {
            key: Key::Long(row as i64),
            value: Value::NULL,
            order: row as u32,
        })
        .collect();
    let vm = &mut *call.vm;
    ordering::sort(&mut order, |a, b| {
        for column in &columns {
            let (a, b) = (
                &column.values[a.order as usize],
                &column.values[b.order as usize],
            );
            let result = compare_values(vm, a.deref(), b.deref(), column.flags);
            if result != 0 {
                return if column.descending { -result } else { result };
            }
        }
        0
    });
    for column in &columns {
        let mut sorted = new_list(call.vm, rows);
        let array = sorted.make_mut(call.vm);
        for entry in &order {
            let row = entry.order as usize;
            match &column.keys[row] {
                Key::String(key) => array.set_string(key, column.values[row].clone()),
                Key::Long(_) => array.append(column.values[row].clone()),
            }
        }
        array.set_next_free_key(rows as i64);
        if call.argument(column.argument).is_reference() {
            crate::support::replace_array(call, column.argument, sorted);
        }
    }
    call.vm.check()?;
    Ok(true.into())
}
