//! The PHP examples in the opcode definitions: each prints what its comments say.

mod support;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use vm_runtime::generated::examples::EXAMPLES;

/// White space is not significant: a comment shows the lines of one statement behind it.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_example() {
    assert!(EXAMPLES.len() > 100, "{} examples", EXAMPLES.len());
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(example) = EXAMPLES.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let source = format!("<?php\n{}", example.code);
                    let folder = std::env::temp_dir();
                    let outcome = support::run(
                        &folder,
                        &["-n", "-d", "display_errors=1"],
                        source.as_bytes(),
                    );
                    let (actual, expected) = (words(&outcome.text()), words(example.expected));
                    if actual != expected {
                        failures.lock().unwrap().push(format!(
                            "{}\n{}\n--- expected {expected}\n--- actual   {actual}",
                            example.opcode, example.code
                        ));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(
        failures.is_empty(),
        "{} of {} examples failed:\n\n{}",
        failures.len(),
        EXAMPLES.len(),
        failures.join("\n\n")
    );
}
