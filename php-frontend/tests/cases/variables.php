<?php
$$a['b']; ${'c'}; ${$d . 'e'}->f->{'g' . $h}->$i[$j]?->k();
A::$b; A::$$b; $a::B; A::{'B'}; A::class; $a::class; static::f(); A::$f(); A::{'f'}();
(new A)->b(); new A()->b()::C; new $a->b['c']; new (f()); new static; new A\B(...$c, d: $e);
f(...)(1)[2]; [1, 2][0]; "abc"[0]; 'f'(); FOO[0]; \A\b(); namespace\c();
[$a, 'k' => [, $b], ...$c] = $d; list(, $a) = $b; [&$a, 'k' => &$b];
array(1, 2 => 3); isset($a, $b->c); empty($d); exit; die(1); eval('x'); unset($a, $b);
__LINE__ . __FILE__ . __CLASS__;
