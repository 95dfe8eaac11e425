--TEST--
Undefined variables as objects, as names of properties and everywhere else
--FILE--
<?php
set_error_handler(function($n,$m){echo "  !$m\n";});
$k = 0;
function t($f) { global $k; echo ++$k, "\n"; try { $f(); } catch (Throwable $t) { do echo get_class($t), ': ', $t->getMessage(), "\n"; while ($t = $t->getPrevious()); } }
t(function () { unset($qq->ps->{$uu}); });
t(function () { unset($qq->{$uu}); });
t(function () { isset($qq->{$uu}); });
t(function () { empty($qq->{$uu}); });
t(function () { $x = $qq->{$uu}; });
t(function () { $x = $qq->{$uu} ?? 1; });
t(function () { $qq->{$uu}++; });
t(function () { --$qq->{$uu}; });
t(function () { $qq->{$uu} = 1; });
t(function () { $qq->{$uu} = $vv; });
t(function () { $qq->{$uu} .= $vv; });
t(function () { $qq->{$uu}[1] = 1; });
t(function () { $qq->{$uu}[1][$vv] .= $ww; });
t(function () { $x = &$qq->{$uu}; });
t(function () { $qq->{$uu} = &$vv; });
t(function () { $qq->{$uu} ??= $vv; });
t(function () { foreach ($qq->{$uu} as $v); });
t(function () { foreach ($qq->{$uu} as &$v); });
t(function () { $qq->{$uu}(); });
t(function () { $qq->m($uu); });
t(function () { $qq?->{$uu}; });
t(function () { $n = 5; unset($n->{$uu}); });
t(function () { $n = 5; $n->{$uu} = 1; });
t(function () { $n = 5; $n->{$uu} .= 1; });
t(function () { $n = 5; $n->{$uu}++; });
t(function () { $n = 5; $n->{$uu}[] = 1; });
t(function () { $n = 5; return $n->{$uu}; });
t(function () { $n = 5; unset($n->{$uu}[$vv]); });
t(function () { $n = 5; unset($n->{$uu}->{$vv}); });
t(function () { $n = 5; unset($n[$uu]->{$vv}); });
t(function () { unset($n[$uu]->{$vv}); });
t(function () { $n = null; unset($n[$uu]->{$vv}[$ww]); });
t(function () { $n = new stdClass; $n->{$uu} = 1; });
t(function () { $n = new stdClass; $n->{$uu}[$vv] = $ww; var_dump($n); });
t(function () { $n = new stdClass; $n->{$uu} .= $vv; });
t(function () { [$n->{$uu}] = [1]; });
t(function () { [$qq[$uu]] = [1]; var_dump($qq); });
t(function () { A::${$uu} = 1; });
t(function () { A::$b[$uu] = 1; });
t(function () { $u::$b = 1; });
t(function () { $u::B; });
t(function () { $u::f($v); });
t(function () { new $u($v); });
t(function () { $u($v); });
t(function () { clone $u; });
t(function () { echo -$u, +$u, $u . $v, $u ?: 1; });
t(function () { $x = $u <=> $v; $x = $u == $v; $x = !$u; $x = $u && $v; $x = (int)$u; $x = (array)$u; $x = [$u => $v]; });
t(function () { $u++; $v--; $w += $x; $y .= $z; $a ??= $b; var_dump($u, $v); });
t(function () { return match($u) { $v => 1 }; });
t(function () { switch ($u) { case $v: echo "x\n"; } });
t(function () { $x = "a$u b{$v[$w]} c{$v->$w}"; });
t(function () { throw $u; });
t(function () { yield $u => $v; });
t(function () { $x = fn() => $u; $x(); });
t(function () use (&$zz) { $zz[$u][$v] = $w; var_dump($zz); });
t(function () { static $s = 1; $s = $u; global $gg; $gg = $v; });
t(function () { foreach ($u as $v); foreach ($u as &$v); });
t(function () { list($a, $b) = $u; list('x' => $c) = $v; });
t(function () { $u instanceof $v; });
t(function () { print $u; exit($v) ; });
--EXPECT--
1
  !Undefined variable $qq
  !Undefined variable $uu
2
  !Undefined variable $uu
3
  !Undefined variable $uu
4
  !Undefined variable $uu
5
  !Undefined variable $qq
  !Undefined variable $uu
  !Attempt to read property "" on null
6
  !Undefined variable $uu
7
  !Undefined variable $uu
  !Undefined variable $qq
Error: Attempt to increment/decrement property "" on null
8
  !Undefined variable $uu
  !Undefined variable $qq
Error: Attempt to increment/decrement property "" on null
9
  !Undefined variable $uu
Error: Attempt to assign property "" on null
10
  !Undefined variable $vv
  !Undefined variable $uu
