--TEST--
Exit with a text
--FILE--
<?php
function leave() { die("bye\n"); }
ob_start(); echo "buffered "; leave(); echo "never";
--EXPECT--
buffered bye
