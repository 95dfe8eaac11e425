--TEST--
By value the copy is walked, by reference the array
--FILE--
<?php
$array = [1, 2, 3]; foreach ($array as $key => $value) { if ($value == 1) { $array[] = 4; unset($array[1]); } echo "$key=>$value "; } echo json_encode($array), "\n";
$array = [1, 2, 3]; foreach ($array as $key => &$value) { if ($key == 0) { $array[] = 4; } echo "$key=>$value "; } unset($value); echo json_encode($array), "\n";
$array = ["a" => 1, "b" => 2, "c" => 3]; foreach ($array as $key => &$value) { echo $key; if ($key == "a") unset($array["b"]); } unset($value); echo "\n";
foreach ([3 => [1, 2], 5 => [3, 4]] as $k => [$x, $y]) echo "$k:$x$y "; echo "\n";
$target = []; foreach ([1, 2] as $target[]); echo json_encode($target), "\n";
foreach ("text" as $no) {}
foreach (null as $no) {}
foreach ([] as $never) { echo "never"; } echo isset($never) ? "set" : "unset", "\n";
--EXPECT--
0=>1 1=>2 2=>3 {"0":1,"2":3,"3":4}
0=>1 1=>2 2=>3 3=>4 [1,2,3,4]
ac
3:12 5:34 
[1,2]

Warning: foreach() argument must be of type array|object, string given in case.php on line 7

Warning: foreach() argument must be of type array|object, null given in case.php on line 8
unset
