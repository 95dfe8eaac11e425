//! The class `UConverter`: texts from one encoding to another.
//!
//! There are the Unicode forms and what ICU has tables of single bytes for.

mod callbacks;
mod codec;
mod table;
mod utf7;

use std::any::Any;

use vm_runtime::class::{NativeClass, NativeHandlers, method};
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use self::callbacks::{REASONS, from_characters, to_characters};
use self::table::{Converter, Means};
use super::errors::{self, ILLEGAL_ARGUMENT, LastError};
use crate::spl::this;
use crate::support::{list, text};

const FILE_ACCESS: i64 = 4;
const INVALID_STATE: i64 = 27;

/// One end of a conversion.
#[derive(Debug, Clone)]
struct End {
    converter: Converter,
    /// What is written for characters that it does not have.
    substitute: Vec<u8>,
}

impl End {
    /// The converter of a name; warns of names of several.
    fn open(vm: &mut Vm, name: &[u8]) -> PhpResult<Option<End>> {
        let Some((converter, means)) = table::find(name) else {
            return Ok(None);
        };
        if means == Means::Ambiguous {
            let own = converter.name();
            vm.function_warning(format!("Ambiguous encoding specified, using {own}"));
            vm.check()?;
        }
        Ok(Some(End {
            converter,
            substitute: converter.substitute.to_vec(),
        }))
    }

    /// Sets the substitute; false if it is no character's length.
    fn substitute(&mut self, bytes: &[u8]) -> bool {
        let fits = self.converter.lengths().contains(&bytes.len());
        if fits {
            self.substitute = bytes.to_vec();
        }
        fits
    }
}

/// The native part.
#[derive(Debug, Clone, Default)]
struct Conversion {
    source: Option<End>,
    target: Option<End>,
    problem: LastError,
}

impl NativeData for Conversion {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(self.clone()))
    }
}

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class UConverter")
    .flags(class_flags::NOT_SERIALIZABLE)
    .create_native(|_, _| Some(Box::<Conversion>::default()))
    .handlers(&NativeHandlers { destruct: Some(callbacks::close), ..NativeHandlers::STANDARD })
    .constants(&[
        "REASON_UNASSIGNED = 0", "REASON_ILLEGAL = 1", "REASON_IRREGULAR = 2", "REASON_RESET = 3",
        "REASON_CLOSE = 4", "REASON_CLONE = 5", "UNSUPPORTED_CONVERTER = -1", "SBCS = 0", "DBCS = 1", "MBCS = 2",
        "LATIN_1 = 3", "UTF8 = 4", "UTF16_BigEndian = 5", "UTF16_LittleEndian = 6", "UTF32_BigEndian = 7",
        "UTF32_LittleEndian = 8", "EBCDIC_STATEFUL = 9", "ISO_2022 = 10", "LMBCS_1 = 11", "LMBCS_2 = 12",
        "LMBCS_3 = 13", "LMBCS_4 = 14", "LMBCS_5 = 15", "LMBCS_6 = 16", "LMBCS_8 = 17", "LMBCS_11 = 18",
        "LMBCS_16 = 19", "LMBCS_17 = 20", "LMBCS_18 = 21", "LMBCS_19 = 22", "LMBCS_LAST = 22", "HZ = 23",
        "SCSU = 24", "ISCII = 25", "US_ASCII = 26", "UTF7 = 27", "BOCU1 = 28", "UTF16 = 29", "UTF32 = 30",
        "CESU8 = 31", "IMAP_MAILBOX = 32",
    ])
    .methods(&[
        method("public function __construct(?string $destination_encoding = null, ?string $source_encoding = null)", construct),
        method("tentative public function setSourceEncoding(string $encoding): bool", |call| set_encoding(call, Side::Source)),
        method("tentative public function setDestinationEncoding(string $encoding): bool", |call| set_encoding(call, Side::Target)),
        method("tentative public function getSourceEncoding(): string|false|null", |call| encoding(call, Side::Source)),
        method("tentative public function getDestinationEncoding(): string|false|null", |call| encoding(call, Side::Target)),
        method("tentative public function getSourceType(): int|false|null", |call| kind(call, Side::Source)),
        method("tentative public function getDestinationType(): int|false|null", |call| kind(call, Side::Target)),
        method("tentative public function getSubstChars(): string|false|null", substitute),
        method("tentative public function setSubstChars(string $chars): bool", set_substitute),
        method(
            "tentative public function toUCallback(int $reason, string $source, string $codeUnits, &$error): array|string|int|null",
            default_answer,
        ),
        method(
            "tentative public function fromUCallback(int $reason, array $source, int $codePoint, &$error): array|string|int|null",
            default_answer,
        ),
        method("tentative public function convert(string $str, bool $reverse = false): string|false", convert),
        method(
            "tentative public static function transcode(string $str, string $toEncoding, string $fromEncoding, ?array $options = null): string|false",
            transcode,
        ),
        method("tentative public function getErrorCode(): int", |call| {
            Ok(conversion(&this(call)).problem.code.into())
        }),
        method("tentative public function getErrorMessage(): ?string", |call| {
            let message = conversion(&this(call)).problem.text();
            text(call.vm, message)
        }),
        method("tentative public static function reasonText(int $reason): string", reason_text),
        method("tentative public static function getAvailable(): array", |call| {
            names(call, table::all().map(|converter| converter.name()))
        }),
        method("tentative public static function getAliases(string $name): array|false|null", aliases),
        method("tentative public static function getStandards(): ?array", |call| {
            names(call, ["UTR22", "IBM", "WINDOWS", "JAVA", "IANA", "MIME", ""].into_iter())
        }),
    ])];

