--TEST--
Error handlers that take away the variable that is being written
--FILE--
<?php
ob_start(fn($text) => str_replace(__FILE__, 'FILE', $text));
// An error handler that takes away the variable that is being written: the write goes nowhere.
function boom() { global $a; $a = null; for ($i = 0; $i < 50; $i++) { $GLOBALS["gg$i"] = [$i, "x$i"]; } }
set_error_handler(function ($n, $m) { echo "[$m]"; boom(); return true; });
$tests = [
 'nested dim undef data' => function () { global $a; $a = [[1, 2], 3]; $a[0][1] = $undef; var_dump($a); },
 'dim undef data' => function () { global $a; $a = [[1, 2], 3]; $a[0] = $undef; var_dump($a); },
 'dim op data undef' => function () { global $a; $a = [[1, 2], 3]; $a[0][1] .= $undef; var_dump($a); },
 'dim op array conv' => function () { global $a; $a = [["k", 2], 3]; $a[0][0] .= [1]; var_dump($a); },
 'dim op array conv2' => function () { global $a; $a = ["k", 3]; $r = $a[0] .= [1]; var_dump($a, $r); },
 'inc' => function () { global $a; $a = [[null, "a-b"], 3]; $a[0][1]--; var_dump($a); },
 'inc2' => function () { global $a; $a = [[true, "a-b"], 3]; $r = $a[0][0]++; var_dump($a, $r); },
 'varvar' => function () { $n = 'zz'; $$n = $undef; $$n .= [1]; var_dump($$n); },
 'glob' => function () { $GLOBALS['zz'] = $undef; var_dump($GLOBALS['zz']); $GLOBALS['zz'] .= [1]; var_dump($GLOBALS['zz']); },
 'undef key' => function () { global $a; $a = [[1, 2], 3]; $a[0][$undef] = 5; var_dump($a); },
 'undef key rw' => function () { global $a; $a = [[1, 2], 3]; $a[0]["nokey"] .= "x"; var_dump($a); },
 'undef key rw deep' => function () { global $a; $a = [[1, 2], 3]; $a[0]["nokey"]["b"] .= "x"; var_dump($a); },
 'false to array' => function () { global $a; $a = [[false, 2], 3]; $a[0][0][] = 5; var_dump($a); },
 'float key' => function () { global $a; $a = [[1, 2], 3]; $a[0][1.5] = 5; var_dump($a); },
 'ref undef' => function () { global $a; $a = [[1, 2], 3]; $x = &$a[0][1]; $x = $undef; var_dump($a, $x); },
 'list' => function () { global $a; $a = [[1, 2], 3]; [$a[0][1], $a[0][0]] = [$undef, $undef2]; var_dump($a); },
 'list2' => function () { global $a; $a = [[1, 2], 3]; [$a[0][1], $a[0][0]] = [1]; var_dump($a); },
 'str offset' => function () { global $a; $a = ["abc", 3]; $a[0][1] = $undef; var_dump($a); },
 'str offset2' => function () { global $a; $a = ["abc", 3]; $a[0][1] = "xyz"; var_dump($a); },
 'str offset3' => function () { global $a; $a = ["abc", 3]; $a[0]["1x"] = "xyz"; var_dump($a); },
 'str offset4' => function () { global $a; $a = "abc"; $a[1.7] = "xyz"; var_dump($a); },
 'obj prop op2' => function () { global $a; $a = new stdClass; $a->p = "a"; $r = $a->p .= []; var_dump($a, $r); },
 'obj dim' => function () { global $a; $a = new stdClass; $a->p = [1]; $a->p[0] .= []; var_dump($a); },
 'obj dim2' => function () { global $a; $a = new stdClass; $a->p = [1]; $a->p[0][1] = 5; var_dump($a); },
 'obj dim3' => function () { global $a; $a = new stdClass; $a->p = [false]; $a->p[0][1] = 5; var_dump($a); },
 'static' => function () { static $s = [false]; global $a; $a = &$s; $s[0][] = 1; var_dump($s); },
 'pow' => function () { global $a; $a = ["5 apples"]; $r = $a[0] **= 2; var_dump($a, $r); $a = ["5 apples"]; $r = $a[0] += "6 x"; var_dump($a, $r); },
 'local ref' => function () { global $a; $a = "5 apples"; $r = $a += 2; var_dump($a, $r); $a = "a"; $r = $a .= []; var_dump($a, $r);},
];
foreach ($tests as $name => $f) {
  echo "--- $name: ";
  try { $f(); } catch (Error $e) { echo get_class($e), ": ", $e->getMessage(), "\n"; }
}
echo "done\n";
--EXPECT--
--- nested dim undef data: [Undefined variable $undef]NULL
--- dim undef data: [Undefined variable $undef]NULL
--- dim op data undef: [Undefined variable $undef]NULL
--- dim op array conv: [Array to string conversion]NULL
--- dim op array conv2: [Array to string conversion]NULL
string(6) "kArray"
--- inc: [Decrement on non-numeric string has no effect and is deprecated]NULL
--- inc2: [Increment on type bool has no effect, this will change in the next major version of PHP]NULL
bool(true)
--- varvar: [Undefined variable $undef][Array to string conversion]string(5) "Array"
--- glob: [Undefined variable $undef]NULL
[Array to string conversion]string(5) "Array"
--- undef key: [Undefined variable $undef]NULL
--- undef key rw: [Undefined array key "nokey"]NULL
--- undef key rw deep: [Undefined array key "nokey"][Undefined array key "b"]NULL
--- false to array: [Automatic conversion of false to array is deprecated]NULL
--- float key: [Implicit conversion from float 1.5 to int loses precision]NULL
--- ref undef: [Undefined variable $undef]NULL
NULL
--- list: [Undefined variable $undef][Undefined variable $undef2]array(1) {
  [0]=>
  array(2) {
    [1]=>
    NULL
    [0]=>
    NULL
  }
}
--- list2: [Undefined array key 1]array(1) {
  [0]=>
  array(1) {
    [0]=>
    NULL
  }
}
--- str offset: [Undefined variable $undef]NULL
--- str offset2: [Only the first byte will be assigned to the string offset]NULL
--- str offset3: [Illegal string offset "1x"]NULL
--- str offset4: [String offset cast occurred]NULL
--- obj prop op2: [Array to string conversion]NULL
string(6) "aArray"
--- obj dim: [Array to string conversion]NULL
--- obj dim2: Error: Cannot use a scalar value as an array
--- obj dim3: [Automatic conversion of false to array is deprecated]NULL
--- static: [Automatic conversion of false to array is deprecated]array(1) {
  [0]=>
  array(1) {
    [0]=>
    int(1)
  }
}
--- pow: [A non-numeric value encountered]NULL
int(25)
[A non-numeric value encountered][A non-numeric value encountered]NULL
int(11)
--- local ref: [A non-numeric value encountered]int(7)
int(7)
[Array to string conversion]string(6) "aArray"
string(6) "aArray"
done
