//! `preg_split`, `preg_grep`, `preg_quote`.

use std::ops::Range;

use vm_runtime::function::Call;
use vm_runtime::operators::convert::share_element;
use vm_runtime::value::{ArrayHandle, StringHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::{State, forget_error, machine, pattern, set_error};
use crate::support::{
    Append, Outcome, Plain, StringBuilder, element_text, functions, list, new_list,
};

functions! {
    "preg_split(string $pattern, string $subject, int $limit = -1, int $flags = 0): array|false" => preg_split,
    "preg_grep(string $pattern, array $array, int $flags = 0): array|false" => preg_grep,
    "preg_quote(string $str, ?string $delimiter = null): string" => preg_quote | preg_quote_directly,
}

pub(super) const NO_EMPTY: i64 = 1;
pub(super) const DELIMITER_CAPTURE: i64 = 2;
pub(super) const OFFSET_CAPTURE: i64 = 4;
pub(super) const GREP_INVERT: i64 = 1;

/// The parts of a split.
struct Parts<'a> {
    result: ArrayHandle,
    subject: &'a [u8],
    offsets: bool,
}

impl Parts<'_> {
    fn add(&mut self, vm: &mut Vm, from: usize, to: usize) {
        self.add_at(vm, from..to, from as i64);
    }

    /// The part of a group that took part in no match stands nowhere.
    fn add_group(&mut self, vm: &mut Vm, group: Option<(usize, usize)>) {
        match group {
            Some((from, to)) => self.add(vm, from, to),
            None => self.add_at(vm, 0..0, -1),
        }
    }

    fn add_at(&mut self, vm: &mut Vm, range: Range<usize>, offset: i64) {
        let mut value = vm.string(&self.subject[range]).into();
        if self.offsets {
            value = list(vm, [value, offset.into()]);
        }
        self.result.make_mut(vm).append(value);
    }
}

fn preg_split(call: &mut Call<'_>) -> PhpResult<Value> {
    let (string, flags) = (call.borrowed_string(1), call.long(3));
    let subject = string.as_bytes();
    let Some(regex) = pattern::compiled(call.vm, call.bytes(0)) else {
        return Ok(false.into());
    };
    let mut limit = match call.long(2) {
        // Of the negative numbers only -1 is no limit; others leave the text whole.
        0 | -1 => i64::MAX,
        limit => limit,
    };
    let no_empty = flags & NO_EMPTY != 0;
    let result = new_list(call.vm, 8);
    let mut parts = Parts {
        result,
        subject,
        offsets: flags & OFFSET_CAPTURE != 0,
    };
    let mut matcher = regex.matcher_from(machine(call.vm), string, 0);
    let (mut last, mut offset, mut after_empty) = (0, 0, false);
    while limit > 1 {
        match matcher.find(offset, after_empty) {
            Ok(true) => {
                let (from, to) = matcher.whole();
                let from = from.max(last);
                if !no_empty || from != last {
                    parts.add(call.vm, last, from);
                    limit -= 1;
                }
                if flags & DELIMITER_CAPTURE != 0 {
                    for number in 1..matcher.count() {
                        let group = matcher.group(number);
                        if !no_empty || group.is_some_and(|(from, to)| to > from) {
                            parts.add_group(call.vm, group);
                        }
                    }
                }
                last = to.max(from);
                offset = last;
                after_empty = from == to;
                if after_empty && offset >= subject.len() {
                    break;
                }
            }
            Ok(false) if after_empty && offset < subject.len() => {
                offset = matcher.next_character(offset);
                after_empty = false;
            }
            Ok(false) => break,
            Err(error) => {
                set_error(call.vm, error);
                return Ok(false.into());
            }
        }
    }
    if !no_empty || last < subject.len() {
        parts.add(call.vm, last, subject.len());
    }
    Ok(parts.result.into())
}

fn preg_grep(call: &mut Call<'_>) -> PhpResult<Value> {
    let inverted = call.long(2) & GREP_INVERT != 0;
    let Some(regex) = pattern::compiled(call.vm, call.bytes(0)) else {
        return Ok(false.into());
    };
    forget_error(call.vm);
    let mut result = new_list(call.vm, 0);
    for (key, value) in call.elements(1).iter() {
        call.vm.poll();
        let string = element_text(call.vm, value)?;
        let machine = call.vm.extensions.state::<State>().limited_machine();
        let mut matcher = regex.matcher_from(machine, &string, 0);
        matcher.take_reversed();
        match matcher.find(0, false) {
            Ok(found) if found != inverted => {
                result.make_mut(call.vm).set(key, share_element(value));
            }
            Ok(_) => {}
            Err(error) => {
                set_error(call.vm, error);
                break;
            }
        }
    }
    Ok(result.into())
}

fn preg_quote(call: &mut Call<'_>) -> PhpResult<Value> {
    let quoted = quoted(call.vm, call.bytes(0), call.optional_bytes(1));
    Ok(quoted.map_or_else(|| call.value(0), Value::from))
}

fn preg_quote_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let (string, delimiter) = match arguments {
        [string] => (string, None),
        [string, delimiter] => match <&[u8]>::of(delimiter) {
            Some(delimiter) => (string, Some(delimiter)),
            None => return false,
        },
        _ => return false,
    };
    let text = <&[u8]>::of(string);
    text.map(|text| quoted(vm, text, delimiter).map_or_else(|| Value::share(string), Value::from))
        .store(result)
}

/// Text with a backslash in front of what means something in a pattern; none if there is nothing of that kind.
fn quoted(vm: &mut Vm, string: &[u8], delimiter: Option<&[u8]>) -> Option<StringHandle> {
    // How many bytes each of them takes more.
    const SPECIAL: [u8; 256] = {
        let (mut table, bytes) = ([0; 256], b".\\+*?[^]$(){}=!<>|:-#");
        let mut at = 0;
        while at < bytes.len() {
            table[bytes[at] as usize] = 1;
            at += 1;
        }
        table[0] = 3;
        table
    };
    let delimiter = delimiter.and_then(|bytes| bytes.first().copied());
    let more = |byte: u8| match SPECIAL[usize::from(byte)] {
        0 => usize::from(Some(byte) == delimiter),
        more => usize::from(more),
    };
    let total: usize = string.iter().map(|&byte| more(byte)).sum();
    if total == 0 {
        return None;
    }
    let mut builder = StringBuilder::exact(vm, string.len() + total);
    let mut tail = builder.tail(string.len() + total);
    for &byte in string {
        match more(byte) {
            0 => tail.put([byte]),
            1 => tail.put([b'\\', byte]),
            _ => tail.put(*b"\\000"),
        }
    }
    drop(tail);
    Some(builder.finish(vm))
}
