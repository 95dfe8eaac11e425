--TEST--
Which methods of an iterator are called, in what order, and what their errors are
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# iterator functions\n";
class It implements Iterator { private $i = 0; function __construct(public $n) {} function current(): mixed { echo "[cur]"; return $this->i; } function key(): mixed { echo "[key]"; return $this->i; } function next(): void { echo "[next]"; $this->i++; } function rewind(): void { echo "[rew]"; $this->i = 0; } function valid(): bool { echo "[valid]"; return $this->i < $this->n; } }
var_dump(iterator_to_array(new It(2))); var_dump(iterator_to_array(new It(2), false)); var_dump(iterator_count(new It(2))); var_dump(iterator_apply($x = new It(2), function () use (&$x) { echo "apply"; return true; })); var_dump([...new It(2)]); function f(...$a) { return count($a); } var_dump(f(...new It(2))); echo implode(',', iterator_to_array(new IteratorIterator(new It(2)))), "\n"; (function () { yield from new It(1); })()->current(); $i = new It(3); foreach ($i as $a) foreach ($i as $b) echo "$a$b "; 
foreach (new It(2) as $k => [$a]) { var_dump($a); } 

echo "# iteratoraggregate errors\n";
class A implements IteratorAggregate { function __construct(public $r) {} function getIterator(): Traversable { return $this->r; } }
class B implements IteratorAggregate { function __construct(public $r) {} #[ReturnTypeWillChange] function getIterator() { return $this->r; } }
foreach ([5, null, [], new stdClass, new ArrayIterator([1]), new A(new ArrayIterator([2]))] as $r) { try { foreach (new A($r) as $x) var_dump($x); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; } try { foreach (new B($r) as $x) var_dump($x); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; } }
$self = new B(null); $self->r = $self; try { foreach ($self as $x); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; } 

echo "# iterator exceptions\n";
foreach (['rewind', 'valid', 'current', 'key', 'next'] as $w) { $it = new class($w) implements Iterator { function __construct(public $w) {} function t($m) { if ($m == $this->w) throw new Exception("in $m"); } function current(): mixed { $this->t('current'); return 1; } function key(): mixed { $this->t('key'); return 1; } function next(): void { $this->t('next'); } function rewind(): void { $this->t('rewind'); } function valid(): bool { $this->t('valid'); return true; } function __destruct() { echo "it gone\n"; } };
 try { foreach ($it as $k => $v) { echo "body\n"; } } catch (Exception $e) { echo $e->getMessage(), "\n"; } try { iterator_to_array($it); } catch (Exception $e) { echo $e->getMessage(), "\n"; } try { [...$it]; } catch (Exception $e) { echo $e->getMessage(), "\n"; } }

echo "# countable\n";
class C implements Countable { function __construct(public $v) {} #[ReturnTypeWillChange] function count() { if ($this->v instanceof Exception) throw $this->v; return $this->v; } }
foreach ([5, '7', 2.7, null, true, 'abc', [], new Exception('ce')] as $v) try { var_dump(count(new C($v))); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
foreach ([5, null, 'a', new stdClass] as $v) try { var_dump(count($v)); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
var_dump(count([1, [2, 3]], COUNT_RECURSIVE)); try { count([], 5); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; } $a = [1]; $a[] = &$a; var_dump(count($a, 1)); sizeof(new C(3));
--EXPECT--
# iterator functions
[rew][valid][cur][key][next][valid][cur][key][next][valid]array(2) {
  [0]=>
  int(0)
  [1]=>
  int(1)
}
[rew][valid][cur][next][valid][cur][next][valid]array(2) {
  [0]=>
  int(0)
  [1]=>
  int(1)
}
[rew][valid][next][valid][next][valid]int(2)
[rew][valid]apply[next][valid]apply[next][valid]int(2)
[rew][valid][cur][key][next][valid][cur][key][next][valid]array(2) {
  [0]=>
  int(0)
  [1]=>
  int(1)
}
[rew][valid][cur][key][next][valid][cur][key][next][valid]int(2)
[rew][valid][cur][key][next][valid][cur][key][next][valid]0,1
[rew][valid][cur][key][rew][valid][cur][rew][valid][cur]00 [next][valid][cur]01 [next][valid][cur]02 [next][valid][next][valid][rew][valid][cur][key]NULL
[next][valid][cur][key]NULL
[next][valid]# iteratoraggregate errors
TypeErrorA::getIterator(): Return value must be of type Traversable, int returned
ExceptionObjects returned by B::getIterator() must be traversable or implement interface Iterator
TypeErrorA::getIterator(): Return value must be of type Traversable, null returned
ExceptionObjects returned by B::getIterator() must be traversable or implement interface Iterator
TypeErrorA::getIterator(): Return value must be of type Traversable, array returned
ExceptionObjects returned by B::getIterator() must be traversable or implement interface Iterator
TypeErrorA::getIterator(): Return value must be of type Traversable, stdClass returned
ExceptionObjects returned by B::getIterator() must be traversable or implement interface Iterator
int(1)
int(1)
int(2)
int(2)
ExceptionObjects returned by B::getIterator() must be traversable or implement interface Iterator
# iterator exceptions
in rewind
in rewind
in rewind
it gone
in valid
in valid
in valid
it gone
in current
in current
in current
it gone
in key
in key
in key
it gone
body
in next
in next
in next
# countable
int(5)
int(7)
int(2)
int(0)
int(1)
int(0)
int(0)
Exceptionce
TypeErrorcount(): Argument #1 ($value) must be of type Countable|array, int given
TypeErrorcount(): Argument #1 ($value) must be of type Countable|array, null given
TypeErrorcount(): Argument #1 ($value) must be of type Countable|array, string given
TypeErrorcount(): Argument #1 ($value) must be of type Countable|array, stdClass given
int(4)
ValueErrorcount(): Argument #2 ($mode) must be either COUNT_NORMAL or COUNT_RECURSIVE

Warning: count(): Recursion detected in case.php on line 23
int(2)
it gone
