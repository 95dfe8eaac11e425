--TEST--
Types that are known before a function runs hold however its variables are written
--FILE--
<?php
// Types that are known before a function runs must hold however variables are written.
function overflow_of_counter() {
    $i = PHP_INT_MAX - 2;
    for ($n = 0; $n < 5; $n++) { $i++; }
    var_dump($i);
    $j = PHP_INT_MIN + 1;
    for ($n = 0; $n < 5; ++$n) { $j--; }
    var_dump($j);
}
overflow_of_counter();

function sums() {
    $a = 1 << 59; $b = $a - 1;
    for ($i = 0; $i < 4; $i++) { $b = $b + $b; var_dump($b); }
    $c = 4611686018427387904;
    var_dump($c + $c, $c - -$c, $c * 2);
}
sums();

function by_reference() {
    $i = 1;
    $r = &$i;
    for ($n = 0; $n < 3; $n++) { $r = "text"; $x = $i . $n; }
    var_dump($i, $x);
    $k = 5;
    $f = function () use (&$k) { $k = [1, 2]; };
    $f();
    var_dump($k);
    for ($m = 0; $m < 2; $m++) { set($m, $m > 0 ? 1.5 : 0); }
    var_dump($m);
}
function set(&$x, $value) { $x = $value; }
by_reference();

function by_array_element() {
    $i = 3;
    $list = [1, &$i];
    $list[1] = "changed";
    var_dump($i, $i == "changed");
    $j = 7;
    foreach ([1, 2] as $j) { }
    var_dump($j + 1);
    foreach (["x", 2.5] as $j) { var_dump($j); }
}
by_array_element();

function not_set(bool $which) {
    if ($which) { $n = 1; }
    for ($i = 0; $i < 2; $i++) { $n++; }
    var_dump($n);
    unset($n);
    var_dump(@($n + 1));
    $d = null;
    $d--;
    var_dump($d);
    return $n ?? "none";
}
var_dump(not_set(true), not_set(false));

function in_try() {
    $x = 1;
    try {
        $x = 2.5;
        throw new Exception("e");
        $x = 4;
    } catch (Exception $e) {
        var_dump($x + 1, $x < 2);
    }
    $y = 1;
    try { $y = "a"; intdiv(1, 0); } catch (DivisionByZeroError) { $y .= "b"; }
    var_dump($y);
    $z = 1;
    try { $z++; } finally { $z = "finally"; }
    var_dump($z);
    return $e->getMessage();
}
var_dump(in_try());

function by_name() {
    $i = 1;
    extract(["i" => "by extract"]);
    var_dump($i);
    $name = "j";
    $j = 2;
    $$name = [3];
    var_dump($j);
    $k = 1;
    eval('$k = 1.25;');
    var_dump($k + 1);
}
by_name();

$global = 1;
function writes_global() { global $global; $global = "text"; $GLOBALS["other"] = 2.5; }
for ($i = 0; $i < 2; $i++) { $other = 1; writes_global(); var_dump($global, $other + $i); $global = $i; }

function parameters(int $i, ?float $f, string|int $s = "s", int $d = null, float $g = 1, ...$rest) {
    var_dump($i + 1, $f, $s, $d, $g + 0, count($rest));
    $i = $i . "x";
    var_dump($i);
    for ($n = $d; $n < 3; $n++) { }
    var_dump($n);
}
parameters("5", 3);
parameters(PHP_INT_MAX, null, 4, 2, 2, 3, 4);

function mixed_arithmetic(float $x) {
    $sum = 0;
    for ($i = 0; $i < 5; $i++) {
        $sum = $sum + $x * $i;
        $bits = ($i << 62) | 1;
        $rest = $bits % 7;
    }
    var_dump($sum, $bits, $rest, 7.5 % 2, "12" + $i, $i / 2, $i / 5, 2 ** $i, 2 ** -$i);
    $n = 0.0;
    while ($n < 3) { $n = $n + 1; }
    var_dump($n, 3 > $n, $n >= 3);
}
mixed_arithmetic(1.5);

