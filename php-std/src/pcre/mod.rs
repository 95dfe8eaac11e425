//! The extension `pcre`: regular expressions.

mod matching;
mod pattern;
mod regex;
mod replace;
mod split;

use std::rc::Rc;

use vm_runtime::function::Call;
use vm_runtime::ini::{IniDefinition, OnChange, access, parse_bool, parse_long};
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{define, direct, functions, text};
use regex::MatchError;
pub(crate) use regex::{ANCHORED, CASELESS, DUPLICATE_NAMES, MULTILINE, Machine, Regex, UTF};

functions! {
    "preg_last_error(): int" => preg_last_error | preg_last_error_directly,
    "preg_last_error_msg(): string" => preg_last_error_msg,
}

const fn setting(name: &'static str, default: &'static str, on_change: OnChange) -> IniDefinition {
    IniDefinition {
        name,
        default: Some(default),
        access: access::ALL,
        on_change: Some(on_change),
    }
}

/// A limit as PCRE2 takes it.
fn limit(value: Option<&[u8]>) -> u32 {
    parse_long(value.unwrap_or_default()).clamp(0, u32::MAX as i64) as u32
}

fn change_steps(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    vm.extensions.state::<State>().steps = limit(value);
    true
}

fn change_depth(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    vm.extensions.state::<State>().depth = limit(value);
    true
}

fn change_jit(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let state = vm.extensions.state::<State>();
    state.jit = parse_bool(value.unwrap_or_default());
    state.forget_patterns();
    true
}

static SETTINGS: &[IniDefinition] = &[
    setting("pcre.backtrack_limit", "1000000", change_steps),
    setting("pcre.jit", "1", change_jit),
    setting("pcre.recursion_limit", "100000", change_depth),
];

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    vm.register_functions(FUNCTIONS);
    vm.register_functions(matching::FUNCTIONS);
    vm.register_functions(replace::FUNCTIONS);
    vm.register_functions(split::FUNCTIONS);
    define(
        vm,
        &[
            ("PREG_PATTERN_ORDER", matching::PATTERN_ORDER),
            ("PREG_SET_ORDER", matching::SET_ORDER),
            ("PREG_OFFSET_CAPTURE", matching::OFFSET_CAPTURE),
            ("PREG_UNMATCHED_AS_NULL", matching::UNMATCHED_AS_NULL),
            ("PREG_SPLIT_NO_EMPTY", split::NO_EMPTY),
            ("PREG_SPLIT_DELIM_CAPTURE", split::DELIMITER_CAPTURE),
            ("PREG_SPLIT_OFFSET_CAPTURE", split::OFFSET_CAPTURE),
            ("PREG_GREP_INVERT", split::GREP_INVERT),
            ("PREG_NO_ERROR", 0),
            ("PREG_INTERNAL_ERROR", MatchError::Internal as i64),
            (
                "PREG_BACKTRACK_LIMIT_ERROR",
                MatchError::BacktrackLimit as i64,
            ),
            (
                "PREG_RECURSION_LIMIT_ERROR",
                MatchError::RecursionLimit as i64,
            ),
            ("PREG_BAD_UTF8_ERROR", MatchError::BadUtf8 as i64),
            (
                "PREG_BAD_UTF8_OFFSET_ERROR",
                MatchError::BadUtf8Offset as i64,
            ),
            ("PREG_JIT_STACKLIMIT_ERROR", MatchError::JitStack as i64),
            ("PCRE_VERSION_MAJOR", 10),
            ("PCRE_VERSION_MINOR", 46),
        ],
    );
    define(vm, &[("PCRE_JIT_SUPPORT", true)]);
    let version: Value = vm.string("10.46 2025-08-27").into();
    crate::support::define_one(vm, "PCRE_VERSION", version);
}

/// What the extension keeps in a VM.
#[derive(Debug)]
struct State {
    cache: hashbrown::HashMap<Box<[u8]>, Rc<Regex>, foldhash::fast::FixedState>,
    recent: pattern::Recent,
    /// What the patterns in `cache` took when they came in.
    cached_bytes: usize,
    machine: Machine,
    error: Option<MatchError>,
    /// `pcre.backtrack_limit`
    steps: u32,
    /// `pcre.recursion_limit`
    depth: u32,
    /// `pcre.jit`
    jit: bool,
}

impl Default for State {
    fn default() -> State {
        State {
            cache: Default::default(),
            recent: Default::default(),
            cached_bytes: 0,
            machine: Default::default(),
            error: None,
            steps: 1_000_000,
            depth: 100_000,
            jit: true,
        }
    }
}

impl State {
    fn forget_patterns(&mut self) {
        self.cache.clear();
        self.recent = Default::default();
        self.cached_bytes = 0;
    }
}

/// What is wrong with a pattern, if it cannot be compiled.
pub(crate) fn problem_of(vm: &mut Vm, pattern: &[u8]) -> Option<String> {
    pattern::try_compiled(vm, pattern).err()
}

/// Whether a pattern matches; nothing, after a warning, if it is broken.
#[cfg(feature = "zip")]
pub(crate) fn matches(vm: &mut Vm, pattern: &[u8], subject: &[u8]) -> Option<bool> {
    let regex = pattern::compiled(vm, pattern)?;
    let mut matcher = regex.matcher(machine(vm), subject);
    Some(matcher.find(0, false).unwrap_or(false))
}

/// The matching machine for a match that begins: the last one's error is forgotten.
fn machine(vm: &mut Vm) -> &Machine {
    let state = vm.extensions.state::<State>();
    state.error = None;
    state.limited_machine()
}

impl State {
    /// The matching machine with the limits that are set now.
    fn limited_machine(&mut self) -> &Machine {
        self.machine.set_limits(self.steps, self.depth);
        &self.machine
    }
}

/// Forgets the last match's error before the first of several matches.
fn forget_error(vm: &mut Vm) {
    vm.extensions.state::<State>().error = None;
}

fn set_error(vm: &mut Vm, error: MatchError) {
    vm.extensions.state::<State>().error = Some(error);
}

direct! {
    fn preg_last_error_directly(vm;) {
        let error = vm.extensions.state::<State>().error;
        error.map_or(0, |error| error as i64)
    }
}

fn preg_last_error(call: &mut Call<'_>) -> PhpResult<Value> {
    let error = call.vm.extensions.state::<State>().error;
    Ok(error.map_or(0, |error| error as i64).into())
}

fn preg_last_error_msg(call: &mut Call<'_>) -> PhpResult<Value> {
    let error = call.vm.extensions.state::<State>().error;
    let message = match error {
        None => "No error",
        Some(MatchError::Internal) => "Internal error",
        Some(MatchError::BacktrackLimit) => "Backtrack limit exhausted",
        Some(MatchError::RecursionLimit) => "Recursion limit exhausted",
        Some(MatchError::BadUtf8) => "Malformed UTF-8 characters, possibly incorrectly encoded",
        Some(MatchError::BadUtf8Offset) => {
            "The offset did not correspond to the beginning of a valid UTF-8 code point"
        }
        Some(MatchError::JitStack) => "JIT stack limit exhausted",
    };
    text(call.vm, message)
}
