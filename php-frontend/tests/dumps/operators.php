<?php
function signs($a) { -$a; +$a; -5; -"5"; !$a; ~$a; ~5; -[]; }
function logic($a, $b) { 1 && $a; 0 && $a; $a && $b; $a || 0; $a xor $b; $a ?: $b; $a ? 1 : $b; }
function folded() { return [1 + 2 * 3, "a" . 1.5, 7 % -3, 1 << 65, 2 ** 63, 2 ** -1, 1 <=> "1", "abc" == 0, "10" == "1e1"]; }
function left_to_run_time() { 1 / 0; 1 % 0; 1 << -1; 1 + []; "abc" + 1; "a" . []; 1.5 % 2; 1.5 | 1; }
function compare($a, $b) { $a > $b; $a >= 5; 5 == $a; $a != false; $a === null; $a !== true; $a <=> $b; 5 * $a; 5 + $a; }
function casts($a) { (int) $a; (float) "1"; (string) $a; (bool) 1; (array) $a; (object) $a; }
function smart($a, $b) { if ($a == $b) echo 1; while ($a < 5) echo 2; return isset($a) ? 1 : 2; }
