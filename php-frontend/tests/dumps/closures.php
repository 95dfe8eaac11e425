<?php
function closures($o) { $f = function () use ($o, &$x) { static $y = 1; return $o; }; $g = fn($y) => $y + $o + fn() => $z; static fn(): int => 1; return (function () { return fn() => __FUNCTION__; })(); }
class Scoped { const A = 1; function m() { return function () { return $this->m() . self::A . static::class . self::class . Scoped::A; }; } static function n() { return static fn() => self::m(); } }
function outer() { function inner() {} class Inner {} if (f()) { function conditional() {} } }
