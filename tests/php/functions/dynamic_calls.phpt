--TEST--
Dynamic calls, names of classes and literal lists
--FILE--
<?php
// Calls of closures and names, in a loop and with what a frame must give back.
class Counter {
    public $n = 0;
    function __destruct() { echo "gone $this->n\n"; }
    function adder() { return function ($x) { return $this->n += $x; }; }
    static function named() { return static fn($x) => static::class . $x; }
    function __call($name, $arguments) { return "$name(" . implode(",", $arguments) . ")"; }
    function __invoke($x) { return $x . "i"; }
}
class Below extends Counter { }
function run() {
    $counter = new Counter;
    $add = $counter->adder();
    for ($i = 0; $i < 5; $i++) { $add($i); }
    unset($counter);
    var_dump($add(1));
    $add = null;
    echo "--\n";
    for ($i = 0; $i < 3; $i++) { var_dump((function () use ($i) { return $i; })()); }
    $named = Below::named();
    foreach (["strtoupper", "\\strrev", "StrLen", "twice", $named, new Counter, [new Counter, "any"], "Below::named"] as $callee) {
        $value = $callee("ab1");
        var_dump($value instanceof Closure ? $value(3) : $value);
    }
    foreach (["nope", "Nope::x", 5, [1]] as $callee) {
        try { $callee(1); } catch (Error $e) { echo get_class($e), ": ", $e->getMessage(), "\n"; }
    }
    $late = function () { static $n = 0; return ++$n; };
    for ($i = 0; $i < 3; $i++) { var_dump($late()); }
    $self = function ($n) use (&$self) { return $n < 2 ? $n : $self($n - 1) + $self($n - 2); };
    var_dump($self(12));
    var_dump(call_user_func($self, 5), call_user_func("twice", 5));
    $reference = &$self;
    var_dump($reference(6));
    $bad = (new Counter)->anything(...);
    var_dump($bad(1, 2));
    $dropped = function () { $f = null; return 1; };
    $f = $dropped;
    var_dump($f());
    try { (function (int $x) {})("x"); } catch (TypeError $e) { echo substr($e->getMessage(), 0, 30), "\n"; }
    foreach (["extract", "compact", "func_get_args"] as $name) {
        try { var_dump($name(["a" => 1])); } catch (Error $e) { echo $e->getMessage(), "\n"; }
    }
}
function twice($x) { return $x . $x; }
run();

function classes($object) {
    for ($i = 0; $i < 2; $i++) { var_dump($object::class, get_class($object)); }
    $r = &$object;
    var_dump($r::class, get_class($r), (new Below)::class);
    try { var_dump(get_class($i)); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
    try { var_dump($i::class); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
}
classes(new ArrayObject);

function within($value) {
    $plain = in_array($value, [1, 2, "a", "b"]);
    $strict = in_array($value, ["1", "2", "a", "10"], true);
    $numbers = in_array($value, [0, 1, 2, 3, 300], true);
    $strings = in_array($value, ["x", "y", ""]);
    if (in_array($value, [1, 5, 7])) { echo "in "; }
    var_dump($plain . ":" . $strict . ":" . $numbers . ":" . $strings);
}
foreach ([0, 1, 2, 300, "1", "a", "10", "x", "", "1e0", 1.0, true, null, [], "01"] as $value) { within($value); }
$reference = 5;
$alias = &$reference;
var_dump(in_array($alias, [5, 6]), in_array($undefined, [5, 6]));
--EXPECT--
int(11)
gone 11
--
int(0)
int(1)
int(2)
string(3) "AB1"
string(3) "1ba"
int(3)
string(6) "ab1ab1"
string(8) "Belowab1"
string(4) "ab1i"
string(8) "any(ab1)"
string(6) "Below3"
gone 0
gone 0
Error: Call to undefined function nope()
Error: Class "Nope" not found
Error: Value of type int is not callable
Error: Array callback must have exactly two elements
int(1)
int(2)
int(3)
int(144)
int(5)
string(2) "55"
int(8)
string(13) "anything(1,2)"
int(1)
{closure:run():41}(): Argument
Cannot call extract() dynamically
Cannot call compact() dynamically
func_get_args() expects exactly 0 arguments, 1 given
gone 0
string(11) "ArrayObject"
string(11) "ArrayObject"
string(11) "ArrayObject"
string(11) "ArrayObject"
gone 0
string(11) "ArrayObject"
string(11) "ArrayObject"
string(5) "Below"
get_class(): Argument #1 ($object) must be of type object, int given
Cannot use "::class" on int
string(4) "::1:"
in string(5) "1::1:"
string(5) "1::1:"
string(4) "::1:"
in string(5) "1:1::"
string(5) "1:1::"
string(4) ":1::"
string(4) ":::1"
string(4) ":::1"
in string(4) "1:::"
in string(4) "1:::"
in string(5) "1:::1"
string(4) ":::1"
string(3) ":::"
in string(4) "1:::"

Warning: Undefined variable $undefined in case.php on line 69
bool(true)
bool(false)
