//! The class `IntlChar`: what there is to know of a character.

mod constants;
pub(super) mod data;
mod names;

use unicode_normalization::UnicodeNormalization;
use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::{Call, NativeDefinition};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use self::constants::CONSTANTS;
use self::data::{LAST, property};
use super::errors::{self, ILLEGAL_ARGUMENT};
use crate::support::{list, text};

/// A method that says whether a character is one of a kind.
macro_rules! is {
    ($name:literal, $test:expr) => {
        method(
            concat!(
                "tentative public static function ",
                $name,
                "(int|string $codepoint): ?bool"
            ),
            |call| {
                let test: fn(u32) -> bool = $test;
                with_character(call, |_, character| Ok(test(character).into()))
            },
        )
    };
}

/// A method that gives another character, as an integer or a string as it was given.
macro_rules! other {
    ($name:literal, $table:expr) => {
        method(
            concat!(
                "tentative public static function ",
                $name,
                "(int|string $codepoint): string|int|null"
            ),
            |call| {
                with_character(call, |call, character| {
                    like_given(call, data::other($table, character))
                })
            },
        )
    };
}

/// A method that gives a number.
macro_rules! number {
    ($name:literal, $number:expr) => {
        method(
            concat!(
                "tentative public static function ",
                $name,
                "(int|string $codepoint): ?int"
            ),
            |call| {
                let number: fn(u32) -> i64 = $number;
                with_character(call, |_, character| Ok(number(character).into()))
            },
        )
    };
}

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class IntlChar")
    .constants(CONSTANTS)
    .methods(METHODS)];

