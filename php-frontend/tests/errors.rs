//! Compile errors, warnings and deprecations, with PHP's texts and lines.

mod world;

use php_frontend::{CompileOptions, Severity, compile};
use vm_runtime::op_array::LiteralPool;

fn messages(code: &str) -> Vec<String> {
    let source = format!("<?php {code}\n");
    let mut pool = LiteralPool::new();
    let environment = world::load(include_str!("dumps/world.txt"), &mut pool);
    let options = CompileOptions::new(&environment);
    let text = |severity: Severity, message: &[u8], line: u32| {
        let kind = match severity {
            Severity::Deprecated => "Deprecated",
            Severity::Warning => "Warning",
            Severity::Fatal => "Fatal error",
        };
        format!("{kind}: {} @{line}", String::from_utf8_lossy(message))
    };
    let (diagnostics, error) = match compile(source.as_bytes(), b"case.php", &options) {
        Ok(compiled) => (compiled.diagnostics, None),
        Err(error) => {
            let last = text(Severity::Fatal, &error.message, error.line);
            (error.diagnostics, Some(last))
        }
    };
    diagnostics
        .iter()
        .map(|diagnostic| text(diagnostic.severity, &diagnostic.message, diagnostic.line))
        .chain(error)
        .collect()
}

#[test]
fn errors_and_warnings() {
    let mut cases: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in include_str!("errors.txt").lines() {
        if line.starts_with('#') && !line.starts_with("#[") {
            continue;
        }
        match line.strip_prefix("    ") {
            Some(message) => cases
                .last_mut()
                .expect("a source comes first")
                .1
                .push(message),
            None => cases.push((line, Vec::new())),
        }
    }
    assert!(cases.len() > 150);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(code, expected)| {
            let actual = messages(code);
            (actual != *expected).then(|| format!("{code}\n  {expected:?}\n  {actual:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn deep_nesting_is_an_error_not_a_crash() {
    for (open, close) in [
        ("[", "]"),
        ("(", ")"),
        ("f(", ")"),
        ("-", ""),
        ("$a = ", ""),
    ] {
        let code = format!("$x = {}1{};", open.repeat(20_000), close.repeat(20_000));
        let _ = messages(&code);
    }
}

#[test]
fn long_chains() {
    for link in [" . $a", " + $a", " && $a", " || $a"] {
        let code = format!("$x = $y{};", link.repeat(20_000));
        assert_eq!(messages(&code), Vec::<String>::new(), "{link}");
    }
    for link in ["->a", "[1]", "->a()", "()", "?->a", "::$a", "::a()"] {
        let code = format!("$x = $y{};", link.repeat(100));
        assert_eq!(messages(&code), Vec::<String>::new(), "{link}");
        let code = format!("$x = fn() => $y{};", link.repeat(20_000));
        let _ = messages(&code);
    }
    for link in ["$a = ", "$a ?? ", "$a ?: ", "!", "$a ** "] {
        let code = format!("$x = {}1;", link.repeat(100));
        assert_eq!(messages(&code), Vec::<String>::new(), "{link}");
    }
}
