<?php
function run($n) {
    $s = 0;
    for ($i = 0; $i < $n; $i++) {
        switch ($i & 3) { case 0: $s += 1; break; case 1: $s += 2; break; case 2: $s += 3; break; default: $s += 4; }
    }
    return $s;
}
echo run(5000000), "\n";
