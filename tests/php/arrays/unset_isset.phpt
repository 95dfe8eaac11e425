--TEST--
Unset, isset and empty
--FILE--
<?php
$array = ["a" => 1, "b" => null, "c" => ["d" => 0]];
var_dump(isset($array["a"]), isset($array["b"]), isset($array["c"]["d"]), empty($array["c"]["d"]), isset($array["x"]["y"]), array_key_exists("b", $array));
unset($array["c"]["d"], $array["nothing"], $undefined["x"]);
echo json_encode($array), "\n";
$list = [1, 2, 3]; unset($list[1]); $list[] = 4; echo json_encode($list), json_encode(array_values($list)), "\n";
$text = "hello";
var_dump(isset($text[1]), isset($text[-5]), isset($text[9]), isset($text["x"]), isset($text["1"]), empty($text[0]));
try { unset($text[0]); } catch (Error $error) { echo $error->getMessage(), "\n"; }
--EXPECT--
bool(true)
bool(false)
bool(true)
bool(true)
bool(false)
bool(true)

Warning: Undefined variable $undefined in case.php on line 4
{"a":1,"b":null,"c":[]}
{"0":1,"2":3,"3":4}[1,3,4]
bool(true)
bool(true)
bool(false)
bool(false)
bool(true)
bool(false)
Cannot unset string offsets
