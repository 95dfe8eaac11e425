--TEST--
Interfaces, constants and instanceof
--FILE--
<?php
interface HasArea { const UNIT = "cm"; public function area(); } interface Named { public function name(); } interface Both extends HasArea, Named {}
class Tile implements Both, Countable, ArrayAccess, JsonSerializable, Stringable { private $d = []; function area() { return 4; } function name() { return "tile" . self::UNIT; } function count(): int { return 7; } function offsetExists(mixed $o): bool { echo "exists($o) "; return isset($this->d[$o]); } function offsetGet(mixed $o): mixed { echo "get($o) "; return $this->d[$o] ?? null; } function offsetSet(mixed $o, mixed $v): void { if ($o === null) $this->d[] = $v; else $this->d[$o] = $v; } function offsetUnset(mixed $o): void { unset($this->d[$o]); } function jsonSerialize(): mixed { return $this->d; } function __toString(): string { return "TILE"; } }
$t = new Tile; $t["a"] = 1; $t[] = 2; echo $t["a"], count($t), $t->name(), Tile::UNIT, json_encode($t), "$t", "\n";
var_dump(isset($t["a"]), isset($t["z"]), empty($t["a"]), $t["z"] ?? "default", $t instanceof HasArea, $t instanceof Stringable);
unset($t["a"]); echo json_encode($t), "\n"; echo implode(",", array_keys(class_implements($t))) !== "" ? "implements\n" : "";
--EXPECT--
get(a) 17tilecmcm{"a":1,"0":2}TILE
exists(a) exists(z) exists(a) get(a) exists(z) bool(true)
bool(false)
bool(false)
string(7) "default"
bool(true)
bool(true)
[2]
implements
