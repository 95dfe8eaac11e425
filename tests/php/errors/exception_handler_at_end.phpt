--TEST--
An exception handler for what shutdown functions, destructors and output callbacks throw
--FILE--
<?php

echo "# r10\n";
class T { function __construct(public $n) {} function __destruct() { echo "dt{$this->n}\n"; throw new Exception("dtor {$this->n}"); } } set_exception_handler(fn($e) => print("EH " . $e->getMessage() . "\n")); $a = [new T(1), new T(3)]; $b = new T(2); $x = new stdClass; $x->x = $x; $x->t = new T(5);
--EXPECT--
# r10
dt2
EH dtor 2
dt1
EH dtor 1
dt3
EH dtor 3
dt5
EH dtor 5
