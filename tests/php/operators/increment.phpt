--TEST--
Counting up and down, strings too
--FILE--
<?php
$text = "Az"; $text++; var_dump($text);
$text = "zZ9"; $text++; var_dump($text);
$number = "41"; $number++; var_dump($number);
$nothing = null; $nothing++; var_dump($nothing);
$nothing = null; $nothing--; var_dump($nothing);
$large = PHP_INT_MAX; $large++; var_dump($large);
$float = 1.5; var_dump($float++, ++$float, $float--, --$float);
$array = ["n" => 1]; var_dump($array["n"]++ + ++$array["n"]);
$object = new stdClass; $object->n = 5; $object->n += 2; $object->n++; var_dump($object->n);
--EXPECT--
string(2) "Ba"
string(4) "aaA0"
int(42)
int(1)

Warning: Decrement on type null has no effect, this will change in the next major version of PHP in case.php on line 6
NULL
float(9.223372036854776E+18)
float(1.5)
float(3.5)
float(3.5)
float(1.5)
int(4)
int(8)
