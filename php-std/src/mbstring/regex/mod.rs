//! `mb_ereg` and its kin: Ruby's regular expressions, by PCRE2.
//!
//! Patterns and texts are matched as UTF-8, whatever they are in, and results given back in the encoding
//! of the extension's own setting. What Ruby's syntax says otherwise than PCRE2's is translated.

mod functions;
mod options;
mod search;

use std::rc::Rc;

use hashbrown::HashMap;
use vm_runtime::vm::{PhpResult, Vm};

use super::encoding::{Encoding, find, utf8_encoding};
use crate::pcre::{Machine, Regex};
use options::{Options, Syntax};

/// Compiled patterns that are kept.
const KEPT: usize = 256;

/// A pattern that was compiled: its text in UTF-8 and how it is meant.
type Key = (Box<[u8]>, Options);

/// What the functions remember.
#[derive(Debug, Default)]
struct State {
    machine: Machine,
    compiled: HashMap<Key, Rc<Regex>, foldhash::fast::FixedState>,
    options: Options,
    encoding: Option<&'static Encoding>,
    search: search::Search,
}

fn state(vm: &mut Vm) -> &mut State {
    vm.extensions.state()
}

/// The encoding of patterns and texts.
fn encoding(vm: &mut Vm) -> &'static Encoding {
    state(vm).encoding.unwrap_or_else(utf8_encoding)
}

/// A text and how to get from places in its UTF-8 to places in it.
#[derive(Debug)]
struct Subject {
    encoding: &'static Encoding,
    utf8: Vec<u8>,
}

impl Subject {
    /// A text in the encoding of the setting; none if it is not valid.
    fn new(vm: &mut Vm, text: &[u8]) -> Option<Subject> {
        let encoding = encoding(vm);
        if !encoding.is_valid(text) {
            return None;
        }
        let utf8 = to_utf8(encoding, text);
        Some(Subject { encoding, utf8 })
    }

    /// A piece in the text's own encoding.
    fn own(&self, piece: &[u8]) -> Vec<u8> {
        from_utf8(self.encoding, piece)
    }

    /// The place in the text that a place in its UTF-8 is.
    fn offset(&self, at: usize) -> usize {
        match self.encoding.is_utf8() {
            true => at,
            false => self.own(&self.utf8[..at]).len(),
        }
    }

    /// The place in the text's UTF-8 that a place in it is.
    fn place(&self, text: &[u8], offset: usize) -> usize {
        let offset = offset.min(text.len());
        match self.encoding.is_utf8() {
            true => offset,
            false => to_utf8(self.encoding, &text[..offset]).len(),
        }
    }
}

fn to_utf8(encoding: &Encoding, text: &[u8]) -> Vec<u8> {
    if encoding.is_utf8() {
        return text.to_vec();
    }
    let characters = encoding.decode(text);
    let (bytes, _) = utf8_encoding().encode(&characters, super::encoding::Substitute::None);
    bytes
}

fn from_utf8(encoding: &Encoding, text: &[u8]) -> Vec<u8> {
    if encoding.is_utf8() {
        return text.to_vec();
    }
    let characters = utf8_encoding().decode(text);
    let (bytes, _) = encoding.encode(&characters, super::encoding::Substitute::None);
    bytes
}

/// The regular expression that a pattern is; none after a warning.
fn compiled(vm: &mut Vm, pattern: &[u8], options: Options) -> PhpResult<Option<Rc<Regex>>> {
    let encoding = encoding(vm);
    if !encoding.is_valid(pattern) {
        let name = encoding.name;
        vm.function_warning(format!("Pattern is not valid under {name} encoding"));
        vm.check()?;
        return Ok(None);
    }
    let pattern = to_utf8(encoding, pattern);
    let key: Key = (pattern.into(), options);
    if let Some(found) = state(vm).compiled.get(&key) {
        return Ok(Some(found.clone()));
    }
    forget_other_options(vm, &key.0);
    let translated = options::translate(&key.0, options.syntax);
    match Regex::compile(&translated, options.of_pcre(&translated), 0, true) {
        Ok(regex) => {
            let regex = Rc::new(regex);
            let state = state(vm);
            if state.compiled.len() >= KEPT {
                state.compiled.clear();
            }
            state.compiled.insert(key, regex.clone());
            Ok(Some(regex))
        }
        Err(error) => {
            let reason = options::error_text(&key.0, &error.message);
            vm.function_warning(format!("mbregex compile err: {reason}"));
            vm.check()?;
            Ok(None)
        }
    }
}