Error: Attempt to assign property "" on null
11
  !Undefined variable $uu
  !Undefined variable $vv
  !Undefined variable $qq
Error: Attempt to assign property "" on null
12
  !Undefined variable $uu
Error: Attempt to modify property "" on null
13
  !Undefined variable $uu
  !Undefined variable $qq
Error: Attempt to modify property "" on null
14
  !Undefined variable $uu
Error: Attempt to modify property "" on null
15
  !Undefined variable $uu
Error: Attempt to modify property "" on null
16
  !Undefined variable $uu
  !Undefined variable $vv
  !Undefined variable $uu
Error: Attempt to assign property "" on null
17
  !Undefined variable $qq
  !Undefined variable $uu
  !Attempt to read property "" on null
  !foreach() argument must be of type array|object, null given
18
  !Undefined variable $uu
Error: Attempt to modify property "" on null
19
  !Undefined variable $uu
Error: Method name must be a string
20
  !Undefined variable $qq
Error: Call to a member function m() on null
21
  !Undefined variable $qq
22
  !Undefined variable $uu
23
  !Undefined variable $uu
Error: Attempt to assign property "" on int
24
  !Undefined variable $uu
Error: Attempt to assign property "" on int
25
  !Undefined variable $uu
Error: Attempt to increment/decrement property "" on int
26
  !Undefined variable $uu
Error: Attempt to modify property "" on int
27
  !Undefined variable $uu
  !Attempt to read property "" on int
28
  !Undefined variable $uu
  !Undefined variable $vv
29
  !Undefined variable $uu
  !Undefined variable $vv
30
Error: Cannot unset offset in a non-array variable
31
  !Undefined variable $n
  !Undefined variable $uu
  !Undefined variable $vv
32
  !Undefined variable $uu
  !Undefined variable $vv
  !Undefined variable $ww
33
  !Undefined variable $uu
34
  !Undefined variable $uu
  !Undefined variable $vv
  !Undefined variable $ww
object(stdClass)#3 (1) {
  [""]=>
  array(1) {
    [""]=>
    NULL
  }
}
35
  !Undefined variable $uu
  !Undefined variable $vv
  !Undefined property: stdClass::$
36
  !Undefined variable $uu
Error: Attempt to assign property "" on null
37
  !Undefined variable $uu
array(1) {
  [""]=>
  int(1)
}
38
Error: Class "A" not found
39
Error: Class "A" not found
40
  !Undefined variable $u
Error: Class name must be a valid object or a string
41
  !Undefined variable $u
Error: Class name must be a valid object or a string
42
  !Undefined variable $u
Error: Class name must be a valid object or a string
43
  !Undefined variable $u
Error: Class name must be a valid object or a string
44
  !Undefined variable $u
Error: Value of type null is not callable
45
  !Undefined variable $u
Error: __clone method called on non-object
46
  !Undefined variable $u
0  !Undefined variable $u
0  !Undefined variable $u
  !Undefined variable $v
  !Undefined variable $u
147
  !Undefined variable $u
  !Undefined variable $v
  !Undefined variable $u
  !Undefined variable $v
  !Undefined variable $u
  !Undefined variable $u
  !Undefined variable $u
  !Undefined variable $u
  !Undefined variable $v
  !Undefined variable $u
48
  !Undefined variable $u
  !Undefined variable $v
  !Decrement on type null has no effect, this will change in the next major version of PHP
  !Undefined variable $x
  !Undefined variable $w
  !Undefined variable $z
  !Undefined variable $y
  !Undefined variable $b
int(1)
NULL
49
  !Undefined variable $u
  !Undefined variable $v
50
  !Undefined variable $u
  !Undefined variable $v
x
51
  !Undefined variable $u
  !Undefined variable $v
  !Undefined variable $w
  !Trying to access array offset on null
  !Undefined variable $v
  !Undefined variable $w
  !Attempt to read property "" on null
52
  !Undefined variable $u
Error: Can only throw objects
53
54
  !Undefined variable $u
55
  !Undefined variable $u
  !Undefined variable $v
  !Undefined variable $w
array(1) {
  [""]=>
  array(1) {
    [""]=>
    NULL
  }
}
56
  !Undefined variable $u
  !Undefined variable $v
57
  !Undefined variable $u
  !foreach() argument must be of type array|object, null given
  !Undefined variable $u
  !foreach() argument must be of type array|object, null given
58
  !Undefined variable $u
  !Undefined variable $v
59
  !Undefined variable $v
Error: Class name must be a valid object or a string
60
  !Undefined variable $u
  !Undefined variable $v
  !exit(): Passing null to parameter #1 ($status) of type string|int is deprecated
