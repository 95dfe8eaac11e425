//! Filters that take a value or refuse it.

use vm_runtime::array::PhpArray;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::operators::to_string;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::constants::{filter, flag};
use super::network;
use crate::support::{call_native, current_function};

/// Flags and options of a filter.
pub(super) struct Options<'a> {
    pub(super) flags: i64,
    pub(super) options: Option<&'a PhpArray>,
}

impl Options<'_> {
    fn has(&self, flag: i64) -> bool {
        self.flags & flag != 0
    }

    /// An option, dereferenced.
    fn get(&self, name: &str) -> Option<Value> {
        let value = self.options?.get_bytes(name.as_bytes())?;
        Some(Value::share(value))
    }

    fn string(&self, vm: &mut Vm, name: &str) -> PhpResult<Option<Vec<u8>>> {
        match self.get(name) {
            Some(value) => Ok(Some(to_string(vm, &value)?.to_vec())),
            None => Ok(None),
        }
    }

    fn long(&self, vm: &mut Vm, name: &str) -> Option<i64> {
        self.get(name).map(|value| value.to_long(vm))
    }

    fn double(&self, vm: &mut Vm, name: &str) -> Option<f64> {
        self.get(name).map(|value| value.to_double(vm))
    }
}

fn fail(vm: &mut Vm, message: &str) -> Thrown {
    let name = current_function(vm);
    vm.throw_error(KnownClass::ValueError, format!("{name}(): {message}"))
}

fn trim(text: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | b'\n');
    let start = text
        .iter()
        .position(|byte| !is_blank(byte))
        .unwrap_or(text.len());
    let end = text
        .iter()
        .rposition(|byte| !is_blank(byte))
        .map_or(start, |last| last + 1);
    &text[start..end]
}

/// What a filter makes of text; none if it refuses it.
pub(super) fn validate(
    vm: &mut Vm,
    number: i64,
    text: &[u8],
    options: &Options<'_>,
) -> PhpResult<Option<Value>> {
    let given = |vm: &mut Vm, is_good: bool| is_good.then(|| Value::from(vm.string(text)));
    Ok(match number {
        filter::VALIDATE_INT => integer(vm, trim(text), options).map(Value::from),
        filter::VALIDATE_BOOL => boolean(trim(text)).map(Value::from),
        filter::VALIDATE_FLOAT => float(vm, trim(text), options)?.map(Value::from),
        filter::VALIDATE_REGEXP => {
            let pattern = options
                .get("regexp")
                .filter(|value| value.as_bytes().is_some());
            let Some(pattern) = pattern else {
                return Err(fail(vm, "\"regexp\" option is missing"));
            };
            let subject = vm.string(text).into();
            let found = call_native(vm, "preg_match", vec![pattern, subject])?;
            let is_good = matches!(found.view(), ValueKind::Long(1..));
            given(vm, is_good)
        }
        filter::VALIDATE_DOMAIN => {
            let is_good = network::is_domain(text, options.has(flag::HOSTNAME));
            given(vm, is_good)
        }
        filter::VALIDATE_URL => {
            let is_good = network::is_url(text, options.flags);
            given(vm, is_good)
        }
        filter::VALIDATE_EMAIL => {
            let is_good = network::is_email(text, options.has(flag::EMAIL_UNICODE));
            given(vm, is_good)
        }
        filter::VALIDATE_IP => {
            let is_good = network::is_address(text, options.flags);
            given(vm, is_good)
        }
        filter::VALIDATE_MAC => {
            let separator = options.string(vm, "separator")?;
            if separator.as_ref().is_some_and(|text| text.len() != 1) {
                return Err(fail(vm, "\"separator\" option must be one character long"));
            }
            let text = trim(text);
            let is_good = network::is_mac(text, separator.map(|text| text[0]));
            is_good.then(|| vm.string(text).into())
        }
        _ => None,
    })
}

