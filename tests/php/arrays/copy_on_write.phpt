--TEST--
Copies are independent until a reference ties them
--FILE--
<?php
$a = [1, [2, 3]]; $b = $a; $b[1][0] = "changed"; $b[] = 4;
echo json_encode([$a, $b]), "\n";
$c = &$a[0]; $d = $a; $d[0] = "through reference"; echo json_encode($a), "\n";
unset($c); $e = $a; $e[0] = "copy"; echo json_encode([$a, $e]), "\n";
function change(array $list) { $list[] = "local"; return $list; }
change($a); echo count($a), "\n";
$self = [1]; $self["self"] = &$self; echo count($self["self"]["self"]), "\n";
$x = ["k" => ["n" => 1]]; foreach ($x as $key => &$inner) { $inner["n"]++; } unset($inner); echo json_encode($x), "\n";
--EXPECT--
[[1,[2,3]],[1,["changed",3],4]]
["through reference",[2,3]]
[["copy",[2,3]],["copy",[2,3]]]
2
2
{"k":{"n":2}}
