--TEST--
Magic methods
--FILE--
<?php
class Magic { private $data = ["a" => 1]; function __get($n) { echo "get $n\n"; return $this->data[$n] ?? null; } function __set($n, $v) { echo "set $n\n"; $this->data[$n] = $v; } function __isset($n) { echo "isset $n\n"; return isset($this->data[$n]); } function __unset($n) { echo "unset $n\n"; unset($this->data[$n]); } function __call($n, $a) { return "$n(" . implode(",", $a) . ")\n"; } static function __callStatic($n, $a) { return "static $n(" . implode(",", $a) . ")\n"; } function __invoke(...$a) { return count($a) . "\n"; } function __clone() { echo "clone\n"; } function __toString() { return "text\n"; } function __debugInfo() { return ["debug" => true]; } }
$m = new Magic; $m->b = 2; echo $m->a + $m->b, "\n"; var_dump(isset($m->a), isset($m->z), empty($m->a), $m->z ?? "none"); unset($m->a); $m->b .= "x"; $m->list["k"] = 1;
echo $m->anything(1, 2), Magic::other(3), $m(1, 2, 3), $m, call_user_func([$m, "dyn"], 5); $copy = clone $m; var_dump($m);
--EXPECT--
set b
get a
get b
3
isset a
isset z
isset a
get a
isset z
bool(true)
bool(false)
bool(false)
string(4) "none"
unset a
get b
set b
get list

Notice: Indirect modification of overloaded property Magic::$list has no effect in case.php on line 3
anything(1,2)
static other(3)
3
text
dyn(5)
clone
object(Magic)#1 (1) {
  ["debug"]=>
  bool(true)
}
