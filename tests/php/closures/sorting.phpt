--TEST--
Callbacks of the sorting functions
--FILE--
<?php
$people = [["name" => "Zoe", "age" => 30], ["name" => "Adam", "age" => 25], ["name" => "Mia", "age" => 30]];
usort($people, fn($a, $b) => [$b["age"], $a["name"]] <=> [$a["age"], $b["name"]]);
echo implode(" ", array_column($people, "name")), "\n";
$map = ["b" => 2, "a" => 3, "c" => 1];
uasort($map, fn($a, $b) => $a - $b); echo json_encode($map);
uksort($map, strcmp(...)); echo json_encode($map), "\n";
echo array_sum(array_filter(range(1, 10), fn($n) => $n % 2)), array_reduce([1, 2, 3], fn($carry, $n) => "$carry$n", ""), "\n";
array_walk($map, function (&$value, $key, $suffix) { $value = "$key$value$suffix"; }, "!");
echo implode(" ", $map), "\n";
--EXPECT--
Mia Zoe Adam
{"c":1,"b":2,"a":3}{"a":3,"b":2,"c":1}
25123
a3! b2! c1!
