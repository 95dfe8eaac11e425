--TEST--
Eval shares scope and reports its own lines
--FILE--
<?php
$x = 5; echo eval('return $x * 2;'), "\n"; eval('$made = "in eval"; function from_eval() { return __FUNCTION__ . __LINE__; }'); echo $made, from_eval(), "\n"; var_dump(eval('$y = 1;'));
try { eval('this is not php'); } catch (ParseError $e) { echo $e->getMessage(), " ", $e->getLine(), "\n"; } eval("\n\necho \$undefined;"); eval('?>inline <?= 1 + 1 ?>' . "\n"); try { eval('throw new Exception("out");'); } catch (Exception $e) { echo $e->getMessage(), $e->getFile(), "\n"; }
--EXPECT--
10
in evalfrom_eval1
NULL
syntax error, unexpected identifier "is" 1

Warning: Undefined variable $undefined in case.php(3) : eval()'d code on line 3
inline 2outcase.php(3) : eval()'d code
