--TEST--
The collector looks at fibers that are suspended by a warning about the argument that is being sent
--FILE--
<?php
set_error_handler(function () { Fiber::suspend(); return true; });
class Node { public $self; }
function node() { global $node; return $node; }
function nodes() { global $node; return [$node, [$node]]; }
function count_all(...$values) { return count($values); }
$ways = [
    fn() => max(node(), nodes(), $undefined),
    fn() => count_all(node(), nodes(), $undefined),
    fn() => count_all(node(), last: count_all(nodes(), $undefined)),
    fn() => call_user_func('count_all', nodes(), $undefined),
    fn() => new ArrayIterator(nodes(), $undefined),
];
foreach ($ways as $way) {
    for ($turn = 0; $turn < 20; $turn++) {
        $node = new Node;
        $node->self = $node;
        $fiber = new Fiber($way);
        $fiber->start();
        gc_collect_cycles();
        if ($turn % 2) {
            $fiber->resume();
        }
        $fiber = null;
        gc_collect_cycles();
        if ($node->self !== $node) {
            echo "gone\n";
        }
        $node->self = null;
        $node = null;
    }
}
echo "end\n";
--EXPECT--
end
