--TEST--
Nullsafe chains stop early
--FILE--
<?php
class Node { public ?Node $next = null; public $value = "v"; function next() { return $this->next; } }
$n = new Node; function effect() { echo "never"; }
var_dump($n?->next?->value, $n->next?->next->value, $n?->next()?->missing(effect()), $n?->value, isset($n->next?->value)); $null = null; var_dump($null?->a->b->c(), "{$null?->x}");
try { $null->method(); } catch (Error $e) { echo $e->getMessage(), "\n"; } try { $null->p = 1; } catch (Error $e) { echo $e->getMessage(), "\n"; } echo $null->read;
--EXPECT--
NULL
NULL
NULL
string(1) "v"
bool(false)
NULL
string(0) ""
Call to a member function method() on null
Attempt to assign property "p" on null

Warning: Attempt to read property "read" on null in case.php on line 5
