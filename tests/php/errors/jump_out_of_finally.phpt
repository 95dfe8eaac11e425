--TEST--
A jump may not leave a finally block
--FILE--
<?php
function discard() { for ($i = 0; $i < 2; $i++) { try { throw new Exception("x"); } finally { continue; } } }
--STATUS--
255
--EXPECT--

Fatal error: jump out of a finally block is disallowed in case.php on line 2
