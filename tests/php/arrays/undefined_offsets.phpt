--TEST--
Offsets of undefined variables in every kind of access
--FILE--
<?php
$a=[1,2];
echo "-str\n"; unset($a["no"][1]);
echo "-int\n"; unset($a[7][1]);
echo "-null\n"; unset($a[null][1]);
echo "-undef\n"; unset($a[$u][1]);
#($a[1.5][1]);
echo "-true\n"; $b=[]; unset($b[true][1]);
echo "-strstr\n"; $s="abc"; try { unset($s["x"][1]);} catch(Error $e) {echo $e->getMessage(),"\n";}
try { unset($s[1.5][1]);} catch(Error $e) {echo $e->getMessage(),"\n";}
try { unset($s[null][1]);} catch(Error $e) {echo $e->getMessage(),"\n";}
try { unset($s[[]][1]);} catch(Error $e) {echo $e->getMessage(),"\n";}
try { unset($s[10][1]);} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $s[$u][1] = 1;} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $s["x"][1] = 1;} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $r = &$s["x"];} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $r = &$s[true];} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $s["x"] .= 1;} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $s[$u] .= $u2;} catch(Error $e) {echo $e->getMessage(),"\n";}
$i=5;
try { unset($i[$u]);} catch(Error $e) {echo $e->getMessage(),"\n";}
try { unset($i[$u][$u]);} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $i[$u] .= $u2;} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $i[$u][$u] .= $u2;} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $i[$u][$u] = $u2;} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $i[] = $u2;} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $i[] .= $u2;} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $s[] = $u2;} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $i[$u]++;} catch(Error $e) {echo $e->getMessage(),"\n";}
try { $x = $i[$u][$u2] ?? $u3; var_dump(isset($i[$u][$u2]), empty($a[$u])); } catch(Error $e) {echo $e->getMessage(),"\n";}
try { foreach ($i[$u] as &$v); } catch(Error $e) {echo $e->getMessage(),"\n";}
try { $n = null; foreach ($n[$u] as &$v); var_dump($n); } catch(Error $e) {echo $e->getMessage(),"\n";}
function f(&$x) {}
try { $n = null; f($n[$u][$u]); var_dump($n); } catch(Error $e) {echo $e->getMessage(),"\n";}
$n=null; unset($n[$u]); unset($n[$u][$u]); var_dump($n);
$n=false; unset($n[$u]); unset($n[$u][$u]); var_dump($n);
$n=false; $n[$u][$u]=$u; var_dump($n);
unset($q[$u][$u]);
--EXPECT--
-str
-int
-null
-undef

Warning: Undefined variable $u in case.php on line 6
-true
-strstr
Cannot unset string offsets

Warning: String offset cast occurred in case.php on line 10
Cannot use string offset as an array

Warning: String offset cast occurred in case.php on line 11
Cannot use string offset as an array
Cannot unset string offsets
Cannot use string offset as an array

Warning: Undefined variable $u in case.php on line 14

Warning: String offset cast occurred in case.php on line 14
Cannot use string offset as an array
Cannot access offset of type string on string
Cannot access offset of type string on string

Warning: String offset cast occurred in case.php on line 17
Cannot create references to/from string offsets
Cannot access offset of type string on string

Warning: Undefined variable $u in case.php on line 19

Warning: String offset cast occurred in case.php on line 19
Cannot use assign-op operators with string offsets

Warning: Undefined variable $u in case.php on line 21
Cannot unset offset in a non-array variable
Cannot unset offset in a non-array variable

Warning: Undefined variable $u in case.php on line 23
Cannot use a scalar value as an array
Cannot use a scalar value as an array
Cannot use a scalar value as an array
Cannot use a scalar value as an array
Cannot use a scalar value as an array
[] operator not supported for strings
Cannot use a scalar value as an array

Warning: Undefined variable $u in case.php on line 30

Warning: Undefined variable $u2 in case.php on line 30

Warning: Undefined variable $u3 in case.php on line 30

Warning: Undefined variable $u in case.php on line 30

Warning: Undefined variable $u2 in case.php on line 30

Warning: Undefined variable $u in case.php on line 30
bool(false)
bool(true)
Cannot use a scalar value as an array

Warning: Undefined variable $u in case.php on line 32

Warning: foreach() argument must be of type array|object, null given in case.php on line 32
array(1) {
  [""]=>
  NULL
}

Warning: Undefined variable $u in case.php on line 34

Warning: Undefined variable $u in case.php on line 34
array(1) {
  [""]=>
  array(1) {
    [""]=>
    NULL
  }
}

Warning: Undefined variable $u in case.php on line 35

Warning: Undefined variable $u in case.php on line 35

Warning: Undefined variable $u in case.php on line 35
NULL

Warning: Undefined variable $u in case.php on line 36

Deprecated: Automatic conversion of false to array is deprecated in case.php on line 36

Deprecated: Automatic conversion of false to array is deprecated in case.php on line 36

Warning: Undefined variable $u in case.php on line 36

Warning: Undefined variable $u in case.php on line 36
bool(false)

Deprecated: Automatic conversion of false to array is deprecated in case.php on line 37

Warning: Undefined variable $u in case.php on line 37

Warning: Undefined variable $u in case.php on line 37

Warning: Undefined variable $u in case.php on line 37
array(1) {
  [""]=>
  array(1) {
    [""]=>
    NULL
  }
}

Warning: Undefined variable $q in case.php on line 38

Warning: Undefined variable $u in case.php on line 38

Warning: Undefined variable $u in case.php on line 38
