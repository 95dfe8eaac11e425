//! `mb_ereg_search_*`: a search that goes on where the last one ended.

use std::rc::Rc;

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::{StringHandle, Value};
use vm_runtime::vm::PhpResult;

use super::functions::{Groups, fail, find, group_table, options};
use super::options::Options;
use super::{Subject, compiled, state};
use crate::pcre::Regex;
use crate::support::{functions, list};

functions! {
    "mb_ereg_search(?string $pattern = null, ?string $options = null): bool" => mb_ereg_search,
    "mb_ereg_search_pos(?string $pattern = null, ?string $options = null): array|false" => mb_ereg_search_pos,
    "mb_ereg_search_regs(?string $pattern = null, ?string $options = null): array|false" => mb_ereg_search_regs,
    "mb_ereg_search_init(string $string, ?string $pattern = null, ?string $options = null): bool" => mb_ereg_search_init,
    "mb_ereg_search_getregs(): array|false" => mb_ereg_search_getregs,
    "mb_ereg_search_getpos(): int" => mb_ereg_search_getpos,
    "mb_ereg_search_setpos(int $offset): bool" => mb_ereg_search_setpos,
}

/// What the search remembers.
#[derive(Debug, Default)]
pub(super) struct Search {
    text: Option<StringHandle>,
    pub(super) regex: Option<(Rc<Regex>, Options)>,
    /// Where it goes on, in the text's own bytes.
    position: usize,
    groups: Option<Groups>,
}

fn mb_ereg_search_init(call: &mut Call<'_>) -> PhpResult<Value> {
    let string = call.string(0);
    if call.optional_bytes(1).is_some_and(<[u8]>::is_empty) {
        return Err(call.value_error(1, "must not be empty"));
    }
    let options = options(call, 2)?;
    if let Some(pattern) = call.optional_bytes(1) {
        let Some(regex) = compiled(call.vm, pattern, options)? else {
            return Ok(false.into());
        };
        state(call.vm).search.regex = Some((regex, options));
    }
    let is_valid = Subject::new(call.vm, &string).is_some();
    let search = &mut state(call.vm).search;
    // One that is not valid is at its end at once.
    search.position = if is_valid { 0 } else { string.len() };
    search.text = Some(string);
    search.groups = None;
    Ok(is_valid.into())
}

/// Goes on searching; gives what was found.
fn advance(call: &mut Call<'_>) -> PhpResult<Option<(Subject, Rc<Regex>, Groups)>> {
    let has_text = state(call.vm).search.text.is_some();
    let options = match options(call, 1) {
        // That there is no text is told last.
        Err(_) if !has_text => return Err(fail(call.vm, "No string was provided")),
        options => options?,
    };
    state(call.vm).search.groups = None;
    if let Some(pattern) = call.optional_bytes(0) {
        let Some(regex) = compiled(call.vm, pattern, options)? else {
            return Ok(None);
        };
        state(call.vm).search.regex = Some((regex, options));
    }
    let search = &mut state(call.vm).search;
    let (text, position) = (search.text.clone(), search.position);
    let Some((regex, options)) = search.regex.clone() else {
        return Err(fail(call.vm, "No pattern was provided"));
    };
    let Some(text) = text else {
        return Err(fail(call.vm, "No string was provided"));
    };
    state(call.vm).search.groups = None;
    if position > text.len() {
        return Ok(None);
    }
    let Some(subject) = Subject::new(call.vm, &text) else {
        return Ok(None);
    };
    let from = subject.place(&text, position);
    let found = find(call.vm, &regex, &subject, from, options)?;
    let end = found.as_ref().and_then(|groups| *groups.first()?);
    let search = &mut state(call.vm).search;
    search.position = match end {
        Some((_, end)) => subject.offset(end).max(position),
        None => text.len(),
    };
    search.groups = found.clone();
    Ok(found.map(|groups| (subject, regex, groups)))
}

fn mb_ereg_search(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(advance(call)?.is_some().into())
}

fn mb_ereg_search_pos(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some((subject, _, groups)) = advance(call)? else {
        return Ok(false.into());
    };
    let Some(Some((start, end))) = groups.first().copied() else {
        return Ok(false.into());
    };
    let (start, end) = (subject.offset(start), subject.offset(end));
    Ok(list(call.vm, [start.into(), (end - start).into()]))
}

fn mb_ereg_search_regs(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(match advance(call)? {
        Some((subject, regex, groups)) => {
            group_table(call.vm, &regex, &subject, &groups, true).into()
        }
        None => false.into(),
    })
}

fn mb_ereg_search_getregs(call: &mut Call<'_>) -> PhpResult<Value> {
    let search = &state(call.vm).search;
    let (Some(text), Some(groups), Some((regex, _))) =
        (&search.text, &search.groups, &search.regex)
    else {
        return Ok(false.into());
    };
    let (text, groups, regex) = (text.clone(), groups.clone(), regex.clone());
    Ok(match Subject::new(call.vm, &text) {
        Some(subject) => group_table(call.vm, &regex, &subject, &groups, true).into(),
        None => false.into(),
    })
}

fn mb_ereg_search_getpos(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(state(call.vm).search.position.into())
}

fn mb_ereg_search_setpos(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut position = call.long(0);
    let length = state(call.vm).search.text.as_ref().map(|text| text.len());
    if position < 0 {
        position = position.saturating_add(length.unwrap_or(0) as i64);
    }
    let is_inside = position >= 0 && length.is_none_or(|length| position <= length as i64);
    if !is_inside {
        let message = "mb_ereg_search_setpos(): Argument #1 ($offset) is out of range";
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    state(call.vm).search.position = position as usize;
    Ok(true.into())
}
