--TEST--
Traces and the text of exceptions
--FILE--
<?php
class Service { function call(array $a, $o, string $s, ...$more) { return inner(fn() => throw new DomainException("deep")); } static function start() { return (new self)->call([1], new stdClass, "a string longer than fifteen", null, true, 1.5); } }
function inner(callable $c) { return $c(); }
try { Service::start(); } catch (DomainException $e) { echo $e->getTraceAsString(), "\n", count($e->getTrace()), $e->getTrace()[0]["function"], "\n"; }
echo new Exception("shown"), "\n";
--EXPECT--
#0 case.php(3): Service->{closure:Service::call():2}()
#1 case.php(2): inner(Object(Closure))
#2 case.php(2): Service->call(Array, Object(stdClass), 'a string longer...', NULL, true, 1.5)
#3 case.php(4): Service::start()
#4 {main}
4{closure:Service::call():2}
Exception: shown in case.php:5
Stack trace:
#0 {main}
