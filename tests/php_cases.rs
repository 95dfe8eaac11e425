//! The cases under `tests/php`: each is a script with the output that PHP 8.4 gives.
//!
//! A `.phpt` file is one case. It has the sections TEST, FILE and EXPECT or EXPECTF (`%s` any text of
//! a line, `%d` digits, `%a` any text), and perhaps INI (a setting a line) and STATUS (the exit
//! status, 0 if it is left out).
//!
//! A `.programs` file holds many small cases, for what ends a script. Each starts with `=== ` and its
//! title; what follows, up to a line `---`, is a program without its opening tag (which comes before
//! its first line), and then comes what it prints.
//!
//! All cases run as the command runs them, and compiled in one of two ways in turn (`COMPILED`); `CASES_COMPILED=all` has each
//! compiled in both. Debug builds fail a case that leaves values behind.
//!
//! `tests/php/record.py` writes what the reference PHP prints into such files. `OPLINE_BINARY` names
//! another binary than the one that cargo built.

mod support;

use std::collections::HashMap;
use std::path::PathBuf;
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

/// Settings that make a way in which a case runs.
type Way = &'static [&'static str];

/// The ways in which cases run compiled: all of a case when it is first executed, and what is executed five times for what
/// was seen of it, which is left now and then for no reason.
static COMPILED: [Way; 2] = [
    &["opline.jit=eager"],
    &["opline.jit=stress", "opline.jit_threshold=5"],
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

/// What a case prints.
enum Expected<'a> {
    Text(&'a str),
    Pattern(&'a str),
}

struct Case<'a> {
    /// File and title, for messages.
    name: String,
    code: String,
    settings: &'a str,
    expected: Expected<'a>,
    status: i32,
}

/// The case of a `.phpt` file.
fn single_case<'a>(name: &str, text: &'a str) -> Result<Case<'a>, String> {
    let sections = sections(text);
    let section = |name: &str| sections.get(name).map(|section| section.trim());
    let expected = match (section("EXPECT"), section("EXPECTF")) {
        (Some(text), _) => Expected::Text(text),
        (None, Some(pattern)) => Expected::Pattern(pattern),
        (None, None) => return Err(format!("{name}\nno EXPECT section")),
    };
    let code = sections.get("FILE");
    Ok(Case {
        name: name.to_owned(),
        code: code.ok_or(format!("{name}\nno FILE section"))?.to_string(),
        settings: section("INI").unwrap_or_default(),
        expected,
        status: section("STATUS").map_or(0, |status| status.parse().unwrap_or(-1)),
    })
}

/// The cases of a `.programs` file.
fn program_cases<'a>(name: &str, text: &'a str) -> Result<Vec<Case<'a>>, String> {
    let mut cases = Vec::new();
    for (title, rest) in support::programs(text) {
        let name = format!("{name}\n{title}");
        let Some((code, expected)) = rest.split_once("\n---\n") else {
            return Err(format!("{name}: no line ---"));
        };
        let ends_badly = |line: &str| {
            ["Fatal error: ", "Parse error: "]
                .iter()
                .any(|start| line.starts_with(start))
        };
        cases.push(Case {
            name,
            code: format!("<?php {code}\n"),
            settings: "",
            expected: Expected::Text(expected.trim()),
            status: if expected.lines().any(ends_badly) {
                255
            } else {
                0
            },
        });
    }
    Ok(cases)
}

fn check(case: &Case<'_>, settings: &[&str]) -> Result<(), String> {
    let folder = folder();
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    std::fs::write(folder.join("case.php"), &case.code).map_err(|error| error.to_string())?;
    let mut arguments = vec!["-n"];
    for setting in SETTINGS
        .iter()
        .copied()
        .chain(case.settings.lines())
        .chain(settings.iter().copied())
    {
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
    let (agrees, expected) = match case.expected {
        Expected::Text(text) => (actual == text, text),
        Expected::Pattern(pattern) => (matches(pattern.as_bytes(), actual.as_bytes()), pattern),
    };
    if !agrees {
        let apart = first_difference(expected, &actual);
        return Err(format!(
            "{apart}\n--- expected\n{expected}\n--- actual\n{actual}"
        ));
    }
    if let Some(left) = outcome.left_alive() {
        return Err(left);
    }
    match outcome.status {
        Some(actual) if actual == case.status => Ok(()),
        actual => Err(format!("status {actual:?} instead of {}", case.status)),
    }
}

/// The first line that differs, for reports of which only a part is kept.
fn first_difference(expected: &str, actual: &str) -> String {
    let mut actual = actual.lines();
    for (number, line) in expected.lines().enumerate() {
        let other = actual.next();
        if other != Some(line) {
            return format!("line {}: {line:?} became {other:?}", number + 1);
        }
    }
    format!("more than expected: {:?}", actual.next())
}

/// A folder of its own for a case, so that cases can run at once. Its name has no links in it: PHP resolves them.
fn folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let root = std::env::temp_dir().canonicalize();
    root.expect("a folder for what is temporary")
        .join(format!("opline-case-{}-{number}", std::process::id()))
}

/// Each file of cases with its name below `tests/php` and its text.
fn case_files(extension: &str) -> Vec<(String, String)> {
    let root = support::root().join("tests/php");
    let files = support::files(&root, extension);
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap_or(&path).with_extension("");
        let text = std::fs::read_to_string(&path).expect("a file of text");
        (name.display().to_string(), text)
    };
    files.into_iter().map(read).collect()
}

/// Runs every case in the ways that are chosen for its number.
fn check_all(ways_of: impl Fn(usize) -> &'static [Way] + Sync) {
    let (single, many) = (case_files("phpt"), case_files("programs"));
    let mut cases = Vec::new();
    let mut failures = Vec::new();
    for (name, text) in &single {
        match single_case(name, text) {
            Ok(case) => cases.push(case),
            Err(problem) => failures.push(problem),
        }
    }
    for (name, text) in &many {
        match program_cases(name, text) {
            Ok(programs) => cases.extend(programs),
            Err(problem) => failures.push(problem),
        }
    }
    assert!(!cases.is_empty());
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(failures);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(number) else { break };
                    for way in ways_of(number) {
                        if let Err(problem) = check(case, way) {
                            let text = format!("{}\n{way:?}: {problem}", case.name);
                            failures.lock().unwrap().push(text);
                        }
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
        let is_known = known.contains(&name);
        if is_known {
            support::skipped(&format!("{name} is known to fail"));
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
fn every_case() {
    check_all(|_| &[&[]]);
}

#[test]
fn every_case_compiled() {
    let all = std::env::var("CASES_COMPILED").is_ok_and(|ways| ways == "all");
    check_all(|number| match all {
        true => &COMPILED,
        false => std::slice::from_ref(&COMPILED[number % COMPILED.len()]),
    });
}

#[test]
fn patterns() {
    assert!(matches(b"in %s on line %d", b"in a b.php on line 12"));
    assert!(!matches(b"line %d", b"line x"));
    assert!(matches(b"a%az", b"a\nb\nz"));
}
