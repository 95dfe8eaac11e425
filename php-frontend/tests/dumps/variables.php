<?php
function reads($a, $o) { $a[0][1]; $o->x->y; $o::$s; $$a; $GLOBALS['x']; $_GET['x']; $a['5']; $a[$a['k']]; }
function writes($a, $o) { $a[1][2] = 3; $a[] = 1; $o->x->y = 1; $o->x['k'] = 1; A::$s[1] = 2; $$a = 1; $GLOBALS['x'] = 1; $a[f()][g()] = h(); }
function compound($a, $o) { $a .= $a; $a[0] += $a; $o->x *= 2; A::$s -= 1; $a[] = $a; $o->x = $o; }
function references($a, $o) { $x = &$a; $x = &$a[0]; $a[0] = &$a[1]; $o->x = &$a; A::$s = &$a; $o->x = &f(); $a['x']->b = &$o->c[0]; }
function steps($a, $o) { $a++; --$a; $x = $a++; $o->x++; $y = $o->x--; A::$s++; $z = ++A::$s; $a[1]++; }
function tests($a, $o) { isset($a, $o); empty($a); isset($a[1][2]); isset($o->x->y); empty(A::$s); isset($$a); isset($GLOBALS['x']); empty(f()); }
function unsets($a, $o) { unset($a, $a[1][2], $o->x, A::$s, $$a, $GLOBALS['x']); }
function nullsafe($a) { $a?->b; $a?->b->c(); isset($a?->b); $a?->b ?? 5; empty($a?->b->c); $a->b?->c->d(); f($a?->b); }
function memoised($a, $o) { $a ??= 1; $a[f()] ??= g(); $o->x['k'] ??= 1; f()->x ??= 2; A::$s ??= 3; h($a['x'] ??= 5); }
class Here { public $p; function m() { $this->p; $this->p[] = 1; $this->p->q = 2; f($this); f($this->p); return $this; } }
