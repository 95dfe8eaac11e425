//! The machine code of the `tail` build and what its profile is for, and every opcode on a small native stack.

mod support;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use vm_runtime::generated::examples::EXAMPLES;
use vm_runtime::generated::table::HANDLER_NAMES;

/// Parts of handlers that are off the fast path: they may use the stack. Whoever goes there jumps.
const COLD: &[&str] = &["__slow", "__compute", "__middle"];

/// Opcodes whose examples cannot be repeated: they declare under a condition.
const ONCE: &[&str] = &["DECLARE_CLASS", "DECLARE_FUNCTION"];

/// The optimised binary of kind `tail`: what `OPLINE_RELEASE` names, which must be there then (`.ci/run` has just
/// built it), or else what was built last, if anything.
fn release_binary() -> Option<PathBuf> {
    let (path, is_named) = match std::env::var_os("OPLINE_RELEASE") {
        Some(path) => (PathBuf::from(path), true),
        None => (support::root().join("target/release/opline"), false),
    };
    if path.exists() {
        return Some(path);
    }
    unavailable(&format!("{} is not built", path.display()), is_named);
    None
}

/// Says that something is missing to run a test; fails where it was promised.
#[track_caller]
fn unavailable(what: &str, is_promised: bool) {
    assert!(!is_promised, "{what}");
    support::skipped(what);
}

/// The name of a handler in a line such as `0000000000012345 <vm_runtime::...::add__cv_cv>:`.
fn handler_name(line: &str) -> Option<&str> {
    let name = line.strip_suffix(">:")?.split_once('<')?.1;
    if !name.contains("generated") || !name.contains("handlers") {
        return None;
    }
    let name = match name.rsplit_once("::h") {
        Some((name, hash)) if hash.len() == 16 => name,
        _ => name,
    };
    name.rsplit("::").next()
}

/// What a handler does that it should not: it saves registers, has a native frame or makes calls, so that the
/// fast path has a prologue, or it neither goes on by a jump nor goes back to who entered the interpreter, as a
/// generator that yields does.
fn problems_of<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut goes_on = false;
    let mut found = Vec::new();
    for line in lines {
        let instruction = line.split_once(":\t").map_or("", |(_, text)| text.trim());
        let mnemonic = instruction.split_whitespace().next().unwrap_or("");
        match mnemonic {
            "jmp" | "ret" => goes_on = true,
            "call" | "push" => found.push(instruction),
            "sub" if instruction.ends_with(",%rsp") => found.push(instruction),
            _ => {}
        }
    }
    if !goes_on {
        found.push("no way on");
    }
    found
}

