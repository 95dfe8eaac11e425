--TEST--
States of a fiber, errors, and fibers destroyed while suspended
--FILE--
<?php
class D { function __construct(public $n) {} function __destruct() { echo "D{$this->n} gone\n"; } }
class S { public $n = 'S'; function __toString(): string { echo "[suspending]\n"; $x = Fiber::suspend('ts'); return "S$x"; } }
function drive(callable $f, ...$args) { $fiber = new Fiber($f); $i = 0; $v = $fiber->start(...$args); while (!$fiber->isTerminated()) { echo "suspended with ", json_encode($v), "\n"; $v = $fiber->resume(++$i); } echo "returned ", json_encode($fiber->getReturn()), "\n"; }

echo "# basic states\n";
$f = new Fiber(function ($a) { echo $a, "\n"; $x = Fiber::suspend(1); var_dump($x); return 'r'; });
var_dump($f->isStarted(), $f->isSuspended(), $f->isRunning(), $f->isTerminated());
foreach (['resume' => [], 'getReturn' => [], 'throw' => [new Exception]] as $m => $a) try { $f->$m(...$a); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
var_dump($f->start('arg')); try { $f->start(); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } try { $f->getReturn(); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
var_dump($f->resume('v')); var_dump($f->isTerminated(), $f->getReturn()); try { $f->resume(); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
try { Fiber::suspend(); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
try { new FiberError; } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
var_dump(Fiber::getCurrent());
$f = new Fiber(fn() => throw new Exception('t')); try { $f->start(); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } try { $f->getReturn(); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
try { clone $f; } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } try { serialize($f); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
$f = new Fiber(function () { var_dump(Fiber::getCurrent() === $GLOBALS['f']); try { $GLOBALS['f']->resume(); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }); $f->start();
try { new Fiber('nope'); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
try { (new Fiber(function (int $x) {}))->start('z'); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
var_dump($f); 

echo "# destroyed fiber\n";
$f = new Fiber(function () { $d = new D(1); try { try { Fiber::suspend(1); } catch (Throwable $e) { echo "not caught\n"; } finally { echo "finally\n"; try { Fiber::suspend(2); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } } } finally { echo "outer\n"; } });
$f->start(); $f = null; echo "after\n";

echo "# destroyed fiber throws\n";
$f = new Fiber(function () { try { Fiber::suspend(1); } finally { throw new Exception('out'); } });
$f->start(); try { $f = null; } catch (Exception $e) { echo $e->getMessage(), "\n"; var_dump($e->getPrevious()); } echo "after\n";

echo "# destroyed fiber in array_map\n";
$f = new Fiber(function () { return array_map(function ($d) { Fiber::suspend(); }, [new D(1), new D(2)]); });
$f->start(); $f = null; echo "after\n";

echo "# nested\n";
$outer = new Fiber(function () { $inner = new Fiber(function () { echo "i1\n"; Fiber::suspend('i'); echo "i2\n"; $x = new Fiber(function () { Fiber::suspend('x'); }); $x->start(); throw new Exception('inner'); }); $inner->start(); Fiber::suspend('o'); try { $inner->resume(); } catch (Exception $e) { echo $e->getMessage(), $e->getTraceAsString(), "\n"; } return 1; });
echo $outer->start(), "\n"; $outer->resume(); var_dump($outer->getReturn());

echo "# resume parent\n";
$a = new Fiber(function () use (&$a) { $b = new Fiber(function () use (&$a) { try { $a->resume(); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } try { $a->throw(new Exception); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } var_dump($a->isRunning(), $a->isSuspended()); }); $b->start(); }); $a->start();

echo "# throw\n";
$f = new Fiber(function () { try { Fiber::suspend(); } catch (Exception $e) { echo "caught ", $e->getMessage(), ' line ', $e->getLine(), "\n"; Fiber::suspend('again'); } });
$f->start(); var_dump($f->throw(new Exception('T'))); try { $f->throw(new Error('E')); } catch (Error $e) { echo $e->getMessage(), "\n", $e->getTraceAsString(), "\n"; }

echo "# backtrace\n";
function f($a) { Fiber::suspend((new Exception)->getTraceAsString()); debug_print_backtrace(); } 
$f = new Fiber(function ($z) { f([1, 2]); }); echo $f->start('Z'), "\n"; 
function resume_it($f) { $f->resume(); } resume_it($f);

echo "# many\n";
$fs = []; for ($i = 0; $i < 2000; $i++) { $f = new Fiber(function () use ($i) { $x = Fiber::suspend($i); return $x + $i; }); $f->start(); $fs[] = $f; } $t = 0; foreach ($fs as $f) { $f->resume(1); $t += $f->getReturn(); } echo $t, "\n";
--EXPECT--
# basic states
bool(false)
bool(false)
bool(false)
bool(false)
FiberError: Cannot resume a fiber that is not suspended
FiberError: Cannot get fiber return value: The fiber has not been started
FiberError: Cannot resume a fiber that is not suspended
arg
int(1)
FiberError: Cannot start a fiber that has already been started
FiberError: Cannot get fiber return value: The fiber has not returned
string(1) "v"
NULL
bool(true)
string(1) "r"
FiberError: Cannot resume a fiber that is not suspended
FiberError: Cannot suspend outside of a fiber
Error: The "FiberError" class is reserved for internal use and cannot be manually instantiated
NULL
Exception: t
FiberError: Cannot get fiber return value: The fiber threw an exception
Error: Trying to clone an uncloneable object of class Fiber
Exception: Serialization of 'Fiber' is not allowed
bool(true)
FiberError: Cannot resume a fiber that is not suspended
TypeError: Fiber::__construct(): Argument #1 ($callback) must be a valid callback, function "nope" not found or invalid function name
TypeError: {closure:case.php:19}(): Argument #1 ($x) must be of type int, string given
object(Fiber)#1 (0) {
}
# destroyed fiber
finally
FiberError: Cannot suspend in a force-closed fiber
outer
D1 gone
after
# destroyed fiber throws
out
NULL
after
# destroyed fiber in array_map
D1 gone
D2 gone
after
# nested
i1
o
i2
inner#0 [internal function]: {closure:{closure:case.php:35}:35}()
#1 case.php(35): Fiber->resume()
#2 [internal function]: {closure:case.php:35}()
#3 case.php(36): Fiber->resume()
#4 {main}
int(1)
# resume parent
FiberError: Cannot resume a fiber that is not suspended
FiberError: Cannot resume a fiber that is not suspended
bool(true)
bool(false)
# throw
caught T line 43
string(5) "again"
E
#0 {main}
# backtrace
#0 case.php(47): f(Array)
#1 [internal function]: {closure:case.php:47}('Z')
#2 case.php(47): Fiber->start('Z')
#3 {main}
#0 case.php(47): f(Array)
#1 [internal function]: {closure:case.php:47}('Z')
#2 case.php(48): Fiber->resume()
#3 case.php(48): resume_it(Object(Fiber))
# many
2001000
