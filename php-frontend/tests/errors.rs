//! What is said about wrong sources. `OPLINE_PHP=php cargo test` compares it with PHP itself.

use std::fmt::Write;
use std::process::Command;

use bumpalo::Bump;
use php_frontend::{ParseErrorKind, ParseOptions, parse};

/// Wrong sources; the opening tag is put before each.
const SOURCES: &[&str] = &[
    // Expected tokens: none are listed if there are more than four.
    "echo 1 2;",
    "$a = ;",
    "$a = [1",
    "f(1;",
    "if (1) {",
    "if (1): 2",
    "class { }",
    "class A { public }",
    "class A { function f() }",
    "class A { const = 1; }",
    "class A extends { }",
    "interface A implements B { }",
    "enum A: { }",
    "static class A {}",
    "function f(int) {}",
    "function f($a, , $b) {}",
    "use A\\{B, C};\nuse A\\{};",
    "namespace A B;",
    "foreach ($a of $b) {}",
    "switch (1) { echo 2; }",
    "try { }  catch { }",
    "match (1) { 1 => }",
    "fn($a) { };",
    "$f = function() use (1) {};",
    "new A->b();",
    "list($a);",
    "[$a, $b] => 1;",
    "1 < 2 < 3;",
    "1 == 2 == 3;",
    "unset(f);",
    "global $a->b;",
    "goto 1;",
    "const A;",
    "exit = 1;",
    "$a->;",
    "A::;",
    "$a = &1;",
    "#[A] echo 1;",
    "abstract interface A {}",
    "function f(): A&(B|C) {}",
    "function f(A&B|C $a) {}",
    "use function A\\{function b};",
    // Names of the unexpected.
    "f() g;",
    "f() $g;",
    "f() 1;",
    "f() 1.5;",
    "f() 'a';",
    "f() \"a\";",
    "f() \"a\nb\";",
    "f() 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz';",
    "f() \"a$b\";",
    "f() `a`;",
    "f() A\\B;",
    "f() \\A;",
    "f() namespace\\A;",
    "f() \\ A;",
    "f() <<<A\nb\nA;",
    "f() <<<'A'\nb\nA;",
    "\"$a[ ]\";",
    "\"$a[1 ]\";",
    "\"${a\";",
    "f() b'x';",
    "f() (int) 1;",
    // Errors of the lexer.
    "$a = 08;",
    "$a = '\u{1}' . \u{1};",
    "$a = \"\\u{110000}\";",
    "$a = \"\n\\u{x}\";",
    "/* never\nclosed",
    "f(\n[1, 2)",
    "}",
    "{\n\n",
    "(",
    "$a = 'never closed\n",
    "$a = \"never closed\n",
    "$a = \"never closed\n $b",
    "$a = <<<A\n",
    "$a = <<<A\n  b\n c\n  A;",
    "$a = <<<A\n\tb\n  A;",
    "$a = <<<A\n b\n \tA;",
    "$a = <<<'A'\n  b\n c\n  A;",
    "(real) 1;",
    // Errors of modifiers and the like, which PHP raises while it parses.
    "class A { public public $a; }",
    "class A { public private(set) protected(set) int $a; }",
    "class A { abstract final function f(); }",
    "class A { readonly function f() {} }",
    "class A { static const A = 1; }",
    "class A { public\nabstract\nconst A = 1; }",
    "class A { function __construct(static $a) {} }",
    "class A { public $a { public get; } }",
    "final abstract class A {}",
    "new final class {};",
    "function f() { __halt_compiler(); }",
    "declare(encoding=A);",
];

/// `Parse error: message on line 1`, as PHP says it.
fn report(source: &str) -> String {
    let arena = Bump::new();
    match parse(&arena, source.as_bytes(), ParseOptions::default()) {
        Ok(_) => "no error".to_owned(),
        Err(error) => {
            let kind = match error.kind {
                ParseErrorKind::Syntax => "Parse error",
                ParseErrorKind::Compile => "Fatal error",
            };
            format!("{kind}: {error}")
        }
    }
}

#[test]
fn messages() {
    let mut text = String::new();
    for source in SOURCES {
        writeln!(
            text,
            "{}\n    {}",
            source.escape_debug(),
            report(&format!("<?php {source}"))
        )
        .unwrap();
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("errors", text);
    });
}

#[test]
fn messages_are_those_of_php() {
    let Ok(php) = std::env::var("OPLINE_PHP") else {
        return;
    };
    let path = std::env::temp_dir().join(format!("opline-errors-{}.php", std::process::id()));
    let mut differences = Vec::new();
    for source in SOURCES {
        let source = format!("<?php {source}");
        std::fs::write(&path, &source).unwrap();
        let output = Command::new(&php)
            .args(["-n", "-l"])
            .arg(&path)
            .output()
            .unwrap();
        let said =
            String::from_utf8_lossy(&output.stdout).replace(&format!(" in {}", path.display()), "");
        let said = said.trim().lines().next().unwrap_or_default().to_owned();
        if report(&source) != said {
            differences.push(format!(
                "{source}
  {}
  {said}",
                report(&source)
            ));
        }
    }
    std::fs::remove_file(&path).unwrap();
    assert!(
        differences.is_empty(),
        "{}",
        differences.join(
            "
"
        )
    );
}
