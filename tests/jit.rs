//! Compiled code does what the interpreter does: the same output and status with the tier off, with
//! everything compiled when it is first executed, and with it compiled when it is hot.

mod support;

/// The options of the ways in which code is compiled.
const MODES: [&[&str]; 4] = [
    &["-d", "opline.jit=eager"],
    &[
        "-d",
        "opline.jit=on",
        "-d",
        "opline.jit_threshold=5",
        "-d",
        "opline.jit_budget=0",
    ],
    &["-d", "opline.jit=stress", "-d", "opline.jit_threshold=5"],
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
        assert_eq!(outcome.left_alive(), None, "{name} {options:?}");
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

/// What the tier tells of exits from compiled code while a program of tests/jit runs.
fn exits(program: &str) -> String {
    let program = support::root().join("tests/jit").join(program);
    let mut arguments = vec!["-n", "-d", "opline.jit_debug=exits"];
    arguments.extend(MODES[1]);
    arguments.push(program.to_str().unwrap());
    support::run(support::root(), &arguments, b"").errors()
}

/// References, values that are given up, texts and native functions keep nobody from staying in compiled code.
#[test]
fn compiled_code_stays() {
    let errors = exits("stays.php");
    assert!(
        errors.contains("Stays\\Order::of: compiled 1 times"),
        "{errors}"
    );
    for opcode in ["FETCH_DIM_R", "PRE_INC", "ASSIGN", "DO_FCALL_BY_NAME"] {
        let left = format!(" {opcode}, the same types");
        assert!(!errors.contains(&left), "{errors}");
    }
}

/// What begins as an integer and is a float from then on does not leave compiled code each time that it begins.
#[test]
fn numbers_of_both_kinds_stay() {
    let errors = exits("begins_as_an_integer.php");
    assert!(errors.contains("points: compiled "), "{errors}");
    assert!(!errors.contains("left too often"), "{errors}");
}

/// A loop that is entered at the test it ends with has one beginning, also where it is entered in the middle of running:
/// what it does not change is read in front of it.
#[test]
fn loops_have_one_beginning() {
    let script = "function sum($n) { \
        for ($i = 0; $i < $n; $i++) { $x[$i] = $i; } $sum = 0; \
        for ($k = 0; $k < 3000; $k++) { for ($i = $n - 1; $i >= 0; $i--) { $sum += $x[$i]; } } return $sum; } \
        echo sum(50);";
    let mut arguments = vec!["-n", "-d", "opline.jit_debug=graph"];
    arguments.extend(MODES[1]);
    arguments.extend(["-r", script]);
    let outcome = support::run(support::root(), &arguments, b"");
    assert_eq!(outcome.text(), "3675000");
    let graph = outcome.errors();
    let blocks = || graph.split("\nblock");
    let inner: Vec<&str> = blocks()
        .filter(|block| block.contains("element Array.element") && block.contains("add_i64"))
        .collect();
    assert!(!inner.is_empty(), "{graph}");
    for block in inner {
        assert!(!block.contains("get_field Array.used"), "{block}");
    }
}

/// What a script evaluates goes, with what was compiled of it.
#[test]
fn evaluated_code_goes() {
    let evaluated = |rounds: u32, turns: u32| {
        format!(
            "$s = 0; for ($n = 0; $n < {rounds}; $n++) {{ $s += eval(\"\\$t = 0; for (\\$i = 0; \\$i < {turns}; \\$i++) {{ \\$t += \\$i % 7 + $n; }} return \\$t;\"); }} echo $s;"
        )
    };
    // Only counted, and compiled: the place of code is used again.
    let few = ["memory_limit=6M", "opline.jit_threshold=200"];
    let all = ["opline.jit_buffer_size=256K", "opline.jit_threshold=5"];
    for (rounds, turns, options, compiled) in [(4000, 2, few, 0), (600, 50, all, 600)] {
        let code = evaluated(rounds, turns);
        let expected = support::run(support::root(), &["-n", "-r", &code], b"").text();
        let mut arguments = vec!["-n", "-d", "opline.jit=on", "-d", "opline.jit_budget=0"];
        arguments.extend(options.iter().flat_map(|option| ["-d", option]));
        arguments.extend(["-d", "opline.jit_stats=1", "-r", &code]);
        let outcome = support::run(support::root(), &arguments, b"");
        assert_eq!(outcome.text(), expected, "{options:?}");
        let errors = outcome.errors();
        let count = errors
            .strip_prefix("jit: ")
            .and_then(|rest| rest.split(' ').next());
        let count: u32 = count
            .and_then(|count| count.parse().ok())
            .unwrap_or_default();
        assert!(count >= compiled, "{errors}");
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
