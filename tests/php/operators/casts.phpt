--TEST--
Casts and their notices
--FILE--
<?php
var_dump((int)"12abc", (int)1e19, (int)"1e3", (float)"1.5e3x", (bool)"0", (bool)"0.0", (bool)[], (bool)[0], (string)false, (string)1.0, (string)1e25, (array)"x", (array)null);
var_dump((object)["a" => 1]);
echo (string)[], "\n";
var_dump((int)12.9, (int)-12.9, (int)"  42  ", intval("z", 36), (int)null);
--EXPECT--
int(12)
int(-8446744073709551616)
int(1000)
float(1500)
bool(false)
bool(true)
bool(false)
bool(true)
string(0) ""
string(1) "1"
string(7) "1.0E+25"
array(1) {
  [0]=>
  string(1) "x"
}
array(0) {
}
object(stdClass)#1 (1) {
  ["a"]=>
  int(1)
}

Warning: Array to string conversion in case.php on line 4
Array
int(12)
int(-12)
int(42)
int(35)
int(0)
