--TEST--
Comparing values of different types
--FILE--
<?php
$values = [0, "0", "", null, false, "a", [], "1", 1.0, [0]];
foreach ($values as $left) {
    foreach ($values as $right) {
        echo $left == $right ? 1 : 0, $left === $right ? 1 : 0, $left < $right ? 1 : 0, " ";
    }
    echo "\n";
}
var_dump("abc" <=> "abd", [1, 2, 3] <=> [1, 2, 4], "10" == "1e1", "abc" == 0, null <=> false, NAN == NAN);
--EXPECT--
110 100 000 100 100 001 001 001 001 001 
100 110 000 000 100 001 001 001 001 001 
001 001 110 100 100 001 001 001 001 001 
100 001 100 110 100 001 100 001 001 001 
100 100 100 100 110 001 100 001 001 001 
000 000 000 000 000 110 001 000 000 001 
000 000 000 100 100 000 110 000 000 001 
000 000 000 000 000 001 001 110 100 001 
000 000 000 000 000 001 001 100 110 001 
000 000 000 000 000 000 000 000 000 110 
int(-1)
int(-1)
bool(true)
bool(false)
int(0)
bool(false)
