//! `preg_match` and `preg_match_all`.

use vm_runtime::array::{KeyRef, PhpArray};
use vm_runtime::function::Call;
use vm_runtime::value::{ArrayHandle, StringHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::regex::{MatchError, Matcher, Regex};
use super::{machine, pattern, set_error};
use crate::support::{Append, direct, functions, list, new_list};

functions! {
    "#[Frameless(2)] preg_match(string $pattern, string $subject, &$matches = null, int $flags = 0, int $offset = 0): int|false" => preg_match | preg_match_directly,
    "preg_match_all(string $pattern, string $subject, &$matches = null, int $flags = 0, int $offset = 0): int|false" => preg_match_all,
}

pub(super) const PATTERN_ORDER: i64 = 1;
pub(super) const SET_ORDER: i64 = 2;
pub(super) const OFFSET_CAPTURE: i64 = 1 << 8;
pub(super) const UNMATCHED_AS_NULL: i64 = 1 << 9;

/// How groups are given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// With their offsets.
    offsets: bool,
    /// Groups without a match as `null`, up to the last of the pattern.
    nulls: bool,
}

impl Form {
    pub(super) fn new(flags: i64) -> Form {
        Form {
            offsets: flags & OFFSET_CAPTURE != 0,
            nulls: flags & UNMATCHED_AS_NULL != 0,
        }
    }

    /// A group as the user gets it.
    fn group(self, vm: &mut Vm, matcher: &Matcher<'_>, number: usize) -> Value {
        let value = match matcher.text(number) {
            Some(bytes) => vm.string(bytes).into(),
            None if self.nulls => Value::NULL,
            None => vm.string("").into(),
        };
        if !self.offsets {
            return value;
        }
        let offset = matcher.group(number).map_or(-1, |(start, _)| start as i64);
        list(vm, [value, offset.into()])
    }
}

/// The groups of a match by number and name.
pub(super) fn groups(vm: &mut Vm, regex: &Regex, matcher: &Matcher<'_>, form: Form) -> ArrayHandle {
    let count = if form.nulls {
        regex.groups
    } else {
        matcher.count()
    };
    let mut result = match regex.keys.is_empty() {
        true => new_list(vm, count),
        false => PhpArray::keyed(&mut vm.heap, count + regex.keys.len()),
    };
    for number in 0..count {
        let value = form.group(vm, matcher, number);
        let matched = matcher.group(number).is_some();
        add_group(vm, &mut result, regex, number, value, matched);
    }
    if let Some(mark) = matcher.mark() {
        let mark = vm.string(mark).into();
        result.make_mut(vm).set_bytes(b"MARK", mark);
    }
    result
}

/// Sets a group by its name, if it has one, and by its number.
fn add_group(
    vm: &mut Vm,
    result: &mut ArrayHandle,
    regex: &Regex,
    number: usize,
    value: Value,
    matched: bool,
) {
    let target = result.make_mut(vm);
    if regex.keys.is_empty() {
        return target.append(value);
    }
    if let Some(Some(name)) = regex.keys.get(number) {
        // Of several groups of one name the last that matched is shown.
        if regex.has_unique_names {
            target.set_new(KeyRef::String(name), value.clone());
        } else if matched || target.get_string(name).is_none() {
            target.set_string(name, value.clone());
        }
    }
    target.set_new(KeyRef::Long(number as i64), value);
}

/// The lowest number has no positive counterpart.
fn check_offset(call: &mut Call<'_>) -> PhpResult<()> {
    if call.long(4) == i64::MIN {
        let problem = format!("must be greater than {}", i64::MIN);
        return Err(call.value_error(4, &problem));
    }
    Ok(())
}

/// The offset argument as a place in the subject; none if it lies behind it.
fn start(call: &mut Call<'_>, length: usize) -> Option<usize> {
    let offset = call.long(4);
    let start = if offset < 0 {
        offset.saturating_add(length as i64).max(0)
    } else {
        offset
    };
    if start as usize > length {
        set_error(call.vm, MatchError::Internal);
        return None;
    }
    Some(start as usize)
}

/// Length of a subject from which on it is remembered that it is UTF-8.
const WORTH_KNOWING: usize = 64;

/// True if the subject is the one that was last found to be UTF-8. It is held, so it has not changed.
fn is_known_utf8(call: &mut Call<'_>) -> bool {
    let subject = call.string(1);
    let known = &call.vm.extensions.state::<super::State>().known_utf8;
    known
        .as_ref()
        .is_some_and(|known| std::ptr::eq(known.as_ptr(), subject.as_ptr()))
}

fn known_utf8(vm: &mut Vm, subject: StringHandle) {
    vm.extensions.state::<super::State>().known_utf8 = Some(subject);
}

fn preg_match(call: &mut Call<'_>) -> PhpResult<Value> {
    let (subject, flags) = (call.bytes(1), call.long(3));
    let Some(regex) = pattern::compiled(call.vm, call.bytes(0)) else {
        return Ok(false.into());
    };
    check_offset(call)?;
    // Other bits than those of an order are not looked at.
    if flags & 0xff != 0 {
        let empty = call.vm.new_array().into();
        call.assign(2, empty);
        return Err(call.value_error(3, "must be a PREG_* constant"));
    }
    let wanted = call.count() > 2;
    let Some(start) = start(call, subject.len()) else {
        if wanted {
            let empty = call.vm.new_array().into();
            call.assign(2, empty);
        }
        return Ok(false.into());
    };
    let mut matcher = regex.matcher(machine(call.vm), subject);
    let is_character = subject.get(start).is_none_or(|byte| byte & 0xc0 != 0x80);
    if regex.utf && start > 0 && is_character && is_known_utf8(call) {
        matcher.trust_subject();
    }
    matcher.take_reversed();
    let found = matcher.find(start, false);
    let is_reversed = wanted && matches!(found, Ok(true)) && matcher.is_reversed();
    if regex.utf && found.is_ok() && subject.len() >= WORTH_KNOWING {
        let subject = call.string(1);
        known_utf8(call.vm, subject);
    }
    if wanted {
        let matches = match found {
            Ok(true) if !is_reversed => groups(call.vm, &regex, &matcher, Form::new(flags)),
            _ => call.vm.new_array(),
        };
        drop(matcher);
        call.assign(2, matches.into());
    }
    if is_reversed {
        return refuse_reversed(call);
    }
    match found {
        Ok(found) => Ok((found as i64).into()),
        Err(error) => {
            set_error(call.vm, error);
            Ok(false.into())
        }
    }
}

