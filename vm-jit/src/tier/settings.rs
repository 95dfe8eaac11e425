//! The settings of the tier.

use vm_runtime::ini::{IniDefinition, access, parse_bool, parse_quantity};
use vm_runtime::vm::Vm;

use super::Jit;

/// When functions are compiled (`opline.jit`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Never.
    #[default]
    Off,
    /// When they are hot.
    On,
    /// When they are first executed.
    Eager,
    /// When they are hot, with guards that leave now and then for no reason.
    Stress,
}

impl Mode {
    /// Reads a setting: `off`, `on`, `eager`, `stress`.
    pub fn parse(text: &[u8]) -> Option<Mode> {
        Some(match text.to_ascii_lowercase().as_slice() {
            b"" | b"0" | b"off" | b"no" | b"false" => Mode::Off,
            b"1" | b"on" | b"yes" | b"true" => Mode::On,
            b"eager" => Mode::Eager,
            b"stress" => Mode::Stress,
            _ => return None,
        })
    }
}

const fn setting(
    name: &'static str,
    default: &'static str,
    on_change: Option<vm_runtime::ini::OnChange>,
) -> IniDefinition {
    IniDefinition {
        name,
        default: Some(default),
        access: access::SYSTEM,
        on_change,
    }
}

/// The settings, sorted by name.
static SETTINGS: &[IniDefinition] = &[
    setting("opline.jit", "off", Some(change_mode)),
    setting("opline.jit_budget", "2", None),
    setting("opline.jit_buffer_size", "64M", None),
    setting("opline.jit_debug", "", None),
    setting("opline.jit_seed", "1", None),
    setting("opline.jit_stats", "0", None),
    setting("opline.jit_threshold", "200", None),
];

/// Makes the settings known to a VM; `opline.jit` then gives it a tier.
#[cold]
pub fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
}

fn change_mode(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let Some(mode) = Mode::parse(value.unwrap_or_default()) else {
        return false;
    };
    vm.tier = match mode {
        Mode::Off => None,
        _ => Some(Box::new(Jit::new(vm, mode))),
    };
    true
}

/// Jumps back until a loop is hot (`opline.jit_threshold`).
pub fn threshold(vm: &Vm) -> i32 {
    vm.ini.long("opline.jit_threshold").clamp(1, 1_000_000) as i32
}

/// How much of the time that passes compiling may take (`opline.jit_budget`): a factor of the shares that kinds of
/// code have (`tier/worth.rs`). None, if it is 0, means that there is no limit, and that the script waits for all code;
/// with 100 whatever is hot is compiled.
pub fn budget(vm: &Vm) -> Option<u32> {
    let budget = vm.ini.long("opline.jit_budget").clamp(0, 100) as u32;
    (budget > 0).then_some(budget)
}

/// Bytes for code (`opline.jit_buffer_size`).
pub fn buffer_size(vm: &Vm) -> usize {
    let bytes = parse_quantity(vm.ini.text("opline.jit_buffer_size")).0;
    bytes.clamp(64 << 10, 1 << 30) as usize
}

/// What decides which guards leave for no reason (`opline.jit_seed`), with `opline.jit=stress`.
pub fn seed(vm: &Vm) -> u64 {
    vm.ini.long("opline.jit_seed") as u64
}

/// What is printed of each compilation (`opline.jit_debug`: `passes`, `graph`, `code`, `units`, `exits`), or, with
/// `perf`, written for `perf` to read.
pub fn wants_debug(vm: &Vm, what: &str) -> bool {
    let text = String::from_utf8_lossy(vm.ini.text("opline.jit_debug"));
    text.split(',').any(|word| word.trim() == what)
}

/// Whether counters are printed at the end (`opline.jit_stats`).
pub fn wants_counters(vm: &Vm) -> bool {
    parse_bool(vm.ini.text("opline.jit_stats"))
}
