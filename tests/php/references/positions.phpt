--TEST--
References in every position
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# refs arrays\n";
$a = [1, 2, 3]; foreach ($a as $k => &$v) { if ($k == 0) { $a[] = 4; unset($a[1]); } $v *= 2; echo "$k=>$v "; } unset($v); var_dump($a);
$a = [1, 2, 3]; foreach ($a as $k => $v) { if ($k == 0) { $a[] = 4; unset($a[1]); } echo "$k=>$v "; } echo "\n";
$a = ['x' => ['y' => 1]]; foreach ($a as &$o) foreach ($o as &$i) $i++; unset($o, $i); $b = $a; $b['x']['y'] = 'changed'; var_dump($a['x']['y']);
$a = [1, 2]; $r = &$a[0]; $b = $a; $b[0] = 'shared'; $b[1] = 'not'; var_dump($a); unset($r); $c = $a; $c[0] = 'now?'; var_dump($a[0]);
function &getRef(array &$arr, $k) { return $arr[$k]; } $x = &getRef($a, 'new'); $x = 5; var_dump($a); $y = getRef($a, 'new'); $y = 6; var_dump($a['new']);
[$p, &$q] = $a; $q = 'q'; ['new' => &$n, 1 => $m] = $a; $n = 'n'; var_dump($a);

echo "# refs list nested2\n";
[&$new['a'], &$new['b']['c']] = $u1; $new['a'] = 1; var_dump($u1, $new); list('z' => &$zz, 'w' => list(&$w)) = $u2; $w = 7; var_dump($u2); [$i, $arr[$i]] = [5, 6]; var_dump($arr); [$s[], $s[], $s['k']] = [1, 2, 3]; var_dump($s); [$a, $b] = [$b ?? 1, $a ?? 2]; [$a, $b] = [$b, $a]; var_dump($a, $b); [, , $third] = [1, 2, 3]; var_dump($third, [$q, $w] = [1]);

echo "# refs functions2\n";
function inc(&$x) { $x++; } function add(array &$x, ...$y) { $x = array_merge($x, $y); } function vr(&...$r) { foreach ($r as &$x) $x .= '!'; } function def(&$x = 5) { return $x++; } $i = 1; inc($i); inc($u); inc($arr['a']['b']); $obj = new stdClass; inc($obj->p); var_dump($i, $u, $arr, $obj); 

echo "# refs func result\n";
function inc3(&$x) { $x++; } function r() { return 1; } function &rr() { static $s = 1; return $s; } inc3(r()); inc3(rr()); inc3(rr()); var_dump(rr()); $x = &r(); inc3(strtolower('A')); array_push($GLOBALS['zz'], 1);

echo "# refs statics globals\n";
class S { static $a = 1; static $arr = []; public static function &get() { return self::$a; } } $r = &S::$a; $r = 2; echo S::$a; $q = &S::get(); $q = 3; echo S::$a, "\n"; S::$arr['x']['y'][] = &$r; var_dump(S::$arr); function g() { global $gg, $r; $gg = &$r; $gg = 'local'; $GLOBALS['gg2'] = &$gg; } g(); var_dump($gg ?? 'unset', $gg2); function h() { static $st = []; $st[] = &$GLOBALS['cnt']; $GLOBALS['cnt']++; return $st; } h(); var_dump(h()); 
class T extends S {} T::$a = 'T'; echo S::$a, "\n"; class U extends S { static $a = 'own'; } $u = &U::$a; $u = 'u'; echo S::$a, U::$a, "\n";
--STATUS--
255
--EXPECT--
# refs arrays
0=>2 2=>6 3=>8 array(3) {
  [0]=>
  int(2)
  [2]=>
  int(6)
  [3]=>
  int(8)
}
0=>1 1=>2 2=>3 
int(2)
array(2) {
  [0]=>
  &string(6) "shared"
  [1]=>
  int(2)
}
string(4) "now?"
array(3) {
  [0]=>
  &string(4) "now?"
  [1]=>
  int(2)
  ["new"]=>
  &int(5)
}
int(5)
array(3) {
  [0]=>
  &string(4) "now?"
  [1]=>
  &string(1) "q"
  ["new"]=>
  &string(1) "n"
}
# refs list nested2
array(2) {
  [0]=>
  &int(1)
  [1]=>
  &NULL
}
array(2) {
  ["a"]=>
  &int(1)
  ["b"]=>
  array(1) {
    ["c"]=>
    &NULL
  }
}
array(2) {
  ["z"]=>
  &NULL
  ["w"]=>
  array(1) {
    [0]=>
    &int(7)
  }
}
array(1) {
  [5]=>
  int(6)
}
array(3) {
  [0]=>
  int(1)
  [1]=>
  int(2)
  ["k"]=>
  int(3)
}
array(3) {
  [0]=>
  &string(4) "now?"
  [1]=>
  &string(1) "q"
  ["new"]=>
  &string(1) "n"
}
array(2) {
  [0]=>
  &string(4) "now?"
  [1]=>
  string(3) "not"
}

Warning: Undefined array key 1 in case.php on line 13
int(3)
array(1) {
  [0]=>
  int(1)
}
# refs functions2
int(2)
int(1)
array(2) {
  [5]=>
  int(6)
  ["a"]=>
  array(1) {
    ["b"]=>
    int(1)
  }
}
object(stdClass)#1 (1) {
  ["p"]=>
  int(1)
}
# refs func result

Notice: Only variables should be passed by reference in case.php on line 19
int(3)

Notice: Only variables should be assigned by reference in case.php on line 19

Notice: Only variables should be passed by reference in case.php on line 19

Fatal error: Uncaught TypeError: array_push(): Argument #1 ($array) must be of type array, null given in case.php:19
Stack trace:
#0 case.php(19): array_push(NULL, 1)
#1 {main}
  thrown in case.php on line 19
