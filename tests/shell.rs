//! The interactive shell and `readline()` at a terminal: a pseudo terminal of the test's own.

mod support;

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nix::pty::openpty;

/// A program at a terminal.
struct Session {
    child: Child,
    terminal: File,
    shown: Receiver<Vec<u8>>,
    /// What was shown and not yet expected.
    text: String,
    home: PathBuf,
}

/// How long a program may take to show something.
const PATIENCE: Duration = Duration::from_secs(30);

impl Session {
    fn start(name: &str, arguments: &[&str]) -> Session {
        let home = std::env::temp_dir().join(format!("opline-shell-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        Session::start_at(home, arguments)
    }

    fn start_at(home: PathBuf, arguments: &[&str]) -> Session {
        let pair = openpty(None, None).unwrap();
        let end = || Stdio::from(pair.slave.try_clone().unwrap());
        let child = Command::new(support::binary())
            .arg("-n")
            .args(arguments)
            .env("HOME", &home)
            .env("TERM", "xterm")
            .env_remove("PHP_HISTFILE")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        let terminal = File::from(pair.master);
        let mut reader = terminal.try_clone().unwrap();
        let (sender, shown) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Session {
            child,
            terminal,
            shown,
            text: String::new(),
            home,
        }
    }

    fn keys(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until something is shown; gives what came before it.
    #[track_caller]
    fn expect(&mut self, wanted: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.text.find(wanted) {
                let before = self.text[..at].to_owned();
                self.text.drain(..at + wanted.len());
                return before;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.shown.recv_timeout(left) {
                Ok(more) => self.text.push_str(&String::from_utf8_lossy(&more)),
                Err(_) => panic!("{wanted:?} was not shown, but {:?}", self.text),
            }
        }
    }

    /// Types a line and waits for the answer and the next prompt.
    #[track_caller]
    fn line(&mut self, line: &str, answer: &str) {
        self.keys(line);
        self.keys("\r");
        self.expect(answer);
        self.expect("php > ");
    }

    /// Ends the input; gives the exit status.
    fn end(mut self) -> (Option<i32>, PathBuf) {
        self.keys("\x04");
        let status = self.child.wait().unwrap().code();
        (status, self.home)
    }
}

#[test]
fn lines_are_run_and_remembered() {
    let mut session = Session::start("lines", &["-a"]);
    session.expect("Interactive shell");
    session.expect("php > ");
    session.line("echo 6 * 7;", "\n42");
    session.line("\x1b[A\x7f + 1;", "\n43");
    session.keys("function twice($x) {\r");
    session.expect("php { ");
    session.keys("return 2 * $x;\r");
    session.expect("php { ");
    session.line("}", "");
    session.line("echo twice(4), \"\\n\";", "\n8");
    session.keys("echo <<<X\r");
    session.expect("php < ");
    session.keys("one\r");
    session.expect("php < ");
    session.line("X;", "\none");
    session.line("throw new Exception('no');", "Uncaught Exception: no");
    session.line("#precision=3", "");
    session.line("echo 1/3;", "\n0.333");
    let (status, home) = session.end();
    assert_eq!(status, Some(255));
    let kept = std::fs::read_to_string(home.join(".php_history")).unwrap();
    assert!(
        kept.starts_with("_HiStOrY_V2_\necho\\0406\\040*\\0407;\n"),
        "{kept}"
    );

    let mut session = Session::start_at(home, &["-a"]);
    session.expect("php > ");
    session.keys("\x1b[A\x1b[A\x1b[A");
    session.expect("Exception('no')");
    session.keys("\x15");
    let (_, home) = session.end();
    std::fs::remove_dir_all(home).unwrap();
}

#[test]
fn words_are_completed() {
    let mut session = Session::start("words", &["-a"]);
    session.expect("php > ");
    session.line("$long_name = 5; function my_own() { return 'mine'; }", "");
    session.line("echo $long_n\t;", "\n5");
    session.line("echo my_o\t);", "\nmine");
    session.line("echo strtoup\t'a');", "\nA");
    session.line("echo PHP_VERSION_I\t > 80000;", "\n1");
    session.line("echo ArrayObject::STD_PROP\t;", "\n1");
    session.line("echo ini_get('precision'); #", "\n14");
    session.keys("strto\t");
    for name in ["strtok(", "strtolower(", "strtotime(", "strtoupper("] {
        session.expect(name);
    }
    session.keys("\x15");
    session.line("#memory_l\t77M", "");
    session.line("echo ini_get('memory_limit');", "\n77M");
    let (status, home) = session.end();
    assert_eq!(status, Some(0));
    std::fs::remove_dir_all(home).unwrap();
}

#[test]
fn scripts_read_lines() {
    let script = r#"
        readline_completion_function(function ($word, $start, $end) {
            if ($word === 'x') throw new Exception('while completing');
            return ['apple', 'apricot', "$word-$start-$end"];
        });
        readline_add_history('an old one');
        echo '[', readline('q> '), "]\n[", readline('r> '), "]\n";
        try { readline('s> '); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
        var_dump(readline('t> '));
    "#;
    let mut session = Session::start("scripts", &["-r", script]);
    session.expect("q> ");
    session.keys("an app\t!\r");
    session.expect("!]");
    session.expect("r> ");
    session.keys("\x1b[A!\r");
    session.expect("an old one!]");
    session.expect("s> ");
    session.keys("x\t\r");
    session.expect("while completing");
    session.expect("t> ");
    let home = {
        let (status, home) = session.end();
        assert_eq!(status, Some(0));
        home
    };
    std::fs::remove_dir_all(home).unwrap();
}

#[test]
fn limits_end_a_script_that_waits_for_a_line() {
    let script = "set_time_limit(1); readline('never> '); echo 'not here';";
    let mut session = Session::start("limits", &["-r", script]);
    session.expect("never> ");
    session.expect("Maximum execution time of 1 second exceeded");
    assert_eq!(session.child.wait().unwrap().code(), Some(255));
    std::fs::remove_dir_all(&session.home).unwrap();
}
