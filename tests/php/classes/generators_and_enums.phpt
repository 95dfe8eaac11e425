--TEST--
Generators, enums and traits
--FILE--
<?php
function numbers($n) { for ($i = 1; $i <= $n; $i++) { $sent = yield $i => $i * $i; if ($sent) echo "[$sent]"; } return "done"; }
$g = numbers(3); foreach ($g as $k => $v) echo "$k=$v "; echo $g->getReturn(), "\n"; $g = numbers(3); echo $g->current(), $g->send("hello"), "\n";
function outer() { yield 0; $r = yield from numbers(2); yield $r; } foreach (outer() as $v) echo $v, " "; echo "\n";
enum Suit: string { case Hearts = "H"; case Spades = "S"; const Wild = self::Spades; function label(): string { return ucfirst(strtolower($this->name)); } static function pick() { return self::Hearts; } }
echo Suit::from("S")->label(), Suit::tryFrom("X")?->name ?? "none", count(Suit::cases()), Suit::Wild->value, Suit::pick() === Suit::Hearts ? "same" : "", "\n";
trait Greets { private $greeting = "Hello"; static $count = 0; function greet() { self::$count++; return "$this->greeting from " . static::class . " " . self::class . " " . __TRAIT__; } abstract function id(); } class Greeter { use Greets { greet as protected traitGreet; } function id() {} function greet() { return strtoupper($this->traitGreet()); } } echo (new Greeter)->greet(), Greeter::$count, "\n";
--EXPECT--
1=1 2=4 3=9 done
1[hello]4
0 1 4 done 
Spadesnone2Ssame
HELLO FROM GREETER GREETER GREETS1
