--TEST--
Named arguments and spread
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# spread\n";
function f($a = 'a', $b = 'b', ...$r) { var_dump(func_get_args(), $a, $b, $r); } f(...['b' => 'B']); f(1, ...['b' => 2, 'x' => 3]); f(...[1, 2], ...[3, 'k' => 4]); foreach ([fn() => f(...['a' => 1], ...[2]), fn() => f(1, ...['a' => 2]), fn() => f(...new ArrayIterator(['z' => 1, 'b' => 2])), fn() => f(...(function () { yield 'a' => 1; yield 2; })()), fn() => f(...5), fn() => f(...null), fn() => f(...'abc'), fn() => strlen(...['string' => 'abc']), fn() => strlen(...['nope' => 'abc']), fn() => strlen(...[]), fn() => f(...[1], a: 2), fn() => f(b: 1, b2: 2), fn() => (new class(...['x' => 1]) { function __construct(public $x) {} })->x, fn() => [...['a' => 1, 'b' => 2], ...['a' => 3], 'c' => 4, ...[5]], fn() => max(...[1, 5, 3]), fn() => sprintf(...['%s-%s', 'a', 'b']), fn() => call_user_func_array('f', ['b' => 1, 0 => 2])] as $i => $c) { echo "$i: "; try { var_dump($c()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }
--EXPECT--
# spread
array(2) {
  [0]=>
  string(1) "a"
  [1]=>
  string(1) "B"
}
string(1) "a"
string(1) "B"
array(0) {
}
array(2) {
  [0]=>
  int(1)
  [1]=>
  int(2)
}
int(1)
int(2)
array(1) {
  ["x"]=>
  int(3)
}
array(3) {
  [0]=>
  int(1)
  [1]=>
  int(2)
  [2]=>
  int(3)
}
int(1)
int(2)
array(2) {
  [0]=>
  int(3)
  ["k"]=>
  int(4)
}
0: array(2) {
  [0]=>
  int(1)
  [1]=>
  int(2)
}
int(1)
int(2)
array(0) {
}
NULL
1: Error: Named parameter $a overwrites previous argument
2: array(2) {
  [0]=>
  string(1) "a"
  [1]=>
  int(2)
}
string(1) "a"
int(2)
array(1) {
  ["z"]=>
  int(1)
}
NULL
3: Error: Cannot use positional argument after named argument during unpacking
4: TypeError: Only arrays and Traversables can be unpacked, int given
5: TypeError: Only arrays and Traversables can be unpacked, null given
6: TypeError: Only arrays and Traversables can be unpacked, string given
7: int(3)
8: Error: Unknown named parameter $nope
9: ArgumentCountError: strlen() expects exactly 1 argument, 0 given
10: Error: Named parameter $a overwrites previous argument
11: array(2) {
  [0]=>
  string(1) "a"
  [1]=>
  int(1)
}
string(1) "a"
int(1)
array(1) {
  ["b2"]=>
  int(2)
}
NULL
12: int(1)
13: array(4) {
  ["a"]=>
  int(3)
  ["b"]=>
  int(2)
  ["c"]=>
  int(4)
  [0]=>
  int(5)
}
14: int(5)
15: string(3) "a-b"
16: Error: Cannot use positional argument after named argument
