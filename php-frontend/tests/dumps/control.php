<?php
function switches($a) { switch ($a) { case 1: echo 1; break; default: echo 2; case f(): echo 3; } switch ($a) { case 1: case 2: case 3: case 4: case 5: echo 5; } switch ($a . 'x') { case 'a': return 1; case 'b': continue 1; } switch (true) { case $a: echo 1; } }
function matches($a) { return [match ($a) { 1, 2 => 3, default => 4 }, match (true) { $a > 1 => 'x', f() => 'y' }, match ($a) { default => 1 }, match (f()) { 'a' => 1, 'b' => 2 }]; }
function loops($a) { for ($i = 0, $j = 1; $i < 10, $j; $i++, f()) { if ($i) continue; break; } for (;;) { break; } while ($a) { $a--; } do { echo 1; } while ($a && f()); }
function nested($a, $b) { foreach ($a as $v) { foreach ($b as $w) { return 1; } } foreach ($a as $v) { foreach ($b as $w) { break 2; } } foreach ($a as $v) { switch (f()) { case 1: continue 2; } } }
function jumps($a) { a: if ($a) goto b; foreach ($a as $v) { if ($v) goto a; } b: try { goto c; } finally { echo 1; } c: return; }
function tries() { try { f(); } catch (A | B $e) { g(); } catch (C) { h(); } finally { i(); } }
function backup($a) { try { return $a; } finally { ++$a; } }
function both() { try { foreach (new D as $v) { try { return 1; } finally { return 2; } } } finally { echo "finally"; } }
function thrown() { try { try { throw new E; } finally { f(); } } catch (E $e) { throw $e; } return $x ?? throw new F; }
function typed(int $a, ?string $b = null, A|B|null $c = null, A&B ...$d): ?int { if ($a) return 1; if ($b) return null; return $c; }
function nothing(): void { return; }
function never(): never { f(); }
function &by_reference(array &$a): mixed { if ($a) return $a[0]; return 5; }
function statics() { static $n, $m = 1, $z = f(); global $g, $$n; $n++; }
