<?php
// Closures that are made at each turn, of one place, bound and not: their code is compiled for all of them.
final class Counter {
    private int $count = 0;
    public function add(): Closure { return fn(int $by) => $this->count += $by; }
    public function count(): int { return $this->count; }
}
class Base { protected string $kind = 'base'; public function kind(): Closure { return function () { return static::class . ' ' . $this->kind; }; } }
class Derived extends Base { protected string $kind = 'derived'; }

function sums(int $turns): int {
    $sum = 0;
    for ($i = 0; $i < $turns; $i++) {
        $double = fn($x) => $x * 2 + $i;
        $sum += $double(3) + (function ($y) use ($i, &$sum) { static $calls = 0; return ++$calls + $y; })(1);
    }
    return $sum;
}

function bound(int $turns): string {
    $kinds = [];
    $peek = function () { return $this->kind ?? 'none'; };
    for ($i = 0; $i < $turns; $i++) {
        $object = $i % 3 ? new Base : new Derived;
        $kinds[($object->kind())()] = ($kinds[($object->kind())()] ?? 0) + 1;
        $bound = Closure::bind($peek, $object, Base::class);
        $kinds[$bound()] = $i;
        $kinds['call ' . $peek->call($object)] = $i;
    }
    ksort($kinds);
    return json_encode($kinds);
}

function types(int $turns): string {
    $shown = '';
    for ($i = 0; $i < $turns; $i++) {
        $plus = fn($a, $b) => $a + $b;
        $shown = $plus($i, 1) . ' ' . $plus(1.5, $i) . ' ' . json_encode($plus([$i], [1, 2])) . ' ' . $plus('4', $i);
    }
    return $shown;
}

$counter = new Counter;
foreach ([3, 80] as $turns) {
    var_dump(sums($turns), bound($turns), types($turns));
    for ($i = 0; $i < $turns; $i++) {
        $counter->add()($i);
    }
    var_dump($counter->count(), array_sum(array_map(fn($n) => $n ** 2, range(1, $turns))));
}

// One function for scopes whose properties of the same name are others.
class Here { private $number = 1; }
class There extends Here { private $number = 20; }
$elsewhere = function (int $depth) use (&$elsewhere) {
    $sum = 0;
    for ($i = 0; $i < 20; $i++) {
        $sum += $this->number;
        if ($i == 10 && $depth) {
            $kept = $elsewhere;
            $elsewhere = Closure::bind($kept, new There, There::class);
            $sum += $elsewhere($depth - 1) + $kept->call(new Here, 0);
            $elsewhere = $kept;
        }
    }
    return $sum;
};
for ($i = 0; $i < 12; $i++) {
    $elsewhere = Closure::bind($elsewhere, new There, $i % 4 == 3 ? There::class : Here::class);
    echo $elsewhere(2), ' ';
}
echo "\n";
