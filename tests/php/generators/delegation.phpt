--TEST--
yield from: results, exceptions and destruction
--FILE--
<?php
function show($g) { foreach ($g as $k => $v) { echo json_encode($k), '=>', json_encode($v), "\n"; } }
echo "# arrays\n";
function a() { $r = yield from [1, 2, 'x' => 3]; var_dump($r); $r = yield from []; var_dump($r); yield 4; }
show(a());
$g = a(); var_dump($g->send('ignored')); var_dump($g->send('ignored')); 
echo "# generators\n";
function inner() { $x = yield 1; echo "got $x\n"; $y = yield 2; echo "got $y\n"; return $x . $y; }
function outer() { $r = yield from inner(); echo "inner returned $r\n"; return yield from inner(); }
$g = outer(); $g->current(); $g->send('A'); $g->send('B'); $g->send('C'); $g->send('D'); var_dump($g->getReturn());
echo "# traversables\n";
class It implements Iterator { public $i = 0; function __construct(public $fail = '') {} function call($n) { echo "$n\n"; if ($this->fail === $n) throw new Exception("in $n"); }
 function current(): mixed { $this->call('current'); return $this->i; } function key(): mixed { $this->call('key'); return "k$this->i"; }
 function next(): void { $this->call('next'); $this->i++; } function rewind(): void { $this->call('rewind'); $this->i = 0; } function valid(): bool { $this->call('valid'); return $this->i < 2; }
 function __destruct() { echo "It gone\n"; } }
