--TEST--
Destructors of values that are overwritten, unset or left
--FILE--
<?php
ob_start(fn($text) => str_replace(__FILE__, 'FILE', $text));
// Destructors of values that are overwritten or left: what they see, throw and overwrite.
class D { public $n; function __construct($n) { $this->n = $n; }
  function __destruct() { global $f; if ($f) { $g = $f; $f = null; $g($this); } } }
class T { public $p; public ?D $t = null; static $s; static ?D $st = null; public array $arr = []; }
class TR { public int|D|null $x = 1; public D|string|null $y = null; }
function thrower() { global $f; $f = function ($d) { throw new Exception("dtor {$d->n}"); }; }
function setter($code) { global $f; $f = $code; }
$tests = [
 'assign throw' => function () { $a = new D(1); thrower(); try { $a = 5; } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($a); },
 'assign result throw' => function () { $a = new D(1); $b = 0; thrower(); try { $b = $a = 5; } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($a, $b); },
 'assign overwritten' => function () { global $a; $a = new D(1); setter(function () { global $a; $a = "by dtor"; }); $r = $a = 5; var_dump($a, $r); },
 'dim throw' => function () { $a = [new D(1)]; thrower(); try { $a[0] = 5; } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($a); },
 'dim overwritten' => function () { global $a; $a = [new D(1)]; setter(function () { global $a; $a = "by dtor"; }); $r = $a[0] = 5; var_dump($a, $r); },
 'dim append' => function () { global $a; $a = [[new D(1)]]; setter(function () { global $a; $a = []; for ($i = 0; $i < 99; $i++) $a[] = $i; }); $r = $a[0][0] = [5]; var_dump(count($a), $r); },
 'obj throw' => function () { $a = new T; $a->p = new D(1); thrower(); try { $a->p = 5; } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($a); },
 'obj typed throw' => function () { $a = new T; $a->t = new D(1); thrower(); try { $a->t = null; } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($a); },
 'obj overwritten' => function () { global $a; $a = new T; $a->p = new D(1); setter(function () { global $a; $a = "by dtor"; }); $r = $a->p = 5; var_dump($a, $r); },
 'obj typed overwritten' => function () { global $a; $a = new T; $a->t = new D(1); setter(function () { global $a; $a->t = new D("by dtor"); }); $r = $a->t = new D(3); var_dump($a, $r); },
 'obj dyn' => function () { global $a; $a = new stdClass; $a->p = new D(1); setter(function () { global $a; for ($i = 0; $i < 99; $i++) $a->{"p$i"} = $i; }); $r = $a->p = 5; var_dump(count((array)$a), $r); },
 'static throw' => function () { T::$s = new D(1); thrower(); try { T::$s = 5; } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump(T::$s); },
 'static overwritten' => function () { T::$s = new D(1); setter(function () { T::$s = "by dtor"; }); $r = T::$s = 5; var_dump(T::$s, $r); },
 'static typed overwritten' => function () { T::$st = new D(1); setter(function () { T::$st = null; }); $r = T::$st = new D(2); var_dump(T::$st, $r); },
 'static typed ref' => function () { T::$st = new D(1); $z = &T::$st; setter(function () { T::$st = null; }); $r = $z = new D(2); var_dump(T::$st, $r); },
 'typed ref' => function () { $o = new TR; $o->y = new D(1); $r = &$o->y; thrower(); try { $q = $r = "s"; } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($o, $r, $q ?? 'unset'); },
 'typed ref 2' => function () { global $o, $r; $o = new TR; $o->y = new D(1); $r = &$o->y; setter(function () { global $o; $o = null; unset($GLOBALS['r']); }); $q = $r = "s"; var_dump($o, $q); },
 'unset throw' => function () { $a = new D(1); thrower(); try { unset($a); } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump(isset($a)); },
 'unset dim' => function () { global $a; $a = [new D(1), 2]; setter(function () { global $a; var_dump(count($a)); $a = 7; }); unset($a[0]); var_dump($a); },
 'unset prop' => function () { global $a; $a = new T; $a->p = new D(1); setter(function () { global $a; var_dump(isset($a->p)); $a->p = 4; }); unset($a->p); var_dump($a); },
 'unset prop dyn' => function () { global $a; $a = new stdClass; $a->p = new D(1); setter(function () { global $a; var_dump(isset($a->p)); $a->p = 4; }); unset($a->p); var_dump($a); },
 'list' => function () { $a = new D(1); $b = new D(2); thrower(); try { [$a, $b] = [3, 4]; } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($a, $b); },
 'list nested' => function () { global $a; $a = [new D(1), new D(2)]; setter(function () { global $a; $a = [9]; }); [$a[0], $a[1]] = [3, 4]; var_dump($a); },
 'foreach var' => function () { $v = new D(1); thrower(); try { foreach ([1, 2] as $v) { echo "body $v\n"; } } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($v); },
 'foreach var 2' => function () { global $v; $v = new D(1); setter(function () { global $v; $v = 'by dtor'; }); foreach ([1, 2] as $v) { var_dump($v); } },
 'foreach key' => function () { $k = new D(1); thrower(); try { foreach ([1, 2] as $k => $v) { echo "body $v\n"; } } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($k, $v); },
 'foreach dim' => function () { global $a; $a = [new D(1)]; setter(function () { global $a; $a = [8, 9]; }); foreach ([1, 2] as $a[0]) { var_dump($a); } },
 'foreach ref' => function () { $v = new D(1); $arr = [1, 2]; thrower(); try { foreach ($arr as &$v) { echo "body $v\n"; } } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($v, $arr); },
 'global' => function () { $GLOBALS['gx'] = 3; $gx = new D(1); thrower(); try { global $gx; } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($gx); },
 'static var' => function () { $sx = new D(1); thrower(); try { static $sx = 4; } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($sx); },
 'ref assign' => function () { $a = new D(1); $b = 2; thrower(); try { $r = $a = &$b; } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($a, $b, $r ?? 'unset'); $a = 4; var_dump($b); },
 'ref assign dim' => function () { global $a; $a = [new D(1)]; $b = 2; setter(function () { global $a; $a = null; }); $r = $a[0] = &$b; var_dump($a, $b, $r); },
 'ref assign prop' => function () { global $a; $a = new T; $a->p = new D(1); $b = 2; setter(function () { global $a; $a = null; }); $r = $a->p = &$b; var_dump($a, $b, $r); },
 'ref assign typed prop' => function () { global $a; $a = new T; $a->t = new D(1); $b = null; setter(function () { global $a; $a = null; }); $r = $a->t = &$b; var_dump($a, $b, $r); $b = 5; var_dump($b); },
 'ref assign static' => function () { T::$s = new D(1); $b = 2; setter(function () { T::$s = 8; }); $r = T::$s = &$b; var_dump(T::$s, $b, $r); $b = 3; var_dump(T::$s); },
 'op' => function () { $a = new ArrayObject; $x = [new D(1)]; thrower(); try { $r = $x .= "s"; } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($x, $r ?? 'unset'); },
 'op dim' => function () { global $x; $x = ['k' => [new D(1)]]; setter(function () { global $x; $x = null; }); $r = @($x['k'] .= "s"); var_dump($x, $r ?? 'unset'); },
 'op prop' => function () { global $x; $x = new T; $x->p = [new D(1)]; setter(function () { global $x; $x = null; }); $r = @($x->p .= "s"); var_dump($x, $r ?? 'unset'); },
 'op plus' => function () { global $x; $x = [[new D(1)]]; setter(function () { global $x; $x = null; }); try { $r = $x[0][0] += 1; } catch (TypeError $e) { echo $e->getMessage(), "\n"; } var_dump($x[0][0]->n ?? null); },
 'catch var' => function () { $e = new D(1); thrower(); try { try { throw new Exception("orig"); } catch (Exception $e) { echo "caught\n"; } } catch (Exception $e2) { echo $e2->getMessage(), "\n"; } var_dump(get_class($e)); },
 'arg' => function () { (function ($x) { thrower(); $x = 1; })(new D(1)); },
 'return' => function () { thrower(); $r = (function () { $x = new D(1); return 5; })(); var_dump($r); },
 'return 2' => function () { thrower(); try { $r = (function () { $x = new D(1); try { return 5; } finally { echo "fin\n"; } })(); } catch (Exception $e) { echo $e->getMessage(), " ", $e->getTraceAsString(), "\n"; } var_dump($r ?? 'unset'); },
 'return value chain' => function () { try { (function () { $x = new D(1); thrower(); throw new LogicException("inner"); })(); } catch (Exception $e) { echo get_class($e), $e->getMessage(), " prev ", get_class($e->getPrevious()), "\n", $e->getTraceAsString(), "\n"; } },
 'many locals' => function () { try { (function () { $x = new D(1); $y = new D(2); $z = new D(3); thrower(); })(); } catch (Exception $e) { echo $e->getMessage(), "\n", $e->getTraceAsString(), "\n"; } },
 'extra args' => function () { try { (function () { thrower(); })(new D(1), new D(2)); } catch (Exception $e) { echo $e->getMessage(), "\n", $e->getTraceAsString(), "\n"; } },
 'this' => function () { try { (new class(1) extends D { function m() { thrower(); return 4; } })->m(); } catch (Exception $e) { echo $e->getMessage(), "\n", $e->getTraceAsString(), "\n"; } },
 'by name' => function () { function named_f($x) { debug_print_backtrace(); } setter(function () { debug_print_backtrace(); }); named_f(new D(1)); echo "after\n"; },
 'callback' => function () { setter(function () { debug_print_backtrace(); }); array_map(function ($v) { $l = $v; }, [1]); array_map(function ($v) { $l = new D($v); }, [1]); echo "after\n"; },
 'generator' => function () { $g = (function () { $x = new D(1); yield 1; })(); foreach ($g as $v) { setter(function () { debug_print_backtrace(); }); } echo "after\n"; },
 'include' => function () { setter(function () { debug_print_backtrace(); }); eval('$q = new D(1); unset($q);'); setter(function () { debug_print_backtrace(); }); (function () { eval('$q = new D(1);'); })(); },
 'varvar' => function () { $n = 'zz'; $$n = new D(1); setter(function () { for ($i = 0; $i < 99; $i++) $GLOBALS["q$i"] = $i; }); $r = $$n = 5; var_dump($zz, $r); },
 'globals arr' => function () { $GLOBALS['zz'] = new D(1); setter(function () { for ($i = 0; $i < 99; $i++) $GLOBALS["q$i"] = $i; unset($GLOBALS['zz']); }); $r = $GLOBALS['zz'] = 5; var_dump(isset($GLOBALS['zz']), $r); },
 'swap' => function () { global $a; $a = [[new D(1), 'x'], 'y']; setter(function () { global $a; $a = 'gone'; }); $a[0] = $a[0][1]; var_dump($a); },
 'null coalesce assign' => function () { global $a; $a = ['k' => null]; setter(function () { global $a; $a = 'gone'; }); $a['k'] ??= (function () { $l = new D(1); return 5; })(); var_dump($a); },
 'incdec' => function () { global $o; $o = new TR; $o->x = PHP_INT_MAX; try { $o->x++; } catch (TypeError $e) { echo $e->getMessage(), "\n"; } $r = &$o->x; try { $r++; } catch (TypeError $e) { echo $e->getMessage(), "\n"; } var_dump($o); },
];
foreach ($tests as $name => $t) {
  echo "--- $name\n";
  try { $t(); } catch (Throwable $e) { echo get_class($e), ": ", $e->getMessage(), "\n", $e->getTraceAsString(), "\n"; }
  $f = null;
}
echo "done\n";
--EXPECT--
--- assign throw
dtor 1
int(5)
--- assign result throw
dtor 1
int(5)
int(0)
--- assign overwritten
string(7) "by dtor"
int(5)
--- dim throw
dtor 1
array(1) {
  [0]=>
  int(5)
}
--- dim overwritten
string(7) "by dtor"
int(5)
--- dim append
int(99)
array(1) {
  [0]=>
  int(5)
}
--- obj throw
dtor 1
object(T)#58 (3) {
  ["p"]=>
  int(5)
  ["t"]=>
  NULL
  ["arr"]=>
  array(0) {
  }
}
--- obj typed throw
dtor 1
object(T)#61 (3) {
  ["p"]=>
  NULL
  ["t"]=>
  NULL
  ["arr"]=>
  array(0) {
  }
}
--- obj overwritten
string(7) "by dtor"
int(5)
--- obj typed overwritten
object(T)#59 (3) {
  ["p"]=>
  NULL
  ["t"]=>
  object(D)#62 (1) {
    ["n"]=>
    string(7) "by dtor"
  }
  ["arr"]=>
  array(0) {
  }
}
object(D)#58 (1) {
  ["n"]=>
  int(3)
}
--- obj dyn
int(100)
int(5)
--- static throw
dtor 1
int(5)
--- static overwritten
string(7) "by dtor"
int(5)
--- static typed overwritten
NULL
object(D)#62 (1) {
  ["n"]=>
  int(2)
}
--- static typed ref
NULL
object(D)#59 (1) {
  ["n"]=>
  int(2)
}
--- typed ref
dtor 1
object(TR)#59 (2) {
  ["x"]=>
  int(1)
  ["y"]=>
  &string(1) "s"
}
string(1) "s"
string(5) "unset"
--- typed ref 2
NULL
string(1) "s"
--- unset throw
dtor 1
bool(false)
--- unset dim
int(1)
int(7)
--- unset prop
bool(false)
object(T)#60 (3) {
  ["p"]=>
  int(4)
  ["t"]=>
  NULL
  ["arr"]=>
  array(0) {
  }
}
--- unset prop dyn
bool(false)
object(stdClass)#58 (1) {
  ["p"]=>
  int(4)
}
--- list
dtor 1
int(3)
object(D)#62 (1) {
  ["n"]=>
  int(2)
}
--- list nested
array(2) {
  [0]=>
  int(9)
  [1]=>
  int(4)
}
--- foreach var
dtor 1
int(1)
--- foreach var 2
string(7) "by dtor"
int(2)
--- foreach key
dtor 1
int(0)
int(1)
--- foreach dim
array(2) {
  [0]=>
  int(8)
  [1]=>
  int(9)
}
array(2) {
  [0]=>
  int(2)
  [1]=>
  int(9)
}
--- foreach ref
dtor 1
int(1)
array(2) {
  [0]=>
  &int(1)
  [1]=>
  int(2)
}
--- global
dtor 1
NULL
--- static var
dtor 1
int(4)
--- ref assign
dtor 1
int(2)
int(2)
string(5) "unset"
int(4)
--- ref assign dim
NULL
int(2)
int(2)
--- ref assign prop
NULL
int(2)
int(2)
--- ref assign typed prop
NULL
NULL
NULL
int(5)
--- ref assign static
int(8)
int(8)
int(8)
int(3)
--- op

