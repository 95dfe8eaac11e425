//! The class `Collator`: texts in the order of a language, by ICU4X.

mod attributes;
mod sort;

use std::cmp::Ordering;

use icu_collator::CollatorBorrowed;
use vm_runtime::class::{NativeClass, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, NativeDefinition, class_flags};
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use self::attributes::Attributes;
use super::errors::{self, ILLEGAL_ARGUMENT, INVALID_CHARACTER, LastError};
use super::ident::{Ident, parent};
use super::native::{self, Held, Refused, State, failed, held};
use super::{locale, pack};
use crate::support::{apart, text};

/// Both tables from one list: names of function and method, parameters, result, and what is done; that is told with
/// which argument the parameters start.
macro_rules! both {
    ($($function:literal $method:literal($($parameters:literal)?) $result:literal => $code:path;)*) => {
        /// The functions.
        pub(in crate::intl) static FUNCTIONS: &[NativeDefinition] = &[
            method("collator_create(string $locale): ?Collator", native::create_function::<Order>),
            $(method(
                concat!("collator_", $function, "(Collator $object" $(, ", ", $parameters)?, "): ", $result),
                |call| $code(call, 1),
            ),)*
        ];

        /// The class.
        pub(in crate::intl) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class Collator")
            .flags(class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE)
            .create_native(native::create::<Order>)
            .constants(&[
                "int DEFAULT_VALUE = -1",
                "int PRIMARY = 0",
                "int SECONDARY = 1",
                "int TERTIARY = 2",
                "int DEFAULT_STRENGTH = 2",
                "int QUATERNARY = 3",
                "int IDENTICAL = 15",
                "int OFF = 16",
                "int ON = 17",
                "int SHIFTED = 20",
                "int NON_IGNORABLE = 21",
                "int LOWER_FIRST = 24",
                "int UPPER_FIRST = 25",
                "int FRENCH_COLLATION = 0",
                "int ALTERNATE_HANDLING = 1",
                "int CASE_FIRST = 2",
                "int CASE_LEVEL = 3",
                "int NORMALIZATION_MODE = 4",
                "int STRENGTH = 5",
                "int HIRAGANA_QUATERNARY_MODE = 6",
                "int NUMERIC_COLLATION = 7",
                "int SORT_REGULAR = 0",
                "int SORT_STRING = 1",
                "int SORT_NUMERIC = 2",
            ])
            .methods(&[
                method("public function __construct(string $locale)", native::construct::<Order>),
                method("tentative public static function create(string $locale): ?Collator", native::create_static::<Order>),
                $(method(
                    concat!("tentative public function ", $method, "(" $(, $parameters)?, "): ", $result),
                    |call| $code(call, 0),
                ),)*
            ])];
    };
}

both! {
    "compare" "compare"("string $string1, string $string2") "int|false" => compare;
    "get_attribute" "getAttribute"("int $attribute") "int|false" => attributes::get;
    "set_attribute" "setAttribute"("int $attribute, int $value") "bool" => attributes::set;
    "get_strength" "getStrength"() "int" => attributes::get_strength;
    "set_strength" "setStrength"("int $strength") "true" => attributes::set_strength;
    "sort" "sort"("array &$array, int $flags = Collator::SORT_REGULAR") "bool" => sort::sort;
    "sort_with_sort_keys" "sortWithSortKeys"("array &$array") "bool" => sort::sort_with_keys;
    "asort" "asort"("array &$array, int $flags = Collator::SORT_REGULAR") "bool" => sort::asort;
    "get_locale" "getLocale"("int $type") "string|false" => get_locale;
    "get_error_code" "getErrorCode"() "int|false" => get_error_code;
    "get_error_message" "getErrorMessage"() "string|false" => get_error_message;
    "get_sort_key" "getSortKey"("string $string") "string|false" => get_sort_key;
}

/// What an object compares with.
struct Order {
    collator: CollatorBorrowed<'static>,
    /// The locale by its tag.
    tag: String,
    /// The locale that there are resources of.
    valid: String,
    /// Which of its collations was asked for.
    kind: Option<String>,
    attributes: Attributes,
    problem: LastError,
}

impl Held for Order {
    const CLASS: &str = "Collator";
    const NOT_MADE: &str = "Object not initialized";
    const NOT_CLONED: Option<&str> = None;

    fn made(call: &mut Call<'_>) -> PhpResult<Result<Order, Refused>> {
        errors::clear(call.vm);
        if let Some(problem) = locale::too_long(call, 0) {
            return Ok(Err(Refused(ILLEGAL_ARGUMENT, problem)));
        }
        let name = locale::named(call, 0);
        let ident = Ident::of_tag(&name);
        let tag = tag(&ident);
        let attributes = Attributes::of(&ident);
        let order = match locale::is_malformed(&name) {
            true => None,
            false => attributes.collator(&tag).map(|collator| Order {
                collator,
                valid: known_locale(&ident.base()),
                kind: ident.keyword("collation").map(str::to_owned),
                tag,
                attributes,
                problem: LastError::default(),
            }),
        };
        let problem = "collator_create: unable to open ICU collator";
        Ok(order.ok_or_else(|| Refused(ILLEGAL_ARGUMENT, problem.to_owned())))
    }

