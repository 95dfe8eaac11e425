<?php
// What a temporary stands for has as many owners as without compiled code: an element that is called, and one that is
// sent while its object is called.
class Calls {
    public array $callbacks;
    public array $objects;
    public int $n = 0;
    function __construct() {
        $this->callbacks = [];
        foreach ([2, 3, 5] as $factor) {
            $this->callbacks[] = function ($x) use ($factor) { $this->n++; return $x * $factor; };
        }
        $this->objects = [$this, $this];
    }
    function run(int $turns): int {
        $sum = 0;
        for ($i = 0; $i < $turns; $i++) {
            $sum += $this->callbacks[$i % 3]($i);
        }
        return $sum;
    }
    function own(): int { return 1; }
    function send(int $turns): int {
        $sum = 0;
        for ($i = 0; $i < $turns; $i++) {
            $sum += take($this->objects[$i & 1], $this->own());
        }
        return $sum;
    }
    function __destruct() { echo "gone\n"; }
}
function take(Calls $calls, int $number): int { return $calls->n + $number; }
function receivers(array $objects, int $turns): int {
    $sum = 0;
    for ($i = 0; $i < $turns; $i++) {
        $object = $objects[0];
        $sum += take($objects[0], $object->own());
    }
    return $sum;
}
$calls = new Calls;
echo $calls->run(5), "\n";
echo $calls->run(3000), "\n";
echo $calls->send(3000), "\n";
echo receivers([$calls], 3000), "\n";
echo count($calls->callbacks), get_class($calls->callbacks[2]), $calls->n, "\n";
$calls->objects = [];
echo "end\n";
