//! Finding strings in strings: `strpos`, `strstr`, `substr_count`, `strspn`, ...

use memchr::memmem;
use vm_runtime::function::Call;
use vm_runtime::string::are_equal;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::lanes::{LANES, Pair};
use crate::support::{direct, functions, text};

functions! {
    "#[Frameless(2, 3)] strpos(string $haystack, string $needle, int $offset = 0): int|false" => strpos | strpos_directly,
    "stripos(string $haystack, string $needle, int $offset = 0): int|false" => stripos | stripos_directly,
    "strrpos(string $haystack, string $needle, int $offset = 0): int|false" => strrpos | strrpos_directly,
    "strripos(string $haystack, string $needle, int $offset = 0): int|false" => strripos | strripos_directly,
    "#[Frameless(2, 3)] strstr(string $haystack, string $needle, bool $before_needle = false): string|false" => strstr | strstr_directly,
    "strchr(string $haystack, string $needle, bool $before_needle = false): string|false" => strstr,
    "stristr(string $haystack, string $needle, bool $before_needle = false): string|false" => stristr | stristr_directly,
    "strrchr(string $haystack, string $needle, bool $before_needle = false): string|false" => strrchr | strrchr_directly,
    "strpbrk(string $string, string $characters): string|false" => strpbrk | strpbrk_directly,
    "#[Frameless(2)] str_contains(string $haystack, string $needle): bool" => str_contains | str_contains_directly,
    "#[Frameless(2)] str_starts_with(string $haystack, string $needle): bool" => str_starts_with | str_starts_with_directly,
    "str_ends_with(string $haystack, string $needle): bool" => str_ends_with | str_ends_with_directly,
    "substr_count(string $haystack, string $needle, int $offset = 0, ?int $length = null): int" => substr_count | substr_count_directly,
    "strspn(string $string, string $characters, int $offset = 0, ?int $length = null): int" => strspn | strspn_directly,
    "strcspn(string $string, string $characters, int $offset = 0, ?int $length = null): int" => strcspn | strcspn_directly,
    "count_chars(string $string, int $mode = 0): array|string" => count_chars | count_chars_directly,
    "str_word_count(string $string, int $format = 0, ?string $characters = null): array|int" => str_word_count,
}

functions! { CORE_FUNCTIONS:
    "strlen(string $string): int" => strlen,
}

fn strlen(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.bytes(0).len().into())
}

/// First occurrence of `needle`; the empty one is found at once.
#[inline]
pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    /// Up to this many bytes it does not pay to prepare a search.
    const NEAR: usize = 512;
    match needle {
        [] => Some(0),
        [byte] => memchr::memchr(*byte, haystack),
        _ if needle.len() > haystack.len() => None,
        _ => {
            let last_start = haystack.len() - needle.len();
            let near = (last_start + 1).min(NEAR);
            find_near(&haystack[..near + needle.len() - 1], needle).or_else(|| {
                let rest = haystack.get(near..).filter(|_| near <= last_start)?;
                memmem::find(rest, needle).map(|at| near + at)
            })
        }
    }
}

/// The places where a needle occurs that is not empty, without overlaps: looks at many places at once for
/// its first and its last byte.
struct Near<'a> {
    haystack: &'a [u8],
    /// The needle without its ends.
    middle: &'a [u8],
    length: usize,
    ends: Pair,
    /// How many places there are.
    places: usize,
    /// The first place that was not looked at.
    next: usize,
    /// Places from `base` on, a bit each, where both ends are the needle's.
    marks: u32,
    base: usize,
    /// Where the next one may begin.
    from: usize,
}

impl<'a> Near<'a> {
    #[inline(always)]
    fn new(haystack: &'a [u8], needle: &'a [u8]) -> Near<'a> {
        let length = needle.len();
        Near {
            haystack,
            middle: needle.get(1..length - 1).unwrap_or_default(),
            length,
            ends: Pair::new(needle[0], needle[length - 1]),
            places: (haystack.len() + 1).saturating_sub(length),
            next: 0,
            marks: 0,
            base: 0,
            from: 0,
        }
    }

    /// Looks at the next places.
    #[inline(always)]
    fn advance(&mut self) {
        let last = self.length - 1;
        let Some(most) = self.places.checked_sub(LANES) else {
            let (begins, stops) = (self.haystack, &self.haystack[last..]);
            self.marks = (0..self.places).fold(0, |marks, at| {
                marks | u32::from(self.ends.is(begins[at], stops[at])) << at
            });
            self.next = self.places;
            return;
        };
        // What is left is looked at together with what was looked at already.
        self.base = self.next.min(most);
        let begins = self.haystack[self.base..].first_chunk();
        let stops = self.haystack[self.base + last..].first_chunk();
        if let (Some(begins), Some(stops)) = (begins, stops) {
            self.marks = self.ends.marks(begins, stops);
        }
        self.next = self.base + LANES;
    }
}

