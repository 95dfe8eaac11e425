<?php
function run($n) { $a = range(0, 1023); for ($i = 0; $i < $n; $i++) { $a[$i & 1023] = $i; } return array_sum($a); }
echo run(10000000), "\n";
