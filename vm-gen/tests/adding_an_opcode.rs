//! Walks docs/adding-an-opcode.md: adds its opcode to a copy of the definitions.

use std::path::PathBuf;

use vm_gen::explain::{View, explain};
use vm_gen::{Kind, Options, Source, analyse, check_runtime, generate, list, sources};

const GUIDE: &str = include_str!("../../docs/adding-an-opcode.md");

/// The first block of code of a language in the guide, without its indentation.
fn block(language: &str) -> String {
    let fence = format!("   ```{language}\n");
    let (_, rest) = GUIDE.split_once(&fence).expect("the guide has the block");
    let lines = rest.lines().take_while(|line| *line != "   ```");
    lines
        .map(|line| format!("{}\n", line.strip_prefix("   ").unwrap_or(line)))
        .collect()
}

/// A fresh folder below the temporary one.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("opline-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a temporary folder");
    path
}

#[test]
fn the_opcode_is_generated() {
    let copy = folder("definitions");
    for source in sources::standard() {
        let added = if source.name == "arithmetic" {
            block("text")
        } else {
            String::new()
        };
        let text = format!("{}\n{added}", source.text);
        std::fs::write(copy.join(format!("{}.vmdef", source.name)), text).expect("a file");
    }
    let sources = sources::directory(&copy).expect("the copy is read");
    let before = analyse(&sources::standard()).expect("the definitions are right");
    let after = analyse(&sources).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));

    let number = |text: &str| text.lines().any(|line| line.starts_with("210"));
    assert!(number(&list::free(&before)), "210 is not free");
    assert!(!number(&list::free(&after)), "210 is still free");
    let missing = list::missing_lowering(&after);
    assert!(missing.iter().all(|opcode| opcode.name.value != "SQUARE"));

    let lowering = explain(&after, "SQUARE", Some("tmpvarcv"), View::Lowering);
    let lowering = lowering.expect("the specialisation exists");
    assert!(lowering.contains("mul_i64_overflow"), "{lowering}");

    let options = Options {
        kind: Kind::Tail,
        sources,
    };
    let outputs = generate(&options).expect("it was analysed before");
    let has = |file: &str, text: &str| {
        let file = outputs.file(file).expect("the file is generated");
        assert!(file.text.contains(text), "{} has no {text}", file.name);
    };
    has("opcode.rs", "SQUARE = 210");
    has("handlers_arithmetic.rs", "fn square_long__tmpvarcv(");
    has("handlers_arithmetic.rs", "crate::operators::square(");
    has("examples.rs", "$seven ** 2");
    let _ = std::fs::remove_dir_all(&copy);
}

#[test]
fn the_slow_function_is_found() {
    let prelude = "/// Goes on.\nhelper interrupt_helper { slow handler interrupt; }\n";
    let sources = [
        Source::new("prelude", prelude),
        Source::new("new", &block("text")),
    ];
    let analysis = analyse(&sources).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));

    let runtime = folder("runtime");
    let operators = runtime.join("operators");
    std::fs::create_dir_all(&operators).expect("a folder");
    std::fs::write(operators.join("mod.rs"), "pub use arithmetic::square;\n").expect("a file");
    let missing = check_runtime(&analysis, &runtime).expect_err("nobody wrote the function");
    assert!(
        missing
            .to_string()
            .contains("`square` is not in the runtime"),
        "{missing}"
    );

    let function = block("rust");
    std::fs::write(operators.join("arithmetic.rs"), &function).expect("a file");
    check_runtime(&analysis, &runtime).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));

    let other = function.replace("value: &Zval", "left: &Zval, right: &Zval");
    std::fs::write(operators.join("arithmetic.rs"), other).expect("a file");
    let wrong = check_runtime(&analysis, &runtime).expect_err("it takes too much");
    assert!(
        wrong.to_string().contains("takes or gives something else"),
        "{wrong}"
    );
    let _ = std::fs::remove_dir_all(&runtime);
}
