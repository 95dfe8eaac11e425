--TEST--
deprecated constants, class aliases, settings that are expressions
--FILE--
<?php
var_dump(E_STRICT, defined('E_STRICT'), constant('E_STRICT'), \MT_RAND_PHP);
class Real {}
trait Part {}
class_alias('Real', 'Second\Name');
class_alias('Part', 'PartAlias');
class Last {}
print_r(array_slice(get_declared_classes(), -3));
print_r(get_declared_traits());
class_alias('Real', '_');
function named($first, &$second = 0) { $second = "$first!"; }
named(...new ArrayIterator(['first' => 'x', 'second' => 'y']));
call_user_func_array('named', ['second' => 1, 'first' => 2]);
$bound = 1;
call_user_func_array('named', ['first' => 2, 'second' => &$bound]);
var_dump($bound);
try { new Real(unknown: 1); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { require 'nowhere.inc'; } catch (Error $e) { echo $e->getMessage(), "\n"; }
set_error_handler(function () { echo implode(' ', array_column(debug_backtrace(), 'function')), "\n"; return true; });
include 'nowhere.inc';
class_alias('Real', 'Inner\Mixed');
--STATUS--
255
--EXPECT--

Deprecated: Constant E_STRICT is deprecated in case.php on line 2

Deprecated: Constant E_STRICT is deprecated in case.php on line 2

Deprecated: Constant MT_RAND_PHP is deprecated in case.php on line 2
int(2048)
bool(true)
int(2048)
int(1)
Array
(
    [0] => Real
    [1] => Last
    [2] => second\name
)
Array
(
    [0] => Part
    [1] => partalias
)

Deprecated: Using "_" as a class alias is deprecated since 8.4 in case.php on line 10

Warning: Cannot pass by-reference argument 2 of named() by unpacking a Traversable, passing by-value instead in case.php on line 12

Warning: named(): Argument #2 ($second) must be passed by reference, value given in case.php on line 13
string(2) "2!"
Unknown named parameter $unknown

Warning: require(nowhere.inc): Failed to open stream: No such file or directory in case.php on line 18
Failed opening required 'nowhere.inc' (include_path='.:/usr/share/php')
{closure:case.php:19} include
{closure:case.php:19} include

Fatal error: Cannot use "inner\mixed" as a class alias as it is reserved in case.php on line 21
