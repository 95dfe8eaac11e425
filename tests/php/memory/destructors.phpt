--TEST--
Destructors of garbage: order, resurrection, exceptions, suspension
--FILE--
<?php
class Thing
{
    public $self;
    public function __construct(public string $name, public ?Closure $last = null)
    {
        $this->self = $this;
    }
    public function __destruct()
    {
        echo "destroying {$this->name}\n";
        if ($this->last) {
            ($this->last)($this);
        }
    }
}

echo "-- order of roots\n";
foreach (['a', 'b', 'c'] as $name) {
    new Thing($name);
}
var_dump(gc_collect_cycles());

echo "-- resurrected\n";
new Thing('phoenix', function ($thing) { $GLOBALS['saved'] = $thing; });
var_dump(gc_collect_cycles());
echo $saved->name, " lives\n";
$saved = null;
var_dump(gc_collect_cycles());

echo "-- throwing\n";
new Thing('one', fn() => throw new Exception('from one'));
new Thing('two', fn() => throw new Exception('from two'));
try {
    gc_collect_cycles();
} catch (Exception $e) {
    echo $e->getMessage(), ' after ', $e->getPrevious()->getMessage(), "\n";
}
unset($e);
var_dump(gc_collect_cycles());

echo "-- suspending\n";
$fiber = new Fiber(function () {
    new Thing('slow', function () {
        $GLOBALS['waiting'] = Fiber::getCurrent();
        Fiber::suspend();
        echo "slow goes on\n";
    });
    new Thing('quick');
    gc_collect_cycles();
    echo "collected\n";
});
$fiber->start();
$waiting->resume();
unset($waiting, $fiber);

echo "-- running generator\n";
$generator = (function () {
    try {
        yield 1;
        Fiber::suspend();
    } finally {
        echo "left\n";
    }
})();
$fiber = new Fiber(function () use ($generator) {
    foreach ($generator as $value) {
        echo $value, "\n";
    }
});
$fiber->start();
unset($generator);
echo "-- end\n";
?>
--EXPECT--
-- order of roots
destroying a
destroying b
destroying c
int(3)
-- resurrected
destroying phoenix
int(0)
phoenix lives
int(2)
-- throwing
destroying one
destroying two
from two after from one
int(4)
-- suspending
destroying quick
destroying slow
collected
slow goes on
-- running generator
1
-- end
left
