//! `sscanf`: reading values out of a string by a format.

use smallvec::{SmallVec, smallvec};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::limits::{self, grow};
use vm_runtime::operators::numeric_string::is_space;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{functions, list};

/// The highest number that `%n$` may name.
const MOST_ARGUMENTS: usize = 255;

functions! {
    "sscanf(string $string, string $format, mixed &...$vars): array|int|null" => sscanf,
    "fscanf(resource $stream, string $format, mixed &...$vars): array|int|false|null" => fscanf,
}

/// A conversion of the format, or text to be matched.
#[derive(Debug)]
enum Item<'a> {
    /// White space: any amount of it.
    Space,
    Literal(&'a [u8]),
    Conversion(Conversion),
}

#[derive(Debug)]
struct Conversion {
    /// Which variable, 0-based; none if it is thrown away (`%*d`).
    target: Option<usize>,
    width: usize,
    kind: u8,
    /// Bytes that a `%[...]` takes.
    set: Option<Box<[bool; 256]>>,
}

fn error<T>(vm: &mut Vm, message: impl AsRef<str>) -> PhpResult<T> {
    Err(vm.throw_error(KnownClass::ValueError, message))
}

/// Takes a format apart; also gives the number of variables that it fills.
fn parse<'a>(vm: &mut Vm, format: &'a [u8], variables: usize) -> PhpResult<(Vec<Item<'a>>, usize)> {
    let mut items = Vec::with_capacity(format.len().min(8));
    let (mut at, mut next) = (0, 0);
    let mut used: SmallVec<[bool; 32]> = smallvec![false; variables];
    let (mut positional, mut sequential) = (false, false);
    let mut is_repeated = false;
    while at < format.len() {
        grow(&mut items);
        let byte = format[at];
        at += 1;
        if is_space(byte) {
            items.push(Item::Space);
            continue;
        }
        if byte != b'%' {
            let rest = &format[at - 1..];
            let is_end = |byte: &u8| is_space(*byte) || *byte == b'%';
            let length = rest.iter().position(is_end).unwrap_or(rest.len());
            items.push(Item::Literal(&rest[..length]));
            at += length - 1;
            continue;
        }
        let number = |at: &mut usize| {
            let digits = format[*at..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let text = std::str::from_utf8(&format[*at..*at + digits]).unwrap_or_default();
            *at += digits;
            text.parse::<usize>().ok()
        };
        if format.get(at) == Some(&b'%') {
            items.push(Item::Literal(&format[at..at + 1]));
            at += 1;
            continue;
        }
        let mut suppressed = false;
        let mut target = None;
        if format.get(at) == Some(&b'*') {
            suppressed = true;
            at += 1;
        } else {
            let mark = at;
            match number(&mut at) {
                Some(position) if format.get(at) == Some(&b'$') => {
                    at += 1;
                    // As many as PHP counts, with 32 bits.
                    let position = position as u32 as usize;
                    if !(1..=MOST_ARGUMENTS).contains(&position) {
                        return error(vm, "\"%n$\" argument index out of range");
                    }
                    positional = true;
                    target = Some(position - 1);
                }
                _ => at = mark,
            }
        }
        let width = number(&mut at).unwrap_or(0);
        if !suppressed {
            if target.is_none() {
                sequential = true;
                target = Some(next);
                next += 1;
            }
            if positional && sequential {
                return error(vm, "cannot mix \"%\" and \"%n$\" conversion specifiers");
            }
            let index = target.unwrap_or(0);
            if variables > 0 && index >= variables {
                let message = if positional {
                    "\"%n$\" argument index out of range"
                } else {
                    "Different numbers of variable names and field specifiers"
                };
                return error(vm, message);
            }
        }
        if matches!(format.get(at), Some(b'h' | b'l' | b'L')) {
            at += 1;
        }
        let Some(&kind) = format.get(at) else {
            // The text ends where the format does.
            return error(vm, "Bad scan conversion character \"");
        };
        at += 1;
        let mut set = None;
        match kind {
            b'n' | b'd' | b'D' | b'i' | b'o' | b'x' | b'X' | b'u' | b'f' | b'e' | b'E' | b'g'
            | b's' | b'c' => {}
            b'[' => match scan_set(format, &mut at) {
                Some(found) => set = Some(Box::new(found)),
                None => return error(vm, "Unmatched [ in format string"),
            },
            other => {
                let shown = vm_runtime::message::text(&[other]).into_owned();
                return error(vm, format!("Bad scan conversion character \"{shown}\""));
            }
        }
        if let Some(index) = target.filter(|_| !suppressed) {
            if index >= used.len() {
                if index >= used.capacity() {
                    limits::reserve(2 * index);
                }
                used.resize(index + 1, false);
            }
            is_repeated |= used[index];
            used[index] = true;
        }
        items.push(Item::Conversion(Conversion {
            target,
            width,
            kind,
            set,
        }));
    }
    if is_repeated {
        let message = "Variable is assigned by multiple \"%n$\" conversion specifiers";
        return error(vm, message);
    }
    // Numbers may leave some out if there are no variables.
    if (variables > 0 || !positional) && used.iter().any(|used| !used) {
        return error(vm, "Variable is not assigned by any conversion specifiers");
    }
    Ok((items, used.len()))
}

/// The bytes of `[...]`, behind the bracket.
fn scan_set(format: &[u8], at: &mut usize) -> Option<[bool; 256]> {
    let mut set = [false; 256];
    let exclude = format.get(*at) == Some(&b'^');
    *at += exclude as usize;
    let mut first = true;
    loop {
        let byte = *format.get(*at)?;
        *at += 1;
        if byte == b']' && !first {
            break;
        }
        first = false;
        let end = format.get(*at + 1).copied();
        if format.get(*at) == Some(&b'-') && end.is_some_and(|end| end != b']') {
            let end = end.unwrap_or(byte);
            for member in byte.min(end)..=byte.max(end) {
                set[member as usize] = true;
            }
            *at += 2;
        } else {
            set[byte as usize] = true;
        }
    }
    if exclude {
        set.iter_mut().for_each(|member| *member = !*member);
    }
    Some(set)
}

fn sscanf(call: &mut Call<'_>) -> PhpResult<Value> {
    let string = call.bytes(0);
    scan_into(call, string, 1)
}

fn fscanf(call: &mut Call<'_>) -> PhpResult<Value> {
    let is_stream = match call.argument(0).view() {
        ValueKind::Resource(resource) => {
            let payload = resource.payload.as_ref();
            payload.is_some_and(|payload| payload.is::<crate::standard::files::Stream>())
        }
        _ => true,
    };
    if !is_stream {
        let message = "fscanf(): supplied resource is not a valid File-Handle resource";
        return Err(call.vm.throw_error(KnownClass::TypeError, message));
    }
    if !crate::standard::files::is_readable(call)? {
        return Ok(false.into());
    }
    let source = crate::standard::files::stream(call, 0)?;
    match source.read_line(b'\n', usize::MAX) {
        Ok(Some(line)) => scan_into(call, &line, 1),
        _ => Ok(false.into()),
    }
}

/// Scans by the format in argument `at` into the variables behind it, or into an array.
pub(crate) fn scan_into(call: &mut Call<'_>, string: &[u8], at: usize) -> PhpResult<Value> {
    let variables = call.count() - at - 1;
    let format = call.bytes(at);
    // What is scanned ends at a NUL byte.
    let end = memchr::memchr(0, string).unwrap_or(string.len());
    let string = &string[..end];
    let (items, count) = parse(call.vm, format, variables)?;
    limits::reserve(count * size_of::<Value>());
    let mut values: SmallVec<[Value; 8]> = smallvec![Value::NULL; count];
    let (assigned, ended_early) = scan(call.vm, string, &items, &mut values);
    if variables == 0 {
        if ended_early && assigned == 0 {
            return Ok(Value::NULL);
        }
        return Ok(list(call.vm, values));
    }
    for (index, value) in values.into_iter().enumerate() {
        if !value.is_null() {
            call.assign(index + at + 1, value);
        }
    }
    Ok(if ended_early && assigned == 0 {
        (-1i64).into()
    } else {
        assigned.into()
    })
}

/// Reads what the items ask for. Tells how many conversions were done, and whether the string was empty
/// where the first was wanted.
fn scan(vm: &mut Vm, string: &[u8], items: &[Item<'_>], values: &mut [Value]) -> (usize, bool) {
    let mut at = 0;
    let mut assigned = 0;
    let skip_space = |at: &mut usize| {
        while string.get(*at).is_some_and(|byte| is_space(*byte)) {
            *at += 1;
        }
    };
    for item in items {
        let conversion = match item {
            Item::Space => {
                skip_space(&mut at);
                continue;
            }
            Item::Literal(bytes) => {
                for byte in *bytes {
                    if string.get(at) != Some(byte) {
                        return (assigned, at >= string.len());
                    }
                    at += 1;
                }
                continue;
            }
            Item::Conversion(conversion) => conversion,
        };
        if conversion.kind == b'n' {
            if let Some(target) = conversion.target {
                values[target] = at.into();
                assigned += 1;
            }
            continue;
        }
        if !matches!(conversion.kind, b'c' | b'[') {
            skip_space(&mut at);
        }
        if at >= string.len() {
            return (assigned, true);
        }
        let width = match conversion.width {
            0 if conversion.kind == b'c' => 1,
            0 => usize::MAX,
            width => width,
        };
        let rest = &string[at..string.len().min(at.saturating_add(width))];
        let (length, value) = match conversion.kind {
            b'c' => {
                // White space is not skipped, and not taken either.
                let is_text = |byte: &&u8| !is_space(**byte);
                let length = rest.iter().take_while(is_text).count();
                (length, vm.string(&rest[..length]).into())
            }
            b's' | b'[' => {
                let taken = |byte: &&u8| match &conversion.set {
                    Some(set) => set[**byte as usize],
                    None => !is_space(**byte),
                };
                let length = rest.iter().take_while(taken).count();
                (length, vm.string(&rest[..length]).into())
            }
            b'f' | b'e' | b'E' | b'g' => float(rest),
            kind => integer(vm, rest, kind),
        };
        if length == 0 && conversion.kind != b'c' {
            return (assigned, false);
        }
        at += length;
        if let Some(target) = conversion.target {
            values[target] = value;
        }
        // What is read and left out counts, too.
        assigned += 1;
    }
    (assigned, false)
}

/// An integer at the start of `bytes`, and its length.
fn integer(vm: &mut Vm, bytes: &[u8], kind: u8) -> (usize, Value) {
    let sign = matches!(bytes.first(), Some(b'-' | b'+')) as usize;
    let rest = &bytes[sign..];
    let hexadecimal = rest.len() > 2 && rest[0] == b'0' && matches!(rest[1], b'x' | b'X');
    let (base, prefix) = match kind {
        b'o' => (8, 0),
        b'x' | b'X' => (16, if hexadecimal { 2 } else { 0 }),
        b'i' if hexadecimal => (16, 2),
        b'i' if rest.first() == Some(&b'0') => (8, 0),
        _ => (10, 0),
    };
    let digits = &rest[prefix..];
    let count = digits
        .iter()
        .take_while(|&&byte| (byte as char).is_digit(base))
        .count();
    if count == 0 {
        return (0, Value::NULL);
    }
    let length = sign + prefix + count;
    if base == 10 && count <= 18 {
        let digits = digits[..count].iter();
        let long = digits.fold(0, |number: i64, digit| {
            number * 10 + i64::from(digit - b'0')
        });
        if bytes[0] != b'-' {
            return (length, long.into());
        }
    }
    let text = std::str::from_utf8(&digits[..count]).unwrap_or("0");
    let magnitude = i128::from_str_radix(text, base).unwrap_or(i128::MAX);
    let number = if bytes[0] == b'-' {
        magnitude.saturating_neg()
    } else {
        magnitude
    };
    let long = match kind {
        b'u' => number.clamp(i64::MIN as i128, u64::MAX as i128) as i64,
        _ => number.clamp(i64::MIN as i128, i64::MAX as i128) as i64,
    };
    if kind == b'u' && long < 0 {
        return (length, vm.string((long as u64).to_string()).into());
    }
    (length, long.into())
}

/// A decimal number at the start of `bytes`, and its length.
fn float(bytes: &[u8]) -> (usize, Value) {
    let mut at = matches!(bytes.first(), Some(b'-' | b'+')) as usize;
    let digits = |at: &mut usize| {
        let count = bytes[*at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        *at += count;
        count
    };
    let mut count = digits(&mut at);
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        count += digits(&mut at);
    }
    if count == 0 {
        return (0, Value::NULL);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let mark = at;
        at += 1;
        if matches!(bytes.get(at), Some(b'-' | b'+')) {
            at += 1;
        }
        if digits(&mut at) == 0 {
            at = mark;
        }
    }
    let text = std::str::from_utf8(&bytes[..at]).unwrap_or("0");
    (at, text.parse::<f64>().unwrap_or(0.0).into())
}
