//! Replacing: `str_replace`, `strtr`, `nl2br`, ...

use smallvec::{SmallVec, smallvec};
use vm_runtime::array::{KeyRef, PhpArray, integer_key};
use vm_runtime::function::Call;
use vm_runtime::operators;
use vm_runtime::value::{ARRAY, OBJECT, STRING, StringHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::lanes::{self, AnyOf, LANES};
use super::search::each_found;
use crate::support::{
    Outcome, Plain, StringBuilder, direct, element_text, functions, new_list, string_of,
};

functions! {
    "#[Frameless(3)] str_replace(array|string $search, array|string $replace, array|string $subject, &$count = null): string|array" => str_replace | str_replace_directly,
    "str_ireplace(array|string $search, array|string $replace, array|string $subject, &$count = null): string|array" => str_ireplace | str_ireplace_directly,
    "#[Frameless(2, 3); Unchecked(2)] strtr(string $string, array|string $from, ?string $to = null): string" => strtr | strtr_directly,
    "nl2br(string $string, bool $use_xhtml = true): string" => nl2br | nl2br_directly,
    "quotemeta(string $string): string" => quotemeta | quotemeta_directly,
    "addslashes(string $string): string" => addslashes | addslashes_directly,
    "stripslashes(string $string): string" => stripslashes | stripslashes_directly,
}

fn str_replace(call: &mut Call<'_>) -> PhpResult<Value> {
    replace(call, false)
}

direct! {
    /// Texts by others in a third, without a count.
    fn str_replace_directly(vm; search: &Zval, with: &Zval, subject: &Zval) {
        let text = <&[u8]>::of(subject)?;
        if let Some(searches) = <&PhpArray>::of(search) {
            return replace_texts(vm, searches, with, subject);
        }
        let (search, with) = (<&[u8]>::of(search)?, <&[u8]>::of(with)?);
        let replaced = Replacement::of(text, search, with).make(vm, &mut 0);
        Some(replaced.map_or_else(|| Value::share(subject), Value::from))
    }
}

/// A text in lower case, which is mostly short.
fn folded(text: &[u8]) -> SmallVec<[u8; 128]> {
    let mut folded = SmallVec::from_slice(text);
    folded.make_ascii_lowercase();
    folded
}

direct! {
    /// As [`str_replace_directly`] for one text, whatever its case.
    fn str_ireplace_directly(vm; search: &[u8], with: &[u8], subject: &Zval) {
        let text = <&[u8]>::of(subject)?;
        let replacement = Replacement {
            haystack: &folded(text),
            search: &folded(search),
            subject: text,
            with,
        };
        let replaced = replacement.make(vm, &mut 0);
        Some(replaced.map_or_else(|| Value::share(subject), Value::from))
    }
}

/// Translates bytes, or texts by texts.
fn strtr_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let Some(text) = arguments.first().and_then(<&[u8]>::of) else {
        return false;
    };
    let translated = match arguments {
        [_, pairs] => {
            let pairs = <&PhpArray>::of(pairs);
            let is_plain = |(key, value): (KeyRef<'_>, &Zval)| {
                let is_empty = matches!(key, KeyRef::String(key) if key.is_empty());
                !is_empty && value.kind() == STRING
            };
            match pairs.filter(|pairs| pairs.iter().all(is_plain)) {
                Some(pairs) => strtr_pairs(vm, text, pairs).ok(),
                None => None,
            }
        }
        [_, from, to] => match (<&[u8]>::of(from), <&[u8]>::of(to)) {
            (Some(from), Some(to)) => Some(translated(vm, text, from, to)),
            _ => None,
        },
        _ => None,
    };
    let unchanged = || Value::share(&arguments[0]);
    translated
        .map(|translated| translated.unwrap_or_else(unchanged))
        .store(result)
}

