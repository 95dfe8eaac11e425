//! Which transliterators there are, and what their names mean.
//!
//! The file has the number of rules and the length of the list in front of them, then place and length of each, then the
//! list, then the rules. The list has a line for each transliterator: its name, how it is made (forward, in reverse, as
//! an alias), and the number of its rules or what it is an alias of; behind an empty line, the names that scripts are
//! told of. `data/record_transliterators.php` writes it.

use std::rc::Rc;
use std::sync::LazyLock;

use super::any::Any;
use super::builtin::Builtin;
use super::{Library, Part, Transliterator, What, parse};
use crate::intl::character::data::{property, value_named};
use crate::intl::set::{Set, begins, is_space};

static PACK: &[u8] = include_bytes!("../data/transliterators.pack");

/// How deep transliterators are made of others.
const DEEPEST: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Reverse,
}

fn word(at: usize) -> usize {
    let bytes = PACK[at..].first_chunk().expect("four bytes");
    u32::from_le_bytes(*bytes) as usize
}

fn list() -> &'static str {
    let start = 8 + 8 * word(0);
    std::str::from_utf8(&PACK[start..start + word(4)]).unwrap_or_default()
}

/// The names that scripts are told of.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let (_, names) = list().split_once("\n\n").unwrap_or_default();
    names.lines()
}

/// The lines of the list by the names of their transliterators, in lower case.
static LINES: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut lines = HashMap::default();
    for line in list().lines().take_while(|line| !line.is_empty()) {
        let name = line.split('\t').next().unwrap_or_default();
        lines.entry(name.to_ascii_lowercase()).or_insert(line);
    }
    lines
});

type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::FixedState>;

fn rules_of(number: usize) -> &'static str {
    let entry = 8 + 8 * number;
    let (start, length) = (word(entry), word(entry + 4));
    std::str::from_utf8(&PACK[start..start + length]).unwrap_or_default()
}

/// A name in its parts, with a filter in front of it.
#[derive(Debug, Default)]
struct Specification {
    filter: Option<Set>,
    filter_text: String,
    /// None if it is not said: then it is `Any`.
    source: Option<String>,
    target: String,
    variant: String,
}

const ANY: &str = "Any";

/// One transliterator that is asked for.
#[derive(Debug, Default)]
pub(super) struct Single {
    pub(super) filter: Option<Rc<Set>>,
    /// As it is shown.
    pub(super) shown: String,
    /// Source, target and variant; nothing is done if there are none.
    basic: Option<[String; 3]>,
}

/// What undoes transliterators whose name does not tell.
const INVERSES: &[(&str, &str)] = &[
    ("Null", "Null"),
    ("Upper", "Lower"),
    ("Lower", "Upper"),
    ("Title", "Lower"),
    ("NFC", "NFD"),
    ("NFD", "NFC"),
    ("NFKC", "NFKD"),
    ("NFKD", "NFKC"),
    ("FCC", "NFD"),
    ("FCD", "FCD"),
    ("Remove", "Null"),
];

impl Specification {
    fn is_of_any(&self) -> bool {
        self.source
            .as_ref()
            .is_none_or(|source| source.eq_ignore_ascii_case(ANY))
    }

    fn source(&self) -> &str {
        self.source.as_deref().unwrap_or(ANY)
    }

    fn with_variant(&self, mut name: String) -> String {
        if !self.variant.is_empty() {
            name += "/";
            name += &self.variant;
        }
        name
    }

    fn forward(&self) -> Single {
        let name = match &self.source {
            Some(source) => format!("{source}-{}", self.target),
            None => self.target.clone(),
        };
        self.single(name, [self.source(), &self.target])
    }

    fn backward(&self) -> Single {
        if let Some(inverse) = self.special_inverse() {
            let prefix = if self.source.is_some() { "Any-" } else { "" };
            return self.single(format!("{prefix}{inverse}"), [ANY, inverse]);
        }
        let name = format!("{}-{}", self.target, self.source());
        self.single(name, [&self.target, self.source()])
    }

