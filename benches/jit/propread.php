<?php
class Box { public $value = 3; }
function run($n) { $o = new Box; $s = 0; for ($i = 0; $i < $n; $i++) { $s += $o->value; } return $s; }
echo run(10000000), "\n";
