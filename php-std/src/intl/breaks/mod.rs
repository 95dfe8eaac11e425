//! Break iterators: where characters, words, lines and sentences end. `icu_segmenter` knows Unicode's rules and ICU's
//! dictionaries; a text is cut when it is set, and iterators walk over what was found.

pub(super) mod parts;
mod rules;
mod segments;

use std::any::Any;
use std::rc::Rc;

use vm_runtime::class::{Class, NativeClass, NativeHandlers, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use self::rules::Rules;
use self::segments::{Kind, Segment};
use super::calendar::check_int;
use super::errors;
use crate::support::{list, new_list, text};

/// There is no further place.
const DONE: i64 = -1;

/// What an object holds.
#[derive(Debug, Clone)]
pub(super) struct Breaks {
    kind: Kind,
    /// Rules of a script, which count instead of the kind.
    rules: Option<Rc<Rules>>,
    locale: String,
    text: Option<Rc<str>>,
    /// The ends of segments, the first of which is empty.
    segments: Rc<[Segment]>,
    /// What rules of a script say of each, if several of them speak.
    statuses: Rc<[Vec<i64>]>,
    /// Which of them is the current one.
    at: usize,
    /// The constructor, or what stands in for it, has run.
    is_made: bool,
}

impl NativeData for Breaks {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        if !self.is_made {
            vm.throw_error(
                KnownClass::Error,
                "Cannot clone uninitialized BreakIterator",
            );
            return None;
        }
        Some(Box::new(self.clone()))
    }

    fn compare(&self, _vm: &mut Vm, _this: &PhpObject, other: &PhpObject) -> Option<i32> {
        let other = breaks(other);
        let rules = |own: &Breaks| own.rules.as_ref().map(|rules| rules.text.clone());
        let is_same = self.kind == other.kind
            && rules(self) == rules(other)
            && self.text == other.text
            && self.at == other.at;
        // There is no order of what differs.
        Some(if is_same { 0 } else { 1 })
    }
}

fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::new(Breaks {
        kind: Kind::Character,
        rules: None,
        is_made: false,
        locale: String::new(),
        text: None,
        segments: Rc::new([Segment::START]),
        statuses: Rc::new([]),
        at: 0,
    }))
}

const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(debug_info),
    ..NativeHandlers::STANDARD
};

/// What rules begin with that were given out in their compiled form, which is one of our own.
const COMPILED: &[u8] = b"Brk\0";

const CONSTANTS: &[&str] = &[
    "DONE = -1",
    "WORD_NONE = 0",
    "WORD_NONE_LIMIT = 100",
    "WORD_NUMBER = 100",
    "WORD_NUMBER_LIMIT = 200",
    "WORD_LETTER = 200",
    "WORD_LETTER_LIMIT = 300",
    "WORD_KANA = 300",
    "WORD_KANA_LIMIT = 400",
    "WORD_IDEO = 400",
    "WORD_IDEO_LIMIT = 500",
    "LINE_SOFT = 0",
    "LINE_SOFT_LIMIT = 100",
    "LINE_HARD = 100",
    "LINE_HARD_LIMIT = 200",
    "SENTENCE_TERM = 0",
    "SENTENCE_TERM_LIMIT = 100",
    "SENTENCE_SEP = 100",
    "SENTENCE_SEP_LIMIT = 200",
];

/// A static method that makes an iterator of a kind.
macro_rules! instance {
    ($name:literal, $kind:expr) => {
        method(
            concat!(
                "tentative public static function ",
                $name,
                "(?string $locale = null): ?IntlBreakIterator"
            ),
            |call| of_kind(call, $kind),
        )
    };
}

