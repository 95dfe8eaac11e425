//! The class `Transliterator`: texts in other scripts, cases and forms.
//!
//! `registry.rs` knows names and what they stand for, `parse.rs` reads rules, `rules.rs` applies them; `builtin.rs` and
//! `any.rs` are what no rules say. What they do, and in which order, is what ICU does.

mod any;
mod builtin;
mod parse;
mod registry;
mod rules;
mod text;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use vm_runtime::class::{NativeClass, method};
use vm_runtime::exceptions::set_slot;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::limits;
use vm_runtime::object::new_object;
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use self::any::Any;
use self::builtin::Builtin;
use self::registry::Direction;
pub(super) use self::registry::script_of_locale;
use self::rules::Rules;
use self::text::{Position, Text};
use super::errors::{self, ILLEGAL_ARGUMENT, INVALID_CHARACTER, LastError};
use super::native::{self, Held, Refused, State};
use super::set::Set;
use crate::support::{functions, list, text as text_value};

const INVALID_ID: i64 = 0x10021;
/// What objects made of rules are called.
const OF_RULES: &str = "RulesTransPHP";

functions! {
    "transliterator_create(string $id, int $direction = Transliterator::FORWARD): ?Transliterator" => create,
    "transliterator_create_from_rules(string $rules, int $direction = Transliterator::FORWARD): ?Transliterator" => create_from_rules,
    "transliterator_list_ids(): array|false" => list_names,
    "transliterator_create_inverse(Transliterator $transliterator): ?Transliterator" => create_inverse_of,
    "transliterator_transliterate(Transliterator|string $transliterator, string $string, int $start = 0, int $end = -1): string|false" => transliterate_function,
    "transliterator_get_error_code(Transliterator $transliterator): int|false" => error_code_of,
    "transliterator_get_error_message(Transliterator $transliterator): string|false" => error_message_of,
}

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class Transliterator")
    .create_native(native::create::<Own>)
    .flags(class_flags::NOT_SERIALIZABLE)
    .constants(&["FORWARD = 0", "REVERSE = 1"])
    .properties(&["public readonly string $id"])
    .methods(&[
        method("final private function __construct()", |_| Ok(Value::NULL)),
        method("tentative public static function create(string $id, int $direction = Transliterator::FORWARD): ?Transliterator", create),
        method(
            "tentative public static function createFromRules(string $rules, int $direction = Transliterator::FORWARD): ?Transliterator",
            create_from_rules,
        ),
        method("tentative public function createInverse(): ?Transliterator", |call| create_inverse(call, 0)),
        method("tentative public static function listIDs(): array|false", list_names),
        method("tentative public function transliterate(string $string, int $start = 0, int $end = -1): string|false", |call| {
            let (_, own) = native::held::<Own>(call, 0)?;
            let transliterator = own.transliterator.clone();
            transliterate(call, &transliterator, 0)
        }),
        method("tentative public function getErrorCode(): int|false", |call| error_code(call, 0)),
        method("tentative public function getErrorMessage(): string|false", |call| error_message(call, 0)),
    ])];

/// What does it, in its order, and for which characters.
#[derive(Debug)]
struct Transliterator {
    parts: Vec<Part>,
    filter: Option<Rc<Set>>,
}

#[derive(Debug)]
struct Part {
    filter: Option<Rc<Set>>,
    what: What,
}

#[derive(Debug)]
enum What {
    Rules(Rules),
    Nested(Rc<Transliterator>),
    Builtin(Builtin),
    Any(Any),
}

/// Transliterators that have been made, by their names. Rules take their time to be read.
#[derive(Debug, Clone, Default)]
struct Library(Rc<RefCell<HashMap<String, Rc<Transliterator>>>>);

impl Library {
    fn of(vm: &mut Vm) -> Library {
        vm.extensions.state::<Library>().clone()
    }

    fn known(&self, name: &str) -> Option<Rc<Transliterator>> {
        self.0.borrow().get(name).cloned()
    }

    fn keep(&self, name: &str, made: Transliterator) -> Rc<Transliterator> {
        let made = Rc::new(made);
        self.0.borrow_mut().insert(name.to_owned(), made.clone());
        made
    }
}

/// Does something with each run of characters that are in a set.
fn filtered(
    filter: Option<&Set>,
    text: &mut Text,
    position: &mut Position,
    mut change: impl FnMut(&mut Text, &mut Position),
) {
    limits::poll();
    let Some(filter) = filter else {
        return change(text, position);
    };
    let mut limit = position.limit;
    loop {
        limits::poll();
        let is_in = |at: usize| filter.contains(text[at].into());
        let Some(start) = (position.start..limit).find(|&at| is_in(at)) else {
            break;
        };
        let end = (start..limit).find(|&at| !is_in(at)).unwrap_or(limit);
        (position.start, position.limit) = (start, end);
        change(text, position);
        limit = limit.saturating_add_signed(position.limit as isize - end as isize);
        position.start = position.limit;
    }
    (position.start, position.limit) = (limit, limit);
}

