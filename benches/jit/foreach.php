<?php
function run($n) { $a = range(1, 1000); $s = 0; for ($j = 0; $j < $n; $j++) { foreach ($a as $v) { $s += $v; } } return $s; }
echo run(10000), "\n";