/// A method that moves and gives where that has led.
macro_rules! moves {
    ($signature:literal, $moves:expr) => {
        method(concat!("tentative public function ", $signature), |call| {
            let moves: fn(&mut Breaks, &Call<'_>) -> i64 = $moves;
            let (_, own) = held(call)?;
            Ok(moves(own, call).into())
        })
    };
}

/// A method that moves by a place in the text, which is a number of 32 bits.
macro_rules! moves_to {
    ($signature:literal, $moves:expr) => {
        method(concat!("tentative public function ", $signature), |call| {
            let moves: fn(&mut Breaks, i64) -> i64 = $moves;
            let offset = check_int(call, 0)?;
            let (_, own) = held(call)?;
            Ok(moves(own, offset).into())
        })
    };
}

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class IntlBreakIterator implements IteratorAggregate")
        .flags(class_flags::NOT_SERIALIZABLE)
        .create_native(create)
        .handlers(&HANDLERS)
        .constants(CONSTANTS)
        .methods(&[
            instance!("createCharacterInstance", Kind::Character),
            method("tentative public static function createCodePointInstance(): IntlCodePointBreakIterator", |call| {
                Ok(made(call.vm, b"intlcodepointbreakiterator", Kind::CodePoint, String::new())?.into())
            }),
            instance!("createLineInstance", Kind::Line),
            instance!("createSentenceInstance", Kind::Sentence),
            instance!("createTitleInstance", Kind::Title),
            instance!("createWordInstance", Kind::Word),
            method("private function __construct()", |_| Ok(Value::NULL)),
            moves!("current(): int", |own, _| own.current()),
            moves!("first(): int", |own, _| own.go(Some(0))),
            moves_to!("following(int $offset): int", Breaks::following),
            method("tentative public function getErrorCode(): int", |_| Ok(0i64.into())),
            method("tentative public function getErrorMessage(): string", |call| text(call.vm, errors::name(0))),
            method("tentative public function getLocale(int $type): string|false", |call| {
                let kind = call.long(0);
                let (_, own) = held(call)?;
                match (kind, own.locale.is_empty()) {
                    // What there are rules for is not told apart by locales.
                    (0, _) | (1, true) => text(call.vm, ""),
                    (1, false) => {
                        let locale = own.locale.clone();
                        text(call.vm, locale)
                    }
                    _ => {
                        let problem = "breakiter_get_locale: invalid locale type";
                        errors::failed(call.vm, errors::ILLEGAL_ARGUMENT, problem, false.into())
                    }
                }
            }),
            method(
                "tentative public function getPartsIterator(string $type = IntlPartsIterator::KEY_SEQUENTIAL): IntlPartsIterator",
                parts::parts_of,
            ),
            method("tentative public function getText(): ?string", |call| {
                let (_, own) = held(call)?;
                match own.text.clone() {
                    Some(own) => text(call.vm, &*own),
                    None => Ok(Value::NULL),
                }
            }),
            method("tentative public function isBoundary(int $offset): bool", |call| {
                let offset = check_int(call, 0)?;
                let (_, own) = held(call)?;
                Ok((own.is_boundary(offset)).into())
            }),
            moves!("last(): int", |own, _| own.go(Some(own.segments.len() - 1))),
            moves!("next(?int $offset = null): int", |own, call| own.by(call.optional_long(0).unwrap_or(1))),
            moves_to!("preceding(int $offset): int", Breaks::preceding),
            moves!("previous(): int", |own, _| own.by(-1)),
            method("tentative public function setText(string $text): bool", |call| {
                let source: Rc<str> = String::from_utf8_lossy(call.bytes(0)).into();
                let (_, own) = held(call)?;
                own.cut(source);
                Ok(true.into())
            }),
            method("public function getIterator(): Iterator", parts::places_of),
        ]),
    &NativeClass::new("class IntlRuleBasedBreakIterator extends IntlBreakIterator")
        .flags(class_flags::NOT_SERIALIZABLE)
        .methods(&[
            method("public function __construct(string $rules, bool $compiled = false)", construct),
            method("tentative public function getBinaryRules(): string|false", |call| {
                let (_, own) = held(call)?;
                match own.rules.clone() {
                    Some(rules) => text(call.vm, [COMPILED, rules.text.as_bytes()].concat()),
                    None => Ok(false.into()),
                }
            }),
            method("tentative public function getRules(): string|false", |call| {
                let (_, own) = held(call)?;
                match own.rules.clone() {
                    Some(rules) => text(call.vm, &rules.text),
                    None => Ok(false.into()),
                }
            }),
            method("tentative public function getRuleStatus(): int", |call| {
                let (_, own) = held(call)?;
                Ok(own.status().into())
            }),
            method("tentative public function getRuleStatusVec(): array|false", |call| {
                let (_, own) = held(call)?;
                let statuses = match own.statuses.get(own.at) {
                    Some(statuses) => statuses.clone(),
                    None => vec![own.status()],
                };
                Ok(list(call.vm, statuses.into_iter().map(Value::from)))
            }),
        ]),
    &NativeClass::new("class IntlCodePointBreakIterator extends IntlBreakIterator")
        .flags(class_flags::NOT_SERIALIZABLE)
        .methods(&[method("tentative public function getLastCodePoint(): int", |call| {
            let (_, own) = held(call)?;
            Ok(own.last_character().into())
        })]),
    &NativeClass::new("class IntlPartsIterator extends IntlIterator")
        .flags(class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE)
        .constants(&["KEY_SEQUENTIAL = 0", "KEY_LEFT = 1", "KEY_RIGHT = 2"])
        .methods(&[
            method("tentative public function getBreakIterator(): IntlBreakIterator", parts::iterator_of),
            method("tentative public function getRuleStatus(): int", parts::status_of),
        ]),
];

