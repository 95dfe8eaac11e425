//! `preg_replace`, `preg_filter` and the forms with callbacks.

use std::cell::OnceCell;

use vm_runtime::array::{Key, KeyRef};
use vm_runtime::function::Call;
use vm_runtime::value::{StringHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::matching::{Form, each_match, groups};
use super::regex::{Matcher, Regex};
use super::{machine, pattern, set_error};
use crate::support::{
    Callback, StringBuilder, direct, element_text, functions, hold, new_list, string_of,
};

functions! {
    "#[Frameless(3)] preg_replace(array|string $pattern, array|string $replacement, array|string $subject, int $limit = -1, &$count = null): array|string|null" => preg_replace | preg_replace_directly,
    "preg_filter(array|string $pattern, array|string $replacement, array|string $subject, int $limit = -1, &$count = null): array|string|null" => preg_filter,
    "preg_replace_callback(array|string $pattern, callable $callback, array|string $subject, int $limit = -1, &$count = null, int $flags = 0): array|string|null" => preg_replace_callback,
    "preg_replace_callback_array(array $pattern, array|string $subject, int $limit = -1, &$count = null, int $flags = 0): array|string|null" => preg_replace_callback_array,
}

/// What a match is replaced by.
enum Replacement {
    /// A text with references to groups.
    Text(StringHandle),
    /// What a function gives for the groups.
    Call(Function),
}

/// A function that gives replacements. Most subjects have no match: it is resolved for the first one.
struct Function {
    callable: Value,
    resolved: OnceCell<Callback>,
    form: Form,
}

impl Function {
    /// What replaces the match that was just found.
    fn replacement(
        &self,
        vm: &mut Vm,
        regex: &Regex,
        matcher: &Matcher<'_>,
    ) -> PhpResult<StringHandle> {
        let groups = groups(vm, regex, matcher, self.form);
        let resolve = || Callback::new(vm, self.callable.clone());
        let callback = self.resolved.get_or_init(resolve);
        let result = callback.call(vm, [groups.into()])?;
        string_of(vm, &result)
    }
}

/// A pattern with what replaces its matches.
type Rule = (StringHandle, Replacement);

/// Replacing by what a function gives.
fn calling(callable: Value, form: Form) -> Replacement {
    Replacement::Call(Function {
        callable,
        resolved: OnceCell::new(),
        form,
    })
}

/// Applies patterns with texts, of which each may be one or an array of them.
fn apply_texts(call: &mut Call<'_>, only_changed: bool) -> PhpResult<Value> {
    let (patterns, replacement) = (call.value(0), call.value(1));
    let Some(patterns) = patterns.array() else {
        if replacement.array().is_some() {
            return Err(call.type_error(
                0,
                "must be of type array when argument #2 ($replacement) is an array, string given",
            ));
        }
        let text = Replacement::Text(call.string(1));
        return apply(call, &[(call.string(0), text)], 2, only_changed);
    };
    let mut rules = Vec::with_capacity(patterns.len());
    let texts = replacement.array();
    let mut texts = texts.as_ref().map(|texts| texts.iter());
    for (_, pattern) in patterns.iter() {
        let pattern = element_text(call.vm, pattern)?;
        let text = match &mut texts {
            None => call.string(1),
            Some(texts) => match texts.next() {
                Some((_, text)) => element_text(call.vm, text)?,
                None => call.vm.string(""),
            },
        };
        rules.push((pattern, Replacement::Text(text)));
    }
    apply(call, &rules, 2, only_changed)
}

fn preg_replace(call: &mut Call<'_>) -> PhpResult<Value> {
    apply_texts(call, false)
}

direct! {
    /// A text for the matches of a known pattern in one subject, all of them.
    fn preg_replace_directly(vm; pattern: &[u8], text: &Zval, subject: &Zval) {
        let regex = pattern::known(vm, pattern)?;
        let (text, subject) = (hold(text).string()?, hold(subject).string()?);
        let replaced = replace(vm, &regex, &Replacement::Text(text), subject, usize::MAX, &mut 0);
        Some(replaced.ok()?.map_or(Value::NULL, Value::from))
    }
}

fn preg_filter(call: &mut Call<'_>) -> PhpResult<Value> {
    apply_texts(call, true)
}

fn preg_replace_callback(call: &mut Call<'_>) -> PhpResult<Value> {
    let (patterns, callback) = (call.value(0), call.value(1));
    let form = Form::new(call.long(5));
    let rule = |pattern| (pattern, calling(callback.clone(), form));
    let Some(patterns) = patterns.array() else {
        let rule = rule(call.string(0));
        return apply(call, &[rule], 2, false);
    };
    let mut rules = Vec::with_capacity(patterns.len());
    for (_, pattern) in patterns.iter() {
        rules.push(rule(element_text(call.vm, pattern)?));
    }
    apply(call, &rules, 2, false)
}

fn preg_replace_callback_array(call: &mut Call<'_>) -> PhpResult<Value> {
    let form = Form::new(call.long(4));
    let mut rules = Vec::new();
    for (key, value) in call.elements(0).iter() {
        let callback = hold(value);
        if crate::support::callable_problem(call.vm, &callback).is_some() {
            return Err(call.type_error(0, "must contain only valid callbacks"));
        }
        let KeyRef::String(pattern) = key else {
            return Err(call.type_error(0, "must contain only string patterns as keys"));
        };
        let pattern = call.vm.string(pattern.as_bytes());
        rules.push((pattern, calling(callback, form)));
    }
    if rules.is_empty() {
        // Nothing is done, not even a conversion.
        if call.count() > 3 {
            call.assign(3, 0i64.into());
        }
        return Ok(call.value(1));
    }
    apply(call, &rules, 1, false)
}

/// Applies all rules to the subject or subjects in argument `subject`; limit and count follow it.
fn apply(
    call: &mut Call<'_>,
    rules: &[Rule],
    subject: usize,
    only_changed: bool,
) -> PhpResult<Value> {
    let limit = match call.long(subject + 1) {
        limit if limit < 0 => usize::MAX,
        limit => limit as usize,
    };
    let mut count = 0usize;
    let value = call.value(subject);
    let result = if let Some(subjects) = value.array() {
        let mut result = new_list(call.vm, subjects.len());
        for (key, value) in subjects.iter() {
            let key: Key = key.to_key();
            let before = count;
            let string = string_of(call.vm, &hold(value))?;
            let replaced = replace_all(call.vm, rules, string, limit, &mut count)?;
            if let Some(replaced) = replaced
                && (!only_changed || count > before)
            {
                result.make_mut(call.vm).set(key.as_ref(), replaced.into());
            }
        }
        result.into()
    } else {
        let string = call.string(subject);
        match replace_all(call.vm, rules, string, limit, &mut count)? {
            Some(replaced) if !only_changed || count > 0 => replaced.into(),
            _ => Value::NULL,
        }
    };
    if call.count() > subject + 2 {
        call.assign(subject + 2, count.into());
    }
    Ok(result)
}

/// Applies the rules one after the other; nothing if one of them fails.
fn replace_all(
    vm: &mut Vm,
    rules: &[Rule],
    subject: StringHandle,
    limit: usize,
    count: &mut usize,
) -> PhpResult<Option<StringHandle>> {
    let mut subject = subject;
    for (pattern, replacement) in rules {
        vm.poll();
        let Some(regex) = pattern::compiled(vm, pattern) else {
            vm.check()?;
            return Ok(None);
        };
        match replace(vm, &regex, replacement, subject, limit, count)? {
            Some(replaced) => subject = replaced,
            None => return Ok(None),
        }
    }
    Ok(Some(subject))
}

fn replace(
    vm: &mut Vm,
    regex: &Regex,
    replacement: &Replacement,
    subject: StringHandle,
    limit: usize,
    count: &mut usize,
) -> PhpResult<Option<StringHandle>> {
    if limit == 0 {
        return Ok(Some(subject));
    }
    let bytes: &[u8] = &subject;
    let mut matcher = regex.matcher_from(machine(vm), &subject, 0);
    let mut builder: Option<StringBuilder> = None;
    let mut done = 0;
    let mut left = limit;
    // Most subjects have no match.
    let mut has_references = None;
    let failure = each_match(bytes, &mut matcher, 0, &mut |matcher| {
        let (from, to) = matcher.whole();
        let target = builder.get_or_insert_with(|| StringBuilder::new(vm, bytes.len()));
        target.push(&bytes[done.min(from)..from]);
        match replacement {
            Replacement::Text(text) => {
                let is_found = || memchr::memchr2(b'\\', b'$', text).is_some();
                match *has_references.get_or_insert_with(is_found) {
                    true => push_text(target, text, matcher),
                    false => target.push(text),
                }
            }
            Replacement::Call(function) => {
                target.push(&function.replacement(vm, regex, matcher)?);
            }
        }
        done = to;
        *count += 1;
        left -= 1;
        Ok(left > 0)
    })?;
    drop(matcher);
    if let Some(error) = failure {
        set_error(vm, error);
        return Ok(None);
    }
    match builder {
        None => Ok(Some(subject)),
        Some(mut builder) => {
            builder.push(&bytes[done..]);
            Ok(Some(builder.finish(vm)))
        }
    }
}

/// Appends a replacement text: `\1`, `$1` and `${1}` stand for groups, a backslash before `\` or
/// `$` takes their meaning.
fn push_text(builder: &mut StringBuilder, text: &[u8], matcher: &Matcher<'_>) {
    let mut at = 0;
    while let Some(offset) = memchr::memchr2(b'\\', b'$', &text[at..]) {
        builder.push(&text[at..at + offset]);
        at += offset;
        if let Some((number, length)) = reference(&text[at..]) {
            builder.push(matcher.text(number).unwrap_or_default());
            at += length;
            continue;
        }
        if text[at] == b'\\' && matches!(text.get(at + 1), Some(b'\\' | b'$')) {
            at += 1;
        }
        builder.push(&text[at..at + 1]);
        at += 1;
    }
    builder.push(&text[at..]);
}

/// The group that a reference at the start of `text` names, and the reference's length.
fn reference(text: &[u8]) -> Option<(usize, usize)> {
    let brace = text.starts_with(b"${");
    let start = 1 + brace as usize;
    let digit = |at: usize| {
        text.get(at)
            .filter(|byte| byte.is_ascii_digit())
            .map(|byte| (byte - b'0') as usize)
    };
    let mut number = digit(start)?;
    let mut end = start + 1;
    if let Some(second) = digit(end) {
        number = number * 10 + second;
        end += 1;
    }
    if brace {
        if text.get(end) != Some(&b'}') {
            return None;
        }
        end += 1;
    }
    Some((number, end))
}
