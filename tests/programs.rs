//! Whole programs: those under `examples/` and `benches/programs/` print what PHP 8.4 prints (the `.expected` files).

mod support;

use std::path::Path;

/// Runs a program with these settings and arguments.
#[track_caller]
fn check(program: &Path, settings: &[&str], arguments: &[&str]) {
    let expected = std::fs::read_to_string(program.with_extension("expected")).unwrap();
    let mut words = vec!["-n"];
    for setting in settings {
        words.extend(["-d", setting]);
    }
    words.push(program.to_str().unwrap());
    words.extend(arguments);
    let outcome = support::run(support::root(), &words, b"");
    let name = program.display();
    assert_eq!(outcome.text(), expected, "{name} {settings:?}");
    assert_eq!(outcome.status, Some(0), "{name} {settings:?}");
}

#[test]
fn examples_print_what_php_prints() {
    let programs = support::files(&support::root().join("examples"), "php");
    assert!(programs.len() >= 4);
    for program in programs {
        check(&program, &[], &[]);
    }
}

/// Programs of `benches/programs` do the same so many times: once is enough here, and what is compiled
/// only after a while is compiled at once.
#[test]
fn whole_programs_print_what_php_prints() {
    let programs = support::files(&support::root().join("benches/programs"), "php");
    assert!(programs.len() >= 10);
    let modes: [&[&str]; 4] = [
        &["opline.jit=off"],
        &[
            "opline.jit=on",
            "opline.jit_threshold=3",
            "opline.jit_budget=0",
        ],
        &["opline.jit=eager"],
        &["opline.jit=stress"],
    ];
    std::thread::scope(|scope| {
        for settings in modes {
            let programs = &programs;
            scope.spawn(move || {
                for program in programs {
                    check(program, settings, &["1"]);
                }
            });
        }
    });
}
