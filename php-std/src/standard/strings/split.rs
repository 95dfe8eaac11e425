//! Taking strings apart and putting them together: `explode`, `implode`, `wordwrap`, `strtok`, ...

use memchr::memmem;
use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::operators::value_name;
use vm_runtime::value::{ARRAY, DOUBLE, LONG, STRING, StringHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::search::{SHORT, each_found};
use crate::support::{
    Append, Outcome, Plain, StringBuilder, functions, hold, new_list, string_of, text,
};

functions! {
    "explode(string $separator, string $string, int $limit = PHP_INT_MAX): array" => explode | explode_directly,
    "#[Frameless(1, 2); Unchecked(2)] implode(array|string $separator, ?array $array = null): string" => implode | implode_directly,
    "join(array|string $separator, ?array $array = null): string" => implode,
    "str_split(string $string, int $length = 1): array" => str_split,
    "chunk_split(string $string, int $length = 76, string $separator = \"\\r\\n\"): string" => chunk_split,
    "wordwrap(string $string, int $width = 75, string $break = \"\\n\", bool $cut_long_words = false): string" => wordwrap,
}

fn explode(call: &mut Call<'_>) -> PhpResult<Value> {
    let (separator, string, limit) = (call.bytes(0), call.bytes(1), call.long(2));
    if separator.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let mut result = new_list(call.vm, 8);
    let array = result.make_mut(call.vm);
    if string.is_empty() {
        if limit >= 0 {
            array.append(call.vm.string("").into());
        }
        return Ok(result.into());
    }
    if limit < 0 {
        explode_without_last(
            call.vm,
            array,
            separator,
            string,
            limit.unsigned_abs() as usize,
        );
        return Ok(result.into());
    }
    if limit == i64::MAX && string.len() <= SHORT {
        explode_short(call.vm, array, separator, string);
        return Ok(result.into());
    }
    let most = if limit == 0 { 0 } else { limit as usize - 1 };
    let mut rest = string;
    match separator {
        [byte] => {
            let count = memchr::memchr_iter(*byte, string).count().min(most);
            array.extend_with(count, |_| {
                let end = memchr::memchr(*byte, rest).unwrap_or(rest.len());
                let part = call.vm.string(&rest[..end]);
                rest = &rest[end + 1..];
                part.into()
            });
        }
        _ => {
            let finder = memmem::Finder::new(separator);
            for _ in 0..most {
                let Some(end) = finder.find(rest) else {
                    break;
                };
                array.append(call.vm.string(&rest[..end]).into());
                rest = &rest[end + separator.len()..];
            }
        }
    }
    if rest.len() == string.len() {
        array.append(call.value(1));
    } else {
        array.append(call.vm.string(rest).into());
    }
    Ok(result.into())
}

fn explode_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let [separator, text] = arguments else {
        return false;
    };
    let (Some(separator), Some(string)) = (<&[u8]>::of(separator), <&[u8]>::of(text)) else {
        return false;
    };
    if separator.is_empty() || string.is_empty() || string.len() > SHORT {
        return false;
    }
    let mut list = new_list(vm, 8);
    let array = list.make_mut(vm);
    explode_short(vm, array, separator, string);
    Value::from(list).store(result)
}

/// Appends all parts of a text that is looked through at once.
fn explode_short(vm: &mut Vm, array: &mut PhpArray, separator: &[u8], string: &[u8]) {
    let mut done = 0;
    each_found(string, separator, |end| {
        array.append(vm.string(&string[done..end]).into());
        done = end + separator.len();
    });
    array.append(vm.string(&string[done..]).into());
}

/// A negative limit leaves out that many parts at the end.
fn explode_without_last(
    vm: &mut Vm,
    array: &mut PhpArray,
    separator: &[u8],
    string: &[u8],
    left_out: usize,
) {
    let ends: Vec<usize> = memmem::find_iter(string, separator).collect();
    let parts = ends.len() + 1;
    let mut done = 0;
    for &end in ends.iter().take(parts.saturating_sub(left_out)) {
        array.append(vm.string(&string[done..end]).into());
        done = end + separator.len();
    }
}