/// Replaces texts by one text or by those of another array, if there is nothing but texts.
fn replace_texts(vm: &mut Vm, searches: &PhpArray, with: &Zval, subject: &Zval) -> Option<Value> {
    let replacements = <&PhpArray>::of(with);
    let are_texts = |array: &PhpArray| array.iter().all(|(_, value)| value.kind() == STRING);
    if !are_texts(searches) || !replacements.map_or(with.kind() == STRING, are_texts) {
        return None;
    }
    let mut replacements = replacements.map(PhpArray::iter);
    let mut subject = Value::share(subject);
    for (_, search) in searches.iter() {
        let with = match &mut replacements {
            None => Some(with),
            Some(replacements) => replacements.next().map(|(_, value)| value),
        };
        let with = with.and_then(Zval::as_bytes).unwrap_or_default();
        let (Some(search), Some(text)) = (search.as_bytes(), subject.as_bytes()) else {
            continue;
        };
        vm.poll();
        if let Some(replaced) = Replacement::of(text, search, with).make(vm, &mut 0) {
            subject = replaced.into();
        }
    }
    Some(subject)
}

fn str_ireplace(call: &mut Call<'_>) -> PhpResult<Value> {
    replace(call, true)
}

fn is_array(value: &Zval) -> bool {
    value.deref().kind() == ARRAY
}

/// Search strings with what replaces them.
struct Rules {
    rules: SmallVec<[(StringHandle, StringHandle); 8]>,
    /// The search strings in lower case, if case does not count.
    folded: Option<Vec<Vec<u8>>>,
    /// Converting the elements of the arguments can be seen, so it is done for each subject anew.
    are_seen: bool,
}

/// Whether somebody may see that a value is converted to a string.
fn is_seen(value: &Zval) -> bool {
    matches!(value.deref().kind(), ARRAY | OBJECT)
}

fn replace(call: &mut Call<'_>, fold: bool) -> PhpResult<Value> {
    if !is_array(call.argument(0)) && is_array(call.argument(1)) {
        return Err(call.type_error(
            1,
            "must be of type string when argument #1 ($search) is a string",
        ));
    }
    let mut count = 0usize;
    let result = if is_array(call.argument(2)) {
        replace_in_array(call, fold, &mut count)?
    } else if !fold && !is_array(call.argument(0)) {
        let subject = call.string(2);
        let replacement = Replacement::of(&subject, call.bytes(0), call.bytes(1));
        let made = replacement.make(call.vm, &mut count);
        made.unwrap_or(subject).into()
    } else {
        let rules = rules(call, fold)?;
        let subject = call.string(2);
        rules.apply(call, subject, &mut count)?.into()
    };
    if call.count() > 3 {
        call.assign(3, count.into());
    }
    Ok(result)
}

fn replace_in_array(call: &mut Call<'_>, fold: bool, count: &mut usize) -> PhpResult<Value> {
    let subjects = call.elements(2);
    let mut result = new_list(call.vm, subjects.len());
    let rules = rules(call, fold)?;
    for (key, value) in subjects.iter() {
        let subject = element_text(call.vm, value)?;
        let value = rules.apply(call, subject, count)?.into();
        result.make_mut(call.vm).set(key, value);
    }
    Ok(result.into())
}

fn rules(call: &mut Call<'_>, fold: bool) -> PhpResult<Rules> {
    let mut rules = SmallVec::new();
    let any = |call: &Call<'_>, index: usize| {
        is_array(call.argument(index))
            && call.elements(index).iter().any(|(_, value)| is_seen(value))
    };
    if any(call, 0) || any(call, 1) {
        return Ok(Rules {
            rules,
            folded: fold.then(Vec::new),
            are_seen: true,
        });
    }
    if !is_array(call.argument(0)) {
        rules.push((call.string(0), call.string(1)));
    } else {
        let searches = call.elements(0);
        let mut replacements = is_array(call.argument(1)).then(|| call.elements(1).iter());
        rules.reserve(searches.len());
        for (_, search) in searches.iter() {
            let search = element_text(call.vm, search)?;
            let replacement = match &mut replacements {
                None => call.string(1),
                Some(replacements) => match replacements.next() {
                    Some((_, value)) => element_text(call.vm, value)?,
                    None => call.vm.string(""),
                },
            };
            rules.push((search, replacement));
        }
    }
    let folded = fold.then(|| {
        rules
            .iter()
            .map(|(search, _)| search.to_ascii_lowercase())
            .collect()
    });
    Ok(Rules {
        rules,
        folded,
        are_seen: false,
    })
}

