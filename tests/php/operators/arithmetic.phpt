--TEST--
Arithmetic keeps integers until they overflow
--FILE--
<?php
var_dump(7 + 5, 7 - 9, 6 * 7, 7 / 2, 8 / 2, 7 % 3, -7 % 3, 2 ** 10, 2 ** -1, 2 ** 63);
var_dump(PHP_INT_MAX + 1, PHP_INT_MIN - 1, PHP_INT_MAX * 2, -PHP_INT_MIN);
var_dump(1.5 + 1, 0.1 + 0.2, 1e100 * 1e300, -0.0, 10 ** 20);
var_dump(intdiv(-7, 2), fmod(7.5, 2), fdiv(1, 0), 7 <=> 7.0, [1, 2] + [5, 6, 7]);
--EXPECT--
int(12)
int(-2)
int(42)
float(3.5)
int(4)
int(1)
int(-1)
int(1024)
float(0.5)
float(9.223372036854776E+18)
float(9.223372036854776E+18)
float(-9.223372036854776E+18)
float(1.8446744073709552E+19)
float(9.223372036854776E+18)
float(2.5)
float(0.30000000000000004)
float(INF)
float(-0)
float(1.0E+20)
int(-3)
float(1.5)
float(INF)
int(0)
array(3) {
  [0]=>
  int(1)
  [1]=>
  int(2)
  [2]=>
  int(7)
}
