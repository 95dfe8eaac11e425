<?php
function run($n) { $s = 0; for ($i = 0; $i < $n; $i++) { $s += $i; } return $s; }
echo run(20000000), "\n";
