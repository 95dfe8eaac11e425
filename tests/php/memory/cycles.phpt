--TEST--
Garbage cycles of every kind of value are found, counted and freed
--FILE--
<?php
class Node
{
    public $next;
    public function __construct(public string $name = '') {}
}

function report(string $what, callable $make): void
{
    $watched = WeakReference::create($make());
    $count = gc_collect_cycles();
    echo $what, ': ', $count, $watched->get() === null ? ' freed' : ' alive', "\n";
}

report('object', function () {
    $a = new Node;
    $a->next = $a;
    return $a;
});
report('two objects', function () {
    $a = new Node;
    $a->next = new Node;
    $a->next->next = $a;
    return $a;
});
report('through an array', function () {
    $a = new Node;
    $a->next = [[$a]];
    return $a;
});
report('through a reference', function () {
    $a = new Node;
    $list = [1];
    $list[] = &$list;
    $list[] = $a;
    $a->next = &$list;
    return $a;
});
report('dynamic property', function () {
    $a = new stdClass;
    $a->self = $a;
    return $a;
});
report('closure', function () {
    $a = new Node;
    $a->next = function () use ($a) {};
    return $a;
});
report('bound closure', function () {
    $a = new Node;
    $a->next = (function () { return $this; })->bindTo($a);
    return $a;
});
report('generator', function () {
    $a = new Node;
    $run = (function () use ($a) { $kept = [$a]; yield strlen(yield 1); })();
    $run->current();
    $a->next = $run;
    return $a;
});
report('fiber', function () {
    $a = new Node;
    $fiber = new Fiber(function ($x) { $y = [$x]; Fiber::suspend(); });
    $fiber->start($a);
    $a->next = $fiber;
    return $a;
});
report('WeakMap value leads to its key', function () {
    static $map = new WeakMap;
    $a = new Node;
    $map[$a] = [$a];
    return $a;
});
report('WeakMap in its own value', function () {
    $map = new WeakMap;
    $a = new Node;
    $map[$a] = [$map, $a];
    return $a;
});
report('long list', function () {
    $first = $last = new Node;
    for ($i = 0; $i < 50000; $i++) {
        $last = $last->next = new Node;
    }
    $last->next = $first;
    return $first;
});
report('held from outside', function () {
    global $outside;
    $a = new Node;
    $a->next = new Node;
    $a->next->next = $a;
    $outside = [$a->next];
    return $a;
});
unset($outside);
var_dump(gc_collect_cycles());
?>
--EXPECT--
object: 1 freed
two objects: 2 freed
through an array: 3 freed
through a reference: 2 freed
dynamic property: 1 freed
closure: 2 freed
bound closure: 2 freed
generator: 3 freed
fiber: 1 freed
WeakMap value leads to its key: 2 freed
WeakMap in its own value: 3 freed
long list: 50001 freed
held from outside: 0 alive
int(2)
