--TEST--
Shutdown functions: order, nesting, exit and exceptions
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# shutdown\n";
register_shutdown_function(function (...$a) { echo "one ", json_encode($a), "\n"; register_shutdown_function(function () { echo "nested\n"; throw new Exception('in shutdown'); }); register_shutdown_function(function () { echo "after throw?\n"; }); }, 1, 'b'); register_shutdown_function(function () { echo "two\n"; exit(7); }); register_shutdown_function(function () { echo "three\n"; }); echo "end\n";
--STATUS--
7
--EXPECT--
# shutdown
end
one [1,"b"]
two
