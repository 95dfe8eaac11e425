<?php
function known($a, &$b, ...$c) { return $a; }
function users($a) { known($a, $a[0][1], 1, $a + 1); known(b: $a, a: 1); known(...$a); known(1, $x = 3); known(f(), g()); known($a->b, $a::$c); known(1, $b, ...$a); }
function unknowns($a) { unknown($a, $a[0][1], 1, known(1, $a), $a + 1, $x = 3, ...$a); unknown(b: 1, c: $a); unknown($a?->b); $a($a); [$a, 'm'](1); 'a::b'(1); ('un' . 'known')(); }
function natives($a) { strlen($a); strlen("abc"); count($a); is_int($a); is_scalar($a); in_array($a, [1, "2"], true); in_array($a, ["a", "b"]); sort($a); sort(f()); var_dump($a, ...$a); array_multisort(f(), $a[1]); str_replace("a", "b", $a); chr(65); ord("A"); intval($a); defined('X'); defined('PHP_EOL'); gettype($a); get_class($a); array_key_exists(1, $a); func_get_args(); func_num_args(); array_slice(func_get_args(), 1); strval($a); end(f()); }
function formatted($a, $b) { sprintf("a%s b%d%%c", $a, $b); sprintf("%s", $a); sprintf("%%%s", 5); sprintf("%s%d", 1, 2); sprintf("abc"); sprintf("%5d", $a); sprintf($a, 1); }
function forwarded($a) { call_user_func($a, $a, 1); call_user_func('known', $a); call_user_func_array($a, $a); call_user_func_array('known', array_slice($a, 1, $a)); }
function callables($o) { strlen(...); known(...); unknown(...); $o->m(...); A::m(...); $o(...); }
function objects($o) { $o->m($o); $o->$o(1); A::m($o); A::$o(1); $o::m(); new A($o); new $o; new ($o . 'x')(1); clone $o; $o instanceof A; $o instanceof $o; new class(1) { function __construct(public int $x) {} }; }
function asserted($a) { assert($a > 1 && is_int($a)); return assert($a instanceof A, "message"); }
function included($f) { include $f; require_once __DIR__ . $f; eval($f); `ls $f`; @f($f); @$f; print $f; exit(3); }
class Base { static function s(&$x) {} private function p($x) {} final function q(&$x) {} function t() { self::s($a); self::p($a); $this->p($a); $this->q($a); $this->t($a); static::s($a); Base::s($a); } }
class Child extends Base { function t() { parent::t(); Base::s($a); self::s($a); } }
function after() { Base::s($a); Child::s($a); Base::nothing($a); }
