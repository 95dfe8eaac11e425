<?php
// More arguments than parameters: they stand behind the function's other slots.
function all(...$all) { return $all; }
function rest($first, ...$rest) { $one = 1; $two = [$one]; return [$first, $rest, $two, func_get_args()]; }
function more($first) { $text = "t$first"; return [$text, func_num_args(), func_get_args()]; }
function typed(int $first, string ...$rest) { return [$first, ...$rest]; }
function count_up(&...$variables) { foreach ($variables as &$variable) { $variable++; } }
function throws($first) { throw new LogicException("$first"); }
function gone($first) { return $first; }

class Told
{
    function __construct(private int $number = 0) {}
    function __destruct() { if ($this->number % 100 === 7) { echo "gone $this->number\n"; } }
    function method($first, ...$rest) { return [$this->number, $first, $rest]; }
    static function of(...$all) { return count($all); }
    function __call($name, $arguments) { return [$name, $arguments]; }
}

$told = new Told(5);
$closure = function ($first) { return func_num_args(); };
$arrow = fn(...$all) => array_sum($all);
for ($i = 0; $i < 300; $i++) {
    $made = [
        all(), all($i), all($i, "a$i", [$i]), all(...[1, 2, $i]), all(...['key' => $i]),
        rest($i), rest($i, 2), rest($i, "b$i", [3], 4.5), rest(first: $i), rest(1, 2, name: $i),
        more($i), more($i, 2, "c$i", [$i]), typed($i), typed($i, "d", "e$i"),
        $told->method($i), $told->method($i, 2, "f$i"), Told::of(), Told::of(1, $i), $told->other(1, "g$i"),
        $closure(1, 2, $i), $arrow(1, 2, $i), array_map(fn($one, ...$others) => [$one, $others], [1, $i], [3, 4]),
    ];
    $one = $i;
    $two = 2;
    count_up($one, $two);
    gone($i, new Told($i), [new Told($i + 1000)]);
    try {
        throws($i, new Told($i + 2000), "h$i");
    } catch (LogicException $exception) {
        $made[] = $exception->getMessage() . count($exception->getTrace());
    }
    if ($i % 99 === 0) {
        echo json_encode($made), " $one $two\n";
    }
}
echo md5(serialize(all(...range(1, 400)))), "\n";
