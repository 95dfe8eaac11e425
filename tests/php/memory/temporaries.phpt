--TEST--
Temporaries that are written to or hold keys are given back; debug builds tell on standard error what is not
--FILE--
<?php
class Told
{
    public $list = [];
    public function __construct(public string $name) {}
    public function __destruct() { echo "gone: {$this->name}\n"; }
}
function id($value) { return $value; }
function fresh(string $name) { return [[new Told($name), [mt_rand()]], mt_rand()]; }
function &bound(&$variable) { return $variable; }

echo "-- elements of temporary arrays\n";
fresh('assigned')[0][1] = 1;
fresh('nested')[0][1][0] = 1;
fresh('compound')[0][1][0] .= 'x';
fresh('incremented')[0][1][0]++;
$list = [1];
bound($list)[0] = 2;
bound($list)[] = 3;
$objects = [new Told('in a list')];
bound($objects)[0]->list[] = 4;
unset(bound($objects)[0]);
echo json_encode($list), "\n";

echo "-- counted keys\n";
class Lazy implements ArrayAccess
{
    public function offsetExists($key): bool { return false; }
    public function offsetGet($key): mixed { return null; }
    public function offsetSet($key, $value): void {}
    public function offsetUnset($key): void {}
}
$key = 'k' . mt_rand(1, 1);
$map = ['k1' => new Lazy];
$map[id($key)][5] ??= 1;
$map[id($key)][id($key)] ??= 1;
echo $key, "\n";

echo "-- unpacked arguments of parameters by reference\n";
function change(&...$arguments) { foreach ($arguments as &$argument) { $argument = 0; } }
$values = [[new Told('unpacked')], 'b'];
$copy = $values;
change(...$values);
echo count($copy[0]), "\n";
change(...[[new Told('literal')]]);
$copy = null;

echo "-- static properties by names\n";
class Settings { public static $name = 'original'; public static $other = 'kept'; }
function name() { return 'name'; }
function value() { return 'changed'; }
for ($i = 0; $i < 2; $i++) {
    Settings::${name()} = value() . $i;
    foreach (['name', 'other'] as $property) {
        echo Settings::$$property, isset(Settings::$$property) ? ' set' : ' not set', "\n";
    }
}

echo "-- what looking for a callback threw\n";
spl_autoload_register(function ($class) { throw new Exception("no $class"); });
try {
    call_user_func('Missing::method');
} catch (TypeError $error) {
    echo $error->getMessage(), ' after ', $error->getPrevious()->getMessage(), "\n";
}
class Thrower { public function __destruct() { throw new Exception('from the destructor'); } public function run() {} }
try {
    call_user_func([new Thrower, 'missing']);
} catch (TypeError $error) {
    echo get_class($error->getPrevious() ?? $error), "\n";
} catch (Exception $exception) {
    echo get_class($exception->getPrevious() ?? $exception), ' after ', $exception->getMessage(), "\n";
}
?>
--EXPECT--
-- elements of temporary arrays
gone: assigned
gone: nested
gone: compound
gone: incremented
gone: in a list
[2,3]
-- counted keys
k1
-- unpacked arguments of parameters by reference
1
gone: literal
gone: unpacked
-- static properties by names
changed0 set
kept set
changed1 set
kept set
-- what looking for a callback threw
call_user_func(): Argument #1 ($callback) must be a valid callback, class "Missing" not found after no Missing
TypeError after from the destructor