/// A pattern is kept with one set of options only; the search that used it with others loses it.
fn forget_other_options(vm: &mut Vm, pattern: &[u8]) {
    let state = state(vm);
    let searched = state.search.regex.as_ref().map(|(regex, _)| regex.clone());
    let mut is_lost = false;
    state.compiled.retain(|(known, _), regex| {
        if &**known != pattern {
            return true;
        }
        is_lost |= searched
            .as_ref()
            .is_some_and(|searched| Rc::ptr_eq(searched, regex));
        false
    });
    if is_lost {
        state.search.regex = None;
    }
}

/// Limits of matches, by the settings.
fn set_limits(vm: &mut Vm) {
    let steps = vm.ini.long("mbstring.regex_retry_limit");
    let depth = vm.ini.long("mbstring.regex_stack_limit");
    let limit = |number: i64| match number {
        ..=0 => u32::MAX,
        number => u32::try_from(number).unwrap_or(u32::MAX),
    };
    // PCRE2's steps are smaller than Oniguruma's retries.
    let (steps, depth) = (limit(steps.saturating_mul(8)), limit(depth));
    state(vm).machine.set_limits(steps, depth);
}

/// Registers functions and constants.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    vm.register_functions(functions::FUNCTIONS);
    vm.register_functions(search::FUNCTIONS);
    let version = vm.string("6.9.9").into();
    crate::support::define_one(vm, "MB_ONIGURUMA_VERSION", version);
}

/// The encodings that Oniguruma knows: how they are called here, and what else is taken for them.
const KNOWN: &[&[&str]] = &[
    &["EUC-JP", "EUCJP", "X-EUC-JP", "UJIS", "EUCJP-WIN"],
    &["UTF-8", "UTF8"],
    &["UTF-16", "UTF-16BE"],
    &["UTF-16LE"],
    &["UCS-4", "UTF-32", "UTF-32BE"],
    &["UCS-4LE", "UTF-32LE"],
    &[
        "SJIS",
        "CP932",
        "MS932",
        "SHIFT_JIS",
        "SJIS-WIN",
        "WINDOWS-31J",
    ],
    &["BIG5", "BIG-5", "BIGFIVE", "CN-BIG5", "BIG-FIVE"],
    &["EUC-CN", "EUCCN", "EUC_CN", "GB-2312", "GB2312"],
    &["EUC-TW", "EUCTW", "EUC_TW"],
    &["EUC-KR", "EUCKR", "EUC_KR"],
    &["KOI8R", "KOI8-R", "KOI-8R"],
    &["ASCII", "US-ASCII", "US_ASCII", "ISO646"],
];

fn of_oniguruma(name: &[u8]) -> Option<&'static str> {
    let same = |known: &&str| known.as_bytes().eq_ignore_ascii_case(name);
    let mut known = KNOWN.iter();
    known
        .find(|names| names.iter().any(&same))
        .map(|names| names[0])
}

/// The encoding of a name, for the setting.
fn named(name: &[u8]) -> Option<&'static Encoding> {
    if let Some(known) = of_oniguruma(name) {
        return find(known.as_bytes());
    }
    find(name).filter(|encoding| encoding.name.starts_with("ISO-8859-"))
}

/// What the setting calls an encoding.
fn name_of(encoding: &'static Encoding) -> &'static str {
    of_oniguruma(encoding.name.as_bytes()).unwrap_or(encoding.name)
}

/// The syntax and options that a text of letters says.
fn parse_options(vm: &mut Vm, letters: &[u8]) -> PhpResult<Options> {
    let mut options = Options::plain();
    for &letter in letters {
        match letter {
            b'i' => options.ignore_case = true,
            b'x' => options.extended = true,
            b'm' => options.dot_all = true,
            b's' => options.single_line = true,
            b'p' => (options.dot_all, options.single_line) = (true, true),
            b'l' => options.longest = true,
            b'n' => options.not_empty = true,
            _ => match Syntax::of_letter(letter) {
                Some(syntax) => options.syntax = syntax,
                None => {
                    let shown = vm_runtime::message::text(&[letter]).into_owned();
                    let message = format!("Option \"{shown}\" is not supported");
                    return Err(
                        vm.throw_error(vm_runtime::exceptions::KnownClass::ValueError, message)
                    );
                }
            },
        }
    }
    Ok(options)
}
