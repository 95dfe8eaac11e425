--TEST--
Lines of calls that stand over several lines
--FILE--
<?php
class A { public function b() { echo (new Exception)->getTraceAsString(), "\n"; return $this; } static function s() { echo (new Exception)->getTraceAsString(), "\n"; } function __construct() { echo (new Exception)->getTraceAsString(), "\n"; } }
function f(...$a) { echo (new Exception)->getTraceAsString(), "\n"; return 1; }
(new A())
    ->
    b
    ();
(new A)
  ->b()

  ->b(
   1,
   f(
   2
   )
  )
  ->b();
A
::
s
(
)
;
f
(
1
,
f()
)
;
$x = 
  f(
    fn() => 1,
  );
$o = new
 A
 (
 );
$m = [
  $o,
  'b'
];
$m
(
);
$o
 ?->b(
 )
 ->b
 (
 2);
echo
 "a"
 .
 f(
 )
 . "b";

function tr() { echo (new Exception)->getTraceAsString(), "\n"; }
class Magic { static function __callStatic($n, $a) { tr(); } function __call($n, $a) { tr(); return $this; }
 function __get($n) { tr(); return $this; }
 function __toString(): string { tr(); return ''; }
 function __destruct() { tr(); }
 function __invoke() { tr(); return $this; } 
}
$a = new Magic; $m = 'dyn';
$a
 ->$m
 (
 )
;
Magic::
 $m(
 );
$a
 ->prop
 ->other;
echo "x
 $a
 y",
 "z";
$f = [
 $a, 
 'q'];
call_user_func(
  $f,
  1
);
array_map(
 $a,
 [
 1
 ]
);
$a(
)
(
)
;
function gg() {
  $x = new Magic;
  if (1) {
     return
       5
     ;
  }
}
gg();
function hh() {
  $x = new Magic;

}
hh();
(function () {
  $y = new Magic;
  throw
   new
   Exception
   (
    'x'
   );
})->call(
 $a) ;
--STATUS--
255
--EXPECT--
#0 case.php(4): A->__construct()
#1 {main}
#0 case.php(6): A->b()
#1 {main}
#0 case.php(8): A->__construct()
#1 {main}
#0 case.php(9): A->b()
#1 {main}
#0 case.php(13): f(2)
#1 {main}
#0 case.php(11): A->b(1, 1)
#1 {main}
#0 case.php(17): A->b()
#1 {main}
#0 case.php(20): A::s()
#1 {main}
#0 case.php(28): f()
#1 {main}
#0 case.php(24): f(1, 1)
#1 {main}
#0 case.php(32): f(Object(Closure))
#1 {main}
#0 case.php(36): A->__construct()
#1 {main}
#0 case.php(44): A->b()
#1 {main}
#0 case.php(47): A->b()
#1 {main}
#0 case.php(49): A->b(2)
#1 {main}
#0 case.php(55): f()
#1 {main}
a1b#0 case.php(60): tr()
#1 case.php(68): Magic->__call('dyn', Array)
#2 {main}
#0 case.php(60): tr()
#1 case.php(73): Magic::__callStatic('dyn', Array)
#2 {main}
#0 case.php(61): tr()
#1 case.php(76): Magic->__get('prop')
#2 {main}
#0 case.php(61): tr()
#1 case.php(77): Magic->__get('other')
#2 {main}
#0 case.php(62): tr()
#1 case.php(79): Magic->__toString()
#2 {main}
x
 
 yz#0 case.php(60): tr()
#1 case.php(87): Magic->__call('q', Array)
#2 {main}
#0 case.php(64): tr()
#1 [internal function]: Magic->__invoke(1)
#2 case.php(89): array_map(Object(Magic), Array)
#3 {main}
#0 case.php(64): tr()
#1 case.php(95): Magic->__invoke()
#2 {main}
#0 case.php(64): tr()
#1 case.php(97): Magic->__invoke()
#2 {main}
#0 case.php(63): tr()
#1 case.php(108): Magic->__destruct()
#2 {main}
#0 case.php(63): tr()
#1 case.php(113): Magic->__destruct()
#2 {main}
#0 case.php(63): tr()
#1 [internal function]: Magic->__destruct()
#2 case.php(122): Closure->call(Object(Magic))
#3 {main}

Fatal error: Uncaught Exception: x in case.php:118
Stack trace:
#0 [internal function]: Magic->{closure:case.php:114}()
#1 case.php(122): Closure->call(Object(Magic))
#2 {main}
  thrown in case.php on line 118
#0 case.php(63): tr()
#1 [internal function]: Magic->__destruct()
#2 {main}
