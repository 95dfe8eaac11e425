--TEST--
A finally block overrides, chains and keeps values
--FILE--
<?php
function override() { try { return "try"; } finally { return "finally"; } }
function keeps() { $x = 1; try { return $x; } finally { $x = 2; } }
function swallow() { try { throw new Exception("lost"); } finally { return "swallowed"; } }
function loop() { foreach ([1, 2, 3] as $i) { try { if ($i == 1) continue; if ($i == 2) break; } finally { echo "f$i "; } } return "looped"; }
function nested() { try { try { return "a"; } finally { echo "1 "; } } finally { echo "2 "; } }
function &reference(&$v) { try { return $v; } finally { $v = "late"; } }
echo override(), " ", keeps(), " ", swallow(), " ", loop(), " ", nested(), "\n"; $v = "early"; $r = &reference($v); echo $r, "\n";
function chain() { try { throw new Exception("first"); } finally { throw new LogicException("second"); } } try { chain(); } catch (Exception $e) { echo get_class($e), " after ", $e->getPrevious()->getMessage(), "\n"; }
--EXPECT--
finally 1 swallowed f1 f2 looped 1 2 a
late
LogicException after first
