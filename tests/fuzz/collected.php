<?php
// Random graphs of values that hold each other in every way that there is, changed and collected at random. `$seed`
// says how. Nothing may be freed that is in use: each object knows what it must still be.
mt_srand($seed);
class Node
{
    static $ended = 0;
    public $links = [];
    public $other;
    public ?Node $typed = null;
    public string $mark = 'alive';
    function __construct(public int $number) {}
}
class Ends extends Node
{
    function __destruct()
    {
        Node::$ended++;
        check($this);
        switch (mt_rand(0, 12)) {
            case 0: keep($this); break;
            case 1: keep(new Ends($this->number)); break;
            case 2: $this->links = []; break;
            case 3: $this->other = $this; break;
            case 4: if (Fiber::getCurrent()) { Fiber::suspend(); } break;
            case 5: throw new Exception('ended');
            case 6: gc_collect_cycles(); break;
            case 7: foreach ($GLOBALS['maps'] as $map) { $map[$this] = $this->other; } break;
        }
    }
}
function check($value): void
{
    if ($value instanceof Node && ($value->mark !== 'alive' || $value->number < 0)) {
        echo "Internal error of Opline: a node is not what it was\n";
    }
}
function keep($value): void
{
    $GLOBALS['pool'][mt_rand(0, 24)] = $value;
}
function any(): mixed
{
    return $GLOBALS['pool'][mt_rand(0, 24)] ?? null;
}
function holding($held)
{
    try {
        while (true) {
            $got = yield $held;
            if ($got !== null) {
                $held = [$held, $got];
            }
            if (Fiber::getCurrent() && mt_rand(0, 3) == 0) {
                Fiber::suspend($got);
            }
        }
    } finally {
        $held = null;
    }
}
function fresh(): mixed
{
    $one = any();
    switch (mt_rand(0, 15)) {
        case 0: case 1: return new Node(mt_rand(0, 99));
        case 2: case 3: return new Ends(mt_rand(0, 99));
        case 4: return [$one, any()];
        case 5: $list = [$one]; $list[] = &$list; return $list;
        case 6: return fn() => $one;
        case 7: return function () use (&$one) { static $kept; return [$kept = $one, $kept]; };
        case 8: $map = new WeakMap; $GLOBALS['maps'][mt_rand(0, 2)] = $map; return $map;
        case 9: $generator = holding($one); $generator->current(); return $generator;
        case 10: $fiber = new Fiber(function () use ($one) { $list = [$one, any()]; foreach (holding($list) as $x) { Fiber::suspend($x); $list[] = $x; } }); $fiber->start(); return $fiber;
        case 11: return new ArrayObject(['k' => $one]);
        case 12: $store = new SplObjectStorage; if (is_object($one)) { $store[$one] = any(); } return $store;
        case 13: return (new ReflectionClass('Node'))->newLazyGhost(function ($o) use ($one) { $o->__construct(1); $o->other = $one; });
        case 14: return (new ReflectionClass('Node'))->newLazyProxy(function ($o) use ($one) { $n = new Node(2); $n->other = $one; $n->links[] = $o; return $n; });
        case 15: $list = new SplDoublyLinkedList; $list[] = $one; return $list;
    }
}
function connect($one, $other): void
{
    switch (true) {
        case $one instanceof Node:
            match (mt_rand(0, 5)) {
                0 => $one->links[] = $other, 1 => $one->other = $other, 2 => $one->links[mt_rand(0, 3)] = &$one->other,
                3 => $one->typed = $other instanceof Node ? $other : null, 4 => $one->links = [], 5 => $one->other = [$other, $one],
            };
            break;
        case $one instanceof WeakMap:
            $key = any();
            if (is_object($key)) {
                match (mt_rand(0, 4)) { 0, 1 => $one[$key] = $other, 2 => $one[$key] = [$key, &$other], 3 => $one[$one] = $other, 4 => $other instanceof Node ? $one[$other] = $key : 0 };
            }
            if (mt_rand(0, 4) == 0) {
                foreach ($one as $k => &$v) {
                    check($k); check($v);
                    if (mt_rand(0, 3) == 0) { unset($one[$k]); break; }
                    if (mt_rand(0, 3) == 0) { $v = $k; }
                }
            }
            break;
        case $one instanceof Generator: $one->send($other); break;
        case $one instanceof Fiber: if ($one->isSuspended()) { $one->resume($other); } break;
        case $one instanceof ArrayObject: $one[mt_rand(0, 2)] = $other; break;
        case $one instanceof SplObjectStorage: if (is_object($other)) { $one[$other] = $one; } break;
        case $one instanceof SplDoublyLinkedList: $one[] = $other; if (count($one) > 4) { $one->shift(); } break;
        case $one instanceof Closure: check($one()); break;
        case is_array($one): $one[] = $other; keep($one); break;
    }
}
$pool = $maps = [];
for ($step = 0; $step < 400; $step++) {
    try {
        match (mt_rand(0, 9)) {
            0, 1, 2 => keep(fresh()),
            3, 4, 5, 6 => connect(any(), any()),
            7 => keep(null),
            8 => mt_rand(0, 2) ? gc_collect_cycles() : (new Fiber('gc_collect_cycles'))->start(),
            9 => array_walk($pool, 'check'),
        };
    } catch (Throwable) {
    }
    if ($step % 100 == 99) {
        $pool = [];
    }
}
$maps = [];
for ($i = 0; $i < 3; $i++) {
    try {
        gc_collect_cycles();
    } catch (Throwable) {
    }
}
echo "inputs $step\n";
