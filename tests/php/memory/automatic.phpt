--TEST--
The collector runs by itself, and what it finds sets when it runs again
--FILE--
<?php
function status(): string
{
    $status = gc_status();
    return "runs {$status['runs']}, collected {$status['collected']}, "
        . "threshold {$status['threshold']}, roots {$status['roots']}";
}
class Cycle { public $self; public function __construct() { $this->self = $this; } }

echo status(), "\n";
for ($i = 0; $i < 10_000; $i++) {
    new Cycle;
}
echo status(), "\n";
new Cycle;
echo status(), "\n";

// Roots that live: not worth it.
$living = [];
for ($i = 0; $i < 10_100; $i++) {
    $living[] = $object = new Cycle;
}
unset($object);
echo status(), "\n";
$living = [];
echo status(), "\n";
var_dump(gc_collect_cycles());
echo status(), "\n";

gc_disable();
var_dump(gc_enabled());
for ($i = 0; $i < 20_050; $i++) {
    new Cycle;
}
echo status(), "\n";
gc_enable();
var_dump(gc_collect_cycles());
echo status(), "\n";
ini_set('zend.enable_gc', '0');
var_dump(gc_enabled());
?>
--EXPECT--
runs 0, collected 0, threshold 10001, roots 0
runs 0, collected 0, threshold 10001, roots 10000
runs 1, collected 10000, threshold 10001, roots 1
runs 2, collected 10001, threshold 20001, roots 102
runs 2, collected 10001, threshold 20001, roots 10100
int(10100)
runs 3, collected 20101, threshold 20001, roots 0
bool(false)
runs 3, collected 20101, threshold 20001, roots 20050
int(20050)
runs 4, collected 40151, threshold 20001, roots 0
bool(false)
