//! Break iterators: where characters, words, lines and sentences end. `icu_segmenter` knows Unicode's rules and ICU's
//! dictionaries; a text is cut when it is set, and iterators walk over what was found.

pub(super) mod parts;
mod segments;

use std::any::Any;
use std::rc::Rc;

use vm_runtime::class::{Class, NativeClass, method};
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use self::segments::{Kind, Segment};
use super::errors;
use crate::support::{list, text};

/// There is no further place.
const DONE: i64 = -1;

/// What an object holds.
#[derive(Debug, Clone)]
pub(super) struct Breaks {
    kind: Kind,
    locale: String,
    text: Option<Rc<str>>,
    /// The ends of segments, the first of which is empty.
    segments: Rc<[Segment]>,
    /// Which of them is the current one.
    at: usize,
}

impl NativeData for Breaks {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(self.clone()))
    }
}

fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::new(Breaks {
        kind: Kind::Character,
        locale: String::new(),
        text: None,
        segments: Rc::new([Segment::START]),
        at: 0,
    }))
}

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
            let (_, own) = held(call);
            Ok(moves(own, call).into())
        })
    };
}

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class IntlBreakIterator implements IteratorAggregate")
        .flags(class_flags::NOT_SERIALIZABLE)
        .create_native(create)
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
            moves!("following(int $offset): int", |own, call| own.following(call.long(0))),
            method("tentative public function getErrorCode(): int", |_| Ok(0i64.into())),
            method("tentative public function getErrorMessage(): string", |call| text(call.vm, errors::name(0))),
            method("tentative public function getLocale(int $type): string|false", |call| {
                let kind = call.long(0);
                let (_, own) = held(call);
                match (kind, own.locale.is_empty()) {
                    // What there are rules for is not told apart by locales.
                    (0, _) | (1, true) => text(call.vm, ""),
                    (1, false) => {
                        let locale = own.locale.clone();
                        text(call.vm, locale)
                    }
                    _ => Err(call.value_error(0, "must be either Locale::ACTUAL_LOCALE or Locale::VALID_LOCALE")),
                }
            }),
            method(
                "tentative public function getPartsIterator(string $type = IntlPartsIterator::KEY_SEQUENTIAL): IntlPartsIterator",
                parts::parts_of,
            ),
            method("tentative public function getText(): ?string", |call| {
                let (_, own) = held(call);
                match own.text.clone() {
                    Some(own) => text(call.vm, &*own),
                    None => Ok(Value::NULL),
                }
            }),
            method("tentative public function isBoundary(int $offset): bool", |call| {
                let offset = call.long(0);
                let (_, own) = held(call);
                Ok((own.is_boundary(offset)).into())
            }),
            moves!("last(): int", |own, _| own.go(Some(own.segments.len() - 1))),
            moves!("next(?int $offset = null): int", |own, call| own.by(call.optional_long(0).unwrap_or(1))),
            moves!("preceding(int $offset): int", |own, call| own.preceding(call.long(0))),
            moves!("previous(): int", |own, _| own.by(-1)),
            method("tentative public function setText(string $text): bool", |call| {
                let source: Rc<str> = String::from_utf8_lossy(call.bytes(0)).into();
                let (_, own) = held(call);
                own.segments = segments::cut(own.kind, &source).into();
                (own.text, own.at) = (Some(source), 0);
                Ok(true.into())
            }),
            method("public function getIterator(): Iterator", parts::places_of),
        ]),
    &NativeClass::new("class IntlRuleBasedBreakIterator extends IntlBreakIterator")
        .flags(class_flags::NOT_SERIALIZABLE)
        .methods(&[
            method("public function __construct(string $rules, bool $compiled = false)", |call| {
                let message = "IntlRuleBasedBreakIterator::__construct(): rules of one's own are not supported by this engine yet";
                Err(errors::throw(call.vm, message, 0))
            }),
            method("tentative public function getBinaryRules(): string|false", |_| Ok(false.into())),
            method("tentative public function getRules(): string|false", |_| Ok(false.into())),
            method("tentative public function getRuleStatus(): int", |call| {
                let (_, own) = held(call);
                Ok(own.status().into())
            }),
            method("tentative public function getRuleStatusVec(): array|false", |call| {
                let (_, own) = held(call);
                let status = own.status().into();
                Ok(list(call.vm, [status]))
            }),
        ]),
    &NativeClass::new("class IntlCodePointBreakIterator extends IntlBreakIterator")
        .flags(class_flags::NOT_SERIALIZABLE)
        .methods(&[method("tentative public function getLastCodePoint(): int", |call| {
            let (_, own) = held(call);
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

impl Breaks {
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
fn held<'c>(call: &Call<'c>) -> (ObjectHandle, &'c mut Breaks) {
    let this = crate::spl::this(call);
    let own = breaks(&this);
    (this, own)
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
    (own.kind, own.locale) = (kind, locale);
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
