--TEST--
Division and modulo by zero throw
--FILE--
<?php
foreach ([fn() => 1 / 0, fn() => 1 % 0, fn() => intdiv(1, 0), fn() => intdiv(PHP_INT_MIN, -1), fn() => 1 << -1] as $try) {
    try {
        var_dump($try());
    } catch (ArithmeticError $error) {
        echo get_class($error), ": ", $error->getMessage(), "\n";
    }
}
var_dump(PHP_INT_MIN % -1, 1 << 64, -1 >> 64);
--EXPECT--
DivisionByZeroError: Division by zero
DivisionByZeroError: Modulo by zero
DivisionByZeroError: Division by zero
ArithmeticError: Division of PHP_INT_MIN by -1 is not an integer
ArithmeticError: Bit shift by negative number
int(0)
int(0)
int(-1)
