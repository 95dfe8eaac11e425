//! Every FILE section of the `.phpt` files under `OPLINE_PHPT` parses as its expectation says.
//!
//! A test that expects a parse error must get that one; every other source must parse. Sources that
//! a setting or a missing extension changes are few, and listed below.

use std::path::{Path, PathBuf};

use bumpalo::Bump;
use php_frontend::{ParseErrorKind, ParseOptions, parse};

/// Tests whose source is read in another encoding, whose error is in code they run, or which are
/// about limits of PHP's own parser.
const EXCEPTIONS: &[&str] = &[
    "bug38779.phpt",
    "bug64660.phpt",
    "bug69640.phpt",
    "bug74372.phpt",
    "flexible-heredoc-error10.phpt",
    "stack_limit_013.phpt",
    "zend_multibyte-01.phpt",
];

#[test]
#[ignore = "needs PHP's tests, whose folder OPLINE_PHPT names; .ci/run has it run where they are"]
fn phpt_sources() {
    let folder = std::env::var_os("OPLINE_PHPT").expect("OPLINE_PHPT names a folder");
    let mut paths = Vec::new();
    collect(Path::new(&folder), &mut paths);
    assert!(!paths.is_empty(), "no tests there");
    let mut failures = Vec::new();
    for path in &paths {
        if EXCEPTIONS.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let text = std::fs::read(path).unwrap();
        let Some(source) = section(&text, "FILE") else {
            continue;
        };
        let expected = ["EXPECT", "EXPECTF", "EXPECTREGEX"]
            .iter()
            .find_map(|name| section(&text, name))
            .map(|text| String::from_utf8_lossy(text).into_owned())
            .unwrap_or_default();
        let arena = Bump::new();
        let error = parse(&arena, source, ParseOptions::default()).err();
        let agrees = match &error {
            None => !expected.trim_start().starts_with("Parse error:"),
            Some(error) if error.kind == ParseErrorKind::Compile => {
                expected.contains("Fatal error:")
            }
            Some(error) => {
                let line = format!("on line {}", error.line);
                expected.contains("Parse error:")
                    && (expected.contains(&line) || expected.contains("on line %d"))
            }
        };
        if !agrees {
            failures.push(format!("{}: {error:?}", path.display()));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        paths.len(),
        failures.join("\n")
    );
}

/// The lines of a section up to the next.
fn section<'t>(text: &'t [u8], name: &str) -> Option<&'t [u8]> {
    let header = format!("--{name}--\n");
    let is_header = |line: &[u8]| {
        line.starts_with(b"--")
            && line.trim_ascii_end().ends_with(b"--")
            && line.len() > 5
            && line[2..line.trim_ascii_end().len() - 2]
                .iter()
                .all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
    };
    let mut offset = 0;
    let mut start = None;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        if let Some(start) = start
            && is_header(line)
        {
            return Some(&text[start..offset]);
        }
        offset += line.len();
        if start.is_none() && line == header.as_bytes() {
            start = Some(offset);
        }
    }
    start.map(|start| &text[start..])
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "phpt")
        {
            paths.push(path);
        }
    }
}
