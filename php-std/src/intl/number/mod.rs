//! The class `NumberFormatter`.

mod affix;
mod attributes;
pub(super) mod decimal;
pub(super) mod format;
mod parse;
mod pattern;
mod rules;
mod symbols;
mod table;

use vm_runtime::function::Call;
use vm_runtime::operators::value_name;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

pub(super) use table::{CLASSES, FUNCTIONS};

use self::decimal::rounding;
use self::format::{Format, Number};
use self::parse::{Failed, Reading};
use self::pattern::{Malformed, Settings};
use self::rules::Rules;
use self::symbols::{CURRENCY, ISO_CURRENCY};
use super::errors::{self, LastError, PARSE_ERROR, UNSUPPORTED};
use super::ident::{Ident, available, resource_text};
use super::locale;
use super::native::{self, Held, Refused, State, failed, held};
use crate::support::text;

pub(super) use self::symbols::{numbering_system, zero_digit};

pub(super) const PATTERN_DECIMAL: i64 = 0;
pub(super) const DECIMAL: i64 = 1;
pub(super) const STYLE_CURRENCY: i64 = 2;
pub(super) const PERCENT: i64 = 3;
const SCIENTIFIC: i64 = 4;
pub(super) const SPELLOUT: i64 = 5;
pub(super) const ORDINAL: i64 = 6;
pub(super) const DURATION: i64 = 7;
const PATTERN_RULEBASED: i64 = 9;
const ISO_STYLE: i64 = 10;
const ACCOUNTING: i64 = 12;

const TYPE_DEFAULT: i64 = 0;
const TYPE_INT32: i64 = 1;
const TYPE_INT64: i64 = 2;
const TYPE_DOUBLE: i64 = 3;
const TYPE_CURRENCY: i64 = 4;
/// What ICU says where there are no rules.
const NO_MEMORY: i64 = 7;

/// A formatter of numbers.
#[derive(Debug, Clone)]
pub(super) struct Formatter {
    format: Format,
    /// The rules that numbers are written by instead.
    rules: Option<Box<Rules>>,
    valid_locale: String,
    reading: Reading,
    problem: LastError,
}

impl Held for Formatter {
    const CLASS: &str = "NumberFormatter";
    const NOT_MADE: &str = "Found unconstructed NumberFormatter";
    const NOT_CLONED: Option<&str> = Some("Cannot clone uninitialized NumberFormatter");

    fn made(call: &mut Call<'_>) -> PhpResult<Result<Formatter, Refused>> {
        errors::clear(call.vm);
        if let Some(problem) = locale::too_long(call, 0) {
            return Ok(Err(Refused(errors::ILLEGAL_ARGUMENT, problem)));
        }
        let name = locale::named(call, 0);
        if !is_language(&Ident::of_tag(&name)) {
            return Err(call.value_error(0, &format!("\"{name}\" is invalid")));
        }
        let pattern = call.optional_bytes(2).unwrap_or_default();
        let Ok(pattern) = std::str::from_utf8(pattern) else {
            let problem = "numfmt_create: error converting pattern to UTF-16";
            return Ok(Err(Refused(errors::INVALID_CHARACTER, problem.to_owned())));
        };
        let style = call.long(1);
        let made = Formatter::new(call.vm, &name, style, pattern).map(|mut made| {
            // Some of what a locale says is always that of all, or that of the language if there is no such locale.
            let base = Ident::of_tag(&name).base();
            let is_own = style == PATTERN_DECIMAL
                || available(&base).is_some_and(|valid| valid.len() >= base.len());
            made.problem = LastError::warning(if is_own { -127 } else { -128 });
            made
        });
        Ok(made.map_err(|code| {
            let problem = "numfmt_create: number formatter creation failed";
            Refused(code, problem.to_owned())
        }))
    }

    fn copied(&self) -> Option<Formatter> {
        Some(self.clone())
    }

    fn problem(&mut self) -> &mut LastError {
        &mut self.problem
    }
}

/// True if there is such a language.
pub(super) fn is_language(ident: &Ident) -> bool {
    !ident.language.is_empty()
        && resource_text("lang", "en", &["Languages", &ident.language]).is_some()
}

