//! Names of characters.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::data::{self, LAST, Table, property};
use super::{character as character_of, with_character};
use crate::intl::errors::{self, ILLEGAL_ARGUMENT};
use crate::support::{Callback, text};

const ILLEGAL_CHARACTER: i64 = 12;

/// Which name is meant.
const MODERN: i64 = 0;
const EXTENDED: i64 = 2;
const ALIAS: i64 = 3;
const MOST: i64 = 3;

/// Names that were wrong and have stayed, and what they should have been.
const CORRECTIONS: &[(u32, &str)] = &[
    (0x01a2, "LATIN CAPITAL LETTER GHA"),
    (0x01a3, "LATIN SMALL LETTER GHA"),
];

/// What characters without a name are, by their category.
const KINDS: &[(u32, &str)] = &[(0, "unassigned"), (15, "control"), (17, "private use area")];

fn kind_of(character: u32) -> &'static str {
    if character & 0xfffe == 0xfffe || (0xfdd0..=0xfdef).contains(&character) {
        return "noncharacter";
    }
    match character {
        0xd800..=0xdbff => return "lead surrogate",
        0xdc00..=0xdfff => return "trail surrogate",
        _ => {}
    }
    let category = data::value(property::CATEGORY, character);
    let known = KINDS.iter().find(|(known, _)| *known == category);
    known.map_or("unknown", |(_, kind)| kind)
}

fn name_of(character: u32, choice: i64) -> String {
    match choice {
        ALIAS => {
            let known = CORRECTIONS.iter().find(|(known, _)| *known == character);
            known.map_or("", |(_, name)| name).to_owned()
        }
        MODERN | EXTENDED => {
            // What is newer than the other data has no name.
            let is_assigned = data::value(property::CATEGORY, character) != 0;
            let own = char::from_u32(character).filter(|_| is_assigned);
            match own.and_then(unicode_names2::name) {
                Some(name) => name.to_string(),
                None if choice == EXTENDED => format!("<{}-{character:04X}>", kind_of(character)),
                None => String::new(),
            }
        }
        _ => String::new(),
    }
}

pub(super) fn name(call: &mut Call<'_>) -> PhpResult<Value> {
    with_character(call, |call, character| {
        match call.optional_long(1).unwrap_or(MODERN) {
            choice @ MODERN..=MOST => text(call.vm, name_of(character, choice)),
            _ => errors::failed(
                call.vm,
                ILLEGAL_ARGUMENT,
                "Failure getting character name",
                Value::NULL,
            ),
        }
    })
}

pub(super) fn character(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let name = String::from_utf8_lossy(call.bytes(0)).to_ascii_uppercase();
    let choice = call.optional_long(1).unwrap_or(MODERN);
    let found = match choice {
        MODERN | EXTENDED => {
            let is_own = |found: &char| name_of(u32::from(*found), MODERN) == name;
            let found = unicode_names2::character(&name)
                .filter(is_own)
                .map(u32::from);
            found.or_else(|| extended(&name).filter(|_| choice == EXTENDED))
        }
        ALIAS => CORRECTIONS
            .iter()
            .find(|(_, own)| *own == name)
            .map(|(character, _)| *character),
        _ => None,
    };
    match found {
        Some(found) => Ok(i64::from(found).into()),
        None => errors::failed(call.vm, ILLEGAL_CHARACTER, "", Value::NULL),
    }
}

/// The character of a name like `<control-0007>`.
fn extended(name: &str) -> Option<u32> {
    let (kind, number) = name
        .strip_prefix('<')?
        .strip_suffix('>')?
        .rsplit_once('-')?;
    let character = u32::from_str_radix(number, 16)
        .ok()
        .filter(|character| *character <= LAST)?;
    kind_of(character)
        .eq_ignore_ascii_case(kind)
        .then_some(character)
}

pub(super) fn enumerate(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let (start, end) = match (character_of(&call.value(0)), character_of(&call.value(1))) {
        (Ok(start), Ok(end)) => (start, end),
        (Err(problem), _) | (_, Err(problem)) => {
            return errors::failed(call.vm, ILLEGAL_ARGUMENT, problem, false.into());
        }
    };
    let callback = Callback::new(call.vm, call.value(2));
    let choice = call.optional_long(3).unwrap_or(MODERN);
    for character in start..end {
        vm_runtime::limits::poll();
        let name = name_of(character, choice);
        if name.is_empty() {
            continue;
        }
        let name = text(call.vm, name)?;
        callback.call(call.vm, [i64::from(character).into(), choice.into(), name])?;
    }
    Ok(true.into())
}

pub(super) fn enumerate_types(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let callback = Callback::new(call.vm, call.value(0));
    let ranges = Table::of(property::CATEGORY)
        .into_iter()
        .flat_map(Table::ranges);
    for (first, last, category) in ranges {
        let range = [first, last + 1, category].map(|number| Value::from(i64::from(number)));
        callback.call(call.vm, range)?;
    }
    Ok(Value::NULL)
}
