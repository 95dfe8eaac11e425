//! The PHP examples in the opcode definitions: each prints what its comments say, and compiles to
//! the opcode that it shows.

mod support;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use vm_runtime::generated::examples::{EXAMPLES, Example};

/// White space is not significant: a comment shows the lines of one statement behind it.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs a check of every example on two threads; it gives what is wrong.
fn each(check: impl Fn(&Example) -> Option<String> + Sync) {
    assert!(EXAMPLES.len() > 100, "{} examples", EXAMPLES.len());
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(example) = EXAMPLES.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(problem) = check(example) {
                        let failure = format!("{}\n{}\n{problem}", example.opcode, example.code);
                        failures.lock().unwrap().push(failure);
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

#[test]
fn every_example_prints_what_it_says() {
    each(|example| {
        let source = format!("<?php\n{}", example.code);
        let arguments = ["-n", "-d", "display_errors=1"];
        let outcome = support::run(&std::env::temp_dir(), &arguments, source.as_bytes());
        let (actual, expected) = (words(&outcome.text()), words(example.expected));
        (actual != expected).then(|| format!("--- expected {expected}\n--- actual   {actual}"))
    });
}

/// An opline is a number, perhaps a result, and the name of the opcode, with a function's behind it.
fn has_opcode(dump: &str, opcode: &str) -> bool {
    dump.lines().any(|line| {
        let mut words = line.split_whitespace();
        let number = words.next().unwrap_or("");
        let mut name = words.next().unwrap_or("");
        if words.next() == Some("=") {
            name = words.next().unwrap_or("");
        }
        let name = name.split('(').next();
        number.len() == 4
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && name == Some(opcode)
    })
}

/// What nothing compiles to is marked `Internal` in its doc comment; everything else shows itself.
#[test]
fn every_example_compiles_to_its_opcode() {
    let folder = std::env::temp_dir().join(format!("opline-examples-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    each(|example| {
        // Two opcodes may share an example, whose text the linker then keeps once: named for both.
        let name = format!("{}-{:p}.php", example.opcode, example.code.as_ptr());
        std::fs::write(folder.join(&name), format!("<?php\n{}", example.code)).expect("a script");
        let outcome = support::run(&folder, &["dump", &name], b"");
        let dump = outcome.text();
        (has_opcode(&dump, example.opcode) != example.emitted).then(|| match example.emitted {
            true => format!("--- the opcode is not in\n{dump}{}", outcome.errors()),
            false => "--- it compiles to the opcode, which is marked Internal".to_owned(),
        })
    });
    let _ = std::fs::remove_dir_all(&folder);
}
