<?php
$a = 1 + 2 * 3 ** -4 ** 5 . 'x' . 'y';
$a = !$b instanceof C && $d = 5 or $e xor $f and $g;
$a = $b ?? $c ?? ($d ? $e : $f) ? 1 : 2;
$a = $b ?: $c;
$a ??= $b .= $c **= 2;
$a = &$b;
$a = (int) -$b++ + --$c->d;
$a = @$b[1] & ~$c | $d ^ $e << 2 >> 1 <=> 3;
print 1 . print 2;
$a = include 'x' . 'y';
throw $a ?? new E;
$a = clone $b->c;
$a = $b == $c && $d !== $e;