    fn special_inverse(&self) -> Option<&'static str> {
        if !self.is_of_any() {
            return None;
        }
        let mut known = INVERSES.iter();
        if let Some((_, inverse)) = known.find(|(own, _)| own.eq_ignore_ascii_case(&self.target)) {
            return Some(inverse);
        }
        // To a script there is no way back.
        let name = format!("Any-{}", self.target);
        let is_script = value_named(property::SCRIPT, &self.target).is_some();
        (is_script && names().any(|own| own.eq_ignore_ascii_case(&name))).then_some("Null")
    }

    fn single(&self, name: String, [source, target]: [&str; 2]) -> Single {
        Single {
            filter: self.filter.clone().map(Rc::new),
            shown: format!("{}{}", self.filter_text, self.with_variant(name)),
            basic: Some([source.to_owned(), target.to_owned(), self.variant.clone()]),
        }
    }
}

fn skip_spaces(text: &[char], at: &mut usize) {
    while text.get(*at).copied().is_some_and(is_space) {
        *at += 1;
    }
}

fn take(text: &[char], at: &mut usize, wanted: char) -> bool {
    let mut behind = *at;
    skip_spaces(text, &mut behind);
    let is_there = text.get(behind) == Some(&wanted);
    if is_there {
        *at = behind + 1;
    }
    is_there
}

fn set_at(text: &[char], at: usize) -> Option<(Set, usize)> {
    let (set, mut end) = Set::parse(text, at, None)?;
    skip_spaces(text, &mut end);
    Some((set, end))
}

/// `[filter] source-target/variant`
fn specification(text: &[char], at: &mut usize, may_have_filter: bool) -> Option<Specification> {
    let mut found = Specification::default();
    skip_spaces(text, at);
    if may_have_filter && begins(text, *at) {
        let (set, end) = set_at(text, *at)?;
        found.filter_text = text[*at..end].iter().collect();
        found.filter = Some(set);
        *at = end;
    }
    let word = |at: &mut usize| {
        skip_spaces(text, at);
        let is_part = |next: &&char| next.is_alphanumeric() || **next == '_' || **next == '%';
        let word: String = text[*at..].iter().take_while(is_part).collect();
        *at += word.chars().count();
        (!word.is_empty()).then_some(word)
    };
    let first = word(at)?;
    if take(text, at, '-') {
        found.source = Some(first);
        found.target = word(at)?;
    } else {
        found.target = first;
    }
    if take(text, at, '/') {
        found.variant = word(at)?;
    }
    Some(found)
}

/// `A`, `A()`, `A(B)` or `(B)`, as one direction reads it.
pub(super) fn single(text: &[char], at: &mut usize, direction: Direction) -> Option<Single> {
    let mut own = None;
    if !take(text, at, '(') {
        own = Some(specification(text, at, true)?);
        if !take(text, at, '(') {
            return own.map(|own| match direction {
                Direction::Forward => own.forward(),
                Direction::Reverse => own.backward(),
            });
        }
    }
    let mut other = None;
    if !take(text, at, ')') {
        other = Some(specification(text, at, true)?);
        if !take(text, at, ')') {
            return None;
        }
    }
    let [own, other] = [own, other].map(|side| side.map(|side| side.forward()).unwrap_or_default());
    let (mut single, other) = match direction {
        Direction::Forward => (own, other),
        Direction::Reverse => (other, own),
    };
    single.shown += &format!("({})", other.shown);
    Some(single)
}

/// The name of a function in a rule.
pub(super) fn function(text: &[char], at: &mut usize) -> Option<Single> {
    let found = specification(text, at, true)?;
    skip_spaces(text, at);
    Some(found.forward())
}