fn integer(vm: &mut Vm, text: &[u8], options: &Options<'_>) -> Option<i64> {
    let digits = |digits: &[u8], radix: u32| {
        let text = std::str::from_utf8(digits).ok()?;
        if text.is_empty() || text.starts_with(['+', '-']) {
            return None;
        }
        u64::from_str_radix(text, radix)
            .ok()
            .map(|number| number as i64)
    };
    let number = match text {
        [b'0', b'x' | b'X', rest @ ..] if options.has(flag::ALLOW_HEX) => digits(rest, 16)?,
        [b'0', b'o' | b'O', rest @ ..] if options.has(flag::ALLOW_OCTAL) => digits(rest, 8)?,
        [b'0', rest @ ..] if options.has(flag::ALLOW_OCTAL) => {
            if rest.is_empty() {
                0
            } else {
                digits(rest, 8)?
            }
        }
        _ => {
            let unsigned = match text {
                [b'+' | b'-', rest @ ..] => rest,
                _ => text,
            };
            let is_number = match unsigned {
                [b'0'] => true,
                [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
                _ => false,
            };
            if !is_number {
                return None;
            }
            std::str::from_utf8(text).ok()?.parse().ok()?
        }
    };
    let (least, most) = (options.long(vm, "min_range"), options.long(vm, "max_range"));
    let is_in = least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most);
    is_in.then_some(number)
}

fn boolean(text: &[u8]) -> Option<bool> {
    match text.to_ascii_lowercase().as_slice() {
        b"1" | b"true" | b"on" | b"yes" => Some(true),
        b"" | b"0" | b"false" | b"off" | b"no" => Some(false),
        _ => None,
    }
}

fn float(vm: &mut Vm, text: &[u8], options: &Options<'_>) -> PhpResult<Option<f64>> {
    let decimal = options.string(vm, "decimal")?;
    if decimal.as_ref().is_some_and(|text| text.len() != 1) {
        return Err(fail(vm, "\"decimal\" option must be one character long"));
    }
    let point = decimal.map_or(b'.', |text| text[0]);
    let thousand = options.string(vm, "thousand")?;
    if thousand.as_ref().is_some_and(Vec::is_empty) {
        return Err(fail(vm, "\"thousand\" option must not be empty"));
    }
    let thousand = thousand.unwrap_or_else(|| b"',.".to_vec());
    let thousand = if options.has(flag::ALLOW_THOUSAND) {
        thousand
    } else {
        Vec::new()
    };
    let Some(number) = plain_number(text, point, &thousand) else {
        return Ok(None);
    };
    let Some(number) = std::str::from_utf8(&number)
        .ok()
        .and_then(|text| text.parse::<f64>().ok())
    else {
        return Ok(None);
    };
    let digits = text.split(|byte| matches!(byte, b'e' | b'E')).next();
    let is_zero = !digits
        .unwrap_or_default()
        .iter()
        .any(|byte| matches!(byte, b'1'..=b'9'));
    // Neither too large nor too small.
    if !number.is_finite() || number == 0.0 && !is_zero {
        return Ok(None);
    }
    let (least, most) = (
        options.double(vm, "min_range"),
        options.double(vm, "max_range"),
    );
    let is_in = least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most);
    Ok(is_in.then_some(number))
}

/// A number with a point and no marks between thousands.
fn plain_number(text: &[u8], point: u8, thousand: &[u8]) -> Option<Vec<u8>> {
    let mut number = Vec::with_capacity(text.len());
    let mut rest = text;
    if let [sign @ (b'+' | b'-'), after @ ..] = rest {
        number.push(*sign);
        rest = after;
    }
    let count = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = count(rest);
    let mut seen = length;
    number.extend_from_slice(&rest[..length]);
    rest = &rest[length..];
    let mut is_first = true;
    while let [mark, after @ ..] = rest
        && thousand.contains(mark)
        && *mark != point
    {
        if length < 1 || if is_first { length > 3 } else { length != 3 } || count(after) != 3 {
            return None;
        }
        length = 3;
        seen += 3;
        number.extend_from_slice(&after[..3]);
        rest = &after[3..];
        is_first = false;
    }
    if let [mark, after @ ..] = rest
        && *mark == point
    {
        let length = count(after);
        seen += length;
        number.push(b'.');
        number.extend_from_slice(&after[..length]);
        rest = &after[length..];
    }
    if seen == 0 {
        return None;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        number.push(b'e');
        rest = after;
        if let [sign @ (b'+' | b'-'), after @ ..] = rest {
            number.push(*sign);
            rest = after;
        }
        let length = count(rest);
        if length == 0 {
            return None;
        }
        number.extend_from_slice(&rest[..length]);
        rest = &rest[length..];
    }
    rest.is_empty().then_some(number)
}
