--TEST--
Fibers that suspend in callbacks, magic methods, conversions and destructors
--FILE--
<?php
class D { function __construct(public $n) {} function __destruct() { echo "D{$this->n} gone\n"; } }
class S { public $n = 'S'; function __toString(): string { echo "[suspending]\n"; $x = Fiber::suspend('ts'); return "S$x"; } }
function drive(callable $f, ...$args) { $fiber = new Fiber($f); $i = 0; $v = $fiber->start(...$args); while (!$fiber->isTerminated()) { echo "suspended with ", json_encode($v), "\n"; $v = $fiber->resume(++$i); } echo "returned ", json_encode($fiber->getReturn()), "\n"; }

echo "# everywhere\n";
drive(function () { return array_map(fn($x) => Fiber::suspend($x), [1, 2, 3]); });
drive(function () { $a = [3, 1, 2]; usort($a, function ($x, $y) { Fiber::suspend("$x,$y"); return $x <=> $y; }); return $a; });
drive(function () { return array_filter([1,2,3,4], fn($x) => Fiber::suspend($x) % 2); });
drive(function () { return array_reduce([1,2], fn($c, $x) => $c . Fiber::suspend($x), 'i'); });
drive(function () { $a = ['a' => 1, 'b' => ['c' => 2]]; array_walk_recursive($a, function (&$v, $k) { $v = Fiber::suspend($k); }); return $a; });
drive(function () { return preg_replace_callback('/\d/', fn($m) => Fiber::suspend($m[0]), 'a1b2'); });
drive(function () { return "x" . new S . "y"; });
drive(function () { return "x{$GLOBALS['nope1']}" . (string) new S . strlen(new S) . implode(',', [new S, 'a', new S]); });
drive(function () { return call_user_func_array([new ReflectionFunction(fn() => Fiber::suspend('refl')), 'invoke'], []); });
drive(function () { return iterator_to_array((function () { yield Fiber::suspend('g1'); yield Fiber::suspend('g2'); })()); });
drive(function () { foreach (new class implements IteratorAggregate { function getIterator(): Iterator { Fiber::suspend('gi'); return new ArrayIterator([1, 2]); } } as $x) { Fiber::suspend($x); } return 'done'; });
drive(function () { return in_array('S2', [new S, new S]); });
drive(function () { $a = [new S, new S, 'a']; sort($a); return array_map('strval', $a); });

echo "# magic methods\n";
class M { private $h; function __get($n) { return Fiber::suspend("get $n"); } function __set($n, $v) { Fiber::suspend("set $n"); } function __isset($n) { return (bool) Fiber::suspend("isset $n"); } function __unset($n) { Fiber::suspend("unset $n"); } function __call($n, $a) { return Fiber::suspend("call $n"); } static function __callStatic($n, $a) { return Fiber::suspend("static $n"); } function __invoke() { return Fiber::suspend("invoke"); } function __clone() { Fiber::suspend('clone'); } }
class A implements ArrayAccess, Countable, IteratorAggregate { function offsetGet($o): mixed { return Fiber::suspend("oget $o"); } function offsetSet($o, $v): void { Fiber::suspend("oset $o"); } function offsetExists($o): bool { return Fiber::suspend("oex $o"); } function offsetUnset($o): void { Fiber::suspend("ouns $o"); } function count(): int { return Fiber::suspend('count'); } function getIterator(): Iterator { yield Fiber::suspend('k') => Fiber::suspend('v'); } }
drive(function () { $m = new M; return [$m->a, $m->b = 5, isset($m->c), isset($m->d->e), $m->e ?? 'df', empty($m->f), $m->foo(1), M::bar(), $m(), clone $m, $m->x += 1, $m->y++, $m->z['k'] ?? 1]; });
drive(function () { $m = new M; unset($m->q); return @$m->arr[1] = 2; });
drive(function () { $a = new A; unset($a['u']); return [$a['x'], $a['y'] = 3, isset($a['z']), empty($a['e']), $a['q'] ?? 1, count($a), $a['i'] .= 'k', [...$a]]; });
drive(function () { spl_autoload_register(function ($c) { Fiber::suspend("load $c"); eval("class $c { const X = 1; }"); }); return [class_exists('L1'), new L2, L3::X, is_callable('L4::x'), L5::class, $x instanceof L6]; });

echo "# destructors\n";
drive(function () { $d = new class { function __destruct() { echo "d in\n"; var_dump(Fiber::suspend('in destructor')); echo "d out\n"; } }; $d = null; echo "after\n"; $e = new class { function __destruct() { var_dump(Fiber::suspend('leaving')); } }; return 'r'; });
drive(function () { $a = [new class { function __destruct() { Fiber::suspend('a1'); echo "1\n"; } }, new class { function __destruct() { Fiber::suspend('a2'); echo "2\n"; } }]; $a = 5; return $a; });
--STATUS--
255
--EXPECT--
# everywhere
suspended with 1
suspended with 2
suspended with 3
returned [1,2,3]
suspended with "3,1"
suspended with "2,1"
suspended with "3,2"
returned [1,2,3]
suspended with 1
suspended with 2
suspended with 3
suspended with 4
returned {"0":1,"2":3}
suspended with 1
suspended with 2
returned "i12"
suspended with "a"
suspended with "c"
returned {"a":1,"b":{"c":2}}
suspended with "1"
suspended with "2"
returned "a1b2"
[suspending]
suspended with "ts"
returned "xS1y"

Warning: Undefined global variable $nope1 in case.php on line 14
[suspending]
suspended with "ts"
[suspending]
suspended with "ts"
[suspending]
suspended with "ts"
[suspending]
suspended with "ts"
returned "xS12S3,a,S4"
suspended with "refl"
returned 1
suspended with "g1"
suspended with "g2"
returned [1,2]
suspended with "gi"
suspended with 1
suspended with 2
returned "done"
[suspending]
suspended with "ts"
[suspending]
suspended with "ts"
returned true
[suspending]
suspended with "ts"
[suspending]
suspended with "ts"
[suspending]
suspended with "ts"
returned ["S2","S3","a"]
# magic methods
suspended with "get a"
suspended with "set b"
suspended with "isset c"
suspended with "isset d"
suspended with "get d"
suspended with "isset e"
suspended with "get e"
suspended with "isset f"
suspended with "get f"
suspended with "call foo"
suspended with "static bar"
suspended with "invoke"
suspended with "clone"
suspended with "get x"
suspended with "set x"
suspended with "get y"
suspended with "set y"
suspended with "isset z"
suspended with "get z"
returned [1,5,true,false,7,false,10,11,12,{},15,16,1]
suspended with "unset q"
suspended with "get arr"

Fatal error: Uncaught Error: Cannot use a scalar value as an array in case.php:25
Stack trace:
#0 [internal function]: {closure:case.php:25}()
#1 case.php(4): Fiber->resume(2)
#2 case.php(25): drive(Object(Closure))
#3 {main}
  thrown in case.php on line 25
