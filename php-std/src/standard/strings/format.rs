//! `sprintf` and its family.
//!
//! ```text
//! % [argnum$] [flags] [width] [.precision] specifier
//! flags: - (left) + (sign) 0, space or 'c (padding); width and precision may be * or *argnum$
//! ```

use smallvec::SmallVec;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators;
use vm_runtime::operators::float_text::{self, integer};
use vm_runtime::value::{ARRAY, LONG, OBJECT, STRING, StringHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::support::{Outcome, Plain, StringBuilder, functions, string_of};

functions! {
    "sprintf(string $format, mixed ...$values): string" => sprintf | sprintf_directly,
    "vsprintf(string $format, array $values): string" => vsprintf,
    "printf(string $format, mixed ...$values): int" => printf,
    "vprintf(string $format, array $values): int" => vprintf,
}

/// More digits after the point than this are never given.
const MAXIMUM_PRECISION: i64 = 53;

fn sprintf(call: &mut Call<'_>) -> PhpResult<Value> {
    let builder = from_arguments(call)?;
    call.vm.check()?;
    Ok(builder.into_value(call.vm))
}

/// `%s` and `%d` without more, for strings and integers: nothing can go wrong with them.
fn sprintf_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let [format, values @ ..] = arguments else {
        return false;
    };
    let formatted = <&[u8]>::of(format).and_then(|format| simply_formatted(vm, format, values));
    formatted.store(result)
}

fn simply_formatted(vm: &mut Vm, format: &[u8], values: &[Zval]) -> Option<Value> {
    let mut builder = StringBuilder::new(vm, format.len() + values.len() * 8);
    let mut values = values.iter();
    let mut rest = format;
    while let Some(at) = memchr::memchr(b'%', rest) {
        builder.push(&rest[..at]);
        let conversion = *rest.get(at + 1)?;
        rest = &rest[at + 2..];
        if conversion == b'%' {
            builder.push_byte(b'%');
            continue;
        }
        let value = values.next()?;
        match (conversion, value.kind()) {
            (b's', STRING) => builder.push(value.as_bytes()?),
            (b's' | b'd', LONG) => builder.push(integer(value.long()).as_bytes()),
            _ => return None,
        }
    }
    builder.push(rest);
    Some(builder.into_value(vm))
}

fn vsprintf(call: &mut Call<'_>) -> PhpResult<Value> {
    let builder = from_array(call)?;
    call.vm.check()?;
    Ok(builder.into_value(call.vm))
}

fn printf(call: &mut Call<'_>) -> PhpResult<Value> {
    let builder = from_arguments(call)?;
    print(call, builder)
}

fn vprintf(call: &mut Call<'_>) -> PhpResult<Value> {
    let builder = from_array(call)?;
    print(call, builder)
}

fn print(call: &mut Call<'_>, builder: StringBuilder) -> PhpResult<Value> {
    call.vm.write(builder.as_bytes());
    call.vm.check()?;
    Ok(builder.len().into())
}

/// Formats arguments #2 and on.
fn from_arguments(call: &mut Call<'_>) -> PhpResult<StringBuilder> {
    let format = call.bytes(0);
    // SAFETY: I4: arguments that were passed stand side by side behind the frame's header, and no code of the script
    // changes them until the call returns.
    let values = unsafe { std::slice::from_raw_parts(call.slot(1), call.count() - 1) };
    self::format(call.vm, format, values, Arguments::List { before: 1 })
}

/// Formats the elements of argument #2.
fn from_array(call: &mut Call<'_>) -> PhpResult<StringBuilder> {
    let format = call.bytes(0);
    let elements = call.elements(1);
    if let Some(values) = elements.packed() {
        return self::format(call.vm, format, values, Arguments::Array);
    }
    let mut values: SmallVec<[Value; 8]> = SmallVec::with_capacity(elements.len());
    values.extend(elements.iter().map(|(_, value)| Value::share(value)));
    self::format(call.vm, format, &values, Arguments::Array)
}

/// Where the values come from: decides how PHP complains about too few.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arguments {
    /// Arguments, behind `before` others.
    List {
        /// Arguments in front of the values.
        before: usize,
    },
    /// Elements of an array.
    Array,
}

/// What is formatted: shares of values, or the elements of an array that is held.
pub(crate) trait Argument {
    /// A share of it.
    fn share(&self) -> Value;
}

impl Argument for Value {
    #[inline]
    fn share(&self) -> Value {
        self.clone()
    }
}

impl Argument for Zval {
    #[inline]
    fn share(&self) -> Value {
        Value::share(self)
    }
}

