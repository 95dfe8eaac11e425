--TEST--
Output buffers nest and transform
--FILE--
<?php
ob_start(); echo "inner"; $text = ob_get_clean(); echo strtoupper($text), "\n"; ob_start(fn($buffer) => strrev($buffer)); echo "abc"; ob_end_flush(); echo "\n"; ob_start(); echo 1; ob_start(); echo 2; echo ob_get_level(); ob_end_clean(); echo 3; echo ob_get_length(); ob_end_flush(); echo "\n"; echo ob_get_level(), "\n"; ob_start(); print "kept at the end";
--EXPECT--
INNER
cba
132
0
kept at the end
