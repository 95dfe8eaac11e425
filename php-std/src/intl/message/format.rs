//! Putting arguments into messages.

use std::collections::BTreeMap;

use vm_runtime::array::KeyRef;
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::pattern::{Kind, Part, Simple, plural_form};
use super::{Formatter, TYPE_MISMATCH};
use crate::intl::errors::{ILLEGAL_ARGUMENT, INVALID_CHARACTER};
use crate::intl::ident::{Ident, available};
use crate::intl::native::failed;
use crate::intl::number::{self, format::Number};
use crate::intl::{date, locale, patterns, zone};
use crate::support::text;

/// What an argument is used as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Text,
    Number,
    Date,
}

/// An argument as it is used.
enum Argument {
    Text(String),
    Number(f64),
    /// A whole number that may be too long for the other kind.
    Whole(i64),
    /// Milliseconds since 1970.
    Date(f64),
}

/// What the arguments of a message are used as; nothing if one is used as two things.
pub(super) fn uses(parts: &[Part], found: &mut BTreeMap<String, Use>) -> Option<()> {
    for part in parts {
        let Part::Argument(name, kind) = part else {
            continue;
        };
        let used = match kind {
            Kind::Plain | Kind::Select(_) => Use::Text,
            Kind::Simple(Simple::Date | Simple::Time, _) => Use::Date,
            _ => Use::Number,
        };
        if *found.entry(name.clone()).or_insert(used) != used {
            return None;
        }
        match kind {
            Kind::Plural { cases, .. } | Kind::Select(cases) => {
                for (_, parts) in cases {
                    uses(parts, found)?;
                }
            }
            Kind::Choice(cases) => {
                for (_, _, parts) in cases {
                    uses(parts, found)?;
                }
            }
            Kind::Plain | Kind::Simple(..) => {}
        }
    }
    Some(())
}

/// Arguments by their names, or what is wrong with one: a code, and words that may have any bytes in them.
type Arguments = Result<BTreeMap<String, Argument>, (i64, Vec<u8>)>;

/// The arguments that a script gives, or what is wrong with one.
fn arguments(
    call: &mut Call<'_>,
    index: usize,
    used: &BTreeMap<String, Use>,
) -> PhpResult<Arguments> {
    let mut found = BTreeMap::new();
    let values = call.array(index);
    for (key, value) in values.iter() {
        let key = match key {
            KeyRef::Long(key) if !(0..=i64::from(i32::MAX)).contains(&key) => {
                let problem = b"Found negative or too large array key".to_vec();
                return Ok(Err((ILLEGAL_ARGUMENT, problem)));
            }
            KeyRef::Long(key) => key.to_string(),
            KeyRef::String(key) => match std::str::from_utf8(key.as_bytes()) {
                Ok(key) => key.to_owned(),
                Err(_) => {
                    let start = b"Invalid UTF-8 data in argument key: '";
                    let problem = [&start[..], key.as_bytes(), b"'"].concat();
                    return Ok(Err((INVALID_CHARACTER, problem)));
                }
            },
        };
        let value = Value::share(value);
        let argument = match used.get(&key) {
            Some(Use::Date) => match date::time_of(call, &value, "msgfmt_format")? {
                Ok(time) => Argument::Date(time),
                Err(_) => {
                    let problem =
                        format!("The argument for key '{key}' cannot be used as a date or time");
                    return Ok(Err((ILLEGAL_ARGUMENT, problem.into_bytes())));
                }
            },
            Some(Use::Number) => match value.view() {
                ValueKind::Long(number) => Argument::Whole(number),
                _ => Argument::Number(value.to_double(call.vm)),
            },
            None if matches!(value.view(), ValueKind::Resource(_) | ValueKind::Array(_)) => {
                let problem = format!(
                    "No strategy to convert the value given for the argument with key '{key}' is available"
                );
                return Ok(Err((ILLEGAL_ARGUMENT, problem.into_bytes())));
            }
            _ => {
                let shown = crate::support::string_of(call.vm, &value)?;
                match std::str::from_utf8(shown.as_bytes()) {
                    Ok(shown) => Argument::Text(shown.to_owned()),
                    Err(_) => {
                        let start = b"Invalid UTF-8 data in string argument: '";
                        let problem = [&start[..], shown.as_bytes(), b"'"].concat();
                        return Ok(Err((INVALID_CHARACTER, problem)));
                    }
                }
            }
        };
        call.vm.check()?;
        found.insert(key, argument);
    }
    Ok(Ok(found))
}

pub(super) fn formatted(
    call: &mut Call<'_>,
    formatter: &mut Formatter,
    index: usize,
) -> PhpResult<Value> {
    let mut used = BTreeMap::new();
    if uses(&formatter.parts, &mut used).is_none() {
        let problem = "Inconsistent types declared for an argument";
        return failed(call.vm, formatter, TYPE_MISMATCH, problem);
    }
    let arguments = match arguments(call, index, &used)? {
        Ok(arguments) => arguments,
        Err((code, problem)) => return failed(call.vm, formatter, code, problem),
    };
    let zone = zone::default_zone(call.vm)?;
    let ident = Ident::of_tag(&formatter.locale);
    let known = available(&ident.base());
    let usual = || available(&Ident::of_tag(&locale::default_locale(call.vm)).base());
    let writer = Writer {
        vm: call.vm,
        name: &formatter.locale,
        locale: &known.or_else(usual).unwrap_or_else(|| "root".to_owned()),
        arguments: &arguments,
        zone,
    };
    let mut target = String::new();
    match writer.write(&formatter.parts, None, &mut target) {
        Some(()) => text(call.vm, target),
        None => failed(
            call.vm,
            formatter,
            ILLEGAL_ARGUMENT,
            "Call to ICU MessageFormat::format() has failed",
        ),
    }
}

