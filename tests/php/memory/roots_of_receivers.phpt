--TEST--
The collector is told of objects as they are constructed and as their methods are called
--FILE--
<?php
class Garbage { public $me; function __destruct() { echo "collected at {$GLOBALS['i']}\n"; } }
class Live { public $v; function __construct($v) { $this->v = $v; } }
class Plain { public $p; public $n; function m() { return $this->n; } function __destruct() { echo $this->n, ' '; } }
function garbage() { $g = new Garbage; $g->me = $g; }
function called($first) {
    $a = new Plain; $b = new Plain; $a->n = 'a'; $b->n = 'b'; $a->p = $b; $b->p = $a;
    $first ? $a->m() : $b->m();
    echo gc_status()['roots'], ' ';
}
// What is executed for the first time tells the collector of more than in PHP.
ob_start();
called(0);
gc_collect_cycles();
ob_end_clean();
for ($i = 0; $i < 8; $i++) {
    called($i % 2);
    gc_collect_cycles();
    echo "\n";
}
class Made extends Plain { function __construct($n) { $this->n = $n; } }
function made() {
    $a = new Made('a'); $b = new Made('b'); $a->p = $b; $b->p = $a; $b->m();
    echo gc_status()['roots'], ' ';
    unset($a, $b);
}
for ($i = 0; $i < 8; $i++) {
    made();
    gc_collect_cycles();
    echo "\n";
}
function threshold() {
    $o = new Plain; $o->n = 'o';
    for ($i = 0; $i < 20; $i++) { $o->m(); }
    echo gc_status()['roots'], "\n";
}
threshold();
threshold();
garbage();
$live = [];
for ($i = 0; $i < 30000; $i++) { $live[] = new Live($i); }
echo "runs ", gc_status()['runs'], "\n";
?>
--EXPECT--
1 b a 
1 a b 
1 b a 
1 a b 
1 b a 
1 a b 
1 b a 
1 a b 
2 a b 
2 a b 
2 a b 
2 a b 
2 a b 
2 a b 
2 a b 
2 a b 
1
o 1
o collected at 9999
runs 37
