--TEST--
Anonymous classes of different evals are different classes
--FILE--
<?php
trait T1 { function a() { return __METHOD__; } } trait T2 { function b() { return __METHOD__; } }
class B {}
function make($t) { return eval("return new class() extends B {use $t;};"); }
$x = make('T1'); $y = make('T2');
$n = get_class($x); $m = get_class($y);
var_dump($n === $m, get_class_methods(new $n), get_class_methods(new $m));
$o = make('T1'); var_dump(get_class($o) === $n, $o instanceof $n);
--EXPECT--
bool(false)
array(1) {
  [0]=>
  string(1) "a"
}
array(1) {
  [0]=>
  string(1) "b"
}
bool(false)
bool(false)
