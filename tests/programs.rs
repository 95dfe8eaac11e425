//! The programs under `examples/` print what PHP 8.4 prints (the `.expected` files).

mod support;

#[test]
fn examples_print_what_php_prints() {
    let folder = support::root().join("examples");
    let programs = support::files(&folder, "php");
    assert!(programs.len() >= 4);
    for program in programs {
        let expected = std::fs::read_to_string(program.with_extension("expected")).unwrap();
        let outcome = support::run(&folder, &["-n", program.to_str().unwrap()], b"");
        assert_eq!(outcome.text(), expected, "{}", program.display());
        assert_eq!(outcome.status, Some(0), "{}", program.display());
    }
}
