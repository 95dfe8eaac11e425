//! The class `Spoofchecker`: texts that look like others. The crate `unicode-security` has Unicode's tables of what looks
//! alike and which scripts a character belongs to; what is made of them is what ICU makes of them.

use std::any::Any;
use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;
use unicode_security::mixed_script::AugmentedScriptSet;
use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::{Call, class_flags};
use vm_runtime::limits;
use vm_runtime::object::NativeData;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::character::data::{property, value};
use super::errors::{self, INVALID_CHARACTER};
use super::letters;
use super::set::Set;

/// What is looked for; the numbers are ICU's.
mod check {
    pub(super) const SINGLE_SCRIPT_CONFUSABLE: i64 = 1;
    pub(super) const MIXED_SCRIPT_CONFUSABLE: i64 = 2;
    pub(super) const WHOLE_SCRIPT_CONFUSABLE: i64 = 4;
    pub(super) const RESTRICTION_LEVEL: i64 = 16;
    pub(super) const INVISIBLE: i64 = 32;
    pub(super) const CHARACTERS: i64 = 64;
    pub(super) const MIXED_NUMBERS: i64 = 128;
    pub(super) const HIDDEN_OVERLAY: i64 = 256;
    pub(super) const ALL: i64 = 0xffff;
}

/// How much scripts may be mixed; the numbers are ICU's.
mod level {
    pub(super) const ASCII: i64 = 0x1000_0000;
    pub(super) const SINGLE_SCRIPT: i64 = 0x2000_0000;
    pub(super) const HIGH: i64 = 0x3000_0000;
    pub(super) const MODERATE: i64 = 0x4000_0000;
    pub(super) const MINIMAL: i64 = 0x5000_0000;
    pub(super) const NONE: i64 = 0x6000_0000;
    pub(super) const ALL: [i64; 6] = [ASCII, SINGLE_SCRIPT, HIGH, MODERATE, MINIMAL, NONE];
}

/// Which of letters' foldings are added to a set, with the flag that spaces are read over.
const PATTERN_OPTIONS: [i64; 5] = [0, 1, 1 | 2, 1 | 4, 1 | 6];

/// What an object checks.
#[derive(Debug, Clone)]
struct Checker {
    checks: i64,
    level: i64,
    /// None if all are.
    allowed: Option<Set>,
}