impl Iterator for Near<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        loop {
            while self.marks != 0 {
                let at = self.base + self.marks.trailing_zeros() as usize;
                self.marks &= self.marks - 1;
                let middle = &self.haystack[at + 1..at + 1 + self.middle.len()];
                if at >= self.from && are_equal(middle, self.middle) {
                    self.from = at + self.length;
                    return Some(at);
                }
            }
            if self.next >= self.places {
                return None;
            }
            self.advance();
        }
    }
}

/// As [`find`] for a needle that is not empty, nor longer than the haystack.
#[inline]
fn find_near(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let starts = &haystack[..haystack.len() + 1 - needle.len()];
    if starts.len() >= LANES {
        return Near::new(haystack, needle).next();
    }
    let (first, rest) = needle.split_first()?;
    let is_it = |at: usize, byte: u8| {
        byte == *first && are_equal(&haystack[at + 1..at + needle.len()], rest)
    };
    let mut places = starts.iter().enumerate();
    places.find_map(|(at, &byte)| is_it(at, byte).then_some(at))
}

/// Up to this many bytes it does not pay to prepare a search, or to fold a copy.
pub(super) const SHORT: usize = 1024;

/// Gives each place where `needle`, which is not empty, occurs, without overlaps.
#[inline]
pub(crate) fn each_found(haystack: &[u8], needle: &[u8], mut each: impl FnMut(usize)) {
    if haystack.len() < needle.len() + LANES {
        return each_near(haystack, needle, each);
    }
    if haystack.len() <= SHORT {
        return Near::new(haystack, needle).for_each(each);
    }
    match needle {
        [byte] => memchr::memchr_iter(*byte, haystack).for_each(each),
        _ => {
            let finder = memmem::Finder::new(needle);
            let mut start = 0;
            while let Some(at) = finder.find(&haystack[start..]) {
                each(start + at);
                start += at + needle.len();
            }
        }
    }
}

/// As [`each_found`] where there are few places: byte after byte.
#[inline]
fn each_near(haystack: &[u8], needle: &[u8], mut each: impl FnMut(usize)) {
    let Some((first, rest)) = needle.split_first() else {
        return;
    };
    let mut at = 0;
    while at + needle.len() <= haystack.len() {
        if haystack[at] == *first && are_equal(&haystack[at + 1..at + needle.len()], rest) {
            each(at);
            at += needle.len();
        } else {
            at += 1;
        }
    }
}

/// How often `needle`, which is not empty, occurs, without overlaps.
fn count_of(haystack: &[u8], needle: &[u8]) -> i64 {
    if let [byte] = *needle {
        return memchr::memchr_iter(byte, haystack).count() as i64;
    }
    let mut count = 0;
    each_found(haystack, needle, |_| count += 1);
    count
}

/// As [`find`] with letters of either case.
pub(crate) fn find_folded(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let [first, ..] = needle else {
        return Some(0);
    };
    if haystack.len() > SHORT {
        return find(&haystack.to_ascii_lowercase(), &needle.to_ascii_lowercase());
    }
    let starts = &haystack[..(haystack.len() + 1).checked_sub(needle.len())?];
    let is_it = |at: &usize| haystack[*at..*at + needle.len()].eq_ignore_ascii_case(needle);
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    memchr::memchr2_iter(lower, upper, starts).find(is_it)
}

/// Last occurrence of `needle`; the empty one is found at the end.
pub(crate) fn find_last(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    match needle {
        [] => Some(haystack.len()),
        [byte] => memchr::memrchr(*byte, haystack),
        [first, ..] if haystack.len() <= SHORT => {
            let starts = &haystack[..(haystack.len() + 1).checked_sub(needle.len())?];
            let is_it = |at: &usize| haystack[*at..].starts_with(needle);
            memchr::memrchr_iter(*first, starts).find(is_it)
        }
        _ => memmem::rfind(haystack, needle),
    }
}

/// As [`find_last`] with letters of either case.
fn find_last_folded(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let [first, ..] = needle else {
        return Some(haystack.len());
    };
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    if needle.len() == 1 {
        return memchr::memrchr2(lower, upper, haystack);
    }
    if haystack.len() > SHORT {
        return find_last(&haystack.to_ascii_lowercase(), &needle.to_ascii_lowercase());
    }
    let starts = &haystack[..(haystack.len() + 1).checked_sub(needle.len())?];
    let is_it = |at: &usize| haystack[*at..*at + needle.len()].eq_ignore_ascii_case(needle);
    memchr::memrchr2_iter(lower, upper, starts).find(is_it)
}