impl Part {
    fn rules(rules: Rules) -> Part {
        Part {
            filter: None,
            what: What::Rules(rules),
        }
    }

    fn transliterate(&self, text: &mut Text, position: &mut Position) {
        filtered(
            self.filter.as_deref(),
            text,
            position,
            |text, position| match &self.what {
                What::Rules(rules) => rules.transliterate(text, position),
                What::Nested(nested) => nested.transliterate(text, position),
                What::Builtin(builtin) => builtin.transliterate(text, position),
                What::Any(any) => any.transliterate(text, position),
            },
        );
    }
}

impl Transliterator {
    fn transliterate(&self, text: &mut Text, position: &mut Position) {
        filtered(self.filter.as_deref(), text, position, |text, position| {
            let start = position.start;
            for part in &self.parts {
                position.start = start;
                part.transliterate(text, position);
            }
            position.start = position.limit;
        });
    }
}

/// What an object holds.
struct Own {
    transliterator: Rc<Transliterator>,
    name: String,
    problem: LastError,
}

impl Held for Own {
    const CLASS: &str = "Transliterator";
    const NOT_MADE: &str = "Found unconstructed transliterator";
    const NOT_CLONED: Option<&str> = None;

    fn made(_call: &mut Call<'_>) -> PhpResult<Result<Own, Refused>> {
        Ok(Err(Refused(INVALID_ID, String::new())))
    }

    fn copied(&self) -> Option<Own> {
        Some(Own {
            transliterator: self.transliterator.clone(),
            name: self.name.clone(),
            problem: LastError::default(),
        })
    }

    fn problem(&mut self) -> &mut LastError {
        &mut self.problem
    }
}

fn object(
    vm: &mut Vm,
    transliterator: Rc<Transliterator>,
    name: String,
) -> PhpResult<ObjectHandle> {
    let class = vm
        .linked_class(b"transliterator")
        .unwrap_or(std::ptr::null_mut());
    let object = new_object(vm, class)?;
    let shown = vm.string(&*name).into();
    set_slot(&object, 0, shown);
    if let Some(state) = object.native::<State<Own>>() {
        state.0 = Some(Own {
            transliterator,
            name,
            problem: LastError::default(),
        });
    }
    Ok(object)
}

/// The direction that an argument says.
fn direction(call: &mut Call<'_>, index: usize) -> PhpResult<Direction> {
    match call.optional_long(index).unwrap_or(0) {
        0 => Ok(Direction::Forward),
        1 => Ok(Direction::Reverse),
        _ => {
            let message = "must be either Transliterator::FORWARD or Transliterator::REVERSE";
            Err(call.value_error(index, message))
        }
    }
}

/// The function's name in front of messages, however it was called.
fn opened(
    call: &mut Call<'_>,
    name: &[u8],
    direction: Direction,
) -> PhpResult<Option<ObjectHandle>> {
    let Ok(name) = std::str::from_utf8(name) else {
        let message = "String conversion of id to UTF-16 failed";
        errors::set(call.vm, INVALID_CHARACTER, message);
        return call.vm.check().map(|()| None);
    };
    let library = Library::of(call.vm);
    let Some((made, shown)) = registry::compound(&library, name, direction, 0) else {
        let message =
            format!("transliterator_create: unable to open ICU transliterator with id \"{name}\"");
        errors::set(call.vm, INVALID_ID, &message);
        return call.vm.check().map(|()| None);
    };
    object(call.vm, Rc::new(made), shown).map(Some)
}

fn create(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let direction = direction(call, 1)?;
    let found = opened(call, call.bytes(0), direction)?;
    Ok(found.map_or(Value::NULL, Value::from))
}

fn create_from_rules(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let direction = direction(call, 1)?;
    let Ok(rules) = std::str::from_utf8(call.bytes(0)) else {
        let message = "String conversion of rules to UTF-16 failed";
        return errors::failed(call.vm, INVALID_CHARACTER, message, Value::NULL);
    };
    let rules: Vec<char> = rules.chars().collect();
    let library = Library::of(call.vm);
    match parse::parse(&library, &rules, direction, 0) {
        Ok(made) => Ok(object(call.vm, Rc::new(made), OF_RULES.to_owned())?.into()),
        Err(problem) => {
            let place = place_text(&rules, problem.at);
            let message = format!(
                "transliterator_create_from_rules: unable to create ICU transliterator from rules ({place})"
            );
            errors::failed(call.vm, problem.code, &message, Value::NULL)
        }
    }
}

/// Where a problem is, with up to fifteen characters on both sides.
fn place_text(rules: &[char], at: usize) -> String {
    const MOST: usize = 15;
    let before: String = rules[at.saturating_sub(MOST)..at].iter().collect();
    let behind: String = rules[at..rules.len().min(at + MOST)].iter().collect();
    let mut place = format!("parse error at offset {at}");
    if !before.is_empty() {
        place += &format!(", after \"{before}\"");
    }
    if !behind.is_empty() {
        place += &format!(", before or at \"{behind}\"");
    }
    place
}

