--TEST--
Traces through native iterators, magic methods and elements of native classes
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# storage\n";
$s = new SplObjectStorage; try { $s['x'] = 1; } catch (Throwable $e) { echo get_class($e), $e->getMessage(), $e->getTraceAsString(), "\n"; } try { $s[new D(1)]; } catch (Throwable $e) { echo get_class($e), $e->getMessage(), $e->getTraceAsString(), "\n"; } $s[$s] = [1]; $s[$s][] = 2; var_dump(count($s[$s]));

echo "# dll\n";
$l = new SplDoublyLinkedList; try { $l[3]; } catch (Throwable $e) { echo get_class($e), $e->getMessage(), $e->getTraceAsString(), "\n"; } 

echo "# weakmap trace\n";
$m = new WeakMap; try { $m[new D(1)]; } catch (Throwable $e) { echo get_class($e), $e->getMessage(), $e->getTraceAsString(), "\n"; } try { $m['x'] = 1; } catch (Throwable $e) { echo get_class($e), $e->getMessage(), $e->getTraceAsString(), "\n"; } try { isset($m['x']); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), $e->getTraceAsString(), "\n"; } try { unset($m['x']); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), $e->getTraceAsString(), "\n"; } try { $m->offsetGet(1); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), $e->getTraceAsString(), "\n"; } 

echo "# dom-less native iterators trace\n";
$it = new LimitIterator(new ArrayIterator([1, 2, 3]), 1, 1); foreach ($it as $x) { echo $x, "\n"; } try { foreach (new IteratorIterator((function () { yield 1; throw new Exception('g'); })()) as $v) echo $v; } catch (Exception $e) { echo $e->getTraceAsString(), "\n"; } try { iterator_to_array((function () { yield 1; throw new Exception('g'); })()); } catch (Exception $e) { echo $e->getTraceAsString(), "\n"; }
class It implements Iterator { function current(): mixed { throw new Exception('cur'); } function key(): mixed { return 1; } function next(): void {} function rewind(): void {} function valid(): bool { return true; } }
try { foreach (new It as $v); } catch (Exception $e) { echo $e->getTraceAsString(), "\n"; } try { [...new It]; } catch (Exception $e) { echo $e->getTraceAsString(), "\n"; } try { foreach (new IteratorIterator(new It) as $v); } catch (Exception $e) { echo $e->getTraceAsString(), "\n"; } try { new ArrayObject(5); } catch (TypeError $e) { echo $e->getMessage(), $e->getTraceAsString(), "\n"; } 
class Q implements ArrayAccess { function offsetGet($o): mixed { throw new Exception('get'); } function offsetSet($o, $v): void { } function offsetExists($o): bool { return true; } function offsetUnset($o): void {} function __toString(): string { throw new Exception('ts'); } function __get($n) { throw new Exception('mg'); } function __call($n, $a) { throw new Exception('mc'); } static function __callStatic($n, $a) { throw new Exception('ms'); } function __invoke() { throw new Exception('inv'); } function __set($n, $v) { throw new Exception('mset'); } }
foreach ([fn($q) => $q['x'], fn($q) => "$q", fn($q) => $q->pp, fn($q) => $q->mm(1, 'b'), fn($q) => Q::ss([1]), fn($q) => $q(), fn($q) => $q->zz = 5, fn($q) => array_map($q, [1]), fn($q) => strlen($q), fn($q) => call_user_func([$q, 'foo'], 1), fn($q) => call_user_func_array('Q::bar', ['n' => 1]), fn($q) => implode(',', [$q]), fn($q) => in_array('x', [$q]), fn($q) => $q == 'x', fn($q) => usort($GLOBALS['arr'], fn($a, $b) => $q['x'])] as $f) { $arr = [1, 2]; try { $f(new Q); } catch (Exception $e) { echo $e->getMessage(), "\n", $e->getTraceAsString(), "\n"; } }
--EXPECT--
# storage
TypeErrorSplObjectStorage::offsetSet(): Argument #1 ($object) must be of type object, string given#0 case.php(5): SplObjectStorage->offsetSet('x', 1)
#1 {main}
D1 gone
UnexpectedValueExceptionObject not found#0 {main}

