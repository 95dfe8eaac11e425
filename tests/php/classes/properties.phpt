--TEST--
Declared, typed, static and dynamic properties
--FILE--
<?php
class Point { public int $x = 1; public ?string $label = null; public float $f = 2; public static int $count = 0; public int $later; public readonly array $fixed; function __construct() { self::$count++; $this->fixed = [1]; } }
$p = new Point; new Point; echo Point::$count, "\n";
$p->x = "42"; var_dump($p->x); $p->f = 3; var_dump($p->f);
foreach ([fn() => $p->x = "no", fn() => $p->later, fn() => $p->fixed[] = 2, fn() => $p->fixed = [], fn() => $p->label = [], fn() => Point::$missing] as $try) {
    try { $try(); } catch (Error $error) { echo get_class($error), ": ", $error->getMessage(), "\n"; }
}
$p->dynamic = 1;
$r = &$p->x; try { $r = "text"; } catch (TypeError $error) { echo $error->getMessage(), "\n"; }
$p->x = PHP_INT_MAX; try { $p->x++; } catch (TypeError $error) { echo $error->getMessage(), "\n"; }
var_dump($p);
--EXPECT--
2
int(42)
float(3)
TypeError: Cannot assign string to property Point::$x of type int
Error: Typed property Point::$later must not be accessed before initialization
Error: Cannot indirectly modify readonly property Point::$fixed
Error: Cannot modify readonly property Point::$fixed
TypeError: Cannot assign array to property Point::$label of type ?string
Error: Access to undeclared static property Point::$missing

Deprecated: Creation of dynamic property Point::$dynamic is deprecated in case.php on line 8
Cannot assign string to reference held by property Point::$x of type int
Cannot increment a reference held by property Point::$x of type int past its maximal value
object(Point)#1 (5) {
  ["x"]=>
  &int(9223372036854775807)
  ["label"]=>
  NULL
  ["f"]=>
  float(3)
  ["later"]=>
  uninitialized(int)
  ["fixed"]=>
  array(1) {
    [0]=>
    int(1)
  }
  ["dynamic"]=>
  int(1)
}
