--TEST--
Autoloading: who asks for it, who does not, in which order
--FILE--
<?php
spl_autoload_register($one = function ($c) { echo "[1:$c]"; if ($c === 'A1') { eval('class A1 { const K = 1; static function f() { return __METHOD__; } }'); } });
spl_autoload_register($two = function ($c) { echo "[2:$c]"; if ($c === 'I2') { interface_exists('Z9'); eval('interface I2 {}'); } if ($c === 'Bad') throw new RuntimeException("no $c"); });
echo A1::f(), A1::K, "\n";
var_dump(class_exists('Nope'), class_exists('Nope', false), new A1 instanceof Missing1, is_callable('Missing2::f'), is_a('x', 'Missing3', true), is_subclass_of('A1', 'Missing4'));
try { new Nope2; } catch (Error $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
try { Nope3::f(); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { Nope4::$x = 1; } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { echo Nope5::K; } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { new Bad; } catch (Exception $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
try { eval('class X extends Bad {}'); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
try { eval('class X2 implements I2, Gone {}'); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
try { throw new Exception("x"); } catch (NeverLoaded $e) { echo "no"; } catch (Exception $e) { echo "not loaded for catch\n"; }
function typed(NotThere $x) {} try { typed(1); } catch (TypeError $e) { echo preg_replace('/, called.*/', '', $e->getMessage()), "\n"; }
echo NotThere::class, "\n"; var_dump(count(spl_autoload_functions()), spl_autoload_functions()[0] === $one);
spl_autoload_unregister($one); class_exists('After'); echo "\n";
spl_autoload_register(function ($c) { echo "[first:$c]"; }, true, true); class_exists('Order'); echo "\n";
try { spl_autoload_register('no_such_function'); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
echo unserialize('O:4:"Gone":0:{}') instanceof __PHP_Incomplete_Class ? "incomplete\n" : "?\n";
spl_autoload_call('Direct'); echo "\n"; \spl_autoload_call('\Lead'); class_exists('\Lead2'); echo "\n"; class_exists('Bad name!'); echo "\n";
var_dump(enum_exists('E9'), trait_exists('T9'), interface_exists('I2'));
class_alias('A1', 'Alias1'); var_dump(new Alias1 instanceof A1, Alias1::class);
--EXPECT--
[1:A1]A1::f1
[1:Nope][2:Nope][1:Missing2][2:Missing2][1:x][2:x]bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
[1:Nope2][2:Nope2]Error: Class "Nope2" not found
[1:Nope3][2:Nope3]Class "Nope3" not found
[1:Nope4][2:Nope4]Class "Nope4" not found
[1:Nope5][2:Nope5]Class "Nope5" not found
[1:Bad][2:Bad]RuntimeException: no Bad
[1:Bad][2:Bad]RuntimeException: no Bad
[1:I2][2:I2][1:Z9][2:Z9][1:Gone][2:Gone]Error: Interface "Gone" not found
not loaded for catch
typed(): Argument #1 ($x) must be of type NotThere, int given
NotThere
int(2)
bool(true)
[2:After]
[first:Order][2:Order]
spl_autoload_register(): Argument #1 ($callback) must be a valid callback or null, function "no_such_function" not found or invalid function name
[first:Gone][2:Gone]incomplete
[first:Direct][2:Direct]
[first:\Lead][2:\Lead][first:Lead2][2:Lead2]

[first:E9][2:E9][first:T9][2:T9]bool(false)
bool(false)
bool(true)
bool(true)
string(6) "Alias1"
