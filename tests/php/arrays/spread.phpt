--TEST--
Spreading into arrays and calls
--FILE--
<?php
$a = [1, 2]; $b = ["x" => 1, ...$a, "x" => 2, ...["y" => 3, 9]];
echo json_encode($b), "\n";
function numbers() { yield 1; yield 2; }
echo json_encode([...numbers(), ...[3]]), "\n";
try { $five = 5; [...$five]; } catch (Error $error) { echo $error->getMessage(), "\n"; }
echo max(...[4, 9, 2]), "\n";
--EXPECT--
{"x":2,"0":1,"1":2,"y":3,"2":9}
[1,2,3]
Only arrays and Traversables can be unpacked, int given
9
