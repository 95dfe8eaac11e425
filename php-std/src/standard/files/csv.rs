//! Comma-separated values, and `fscanf`.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::open::stream;
use super::stream::Stream;
use super::transfer::write_bytes;
use crate::support::{Append, functions, hold, list, new_list, string_of};

functions! {
    "str_getcsv(string $string, string $separator = \",\", string $enclosure = \"\\\"\", string $escape = \"\\\\\"): array" => str_getcsv,
    "fgetcsv(resource $stream, ?int $length = null, string $separator = \",\", string $enclosure = \"\\\"\", string $escape = \"\\\\\"): array|false" => fgetcsv,
    "fputcsv(resource $stream, array $fields, string $separator = \",\", string $enclosure = \"\\\"\", string $escape = \"\\\\\", string $eol = \"\\n\"): int|false" => fputcsv,
}

/// The special characters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) separator: u8,
    pub(crate) enclosure: u8,
    pub(crate) escape: Option<u8>,
}

impl Default for Dialect {
    fn default() -> Dialect {
        Dialect {
            separator: b',',
            enclosure: b'"',
            escape: Some(b'\\'),
        }
    }
}

impl Dialect {
    /// The arguments from `first` on; those that were not given are as in `set`.
    pub(crate) fn from_arguments(
        call: &mut Call<'_>,
        first: usize,
        set: Dialect,
    ) -> PhpResult<Dialect> {
        let single = |call: &mut Call<'_>, index: usize, set| match call.bytes(index) {
            _ if index >= call.count() => Ok(set),
            [byte] => Ok(*byte),
            _ => Err(call.value_error(index, "must be a single character")),
        };
        let separator = single(call, first, set.separator)?;
        let enclosure = single(call, first + 1, set.enclosure)?;
        let escape = match call.bytes(first + 2) {
            _ if first + 2 >= call.count() => set.escape,
            [] => None,
            [byte] => Some(*byte),
            _ => return Err(call.value_error(first + 2, "must be empty or a single character")),
        };
        Ok(Dialect {
            separator,
            enclosure,
            escape,
        })
    }
}

/// Reads the dialect of a function from the arguments from `first` on.
fn dialect(call: &mut Call<'_>, first: usize) -> PhpResult<Dialect> {
    let dialect = Dialect::from_arguments(call, first, Dialect::default())?;
    if call.count() <= first + 2 {
        call.vm.function_deprecated(
            "the $escape parameter must be provided as its default value will change",
        );
        call.vm.check()?;
    }
    Ok(dialect)
}

fn str_getcsv(call: &mut Call<'_>) -> PhpResult<Value> {
    let dialect = dialect(call, 1)?;
    let line = call.bytes(0);
    Ok(parse_line(call.vm, line.to_vec(), dialect, None))
}

fn fgetcsv(call: &mut Call<'_>) -> PhpResult<Value> {
    let dialect = dialect(call, 2)?;
    let limit = match call.optional_long(1) {
        Some(length) if !(0..i64::MAX).contains(&length) => {
            return Err(call.value_error(1, "must be between 0 and 9223372036854775806"));
        }
        Some(length) if length > 0 => length as usize,
        _ => usize::MAX,
    };
    let source = stream(call, 0)?;
    match source.read_line(b'\n', limit) {
        Ok(Some(line)) => Ok(parse_line(call.vm, line, dialect, Some(source))),
        Ok(None) => Ok(false.into()),
        Err(error) => {
            super::contents::read_failed(call.vm, &error)?;
            Ok(false.into())
        }
    }
}

fn without_line_end(line: &[u8]) -> usize {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line).len()
}

