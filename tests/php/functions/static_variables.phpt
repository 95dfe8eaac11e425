--TEST--
Static variables belong to the function
--FILE--
<?php
function counter() { static $n = 0, $log = []; $log[] = ++$n; return count($log) . "/" . $n; }
echo counter(), counter(), counter(), "\n";
function from_call() { static $value = strlen("four"); return $value++; }
echo from_call(), from_call(), "\n";
class Parent_ { public static function next() { static $n = 0; return ++$n; } }
class Child_ extends Parent_ {}
echo Parent_::next(), Parent_::next(), Child_::next(), Child_::next(), "\n";
$closure = function () { static $n = 10; return $n++; };
$other = clone $closure;
echo $closure(), $closure(), $other(), "\n";
--EXPECT--
1/12/23/3
45
1234
101110
