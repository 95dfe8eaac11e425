//! Deep and long sources neither overflow the stack of a thread nor are refused without need.

use std::fmt::Write;
use std::thread;

use bumpalo::Bump;
use php_frontend::{ParseError, ParseOptions, parse};

/// The stack that Rust gives to threads.
const THREAD_STACK: usize = 2 << 20;

fn parse_in_thread(source: String) -> Result<(), ParseError> {
    thread::Builder::new()
        .stack_size(THREAD_STACK)
        .spawn(move || {
            let arena = Bump::new();
            parse(&arena, source.as_bytes(), ParseOptions::default()).map(|_| ())
        })
        .unwrap()
        .join()
        .unwrap()
}

#[test]
fn deep_nesting_is_an_error() {
    let cases = [
        "(",
        "[",
        "~",
        "!",
        "-",
        "@",
        "(int)",
        "$$",
        "$a = ",
        "$a ?? ",
        "f(",
        "new class { function f() { ",
        "{",
        "if (1) ",
        "while (1) ",
        "if (1) {",
        "1 ? ",
        "1 ** ",
        "fn() => ",
        "function() { ",
        "match(",
        "[1 => ",
        "list(",
        "print ",
        "yield ",
        "\"{$a[",
        "<<<A\n{$a[",
        "${",
        "$a[",
        "$a->{",
        "foreach ($a as [",
        "[list(",
        "do ",
        "throw ",
        "new (",
        "#[A(",
        "clone ",
        "static fn() => ",
        "isset(",
        "switch (1) { case 1: ",
        "try {",
        "namespace A {",
    ];
    for case in cases {
        let source = format!("<?php {}", case.repeat(20_000));
        assert!(parse_in_thread(source).is_err(), "{case}");
        let source = format!("<?php $x = {}", case.repeat(20_000));
        assert!(parse_in_thread(source).is_err(), "{case}");
    }
}

#[test]
fn ordinary_nesting_is_fine() {
    let source = format!("<?php {}1{};", "(".repeat(200), ")".repeat(200));
    assert_eq!(parse_in_thread(source), Ok(()));
    let source = format!("<?php {}{}", "if (1) { ".repeat(80), "}".repeat(80));
    assert_eq!(parse_in_thread(source), Ok(()));
}

#[test]
fn chains_do_not_nest() {
    let mut if_chain = "<?php if ($a) {}".to_owned();
    for number in 0..10_000 {
        write!(if_chain, " else if ($a == {number}) {{}} elseif (0) {{}}").unwrap();
    }
    let sources = [
        format!("<?php $a = 'x'{};", " . 'x'".repeat(10_000)),
        format!("<?php $a = 1{};", " + 1 * 2".repeat(10_000)),
        format!("<?php $a{};", "->f(1)[2]".repeat(10_000)),
        format!("<?php f({});", "1, ".repeat(10_000)),
        format!("<?php return [{}];", "'a' => 1, ".repeat(10_000)),
        format!("<?php $a = \"{}\";", "$b[0] {$c} ".repeat(10_000)),
        if_chain,
    ];
    for source in sources {
        assert_eq!(parse_in_thread(source), Ok(()));
    }
}
