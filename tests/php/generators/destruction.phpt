--TEST--
Generators destroyed in the middle of calls, finally blocks and expressions
--FILE--
<?php
function show($g) { foreach ($g as $k => $v) { echo json_encode($k), '=>', json_encode($v), "\n"; } }
class D { function __construct(public $n) {} function __destruct() { echo "D{$this->n} gone\n"; } }
function add(...$a) { return array_sum($a); }

echo "# pushed\n";
function pushed() { try { echo add(1, yield 'a', add(10, yield 'b'), new D(1) ? 5 : 0), "\n"; $x = add(new D(2), yield 'c'); } finally { echo "fin\n"; } }
$g = pushed();
foreach ($g as $v) { var_dump($v); if ($v == 'c') break; }
unset($g);
$g = pushed(); var_dump($g->current()); var_dump($g->send(2)); var_dump($g->send(3)); unset($g);
echo "end\n";

echo "# pushed new\n";
class P { function __construct(...$a) { echo "P\n"; } function __destruct() { echo "P gone\n"; } function m(...$a) { return $this; } static function s(...$a) {} }
function pushed1() { try { $x = new P(new D(1), yield 'a'); } finally { echo "fin\n"; } }
$g = pushed1(); $g->current(); unset($g); echo "--\n";
function pushed2() { try { (new P)->m(new D(2))->m(new D(3), yield 'a', new D(4)); } finally { echo "fin\n"; } }
$g = pushed2(); $g->current(); unset($g); echo "--\n";
$g = pushed2(); $g->current(); $g->next(); unset($g); echo "--\n";
function pushed3() { try { P::s(new D(2), ...[new D(7), new D(8)], ...[yield 'a']); } finally { echo "fin\n"; } }
$g = pushed3(); $g->current(); unset($g); echo "--\n";
$g = pushed3(); $g->current(); $g->next(); unset($g); echo "--\n";
function pushed4() { $f = fn(...$a) => var_dump(count($a)); try { $f(new D(1), b: new D(2), c: yield 'x'); } finally { echo "fin\n"; } }
$g = pushed4(); $g->current(); unset($g); echo "--\n";
$g = pushed4(); $g->current(); $g->next(); unset($g); echo "--\n";

echo "# destroyed in foreach with inner finally return\n";
function f() { foreach ([new D(1), new D(2)] as $d) { try { yield $d->n; } finally { echo "f\n"; return 5; } } echo "never\n"; }
$g = f(); $g->current(); unset($d, $g); echo "--\n"; $g = f(); foreach ($g as $_); var_dump($g->getReturn());

echo "# finally with break/continue/goto\n";
function f3() { for ($i = 0; $i < 3; $i++) { try { yield $i; } finally { echo "f3$i\n"; if ($i == 1) { echo "cont\n"; } } } }
foreach (f3() as $x) { if ($x == 1) break; } 
function f2() { foreach ([1,2,3] as $i) { try { try { yield $i; continue; } finally { echo "a$i\n"; } } finally { echo "b$i\n"; } } }
foreach (f2() as $x) { echo $x, "\n"; if ($x == 2) break; }
function f33() { try { yield 1; } finally { foreach ([new D(1), new D(2)] as $d) { echo "in\n"; } unset($d); echo "done\n"; } }
$g = f33(); $g->current(); unset($g); echo "--\n";

echo "# dying at shutdown\n";
function f4() { try { yield 1; } finally { echo "finally at shutdown\n"; } }
$g = f4(); $g->current(); $GLOBALS['h'] = f4(); $h->current(); function keep() { static $s; $s = f4(); $s->current(); } keep();
register_shutdown_function(function () { echo "shutdown\n"; });
echo "end\n";
--EXPECT--
# pushed
string(1) "a"
string(1) "b"
D1 gone
16
string(1) "c"
D2 gone
fin
string(1) "a"
string(1) "b"
D1 gone
21
string(1) "c"
D2 gone
fin
end
# pushed new
D1 gone
fin
--
P
D2 gone
D3 gone
P gone
fin
--
P
D2 gone
D3 gone
D4 gone
P gone
fin
--
D2 gone
D7 gone
D8 gone
fin
--
D2 gone
D7 gone
D8 gone
fin
--
D1 gone
D2 gone
fin
--
int(3)
D2 gone
D1 gone
fin
--
# destroyed in foreach with inner finally return
f
D2 gone
D1 gone
--
f
D2 gone
D1 gone
int(5)
# finally with break/continue/goto
f30
f31
cont
1
a1
b1
2
a2
b2
in
in
D1 gone
D2 gone
done
--
# dying at shutdown
end
shutdown
finally at shutdown
finally at shutdown
finally at shutdown
