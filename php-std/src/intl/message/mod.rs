//! The class `MessageFormatter`: texts with arguments, plurals and choices.
//!
//! Numbers in words, as ranks and as spans of time, and what skeletons (`::`) describe are not built: patterns that ask
//! for them are refused.

mod format;
mod parse;
mod pattern;
mod table;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

pub(super) use pattern::plural_form;
pub(super) use table::{CLASSES, FUNCTIONS};

use self::pattern::{Kind, Malformed, Part, Simple};
use super::errors::{self, ILLEGAL_ARGUMENT, INVALID_CHARACTER, LastError, UNSUPPORTED};
use super::locale;
use super::native::{self, Held, Refused, State, failed, held};
use crate::support::text;

/// Codes of ICU for what is wrong with patterns and arguments.
const SYNTAX_ERROR: i64 = 65_799;
const UNMATCHED_BRACES: i64 = 65_801;
const TYPE_MISMATCH: i64 = 65_804;
const MESSAGE_PARSE_ERROR: i64 = 6;

/// A formatter of messages.
#[derive(Debug, Clone)]
struct Formatter {
    locale: String,
    pattern: String,
    parts: Vec<Part>,
    problem: LastError,
}

impl Held for Formatter {
    const CLASS: &str = "MessageFormatter";
    const NOT_MADE: &str = "Found unconstructed MessageFormatter";
    const NOT_CLONED: Option<&str> = Some("Cannot clone uninitialized MessageFormatter");

    fn made(call: &mut Call<'_>) -> PhpResult<Result<Formatter, Refused>> {
        errors::clear(call.vm);
        let name = locale::named(call, 0);
        let made = Formatter::new(name, call.bytes(1));
        Ok(made.map_err(|(code, words)| {
            let usual = match code {
                INVALID_CHARACTER => "msgfmt_create: error converting pattern to UTF-16",
                _ => "msgfmt_create: message formatter creation failed",
            };
            Refused(code, words.unwrap_or_else(|| usual.to_owned()))
        }))
    }

    fn copied(&self) -> Option<Formatter> {
        Some(self.clone())
    }

    fn problem(&mut self) -> &mut LastError {
        &mut self.problem
    }
}

/// Why a pattern is refused: a code, and words if there are any.
type Refusal = (i64, Option<String>);

/// What is wrong with a pattern.
fn refusal(pattern: &str, problem: Malformed) -> Refusal {
    match problem {
        Malformed::Unmatched => (UNMATCHED_BRACES, None),
        Malformed::Other => (ILLEGAL_ARGUMENT, None),
        Malformed::Syntax(at) => {
            let before = &pattern[pattern[..at]
                .char_indices()
                .rev()
                .nth(14)
                .map_or(0, |(at, _)| at)..at];
            let after = &pattern[at..];
            let after = &after[..after
                .char_indices()
                .nth(15)
                .map_or(after.len(), |(at, _)| at)];
            let shown = format!(
                "pattern syntax error (parse error at offset {}, after \"{before}\", before or at \"{after}\")",
                pattern[..at].chars().map(char::len_utf16).sum::<usize>()
            );
            (SYNTAX_ERROR, Some(shown))
        }
    }
}

/// True if some part asks for what is not built.
fn is_unbuilt(parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Argument(_, Kind::Simple(Simple::Number, style)) => style.starts_with("::"),
        Part::Argument(_, Kind::Plural { cases, .. } | Kind::Select(cases)) => {
            cases.iter().any(|(_, parts)| is_unbuilt(parts))
        }
        Part::Argument(_, Kind::Choice(cases)) => {
            cases.iter().any(|(_, _, parts)| is_unbuilt(parts))
        }
        _ => false,
    })
}

impl Formatter {
    fn new(locale: String, pattern: &[u8]) -> Result<Formatter, Refusal> {
        let Ok(pattern) = std::str::from_utf8(pattern) else {
            return Err((INVALID_CHARACTER, None));
        };
        if pattern.is_empty() {
            return Err((ILLEGAL_ARGUMENT, None));
        }
        let parts = pattern::parts(pattern).map_err(|problem| refusal(pattern, problem))?;
        if is_unbuilt(&parts) {
            return Err((UNSUPPORTED, None));
        }
        Ok(Formatter {
            locale,
            pattern: pattern.to_owned(),
            parts,
            problem: LastError::default(),
        })
    }
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    native::construct_telling::<Formatter>(call, |vm, Refused(code, problem)| {
        errors::constructor_failed(vm, "MessageFormatter::__construct", code, &problem)
    })
}

fn format_message(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = locale::named(call, 0);
    match Formatter::new(name, call.bytes(1)) {
        Ok(mut formatter) => {
            errors::clear(call.vm);
            format::formatted(call, &mut formatter, 2)
        }
        Err((INVALID_CHARACTER, _)) => {
            let problem = "msgfmt_format_message: error converting pattern to UTF-16";
            errors::failed(call.vm, ILLEGAL_ARGUMENT, problem, false.into())
        }
        Err((code, Some(words))) => errors::failed(call.vm, code, &words, false.into()),
        Err((_, None)) => {
            // PHP leaves the code that was there.
            let code = call.vm.extensions.state::<LastError>().code;
            errors::failed(
                call.vm,
                code,
                "Creating message formatter failed",
                false.into(),
            )
        }
    }
}

fn parse_message(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let name = locale::named(call, 0);
    match Formatter::new(name, call.bytes(1)) {
        Ok(mut formatter) => parse::parsed(call, &mut formatter, 2),
        Err((code, _)) => errors::failed(
            call.vm,
            code,
            "Creating message formatter failed",
            false.into(),
        ),
    }
}

fn format_values(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    format::formatted(call, formatter, first)
}

fn parse_text(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    parse::parsed(call, formatter, first)
}

fn set_pattern(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    if call.bytes(first).is_empty() {
        formatter.pattern.clear();
        formatter.parts.clear();
        return Ok(true.into());
    }
    match Formatter::new(formatter.locale.clone(), call.bytes(first)) {
        Ok(other) => {
            *formatter = other;
            Ok(true.into())
        }
        Err((code, _)) => failed(
            call.vm,
            formatter,
            code,
            "Error setting symbol value at line 0, offset 0",
        ),
    }
}

fn get_pattern(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    text(call.vm, &formatter.pattern)
}

fn get_locale(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let (_object, formatter) = held::<Formatter>(call, first)?;
    let ident = super::ident::Ident::of_tag(&formatter.locale);
    // What stands behind the name and is no setting stays.
    let name = match formatter.locale.split_once('@') {
        Some((_, rest)) if !rest.contains('=') => format!("{}@{rest}", ident.base()),
        _ => ident.name(),
    };
    text(call.vm, name)
}

/// The last problem of a formatter, which looking at does not forget.
fn problem(call: &mut Call<'_>, first: usize) -> PhpResult<LastError> {
    let object = match first {
        0 => crate::spl::this(call),
        _ => call.object(0),
    };
    let state = object
        .native::<State<Formatter>>()
        .and_then(|state| state.0.as_ref());
    Ok(state
        .map(|formatter| formatter.problem.clone())
        .unwrap_or_default())
}

fn get_error_code(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    Ok(problem(call, first)?.code.into())
}

fn get_error_message(call: &mut Call<'_>, first: usize) -> PhpResult<Value> {
    let message = problem(call, first)?.text();
    text(call.vm, message)
}
