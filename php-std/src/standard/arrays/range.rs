//! `range`, with the rules of PHP 8.3: numbers, or single bytes if both ends are strings.

use vm_runtime::array::PhpArray;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::numeric_string::{self, Number};
use vm_runtime::value::{DOUBLE, LONG, Value, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::support::{Append, Plain, direct, functions, new_list};

functions! {
    "range(string|int|float $start, string|int|float $end, int|float $step = 1): array" => range | range_directly,
}

/// Arrays have fewer elements than this.
const MAXIMUM: f64 = 1_073_741_824.0;

/// Ranges of fewer steps than this are made directly.
const DIRECTLY: u64 = 1 << 20;

/// What an end of the range is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Long(i64),
    Double(f64),
    /// A string that is no number.
    Text(u8),
    /// A single digit as a string: a number, or a byte if the other end is a string too.
    Digit(u8),
}

impl End {
    fn number(self) -> Number {
        match self {
            End::Long(value) => Number::Long(value),
            End::Double(value) => Number::Double(value),
            End::Digit(byte) => Number::Long((byte - b'0') as i64),
            End::Text(_) => Number::Long(0),
        }
    }

    fn byte(self) -> Option<u8> {
        match self {
            End::Text(byte) | End::Digit(byte) => Some(byte),
            _ => None,
        }
    }
}

fn finite(call: &mut Call<'_>, index: usize, value: f64) -> PhpResult<f64> {
    if value.is_finite() {
        return Ok(value);
    }
    let shown = if value.is_nan() { "NAN" } else { "INF" };
    Err(call.value_error(index, &format!("must be a finite number, {shown} provided")))
}

fn warn(call: &mut Call<'_>, message: &str) -> PhpResult<()> {
    call.vm.warning(format!("range(): {message}"));
    call.vm.check()
}

fn end(call: &mut Call<'_>, index: usize, name: &str) -> PhpResult<End> {
    let value = call.argument(index).deref();
    match value.kind() {
        LONG => return Ok(End::Long(value.long())),
        DOUBLE => return Ok(End::Double(finite(call, index, value.double())?)),
        _ => {}
    }
    let bytes = call.bytes(index);
    let Some(&first) = bytes.first() else {
        warn(
            call,
            &format!(
                "Argument #{} (${name}) must not be empty, casted to 0",
                index + 1
            ),
        )?;
        return Ok(End::Long(0));
    };
    match numeric_string::parse_whole(bytes) {
        Some(_) if bytes.len() == 1 => Ok(End::Digit(first)),
        Some(Number::Long(value)) => Ok(End::Long(value)),
        Some(Number::Double(value)) => Ok(End::Double(finite(call, index, value)?)),
        None => {
            if bytes.len() > 1 {
                let message = format!(
                    "Argument #{} (${name}) must be a single byte, subsequent bytes are ignored",
                    index + 1
                );
                warn(call, &message)?;
            }
            Ok(End::Text(first))
        }
    }
}

/// The step: how far, whether down was asked for, and whether it has a fraction.
#[derive(Debug, Clone, Copy)]
struct Step {
    long: i64,
    double: f64,
    negative: bool,
    fractional: bool,
}

fn step(call: &mut Call<'_>) -> PhpResult<Step> {
    let value = call.argument(2).deref();
    let (long, double, fractional) = if value.kind() == DOUBLE {
        let double = finite(call, 2, value.double())?;
        (double as i64, double, double != (double as i64) as f64)
    } else {
        (value.long(), value.long() as f64, false)
    };
    if double == 0.0 {
        return Err(call.value_error(2, "cannot be 0"));
    }
    let negative = double < 0.0;
    if negative && long == i64::MIN && !fractional {
        return Err(call.value_error(2, &format!("must be greater than {}", i64::MIN)));
    }
    Ok(Step {
        long: long.wrapping_abs(),
        double: double.abs(),
        negative,
        fractional,
    })
}

direct! {
    fn range_directly(vm; first: &Zval, last: &Zval) {
        match (first.kind(), last.kind()) {
            (LONG, LONG) => long_range(vm, first.long(), last.long()),
            _ => letter_range(vm, <&[u8]>::of(first)?, <&[u8]>::of(last)?),
        }
    }
}

/// Numbers one apart, if there are not too many.
fn long_range(vm: &mut Vm, first: i64, last: i64) -> Option<Value> {
    let steps = first.abs_diff(last);
    let step = if last < first { -1 } else { 1 };
    (steps < DIRECTLY).then(|| {
        let element = |index: usize| Zval::from_long(first + step * index as i64);
        PhpArray::packed_with(&mut vm.heap, steps as usize + 1, element).into()
    })
}

