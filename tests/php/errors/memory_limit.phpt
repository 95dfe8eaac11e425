--TEST--
Too much memory is a fatal error
--INI--
memory_limit=8M
--FILE--
<?php
echo "start\n";
$list = [];
while (true) $list[] = str_repeat("x", 100000) . count($list);
--STATUS--
255
--EXPECTF--
start

Fatal error: Allowed memory size of 8388608 bytes exhausted (tried to allocate %d bytes) in case.php on line 4
