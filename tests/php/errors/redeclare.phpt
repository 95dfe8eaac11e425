--TEST--
A class whose interface method is missing
--FILE--
<?php
interface I { function need(int $a): string; }
echo "first\n";
class C implements I { function other() {} }
--STATUS--
255
--EXPECT--
first

Fatal error: Class C contains 1 abstract method and must therefore be declared abstract or implement the remaining methods (I::need) in case.php on line 4
