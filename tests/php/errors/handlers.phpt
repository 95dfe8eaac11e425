--TEST--
Error handlers: replaced, restored and silenced; levels and the last error
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# handlers\n";
function h($no, $msg, $file, $line) { echo "[h $no $msg ", basename($file), ":$line]\n"; return true; } var_dump(set_error_handler('h')); echo $u; var_dump(set_error_handler(fn() => false, E_NOTICE)); echo $u2; restore_error_handler(); echo $u3; restore_error_handler(); echo $u4; var_dump(set_error_handler(null)); set_error_handler('h'); trigger_error('user notice'); trigger_error('user warning', E_USER_WARNING); trigger_error('dep', E_USER_DEPRECATED); try { trigger_error('x', 42); } catch (ValueError $e) { echo $e->getMessage(), "\n"; } var_dump(trigger_error('y', E_USER_NOTICE)); @trigger_error('silenced', E_USER_WARNING); var_dump(error_reporting()); set_error_handler(function () { var_dump(error_reporting()); }); @$x['y']; echo @file_get_contents('/nonexist'); error_reporting(E_ALL & ~E_WARNING); echo $u5; var_dump(error_get_last()['message'] ?? null); restore_error_handler(); restore_error_handler(); echo $u6; var_dump(error_get_last()['message'] ?? null); error_clear_last(); var_dump(error_get_last()['message'] ?? null); @strlen(); 

echo "# handler invalid\n";
try { set_error_handler('nope'); } catch (TypeError $e) { echo $e->getMessage(), "\n"; } try { set_exception_handler([1, 2]); } catch (TypeError $e) { echo $e->getMessage(), "\n"; } class A { private static function p() {} function m() { set_error_handler([$this, 'nope']); } } try { set_error_handler('A::p'); } catch (TypeError $e) { echo $e->getMessage(), "\n"; } try { (new A)->m(); } catch (TypeError $e) { echo $e->getMessage(), "\n"; } try { register_shutdown_function('nope2'); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
--STATUS--
255
--EXPECT--
# handlers
NULL
[h 2 Undefined variable $u case.php:5]
string(1) "h"

Warning: Undefined variable $u2 in case.php on line 5
[h 2 Undefined variable $u3 case.php:5]

Warning: Undefined variable $u4 in case.php on line 5
NULL
[h 1024 user notice case.php:5]
[h 512 user warning case.php:5]
[h 16384 dep case.php:5]
trigger_error(): Argument #2 ($error_level) must be one of E_USER_ERROR, E_USER_WARNING, E_USER_NOTICE, or E_USER_DEPRECATED
[h 1024 y case.php:5]
bool(true)
[h 512 silenced case.php:5]
int(32767)
int(4437)
int(4437)
int(4437)
int(30717)
string(22) "Undefined variable $u4"
string(22) "Undefined variable $u6"
NULL

Fatal error: Uncaught ArgumentCountError: strlen() expects exactly 1 argument, 0 given in case.php:5
Stack trace:
#0 case.php(5): strlen()
#1 {main}
  thrown in case.php on line 5
