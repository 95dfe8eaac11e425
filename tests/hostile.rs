//! Scripts that mean no good, under `tests/hostile`, by class. Whatever they do, the process ends by
//! itself within the limits it was given, and says why.
//!
//! A `.programs` file holds many of them. Each starts with `=== ` and its title; what follows, up to a
//! line that starts with `---`, is a program without its opening tag. Text behind the dashes must be
//! part of what it prints.
//!
//! Each runs with [`MEMORY`] and [`TIME`] as its limits and is watched: it must not take more than a
//! little beyond them. What counts is the processor's time that it used and the time in which it slept, but
//! for its output to be read, and who took too long is run again alone, so that a busy machine fails no test.
//!
//! `OPLINE_BINARY` names another binary than the one that cargo built, `HOSTILE` a part of the titles
//! of the scripts to run; `HOSTILE_OPTIONS` has options for all of them, as `-d opline.jit=eager`; `HOSTILE_TABLE`
//! has figures of all of them printed.

mod support;

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// `memory_limit` in MiB, and how much more the process may be in memory.
const MEMORY: u64 = 64;
const MEMORY_SLACK: u64 = 26;
/// `max_execution_time` in seconds, and how much longer the process may take.
const TIME: u64 = 1;
const TIME_SLACK: Duration = Duration::from_millis(250);
/// `max_execution_time` of a script that should come to another end and met [`TIME`] before: a slow machine is no
/// fault of the script's either.
const LONG_TIME: u64 = 4;
/// What PHP says when a script meets its limit of time.
const OUT_OF_TIME: &str = "Maximum execution time";
/// How often a script that took too long is run again, with nothing beside it: what the machine does in the
/// meantime is no fault of the script's.
const MORE_RUNS: usize = 3;
/// How often a process is looked at.
const STEP: Duration = Duration::from_millis(4);
/// Bytes of output that are looked at: the first and the last ones.
const KEPT: usize = 64 * 1024;

struct Script<'a> {
    /// File and title.
    name: String,
    code: &'a str,
    /// What its output must contain.
    expected: &'a str,
}

fn scripts<'a>(file: &str, text: &'a str) -> Vec<Script<'a>> {
    support::programs(text)
        .map(|(title, rest)| {
            let (code, rest) = rest
                .split_once("\n---")
                .expect("a line --- after a program");
            Script {
                name: format!("{file}: {title}"),
                code,
                expected: rest.lines().next().unwrap_or_default().trim(),
            }
        })
        .collect()
}

/// What a process took.
struct Figures {
    status: Option<ExitStatus>,
    output: String,
    errors: String,
    /// The most it had in memory, in MiB.
    memory: u64,
    /// In which it ran or slept: not that in which it could have run but others did.
    time: Duration,
}

/// The most that a process had in memory, in MiB; None if it has ended.
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes / 1024)
}

/// What a process does when it is looked at.
struct Look {
    /// Processor time that all its threads have used so far.
    used: Duration,
    /// Its first thread waits for something, other than for a disk or for its output to be read.
    sleeps: bool,
}

/// Looks at a process; None if it has ended.
fn look(process: u32) -> Option<Look> {
    /// What `/proc` counts in: `USER_HZ`, the same on all machines that Linux has an ABI for.
    const TICK: Duration = Duration::from_millis(10);
    let figures = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program comes before, in brackets, and may hold anything.
    let (_, figures) = figures.rsplit_once(") ")?;
    let mut figures = figures.split(' ');
    let state = figures.next()?;
    let mut ticks = figures
        .skip(10)
        .map_while(|field| field.parse::<u32>().ok());
    let is_blocked = std::fs::read_to_string(format!("/proc/{process}/wchan"))
        .is_ok_and(|place| place.contains("pipe_write"));
    Some(Look {
        used: TICK * (ticks.next()? + ticks.next()?),
        sleeps: !matches!(state, "R" | "D" | "Z") && !is_blocked,
    })
}

/// The time of a process, from one look to the next.
#[derive(Default)]
struct Clock {
    used: Duration,
    /// In which the first thread slept, and what other threads used meanwhile.
    slept: Duration,
    used_meanwhile: Duration,
}

impl Clock {
    /// Goes on by what was seen after so long.
    fn advance(&mut self, look: &Look, passed: Duration) {
        if look.sleeps {
            self.slept += passed;
            self.used_meanwhile += look.used.saturating_sub(self.used);
        }
        self.used = look.used;
    }

