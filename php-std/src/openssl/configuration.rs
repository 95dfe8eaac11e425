//! What is to be made: the options that a script gives, and a file in OpenSSL's form.

use std::collections::HashMap;

use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::digest::Digest;
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
                file.0.entry(section.clone()).or_default();
            } else if let Some((name, value)) = line.split_once('=') {
                let value = value.trim().trim_matches('"');
                let entries = file.0.entry(section.clone()).or_default();
                entries.push((name.trim().to_owned(), value.to_owned()));
            }
        }
        file
    }

    /// The entries of a section, if there is one of that name.
    pub(super) fn section(&self, name: &str) -> Option<&[(String, String)]> {
        self.0.get(name).map(Vec::as_slice)
    }

    /// An entry of a section, or of what stands before all sections.
    pub(super) fn entry(&self, section: &str, name: &str) -> Option<&str> {
        let of = |section| {
            let entries = self.section(section).unwrap_or_default();
            entries.iter().rev().find(|(known, _)| known == name)
        };
        let found = of(section).or_else(|| of("default"))?;
        Some(&found.1)
    }
}

/// What keys, requests and certificates are made of.
pub(super) struct Configuration {
    pub(super) bits: i64,
    pub(super) kind: i64,
    pub(super) curve: Option<Vec<u8>>,
    /// By which digest requests and certificates are signed.
    pub(super) digest: &'static Digest,
    /// Sections with the extensions of requests and of certificates.
    pub(super) request_extensions: Option<String>,
    pub(super) certificate_extensions: Option<String>,
    pub(super) file: File,
    /// The file's name, for messages.
    pub(super) name: String,
    /// The section where all begins.
    section: String,
}

/// The file that is read if nobody names one: where Debian's OpenSSL has it.
const DEFAULT_FILE: &str = "/usr/lib/ssl/openssl.cnf";

/// What stands for it where there is none.
const BUILT_IN: &str = "[req]
distinguished_name = names
x509_extensions = authority
string_mask = utf8only
[names]
[authority]
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always,issuer
basicConstraints = critical,CA:true
";

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
        let given = text("config");
        let (path, is_given) = match given {
            Some(path) => (path, true),
            None => (DEFAULT_FILE.as_bytes().to_vec(), false),
        };
        let name = String::from_utf8_lossy(&path).into_owned();
        // Without OpenSSL there is no such file, and nothing is missed.
        let mut file = File::parsed(BUILT_IN);
        if !is_given {
            if let Ok(bytes) = vm_runtime::limits::read_file(std::path::Path::new(DEFAULT_FILE)) {
                file = File::parsed(&String::from_utf8_lossy(&bytes));
            }
        } else {
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
        let said = |option: &str, entry: &str| match text(option) {
            Some(said) => Some(String::from_utf8_lossy(&said).into_owned()),
            None => file.entry(&section, entry).map(str::to_owned),
        };
        let digest = said("digest_alg", "default_md");
        let digest = digest.and_then(|name| Digest::named(name.as_bytes()));
        let usual = Digest::named(b"sha1").expect("this digest is there");
        let request_extensions = said("req_extensions", "req_extensions");
        let certificate_extensions = said("x509_extensions", "x509_extensions");
        Ok(Some(Configuration {
            bits,
            kind: number("private_key_type").unwrap_or_default(),
            curve: text("curve_name"),
            digest: digest.unwrap_or(usual),
            request_extensions,
            certificate_extensions,
            file,
            name,
            section,
        }))
    }

    /// An entry of the section where all begins.
    pub(super) fn entry(&self, name: &str) -> Option<&str> {
        self.file.entry(&self.section, name)
    }
}
