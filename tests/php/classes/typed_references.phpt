--TEST--
references that typed properties are bound to
--FILE--
<?php
class Test {
    public int|string $x;
    public float|string $y;
    public int $z;
    public int|bool $flag = PHP_INT_MAX;
    public static ?int $static = 1;
    public static string $text;
}
function attempt(callable $f) { try { $f(); } catch (Error $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }
$t = new Test;
$r = 'word';
$t->x = &$r;
$t->y = &$r;
attempt(function () use (&$r) { $r = 42; });
attempt(function () use (&$r) { $r = 4.5; });
attempt(function () use (&$r) { $r = []; });
$r = 'other';
var_dump($r);
unset($r, $t->x, $t->y);
$t->x = 42;
attempt(function () use ($t) { $t->y = &$t->x; });
attempt(function () use ($t) { $a = []; $t->y = &$a; });
attempt(function () use ($t) { $a = &$t->z; });
attempt(function () use ($t) { $a = &Test::$text; });
attempt(function () use ($t) { $t->flag++; });
$f = &$t->flag;
attempt(function () use ($t) { $t->flag++; });
attempt(function () use (&$f) { $f++; });
$plain = &Test::$static;
Test::$static = &$other;
$plain = 'free again';
attempt(function () use (&$other) { $other = 'bound'; });
attempt(fn() => Test::$text[] = 1);
attempt(fn() => Test::$static['a'] = 1);
class Getter {
    public int $number;
    public $word = 'w';
    public $answer = '42';
    function &__get($name) { return $this->answer; }
}
$g = new Getter;
unset($g->number);
var_dump($g->number);
$g->answer = 'w';
attempt(fn() => $g->number);
--EXPECT--
TypeError: Cannot assign int to reference held by property Test::$x of type string|int and property Test::$y of type string|float, as this would result in an inconsistent type conversion

Deprecated: Implicit conversion from float 4.5 to int loses precision in case.php on line 16
TypeError: Cannot assign float to reference held by property Test::$x of type string|int and property Test::$y of type string|float, as this would result in an inconsistent type conversion
TypeError: Cannot assign array to reference held by property Test::$x of type string|int
string(5) "other"
TypeError: Reference with value of type int held by property Test::$x of type string|int is not compatible with property Test::$y of type string|float
TypeError: Cannot assign array to property Test::$y of type string|float
Error: Cannot access uninitialized non-nullable property Test::$z by reference
Error: Cannot access uninitialized non-nullable property Test::$text by reference
TypeError: Cannot increment property Test::$flag of type int|bool past its maximal value
TypeError: Cannot increment a reference held by property Test::$flag of type int|bool past its maximal value
TypeError: Cannot increment a reference held by property Test::$flag of type int|bool past its maximal value
TypeError: Cannot assign string to reference held by property Test::$static of type ?int
TypeError: Cannot auto-initialize an array inside property Test::$text of type string
TypeError: Cannot auto-initialize an array inside property Test::$static of type ?int
int(42)
TypeError: Value of type string returned from Getter::__get() must be compatible with unset property Getter::$number of type int