impl NativeData for Checker {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut vm_runtime::vm::Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(self.clone()))
    }
}

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class Spoofchecker")
    .flags(class_flags::NOT_SERIALIZABLE)
    .create_native(|_, _| {
        Some(Box::new(Checker { checks: check::ALL, level: level::HIGH, allowed: None }))
    })
    .constants(&[
        "SINGLE_SCRIPT_CONFUSABLE = 1", "MIXED_SCRIPT_CONFUSABLE = 2", "WHOLE_SCRIPT_CONFUSABLE = 4", "ANY_CASE = 8",
        "SINGLE_SCRIPT = 16", "INVISIBLE = 32", "CHAR_LIMIT = 64", "ASCII = 268435456", "HIGHLY_RESTRICTIVE = 805306368",
        "MODERATELY_RESTRICTIVE = 1073741824", "MINIMALLY_RESTRICTIVE = 1342177280", "UNRESTRICTIVE = 1610612736",
        "SINGLE_SCRIPT_RESTRICTIVE = 536870912", "MIXED_NUMBERS = 128", "HIDDEN_OVERLAY = 256", "IGNORE_SPACE = 1",
        "CASE_INSENSITIVE = 2", "ADD_CASE_MAPPINGS = 4", "SIMPLE_CASE_INSENSITIVE = 6",
    ])
    .methods(&[
        method("public function __construct()", |_| Ok(Value::NULL)),
        method("tentative public function isSuspicious(string $string, &$errorCode = null): bool", |call| {
            let Ok(text) = std::str::from_utf8(call.bytes(0)) else {
                return invalid(call);
            };
            let found = checker(call).suspicious(text);
            answer(call, found, 1)
        }),
        method("tentative public function areConfusable(string $string1, string $string2, &$errorCode = null): bool", |call| {
            let (Ok(one), Ok(other)) = (std::str::from_utf8(call.bytes(0)), std::str::from_utf8(call.bytes(1))) else {
                return invalid(call);
            };
            let found = checker(call).confusable(one, other);
            answer(call, found, 2)
        }),
        method("tentative public function setAllowedLocales(string $locales): void", |call| {
            let locales = String::from_utf8_lossy(call.bytes(0)).into_owned();
            let scripts = locales.split(',').map(str::trim).filter(|locale| !locale.is_empty());
            let scripts = scripts.map(|locale| super::translit::script_of_locale(locale).unwrap_or("Latin"));
            let scripts: Vec<String> = scripts.map(|script| format!("[:{script}:]")).collect();
            let own = checker(call);
            own.allowed = match scripts.is_empty() {
                true => None,
                false => read_set(&format!("[{}[:Common:][:Inherited:]]", scripts.concat())),
            };
            own.checks |= check::CHARACTERS;
            Ok(Value::NULL)
        }),
        method("tentative public function setChecks(int $checks): void", |call| {
            let checks = call.long(0);
            // ICU's flag for more information means nothing here.
            if checks & !(check::ALL | 0x4000_0000) != 0 {
                let name = errors::name(errors::ILLEGAL_ARGUMENT);
                call.vm.function_warning(format!("({}) {name}", errors::ILLEGAL_ARGUMENT));
                return Ok(Value::NULL);
            }
            checker(call).checks = checks;
            Ok(Value::NULL)
        }),
        method("tentative public function setRestrictionLevel(int $level): void", |call| {
            let level = call.long(0);
            if !level::ALL.contains(&level) {
                let message = "must be one of Spoofchecker::ASCII, Spoofchecker::SINGLE_SCRIPT_RESTRICTIVE, Spoofchecker::HIGHLY_RESTRICTIVE, Spoofchecker::MODERATELY_RESTRICTIVE, Spoofchecker::MINIMALLY_RESTRICTIVE, or Spoofchecker::UNRESTRICTIVE";
                return Err(call.value_error(0, message));
            }
            let own = checker(call);
            own.level = level;
            own.checks |= check::RESTRICTION_LEVEL;
            Ok(Value::NULL)
        }),
        method("public function setAllowedChars(string $pattern, int $patternOptions = 0): void", |call| {
            let options = call.optional_long(1).unwrap_or(0);
            if !PATTERN_OPTIONS.contains(&options) {
                let message = "must be a valid pattern option, 0 or (SpoofChecker::IGNORE_SPACE|(<none> or SpoofChecker::CASE_INSENSITIVE or SpoofChecker::ADD_CASE_MAPPINGS or SpoofChecker::SIMPLE_CASE_INSENSITIVE))";
                return Err(call.value_error(1, message));
            }
            let pattern = String::from_utf8_lossy(call.bytes(0)).into_owned();
            let Some(set) = read_set(&pattern) else {
                return Err(call.value_error(0, "must be a valid regular expression character set pattern"));
            };
            let own = checker(call);
            own.allowed = Some(set);
            own.checks |= check::CHARACTERS;
            Ok(Value::NULL)
        }),
    ])];

fn read_set(pattern: &str) -> Option<Set> {
    let pattern: Vec<char> = pattern.chars().collect();
    let (set, end) = Set::parse(&pattern, 0, None)?;
    (end == pattern.len()).then_some(set)
}

fn checker<'c>(call: &Call<'c>) -> &'c mut Checker {
    let this = crate::spl::this(call);
    // SAFETY: I3: the frame keeps the object, and with it its native part, while the method runs.
    let own = unsafe { (*this.as_ptr()).native::<Checker>() };
    own.expect("a Spoofchecker has its native part from the beginning")
}

/// What was found goes to an argument.
fn answer(call: &mut Call<'_>, found: i64, at: usize) -> PhpResult<Value> {
    if call.count() > at {
        call.assign(at, found.into());
        call.vm.check()?;
    }
    Ok((found != 0).into())
}

fn invalid(call: &mut Call<'_>) -> PhpResult<Value> {
    let message = format!("({INVALID_CHARACTER}) {}", errors::name(INVALID_CHARACTER));
    call.vm.function_warning(message);
    Ok(true.into())
}

/// What a text looks like.
fn looks(text: &str) -> impl Iterator<Item = char> {
    skeleton(text).inspect(|_| limits::poll())
}

/// The scripts that all characters belong to.
fn scripts_of(characters: impl Iterator<Item = char>) -> AugmentedScriptSet {
    let mut scripts = AugmentedScriptSet::default();
    for character in characters {
        scripts.intersect_with(AugmentedScriptSet::for_char(character));
    }
    scripts
}