/// The fields of a line. One that an enclosure leaves open goes on with further lines of `source`.
pub(crate) fn parse_line(
    vm: &mut Vm,
    mut line: Vec<u8>,
    dialect: Dialect,
    mut source: Option<&mut Stream>,
) -> Value {
    let mut result = new_list(vm, 8);
    if line[..without_line_end(&line)].is_empty() {
        return list(vm, [Value::NULL]);
    }
    let mut at = 0;
    loop {
        let mut field = Vec::new();
        let blanks = line[at..]
            .iter()
            .take_while(|&&byte| matches!(byte, b' ' | b'\t'..=b'\r') && byte != dialect.separator)
            .count();
        if line.get(at + blanks) == Some(&dialect.enclosure) {
            at += blanks + 1;
            // Inside of the enclosure.
            loop {
                match line.get(at).copied() {
                    None => {
                        let more = source
                            .as_mut()
                            .and_then(|source| source.read_line(b'\n', usize::MAX).ok().flatten());
                        match more {
                            Some(more) => line.extend_from_slice(&more),
                            None => {
                                if source.is_some() {
                                    // A last line end belongs to the file, not to the field.
                                }
                                break;
                            }
                        }
                    }
                    Some(byte) if Some(byte) == dialect.escape && byte != dialect.enclosure => {
                        field.push(byte);
                        at += 1;
                        if let Some(&next) = line.get(at) {
                            field.push(next);
                            at += 1;
                        }
                    }
                    Some(byte) if byte == dialect.enclosure => {
                        if line.get(at + 1) == Some(&dialect.enclosure) {
                            field.push(byte);
                            at += 2;
                        } else {
                            at += 1;
                            break;
                        }
                    }
                    Some(byte) => {
                        field.push(byte);
                        at += 1;
                    }
                }
            }
            // What stands between the enclosure and the separator is kept.
            let end = without_line_end(&line).max(at);
            let rest =
                memchr::memchr(dialect.separator, &line[at..end]).map_or(end, |offset| at + offset);
            field.extend_from_slice(&line[at..rest]);
            at = rest;
        } else {
            let end = without_line_end(&line).max(at);
            let stop =
                memchr::memchr(dialect.separator, &line[at..end]).map_or(end, |offset| at + offset);
            field.extend_from_slice(&line[at..stop]);
            at = stop;
        }
        let value = vm.string(field).into();
        result.make_mut(vm).append(value);
        if line.get(at) != Some(&dialect.separator) || at >= without_line_end(&line).max(at) {
            break;
        }
        at += 1;
    }
    result.into()
}

fn fputcsv(call: &mut Call<'_>) -> PhpResult<Value> {
    let dialect = dialect(call, 2)?;
    super::open::stream(call, 0)?;
    let mut line = line_of(call, 1, dialect)?;
    line.extend_from_slice(call.bytes(5));
    write_bytes(call, &line)
}

/// The line of the fields in argument `index`, without its end.
pub(crate) fn line_of(call: &mut Call<'_>, index: usize, dialect: Dialect) -> PhpResult<Vec<u8>> {
    /// Most lines are no longer.
    const USUAL: usize = 120;
    let mut line = Vec::with_capacity(USUAL);
    for (index, (_, value)) in call.elements(index).iter().enumerate() {
        if index > 0 {
            line.push(dialect.separator);
        }
        let field = string_of(call.vm, &hold(value))?;
        push_field(&mut line, &field, dialect);
    }
    Ok(line)
}

fn push_field(line: &mut Vec<u8>, field: &[u8], dialect: Dialect) {
    let special = |&byte: &u8| {
        byte == dialect.separator
            || byte == dialect.enclosure
            || Some(byte) == dialect.escape
            || matches!(byte, b'\n' | b'\r' | b'\t' | b' ')
    };
    if !field.iter().any(special) {
        line.extend_from_slice(field);
        return;
    }
    line.push(dialect.enclosure);
    let mut escaped = false;
    for &byte in field {
        // An escape that is the enclosure, too, keeps enclosures from being doubled.
        if Some(byte) == dialect.escape {
            escaped = true;
        } else if !escaped && byte == dialect.enclosure {
            line.push(dialect.enclosure);
        } else {
            escaped = false;
        }
        line.push(byte);
    }
    line.push(dialect.enclosure);
}
