//! The class `ResourceBundle`: what resources say of locales, from files in ICU's compiled form and from what this
//! extension knows itself.

mod file;
mod source;

use vm_runtime::class::{ElementHandlers, NativeClass, NativeHandlers, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, NativeDefinition, class_flags};
use vm_runtime::object::{NativeIterator, PhpObject, internal_iterator, new_object};
use vm_runtime::operators::class_or_type_name;
use vm_runtime::value::{ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use self::file::Content;
use self::source::{Found, Node, Source};
use super::errors::{self, ILLEGAL_ARGUMENT, LastError};
use super::locale;
use super::native::{self, Held, Refused, State};
use crate::support::{list, text};

/// Codes of ICU.
const MISSING: i64 = 2;
const FALLBACK_WARNING: i64 = -128;
const DEFAULT_WARNING: i64 = -127;

/// A bundle, or a part of one that has parts itself.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    source: Source,
    /// The locale that it was found for.
    locale: String,
    /// The keys on the way to it; none if that leads over numbers.
    path: Option<Vec<String>>,
    node: Node,
    problem: LastError,
}

impl Held for Bundle {
    const CLASS: &str = "ResourceBundle";
    const NOT_MADE: &str = "Found unconstructed ResourceBundle";
    const NOT_CLONED: Option<&str> = None;

    fn made(call: &mut Call<'_>) -> PhpResult<Result<Bundle, Refused>> {
        errors::clear(call.vm);
        if call.optional_bytes(0).is_some()
            && let Some(problem) = locale::too_long(call, 0)
        {
            return Ok(Err(Refused(ILLEGAL_ARGUMENT, problem)));
        }
        let default = locale::default_locale(call.vm);
        let name = match call.optional_bytes(0) {
            Some(name) => String::from_utf8_lossy(name).into_owned(),
            None => default.clone(),
        };
        let falls_back = !call.has(2) || call.bool(2);
        let source = Source::named(call.optional_bytes(1));
        let found = source.and_then(|source| {
            let (locale, node, found) = source.open(&name, &default, falls_back)?;
            Some((source, locale, node, found))
        });
        let Some((source, locale, node, found)) = found else {
            let problem = "resourcebundle_ctor: Cannot load libICU resource bundle";
            return Ok(Err(Refused(MISSING, problem.to_owned())));
        };
        let problem = match found {
            Found::Exactly => LastError::default(),
            Found::Parent => errors::set(call.vm, FALLBACK_WARNING, ""),
            Found::Default => errors::set(call.vm, DEFAULT_WARNING, ""),
        };
        Ok(Ok(Bundle {
            source,
            locale,
            path: Some(Vec::new()),
            node,
            problem,
        }))
    }

    fn copied(&self) -> Option<Bundle> {
        Some(self.clone())
    }

    fn problem(&mut self) -> &mut LastError {
        &mut self.problem
    }
}

const HANDLERS: NativeHandlers = NativeHandlers {
    count: Some(|vm, object| {
        // SAFETY: I3: the caller keeps the object alive.
        match bundle(unsafe { &*object }) {
            Some(bundle) => Ok(bundle.node.count() as i64),
            None => Err(vm.throw_error(KnownClass::Error, Bundle::NOT_MADE)),
        }
    }),
    elements: Some(&ElementHandlers {
        get: |vm, object, offset, _| match offset {
            Some(offset) => element(vm, object, offset),
            None => Err(no_array(vm)),
        },
        set: |vm, _, _, _| Err(no_array(vm)),
        exists: |vm, _, _, _| Err(no_array(vm)),
        unset: |vm, _, _| Err(no_array(vm)),
    }),
    ..NativeHandlers::STANDARD
};

