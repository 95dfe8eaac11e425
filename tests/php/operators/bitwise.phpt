--TEST--
Bits of integers and of strings
--FILE--
<?php
var_dump(6 & 3, 6 | 3, 6 ^ 3, ~6, 1 << 4, -16 >> 2, "a" | "B", "abc" & "fff", "12" ^ "3", ~"A" === "\xBE");
var_dump(1.9 | 0);
var_dump("7" & 3, true ^ true, null | 5);
--EXPECT--
int(2)
int(7)
int(5)
int(-7)
int(16)
int(-4)
string(1) "c"
string(3) "`bb"
string(1) ""
bool(true)

Deprecated: Implicit conversion from float 1.9 to int loses precision in case.php on line 3
int(1)
int(3)
int(0)
int(5)
