//! `mb_trim()` and its halves.

use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::{convert, encoding_argument};
use crate::support::functions;

functions! {
    "mb_trim(string $string, ?string $characters = null, ?string $encoding = null): string" => mb_trim,
    "mb_ltrim(string $string, ?string $characters = null, ?string $encoding = null): string" => mb_ltrim,
    "mb_rtrim(string $string, ?string $characters = null, ?string $encoding = null): string" => mb_rtrim,
}

/// White space, as the functions take it when they are not told.
fn is_blank(character: u32) -> bool {
    matches!(
        character,
        0x00 | 0x09..=0x0d | 0x20 | 0x85 | 0xa0 | 0x1680 | 0x180e
            | 0x2000..=0x200a | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x3000
    )
}

fn trim(call: &mut Call<'_>, at_start: bool, at_end: bool) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 2)?;
    let characters = encoding.decode(call.bytes(0));
    let set = call.optional_bytes(1).map(|set| {
        let mut set = encoding.decode(set);
        set.sort_unstable();
        set.dedup();
        set
    });
    let goes = |character: &u32| {
        limits::poll();
        match &set {
            Some(set) => set.binary_search(character).is_ok(),
            None => is_blank(*character),
        }
    };
    let mut rest = characters.as_slice();
    while let [first, after @ ..] = rest
        && at_start
        && goes(first)
    {
        rest = after;
    }
    while let [before @ .., last] = rest
        && at_end
        && goes(last)
    {
        rest = before;
    }
    if rest.len() == characters.len() {
        return Ok(call.value(0));
    }
    convert::encoded(call.vm, encoding, rest)
}

fn mb_trim(call: &mut Call<'_>) -> PhpResult<Value> {
    trim(call, true, true)
}

fn mb_ltrim(call: &mut Call<'_>) -> PhpResult<Value> {
    trim(call, true, false)
}

fn mb_rtrim(call: &mut Call<'_>) -> PhpResult<Value> {
    trim(call, false, true)
}
