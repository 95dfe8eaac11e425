--TEST--
yield in every kind of expression, keys, send and return
--FILE--
<?php
function show($g) { foreach ($g as $k => $v) { echo json_encode($k), '=>', json_encode($v), "\n"; } }
class D { function __construct(public $n) {} function __destruct() { echo "D{$this->n} gone\n"; } }
function add(...$a) { return array_sum($a); }

echo "# temps2\n";
function q() { $a = [new D(1), 'k' => new D(2), yield 1, new D(3), yield 2]; echo count($a), "\n"; unset($a); $s = "x{$a[0]}y" . (yield 3); }
$g = q(); $g->current(); unset($g); echo "--\n"; $g = q(); $g->current(); $g->next(); unset($g); echo "--\n"; $g = q(); foreach ($g as $_); 
function q2() { $s = "a" . new class { function __toString() { return 'S'; } } . "b{${yield 'n'}}c" . (yield 'm') . "\n"; echo $s; }
$g = q2(); $g->current(); unset($g); $g = q2(); $g->current(); $g->send('undefd'); $g->send(5);
function q3() { $o = new stdClass; $o->a = [(yield 1) => new D(1), (yield 2) => new D(2)]; $o->{yield 'p'}[yield 'k'] ??= yield 'v'; var_dump($o); }
$g = q3(); $g->current(); $g->send('x'); unset($g); echo "--\n";
$g = q3(); $g->current(); foreach (['x','y','pp','kk','vv'] as $s) var_dump($g->send($s)); 

echo "# match switch\n";
function q1() { switch (yield 'sw') { case (yield 'c1'): echo "one\n"; break; case yield 'c2': echo "two\n"; break; default: echo "def\n"; }
 echo match(true) { (yield 'm1') => yield 'r1', (yield 'm2') => yield 'r2', default => yield 'r3' }, "\n"; }
$g = q1(); $g->current(); foreach ([1, 2, 1, false, true, 'res'] as $s) var_dump($g->send($s));
$g = q1(); $g->current(); $g->send(new D(5)); unset($g);

echo "# yield precedence\n";
function p() { $x = yield 1 + 2; var_dump($x); $y = yield 'k' => 'v' . 'w'; $z = (yield) ?? 'default'; var_dump($z); yield yield 5; return yield; }
$g = p(); foreach (range(1, 8) as $i) { var_dump($g->key(), $g->current()); $g->send($i == 3 ? null : $i * 100); } var_dump($g->getReturn());

echo "# iterator_to_array, count, spread\n";
function k() { yield 'a' => 1; yield 'a' => 2; yield 5; }
var_dump(iterator_to_array(k()), iterator_to_array(k(), false), iterator_count(k()));
function args(...$x) { var_dump($x); }
args(...(function () { yield 1; yield 2; yield 'n' => 3; })());
try { args(...(function () { yield 'n' => 1; yield 2; })()); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { args(...(function () { yield [] => 1; })()); } catch (Error $e) { echo $e->getMessage(), "\n"; }
var_dump([...k(), ...k()]);


echo "# generator in generator send\n";
function logger() { while (true) { echo "log: ", yield, "\n"; } }
$l = logger(); $l->send('a'); $l->send('b'); 
function acc() { $t = 0; while (true) { $x = yield $t; if ($x === null) return $t; $t += $x; } }
$a = acc(); $a->current(); $a->send(1); $a->send(2); $a->send(null); var_dump($a->getReturn());
--EXPECT--
# temps2
D1 gone
D2 gone
--
D1 gone
D2 gone
D3 gone
--
5
D1 gone
D2 gone
D3 gone

Warning: Undefined variable $a in case.php on line 7

Warning: Trying to access array offset on null in case.php on line 7

Warning: Undefined variable $undefd in case.php on line 9
aSbc5
D1 gone
--
int(2)
string(1) "p"
string(1) "k"
string(1) "v"
object(stdClass)#5 (2) {
  ["a"]=>
  array(2) {
    ["x"]=>
    object(D)#4 (1) {
      ["n"]=>
      int(1)
    }
    ["y"]=>
    object(D)#3 (1) {
      ["n"]=>
      int(2)
    }
  }
  ["pp"]=>
  array(1) {
    ["kk"]=>
    string(2) "vv"
  }
}
D1 gone
D2 gone
NULL
# match switch
string(2) "c1"
string(2) "c2"
two
string(2) "m1"
string(2) "m2"
string(2) "r2"
res
NULL
D5 gone
# yield precedence
int(0)
int(3)
int(100)
string(1) "k"
string(2) "vw"
int(1)
NULL
string(7) "default"
int(2)
int(5)
int(3)
int(400)
int(4)
NULL
NULL
NULL
NULL
NULL
int(600)
# iterator_to_array, count, spread
array(2) {
  ["a"]=>
  int(2)
  [0]=>
  int(5)
}
array(3) {
  [0]=>
  int(1)
  [1]=>
  int(2)
  [2]=>
  int(5)
}
int(3)
array(3) {
  [0]=>
  int(1)
  [1]=>
  int(2)
  ["n"]=>
  int(3)
}
Cannot use positional argument after named argument during unpacking
Keys must be of type int|string during argument unpacking
array(3) {
  ["a"]=>
  int(2)
  [0]=>
  int(5)
  [1]=>
  int(5)
}
# generator in generator send
log: a
log: b
log: int(3)