direct! {
    /// Whether a known pattern matches, if there is nothing to remember of the subject.
    fn preg_match_directly(vm; pattern: &[u8], subject: &[u8]) {
        let regex = pattern::known(vm, pattern)?;
        if regex.utf && subject.len() >= WORTH_KNOWING {
            return None;
        }
        let mut matcher = regex.matcher(machine(vm), subject);
        matcher.take_reversed();
        Some(match matcher.find(0, false) {
            Ok(found) => i64::from(found).into(),
            Err(error) => {
                set_error(vm, error);
                Value::from(false)
            }
        })
    }
}

/// What functions say that should give the groups of a match that ends before it starts.
fn refuse_reversed(call: &mut Call<'_>) -> PhpResult<Value> {
    call.vm.function_warning("Get subpatterns list failed");
    call.vm.check()?;
    Ok(false.into())
}

fn preg_match_all(call: &mut Call<'_>) -> PhpResult<Value> {
    let (subject, flags) = (call.bytes(1), call.long(3));
    let Some(regex) = pattern::compiled(call.vm, call.bytes(0)) else {
        return Ok(false.into());
    };
    check_offset(call)?;
    let order = match flags & 0xff {
        0 | PATTERN_ORDER => PATTERN_ORDER,
        SET_ORDER => SET_ORDER,
        _ => {
            let empty = call.vm.new_array().into();
            call.assign(2, empty);
            return Err(call.value_error(3, "must be a PREG_* constant"));
        }
    };
    let wanted = call.count() > 2;
    let Some(start) = start(call, subject.len()) else {
        if wanted {
            let empty = call.vm.new_array().into();
            call.assign(2, empty);
        }
        return Ok(false.into());
    };
    let form = Form::new(flags);
    let mut matcher = regex.matcher(machine(call.vm), subject);
    let mut count = 0i64;
    let mut sets = new_list(call.vm, 0);
    let by_group = if order == PATTERN_ORDER && wanted {
        regex.groups
    } else {
        0
    };
    let mut columns: Vec<ArrayHandle> = (0..by_group).map(|_| new_list(call.vm, 0)).collect();
    let mut marks: Option<ArrayHandle> = None;
    let mut is_reversed = false;
    matcher.take_reversed();
    let failure = each_match(subject, &mut matcher, start, &mut |matcher| {
        if wanted && matcher.is_reversed() {
            is_reversed = true;
            return Ok(false);
        }
        if wanted && order == SET_ORDER {
            let set = groups(call.vm, &regex, matcher, form);
            sets.make_mut(call.vm).append(set.into());
        } else if wanted {
            for (number, column) in columns.iter_mut().enumerate() {
                let value = form.group(call.vm, matcher, number);
                column.make_mut(call.vm).append(value);
            }
            if let Some(mark) = matcher.mark() {
                let mark = call.vm.string(mark).into();
                let vm = &mut *call.vm;
                let table = marks.get_or_insert_with(|| new_list(vm, 0));
                table.make_mut(call.vm).set_long(count, mark);
            }
        }
        count += 1;
        Ok(true)
    })?;
    drop(matcher);
    if is_reversed {
        let empty = call.vm.new_array().into();
        call.assign(2, empty);
        return refuse_reversed(call);
    }
    if wanted {
        let mut result = sets;
        for (number, column) in columns.into_iter().enumerate() {
            if let Some(Some(name)) = regex.keys.get(number) {
                result
                    .make_mut(call.vm)
                    .set_string(name, column.clone().into());
            }
            result
                .make_mut(call.vm)
                .set_long(number as i64, column.into());
        }
        if let Some(marks) = marks {
            result.make_mut(call.vm).set_bytes(b"MARK", marks.into());
        }
        call.assign(2, result.into());
    }
    match failure {
        Some(error) => {
            set_error(call.vm, error);
            Ok(false.into())
        }
        None => Ok(count.into()),
    }
}

/// Visits the matches from left to right until `visit` says `false`. After an empty match a
/// longer one is looked for at the same place before going on. Gives the error that ended it.
pub(super) fn each_match<'a>(
    subject: &[u8],
    matcher: &mut Matcher<'a>,
    start: usize,
    visit: &mut dyn FnMut(&mut Matcher<'a>) -> PhpResult<bool>,
) -> PhpResult<Option<MatchError>> {
    let mut offset = start;
    let mut after_empty = false;
    loop {
        match matcher.find(offset, after_empty) {
            Ok(true) => {
                let (from, to) = matcher.whole();
                if !visit(matcher)? {
                    return Ok(None);
                }
                // A match that \K moved back must not be found again.
                offset = to.max(offset);
                after_empty = from == to;
            }
            Ok(false) if after_empty && offset < subject.len() => {
                offset = matcher.next_character(offset);
                after_empty = false;
            }
            Ok(false) => return Ok(None),
            Err(error) => return Ok(Some(error)),
        }
    }
}
