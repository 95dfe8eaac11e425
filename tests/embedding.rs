//! The engine as a library: scripts, VMs, threads, host functions, errors and limits.

use opline::{Argument, Engine, Error, Script, Vm};

fn compile(engine: &Engine, code: &str) -> Script {
    engine
        .compile(format!("<?php {code}").as_bytes(), "test.php")
        .expect("the code compiles")
}

/// Runs a script in a VM and gives its output.
fn output(vm: &mut Vm, script: &Script) -> (Result<(), Error>, String) {
    vm.capture_output();
    let result = vm.run(script);
    (
        result,
        String::from_utf8_lossy(&vm.take_output()).into_owned(),
    )
}

fn run(code: &str) -> (Result<(), Error>, String) {
    let engine = Engine::new();
    let script = compile(&engine, code);
    output(&mut engine.vm(), &script)
}

#[test]
fn one_script_on_many_threads() {
    let engine = Engine::new();
    let code = "function f($n) { return $n < 2 ? $n : f($n - 1) + f($n - 2); }
        $words = []; for ($i = 0; $i < 500; $i++) { $words[\"k$i\"] = str_repeat('x', $i % 7); }
        static $shared = 0; $shared++; echo f(15), count($words), $shared;";
    let script = compile(&engine, code);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let mut vm = engine.vm();
                let script = &script;
                scope.spawn(move || output(&mut vm, script).1)
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), "6105001");
        }
    });
}

#[test]
fn a_vm_moves_between_threads() {
    let engine = Engine::new();
    let mut vm = engine.vm();
    let define = compile(&engine, "function twice($x) { return [$x, $x]; }");
    output(&mut vm, &define).0.unwrap();
    let mut vm = std::thread::spawn(move || {
        let text = Argument::Text(b"a".to_vec());
        let result = vm.call("twice", vec![text.clone()]);
        assert_eq!(result, Ok(Argument::List(vec![text.clone(), text])));
        vm
    })
    .join()
    .unwrap();
    assert_eq!(
        vm.call("strlen", vec![Argument::Text(b"four".to_vec())]),
        Ok(Argument::Int(4))
    );
}

#[test]
fn two_vms_know_nothing_of_each_other() {
    let engine = Engine::new();
    let (mut first, mut second) = (engine.vm(), engine.vm());
    let write = compile(
        &engine,
        "$GLOBALS['x'] = 1; class C {} define('K', 1); function f() {}",
    );
    let read = compile(
        &engine,
        "var_dump(isset($x), class_exists('C'), defined('K'), function_exists('f'));",
    );
    output(&mut first, &write).0.unwrap();
    let (_, text) = output(&mut second, &read);
    assert_eq!(text, "bool(false)\n".repeat(4));
}

#[test]
fn host_functions_and_globals() {
    let engine = Engine::new();
    let mut vm = engine.vm();
    vm.register_function("host_sum", |arguments| {
        let numbers = arguments.iter().map(|argument| match argument {
            Argument::Int(number) => *number,
            _ => 0,
        });
        Argument::Int(numbers.sum())
    });
    vm.set_global(
        "given",
        Argument::List(vec![Argument::Int(20), Argument::Int(22)]),
    )
    .unwrap();
    let script = compile(&engine, "echo host_sum(...$given), host_sum(1, 'no', 2);");
    let (result, text) = output(&mut vm, &script);
    assert_eq!((result, text.as_str()), (Ok(()), "423"));
}

#[test]
fn errors_of_the_compiler_have_file_and_line() {
    let engine = Engine::new();
    let error = engine.compile(b"<?php\n\n$a = ;", "a.php").unwrap_err();
    let Error::Parse {
        message,
        file,
        line,
    } = error
    else {
        panic!("{error:?}")
    };
    assert_eq!((file.as_str(), line), ("a.php", 3));
    assert_eq!(message, "syntax error, unexpected token \";\"");
    let error = engine
        .compile(b"<?php\nfunction f() {\n break; }", "b.php")
        .unwrap_err();
    let Error::Compile {
        message,
        file,
        line,
    } = error
    else {
        panic!("{error:?}")
    };
    assert_eq!((file.as_str(), line), ("b.php", 3));
    assert_eq!(message, "'break' not in the 'loop' or 'switch' context");
}

