//! Configuration settings: their table, and the hot ones as plain fields.
//!
//! A setting has a value by `-d` or a configuration file (the *global* value) and possibly one by
//! `ini_set`, which `ini_restore` takes back. Those the engine needs often are parsed when they
//! change (see [`table`]) and kept as fields of [`Ini`].

mod expression;
mod parse;
mod table;

pub use parse::{Word, parse_bool, parse_long, parse_quantity, parse_word};
pub use table::{CORE, STANDARD, access};

use std::collections::HashMap;

use crate::value::{StringHandle, Value};
use crate::vm::Vm;

/// Takes over a new value; false to refuse it. `None` is the setting's empty default.
pub type OnChange = fn(&mut Vm, Option<&[u8]>) -> bool;

/// A setting as an extension states it.
#[derive(Debug, Clone, Copy)]
pub struct IniDefinition {
    /// Name.
    pub name: &'static str,
    /// Default value.
    pub default: Option<&'static str>,
    /// Who may change it, see [`access`].
    pub access: u8,
    /// Check and consequences of a change.
    pub on_change: Option<OnChange>,
}

/// Where errors are shown (`display_errors`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisplayErrors {
    /// Nowhere.
    Off,
    /// In the output.
    Stdout,
    /// On standard error.
    Stderr,
}

type Text = Option<Box<[u8]>>;

/// A value that is not the default, or has been asked for.
#[derive(Debug, Clone, Default)]
struct Change {
    global: Option<Text>,
    local: Option<Text>,
    /// The value in force as scripts get it, once one has asked for it.
    shown: Option<StringHandle>,
}

/// The settings that encodings follow from where nothing else is said.
const ENCODINGS: [&str; 4] = [
    "default_charset",
    "input_encoding",
    "internal_encoding",
    "output_encoding",
];

/// Settings of a VM.
#[derive(Debug)]
pub struct Ini {
    /// `precision`: significant digits of a `float` as text; -1 for the shortest form.
    pub precision: i64,
    /// `serialize_precision`, for `var_dump`, `var_export`, JSON and `serialize`.
    pub serialize_precision: i64,
    /// `unserialize_max_depth`
    pub unserialize_max_depth: i64,
    /// `display_errors`
    pub display_errors: DisplayErrors,
    /// `html_errors`
    pub html_errors: bool,
    /// `log_errors`
    pub log_errors: bool,
    /// `ignore_repeated_errors`
    pub ignore_repeated_errors: bool,
    /// `ignore_repeated_source`
    pub ignore_repeated_source: bool,
    /// `zend.assertions`: 1 on, 0 off, -1 not even compiled.
    pub assertions: i64,
    /// `zend.exception_ignore_args`
    pub exception_ignore_arguments: bool,
    /// `zend.exception_string_param_max_len`
    pub exception_string_length: i64,
    /// `zend.enable_gc`
    pub enable_gc: bool,
    /// `short_open_tag`
    pub short_open_tag: bool,
    /// `internal_encoding`, or `default_charset` if that is empty.
    charset: Box<[u8]>,
    /// What is told when a script has changed one of [`ENCODINGS`].
    pub encodings_changed: Option<fn(&mut Vm)>,
    /// False once the script runs: changes are the script's own.
    starting: bool,
    tables: Vec<&'static [IniDefinition]>,
    /// The tables' settings by name: functions ask for some of them at each call.
    by_name: HashMap<&'static [u8], &'static IniDefinition, foldhash::fast::FixedState>,
    /// What was changed, by the definition, of which there is one a name.
    changes: HashMap<*const IniDefinition, Change, foldhash::fast::FixedState>,
    /// Settings nobody defines, for `get_cfg_var`.
    unknown: HashMap<Box<[u8]>, Box<[u8]>, foldhash::fast::FixedState>,
}

impl Default for Ini {
    fn default() -> Ini {
        let mut ini = Ini {
            precision: 14,
            serialize_precision: -1,
            unserialize_max_depth: 4096,
            display_errors: DisplayErrors::Stdout,
            html_errors: false,
            log_errors: false,
            ignore_repeated_errors: false,
            ignore_repeated_source: false,
            assertions: 1,
            exception_ignore_arguments: false,
            exception_string_length: 15,
            enable_gc: true,
            short_open_tag: true,
            charset: Box::default(),
            encodings_changed: None,
            starting: true,
            tables: Vec::new(),
            by_name: HashMap::default(),
            changes: HashMap::default(),
            unknown: HashMap::default(),
        };
        ini.register(CORE);
        ini.take_over_charset();
        ini
    }
}

/// Why a setting was not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IniError {
    /// There is no such setting.
    Unknown,
    /// Scripts may not change it.
    Forbidden,
    /// The value was refused.
    Refused,
}

