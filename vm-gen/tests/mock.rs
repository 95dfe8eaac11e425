//! Builds the mock runtime with the generator's output, in both dispatch kinds, and runs it.

use std::path::{Path, PathBuf};
use std::process::Command;

use vm_gen::{Kind, Options, generate};

const FAMILIES: [&str; 3] = ["arithmetic", "bitwise", "comparison"];

fn sources() -> Vec<(String, String)> {
    let mut sources: Vec<(String, String)> = vm_gen::standard_sources()
        .into_iter()
        .filter(|(name, _)| FAMILIES.contains(&name.as_str()))
        .collect();
    sources.push((
        "sample".to_owned(),
        include_str!("mock/sample.vmdef").to_owned(),
    ));
    sources
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the command starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Builds and runs the program, and the generated tests. Gives the directory.
fn build(kind: Kind, name: &str, optimise: bool) -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let outputs = match generate(&Options {
        kind,
        sources: sources(),
    }) {
        Ok(outputs) => outputs,
        Err(diagnostics) => panic!("{diagnostics}"),
    };
    outputs
        .write_to(&directory)
        .expect("the directory is writable");
    let level = if optimise {
        "opt-level=3"
    } else {
        "opt-level=0"
    };
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    run(Command::new(&rustc)
        .args([
            "--edition=2024",
            "--crate-type=rlib",
            "--crate-name=vm_def",
            "-C",
            level,
        ])
        .arg("--out-dir")
        .arg(&directory)
        .arg(manifest.join("../vm-def/src/lib.rs")));
    let compile = |crate_name: &str, flags: &[&str]| {
        run(Command::new(&rustc)
            .args([
                "--edition=2024",
                "-A",
                "dead_code",
                "-C",
                level,
                "--crate-name",
                crate_name,
            ])
            .args(flags)
            .env("OUT_DIR", &directory)
            .arg("--extern")
            .arg(format!(
                "vm_def={}",
                directory.join("libvm_def.rlib").display()
            ))
            .arg("--out-dir")
            .arg(&directory)
            .arg(manifest.join("tests/mock/runtime.rs")));
    };
    compile("mock", &[]);
    compile("mock_tests", &["--test", "--cfg", "opline_clause_tests"]);
    run(&mut Command::new(directory.join("mock_tests")));
    let program = directory.join("mock");
    // A million oplines on a small stack: a dispatch that is a call would not get far.
    let limited = format!("ulimit -s 256; exec {}", program.display());
    assert_eq!(run(Command::new("sh").args(["-c", &limited])), "mock: ok\n");
    directory
}

#[test]
fn the_tail_kind_runs() {
    build(Kind::Tail, "mock_tail", true);
}

#[test]
fn the_call_kind_runs() {
    build(Kind::Call, "mock_call", false);
}

/// Handlers are jumps from opline to opline: nothing is pushed, nothing called. What does either is a
/// function of its own, reached by a jump.
#[test]
#[cfg(target_arch = "x86_64")]
fn tail_handlers_have_no_frame() {
    let directory = build(Kind::Tail, "mock_listing", true);
    let listing = Command::new("objdump")
        .args(["--disassemble", "--no-show-raw-insn", "--demangle"])
        .arg(directory.join("mock"))
        .output();
    // Without binutils there is nothing to look at.
    let Ok(listing) = listing else { return };
    let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
    let (mut handlers, mut faults) = (0, Vec::new());
    let mut current = None;
    for line in listing.lines() {
        if let Some(head) = line.strip_suffix(">:") {
            let name = head.rsplit("::").next().unwrap_or_default();
            let is_handler = head.contains("::handlers::")
                && !head.contains("::support::")
                && !head.contains("::helpers::")
                && !["__slow", "__compute"]
                    .iter()
                    .any(|suffix| name.ends_with(suffix));
            current = is_handler.then(|| name.to_owned());
            handlers += usize::from(is_handler);
        } else if let Some(name) = &current {
            let instruction = line.split('\t').nth(1).unwrap_or_default();
            if instruction.starts_with("push") || instruction.starts_with("call") {
                faults.push(format!("{name}: {instruction}"));
            }
        }
    }
    assert!(handlers > 100, "{handlers} handlers in the listing");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
