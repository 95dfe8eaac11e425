//! Loading databases: the one that is built in, and files of rules.

use std::rc::Rc;

use vm_runtime::vm::{PhpResult, Vm};

use super::CHECKS;
use super::magic::Database;
use super::magic::parse::Reader;
use crate::standard::files::{open, path};

/// The rules for common formats.
const COMMON: &[u8] = include_bytes!("common.magic");

/// What is wrong with a database.
pub(super) enum Refusal {
    /// It cannot be opened: its name and why.
    NotOpened(String, String),
    /// What is wrong with a line, or with all of it.
    Bad(String),
}

impl Refusal {
    /// The text of the warning in a function.
    pub(super) fn text(&self, function: &str) -> String {
        match self {
            Refusal::NotOpened(name, why) => {
                format!("{function}({name}): Failed to open stream: {why}")
            }
            Refusal::Bad(what) => format!("{function}(): {what}"),
        }
    }
}

/// The built-in rules of a VM, once they have been read.
#[derive(Default)]
struct Common(Option<Rc<Database>>);

/// The rules that are built in.
pub(super) fn common(vm: &mut Vm) -> Rc<Database> {
    let known = &mut vm.extensions.state::<Common>().0;
    let read = || {
        let mut reader = Reader::default();
        reader.read(COMMON);
        debug_assert!(!reader.has_failed, "{:?}", reader.problems);
        Rc::new(Database::new(reader.groups))
    };
    known.get_or_insert_with(read).clone()
}

/// Loads a file of rules, or all files in a folder.
pub(super) fn load(
    vm: &mut Vm,
    name: &[u8],
    flags: i64,
) -> PhpResult<Result<Rc<Database>, Vec<Refusal>>> {
    let place = path(name);
    let full = std::path::absolute(&place).unwrap_or(place);
    let shown = vm_runtime::message::text(full.as_os_str().as_encoded_bytes());
    let failed = || Refusal::Bad(format!("Failed to load magic database at \"{shown}\""));
    let files = match std::fs::metadata(&full) {
        Ok(status) if status.is_dir() => {
            let listed = std::fs::read_dir(&full).into_iter().flatten().flatten();
            let mut files: Vec<_> = listed.map(|entry| entry.path()).collect();
            files.retain(|file| file.is_file());
            files.sort();
            files
        }
        Ok(_) => vec![full.clone()],
        Err(error) => {
            let text = error.to_string();
            let why = text.split(" (os error").next().unwrap_or_default();
            // First the compiled form is looked for, under the same name.
            let not_opened = || Refusal::NotOpened(shown.to_string(), why.to_owned());
            return Ok(Err(vec![not_opened(), not_opened(), failed()]));
        }
    };
    if flags & CHECKS != 0 {
        vm.function_warning(format!("using regular magic file `{shown}'"));
        vm.check()?;
    }
    let mut reader = Reader::default();
    for file in files {
        let Some(mut opened) = open(vm, file.as_os_str().as_encoded_bytes(), b"rb")? else {
            return Ok(Err(vec![failed()]));
        };
        let mut text = Vec::new();
        while let Ok(part) = opened.read(1 << 16) {
            if part.is_empty() {
                break;
            }
            text.extend_from_slice(&part);
        }
        reader.read(&text);
    }
    if reader.has_failed {
        let mut refusals: Vec<Refusal> = reader.problems.into_iter().map(Refusal::Bad).collect();
        refusals.push(failed());
        return Ok(Err(refusals));
    }
    Ok(Ok(Rc::new(Database::new(reader.groups))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_rules_can_be_read() {
        let mut reader = Reader::default();
        reader.read(COMMON);
        assert!(!reader.has_failed, "{:?}", reader.problems);
        assert!(reader.groups.len() > 50);
    }
}
