//! The class `IntlDateFormatter`.

mod format;
mod functions;
mod object;
mod parse;
mod pattern;
mod symbols;
mod table;

use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

pub(super) use functions::time_of;
pub(super) use symbols::{glue, pattern as style_pattern};
pub(super) use table::{CLASSES, FUNCTIONS};

use self::format::Writer;
use self::pattern::{Part, parts};
use super::calendar::{self, Kind};
use super::errors::{self, ILLEGAL_ARGUMENT, INVALID_CHARACTER, LastError, UNSUPPORTED};
use super::ident::Ident;
use super::native::{self, Held, Refused, State};
use super::zone::{self, IcuZone, names};
use super::{locale, number};

const NONE: i64 = -1;
const RELATIVE: i64 = 128;
const TRADITIONAL: i64 = 0;
const GREGORIAN: i64 = 1;

/// A formatter of dates.
#[derive(Clone)]
pub(super) struct Formatter {
    date_style: i64,
    time_style: i64,
    /// What a script said of the calendar; nothing if it gave one.
    said_calendar: Option<i64>,
    kept: calendar::Kept,
    language: names::Language,
    pattern: String,
    parts: Vec<Part>,
    lenient: bool,
    /// The pattern is that of the styles, one of which says days by how far away they are.
    is_relative: bool,
    problem: LastError,
}

impl Held for Formatter {
    const CLASS: &str = "IntlDateFormatter";
    const NOT_MADE: &str = "Found unconstructed IntlDateFormatter";
    const NOT_CLONED: Option<&str> = Some("Cannot clone uninitialized IntlDateFormatter");

    fn made(call: &mut Call<'_>) -> PhpResult<Result<Formatter, Refused>> {
        errors::clear(call.vm);
        let name = match call.has(0) {
            true => locale::named(call, 0),
            false => locale::default_locale(call.vm),
        };
        if !number::is_language(&Ident::of_tag(&name)) {
            return Err(call.value_error(0, &format!("\"{name}\" is invalid")));
        }
        let (date_style, time_style) = (call.long(1), call.long(2));
        if !is_style(date_style) {
            return Ok(refused(
                ILLEGAL_ARGUMENT,
                "datefmt_create: invalid date format style",
            ));
        }
        if !is_style(time_style) {
            return Ok(refused(
                ILLEGAL_ARGUMENT,
                "datefmt_create: invalid time format style",
            ));
        }
        if date_style >= RELATIVE && time_style >= RELATIVE {
            return Ok(refused(
                ILLEGAL_ARGUMENT,
                "datefmt_create: date formatter creation failed",
            ));
        }
        let (zone, kind, said, given) = match asked(call, 3, 4, &name)? {
            Ok(asked) => asked,
            Err(refused) => return Ok(Err(refused)),
        };
        let mut formatter = Formatter::new(call.vm, &name, (date_style, time_style), zone, kind);
        formatter.said_calendar = said;
        if let Some(given) = given {
            let zone = formatter.kept.calendar.zone.clone();
            formatter.kept.calendar = given.calendar;
            formatter.kept.calendar.set_zone(zone);
        }
        let pattern = call.optional_bytes(5).filter(|pattern| !pattern.is_empty());
        if let Some(pattern) = pattern {
            let Ok(pattern) = std::str::from_utf8(pattern) else {
                return Ok(refused(
                    INVALID_CHARACTER,
                    "datefmt_create: error converting pattern to UTF-16",
                ));
            };
            if !formatter.set_pattern(pattern.to_owned()) {
                return Ok(refused(
                    ILLEGAL_ARGUMENT,
                    "datefmt_create: error applying pattern",
                ));
            }
        }
        Ok(Ok(formatter))
    }

    fn copied(&self) -> Option<Formatter> {
        Some(self.clone())
    }

    fn problem(&mut self) -> &mut LastError {
        &mut self.problem
    }
}

/// True for styles of dates and times.
fn is_style(style: i64) -> bool {
    matches!(style, -1..=3 | 128..=131)
}

fn refused<T>(code: i64, message: &str) -> Result<T, Refused> {
    Err(Refused(code, message.to_owned()))
}

/// The zone and calendar that a script asks for.
type Asked = (IcuZone, Kind, Option<i64>, Option<calendar::Kept>);

