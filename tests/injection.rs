//! Running out of memory at every allocation: the programs under `tests/php` and `examples`, the examples of
//! the opcodes and random programs (`tests/fuzz/generator.rs`), run again and again with another allocation
//! failing each time. Whatever was being made then, the script ends with PHP's fatal
//! error (or goes on, if the report itself was hit), no destructor runs meanwhile, and nothing that was
//! freed is used: debug builds poison it.
//!
//! One allocation of each program is tried, another one in each; `INJECTION=all` tries each one in turn (as long as a
//! program makes no more than 2,000), which takes ten minutes with `--profile fuzz`. `INJECTION` may also be
//! a part of the names of the programs to try, and `INJECTION_MOST` how many allocations of each. `INJECTION_JIT=on` (or `eager`) has the programs compiled; with `INJECTION_BUDGET=100` by a thread beside them.
#![cfg(debug_assertions)]

#[path = "fuzz/generator.rs"]
#[allow(dead_code, reason = "the tame programs are for comparing")]
mod generator;
#[path = "fuzz/random.rs"]
mod random;
mod support;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use generator::Generator;
use opline::{Engine, Script};
use vm_runtime::generated::examples::EXAMPLES;
use vm_runtime::heap::{fail_allocation, made_allocations};
use vm_runtime::limits::thread_memory;

/// With `INJECTION=all`, if `INJECTION_MOST` does not say it: of programs that make more allocations, as many of them.
const MOST: u64 = 2000;

/// Random programs.
const RANDOM: u64 = 300;

/// Bytes that may be left behind beyond those that a whole run leaves: what was on its way when the
/// stack unwound, such as functions of closures.
const SLACK: isize = 8 * 1024;

/// Tells what is not freed.
#[global_allocator]
static ALLOCATOR: opline::CountingAllocator = opline::CountingAllocator;

/// What a program must not do here: leave the process, send it signals, wait, or need files beside it.
const LEFT_OUT: [&str; 14] = [
    "proc_open",
    "exec(",
    "popen",
    "passthru",
    "system(",
    "sleep",
    "include",
    "require",
    "STDIN",
    "php://stdin",
    "fork",
    "pcntl_",
    "posix_kill",
    "__FILE__",
];

struct Program {
    name: String,
    code: String,
}

/// The programs of a file of cases.
fn programs(name: &str, text: &str) -> Vec<Program> {
    let one = |code: &str, number: usize| Program {
        name: format!("{name} {number}"),
        code: code.to_owned(),
    };
    if let Some((_, rest)) = text.split_once("--FILE--\n") {
        return vec![one(rest.split("\n--EXPECT").next().unwrap_or(rest), 0)];
    }
    support::programs(text)
        .enumerate()
        .filter_map(|(number, (_, rest))| {
            let (code, _) = rest.split_once("\n---\n")?;
            Some(one(&format!("<?php {code}\n"), number))
        })
        .collect()
}

/// All programs.
fn corpus() -> Vec<Program> {
    let root = support::root();
    let mut corpus = Vec::new();
    for (folder, extension) in [
        ("tests/php", "phpt"),
        ("tests/php", "programs"),
        ("examples", "php"),
    ] {
        for path in support::files(&root.join(folder), extension) {
            let name = path.strip_prefix(root).unwrap_or(&path).display();
            let text = std::fs::read_to_string(&path).expect("a file of text");
            match extension {
                "php" => corpus.push(Program {
                    name: name.to_string(),
                    code: text,
                }),
                _ => corpus.extend(programs(&name.to_string(), &text)),
            }
        }
    }
    corpus.extend(EXAMPLES.iter().map(|example| Program {
        name: format!("example of {}", example.opcode),
        code: format!("<?php\n{}", example.code),
    }));
    corpus.extend((0..RANDOM).map(|number| Program {
        name: format!("random {number}"),
        code: Generator::program(number),
    }));
    corpus
}

struct Outcome {
    /// Allocations that were made.
    made: u64,
    output: String,
    /// Bytes that were not freed.
    left: isize,
}

/// Runs a script with allocation `failing` not made, compiled in a way or not at all.
fn run(engine: &Engine, script: &Script, mode: Option<&str>, failing: u64) -> Outcome {
    let before = thread_memory();
    let mut vm = engine.vm();
    vm.capture_output();
    assert!(vm.set_ini("max_execution_time", "20"));
    fail_allocation(failing);
    if let Some(mode) = mode {
        let budget = std::env::var("INJECTION_BUDGET").unwrap_or_else(|_| String::from("0"));
        let settings = [
            ("jit_threshold", "3"),
            ("jit_budget", &budget),
            ("jit", mode),
        ];
        for (name, value) in settings {
            assert!(vm.set_ini(&format!("opline.{name}"), value), "{name}");
        }
    }
    // How it ends is in the output.
    let _ = vm.run(script);
    let made = made_allocations();
    fail_allocation(u64::MAX);
    let output = vm.take_output();
    drop(vm);
    let left = thread_memory() - before - output.capacity() as isize;
    Outcome {
        made,
        output: String::from_utf8_lossy(&output).into_owned(),
        left,
    }
}

