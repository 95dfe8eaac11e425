--TEST--
Undefined variables, keys and properties
--FILE--
<?php
var_dump($missing);
$array = [1];
var_dump($array[5], $array["key"]);
$text = "abc";
var_dump($text[10] ?? "none");
echo $text[10];
$object = new stdClass;
var_dump($object->gone);
var_dump(null[1] ?? "quiet");
$number = 5;
var_dump($number["x"]);
$missing .= "now";
var_dump($missing);
--EXPECT--

Warning: Undefined variable $missing in case.php on line 2
NULL

Warning: Undefined array key 5 in case.php on line 4

Warning: Undefined array key "key" in case.php on line 4
NULL
NULL
string(4) "none"

Warning: Uninitialized string offset 10 in case.php on line 7

Warning: Undefined property: stdClass::$gone in case.php on line 9
NULL
string(5) "quiet"

Warning: Trying to access array offset on int in case.php on line 12
NULL

Warning: Undefined variable $missing in case.php on line 13
string(3) "now"