#[test]
fn exceptions_of_calls_are_typed() {
    let engine = Engine::new();
    let mut vm = engine.vm();
    let script = compile(
        &engine,
        "function f($x) {\n throw new DomainException(\"no $x\"); }",
    );
    output(&mut vm, &script).0.unwrap();
    let error = vm.call("f", vec![Argument::Int(5)]).unwrap_err();
    let Error::Exception {
        class,
        message,
        file,
        line,
    } = error
    else {
        panic!("{error:?}")
    };
    assert_eq!(
        (class.as_str(), message.as_str()),
        ("DomainException", "no 5")
    );
    assert_eq!((file.as_str(), line), ("test.php", 2));
    assert!(matches!(
        vm.call("nothing", vec![]),
        Err(Error::NoFunction { .. })
    ));
}

#[test]
fn failures_are_results() {
    let (result, text) = run("echo 'a'; throw new Exception('b');");
    assert_eq!(result, Err(Error::Failed { status: 255 }));
    assert!(text.contains("Uncaught Exception: b"), "{text}");
    let (result, text) = run("echo 'a'; interface I { function f(); } class C implements I {}");
    assert_eq!(result, Err(Error::Failed { status: 255 }), "{text}");
}

#[test]
fn the_memory_limit_ends_the_script_only() {
    let engine = Engine::new();
    for code in [
        "$a = []; while (true) $a[] = str_repeat('x', 1000) . count($a);",
        "$s = 'x'; while (true) $s .= $s;",
        "$a = range(1, 100000000);",
        "function f($n) { return f($n + 1) + 1; } f(0);",
    ] {
        let mut vm = engine.vm();
        assert!(vm.set_ini("memory_limit", "16M"));
        let (result, text) = output(&mut vm, &compile(&engine, code));
        assert_eq!(result, Err(Error::Failed { status: 255 }), "{code}");
        assert!(
            text.contains("Allowed memory size of 16777216 bytes exhausted"),
            "{code}: {text}"
        );
    }
    assert_eq!(run("echo 'alive';").1, "alive");
}

#[test]
fn deep_recursion_takes_no_native_stack() {
    let code = "function f($n) { return $n ? f($n - 1) + 1 : 0; } echo f(100000);
        class L { public $next; } $l = null;
        for ($i = 0; $i < 100000; $i++) { $n = new L; $n->next = $l; $l = $n; } unset($n); $l = null;
        $a = []; for ($i = 0; $i < 100000; $i++) { $a = [$a]; } $a = null; echo ' done';";
    let thread = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(move || run(code))
        .unwrap();
    let (result, text) = thread.join().unwrap();
    assert_eq!((result, text.as_str()), (Ok(()), "100000 done"));
}

#[test]
fn nesting_of_the_source_is_an_error_not_a_crash() {
    let engine = Engine::new();
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("-", ""),
        ("fn() => ", ""),
        ("!", ""),
    ] {
        let source = format!(
            "<?php $x = {}1{};",
            open.repeat(100_000),
            close.repeat(100_000)
        );
        // Either answer will do, but there must be one.
        let _ = engine.compile(source.as_bytes(), "deep.php");
    }
}

#[test]
fn exit_is_not_a_failure() {
    let engine = Engine::new();
    let mut vm = engine.vm();
    let (result, text) = output(&mut vm, &compile(&engine, "echo 'a'; exit(3); echo 'b';"));
    assert_eq!((result, text.as_str()), (Ok(()), "a"));
    assert_eq!(vm.exit_status(), 3);
}

#[test]
fn dumps() {
    let engine = Engine::new();
    let dump = compile(&engine, "echo $a . 'x';").dump();
    assert!(dump.contains("ECHO"), "{dump}");
}

#[test]
fn the_time_limit_ends_the_script_only() {
    let engine = Engine::new();
    for endless in [
        "while (true);",
        "for (;;) { $x = 1; }",
        "function f() { return 1; } do { f(); } while (1);",
        "array_map(function () { for (;;); }, [1]);",
        "(new Fiber(function () { for (;;); }))->start();",
    ] {
        let mut vm = engine.vm();
        assert!(vm.set_ini("max_execution_time", "1"));
        let (result, text) = output(&mut vm, &compile(&engine, endless));
        assert_eq!(result, Err(Error::Failed { status: 255 }));
        assert!(
            text.contains("Maximum execution time of 1 second exceeded in test.php"),
            "{text}"
        );
    }
}