static METHODS: &[NativeDefinition] = &[
    method(
        "tentative public static function hasBinaryProperty(int|string $codepoint, int $property): ?bool",
        |call| {
            with_character(call, |call, character| {
                let own = u32::try_from(call.long(1)).ok().filter(|own| *own < 0x1000);
                Ok(own
                    .is_some_and(|own| data::value(own, character) != 0)
                    .into())
            })
        },
    ),
    method(
        "tentative public static function charAge(int|string $codepoint): ?array",
        |call| {
            with_character(call, |call, character| {
                let age = i64::from(data::value(property::AGE, character));
                Ok(list(call.vm, [age / 16, age % 16, 0, 0].map(Value::from)))
            })
        },
    ),
    number!("charDigitValue", |character| i64::from(data::value(
        property::DIGIT,
        character
    )) - 1),
    number!("charDirection", |character| data::value(
        property::DIRECTION,
        character
    )
    .into()),
    method(
        "tentative public static function charFromName(string $name, int $type = IntlChar::UNICODE_CHAR_NAME): ?int",
        names::character,
    ),
    other!("charMirror", property::MIRROR),
    method(
        "tentative public static function charName(int|string $codepoint, int $type = IntlChar::UNICODE_CHAR_NAME): ?string",
        names::name,
    ),
    number!("charType", |character| data::value(
        property::CATEGORY,
        character
    )
    .into()),
    method(
        "tentative public static function chr(int|string $codepoint): ?string",
        |call| with_character(call, |call, character| text(call.vm, encoded(character))),
    ),
    method(
        "tentative public static function digit(int|string $codepoint, int $base = 10): int|false|null",
        |call| {
            with_character(call, |call, character| {
                match digit(character, call.optional_long(1).unwrap_or(10)) {
                    Some(digit) => Ok(digit.into()),
                    None => {
                        errors::failed(call.vm, ILLEGAL_ARGUMENT, "Invalid digit", false.into())
                    }
                }
            })
        },
    ),
    method(
        "tentative public static function enumCharNames(int|string $start, int|string $end, callable $callback, int $type = IntlChar::UNICODE_CHAR_NAME): bool",
        names::enumerate,
    ),
    method(
        "tentative public static function enumCharTypes(callable $callback): void",
        names::enumerate_types,
    ),
    method(
        "tentative public static function foldCase(int|string $codepoint, int $options = IntlChar::FOLD_CASE_DEFAULT): string|int|null",
        |call| {
            with_character(call, |call, character| {
                let is_turkic = call.optional_long(1).unwrap_or(0) & 1 != 0;
                let folded = match char::from_u32(character) {
                    Some('I') if is_turkic => u32::from('ı'),
                    Some('İ') if is_turkic => u32::from('i'),
                    _ => data::other(property::FOLDED, character),
                };
                like_given(call, folded)
            })
        },
    ),
    method(
        "tentative public static function forDigit(int $digit, int $base = 10): int",
        |call| {
            errors::clear(call.vm);
            let base = call.optional_long(1).unwrap_or(10);
            let digit = u32::try_from(call.long(0))
                .ok()
                .filter(|digit| (2..=36).contains(&base) && i64::from(*digit) < base);
            let character = digit.and_then(|digit| char::from_digit(digit, base as u32));
            Ok(i64::from(character.map_or(0, u32::from)).into())
        },
    ),
    other!("getBidiPairedBracket", property::BRACKET),
    number!("getBlockCode", |character| data::value(
        property::BLOCK,
        character
    )
    .into()),
    number!("getCombiningClass", |character| data::value(
        property::COMBINING_CLASS,
        character
    )
    .into()),
    method(
        "tentative public static function getFC_NFKC_Closure(int|string $codepoint): string|false|null",
        |call| with_character(call, |call, character| text(call.vm, closure(character))),
    ),
    method(
        "tentative public static function getIntPropertyMaxValue(int $property): int",
        |call| {
            let own = u32::try_from(call.long(0))
                .ok()
                .filter(|own| *own < property::CATEGORY_MASK);
            Ok(own.and_then(data::largest).map_or(-1, i64::from).into())
        },
    ),
    method(
        "tentative public static function getIntPropertyMinValue(int $property): int",
        |_| Ok(0i64.into()),
    ),
    method(
        "tentative public static function getIntPropertyValue(int|string $codepoint, int $property): ?int",
        |call| {
            with_character(call, |call, character| {
                let value = match u32::try_from(call.long(1)) {
                    Ok(property::CATEGORY_MASK) => data::category_bit(character),
                    Ok(own) if own < property::CATEGORY_MASK => data::value(own, character),
                    _ => 0,
                };
                Ok(i64::from(value).into())
            })
        },
    ),
    method(
        "tentative public static function getNumericValue(int|string $codepoint): ?float",
        |call| {
            with_character(call, |_, character| {
                Ok(data::number(character).unwrap_or(-123_456_789.0).into())
            })
        },
    ),
    method(
        "tentative public static function getPropertyEnum(string $alias): int",
        |call| {
            let name = String::from_utf8_lossy(call.bytes(0));
            Ok(data::property_named(&name).map_or(-1, i64::from).into())
        },
    ),
    method(
        "tentative public static function getPropertyName(int $property, int $type = IntlChar::LONG_PROPERTY_NAME): string|false",
        |call| {
            let own = u32::try_from(call.long(0)).ok();
            let choice = usize::try_from(call.optional_long(1).unwrap_or(1)).ok();
            let found = own
                .zip(choice)
                .and_then(|(own, choice)| data::property_name(own, choice));
            text_or_false(call, found)
        },
    ),
    method(
        "tentative public static function getPropertyValueEnum(int $property, string $name): int",
        |call| {
            let name = String::from_utf8_lossy(call.bytes(1));
            let own = u32::try_from(call.long(0)).ok();
            Ok(own
                .and_then(|own| data::value_named(own, &name))
                .map_or(-1, i64::from)
                .into())
        },
    ),
    method(
        "tentative public static function getPropertyValueName(int $property, int $value, int $type = IntlChar::LONG_PROPERTY_NAME): string|false",
        |call| {
            let [own, value] = [0, 1].map(|index| u32::try_from(call.long(index)).ok());
            let choice = usize::try_from(call.optional_long(2).unwrap_or(1)).ok();
            let found = own
                .zip(value)
                .zip(choice)
                .and_then(|((own, value), choice)| data::value_name(own, value, choice));
            text_or_false(call, found)
        },
    ),
    method(
        "tentative public static function getUnicodeVersion(): array",
        |call| Ok(list(call.vm, [16i64, 0, 0, 0].map(Value::from))),
    ),
    is!("isalnum", |character| is_of(
        character,
        category::LETTER | category::DIGIT
    )),
    is!("isalpha", |character| is_of(character, category::LETTER)),
    is!("isbase", |character| is_of(
        character,
        category::LETTER | category::NUMBER | category::ENCLOSING | category::SPACING
    )),
    is!("isblank", |character| match character {
        0..=0x9f => matches!(character, 9 | 0x20),
        _ => is_of(character, category::SPACE),
    }),
    is!("iscntrl", |character| is_of(
        character,
        category::CONTROL | category::FORMAT | category::LINE | category::PARAGRAPH
    )),
    is!("isdefined", |character| !is_of(
        character,
        category::UNASSIGNED
    )),
    is!("isdigit", |character| is_of(character, category::DIGIT)),
    is!("isgraph", |character| !is_of(
        character,
        category::INVISIBLE | category::SEPARATOR
    )),
    is!("isIDIgnorable", is_ignorable),
    is!("isIDPart", |character| data::value(
        property::ID_CONTINUE,
        character
    ) != 0),
    is!("isIDStart", |character| data::value(
        property::ID_START,
        character
    ) != 0),
    is!("isISOControl", |character| is_iso_control(character)),
    is!("isJavaIDPart", |character| is_of(
        character,
        category::IN_NAME | category::CURRENCY
    ) || is_ignorable(character)),
    is!("isJavaIDStart", |character| is_of(
        character,
        category::LETTER | category::CURRENCY | category::CONNECTOR
    )),
    is!("isJavaSpaceChar", |character| is_of(
        character,
        category::SEPARATOR
    )),
    is!("islower", |character| is_of(character, category::LOWER)),
    is!("isMirrored", |character| data::value(
        property::MIRRORED,
        character
    ) != 0),
    is!("isprint", |character| !is_of(
        character,
        category::INVISIBLE | category::PRIVATE
    )),
    is!("ispunct", |character| is_of(
        character,
        category::PUNCTUATION
    )),
    is!("isspace", |character| is_of(character, category::SEPARATOR)
        || is_space_control(character)
        || character == 0x85),
    is!("istitle", |character| is_of(character, category::TITLE)),
    is!("isUAlphabetic", |character| data::value(
        property::ALPHABETIC,
        character
    ) != 0),
    is!("isULowercase", |character| data::value(
        property::LOWERCASE,
        character
    ) != 0),
    is!("isupper", |character| is_of(character, category::UPPER)),
    is!("isUUppercase", |character| data::value(
        property::UPPERCASE,
        character
    ) != 0),
    is!("isUWhiteSpace", |character| data::value(
        property::WHITE_SPACE,
        character
    ) != 0),
    is!("isWhitespace", |character| {
        let keeps_together = matches!(character, 0xa0 | 0x2007 | 0x202f);
        is_of(character, category::SEPARATOR) && !keeps_together || is_space_control(character)
    }),
    is!("isxdigit", |character| {
        let is_letter = |letter: u32| matches!(letter, 0x41..=0x46 | 0x61..=0x66);
        is_letter(character)
            || is_letter(character.wrapping_sub(0xfee0))
            || is_of(character, category::DIGIT)
    }),
    method(
        "tentative public static function ord(int|string $character): ?int",
        |call| with_character(call, |_, character| Ok(i64::from(character).into())),
    ),
    other!("tolower", property::TO_LOWER),
    other!("totitle", property::TO_TITLE),
    other!("toupper", property::TO_UPPER),
];

