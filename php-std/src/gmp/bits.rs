//! Bits: set, tested, looked for and counted, and numbers as bytes.

use std::sync::Arc;

use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, Zero};
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::number::{Number, reserve, watched};
use super::object::{held, store};
use super::{argument, made};
use crate::support::text;

/// More words a number cannot have.
const MOST_WORDS: i64 = i32::MAX as i64;

pub(super) const MSW_FIRST: i64 = 1;
pub(super) const LSW_FIRST: i64 = 2;
pub(super) const LITTLE_ENDIAN: i64 = 4;
pub(super) const BIG_ENDIAN: i64 = 8;
pub(super) const NATIVE_ENDIAN: i64 = 16;

/// The number of a bit, in an argument.
fn index(call: &mut Call<'_>, argument: usize) -> PhpResult<u64> {
    match u64::try_from(call.long(argument)) {
        Ok(index) => Ok(index),
        Err(_) => Err(call.value_error(argument, "must be greater than or equal to 0")),
    }
}

pub(super) fn set_bit(call: &mut Call<'_>) -> PhpResult<Value> {
    let bit = index(call, 1)?;
    if bit / 64 >= MOST_WORDS as u64 {
        return Err(call.value_error(1, &format!("must be less than {MOST_WORDS} * 64")));
    }
    change(call, bit, call.bool(2))
}

pub(super) fn clear_bit(call: &mut Call<'_>) -> PhpResult<Value> {
    let bit = index(call, 1)?;
    change(call, bit, false)
}

fn change(call: &mut Call<'_>, bit: u64, value: bool) -> PhpResult<Value> {
    let object = call.object(0);
    let Some(mut number) = held(&object) else {
        return Ok(Value::NULL);
    };
    // Beyond its bits a number repeats its sign.
    if bit >= number.bits() && value == number.is_negative() {
        return Ok(Value::NULL);
    }
    reserve(call.vm, number.bits().max(bit))?;
    // The object gives up its share, so that the number can be changed in place.
    store(&object, Number::default());
    Arc::make_mut(&mut number).set_bit(bit, value);
    store(&object, number);
    Ok(Value::NULL)
}

pub(super) fn test_bit(call: &mut Call<'_>) -> PhpResult<Value> {
    let bit = index(call, 1)?;
    let number = argument(call, 0)?;
    Ok(number.bit(bit).into())
}

pub(super) fn scan_zero(call: &mut Call<'_>) -> PhpResult<Value> {
    scan(call, false)
}

pub(super) fn scan_one(call: &mut Call<'_>) -> PhpResult<Value> {
    scan(call, true)
}

fn scan(call: &mut Call<'_>, wanted: bool) -> PhpResult<Value> {
    let start = index(call, 1)?;
    let number = argument(call, 0)?;
    if start >= number.bits() {
        let found = wanted == number.is_negative();
        return Ok(if found { start as i64 } else { -1 }.into());
    }
    let found = watched(number.bits(), [&number], move |[number]| {
        let number: BigInt = number >> start;
        if wanted { number } else { !number }.trailing_zeros()
    });
    Ok(found.map_or(-1, |zeros| (start + zeros) as i64).into())
}

pub(super) fn population_count(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = argument(call, 0)?;
    Ok(if number.is_negative() {
        -1
    } else {
        number.magnitude().count_ones() as i64
    }
    .into())
}

pub(super) fn hamming_distance(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two) = (argument(call, 0)?, argument(call, 1)?);
    if one.is_negative() != two.is_negative() {
        return Ok(Value::from(-1i64));
    }
    let bits = one.bits().max(two.bits());
    reserve(call.vm, bits)?;
    let distance = watched(bits, [&one, &two], |[one, two]| {
        (one ^ two).magnitude().count_ones()
    });
    Ok((distance as i64).into())
}

/// How the bytes of a number are ordered.
struct Layout {
    word: usize,
    first_is_highest: bool,
    big_endian: bool,
}

/// Size of a word and flags, in two arguments.
fn layout(call: &mut Call<'_>) -> PhpResult<Layout> {
    let (word, flags) = (call.long(1), call.long(2));
    if word < 1 {
        return Err(call.value_error(1, "must be greater than or equal to 1"));
    }
    let first_is_highest = match flags & (MSW_FIRST | LSW_FIRST) {
        0 | MSW_FIRST => true,
        LSW_FIRST => false,
        _ => return Err(call.value_error(2, "cannot use multiple word order options")),
    };
    let big_endian = match flags & (LITTLE_ENDIAN | BIG_ENDIAN | NATIVE_ENDIAN) {
        BIG_ENDIAN => true,
        LITTLE_ENDIAN => false,
        0 | NATIVE_ENDIAN => cfg!(target_endian = "big"),
        _ => return Err(call.value_error(2, "cannot use multiple endian options")),
    };
    Ok(Layout {
        word: word as usize,
        first_is_highest,
        big_endian,
    })
}

impl Layout {
    /// Bytes from the lowest to the highest as the layout has them, or the other way round.
    fn arrange(&self, bytes: &mut [u8]) {
        if self.first_is_highest {
            bytes.reverse();
        }
        // What was turned over has the bytes of its words turned over, too.
        if self.first_is_highest != self.big_endian {
            bytes.chunks_mut(self.word).for_each(<[u8]>::reverse);
        }
    }
}

pub(super) fn import(call: &mut Call<'_>) -> PhpResult<Value> {
    let layout = layout(call)?;
    let data = call.bytes(0);
    if !data.len().is_multiple_of(layout.word) {
        let problem = "must be a multiple of argument #2 ($word_size)";
        return Err(call.value_error(0, problem));
    }
    reserve(call.vm, data.len() as u64 * 8)?;
    let mut bytes = data.to_vec();
    // Turned back in the order in which it is done: words first.
    if layout.first_is_highest != layout.big_endian {
        bytes.chunks_mut(layout.word).for_each(<[u8]>::reverse);
    }
    if layout.first_is_highest {
        bytes.reverse();
    }
    made(call.vm, BigUint::from_bytes_le(&bytes))
}

pub(super) fn export(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = argument(call, 0)?;
    let layout = layout(call)?;
    if number.is_zero() {
        return text(call.vm, "");
    }
    if layout.word > (i64::MAX / 4) as usize {
        return Err(call.value_error(1, "is too large for argument #1 ($num)"));
    }
    let length = number.bits().div_ceil(8) as usize;
    let size = length.div_ceil(layout.word).saturating_mul(layout.word);
    reserve(call.vm, (size as u64).saturating_mul(8))?;
    let mut bytes = number.magnitude().to_bytes_le();
    bytes.resize(size, 0);
    layout.arrange(&mut bytes);
    text(call.vm, bytes)
}