class Agg implements IteratorAggregate { function __construct(public $it) {} function getIterator(): Traversable { echo "getIterator\n"; return $this->it; } }
function t($it) { try { $r = yield from $it; var_dump($r); } catch (Exception $e) { echo 'caught ', $e->getMessage(), "\n"; } finally { echo "fin\n"; } }
show(t(new It));
show(t(new Agg(new It)));
show(t(new Agg(new ArrayIterator(['p' => 'q']))));
foreach (['rewind', 'valid', 'current', 'key', 'next'] as $f) { echo "## $f\n"; show(t(new It($f))); }
echo "# break and destruct\n";
foreach (t(new It) as $v) { break; }
echo "# non traversable\n";
foreach ([5, null, 'abc', new stdClass, 1.5] as $x) { $g = (function () use ($x) { try { yield 0; yield from $x; } catch (Error $e) { echo $e->getMessage(), "\n"; } })(); show($g); }
echo "# throw through\n";
function t_inner() { try { yield 1; yield 2; } catch (Exception $e) { echo "inner caught ", $e->getMessage(), "\n"; yield 'recovered'; return 'ri'; } finally { echo "inner finally\n"; } }
function t_outer() { try { $r = yield from t_inner(); echo "r=$r\n"; yield 'o'; } catch (Exception $e) { echo "outer caught ", $e->getMessage(), "\n"; yield 'oc'; } finally { echo "outer finally\n"; } }
$g = t_outer(); $g->current(); var_dump($g->throw(new Exception('E1'))); $g->next(); var_dump($g->current()); var_dump($g->throw(new Exception('E2'))); $g->next();
function t_inner2() { yield 1; }
function t_outer2() { try { yield from t_inner2(); } catch (Exception $e) { echo "outer caught ", $e->getMessage(), "\n"; yield 'oc'; } }
$g = t_outer2(); $g->current(); var_dump($g->throw(new Exception('E3')));
function t_outer3() { try { yield from [1, 2]; } catch (Exception $e) { echo "outer caught ", $e->getMessage(), "\n"; yield 'oc'; } }
$g = t_outer3(); $g->current(); var_dump($g->throw(new Exception('E4')));
function t_outer4() { try { yield from new It; } catch (Exception $e) { echo "outer caught ", $e->getMessage(), "\n"; yield 'oc'; } }
$g = t_outer4(); $g->current(); var_dump($g->throw(new Exception('E5')));
echo "# shared\n";
function shared() { yield 1; yield 2; yield 3; yield 4; return 'sh'; }
function del($n, $s) { $r = yield from $s; echo "$n done $r\n"; }
$s = shared(); $x = del('x', $s); $y = del('y', $s);
echo $x->current(), $y->current(), "\n"; $x->next(); echo $x->current(), $y->current(), "\n"; $y->next(); echo $x->current(), $y->current(), "\n"; $s->next(); echo $x->current(), $y->current(), "\n"; 
$s->next(); var_dump($x->valid(), $y->valid());
echo "# finished\n";
$g = (function () use ($f) { try { var_dump(yield from $f); } catch (Error $e) { echo get_class($e), $e->getMessage(), "\n"; } yield 1; })(); show($g);
echo "# self\n";
$g = (function () use (&$g) { yield 1; try { yield from $g; } catch (Throwable $e) { echo $e->getMessage(), "\n"; } })(); show($g);
$a = (function () use (&$b) { yield 1; yield from $b; })(); $b = (function () use (&$a) { yield 2; try { yield from $a; } catch (Error $e) { echo $e->getMessage(), "\n"; } })(); 
try { show($a); } catch (Error $e) { echo $e->getMessage(), "\n"; }
echo "# trace\n";
function deep() { yield 1; throw new Exception('deep'); }
function mid($arg) { yield from deep(); }
function top() { yield from mid('argument'); }
try { foreach (top() as $_); } catch (Exception $e) { echo $e->getTraceAsString(), "\n"; }
function trace_gen() { yield (function () { return (new Exception)->getTraceAsString(); })(); }
function mid2() { yield from trace_gen(); }
foreach (mid2() as $t) echo $t, "\n";
echo "# many levels\n";
function count_down($n) { if ($n > 0) { yield $n; yield from count_down($n - 1); } }
echo array_sum(iterator_to_array(count_down(2000), false)), "\n";
echo "# tree\n";
class Node { function __construct(public $v, public array $c = []) {} function walk() { yield $this->v; foreach ($this->c as $c) yield from $c->walk(); } }
echo implode(',', iterator_to_array((new Node(1, [new Node(2, [new Node(3)]), new Node(4)]))->walk(), false)), "\n";
echo "# keys preserved\n";
function k() { yield 0; yield from [10, 20]; yield 1; yield from (function () { yield 'a'; yield 'b'; })(); yield 2; }
show(k());
var_dump(iterator_to_array(k()));
echo "# destroy order\n";
function d_inner() { try { yield 1; } finally { echo "inner fin\n"; } }
function d_outer() { try { yield from d_inner(); } finally { echo "outer fin\n"; } }
$g = d_outer(); $g->current(); unset($g); echo "--\n";
$i = d_inner(); $g = (function () use ($i) { try { yield from $i; } finally { echo "outer fin\n"; } })(); $g->current(); unset($g); echo "--\n"; unset($i); echo "--\n";
$i = d_inner(); $g = (function () use ($i) { try { yield from $i; } finally { echo "outer fin\n"; } })(); $g->current(); unset($i); unset($g); echo "--\n"; 
--EXPECT--
# arrays
0=>1
1=>2
"x"=>3
NULL
NULL
0=>4
int(2)
int(3)
# generators
got A
got B
inner returned AB
got C
got D
string(2) "CD"
# traversables
rewind
valid
current
key
"k0"=>0
next
valid
current
key
"k1"=>1
next
valid
NULL
fin
It gone
getIterator
rewind
valid
current
key
"k0"=>0
next
valid
current
key
"k1"=>1
next
valid
NULL
fin
It gone
getIterator
"p"=>"q"
NULL
fin
## rewind
rewind
caught in rewind
fin
It gone
## valid
rewind
valid
caught in valid
fin
It gone
## current
rewind
valid
current
caught in current
fin
It gone
## key
rewind
valid
current
key
caught in key
fin
It gone
## next
rewind
valid
current
key
"k0"=>0
next
caught in next
fin
It gone
# break and destruct
rewind
valid
current
key
fin
It gone
# non traversable
0=>0
Can use "yield from" only with arrays and Traversables
0=>0
Can use "yield from" only with arrays and Traversables
0=>0
Can use "yield from" only with arrays and Traversables
0=>0
Can use "yield from" only with arrays and Traversables
0=>0
Can use "yield from" only with arrays and Traversables
# throw through
inner caught E1
string(9) "recovered"
inner finally
r=ri
string(1) "o"
outer caught E2
string(2) "oc"
outer finally
outer caught E3
string(2) "oc"
outer caught E4
string(2) "oc"
rewind
valid
current
key
It gone
outer caught E5
string(2) "oc"
# shared
11
22
33
44
bool(true)
bool(true)
# finished
ErrorCan use "yield from" only with arrays and Traversables
0=>1
# self
0=>1
Impossible to yield from the Generator being currently run
0=>1
0=>2
Impossible to yield from the Generator being currently run
# trace
#0 case.php(51): deep()
#1 case.php(52): mid('argument')
#2 case.php(53): top()
#3 {main}
#0 case.php(54): {closure:trace_gen():54}()
#1 case.php(55): trace_gen()
#2 case.php(56): mid2()
#3 {main}
# many levels
2001000
# tree
1,2,3,4
# keys preserved
0=>0
0=>10
1=>20
1=>1
0=>"a"
1=>"b"
2=>2
array(3) {
  [0]=>
  string(1) "a"
  [1]=>
  string(1) "b"
  [2]=>
  int(2)
}
# destroy order
inner fin
outer fin
--
outer fin
--
inner fin
--
outer fin
inner fin
--
