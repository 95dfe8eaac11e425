//! Dumps of values, against what PHP 8.4 prints.

use crate::support::testing::{call, vm};

/// Unserialises a text and gives what a function prints for the value.
fn printed(function: &str, text: &str) -> String {
    let mut vm = vm();
    let text = vm.string(text).into();
    let value = call(&mut vm, "unserialize", &[text]).expect("no exception");
    let before = vm.begin_silence();
    call(&mut vm, function, &[value]).expect("no exception");
    vm.end_silence(before);
    String::from_utf8(vm.output.take_captured()).expect("text")
}

const NESTED: &str = "a:3:{i:0;i:1;s:3:\"a'b\";a:2:{i:5;d:1;s:1:\"k\";s:1:\"x\";}i:1;N;}";
const OBJECTS: &str =
    "O:8:\"stdClass\":2:{s:1:\"a\";a:1:{i:0;O:8:\"stdClass\":0:{}}s:4:\"self\";r:1;}";
const REFERENCES: &str = "a:2:{i:0;i:1;i:1;R:2;}";
const CIRCLE: &str = "a:2:{i:0;s:1:\"z\";s:1:\"s\";R:1;}";

#[test]
fn var_dump() {
    assert_eq!(
        printed("var_dump", NESTED),
        [
            "array(3) {",
            "  [0]=>",
            "  int(1)",
            "  [\"a'b\"]=>",
            "  array(2) {",
            "    [5]=>",
            "    float(1)",
            "    [\"k\"]=>",
            "    string(1) \"x\"",
            "  }",
            "  [1]=>",
            "  NULL",
            "}",
            "",
        ]
        .join("\n")
    );
    assert_eq!(
        printed("var_dump", OBJECTS),
        [
            "object(stdClass)#1 (2) {",
            "  [\"a\"]=>",
            "  array(1) {",
            "    [0]=>",
            "    object(stdClass)#2 (0) {",
            "    }",
            "  }",
            "  [\"self\"]=>",
            "  *RECURSION*",
            "}",
            "",
        ]
        .join("\n")
    );
    assert_eq!(
        printed("var_dump", REFERENCES),
        [
            "array(2) {",
            "  [0]=>",
            "  &int(1)",
            "  [1]=>",
            "  &int(1)",
            "}",
            "",
        ]
        .join("\n")
    );
    assert_eq!(
        printed("var_dump", CIRCLE),
        [
            "array(2) {",
            "  [0]=>",
            "  string(1) \"z\"",
            "  [\"s\"]=>",
            "  *RECURSION*",
            "}",
            "",
        ]
        .join("\n")
    );
}

#[test]
fn print_r() {
    assert_eq!(
        printed("print_r", NESTED),
        [
            "Array",
            "(",
            "    [0] => 1",
            "    [a'b] => Array",
            "        (",
            "            [5] => 1",
            "            [k] => x",
            "        )",
            "",
            "    [1] => ",
            ")",
            "",
        ]
        .join("\n")
    );
    assert_eq!(
        printed("print_r", OBJECTS),
        [
            "stdClass Object",
            "(",
            "    [a] => Array",
            "        (",
            "            [0] => stdClass Object",
            "                (",
            "                )",
            "",
            "        )",
            "",
            "    [self] => stdClass Object",
            " *RECURSION*",
            ")",
            "",
        ]
        .join("\n")
    );
    assert_eq!(
        printed("print_r", REFERENCES),
        ["Array", "(", "    [0] => 1", "    [1] => 1", ")", "",].join("\n")
    );
    assert_eq!(
        printed("print_r", CIRCLE),
        [
            "Array",
            "(",
            "    [0] => z",
            "    [s] => Array",
            " *RECURSION*",
            ")",
            "",
        ]
        .join("\n")
    );
}

#[test]
fn var_export() {
    assert_eq!(
        printed("var_export", NESTED),
        [
            "array (",
            "  0 => 1,",
            "  'a\\'b' => ",
            "  array (",
            "    5 => 1.0,",
            "    'k' => 'x',",
            "  ),",
            "  1 => NULL,",
            ")",
        ]
        .join("\n")
    );
    assert_eq!(
        printed("var_export", OBJECTS),
        [
            "(object) array(",
            "   'a' => ",
            "  array (",
            "    0 => ",
            "    (object) array(",
            "    ),",
            "  ),",
            "   'self' => NULL,",
            ")",
        ]
        .join("\n")
    );
    assert_eq!(
        printed("var_export", REFERENCES),
        ["array (", "  0 => 1,", "  1 => 1,", ")",].join("\n")
    );
    assert_eq!(
        printed("var_export", CIRCLE),
        ["array (", "  0 => 'z',", "  's' => NULL,", ")",].join("\n")
    );
}
