--TEST--
Overriding, parent, static and abstract
--FILE--
<?php
abstract class Shape { function __construct(protected string $name) {} abstract function area(): float; function describe() { return sprintf("%s %s %.2f", static::class, $this->name, $this->area()); } static function make(...$a): static { return new static(...$a); } }
class Circle extends Shape { function __construct(private float $r) { parent::__construct("circle"); } function area(): float { return M_PI * $this->r ** 2; } }
final class Square extends Shape { function __construct(private float $s) { parent::__construct("square"); } function area(): float { return $this->s ** 2; } function describe() { return "[" . parent::describe() . "]"; } }
foreach ([Circle::make(2), Square::make(3)] as $shape) echo $shape->describe(), "\n";
try { new Shape("x"); } catch (Error $error) { echo $error->getMessage(), "\n"; }
try { Shape::make(1); } catch (Error $error) { echo $error->getMessage(), "\n"; }
var_dump($shape instanceof Shape, $shape instanceof Circle, get_parent_class($shape), is_subclass_of($shape, "Shape"), method_exists("Shape", "make"));
class A { const NAME = "a"; function test() { return [self::NAME, static::NAME]; } } class B extends A { const NAME = "b"; } echo implode((new B)->test()), "\n";
--EXPECT--
Circle circle 12.57
[Square square 9.00]
Cannot instantiate abstract class Shape
Cannot instantiate abstract class Shape
bool(true)
bool(false)
string(5) "Shape"
bool(true)
bool(true)
ab