    fn copied(&self) -> Option<Order> {
        Some(Order {
            collator: self.attributes.collator(&self.tag)?,
            tag: self.tag.clone(),
            valid: self.valid.clone(),
            kind: self.kind.clone(),
            attributes: self.attributes.clone(),
            problem: self.problem.clone(),
        })
    }

    fn problem(&mut self) -> &mut LastError {
        &mut self.problem
    }
}

/// The locale of ICU's collations that is next to a locale.
fn known_locale(base: &str) -> String {
    let known = pack::root().get("collations");
    let mut name = base;
    while name != "root" && !name.is_empty() {
        if known.is_some_and(|known| known.get(name).is_some()) {
            return name.to_owned();
        }
        name = parent(name).unwrap_or("root");
    }
    "root".to_owned()
}

/// The tag of a locale, with what it says of collation.
fn tag(ident: &Ident) -> String {
    let mut tag = match ident.language.as_str() {
        "" => "und".to_owned(),
        language => language.to_owned(),
    };
    for part in [&ident.script, &ident.region] {
        if !part.is_empty() {
            tag.push('-');
            tag.push_str(part);
        }
    }
    let kind = match ident.keyword("collation") {
        Some("phonebook") => Some("phonebk"),
        Some("traditional") => Some("trad"),
        Some("dictionary") => Some("dict"),
        Some("gb2312han") => Some("gb2312"),
        kind => kind,
    };
    if let Some(kind) = kind {
        tag.push_str("-u-co-");
        tag.push_str(kind);
    }
    tag
}

fn compare(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, order) = held::<Order>(call, first)?;
    let (one, two) = (call.bytes(first), call.bytes(first + 1));
    if std::str::from_utf8(one).is_err() {
        let problem = "Error converting first argument to UTF-16";
        return failed(call.vm, order, INVALID_CHARACTER, problem);
    }
    if std::str::from_utf8(two).is_err() {
        let problem = "Error converting second argument to UTF-16";
        return failed(call.vm, order, INVALID_CHARACTER, problem);
    }
    Ok((order.compare(one, two) as i64).into())
}

/// Bytes of a text that is compared, and whose sort key is made, while limits are looked at.
const LONG_TEXT: usize = 64 * 1024;

fn sort_key(collator: &CollatorBorrowed<'_>, source: &str) -> Vec<u8> {
    let mut key = Vec::new();
    let Ok(()) = collator.write_sort_key_to(source, &mut key);
    key
}

impl Order {
    /// Compares texts; of bytes that are no part of UTF-8, each stands for a replacement character.
    fn compare(&self, one: &[u8], two: &[u8]) -> Ordering {
        limits::poll();
        if one.len().min(two.len()) > LONG_TEXT
            && let Some(collator) = self.attributes.collator(&self.tag)
        {
            let (one, two) = (one.to_owned(), two.to_owned());
            return apart(move || collator.compare_utf8(&one, &two));
        }
        self.collator.compare_utf8(one, two)
    }

    fn sort_key(&self, source: &str) -> Vec<u8> {
        limits::poll();
        if source.len() > LONG_TEXT
            && let Some(collator) = self.attributes.collator(&self.tag)
        {
            let source = source.to_owned();
            return apart(move || sort_key(&collator, &source));
        }
        sort_key(&self.collator, source)
    }
}

fn get_sort_key(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, order) = held::<Order>(call, first)?;
    let Ok(source) = std::str::from_utf8(call.bytes(first)) else {
        let problem = "Error converting first argument to UTF-16";
        return failed(call.vm, order, INVALID_CHARACTER, problem);
    };
    text(call.vm, order.sort_key(source))
}

fn get_locale(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, order) = held::<Order>(call, first)?;
    let locale = match call.long(first) {
        0 if order.kind.is_none() => {
            let actual = pack::root().find(&["collations", &order.valid]);
            actual.and_then(pack::Node::text).unwrap_or("root")
        }
        0 | 1 => order.valid.as_str(),
        _ => {
            let problem = "Error getting locale by type";
            return failed(call.vm, order, ILLEGAL_ARGUMENT, problem);
        }
    };
    match &order.kind {
        Some(kind) => text(call.vm, format!("{locale}@collation={kind}")),
        None => text(call.vm, locale),
    }
}

/// The last problem of an object, which looking at does not forget.
fn problem(call: &mut Call<'_>, first: usize) -> PhpResult<LastError> {
    let object = match first {
        0 => crate::spl::this(call),
        _ => call.object(0),
    };
    match object
        .native::<State<Order>>()
        .and_then(|state| state.0.as_ref())
    {
        Some(order) => Ok(order.problem.clone()),
        None => Err(call
            .vm
            .throw_error(KnownClass::Error, "Object not initialized")),
    }
}

fn get_error_code(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    Ok(problem(call, first)?.code.into())
}

fn get_error_message(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let message = problem(call, first)?.text();
    text(call.vm, message)
}