/// What is said of an offset or a length that leads out of the string.
const OUTSIDE: &str = "must be contained in argument #1 ($haystack)";

/// The place of an offset that counts from the end if it is negative; none if it is not within the string.
fn place(offset: i64, length: usize) -> Option<usize> {
    let start = if offset < 0 {
        offset.saturating_add(length as i64)
    } else {
        offset
    };
    (0..=length as i64)
        .contains(&start)
        .then_some(start as usize)
}

/// The first place, behind `start`, of what is looked for.
#[inline(always)]
fn first_of(
    search: impl Fn(&[u8], &[u8]) -> Option<usize>,
    haystack: &[u8],
    needle: &[u8],
    offset: i64,
) -> Option<Value> {
    let start = place(offset, haystack.len())?;
    Some(position(search(&haystack[start..], needle), start))
}

/// The last place, in the part that the offset leaves, of what is looked for.
#[inline(always)]
fn last_of(
    search: impl Fn(&[u8], &[u8]) -> Option<usize>,
    haystack: &[u8],
    needle: &[u8],
    offset: i64,
) -> Option<Value> {
    let (start, end) = range_from_end(offset, haystack.len(), needle.len())?;
    Some(position(search(&haystack[start..end], needle), start))
}

fn position(found: Option<usize>, base: usize) -> Value {
    found.map_or(Value::from(false), |at| (base + at).into())
}

/// What a function of three arguments gives, of which the third is an offset.
fn within(call: &mut Call<'_>, found: Option<Value>) -> PhpResult<Value> {
    found.ok_or_else(|| call.value_error(2, OUTSIDE))
}

direct! {
    fn strpos_directly(_; haystack: &[u8], needle: &[u8]; offset: i64 = 0) {
        first_of(find, haystack, needle, offset)
    }

    fn stripos_directly(_; haystack: &[u8], needle: &[u8]; offset: i64 = 0) {
        first_of(find_folded, haystack, needle, offset)
    }

    fn strrpos_directly(_; haystack: &[u8], needle: &[u8]; offset: i64 = 0) {
        last_of(find_last, haystack, needle, offset)
    }

    fn strripos_directly(_; haystack: &[u8], needle: &[u8]; offset: i64 = 0) {
        last_of(find_last_folded, haystack, needle, offset)
    }

    fn substr_count_directly(_; haystack: &[u8], needle: &[u8]) {
        (!needle.is_empty()).then(|| count_of(haystack, needle))
    }

    fn strspn_directly(_; string: &[u8], characters: &[u8]; offset: i64 = 0, length: Option<i64> = None) {
        length_of_span(span(string, offset, length), characters, true) as i64
    }

    fn strcspn_directly(_; string: &[u8], characters: &[u8]; offset: i64 = 0, length: Option<i64> = None) {
        length_of_span(span(string, offset, length), characters, false) as i64
    }

    fn strpbrk_directly(vm; string: &[u8], characters: &[u8]) {
        if characters.is_empty() {
            return None;
        }
        Some(match length_of_span(string, characters, false) {
            end if end == string.len() => Value::from(false),
            at => vm.string(&string[at..]).into(),
        })
    }

    fn stristr_directly(vm; haystack: &[u8], needle: &[u8]; before: bool = false) {
        part(vm, haystack, find_folded(haystack, needle), before)
    }

    fn strstr_directly(vm; haystack: &[u8], needle: &[u8]; before: bool = false) {
        part(vm, haystack, find(haystack, needle), before)
    }

    fn strrchr_directly(vm; haystack: &[u8], needle: &[u8]; before: bool = false) {
        let byte = needle.first().copied().unwrap_or(0);
        part(vm, haystack, memchr::memrchr(byte, haystack), before)
    }

    fn str_contains_directly(_; haystack: &[u8], needle: &[u8]) {
        find(haystack, needle).is_some()
    }

    fn str_starts_with_directly(_; haystack: &[u8], needle: &[u8]) {
        haystack.starts_with(needle)
    }

    fn str_ends_with_directly(_; haystack: &[u8], needle: &[u8]) {
        haystack.ends_with(needle)
    }
}

fn strpos(call: &mut Call<'_>) -> PhpResult<Value> {
    let found = first_of(find, call.bytes(0), call.bytes(1), call.long(2));
    within(call, found)
}

