--TEST--
Constant expressions and static initialisers
--FILE--
<?php
const A = 1 << 3, B = A . "x", C = [A => ["k" => B]], D = C[8]["k"] ?? "none", E = A > 5 ? "big" : "small"; class K { public $p = A * 2 + self::N; const N = -3; public array $list = [...[1, 2], ...[3]]; function f($x = [self::N => A], $y = PHP_INT_SIZE, $z = new stdClass) { return json_encode([$x, $y, $z]); } } echo B, D, E, (new K)->p, json_encode((new K)->list), (new K)->f(), __LINE__, __FILE__, "\n"; try { echo UNKNOWN; } catch (Error $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
8x8xbig13[1,2,3][{"-3":8},8,{}]2case.php
Undefined constant "UNKNOWN"
