//! What the integration tests share: the binary under test, and running it.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The binary under test: `OPLINE_BINARY`, or the one that cargo built with the test.
pub fn binary() -> PathBuf {
    match std::env::var_os("OPLINE_BINARY") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(env!("CARGO_BIN_EXE_opline")),
    }
}

/// The folder of the root package.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Says that a test, or a part of one, did not run, and why: in a line of its own on standard error, which the
/// harness keeps from nobody. `.ci/run` shows and counts these lines.
pub fn skipped(reason: &str) {
    let _ = std::io::stderr().write_all(format!("\nskipped: {reason}\n").as_bytes());
}

/// What a run gave.
#[derive(Debug)]
pub struct Outcome {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The exit status; a process that a signal ended has none.
    pub status: Option<i32>,
}

impl Outcome {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Fails unless the process ended with this status and printed this.
    #[track_caller]
    pub fn expect(&self, status: i32, stdout: &str) {
        assert_eq!(self.text(), stdout, "standard error: {}", self.errors());
        assert_eq!(self.status, Some(status));
    }

    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// What a debug build tells of values that nobody has freed, if there are any.
    pub fn left_alive(&self) -> Option<String> {
        let errors = self.errors();
        errors.contains("still alive ===").then_some(errors)
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Outcome {
        Outcome {
            stdout: output.stdout,
            stderr: output.stderr,
            status: output.status.code(),
        }
    }
}

/// Runs the binary with arguments and standard input, in a folder, and in no country: what is printed must not
/// depend on where the tests run.
pub fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> Outcome {
    let mut child = Command::new(binary())
        .args(arguments)
        .current_dir(folder)
        .env("LC_ALL", "C")
        .env_remove("LANGUAGE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A script that does not read its input closes the pipe.
        let _ = pipe.write_all(&input);
    });
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("the writer ends");
    output.into()
}

/// Every file with this extension under a folder, sorted.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).expect("a folder");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The programs of a `.programs` file: of each its title, which follows `=== `, and what stands below it. What
/// comes before the first title is a remark about the file.
pub fn programs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let behind_first = || Some(text.split_once("\n=== ")?.1);
    let titled = text.strip_prefix("=== ").or_else(behind_first);
    let parts = titled.into_iter().flat_map(|text| text.split("\n=== "));
    parts.map(|part| part.split_once('\n').unwrap_or((part, "")))
}