pub(super) static FUNCTIONS: &[NativeDefinition] = &[
    method(
        "resourcebundle_create(?string $locale, ?string $bundle, bool $fallback = true): ?ResourceBundle",
        native::create_function::<Bundle>,
    ),
    method(
        "resourcebundle_get(ResourceBundle $bundle, string|int $index, bool $fallback = true): ResourceBundle|array|string|int|null",
        |call| get(call, 1),
    ),
    method(
        "resourcebundle_count(ResourceBundle $bundle): int",
        |call| count(call, 1),
    ),
    method(
        "resourcebundle_locales(string $bundle): array|false",
        locales,
    ),
    method(
        "resourcebundle_get_error_code(ResourceBundle $bundle): int",
        |call| Ok(problem(call, 1).code.into()),
    ),
    method(
        "resourcebundle_get_error_message(ResourceBundle $bundle): string",
        |call| {
            let message = problem(call, 1).text();
            text(call.vm, message)
        },
    ),
];

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class ResourceBundle implements IteratorAggregate, Countable")
        .flags(class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE)
        .create_native(native::create::<Bundle>)
        .handlers(&HANDLERS)
        .methods(&[
            method(
                "public function __construct(?string $locale, ?string $bundle, bool $fallback = true)",
                construct,
            ),
            method(
                "tentative public static function create(?string $locale, ?string $bundle, bool $fallback = true): ?ResourceBundle",
                native::create_function::<Bundle>,
            ),
            method(
                "tentative public function get(string|int $index, bool $fallback = true): ResourceBundle|array|string|int|null",
                |call| get(call, 0),
            ),
            method("tentative public function count(): int", |call| count(call, 0)),
            method("tentative public static function getLocales(string $bundle): array|false", locales),
            method("tentative public function getErrorCode(): int", |call| Ok(problem(call, 0).code.into())),
            method("tentative public function getErrorMessage(): string", |call| {
                let message = problem(call, 0).text();
                text(call.vm, message)
            }),
            method("public function getIterator(): Iterator", |call| {
                let object = crate::spl::this(call);
                let walk = Walk { object, at: 0 };
                Ok(internal_iterator(call.vm, Box::new(walk))?.into())
            }),
        ]),
];

fn bundle(object: &PhpObject) -> Option<&Bundle> {
    object.native::<State<Bundle>>()?.0.as_ref()
}

fn no_array(vm: &mut Vm) -> Thrown {
    vm.throw_error(
        KnownClass::Error,
        "Cannot use object of type ResourceBundle as array",
    )
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    native::construct_telling::<Bundle>(call, |vm, Refused(code, problem)| {
        if vm_runtime::ini::parse_long(vm.ini.text("intl.error_level")) != 0 {
            return errors::constructor_failed(vm, "ResourceBundle::__construct", code, &problem);
        }
        match errors::failed(vm, code, &problem, Value::NULL) {
            Ok(_) => errors::throw(vm, "Constructor failed", 0),
            Err(thrown) => thrown,
        }
    })
}

/// The last problem of a bundle.
fn problem(call: &mut Call<'_>, first: usize) -> LastError {
    let object = match first {
        0 => crate::spl::this(call),
        _ => call.object(0),
    };
    bundle(&object)
        .map(|bundle| bundle.problem.clone())
        .unwrap_or_default()
}

fn count(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let object = match first {
        0 => crate::spl::this(call),
        _ => call.object(0),
    };
    match bundle(&object) {
        Some(bundle) => Ok((bundle.node.count() as i64).into()),
        None => Err(call.vm.throw_error(KnownClass::Error, Bundle::NOT_MADE)),
    }
}

fn locales(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let name = match call.bytes(0) {
        [] => None,
        name => Some(name),
    };
    match Source::named(name).and_then(|source| source.locales()) {
        Some(names) => {
            let names: Vec<Value> = names
                .into_iter()
                .map(|name| call.vm.string(name).into())
                .collect();
            Ok(list(call.vm, names))
        }
        None => errors::failed(call.vm, MISSING, "Cannot fetch locales list", false.into()),
    }
}

/// Which part is meant.
enum Index {
    Number(i64),
    Key(String),
}

fn get(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let object = match first {
        0 => crate::spl::this(call),
        _ => call.object(0),
    };
    let given = call.value(first);
    let index = match given.view() {
        ValueKind::Long(number) => Index::Number(number),
        _ => {
            let key = String::from_utf8_lossy(call.bytes(first)).into_owned();
            if key.is_empty() {
                return Err(call.value_error(first, "must not be empty"));
            }
            Index::Key(key)
        }
    };
    part(call.vm, &object, &index)
}

