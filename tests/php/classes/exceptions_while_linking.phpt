--TEST--
A deprecation that is made an exception while a class is linked
--FILE--
<?php
set_error_handler(function ($number, $message) { throw new Exception($message); });
register_shutdown_function(function () {
    class Old implements Serializable { function serialize() {} function unserialize($x) {} }
});
if ($argc) {
    class Loose extends ArrayIterator { function current() {} }
}
--STATUS--
255
--EXPECTF--


Fatal error: During inheritance of ArrayIterator: Uncaught Exception: Return type of Loose::current() should either be compatible with ArrayIterator::current(): mixed, or the #[\ReturnTypeWillChange] attribute should be used to temporarily suppress the notice in case.php:2
Stack trace:
#0 case.php(7): {closure:case.php:2}(8192, 'Return type of ...', '%s', 7)
#1 {main} in case.php on line 7

Fatal error: During inheritance of Old, while implementing Serializable: Uncaught Exception: Old implements the Serializable interface, which is deprecated. Implement __serialize() and __unserialize() instead (or in addition, if support for old PHP versions is necessary) in case.php:2
Stack trace:
#0 case.php(4): {closure:case.php:2}(8192, 'Old implements ...', '%s', 4)
#1 [internal function]: {closure:case.php:3}()
#2 {main} in case.php on line 4