/// Which end.
#[derive(Debug, Clone, Copy)]
enum Side {
    Source,
    Target,
}

impl Conversion {
    fn end(&mut self, side: Side) -> &mut Option<End> {
        match side {
            Side::Source => &mut self.source,
            Side::Target => &mut self.target,
        }
    }
}

fn conversion(object: &PhpObject) -> &mut Conversion {
    object.native::<Conversion>().expect("made with the object")
}

/// Notes a problem of the object.
fn fail(vm: &mut Vm, object: &PhpObject, code: i64, message: &str) -> PhpResult<()> {
    conversion(object).problem = errors::set(vm, code, message);
    vm.check()
}

/// Notes what an ICU function is said to have given back.
fn fail_by(vm: &mut Vm, object: &PhpObject, function: &str, code: i64) -> PhpResult<()> {
    let name = errors::name(code);
    let message = format!("{function}() returned error {code}: {name}");
    fail(vm, object, code, &message)
}

/// Forgets the last problem.
fn clear(vm: &mut Vm, object: &PhpObject) {
    conversion(object).problem = LastError::default();
    errors::clear(vm);
}

/// Opens one end; false if there is no such converter, which has been noted.
fn open(vm: &mut Vm, object: &ObjectHandle, side: Side, name: &[u8]) -> PhpResult<bool> {
    match End::open(vm, name)? {
        Some(end) => {
            let old = conversion(object).end(side).replace(end);
            if old.is_some() {
                callbacks::close_end(vm, object)?;
            }
            Ok(true)
        }
        None => {
            fail_by(vm, object, "ucnv_open", FILE_ACCESS)?;
            Ok(false)
        }
    }
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    clear(call.vm, &object);
    for (side, index) in [(Side::Source, 1), (Side::Target, 0)] {
        let name = call.optional_bytes(index).unwrap_or(b"UTF-8");
        open(call.vm, &object, side, name)?;
    }
    Ok(Value::NULL)
}

fn set_encoding(call: &mut Call<'_>, side: Side) -> PhpResult<Value> {
    let object = this(call);
    clear(call.vm, &object);
    open(call.vm, &object, side, call.bytes(0)).map(Value::from)
}

fn encoding(call: &mut Call<'_>, side: Side) -> PhpResult<Value> {
    let object = this(call);
    clear(call.vm, &object);
    match conversion(&object).end(side) {
        Some(end) => text(call.vm, end.converter.name()),
        None => Ok(Value::NULL),
    }
}

fn kind(call: &mut Call<'_>, side: Side) -> PhpResult<Value> {
    let object = this(call);
    clear(call.vm, &object);
    let end = conversion(&object).end(side).as_ref();
    Ok(end.map_or(Value::NULL, |end| i64::from(end.converter.kind).into()))
}

fn substitute(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    clear(call.vm, &object);
    match &conversion(&object).source {
        Some(end) => text(call.vm, &end.substitute[..]),
        None => Ok(Value::NULL),
    }
}