fn implode(call: &mut Call<'_>) -> PhpResult<Value> {
    let first_is_array = call.argument(0).kind() == ARRAY;
    // A call without a frame refuses an array as the first argument, whatever the second one is.
    if first_is_array && call.count() > 1 && call.is_frameless() {
        return Err(call.type_error(0, "must be of type string, array given"));
    }
    if !call.has(1) {
        if !first_is_array {
            // Only here PHP names the type of the argument that is missing.
            let message = "implode(): If argument #1 ($separator) is of type string, argument #2 \
                           ($array) must be of type array, null given";
            let message = message.replacen("implode", &call.function().display_name(), 1);
            return Err(call
                .vm
                .throw_error(vm_runtime::exceptions::KnownClass::TypeError, message));
        }
        return join(call.vm, b"", call.elements(0)).map(Value::from);
    }
    if first_is_array {
        return Err(call.type_error(0, "must be of type string, array given"));
    }
    let pieces = call.argument(1).deref();
    if pieces.kind() != ARRAY {
        let given = value_name(pieces);
        return Err(call.type_error(1, &format!("must be of type ?array, {given} given")));
    }
    join(call.vm, call.bytes(0), call.elements(1)).map(Value::from)
}

/// Joins texts and integers: nothing else is converted without a look at the script's settings.
fn implode_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let (glue, pieces) = match arguments {
        [pieces] => (Some(&b""[..]), <&PhpArray>::of(pieces)),
        [glue, pieces] => (<&[u8]>::of(glue), <&PhpArray>::of(pieces)),
        _ => return false,
    };
    let (Some(glue), Some(pieces)) = (glue, pieces) else {
        return false;
    };
    let is_plain = |value: &Zval| matches!(value.kind(), STRING | LONG);
    let are_plain = match pieces.packed() {
        Some(values) => values.iter().all(is_plain),
        None => pieces.live_values().all(is_plain),
    };
    are_plain && join(vm, glue, pieces).ok().store(result)
}

/// The elements of `pieces` as strings, joined by `glue`.
pub(crate) fn join(vm: &mut Vm, glue: &[u8], pieces: &PhpArray) -> PhpResult<StringHandle> {
    match pieces.packed() {
        Some(values) => join_values(vm, glue, values.iter()),
        None => join_values(vm, glue, pieces.iter().map(|(_, value)| value)),
    }
}

#[inline]
fn join_values<'a>(
    vm: &mut Vm,
    glue: &[u8],
    mut values: impl Iterator<Item = &'a Zval> + Clone,
) -> PhpResult<StringHandle> {
    // Strings and numbers, nearly always all of them, need no user code: their lengths are known.
    let (mut count, mut length) = (0, 0);
    for value in values.clone() {
        count += 1;
        length += known_length(value);
    }
    let Some(first) = values.next() else {
        return Ok(vm.string(""));
    };
    if count == 1 {
        return string_of(vm, &hold(first));
    }
    let mut builder = StringBuilder::new(vm, length + glue.len() * (count - 1));
    push_value(vm, &mut builder, first)?;
    for value in values {
        builder.push(glue);
        push_value(vm, &mut builder, value)?;
    }
    Ok(builder.finish(vm))
}

/// How long a value is as text, or about how long.
#[inline]
fn known_length(value: &Zval) -> usize {
    let value = value.deref();
    match value.kind() {
        // SAFETY: I3: a string payload is live.
        STRING => unsafe { (*value.string()).len() },
        LONG => long_length(value.long()),
        DOUBLE => 24,
        _ => 8,
    }
}

/// How long an integer is in decimal, or a little more.
#[inline]
fn long_length(value: i64) -> usize {
    match value {
        0..10 => 1,
        10..100 => 2,
        100..10_000 => 4,
        _ => 20,
    }
}

