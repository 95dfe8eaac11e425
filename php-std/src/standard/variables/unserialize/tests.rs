//! Serialised texts there and back, and malformed ones.

use crate::support::testing::{call, show, vm};

/// Reads a text; what `serialize` makes of the result, or `false` and the warnings.
fn round_trip(text: &str) -> String {
    let mut vm = vm();
    let text = vm.string(text).into();
    let value = call(&mut vm, "unserialize", &[text]).expect("no exception");
    let written = call(&mut vm, "serialize", &[value]).expect("no exception");
    let output = String::from_utf8(vm.output.take_captured()).unwrap();
    let warnings: Vec<&str> = output
        .lines()
        .filter_map(|line| Some(line.split_once("unserialize(): ")?.1.rsplit_once(" in ")?.0))
        .collect();
    [&[show(&written).as_str()], warnings.as_slice()]
        .concat()
        .join(" ! ")
}

#[test]
fn there_and_back() {
    for text in [
        "N;",
        "b:1;",
        "b:0;",
        "i:-5;",
        "d:0.1;",
        "d:-0;",
        "d:INF;",
        "d:-INF;",
        "d:NAN;",
        "d:1.0E+100;",
        "s:3:\"a\"b\";",
        "a:2:{i:0;i:1;s:1:\"a\";a:2:{i:0;i:2;i:5;i:3;}}",
        "O:8:\"stdClass\":1:{s:1:\"a\";i:1;}",
        "a:2:{i:0;O:8:\"stdClass\":0:{}i:1;r:2;}",
        "a:2:{i:0;i:1;i:1;R:2;}",
        "O:8:\"stdClass\":1:{s:1:\"o\";r:1;}",
        "a:3:{i:0;i:1;i:1;R:2;i:2;O:8:\"stdClass\":1:{s:1:\"x\";r:3;}}",
        "O:4:\"Nope\":1:{s:1:\"a\";i:1;}",
    ] {
        assert_eq!(round_trip(text), text);
    }
}

#[test]
fn normalised() {
    for (text, expected) in [
        ("i:+5;", "i:5;"),
        ("d:1e5;", "d:100000;"),
        ("d:5;", "d:5;"),
        ("a:1:{s:1:\"5\";i:1;}", "a:1:{i:5;i:1;}"),
        ("a:2:{i:0;i:1;i:0;i:2;}", "a:1:{i:0;i:2;}"),
        (
            "O:8:\"stdClass\":1:{i:5;i:1;}",
            "O:8:\"stdClass\":1:{s:1:\"5\";i:1;}",
        ),
        (
            "i:5;xx",
            "i:5; ! Extra data starting at offset 4 of 6 bytes",
        ),
        (
            "i:99999999999999999999;",
            "i:9223372036854775807; ! Numerical result out of range",
        ),
        (
            "S:3:\"a\\62c\";",
            "s:3:\"abc\"; ! Unserializing the 'S' format is deprecated",
        ),
    ] {
        assert_eq!(round_trip(text), expected, "{text}");
    }
}

#[test]
fn malformed() {
    for (text, errors) in [
        ("b:2;", "Error at offset 0 of 4 bytes"),
        ("s:4:\"abc\";", "Error at offset 9 of 10 bytes"),
        ("s:2:\"abc\";", "Error at offset 7 of 10 bytes"),
        ("s:9:\"abc\";", "Error at offset 2 of 10 bytes"),
        ("s:1:\"a\"", "Error at offset 7 of 7 bytes"),
        ("a:1:{i:0;i:1;", "Error at offset 13 of 13 bytes"),
        (
            "a:2:{i:0;i:1;}",
            "Unexpected end of serialized data ! Error at offset 13 of 14 bytes",
        ),
        ("a:-1:{}", "Error at offset 0 of 7 bytes"),
        ("i:5", "Error at offset 0 of 3 bytes"),
        ("x", "Error at offset 0 of 1 bytes"),
        ("a:1:{d:1;i:1;}", "Error at offset 9 of 14 bytes"),
        ("a:2:{i:0;i:1;i:1;r:2;}", "Error at offset 21 of 22 bytes"),
        ("R:1;", "Error at offset 4 of 4 bytes"),
        ("a:1:{i:0;R:5;}", "Error at offset 13 of 14 bytes"),
        ("O:+1:\"W\":0:{}", "Error at offset 0 of 13 bytes"),
        (
            "O:8:\"stdClass\":1:{s:1:\"v\";i:1}",
            "Error at offset 26 of 30 bytes",
        ),
        ("d:0.1.2;", "Error at offset 0 of 8 bytes"),
        ("d:;", "Error at offset 0 of 3 bytes"),
        ("i:0x5;", "Error at offset 0 of 6 bytes"),
    ] {
        assert_eq!(round_trip(text), format!("b:0; ! {errors}"), "{text}");
    }
}
