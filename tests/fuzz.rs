//! Random input for what reads input: the compiler, and builtins. Each case is made from its number, so
//! that a find can be repeated; nothing but the number of cases changes from run to run.
//!
//! `FUZZ_CASES` is how many cases each target gets, `FUZZ_FIRST` the number of the first; `FUZZ_JIT` (`on`,
//! `eager`, `stress`) has programs compiled. `FUZZ_AT` names a file that has the number of the case that is being
//! run. A find is a panic, which the engine reports as its own error, or what is left alive (debug builds tell what);
//! a crash ends the test.

#[path = "fuzz/random.rs"]
mod random;
mod support;

use std::fmt::Write;

use opline::{Engine, Error};
use random::Random;

/// Cases of each target, if nobody asks for another number.
const CASES: u64 = 60;

/// What a random program must not get to: the world outside.
const FORBIDDEN: &str = "exec,system,passthru,shell_exec,proc_open,popen,pcntl_fork,pcntl_rfork,\
    pcntl_exec,pcntl_alarm,pcntl_unshare,pcntl_sigwaitinfo,pcntl_sigtimedwait,posix_setrlimit,\
    posix_setsid,posix_setpgid,posix_setuid,posix_seteuid,posix_setgid,posix_setegid,posix_initgroups,\
    cli_set_process_title,unlink,rename,readline_write_history,posix_mkfifo,posix_mknod,\
    rmdir,mkdir,chmod,chown,chgrp,touch,symlink,link,copy,file_put_contents,fopen,tempnam,tmpfile,\
    move_uploaded_file,chdir,putenv,sleep,usleep,time_nanosleep,time_sleep_until,readline,fgets,\
    fscanf,set_time_limit,ini_set,ini_alter,mail,error_log,posix_kill,umask,lchown,lchgrp,\
    stream_select,flock,proc_nice,dl,opendir,scandir,glob,readfile,file,file_get_contents,\
    stream_socket_server,stream_socket_client,fsockopen,pfsockopen,ob_start,register_shutdown_function";

/// What of it programs may use that have a wrapper of their own for streams.
const OPENED: [&str; 9] = [
    "fopen",
    "fgets",
    "fscanf",
    "opendir",
    "scandir",
    "readfile",
    "file",
    "file_get_contents",
    "ob_start",
];

/// The numbers of the cases to try.
fn cases() -> impl Iterator<Item = u64> {
    let number = |name: &str, otherwise| {
        let set = std::env::var(name).ok();
        set.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let first = number("FUZZ_FIRST", 0);
    first..first + number("FUZZ_CASES", CASES)
}

/// The programs under `tests/php`, to be changed.
fn corpus() -> Vec<Vec<u8>> {
    let root = support::root().join("tests/php");
    let mut programs = Vec::new();
    for path in support::files(&root, "phpt") {
        let text = std::fs::read_to_string(&path).expect("a file of text");
        let code = text.split("--FILE--\n").nth(1).unwrap_or_default();
        let code = code.split("\n--EXPECT").next().unwrap_or_default();
        programs.push(code.as_bytes().to_vec());
    }
    programs
}

const TOKENS: [&str; 64] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    "=>",
    "->",
    "?->",
    "::",
    "$a",
    "$this",
    "&",
    "...",
    "fn",
    "function",
    "class",
    "interface",
    "trait",
    "enum",
    "case",
    "match",
    "switch",
    "yield",
    "yield from",
    "static",
    "new",
    "clone",
    "try",
    "catch",
    "finally",
    "throw",
    "goto",
    "readonly",
    "public",
    "abstract",
    "final",
    "const",
    "use",
    "namespace",
    "?",
    ":",
    "??",
    "=",
    ".=",
    "++",
    "\"",
    "'",
    "<<<A\n",
    "\nA",
    "${",
    "{$",
    "#[",
    "?>",
    "<?php",
    "\\",
    "int",
    "1",
    "1.5",
    "0x",
    "@",
    "__halt_compiler();",
];

/// A program with a few things changed.
fn changed(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut code = random.choose(corpus).clone();
    for _ in 0..=random.below(6) {
        let at = random.below(code.len() + 1);
        let end = (at + random.below(40)).min(code.len());
        match random.below(6) {
            0 => drop(code.drain(at..end)),
            1 => {
                let piece = code[at..end].to_vec();
                let to = random.below(code.len() + 1);
                code.splice(to..to, piece);
            }
            2 => {
                let byte = random.next() as u8;
                code.splice(at..(at + 1).min(end.max(at)), [byte]);
            }
            3 => {
                let other = random.choose(corpus);
                let from = random.below(other.len() + 1);
                let piece = other[from..(from + 60).min(other.len())].to_vec();
                code.splice(at..at, piece);
            }
            _ => {
                let token = random.choose(&TOKENS).as_bytes().to_vec();
                code.splice(at..at, token);
            }
        }
    }
    code
}

