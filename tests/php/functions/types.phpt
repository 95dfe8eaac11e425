--TEST--
Parameter and return types coerce or throw
--FILE--
<?php
function integer(int $n): int { return $n; }
function text(string $s): string { return $s; }
function union(int|string $v) { return $v; }
function number(float $f) { return $f; }
var_dump(integer("12"), integer(3.0), integer(true), text(12), text(1.5), union("5"), union(5.0), union("x"), number(3));
foreach ([fn() => integer("x"), fn() => integer(null), fn() => integer([]), fn() => integer(1.5), fn() => text([]), fn() => number("1.5x")] as $try) {
    try { var_dump($try()); } catch (TypeError $error) { echo preg_replace('/, called.*/', '', $error->getMessage()), "\n"; }
}
function wrong(): int { return "none"; }
try { wrong(); } catch (TypeError $error) { echo $error->getMessage(), "\n"; }
function nothing(): void { return; }
var_dump(nothing());
function nullable(?int $x = null): ?int { return $x; }
var_dump(nullable(), nullable(5));
--EXPECT--
int(12)
int(3)
int(1)
string(2) "12"
string(3) "1.5"
string(1) "5"
int(5)
string(1) "x"
float(3)
integer(): Argument #1 ($n) must be of type int, string given
integer(): Argument #1 ($n) must be of type int, null given
integer(): Argument #1 ($n) must be of type int, array given

Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 2
int(1)
text(): Argument #1 ($s) must be of type string, array given
number(): Argument #1 ($f) must be of type float, string given
wrong(): Return value must be of type int, string returned
NULL
NULL
int(5)
