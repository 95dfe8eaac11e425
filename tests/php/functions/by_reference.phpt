--TEST--
Parameters, results and loops by reference
--FILE--
<?php
function add(array &$list, $value) { $list[] = $value; }
function &slot(array &$list, $key) { return $list[$key]; }
$list = [];
add($list, 1); add($list, 2);
$slot = &slot($list, "new");
$slot = "written";
print_r($list);
function swap(&$a, &$b) { [$a, $b] = [$b, $a]; }
$x = 1; $y = 2; swap($x, $y); echo "$x $y\n";
swap($list[0], $list[1]); echo $list[0], $list[1], "\n";
function undefined_by_reference(&$made) { $made["deep"]["er"] = 1; }
undefined_by_reference($fresh); echo json_encode($fresh), "\n";
try { eval('add([1], 2);'); } catch (Error $error) { echo $error->getMessage(), "\n"; }
function many(&...$all) { foreach ($all as &$one) $one *= 2; }
$p = 3; $q = 4; many($p, $q); echo "$p $q\n";
--EXPECT--
Array
(
    [0] => 1
    [1] => 2
    [new] => written
)
2 1
21
{"deep":{"er":1}}
add(): Argument #1 ($list) could not be passed by reference
6 8
