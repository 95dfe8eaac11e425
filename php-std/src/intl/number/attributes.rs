//! What scripts may set and ask of a formatter.

use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::Formatter;
use super::affix::quoted;
use super::format::Format;
use super::pattern::Padding;
use super::symbols::{self, COUNT, CURRENCY, ISO_CURRENCY};
use crate::intl::errors::{ILLEGAL_ARGUMENT, UNSUPPORTED};
use crate::intl::native::{failed, held};
use crate::support::text;

const PARSE_INT_ONLY: i64 = 0;
const GROUPING_USED: i64 = 1;
const DECIMAL_ALWAYS_SHOWN: i64 = 2;
const MAX_INTEGER_DIGITS: i64 = 3;
const MIN_INTEGER_DIGITS: i64 = 4;
const INTEGER_DIGITS: i64 = 5;
const MAX_FRACTION_DIGITS: i64 = 6;
const MIN_FRACTION_DIGITS: i64 = 7;
const FRACTION_DIGITS: i64 = 8;
const MULTIPLIER: i64 = 9;
const GROUPING_SIZE: i64 = 10;
const ROUNDING_MODE: i64 = 11;
const ROUNDING_INCREMENT: i64 = 12;
const FORMAT_WIDTH: i64 = 13;
const PADDING_POSITION: i64 = 14;
const SECONDARY_GROUPING_SIZE: i64 = 15;
const SIGNIFICANT_DIGITS_USED: i64 = 16;
const MIN_SIGNIFICANT_DIGITS: i64 = 17;
const MAX_SIGNIFICANT_DIGITS: i64 = 18;
const LENIENT_PARSE: i64 = 19;

/// So many digits that it is no limit.
const ALL_DIGITS: i32 = 341;

/// Texts that formatters by rules have: the set that they write by, and all sets.
const DEFAULT_RULESET: i64 = 6;
const PUBLIC_RULESETS: i64 = 7;

/// What formatters by rules have as well.
const GENERAL: &[i64] = &[
    MAX_INTEGER_DIGITS,
    MIN_INTEGER_DIGITS,
    INTEGER_DIGITS,
    MAX_FRACTION_DIGITS,
    MIN_FRACTION_DIGITS,
    FRACTION_DIGITS,
    ROUNDING_MODE,
];

/// What ICU says where a number may have any number of digits.
const NO_LIMIT: i64 = 2_000_000_000;

impl Format {
    /// The pattern, with what the currency adds.
    pub(super) fn pattern(&self) -> String {
        let mut settings = self.settings.clone();
        (settings.least_fraction, settings.most_fraction) = self.fraction(&self.currency);
        settings.pattern()
    }

    fn fix_fraction(&mut self) {
        if !self.own_fraction {
            (self.settings.least_fraction, self.settings.most_fraction) =
                self.fraction(&self.currency);
            self.own_fraction = true;
        }
    }

    /// An attribute; nothing if it is not set.
    fn attribute(&self, attribute: i64) -> Option<i64> {
        let settings = &self.settings;
        let (least, most) = self.fraction(&self.currency);
        Some(match attribute {
            GROUPING_USED => settings.is_grouped.into(),
            DECIMAL_ALWAYS_SHOWN => settings.always_point.into(),
            MAX_INTEGER_DIGITS => settings.most_whole.map_or(NO_LIMIT, i64::from),
            MIN_INTEGER_DIGITS | INTEGER_DIGITS => settings.least_whole.max(1).into(),
            MAX_FRACTION_DIGITS if most >= ALL_DIGITS => 0,
            MAX_FRACTION_DIGITS => most.into(),
            MIN_FRACTION_DIGITS | FRACTION_DIGITS => least.into(),
            MULTIPLIER => settings.multiplier,
            GROUPING_SIZE => settings.group.max(0).into(),
            ROUNDING_MODE => self.mode,
            FORMAT_WIDTH if settings.width <= 0 => return None,
            FORMAT_WIDTH => settings.width.into(),
            PADDING_POSITION => match settings.padding {
                Padding::BeforePrefix => 0,
                Padding::AfterPrefix => 1,
                Padding::BeforeSuffix => 2,
                Padding::AfterSuffix => 3,
            },
            SECONDARY_GROUPING_SIZE => settings.further_group.max(0).into(),
            SIGNIFICANT_DIGITS_USED => settings.significant.is_some().into(),
            MIN_SIGNIFICANT_DIGITS => settings.significant?.0.into(),
            MAX_SIGNIFICANT_DIGITS => settings.significant?.1.into(),
            _ => return None,
        })
    }

