//! Which encoding a text may be in.

use smallvec::SmallVec;
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::convert::encodings_argument;
use super::encoding::{BAD, Encoding, Kind, Order};
use super::{encoding_argument, encoding_directly, settings};
use crate::support::{Outcome, Plain, functions, static_text};

functions! {
    "mb_detect_encoding(string $string, array|string|null $encodings = null, bool $strict = false): string|false" => mb_detect_encoding,
    "mb_check_encoding(array|string|null $value = null, ?string $encoding = null): bool" => mb_check_encoding | mb_check_encoding_directly,
}

/// How unlikely a character is in real text.
fn demerits(character: u32) -> usize {
    match character {
        0x1_0000.. => 40,
        0x21..=0x2f => 6,
        _ if is_rare(character) => 30,
        _ => 1,
    }
}

/// A bit for each of the characters up to U+FFFF: whether PHP's estimate takes it for rare. Asked of PHP, by what it
/// takes `+…-` for, if that may be this character in UTF-7 or as many characters of ASCII.
static RARE: &[u8; 8192] = include_bytes!("rare.bits");

fn is_rare(character: u32) -> bool {
    RARE[character as usize / 8] & 1 << (character % 8) != 0
}

struct Candidate {
    encoding: &'static Encoding,
    bad: usize,
    demerits: f64,
}

/// The encoding that texts are most likely in. `strict` takes only one in which they are valid;
/// `ordered` prefers those in front.
pub(super) fn detect(
    texts: &[&[u8]],
    encodings: &[&'static Encoding],
    strict: bool,
    ordered: bool,
) -> Option<&'static Encoding> {
    // Ways to transfer text are no encodings of it, unless nothing else is asked for.
    let is_real = |encoding: &&'static Encoding| {
        !encoding.is_transfer() && !matches!(encoding.kind, Kind::SevenBit | Kind::EightBit)
    };
    let real: SmallVec<[&'static Encoding; 8]> =
        encodings.iter().copied().filter(is_real).collect();
    let encodings = match real.is_empty() {
        true => encodings,
        false => &real,
    };
    // In ASCII and UTF-8 the same bytes are the same characters: the first that has them all is the likeliest.
    let are_comparable = encodings
        .iter()
        .all(|encoding| matches!(encoding.kind, Kind::Ascii | Kind::Utf8));
    if are_comparable {
        let mut known = encodings.iter().copied();
        let valid = known.find(|encoding| texts.iter().all(|text| encoding.is_valid(text)));
        if valid.is_some() {
            return valid;
        }
    }
    let mut candidates: SmallVec<[Candidate; 8]> = SmallVec::new();
    for (index, &encoding) in encodings.iter().enumerate() {
        // The further back, the more must speak for it.
        let weight = if ordered {
            1.0 + 0.3 * index as f64 / encodings.len() as f64
        } else {
            1.0
        };
        let (mut bad, mut sum) = (0, 0);
        for bytes in texts {
            let is_checked = strict || matches!(encoding.kind, Kind::Utf7);
            if !encoding.is_transfer() && is_checked && !encoding.is_valid(bytes) {
                bad += 1;
            }
            let mark: &[u8] = match encoding.kind {
                Kind::Utf8 => b"\xef\xbb\xbf",
                Kind::Utf16(Order::Big) => b"\xfe\xff",
                Kind::Utf16(Order::Little) => b"\xff\xfe",
                _ => b"",
            };
            let bytes = bytes.strip_prefix(mark).unwrap_or(bytes);
            encoding.each_character(bytes, |character| match character {
                BAD => bad += 1,
                _ => sum += demerits(character),
            });
        }
        candidates.push(Candidate {
            encoding,
            bad,
            demerits: sum as f64 * weight,
        });
    }
    if candidates.iter().any(|candidate| candidate.bad == 0) {
        candidates.retain(|candidate| candidate.bad == 0);
    } else if strict {
        return None;
    }
    let least = |best: Candidate, other: Candidate| {
        let other_is_better = (other.bad, other.demerits) < (best.bad, best.demerits);
        if other_is_better { other } else { best }
    };
    candidates
        .into_iter()
        .reduce(least)
        .map(|best| best.encoding)
}

fn mb_detect_encoding(call: &mut Call<'_>) -> PhpResult<Value> {
    let encodings = if call.has(1) {
        encodings_argument(call, 1)?
    } else {
        settings::detect_order(call.vm)
    };
    let strict = if call.count() > 2 {
        call.bool(2)
    } else {
        settings::state(call.vm).detects_strictly
    };
    match detect(&[call.bytes(0)], &encodings, strict, true) {
        Some(encoding) => Ok(static_text(call.vm, encoding.name)),
        None => Ok(false.into()),
    }
}

/// True if all strings in a value are valid, keys too.
fn check(
    vm: &mut Vm,
    value: &Zval,
    encoding: &Encoding,
    open: &mut Vec<*const u8>,
) -> PhpResult<bool> {
    super::check_stack(vm)?;
    Ok(match value.view() {
        ValueKind::String(string) => encoding.is_valid(string.as_bytes()),
        ValueKind::Array(array) => {
            let address = std::ptr::from_ref(array).cast();
            if open.contains(&address) {
                vm.function_warning("Cannot not handle circular references");
                vm.check()?;
                return Ok(false);
            }
            open.push(address);
            for (key, value) in array.iter() {
                let key_is_valid = match key.to_value().string() {
                    Some(name) => encoding.is_valid(&name),
                    None => true,
                };
                if !key_is_valid || !check(vm, value, encoding, open)? {
                    return Ok(false);
                }
            }
            open.pop();
            true
        }
        ValueKind::Object(_) | ValueKind::Resource(_) => false,
        _ => true,
    })
}

fn mb_check_encoding_directly(
    vm: &mut Vm,
    _: &Zval,
    arguments: &[Zval],
    result: &mut Zval,
) -> bool {
    let Some((encoding, [text])) = encoding_directly(vm, arguments) else {
        return false;
    };
    let text = <&[u8]>::of(text);
    text.map(|text| encoding.is_valid(text)).store(result)
}

fn mb_check_encoding(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 1)?;
    if !call.has(0) {
        call.vm
            .function_deprecated("Calling mb_check_encoding() without argument is deprecated");
        call.vm.check()?;
        let illegal = settings::state(call.vm).illegal;
        return Ok((illegal == 0).into());
    }
    let value = call.value(0);
    Ok(check(call.vm, &value, encoding, &mut Vec::new())?.into())
}
