//! The extension `gettext`. The only locale is `C` (see `standard/locale.rs`), in which messages are not
//! translated: what is asked for is given back, and directories and code sets of domains are remembered.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::standard::files::path;
use crate::support::{functions, text};

functions! {
    "textdomain(?string $domain = null): string" => textdomain,
    "gettext(string $message): string" => gettext,
    "_(string $message): string" => gettext,
    "dgettext(string $domain, string $message): string" => dgettext,
    "dcgettext(string $domain, string $message, int $category): string" => dcgettext,
    "bindtextdomain(path $domain, ?string $directory = null): string|false" => bindtextdomain,
    "ngettext(string $singular, string $plural, int $count): string" => ngettext,
    "dngettext(string $domain, string $singular, string $plural, int $count): string" => dngettext,
    "dcngettext(string $domain, string $singular, string $plural, int $count, int $category): string" => dcngettext,
    "bind_textdomain_codeset(string $domain, ?string $codeset = null): string|false" => bind_textdomain_codeset,
}

/// The longest name of a domain, and the longest message.
const LONGEST_DOMAIN: usize = 1024;
const LONGEST_MESSAGE: usize = 4096;

/// The category that stands for all of them.
const LC_ALL: i64 = 6;

/// Where the C library looks if nobody says otherwise.
const DIRECTORY: &[u8] = b"/usr/share/locale";

/// What a script has said about domains.
#[derive(Debug, Default)]
struct Domains {
    current: Option<Vec<u8>>,
    directories: HashMap<Vec<u8>, Vec<u8>>,
    code_sets: HashMap<Vec<u8>, Vec<u8>>,
}

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
}

/// What the C library makes of a string: it ends at the first NUL byte.
fn c_text(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memchr(0, bytes).unwrap_or(bytes.len())]
}

fn check_domain(call: &mut Call<'_>) -> PhpResult<()> {
    match call.bytes(0).len() {
        0 => Err(call.value_error(0, "must not be empty")),
        length if length > LONGEST_DOMAIN => Err(call.value_error(0, "is too long")),
        _ => Ok(()),
    }
}

fn check_message(call: &mut Call<'_>, index: usize) -> PhpResult<()> {
    if call.bytes(index).len() > LONGEST_MESSAGE {
        return Err(call.value_error(index, "is too long"));
    }
    Ok(())
}

fn check_category(call: &mut Call<'_>, index: usize) -> PhpResult<()> {
    if call.long(index) == LC_ALL {
        return Err(call.value_error(index, "cannot be LC_ALL"));
    }
    Ok(())
}

fn textdomain(call: &mut Call<'_>) -> PhpResult<Value> {
    if let Some(domain) = call.optional_bytes(0) {
        check_domain(call)?;
        if domain == b"0" {
            return Err(call.value_error(0, "cannot be zero"));
        }
        let domains: &mut Domains = call.vm.extensions.state();
        domains.current = Some(c_text(domain).to_vec());
    }
    let domains: &mut Domains = call.vm.extensions.state();
    let current = domains.current.clone();
    text(call.vm, current.as_deref().unwrap_or(b"messages"))
}

fn gettext(call: &mut Call<'_>) -> PhpResult<Value> {
    check_message(call, 0)?;
    Ok(call.value(0))
}

fn dgettext(call: &mut Call<'_>) -> PhpResult<Value> {
    check_domain(call)?;
    check_message(call, 1)?;
    Ok(call.value(1))
}

fn dcgettext(call: &mut Call<'_>) -> PhpResult<Value> {
    check_domain(call)?;
    check_message(call, 1)?;
    check_category(call, 2)?;
    Ok(call.value(1))
}

/// One of two messages, by the rule of English.
fn chosen(call: &mut Call<'_>, singular: usize) -> PhpResult<Value> {
    check_message(call, singular)?;
    check_message(call, singular + 1)?;
    let is_one = call.long(singular + 2) == 1;
    let chosen = call.bytes(if is_one { singular } else { singular + 1 });
    text(call.vm, c_text(chosen))
}

fn ngettext(call: &mut Call<'_>) -> PhpResult<Value> {
    chosen(call, 0)
}

fn dngettext(call: &mut Call<'_>) -> PhpResult<Value> {
    check_domain(call)?;
    chosen(call, 1)
}

fn dcngettext(call: &mut Call<'_>) -> PhpResult<Value> {
    check_domain(call)?;
    let message = chosen(call, 1)?;
    check_category(call, 4)?;
    Ok(message)
}

fn bindtextdomain(call: &mut Call<'_>) -> PhpResult<Value> {
    for index in [0, 1] {
        if (call.optional_bytes(index)).is_some_and(|given| memchr::memchr(0, given).is_some()) {
            return Err(call.value_error(index, "must not contain any null bytes"));
        }
    }
    check_domain(call)?;
    let domain = call.bytes(0);
    if let Some(directory) = call.optional_bytes(1) {
        // PHP takes the current directory for "" and for "0".
        let found = match directory {
            b"" | b"0" => std::env::current_dir(),
            directory => path(directory).canonicalize(),
        };
        let Ok(found) = found else {
            return Ok(false.into());
        };
        let found = found.as_os_str().as_bytes().to_vec();
        let domains: &mut Domains = call.vm.extensions.state();
        domains.directories.insert(domain.to_vec(), found);
    }
    let domains: &mut Domains = call.vm.extensions.state();
    let directory = domains.directories.get(domain).cloned();
    text(call.vm, directory.as_deref().unwrap_or(DIRECTORY))
}

fn bind_textdomain_codeset(call: &mut Call<'_>) -> PhpResult<Value> {
    check_domain(call)?;
    let domain = c_text(call.bytes(0));
    let wanted = call.optional_bytes(1);
    let domains: &mut Domains = call.vm.extensions.state();
    if let Some(code_set) = wanted {
        (domains.code_sets).insert(domain.to_vec(), c_text(code_set).to_vec());
    }
    match domains.code_sets.get(domain).cloned() {
        Some(code_set) => text(call.vm, code_set),
        None => Ok(false.into()),
    }
}