/// Every specialised handler does without a prologue, and its dispatch is a jump. What needs more (a look-up, the
/// middle and the slow path) is a function of its own that is jumped to.
#[test]
fn handlers_jump_to_the_next() {
    let Some(binary) = release_binary() else {
        return;
    };
    let listing = Command::new("objdump")
        .args(["-d", "--demangle", "--no-show-raw-insn"])
        .arg(&binary)
        .stderr(Stdio::null())
        .output();
    let Ok(listing) = listing else {
        support::skipped("there is no objdump");
        return;
    };
    let listing = String::from_utf8_lossy(&listing.stdout);
    let handlers: HashSet<&str> = HANDLER_NAMES
        .iter()
        .copied()
        .filter(|name| !COLD.iter().any(|end| name.ends_with(end)))
        .collect();
    let mut count = 0;
    let mut problems = Vec::new();
    for block in listing.split("\n\n") {
        let mut lines = block.lines().skip_while(|line| !line.ends_with(">:"));
        let name = lines.next().and_then(handler_name);
        let Some(name) = name.filter(|name| handlers.contains(name)) else {
            continue;
        };
        count += 1;
        let found = problems_of(lines);
        if !found.is_empty() {
            problems.push(format!("{name}: {}", found.join("; ")));
        }
    }
    if count == 0 {
        let what = "the binary is not of kind tail, or has no symbols";
        return unavailable(what, std::env::var_os("OPLINE_RELEASE").is_some());
    }
    assert!(
        problems.is_empty(),
        "{} of {count} handlers:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

/// The profile of release builds knows functions by their names, which change with what the crates are told by cargo,
/// and with the fields of the types in their signatures (a new field of `Vm` renames most handlers): one that is for
/// other names is taken without a word, and of no use.
#[test]
fn the_profile_is_for_these_functions() {
    let Some(binary) = release_binary() else {
        return;
    };
    let binary = std::fs::read(&binary).expect("a binary can be read");
    let symbols: HashSet<&[u8]> = binary.split(|byte| *byte == 0).collect();
    let hottest = std::fs::read_to_string(support::root().join("profile/hottest.txt"));
    let hottest = hottest.expect("profile/make.sh writes the names");
    let names: Vec<&str> = hottest.lines().collect();
    let known = names
        .iter()
        .filter(|name| symbols.contains(name.as_bytes()));
    let known = known.count();
    // Some are parts of others.
    assert!(
        names.len() >= 100 && known * 2 >= names.len(),
        "{known} of {} functions of profile/hottest.txt are there: run profile/make.sh",
        names.len()
    );
}

/// Runs a script with a native stack of 256 KiB; gives its output, or how it failed.
fn run_on_small_stack(binary: &Path, script: &Path, rounds: &str) -> Result<String, String> {
    // The code of eval() is kept until the VM ends, and counts: a million rounds need room for it.
    let command = format!(
        "ulimit -s 256 && exec '{}' -n -d memory_limit=1G '{}' {rounds}",
        binary.display(),
        script.display()
    );
    let output = Command::new("sh")
        .args(["-c", &command])
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.success() {
        true => Ok(text),
        false => Err(format!("{:?} {text}", output.status)),
    }
}

/// Loops over many opcodes on a native stack of 256 KiB: a handler that leaves something on the
/// stack would overflow it.
#[test]
fn a_small_native_stack_is_enough() {
    let script = support::root().join("tests/torture.php");
    for binary in [Some(support::binary()), release_binary()]
        .into_iter()
        .flatten()
    {
        let rounds = if binary.ends_with("release/opline") {
            "1000000"
        } else {
            "20000"
        };
        let text = run_on_small_stack(&binary, &script, rounds);
        assert_eq!(text.as_deref(), Ok("done\n"), "{}", binary.display());
    }
}

/// An opcode's example in a loop. Declarations stand in front of it: they cannot be repeated.
fn looped(code: &str) -> String {
    const DECLARATIONS: [&str; 11] = [
        "declare",
        "namespace",
        "use ",
        "const ",
        "function ",
        "class ",
        "abstract ",
        "final ",
        "interface ",
        "trait ",
        "enum ",
    ];
    let (mut declarations, mut statements) = (String::new(), String::new());
    let mut inside = false;
    for line in code.lines() {
        let starts = DECLARATIONS.iter().any(|word| line.starts_with(word));
        let text = match inside || starts {
            true => &mut declarations,
            false => &mut statements,
        };
        *text += line;
        text.push('\n');
        inside = (inside || starts) && line.matches('{').count() > line.matches('}').count()
            || inside && !line.starts_with('}');
    }
    format!(
        "<?php\n{declarations}\nob_start(fn() => '', 4096);\n\
         for ($round = 0; $round < $argv[1]; $round++) {{\n{statements}\n}}\n\
         ob_end_clean();\necho 'done';\n"
    )
}

/// Every opcode, by its example, 40,000 times in one run of the interpreter: eight bytes left on
/// the native stack of 256 KiB each time would overflow it.
#[test]
fn every_opcode_leaves_the_native_stack_alone() {
    let Some(binary) = release_binary() else {
        return;
    };
    let folder = std::env::temp_dir().join(format!("opline-torture-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(example) = EXAMPLES.get(number) else {
                        break;
                    };
                    let script = folder.join(format!("{number}.php"));
                    std::fs::write(&script, looped(example.code)).expect("a script");
                    let rounds = match ONCE.contains(&example.opcode) {
                        true => "1",
                        false => "40000",
                    };
                    let outcome = run_on_small_stack(&binary, &script, rounds);
                    if outcome.as_deref() != Ok("done") {
                        let failure = format!("{}\n{}\n{outcome:?}", example.opcode, example.code);
                        failures.lock().unwrap().push(failure);
                    }
                }
            });
        }
    });
    let _ = std::fs::remove_dir_all(&folder);
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// What the next test runs.
#[test]
#[ignore = "only says that it is skipped"]
fn says_that_it_is_skipped() {
    support::skipped("for a look");
}

/// What is skipped is seen in the harness's output, where `.ci/run` looks for lines that start so.
#[test]
fn what_is_skipped_is_seen() {
    let output = Command::new(std::env::current_exe().expect("the path of this test"))
        .args(["--exact", "says_that_it_is_skipped", "--ignored"])
        .output()
        .expect("this test starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    let mut lines = errors.lines();
    assert!(lines.any(|line| line == "skipped: for a look"), "{errors}");
}