struct Writer<'w> {
    vm: &'w Vm,
    /// The locale by the name that was given, and that there are resources of.
    name: &'w str,
    locale: &'w str,
    arguments: &'w BTreeMap<String, Argument>,
    zone: zone::IcuZone,
}

impl Writer<'_> {
    /// Writes a message; nothing if it cannot be done. In a plural there is a number that stands for `#`.
    fn write(&self, parts: &[Part], counted: Option<&Number>, target: &mut String) -> Option<()> {
        for part in parts {
            vm_runtime::limits::poll();
            match part {
                Part::Text(text) => target.push_str(text),
                Part::Number => match counted {
                    Some(number) => target.push_str(&self.number(number, "")?),
                    None => target.push('#'),
                },
                Part::Argument(name, kind) => self.argument(name, kind, target)?,
            }
        }
        Some(())
    }

    fn number(&self, number: &Number, style: &str) -> Option<String> {
        let (kind, pattern) = match style {
            "" | "integer" => (number::DECIMAL, ""),
            "percent" => (number::PERCENT, ""),
            "currency" => (number::STYLE_CURRENCY, ""),
            pattern => (number::PATTERN_DECIMAL, pattern),
        };
        let mut formatter = number::Formatter::new(self.vm, self.name, kind, pattern).ok()?;
        if style == "integer" {
            formatter.only_whole_digits();
        }
        Some(formatter.write(number))
    }

    fn argument(&self, name: &str, kind: &Kind, target: &mut String) -> Option<()> {
        let Some(argument) = self.arguments.get(name) else {
            // What is not given stays as it is.
            target.push_str(&format!("{{{name}}}"));
            return Some(());
        };
        match kind {
            Kind::Plain => match argument {
                Argument::Text(text) => target.push_str(text),
                argument => target.push_str(&self.number(&argument.number(), "")?),
            },
            Kind::Simple(Simple::Number, style) => {
                target.push_str(&self.number(&argument.number(), style)?)
            }
            Kind::Simple(Simple::ByRules(rules), style) => {
                let mut formatter = number::Formatter::new(self.vm, self.name, *rules, "").ok()?;
                formatter.choose_rules(style);
                target.push_str(&formatter.write(&argument.number()));
            }
            Kind::Simple(simple, style) => {
                let Argument::Date(time) = argument else {
                    return None;
                };
                target.push_str(&self.date(*time, *simple, style)?);
            }
            Kind::Select(cases) => {
                let Argument::Text(chosen) = argument else {
                    return None;
                };
                let of = |wanted: &str| cases.iter().find(|(name, _)| name == wanted);
                let (_, parts) = of(chosen).or_else(|| of("other"))?;
                self.write(parts, None, target)?;
            }
            Kind::Plural {
                ordinal,
                offset,
                cases,
            } => {
                let number = argument.double();
                let exact = cases.iter().find(|(name, _)| {
                    name.strip_prefix('=')
                        .and_then(|exact| exact.parse::<f64>().ok())
                        == Some(number)
                });
                let rest = match argument {
                    Argument::Whole(whole) if *offset == 0.0 => Number::of_long(*whole),
                    _ => Number::of_double(number - offset),
                };
                let shown = format!("{}", number - offset);
                let of = |wanted: &str| cases.iter().find(|(name, _)| name == wanted);
                let form =
                    || of(plural_form(self.locale, *ordinal, &shown)).or_else(|| of("other"));
                let (_, parts) = exact.or_else(form)?;
                self.write(parts, Some(&rest), target)?;
            }
            Kind::Choice(cases) => {
                let number = argument.double();
                let fits = |limit: f64, includes: bool| {
                    if includes {
                        number >= limit
                    } else {
                        number > limit
                    }
                };
                let chosen = cases
                    .iter()
                    .take_while(|(limit, includes, _)| fits(*limit, *includes))
                    .last();
                let (_, _, parts) = chosen.or_else(|| cases.first())?;
                self.write(parts, None, target)?;
            }
        }
        Some(())
    }

    fn date(&self, time: f64, simple: Simple, style: &str) -> Option<String> {
        let number = match style {
            "" | "medium" => Some(2),
            "short" => Some(3),
            "long" => Some(1),
            "full" => Some(0),
            _ => None,
        };
        let styles = match (simple, number) {
            (Simple::Date, Some(number)) => (number, -1),
            (_, Some(number)) => (-1, number),
            (_, None) => (2, 2),
        };
        let mut formatter =
            date::Formatter::of_gregory(self.vm, self.name, styles, self.zone.clone());
        let pattern = match style.strip_prefix("::") {
            Some(skeleton) => patterns::best_for(self.locale, skeleton),
            None => style.to_owned(),
        };
        if number.is_none() && !formatter.set_pattern(pattern) {
            return None;
        }
        Some(formatter.write(time))
    }
}

impl Argument {
    fn double(&self) -> f64 {
        match self {
            Argument::Number(number) | Argument::Date(number) => *number,
            Argument::Whole(number) => *number as f64,
            Argument::Text(text) => text.parse().unwrap_or(0.0),
        }
    }

    fn number(&self) -> Number {
        match self {
            Argument::Whole(number) => Number::of_long(*number),
            argument => Number::of_double(argument.double()),
        }
    }
}
