--TEST--
Keys are integers or strings
--FILE--
<?php
$array = ["1" => "a", 1.7 => "b", true => "c", "01" => "d", null => "e", "-5" => "f", -0 => "g"];
var_dump($array);
$array[] = "next";
var_dump(array_key_last($array));
$negative = [-5 => 1]; $negative[] = 2; echo json_encode($negative), "\n";
try { $array[[]] = 1; } catch (TypeError $error) { echo $error->getMessage(), "\n"; }
$full = [PHP_INT_MAX => 1];
try { $full[] = 2; } catch (Error $error) { echo $error->getMessage(), "\n"; }
--EXPECT--

Deprecated: Implicit conversion from float 1.7 to int loses precision in case.php on line 2
array(5) {
  [1]=>
  string(1) "c"
  ["01"]=>
  string(1) "d"
  [""]=>
  string(1) "e"
  [-5]=>
  string(1) "f"
  [0]=>
  string(1) "g"
}
int(2)
{"-5":1,"-4":2}
Cannot access offset of type array on array
Cannot add element to the array as the next element is already occupied
