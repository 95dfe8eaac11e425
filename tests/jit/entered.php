<?php
// Where calls begin: arguments that are received, checked and left to their defaults, and variables that nothing
// has set yet.

interface Named
{
    public function name(): string;
}

class Point implements Named
{
    public ?Point $next = null;
    private static int $made = 0;

    public function __construct(public int $x, public float|int $y = 0.5, protected string|null $label = "p")
    {
        self::$made++;
    }

    public function name(): string
    {
        return $this->label ?? "none";
    }

    public static function made(): int
    {
        return static::$made;
    }
}

function typed(int $a, string $b = "b", ?Point $c = null, int|string|null $d = 4): string
{
    if ($a % 7 === 3) {
        $seen = "three";
    }
    $is_set = isset($seen) ? $seen : "not";
    return "$a$b" . ($c === null ? "-" : $c->name()) . $d . $is_set;
}

function untyped($a, $b = "b", $c = [1, 2], $d = PHP_INT_SIZE)
{
    while ($a > 3) {
        $last = $a;
        $a -= 2;
    }
    return $a . $b . count($c) . $d . @$last;
}

function widened(float $number, iterable $all, callable $call, Point|array $other = []): float
{
    foreach ($all as $one) {
        $number += $call($one);
    }
    return $number + count($other);
}

function by_name(int $turn, Named ...$more): string
{
    $name = "late";
    if ($turn % 5 === 0) {
        $$name = "set";
        extract(["later" => $turn]);
    }
    return ($late ?? "unset") . ($later ?? "") . count($more);
}

function kept(string $text): int
{
    static $lengths = [];
    $lengths[$text] = ($lengths[$text] ?? 0) + strlen($text);
    return $lengths[$text];
}

function written(int $turns): string
{
    $text = str_repeat("-", 8);
    for ($i = 0; $i < $turns; $i++) {
        $text[$i & 7] = chr(97 + $i % 26);
    }
    return $text;
}

function first_undefined(int $turns): int
{
    $sum = 0;
    do {
        $sum += $length ?? 1;
        $length = strlen((string) $turns);
    } while (--$turns > 0);
    return $sum;
}

$out = [];
$first = new Point(1);
for ($i = 0; $i < 60; $i++) {
    $point = new Point($i, label: $i % 3 ? "l$i" : null);
    $point->next = $first;
    $point->next = $i % 4 ? null : $point->next;
    $out[0] = typed($i) . typed($i, "x") . typed($i, "y", $point) . typed($i, d: null, c: $first);
    $out[1] = untyped($i) . untyped($i, 1) . untyped($i, c: [$i]);
    $out[2] = widened($i, [1, 2.5, $i], fn($x) => $x * 2, [$first]);
    $out[3] = by_name($i) . by_name($i, $point, $first);
    $out[4] = kept("a") . kept("b$i");
    $out[5] = written($i + 20);
    $out[6] = first_undefined($i + 1);
    $out[7] = [$i, "a", [1.5]] === [$i, "a", [1.5]] ? "same" : "other";
    if ($i % 20 === 19) {
        echo implode(" ", $out), " ", Point::made(), "\n";
    }
}

foreach (["12", "x", null, 1.5, true, [], $first] as $value) {
    foreach (['typed', 'kept', 'first_undefined'] as $function) {
        try {
            echo $function, " ", $function($value), "\n";
        } catch (TypeError $error) {
            echo $error->getMessage(), "\n";
        }
    }
}
try {
    typed();
} catch (ArgumentCountError $error) {
    echo $error->getMessage(), "\n";
}
