--TEST--
Closures of functions share their static variables
--FILE--
<?php
function counter() { static $count = 0; return ++$count; } class Machine { function step() { static $count = 10; return ++$count; } }
$first = counter(...); $second = Closure::fromCallable('counter'); echo counter(), $first(), $second(), (new ReflectionFunction('counter'))->getClosure()(), counter(), "\n";
$machine = new Machine; $step = $machine->step(...); echo $step(), " ", $machine->step(), " ", (new Machine)->step(), "\n"; $own = function () { static $n = 0; return ++$n; }; $copy = clone $own; echo $own(), $own(), $copy(), "\n";
class Text { public string $name = __PROPERTY__ { get => $this->name . __PROPERTY__; } } echo (new Text)->name, "\n";
--EXPECT--
12345
11 12 13
121
namename
