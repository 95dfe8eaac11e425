//! The class `IntlDatePatternGenerator`: the pattern of a language for the fields that somebody wants to see.
//!
//! A language says patterns for common sets of fields. For another set the nearest one is taken, the lengths of its
//! fields are made those that are wanted, and what it lacks is appended.

mod fields;

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::{Call, class_flags};
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use self::fields::{Distance, Meaning, Skeleton, field};
use super::date;
use super::errors::{self, ILLEGAL_ARGUMENT, INVALID_CHARACTER, LastError};
use super::ident::{Ident, available, parent, resource_text};
use super::locale;
use super::native::{self, Held, Refused, State, held};
use super::pack::{Node, root};
use crate::support::text;

/// A pattern for a set of fields.
#[derive(Debug, Clone)]
struct Known {
    skeleton: Skeleton,
    pattern: String,
    /// The language says which fields it is for.
    is_stated: bool,
}

/// A generator.
#[derive(Debug, Clone)]
struct Generator {
    locale: String,
    known: Vec<Known>,
    /// The letter of hours.
    hour: char,
    problem: LastError,
}

impl Held for Generator {
    const CLASS: &str = "IntlDatePatternGenerator";
    const NOT_MADE: &str = "Found unconstructed IntlDatePatternGenerator";
    const NOT_CLONED: Option<&str> = Some("Cannot clone uninitialized IntlDatePatternGenerator");

    fn made(call: &mut Call<'_>) -> PhpResult<Result<Generator, Refused>> {
        errors::clear(call.vm);
        let given = call.optional_bytes(0).is_some();
        if given && let Some(problem) = locale::too_long(call, 0) {
            return Ok(Err(Refused(ILLEGAL_ARGUMENT, problem)));
        }
        let default = locale::default_locale(call.vm);
        let name = match given {
            true => locale::named(call, 0),
            false => default.clone(),
        };
        let valid = available(&Ident::of_tag(&name).base())
            .or_else(|| available(&Ident::of_tag(&default).base()));
        Ok(Ok(Generator::new(
            valid.unwrap_or_else(|| "root".to_owned()),
        )))
    }

    fn copied(&self) -> Option<Generator> {
        Some(self.clone())
    }

    fn problem(&mut self) -> &mut LastError {
        &mut self.problem
    }
}

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class IntlDatePatternGenerator")
    .flags(class_flags::NOT_SERIALIZABLE)
    .create_native(native::create::<Generator>)
    .methods(&[
        method(
            "public function __construct(?string $locale = null)",
            construct,
        ),
        method(
            "public static function create(?string $locale = null): ?IntlDatePatternGenerator",
            native::create_function::<Generator>,
        ),
        method(
            "public function getBestPattern(string $skeleton): string|false",
            best_pattern,
        ),
    ])];

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let refuse = |vm: &mut Vm, problem: &str| -> Thrown {
        let name = "IntlDatePatternGenerator::__construct";
        errors::constructor_failed(vm, name, ILLEGAL_ARGUMENT, problem)
    };
    let object = crate::spl::this(call);
    if let Some(State(Some(_))) = object.native::<State<Generator>>() {
        return Err(refuse(call.vm, "Cannot call constructor twice"));
    }
    native::construct_telling::<Generator>(call, |vm, Refused(_, problem)| refuse(vm, &problem))
}

fn best_pattern(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let (_object, generator) = held::<Generator>(call, 0)?;
    let Ok(skeleton) = std::str::from_utf8(call.bytes(0)) else {
        let problem = "Skeleton is not a valid UTF-8 string";
        return native::failed(call.vm, generator, INVALID_CHARACTER, problem);
    };
    let pattern = generator.best(skeleton);
    text(call.vm, pattern)
}

/// The best pattern of a locale for fields, as messages ask for it.
pub(super) fn best_for(locale: &str, skeleton: &str) -> String {
    Generator::new(locale.to_owned()).best(skeleton)
}

/// A part of a pattern: text as it stands, with its quotes, or a letter so often.
enum Part<'p> {
    Text(&'p str),
    Field(char, usize),
}

fn parts(pattern: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' => rest[1..].find('\'').map_or(rest.len(), |end| end + 2),
            letter if letter.is_ascii_alphabetic() => {
                let end = rest.find(|next| next != letter);
                end.unwrap_or(rest.len())
            }
            other => other.len_utf8(),
        };
        let (part, after) = rest.split_at(length);
        parts.push(match first.is_ascii_alphabetic() {
            true => Part::Field(first, length),
            false => Part::Text(part),
        });
        rest = after;
    }
    parts
}

fn letters(pattern: &str) -> Skeleton {
    Skeleton::of(parts(pattern).into_iter().filter_map(|part| match part {
        Part::Field(letter, count) => Some((letter, count)),
        Part::Text(_) => None,
    }))
}

