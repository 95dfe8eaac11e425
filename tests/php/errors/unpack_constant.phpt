--TEST--
A constant that can't be unpacked is found by the compiler
--FILE--
<?php
[...5];
--STATUS--
255
--EXPECT--

Fatal error: Only arrays and Traversables can be unpacked, int given in case.php on line 2