function counts(): Generator {
    for ($i = 0; $i < 3; $i++) {
        $sent = yield $i;
        if ($sent !== null) { $i = $sent; }
    }
    return $i;
}
$g = counts();
foreach ($g as $value) { var_dump($value); }
var_dump($g->getReturn());
$g = counts();
$g->current();
$g->send("1");
var_dump($g->current());

function &by_reference_generator() { $i = 0; while ($i < 3) { yield $i; } }
foreach (by_reference_generator() as &$v) { $v = $v + 1.5; var_dump($v); }

function elements() {
    $list = [3, 4, 5];
    $sum = 0;
    for ($i = 0; $i < 4; $i++) { $sum = $sum + @$list[$i]; }
    var_dump($sum);
    $other = null;
    $other[2] = "x";
    for ($i = 0; $i < 3; $i++) { var_dump($other[$i] ?? "-"); }
    unset($list[1]);
    for ($i = 0; $i < 3; $i++) { var_dump(isset($list[$i])); }
    $list = "text";
    var_dump($list[1]);
}
elements();

function switched(int $n) {
    for ($i = 0; $i < 4; $i++) {
        switch ($i) {
            case 0: $r = 1; break;
            case 1: $r = 2.5; break;
            case 2: $r = "3"; break;
            default: $r = $n;
        }
        var_dump($r + 1);
        $m = match (true) { $i < 1 => 1, $i < 2 => "s", default => null };
        var_dump($m);
    }
}
switched(9);

class Destroyed { public $n; function __destruct() { echo "destroyed\n"; } }
function replaced() {
    for ($i = 0; $i < 2; $i++) {
        $x = new Destroyed;
        $x = 5;
        $x = $x + $i;
        var_dump($x);
    }
    $s = 0;
    if ($i > 1) { $s = [1, 2, new Destroyed]; }
    $s = 1;
    var_dump($s);
}
replaced();

function jumps() {
    $i = 0;
    again:
    $i++;
    if ($i == 3) { $i = "3"; goto again; }
    if ($i < 6) { goto again; }
    var_dump($i);
}
jumps();
--EXPECT--
Deprecated: parameters(): Implicitly marking parameter $d as nullable is deprecated, the explicit nullable type must be used instead in case.php on line 98
float(9.223372036854776E+18)
float(-9.223372036854776E+18)
int(1152921504606846974)
int(2305843009213693948)
int(4611686018427387896)
int(9223372036854775792)
float(9.223372036854776E+18)
float(9.223372036854776E+18)
float(9.223372036854776E+18)
string(4) "text"
string(5) "text2"
array(2) {
  [0]=>
  int(1)
  [1]=>
  int(2)
}
float(2.5)
string(7) "changed"
bool(true)
int(3)
string(1) "x"
float(2.5)
int(3)
int(1)

Warning: Decrement on type null has no effect, this will change in the next major version of PHP in case.php on line 55
NULL

Warning: Undefined variable $n in case.php on line 50
int(2)
int(1)

Warning: Decrement on type null has no effect, this will change in the next major version of PHP in case.php on line 55
NULL
string(4) "none"
string(4) "none"
float(3.5)
bool(false)
string(2) "ab"
string(7) "finally"
string(1) "e"
string(10) "by extract"
array(1) {
  [0]=>
  int(3)
}
float(2.25)
string(4) "text"
float(2.5)
string(4) "text"
float(3.5)
int(6)
float(3)
string(1) "s"
NULL
float(1)
int(0)
string(2) "5x"
int(3)
float(9.223372036854776E+18)
NULL
int(4)
int(2)
float(2)
int(2)
string(20) "9223372036854775807x"
int(3)

Deprecated: Implicit conversion from float 7.5 to int loses precision in case.php on line 115
float(15)
int(1)
int(1)
int(1)
int(17)
float(2.5)
int(1)
int(32)
float(0.03125)
float(3)
bool(false)
bool(true)
int(0)
int(1)
int(2)
int(3)
int(2)
float(1.5)
float(3)
int(12)
string(1) "-"
string(1) "-"
string(1) "x"
bool(true)
bool(false)
bool(true)
string(1) "e"
int(2)
int(1)
float(3.5)
string(1) "s"
int(4)
NULL
int(10)
NULL
destroyed
int(5)
destroyed
int(6)
destroyed
int(1)
int(6)
