//! Against what PHP 8.4 gives.

use crate::support::testing::{call_text, vm};

/// Checks lines of the form `function argument ... => result`.
#[track_caller]
fn check(cases: &str) {
    let mut vm = vm();
    for line in cases.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (call, expected) = line.split_once(" => ").expect("a case");
        let mut words = call.split(' ');
        let name = words.next().expect("a function");
        let arguments: Vec<&str> = words.collect();
        assert_eq!(call_text(&mut vm, name, &arguments), expected, "{call}");
    }
}

#[test]
fn rounding() {
    check(
        "round 5.055 2 => 5.06
        round 1.955 2 => 1.96
        round 1.45 1 => 1.5
        round 0.285 2 => 0.29
        round -2.5 => -3.0
        round -0.4 => -0.0
        round 2.5 0 3 => 2.0
        round 1.25 1 4 => 1.3
        round 1e300 -299 => 1.0E+300
        round 5 -1 => 10.0
        round 15 -1 3 => 20.0
        round 1234567.891 -3 => 1235000.0
        round 9223372036854775807 -1 => 9.223372036854776E+18
        round 9007199254740993 -1 => 9007199254740990.0
        round 1.1e-10 12 => 1.1E-10
        round 1234 400 => 1234.0
        round 1234 -400 => 0.0
        round 0.49999999999999994 => 0.0
        round 4503599627370495.5 => 4503599627370496.0
        round 1.5 9223372036854775807 => 1.5
        round 3 => 3.0
        ceil -0.5 => -0.0
        floor 5 => 5.0
        floor -1.5 => -2.0",
    );
}

#[test]
fn number_format() {
    check(
        "number_format 1234567.891 2 => 1,234,567.89
        number_format 0.5 => 1
        number_format -0.4 => 0
        number_format -0.01 1 => 0.0
        number_format -1234.567 2 \",\" \".\" => -1.234,57
        number_format INF => inf
        number_format NAN => nan
        number_format 1234.5 -2 => 1,200
        number_format 1e20 2 => 100,000,000,000,000,000,000.00
        number_format 123 2 \"\" \"\" => 12300
        number_format 1234.5678 3 null null => 1,234.568
        number_format 0.285 2 => 0.29
        number_format 0.125 2 => 0.13
        number_format 99999.5 => 100,000
        number_format -999.5 => -1,000
        number_format 0.1 20 => 0.10000000000000000555
        number_format 5 -400 => 0
        number_format -5 -1 => -10
        number_format 4 -1 => 0
        number_format 123456789012345678 => 123,456,789,012,345,678",
    );
}

#[test]
fn bases() {
    check(
        "octdec \"0o17\" => 15
        hexdec \"ffffffffffffffff\" => 1.8446744073709552E+19
        hexdec \"7fffffffffffffff\" => 9223372036854775807
        hexdec \"\" => 0
        bindec \"102\" => 2
        decbin -1 => 1111111111111111111111111111111111111111111111111111111111111111
        dechex 255 => ff
        decoct 8 => 10
        base_convert \"zz\" 36 2 => 10100001111
        base_convert \"ffffffffffffffffffff\" 16 10 => 1208925819614629446642046
        base_convert \"\" 16 10 => 0
        base_convert \"9223372036854775808\" 10 16 => 8000000000000000",
    );
}

#[test]
fn extrema() {
    check(
        "max \"1\" 1 => 1
        max 5 5.0 => 5
        max 5.0 5 => 5.0
        min 5 5.0 => 5.0
        min 5.0 5 => 5
        max 1 NAN => NAN
        max NAN 1 => 1
        min NAN 1 => 1
        max \"a\" NAN => a
        max NAN \"a\" => NAN
        max 1 2.5 \"3\" => 3
        min 1 1.0 \"1\" => 1
        max 2.0 1 2 => 2.0
        max \"abc\" 0 => abc
        min null false => false",
    );
}

#[test]
fn elementary() {
    check(
        "log 8 2 => 3.0
        log 100 10 => 2.0
        log 5 1 => NAN
        log 0 => -INF
        fmod -7 3 => -1.0
        fdiv 1 0 => INF
        abs -9223372036854775808 => 9.223372036854776E+18
        abs -0.0 => 0.0
        intdiv -7 2 => -3
        hypot 3 4 => 5.0
        deg2rad 180 => 3.141592653589793
        log1p 1e-10 => 9.999999999500001E-11
        expm1 1e-10 => 1.00000000005E-10
        atanh 0.5 => 0.5493061443340548
        asinh 1 => 0.881373587019543
        acosh 2 => 1.3169578969248166
        pow \"3\" 2 => 9
        fpow 0 -1 => INF",
    );
}
