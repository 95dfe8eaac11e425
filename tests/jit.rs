//! Compiled code does what the interpreter does: the same output and status with the tier off, with
//! everything compiled when it is first executed, and with it compiled when it is hot.

mod support;

/// The options of the ways in which code is compiled.
const MODES: [&[&str]; 3] = [
    &["-d", "opline.jit=eager"],
    &[
        "-d",
        "opline.jit=on",
        "-d",
        "opline.jit_threshold=5",
        "-d",
        "opline.jit_budget=0",
    ],
    // Beside the script.
    &[
        "-d",
        "opline.jit=on",
        "-d",
        "opline.jit_threshold=2",
        "-d",
        "opline.jit_budget=100",
    ],
];

fn compare(name: &str, file: &str) {
    let folder = support::root();
    let reference = support::run(folder, &["-n", file], b"");
    for options in MODES {
        let mut arguments = vec!["-n"];
        arguments.extend(options);
        arguments.push(file);
        let outcome = support::run(folder, &arguments, b"");
        assert_eq!(outcome.text(), reference.text(), "{name} {options:?}");
        assert_eq!(outcome.status, reference.status, "{name} {options:?}");
        // Debug builds tell what nobody has freed.
        let errors = outcome.errors();
        assert!(!errors.contains("alive"), "{name} {options:?}: {errors}");
    }
}

#[test]
fn programs_do_the_same_compiled() {
    let root = support::root();
    for folder in ["examples", "tests/jit"] {
        let programs = support::files(&root.join(folder), "php");
        assert!(programs.len() >= 3, "{folder}");
        for program in programs {
            compare(&program.display().to_string(), program.to_str().unwrap());
        }
    }
}

/// The kernels that are measured, with a thousandth of the work.
#[test]
fn kernels_do_the_same_compiled() {
    let programs = support::files(&support::root().join("benches/jit"), "php");
    assert!(programs.len() >= 12);
    let folder = std::env::temp_dir().join(format!("opline-jit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for program in programs {
        let text = std::fs::read_to_string(&program).unwrap();
        let file = folder.join(program.file_name().unwrap());
        let text = text.replace("00000", "00").replace("fib(30)", "fib(15)");
        std::fs::write(&file, text).unwrap();
        compare(&program.display().to_string(), file.to_str().unwrap());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
