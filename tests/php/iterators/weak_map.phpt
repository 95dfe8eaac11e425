--TEST--
WeakMap: by reference, cloned, nested writes, cycles, errors and their traces
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# weakmap\n";
$m = new WeakMap; $a = new D('a'); $b = new D('b'); $m[$a] = 1; $m[$b] = [1]; foreach ($m as $k => &$v) { if (is_int($v)) $v = 100; else $v[] = 2; } unset($v); var_dump(count($m), $m[$a], $m[$b]);
$c = clone $m; $m[$a] = 5; var_dump($c[$a]); unset($c[$a]); var_dump(count($m), count($c)); unset($k, $a); var_dump(count($m), count($c)); 
try { $m['x'] = 1; } catch (TypeError $e) { echo $e->getMessage(), "\n"; } try { $m[] = 1; } catch (Error $e) { echo $e->getMessage(), "\n"; } try { $m[new D(1)]; } catch (Error $e) { echo $e->getMessage(), "\n"; } try { isset($m['q']); } catch (Error $e) { echo $e->getMessage(), "\n"; } try { unset($m[1]); } catch (Error $e) { echo $e->getMessage(), "\n"; } try { serialize($m); } catch (Exception $e) { echo $e->getMessage(), "\n"; } try { $m->x = 1; } catch (Error $e) { echo $e->getMessage(), "\n"; } try { unserialize('O:7:"WeakMap":0:{}'); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
$r = &$m[$b]; $r = 'ref'; var_dump($m[$b]); $m[$b] .= 'x'; var_dump($r); unset($r); var_dump(isset($m[$b]), empty($m[$b]), $m[$b] ?? 'def'); $m[$b] = null; var_dump(isset($m[$b]), $m->offsetExists($b)); var_dump($m); foreach ($m as $k => $v) { unset($m[$k]); } var_dump(count($m));

echo "# weakmap in iteration removal\n";
$m = new WeakMap; $os = []; for ($i = 0; $i < 5; $i++) { $os[$i] = new D($i); $m[$os[$i]] = $i; } foreach ($m as $k => $v) { echo "at $v\n"; if ($v == 1) { unset($os[2]); $os[3] = null; } unset($k); } var_dump(count($m));

echo "# weakref\n";
$o = new D(1); $r = WeakReference::create($o); var_dump($r->get() === $o, WeakReference::create($o) === $r); $o = null; var_dump($r->get()); try { new WeakReference; } catch (Error $e) { echo $e->getMessage(), "\n"; } try { clone $r; } catch (Error $e) { echo $e->getMessage(), "\n"; } try { serialize($r); } catch (Exception $e) { echo $e->getMessage(), "\n"; } try { $r->x = 1; } catch (Error $e) { echo $e->getMessage(), "\n"; } try { WeakReference::create('x'); } catch (Error $e) { echo $e->getMessage(), "\n"; } var_dump($r);
class Z { public static $w; function __destruct() { var_dump(self::$w->get()); } } $z = new Z; Z::$w = WeakReference::create($z); $z = null; var_dump(Z::$w->get());
--EXPECT--
# weakmap
int(2)
int(100)
array(2) {
  [0]=>
  int(1)
  [1]=>
  int(2)
}
int(100)
int(2)
int(1)
Da gone
int(1)
int(1)
WeakMap key must be an object
Cannot append to WeakMap
D1 gone
Object D#2 not contained in WeakMap
WeakMap key must be an object
WeakMap key must be an object
Serialization of 'WeakMap' is not allowed
Cannot create dynamic property WeakMap::$x
Unserialization of 'WeakMap' is not allowed
string(3) "ref"
string(3) "ref"
bool(true)
bool(false)
string(4) "refx"
bool(false)
bool(false)
object(WeakMap)#1 (1) {
  [0]=>
  array(2) {
    ["key"]=>
    object(D)#3 (1) {
      ["n"]=>
      string(1) "b"
    }
    ["value"]=>
    NULL
  }
}
int(0)
# weakmap in iteration removal
at 0
at 1
D2 gone
D3 gone
at 4
int(3)
# weakref
bool(true)
bool(true)
D1 gone
NULL
Direct instantiation of WeakReference is not allowed, use WeakReference::create instead
Trying to clone an uncloneable object of class WeakReference
Serialization of 'WeakReference' is not allowed
Cannot create dynamic property WeakReference::$x
WeakReference::create(): Argument #1 ($object) must be of type object, string given
object(WeakReference)#8 (1) {
  ["object"]=>
  NULL
}
object(Z)#5 (0) {
}
NULL
Db gone
D0 gone
D1 gone
D4 gone