impl Formatter {
    /// Shows whole numbers only, without what stands behind their points.
    pub(super) fn only_whole_digits(&mut self) {
        self.format.settings.least_fraction = 0;
        self.format.settings.most_fraction = 0;
        self.format.mode = rounding::DOWN;
    }

    pub(super) fn write(&self, number: &Number) -> String {
        match &self.rules {
            Some(rules) => rules.write(number),
            None => self.format.write(number, &self.format.currency),
        }
    }

    /// Takes another set of rules, if there is one of that name.
    pub(super) fn choose_rules(&mut self, name: &str) {
        if let Some(rules) = &mut self.rules {
            rules.choose(name);
        }
    }

    /// The number that a text begins with, whether it is a whole one, and its length.
    pub(super) fn read(&self, source: &str) -> Option<(f64, Option<i64>, usize)> {
        let parsed = self
            .format
            .parse(source, Reading::default(), &self.format.currency)
            .ok()?;
        Some((parsed.number, parsed.whole, parsed.length))
    }

    /// A formatter of a locale in a style, or by a pattern; else an error of ICU.
    pub(super) fn new(vm: &Vm, name: &str, style: i64, pattern: &str) -> Result<Formatter, i64> {
        let ident = Ident::of_tag(name);
        let valid = available(&ident.base())
            .or_else(|| available(&Ident::of_tag(&locale::default_locale(vm)).base()))
            .unwrap_or_else(|| "en".to_owned());
        let system = numbering_system(&ident, &valid);
        let usual = |name| symbols::pattern(&system, &valid, name);
        let rules = pattern;
        let iso_pattern = usual("currencyFormat").replace('¤', "¤¤");
        let pattern = match style {
            ISO_STYLE => &iso_pattern,
            PATTERN_DECIMAL => pattern,
            DECIMAL | SPELLOUT | ORDINAL | DURATION | PATTERN_RULEBASED => usual("decimalFormat"),
            STYLE_CURRENCY => usual("currencyFormat"),
            PERCENT => usual("percentFormat"),
            SCIENTIFIC => usual("scientificFormat"),
            ACCOUNTING => symbols::accounting_pattern(&system, &valid),
            _ => return Err(UNSUPPORTED),
        };
        let mut settings = Settings::of(pattern).map_err(|Malformed(code)| code)?;
        if pattern.is_empty() {
            settings.is_grouped = true;
        }
        let mut symbols = symbols::symbols(&system, &valid);
        let currency = symbols::currency_of(&Ident::of_tag(name));
        if let Some(code) = &currency {
            symbols[CURRENCY] = symbols::currency_symbol(&valid, code);
            symbols[ISO_CURRENCY] = code.clone();
        }
        let format = Format {
            settings,
            symbols,
            locale: valid.clone(),
            currency: currency.unwrap_or_else(|| "XXX".to_owned()),
            own_symbol: false,
            own_fraction: false,
            mode: rounding::HALF_EVEN,
        };
        let rules = match style {
            SPELLOUT => Rules::of_locale("SpelloutRules", &valid, &format),
            ORDINAL => Rules::of_locale("OrdinalRules", &valid, &format),
            DURATION => Rules::of_locale("DurationRules", &valid, &format),
            PATTERN_RULEBASED if rules.is_empty() => return Err(NO_MEMORY),
            PATTERN_RULEBASED => Some(Rules::of(rules, &valid, &format).ok_or(PARSE_ERROR)?),
            _ => None,
        };
        Ok(Formatter {
            format,
            rules: rules.map(Box::new),
            valid_locale: valid,
            reading: Reading::default(),
            problem: LastError::default(),
        })
    }
}