/// The calendar in an argument, and the zone in another one, which goes before that of the calendar.
fn asked(
    call: &mut Call<'_>,
    zone_at: usize,
    calendar_at: usize,
    name: &str,
) -> PhpResult<Result<Asked, Refused>> {
    let (zone_value, value) = (call.value(zone_at), call.value(calendar_at));
    let mut given = None;
    let said = match value.view() {
        ValueKind::Null => Some(GREGORIAN),
        ValueKind::Long(number @ (TRADITIONAL | GREGORIAN)) => Some(number),
        ValueKind::Object(object) if object.native::<calendar::State>().is_some() => {
            given = object
                .native::<calendar::State>()
                .and_then(|state| state.0.clone());
            None
        }
        _ => {
            let problem = "datefmt_create: Invalid value for calendar type; it must be one of IntlDateFormatter::TRADITIONAL (locale's default calendar) or IntlDateFormatter::GREGORIAN. Alternatively, it can be an IntlCalendar object";
            return Ok(refused(ILLEGAL_ARGUMENT, problem));
        }
    };
    let zone = match (&given, zone_value.is_null()) {
        (Some(kept), true) => kept.calendar.zone.clone(),
        _ => match zone::quiet_of_value(call.vm, &zone_value, "datefmt_create")? {
            Ok(zone) => zone,
            Err(problem) => return Ok(refused(ILLEGAL_ARGUMENT, &problem)),
        },
    };
    let kind = match (&given, said) {
        (Some(kept), _) => Some(kept.calendar.kind),
        (None, Some(TRADITIONAL)) => {
            let usual = calendar::made(call.vm, name, zone.clone(), None, 0.0);
            usual.map(|kept| kept.calendar.kind)
        }
        _ => Some(Kind::Gregorian),
    };
    // How other calendars' dates are written is not built.
    match kind.filter(|kind| matches!(kind, Kind::Gregorian | Kind::Iso8601)) {
        Some(kind) => Ok(Ok((zone, kind, said, given))),
        None => Ok(refused(
            UNSUPPORTED,
            "datefmt_create: date formatter creation failed",
        )),
    }
}

impl Formatter {
    fn new(vm: &Vm, name: &str, (date, time): (i64, i64), zone: IcuZone, kind: Kind) -> Formatter {
        let kept = calendar::made(vm, name, zone, Some(kind), zone::now());
        let kept = kept.expect("a kind was said");
        let language = names::locale(vm, name);
        let plain = |style: i64| {
            if style >= RELATIVE {
                style - RELATIVE
            } else {
                style
            }
        };
        let pattern = symbols::pattern(&language.locale, plain(date), plain(time));
        Formatter {
            date_style: date,
            time_style: time,
            said_calendar: Some(GREGORIAN),
            kept,
            parts: parts(&pattern).unwrap_or_default(),
            language,
            pattern,
            lenient: true,
            is_relative: date >= RELATIVE,
            problem: LastError::default(),
        }
    }

    /// A formatter of Gregory's dates.
    pub(super) fn of_gregory(vm: &Vm, name: &str, styles: (i64, i64), zone: IcuZone) -> Formatter {
        Formatter::new(vm, name, styles, zone, Kind::Gregorian)
    }

    /// False, and nothing is changed, if a pattern cannot be understood.
    pub(super) fn set_pattern(&mut self, pattern: String) -> bool {
        // What says how far days are away keeps the pattern of its style.
        if self.is_relative {
            return true;
        }
        let Some(parts) = parts(&pattern) else {
            return false;
        };
        self.pattern = pattern;
        self.parts = parts;
        true
    }

    /// A time as text.
    pub(super) fn write(&mut self, time: f64) -> String {
        self.kept.calendar.set_time(time);
        if self.is_relative
            && let Some(text) = self.write_relative(time)
        {
            return text;
        }
        let mut writer = Writer {
            calendar: &mut self.kept.calendar,
            language: &self.language,
        };
        writer.write(&self.parts)
    }

    /// A day near today by its name, and the time.
    fn write_relative(&mut self, time: f64) -> Option<String> {
        use super::calendar::fields::JULIAN_DAY;
        let mut today = self.kept.calendar.clone();
        today.set_time(zone::now());
        let days = self.kept.calendar.get(JULIAN_DAY).ok()? - today.get(JULIAN_DAY).ok()?;
        let name = symbols::relative_day(&self.language.locale, days)?;
        if self.time_style == NONE {
            return Some(name.to_owned());
        }
        self.kept.calendar.set_time(time);
        let clock = symbols::pattern(&self.language.locale, NONE, self.time_style);
        let mut writer = Writer {
            calendar: &mut self.kept.calendar,
            language: &self.language,
        };
        let clock = writer.write(&parts(&clock)?);
        let glue = symbols::glue(&self.language.locale, self.date_style - RELATIVE);
        let glue = glue.replace('\'', "");
        Some(glue.replace("{1}", name).replace("{0}", &clock))
    }
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let constructor = "IntlDateFormatter::__construct";
    let tell = |vm: &mut Vm, Refused(code, problem): Refused| {
        errors::constructor_failed(vm, constructor, code, &problem)
    };
    let this = crate::spl::this(call);
    let state = this.native::<State<Formatter>>();
    if state.is_some_and(|state| state.0.is_some()) {
        let problem = "datefmt_create: cannot call constructor twice";
        let refused = Refused(ILLEGAL_ARGUMENT, problem.to_owned());
        return Err(tell(call.vm, refused));
    }
    native::construct_telling::<Formatter>(call, tell)
}
