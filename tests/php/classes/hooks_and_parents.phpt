--TEST--
property hooks: parents' storage, loops, defaults
--FILE--
<?php
class A { public int $p = 1; public $q; private $r; }
class B extends A { public int $p { get => parent::$p::get(1); set { parent::$p::set(1, 2); } } 
  public $q { get => parent::$q::get(x: 1); set { parent::$q::set(value: 5); parent::$q::set(y: 5); } } 
  public $r { get => parent::$r::get(); }
  public $z { get => parent::$z::get(); }
  }
$b = new B;
function a1($b) { $b->p = 3; } function a2($b) { $b->q = 3; }
foreach ([fn() => $b->p, fn() => $b->q, fn() => a1($b), fn() => a2($b), fn() => $b->r, fn()=>$b->z] as $f) try { var_dump($f()); } catch (Error $e) { echo get_class($e), $e->getMessage(), "\n"; }
var_dump($b);
class G extends A { public int $p { get { throw new Exception("x"); } set {parent::$p::set("abc"); } } }
try { (new G)->p; } catch (Exception $e) { echo $e->getTraceAsString(), "\n"; }
try { $g = new G; $g->p = 1; } catch (Error $e) { echo $e->getMessage(), "\n", $e->getTraceAsString(), "\n"; }
class H { public $v { get => 5; } private $h = 3; public $b = 1 { get => $this->b + 10; } function each() { foreach ($this as $k => $v) { echo "$k=>$v "; } } }
foreach (new H as $k => $v) echo "$k=>$v "; (new H)->each();

class Plain { public $a = 1; public int $b = 1; public $c = 1; }
class Hooked extends Plain {
    public $a { get => parent::$a::get(); }
    public int $b { get => parent::$b::get(); }
    public $c = 2 { get => parent::$c::get() * 2; }
}
foreach (['a', 'b', 'c'] as $name) try { var_dump((new Hooked)->$name); } catch (Error $e) { echo $e->getMessage(), "\n"; }
class References { private $store = 1; public $r { &get => $this->store; } public readonly int $once; public $plain = 3; public $virtual { get => 1; } }
$o = new References;
try { foreach ($o as $k => &$v) { echo "$k "; $v = 9; } } catch (Error $e) { echo $e->getMessage(), "\n"; }
unset($v);
var_dump($o);
enum Twice: int { case A = 1; case B = 1; }
for ($i = 0; $i < 2; $i++) try { Twice::from(1); } catch (Error $e) { echo $e->getMessage(), "\n"; }
trait Counter { public static $n = 0; public static function add() { return ++self::$n; } public const LIMIT = 5; }
for ($i = 0; $i < 2; $i++) { Counter::add(); Counter::$n++; }
class Limited { public const LIMIT = 5; }
class Counting extends Limited { use Counter; }
var_dump(Counting::LIMIT);
trait Narrow { function take() {} }
class Wide { function take($x) {} }
class Both extends Wide { use Narrow; }
--STATUS--
255
--EXPECT--
ArgumentCountErrorA::$p::get() expects exactly 0 arguments, 1 given
ErrorUnknown named parameter $x
ArgumentCountErrorA::$p::set() expects exactly 1 argument, 2 given
ErrorUnknown named parameter $y
ErrorCannot access private property A::$r
ErrorUndefined property A::$z
object(B)#1 (2) {
  ["p"]=>
  uninitialized(int)
  ["q"]=>
  int(5)
  ["r":"A":private]=>
  NULL
}
#0 case.php(13): G->$p::get()
#1 {main}
Cannot assign string to property G::$p of type int
#0 case.php(12): A->$p::set('abc')
#1 case.php(14): G->$p::set(1)
#2 {main}
v=>5 b=>11 v=>5 h=>3 b=>11 NULL
Typed property Hooked::$b must not be accessed before initialization
int(4)
r plain Cannot create reference to property References::$virtual
object(References)#6 (2) {
  ["store":"References":private]=>
  int(9)
  ["once"]=>
  uninitialized(int)
  ["plain"]=>
  int(9)
}
Duplicate value in enum Twice for cases A and B
Duplicate value in enum Twice for cases A and B

Deprecated: Calling static trait method Counter::add is deprecated, it should only be called on a class using the trait in case.php on line 33

Deprecated: Accessing static trait property Counter::$n is deprecated, it should only be accessed on a class using the trait in case.php on line 32

Deprecated: Accessing static trait property Counter::$n is deprecated, it should only be accessed on a class using the trait in case.php on line 33

Deprecated: Calling static trait method Counter::add is deprecated, it should only be called on a class using the trait in case.php on line 33

Deprecated: Accessing static trait property Counter::$n is deprecated, it should only be accessed on a class using the trait in case.php on line 32

Deprecated: Accessing static trait property Counter::$n is deprecated, it should only be accessed on a class using the trait in case.php on line 33
int(5)

Fatal error: Declaration of Narrow::take() must be compatible with Wide::take($x) in case.php on line 37
