--TEST--
The status of exit
--FILE--
<?php
register_shutdown_function(function () { echo "shutdown "; });
try { echo "before "; exit(7); } finally { echo "finally is not run"; }
--STATUS--
7
--EXPECT--
before shutdown 
