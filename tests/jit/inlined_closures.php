<?php
// Closures that are called by one opline: always those of one place, then others of the same place, bound elsewhere,
// with runtime caches of their own, or made elsewhere. They run with their own variables, object and class, and are
// kept as long as they run.

class Counter
{
    private int $count = 0;
    public static $made = 0;
    public function __construct(protected int $step) { static::$made++; }
    public function adder(): Closure { return function ($by) { $this->count += $this->step * $by; return $this->count; }; }
    public static function named(): Closure { return fn($text) => static::class . $text . self::class; }
    public function own(): Closure { return fn() => $this; }
}
class Doubled extends Counter
{
    private int $count = 100;
}

function called(callable $function, int $times, ...$arguments)
{
    $result = null;
    for ($i = 0; $i < $times; $i++) {
        $result = $function(...$arguments);
    }
    return $result;
}

function times(Closure $function, int $times)
{
    $sum = 0;
    for ($i = 0; $i < $times; $i++) {
        $sum += $function($i);
    }
    return $sum;
}

function owners($value): string
{
    ob_start();
    debug_zval_dump($value);
    preg_match('/refcount\((\d+)\)/', ob_get_clean(), $found);
    return $found[1];
}

// One place, other captured values each time.
for ($k = 0; $k < 6; $k++) {
    $offset = $k * 1000;
    $list = ["element $k"];
    echo times(fn($i) => $i + $offset + count($list), 50), ' ';
    echo times(function ($i) use ($offset, &$list) { $list[0] = $i; return $offset; }, 50), ' ', $list[0], "\n";
}

// Statics belong to each closure.
$make = fn() => function ($i) { static $sum = 0; return $sum += $i; };
$one = $make();
$two = $make();
echo times($one, 30), ' ', times($two, 10), ' ', times($one, 3), ' ', times(clone $two, 2), "\n";

// Bound to objects and classes.
$counter = new Counter(2);
$doubled = new Doubled(3);
foreach ([$counter, $doubled, $counter] as $object) {
    $adder = $object->adder();
    echo times($adder, 40), ' ', owners($object), ' ', owners($adder), "\n";
    $other = Closure::bind($adder, new Doubled(7), Doubled::class);
    echo times($other, 5), ' ';
    $other = $adder->bindTo(new Counter(5));
    echo times($other, 5), "\n";
}
foreach ([Counter::named(), Doubled::named(), Counter::named()] as $named) {
    for ($i = 0; $i < 30; $i++) {
        $text = $named("-$i-");
    }
    echo $text, "\n";
}

// The closure is given up while it runs.
function once(?Closure $function): int
{
    $drop = function () use (&$function, &$drop) { $function = null; return 1; };
    $sum = 0;
    for ($i = 0; $i < 20; $i++) {
        $function = function ($i) use (&$function) { $function = null; return $i; };
        $sum += $function($i);
    }
    return $sum + $drop();
}
echo once(null), "\n";

// Places that call themselves, throw, return early, or take what they are called with by type.
$factorial = function (int $n) use (&$factorial) { return $n < 2 ? 1 : $n * $factorial($n - 1); };
echo times($factorial, 12), "\n";
$checked = function (int|string $n): int { if ($n > 40) { throw new RangeException("no $n"); } return (int) $n; };
try {
    echo times($checked, 60);
} catch (RangeException $exception) {
    echo $exception->getMessage(), ' ', count($exception->getTrace()), ' ', $exception->getTrace()[0]['function'], "\n";
}
try {
    called($checked, 40, 3);
    called($checked, 1, [4]);
} catch (TypeError $error) {
    echo preg_replace('/, called.*/s', '', $error->getMessage()), "\n";
}

// Too many arguments, too few, by name, all that were given.
$all = fn($a, $b = 5, ...$more) => $a * 100 + $b + array_sum($more) + count(func_get_args());
for ($i = 0; $i < 30; $i++) {
    $sums = [$all(1), $all(1, 2), $all(1, 2, 3, 4), $all(b: 3, a: 2)];
}
echo implode(' ', $sums), "\n";

// Functions and methods as closures, and what pretends to be one.
class Pretending
{
    public function __call($name, $arguments) { return "$name " . array_sum($arguments); }
    public function __invoke($i) { return $i * 2; }
}
foreach ([abs(...), $counter->adder()(...), (new Pretending)(...), Closure::fromCallable([new Pretending, '__invoke'])] as $function) {
    echo times($function, 30), ' ';
}
$unknown = (new Pretending)->unknown(...);
for ($i = 0; $i < 30; $i++) {
    $text = $unknown($i, 1);
}
echo $text, "\n";

// One place calls closures and objects in turn.
class Invoked
{
    public function __construct(private int $base) {}
    public function __invoke($x, $y) { return $this->base + $x * $y; }
}
function table(callable $function): int
{
    $sum = 0;
    for ($i = 0; $i < 12; $i++) {
        for ($j = 0; $j < 12; $j++) {
            $sum += $function($i, $j);
        }
    }
    return $sum;
}
for ($i = 0; $i < 10; $i++) {
    $tables = [table(fn(int $x, int $y) => $x * $y % 7), table(new Invoked($i)), table(fn($x, $y) => $x === $y ? 2 : ($x < $y ? 1 : 0)), table('max')];
}
echo implode(' ', $tables), "\n";

// Generators, and closures in closures.
$numbers = function ($to) { for ($i = 0; $i < $to; $i++) { yield $i; } return $to; };
$total = 0;
for ($i = 0; $i < 20; $i++) {
    $nested = fn($x) => (fn($y) => $x * $y + $i)($x + 1);
    $total += array_sum(iterator_to_array($numbers($i))) + $nested($i);
}
echo $total, "\n";

// Made by code that comes and goes.
$sum = 0;
for ($i = 0; $i < 12; $i++) {
    $evaluated = eval("return fn(\$x) => \$x + $i;");
    $sum += times($evaluated, 20);
    unset($evaluated);
}
echo $sum, "\n";
$backtrace = function ($i) { return count(debug_backtrace()) . debug_backtrace()[0]['function'][0] . debug_backtrace()[0]['line']; };
for ($i = 0; $i < 20; $i++) {
    $text = $backtrace($i);
}
echo $text, ' ', owners($backtrace), ' ', Counter::$made, "\n";
