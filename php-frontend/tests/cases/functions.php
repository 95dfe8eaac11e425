<?php
/** Adds. */
function &add(int $a, ?string $b = null, (A&B)|null &...$rest): static|int { return yield $a => $b; }
#[A, B(1, x: 2)] #[C]
function readonly(array|(A&B) $x, callable $f,) { static $n = 0, $m; global $g, $$h; }
$f = static function () use ($a, &$b): ?int { yield from $a; };
$f = #[D] static fn &(int ...$x): int => $x <=> fn() => 1;
return match (true) { 1, 2, => 'a', default, => throw $e };