Notice: Indirect modification of overloaded element of SplObjectStorage has no effect in case.php on line 5
int(1)
# dll
OutOfRangeExceptionSplDoublyLinkedList::offsetGet(): Argument #1 ($index) is out of range#0 case.php(8): SplDoublyLinkedList->offsetGet(3)
#1 {main}
# weakmap trace
D1 gone
ErrorObject D#5 not contained in WeakMap#0 {main}
TypeErrorWeakMap key must be an object#0 {main}
TypeErrorWeakMap key must be an object#0 {main}
TypeErrorWeakMap key must be an object#0 {main}
TypeErrorWeakMap key must be an object#0 case.php(11): WeakMap->offsetGet(1)
#1 {main}
# dom-less native iterators trace
2
1#0 [internal function]: {closure:case.php:14}()
#1 case.php(14): IteratorIterator->next()
#2 {main}
#0 [internal function]: {closure:case.php:14}()
#1 case.php(14): iterator_to_array(Object(Generator))
#2 {main}
#0 case.php(16): It->current()
#1 {main}
#0 case.php(16): It->current()
#1 {main}
#0 [internal function]: It->current()
#1 case.php(16): IteratorIterator->rewind()
#2 {main}
ArrayObject::__construct(): Argument #1 ($array) must be of type array, int given#0 case.php(16): ArrayObject->__construct(5)
#1 {main}
get
#0 case.php(18): Q->offsetGet('x')
#1 case.php(18): {closure:case.php:18}(Object(Q))
#2 {main}
ts
#0 case.php(18): Q->__toString()
#1 case.php(18): {closure:case.php:18}(Object(Q))
#2 {main}
mg
#0 case.php(18): Q->__get('pp')
#1 case.php(18): {closure:case.php:18}(Object(Q))
#2 {main}
mc
#0 case.php(18): Q->__call('mm', Array)
#1 case.php(18): {closure:case.php:18}(Object(Q))
#2 {main}
ms
#0 case.php(18): Q::__callStatic('ss', Array)
#1 case.php(18): {closure:case.php:18}(Object(Q))
#2 {main}
inv
#0 case.php(18): Q->__invoke()
#1 case.php(18): {closure:case.php:18}(Object(Q))
#2 {main}
mset
#0 case.php(18): Q->__set('zz', 5)
#1 case.php(18): {closure:case.php:18}(Object(Q))
#2 {main}
inv
#0 [internal function]: Q->__invoke(1)
#1 case.php(18): array_map(Object(Q), Array)
#2 case.php(18): {closure:case.php:18}(Object(Q))
#3 {main}
ts
#0 case.php(18): Q->__toString()
#1 case.php(18): {closure:case.php:18}(Object(Q))
#2 {main}
mc
#0 case.php(18): Q->__call('foo', Array)
#1 case.php(18): {closure:case.php:18}(Object(Q))
#2 {main}
ms
#0 case.php(18): Q::__callStatic('bar', Array)
#1 case.php(18): {closure:case.php:18}(Object(Q))
#2 {main}
ts
#0 [internal function]: Q->__toString()
#1 case.php(18): implode(',', Array)
#2 case.php(18): {closure:case.php:18}(Object(Q))
#3 {main}
ts
#0 [internal function]: Q->__toString()
#1 case.php(18): in_array('x', Array)
#2 case.php(18): {closure:case.php:18}(Object(Q))
#3 {main}
ts
#0 case.php(18): Q->__toString()
#1 case.php(18): {closure:case.php:18}(Object(Q))
#2 {main}
get
#0 case.php(18): Q->offsetGet('x')
#1 [internal function]: {closure:{closure:case.php:18}:18}(1, 2)
#2 case.php(18): usort(Array, Object(Closure))
#3 case.php(18): {closure:case.php:18}(Object(Q))
#4 {main}