/// The constructor of iterators by rules of a script.
fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    const NAME: &str = "IntlRuleBasedBreakIterator::__construct()";
    errors::clear(call.vm);
    let object = crate::spl::this(call);
    if breaks(&object).is_made {
        let message = "IntlRuleBasedBreakIterator object is already constructed";
        return Err(call.vm.throw_error(KnownClass::Error, message));
    }
    let is_compiled = call.has(1) && call.bool(1);
    let bytes = call.bytes(0);
    let source = match is_compiled {
        true => bytes.strip_prefix(COMPILED),
        false => Some(bytes),
    };
    let Some(source) = source else {
        let message = format!("{NAME}: unable to create instance from compiled rules");
        return Err(errors::throw(call.vm, &message, 0));
    };
    let Ok(source) = std::str::from_utf8(source) else {
        let message = format!("{NAME}: rules were not a valid UTF-8 string");
        return Err(errors::throw(call.vm, &message, 0));
    };
    match Rules::of(source) {
        Ok(rules) => {
            let own = breaks(&object);
            own.rules = Some(Rc::new(rules));
            own.is_made = true;
            Ok(Value::NULL)
        }
        Err(problem) => {
            let message = format!(
                "{NAME}: unable to create RuleBasedBreakIterator from rules (parse error on line {}, offset {})",
                problem.line, problem.offset
            );
            errors::note(call.vm, problem.code);
            Err(errors::throw(call.vm, &message, 0))
        }
    }
}

/// What `var_dump()` shows.
fn debug_info(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the caller keeps the object alive.
    let own = breaks(unsafe { &*object });
    let mut table = new_list(vm, 3);
    table.make_mut(vm).set_bytes(b"valid", own.is_made.into());
    if own.is_made {
        let shown = match own.text.clone() {
            Some(shown) => vm.string(&*shown).into(),
            None => Value::NULL,
        };
        let kind = vm.string(own.class_of_icu()).into();
        let entries = table.make_mut(vm);
        entries.set_bytes(b"text", shown);
        entries.set_bytes(b"type", kind);
    }
    Ok(table)
}

impl Breaks {
    /// Takes a text, and cuts it.
    fn cut(&mut self, source: Rc<str>) {
        match &self.rules {
            Some(rules) => {
                let found = rules.cut(&source);
                let segments = found.iter().map(|(end, statuses)| Segment {
                    end: *end,
                    status: statuses.last().copied().unwrap_or(0),
                });
                self.segments = std::iter::once(Segment::START).chain(segments).collect();
                let statuses = found.into_iter().map(|(_, statuses)| statuses);
                self.statuses = std::iter::once(vec![0]).chain(statuses).collect();
            }
            None => self.segments = segments::cut(self.kind, &source).into(),
        }
        (self.text, self.at) = (Some(source), 0);
    }