fn stripos(call: &mut Call<'_>) -> PhpResult<Value> {
    let found = first_of(find_folded, call.bytes(0), call.bytes(1), call.long(2));
    within(call, found)
}

/// The part of the haystack that a search from the end with this offset covers; none if the offset leads out of it.
fn range_from_end(offset: i64, length: usize, needle: usize) -> Option<(usize, usize)> {
    if offset >= 0 {
        return Some((place(offset, length)?, length));
    }
    let back = offset.unsigned_abs() as usize;
    let end = length.checked_sub(back)?;
    Some((0, (end + needle).min(length)))
}

fn strrpos(call: &mut Call<'_>) -> PhpResult<Value> {
    let found = last_of(find_last, call.bytes(0), call.bytes(1), call.long(2));
    within(call, found)
}

fn strripos(call: &mut Call<'_>) -> PhpResult<Value> {
    let found = last_of(find_last_folded, call.bytes(0), call.bytes(1), call.long(2));
    within(call, found)
}

/// The part of the haystack from (or before) the place that was found.
fn part(vm: &mut Vm, haystack: &[u8], found: Option<usize>, before: bool) -> Value {
    match found {
        Some(at) if before => vm.string(&haystack[..at]).into(),
        Some(at) => vm.string(&haystack[at..]).into(),
        None => false.into(),
    }
}

fn strstr(call: &mut Call<'_>) -> PhpResult<Value> {
    let haystack = call.bytes(0);
    let found = find(haystack, call.bytes(1));
    Ok(part(call.vm, haystack, found, call.bool(2)))
}

fn stristr(call: &mut Call<'_>) -> PhpResult<Value> {
    let haystack = call.bytes(0);
    let found = find_folded(haystack, call.bytes(1));
    Ok(part(call.vm, haystack, found, call.bool(2)))
}

fn strrchr(call: &mut Call<'_>) -> PhpResult<Value> {
    let haystack = call.bytes(0);
    let byte = call.bytes(1).first().copied().unwrap_or(0);
    let found = memchr::memrchr(byte, haystack);
    Ok(part(call.vm, haystack, found, call.bool(2)))
}

fn strpbrk(call: &mut Call<'_>) -> PhpResult<Value> {
    let (string, characters) = (call.bytes(0), call.bytes(1));
    if characters.is_empty() {
        return Err(call.value_error(1, "must be a non-empty string"));
    }
    let set = byte_set(characters);
    match string.iter().position(|&byte| set[byte as usize]) {
        Some(at) => text(call.vm, &string[at..]),
        None => Ok(false.into()),
    }
}

fn str_contains(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(find(call.bytes(0), call.bytes(1)).is_some().into())
}

fn str_starts_with(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.bytes(0).starts_with(call.bytes(1)).into())
}

fn str_ends_with(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.bytes(0).ends_with(call.bytes(1)).into())
}

fn substr_count(call: &mut Call<'_>) -> PhpResult<Value> {
    let (haystack, needle) = (call.bytes(0), call.bytes(1));
    if needle.is_empty() {
        return Err(call.value_error(1, "must not be empty"));
    }
    let start = place(call.long(2), haystack.len()).ok_or_else(|| call.value_error(2, OUTSIDE))?;
    let mut part = &haystack[start..];
    if let Some(length) = call.optional_long(3) {
        let length = if length < 0 {
            length.saturating_add(part.len() as i64)
        } else {
            length
        };
        if length < 0 || length > part.len() as i64 {
            return Err(call.value_error(3, OUTSIDE));
        }
        part = &part[..length as usize];
    }
    Ok(count_of(part, needle).into())
}

/// The set of the bytes that occur in `characters`.
pub(crate) const fn byte_set(characters: &[u8]) -> [bool; 256] {
    let mut set = [false; 256];
    let mut at = 0;
    while at < characters.len() {
        set[characters[at] as usize] = true;
        at += 1;
    }
    set
}

/// The part of a string that an offset and a length choose.
fn span(string: &[u8], offset: i64, length: Option<i64>) -> &[u8] {
    let whole = string.len() as i64;
    let start = if offset < 0 {
        offset.saturating_add(whole).max(0)
    } else {
        offset.min(whole)
    };
    let rest = whole - start;
    let count = match length {
        Some(count) if count < 0 => count.saturating_add(rest).max(0),
        Some(count) => count.min(rest),
        None => rest,
    };
    &string[start as usize..(start + count) as usize]
}

