--TEST--
With strict types nothing is coerced but int to float
--FILE--
<?php
declare(strict_types=1);
function number(float $f): float { return $f; }
function text(string $s) { return $s; }
var_dump(number(5));
try { text(5); } catch (TypeError $error) { echo substr($error->getMessage(), 0, 62), "\n"; }
try { var_dump(strlen(123)); } catch (TypeError $error) { echo $error->getMessage(), "\n"; }
try { var_dump(round("1.5")); } catch (TypeError $error) { echo $error->getMessage(), "\n"; }
var_dump(array_map(fn(string $s) => $s, ["a"]));
--EXPECT--
float(5)
text(): Argument #1 ($s) must be of type string, int given, ca
strlen(): Argument #1 ($string) must be of type string, int given
round(): Argument #1 ($num) must be of type int|float, string given
array(1) {
  [0]=>
  string(1) "a"
}
