--TEST--
constant expressions are no calls in traces
--FILE--
<?php
class A {
  const X =
     B::Y;
}
spl_autoload_register(function($c) {
  debug_print_backtrace();
  if ($c == 'B') throw new Exception("x");
});
function f() { return A::X; }
try { f(); } catch (Exception $e) { echo $e->getFile(),':', $e->getLine(), "\n", $e->getTraceAsString(), "\n\n"; }
function g($a =
   E::F) {}
try { g(); } catch (Error $e) { echo $e->getLine(), "\n", $e->getTraceAsString(), "\n\n"; }
class M { function m($a =
   E::F) {} 
   public $p = 
      Q::Z;
}
try { new M; } catch (Error $e) { echo $e->getLine(), "\n", $e->getTraceAsString(), "\n\n"; }
class N { function m($a =
   E::F) {} }
try { (new N)->m(); } catch (Error $e) { echo $e->getLine(), "\n", $e->getTraceAsString(), "\n\n"; }
function h() { static $x = [
 E::F]; }
try { h(); } catch (Error $e) { echo $e->getLine(), "\n", $e->getTraceAsString(), "\n\n"; }
class S { 
  function __construct($x) {
     debug_print_backtrace();
     if ($x==1) throw new Exception("y");
     }
  }
function k(
 $x = new S(1)) {}
try { k(); } catch (Exception $e) { echo $e->getLine(), "\n", $e->getTraceAsString(), "\n\n"; }
class T { function k(
 $x = new S(1)) {} }
try { (new T)->k(); } catch (Exception $e) { echo $e->getLine(), "\n", $e->getTraceAsString(), "\n\n"; }
class U { const A = 
  U2::B; }
class U2 { const B = 
  U3::C; }
class U3 { const C =
   1 % 0; }
function uu() { return U::A; }
try { uu(); } catch (Error $e) { echo $e->getLine(), "\n", $e->getTraceAsString(), "\n\n"; }
--EXPECT--
#0 case.php(10): {closure:case.php:6}('B')
#1 case.php(11): f()
case.php:8
#0 case.php(10): {closure:case.php:6}('B')
#1 case.php(11): f()
#2 {main}

#0 case.php(12): {closure:case.php:6}('E')
#1 case.php(14): g()
12
#0 case.php(14): g()
#1 {main}

#0 case.php(20): {closure:case.php:6}('Q')
18
#0 case.php(20): [constant expression]()
#1 {main}

#0 case.php(21): {closure:case.php:6}('E')
#1 case.php(23): N->m()
22
#0 case.php(21): [constant expression]()
#1 case.php(23): N->m()
#2 {main}

#0 case.php(25): {closure:case.php:6}('E')
#1 case.php(26): h()
25
#0 case.php(26): h()
#1 {main}

#0 case.php(33): S->__construct(1)
#1 case.php(35): k()
30
#0 case.php(33): S->__construct(1)
#1 case.php(35): k()
#2 {main}

#0 case.php(29): [constant expression]()
#1 case.php(36): S->__construct(1)
#2 case.php(38): T->k()
37
#0 case.php(30): [constant expression]()
#1 case.php(36): S->__construct(1)
#2 case.php(38): T->k()
#3 {main}

44
#0 case.php(45): [constant expression]()
#1 case.php(46): uu()
#2 {main}