impl Rules {
    fn apply(
        &self,
        call: &mut Call<'_>,
        subject: StringHandle,
        count: &mut usize,
    ) -> PhpResult<StringHandle> {
        if !self.are_seen {
            return Ok(apply(call.vm, self, subject, count));
        }
        let (searches, all) = (call.elements(0), call.argument(1));
        let mut replacements = is_array(all).then(|| call.elements(1).iter());
        let mut subject = subject;
        for (_, search) in searches.iter() {
            // Nothing is left to be replaced.
            if subject.is_empty() {
                break;
            }
            let search = element_text(call.vm, search)?;
            let replacement = replacements.as_mut().map(Iterator::next);
            if search.is_empty() {
                continue;
            }
            let replacement = match replacement {
                None => call.string(1),
                Some(Some((_, value))) => element_text(call.vm, value)?,
                Some(None) => call.vm.string(""),
            };
            let folded = self.folded.is_some();
            let one = Rules {
                folded: folded.then(|| vec![search.to_ascii_lowercase()]),
                rules: smallvec![(search, replacement)],
                are_seen: false,
            };
            subject = apply(call.vm, &one, subject, count);
        }
        Ok(subject)
    }
}

fn apply(vm: &mut Vm, rules: &Rules, subject: StringHandle, count: &mut usize) -> StringHandle {
    let mut subject = subject;
    for (index, (search, replacement)) in rules.rules.iter().enumerate() {
        vm.poll();
        let folded = rules.folded.as_ref();
        let folded = folded.map(|folded| (subject.to_ascii_lowercase(), &folded[index]));
        let (haystack, search): (&[u8], &[u8]) = match &folded {
            Some((haystack, search)) => (haystack, search),
            None => (&subject, search),
        };
        let replacement = Replacement {
            subject: &subject,
            haystack,
            search,
            with: replacement,
        };
        if let Some(replaced) = replacement.make(vm, count) {
            subject = replaced;
        }
    }
    subject
}

/// What is replaced: every occurrence of `search` in `haystack`, by `with`. The text that is made is that of `subject`,
/// which differs from `haystack` in case at most.
struct Replacement<'t> {
    subject: &'t [u8],
    haystack: &'t [u8],
    search: &'t [u8],
    with: &'t [u8],
}

impl<'t> Replacement<'t> {
    /// In a text, letters by case.
    fn of(text: &'t [u8], search: &'t [u8], with: &'t [u8]) -> Replacement<'t> {
        Replacement {
            subject: text,
            haystack: text,
            search,
            with,
        }
    }

    /// The text, and in `count` how many were replaced. Nothing if there is none; an empty text is nowhere.
    fn make(&self, vm: &mut Vm, count: &mut usize) -> Option<StringHandle> {
        let Replacement {
            subject,
            search,
            with,
            ..
        } = *self;
        if !(1..=subject.len()).contains(&search.len()) {
            return None;
        }
        if let (&[from], &[to]) = (search, with) {
            return self.make_of_bytes(vm, from, to, count);
        }
        if search.len() == with.len() {
            return self.make_in_place(vm, count);
        }
        // The length is known where there are few, as mostly there are.
        let mut places = [0; 16];
        let mut found = 0;
        let mut builder: Option<StringBuilder> = None;
        let mut done = 0;
        each_found(self.haystack, search, |at| {
            if let Some(place) = places.get_mut(found) {
                *place = at;
                found += 1;
                return;
            }
            let builder = builder.get_or_insert_with(|| {
                let slack = with.len().saturating_sub(search.len()) * 8 * places.len();
                let mut builder = StringBuilder::new(vm, subject.len() + slack);
                for &at in &places {
                    builder.push_all([&subject[done..at], with]);
                    done = at + search.len();
                }
                builder
            });
            builder.push_all([&subject[done..at], with]);
            done = at + search.len();
            *count += 1;
        });
        *count += found;
        if let Some(mut builder) = builder {
            builder.push(&subject[done..]);
            return Some(builder.finish(vm));
        }
        if found == 0 {
            return None;
        }
        let length = subject.len() - found * search.len();
        let mut builder = StringBuilder::exact(vm, length.saturating_add(found * with.len()));
        for &at in &places[..found] {
            builder.push_all([&subject[done..at], with]);
            done = at + search.len();
        }
        builder.push(&subject[done..]);
        Some(builder.finish(vm))
    }

    /// As [`Replacement::make`] where the length stays.
    fn make_in_place(&self, vm: &mut Vm, count: &mut usize) -> Option<StringHandle> {
        let mut builder: Option<StringBuilder> = None;
        each_found(self.haystack, self.search, |at| {
            let builder = builder.get_or_insert_with(|| self.whole(vm));
            builder.as_mut_bytes()[at..at + self.with.len()].copy_from_slice(self.with);
            *count += 1;
        });
        builder.map(|builder| builder.finish(vm))
    }

    /// As [`Replacement::make`] of one byte by another: the length stays, and no place has to be found.
    fn make_of_bytes(
        &self,
        vm: &mut Vm,
        from: u8,
        to: u8,
        count: &mut usize,
    ) -> Option<StringHandle> {
        let start = memchr::memchr(from, self.haystack)?;
        let mut builder = self.whole(vm);
        let bytes = &mut builder.as_mut_bytes()[start..];
        *count += lanes::replace_byte(bytes, &self.haystack[start..], from, to);
        Some(builder.finish(vm))
    }

    /// The text as it was, with room for nothing else.
    fn whole(&self, vm: &mut Vm) -> StringBuilder {
        let mut builder = StringBuilder::exact(vm, self.subject.len());
        builder.push(self.subject);
        builder
    }
}

fn strtr(call: &mut Call<'_>) -> PhpResult<Value> {
    let from = call.argument(1).deref();
    let (from_is_array, given) = (is_array(from), operators::value_name(from));
    if call.count() == 2 && !from_is_array {
        return Err(call.type_error(1, &format!("must be of type array, {given} given")));
    }
    if call.count() == 3 {
        call.undeclared_string(1)?;
    }
    if call.count() == 3 && !call.has(2) {
        let message = "Passing null to parameter #3 ($to) of type ?string is deprecated";
        call.vm.deprecated(format!("strtr(): {message}"));
        call.vm.check()?;
    }
    let string = call.bytes(0);
    if string.is_empty() {
        return Ok(call.value(0));
    }
    if from_is_array {
        let translated = strtr_pairs(call.vm, string, call.elements(1))?;
        return Ok(translated.unwrap_or_else(|| call.value(0)));
    }
    let from = call.bytes(1);
    let to = call.optional_bytes(2).unwrap_or_default();
    Ok(translated(call.vm, string, from, to).unwrap_or_else(|| call.value(0)))
}

/// Each byte at its place.
const EACH_ITSELF: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = byte as u8;
        byte += 1;
    }
    table
};