/// How many bytes at the start are among some, or are not.
fn length_of_span(part: &[u8], characters: &[u8], wanted: bool) -> usize {
    let found = match *characters {
        [one] if !wanted => memchr::memchr(one, part),
        [one, two] if !wanted => memchr::memchr2(one, two, part),
        [one, two, three] if !wanted => memchr::memchr3(one, two, three, part),
        _ => {
            let set = byte_set(characters);
            part.iter().position(|&byte| set[byte as usize] != wanted)
        }
    };
    found.unwrap_or(part.len())
}

fn strspn(call: &mut Call<'_>) -> PhpResult<Value> {
    let part = span(call.bytes(0), call.long(2), call.optional_long(3));
    Ok(length_of_span(part, call.bytes(1), true).into())
}

fn strcspn(call: &mut Call<'_>) -> PhpResult<Value> {
    let part = span(call.bytes(0), call.long(2), call.optional_long(3));
    Ok(length_of_span(part, call.bytes(1), false).into())
}

fn count_chars(call: &mut Call<'_>) -> PhpResult<Value> {
    let counted = counted(call.vm, call.bytes(0), call.long(1));
    counted.ok_or_else(|| call.value_error(1, "must be between 0 and 4 (inclusive)"))
}

direct! {
    fn count_chars_directly(vm; string: &[u8]; mode: i64 = 0) { counted(vm, string, mode) }
}

/// What `count_chars()` gives; none for a mode that there is not.
fn counted(vm: &mut Vm, string: &[u8], mode: i64) -> Option<Value> {
    /// A bit for each byte that is to be shown.
    type Shown = [u64; 4];
    let chosen = |found: Shown, inverted: bool| match inverted {
        true => found.map(|bits| !bits),
        false => found,
    };
    let bytes_of = |shown: Shown| {
        let quarters = (0u8..4).map(|quarter| quarter * 64).zip(shown);
        quarters.flat_map(|(first, mut bits)| {
            std::iter::from_fn(move || {
                let next = (bits != 0).then(|| first + bits.trailing_zeros() as u8);
                bits &= bits.wrapping_sub(1);
                next
            })
        })
    };
    match mode {
        0..=2 => {
            let mut counts = [0i64; 256];
            for &byte in string {
                counts[usize::from(byte)] += 1;
            }
            let is_shown = |byte: &u8| match mode {
                1 => counts[usize::from(*byte)] != 0,
                2 => counts[usize::from(*byte)] == 0,
                _ => true,
            };
            let shown = (0..=255u8).filter(is_shown);
            let mut result = crate::support::new_list(vm, shown.clone().count());
            let array = result.make_mut(vm);
            for byte in shown {
                array.set_long(i64::from(byte), counts[usize::from(byte)].into());
            }
            Some(result.into())
        }
        3 | 4 => {
            let mut found: Shown = [0; 4];
            for &byte in string {
                found[usize::from(byte / 64)] |= 1 << (byte % 64);
            }
            let mut bytes = [0; 256];
            let mut length = 0;
            for byte in bytes_of(chosen(found, mode == 4)) {
                bytes[length] = byte;
                length += 1;
            }
            Some(vm.string(&bytes[..length]).into())
        }
        _ => None,
    }
}

fn str_word_count(call: &mut Call<'_>) -> PhpResult<Value> {
    let string = call.bytes(0);
    let mode = call.long(1);
    let set = match call.optional_bytes(2) {
        Some(characters) => super::trim::character_set(call, characters)?,
        None => [false; 256],
    };
    if !(0..=2).contains(&mode) {
        return Err(call.value_error(1, "must be a valid format value"));
    }
    let mut rest = 0..string.len();
    // A hyphen or an apostrophe does not start the text, and a hyphen does not end it.
    if let Some(&first) = string.first()
        && (first == b'\'' && !set[b'\'' as usize] || first == b'-' && !set[b'-' as usize])
    {
        rest.start += 1;
    }
    if string.last() == Some(&b'-') && !set[b'-' as usize] && rest.end > rest.start {
        rest.end -= 1;
    }
    let is_word = |byte: u8| {
        byte.is_ascii_alphabetic() || set[byte as usize] || byte == b'\'' || byte == b'-'
    };
    let mut result = crate::support::new_list(call.vm, 0);
    let array = result.make_mut(call.vm);
    let mut count = 0i64;
    let mut at = rest.start;
    while at < rest.end {
        let length = string[at..rest.end]
            .iter()
            .take_while(|&&byte| is_word(byte))
            .count();
        if length == 0 {
            at += 1;
            continue;
        }
        let word = &string[at..at + length];
        let key = if mode == 1 { count } else { at as i64 };
        if mode != 0 {
            array.set_long(key, call.vm.string(word).into());
        }
        count += 1;
        at += length + 1;
    }
    Ok(if mode == 0 {
        count.into()
    } else {
        result.into()
    })
}