/// General categories, as bits.
mod category {
    pub(super) const UNASSIGNED: u32 = 1;
    pub(super) const UPPER: u32 = 1 << 1;
    pub(super) const LOWER: u32 = 1 << 2;
    pub(super) const TITLE: u32 = 1 << 3;
    pub(super) const LETTER: u32 = UPPER | LOWER | TITLE | 1 << 4 | 1 << 5;
    pub(super) const NONSPACING: u32 = 1 << 6;
    pub(super) const ENCLOSING: u32 = 1 << 7;
    pub(super) const SPACING: u32 = 1 << 8;
    pub(super) const DIGIT: u32 = 1 << 9;
    pub(super) const LETTER_NUMBER: u32 = 1 << 10;
    pub(super) const NUMBER: u32 = DIGIT | LETTER_NUMBER | 1 << 11;
    pub(super) const SPACE: u32 = 1 << 12;
    pub(super) const LINE: u32 = 1 << 13;
    pub(super) const PARAGRAPH: u32 = 1 << 14;
    pub(super) const SEPARATOR: u32 = SPACE | LINE | PARAGRAPH;
    pub(super) const CONTROL: u32 = 1 << 15;
    pub(super) const FORMAT: u32 = 1 << 16;
    pub(super) const PRIVATE: u32 = 1 << 17;
    pub(super) const SURROGATE: u32 = 1 << 18;
    pub(super) const CONNECTOR: u32 = 1 << 22;
    pub(super) const PUNCTUATION: u32 = 0x30f8_0000;
    pub(super) const CURRENCY: u32 = 1 << 25;
    /// Neither shown nor a space.
    pub(super) const INVISIBLE: u32 = CONTROL | FORMAT | SURROGATE | UNASSIGNED;
    /// What stands in names of a language.
    pub(super) const IN_NAME: u32 =
        LETTER | LETTER_NUMBER | DIGIT | CONNECTOR | SPACING | NONSPACING;
}

