--TEST--
Anonymous classes and first-class names
--FILE--
<?php
$object = new class(5) extends stdClass implements Countable { public function __construct(public int $n) {} public function count(): int { return $this->n; } };
echo count($object), $object instanceof Countable ? "y" : "n", str_contains(get_class($object), "@anonymous") ? "anonymous" : "", "\n";
function make() { return new class { public $id = 1; }; } var_dump(get_class(make()) === get_class(make()));
echo stdClass::class, " ", $object::class === get_class($object) ? "same" : "differs", "\n"; $a = new stdClass; $a->{"odd name"} = 1; $a->{0} = "zero"; var_dump($a, (array)$a);
--EXPECT--
5yanonymous
bool(true)
stdClass same
object(stdClass)#2 (2) {
  ["odd name"]=>
  int(1)
  ["0"]=>
  string(4) "zero"
}
array(2) {
  ["odd name"]=>
  int(1)
  [0]=>
  string(4) "zero"
}
