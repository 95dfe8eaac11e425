--TEST--
what constant expressions may not do
--FILE--
<?php
function f(...$a) {}
try { f(...$u); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
try { f(...5); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
try { [...$u]; } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
try { [...new stdClass]; } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
try { f(...new stdClass); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
function g() { yield [] => 1; }
try { [...g()]; } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
try { f(...g()); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
function c1($a = [...new ArrayObject]) {} 
try { c1(); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
function c3($a = (new ArrayObject)[0]) {} 
try { c3(); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
function c4($a = (new ArrayObject)[0] ?? 1) {} 
try { c4(); echo "ok\n"; } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
function c5($a = (new ArrayObject)->x) {} 
try { c5(); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
function c6($a = (new ArrayObject)?->x) {} 
try { c6(); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
const NN = null;
function c7($a = NN->x) {} 
try { c7(); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
function c8($a = NN?->x) { var_dump($a);} 
try { c8(); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
const S = 'self';
function c9($a = self::X) { var_dump($a);} 
try { c9(); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
try { constant('self::X'); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
function c10($a = NN[0]) { var_dump($a);} 
try { c10(); } catch (Throwable $e) { echo get_class($e), $e->getMessage(), "\n"; }
--EXPECT--

Warning: Undefined variable $u in case.php on line 3
TypeErrorOnly arrays and Traversables can be unpacked, null given
TypeErrorOnly arrays and Traversables can be unpacked, int given

Warning: Undefined variable $u in case.php on line 5
ErrorOnly arrays and Traversables can be unpacked, null given
TypeErrorOnly arrays and Traversables can be unpacked, stdClass given
TypeErrorOnly arrays and Traversables can be unpacked, stdClass given
ErrorKeys must be of type int|string during array unpacking
ErrorKeys must be of type int|string during argument unpacking
ErrorOnly arrays can be unpacked in constant expression
ErrorCannot use [] on objects in constant expression
ErrorCannot use [] on objects in constant expression
ErrorFetching properties on non-enums in constant expressions is not allowed
ErrorFetching properties on non-enums in constant expressions is not allowed

Warning: Attempt to read property "x" on null in case.php on line 22
NULL
ErrorCannot access "self" when no class scope is active
ErrorCannot access "self" when no class scope is active

Warning: Trying to access array offset on null in case.php on line 30
NULL
