--TEST--
isset, empty and unset of every kind of expression
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# unset nullsafe ok\n";
$o = new stdClass; $o->p = [1]; unset($o->p[0]); var_dump($o); class S { static $p = [1, 2]; static $q = 1; } unset(S::$p[0]); var_dump(S::$p); function f() { return new D(1); } unset(f()->n); try { unset($this->x); } catch (Error $e) { echo $e->getMessage(), "\n"; } $s = 'abc'; try { unset($s[0]); } catch (Error $e) { echo $e->getMessage(), "\n"; } foreach ([1, 2] as $k => $v) { unset($k, $v); } $r = &$t; $t = 1; unset($r); var_dump($t);

echo "# isset all\n";
class S1 { static $q = 1; static $n = null; const C = ['k' => 1]; public $p = ['a' => null]; private $priv = 1; public ?S1 $next = null; } $o = new S1; $n = null; $str = 'abc'; var_dump(isset($u), isset($n), isset($o->p), isset($o->p['a']), isset($o->p['a']['b']), isset($o->priv), isset($o->next->next->p), isset(S1::$q), isset(S1::$n), isset(S1::$nope), isset($str[0]), isset($str[5]), isset($str['0']), isset($str['x']), isset($str[0][0]), isset($str[0][1]), isset($str[-1]), isset($str['1.0']), isset($str[1.7]), isset($str[true]), isset($str[null]), isset($str[' 1']), isset(S1::C['k']), isset([1, 2][1]), isset((new S1)->p), isset($u->a->b()->c), isset($o?->next?->p), isset($o->p, $u), isset($GLOBALS['o']), isset($$u), isset(${'o'}), isset($this), isset($u[f1()]), empty($u), empty('0'), empty([]), empty(0.0), empty($str[0]), empty($str[9]), empty($o->p), empty(S1::$nope), empty(strlen('')), empty(new stdClass), empty($u[1][2]), empty($o->priv)); function f1() { echo "called\n"; }

echo "# isset static class undefined\n";
var_dump(isset(Nope::$x)); 

echo "# nullsafe\n";
class N { public ?N $n = null; public $v = 'val'; function m($x = 0) { echo "m($x)\n"; return $this; } function nul() { return null; } public array $a = ['k' => 'ak']; } $o = new N; $z = null; function arg() { echo "arg evaluated\n"; return 1; } var_dump($o?->v, $z?->v, $z?->v->w->x, $z?->m(arg())->n, $o?->nul()?->m(arg())?->v, $o?->m(arg())?->nul()?->a['k']['z'], $z?->a[arg()], isset($z?->a['x']), $z?->v ?? 'def', empty($z?->v), $o?->n?->n ?? 'deep', "str {$z?->v} $o?->v $z?->v end", $z?->m(...$u ?? []), ($z?->v)?->w, $z?->{arg()}, (fn() => $z?->v)(), [$z?->v], $z?->v . 'x', $z?->n::class ?? 'c'); foreach ($z?->a ?? [] as $q); try { ($z?->v)->w(); } catch (Error $e) { echo $e->getMessage(), "\n"; } 
--STATUS--
255
--EXPECT--
# unset nullsafe ok
object(stdClass)#1 (1) {
  ["p"]=>
  array(0) {
  }
}
array(1) {
  [1]=>
  int(2)
}

Warning: Undefined property: D::$n in case.php on line 2
D gone
Using $this when not in object context
Cannot unset string offsets
int(1)
# isset all

Deprecated: Implicit conversion from float 1.7 to int loses precision in case.php on line 8

Warning: Undefined variable $u in case.php on line 8

Warning: Attempt to read property "a" on null in case.php on line 8

Fatal error: Uncaught Error: Call to a member function b() on null in case.php:8
Stack trace:
#0 {main}
  thrown in case.php on line 8
