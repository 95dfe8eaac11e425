<?php
// Objects that can be called, closures with and without an object, and what frames give back when they are left.
class Adder {
    public function __construct(private int $by, private bool $throws = false) {}
    public function __destruct() { echo "gone {$this->by}\n"; }
    public function __invoke(int $x, int ...$more): int {
        if ($this->throws && $x > 3) { throw new RuntimeException("no $x"); }
        return $x + $this->by + array_sum($more);
    }
    public function bound(): Closure { return fn(int $x) => $x * $this->by; }
    public static function unbound(): Closure { return static fn(int $x) => $x - 1; }
    public function callback(): callable { return $this->secret(...); }
    private function secret(int $x): int { return $x + 1000 * $this->by; }
}
class Magic { public function __call($name, $arguments) { return $name . implode(',', $arguments); } }

function loop(callable $f, int $turns): int {
    $sum = 0;
    for ($i = 0; $i < $turns; $i++) { $sum += $f($i); }
    return $sum;
}
function temporaries(int $turns): int {
    $sum = 0;
    for ($i = 0; $i < $turns; $i++) {
        $sum += (new Adder($i))($i);
        $sum += (new Adder($i + 100))->bound()($i);
        $sum += (Adder::unbound())($i);
        $sum += (fn($x) => $x + $i)(2);
        $sum += (new Adder($i + 200))->callback()(1);
    }
    return $sum;
}
function replaced(int $turns): int {
    $sum = 0;
    // The function that runs is given up while it runs.
    for ($i = 0; $i < $turns; $i++) {
        $f = function (int $x) use (&$f) { $f = null; return $x + 1; };
        $sum += $f($i);
        $sum += $f === null ? 0 : 1000;
    }
    return $sum;
}
for ($round = 0; $round < 3; $round++) {
    $adder = new Adder(5);
    echo loop($adder, 20), ' ', loop($adder->bound(), 20), ' ', loop(Adder::unbound(), 20), ' ';
    echo loop($adder->callback(), 20), ' ', loop('abs', 20), ' ', loop([$adder, '__invoke'], 20), "\n";
    echo loop(fn($x) => $x + $round, 20), ' ', loop(static function ($x) { static $n = 0; return $x + ++$n; }, 20), "\n";
    echo temporaries(3), "\n", replaced(10), "\n";
    try {
        loop(new Adder(7, true), 20);
    } catch (RuntimeException $e) {
        echo $e->getMessage(), "\n";
    }
    $magic = (new Magic)->anything(...);
    for ($i = 0; $i < 5; $i++) { echo $magic($i, $i), ' '; }
    try {
        $plain = new ArrayObject;
        $plain(1);
    } catch (Error $e) {
        echo $e->getMessage(), "\n";
    }
    unset($adder);
}
