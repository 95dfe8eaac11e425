--TEST--
Exceptions in destructors, chained and at the end of the script
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# exceptions in destructors\n";
class T { public $n; function __construct($n) { $this->n = $n; } function __destruct() { throw new Exception("dtor {$this->n}"); } } try { $t = new T(1); unset($t); } catch (Exception $e) { echo $e->getMessage(), "\n"; } try { new T(2); } catch (Exception $e) { echo $e->getMessage(), "\n"; } function f() { $t = new T(3); return 'x'; } try { echo f(); } catch (Exception $e) { echo $e->getMessage(), "\n"; } function g() { $t = new T(4); throw new Exception('g'); } try { g(); } catch (Exception $e) { echo $e->getMessage(), ' prev ', $e->getPrevious()?->getMessage(), "\n"; } try { $a = [new T(5), new T(6)]; $a = null; } catch (Exception $e) { do { echo $e->getMessage(), "\n"; } while ($e = $e->getPrevious()); } try { $x = new T(7); $x = new T(8); } catch (Exception $e) { echo $e->getMessage(), "\n"; } try { $x = 1; } catch (Exception $e) { echo $e->getMessage(), "\n"; } try { foreach ([new T(9)] as $q) {} $q = null; } catch (Exception $e) { echo $e->getMessage(), "\n"; } $last = new T(10); echo "end\n";
--STATUS--
255
--EXPECT--
# exceptions in destructors
dtor 1
dtor 2
dtor 3
dtor 4 prev g
dtor 6
dtor 5
dtor 7
dtor 8
dtor 9
end

Fatal error: Uncaught Exception: dtor 10 in case.php:5
Stack trace:
#0 [internal function]: T->__destruct()
#1 {main}
  thrown in case.php on line 5