/// What each field is called where languages say how it is appended.
const APPENDED: [&str; field::COUNT] = [
    "Era",
    "Year",
    "Quarter",
    "Month",
    "Week",
    "",
    "Day-Of-Week",
    "",
    "",
    "Day",
    "",
    "Hour",
    "Minute",
    "Second",
    "",
    "Timezone",
];

/// The fields alone.
const ALONE: &[&str] = &[
    "G", "y", "Q", "M", "w", "W", "E", "d", "D", "F", "a", "H", "m", "s", "S", "v",
];

/// The fields of dates; those of times are the others.
const DATE_FIELDS: u32 = (1 << field::DAY_PERIOD) - 1;

impl Generator {
    fn new(locale: String) -> Generator {
        let mut generator = Generator {
            hour: 'H',
            known: Vec::new(),
            problem: LastError::default(),
            locale,
        };
        for alone in ALONE {
            generator.add(alone, None);
        }
        for style in 0..4 {
            generator.add(&date::style_pattern(&generator.locale, style, -1), None);
            generator.add(&date::style_pattern(&generator.locale, -1, style), None);
        }
        let short = letters(&date::style_pattern(&generator.locale, -1, 3));
        if let Some((hour, _)) = short.letters[field::HOUR] {
            generator.hour = hour;
        }
        // What a locale says goes before what those say that it falls back on.
        let mut stated = Vec::new();
        let mut name = Some(generator.locale.clone());
        while let Some(own) = name {
            let path = ["main", &own, "calendar", "gregorian", "availableFormats"];
            let formats = root().find(&path);
            for (key, format) in formats.into_iter().flat_map(Node::entries) {
                if !stated.contains(&key) {
                    stated.push(key);
                    // What differs by the number of weeks is no pattern.
                    let pattern = format.text().unwrap_or_default();
                    generator.add(pattern, Some(letters(key)));
                }
            }
            name = parent(&own).map(str::to_owned);
        }
        generator
    }

    /// Adds a pattern, for the fields that are stated or for those that it has.
    fn add(&mut self, pattern: &str, stated: Option<Skeleton>) {
        let is_stated = stated.is_some();
        let skeleton = stated.unwrap_or_else(|| letters(pattern));
        if !is_stated
            && self
                .known
                .iter()
                .any(|known| known.skeleton.base() == skeleton.base())
        {
            return;
        }
        let added = Known {
            skeleton,
            pattern: pattern.to_owned(),
            is_stated,
        };
        let place = self
            .known
            .iter()
            .position(|known| known.skeleton == added.skeleton);
        match place {
            Some(place) if self.known[place].is_stated => {}
            Some(place) => self.known[place] = added,
            None => self.known.push(added),
        }
    }

    /// Letters that stand for what a language prefers, as the letters for that; and whether only the letter of hours is
    /// to be the preferred one.
    fn preferred(&self, skeleton: &str) -> (String, bool) {
        let (mut mapped, mut only_letter) = (String::new(), false);
        for part in parts(skeleton) {
            match part {
                Part::Field('j' | 'C', count) => {
                    let more = count - 1;
                    let period = if more < 2 { 1 } else { 3 + (more >> 1) };
                    if !matches!(self.hour, 'H' | 'k') {
                        mapped.push_str(&"a".repeat(period));
                    }
                    mapped.push_str(&self.hour.to_string().repeat(1 + (more & 1)));
                }
                Part::Field('J', count) => {
                    mapped.push_str(&"H".repeat(count));
                    only_letter = true;
                }
                Part::Field(letter, count) => mapped.push_str(&letter.to_string().repeat(count)),
                Part::Text(_) => {}
            }
        }
        (mapped, only_letter)
    }

    fn best(&self, skeleton: &str) -> String {
        let (mapped, only_letter) = self.preferred(skeleton);
        let search = Search {
            generator: self,
            wanted: letters(&mapped),
            only_letter,
        };
        search.best()
    }
}

/// What stands in front of fractions.
fn decimal_sign(locale: &str) -> &'static str {
    let path = ["NumberElements", "latn", "symbols", "decimal"];
    resource_text("main", locale, &path).unwrap_or(".")
}

/// A search for a pattern.
struct Search<'s> {
    generator: &'s Generator,
    wanted: Skeleton,
    only_letter: bool,
}

