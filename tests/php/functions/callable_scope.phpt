--TEST--
callables belong to the code that names them
--FILE--
<?php
class Base {
    public function __call($name, $arguments) { return "__call $name"; }
    public static function __callStatic($name, $arguments) { return "__callStatic $name"; }
    private function hidden() { return 'hidden'; }
    protected static function guarded() { return static::class; }
    function closures() {
        return [Closure::fromCallable([$this, 'hidden']), Closure::fromCallable([static::class, 'missing'])];
    }
    static function atEnd() {
        register_shutdown_function(['self', 'guarded']);
        register_shutdown_function(fn() => print("end\n"));
        register_shutdown_function(function () { echo "leaving\n"; exit; });
        register_shutdown_function(function () { echo "never\n"; });
    }
    function pass() { return call_user_func([get_class($this), 'absent']); }
}
class Derived extends Base {}
foreach ((new Derived)->closures() as $closure) var_dump($closure());
var_dump((new Derived)->pass(), call_user_func(['Derived', 'absent']));
Base::atEnd();

class Proxy {
    function __call($name, $arguments) { call_user_func_array('increment', $arguments); }
}
function increment(&$x) { $x++; }
$number = 1;
$arguments = [&$number];
call_user_func_array([new Proxy, 'any'], $arguments);
var_dump($number);
$lone = [&$loneVariable];
unset($loneVariable);
call_user_func_array('increment', array_slice($lone, 0, 1));

function dynamic($function, ...$arguments) {
    try { $function(...$arguments); } catch (Error $e) { echo $e->getMessage(), "\n"; }
    try { call_user_func_array($function, $arguments); } catch (Error $e) { echo $e->getMessage(), "\n"; }
}
dynamic('extract', []);
dynamic('compact', 'function');
dynamic('get_defined_vars');
dynamic('func_get_args');
dynamic('func_num_args');
--EXPECT--
string(6) "hidden"
string(20) "__callStatic missing"
string(13) "__call absent"
string(19) "__callStatic absent"

Deprecated: Use of "self" in callables is deprecated in case.php on line 11
int(2)
Cannot call extract() dynamically
Cannot call extract() dynamically
Cannot call compact() dynamically
Cannot call compact() dynamically
Cannot call get_defined_vars() dynamically
Cannot call get_defined_vars() dynamically
Cannot call func_get_args() dynamically
Cannot call func_get_args() dynamically
Cannot call func_num_args() dynamically
Cannot call func_num_args() dynamically
end
leaving