    /// The name of ICU's class, as its compiler has it.
    fn class_of_icu(&self) -> &'static str {
        match self.kind {
            Kind::CodePoint => "N3PHP22CodePointBreakIteratorE",
            _ => "N6icu_7622RuleBasedBreakIteratorE",
        }
    }

    fn current(&self) -> i64 {
        self.segments[self.at].end as i64
    }

    fn status(&self) -> i64 {
        self.segments[self.at].status
    }

    fn length(&self) -> i64 {
        self.text.as_ref().map_or(0, |text| text.len() as i64)
    }

    /// Goes to a place; stays if there is none.
    fn go(&mut self, to: Option<usize>) -> i64 {
        match to {
            Some(to) => {
                self.at = to;
                self.current()
            }
            None => DONE,
        }
    }

    /// Goes so many places on or back, and at the end as far as there are places.
    fn by(&mut self, count: i64) -> i64 {
        let wanted = (self.at as i64).saturating_add(count);
        let last = self.segments.len() as i64 - 1;
        self.at = wanted.clamp(0, last) as usize;
        match (0..=last).contains(&wanted) {
            true => self.current(),
            false => DONE,
        }
    }

    fn following(&mut self, offset: i64) -> i64 {
        if offset < 0 {
            return self.go(Some(0));
        }
        let found = self
            .segments
            .iter()
            .position(|segment| segment.end as i64 > offset);
        if found.is_none() {
            self.at = self.segments.len() - 1;
        }
        self.go(found)
    }

    fn preceding(&mut self, offset: i64) -> i64 {
        if offset > self.length() {
            return self.go(Some(self.segments.len() - 1));
        }
        // In the middle of a character means where it begins.
        let text = self.text.as_deref().unwrap_or_default();
        let offset = text.floor_char_boundary(offset.max(0) as usize) as i64;
        let found = self
            .segments
            .iter()
            .rposition(|segment| (segment.end as i64) < offset);
        if found.is_none() {
            self.at = 0;
        }
        self.go(found)
    }

    /// Whether a place is there; goes to it, or to the next one.
    fn is_boundary(&mut self, offset: i64) -> bool {
        if offset < 0 {
            self.at = 0;
            return false;
        }
        let found = self
            .segments
            .iter()
            .position(|segment| segment.end as i64 >= offset);
        self.at = found.unwrap_or(self.segments.len() - 1);
        self.current() == offset
    }

    /// The character in front of the place.
    fn last_character(&self) -> i64 {
        let text = self.text.as_deref().unwrap_or_default();
        let before = text.get(..self.segments[self.at].end).unwrap_or_default();
        before
            .chars()
            .next_back()
            .map_or(-1, |last| i64::from(u32::from(last)))
    }
}

/// The object that a method is called on, and what it holds.
fn held<'c>(call: &mut Call<'c>) -> PhpResult<(ObjectHandle, &'c mut Breaks)> {
    let this = crate::spl::this(call);
    let own = breaks(&this);
    if !own.is_made {
        let message = "Found unconstructed BreakIterator";
        return Err(call.vm.throw_error(KnownClass::Error, message));
    }
    Ok((this, own))
}

fn breaks<'o>(object: &PhpObject) -> &'o mut Breaks {
    let object = (&raw const *object).cast_mut();
    // SAFETY: I3: whoever asks has a share of the object, and with it its native part.
    let own = unsafe { (*object).native::<Breaks>() };
    own.expect("a break iterator has its native part from the beginning")
}

fn made(vm: &mut Vm, class: &[u8], kind: Kind, locale: String) -> PhpResult<ObjectHandle> {
    let class = vm.linked_class(class).unwrap_or(std::ptr::null_mut());
    let object = new_object(vm, class)?;
    let own = breaks(&object);
    (own.kind, own.locale, own.is_made) = (kind, locale, true);
    Ok(object)
}

fn of_kind(call: &mut Call<'_>, kind: Kind) -> PhpResult<Value> {
    errors::clear(call.vm);
    let locale = match call.optional_bytes(0) {
        Some(locale) => String::from_utf8_lossy(locale).into_owned(),
        None => String::new(),
    };
    Ok(made(call.vm, b"intlrulebasedbreakiterator", kind, locale)?.into())
}
