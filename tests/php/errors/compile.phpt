--TEST--
An error that the compiler finds
--FILE--
<?php
echo "not printed";
function f() { break; }
--STATUS--
255
--EXPECT--

Fatal error: 'break' not in the 'loop' or 'switch' context in case.php on line 3
