--TEST--
Array functions, keys kept or renumbered
--FILE--
<?php
echo json_encode(array_slice([1, 2, 3, 4], 1, 2)), json_encode(array_slice(["a" => 1, 5 => 2, 6 => 3], 1)), json_encode(array_slice([1, 2, 3], -2, 1, true)), "\n";
$list = [1, 2, 3, 4, 5]; $removed = array_splice($list, 1, 2, ["x", "y", "z"]); echo json_encode([$list, $removed]), "\n";
echo json_encode(array_merge([5 => "a"], [5 => "b"], ["k" => 1])), json_encode(array_combine(["a", "b"], [1, 2])), json_encode(array_flip(["a", "b"])), json_encode(array_fill_keys(["x", "y"], 0)), "\n";
echo json_encode(array_unique([1, "1", 2, 2.0, "a", "A"])), json_encode(array_diff([1, 2, 3], [2])), json_encode(array_intersect_key(["a" => 1, "b" => 2], ["b" => 0])), json_encode(array_chunk([1, 2, 3], 2)), json_encode(array_pad([1], 3, 0)), "\n";
var_dump(in_array("1e1", ["10"]), in_array("abc", [0]), in_array(null, [0]), in_array("1", [1], true), array_search("b", ["x" => "a", "y" => "b"]));
echo json_encode(range("a", "e", 2)), json_encode(range(5, 1, 2)), json_encode(range(0, 1, 0.25)), json_encode(compact("list")), "\n";
$stack = [3, 1, 2]; array_push($stack, 9); echo array_pop($stack), array_shift($stack); array_unshift($stack, 7); sort($stack); echo json_encode($stack), json_encode(array_reverse(["a" => 1, 2, 3], true)), "\n";
--EXPECT--
[2,3][2,3]{"1":2}
[[1,"x","y","z",4,5],[2,3]]
{"0":"a","1":"b","k":1}{"a":1,"b":2}{"a":0,"b":1}{"x":0,"y":0}
{"0":1,"2":2,"4":"a","5":"A"}{"0":1,"2":3}{"b":2}[[1,2],[3]][1,0,0]
bool(true)
bool(false)
bool(true)
bool(false)
string(1) "y"
["a","c","e"][5,3,1][0,0.25,0.5,0.75,1]{"list":[1,"x","y","z",4,5]}
93[1,2,7]{"1":3,"0":2,"a":1}
