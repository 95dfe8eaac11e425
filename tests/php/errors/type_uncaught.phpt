--TEST--
An uncaught type error names the call
--FILE--
<?php
function typed(int $n) { return $n; }
echo typed(1), "\n";
typed("text");
--STATUS--
255
--EXPECT--
1

Fatal error: Uncaught TypeError: typed(): Argument #1 ($n) must be of type int, string given, called in case.php on line 4 and defined in case.php:2
Stack trace:
#0 case.php(4): typed('text')
#1 {main}
  thrown in case.php on line 2