fn element(vm: &mut Vm, object: &ObjectHandle, offset: &Zval) -> PhpResult<Value> {
    let offset = Value::share(offset);
    let index = match offset.view() {
        ValueKind::Long(number) => Index::Number(number),
        ValueKind::String(key) if key.as_bytes().is_empty() => {
            return Err(vm.throw_error(KnownClass::ValueError, "Offset must not be empty"));
        }
        ValueKind::String(key) => Index::Key(key.to_text().into_owned()),
        _ => {
            let kind = class_or_type_name(&offset);
            let message = format!("Cannot access offset of type {kind} on ResourceBundle");
            return Err(vm.throw_error(KnownClass::TypeError, message));
        }
    };
    part(vm, object, &index)
}

/// A part of a bundle; null and a problem if there is none.
fn part(vm: &mut Vm, object: &ObjectHandle, index: &Index) -> PhpResult<Value> {
    errors::clear(vm);
    // SAFETY: I3: the handle keeps the object, and with it what it holds.
    let state = unsafe { (*object.as_ptr()).native::<State<Bundle>>() };
    let mut held = state.and_then(|state| state.0.as_mut());
    let found = held.as_ref().and_then(|bundle| bundle.part(index));
    let value = match found {
        Some(found) => found.value(vm)?,
        None => None,
    };
    if let Some(value) = value {
        if let Some(bundle) = &mut held {
            bundle.problem = LastError::default();
        }
        return Ok(value);
    }
    let shown = match index {
        Index::Number(number) => number.to_string(),
        Index::Key(key) => format!("'{key}'"),
    };
    let code = if held.is_some() {
        MISSING
    } else {
        ILLEGAL_ARGUMENT
    };
    let problem = errors::set(vm, code, format!("Cannot load resource element {shown}"));
    if let Some(bundle) = held {
        bundle.problem = problem;
    }
    vm.check()?;
    Ok(Value::NULL)
}

impl Bundle {
    fn part(&self, index: &Index) -> Option<Bundle> {
        let (locale, path, node) = match index {
            Index::Number(number) => {
                let (key, node) = self.node.part(usize::try_from(*number).ok()?)?;
                let path = self.path.clone().zip(key).map(|(mut path, key)| {
                    path.push(key);
                    path
                });
                (self.locale.clone(), path, node)
            }
            Index::Key(key) => {
                let mut path = self.path.clone()?;
                path.push(key.clone());
                let (locale, node) = self.source.find(&self.locale, &path)?;
                (locale, Some(path), node)
            }
        };
        Some(Bundle {
            source: self.source.clone(),
            locale,
            path,
            node,
            problem: LastError::default(),
        })
    }

    /// What scripts get of it.
    fn value(self, vm: &mut Vm) -> PhpResult<Option<Value>> {
        Ok(match self.node.content() {
            None => None,
            Some(Content::Text(own)) => Some(text(vm, own)?),
            Some(Content::Binary(own)) => Some(text(vm, own)?),
            Some(Content::Number(number)) => Some(number.into()),
            Some(Content::Numbers(numbers)) => Some(list(vm, numbers.into_iter().map(Value::from))),
            Some(Content::Parts) => {
                let class = vm.linked_class(b"resourcebundle");
                let object = new_object(vm, class.unwrap_or(std::ptr::null_mut()))?;
                if let Some(state) = object.native::<State<Bundle>>() {
                    state.0 = Some(self);
                }
                Some(object.into())
            }
        })
    }
}

/// A loop over the parts of a bundle.
struct Walk {
    object: ObjectHandle,
    at: usize,
}

impl NativeIterator for Walk {
    fn current(&mut self, vm: &mut Vm) -> PhpResult<Value> {
        part(vm, &self.object, &Index::Number(self.at as i64))
    }

    fn key(&mut self, vm: &mut Vm) -> PhpResult<Value> {
        let found = bundle(&self.object).and_then(|bundle| bundle.node.part(self.at));
        match found {
            Some((Some(key), _)) => text(vm, key),
            _ => Ok((self.at as i64).into()),
        }
    }

    fn next(&mut self, _vm: &mut Vm) -> PhpResult<()> {
        self.at += 1;
        Ok(())
    }

    fn valid(&mut self, _vm: &mut Vm) -> PhpResult<bool> {
        let count = bundle(&self.object).map_or(0, |bundle| bundle.node.count());
        Ok(self.at < count)
    }

    fn rewind(&mut self, _vm: &mut Vm) -> PhpResult<()> {
        self.at = 0;
        Ok(())
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(&Zval::from_object(self.object.as_ptr()));
    }
}
