--TEST--
Numeric, leading-numeric and other strings in arithmetic
--FILE--
<?php
var_dump("12" + 3, " 12" + 3, "12 " + 3, "1.5" * 2, "1e3" + 0, "0x1A" == 26);
var_dump("5 apples" + 1);
try {
    var_dump("apples" + 1);
} catch (TypeError $error) {
    echo $error->getMessage(), "\n";
}
try {
    var_dump([] + 1);
} catch (TypeError $error) {
    echo $error->getMessage(), "\n";
}
var_dump(null + 1, true + true, "9223372036854775808" + 0);
--EXPECT--
int(15)
int(15)
int(15)
float(3)
float(1000)
bool(false)

Warning: A non-numeric value encountered in case.php on line 3
int(6)
Unsupported operand types: string + int
Unsupported operand types: array + int
int(1)
int(2)
float(9.223372036854776E+18)
