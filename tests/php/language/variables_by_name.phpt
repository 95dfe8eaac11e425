--TEST--
Variable variables, globals, compact, extract
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# globals\n";
$x = 1; function f() { $GLOBALS['x']++; $GLOBALS['new'] = 'n'; unset($GLOBALS['del']); foreach ($GLOBALS as $k => $v) if ($k == 'x') echo "found $v\n"; var_dump(isset($GLOBALS['x'], $GLOBALS['nope']), count($GLOBALS) > 3, array_key_exists('x', $GLOBALS)); $c = $GLOBALS; $c['x'] = 'copy'; return $GLOBALS['x']; } $del = 1; var_dump(f(), $new, isset($del), $GLOBALS['GLOBALS'] ?? 'none'); $n = 'dyn'; $GLOBALS[$n] = 5; echo $dyn, ${'dyn'}, $GLOBALS['undef'] ?? 'U', "\n"; echo $GLOBALS['undef2']; $GLOBALS['arr']['a'][] = 1; var_dump($arr); (fn() => $GLOBALS['x'] = 'arrow')(); echo $x, "\n"; extract(['x' => 'extracted']); echo $x; $GLOBALS['x'] .= 'y'; echo $x; $f = 'x'; global $x; echo $x;

echo "# varvars\n";
$a = 'b'; $b = 'c'; $c = 'end'; echo $$a, $$$a, ${$a}, ${'a' . ''}, "{$$a}", "\n"; ${'weird name'} = 1; ${'1'} = 2; ${''} = 3; var_dump(${'weird name'}, ${1}, ${''}); $arr = ['k' => 'a']; echo ${$arr['k']}, "\n"; $$arr['k'] ?? 0; function f1() { $n = 'loc'; $$n = 5; echo $loc; unset($$n); var_dump(isset($loc)); $t = 'this'; try { var_dump($$t); } catch (Error $e) { echo $e->getMessage(); } } f1(); class Q { function m() { $t = 'this'; var_dump($$t === $this); try { $$t = 5; } catch (Error $e) { echo $e->getMessage(), "\n"; } } } (new Q)->m(); $o = new stdClass; $p = 'x y'; $o->$p = 1; $o->{'a-b'} = 2; $o->{''} = 3; var_dump($o); $m = 'strtoupper'; echo $m('x'), [new ArrayObject([1]), 'count'](), "\n"; foreach ([1] as $$a) echo $b; 

echo "# compact\n";
function f2($a, $b = 2) { $c = 3; $u = compact('a', ['b', ['c']], 'nope'); var_dump($u); extract(['a' => 'A', 'this' => 1, '1x' => 2, 'new var' => 3, 'c' => 4], EXTR_SKIP); var_dump($a, get_defined_vars()); var_dump(extract(['a' => 1, 'q' => 2], EXTR_PREFIX_ALL, 'p'), $p_a, $p_q, extract(['a' => 'over']), $a); $src = ['r' => 1]; extract($src, EXTR_REFS); $r = 5; var_dump($src); try { extract(['a' => 1], 99); } catch (ValueError $e) { echo $e->getMessage(), "\n"; } try { extract(['a' => 1], EXTR_PREFIX_ALL); } catch (ValueError $e) { echo $e->getMessage(), "\n"; } var_dump(extract(['a' => 'x', 'zz' => 'new'], EXTR_PREFIX_SAME, 'dup'), $dup_a ?? null, $zz, extract(['a' => 'only', 'nn' => 1], EXTR_IF_EXISTS), isset($nn), extract(['0' => 'zero'], EXTR_PREFIX_INVALID, 'inv'), $inv_0, extract(['a' => 'pie', 'mm' => 1], EXTR_PREFIX_IF_EXISTS, 'pie'), $pie_a); } f2(1); compact('x', 5); 

echo "# compact dynamic\n";
function f3() { try { 'compact'('x'); } catch (Error $e) { echo $e->getMessage(), "\n"; } try { array_map('extract', [['a' => 1]]); } catch (Error $e) { echo $e->getMessage(), "\n"; } try { call_user_func('get_defined_vars'); } catch (Error $e) { echo $e->getMessage(), "\n"; } try { call_user_func('func_get_args'); } catch (Error $e) { echo $e->getMessage(), "\n"; } $f = 'extract'; try { $f(['b' => 1]); } catch (Error $e) { echo $e->getMessage(), "\n"; } $z = compact(...); try { $z('f'); } catch (Error $e) { echo $e->getMessage(), "\n"; } } f3(); func_get_args();
--STATUS--
255
--EXPECT--
# globals
found 2
bool(false)
bool(true)
bool(true)
int(2)
string(1) "n"
bool(false)
string(4) "none"
55U

Warning: Undefined global variable $undef2 in case.php on line 5
array(1) {
  ["a"]=>
  array(1) {
    [0]=>
    int(1)
  }
}
arrow
extractedextractedyextractedy# varvars
cendcbc
int(1)
int(2)
int(3)
b

Warning: Array to string conversion in case.php on line 8
5bool(false)

Warning: Undefined variable $this in case.php on line 8
NULL
bool(true)
Cannot re-assign $this
object(stdClass)#1 (3) {
  ["x y"]=>
  int(1)
  ["a-b"]=>
  int(2)
  [""]=>
  int(3)
}
X1
1# compact

Warning: compact(): Undefined variable $nope in case.php on line 11
array(3) {
  ["a"]=>
  int(1)
  ["b"]=>
  int(2)
  ["c"]=>
  int(3)
}
int(1)
array(4) {
  ["a"]=>
  int(1)
  ["b"]=>
  int(2)
  ["c"]=>
  int(3)
  ["u"]=>
  array(3) {
    ["a"]=>
    int(1)
    ["b"]=>
    int(2)
    ["c"]=>
    int(3)
  }
}
int(2)
int(1)
int(2)
int(1)
string(4) "over"
array(1) {
  ["r"]=>
  &int(5)
}
extract(): Argument #2 ($flags) must be a valid extract type
extract(): Argument #3 ($prefix) is required when using this extract type
int(2)
string(1) "x"
string(3) "new"
int(1)
bool(false)
int(1)
string(4) "zero"
int(1)
string(3) "pie"

Warning: compact(): Argument #2 must be string or array of strings, int given in case.php on line 11
# compact dynamic

Warning: compact(): Undefined variable $x in case.php on line 14
Cannot call extract() dynamically
Cannot call extract() dynamically
Cannot call compact() dynamically

Fatal error: Uncaught Error: func_get_args() cannot be called from the global scope in case.php:14
Stack trace:
#0 case.php(14): func_get_args()
#1 {main}
  thrown in case.php on line 14
