--TEST--
Closures capture by value, by reference and bind objects
--FILE--
<?php
$x = 1;
$by_value = function () use ($x) { return $x; };
$by_reference = function () use (&$x) { return ++$x; };
$arrow = fn($y) => fn($z) => $x + $y + $z;
$x = 10;
echo $by_value(), $by_reference(), $x, $arrow(1)(2), "\n";
class Box { private $secret = 42; function reader() { return function () { return $this->secret; }; } }
echo (new Box)->reader()(), "\n";
$peek = function () { return $this->secret; };
echo Closure::bind($peek, new Box, Box::class)(), $peek->call(new Box), "\n";
$static = static fn() => isset($this);
var_dump($static());
class Compose { public function __invoke($v) { return "<$v>"; } }
echo implode(array_map(new Compose, [1, 2])), "\n";
$length = strlen(...);
echo $length("four"), "\n";
class Maths { public static function twice($n) { return 2 * $n; } public function thrice($n) { return 3 * $n; } }
echo implode(",", array_map(Maths::twice(...), [1, 2])), implode(",", array_map([new Maths, "thrice"], [1, 2])), implode(",", array_map("Maths::twice", [5])), "\n";
--EXPECT--
111114
42
4242
bool(false)
<1><2>
4
2,43,610
