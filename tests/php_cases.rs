//! The cases under `tests/php`: each is a script with the output that PHP 8.4 gives.
//!
//! A case has the sections TEST, FILE and EXPECT or EXPECTF (`%s` any text of a line, `%d` digits,
//! `%a` any text), and perhaps INI (a setting a line) and STATUS (the exit status, 0 if it is left
//! out). `OPLINE_BINARY` names another binary than the one that cargo built.

mod support;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The settings that PHP's own tests are run with, as far as they matter here.
const SETTINGS: &[&str] = &[
    "error_reporting=32767",
    "display_errors=1",
    "html_errors=0",
    "log_errors=0",
    "precision=14",
    "serialize_precision=-1",
    "zend.assertions=1",
    "zend.exception_ignore_args=0",
];

fn sections(text: &str) -> HashMap<&str, &str> {
    let mut sections = HashMap::new();
    let mut name = "";
    let mut start = 0;
    let mut position = 0;
    for line in text.split_inclusive('\n') {
        let word = line.trim_end();
        let header = word
            .strip_prefix("--")
            .and_then(|rest| rest.strip_suffix("--"));
        if let Some(header) = header.filter(|header| {
            ["TEST", "INI", "FILE", "STATUS", "EXPECT", "EXPECTF"].contains(header)
        }) {
            sections.insert(name, &text[start..position]);
            name = header;
            start = position + line.len();
        }
        position += line.len();
    }
    sections.insert(name, &text[start..]);
    sections
}

/// Whether `text` is what the pattern says.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let Some((&first, rest)) = pattern.split_first() else {
        return text.is_empty();
    };
    type Class = fn(u8) -> bool;
    let class: Option<(Class, usize)> = match (first, rest.first()) {
        (b'%', Some(b's')) => Some((|byte| byte != b'\n', 1)),
        (b'%', Some(b'd')) => Some((|byte: u8| byte.is_ascii_digit(), 1)),
        (b'%', Some(b'a')) => Some((|_| true, 1)),
        _ => None,
    };
    let Some((allowed, least)) = class else {
        return text.first() == Some(&first) && matches(rest, &text[1..]);
    };
    let most = text.iter().take_while(|byte| allowed(**byte)).count();
    (least..=most)
        .rev()
        .any(|length| matches(&rest[1..], &text[length..]))
}

fn check(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let sections = sections(&text);
    let code = sections.get("FILE").ok_or("no FILE section")?;
    let folder = tempfile(path);
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    std::fs::write(folder.join("case.php"), code).map_err(|error| error.to_string())?;
    let settings = sections.get("INI").copied().unwrap_or_default().lines();
    let mut arguments = vec!["-n"];
    for setting in SETTINGS.iter().copied().chain(settings) {
        arguments.extend(["-d", setting]);
    }
    arguments.push("case.php");
    let outcome = support::run(&folder, &arguments, b"");
    let _ = std::fs::remove_dir_all(&folder);

    let folder = folder.to_string_lossy();
    let actual = outcome
        .text()
        .replace(&format!("{folder}/"), "")
        .trim()
        .to_owned();
    let status = sections.get("STATUS").map_or("0", |status| status.trim());
    let agrees = match (sections.get("EXPECT"), sections.get("EXPECTF")) {
        (Some(expected), _) => actual == expected.trim(),
        (None, Some(pattern)) => matches(pattern.trim().as_bytes(), actual.as_bytes()),
        (None, None) => return Err(String::from("no EXPECT section")),
    };
    if !agrees {
        let expected = sections
            .get("EXPECT")
            .or(sections.get("EXPECTF"))
            .unwrap_or(&"")
            .trim();
        return Err(format!("--- expected\n{expected}\n--- actual\n{actual}"));
    }
    match outcome.status {
        Some(actual) if actual.to_string() == status => Ok(()),
        actual => Err(format!("status {actual:?} instead of {status}")),
    }
}

/// A folder of its own for a case, so that cases can run at once.
fn tempfile(path: &Path) -> std::path::PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    std::env::temp_dir().join(format!(
        "opline-case-{}-{number}-{name}",
        std::process::id()
    ))
}

#[test]
fn every_case() {
    let cases = support::files(&support::root().join("tests/php"), "phpt");
    assert!(!cases.is_empty());
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(problem) = check(path) {
                        let name = path.strip_prefix(support::root()).unwrap_or(path);
                        let text = format!("{}\n{problem}", name.display());
                        failures.lock().unwrap().push(text);
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    let list = std::fs::read_to_string(support::root().join("tests/php/failing.txt")).unwrap();
    let known: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    failures.retain(|failure| {
        let name = failure.lines().next().unwrap_or_default();
        let name = name
            .trim_start_matches("tests/php/")
            .trim_end_matches(".phpt");
        let is_known = known.contains(&name);
        if is_known {
            println!("skipped: {name} is known to fail");
        }
        !is_known
    });
    assert!(
        failures.is_empty(),
        "{} of {} cases failed:\n\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n\n")
    );
}

#[test]
fn patterns() {
    assert!(matches(b"in %s on line %d", b"in a b.php on line 12"));
    assert!(!matches(b"line %d", b"line x"));
    assert!(matches(b"a%az", b"a\nb\nz"));
}