impl Search<'_> {
    /// The known pattern that comes nearest in some fields.
    fn nearest(&self, mask: u32) -> Option<(&Known, Distance)> {
        let mut best: Option<(&Known, Distance)> = None;
        for known in &self.generator.known {
            let distance = self.wanted.distance(&known.skeleton, mask);
            let is_better = best.is_none_or(|(_, least)| {
                distance.size < least.size
                    || distance.size == least.size && least.missing < distance.missing
            });
            if is_better {
                best = Some((known, distance));
            }
        }
        best
    }

    fn best(&self) -> String {
        let wanted = self.wanted.mask();
        if wanted == 0 {
            return String::new();
        }
        if let Some((known, distance)) = self.nearest(u32::MAX)
            && distance.is_complete()
        {
            return self.adjusted(&known.pattern, Some(known), false);
        }
        let date = self.appending(wanted & DATE_FIELDS);
        let time = self.appending(wanted & !DATE_FIELDS);
        if date.is_empty() || time.is_empty() {
            return date + &time;
        }
        let month = self.wanted.letters[field::MONTH].map_or(0, |(_, count)| count);
        let style = match month {
            4.. if self.wanted.letters[field::WEEKDAY].is_some() => 0,
            4.. => 1,
            3 => 2,
            _ => 3,
        };
        date::glue(&self.generator.locale, style)
            .replace("{1}", &date)
            .replace("{0}", &time)
    }

    /// A pattern for some fields: the nearest one, and what that lacks behind it.
    fn appending(&self, fields: u32) -> String {
        const SECONDS: u32 = 1 << field::SECOND | 1 << field::FRACTION;
        let Some((known, mut distance)) = self.nearest(fields).filter(|_| fields != 0) else {
            return String::new();
        };
        let mut pattern = self.adjusted(&known.pattern, known.is_stated.then_some(known), false);
        let mut before = 0;
        while distance.missing != 0 && distance.missing != before {
            before = distance.missing;
            if distance.missing & SECONDS == 1 << field::FRACTION && fields & SECONDS == SECONDS {
                pattern = self.adjusted(&pattern, None, true);
                distance.missing &= !(1 << field::FRACTION);
                continue;
            }
            let start = distance.missing;
            let Some((known, rest)) = self.nearest(start) else {
                break;
            };
            let more = self.adjusted(&known.pattern, known.is_stated.then_some(known), false);
            distance = rest;
            let found = start & !rest.missing;
            if found == 0 {
                break;
            }
            let top = 31 - found.leading_zeros() as usize;
            let (way, name) = self.way_to_append(top);
            pattern = way
                .replace("{2}", &name)
                .replace("{1}", &more)
                .replace("{0}", &pattern);
        }
        pattern
    }

    /// How a field is appended, and its name in quotes.
    fn way_to_append(&self, top: usize) -> (&str, String) {
        let path = ["calendar", "gregorian", "appendItems", APPENDED[top]];
        let way = resource_text("main", &self.generator.locale, &path);
        // The names of fields are not recorded; most ways do without.
        (way.unwrap_or("{0} ├{2}: {1}┤"), format!("'F{top}'"))
    }

    /// A pattern with fields as long as they are wanted.
    fn adjusted(&self, pattern: &str, stated: Option<&Known>, adds_fraction: bool) -> String {
        let mut target = String::new();
        for part in parts(pattern) {
            let (letter, count) = match part {
                Part::Text(text) => {
                    target.push_str(text);
                    continue;
                }
                Part::Field(letter, count) => (letter, count),
            };
            let meaning = Meaning::of(letter, count);
            let wanted = meaning.and_then(|meaning| self.wanted.letters[meaning.field]);
            let (Some(meaning), Some((wanted_letter, wanted_count))) = (meaning, wanted) else {
                target.push_str(&letter.to_string().repeat(count));
                continue;
            };
            if adds_fraction && meaning.field == field::SECOND {
                target.push_str(&letter.to_string().repeat(count));
                let fraction = self.wanted.letters[field::FRACTION].map_or(0, |(_, count)| count);
                target.push_str(decimal_sign(&self.generator.locale));
                target.push_str(&"S".repeat(fraction));
                continue;
            }
            let wanted_count = match wanted_letter {
                'E' if wanted_count < 3 => 3,
                _ => wanted_count,
            };
            let keeps_length = match meaning.field {
                field::HOUR | field::MINUTE | field::SECOND => true,
                _ if matches!(wanted_letter, 'c' | 'e') => false,
                own => stated.is_some_and(|known| {
                    let length = known.skeleton.letters[own].map_or(0, |(_, count)| count);
                    let is_number = known.skeleton.meaning(own).is_some_and(Meaning::is_number);
                    length == wanted_count || meaning.is_number() != is_number
                }),
            };
            let length = if keeps_length { count } else { wanted_count };
            let shown = match meaning.field {
                field::HOUR if self.only_letter => self.generator.hour,
                field::HOUR | field::MONTH | field::WEEKDAY => letter,
                field::YEAR if wanted_letter != 'Y' => letter,
                _ => wanted_letter,
            };
            target.push_str(&shown.to_string().repeat(length));
        }
        target
    }
}
