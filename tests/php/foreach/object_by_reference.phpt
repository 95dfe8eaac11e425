--TEST--
Loops by reference follow the variable: from object to array and back
--FILE--
<?php
class D { public $n = 1; public $m = 2; function __destruct() { echo "~ "; } }
$b = new D; foreach ($b as $k => &$r) { echo "$k "; if (is_object($b)) $b = [7, 8]; } unset($r); echo json_encode($b), "\n";
$b = [1, 2]; foreach ($b as $k => &$r) { echo "$k "; if ($k === 0) $b = new D; } unset($r); echo "\n"; unset($b);
$b = new D; foreach ($b as $k => &$r) { echo "$k "; $b = "str"; } unset($r); echo "\n";
$b = new D; foreach ($b as $k => &$r) { echo "$k "; $b = null; } unset($r); echo "\n";
$b = new D; foreach ($b as $b => &$r) { echo json_encode($b), " "; } unset($r); echo "\n";
$b = new D; foreach ($b as $k => &$r) { $r = 5; $b->z = 3; if ($k == 'z') unset($b->m); echo "$k "; } unset($r); var_dump($b);
foreach ([new D] as &$r) { foreach ($r as $k => &$q) { echo "$k "; $q = 9; } unset($q); } var_dump($r);
foreach (new D as $k => &$r) echo "$k "; unset($r);
try { clone new Exception; } catch (Error $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
n ~ 0 1 [7,8]
0 n m 
~ n ~ 
Warning: foreach() argument must be of type array|object, string given in case.php on line 5

n ~ 
Warning: foreach() argument must be of type array|object, null given in case.php on line 6

~ "n" 
Warning: foreach() argument must be of type array|object, string given in case.php on line 7


Deprecated: Creation of dynamic property D::$z is deprecated in case.php on line 8
n m z object(D)#1 (2) {
  ["n"]=>
  int(5)
  ["z"]=>
  int(3)
}
n m object(D)#2 (2) {
  ["n"]=>
  int(9)
  ["m"]=>
  int(9)
}
~ n m ~ Trying to clone an uncloneable object of class Exception
~ 