    fn set_attribute(&mut self, attribute: i64, value: i64) -> bool {
        let number = value.clamp(0, i64::from(i32::MAX)) as i32;
        // Fewer digits than none are as many as there are.
        let most_fraction = if value < 0 { ALL_DIGITS } else { number };
        match attribute {
            GROUPING_USED => self.settings.is_grouped = value != 0,
            DECIMAL_ALWAYS_SHOWN => self.settings.always_point = value != 0,
            MAX_INTEGER_DIGITS => {
                self.settings.most_whole = Some(number);
                self.settings.least_whole = self.settings.least_whole.min(number);
            }
            MIN_INTEGER_DIGITS => {
                self.settings.least_whole = number;
                self.settings.most_whole = self.settings.most_whole.map(|most| most.max(number));
            }
            INTEGER_DIGITS => {
                self.settings.least_whole = number;
                self.settings.most_whole = Some(number);
            }
            MAX_FRACTION_DIGITS => {
                self.fix_fraction();
                self.settings.most_fraction = most_fraction;
                self.settings.least_fraction = self.settings.least_fraction.min(number);
            }
            MIN_FRACTION_DIGITS => {
                self.fix_fraction();
                self.settings.least_fraction = number;
                self.settings.most_fraction = self.settings.most_fraction.max(number);
            }
            FRACTION_DIGITS => {
                self.own_fraction = true;
                self.settings.least_fraction = number;
                self.settings.most_fraction = most_fraction;
            }
            MULTIPLIER => self.settings.multiplier = if value == 0 { 1 } else { value },
            GROUPING_SIZE => self.settings.group = number,
            ROUNDING_MODE => self.mode = value,
            FORMAT_WIDTH => self.settings.width = number,
            PADDING_POSITION => {
                self.settings.padding = match value {
                    1 => Padding::AfterPrefix,
                    2 => Padding::BeforeSuffix,
                    3 => Padding::AfterSuffix,
                    _ => Padding::BeforePrefix,
                }
            }
            SECONDARY_GROUPING_SIZE => self.settings.further_group = number,
            SIGNIFICANT_DIGITS_USED => {
                let usual = self.settings.significant.unwrap_or((1, 6));
                self.settings.significant = (value != 0).then_some(usual);
            }
            MIN_SIGNIFICANT_DIGITS => {
                let most = self.settings.significant.map_or(number, |(_, most)| most);
                self.settings.significant = Some((number, most.max(number)));
            }
            MAX_SIGNIFICANT_DIGITS => {
                let least = self.settings.significant.map_or(1, |(least, _)| least);
                self.settings.significant = Some((least.min(number), number));
            }
            _ => return false,
        }
        true
    }

    /// Rounds to multiples of a number.
    fn set_increment(&mut self, increment: f64) {
        let decimal = super::decimal::Decimal::of_double(increment);
        let power = decimal.lowest().min(0);
        let number = decimal.digits.iter().fold(0u64, |number, &digit| {
            number.wrapping_mul(10).wrapping_add(digit.into())
        });
        let zeros = (decimal.lowest() - power).max(0) as u32;
        let number = number.saturating_mul(10u64.saturating_pow(zeros));
        self.settings.increment = (number > 0).then_some((number, power));
    }

    fn increment(&self) -> f64 {
        let shown = self
            .settings
            .increment
            .map(|(number, power)| format!("{number}e{power}"));
        shown.and_then(|shown| shown.parse().ok()).unwrap_or(0.0)
    }
}

pub(super) fn get(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let attribute = call.long(first);
    let is_by_rules = formatter.rules.is_some();
    let value = match attribute {
        PARSE_INT_ONLY => Some(formatter.reading.only_whole.into()),
        LENIENT_PARSE => Some(formatter.reading.is_lenient.into()),
        attribute if is_by_rules && !GENERAL.contains(&attribute) => None,
        ROUNDING_INCREMENT => return Ok(formatter.format.increment().into()),
        attribute => formatter.format.attribute(attribute),
    };
    match value {
        Some(value) => Ok(value.into()),
        None => failed(
            call.vm,
            formatter,
            UNSUPPORTED,
            "Error getting attribute value",
        ),
    }
}

pub(super) fn set(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let (attribute, value) = (call.long(first), call.value(first + 1));
    if formatter.rules.is_some() && attribute != LENIENT_PARSE && !GENERAL.contains(&attribute) {
        // Nobody minds.
        return Ok(true.into());
    }
    if attribute == ROUNDING_INCREMENT {
        let increment = match value.view() {
            ValueKind::Double(number) => number,
            ValueKind::Long(number) => number as f64,
            _ => 0.0,
        };
        formatter.format.set_increment(increment);
        return Ok(true.into());
    }
    let number = value.to_long(call.vm);
    let is_known = match attribute {
        PARSE_INT_ONLY => {
            formatter.reading.only_whole = number != 0;
            true
        }
        LENIENT_PARSE => {
            formatter.reading.is_lenient = number != 0;
            true
        }
        attribute => formatter.format.set_attribute(attribute, number),
    };
    match is_known {
        true => Ok(true.into()),
        false => failed(
            call.vm,
            formatter,
            UNSUPPORTED,
            "Error setting attribute value",
        ),
    }
}

