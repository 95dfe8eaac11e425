<?php
interface Shape { const SIDES = 0; function area(): float; }
abstract class Named implements Shape { protected $name = 'x' . 1; const X = self::Y . 'a', Y = 1; function __construct(private readonly int $id = self::Y, public array $list = [1, UNKNOWN]) { echo self::Y, self::X, static::X; } abstract function hidden($a = 1); function __toString() { return static::class; } }
trait Counting { private static int $n = 0; static function count() { return ++self::$n . __CLASS__ . __TRAIT__ . __METHOD__ . self::class; } }
final class Circle extends Named { use Counting { count as protected tally; } public float $r { get => $this->r; set => $value * 2; } public string $v { get { return 'v'; } } function area(): float { return M_PI * $this->r ** 2; } function hidden($a = 1) { return parent::__construct(1) ?? parent::__toString(); } }
enum Suit: string { case Hearts = 'H'; case Spades = 'S'; const Wild = self::Spades; static function pick(): self { return self::Wild; } function label() { return $this->name . self::Hearts->value; } }
class Simple { public int $a = 1; }
class Extended extends Simple { public static $s = [Simple::class => 1]; }
class Late extends Missing { }
