//! `preg_match` and `preg_match_all`.

use vm_runtime::array::{KeyRef, PhpArray};
use vm_runtime::function::Call;
use vm_runtime::string::PhpString;
use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::regex::{MatchError, Matcher, Regex};
use super::{machine, pattern, set_error};
use crate::support::{Append, Receiver, direct, functions, list, new_list};

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
    #[inline]
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
        true => numbered_groups(vm, matcher, form, count),
        false => named_groups(vm, regex, matcher, form, count),
    };
    if let Some(mark) = matcher.mark() {
        let mark = vm.string(mark).into();
        result.make_mut(vm).set_bytes(b"MARK", mark);
    }
    result
}

fn numbered_groups(vm: &mut Vm, matcher: &Matcher<'_>, form: Form, count: usize) -> ArrayHandle {
    let mut result = new_list(vm, count);
    let list = result.make_mut(vm);
    list.extend_with(count, |number| form.group(vm, matcher, number));
    result
}

fn named_groups(
    vm: &mut Vm,
    regex: &Regex,
    matcher: &Matcher<'_>,
    form: Form,
    count: usize,
) -> ArrayHandle {
    let mut result = PhpArray::keyed(&mut vm.heap, count + regex.keys.len());
    for number in 0..count {
        let value = form.group(vm, matcher, number);
        let matched = matcher.group(number).is_some();
        add_group(result.make_mut(vm), regex, number, value, matched);
    }
    result
}

/// Sets a group by its name, if it has one, and by its number.
fn add_group(target: &mut PhpArray, regex: &Regex, number: usize, value: Value, matched: bool) {
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
fn start(vm: &mut Vm, offset: i64, length: usize) -> Option<usize> {
    let start = if offset < 0 {
        offset.saturating_add(length as i64).max(0)
    } else {
        offset
    };
    if start as usize > length {
        set_error(vm, MatchError::Internal);
        return None;
    }
    Some(start as usize)
}

/// What became of looking for one match.
enum Found {
    /// There is one, with its groups if they were asked for.
    Match(Option<ArrayHandle>),
    /// One that ends before it starts, whose groups were asked for.
    Reversed,
    /// None.
    Nothing,
    /// It was given up.
    Failed(MatchError),
}

impl Found {
    /// What the function gives.
    fn outcome(&self) -> Value {
        match self {
            Found::Match(_) => 1i64.into(),
            Found::Nothing => 0i64.into(),
            Found::Reversed | Found::Failed(_) => false.into(),
        }
    }
}

/// Looks for a match from `start` on, of which the groups are given in a form if there is one.
fn look(
    vm: &mut Vm,
    regex: &Regex,
    subject: &PhpString,
    start: usize,
    form: Option<Form>,
) -> Found {
    let mut matcher = regex.matcher_from(machine(vm), subject, start);
    matcher.take_reversed();
    match (matcher.find(start, false), form) {
        (Ok(true), None) => Found::Match(None),
        (Ok(true), Some(_)) if matcher.is_reversed() => Found::Reversed,
        (Ok(true), Some(form)) => Found::Match(Some(groups(vm, regex, &matcher, form))),
        (Ok(false), _) => Found::Nothing,
        (Err(error), _) => Found::Failed(error),
    }
}

/// Gives the third argument, if there is one, the groups of a match, else an empty array.
fn give_groups(call: &mut Call<'_>, groups: Option<ArrayHandle>) {
    if call.count() > 2 {
        let groups = groups.unwrap_or_else(|| call.vm.new_array());
        call.assign(2, groups.into());
    }
}

fn preg_match(call: &mut Call<'_>) -> PhpResult<Value> {
    let (subject, flags) = (call.borrowed_string(1), call.long(3));
    let Some(regex) = pattern::compiled(call.vm, call.bytes(0)) else {
        return Ok(false.into());
    };
    check_offset(call)?;
    // Other bits than those of an order are not looked at.
    if flags & 0xff != 0 {
        give_groups(call, None);
        return Err(call.value_error(3, "must be a PREG_* constant"));
    }
    let Some(start) = start(call.vm, call.long(4), subject.len()) else {
        give_groups(call, None);
        return Ok(false.into());
    };
    let form = (call.count() > 2).then(|| Form::new(flags));
    let found = look(call.vm, &regex, subject, start, form);
    let outcome = found.outcome();
    let is_reversed = matches!(found, Found::Reversed);
    let (groups, error) = match found {
        Found::Match(groups) => (groups, None),
        Found::Failed(error) => (None, Some(error)),
        Found::Reversed | Found::Nothing => (None, None),
    };
    give_groups(call, groups);
    if is_reversed {
        return refuse_reversed(call);
    }
    if let Some(error) = error {
        set_error(call.vm, error);
    }
    Ok(outcome)
}

direct! {
    /// Whether a known pattern matches, and the groups if whose place they take goes without a word.
    fn preg_match_directly(
        vm; pattern: &[u8], subject: &PhpString; matches: Option<Receiver<'_>> = None, flags: i64 = 0, offset: i64 = 0
    ) {
        let regex = pattern::known(vm, pattern)?;
        let is_plain = flags & 0xff == 0 && (0..=subject.len() as i64).contains(&offset);
        if !is_plain {
            return None;
        }
        let form = matches.as_ref().map(|_| Form::new(flags));
        let found = look(vm, &regex, subject, offset as usize, form);
        let outcome = found.outcome();
        let groups = match found {
            Found::Match(groups) => groups,
            Found::Reversed => return None,
            Found::Nothing => None,
            Found::Failed(error) => {
                set_error(vm, error);
                None
            }
        };
        if let Some(matches) = matches {
            matches.assign(groups.unwrap_or_else(|| vm.new_array()).into());
        }
        Some(outcome)
    }
}

/// What functions say that should give the groups of a match that ends before it starts.
fn refuse_reversed(call: &mut Call<'_>) -> PhpResult<Value> {
    call.vm.function_warning("Get subpatterns list failed");
    call.vm.check()?;
    Ok(false.into())
}

fn preg_match_all(call: &mut Call<'_>) -> PhpResult<Value> {
    let (string, flags) = (call.borrowed_string(1), call.long(3));
    let subject = string.as_bytes();
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
    let Some(start) = start(call.vm, call.long(4), subject.len()) else {
        if wanted {
            let empty = call.vm.new_array().into();
            call.assign(2, empty);
        }
        return Ok(false.into());
    };
    let form = Form::new(flags);
    let mut matcher = regex.matcher_from(machine(call.vm), string, start);
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
