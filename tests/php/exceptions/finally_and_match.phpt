--TEST--
Exception classes, finally with returns and jumps, and unhandled matches
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# exceptions\n";
class MyE extends Exception { protected $message = 'default msg'; protected $code = 42; } class NoParent extends Exception { function __construct() {} } try { throw new MyE; } catch (MyE $e) { var_dump($e->getMessage(), $e->getCode(), $e->getLine(), $e->getPrevious()); } $e = new NoParent; var_dump($e->getMessage(), $e->getTrace(), $e->getLine()); try { new Exception([]); } catch (TypeError $e) { echo $e->getMessage(), "\n"; } try { new Exception('a', 'b'); } catch (TypeError $e) { echo $e->getMessage(), "\n"; } $e = new ErrorException('ee', 1, E_WARNING, 'file.php', 99, new Exception('prev')); var_dump($e->getSeverity(), $e->getFile(), $e->getLine()); echo get_class($e->getPrevious()), "\n", preg_replace('~/\S*/~', '', (string) $e), "\n"; try { clone $e; } catch (Error $x) { echo $x->getMessage(), "\n"; } try { throw 5; } catch (Error $x) { echo $x->getMessage(), "\n"; } try { try { throw new Exception('1'); } finally { throw new Exception('2'); } } catch (Exception $x) { echo $x->getMessage(), $x->getPrevious()->getMessage(), "\n"; } try { try { throw new Exception('1'); } catch (Exception $q) { throw new Exception('2', 0, $q); } finally { echo "f\n"; } } catch (Exception $x) { echo $x->getMessage(), $x->getPrevious()->getMessage(), "\n"; } function r() { try { return 'a'; } finally { return 'b'; } } function r2() { foreach ([1, 2] as $i) { try { continue; } finally { echo "c$i\n"; } } try { throw new Exception('lost'); } finally { return 'swallowed'; } } echo r(), r2(), "\n"; function r3() { $x = 1; try { return $x; } finally { $x = 2; } } function &r4() { static $x = 1; try { return $x; } finally { $x = 2; } } echo r3(), r4(), "\n"; try { (function (): int { throw new TypeError('multi'); })(); } catch (InvalidArgumentException | TypeError $m) { echo get_class($m), "\n"; } try { throw new class('anon') extends Exception {}; } catch (Exception) { echo "no var\n"; } var_dump((fn() => throw new Exception('expr'))(...) instanceof Closure); $v = null; try { $v ?? throw new Exception('coalesce'); } catch (Exception $e) { echo $e->getMessage(), "\n"; } 

echo "# match strings\n";
foreach ([1, 'str', "long string more than that is cut", 1.5, null, [], new stdClass, true] as $x) try { echo match($x) { 'nothing' => 1 }; } catch (\UnhandledMatchError $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
# exceptions
string(11) "default msg"
int(42)
int(5)
NULL
string(0) ""
array(0) {
}
int(5)
Exception::__construct(): Argument #1 ($message) must be of type string, array given
Exception::__construct(): Argument #2 ($code) must be of type int, string given
int(2)
string(8) "file.php"
int(99)
Exception
Exception: prev in case.php:5
Stack trace:
#0 {main}

Next ErrorException: ee in file.php:99
Stack trace:
#0 {main}
Trying to clone an uncloneable object of class ErrorException
Can only throw objects
21
f
21
bc1
c2
swallowed
12
TypeError
no var
bool(true)
coalesce
# match strings
Unhandled match case 1
Unhandled match case 'str'
Unhandled match case 'long string mor...'
Unhandled match case 1.5
Unhandled match case NULL
Unhandled match case of type array
Unhandled match case of type stdClass
Unhandled match case true