pub(super) fn get_text(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let shown = &formatter.format;
    let value = match call.long(first) {
        attribute if let Some(rules) = &formatter.rules => match attribute {
            DEFAULT_RULESET => rules.chosen().to_owned(),
            PUBLIC_RULESETS => rules.names(),
            _ => {
                let problem = "Error getting attribute value";
                return failed(call.vm, formatter, UNSUPPORTED, problem);
            }
        },
        0 => shown.shown_affixes(false).0,
        1 => shown.shown_affixes(false).1,
        2 => shown.shown_affixes(true).0,
        3 => shown.shown_affixes(true).1,
        4 => shown.settings.pad.to_string(),
        5 => shown.currency.clone(),
        _ => {
            let problem = "Error getting attribute value";
            return failed(call.vm, formatter, UNSUPPORTED, problem);
        }
    };
    text(call.vm, value)
}

/// Makes what is shown for negative numbers a thing of its own.
fn own_negative(formatter: &mut Formatter) -> &mut (String, String) {
    let settings = &mut formatter.format.settings;
    let usual = (format!("-{}", settings.prefix), settings.suffix.clone());
    settings.negative.get_or_insert(usual)
}

pub(super) fn set_text(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let value = String::from_utf8_lossy(call.bytes(first + 1)).into_owned();
    if let Some(rules) = &mut formatter.rules {
        let is_known = call.long(first) == DEFAULT_RULESET;
        if is_known && rules.choose(&value) {
            return Ok(true.into());
        }
        let code = if is_known {
            ILLEGAL_ARGUMENT
        } else {
            UNSUPPORTED
        };
        return failed(call.vm, formatter, code, "Error setting text attribute");
    }
    match call.long(first) {
        0 => {
            own_negative(formatter);
            formatter.format.settings.prefix = quoted(&value);
        }
        1 => {
            own_negative(formatter);
            formatter.format.settings.suffix = quoted(&value);
        }
        2 => own_negative(formatter).0 = quoted(&value),
        3 => own_negative(formatter).1 = quoted(&value),
        4 => {
            formatter.format.settings.pad = value.chars().next().unwrap_or(' ');
            formatter.format.settings.has_pad = true;
        }
        5 if value.chars().count() == 3 => {
            let shown = &mut formatter.format;
            shown.currency = value.to_ascii_uppercase();
            shown.symbols[CURRENCY] = symbols::currency_symbol(&shown.locale, &shown.currency);
            shown.symbols[ISO_CURRENCY] = shown.currency.clone();
            shown.own_symbol = false;
        }
        5 => {
            let problem = "Error setting text attribute";
            return failed(call.vm, formatter, ILLEGAL_ARGUMENT, problem);
        }
        _ => {
            let problem = "Error setting text attribute";
            return failed(call.vm, formatter, UNSUPPORTED, problem);
        }
    }
    Ok(true.into())
}

/// The symbol that an argument names; false after a problem.
fn symbol(call: &mut Call<'_>, first: usize) -> Option<usize> {
    usize::try_from(call.long(first))
        .ok()
        .filter(|&symbol| symbol < COUNT)
}

pub(super) fn get_symbol(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    match symbol(call, first) {
        Some(_) if formatter.rules.is_some() => failed(
            call.vm,
            formatter,
            UNSUPPORTED,
            "Error getting symbol value",
        ),
        Some(symbol) => text(call.vm, &formatter.format.symbols[symbol]),
        None => {
            let problem = "numfmt_get_symbol: invalid symbol value";
            failed(call.vm, formatter, ILLEGAL_ARGUMENT, problem)
        }
    }
}

pub(super) fn set_symbol(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let Some(symbol) = symbol(call, first) else {
        let problem = "numfmt_set_symbol: invalid symbol value";
        return failed(call.vm, formatter, ILLEGAL_ARGUMENT, problem);
    };
    if formatter.rules.is_some() {
        return failed(
            call.vm,
            formatter,
            UNSUPPORTED,
            "Error setting symbol value",
        );
    }
    let value = String::from_utf8_lossy(call.bytes(first + 1)).into_owned();
    let shown = &mut formatter.format;
    shown.symbols[symbol] = value;
    if symbol == CURRENCY {
        shown.own_symbol = true;
    }
    Ok(true.into())
}
