--TEST--
Cloning and comparing objects
--FILE--
<?php
class Pair { public $a; public $inner; function __construct($a) { $this->a = $a; $this->inner = new stdClass; } function __clone() { $this->inner = clone $this->inner; } }
$x = new Pair(1); $y = new Pair(1); $z = $x; var_dump($x == $y, $x === $y, $x === $z, $x < new Pair(2), $x == new stdClass);
$c = clone $x; $c->inner->changed = 1; var_dump(isset($x->inner->changed)); $c->a = 2; echo $x->a, "\n"; echo spl_object_id($x) === spl_object_id($z) ? "same\n" : "";
--EXPECT--
bool(true)
bool(false)
bool(true)
bool(true)
bool(false)
bool(false)
1
same
