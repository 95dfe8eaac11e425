//! PHP's operators and conversions, on values.
//!
//! The binary operators have the form `operator(vm, &mut result, &left, &right)`: the slow paths of
//! handlers. `result` holds nothing when they are called; if they throw, it stays undefined.
//! Anything that warns may run a user's error handler, which may change the operands' variables;
//! so operands are shared before the first warning.

mod arithmetic;
mod bitwise;
mod comparison;
mod concatenation;
pub mod convert;
pub mod float_text;
mod identity;
mod increment;
pub mod numeric_string;
#[cfg(test)]
mod tests;
mod type_names;

pub use arithmetic::{add, div, modulus, mul, pow, power, silent_power, sub, unite};
pub use bitwise::{
    bitwise_and, bitwise_not, bitwise_or, bitwise_xor, boolean_xor, shift_left, shift_right,
};
pub use comparison::{
    compare, compare_arrays, compare_strings, is_equal, is_smaller, is_smaller_or_equal,
    smart_compare, spaceship, strings_are_equal,
};
pub use concatenation::{append_bytes, concat, concat_assign, concat_with_itself};
pub(crate) use concatenation::{concat_strings, extended, joined};
pub use convert::{
    double_to_long, integral, lost_precision, lost_string_precision, to_array, to_bool, to_double,
    to_long, to_object, to_string,
};
pub use identity::is_identical;
pub use increment::{decrement, increment};
pub use numeric_string::{Number, Numeric};
pub use type_names::{
    class_or_type_name, debug_type_name, legacy_type_name, type_name, value_name,
};

use crate::value::Zval;
use crate::vm::PhpResult;

/// Stores what an operator gave; a thrown one leaves the result undefined.
#[inline(always)]
fn store(result: &mut Zval, value: PhpResult<Zval>) {
    match value {
        Ok(value) => result.set(value),
        Err(_) => result.set_undef(),
    }
}

/// The truth value of a value, for handlers. Objects may be asked and may throw.
pub fn is_true(_vm: &mut crate::vm::Vm, value: &crate::value::Zval) -> bool {
    to_bool(value)
}
