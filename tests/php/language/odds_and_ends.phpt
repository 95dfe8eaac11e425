--TEST--
offsets, keys, magic constants, arrow functions, constants of arrays
--FILE--
<?php
try { $c = [1 => 0, 2 => 0]; $c(); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { $c = [0 => 0]; $c(); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { $c = [0 => 'a', 1 => 'b', 2 => 1]; $c(); } catch (Error $e) { echo $e->getMessage(), "\n"; }
var_dump(new class { private $foo; });
$key = "foo"; $key .= "bar";
set_error_handler(function($_, $m) use (&$key) { echo "$m\n"; $key .= "baz"; });
$ary = []; $ary[$key]++; $ary[$key] += 1; $ary[$key] .= 'x'; var_dump($ary);
restore_error_handler();
unset($GLOBALS['nope']['bar']);
function f() { return (fn() => $b + $c)(); }
var_dump(f());
$x = 'abc';
try { unset($x[0][1]); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { unset($x[0]); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { unset($x[0]->y); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { $x[0]->y = 1; } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { $x[0][0] = 1; } catch (Error $e) { echo $e->getMessage(), "\n"; }
class Foo { const X = __METHOD__; const Y = __FUNCTION__; }
function foo2() { class Bar { const X = __METHOD__; const Y = __FUNCTION__; public $p = __METHOD__; } var_dump(Bar::X, Bar::Y, (new Bar)->p); }
foo2(); var_dump(Foo::X, Foo::Y);
class T { public $a; }
function undefs() { $o = new T; $o->$p = $v; }
try { undefs(); } catch (Error $e) { echo $e->getMessage(), "\n"; }
$e = [1, 2]; $e[] = &$e;
$d = [1, 2]; $d[] = &$d;
try { var_dump($e == $d); } catch (Error $x) { echo $x->getMessage(), "\n"; }
try { define('REC', $e); } catch (ValueError $x) { echo $x->getMessage(), "\n"; }
$v = 7; define('REFS', [&$v]); $v = 8; var_dump(REFS);
class At implements ArrayAccess {
    public function offsetExists($o): bool { var_dump($o); return true; }
    public function offsetUnset($o): void { var_dump($o); }
    public function offsetSet($o, $v): void { var_dump($o); }
    public function offsetGet($o): mixed { var_dump($o); return null; }
}
$test = new At;
isset($test['0']); empty($test['12']); unset($test['0']); $test['123'] = 1; $q = $test['123']; $test['5']['6'] ?? 1;
['7' => $z, 8 => $y] = $test; $test['9']++;
--EXPECT--
Array callback has to contain indices 0 and 1
Array callback must have exactly two elements
Array callback must have exactly two elements
object(class@anonymous)#2 (1) {
  ["foo":"class@anonymous":private]=>
  NULL
}
Undefined array key "foobar"
Undefined array key "foobarbaz"
Undefined array key "foobarbazbaz"
array(3) {
  ["foobar"]=>
  int(1)
  ["foobarbaz"]=>
  int(1)
  ["foobarbazbaz"]=>
  string(1) "x"
}

Warning: Undefined variable $b in case.php on line 11

Warning: Undefined variable $c in case.php on line 11
int(0)
Cannot use string offset as an array
Cannot unset string offsets
Cannot use string offset as an object
Cannot use string offset as an object
Cannot use string offset as an array
string(0) ""
string(4) "foo2"
string(0) ""
string(0) ""
string(0) ""

Warning: Undefined variable $v in case.php on line 23

Warning: Undefined variable $p in case.php on line 23

Deprecated: Creation of dynamic property T::$ is deprecated in case.php on line 23
Nesting level too deep - recursive dependency?
define(): Argument #2 ($value) cannot be a recursive array
array(1) {
  [0]=>
  int(7)
}
string(1) "0"
string(2) "12"
string(2) "12"
string(1) "0"
string(3) "123"
string(3) "123"
string(1) "5"
string(1) "5"
string(1) "7"
int(8)
string(1) "9"

Notice: Indirect modification of overloaded element of At has no effect in case.php on line 38
