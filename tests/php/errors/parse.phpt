--TEST--
A syntax error
--FILE--
<?php
echo "not printed";
$x = [1, 2;
--STATUS--
255
--EXPECT--

Parse error: syntax error, unexpected token ";", expecting "]" in case.php on line 3
