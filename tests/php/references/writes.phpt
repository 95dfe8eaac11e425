--TEST--
Rules of writes: initialisers, results by reference, unset, conversions that let go
--FILE--
<?php
ob_start(fn($text) => str_replace(__FILE__, 'FILE', $text));
// Small rules of writes.
echo "-- recursion in the initialiser of a static variable: the innermost value stays\n";
function depth($n) { static $value = $n < 3 ? depth($n + 1) : "from $n"; var_dump($value); return $n; }
depth(0); depth(7);
echo "-- an assignment by reference as an argument by reference\n";
function change(&$x) { $x = 'changed'; }
$b = 1; change($a = &$b); var_dump($a, $b);
class P { public $p; public static $s; public ?P $typed = null; public string $text = ''; }
$o = new P; $c = 1; change($o->p = &$c); var_dump($o->p, $c);
$d = 1; change(P::$s = &$d); var_dump(P::$s, $d);
echo "-- unset looks for nothing but its variable\n";
$list = [[1]]; unset($list["no"]["such"], $list[0]["no"]["such"]); unset($nothing["no"]["such"], $nothing[$key][1]);
$false = false; unset($false["a"]["b"]); var_dump($false);
foreach ([1, "text"] as $scalar) { try { unset($scalar[0][1]); } catch (Error $e) { echo $e->getMessage(), "\n"; } }
echo "-- an object that is let go while its property's type converts\n";
class Converts { function __toString(): string { $GLOBALS['holder'] = null; return 'text'; } }
$holder = new P;
try { $holder->text = new Converts; } catch (Error $e) { echo $e->getMessage(), "\n"; }
$holder = new P; $other = $holder;
$holder->text = new Converts; var_dump($other->text, $holder);
echo "-- a typed reference that is let go while its type converts\n";
$holder = new P; $reference = &$holder->text;
class Unsets { function __toString(): string { global $holder; $holder = null; unset($GLOBALS['reference']); return 'text'; } }
var_dump($reference = new Unsets, isset($reference));
echo "-- yield from an aggregate's generator shows no calls of its methods\n";
class Aggregate implements IteratorAggregate { function getIterator(): Generator { yield 'k' => 1; debug_print_backtrace(); yield 2; return 3; } }
function outer() { var_dump(yield from new Aggregate); }
foreach (outer() as $k => $v) var_dump($k, $v);
--EXPECT--
-- recursion in the initialiser of a static variable: the innermost value stays
string(6) "from 3"
string(6) "from 3"
string(6) "from 3"
string(6) "from 3"
string(6) "from 3"
-- an assignment by reference as an argument by reference
string(7) "changed"
string(7) "changed"
string(7) "changed"
string(7) "changed"
string(7) "changed"
string(7) "changed"
-- unset looks for nothing but its variable

Warning: Undefined variable $nothing in FILE on line 14

Warning: Undefined variable $nothing in FILE on line 14

Warning: Undefined variable $key in FILE on line 14

Deprecated: Automatic conversion of false to array is deprecated in FILE on line 15
bool(false)
Cannot unset offset in a non-array variable
Cannot use string offset as an array
-- an object that is let go while its property's type converts
Object was released while assigning to property P::$text
string(4) "text"
NULL
-- a typed reference that is let go while its type converts
string(4) "text"
bool(false)
-- yield from an aggregate's generator shows no calls of its methods
string(1) "k"
int(1)
#0 FILE(29): Aggregate->getIterator()
#1 FILE(30): outer()
int(0)
int(2)
NULL
