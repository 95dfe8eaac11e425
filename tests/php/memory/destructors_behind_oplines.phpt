--TEST--
The last owner of an object goes while its property is made: a destructor that throws is heard
--FILE--
<?php
class D
{
    function __destruct()
    {
        echo "gone\n";
        throw new Exception('from the destructor');
    }
}
set_error_handler(function ($number, $message) { global $a; echo "$message\n"; $a = []; return true; });
$e = 5;
$tests = [
    'bind' => function () { global $a, $e; $a = new D; $a->n = &$e; echo "not reached\n"; },
    'bind through globals' => function () { global $e; $GLOBALS['a'] = new D; $GLOBALS['a']->n = &$e; echo "not reached\n"; },
    'operator' => function () { global $a; $a = new D; $a->n .= 'x'; echo "not reached\n"; },
    'step' => function () { global $a; $a = new D; $a->n++; echo "not reached\n"; },
    'step before' => function () { global $a; $a = new D; $x = --$a->n; echo "not reached\n"; },
    'element' => function () { global $a; $a = new D; $a->n['k'] = 1; echo "not reached\n"; },
    'plain' => function () { global $a; $a = new D; $a->n = 1; echo "not reached\n"; },
    'reference' => function () { global $a; $a = new D; $x = &$a->n; echo "not reached\n"; },
    'spread' => function () { call_user_func_array(function () { echo "called\n"; throw new LogicException('in'); }, [new D]); },
];
foreach ($tests as $name => $test) {
    try {
        echo "-- $name\n";
        $test();
    } catch (Throwable $t) {
        do {
            echo get_class($t), ': ', $t->getMessage(), "\n";
        } while ($t = $t->getPrevious());
    }
}
--STATUS--
255
--EXPECT--
-- bind
Creation of dynamic property D::$n is deprecated
gone
Exception: from the destructor
-- bind through globals
Creation of dynamic property D::$n is deprecated
gone
Exception: from the destructor
-- operator
Creation of dynamic property D::$n is deprecated
gone
Exception: from the destructor
-- step
Creation of dynamic property D::$n is deprecated
gone
Exception: from the destructor
-- step before
Creation of dynamic property D::$n is deprecated
gone
Exception: from the destructor
-- element
Creation of dynamic property D::$n is deprecated
gone
Exception: from the destructor
-- plain
Creation of dynamic property D::$n is deprecated
gone
Exception: from the destructor
-- reference
Creation of dynamic property D::$n is deprecated
gone
Exception: from the destructor
-- spread
called
LogicException: in
gone

Fatal error: Uncaught Exception: from the destructor in case.php:7
Stack trace:
#0 case.php(30): D->__destruct()
#1 {main}
  thrown in case.php on line 7