/// Runs a program with small limits; its output, or nothing if it does not compile.
fn run(engine: &Engine, code: &[u8], allowed: &[&str]) -> Result<Option<String>, String> {
    let script = match engine.compile(code, "fuzz.php") {
        Ok(script) => script,
        Err(Error::Failed { .. }) => return Err(String::from("the compiler failed")),
        Err(_) => return Ok(None),
    };
    let forbidden: Vec<&str> = FORBIDDEN
        .split(',')
        .filter(|name| !allowed.contains(name))
        .collect();
    let mut vm = engine.vm();
    vm.capture_output();
    for (name, value) in [
        ("memory_limit", "32M"),
        ("max_execution_time", "2"),
        ("disable_functions", &*forbidden.join(",")),
    ] {
        assert!(vm.set_ini(name, value), "{name}");
    }
    if let Ok(mode) = std::env::var("FUZZ_JIT") {
        for (name, value) in [("jit_threshold", "3"), ("jit_budget", "0"), ("jit", &mode)] {
            assert!(vm.set_ini(&format!("opline.{name}"), value), "{name}");
        }
    }
    // How it ends does not matter, as long as it does.
    let _ = vm.run(&script);
    let output = String::from_utf8_lossy(&vm.take_output()).into_owned();
    match output.find("Internal error of Opline") {
        Some(at) => Err(output[at..].lines().next().unwrap_or_default().to_owned()),
        None => Ok(Some(output)),
    }
}

/// Allocations that were not freed so far.
fn alive() -> usize {
    #[cfg(debug_assertions)]
    return vm_runtime::heap::left_alive();
    #[cfg(not(debug_assertions))]
    0
}

/// Fails with all finds of a target. Whatever files the programs write go to a folder of their own.
fn check(target: &str, mut case: impl FnMut(&Engine, u64) -> Result<(), String>) {
    let folder = std::env::temp_dir().join(format!("opline-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::env::set_current_dir(&folder).expect("the folder");
    let engine = Engine::new();
    let mut finds = String::new();
    let mut count = 0;
    let at = std::env::var_os("FUZZ_AT");
    for number in cases() {
        if let Some(at) = &at {
            std::fs::write(at, number.to_string()).expect("a file for the number");
        }
        let before = alive();
        let mut find = case(&engine, number);
        if alive() > before && find.is_ok() {
            find = Err(String::from("leaves something behind"));
        }
        if let Err(find) = find {
            if std::env::var_os("FUZZ_CASES").is_some() {
                println!("{target} {number}: {find}");
            }
            // Writing to a string does not fail.
            let _ = writeln!(finds, "{target} {number}: {find}");
            count += 1;
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(count == 0, "{count} finds\n{finds}");
}

#[test]
fn changed_programs_compile_or_not_and_run() {
    let corpus = corpus();
    check("program", |engine, number| {
        let code = changed(&mut Random::of_case(number), &corpus);
        run(engine, &code, &[]).map(|_| ())
    });
}

/// Runs the program `tests/fuzz/NAME.php` with a seed of its own for each case.
fn seeded(name: &str, allowed: &[&str]) {
    let path = support::root()
        .join("tests/fuzz")
        .join(name)
        .with_extension("php");
    let code = std::fs::read_to_string(path).expect("a program");
    let code = code
        .strip_prefix("<?php")
        .expect("an opening tag")
        .to_owned();
    let mut inputs = 0;
    check(name, |engine, number| {
        let code = format!("<?php $seed = {number}; {code}");
        let output = run(engine, code.as_bytes(), allowed)?
            .ok_or_else(|| String::from("the program of the target does not compile"))?;
        let told = output.rsplit_once("inputs ").map(|(_, told)| told);
        inputs += told
            .and_then(|told| told.trim().parse::<u64>().ok())
            .unwrap_or(0);
        Ok(())
    });
    println!("{name}: {inputs} inputs in cases that came to their end");
}

#[test]
fn builtins_take_odd_arguments() {
    seeded("builtins", &[]);
}

#[test]
fn readers_take_broken_input() {
    seeded("readers", &[]);
}

#[test]
fn builtins_take_null() {
    seeded("nulls", &["ob_start"]);
}

#[test]
fn builtins_are_entered_again() {
    seeded("reentering", &OPENED);
}

#[test]
fn random_graphs_are_collected() {
    seeded("collected", &[]);
}
