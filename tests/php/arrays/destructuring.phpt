--TEST--
List, keys, nesting, references and swaps
--FILE--
<?php
[$a, [$b, , $c]] = [1, [2, 3, 4]]; echo "$a$b$c\n";
["x" => $x, "y" => ["z" => $z]] = ["x" => "X", "y" => ["z" => "Z"]]; echo "$x$z\n";
list(, $second) = [1, 2]; echo $second, "\n";
[$a, $b] = [$b, $a]; echo "$a$b\n";
$data = [1, [2, 3]]; [$one, [, &$three]] = $data; $three = "ref"; echo json_encode($data), "\n";
foreach ([[1, ["k" => 2]], [3, ["k" => 4]]] as [$p, ["k" => $q]]) echo "$p$q ";
echo "\n";
[$missing] = []; var_dump($missing);
[$from_null] = null; var_dump($from_null);
$i = 0; $list = []; [$list[$i++], $list[$i++]] = ["first", "second"]; print_r($list);
--EXPECT--
124
XZ
2
21
[1,[2,"ref"]]
12 34 

Warning: Undefined array key 0 in case.php on line 9
NULL
NULL
Array
(
    [0] => first
    [1] => second
)
