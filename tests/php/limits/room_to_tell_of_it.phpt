--TEST--
Shutdown functions have room to tell that memory ran out, whoever still holds it
--INI--
memory_limit=16M
--FILE--
<?php
register_shutdown_function(function () {
    global $generator;
    $report = [];
    foreach (range(1, 100) as $number) {
        $report[] = "$number " . str_repeat('=', 1000);
    }
    echo strlen(implode("\n", $report)), "\n";
    $error = error_get_last();
    echo substr($error['message'], 0, 19), "\n";
});
function numbers()
{
    $kept = [];
    yield 1;
    while (true) {
        $kept[] = str_repeat('x', 500 + count($kept) % 2);
    }
}
$generator = numbers();
foreach ($generator as $number) {
    echo "$number\n";
}
--EXPECTF--
1

Fatal error: Allowed memory size of 16777216 bytes exhausted (tried to allocate %d bytes) in %s on line 17
100391
Allowed memory size
--STATUS--
255
