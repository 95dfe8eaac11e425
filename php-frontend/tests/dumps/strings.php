<?php
function interpolated($a, $o) { "a$a"; "$a$a"; "$a"; "a{$a[0]}b$a c{$o->x}"; "$a[k] $a[1] $a[$o] $o->x"; <<<X
  a $a
    b
  X; "{$o->m(1)}x"; "\$a" . 'b' . "$a" . 1; }
function constants() { return [__LINE__, __FUNCTION__, __METHOD__, __CLASS__, __NAMESPACE__, true, NULL, PHP_INT_MAX, E_ALL, M_PI, UNKNOWN, \PHP_EOL, A::class, A::B, A::{'B'}, static fn() => __FUNCTION__]; }