fn format_number(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let value = call.value(first);
    let kind = call.long(first + 1);
    let number = match (kind, value.view()) {
        (TYPE_DEFAULT, ValueKind::Long(number)) => Number::of_long(number),
        (TYPE_DEFAULT, ValueKind::Double(number)) => Number::of_double(number),
        (TYPE_INT32, _) => Number::of_long(i64::from(value.to_long(call.vm) as i32)),
        (TYPE_INT64, _) => Number::of_long(value.to_long(call.vm)),
        (TYPE_DOUBLE, ValueKind::Long(number)) => Number::of_double(number as f64),
        (TYPE_DOUBLE, ValueKind::Double(number)) => Number::of_double(number),
        (TYPE_CURRENCY, _) => {
            let other = match first {
                0 => "NumberFormatter::formatCurrency() method",
                _ => "numfmt_format_currency() function",
            };
            let problem =
                format!("cannot be NumberFormatter::TYPE_CURRENCY constant, use {other} instead");
            return Err(call.value_error(first + 1, &problem));
        }
        (TYPE_DEFAULT | TYPE_DOUBLE, _) => {
            let problem = format!("must be of type int|float, {} given", value_name(&value));
            return Err(call.type_error(first, &problem));
        }
        _ => return Err(wrong_type(call, first + 1)),
    };
    text(call.vm, formatter.write(&number))
}

fn wrong_type(call: &mut Call<'_>, index: usize) -> vm_runtime::vm::Thrown {
    call.value_error(index, "must be a NumberFormatter::TYPE_* constant")
}

fn format_currency(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let amount = Number::of_double(call.double(first));
    let code = String::from_utf8_lossy(call.bytes(first + 1)).to_ascii_uppercase();
    // No code at all stands for no currency.
    let code = match code.is_empty() {
        true => String::from("XXX"),
        false => code,
    };
    if code.chars().count() < 3 {
        return failed(
            call.vm,
            formatter,
            errors::ILLEGAL_ARGUMENT,
            "Number formatting failed",
        );
    }
    let code: String = code.chars().take(3).collect();
    if formatter.rules.is_some() {
        return text(call.vm, formatter.write(&amount));
    }
    let is_money = formatter.format.has_currency() || code != formatter.format.currency;
    text(call.vm, formatter.format.write_as(&amount, &code, is_money))
}

/// The text to read, from an offset that a script may have given.
fn parsed_text(call: &mut Call<'_>, index: usize, offset: usize) -> Option<(String, usize)> {
    let bytes = call.bytes(index);
    let start = match call.has(offset) {
        true => call
            .value(offset)
            .to_long(call.vm)
            .clamp(0, bytes.len() as i64) as usize,
        false => 0,
    };
    let text = std::str::from_utf8(bytes).ok()?;
    Some((text.get(start..)?.to_owned(), start))
}

/// Tells a script how far its text was read.
fn assign_offset(call: &mut Call<'_>, index: usize, end: usize) {
    if call.count() > index {
        call.assign(index, (end as i64).into());
    }
}

fn parse_number(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    if formatter.rules.is_some() {
        return failed(call.vm, formatter, UNSUPPORTED, "Number parsing failed");
    }
    let kind = call.long(first + 1);
    let Some((source, start)) = parsed_text(call, first, first + 2) else {
        return failed(
            call.vm,
            formatter,
            errors::INVALID_CHARACTER,
            "String conversion to UTF-16 failed",
        );
    };
    let code = formatter.format.currency.clone();
    let parsed = formatter.format.parse(&source, formatter.reading, &code);
    let length = match &parsed {
        Ok(parsed) => parsed.length,
        Err(Failed(length)) => *length,
    };
    let value = match (kind, parsed) {
        (TYPE_CURRENCY, _) => {
            let other = match first {
                0 => "NumberFormatter::parseCurrency() method",
                _ => "numfmt_parse_currency() function",
            };
            let problem =
                format!("cannot be NumberFormatter::TYPE_CURRENCY constant, use {other} instead");
            return Err(call.value_error(first + 1, &problem));
        }
        (TYPE_INT32 | TYPE_INT64 | TYPE_DOUBLE, Err(_)) => {
            assign_offset(call, first + 2, start + length);
            return failed(call.vm, formatter, PARSE_ERROR, "Number parsing failed");
        }
        (TYPE_DOUBLE, Ok(parsed)) => parsed.number.into(),
        (TYPE_INT32 | TYPE_INT64, Ok(parsed)) => {
            let (least, most) = match kind {
                TYPE_INT32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
                _ => (i64::MIN, i64::MAX),
            };
            let number = match parsed.whole {
                Some(number) => Some(number),
                None if parsed.number.is_nan() => Some(least),
                None if parsed.number.abs() < 9.2e18 => Some(parsed.number as i64),
                None => None,
            };
            match number.filter(|number| (least..=most).contains(number)) {
                Some(number) => number.into(),
                None => {
                    assign_offset(call, first + 2, start + length);
                    return failed(
                        call.vm,
                        formatter,
                        errors::INVALID_FORMAT,
                        "Number parsing failed",
                    );
                }
            }
        }
        _ => return Err(wrong_type(call, first + 1)),
    };
    assign_offset(call, first + 2, start + length);
    Ok(value)
}

