<?php
function run($n) { $a = range(0, 1023); $s = 0; for ($i = 0; $i < $n; $i++) { $s += $a[$i & 1023]; } return $s; }
echo run(10000000), "\n";
