--TEST--
Named arguments and spread: defaults, variadics, references, native functions, and the errors
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# spread\n";
function f($a = 'a', $b = 'b', ...$r) { var_dump(func_get_args(), $a, $b, $r); } f(...['b' => 'B']); f(1, ...['b' => 2, 'x' => 3]); f(...[1, 2], ...[3, 'k' => 4]); foreach ([fn() => f(...['a' => 1], ...[2]), fn() => f(1, ...['a' => 2]), fn() => f(a: 1, ...['b' => 2]), fn() => f(...new ArrayIterator(['z' => 1, 'b' => 2])), fn() => f(...(function () { yield 'a' => 1; yield 2; })()), fn() => f(...5), fn() => f(...null), fn() => f(...'abc'), fn() => strlen(...['string' => 'abc']), fn() => strlen(...['nope' => 'abc']), fn() => strlen(...[]), fn() => f(...[1], a: 2), fn() => f(b: 1, b2: 2), fn() => (new class(...['x' => 1]) { function __construct(public $x) {} })->x, fn() => [...['a' => 1, 'b' => 2], ...['a' => 3], 'c' => 4, ...[5]], fn() => array_merge(...['x' => [1], 'y' => [2]]), fn() => max(...[1, 5, 3]), fn() => sprintf(...['%s-%s', 'a', 'b']), fn() => sprintf(...['format' => '%s', 'values' => 1]), fn() => call_user_func_array('f', ['b' => 1, 0 => 2])] as $i => $c) { echo "$i: "; try { var_dump($c()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }
--STATUS--
255
--EXPECT--
Fatal error: Cannot use argument unpacking after named arguments in case.php on line 5