    fn time(&self) -> Duration {
        self.used + self.slept.saturating_sub(self.used_meanwhile)
    }
}

/// Reads a pipe to its end; the middle of long output is left out.
fn drain(mut pipe: impl Read) -> String {
    let mut kept = Vec::new();
    let mut block = [0; 16 * 1024];
    while let Ok(length @ 1..) = pipe.read(&mut block) {
        if kept.len() > 3 * KEPT {
            kept.drain(KEPT..kept.len() - KEPT);
        }
        kept.extend_from_slice(&block[..length]);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// Ends the processes that a process has started and left behind: they hold the pipes that are read to their end.
fn end_what_it_left(process: u32) {
    // Fails if there are none.
    let _ = Command::new("kill")
        .args(["-KILL", "--", &format!("-{process}")])
        .stderr(Stdio::null())
        .status();
}

/// Waits for a process whose script has so many seconds, and ends it when it takes far too much.
fn watch(mut child: Child, seconds: u64) -> Figures {
    let process = child.id();
    let output = child.stdout.take().expect("a pipe");
    let errors = child.stderr.take().expect("a pipe");
    let output = std::thread::spawn(move || drain(output));
    let errors = std::thread::spawn(move || drain(errors));
    let (mut memory, mut clock) = (0, Clock::default());
    let mut looked = Instant::now();
    let status = loop {
        memory = peak(process).unwrap_or(0).max(memory);
        let passed = looked.elapsed();
        looked += passed;
        if let Some(look) = look(process) {
            clock.advance(&look, passed);
        }
        if let Some(status) = child.try_wait().expect("a process to wait for") {
            break Some(status);
        }
        if memory > 4 * MEMORY || clock.time() > Duration::from_secs(3 * seconds) {
            // Cannot fail: the process has not been waited for.
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(STEP);
    };
    end_what_it_left(process);
    Figures {
        status,
        output: output.join().expect("a reader"),
        errors: errors.join().expect("a reader"),
        memory,
        time: clock.time(),
    }
}

fn run(folder: &Path, script: &Script<'_>, seconds: u64) -> Figures {
    let file = folder.join("script.php");
    std::fs::write(&file, format!("<?php {}\n", script.code)).expect("a script");
    let options = std::env::var("HOSTILE_OPTIONS").unwrap_or_default();
    let child = Command::new(support::binary())
        .args(["-n", "-d", &format!("memory_limit={MEMORY}M")])
        .args(["-d", &format!("max_execution_time={seconds}")])
        .args(["-d", "display_errors=1", "-d", "error_reporting=-1"])
        .args(options.split_whitespace())
        .arg("script.php")
        .current_dir(folder)
        .process_group(0)
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    watch(child, seconds)
}

/// What is wrong with how a script ended, but for its time.
fn problem(script: &Script<'_>, figures: &Figures) -> Option<String> {
    let end = |text: &str| {
        let length = text.chars().count();
        text.chars()
            .skip(length.saturating_sub(300))
            .collect::<String>()
    };
    let told = || format!("{}\n{}", end(&figures.output), end(&figures.errors));
    let Some(status) = figures.status else {
        return Some(format!(
            "had to be ended: {} MiB, {:?}\n{}",
            figures.memory,
            figures.time,
            told()
        ));
    };
    if status.code().is_none() || figures.output.contains("Internal error of Opline") {
        return Some(format!("{status}\n{}", told()));
    }
    if figures.errors.contains("still alive") {
        return Some(format!("left something behind\n{}", told()));
    }
    if figures.memory > MEMORY + MEMORY_SLACK {
        return Some(format!("{} MiB\n{}", figures.memory, told()));
    }
    if !figures.output.contains(script.expected) {
        return Some(format!("does not say {:?}\n{}", script.expected, told()));
    }
    None
}

/// True if a script met its limit of time that should have come to another end.
fn met_its_limit(script: &Script<'_>, figures: &Figures) -> bool {
    !figures.output.contains(script.expected) && figures.output.contains(OUT_OF_TIME)
}

/// True if a script went on for too long.
fn is_late(figures: &Figures) -> bool {
    figures.time > Duration::from_secs(TIME) + TIME_SLACK
}

fn folder(number: usize) -> PathBuf {
    let name = format!("opline-hostile-{}-{number}", std::process::id());
    std::env::temp_dir().join(name)
}

#[test]
#[ignore = "takes minutes; .ci/run has the optimised binary do it"]
fn every_script_ends() {
    let root = support::root().join("tests/hostile");
    let texts: Vec<(String, String)> = support::files(&root, "programs")
        .into_iter()
        .map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let text = std::fs::read_to_string(&path).expect("a file of text");
            (name.into_owned(), text)
        })
        .collect();
    let chosen = std::env::var("HOSTILE").unwrap_or_default();
    let all = texts.iter().flat_map(|(name, text)| scripts(name, text));
    let scripts: Vec<Script<'_>> = all.filter(|script| script.name.contains(&chosen)).collect();
    assert!(!scripts.is_empty());
    let table = std::env::var_os("HOSTILE_TABLE").is_some();
    let judge = |number: usize, seconds: u64| {
        let script = &scripts[number];
        let folder = folder(number);
        std::fs::create_dir_all(&folder).expect("a folder");
        let figures = run(&folder, script, seconds);
        let _ = std::fs::remove_dir_all(&folder);
        if table {
            let time = figures.time.as_millis();
            println!("{:4} MiB {time:5} ms  {}", figures.memory, script.name);
        }
        let problem = problem(script, &figures);
        (
            problem.map(|problem| format!("{}\n{problem}", script.name)),
            figures,
        )
    };
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let late = Mutex::new(Vec::new());
    let short_of_time = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= scripts.len() {
                        break;
                    }
                    let (problem, figures) = judge(number, TIME);
                    if met_its_limit(&scripts[number], &figures) {
                        short_of_time.lock().unwrap().push(number);
                    } else if let Some(problem) = problem {
                        failures.lock().unwrap().push(problem);
                    } else if is_late(&figures) {
                        late.lock().unwrap().push(number);
                    }
                }
            });
        }
    });
    for number in late.into_inner().unwrap() {
        let times: Vec<Duration> = std::iter::repeat_with(|| judge(number, TIME).1)
            .take(MORE_RUNS)
            .take_while(is_late)
            .map(|figures| figures.time)
            .collect();
        if times.len() == MORE_RUNS {
            let name = &scripts[number].name;
            failures.lock().unwrap().push(format!("{name}\n{times:?}"));
        }
    }
    let mut failures = failures.into_inner().unwrap();
    for number in short_of_time.into_inner().unwrap() {
        failures.extend(judge(number, LONG_TIME).0);
    }
    let list = std::fs::read_to_string(root.join("failing.txt")).expect("a list");
    let known: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    failures.retain(|failure: &String| {
        let name = failure.lines().next().unwrap_or_default();
        let is_known = known.contains(&name);
        if is_known {
            support::skipped(&format!("{name} is known to fail"));
        }
        !is_known
    });
    assert!(
        failures.is_empty(),
        "{} of {} scripts:\n\n{}",
        failures.len(),
        scripts.len(),
        failures.join("\n\n")
    );
}

/// Time in which others run does not count, time asleep does, and none counts twice.
#[test]
fn a_busy_machine_takes_no_time() {
    let milliseconds = Duration::from_millis;
    let look = |used, sleeps| Look {
        used: milliseconds(used),
        sleeps,
    };
    let mut clock = Clock::default();
    clock.advance(&look(10, false), milliseconds(100));
    assert_eq!(clock.time(), milliseconds(10), "the others ran");
    clock.advance(&look(10, true), milliseconds(100));
    assert_eq!(clock.time(), milliseconds(110), "it slept");
    clock.advance(&look(90, true), milliseconds(100));
    assert_eq!(clock.time(), milliseconds(210), "it waited for a thread");
}

/// What is read of a process is what it does.
#[test]
fn a_process_that_sleeps_is_seen_to() {
    let mut child = Command::new("sleep").arg("20").spawn().expect("a process");
    let seen = (0..500).find_map(|_| {
        std::thread::sleep(STEP);
        look(child.id()).filter(|look| look.sleeps)
    });
    let used = seen.map(|look| look.used);
    child.kill().expect("it has not ended");
    child.wait().expect("it has been ended");
    assert!(
        used.is_some_and(|used| used < Duration::from_secs(1)),
        "{used:?}"
    );
}
