--TEST--
Functions declared when control reaches them
--FILE--
<?php
echo early(), "\n";
function early() { return "hoisted"; }
var_dump(function_exists("late"));
if (true) { function late() { return "declared"; } }
echo late(), "\n";
function outer() { function inner() { return "inner"; } }
outer();
echo inner(), "\n";
$name = "LATE"; echo $name(), call_user_func("early"), call_user_func_array("max", [1, 5, 3]), "\n";
try { missing(1); } catch (Error $error) { echo $error->getMessage(), "\n"; }
--EXPECT--
hoisted
bool(false)
declared
inner
declaredhoisted5
Call to undefined function missing()