/// A text with each byte of `from` replaced by the one at the same place of `to`; none if it has none of
/// them.
fn translated(vm: &mut Vm, string: &[u8], from: &[u8], to: &[u8]) -> Option<Value> {
    if from.is_empty() || to.is_empty() {
        return None;
    }
    let mut table = EACH_ITSELF;
    for (&byte, &replacement) in from.iter().zip(to) {
        table[byte as usize] = replacement;
    }
    if !string.iter().any(|&byte| table[byte as usize] != byte) {
        return None;
    }
    let mut builder = StringBuilder::new(vm, string.len());
    builder.push(string);
    for byte in builder.as_mut_bytes() {
        *byte = table[*byte as usize];
    }
    Some(builder.into_value(vm))
}

/// Longest key first at each place; what was replaced is not looked at again.
/// None if nothing is replaced.
fn strtr_pairs(vm: &mut Vm, string: &[u8], pairs: &PhpArray) -> PhpResult<Option<Value>> {
    // Which lengths keys have, and which bytes they begin with.
    const FEW: usize = 16;
    let mut has_length = match pairs.len() > FEW {
        true => vec![false; string.len() + 1],
        false => Vec::new(),
    };
    let mut lengths: SmallVec<[usize; FEW]> = SmallVec::new();
    let mut starts = [false; 256];
    // Bits for the first two bytes of keys: of few keys, hardly any other place passes.
    let mut beginnings = 0u64;
    let beginning = |first: u8, second: u8| 1u64 << ((first ^ second.rotate_left(3)) & 63);
    let mut numbers = false;
    let mut note = |key: &[u8]| {
        if key.len() > string.len() {
            return;
        }
        starts[key[0] as usize] = true;
        beginnings |= match key {
            [first, second, ..] => beginning(*first, *second),
            _ => u64::MAX,
        };
        let is_known = match has_length.get_mut(key.len()) {
            Some(known) => std::mem::replace(known, true),
            None => lengths.contains(&key.len()),
        };
        if !is_known {
            lengths.push(key.len());
        }
    };
    for (key, _) in pairs.iter() {
        match key {
            KeyRef::Long(number) => {
                numbers = true;
                note(number.to_string().as_bytes());
            }
            KeyRef::String(key) if key.is_empty() => {
                vm.warning("strtr(): Ignoring replacement of empty string");
                vm.check()?;
            }
            KeyRef::String(key) => note(key.as_bytes()),
        }
    }
    lengths.sort_unstable_by(|one, other| other.cmp(one));
    let Some(&shortest) = lengths.last() else {
        return Ok(None);
    };
    let find = |text: &[u8]| match numbers {
        true => {
            integer_key(text).map_or_else(|| pairs.get_bytes(text), |number| pairs.get_long(number))
        }
        false => pairs.get_bytes(text),
    };
    let mut builder = StringBuilder::new(vm, string.len());
    let mut done = 0;
    let mut at = 0;
    'positions: while at + shortest <= string.len() {
        let second = string.get(at + 1).copied().unwrap_or(0);
        if !starts[string[at] as usize] || beginnings & beginning(string[at], second) == 0 {
            at += 1;
            continue;
        }
        vm.poll();
        let left = string.len() - at;
        for &length in lengths.iter().skip_while(|&&length| length > left) {
            if let Some(value) = find(&string[at..at + length]) {
                builder.push(&string[done..at]);
                match value.deref().view() {
                    ValueKind::String(replacement) => builder.push(replacement.as_bytes()),
                    _ => {
                        let replacement = string_of(vm, value)?;
                        builder.push(&replacement);
                    }
                }
                at += length;
                done = at;
                continue 'positions;
            }
        }
        at += 1;
    }
    if done == 0 {
        return Ok(None);
    }
    builder.push(&string[done..]);
    Ok(Some(builder.into_value(vm)))
}

