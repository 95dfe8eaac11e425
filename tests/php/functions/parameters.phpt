--TEST--
Defaults, variadics and named arguments
--FILE--
<?php
const BASE = 10;
function all(int $a, $b = BASE * 2, ?string $c = null, ...$rest) { return json_encode([$a, $b, $c, $rest]) . "\n"; }
echo all(1), all(1, 2, "x", 3, 4), all(c: "named", a: 5), all(1, ...["c" => "spread"]), all(...[1, 2], ...["x", "y" => 9]);
function counted() { return func_num_args() . ":" . implode(",", func_get_args()); }
echo counted(), " ", counted(1, 2, 3), "\n";
try { all(); } catch (ArgumentCountError $error) { echo $error->getMessage(), "\n"; }
try { all(a: 1, d: 2, a2: 3); all(1, a: 2); } catch (Error $error) { echo $error->getMessage(), "\n"; }
try { (function ($x) {})(y: 1); } catch (Error $error) { echo $error->getMessage(), "\n"; }
--EXPECT--
[1,20,null,[]]
[1,2,"x",[3,4]]
[5,20,"named",[]]
[1,20,"spread",[]]
[1,2,"x",{"y":9}]
0: 3:1,2,3
Too few arguments to function all(), 0 passed in case.php on line 7 and at least 1 expected
Named parameter $a overwrites previous argument
Unknown named parameter $y
