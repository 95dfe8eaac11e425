--TEST--
Writes to typed properties: what needs no check, what is coerced, what is refused
--FILE--
<?php
final class C { private int $v = 0; public ?string $s = null; public float $f = 1.5; public int|string $u = 1; public readonly int $r; public bool $b = false; public array $a = []; public self|null $me = null; public iterable $it = [];
 function __construct() { $this->r = 1; }
 function run() { for ($i = 0; $i < 3; $i++) { $this->v += $i; $this->v++; $this->f += 1; $this->f = 2; $this->u = "x$i"; $this->u = $i; $this->s = 'lit'; $this->s = null; $this->b = true; $this->a = [1]; $this->it = [2];
   try { $this->r = 5; } catch (Error $e) { echo $e->getMessage(), "\n"; } try { $this->r++; } catch (Error $e) { echo $e->getMessage(), "\n"; }
   try { $this->v = "abc"; } catch (TypeError $e) { echo $e->getMessage(), "\n"; } $this->v = "12"; try { $this->b = []; } catch (TypeError $e) { echo $e->getMessage(), "\n"; } $this->b = 5; 
   try { $this->me = 1; } catch (TypeError $e) { echo $e->getMessage(), "\n"; } $this->me = null;
   $this->v = PHP_INT_MAX; try { $this->v++; } catch (TypeError $e) { echo $e->getMessage(), "\n"; } try { $this->v += 1; } catch (TypeError $e) { echo $e->getMessage(), "\n"; } $this->v = 3; var_dump($this); } } }
(new C)->run();
--EXPECT--
Cannot modify readonly property C::$r
Cannot modify readonly property C::$r
Cannot assign string to property C::$v of type int
Cannot assign array to property C::$b of type bool
Cannot assign int to property C::$me of type ?self
Cannot increment property C::$v of type int past its maximal value
Cannot assign float to property C::$v of type int
object(C)#1 (9) {
  ["v":"C":private]=>
  int(3)
  ["s"]=>
  NULL
  ["f"]=>
  float(2)
  ["u"]=>
  int(0)
  ["r"]=>
  int(1)
  ["b"]=>
  bool(true)
  ["a"]=>
  array(1) {
    [0]=>
    int(1)
  }
  ["me"]=>
  NULL
  ["it"]=>
  array(1) {
    [0]=>
    int(2)
  }
}
Cannot modify readonly property C::$r
Cannot modify readonly property C::$r
Cannot assign string to property C::$v of type int
Cannot assign array to property C::$b of type bool
Cannot assign int to property C::$me of type ?self
Cannot increment property C::$v of type int past its maximal value
Cannot assign float to property C::$v of type int
object(C)#1 (9) {
  ["v":"C":private]=>
  int(3)
  ["s"]=>
  NULL
  ["f"]=>
  float(2)
  ["u"]=>
  int(1)
  ["r"]=>
  int(1)
  ["b"]=>
  bool(true)
  ["a"]=>
  array(1) {
    [0]=>
    int(1)
  }
  ["me"]=>
  NULL
  ["it"]=>
  array(1) {
    [0]=>
    int(2)
  }
}
Cannot modify readonly property C::$r
Cannot modify readonly property C::$r
Cannot assign string to property C::$v of type int
Cannot assign array to property C::$b of type bool
Cannot assign int to property C::$me of type ?self
Cannot increment property C::$v of type int past its maximal value
Cannot assign float to property C::$v of type int
object(C)#1 (9) {
  ["v":"C":private]=>
  int(3)
  ["s"]=>
  NULL
  ["f"]=>
  float(2)
  ["u"]=>
  int(2)
  ["r"]=>
  int(1)
  ["b"]=>
  bool(true)
  ["a"]=>
  array(1) {
    [0]=>
    int(1)
  }
  ["me"]=>
  NULL
  ["it"]=>
  array(1) {
    [0]=>
    int(2)
  }
}
