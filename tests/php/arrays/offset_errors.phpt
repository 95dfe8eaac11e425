--TEST--
Offsets of wrong types, and false that becomes an array
--FILE--
<?php
$nn = 0;
set_error_handler(function($n,$m){echo "  !$m\n";});
function t($f) { global $k; echo ++$GLOBALS["nn"], "\n"; try { $f(); } catch (Throwable $t) { do echo get_class($t), ': ', $t->getMessage(), "\n"; while ($t = $t->getPrevious()); } }
$n = [[1]]; $o = new stdClass; $r = fopen('php://memory', 'r');
foreach ([$o, [], 1.5] as $k) { global $kk;
t(function () use ($n, $k) { unset($n[$k][1]); });
t(function () use ($n, $k) { unset($n[$k]); });
t(function () use ($n, $k) { unset($n[$k]->x); });
t(function () use ($n, $k) { $n[$k]++; });
t(function () use ($n, $k) { $x = &$n[$k]; });
t(function () use ($n, $k) { [$k => $z] = $n; });
t(function () use ($n, $k) { [$k => &$z] = $n; });
t(function () use ($n, $k) { isset($n[$k][1]); });
t(function () use ($n, $k) { isset($n[0][$k]); });
t(function () use ($n, $k) { empty($n[$k]); });
t(function () use ($n, $k) { $n[$k] ??= 1; });
t(function () use ($n, $k) { $x = [$k => 1]; });
t(function () use ($n, $k) { array_key_exists($k, $n); });
t(function () use ($k) { unset($GLOBALS[$k]); });
t(function () use ($k) { $GLOBALS[$k] = 1; });
t(function () use ($k) { $x = $GLOBALS[$k]; });
t(function () use ($k) { $s = "abc"; $s[$k] = 'x'; });
t(function () use ($k) { $s = "abc"; unset($s[$k]); });
}
$r=false; $q=&$r; 
t(function () use (&$q) { $q = false; $q[1][2] = 3; });
t(function () use (&$q) { $q = false; $q[1] = 3; });
t(function () use (&$q) { $q = false; $q[1] .= 3; });
t(function () use (&$q) { $q = false; $q[] = 3; });
t(function () use (&$q) { $q = false; $x = &$q[]; });
t(function () use (&$q) { $q = false; unset($q[1]); });
t(function () use (&$q) { $q = false; unset($q[1][2]); });
t(function () use (&$q) { $q = false; unset($q[$u][2]); });
t(function () use (&$q) { $q = false; [$q[1], $q[2]] = [1, 2]; });
t(function () use (&$q) { $q = false; foreach ($q[1] as &$x); });
t(function () use (&$q) { $q = [false]; $y = &$q[0]; $q[0][1] = 2; });
t(function () use (&$q) { $q = [false]; $y = &$q[0]; $q[0][1][2] = 2; });
t(function () { $p = new stdClass; $p->x = false; $y = &$p->x; $p->x[1][2] = 2; });
t(function () { $p = new stdClass; $p->x = false; $p->x[1][2] = 2; });
t(function () use (&$q) { $q = null; unset($q[$u][2]); });
t(function () use (&$q) { $q = 5; unset($q[$u][2]); });
t(function () { $q = null; unset($q[$u][2]); });
--EXPECT--
1
TypeError: Cannot access offset of type stdClass on array
2
TypeError: Cannot unset offset of type stdClass on array
3
TypeError: Cannot access offset of type stdClass on array
4
TypeError: Cannot access offset of type stdClass on array
5
TypeError: Cannot access offset of type stdClass on array
6
TypeError: Cannot access offset of type stdClass on array
7
TypeError: Cannot access offset of type stdClass on array
8
TypeError: Cannot access offset of type stdClass on array
9
TypeError: Cannot access offset of type stdClass in isset or empty
10
TypeError: Cannot access offset of type stdClass in isset or empty
11
TypeError: Cannot access offset of type stdClass on array
12
TypeError: Cannot access offset of type stdClass on array
13
TypeError: Cannot access offset of type stdClass on array
14
Error: Object of class stdClass could not be converted to string
15
Error: Object of class stdClass could not be converted to string
16
Error: Object of class stdClass could not be converted to string
17
TypeError: Cannot access offset of type stdClass on string
18
Error: Cannot unset string offsets
19
TypeError: Cannot access offset of type array on array
20
TypeError: Cannot unset offset of type array on array
21
TypeError: Cannot access offset of type array on array
22
TypeError: Cannot access offset of type array on array
23
TypeError: Cannot access offset of type array on array
24
TypeError: Cannot access offset of type array on array
25
TypeError: Cannot access offset of type array on array
26
TypeError: Cannot access offset of type array on array
27
TypeError: Cannot access offset of type array in isset or empty
28
TypeError: Cannot access offset of type array in isset or empty
29
TypeError: Cannot access offset of type array on array
30
TypeError: Cannot access offset of type array on array
31
TypeError: Cannot access offset of type array on array
32
  !Array to string conversion
33
  !Array to string conversion
34
  !Array to string conversion
35
TypeError: Cannot access offset of type array on string
36
Error: Cannot unset string offsets
37
  !Implicit conversion from float 1.5 to int loses precision
38
  !Implicit conversion from float 1.5 to int loses precision
39
  !Implicit conversion from float 1.5 to int loses precision
40
  !Implicit conversion from float 1.5 to int loses precision
  !Undefined array key 1
41
  !Implicit conversion from float 1.5 to int loses precision
42
  !Implicit conversion from float 1.5 to int loses precision
  !Undefined array key 1
43
  !Implicit conversion from float 1.5 to int loses precision
44
  !Implicit conversion from float 1.5 to int loses precision
45
  !Implicit conversion from float 1.5 to int loses precision
46
  !Implicit conversion from float 1.5 to int loses precision
47
  !Implicit conversion from float 1.5 to int loses precision
  !Implicit conversion from float 1.5 to int loses precision
48
  !Implicit conversion from float 1.5 to int loses precision
49
  !Implicit conversion from float 1.5 to int loses precision
50
51
52
53
  !String offset cast occurred
54
Error: Cannot unset string offsets
55
56
  !Automatic conversion of false to array is deprecated
57
  !Automatic conversion of false to array is deprecated
  !Undefined array key 1
58
  !Automatic conversion of false to array is deprecated
59
60
  !Automatic conversion of false to array is deprecated
61
62
  !Undefined variable $u
63
  !Automatic conversion of false to array is deprecated
64
  !foreach() argument must be of type array|object, null given
65
  !Automatic conversion of false to array is deprecated
66
67
68
  !Automatic conversion of false to array is deprecated
69
  !Undefined variable $u
70
Error: Cannot unset offset in a non-array variable
71
  !Undefined variable $u
