//! What the interactive shell (`-a`) needs of the terminal: lines, what words may become, old lines.

use std::io::IsTerminal;
use std::path::PathBuf;

use vm_runtime::vm::Vm;

#[cfg(feature = "editor")]
use super::editor::{self, Words};
use super::{history, state};
#[cfg(feature = "editor")]
use vm_runtime::value::{Value, ValueKind};
#[cfg(feature = "editor")]
use vm_runtime::vm::PhpResult;

/// The file with the lines of other sessions.
fn file() -> PathBuf {
    match std::env::var_os("PHP_HISTFILE") {
        Some(file) => file.into(),
        None => PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".php_history"),
    }
}

/// Reads the lines of other sessions.
pub fn begin(vm: &mut Vm) {
    // Who has typed nothing yet has no such file.
    history::read(vm, &file());
}

/// Reads a line, without its end; nothing at the end of the input.
pub fn read_line(vm: &mut Vm, prompt: &str) -> Option<Vec<u8>> {
    #[cfg(feature = "editor")]
    if std::io::stdin().is_terminal() {
        let line = vm.guard(|vm| {
            let line = match state(vm).completion.is_some() {
                true => editor::read(vm, prompt.as_bytes(), super::script_words),
                false => editor::read(vm, prompt.as_bytes(), words),
            };
            // What a function of the script threw meanwhile is not worth ending the session.
            line.unwrap_or_else(|_| {
                drop(vm.take_exception());
                Some(Vec::new())
            })
        });
        return line.unwrap_or(None);
    }
    super::show_prompt(vm, prompt.as_bytes());
    vm.guard(super::plain_line).unwrap_or(None)
}

/// Remembers a line, for this session and others.
pub fn remember(vm: &mut Vm, line: &[u8]) {
    if std::io::stdin().is_terminal() {
        state(vm).history.push(line.to_vec());
    }
}

/// Writes the lines where other sessions find them.
pub fn keep(vm: &mut Vm) {
    if std::io::stdin().is_terminal() {
        // A session without a home leaves nothing.
        history::write(vm, &file());
    }
}

/// What a word of PHP code may become: a variable, a setting (`#`), a member of a class, or the name of a function,
/// constant or class.
#[cfg(feature = "editor")]
fn words(vm: &mut Vm, line: &[u8], point: usize) -> PhpResult<Words> {
    let before = &line[..point];
    let is_in_word =
        |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"_\\:$#.".contains(byte);
    let length = before
        .iter()
        .rev()
        .take_while(|byte| is_in_word(byte))
        .count();
    let mut start = point - length;
    let word = &before[start..];
    let mut found: Vec<Vec<u8>> = Vec::new();
    if let Some(name) = word.strip_prefix(b"$") {
        let globals = vm.globals.clone();
        for (key, _) in globals.iter() {
            if let vm_runtime::array::KeyRef::String(key) = key
                && key.as_bytes().starts_with(name)
            {
                found.push([b"$", key.as_bytes()].concat());
            }
        }
    } else if let Some(name) = word.strip_prefix(b"#").filter(|_| start == 0) {
        let settings = answer(vm, "ini_get_all", vec![Value::NULL, false.into()])?;
        for setting in keys(&settings, name) {
            found.push([b"#", setting.as_slice(), b"="].concat());
        }
    } else if let Some(colons) = memchr::memmem::find(word, b"::") {
        let (class, name) = (&word[..colons], &word[colons + 2..]);
        start += colons + 2;
        found = members(vm, class, name)?;
    } else if !word.is_empty() {
        let functions = answer(vm, "get_defined_functions", vec![true.into()])?;
        for kind in ["internal", "user"] {
            let names = functions
                .array()
                .and_then(|table| table.get_bytes(kind.as_bytes()).map(Value::share));
            for mut name in names.iter().flat_map(|names| values(names, word)) {
                name.push(b'(');
                found.push(name);
            }
        }
        found.extend(keys(
            &answer(vm, "get_defined_constants", Vec::new())?,
            word,
        ));
        for function in [
            "get_declared_classes",
            "get_declared_interfaces",
            "get_declared_traits",
        ] {
            found.extend(values(&answer(vm, function, Vec::new())?, word));
        }
    }
    found.sort();
    Ok(Words {
        start,
        words: found,
        ends: false,
    })
}

/// What a function of the library gives.
#[cfg(feature = "editor")]
fn answer(vm: &mut Vm, function: &str, arguments: Vec<Value>) -> PhpResult<Value> {
    let function = vm.string(function).into();
    vm.call(&function, arguments)
}

/// Static methods and constants of a class.
#[cfg(feature = "editor")]
fn members(vm: &mut Vm, class: &[u8], start: &[u8]) -> PhpResult<Vec<Vec<u8>>> {
    let Some(class) = vm.class_by_name(class, false)? else {
        return Ok(Vec::new());
    };
    // SAFETY: I4: classes live until the VM ends.
    let class = unsafe { &*class };
    let name: Value = vm.string(class.display_name()).into();
    let mut found: Vec<Vec<u8>> = Vec::new();
    let methods = answer(vm, "get_class_methods", vec![name])?;
    for mut method in values(&methods, start) {
        method.push(b'(');
        found.push(method);
    }
    let constants = class.constants.iter().map(|(name, _)| name.to_vec());
    found.extend(constants.filter(|name| begins(name, start)));
    Ok(found)
}

/// The names among an array's keys that begin so.
#[cfg(feature = "editor")]
fn keys(table: &Value, start: &[u8]) -> Vec<Vec<u8>> {
    let Some(table) = table.array() else {
        return Vec::new();
    };
    let names = table.iter().filter_map(|(key, _)| match key {
        vm_runtime::array::KeyRef::String(key) => Some(key.as_bytes().to_vec()),
        _ => None,
    });
    names.filter(|name| begins(name, start)).collect()
}

/// The texts among an array's values that begin so.
#[cfg(feature = "editor")]
fn values(table: &Value, start: &[u8]) -> Vec<Vec<u8>> {
    let Some(table) = table.array() else {
        return Vec::new();
    };
    let texts = table
        .iter()
        .filter_map(|(_, value)| match value.deref().view() {
            ValueKind::String(text) => Some(text.to_vec()),
            _ => None,
        });
    texts.filter(|text| begins(text, start)).collect()
}

#[cfg(feature = "editor")]
fn begins(name: &[u8], start: &[u8]) -> bool {
    name.get(..start.len())
        .is_some_and(|part| part.eq_ignore_ascii_case(start))
}
