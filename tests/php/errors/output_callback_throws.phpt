--TEST--
An exception in the callback of an output buffer at the end of the script
--FILE--
<?php

echo "# r11\n";
set_exception_handler(fn($e) => print("EH " . $e->getMessage() . "\n")); ob_start(function ($x) { throw new Exception('ob'); }); echo "text";
--EXPECT--
# r11
textEH ob