/// Formats `values` as `format` says. An exception that converting a value throws does not keep the rest from being
/// formatted, and from being printed where that is what it is for: it is pending then.
pub(crate) fn format<T: Argument>(
    vm: &mut Vm,
    format: &[u8],
    values: &[T],
    arguments: Arguments,
) -> PhpResult<StringBuilder> {
    let builder = StringBuilder::new(vm, format.len() + values.len() * 8);
    let mut formatter = Formatter {
        format,
        at: 0,
        values,
        next: 0,
        missing: None,
        builder,
    };
    while let Some(offset) = memchr::memchr(b'%', &format[formatter.at..]) {
        // All values may be the same long text.
        vm.poll();
        formatter
            .builder
            .push(&format[formatter.at..formatter.at + offset]);
        formatter.at += offset + 1;
        formatter.conversion(vm)?;
    }
    if let Some(missing) = formatter.missing {
        return Err(too_few(vm, missing, values.len(), arguments));
    }
    let mut builder = formatter.builder;
    builder.push(&format[formatter.at..]);
    Ok(builder)
}

fn too_few(vm: &mut Vm, missing: usize, given: usize, arguments: Arguments) -> Thrown {
    match arguments {
        Arguments::List { before } => {
            let (required, given) = (missing + 1 + before, given + before);
            let message = format!("{required} arguments are required, {given} given");
            vm.throw_error(KnownClass::ArgumentCountError, message)
        }
        Arguments::Array => {
            let message = format!(
                "The arguments array must contain {} items, {given} given",
                missing + 1
            );
            vm.throw_error(KnownClass::ValueError, message)
        }
    }
}

const LOWER: &[u8; 16] = b"0123456789abcdef";
const UPPER: &[u8; 16] = b"0123456789ABCDEF";

/// A number in a base of `1 << bits`.
fn digits_of<'a>(
    mut number: u64,
    bits: u32,
    digits: &[u8; 16],
    buffer: &'a mut [u8; 64],
) -> &'a [u8] {
    let mut start = buffer.len();
    loop {
        start -= 1;
        buffer[start] = digits[number as usize & ((1 << bits) - 1)];
        number >>= bits;
        if number == 0 {
            return &buffer[start..];
        }
    }
}

struct Formatter<'a, T> {
    format: &'a [u8],
    at: usize,
    values: &'a [T],
    next: usize,
    /// The highest number of a value that was asked for and is not there.
    missing: Option<usize>,
    builder: StringBuilder,
}

/// Flags, width and precision of a conversion.
#[derive(Debug, Clone, Copy)]
struct Layout {
    left: bool,
    plus: bool,
    padding: u8,
    width: usize,
    precision: Option<i64>,
}

