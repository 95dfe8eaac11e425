//! Certificates that are trusted: in bundles, in folders, and what the system has.

use std::path::{Path, PathBuf};

use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::limits::directories::is_allowed;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::libxml::full_path;
use crate::openssl::certificates_in;
use crate::standard::files::path;
use crate::support::{current_function, string_of};

/// Where Debian's OpenSSL looks if nothing else is said: a bundle of what is in the folder is faster to read.
const BUNDLES: [&str; 2] = [
    "/usr/lib/ssl/cert.pem",
    "/etc/ssl/certs/ca-certificates.crt",
];
const FOLDER: &str = "/usr/lib/ssl/certs";

/// What OpenSSL trusts by itself.
pub(crate) fn of_system() -> Vec<Vec<u8>> {
    let named = |variable| std::env::var_os(variable).map(PathBuf::from);
    let mut found = Vec::new();
    let (file, folder) = (named("SSL_CERT_FILE"), named("SSL_CERT_DIR"));
    let bundles = match &file {
        Some(file) => vec![file.as_path()],
        None => BUNDLES.iter().map(Path::new).collect(),
    };
    for bundle in bundles {
        if found.is_empty()
            && let Ok(text) = limits::read_file(bundle)
        {
            found.extend(certificates_in(&text));
        }
    }
    if let Some(folder) = &folder {
        found.extend(of_folder(folder));
    } else if found.is_empty() {
        found.extend(of_folder(Path::new(FOLDER)));
    }
    found
}

/// The certificates in a folder, whose names are hashes as OpenSSL wants them: `0a1b2c3d.0`.
pub(crate) fn of_folder(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_hash = name.split_once('.').is_some_and(|(hash, number)| {
            hash.len() == 8
                && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
                && number.bytes().all(|byte| byte.is_ascii_digit())
        });
        if is_hash && let Ok(text) = limits::read_file(&entry.path()) {
            found.extend(certificates_in(&text));
        }
        limits::poll();
    }
    found
}

/// The certificates in files and folders that a script names; warns of those that are not there.
pub(in crate::openssl) fn of_places(
    call: &mut Call<'_>,
    index: usize,
    places: &PhpArray,
) -> PhpResult<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    for (_, place) in places.iter() {
        let place = Value::share(place.deref());
        let name = string_of(call.vm, &place)?.to_vec();
        if name.contains(&0) {
            let problem = "array item must not contain any null bytes";
            return Err(call.value_error(index, problem));
        }
        // It is told of by its full path.
        let name = full_path(&name);
        let shown = vm_runtime::message::text(&name).into_owned();
        let function = current_function(call.vm);
        if !is_allowed(call.vm, &name, &function)? {
            continue;
        }
        let place = path(&name);
        match std::fs::metadata(&place) {
            Err(_) => call.vm.function_warning(format!("Unable to stat {shown}")),
            Ok(about) if about.is_dir() => found.extend(of_folder(&place)),
            Ok(_) => match limits::read_file(&place) {
                Ok(text) => found.extend(certificates_in(&text)),
                Err(_) => call
                    .vm
                    .function_warning(format!("Error loading file {shown}")),
            },
        }
        call.vm.check()?;
    }
    Ok(found)
}