fn nl2br(call: &mut Call<'_>) -> PhpResult<Value> {
    let tag: &[u8] = if call.bool(1) { b"<br />" } else { b"<br>" };
    let changed = with_breaks(call.vm, call.bytes(0), tag);
    Ok(changed.unwrap_or_else(|| call.value(0)))
}

/// Text with a tag in front of each line break; none if there is no line break.
fn with_breaks(vm: &mut Vm, string: &[u8], tag: &[u8]) -> Option<Value> {
    memchr::memchr2(b'\r', b'\n', string)?;
    let mut builder = StringBuilder::new(vm, string.len() + 64);
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'\r', b'\n', &string[at..]) {
        let end = at + next;
        builder.push_all([&string[at..end], tag]);
        // CRLF and LFCR are one line break.
        let pair = string
            .get(end + 1)
            .is_some_and(|&byte| byte != string[end] && matches!(byte, b'\r' | b'\n'));
        let length = 1 + pair as usize;
        builder.push(&string[end..end + length]);
        at = end + length;
    }
    builder.push(&string[at..]);
    Some(builder.into_value(vm))
}

/// Puts a backslash before the bytes that `escape` chooses, maybe writing another byte.
fn escaped(vm: &mut Vm, string: &[u8], escape: impl Fn(u8) -> Option<u8>) -> Option<Value> {
    let first = string.iter().position(|&byte| escape(byte).is_some())?;
    let mut builder = StringBuilder::new(vm, string.len() + 16);
    builder.push(&string[..first]);
    for piece in string[first..].chunks(256) {
        let mut tail = builder.tail(piece.len() * 2);
        for &byte in piece {
            match escape(byte) {
                Some(shown) => tail.put([b'\\', shown]),
                None => tail.put([byte]),
            }
        }
    }
    Some(builder.into_value(vm))
}

fn quotemeta(call: &mut Call<'_>) -> PhpResult<Value> {
    let changed = with_meta_quoted(call.vm, call.bytes(0));
    Ok(changed.unwrap_or_else(|| call.value(0)))
}

direct! {
    fn quotemeta_directly(vm; string: &[u8]) { with_meta_quoted(vm, string) }
}

/// Text with a backslash in front of what means something in a pattern; none if there is nothing of that kind.
fn with_meta_quoted(vm: &mut Vm, string: &[u8]) -> Option<Value> {
    static META: [bool; 256] = super::search::byte_set(b".\\+*?[^]$()");
    escaped(vm, string, |byte| META[usize::from(byte)].then_some(byte))
}

