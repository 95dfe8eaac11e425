<?php
// Calls builtins with arguments that nobody means. `$seed` says which.
mt_srand($seed);
$functions = array_values(array_filter(
    get_defined_functions()['internal'],
    fn($name) => !preg_match('/^(ob_|output_|header|set_error|set_exception|restore_|spl_autoload|gc_|error_log|debug_zval|phpinfo|phpcredits|exit|die|forward_static|call_user|func_|get_defined|compact|extract|register_tick|stream_wrapper|opline)/', $name),
));
set_error_handler(fn() => true);
class Odd implements ArrayAccess, IteratorAggregate, Countable, JsonSerializable
{
    public $p = [1, 'a' => 2];
    function offsetGet($o): mixed { return $o; }
    function offsetSet($o, $v): void { $this->p = $v; }
    function offsetExists($o): bool { return true; }
    function offsetUnset($o): void {}
    function getIterator(): Iterator { return new ArrayIterator([$this->p, 1]); }
    function count(): int { return -1; }
    function jsonSerialize(): mixed { return $this->p; }
    function __toString(): string { return "odd\0"; }
    function __invoke(...$a) { return $a[0] ?? null; }
    function __get($n) { return $n; }
}
function odd(int $depth = 0): mixed
{
    static $loop;
    if ($loop === null) { $loop = [1]; $loop[] = &$loop; }
    $ints = [0, 1, -1, 2, 7, 255, 256, 1000, 65536, 2147483647, -2147483648, PHP_INT_MAX, PHP_INT_MIN, 4096, 100];
    $texts = ['', '0', '1', "\0", 'a', 'abc', "\xff\xfe", 'é', '%s%d%1$s', '/(a)(?<n>b)?/u', '/[/', "a\nb\r\n", '1e1000', ' 12', '-0', 'strlen', 'Odd', 'ArrayObject', 'Y-m-d', '2024-02-30', 'php://memory', 'http://u:p@h:99999/p?q#f', '<b a="x">&amp;&#x41;', '{"a":[1,{}]}', 'a:1:{i:0;R:1;}', 'UTF-8', 'sha256', '+1 week', '..', str_repeat('x', 300), 'N*', 'nvc1xa3'];
    return match (mt_rand(0, 13)) {
        0, 1 => $ints[mt_rand(0, count($ints) - 1)],
        2, 3, 4 => $texts[mt_rand(0, count($texts) - 1)],
        5 => [0.0, -0.0, 1.5, NAN, INF, -INF, 1e308, 5e-324][mt_rand(0, 7)],
        6 => null,
        7 => (bool) mt_rand(0, 1),
        8, 9 => $depth > 2 ? [] : array_map(fn() => odd($depth + 1), array_fill(0, mt_rand(0, 4), 0)),
        10 => $depth > 2 ? [] : ['a' => odd($depth + 1), 5 => odd($depth + 1), '' => odd($depth + 1)],
        11 => [new Odd, new stdClass, new ArrayObject([1]), new DateTime('2020-01-01'), fn($x = 1) => $x, new SplFixedArray(2)][mt_rand(0, 5)],
        12 => $loop,
        13 => ['Odd', '__invoke'],
    };
}
for ($i = 0; $i < 60; $i++) {
    $function = $functions[mt_rand(0, count($functions) - 1)];
    $arguments = array_map(fn() => odd(), array_fill(0, mt_rand(0, 5), 0));
    try {
        $result = $function(...$arguments);
        if (mt_rand(0, 3) == 0 && is_iterable($result)) {
            foreach ($result as $key => $value) { if (mt_rand(0, 5) == 0) break; }
        }
    } catch (Throwable $error) {
    }
}
echo "inputs 60\n";