/// A filter of all, where a statement has nothing else, in parentheses if it is one of the other direction.
pub(super) fn global_filter(text: &[char], at: usize) -> Option<(Set, bool, usize)> {
    let mut at = at;
    let is_inverse = take(text, &mut at, '(');
    skip_spaces(text, &mut at);
    if !begins(text, at) {
        return None;
    }
    let (set, end) = set_at(text, at)?;
    at = end;
    if is_inverse && !take(text, &mut at, ')') {
        return None;
    }
    skip_spaces(text, &mut at);
    matches!(text.get(at), None | Some(';')).then_some((set, is_inverse, at))
}

/// A transliterator by a name that may have several in a row; gives its name as it is shown, too.
pub(super) fn compound(
    library: &Library,
    name: &str,
    direction: Direction,
    depth: usize,
) -> Option<(Transliterator, String)> {
    let text: Vec<char> = name.chars().collect();
    let (mut at, mut filter, mut shown) = (0, None, String::new());
    let mut start = 0;
    skip_spaces(&text, &mut start);
    if begins(&text, start)
        && let Some((set, end)) = set_at(&text, start)
    {
        let mut behind = end;
        if take(&text, &mut behind, ';') {
            let pattern: String = text[start..end].iter().collect();
            at = behind;
            match direction {
                Direction::Forward => {
                    shown = format!("{pattern};");
                    filter = Some(set);
                }
                Direction::Reverse => shown = format!("({pattern});"),
            }
        }
    }
    let mut singles = Vec::new();
    let mut is_over = false;
    loop {
        let before = at;
        let Some(single) = single(&text, &mut at, direction) else {
            at = before;
            break;
        };
        match direction {
            Direction::Forward => singles.push(single),
            Direction::Reverse => singles.insert(0, single),
        }
        if !take(&text, &mut at, ';') {
            is_over = true;
            break;
        }
    }
    if singles.is_empty() {
        return None;
    }
    let names: Vec<&str> = singles.iter().map(|single| &*single.shown).collect();
    shown += &names.join(";");
    let mut behind = at;
    if !is_over && take(&text, &mut behind, '(') {
        skip_spaces(&text, &mut behind);
        let (set, end) = set_at(&text, behind)?;
        let pattern: String = text[behind..end].iter().collect();
        at = end;
        if !take(&text, &mut at, ')') {
            return None;
        }
        take(&text, &mut at, ';');
        match direction {
            Direction::Forward => shown += &format!("({pattern});"),
            Direction::Reverse => {
                shown.insert_str(0, &format!("{pattern};"));
                filter = Some(set);
            }
        }
    }
    skip_spaces(&text, &mut at);
    if at < text.len() {
        return None;
    }
    let parts = singles
        .iter()
        .map(|single| part_of(library, single, depth + 1));
    let transliterator = Transliterator {
        parts: parts.collect::<Option<Vec<Part>>>()?,
        filter: filter.map(Rc::new),
    };
    Some((transliterator, shown))
}

/// What a single name stands for.
pub(super) fn part_of(library: &Library, single: &Single, depth: usize) -> Option<Part> {
    if depth > DEEPEST {
        return None;
    }
    let what = match &single.basic {
        None => What::Builtin(Builtin::Null),
        Some([source, target, variant]) => find(library, source, target, variant, depth)?,
    };
    Some(Part {
        filter: single.filter.clone(),
        what,
    })
}

/// A name of a script or locale, and those that stand for it if there is nothing of that name.
fn candidates(name: &str) -> Vec<String> {
    let mut found = vec![name.to_owned()];
    if name.eq_ignore_ascii_case(ANY) {
        // ICU takes it for a language as well, which is written in Latin.
        found.push("Latin".to_owned());
        return found;
    }
    let script = |name: &str| {
        let script = value_named(property::SCRIPT, name)?;
        crate::intl::character::data::script_name(script)
    };
    if let Some(script) = script(name) {
        found.push(script.to_owned());
    }
    let mut locale = name;
    while let Some((parent, _)) = locale.rsplit_once('_') {
        found.push(parent.to_owned());
        locale = parent;
    }
    found.extend(script_of_language(locale).map(str::to_owned));
    found
}

