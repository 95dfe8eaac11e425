--TEST--
Static variables: initialisers of every kind, recursion, closures and inheritance
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# statics init\n";
function f() { static $a = 1 + 2, $b = [1, 'k' => PHP_INT_SIZE], $c = strlen('dyn') + 1, $d; $a++; $d .= 'x'; return [$a, $b, $c, $d]; } f(); var_dump(f()); function g() { static $n = h(); return $n; } function h() { echo "init\n"; return 5; } g(); g(); function k($x) { static $s = $x * 2; return $s; } var_dump(k(5), k(9)); function ex() { static $e = thrower(); return $e; } function thrower() { static $t = 0; if ($t++ < 1) throw new Exception('first'); return 'second'; } try { ex(); } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump(ex()); function rec($n) { static $depth = 0; $depth++; if ($n) rec($n - 1); return $depth; } var_dump(rec(3)); class A { function m() { static $x = new D('static'); static $c = self::class . static::class; return $c; } } class B extends A {} var_dump((new A)->m(), (new B)->m(), (new A)->m()); $cl = function () { static $x = 0; return ++$x; }; $cl(); $c2 = clone $cl; var_dump($cl(), $c2()); if (0) { static $top = 5; } var_dump($top ?? 'unset'); for ($i = 0; $i < 2; $i++) { static $loop = 10; $loop++; } var_dump($loop);
--EXPECT--
# statics init
array(4) {
  [0]=>
  int(5)
  [1]=>
  array(2) {
    [0]=>
    int(1)
    ["k"]=>
    int(8)
  }
  [2]=>
  int(4)
  [3]=>
  string(2) "xx"
}
init
int(10)
int(10)
first
string(6) "second"
int(4)
string(2) "AA"
string(2) "AA"
string(2) "AA"
int(2)
int(2)
string(5) "unset"
int(12)
Dstatic gone
