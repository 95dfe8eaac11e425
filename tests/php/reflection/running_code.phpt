--TEST--
ReflectionGenerator and ReflectionFiber
--FILE--
<?php
class Source { function inner($n) { yield $n; yield 2; } function outer() { yield from $this->inner(1); } }
$generator = (new Source)->outer(); $reflection = new ReflectionGenerator($generator); var_dump($reflection->getExecutingLine()); $generator->current();
var_dump($reflection->getExecutingLine(), basename($reflection->getExecutingFile()), $reflection->getFunction()->name, get_class($reflection->getThis()), $reflection->getExecutingGenerator() === $generator, array_column($reflection->getTrace(), 'function'), $reflection->isClosed());
foreach ($generator as $value); var_dump($reflection->isClosed()); try { $reflection->getTrace(); } catch (ReflectionException $error) { echo $error->getMessage(), "\n"; }
function pause() { return Fiber::suspend(1); }
$fiber = new Fiber(function () use (&$about) { var_dump(array_map(fn($call) => explode(':', $call['function'])[0], $about->getTrace())); pause(); (new Fiber(function () { global $about; var_dump(array_map(fn($call) => explode(':', $call['function'])[0], $about->getTrace())); }))->start(); });
$about = new ReflectionFiber($fiber); try { $about->getTrace(); } catch (Error $error) { echo $error->getMessage(), "\n"; }
$fiber->start(); var_dump($about->getExecutingLine(), array_map(fn($call) => explode(':', $call['function'])[0], $about->getTrace()), $about->getCallable() instanceof Closure); $fiber->resume();
try { $about->getCallable(); } catch (Error $error) { echo $error->getMessage(), "\n"; }
--EXPECT--
int(2)
int(2)
string(8) "case.php"
string(5) "outer"
string(6) "Source"
bool(false)
array(2) {
  [0]=>
  string(5) "inner"
  [1]=>
  string(5) "outer"
}
bool(false)
bool(true)
Cannot fetch information from a closed Generator
Cannot fetch information from a fiber that has not been started or is terminated
array(2) {
  [0]=>
  string(8) "getTrace"
  [1]=>
  string(8) "{closure"
}
int(6)
array(3) {
  [0]=>
  string(7) "suspend"
  [1]=>
  string(5) "pause"
  [2]=>
  string(8) "{closure"
}
bool(true)
array(2) {
  [0]=>
  string(5) "start"
  [1]=>
  string(8) "{closure"
}
Cannot fetch the callable from a fiber that has terminated