/// The value of a decimal digit.
pub(super) fn digit_of(character: u32) -> Option<u32> {
    data::value(property::DIGIT, character).checked_sub(1)
}

fn is_of(character: u32, categories: u32) -> bool {
    data::category_bit(character) & categories != 0
}

fn is_iso_control(character: u32) -> bool {
    matches!(character, 0..=0x1f | 0x7f..=0x9f)
}

fn is_space_control(character: u32) -> bool {
    matches!(character, 9..=0xd | 0x1c..=0x1f)
}

fn is_ignorable(character: u32) -> bool {
    match character {
        0..=0x9f => is_iso_control(character) && !is_space_control(character),
        _ => is_of(character, category::FORMAT),
    }
}

fn digit(character: u32, base: i64) -> Option<i64> {
    if !(2..=36).contains(&base) {
        return None;
    }
    // Letters, of ordinary width or full width, are digits from 10 on.
    let letter = match character {
        0xff21..=0xff5a => character - 0xfee0,
        character => character,
    };
    let decimal = i64::from(data::value(property::DIGIT, character)) - 1;
    let digit = match char::from_u32(letter).filter(char::is_ascii_alphabetic) {
        Some(letter) => letter.to_digit(36).map(i64::from)?,
        None => decimal,
    };
    (0..base).contains(&digit).then_some(digit)
}

/// What a folded character needs to stay folded when it is normalised; empty if it is nothing more.
fn closure(character: u32) -> String {
    let Some(character) = char::from_u32(character) else {
        return String::new();
    };
    let fold = |text: &str| {
        let mut folded = Vec::new();
        for letter in text.chars() {
            crate::mbstring::unicode::map(
                crate::mbstring::unicode::Mapping::Fold,
                letter.into(),
                &mut folded,
            );
        }
        let folded = folded.into_iter().filter_map(char::from_u32);
        folded.nfkc().collect::<String>()
    };
    let once = fold(&character.to_string());
    let twice = fold(&once);
    match once == twice {
        true => String::new(),
        false => twice,
    }
}

/// A character in UTF-8, surrogates as well.
fn encoded(character: u32) -> Vec<u8> {
    match char::from_u32(character) {
        Some(character) => character.to_string().into_bytes(),
        None => [12, 6, 0]
            .map(|shift| (character >> shift) as u8 & if shift == 12 { 0xf } else { 0x3f })
            .iter()
            .zip([0xe0, 0x80, 0x80])
            .map(|(bits, head)| bits | head)
            .collect(),
    }
}

/// The character that an argument is, or why there is none.
fn character(value: &Value) -> Result<u32, &'static str> {
    const OUT_OF_RANGE: &str = "Codepoint out of range";
    match value.view() {
        ValueKind::String(string) => {
            let bytes = string.as_bytes();
            let first = bytes.utf8_chunks().next();
            let valid = first.as_ref().map_or("", |chunk| chunk.valid());
            match valid.chars().next() {
                Some(character) if character.len_utf8() == bytes.len() => Ok(character.into()),
                None if first.is_some_and(|chunk| chunk.invalid().len() == bytes.len()) => {
                    Err(OUT_OF_RANGE)
                }
                _ => Err(
                    "Passing a UTF-8 character for codepoint requires a string which is exactly one UTF-8 codepoint long.",
                ),
            }
        }
        ValueKind::Long(number) => {
            let character = u32::try_from(number).ok();
            character
                .filter(|character| *character <= LAST)
                .ok_or(OUT_OF_RANGE)
        }
        _ => Err(OUT_OF_RANGE),
    }
}

/// Does something with the character that the first argument is; gives null if it is none.
fn with_character<'c>(
    call: &mut Call<'c>,
    then: impl FnOnce(&mut Call<'c>, u32) -> PhpResult<Value>,
) -> PhpResult<Value> {
    errors::clear(call.vm);
    match character(&call.value(0)) {
        Ok(character) => then(call, character),
        Err(problem) => errors::failed(call.vm, ILLEGAL_ARGUMENT, problem, Value::NULL),
    }
}

/// A character as the first argument was given: as a string or a number.
fn like_given(call: &mut Call<'_>, character: u32) -> PhpResult<Value> {
    match call.value(0).string() {
        Some(_) => text(call.vm, encoded(character)),
        None => Ok(i64::from(character).into()),
    }
}

fn text_or_false(call: &mut Call<'_>, found: Option<&str>) -> PhpResult<Value> {
    match found {
        Some(found) => text(call.vm, found),
        None => Ok(false.into()),
    }
}
