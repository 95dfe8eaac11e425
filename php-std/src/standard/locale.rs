//! Locales: there is only `C`, so that a script gives the same everywhere.

use vm_runtime::function::Call;
use vm_runtime::operators::to_string;
use vm_runtime::value::{ARRAY, Value};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{define, functions, text};

functions! {
    "setlocale(int $category, $locales, ...$rest): string|false" => setlocale,
    "localeconv(): array" => localeconv,
}

/// Registers functions and constants.
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    define(
        vm,
        &[
            ("LC_CTYPE", 0i64),
            ("LC_NUMERIC", 1),
            ("LC_TIME", 2),
            ("LC_COLLATE", 3),
            ("LC_MONETARY", 4),
            ("LC_MESSAGES", 5),
            ("LC_ALL", 6),
            ("CHAR_MAX", 127),
        ],
    );
}

/// True for a name of the locale that is always in force.
fn is_known(name: &[u8]) -> bool {
    matches!(name, b"" | b"0" | b"C" | b"POSIX" | b"C.UTF-8" | b"C.utf8")
}

fn setlocale(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut wanted = Vec::new();
    for index in 1..call.count() {
        let argument = call.value(index);
        if argument.deref().kind() == ARRAY {
            if let Some(names) = argument.array() {
                wanted.extend(names.iter().map(|(_, name)| Value::share(name)));
            }
        } else {
            wanted.push(argument);
        }
    }
    for name in wanted {
        let name = to_string(call.vm, &name)?;
        if is_known(&name) {
            return text(call.vm, "C");
        }
    }
    Ok(false.into())
}

fn localeconv(call: &mut Call<'_>) -> PhpResult<Value> {
    let texts = [
        ("decimal_point", "."),
        ("thousands_sep", ""),
        ("int_curr_symbol", ""),
        ("currency_symbol", ""),
        ("mon_decimal_point", ""),
        ("mon_thousands_sep", ""),
        ("positive_sign", ""),
        ("negative_sign", ""),
    ];
    // The largest `char` stands for "not told".
    let numbers = [
        "int_frac_digits",
        "frac_digits",
        "p_cs_precedes",
        "p_sep_by_space",
        "n_cs_precedes",
        "n_sep_by_space",
        "p_sign_posn",
        "n_sign_posn",
    ];
    let mut table = call.vm.new_array();
    for (name, value) in texts {
        let value = call.vm.string(value).into();
        table.make_mut(call.vm).set_bytes(name.as_bytes(), value);
    }
    for name in numbers {
        table
            .make_mut(call.vm)
            .set_bytes(name.as_bytes(), 127i64.into());
    }
    for name in ["grouping", "mon_grouping"] {
        let empty = call.vm.new_array().into();
        table.make_mut(call.vm).set_bytes(name.as_bytes(), empty);
    }
    Ok(table.into())
}
