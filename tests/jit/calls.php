<?php
// Calls that are inlined, and what has to be as if they were not.
function add($a, $b) { return $a + $b; }
function square(int $x): int { return $x * $x; }
function twice_of_square($x) { return add(square($x), square($x)); }
function with_default($a, $b = 'd', ...$rest) { return $a . $b . count($rest); }
function unset_variable($a) { if ($a > 296) { echo @$missing; return $missing ?? 'none'; } return $a; }
function warns($a) { return $a > 297 ? $nothing : $a; }
function arguments_of($a) { return $a > 298 ? implode(',', func_get_args()) : 0; }
function where_from($a)
{
    if ($a < 299) {
        return 0;
    }
    $lines = [];
    foreach (debug_backtrace() as $frame) {
        $lines[] = ($frame['class'] ?? '') . $frame['function'] . ':' . $frame['line'];
    }
    return implode(' ', $lines);
}
function outer($a) { return where_from(add($a, 0)); }
function &by_reference(array &$list) { return $list; }
function append_to(array &$list, $value) { $list[] = $value; }
function throws($a) { if ($a === 150) { throw new RuntimeException("at $a"); } return 1; }
function passes_on($a) { return throws($a) + 1; }
function first(array $list) { return $list[0] ?? null; }
function length(string $text) { return strlen($text); }

class Counter
{
    public int $count = 0;
    private $parts = [];
    private static $made = 0;
    function __construct() { self::$made++; }
    function get() { return $this->count; }
    function set($value) { $this->count = $value; return $this; }
    function add(int $by): static { $this->count += $by; return $this; }
    function part($key) { return $this->parts[$key] ?? $this->parts[$key] = "p$key"; }
    static function made() { return self::$made; }
    static function make() { return new static; }
    function __call($name, $arguments) { return $name . count($arguments); }
}
class Louder extends Counter
{
    function get() { return parent::get() * 10; }
}
class Noisy
{
    function __construct(private $name) {}
    function __destruct() { echo "-{$this->name}"; }
    static function drop($name) { $kept = new Noisy($name); return strlen($name); }
}

function numbers($n)
{
    $sum = 0;
    for ($i = 0; $i < $n; $i++) {
        $sum = add($sum, twice_of_square($i % 13));
        $sum += first([$i]) + length("abc") + length((string) $i);
        unset_variable($i);
    }
    return $sum;
}
function strings($n)
{
    $text = '';
    for ($i = 0; $i < $n; $i++) {
        $text = substr(with_default($text, $i & 7) . with_default($i), -40);
    }
    return $text;
}
function objects($n)
{
    $plain = new Counter;
    $louder = new Louder;
    $sum = 0;
    for ($i = 0; $i < $n; $i++) {
        $plain->set($i)->add(2);
        $sum += $plain->get() + Counter::made();
        $one = $i % 100 === 99 ? $louder : $plain;
        $sum += $one->get();
        $sum += strlen($plain->part($i % 5));
        if ($i % 97 === 0) {
            $sum += strlen($plain->unknown($i, $i));
            $sum += Louder::make()->set(4)->get();
        }
    }
    return $sum;
}
function references($n)
{
    $list = [];
    for ($i = 0; $i < $n; $i++) {
        append_to($list, add($i, 1));
        $again = by_reference($list);
    }
    return count($list) + count($again) + array_sum($list);
}
function exceptions($n)
{
    $sum = 0;
    for ($i = 0; $i < $n; $i++) {
        try {
            $sum += passes_on($i);
        } catch (RuntimeException $exception) {
            echo $exception->getMessage(), ' ', $exception->getLine(), ' ', $exception->getTraceAsString(), "\n";
        } finally {
            $sum++;
        }
    }
    return $sum;
}
function late($n)
{
    $found = [];
    for ($i = 0; $i < $n; $i++) {
        $found[] = warns($i);
        $found[] = arguments_of($i);
        $found[] = outer($i);
    }
    return array_slice(array_filter($found), -3);
}
function destructors($n)
{
    $sum = 0;
    for ($i = 0; $i < $n; $i++) {
        $sum += Noisy::drop($i % 50 ? '' : "n$i");
    }
    return $sum;
}
function nested($n)
{
    return $n < 2 ? $n : nested(add($n, -1)) + nested($n - 2);
}
function deep($n)
{
    return $n === 0 ? 0 : add(1, deep($n - 1));
}
function types($n)
{
    $values = [1, 2.5, '3', true, null];
    $sum = 0;
    for ($i = 0; $i < $n; $i++) {
        $sum = add($sum, $values[intdiv($i * 5, $n)]);
    }
    return $sum;
}
function refused($n)
{
    $sum = 0;
    for ($i = 0; $i < $n; $i++) {
        try {
            $sum += square($i === $n - 1 ? 'x' : $i);
        } catch (TypeError $error) {
            echo $error->getMessage(), "\n";
        }
    }
    return $sum;
}

set_error_handler(function ($level, $message, $file, $line) {
    echo "$message on line $line in ", debug_backtrace()[1]['function'], "\n";
    return true;
});
echo numbers(300), "\n", strings(300), "\n", objects(300), "\n", references(300), "\n";
echo exceptions(300), "\n", json_encode(late(300)), "\n", destructors(300), "\n";
echo nested(16), ' ', deep(20000), ' ', types(300), ' ', refused(300), "\n";
for ($i = 0, $top = 0; $i < 300; $i++) {
    $top = add($top, square($i));
}
echo $top, "\n";