/// The script that a locale is written in, as far as that is known.
pub(in crate::intl) fn script_of_locale(locale: &str) -> Option<&'static str> {
    let mut parts = locale.split(['_', '-']);
    let language = parts.next()?;
    let named = parts
        .find(|part| part.len() == 4)
        .and_then(|script| value_named(property::SCRIPT, script));
    let named = named.and_then(crate::intl::character::data::script_name);
    named.or_else(|| script_of_language(language))
}

/// The script that a language is written with, for those whose script has transliterators.
fn script_of_language(language: &str) -> Option<&'static str> {
    Some(match &*language.to_ascii_lowercase() {
        "ru" | "uk" | "be" | "bg" | "mk" | "sr" | "kk" | "ky" | "mn" | "tg" => "Cyrillic",
        "el" => "Greek",
        "ar" | "fa" | "ur" | "ps" => "Arabic",
        "he" => "Hebrew",
        "hi" | "mr" | "ne" | "sa" => "Devanagari",
        "bn" | "as" => "Bengali",
        "gu" => "Gujarati",
        "pa" => "Gurmukhi",
        "ta" => "Tamil",
        "te" => "Telugu",
        "kn" => "Kannada",
        "ml" => "Malayalam",
        "th" => "Thai",
        "ka" => "Georgian",
        "hy" => "Armenian",
        "ko" => "Hangul",
        "zh" => "Han",
        "am" | "ti" => "Ethiopic",
        "en" | "de" | "fr" | "es" | "it" | "pt" | "nl" | "sv" | "da" | "nb" | "fi" | "pl"
        | "cs" | "sk" | "hu" | "ro" | "tr" | "vi" | "hr" | "sl" | "et" | "lv" | "lt" => "Latin",
        _ => return None,
    })
}

fn find(
    library: &Library,
    source: &str,
    target: &str,
    variant: &str,
    depth: usize,
) -> Option<What> {
    let (sources, targets) = (candidates(source), candidates(target));
    if !variant.is_empty() {
        for source in &sources[..sources.len().min(2)] {
            for target in &targets[..targets.len().min(2)] {
                if let Some(found) = exactly(library, source, target, variant, depth) {
                    return found;
                }
            }
        }
    }
    let mut pairs = targets
        .iter()
        .flat_map(|target| sources.iter().map(move |source| (source, target)));
    let found = pairs.find_map(|(source, target)| exactly(library, source, target, "", depth))?;
    // What is for any script has no other variants than those that it is known with.
    found.filter(|what| variant.is_empty() || !matches!(what, What::Any(_)))
}

/// What a name stands for; the inner None is something that is known and could not be made.
fn exactly(
    library: &Library,
    source: &str,
    target: &str,
    variant: &str,
    depth: usize,
) -> Option<Option<What>> {
    let name = match variant {
        "" => format!("{source}-{target}"),
        variant => format!("{source}-{target}/{variant}"),
    };
    if let Some(builtin) = Builtin::named(&name) {
        return Some(Some(What::Builtin(builtin)));
    }
    let Some(&line) = LINES.get(&name.to_ascii_lowercase()) else {
        let any = Any::to(library, source, target, variant)?;
        return Some(Some(What::Any(any)));
    };
    if let Some(known) = library.known(line) {
        return Some(Some(What::Nested(known)));
    }
    let made = of_line(library, line, depth);
    Some(made.map(|made| What::Nested(library.keep(line, made))))
}

/// Makes what a line of the list says.
fn of_line(library: &Library, line: &str, depth: usize) -> Option<Transliterator> {
    let mut fields = line.split('\t').skip(1);
    let (kind, value) = (fields.next()?, fields.next()?);
    match kind {
        "A" => compound(library, value, Direction::Forward, depth + 1).map(|(made, _)| made),
        kind => {
            let direction = match kind {
                "R" => Direction::Reverse,
                _ => Direction::Forward,
            };
            let rules: Vec<char> = rules_of(value.parse().ok()?).chars().collect();
            parse::parse(library, &rules, direction, depth + 1).ok()
        }
    }
}