/// In which ways a program is run: the one that was asked for, else not compiled. Those of one file, where much is
/// computed when it is first used, are then run compiled as well.
fn modes(program: &Program) -> Vec<Option<String>> {
    match std::env::var("INJECTION_JIT") {
        Ok(mode) => vec![Some(mode)],
        Err(_) if program.name.contains("classes/combinations") => {
            vec![None, Some(String::from("eager"))]
        }
        Err(_) => vec![None],
    }
}

static TRIED: AtomicUsize = AtomicUsize::new(0);
/// Programs of which each allocation was tried.
static WHOLE: AtomicUsize = AtomicUsize::new(0);
static REPORTED: AtomicUsize = AtomicUsize::new(0);

/// A number that is the same whenever a program is run.
fn number_of(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// What goes wrong if allocations of a program fail.
///
/// Up to `most` allocations are tried, evenly spread, or else one.
fn problem(
    engine: &Engine,
    program: &Program,
    mode: Option<&str>,
    most: Option<u64>,
) -> Option<String> {
    let script = engine.compile(program.code.as_bytes(), "case.php").ok()?;
    // The first run fills tables that stay. Less than nothing can be left where other threads free what this one made.
    run(engine, &script, mode, u64::MAX);
    let whole = run(engine, &script, mode, u64::MAX);
    let step = match most {
        Some(most) => whole.made.div_ceil(most).max(1),
        None => whole.made.max(1),
    };
    if step == 1 {
        WHOLE.fetch_add(1, Ordering::Relaxed);
    }
    let first = 1 + number_of(&program.name) % step;
    for failing in (first..=whole.made).step_by(step as usize) {
        let outcome = run(engine, &script, mode, failing);
        TRIED.fetch_add(1, Ordering::Relaxed);
        if outcome.output.contains("Allowed memory size") {
            REPORTED.fetch_add(1, Ordering::Relaxed);
        }
        let problem = if outcome.output.contains("Internal error of Opline") {
            &outcome.output
        } else if outcome.left > whole.left.max(0) + SLACK {
            &format!("{} bytes are left, else {}", outcome.left, whole.left)
        } else {
            continue;
        };
        let end = problem.len().saturating_sub(400);
        let text = problem.get(end..).unwrap_or(problem);
        return Some(format!("{}: allocation {failing}\n{text}", program.name));
    }
    None
}

#[test]
fn every_allocation_may_fail() {
    let chosen = std::env::var("INJECTION").unwrap_or_default();
    let all = chosen == "all";
    let chosen = if all { "" } else { &chosen };
    let most = std::env::var("INJECTION_MOST").ok();
    let most = most.map(|most| most.parse().expect("a number"));
    let most = most.or(all.then_some(MOST));
    let mut corpus = corpus();
    corpus.retain(|program| {
        program.name.contains(chosen) && !LEFT_OUT.iter().any(|word| program.code.contains(word))
    });
    let folder = std::env::temp_dir().join(format!("opline-injection-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::env::set_current_dir(&folder).expect("the folder");
    let next = AtomicUsize::new(0);
    let problems = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let engine = Engine::new();
                while let Some(program) = corpus.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if std::env::var_os("INJECTION_NAMES").is_some() {
                        eprintln!("{}", program.name);
                    }
                    for mode in modes(program) {
                        let found = problem(&engine, program, mode.as_deref(), most);
                        problems.lock().unwrap().extend(found);
                    }
                }
            });
        }
    });
    let _ = std::fs::remove_dir_all(&folder);
    let problems = problems.into_inner().unwrap();
    let (tried, reported) = (
        TRIED.load(Ordering::Relaxed),
        REPORTED.load(Ordering::Relaxed),
    );
    println!(
        "{} programs, {} of them at each allocation, {tried} failures, {reported} reported",
        corpus.len(),
        WHOLE.load(Ordering::Relaxed),
    );
    // Some are hit while they catch their own output, or throw it away.
    assert!(
        reported * 10 > tried * 9,
        "{reported} of {tried} are reported"
    );
    assert!(
        problems.is_empty(),
        "{}:\n\n{}",
        problems.len(),
        problems.join("\n\n")
    );
}
