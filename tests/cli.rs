//! The command line: options, exit statuses and what goes where. The expectations were taken from
//! `php -n` 8.4, but for the version's text.

mod support;

use std::path::PathBuf;

use support::{Outcome, run};

fn opline(arguments: &[&str]) -> Outcome {
    run(support::root(), arguments, b"")
}

fn opline_with_input(arguments: &[&str], input: &str) -> Outcome {
    run(support::root(), arguments, input.as_bytes())
}

/// A folder of its own with files, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = std::env::temp_dir().join(format!("opline-cli-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in files {
            std::fs::write(folder.join(name), text).unwrap();
        }
        Folder(folder)
    }

    fn run(&self, arguments: &[&str]) -> Outcome {
        run(&self.0, arguments, b"")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn code_of_an_option() {
    opline(&["-n", "-r", "echo 1 + 1;"]).expect(0, "2");
    opline(&[
        "-n",
        "-r",
        "echo implode(',', $argv), $argc;",
        "--",
        "-x",
        "y",
    ])
    .expect(0, "Standard input code,-x,y3");
    opline(&["-n", "-r", "echo __FILE__, __LINE__;"]).expect(0, "Command line code1");
    // Code that is in no file is in the working directory.
    opline(&["-n", "-r", "var_dump(__DIR__ === getcwd());"]).expect(0, "bool(true)\n");
}

#[test]
fn files_and_their_arguments() {
    let folder = Folder::new(
        "files",
        &[("a.php", "<?php echo implode('|', $argv), \"\\n\";")],
    );
    folder
        .run(&["-n", "a.php", "-r", "x"])
        .expect(0, "a.php|-r|x\n");
    folder
        .run(&["-n", "-f", "a.php", "--", "1", "2"])
        .expect(0, "a.php|1|2\n");
    // Behind a file's name dashes are an argument as any other.
    folder
        .run(&["-n", "a.php", "--", "1"])
        .expect(0, "a.php|--|1\n");
    let missing = folder.run(&["-n", "missing.php"]);
    missing.expect(1, "");
    assert_eq!(missing.errors(), "Could not open input file: missing.php\n");
}

#[test]
fn a_first_line_for_the_shell_is_skipped() {
    let folder = Folder::new(
        "shell",
        &[("a.php", "#!/usr/bin/env php\n<?php echo __LINE__;")],
    );
    folder.run(&["-n", "a.php"]).expect(0, "2");
}

#[test]
fn standard_input_as_script_and_as_data() {
    opline_with_input(&["-n"], "<?php echo 'from input';").expect(0, "from input");
    opline_with_input(&["-n"], "text <?= 1 + 1 ?> more\n").expect(0, "text 2 more\n");
    opline_with_input(&["-n", "--", "a", "b"], "<?php echo implode(',', $argv);")
        .expect(0, "Standard input code,a,b");
    opline_with_input(&["-n"], "<?php echo count(get_included_files());").expect(0, "0");
}

#[test]
fn settings() {
    opline(&["-n", "-d", "precision=5", "-r", "echo 1 / 3;"]).expect(0, "0.33333");
    opline(&["-n", "-dprecision=3", "-r", "echo 2 / 3;"]).expect(0, "0.667");
    opline(&["-n", "-d", "precision=4; a comment", "-r", "echo 2 / 3;"]).expect(0, "0.6667");
    opline(&["-n", "-d", "display_errors=0", "-r", "echo $a, 'quiet';"]).expect(0, "quiet");
    opline(&[
        "-n",
        "-d",
        "error_reporting=0",
        "-r",
        "echo $a, ini_get('error_reporting');",
    ])
    .expect(0, "0");
}

#[test]
fn hot_loops_are_compiled_unless_that_is_switched_off() {
    let code =
        "for ($i = $t = 0; $i < 3000000; $i++) $t += $i & 3; echo ini_get('opline.jit'), $t;";
    let counted = ["-n", "-d", "opline.jit_stats=1"];
    let ran = opline(&[&counted[..], &["-r", code]].concat());
    assert!(ran.errors().contains(", 1 compiled"), "{}", ran.errors());
    ran.expect(0, "on4500000");
    let ran = opline(&[&counted[..], &["-d", "opline.jit=off", "-r", code]].concat());
    assert_eq!(ran.errors(), "");
    // Words are read as in configuration files.
    ran.expect(0, "4500000");
}

#[test]
fn syntax_checks() {
    let folder = Folder::new(
        "lint",
        &[
            ("good.php", "<?php echo 1;"),
            ("bad.php", "<?php\necho 1\necho 2;"),
        ],
    );
    folder
        .run(&["-n", "-l", "good.php"])
        .expect(0, "No syntax errors detected in good.php\n");
    let bad = folder.run(&["-n", "-d", "display_errors=1", "-l", "bad.php"]);
    bad.expect(
        255,
        "\nParse error: syntax error, unexpected token \"echo\", expecting \",\" or \";\" in \
         bad.php on line 3\nErrors parsing bad.php\n",
    );
}

#[test]
fn several_files_to_check() {
    let folder = Folder::new(
        "lint-all",
        &[
            ("one.php", "<?php"),
            ("two.php", "<?php }"),
            ("three.php", ""),
        ],
    );
    let checked = folder.run(&["-n", "-l", "one.php", "two.php", "three.php"]);
    assert_eq!(checked.status, Some(255));
    for line in [
        "No syntax errors detected in one.php\n",
        "Errors parsing two.php\n",
        "No syntax errors detected in three.php\n",
    ] {
        assert!(checked.text().contains(line), "{}", checked.text());
    }
}

#[test]
fn code_for_each_line() {
    opline_with_input(
        &[
            "-n",
            "-B",
            "echo 'begin,';",
            "-R",
            "echo $argi, $argn, ',';",
            "-E",
            "echo 'end';",
        ],
        "a\nb",
    )
    .expect(0, "begin,1a,2b,end");
    opline_with_input(&["-n", "-R", "echo implode(',', $argv);", "x"], "a")
        .expect(0, "Standard input code,x");
    // What ends with a status, or is not caught, ends the loop, but not what comes after.
    opline_with_input(
        &[
            "-n",
            "-R",
            "if ($argi == 2) exit(3); echo $argn;",
            "-E",
            "echo 'end';",
        ],
        "a\nb\nc",
    )
    .expect(3, "aend");
    opline_with_input(&["-n", "-R", "throw new Exception($argn);", "-E", "echo 'end';"], "a\nb").expect(
        255,
        "\nFatal error: Uncaught Exception: a in Command line run code:1\nStack trace:\n#0 {main}\n  thrown in Command line run code on line 1\nend",
    );
    // Lines end at a zero byte, and are never empty.
    opline_with_input(&["-n", "-R", "echo bin2hex($argn), ',';"], "a\r\nb\0c\n\n")
        .expect(0, "61,62,00,");
    // The script's own input: what it reads is gone.
    opline_with_input(
        &["-n", "-R", "fgets(STDIN); echo $argi, $argn;"],
        "a\nb\nc\n",
    )
    .expect(0, "1a2c");
    // No function of the script is needed for it.
    opline_with_input(
        &["-n", "-d", "disable_functions=fgets", "-R", "echo $argn;"],
        "a\nb\n",
    )
    .expect(0, "ab");
    // Settings and limits hold for all parts together.
    opline_with_input(
        &[
            "-n",
            "-d",
            "output_buffering=100",
            "-R",
            "echo ob_get_level(), $argn;",
        ],
        "a\nb",
    )
    .expect(0, "1a1b");
    opline_with_input(
        &["-n", "-d", "max_execution_time=1", "-R", "for (;;);"],
        "a",
    )
    .expect(255, "\nFatal error: Maximum execution time of 1 second exceeded in Command line run code on line 1\n");
    opline_with_input(&["-n", "-B", "echo 'B';", "-F", "/nonexistent.php"], "").expect(1, "");
}

#[test]
fn code_has_no_neighbours() {
    opline(&[
        "-n",
        "-d",
        "auto_prepend_file=/nonexistent",
        "-r",
        "echo 1;",
    ])
    .expect(0, "1");
}

#[test]
fn arguments_that_are_not_registered() {
    let code = "var_dump(isset($argv), isset($argc), isset($_SERVER['argv']));";
    opline(&["-n", "-d", "register_argc_argv=0", "-r", code, "a"])
        .expect(0, "bool(false)\nbool(false)\nbool(false)\n");
}

#[test]
fn joined_and_long_options() {
    opline(&["-nd", "precision=3", "--run=echo ini_get('precision');"]).expect(0, "3");
    opline(&["-n", "-r", "1;", "-f", "x"]).expect(1, "");
    let unknown = opline(&["--nope"]);
    assert_eq!(unknown.status, Some(1));
}

#[test]
fn what_the_engine_knows() {
    opline(&["-n", "--rf", "strrev"]).expect(
        0,
        "Function [ <internal:standard> function strrev ] {\n\n  - Parameters [1] {\n    \
         Parameter #0 [ <required> string $string ]\n  }\n  - Return [ string ]\n}\n\n",
    );
    opline(&["-n", "--rc", "Nope"]).expect(1, "Exception: Class \"Nope\" does not exist\n");
    opline(&["-n", "--ri", "nope"]).expect(1, "Extension 'nope' not present.\n");
    let modules = opline(&["-n", "-m"]);
    assert!(modules.text().starts_with("[PHP Modules]\n"));
    assert!(modules.text().contains("\nCore\nctype\n"));
    assert!(modules.text().ends_with("\n\n[Zend Modules]\n\n"));
    let information = opline(&["-n", "-i"]);
    assert!(information.text().contains("\nprecision => 14 => 14\n"));
}

#[test]
fn configuration_files() {
    let folder = Folder::new(
        "configuration",
        &[
            (
                "php.ini",
                "precision = 5\n[part]\nown = ${HOME}x\nmax_execution_time = 9\n",
            ),
            ("syntax.ini", "precision = 6\nbad = \"x"),
        ],
    );
    let code = "echo ini_get('precision'), get_cfg_var('own'), ini_get('max_execution_time'), \
                basename(php_ini_loaded_file());";
    let home = std::env::var("HOME").unwrap_or_default();
    folder
        .run(&["-c", ".", "-r", code])
        .expect(0, &format!("5{home}x0php.ini"));
    folder
        .run(&[
            "-c",
            "php.ini",
            "-d",
            "precision=7",
            "-r",
            "echo ini_get('precision');",
        ])
        .expect(0, "7");
    folder
        .run(&["-c", "syntax.ini", "-r", "echo ini_get('precision');"])
        .expect(0, "6");
    folder
        .run(&["-n", "-r", "var_dump(php_ini_loaded_file());"])
        .expect(0, "bool(false)\n");
}

#[test]
fn transformed_sources() {
    let folder = Folder::new("shown", &[("one.php", "<?php echo  1; // one\n")]);
    folder
        .run(&["-n", "-w", "one.php"])
        .expect(0, "<?php echo 1; ");
    let shown = folder.run(&["-n", "-s", "one.php"]);
    assert!(shown.text().contains("// one"), "{}", shown.text());
}

#[test]
fn version_and_help() {
    let version = opline(&["-v"]);
    assert_eq!(version.status, Some(0));
    assert!(
        version.text().starts_with("PHP 8.4.24 (cli) (built: "),
        "{}",
        version.text()
    );
    let help = opline(&["-h"]);
    assert_eq!(help.status, Some(0));
    assert!(help.text().contains("-r <code>"), "{}", help.text());
}

#[test]
fn exit_statuses() {
    for (code, status) in [
        ("exit;", 0),
        ("exit(3);", 3),
        (
            "class Last { function __destruct() { exit(3); } } $last = new Last;",
            3,
        ),
        ("exit('');", 0),
        ("exit(256);", 0),
        ("throw new Exception;", 255),
        ("undefined();", 255),
        ("echo $undefined;", 0),
        ("trigger_error('x', E_USER_ERROR);", 255),
        (
            "register_shutdown_function(function () { exit(4); }); exit(5);",
            4,
        ),
    ] {
        assert_eq!(opline(&["-n", "-r", code]).status, Some(status), "{code}");
    }
}

#[test]
fn uncaught_exceptions_and_warnings() {
    let on = ["-n", "-d", "display_errors=1", "-r"];
    let code = |code| opline(&[on.as_slice(), &[code]].concat());
    code("function f($x) { throw new LogicException('m'); } f([1]);").expect(
        255,
        "\nFatal error: Uncaught LogicException: m in Command line code:1\nStack trace:\n\
         #0 Command line code(1): f(Array)\n#1 {main}\n  thrown in Command line code on line 1\n",
    );
    code("echo $a;").expect(
        0,
        "\nWarning: Undefined variable $a in Command line code on line 1\n",
    );
    code("echo 1").expect(
        255,
        "\nParse error: syntax error, unexpected end of file, expecting \",\" or \";\" in \
         Command line code on line 1\n",
    );
}

#[test]
fn dumps() {
    let folder = Folder::new("dump", &[("a.php", "<?php\n$b = $a + 1;\n")]);
    let dump = folder.run(&["dump", "a.php"]);
    assert_eq!(dump.status, Some(0), "{}", dump.errors());
    assert!(
        dump.text().contains("T2 = ADD CV1($a) int(1)"),
        "{}",
        dump.text()
    );
    assert!(dump.text().contains("ASSIGN CV0($b) T2"), "{}", dump.text());
}

#[test]
fn a_closed_pipe_and_much_output() {
    let outcome = opline(&[
        "-n",
        "-r",
        "for ($i = 0; $i < 100000; $i++) echo $i, \"\\n\";",
    ]);
    assert_eq!(outcome.stdout.len(), 588_890);
    assert_eq!(outcome.status, Some(0));
}

/// PHP itself crashes here.
#[test]
fn classes_that_name_each_other_while_they_are_linked() {
    let code = "spl_autoload_register(function ($class) { \
                if ($class == 'B') eval('class B extends P implements A {}'); \
                if ($class == 'P') eval('class P { function m(A $a) {} } \
                if (1) { class Q extends P { function m(B $b) {} } }'); }); \
                class A extends B {}";
    let outcome = opline(&["-n", "-d", "display_errors=1", "-r", code]);
    let expected = "During inheritance of B with variance dependencies: Uncaught Error: \
                    Interface \"A\" not found";
    assert!(outcome.text().contains(expected), "{}", outcome.text());
    assert_eq!(outcome.status, Some(255));
}

/// Runs the binary by a shell, which sends standard error elsewhere.
fn by_shell(folder: &Folder, words: &str, redirection: &str) -> Outcome {
    let command = format!("'{}' {words} {redirection}", support::binary().display());
    let output = std::process::Command::new("sh")
        .args(["-c", &command])
        .current_dir(&folder.0)
        .output()
        .unwrap();
    output.into()
}

#[test]
fn standard_input_that_is_a_file_is_read_again() {
    let folder = Folder::new("again", &[("data.txt", "first\nsecond\n")]);
    let code = "echo fgets(STDIN), fgets(STDIN); rewind(STDIN); echo fgets(STDIN); \
                fseek(STDIN, -7, SEEK_END); echo fgets(STDIN), ftell(STDIN);";
    by_shell(&folder, &format!("-n -r '{code}'"), "<data.txt")
        .expect(0, "first\nsecond\nfirst\nsecond\n13");
}

#[test]
fn nobody_listens_at_standard_error() {
    let folder = Folder::new(
        "deaf",
        &[(
            "loop.php",
            "<?php function f($n) { $s = 0; for ($i = 0; $i < $n; $i++) $s += $i; return $s; } for ($i = 0; $i < 50; $i++) echo f(9), ' ';",
        )],
    );
    let words = "-n -d opline.jit=eager -d opline.jit_stats=1 -d opline.jit_debug=passes,graph,code,exits loop.php";
    for redirection in ["2>/dev/full", "2>&-"] {
        let outcome = by_shell(&folder, words, redirection);
        outcome.expect(0, &"36 ".repeat(50));
        let outcome = by_shell(&folder, "-n nothing.php", redirection);
        assert_eq!(outcome.status, Some(1), "{redirection}");
    }
}

/// `perf` finds names of compiled code in a file, a line for each piece: address, length, name.
#[cfg(target_os = "linux")]
#[test]
fn compiled_code_has_names_for_perf() {
    let folder = Folder::new(
        "perf",
        &[(
            "main.php",
            "<?php class A { function turns($n) { $s = 0; for ($i = 0; $i < $n; $i++) $s += $i; return $s; } }
$a = new A;
$a->turns(9);
$map = '/tmp/perf-' . getmypid() . '.map';
echo file_get_contents($map);
unlink($map);",
        )],
    );
    let options = [
        "-n",
        "-d",
        "opline.jit=eager",
        "-d",
        "opline.jit_debug=perf",
    ];
    let outcome = folder.run(&[&options[..], &["main.php"]].concat());
    assert_eq!(outcome.status, Some(0));
    let text = outcome.text();
    let mut pieces = Vec::new();
    for line in text.lines() {
        let mut words = line.splitn(3, ' ');
        let mut number = || u64::from_str_radix(words.next().unwrap(), 16).unwrap();
        let (start, bytes) = (number(), number());
        assert!(bytes > 0, "{line}");
        pieces.push((start, start + bytes, words.next().unwrap()));
    }
    assert_eq!(pieces[0].2, "opline stubs");
    assert!(pieces.iter().any(|piece| piece.2 == "A::turns"), "{text}");
    pieces.sort();
    assert!(pieces.windows(2).all(|two| two[0].1 <= two[1].0), "{text}");
}

/// Native code that cannot be stopped and asks for far too much: the process ends, and says where.
#[cfg(feature = "sqlite")]
#[test]
fn the_hard_limit_names_a_place() {
    let folder = Folder::new(
        "hard",
        &[(
            "main.php",
            "<?php\nfunction f($p) {\n    return $p->query('select length(zeroblob(100000000)||zeroblob(100000000))')->fetchColumn();\n}\nf(new PDO('sqlite::memory:'));\n",
        )],
    );
    let outcome = folder.run(&["-n", "-d", "memory_limit=16M", "main.php"]);
    assert_eq!(outcome.status, Some(255));
    let text = outcome.text();
    assert!(text.starts_with(
        "\nFatal error: Allowed memory size of 16777216 bytes exhausted (tried to allocate "
    ));
    assert!(text.ends_with("main.php on line 3\n"), "{text}");
}

/// Where a script recurses until its memory is used up, that memory is there again for shutdown functions.
#[test]
fn shutdown_functions_have_room_after_deep_recursion() {
    const SHUTDOWN: &str = "register_shutdown_function(function () {
    global $kept, $late;
    function small($n) { return $n ? small($n - 1) + 1 : 0; }
    echo json_encode([$kept, $late]), small(8000), 'done';
});
$kept = ['x' => [1, 2]];
function plain($n) { $a = [$n]; return plain($n + 1) + $a[0]; }
function mapped($n) { return array_map(fn($x) => plain($x), [1]); }
function referred($n) { $local = 1; return include 'inner.php'; }
function generated() { yield 1; yield plain(0); }
";
    let cases = [
        ("plain(0);", "null"),
        ("mapped(0);", "null"),
        ("$late = 1; referred(0);", "1"),
        ("foreach (generated() as $late) { $late++; }", "2"),
        ("include 'outer.php';", "5"),
        ("usort($kept['x'], fn($a, $b) => plain(0));", "null"),
        (
            "$f = new Fiber(fn() => plain(Fiber::suspend(1))); $f->start(); mapped(1);",
            "null",
        ),
    ];
    for (number, (code, late)) in cases.iter().enumerate() {
        let main = format!("<?php\n{SHUTDOWN}{code}");
        let folder = Folder::new(
            &format!("deep-{number}"),
            &[
                ("main.php", &*main),
                ("inner.php", "<?php $local++; return plain($local);"),
                ("outer.php", "<?php $late = 5; plain(0);"),
            ],
        );
        for jit in ["opline.jit=off", "opline.jit=on"] {
            let outcome = folder.run(&["-n", "-d", "memory_limit=12M", "-d", jit, "main.php"]);
            let text = outcome.text();
            assert_eq!(outcome.status, Some(255), "{text}");
            let end = format!("[{{\"x\":[1,2]}},{late}]8000done");
            assert!(text.ends_with(&end), "{code} {jit}: {text}");
            assert_eq!(text.matches("Allowed memory size").count(), 1, "{text}");
        }
    }
}
