--TEST--
Closure::bind, bindTo, call and fromCallable: what may be bound, and the warnings
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# closures bind\n";
class A { private $p = 'priv'; private static $s = 'stat'; protected function m() { return 'm'; } function getC() { return function () { return $this->p . static::class; }; } static function sc() { return static function () { return isset($this) ? 'this' : static::class . self::$s; }; } }
class B extends A { private $p = 'bpriv'; }
$c = (new A)->getC(); echo $c(), "\n"; echo Closure::bind($c, new B)(), "\n"; echo Closure::bind($c, new B, B::class)(), "\n"; echo $c->call(new B), "\n"; echo (A::sc())(), "\n";
foreach ([fn() => Closure::bind(A::sc(), new A), fn() => $c->bindTo(null), fn() => $c->bindTo(new stdClass), fn() => $c->bindTo(new stdClass, 'nope'), fn() => $c->bindTo(new A, 'stdClass'), fn() => $c->bindTo(new A, 5), fn() => $c->bindTo(new A, null), fn() => (fn() => 1)->bindTo(new A, 'static')(), fn() => Closure::fromCallable('strlen')->bindTo(new A), fn() => Closure::fromCallable([new A, 'getC'])->bindTo(new B)()(), fn() => Closure::fromCallable([new A, 'getC'])->bindTo(new stdClass), fn() => Closure::fromCallable([new A, 'getC'])->bindTo(null), fn() => Closure::fromCallable([new A, 'getC'])->bindTo(new A, 'B'), fn() => strlen(...)->call(new A, 'abc'), fn() => A::sc()->call(new A), fn() => Closure::fromCallable('nope'), fn() => Closure::fromCallable([new A, 'm']), fn() => Closure::fromCallable([new A, 'zz']), fn() => Closure::fromCallable('A::sc')()(), fn() => new Closure, fn() => clone $c, fn() => serialize($c), fn() => $c->x = 1, fn() => $c->x, fn() => isset($c->x), fn() => (function () { return func_get_args(); })->__invoke(1, 2), fn() => $c->__invoke()] as $i => $f) { echo "$i: "; try { $r = $f(); echo is_object($r) ? get_class($r) : json_encode($r), "\n"; } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

echo "# closure use\n";
$x = 1; $y = [1]; $f = function () use ($x, &$y, &$z) { $x++; $y[] = $x; $z = 'set'; return $x; }; echo $f(), $f(), $x, count($y), $z, "\n"; $g = fn() => $x++ . ($nope ?? 'undef') . $y[0]; echo $g(), $x, "\n"; $h = fn() => fn() => $x; echo $h()(), "\n"; $i = fn&(&$q) => $q; $r = &$i($x); $r = 99; echo $x, "\n"; $j = fn(...$a) => [...$a, ...$y]; echo json_encode($j(a: 1, b: 2)), "\n"; var_dump((fn() => $this)->call(new stdClass)); var_dump((fn() => compact('x'))()); var_dump((function () use ($f) { return array_keys(get_defined_vars()); })()); 
--EXPECT--
# closures bind
privA
privB
bprivB
bprivB
Astat
0: 
Warning: Cannot bind an instance to a static closure in case.php on line 8
null
1: 
Warning: Cannot unbind $this of closure using $this in case.php on line 8
null
2: Closure
3: 
Warning: Class "nope" not found in case.php on line 8
null
4: 
Warning: Cannot bind closure to scope of internal class stdClass in case.php on line 8
null
5: 
Warning: Class "5" not found in case.php on line 8
null
6: Closure
7: 1
8: Closure
9: "privB"
10: 
Warning: Cannot bind method A::getC() to object of class stdClass in case.php on line 8
null
11: 
Warning: Cannot unbind $this of method in case.php on line 8
null
12: 
Warning: Cannot rebind scope of closure created from method in case.php on line 8
null
13: 
Warning: Cannot rebind scope of closure created from function in case.php on line 8
null
14: 
Warning: Cannot bind an instance to a static closure in case.php on line 8
null
15: TypeError: Failed to create closure from callable: function "nope" not found or invalid function name
16: TypeError: Failed to create closure from callable: cannot access protected method A::m()
17: TypeError: Failed to create closure from callable: class A does not have a method "zz"
18: "Astat"
19: Error: Instantiation of class Closure is not allowed
20: Closure
21: Exception: Serialization of 'Closure' is not allowed
22: Error: Cannot create dynamic property Closure::$x
23: 
Warning: Undefined property: Closure::$x in case.php on line 8
null
24: false
25: [1,2]
26: "privA"
# closure use
2213set
1undef11
1
99
{"a":1,"b":2,"0":1,"1":2,"2":2}

Warning: Cannot bind closure to scope of internal class stdClass in case.php on line 11
NULL

Warning: compact(): Undefined variable $x in case.php on line 11
array(0) {
}
array(1) {
  [0]=>
  string(1) "f"
}