impl<T: Argument> Formatter<'_, T> {
    fn peek(&self) -> u8 {
        self.format.get(self.at).copied().unwrap_or(0)
    }

    fn value_error<R>(&self, vm: &mut Vm, message: impl AsRef<str>) -> PhpResult<R> {
        Err(vm.throw_error(KnownClass::ValueError, message))
    }

    /// Digits as a number; none if it does not fit an `int` of 32 bits.
    fn number(&mut self) -> Option<i64> {
        let mut number = 0i64;
        while let digit @ b'0'..=b'9' = self.peek() {
            number = number
                .saturating_mul(10)
                .saturating_add(i64::from(digit - b'0'));
            self.at += 1;
        }
        (number < i32::MAX as i64).then_some(number)
    }

    /// `N$`: the number of the value to take, 0-based.
    fn position(&mut self, vm: &mut Vm) -> PhpResult<Option<usize>> {
        let start = self.at;
        let digits = self.format[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if self.format.get(start + digits) != Some(&b'$') {
            return Ok(None);
        }
        let number = self.number();
        self.at = start + digits + 1;
        match number {
            Some(number) if number > 0 => Ok(Some(number as usize - 1)),
            _ => self.value_error(
                vm,
                "Argument number specifier must be greater than zero and less than 2147483647",
            ),
        }
    }

    /// The value a conversion takes; none, and a note of it, if there is none.
    fn take(&mut self, position: Option<usize>) -> Option<Value> {
        let index = position.unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        let value = self.values.get(index).map(T::share);
        if value.is_none() {
            self.missing = self.missing.max(Some(index));
        }
        value
    }

    /// `*` or `*N$`: an `int` value. None if it is missing.
    fn star(&mut self, vm: &mut Vm, what: &str, minimum: i64) -> PhpResult<Option<i64>> {
        self.at += 1;
        let position = self.position(vm)?;
        let Some(value) = self.take(position) else {
            return Ok(None);
        };
        if value.deref().kind() != LONG {
            return self.value_error(vm, format!("{what} must be an integer"));
        }
        let number = value.deref().long();
        if number < minimum || number > i32::MAX as i64 {
            return self.value_error(
                vm,
                format!("{what} must be between {minimum} and 2147483647"),
            );
        }
        Ok(Some(number))
    }

    /// One conversion; stands behind its `%`.
    fn conversion(&mut self, vm: &mut Vm) -> PhpResult<()> {
        let mut layout = Layout {
            left: false,
            plus: false,
            padding: b' ',
            width: 0,
            precision: None,
        };
        let mut position = None;
        if !self.peek().is_ascii_alphabetic() {
            if self.peek() == b'%' {
                self.at += 1;
                self.builder.push_byte(b'%');
                return Ok(());
            }
            position = self.position(vm)?;
            self.flags(vm, &mut layout)?;
            if self.peek() == b'*' {
                // What is missing ends the conversion here; the rest of it is text then.
                let Some(width) = self.star(vm, "Width", 0)? else {
                    return Ok(());
                };
                layout.width = width as usize;
            } else if self.peek().is_ascii_digit() {
                match self.number() {
                    Some(width) => layout.width = width as usize,
                    None => return self.value_error(vm, "Width must be between 0 and 2147483647"),
                }
            }
            if self.peek() == b'.' {
                self.at += 1;
                layout.precision = match self.peek() {
                    b'*' => match self.star(vm, "Precision", -1)? {
                        None => return Ok(()),
                        precision => precision,
                    },
                    byte if byte.is_ascii_digit() => match self.number() {
                        None => {
                            return self
                                .value_error(vm, "Precision must be between 0 and 2147483647");
                        }
                        precision => precision,
                    },
                    // A point alone says nothing.
                    _ => None,
                };
            }
        }
        if self.peek() == b'l' {
            self.at += 1;
        }
        let specifier = self.format.get(self.at).copied();
        // A value that is missing is complained about at the end, with the highest number.
        let Some(value) = self.take(position) else {
            self.at = (self.at + 1).min(self.format.len());
            return Ok(());
        };
        let Some(specifier) = specifier else {
            return self.value_error(vm, "Missing format specifier at end of string");
        };
        self.at += 1;
        self.convert(vm, specifier, layout, &value)
    }

    fn flags(&mut self, vm: &mut Vm, layout: &mut Layout) -> PhpResult<()> {
        loop {
            match self.peek() {
                b'0' | b' ' => layout.padding = self.peek(),
                b'-' => layout.left = true,
                b'+' => layout.plus = true,
                b'\'' => match self.format.get(self.at + 1) {
                    Some(&padding) => {
                        layout.padding = padding;
                        self.at += 1;
                    }
                    None => return self.value_error(vm, "Missing padding character"),
                },
                _ => return Ok(()),
            }
            self.at += 1;
        }
    }

    fn convert(
        &mut self,
        vm: &mut Vm,
        specifier: u8,
        layout: Layout,
        value: &Value,
    ) -> PhpResult<()> {
        match specifier {
            b'%' => self.builder.push_byte(b'%'),
            b's' => {
                let string = text_of(vm, value);
                let limit = layout.precision.map_or(string.len(), |limit| {
                    if limit < 0 {
                        string.len()
                    } else {
                        string.len().min(limit as usize)
                    }
                });
                self.pad(layout, &string[..limit], false);
            }
            b'd' => {
                let number = number_of(vm, value);
                if layout.width == 0 && !layout.plus {
                    self.builder.push_integer(number);
                    return Ok(());
                }
                let digits = float_text::integer(number);
                if layout.plus && number >= 0 {
                    let signed = format!("+{}", digits.as_str());
                    self.pad_number(layout, signed.as_bytes());
                } else {
                    self.pad_number(layout, digits.as_bytes());
                }
            }
            b'u' => {
                let number = number_of(vm, value) as u64;
                self.pad_number(
                    Layout {
                        plus: false,
                        ..layout
                    },
                    number.to_string().as_bytes(),
                );
            }
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'h' | b'H' => {
                let number = match is_out_of_reach(vm, value) {
                    true => 1.0,
                    false => operators::to_double(vm, value),
                };
                self.double(vm, specifier, layout, number);
            }
            b'c' => {
                let number = number_of(vm, value);
                self.builder.push_byte(number as u8);
            }
            b'o' | b'x' | b'X' | b'b' => {
                let number = number_of(vm, value);
                let mut buffer = [0; 64];
                let digits = match specifier {
                    b'o' => digits_of(number as u64, 3, LOWER, &mut buffer),
                    b'x' => digits_of(number as u64, 4, LOWER, &mut buffer),
                    b'X' => digits_of(number as u64, 4, UPPER, &mut buffer),
                    _ => digits_of(number as u64, 1, LOWER, &mut buffer),
                };
                // A precision leaves nothing of these.
                let shown = if layout.precision.is_some() {
                    b""
                } else {
                    digits
                };
                self.pad(layout, shown, false);
            }
            _ => {
                let shown = vm_runtime::message::text(&[specifier]).into_owned();
                return self.value_error(vm, format!("Unknown format specifier \"{shown}\""));
            }
        }
        Ok(())
    }

    fn double(&mut self, vm: &mut Vm, specifier: u8, layout: Layout, number: f64) {
        let mut precision = layout.precision.unwrap_or(6);
        if precision > MAXIMUM_PRECISION {
            vm.notice(format!(
                "{}(): Requested precision of {precision} digits was truncated to PHP maximum of {MAXIMUM_PRECISION} digits",
                crate::support::current_function(vm)
            ));
            precision = MAXIMUM_PRECISION;
        }
        if number.is_nan() || number.is_infinite() {
            // Where zeros would be filled in behind a plus sign, that takes the place of the first letter; else there
            // is none.
            let is_signed = layout.plus && layout.padding == b'0';
            let name: &[u8] = match number {
                number if number.is_nan() && is_signed => b"+aN",
                number if number.is_nan() => b"NaN",
                number if number < 0.0 => b"-INF",
                _ if is_signed => b"+NF",
                _ => b"INF",
            };
            self.builder.push(name);
            return;
        }
        let digits = match specifier {
            // Zero has no sign.
            b'f' | b'F' => float_text::fixed(number + 0.0, precision.max(0) as usize),
            b'e' | b'E' => scientific(number + 0.0, precision.max(0) as usize, specifier),
            _ => {
                let exponent = if matches!(specifier, b'G' | b'H') {
                    b'E'
                } else {
                    b'e'
                };
                let precision = if precision == 0 { 1 } else { precision };
                float_text::with_exponent(number, precision, exponent)
                    .as_str()
                    .to_owned()
            }
        };
        if layout.plus && !digits.starts_with('-') {
            self.pad(layout, format!("+{digits}").as_bytes(), true);
        } else {
            let signed = digits.starts_with('-');
            self.pad(layout, digits.as_bytes(), signed);
        }
    }

    /// Pads an integer: zeros go behind its sign, and never to the right of it.
    fn pad_number(&mut self, layout: Layout, digits: &[u8]) {
        let padding = if layout.left && layout.padding == b'0' {
            b' '
        } else {
            layout.padding
        };
        let signed = matches!(digits.first(), Some(b'-' | b'+'));
        self.pad(Layout { padding, ..layout }, digits, signed);
    }

    /// Pads to the width. Zeros on the left of a number go behind its sign.
    fn pad(&mut self, layout: Layout, text: &[u8], signed: bool) {
        let missing = layout.width.saturating_sub(text.len());
        if layout.left {
            self.builder.push(text);
            self.builder.fill(layout.padding, missing);
        } else if signed && layout.padding == b'0' {
            self.builder.push(&text[..1]);
            self.builder.fill(b'0', missing);
            self.builder.push(&text[1..]);
        } else {
            self.builder.fill(layout.padding, missing);
            self.builder.push(text);
        }
    }
}

/// Whether converting a value would run code of the script while an exception is pending.
fn is_out_of_reach(vm: &Vm, value: &Value) -> bool {
    !vm.exception.is_null() && value.deref().kind() == OBJECT
}

fn number_of(vm: &mut Vm, value: &Value) -> i64 {
    match is_out_of_reach(vm, value) {
        true => 1,
        false => operators::to_long(vm, value),
    }
}

/// A value as text, after an exception what is left of it.
fn text_of(vm: &mut Vm, value: &Value) -> StringHandle {
    if !is_out_of_reach(vm, value)
        && let Ok(text) = string_of(vm, value)
    {
        return text;
    }
    let is_array = value.deref().kind() == ARRAY;
    vm.string(if is_array { "Array" } else { "" })
}

/// `1.25e+3`: one digit before the point, the exponent with its sign and no leading zeros.
fn scientific(number: f64, precision: usize, letter: u8) -> String {
    let text = format!("{number:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{mantissa}{}{sign}{exponent}", letter as char)
}
