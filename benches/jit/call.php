<?php
function add($a, $b) { return $a + $b; }
function run($n) { $s = 0; for ($i = 0; $i < $n; $i++) { $s = add($s, $i); } return $s; }
echo run(5000000), "\n";
