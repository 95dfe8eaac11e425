<?php
function lists($arr) { [$x, [$y]] = $arr; list('k' => $z) = $arr; [&$q] = $arr; [, $b] = f(); [$arr, $arr[0]] = $arr; $v = [$x] = [1]; }
function loops($arr) { foreach ($arr as $k => [$a, $b]) { if ($a) continue; } foreach ($arr as &$v) {} foreach ($arr as $k => $$v) {} foreach (f() as $o->p) break; foreach ($arr as [&$r]) {} }
function arrays($a) { return [[$a, [1, 2]], ["x" => $a, 5 => 1, ...$a], [1 ? 2 : 3, $a], [&$a], ['1' => $a], [...[1, 2], ...$a], [], [1 => [2 => []]]]; }
