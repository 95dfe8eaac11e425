//! `multipart/form-data`: fields and files of a form (RFC 7578).

use std::io::Write;

use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::Vm;

use super::uploads::Uploads;
use crate::standard::files::{create_temporary, path};
use crate::standard::info::temporary_folder;
use crate::standard::strings::url::register_variable;

/// `UPLOAD_ERR_INI_SIZE`, `UPLOAD_ERR_NO_FILE`, `UPLOAD_ERR_CANT_WRITE`
const TOO_LARGE: i64 = 1;
const NO_FILE: i64 = 4;
const CANNOT_WRITE: i64 = 7;

/// One part: its headers and what it holds.
struct Part<'b> {
    name: String,
    file: Option<String>,
    kind: String,
    contents: &'b [u8],
}

/// Reads the fields into `post` and the files into `files`.
pub(super) fn read(
    vm: &mut Vm,
    kind: &str,
    body: &[u8],
    post: &mut ArrayHandle,
    files: &mut ArrayHandle,
) {
    let boundary = kind
        .split(';')
        .find_map(|part| part.trim().strip_prefix("boundary="));
    let Some(boundary) = boundary.map(|boundary| boundary.trim_matches('"')) else {
        vm.warning("PHP Request Startup: Missing boundary in multipart/form-data POST data");
        return;
    };
    let most = vm.ini.long("max_file_uploads");
    let mut uploaded = 0;
    for part in parts(body, boundary) {
        let Some(file) = &part.file else {
            let value = vm.string(part.contents).into();
            register_variable(vm, post, &mut part.name.clone().into_bytes(), value);
            continue;
        };
        if !vm.ini.bool("file_uploads") {
            continue;
        }
        uploaded += 1;
        if uploaded > most {
            vm.warning(
                "PHP Request Startup: Maximum number of allowable file uploads has been exceeded",
            );
            break;
        }
        let file = file.clone();
        keep_file(vm, &part, &file, files);
    }
}

fn parts<'b>(body: &'b [u8], boundary: &str) -> Vec<Part<'b>> {
    let delimiter = format!("--{boundary}").into_bytes();
    let mut found = Vec::new();
    let mut rest = match memchr::memmem::find(body, &delimiter) {
        Some(at) => &body[at + delimiter.len()..],
        None => return found,
    };
    // Some clients end lines without a carriage return.
    let between = [b"\n".as_slice(), &delimiter].concat();
    while let Some(after) = rest
        .strip_prefix(b"\r\n")
        .or_else(|| rest.strip_prefix(b"\n"))
    {
        let end = memchr::memmem::find(after, &between).unwrap_or(after.len());
        let contents = &after[..end];
        let contents = match end < after.len() {
            true => contents.strip_suffix(b"\r").unwrap_or(contents),
            false => contents,
        };
        if let Some(part) = part(contents) {
            found.push(part);
        }
        rest = after.get(end + between.len()..).unwrap_or_default();
    }
    found
}

fn part(bytes: &[u8]) -> Option<Part<'_>> {
    let strict = memchr::memmem::find(bytes, b"\r\n\r\n").map(|end| (end, end + 4));
    let loose = memchr::memmem::find(bytes, b"\n\n").map(|end| (end, end + 2));
    let (end, start) = match (strict, loose) {
        (Some(strict), Some(loose)) => strict.min(loose),
        (strict, loose) => strict.or(loose)?,
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let header = |wanted: &str| {
        head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case(wanted).then(|| value.trim())
        })
    };
    let disposition = header("Content-Disposition")?;
    Some(Part {
        name: parameter(disposition, "name")?,
        file: parameter(disposition, "filename"),
        kind: header("Content-Type").unwrap_or_default().to_string(),
        contents: &bytes[start..],
    })
}

/// A parameter of a header: `name="value"`, quotes in it behind backslashes.
fn parameter(header: &str, name: &str) -> Option<String> {
    let mut rest = header;
    loop {
        let (_, after) = rest.split_once(';')?;
        let after = after.trim_start();
        if let Some(value) = after
            .strip_prefix(name)
            .and_then(|after| after.strip_prefix('='))
        {
            let Some(quoted) = value.strip_prefix('"') else {
                return Some(
                    value
                        .split(';')
                        .next()
                        .unwrap_or_default()
                        .trim()
                        .to_string(),
                );
            };
            let mut text = String::new();
            let mut characters = quoted.chars();
            while let Some(character) = characters.next() {
                match character {
                    '"' => break,
                    '\\' => text.extend(characters.next()),
                    other => text.push(other),
                }
            }
            return Some(text);
        }
        rest = after;
    }
}

/// Writes a file to the temporary directory and describes it in `$_FILES`.
fn keep_file(vm: &mut Vm, part: &Part<'_>, name: &str, files: &mut ArrayHandle) {
    let limit = vm_runtime::ini::parse_quantity(vm.ini.text("upload_max_filesize")).0;
    let mut error = 0;
    let mut stored = String::new();
    if name.is_empty() {
        error = NO_FILE;
    } else if limit > 0 && part.contents.len() as i64 > limit {
        error = TOO_LARGE;
    } else {
        let directory = match vm.ini.text("upload_tmp_dir") {
            [] => temporary_folder(vm),
            directory => directory.to_vec(),
        };
        let directory = path(&directory);
        let written = create_temporary(&directory, b"php").and_then(|(mut file, path)| {
            file.write_all(part.contents)?;
            Ok(path)
        });
        match written {
            Ok(path) => {
                stored = path.display().to_string();
                vm.extensions.state::<Uploads>().files.push(path);
            }
            Err(_) => error = CANNOT_WRITE,
        }
    }
    let size = if error == 0 { part.contents.len() } else { 0 };
    let kind = if error == 0 { part.kind.as_str() } else { "" };
    let short = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let entries: [(&str, Value); 6] = [
        ("name", vm.string(short).into()),
        ("full_path", vm.string(name).into()),
        ("type", vm.string(kind).into()),
        ("tmp_name", vm.string(stored).into()),
        ("error", error.into()),
        ("size", size.into()),
    ];
    // `field[a]` becomes `field[name][a]` and so on.
    let (field, inner) = match part.name.find('[') {
        Some(at) => part.name.split_at(at),
        None => (part.name.as_str(), ""),
    };
    for (entry, value) in entries {
        let mut key = format!("{field}[{entry}]{inner}").into_bytes();
        register_variable(vm, files, &mut key, value);
    }
}
