<?php
function run($n) { $x = 0.5; for ($i = 0; $i < $n; $i++) { $x = $x * 0.999 + 0.25; } return $x; }
echo run(10000000), "\n";