fn set_substitute(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    clear(call.vm, &object);
    let mut all = true;
    for (side, name) in [(Side::Source, "Source"), (Side::Target, "Destination")] {
        let end = conversion(&object).end(side).as_mut();
        match end.map(|end| end.substitute(call.bytes(0))) {
            Some(true) => continue,
            Some(false) => fail_by(call.vm, &object, "ucnv_setSubstChars", ILLEGAL_ARGUMENT)?,
            None => {
                let message = format!("{name} Converter has not been initialized yet");
                fail(call.vm, &object, INVALID_STATE, &message)?;
            }
        }
        all = false;
    }
    Ok(all.into())
}

/// What both callbacks do if no class overrides them.
fn default_answer(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let is_about_text = matches!(call.long(0), 0..=2);
    let mut answer = Value::NULL;
    let mut code = 0;
    if is_about_text {
        let substitute = match &conversion(&object).source {
            Some(end) => end.substitute.clone(),
            None => {
                code = INVALID_STATE;
                fail(
                    call.vm,
                    &object,
                    code,
                    "Source Converter has not been initialized yet",
                )?;
                Vec::new()
            }
        };
        answer = text(call.vm, substitute)?;
    }
    call.assign(3, code.into());
    Ok(answer)
}

fn convert(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    clear(call.vm, &object);
    let state = conversion(&object);
    let (Some(source), Some(target)) = (state.source.clone(), state.target.clone()) else {
        let message = "Internal converters not initialized";
        fail(call.vm, &object, INVALID_STATE, message)?;
        return Ok(false.into());
    };
    let (from, to) = match call.bool(1) {
        true => (target, source),
        false => (source, target),
    };
    let told = callbacks::is_told(call.vm, &object).then_some(&object);
    let bytes = call.bytes(0);
    let done = to_characters(call.vm, &from, bytes, told)?
        .map(|characters| from_characters(call.vm, &to, &characters, told));
    let (function, code) = match done {
        Ok(converted) => match converted? {
            Ok(converted) => return text(call.vm, converted),
            Err(code) => ("ucnv_fromUChars", code),
        },
        Err(code) => ("ucnv_toUChars", code),
    };
    fail_by(call.vm, &object, function, code)?;
    Ok(false.into())
}

fn transcode(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let mut ends = Vec::with_capacity(2);
    for index in [2, 1] {
        match End::open(call.vm, call.bytes(index))? {
            Some(end) => ends.push(end),
            None => {
                let name = errors::name(FILE_ACCESS);
                let message = format!("Error setting encoding: {FILE_ACCESS} - {name}");
                errors::set(call.vm, FILE_ACCESS, &message);
                call.vm.check()?;
                return Ok(false.into());
            }
        }
    }
    if call.has(3) {
        for (end, option) in ends.iter_mut().zip(["from_subst", "to_subst"]) {
            let wanted = call.elements(3).get_bytes(option.as_bytes());
            let wanted = wanted.and_then(|value| value.deref().as_bytes());
            if wanted.is_some_and(|wanted| !end.substitute(wanted)) {
                return transcode_failed(call, ILLEGAL_ARGUMENT);
            }
        }
    }
    let (from, to) = (&ends[0], &ends[1]);
    let characters = match to_characters(call.vm, from, call.bytes(0), None)? {
        Ok(characters) => characters,
        Err(code) => return transcode_failed(call, code),
    };
    match from_characters(call.vm, to, &characters, None)? {
        Ok(converted) => text(call.vm, converted),
        Err(code) => transcode_failed(call, code),
    }
}

fn transcode_failed(call: &mut Call<'_>, code: i64) -> PhpResult<Value> {
    let name = errors::name(code);
    errors::set(
        call.vm,
        code,
        format!("transcode() returned error {code}: {name}"),
    );
    call.vm.check()?;
    Ok(false.into())
}

fn reason_text(call: &mut Call<'_>) -> PhpResult<Value> {
    let reason = usize::try_from(call.long(0)).ok();
    match reason.and_then(|reason| REASONS.get(reason)) {
        Some(name) => text(call.vm, *name),
        None => {
            Err::<Value, Thrown>(call.value_error(0, "must be a UConverter::REASON_* constant"))
        }
    }
}

fn names(call: &mut Call<'_>, names: impl Iterator<Item = &'static str>) -> PhpResult<Value> {
    let names: Vec<Value> = names.map(|name| call.vm.string(name).into()).collect();
    Ok(list(call.vm, names))
}

fn aliases(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let found = table::find(call.bytes(0));
    let known = found.iter().flat_map(|(converter, _)| converter.names());
    let known: Vec<&'static str> = known.map(|(name, _)| name).collect();
    names(call, known.into_iter())
}