fn parse_currency(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let Some((source, start)) = parsed_text(call, first, first + 2) else {
        return failed(
            call.vm,
            formatter,
            errors::INVALID_CHARACTER,
            "String conversion to UTF-16 failed",
        );
    };
    // Any currency whose sign or code stands there.
    let mut codes = vec![formatter.format.currency.clone()];
    let known = super::pack::root().find(&["curr", "en", "Currencies"]);
    let known = known.into_iter().flat_map(|known| known.entries());
    codes.extend(known.map(|(code, _)| code.to_owned()));
    let mut furthest = 0;
    if formatter.format.has_currency() {
        for code in codes {
            let mut by_code = formatter.format.clone();
            let found =
                by_code
                    .parse(&source, formatter.reading, &code)
                    .or_else(|Failed(length)| {
                        furthest = furthest.max(length);
                        by_code.own_symbol = true;
                        by_code.symbols[CURRENCY] = code.clone();
                        by_code.parse(&source, formatter.reading, &code)
                    });
            if let Ok(parsed) = found {
                assign_offset(call, first + 2, start + parsed.length);
                let code = text(call.vm, code)?;
                call.assign(first + 1, code);
                return Ok(parsed.number.into());
            }
        }
    } else if let Ok(parsed) = formatter.format.parse(&source, formatter.reading, "") {
        furthest = parsed.length;
    }
    assign_offset(call, first + 2, start + furthest);
    failed(call.vm, formatter, PARSE_ERROR, "Number parsing failed")
}

fn set_pattern(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let Ok(pattern) = std::str::from_utf8(call.bytes(first)) else {
        let problem = "Error converting pattern to UTF-16";
        return failed(call.vm, formatter, errors::INVALID_CHARACTER, problem);
    };
    let problem = "Error setting pattern value at line 0, offset 0";
    if formatter.rules.is_some() {
        return failed(call.vm, formatter, UNSUPPORTED, problem);
    }
    match Settings::of(pattern) {
        Ok(settings) => {
            formatter.format.settings = settings;
            formatter.format.own_fraction = false;
            Ok(true.into())
        }
        Err(Malformed(code)) => {
            // Only the formatter knows what it was.
            formatter.problem = errors::set(call.vm, errors::NO_ERROR, problem);
            formatter.problem.code = code;
            call.vm.check()?;
            Ok(false.into())
        }
    }
}

fn get_pattern(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    match &formatter.rules {
        Some(rules) => text(call.vm, rules.description()),
        None => text(call.vm, formatter.format.pattern()),
    }
}

fn get_locale(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    match call.long(first) {
        0 | 1 => text(call.vm, &formatter.valid_locale),
        _ => failed(
            call.vm,
            formatter,
            errors::ILLEGAL_ARGUMENT,
            "Error getting locale",
        ),
    }
}

/// The last problem of a formatter, which looking at does not forget.
fn problem(call: &mut Call<'_>, first: usize) -> PhpResult<LastError> {
    let object = match first {
        0 => crate::spl::this(call),
        _ => call.object(0),
    };
    let state = object
        .native::<State<Formatter>>()
        .and_then(|state| state.0.as_ref());
    Ok(state
        .map(|formatter| formatter.problem.clone())
        .unwrap_or_default())
}

fn get_error_code(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    Ok(problem(call, first)?.code.into())
}

fn get_error_message(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let message = problem(call, first)?.text();
    text(call.vm, message)
}
