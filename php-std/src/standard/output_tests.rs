//! Buffers and handlers with native callables, which need no compiler.

use vm_runtime::diagnostics::level;
use vm_runtime::value::Value;
use vm_runtime::vm::Vm;

use crate::support::testing::{call, show, vm};

fn run(vm: &mut Vm, name: &str, arguments: &[Value]) -> String {
    show(&call(vm, name, arguments).expect("no exception"))
}

fn output(vm: &mut Vm) -> String {
    String::from_utf8(vm.output.take_captured()).expect("text")
}

#[test]
fn nested_buffers() {
    let mut vm = vm();
    vm.write(b"a");
    assert_eq!(run(&mut vm, "ob_start", &[]), "true");
    vm.write(b"b");
    run(&mut vm, "ob_start", &[]);
    vm.write(b"c");
    assert_eq!(run(&mut vm, "ob_get_level", &[]), "2");
    assert_eq!(run(&mut vm, "ob_get_clean", &[]), "c");
    assert_eq!(run(&mut vm, "ob_get_contents", &[]), "b");
    assert_eq!(output(&mut vm), "a");
    vm.write(b"d");
    assert_eq!(run(&mut vm, "ob_end_flush", &[]), "true");
    assert_eq!(run(&mut vm, "ob_get_level", &[]), "0");
    assert_eq!(output(&mut vm), "bd");
}

#[test]
fn callbacks_see_contents_and_operation() {
    let mut vm = vm();
    let callback: Value = vm.string("str_repeat").into();
    run(&mut vm, "ob_start", std::slice::from_ref(&callback));
    vm.write(b"x");
    run(&mut vm, "ob_flush", &[]);
    // Started and flushed: 1 | 4.
    assert_eq!(output(&mut vm), "xxxxx");
    vm.write(b"-");
    run(&mut vm, "ob_end_flush", &[]);
    // Ended: 8.
    assert_eq!(output(&mut vm), "--------");
    run(&mut vm, "ob_start", &[callback, 2i64.into()]);
    vm.write(b"a");
    assert_eq!(output(&mut vm), "");
    vm.write(b"b");
    // A full chunk: started, 1.
    assert_eq!(output(&mut vm), "ab");
    vm.end_all_buffers();
    assert_eq!(output(&mut vm), "");
}

#[test]
fn refused_operations() {
    let mut vm = vm();
    assert_eq!(run(&mut vm, "ob_end_clean", &[]), "false");
    assert!(
        output(&mut vm)
            .contains("\nNotice: ob_end_clean(): Failed to delete buffer. No buffer to delete in ")
    );
    run(
        &mut vm,
        "ob_start",
        &[Value::NULL, 0i64.into(), 0i64.into()],
    );
    assert_eq!(run(&mut vm, "ob_end_clean", &[]), "false");
    vm.end_all_buffers();
    assert!(
        output(&mut vm)
            .contains("ob_end_clean(): Failed to discard buffer of default output handler (0)")
    );
    let unknown: Value = vm.string("no_such_function").into();
    assert_eq!(run(&mut vm, "ob_start", &[unknown]), "false");
    let text = output(&mut vm);
    assert!(text.contains(
        "Warning: ob_start(): function \"no_such_function\" not found or invalid function name"
    ));
    assert!(text.contains("Notice: ob_start(): Failed to create buffer"));
}

#[test]
fn status() {
    let mut vm = vm();
    run(&mut vm, "ob_start", &[]);
    vm.write(b"abc");
    let status = run(&mut vm, "ob_get_status", &[]);
    assert_eq!(status, "[default output handler, 0, 112, 0, 0, 16384, 3]");
    run(&mut vm, "ob_flush", &[]);
    let status = run(&mut vm, "ob_get_status", &[]);
    assert_eq!(status, "[default output handler, 0, 20592, 0, 0, 16384, 0]");
}

#[test]
fn error_handlers() {
    let mut vm = vm();
    // `max` of level, message, file and line is not false: the error is taken care of.
    let handler: Value = vm.string("max").into();
    assert_eq!(run(&mut vm, "set_error_handler", &[handler]), "NULL");
    vm.warning("quiet");
    assert_eq!(output(&mut vm), "");
    assert!(vm.errors.last.is_none());
    // A handler for other levels is not asked.
    let only_notices: Value = vm.string("min").into();
    let notice = (level::NOTICE as i64).into();
    assert_eq!(
        run(&mut vm, "set_error_handler", &[only_notices, notice]),
        "max"
    );
    vm.warning("loud");
    assert!(output(&mut vm).contains("\nWarning: loud in "));
    assert_eq!(run(&mut vm, "restore_error_handler", &[]), "true");
    vm.warning("quiet again");
    assert_eq!(output(&mut vm), "");
    run(&mut vm, "restore_error_handler", &[]);
    vm.warning("loud");
    assert!(output(&mut vm).contains("\nWarning: loud in "));
    let last = run(&mut vm, "error_get_last", &[]);
    assert!(last.starts_with("[2, loud, "), "{last}");
}

#[test]
fn settings() {
    let mut vm = vm();
    let precision: Value = vm.string("precision").into();
    let three: Value = 3i64.into();
    assert_eq!(run(&mut vm, "ini_set", &[precision.clone(), three]), "14");
    assert_eq!(run(&mut vm, "strval", &[(1.0 / 3.0).into()]), "0.333");
    run(&mut vm, "ini_restore", std::slice::from_ref(&precision));
    assert_eq!(run(&mut vm, "ini_get", &[precision]), "14");
    assert_eq!(run(&mut vm, "error_reporting", &[]), "30719");
    run(&mut vm, "error_reporting", &[0i64.into()]);
    vm.warning("hidden");
    assert_eq!(output(&mut vm), "");
}
