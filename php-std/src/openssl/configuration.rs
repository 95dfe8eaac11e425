//! What is to be made: the options that a script gives, and a file in OpenSSL's form.

use std::collections::HashMap;

use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::errors;

/// A file of settings: sections with their entries, in order.
#[derive(Debug, Default)]
pub(super) struct File(HashMap<String, Vec<(String, String)>>);

impl File {
    fn parsed(text: &str) -> File {
        let mut file = File::default();
        let mut section = "default".to_owned();
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if let Some(name) = line
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
            {
                section = name.trim().to_owned();
            } else if let Some((name, value)) = line.split_once('=') {
                let value = value.trim().trim_matches('"');
                let entries = file.0.entry(section.clone()).or_default();
                entries.push((name.trim().to_owned(), value.to_owned()));
            }
        }
        file
    }

    /// The entries of a section.
    pub(super) fn section(&self, name: &str) -> &[(String, String)] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// An entry of a section, or of what stands before all sections.
    pub(super) fn entry(&self, section: &str, name: &str) -> Option<&str> {
        let of = |section| {
            self.section(section)
                .iter()
                .rev()
                .find(|(known, _)| known == name)
        };
        let found = of(section).or_else(|| of("default"))?;
        Some(&found.1)
    }
}

/// What keys, requests and certificates are made of.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    pub(super) bits: i64,
    pub(super) kind: i64,
    pub(super) curve: Option<Vec<u8>>,
}

/// The length of keys if nobody says another.
const DEFAULT_BITS: i64 = 2048;

impl Configuration {
    /// Nothing if the file that is named cannot be read, and then the reason is told.
    pub(super) fn read(
        call: &mut Call<'_>,
        options: Option<&PhpArray>,
    ) -> PhpResult<Option<Configuration>> {
        let option = |name: &str| {
            let found = options.and_then(|options| options.get_bytes(name.as_bytes()));
            found.map(|value| Value::share(value.deref()))
        };
        let text = |name: &str| match option(name)?.view() {
            ValueKind::String(text) => Some(text.as_bytes().to_vec()),
            _ => None,
        };
        let mut file = File::default();
        if let Some(path) = text("config") {
            let function = crate::support::current_function(call.vm);
            if !vm_runtime::limits::directories::is_allowed(call.vm, &path, &function)? {
                return Ok(None);
            }
            use std::os::unix::ffi::OsStrExt;
            let path = std::path::Path::new(std::ffi::OsStr::from_bytes(&path));
            let Ok(bytes) = vm_runtime::limits::read_file(path) else {
                errors::push_all(
                    call.vm,
                    &[
                        errors::NO_SUCH_FILE,
                        errors::BIO_NO_SUCH_FILE,
                        errors::CONFIGURATION_NO_SUCH_FILE,
                    ],
                );
                return Ok(None);
            };
            file = File::parsed(&String::from_utf8_lossy(&bytes));
        }
        let section = match text("config_section_name") {
            Some(name) => String::from_utf8_lossy(&name).into_owned(),
            None => "req".to_owned(),
        };
        let mut number = |name: &str| option(name).map(|value| value.to_long(call.vm));
        let configured = file
            .entry(&section, "default_bits")
            .and_then(|bits| bits.parse().ok());
        let bits = match number("private_key_bits").or(configured) {
            Some(0) | None => DEFAULT_BITS,
            Some(bits) => bits,
        };
        Ok(Some(Configuration {
            bits,
            kind: number("private_key_type").unwrap_or_default(),
            curve: text("curve_name"),
        }))
    }
}