#[test]
fn the_time_counts_from_the_last_setting() {
    let (result, text) = run("
        $start = hrtime(true);
        while (hrtime(true) - $start < 100_000_000);
        set_time_limit(1);
        register_shutdown_function(function () { echo 'shut down'; });
        set_time_limit(0);
        $start = hrtime(true);
        while (hrtime(true) - $start < 1_200_000_000);
        echo 'done, ';");
    assert_eq!(result, Ok(()));
    assert_eq!(text, "done, shut down");
}

#[test]
fn a_host_stops_a_script() {
    let engine = Engine::new();
    let mut vm = engine.vm();
    let interrupter = vm.interrupter();
    let host = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        interrupter.stop();
    });
    let (result, text) = output(&mut vm, &compile(&engine, "while (true);"));
    assert_eq!(result, Err(Error::Failed { status: 255 }));
    assert!(text.contains("The host stopped the script"), "{text}");
    host.join().unwrap();
}

#[test]
fn values_for_the_host_are_bounded() {
    let engine = Engine::new();
    let code = r#"
        function loops() { $a = [1]; $a[] = &$a; return $a; }
        function many() { $a = [1]; for ($i = 0; $i < 40; $i++) { $a = [$a, $a]; } return $a; }
        function deep() { $a = []; for ($i = 0; $i < 100000; $i++) { $a = [$a]; } return $a; }
        function fine() { return [[1], 'a']; }
        function give() { host(loops()); }"#;
    let mut vm = engine.vm();
    vm.register_function("host", |arguments| arguments[0].clone());
    output(&mut vm, &compile(&engine, code)).0.unwrap();
    for (name, message) in [
        ("loops", "Nesting level too deep"),
        ("deep", "Nesting level too deep"),
        ("many", "Allowed memory size"),
        ("give", "Nesting level too deep"),
    ] {
        assert_eq!(vm.call(name, vec![]), Err(Error::Failed { status: 255 }));
        let text = String::from_utf8_lossy(&vm.take_output()).into_owned();
        assert!(text.contains(message), "{name}: {text}");
    }
    let list = Argument::List(vec![Argument::Int(1)]);
    let expected = Argument::List(vec![list, Argument::Text(b"a".to_vec())]);
    assert_eq!(vm.call("fine", vec![]), Ok(expected));
}

#[test]
fn a_value_larger_than_the_limit_is_an_error() {
    let engine = Engine::new();
    let mut vm = engine.vm();
    vm.capture_output();
    assert!(vm.set_ini("memory_limit", "16M"));
    let large = Argument::Text(vec![b'x'; 20 << 20]);
    let failed = Err(Error::Failed { status: 255 });
    assert_eq!(vm.set_global("large", large.clone()), failed);
    assert_eq!(vm.call("strlen", vec![large]).err(), failed.clone().err());
    vm.set_global("small", Argument::Int(5)).unwrap();
    let (result, text) = output(&mut vm, &compile(&engine, "echo $small;"));
    assert_eq!((result, text.as_str()), (Ok(()), "5"));
}

#[test]
fn a_vm_goes_on_after_a_failure() {
    let engine = Engine::new();
    let mut vm = engine.vm();
    let fails = compile(
        &engine,
        "$x = []; (function () { global $x; while (true) $x[] = $GLOBALS; })();",
    );
    let works = compile(&engine, "$y = [1, 2]; echo isset($x), count($y);");
    for (limit, more) in [("16M", "32M"), ("32M", "48M"), ("48M", "64M")] {
        assert!(vm.set_ini("memory_limit", limit));
        let (result, text) = output(&mut vm, &fails);
        assert_eq!(result, Err(Error::Failed { status: 255 }), "{text}");
        assert!(text.contains("Allowed memory size"), "{text}");
        // What was in use is lost.
        assert!(vm.set_ini("memory_limit", more));
        let (result, text) = output(&mut vm, &works);
        assert_eq!((result, text.as_str()), (Ok(()), "2"));
        assert_eq!(vm.exit_status(), 0);
    }
}
