//! `get_browser()`: what a file of patterns, the setting `browscap`, says of a browser.

use vm_runtime::class::lookup::with_lowercase;
use vm_runtime::function::Call;
use vm_runtime::value::{ArrayHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{functions, new_list};

functions! {
    "get_browser(?string $user_agent = null, bool $return_array = false): object|array|false" => get_browser,
}

/// The entry that is taken where no pattern fits.
const DEFAULT: &[u8] = b"Default Browser Capability Settings";

/// A pattern and what it says.
#[derive(Debug, Default)]
struct Entry {
    pattern: Vec<u8>,
    lowercase: Vec<u8>,
    /// Characters that are no wildcards.
    literal: usize,
    parent: Option<Vec<u8>>,
    values: Vec<(Vec<u8>, Vec<u8>)>,
}

/// The entries of the file that was read last.
#[derive(Debug, Default)]
struct Browsers {
    file: Vec<u8>,
    entries: Vec<Entry>,
}

impl Entry {
    fn new(pattern: &[u8]) -> Entry {
        let is_literal = |byte: &&u8| !matches!(**byte, b'*' | b'?');
        Entry {
            pattern: pattern.to_vec(),
            lowercase: pattern.to_ascii_lowercase(),
            literal: pattern.iter().filter(is_literal).count(),
            ..Entry::default()
        }
    }

    /// The pattern as a regular expression, for the script to see.
    fn regex(&self) -> Vec<u8> {
        let mut regex = b"~^".to_vec();
        for &byte in &self.lowercase {
            match byte {
                b'?' => regex.push(b'.'),
                b'*' => regex.extend(b".*"),
                b'.' | b'\\' | b'(' | b')' | b'[' | b']' | b'+' => regex.extend([b'\\', byte]),
                _ => regex.push(byte),
            }
        }
        regex.extend(b"$~");
        regex
    }
}

/// Reads the sections of a file: `[pattern]` and `key=value` lines.
fn read(text: &[u8]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        match line.first() {
            None | Some(b';' | b'#') => {}
            Some(b'[') => {
                let end = line.iter().rposition(|&byte| byte == b']');
                entries.push(Entry::new(&line[1..end.unwrap_or(line.len())]));
            }
            Some(_) => {
                let Some(entry) = entries.last_mut() else {
                    continue;
                };
                let equals = memchr::memchr(b'=', line).unwrap_or(line.len());
                let key = line[..equals].trim_ascii().to_ascii_lowercase();
                let value = line.get(equals + 1..).unwrap_or_default().trim_ascii();
                let value = plain_value(value);
                match key.as_slice() {
                    b"parent" => entry.parent = Some(value),
                    _ => entry.values.push((key, value)),
                }
            }
        }
    }
    entries
}

/// A value without quotes; words that mean a truth value are one.
fn plain_value(value: &[u8]) -> Vec<u8> {
    let quoted = value
        .strip_prefix(b"\"")
        .and_then(|value| value.strip_suffix(b"\""));
    if let Some(value) = quoted {
        return value.to_vec();
    }
    with_lowercase(value, |lowercase| match lowercase {
        b"on" | b"yes" | b"true" => b"1".to_vec(),
        b"no" | b"off" | b"none" | b"false" => Vec::new(),
        _ => value.to_vec(),
    })
}

/// Whether a text fits a pattern, in which `?` is any character and `*` any number of them.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut place) = (0, 0);
    // Where the last `*` is, and how far it reaches.
    let mut star: Option<(usize, usize)> = None;
    while place < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte == text[place] => {
                (at, place) = (at + 1, place + 1);
            }
            _ => match &mut star {
                Some((pattern_at, reach)) => {
                    *reach += 1;
                    (at, place) = (*pattern_at + 1, *reach);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&byte| byte == b'*')
}

/// The entry of a browser: the pattern that fits and has most of its characters.
fn find(vm: &mut Vm, browsers: &Browsers, agent: &[u8]) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (index, entry) in browsers.entries.iter().enumerate() {
        vm.poll();
        if entry.lowercase == agent {
            return Some(index);
        }
        let is_better = best.is_none_or(|best| entry.literal > browsers.entries[best].literal);
        if is_better && fits(&entry.lowercase, agent) {
            best = Some(index);
        }
    }
    best.or_else(|| named(browsers, DEFAULT))
}

fn named(browsers: &Browsers, name: &[u8]) -> Option<usize> {
    let mut entries = browsers.entries.iter();
    entries.position(|entry| entry.pattern.eq_ignore_ascii_case(name))
}

/// What an entry says, and what those that it refers to say besides.
fn described(vm: &mut Vm, browsers: &Browsers, found: usize) -> ArrayHandle {
    let entry = &browsers.entries[found];
    let mut result = new_list(vm, entry.values.len() + 3);
    let mut put = |name: &[u8], value: &[u8]| {
        let value = vm.string(value).into();
        let array = result.make_mut(vm);
        if array.get_bytes(name).is_none() {
            array.set_bytes(name, value);
        }
    };
    put(b"browser_name_regex", &entry.regex());
    put(b"browser_name_pattern", &entry.pattern);
    let mut next = Some(found);
    // An entry may refer to itself.
    for _ in 0..browsers.entries.len() {
        let Some(index) = next else { break };
        let entry = &browsers.entries[index];
        if let Some(parent) = &entry.parent {
            put(b"parent", parent);
        }
        for (name, value) in &entry.values {
            put(name, value);
        }
        next = entry
            .parent
            .as_ref()
            .and_then(|parent| named(browsers, parent));
    }
    result
}

fn get_browser(call: &mut Call<'_>) -> PhpResult<Value> {
    let file = call.vm.ini.get(b"browscap").flatten().unwrap_or_default();
    if file.is_empty() {
        call.vm.function_warning("browscap ini directive not set");
        return Ok(false.into());
    }
    let file = file.to_vec();
    let agent = match call.optional_bytes(0) {
        Some(agent) => agent.to_ascii_lowercase(),
        None => match agent_of_request(call.vm) {
            Some(agent) => agent.to_ascii_lowercase(),
            None => {
                call.vm.function_warning(
                    "HTTP_USER_AGENT variable is not set, cannot determine user agent name",
                );
                return Ok(false.into());
            }
        },
    };
    let mut browsers = std::mem::take(call.vm.extensions.state::<Browsers>());
    if browsers.file != file {
        let text =
            vm_runtime::limits::read_file(&super::super::files::path(&file)).unwrap_or_default();
        browsers = Browsers {
            entries: read(&text),
            file,
        };
    }
    let found = find(call.vm, &browsers, &agent);
    let result = found.map(|found| described(call.vm, &browsers, found));
    *call.vm.extensions.state::<Browsers>() = browsers;
    let Some(result) = result else {
        return Ok(false.into());
    };
    let as_array = call.bool(1);
    let result: Value = result.into();
    match as_array {
        true => Ok(result),
        false => Ok(vm_runtime::operators::to_object(call.vm, &result).into()),
    }
}

/// `$_SERVER["HTTP_USER_AGENT"]`
fn agent_of_request(vm: &mut Vm) -> Option<Vec<u8>> {
    let server = vm.global(b"_SERVER")?;
    let ValueKind::Array(server) = server.view() else {
        return None;
    };
    Some(server.get_bytes(b"HTTP_USER_AGENT")?.as_bytes()?.to_vec())
}
