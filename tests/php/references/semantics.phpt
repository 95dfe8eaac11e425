--TEST--
References tie variables, not values
--FILE--
<?php
$a = 1; $b = &$a; $b++; echo $a, "\n";
$c = $a; $c++; echo $a, "\n";
unset($b); $b = 5; echo $a, "\n";
$array = [1, 2, 3]; foreach ($array as &$item) $item *= 10; foreach ($array as $item); echo json_encode($array), "\n";
$object = new stdClass; $object->value = 1; $alias = &$object->value; $alias = 2; echo $object->value, "\n";
$copy = clone $object; $copy->value = 3; echo $object->value, "\n";
function g() { global $a; $a = "global"; $GLOBALS["made"] = "too"; } g(); echo $a, $made, "\n";
$name = "dynamic"; $$name = "variable"; echo $dynamic, ${"dyn" . "amic"}, "\n";
$x = ["a" => ["b" => 1]]; $r = &$x["a"]["b"]; $y = $x; $r = 2; echo json_encode([$x, $y]), "\n";
--EXPECT--
2
2
2
[10,20,20]
2
3
globaltoo
variablevariable
[{"a":{"b":2}},{"a":{"b":2}}]
