<?php
function run($n) {
    $steps = 0;
    for ($i = 1; $i < $n; $i++) {
        $k = $i;
        while ($k != 1) { $k = $k & 1 ? 3 * $k + 1 : $k >> 1; $steps++; }
    }
    return $steps;
}
echo run(100000), "\n";