/// Appends a value as a string.
#[inline]
pub(crate) fn push_value(vm: &mut Vm, builder: &mut StringBuilder, value: &Zval) -> PhpResult<()> {
    let value = value.deref();
    if value.kind() == STRING {
        // SAFETY: I3: a string payload is live.
        builder.push(unsafe { (*value.string()).as_bytes() });
        return Ok(());
    }
    if value.kind() == LONG {
        builder.push_integer(value.long());
        return Ok(());
    }
    let string = string_of(vm, &hold(value))?;
    builder.push(&string);
    Ok(())
}

fn str_split(call: &mut Call<'_>) -> PhpResult<Value> {
    let (string, length) = (call.bytes(0), call.long(1));
    if length <= 0 {
        return Err(call.value_error(1, "must be greater than 0"));
    }
    if !string.is_empty() && length as usize >= string.len() {
        let whole = call.value(0);
        return Ok(crate::support::list(call.vm, [whole]));
    }
    let mut result = new_list(call.vm, string.len().div_ceil(length as usize));
    let array = result.make_mut(call.vm);
    for chunk in string.chunks(length as usize) {
        array.append(call.vm.string(chunk).into());
    }
    Ok(result.into())
}

fn chunk_split(call: &mut Call<'_>) -> PhpResult<Value> {
    let (string, length, separator) = (call.bytes(0), call.long(1), call.bytes(2));
    if length <= 0 {
        return Err(call.value_error(1, "must be greater than 0"));
    }
    let length = length as usize;
    let chunks = string.len().div_ceil(length).max(1);
    let mut builder = StringBuilder::new(
        call.vm,
        string.len() + chunks.saturating_mul(separator.len()),
    );
    if string.is_empty() {
        builder.push(separator);
    }
    for chunk in string.chunks(length) {
        builder.push(chunk);
        builder.push(separator);
    }
    Ok(builder.into_value(call.vm))
}

/// Of how many bytes on a line break is long enough to look at the limits.
const LONG_BREAK: usize = 256;

/// True if there is a line break at the start of a text.
fn is_break(text: &[u8], line_break: &[u8]) -> bool {
    if line_break.len() >= LONG_BREAK {
        vm_runtime::limits::poll();
    }
    text.starts_with(line_break)
}

fn wordwrap(call: &mut Call<'_>) -> PhpResult<Value> {
    let (string, width, line_break, cut) =
        (call.bytes(0), call.long(1), call.bytes(2), call.bool(3));
    if string.is_empty() {
        return text(call.vm, "");
    }
    if line_break.is_empty() {
        return Err(call.value_error(2, "must not be empty"));
    }
    if width == 0 && cut {
        return Err(call.value_error(3, "cannot be true when argument #2 ($width) is 0"));
    }
    let mut builder = StringBuilder::new(call.vm, string.len() + string.len() / 16);
    // Where the current line starts, and the last space that it could be broken at.
    let (mut line, mut space) = (0usize, 0usize);
    let mut at = 0;
    while at < string.len() {
        // Nothing can happen within a word before the line is full.
        let full = line.saturating_add(usize::try_from(width).unwrap_or(0));
        let rest = &string[at..full.clamp(at, string.len())];
        let is_special = |&byte: &u8| byte == b' ' || byte == line_break[0];
        at += rest.iter().position(is_special).unwrap_or(rest.len());
        if at == string.len() {
            break;
        }
        let length = (at - line) as i64;
        if string[at] == line_break[0] && is_break(&string[at..], line_break) {
            builder.push(&string[line..at + line_break.len()]);
            at += line_break.len() - 1;
            line = at + 1;
            space = line;
        } else if string[at] == b' ' {
            if length >= width {
                builder.push(&string[line..at]);
                builder.push(line_break);
                line = at + 1;
            }
            space = at;
        } else if length >= width && cut && line >= space {
            builder.push(&string[line..at]);
            builder.push(line_break);
            line = at;
            space = at;
        } else if length >= width && line < space {
            builder.push(&string[line..space]);
            builder.push(line_break);
            line = space + 1;
            space = line;
        }
        at += 1;
    }
    if line != at {
        builder.push(&string[line..at]);
    }
    Ok(builder.into_value(call.vm))
}
