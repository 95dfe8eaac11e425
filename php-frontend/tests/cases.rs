//! The tree of every file in `tests/cases`, as text.

use std::path::Path;

use bumpalo::Bump;
use php_frontend::{ParseOptions, ast, parse};

#[test]
fn trees() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths: Vec<_> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths
        .iter()
        .filter(|path| path.extension().is_some_and(|name| name == "php"))
    {
        let source = std::fs::read(path).unwrap();
        let arena = Bump::new();
        let text = match parse(&arena, &source, ParseOptions::default()) {
            Ok(program) => ast::dump(&program),
            Err(error) => panic!("{}: {error}", path.display()),
        };
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, text);
        });
    }
}

fn outline(source: &str, options: ParseOptions) -> String {
    let arena = Bump::new();
    ast::dump(&parse(&arena, source.as_bytes(), options).unwrap())
}

#[test]
fn options_change_how_a_source_begins() {
    let options = ParseOptions::default();
    let short = ParseOptions {
        short_open_tag: false,
        ..options
    };
    let shebang = ParseOptions {
        skip_shebang: true,
        ..options
    };
    let code = ParseOptions {
        in_code: true,
        first_line: 7,
        ..options
    };
    assert_eq!(
        outline("<? a();", options),
        "(expr:1 (call:1 (name:1 a) (args:1)))"
    );
    assert_eq!(outline("<? a();", short), r#"(html:1 "<? a();")"#);
    assert_eq!(outline("#!php\n<?php 1;", shebang), "(expr:2 (int:2 1))");
    assert_eq!(
        outline("#!php\n<?php 1;", options),
        "(html:1 \"#!php\\n\")\n(expr:2 (int:2 1))"
    );
    assert_eq!(outline("1;", code), "(expr:7 (int:7 1))");
    assert_eq!(
        outline("\u{feff}<?PHP 1;", options),
        "(html:1 \"\\xef\\xbb\\xbf\")\n(expr:1 (int:1 1))"
    );
}
