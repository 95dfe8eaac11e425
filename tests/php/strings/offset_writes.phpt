--TEST--
String offsets: unset, references, assignment by keys of every type
--FILE--
<?php
echo "1\n"; $n=false; unset($n[$u]);
echo "2\n"; $n=false; unset($n[$u][$u2]);
echo "3\n"; unset($q[$u]);
echo "4\n"; unset($q[$u][$u2]);
echo "5\n"; $n=null; unset($n[$u][$u2]);
echo "6\n"; unset($q->a[$u2]);
echo "7\n"; unset($q['a'][1]);
echo "8\n"; $s="abc"; try { unset($s[$u]); } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { unset($s[$u][1]); } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { unset($s["1x"][1]); } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { unset($s[new stdClass]); } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { $s[[]][1] = 1; } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { $s[[]] = 1; } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { $s[[]] .= 1; } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { $r = &$s[[]]; } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { $s["1x"][1] = 1; } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { $s["1x"] = 1; } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { echo $s["1x"]; } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { echo $s["x"]; } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { echo $s["1.5"]; } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { echo $s[[]]; } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { echo $s[1.7]; } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { echo $s[null]; } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { echo $s[STDIN]; } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { var_dump($s["x"] ?? 'd', isset($s["1"]), isset($s["1x"]), isset($s[1.5]), isset($s[null]), isset($s[true]), isset($s[[]]), empty($s["0"]), isset($s["1"]["0"]), isset($s[STDIN])); } catch (Error $e) {echo $e->getMessage(),"\n"; }
try { ["x" => $b] = "abc"; var_dump($b); } catch (Error $e) {echo $e->getMessage(),"\n"; }
--EXPECT--
1

Warning: Undefined variable $u in case.php on line 2

Deprecated: Automatic conversion of false to array is deprecated in case.php on line 2
2

Deprecated: Automatic conversion of false to array is deprecated in case.php on line 3

Warning: Undefined variable $u in case.php on line 3

Warning: Undefined variable $u2 in case.php on line 3
3

Warning: Undefined variable $q in case.php on line 4

Warning: Undefined variable $u in case.php on line 4
4

Warning: Undefined variable $q in case.php on line 5

Warning: Undefined variable $u in case.php on line 5

Warning: Undefined variable $u2 in case.php on line 5
5

Warning: Undefined variable $u in case.php on line 6

Warning: Undefined variable $u2 in case.php on line 6
6

Warning: Undefined variable $q in case.php on line 7

Warning: Undefined variable $u2 in case.php on line 7
7

Warning: Undefined variable $q in case.php on line 8
8

Warning: Undefined variable $u in case.php on line 9
Cannot unset string offsets

Warning: Undefined variable $u in case.php on line 10

Warning: String offset cast occurred in case.php on line 10
Cannot use string offset as an array
Cannot use string offset as an array
Cannot unset string offsets
Cannot access offset of type array on string
Cannot access offset of type array on string
Cannot access offset of type array on string
Cannot access offset of type array on string

Warning: Illegal string offset "1x" in case.php on line 17
Cannot use string offset as an array

Warning: Illegal string offset "1x" in case.php on line 18

Warning: Illegal string offset "1x" in case.php on line 19
1Cannot access offset of type string on string
Cannot access offset of type string on string
Cannot access offset of type array on string

Warning: String offset cast occurred in case.php on line 23
1
Warning: String offset cast occurred in case.php on line 24
aCannot access offset of type resource on string

Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 26
string(1) "d"
bool(true)
bool(false)
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
bool(true)
bool(false)
NULL
