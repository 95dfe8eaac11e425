--TEST--
Static variables of closures and first-class callables
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# closure statics\n";
function counter() { return function () { static $n = 0; return ++$n; }; } $a = counter(); $a(); $a(); $b = $a; echo $b(), "\n"; $c = clone $a; echo $c(), $c(), $a(), "\n"; $d = $a->bindTo(null); echo $d(), $a(), "\n"; $e = counter(); echo $e(), "\n"; $f = Closure::fromCallable($a); var_dump($f === $a); $g = $a(...); echo $g(), $a(), "\n";
function st() { static $x = 1; return $x++; } $s = st(...); echo st(), $s(), st(), (st(...))(), "\n"; class SM { static function m() { static $x = 0; return ++$x; } function i() { static $y = 0; return ++$y; } } class SM2 extends SM {} echo SM::m(), SM2::m(), SM::m(), SM2::m(), "\n"; $q = (new SM)->i(...); echo $q(), (new SM)->i(), (new SM2)->i(), $q(), "\n";
--EXPECT--
# closure statics
3
454
55
1
bool(true)
67
1234
1234
1234
