<?php
// Functions that are left with one variable that others keep, or that nobody else does.

class Held
{
    public $next = null;
    public function __construct(public string $name) {}
    public function __destruct() { echo "end of {$this->name}\n"; }
    public function self() { $self = $this; return 7; }
    public function with($other) { return $this->name === 'x' ? 1 : 2; }
}

function byReference(&$to) { $to = 2; }
function object($object) { return 1; }
function typed(Held $object) { return $object->name === 'a' ? 3 : 4; }
function both($one, $two) { return 5; }
function aliased($one) { $two = $one; return 6; }
function listed(array $list) { return count($list) + 1; }
function text($text) { return strlen($text) + 1; }
function kept($object) { static $last; $last = $object; return 8; }
function changed($list) { $list[] = 1; return 9; }
function nothing($object) {}

function run(int $turns): int
{
    $held = new Held('a');
    $cyclic = new Held('cyclic');
    $cyclic->next = $cyclic;
    $list = [1, $held, "text" . $turns];
    $text = str_repeat('t', $turns % 7 + 1);
    $number = 0;
    $sum = 0;
    for ($i = 0; $i < $turns; ++$i) {
        byReference($number);
        byReference($list[0]);
        $sum += $number + $list[0];
        $sum += object($held) + typed($held) + both($held, $held) + aliased($held);
        $sum += object($list) + listed($list) + changed($list) + text($text) + aliased($text);
        $sum += object($cyclic) + kept($cyclic) + kept($held) + $held->self() + $held->with($held);
        $sum += object([$i, $held]) + text("$i$text") + listed([$i]);
        nothing($held);
        nothing($list);
        if ($i % 100 === 99) {
            // Nobody else has these.
            $sum += object(new Held("object $i")) + (new Held("self $i"))->self() + aliased(new Held("aliased $i"));
            $sum += (new Held("with $i"))->with($held) + typed(new Held("typed $i"));
            nothing(new Held("nothing $i"));
            $made = fn($value) => 1;
            $sum += $made(new Held("closure $i")) + (function () { $me = $this; return 2; })->call($held);
            gc_collect_cycles();
        }
    }
    echo "turns over\n";
    return $sum;
}

echo run(400), "\n";
echo run(250), "\n";
kept(null);
gc_collect_cycles();
echo "done\n";