fn addslashes(call: &mut Call<'_>) -> PhpResult<Value> {
    let changed = with_slashes(call.vm, call.bytes(0));
    Ok(changed.unwrap_or_else(|| call.value(0)))
}

/// Text with a backslash in front of quotes, backslashes and zeros; none if it has none of them.
fn with_slashes(vm: &mut Vm, string: &[u8]) -> Option<Value> {
    const SPECIAL: [u8; 4] = [0, b'\'', b'"', b'\\'];
    let special = AnyOf::new(SPECIAL);
    let (rows, rest) = string.as_chunks::<LANES>();
    let is_special = |byte: &u8| SPECIAL.contains(byte);
    if !rest.iter().any(is_special) && rows.iter().all(|row| special.marks(row) == 0) {
        return None;
    }
    let mut builder = StringBuilder::new(vm, string.len() + 16);
    for row in rows {
        let mut tail = builder.tail(LANES * 2);
        let mut marks = special.marks(row);
        if marks == 0 {
            tail.put(*row);
            continue;
        }
        let mut done = 0;
        while marks != 0 {
            let at = marks.trailing_zeros() as usize;
            marks &= marks - 1;
            tail.push(&row[done..at]);
            tail.put([b'\\', if row[at] == 0 { b'0' } else { row[at] }]);
            done = at + 1;
        }
        tail.push(&row[done..]);
    }
    let mut tail = builder.tail(rest.len() * 2);
    for &byte in rest {
        match byte {
            0 => tail.put(*b"\\0"),
            byte if is_special(&byte) => tail.put([b'\\', byte]),
            byte => tail.put([byte]),
        }
    }
    drop(tail);
    Some(builder.into_value(vm))
}

fn stripslashes(call: &mut Call<'_>) -> PhpResult<Value> {
    let changed = without_slashes(call.vm, call.bytes(0));
    Ok(changed.unwrap_or_else(|| call.value(0)))
}

/// Text without the backslashes that quote something; none if it has no backslash.
fn without_slashes(vm: &mut Vm, string: &[u8]) -> Option<Value> {
    let first = memchr::memchr(b'\\', string)?;
    let mut builder = StringBuilder::new(vm, string.len());
    builder.push(&string[..first]);
    let shown = |byte: u8| if byte == b'0' { 0 } else { byte };
    let slash = AnyOf::new([b'\\'; 4]);
    // Whether a backslash stands in front that quotes.
    let mut is_quoted = false;
    let (rows, rest) = string[first..].as_chunks::<LANES>();
    for row in rows {
        let mut marks = slash.marks(row);
        let mut tail = builder.tail(LANES);
        if marks == 0 && !is_quoted {
            tail.put(*row);
            continue;
        }
        let mut done = 0;
        if std::mem::take(&mut is_quoted) {
            tail.put([shown(row[0])]);
            marks &= !1;
            done = 1;
        }
        while marks != 0 {
            let at = marks.trailing_zeros() as usize;
            tail.push(&row[done..at]);
            match row.get(at + 1) {
                Some(&quoted) => tail.put([shown(quoted)]),
                None => is_quoted = true,
            }
            // What is quoted is no backslash that quotes.
            marks &= !(0b11 << at);
            done = LANES.min(at + 2);
        }
        tail.push(&row[done..]);
    }
    let mut tail = builder.tail(rest.len());
    for &byte in rest {
        match (is_quoted, byte) {
            (false, b'\\') => is_quoted = true,
            (false, byte) => tail.put([byte]),
            (true, byte) => {
                tail.put([shown(byte)]);
                is_quoted = false;
            }
        }
    }
    drop(tail);
    Some(builder.into_value(vm))
}

/// Direct entries of functions that change their only argument, if at all.
macro_rules! changed_directly {
    ($($name:ident => $change:expr,)*) => {$(
        fn $name(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
            let [string] = arguments else {
                return false;
            };
            let Some(bytes) = <&[u8]>::of(string) else {
                return false;
            };
            let change: fn(&mut Vm, &[u8]) -> Option<Value> = $change;
            change(vm, bytes)
                .unwrap_or_else(|| Value::share(string))
                .store(result)
        }
    )*};
}

changed_directly! {
    nl2br_directly => |vm, string| with_breaks(vm, string, b"<br />"),
    addslashes_directly => with_slashes,
    stripslashes_directly => without_slashes,
}
