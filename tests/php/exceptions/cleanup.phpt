--TEST--
Values alive when an exception passes are destroyed once
--FILE--
<?php
class Held { function __construct(public $n) {} function __destruct() { echo "-$this->n "; } }
function fail() { throw new Exception("stop"); } function take(...$all) {}
foreach ([fn() => take(new Held(1), new Held(2), fail()), fn() => [new Held(3), fail()], fn() => new Held(4) == fail(), function () { foreach ([new Held(5)] as $h) fail(); }, fn() => (new Held(6))->n . fail(), fn() => "a" . strlen("b") . fail()] as $try) { try { $try(); } catch (Exception $e) { echo $e->getMessage(), "\n"; } unset($e); }
class Bad { function __construct() { throw new Exception("constructor"); } function __destruct() { echo "never"; } } try { new Bad; } catch (Exception $e) { echo $e->getMessage(), "\n"; }
class ThrowsLate { function __destruct() { throw new Exception("from destructor"); } } try { $t = new ThrowsLate; unset($t); echo "not reached"; } catch (Exception $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
-1 -2 stop
-3 stop
-4 stop
-5 stop
-6 stop
stop
constructor
from destructor