Warning: Array to string conversion in FILE on line 46
dtor 1
string(6) "Arrays"
string(5) "unset"
--- op dim
NULL
string(6) "Arrays"
--- op prop
NULL
string(6) "Arrays"
--- op plus
Unsupported operand types: D + int
int(1)
--- catch var
dtor 1
string(9) "Exception"
--- arg
Exception: dtor 1
#0 FILE(5): {closure:thrower():8}(Object(D))
#1 FILE(51): D->__destruct()
#2 FILE(51): {closure:{closure:FILE:51}:51}(1)
#3 FILE(70): {closure:FILE:51}()
#4 {main}
--- return
Exception: dtor 1
#0 FILE(5): {closure:thrower():8}(Object(D))
#1 FILE(52): D->__destruct()
#2 FILE(70): {closure:FILE:52}()
#3 {main}
--- return 2
fin
dtor 1 #0 FILE(5): {closure:thrower():8}(Object(D))
#1 FILE(53): D->__destruct()
#2 FILE(70): {closure:FILE:53}()
#3 {main}
string(5) "unset"
--- return value chain
Exceptiondtor 1 prev LogicException
#0 FILE(5): {closure:thrower():8}(Object(D))
#1 FILE(54): D->__destruct()
#2 FILE(70): {closure:FILE:54}()
#3 {main}
--- many locals
dtor 1
#0 FILE(5): {closure:thrower():8}(Object(D))
#1 FILE(55): D->__destruct()
#2 FILE(70): {closure:FILE:55}()
#3 {main}
--- extra args
dtor 1
#0 FILE(5): {closure:thrower():8}(Object(D))
#1 FILE(56): D->__destruct()
#2 FILE(70): {closure:FILE:56}()
#3 {main}
--- this
dtor 1
#0 FILE(5): {closure:thrower():8}(Object(D@anonymous))
#1 FILE(57): D->__destruct()
#2 FILE(70): {closure:FILE:57}()
#3 {main}
--- by name
#0 FILE(58): named_f(Object(D))
#1 FILE(70): {closure:FILE:58}()
#0 FILE(5): {closure:{closure:FILE:58}:58}(Object(D))
#1 FILE(58): D->__destruct()
#2 FILE(70): {closure:FILE:58}()
after
--- callback
#0 FILE(5): {closure:{closure:FILE:59}:59}(Object(D))
#1 [internal function]: D->__destruct()
#2 FILE(59): array_map(Object(Closure), Array)
#3 FILE(70): {closure:FILE:59}()
after
--- generator
#0 FILE(5): {closure:{closure:FILE:60}:60}(Object(D))
#1 FILE(60): D->__destruct()
#2 FILE(70): {closure:FILE:60}()
after
--- include
#0 FILE(5): {closure:{closure:FILE:61}:61}(Object(D))
#1 FILE(61) : eval()'d code(1): D->__destruct()
#2 FILE(61): eval()
#3 FILE(70): {closure:FILE:61}()
#0 FILE(5): {closure:{closure:FILE:61}:61}(Object(D))
#1 FILE(61): D->__destruct()
#2 FILE(70): {closure:FILE:61}()
--- varvar
int(5)
int(5)
--- globals arr
bool(false)
int(5)
--- swap
string(4) "gone"
--- null coalesce assign
TypeError: Cannot access offset of type string on string
#0 FILE(70): {closure:FILE:65}()
#1 {main}
--- incdec
Cannot increment property TR::$x of type D|int|null past its maximal value
Cannot increment a reference held by property TR::$x of type D|int|null past its maximal value
object(TR)#64 (2) {
  ["x"]=>
  &int(9223372036854775807)
  ["y"]=>
  NULL
}
done