fn is_latin(character: char) -> bool {
    let mut latin = AugmentedScriptSet::for_char('a');
    latin.intersect_with(AugmentedScriptSet::for_char(character));
    !latin.is_empty()
}

impl Checker {
    fn suspicious(&self, text: &str) -> i64 {
        let is_allowed = |character: char| {
            self.allowed
                .as_ref()
                .is_none_or(|set| set.contains(character.into()))
        };
        let mut found = 0;
        let mut check = |number: i64, is_found: &dyn Fn() -> bool| {
            if self.checks & number != 0 && is_found() {
                found |= number;
            }
        };
        check(check::RESTRICTION_LEVEL, &|| {
            self.level_of(text) > self.level
        });
        check(check::MIXED_NUMBERS, &|| has_mixed_numbers(text));
        check(check::HIDDEN_OVERLAY, &|| has_hidden_overlay(text));
        check(check::CHARACTERS, &|| !letters(text).all(is_allowed));
        check(check::INVISIBLE, &|| has_repeated_marks(text));
        found
    }

    /// How much the scripts of a text are mixed.
    fn level_of(&self, text: &str) -> i64 {
        if self
            .allowed
            .as_ref()
            .is_some_and(|set| !letters(text).all(|character| set.contains(character.into())))
        {
            return level::NONE;
        }
        if text.is_ascii() {
            return level::ASCII;
        }
        if !scripts_of(letters(text)).is_empty() {
            return level::SINGLE_SCRIPT;
        }
        let others = scripts_of(letters(text).filter(|&character| !is_latin(character)));
        if others.hanb || others.jpan || others.kore {
            return level::HIGH;
        }
        // Letters that look like Latin ones are not mixed with them.
        let looks_latin = ['а', 'α', 'Ꭰ'].iter().any(|&letter| {
            let mut own = AugmentedScriptSet::for_char(letter);
            own.intersect_with(others);
            !own.is_empty()
        });
        match !others.is_empty() && !looks_latin {
            true => level::MODERATE,
            false => level::MINIMAL,
        }
    }

    /// In which way two texts look alike; 0 if they do not.
    fn confusable(&self, one: &str, other: &str) -> i64 {
        if !looks(one).eq(looks(other)) {
            return 0;
        }
        let [own, their] = [one, other].map(|text| scripts_of(letters(text)));
        let mut both = own;
        both.intersect_with(their);
        let found = match both.is_empty() {
            false => check::SINGLE_SCRIPT_CONFUSABLE,
            true if own.is_empty() || their.is_empty() => check::MIXED_SCRIPT_CONFUSABLE,
            true => check::MIXED_SCRIPT_CONFUSABLE | check::WHOLE_SCRIPT_CONFUSABLE,
        };
        found & self.checks
    }
}

/// Digits of several kinds.
fn has_mixed_numbers(text: &str) -> bool {
    let digit = |character: char| {
        let number = super::character::digit_of(character.into())?;
        Some(u32::from(character) - number)
    };
    let zeros: HashSet<u32> = letters(text).filter_map(digit).collect();
    zeros.len() > 1
}

/// A dot above a letter that has one already.
fn has_hidden_overlay(text: &str) -> bool {
    let has_dot = |letter: char| {
        matches!(letter, 'i' | 'j' | 'ı' | 'ȷ' | 'l')
            || value(property::SOFT_DOTTED, letter.into()) != 0
    };
    let mut is_dotted = false;
    for letter in letters(text) {
        if is_dotted && letter == '\u{307}' {
            return true;
        }
        if matches!(value(property::COMBINING_CLASS, letter.into()), 0 | 230) {
            let mut looks = [0; 4];
            let last = skeleton(letter.encode_utf8(&mut looks)).last();
            is_dotted = has_dot(letter) || last.is_some_and(has_dot);
        }
    }
    false
}

/// A mark that stands twice on one letter.
fn has_repeated_marks(text: &str) -> bool {
    const NONSPACING: u32 = 6;
    let mut marks = HashSet::new();
    letters(text).nfd().any(|character| {
        if value(property::CATEGORY, character.into()) != NONSPACING {
            marks.clear();
            return false;
        }
        !marks.insert(character)
    })
}
