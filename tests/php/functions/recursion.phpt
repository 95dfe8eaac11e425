--TEST--
Recursion deeper than a native stack would take
--FILE--
<?php
function depth($n) { return $n == 0 ? 0 : 1 + depth($n - 1); }
echo depth(50000), "\n";
function ackermann($m, $n) { return $m == 0 ? $n + 1 : ($n == 0 ? ackermann($m - 1, 1) : ackermann($m - 1, ackermann($m, $n - 1))); }
echo ackermann(2, 9), "\n";
function is_even($n) { return $n == 0 ? true : is_odd($n - 1); }
function is_odd($n) { return $n == 0 ? false : is_even($n - 1); }
var_dump(is_even(1001));
$fibonacci = function ($n) use (&$fibonacci) { return $n < 2 ? $n : $fibonacci($n - 1) + $fibonacci($n - 2); };
echo $fibonacci(20), "\n";
--EXPECT--
50000
21
bool(false)
6765