impl Ini {
    /// The definition of a setting.
    pub fn definition(&self, name: &[u8]) -> Option<&'static IniDefinition> {
        self.by_name.get(name).copied()
    }

    /// All settings, in no order across extensions.
    pub fn definitions(&self) -> impl Iterator<Item = &'static IniDefinition> {
        self.tables.iter().flat_map(|table| table.iter())
    }

    /// How many tables of settings there are.
    pub(crate) fn table_count(&self) -> usize {
        self.tables.len()
    }

    /// The settings of some of the tables.
    pub(crate) fn definitions_of(
        &self,
        tables: std::ops::Range<usize>,
    ) -> impl Iterator<Item = &'static IniDefinition> {
        self.tables[tables].iter().flat_map(|table| table.iter())
    }

    /// Adds an extension's settings, sorted by name.
    pub fn register(&mut self, table: &'static [IniDefinition]) {
        debug_assert!(
            table.is_sorted_by_key(|known| known.name),
            "settings are not sorted"
        );
        if !self.tables.iter().any(|known| std::ptr::eq(*known, table)) {
            self.tables.push(table);
            for known in table {
                self.by_name.entry(known.name.as_bytes()).or_insert(known);
            }
        }
    }

    /// The value in force. The outer `None`: no such setting; the inner: no value.
    pub fn get(&self, name: &[u8]) -> Option<Option<&[u8]>> {
        let definition = self.definition(name)?;
        let Some(change) = self.changes.get(&(&raw const *definition)) else {
            return Some(definition.default.map(str::as_bytes));
        };
        match &change.local {
            Some(local) => Some(local.as_deref()),
            None => Some(self.global(definition)),
        }
    }

    /// The value that `ini_restore` would put in force.
    pub fn global(&self, definition: &'static IniDefinition) -> Option<&[u8]> {
        match self
            .changes
            .get(&(&raw const *definition))
            .and_then(|change| change.global.as_ref())
        {
            Some(global) => global.as_deref(),
            None => definition.default.map(str::as_bytes),
        }
    }

    /// The value in force as text; empty if there is none.
    pub fn text(&self, name: &str) -> &[u8] {
        self.get(name.as_bytes()).flatten().unwrap_or_default()
    }

    /// The value in force as a number.
    pub fn long(&self, name: &str) -> i64 {
        parse_long(self.text(name))
    }

    /// The value in force as a truth value.
    pub fn bool(&self, name: &str) -> bool {
        parse_bool(self.text(name))
    }

    /// The encoding of text about which nothing else is said.
    #[inline]
    pub fn charset(&self) -> &[u8] {
        &self.charset
    }

    fn take_over_charset(&mut self) {
        self.charset = match self.text("internal_encoding") {
            b"" => self.text("default_charset"),
            name => name,
        }
        .into();
    }

    /// The value in force of a setting has changed.
    fn changed(&mut self, name: &str) {
        if matches!(name, "internal_encoding" | "default_charset") {
            self.take_over_charset();
        }
    }

    /// A value given at start, also of settings that nobody defines (`get_cfg_var`).
    pub fn configured(&self, name: &[u8]) -> Option<&[u8]> {
        let known = self.definition(name).and_then(|definition| {
            self.changes
                .get(&(&raw const *definition))?
                .global
                .as_ref()?
                .as_deref()
        });
        known.or_else(|| self.unknown.get(name).map(|value| &**value))
    }

    /// True while settings are made before the script starts.
    pub fn is_starting(&self) -> bool {
        self.starting
    }

    /// A script runs: changes are its own from now on.
    pub(crate) fn end_startup(&mut self) {
        self.starting = false;
    }

    /// True if `name` was changed by `ini_set`.
    pub fn is_changed(&self, name: &[u8]) -> bool {
        self.definition(name).is_some_and(|definition| {
            self.changes
                .get(&(&raw const *definition))
                .is_some_and(|change| change.local.is_some())
        })
    }
}

impl Vm {
    /// Sets a value before the script starts (`-d name=value`).
    pub fn ini_configure(&mut self, name: &[u8], value: &[u8]) {
        let Some(definition) = self.ini.definition(name) else {
            self.ini.unknown.insert(name.into(), value.into());
            return;
        };
        let number = expression::evaluate(value, &|name| {
            self.constants
                .early(name)
                .and_then(|value| match value.view() {
                    crate::value::ValueKind::Long(number) => Some(number),
                    _ => None,
                })
        });
        let number = number.map(|number| number.to_string());
        let value = number.as_ref().map_or(value, |number| number.as_bytes());
        if name == b"disable_functions" {
            self.disable_functions(value);
        }
        self.ini.starting = true;
        let output_started = self.output.started.is_some();
        let accepted = definition
            .on_change
            .is_none_or(|apply| apply(self, Some(value)));
        self.ini.starting = false;
        if !output_started {
            // What is said of settings comes before all output.
            self.output.started = None;
        }
        if accepted {
            let change = self.ini.changes.entry(definition).or_default();
            change.global = Some(Some(value.into()));
            change.shown = None;
            self.ini.changed(definition.name);
        }
    }