/// Bytes one apart, if neither end can be a number.
fn letter_range(vm: &mut Vm, first: &[u8], last: &[u8]) -> Option<Value> {
    let (&[first], &[last]) = (first, last) else {
        return None;
    };
    if first.is_ascii_digit() || last.is_ascii_digit() {
        return None;
    }
    let mut result = new_list(vm, usize::from(first.abs_diff(last)) + 1);
    let array = result.make_mut(vm);
    let mut append = |byte: u8| array.append(vm.string([byte]).into());
    match first <= last {
        true => (first..=last).for_each(&mut append),
        false => (last..=first).rev().for_each(&mut append),
    }
    Some(result.into())
}

fn range(call: &mut Call<'_>) -> PhpResult<Value> {
    let step = step(call)?;
    let mut first = end(call, 0, "start")?;
    let mut last = end(call, 1, "end")?;
    match (first.byte(), last.byte()) {
        (None, None) => {}
        (Some(_), Some(_)) => {
            if !step.fractional {
                return characters(call, first, last, step);
            }
            if matches!(first, End::Text(_)) || matches!(last, End::Text(_)) {
                warn(
                    call,
                    "Argument #3 ($step) must be of type int when generating an array of characters, inputs converted to 0",
                )?;
            }
        }
        (None, Some(_)) if matches!(last, End::Text(_)) => {
            warn(
                call,
                "Argument #1 ($start) must be a single byte string if argument #2 ($end) is a single byte string, argument #2 ($end) converted to 0",
            )?;
            last = End::Long(0);
        }
        (Some(_), None) if matches!(first, End::Text(_)) => {
            warn(
                call,
                "Argument #2 ($end) must be a single byte string if argument #1 ($start) is a single byte string, argument #1 ($start) converted to 0",
            )?;
            first = End::Long(0);
        }
        _ => {}
    }
    match (first.number(), last.number()) {
        (Number::Long(first), Number::Long(last)) if !step.fractional => {
            longs(call, first, last, step)
        }
        (first, last) => doubles(call, first.to_double(), last.to_double(), step),
    }
}

fn too_far(call: &mut Call<'_>) -> Thrown {
    call.value_error(
        2,
        "must be less than the range spanned by argument #1 ($start) and argument #2 ($end)",
    )
}

fn wrong_direction(call: &mut Call<'_>) -> Thrown {
    call.value_error(2, "must be greater than 0 for increasing ranges")
}

fn characters(call: &mut Call<'_>, first: End, last: End, step: Step) -> PhpResult<Value> {
    let (first, last) = (
        first.byte().unwrap_or(0) as i64,
        last.byte().unwrap_or(0) as i64,
    );
    if last > first && step.negative {
        return Err(wrong_direction(call));
    }
    if first != last && (first - last).abs() < step.long {
        return Err(too_far(call));
    }
    let mut result = new_list(call.vm, 0);
    let array = result.make_mut(call.vm);
    let direction = if last < first { -1 } else { 1 };
    let mut byte = first;
    while (last - byte) * direction >= 0 {
        array.append(call.vm.string([byte as u8]).into());
        byte += step.long * direction;
    }
    Ok(result.into())
}

fn longs(call: &mut Call<'_>, first: i64, last: i64, step: Step) -> PhpResult<Value> {
    if last > first && step.negative {
        return Err(wrong_direction(call));
    }
    let span = first.abs_diff(last);
    let stride = step.long as u64;
    if first != last && span < stride {
        return Err(too_far(call));
    }
    let steps = span / stride;
    if steps as f64 >= MAXIMUM - 1.0 {
        let message = format!(
            "The supplied range exceeds the maximum array size: start={} end={} step={}",
            first.min(last),
            first.max(last),
            step.long
        );
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    let stride = if last < first {
        step.long.wrapping_neg()
    } else {
        step.long
    };
    let element =
        |index: usize| Zval::from_long(first.wrapping_add(stride.wrapping_mul(index as i64)));
    Ok(PhpArray::packed_with(&mut call.vm.heap, steps as usize + 1, element).into())
}

fn doubles(call: &mut Call<'_>, first: f64, last: f64, step: Step) -> PhpResult<Value> {
    if last > first && step.negative {
        return Err(wrong_direction(call));
    }
    let span = (first - last).abs();
    if first != last && span < step.double {
        return Err(too_far(call));
    }
    let count = span / step.double + 1.0;
    if count >= MAXIMUM {
        let message = format!(
            "The supplied range exceeds the maximum array size: start={:.1} end={:.1} step={:.1}",
            first.min(last),
            first.max(last),
            step.double
        );
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    // Rounds half up what is within the precision of the quotient, so that 0.1 to 0.5 by 0.1 has
    // five elements.
    let count = (count + 1e-9 * count).floor() as usize;
    let is_falling = last < first;
    let element = |index: usize| {
        let distance = index as f64 * step.double;
        Zval::from_double(match is_falling {
            true => first - distance,
            false => first + distance,
        })
    };
    Ok(PhpArray::packed_with(&mut call.vm.heap, count, element).into())
}
