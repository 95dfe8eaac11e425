//! How texts are compared: what locales say and scripts set.

use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, Strength};
use icu_collator::preferences::{CollationCaseFirst, CollationNumericOrdering};
use icu_collator::{CollatorBorrowed, CollatorPreferences};
use icu_locale_core::Locale;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::Order;
use crate::intl::errors::ILLEGAL_ARGUMENT;
use crate::intl::ident::Ident;
use crate::intl::native::{failed, held};

const FRENCH: usize = 0;
const ALTERNATE: usize = 1;
const CASE_FIRST: usize = 2;
const CASE_LEVEL: usize = 3;
const STRENGTH: usize = 5;
const NUMERIC: usize = 7;
/// How many attributes there are.
const COUNT: usize = 8;

const DEFAULT: i64 = -1;
const OFF: i64 = 16;
const ON: i64 = 17;
const SHIFTED: i64 = 20;
const NON_IGNORABLE: i64 = 21;
const LOWER_FIRST: i64 = 24;
const UPPER_FIRST: i64 = 25;
const TERTIARY: i64 = 2;
const IDENTICAL: i64 = 15;

/// The attributes by their numbers; nothing is what the language does.
#[derive(Debug, Clone, Default)]
pub(super) struct Attributes([Option<i64>; COUNT]);

impl Attributes {
    /// What the name of a locale says.
    pub(super) fn of(ident: &Ident) -> Attributes {
        let mut attributes = Attributes::default();
        let mut note = |key, attribute: usize, values: &[(&str, i64)]| {
            let said = ident.keyword(key);
            let value = values.iter().find(|(name, _)| Some(*name) == said);
            attributes.0[attribute] = value.map(|(_, value)| *value);
        };
        let switch = [("yes", ON), ("no", OFF)];
        note("colnumeric", NUMERIC, &switch);
        note("colcaselevel", CASE_LEVEL, &switch);
        note("colbackwards", FRENCH, &switch);
        note(
            "colcasefirst",
            CASE_FIRST,
            &[("upper", UPPER_FIRST), ("lower", LOWER_FIRST), ("no", OFF)],
        );
        note(
            "colalternate",
            ALTERNATE,
            &[("shifted", SHIFTED), ("non-ignorable", NON_IGNORABLE)],
        );
        let strengths = [
            ("primary", 0),
            ("secondary", 1),
            ("tertiary", 2),
            ("quaternary", 3),
            ("identical", IDENTICAL),
        ];
        note("colstrength", STRENGTH, &strengths);
        attributes
    }

    /// A collator of a locale that compares so.
    pub(super) fn collator(&self, tag: &str) -> Option<CollatorBorrowed<'static>> {
        let locale = Locale::try_from_str(tag).unwrap_or(Locale::UNKNOWN);
        let mut preferences = CollatorPreferences::from(&locale);
        preferences.numeric_ordering = self.0[NUMERIC].map(|value| match value {
            ON => CollationNumericOrdering::True,
            _ => CollationNumericOrdering::False,
        });
        preferences.case_first = self.0[CASE_FIRST].map(|value| match value {
            UPPER_FIRST => CollationCaseFirst::Upper,
            LOWER_FIRST => CollationCaseFirst::Lower,
            _ => CollationCaseFirst::False,
        });
        let mut options = CollatorOptions::default();
        options.strength = self.0[STRENGTH].map(|value| match value {
            0 => Strength::Primary,
            1 => Strength::Secondary,
            TERTIARY => Strength::Tertiary,
            3 => Strength::Quaternary,
            _ => Strength::Identical,
        });
        options.alternate_handling = self.0[ALTERNATE].map(|value| match value {
            SHIFTED => AlternateHandling::Shifted,
            _ => AlternateHandling::NonIgnorable,
        });
        options.case_level = self.0[CASE_LEVEL].map(|value| match value {
            ON => CaseLevel::On,
            _ => CaseLevel::Off,
        });
        CollatorBorrowed::try_new(preferences, options).ok()
    }
}

/// The attribute that an argument names.
fn attribute(call: &mut Call<'_>, first: usize) -> Option<usize> {
    usize::try_from(call.long(first))
        .ok()
        .filter(|&attribute| attribute < COUNT)
}

pub(super) fn get(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, order) = held::<Order>(call, first)?;
    let Some(attribute) = attribute(call, first) else {
        return failed(
            call.vm,
            order,
            ILLEGAL_ARGUMENT,
            "Error getting attribute value",
        );
    };
    let resolved = order.collator.resolved_options();
    let usual = match attribute {
        ALTERNATE if resolved.alternate_handling == AlternateHandling::Shifted => SHIFTED,
        ALTERNATE => NON_IGNORABLE,
        STRENGTH => match resolved.strength {
            Strength::Primary => 0,
            Strength::Secondary => 1,
            Strength::Tertiary => TERTIARY,
            Strength::Quaternary => 3,
            _ => IDENTICAL,
        },
        _ => OFF,
    };
    Ok(order.attributes.0[attribute].unwrap_or(usual).into())
}

/// True if an attribute may have a value.
fn takes(attribute: usize, value: i64) -> bool {
    value == DEFAULT
        || match attribute {
            ALTERNATE => matches!(value, SHIFTED | NON_IGNORABLE),
            CASE_FIRST => matches!(value, OFF | LOWER_FIRST | UPPER_FIRST),
            STRENGTH => matches!(value, 0..=3 | IDENTICAL),
            _ => matches!(value, OFF | ON),
        }
}

pub(super) fn set(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, order) = held::<Order>(call, first)?;
    let value = call.long(first + 1);
    let attribute = attribute(call, first).filter(|&attribute| takes(attribute, value));
    let Some(attribute) = attribute else {
        return failed(
            call.vm,
            order,
            ILLEGAL_ARGUMENT,
            "Error setting attribute value",
        );
    };
    change(order, attribute, value);
    Ok(true.into())
}

fn change(order: &mut super::Order, attribute: usize, value: i64) {
    order.attributes.0[attribute] = (value != DEFAULT).then_some(value);
    if let Some(collator) = order.attributes.collator(&order.tag) {
        order.collator = collator;
    }
}

pub(super) fn get_strength(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, order) = held::<Order>(call, first)?;
    let strength = match order.collator.resolved_options().strength {
        Strength::Primary => 0,
        Strength::Secondary => 1,
        Strength::Tertiary => TERTIARY,
        Strength::Quaternary => 3,
        _ => IDENTICAL,
    };
    Ok(strength.into())
}

pub(super) fn set_strength(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, order) = held::<Order>(call, first)?;
    let strength = call.long(first);
    if takes(STRENGTH, strength) {
        change(order, STRENGTH, strength);
    }
    Ok(true.into())
}