    /// The value in force as a script gets it, empty if there is none; `None` if there is no such setting. Scripts
    /// that ask again get the same text.
    pub fn ini_value(&mut self, name: &[u8]) -> Option<Value> {
        let definition = self.ini.definition(name)?;
        let change = self.ini.changes.get(&(&raw const *definition));
        if let Some(shown) = change.and_then(|change| change.shown.as_ref()) {
            return Some(shown.clone().into());
        }
        let value = self.ini.get(name).flatten().unwrap_or_default().to_vec();
        let shown = self.string(value);
        let change = self.ini.changes.entry(definition).or_default();
        change.shown = Some(shown.clone());
        Some(shown.into())
    }

    /// Sets a value while the script runs (`ini_set`).
    pub fn ini_set(&mut self, name: &str, value: &[u8]) -> Result<(), IniError> {
        self.ini_change(name.as_bytes(), value, access::USER)
    }

    /// As [`Vm::ini_set`], with the rights given.
    pub fn ini_change(&mut self, name: &[u8], value: &[u8], rights: u8) -> Result<(), IniError> {
        let definition = self.ini.definition(name).ok_or(IniError::Unknown)?;
        if definition.access & rights == 0 {
            return Err(IniError::Forbidden);
        }
        self.ini.starting = false;
        if definition
            .on_change
            .is_some_and(|apply| !apply(self, Some(value)))
        {
            return Err(IniError::Refused);
        }
        let change = self.ini.changes.entry(definition).or_default();
        change.local = Some(Some(value.into()));
        change.shown = None;
        self.ini.changed(definition.name);
        self.tell_of_encodings(definition.name);
        Ok(())
    }

    fn tell_of_encodings(&mut self, changed: &str) {
        if ENCODINGS.contains(&changed)
            && let Some(tell) = self.ini.encodings_changed
        {
            tell(self);
        }
    }

    /// Puts the global value in force again (`ini_restore`). A setting that refuses it, as it would if a script
    /// set it, stays as it is.
    pub fn ini_restore(&mut self, name: &[u8]) {
        let Some(definition) = self.ini.definition(name) else {
            return;
        };
        let key = &raw const *definition;
        let change = self.ini.changes.get(&key);
        if change.is_none_or(|change| change.local.is_none()) {
            return;
        }
        if let Some(apply) = definition.on_change {
            let global = self.ini.global(definition).map(<[u8]>::to_vec);
            if !apply(self, global.as_deref()) {
                return;
            }
        }
        if let Some(change) = self.ini.changes.get_mut(&key) {
            change.local = None;
            change.shown = None;
        }
        self.ini.changed(definition.name);
        self.tell_of_encodings(definition.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Sink;

    fn vm() -> Box<Vm> {
        let mut vm = Vm::new(128 << 20);
        vm.output.set_sink(Sink::Capture(Vec::new()));
        vm
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(CORE.is_sorted_by_key(|known| known.name));
    }

    #[test]
    fn set_and_restore() {
        let mut vm = vm();
        vm.ini_configure(b"precision", b"10");
        assert_eq!(
            (vm.ini.precision, vm.ini.text("precision")),
            (10, &b"10"[..])
        );
        vm.ini_set("precision", b"abc").unwrap();
        assert_eq!(
            (vm.ini.precision, vm.ini.text("precision")),
            (0, &b"abc"[..])
        );
        assert_eq!(vm.ini_set("precision", b"-2"), Err(IniError::Refused));
        vm.ini_restore(b"precision");
        assert_eq!(
            (vm.ini.precision, vm.ini.text("precision")),
            (10, &b"10"[..])
        );
        assert_eq!(vm.ini_set("nope", b"1"), Err(IniError::Unknown));
        assert_eq!(
            vm.ini_set("allow_url_include", b"1"),
            Err(IniError::Forbidden)
        );
        assert_eq!(vm.ini.get(b"error_log"), Some(None));
    }

    #[test]
    fn error_reporting_follows() {
        let mut vm = vm();
        vm.ini_set("error_reporting", b"3").unwrap();
        assert_eq!(vm.errors.reporting, 3);
        vm.ini_restore(b"error_reporting");
        assert_eq!(vm.errors.reporting, crate::diagnostics::level::ALL);
        vm.ini_set("display_errors", b"stderr").unwrap();
        assert_eq!(vm.ini.display_errors, DisplayErrors::Stderr);
        vm.ini_set("display_errors", b"").unwrap();
        assert_eq!(vm.ini.display_errors, DisplayErrors::Off);
    }

    #[test]
    fn memory_limit() {
        let mut vm = vm();
        vm.ini_set("memory_limit", b"64M").unwrap();
        assert_eq!(vm.ini_set("memory_limit", b"abc"), Err(IniError::Refused));
        let text = String::from_utf8(vm.output.take_captured()).unwrap();
        assert!(text.contains(
            "Invalid \"memory_limit\" setting. Invalid quantity \"abc\": no valid leading digits, \
             interpreting as \"0\" for backwards compatibility"
        ));
        assert!(text.contains("Failed to set memory limit to 0 bytes (Current memory usage is "));
    }
}
