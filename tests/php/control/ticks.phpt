--TEST--
Tick functions: arguments, functions that run already, exceptions
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# ticks\n";
function tick() { echo "[t]"; } register_tick_function('tick'); declare(ticks=1) { $a = 1; $b = 2; if ($a) { echo 'x'; } for ($i = 0; $i < 2; $i++) { $c = $i; } } echo "\n"; unregister_tick_function('tick'); declare(ticks=2); register_tick_function(function ($x) { echo "<$x>"; }, 'arg'); $a = 1; $b = 2; $c = 3; function f() { $z = 1; $y = 2; return 3; } f(); echo "\n"; class T { function t() { echo "{m}"; } } register_tick_function([new T, 't']); $q = 1; $w = 2;

echo "# ticks in function\n";
declare(ticks=1);
function tick1() { static $n = 0; if (++$n > 3) { unregister_tick_function('tick'); throw new Exception("tick1 $n"); } } register_tick_function('tick'); try { $a = 1; $b = 2; $c = 3; $d = 4; $e = 5; } catch (Exception $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
# ticks
[t][t]x[t][t][t][t]
<arg><arg><arg><arg><arg><arg><arg>
<arg><arg>{m}<arg><arg>{m}<arg><arg>{m}<arg># ticks in function
<arg>{m}<arg><arg>{m}<arg>[t][t]<arg>{m}<arg>[t][t]<arg>{m}<arg>[t][t]<arg>{m}<arg>[t][t]<arg>{m}<arg>[t][t]<arg>{m}<arg>[t][t]
