<?php
function simple($x) { $r = yield $x; yield; yield 'k' => 2; f(yield $x, yield 9); return $r; }
function delegating() { $r = yield from simple(1); try { yield from $r; } finally { yield 1; } return $r; }
function &referencing(array &$a) { foreach ($a as $k => &$v) yield $k => $v; yield f(); }
function typed(): iterable { yield 1; }
