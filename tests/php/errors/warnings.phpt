--TEST--
Warnings carry file and line
--FILE--
<?php
echo $a;
echo "x" . [] . "\n";
$array = [1]; $array->property ?? null; echo $array["k"];

echo 10 % 3.7, "\n"; $s = "abc"; $s["1"] = "Z"; echo $s, hexdec("zz"), "\n"; array_combine([1], [2]); echo constant("M_PI") > 3 ? "pi\n" : ""; trigger_error("note"); trigger_error("old", E_USER_DEPRECATED); echo intdiv(5.0, 2), str_repeat("a", 2), "\n"; strlen(null);
--EXPECT--

Warning: Undefined variable $a in case.php on line 2

Warning: Array to string conversion in case.php on line 3
xArray

Warning: Undefined array key "k" in case.php on line 4

Deprecated: Implicit conversion from float 3.7 to int loses precision in case.php on line 6
1
aZc
Deprecated: Invalid characters passed for attempted conversion, these have been ignored in case.php on line 6
0
pi

Notice: note in case.php on line 6

Deprecated: old in case.php on line 6
2aa

Deprecated: strlen(): Passing null to parameter #1 ($string) of type string is deprecated in case.php on line 6
