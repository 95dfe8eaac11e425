//! The machine code of the `tail` build, and many opcodes on a small native stack.

mod support;

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Hot handlers: the start of their names. None may have a prologue or a dispatch that is a call.
const HOT: &[&str] = &[
    "add__",
    "sub__",
    "mul__",
    "jmp",
    "is_smaller",
    "pre_inc__",
    "fetch_dim_r__cv_",
    "assign__cv_",
    "send_val__",
    "init_fcall__",
    "do_ucall__",
    "return__",
];

/// Hot handlers that are not yet as they should be, with what they do that they should not.
const ALLOWED: &[(&str, &str)] = &[
    // These save registers around the look-up in the array, which is inlined.
    ("fetch_dim_r__cv_cv", "push"),
    ("fetch_dim_r__cv_const", "push"),
    ("fetch_dim_r__cv_tmpvar", "push"),
];

/// Parts of handlers that are off the fast path: they may use the stack.
const COLD: &[&str] = &["__slow", "__compute"];

/// The optimised binary of kind `tail`, if it was built.
fn release_binary() -> Option<PathBuf> {
    let path = support::root().join("target/release/opline");
    path.exists().then_some(path)
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

#[test]
fn hot_handlers_jump_to_the_next() {
    let Some(binary) = release_binary() else {
        println!("skipped: target/release/opline is not built");
        return;
    };
    let listing = Command::new("objdump")
        .args(["-d", "--demangle", "--no-show-raw-insn"])
        .arg(&binary)
        .stderr(Stdio::null())
        .output();
    let Ok(listing) = listing else {
        println!("skipped: there is no objdump");
        return;
    };
    let listing = String::from_utf8_lossy(&listing.stdout);
    let mut count = 0;
    let mut problems = Vec::new();
    for block in listing.split("\n\n") {
        let mut lines = block.lines().skip_while(|line| !line.ends_with(">:"));
        let Some(name) = lines.next().and_then(handler_name) else {
            continue;
        };
        let is_cold = COLD.iter().any(|end| name.ends_with(end));
        if is_cold || !HOT.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        count += 1;
        let mut jumps = false;
        let mut found = Vec::new();
        for line in lines {
            let instruction = line
                .split_once(":\t")
                .map_or("", |(_, instruction)| instruction);
            let mut words = instruction.split_whitespace();
            let (mnemonic, operand) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            match mnemonic {
                "jmp" if operand.starts_with('*') => jumps = true,
                "call" if operand.starts_with('*') => found.push(instruction.trim().to_owned()),
                "push" => found.push(instruction.trim().to_owned()),
                _ => {}
            }
        }
        if !jumps && !block.contains("jmp ") {
            found.push(String::from("no jump to a next handler"));
        }
        for (allowed, mnemonic) in ALLOWED {
            if *allowed == name {
                found.retain(|instruction| !instruction.starts_with(mnemonic));
            }
        }
        if !found.is_empty() {
            problems.push(format!("{name}: {}", found.join("; ")));
        }
    }
    if count == 0 {
        println!("skipped: the binary is not of kind tail, or has no symbols");
        return;
    }
    assert!(
        problems.is_empty(),
        "of {count} handlers:\n{}",
        problems.join("\n")
    );
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
        let command = format!(
            "ulimit -s 256 && exec '{}' -n '{}' {rounds}",
            binary.display(),
            script.display()
        );
        let output = Command::new("sh")
            .args(["-c", &command])
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "{}: {:?} {text}",
            binary.display(),
            output.status
        );
        assert_eq!(text, "done\n", "{}", binary.display());
    }
}
