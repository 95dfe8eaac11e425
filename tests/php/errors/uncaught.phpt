--TEST--
An uncaught exception ends the script with status 255
--FILE--
<?php
register_shutdown_function(function () { echo "shutdown\n"; });
class T { function __destruct() { echo "destroyed\n"; } }
function thrower($x) { throw new RuntimeException("nobody cares", 3, new LogicException("cause")); }
$t = new T; echo "before\n";
thrower("argument");
--STATUS--
255
--EXPECT--
before

Fatal error: Uncaught LogicException: cause in case.php:4
Stack trace:
#0 case.php(6): thrower('argument')
#1 {main}

Next RuntimeException: nobody cares in case.php:4
Stack trace:
#0 case.php(6): thrower('argument')
#1 {main}
  thrown in case.php on line 4
shutdown
destroyed