fn create_inverse(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_, own) = native::held::<Own>(call, first)?;
    let name = own.name.clone();
    let library = Library::of(call.vm);
    match registry::compound(&library, &name, Direction::Reverse, 0) {
        Some((made, shown)) => Ok(object(call.vm, Rc::new(made), shown)?.into()),
        None => {
            let message =
                "transliterator_create_inverse: could not create inverse ICU transliterator";
            own.problem = errors::set(call.vm, INVALID_ID, message);
            call.vm.check()?;
            Ok(Value::NULL)
        }
    }
}

fn create_inverse_of(call: &mut Call<'_>) -> PhpResult<Value> {
    create_inverse(call, 1)
}

fn list_names(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let names: Vec<Value> = registry::names()
        .map(|name| call.vm.string(name).into())
        .collect();
    Ok(list(call.vm, names))
}

fn transliterate_function(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.value(0).object().is_some() {
        let (_, own) = native::held::<Own>(call, 1)?;
        let transliterator = own.transliterator.clone();
        return transliterate(call, &transliterator, 1);
    }
    errors::clear(call.vm);
    let name = call.bytes(0);
    let Some(made) = opened(call, name, Direction::Forward)? else {
        let reason = call.vm.extensions.state::<LastError>().text();
        let reason = String::from_utf8_lossy(&reason);
        let name = vm_runtime::message::text(name).into_owned();
        call.vm.function_warning(format!(
            "Could not create transliterator with ID \"{name}\" ({reason})"
        ));
        return Ok(false.into());
    };
    let Some(transliterator) = made
        .native::<State<Own>>()
        .and_then(|state| state.0.as_ref())
    else {
        return Ok(false.into());
    };
    let transliterator = transliterator.transliterator.clone();
    transliterate(call, &transliterator, 1)
}

fn transliterate(
    call: &mut Call<'_>,
    transliterator: &Transliterator,
    first: usize,
) -> PhpResult<Value> {
    let [start, end] = [first + 1, first + 2].map(|index| call.optional_long(index));
    let (start, end) = (start.unwrap_or(0), end.unwrap_or(-1));
    if end < -1 {
        return Err(call.value_error(first + 2, "must be greater than or equal to -1"));
    }
    if start < 0 {
        return Err(call.value_error(first + 1, "must be greater than or equal to 0"));
    }
    if end != -1 && start > end {
        let message = format!(
            "must be less than or equal to argument #{} ($end)",
            first + 3
        );
        return Err(call.value_error(first + 1, &message));
    }
    let Ok(source) = std::str::from_utf8(call.bytes(first)) else {
        let message = "String conversion of string to UTF-16 failed";
        return failed(call, first, INVALID_CHARACTER, message);
    };
    let units = source.encode_utf16().count() as i64;
    if start > units || end > units {
        let message = format!(
            "transliterator_transliterate: Neither \"start\" nor the \"end\" arguments can exceed the number of UTF-16 code units (in this case, {units})"
        );
        return failed(call, first, ILLEGAL_ARGUMENT, &message);
    }
    let mut text: Text = source.chars().collect();
    // Offsets are those of UTF-16.
    let at = |offset: i64| {
        let mut units = 0;
        text.iter()
            .take_while(|character| {
                let is_before = units < offset;
                units += character.len_utf16() as i64;
                is_before
            })
            .count()
    };
    let (start, end) = (at(start), if end == -1 { text.len() } else { at(end) });
    let mut position = Position::between(start, end);
    transliterator.transliterate(&mut text, &mut position);
    text_value(call.vm, text.into_iter().collect::<String>())
}

/// Notes a problem with the object if there is one.
fn failed(call: &mut Call<'_>, first: usize, code: i64, message: &str) -> PhpResult<Value> {
    let problem = errors::set(call.vm, code, message);
    let object = match first {
        0 => Some(crate::spl::this(call)),
        _ => call.value(0).object(),
    };
    if let Some(object) = object
        && let Some(own) = object
            .native::<State<Own>>()
            .and_then(|state| state.0.as_mut())
    {
        own.problem = problem;
    }
    call.vm.check()?;
    Ok(false.into())
}

/// The last problem of an object, which asking for it does not forget.
fn last_problem(call: &mut Call<'_>, first: usize) -> LastError {
    errors::clear(call.vm);
    let object = match first {
        0 => crate::spl::this(call),
        _ => call.object(0),
    };
    let own = object
        .native::<State<Own>>()
        .and_then(|state| state.0.as_ref());
    own.map(|own| own.problem.clone()).unwrap_or_default()
}

fn error_code(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    Ok(last_problem(call, first).code.into())
}

fn error_message(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let text = last_problem(call, first).text();
    text_value(call.vm, text)
}

fn error_code_of(call: &mut Call<'_>) -> PhpResult<Value> {
    error_code(call, 1)
}

fn error_message_of(call: &mut Call<'_>) -> PhpResult<Value> {
    error_message(call, 1)
}
