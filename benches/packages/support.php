<?php
// What the programs share: where the packages are, and how the work of a program is repeated.

error_reporting(E_ALL & ~E_DEPRECATED);
$packages = getenv('OPLINE_PACKAGES') ?: exit("OPLINE_PACKAGES is not set: see fetch.sh\n");
set_include_path("$packages/usr/share/php");

/** Does the work some times and prints a checksum of its last result, which must be the engine's own. */
function repeat(int $times, callable $work): void
{
    $result = '';
    for ($turn = 0; $turn < $times; $turn++) {
        $result = $work();
    }
    printf("%d bytes, %08x\n", strlen($result), crc32($result));
}
