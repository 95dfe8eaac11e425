--TEST--
dynamic properties: created first, complained about then
--FILE--
<?php
class Plain {}
$o = new Plain;
$o->a = 1;
$o->b += 1;
$o->c++;
$o->d .= 'x';
$o->e[] = 1;
$o->e[] = 2;
var_dump($o);
class Watcher {
    public $declared;
    function handle($level, $message) { echo $message, "\n"; if (isset($this->on)) return; $this->on = 1; $this->declared = 100; }
    public $on;
}
$w = new Watcher;
unset($w->declared);
set_error_handler([$w, 'handle']);
$w->declared %= 7;
var_dump($w->declared);
function write() { $undefined->a = 1; }
function change() { $undefined->a += 1; }
function drop() { unset($undefined->a); }
foreach (['write', 'change', 'drop'] as $f) try { $f(); } catch (Error $e) { echo $e->getMessage(), "\n"; }
final class Frozen { public function __construct(public readonly object $inner) {} function step() { $this->inner++; } }
try { (new Frozen(new Plain))->step(); } catch (Error $e) { echo $e->getMessage(), "\n"; }
--EXPECT--

Deprecated: Creation of dynamic property Plain::$a is deprecated in case.php on line 4

Deprecated: Creation of dynamic property Plain::$b is deprecated in case.php on line 5

Warning: Undefined property: Plain::$b in case.php on line 5

Deprecated: Creation of dynamic property Plain::$c is deprecated in case.php on line 6

Warning: Undefined property: Plain::$c in case.php on line 6

Deprecated: Creation of dynamic property Plain::$d is deprecated in case.php on line 7

Warning: Undefined property: Plain::$d in case.php on line 7

Deprecated: Creation of dynamic property Plain::$e is deprecated in case.php on line 8
object(Plain)#1 (5) {
  ["a"]=>
  int(1)
  ["b"]=>
  int(1)
  ["c"]=>
  int(1)
  ["d"]=>
  string(1) "x"
  ["e"]=>
  array(2) {
    [0]=>
    int(1)
    [1]=>
    int(2)
  }
}
Undefined property: Watcher::$declared
int(2)
Attempt to assign property "a" on null
Undefined variable $undefined
Attempt to assign property "a" on null
Cannot modify readonly property Frozen::$inner
